//! Claims about integer programs that CTL cannot say: LTL and CTL*.
//!
//! First by claims of CTL that imply the claim, or its negation (`tern_program::c::stronger`); then
//! by listing states as a machine, on which the engines decide. What is not listed is a node of
//! which nothing is known there.

use super::deciding::{FEW_STATES, LITTLE_EFFORT, MOST_STATES};
use super::{Beside, Question, Task};
use crate::args::{Analysis, CheckArgs};
use std::collections::BTreeSet;
use std::fmt::Write;
use tern_engine::{Checker, Options};
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, Claim, FormulaId, Formulas, Machine, Verdict as Decided};
use tern_numeric::check::{Decision, Verdict, Wants};
use tern_program::c::claim;
use tern_program::c::sample::{self, States};
use tern_program::c::stronger::around;

/// What there is of a claim that CTL cannot say, beside a claim that implies it.
pub(super) struct Star {
    /// The claim itself.
    formula: FormulaId,
    /// The claim that implies it.
    stronger: FormulaId,
    /// A claim that it implies.
    weaker: FormulaId,
    /// The normal form of that.
    pub(super) program: Program,
    /// How it is decided by cells, one way after the other.
    ways: [Way; 3],
}

/// How a claim beyond CTL can be decided by cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By a claim of CTL that implies it, and holds.
    Stronger,
    /// By a claim of CTL that it implies, and that fails.
    Weaker,
    /// By reading runs.
    Runs,
}

/// The longest text of a claim of CTL, in bytes.
const LONGEST: usize = 1000;

/// A text that is written as long as it is not too long.
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let fits = self.0.len() + text.len() <= LONGEST;
        if fits {
            self.0.push_str(text);
        }
        if fits { Ok(()) } else { Err(std::fmt::Error) }
    }
}

/// How many times as many parts as a claim a claim of CTL has that says too much to be read.
const LONG: usize = 2;

impl Star {
    /// The normal form of a claim that implies this one, and the rest.
    pub(super) fn new(formulas: &mut Formulas, claim: FormulaId) -> (Program, Star) {
        let (stronger, weaker) = around(formulas, claim);
        let lowered = |formula| {
            let lowered = ctl::lower(formulas, formula);
            lowered.unwrap_or_else(|_| unreachable!("each operator has a path quantifier"))
        };
        let (program, weak) = (lowered(stronger), lowered(weaker));
        let size = |formula| formulas.subformulas(formula).len();
        let mut ways = [Way::Stronger, Way::Weaker, Way::Runs];
        // What can be read with ease comes first.
        ways.sort_by_key(|way| match way {
            Way::Stronger => size(stronger) > LONG * size(claim),
            Way::Weaker => size(weaker) > LONG * size(claim),
            Way::Runs => false,
        });
        (program, Star { formula: claim, stronger, weaker, program: weak, ways })
    }
}

impl Task {
    /// Decides a claim that CTL cannot say.
    pub(super) fn decide_star(
        &self,
        index: usize,
        star: &Star,
        wants: Wants,
        args: &CheckArgs,
        budget: &Budget,
    ) -> (Decision, Beside) {
        let cells = |budget: &Budget| self.by_cells(index, star, wants, budget);
        let (mut decision, mut beside, mut told) = (Decision::open(), Beside::default(), None);
        let analysis = args.analysis.unwrap_or(Analysis::Auto);
        match analysis {
            Analysis::Numeric => (decision, beside, told) = cells(budget),
            Analysis::Auto => {
                // A few states are soon listed, where cells may take long.
                (decision, beside, told) = cells(&budget.clone().with_effort(LITTLE_EFFORT));
                self.by_machine(index, args, &mut decision, &mut beside, (FEW_STATES, budget));
                if decision.is_open() {
                    (decision, beside, told) = cells(budget);
                }
            }
            Analysis::Explicit | Analysis::Machine => {}
        }
        if analysis != Analysis::Numeric {
            self.by_machine(index, args, &mut decision, &mut beside, (MOST_STATES, budget));
        }
        self.replay(index, told, &mut decision, &mut beside, budget);
        (decision, beside)
    }

