//! Goes through a DOT text and notes the states and edges of its graph.

use super::Graph;
use super::lexer::{Lexer, Token};
use crate::problem::{Problem, Refusal};
use std::borrow::Cow;
use tern_model::Span;
use tern_model::budget::Meter;

pub(super) struct Reader<'a, 'b> {
    pub(super) lexer: Lexer<'a>,
    pub(super) peeked: Option<(Token<'a>, Span)>,
    pub(super) meter: Meter<'b>,
    pub(super) graph: Graph<'a>,
}

impl<'a> Reader<'a, '_> {
    fn next(&mut self) -> (Token<'a>, Span) {
        self.peeked.take().unwrap_or_else(|| self.lexer.next())
    }

    fn peek(&mut self) -> &Token<'a> {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.next());
        }
        self.peeked.as_ref().map_or(&Token::End, |(token, _)| token)
    }

    fn take(&mut self, sign: char) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn expected(&mut self, what: &str, found: &(Token<'a>, Span)) {
        if self.lexer.is_swallowed {
            return;
        }
        let (token, span) = found;
        let shown = if *token == Token::End { "the text ends here" } else { "this is not it" };
        let span = *span;
        self.lexer
            .problems
            .add(|_| Problem::error("K103", format!("{what} was expected here")).at(span, shown));
    }

    /// The whole text.
    pub(super) fn graph(&mut self) -> Result<(), Refusal> {
        let mut found = self.next();
        let is = |token: &Token<'_>, word: &str| matches!(token, Token::Name(name, true) if name.eq_ignore_ascii_case(word));
        if is(&found.0, "strict") {
            found = self.next();
        }
        if !is(&found.0, "digraph") {
            let span = found.1;
            let undirected = is(&found.0, "graph");
            self.lexer.problems.add(|_| {
                let message =
                    if undirected { "the graph is not directed" } else { "this is no graph" };
                Problem::error("K102", message)
                    .at(span, "`digraph` was expected here")
                    .hint("write digraph NAME { a -> b; }")
            });
            return Ok(());
        }
        if let Token::Name(name, _) = self.peek().clone() {
            self.next();
            self.graph.name = Some(name);
        }
        let open = self.next();
        if open.0 != Token::Sign('{') {
            self.expected("`{`", &open);
            return Ok(());
        }
        let mut opened = vec![open.1];
        while let Some(&innermost) = opened.last() {
            self.meter.tick().map_err(Refusal::Limit)?;
            let found = self.next();
            match &found.0 {
                Token::Sign('}') => drop(opened.pop()),
                Token::Sign('{') => opened.push(found.1),
                Token::Sign(';' | ',') => {}
                Token::End => {
                    self.lexer.open(innermost.start as usize, "brace");
                    return Ok(());
                }
                Token::Name(word, true) if word.eq_ignore_ascii_case("subgraph") => {
                    if matches!(self.peek(), Token::Name(..)) {
                        self.next();
                    }
                }
                Token::Name(name, _) => self.statement(name.clone(), found.1)?,
                _ => {
                    self.expected("a node, an edge or `}`", &found);
                    return Ok(());
                }
            }
        }
        let rest = self.next();
        if rest.0 != Token::End {
            self.expected("the end of the text", &rest);
        }
        Ok(())
    }

    /// A node, edges, or a default, of which the name is read.
    fn statement(&mut self, name: Cow<'a, str>, span: Span) -> Result<(), Refusal> {
        if self.take('=') {
            self.next();
            return Ok(());
        }
        let is_default = ["graph", "node", "edge"].iter().any(|it| name.eq_ignore_ascii_case(it));
        if is_default && *self.peek() == Token::Sign('[') {
            return self.attributes(&[]);
        }
        let first = self.graph.state(name, span);
        self.port();
        let mut from = vec![first];
        let mut is_edge = false;
        while matches!(self.peek(), Token::Arrow | Token::Line) {
            let arrow = self.next();
            if arrow.0 == Token::Line {
                self.expected("`->`", &arrow);
            }
            is_edge = true;
            let to = self.targets()?;
            for &source in &from {
                for &target in &to {
                    self.meter.tick().map_err(Refusal::Limit)?;
                    self.graph.edges.push((source, target));
                }
            }
            from = to;
        }
        let described = if is_edge { vec![] } else { from };
        self.attributes(&described)
    }

    /// One node, or several in braces.
    fn targets(&mut self) -> Result<Vec<usize>, Refusal> {
        let found = self.next();
        match found.0.clone() {
            Token::Name(name, _) => {
                let state = self.graph.state(name, found.1);
                self.port();
                Ok(vec![state])
            }
            Token::Sign('{') => {
                let mut states = Vec::new();
                loop {
                    self.meter.tick().map_err(Refusal::Limit)?;
                    let found = self.next();
                    match found.0.clone() {
                        Token::Name(name, _) => {
                            states.push(self.graph.state(name, found.1));
                            self.port();
                        }
                        Token::Sign(';' | ',') => {}
                        Token::Sign('}') => return Ok(states),
                        _ => {
                            self.expected("a node or `}`", &found);
                            self.peeked = Some(found);
                            return Ok(states);
                        }
                    }
                }
            }
            _ => {
                self.expected("a node, or nodes in braces,", &found);
                self.peeked = Some(found);
                Ok(Vec::new())
            }
        }
    }

    /// Skips where an edge touches a node.
    fn port(&mut self) {
        while self.take(':') {
            self.next();
        }
    }

    /// Lists of attributes, which describe some states.
    fn attributes(&mut self, states: &[usize]) -> Result<(), Refusal> {
        while self.take('[') {
            loop {
                self.meter.tick().map_err(Refusal::Limit)?;
                let found = self.next();
                match found.0.clone() {
                    Token::Sign(']') => break,
                    Token::Sign(';' | ',') => {}
                    Token::Name(name, _) => {
                        let mut value = Cow::Borrowed("true");
                        if self.take('=') {
                            let found = self.next();
                            match found.0 {
                                Token::Name(given, _) => value = given,
                                _ => self.expected("a value", &found),
                            }
                        }
                        for &state in states {
                            self.graph.describe(state, &name, &value);
                        }
                    }
                    _ => {
                        self.expected("an attribute or `]`", &found);
                        self.peeked = Some(found);
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}
