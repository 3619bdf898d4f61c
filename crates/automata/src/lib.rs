//! Automata for path formulas.
//!
//! * [`simplify()`]: an equivalent formula in negation normal form that is easier to translate.
//! * [`Tableau`]: an automaton whose states are made on demand, by unfolding obligations of the
//!   formula as it is written.
//! * [`translate()`]: a small automaton with all its states; generalised Büchi, marks on
//!   transitions.
//! * [`degeneralise`] and [`to_state_based`]: the same with one mark, on transitions or on states.
//!
//! * [`Complement`]: accepts exactly what an automaton does not; made on demand.
//!
//! * [`Reader`]: reads letters by an automaton, equal ones once.
//!
//! All take atoms, and formulas that begin with a path quantifier, for propositions.
//!
//! ```
//! use tern_model::{Budget, Formula, Formulas};
//!
//! // G F p: p again and again.
//! let mut formulas = Formulas::new();
//! let p = formulas.atom("p");
//! let later = formulas.make(Formula::Finally(p));
//! let again = formulas.make(Formula::Globally(later));
//! let automaton = tern_automata::translate(&mut formulas, again, &Budget::unlimited())?;
//! assert_eq!((automaton.transitions.len(), automaton.mark_count), (1, 1));
//! # Ok::<(), tern_model::Limit>(())
//! ```

mod bdd;
mod binary;
mod complement;
mod counter;
mod determinise;
mod expand;
mod graph;
mod implication;
mod junctions;
mod levels;
mod marks;
mod prune;
mod reader;
mod rules;
mod scc;
mod simplify;
mod simulate;
mod tableau;
mod translate;
mod unary;
mod weak;

pub use complement::Complement;
pub use reader::{LetterId, Letters, Reader, Step, join_parallel};
pub use simplify::simplify;
pub use tableau::Tableau;
pub use tableau::closure;
pub use translate::{degeneralise, to_state_based, translate, translate_state_based};
