//! Evidence for claims about pointer programs that fail: the input and the run, to be replayed by
//! the certifier, which has an interpreter and a notion of shapes of its own.

use super::proof::names::Names;
use super::run::{Repeats, find};
use super::world::{Classes, JavaWorld, Leads, number_fields};
use super::{HeapModel, Program};
use std::collections::BTreeMap;
use tern_certify::heap::proof::graph::{AbstractHeap, Held, Slot as Holder};
use tern_certify::heap::shapes::{Nonterminal, Rules};
use tern_certify::heap::{
    self as replayed, Callee, Ending, Given, Input, Meaning, NoRun, Replay, Start, Task,
};
use tern_heap::atoms::Ghost;
use tern_heap::code::World;
use tern_heap::grammar::Grammar;
use tern_heap::graph::{Heap, ObjectId, Slot, Value, null};
use tern_heap::start;
use tern_heap::text::Parameter;
use tern_ir::{Call, Field, ProcId};
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::{Budget, FormulaId, Formulas, Limit};
use tern_record::heap_run::{HeapRun, KIND, RunEnding, StartValue, VERSION};

/// How many steps a run is followed to find out how it goes on for ever.
const MOST_STEPS: usize = 20_000;

/// Programs in text: no classes above others.
struct Plain<'a> {
    program: &'a tern_ir::Program,
    grammar: &'a Grammar,
}

impl Meaning for Plain<'_> {
    fn kind(&self, class: &str) -> Option<String> {
        self.grammar.types.kind(class).map(|_| class.to_owned())
    }

    fn keeps(&self, _: &Field) -> Option<bool> {
        Some(true)
    }

    fn callee(&self, call: &Call) -> Callee {
        match self.program.find_procedure(None, call.selector) {
            Some(procedure) => Callee::Procedure(procedure),
            None if self.program.text(self.program.selectors()[call.selector].name) == "free" => {
                Callee::Free
            }
            None => Callee::Unknown,
        }
    }

    fn is_of(&self, kind: &str, class: &str) -> bool {
        kind == class
    }
}

impl Meaning for JavaWorld<'_> {
    fn kind(&self, class: &str) -> Option<String> {
        World::kind(self, class).map(|kind| self.types.kinds[kind].name.clone())
    }

    fn made(&self, class: &str) -> Option<String> {
        World::made(self, class).map(|kind| self.types.kinds[kind].name.clone())
    }

    fn keeps(&self, field: &Field) -> Option<bool> {
        World::selector(self, field).ok().map(|selector| selector.is_some())
    }

    fn callee(&self, call: &Call) -> Callee {
        match self.classes.leads(call) {
            Leads::To(procedure) => Callee::Procedure(procedure),
            Leads::ByClass(_) => Callee::ByType,
            Leads::Nothing => Callee::Nothing,
            Leads::Pure => Callee::Pure,
            Leads::Hole(_) => Callee::Unknown,
        }
    }

    fn callees(&self, call: &Call) -> Vec<(String, ProcId)> {
        let Leads::ByClass(all) = self.classes.leads(call) else { return Vec::new() };
        let kind = |class| self.kinds.get(class).map(|&it| self.types.kinds[it].name.clone());
        all.iter().filter_map(|(class, procedure)| Some((kind(class)?, *procedure))).collect()
    }

    fn counts(&self, field: &Field) -> bool {
        World::number(self, field).is_some()
    }

    fn is_of(&self, kind: &str, class: &str) -> bool {
        World::below(self, class).iter().any(|&it| self.types.kinds[it].name == kind)
    }
}

