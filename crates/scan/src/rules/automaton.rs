//! The automaton of a claim about one object: deterministic, over the events of its rule.
//!
//! State 0 is where every object begins. [`ERROR`] is reached by a violation; the object is not
//! followed further. A state is *pending* if the object must not be lost in it.
//!
//! Counting claims (`take -> give before lost`, `then only after first`) count to [`MOST`], and an
//! object that is taken more often is not followed ([`FORGOTTEN`]).

use super::{Claim, Regular};

/// The state after a violation.
pub const ERROR: u8 = u8::MAX;
/// The state of an object that is not followed any more.
pub const FORGOTTEN: u8 = u8::MAX - 1;
/// How far claims count.
const MOST: u8 = 4;

/// A deterministic automaton over the events of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    events: usize,
    /// For each state and event, where it leads.
    next: Vec<u8>,
    /// Whether an object must not be lost in a state.
    pending: Vec<bool>,
    /// The state of an object that was taken and given back as often.
    again: Option<u8>,
}

impl Automaton {
    /// The automaton of a claim; none for claims about more than one object.
    pub(super) fn of(claim: &Claim, events: usize) -> Option<Automaton> {
        match claim {
            Claim::Released { take, give } => {
                // Who gives back first what a caller took may take it again.
                Some(Self::counting(events, *take, *give, FORGOTTEN, true))
            }
            Claim::OnlyAfter { then, first } => {
                Some(Self::counting(events, *first, *then, ERROR, false))
            }
            Claim::NeverAfter { bad, first, until } => {
                let mut automaton = Automaton::idle(events, 2);
                automaton.set(0, *first, 1);
                if let Some(until) = until {
                    automaton.set(1, *until, 0);
                }
                automaton.set(1, *bad, ERROR);
                Some(automaton)
            }
            Claim::Never(event) => {
                let mut automaton = Automaton::idle(events, 1);
                automaton.set(0, *event, ERROR);
                Some(automaton)
            }
            Claim::Order(regular) => Some(Self::order(regular, events)),
            Claim::Formula(_) | Claim::BuiltIn(_) => None,
        }
    }

    fn idle(events: usize, states: usize) -> Automaton {
        let next = (0..states).flat_map(|state| vec![state as u8; events]).collect();
        Automaton { events, next, pending: vec![false; states], again: None }
    }

    fn set(&mut self, state: usize, event: usize, next: u8) {
        self.next[state * self.events + event] = next;
    }

    /// Counts one event up and another down; `at_zero` says what going below zero means.
    /// Where that is wrong, an object that came back to zero is told from one that was never taken:
    /// of the latter others may know more.
    fn counting(events: usize, up: usize, down: usize, at_zero: u8, is_pending: bool) -> Automaton {
        let again = MOST + 1;
        let mut automaton = Automaton::idle(events, usize::from(again) + 1);
        automaton.set(usize::from(again), up, 1);
        automaton.set(usize::from(again), down, at_zero);
        if at_zero == ERROR {
            automaton.set(1, down, again);
            automaton.again = Some(again);
        }
        for count in 0..=MOST {
            let state = usize::from(count);
            automaton.set(state, up, if count == MOST { FORGOTTEN } else { count + 1 });
            if count != 1 || at_zero != ERROR {
                automaton.set(state, down, if count == 0 { at_zero } else { count - 1 });
            }
            automaton.pending[state] = is_pending && count > 0;
        }
        automaton
    }

    /// Sets of positions of the expression (Glushkov's automaton), made deterministic.
    fn order(regular: &Regular, events: usize) -> Automaton {
        let mut positions = Positions::default();
        let shape = positions.shape(regular);
        let start: (Vec<usize>, bool) = (Vec::new(), true);
        let mut states = vec![start];
        let mut automaton =
            Automaton { events, next: Vec::new(), pending: Vec::new(), again: None };
        let mut row = 0;
        while row < states.len() {
            let (set, is_start) = states[row].clone();
            let following = |position: usize| positions.follow[position].iter().copied();
            let mut reach: Vec<usize> = set.iter().copied().flat_map(following).collect();
            if is_start {
                reach.extend(&shape.first);
            }
            for event in 0..events {
                let mut to: Vec<usize> =
                    reach.iter().copied().filter(|&it| positions.events[it] == event).collect();
                to.sort_unstable();
                to.dedup();
                let next = match (
                    to.is_empty(),
                    states.iter().position(|it| *it == (to.clone(), false)),
                ) {
                    (true, _) => ERROR,
                    (_, Some(known)) => known as u8,
                    _ if states.len() >= usize::from(FORGOTTEN) => FORGOTTEN,
                    _ => {
                        states.push((to, false));
                        (states.len() - 1) as u8
                    }
                };
                automaton.next.push(next);
            }
            let may_end = is_start || set.iter().any(|position| shape.last.contains(position));
            automaton.pending.push(!may_end);
            row += 1;
        }
        automaton
    }

