//! Specifications as formulas. Operators of time and the boolean connectives around them are
//! operators of the formula; whatever stands below, such as `x + 1 < y`, is a proposition: its
//! name is its text with full names of variables, and it is evaluated in each state.
//!
//! In a program with calls, a definition is a label that all modules share, and everything else is
//! local: a proposition of `foo` is called `foo.x = 1`, and is false while another module runs.

use super::flat::{Flat, InstanceId, Symbol};
use super::resolve::operands;
use super::syntax::{Binary, Bounded, Expr, ExprId, SpecKind, Unary, Whole};
use super::terms::{Base, Facts, Term, TermId, Terms, Value};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Formula, FormulaId, Formulas, Limit, Span};

/// A proposition: a condition on the states of an instance. Labels have one for each module that
/// defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proposition {
    pub(super) root: InstanceId,
    pub(super) term: TermId,
}

/// What propositions mean, by name, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Propositions {
    pub(super) list: Vec<(String, Vec<Proposition>)>,
    index: FxHashMap<String, usize>,
    /// Those of the form `a != b`, by name, and what `a = b` is called.
    opposites: Vec<(String, String)>,
}

impl Propositions {
    /// Adds a proposition, unless it is known.
    pub(super) fn add(&mut self, name: &str, meaning: Vec<Proposition>) {
        if !self.index.contains_key(name) {
            self.index.insert(name.to_owned(), self.list.len());
            self.list.push((name.to_owned(), meaning));
        }
    }

    /// Adds what a proposition means elsewhere.
    pub(super) fn extend(&mut self, name: &str, meaning: Proposition) {
        match self.index.get(name) {
            Some(&i) => self.list[i].1.push(meaning),
            None => self.add(name, vec![meaning]),
        }
    }

    /// Takes `a = b` in the place of each `a != b`: where one is true the other is false. Gives the
    /// names of both.
    pub(super) fn take_opposites(&mut self, terms: &mut Terms) -> Vec<(String, String)> {
        for (name, opposite) in &self.opposites {
            let Some(&i) = self.index.get(name) else { continue };
            let meaning = self.list[i].1.clone();
            let negated = meaning.into_iter().map(|Proposition { root, term }| {
                let Facts { sort, span, .. } = terms.facts(term);
                Proposition { root, term: terms.make(Term::Not(term), sort, span) }
            });
            let negated = negated.collect();
            self.list[i].1.clear();
            if !self.index.contains_key(opposite) {
                self.index.insert(opposite.clone(), self.list.len());
                self.list.push((opposite.clone(), negated));
            }
        }
        let is_left = |(_, meaning): &(String, Vec<Proposition>)| !meaning.is_empty();
        self.list.retain(is_left);
        self.index = self.list.iter().map(|(name, _)| name.clone()).zip(0..).collect();
        std::mem::take(&mut self.opposites)
    }

    /// How many propositions are of the form `a != b`.
    pub(super) fn unequal(&self) -> usize {
        self.opposites.len()
    }

    pub(super) fn find(&self, name: &str) -> Option<&[Proposition]> {
        self.index.get(name).map(|&i| &self.list[i].1[..])
    }
}

/// A formula, and where its propositions stand.
pub(super) struct Specified {
    pub(super) formula: FormulaId,
    pub(super) spans: Vec<(FormulaId, Span)>,
}

/// Makes formulas of expressions.
pub(super) struct Speaker<'f> {
    pub(super) flat: &'f mut Flat,
    pub(super) formulas: &'f mut Formulas,
    pub(super) propositions: &'f mut Propositions,
}

