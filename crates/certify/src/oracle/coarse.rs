//! Abstract machines by the definition: formulas in three values, on the graph of configurations.
//!
//! The configurations that can be reached are written down one by one, each with its sure steps and
//! with all its steps. State formulas get two values at each, operands first: whether they are
//! surely true, and whether they may be.
//! * `E X`, `E U` and `E G` are fixpoints, over sure steps and over all steps; the other operators
//!   of CTL, and `A`, are said by these.
//! * For other path formulas, negations are pushed to the state formulas in them, which become
//!   letters that are true if the state formula surely (or possibly) has the value that is wanted.
//!   The oracle for finite structures then decides whether there is a path: over all steps, or over
//!   sure ones, where it must not come to an end.
//!
//! If there are too many configurations, some are left *open*: of what follows them nothing is
//! known. What is said then is still right, but some of what is unknown may be known.

use crate::oracle::finite::{self, Configuration, Structure};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::{Edge, EndRule, Formula, FormulaId, Formulas, Machine, PlaceId, Surety};

/// What is known of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Whether it holds, if that is known: surely true at all initial nodes, or surely false at
    /// one.
    pub holds: Option<bool>,
    /// Whether no configuration was left open.
    pub exact: bool,
}

/// What is known of a claim about an abstract machine, of which at most so many configurations are
/// looked at. `None` if a product of more than `pairs` pairs would be needed for a path formula.
pub fn check(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    configurations: usize,
    pairs: usize,
) -> Option<Known> {
    let graph = Graph::new(machine, configurations);
    let mut evaluation = Evaluation { graph: &graph, formulas, pairs, values: BTreeMap::new() };
    for id in formulas.subformulas(claim) {
        if formulas.is_state_formula(id) {
            let value = evaluation.value(id)?;
            evaluation.values.insert(id, value);
        }
    }
    let value = match evaluation.values.get(&claim) {
        Some(value) => value.clone(),
        None => evaluation.some_path(claim, false)?.not(),
    };
    let initial = 0..machine.initial().len();
    let holds = match initial.clone().all(|state| value.must[state]) {
        true => Some(true),
        false if initial.clone().any(|state| !value.may[state]) => Some(false),
        false => None,
    };
    Some(Known { holds, exact: graph.open.iter().all(|open| !open) })
}

/// The configurations of an abstract machine; the first are the initial ones.
struct Graph {
    /// For each label, where it is surely and where it may be true.
    labels: BTreeMap<String, Value>,
    sure: Vec<Vec<usize>>,
    all: Vec<Vec<usize>>,
    open: Vec<bool>,
}

impl Graph {
    fn new(machine: &Machine, limit: usize) -> Graph {
        let mut number: BTreeMap<Option<Configuration>, usize> = BTreeMap::new();
        let mut states: Vec<Option<Configuration>> = Vec::new();
        for &node in machine.initial() {
            number.insert(Some((Vec::new(), node)), states.len());
            states.push(Some((Vec::new(), node)));
        }
        let (mut sure, mut all, mut open) = (Vec::new(), Vec::new(), Vec::new());
        while all.len() < states.len() {
            let here = all.len();
            let is_open = here >= limit;
            open.push(is_open);
            let steps = if is_open { Vec::new() } else { steps(machine, &states[here]) };
            let mut to = |(state, surety): (Option<Configuration>, Surety)| {
                let known = *number.entry(state).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() - 1
                });
                (known, surety)
            };
            let steps: Vec<(usize, Surety)> = steps.into_iter().map(&mut to).collect();
            let is_sure = |step: &&(usize, Surety)| step.1 == Surety::Sure;
            sure.push(steps.iter().filter(is_sure).map(|step| step.0).collect());
            all.push(steps.iter().map(|step| step.0).collect());
        }
        let labels = machine.labels().map(|(label, name)| {
            let at = |test: &dyn Fn(&Configuration) -> bool| -> Vec<bool> {
                states.iter().map(|state| state.as_ref().is_some_and(test)).collect()
            };
            let must = at(&|(_, node)| machine.has_label(*node, label));
            let may = at(&|(_, node)| {
                machine.has_label(*node, label) || machine.is_unknown(*node, label)
            });
            (name.to_owned(), Value { must, may })
        });
        let labels = labels.collect();
        Graph { labels, sure, all, open }
    }

    fn len(&self) -> usize {
        self.all.len()
    }
}

