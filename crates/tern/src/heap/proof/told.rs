//! How a proof is made, and what of that the certifier is told.

use super::super::HeapModel;
use super::super::evidence::rules;
use super::file;
use std::collections::BTreeMap;
use tern_certify::heap::proof::Prover;
use tern_certify::heap::proof::inputs::Remembered;
use tern_certify::heap::proof::refined::{Variant, extended, refined};
use tern_certify::heap::shapes::Nonterminal;
use tern_certify::heap::{NoRun, Task};
use tern_heap::abstraction::Kept;
use tern_heap::atoms::Ghost;
use tern_heap::grammar::Grammar;
use tern_model::{FormulaId, Formulas};
use tern_record::heap_proof::HeapProof;

/// How heaps of a proof are folded, and how many states it may have.
pub(in crate::heap) struct Folds<'a> {
    /// The grammar, which may be refined.
    pub(in crate::heap) grammar: &'a Grammar,
    /// Objects nearer than this to something that is named keep their fields.
    pub(in crate::heap) distance: usize,
    /// Ghosts that do not count for that.
    pub(in crate::heap) loose: &'a [Ghost],
    /// Whether only ghosts count for that.
    pub(in crate::heap) coarse: bool,
    /// How many numbers a variable may be before it is any.
    pub(in crate::heap) numbers: usize,
    /// How many states there may be.
    pub(in crate::heap) states: usize,
    /// Whether callees are given only what they reach by fields that they read.
    pub(in crate::heap) narrow: bool,
    /// Whether it is known what lies around heaps of callees that the claim remembers.
    pub(in crate::heap) views: bool,
    /// Which way is taken wherever the program may go either, if the claim asks for some run.
    pub(in crate::heap) chosen: Option<bool>,
}

impl<'a> Folds<'a> {
    /// Nothing but what is named, by a grammar.
    pub(in crate::heap) fn plain(grammar: &'a Grammar) -> Self {
        Folds {
            grammar,
            distance: 1,
            loose: &[],
            coarse: false,
            numbers: 0,
            states: 0,
            narrow: false,
            views: false,
            chosen: None,
        }
    }

    /// What the grammar has besides that of the program, as the certifier has it.
    pub(super) fn told(&self, model: &HeapModel) -> Told {
        let known = |name: &String| model.grammar.nonterminal(name).is_some();
        let mut more = match self.grammar.refinements.is_empty() {
            true => rules(self.grammar).nonterminals,
            false => BTreeMap::new(),
        };
        more.retain(|name, _| !known(name));
        Told { more, refinements: self.refinements(), narrow: self.narrow, chosen: self.chosen }
    }

    /// How the grammar is refined, as the certifier has it.
    fn refinements(&self) -> Vec<Vec<Variant>> {
        let variant = |it: &tern_heap::grammar::Variant| Variant {
            name: it.name.clone(),
            of: it.of.clone(),
            rules: it.rules.clone(),
        };
        self.grammar.refinements.iter().map(|all| all.iter().map(variant).collect()).collect()
    }

    /// The same, with ghosts as the certifier numbers them.
    pub(super) fn kept(&self, ghosts: &[Remembered], parameters: usize) -> Kept {
        let is_loose = |it: &Remembered| {
            self.loose.iter().any(|ghost| match (ghost, it) {
                (Ghost::Start(mine), Remembered::Start(its)) => *mine as usize == *its,
                // Names come behind the parameters.
                (Ghost::Named(mine), Remembered::Start(its)) => parameters + *mine as usize == *its,
                (Ghost::Element, Remembered::Element) => true,
                (Ghost::ElementField(mine), Remembered::ElementField(its)) => mine == its,
                _ => false,
            })
        };
        let loose = ghosts.iter().map(is_loose);
        Kept { distance: self.distance, loose: bits(loose), coarse: self.coarse }
    }
}

/// What a proof has of nonterminals that the grammar has not, and of which runs and heaps it is.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// Those that are added.
    pub(super) more: BTreeMap<String, Nonterminal>,
    /// Those that are told apart.
    pub(super) refinements: Vec<Vec<Variant>>,
    /// Whether it is narrow.
    pub(super) narrow: bool,
    /// Which way it takes.
    pub(super) chosen: Option<bool>,
}

impl Told {
    pub(super) fn read(proof: &HeapProof) -> Told {
        let (more, refinements) = (file::read_more(proof), file::read_refinements(proof));
        Told { more, refinements, narrow: proof.narrow, chosen: proof.chosen }
    }

    /// What a claim about a task is proved with.
    pub(super) fn prover<'p>(
        &self,
        task: &'p Task<'p>,
        about: (&Formulas, FormulaId),
    ) -> Result<Prover<'p>, NoRun> {
        let mut prover = Prover::new(task, about.0, about.1)?;
        if let Some(chosen) = self.chosen {
            prover = prover.choosing(chosen, about)?;
        }
        if self.narrow { prover.narrowed() } else { Ok(prover) }
    }

    /// A task with all of it.
    pub(super) fn added<'t>(&self, mut task: Task<'t>) -> Result<Task<'t>, NoRun> {
        task.rules = extended(&task.rules, &self.more)?;
        for variants in &self.refinements {
            task.rules = refined(&task.rules, variants)?;
        }
        Ok(task)
    }
}

/// Truth values as bits; those that do not fit are left out.
pub(in crate::heap) fn bits(all: impl Iterator<Item = bool>) -> u64 {
    (0..u64::BITS).zip(all).filter(|it| it.1).fold(0, |sum, (bit, _)| sum | 1 << bit)
}
