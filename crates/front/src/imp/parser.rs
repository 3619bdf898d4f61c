//! Reads a program: declarations, claims and statements, in one pass.
//!
//! Statements that are open stand on a stack of [`Block`]s. Each block knows the mark that the next
//! statement in it will set, and the mark that control goes to behind its last statement; closing a
//! block makes the two the same. So every statement becomes a control point at once, and the points
//! are numbered in the order of the text, as the textbook's labelling does.

use super::expr::{Expr, Range, Type};
use super::items::Calls;
use super::lexer::Kind;
use super::program::{
    Action, Mark, Point, PointId, ProcId, Process, ProcessId, Program, Target, VarId,
};
use super::reading::{Broken, Cursor, Named, Names, expression, expression_of, said, unknown};
use crate::claims::ClaimNames;
use crate::collector::Collector;
use crate::formula::shortened;
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{Claim, Condition, Formulas, Limit, Span};

/// What a text says, if it has no problems.
pub(super) struct Draft {
    pub(super) program: Program,
    pub(super) names: Names,
    pub(super) formulas: Formulas,
    pub(super) claims: Vec<Claim>,
    pub(super) fair: Vec<Condition>,
}

/// What a block is part of.
pub(super) enum Shape {
    /// The program.
    Program,
    /// A procedure, which ends with `end`.
    Procedure,
    /// Behind `then`: where control goes if the condition is false, and behind the statement.
    Then { no: Mark, next: Mark },
    /// Behind `else`.
    Else { next: Mark },
    /// Behind `do`: where control goes behind the loop.
    Loop { next: Mark },
    /// One of the processes of a `cobegin`: the point of that, and the mark behind it.
    Process { fork: PointId, next: Mark },
}

impl Shape {
    /// The word that closes it, and what it is.
    fn closer(&self) -> (&'static str, &'static str) {
        match self {
            Shape::Program => ("", "the program"),
            Shape::Procedure => ("end", "`proc`"),
            Shape::Then { .. } | Shape::Else { .. } => ("fi", "`if`"),
            Shape::Loop { .. } => ("od", "`while`"),
            Shape::Process { .. } => ("coend", "`cobegin`"),
        }
    }
}

/// Statements that are not closed yet.
pub(super) struct Block {
    pub(super) shape: Shape,
    pub(super) process: ProcessId,
    /// The mark that the next statement sets.
    pub(super) pending: Mark,
    /// Where control goes behind the last statement; made at the end for whole processes.
    pub(super) end: Option<Mark>,
    pub(super) opened: Span,
    /// Whether there is no statement in it yet.
    pub(super) empty: bool,
}

pub(super) struct Parser<'a, 'p, 'm, 'b> {
    pub(super) cursor: Cursor<'a, 'p>,
    pub(super) meter: &'m mut Meter<'b>,
    pub(super) program: Program,
    pub(super) names: Names,
    pub(super) formulas: Formulas,
    pub(super) claims: Vec<Claim>,
    pub(super) fair: Vec<Condition>,
    pub(super) claim_names: ClaimNames,
    pub(super) blocks: Vec<Block>,
    pub(super) calls: Calls<'a>,
    /// The procedure that is being read.
    pub(super) procedure: Option<ProcId>,
    /// The labels that the text gives.
    labels: FxHashMap<&'a str, Span>,
    /// The last word of the last statement.
    ended: Span,
    /// Where each option was set.
    pub(super) options: FxHashMap<&'a str, Span>,
    /// The first `cobegin`, and the first procedure.
    pub(super) first_fork: Option<Span>,
}

/// Words that close or divide statements.
const CLOSERS: [&str; 6] = ["fi", "else", "od", "coend", "||", "end"];

/// Words that begin what stands outside of statements.
pub(super) const ITEMS: [&str; 6] = ["var", "const", "option", "proc", "claim", "fair"];

