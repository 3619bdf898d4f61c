//! The flow graph of a program against the interpreter of its syntax tree, state by state.
//!
//! Whoever checks evidence believes the flow graph, so that it must be what the program means. Both
//! are followed side by side on random programs. A pair of states is *good* if claims can see no
//! difference (values, labels, line), each step of the interpreter is one of an edge, and each step
//! that an edge allows for sure is one of the interpreter, so that good pairs come about again:
//! the greatest such relation, of which all initial states must have their part. This is a
//! bisimulation where all values are known, so that no claim of CTL* tells the two apart.

mod evaluate;
mod generate;

use crate::integers::number_from;
use evaluate::{Graph, Group, Lost};
use generate::{Kinds, Program, program};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use tern_ir::calls::Calls;
use tern_ir::flow::Flow;
use tern_ir::unfold;
use tern_program::c::claim::labels;
use tern_program::c::hoist::hoisted;
use tern_program::c::interpret::{Interpreter, State};
use tern_program::c::lower::{Settings, with_calls};
use tern_program::c::parse;
use tern_program::c::syntax::{Unit, Widths};

/// The most pairs that are followed; of further ones nothing is asked.
const MOST_PAIRS: usize = 400;

/// States with larger values are not followed where numbers do not wrap.
const MOST_SIZE: i128 = 60;

/// How the comparison of one program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// So many pairs of states were followed.
    Same(usize),
    /// The reader refuses the program.
    Refused,
    /// A value is needed that nobody gave, or something else that one of the two does not follow.
    Lost,
}

/// Things with numbers.
struct Numbered<T> {
    all: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn new() -> Self {
        Numbered { all: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, it: T) -> usize {
        *self.numbers.entry(it).or_insert_with_key(|it| {
            self.all.push(it.clone());
            self.all.len() - 1
        })
    }
}

/// The two sides of a program.
struct Sides<'a> {
    graph: Graph<'a>,
    interpreter: Interpreter<'a>,
    labels: Vec<String>,
    line: &'a dyn Fn(&State<'a>) -> Option<u32>,
    is_typed: bool,
    states: Numbered<State<'a>>,
    others: Numbered<evaluate::State>,
    pairs: Numbered<(usize, usize)>,
}

/// One of these pairs must be good.
struct Need {
    pairs: Vec<usize>,
    what: String,
}

impl<'a> Sides<'a> {
    /// Whether claims can see no difference.
    fn are_alike(&self, state: &State<'a>, other: &evaluate::State) -> Result<bool, Lost> {
        let flow = self.graph.flow;
        let point = &flow.points[other.point];
        let has = |label: &str| point.labels.iter().any(|it| it == label);
        for label in &self.labels {
            let is_here = match label.as_str() {
                "exit" | "failed" | "error" => state.label() == Some(label),
                _ => self.interpreter.is_at(state, label).map_err(|_| Lost)?,
            };
            if is_here != has(label) {
                return Ok(false);
            }
        }
        let same_line = (self.line)(state).is_none_or(|line| line == point.line);
        let named = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
        let values = || flow.variables.iter().zip(&other.values);
        let visible = values().filter(|(name, _)| !name.contains(' ')).all(|(name, value)| {
            state.visible(name).is_none_or(|found| value.is_none_or(|value| value == found))
        });
        // What the innermost call has must be somewhere, by the same name.
        let inner =
            state.innermost().filter(|(name, _)| !name.starts_with(' ')).all(|(name, found)| {
                let mut own = values().filter(|(it, _)| named(it) == named(name)).peekable();
                // Not all elements of large arrays are followed.
                let is_left_out = name.contains('[') && own.peek().is_none();
                is_left_out || own.any(|(_, value)| value.is_none_or(|value| value == found))
            });
        Ok(same_line && visible && (inner || state.label().is_some()))
    }

