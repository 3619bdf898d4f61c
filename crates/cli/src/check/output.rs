//! What a check prints: text as it comes, one JSON object at the end, or a line of JSON for each
//! result.
//!
//! Results go to standard output, warnings and errors to standard error. In text a model of several
//! has a heading, which is printed when there is something to say below it.

use super::{graph_is_printed, page};
use crate::args::{CheckArgs, JsonForm, TraceStyle, Witness};
use crate::failure::{self, Failure};
use crate::load::Inputs;
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::warnings::{self, Found};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use tern::heap::{HeapAnswer, HeapEvidence};
use tern_front::render::render;
use tern_front::{Problem, Source};
use tern_model::{Answer, Claims, FormulaId, Gap, Limit, Machine, Verdict};
use tern_record::json::{self, Remark};
use tern_record::trace::Trace;
use tern_report::html::Page;
use tern_report::story::Length;
use tern_report::table::{self, Row, Sums};
use tern_report::{Palette, counted, listed, nusmv, text, visible};

/// How many claims are named of those that are only counted.
const MOST_NAMED: usize = 3;

/// Where results go, and in which form.
pub(super) struct Output<'a> {
    pub(super) args: &'a CheckArgs,
    terminal: &'a Terminal,
    progress: &'a Progress,
    several: bool,
    printed: Mutex<Printed>,
    pub(super) page: Mutex<Page>,
}

/// How far the printing has come.
#[derive(Default)]
struct Printed {
    /// The heading that is still to be printed.
    heading: Option<String>,
    /// How many models of a list of JSON objects are printed; `None` if the list is not begun.
    listed: Option<usize>,
}

impl<'a> Output<'a> {
    pub(super) fn new(
        args: &'a CheckArgs,
        terminal: &'a Terminal,
        progress: &'a Progress,
        several: bool,
    ) -> Self {
        Output {
            args,
            terminal,
            progress,
            several,
            printed: Mutex::default(),
            page: Mutex::default(),
        }
    }

