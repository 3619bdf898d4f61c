//! Claims decided by listing states from single initial values.
//!
//! What the analysis leaves open may still be decided from some initial values, or from all if they
//! are few: [`decide`] tries some. A claim that is false for one of them fails; if these were all,
//! and it is true for each, it holds. The answers are those of the [interpreter](super::explicit)
//! and of nothing else.

use super::claim::{Meanings, answer};
use super::explicit::{self, Bounds, Listed};
use super::hoist::hoisted;
use super::interpret::{Interpreter, Range, Untreated, both};
use super::lower::{Settings, names};
use super::parse;
use super::syntax::Unit;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Affine, Column, Edge, Flow, Row};
use tern_ir::proof::{Kept, Proof};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Formulas};
use tern_numeric::check::{Verdict, Wants};

/// The most initial values that are worth trying.
pub const MOST_VALUES: usize = 72;

/// Numbers that are tried for a variable, if it may have them.
const USUAL: [i128; 9] = [0, 1, -1, 2, 3, -2, 5, 10, 100];

/// The most numbers of the program whose neighbours are tried.
const MOST_NEAR: usize = 6;

/// A program whose states are listed.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The program.
    pub unit: &'a Unit,
    /// How it is read.
    pub settings: &'a Settings,
    /// Its flow graph.
    pub flow: &'a Flow,
}

/// How many states are listed at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// So many initial ones.
    pub starts: usize,
    /// So many in all.
    pub states: usize,
    /// So many numbers of a choice; of others only some.
    pub choices: i128,
    /// The largest number, whatever its sign, in states that are followed.
    pub size: i128,
    /// Whether there is no use in some of the initial ones.
    pub all_only: bool,
    /// Whether there is no use in a list without some that follow.
    pub whole: bool,
}

/// The states of a program from all its initial values, or from some.
#[derive(Debug)]
pub struct States<'a> {
    /// The states.
    pub listed: Listed<'a>,
    /// The values that each of the initial states has.
    pub starts: Vec<BTreeMap<String, i128>>,
    /// Whether these are all.
    pub is_all: bool,
}

