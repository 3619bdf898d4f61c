//! Procedures as text, read: a list of pieces, so that nothing is nested.
//!
//! Statements: `x = y`, `x = null`, `x = 3`, `x = ?`, `x = new T`, `x = y.f`, `x.f = y`,
//! `x = m(y)`, `m(y)`, `free x`, `return`, `return x`, `throw`, `if C { } else { }`, `while C { }`,
//! where C is `x == y`, `x != y` or `?`, and y may be a constant. Types are those of objects, `int`
//! and `bool`.

use super::Header;
use super::lexer::{Lexer, Problem, Token, Word};
use tern_ir::Comparison;
use tern_model::Span;

/// A name and its type.
pub(super) type Declaration<'t> = (Word<'t>, Word<'t>);

/// A value that can be read at once.
#[derive(Clone, Copy)]
pub(super) enum Simple<'t> {
    Name(&'t str),
    Null,
    Number(i64),
    Any,
}

/// A value with its place.
pub(super) type Spanned<'t> = (Simple<'t>, Span);

/// What is assigned.
pub(super) enum Right<'t> {
    Simple(Spanned<'t>),
    New(Word<'t>),
    Load(Word<'t>, Word<'t>),
    Call(CallLine<'t>),
}

/// A call.
pub(super) struct CallLine<'t> {
    pub(super) callee: Word<'t>,
    pub(super) arguments: Vec<Spanned<'t>>,
}

/// A test.
pub(super) enum Condition<'t> {
    Any,
    Compare(Spanned<'t>, Comparison, Spanned<'t>),
}

/// A piece of a body; blocks are opened and closed, so that nothing is nested.
pub(super) enum Piece<'t> {
    Declare(Declaration<'t>),
    Assign(Word<'t>, Right<'t>),
    Store(Word<'t>, Word<'t>, Spanned<'t>),
    Call(CallLine<'t>),
    Free(Word<'t>),
    Return(Option<Spanned<'t>>),
    Throw,
    If(Condition<'t>),
    Else,
    While(Condition<'t>),
    Close,
}

/// A piece with its place.
pub(super) struct Line<'t> {
    pub(super) piece: Piece<'t>,
    pub(super) span: Span,
}

impl Line<'_> {
    /// Whether it frees an object.
    pub(super) fn frees(&self) -> bool {
        matches!(self.piece, Piece::Free(_))
    }
}

/// Reads what follows `proc`.
pub(super) fn read<'t>(lexer: &mut Lexer<'t>) -> Result<Header<'t>, Problem> {
    let name = lexer.name("the name of a procedure")?;
    lexer.expect("(")?;
    let mut parameters = Vec::new();
    while !lexer.accept(")") {
        parameters.push(declaration(lexer)?);
        if !lexer.accept(",") && lexer.peek() != Token::Sign(")") {
            return Err(lexer.unexpected("`,` or `)`"));
        }
    }
    let result = if lexer.accept(":") { Some(lexer.name("a type")?) } else { None };
    lexer.expect("{")?;
    let (mut body, mut open) = (Vec::new(), vec![false]);
    // For each open block, whether it is that of an `if`.
    while let Some(&is_if) = open.last() {
        let span = lexer.span();
        if lexer.accept("}") {
            open.pop();
            if is_if && lexer.accept_word("else") {
                lexer.expect("{")?;
                body.push(Line { piece: Piece::Else, span });
                open.push(false);
            } else if !open.is_empty() {
                body.push(Line { piece: Piece::Close, span });
            }
            continue;
        }
        let before = body.len();
        pieces(lexer, &mut body)?;
        match body.get(before).map(|line| &line.piece) {
            Some(Piece::If(_)) => open.push(true),
            Some(Piece::While(_)) => open.push(false),
            _ => {}
        }
    }
    Ok(Header { name, parameters, result, body })
}

fn declaration<'t>(lexer: &mut Lexer<'t>) -> Result<Declaration<'t>, Problem> {
    let name = lexer.name("a name")?;
    lexer.expect(":")?;
    Ok((name, lexer.name("a type")?))
}

