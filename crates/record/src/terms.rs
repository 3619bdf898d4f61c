//! The terms of a program as formulas again, for people: `AG p`, not `!(E [true U !p])`.

use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Formula, FormulaId, Formulas, Id, TermId};

/// The longest text of a term that is written out, roughly, in bytes: terms share their operands, and
/// written out some are longer than any file.
pub const LONGEST: u64 = 1 << 10;

/// The texts of the terms of a program.
pub struct Terms<'a> {
    /// The program.
    pub program: &'a Program,
    printable: Formulas,
    formula_of: Table<TermId, FormulaId>,
    negation_of: Table<TermId, FormulaId>,
    length: Table<TermId, u64>,
    temporal: Table<TermId, bool>,
}

impl<'a> Terms<'a> {
    /// Makes the texts of all terms.
    pub fn new(formulas: &Formulas, program: &'a Program) -> Self {
        let mut made = Terms {
            program,
            printable: Formulas::new(),
            formula_of: Table::new(),
            negation_of: Table::new(),
            length: Table::new(),
            temporal: Table::new(),
        };
        for (_, &term) in program.terms.iter() {
            let own = match term {
                Term::Atom(atom) => formulas.atom_name(atom).len() as u64,
                _ => 8, // more than any operator with its brackets and spaces
            };
            let (formula, negation) = made.formulas(formulas, term);
            let length = term.operands().fold(own, |sum, f| sum.saturating_add(made.length[f]));
            let temporal = term.is_temporal() || term.operands().any(|f| made.temporal[f]);
            made.formula_of.push(formula);
            made.negation_of.push(negation);
            made.length.push(length);
            made.temporal.push(temporal);
        }
        made
    }

    /// A term as a formula, and its negation.
    fn formulas(&mut self, formulas: &Formulas, term: Term) -> (FormulaId, FormulaId) {
        let of = |f: TermId| self.formula_of[f];
        let not = |f: TermId| self.negation_of[f];
        let eventually = |f: TermId| self.program.terms[f] == Term::True;
        let paths = match term {
            Term::Ex(f) => (Formula::Next(of(f)), Formula::Next(not(f))),
            Term::Eg(f) => (Formula::Globally(of(f)), Formula::Finally(not(f))),
            Term::Eu(t, f) if eventually(t) => (Formula::Finally(of(f)), Formula::Globally(not(f))),
            _ => {
                let negated = match term {
                    Term::Not(f) => return (not(f), of(f)),
                    Term::True => Some(Formula::False),
                    Term::Or(f, g) => Some(Formula::And(not(f), not(g))),
                    _ => None,
                };
                let plain = match term {
                    Term::Atom(atom) => self.printable.atom(formulas.atom_name(atom)),
                    Term::And(f, g) => self.printable.make(Formula::And(of(f), of(g))),
                    Term::Or(f, g) => self.printable.make(Formula::Or(of(f), of(g))),
                    Term::Eu(f, g) => {
                        let path = Formula::Until(of(f), of(g));
                        let path = self.printable.make(path);
                        self.printable.make(Formula::Exists(path))
                    }
                    _ => self.printable.make(Formula::True),
                };
                return (plain, self.printable.make(negated.unwrap_or(Formula::Not(plain))));
            }
        };
        let (some, every) = (self.printable.make(paths.0), self.printable.make(paths.1));
        (self.printable.make(Formula::Exists(some)), self.printable.make(Formula::All(every)))
    }

    /// Whether the term has a path operator in it.
    pub fn is_temporal(&self, term: TermId) -> bool {
        self.temporal[term]
    }

    /// A term as text, or by its number if that would be long.
    pub fn text(&self, term: TermId) -> String {
        if self.length[term] > LONGEST {
            return format!("(subformula {})", term.index());
        }
        self.printable.show(self.formula_of[term]).to_string()
    }
}
