//! The automata that were given, and which of them a result is about.
//!
//! A result does not hold its automaton, but says enough of it to tell most others from it. So the
//! order in which automata are given does not matter, nor that of the results, and several results
//! may be about one automaton. Which automaton was meant need not be believed: what is proved of
//! one is proved of that one, and it is that one's name which is reported.

use crate::args::CertifyArgs;
use crate::load::{self, Named};
use tern_front::{Problem, claims};
use tern_model::logic::Logic;
use tern_model::{AutomatonProperty, Budget, Condition, Fairness, Formulas, Must, Property};
use tern_record::result_file::AutomatonRecord;

/// What is wrong with a result: a code, and words.
pub(super) type Amiss = (&'static str, String);

/// What a result may claim: where that lives, what it claims, and what else it may claim as well.
pub(super) type Candidates = (Formulas, Property, Vec<Property>);

/// The automata of the command line.
pub(super) struct Given {
    /// Where their propositions live.
    formulas: Formulas,
    automata: Vec<(Must, Named)>,
    /// Whether some result is about each.
    used: Vec<bool>,
}

impl Given {
    pub(super) fn new(args: &CertifyArgs, budget: &Budget) -> Result<Self, load::Stop> {
        let mut formulas = Formulas::new();
        let mut automata = Vec::new();
        let none = args.automaton.iter().map(|path| (Must::AcceptNone, path));
        let all = args.automaton_positive.iter().map(|path| (Must::AcceptAll, path));
        for (must, path) in none.chain(all) {
            let (named, _) = load::automata_in(path, &mut formulas, budget)?;
            automata.extend(named.into_iter().map(|named| (must, named)));
        }
        Ok(Given { formulas, used: vec![false; automata.len()], automata })
    }

    /// What the automata are called that no result is about.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        let unused = self.automata.iter().zip(&self.used).filter(|(_, used)| !**used);
        unused.map(|((_, named), _)| named.title.as_str())
    }

    /// The claims that a result may stand for: one for each automaton that it may be about. If one
    /// of them reads as the result has it, it is that one.
    pub(super) fn claims(
        &mut self,
        held: &AutomatonRecord,
        text: &str,
    ) -> Result<Candidates, Amiss> {
        let Some(must) = held.must() else {
            return Err((
                "E005",
                format!("that an automaton accepts `{}` is no claim", held.accepts),
            ));
        };
        let mut formulas = self.formulas.clone();
        let fair = conditions(&mut formulas, held)?;
        let mut fitting = Vec::new();
        let mut other = None;
        for (i, (_, named)) in self.automata.iter().enumerate().filter(|(_, it)| it.0 == must) {
            let claim = load::claim_for(named.clone(), must, fair.clone());
            let Property::Automaton(property) = &claim.property else { continue };
            match differs(held, &AutomatonRecord::new(&formulas, property)) {
                None => {
                    self.used[i] = true;
                    fitting.push(claim.property);
                }
                Some(difference) => {
                    other.get_or_insert_with(|| another(property, difference));
                }
            }
        }
        let exact = fitting.iter().position(|it| it.show(&formulas).to_string() == text);
        if let Some(exact) = exact {
            return Ok((formulas, fitting.swap_remove(exact), Vec::new()));
        }
        if !fitting.is_empty() {
            let first = fitting.remove(0);
            return Ok((formulas, first, fitting));
        }
        let option = match must {
            Must::AcceptNone => "--automaton",
            Must::AcceptAll => "--automaton-positive",
        };
        let why = other.unwrap_or_else(|| {
            format!("it is about an automaton, which is to be given with {option} FILE")
        });
        Err(("E007", why))
    }
}

fn another(given: &AutomatonProperty, (what, theirs, own): (&str, String, String)) -> String {
    let title = &given.title;
    format!("it is about another automaton: {what} there is {theirs}, and in `{title}` it is {own}")
}

/// The fairness conditions of a result about an automaton.
fn conditions(formulas: &mut Formulas, held: &AutomatonRecord) -> Result<Vec<Fairness>, Amiss> {
    let mut read = |text: &str, read: ReadCondition| match read(formulas, text) {
        Ok(Condition { fairness, .. })
            if fairness.formulas().all(|it| formulas.logic(it) == Logic::Propositional) =>
        {
            Ok(fairness)
        }
        _ => Err(("E005", format!("`{text}` is no fairness condition for automata"))),
    };
    let mut fair = Vec::new();
    for text in &held.fair {
        fair.push(read(text, claims::read_fair)?);
    }
    for (when, then) in &held.compassion {
        fair.push(read(&format!("{when}, {then}"), claims::read_compassion)?);
    }
    Ok(fair)
}

/// How a condition is read.
type ReadCondition = fn(&mut Formulas, &str) -> Result<Condition, Vec<Problem>>;

/// In what two automata differ, as far as results tell.
fn differs(
    theirs: &AutomatonRecord,
    own: &AutomatonRecord,
) -> Option<(&'static str, String, String)> {
    let list = |held: &AutomatonRecord| format!("`{}`", held.propositions.join(" "));
    [
        ("the number of states", theirs.states.to_string(), own.states.to_string()),
        ("the number of transitions", theirs.transitions.to_string(), own.transitions.to_string()),
        ("the number of acceptance sets", theirs.marks.to_string(), own.marks.to_string()),
        ("the list of propositions", list(theirs), list(own)),
    ]
    .into_iter()
    .find(|(_, theirs, own)| theirs != own)
}
