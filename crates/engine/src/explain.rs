//! What is given with a verdict: evidence, runs, and where the claim holds.
//!
//! The verdict is there before any of this is begun, and is not lost if a limit is reached meanwhile.

use crate::terrain::Terrain;
use crate::{Options, eager, regions, runs, survey};
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Gap, Labelling, Limit, Missing, NodeId, Region, Story};

/// A program that was decided, and what is wanted of it.
pub(crate) struct Subject<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) formulas: &'a Formulas,
    pub(crate) program: &'a Program,
    /// The initial node that a story is told of.
    pub(crate) at: Option<NodeId>,
    pub(crate) options: &'a Options,
}

/// What was asked for, as far as the limits allowed.
#[derive(Default)]
pub(crate) struct Explanation {
    pub(crate) labelling: Option<Labelling>,
    pub(crate) story: Option<Story>,
    pub(crate) regions: Option<Vec<Region>>,
    pub(crate) missing: Option<Missing>,
}

pub(crate) const EVIDENCE: &str = "evidence";
pub(crate) const RUN: &str = "run";
const REGIONS: &str = "list of where it holds";

impl Explanation {
    pub(crate) fn new(subject: &Subject<'_>, budget: &Budget) -> Self {
        let mut given = Explanation::default();
        let mut what = EVIDENCE;
        let filled = given.fill(subject, &mut what, budget);
        given.missing = filled.err().map(|limit| Missing { what, why: Gap::Limit(limit) });
        given
    }

    /// Adds one thing after the other; when a limit is reached, `what` says which one is missing.
    fn fill(
        &mut self,
        subject: &Subject<'_>,
        what: &mut &'static str,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let Subject { terrain, formulas, program, at, options } = *subject;
        let machine = terrain.machine;
        if options.evidence || options.runs.is_some() {
            *what = if options.evidence { EVIDENCE } else { RUN };
            // A certificate speaks of all configurations, so that whoever checks it need not know which
            // can be reached.
            let everything = Terrain::with_survey(machine, survey::everything(machine));
            let labelling = eager::prove(&everything, formulas, program, budget)?;
            let labelling =
                if options.evidence { self.labelling.insert(labelling) } else { &labelling };
            if let (Some(most_moves), Some(node)) = (options.runs, at) {
                *what = RUN;
                self.story = runs::tell(machine, formulas, labelling, node, most_moves, budget)?;
            }
        }
        if options.regions {
            *what = REGIONS;
            // What cannot be reached would tell kinds of stacks apart that are the same.
            let labelling = eager::prove(terrain, formulas, program, budget)?;
            self.regions = Some(regions::regions(machine, formulas, &labelling, budget)?);
        }
        Ok(())
    }
}
