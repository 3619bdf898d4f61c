//! Strong fairness: runs on which, for each of some pairs, one thing happens again and again if
//! another does (the acceptance condition of Streett).
//!
//! * [`split`] takes such pairs out of what is sought of a run, so that no automaton is made for
//!   them: each would double it.
//! * [`Fair`] is an automaton with fairness conditions. What must happen for a pair (its `then`)
//!   is a mark behind the others; what it must happen with (its `when`, the *premise*) is told of
//!   each letter.
//! * [`Net`] is what a search has found, the product of a program and such an automaton;
//!   [`Streett`] looks in it for a part that can be gone round for ever in a fair way.
//!
//! # The idea
//! A strongly connected part of the net that carries all marks that are asked for, and the mark of
//! each pair whose premise it has, can be gone round so that all of these come again and again. If
//! the mark of some pair is nowhere in it, a fair run that stays in the part has the premise of
//! that pair only finitely often. So what has the premise is taken out of the part: its own
//! places, and all ways through calls that have it. What is left falls into parts, and each is
//! looked at in the same way. At every stage one more pair is settled, so the stages are at most
//! as many as the pairs, and each costs about as much as the part and the callees that are stepped
//! over in it.
//!
//! Runs that go deeper for ever need no case of their own: calls that are never left are edges of
//! the net, as in [`graph`](crate::linear).
//!
//! # Source
//! Emerson, Lei: Modalities for model checking, branching time strikes back, POPL 1985, for finite
//! graphs. We depart: parts have summaries of calls for edges, which are found again without what
//! was taken out.

use tern_model::FormulaId;

/// The two sides of a pair, which speak of states.
pub(crate) type Sides = (FormulaId, FormulaId);

mod fair;
mod net;
mod split;

pub(crate) use fair::Fair;
pub(crate) use net::{Carried, Contracts, Core, Fate, Goal, Kind, Net, Part, Streett};
pub(crate) use split::{Split, not_too_many, split};
