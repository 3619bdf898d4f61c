//! Where items are in their rows: as near as can be to the mean of their neighbours.
//!
//! For a row whose items want to be somewhere, the places that keep the order and the room between
//! items and are off by the least squares are found by pooling: items that come too near to each
//! other become a block, whose place is the mean of what its items want. Links between bends pull
//! most, so that long edges are straight.

use super::{GAP, Item};
use tern_model::Limit;
use tern_model::budget::Meter;

/// How often all rows are placed.
const SWEEPS: usize = 8;

/// The middle of each item.
pub(super) fn place(
    items: &[Item],
    rows: &[Vec<usize>],
    meter: &mut Meter<'_>,
) -> Result<Vec<i32>, Limit> {
    let mut centres = vec![0.0; items.len()];
    for row in rows {
        let mut x = 0.0;
        for (i, &item) in row.iter().enumerate() {
            meter.tick()?;
            if i > 0 {
                x += room(&items[row[i - 1]], &items[item]);
            }
            centres[item] = x;
        }
        // Around the middle, from which the sweeps begin.
        row.iter().for_each(|&item| centres[item] -= x / 2.0);
    }
    for sweep in 0..SWEEPS {
        for i in 0..rows.len() {
            let down = sweep % 2 == 0;
            let row = if down { i } else { rows.len() - 1 - i };
            // The last two sweeps look both ways.
            let both = sweep + 2 >= SWEEPS;
            pool(
                items,
                &rows[row],
                &mut centres,
                Sight { above: down || both, below: !down || both },
                meter,
            )?;
        }
    }
    let left = rows.iter().filter_map(|row| row.first());
    let left = left.map(|&item| centres[item] - f64::from(items[item].width) / 2.0);
    let shift = f64::from(GAP) - left.fold(f64::INFINITY, f64::min);
    // Rounded up, all of them: distances of whole numbers stay.
    Ok(centres.iter().map(|&x| (x + shift).ceil() as i32).collect())
}

/// The distance that the middles of two neighbours keep at least.
fn room(left: &Item, right: &Item) -> f64 {
    let gap = match (left.is_bend, right.is_bend) {
        (true, true) => GAP / 3,
        (true, false) | (false, true) => GAP / 2,
        (false, false) => GAP,
    };
    // An odd width has its middle half a point off; one more for that.
    f64::from((left.width + right.width + 1) / 2 + gap + 1)
}

/// Which neighbours are looked at.
#[derive(Clone, Copy)]
struct Sight {
    above: bool,
    below: bool,
}

/// Items that stand as close as they may, and the place that they want together, seen from the
/// first of the row.
struct Block {
    weight: f64,
    wanted: f64,
    count: usize,
}

fn pool(
    items: &[Item],
    row: &[usize],
    centres: &mut [f64],
    sight: Sight,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut offset = 0.0;
    for (i, &item) in row.iter().enumerate() {
        if i > 0 {
            offset += room(&items[row[i - 1]], &items[item]);
        }
        let (wanted, weight) = wish(items, item, centres, sight, meter)?;
        let mut block = Block { weight, wanted: wanted - offset, count: 1 };
        while let Some(before) = blocks.pop_if(|before| before.wanted > block.wanted) {
            let weight = before.weight + block.weight;
            block.wanted = (before.wanted * before.weight + block.wanted * block.weight) / weight;
            block.weight = weight;
            block.count += before.count;
        }
        blocks.push(block);
    }
    let mut offset = 0.0;
    let mut i = 0;
    for block in blocks {
        for _ in 0..block.count {
            if i > 0 {
                offset += room(&items[row[i - 1]], &items[row[i]]);
            }
            centres[row[i]] = block.wanted + offset;
            i += 1;
        }
    }
    Ok(())
}

/// Where an item wants to be, and how much.
fn wish(
    items: &[Item],
    item: usize,
    centres: &[f64],
    sight: Sight,
    meter: &mut Meter<'_>,
) -> Result<(f64, f64), Limit> {
    let (mut sum, mut weight) = (0.0, 0.0);
    let Item { above, below, is_bend, .. } = &items[item];
    let sides = [(sight.above, above), (sight.below, below)];
    for &other in sides.iter().filter(|(seen, _)| *seen).flat_map(|(_, near)| near.iter()) {
        meter.tick()?;
        let pull = match (is_bend, items[other].is_bend) {
            (true, true) => 8.0,
            (true, false) | (false, true) => 2.0,
            (false, false) => 1.0,
        };
        sum += pull * centres[other];
        weight += pull;
    }
    Ok(match weight {
        0.0 => (centres[item], 0.1),
        _ => (sum / weight, weight),
    })
}
