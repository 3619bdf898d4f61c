//! Random small Java programs: integers, arrays, objects, exceptions, lambdas; each prints what it
//! computes. All end: every loop and call burns from `fuel`.

use fastrand::Rng;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ty {
    Int,
    Long,
    Boolean,
    Ints,
    Bytes,
    Object,
    Function,
}

/// The text of a class `P{number}` whose static method `run` prints numbers.
pub(crate) fn program(number: u64, seed: u64) -> String {
    let mut maker = Maker {
        rng: Rng::with_seed(seed),
        out: String::new(),
        scope: Vec::new(),
        fresh: 0,
        depth: 0,
        loops: Vec::new(),
        result: None,
    };
    writeln!(maker.out, "final class P{number} {{\n{HEAD}").expect("text");
    maker
        .out
        .push_str("static class B extends A implements F {\n B(int a) { super(a); b = a * 3L; }\n");
    maker.method(" int m(int x) ", &[("x", Ty::Int), ("this", Ty::Object)], Ty::Int);
    maker.method(" public int f(int x) ", &[("x", Ty::Int), ("this", Ty::Object)], Ty::Int);
    maker.out.push_str("}\nstatic class C extends B {\n C(int a) { super(a + 1); }\n");
    maker.out.push_str(" int n(int x) { return super.n(x) ^ 5; }\n");
    maker.method(" synchronized int m(int x) ", &[("x", Ty::Int), ("this", Ty::Object)], Ty::Int);
    maker.out.push_str(" public int g(int x) { return super.g(x) * 3; }\n}\n");
    maker.method("static int m0(int x, int y) ", &[("x", Ty::Int), ("y", Ty::Int)], Ty::Int);
    maker.method(
        "static synchronized int m1(int x, long z) ",
        &[("x", Ty::Int), ("z", Ty::Long)],
        Ty::Int,
    );
    maker.method("static long m2(long x, int y) ", &[("x", Ty::Long), ("y", Ty::Int)], Ty::Long);
    let parameters = [("a", Ty::Ints), ("o", Ty::Object), ("h", Ty::Bytes)];
    maker.method("static int m3(int[] a, A o, byte[] h) ", &parameters, Ty::Int);
    maker
        .out
        .push_str("static void run() {\n for (int i = 0; i < 4; i++) {\n  fuel = 400;\n  try {\n");
    maker.out.push_str(
        "   p(m0(i * 7 - 3, i)); p(m1(i, i * 99999999999L)); p(m2(i - 2L, i)); p(caught(i));\n",
    );
    maker.out.push_str("   p(m3(new int[] {i, 1, 2}, i > 2 ? null : new C(i), new byte[3]));\n");
    maker
        .out
        .push_str("  } catch (Throwable t) { p(-77); if (t instanceof E1) p(((E1) t).code()); }\n");
    maker.out.push_str("  p(s0); p(s1); p(fuel);\n }\n}\n}\n");
    maker.out
}

const HEAD: &str = "\
static int fuel; static int s0; static long s1 = 5; static final Object LOCK = new Object();
static void p(long x) { System.out.println(x); }
static boolean burn() { return --fuel > 0; }
static class E1 extends RuntimeException { final int code; E1(int c) { code = c; } int code() { return code; } }
static class E2 extends E1 { E2(int c) { super(c + 1); } int code() { return super.code() * 2; } }
static class E3 extends RuntimeException { E3() { s0 += 3; } }
static class R implements AutoCloseable {
 final int k; R(int k) { this.k = k; p(k); }
 public void close() { p(-k); if ((k & 7) == 3) throw new E3(); }
}
static void thrower(int k) { if (k > 1) throw new E1(k); }
static int caught(int k) {
 int x = 1; long y = 2;
 try { x = k; y += k; thrower(k); x = 9; } catch (E1 e) { return x + (int) y * 10; }
 return 0;
}
interface F { int f(int x); default int g(int x) { return f(x) + 1; } }
interface H { A make(int x); }
interface U { int of(A a, int x); }
static abstract class A {
 int a; long b; A(int a) { this.a = a; }
 abstract int m(int x);
 int n(int x) { return a + x; }
 int twice(F f, int x) { return f.f(f.g(x)) + a; }
 private int hidden(int x) { return x - a; }
 int shown(int x) { return hidden(x) * 2; }
}";

