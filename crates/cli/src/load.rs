//! Reads the inputs of a run: a model in whatever format it has, and claims.

mod given;
mod programs;

use crate::args::CheckArgs;
use crate::check::Job;
use crate::failure::Failure;
use crate::reading::ReadingArgs;
use given::GivenClaims;
use programs::Wanted;
pub(crate) use programs::{Attempt, refuse_reduction};
use std::ops::Range;
use tern::Model;
use tern_front::Wrong;
use tern_front::hoa::{self, Written};
use tern_front::problem::Refusal;
use tern_front::vocabulary::Misunderstood;
use tern_front::words::Nearest;
use tern_front::{Format, Problem, Source, Vocabulary, input, vocabulary};
use tern_model::space::Space;
use tern_model::{
    AtomId, AutomatonProperty, Budget, Claim, Claims, Fairness, Formula, Formulas, Limit, Machine,
    Must, Span,
};
use tern_program::sources::source_of;
use tern_report::{listed, visible};

/// The endings of files of claims, for archives that hold several files.
pub(crate) const CLAIM_ENDINGS: &[&str] = &["ctl", "ltl", "ctls"];

/// The endings of files of automata, for archives that hold several files.
pub(crate) const AUTOMATON_ENDINGS: &[&str] = &["hoa"];

/// Why an input gave nothing.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It is wrong.
    Wrong(Wrong),
    /// A limit was reached.
    Limit(Limit),
}

