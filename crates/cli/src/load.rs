//! Reads the inputs of a run: a model in whatever format it has, and claims.

use crate::args::CheckArgs;
use crate::diagnostics::Wrong;
use crate::failure::Failure;
use std::ops::Range;
use tern_front::hoa::{self, Written};
use tern_front::problem::Refusal;
use tern_front::{Problem, Source, claims, input, rsm, tern};
use tern_model::logic::{Logic, fair};
use tern_model::{
    AtomId, Automaton, Budget, Claim, Claims, Formula, Formulas, Limit, Machine, Must, Span,
};

/// The endings of files of claims, for archives that hold several files.
const CLAIM_ENDINGS: &[&str] = &["ctl", "ltl", "ctls"];

/// The endings of files of automata, for archives that hold several files.
const AUTOMATON_ENDINGS: &[&str] = &["hoa"];

/// A model that was read.
#[derive(Debug)]
pub(crate) struct Model {
    /// The text it was read from.
    pub(crate) source: Source,
    /// The machine.
    pub(crate) machine: Machine,
    /// The claims that stand in the same text.
    pub(crate) claims: Claims,
}

/// Why an input gave nothing.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It is wrong.
    Wrong(Wrong),
    /// A limit was reached.
    Limit(Limit),
}

impl Stop {
    fn new(source: Source, refusal: Refusal) -> Self {
        match refusal {
            Refusal::Problems(problems) => Stop::Wrong(Wrong { source, problems }),
            Refusal::Limit(limit) => Stop::Limit(limit),
        }
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Wrong(wrong) => Failure::Input(vec![wrong]),
            Stop::Limit(limit) => Failure::Limit(limit),
        }
    }
}

/// Reads a model.
pub(crate) fn model(path: &str, budget: &Budget) -> Result<Model, Stop> {
    let source =
        input::open(path, budget).map_err(|refusal| Stop::new(Source::new(path, ""), refusal))?;
    if let Some((what, hint)) = no_model(&source) {
        return Err(Stop::Wrong(misplaced(&source.name, what, hint)));
    }
    let read = match input::model_format(&source) {
        Some(input::Format::Tern) => tern::read(&source, budget),
        Some(input::Format::Rsm) => {
            rsm::read(&source, budget).map(|machine| (machine, Claims::new()))
        }
        None => Err(Refusal::Problems(vec![
            Problem::error("M101", "there is nothing in this text")
                .hint("models are .tern files, or .rsm files, which hold JSON"),
        ])),
    };
    match read {
        Ok((machine, claims)) => Ok(Model { source, machine, claims }),
        Err(refusal) => {
            let refusal = how_it_was_read(&source, refusal);
            Err(Stop::new(source, refusal))
        }
    }
}

/// The same refusal. If the format was guessed, its first problem says so where it says nothing else.
fn how_it_was_read(source: &Source, mut refusal: Refusal) -> Refusal {
    let named = input::model_format(&Source::new(&source.name, "")).is_some();
    if let Refusal::Problems(problems) = &mut refusal
        && let Some(first) = problems.first_mut()
        && !named
    {
        let guess = match input::model_format(source) {
            Some(input::Format::Rsm) => "as JSON, because it begins like that",
            _ => "as a .tern text",
        };
        first.hint.get_or_insert_with(|| {
            format!("the name does not tell the format, so this was read {guess}")
        });
    }
    refusal
}

