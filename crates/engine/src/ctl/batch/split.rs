//! Telling frames apart by the context bits of one operator, in all lanes at once.
//!
//! As for one claim ([`crate::ctl::split`]), bits are computed from the root frames down, and only
//! those that matter are kept. Which exits matter, and what is true after them, differs from lane
//! to lane; so a box leads to as many frames as there are different bits in its lanes. A frame and
//! some bits are evaluated once, for all lanes that ever come there.

use super::family::{Family, Stacks, Stop, unfold};
use super::lanes::Lanes;
use super::operator::{Prepared, View};
use crate::ground::bits;
use crate::ground::ids::{BoxPos, ExitPos, FamilyId, FrameId, ModeId, Positions};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, CompId, Id, Stats};

/// A frame, and its context bits.
type Context = (FrameId, After);

/// Context bits by exit. Few components have more exits than a word has bits, and there are very
/// many contexts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct After {
    few: u64,
    /// The bits of a component with more exits, unless all are false.
    many: Box<[u64]>,
}

impl After {
    /// Whether no bit is set.
    fn is_empty(&self) -> bool {
        self.few == 0 && self.many.is_empty()
    }

    fn words(&self) -> &[u64] {
        if self.many.is_empty() { std::slice::from_ref(&self.few) } else { &self.many }
    }

    /// Sets the bit of an exit, where all bits take so many words.
    fn insert(&mut self, exit: ExitPos, words: usize) {
        if words == 1 {
            self.few |= 1 << exit.index();
            return;
        }
        if self.many.is_empty() {
            self.many = vec![0; words].into();
        }
        bits::insert(&mut self.many, exit);
    }
}

/// How an operator's frames come out.
pub(super) struct Split<const W: usize> {
    /// New frames; `None` if no frame falls apart, and the frames are those that were given.
    pub(super) finer: Option<Family<W>>,
    /// Where the operator is true: words over the places of all frames.
    pub(super) words: Vec<Lanes<W>>,
}

/// Tells the frames of a family apart by the context bits of an operator, into so many at most.
pub(super) fn split<const W: usize>(
    view: View<'_, W>,
    own: FamilyId,
    prepared: Prepared<W>,
    most: usize,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Split<W>, Stop> {
    let (machine, family) = (view.terrain.machine, view.family);
    let mut first_exit = Table::new();
    let mut relevant = Vec::new();
    for frame in family.ids() {
        meter.tick()?;
        first_exit.push(relevant.len());
        let ended = view.modes[family.mode[frame]].ended;
        let lanes = |&exit| match ended {
            true => Lanes::NONE,
            false => prepared.relevant(view, frame, exit),
        };
        relevant.extend(machine.exits_of(family.component[frame]).iter().map(lanes));
    }
    if relevant.iter().all(|lanes| lanes.is_empty()) {
        return Ok(Split { finer: None, words: prepared.inside });
    }
    let mut contexts = Contexts {
        view,
        prepared: &prepared,
        first_exit,
        relevant,
        values: Table::new(),
        stats: Stats::default(),
        meter: Meter::new(meter.budget()),
        classes: Vec::new(),
    };
    let roots = family.roots.as_slice();
    let all = roots.iter().fold(Lanes::NONE, |all, &root| all | family.lanes[root]);
    let roots: Vec<Context> = roots.iter().map(|&root| (root, After::default())).collect();
    let (mut finer, keys) =
        unfold(view.terrain, view.modes, &mut contexts, &roots, (all, most), meter)?;
    // Where no box is, nothing was asked so far.
    for (number, (frame, after)) in keys.iter() {
        contexts.evaluate(number, *frame, after)?;
    }
    *stats += contexts.stats;
    let values = contexts.values;
    let value = |number: FrameId| match &values[number] {
        Some(words) => words.as_slice(),
        None => family.words(&prepared.inside, keys[number].0),
    };
    meter.budget().check_room_for((finer.place_count() * size_of::<Lanes<W>>()) as u64)?;
    if finer.len() == family.len() {
        // One context for each frame, so that nothing is told apart.
        let mut number_of = Table::filled(None, family.len());
        for (number, &(frame, _)) in keys.iter() {
            number_of[frame] = Some(number);
        }
        let numbers = number_of.as_slice().iter().copied();
        if let Some(numbers) = numbers.collect::<Option<Vec<FrameId>>>() {
            let words = numbers.into_iter().flat_map(|number| value(number).iter().copied());
            return Ok(Split { finer: None, words: words.collect() });
        }
    }
    let words = keys.ids().flat_map(|number| value(number).iter().copied()).collect();
    finer.coarser = family.inherited(own, &keys.iter().map(|(_, &(frame, _))| frame).collect());
    Ok(Split { finer: Some(finer), words })
}

/// The frames of a family under the context bits of an operator.
struct Contexts<'a, const W: usize> {
    view: View<'a, W>,
    prepared: &'a Prepared<W>,
    /// The lanes in which bits matter, by frame and exit; where those of a frame begin.
    first_exit: Table<FrameId, usize>,
    relevant: Vec<Lanes<W>>,
    /// The words of a frame under its bits, as far as they are known; `None` if it has no bits.
    values: Table<FrameId, Option<Vec<Lanes<W>>>>,
    stats: Stats,
    meter: Meter<'a>,
    /// Room for the bits that a box gives, and the lanes in which it does.
    classes: Vec<(After, Lanes<W>)>,
}

