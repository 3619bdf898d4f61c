//! The run that shows a finding, as a story indented by calls.
//!
//! It goes along the first way to the place that was found: from the entry of the outermost
//! procedure, by the tests on the way and how they went, into the calls that lead to the place.

use crate::certainty::Chain;
use crate::explore::{Breach, ComponentId, Ending, Explored, Violation};
use crate::findings::{Moment, test_text};
use crate::words;
use tern_ir::{Body, Jump, ProcId};

/// The most moments of a run that are kept.
const MOST_MOMENTS: usize = 200;

/// The run of a violation: from the outermost call to the place.
pub(crate) fn run(explored: &Explored, violation: &Violation, chain: &Chain) -> Vec<Moment> {
    let mut moments = Vec::new();
    let innermost = chain.calls.len() - 1;
    for (depth, &(id, last)) in chain.calls.iter().rev().enumerate() {
        let teller = Teller::new(explored, id, depth);
        let is_innermost = depth == innermost;
        teller.way(last, violation, is_innermost, &mut moments);
        if is_innermost {
            teller.end(last, violation, &mut moments);
        } else {
            let callee = explored.components[chain.calls[innermost - 1 - depth].0].procedure;
            let text = format!("call {}", explored.world.program.title(callee));
            let line = teller.line(last);
            moments.push(teller.moment(line, text, true));
        }
    }
    if moments.len() > MOST_MOMENTS {
        let extra = moments.len() - MOST_MOMENTS;
        moments.drain(MOST_MOMENTS / 2..MOST_MOMENTS / 2 + extra);
    }
    moments
}

/// The line of a node.
pub(crate) fn line(explored: &Explored, id: ComponentId, node: usize) -> u32 {
    Teller::new(explored, id, 0).line(node)
}

/// The run to a node of a component, from its entry.
pub(crate) fn way(explored: &Explored, id: ComponentId, node: usize) -> Vec<Moment> {
    let mut moments = Vec::new();
    let teller = Teller::new(explored, id, 0);
    teller.tests(node, None, &mut moments);
    let line = teller.line(node);
    moments.push(teller.moment(line, "here the rule is broken".to_owned(), true));
    moments.truncate(MOST_MOMENTS);
    moments
}

struct Teller<'e, 'w, 'p> {
    explored: &'e Explored<'w, 'p>,
    id: ComponentId,
    depth: usize,
    procedure: ProcId,
    body: &'p Body,
    file: String,
    title: String,
}

impl<'e, 'w, 'p> Teller<'e, 'w, 'p> {
    fn new(explored: &'e Explored<'w, 'p>, id: ComponentId, depth: usize) -> Self {
        let procedure = explored.components[id].procedure;
        Teller {
            explored,
            id,
            depth,
            procedure,
            body: explored.body(procedure),
            file: words::file(explored.world.program, procedure),
            title: words::signature(explored.world, procedure),
        }
    }

    fn moment(&self, line: u32, text: String, essential: bool) -> Moment {
        Moment {
            depth: self.depth,
            file: self.file.clone(),
            line,
            procedure: self.title.clone(),
            text,
            essential,
        }
    }

    /// The line of the statement that comes next at a node.
    fn line(&self, node: usize) -> u32 {
        let node = &self.explored.components[self.id].nodes[node];
        let block = &self.body.blocks[node.block];
        let row = block.statements.start + node.at;
        match row < block.statements.end {
            true => self.body.places[row as usize].line,
            false => block.place.line,
        }
    }

    fn way(&self, last: usize, violation: &Violation, is_innermost: bool, to: &mut Vec<Moment>) {
        let since = match violation.breach {
            Breach::Lost(_) if is_innermost => Some(violation.statement),
            _ => None,
        };
        self.tests(last, since, to);
    }

    /// Tests on the way to a node, and the statement that is not undone, where it is passed.
    fn tests(&self, last: usize, since: Option<u32>, to: &mut Vec<Moment>) {
        let (explored, body) = (self.explored, self.body);
        let component = &explored.components[self.id];
        let mut path = vec![last];
        while let Some(from) = component.nodes[path[path.len() - 1]].from {
            path.push(from);
        }
        path.reverse();
        let first = body.places.first().map_or(0, |place| place.line);
        to.push(self.moment(first, format!("enter {}", self.title), false));
        let mut is_told = false;
        for (position, &number) in path.iter().enumerate() {
            let from = &component.nodes[number];
            let block = &body.blocks[from.block];
            let next = path.get(position + 1).map(|&next| &component.nodes[next]);
            let rows = block.statements.start + from.at..block.statements.end;
            if let Some(since) = since.filter(|row| rows.contains(row) && !is_told) {
                let stays = next.is_none_or(|next| {
                    next.block != from.block || block.statements.start + next.at > since
                });
                if stays {
                    is_told = true;
                    let line = explored.place(self.procedure, since).line;
                    to.push(self.moment(line, "this is not undone".to_owned(), true));
                }
            }
            if let (Jump::Branch { test, yes, no }, Some(next)) = (&block.jump, next)
                && next.at == 0
                && yes != no
                && (next.block == *yes || next.block == *no)
            {
                let text = test_text(explored.world, body, test, next.block == *yes);
                to.push(self.moment(block.place.line, text, true));
            }
        }
        if let (Some(since), false) = (since, is_told) {
            let line = explored.place(self.procedure, since).line;
            to.push(self.moment(line, "this is not undone".to_owned(), true));
        }
    }

    fn end(&self, last: usize, violation: &Violation, to: &mut Vec<Moment>) {
        let Breach::Lost(ending) = violation.breach else {
            let place = self.explored.place(self.procedure, violation.statement);
            to.push(self.moment(place.line, "here the rule is broken".to_owned(), true));
            return;
        };
        let node = &self.explored.components[self.id].nodes[last];
        let (text, line) = match ending {
            Ending::Return => ("the method ends", self.body.blocks[node.block].place.line),
            Ending::Throw(..) => ("the method ends by an exception", self.line(last)),
        };
        to.push(self.moment(line, text.to_owned(), true));
    }
}
