//! What may not be as it was meant, found once inputs are read: labels that no node has, automata
//! without a start, and dead ends. Warnings go to standard error and into the JSON result.

use crate::load::Inputs;
use crate::terminal::Terminal;
use tern_engine::Survey;
use tern_front::Wrong;
use tern_front::render::{place, render};
use tern_front::words::Nearest;
use tern_front::{Problem, Source};
use tern_model::{Answer, AtomId, Claim, Fairness, Machine, Vacuous};
use tern_record::json::Remark;
use tern_report::info::dead_end;
use tern_report::text::{VACUOUS, narrow_operator};
use tern_report::{counted, listed};

/// How many labels are warned of one by one.
const MOST_PLACED: usize = 3;
/// How many names are listed in one warning.
const MOST: usize = 10;

/// A warning, and the source it speaks of if there is one.
pub(crate) struct Found<'a> {
    source: Option<&'a Source>,
    problem: Problem,
}

impl Found<'_> {
    /// The code of the warning.
    pub(crate) fn code(&self) -> &'static str {
        self.problem.code
    }

    /// Whether people read it below the claim that it is about, and not before all claims.
    pub(crate) fn is_told_with_its_claim(&self) -> bool {
        self.code() == VACUOUS
    }

    /// The warning as a part of a JSON result.
    pub(crate) fn json(&self) -> Remark {
        let at = self.source.zip(self.problem.at.as_ref());
        Remark {
            code: Some(self.problem.code),
            message: self.problem.message.clone(),
            place: at.map(|(source, label)| place(source, label)),
            hint: self.problem.hint.clone(),
        }
    }
}

/// Shows warnings.
pub(crate) fn show<'a>(
    found: impl Iterator<Item = &'a Found<'a>>,
    model: &Source,
    terminal: &Terminal,
) {
    for Found { source, problem } in found {
        terminal.complain(&render(source.unwrap_or(model), problem, terminal.err));
    }
}

/// The labels that claims and fairness conditions use and no node has, each at its first use:
/// probably misspelt.
pub(crate) fn unknown_labels<'a>(machine: &Machine, inputs: &'a Inputs) -> Vec<Found<'a>> {
    let claims = &inputs.claims;
    let formulas = &claims.formulas;
    let used = claims.list().iter().flat_map(|claim| claim.property.atoms(formulas));
    let fair = claims.fair().iter().flat_map(|condition| condition.fairness.formulas());
    let fair = fair.flat_map(|formula| formulas.atoms_of(formula));
    let unknown = |&atom: &AtomId| machine.label(claims.formulas.atom_name(atom)).is_none();
    let mut missing: Vec<AtomId> = used.chain(fair).filter(unknown).collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.len() > MOST_PLACED {
        return vec![many_unknown_labels(machine, inputs, &missing)];
    }
    let mut nearest = Nearest::new();
    missing
        .iter()
        .map(|&atom| {
            let name = claims.formulas.atom_name(atom);
            let mut problem = Problem::warning("W201", format!("no node has the label `{name}`"));
            let place = inputs.first_use(atom);
            if let Some((_, span)) = place {
                problem = problem.at(span, "false everywhere");
            }
            problem.hint = meant(machine, name, &mut nearest);
            Found { source: place.map(|(source, _)| source), problem }
        })
        .collect()
}

/// What was probably meant by a label that no node has: a label that is nearly the same, or
/// something else that has this name.
fn meant(machine: &Machine, name: &str, nearest: &mut Nearest) -> Option<String> {
    if let Some(near) = nearest.among(name, machine.labels().map(|(_, label)| label)) {
        return Some(format!("did you mean `{near}`?"));
    }
    let labelled = |what: &str, node: &str| {
        format!(
            "`{name}` is the name of {what}; claims speak of labels: `node {node} {{{node}}}` gives it one"
        )
    };
    let has_path = |node| machine.node_path(node) == name;
    if machine.nodes().any(|node| machine.node_name(node) == name) {
        return Some(labelled("a node", name));
    }
    if let Some(node) = machine.nodes().find(|&node| name.contains('.') && has_path(node)) {
        return Some(labelled("a node", machine.node_name(node)));
    }
    let mut components = machine.components();
    if components.any(|component| machine.component_name(component) == name) {
        return Some(format!(
            "`{name}` is the name of a component; `called({name})` holds while it is called"
        ));
    }
    let mut boxes = machine.components().flat_map(|component| machine.boxes_of(component));
    let call = boxes.find(|&&call| machine.box_name(call) == name)?;
    let callee = machine.component_name(machine.callee(*call));
    Some(format!(
        "`{name}` is the name of a box; `called({callee})` holds while what it calls is called"
    ))
}

