//! What nobody asked for and everybody wants to know: why a claim fails, and whether one that holds
//! says anything.
//!
//! The first claims that fail are explained by a run; the first that hold are looked at for
//! premises that are never fulfilled, and fairness conditions for whether any run fulfils them.
//! Each takes about as little as the decision did. For a page all claims are, as far as the effort
//! goes that all of them may take together. The effort is counted, so that the same is shown
//! at every run. With `--quiet` none of this is done, unless it is denied.

use super::Shared;
use super::one::Run;
use crate::codes;
use crate::warnings::{self, Found};
use std::sync::atomic::Ordering;
use tern::Session;
use tern_engine::Options;
use tern_model::{Answer, Budget, Claim, Machine, Meaning, Verdict};

/// How many claims that fail, and how many that hold, are explained though nobody asked.
const MOST_TOLD: usize = 10;
/// How much more effort an explanation is worth on a page, and how much all of them may take.
const EFFORT_FOR_A_PAGE: u64 = 50;
pub(super) const EFFORT_OF_A_PAGE: u64 = 1_500_000;
/// The longest run that is found for such an explanation.
pub(super) const LONGEST_TOLD: usize = 1_000;
/// How often the budget may be looked at for such an explanation, whatever the decision took; and
/// how many edges of the decision are worth another look.
const LEAST_EFFORT: u64 = 300;
const EDGES_A_LOOK: u64 = 4096;

/// The effort that is worth the while for something that took a look at so many edges.
fn effort(edges: u64) -> u64 {
    LEAST_EFFORT + edges / EDGES_A_LOOK
}

/// How many of some answers have a verdict, up to the number that is explained.
fn told(answers: &[Answer], verdict: &Verdict, most: usize) -> usize {
    answers.iter().filter(|it| it.outcome.verdict == *verdict).take(most).count()
}

impl<'a> Run<'a> {
    /// Adds to the answers from `begin` on what explains them, and to the warnings what is found.
    pub(super) fn explain(
        &self,
        session: &Session<'_>,
        answers: &mut [Answer],
        begin: usize,
        found: &mut Vec<Found<'a>>,
    ) {
        let Shared { args, .. } = self.shared;
        let claims = &self.inputs.claims;
        let may_warn = begin == 0 && !claims.fair().is_empty() && self.minds("W207");
        if may_warn && self.conditions_have_labels(session.machine()) {
            let edges = answers.iter().map(|answer| answer.outcome.stats.edges).sum();
            let budget = self.shared.limits.budget().with_effort(effort(edges));
            if session.no_run_is_fair(claims, &budget) {
                found.push(warnings::no_fair_run(self.inputs));
            }
        }
        let fair = !found.iter().any(|found| found.code() == "W207");
        let for_page = args.html.is_some();
        let most = if for_page { usize::MAX } else { MOST_TOLD };
        let mut failing = told(&answers[..begin], &Verdict::Fails, most);
        let mut holding = told(&answers[..begin], &Verdict::Holds, most);
        for (i, answer) in answers.iter_mut().enumerate().skip(begin) {
            let claim = &claims.list()[i];
            if !args.wants_runs() {
                answer.outcome.stories.clear();
                answer.meaning = Meaning::default();
                match answer.outcome.verdict {
                    Verdict::Fails if failing < most => {
                        failing += 1;
                        if for_page || !args.quiet && args.json.is_none() {
                            self.tell(session, claim, answer);
                        }
                    }
                    Verdict::Holds if holding < most => {
                        holding += 1;
                        if fair && self.minds("W206") {
                            let looks = effort(answer.outcome.stats.edges);
                            let vacuity =
                                |budget: &_| session.vacuity(&claims.formulas, claim, budget);
                            answer.meaning.vacuous = self.within(looks, vacuity).flatten();
                        }
                    }
                    _ => {}
                }
            }
            if self.allows("W206") {
                answer.meaning.vacuous = None;
            }
            found.extend(warnings::vacuous(self.inputs, i, answer));
        }
    }

    /// Whether the machine has all labels of the fairness conditions. If not, that was warned of.
    fn conditions_have_labels(&self, machine: &Machine) -> bool {
        let claims = &self.inputs.claims;
        let asked = claims.fair().iter().flat_map(|condition| condition.fairness.formulas());
        let atoms = asked.flat_map(|formula| claims.formulas.atoms_of(formula));
        let mut names = atoms.map(|atom| claims.formulas.atom_name(atom));
        names.all(|name| machine.label(name).is_some())
    }

    /// Whether a warning is wanted that takes work to find.
    fn minds(&self, code: &str) -> bool {
        let args = self.shared.args;
        let is_shown = !args.quiet || args.html.is_some();
        !self.allows(code) && (is_shown || codes::is_named(&args.deny, code))
    }

    /// Does something with so many looks at the budget, if a page still allows it.
    fn within<T>(&self, looks: u64, work: impl FnOnce(&Budget) -> T) -> Option<T> {
        let Shared { args, limits, .. } = self.shared;
        if args.html.is_none() {
            return Some(work(&limits.budget().with_effort(looks)));
        }
        let left = self.effort.load(Ordering::Relaxed);
        let looks = looks.min(left);
        let budget = limits.budget().with_effort(looks);
        let done = (looks > 0).then(|| work(&budget));
        let spent = looks - budget.effort_left().unwrap_or(0);
        self.effort.store(left - spent, Ordering::Relaxed);
        done
    }

    /// Adds a run to an answer, if that takes about as little as the decision did.
    fn tell(&self, session: &Session<'_>, claim: &Claim, answer: &mut Answer) {
        let args = self.shared.args;
        let (times, longest) = match args.html {
            Some(_) => (EFFORT_FOR_A_PAGE, args.max_steps),
            None => (1, args.max_steps.min(LONGEST_TOLD)),
        };
        let runs = Some(longest);
        let options = Options { runs, evidence: false, regions: false, ..self.options() };
        let decide =
            |budget: &_| session.decide(&self.inputs.claims.formulas, claim, &options, budget);
        let looks = times * effort(answer.outcome.stats.edges);
        let Some(explained) = self.within(looks, decide) else { return };
        if explained.outcome.verdict == answer.outcome.verdict {
            answer.outcome.stories = explained.outcome.stories;
            // The run may begin at another initial node than the one that was found first.
            answer.outcome.culprit = explained.outcome.culprit;
            answer.outcome.reduced = explained.outcome.reduced;
        }
    }
}
