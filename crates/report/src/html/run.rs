//! Stories and runs as data of the page: the moves in columns, from which the page finds stacks.

use super::fold::folds;
use super::formula::{Said, Tree, number};
use super::values::{Settled, Spot, Told, packed};
use serde::Serialize;
use std::collections::BTreeSet;
use tern_model::{BoxId, Ending, Move, MoveKind, NodeId};
use tern_record::trace::{Note, RunTrace, Trace, Why};

/// How many rounds of an endless run can be stepped through, and in how many steps at most.
const ROUNDS: usize = 3;
const MOST_BEYOND: usize = 3_000;

/// The names of the objects of heaps at the configurations of a run, from where it begins.
pub(super) type Objects<'a> = &'a dyn Fn(NodeId, &[Move]) -> Vec<Vec<u32>>;

/// A story.
#[derive(Debug, Serialize)]
pub(super) struct StoryData {
    formula: Said,
    holds: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    perhaps: bool,
    /// `labels`, `operands`, `run`, `all` or `long`.
    why: &'static str,
    /// What is so on all paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operands: Vec<StoryData>,
    /// The number of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
}

/// A run.
#[derive(Debug, Default, Serialize)]
pub(super) struct RunData {
    /// The run and the configuration of it that this one begins in; the empty stack if there is
    /// none.
    above: Option<(usize, usize)>,
    /// The node of each configuration; −1 for the sink.
    nodes: Vec<i64>,
    /// How the stack changes after each configuration, a letter a move: `s`tep, `c`all, `r`eturn,
    /// `x` for a return and a call, `=` for staying, `!` for the sink.
    kinds: String,
    /// The boxes that are called, in the order of the calls.
    boxes: Vec<u32>,
    /// The exits that are left by, in the order of the returns.
    exits: Vec<u32>,
    /// The moves that are only possible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    perhaps: Vec<usize>,
    /// Where an endless run goes on from, and the boxes by which the stack has grown then.
    #[serde(skip_serializing_if = "Option::is_none")]
    back: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pumped: Vec<u32>,
    /// For subformulas, their values in one configuration after the other.
    values: Vec<(usize, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<MarkData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    asides: Vec<(usize, StoryData)>,
    /// `[from, length, times]` of what is repeated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folds: Vec<[usize; 3]>,
    /// The names of the objects of heaps, in one configuration after the other; of an endless run
    /// some rounds long. An object keeps its name as long as it is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    objects: Vec<Vec<u32>>,
}

#[derive(Debug, Serialize)]
struct MarkData {
    at: usize,
    formula: Said,
    holds: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    perhaps: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    for_ever: bool,
}

/// Turns the traces of one claim into data.
pub(super) struct Teller<'a, 'b> {
    pub(super) settled: Settled<'a>,
    pub(super) runs: Vec<RunData>,
    /// The nodes that runs come to.
    pub(super) visited: &'b mut BTreeSet<NodeId>,
    pub(super) objects: Option<Objects<'a>>,
}

/// Where a story is told.
#[derive(Clone)]
pub(super) struct Here {
    pub(super) stack: Vec<BoxId>,
    pub(super) node: Option<NodeId>,
    pub(super) above: Option<(usize, usize)>,
    /// How one comes there from where the whole story begins; only kept for objects of heaps.
    pub(super) way: Option<(NodeId, Vec<Move>)>,
}

/// The values that a story tells of one configuration.
fn facts(tree: &Tree, trace: &Trace<'_>) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let mut waiting = vec![trace];
    while let Some(trace) = waiting.pop() {
        if let (Some(part), false) = (tree.find(&trace.formula), trace.perhaps) {
            found.push((part, trace.holds));
        }
        if let Why::Operands(traces) = &trace.why {
            waiting.extend(traces);
        }
    }
    found
}

impl Teller<'_, '_> {
    /// Where a program begins.
    fn begin(&self, start: NodeId) -> Here {
        let way = self.objects.map(|_| (start, Vec::new()));
        Here { stack: Vec::new(), node: Some(start), above: None, way }
    }

    /// Tells a story from the beginning. If no run shows anything, the configuration that it is
    /// told of is one by itself.
    pub(super) fn tell(&mut self, trace: &Trace<'_>, start: NodeId) -> StoryData {
        let before = self.runs.len();
        let here = self.begin(start);
        let known = facts(self.settled.tree, trace);
        let story = self.story(trace, &here, &known);
        if self.runs.len() == before {
            self.alone(&here, start, known);
        }
        story
    }

    /// Adds a configuration by itself, in which the whole formula has a value, if that is known.
    pub(super) fn stand(&mut self, start: NodeId, holds: Option<bool>) {
        let here = self.begin(start);
        let whole = self.settled.tree.parts.len().checked_sub(1);
        self.alone(&here, start, whole.zip(holds).into_iter().collect());
    }

    fn alone(&mut self, here: &Here, start: NodeId, known: Vec<(usize, bool)>) {
        self.visited.insert(start);
        let told = Told { rows: Vec::new(), facts: [(0, known)].into() };
        let values = self.values(&told, here, &[]);
        let nodes = vec![i64::from(number(start))];
        self.runs.push(RunData { nodes, values, ..RunData::default() });
    }

