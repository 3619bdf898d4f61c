//! The colours of text output, as terminal escapes; the plain palette has none.

/// Escapes to print before a piece of text of each kind, and one to print after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// What is well.
    pub good: &'static str,
    /// What is wrong.
    pub bad: &'static str,
    /// What deserves a look.
    pub warning: &'static str,
    /// What explains the rest.
    pub note: &'static str,
    /// What may be skipped at first reading.
    pub dim: &'static str,
    /// What should stand out without being good or bad.
    pub strong: &'static str,
    /// Back to normal.
    pub reset: &'static str,
}

impl Palette {
    /// Text without escapes.
    pub const PLAIN: Palette =
        Palette { good: "", bad: "", warning: "", note: "", dim: "", strong: "", reset: "" };

    /// The usual sixteen colours, which every terminal has and users can redefine.
    pub const COLOURED: Palette = Palette {
        good: "\x1b[1;32m",
        bad: "\x1b[1;31m",
        warning: "\x1b[1;33m",
        note: "\x1b[1;36m",
        dim: "\x1b[2m",
        strong: "\x1b[1m",
        reset: "\x1b[0m",
    };

    /// The palette with or without colours.
    pub fn new(coloured: bool) -> Palette {
        if coloured { Palette::COLOURED } else { Palette::PLAIN }
    }
}
