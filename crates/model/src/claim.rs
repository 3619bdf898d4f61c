//! Claims: formulas with the names and places they have in a file.

use crate::index::FormulaId;
use crate::logic::Formulas;
use crate::span::Span;

/// One formula that is claimed of a machine.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The name given to it, if any.
    pub name: Option<String>,
    /// The formula, in [`Claims::formulas`].
    pub formula: FormulaId,
    /// Where the whole formula stands in its source.
    pub span: Span,
    /// Where each occurrence of a subformula stands, innermost first.
    pub spans: Vec<(FormulaId, Span)>,
}

/// Claims that share an arena of formulas.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Where the formulas of the claims live.
    pub formulas: Formulas,
    /// The claims, in the order in which they were written.
    pub list: Vec<Claim>,
    /// State formulas that hold again and again on the paths that the claims are about.
    pub fair: Vec<FormulaId>,
    /// Where each occurrence of a subformula of these stands, innermost first.
    pub fair_spans: Vec<(FormulaId, Span)>,
}

impl Claims {
    /// No claims.
    pub fn new() -> Self {
        Self::default()
    }
}
