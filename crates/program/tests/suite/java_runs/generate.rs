//! Random Java programs that call events, from templates.
//!
//! In a template `$n` is a number that no other has, `$e` one of an event, `$f` one of a method,
//! `$x` a class that may be thrown, `@` the class of the program. Blocks of random
//! statements are `{}`; `{l}` the body of the loop `l$n`; `{()}` the body of another method, which
//! may return; `{=}` a body that nothing leaves but what is thrown.
//!
//! All programs end: calls are guarded by `d`, which each call makes smaller; loops ask `R.next`,
//! which is zero once its fuel is burnt. What leaves a block stands behind a test, for the compiler
//! refuses code that cannot be reached.

use super::EVENTS;
use fastrand::Rng;
use std::fmt::Write;

/// What all programs share: events, and choices that depend on a seed.
pub(super) const EV: &str = "
public class Ev {
    public static StringBuilder trace = new StringBuilder();
    public static void e0() { trace.append('0'); }
    public static void e1() { trace.append('1'); }
    public static void e2() { trace.append('2'); }
    public static void e3() { trace.append('3'); }
}
";
pub(super) const R: &str = "
public class R {
    public static long state;
    public static int fuel, deep;
    static final Object LOCK = new Object();
    public static int next(int n) {
        if (--fuel < 0) return 0;
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % n);
    }
    public static int once() { return --deep > 0 ? 1 : 0; }
    public static Object lock() { return LOCK; }
    public static int sink(int a, int b) { return a + b; }
    public static String text() { return next(2) == 0 ? \"Aa\" : next(2) == 0 ? \"BB\" : \"C\"; }
}
";

/// Statements without blocks.
const FLAT: &[&str] = &[
    "Ev.e$e();",
    "Ev.e$e();",
    "if (d > 0) @.f$f(d - 1);",
    "if (d > 0) @.shape(d - 1).act(d - 1);",
    "if (R.next(3) == 0) throw new $x();",
    "if (d > 0) Shape.still(d - 1);",
    "if (d > 0) new @().m(d - 1);",
    "if (d > 0) new @().new In().go(d - 1);",
    "if (d > 0) @.based(d - 1).gen(\"\", d - 1);",
    "if (d > 0) Mode.any().go(d - 1);",
    "if (d > 0) new Rec(d - 1);",
    "if (R.next(4) == 0) @.<RuntimeException>sneak(R.next(2) == 0 ? new Ck() : new $x());",
    "R.sink(Shape.K, A.used);",
    "Act a$n = d > 1 ? @::g : () -> Ev.e$e(); if (R.next(2) == 0) a$n.go();",
    "if (d > 0) { Shape s$n = @.shape(d - 1); IntAct a$n = s$n::act; a$n.go(d - 1); }",
    "if (d > 0) { Two a$n = Shape::act; a$n.go(@.shape(d - 1), d - 1); }",
    "if (d > 0) { Maker a$n = R.next(2) == 0 ? B::new : C::new; a$n.make(d - 1).act(d - 1); }",
    "if (d > 0) { IntAct a$n = new @()::m; a$n.go(d - 1); }",
];

