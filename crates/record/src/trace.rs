//! The trace of a story: what is to be shown of it, in one value from which text, JSON and graphs
//! are drawn.
//!
//! A [`Trace`] has the shape of its story, with texts in place of formulas, and each run as a list
//! of [`Step`]s: one for each configuration, with everything that there is to say of it. Stories
//! about an abstract machine speak of an ordinary one; here they are told of the abstract one, with
//! the claim as it is written.

use std::borrow::Cow;
use tern_model::abstraction::{Back, Lane, MAYBE, Reduced};
use tern_model::index::Table;
use tern_model::{
    AnnotatedRun, BoxId, Ending, Formula, FormulaId, Formulas, Id, LabelId, Machine, Mark, Move,
    MoveKind, NodeId, Origin, Outcome, Property, Reason, Story, Surety, Topic,
};

/// The longest text of a formula that is written out, roughly, in bytes: formulas share their
/// operands, and written out some are longer than any file.
const LONGEST: u64 = 1 << 10;

/// A story as it is shown.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// What it is told of, in words.
    pub formula: String,
    /// What it is the negation of, if it is one.
    pub negation_of: Option<String>,
    /// Whether there is more to it than the labels of a state.
    pub speaks_of_paths: bool,
    /// Whether it holds.
    pub holds: bool,
    /// Whether it only may hold, or fail: the machine is abstract, and does not say.
    pub perhaps: bool,
    /// The reason.
    pub why: Why<'a>,
}

/// What a value is due to.
#[derive(Clone, Debug)]
pub enum Why<'a> {
    /// The labels of the state.
    Labels,
    /// These, in the same state.
    Operands(Vec<Trace<'a>>),
    /// A run.
    Run(RunTrace<'a>),
    /// What is so on all paths: this sentence says it.
    AllPaths(String),
    /// It was not told.
    TooLong,
}

/// A run, as it is shown.
#[derive(Clone, Debug)]
pub struct RunTrace<'a> {
    /// The configurations that it passes; there is at least one.
    pub steps: Vec<Step<'a>>,
    /// How it goes on from the last of them.
    pub ending: Ending,
    /// The quantified formulas inside, and whether they hold in one configuration after the other.
    pub values: Vec<(String, &'a [bool])>,
    /// What is told of configurations on the way.
    pub asides: Vec<(usize, Trace<'a>)>,
}

/// A configuration of a run.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The node; `None` for the sink.
    pub node: Option<NodeId>,
    /// Where the node comes from, if the machine knows.
    pub origin: Option<Origin>,
    /// How many calls have not come back.
    pub depth: usize,
    /// The box of the innermost of these calls.
    pub inside: Option<BoxId>,
    /// The labels that the claim speaks of; those that are unknown with a question mark.
    pub labels: Vec<Cow<'a, str>>,
    /// Which of the [`RunTrace::values`] are true here.
    pub values: Vec<usize>,
    /// The parts of the path formula that get the value that matters here.
    pub marks: Vec<Note>,
    /// The move that is made.
    pub next: Option<Move>,
    /// Whether that move is only possible.
    pub perhaps: bool,
}

/// A part of a path formula, and the value that it gets.
#[derive(Clone, Debug)]
pub struct Note {
    /// The part.
    pub formula: String,
    /// Its value.
    pub holds: bool,
    /// Whether it only may have this value.
    pub perhaps: bool,
    /// What it is the negation of, if it is one.
    pub negation_of: Option<String>,
    /// Whether it keeps the value for ever.
    pub for_ever: bool,
    /// Whether the labels of the step say as much.
    pub is_plain: bool,
}

impl<'a> Trace<'a> {
    /// The traces of the stories of an outcome, each with the initial node that it begins at.
    pub fn all(
        machine: &'a Machine,
        formulas: &'a Formulas,
        claim: &'a Property,
        outcome: &'a Outcome,
    ) -> Vec<(NodeId, Trace<'a>)> {
        let tracer = Tracer::new(machine, formulas, claim, outcome.reduced.as_deref());
        let one = |(start, story): &'a (NodeId, Story)| {
            let start = tracer.reduced.and_then(|it| it.machine.node(*start)).unwrap_or(*start);
            (start, tracer.trace(story, &Spot { stack: Vec::new(), node: Some(start) }))
        };
        outcome.stories.iter().map(one).collect()
    }
}

/// A configuration.
#[derive(Clone)]
struct Spot {
    stack: Vec<BoxId>,
    /// `None` for the sink.
    node: Option<NodeId>,
}

impl Spot {
    fn follow(&mut self, step: Move) {
        if step.kind.returns() {
            self.stack.pop();
        }
        self.stack.extend(step.kind.calls());
        match step.kind {
            MoveKind::Sink => self.node = None,
            MoveKind::Stay => {} // also in the sink
            _ => self.node = Some(step.node),
        }
    }
}

