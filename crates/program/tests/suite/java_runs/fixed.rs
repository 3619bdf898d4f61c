//! Java programs with one thing in them each, so that no other run has the trace that shows it:
//! how statements fail by themselves, what is thrown out of calls and told apart by callers,
//! classes whose initialiser failed, and which are initialised at all.
//!
//! `@` is the class of the program, which declares what [`DECLARED`] does. A program comes by its
//! traces whatever the seed is, or by choices of `R.next`; those that are named must be among them.

use super::generate::Kind;

/// A program, and traces that it must show, each with how it ends.
pub(super) struct Fixed {
    pub(super) body: &'static str,
    pub(super) shows: &'static [&'static str],
    /// Whether the virtual machine itself may throw.
    pub(super) implicit: bool,
}

/// What all of these programs declare.
const DECLARED: &str = "
static class E1 extends RuntimeException { }
static class E2 extends E1 { }
static class E3 extends Error { }
static class Ck extends Exception { }
static class Thing { int n; Object o; void act() { Ev.e0(); } private void hid() { Ev.e0(); } }
static Thing thing(int n) { return n == 0 ? null : new Thing(); }
static int[] ints(int n) { return n == 0 ? null : new int[2]; }
";

impl Fixed {
    /// The class with its number.
    pub(super) fn source(&self, number: usize) -> String {
        format!("class @ {{ {DECLARED} {} }}", self.body).replace('@', &format!("P{number}"))
    }

    /// Missing code only returns, so that nothing else is thrown.
    pub(super) fn kind(&self) -> Kind {
        let Fixed { implicit, .. } = *self;
        Kind { implicit, later: false, reflective: false, called_back: false, short: true }
    }
}

macro_rules! programs {
    ($implicit:literal: $($body:literal shows $($trace:literal),+;)*) => {
        [$(Fixed { body: $body, shows: &[$($trace),+], implicit: $implicit }),*]
    };
}

