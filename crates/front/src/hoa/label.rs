//! Labels of edges: boolean expressions over the propositions, turned into cubes.

use super::Reader;
use super::lexer::Token;
use rustc_hash::FxHashMap;
use tern_model::Span;
use tern_model::automaton::{Cube, Literal};

/// The most cubes that a label may need.
const MOST_CUBES: usize = 4096;

/// An expression; its parts have smaller numbers.
#[derive(Clone, Copy, Debug)]
enum Node {
    Constant(bool),
    Proposition(u32),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
}

/// The number of an expression.
pub(super) type Label = usize;

/// All expressions of a text, and the cubes of those that were asked for.
#[derive(Debug, Default)]
pub(super) struct Labels {
    nodes: Vec<Node>,
    aliases: FxHashMap<String, Label>,
    /// Cubes of an expression or of its negation; nothing if they are too many.
    cubes: FxHashMap<(Label, bool), Option<Vec<Vec<Literal>>>>,
}

impl Labels {
    fn make(&mut self, node: Node) -> Label {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Gives a label a name; whether the name is new.
    pub(super) fn name(&mut self, alias: &str, label: Label) -> bool {
        self.aliases.insert(alias.to_owned(), label).is_none()
    }

    /// Reads an expression, up to where it ends.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, propositions: usize) -> Option<Label> {
        // Operators that wait for their right side: `(`, `!`, `&`, `|`, loosest on the outside.
        let mut operators: Vec<char> = Vec::new();
        let mut operands: Vec<Label> = Vec::new();
        loop {
            match reader.tokens.peek().0 {
                Token::Sign(sign @ ('!' | '(')) => {
                    reader.tokens.next();
                    operators.push(sign);
                    continue;
                }
                _ => {
                    let operand = self.operand(reader, propositions)?;
                    operands.push(operand);
                }
            }
            loop {
                self.apply(&mut operators, &mut operands, '!');
                match reader.tokens.peek().0 {
                    Token::Sign(')') if operators.contains(&'(') => {
                        reader.tokens.next();
                        self.apply(&mut operators, &mut operands, '|');
                        operators.pop();
                    }
                    Token::Sign(sign @ ('&' | '|')) => {
                        reader.tokens.next();
                        self.apply(&mut operators, &mut operands, sign);
                        operators.push(sign);
                        break;
                    }
                    _ if operators.contains(&'(') => {
                        reader.unexpected("`)`");
                        return None;
                    }
                    _ => {
                        self.apply(&mut operators, &mut operands, '|');
                        return operands.pop();
                    }
                }
            }
        }
    }

    /// Applies waiting operators that bind at least as tightly as `limit`.
    fn apply(&mut self, operators: &mut Vec<char>, operands: &mut Vec<Label>, limit: char) {
        let tightness = |operator| match operator {
            '!' => 3,
            '&' => 2,
            '|' => 1,
            _ => 0,
        };
        while let Some(&operator) = operators.last()
            && tightness(operator) >= tightness(limit)
        {
            operators.pop();
            let Some(right) = operands.pop() else { return };
            let node = if operator == '!' {
                Node::Not(right)
            } else {
                let Some(left) = operands.pop() else { return };
                if operator == '&' { Node::And(left, right) } else { Node::Or(left, right) }
            };
            let made = self.make(node);
            operands.push(made);
        }
    }

    fn operand(&mut self, reader: &mut Reader<'_>, propositions: usize) -> Option<Label> {
        match reader.tokens.peek() {
            (Token::Word(constant @ ("t" | "f")), _) => {
                reader.tokens.next();
                Some(self.make(Node::Constant(constant == "t")))
            }
            (Token::Number(number), span) => {
                reader.tokens.next();
                let proposition = u32::try_from(number).ok().filter(|_| number < propositions);
                if proposition.is_none() {
                    let message =
                        format!("there is no proposition {number}, only {propositions} of them");
                    reader.problem(
                        "A008",
                        span,
                        message,
                        "counted from 0",
                        "declare it behind `AP:`",
                    );
                }
                Some(self.make(Node::Proposition(proposition.unwrap_or(0))))
            }
            (Token::Alias(alias), span) => {
                reader.tokens.next();
                let known = self.aliases.get(alias).copied();
                if known.is_none() {
                    let message = format!("there is no alias `{alias}`");
                    let hint = "define it with `Alias:` before it is used";
                    reader.problem("A008", span, message, "used here", hint);
                }
                known.or_else(|| Some(self.make(Node::Constant(false))))
            }
            _ => {
                reader.unexpected("a label: a proposition, an alias, `t`, `f`, `!` or `(`");
                None
            }
        }
    }