pub(super) struct Maker {
    pub(super) rng: Rng,
    out: String,
    pub(super) scope: Vec<(String, Ty)>,
    fresh: usize,
    depth: usize,
    /// Labels of the loops around, and whether each is one.
    loops: Vec<String>,
    result: Option<Ty>,
}

impl Maker {
    fn method(&mut self, head: &str, parameters: &[(&str, Ty)], result: Ty) {
        self.scope = parameters.iter().map(|&(name, ty)| (name.to_owned(), ty)).collect();
        self.result = Some(result);
        self.depth = 0;
        self.out.push_str(head);
        self.out.push_str("{\n if (!burn()) return 1;\n");
        let count = self.rng.usize(2..6);
        self.statements(count);
        let value = self.expression(result, 2);
        writeln!(self.out, " return {value};\n}}").expect("text");
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn block(&mut self, count: usize) {
        let (outer, depth) = (self.scope.len(), self.depth);
        self.depth += 1;
        self.out.push_str("{\n");
        self.statements(count);
        self.out.push_str("}\n");
        self.scope.truncate(outer);
        self.depth = depth;
    }

    pub(super) fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn statement(&mut self) {
        let deep = self.depth > 2;
        match self.rng.u8(..if deep { 12 } else { 26 }) {
            0 | 1 => self.declare(),
            2..=4 => self.assign(),
            5 => {
                let value = self.expression(Ty::Long, 2);
                self.line(&format!("p({value});"));
            }
            6 => self.leave(),
            7 => {
                let (target, value) = (self.array(Ty::Ints), self.expression(Ty::Int, 2));
                let (index, op) = (self.index(), self.compound());
                self.line(&format!("{target}[{index}] {op} {value};"));
            }
            8 => {
                let (target, value) = (self.array(Ty::Bytes), self.expression(Ty::Int, 2));
                let (index, op) = (self.index(), ["+=", "*=", "^=", ">>="][self.rng.usize(..4)]);
                self.line(&format!("{target}[{index}] {op} {value};"));
            }
            9 => {
                let (target, value) = (self.expression(Ty::Object, 1), self.expression(Ty::Int, 2));
                let op = self.compound();
                let field = ["a", "b"][self.rng.usize(..2)];
                self.line(&format!("{target}.{field} {op} {value};"));
            }
            10 => self.lambda(),
            11 => {
                let op = self.compound();
                let (name, ty) = [("s0", Ty::Int), ("s1", Ty::Long)][self.rng.usize(..2)];
                let value = self.expression(ty, 2);
                self.line(&format!("{name} {op} {value};"));
            }
            12..=14 => {
                let test = self.expression(Ty::Boolean, 2);
                self.out.push_str(&format!("if ({test}) "));
                let count = self.rng.usize(1..4);
                self.block(count);
                if self.rng.bool() {
                    self.out.push_str("else ");
                    self.block(count);
                }
            }
            15..=17 => self.repeat(),
            18 => self.switch(),
            19..=22 => self.attempt(),
            23 => {
                let lock = ["LOCK", "new Object()", "LOCK"][self.rng.usize(..3)];
                self.out.push_str(&format!("synchronized ({lock}) "));
                self.block(2);
            }
            24 => self.text_switch(),
            _ => self.resource(),
        }
    }

    pub(super) fn compound(&mut self) -> &'static str {
        ["=", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "<<=", ">>=", ">>>="][self.rng.usize(..11)]
    }