/// One warning of many labels, at the first use of the first.
fn many_unknown_labels<'a>(machine: &Machine, inputs: &'a Inputs, missing: &[AtomId]) -> Found<'a> {
    let name = |&atom: &AtomId| inputs.claims.formulas.atom_name(atom);
    let names = listed(missing.iter().map(|atom| format!("`{}`", name(atom))), MOST);
    let message = format!("claims use {} labels that no node has: {names}", missing.len());
    let mut problem = Problem::warning("W201", message);
    let mut nearest = Nearest::new();
    let hints = missing.iter().take(MOST).filter_map(|atom| {
        let hint = meant(machine, name(atom), &mut nearest)?;
        // Hints that begin with a name say already which label they are about.
        Some(match hint.starts_with('`') {
            true => hint,
            false => format!("for `{}`, {hint}", name(atom)),
        })
    });
    let hints: Vec<String> = hints.collect();
    if !hints.is_empty() {
        problem = problem.hint(hints.join("\n"));
    }
    let place = inputs.first_use(missing[0]);
    if let Some((_, span)) = place {
        problem = problem.at(span, "false everywhere");
    }
    Found { source: place.map(|(source, _)| source), problem }
}

/// A warning of a claim that holds because a premise in it is never fulfilled, if this is known of
/// it.
pub(crate) fn vacuous<'a>(inputs: &'a Inputs, claim: usize, answer: &Answer) -> Option<Found<'a>> {
    let Vacuous { premise, never, claim: harder } = answer.meaning.vacuous.as_ref()?;
    let why = match never {
        true => format!("{premise} is never reached"),
        false => format!("{premise} is never true where it counts; {harder} holds"),
    };
    let shown = inputs.claims.list()[claim].property.show(&inputs.claims.formulas);
    let problem = Problem::warning(VACUOUS, format!("`{shown}` holds vacuously: {why}"))
        .at(inputs.claims.list()[claim].span, "holds whatever it demands");
    let stated = &inputs.claims.list()[claim];
    let hint = narrow_operator(&inputs.claims.formulas, stated, premise);
    Some(Found { source: inputs.source(claim), problem: Problem { hint, ..problem } })
}

/// A warning of fairness conditions that no run fulfils.
pub(crate) fn no_fair_run(inputs: &Inputs) -> Found<'static> {
    let message = "no run is fair: what is said of all fair runs holds, whatever it is";
    let conditions = inputs.claims.fair().iter();
    let formulas = &inputs.claims.formulas;
    let show = |id| formulas.show(id).to_string();
    let conditions = conditions.map(|it| match &it.fairness {
        Fairness::Justice(formula) => show(*formula),
        strong @ Fairness::Compassion(_) => {
            let sides: Vec<String> = strong.formulas().map(show).collect();
            format!("({})", sides.join(", "))
        }
    });
    let conditions = listed(conditions, MOST);
    let problem = Problem::warning("W207", message)
        .hint(format!("no run comes again and again to each of the conditions: {conditions}"));
    Found { source: None, problem }
}

/// What the reader of the model found that is perhaps not meant.
pub(crate) fn of_model(inputs: &Inputs) -> impl Iterator<Item = Found<'_>> {
    let source = inputs.model_source();
    inputs.warnings.iter().map(move |problem| Found { source, problem: problem.clone() })
}

/// The automata without an initial state: probably the header was forgotten.
pub(crate) fn without_start(inputs: &Inputs) -> impl Iterator<Item = Found<'_>> {
    let claims = inputs.claims.list().iter().enumerate();
    let is_without = |&(_, claim): &(usize, &Claim)| {
        claim.property.automaton().is_some_and(|it| it.automaton.initial.is_empty())
    };
    claims.filter(is_without).map(|(claim, _)| {
        let message = "this automaton has no initial state, so it accepts no run";
        let problem = Problem::warning("W205", message).hint("add a header such as `Start: 0`");
        Found { source: inputs.source(claim), problem }
    })
}

/// A warning of the dead ends of a machine, if it has any.
pub(crate) fn dead_ends(machine: &Machine, survey: &Survey) -> Option<Found<'static>> {
    let message = dead_end_message(machine, survey)?;
    let problem =
        Problem::warning("W202", format!("{message}; a run that comes there stays there"))
            .hint("give each a step to make this explicit, or refuse them with --deadlock error");
    Some(Found { source: None, problem })
}

/// The refusal of a machine with dead ends, if it has any.
pub(crate) fn refuse_dead_ends(model: &str, machine: &Machine, survey: &Survey) -> Option<Wrong> {
    let message = dead_end_message(machine, survey)?;
    let mut hint = "give each a step, or let runs stay there with --deadlock loop".to_owned();
    if survey.dead_ends.iter().any(|end| end.under.is_some()) {
        hint.push_str("\n(`x under b`: say what follows when box b returns by x)");
    }
    let problem = Problem::error("M102", message).hint(hint);
    Some(Wrong { source: Source::new(model, ""), problems: vec![problem] })
}

fn dead_end_message(machine: &Machine, survey: &Survey) -> Option<String> {
    if survey.dead_ends.is_empty() {
        return None;
    }
    let names = survey.dead_ends.iter().map(|end| dead_end(machine, (end.node, end.under)));
    let count = counted(survey.dead_ends.len(), "reachable dead end");
    Some(format!("{count}: {}", listed(names, MOST)))
}