/// Reads one statement; declarations may be several.
fn pieces<'t>(lexer: &mut Lexer<'t>, body: &mut Vec<Line<'t>>) -> Result<(), Problem> {
    let span = lexer.span();
    let piece = if lexer.accept_word("var") {
        loop {
            body.push(Line { piece: Piece::Declare(declaration(lexer)?), span });
            if !lexer.accept(",") {
                lexer.accept(";");
                return Ok(());
            }
        }
    } else if lexer.accept_word("if") {
        let condition = condition(lexer)?;
        lexer.expect("{")?;
        Piece::If(condition)
    } else if lexer.accept_word("while") {
        let condition = condition(lexer)?;
        lexer.expect("{")?;
        Piece::While(condition)
    } else if lexer.accept_word("return") {
        let is_value = match lexer.peek() {
            // A statement may follow without a sign between: `x = y` begins with a name, too.
            Token::Word("null") | Token::Number(_) | Token::Sign("?") => true,
            Token::Word(word) if !super::RESERVED.contains(&word) => {
                !matches!(lexer.peek_second(), Token::Sign("=" | "." | "("))
            }
            _ => false,
        };
        Piece::Return(if is_value { Some(simple(lexer)?) } else { None })
    } else if lexer.accept_word("free") {
        Piece::Free(lexer.name("a variable")?)
    } else if lexer.accept_word("throw") {
        Piece::Throw
    } else {
        assignment(lexer)?
    };
    lexer.accept(";");
    body.push(Line { piece, span });
    Ok(())
}

fn assignment<'t>(lexer: &mut Lexer<'t>) -> Result<Piece<'t>, Problem> {
    let name = lexer.name("a statement")?;
    if lexer.accept(".") {
        let field = lexer.name("a field")?;
        lexer.expect("=")?;
        let value = simple(lexer)?;
        no_path(lexer)?;
        return Ok(Piece::Store(name, field, value));
    }
    if lexer.peek() == Token::Sign("(") {
        return Ok(Piece::Call(call(lexer, name)?));
    }
    lexer.expect("=")?;
    if lexer.accept_word("new") {
        return Ok(Piece::Assign(name, Right::New(lexer.name("a type")?)));
    }
    if let Token::Word(word) = lexer.peek()
        && !super::RESERVED.contains(&word)
        && !["true", "false"].contains(&word)
    {
        let source = lexer.name("a variable")?;
        if lexer.accept(".") {
            let field = lexer.name("a field")?;
            no_path(lexer)?;
            return Ok(Piece::Assign(name, Right::Load(source, field)));
        }
        if lexer.peek() == Token::Sign("(") {
            return Ok(Piece::Assign(name, Right::Call(call(lexer, source)?)));
        }
        return Ok(Piece::Assign(name, Right::Simple((Simple::Name(source.0), source.1))));
    }
    Ok(Piece::Assign(name, Right::Simple(simple(lexer)?)))
}

fn no_path(lexer: &Lexer<'_>) -> Result<(), Problem> {
    if lexer.peek() == Token::Sign(".") {
        let problem = lexer.unexpected("the end of the statement");
        return Err(problem.hint("one field a statement: store `x.f` in a variable first"));
    }
    Ok(())
}

fn call<'t>(lexer: &mut Lexer<'t>, callee: Word<'t>) -> Result<CallLine<'t>, Problem> {
    lexer.expect("(")?;
    let mut arguments = Vec::new();
    while !lexer.accept(")") {
        arguments.push(simple(lexer)?);
        no_path(lexer)?;
        if !lexer.accept(",") && lexer.peek() != Token::Sign(")") {
            return Err(lexer.unexpected("`,` or `)`"));
        }
    }
    Ok(CallLine { callee, arguments })
}

fn simple<'t>(lexer: &mut Lexer<'t>) -> Result<Spanned<'t>, Problem> {
    let span = lexer.span();
    if lexer.accept_word("null") {
        return Ok((Simple::Null, span));
    }
    if lexer.accept("?") {
        return Ok((Simple::Any, span));
    }
    for (word, value) in [("true", 1), ("false", 0)] {
        if lexer.accept_word(word) {
            return Ok((Simple::Number(value), span));
        }
    }
    if let Token::Number(number) = lexer.peek() {
        lexer.next();
        return Ok((Simple::Number(number), span));
    }
    let (name, span) = lexer.name("a variable or constant")?;
    Ok((Simple::Name(name), span))
}

fn condition<'t>(lexer: &mut Lexer<'t>) -> Result<Condition<'t>, Problem> {
    if lexer.peek() == Token::Sign("?") && lexer.peek_second() == Token::Sign("{") {
        lexer.next();
        return Ok(Condition::Any);
    }
    let left = simple(lexer)?;
    no_path(lexer)?;
    let comparison = match lexer.peek() {
        Token::Sign("==") => Comparison::Equal,
        Token::Sign("!=") => Comparison::NotEqual,
        _ => return Err(lexer.unexpected("`==` or `!=`")),
    };
    lexer.next();
    let right = simple(lexer)?;
    no_path(lexer)?;
    Ok(Condition::Compare(left, comparison, right))
}