/// How statements fail by themselves. What comes behind them happens, or the handler.
const FAILURES: &[Fixed] = &programs! { true:
    "static void begin() { try { thing(R.next(2)).act(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { thing(R.next(2)).hid(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { R.sink(thing(R.next(2)).n, 1); Ev.e0(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { thing(R.next(2)).o = null; Ev.e0(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { R.sink(ints(R.next(2)).length, 1); Ev.e0(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { R.sink(ints(1)[R.next(3)], 1); Ev.e0(); } catch (IndexOutOfBoundsException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { ints(R.next(2))[0] = 1; Ev.e0(); } catch (IndexOutOfBoundsException e) { Ev.e2(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { ints(1)[R.next(4) - 1] = 1; Ev.e0(); } catch (ArrayIndexOutOfBoundsException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { Object[] all = R.next(2) == 0 ? new String[1] : new Object[1];
      try { all[0] = new Thing(); Ev.e0(); } catch (ArrayStoreException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { R.sink(new int[R.next(3) - 1].length, 1); Ev.e0(); } catch (NegativeArraySizeException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { Object o = new Object[2][R.next(3) - 1]; Ev.e0(); } catch (NegativeArraySizeException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { R.sink(7 / R.next(2), 1); Ev.e0(); } catch (ArithmeticException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static long l() { return R.next(2); } static void begin() { try { R.sink((int) (7L % l()), 1); Ev.e0(); } catch (ArithmeticException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static Object any() { return R.next(2) == 0 ? \"\" : new Thing(); }
     static void begin() { try { R.sink(((Thing) any()).n, 1); Ev.e0(); } catch (ClassCastException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { Object lock = thing(R.next(2)); try { synchronized (lock) { Ev.e0(); } } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { throw null; } catch (RuntimeException e) { Ev.e1(); } }" shows "returns 1";
    "static void raise(Error e) { throw e; }
     static void begin() { try { raise(R.next(2) == 0 ? null : new E3()); } catch (NullPointerException e) { Ev.e1(); } catch (Error e) { Ev.e0(); } }"
        shows "returns 0", "returns 1";
    "static Error kept; static Error get() { return kept; }
     static void begin() { try { throw get(); } catch (NullPointerException e) { Ev.e1(); } }" shows "returns 1";
    "static Error kept; static void begin() { try { Error e = kept; throw e; } catch (NullPointerException e) { Ev.e1(); } }" shows "returns 1";
    "static int deep(int n) { return n > 0 ? deep(n - 1) : 1 / R.next(2); }
     static void begin() { try { deep(2); Ev.e0(); } catch (ArithmeticException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void begin() { try { try { R.sink(1 / R.next(2), 0); } finally { Ev.e0(); } Ev.e1(); } catch (RuntimeException e) { Ev.e2(); } }"
        shows "returns 01", "returns 02";
    "interface Act { int go(); } static void begin() { Act a = () -> 1 / R.next(2); try { a.go(); Ev.e0(); } catch (ArithmeticException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "interface Act { void go(); } static Act act() { return R.next(2) == 0 ? null : () -> Ev.e0(); }
     static void begin() { try { act().go(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static Integer some() { return R.next(2) == 0 ? null : 1; } static void begin() { try { R.sink(some(), 1); Ev.e0(); } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "enum Mode { X } static Mode mode() { return R.next(2) == 0 ? null : Mode.X; }
     static void begin() { try { switch (mode()) { case X: Ev.e0(); } } catch (NullPointerException e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static class K { static int n; static { Ev.e3(); n = 1 / R.next(2); } static void use() { Ev.e0(); } }
     static void begin() { try { K.use(); } catch (ExceptionInInitializerError e) { Ev.e1(); } catch (NoClassDefFoundError e) { Ev.e2(); } }"
        shows "returns 30", "returns 31", "returns 2";
    "static void begin() { Ev.e0(); R.sink(1 / R.next(2), 0); Ev.e1(); }" shows "returns 01", "throws 0";
};

/// What leaves calls by several exits.
const EXITS: &[Fixed] = &programs! { false:
    "static void f() { if (R.next(2) == 0) throw new E1(); throw new E3(); }
     static void begin() { try { f(); } catch (E1 e) { Ev.e0(); } catch (E3 e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void f() throws Ck { int n = R.next(4); if (n == 0) throw new E1(); if (n == 1) throw new E3(); if (n == 2) throw new Ck(); }
     static void g() throws Ck { f(); Ev.e3(); }
     static void begin() { try { g(); } catch (Ck e) { Ev.e0(); } catch (E3 e) { Ev.e1(); } catch (E1 e) { Ev.e2(); } }"
        shows "returns 0", "returns 1", "returns 2", "returns 3";
    "static void f() { if (R.next(2) == 0) throw new E1(); throw new E3(); }
     static void begin() { try { try { f(); } catch (E1 e) { Ev.e0(); } } catch (E3 e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void f() { if (R.next(2) == 0) throw new E1(); throw new E3(); }
     static void begin() { try { f(); } catch (E1 e) { Ev.e0(); } }"
        shows "returns 0", "throws ";
    "interface Act { void go(); } static Act act() { return R.next(2) == 0 ? new Act() { public void go() { throw new E1(); } } : () -> { throw new E3(); }; }
     static void begin() { try { act().go(); } catch (E1 e) { Ev.e0(); } catch (E3 e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void f() { throw R.next(2) == 0 ? new E1() : new E2(); }
     static void begin() { try { f(); } catch (E2 e) { Ev.e0(); } catch (E1 e) { Ev.e1(); } }"
        shows "returns 0", "returns 1";
    "static void f() { if (R.next(2) == 0) throw new E1(); throw new E3(); }
     static void g() { try { f(); } catch (Throwable e) { Ev.e2(); throw e; } }
     static void begin() { try { g(); } catch (E1 e) { Ev.e0(); } catch (E3 e) { Ev.e1(); } }"
        shows "returns 20", "returns 21";
    "static void f() { if (R.next(2) == 0) throw new E1(); throw new E3(); }
     static void g() { try { f(); } finally { Ev.e2(); } }
     static void begin() { try { g(); } catch (E1 e) { Ev.e0(); } catch (E3 e) { Ev.e1(); } }"
        shows "returns 20", "returns 21";
    "static class F0 extends E1 { } static class F1 extends E1 { } static class F2 extends E1 { } static class F3 extends E1 { } static class F4 extends E1 { }
     static class F5 extends E1 { } static class F6 extends E1 { } static class F7 extends E1 { } static class F8 extends E1 { } static class F9 extends E1 { }
     static void f() { switch (R.next(11)) { case 0: throw new F0(); case 1: throw new F1(); case 2: throw new F2(); case 3: throw new F3(); case 4: throw new F4();
      case 5: throw new F5(); case 6: throw new F6(); case 7: throw new F7(); case 8: throw new F8(); case 9: throw new F9(); } }
     static void begin() { try { f(); Ev.e3(); } catch (F0 | F1 | F2 e) { Ev.e0(); } catch (F3 | F4 | F5 | F6 e) { Ev.e1(); } catch (F7 | F8 e) { Ev.e2(); } catch (F9 e) { Ev.e0(); Ev.e1(); } }"
        shows "returns 0", "returns 1", "returns 2";
    "static class K { static { Ev.e0(); if (R.next(2) == 0) throw new E1(); if (R.next(2) == 0) throw new E3(); } static void use() { Ev.e1(); } }
     static void begin() { try { K.use(); } catch (ExceptionInInitializerError e) { Ev.e2(); } catch (E3 e) { Ev.e3(); } }"
        shows "returns 02", "returns 03";
};

/// Classes that cannot be used, for their initialiser failed before.
const FAILED: &[Fixed] = &programs! { false:
    "static class K { static { Ev.e0(); if (R.once() < 2) throw new E1(); } static void use() { Ev.e1(); } }
     static void use() { try { K.use(); } catch (ExceptionInInitializerError e) { Ev.e2(); } catch (NoClassDefFoundError e) { Ev.e3(); } }
     static void begin() { use(); use(); }"
        shows "returns 023", "returns 33";
    "static class K { static int n = 1; static { Ev.e0(); if (R.once() < 2) throw new E3(); } }
     static void begin() { try { K.n = 2; } catch (E3 e) { Ev.e2(); } try { R.sink(K.n, 1); } catch (NoClassDefFoundError e) { Ev.e3(); } }"
        shows "returns 023", "throws ";
    "static class K { static { Ev.e0(); if (R.once() < 2) throw new E1(); } }
     static class L extends K { L() { Ev.e1(); } }
     static void begin() { try { new L(); } catch (ExceptionInInitializerError e) { Ev.e2(); } try { new L(); } catch (NoClassDefFoundError e) { Ev.e3(); } }"
        shows "returns 023", "throws ";
    "static Object kept;
     static class K { static { Ev.e0(); kept = new K(); if (R.once() < 2) throw new E1(); } void go() { use(); } static void use() { Ev.e1(); } }
     static void begin() { try { K.use(); } catch (ExceptionInInitializerError e) { Ev.e2(); } catch (NoClassDefFoundError e) { }
      try { ((K) kept).go(); } catch (NoClassDefFoundError e) { Ev.e3(); } }"
        shows "returns 023", "returns 3";
    "static class K { static { Ev.e0(); if (R.once() < 2) throw new E1(); } static void use() { Ev.e1(); } }
     static void use() { K.use(); }
     static void begin() { try { use(); } catch (Error e) { Ev.e2(); } use(); Ev.e1(); }"
        shows "throws 02";
};

/// Which classes are initialised by a use, and in which order.
const INITIALISED: &[Fixed] = &programs! { false:
    "static class K { static int n = R.once(); static { Ev.e0(); } } static class L extends K { static { Ev.e1(); } }
     static void begin() { R.sink(L.n, 1); }"
        shows "returns 0", "returns ";
    "static class K { static { Ev.e0(); } static void use() { Ev.e2(); } } static class L extends K { static { Ev.e1(); } }
     static void begin() { L.use(); new L(); }"
        shows "returns 021", "returns 2";
    "interface I { int N = boot(); static int boot() { Ev.e0(); return 1; } } static class L implements I { static { Ev.e1(); } }
     static void begin() { R.sink(L.N, 1); Ev.e2(); new L(); }"
        shows "returns 021", "returns 2";
    "interface I { int N = boot(); static int boot() { Ev.e0(); return 1; } default void go() { } } static class L implements I { static { Ev.e1(); } }
     static void begin() { new L(); }"
        shows "returns 01", "returns ";
};

pub(super) fn programs() -> impl Iterator<Item = &'static Fixed> {
    FAILURES.iter().chain(EXITS).chain(FAILED).chain(INITIALISED)
}