/// Statements with blocks.
const NESTED: &[&str] = &[
    "if (R.next(2) == 0) {} else {}",
    "if (R.next(2) == 0) {}",
    "if (d > 0 && (@.test(d - 1) || R.next(2) == 0) && !@.test(d - 1)) {}",
    "l$n: while (R.next(3) > 0) {l}",
    "l$n: do {l} while (R.next(2) > 0);",
    "l$n: for (int i$n = 0; i$n < R.next(4); i$n++) {l}",
    "try {} catch ($x e$n) {}",
    "try {} catch ($x e$n) { {} if (R.next(2) == 0) throw e$n; }",
    "try {} catch ($x e$n) {} finally {}",
    "try {} finally {}",
    "try { try {} finally {} } catch ($x e$n) {}",
    "try {} catch (E2 | E3 e$n) {} catch (Throwable e$n) {}",
    "try { if (R.next(3) == 0) throw new Ck(); {} } catch (Ck e$n) {} catch ($x e$n) {}",
    "try {} catch (Throwable e$n) { if (R.next(2) == 0) throw e$n; {} }",
    "Act a$n = () -> {()}; a$n.go();",
    "Act a$n = () -> {()}; if (d > 0) a$n = @.both(a$n, () -> {()}); a$n.go();",
    "IntAct a$n = x$n -> { if (x$n > 0) {()} }; a$n.go(d);",
    "switch (R.next(4)) { case 0: {} case 1: {} break; default: {} }",
    "switch (R.next(4) * 1000) { case 0: {} break; case 1000: {} case 3000: {} }",
    "switch (Mode.any()) { case X: {} break; case Y: {} default: Ev.e$e(); }",
    "switch (R.text()) { case \"Aa\": {} break; case \"BB\": {} default: {} }",
    "int y$n = switch (R.next(3)) { case 0 -> { {=} yield 1; } case 1 -> 2; default -> { {=} yield 3; } };",
    "if (d > 0) new Shape() { public void act(int d) {()} }.act(d - 1);",
    "class L$n extends A { L$n(int d) { super(d); {()} } public void act(int d) { if (d > 0) super.act(d - 1); {()} } } \
     if (d > 0) new L$n(d - 1).act(d - 1);",
    "synchronized (R.lock()) {}",
    "if (d > 0 && (Object) @.shape(d - 1) instanceof A q$n && q$n.hashCode() == 7) {} else {}",
];

/// Statements with methods that override something of the JDK, which is missing: its code may call
/// them whenever it is called, so that almost any trace is a run.
const CALLED_BACK: &[&str] = &[
    "Runnable a$n = d > 1 ? @::g : () -> Ev.e$e(); if (R.next(2) == 0) a$n.run();",
    "if (d > 0) { java.util.function.IntFunction<Shape> a$n = A::new; a$n.apply(d - 1).act(0); }",
    "l$n: for (int x$n : new It()) {l}",
    "if (d > 0) try (Res r$n = new Res(d - 1)) {}",
    "if (d > 0) try (Res r$n = new Res(d - 1); Res q$n = new Res(0)) {} catch ($x e$n) {} finally {}",
    "java.util.List.of(1, 2).forEach(x$n -> {()});",
    "String.valueOf(new Object() { public String toString() { {=} return \"\"; } });",
    "java.util.Optional.of(1).map(x$n -> { {=} return 2; });",
    "new java.util.TreeMap<Integer, Integer>((x$n, y$n) -> { {=} return x$n - y$n; }).put(1, 2);",
];

/// Statements in which the virtual machine itself may throw.
const IMPLICIT: &[&str] = &[
    "(new int[2])[R.next(4) - 1] = 3;",
    "@.ints(2)[R.next(3)]++;",
    "int i$n = 1 / R.next(3);",
    "Shape s$n = R.next(2) == 0 ? null : new A(0); s$n.act(0);",
    "if (d > 0) ((B) @.shape(d - 1)).act(d - 1);",
    "Object[] a$n = R.next(2) == 0 ? new String[1] : new Object[1]; a$n[0] = new A(0);",
    "synchronized (R.next(2) == 0 ? R.lock() : null) { Ev.e$e(); }",
    "R.sink(new int[R.next(3) - 1].length, (R.next(2) == 0 ? null : new int[1]).length);",
    "if (R.next(4) == 0) throw R.next(2) == 0 ? null : new E1();",
];

