//! Which heads can be reached, in which control states each can pop its symbol, and which belong
//! together.
//!
//! Heads are found forward from the start; that a head *pops in r* is found backward from the pops:
//! ```text
//! p <g> --> r <>           (p, g) pops in r
//! p <g> --> q <h>          (p, g) pops in whatever (q, h) pops in
//! p <g> --> q <h g' v>     if (q, h) pops in r, the head (r, g') is reached; if v is empty, (p, g)
//!                          pops in whatever it pops in; else the same is asked again of (r, g')
//!                          and v
//! ```
//! Both go on in turns until nothing is new, so that only heads are found that some run reaches.
//! Two heads are *joined* if one follows the other on the same level of the stack: by a step, or
//! after a call has come back. The classes are the components of the machine.
//!
//! # Why it ends, and when
//! Every rule of a reached head is looked at once, and each thing that follows from a call once for
//! each control state in which its callee pops. So the time is linear in rules times control states
//! in which one and the same head pops, of which most systems have few.

use super::{ControlId, Head, Push, Right, Rules, WordId, Words};
use crate::problem::Refusal;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use tern_model::budget::Meter;
use tern_model::index::{Id, Numbering, Table};

tern_model::indices! {
    /// A head that is reached.
    pub(crate) HeadId = "h";
}

/// What a rule does, or what follows when a call has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// Goes to a head.
    Step(HeadId),
    /// Goes to a head, with a word below it.
    Call(HeadId, WordId),
    /// Pops, in a control state.
    Pop(ControlId),
}

/// What goes on when a head has popped its symbol: some head of the level below, or, where that is
/// none, the rest of the stack of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Caller {
    pub(crate) head: Option<HeadId>,
    pub(crate) word: WordId,
}

/// The heads that are reached.
#[derive(Debug)]
pub(crate) struct Heads {
    heads: Numbering<HeadId, Head>,
    /// What the rules of each do, in the order of the rules, without repetition.
    pub(crate) actions: Table<HeadId, Vec<Action>>,
    /// The control states in which each pops.
    pub(crate) pops: Table<HeadId, Vec<ControlId>>,
    /// Who has called each.
    pub(crate) callers: Table<HeadId, Vec<Caller>>,
    /// Where the system starts.
    pub(crate) starts: Vec<(HeadId, Option<WordId>)>,
    /// The classes of heads that are joined, as a forest.
    parent: Table<HeadId, HeadId>,
}

impl Heads {
    /// All heads, in the order in which they were found.
    pub(crate) fn all(&self) -> &Table<HeadId, Head> {
        self.heads.rows()
    }

    /// The id of a head, if it is reached.
    pub(crate) fn find(&self, head: Head) -> Option<HeadId> {
        self.heads.find(&head)
    }

    /// The head that stands for the class of a head.
    pub(crate) fn class(&mut self, head: HeadId) -> HeadId {
        let mut at = head;
        while self.parent[at] != at {
            // Halves the path.
            let above = self.parent[self.parent[at]];
            self.parent[at] = above;
            at = above;
        }
        at
    }

    /// What follows when a word comes to light in a control state in which what was above it can
    /// pop.
    pub(crate) fn after(&self, words: &Words, word: WordId, control: ControlId) -> Action {
        let (symbol, rest) = words.split(word);
        let head = self.find(Head { control, symbol });
        let head = head.unwrap_or_else(|| unreachable!("what follows a pop is reached"));
        rest.map_or(Action::Step(head), |rest| Action::Call(head, rest))
    }
}

/// Finds all heads that are reached.
///
/// # Errors
/// That the system is too large, or a limit.
pub(crate) fn explore(rules: &mut dyn Rules, meter: &mut Meter<'_>) -> Result<Heads, Refusal> {
    let mut explorer = Explorer {
        found: Heads {
            heads: Numbering::default(),
            actions: Table::new(),
            pops: Table::new(),
            callers: Table::new(),
            starts: Vec::new(),
            parent: Table::new(),
        },
        flows: Table::new(),
        known: FxHashSet::default(),
        called: FxHashSet::default(),
        facts: VecDeque::new(),
        pending: Vec::new(),
    };
    for (head, below) in rules.starts(meter)? {
        let head = explorer.head(head);
        explorer.found.starts.push((head, below));
        if let Some(word) = below {
            explorer.pending.push((None, Action::Call(head, word)));
        }
    }
    let mut rights = Vec::new();
    loop {
        if let Some((owner, action)) = explorer.pending.pop() {
            meter.tick()?;
            explorer.attach(rules.words(), owner, action, meter)?;
        } else if explorer.found.actions.len() < explorer.found.heads.rows().len() {
            meter.tick()?;
            let head = explorer.found.actions.next_id();
            rights.clear();
            rules.rules_of(explorer.found.heads[head], &mut rights, meter)?;
            explorer.expand(head, &rights);
        } else if let Some((head, control)) = explorer.facts.pop_front() {
            explorer.pass_on(rules.words(), head, control, meter)?;
        } else {
            return Ok(explorer.found);
        }
    }
}

