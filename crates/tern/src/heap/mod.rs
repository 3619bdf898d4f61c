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
mod conditions;
mod evidence;
mod java;
mod live;
mod picture;
mod proof;
mod question;
mod rules;
mod run;
mod world;

use crate::Error;
use question::Question;
use tern_engine::Options;
use tern_front::source::Position;
use tern_front::{Problem, Refusal, Source, claims};
use tern_heap::atoms::Atom;
use tern_heap::code::{Code, code};
use tern_heap::grammar::Grammar;
pub use tern_heap::machine::Stop;
use tern_heap::text::{self, HeapFile, Parameter, WrittenClaim};
use tern_model::budget::Meter;
use tern_model::{Answer, Budget, Claims, Gap, Machine, Origin, Outcome, Span, Verdict};
use tern_program::sources::Reading;

pub use evidence::Tried;
pub use java::JavaAsked;
pub use rules::GrammarFile;
pub use tern_certify::heap::NoRun;
pub use tern_heap::identity::Identities;
pub use tern_heap::show::parts as heap_parts;
pub use tern_heap::text::CODES;
pub use tern_record::heap_proof::{HeapEvidence, HeapProof, InputFile};
pub use tern_record::heap_run::{HeapRun, RunEnding, StartValue};

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
        HeapSettings { inputs: 4, distance: 1, states: 30_000 }
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
    /// The program on that input, which the outcome is about. If runs or evidence were asked for,
    /// the names of all its nodes say what the heap is there; else that of the first does.
    pub machine: Option<Machine>,
    /// If runs or evidence were asked for: the heaps at its nodes, as text that [`heap_parts`]
    /// takes apart.
    pub heaps: Vec<String>,
    /// If runs or evidence were asked for: which object of a heap is which at the next step.
    pub identities: Identities,
    /// If evidence was asked for and the claim fails: the run.
    pub evidence: Option<HeapRun>,
    /// If evidence was asked for and the claim holds: the proof.
    pub proof: Option<Box<HeapProof>>,
}

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

    /// The machine on which a claim is decided first: nodes are lines with heaps that stand for all
    /// inputs.
    ///
    /// # Errors
    /// Why there is none.
    ///
    /// # Panics
    /// If there is no such claim.
    pub fn machine(
        &self,
        claim: usize,
        settings: HeapSettings,
        budget: &Budget,
    ) -> Result<Machine, Stop> {
        let options = Options::default();
        Question::new(self, claim, settings, &options, budget).machine_of_all()
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
        let Question { states, input, machine, heaps, identities, evidence, proof, .. } = question;
        let answer = outcome.into();
        HeapAnswer { answer, states, input, machine, heaps, identities, evidence, proof }
    }
}

/// What the grammars of a text say, for people: nonterminals, rules, and whether heaps have one
/// normal form.
///
/// # Errors
/// All that is wrong with them.
pub fn grammar_report(source: &Source) -> Result<String, Error> {
    let content = String::from_utf8_lossy(&source.bytes);
    let grammar = text::read_grammar(&content).map_err(|problems| {
        let problems = problems.into_iter().map(problem).collect();
        Error::new(source.clone(), Refusal::Problems(problems))
    })?;
    let budget = Budget::unlimited();
    tern_heap::grammar::report(&grammar, &mut Meter::new(&budget))
        .map_err(|limit| Error::new(source.clone(), Refusal::Limit(limit)))
}

fn problem(it: text::Problem) -> Problem {
    let problem = Problem::error(it.code, it.message).at(it.span, "");
    match it.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}