impl Stop {
    pub(crate) fn new(source: Source, refusal: Refusal) -> Self {
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

/// Reads a model. If it is a program, its machine is that without claims.
pub(crate) fn model(path: &str, reading: &ReadingArgs, budget: &Budget) -> Result<Model, Stop> {
    let mut model = unsettled(path, reading, budget)?;
    match model.settle(budget) {
        Ok(()) => Ok(model),
        Err(refusal) => Err(Stop::new(model.source, refusal)),
    }
}

/// Reads a model whose machine may depend on claims that are not known yet.
pub(crate) fn unsettled(path: &str, reading: &ReadingArgs, budget: &Budget) -> Result<Model, Stop> {
    match source_of(path) {
        Some(kind) => program(path, kind, reading, budget),
        None => read_model(open_model(path, reading, budget)?, budget),
    }
}

/// Reads a program.
fn program(
    path: &str,
    kind: &tern_program::sources::Source,
    reading: &ReadingArgs,
    budget: &Budget,
) -> Result<Model, Stop> {
    let options = reading.for_program().map_err(|name| {
        let problem = Problem::error("M107", format!("`{name}` cannot be set for programs"));
        Stop::new(Source::new(path, ""), problem.hint("leave it out").into())
    })?;
    let read = Model::program(path, kind, &options, budget);
    read.map_err(|(source, refusal)| Stop::new(source, refusal))
}

/// Opens the text of a model.
fn open_model(path: &str, reading: &ReadingArgs, budget: &Budget) -> Result<Source, Stop> {
    let mut source =
        input::open(path, budget).map_err(|refusal| Stop::new(Source::new(path, ""), refusal))?;
    reading.apply(&mut source);
    match no_model(&source) {
        Some((what, hint)) => Err(Stop::Wrong(misplaced(&source.name, what, hint))),
        None => Ok(source),
    }
}

fn read_model(source: Source, budget: &Budget) -> Result<Model, Stop> {
    Model::read(source, budget).map_err(|(source, refusal)| Stop::new(source, refusal))
}

/// Whether a path ends in one of these, with or without `.gz` behind it.
pub(crate) fn ends_in(path: &str, endings: &[&str]) -> bool {
    let path = path.to_ascii_lowercase();
    let stem = path.strip_suffix(".gz").unwrap_or(&path);
    stem.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// Refuses a file of the wrong kind, which is what comes of files in the wrong order.
pub(crate) fn misplaced(path: &str, what: &str, hint: &str) -> Wrong {
    let problem = Problem::error("M103", format!("`{path}` is {what}")).hint(hint);
    Wrong { source: Source::new(path, ""), problems: vec![problem] }
}

pub(crate) const ORDER: &str = "claims are about a model: tern check MODEL CLAIMS";

pub(crate) const FOR_AUTOMATA: &str = "an automaton that must accept no run is given with --automaton: \
    tern check MODEL --automaton FILE";

/// What is no model yet, by the endings of files.
const PROGRAMS: &[(&[&str], &str)] = &[
    (&["cpp", "cc", "cxx", "hpp"], "a C++ program, and no model"),
    (&["py", "rs", "go", "js", "ts", "cs", "kt"], "a program, and no model"),
    (&["pml", "prom"], "a Promela model, which Tern does not read"),
    (&["tla", "als"], "a specification of TLA+ or Alloy, which Tern does not read"),
    (&["prism", "pm", "nm", "sm"], "a model of PRISM, which Tern does not read"),
    (&["xta", "pnml", "mcrl2", "lnt", "bpl"], "a model of another tool, which Tern does not read"),
];

const NO_PROGRAMS: &str =
    "describe it as a .tern model (docs/tern-format.md), or export RSM JSON (docs/rsm-format.md)";

/// Whether a text is meant as an automaton, by its name or its first word.
fn is_automaton(source: &Source) -> bool {
    ends_in(&source.name, AUTOMATON_ENDINGS) || source.bytes.trim_ascii_start().starts_with(b"HOA:")
}

/// What a text is that is meant as something else than a model, and where that belongs.
fn no_model(source: &Source) -> Option<(&'static str, &'static str)> {
    if is_automaton(source) {
        Some(("an automaton, and no model", FOR_AUTOMATA))
    } else if ends_in(&source.name, &["c", "h", "i"]) {
        let hint = "its claims are decided by `tern check FILE.c -f 'AF exit'` (docs/integers.md)";
        Some(("a C program, and no model", hint))
    } else if let Some((_, what)) = PROGRAMS.iter().find(|(own, _)| ends_in(&source.name, own)) {
        Some((what, NO_PROGRAMS))
    } else if ends_in(&source.name, &["heap"]) {
        Some(("a pointer program, and no model", "its claims are decided by `tern check`"))
    } else if ends_in(&source.name, CLAIM_ENDINGS) {
        Some(("a file of claims, and no model", ORDER))
    } else if source.bytes.trim_ascii_start().starts_with(b"{\"schema\":\"tern-") {
        let hint = "the model comes first, then the result: tern certify MODEL RESULT";
        Some(("something that Tern has printed, and no model", hint))
    } else {
        None
    }
}

/// Where some of the claims and fairness conditions came from.
#[derive(Debug)]
struct Origin {
    /// The text they were read from.
    source: Source,
    /// The positions of the claims.
    claims: Range<usize>,
    /// The positions of the conditions.
    conditions: Range<usize>,
}

/// How many claims and conditions there are.
fn counts(claims: &Claims) -> (usize, usize) {
    (claims.list().len(), claims.fair().len())
}

impl Origin {
    /// The origin of all claims and conditions that were added since there were so many.
    fn new(source: Source, before: (usize, usize), claims: &Claims) -> Self {
        let (claim_count, condition_count) = counts(claims);
        Origin { source, claims: before.0..claim_count, conditions: before.1..condition_count }
    }
}

/// All inputs of a check.
pub(crate) struct Inputs {
    /// What to call the model.
    pub(crate) model: String,
    /// The machine, unless a limit was reached before it was read.
    pub(crate) machine: Result<Machine, Limit>,
    /// The claims to decide. May be empty if the machine is missing.
    pub(crate) claims: Claims,
    /// The number of each claim among all that there were before some were picked.
    pub(crate) numbers: Vec<usize>,
    /// Whether claims without a name are called by their numbers: not if there was only one.
    pub(crate) is_numbered: bool,
    /// Where the claims came from.
    origins: Vec<Origin>,
    /// What else the model is: what is not wrong with its text, but perhaps not meant, and what
    /// knows more propositions than the machine has labels.
    pub(crate) warnings: Vec<Problem>,
    pub(crate) vocabulary: Option<Box<dyn Vocabulary>>,
    /// The states on demand; the machine is empty then.
    pub(crate) space: Option<Box<dyn Space + Send + Sync>>,
}

impl std::fmt::Debug for Inputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inputs").field("model", &self.model).finish_non_exhaustive()
    }
}

impl Inputs {
    /// Claims about a program that has no machine of its own.
    pub(crate) fn of_program(model: &str, claims: Claims) -> Self {
        let numbers: Vec<usize> = (1..=claims.list().len()).collect();
        Inputs {
            model: model.to_owned(),
            machine: Ok(Machine::default()),
            is_numbered: numbers.len() > 1,
            claims,
            numbers,
            origins: Vec::new(),
            warnings: Vec::new(),
            vocabulary: None,
            space: None,
        }
    }

