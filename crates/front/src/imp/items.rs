//! Reads what stands outside of statements: declarations, options, procedures and claims.

use super::expr::{Expr, Range, Term, Type};
use super::parser::{Block, ITEMS, Parser, Shape};
use super::program::{Action, Mark, PointId, ProcId, Procedure, Process, VarId, Variable};
use super::reading::{Broken, Named, arithmetic, expression, said};
use crate::claims::{Piece, read_claim, read_fairness};
use crate::formula::{Reading, Stop, Syntax, shortened};
use crate::problem::Problem;
use crate::words::{did_you_mean, listed};
use rustc_hash::FxHashMap;
use tern_model::{Id, Span};

/// Calls, whose procedures may be declared behind them.
#[derive(Default)]
pub(super) struct Calls<'a> {
    list: Vec<Call<'a>>,
    /// The procedures by their names.
    declared: FxHashMap<&'a str, (ProcId, Span)>,
}

struct Call<'a> {
    point: PointId,
    name: &'a str,
    span: Span,
    arguments: Vec<Expr>,
    next: Mark,
}

impl<'a> Calls<'a> {
    /// Takes down a call, to be looked at when all procedures are known.
    pub(super) fn note(
        &mut self,
        point: PointId,
        name: &'a str,
        span: Span,
        arguments: Vec<Expr>,
        next: Mark,
    ) {
        self.list.push(Call { point, name, span, arguments, next });
    }
}

/// How formulas of claims are read: with comparisons of variables.
const CLAIMS: Reading =
    Reading { stop: Stop::Statement, syntax: Syntax { comparisons: true }, commas: false };

