//! Spaces without end: what is near is found.

use super::{decide_and_check, written};
use tern_engine::{Engine, Options, SpaceChecker};
use tern_model::budget::Meter;
use tern_model::space::{Labels, Space, SpaceError, Successors};
use tern_model::{
    BoxId, Budget, CompId, Ending, ExitId, Formulas, Gap, Id, LabelId, Limit, Missing, NodeId,
    Reason, Verdict,
};

/// A counter: node n is the number n, and is labelled `five` and `even` if it is. If `deep`, each
/// number is a component of its own, and calls the next; number 3 may return instead, and all do
/// that are returned to.
struct Counter {
    deep: bool,
    propositions: Vec<String>,
    asked: usize,
}

impl Counter {
    fn new(deep: bool) -> Self {
        Counter { deep, propositions: Vec::new(), asked: 0 }
    }
}

impl Space for Counter {
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
        if let Some(unknown) = names.iter().find(|name| !["five", "even"].contains(&name.as_str()))
        {
            return Err(SpaceError::failed(format!("`{unknown}` means nothing to a counter")));
        }
        self.propositions = names.to_vec();
        Ok(())
    }
    fn initial(&mut self, _: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
        Ok(vec![NodeId::new(0)])
    }
    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        meter.tick()?;
        self.asked += 1;
        let next = NodeId::new(node.index() + 1);
        match self.deep {
            true => {
                if node.index() == 3 {
                    out.leave(ExitId::new(node.index()));
                }
                out.call(BoxId::new(node.index()), next);
            }
            false => out.step(next),
        }
        Ok(())
    }
    fn site_edges(
        &mut self,
        call: BoxId,
        _: ExitId,
        out: &mut Successors,
        _: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        // Again and again the same call.
        out.call(call, NodeId::new(call.index() + 1));
        Ok(())
    }
    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        _: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        for (position, name) in self.propositions.iter().enumerate() {
            let holds = match name.as_str() {
                "five" => node.index() == 5,
                _ => node.index().is_multiple_of(2),
            };
            if holds {
                out.add(LabelId::new(position));
            }
        }
        Ok(())
    }
    fn component(&self, node: NodeId) -> CompId {
        CompId::new(if self.deep { node.index() } else { 0 })
    }
    fn home(&self, call: BoxId) -> CompId {
        CompId::new(call.index())
    }
    fn callee(&self, call: BoxId) -> CompId {
        CompId::new(call.index() + 1)
    }
    fn component_name(&self, component: CompId) -> String {
        format!("level{}", component.index())
    }
    fn node_name(&self, node: NodeId) -> String {
        format!("n{}", node.index())
    }
    fn box_name(&self, call: BoxId) -> String {
        format!("up{}", call.index())
    }
    fn exit_name(&self, exit: ExitId) -> String {
        format!("x{}", exit.index())
    }
}

#[test]
fn a_beginning_that_tells_is_enough() {
    let budget = Budget::unlimited().with_effort(1_000);
    let mut formulas = Formulas::new();
    for deep in [false, true] {
        for (text, verdict) in [
            ("G !five", Verdict::Fails),
            ("G (even -> X !even)", Verdict::Unknown(Gap::Limit(Limit::Effort))),
            ("E F five", Verdict::Holds),
            ("X X !even", Verdict::Fails),
            ("X X even", Verdict::Holds),
        ] {
            let claim = written(&mut formulas, text);
            for engine in [None, Engine::named("on-the-fly"), Engine::named("hybrid")] {
                let options =
                    Options { engine, evidence: true, runs: Some(100), ..Options::default() };
                let mut checker = SpaceChecker::new(Counter::new(deep), []);
                let budget = if verdict.known().is_some() { &Budget::unlimited() } else { &budget };
                let (outcome, _) =
                    decide_and_check(&mut checker, &formulas, claim, &options, budget);
                assert_eq!(outcome.verdict, verdict, "{text}, deep: {deep}");
                if verdict.known().is_some() {
                    assert!(checker.space().asked < 500, "{text}: {}", checker.space().asked);
                    assert_eq!(outcome.stories.len(), 1, "{text}: {outcome:?}");
                }
                if text == "G !five" && !deep {
                    let Reason::Run(run) = &outcome.stories[0].1.reason else {
                        panic!("{outcome:?}")
                    };
                    assert_eq!((run.run.moves.len(), &run.run.ending), (5, &Ending::Done));
                    let [Missing::Evidence(_)] = &outcome.missing[..] else {
                        panic!("{:?}", outcome.missing)
                    };
                }
            }
        }
    }
}

#[test]
fn a_run_that_comes_back_is_found_beside_one_that_does_not() {
    // Below number 3 the same call is made again and again, and beyond there is no end.
    let budget = Budget::unlimited();
    let mut formulas = Formulas::new();
    let claim = written(&mut formulas, "F five");
    let options = Options { evidence: true, runs: Some(100), ..Options::default() };
    let mut checker = SpaceChecker::new(Counter::new(true), []);
    let (outcome, checked) = decide_and_check(&mut checker, &formulas, claim, &options, &budget);
    assert_eq!(outcome.verdict, Verdict::Fails);
    assert!(checked, "{:?}", outcome.missing);
    assert!(checker.space().asked < 200, "{}", checker.space().asked);
}

#[test]
fn exploring_ends_at_a_limit_and_unknown_propositions_are_refused() {
    let mut formulas = Formulas::new();
    let budget = Budget::unlimited().with_effort(20);
    let branching = written(&mut formulas, "A G E X even");
    let (outcome, _) = {
        let mut checker = SpaceChecker::new(Counter::new(false), []);
        decide_and_check(&mut checker, &formulas, branching, &Options::default(), &budget)
    };
    assert_eq!(outcome.verdict, Verdict::Unknown(Gap::Limit(Limit::Effort)));
    let odd = written(&mut formulas, "G odd");
    let mut checker = SpaceChecker::new(Counter::new(false), []);
    let claim = tern_model::Claim::new(odd);
    let outcome = checker.decide(&formulas, &claim, &Options::default(), &Budget::unlimited());
    let why = "`odd` means nothing to a counter".to_owned();
    assert_eq!(outcome.verdict, Verdict::Unknown(Gap::Failed(why)));
}
