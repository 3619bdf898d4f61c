//! `tern draw`: a model as a picture, or as a graph for Graphviz, perhaps with a run in colour.

use crate::args::{CheckArgs, DrawArgs, PictureFormat};
use crate::certify::file;
use crate::check::{integers, read_heap};
use crate::failure::{Failure, Status};
use crate::files::Output;
use crate::load;
use crate::terminal::Terminal;
use tern::Model;
use tern::heap::HeapSettings;
use tern_engine::Options;
use tern_front::words::Nearest;
use tern_front::{Problem, Refusal, Source, Wrong, input};
use tern_model::{Budget, CompId, Machine};
use tern_record::result_file::ResultFile;
use tern_record::told::{self, NoRun};
use tern_report::used::Used;
use tern_report::{dot, flow, svg};

/// If a machine has more labels, only those are drawn that its claims speak of.
const MOST_LABELS: usize = 50;

/// What is drawn.
struct Subject {
    machine: Machine,
    /// The labels that are written into nodes.
    labels: Vec<String>,
    used: Used,
}

/// Runs the subcommand.
pub(crate) fn run(args: &DrawArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let format = format(args)?;
    let output = Output::new(&args.output, args.force)?;
    let budget = Budget::unlimited();
    let subject = if integers::is_program(&args.model) {
        integer_program(args, &budget)?
    } else if CheckArgs::is_heap(&args.model, &args.heap) {
        pointer_program(args, &budget)?
    } else {
        integers::refuse_settings(&args.reading)?;
        let model = load::model(&args.model, &args.reading, &budget)?;
        let used = match &args.run {
            Some(path) => {
                let name = &model.source.name;
                with_result(path, name, &budget, |result| used(&model.machine, path, args, result))?
            }
            None => Used::default(),
        };
        let labels = labels(&model);
        Subject { labels, used, machine: model.machine }
    };
    let Subject { machine, labels, used } = &subject;
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let only = args.component.as_deref().map(|name| component(machine, name)).transpose()?;
    let text = match format {
        PictureFormat::Svg => {
            let components: Vec<CompId> = match only {
                Some(only) => vec![only],
                None => machine.components().collect(),
            };
            svg::picture(machine, &components, &labels, used, &budget).map_err(Failure::Limit)?
        }
        PictureFormat::Dot => {
            let mut text = String::new();
            dot::write(&mut text, machine, &labels, used, only).expect("a string takes all text");
            text
        }
    };
    output.write(&text, terminal)?;
    Ok(Status::Good)
}

/// The flow graph of a program in C.
fn integer_program(args: &DrawArgs, budget: &Budget) -> Result<Subject, Failure> {
    let code = integers::read_code(&args.model, &args.reading, budget)?;
    let text = String::from_utf8_lossy(&code.source.bytes);
    let machine = flow::machine(&code.flow, &code.source.name, &text);
    let used = match &args.run {
        None => Used::default(),
        Some(path) => {
            let source = open_result(path, budget)?;
            let wrong = |problem| Failure::Input(vec![one(source.clone(), problem)]);
            let result: serde_json::Value =
                serde_json::from_slice(&source.bytes).map_err(|error| {
                    wrong(Problem::error("E001", format!("this is not JSON: {error}")))
                })?;
            if result["schema"] != tern_record::integers::SCHEMA {
                let problem = Problem::error("E002", "this is no result about a program in C");
                return Err(wrong(
                    problem.hint("`tern check PROGRAM --json --witness` prints one"),
                ));
            }
            let results = result["results"].as_array().map_or(&[][..], Vec::as_slice);
            let is_meant =
                |(i, it): &(usize, &serde_json::Value)| is_named(args, it["name"].as_str(), *i);
            let told = results.iter().enumerate().filter(is_meant).map(|(_, it)| &it["witness"]);
            let Some(witness) = told.into_iter().find(|it| it["reason"] == "run") else {
                return Err(no_run(path, args));
            };
            flow::used(&code.flow, &machine, witness)
                .ok_or_else(|| wrong(about_another("the program has no run by these lines")))?
        }
    };
    let labels = machine.labels().map(|(_, name)| name.to_owned()).collect();
    Ok(Subject { machine, labels, used })
}

/// The machine of a pointer program: on heaps that stand for all inputs, or with a run, on the
/// input that the run begins with.
fn pointer_program(args: &DrawArgs, budget: &Budget) -> Result<Subject, Failure> {
    let model = read_heap(&args.model, (&args.reading, &args.heap), budget)?;
    let usual = HeapSettings::default();
    let settings = HeapSettings {
        inputs: args.heap.inputs.unwrap_or(usual.inputs),
        distance: args.heap.distance.unwrap_or(usual.distance),
        ..usual
    };
    let (claim, machine, used) = match &args.run {
        None => {
            let machine = model.machine(0, settings, budget).map_err(|why| Failure::Usage {
                message: format!("the program has no machine that can be drawn: {why}"),
                hint: "with --run, the run of a result is drawn on its input".to_owned(),
            })?;
            (0, machine, Used::default())
        }
        Some(path) => with_result(path, &model.source().name, budget, |result| {
            let list = model.claims.list();
            let told = result.results.iter().enumerate().find(|(i, entry)| {
                is_named(args, entry.name.as_deref(), *i) && entry.witness.is_some()
            });
            let Some((claim, _)) = told.filter(|(claim, _)| *claim < list.len()) else {
                return Err(no_run(path, args));
            };
            // Runs go by the names of nodes, which are there if a run is asked for.
            let options = Options { runs: Some(1), ..Options::default() };
            let answer = model.decide(claim, settings, &options, budget);
            let Some(machine) = answer.machine else {
                let problem = about_another("the claim does not fail");
                return Err(Failure::Input(vec![one(Source::new(path, ""), problem)]));
            };
            let used = used(&machine, path, args, result)?;
            Ok((claim, machine, used))
        })?,
    };
    let formulas = &model.claims.formulas;
    let atoms = model.claims.list()[claim].property.atoms(formulas);
    let labels = atoms.into_iter().map(|atom| formulas.atom_name(atom).to_owned()).collect();
    Ok(Subject { machine, labels, used })
}

