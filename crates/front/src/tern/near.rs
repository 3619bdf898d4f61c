//! Finds the name that was probably meant by one that does not exist.

/// How many names are compared; a hint is not worth more.
const MOST_CANDIDATES: usize = 10_000;
/// Longer names are not compared: the cost grows with the square of their length.
const MOST_LETTERS: usize = 100;

/// The candidate with the fewest single-letter changes from `name`, if they are few.
pub(super) fn nearest<'n>(
    name: &str,
    candidates: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    let letters: Vec<char> = name.chars().take(MOST_LETTERS + 1).collect();
    let allowed = letters.len().div_ceil(3).min(2);
    candidates
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 4 * allowed)
        .filter_map(|candidate| Some((distance(&letters, candidate)?, candidate)))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, removed or replaced; nothing if a name is too long.
fn distance(name: &[char], other: &str) -> Option<usize> {
    let other: Vec<char> = other.chars().take(MOST_LETTERS + 1).collect();
    if name.len().max(other.len()) > MOST_LETTERS {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in name.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, candidate) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != candidate);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised() {
        let names = ["start", "stop", "n1", "loop_head"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("strat"), Some("start"));
        assert_eq!(near("n2"), Some("n1"));
        assert_eq!(near("loophead"), Some("loop_head"));
        assert_eq!(near("finish"), None);
        assert_eq!(near(""), None);
        assert_eq!(nearest(&"x".repeat(500), ["x".repeat(499).as_str()].into_iter()), None);
    }
}
