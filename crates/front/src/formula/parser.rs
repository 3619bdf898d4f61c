//! Makes a formula of tokens, with a stack of what is waiting for an operand.
//!
//! The loop knows two situations: an operand is due, or one has just ended. In the second, the
//! frames on the stack that bind tighter than what follows are applied to it.
//!
//! # Quantifiers
//! `E` and `A` take the tightest path formula behind them:
//! * `E [ … ]` takes what is in the brackets and no more; as in NuSMV, a `U R W M` that stands in
//!   them without parentheses splits them as a whole: `E [a | b U c & d]` is
//!   `E [(a | b) U (c & d)]`;
//! * else one operand with its prefix operators, if that speaks of a path: `E F a U b` is
//!   `(E F a) U b`, and `A G a --> b` is `(A G a) --> b`;
//! * else, if `U R W M` follows, the whole chain of them: `E a U b` is `E [a U b]`;
//! * else the operand, a state formula: `E p`.

use super::faults::{signs, unclosed};
use super::lexer::{Bracket, Infix, Kind, Lexed, Prefix, Token, shifted, shortened};
use super::{Parsed, atoms};
use crate::collector::Collector;
use crate::problem::Problem;
use std::borrow::Cow;
use tern_model::logic::words;
use tern_model::{Formula, FormulaId, Formulas, Span, quoted};

/// Makes a formula of `lexed.tokens`, which are pieces of `text`; places are shifted by `offset`.
/// Gives a formula even where there are problems, unless the text is empty.
pub(crate) fn parse(
    formulas: &mut Formulas,
    text: &str,
    offset: usize,
    lexed: &Lexed,
    problems: &mut Collector,
) -> Option<Parsed> {
    let tokens = without_keyword(&lexed.tokens, text);
    if tokens.is_empty() {
        let at = lexed.next - usize::from(lexed.semicolon);
        problems.add(|_| {
            Problem::error("F008", "there is no formula here")
                .at(Span::new(at + offset..lexed.next + offset), "a formula is expected")
        });
        return None;
    }
    let mut parser = Parser {
        formulas,
        text,
        offset,
        tokens,
        next: 0,
        frames: Vec::new(),
        groups: Vec::new(),
        spans: Vec::new(),
        problems,
    };
    let root = parser.run();
    let parsed = Parsed { root: root.id, span: shifted(root.span, offset), spans: parser.spans };
    let dropped = (tokens.len() < lexed.tokens.len()).then(|| lexed.tokens[0].span.range());
    let is_invariant = dropped.is_some_and(|range| &text[range] == INVARIANT);
    Some(if is_invariant { always(formulas, parsed) } else { parsed })
}

/// A formula that is claimed of all reachable states.
pub(crate) fn always(formulas: &mut Formulas, mut parsed: Parsed) -> Parsed {
    for make in [Formula::Globally, Formula::All] {
        parsed.root = formulas.make(make(parsed.root));
        parsed.spans.push((parsed.root, parsed.span));
    }
    parsed
}

/// The words that begin a claim elsewhere. Behind the last stands what always holds.
pub(crate) const SPECIFIES: [&str; 4] = ["SPEC", "CTLSPEC", "LTLSPEC", INVARIANT];

/// The word that begins a claim of what always holds.
pub(crate) const INVARIANT: &str = "INVARSPEC";

/// Drops `SPEC` and the like; such a word that no operand follows is a proposition.
fn without_keyword<'t>(tokens: &'t [Token], text: &str) -> &'t [Token] {
    match tokens {
        [first, second, ..]
            if first.kind == Kind::Word
                && second.kind.begins_operand()
                && SPECIFIES.contains(&&text[first.span.range()]) =>
        {
            &tokens[1..]
        }
        _ => tokens,
    }
}

/// The name of a proposition that is more than a word, as it is spelt.
fn atom_name(kind: Kind, text: &str) -> Cow<'_, str> {
    match kind {
        Kind::Quoted => quoted::unquote(text),
        Kind::Braced => atoms::unbraced(text).into(),
        Kind::Applied => words::applied(text).map_or(text.into(), |(_, name)| name.into()),
        Kind::Comparison => atoms::comparison(text).map_or(text.into(), |(_, name)| name.into()),
        _ => text.into(),
    }
}