    /// The text of the model.
    pub(crate) fn model_source(&self) -> Option<&Source> {
        self.origins.iter().map(|origin| &origin.source).find(|source| source.name == self.model)
    }

    /// Makes labels of what the claims say beyond labels, or finds all that the model does not
    /// understand.
    fn label(
        &mut self,
        mut misunderstood: Vec<Misunderstood>,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let Ok(machine) = &mut self.machine else { return Ok(()) };
        let wanted = vocabulary::Wanted::by(&self.claims);
        let found = match vocabulary::label(machine, &mut self.vocabulary, &wanted, budget) {
            Ok(found) => found,
            Err(limit) => {
                self.machine = Err(limit);
                return Ok(());
            }
        };
        misunderstood.extend(found);
        let formulas = &self.claims.formulas;
        let wrong = misunderstood.into_iter().map(|(name, mut problem)| {
            let place = formulas.find_atom(&name).and_then(|atom| self.first_use(atom));
            let source = match place {
                Some((source, span)) => {
                    problem = problem.at(span, "not understood");
                    source.clone()
                }
                None => Source::new(&self.model, ""),
            };
            Wrong { source, problems: vec![problem] }
        });
        let mut wrong: Vec<Wrong> = wrong.collect();
        // In the order of the texts, and in each from its beginning on.
        wrong.sort_by_key(|Wrong { source, problems }| {
            let origin = self.origins.iter().position(|it| it.source.name == source.name);
            (origin, problems[0].at.as_ref().map(|label| label.span.start))
        });
        if wrong.is_empty() { Ok(()) } else { Err(Failure::Input(wrong)) }
    }

    /// The text that a claim was read from.
    pub(crate) fn source(&self, claim: usize) -> Option<&Source> {
        let origin = self.origins.iter().find(|origin| origin.claims.contains(&claim));
        origin.map(|origin| &origin.source)
    }

    /// Where a label is first written: in a claim, or else in a fairness condition.
    pub(crate) fn first_use(&self, atom: AtomId) -> Option<(&Source, Span)> {
        let formulas = &self.claims.formulas;
        let is_use = |&&(formula, _): &&(_, _)| formulas.get(formula) == Formula::Atom(atom);
        let in_claims = self.claims.list().iter().enumerate().find_map(|(index, claim)| {
            let &(_, span) = claim.spans.iter().find(is_use)?;
            Some((self.source(index)?, span))
        });
        in_claims.or_else(|| {
            self.origins.iter().find_map(|Origin { source, conditions, .. }| {
                let conditions = &self.claims.fair()[conditions.clone()];
                let mut spans = conditions.iter().flat_map(|condition| &condition.spans);
                spans.find(is_use).map(|&(_, span)| (source, span))
            })
        })
    }
}

impl Inputs {
    /// What a claim is called: its name, or else its number.
    pub(crate) fn title(&self, claim: usize) -> String {
        let name = self.claims.list()[claim].name.clone();
        name.unwrap_or_else(|| self.numbers[claim].to_string())
    }