/// Reads the program that begins at an offset.
pub(super) fn parse(
    text: &str,
    start: usize,
    meter: &mut Meter<'_>,
    problems: &mut Collector,
) -> Result<Draft, Limit> {
    let mut program = Program::default();
    let begin = program.marks.push(Target::Unknown);
    let main = Process { parent: None, number: 0, start: begin, procedure: None, numbered: 0 };
    let main = program.processes.push(main);
    let body = Block {
        shape: Shape::Program,
        process: main,
        pending: begin,
        end: None,
        opened: Span::new(start..start),
        empty: true,
    };
    let mut parser = Parser {
        cursor: Cursor::new(text, start, problems),
        meter,
        program,
        names: Names::default(),
        formulas: Formulas::new(),
        claims: Vec::new(),
        fair: Vec::new(),
        claim_names: ClaimNames::of(&[]),
        blocks: vec![body],
        calls: Calls::default(),
        procedure: None,
        labels: FxHashMap::default(),
        ended: Span::new(start..start),
        options: FxHashMap::default(),
        first_fork: None,
    };
    parser.run()?;
    let Parser { program, names, formulas, claims, fair, .. } = parser;
    Ok(Draft { program, names, formulas, claims, fair })
}

impl<'a> Parser<'a, '_, '_, '_> {
    fn run(&mut self) -> Result<(), Limit> {
        // Whether a statement has just ended, so that `;` or the end of a block must follow.
        let mut behind = false;
        while self.cursor.current.kind != Kind::End {
            self.meter.tick()?;
            let word = self.cursor.text();
            // Where a claim stands, whatever is open was not closed.
            let ends = ITEMS.contains(&word) && !matches!(word, "var" | "const");
            while ends && self.blocks.len() > 1 {
                self.unclosed();
            }
            let outside = self.blocks.len() == 1;
            if outside && ITEMS.contains(&word) {
                if self.item().is_err() {
                    self.skip(&ITEMS);
                    self.cursor.accept(";");
                }
                behind = false;
            } else if self.cursor.accept(";") {
                behind = false;
            } else if CLOSERS.contains(&self.cursor.text()) {
                behind = self.close();
            } else if behind {
                let hint = "statements are separated by `;`";
                let _reported = self.cursor.unexpected_with("`;`", Some(hint));
                behind = false;
                if self.cursor.current.kind != Kind::Word {
                    self.skip(&[]);
                }
            } else {
                behind = match self.statement() {
                    Ok(behind) => behind,
                    // What is broken has ended, unless its statements follow.
                    Err(Broken) => !self.skip(if outside { &ITEMS } else { &[] }),
                };
            }
            if behind {
                self.ended = self.cursor.last;
            }
        }
        self.finish();
        Ok(())
    }

    /// Skips to a semicolon, a word that closes something, or one of these words. Says whether a
    /// block begins there.
    pub(super) fn skip(&mut self, also: &[&str]) -> bool {
        if let Some(block) = self.blocks.last_mut() {
            block.empty = false; // whatever was meant
        }
        loop {
            let text = self.cursor.text();
            let stops = self.cursor.is(";")
                || self.cursor.is("do")
                || self.cursor.is("then")
                || CLOSERS.contains(&text)
                || also.contains(&text);
            if stops || self.cursor.current.kind == Kind::End {
                break;
            }
            self.cursor.advance();
        }
        // The rest of a broken `if` or `while` is read as if its condition were sound.
        if self.cursor.accept("then") {
            let next = self.mark();
            let no = self.mark();
            self.open(Shape::Then { no, next }, no, Some(next), self.cursor.last);
        } else if self.cursor.accept("do") {
            let next = self.mark();
            self.open(Shape::Loop { next }, next, Some(next), self.cursor.last);
        } else {
            return false;
        }
        true
    }

    pub(super) fn mark(&mut self) -> Mark {
        self.program.marks.push(Target::Unknown)
    }

    fn block(&mut self) -> &mut Block {
        self.blocks.last_mut().expect("the program is never closed")
    }

    /// Makes the control point of a statement, or of the end of a process.
    fn point(&mut self, span: Span, label: Option<String>, action: Action) -> PointId {
        let Block { process, pending, empty, .. } = self.block();
        *empty = false;
        let (process, pending) = (*process, *pending);
        let number = self.program.processes[process].numbered;
        self.program.processes[process].numbered += 1;
        let point = self.program.points.push(Point { process, number, span, label, action });
        self.program.marks[pending] = Target::Point(point);
        point
    }

    fn open(&mut self, shape: Shape, pending: Mark, end: Option<Mark>, opened: Span) {
        let process = self.block().process;
        self.blocks.push(Block { shape, process, pending, end, opened, empty: true });
    }

    /// A new process of the current one, whose statements follow.
    fn open_process(&mut self, fork: PointId, next: Mark, opened: Span) {
        let parent = self.program.points[fork].process;
        let number = self.program.processes[parent].numbered;
        self.program.processes[parent].numbered += 1;
        let start = self.mark();
        let process = Process { parent: Some(parent), number, start, procedure: None, numbered: 0 };
        let process = self.program.processes.push(process);
        if let Action::Fork { children, .. } = &mut self.program.points[fork].action {
            children.push(process);
        }
        let shape = Shape::Process { fork, next };
        self.blocks.push(Block { shape, process, pending: start, end: None, opened, empty: true });
    }

    /// Ends the statements of the last block; for a whole process, with its last control point.
    fn seal(&mut self) {
        let at = match self.block().shape {
            Shape::Program => self.ended,
            _ => self.cursor.current.span,
        };
        if self.block().empty {
            let _reported = self.cursor.unexpected_with("a statement", Some("`skip` does nothing"));
        }
        let Block { pending, end, .. } = *self.block();
        match end {
            Some(end) if end != pending => self.program.marks[pending] = Target::Same(end),
            Some(_) => {}
            None => {
                self.point(Span { start: at.start, end: at.start }, None, Action::End);
            }
        }
    }

    /// A word that closes a block, or goes on with its next part. Says whether a statement ended.
    fn close(&mut self) -> bool {
        let text = self.cursor.text();
        let fits = |shape: &Shape| match text {
            "else" => matches!(shape, Shape::Then { .. }),
            "||" => matches!(shape, Shape::Process { .. }),
            word => shape.closer().0 == word,
        };
        let Some(at) = self.blocks.iter().rposition(|block| fits(&block.shape)) else {
            let (word, span) = (shortened(text), self.cursor.current.span);
            self.cursor.problems.add(|_| {
                Problem::error(
                    "G006",
                    format!("there is nothing that `{word}` could close or go on with"),
                )
                .at(span, "")
            });
            self.cursor.advance();
            return true;
        };
        while self.blocks.len() > at + 1 {
            self.unclosed();
        }
        self.seal();
        let opened = self.cursor.current.span;
        self.cursor.advance();
        let block = self.blocks.pop().expect("the program is never closed");
        match (block.shape, text) {
            (Shape::Then { no, next }, "else") => {
                self.open(Shape::Else { next }, no, Some(next), block.opened);
                return false;
            }
            (Shape::Then { no, next }, _) => {
                self.program.marks[no] = Target::Same(next);
                self.block().pending = next;
            }
            (Shape::Process { fork, next }, "||") => {
                self.open_process(fork, next, opened);
                return false;
            }
            (Shape::Else { next } | Shape::Loop { next } | Shape::Process { next, .. }, _) => {
                self.block().pending = next;
            }
            (Shape::Procedure, _) => {
                self.procedure = None;
                self.names.local.clear();
                return false;
            }
            (Shape::Program, _) => {}
        }
        true
    }

    /// Reports a block that was not closed, and gives it up.
    fn unclosed(&mut self) {
        let Some(block) = self.blocks.pop() else { return };
        let (word, what) = block.shape.closer();
        let at = self.cursor.current.span;
        self.cursor.problems.add(|_| {
            Problem::error("G007", format!("{what} is not closed"))
                .at(at, format!("`{word}` is expected before this"))
                .related(block.opened, "it begins here")
        });
        if matches!(block.shape, Shape::Procedure) {
            self.procedure = None;
            self.names.local.clear();
        }
    }

    /// The text has ended.
    fn finish(&mut self) {
        while self.blocks.len() > 1 {
            self.unclosed();
        }
        let sound = self.cursor.problems.count() == 0;
        if self.block().empty && sound {
            self.cursor.problems.add(|_| {
                Problem::error("G008", "there is no program: the text has no statement")
                    .hint("write the statements behind the declarations")
            });
        } else if !self.block().empty {
            self.seal();
        }
        self.resolve_calls();
    }
}

