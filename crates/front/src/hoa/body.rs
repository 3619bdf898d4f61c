//! The body of an automaton: its states and their edges.

use super::Reader;
use super::header::Header;
use super::label::{Label, Labels};
use super::lexer::Token;
use tern_model::automaton::{Cube, Marks, Transition};
use tern_model::index::Id;
use tern_model::{Span, StateId};

/// The most propositions for which a state may leave its labels out.
const MOST_IMPLICIT: usize = 20;

/// Reads the states, up to the end of the automaton.
pub(super) fn read(reader: &mut Reader<'_>, header: &Header) -> Vec<Vec<Transition>> {
    let mut body = Body { header, states: Vec::new(), used: Vec::new() };
    match reader.tokens.peek() {
        (Token::Mark("BODY"), _) => {
            reader.tokens.next();
        }
        _ => {
            reader.unexpected("`--BODY--`");
            return Vec::new();
        }
    }
    loop {
        match reader.tokens.peek() {
            (Token::Item("State"), _) => {
                reader.tokens.next();
                if body.state(reader).is_none() {
                    reader.recover();
                }
            }
            (Token::Mark("END"), _) => {
                reader.tokens.next();
                break;
            }
            (Token::Mark("ABORT"), span) => {
                reader.tokens.next();
                let message = "the tool that wrote this automaton gave it up".to_owned();
                reader.problem("A012", span, message, "here", "write it again");
                break;
            }
            _ => {
                reader.unexpected("`State:` or `--END--`");
                let (token, _) = reader.tokens.next();
                reader.recover();
                if token == Token::End {
                    break;
                }
            }
        }
    }
    body.finish(reader)
}

struct Body<'h> {
    header: &'h Header,
    /// For each state its edges and where it is defined, if it is.
    states: Vec<Option<(Vec<Transition>, Span)>>,
    /// States that edges lead to.
    used: Vec<(usize, Span)>,
}

impl Body<'_> {
    fn label(&self, reader: &mut Reader<'_>) -> Option<Option<(Label, Span)>> {
        let (Token::Sign('['), begin) = reader.tokens.peek() else { return Some(None) };
        reader.tokens.next();
        let mut labels = self.header.labels.borrow_mut();
        let label = labels.read(reader, self.header.propositions.len())?;
        let (_, end) = reader.tokens.peek();
        reader.expect(Token::Sign(']'), "`]`")?;
        Some(Some((label, begin.to(end))))
    }

    /// The marks in braces, if there are any.
    fn marks(&self, reader: &mut Reader<'_>) -> Option<Marks> {
        let mut marks = 0;
        if reader.tokens.peek().0 != Token::Sign('{') {
            return Some(marks);
        }
        reader.tokens.next();
        while let (Token::Number(set), span) = reader.tokens.peek() {
            reader.tokens.next();
            if let Some(count) = self.header.acceptance.set_count.filter(|&count| set >= count) {
                let message = format!("there is no acceptance set {set}, only {count} of them");
                let hint = "mend it, or the number behind `Acceptance:`";
                reader.problem("A007", span, message, "counted from 0", hint);
            }
            marks |= self.header.acceptance.marks(set);
        }
        reader.expect(Token::Sign('}'), "a number or `}`")?;
        Some(marks)
    }

    fn state(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let state_label = self.label(reader)?;
        let (state, span) = reader.number("the number of a state")?;
        let limit = self.header.states.unwrap_or(reader.tokens.length().min(reader.states_left));
        if state >= limit {
            let message = format!("there is no state {state}, only {limit} of them");
            reader.problem("A007", span, message, "counted from 0", "mend it, or `States:`");
            return None;
        }
        if let Token::Text(_) = reader.tokens.peek().0 {
            reader.tokens.next();
        }
        let state_marks = self.marks(reader)?;
        let mut edges: Vec<(Option<(Label, Span)>, Transition)> = Vec::new();
        while let Token::Sign('[') | Token::Number(_) = reader.tokens.peek().0 {
            let label = self.label(reader)?;
            let (to, to_span) = reader.number("the state that the edge leads to")?;
            if let (Token::Sign('&'), span) = reader.tokens.peek() {
                let message = "an edge to several states at once is not supported".to_owned();
                let hint = "Tern reads automata without alternation; with Spot, `autfilt --gba` removes it";
                reader.problem("A006", span, message, "a conjunction of states", hint);
                return None;
            }
            self.used.push((to, to_span));
            let marks = state_marks | self.marks(reader)?;
            let to = StateId::new(to.min(u32::MAX as usize / 2));
            edges.push((label, Transition { guard: Vec::new(), marks, to }));
        }
        let edges = self.guarded(reader, state_label, edges, span);
        if self.states.len() <= state {
            self.states.resize(state + 1, None);
        }
        if let Some((_, first)) = &self.states[state] {
            let first = *first;
            reader.problems.add(|_| {
                crate::Problem::error("A011", format!("state {state} is defined twice"))
                    .at(span, "again here")
                    .related(first, "first here")
                    .hint("put all edges of a state behind one `State:`")
            });
        }
        self.states[state] = Some((edges, span));
        Some(())
    }

    /// Gives the edges of a state their guards.
    fn guarded(
        &self,
        reader: &mut Reader<'_>,
        state_label: Option<(Label, Span)>,
        edges: Vec<(Option<(Label, Span)>, Transition)>,
        span: Span,
    ) -> Vec<Transition> {
        let propositions = self.header.propositions.len();
        let labelled = edges.iter().filter(|(label, _)| label.is_some()).count();
        let mut labels = self.header.labels.borrow_mut();
        let whole = state_label.map(|(label, span)| labels.cubes(label, span, reader));
        if whole.is_some() && labelled > 0
            || whole.is_none() && labelled != 0 && labelled != edges.len()
        {
            let message = "some edges have labels of their own and others not".to_owned();
            let hint = "label the state, or all of its edges, or none";
            reader.problem("A009", span, message, "the edges of this state", hint);
        }
        let implicit = whole.is_none() && labelled == 0 && !edges.is_empty();
        if implicit && (propositions > MOST_IMPLICIT || edges.len() != 1 << propositions) {
            let message = format!(
                "{} edges without labels, where {propositions} propositions need 2^{propositions}",
                edges.len()
            );
            reader.problem(
                "A009",
                span,
                message,
                "the edges of this state",
                "write a label before each edge",
            );
            return Vec::new();
        }
        let mut transitions = Vec::with_capacity(edges.len());
        for (number, (label, transition)) in edges.into_iter().enumerate() {
            let guard: Vec<Cube> = match (label, &whole) {
                (Some((label, span)), _) => labels.cubes(label, span, reader),
                (None, Some(whole)) => whole.clone(),
                (None, None) => Labels::implicit(number, propositions),
            };
            transitions.push(Transition { guard, ..transition });
        }
        transitions
    }

    fn finish(mut self, reader: &mut Reader<'_>) -> Vec<Vec<Transition>> {
        // Without `States:` those are meant that are defined.
        let count = self.header.states.unwrap_or(self.states.len());
        let starts = if self.header.states.is_none() { &self.header.start[..] } else { &[] };
        for &(state, span) in self.used.iter().chain(starts).filter(|(state, _)| *state >= count) {
            let message = format!("there is no state {state}, only {count} of them");
            reader.problem("A007", span, message, "counted from 0", "define it with `State:`");
        }
        reader.states_left = reader.states_left.saturating_sub(count);
        self.states.resize(count, None);
        self.states.into_iter().map(|state| state.map_or(Vec::new(), |(edges, _)| edges)).collect()
    }
}
