//! Programs with holes, for engines that know nothing of them: what is true whatever the holes do.
//!
//! A [hole](tern_model::space#holes) stands for all that may follow. In its place comes a step to a
//! node without labels that loops for ever, and the claim is written without negations: where
//! `!p` stood there is another proposition, which all nodes have that do not have `p`, but for the
//! new node. So there neither `p` nor `!p` is true.
//!
//! # Why it is right
//! Without negations a path formula that is true of a path stays true if more literals become true
//! along it. Whatever follows a hole has, moment by moment, all the literals of the new node, which
//! has none. So a formula that is true at the new node is true in every configuration of every
//! program: of a path from there, because of the paths that follow none has fewer literals;
//! of all of them likewise; and something always follows. From the new node back, a formula that is
//! true here is true whatever fills the hole. The claim holds if it is true in this sense; it
//! fails if its negation is, somewhere it is about; and else it is unknown. That may be more often
//! than it has to: `p | !p` is not true at the new node.

use crate::{Checker, Options};
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::space::{Part, Space};
use tern_model::{
    Budget, Claim, Formula, FormulaId, Formulas, Gap, Id, LabelId, Limit, Machine, Missing,
    Outcome, Verdict,
};

/// Decides a formula on a program that was explored, and has holes.
pub(crate) fn decide<S: Space>(
    (space, part, machine): (&S, &Part, &Machine),
    formulas: &Formulas,
    claim: &Claim,
    formula: FormulaId,
    options: &Options,
    budget: &Budget,
) -> Result<Outcome, Gap> {
    let (mut formulas, formula) = formulas.alone(formula);
    let claimed = match formulas.is_state_formula(formula) {
        true => formula,
        false => formulas.make(Formula::All(formula)),
    };
    let literals = literals(&formulas, claimed);
    let (holds, negation) = without_negations(&mut formulas, claimed, &literals);
    let unless = formulas.make(Formula::Not(negation));
    let machine = whatever(machine, part, &literals, budget).map_err(Gap::Limit)?;
    let checker = Checker::new(&machine, budget).map_err(Gap::Limit)?;
    let ask = |formula: FormulaId| {
        let engine = options.engine.filter(|engine| engine.decides(&formulas, formula));
        let options =
            Options { engine, seed: options.seed, shuffle: options.shuffle, ..Options::default() };
        let claim = Claim { start: claim.start.clone(), ..Claim::new(formula) };
        checker.decide(&formulas, &claim, &options, budget)
    };
    let sure = ask(holds);
    if sure.verdict == Verdict::Holds {
        return Ok(without_reasons(sure, options));
    }
    let mut other = ask(unless);
    other.stats += sure.stats;
    other.verdict = match (sure.verdict, other.verdict) {
        (_, Verdict::Fails) => {
            return Ok(without_reasons(Outcome { verdict: Verdict::Fails, ..other }, options));
        }
        (Verdict::Unknown(gap), _) | (_, Verdict::Unknown(gap)) => Verdict::Unknown(gap),
        (Verdict::Fails | Verdict::Holds, Verdict::Holds) => {
            let hole = part.holes().first().map(|&hole| part.describe_hole(space, hole));
            Verdict::Unknown(Gap::Hole(hole.unwrap_or_default()))
        }
    };
    Ok(other)
}

/// Evidence and runs would speak of a machine that nobody has seen.
pub(crate) fn without_reasons(mut outcome: Outcome, options: &Options) -> Outcome {
    let why = || Gap::Unsupported("the program has holes".to_owned());
    outcome.missing.extend(options.evidence.then(|| Missing::Evidence(why())));
    outcome.missing.extend(options.runs.map(|_| Missing::Run(why())));
    outcome.missing.extend(options.regions.then(|| Missing::Regions(why())));
    outcome
}

