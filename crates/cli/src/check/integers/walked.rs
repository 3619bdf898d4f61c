//! Runs by which a claim fails, among the states that the interpreter lists.
//!
//! They are told where the analysis tells no run, or none that comes to its end: procedures that
//! call themselves have no steps in its graph, and neither have remainders. The states are those of
//! the program as it was written, and the engines find the run on the machine that they are.

use super::Task;
use std::collections::BTreeMap;
use tern_engine::{Checker, Options};
use tern_model::{
    Budget, Claim, Ending as End, Formula, NodeId, Property, Span, Verdict as Decided,
};
use tern_numeric::check::Verdict;
use tern_numeric::story::Ending;
use tern_program::c::sample::{Most, States};
use tern_program::c::story::{Shown, Told};
use tern_record::trace::{RunTrace, Trace, Why};

/// The longest run that is looked for.
const MOST_STEPS: usize = 5000;

/// How far states are listed, from little to much: the fewer there are, the shorter are the runs
/// that the engines find. The largest number is counted from the initial values on.
const FAR: [Most; 4] = {
    let far = Most { starts: 1, states: 60, choices: 9, size: 8, all_only: false, whole: false };
    [
        far,
        Most { states: 500, size: 20, ..far },
        Most { states: 3_000, size: 100, ..far },
        Most { states: 5_000, choices: 256, size: i128::MAX, ..far },
    ]
};

impl Task {
    /// A run by which the claim fails from the values of a failure, if there is one among the
    /// states that are listed.
    pub(super) fn walked(
        &self,
        index: usize,
        verdict: &Verdict,
        budget: &Budget,
    ) -> Option<Vec<Told>> {
        let start = self.begun(verdict)?;
        let largest = start.values().map(|it| it.saturating_abs()).max().unwrap_or_default();
        FAR.iter().find_map(|far| {
            budget.check().ok()?;
            let size = far.size.saturating_add(largest);
            self.walked_within(index, &start, Most { size, ..*far }, budget)
        })
    }

    fn walked_within(
        &self,
        index: usize,
        start: &BTreeMap<String, i128>,
        most: Most,
        budget: &Budget,
    ) -> Option<Vec<Told>> {
        let (mut formulas, claim) = (self.claims.formulas.clone(), &self.claims.list()[index]);
        let mut claims = vec![claim.clone()];
        if let Some(root) = claim.formula().filter(|&root| !formulas.is_state_formula(root)) {
            // A run by which a claim about all paths fails may end, and need not go on for ever.
            let property = Property::Formula(formulas.make(Formula::All(root)));
            claims.push(Claim { property, ..claim.clone() });
        }
        let names = super::beyond::propositions(&formulas, claim);
        let options = Options { runs: Some(MOST_STEPS), ..Options::default() };
        self.asked()?.listing_from(start, most, budget, |states| {
            let (machine, nodes) = states.listed.with_nodes(&names, &[0])?;
            let checker = Checker::new(&machine, budget).ok()?;
            claims.iter().find_map(|claim| {
                let outcome = checker.decide(&formulas, claim, &options, budget);
                if outcome.verdict != Decided::Fails {
                    return None;
                }
                let traces = Trace::all(&machine, &formulas, &claim.property, &outcome);
                let mut told = Vec::new();
                self.tell(&traces.first()?.1, (states, &nodes), &mut told)?;
                let is_run = |part: &Told| part.ending != Ending::AllPaths;
                told.iter().any(is_run).then_some(told)
            })
        })
    }

    /// Tells what a trace shows, one part after the other; `None` if it is not about states that
    /// are listed.
    fn tell(
        &self,
        trace: &Trace<'_>,
        of: (&States<'_>, &[Option<NodeId>]),
        told: &mut Vec<Told>,
    ) -> Option<()> {
        let (formula, areas) = (trace.formula.clone(), Vec::new());
        match &trace.why {
            Why::Labels | Why::TooLong => {}
            Why::AllPaths(_) => {
                let (states, ending) = (Vec::new(), Ending::AllPaths);
                told.push(Told { formula, holds: trace.holds, states, ending, areas });
            }
            Why::Operands(operands) => {
                let told_of = operands.iter().find(|it| it.speaks_of_paths);
                return told_of.map_or(Some(()), |it| self.tell(it, of, told));
            }
            Why::Run(run) => {
                let (states, ending) = self.states_of(run, of)?;
                told.push(Told { formula, holds: trace.holds, states, ending, areas });
                let last = run.steps.len().checked_sub(1)?;
                let then = run.asides.iter().find(|aside| aside.0 == last);
                if let Some((_, then)) = then.filter(|_| ending == Ending::Done) {
                    return self.tell(then, of, told);
                }
            }
        }
        Some(())
    }

    fn states_of(
        &self,
        run: &RunTrace<'_>,
        (states, nodes): (&States<'_>, &[Option<NodeId>]),
    ) -> Option<(Vec<Shown>, Ending)> {
        if run.steps.iter().any(|step| step.perhaps) {
            return None;
        }
        let number = |node: NodeId| nodes.iter().position(|it| *it == Some(node));
        let mut numbers: Vec<usize> =
            run.steps.iter().map(|step| number(step.node?)).collect::<Option<_>>()?;
        let ending = match run.ending {
            End::Done => Ending::Done,
            End::Loop(from) => {
                numbers.push(*numbers.get(from)?);
                Ending::Loop(from)
            }
            End::Pump(..) => return None,
        };
        let names = (self.code.flow.variables.as_slice(), self.code.labels.as_slice());
        let shown = states.listed.shown(&numbers, names, |span| self.line(span))?;
        Some((shown, ending))
    }

    /// The line in which something of the program stands.
    pub(super) fn line(&self, span: Span) -> u32 {
        let before = self.code.source.bytes.iter().take(span.start as usize);
        1 + before.filter(|byte| **byte == b'\n').count() as u32
    }
}