    /// Looks at how far the printing has come, and changes it.
    fn printed<T>(&self, change: impl FnOnce(&mut Printed) -> T) -> T {
        change(&mut self.printed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins the results on several models.
    pub(super) fn begin_several(&self) -> Result<(), Failure> {
        if self.args.json != Some(JsonForm::Object) {
            return Ok(());
        }
        self.printed(|printed| printed.listed = Some(0));
        let schema = tern_record::result_file::SCHEMA;
        let version = env!("CARGO_PKG_VERSION");
        self.raw(&format!(r#"{{"schema":"{schema}","tern":"{version}","models":["#))
    }

    /// Ends the results on several models; some may have been left out, or claims on the last.
    pub(super) fn end_several(
        &self,
        rows: &[Row<'_>],
        left_out: usize,
        claims_left_out: bool,
    ) -> Result<(), Failure> {
        match self.args.json {
            Some(JsonForm::Object) => {
                let sums = serde_json::to_string(&Sums::of(rows)).expect("numbers only");
                self.raw(&format!("],\"summary\":{sums}}}\n"))
            }
            Some(JsonForm::Lines) => self.summary_line(rows, left_out == 0 && !claims_left_out),
            None if self.args.quiet => Ok(()),
            None => {
                self.printed(|printed| printed.heading = None);
                let mut text = format!("\n{}", table::text(rows, self.terminal.out));
                if left_out > 0 {
                    let models = counted(left_out, "more model");
                    text += &format!("stopped at the first failure; {models} not looked at\n");
                }
                self.print(&text)
            }
        }
    }

    /// The last line of JSON, if results are told in lines.
    pub(super) fn summary_line(&self, rows: &[Row<'_>], is_complete: bool) -> Result<(), Failure> {
        match self.args.json {
            Some(JsonForm::Lines) => self.raw(&json::summary_line(&Sums::of(rows), is_complete)),
            Some(JsonForm::Object) | None => Ok(()),
        }
    }

    /// Says of which model the next results are.
    pub(super) fn heading(&self, model: &str) {
        let Palette { strong, reset, .. } = self.terminal.out;
        let heading = format!("{strong}{}{reset}\n", visible(model));
        self.printed(|printed| printed.heading = Some(heading));
    }

    /// Says that there is no claim about a model.
    pub(super) fn idle(&self, model: &str) -> Result<(), Failure> {
        self.bare(model, "there is no claim to check", &[])
    }

    /// Says in JSON why there are no results on a model. People are told on standard error.
    pub(super) fn refused(&self, model: &str, failure: &Failure) -> Result<(), Failure> {
        match failure {
            // That two things go to standard output is not said there.
            Failure::Usage { .. } if graph_is_printed(self.args) => Ok(()),
            Failure::Output(_) | Failure::File(..) => Ok(()),
            Failure::Limit(limit) => self.bare(model, &limit.to_string(), &[]),
            Failure::Input(_) | Failure::Usage { .. } | Failure::NoClaim { .. } => {
                self.bare(model, "bad input or usage; nothing was checked", &failure.remarks())
            }
        }
    }

    /// Tells people why there are no results on one of several models.
    pub(super) fn complain(&self, failure: &Failure, model: &str) {
        let consequence = format!("{} was not checked", visible(model));
        self.progress.aside(|| failure.report(self.terminal, &consequence));
    }

    /// JSON of a model without results.
    fn bare(&self, model: &str, reason: &str, problems: &[Remark]) -> Result<(), Failure> {
        let no_claims = Claims::new();
        let results = json::Results {
            top_level: self.args.top_level,
            reason: Some(reason),
            problems,
            ..json::Results::new(model, &no_claims, &[], &[])
        };
        self.show_on_page(results, page::Beside::nothing)?;
        match self.args.json {
            None => Ok(()),
            Some(JsonForm::Object) => self.object(&results),
            Some(JsonForm::Lines) => problems.iter().try_for_each(|remark| {
                let line = json::remark_line("problem", model, remark);
                self.raw(&line)
            }),
        }
    }

    /// One JSON object for a model, alone or in the list of several.
    fn object(&self, results: &json::Results<'_>) -> Result<(), Failure> {
        self.list_object(|mut out| json::write(&mut out, results))
    }

    /// One JSON object, written by `write`, alone or in the list of several.
    pub(super) fn list_object(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let before = self.printed(|printed| {
            let before = printed.listed;
            printed.listed = before.map(|count| count + 1);
            before
        });
        let comma: &[u8] = if before.is_some_and(|count| count > 0) { b"," } else { b"" };
        let end: &[u8] = if before.is_none() { b"\n" } else { b"" };
        self.progress
            .aside(|| {
                let mut out = io::stdout().lock();
                out.write_all(comma)?;
                write(&mut out)?;
                out.write_all(end)?;
                out.flush()
            })
            .map_err(Failure::Output)
    }

    /// Shows warnings: to people at once, in lines of JSON at once, in an object at the end.
    pub(super) fn warnings(&self, inputs: &Inputs, found: &[Found<'_>]) -> Result<(), Failure> {
        let for_people = found.iter().filter(|found| !found.is_told_with_its_claim());
        let model = Source::new(&inputs.model, "");
        self.progress.aside(|| warnings::show(for_people, &model, self.terminal));
        if self.args.json == Some(JsonForm::Lines) {
            for found in found {
                self.raw(&json::remark_line("warning", &inputs.model, &found.json()))?;
            }
        }
        Ok(())
    }

    /// Shows one answer, unless that is done at the end; `machine` only if it was explored.
    pub(super) fn answer(
        &self,
        inputs: &Inputs,
        machine: Option<&Machine>,
        index: usize,
        answer: &Answer,
    ) -> Result<(), Failure> {
        self.answer_on(inputs, machine, index, (answer, None))
    }

    /// The same, with the input of a pointer program on which the claim fails.
    fn answer_on(
        &self,
        inputs: &Inputs,
        machine: Option<&Machine>,
        index: usize,
        (answer, input): (&Answer, Option<&str>),
    ) -> Result<(), Failure> {
        let Inputs { claims, .. } = inputs;
        let claim = &claims.list()[index];
        if let Verdict::Unknown(Gap::Refused(why)) = &answer.outcome.verdict {
            let formula = claim.property.show(&claims.formulas);
            let cause = format!("the evidence for `{formula}` was refused: {why}");
            self.note(&failure::fault(&cause));
        }
        match self.args.json {
            Some(JsonForm::Object) => Ok(()),
            Some(JsonForm::Lines) => {
                let (number, formulas) = (inputs.numbers[index], &claims.formulas);
                let one = json::One { machine, formulas, number, claim, answer, input };
                let line = one.line(&inputs.model, self.args.top_level, about(inputs));
                self.raw(&line)
            }
            None if is_counted(machine.is_some(), answer, inputs) => Ok(()),
            None => self.text(inputs, machine, index, answer),
        }
    }

    fn text(
        &self,
        inputs: &Inputs,
        machine: Option<&Machine>,
        index: usize,
        answer: &Answer,
    ) -> Result<(), Failure> {
        if let (Some(TraceStyle::Nusmv), Some(machine), Some(holds)) =
            (self.args.trace, machine, answer.outcome.verdict.known())
        {
            return self.print(&as_nusmv(inputs, machine, index, answer, holds));
        }
        let Inputs { claims, numbers, .. } = inputs;
        let detail = text::Detail {
            quiet: self.args.quiet,
            stats: self.args.stats,
            length: match self.args.witness {
                Some(Witness::Full) => Length::Full,
                Some(Witness::Short) => Length::Folded,
                None => Length::Brief,
            },
            points_to_runs: self.args.witness.is_none(),
            top_level: self.args.top_level,
            about: inputs.vocabulary.as_ref().and_then(|it| it.about()).map(|it| it.words),
            number: inputs.is_numbered.then_some(numbers[index]),
            written: written(claims, index),
            palette: self.palette(),
        };
        let mut lines = String::new();
        text::answer(&mut lines, machine, &claims.formulas, &claims.list()[index], answer, detail)
            .expect("a string takes all text");
        self.print(&lines)
    }

    /// Shows what is shown at the end of a model.
    pub(super) fn end(
        &self,
        inputs: &Inputs,
        machine: Option<&Machine>,
        reason: Option<&str>,
        found: &[Found<'_>],
        answers: &[Answer],
    ) -> Result<(), Failure> {
        let warnings: Vec<Remark> = found.iter().map(Found::json).collect();
        let results = json::Results {
            top_level: self.args.top_level,
            about: about(inputs),
            machine,
            reason,
            warnings: &warnings,
            ..json::Results::new(&inputs.model, &inputs.claims, &inputs.numbers, answers)
        };
        self.show_on_page(results, || page::Beside::of(inputs, machine))?;
        match self.args.json {
            Some(JsonForm::Object) => self.object(&results),
            Some(JsonForm::Lines) => match (answers, reason) {
                ([], Some(reason)) => {
                    let message = reason.to_owned();
                    let remark = Remark { code: None, message, place: None, hint: None };
                    self.raw(&json::remark_line("unknown", &inputs.model, &remark))
                }
                _ => Ok(()),
            },
            None => self.end_text(inputs, machine.filter(|_| reason.is_none()), reason, answers),
        }
    }

    fn end_text(
        &self,
        inputs: &Inputs,
        explored: Option<&Machine>,
        reason: Option<&str>,
        answers: &[Answer],
    ) -> Result<(), Failure> {
        let Palette { warning, reset, .. } = self.palette();
        if let ([], Some(reason)) = (answers, reason) {
            return self.print(&format!("{warning}unknown{reset}  {reason}\n"));
        }
        let is_counted = |i: &usize| is_counted(explored.is_some(), &answers[*i], inputs);
        let counted_only: Vec<usize> = (0..answers.len()).filter(is_counted).collect();
        match counted_only[..] {
            [] => {}
            [only] => self.text(inputs, explored, only, &answers[only])?,
            [first, ..] => {
                let names = counted_only.iter().map(|&i| inputs.title(i));
                let why = match (&answers[first].outcome.verdict, reason) {
                    (_, Some(reason)) => reason.to_owned(),
                    (Verdict::Unknown(gap), None) => gap.to_string(),
                    (Verdict::Holds | Verdict::Fails, None) => String::new(),
                };
                let (count, names) = (counted_only.len(), listed(names, MOST_NAMED));
                self.print(&format!("{warning}unknown{reset}  {count} claims ({names}): {why}\n"))?;
            }
        }
        let seconds = inputs.vocabulary.as_ref().map_or(&[][..], |it| it.seconds());
        if self.args.stats && !seconds.is_empty() {
            let parts: Vec<String> =
                seconds.iter().map(|(what, seconds)| format!("{what} {seconds:.2} s")).collect();
            self.print(&format!("before deciding: {}\n", parts.join(", ")))?;
        }
        if self.args.quiet {
            return Ok(());
        }
        let left_out = inputs.claims.list().len() - answers.len();
        if left_out > 0 {
            let claims = counted(left_out, "more claim");
            self.print(&format!(
                "\nstopped at the first claim that fails; {claims} not decided\n"
            ))?;
        }
        if answers.len() > 1 && !self.several {
            let verdicts = answers.iter().map(|answer| &answer.outcome.verdict);
            self.print(&format!("\n{}\n", text::summary(verdicts)))?;
        }
        if let Some(about) = inputs.vocabulary.as_ref().and_then(|words| words.about()) {
            for note in &about.notes {
                self.print(&format!("not modelled: {}\n", visible(note)))?;
            }
        }
        Ok(())
    }

    /// Shows the answers to the claims about a pointer program, each about a machine of its own.
    pub(super) fn heap_answers(
        &self,
        inputs: &Inputs,
        source: &Source,
        answers: &[HeapAnswer],
        headings: &[Option<String>],
    ) -> Result<(), Failure> {
        let machines: Vec<Option<&Machine>> =
            answers.iter().map(|it| it.machine.as_ref()).collect();
        let evidence = |it: &HeapAnswer| match (&it.evidence, &it.proof) {
            (Some(run), _) => Some(HeapEvidence::Run(Box::new(run.clone()))),
            (None, Some(proof)) => Some(HeapEvidence::Proof(proof.clone())),
            (None, None) => None,
        };
        let replays: Vec<_> = answers.iter().map(evidence).collect();
        let bare: Vec<Answer> = answers.iter().map(|it| it.answer.clone()).collect();
        let shown: Vec<Option<&str>> = answers.iter().map(|it| it.input.as_deref()).collect();
        let results = json::Results {
            machines: &machines,
            replays: &replays,
            inputs: &shown,
            ..json::Results::new(&inputs.model, &inputs.claims, &inputs.numbers, &bare)
        };
        self.show_on_page(results, || page::Beside::heaps(source, answers, headings))?;
        if self.args.json == Some(JsonForm::Object) {
            return self.object(&results);
        }
        for (i, (answer, heading)) in answers.iter().zip(headings).enumerate() {
            if self.args.json.is_some() {
                let answered = (&answer.answer, answer.input.as_deref());
                self.answer_on(inputs, machines[i], i, answered)?;
                continue;
            }
            if let (Some(heading), false) = (heading, self.args.quiet) {
                self.print(&format!("{heading}\n"))?;
            }
            self.text(inputs, machines[i], i, &answer.answer)?;
            if self.args.stats {
                self.print(&format!("         {} states\n", answer.states))?;
            }
            if let (Some(input), false) = (&answer.input, self.args.quiet) {
                let given = match input.as_str() {
                    "" => "without input".to_owned(),
                    input => format!("on the input {}", visible(input)),
                };
                self.print(&format!("         {given}\n"))?;
            }
        }
        if answers.len() > 1 && !self.several && !self.args.quiet && self.args.json.is_none() {
            let verdicts = answers.iter().map(|it| &it.answer.outcome.verdict);
            self.print(&format!("\n{}\n", text::summary(verdicts)))?;
        }
        Ok(())
    }

    /// Prints a graph.
    pub(super) fn print_graph(&self, graph: &str) -> Result<(), Failure> {
        self.progress.aside(|| self.terminal.print(graph))
    }

    /// Tells people of a warning that is about no single model.
    pub(super) fn warn(&self, source: &Source, problem: &Problem) {
        self.note(&render(source, problem, self.terminal.err));
    }

    /// Tells people something that is no result.
    pub(super) fn note(&self, text: &str) {
        self.progress.aside(|| self.terminal.complain(text));
    }

    /// Prints text for people, below its heading.
    pub(super) fn print(&self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        let heading = self.printed(|printed| printed.heading.take()).unwrap_or_default();
        self.progress.aside(|| {
            if graph_is_printed(self.args) {
                self.terminal.complain(text);
                return Ok(());
            }
            self.terminal.print(&(heading + text))
        })
    }

    /// Prints what is for programs.
    pub(super) fn raw(&self, text: &str) -> Result<(), Failure> {
        self.progress.aside(|| self.terminal.print(text))
    }

    pub(super) fn palette(&self) -> Palette {
        if graph_is_printed(self.args) { self.terminal.err } else { self.terminal.out }
    }
}

/// What the verdicts are about, if the machine is not the model itself.
fn about(inputs: &Inputs) -> Option<json::About<'_>> {
    let about = inputs.vocabulary.as_ref()?.about()?;
    Some(json::About { word: about.word, not_modelled: &about.counts })
}

/// Whether an answer is one of many that say nothing but that the work was ended before.
fn is_counted(is_explored: bool, answer: &Answer, inputs: &Inputs) -> bool {
    let interrupted = Verdict::Unknown(Gap::Limit(Limit::Interrupted));
    let says_nothing = !is_explored || answer.outcome.verdict == interrupted;
    says_nothing && inputs.claims.list().len() > 1
}

/// A claim as it was written, if it says more since then: that it is about fair paths.
fn written(claims: &Claims, index: usize) -> Option<FormulaId> {
    if claims.fair().is_empty() {
        return None;
    }
    let claim = &claims.list()[index];
    let (_, written) = claims.formulas_as_written().find(|(it, _)| std::ptr::eq(*it, claim))?;
    (claim.formula() != Some(written)).then_some(written)
}

/// An answer as NuSMV prints it.
fn as_nusmv(
    inputs: &Inputs,
    machine: &Machine,
    index: usize,
    answer: &Answer,
    holds: bool,
) -> String {
    let Inputs { claims, vocabulary, .. } = inputs;
    let (formulas, property) = (&claims.formulas, &claims.list()[index].property);
    let values = |node| vocabulary.as_ref().map_or_else(Vec::new, |it| it.values(node));
    let mut lines = String::new();
    let mut write = || {
        let shown = match written(claims, index) {
            Some(written) => formulas.show(written).to_string(),
            None => property.show(formulas).to_string(),
        };
        nusmv::verdict(&mut lines, &shown, holds)?;
        let traces = Trace::all(machine, formulas, property, &answer.outcome);
        // NuSMV shows why claims fail.
        for (start, trace) in traces.iter().filter(|_| !holds).take(1) {
            nusmv::trace(&mut lines, machine, (*start, trace), index + 1, &values)?;
        }
        Ok::<(), std::fmt::Error>(())
    };
    write().expect("a string takes all text");
    lines
}
