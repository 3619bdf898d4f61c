//! `tern draw`: a model as a picture, or as a graph for Graphviz, perhaps with a run in colour.

use crate::args::{DrawArgs, PictureFormat};
use crate::certify::file;
use crate::failure::{Failure, Status};
use crate::files::Output;
use crate::load;
use crate::terminal::Terminal;
use tern::Model;
use tern_front::words::Nearest;
use tern_front::{Problem, Refusal, Source, Wrong, input};
use tern_model::{Budget, CompId, Machine};
use tern_record::result_file::ResultEntry;
use tern_record::told::{self, NoRun};
use tern_report::used::Used;
use tern_report::{dot, svg};

/// If a machine has more labels, only those are drawn that its claims speak of.
const MOST_LABELS: usize = 50;

/// Runs the subcommand.
pub(crate) fn run(args: &DrawArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let format = format(args)?;
    let output = Output::new(&args.output, args.force)?;
    let budget = Budget::unlimited();
    let model = load::model(&args.model, &args.reading, &budget)?;
    let machine = &model.machine;
    let only = args.component.as_deref().map(|name| component(machine, name)).transpose()?;
    let used = match &args.run {
        Some(path) => used(&model, path, args.claim.as_deref(), &budget)?,
        None => Used::default(),
    };
    let labels = labels(&model);
    let text = match format {
        PictureFormat::Svg => {
            let components: Vec<CompId> = match only {
                Some(only) => vec![only],
                None => machine.components().collect(),
            };
            svg::picture(machine, &components, &labels, &used, &budget).map_err(Failure::Limit)?
        }
        PictureFormat::Dot => {
            let mut text = String::new();
            dot::write(&mut text, machine, &labels, &used, only).expect("a string takes all text");
            text
        }
    };
    output.write(&text, terminal)?;
    Ok(Status::Good)
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
fn labels(model: &Model) -> Vec<&str> {
    let machine = &model.machine;
    if machine.label_count() <= MOST_LABELS {
        return machine.labels().map(|(_, name)| name).collect();
    }
    let formulas = &model.claims.formulas;
    let list = model.claims.list().iter();
    let mut names: Vec<&str> = list
        .flat_map(|claim| claim.property.atoms(formulas))
        .map(|atom| formulas.atom_name(atom))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What the run of a result goes through.
fn used(model: &Model, path: &str, claim: Option<&str>, budget: &Budget) -> Result<Used, Failure> {
    let wrong = |source: Source, problems| Failure::Input(vec![Wrong { source, problems }]);
    let source = match input::open_for(path, &["json"], budget) {
        Ok(source) => source,
        Err(Refusal::Problems(problems)) => return Err(wrong(Source::new(path, ""), problems)),
        Err(Refusal::Limit(limit)) => return Err(Failure::Limit(limit)),
    };
    let empty = Source::new(path, "");
    let result = file::read(&source, &model.source.name)
        .map_err(|problem| wrong(source.clone(), vec![*problem]))?;
    let top_level = false;
    file::fits(&model.machine, top_level, &result)
        .map_err(|problem| wrong(empty.clone(), vec![*problem]))?;
    let is_meant = |(i, entry): &(usize, &ResultEntry<'_>)| match claim {
        Some(claim) => entry.name.as_deref() == Some(claim) || (i + 1).to_string() == claim,
        None => true,
    };
    let meant = result.results.iter().enumerate().filter(is_meant);
    for (_, entry) in meant {
        for story in [entry.witness, entry.example].into_iter().flatten() {
            match told::first_run(&model.machine, story.get()) {
                Ok(None) => {}
                Ok(Some((from, moves))) => {
                    return Ok(Used::by_moves(&model.machine, &from, &moves));
                }
                Err(no_run) => return Err(wrong(empty, vec![refused(&no_run)])),
            }
        }
    }
    let (message, hint) = match claim {
        Some(claim) => (
            format!("there is no run for a claim `{claim}` in {path}"),
            "give the name or the number of a claim with a witness",
        ),
        None => (
            format!("there is no run in {path}"),
            "`tern check MODEL --json --witness` prints results with runs",
        ),
    };
    Err(Failure::Usage { message, hint: hint.to_owned() })
}

fn refused(no_run: &NoRun) -> Problem {
    match no_run {
        NoRun::Malformed(why) => {
            Problem::error("E003", format!("this is no sound result file: {why}"))
                .hint("`tern check MODEL --json --witness` prints such a file")
        }
        NoRun::Start(_) | NoRun::Move(_) => {
            let message = format!("this result is about another model: {no_run}");
            let hint = "give the model that the claims were decided on, unchanged";
            Problem::error("E004", message).hint(hint)
        }
    }
}