impl Speaker<'_> {
    /// The formula of a specification of an instance; `None` if something is wrong with it.
    pub(super) fn formula(
        &mut self,
        whole: Whole,
        instance: InstanceId,
        kind: SpecKind,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Specified>, Limit> {
        let rows: Vec<ExprId> = self.flat.text.rows_of(whole).collect();
        let local = |id: ExprId| id.index() - whole.first.index();
        // Bottom up: where the rows of each part begin, and whether it speaks of time.
        let mut first: Vec<ExprId> = Vec::with_capacity(rows.len());
        let mut timed: Vec<bool> = Vec::with_capacity(rows.len());
        for &row in &rows {
            meter.tick()?;
            let expr = &self.flat.text.rows[row].expr;
            let parts = operands(expr);
            first.push(parts.iter().map(|&it| first[local(it)]).min().unwrap_or(row));
            timed.push(logic(expr).is_some() || parts.iter().any(|&it| timed[local(it)]));
        }
        // Top down: which rows are formulas, and not parts of propositions.
        let mut spoken = vec![false; rows.len()];
        spoken[rows.len() - 1] = true;
        for &row in rows.iter().rev() {
            let expr = &self.flat.text.rows[row].expr;
            if spoken[local(row)] && is_formula(expr, timed[local(row)]) {
                operands(expr).into_iter().for_each(|it| spoken[local(it)] = true);
            }
        }
        let mut made: Vec<Option<FormulaId>> = vec![None; rows.len()];
        let (mut spans, mut fine) = (Vec::new(), true);
        for &row in rows.iter().filter(|&&row| spoken[local(row)]) {
            meter.tick()?;
            let expr = self.flat.text.rows[row].expr.clone();
            let span = self.flat.text.rows[row].span;
            let is_timed = timed[local(row)];
            let formula = if is_formula(&expr, is_timed) {
                let allowed = self.check_logic(&expr, kind, span);
                let parts: Option<Vec<FormulaId>> =
                    operands(&expr).into_iter().map(|it| made[local(it)]).collect();
                parts.filter(|_| allowed).map(|parts| self.operator(&expr, &parts))
            } else {
                let part = Whole { first: first[local(row)], root: row };
                self.proposition(part, instance, kind, meter)?
            };
            match formula {
                Some(formula) => {
                    spans.push((formula, span));
                    made[local(row)] = Some(formula);
                }
                None => fine = false,
            }
        }
        let root = made.last().copied().flatten().filter(|_| fine);
        Ok(root.map(|formula| Specified { formula, spans }))
    }

    /// Whether an operator belongs to the logic of the specification.
    fn check_logic(&mut self, expr: &Expr, kind: SpecKind, span: Span) -> bool {
        let Some(own) = logic(expr) else { return true };
        if own == kind {
            return true;
        }
        let (message, hint) = match (kind, own) {
            (SpecKind::Invariant, _) => {
                ("an invariant has no operators of time", "write `SPEC AG …`")
            }
            (_, SpecKind::Ltl) => (
                "this operator is one of linear time: in CTL a quantifier stands before each",
                "write LTLSPEC, or `A` or `E` before it",
            ),
            _ => ("this operator is one of CTL, and has no place in linear time", "write CTLSPEC"),
        };
        let flat = &mut *self.flat;
        flat.problem("S033", span, |_| Problem::error("S033", message).at(span, "here").hint(hint));
        false
    }

    /// An operator of a formula.
    fn operator(&mut self, expr: &Expr, parts: &[FormulaId]) -> FormulaId {
        use Formula::*;
        let fs = &mut *self.formulas;
        match (expr, parts) {
            (Expr::Unary(unary, _), &[f]) => {
                let path = match unary {
                    Unary::Not => return fs.make(Not(f)),
                    Unary::Ex | Unary::Ax | Unary::X => fs.make(Next(f)),
                    Unary::Ef | Unary::Af | Unary::F => fs.make(Finally(f)),
                    _ => fs.make(Globally(f)),
                };
                match unary {
                    Unary::Ex | Unary::Ef | Unary::Eg => fs.make(Exists(path)),
                    Unary::Ax | Unary::Af | Unary::Ag => fs.make(All(path)),
                    _ => path,
                }
            }
            (Expr::Binary(binary, ..), &[f, g]) => match binary {
                Binary::And => fs.make(And(f, g)),
                Binary::Or => fs.make(Or(f, g)),
                Binary::Implies => fs.make(Implies(f, g)),
                Binary::Iff | Binary::Xnor | Binary::Equal => fs.make(Iff(f, g)),
                Binary::Xor | Binary::NotEqual => fs.make(Xor(f, g)),
                Binary::Release => fs.make(Release(f, g)),
                _ => {
                    let path = fs.make(Until(f, g));
                    match binary {
                        Binary::ExistsUntil => fs.make(Exists(path)),
                        Binary::AllUntil => fs.make(All(path)),
                        _ => path,
                    }
                }
            },
            (Expr::If(..), &[condition, f, g]) => {
                let then = fs.make(Implies(condition, f));
                let other = fs.make(Or(condition, g));
                fs.make(And(then, other))
            }
            (Expr::Bounded(bounded, bounds, ..), &[f, ref rest @ ..]) => {
                bounded_operator(fs, *bounded, *bounds, f, rest.first().copied())
            }
            // No other expression is an operator of a formula.
            _ => fs.make(True),
        }
    }

    /// A part of a specification that is a proposition.
    fn proposition(
        &mut self,
        part: Whole,
        instance: InstanceId,
        kind: SpecKind,
        meter: &mut Meter<'_>,
    ) -> Result<Option<FormulaId>, Limit> {
        if self.flat.has_calls
            && let Expr::Name(name) = self.flat.text.rows[part.root].expr
            && !matches!(self.flat.instances[instance].symbols.get(&name), Some(Symbol::Var(_)))
            && self.propositions.find(self.flat.name(name)).is_some()
        {
            return Ok(Some(self.formulas.atom(self.flat.text.names.of(name))));
        }
        let Some(term) = self.flat.condition(part, instance, false, meter)? else {
            return Ok(None);
        };
        let facts = self.flat.terms.facts(term);
        if kind == SpecKind::Ltl && facts.has_input && !facts.has_next {
            // It is about the step that is taken: the next state knows.
            let last = self.remembered(term, part, instance);
            return Ok(Some(self.formulas.make(Formula::Next(last))));
        }
        if !self.flat.is_simple(term, self.flat.text.span(part)) {
            return Ok(None);
        }
        if let Some(Value::Bool(truth)) = self.flat.terms.constant(term) {
            let formula = if truth { Formula::True } else { Formula::False };
            return Ok(Some(self.formulas.make(formula)));
        }
        let name = self.flat.written(part, instance);
        let mut root = instance;
        while let Some(parent) = self.flat.instances[root].parent {
            root = parent;
        }
        if self.propositions.find(&name).is_none()
            && let Some(opposite) = self.flat.opposite(part, instance)
        {
            self.propositions.opposites.push((name.clone(), opposite));
        }
        self.propositions.add(&name, vec![Proposition { root, term }]);
        Ok(Some(self.formulas.atom(&name)))
    }

    /// That a condition was true in the last step.
    pub(super) fn remembered(
        &mut self,
        condition: TermId,
        part: Whole,
        instance: InstanceId,
    ) -> FormulaId {
        let (text, span) = (self.flat.written(part, instance), self.flat.text.span(part));
        let var = self.flat.remembered(condition, &text, span);
        let term = self.flat.terms.variable(Term::Now(var), Base::Bool, false, span);
        let root = self.flat.vars[var].instance;
        let name = self.flat.vars[var].name.clone();
        self.propositions.add(&name, vec![Proposition { root, term }]);
        self.formulas.atom(&name)
    }
}

