//! Checks evidence for claims in CTL*. What is checked, and why it suffices, is said in the header
//! of [`star_evidence`](tern_model::star_evidence). Everything is looked at once, with its
//! alternatives and edges; nothing is searched for.
//!
//! `cover` checks how stacks are told apart, `moves` knows the moves of a layer, `contracts` checks
//! how called components are left, `standing` where obligations can be met. `replay` says what
//! stories are replayed with.

mod contracts;
mod cover;
mod moves;
mod replay;
mod standing;
#[cfg(test)]
mod tests;

use crate::door::Case;
use crate::moves::node_name;
use crate::reading::{boolean, is_of_state};
use crate::refusal::{Refusal, Stopped};
use crate::run::Checked;
use cover::Cover;
use moves::Layer;
pub(crate) use replay::Copies;
use std::collections::BTreeMap;
use tern_model::star_evidence::StarSpot;
use tern_model::{
    Budget, Formula, FormulaId, Formulas, Id, Machine, NodeId, Obligation, Outcome, StarEvidence,
    Verdict,
};

/// Checks that evidence proves a verdict, that the claim is false at an initial node of which this
/// is said, and that the stories are so that are told of it.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached.
pub(crate) fn check(
    case: Case<'_>,
    claim: FormulaId,
    evidence: &StarEvidence,
    told: Option<&Outcome>,
) -> Result<(), Stopped> {
    let Case { machine, formulas, verdict, culprit, budget } = case;
    let proof = Proof::check(machine, formulas, evidence, budget)?;
    proof.decides(claim, verdict, culprit)?;
    case.replay(Some(claim), Checked::Star(&proof), told)
}

/// Evidence that has been checked.
pub struct Proof<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    /// The base, and then the cover of each layer.
    covers: Vec<Cover>,
    /// Which layer speaks of what.
    layers: BTreeMap<Obligation, usize>,
    /// For each layer, whether what it seeks can be met at a spot of a copy, where it says so.
    truths: Vec<BTreeMap<(usize, StarSpot), bool>>,
}

impl<'a> Proof<'a> {
    /// Checks all layers.
    ///
    /// # Errors
    /// The first thing that is wrong, or the limit that was reached, which is looked at before each
    /// layer.
    pub fn check(
        machine: &'a Machine,
        formulas: &'a Formulas,
        evidence: &'a StarEvidence,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut proof = Proof {
            machine,
            formulas,
            covers: vec![Cover::base(machine, &evidence.base)?],
            layers: BTreeMap::new(),
            truths: Vec::new(),
        };
        for (number, layer) in evidence.layers.iter().enumerate() {
            budget.check()?;
            proof.add(number, layer, budget).map_err(|stopped| stopped.in_layer(number))?;
        }
        Ok(proof)
    }

    /// Checks that a claim has a verdict, and is false at an initial node of which this is said.
    ///
    /// # Errors
    /// What is otherwise, or not proved.
    pub fn decides(
        &self,
        claim: FormulaId,
        verdict: &Verdict,
        culprit: Option<NodeId>,
    ) -> Result<(), Refusal> {
        let mut holds = true;
        for &node in self.machine.initial() {
            let here = self.claim_at(claim, node)?;
            if here && culprit == Some(node) {
                return Err(Refusal::new(
                    node_name(self.machine, node),
                    "the claim does not fail here",
                ));
            }
            holds &= here;
        }
        match verdict.known() {
            Some(claimed) if claimed == holds => Ok(()),
            _ => {
                let why = "the evidence proves the opposite, or nothing";
                Err(Refusal::new("the verdict", why))
            }
        }
    }

    fn add(
        &mut self,
        number: usize,
        layer: &'a tern_model::star_evidence::StarLayer,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let bad = |why: &str| Err(Refusal::new("what it seeks", why).into());
        if layer.sought.formula.index() >= self.formulas.len() {
            return bad("there is no such formula");
        }
        if self.layers.contains_key(&layer.sought) {
            return bad("another layer seeks the same");
        }
        let ground = match layer.ground {
            None => 0,
            Some(ground) if (ground as usize) < number => ground as usize + 1,
            Some(_) => return bad("its ground is no earlier layer"),
        };
        let mut checked = Layer::new(self, ground, layer, budget)?;
        contracts::check(&mut checked)?;
        let cover = Cover::refined(self.machine, &self.covers[ground], ground, &layer.copies)?;
        let truth = standing::check(&mut checked, &cover)?;
        self.covers.push(cover);
        self.layers.insert(layer.sought, number);
        self.truths.push(truth);
        Ok(())
    }

    /// Whether a quantified formula is true at a spot of a copy; `None` if nobody says so.
    fn quantified(
        &self,
        formula: FormulaId,
        cover: usize,
        copy: usize,
        spot: StarSpot,
    ) -> Option<bool> {
        let (sought, negated) = match self.formulas.get(formula) {
            Formula::Exists(path) => (Obligation { formula: path, holds: true }, false),
            Formula::All(path) => (Obligation { formula: path, holds: false }, true),
            _ => return None,
        };
        self.met(sought, cover, copy, spot).map(|met| met != negated)
    }

    /// Whether an obligation can be met at a spot of a copy, as a layer says on which its cover is
    /// built.
    fn met(&self, sought: Obligation, cover: usize, copy: usize, spot: StarSpot) -> Option<bool> {
        let &layer = self.layers.get(&sought)?;
        let (mut cover, mut copy) = (cover, copy);
        while cover != layer + 1 {
            (cover, copy) = self.covers.get(cover)?.below(copy)?;
        }
        self.truths[layer].get(&(copy, spot)).copied()
    }

    fn atom(&self, formula: FormulaId, node: NodeId) -> bool {
        let Formula::Atom(atom) = self.formulas.get(formula) else { return false };
        let label = self.machine.label(self.formulas.atom_name(atom));
        label.is_some_and(|label| self.machine.has_label(node, label))
    }

    /// Whether the claim is true at an initial node.
    fn claim_at(&self, claim: FormulaId, node: NodeId) -> Result<bool, Refusal> {
        let spot = StarSpot::At(self.machine.node_place(node));
        // An outermost layer need not build on another, so each is asked for its own copy.
        let met = |formula: FormulaId, holds: bool| {
            let sought = Obligation { formula, holds };
            let cover = self.layers.get(&sought).map(|&layer| layer + 1);
            let copy = cover.and_then(|it| self.covers[it].ended(self.machine.component_of(node)));
            let met = cover.zip(copy).and_then(|(it, copy)| self.met(sought, it, copy, spot));
            met.ok_or_else(|| {
                let why = format!("no layer decides {} here", self.formulas.show(formula));
                Refusal::new(node_name(self.machine, node), why)
            })
        };
        if !is_of_state(self.formulas, claim) {
            return Ok(!met(claim, false)?);
        }
        let mut truth: BTreeMap<FormulaId, bool> = BTreeMap::new();
        for id in crate::lasso::path_subformulas(self.formulas, claim) {
            let of = |f: FormulaId| truth.get(&f).copied().unwrap_or(false);
            let value = match self.formulas.get(id) {
                Formula::Atom(_) => self.atom(id, node),
                Formula::Exists(f) => met(f, true)?,
                Formula::All(f) => !met(f, false)?,
                formula => boolean(formula, of).ok_or_else(|| {
                    let why = "a state formula speaks of a path outside of all quantifiers";
                    Refusal::new("the claim", why)
                })?,
            };
            truth.insert(id, value);
        }
        Ok(truth.get(&claim).copied().unwrap_or(false))
    }
}
