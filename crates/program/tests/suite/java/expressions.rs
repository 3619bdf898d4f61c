//! Random expressions of Java, by type.

use super::generate::{Maker, Ty};

impl Maker {
    pub(super) fn array(&mut self, ty: Ty) -> String {
        match (self.variable(ty), ty) {
            (Some(name), _) => name,
            (None, Ty::Bytes) => "(new byte[4])".to_owned(),
            (None, _) => "(new int[3])".to_owned(),
        }
    }

    pub(super) fn index(&mut self) -> String {
        match self.rng.u8(..8) {
            0 => self.expression(Ty::Int, 1),
            1..=4 => self.rng.u8(..3).to_string(),
            _ => format!("({}) & 1", self.expression(Ty::Int, 1)),
        }
    }

    pub(super) fn expression(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int(depth),
            Ty::Long => self.long(depth),
            Ty::Boolean => self.boolean(depth),
            Ty::Object => self.object(depth),
            Ty::Function => self.variable(ty).unwrap_or_else(|| "((F) new B(2))".to_owned()),
            Ty::Ints => match self.rng.u8(..5) {
                0 => format!("new int[] {{{}, {}}}", self.int(1), self.int(0)),
                1 => format!("(new int[2][3])[{}]", self.index()),
                2 => format!("({} ? {} : null)", self.boolean(1), self.array(ty)),
                _ => self.array(ty),
            },
            Ty::Bytes => self.array(ty),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match (self.variable(Ty::Int), self.rng.u8(..4)) {
                (Some(name), 0..=2) => name,
                _ => format!(
                    "({})",
                    [0, 1, -1, 2, 3, 7, 100, i32::MAX, i32::MIN, 40_000][self.rng.usize(..10)]
                ),
            };
        }
        let next = depth - 1;
        match self.rng.u8(..22) {
            0..=4 => {
                let op = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"]
                    [self.rng.usize(..11)];
                format!("({} {op} {})", self.int(next), self.int(next))
            }
            5 => format!("({} ? {} : {})", self.boolean(next), self.int(next), self.int(next)),
            6 => format!(
                "({}) {}",
                ["byte", "char", "short", "int"][self.rng.usize(..4)],
                self.paren(Ty::Long, next)
            ),
            7 => format!("{}[{}]", self.array(Ty::Ints), self.index()),
            8 => format!("{}[{}]", self.array(Ty::Bytes), self.index()),
            9 => format!("m0({}, {})", self.int(next), self.int(next)),
            10 => format!("m1({}, {})", self.int(next), self.long(next)),
            11 => {
                let method = ["m", "n", "shown"][self.rng.usize(..3)];
                format!("{}.{method}({})", self.object(next), self.int(next))
            }
            12 => format!(
                "{}.{}({})",
                self.expression(Ty::Function, 0),
                ["f", "g"][self.rng.usize(..2)],
                self.int(next)
            ),
            13 => format!(
                "{}.twice({}, {})",
                self.object(next),
                self.expression(Ty::Function, 0),
                self.int(next)
            ),
            14 => format!("{}.a", self.object(next)),
            15 => match self.variable(Ty::Int) {
                Some(name) => {
                    let (before, after) =
                        [("", "++"), ("++", ""), ("", "--"), ("--", "")][self.rng.usize(..4)];
                    format!("({before}{name}{after})")
                }
                None => "s0++".to_owned(),
            },
            16 => match self.variable(Ty::Int) {
                Some(name) => format!(
                    "({name} {} {})",
                    ["=", "+=", "-=", "*="][self.rng.usize(..4)],
                    self.int(next)
                ),
                None => "s0".to_owned(),
            },
            17 => format!(
                "(switch ({} & 3) {{ case 0, 2 -> {}; case 1 -> {{ if ({}) yield {}; yield 4; }} default -> {}; }})",
                self.paren(Ty::Int, 0),
                self.int(next),
                self.boolean(next),
                self.int(0),
                self.int(next)
            ),
            18 => format!("{}.length", self.array(Ty::Ints)),
            19 => {
                let op = self.compound();
                format!("({}[{}] {op} {})", self.array(Ty::Ints), self.index(), self.int(next))
            }
            20 => format!("{}[{}]++", self.array(Ty::Ints), self.index()),
            _ => format!("(-{})", self.paren(Ty::Int, next)),
        }
    }

    fn paren(&mut self, ty: Ty, depth: usize) -> String {
        format!("({})", self.expression(ty, depth))
    }

    fn long(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match (self.variable(Ty::Long), self.rng.u8(..3)) {
                (Some(name), 0 | 1) => name,
                _ => format!("({}L)", [0, 1, -1, 5, i64::MAX, 1 << 40][self.rng.usize(..6)]),
            };
        }
        let next = depth - 1;
        match self.rng.u8(..10) {
            0..=3 => {
                let op = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"]
                    [self.rng.usize(..11)];
                format!("({} {op} {})", self.long(next), self.long(next))
            }
            4 => format!("({} ? {} : {})", self.boolean(next), self.long(next), self.int(next)),
            5 => format!("m2({}, {})", self.long(next), self.int(next)),
            6 => format!("{}.b++", self.object(next)),
            7 => format!("(~{})", self.paren(Ty::Long, next)),
            8 => {
                let (one, by, index) = (self.long(0), self.long(next), self.int(0));
                format!("((new long[] {{{one}, 3}})[{index} & 1] -= {by})")
            }
            _ => format!("(long) {}", self.paren(Ty::Int, next)),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.variable(Ty::Boolean) {
                Some(name) => name,
                None => format!("(s0 {} 3)", ["<", ">", "!="][self.rng.usize(..3)]),
            };
        }
        let next = depth - 1;
        match self.rng.u8(..9) {
            0 | 1 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.rng.usize(..6)];
                format!("({} {op} {})", self.int(next), self.int(next))
            }
            2 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.rng.usize(..6)];
                format!("({} {op} {})", self.long(next), self.long(next))
            }
            3 => format!("({} && {})", self.boolean(next), self.boolean(next)),
            4 => format!("({} || {})", self.boolean(next), self.boolean(next)),
            5 => format!("(!{})", self.boolean(next)),
            6 => format!("({} instanceof C)", self.object(next)),
            7 => {
                let bound = self.name("b");
                format!(
                    "((A) {} instanceof B {bound} && {bound}.a > {})",
                    self.object(next),
                    self.int(0)
                )
            }
            _ => format!("({} == null)", self.object(next)),
        }
    }

    fn object(&mut self, depth: usize) -> String {
        match (self.variable(Ty::Object), self.rng.u8(..if depth == 0 { 4 } else { 7 })) {
            (Some(name), 0..=2) => name,
            (_, 0..=2) => format!("((A) new B({}))", self.int(0)),
            (_, 3) => format!("((A) new C({}))", self.int(0)),
            (_, 4) => format!("({} ? {} : new B(1))", self.boolean(0), self.object(depth - 1)),
            (_, 5) => format!("((B) {})", self.object(depth - 1)),
            _ => format!("(({}) ? (A) null : {})", self.boolean(0), self.object(depth - 1)),
        }
    }
}