    /// The pairs of states that look alike.
    fn matching(
        &mut self,
        states: &[State<'a>],
        others: &[evaluate::State],
    ) -> Result<Vec<usize>, Lost> {
        let mut found = Vec::new();
        for state in states {
            for other in others {
                if self.are_alike(state, other)? {
                    let pair =
                        (self.states.number(state.clone()), self.others.number(other.clone()));
                    found.push(self.pairs.number(pair));
                }
            }
        }
        Ok(found)
    }

    /// What must be so for steps to be the same on both sides.
    fn needs(&mut self, states: &[State<'a>], groups: &[Group]) -> Result<Vec<Need>, Lost> {
        let all: Vec<evaluate::State> =
            groups.iter().flat_map(|it| it.states.iter().cloned()).collect();
        let mut needs = Vec::new();
        for state in states {
            let pairs = self.matching(std::slice::from_ref(state), &all)?;
            needs.push(Need { pairs, what: format!("no edge leads to {}", self.shown(state)) });
        }
        for group in groups.iter().filter(|it| it.is_sure) {
            let pairs = self.matching(states, &group.states)?;
            let others: Vec<String> = group.states.iter().map(|it| self.shown_other(it)).collect();
            let what = format!("no step of the interpreter leads to one of {others:?}");
            needs.push(Need { pairs, what });
        }
        Ok(needs)
    }

    /// What the steps from a pair need.
    fn follow(&mut self, pair: usize) -> Result<Vec<Need>, Lost> {
        let (state, other) = self.pairs.all[pair];
        let (state, other) = (self.states.all[state].clone(), self.others.all[other].clone());
        let is_large = |state: &State<'a>| !self.is_typed && state.size() > MOST_SIZE;
        if is_large(&state) {
            return Ok(Vec::new());
        }
        let next = self.interpreter.next(&state).map_err(|_| Lost)?;
        // Large products are not among the values that are tried.
        if next.states.iter().any(is_large) {
            return Ok(Vec::new());
        }
        if next.more {
            return Err(Lost);
        }
        let groups = self.graph.next(&other)?;
        let mut needs = self.needs(&next.states, &groups)?;
        if next.states.is_empty() && self.graph.flow.points[other.point].total {
            let what = "the point is total, but there is no step".to_owned();
            needs.push(Need { pairs: Vec::new(), what });
        }
        Ok(needs)
    }

    /// Follows all pairs; the number of pairs, or what is different.
    fn compare(&mut self, starts: &[State<'a>]) -> Result<Result<usize, String>, Lost> {
        let groups = self.graph.starts()?;
        let first = self.needs(starts, &groups)?;
        let mut needs: Vec<Vec<Need>> = Vec::new();
        while needs.len() < self.pairs.all.len() && needs.len() < MOST_PAIRS {
            let found = self.follow(needs.len())?;
            needs.push(found);
        }
        let mut bad: Vec<Option<String>> = vec![None; self.pairs.all.len()];
        loop {
            let mut grew = false;
            for (pair, needs) in needs.iter().enumerate() {
                if bad[pair].is_some() {
                    continue;
                }
                let missing =
                    needs.iter().find(|need| need.pairs.iter().all(|&it| bad[it].is_some()));
                if let Some(need) = missing {
                    bad[pair] = Some(self.why(pair, need, &bad));
                    grew = true;
                }
            }
            if !grew {
                break;
            }
        }
        let missing = first.iter().find(|need| need.pairs.iter().all(|&it| bad[it].is_some()));
        Ok(match missing {
            None => Ok(needs.len()),
            Some(need) => Err(match need.pairs.first() {
                None => format!("at the beginning: {}", need.what),
                Some(&pair) => bad[pair].clone().unwrap_or_default(),
            }),
        })
    }

    /// Where two runs part: at this pair, or later.
    fn why(&self, pair: usize, need: &Need, bad: &[Option<String>]) -> String {
        if let Some(&later) = need.pairs.first() {
            return bad[later].clone().unwrap_or_default();
        }
        let (state, other) = self.pairs.all[pair];
        let (state, other) = (&self.states.all[state], &self.others.all[other]);
        let shown = (self.shown(state), self.shown_other(other));
        format!("the interpreter is {}\nthe flow graph is {}\n{}", shown.0, shown.1, need.what)
    }

    fn shown(&self, state: &State<'a>) -> String {
        let names = self.graph.flow.variables.iter().filter(|it| !it.contains(' '));
        let visible: Vec<String> =
            names.filter_map(|name| Some(format!("{name} = {}", state.visible(name)?))).collect();
        let inner: Vec<(&str, i128)> = state.innermost().collect();
        let (line, depth) = ((self.line)(state), state.depth());
        format!("line {line:?} {:?} depth {depth} {visible:?} inside {inner:?}", state.label())
    }

    fn shown_other(&self, state: &evaluate::State) -> String {
        let flow = self.graph.flow;
        let values: Vec<String> = flow
            .variables
            .iter()
            .zip(&state.values)
            .filter_map(|(name, value)| Some(format!("{name} = {}", (*value)?)))
            .collect();
        let point = &flow.points[state.point];
        format!("{:?} line {} {:?} {values:?}", state.point, point.line, point.labels)
    }
}

/// The states that a program begins with, for small values of the variables that are open.
fn starts<'a>(interpreter: Interpreter<'a>, open: &[String]) -> Result<Vec<State<'a>>, Lost> {
    let mut found: Vec<State<'a>> = Vec::new();
    for choice in 0..4_usize.pow(open.len() as u32) {
        let mut rest = choice;
        let mut values = BTreeMap::new();
        for name in open {
            values.insert(name.clone(), (rest % 4) as i128 - 1);
            rest /= 4;
        }
        let state = interpreter.start(&values).map_err(|_| Lost)?;
        found.extend(state.filter(|it| !found.contains(it)));
    }
    Ok(found)
}

/// A program with its calls, or with the bodies of what `main` calls in `main`.
type Made = fn(Flow, Calls) -> Option<(Flow, Calls)>;

fn compare(made: &Program, settings: &Settings, graph: Made) -> Result<Ended, String> {
    let text = &made.text;
    let unit: Unit = parse::parse(text).map_err(|it| format!("not read: {it:?}"))?;
    let lowered = with_calls(&unit, settings, text).ok();
    let Some((flow, calls)) = lowered.and_then(|(flow, calls)| graph(flow, calls)) else {
        return Ok(Ended::Refused);
    };
    let plain = hoisted(&unit);
    let interpreter = Interpreter::new(&plain, settings);
    let mut open = interpreter.open().map_err(|it| format!("{it:?}"))?;
    open.extend(made.open.iter().filter(|it| **it == "g").map(|it| (*it).to_owned()));
    open.dedup();
    let Ok(starts) = starts(interpreter, &open) else { return Ok(Ended::Lost) };
    let line = |state: &State<'_>| {
        let at = state.place()?.start as usize;
        Some(text[..at].matches('\n').count() as u32 + 1)
    };
    let mut sides = Sides {
        graph: Graph::new(&flow, &calls),
        interpreter,
        labels: labels(&unit),
        line: &line,
        is_typed: settings.widths.is_some(),
        states: Numbered::new(),
        others: Numbered::new(),
        pairs: Numbered::new(),
    };
    match sides.compare(&starts) {
        Err(Lost) => Ok(Ended::Lost),
        Ok(Ok(pairs)) => Ok(Ended::Same(pairs)),
        Ok(Err(why)) => Err(why),
    }
}