/// Statements.
impl<'a> Parser<'a, '_, '_, '_> {
    /// A statement, or the beginning of one. Says whether it ends here.
    fn statement(&mut self) -> Result<bool, Broken> {
        let begin = self.cursor.current.span;
        let label = self.label()?;
        let start = self.cursor.current.span;
        match self.cursor.text() {
            "skip" => {
                self.cursor.advance();
                let next = self.mark();
                self.simple(begin, label, Action::Skip { next }, next);
            }
            "wait" => {
                let condition = self.in_parentheses("the condition of `wait`")?;
                let next = self.mark();
                self.simple(begin, label, Action::Wait { condition, next }, next);
            }
            word @ ("lock" | "unlock") => {
                let variable = self.lock_variable()?;
                let next = self.mark();
                let action = match word {
                    "lock" => Action::Lock { variable, next },
                    _ => Action::Unlock { variable, next },
                };
                self.simple(begin, label, action, next);
            }
            "if" => {
                self.cursor.advance();
                let condition = self.condition("the condition of `if`", "then")?;
                let [yes, no, next] = [(); 3].map(|()| self.mark());
                let span = begin.to(self.cursor.last);
                self.point(span, label, Action::Test { condition, yes, no });
                self.open(Shape::Then { no, next }, yes, Some(next), start);
                return Ok(false);
            }
            "while" => {
                self.cursor.advance();
                let condition = self.condition("the condition of `while`", "do")?;
                let [yes, next, again] = [(); 3].map(|()| self.mark());
                let span = begin.to(self.cursor.last);
                let point = self.point(span, label, Action::Test { condition, yes, no: next });
                self.program.marks[again] = Target::Point(point);
                self.open(Shape::Loop { next }, yes, Some(again), start);
                return Ok(false);
            }
            "cobegin" => {
                self.cursor.advance();
                self.first_fork.get_or_insert(start);
                let next = self.mark();
                let action = Action::Fork { children: Vec::new(), next };
                let point = self.point(begin.to(start), label, action);
                self.open_process(point, next, start);
                return Ok(false);
            }
            _ => self.assignment_or_call(begin, label)?,
        }
        Ok(true)
    }

    /// A statement that is done, and what follows it.
    fn simple(&mut self, begin: Span, label: Option<String>, action: Action, next: Mark) {
        let span = begin.to(self.cursor.last);
        self.point(span, label, action);
        self.block().pending = next;
    }

    /// `name:` before a statement.
    fn label(&mut self) -> Result<Option<String>, Broken> {
        let (text, span) = (self.cursor.text(), self.cursor.current.span);
        let is_label = self.cursor.current.kind == Kind::Word && {
            let rest = self.cursor.lexer.text[self.cursor.lexer.at..].trim_start();
            rest.starts_with(':') && !rest.starts_with(":=")
        };
        if !is_label {
            return Ok(None);
        }
        self.cursor.name("a label")?;
        self.cursor.advance();
        if let Some(first) = self.labels.insert(text, span) {
            self.cursor.problems.add(|_| {
                Problem::error("G012", format!("there are two labels `{}`", shortened(text)))
                    .at(span, "the second")
                    .related(first, "the first")
            });
        }
        Ok(Some(text.to_owned()))
    }

    fn condition(&mut self, role: &str, behind: &str) -> Result<Expr, Broken> {
        let expr = expression_of(Type::Truth, role, &mut self.cursor, &self.names)?;
        self.cursor.expect(behind)?;
        Ok(expr)
    }

    /// `wait (b)`
    fn in_parentheses(&mut self, role: &str) -> Result<Expr, Broken> {
        self.cursor.advance();
        if !self.cursor.is("(") {
            return Err(self.cursor.unexpected("`(`"));
        }
        expression_of(Type::Truth, role, &mut self.cursor, &self.names)
    }

    /// The variable of `lock (x)` or `unlock (x)`, which is 0 or 1.
    fn lock_variable(&mut self) -> Result<VarId, Broken> {
        self.cursor.advance();
        self.cursor.expect("(")?;
        let (variable, range, span) = self.variable()?;
        self.cursor.expect(")")?;
        if (range.low, range.high) != (0, 1) {
            self.cursor.problems.add(|_| {
                Problem::error("G022", "a lock must be a variable that is 0 or 1")
                    .at(span, format!("its values are {} to {}", range.low, range.high))
                    .hint("declare it so: `var m : 0..1 = 0;`")
            });
            return Err(Broken);
        }
        Ok(variable)
    }

    /// The name of a variable.
    fn variable(&mut self) -> Result<(VarId, Range, Span), Broken> {
        let (name, span) = self.cursor.name("a variable")?;
        self.variable_named(name, span)
    }

    fn variable_named(&mut self, name: &str, span: Span) -> Result<(VarId, Range, Span), Broken> {
        match self.names.find(name) {
            Some(&(Named::Variable(variable, range), _)) => Ok((variable, range, span)),
            Some(&(Named::Constant(..), declared)) => {
                self.cursor.problems.add(|_| {
                    Problem::error("G011", format!("`{name}` is a constant, and no variable"))
                        .at(span, "")
                        .related(declared, "declared here")
                });
                Err(Broken)
            }
            None => {
                unknown(self.cursor.problems, &self.names, name, span);
                Err(Broken)
            }
        }
    }

    /// `x := e`, `p(e, …)` or `call p(e, …)`.
    fn assignment_or_call(&mut self, begin: Span, label: Option<String>) -> Result<(), Broken> {
        let must_call = self.cursor.accept("call");
        let what = if must_call { "a procedure" } else { "a statement" };
        let (name, span) = self.cursor.name(what)?;
        if must_call || self.cursor.is("(") {
            self.cursor.expect("(")?;
            let mut arguments = Vec::new();
            while !self.cursor.is(")") {
                arguments.push(expression(&mut self.cursor, &self.names)?);
                if !self.cursor.accept(",") {
                    break;
                }
            }
            self.cursor.expect(")")?;
            let next = self.mark();
            let whole = begin.to(self.cursor.last);
            let point = self.point(whole, label, Action::Skip { next });
            self.block().pending = next;
            self.calls.note(point, name, span, arguments, next);
            return Ok(());
        }
        if !self.cursor.accept(":=") {
            let hint = match self.cursor.text() {
                "=" | "==" => Some("a value is assigned by `:=`"),
                _ => Some(
                    "a statement is `x := e`, `skip`, `if`, `while`, `cobegin`, `wait`, \
                    `lock`, `unlock`, or the call of a procedure",
                ),
            };
            return Err(self.cursor.unexpected_with("`:=`", hint));
        }
        let found = self.variable_named(name, span);
        let value = expression(&mut self.cursor, &self.names)?;
        let (variable, range, _) = found?;
        if value.kind != range.kind {
            self.cursor.problems.add(|_| {
                Problem::error("G021", format!("`{name}` is {}", said(range.kind)))
                    .at(value.span, format!("this is {}", said(value.kind)))
            });
            return Err(Broken);
        }
        let next = self.mark();
        self.simple(begin, label, Action::Assign { variable, value, next }, next);
        Ok(())
    }
}