/// A formula and where it stands, with the parentheses around it.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) id: FormulaId,
    pub(super) span: Span,
}

#[derive(Clone, Copy)]
enum Quantifier {
    Exists,
    All,
}

/// What waits for an operand.
#[derive(Clone, Copy)]
enum Frame {
    Prefix(Prefix, u32),
    /// A quantifier whose operand has not ended, and where it stands.
    Quantifier(Quantifier, u32),
    /// A quantifier that takes the whole chain of `U R W M` above it on the stack.
    Chain(Quantifier, u32),
    Infix {
        operator: Infix,
        /// How tightly it binds where it stands.
        tight: u8,
        left: Operand,
        /// No operator stands here: two operands in a row were reported.
        supposed: bool,
    },
    Group {
        bracket: Bracket,
        span: Span,
        quantifier: Option<(Quantifier, u32)>,
    },
}

/// How tightly an infix operator binds, and whether it groups to the right.
fn binding(operator: Infix) -> (u8, bool) {
    match operator {
        Infix::Implies => (1, true),
        Infix::Iff => (2, false),
        Infix::Or => (3, false),
        Infix::Xor => (4, false),
        Infix::And => (5, false),
        Infix::Until | Infix::Release | Infix::WeakUntil | Infix::StrongRelease => (CHAIN, true),
    }
}

/// How tightly `U R W M` bind, and how tightly in the brackets of a quantifier.
const CHAIN: u8 = 6;
const CHAIN_IN_BRACKETS: u8 = 0;

fn is_chain(operator: Option<Infix>) -> bool {
    operator.is_some_and(|operator| binding(operator).0 == CHAIN)
}

pub(super) struct Parser<'a> {
    pub(super) formulas: &'a mut Formulas,
    pub(super) text: &'a str,
    offset: usize,
    pub(super) tokens: &'a [Token],
    /// The token that comes next, as an index.
    pub(super) next: usize,
    frames: Vec<Frame>,
    /// Where the groups are among the frames.
    pub(super) groups: Vec<usize>,
    spans: Vec<(FormulaId, Span)>,
    pub(super) problems: &'a mut Collector,
}

