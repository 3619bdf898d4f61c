//! Pointer programs with claims about what they do to every list and tree.
//!
//! # What a verdict means
//! The program is followed on abstract heaps, which stand for all inputs. Every run of every input
//! is a run of that machine, but not the reverse.
//! * `holds`: the claim holds of the machine, for runs that can happen: those on which no measure
//!   shrinks for ever (see `tern_heap::progress`).
//! * `fails`: the claim fails on one concrete input, which the answer names. All inputs up to a
//!   number of objects are tried, the smallest first, and followed without abstraction.
//! * `unknown`: neither. The outcome says where the abstraction is too coarse.
//!
//! If nothing in the program is left to chance, an input has one run, and `E` means the same as
//! `A`.

mod attestor;
mod evidence;
mod java;
mod picture;
mod world;

use crate::Error;
use tern_engine::{Checker, Options};
use tern_front::source::Position;
use tern_front::{Problem, Refusal, Source, claims};
use tern_heap::atoms::{Atom, Ghost};
use tern_heap::code::{Action, Code, code};
use tern_heap::grammar::Grammar;
use tern_heap::graph::{Heap, Slot, Value};
use tern_heap::machine::{At, Frame, HeapMachine, Settings, Stop};
use tern_heap::product::{self, AGAIN};
use tern_heap::text::{self, HeapFile, Parameter, WrittenClaim};
use tern_heap::{show, start};
use tern_ir::ProcId;
use tern_model::budget::Meter;
use tern_model::{
    Answer, Budget, Claim, Claims, Ending, Evidence, Fairness, Formula, FormulaId, Formulas, Gap,
    Id, Limit, Machine, Missing, NodeId, Origin, Outcome, Span, Verdict,
};
use tern_program::sources::Reading;

pub use java::JavaAsked;
pub use tern_certify::heap::NoRun;
pub use tern_heap::show::parts as heap_parts;
pub use tern_heap::text::CODES;
pub use tern_record::heap_run::HeapRun;

/// How pointer programs are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapSettings {
    /// How many objects the concrete inputs have that are tried.
    pub inputs: usize,
    /// Objects nearer than this to a variable keep their fields; one more is tried if that does not
    /// settle a claim.
    pub distance: usize,
    /// How many states there may be.
    pub states: usize,
}

impl Default for HeapSettings {
    fn default() -> Self {
        HeapSettings { inputs: 4, distance: 1, states: 50_000 }
    }
}

/// A pointer program with its claims.
pub struct HeapModel {
    source: Source,
    grammar: Grammar,
    code: Code,
    /// The program as it was read.
    program: Program,
    /// What is checked, with what inputs and claims.
    given: Vec<(text::Input, Vec<WrittenClaim>)>,
    /// The claims.
    pub claims: Claims,
    /// For each claim, the input it is about.
    about: Vec<usize>,
}

/// A program as it was read.
enum Program {
    Text(Box<tern_ir::Program>),
    Java(Box<java::JavaProgram>),
}

/// The answer to a claim about a pointer program.
#[derive(Clone, Debug)]
pub struct HeapAnswer {
    /// The answer.
    pub answer: Answer,
    /// How many states the abstract machine has, or had until it was given up.
    pub states: usize,
    /// The input on which the claim fails.
    pub input: Option<String>,
    /// The program on that input, which the outcome is about.
    pub machine: Option<Machine>,
    /// The heaps at its nodes, as text that [`heap_parts`] takes apart.
    pub heaps: Vec<String>,
    /// If evidence was asked for and the claim fails: the run.
    pub evidence: Option<HeapRun>,
}

/// How many numbers are tried for a parameter.
const MOST_NUMBERS: usize = 24;

/// How many states a concrete input may lead to before it is given up.
const CONCRETE_STATES: usize = 5_000;

