//! Random pointer programs: loops, calls, recursion, on lists and trees.

use std::fmt::Write;

/// What the input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Structure {
    Sll,
    Dll,
    Tree,
}

impl Structure {
    pub(crate) fn fields(self) -> &'static [&'static str] {
        match self {
            Structure::Sll => &["next"],
            Structure::Dll => &["next", "prev"],
            Structure::Tree => &["left", "right"],
        }
    }

    fn shape(self) -> &'static str {
        match self {
            Structure::Sll => "SLL",
            Structure::Dll => "DLL",
            Structure::Tree => "Tree",
        }
    }
}

/// A test; a missing side is `null`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    Any,
    Equal(usize, Option<usize>),
    Different(usize, Option<usize>),
}

/// An instruction; variables and procedures by number, a missing value is `null`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    Copy(usize, Option<usize>),
    New(usize),
    Load(usize, usize, usize),
    Store(usize, usize, Option<usize>),
    Call(Option<usize>, usize, usize),
    /// On if the condition holds, else elsewhere.
    Jump(Condition, usize),
    Goto(usize),
    Return(Option<usize>),
}

/// A procedure: its variables, the first of which is its parameter, its text, and its instructions
/// with their lines.
pub(crate) struct Procedure {
    pub(crate) name: &'static str,
    pub(crate) variables: Vec<&'static str>,
    pub(crate) code: Vec<(u32, Instruction)>,
    lines: Vec<String>,
}

/// A program.
pub(crate) struct Sketch {
    pub(crate) structure: Structure,
    pub(crate) procedures: Vec<Procedure>,
    /// Whether claims speak of an object of the input: then there is one.
    pub(crate) with_element: bool,
}

impl Sketch {
    pub(crate) fn text(&self) -> String {
        let structure = self.structure;
        let fields: Vec<String> =
            structure.fields().iter().map(|it| format!("{it}: Node")).collect();
        let mut text = format!(
            "type Node {{ {} }} grammar {} = Node({})\n",
            fields.join(", "),
            structure.shape(),
            structure.fields().join(", ")
        );
        for procedure in &self.procedures {
            for line in &procedure.lines {
                let _ = writeln!(text, "{line}");
            }
        }
        let _ = writeln!(text, "given main(x: {})", structure.shape());
        text
    }

    pub(crate) fn has_choice(&self) -> bool {
        let code = self.procedures.iter().flat_map(|it| &it.code);
        code.into_iter().any(|(_, it)| matches!(it, Instruction::Jump(Condition::Any, _)))
    }

    pub(crate) fn atoms(&self) -> Vec<String> {
        let field = self.structure.fields()[0];
        let shape = self.structure.shape();
        let mut all: Vec<String> = ["terminated", "nullderef", "in(main)", "in(aux)"]
            .iter()
            .map(|it| (*it).to_owned())
            .collect();
        all.extend(["x == null", "x != y", "y == z"].map(str::to_owned));
        all.push(format!("x.{field} == y"));
        all.push(format!("return.{field} != x@start"));
        // What lies outside of the heap of a callee.
        all.extend(
            ["x == x@start", "aux.y != x@start", "reach(aux.x, x@start)"].map(str::to_owned),
        );
        all.push(format!("x@start.{field} == aux.z"));
        all.push(format!("shape(x@start, {shape})"));
        if self.with_element {
            all.extend(
                ["y == elem", "aux.y == elem", "aux.z != elem", "elem == x@start", "elem != null"]
                    .map(str::to_owned),
            );
            all.extend(["reach(aux.x, elem)", "reach(elem, aux.x)"].map(str::to_owned));
            all.push(format!("elem@{field} == aux.x"));
            all.push(format!("elem@{field} != elem.{field}"));
            all.push(format!("elem@{field}.{field} == y"));
            all.push(format!("elem.{field} != elem"));
            all.push(format!("reach(x, elem, {field})"));
        } else {
            // Which objects there are does not depend on what a claim remembers.
            all.push(format!("whole({shape})"));
        }
        all.push(format!("shape(x, {shape})"));
        all.push(format!("shape(return, {shape})"));
        all.push("reach(x, y)".to_owned());
        all
    }
}