impl Parser<'_> {
    fn run(&mut self) -> Operand {
        loop {
            let operand = self.operand();
            if let Some(whole) = self.continue_after(operand) {
                return whole;
            }
        }
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).copied()
    }

    pub(super) fn quoted(&self, token: Token) -> String {
        shortened(&self.text[token.span.range()])
    }

    pub(super) fn place(&self, token: Token) -> Span {
        shifted(token.span, self.offset)
    }

    fn make(&mut self, formula: Formula, span: Span) -> Operand {
        let id = self.formulas.make(formula);
        self.spans.push((id, shifted(span, self.offset)));
        Operand { id, span }
    }

    /// An operand is due: stacks what stands before it and gives the operand.
    fn operand(&mut self) -> Operand {
        loop {
            let Some(token) = self.peek() else { return self.missing(None) };
            let start = token.span.start;
            match token.kind {
                Kind::Prefix(operator) => self.frames.push(Frame::Prefix(operator, start)),
                Kind::Exists => self.frames.push(Frame::Quantifier(Quantifier::Exists, start)),
                Kind::All => self.frames.push(Frame::Quantifier(Quantifier::All, start)),
                Kind::Open(bracket) => self.open(bracket, token.span),
                Kind::Close(_) | Kind::Infix(_) | Kind::Comma => return self.missing(Some(token)),
                Kind::Word if self.is_past_prefix(token) => {
                    self.refuse_past(token);
                    self.frames.push(Frame::Prefix(Prefix::Next, start));
                }
                // Something that was reported may have been meant as a prefix operator.
                Kind::Junk if self.an_operand_follows() => {}
                Kind::True => return self.leaf(Formula::True, token),
                Kind::False | Kind::BadOperand | Kind::Junk => {
                    return self.leaf(Formula::False, token);
                }
                Kind::Word => {
                    let atom = self.formulas.atom(&self.text[token.span.range()]);
                    return self.leaf(self.formulas.get(atom), token);
                }
                Kind::Quoted | Kind::Braced | Kind::Applied | Kind::Comparison => {
                    let name = atom_name(token.kind, &self.text[token.span.range()]);
                    let atom = self.formulas.atom(&name);
                    return self.leaf(self.formulas.get(atom), token);
                }
            }
            self.next += 1;
        }
    }

    /// Whether the token behind the one that comes next begins an operand.
    pub(super) fn an_operand_follows(&self) -> bool {
        self.tokens.get(self.next + 1).is_some_and(|next| next.kind.begins_operand())
    }

    fn leaf(&mut self, formula: Formula, token: Token) -> Operand {
        self.next += 1;
        self.make(formula, token.span)
    }

    fn open(&mut self, bracket: Bracket, span: Span) {
        let quantifier = match (bracket, self.frames.last()) {
            (Bracket::Square, Some(&Frame::Quantifier(quantifier, start))) => {
                self.frames.pop();
                Some((quantifier, start))
            }
            _ => None,
        };
        self.groups.push(self.frames.len());
        self.frames.push(Frame::Group { bracket, span, quantifier });
    }

    /// An operand has ended: applies what was waiting for it, as far as what follows allows.
    /// Gives the whole formula at the end of the text.
    fn continue_after(&mut self, mut operand: Operand) -> Option<Operand> {
        loop {
            let Some(token) = self.peek() else {
                operand = self.reduce(operand, None);
                if self.groups.is_empty() {
                    return Some(operand);
                }
                self.report_unclosed();
                while !self.groups.is_empty() {
                    operand = self.close_group(operand, operand.span.end);
                    operand = self.reduce(operand, None);
                }
                return Some(operand);
            };
            match token.kind {
                Kind::Infix(operator) => {
                    self.next += 1;
                    self.wait(operand, operator, false);
                    return None;
                }
                Kind::Close(bracket) => {
                    operand = self.reduce(operand, None);
                    operand = self.close(operand, bracket, token);
                }
                Kind::Junk => {
                    self.next += 1;
                    self.wait(operand, Infix::And, true);
                    return None;
                }
                Kind::Word if matches!(&self.text[token.span.range()], "S" | "T" | "BU") => {
                    self.refuse_past(token);
                    self.next += 1;
                    self.wait(operand, Infix::Until, false);
                    return None;
                }
                _ => {
                    let supposed =
                        matches!(self.frames.last(), Some(Frame::Infix { supposed: true, .. }));
                    if !supposed {
                        self.report_two_operands(token);
                    }
                    self.wait(operand, Infix::And, true);
                    return None;
                }
            }
        }
    }

    /// Stacks an infix operator with its left operand.
    fn wait(&mut self, operand: Operand, operator: Infix, supposed: bool) {
        let left = self.reduce(operand, Some(operator));
        let tight = match self.frames.last() {
            // Behind a quantifier without brackets that has taken the chain.
            Some(Frame::Chain(..) | Frame::Infix { tight: CHAIN, .. }) => binding(operator).0,
            _ => self.tightness(operator),
        };
        self.frames.push(Frame::Infix { operator, tight, left, supposed });
    }

    /// How tightly an operator binds in the innermost group.
    fn tightness(&self, operator: Infix) -> u8 {
        let bracketed = self.groups.last().is_some_and(|&group| {
            matches!(self.frames[group], Frame::Group { quantifier: Some(_), .. })
        });
        if bracketed && is_chain(Some(operator)) { CHAIN_IN_BRACKETS } else { binding(operator).0 }
    }

    /// Applies the frames that bind tighter than the operator that follows.
    fn reduce(&mut self, mut operand: Operand, follows: Option<Infix>) -> Operand {
        while let Some(&frame) = self.frames.last() {
            match frame {
                Frame::Group { .. } => break,
                Frame::Prefix(operator, start) => {
                    let formula = match operator {
                        Prefix::Not => Formula::Not(operand.id),
                        Prefix::Next => Formula::Next(operand.id),
                        Prefix::Finally => Formula::Finally(operand.id),
                        Prefix::Globally => Formula::Globally(operand.id),
                    };
                    operand = self.make(formula, Span { start, end: operand.span.end });
                }
                Frame::Quantifier(quantifier, start) => {
                    if is_chain(follows) && self.formulas.is_state_formula(operand.id) {
                        self.frames.pop();
                        self.frames.push(Frame::Chain(quantifier, start));
                        break;
                    }
                    operand = self.quantify(quantifier, start, operand);
                }
                Frame::Chain(quantifier, start) => {
                    if is_chain(follows) {
                        break;
                    }
                    operand = self.quantify(quantifier, start, operand);
                }
                Frame::Infix { operator, tight, left, .. } => {
                    if let Some(follows) = follows {
                        let (_, to_right) = binding(operator);
                        let next = if tight == CHAIN {
                            binding(follows).0
                        } else {
                            self.tightness(follows)
                        };
                        if tight < next || tight == next && to_right {
                            break;
                        }
                    }
                    operand = self.infix(operator, left, operand);
                }
            }
            self.frames.pop();
        }
        operand
    }

    fn infix(&mut self, operator: Infix, left: Operand, right: Operand) -> Operand {
        let (f, g) = (left.id, right.id);
        let formula = match operator {
            Infix::Implies => Formula::Implies(f, g),
            Infix::Iff => Formula::Iff(f, g),
            Infix::Or => Formula::Or(f, g),
            Infix::Xor => Formula::Xor(f, g),
            Infix::And => Formula::And(f, g),
            Infix::Until => Formula::Until(f, g),
            Infix::Release => Formula::Release(f, g),
            Infix::WeakUntil => Formula::WeakUntil(f, g),
            Infix::StrongRelease => Formula::StrongRelease(f, g),
        };
        self.make(formula, left.span.to(right.span))
    }

    fn quantify(&mut self, quantifier: Quantifier, start: u32, path: Operand) -> Operand {
        let formula = match quantifier {
            Quantifier::Exists => Formula::Exists(path.id),
            Quantifier::All => Formula::All(path.id),
        };
        self.make(formula, Span { start, end: path.span.end })
    }

    /// Closes the innermost group, up to `end`.
    fn close_group(&mut self, operand: Operand, end: u32) -> Operand {
        self.groups.pop();
        let Some(Frame::Group { span, quantifier, .. }) = self.frames.pop() else {
            unreachable!("everything above the group has been applied")
        };
        let operand = Operand { id: operand.id, span: Span { start: span.start, end } };
        match quantifier {
            Some((quantifier, start)) => self.quantify(quantifier, start, operand),
            None => operand,
        }
    }

    /// A closing bracket behind an operand to which everything in the group has been applied.
    fn close(&mut self, operand: Operand, bracket: Bracket, token: Token) -> Operand {
        let closing = self.quoted(token);
        let place = self.place(token);
        let Some((opened, opened_at)) = self.group_at(0) else {
            self.next += 1;
            self.problems.add(|_| {
                Problem::error("F012", format!("`{closing}` closes nothing"))
                    .at(place, "nothing is open here")
                    .hint(format!("remove `{closing}`, or open it further left"))
            });
            return operand;
        };
        if opened != bracket {
            if self.group_at(1).is_some_and(|(outer, _)| outer == bracket) {
                // `[ ( p ]`: the inner one was forgotten; the bracket closes the outer one.
                self.problems
                    .add(|_| unclosed(opened, opened_at).related(place, "still open here"));
                return self.close_group(operand, operand.span.end);
            }
            self.problems.add(|_| {
                let (open, close) = signs(opened);
                Problem::error("F003", format!("`{open}` is closed by `{closing}`"))
                    .at(place, format!("`{close}` is expected"))
                    .related(opened_at, "opened here")
            });
        }
        self.next += 1;
        self.close_group(operand, token.span.end)
    }

    /// The group that is open at this depth, 0 the innermost: its bracket and where that stands.
    pub(super) fn group_at(&self, depth: usize) -> Option<(Bracket, Span)> {
        let index = self.groups.len().checked_sub(depth + 1)?;
        match self.frames[self.groups[index]] {
            Frame::Group { bracket, span, .. } => Some((bracket, shifted(span, self.offset))),
            _ => None,
        }
    }
}