/// Statements that name what they call by texts, or by handles, or have it called by hooks.
const REFLECTIVE: &[&str] = &[
    "@.found(\"@$A\");",
    "if (d > 0) @.made(\"@$B\", d - 1);",
    "try { Class.forName(\"@$\".concat(R.next(2) == 0 ? \"A\" : \"C\")); } \
     catch (ClassNotFoundException e$n) { Ev.e$e(); }",
    "if (d > 0) try { A.class.getDeclaredConstructor(int.class).newInstance(d - 1).act(0); } \
     catch (ReflectiveOperationException e$n) { Ev.e$e(); }",
    "try { @.class.getDeclaredMethod(\"g\").invoke(null); } \
     catch (ReflectiveOperationException e$n) { Ev.e$e(); }",
    "if (d > 0) try { Shape.class.getMethod(\"act\", int.class).invoke(@.shape(d - 1), d - 1); } \
     catch (ReflectiveOperationException e$n) { Ev.e$e(); }",
    "try { L.findStatic(@.class, \"g\", java.lang.invoke.MethodType.methodType(void.class)).invokeExact(); } \
     catch (RuntimeException | Error e$n) { throw e$n; } catch (Throwable e$n) { Ev.e$e(); }",
    "if (d > 0) try { L.findVirtual(Shape.class, \"act\", T).invoke(@.shape(d - 1), d - 1); } \
     catch (RuntimeException | Error e$n) { throw e$n; } catch (Throwable e$n) { Ev.e$e(); }",
    "if (d > 0) try { Shape s$n = (Shape) L.findConstructor(C.class, T).invoke(d - 1); s$n.act(0); } \
     catch (RuntimeException | Error e$n) { throw e$n; } catch (Throwable e$n) { Ev.e$e(); }",
    "if (d > 0) @.copied(new Ser());",
    "if (d > 0) @.copied(new Ext());",
    "if (d > 0) @.copied(new Object[] { new Ser(), new Ser() });",
];

/// Statements of Java 21 and later.
const LATER: &[&str] = &[
    "if (d > 0) switch (@.shape(d - 1)) { case B q$n -> {} case A q$n when R.next(2) == 0 -> {} default -> {} }",
    "if (d > 0 && (Object) new Rec(d - 1) instanceof Rec(int q$n) && q$n >= 0) {}",
];

/// What `$x` stands for.
const THROWN: [&str; 5] = ["E1", "E2", "E3", "RuntimeException", "Error"];

/// What programs may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Whether the virtual machine itself may throw.
    pub(super) implicit: bool,
    /// Whether the compiler knows patterns in `switch`.
    pub(super) later: bool,
    /// Whether there are calls by reflection, handles and hooks.
    pub(super) reflective: bool,
    /// Whether missing code may call back.
    pub(super) called_back: bool,
    /// Whether blocks are short: in a program with little in it, few other runs have the trace of
    /// one that is missing.
    pub(super) short: bool,
}

struct Writer {
    rng: Rng,
    functions: usize,
    kind: Kind,
    text: String,
    /// How many numbers were given, so that each name is its own.
    fresh: usize,
    /// The loops around.
    labels: Vec<usize>,
    may_return: bool,
}

impl Writer {
    /// A block of statements, between braces.
    fn block(&mut self, nesting: usize) {
        self.text.push_str("{\n");
        let most = if self.kind.short { 2 } else { 3 };
        for _ in 0..self.rng.usize(1..=most) {
            self.statement(nesting);
        }
        self.text.push('}');
    }

    /// The body of something that the loops around do not belong to.
    fn body(&mut self, nesting: usize, may_return: bool) {
        let labels = std::mem::take(&mut self.labels);
        let before = std::mem::replace(&mut self.may_return, may_return);
        self.block(nesting);
        self.labels = labels;
        self.may_return = before;
    }