struct Tracer<'a> {
    machine: &'a Machine,
    /// Where the formulas live that stories are told of.
    formulas: &'a Formulas,
    claim: &'a Property,
    /// What the claim is said in.
    words: &'a Formulas,
    /// What stories speak of, if not of the machine and the claim.
    reduced: Option<&'a Reduced>,
    /// The labels that the claim speaks of.
    labels: Vec<(&'a str, Option<LabelId>)>,
    /// How long the text of each subformula of the claim is, roughly.
    length: Table<FormulaId, u64>,
    /// Whether there is a quantifier or a temporal operator in it.
    of_paths: Table<FormulaId, bool>,
}

impl<'a> Tracer<'a> {
    fn new(
        machine: &'a Machine,
        words: &'a Formulas,
        claim: &'a Property,
        reduced: Option<&'a Reduced>,
    ) -> Self {
        let names = claim.atoms(words).into_iter().map(|atom| words.atom_name(atom));
        let labels = names.map(|name| (name, machine.label(name))).collect();
        let (formulas, roots) = match reduced.and_then(|it| it.claim.as_ref()) {
            Some(it) => (&it.formulas, vec![it.original, it.claim]),
            None => (words, claim.said().into_iter().collect()),
        };
        let count = roots.iter().map(|root| root.index() + 1).max().unwrap_or(0);
        let mut length: Table<FormulaId, u64> = Table::filled(0, count);
        let mut of_paths: Table<FormulaId, bool> = Table::filled(false, count);
        for id in roots.into_iter().flat_map(|root| formulas.subformulas(root)) {
            let formula = formulas.get(id);
            let own = match formula {
                Formula::Atom(atom) => formulas.atom_name(atom).len() as u64,
                _ => 8, // more than any operator with its brackets and spaces
            };
            length[id] = formula.operands().fold(own, |sum, f| sum.saturating_add(length[f]));
            of_paths[id] = formula.is_quantifier()
                || formula.is_temporal()
                || formula.operands().any(|f| of_paths[f]);
        }
        Tracer { machine, formulas, claim, words, reduced, labels, length, of_paths }
    }

    /// The formula that is meant by one of a story, and in which lane it is asked for if that does
    /// not go without saying.
    fn meant(&self, id: FormulaId) -> (FormulaId, Option<Lane>) {
        match self.reduced.and_then(|reduced| reduced.claim.as_ref()?.origin(id)) {
            Some((id, lane)) => (id, Some(lane)),
            None => (id, None),
        }
    }

    /// A formula, or its number if it is very long.
    fn text(&self, id: FormulaId) -> String {
        let (id, _) = self.meant(id);
        if self.length[id] > LONGEST {
            return format!("(subformula {})", id.index());
        }
        self.formulas.show(id).to_string()
    }

    /// Whether a formula only may have a value, because what has it is asked for in the other lane.
    fn is_perhaps(&self, id: FormulaId, holds: bool) -> bool {
        self.meant(id).1 == Some(if holds { Lane::May } else { Lane::Must })
    }

    /// Whether something is told of the steps of an ordinary machine, and not of the abstract one.
    fn only_helps(&self, of: Topic) -> bool {
        let (Topic::Formula(id), true) = (of, self.machine.is_abstract()) else { return false };
        let mut atoms = self.formulas.atoms_of(id).into_iter();
        self.meant(id).1.is_none() && atoms.all(|atom| self.formulas.atom_name(atom) == MAYBE)
    }

    fn negation_of(&self, id: FormulaId) -> Option<String> {
        match self.formulas.get(self.meant(id).0) {
            Formula::Not(f) => Some(self.text(f)),
            _ => None,
        }
    }

