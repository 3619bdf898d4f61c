//! Random C programs over integers and claims about them, as FuncTion writes claims.
//!
//! Variables are `x` and `y` of `main`, the global `g` and two elements of an array `b`; there is a
//! function `f`, and an `h` where functions call themselves and each other.

/// What is given of all initial values.
pub const GIVEN: &str = "x >= -1 && x <= 1 && y >= -1 && y <= 1";

/// Makes programs and claims.
pub struct Maker {
    /// What is drawn next.
    pub random: fastrand::Rng,
    in_loop: bool,
    in_callee: bool,
    /// Whether functions call themselves and each other.
    recursive: bool,
    /// Whether variables have types of all kinds, and there are operators on bits.
    typed: bool,
}

impl Maker {
    /// From a source of randomness.
    pub fn new(random: fastrand::Rng, recursive: bool, typed: bool) -> Self {
        Maker { random, in_loop: false, in_callee: false, recursive, typed }
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.usize(..from.len())]
    }

    fn variable(&mut self) -> &'static str {
        if self.in_callee { self.pick(&["a", "g"]) } else { self.pick(&["x", "y", "g"]) }
    }

    fn number(&mut self) -> i32 {
        self.random.i32(-2..4)
    }

    fn operand(&mut self) -> String {
        match self.random.usize(..3) {
            0 => self.number().to_string(),
            _ => self.variable().to_owned(),
        }
    }

    fn ty(&mut self) -> &'static str {
        match self.typed {
            false => "int",
            true => self.pick(&[
                "int",
                "char",
                "unsigned char",
                "unsigned",
                "short",
                "unsigned short",
                "long",
                "_Bool",
            ]),
        }
    }

    /// A value that depends on types.
    fn typed_value(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.random.usize(..9) {
            0 => format!("{a} {} {b}", self.pick(&["&", "|", "^"])),
            1 => format!("{a} {} {}", self.pick(&["&", "|", "^"]), self.random.i32(-9..20)),
            2 => format!("{a} {} {}", self.pick(&["<<", ">>"]), self.random.i32(0..9)),
            3 => format!("{a} {} {b}", self.pick(&["<<", ">>"])),
            4 => format!("~({a})"),
            5 => format!("({})({a} {} {b})", self.ty(), self.pick(&["+", "-", "*"])),
            6 => format!("{a} + {}", self.pick(&["127", "200u", "0x80", "-128", "255", "1000"])),
            7 => format!("{a} * {} - {b}", self.pick(&["3", "100", "-1", "64"])),
            _ => format!("-({a}) + {b} * 50"),
        }
    }

    fn value(&mut self) -> String {
        if self.typed && self.random.bool() {
            return self.typed_value();
        }
        let (a, b) = (self.operand(), self.operand());
        match self.random.usize(..17) {
            16 => format!("b[{a}]"),
            0 => format!("[{}, {}]", self.random.i32(-2..1), self.random.i32(1..3)),
            1 => "?".to_owned(),
            2 => format!("{a} * {b}"),
            3 => format!("{a} % {}", self.pick(&["2", "3", "-2"])),
            4 => format!("{a} / {}", self.pick(&["2", "-3", "2"])),
            5 => format!("{} ? {a} : {b}", self.condition()),
            6 => format!("({a} < {b})"),
            7 => format!("2 * {a} - {b}"),
            8 => format!("{a} % {b}"),
            9 => format!("{a} / {b}"),
            _ => format!("{a} {} {}", self.pick(&["+", "-"]), self.random.i32(0..3)),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.variable(), self.operand());
        let test = format!("{a} {} {b}", self.pick(&["<", "<=", ">", ">=", "==", "!="]));
        match self.random.usize(..10) {
            0 => format!("{test} && {}", self.condition()),
            1 => format!("{test} || {}", self.condition()),
            2 => format!("!({test})"),
            3 => "[0, 1]".to_owned(),
            4 => format!("{test} && [0, 1]"),
            _ => test,
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = self.random.usize(1..4);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn inside_loop(&mut self, depth: usize) -> String {
        let before = std::mem::replace(&mut self.in_loop, true);
        let body = self.block(depth);
        self.in_loop = before;
        body
    }

    fn statement(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 7 } else { 14 };
        let name = self.variable();
        match self.random.usize(..kinds) {
            0 if self.random.usize(..3) == 0 => {
                let (index, value) = (self.operand(), self.operand());
                format!("b[{index}] {} {value};\n", self.pick(&["=", "+=", "="]))
            }
            0 => format!("{name}{};\n", self.pick(&["++", "--"])),
            1 => format!("{name} {} {};\n", self.pick(&["+=", "-="]), self.number()),
            2 if self.in_loop => format!("{};\n", self.pick(&["break", "continue"])),
            3 if self.random.usize(..4) == 0 => match self.random.usize(..4) {
                0 => format!("assert({});\n", self.condition()),
                1 => format!("assume({});\n", self.condition()),
                2 if self.in_callee => format!("return {};\n", self.operand()),
                _ => "abort();\n".to_owned(),
            },
            4 | 5 if self.recursive => self.call(name),
            4 if !self.in_callee => format!("{name} = f({});\n", self.operand()),
            7 | 8 => {
                let condition = self.condition();
                format!("if ({condition}) {{\n{}}}\n", self.block(depth - 1))
            }
            9 => {
                let (condition, yes) = (self.condition(), self.block(depth - 1));
                format!("if ({condition}) {{\n{yes}}} else {{\n{}}}\n", self.block(depth - 1))
            }
            10 | 11 => {
                let condition = self.condition();
                format!("while ({condition}) {{\n{}}}\n", self.inside_loop(depth - 1))
            }
            12 => {
                let body = self.inside_loop(depth - 1);
                format!("do {{\n{body}}} while ({});\n", self.condition())
            }
            13 => self.long(depth),
            _ => format!("{name} = {};\n", self.value()),
        }
    }

    fn call(&mut self, name: &str) -> String {
        let callee = self.pick(&["f", "f", "h"]);
        let less = format!("a - {}", self.random.i32(0..3));
        let given = match self.in_callee && self.random.usize(..4) > 0 {
            true => less,
            false => self.operand(),
        };
        match self.random.usize(..5) {
            0 => format!("{callee}({given});\n"),
            1 if self.in_callee => format!("return {} + {callee}({given});\n", self.operand()),
            2 if self.in_callee => {
                format!("if (a > {}) return {callee}({given});\n", self.random.i32(-1..2))
            }
            3 => format!("{name} = {name} + {callee}({given});\n"),
            _ => format!("{name} = {callee}({given});\n"),
        }
    }

    fn long(&mut self, depth: usize) -> String {
        let name = self.variable();
        if self.random.bool() {
            let end = self.pick(&["break;", ""]);
            let (a, b) = (self.block(depth - 1), self.block(depth - 1));
            return format!(
                "switch ({name}) {{\ncase 1:\n{a}{end}\ncase 0:\n{b}break;\ndefault:\n{name}++;\n}}\n"
            );
        }
        let condition = self.condition();
        format!("for ({name} = 0; {condition}; {name}++) {{\n{}}}\n", self.inside_loop(depth - 1))
    }

    /// A program.
    pub fn program(&mut self) -> String {
        self.in_callee = true;
        let callee = self.block(1);
        let last = self.operand();
        let (gives, takes) = (self.ty(), self.ty());
        let mut functions = format!("{gives} f({takes} a) {{\n{callee}return {last};\n}}\n");
        if self.recursive {
            let end = self.pick(&["a <= 0", "a == 0", "a < 1", "a == g", "[0, 1]"]);
            let (body, last) = (self.block(1), self.call("g"));
            functions += &format!(
                "int h(int a) {{\nif ({end}) return {};\n{body}{last}return {};\n}}\n",
                self.operand(),
                self.operand()
            );
        }
        self.in_callee = false;
        let body = self.block(2);
        let (g, b, x, y) = (self.ty(), self.ty(), self.ty(), self.ty());
        format!("{g} g;\n{b} b[2];\n{functions}void main() {{\n{x} x;\n{y} y;\n{body}}}\n")
    }

    fn atom(&mut self) -> String {
        match self.random.usize(..8) {
            0 => "exit: true".to_owned(),
            1 => "failed: true".to_owned(),
            _ => {
                let name = self.pick(&["x", "y", "g", "x", "y", "g", "b[0]", "b[1]"]);
                let other = self.pick(&["0", "1", "x", "2", "-1"]);
                format!("{name} {} {other}", self.pick(&["<", ">", "==", "!=", ">="]))
            }
        }
    }

    /// A claim with so many operators within each other.
    pub fn claim(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let operator =
            self.pick(&["AX", "AF", "AG", "EX", "EF", "EG", "AU", "EU", "AND", "OR", "NOT"]);
        let first = self.claim(depth - 1);
        match operator {
            "AU" | "EU" | "AND" | "OR" => {
                format!("{operator}{{{first}}}{{{}}}", self.claim(depth - 1))
            }
            _ => format!("{operator}{{{first}}}"),
        }
    }
}