/// A random program.
pub(crate) fn sketch(seed: u64) -> Sketch {
    let mut random = fastrand::Rng::with_seed(seed);
    let structure = match random.u8(..4) {
        0 | 1 => Structure::Sll,
        2 => Structure::Dll,
        _ => Structure::Tree,
    };
    let mut procedures = Vec::new();
    // The first line has the types.
    let mut line = 1;
    for name in ["main", "aux"] {
        let variables = vec!["x", "y", "z"];
        let mut maker = Maker {
            random: &mut random,
            structure,
            line,
            names: variables.clone(),
            code: Vec::new(),
            lines: Vec::new(),
        };
        maker.say(&format!("proc {name}(x: Node): Node {{"));
        maker.say("var y: Node, z: Node");
        let count = maker.random.usize(2..6);
        maker.statements(count, 2, name == "aux");
        let result = maker.random.usize(..3);
        maker.say(&format!("return {}", variables[result]));
        maker.push(Instruction::Return(Some(result)));
        maker.say("}");
        line = maker.line;
        let (code, lines) = (maker.code, maker.lines);
        procedures.push(Procedure { name, variables, code, lines });
    }
    Sketch { structure, procedures, with_element: seed.is_multiple_of(2) }
}

struct Maker<'r> {
    random: &'r mut fastrand::Rng,
    structure: Structure,
    line: u32,
    names: Vec<&'static str>,
    code: Vec<(u32, Instruction)>,
    lines: Vec<String>,
}