fn settings(seed: u64, made: &Program, widths: Option<Widths>) -> Settings {
    let given = made.open.iter().map(|name| {
        parse::expression(&format!("{name} >= -1 && {name} <= 2")).expect("it is an expression")
    });
    Settings {
        given: given.collect(),
        any_globals: false,
        assume_assertions: seed.is_multiple_of(3),
        widths,
    }
}

fn compare_all(usual: u64, kinds: Kinds, graph: Made, widths: impl Fn(u64) -> Option<Widths>) {
    let programs = number_from("TERN_PROGRAMS", usual);
    let first = number_from("TERN_SEED", 1);
    let (mut same, mut refused, mut lost, mut pairs) = (0, 0, 0, 0);
    let mut different = Vec::new();
    for seed in first..first + programs {
        let mut random = fastrand::Rng::with_seed(seed);
        let made = program(&mut random, kinds);
        let settings = settings(seed, &made, widths(seed));
        match compare(&made, &settings, graph) {
            Ok(Ended::Same(count)) => (same, pairs) = (same + 1, pairs + count),
            Ok(Ended::Refused) => refused += 1,
            Ok(Ended::Lost) => lost += 1,
            Err(why) => different.push((seed, made.text, why)),
        }
    }
    println!(
        "{programs} programs from seed {first}: {same} are the same in {pairs} pairs of states, \
         {refused} refused, {lost} not followed"
    );
    let seeds: Vec<u64> = different.iter().map(|(seed, ..)| *seed).collect();
    if let Some((seed, text, why)) = different.iter().min_by_key(|(_, text, _)| text.len()) {
        panic!("different at seeds {seeds:?}; seed {seed}:\n{text}\n{why}");
    }
    // What has no calls to unfold is refused.
    assert!(same * 2 > programs - refused, "too few programs are followed to test anything");
    assert!(same * 12 > programs, "too few programs are of this kind");
}

fn as_it_is(flow: Flow, calls: Calls) -> Option<(Flow, Calls)> {
    Some((flow, calls))
}

#[test]
fn flow_graphs_mean_what_programs_mean() {
    compare_all(300, Kinds { recursive: false, typed: false }, as_it_is, |_| None);
}

#[test]
fn flow_graphs_mean_what_programs_mean_that_call_themselves() {
    compare_all(150, Kinds { recursive: true, typed: false }, as_it_is, |_| None);
}

#[test]
fn unfolded_flow_graphs_mean_what_programs_mean() {
    let unfolded: Made = |flow, calls| unfold::unfolded(&flow, &calls);
    compare_all(300, Kinds { recursive: true, typed: false }, unfolded, |_| None);
}

#[test]
fn flow_graphs_mean_what_programs_mean_whose_numbers_wrap() {
    compare_all(200, Kinds { recursive: false, typed: true }, as_it_is, |seed| {
        Some(match seed % 5 {
            0 => Widths::of_int(16),
            1 => Widths { int: 32, long: 32 },
            2 => Widths::of_int(64),
            _ => Widths::of_int(8),
        })
    });
}
