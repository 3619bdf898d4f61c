//! Repetitions in a run: where the same few moves are made over and over again.

/// The longest piece that is looked for, and how often it must occur.
const LONGEST: usize = 24;
const LEAST: usize = 3;

/// Finds stretches `[from, length, times]` in which a piece of `length` things occurs `times` times
/// in a row. They do not overlap, and come in order; a shorter piece goes before a longer one that
/// begins at the same place.
pub(super) fn folds<T: PartialEq>(things: &[T]) -> Vec<[usize; 3]> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < things.len() {
        let longest = LONGEST.min((things.len() - at) / LEAST);
        let fold = (1..=longest).find_map(|length| {
            // How far the rest agrees with itself, moved by the length.
            let rest = things[at + length..].iter().zip(&things[at..]);
            let probe = rest.clone().take(length * (LEAST - 1));
            if !probe.clone().all(|(a, b)| a == b) {
                return None;
            }
            let same = rest.take_while(|(a, b)| a == b).count();
            Some([at, length, same / length + 1])
        });
        match fold {
            Some([from, length, times]) => {
                found.push([from, length, times]);
                at += length * times;
            }
            None => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_found_and_nothing_else() {
        let folds = |text: &str| super::folds(text.as_bytes());
        assert_eq!(folds("abc"), [[0; 3]; 0]);
        assert_eq!(folds("abab"), [[0; 3]; 0]);
        assert_eq!(folds("xababab"), [[1, 2, 3]]);
        assert_eq!(folds("aaaabcbcbcbd"), [[0, 1, 4], [4, 2, 3]]);
        assert_eq!(folds("abcabcabca"), [[0, 3, 3]]);
    }

    #[test]
    fn folded_runs_can_be_unfolded() {
        let mut state = 1u64;
        for round in 0..300 {
            let mut things = Vec::new();
            for _ in 0..round % 40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let piece = (state >> 33) % 3;
                let times = if (state >> 40).is_multiple_of(4) { 5 } else { 1 };
                (0..times).for_each(|_| things.extend([piece, piece + 1]));
            }
            let mut end = 0;
            for [from, length, times] in super::folds(&things) {
                assert!(from >= end && length > 0 && times >= LEAST);
                end = from + length * times;
                let pieces = things[from..end].chunks(length);
                assert!(pieces.clone().all(|piece| *piece == things[from..from + length]));
            }
            assert!(end <= things.len());
        }
    }
}
