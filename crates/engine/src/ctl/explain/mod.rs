//! What is given with a verdict: evidence, runs, and where the claim holds.
//!
//! The verdict is there before any of this is begun, and is not lost if a limit is reached
//! meanwhile.

use crate::ground::terrain::Terrain;
mod levels;
mod operands;
pub(crate) mod proof;
mod regions;
mod runs;
mod shortest;

use super::eager;
use crate::Options;
use crate::ground::survey;
use tern_model::logic::ctl::{self, Program};
use tern_model::{
    Budget, FormulaId, Formulas, Gap, Labelling, Limit, Missing, NodeId, Region, Story,
};

/// A program that was decided, and what is wanted of it.
pub(crate) struct Subject<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) formulas: &'a Formulas,
    /// The claim, and the program that it was turned into.
    pub(crate) claim: FormulaId,
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
    pub(crate) missing: Vec<Missing>,
}

impl Explanation {
    /// Adds one thing after the other. A limit that ends one of them need not end the next.
    pub(crate) fn new(subject: &Subject<'_>, budget: &Budget) -> Self {
        let options = subject.options;
        let mut given = Explanation::default();
        if (options.evidence || options.runs.is_some())
            && let Err(limit) = given.prove_and_tell(subject, budget)
        {
            if options.evidence && given.labelling.is_none() {
                given.missing.push(Missing::Evidence(Gap::Limit(limit)));
            }
            if options.runs.is_some() {
                given.missing.push(Missing::Run(Gap::Limit(limit))); // it comes last
            }
        }
        if options.regions {
            match list(subject, budget) {
                Ok(regions) => given.regions = Some(regions),
                Err(limit) => given.missing.push(Missing::Regions(Gap::Limit(limit))),
            }
        }
        given
    }

    /// Adds the labelling, if it is asked for, and the story that is read off it.
    fn prove_and_tell(&mut self, subject: &Subject<'_>, budget: &Budget) -> Result<(), Limit> {
        let Subject { terrain, formulas, claim, program, at, options } = *subject;
        let machine = terrain.machine;
        // A certificate speaks of all configurations, so that whoever checks it need not know which
        // can be reached.
        let everything = Terrain::with_survey(machine, survey::everything(machine));
        let labelling = eager::prove(&everything, formulas, program, budget)?;
        let labelling =
            if options.evidence { &*self.labelling.insert(labelling) } else { &labelling };
        if let (Some(most_moves), Some(node), Ok(lowered)) =
            (options.runs, at, ctl::lower_parts(formulas, claim))
        {
            let known = (&lowered, labelling);
            self.story = runs::tell(machine, formulas, claim, known, node, most_moves, budget)?;
        }
        Ok(())
    }
}

/// Where the claim holds, in what can be reached.
fn list(subject: &Subject<'_>, budget: &Budget) -> Result<Vec<Region>, Limit> {
    let Subject { terrain, formulas, program, .. } = *subject;
    // What cannot be reached would tell kinds of stacks apart that are the same.
    let labelling = eager::prove(terrain, formulas, program, budget)?;
    regions::regions(terrain.machine, formulas, &labelling, budget)
}
