//! What an SMV text says, as it is written: modules with their declarations, and expressions.
//!
//! Expressions are rows of one table in which operands come before what they belong to, and the
//! rows of one expression lie together: whoever goes over an expression goes over a range of rows.

use tern_model::index::Table;
use tern_model::names::Interner;
use tern_model::{Span, indices};

indices! {
    /// A row of the table of expressions.
    pub(super) ExprId = "e";
    /// A name as it is written.
    pub(super) NameId = "w";
    /// A module.
    pub(super) ModuleId = "m";
}

/// A whole expression: its first row and its last, which is its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Whole {
    pub(super) first: ExprId,
    pub(super) root: ExprId,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary {
    Not,
    Minus,
    Abs,
    Bool,
    Toint,
    /// `next(…)`; the rows of its operand know that they are inside.
    Next,
    Ex,
    Ax,
    Ef,
    Af,
    Eg,
    Ag,
    X,
    F,
    G,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Implies,
    Iff,
    Or,
    Xor,
    Xnor,
    And,
    Equal,
    NotEqual,
    Less,
    Greater,
    AtMost,
    AtLeast,
    In,
    Union,
    Plus,
    Minus,
    Times,
    Divide,
    Mod,
    Min,
    Max,
    /// `U` and `V` of linear time.
    Until,
    Release,
    /// `E [ p U q ]` and `A [ p U q ]`.
    ExistsUntil,
    AllUntil,
}

/// Operators with bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bounded {
    Ebf,
    Abf,
    Ebg,
    Abg,
    F,
    G,
    ExistsUntil,
    AllUntil,
}

/// One row: an operator, and its operands.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    True,
    False,
    Number(i64),
    Name(NameId),
    SelfWord,
    /// `a.b`
    Dot(ExprId, NameId),
    /// `a[i]`
    Index(ExprId, ExprId),
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    If(ExprId, ExprId, ExprId),
    /// Conditions with results.
    Case(Box<[(ExprId, ExprId)]>),
    /// `{a, b}` with two members or more; `{a}` is `a`.
    Set(Box<[ExprId]>),
    /// `2..5`
    Range(i64, i64),
    Count(Box<[ExprId]>),
    /// The bounds, and one operand or two.
    Bounded(Bounded, (i64, i64), ExprId, Option<ExprId>),
}

/// A row with its place.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) expr: Expr,
    pub(super) span: Span,
    /// Whether it stands inside `next(…)`.
    pub(super) in_next: bool,
}

/// The type of a variable.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Boolean,
    /// The bounds are constant expressions.
    Range(Whole, Whole),
    Enumeration(Vec<(Member, Span)>),
    Array(Whole, Whole, Box<Type>),
    Module(InstanceType),
    /// Something that was reported.
    Broken,
}

/// An instance of a module, with its arguments.
#[derive(Clone, Debug)]
pub(super) struct InstanceType {
    pub(super) module: NameId,
    pub(super) span: Span,
    pub(super) arguments: Vec<Whole>,
    /// Whether it takes its steps alone, by turns with others.
    pub(super) is_process: bool,
}

/// One value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Name(NameId),
    Number(i64),
    Truth(bool),
}

/// How a variable comes by its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VarKind {
    State,
    Frozen,
    Input,
}

#[derive(Clone, Debug)]
pub(super) struct VarDecl {
    pub(super) kind: VarKind,
    pub(super) name: NameId,
    pub(super) span: Span,
    pub(super) of: Type,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Define {
    /// The instance that it is a name of, if it is not the one it is written in.
    pub(super) owner: Option<Whole>,
    pub(super) name: NameId,
    pub(super) span: Span,
    pub(super) body: Whole,
}

/// What an assignment says: the initial value, the next one, or that of every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum When {
    Init,
    Next,
    Always,
}

#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) when: When,
    pub(super) target: Whole,
    pub(super) value: Whole,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: NameId,
    pub(super) span: Span,
    pub(super) condition: Whole,
}

/// Constraints on states and steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstraintKind {
    Init,
    Invar,
    Trans,
}

/// What kind of specification it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecKind {
    Ctl,
    Ltl,
    Invariant,
}

#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) kind: SpecKind,
    pub(super) name: Option<String>,
    pub(super) formula: Whole,
    /// From the keyword to the end of the formula.
    pub(super) span: Span,
}

