//! Words that the messages of all readers share: names in a row, and the name that was probably
//! meant.
//!
//! A name is near if few letters differ (edit distance, at most 3 and at most a third of the
//! name, rounded up). The search spends from a purse of steps and gives up in silence when it is
//! empty, so that a file full of mistakes in a component full of names is still refused quickly.

/// Steps that one reader may spend on hints altogether; about 20 ms.
const PURSE: usize = 10_000_000;

/// A search for near names, with what it may still spend.
#[derive(Debug)]
pub struct Nearest {
    steps_left: usize,
    row: Vec<usize>,
}

impl Default for Nearest {
    fn default() -> Self {
        Self::new()
    }
}

impl Nearest {
    /// A search with a full purse.
    pub fn new() -> Self {
        Nearest { steps_left: PURSE, row: Vec::new() }
    }

    /// The nearest of `names` to `wanted`, the first of several; `None` if none is near. A name
    /// that differs only in capitals is the nearest.
    pub fn among<'n>(
        &mut self,
        wanted: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let mut best = None;
        // Only what is better than the best so far is of interest.
        let mut bound = wanted.chars().count().div_ceil(3).clamp(1, 3) + 1;
        for name in names {
            if self.steps_left == 0 {
                break;
            }
            if name != wanted && name.eq_ignore_ascii_case(wanted) {
                return Some(name);
            }
            if bound > 1
                && let Some(distance) = self.distance_below(bound, wanted, name)
            {
                bound = distance;
                best = Some(name);
            }
        }
        best
    }

    /// The edit distance of two different names, if it is less than `bound`.
    fn distance_below(&mut self, bound: usize, a: &str, b: &str) -> Option<usize> {
        self.steps_left = self.steps_left.saturating_sub(1 + a.len().min(b.len()) / 16);
        let difference = a.len().abs_diff(b.len());
        if difference >= 4 * bound {
            return None;
        }
        if a.is_ascii() && b.is_ascii() {
            return self.letters_below(bound, a.as_bytes(), b.as_bytes());
        }
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        self.letters_below(bound, &a, &b)
    }

    fn letters_below<L: PartialEq>(&mut self, bound: usize, a: &[L], b: &[L]) -> Option<usize> {
        // Names that share no letter are not near, however short they are.
        let bound = bound.min(a.len().max(b.len()));
        if a.len().abs_diff(b.len()) >= bound {
            return None;
        }
        let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[front..], &b[front..]);
        let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[..a.len() - back], &b[..b.len() - back]);
        let steps = a.len() * b.len();
        if steps > self.steps_left {
            self.steps_left = 0;
            return None;
        }
        self.steps_left -= steps;
        self.row.clear();
        self.row.extend(0..=b.len());
        for (i, x) in a.iter().enumerate() {
            // What is `bound` off the diagonal is at least that far away.
            let (from, to) = (i.saturating_sub(bound), (i + bound + 1).min(b.len()));
            let mut diagonal = std::mem::replace(&mut self.row[from], i + 1);
            let mut least = i + 1;
            for (j, y) in (from..to).zip(&b[from..to]) {
                let above = self.row[j + 1];
                let here = (diagonal + usize::from(x != y)).min(above + 1).min(self.row[j] + 1);
                self.row[j + 1] = here;
                diagonal = above;
                least = least.min(here);
            }
            if least >= bound {
                return None;
            }
        }
        let distance = self.row[b.len()];
        (distance > 0 && distance < bound).then_some(distance)
    }
}

/// The hint for a name that does not exist but resembles one that does.
pub(crate) fn did_you_mean(near: Option<&str>) -> Option<String> {
    near.map(|name| format!("did you mean `{name}`?"))
}

/// "`a`, `b` and `c`"; of many names only the first `most`. Empty if there are none.
pub(crate) fn listed<'n>(most: usize, names: impl Iterator<Item = &'n str>) -> String {
    let mut shown = Vec::new();
    let mut more = 0;
    for name in names {
        if shown.len() < most {
            shown.push(format!("`{name}`"));
        } else {
            more += 1;
        }
    }
    let last = match more {
        0 => shown.pop().unwrap_or_default(),
        _ => format!("{more} more"),
    };
    if shown.is_empty() { last } else { format!("{} and {last}", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let mut nearest = Nearest::new();
        let names = ["start", "stop", "middle", "grüße"];
        assert_eq!(nearest.among("strat", names), Some("start"));
        assert_eq!(nearest.among("sprat", names), None, "three letters of five differ");
        assert_eq!(nearest.among("stat", names), Some("start"));
        assert_eq!(nearest.among("midle", names), Some("middle"));
        assert_eq!(nearest.among("grüsse", names), Some("grüße"));
        assert_eq!(nearest.among("end", names), None);
        assert_eq!(nearest.among("n1", ["n2"]), Some("n2"));
        assert_eq!(nearest.among("a", ["b", "a1"]), Some("a1"));
        assert_eq!(nearest.among("a", ["b"]), None, "they have nothing in common");
        assert_eq!(nearest.among("", names), None);
        assert_eq!(nearest.among("STOP", names), Some("stop"));
        assert_eq!(nearest.among("Stop", ["Stoq", "stop"]), Some("stop"), "capitals only");
    }

    #[test]
    fn distances_are_those_of_the_whole_table() {
        fn whole(a: &[char], b: &[char]) -> usize {
            let mut row: Vec<usize> = (0..=b.len()).collect();
            for (i, x) in a.iter().enumerate() {
                let mut diagonal = std::mem::replace(&mut row[0], i + 1);
                for (j, y) in b.iter().enumerate() {
                    let here = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                    diagonal = std::mem::replace(&mut row[j + 1], here);
                }
            }
            row[b.len()]
        }
        let mut rng = fastrand::Rng::with_seed(7);
        let mut nearest = Nearest::new();
        let mut near = 0;
        for round in 0..20_000 {
            let letters: &[char] = if round % 2 == 0 { &['a', 'b'] } else { &['a', 'b', 'ü'] };
            let mut name = || -> Vec<char> {
                (0..rng.usize(0..9)).map(|_| letters[rng.usize(..letters.len())]).collect()
            };
            let (a, b) = (name(), name());
            let (distance, longest) = (whole(&a, &b), a.len().max(b.len()));
            let [text_a, text_b] = [&a, &b].map(|name| name.iter().collect::<String>());
            nearest.steps_left = PURSE;
            for bound in 1..5 {
                let expected = (1..bound.min(longest)).contains(&distance).then_some(distance);
                near += usize::from(expected.is_some());
                assert_eq!(
                    nearest.distance_below(bound, &text_a, &text_b),
                    expected,
                    "{a:?} {b:?}"
                );
            }
        }
        assert!(near > 1000, "only {near} were near");
    }

    #[test]
    fn an_empty_purse_gives_no_hint() {
        let mut nearest = Nearest { steps_left: 0, row: Vec::new() };
        assert_eq!(nearest.among("stat", ["start"]), None);
    }
}
