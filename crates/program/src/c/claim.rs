//! Claims about C programs: what their propositions mean, and the answer.

use super::syntax::{Stmt, StmtKind, Unit};
use super::{Fault, atom};
use std::collections::BTreeMap;
use std::sync::Arc;
use tern_ir::flow::{Edge, Flow, Row};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Budget, FormulaId, Formulas, Id, Span, TermId};
use tern_numeric::check::{Decision, Proposition, Question, Verdict, Wants, Why, decide};
use tern_numeric::recursion::{finer, unfolded};
use tern_numeric::slice::slice;

/// What the propositions of claims mean.
pub type Meanings = BTreeMap<AtomId, Proposition>;

/// Labels that every program has.
pub(super) const LABELS: [&str; 3] = ["exit", "failed", "error"];

/// The labels of `main`, and those that every program has.
pub fn labels(unit: &Unit) -> Vec<String> {
    let mut found: Vec<String> = LABELS.map(str::to_owned).to_vec();
    let mut todo: Vec<&Stmt> = unit.function("main").into_iter().flat_map(|it| &it.body).collect();
    while let Some(statement) = todo.pop() {
        match &statement.kind {
            StmtKind::Label(name) => found.push(name.clone()),
            StmtKind::Block(body) => todo.extend(body),
            StmtKind::If(_, yes, no) => {
                todo.push(yes);
                todo.extend(no.as_deref());
            }
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::Switch(_, body) => {
                todo.push(body);
            }
            StmtKind::For(first, _, _, body) => todo.extend([&**first, &**body]),
            _ => {}
        }
    }
    found
}

/// What one proposition means: a label, or a comparison of variables.
///
/// # Errors
/// What is wrong with it; places are those in the text of the proposition.
pub fn meaning(labels: &[String], flow: &Flow, name: &str) -> Result<Proposition, Vec<Fault>> {
    if labels.iter().any(|label| label == name) {
        return Ok(Proposition::Label(name.to_owned()));
    }
    atom::read(flow, name)
}

/// What all propositions of a claim mean.
///
/// # Errors
/// What is wrong with each, with the proposition.
pub fn meanings(
    unit: &Unit,
    flow: &Flow,
    formulas: &Formulas,
    claim: &Program,
) -> Result<Meanings, Vec<(AtomId, Fault)>> {
    meanings_by(&labels(unit), flow, formulas, claim)
}

/// What all propositions of a claim mean, given the labels that there are.
///
/// # Errors
/// What is wrong with each, with the proposition.
pub fn meanings_by(
    labels: &[String],
    flow: &Flow,
    formulas: &Formulas,
    claim: &Program,
) -> Result<Meanings, Vec<(AtomId, Fault)>> {
    let (mut known, mut wrong) = (Meanings::default(), Vec::new());
    for term in claim.terms.as_slice() {
        let &Term::Atom(atom) = term else { continue };
        match meaning(labels, flow, formulas.atom_name(atom)) {
            Ok(meaning) => {
                known.insert(atom, meaning);
            }
            Err(faults) => wrong.extend(faults.into_iter().map(|fault| (atom, fault))),
        }
    }
    if wrong.is_empty() { Ok(known) } else { Err(wrong) }
}

/// That a claim is no formula.
pub fn beyond_formulas(shown: &str) -> Fault {
    let message = format!("`{shown}` is no formula of CTL*");
    let hint = "claims about integer programs are formulas, without edges and automata";
    Fault::new("C104", Span::new(0..0), message, hint)
}

/// Decides a claim about all initial states of a program.
pub fn check(flow: &Flow, claim: &Program, propositions: &Meanings, budget: &Budget) -> Decision {
    answer(flow, claim, propositions, Wants::default(), budget)
}

/// Decides a claim about all initial states of a program, with what else is wanted.
pub fn answer(
    flow: &Flow,
    claim: &Program,
    propositions: &Meanings,
    wants: Wants,
    budget: &Budget,
) -> Decision {
    asked(Question { flow, claim, propositions, beyond: None, wants }, budget)
}

/// Decides a claim that CTL cannot say, by reading runs.
pub fn by_runs(
    flow: &Flow,
    formula: (&Formulas, FormulaId),
    propositions: &Meanings,
    wants: Wants,
    budget: &Budget,
) -> Decision {
    let claim = Program { terms: [Term::True].into_iter().collect(), root: TermId::new(0) };
    let beyond = Some(formula);
    asked(Question { flow, claim: &claim, propositions, beyond, wants }, budget)
}

