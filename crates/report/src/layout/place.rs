//! Where items are in their rows: as near as can be to the mean of their neighbours.
//!
//! For a row whose items want to be somewhere, the places that keep the order and the room between
//! items and are off by the least squares are found by pooling: items that come too near to each
//! other become a block, whose place is the mean of what its items want. Links between bends pull
//! most, and in the end the bends of each edge are put below each other, so that long edges are
//! straight.

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
        let down = sweep % 2 == 0;
        // The last two sweeps look both ways.
        let both = sweep + 2 >= SWEEPS;
        let sight = Sight { above: down || both, below: !down || both };
        for i in 0..rows.len() {
            let row = &rows[if down { i } else { rows.len() - 1 - i }];
            let wishes = wishes(items, row, &centres, sight, meter)?;
            pool(items, row, &wishes, &mut centres);
        }
    }
    straighten(items, rows, &mut centres, meter)?;
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

/// Places the items of a row, each of which wants to be somewhere, by so much.
fn pool(items: &[Item], row: &[usize], wishes: &[(f64, f64)], centres: &mut [f64]) {
    let mut blocks: Vec<Block> = Vec::new();
    let mut offset = 0.0;
    for (i, (&item, &(wanted, weight))) in row.iter().zip(wishes).enumerate() {
        if i > 0 {
            offset += room(&items[row[i - 1]], &items[item]);
        }
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
}

/// Puts the bends of each edge below each other, as far as there is room: all of them want to be
/// where the middle one is.
fn straighten(
    items: &[Item],
    rows: &[Vec<usize>],
    centres: &mut [f64],
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let mut wanted = centres.to_vec();
    for (first, item) in items.iter().enumerate() {
        if !item.is_bend || items[item.above[0]].is_bend {
            continue;
        }
        let mut bends = Vec::new();
        let mut next = first;
        while items[next].is_bend {
            meter.tick()?;
            bends.push(next);
            next = items[next].below[0];
        }
        let mut places: Vec<f64> = bends.iter().map(|&bend| centres[bend]).collect();
        places.sort_by(f64::total_cmp);
        let middle = places[places.len() / 2];
        bends.into_iter().for_each(|bend| wanted[bend] = middle);
    }
    for row in rows {
        let weight = |item: usize| if items[item].is_bend { 4.0 } else { 2.0 };
        let wishes: Vec<(f64, f64)> =
            row.iter().map(|&item| (wanted[item], weight(item))).collect();
        meter.tick()?;
        pool(items, row, &wishes, centres);
    }
    Ok(())
}

/// Where the items of a row want to be, and how much.
fn wishes(
    items: &[Item],
    row: &[usize],
    centres: &[f64],
    sight: Sight,
    meter: &mut Meter<'_>,
) -> Result<Vec<(f64, f64)>, Limit> {
    row.iter().map(|&item| wish(items, item, centres, sight, meter)).collect()
}

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