    /// Where an event leads from a state.
    pub fn next(&self, state: u8, event: usize) -> u8 {
        match state {
            ERROR | FORGOTTEN => state,
            state => self.next[usize::from(state) * self.events + event],
        }
    }

    /// Whether what was taken was given back as often.
    pub fn is_balanced(&self, state: u8) -> bool {
        self.again == Some(state)
    }

    /// Whether an object must not be lost in a state.
    pub fn is_pending(&self, state: u8) -> bool {
        self.pending.get(usize::from(state)).copied().unwrap_or(false)
    }
}

#[derive(Default)]
struct Positions {
    events: Vec<usize>,
    follow: Vec<Vec<usize>>,
}

struct Shape {
    first: Vec<usize>,
    last: Vec<usize>,
    may_be_empty: bool,
}

impl Positions {
    // The depth of an expression is bounded by the parser.
    fn shape(&mut self, regular: &Regular) -> Shape {
        match regular {
            Regular::Event(event) => {
                let position = self.events.len();
                self.events.push(*event);
                self.follow.push(Vec::new());
                Shape { first: vec![position], last: vec![position], may_be_empty: false }
            }
            Regular::Sequence(parts) => {
                let mut all = Shape { first: vec![], last: vec![], may_be_empty: true };
                for part in parts {
                    let part = self.shape(part);
                    self.connect(&all.last, &part.first);
                    if all.may_be_empty {
                        all.first.extend(&part.first);
                    }
                    if !part.may_be_empty {
                        all.last.clear();
                    }
                    all.last.extend(&part.last);
                    all.may_be_empty &= part.may_be_empty;
                }
                all
            }
            Regular::Choice(parts) => {
                let mut all = Shape { first: vec![], last: vec![], may_be_empty: false };
                for part in parts {
                    let part = self.shape(part);
                    all.first.extend(part.first);
                    all.last.extend(part.last);
                    all.may_be_empty |= part.may_be_empty;
                }
                all
            }
            Regular::Repeat(part, from_zero, is_bounded) => {
                let mut part = self.shape(part);
                if !is_bounded {
                    let (last, first) = (part.last.clone(), part.first.clone());
                    self.connect(&last, &first);
                }
                part.may_be_empty |= from_zero;
                part
            }
        }
    }

    fn connect(&mut self, last: &[usize], first: &[usize]) {
        for &position in last {
            self.follow[position].extend(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(automaton: &Automaton, events: &[usize]) -> u8 {
        events.iter().fold(0, |state, &event| automaton.next(state, event))
    }

    #[test]
    fn claims_count() {
        let released = Automaton::of(&Claim::Released { take: 0, give: 1 }, 2).unwrap();
        for (events, pending) in
            [(&[][..], false), (&[0], true), (&[0, 1], false), (&[0, 0, 1], true), (&[1], false)]
        {
            assert_eq!(released.is_pending(run(&released, events)), pending, "{events:?}");
        }
        let after = Automaton::of(&Claim::OnlyAfter { then: 1, first: 0 }, 2).unwrap();
        assert_eq!(run(&after, &[1]), ERROR);
        assert_ne!(run(&after, &[0, 1]), 0);
        assert_eq!(run(&after, &[0, 1, 0]), run(&after, &[0]));
        assert_eq!(run(&after, &[0, 1, 1]), ERROR);
        let never = Claim::NeverAfter { bad: 1, first: 0, until: Some(2) };
        let never = Automaton::of(&never, 3).unwrap();
        assert_eq!(run(&never, &[0, 1]), ERROR);
        assert_ne!(run(&never, &[0, 2, 1]), ERROR);
        let twice = Claim::NeverAfter { bad: 0, first: 0, until: None };
        assert_eq!(run(&Automaton::of(&twice, 1).unwrap(), &[0, 0]), ERROR);
    }

    #[test]
    fn orders_are_regular_expressions() {
        // open, (read | write)*, close
        let middle = Regular::Choice(vec![Regular::Event(1), Regular::Event(2)]);
        let order = Regular::Sequence(vec![
            Regular::Event(0),
            Regular::Repeat(Box::new(middle), true, false),
            Regular::Event(3),
        ]);
        let order = Automaton::of(&Claim::Order(order), 4).unwrap();
        assert_ne!(run(&order, &[0, 1, 2, 1, 3]), ERROR);
        assert!(!order.is_pending(run(&order, &[0, 3])));
        assert!(order.is_pending(run(&order, &[0, 1])));
        assert!(!order.is_pending(0));
        for wrong in [&[1][..], &[0, 0], &[0, 3, 1], &[3]] {
            assert_eq!(run(&order, wrong), ERROR, "{wrong:?}");
        }
    }
}
