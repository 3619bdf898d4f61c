//! What is sought of a run, as pairs of strong fairness and the rest.
//!
//! That a formula holds may mean that several do: the conjuncts of `f & g`, and of `!(f -> g)`
//! those of `f` and of `!g`. Conjuncts of the form `G F p -> G F q`, where `p` and `q` speak of
//! states, are pairs; this is how claims are written that are restricted to fair paths.

use super::Sides;
use tern_automata::closure;
use tern_model::automaton::MAX_MARKS;
use tern_model::{Formula, FormulaId, Formulas, Gap, Obligation};

/// What is sought, in parts that must all be met.
pub(crate) struct Split {
    /// The pairs: the conjunct itself, and its two sides.
    pub(crate) pairs: Vec<Conjunct>,
    /// The rest, sorted. Without pairs it is what is sought itself.
    pub(crate) rest: Vec<Obligation>,
    /// How many pairs are among the rest because there is no room for them.
    left_over: usize,
}

/// A conjunct `G F when -> G F then`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conjunct {
    pub(crate) formula: FormulaId,
    pub(crate) when: FormulaId,
    pub(crate) then: FormulaId,
}

impl Split {
    /// The sides of the pairs.
    pub(crate) fn sides(&self) -> Vec<Sides> {
        self.pairs.iter().map(|pair| (pair.when, pair.then)).collect()
    }
}

/// Takes pairs out of what is sought: as many as an automaton has marks for, besides those that
/// the rest may need.
pub(crate) fn split(formulas: &Formulas, sought: Obligation) -> Split {
    let (mut pairs, mut rest): (Vec<Conjunct>, Vec<Obligation>) = Default::default();
    let mut stack = vec![sought];
    while let Some(Obligation { formula, holds }) = stack.pop() {
        let with = |formula, holds| Obligation { formula, holds };
        match (formulas.get(formula), holds) {
            (Formula::Not(f), _) => stack.push(with(f, !holds)),
            (Formula::And(f, g), true) | (Formula::Or(f, g), false) => {
                stack.extend([with(g, holds), with(f, holds)]);
            }
            (Formula::Implies(f, g), false) => stack.extend([with(g, false), with(f, true)]),
            (Formula::Implies(f, g), true) => match (again(formulas, f), again(formulas, g)) {
                (Some(when), Some(then)) => {
                    if pairs.iter().all(|known| known.formula != formula) {
                        pairs.push(Conjunct { formula, when, then });
                    }
                }
                _ => rest.push(with(formula, holds)),
            },
            _ => rest.push(with(formula, holds)),
        }
    }
    let mut left_over = 0;
    while !pairs.is_empty() && pairs.len() + marks_needed(formulas, &rest) > MAX_MARKS as usize {
        rest.extend(pairs.pop().map(|it| Obligation { formula: it.formula, holds: true }));
        left_over += 1;
    }
    if pairs.is_empty() {
        return Split { pairs, rest: vec![sought], left_over };
    }
    rest.sort_unstable();
    rest.dedup();
    Split { pairs, rest, left_over }
}

/// How many pairs may be left over to the automaton, which each of them about doubles.
const MOST_LEFT_OVER: usize = 4;

/// Whether there are too many pairs in what a claim asks of some paths.
///
/// # Errors
/// That there are, in words.
pub(crate) fn not_too_many(formulas: &Formulas, claim: FormulaId) -> Result<(), Gap> {
    let parts = formulas.subformulas(claim);
    let is_pair = |&&id: &&FormulaId| match formulas.get(id) {
        Formula::Implies(f, g) => again(formulas, f).is_some() && again(formulas, g).is_some(),
        _ => false,
    };
    // The usual case, in little time.
    if parts.iter().filter(is_pair).take(MAX_MARKS as usize / 2).count() < MAX_MARKS as usize / 2 {
        return Ok(());
    }
    let paths = parts.iter().filter_map(|&id| match formulas.get(id) {
        Formula::Exists(formula) => Some(Obligation { formula, holds: true }),
        Formula::All(formula) => Some(Obligation { formula, holds: false }),
        _ => None,
    });
    let path =
        (!formulas.is_state_formula(claim)).then_some(Obligation { formula: claim, holds: false });
    for sought in paths.chain(path) {
        let Split { pairs, left_over, .. } = split(formulas, sought);
        if left_over > MOST_LEFT_OVER {
            let all = pairs.len() + left_over;
            return Err(Gap::Unsupported(format!(
                "there are {all} strong fairness conditions, which with what the claim promises is more \
                 than {MAX_MARKS}"
            )));
        }
    }
    Ok(())
}

/// What holds again and again by `G F p`, if it speaks of states.
fn again(formulas: &Formulas, formula: FormulaId) -> Option<FormulaId> {
    let Formula::Globally(later) = formulas.get(formula) else { return None };
    let Formula::Finally(state) = formulas.get(later) else { return None };
    formulas.is_state_formula(state).then_some(state)
}

/// How many marks an automaton may need at most for some obligations.
fn marks_needed(formulas: &Formulas, obligations: &[Obligation]) -> usize {
    let mut promises: Vec<FormulaId> = obligations
        .iter()
        .flat_map(|it| closure(formulas, it.formula))
        .filter(|&id| formulas.get(id).is_temporal())
        .collect();
    promises.sort_unstable();
    promises.dedup();
    promises.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::fairness::{Fairness, Pair};
    use tern_model::logic::fair;

    #[test]
    fn pairs_are_taken_out_as_far_as_there_is_room() {
        for count in [0, 1, 3, 61, 62, 63, 100] {
            let mut formulas = Formulas::new();
            let mut state = |i: usize| formulas.atom(&format!("p{i}"));
            let sides: Vec<_> = (0..count).map(|i| (state(i), state(i + 1))).collect();
            let conditions: Vec<Fairness> = sides
                .iter()
                .map(|&(when, then)| Pair { when: when.into(), then: then.into() }.into())
                .collect();
            let goal = formulas.atom("goal");
            let later = formulas.make(Formula::Finally(goal));
            let claim = fair::under(&mut formulas, later, &conditions);
            let path = match formulas.get(claim) {
                Formula::All(path) => path,
                _ => claim,
            };
            let found = split(&formulas, Obligation { formula: path, holds: false });
            assert_eq!(found.sides(), sides[..found.pairs.len()], "{count}");
            assert!(count > 63 || found.pairs.len() == count, "{count}: {}", found.pairs.len());
            let rest = Obligation { formula: later, holds: false };
            assert!(found.pairs.is_empty() || found.rest.contains(&rest), "{count}");
            // What is left over has its own promises, so fewer fit then.
            let room = found.pairs.len() + marks_needed(&formulas, &found.rest);
            assert!(found.pairs.is_empty() || room <= MAX_MARKS as usize, "{count}");
            assert_eq!(found.pairs.len() + found.left_over, count);
            assert_eq!(not_too_many(&formulas, claim).is_ok(), count <= 63, "{count}");
        }
    }
}
