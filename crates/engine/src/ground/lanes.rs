//! Three-valued truth in two lanes: what is sure, and what may be.

use tern_model::Tri;

/// The lane of what is sure.
pub(crate) const SURE: usize = 0;
/// The lane of what may be.
pub(crate) const MAYBE: usize = 1;

/// The three-valued truth of what is sure and what may be.
pub(crate) fn tri([sure, maybe]: [bool; 2]) -> Tri {
    match (sure, maybe) {
        (true, _) => Tri::True,
        (false, true) => Tri::Unknown,
        (false, false) => Tri::False,
    }
}

/// The answer at each initial node, if the claim is decided. One node at which it is false decides
/// it; the others are then called true unless they are known to be false.
pub(crate) fn answer(values: &[Tri]) -> Option<Vec<bool>> {
    if values.contains(&Tri::False) {
        return Some(values.iter().map(|&value| value != Tri::False).collect());
    }
    values.iter().map(|value| value.known()).collect()
}