/// Whether a path ends in one of these, with or without `.gz` behind it.
fn ends_in(path: &str, endings: &[&str]) -> bool {
    let path = path.to_ascii_lowercase();
    let stem = path.strip_suffix(".gz").unwrap_or(&path);
    stem.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// Refuses a file of the wrong kind, which is what comes of files in the wrong order.
fn misplaced(path: &str, what: &str, hint: &str) -> Wrong {
    let problem = Problem::error("M103", format!("`{path}` is {what}")).hint(hint);
    Wrong { source: Source::new(path, ""), problems: vec![problem] }
}

const ORDER: &str = "the model comes first, then files of claims: tern check MODEL CLAIMS";

const FOR_AUTOMATA: &str = "an automaton that must accept no run is given with --automaton: \
    tern check MODEL --automaton FILE";

/// Whether a text is meant as an automaton, by its name or its first word.
fn is_automaton(source: &Source) -> bool {
    ends_in(&source.name, AUTOMATON_ENDINGS) || source.bytes.trim_ascii_start().starts_with(b"HOA:")
}

/// What a text is that is meant as something else than a model, and where that belongs.
fn no_model(source: &Source) -> Option<(&'static str, &'static str)> {
    if is_automaton(source) {
        Some(("an automaton, and no model", FOR_AUTOMATA))
    } else if ends_in(&source.name, CLAIM_ENDINGS) {
        Some(("a file of claims, and no model", ORDER))
    } else if source.bytes.trim_ascii_start().starts_with(b"{\"schema\":\"tern-") {
        let hint = "the model comes first, then the result: tern certify MODEL RESULT";
        Some(("something that Tern has printed, and no model", hint))
    } else {
        None
    }
}

/// Where some of the claims came from.
#[derive(Debug)]
struct Origin {
    /// The text they were read from.
    source: Source,
    /// Their positions in the list of claims.
    claims: Range<usize>,
    /// The labels in fairness conditions of the text, and where they stand.
    fair_labels: Vec<(String, Span)>,
}

impl Origin {
    /// An origin of claims, and of the fairness conditions that were read last.
    fn new(source: Source, range: Range<usize>, claims: &mut Claims) -> Self {
        let spans = std::mem::take(&mut claims.fair_spans).into_iter();
        let named = |(formula, span)| match claims.formulas.get(formula) {
            Formula::Atom(atom) => Some((claims.formulas.atom_name(atom).to_owned(), span)),
            _ => None,
        };
        Origin { source, claims: range, fair_labels: spans.filter_map(named).collect() }
    }
}

/// All inputs of a check.
#[derive(Debug)]
pub(crate) struct Inputs {
    /// What to call the model.
    pub(crate) model: String,
    /// The machine, unless a limit was reached before it was read.
    pub(crate) machine: Result<Machine, Limit>,
    /// The claims to decide. May be empty if the machine is missing.
    pub(crate) claims: Claims,
    /// Where the claims came from.
    origins: Vec<Origin>,
    /// The automata that the last of the claims stand for.
    pub(crate) automata: Vec<(Automaton, Must)>,
}

impl Inputs {
    /// The automaton that a claim stands for, if it stands for one.
    pub(crate) fn automaton(&self, claim: usize) -> Option<&(Automaton, Must)> {
        let first = self.claims.list.len() - self.automata.len();
        claim.checked_sub(first).map(|index| &self.automata[index])
    }

    /// The text that a claim was read from.
    pub(crate) fn source(&self, claim: usize) -> Option<&Source> {
        let origin = self.origins.iter().find(|origin| origin.claims.contains(&claim));
        origin.map(|origin| &origin.source)
    }

    /// Where a label is first written: in a claim, or else in a fairness condition.
    pub(crate) fn first_use(&self, atom: AtomId) -> Option<(&Source, Span)> {
        let Claims { list, formulas, .. } = &self.claims;
        let in_claims = list.iter().enumerate().find_map(|(index, claim)| {
            let is_use = |&&(formula, _): &&(_, _)| formulas.get(formula) == Formula::Atom(atom);
            let &(_, span) = claim.spans.iter().find(is_use)?;
            Some((self.source(index)?, span))
        });
        in_claims.or_else(|| {
            let name = formulas.atom_name(atom);
            self.origins.iter().find_map(|origin| {
                let use_of = origin.fair_labels.iter().find(|(label, _)| label == name);
                use_of.map(|&(_, span)| (&origin.source, span))
            })
        })
    }

    /// The labels that a claim speaks of; if it stands for an automaton, that the automaton and fairness speak of.
    pub(crate) fn atoms(&self, claim: usize) -> Vec<AtomId> {
        let Claims { formulas, list, fair, .. } = &self.claims;
        let Some((automaton, _)) = self.automaton(claim) else {
            return formulas.atoms_of(list[claim].formula);
        };
        let mut atoms: Vec<AtomId> = automaton
            .propositions
            .iter()
            .chain(fair)
            .flat_map(|&id| formulas.atoms_of(id))
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

/// Reads the model and the claims, or finds all that is wrong with all of them.
pub(crate) fn inputs(args: &CheckArgs, budget: &Budget) -> Result<Inputs, Failure> {
    let files = std::iter::once(&args.model).chain(&args.claims);
    let files = files.chain(&args.automaton).chain(&args.automaton_positive);
    if files.filter(|path| *path == "-").count() > 1 {
        return Err(Failure::Usage {
            message: "standard input can be read only once".to_owned(),
            hint: "give all but one of these as files, or claims with -f".to_owned(),
        });
    }
    if ends_in(&args.model, CLAIM_ENDINGS) {
        let wrong = misplaced(&args.model, "a file of claims, and no model", ORDER);
        return Err(Failure::Input(vec![wrong]));
    }
    // Claims first: they are small, and if the model takes too long they can be called unknown.
    let mut given = GivenClaims::default();
    for path in &args.claims {
        given.read_file(path, budget);
    }
    for (i, text) in args.formulas.iter().enumerate() {
        given.read_formula(i + 1, text);
    }
    let GivenClaims { mut claims, mut origins, mut wrong, stopped } = given;
    let automata = || {
        let none = args.automaton.iter().map(|path| (path, Must::AcceptNone));
        none.chain(args.automaton_positive.iter().map(|path| (path, Must::AcceptAll)))
    };
    let explicit =
        !args.claims.is_empty() || !args.formulas.is_empty() || automata().next().is_some();
    let (name, machine) = match model(&args.model, budget) {
        Ok(mut model) => {
            let name = model.source.name.clone();
            let own = if explicit { 0..0 } else { 0..model.claims.list.len() };
            origins.push(Origin::new(model.source, own, &mut model.claims));
            // What the model says of its own fairness counts for claims from elsewhere too.
            if explicit {
                let conditions = &model.claims;
                for &condition in &conditions.fair {
                    let text = conditions.formulas.show(condition).to_string();
                    claims::read_fair(&mut claims, &text).expect("what is printed can be read");
                }
                claims.fair_spans.clear(); // those are places in no text of the user
            } else {
                claims = model.claims;
            }
            (name, stopped.map_or(Ok(model.machine), Err))
        }
        Err(Stop::Limit(limit)) => (args.model.clone(), Err(limit)),
        Err(Stop::Wrong(found)) => {
            wrong.insert(0, found);
            return Err(Failure::Input(wrong));
        }
    };
    for (i, text) in args.fair.iter().enumerate() {
        let source = Source::new(format!("fairness condition {}", i + 1), text.as_str());
        match claims::read_fair(&mut claims, text) {
            Ok(()) => origins.push(Origin::new(source, 0..0, &mut claims)),
            Err(problems) => wrong.push(Wrong { source, problems }),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::Input(wrong));
    }
    let Claims { formulas, list, fair: conditions, .. } = &mut claims;
    for claim in list {
        claim.formula = fair::under(formulas, claim.formula, conditions);
    }
    let beyond = |&&condition: &&_| claims.formulas.logic(condition) != Logic::Propositional;
    if let Some(&condition) = claims.fair.iter().find(beyond)
        && automata().next().is_some()
    {
        let condition = claims.formulas.show(condition);
        return Err(Failure::Usage {
            message: format!(
                "the fairness condition `{condition}` cannot be combined with automata"
            ),
            hint: "with automata, conditions are boolean combinations of labels".to_owned(),
        });
    }
    let mut found = Vec::new();
    for (path, must) in automata() {
        let first = claims.list.len();
        match automata_in(path, &mut claims.formulas, budget) {
            Ok((automata, source)) => {
                let add = |given| (claim_for(given, must, &mut claims), must);
                found.extend(automata.into_iter().map(add));
                origins.push(Origin::new(source, first..claims.list.len(), &mut claims));
            }
            Err(Stop::Wrong(problem)) => wrong.push(problem),
            Err(Stop::Limit(limit)) => return Err(Failure::Limit(limit)),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::Input(wrong));
    }
    if claims.list.is_empty() && machine.is_ok() {
        let message = match args.claims.as_slice() {
            [] => "there is no claim to check".to_owned(),
            files => {
                let name =
                    |file: &String| if file == "-" { "standard input" } else { file }.to_owned();
                let names = files.iter().map(name).collect::<Vec<_>>().join(" and ");
                format!("there is no claim to check: {names} holds none")
            }
        };
        return Err(Failure::Usage {
            message,
            hint: "give one with -f 'AG p', or a file of claims after the model".to_owned(),
        });
    }
    Ok(Inputs { model: name, machine, claims, origins, automata: found })
}

/// An automaton, and what it is called: its file, and its number if there are several in it.
pub(crate) struct Named {
    written: Written,
    pub(crate) title: String,
}

/// Reads the automata of a file.
pub(crate) fn automata_in(
    path: &str,
    formulas: &mut Formulas,
    budget: &Budget,
) -> Result<(Vec<Named>, Source), Stop> {
    let source = input::open_for(path, AUTOMATON_ENDINGS, budget)
        .map_err(|refusal| Stop::new(Source::new(path, ""), refusal))?;
    let read = hoa::read(&source, formulas).and_then(|written| {
        let mut propositions = written.iter().flat_map(|it| &it.automaton.propositions);
        if propositions.all(|&id| matches!(formulas.get(id), Formula::Atom(_))) {
            return Ok(written);
        }
        let message = "a proposition of this automaton is a formula, not a label";
        Err(vec![Problem::error("M104", message).hint("use labels of the model as propositions")])
    });
    let written = match read {
        Ok(written) => written,
        Err(problems) => return Err(Stop::Wrong(Wrong { source, problems })),
    };
    let several = written.len() > 1;
    let title = |number: usize| match several {
        true => format!("automaton {number} of {}", source.name),
        false => source.name.clone(),
    };
    let named = (1..).zip(written).map(|(number, written)| Named { written, title: title(number) });
    Ok((named.collect(), source))
}

/// Adds the claim that an automaton stands for, under the fairness conditions that are there.
pub(crate) fn claim_for(given: Named, must: Must, claims: &mut Claims) -> Automaton {
    let Named { written: Written { automaton, name, places }, title } = given;
    let Claims { formulas, fair, list, .. } = claims;
    let recurs = fair.iter().map(|&condition| {
        let later = formulas.make(Formula::Finally(condition));
        let recurs = formulas.make(Formula::Globally(later));
        formulas.show(recurs).to_string()
    });
    let which = match recurs.collect::<Vec<_>>().join(" & ") {
        conditions if conditions.is_empty() => "run".to_owned(),
        conditions => format!("run with {conditions}"),
    };
    let formula = formulas.atom(&match must {
        Must::AcceptNone => format!("no {which} is accepted by {title}"),
        Must::AcceptAll => format!("every {which} is accepted by {title}"),
    });
    let span = Span { start: 0, end: 0 };
    let spans = automaton.propositions.iter().copied().zip(places).collect();
    list.push(Claim { name: name.filter(|name| !name.is_empty()), formula, span, spans });
    automaton
}

/// Claims given on the command line, as far as they are read.
#[derive(Default)]
struct GivenClaims {
    claims: Claims,
    origins: Vec<Origin>,
    wrong: Vec<Wrong>,
    stopped: Option<Limit>,
}

impl GivenClaims {
    fn read_file(&mut self, path: &str, budget: &Budget) {
        if ends_in(path, &["tern", "rsm"]) {
            return self.wrong.push(misplaced(path, "a model, and no file of claims", ORDER));
        }
        match input::open_for(path, CLAIM_ENDINGS, budget) {
            Ok(source) if is_automaton(&source) => {
                let what = "an automaton, and no file of claims";
                self.wrong.push(misplaced(&source.name, what, FOR_AUTOMATA));
            }
            Ok(source) => {
                let first = self.claims.list.len();
                let read = claims::read(&source, &mut self.claims);
                self.note(source, first, read);
            }
            Err(refusal) => match Stop::new(Source::new(path, ""), refusal) {
                Stop::Wrong(mut wrong) => {
                    if path == "full" || path == "short" {
                        let hint =
                            format!("for runs write `--witness={path}`, with an equals sign");
                        wrong.problems[0].hint.get_or_insert(hint);
                    }
                    self.wrong.push(wrong);
                }
                Stop::Limit(limit) => self.stopped = Some(limit),
            },
        }
    }

    fn read_formula(&mut self, number: usize, text: &str) {
        let first = self.claims.list.len();
        let read = claims::read_one(&mut self.claims, text);
        self.note(Source::new(format!("formula {number}"), text), first, read);
    }

    fn note(&mut self, source: Source, first: usize, read: Result<(), Vec<Problem>>) {
        match read {
            Ok(()) => {
                let range = first..self.claims.list.len();
                self.origins.push(Origin::new(source, range, &mut self.claims));
            }
            Err(problems) => self.wrong.push(Wrong { source, problems }),
        }
    }
}