struct Explorer {
    found: Heads,
    /// The heads that pop in whatever this one pops in.
    flows: Table<HeadId, Vec<HeadId>>,
    /// That heads pop in control states, as far as it is known.
    known: FxHashSet<(HeadId, ControlId)>,
    /// The calls that came from others having come back.
    called: FxHashSet<(HeadId, Caller)>,
    /// What is known and has not been passed on.
    facts: VecDeque<(HeadId, ControlId)>,
    /// What heads were found to do, and has not been looked at.
    pending: Vec<(Option<HeadId>, Action)>,
}

impl Explorer {
    fn head(&mut self, head: Head) -> HeadId {
        let id = self.found.heads.id(head);
        if id.index() == self.flows.len() {
            self.flows.push(Vec::new());
            self.found.pops.push(Vec::new());
            self.found.callers.push(Vec::new());
            self.found.parent.push(id);
        }
        id
    }

    /// Takes down what the rules of a head do.
    fn expand(&mut self, head: HeadId, rights: &[Right]) {
        let mut actions = Vec::with_capacity(rights.len());
        let mut seen = FxHashSet::default();
        for &Right { control, push } in rights {
            let action = match push {
                Push::Nothing => Action::Pop(control),
                Push::One(symbol) => Action::Step(self.head(Head { control, symbol })),
                Push::More(symbol, word) => Action::Call(self.head(Head { control, symbol }), word),
            };
            if rights.len() == 1 || seen.insert(action) {
                actions.push(action);
            }
        }
        self.pending.extend(actions.iter().rev().map(|&action| (Some(head), action)));
        self.found.actions.push(actions);
    }

    /// Draws the conclusions from something that a head does on its level.
    fn attach(
        &mut self,
        words: &Words,
        owner: Option<HeadId>,
        action: Action,
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal> {
        match (action, owner) {
            (Action::Pop(control), Some(owner)) => self.pops(owner, control),
            (Action::Step(to), Some(owner)) => {
                self.join(owner, to);
                self.flows[to].push(owner);
                for i in 0..self.found.pops[to].len() {
                    meter.tick()?;
                    self.pops(owner, self.found.pops[to][i]);
                }
            }
            (Action::Call(callee, word), head) => {
                let caller = Caller { head, word };
                if self.called.insert((callee, caller)) {
                    self.found.callers[callee].push(caller);
                    for i in 0..self.found.pops[callee].len() {
                        meter.tick()?;
                        self.come_back(words, caller, self.found.pops[callee][i]);
                    }
                }
            }
            // Below the start there is nothing that could be told.
            (Action::Pop(_) | Action::Step(_), None) => {}
        }
        Ok(())
    }

    /// Notes that a head pops in a control state.
    fn pops(&mut self, head: HeadId, control: ControlId) {
        if self.known.insert((head, control)) {
            self.found.pops[head].push(control);
            self.facts.push_back((head, control));
        }
    }

    fn come_back(&mut self, words: &Words, caller: Caller, control: ControlId) {
        let (symbol, rest) = words.split(caller.word);
        let head = self.head(Head { control, symbol });
        let action = rest.map_or(Action::Step(head), |rest| Action::Call(head, rest));
        self.pending.push((caller.head, action));
    }

    /// Tells all whom it concerns that a head pops in a control state.
    fn pass_on(
        &mut self,
        words: &Words,
        head: HeadId,
        control: ControlId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Refusal> {
        for i in 0..self.flows[head].len() {
            meter.tick()?;
            self.pops(self.flows[head][i], control);
        }
        for i in 0..self.found.callers[head].len() {
            meter.tick()?;
            self.come_back(words, self.found.callers[head][i], control);
        }
        Ok(())
    }

    fn join(&mut self, one: HeadId, other: HeadId) {
        let (one, other) = (self.found.class(one), self.found.class(other));
        // The class is called by its first head.
        let (first, second) = (one.min(other), one.max(other));
        self.found.parent[second] = first;
    }
}