/// The steps of a configuration, or of the sink, by the definition.
fn steps(machine: &Machine, state: &Option<Configuration>) -> Vec<(Option<Configuration>, Surety)> {
    let Some((stack, node)) = state else { return vec![(None, Surety::Sure)] };
    let mut found: Vec<(Option<Configuration>, Surety)> = Vec::new();
    let (mut ends, mut surely_goes_on) = (false, false);
    let place: PlaceId = machine.node_place(*node);
    for (edge, surety) in machine.edges_with_surety(place) {
        let goes_on = match (edge, stack.split_last()) {
            (Edge::Step(to), _) => {
                found.push((Some((stack.clone(), to)), surety));
                true
            }
            (Edge::Call(call, entry), _) => {
                found.push((Some(([&stack[..], &[call]].concat(), entry)), surety));
                true
            }
            (Edge::Return(_), None) => {
                let end = match machine.end_rule() {
                    EndRule::Loop => state.clone(),
                    EndRule::Sink => None,
                };
                found.push((end, surety));
                true
            }
            (Edge::Return(exit), Some((&call, below))) => match machine.site(call, exit) {
                None => {
                    ends = true;
                    false
                }
                Some(site) => {
                    for (edge, after) in machine.edges_with_surety(site) {
                        let to = match edge {
                            Edge::Step(to) => (below.to_vec(), to),
                            Edge::Call(call, entry) => ([below, &[call]].concat(), entry),
                            Edge::Return(_) => unreachable!("no return site has one"),
                        };
                        let both = [surety, after].iter().all(|it| *it == Surety::Sure);
                        found.push((Some(to), if both { Surety::Sure } else { Surety::Possible }));
                    }
                    true
                }
            },
        };
        surely_goes_on |= goes_on && surety == Surety::Sure;
    }
    if found.is_empty() {
        found.push((state.clone(), Surety::Sure));
    } else if ends && !surely_goes_on {
        found.push((state.clone(), Surety::Possible));
    }
    found
}

/// Where a state formula is surely true, and where it may be.
#[derive(Clone)]
struct Value {
    must: Vec<bool>,
    may: Vec<bool>,
}

impl Value {
    fn constant(value: bool, count: usize) -> Value {
        Value { must: vec![value; count], may: vec![value; count] }
    }

    fn not(&self) -> Value {
        let not = |values: &[bool]| values.iter().map(|value| !value).collect();
        Value { must: not(&self.may), may: not(&self.must) }
    }

    fn with(&self, other: &Value, join: fn(bool, bool) -> bool) -> Value {
        let lane = |a: &[bool], b: &[bool]| a.iter().zip(b).map(|(&a, &b)| join(a, b)).collect();
        Value { must: lane(&self.must, &other.must), may: lane(&self.may, &other.may) }
    }

    fn and(&self, other: &Value) -> Value {
        self.with(other, |a, b| a && b)
    }

    fn or(&self, other: &Value) -> Value {
        self.with(other, |a, b| a || b)
    }
}

struct Evaluation<'a> {
    graph: &'a Graph,
    formulas: &'a Formulas,
    pairs: usize,
    values: BTreeMap<FormulaId, Value>,
}

