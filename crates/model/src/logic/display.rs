//! Printing formulas so that reading them back gives the same formula.
//!
//! One spelling for all: `AG (p -> EF q)`, `E [p U q]`, `G (p -> F q)`. Operators from loose to
//! tight: `->` (groups to the right), `<->`, `|`, `xor`, `&` (to the left), then the prefix
//! operators. `U R W M` stand in parentheses within other formulas, since tools differ in how
//! tightly they bind. A quantifier that stands before anything but `X F G` takes brackets, and is
//! put in parentheses beside `U R W M`, where a reader might go on past it.

use super::{Formula, Formulas, words};
use crate::index::FormulaId;
use crate::quoted::push_quoted;
use std::fmt::{self, Display, Write};

/// A formula with its arena, ready to be printed.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    formulas: &'a Formulas,
    root: FormulaId,
}

impl<'a> Shown<'a> {
    pub(super) fn new(formulas: &'a Formulas, root: FormulaId) -> Self {
        Shown { formulas, root }
    }
}

/// How tightly an operator binds; a looser operand is put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Binary,
    Implies,
    Iff,
    Or,
    Xor,
    And,
    Quantifier,
    Prefix,
    Atom,
}

fn level(formula: Formula) -> Level {
    use Formula::*;
    match formula {
        Implies(..) => Level::Implies,
        Iff(..) => Level::Iff,
        Or(..) => Level::Or,
        Xor(..) => Level::Xor,
        And(..) => Level::And,
        Until(..) | Release(..) | WeakUntil(..) | StrongRelease(..) => Level::Binary,
        Exists(_) | All(_) => Level::Quantifier,
        Not(_) | Next(_) | Finally(_) | Globally(_) => Level::Prefix,
        True | False | Atom(_) => Level::Atom,
    }
}

/// What is left to print; a stack of these takes the place of recursion.
enum Todo {
    Text(&'static str),
    /// A formula, in parentheses if it is looser than this.
    Formula(FormulaId, Level),
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut todo = vec![Todo::Formula(self.root, Level::Binary)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Text(text) => f.write_str(text)?,
                Todo::Formula(id, at_least) => {
                    let formula = self.formulas.get(id);
                    if level(formula) < at_least {
                        f.write_char('(')?;
                        todo.push(Todo::Text(")"));
                    }
                    self.open(formula, f, &mut todo)?;
                }
            }
        }
        Ok(())
    }
}

impl Shown<'_> {
    /// Prints how a formula begins and notes down the rest, last thing first.
    fn open(
        &self,
        formula: Formula,
        f: &mut fmt::Formatter<'_>,
        todo: &mut Vec<Todo>,
    ) -> fmt::Result {
        use Formula::*;
        let mut infix = |left, left_level, operator, right, right_level| {
            todo.push(Todo::Formula(right, right_level));
            todo.push(Todo::Text(operator));
            todo.push(Todo::Formula(left, left_level));
        };
        match formula {
            True => f.write_str("true"),
            False => f.write_str("false"),
            Atom(atom) => write_atom(f, self.formulas.atom_name(atom)),
            Implies(a, b) => {
                infix(a, Level::Iff, " -> ", b, Level::Implies);
                Ok(())
            }
            Iff(a, b) => {
                infix(a, Level::Iff, " <-> ", b, Level::Or);
                Ok(())
            }
            Or(a, b) => {
                infix(a, Level::Or, " | ", b, Level::Xor);
                Ok(())
            }
            Xor(a, b) => {
                infix(a, Level::Xor, " xor ", b, Level::And);
                Ok(())
            }
            And(a, b) => {
                infix(a, Level::And, " & ", b, Level::Quantifier);
                Ok(())
            }
            Until(a, b) => {
                infix(a, Level::Prefix, " U ", b, Level::Prefix);
                Ok(())
            }
            Release(a, b) => {
                infix(a, Level::Prefix, " R ", b, Level::Prefix);
                Ok(())
            }
            WeakUntil(a, b) => {
                infix(a, Level::Prefix, " W ", b, Level::Prefix);
                Ok(())
            }
            StrongRelease(a, b) => {
                infix(a, Level::Prefix, " M ", b, Level::Prefix);
                Ok(())
            }
            Not(a) => {
                todo.push(Todo::Formula(a, Level::Quantifier));
                f.write_char('!')
            }
            Next(a) | Finally(a) | Globally(a) => {
                todo.push(Todo::Formula(a, Level::Quantifier));
                f.write_str(prefix(formula))
            }
            Exists(path) | All(path) => {
                f.write_char(if matches!(formula, Exists(_)) { 'E' } else { 'A' })?;
                match self.formulas.get(path) {
                    inner @ (Next(a) | Finally(a) | Globally(a)) => {
                        todo.push(Todo::Formula(a, Level::Quantifier));
                        f.write_str(prefix(inner))
                    }
                    _ => {
                        todo.push(Todo::Text("]"));
                        todo.push(Todo::Formula(path, Level::Binary));
                        f.write_str(" [")
                    }
                }
            }
        }
    }
}

fn prefix(formula: Formula) -> &'static str {
    match formula {
        Formula::Next(_) => "X ",
        Formula::Finally(_) => "F ",
        _ => "G ",
    }
}

/// Writes the name of a proposition, in quotes where it would be misread without.
fn write_atom(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    let is_applied = || words::applied(name).is_some_and(|(_, canonical)| canonical == name);
    if words::is_plain(name) || is_applied() {
        return f.write_str(name);
    }
    write_quoted(f, name)
}

/// Writes a text in quotes.
pub(crate) fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(&mut quoted, text);
    f.write_str(&quoted)
}

#[cfg(test)]
mod tests {
    use super::Formula::*;
    use super::*;

    #[test]
    fn formulas_are_printed_with_few_parentheses() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("in use"));
        let fq = fs.make(Finally(q));
        let efq = fs.make(Exists(fq));
        let implies = fs.make(Implies(p, efq));
        let g = fs.make(Globally(implies));
        let ag = fs.make(All(g));
        assert_eq!(fs.show(ag).to_string(), "AG (p -> EF \"in use\")");
        let until = fs.make(Until(ag, p));
        let not = fs.make(Not(until));
        let e = fs.make(Exists(not));
        assert_eq!(fs.show(e).to_string(), "E [!((AG (p -> EF \"in use\")) U p)]");
        let and = fs.make(And(p, p));
        let right = fs.make(And(p, and));
        let left = fs.make(And(and, p));
        assert_eq!(fs.show(right).to_string(), "p & (p & p)");
        assert_eq!(fs.show(left).to_string(), "p & p & p");
    }

    #[test]
    fn deep_formulas_are_printed() {
        let mut fs = Formulas::new();
        let mut f = fs.atom("p");
        for _ in 0..100_000 {
            f = fs.make(Not(f));
        }
        assert_eq!(fs.show(f).to_string().len(), 100_001);
    }
}
