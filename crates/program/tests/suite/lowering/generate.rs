//! Random programs of all constructs that the reader knows.
//!
//! One statement on a line. Products, quotients and operators on bits of two numbers that are not
//! constants are only made of variables, so that what they give can be found from the values of a
//! state.

/// What may occur in a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// Functions call themselves and each other.
    pub(super) recursive: bool,
    /// Variables have types of all kinds, and there are operators on bits.
    pub(super) typed: bool,
}

/// A program, and the variables that may begin with several values.
pub(super) struct Program {
    pub(super) text: String,
    pub(super) open: Vec<&'static str>,
}

struct Maker<'a> {
    random: &'a mut fastrand::Rng,
    kinds: Kinds,
    /// The variables that can be named.
    names: Vec<String>,
    in_main: bool,
    loops: usize,
    switches: usize,
    labels: usize,
    count: usize,
}

/// Makes a program.
pub(super) fn program(random: &mut fastrand::Rng, kinds: Kinds) -> Program {
    let names = Vec::new();
    let (in_main, loops, switches, labels, count) = (false, 0, 0, 0, 0);
    let mut maker = Maker { random, kinds, names, in_main, loops, switches, labels, count };
    maker.whole()
}

impl Maker<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.random.usize(..end)
    }

    fn one_in(&mut self, end: usize) -> bool {
        self.below(end) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.usize(..from.len())]
    }

    fn variable(&mut self) -> String {
        let at = self.random.usize(..self.names.len());
        self.names[at].clone()
    }

    fn ty(&mut self) -> &'static str {
        match self.kinds.typed {
            false => self.pick(&["int", "int", "int", "int", "int", "unsigned", "_Bool"]),
            true => self.pick(&[
                "int",
                "char",
                "unsigned char",
                "unsigned",
                "short",
                "unsigned short",
                "long",
                "_Bool",
                "uint16_t",
                "unsigned long long",
            ]),
        }
    }

    fn number(&mut self) -> String {
        match self.kinds.typed && self.one_in(3) {
            true => self
                .pick(&["127", "200u", "0x80", "-128", "255", "1000", "0xffffffff", "1L", "07"])
                .to_owned(),
            false => self.random.i32(-2..4).to_string(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.below(3) {
            0 => self.number(),
            _ => self.variable(),
        }
    }

    /// An element of an array; which one may itself be one.
    fn element(&mut self, depth: usize) -> String {
        let array = self.pick(&["b", "b", "c"]);
        let index = match self.below(6) {
            0 => "[0, 2]".to_owned(),
            1 => "[0, 1]".to_owned(),
            2 if depth > 0 => self.element(depth - 1),
            3 if depth > 0 => self.pure(depth - 1),
            _ => self.leaf(),
        };
        format!("{array}[{index}]")
    }

    /// An expression without effects.
    fn pure(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let (a, b) = (self.leaf(), self.leaf());
        match self.below(if self.kinds.typed { 23 } else { 17 }) {
            0 => a,
            1 => self.element(depth),
            2 => format!("({} {} {})", self.pure(depth - 1), self.pick(&["+", "-"]), b),
            3 => format!("({} * {})", self.pure(depth - 1), self.pick(&["2", "-1", "3"])),
            4 => format!("({a} * {b})"),
            5 => {
                let operator = self.pick(&["/", "%"]);
                let by = self.pick(&["2", "3", "-2", "1", "0"]);
                format!("({} {operator} {by})", self.pure(depth - 1))
            }
            6 => format!("({a} {} {b})", self.pick(&["/", "%"])),
            7 => format!("-{}", self.bracketed(depth - 1)),
            8 => format!("!{}", self.bracketed(depth - 1)),
            9 => {
                let (test, yes) = (self.test(depth - 1), self.pure(depth - 1));
                format!("({test} ? {yes} : {})", self.pure(depth - 1))
            }
            10 => format!("({})", self.test(depth - 1)),
            11 => format!("[{}, {}]", self.random.i32(-2..1), self.random.i32(1..3)),
            12 => "[-1, 1]".to_owned(),
            17 => format!("({a} {} {b})", self.pick(&["&", "|", "^"])),
            18 => format!("({a} {} {})", self.pick(&["&", "|", "^"]), self.random.i32(-9..20)),
            19 => format!("({} {} {})", self.pure(depth - 1), self.pick(&["<<", ">>"]), b),
            20 => format!("~{}", self.bracketed(depth - 1)),
            21 => format!("({}){}", self.ty(), self.bracketed(depth - 1)),
            22 => format!("({a} + {b} * 50)"),
            _ => format!("({a} {} {})", self.pick(&["+", "-"]), self.random.i32(0..3)),
        }
    }

    fn bracketed(&mut self, depth: usize) -> String {
        format!("({})", self.pure(depth))
    }

    /// A condition without effects.
    fn test(&mut self, depth: usize) -> String {
        let comparison = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        if depth == 0 {
            return format!("{} {comparison} {}", self.variable(), self.leaf());
        }
        match self.below(9) {
            0 => format!("{} && {}", self.test(depth - 1), self.test(depth - 1)),
            1 => format!("({} || {})", self.test(depth - 1), self.test(depth - 1)),
            2 => format!("!({})", self.test(depth - 1)),
            3 => self.pick(&["?", "[0, 1]", "nondet()"]).to_owned(),
            4 => self.pure(depth),
            _ => format!("{} {comparison} {}", self.pure(depth - 1), self.pure(depth - 1)),
        }
    }

    /// An expression with effects, perhaps.
    fn effect(&mut self, depth: usize) -> String {
        let name = self.variable();
        if depth == 0 {
            return match self.below(3) {
                0 => format!("{name}{}", self.pick(&["++", "--"])),
                1 => format!("{}{name}", self.pick(&["++", "--"])),
                _ => self.leaf(),
            };
        }
        match self.below(14) {
            0 => format!("({name} = {})", self.effect(depth - 1)),
            1 => format!("({name} {} {})", self.compound(), self.effect(depth - 1)),
            2 => format!("({}, {})", self.effect(depth - 1), self.effect(depth - 1)),
            3 => format!("({} && {})", self.effect(depth - 1), self.effect(depth - 1)),
            4 => format!("({} || {})", self.effect(depth - 1), self.effect(depth - 1)),
            5 => {
                let (test, yes) = (self.effect(depth - 1), self.effect(depth - 1));
                format!("({test} ? {yes} : {})", self.effect(depth - 1))
            }
            6 => format!("!({})", self.effect(depth - 1)),
            7 => format!("({} + {})", self.effect(depth - 1), self.effect(depth - 1)),
            8 => format!("({} < {})", self.effect(depth - 1), self.effect(depth - 1)),
            9 => format!("{}[{}]", self.pick(&["b", "c"]), self.effect(depth - 1)),
            10 if self.one_in(2) => self.call(depth - 1),
            11 if self.one_in(3) => format!("({} , 1)", self.unknown_call(depth - 1)),
            _ => self.pure(depth),
        }
    }

    fn compound(&mut self) -> &'static str {
        match self.kinds.typed {
            true => self.pick(&["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "%="]),
            false => self.pick(&["+=", "-=", "+=", "-=", "*=", "/=", "%="]),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        let is_deeper = self.in_main || self.kinds.recursive;
        let callee = if is_deeper { self.pick(&["f", "f", "h"]) } else { "h" };
        match callee {
            "f" if !self.in_main && self.one_in(2) => format!("f(a - {}, 0)", self.below(3)),
            "f" => {
                let first = self.effect(depth);
                format!("f({first}, {})", self.pure(depth))
            }
            _ => format!("h({})", self.effect(depth)),
        }
    }

    fn unknown_call(&mut self, depth: usize) -> String {
        format!("foo({}, {})", self.effect(depth), self.pure(depth))
    }

    fn condition(&mut self) -> String {
        match self.one_in(4) {
            true => self.effect(2),
            false => self.test(2),
        }
    }

    /// Statements in a scope of their own.
    fn block(&mut self, depth: usize) -> String {
        let known = self.names.len();
        let count = 1 + self.below(3);
        let body = (0..count).map(|_| self.statement(depth)).collect();
        self.names.truncate(known);
        body
    }

    fn looped(&mut self, depth: usize) -> String {
        self.loops += 1;
        let body = self.block(depth);
        self.loops -= 1;
        body
    }

    fn statement(&mut self, depth: usize) -> String {
        let label = match self.one_in(7) {
            true => {
                self.labels += 1;
                format!("L{}:\n", self.labels - 1)
            }
            false => String::new(),
        };
        let rest = match depth > 0 && self.below(5) < 3 {
            true => self.control(depth - 1),
            false => self.plain(),
        };
        label + &rest
    }

    fn plain(&mut self) -> String {
        let name = self.variable();
        match self.below(25) {
            0 => format!("{name}{};\n", self.pick(&["++", "--"])),
            1 => format!("{name} {} {};\n", self.compound(), self.effect(1)),
            2 if self.loops + self.switches > 0 => "break;\n".to_owned(),
            3 if self.loops > 0 => "continue;\n".to_owned(),
            4 if self.one_in(2) => format!("assert({});\n", self.condition()),
            5 if self.one_in(2) => format!("assume({});\n", self.condition()),
            6 if self.one_in(4) => self.pick(&["abort();\n", "reach_error();\n"]).to_owned(),
            7 if !self.in_main && self.one_in(2) => format!("return {};\n", self.effect(1)),
            7 if self.one_in(6) => "return;\n".to_owned(),
            8 | 9 => "goto @;\n".to_owned(),
            10 => format!("{};\n", self.pure(2)),
            11 => format!("{};\n", self.effect(2)),
            12 | 13 => format!("{name} = {};\n", self.call(1)),
            14 => format!("{};\n", self.call(1)),
            15 => format!("{};\n", self.unknown_call(1)),
            16..=18 => {
                let (element, value) = (self.element(1), self.effect(1));
                format!("{element} {} {value};\n", self.pick(&["=", "=", "+=", "-="]))
            }
            19 => format!("{};\n", self.pick(&["b[x]++", "c[1]--", "++b[b[0]]", "c[g]++"])),
            20 => {
                let (ty, name) = (self.ty(), self.local());
                let value = self.effect(1);
                self.names.push(name.clone());
                format!("{ty} {name} = {value};\n")
            }
            21 => {
                let (ty, name) = (self.ty(), self.local());
                let text = format!("{ty} {name};\n{name} = {};\n", self.pure(1));
                self.names.push(name);
                text
            }
            _ => format!("{name} = {};\n", self.pure(2)),
        }
    }

    /// A name for a local variable; sometimes one that hides another.
    fn local(&mut self) -> String {
        self.count += 1;
        format!("t{}", self.count % 3)
    }

    fn control(&mut self, depth: usize) -> String {
        match self.below(9) {
            0 | 1 => format!("if ({}) {{\n{}}}\n", self.condition(), self.block(depth)),
            2 => {
                let (test, yes) = (self.condition(), self.block(depth));
                format!("if ({test}) {{\n{yes}}} else {{\n{}}}\n", self.block(depth))
            }
            3 | 4 => format!("while ({}) {{\n{}}}\n", self.condition(), self.looped(depth)),
            5 => {
                let body = self.looped(depth);
                format!("do {{\n{body}}} while ({});\n", self.condition())
            }
            6 => self.counting(depth),
            7 => self.switch(depth),
            _ => format!("{{\n{}}}\n", self.block(depth)),
        }
    }

    fn counting(&mut self, depth: usize) -> String {
        let known = self.names.len();
        let first = match self.below(4) {
            0 => String::new(),
            1 => {
                let name = self.local();
                let first = format!("int {name} = {}", self.below(3));
                self.names.push(name);
                first
            }
            2 => format!("{} = 0, {} = 1", self.variable(), self.variable()),
            _ => format!("{} = {}", self.variable(), self.effect(1)),
        };
        let test = if self.one_in(4) { String::new() } else { self.condition() };
        let step = match self.below(5) {
            0 => String::new(),
            1 => self.effect(2),
            2 => format!("{}++, {}", self.variable(), self.effect(1)),
            _ => format!("{}++", self.variable()),
        };
        let body = self.looped(depth);
        self.names.truncate(known);
        format!("for ({first}; {test}; {step}) {{\n{body}}}\n")
    }

    fn switch(&mut self, depth: usize) -> String {
        let on = self.effect(1);
        let known = self.names.len();
        self.switches += 1;
        let mut text = format!("switch ({on}) {{\n");
        let mut cases = vec!["case 1:\n", "case 0:\n", "case -1:\n", "case 2 + 1:\n"];
        cases.truncate(1 + self.below(4));
        if self.one_in(2) {
            let at = self.below(cases.len() + 1);
            cases.insert(at, "default:\n");
        }
        for case in cases {
            text += case;
            for _ in 0..self.below(3) {
                text += &self.statement(depth);
            }
            text += self.pick(&["break;\n", "", "break;\n"]);
        }
        self.switches -= 1;
        self.names.truncate(known);
        text + "}\n"
    }

    /// The body of a function, in which every jump has a label.
    fn body(&mut self, depth: usize) -> String {
        self.labels = 0;
        let count = 1 + self.below(3);
        let text: String = (0..count).map(|_| self.statement(depth)).collect();
        let mut parts = text.split('@');
        let mut done = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let to = if self.labels > 0 { self.below(self.labels) } else { 0 };
            done += &format!("L{to}{part}");
        }
        if self.labels == 0 && done.contains("goto") {
            done = format!("L0:\n{done}");
        }
        done
    }

    fn whole(&mut self) -> Program {
        let globals = ["g", "b[0]", "c[1]"].map(str::to_owned);
        let (g, b, c) = (self.ty(), self.ty(), self.ty());
        // Of a large array not all elements are followed.
        let size = self.pick(&["3", "3", "40"]);
        let mut text = format!("{g} g;\n{b} b[2];\n{c} c[{size}] = {{ 1, {} }};\n", self.below(3));
        let (gives, takes) = (self.ty(), self.ty());
        let functions = [("h", format!("{gives} h({takes} a) {{\n")), {
            let (gives, takes) = (self.ty(), self.ty());
            ("f", format!("{gives} f({takes} a, int d) {{\n"))
        }];
        for (name, head) in functions {
            self.names = globals.to_vec();
            self.names.push("a".to_owned());
            let stop = match self.kinds.recursive {
                true => "if (a <= 0) return g;\n",
                false => "",
            };
            // Without recursion the first of them calls nobody.
            let body = match (name, self.kinds.recursive) {
                ("h", false) => format!("{} = {};\n", self.variable(), self.pure(2)),
                _ => self.body(1),
            };
            let last = self.pick(&["return a;\n", "return g + 1;\n", ""]);
            text += &format!("{head}{stop}{body}{last}}}\n");
        }
        self.in_main = true;
        self.names = globals.to_vec();
        self.names.extend(["x".to_owned(), "y".to_owned()]);
        let (x, y) = (self.ty(), self.ty());
        let head = match self.pick(&["", "", "1", "[0, 1]", "g + x", "-1", "x - 2", "foo()"]) {
            "" => String::new(),
            value => format!("{} z = {value};\n", self.pick(&["int", "unsigned", "_Bool"])),
        };
        let head = match self.one_in(8) {
            true => format!("{head}int e[33] = {{ 2 }};\n"),
            false => head,
        };
        let body = self.body(2);
        text += &format!("void main() {{\n{x} x;\n{y} y;\n{head}{body}}}\n");
        Program { text, open: vec!["x", "y"] }
    }
}
