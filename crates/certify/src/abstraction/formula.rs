//! What a claim about an abstract machine says of the ordinary one, by the table of
//! `docs/certificate.md`.
//!
//! A formula is read in one of four *views*: whether it is surely true, or may be true; and whether
//! it is asked for in first copies of nodes only, or anywhere. A view of a formula is made of views
//! of its operands. Only those views are made that are asked for.

use super::MAYBE;
use crate::reading::{boolean, is_of_state, is_quantified};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::{Formula, FormulaId, Formulas};

/// Whether a claim is surely true, at initial nodes.
pub(super) fn must(formulas: &mut Formulas, claim: FormulaId) -> FormulaId {
    claimed(formulas, claim, View { surely: true, anywhere: false })
}

/// Whether a claim may be true, at initial nodes.
pub(super) fn may(formulas: &mut Formulas, claim: FormulaId) -> FormulaId {
    claimed(formulas, claim, View { surely: false, anywhere: false })
}

fn claimed(formulas: &mut Formulas, claim: FormulaId, view: View) -> FormulaId {
    let of_state = is_of_state(formulas, claim);
    // On all paths, unless it says otherwise: those of all steps have it surely.
    let view = View { anywhere: !of_state && view.surely, ..view };
    let mut reading = Reading::new(formulas, claim);
    let read = reading.read(claim, view);
    if of_state || view.surely {
        return read;
    }
    let sure = reading.sure_for_ever(view);
    formulas.make(Formula::Implies(sure, read))
}

/// Whether the outermost operator speaks of a path.
fn is_temporal(formula: Formula) -> bool {
    !matches!(formula, Formula::Atom(_))
        && !is_quantified(formula)
        && boolean(formula, |_| false).is_none()
}

/// How a formula is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct View {
    surely: bool,
    anywhere: bool,
}

impl View {
    fn opposite(self) -> View {
        View { surely: !self.surely, ..self }
    }

    fn first(self) -> View {
        View { anywhere: false, ..self }
    }

    fn anywhere(self) -> View {
        View { anywhere: true, ..self }
    }
}

/// A quantifier, in a view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    /// It is no quantifier.
    None,
    /// Over the paths of all steps.
    All,
    /// Over a state formula, which is as it is.
    State,
    /// Over one operator with state formulas, on sure paths.
    Operator,
    /// Over other sure paths.
    Path,
}

struct Reading<'f> {
    formulas: &'f mut Formulas,
    maybe: FormulaId,
    /// The subformulas that have one truth value in a configuration.
    of_state: BTreeSet<FormulaId>,
    done: BTreeMap<(FormulaId, View), FormulaId>,
}

impl<'f> Reading<'f> {
    fn new(formulas: &'f mut Formulas, claim: FormulaId) -> Self {
        let maybe = formulas.atom(MAYBE);
        let mut of_state = BTreeSet::new();
        for id in formulas.subformulas(claim) {
            let formula = formulas.get(id);
            let operands = || formula.operands().all(|f| of_state.contains(&f));
            if is_quantified(formula) || !is_temporal(formula) && operands() {
                of_state.insert(id);
            }
        }
        Reading { formulas, maybe, of_state, done: BTreeMap::new() }
    }

    /// Makes a view of a formula, after all that it is made of.
    fn read(&mut self, root: FormulaId, view: View) -> FormulaId {
        let mut open = vec![(root, view)];
        while let Some(&(id, view)) = open.last() {
            let before = open.len();
            let missing = self.needs(id, view).into_iter();
            open.extend(missing.filter(|need| !self.done.contains_key(need)));
            if open.len() == before {
                open.pop();
                let made = self.make(id, view);
                self.done.insert((id, view), made);
            }
        }
        self.done[&(root, view)]
    }

    fn range(&self, id: FormulaId, view: View) -> Range {
        let formula = self.formulas.get(id);
        let (path, all_steps) = match formula {
            Formula::Exists(path) => (path, !view.surely),
            Formula::All(path) => (path, view.surely),
            _ => return Range::None,
        };
        let of_state = |id: FormulaId| self.of_state.contains(&id);
        if all_steps {
            Range::All
        } else if of_state(path) {
            Range::State
        } else {
            let inner = self.formulas.get(path);
            let operator = is_temporal(inner) && inner.operands().all(of_state);
            if operator { Range::Operator } else { Range::Path }
        }
    }

    /// The views that a view of a formula is made of.
    fn needs(&self, id: FormulaId, view: View) -> Vec<(FormulaId, View)> {
        let formula = self.formulas.get(id);
        let path = || formula.operands().next();
        match self.range(id, view) {
            Range::All => path().map(|path| (path, view.anywhere())).into_iter().collect(),
            Range::State | Range::Path => path().map(|path| (path, view)).into_iter().collect(),
            Range::Operator => {
                let inner = path().map(|path| self.formulas.get(path));
                let operands = inner.into_iter().flat_map(Formula::operands);
                operands.flat_map(|f| [(f, view.first()), (f, view)]).collect()
            }
            Range::None => match formula {
                Formula::Not(f) => vec![(f, view.opposite())],
                Formula::Implies(f, g) => vec![(f, view.opposite()), (g, view)],
                Formula::Iff(..) | Formula::Xor(..) => {
                    formula.operands().flat_map(|f| [(f, view), (f, view.opposite())]).collect()
                }
                _ => formula.operands().map(|f| (f, view)).collect(),
            },
        }
    }

