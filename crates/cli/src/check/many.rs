//! Several models, one after the other: a bad one does not stop the rest, and a table sums up.

use super::one::{self, Tally};
use super::targets::Targets;
use super::{Job, Shared, integers};
use crate::args::CheckArgs;
use crate::codes;
use crate::failure::{Failure, Status};
use crate::load;
use tern_front::{Problem, Source};
use tern_report::table::{Row, Verdicts};

/// How the check of one model ended.
enum End {
    Checked(Tally),
    /// There was no claim to decide.
    Idle(Failure),
    /// It could not be read.
    Refused,
}

/// Checks all models.
pub(super) fn run(targets: &Targets, shared: Shared<'_>) -> Result<Status, Failure> {
    let Shared { args, limits, output, .. } = shared;
    if args.dot.is_some() {
        return Err(Failure::Usage {
            message: "--dot draws one model, and several are given".to_owned(),
            hint: "give the model whose graph you want alone".to_owned(),
        });
    }
    // What is wrong with the claims for all is said once.
    load::refuse_claims(&targets.claims, args, &limits.budget()).inspect_err(|failure| {
        // If this cannot be written, the failure itself is what matters.
        let _ = output.refused(&targets.models[0], failure);
    })?;
    let denied = overlooked(&targets.overlooked, shared);
    output.begin_several()?;
    let mut ends: Vec<(&str, End)> = Vec::new();
    for (i, model) in targets.models.iter().enumerate() {
        let end = check(targets, i, shared)?;
        let stop = args.fail_fast
            && match &end {
                End::Checked(tally) => tally.status() == Status::Fails,
                End::Refused => true,
                End::Idle(_) => false,
            };
        ends.push((model, end));
        if stop {
            break;
        }
    }
    let rows: Vec<Row<'_>> = ends.iter().map(|(model, end)| row(model, end)).collect();
    let left_out = targets.models.len() - ends.len();
    let claims_left_out = ends.iter().any(|(_, end)| match end {
        End::Checked(tally) => tally.left_out > 0,
        End::Idle(_) | End::Refused => false,
    });
    output.end_several(&rows, left_out, claims_left_out)?;
    let status = |(_, end): &(&str, End)| match end {
        End::Checked(tally) => tally.status(),
        End::Idle(_) => Status::Good,
        End::Refused => Status::Refused,
    };
    let first = if denied { Status::Fails } else { Status::Good };
    let worst = ends.iter().map(status).fold(first, Status::worse);
    if ends.iter().all(|(_, end)| matches!(end, End::Idle(_)))
        && let Some((_, End::Idle(failure))) = ends.pop()
    {
        return Err(failure);
    }
    Ok(worst)
}

/// Warns of files of claims that lie in a folder with models and do not count. Says whether such a
/// warning is denied.
fn overlooked(files: &[String], Shared { args, output, .. }: Shared<'_>) -> bool {
    const CODE: &str = "W209";
    let Some(first) = files.first().filter(|_| !codes::is_named(&args.allow, CODE)) else {
        return false;
    };
    let denied = codes::is_named(&args.deny, CODE);
    if !args.quiet || denied {
        let message = match files.len() {
            1 => "a file of claims in a folder is not used".to_owned(),
            count => format!("{count} files of claims in folders are not used"),
        };
        let problem = Problem::warning(CODE, message)
            .hint("name it behind the models: it then counts for all of them");
        output.warn(&Source::new(first, ""), &problem);
    }
    if denied {
        output.note(&format!("the warning {CODE} is denied\n"));
    }
    denied
}

/// Checks one model, and says at once what is wrong with it.
fn check(targets: &Targets, model: usize, shared: Shared<'_>) -> Result<End, Failure> {
    let Shared { output, .. } = shared;
    let job = targets.job(model);
    output.heading(job.model);
    let checked = match integers::is_program(job.model) {
        true => integers::run(job, shared),
        false => refuse_settings(job, shared).and_then(|()| one::run(job, shared)),
    };
    match checked {
        Ok(tally) => Ok(End::Checked(tally)),
        Err(failure @ Failure::NoClaim { .. }) => {
            output.idle(job.model)?;
            Ok(End::Idle(failure))
        }
        Err(failure @ (Failure::Output(_) | Failure::File(..))) => Err(failure),
        Err(failure) => {
            output.refused(job.model, &failure)?;
            output.complain(&failure, job.model);
            Ok(End::Refused)
        }
    }
}

/// Refuses what is for programs only.
fn refuse_settings(job: Job<'_>, shared: Shared<'_>) -> Result<(), Failure> {
    let args = shared.args;
    if !CheckArgs::is_method(job.model, &args.heap) {
        integers::refuse_settings(&args.reading)?;
    }
    integers::refuse_precondition(args)
}

fn row<'a>(model: &'a str, end: &End) -> Row<'a> {
    let verdicts = match end {
        End::Checked(tally) => tally.verdicts(),
        End::Idle(_) => Verdicts::None,
        End::Refused => Verdicts::Refused,
    };
    Row { model, verdicts }
}
