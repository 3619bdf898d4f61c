//! The order of items in each row: by the mean position of neighbours, with the fewest crossings
//! of all orders that come up.

use super::Item;
use tern_model::Limit;
use tern_model::budget::Meter;

/// How often all rows are sorted.
const SWEEPS: usize = 8;

/// The rows, each from left to right. Nodes begin in the order in which a search came to them.
pub(super) fn order(
    items: &mut [Item],
    visited: &[usize],
    meter: &mut Meter<'_>,
) -> Result<Vec<Vec<usize>>, Limit> {
    let count = items.iter().map(|item| item.row + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut is_in = vec![false; items.len()];
    // The bends of a node's edges come right after it in the search.
    for &node in visited {
        for item in std::iter::once(node).chain(chain_below(items, node)) {
            meter.tick()?;
            if !std::mem::replace(&mut is_in[item], true) {
                rows[items[item].row].push(item);
            }
        }
    }
    for (item, is_in) in is_in.iter().enumerate() {
        if !is_in {
            rows[items[item].row].push(item); // bends of edges that were turned round
        }
    }
    let mut at = positions(&rows, items.len());
    let mut best = (crossings(items, &rows, &at, meter)?, rows.clone());
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for i in 0..count {
            let row = if down { i } else { count - 1 - i };
            sort(items, &mut rows[row], &mut at, down, meter)?;
        }
        let found = crossings(items, &rows, &at, meter)?;
        if found < best.0 {
            best = (found, rows.clone());
        } else if best.0 == 0 {
            break;
        }
    }
    Ok(best.1)
}

/// The bends below a node, edge by edge.
fn chain_below(items: &[Item], node: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for &first in &items[node].below {
        let mut next = first;
        while items[next].is_bend {
            found.push(next);
            next = items[next].below[0];
        }
    }
    found
}

fn positions(rows: &[Vec<usize>], count: usize) -> Vec<usize> {
    let mut at = vec![0; count];
    for row in rows {
        row.iter().enumerate().for_each(|(position, &item)| at[item] = position);
    }
    at
}

/// Sorts a row by the mean position of the neighbours in the row that was sorted before. What has
/// none there stays where it is.
fn sort(
    items: &[Item],
    row: &mut Vec<usize>,
    at: &mut [usize],
    down: bool,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let mut keyed: Vec<(f64, usize)> = Vec::with_capacity(row.len());
    for &item in row.iter() {
        meter.tick()?;
        let near = if down { &items[item].above } else { &items[item].below };
        let sum: usize = near.iter().map(|&other| at[other]).sum();
        let key = if near.is_empty() { at[item] as f64 } else { sum as f64 / near.len() as f64 };
        keyed.push((key, item));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    row.clear();
    row.extend(keyed.into_iter().map(|(_, item)| item));
    row.iter().enumerate().for_each(|(position, &item)| at[item] = position);
    Ok(())
}

/// How many pairs of links cross: for links in the order of their upper ends, those whose lower end
/// is to the left of an earlier one's, counted by a tree of sums.
fn crossings(
    items: &[Item],
    rows: &[Vec<usize>],
    at: &[usize],
    meter: &mut Meter<'_>,
) -> Result<u64, Limit> {
    let mut found = 0;
    for pair in rows.windows(2) {
        let mut sums = vec![0u64; pair[1].len() + 1];
        let mut seen = 0;
        for &item in &pair[0] {
            let mut ends: Vec<usize> = items[item].below.iter().map(|&to| at[to]).collect();
            ends.sort_unstable();
            for &end in &ends {
                meter.tick()?;
                let (mut left, mut i) = (0, end + 1);
                while i > 0 {
                    left += sums[i];
                    i &= i - 1;
                }
                found += seen - left;
            }
            for end in ends {
                seen += 1;
                let mut i = end + 1;
                while i < sums.len() {
                    sums[i] += 1;
                    i += i & i.wrapping_neg();
                }
            }
        }
    }
    Ok(found)
}
