//! Claims on concrete inputs, the smallest first: what fails does so on one of them.

use super::{FEW_NUMBERS, MOST_CUTPOINTS, Question};
use crate::heap::evidence::Choices;
use crate::heap::proof::Folds;
use crate::heap::{HeapProof, HeapRun};
use std::collections::BTreeSet;
use tern_engine::{Checker, Options};
use tern_heap::abstraction::Kept;
use tern_heap::code::Action;
use tern_heap::graph::{Heap, NumberId, ObjectId, Slot, Value};
use tern_heap::identity::Identities;
use tern_heap::machine::{At, Frame, HeapMachine, Settings, Stop};
use tern_heap::product::{self, Names, Product};
use tern_heap::text::Parameter;
use tern_heap::{show, start};
use tern_model::budget::Meter;
use tern_model::{Ending, Evidence, Gap, Id, Limit, Machine, Missing, NodeId, Outcome, Verdict};

/// How many numbers are tried for a parameter.
const MOST_NUMBERS: usize = 24;

/// How many numbers are tried for a field of an object, and how many inputs come of one by that.
const MOST_IN_FIELDS: usize = 4;
const MOST_VARIANTS: usize = 256;

/// How many objects inputs have that are made before any larger ones are.
const FEW_OBJECTS: usize = 2;

/// How many states a concrete input may lead to before it is given up.
const CONCRETE_STATES: usize = 5_000;

/// For each node, its line, and where it goes on if the other way is chosen there.
type Lines = Vec<(Option<u32>, Option<u32>)>;