fn asked(question: Question<'_>, budget: &Budget) -> Decision {
    let decision = in_turn(question, budget);
    if !decision.is_open() || question.beyond.is_none() {
        return decision;
    }
    in_bodies(question, budget).unwrap_or(decision)
}

/// Decides a claim about a program with functions that call themselves by what happens while they
/// run, which is seen in their bodies only; `None` if there are none, or if that is not enough.
pub fn inside(
    flow: &Flow,
    claim: &Program,
    propositions: &Meanings,
    wants: Wants,
    budget: &Budget,
) -> Option<Decision> {
    in_bodies(Question { flow, claim, propositions, beyond: None, wants }, budget)
}

fn in_bodies(question: Question<'_>, budget: &Budget) -> Option<Decision> {
    budget.renew_effort(1);
    let flow = unfolded(question.flow, budget)?;
    let found = in_turn(Question { flow: &flow, ..question }, budget);
    let about = found.about.clone().or(Some(Arc::new(flow)));
    (!found.is_open()).then_some(Decision { about, ..found })
}

/// Decides a claim by less and by more of what can be found out about procedures.
fn in_turn(question: Question<'_>, budget: &Budget) -> Decision {
    let Question { flow, propositions, wants, .. } = question;
    let rows = |meaning: &Proposition| match meaning {
        Proposition::Label(_) => Vec::new(),
        Proposition::Rows(lists) => lists.iter().flatten().cloned().collect(),
        Proposition::Divided(edges) => edges.iter().flat_map(Edge::rows).cloned().collect(),
    };
    let mentioned: Vec<Row> = propositions.values().flat_map(rows).collect();
    let on = |flow: &Flow| {
        let sliced = slice(flow, &mentioned);
        decide(Question { flow: &sliced, ..question }, budget)
    };
    // What little shows is looked at first, unless it is wanted where a claim holds and fails.
    let (mut decision, mut about) = (Decision::open(), None::<Arc<Flow>>);
    loop {
        let flow = about.as_deref().unwrap_or(flow);
        let is_last = flow.summary.as_ref().is_none_or(|it| it.finer.is_none());
        if is_last || !wants.precondition {
            decision = on(flow);
        }
        if is_last || !decision.is_open() {
            decision.about = about;
            return decision;
        }
        match finer(flow, budget) {
            Ok(None) => return decision,
            Ok(Some(made)) => {
                // Whoever asks may have changed the starts.
                let made = Flow { starts: flow.starts.clone(), ..Flow::clone(&made) };
                about = Some(Arc::new(made));
                budget.renew_effort(1);
            }
            Err(limit) => {
                let why = Why { limit: Some(limit), term: None, point: None, rows: Vec::new() };
                decision.verdict = Verdict::Unknown(why);
                return decision;
            }
        }
    }
}

/// A term of a claim as text.
pub fn show(claim: &Program, term: TermId, formulas: &Formulas) -> String {
    let mut shown: Vec<String> = Vec::new();
    for (id, &it) in claim.terms.iter() {
        let of = |term: TermId| &shown[tern_model::index::Id::index(term)];
        let text = match it {
            Term::True => "true".to_owned(),
            Term::Atom(atom) => match formulas.atom_name(atom) {
                name if tern_model::logic::words::is_plain(name) => name.to_owned(),
                name => format!("{{{name}}}"),
            },
            Term::Not(f) => format!("!{}", of(f)),
            Term::And(f, g) => format!("({} & {})", of(f), of(g)),
            Term::Or(f, g) => format!("({} | {})", of(f), of(g)),
            Term::Ex(f) => format!("EX {}", of(f)),
            Term::Eu(f, g) if claim.terms[f] == Term::True => format!("EF {}", of(g)),
            Term::Eu(f, g) => format!("E [{} U {}]", of(f), of(g)),
            Term::Eg(f) => format!("EG {}", of(f)),
        };
        if id == term {
            return text;
        }
        shown.push(match text.chars().count() > 200 {
            true => "(...)".to_owned(),
            false => text,
        });
    }
    "the claim".to_owned()
}
