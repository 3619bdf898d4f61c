//! `tern info`: what there is to know of a model without a claim.

use crate::args::InfoArgs;
use crate::check::integers;
use crate::failure::{Failure, Status};
use crate::load;
use crate::terminal::Terminal;
use std::io;
use tern::Model;
use tern_front::{Problem, Wrong};
use tern_model::{Budget, Id, visible};
use tern_report::info::{Explored, Info};

/// Runs the subcommand.
pub(crate) fn run(args: &InfoArgs, terminal: &Terminal) -> Result<Status, Failure> {
    if integers::is_program(&args.model) {
        return integers::summary::run(&args.model, &args.reading, args.json, terminal);
    }
    integers::refuse_settings(&args.reading)?;
    let budget = Budget::unlimited();
    let model = load::model(&args.model, &args.reading, &budget)?;
    if args.formula {
        return formulas(&model, terminal);
    }
    let machine = &model.machine;
    let survey = tern_engine::survey(machine, &budget).map_err(Failure::Limit)?;
    let explored = Explored {
        unreachable: machine
            .nodes()
            .filter(|node| !survey.reachable.contains(node.index()))
            .collect(),
        dead_ends: survey.dead_ends.iter().map(|end| (end.node, end.under)).collect(),
    };
    let info = Info::gather(machine, &model.source.name, &explored, args.calls);
    let summary = model.vocabulary.as_ref().and_then(|words| words.summary());
    let text = if args.json {
        info.json().map_err(|cause| Failure::Output(io::Error::other(cause)))? + "\n"
    } else {
        let mut text = String::new();
        info.text(&mut text, terminal.out).expect("a string takes all text");
        text + &visible_lines(summary.as_deref().unwrap_or_default())
    };
    terminal.print(&text)?;
    Ok(Status::Good)
}

/// Lines in which nothing steers a terminal.
fn visible_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", visible(line))).collect()
}

/// Prints the model as two formulas, if its format can say them.
fn formulas(model: &Model, terminal: &Terminal) -> Result<Status, Failure> {
    let said = match &model.vocabulary {
        Some(words) => words.formulas(),
        None => Err("models of this format are not translated to formulas".to_owned()),
    };
    let text = said.map_err(|why| {
        let problem = Problem::error("M106", why).hint("leave out --formula");
        Failure::Input(vec![Wrong { source: model.source.clone(), problems: vec![problem] }])
    })?;
    terminal.print(&text)?;
    Ok(Status::Good)
}