/// A module as it is written.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) name: NameId,
    pub(super) span: Span,
    pub(super) parameters: Vec<(NameId, Span)>,
    pub(super) vars: Vec<VarDecl>,
    pub(super) defines: Vec<Define>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) constraints: Vec<(ConstraintKind, Whole, Span)>,
    pub(super) calls: Vec<Call>,
    pub(super) justice: Vec<Whole>,
    pub(super) compassion: Vec<(Whole, Whole)>,
    pub(super) constants: Vec<NameId>,
    pub(super) specs: Vec<Spec>,
    /// The modules whose declarations are its own as well.
    pub(super) isa: Vec<(NameId, Span)>,
}

/// A whole text.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) names: Interner<NameId>,
    pub(super) rows: Table<ExprId, Row>,
    pub(super) modules: Table<ModuleId, Module>,
    /// Where `EXIT` stands first, if it does.
    pub(super) exit: Option<Span>,
    /// Where the first section `CALL` begins, if there is one.
    pub(super) call: Option<Span>,
    /// Where something stands that was read and left out.
    pub(super) left_out: Vec<Span>,
}

impl Text {
    /// The span of an expression.
    pub(super) fn span(&self, whole: Whole) -> Span {
        self.rows[whole.root].span
    }

    /// The ids of the rows of an expression, operands before what they belong to.
    pub(super) fn rows_of(&self, whole: Whole) -> impl Iterator<Item = ExprId> + use<> {
        use tern_model::index::Id;
        (whole.first.index()..=whole.root.index()).map(ExprId::new)
    }
}

impl Unary {
    /// As it is written before its operand.
    pub(super) fn text(self) -> &'static str {
        use Unary::*;
        match self {
            Not => "!",
            Minus => "-",
            Abs => "abs",
            Bool => "bool",
            Toint => "toint",
            Next => "next",
            Ex => "EX",
            Ax => "AX",
            Ef => "EF",
            Af => "AF",
            Eg => "EG",
            Ag => "AG",
            X => "X",
            F => "F",
            G => "G",
        }
    }

    /// Whether it is an operator of a logic of time: those of branching time, or of linear.
    pub(super) fn logic(self) -> Option<SpecKind> {
        use Unary::*;
        match self {
            Ex | Ax | Ef | Af | Eg | Ag => Some(SpecKind::Ctl),
            X | F | G => Some(SpecKind::Ltl),
            Not | Minus | Abs | Bool | Toint | Next => None,
        }
    }
}

impl Binary {
    /// As it is written between its operands, or before them.
    pub(super) fn text(self) -> &'static str {
        use Binary::*;
        match self {
            Implies => "->",
            Iff => "<->",
            Or => "|",
            Xor => "xor",
            Xnor => "xnor",
            And => "&",
            Equal => "=",
            NotEqual => "!=",
            Less => "<",
            Greater => ">",
            AtMost => "<=",
            AtLeast => ">=",
            In => "in",
            Union => "union",
            Plus => "+",
            Minus => "-",
            Times => "*",
            Divide => "/",
            Mod => "mod",
            Min => "min",
            Max => "max",
            Until | ExistsUntil | AllUntil => "U",
            Release => "V",
        }
    }

    /// How tightly it binds; more is tighter. The classes are those of NuSMV's grammar.
    pub(super) fn strength(self) -> u8 {
        use Binary::*;
        match self {
            Implies => 1,
            Iff => 2,
            // 3 is `? :`
            Or | Xor | Xnor => 4,
            And => 5,
            Until | Release => 6,
            // 7 are the operators of time with one operand.
            Equal | NotEqual | Less | Greater | AtMost | AtLeast => 8,
            In => 9,
            Union => 10,
            Plus | Minus => 13,
            Times | Divide | Mod => 14,
            Min | Max | ExistsUntil | AllUntil => 17,
        }
    }

    pub(super) fn logic(self) -> Option<SpecKind> {
        match self {
            Binary::ExistsUntil | Binary::AllUntil => Some(SpecKind::Ctl),
            Binary::Until | Binary::Release => Some(SpecKind::Ltl),
            _ => None,
        }
    }
}

/// How tightly `? :` binds.
pub(super) const CONDITIONAL: u8 = 3;
/// How tightly operators of time with one operand bind.
pub(super) const TIMED: u8 = 7;
/// How tightly `!` and `-` bind.
pub(super) const PREFIX: u8 = 16;
