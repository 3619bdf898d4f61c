//! `.heap` texts: types, grammars, procedures, inputs and claims in one file.
//!
//! ```text
//! type Node { next: Node }
//! grammar SLL = Node(next)
//!
//! proc reverse(head: Node): Node {
//!   var done: Node, rest: Node
//!   done = null
//!   while head != null {
//!     rest = head.next
//!     head.next = done
//!     done = head
//!     head = rest
//!   }
//!   return done
//! }
//!
//! given reverse(head: SLL)
//! claim G !nullderef
//! claim F terminated
//! ```
//! A reader finds all names first, so that everything may be used before it is declared, and goes
//! on after a mistake at the next declaration. Procedures become procedures of `tern-ir`.

mod code;
pub(crate) mod graphs;
mod inputs;
pub(crate) mod lexer;
mod statements;

pub use inputs::{Formal, Input, Parameter, Target, given};
pub use lexer::Problem;

use crate::grammar::{Grammar, builtin, check};
use graphs::Declared;
use lexer::{Lexer, Token, Word, nearest};
use tern_ir::{ProcId, Program};
use tern_model::budget::{Limit, Meter};
use tern_model::{Budget, Span};

/// Words that are no names.
pub(crate) const RESERVED: &[&str] = &[
    "type", "grammar", "shape", "proc", "given", "claim", "var", "if", "else", "while", "return",
    "throw", "new", "null", "in", "free",
];

/// The codes of problems, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("H101", "A character or a number cannot be read."),
    ("H102", "Something else is expected here."),
    ("H103", "A name is declared twice."),
    ("H201", "There is no type or field of this name."),
    ("H202", "The type of an object in a rule does not follow from anything."),
    ("H203", "There is no grammar of this name, or it takes other fields."),
    ("H204", "A grammar or shape has another number of tentacles."),
    ("H205", "A field is given twice in a rule."),
    ("H206", "The types of a rule do not fit together."),
    ("H207", "A grammar cannot be used: fields are missing, or its rules do not unfold locally."),
    ("H301", "There is no variable of this name."),
    ("H302", "There is no procedure of this name, or it takes other arguments."),
    ("H303", "A procedure may end without returning its result, or returns one that it has not."),
    ("H304", "A value of another type is needed."),
    ("H305", "A procedure does something that heaps are not followed through."),
    ("H401", "An input does not say what a parameter is, or not rightly."),
    ("H402", "Nothing says which procedure to check."),
    ("H403", "A claim says something that is no proposition about heaps."),
    ("H501", "No method of a program has this name, or several have."),
    ("H502", "No class of a program has this name."),
    ("H503", "A grammar for a class is not written rightly, or the class has no such field."),
    ("H601", "A setting of Attestor is not read, or not written rightly."),
    ("H602", "A file or class that settings of Attestor name is not there."),
    ("H603", "An initial heap of Attestor cannot be read."),
    ("H604", "A formula of Attestor says something that has no translation."),
];

/// A claim as it was written.
#[derive(Clone, Debug)]
pub struct WrittenClaim {
    /// The formula, perhaps with a name before it.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What a text says.
#[derive(Debug)]
pub struct HeapFile {
    /// The types, nonterminals and shapes.
    pub grammar: Grammar,
    /// The procedures.
    pub program: Program,
    /// What is checked, with what inputs and claims.
    pub inputs: Vec<(Input, Vec<WrittenClaim>)>,
}

/// A procedure as it is declared.
struct Header<'t> {
    name: Word<'t>,
    parameters: Vec<statements::Declaration<'t>>,
    result: Option<Word<'t>>,
    /// Where its body begins.
    body: Vec<statements::Line<'t>>,
}

/// Reads a text.
///
/// # Errors
/// All that is wrong with it, in order.
pub fn read(text: &str, file: &str) -> Result<HeapFile, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut reader = Reader::default();
    reader.declarations(&mut Lexer::new(text, &mut problems), &mut problems);
    let mut grammar = Grammar::default();
    reader.types(&mut grammar, &mut problems);
    reader.grammars(&mut grammar, &mut problems);
    let mut program = Program::new();
    let procedures =
        code::translate(&reader.procedures, &grammar, &mut program, file, text, &mut problems);
    let mut given = Vec::new();
    for (input, claims) in &reader.inputs {
        let target = inputs::target(input, &program, &procedures, &grammar, &mut problems);
        let Some(target) = target else { continue };
        let input = inputs::resolve(input, &target, &grammar, &mut problems);
        given.extend(input.map(|input| (input, claims.clone())));
    }
    if problems.is_empty() && reader.inputs.is_empty() {
        let span = Span::new(text.len()..text.len());
        let problem = Problem::new("H402", span, "nothing says which procedure to check");
        problems.push(problem.hint("write `given m(x: SLL)`, with what each parameter is"));
    }
    problems.sort_by_key(|problem| problem.span);
    problems.dedup();
    if problems.is_empty() {
        Ok(HeapFile { grammar, program, inputs: given })
    } else {
        Err(problems)
    }
}