/// For each proposition of a claim, what its negation is called: nothing else is.
fn literals(formulas: &Formulas, claim: FormulaId) -> FxHashMap<String, String> {
    let atoms = formulas.atoms_of(claim);
    let names: Vec<&str> = atoms.iter().map(|&atom| formulas.atom_name(atom)).collect();
    // Longer than all names, so that it is none of them.
    let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let not = "!".repeat(longest + 1);
    names.into_iter().map(|name| (name.to_owned(), format!("{not}{name}"))).collect()
}

/// The explored program with something in place of its holes that has no literals.
fn whatever(
    machine: &Machine,
    part: &Part,
    literals: &FxHashMap<String, String>,
    budget: &Budget,
) -> Result<Machine, Limit> {
    let mut meter = Meter::new(budget);
    let mut builder = part.guarded(machine, &mut meter)?;
    for (position, name) in part.propositions().iter().enumerate() {
        let Some(negation) = literals.get(name) else { continue };
        let position = LabelId::new(position);
        for node in machine.nodes() {
            meter.tick()?;
            if part.known_labels(node).binary_search(&position).is_err() {
                builder.label(node, negation);
            }
        }
    }
    Ok(builder.finish().unwrap_or_else(|flaws| unreachable!("a machine has no flaws: {flaws:?}")))
}

/// A state formula and its negation, with negations of propositions only, which are propositions of
/// their own.
fn without_negations(
    formulas: &mut Formulas,
    root: FormulaId,
    literals: &FxHashMap<String, String>,
) -> (FormulaId, FormulaId) {
    use Formula::*;
    let mut both: FxHashMap<FormulaId, (FormulaId, FormulaId)> = FxHashMap::default();
    for id in formulas.subformulas(root) {
        let formula = formulas.get(id);
        let yes = |operand: FormulaId| both[&operand].0;
        let no = |operand: FormulaId| both[&operand].1;
        let (positive, negative) = match formula {
            Atom(atom) => {
                let name = &literals[formulas.atom_name(atom)];
                let negative = formulas.atom(name);
                both.insert(id, (id, negative));
                continue;
            }
            Not(f) => {
                both.insert(id, (no(f), yes(f)));
                continue;
            }
            Iff(f, g) | Xor(f, g) => {
                let mut either = |one: (FormulaId, FormulaId), other: (FormulaId, FormulaId)| {
                    let one = formulas.make(And(one.0, one.1));
                    let other = formulas.make(And(other.0, other.1));
                    formulas.make(Or(one, other))
                };
                let same = either((yes(f), yes(g)), (no(f), no(g)));
                let different = either((yes(f), no(g)), (no(f), yes(g)));
                let is_iff = matches!(formula, Iff(..));
                both.insert(id, if is_iff { (same, different) } else { (different, same) });
                continue;
            }
            True => (True, False),
            False => (False, True),
            And(f, g) => (And(yes(f), yes(g)), Or(no(f), no(g))),
            Or(f, g) => (Or(yes(f), yes(g)), And(no(f), no(g))),
            Implies(f, g) => (Or(no(f), yes(g)), And(yes(f), no(g))),
            Next(f) => (Next(yes(f)), Next(no(f))),
            Finally(f) => (Finally(yes(f)), Globally(no(f))),
            Globally(f) => (Globally(yes(f)), Finally(no(f))),
            Until(f, g) => (Until(yes(f), yes(g)), Release(no(f), no(g))),
            Release(f, g) => (Release(yes(f), yes(g)), Until(no(f), no(g))),
            WeakUntil(f, g) => (WeakUntil(yes(f), yes(g)), StrongRelease(no(f), no(g))),
            StrongRelease(f, g) => (StrongRelease(yes(f), yes(g)), WeakUntil(no(f), no(g))),
            Exists(f) => (Exists(yes(f)), All(no(f))),
            All(f) => (All(yes(f)), Exists(no(f))),
        };
        let made = (formulas.make(positive), formulas.make(negative));
        both.insert(id, made);
    }
    both[&root]
}
