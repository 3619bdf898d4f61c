//! Outcomes as lines for people: the verdict first, then the claim, then what led to it.

use crate::Palette;
use crate::picture::shortened;
use crate::story::Length;
use crate::{brief, counted, story, visible};
use std::fmt::{self, Write};
use tern_model::{Answer, Example, Redundant, Vacuous};
use tern_model::{
    Claim, Evidence, Formula, FormulaId, Formulas, Gap, Machine, Origin, Outcome, Property, Region,
    Start, Stats, Verdict,
};
use tern_record::trace::Trace;

/// How much to say of each outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detail {
    /// Say nothing of claims that hold, and one line of the others.
    pub quiet: bool,
    /// Say how much work it took, in counts.
    pub stats: bool,
    /// How much to write of the runs of stories.
    pub length: Length,
    /// Say that there would be a run to see, where none is shown.
    pub points_to_runs: bool,
    /// The number of the claim among others, shown if it has no name.
    pub number: Option<usize>,
    /// Mark verdicts as those of a program in which calls are single steps.
    pub top_level: bool,
    /// What verdicts are about, if not the model itself: `of the control flow`.
    pub about: Option<&'static str>,
    /// The claim as it was written, if it is meant of fair paths only: this is shown, and what it
    /// became in the reasons.
    pub written: Option<FormulaId>,
    /// The colours to use.
    pub palette: Palette,
}

/// How many letters of the name of a claim are shown.
const LONGEST_NAME: usize = 120;

/// What is written behind a claim that is shown as it was written.
const ON_FAIR_PATHS: &str = "(on fair paths)";

/// What is written behind a claim that was decided with calls taken for single steps.
pub(crate) const TOP_LEVEL: &str = "(top level only)";

/// The code of the warning that a claim holds whatever it says.
pub const VACUOUS: &str = "W206";

/// How many lines of a story are shown where nobody asked for it.
const BRIEF_LINES: usize = 16;

/// Details stand under the claim, which stands right of the longest verdict.
const INDENT: &str = "         ";

/// Writes one answer. `machine` is missing if it could not be read.
///
/// # Errors
/// If `out` cannot be written.
pub fn answer(
    out: &mut impl Write,
    machine: Option<&Machine>,
    formulas: &Formulas,
    claim: &Claim,
    answer: &Answer,
    detail: Detail,
) -> fmt::Result {
    let outcome = &answer.outcome;
    let Palette { good, bad, warning, dim, reset, .. } = detail.palette;
    if detail.quiet && outcome.verdict == Verdict::Holds {
        return Ok(());
    }
    let colour = match outcome.verdict {
        Verdict::Holds => good,
        Verdict::Fails => bad,
        Verdict::Unknown(_) => warning,
    };
    write!(out, "{colour}{:<7}{reset}  ", outcome.verdict.word())?;
    if let Some(about) = detail.about {
        write!(out, "{about}: ")?;
    }
    match (&claim.name, detail.number) {
        // The end is what tells a variable from others of its procedure.
        (Some(name), _) => write!(out, "{}: ", shortened(&visible(name), LONGEST_NAME))?,
        (None, Some(number)) => write!(out, "{number}: ")?,
        (None, None) => {}
    }
    match detail.written {
        Some(formula) => {
            write!(out, "{} {ON_FAIR_PATHS}", brief(&formulas.show(formula).to_string()))?;
        }
        None => write!(out, "{}", brief(&claim.property.show(formulas).to_string()))?,
    }
    if detail.top_level {
        write!(out, " {warning}{TOP_LEVEL}{reset}")?;
    }
    if let Some(Origin { file, line, .. }) = &claim.origin {
        write!(out, "  {dim}({}:{line}){reset}", visible(file))?;
    }
    out.write_char('\n')?;
    if detail.quiet {
        return Ok(());
    }
    if let Verdict::Unknown(gap) = &outcome.verdict {
        writeln!(out, "{INDENT}because: {gap}")?;
        if let Gap::Unsupported(_) = gap {
            return Ok(()); // no engine worked on it, so none is named
        }
    }
    let has_choice =
        |machine: &&Machine| claim.start != Start::Initial || machine.initial().len() > 1;
    if let (Some(culprit), Some(machine)) = (&outcome.culprit, machine.filter(has_choice)) {
        let kind = if claim.start == Start::Initial { "the initial node " } else { "" };
        writeln!(out, "{INDENT}from {kind}{}", brief(&culprit.show(machine)))?;
    }
    if detail.stats {
        stats_lines(out, outcome, detail.palette)?;
    }
    if let Some(machine) = machine {
        story_lines(out, machine, formulas, &claim.property, outcome, detail)?;
        if let Some(Example { formulas, claim, outcome }) = &answer.meaning.example {
            writeln!(out, "{INDENT}holds on all runs; for example:")?;
            let claim = Property::Formula(*claim);
            story_lines(out, machine, formulas, &claim, outcome, detail)?;
        }
    }
    if let Some(Vacuous { premise: meant, never, claim: harder }) = &answer.meaning.vacuous {
        let (premise, harder) = (brief(meant), brief(harder));
        let why = match never {
            true => format!("{premise} is never reached"),
            false => format!("{premise} is never true where it counts; {harder} holds"),
        };
        writeln!(out, "{INDENT}{warning}warning[{VACUOUS}]{reset}: holds vacuously: {why}")?;
        if let Some(hint) = narrow_operator(formulas, claim, meant) {
            writeln!(out, "{INDENT}  = help: {}", brief(&hint))?;
        }
    }
    for Redundant { part, claim } in &answer.meaning.redundant {
        writeln!(out, "{INDENT}{} does not matter: {} holds", brief(part), brief(claim))?;
    }
    for missing in &outcome.missing {
        writeln!(out, "{INDENT}{warning}{missing}{reset}")?;
    }
    if let (Some(regions), Some(machine)) = (&outcome.regions, machine) {
        for region in regions {
            writeln!(out, "{INDENT}{}", region_line(machine, region))?;
        }
    }
    if let Some(evidence) = &outcome.evidence {
        let (size, time) = (evidence_size(evidence), duration(outcome.explaining));
        writeln!(out, "{INDENT}{dim}evidence: {size}, {time}{reset}")?;
    }
    if let Some(certification) = answer.certification.filter(|it| it.accepted) {
        writeln!(out, "{INDENT}{dim}certified in {}{reset}", duration(certification.seconds))?;
    }
    Ok(())
}