    /// Keeps only the claims that are named, or given by their number, counted from 1. Of several
    /// models each needs to have one of them only.
    pub(crate) fn pick(&mut self, wanted: &[String], of_several: bool) -> Result<(), Failure> {
        let list = self.claims.list();
        let unknown =
            |name: &&String| !list.iter().enumerate().any(|(i, claim)| is_meant(name, i, claim));
        let missing = wanted.iter().filter(unknown).count();
        let is_enough = missing == 0 || of_several && missing < wanted.len();
        if let Some(name) = wanted.iter().find(unknown).filter(|_| !is_enough) {
            let names = || list.iter().filter_map(|claim| claim.name.as_deref());
            let near = Nearest::new().among(name, names()).map(str::to_owned);
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if names().next().is_some() => {
                    let quoted: Vec<String> =
                        names().map(|name| format!("`{}`", visible(name))).collect();
                    let names = listed(quoted.into_iter(), 5);
                    format!("give one of {names}, or a number from 1 to {}", list.len())
                }
                None => format!("give a number from 1 to {}", list.len()),
            };
            return Err(Failure::NoClaim { message: format!("there is no claim `{name}`"), hint });
        }
        let is_picked =
            |i: usize, claim: &Claim| wanted.iter().any(|name| is_meant(name, i, claim));
        let mut kept = vec![0];
        for (i, claim) in list.iter().enumerate() {
            kept.push(kept[i] + usize::from(is_picked(i, claim)));
        }
        for Origin { claims, .. } in &mut self.origins {
            *claims = kept[claims.start]..kept[claims.end];
        }
        let picked = list.iter().enumerate().filter(|(i, claim)| is_picked(*i, claim));
        self.numbers = picked.map(|(i, _)| i + 1).collect();
        self.claims.retain(is_picked);
        Ok(())
    }
}

/// Whether a claim is meant by a name or a number, counted from 1.
fn is_meant(name: &String, i: usize, claim: &Claim) -> bool {
    claim.name.as_ref() == Some(name) || *name == (i + 1).to_string()
}

/// Reads the model and the claims, or finds all that is wrong with all of them.
pub(crate) fn inputs(
    job: Job<'_>,
    args: &CheckArgs,
    attempt: Attempt,
    budget: &Budget,
) -> Result<Inputs, Failure> {
    // Claims first: they are small, and if the model takes too long they can be called unknown.
    let mut given = GivenClaims::default();
    let kind = source_of(job.model);
    let source = match kind {
        Some(_) => Ok(Source::new(job.model, "")),
        None => open_model(job.model, &args.reading, budget),
    };
    if let (Ok(source), None) = (&source, kind) {
        given.claims.comparisons = Format::of(source).is_some_and(|format| format.has_values);
    }
    given.read_explicit(job.claims, args, budget);
    let explicit = !job.claims.is_empty()
        || !args.formulas.is_empty()
        || !args.automaton.is_empty()
        || !args.automaton_positive.is_empty();
    let (mut warnings, mut vocabulary) = (Vec::new(), None);
    let (mut space, mut misunderstood) = (None, Vec::new());
    let wanted = source.and_then(|source| match kind {
        Some(kind) => {
            let model = program(job.model, kind, &args.reading, budget)?;
            Ok(Wanted { model, space: None, misunderstood: Vec::new() })
        }
        None => programs::read(source, args, &given, explicit, attempt, budget),
    });
    let (name, machine) = match wanted {
        Ok(Wanted { mut model, space: produced, misunderstood: found }) => {
            (space, misunderstood) = (produced, found);
            warnings = std::mem::take(&mut model.warnings);
            vocabulary = model.vocabulary.take();
            (model.source.name.clone(), Ok(given.join(model, explicit)))
        }
        Err(Stop::Limit(limit)) => (job.model.to_owned(), Err(limit)),
        Err(Stop::Wrong(found)) => {
            given.wrong.insert(0, found);
            return Err(Failure::Input(given.wrong));
        }
    };
    let machine = given.stopped.map_or(machine, Err);
    given.read_fairness(args);
    if !given.wrong.is_empty() {
        return Err(Failure::Input(given.wrong));
    }
    given.read_automata(args, budget)?;
    if machine.is_ok() {
        given.expand(vocabulary.as_deref(), budget)?;
    }
    let GivenClaims { claims, origins, wrong, .. } = given;
    if !wrong.is_empty() {
        return Err(Failure::Input(wrong));
    }
    if claims.list().is_empty() && machine.is_ok() {
        return Err(nothing_to_check(job.claims));
    }
    let numbers: Vec<usize> = (1..=claims.list().len()).collect();
    let is_numbered = numbers.len() > 1;
    let mut inputs = Inputs {
        model: name,
        machine,
        claims,
        numbers,
        is_numbered,
        origins,
        warnings,
        vocabulary,
        space,
    };
    inputs.label(misunderstood, budget)?;
    if !args.claim.is_empty() && inputs.machine.is_ok() {
        inputs.pick(&args.claim, job.of_several)?;
    }
    Ok(inputs)
}

