//! The syntax tree of a program.

use std::collections::BTreeMap;
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
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

impl Arithmetic {
    /// Whether it works on bits.
    pub fn is_bitwise(self) -> bool {
        matches!(
            self,
            Arithmetic::BitAnd
                | Arithmetic::BitOr
                | Arithmetic::BitXor
                | Arithmetic::ShiftLeft
                | Arithmetic::ShiftRight
        )
    }

    /// Whether it is a shift: its sides keep their own types.
    pub fn is_shift(self) -> bool {
        matches!(self, Arithmetic::ShiftLeft | Arithmetic::ShiftRight)
    }
}

/// Which integer type of C, leaving its sign open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// `_Bool`
    Bool,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `long long`
    LongLong,
    /// `int16_t` and its like: so many bits.
    Bits(u32),
}

/// An integer type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Which.
    pub size: Size,
    /// Whether it has no negative numbers.
    pub is_unsigned: bool,
}

impl Type {
    /// `int`
    pub const INT: Type = Type { size: Size::Int, is_unsigned: false };
    /// `_Bool`
    pub const BOOL: Type = Type { size: Size::Bool, is_unsigned: true };

    /// The numbers that it has where integers are mathematical.
    pub fn unbounded(self) -> (Option<i128>, Option<i128>) {
        match (self.size, self.is_unsigned) {
            (Size::Bool, _) => (Some(0), Some(1)),
            (_, true) => (Some(0), None),
            (_, false) => (None, None),
        }
    }
}

/// How many bits the integer types have: a setting, not part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Widths {
    /// Those of `int`: 8, 16, 32 or 64.
    pub int: u32,
    /// Those of `long`: 32 or 64, and not fewer than those of `int`.
    pub long: u32,
}

impl Widths {
    /// The usual widths beside an `int` of so many bits.
    pub fn of_int(int: u32) -> Widths {
        Widths { int, long: 64 }
    }

    /// The bits of a type.
    pub fn bits(self, size: Size) -> u32 {
        match size {
            Size::Bool => 1,
            Size::Char => 8,
            Size::Short => self.int.min(16),
            Size::Int => self.int,
            Size::Long => self.long,
            Size::LongLong => 64,
            Size::Bits(bits) => bits,
        }
    }

    /// The bytes of a type.
    pub fn bytes(self, size: Size) -> i128 {
        i128::from(self.bits(size).div_ceil(8))
    }
}

/// What is written after a number, and how it is written: this says which type it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suffix {
    /// `u`
    pub is_unsigned: bool,
    /// How many times `l`.
    pub longs: u8,
    /// Whether it is written with ten digits.
    pub is_decimal: bool,
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
    /// A number, such as 12; `int` if that has it, else a longer type.
    Number(i128),
    /// A number whose type depends on how it is written, such as `0xffu`.
    Literal(i128, Suffix),
    /// A variable.
    Name(String),
    /// Any number of a type between two, as far as they are given.
    Any(Option<i128>, Option<i128>, Type),
    /// `-e`
    Negate(Box<Expr>),
    /// `~e`
    Complement(Box<Expr>),
    /// `(short) e`
    Cast(Type, Box<Expr>),
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
    /// Its type.
    pub ty: Type,
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
    /// The type of the value that it gives.
    pub returns: Option<Type>,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// The global variables, in order.
    pub globals: Vec<Declared>,
    /// The functions that have a body, in order.
    pub functions: Vec<Function>,
    /// The types that other functions give, as far as they are declared.
    pub declared: BTreeMap<String, Type>,
    /// The types of which the size is taken, and where. It is that beside an `int` of 32 bits.
    pub sizes: Vec<(Size, Span)>,
}

impl Unit {
    /// The function with a name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The type of what a function gives; `int` if nothing says it.
    pub fn returns(&self, name: &str) -> Type {
        let declared = self.declared.get(name).copied();
        let given = self.function(name).map_or(declared, |function| function.returns);
        given.unwrap_or(Type::INT)
    }
}
