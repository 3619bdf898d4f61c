//! Why a check came to no good end: something is wrong, or a limit was reached.

use tern_model::Limit;

/// What is wrong with evidence, or with what is told about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{place}: {why}", .layer.map(|layer| format!("layer {layer}, ")).unwrap_or_default())]
pub struct Refusal {
    /// The layer of the evidence, if it is the fault of one.
    pub layer: Option<usize>,
    /// Where, in words.
    pub place: String,
    /// What is wrong there.
    pub why: String,
}

impl Refusal {
    pub(crate) fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Refusal { layer: None, place: place.into(), why: why.into() }
    }
}

/// Why a check came to no good end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// Something is wrong.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A limit was reached before everything was looked at.
    #[error("{0}")]
    Limit(Limit),
}

impl Stopped {
    /// The same, as the fault of a layer.
    pub(crate) fn in_layer(self, layer: usize) -> Self {
        match self {
            Stopped::Refused(refusal) => {
                Stopped::Refused(Refusal { layer: Some(layer), ..refusal })
            }
            Stopped::Limit(limit) => Stopped::Limit(limit),
        }
    }
}

impl From<Limit> for Stopped {
    fn from(limit: Limit) -> Self {
        Stopped::Limit(limit)
    }
}

/// An end of the check at something that is wrong.
pub(crate) fn refuse<T>(place: impl Into<String>, why: impl Into<String>) -> Result<T, Stopped> {
    Err(Refusal::new(place, why).into())
}

/// An end of the check, unless something is as it should be.
pub(crate) fn demand<P: Into<String>>(
    is_so: bool,
    place: impl FnOnce() -> P,
    why: &str,
) -> Result<(), Stopped> {
    if is_so { Ok(()) } else { refuse(place(), why) }
}

/// Why it is not known where a state leads.
pub(crate) enum Lack {
    /// Something that the evidence has to say is not there.
    Missing(&'static str),
    /// A limit was reached.
    Limit(Limit),
}

impl Lack {
    /// What that means for the check, which has come to a state.
    pub(crate) fn in_state(self, state: u32) -> Stopped {
        match self {
            Lack::Missing(why) => Refusal::new(format!("state {state}"), why).into(),
            Lack::Limit(limit) => limit.into(),
        }
    }
}

impl From<&'static str> for Lack {
    fn from(why: &'static str) -> Self {
        Lack::Missing(why)
    }
}

impl From<Limit> for Lack {
    fn from(limit: Limit) -> Self {
        Lack::Limit(limit)
    }
}