/// Operators with bounds, written out. The bounds count steps.
fn bounded_operator(
    fs: &mut Formulas,
    bounded: Bounded,
    (low, high): (i64, i64),
    f: FormulaId,
    g: Option<FormulaId>,
) -> FormulaId {
    use Formula::*;
    let until = |fs: &mut Formulas, later: FormulaId| match g {
        Some(g) => {
            let goes_on = fs.make(And(f, later));
            fs.make(Or(g, goes_on))
        }
        None => later,
    };
    let mut now = g.unwrap_or(f);
    for step in (0..high).rev() {
        let next = fs.make(Next(now));
        let next = match bounded {
            Bounded::Ebf | Bounded::Ebg | Bounded::ExistsUntil => fs.make(Exists(next)),
            Bounded::Abf | Bounded::Abg | Bounded::AllUntil => fs.make(All(next)),
            Bounded::F | Bounded::G => next,
        };
        now = match bounded {
            _ if step < low => match bounded {
                // Before the bounds `f` must hold as well: so NuSMV decides it.
                Bounded::ExistsUntil | Bounded::AllUntil => fs.make(And(f, next)),
                _ => next,
            },
            Bounded::Ebf | Bounded::Abf | Bounded::F => fs.make(Or(f, next)),
            Bounded::Ebg | Bounded::Abg | Bounded::G => fs.make(And(f, next)),
            Bounded::ExistsUntil | Bounded::AllUntil => until(fs, next),
        };
    }
    now
}

/// The logic that an operator of time belongs to.
fn logic(expr: &Expr) -> Option<SpecKind> {
    match expr {
        Expr::Unary(unary, _) => unary.logic(),
        Expr::Binary(binary, ..) => binary.logic(),
        Expr::Bounded(Bounded::F | Bounded::G, ..) => Some(SpecKind::Ltl),
        Expr::Bounded(..) => Some(SpecKind::Ctl),
        _ => None,
    }
}

/// Whether an expression in the place of a formula is an operator of it, and no proposition.
fn is_formula(expr: &Expr, timed: bool) -> bool {
    match expr {
        Expr::Unary(unary, _) => *unary == Unary::Not || unary.logic().is_some(),
        Expr::Binary(binary, ..) => match binary {
            Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Xnor
            | Binary::Iff
            | Binary::Implies => true,
            Binary::Equal | Binary::NotEqual => timed,
            _ => binary.logic().is_some(),
        },
        Expr::If(..) => timed,
        Expr::Bounded(..) => true,
        _ => false,
    }
}