impl HeapModel {
    /// Does something with the program as the certifier sees it.
    pub(super) fn with_task<T>(&self, input: usize, then: impl FnOnce(&Task<'_>) -> T) -> T {
        match &self.program {
            Program::Text(program) => {
                let meaning = Plain { program, grammar: &self.grammar };
                let all: Vec<ProcId> = program.procedures().ids().collect();
                then(&self.task(input, program, &meaning, &all, false))
            }
            Program::Java(java) => {
                let classes = Classes {
                    program: &java.program,
                    hierarchy: &java.hierarchy,
                    library: java.library,
                    pure: java.pure.clone(),
                    live: java.live.clone(),
                };
                let meaning = JavaWorld {
                    classes: &classes,
                    types: &self.grammar.types,
                    kinds: java.kinds.clone(),
                    numbers: BTreeMap::new(),
                    fields: number_fields(&java.program, &java.kinds),
                };
                then(&self.task(input, &java.program, &meaning, &java.reached, true))
            }
        }
    }

    fn task<'a>(
        &'a self,
        input: usize,
        program: &'a tern_ir::Program,
        meaning: &'a dyn Meaning,
        procedures: &[ProcId],
        blank: bool,
    ) -> Task<'a> {
        let input = &self.given[input].0;
        let methods = || self.code.methods.as_slice().iter().zip(procedures);
        let names = methods().map(|(method, &id)| (method.name.clone(), id)).collect();
        let local = |it: &tern_heap::code::Local| it.name.clone();
        let locals = methods()
            .map(|(method, &id)| (id, method.locals.iter().map(local).collect()))
            .collect();
        let types = &self.grammar.types;
        let kinds = types.kinds.iter().filter(|(id, _)| Some(*id) != types.freed());
        let field = |id: &tern_heap::graph::SelectorId| types.selectors[*id].name.clone();
        let given = input.parameters.iter().map(|parameter| match parameter {
            Parameter::Null => Given::Null,
            Parameter::Shape { shape, nullable } => {
                Given::Shape(self.grammar.shapes[*shape].name.clone(), *nullable)
            }
            Parameter::In(other) => Given::In(*other),
            Parameter::Integer(number) => Given::Integer(*number),
            Parameter::Any => Given::Any,
        });
        Task {
            program,
            meaning,
            names,
            locals,
            checked: procedures[input.procedure.index()],
            blank,
            types: kinds
                .map(|(_, kind)| (kind.name.clone(), kind.selectors.iter().map(field).collect()))
                .collect(),
            rules: rules(&self.grammar),
            given: given.collect(),
            heaps: input.heaps.as_ref().map(|heaps| {
                let parameters = input.parameters.len();
                heaps.iter().map(|it| self.beginning(it, parameters)).collect()
            }),
            named: self.code.named.clone(),
        }
    }

    /// A heap that is given, as the certifier has it: names are behind the parameters.
    fn beginning(&self, heap: &Heap, parameters: usize) -> AbstractHeap {
        let mut written = Names { grammar: &self.grammar }.written(heap);
        written.slots.retain(|slot, _| !matches!(slot, Holder::Ghost(_)));
        for name in 0..self.code.named.len() {
            let held = match heap.slot(start::named_slot(name)) {
                Some(Value::Object(object)) => Held::Object(object.index()),
                _ => Held::Object(0),
            };
            written.slots.insert(Holder::Variable(parameters + name), held);
        }
        written
    }

    /// A run on an input that the certifier can replay. If the program leaves something open, a run
    /// says which way is taken: until where it repeats itself, and from there on.
    pub(super) fn replay(
        &self,
        (number, claim): (usize, FormulaId),
        heap: &Heap,
        ghosts: &[Ghost],
        choices: Option<&Choices>,
        budget: &Budget,
    ) -> Result<HeapRun, String> {
        let formulas = &self.claims.formulas;
        let parameters = self.given[number].0.parameters.len();
        let input = self.input_of(heap, ghosts, parameters);
        let repeats = match choices {
            None => Repeats::Anywhere,
            Some(choices) => Repeats::Every { first: choices.prefix, each: choices.cycle.max(1) },
        };
        let mut taken = 0;
        let mut choose = || {
            let Choices { made, again, .. } = choices?;
            let position = taken;
            taken += 1;
            let cycle = made.len() - again;
            match made.get(position) {
                Some(&choice) => Some(choice),
                None if cycle > 0 => Some(made[again + (position - again) % cycle]),
                None => None,
            }
        };
        let found = self.with_task(number, |task| {
            let below = replayed::looks_below(task, formulas, claim)?;
            let run = find((task, &below), &input, &mut choose, repeats, MOST_STEPS, budget)?;
            // Evidence that would be refused is none.
            if let Some(run) = &run {
                replayed::check(task, formulas, claim, run, budget)?;
            }
            Ok::<_, NoRun>(run)
        });
        match found {
            Ok(Some(replay)) => Ok(written(replay, self.show_input(number))),
            Ok(None) => Err("the run neither ends nor repeats itself soon".to_owned()),
            Err(stop) => Err(stop.to_string()),
        }
    }

    /// Runs the program on all concrete inputs up to a number of objects, by the interpreter of the
    /// certifier, and evaluates a claim on each run. Where the program goes either way, all ways
    /// are taken at the first places, and behind these one.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn tried(&self, claim: usize, most: usize, budget: &Budget) -> Result<Tried, Limit> {
        let mut tried = Tried::default();
        let Some(formula) = self.claims.list()[claim].formula() else { return Ok(tried) };
        let (number, formulas) = (self.about[claim], &self.claims.formulas);
        let given = &self.given[number].0;
        let named = formulas
            .atoms_of(formula)
            .into_iter()
            .any(|atom| formulas.atom_name(atom).contains("elem"));
        let names = (0..self.code.named.len()).filter_map(|it| u32::try_from(it).ok());
        let element = named.then_some(Ghost::Element);
        let ghosts: Vec<Ghost> = names.map(Ghost::Named).chain(element).collect();
        let meter = &mut Meter::new(budget);
        for heap in start::concrete(&self.grammar, given, &ghosts, most, meter)? {
            let parameters = self.code.methods[given.procedure].parameters;
            // An object of which nothing is known is none that a run could begin with.
            if heap.slots().iter().any(|it| it.1 == Value::Any) {
                tried.open += 1;
                continue;
            }
            let input = self.input_of(&heap, &ghosts, parameters);
            let found =
                self.with_task(number, |task| on_all_runs(task, formulas, formula, &input, budget));
            match found {
                Ok(Some(true)) => tried.hold += 1,
                Ok(Some(false)) => tried.fail += 1,
                Ok(None) | Err(NoRun::Refused(_)) => tried.open += 1,
                Err(NoRun::Limit(limit)) => return Err(limit),
            }
        }
        Ok(tried)
    }

    /// Lets the certifier replay a run by which a claim is said to fail.
    ///
    /// # Errors
    /// Why it refuses that, or a limit.
    pub fn certify(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        run: &HeapRun,
        budget: &Budget,
    ) -> Result<(), NoRun> {
        let number = (0..self.given.len()).find(|&it| self.show_input(it) == run.given);
        let Some(number) = number else {
            let why = format!("nothing is asked about `{}`", tern_model::visible(&run.given));
            return Err(NoRun::Refused(why));
        };
        let replay = read(run);
        self.with_task(number, |task| replayed::check(task, formulas, claim, &replay, budget))
    }
}