impl Asked<'_> {
    /// Lists states, and lets `work` look at them; `None` if that cannot be done. Initial values
    /// are listed of the variables that are `named` by the claim, and of those that are read before
    /// they are written; the others may have any. If that are too many, initial values of variables
    /// that only the claim names are left open first: as long as they have none, it is not known
    /// what the claim says of them.
    pub fn listing<T>(
        self,
        named: &BTreeSet<String>,
        most: Most,
        budget: &Budget,
        work: impl Fn(&States<'_>) -> Option<T>,
    ) -> Option<T> {
        let unit = hoisted(self.unit);
        let interpreter = Interpreter::new(&unit, self.settings).listing(most.choices);
        let open = interpreter.freely_begun().ok()?;
        let mut needed: BTreeSet<String> = self.settings.given.iter().flat_map(names).collect();
        needed.extend(interpreter.chosen());
        let is_only_named = |name: &&String| named.contains(*name) && !needed.contains(*name);
        let all: BTreeSet<String> = named.union(&needed).cloned().collect();
        let listed = open.iter().filter(|name| all.contains(*name)).cloned().collect::<Vec<_>>();
        let is_all = || Some(choices(&self.ranges(interpreter, &listed)?, most.starts).1);
        let asked = (interpreter, open.as_slice());
        if open.iter().any(|name| is_only_named(&name)) && is_all() != Some(true) {
            let found = self.listing_needed(asked, needed.clone(), most, budget, &work);
            if found.is_some() {
                return found;
            }
        }
        self.listing_needed(asked, all, most, budget, &work)
    }

    /// Lists states from all values of some variables, and of those that turn out to be read before
    /// they are written.
    fn listing_needed<T>(
        self,
        (interpreter, open): (Interpreter<'_>, &[String]),
        mut needed: BTreeSet<String>,
        most: Most,
        budget: &Budget,
        work: impl Fn(&States<'_>) -> Option<T>,
    ) -> Option<T> {
        loop {
            budget.check().ok()?;
            let listed: Vec<String> =
                open.iter().filter(|name| needed.contains(*name)).cloned().collect();
            match self.all_states(interpreter.leaving_open(), &listed, most, budget) {
                Ok(states) => return work(&states?),
                Err(Untreated::Unset(name))
                    if open.contains(&name) && needed.insert(name.clone()) => {}
                Err(_) => return None,
            }
        }
    }

    /// The values that variables may have in the beginning. Where two have one name, it is not
    /// known whose range this is.
    fn ranges(self, interpreter: Interpreter<'_>, open: &[String]) -> Option<Vec<Range>> {
        let range = |name: &String| {
            let range = range(self.flow, name).filter(|_| !name.contains(' '))?;
            Some(both(range, interpreter.assumed_at_first(name)))
        };
        open.iter().map(range).collect()
    }

    /// Lists states from these initial values alone, and lets `work` look at them; `None` if that
    /// cannot be done, or if there is no such initial state. Variables that are not named may have
    /// any value.
    pub fn listing_from<T>(
        self,
        values: &BTreeMap<String, i128>,
        most: Most,
        budget: &Budget,
        work: impl FnOnce(&States<'_>) -> Option<T>,
    ) -> Option<T> {
        let unit = hoisted(self.unit);
        let interpreter = Interpreter::new(&unit, self.settings);
        let interpreter = interpreter.listing(most.choices).leaving_open();
        let open = interpreter.freely_begun().ok()?;
        if !values.keys().all(|name| open.contains(name)) {
            return None;
        }
        let start = interpreter.start(values).ok()??;
        let bounds = Bounds { size: most.size, states: most.states, whole: most.whole };
        let listed = explicit::explore_within(interpreter, [start], bounds, budget).ok()?;
        budget.check().ok()?;
        work(&States { listed, starts: vec![values.clone()], is_all: false })
    }

    /// Which of these are values that initial states may differ in.
    pub fn among_open(self, values: BTreeMap<String, i128>) -> Option<BTreeMap<String, i128>> {
        let unit = hoisted(self.unit);
        let open = Interpreter::new(&unit, self.settings).freely_begun().ok()?;
        Some(values.into_iter().filter(|(name, _)| open.contains(name)).collect())
    }

    /// The states from all values of some variables.
    fn all_states<'a>(
        self,
        interpreter: Interpreter<'a>,
        open: &[String],
        most: Most,
        budget: &Budget,
    ) -> Result<Option<States<'a>>, Untreated> {
        let Some(ranges) = self.ranges(interpreter, open) else { return Ok(None) };
        let (choices, is_all) = choices(&ranges, most.starts);
        if most.all_only && !is_all {
            return Ok(None);
        }
        let (mut starts, mut states) = (Vec::new(), Vec::new());
        for choice in choices {
            if budget.check().is_err() {
                return Ok(None);
            }
            let values: BTreeMap<String, i128> = open.iter().cloned().zip(choice).collect();
            if let Some(state) = interpreter.start(&values)? {
                starts.push(values);
                states.push(state);
            }
        }
        let bounds = Bounds { size: most.size, states: most.states, whole: most.whole };
        let listed = explicit::explore_within(interpreter, states, bounds, budget)?;
        // There is no time to look at what was listed.
        Ok(budget.check().is_ok().then_some(States { listed, starts, is_all }))
    }

    /// Decides a claim by listing all states; `None` if that does not succeed.
    pub fn exhaust(
        self,
        claim: &Program,
        formulas: &Formulas,
        most: Most,
        budget: &Budget,
    ) -> Option<Verdict> {
        let atoms = claim.terms.as_slice().iter().filter_map(|term| match term {
            Term::Atom(atom) => Some(formulas.atom_name(*atom)),
            _ => None,
        });
        self.listing(&mentioned(atoms), most, budget, |states| {
            let truths = states.listed.truths(claim, formulas)?;
            if truths.is_empty() {
                // That nothing fits what is given is not for a list to say.
                return None;
            }
            if let Some(wrong) = truths.iter().position(|truth| *truth == Some(false)) {
                return self.fails(&states.starts[wrong]);
            }
            let is_true = states.is_all && truths.iter().all(|truth| *truth == Some(true));
            is_true.then_some(Verdict::Holds)
        })
    }

    /// That a claim fails for these values.
    pub fn fails(self, values: &BTreeMap<String, i128>) -> Option<Verdict> {
        let of = |name: &String| values.get(name).copied();
        let given: Vec<Option<i128>> = self.flow.variables.iter().map(of).collect();
        let begun = |start: &Edge| Some((start.to, begun(start, &given)?));
        let alone = || given.iter().map(|value| value.unwrap_or(0)).collect();
        let first = self.flow.starts.first()?.to;
        let (point, values) =
            self.flow.starts.iter().find_map(begun).unwrap_or_else(|| (first, alone()));
        Some(Verdict::Fails { point, values })
    }
}

/// The values after a start, if those that it leaves open are these; `None` if it does not fit
/// them. Variables without a value get theirs from the others, or 0.
fn begun(start: &Edge, given: &[Option<i128>]) -> Option<Vec<i128>> {
    let mut open: Vec<Option<i128>> = vec![None; start.auxiliaries.len()];
    for (variable, value) in &start.update {
        if let [(column, 1)] = value.terms[..]
            && let (Some(number), Some(begins)) = (column.as_auxiliary(), given[*variable])
        {
            open[number] = begins.checked_sub(value.constant);
        }
    }
    let known = |affine: &Affine| {
        let is_known = |column: Column| match column.as_auxiliary() {
            Some(number) => open.get(number).is_some_and(Option::is_some),
            None => true,
        };
        affine.terms.iter().all(|term| is_known(term.0))
    };
    let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
        (Some(variable), _) => given.get(variable).copied().flatten().unwrap_or(0),
        (_, number) => number.and_then(|it| open.get(it).copied().flatten()).unwrap_or(0),
    };
    let mut rows = start.guard.iter().filter(|row| known(row.affine()));
    if rows.any(|row| row.affine().evaluate(of).is_none_or(|value| value < 0)) {
        return None;
    }
    let mut values: Vec<i128> = given.iter().map(|value| value.unwrap_or(0)).collect();
    for (variable, value) in start.update.iter().filter(|(_, value)| known(value)) {
        values[*variable] = value.evaluate(of)?;
    }
    let fits = |(given, value): (&Option<i128>, &i128)| given.is_none_or(|it| it == *value);
    given.iter().zip(&values).all(fits).then_some(values)
}