impl HeapModel {
    /// Reads a program.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(source: Source) -> Result<Self, Error> {
        let wrong = |source: &Source, problems: Vec<Problem>| {
            Error::new(source.clone(), Refusal::Problems(problems))
        };
        let Ok(content) = String::from_utf8(source.bytes.clone()) else {
            let problem = Problem::error("H101", "the text is not UTF-8");
            return Err(wrong(&source, vec![problem]));
        };
        let file = text::read(&content, &source.name)
            .map_err(|problems| wrong(&source, problems.into_iter().map(problem).collect()))?;
        let code = code(&file.program, &file.grammar.types).map_err(|problems| {
            wrong(&source, problems.into_iter().map(|it| Problem::error("H305", it)).collect())
        })?;
        let HeapFile { grammar, inputs, program } = file;
        HeapModel::new(source, grammar, (code, Program::Text(Box::new(program))), inputs)
    }

    /// Takes a method of a program in Java that was read.
    ///
    /// # Errors
    /// All that is wrong with what is asked, or a limit.
    pub fn java(
        source: Source,
        reading: Reading,
        asked: &JavaAsked,
        budget: &Budget,
    ) -> Result<Self, Error> {
        java::model_from(source, reading, asked, None, budget)
    }

    /// Takes a settings file of Attestor, with the program and heaps that it names.
    ///
    /// # Errors
    /// All that is wrong with them, or a limit.
    pub fn attestor(path: &str, source: &Source, budget: &Budget) -> Result<Self, Error> {
        attestor::model(path, source, budget)
    }

    fn new(
        source: Source,
        grammar: Grammar,
        (code, program): (Code, Program),
        given: Vec<(text::Input, Vec<WrittenClaim>)>,
    ) -> Result<Self, Error> {
        let mut claims = Claims::new();
        claims.comparisons = true;
        let mut model =
            HeapModel { source, grammar, code, program, given, claims, about: Vec::new() };
        let mut problems = Vec::new();
        for input in 0..model.given.len() {
            let written = model.given[input].1.clone();
            if written.is_empty() {
                for text in model.usual_claims() {
                    problems.extend(model.add(input, text, None));
                }
            }
            for claim in written {
                problems.extend(model.add(input, &claim.text, Some(claim.span)));
            }
        }
        match problems.is_empty() {
            true => Ok(model),
            false => Err(Error::new(model.source, Refusal::Problems(problems))),
        }
    }

    /// What is checked if no claim is made.
    fn usual_claims(&self) -> &'static [&'static str] {
        match self.code.freed {
            None => &["G !nullderef", "F terminated"],
            Some(_) => {
                &["G !nullderef", "G !useafterfree", "G !doublefree", "G !leak", "F terminated"]
            }
        }
    }

    /// Adds a claim about an input, by its number.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn claim(&mut self, input: usize, formula: &str) -> Result<usize, Error> {
        let problems = self.add(input, formula, None);
        if problems.is_empty() {
            return Ok(self.about.len() - 1);
        }
        Err(Error::new(Source::new("formula", formula), Refusal::Problems(problems)))
    }

    /// Forgets all claims.
    pub fn clear_claims(&mut self) {
        self.claims = Claims::new();
        self.claims.comparisons = true;
        self.about.clear();
    }

    /// How many inputs the text names.
    pub fn inputs(&self) -> usize {
        self.given.len()
    }

    /// The text that was read.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The input that a claim is about, by its number.
    pub fn about(&self, claim: usize) -> usize {
        self.about[claim]
    }

    /// An input as it is written: `given m(x: SLL)`.
    pub fn show_input(&self, input: usize) -> String {
        let given = &self.given[input].0;
        let method = &self.code.methods[given.procedure];
        if let Some(heaps) = &given.heaps {
            let s = if heaps.len() == 1 { "" } else { "s" };
            return format!("given {} with {} initial heap{s}", method.name, heaps.len());
        }
        let parameters = given.parameters.iter().zip(&method.locals).map(|(parameter, local)| {
            let name = &local.name;
            match parameter {
                Parameter::Null => format!("{name}: null"),
                Parameter::Integer(number) => format!("{name}: {number}"),
                Parameter::Any => format!("{name}: ?"),
                Parameter::In(other) => format!("{name} in {}", method.locals[*other].name),
                Parameter::Shape { shape, nullable } => {
                    let plus = if *nullable { "" } else { "+" };
                    format!("{name}: {}{plus}", self.grammar.shapes[*shape].name)
                }
            }
        });
        format!("given {}({})", method.name, parameters.collect::<Vec<_>>().join(", "))
    }

    fn add(&mut self, input: usize, text: &str, span: Option<Span>) -> Vec<Problem> {
        let before = self.claims.list().len();
        // Problems are about the text of the claim, which stands somewhere in the file.
        let shift = |it: Span| match span {
            Some(span) => Span { start: it.start + span.start, end: it.end + span.start },
            None => it,
        };
        let origin = span.map(|span| {
            let Position { line, column } = self.source.position(span.start as usize);
            Origin::new(self.source.name.as_str(), line as u32).at_column(column as u32)
        });
        if let Err(mut problems) = claims::read_one_at(&mut self.claims, text, origin) {
            for problem in &mut problems {
                problem.at.iter_mut().for_each(|it| it.span = shift(it.span));
                problem.related.iter_mut().for_each(|it| it.span = shift(it.span));
            }
            return problems;
        }
        let mut problems = Vec::new();
        let procedure = self.given[input].0.procedure;
        for claim in &self.claims.list()[before..] {
            self.about.push(input);
            for atom in claim.property.atoms(&self.claims.formulas) {
                let name = self.claims.formulas.atom_name(atom);
                if let Err(message) = Atom::read(name, &self.code, &self.grammar, procedure) {
                    let problem = Problem::error("H403", message);
                    problems.push(match span {
                        Some(span) => problem.at(span, ""),
                        None => problem,
                    });
                }
            }
        }
        problems
    }

    /// Decides a claim.
    ///
    /// # Panics
    /// If there is no such claim.
    pub fn decide(
        &self,
        claim: usize,
        settings: HeapSettings,
        options: &Options,
        budget: &Budget,
    ) -> HeapAnswer {
        let mut question = Question::new(self, claim, settings, options, budget);
        let outcome = question.decide().unwrap_or_else(|stop| {
            let gap = match stop {
                Stop::Limit(limit) => Gap::Limit(limit),
                other => Gap::Failed(other.to_string()),
            };
            Outcome::from(Verdict::Unknown(gap))
        });
        let Question { states, input, machine, heaps, evidence, .. } = question;
        HeapAnswer { answer: outcome.into(), states, input, machine, heaps, evidence }
    }
}