/// How many concrete inputs there are on which a claim holds, fails, and is not evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// It holds on all runs.
    pub hold: usize,
    /// It fails on one.
    pub fail: usize,
    /// A run or the claim cannot be followed, or not all runs were seen.
    pub open: usize,
}

/// At how many places both ways are taken if a program goes either way.
const MOST_PLACES: usize = 7;

/// Whether a claim holds on all runs on an input; nothing if it does on those that were seen, and
/// there are others.
fn on_all_runs(
    task: &Task<'_>,
    formulas: &Formulas,
    formula: FormulaId,
    input: &Input,
    budget: &Budget,
) -> Result<Option<bool>, NoRun> {
    let below = replayed::looks_below(task, formulas, formula)?;
    let mut taken: Vec<bool> = Vec::new();
    let mut is_all = true;
    loop {
        let mut number = 0;
        // Behind the places at which all ways are taken, as the bits of a sequence of numbers say.
        let mut bits = input.objects.len() as u64 + 1;
        let mut choose = || {
            number += 1;
            if number > MOST_PLACES {
                bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                return Some(bits >> 63 == 1);
            }
            if taken.len() < number {
                taken.push(false);
            }
            Some(taken[number - 1])
        };
        let asked = (task, &below);
        let run = find(asked, input, &mut choose, Repeats::Anywhere, MOST_STEPS, budget)?;
        // A run that repeats itself might choose otherwise the next time.
        is_all &= number <= MOST_PLACES;
        match run {
            Some(run) if !replayed::holds_on(task, formulas, formula, &run, budget)? => {
                return Ok(Some(false));
            }
            Some(run) => is_all &= run.choices.is_empty() || run.ending == Ending::Stays,
            None => is_all = false,
        }
        while taken.last() == Some(&true) {
            taken.pop();
        }
        match taken.last_mut() {
            Some(last) => *last = true,
            None => return Ok(is_all.then_some(true)),
        }
    }
}

/// Which way a run takes where the program goes either way.
pub(super) struct Choices {
    /// The choices, in order.
    pub(super) made: Vec<bool>,
    /// Those from this one on are made again and again.
    pub(super) again: usize,
    /// After how many steps the run repeats itself.
    pub(super) prefix: usize,
    /// After how many more it is there again.
    pub(super) cycle: usize,
}