/// The variables that propositions name.
pub fn mentioned<'a>(propositions: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    let read = |name: &str| parse::expression(name).ok();
    propositions.into_iter().filter_map(read).flat_map(|expr| names(&expr)).collect()
}

/// Tries to decide a claim from so many initial values at most; `None` if that did not succeed.
pub fn decide(
    unit: &Unit,
    settings: &Settings,
    flow: &Flow,
    (claim, formulas): (&Program, &Formulas),
    most: usize,
    budget: &Budget,
) -> Option<Verdict> {
    let plain = hoisted(unit);
    let interpreter = Interpreter::new(&plain, settings);
    if explicit::has_hidden(&interpreter) {
        return None;
    }
    let open = interpreter.freely_begun().ok()?;
    let range = |name: &String| Some(both(range(flow, name)?, interpreter.assumed_at_first(name)));
    let ranges: Vec<Range> = open.iter().map(range).collect::<Option<_>>()?;
    let (choices, is_all) = choices_with(&ranges, &near(flow), most);
    let (mut is_true, mut wrong, mut is_none) = (is_all, None, true);
    for choice in choices {
        budget.check().ok()?;
        let values: BTreeMap<String, i128> = open.iter().cloned().zip(choice).collect();
        match interpreter.start(&values) {
            Ok(Some(_)) | Err(_) => is_none = false,
            // Not what is given.
            Ok(None) => continue,
        }
        match explicit::replay(unit, settings, &values, (claim, formulas), budget) {
            Some(false) => {
                wrong = Some(values);
                break;
            }
            Some(true) => {}
            None => is_true = false,
        }
    }
    if let Some(values) = wrong {
        return Asked { unit, settings, flow }.fails(&values);
    }
    (is_true && !is_none).then_some(Verdict::Holds)
}

