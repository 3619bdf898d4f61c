//! The control flow of a program as a machine.
//!
//! # The machine
//! Each procedure that is reached is a component. It has an entry, a node for each step of its
//! code, and exits: one by which it returns, and those by which it throws. A call is a node that
//! steps into the component of its callee. Where a call may lead to several procedures it goes
//! through a *dispatch component*, one for each class and selector that calls name, which steps
//! into one of them: so a call takes one box however many targets it has. Code that cannot be
//! followed may return or throw, and may call back ([`Calls::callbacks`]), as often as it likes.
//!
//! A branch goes both ways: data is not looked at. Every run of the program, up to threads and what
//! [`Gaps`] counts, is a run of the machine; not the other way round.
//!
//! # Steps
//! With [`Options::every_step`] each statement and each jump but `goto` is a step. Without, a
//! statement that is no call and no event of the claims has no node of its own: it is deterministic
//! and does not change what holds. Branches, returns and throws always have nodes, and the last of
//! such statements between two events has one all the same: a claim may ask for what is neither of
//! them. So the machine stutters like the one with all steps: a row of configurations in which no
//! event is becomes a shorter one, but never an empty one, and stays endless if it was. Claims
//! without `X` therefore have the same verdicts, however many events there are, and so have those
//! that ask for the next step only where there is an event
//! ([`tern_front::vocabulary::Wanted::beside`]).
//!
//! # Events
//! A call that is an event of the claims is not entered. It may throw whatever its callees can.
//! An initialiser of a class runs at any use of it that may be the first, or has run before, if it
//! may come by an event; others are taken to succeed and not looked at.

mod bindings;
mod copies;
pub mod events;
mod inside;
mod labels;
mod lower;
mod maker;
pub mod names;
mod reaching;
pub mod silence;
mod thrown;

use crate::calls::{Calls, Why};
use events::Event;
use labels::{Labels, Reader};
use maker::{Found, Maker};
use reaching::Initialisers;
use rustc_hash::FxHashMap;
use tern_ir::{ProcId, Program};
use tern_model::index::Id;
use tern_model::{Budget, Limit, Machine};
use thrown::{Asked, Thrown};

/// How the control flow is to be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether `null`, bad indices and their like throw.
    pub implicit: bool,
    /// Whether code that cannot be followed only returns, and never throws.
    pub stubs_return: bool,
    /// Whether each statement is a step of its own: claims have `X`.
    pub every_step: bool,
}

/// What could not be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Calls that cannot be followed: why, what is called, and from how many places.
    pub stubs: Vec<(Why, String, usize)>,
    /// Classes that are named and missing.
    pub missing_classes: usize,
    /// Classes that lie below themselves.
    pub circular_classes: usize,
    /// Procedures that code which cannot be followed may call.
    pub callbacks: usize,
}

impl Gaps {
    /// What could not be followed in what is reached.
    pub fn new(program: &Program, calls: &Calls) -> Self {
        let mut times = vec![0; calls.references().len()];
        for &procedure in &calls.reached {
            calls.sites(procedure).iter().for_each(|site| times[site.index()] += 1);
        }
        let mut sites: FxHashMap<(Why, String), usize> = FxHashMap::default();
        for ((_, reference), &times) in calls.references().iter().zip(&times) {
            if times == 0 {
                continue;
            }
            if let Some(why) = reference.unknown {
                let class = program.text(reference.class);
                let name = names::member(program, class, reference.selector);
                *sites.entry((why, name)).or_default() += times;
            }
            let is_stub = |&&target: &&ProcId| calls.is_stub(program, target);
            for &target in reference.targets.iter().filter(is_stub) {
                *sites.entry((Why::Native, program.title(target))).or_default() += times;
            }
        }
        let mut stubs: Vec<(Why, String, usize)> =
            sites.into_iter().map(|((why, name), count)| (why, name, count)).collect();
        stubs.sort_unstable();
        Gaps {
            stubs,
            missing_classes: calls.hierarchy.missing().count(),
            circular_classes: calls.hierarchy.circular(),
            callbacks: calls.callbacks.len(),
        }
    }

    /// How many calls cannot be followed for a reason.
    pub fn count(&self, why: Why) -> usize {
        self.stubs.iter().filter(|stub| stub.0 == why).map(|stub| stub.2).sum()
    }
}

/// The machine of the control flow, and what is to be known of it.
#[derive(Debug)]
pub struct Made {
    /// The machine.
    pub machine: Machine,
    /// Whether parameters stand for themselves only, because there would be too many copies of
    /// procedures: then reads of parameters are not reads of arguments.
    pub not_renamed: bool,
}

/// The machine of the control flow, in which events are labels, each called as its claim does.
///
/// # Errors
/// When the budget runs out.
pub fn make(
    program: &Program,
    calls: &Calls,
    events: &[(String, Event)],
    options: Options,
    budget: &Budget,
) -> Result<Made, Limit> {
    let matched: Vec<Event> = events.iter().map(|(_, event)| event.clone()).collect();
    let labels = Labels::new(program, calls, &matched, budget)?;
    let mut initialisers = Initialisers::new(program, calls);
    let mut with_event = vec![false; program.procedures().len()];
    for &id in &calls.reached {
        with_event[id.index()] = has_event(program, calls, &labels, id);
    }
    let own = |id: ProcId| with_event[id.index()];
    let eventful = reaching::eventful(program, calls, &initialisers, own, budget)?;
    initialisers.retain(&eventful);
    let asked = Asked {
        program,
        calls,
        initialisers: &initialisers,
        implicit: options.implicit,
        stubs_throw: !options.stubs_return,
    };
    let thrown = Thrown::find(asked, budget)?;
    let entered = reaching::entered(program, calls, &labels, &initialisers, budget)?;
    let found = Found {
        program,
        calls,
        labels: &labels,
        thrown: &thrown,
        initialisers: &initialisers,
        entered: &entered,
        has_event: &with_event,
        events,
    };
    Ok(match Maker::new(found, options, false, budget).run()? {
        Some(machine) => Made { machine, not_renamed: false },
        None => {
            let machine = Maker::new(found, options, true, budget).run()?;
            Made { machine: machine.expect("nothing is copied"), not_renamed: true }
        }
    })
}

/// Whether a procedure itself has an event.
fn has_event(program: &Program, calls: &Calls, labels: &Labels, id: ProcId) -> bool {
    if !labels.enter.of(id).is_empty() || !labels.leave.of(id).is_empty() {
        return true;
    }
    let Some(body) = &program.procedures()[id].body else { return false };
    let called = calls.sites(id).iter().any(|&site| {
        let targets = &calls.references()[site].targets;
        !labels.calls.of(site).is_empty()
            || targets.iter().any(|&target| !labels.called.of(target).is_empty())
    });
    if called || !labels.of_statements() && !labels.of_throws() && !labels.of_lines() {
        return called;
    }
    let mut found = Vec::new();
    let reader = Reader { procedure: id, binding: &Vec::new() };
    body.statements.iter().zip(&body.places).any(|(statement, place)| {
        labels.of_statement(reader, body, statement, &mut found);
        found.extend(labels.at_line(body, place.line));
        !found.is_empty()
    }) || body.blocks.as_slice().iter().any(|block| {
        labels.of_jump(reader, &block.jump, &mut found);
        found.extend(labels.at_line(body, block.place.line));
        if let tern_ir::Jump::Throw(value) = block.jump
            && labels.of_throws()
        {
            for (class, _) in thrown::describe(program, body, value).classes {
                found.extend(labels.thrown(class));
            }
        }
        !found.is_empty()
    })
}