    fn statement(&mut self, nesting: usize) {
        let of = |rng: &mut Rng, list: &[&'static str]| list[rng.usize(..list.len())];
        let template = match self.rng.u8(..20) {
            0 if self.may_return => "if (R.next(4) == 0) return;",
            1 | 2 if !self.labels.is_empty() => {
                let label = self.labels[self.rng.usize(..self.labels.len())];
                let word = ["break", "continue"][self.rng.usize(..2)];
                writeln!(self.text, "if (R.next(3) == 0) {word} l{label};").expect("text");
                return;
            }
            3 | 4 if self.kind.implicit => of(&mut self.rng, IMPLICIT),
            5 if self.kind.later && nesting > 0 => of(&mut self.rng, LATER),
            14 if self.kind.reflective => of(&mut self.rng, REFLECTIVE),
            6 | 15 if self.kind.called_back && nesting > 0 => of(&mut self.rng, CALLED_BACK),
            6..=13 if nesting > 0 => of(&mut self.rng, NESTED),
            _ => of(&mut self.rng, FLAT),
        };
        self.fill(template, nesting);
        self.text.push('\n');
    }

    /// Writes a template, with blocks one level less deep.
    fn fill(&mut self, template: &str, nesting: usize) {
        self.fresh += 1;
        let number = self.fresh;
        let deepest = if self.kind.short { 1 } else { usize::MAX };
        let inside = nesting.saturating_sub(1).min(deepest);
        let mut rest = template;
        while let Some(at) = rest.find(['$', '{', '@']) {
            self.text.push_str(&rest[..at]);
            rest = &rest[at..];
            let (written, what) = match rest.get(..2) {
                Some("{}") => (2, '{'),
                Some("{l") if rest.starts_with("{l}") => (3, 'l'),
                Some("{(") => (4, '('),
                Some("{=") => (3, '='),
                Some("$n") => (2, 'n'),
                Some("$e") => (2, 'e'),
                Some("$f") => (2, 'f'),
                Some("$x") => (2, 'x'),
                _ => (1, rest.as_bytes()[0].into()),
            };
            let is_block = written > 1;
            rest = &rest[written..];
            match what {
                '{' if is_block => self.block(inside),
                'l' => {
                    self.labels.push(number);
                    self.block(inside);
                    self.labels.pop();
                }
                '(' => self.body(inside, true),
                '=' => self.body(inside, false),
                'n' => write!(self.text, "{number}").expect("text"),
                'e' => write!(self.text, "{}", self.rng.usize(..EVENTS)).expect("text"),
                'f' => write!(self.text, "{}", self.rng.usize(..self.functions)).expect("text"),
                'x' => self.text.push_str(THROWN[self.rng.usize(..THROWN.len())]),
                other => self.text.push(other),
            }
        }
        self.text.push_str(rest);
    }

    /// A template, or nothing, so that what it declares is sometimes inherited.
    fn perhaps(&mut self, template: &str, of: u8, nesting: usize) {
        if self.rng.u8(..of) > 0 {
            self.fill(template, nesting);
            self.text.push('\n');
        }
    }
}

/// What every program declares.
const DECLARED: &str = "
interface Act { void go(); }
interface IntAct { void go(int d); }
interface Two { void go(Shape s, int d); }
interface Maker { Shape make(int d); }
static class E1 extends RuntimeException { }
static class E2 extends E1 { }
static class E3 extends Error { }
static class Ck extends Exception { }
static <T extends Throwable> void sneak(Throwable t) throws T { throw (T) t; }
static Act both(Act a, Act b) { return () -> { a.go(); b.go(); }; }
static Shape shape(int d) {
 switch (R.next(3)) { case 0: return new A(d); case 1: return new B(d); default: return new C(d); }
}
static Base<String> based(int d) { return R.next(2) == 0 ? new A(d) : new B(d); }
static int[] ints(int n) { return new int[n]; }
static void g() { Ev.e2(); }
static void begin() { Ev.e$e(); @.f0(3); }
static abstract class Base<T> { abstract void gen(T t, int d); }
";

/// What programs with reflection declare besides.
const FOUND: &str = "
static final java.lang.invoke.MethodHandles.Lookup L = java.lang.invoke.MethodHandles.lookup();
static final java.lang.invoke.MethodType T = java.lang.invoke.MethodType.methodType(void.class, int.class);
static void found(String name) {
 try { Class.forName(name); } catch (ClassNotFoundException e) { Ev.e$e(); }
}
static void made(String name, int d) {
 try { ((Shape) Class.forName(name).getDeclaredConstructor(int.class).newInstance(d)).act(d); }
 catch (ReflectiveOperationException e) { Ev.e$e(); }
}
static void copied(Object object) {
 try {
  java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
  java.io.ObjectOutputStream out = new java.io.ObjectOutputStream(bytes);
  out.writeObject(object);
  out.close();
  new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray())).readObject();
 } catch (java.io.IOException | ClassNotFoundException e) { Ev.e$e(); }
}
static class Above { Above() { int d = R.once(); {=} } }
static class Ser extends Above implements java.io.Serializable {
 private void writeObject(java.io.ObjectOutputStream o) throws java.io.IOException { int d = R.once(); o.defaultWriteObject(); {=} }
 private void readObject(java.io.ObjectInputStream i) throws java.io.IOException, ClassNotFoundException { int d = R.once(); {=} i.defaultReadObject(); }
 private Object writeReplace() { int d = R.once(); {=} return this; }
 Object readResolve() { int d = R.once(); {=} return this; }
}
public static class Ext implements java.io.Externalizable {
 public Ext() { Ev.e$e(); }
 public void writeExternal(java.io.ObjectOutput o) { int d = R.once(); {=} }
 public void readExternal(java.io.ObjectInput i) { int d = R.once(); {=} }
}
";