/// Why a claim fails from the values that were found, as the analysis sees it from these alone;
/// `None` if it does not see it.
pub fn prove(
    flow: &Flow,
    claim: &Program,
    propositions: &Meanings,
    verdict: &Verdict,
    budget: &Budget,
) -> Option<Proof> {
    let Verdict::Fails { values, .. } = verdict else { return None };
    let mut alone = flow.clone();
    for start in &mut alone.starts {
        for (variable, (name, &value)) in flow.variables.iter().zip(values).enumerate() {
            let column = Column::variable(variable);
            let begins = start.written(column).cloned().unwrap_or_else(|| Affine::column(column));
            if begins.is_constant() || name.contains(' ') {
                continue;
            }
            let value = Affine::constant(value);
            start.guard.extend(Row::greater_equal(&begins, &value));
            start.guard.extend(Row::greater_equal(&value, &begins));
        }
    }
    let wants = Wants { evidence: true, ..Wants::default() };
    let decision = answer(&alone, claim, propositions, wants, budget);
    let mut proof = decision.proof?.ok()?;
    if proof.graph(flow)?.starts.len() != flow.starts.len() {
        return None;
    }
    let start = proof.start.as_mut()?;
    // The rows that were added are none of the program: their reasons are taken out. Reasons that
    // count rows behind them would count wrong.
    let number = start.start as usize;
    let [own, all] = [flow, &alone].map(|of| of.starts.get(number).map(|it| it.guard.len()));
    start.reasons.drain(own?..all?);
    let counts = |kept: &Kept| match kept {
        Kept::Dead(_) => true,
        Kept::Rows(reasons) => reasons.iter().any(|reason| !reason.is_empty()),
    };
    (!proof.begun.iter().any(counts)).then_some(proof)
}

/// The values that a variable may have in the beginning, by each row of what is given on its own.
fn range(flow: &Flow, name: &str) -> Option<Range> {
    let variable = flow.variables.iter().position(|known| known == name)?;
    let column = Column::variable(variable);
    let mut found: Option<Range> = None;
    for start in &flow.starts {
        let value = start.written(column).cloned().unwrap_or_else(|| Affine::column(column));
        let Some(ranges) = ranges(&start.rows().collect::<Vec<_>>()) else { continue };
        let high = most(&value, &ranges);
        let low = most(&value.times(-1)?, &ranges).and_then(i128::checked_neg);
        found = Some(match found {
            None => (low, high),
            Some((a, b)) => {
                (a.zip(low).map(|(a, low)| a.min(low)), b.zip(high).map(|(b, high)| b.max(high)))
            }
        });
    }
    found
}

/// The largest value of a sum within ranges, if there is one.
fn most(sum: &Affine, ranges: &BTreeMap<Column, Range>) -> Option<i128> {
    let mut most = sum.constant;
    for (column, factor) in &sum.terms {
        let (low, high) = ranges.get(column)?;
        let end = if *factor > 0 { high } else { low };
        most = most.checked_add(factor.checked_mul((*end)?)?)?;
    }
    Some(most)
}