impl Question<'_> {
    /// Decides the claim on all concrete inputs up to a number of objects, the smallest first,
    /// until it fails on one.
    pub(super) fn by_inputs(&mut self, meter: &mut Meter<'_>) -> Result<Option<Outcome>, Stop> {
        let model = self.model;
        let grammar = &model.grammar;
        let (atoms, ghosts) = (self.atoms.clone(), self.ghosts.clone());
        let settings = Settings {
            kept: None,
            most_nodes: CONCRETE_STATES,
            most_numbers: None,
            whole: self.sees_all(),
            variables: self.sees_all() || self.tracks_leaks(),
            leaks: self.tracks_leaks(),
            most_cutpoints: Some(4 * MOST_CUTPOINTS),
            ..Settings::default()
        };
        // A run that makes objects or counts for ever never comes back to where it was. With parts
        // folded it may, by steps that all heaps have; if not, with fewer folded.
        let folded = |more: usize| Settings {
            kept: Some(Kept::within(self.settings.distance + more)),
            most_numbers: Some(FEW_NUMBERS),
            ..settings
        };
        let (folded, less) = (folded(0), folded(1));
        // What is tried takes no more than a few times what the abstraction may.
        let mut left = 4 * self.settings.states;
        let most = self.settings.inputs;
        // Claims that fail do so on small inputs most often, and there are many more large ones.
        let few = most.min(FEW_OBJECTS);
        let mut inputs = self.concrete(None, few, meter)?.into_iter();
        let mut has_larger = few < most;
        loop {
            let Some(input) = inputs.next() else {
                if !std::mem::take(&mut has_larger) {
                    break;
                }
                inputs = self.concrete(Some(few), most, meter)?.into_iter();
                continue;
            };
            let one = std::slice::from_ref(&input);
            let mut followed = self.followed(grammar, one, settings, meter);
            // What is tried next if that does not say it: what claims remember may lie where a
            // callee does not come to.
            let whole = Settings { whole: true, ..settings };
            let mut more = (!self.ghosts.is_empty()).then_some(whole);
            if matches!(followed, Err(Stop::Nodes(_) | Stop::Objects(_) | Stop::Cutpoints(_))) {
                left = left.saturating_sub(settings.most_nodes);
                followed = self.followed(grammar, one, folded, meter);
                more = more.or(Some(less));
            }
            if left == 0 {
                break;
            }
            let mut heaps = match followed {
                Ok(heaps) => heaps,
                Err(Stop::Limit(limit)) => return Err(Stop::Limit(limit)),
                Err(_) => continue,
            };
            let formulas = &model.claims.formulas;
            // Most inputs do not refute the claim: heaps are drawn for the one that does, if its
            // run is asked for.
            let decided = |question: &Self, product: &Product<'_, '_>, names: Names| {
                let machine = product.machine(&model.source.name, names);
                let outcome = question.checked(&machine, formulas, question.claim)?;
                Ok::<_, Stop>((machine, outcome))
            };
            let mut product = Product::new(&heaps, &atoms, &ghosts, meter)?;
            let (mut machine, mut outcome) = decided(self, &product, Names::Starts)?;
            if let (Verdict::Unknown(_), Some(settings)) = (&outcome.verdict, more) {
                heaps = match self.followed(grammar, one, settings, meter) {
                    Ok(heaps) => heaps,
                    Err(Stop::Limit(limit)) => return Err(Stop::Limit(limit)),
                    Err(_) => continue,
                };
                product = Product::new(&heaps, &atoms, &ghosts, meter)?;
                (machine, outcome) = decided(self, &product, Names::Starts)?;
            }
            if outcome.verdict == Verdict::Fails {
                let lines = lines(&heaps);
                let Options { runs, evidence, regions, .. } = *self.options;
                if runs.is_some() || evidence || regions {
                    // What is told of runs has names, also if it is about copies of nodes.
                    machine = match outcome.reduced {
                        None => product.machine(&model.source.name, Names::All),
                        Some(_) => {
                            let (machine, named) = decided(self, &product, Names::All)?;
                            outcome = named;
                            machine
                        }
                    };
                    self.heaps = product::texts(&heaps, &ghosts);
                    self.identities = Identities::of(&heaps);
                }
                self.keep_failure(&input, (machine, &lines), &mut outcome);
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Keeps the input and the machine of a claim that fails, with evidence if that is asked for.
    fn keep_failure(
        &mut self,
        input: &Heap,
        (machine, lines): (Machine, &Lines),
        outcome: &mut Outcome,
    ) {
        if self.options.evidence {
            match self.run_on(input, &machine, lines) {
                Ok(run) => self.evidence = Some(run),
                Err(why) => {
                    self.proof = self.refutation(input);
                    if self.proof.is_none() {
                        outcome.missing.push(Missing::Evidence(Gap::Unsupported(why)));
                    }
                }
            }
            outcome.evidence = None;
        }
        let program = (&self.model.grammar, &self.model.code);
        self.input = Some(show::heap(program, self.procedure, &self.ghosts, input));
        self.machine = Some(machine);
    }

    /// The concrete inputs of more than some objects, and at most of others, the smallest first.
    fn concrete(
        &self,
        above: Option<usize>,
        most: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Heap>, Limit> {
        let mut all = start::concrete(&self.model.grammar, self.given, &self.ghosts, most, meter)?;
        // `null` is an object of each.
        all.retain(|input| above.is_none_or(|above| input.len() > above + 1));
        Ok(all.iter().flat_map(|input| self.with_numbers(input)).collect())
    }

    /// A proof that no run on an input is as the claim says: where no run can be shown to its end,
    /// because it makes objects for ever, or where one run does not say it.
    fn refutation(&self, input: &Heap) -> Option<Box<HeapProof>> {
        let formula = self.claim.formula()?;
        let begins = self.model.input_of(input, &self.ghosts, self.given.parameters.len());
        let (grammar, states) = (&self.model.grammar, CONCRETE_STATES);
        let proof = [0, 1].iter().find_map(|more| {
            let (distance, numbers) = (self.settings.distance + more, FEW_NUMBERS);
            let folds = Folds { distance, numbers, states, ..Folds::plain(grammar) };
            let about = (self.number(), formula);
            self.model.refutation(about, &begins, &folds, self.options, self.budget).ok()
        });
        proof.map(Box::new)
    }

    /// A run on which the claim fails, for the certifier.
    fn run_on(&self, input: &Heap, machine: &Machine, lines: &Lines) -> Result<HeapRun, String> {
        let formula = self.claim.formula().ok_or("the claim is no formula")?;
        let number = (self.number(), formula);
        if lines.iter().all(|(_, otherwise)| otherwise.is_none()) {
            return self.model.replay(number, input, &self.ghosts, None, self.budget);
        }
        let options = Options {
            engine: tern_engine::Engine::named("automata"),
            evidence: true,
            runs: None,
            ..self.options.clone()
        };
        let checker = Checker::new(machine, self.budget).map_err(|limit| limit.to_string())?;
        let formulas = &self.model.claims.formulas;
        let outcome = checker.decide(formulas, self.claim, &options, self.budget);
        let Some(Evidence::Runs { runs, .. }) = &outcome.evidence else {
            return Err("no single run shows it".to_owned());
        };
        let Some((first, run)) = runs.first() else { return Err("there is no run".to_owned()) };
        let nodes = std::iter::once(*first).chain(run.moves.iter().map(|it| it.node));
        // Where something is not known, the run is one of a machine with copies of nodes.
        let original = |node: NodeId| match &outcome.reduced {
            Some(reduced) => reduced.machine.node(node),
            None => Some(node),
        };
        let Some(nodes) = nodes.map(original).collect::<Option<Vec<NodeId>>>() else {
            return Err("the run goes where nothing is".to_owned());
        };
        let back = match &run.ending {
            // The configurations are numbered from the first, which is no move.
            Ending::Loop(step) | Ending::Pump(step, _) => *step,
            Ending::Done => nodes.len() - 1,
        };
        let (mut made, mut again) = (Vec::new(), None);
        for (step, pair) in nodes.windows(2).enumerate() {
            if step == back {
                again = Some(made.len());
            }
            if let (_, Some(otherwise)) = lines[pair[0].index()] {
                made.push(lines[pair[1].index()].0 == Some(otherwise));
            }
        }
        let again = again.unwrap_or(made.len());
        let cycle = nodes.len() - 1 - back;
        let choices = Choices { made, again, prefix: back, cycle };
        self.model.replay(number, input, &self.ghosts, Some(&choices), self.budget)
    }

    /// An input with each number that may decide something in place of numbers that may be any.
    fn with_numbers(&self, input: &Heap) -> Vec<Heap> {
        let mut all = vec![input.clone()];
        let code = &self.model.code;
        let constants = code.constants();
        let mut numbers: BTreeSet<i64> = [0, 1].into();
        for constant in constants {
            numbers.extend([constant.saturating_sub(1), constant, constant.saturating_add(1)]);
        }
        // Those that programs begin with come first.
        let mut numbers: Vec<i64> = numbers.into_iter().collect();
        numbers.sort_by_key(|it| (!matches!(it, 0 | 1), it.unsigned_abs()));
        let read = code.numbers_read();
        let most = if read.is_empty() { MOST_NUMBERS } else { MOST_IN_FIELDS };
        let parameters = self.given.parameters.iter().enumerate();
        let method = &code.methods[self.procedure];
        for (number, _) in parameters.filter(|(_, it)| **it == Parameter::Any) {
            // Objects of which nothing is known stay so, but for the array that programs start
            // with: it has some number of elements.
            let is_array = code.counts_arguments(self.procedure);
            if !method.locals[number].is_number && !is_array {
                continue;
            }
            let slot = Slot::Variable(u32::try_from(number).expect("few"));
            let numbers = numbers.iter().copied().filter(|&it| !is_array || it >= 0);
            let numbers: Vec<i64> = numbers.take(most).collect();
            all = varied(&all, &numbers, |heap, it| heap.set_slot(slot, Value::Integer(it)));
        }
        self.with_fields(all, &numbers, &read)
    }

    /// Inputs with numbers in the fields that the program reads: all of a few, as long as these are
    /// not too many.
    fn with_fields(
        &self,
        mut all: Vec<Heap>,
        numbers: &[i64],
        read: &BTreeSet<NumberId>,
    ) -> Vec<Heap> {
        let Some(first) = all.first().filter(|_| !read.is_empty()) else { return all };
        let fields = &self.model.code.numbers;
        let mut cells: Vec<(ObjectId, NumberId)> = Vec::new();
        for object in first.objects().skip(1) {
            let has = |it: &&NumberId| {
                first.kind(object).is_some_and(|kind| fields[**it].of.contains(&kind))
            };
            cells.extend(read.iter().filter(has).map(|&field| (object, field)));
        }
        // As many numbers everywhere as leave few inputs; then two, as long as that does.
        let count = |each: usize| {
            let cells = u32::try_from(cells.len()).unwrap_or(u32::MAX);
            each.saturating_pow(cells).saturating_mul(all.len())
        };
        let each = (2..=MOST_IN_FIELDS).rev().find(|&it| count(it) <= MOST_VARIANTS).unwrap_or(2);
        for (object, field) in cells {
            let each = if fields[field].is_truth { 2 } else { each };
            let each = if all.len() * each > MOST_VARIANTS { 1 } else { each };
            let tried = &numbers[..each.min(numbers.len())];
            all = varied(&all, tried, |heap, it| heap.set_number(object, field, Some(it)));
        }
        all
    }
}

/// The lines of the nodes of a machine.
fn lines(heaps: &HeapMachine<'_>) -> Lines {
    let line = |node: NodeId| {
        let (Frame::Procedure(procedure), At::Line(line)) =
            (heaps.frame(node), heaps.state(node).at)
        else {
            return (None, None);
        };
        match heaps.code.methods[procedure].lines[line as usize].action {
            Action::Choose { otherwise } => (Some(line), Some(otherwise)),
            _ => (Some(line), None),
        }
    };
    (0..heaps.len()).map(NodeId::new).map(line).collect()
}

/// Heaps with each of some numbers somewhere.
fn varied(all: &[Heap], numbers: &[i64], put: impl Fn(&mut Heap, i64)) -> Vec<Heap> {
    let with = |heap: &Heap, number: i64| {
        let mut heap = heap.clone();
        put(&mut heap, number);
        heap
    };
    all.iter().flat_map(|heap| numbers.iter().map(|&it| with(heap, it))).collect()
}