    /// The labels of a node that the claim speaks of.
    fn labels_at(&self, node: NodeId) -> Vec<Cow<'a, str>> {
        let shown = |&(name, label): &(&'a str, Option<LabelId>)| {
            let label = label?;
            if self.machine.has_label(node, label) {
                return Some(Cow::Borrowed(name));
            }
            self.machine.is_unknown(node, label).then(|| Cow::Owned(format!("{name}?")))
        };
        self.labels.iter().filter_map(shown).collect()
    }

    /// A move as the machine has it, and whether it is only possible.
    fn real(&self, spot: &Spot, step: Move) -> (Move, bool) {
        let Some(reduced) = self.reduced else { return (step, false) };
        let Back { step, surety } = reduced.machine.back(self.machine, spot.node, step);
        (step, surety == Surety::Possible)
    }

    /// Stories are nested no deeper than the engines tell them.
    fn trace(&self, story: &'a Story, spot: &Spot) -> Trace<'a> {
        let Story { of, holds, ref reason } = *story;
        let why = match reason {
            Reason::Labels => Why::Labels,
            Reason::Operands(stories) => {
                let told = stories.iter().filter(|story| !self.only_helps(story.of));
                Why::Operands(told.map(|story| self.trace(story, spot)).collect())
            }
            Reason::Run(told) => Why::Run(self.run(told, spot)),
            Reason::AllPaths => Why::AllPaths(self.on_all_paths(of)),
            Reason::TooLong => Why::TooLong,
        };
        match of {
            Topic::Formula(id) => Trace {
                formula: self.text(id),
                negation_of: self.negation_of(id),
                speaks_of_paths: self.of_paths[self.meant(id).0],
                holds,
                perhaps: self.is_perhaps(id, holds),
                why,
            },
            Topic::Automaton => Trace {
                formula: self.claim.show(self.words).to_string(),
                negation_of: None,
                speaks_of_paths: true,
                holds,
                perhaps: false,
                why,
            },
        }
    }

    fn run(&self, told: &'a AnnotatedRun, begin: &Spot) -> RunTrace<'a> {
        let AnnotatedRun { run, values, marks, asides } = told;
        let mut spot = begin.clone();
        let mut steps = Vec::with_capacity(run.configurations());
        let mut traces = Vec::with_capacity(asides.len());
        let mut marks = marks.iter().peekable();
        let mut asides = asides.iter().peekable();
        for i in 0..run.configurations() {
            let next = run.moves.get(i).map(|&step| self.real(&spot, step));
            let holding =
                values.iter().enumerate().filter(|(_, (_, row))| row.get(i) == Some(&true));
            let mut notes = Vec::new();
            while let Some(mark) = marks.next_if(|mark| mark.at <= i) {
                // That steps are sure is not told.
                if !self.only_helps(mark.of.into()) {
                    notes.push(self.note(mark));
                }
            }
            while let Some((at, story)) = asides.next_if(|(at, _)| *at <= i) {
                if !self.only_helps(story.of) {
                    traces.push((*at, self.trace(story, &spot)));
                }
            }
            steps.push(Step {
                node: spot.node,
                origin: spot.node.and_then(|node| self.machine.origin(node)),
                depth: spot.stack.len(),
                inside: spot.stack.last().copied(),
                labels: spot.node.map_or_else(Vec::new, |node| self.labels_at(node)),
                values: holding.map(|(number, _)| number).collect(),
                marks: notes,
                next: next.map(|(step, _)| step),
                perhaps: next.is_some_and(|(_, perhaps)| perhaps),
            });
            next.into_iter().for_each(|(step, _)| spot.follow(step));
        }
        let named = |id: FormulaId| match self.is_perhaps(id, true) {
            true => format!("perhaps {}", self.text(id)),
            false => self.text(id),
        };
        let values = values.iter().map(|(id, row)| (named(*id), &row[..])).collect();
        let ending = match (&run.ending, self.reduced) {
            (Ending::Pump(from, boxes), Some(reduced)) => {
                Ending::Pump(*from, boxes.iter().map(|&call| reduced.machine.call(call)).collect())
            }
            (ending, _) => ending.clone(),
        };
        RunTrace { steps, ending, values, asides: traces }
    }

    fn note(&self, mark: &Mark) -> Note {
        let Mark { of, holds, .. } = *mark;
        let formula = self.formulas.get(self.meant(of).0);
        let is_atom = |id: FormulaId| matches!(self.formulas.get(id), Formula::Atom(_));
        Note {
            formula: self.text(of),
            holds,
            perhaps: self.is_perhaps(of, holds),
            negation_of: self.negation_of(of),
            for_ever: match formula {
                Formula::Finally(_) => !holds,
                Formula::Globally(_) => holds,
                _ => false,
            },
            // A label that is there can be seen.
            is_plain: match formula {
                Formula::Atom(_) => holds,
                Formula::Not(f) => !holds && is_atom(f),
                _ => false,
            },
        }
    }

    /// What is so on all paths if a formula has its value because of that: `E` is false, or `A`
    /// true.
    fn on_all_paths(&self, of: Topic) -> String {
        let Topic::Formula(id) = of else {
            return "all runs are as they must be".to_owned();
        };
        let (id, _) = self.meant(id);
        let formulas = self.formulas;
        let (exists, path) = match formulas.get(id) {
            Formula::Exists(path) => (true, path),
            Formula::All(path) => (false, path),
            _ => (false, id),
        };
        let text = |id: FormulaId| self.text(id);
        let formula = formulas.get(path);
        let of_states = formula.operands().all(|f| formulas.is_state_formula(f));
        match (formula, exists) {
            (Formula::Next(f), true) if of_states => format!("no next state has {}", text(f)),
            (Formula::Next(f), false) if of_states => format!("all next states have {}", text(f)),
            (Formula::Finally(f), true) if of_states => format!("no path leads to {}", text(f)),
            (Formula::Finally(f), false) if of_states => format!("all paths lead to {}", text(f)),
            (Formula::Globally(f), true) if of_states => {
                format!("no path stays in {} for ever", text(f))
            }
            (Formula::Globally(f), false) if of_states => match formulas.get(f) {
                Formula::Not(g) => format!("no path leads to {}", text(g)),
                _ => format!("all paths stay in {} for ever", text(f)),
            },
            (Formula::Until(f, g), true) if of_states => {
                format!("no path through {} leads to {}", text(f), text(g))
            }
            (_, true) => format!("no path has {}", text(path)),
            (_, false) => format!("all paths have {}", text(path)),
        }
    }
}