fn problem(it: text::Problem) -> Problem {
    let problem = Problem::error(it.code, it.message).at(it.span, "");
    match it.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

/// For each node, its line, and where it goes on if the other way is chosen there.
type Lines = Vec<(Option<u32>, Option<u32>)>;

/// A claim that is being decided.
struct Question<'a> {
    model: &'a HeapModel,
    claim: &'a Claim,
    given: &'a text::Input,
    procedure: ProcId,
    settings: HeapSettings,
    options: &'a Options,
    budget: &'a Budget,
    atoms: Vec<(String, Atom)>,
    ghosts: Vec<Ghost>,
    states: usize,
    /// What the abstract machine does not know.
    holes: Vec<String>,
    input: Option<String>,
    machine: Option<Machine>,
    heaps: Vec<String>,
    evidence: Option<HeapRun>,
}

impl<'a> Question<'a> {
    fn new(
        model: &'a HeapModel,
        claim: usize,
        settings: HeapSettings,
        options: &'a Options,
        budget: &'a Budget,
    ) -> Self {
        let given = &model.given[model.about[claim]].0;
        let procedure = given.procedure;
        let claim = &model.claims.list()[claim];
        let formulas = &model.claims.formulas;
        let named = claim.property.atoms(formulas).into_iter().filter_map(|atom| {
            let name = formulas.atom_name(atom);
            let read = Atom::read(name, &model.code, &model.grammar, procedure);
            Some((name.to_owned(), read.ok()?))
        });
        let atoms: Vec<(String, Atom)> = named.collect();
        let mut ghosts: Vec<Ghost> = atoms.iter().flat_map(|(_, atom)| atom.ghosts()).collect();
        if ghosts.iter().any(|it| matches!(it, Ghost::ElementField(_))) {
            ghosts.push(Ghost::Element);
        }
        // Sorted below: `elem` comes before its fields.
        let tracks = atoms.iter().any(|(_, atom)| atom.is_leak() || atom.is_whole());
        if tracks {
            // Who calls still has what it gave.
            let parameters = &model.code.methods[procedure].locals;
            let parameters = parameters.iter().take(given.parameters.len()).enumerate();
            let objects = parameters.filter(|(_, local)| local.kind.is_some());
            ghosts
                .extend(objects.filter_map(|(it, _)| Some(Ghost::Start(u32::try_from(it).ok()?))));
        }
        ghosts.sort();
        ghosts.dedup();
        let (states, holes, input, machine, evidence) = (0, Vec::new(), None, None, None);
        Question {
            model,
            claim,
            given,
            procedure,
            settings,
            options,
            budget,
            atoms,
            ghosts,
            states,
            holes,
            input,
            machine,
            heaps: Vec::new(),
            evidence,
        }
    }

