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

use crate::Error;
use tern_engine::{Checker, Options};
use tern_front::source::Position;
use tern_front::{Problem, Refusal, Source, claims};
use tern_heap::atoms::{Atom, Ghost};
use tern_heap::code::{Code, code};
use tern_heap::machine::{HeapMachine, Settings, Stop};
use tern_heap::product::{self, AGAIN};
use tern_heap::text::{self, HeapFile, Parameter};
use tern_heap::{show, start};
use tern_ir::ProcId;
use tern_model::budget::Meter;
use tern_model::{
    Answer, Budget, Claim, Claims, Fairness, Formula, FormulaId, Formulas, Gap, Limit, Machine,
    Origin, Outcome, Span, Verdict,
};

pub use tern_heap::show::parts as heap_parts;
pub use tern_heap::text::CODES;

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
    file: HeapFile,
    code: Code,
    /// The claims.
    pub claims: Claims,
    /// For each claim, the input it is about.
    about: Vec<usize>,
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
}

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
        let mut claims = Claims::new();
        claims.comparisons = true;
        let mut model = HeapModel { source, file, code, claims, about: Vec::new() };
        let mut problems = Vec::new();
        for input in 0..model.file.inputs.len() {
            let written = model.file.inputs[input].1.clone();
            if written.is_empty() {
                for text in ["G !nullderef", "F terminated"] {
                    problems.extend(model.add(input, text, None));
                }
            }
            for claim in written {
                problems.extend(model.add(input, &claim.text, Some(claim.span)));
            }
        }
        if problems.is_empty() { Ok(model) } else { Err(wrong(&model.source, problems)) }
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
        self.file.inputs.len()
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
        let given = &self.file.inputs[input].0;
        let method = &self.code.methods[given.procedure];
        let parameters = given.parameters.iter().zip(&method.locals).map(|(parameter, local)| {
            let name = &local.name;
            match parameter {
                Parameter::Null => format!("{name}: null"),
                Parameter::Integer(number) => format!("{name}: {number}"),
                Parameter::Any => format!("{name}: ?"),
                Parameter::In(other) => format!("{name} in {}", method.locals[*other].name),
                Parameter::Shape { shape, nullable } => {
                    let plus = if *nullable { "" } else { "+" };
                    format!("{name}: {}{plus}", self.file.grammar.shapes[*shape].name)
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
        let procedure = self.file.inputs[input].0.procedure;
        for claim in &self.claims.list()[before..] {
            self.about.push(input);
            for atom in claim.property.atoms(&self.claims.formulas) {
                let name = self.claims.formulas.atom_name(atom);
                if let Err(message) = Atom::read(name, &self.code, &self.file.grammar, procedure) {
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
        let Question { states, input, machine, .. } = question;
        HeapAnswer { answer: outcome.into(), states, input, machine }
    }
}

fn problem(it: text::Problem) -> Problem {
    let problem = Problem::error(it.code, it.message).at(it.span, "");
    match it.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

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
    input: Option<String>,
    machine: Option<Machine>,
}

impl<'a> Question<'a> {
    fn new(
        model: &'a HeapModel,
        claim: usize,
        settings: HeapSettings,
        options: &'a Options,
        budget: &'a Budget,
    ) -> Self {
        let given = &model.file.inputs[model.about[claim]].0;
        let procedure = given.procedure;
        let claim = &model.claims.list()[claim];
        let formulas = &model.claims.formulas;
        let named = claim.property.atoms(formulas).into_iter().filter_map(|atom| {
            let name = formulas.atom_name(atom);
            let read = Atom::read(name, &model.code, &model.file.grammar, procedure);
            Some((name.to_owned(), read.ok()?))
        });
        let atoms: Vec<(String, Atom)> = named.collect();
        let mut ghosts: Vec<Ghost> = atoms.iter().flat_map(|(_, atom)| atom.ghosts()).collect();
        if ghosts.iter().any(|it| matches!(it, Ghost::ElementField(_))) {
            ghosts.push(Ghost::Element);
        }
        // `elem` comes before its fields.
        ghosts.sort();
        ghosts.dedup();
        let (states, input, machine) = (0, None, None);
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
            input,
            machine,
        }
    }

    fn decide(&mut self) -> Result<Outcome, Stop> {
        let budget = self.budget;
        let meter = &mut Meter::new(budget);
        let grammar = &self.model.file.grammar;
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
                Ok(not_settled(first?))
            }
        }
    }

    /// Decides the claim on heaps that stand for all inputs.
    fn by_abstraction(
        &mut self,
        inputs: &[tern_heap::graph::Heap],
        distance: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, Stop> {
        let settings = Settings {
            distance: Some(distance),
            most_nodes: self.settings.states,
            ..Settings::default()
        };
        let (formulas, formula) = self.formula();
        let (machine, states) = self.explored(inputs, settings, meter)?;
        self.states = states;
        let mut claims = Claims::from(formulas);
        let again = claims.formulas.atom(AGAIN);
        claims.push(Claim { property: formula.into(), ..self.claim.clone() });
        claims.restrict([Fairness::Justice(again).into()]);
        let outcome = self.checked(&machine, &claims.formulas, &claims.list()[0])?;
        // Stories would be about the claim under a condition that nobody wrote.
        Ok(Outcome { stories: Vec::new(), reduced: None, culprit: None, ..outcome })
    }

    /// Decides the claim on all concrete inputs up to a number of objects, the smallest first,
    /// until it fails on one.
    fn by_inputs(
        &mut self,
        inputs: &[tern_heap::graph::Heap],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let grammar = &self.model.file.grammar;
        let settings =
            Settings { distance: None, most_nodes: CONCRETE_STATES, ..Settings::default() };
        for input in start::concrete(grammar, inputs, self.settings.inputs, meter)? {
            let machine = match self.explored(std::slice::from_ref(&input), settings, meter) {
                Ok((machine, _)) => machine,
                Err(Stop::Limit(limit)) => return Err(Stop::Limit(limit)),
                Err(_) => continue,
            };
            let outcome = self.checked(&machine, &self.model.claims.formulas, self.claim)?;
            if outcome.verdict == Verdict::Fails {
                let code = &self.model.code;
                self.input =
                    Some(show::heap((grammar, code), self.procedure, &self.ghosts, &input));
                self.machine = Some(machine);
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn explored(
        &self,
        inputs: &[tern_heap::graph::Heap],
        settings: Settings,
        meter: &mut Meter<'_>,
    ) -> Result<(Machine, usize), Stop> {
        let atoms: Vec<Atom> = self.atoms.iter().map(|(_, atom)| atom.clone()).collect();
        let program = (&self.model.code, &self.model.file.grammar);
        let mut heaps = HeapMachine::new(program, self.procedure, inputs, &atoms, settings, meter)?;
        heaps.explore(meter)?;
        let file = &self.model.source.name;
        let machine = product::machine(&heaps, &self.atoms, &self.ghosts, file, meter)?;
        Ok((machine, heaps.len()))
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
fn not_settled(outcome: Outcome) -> Outcome {
    let gap = match outcome.verdict {
        Verdict::Unknown(gap) => gap,
        Verdict::Holds | Verdict::Fails => Gap::Failed(
            "the abstract program violates the claim, but no input that was tried does".to_owned(),
        ),
    };
    Outcome::from(Verdict::Unknown(gap))
}
