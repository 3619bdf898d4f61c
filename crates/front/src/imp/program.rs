//! A program as it was read: variables, processes and procedures, and control points with what
//! happens there.
//!
//! There is no tree of statements: each statement is a *control point* with an action that says
//! where control goes next, as the textbook's translation to formulas sees it. The places it goes
//! to are *marks*, because they are not yet known when a statement is read; [`Program::target`]
//! finds what a mark stands for.

use super::expr::{Expr, Range};
use tern_model::Span;
use tern_model::index::Table;

tern_model::indices! {
    /// A variable.
    pub(super) VarId = "v";
    /// A control point: where a statement begins, or where a process ends.
    pub(super) PointId = "l";
    /// A place that control goes to.
    pub(super) Mark = "m";
    /// A process: the program itself, one of a `cobegin`, or the body of a procedure.
    pub(super) ProcessId = "p";
    /// A procedure.
    pub(super) ProcId = "f";
}

/// A declared variable.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) range: Range,
    /// Its value at the beginning; any of its values if there is none.
    pub(super) initial: Option<i64>,
    /// The procedure that it belongs to.
    pub(super) home: Option<ProcId>,
}

/// What happens at a control point.
#[derive(Debug)]
pub(super) enum Action {
    Assign {
        variable: VarId,
        value: Expr,
        next: Mark,
    },
    Skip {
        next: Mark,
    },
    /// `if` and `while`.
    Test {
        condition: Expr,
        yes: Mark,
        no: Mark,
    },
    Wait {
        condition: Expr,
        next: Mark,
    },
    Lock {
        variable: VarId,
        next: Mark,
    },
    Unlock {
        variable: VarId,
        next: Mark,
    },
    Fork {
        children: Vec<ProcessId>,
        next: Mark,
    },
    Call {
        callee: ProcId,
        arguments: Vec<Expr>,
        next: Mark,
    },
    /// The end of a process.
    End,
}

/// A control point.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) process: ProcessId,
    /// Its number among the points and children of its process.
    pub(super) number: u32,
    /// The statement, up to the keyword behind its condition.
    pub(super) span: Span,
    /// The name that the text gives to it.
    pub(super) label: Option<String>,
    pub(super) action: Action,
}

/// A process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) parent: Option<ProcessId>,
    /// Its number among the points and children of its parent.
    pub(super) number: u32,
    /// Where it begins.
    pub(super) start: Mark,
    /// The procedure that it is the body of.
    pub(super) procedure: Option<ProcId>,
    /// How many points and children have been numbered.
    pub(super) numbered: u32,
}

/// A procedure.
#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) name: String,
    pub(super) parameters: Vec<VarId>,
    pub(super) body: Option<ProcessId>,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Unknown,
    Point(PointId),
    Same(Mark),
}

/// How the steps of processes are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Composition {
    /// One process takes a step at a time.
    #[default]
    Asynchronous,
    /// All processes take a step at once.
    Synchronous,
}

/// What a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Granularity {
    /// A statement, or the test of a condition.
    #[default]
    Statement,
    /// A load, an operation or a store.
    Fine,
}

/// How a program is meant to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mode {
    pub(super) composition: Composition,
    pub(super) granularity: Granularity,
    /// Whether only runs count on which every process goes on.
    pub(super) fair: bool,
}

impl Mode {
    /// Sets what is called so. Gives the values that it may have if this is none, and nothing if
    /// there is no such option.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), Values>> {
        let values: Values = match name {
            "granularity" => &["statement", "fine"],
            "composition" => &["asynchronous", "synchronous"],
            "fairness" => &["none", "processes"],
            _ => return None,
        };
        match (name, values.iter().position(|it| *it == value)) {
            (_, None) => return Some(Err(values)),
            ("granularity", Some(0)) => self.granularity = Granularity::Statement,
            ("granularity", Some(_)) => self.granularity = Granularity::Fine,
            ("composition", Some(0)) => self.composition = Composition::Asynchronous,
            ("composition", Some(_)) => self.composition = Composition::Synchronous,
            (_, Some(at)) => self.fair = at == 1,
        }
        Some(Ok(()))
    }
}

/// The values that an option may have.
pub(super) type Values = &'static [&'static str];

/// A whole program.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) variables: Table<VarId, Variable>,
    pub(super) points: Table<PointId, Point>,
    pub(super) processes: Table<ProcessId, Process>,
    pub(super) procedures: Table<ProcId, Procedure>,
    pub(super) marks: Table<Mark, Target>,
    pub(super) mode: Mode,
}

impl Program {
    /// The point that a mark stands for. All marks of a program without problems stand for one.
    pub(super) fn target(&self, mut mark: Mark) -> PointId {
        loop {
            match self.marks[mark] {
                Target::Point(point) => return point,
                Target::Same(other) => mark = other,
                Target::Unknown => unreachable!("every mark is set before the program is used"),
            }
        }
    }

    /// Lets every mark stand for its point at once, so that none is found by a long chain.
    pub(super) fn settle(&mut self) {
        let ids: Vec<Mark> = self.marks.ids().collect();
        let mut chain = Vec::new();
        for mut mark in ids {
            while let Target::Same(other) = self.marks[mark] {
                chain.push(mark);
                mark = other;
            }
            let end = self.marks[mark];
            for passed in chain.drain(..) {
                self.marks[passed] = end;
            }
        }
    }

    /// The process that the program as a whole is.
    pub(super) fn main(&self) -> ProcessId {
        let is_main = |&(_, process): &(ProcessId, &Process)| {
            process.parent.is_none() && process.procedure.is_none()
        };
        self.processes.iter().find(is_main).map(|(id, _)| id).expect("the parser makes it")
    }

    /// The global variables.
    pub(super) fn globals(&self) -> impl Iterator<Item = (VarId, &Variable)> {
        self.variables.iter().filter(|(_, variable)| variable.home.is_none())
    }

    /// The parameters and local variables of a procedure.
    pub(super) fn locals(&self, of: ProcId) -> impl Iterator<Item = (VarId, &Variable)> {
        self.variables.iter().filter(move |(_, variable)| variable.home == Some(of))
    }

    /// What a variable is called in formulas and states: `x`, or `p.x` in a procedure `p`.
    pub(super) fn variable_name(&self, variable: VarId) -> String {
        let Variable { name, home, .. } = &self.variables[variable];
        match home {
            Some(home) => format!("{}.{name}", self.procedures[*home].name),
            None => name.clone(),
        }
    }
}