    /// Stories are nested no deeper than the engines tell them.
    fn story(&mut self, trace: &Trace<'_>, here: &Here, known: &[(usize, bool)]) -> StoryData {
        let mut story = StoryData {
            formula: self.settled.tree.said(&trace.formula),
            holds: trace.holds,
            perhaps: trace.perhaps,
            why: "labels",
            sentence: None,
            operands: Vec::new(),
            run: None,
        };
        match &trace.why {
            Why::Labels => {}
            Why::TooLong => story.why = "long",
            Why::AllPaths(sentence) => {
                story.why = "all";
                story.sentence = Some(crate::visible(sentence).into_owned());
            }
            Why::Operands(traces) => {
                story.why = "operands";
                story.operands =
                    traces.iter().map(|trace| self.story(trace, here, known)).collect();
            }
            Why::Run(run) => {
                story.why = "run";
                story.run = Some(self.run(run, here, known));
            }
        }
        story
    }

    fn run(&mut self, run: &RunTrace<'_>, here: &Here, known: &[(usize, bool)]) -> usize {
        let tree = self.settled.tree;
        let index = self.runs.len();
        self.runs.push(RunData::default());
        let mut data = RunData { above: here.above, ..RunData::default() };
        let mut told = Told::default();
        told.facts.insert(0, known.to_vec());
        for (text, row) in &run.values {
            told.rows.extend(tree.find(text).map(|part| (part, *row)));
        }
        for (at, step) in run.steps.iter().enumerate() {
            self.visited.extend(step.node);
            data.nodes.push(step.node.map_or(-1, |node| i64::from(number(node))));
            data.marks.extend(step.marks.iter().map(|note| mark(tree, at, note)));
            for Note { formula, holds, perhaps, .. } in &step.marks {
                if let (Some(part), false) = (tree.find(formula), *perhaps) {
                    told.facts.entry(at).or_default().push((part, *holds));
                }
            }
            let Some(next) = step.next else { continue };
            data.kinds.push(letter(next.kind));
            data.boxes.extend(next.kind.calls().map(number));
            match next.kind {
                MoveKind::Return(exit) | MoveKind::ReturnAndCall(exit, _) => {
                    data.exits.push(number(exit));
                }
                MoveKind::Step | MoveKind::Call(_) | MoveKind::Stay | MoveKind::Sink => {}
            }
            if step.perhaps {
                data.perhaps.push(at);
            }
        }
        for (at, trace) in &run.asides {
            let known = facts(tree, trace);
            told.facts.entry(*at).or_default().extend(&known);
            let here = follow(here, run, *at, index);
            let story = self.story(trace, &here, &known);
            data.asides.push((*at, story));
        }
        data.values = self.values(&told, here, &run.steps);
        match &run.ending {
            Ending::Done => {}
            Ending::Loop(from) => data.back = Some(*from),
            Ending::Pump(from, boxes) => {
                data.back = Some(*from);
                data.pumped = boxes.iter().map(|&call| number(call)).collect();
            }
        }
        let keys: Vec<_> = run.steps.iter().map(|step| (step.node, step.next)).collect();
        data.folds = folds(&keys);
        if let (Some(objects), Some((start, way))) = (self.objects, &here.way) {
            let mut moves = way.clone();
            let own: Vec<Move> = run.steps.iter().filter_map(|step| step.next).collect();
            let round = data.back.map_or(&[][..], |back| &own[back.min(own.len())..]);
            let beyond = (ROUNDS * round.len()).min(MOST_BEYOND);
            moves.extend(own.iter().chain(round.iter().cycle().take(beyond)));
            data.objects = objects(*start, &moves).split_off(way.len());
        }
        self.runs[index] = data;
        index
    }

    /// The values of all subformulas along a run.
    fn values(
        &mut self,
        told: &Told<'_>,
        begin: &Here,
        steps: &[tern_record::trace::Step<'_>],
    ) -> Vec<(usize, String)> {
        let count = self.settled.tree.parts.len();
        let mut columns: Vec<Vec<Option<bool>>> = Vec::new();
        let mut here = begin.clone();
        for at in 0..steps.len().max(1) {
            let spot = Spot { stack: &here.stack, node: here.node };
            columns.push(self.settled.at(told, at, &spot));
            if let Some(step) = steps.get(at) {
                advance(&mut here, step);
            }
        }
        let row = |part: usize| {
            let text = packed(columns.iter().map(|column| column[part]))?;
            Some((part, text))
        };
        (0..count).filter_map(row).collect()
    }
}

/// Where a run is at a configuration, seen from where it begins.
fn follow(begin: &Here, run: &RunTrace<'_>, at: usize, index: usize) -> Here {
    let mut here = begin.clone();
    run.steps[..at].iter().for_each(|step| advance(&mut here, step));
    Here { above: Some((index, at)), ..here }
}

/// Makes the move of a step.
fn advance(here: &mut Here, step: &tern_record::trace::Step<'_>) {
    let Some(next) = step.next else { return };
    if next.kind.returns() {
        here.stack.pop();
    }
    here.stack.extend(next.kind.calls());
    match next.kind {
        MoveKind::Sink => here.node = None,
        MoveKind::Stay => {}
        _ => here.node = Some(next.node),
    }
    if let Some((_, way)) = &mut here.way {
        way.push(next);
    }
}

fn mark(tree: &Tree, at: usize, note: &Note) -> MarkData {
    let Note { formula, holds, perhaps, for_ever, .. } = note;
    let formula = tree.said(formula);
    MarkData { at, formula, holds: *holds, perhaps: *perhaps, for_ever: *for_ever }
}

fn letter(kind: MoveKind) -> char {
    match kind {
        MoveKind::Step => 's',
        MoveKind::Call(_) => 'c',
        MoveKind::Return(_) => 'r',
        MoveKind::ReturnAndCall(..) => 'x',
        MoveKind::Stay => '=',
        MoveKind::Sink => '!',
    }
}
