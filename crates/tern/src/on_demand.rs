//! Programs that are produced on demand, with claims about them.

use crate::certification;
use crate::model_file::{add_claim, add_condition};
use crate::{Error, Options};
use tern_certify::Subject;
use tern_engine::SpaceChecker;
use tern_model::space::{Part, Space, SpaceError};
use tern_model::{Answer, Budget, Claims, Machine};

/// A program that is produced on demand, with claims. Whoever can say what follows a state of a
/// program implements [`Space`], and has claims decided of it: here a counter that is never at its
/// end.
///
/// ```
/// use tern::model::budget::Meter;
/// use tern::model::space::{Labels, Space, SpaceError, Successors};
/// use tern::model::{BoxId, CompId, ExitId, Id, LabelId, NodeId};
/// use tern::{Budget, OnDemand, Options, Verdict};
///
/// /// The states are the numbers; from each one may go on, or begin anew.
/// #[derive(Default)]
/// struct Counter {
///     limits: Vec<usize>,
/// }
///
/// impl Space for Counter {
///     fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
///         // `above 7` is true of 8, 9, and so on.
///         let limit = |name: &String| name.strip_prefix("above ")?.parse().ok();
///         let limits = names.iter().map(limit).collect::<Option<_>>();
///         self.limits = limits.ok_or_else(|| SpaceError::failed("only `above N` is known"))?;
///         Ok(())
///     }
///     fn initial(&mut self, _: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
///         Ok(vec![NodeId::new(0)])
///     }
///     fn edges(
///         &mut self,
///         node: NodeId,
///         out: &mut Successors,
///         _: &mut Meter<'_>,
///     ) -> Result<(), SpaceError> {
///         out.step(NodeId::new(node.index() + 1));
///         out.step(NodeId::new(0));
///         Ok(())
///     }
///     fn labels(
///         &mut self,
///         node: NodeId,
///         out: &mut Labels,
///         _: &mut Meter<'_>,
///     ) -> Result<(), SpaceError> {
///         for (position, &limit) in self.limits.iter().enumerate() {
///             if node.index() > limit {
///                 out.add(LabelId::new(position));
///             }
///         }
///         Ok(())
///     }
///     fn component(&self, _: NodeId) -> CompId {
///         CompId::new(0)
///     }
///     fn component_name(&self, _: CompId) -> String {
///         "counter".to_owned()
///     }
///     fn node_name(&self, node: NodeId) -> String {
///         node.index().to_string()
///     }
///     // There are no calls.
///     # fn site_edges(
///     #     &mut self,
///     #     _: BoxId,
///     #     _: ExitId,
///     #     _: &mut Successors,
///     #     _: &mut Meter<'_>,
///     # ) -> Result<(), SpaceError> {
///     #     Ok(())
///     # }
///     # fn home(&self, _: BoxId) -> CompId {
///     #     CompId::new(0)
///     # }
///     # fn callee(&self, _: BoxId) -> CompId {
///     #     CompId::new(0)
///     # }
///     # fn box_name(&self, _: BoxId) -> String {
///     #     String::new()
///     # }
///     # fn exit_name(&self, _: ExitId) -> String {
///     #     String::new()
///     # }
/// }
///
/// let mut program = OnDemand::new(Counter::default());
/// let small = program.claim("G !{above 3}")?;
/// let options = Options { evidence: true, runs: Some(100), ..Options::default() };
/// let answer = program.decide(small, &options, &Budget::unlimited());
/// let answer = program.certified(small, answer, &Budget::unlimited())?;
/// assert_eq!(answer.verdict(), &Verdict::Fails);
/// assert!(answer.certification.is_some_and(|it| it.accepted));
///
/// // What was produced on the way is a machine, which the run leads through.
/// let (begin, story) = &answer.outcome.stories[0];
/// let machine = program.machine()?;
/// assert_eq!(machine.node_path(*begin), "counter.0");
/// let tern::model::Reason::Run(run) = &story.reason else { panic!("it fails by a run") };
/// let path: Vec<&str> = run.run.moves.iter().map(|it| machine.node_name(it.node)).collect();
/// assert_eq!(path[..4], ["1", "2", "3", "4"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnDemand<S> {
    checker: SpaceChecker<S>,
    /// The claims, under their fairness conditions.
    pub claims: Claims,
}

impl<S: Space> OnDemand<S> {
    /// A program without claims.
    pub fn new(space: S) -> Self {
        OnDemand { checker: SpaceChecker::new(space, []), claims: Claims::new() }
    }

    /// Adds a claim, `formula` or `name: formula`, and gives its number in the list.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn claim(&mut self, formula: &str) -> Result<usize, Error> {
        add_claim(&mut self.claims, formula)?;
        Ok(self.claims.list().len() - 1)
    }

    /// Adds a fairness condition. It counts for all claims, also those that are there already.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn restrict(&mut self, condition: &str) -> Result<(), Error> {
        add_condition(&mut self.claims, condition).map(|_| ())
    }

    /// Decides a claim of the list; see [`SpaceChecker`] for what is produced then. The space is
    /// told the propositions of all claims first.
    ///
    /// # Panics
    /// If there is no such claim.
    pub fn decide(&mut self, claim: usize, options: &Options, budget: &Budget) -> Answer {
        let formulas = &self.claims.formulas;
        for claim in self.claims.list() {
            let atoms = claim.property.atoms(formulas).into_iter();
            self.checker.announce(atoms.map(|atom| formulas.atom_name(atom).to_owned()));
        }
        self.checker.decide(formulas, &self.claims.list()[claim], options, budget).into()
    }

    /// Lets the certifier look at an answer that was given with evidence.
    ///
    /// # Errors
    /// That the space breaks the rules of machines.
    ///
    /// # Panics
    /// If there is no such claim.
    pub fn certified(
        &mut self,
        claim: usize,
        answer: Answer,
        budget: &Budget,
    ) -> Result<Answer, SpaceError> {
        let (machine, part) = self.checker.subject()?;
        let subject = certification::Subject {
            machine: Subject::Part(machine, part),
            formulas: &self.claims.formulas,
            claim: &self.claims.list()[claim],
        };
        Ok(certification::certified(subject, answer, budget))
    }

    /// What was produced so far, as a machine: answers are about it.
    ///
    /// # Errors
    /// That the space breaks the rules of machines.
    pub fn machine(&mut self) -> Result<&Machine, SpaceError> {
        self.checker.machine()
    }

    /// What was asked of the space so far.
    pub fn part(&self) -> &Part {
        self.checker.part()
    }
}