    fn declare(&mut self) {
        let (ty, word) = [
            (Ty::Int, "int"),
            (Ty::Long, "long"),
            (Ty::Boolean, "boolean"),
            (Ty::Int, "short"),
            (Ty::Int, "char"),
            (Ty::Ints, "int[]"),
            (Ty::Object, "A"),
            (Ty::Bytes, "byte[]"),
        ][self.rng.usize(..8)];
        let mut value = self.expression(ty, 3);
        if word == "int" && self.rng.bool() {
            value = format!("({}) ({value})", ["byte", "char", "short"][self.rng.usize(..3)]);
        }
        let name = self.name("v");
        let cast =
            if matches!(word, "short" | "char") { format!("({word}) ") } else { String::new() };
        self.line(&format!("{word} {name} = {cast}({value});"));
        // Compound assignment narrows by itself, but plain assignment does not.
        if cast.is_empty() {
            self.scope.push((name, ty));
        } else {
            let by = self.rng.i32(-70_000..70_000);
            self.line(&format!("{name} += {by}; p({name}++); p(--{name});"));
        }
    }

    /// A variable of a type, if there is one.
    pub(super) fn variable(&mut self, ty: Ty) -> Option<String> {
        let fitting: Vec<&String> =
            self.scope.iter().filter(|(_, of)| *of == ty).map(|(name, _)| name).collect();
        match fitting.is_empty() {
            true => None,
            false => Some(fitting[self.rng.usize(..fitting.len())].clone()),
        }
    }

    fn assign(&mut self) {
        let ty =
            [Ty::Int, Ty::Int, Ty::Long, Ty::Boolean, Ty::Object, Ty::Ints][self.rng.usize(..6)];
        let Some(name) = self.variable(ty).filter(|name| name != "this") else { return };
        let value = self.expression(ty, 3);
        match ty {
            Ty::Int | Ty::Long if self.rng.u8(..4) == 0 => self.line(&format!("{name}++;")),
            Ty::Int | Ty::Long => {
                let op = self.compound();
                self.line(&format!("{name} {op} {value};"));
            }
            Ty::Boolean => {
                let op = ["=", "&=", "|=", "^="][self.rng.usize(..4)];
                self.line(&format!("{name} {op} {value};"));
            }
            _ => self.line(&format!("{name} = {value};")),
        }
    }

    /// Leaves something, but only sometimes: what follows must be reachable.
    fn leave(&mut self) {
        let test = self.expression(Ty::Boolean, 2);
        let how = match (self.rng.u8(..6), self.loops.is_empty()) {
            (0, _) => match self.result {
                Some(ty) => format!("return {}", self.expression(ty, 2)),
                None => return,
            },
            (1, _) => format!("throw new E1({})", self.expression(Ty::Int, 1)),
            (2, _) => format!("throw new E2({})", self.expression(Ty::Int, 1)),
            (3, _) => "throw new E3()".to_owned(),
            (_, true) => return,
            (4, false) => format!("break {}", self.loops[self.rng.usize(..self.loops.len())]),
            (_, false) => format!("continue {}", self.loops[self.rng.usize(..self.loops.len())]),
        };
        self.line(&format!("if ({test}) {how};"));
    }

    fn repeat(&mut self) {
        let label = self.name("l");
        let test = self.expression(Ty::Boolean, 2);
        let (count, kind) = (self.rng.usize(1..4), self.rng.u8(..4));
        let outer = self.scope.len();
        self.out.push_str(&format!("{label}: "));
        match kind {
            0 => self.out.push_str(&format!("while (burn() && {test}) ")),
            1 => self.out.push_str("do "),
            2 => {
                let name = self.name("i");
                let bound = self.rng.i32(0..6);
                self.out.push_str(&format!(
                    "for (int {name} = 0; {name} < {bound} && burn(); {name}++) "
                ));
                self.scope.push((name, Ty::Int));
            }
            _ => {
                let (name, array) = (self.name("e"), self.array(Ty::Ints));
                self.out.push_str(&format!("for (int {name} : {array}) "));
                self.scope.push((name, Ty::Int));
            }
        }
        self.loops.push(label);
        self.block(count);
        self.loops.pop();
        self.scope.truncate(outer);
        if kind == 1 {
            let test = self.expression(Ty::Boolean, 2);
            self.line(&format!("while (burn() && {test});"));
        }
    }