/// Ranges that all values have which make some rows true; `None` if there are no such values. The
/// rows are gone through some times, so that bounds by other bounds are found as well.
fn ranges(rows: &[&Row]) -> Option<BTreeMap<Column, Range>> {
    const TIMES: usize = 8;
    let mut ranges: BTreeMap<Column, Range> = BTreeMap::new();
    for row in rows {
        if row.truth() == Some(false) {
            return None;
        }
        ranges.extend(row.affine().terms.iter().map(|term| (term.0, (None, None))));
    }
    for _ in 0..TIMES {
        let before = ranges.clone();
        for row in rows {
            for (at, &(column, factor)) in row.affine().terms.iter().enumerate() {
                let mut rest = row.affine().clone();
                rest.terms.remove(at);
                // factor * column >= -rest
                let Some(least) = most(&rest, &ranges).and_then(i128::checked_neg) else {
                    continue;
                };
                let (low, high) = ranges.entry(column).or_default();
                if factor > 0 {
                    let bound =
                        least.div_euclid(factor) + i128::from(least.rem_euclid(factor) != 0);
                    *low = Some(low.map_or(bound, |low| low.max(bound)));
                } else if let Some(bound) = least.checked_neg().zip(factor.checked_neg()) {
                    let bound = bound.0.div_euclid(bound.1);
                    *high = Some(high.map_or(bound, |high| high.min(bound)));
                }
                if low.zip(*high).is_some_and(|(low, high)| low > high) {
                    return None;
                }
            }
        }
        if before == ranges {
            break;
        }
    }
    Some(ranges)
}

/// Numbers that the program compares a variable with, and their neighbours.
fn near(flow: &Flow) -> Vec<i128> {
    let mut found = BTreeSet::new();
    for row in flow.edges.as_slice().iter().flat_map(|edge| &edge.guard) {
        if let [(column, 1 | -1)] = row.affine().terms[..]
            && column.as_variable().is_some()
        {
            found.insert(row.affine().constant.saturating_abs());
        }
    }
    let small = found.into_iter().filter(|it| *it > 3).take(MOST_NEAR);
    small.flat_map(|it| [it + 1, it, it - 1]).collect()
}

/// Values for all variables, and whether there are no others.
fn choices(ranges: &[Range], most: usize) -> (Vec<Vec<i128>>, bool) {
    choices_with(ranges, &[], most)
}

/// The same, where these are tried too if not all can be.
fn choices_with(ranges: &[Range], near: &[i128], most: usize) -> (Vec<Vec<i128>>, bool) {
    let width = |range: &Range| {
        let (low, high) = (range.0?, range.1?);
        usize::try_from(high.checked_sub(low)?.checked_add(1)?).ok()
    };
    let widths: Option<Vec<usize>> = ranges.iter().map(width).collect();
    let count = widths.and_then(|all| all.iter().try_fold(1_usize, |a, &b| a.checked_mul(b)));
    let is_all = count.is_some_and(|count| count <= most);
    let values = |range: &Range| -> Vec<i128> {
        if is_all && let (Some(low), Some(high)) = *range {
            return (low..=high).collect();
        }
        let fits = |value: &i128| {
            range.0.is_none_or(|low| low <= *value) && range.1.is_none_or(|high| *value <= high)
        };
        let ends = range.0.into_iter().chain(range.1);
        let mut some: Vec<i128> = Vec::new();
        for value in USUAL.into_iter().chain(ends).chain(near.iter().copied()).filter(fits) {
            if !some.contains(&value) {
                some.push(value);
            }
        }
        some
    };
    let lists: Vec<Vec<i128>> = ranges.iter().map(values).collect();
    // The first of all lists, then more of each: sums of positions grow.
    let mut found: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
    let mut chosen: Vec<Vec<i128>> = Vec::new();
    found.insert((0, vec![0; lists.len()]));
    while let Some((sum, places)) = found.pop_first() {
        if chosen.len() >= most || lists.iter().any(Vec::is_empty) {
            break;
        }
        chosen.push(places.iter().zip(&lists).map(|(&at, list)| list[at]).collect());
        for (number, list) in lists.iter().enumerate() {
            if places[number] + 1 < list.len() {
                let mut next = places.clone();
                next[number] += 1;
                found.insert((sum + 1, next));
            }
        }
    }
    (chosen, is_all)
}