impl Maker<'_> {
    fn say(&mut self, text: &str) {
        self.lines.push(text.to_owned());
        self.line += 1;
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        self.code.push((self.line, instruction));
        self.code.len() - 1
    }

    fn variable(&mut self) -> usize {
        self.random.usize(..self.names.len())
    }

    fn statements(&mut self, count: usize, depth: usize, in_aux: bool) {
        for _ in 0..count {
            self.statement(depth, in_aux);
        }
    }

    fn statement(&mut self, depth: usize, in_aux: bool) {
        let (a, b) = (self.variable(), self.variable());
        let field = self.random.usize(..self.structure.fields().len());
        let names = self.names.clone();
        let field_name = self.structure.fields()[field];
        let value = |random: &mut fastrand::Rng| (random.u8(..4) > 0).then_some(b);
        let name = |it: Option<usize>| it.map_or("null", |it| names[it]);
        match self.random.u8(..16) {
            0 | 1 => {
                let from = value(self.random);
                self.say(&format!("{} = {}", names[a], name(from)));
                self.push(Instruction::Copy(a, from));
            }
            2 => {
                self.say(&format!("{} = new Node", names[a]));
                self.push(Instruction::New(a));
            }
            3..=5 => {
                let guard = self.guard(b);
                self.say(&format!("{} = {}.{field_name}", names[a], names[b]));
                self.push(Instruction::Load(a, b, field));
                self.end_guard(guard);
            }
            6 | 7 => {
                let from = value(self.random);
                let guard = self.guard(a);
                self.say(&format!("{}.{field_name} = {}", names[a], name(from)));
                self.push(Instruction::Store(a, field, from));
                self.end_guard(guard);
            }
            8 | 9 => {
                // Procedures call each other and themselves.
                let callee = if self.random.u8(..4) == 0 { usize::from(!in_aux) } else { 1 };
                let to = self.random.bool().then_some(a);
                let before = to.map_or(String::new(), |to| format!("{} = ", names[to]));
                self.say(&format!("{before}{}({})", ["main", "aux"][callee], names[b]));
                self.push(Instruction::Call(to, callee, b));
            }
            _ if depth == 0 => {}
            10..=12 => self.conditional(depth, in_aux),
            _ => self.walk(depth, in_aux),
        }
    }

    /// Most often a test before a field is looked at, so that runs do not end too soon.
    fn guard(&mut self, variable: usize) -> Option<(usize, Condition)> {
        if self.random.u8(..4) == 0 {
            return None;
        }
        let condition = Condition::Different(variable, None);
        self.say(&format!("if {} != null {{", self.names[variable]));
        Some((self.push(Instruction::Jump(condition, 0)), condition))
    }

    fn end_guard(&mut self, guard: Option<(usize, Condition)>) {
        if let Some((test, condition)) = guard {
            self.say("}");
            self.code[test].1 = Instruction::Jump(condition, self.code.len());
        }
    }

    fn condition(&mut self) -> (Condition, String) {
        let (a, b) = (self.variable(), self.variable());
        let b = self.random.bool().then_some(b);
        let (left, right) = (self.names[a], b.map_or("null", |it| self.names[it]));
        match self.random.u8(..7) {
            0 => (Condition::Any, "?".to_owned()),
            1..=2 => (Condition::Equal(a, b), format!("{left} == {right}")),
            _ => (Condition::Different(a, b), format!("{left} != {right}")),
        }
    }

    fn conditional(&mut self, depth: usize, in_aux: bool) {
        let (condition, text) = self.condition();
        self.say(&format!("if {text} {{"));
        let test = self.push(Instruction::Jump(condition, 0));
        let count = self.random.usize(1..3);
        self.statements(count, depth - 1, in_aux);
        let skip = self.push(Instruction::Goto(0));
        self.say("} else {");
        let otherwise = self.code.len();
        self.code[test].1 = Instruction::Jump(condition, otherwise);
        let count = self.random.usize(..2);
        self.statements(count, depth - 1, in_aux);
        self.say("}");
        let after = self.code.len();
        self.code[skip].1 = Instruction::Goto(after);
    }

    /// A loop, most often one that goes on along a field.
    fn walk(&mut self, depth: usize, in_aux: bool) {
        let (mut condition, mut text) = self.condition();
        let a = self.variable();
        let moves = self.random.u8(..3) > 0;
        if moves {
            (condition, text) =
                (Condition::Different(a, None), format!("{} != null", self.names[a]));
        }
        self.say(&format!("while {text} {{"));
        let test = self.push(Instruction::Jump(condition, 0));
        let count = self.random.usize(..3);
        self.statements(count, depth - 1, in_aux);
        if moves {
            let field = self.random.usize(..self.structure.fields().len());
            self.say(&format!("{0} = {0}.{1}", self.names[a], self.structure.fields()[field]));
            self.push(Instruction::Load(a, a, field));
        }
        self.push(Instruction::Goto(test));
        self.say("}");
        let after = self.code.len();
        self.code[test].1 = Instruction::Jump(condition, after);
    }
}

/// A program in which one statement is another one, or is missing; nothing if there is none to
/// change.
#[allow(dead_code, reason = "not all tests need it")]
pub(crate) fn spoiled(text: &str, random: &mut fastrand::Rng) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_changed = |line: &str| {
        line.contains(" = ") && !line.contains("grammar") && !line.contains('\"')
            || line.starts_with("if ")
            || line.starts_with("while ")
    };
    let places: Vec<usize> = (0..lines.len()).filter(|it| is_changed(&lines[*it])).collect();
    if places.is_empty() {
        return None;
    }
    let line = &mut lines[places[random.usize(..places.len())]];
    let names = ["x", "y", "z"];
    let name = names[random.usize(..3)];
    *line = match line.split_once(" = ") {
        Some((to, from)) if !line.contains("!=") && !line.contains("==") => {
            match (from.split_once('.'), random.u8(..3)) {
                (Some((_, field)), 0) => format!("{to} = {name}.{field}"),
                (None, 0) if !from.contains('(') => format!("{to} = {name}"),
                (_, 1) => format!("{name} = null"),
                _ => format!("{name} = {name}"),
            }
        }
        _ if line.contains("!=") => line.replace("!=", "=="),
        _ => line.replace("==", "!="),
    };
    Some(lines.join("\n") + "\n")
}