    fn decide(&mut self) -> Result<Outcome, Stop> {
        let budget = self.budget;
        let meter = &mut Meter::new(budget);
        let grammar = &self.model.grammar;
        let inputs = start::inputs(grammar, self.given, &self.ghosts, meter)?;
        if inputs.is_empty() {
            return Ok(Outcome::from(Verdict::Holds));
        }
        let distance = self.settings.distance;
        let first = self.by_abstraction(&inputs, distance, meter);
        if let Ok(outcome) = &first
            && outcome.verdict == Verdict::Holds
        {
            return first;
        }
        if let Some(outcome) = self.by_inputs(&inputs, meter)? {
            return Ok(outcome);
        }
        let states = self.states;
        let second = self.by_abstraction(&inputs, distance + 1, meter);
        match second {
            Ok(outcome) if outcome.verdict == Verdict::Holds => Ok(outcome),
            Err(Stop::Limit(limit)) => Err(Stop::Limit(limit)),
            _ => {
                self.states = states;
                let holes = std::mem::take(&mut self.holes);
                Ok(not_settled(first?, &holes))
            }
        }
    }

    /// Decides the claim on heaps that stand for all inputs.
    fn by_abstraction(
        &mut self,
        inputs: &[Heap],
        distance: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, Stop> {
        let settings = Settings {
            distance: Some(distance),
            most_nodes: self.settings.states,
            whole: self.sees_all(),
            leaks: self.tracks_leaks(),
            ..Settings::default()
        };
        let (formulas, formula) = self.formula();
        let (machine, lines) = self.explored(inputs, settings, meter)?;
        self.states = lines.len();
        let mut claims = Claims::from(formulas);
        let again = claims.formulas.atom(AGAIN);
        claims.push(Claim { property: formula.into(), ..self.claim.clone() });
        claims.restrict([Fairness::Justice(again).into()]);
        let outcome = self.checked(&machine, &claims.formulas, &claims.list()[0])?;
        // Stories would be about the claim under a condition that nobody wrote.
        Ok(Outcome { stories: Vec::new(), reduced: None, culprit: None, evidence: None, ..outcome })
    }

    /// Decides the claim on all concrete inputs up to a number of objects, the smallest first,
    /// until it fails on one.
    fn by_inputs(
        &mut self,
        inputs: &[Heap],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let grammar = &self.model.grammar;
        let settings = Settings {
            distance: None,
            most_nodes: CONCRETE_STATES,
            most_numbers: None,
            whole: self.sees_all(),
            leaks: self.tracks_leaks(),
            ..Settings::default()
        };
        let concrete = start::concrete(grammar, inputs, self.settings.inputs, meter)?;
        let concrete: Vec<Heap> =
            concrete.iter().flat_map(|input| self.with_numbers(input)).collect();
        for input in concrete {
            let (machine, lines) =
                match self.explored(std::slice::from_ref(&input), settings, meter) {
                    Ok(explored) => explored,
                    Err(Stop::Limit(limit)) => return Err(Stop::Limit(limit)),
                    Err(_) => continue,
                };
            let mut outcome = self.checked(&machine, &self.model.claims.formulas, self.claim)?;
            if outcome.verdict == Verdict::Fails {
                if self.options.evidence {
                    match self.run_on(&input, &machine, &lines) {
                        Ok(run) => self.evidence = Some(run),
                        Err(why) => {
                            outcome.missing.push(Missing::Evidence(Gap::Unsupported(why)));
                        }
                    }
                    outcome.evidence = None;
                }
                let code = &self.model.code;
                self.input =
                    Some(show::heap((grammar, code), self.procedure, &self.ghosts, &input));
                self.machine = Some(machine);
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// A line of which it is not known what follows, and why.
    fn show_hole(&self, (procedure, line): (ProcId, u32)) -> String {
        let method = &self.model.code.methods[procedure];
        let line = &method.lines[line as usize];
        let why = match &line.action {
            Action::Hole(why) => why,
            _ if line.caught => "what is thrown there may be caught",
            Action::Cast(..) => "a cast that may not succeed",
            _ => "nothing is known of an object that is used",
        };
        format!("line {} of `{}` ({why})", line.place.line, method.name)
    }

    fn explored(
        &mut self,
        inputs: &[Heap],
        settings: Settings,
        meter: &mut Meter<'_>,
    ) -> Result<(Machine, Lines), Stop> {
        let atoms: Vec<Atom> = self.atoms.iter().map(|(_, atom)| atom.clone()).collect();
        let program = (&self.model.code, &self.model.grammar);
        let mut heaps = HeapMachine::new(program, self.procedure, inputs, &atoms, settings, meter)?;
        heaps.explore(meter)?;
        self.holes = heaps.holes().iter().take(3).map(|&it| self.show_hole(it)).collect();
        let file = &self.model.source.name;
        let machine = product::machine(&heaps, &self.atoms, &self.ghosts, file, meter)?;
        if settings.distance.is_none() {
            self.heaps = product::texts(&heaps, &self.ghosts);
        }
        let lines = (0..heaps.len()).map(NodeId::new).map(|node| {
            let (Frame::Procedure(procedure), At::Line(line)) =
                (heaps.frame(node), heaps.state(node).at)
            else {
                return (None, None);
            };
            match self.model.code.methods[procedure].lines[line as usize].action {
                Action::Choose { otherwise } => (Some(line), Some(otherwise)),
                _ => (Some(line), None),
            }
        });
        Ok((machine, lines.collect()))
    }

    /// A run on which the claim fails, for the certifier.
    fn run_on(&self, input: &Heap, machine: &Machine, lines: &Lines) -> Result<HeapRun, String> {
        let element = self.ghosts.iter().position(|it| *it == Ghost::Element);
        let element = element.and_then(|it| u32::try_from(it).ok()).map(Slot::Ghost);
        let number = self.model.given.iter().position(|it| std::ptr::eq(&it.0, self.given));
        let number = number.expect("it is one of them");
        if lines.iter().all(|(_, otherwise)| otherwise.is_none()) {
            return self.model.replay(number, input, element, None, self.budget);
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
        let nodes: Vec<NodeId> =
            std::iter::once(*first).chain(run.moves.iter().map(|it| it.node)).collect();
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
        let choices = evidence::Choices { made, again, prefix: back, cycle };
        self.model.replay(number, input, element, Some(&choices), self.budget)
    }

    fn sees_all(&self) -> bool {
        self.atoms.iter().any(|(_, atom)| atom.is_whole())
    }

    fn tracks_leaks(&self) -> bool {
        self.atoms.iter().any(|(_, atom)| atom.is_leak())
    }

    /// An input with each number that may decide something in place of numbers that may be any.
    fn with_numbers(&self, input: &Heap) -> Vec<Heap> {
        let mut all = vec![input.clone()];
        let constants = self.model.code.constants();
        let mut numbers: std::collections::BTreeSet<i64> = [0, 1].into();
        for constant in constants {
            numbers.extend([constant.saturating_sub(1), constant, constant.saturating_add(1)]);
        }
        let parameters = self.given.parameters.iter().enumerate();
        let locals = &self.model.code.methods[self.procedure].locals;
        for (number, _) in parameters.filter(|(_, it)| **it == Parameter::Any) {
            // Objects of which nothing is known stay so.
            if !locals[number].is_number {
                continue;
            }
            let slot = Slot::Variable(u32::try_from(number).expect("few"));
            let with = |heap: &Heap| {
                let heap = heap.clone();
                numbers.iter().take(MOST_NUMBERS).map(move |&number| {
                    let mut heap = heap.clone();
                    heap.set_slot(slot, Value::Integer(number));
                    heap
                })
            };
            all = all.iter().flat_map(|heap| with(heap).collect::<Vec<_>>()).collect();
        }
        all
    }

    fn checked(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        claim: &Claim,
    ) -> Result<Outcome, Limit> {
        let checker = Checker::new(machine, self.budget)?;
        Ok(checker.decide(formulas, claim, self.options, self.budget))
    }

    /// The formula that is decided on abstract heaps: where an input has one run, `E` is `A`.
    fn formula(&self) -> (Formulas, FormulaId) {
        let formula = self.claim.formula().expect("claims about heaps are formulas");
        let (mut formulas, formula) = self.model.claims.formulas.alone(formula);
        if !self.model.code.deterministic {
            return (formulas, formula);
        }
        let mut made = std::collections::BTreeMap::new();
        for id in formulas.subformulas(formula) {
            let new = match formulas.get(id) {
                Formula::Exists(path) => Formula::All(path),
                other => other,
            };
            let new = new.with_operands(|operand| made[&operand]);
            made.insert(id, formulas.make(new));
        }
        let formula = made[&formula];
        (formulas, formula)
    }
}

/// What is said if an abstract machine does not settle a claim, and no input refutes it.
fn not_settled(outcome: Outcome, holes: &[String]) -> Outcome {
    let gap = match outcome.verdict {
        _ if !holes.is_empty() => Gap::Hole(holes.join("; ")),
        Verdict::Unknown(gap) => gap,
        Verdict::Holds | Verdict::Fails => Gap::Failed(
            "the abstract program violates the claim, but no input that was tried does".to_owned(),
        ),
    };
    Outcome::from(Verdict::Unknown(gap))
}