/// Whether the run of a claim is wanted.
fn is_named(args: &DrawArgs, name: Option<&str>, position: usize) -> bool {
    match &args.claim {
        Some(claim) => name == Some(claim) || (position + 1).to_string() == *claim,
        None => true,
    }
}

/// The format that is asked for, or that the name of the output tells.
fn format(args: &DrawArgs) -> Result<PictureFormat, Failure> {
    let ending = args.output.extension().and_then(|ending| ending.to_str());
    let told = match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Some(PictureFormat::Svg),
        Some("dot" | "gv") => Some(PictureFormat::Dot),
        _ => None,
    };
    args.to.or(told).ok_or_else(|| Failure::Usage {
        message: format!("cannot tell the format to write from `{}`", args.output.display()),
        hint: "name a .svg or .dot file, or say --to svg or --to dot".to_owned(),
    })
}

/// The component of a name.
fn component(machine: &Machine, name: &str) -> Result<CompId, Failure> {
    let found = machine.components().find(|&it| machine.component_name(it) == name);
    found.ok_or_else(|| {
        let names = machine.components().map(|it| machine.component_name(it));
        let hint = match Nearest::new().among(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`tern info --calls` lists the components".to_owned(),
        };
        Failure::Usage { message: format!("there is no component `{name}`"), hint }
    })
}

/// The labels that are written into nodes.
fn labels(model: &Model) -> Vec<String> {
    let machine = &model.machine;
    if machine.label_count() <= MOST_LABELS {
        return machine.labels().map(|(_, name)| name.to_owned()).collect();
    }
    let formulas = &model.claims.formulas;
    let list = model.claims.list().iter();
    let mut names: Vec<String> = list
        .flat_map(|claim| claim.property.atoms(formulas))
        .map(|atom| formulas.atom_name(atom).to_owned())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn open_result(path: &str, budget: &Budget) -> Result<Source, Failure> {
    input::open_for(path, &["json"], budget).map_err(|refusal| match refusal {
        Refusal::Problems(problems) => {
            Failure::Input(vec![Wrong { source: Source::new(path, ""), problems }])
        }
        Refusal::Limit(limit) => Failure::Limit(limit),
    })
}

/// Does something with a result file.
fn with_result<T>(
    path: &str,
    model: &str,
    budget: &Budget,
    then: impl FnOnce(&ResultFile<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let source = open_result(path, budget)?;
    let result = file::read(&source, model)
        .map_err(|problem| Failure::Input(vec![one(source.clone(), *problem)]))?;
    then(&result)
}

/// What the run of a result goes through.
fn used(
    machine: &Machine,
    path: &str,
    args: &DrawArgs,
    result: &ResultFile<'_>,
) -> Result<Used, Failure> {
    let wrong = |problem| Failure::Input(vec![one(Source::new(path, ""), problem)]);
    let top_level = false;
    file::fits(machine, top_level, result).map_err(|problem| wrong(*problem))?;
    let list = result.results.iter().enumerate();
    for (_, entry) in list.filter(|(i, entry)| is_named(args, entry.name.as_deref(), *i)) {
        for story in [entry.witness, entry.example].into_iter().flatten() {
            match told::first_run(machine, story.get()) {
                Ok(None) => {}
                Ok(Some((from, moves))) => return Ok(Used::by_moves(machine, &from, &moves)),
                Err(no_run) => return Err(wrong(refused(&no_run))),
            }
        }
    }
    Err(no_run(path, args))
}

fn no_run(path: &str, args: &DrawArgs) -> Failure {
    let (message, hint) = match &args.claim {
        Some(claim) => (
            format!("there is no run for a claim `{claim}` in {path}"),
            "give the name or the number of a claim with a witness",
        ),
        None => (
            format!("there is no run in {path}"),
            "`tern check MODEL --json --witness` prints results with runs",
        ),
    };
    Failure::Usage { message, hint: hint.to_owned() }
}

/// One thing that is wrong with a text.
fn one(source: Source, problem: Problem) -> Wrong {
    Wrong { source, problems: vec![problem] }
}

fn about_another(why: &str) -> Problem {
    Problem::error("E004", format!("this result is about another model: {why}"))
        .hint("give the model that the claims were decided on, unchanged")
}

fn refused(no_run: &NoRun) -> Problem {
    match no_run {
        NoRun::Malformed(why) => {
            Problem::error("E003", format!("this is no sound result file: {why}"))
                .hint("`tern check MODEL --json --witness` prints such a file")
        }
        NoRun::Start(_) | NoRun::Move(_) => about_another(&no_run.to_string()),
    }
}