impl<const W: usize> Contexts<'_, W> {
    /// Finds the words of a frame under its bits.
    fn evaluate(&mut self, number: FrameId, frame: FrameId, after: &After) -> Result<(), Stop> {
        while self.values.len() <= number.index() {
            self.values.push(None);
        }
        if !after.is_empty() && self.values[number].is_none() {
            let (stats, meter) = (&mut self.stats, &mut self.meter);
            let words = self.prepared.under(self.view, frame, after.words(), stats, meter)?;
            self.values[number] = Some(words);
        }
        Ok(())
    }

    /// Finds which bits a box gives to a callee in some lanes.
    fn classify(
        &mut self,
        (number, from): (FrameId, FrameId),
        call: BoxId,
        to: FrameId,
        lanes: Lanes<W>,
    ) {
        let View { terrain, family, .. } = self.view;
        let machine = terrain.machine;
        let values = match &self.values[number] {
            Some(words) => words.as_slice(),
            None => family.words(&self.prepared.inside, from),
        };
        let words = bits::words_for(machine.exits_of(family.component[to]).len());
        self.classes.clear();
        self.classes.push((After::default(), lanes));
        for (exit, site) in machine.sites_of(call) {
            let exit: ExitPos = machine.exit_pos(exit);
            let set = self.relevant[self.first_exit[to] + exit.index()]
                & values[machine.place_pos(site).index()];
            for i in 0..self.classes.len() {
                let both = self.classes[i].1 & set;
                if both.is_empty() {
                    continue;
                }
                if both == self.classes[i].1 {
                    self.classes[i].0.insert(exit, words);
                } else {
                    let mut after = self.classes[i].0.clone();
                    after.insert(exit, words);
                    self.classes[i].1 = self.classes[i].1.less(set);
                    self.classes.push((after, both));
                }
            }
        }
    }
}

impl<const W: usize> Stacks<W> for Contexts<'_, W> {
    type Key = Context;

    fn kind(&self, &(frame, _): &Context) -> (CompId, ModeId) {
        (self.view.family.component[frame], self.view.family.mode[frame])
    }

    fn leads(
        &mut self,
        number: FrameId,
        (frame, after): &Context,
        position: BoxPos,
        lanes: Lanes<W>,
        to: &mut Vec<(Context, Lanes<W>)>,
    ) -> Result<(), Stop> {
        self.evaluate(number, *frame, after)?;
        let View { terrain, family, .. } = self.view;
        let call = terrain.machine.boxes_of(family.component[*frame])[position.index()];
        for &(callee, among) in family.links(*frame, position) {
            let both = lanes & among;
            if !both.is_empty() {
                self.classify((number, *frame), call, callee, both);
                to.extend(self.classes.drain(..).map(|(bits, lanes)| ((callee, bits), lanes)));
            }
        }
        Ok(())
    }
}