impl Evaluation<'_> {
    /// The value of a state formula whose operands are known.
    fn value(&self, id: FormulaId) -> Option<Value> {
        use Formula::*;
        let count = self.graph.len();
        let of = |f: FormulaId| &self.values[&f];
        Some(match self.formulas.get(id) {
            True => Value::constant(true, count),
            False => Value::constant(false, count),
            Atom(atom) => {
                let known = self.graph.labels.get(self.formulas.atom_name(atom));
                known.cloned().unwrap_or_else(|| Value::constant(false, count))
            }
            Not(f) => of(f).not(),
            And(f, g) => of(f).and(of(g)),
            Or(f, g) => of(f).or(of(g)),
            Implies(f, g) => of(f).not().or(of(g)),
            Iff(f, g) => of(f).and(of(g)).or(&of(f).not().and(&of(g).not())),
            Xor(f, g) => of(f).and(&of(g).not()).or(&of(f).not().and(of(g))),
            Exists(path) => self.exists(path, true)?,
            All(path) => self.exists(path, false)?.not(),
            _ => unreachable!("it speaks of a path"),
        })
    }

    /// `E path`, or `E !path` if that is wanted.
    fn exists(&self, path: FormulaId, wanted: bool) -> Option<Value> {
        use Formula::*;
        let of_state = |f: FormulaId| self.formulas.is_state_formula(f);
        if of_state(path) {
            let value = &self.values[&path];
            return Some(if wanted { value.clone() } else { value.not() });
        }
        let formula = self.formulas.get(path);
        if !formula.is_temporal() || !formula.operands().all(of_state) {
            return self.some_path(path, wanted);
        }
        let truth = Value::constant(true, self.graph.len());
        let is = |f: FormulaId| self.values[&f].clone();
        let not = |f: FormulaId| self.values[&f].not();
        Some(match (formula, wanted) {
            (Next(f), true) => self.next(&is(f)),
            (Next(f), false) => self.next(&not(f)),
            (Finally(f), true) => self.until(&truth, &is(f)),
            (Finally(f), false) => self.always(&not(f)),
            (Globally(f), true) => self.always(&is(f)),
            (Globally(f), false) => self.until(&truth, &not(f)),
            (Until(f, g), true) => self.until(&is(f), &is(g)),
            (WeakUntil(f, g), true) => self.until(&is(f), &is(g)).or(&self.always(&is(f))),
            (StrongRelease(f, g), true) => self.until(&is(g), &is(f).and(&is(g))),
            (Release(f, g), true) => {
                self.until(&is(g), &is(f).and(&is(g))).or(&self.always(&is(g)))
            }
            (WeakUntil(f, g), false) => self.until(&not(g), &not(f).and(&not(g))),
            (Until(f, g), false) => {
                self.until(&not(g), &not(f).and(&not(g))).or(&self.always(&not(g)))
            }
            (Release(f, g), false) => self.until(&not(f), &not(g)),
            (StrongRelease(f, g), false) => self.until(&not(f), &not(g)).or(&self.always(&not(f))),
            _ => unreachable!("all temporal operators are above"),
        })
    }

    fn next(&self, f: &Value) -> Value {
        let Graph { sure, all, open, .. } = self.graph;
        let must = sure.iter().map(|to| to.iter().any(|&to| f.must[to])).collect();
        let may = all.iter().zip(open).map(|(to, open)| *open || to.iter().any(|&to| f.may[to]));
        Value { must, may: may.collect() }
    }

    fn until(&self, f: &Value, g: &Value) -> Value {
        let mut value = g.clone();
        loop {
            let more = g.or(&f.and(&self.next(&value)));
            if (&more.must, &more.may) == (&value.must, &value.may) {
                return value;
            }
            value = more;
        }
    }

    fn always(&self, f: &Value) -> Value {
        let mut value = f.clone();
        loop {
            let fewer = f.and(&self.next(&value));
            if (&fewer.must, &fewer.may) == (&value.must, &value.may) {
                return value;
            }
            value = fewer;
        }
    }

    /// Whether there is an endless path on which a path formula has the wanted value.
    fn some_path(&self, path: FormulaId, wanted: bool) -> Option<Value> {
        let Graph { sure, all, open, .. } = self.graph;
        let (letters, out, root) = self.normal_form(path, wanted);
        let mut lanes = [sure, all].into_iter().enumerate().map(|(lane, steps)| {
            // A state that is never left, to which those lead that have no step.
            let end = steps.len();
            let mut successors: Vec<Vec<usize>> = steps.clone();
            successors.push(Vec::new());
            successors.iter_mut().filter(|list| list.is_empty()).for_each(|list| list.push(end));
            let label = |state: usize| -> BTreeSet<String> {
                let truth = |(name, value): (&String, &Value)| {
                    let values = if lane == 0 { &value.must } else { &value.may };
                    (state == end || values[state]).then(|| name.clone())
                };
                let ended = (state == end).then(|| "end".to_owned());
                letters.iter().filter_map(truth).chain(ended).collect()
            };
            let labels = (0..=end).map(label).collect();
            let structure = Structure::new(Vec::new(), successors, labels)?;
            // What lies behind an open state may be anything.
            let mut out = out.clone();
            let asked =
                if lane == 0 { without_end(&mut out, root) } else { exists(&mut out, root) };
            let mut found = finite::label(&structure, &out, asked, self.pairs)?;
            found.truncate(end);
            Some(found)
        });
        let (must, mut may) = (lanes.next()??, lanes.next()??);
        let anything = Value { must: open.clone(), may: open.clone() };
        let truth = Value::constant(true, open.len());
        let reaches_open = self.until(&truth, &anything).may;
        may.iter_mut().zip(reaches_open).for_each(|(may, open)| *may |= open);
        Some(Value { must, may })
    }

    /// A path formula with negations at state formulas only, which are letters: their values are
    /// given by name.
    fn normal_form(
        &self,
        path: FormulaId,
        wanted: bool,
    ) -> (BTreeMap<String, Value>, Formulas, FormulaId) {
        use Formula::*;
        let formulas = self.formulas;
        let mut out = Formulas::new();
        let mut letters: BTreeMap<String, Value> = BTreeMap::new();
        let mut done: BTreeMap<(FormulaId, bool), FormulaId> = BTreeMap::new();
        for id in formulas.subformulas(path) {
            for value in [true, false] {
                if formulas.is_state_formula(id) {
                    let name = format!("{id:?} {value}");
                    let known = &self.values[&id];
                    let letter = if value { known.clone() } else { known.not() };
                    done.insert((id, value), out.atom(&name));
                    letters.insert(name, letter);
                    continue;
                }
                let of = |f: FormulaId| done[&(f, value)];
                let not = |f: FormulaId| done[&(f, !value)];
                let by_cases = |out: &mut Formulas, f, g, same: bool| {
                    let (g_is, g_not) = match same {
                        true => (done[&(g, true)], done[&(g, false)]),
                        false => (done[&(g, false)], done[&(g, true)]),
                    };
                    let one = out.make(And(done[&(f, true)], g_is));
                    let two = out.make(And(done[&(f, false)], g_not));
                    Or(one, two)
                };
                let made = match (formulas.get(id), value) {
                    (Not(f), _) => {
                        done.insert((id, value), not(f));
                        continue;
                    }
                    (And(f, g), true) | (Or(f, g), false) => And(of(f), of(g)),
                    (Or(f, g), true) | (And(f, g), false) => Or(of(f), of(g)),
                    (Implies(f, g), true) => Or(not(f), of(g)),
                    (Implies(f, g), false) => And(not(f), of(g)),
                    (Iff(f, g), _) => by_cases(&mut out, f, g, value),
                    (Xor(f, g), _) => by_cases(&mut out, f, g, !value),
                    (Next(f), _) => Next(of(f)),
                    (Finally(f), true) | (Globally(f), false) => Finally(of(f)),
                    (Globally(f), true) | (Finally(f), false) => Globally(of(f)),
                    (Until(f, g), true) | (Release(f, g), false) => Until(of(f), of(g)),
                    (Release(f, g), true) | (Until(f, g), false) => Release(of(f), of(g)),
                    (WeakUntil(f, g), true) | (StrongRelease(f, g), false) => {
                        WeakUntil(of(f), of(g))
                    }
                    (StrongRelease(f, g), true) | (WeakUntil(f, g), false) => {
                        StrongRelease(of(f), of(g))
                    }
                    _ => unreachable!("it is no state formula"),
                };
                done.insert((id, value), out.make(made));
            }
        }
        let root = done[&(path, wanted)];
        (letters, out, root)
    }
}

fn exists(formulas: &mut Formulas, path: FormulaId) -> FormulaId {
    formulas.make(Formula::Exists(path))
}

/// `E (G !end & path)`.
fn without_end(formulas: &mut Formulas, path: FormulaId) -> FormulaId {
    let end = formulas.atom("end");
    let not = formulas.make(Formula::Not(end));
    let never = formulas.make(Formula::Globally(not));
    let both = formulas.make(Formula::And(never, path));
    exists(formulas, both)
}