pub(super) fn rules(grammar: &Grammar) -> Rules {
    let graph = |heap: &Heap| Names { grammar }.graph(heap);
    let nonterminals = grammar.nonterminals.iter().map(|(_, it)| {
        let tentacle = |it: &tern_heap::grammar::Tentacle| {
            (grammar.types.kinds[it.kind].name.clone(), it.nullable)
        };
        let tentacles = it.tentacles.iter().map(tentacle).collect();
        let rules = it.rules.iter().map(graph).collect();
        (it.name.clone(), Nonterminal { tentacles, rules })
    });
    Rules {
        nonterminals: nonterminals.collect(),
        shapes: grammar
            .shapes
            .iter()
            .map(|shape| (shape.name.clone(), shape.heaps.iter().map(graph).collect()))
            .collect(),
    }
}

impl HeapModel {
    /// A concrete heap as an input of the certifier.
    pub(super) fn input_of(&self, heap: &Heap, ghosts: &[Ghost], parameters: usize) -> Input {
        let types = &self.grammar.types;
        let number = |object: ObjectId| (object != null()).then(|| object.index() - 1);
        let kinds = heap.objects().filter_map(|object| heap.kind(object));
        let fields = heap.objects().skip(1).flat_map(|object| {
            heap.fields(object).iter().map(move |&(selector, to)| {
                (object.index() - 1, types.selectors[selector].name.clone(), number(to))
            })
        });
        let counted = heap.numbers().iter().map(|&(object, field, number)| {
            (object.index() - 1, self.code.numbers[field].name.clone(), number)
        });
        let value = |slot: Option<Slot>| match slot.and_then(|slot| heap.slot(slot)) {
            Some(Value::Object(object)) => number(object).map_or(Start::Null, Start::Object),
            Some(Value::Integer(number)) => Start::Integer(number),
            // Nothing is known of it, or the claim does not speak of it.
            Some(Value::Any) | None => Start::Unknown,
        };
        let ghost = |it: &Ghost| {
            let place = ghosts.iter().position(|ghost| ghost == it);
            place.and_then(|it| u32::try_from(it).ok()).map(Slot::Ghost)
        };
        let variable = |it: usize| u32::try_from(it).ok().map(Slot::Variable);
        let name = |it: usize| u32::try_from(it).ok().and_then(|it| ghost(&Ghost::Named(it)));
        let slots = (0..parameters).map(variable).chain((0..self.code.named.len()).map(name));
        Input {
            objects: kinds.map(|kind| types.kinds[kind].name.clone()).collect(),
            fields: fields.collect(),
            numbers: counted.collect(),
            values: slots.map(value).collect(),
            element: match value(ghost(&Ghost::Element)) {
                Start::Object(object) => Some(object),
                _ => None,
            },
        }
    }
}

/// A value of an input as files have it.
pub(super) fn write_value(value: &Start) -> Option<StartValue> {
    match *value {
        Start::Null => None,
        Start::Object(object) => Some(StartValue::Object(object)),
        Start::Integer(number) => Some(StartValue::Number(number)),
        Start::Unknown => Some(StartValue::Any),
    }
}

/// A value of an input that a file has.
pub(super) fn read_value(value: &Option<StartValue>) -> Start {
    match *value {
        None => Start::Null,
        Some(StartValue::Object(object)) => Start::Object(object),
        Some(StartValue::Number(number)) => Start::Integer(number),
        Some(StartValue::Any) => Start::Unknown,
    }
}

fn written(replay: Replay, given: String) -> HeapRun {
    let Replay { input, choices, steps, ending } = replay;
    HeapRun {
        kind: KIND.to_owned(),
        version: VERSION,
        given,
        values: input.values.iter().map(write_value).collect(),
        objects: input.objects,
        fields: input.fields,
        numbers: input.numbers,
        element: input.element,
        choices,
        steps,
        ending: match ending {
            Ending::Stays => RunEnding::Stays,
            Ending::Again(step) => RunEnding::Again(step),
            Ending::Deeper(step) => RunEnding::Deeper(step),
        },
    }
}

pub(super) fn read(run: &HeapRun) -> Replay {
    Replay {
        input: Input {
            objects: run.objects.clone(),
            fields: run.fields.clone(),
            numbers: run.numbers.clone(),
            values: run.values.iter().map(read_value).collect(),
            element: run.element,
        },
        choices: run.choices.clone(),
        steps: run.steps,
        ending: match run.ending {
            RunEnding::Stays => Ending::Stays,
            RunEnding::Again(step) => Ending::Again(step),
            RunEnding::Deeper(step) => Ending::Deeper(step),
        },
    }
}
