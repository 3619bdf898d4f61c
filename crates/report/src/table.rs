//! Several models in one table: how many claims of each hold, fail and are unknown.

use crate::{Palette, counted, visible};

/// What became of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// What the model is called.
    pub model: &'a str,
    /// What was concluded.
    pub verdicts: Verdicts,
}

/// What was concluded on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// So many claims have each verdict.
    Known {
        /// How many hold.
        holds: usize,
        /// How many fail.
        fails: usize,
        /// How many are unknown.
        unknown: usize,
    },
    /// There was no claim.
    None,
    /// It could not be read.
    Refused,
}

/// The sums of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Sums {
    /// How many models there are.
    pub models: usize,
    /// How many of them could not be read.
    pub refused: usize,
    /// How many claims were looked at.
    pub claims: usize,
    /// How many of them hold.
    pub holds: usize,
    /// How many fail.
    pub fails: usize,
    /// How many are unknown.
    pub unknown: usize,
}

impl Sums {
    /// The sums of some rows.
    pub fn of(rows: &[Row<'_>]) -> Self {
        rows.iter().fold(Sums::default(), |mut sums, row| {
            sums.models += 1;
            match row.verdicts {
                Verdicts::Known { holds, fails, unknown } => {
                    sums.claims += holds + fails + unknown;
                    sums.holds += holds;
                    sums.fails += fails;
                    sums.unknown += unknown;
                }
                Verdicts::None => {}
                Verdicts::Refused => sums.refused += 1,
            }
            sums
        })
    }
}

/// The table, and a line with the sums.
pub fn text(rows: &[Row<'_>], palette: Palette) -> String {
    let Palette { good, bad, warning, strong, reset, .. } = palette;
    let wide = |row: &Row<'_>| visible(row.model).chars().count();
    let width = rows.iter().map(wide).max().unwrap_or(0).max("model".len());
    let mut text = format!(
        "{strong}{:width$}{reset}  {:>6}  {:>6}  {:>7}\n",
        "model", "holds", "fails", "unknown"
    );
    let cell = |count: usize, wide: usize, colour: &str| {
        let shown = if count == 0 { "-".to_owned() } else { count.to_string() };
        let pad = " ".repeat(wide - shown.len().min(wide));
        if count == 0 { format!("{pad}{shown}") } else { format!("{pad}{colour}{shown}{reset}") }
    };
    for row in rows {
        text += &format!("{}{}  ", visible(row.model), " ".repeat(width - wide(row)));
        text += &match row.verdicts {
            Verdicts::Known { holds, fails, unknown } => {
                let [holds, fails] = [cell(holds, 6, good), cell(fails, 6, bad)];
                format!("{holds}  {fails}  {}", cell(unknown, 7, warning))
            }
            Verdicts::None => "no claims".to_owned(),
            Verdicts::Refused => format!("{bad}not read{reset}"),
        };
        text.push('\n');
    }
    text + &sums(rows) + "\n"
}

/// The sums in one line: `3 models, 4 claims: 2 hold, 1 fails, 1 unknown; 1 model was not read`.
fn sums(rows: &[Row<'_>]) -> String {
    let Sums { models, refused, claims, holds, fails, unknown } = Sums::of(rows);
    let verb = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let parts = [
        verb(holds, "holds", "hold"),
        verb(fails, "fails", "fail"),
        verb(unknown, "unknown", "unknown"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let mut text = format!("{}, {}", counted(models, "model"), counted(claims, "claim"));
    if !parts.is_empty() {
        text += &format!(": {}", parts.join(", "));
    }
    if refused > 0 {
        let was = if refused == 1 { "was" } else { "were" };
        text += &format!("; {} {was} not read", counted(refused, "model"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_row_and_all_are_summed_up() {
        let known = |holds, fails, unknown| Verdicts::Known { holds, fails, unknown };
        let rows = [
            Row { model: "a.tern", verdicts: known(2, 1, 0) },
            Row { model: "dir/\u{202e}b.rsm", verdicts: known(0, 0, 12) },
            Row { model: "c.tern", verdicts: Verdicts::None },
            Row { model: "d.tern", verdicts: Verdicts::Refused },
        ];
        let expected = "\
model               holds   fails  unknown
a.tern                  2       1        -
dir/\\u{202e}b.rsm       -       -       12
c.tern             no claims
d.tern             not read
4 models, 15 claims: 2 hold, 1 fails, 12 unknown; 1 model was not read
";
        assert_eq!(text(&rows, Palette::PLAIN), expected);
    }
}