impl<'a> Parser<'a, '_, '_, '_> {
    /// Something outside of statements, up to the semicolon behind it.
    pub(super) fn item(&mut self) -> Result<(), Broken> {
        match self.cursor.text() {
            "claim" => {
                let at = self.cursor.lexer.at;
                let text = self.cursor.lexer.text;
                let problems = &mut *self.cursor.problems;
                let mut piece = read_claim(&mut self.formulas, text, at, CLAIMS, problems);
                if let Some(read) = piece.found.take() {
                    self.claim_names.note(&read, problems);
                    self.claims.push(read.claim());
                }
                self.behind_formula(&piece)
            }
            "fair" => {
                let at = self.cursor.lexer.at;
                let text = self.cursor.lexer.text;
                let problems = &mut *self.cursor.problems;
                let mut piece = read_fairness(&mut self.formulas, text, at, CLAIMS, problems);
                self.fair.extend(piece.found.take());
                self.behind_formula(&piece)
            }
            "var" => {
                self.cursor.advance();
                let read = self.variables(None).and_then(|()| self.cursor.expect(";"));
                self.names.broken |= read.is_err();
                read
            }
            "const" => {
                self.cursor.advance();
                let read = self.constant().and_then(|()| self.cursor.expect(";"));
                self.names.broken |= read.is_err();
                read
            }
            "option" => {
                self.cursor.advance();
                self.option()?;
                self.cursor.expect(";")
            }
            _ => {
                self.cursor.advance();
                self.procedure()
            }
        }
    }

    fn behind_formula<T>(&mut self, piece: &Piece<T>) -> Result<(), Broken> {
        self.cursor.lexer.at = piece.next;
        self.cursor.advance();
        let ends = piece.semicolon || ITEMS.contains(&self.cursor.text());
        if ends { Ok(()) } else { Err(self.cursor.unexpected("`;` behind the formula")) }
    }

    /// Makes a name known, unless it is known already.
    fn declare(&mut self, name: &'a str, span: Span, named: Named) {
        let names = match self.procedure {
            Some(_) => &mut self.names.local,
            None => &mut self.names.global,
        };
        match names.get(name) {
            None => {
                names.insert(name.to_owned(), (named, span));
                self.names.order.push(name.to_owned());
            }
            Some(&(_, first)) => self.cursor.problems.add(|_| {
                Problem::error("G011", format!("`{}` is declared twice", shortened(name)))
                    .at(span, "the second")
                    .related(first, "the first")
            }),
        }
    }

    /// The value of an expression, which must have no variables.
    fn evaluated(&mut self, expr: &Expr) -> Result<i64, Broken> {
        let has_variables = expr.terms.iter().any(|term| matches!(term, Term::Variable(_)));
        let value = match has_variables {
            true => Err("it must not depend on variables"),
            false => expr.code(|_| 0).eval(&[], &mut Vec::new()).map_err(|_| "it has no value"),
        };
        value.map_err(|why| {
            self.cursor
                .problems
                .add(|_| Problem::error("G013", "this is no constant").at(expr.span, why));
            Broken
        })
    }

    /// A value that is known before the program runs.
    fn constant_value(&mut self) -> Result<(i64, Expr), Broken> {
        let expr = expression(&mut self.cursor, &self.names)?;
        Ok((self.evaluated(&expr)?, expr))
    }

    /// A number that is known before the program runs.
    fn constant_number(&mut self) -> Result<i64, Broken> {
        let expr = arithmetic(&mut self.cursor, &self.names)?;
        let value = self.evaluated(&expr)?;
        if expr.kind == Type::Number {
            return Ok(value);
        }
        self.cursor.problems.add(|_| {
            Problem::error("G021", "a number is expected").at(expr.span, "this is a truth value")
        });
        Err(Broken)
    }

    /// `const N = 3`
    fn constant(&mut self) -> Result<(), Broken> {
        let (name, span) = self.cursor.name("the name of a constant")?;
        self.cursor.expect("=")?;
        let (value, expr) = self.constant_value()?;
        self.declare(name, span, Named::Constant(value, expr.kind));
        Ok(())
    }

    /// `0..3` or `bool`
    fn range(&mut self) -> Result<Range, Broken> {
        if self.cursor.accept("bool") || self.cursor.accept("boolean") {
            return Ok(Range::TRUTH);
        }
        let begin = self.cursor.current.span;
        let low = self.constant_number()?;
        self.cursor.expect("..")?;
        let high = self.constant_number()?;
        if low > high {
            let span = begin.to(self.cursor.last);
            self.cursor.problems.add(|_| {
                Problem::error("G014", "there is no number in this range")
                    .at(span, format!("{low} is more than {high}"))
            });
            return Err(Broken);
        }
        Ok(Range { kind: Type::Number, low, high })
    }

    /// `x, y : 0..3 = 0`
    fn variables(&mut self, home: Option<ProcId>) -> Result<(), Broken> {
        let mut names = vec![self.cursor.name("the name of a variable")?];
        while self.cursor.accept(",") {
            names.push(self.cursor.name("the name of a variable")?);
        }
        if !self.cursor.accept(":") {
            let hint = "write its values: `: 0..3`, or `: bool`";
            return Err(self.cursor.unexpected_with("`:`", Some(hint)));
        }
        let range = self.range()?;
        let initial = if self.cursor.accept("=") || self.cursor.accept(":=") {
            let (value, expr) = self.constant_value()?;
            if expr.kind != range.kind || !range.contains(value) {
                let kind = range.kind;
                self.cursor.problems.add(|_| {
                    let problem = Problem::error("G015", "the variable cannot have this value");
                    match kind {
                        _ if expr.kind != kind => {
                            problem.at(expr.span, format!("{} is expected", said(kind)))
                        }
                        _ => problem.at(
                            expr.span,
                            format!("its values are {} to {}", range.low, range.high),
                        ),
                    }
                });
                return Err(Broken);
            }
            Some(value)
        } else {
            None
        };
        for (name, span) in names {
            let variable = Variable { name: name.to_owned(), range, initial, home };
            let id = self.program.variables.push(variable);
            self.declare(name, span, Named::Variable(id, range));
        }
        Ok(())
    }

    /// `option granularity fine`
    fn option(&mut self) -> Result<(), Broken> {
        let (name, span) = self.cursor.name("an option")?;
        let value = self.cursor.text();
        let at = self.cursor.current.span;
        match self.program.mode.set(name, value) {
            Some(Ok(())) => {}
            None => {
                self.cursor.problems.add(|_| {
                    Problem::error("G016", format!("there is no option `{}`", shortened(name)))
                        .at(span, "")
                        .hint("there are `granularity`, `composition` and `fairness`")
                });
                return Err(Broken);
            }
            Some(Err(values)) => {
                self.cursor.problems.add(|_| {
                    let names = listed(9, values.iter().copied());
                    Problem::error("G016", format!("the option `{name}` has no such value"))
                        .at(at, "")
                        .hint(format!("its values are {names}"))
                });
                return Err(Broken);
            }
        }
        self.cursor.advance();
        if let Some(first) = self.options.insert(name, span) {
            self.cursor.problems.add(|_| {
                Problem::error("G017", format!("the option `{name}` is given twice"))
                    .at(span, "the second")
                    .related(first, "the first")
            });
        }
        Ok(())
    }

    /// `proc p(x : 0..3) var y : bool; … end`, up to the first statement.
    fn procedure(&mut self) -> Result<(), Broken> {
        let begin = self.cursor.last;
        let (name, span) = self.cursor.name("the name of a procedure")?;
        let id = ProcId::new(self.program.procedures.len());
        if name == "main" {
            self.cursor.problems.add(|_| {
                Problem::error("G011", "`main` is the program itself")
                    .at(span, "")
                    .hint("give the procedure another name")
            });
        } else if let Some(&(_, first)) = self.calls.declared.get(name) {
            self.cursor.problems.add(|_| {
                Problem::error("G011", format!("there are two procedures `{}`", shortened(name)))
                    .at(span, "the second")
                    .related(first, "the first")
            });
        } else {
            self.calls.declared.insert(name, (id, span));
        }
        let start = self.mark();
        let process = Process { parent: None, number: 0, start, procedure: Some(id), numbered: 0 };
        let process = self.program.processes.push(process);
        let procedure =
            Procedure { name: name.to_owned(), parameters: Vec::new(), body: Some(process) };
        self.program.procedures.push(procedure);
        self.procedure = Some(id);
        let read = self.head(id);
        self.blocks.push(Block {
            shape: Shape::Procedure,
            process,
            pending: start,
            end: None,
            opened: begin,
            empty: true,
        });
        if read.is_err() {
            self.names.broken = true;
            self.skip(&[]);
        }
        Ok(())
    }

    /// The parameters and local variables of a procedure.
    fn head(&mut self, id: ProcId) -> Result<(), Broken> {
        self.cursor.expect("(")?;
        while !self.cursor.is(")") {
            let first = self.program.variables.len();
            self.variables(Some(id))?;
            let given = (first..self.program.variables.len()).map(VarId::new);
            self.program.procedures[id].parameters.extend(given);
            if !self.cursor.accept(";") && !self.cursor.accept(",") {
                break;
            }
        }
        self.cursor.expect(")")?;
        self.cursor.accept(";");
        while self.cursor.accept("var") {
            self.variables(Some(id))?;
            self.cursor.expect(";")?;
        }
        Ok(())
    }

    /// Finds the procedures of all calls.
    pub(super) fn resolve_calls(&mut self) {
        let Calls { list, declared } = std::mem::take(&mut self.calls);
        let procedures = self.program.procedures.iter();
        let order: Vec<String> = procedures.map(|(_, it)| it.name.clone()).collect();
        for Call { point, name, span, arguments, next } in list {
            let Some(&(callee, declared)) = declared.get(name) else {
                self.cursor.problems.add(|nearest| {
                    let near = did_you_mean(nearest.among(name, order.iter().map(String::as_str)));
                    let hint = near.unwrap_or_else(|| format!("declare it: `proc {name}() … end`"));
                    Problem::error("G010", format!("there is no procedure `{}`", shortened(name)))
                        .at(span, "")
                        .hint(hint)
                });
                continue;
            };
            self.check_arguments(callee, &arguments, span, declared);
            self.program.points[point].action = Action::Call { callee, arguments, next };
            if let Some(fork) = self.first_fork {
                self.cursor.problems.add(|_| {
                    Problem::error("G023", "a program with `cobegin` cannot call procedures")
                        .at(span, "called here")
                        .related(fork, "processes begin here")
                        .hint("write the statements of the procedure in place of the call")
                });
            }
        }
    }

    fn check_arguments(&mut self, callee: ProcId, given: &[Expr], call: Span, declared: Span) {
        let parameters = &self.program.procedures[callee].parameters;
        if parameters.len() != given.len() && !self.names.broken {
            let (wanted, found) = (parameters.len(), given.len());
            self.cursor.problems.add(|_| {
                Problem::error(
                    "G024",
                    format!("the number of arguments must be {wanted}, not {found}"),
                )
                .at(call, "")
                .related(declared, "declared here")
            });
            return;
        }
        for (&parameter, argument) in parameters.iter().zip(given) {
            let kind = self.program.variables[parameter].range.kind;
            if argument.kind != kind {
                self.cursor.problems.add(|_| {
                    Problem::error("G021", format!("the parameter is {}", said(kind)))
                        .at(argument.span, format!("this is {}", said(argument.kind)))
                        .related(declared, "declared here")
                });
            }
        }
    }
}