/// Reads the types and grammars of a text; nothing else needs to be there.
///
/// # Errors
/// All that is wrong with them, in order.
pub fn read_grammar(text: &str) -> Result<Grammar, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut reader = Reader::default();
    reader.declarations(&mut Lexer::new(text, &mut problems), &mut problems);
    let mut grammar = Grammar::default();
    reader.types(&mut grammar, &mut problems);
    reader.grammars(&mut grammar, &mut problems);
    if problems.is_empty() && grammar.nonterminals.is_empty() {
        let problem = Problem::new("H203", Span::new(0..0), "there is no grammar");
        problems.push(problem.hint("write `grammar SLL = Node(next)`, or rules"));
    }
    problems.sort_by_key(|problem| problem.span);
    problems.dedup();
    if problems.is_empty() { Ok(grammar) } else { Err(problems) }
}

/// What was read, before names are looked up.
#[derive(Default)]
struct Reader<'t> {
    types: Vec<(Word<'t>, Vec<statements::Declaration<'t>>)>,
    grammars: Vec<Declared<'t>>,
    builtin: Vec<(Word<'t>, Word<'t>, Vec<Word<'t>>)>,
    procedures: Vec<Header<'t>>,
    inputs: Vec<(inputs::Given<'t>, Vec<WrittenClaim>)>,
}

impl<'t> Reader<'t> {
    fn declarations(&mut self, lexer: &mut Lexer<'t>, problems: &mut Vec<Problem>) {
        while lexer.peek() != Token::End {
            if let Err(problem) = self.declaration(lexer) {
                problems.push(problem);
                // On at the next word that begins a declaration.
                while !matches!(
                    lexer.peek(),
                    Token::End | Token::Word("type" | "grammar" | "shape" | "proc" | "given")
                ) {
                    lexer.next();
                }
            }
        }
    }

    fn declaration(&mut self, lexer: &mut Lexer<'t>) -> Result<(), Problem> {
        if lexer.accept_word("type") {
            let name = lexer.name("the name of a type")?;
            lexer.expect("{")?;
            let mut fields = Vec::new();
            while !lexer.accept("}") {
                let field = lexer.name("a field")?;
                lexer.expect(":")?;
                fields.push((field, lexer.name("a type")?));
                if !lexer.accept(",") {
                    lexer.accept(";");
                }
            }
            self.types.push((name, fields));
        } else if lexer.accept_word("grammar") {
            if lexer.peek_second() == Token::Sign("=") {
                self.builtin(lexer)?;
            } else {
                self.grammars.push(graphs::read(lexer, false)?);
            }
        } else if lexer.accept_word("shape") {
            self.grammars.push(graphs::read(lexer, true)?);
        } else if lexer.accept_word("proc") {
            self.procedures.push(statements::read(lexer)?);
        } else if lexer.accept_word("given") {
            self.inputs.push((inputs::read(lexer)?, Vec::new()));
        } else if lexer.accept_word("claim") {
            let span = lexer.span();
            let Token::Line(line) = lexer.next() else { return Err(lexer.unexpected("a claim")) };
            let claim = WrittenClaim { text: line.to_owned(), span };
            match self.inputs.last_mut() {
                Some((_, claims)) => claims.push(claim),
                None => {
                    let problem =
                        Problem::new("H402", span, "nothing says what the claim is about");
                    return Err(problem.hint("write `given m(x: SLL)` before it"));
                }
            }
        } else {
            return Err(lexer.unexpected("`type`, `grammar`, `shape`, `proc`, `given` or `claim`"));
        }
        Ok(())
    }

    /// `grammar SLL = Node(next)`
    fn builtin(&mut self, lexer: &mut Lexer<'t>) -> Result<(), Problem> {
        let name = lexer.name("the name of a grammar")?;
        lexer.expect("=")?;
        let kind = lexer.name("a type")?;
        lexer.expect("(")?;
        let mut selectors = Vec::new();
        while !lexer.accept(")") {
            selectors.push(lexer.name("a field")?);
            if !lexer.accept(",") && lexer.peek() != Token::Sign(")") {
                return Err(lexer.unexpected("`,` or `)`"));
            }
        }
        self.builtin.push((name, kind, selectors));
        Ok(())
    }

    fn types(&self, grammar: &mut Grammar, problems: &mut Vec<Problem>) {
        if self.procedures.iter().flat_map(|it| &it.body).any(statements::Line::frees) {
            grammar.types.allow_free();
        }
        for &((name, span), _) in &self.types {
            if grammar.types.kind(name).is_some() {
                problems.push(Problem::new("H103", span, format!("there are two types `{name}`")));
            } else {
                grammar.types.add_kind(name);
            }
        }
        for ((name, _), fields) in &self.types {
            let Some(of) = grammar.types.kind(name) else { continue };
            for &((field, span), to) in fields {
                let Some(to) = graphs::find_kind(grammar, to, problems) else { continue };
                if grammar.types.selector(of, field).is_some() {
                    let message = format!("`{name}` has two fields `{field}`");
                    problems.push(Problem::new("H103", span, message));
                } else {
                    grammar.types.add_selector(of, field, to);
                }
            }
        }
    }

    fn grammars(&self, grammar: &mut Grammar, problems: &mut Vec<Problem>) {
        for (name, kind, selectors) in &self.builtin {
            let names: Vec<&str> = selectors.iter().map(|it| it.0).collect();
            let Some(id) = graphs::find_kind(grammar, *kind, problems) else { continue };
            let flawed: Vec<Problem> = selectors
                .iter()
                .filter_map(|&it| graphs::find_selector(grammar, id, it).err())
                .collect();
            if !flawed.is_empty() {
                problems.extend(flawed);
                continue;
            }
            if let Err(message) = add_builtin(grammar, name.0, kind.0, &names) {
                let mut problem = Problem::new("H203", name.1, message);
                let is_known = builtin::selectors(name.0).is_some();
                problem.hint = nearest(name.0, builtin::names()).filter(|_| !is_known);
                problems.push(problem);
            }
        }
        graphs::make(grammar, &self.grammars, problems);
        if !problems.is_empty() {
            return;
        }
        let budget = Budget::unlimited();
        let Ok(flaws) = check::check(grammar, &mut Meter::new(&budget)) else { return };
        for flaw in flaws {
            let (label, rule) = flaw.of;
            let name = &grammar.nonterminals[label].name;
            let declared = self.grammars.iter().find(|it| it.name.0 == name && !it.is_shape);
            let span = declared.map_or(Span::new(0..0), |it| it.name.1);
            let message = match rule {
                Some(rule) => format!("rule {} of `{name}`: {}", rule + 1, flaw.what),
                None => format!("`{name}`: {}", flaw.what),
            };
            problems.push(Problem::new("H207", span, message));
        }
        for declared in self.grammars.iter().filter(|it| it.is_shape) {
            let Some(shape) = grammar.shape(declared.name.0) else { continue };
            if !shape.heaps.iter().all(|heap| grammar.check_provided(heap)) {
                let message = format!(
                    "shape `{}`: a field of an object is missing or given twice",
                    shape.name
                );
                problems.push(Problem::new("H207", declared.name.1, message));
            }
        }
    }
}

/// Adds one of the grammars that are there, unless its family is there already.
///
/// # Errors
/// Why not.
pub fn add_builtin(
    grammar: &mut Grammar,
    shape: &str,
    kind: &str,
    selectors: &[&str],
) -> Result<(), String> {
    let (Some(wanted), Some(family)) = (builtin::selectors(shape), builtin::family_name(shape))
    else {
        let known: Vec<&str> = builtin::names().collect();
        return Err(format!("no grammar `{shape}` is built in; there are {}", known.join(", ")));
    };
    if wanted != selectors.len() {
        let s = if wanted == 1 { "" } else { "s" };
        let are = if selectors.len() == 1 { "is" } else { "are" };
        return Err(format!(
            "`{shape}` takes {wanted} field{s}, but {} {are} given",
            selectors.len()
        ));
    }
    let of = grammar.types.kind(kind);
    let taken = grammar.shape(family).map(|shape| shape.kind);
    let suffix = match taken {
        None => String::new(),
        Some(_) if taken == of => return Ok(()),
        Some(_) => format!("_{kind}"),
    };
    if grammar.shape(&format!("{family}{suffix}")).is_some() {
        return Ok(());
    }
    let Some(text) = builtin::text(shape, kind, selectors, &suffix) else { return Ok(()) };
    let mut problems = Vec::new();
    let mut lexer = Lexer::new(&text, &mut problems);
    let mut declared = Vec::new();
    while lexer.peek() != Token::End {
        let is_shape = lexer.accept_word("shape");
        if !is_shape {
            lexer.accept_word("grammar");
        }
        declared.push(graphs::read(&mut lexer, is_shape).map_err(|problem| problem.message)?);
    }
    graphs::make(grammar, &declared, &mut problems);
    match problems.first() {
        Some(problem) => Err(problem.message.clone()),
        None => Ok(()),
    }
}

/// The procedures of a text by name.
pub(crate) type Procedures = Vec<(String, ProcId)>;

/// The first line of a span, from 1.
pub(crate) fn line_of(text: &str, span: Span) -> u32 {
    let before = &text.as_bytes()[..span.range().start.min(text.len())];
    u32::try_from(before.iter().filter(|&&byte| byte == b'\n').count() + 1).unwrap_or(u32::MAX)
}

/// Checks a grammar that was put together by hand.
///
/// # Errors
/// The limit that was reached, or the first flaw.
pub fn finish(grammar: &mut Grammar, meter: &mut Meter<'_>) -> Result<Result<(), String>, Limit> {
    let flaws = check::check(grammar, meter)?;
    Ok(match flaws.first() {
        Some(flaw) => Err(format!("{}: {}", grammar.nonterminals[flaw.of.0].name, flaw.what)),
        None => Ok(()),
    })
}