/// Reads claims for what is no machine: those of files and of the command line.
pub(crate) fn claims_alone(
    job: Job<'_>,
    args: &CheckArgs,
    said: &[(String, String)],
    budget: &Budget,
) -> Result<Claims, Failure> {
    let mut given = GivenClaims::default();
    given.claims.comparisons = true;
    given.read_explicit(job.claims, args, budget);
    for (name, text) in said {
        given.read_named(name, text);
    }
    if !given.wrong.is_empty() {
        return Err(Failure::Input(given.wrong));
    }
    if let Some(limit) = given.stopped {
        return Err(Failure::Limit(limit));
    }
    match given.claims.list().is_empty() {
        true => Err(nothing_to_check(job.claims)),
        false => Ok(given.claims),
    }
}

/// Refuses standard input for two things.
pub(crate) fn refuse_double_input(args: &CheckArgs) -> Result<(), Failure> {
    let files = args.paths.iter().chain(&args.automaton).chain(&args.automaton_positive);
    if files.filter(|path| *path == "-").count() > 1 {
        return Err(Failure::Usage {
            message: "standard input can be read only once".to_owned(),
            hint: "give all but one of these as files, or claims with -f".to_owned(),
        });
    }
    Ok(())
}

/// Refuses claims for several models that are wrong whatever the models are.
pub(crate) fn refuse_claims(
    files: &[String],
    args: &CheckArgs,
    budget: &Budget,
) -> Result<(), Failure> {
    let mut given = GivenClaims::default();
    // Some model may have values to compare.
    given.claims.comparisons = true;
    given.read_explicit(files, args, budget);
    given.read_fairness(args);
    given.read_automata(args, budget)?;
    if given.wrong.is_empty() { Ok(()) } else { Err(Failure::Input(given.wrong)) }
}

/// That there is no claim, neither in the model nor in these files.
fn nothing_to_check(files: &[String]) -> Failure {
    let message = match files {
        [] => "there is no claim to check".to_owned(),
        files => {
            let name = |file: &String| if file == "-" { "standard input" } else { file }.to_owned();
            let names = files.iter().map(name).collect::<Vec<_>>().join(" and ");
            format!("there is no claim to check: {names} holds none")
        }
    };
    let hint = "give one with -f 'AG p', or a file of claims after the model".to_owned();
    Failure::NoClaim { message, hint }
}

/// An automaton, and what it is called: its file, and its number if there are several in it.
#[derive(Clone)]
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

/// What is claimed of an automaton, under fairness conditions.
pub(crate) fn claim_for(given: Named, must: Must, fair: Vec<Fairness>) -> Claim {
    let Named { written: Written { automaton, name, origin, places }, title } = given;
    let spans = automaton.propositions.iter().copied().zip(places).collect();
    Claim {
        name: name.filter(|name| !name.is_empty()),
        origin: Some(origin),
        spans,
        ..Claim::new(AutomatonProperty { automaton, must, fair, title })
    }
}