    /// Decides by cells: by claims of CTL that imply the claim or that it implies, or by reading
    /// runs. If a claim of CTL fails, its normal form is given too.
    fn by_cells<'s>(
        &self,
        index: usize,
        star: &'s Star,
        wants: Wants,
        budget: &Budget,
    ) -> (Decision, Beside, Option<&'s Program>) {
        let mut open = Decision::open();
        for way in star.ways {
            let decision = self.by_way(index, star, way, wants, budget);
            let by = match (way, &decision.verdict) {
                (Way::Stronger, Verdict::Holds) => self.show(star.stronger),
                (Way::Weaker, Verdict::Fails { .. }) => {
                    format!("{}, which fails", self.show(star.weaker))
                }
                (Way::Runs, Verdict::Holds | Verdict::Fails { .. }) => "reading runs".to_owned(),
                // That a stronger claim fails says nothing, nor that a weaker one holds.
                _ => {
                    if way == Way::Runs {
                        open = Decision { starts: open.starts, ..decision };
                    } else {
                        open.starts = decision.starts;
                    }
                    continue;
                }
            };
            let program = (way == Way::Weaker).then_some(&star.program);
            return (decision, Beside { by: Some(by), ..Beside::default() }, program);
        }
        (open, Beside::default(), None)
    }

    fn by_way(
        &self,
        index: usize,
        star: &Star,
        way: Way,
        wants: Wants,
        budget: &Budget,
    ) -> Decision {
        let Question { program, meanings, .. } = &self.questions[index];
        let flow = &self.code.flow;
        match way {
            // That it fails says nothing, so that no run is told of that.
            Way::Stronger => {
                let wants = Wants { steps: 0, ..wants };
                claim::answer(flow, program, meanings, wants, budget)
            }
            Way::Weaker => claim::answer(flow, &star.program, meanings, wants, budget),
            Way::Runs => {
                let formula = (&self.claims.formulas, star.formula);
                claim::by_runs(flow, formula, meanings, wants, budget)
            }
        }
    }

    /// A claim of CTL as text, if that is not too long: as a text it may be exponentially longer
    /// than the claim that it stands for.
    fn show(&self, formula: FormulaId) -> String {
        let mut shown = Short(String::new());
        match write!(shown, "{}", self.claims.formulas.show(formula)) {
            Ok(()) => format!("`{}`", shown.0),
            Err(_) => format!("`{}…`", shown.0),
        }
    }

    /// Lists states as a machine, if the claim is open, and lets the engines decide.
    pub(super) fn by_machine(
        &self,
        index: usize,
        args: &CheckArgs,
        decision: &mut Decision,
        beside: &mut Beside,
        (most, budget): (sample::Most, &Budget),
    ) {
        let (Some(asked), Verdict::Unknown(_)) = (self.asked(), &decision.verdict) else { return };
        let claim = &self.claims.list()[index];
        let formulas = &self.claims.formulas;
        let names = propositions(formulas, claim);
        let options = Options {
            engine: args.engine.0,
            seed: args.seed.unwrap_or_default(),
            shuffle: args.shuffle,
            ..Options::default()
        };
        let holds = |machine: &Machine| holds(machine, formulas, claim, &options, budget);
        let found = asked.listing(&mentioned(&names), most, budget, |states| {
            let all: Vec<usize> = (0..states.starts.len()).collect();
            match holds(&states.listed.machine(&names, &all)?)? {
                true => states.is_all.then_some(Verdict::Holds),
                false => asked.fails(&states.starts[first_false(states, &names, all, &holds)?]),
            }
        });
        if let Some(verdict) = found {
            beside.by = Some("all states, as a machine".to_owned());
            decision.verdict = verdict;
        }
    }
}

/// The propositions of a claim.
pub(super) fn propositions<'a>(formulas: &'a Formulas, claim: &Claim) -> Vec<&'a str> {
    claim.property.atoms(formulas).iter().map(|&atom| formulas.atom_name(atom)).collect()
}

/// The variables that propositions name.
pub(super) fn mentioned(propositions: &[&str]) -> BTreeSet<String> {
    sample::mentioned(propositions.iter().copied())
}

/// What the engines say of a machine.
fn holds(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    options: &Options,
    budget: &Budget,
) -> Option<bool> {
    let checker = Checker::new(machine, budget).ok()?;
    match checker.decide(formulas, claim, options, budget).verdict {
        Decided::Holds => Some(true),
        Decided::Fails => Some(false),
        Decided::Unknown(_) => None,
    }
}

/// One of some first states in which a claim is false that does not hold in all of them.
fn first_false(
    states: &States<'_>,
    names: &[&str],
    mut among: Vec<usize>,
    holds: &impl Fn(&Machine) -> Option<bool>,
) -> Option<usize> {
    while among.len() > 1 {
        let rest = among.split_off(among.len() / 2);
        // Without a run in any of them there is no machine, and the claim is true.
        let is_true = match states.listed.machine(names, &among) {
            Some(machine) => holds(&machine)?,
            None => true,
        };
        if is_true {
            among = rest;
        }
    }
    among.first().copied()
}