/// The class `P` with its number.
pub(super) fn program(seed: u64, number: usize, kind: Kind) -> String {
    let mut rng = Rng::with_seed(seed);
    let functions = rng.usize(1..4);
    let text = String::new();
    let mut it =
        Writer { rng, functions, kind, text, fresh: 0, labels: Vec::new(), may_return: true };
    it.text.push_str("@SuppressWarnings({\"unchecked\", \"removal\"})\n");
    it.text.push_str("class @ {\n");
    it.fill(DECLARED, 0);
    if kind.reflective {
        it.fill(FOUND, 1);
    }
    // What begins a class fails in some programs only: it would fail ever after.
    let initialiser = ["static { Ev.e$e(); }", "static { int d = R.once(); Ev.e$e(); {=} }"]
        [usize::from(it.rng.u8(..4) == 0)];
    let boot = ["Ev.e$e();", "{=} Ev.e$e();"][usize::from(it.rng.u8(..5) == 0)];
    it.perhaps(initialiser, 4, 1);
    it.fill(&format!("static int boot() {{ int d = R.once(); {boot} return 1; }}\n"), 1);
    it.fill("interface Shape { int K = @.boot();\n default void act(int d) { if (d > 0) hid(d - 1); {()} }\n", 2);
    it.fill(" private void hid(int d) {()}\n static void still(int d) {()} }\n", 2);
    for (name, class) in [
        ("A", "class A extends Base<String> implements Shape"),
        ("B", "class B extends A"),
        ("C", "class C implements Shape"),
    ] {
        let parent = if name == "B" { "super(d);" } else { "" };
        it.fill(&format!("static {class} {{ {name}(int d) {{ {parent} {{()}} }}\n"), 1);
        if name == "C" {
            it.perhaps("public void act(int d) { if (d > 0) Shape.super.act(d - 1); {()} }", 3, 1);
        } else {
            it.perhaps("public void act(int d) {()}", 3, 2);
            let call = if name == "B" { "if (d > 0) super.gen(s, d - 1);" } else { "" };
            let gen_method = format!("void gen(String s, int d) {{ {call} {{()}} }}");
            if name == "A" || it.rng.bool() {
                it.fill(&gen_method, 1);
            }
        }
        it.perhaps("{ int d = R.once(); {=} }", 3, 1);
        if name == "A" {
            it.text.push_str("static int used = R.next(2);\n");
        }
        it.perhaps(initialiser, 2, 1);
        it.text.push_str("}\n");
    }
    if kind.called_back {
        it.fill("static class Res implements AutoCloseable { Res(int d) {()}\n public void close() { int d = 0; {()} } }\n", 1);
        it.fill("static class It implements Iterable<Integer> { public java.util.Iterator<Integer> iterator() {\n return new java.util.Iterator<Integer>() { int n = R.next(3);\n", 0);
        it.fill("public boolean hasNext() { int d = R.once(); {=} return n-- > 0; }\n public Integer next() { int d = R.once(); {=} return n; } }; } }\n", 1);
    }
    it.fill("enum Mode { X { void go(int d) {()} }, Y, Z { void go(int d) { if (d > 0) super.go(d - 1); Ev.e$e(); } };\n", 1);
    it.perhaps("Mode() { Ev.e$e(); }", 3, 0);
    it.fill("void go(int d) {()}\n static Mode any() { return values()[R.next(3)]; } }\n", 1);
    it.fill("record Rec(int d) { Rec { {=} } }\n", 1);
    it.fill("class In { void go(int d) { if (d > 0) m(d - 1); {()} } }\n void m(int d) {()}\n", 1);
    it.fill("static boolean test(int d) { {=} return R.next(2) == 0; }\n", 1);
    for i in 0..functions {
        it.fill(&format!("static void f{i}(int d) {{()}}\n"), 3);
    }
    it.text.push_str("}\n");
    let rest = it.text.split_once('\n').expect("two lines");
    format!("{}\n{}", rest.0, rest.1.replace('@', &format!("P{number}")))
}
