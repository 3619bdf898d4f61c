//! The syntax tree of a program.

use tern_model::Span;

/// An operator on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, cut towards zero
    Divide,
    /// `%`, with the sign of the left side
    Remainder,
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number(i128),
    /// A variable.
    Name(String),
    /// Any number between two, as far as they are given.
    Any(Option<i128>, Option<i128>),
    /// `-e`
    Negate(Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// Arithmetic on two numbers.
    Binary(Arithmetic, Box<Expr>, Box<Expr>),
    /// A comparison, 0 or 1.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x = e`, `x += e`
    Assign(String, Option<Arithmetic>, Box<Expr>),
    /// `a[e]`: the array, its size, and which element.
    Index(String, usize, Box<Expr>),
    /// `a[e] = v`, `a[e] += v`: the array, its size, which element, and the value.
    Store(String, usize, Box<Expr>, Option<Arithmetic>, Box<Expr>),
    /// `++x`, `x--`: by how much, and whether the value is the one before.
    Increment(String, i128, bool),
    /// `f(a, b)`
    Call(String, Vec<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
}

/// The name of an element of an array.
pub fn element(array: &str, number: usize) -> String {
    format!("{array}[{number}]")
}

/// One variable of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What it is set to.
    pub value: Option<Expr>,
    /// The numbers that it may hold before anything is assigned.
    pub range: (Option<i128>, Option<i128>),
}

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// An expression with `;`, or nothing.
    Expr(Option<Expr>),
    /// Variables.
    Declare(Vec<Declared>),
    /// `{ ... }`
    Block(Vec<Stmt>),
    /// `if (c) a else b`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (c) s`
    While(Expr, Box<Stmt>),
    /// `do s while (c);`
    DoWhile(Box<Stmt>, Expr),
    /// `for (a; c; b) s`
    For(Box<Stmt>, Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `switch (e) s`
    Switch(Expr, Box<Stmt>),
    /// `case n:`
    Case(i128),
    /// `default:`
    Default,
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto l;`
    Goto(String),
    /// `l:`
    Label(String),
    /// `return e;`
    Return(Option<Expr>),
    /// `assume(e);`
    Assume(Expr),
    /// `assert(e);`
    Assert(Expr),
    /// `reach_error();`, `abort();`: the program ends there, failed or not.
    Stop(Stop),
}

/// How a program ends other than at the end of `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `reach_error()`, and assertions that are false.
    Failed,
    /// `abort()`, `exit()`.
    Exit,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where that stands.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<Declared>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Whether it gives a value.
    pub has_value: bool,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// The global variables, in order.
    pub globals: Vec<Declared>,
    /// The functions that have a body, in order.
    pub functions: Vec<Function>,
}

impl Unit {
    /// The function with a name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}