/// Writes what it took to decide a claim.
fn stats_lines(out: &mut impl Write, outcome: &Outcome, palette: Palette) -> fmt::Result {
    let Palette { dim, reset, .. } = palette;
    let work = work(&outcome.stats);
    let time = duration(outcome.seconds);
    writeln!(out, "{INDENT}{dim}{}, {work}, {time}{reset}", outcome.engine)?;
    let stats = outcome.stats;
    writeln!(
        out,
        "{INDENT}{dim}copies {}, reused {}, rounds {}, evaluations {}, edges {}{reset}",
        stats.copies, stats.reused, stats.rounds, stats.evaluations, stats.edges
    )?;
    if stats.automaton_states > 0 {
        writeln!(
            out,
            "{INDENT}{dim}automaton states {}, product nodes {}, contracts {}, nodes produced {}{reset}",
            stats.automaton_states, stats.product_nodes, stats.contracts, stats.produced
        )?;
    }
    Ok(())
}

/// Writes the story of an outcome, if it has one.
fn story_lines(
    out: &mut impl Write,
    machine: &Machine,
    formulas: &Formulas,
    claim: &Property,
    outcome: &Outcome,
    detail: Detail,
) -> fmt::Result {
    let mut lines = String::new();
    for (_, trace) in Trace::all(machine, formulas, claim, outcome) {
        story::write(&mut lines, machine, &trace, detail.length)?;
    }
    let most = if detail.length == Length::Brief { BRIEF_LINES } else { usize::MAX };
    for line in lines.lines().take(most) {
        writeln!(out, "{INDENT}{line}")?;
    }
    let is_cut = lines.lines().nth(most).is_some();
    if is_cut || lines.is_empty() && detail.points_to_runs && outcome.verdict == Verdict::Fails {
        let (dots, all) = if is_cut { ("… ", "all of it") } else { ("", "why") };
        let Palette { dim, reset, .. } = detail.palette;
        writeln!(out, "{INDENT}{dim}{dots}--witness shows {all}{reset}")?;
    }
    Ok(())
}

/// Where a claim holds, such as `holds in f under main.b: 2 of 3 nodes: in, out`, of nodes that are
/// reached.
fn region_line(machine: &Machine, region: &Region) -> String {
    let mut line = format!("holds in {}", brief(machine.component_name(region.component)));
    for (i, &call) in region.stack.iter().enumerate() {
        let joint = if i == 0 { " under " } else { ", " };
        line += joint;
        if i == 0 {
            line += &brief(machine.component_name(machine.component_of_box(call)));
            line += ".";
        }
        line += &brief(machine.box_name(call));
    }
    let all = region.nodes.len();
    line += &match region.holds.len() {
        0 => ": at no node".to_owned(),
        count if count == all => ": at all nodes".to_owned(),
        count => format!(": at {count} of {all} nodes: "),
    };
    if (1..all).contains(&region.holds.len()) {
        let names: Vec<_> =
            region.holds.iter().map(|&node| brief(machine.node_name(node)).to_string()).collect();
        line += &names.join(", ");
    }
    line
}

/// What decided a claim, in one number.
fn work(stats: &Stats) -> String {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    match stats.contracts {
        0 => counted(count(stats.contexts), "context"),
        contracts => counted(count(contracts), "contract"),
    }
}

