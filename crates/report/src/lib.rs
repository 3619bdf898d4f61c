//! Outcomes and facts as text for people.
//!
//! Nothing here decides anything: what is printed was concluded elsewhere. Nothing here opens a
//! file or knows a terminal either; text is made for any `fmt::Write`, coloured if a
//! [`Palette`] with colours is given.
//!
//! ```
//! use tern_model::{Claim, Formula, Formulas, Outcome, Verdict};
//! use tern_report::text::{self, Detail};
//!
//! let mut formulas = Formulas::new();
//! let p = formulas.atom("p");
//! let always = formulas.make(Formula::Globally(p));
//! let claim = Claim { name: Some("safe".to_owned()), ..Claim::new(always) };
//! let answer = Outcome::from(Verdict::Holds).into();
//! let mut lines = String::new();
//! text::answer(&mut lines, None, &formulas, &claim, &answer, Detail::default())?;
//! assert_eq!(lines, "holds    safe: G p\n");
//! let both = [Verdict::Holds, Verdict::Fails];
//! assert_eq!(text::summary(both.iter()), "2 claims: 1 holds, 1 fails");
//! # Ok::<(), std::fmt::Error>(())
//! ```

pub mod calls;
pub mod certified;
pub mod dot;
pub mod flow;
pub mod html;
pub mod info;
pub mod layout;
pub mod nusmv;
pub mod picture;
pub mod story;
pub mod svg;
pub mod table;
pub mod text;
pub mod used;

pub use tern_model::{Palette, brief, visible};

/// A count with its noun, in the plural if need be: `1 node`, `3 nodes`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The first `most` of some names, separated by commas, and how many more there are.
pub fn listed(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let left_off = names.len().saturating_sub(most);
    let mut text = names.take(most).collect::<Vec<_>>().join(", ");
    if left_off > 0 {
        text.push_str(&format!(" and {left_off} more"));
    }
    text
}