    fn make(&mut self, id: FormulaId, view: View) -> FormulaId {
        let formula = self.formulas.get(id);
        let path = formula.operands().next();
        match (self.range(id, view), path) {
            (Range::All, Some(path)) => {
                let path = self.done[&(path, view.anywhere())];
                let made = formula.with_operands(|_| path);
                self.formulas.make(made)
            }
            (Range::State, Some(path)) => self.done[&(path, view)],
            (Range::Path, Some(path)) => {
                let sure = self.sure_for_ever(view);
                let path = self.done[&(path, view)];
                let path = match view.surely {
                    true => self.formulas.make(Formula::And(sure, path)),
                    false => self.formulas.make(Formula::Implies(sure, path)),
                };
                let made = formula.with_operands(|_| path);
                self.formulas.make(made)
            }
            (Range::Operator, Some(path)) => self.operator(formula, path, view),
            (Range::None | Range::All | Range::State | Range::Path | Range::Operator, _) => {
                self.plain(formula, view)
            }
        }
    }

    /// What is no quantifier.
    fn plain(&mut self, formula: Formula, view: View) -> FormulaId {
        let is = |it: &Self, f: FormulaId| it.done[&(f, view)];
        let not = |it: &mut Self, f: FormulaId| {
            let f = it.done[&(f, view.opposite())];
            it.formulas.make(Formula::Not(f))
        };
        match formula {
            Formula::Atom(atom) => {
                let word = if view.surely { "must" } else { "may" };
                let name = format!("{word} {}", self.formulas.atom_name(atom));
                self.formulas.atom(&name)
            }
            Formula::Not(f) => not(self, f),
            Formula::Implies(f, g) => {
                let made = Formula::Implies(self.done[&(f, view.opposite())], is(self, g));
                self.formulas.make(made)
            }
            Formula::Iff(f, g) => {
                let both = Formula::And(is(self, f), is(self, g));
                let neither = Formula::And(not(self, f), not(self, g));
                self.one_of(both, neither)
            }
            Formula::Xor(f, g) => {
                let first = Formula::And(is(self, f), not(self, g));
                let second = Formula::And(not(self, f), is(self, g));
                self.one_of(first, second)
            }
            _ => {
                let made = formula.with_operands(|f| is(self, f));
                self.formulas.make(made)
            }
        }
    }

    fn one_of(&mut self, one: Formula, other: Formula) -> FormulaId {
        let (one, other) = (self.formulas.make(one), self.formulas.make(other));
        self.formulas.make(Formula::Or(one, other))
    }

    /// One temporal operator under a quantifier, on sure paths.
    fn operator(&mut self, quantifier: Formula, path: FormulaId, view: View) -> FormulaId {
        let formula = self.formulas.get(path);
        let operands: Vec<FormulaId> = formula.operands().collect();
        let first: BTreeMap<FormulaId, FormulaId> = operands
            .iter()
            .map(|&f| (f, self.while_sure(self.done[&(f, view.first())], view)))
            .collect();
        let sure = match (formula, view.surely) {
            // F t is true U t, and G t is false R t.
            (Formula::Finally(t), true) => {
                Formula::Until(self.formulas.make(Formula::Not(self.maybe)), first[&t])
            }
            (Formula::Globally(t), false) => Formula::Release(self.maybe, first[&t]),
            _ => formula.with_operands(|f| first[&f]),
        };
        let sure = self.formulas.make(sure);
        let whole = self.formulas.make(quantifier.with_operands(|_| sure));
        if !view.anywhere || matches!(formula, Formula::Next(_)) {
            return whole;
        }
        // One step, and then the same on.
        let after = self.while_sure(whole, view);
        let after = self.formulas.make(Formula::Next(after));
        let after = self.formulas.make(quantifier.with_operands(|_| after));
        let now = |it: &Self, i: usize| it.done[&(operands[i], view)];
        let (both, either) = (Formula::And, Formula::Or);
        match formula {
            Formula::Finally(_) => self.formulas.make(either(now(self, 0), after)),
            Formula::Globally(_) => self.formulas.make(both(now(self, 0), after)),
            Formula::Until(..) | Formula::WeakUntil(..) => {
                let on = self.formulas.make(both(now(self, 0), after));
                self.formulas.make(either(now(self, 1), on))
            }
            _ => {
                let on = self.formulas.make(either(now(self, 0), after));
                self.formulas.make(both(now(self, 1), on))
            }
        }
    }

    /// What has to hold as long as steps are sure, in a formula of existence or of all.
    fn while_sure(&mut self, f: FormulaId, view: View) -> FormulaId {
        if view.surely {
            let sure = self.formulas.make(Formula::Not(self.maybe));
            self.formulas.make(Formula::And(sure, f))
        } else {
            self.formulas.make(Formula::Or(self.maybe, f))
        }
    }

    /// That all steps of a path are sure.
    fn sure_for_ever(&mut self, view: View) -> FormulaId {
        let sure = self.formulas.make(Formula::Not(self.maybe));
        let always = self.formulas.make(Formula::Globally(sure));
        if view.anywhere { self.formulas.make(Formula::Next(always)) } else { always }
    }
}