pub(crate) fn evidence_size(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Labelling(labelling) => {
            let frames = labelling.layers.iter().map(|layer| layer.frames.len()).sum();
            format!(
                "a labelling with {} for {}",
                counted(frames, "frame"),
                counted(labelling.layers.len(), "temporal subformula")
            )
        }
        Evidence::Runs { runs, .. } => counted(runs.len(), "endless run"),
        Evidence::Absence { proof, .. } => {
            let vertices = proof.starts.iter().map(|start| start.vertices.len()).sum();
            format!("a proof that there is no such run, with {}", counted(vertices, "assertion"))
        }
        Evidence::Star(star) => {
            let layers = counted(star.layers.len(), "quantified subformula");
            format!("a proof for all stacks, of {layers}")
        }
    }
}

/// One line on all outcomes together, such as `3 claims: 2 hold, 1 fails`.
pub fn summary<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> String {
    let (mut hold, mut fail, mut unknown) = (0, 0, 0);
    for verdict in verdicts {
        match verdict {
            Verdict::Holds => hold += 1,
            Verdict::Fails => fail += 1,
            Verdict::Unknown(_) => unknown += 1,
        }
    }
    let count = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts: Vec<_> = [
        count(hold, "holds", "hold"),
        count(fail, "fails", "fail"),
        count(unknown, "unknown", "unknown"),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("{}: {}", counted(hold + fail + unknown, "claim"), parts.join(", "))
}

/// A time in the unit in which it is easily read.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 60.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.001 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

/// What to say of `AG p -> q`, which means `(AG p) -> q`, if that
/// premise is why a claim holds vacuously.
pub fn narrow_operator(formulas: &Formulas, claim: &Claim, premise: &str) -> Option<String> {
    let Property::Formula(root) = claim.property else { return None };
    let Formula::Implies(left, right) = formulas.get(root) else { return None };
    let show = |id| formulas.show(id).to_string();
    if show(left) != premise {
        return None;
    }
    let (operator, inner) = match formulas.get(left) {
        Formula::All(path) => match formulas.get(path) {
            Formula::Globally(inner) => ("AG", inner),
            _ => return None,
        },
        Formula::Globally(inner) => ("G", inner),
        _ => return None,
    };
    let implication = format!("{operator} ({} -> {})", show(inner), show(right));
    Some(format!("`{operator}` binds tighter than `->`; did you mean `{implication}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Claims, Limit};

    fn shown(verdict: Verdict, detail: Detail) -> String {
        let mut claims = Claims::new();
        let formula = claims.formulas.atom("p");
        let claim = Claim { name: Some("safe".into()), ..Claim::new(formula) };
        let stats = Stats { contexts: 1, evaluations: 20, edges: 30, ..Stats::default() };
        let outcome = Outcome { engine: "eager", stats, seconds: 0.0125, ..Outcome::from(verdict) };
        let mut text = String::new();
        super::answer(&mut text, None, &claims.formulas, &claim, &outcome.into(), detail)
            .expect("a string");
        text
    }

    #[test]
    fn the_verdict_comes_first_and_details_are_indented() {
        assert_eq!(
            shown(Verdict::Holds, Detail { stats: true, ..Detail::default() }),
            "holds    safe: p\n         eager, 1 context, 12.5 ms\n         copies 0, reused 0, rounds 0, evaluations 20, edges 30\n"
        );
        assert_eq!(
            shown(Verdict::Unknown(Gap::Limit(Limit::Interrupted)), Detail::default()),
            "unknown  safe: p\n         because: interrupted\n"
        );
        assert_eq!(
            shown(Verdict::Unknown(Gap::Unsupported("beyond CTL".into())), Detail::default()),
            "unknown  safe: p\n         because: beyond CTL\n"
        );
    }

    #[test]
    fn quiet_output_has_one_line_for_what_does_not_hold() {
        let quiet = Detail { quiet: true, ..Detail::default() };
        assert_eq!(shown(Verdict::Holds, quiet), "");
        assert_eq!(shown(Verdict::Fails, quiet), "fails    safe: p\n");
    }

    #[test]
    fn summaries_leave_out_what_did_not_occur() {
        let verdicts = [Verdict::Holds, Verdict::Fails, Verdict::Holds];
        assert_eq!(summary(verdicts.iter()), "3 claims: 2 hold, 1 fails");
        assert_eq!(summary(verdicts[..1].iter()), "1 claim: 1 holds");
    }

    #[test]
    fn times_are_readable() {
        assert_eq!(duration(0.000_004_2), "4 µs");
        assert_eq!(duration(0.004), "4.0 ms");
        assert_eq!(duration(3.5), "3.50 s");
        assert_eq!(duration(125.9), "2 min 5 s");
    }
}