    fn switch(&mut self) {
        let on = self.expression(Ty::Int, 2);
        let spread = [1, 1, 1000][self.rng.usize(..3)];
        self.line(&format!("switch (({on}) & 7) {{"));
        for case in 0..self.rng.i32(1..5) {
            self.out.push_str(&format!("case {}: ", (case * spread) % 1005));
            self.block(1);
            if self.rng.bool() {
                self.line("break;");
            }
        }
        if self.rng.bool() {
            self.out.push_str("default: ");
            self.block(1);
        }
        self.line("}");
    }

    fn text_switch(&mut self) {
        let test = self.expression(Ty::Boolean, 1);
        let texts = ["\"Aa\"", "\"BB\"", "\"other\""];
        let (one, two) = (texts[self.rng.usize(..3)], texts[self.rng.usize(..3)]);
        self.line(&format!("switch ({test} ? {one} : {two}) {{"));
        for text in &texts[..2] {
            self.out.push_str(&format!("case {text}: "));
            self.block(1);
            if self.rng.bool() {
                self.line("break;");
            }
        }
        self.line("default: p(8); }");
    }

    fn attempt(&mut self) {
        self.out.push_str("try ");
        let count = self.rng.usize(1..4);
        self.block(count);
        let kinds = [
            "E2",
            "E1",
            "ArithmeticException",
            "ArrayIndexOutOfBoundsException | E3",
            "NullPointerException",
            "RuntimeException",
            "Throwable",
        ];
        let mut from = self.rng.usize(..kinds.len());
        let catches = self.rng.usize(..3);
        for _ in 0..catches {
            let Some(kind) = kinds.get(from) else { break };
            let name = self.name("x");
            let code = if matches!(*kind, "E1" | "E2") {
                format!("p({name}.code()); ")
            } else {
                String::new()
            };
            self.out.push_str(&format!("catch ({kind} {name}) {{ p({from}); {code}"));
            self.block(1);
            if self.rng.u8(..6) == 0 {
                self.line(&format!("if (s0 % 2 == 0) throw {name};"));
            }
            self.line("}");
            from += 1 + self.rng.usize(..2);
        }
        if catches == 0 || self.rng.bool() {
            self.out.push_str("finally ");
            let count = self.rng.usize(1..3);
            // What leaves a finally block would hide what was thrown; javac only warns.
            self.block(count);
        }
    }

    fn resource(&mut self) {
        let (name, value) = (self.name("r"), self.expression(Ty::Int, 1));
        let second = match self.rng.bool() {
            true => format!("; R {name}b = new R({})", self.rng.i32(0..9)),
            false => String::new(),
        };
        self.out.push_str(&format!(
            "try (R {name} = {} new R({value}){second}) ",
            ["", "s0 > 9 ? null :"][self.rng.usize(..2)]
        ));
        self.block(2);
    }

    fn lambda(&mut self) {
        // What is captured must not be written, and so does not come into scope.
        let (value, captured) = (self.expression(Ty::Int, 1), self.name("c"));
        let name = self.name("f");
        self.line(&format!("final int {captured} = {value};"));
        let made = match self.rng.u8(..7) {
            0 => format!("x_ -> x_ * {} + {captured}", self.rng.i32(-9..9)),
            1 => format!(
                "x_ -> {{ s0 += {captured}; if (x_ > 3) throw new E1(x_); return x_ ^ {captured}; }}"
            ),
            2 => "Math::abs".to_owned(),
            3 => format!("new C({captured})"),
            4 => format!("new B({captured})::n"),
            5 => format!("((H) C::new).make({captured})::m"),
            _ => format!("x_ -> ((U) A::n).of(new B({captured}), x_)"),
        };
        self.line(&format!("F {name} = {made};"));
        self.scope.push((name, Ty::Function));
    }
}