    /// The label of the `number`th edge of a state without labels: bit `i` is the truth of
    /// proposition `i`.
    pub(super) fn implicit(number: usize, propositions: usize) -> Vec<Cube> {
        let literal = |i: u32| Literal { proposition: i, holds: number >> i & 1 == 1 };
        let count = u32::try_from(propositions).unwrap_or(0);
        vec![Cube((0..count).map(literal).collect())]
    }

    /// The cubes of a label.
    pub(super) fn cubes(&mut self, label: Label, span: Span, reader: &mut Reader<'_>) -> Vec<Cube> {
        let mut stack = vec![(label, true)];
        while let Some(&(label, holds)) = stack.last() {
            if self.cubes.contains_key(&(label, holds)) {
                stack.pop();
                continue;
            }
            let parts: &[(Label, bool)] = match self.nodes[label] {
                Node::Constant(_) | Node::Proposition(_) => &[],
                Node::Not(f) => &[(f, !holds)],
                Node::And(f, g) | Node::Or(f, g) => &[(f, holds), (g, holds)],
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|part| !self.cubes.contains_key(part)));
            if stack.len() == before {
                stack.pop();
                let found = self.combine(label, holds);
                self.cubes.insert((label, holds), found);
            }
        }
        let found = self.cubes.get(&(label, true)).cloned().flatten();
        if found.is_none() {
            let message = format!("this label needs more than {MOST_CUBES} conjunctions");
            reader.problem("A010", span, message, "too large", "split it into several edges");
        }
        found.unwrap_or_default().into_iter().map(|cube| Cube(cube.into())).collect()
    }

    fn combine(&self, label: Label, holds: bool) -> Option<Vec<Vec<Literal>>> {
        let of = |f: Label, holds: bool| self.cubes.get(&(f, holds)).cloned().flatten();
        match self.nodes[label] {
            Node::Constant(value) if value == holds => Some(vec![Vec::new()]),
            Node::Constant(_) => Some(Vec::new()),
            Node::Proposition(proposition) => Some(vec![vec![Literal { proposition, holds }]]),
            Node::Not(f) => of(f, !holds),
            Node::And(f, g) if holds => both(&of(f, holds)?, &of(g, holds)?),
            Node::Or(f, g) if !holds => both(&of(f, holds)?, &of(g, holds)?),
            Node::And(f, g) | Node::Or(f, g) => {
                let mut all = of(f, holds)?;
                for cube in of(g, holds)? {
                    add(&mut all, cube);
                }
                (all.len() <= MOST_CUBES).then_some(all)
            }
        }
    }
}

/// The cubes of a conjunction, unless they are too many.
fn both(left: &[Vec<Literal>], right: &[Vec<Literal>]) -> Option<Vec<Vec<Literal>>> {
    let mut all = Vec::new();
    for first in left {
        for second in right {
            let mut cube = [&first[..], &second[..]].concat();
            cube.sort_unstable();
            cube.dedup();
            if cube.windows(2).all(|pair| pair[0].proposition != pair[1].proposition) {
                add(&mut all, cube);
                if all.len() > MOST_CUBES {
                    return None;
                }
            }
        }
    }
    Some(all)
}

/// Adds a cube unless a larger one is there, and removes smaller ones.
fn add(all: &mut Vec<Vec<Literal>>, cube: Vec<Literal>) {
    let within = |large: &[Literal], small: &[Literal]| large.iter().all(|x| small.contains(x));
    if !all.iter().any(|known| within(known, &cube)) {
        all.retain(|known| !within(&cube, known));
        all.push(cube);
    }
}
