//! An exact oracle for CTL: components tabulated under all contexts in which they are called.
//!
//! # The idea
//! What happens inside a component depends on the stack below it only through what its exits lead
//! to. A *row* of the table is a component under a *context*, which says of each exit its *mode*
//! (may control leave by it at all?) and, of each temporal operator worked out so far, one bit:
//! after leaving by this exit, does some next configuration satisfy what the operator looks for?
//! For `EX f` that is `f`, for `EU` and `EG` the operator itself, since
//! ```text
//! E[f U g] = g | (f & EX E[f U g])         EG f = f & EX EG f
//! ```
//! The formula is worked through term by term, operands first. A boolean term is evaluated in every
//! row by itself. A temporal term, number j, refines the table: a row of the new table is a row of
//! the old one, its *parent*, with bit j for each exit. The rows wanted are found by need, from the
//! rows of the empty stack: the callee of a box in a row is the callee of that box in the parent,
//! with the bits now seen at the return sites of the box. Missing rows are added, and the table is
//! swept, from all false for `EX` and `EU`, from all true for `EG`, until a sweep changes nothing.
//! Return sites have values of their own in the table, because they may call straight on.
//!
//! # Why it is right
//! Let row([]) be the row of the empty stack, and row(s·b) the callee of b in row(s), once the
//! table has settled. Claim: the value of the term at a node n of row(s) is its truth at (s, n).
//! Suppose so for the terms before, hence for the rows of the parents.
//!
//! *`EU`, what is set is true.* By induction over the order in which values are set: if a row has
//! the parent that stack s has, and its bits claim no more than is true of s, then each value set
//! in it is true of s. The bits at the return sites of a box are such values, so they claim no more
//! than is true of s·b, and the induction reaches the rows that are called. It does not matter that
//! a row is called with few bits first and with more later: both rows speak the truth.
//!
//! *`EU`, what is true is set.* By induction over the length of a path from (s, n) that witnesses
//! it. If it leaves n by a step or a call, to a configuration (s', n') whose value is set in
//! row(s'), then n's is set, or the last sweep would have changed it. If it returns, with s = t·b,
//! then the value of the return site is set in row(t), so the bit is set in row(t·b).
//!
//! *`EG`* is the mirror image. What is true is never cleared, by induction over the order in which
//! values are cleared, for rows whose bits claim no less than is true. And from a value that stays,
//! some step leads to a value that stays, in row(s') again, through calls and returns as above:
//! follow them for ever, and that is the path. *`EX`* looks one step ahead at a term that is known.
//!
//! A table has finitely many rows and each value changes once, so the sweeps end.

use crate::oracle::existential::{Temporal, Term, terms};
use crate::oracle::fragment::state_formulas;
use std::collections::BTreeMap;
use tern_model::{
    BoxId, CompId, Edge, EndRule, ExitId, FormulaId, Formulas, Machine, NodeId, Place, PlaceId,
};

/// Whether a formula holds in all initial configurations. `None` if it is not CTL, or if a table of
/// more than `limit` values would be needed.
pub fn check(
    machine: &Machine,
    formulas: &Formulas,
    formula: FormulaId,
    limit: usize,
) -> Option<bool> {
    let solution = solve(machine, formulas, formula, limit)?;
    let holds = |&node: &NodeId| solution.at(&[], node).expect("the empty stack has its rows");
    Some(machine.initial().iter().all(holds))
}

/// The truth of a formula at all configurations. `None` if it is not CTL, or if a table of more
/// than `limit` values would be needed.
pub fn solve<'a>(
    machine: &'a Machine,
    formulas: &Formulas,
    formula: FormulaId,
    limit: usize,
) -> Option<Solution<'a>> {
    let (terms, root) = terms(&state_formulas(formulas, formula)?);
    let mut rows = rows_by_mode(machine, limit)?;
    // The values of the terms in the sink, which is its own only successor and has no labels.
    let mut sink: Vec<bool> = Vec::new();
    for &term in &terms {
        sink.push(match term {
            Term::True => true,
            Term::Atom(_) => false,
            Term::Not(f) => !sink[f],
            Term::And(f, g) => sink[f] && sink[g],
            Term::Or(f, g) => sink[f] || sink[g],
            Term::Temporal(Temporal::Ex(f) | Temporal::Eg(f) | Temporal::Eu(_, f)) => sink[f],
        });
        if let Term::Temporal(operator) = term {
            let in_sink = *sink.last().expect("just pushed");
            rows = Refinement { machine, operator, in_sink, parents: &rows }.rows(limit)?;
            continue;
        }
        for row in &mut rows {
            for (node, truth) in machine.nodes_of(row.component).zip(&mut row.truth) {
                truth.push(match term {
                    Term::True => true,
                    Term::Atom(atom) => machine
                        .label(formulas.atom_name(atom))
                        .is_some_and(|label| machine.has_label(node, label)),
                    Term::Not(f) => !truth[f],
                    Term::And(f, g) => truth[f] && truth[g],
                    Term::Or(f, g) => truth[f] || truth[g],
                    Term::Temporal(_) => unreachable!("worked out above"),
                });
            }
        }
    }
    Some(Solution { machine, rows, root })
}

/// The truth of a formula at every configuration that can be called from an empty stack.
#[derive(Clone, Debug)]
pub struct Solution<'a> {
    machine: &'a Machine,
    rows: Vec<Row>,
    root: usize,
}

impl Solution<'_> {
    /// Whether the formula holds at a configuration; the innermost call is last on the stack.
    /// `None` if there is no such configuration, or if none of its outermost component is initial.
    pub fn at(&self, stack: &[BoxId], node: NodeId) -> Option<bool> {
        let outermost = match stack.first() {
            Some(&call) => self.machine.component_of_box(call),
            None => self.machine.component_of(node),
        };
        let mut row = self.rows.iter().find(|row| {
            row.component == outermost && row.modes.iter().all(|&mode| mode == Mode::Ended)
        })?;
        for call in stack {
            let boxes = self.machine.boxes_of(row.component);
            row = &self.rows[row.callees[boxes.iter().position(|b| b == call)?]];
        }
        let place = self.machine.node_place(node);
        (self.machine.component_of(node) == row.component)
            .then(|| row.truth[self.machine.place_position(place)][self.root])
    }

    /// How many components under contexts were needed in the end.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }
}

/// What an exit leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    /// The stack is empty: leaving by the exit is the end of the program.
    Ended,
    /// The box does not go on after this exit: there is no step that leaves by it.
    Closed,
    /// To the return site of the box.
    Open,
}

/// A component under a context.
#[derive(Clone, Debug)]
struct Row {
    component: CompId,
    /// Of each exit.
    modes: Vec<Mode>,
    /// The row that this one refines.
    parent: usize,
    /// Of each exit: the bit of the operator that was worked out last. False if not open.
    bits: Vec<bool>,
    /// Of each node: the values of the terms worked out so far.
    truth: Vec<Vec<bool>>,
    /// Of each place: the value of the operator that was worked out last.
    operator: Vec<bool>,
    /// Of each box: the row that it calls.
    callees: Vec<usize>,
}

/// The first table, which tells contexts apart by modes alone.
fn rows_by_mode(machine: &Machine, limit: usize) -> Option<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let find = |component: CompId, modes: Vec<Mode>, rows: &mut Vec<Row>| {
        let known = rows.iter().position(|row| row.component == component && row.modes == modes);
        known.unwrap_or_else(|| {
            let truth = vec![Vec::new(); machine.nodes_of(component).len()];
            let (bits, operator, callees) = (vec![false; modes.len()], Vec::new(), Vec::new());
            rows.push(Row { component, modes, parent: 0, bits, truth, operator, callees });
            rows.len() - 1
        })
    };
    for &node in machine.initial() {
        let component = machine.component_of(node);
        let ended = vec![Mode::Ended; machine.exits_of(component).len()];
        find(component, ended, &mut rows);
    }
    let mut next = 0;
    while next < rows.len() {
        for &call in machine.boxes_of(rows[next].component) {
            let callee = machine.callee(call);
            let mode = |&exit: &ExitId| match machine.site(call, exit) {
                Some(_) => Mode::Open,
                None => Mode::Closed,
            };
            let modes = machine.exits_of(callee).iter().map(mode).collect();
            let row = find(callee, modes, &mut rows);
            rows[next].callees.push(row);
        }
        next += 1;
    }
    within(machine, &rows, limit).then_some(rows)
}

fn within(machine: &Machine, rows: &[Row], limit: usize) -> bool {
    rows.iter().map(|row| machine.places_of(row.component).len()).sum::<usize>() <= limit
}

/// Works out one temporal operator: makes a new table from the one before.
struct Refinement<'a> {
    machine: &'a Machine,
    operator: Temporal,
    /// The value of the operator in the sink.
    in_sink: bool,
    parents: &'a [Row],
}

impl Refinement<'_> {
    fn rows(&self, limit: usize) -> Option<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        let mut index: BTreeMap<(usize, Vec<bool>), usize> = BTreeMap::new();
        // The rows of the empty stack; none of their exits is open, so their bits mean nothing.
        for (number, parent) in self.parents.iter().enumerate() {
            if parent.is_of_empty_stack(self.machine) {
                self.find(number, parent.bits.clone(), &mut rows, &mut index);
            }
        }
        loop {
            let mut stable = true;
            let mut current = 0;
            while current < rows.len() {
                let component = rows[current].component;
                let boxes = self.machine.boxes_of(component);
                let callees: Vec<usize> = (0..boxes.len())
                    .map(|position| {
                        let bits = self.bits_at_sites(&rows[current], boxes[position]);
                        let parent = self.parents[rows[current].parent].callees[position];
                        self.find(parent, bits, &mut rows, &mut index)
                    })
                    .collect();
                stable &= callees == rows[current].callees;
                rows[current].callees = callees;
                for (position, &place) in self.machine.places_of(component).iter().enumerate() {
                    let value = self.value(&rows, current, place);
                    if value != self.start() && rows[current].operator[position] == self.start() {
                        rows[current].operator[position] = value;
                        stable = false;
                    }
                }
                current += 1;
            }
            if !within(self.machine, &rows, limit) {
                return None;
            }
            if stable {
                break;
            }
        }
        for row in &mut rows {
            for (truth, &value) in row.truth.iter_mut().zip(&row.operator) {
                truth.push(value);
            }
        }
        Some(rows)
    }

    /// The value that is assumed of every place until something is known.
    fn start(&self) -> bool {
        matches!(self.operator, Temporal::Eg(_))
    }

    /// The number of the row with this parent and these bits, which is added if it is new.
    fn find(
        &self,
        parent: usize,
        bits: Vec<bool>,
        rows: &mut Vec<Row>,
        index: &mut BTreeMap<(usize, Vec<bool>), usize>,
    ) -> usize {
        *index.entry((parent, bits)).or_insert_with_key(|(parent, bits)| {
            let refined = &self.parents[*parent];
            let places = self.machine.places_of(refined.component).len();
            rows.push(Row {
                parent: *parent,
                bits: bits.clone(),
                operator: vec![self.start(); places],
                callees: Vec::new(),
                ..refined.clone()
            });
            rows.len() - 1
        })
    }

    /// The bits of the context in which a row calls a box, as far as they are known.
    fn bits_at_sites(&self, row: &Row, call: BoxId) -> Vec<bool> {
        let exits = self.machine.exits_of(self.machine.callee(call));
        let bit = |&exit: &ExitId| match self.machine.site(call, exit) {
            Some(site) => row.operator[self.machine.place_position(site)],
            None => false,
        };
        exits.iter().map(bit).collect()
    }

    /// The law of the operator at a place; a return site only passes on what comes next.
    fn value(&self, rows: &[Row], row: usize, place: PlaceId) -> bool {
        let next = self.some_next(rows, row, place);
        match self.machine.place(place) {
            Place::Site(..) => next,
            Place::Node(_) => {
                let known = &rows[row].truth[self.machine.place_position(place)];
                match self.operator {
                    Temporal::Ex(_) => next,
                    Temporal::Eu(f, g) => known[g] || known[f] && next,
                    Temporal::Eg(f) => known[f] && next,
                }
            }
        }
    }

    /// Whether some configuration that is next after a place has what the operator looks for.
    fn some_next(&self, rows: &[Row], row: usize, place: PlaceId) -> bool {
        let wanted = |row: usize, node: NodeId| {
            let position = self.machine.place_position(self.machine.node_place(node));
            match self.operator {
                Temporal::Ex(f) => rows[row].truth[position][f],
                Temporal::Eu(..) | Temporal::Eg(_) => rows[row].operator[position],
            }
        };
        let here = &rows[row];
        // One entry for each edge that can be taken.
        let mut found: Vec<bool> = Vec::new();
        for &edge in self.machine.edges_at(place) {
            match (edge, self.machine.place(place)) {
                (Edge::Step(to), _) => found.push(wanted(row, to)),
                (Edge::Call(call, entry), _) => {
                    let boxes = self.machine.boxes_of(here.component);
                    let position = boxes.iter().position(|&b| b == call).expect("a box from here");
                    found.push(wanted(here.callees[position], entry));
                }
                (Edge::Return(exit), Place::Node(node)) => {
                    let position = self.machine.exit_position(exit);
                    match (here.modes[position], self.machine.end_rule()) {
                        (Mode::Closed, _) => (),
                        (Mode::Open, _) => found.push(here.bits[position]),
                        (Mode::Ended, EndRule::Loop) => found.push(wanted(row, node)),
                        (Mode::Ended, EndRule::Sink) => found.push(self.in_sink),
                    }
                }
                (Edge::Return(_), Place::Site(..)) => unreachable!("return sites do not return"),
            }
        }
        match self.machine.place(place) {
            // A dead end stutters.
            Place::Node(node) if found.is_empty() => wanted(row, node),
            _ => found.contains(&true),
        }
    }
}

impl Row {
    /// Whether this is a component with an initial node, and all its exits are the end.
    fn is_of_empty_stack(&self, machine: &Machine) -> bool {
        self.modes.iter().all(|&mode| mode == Mode::Ended)
            && machine.initial().iter().any(|&node| machine.component_of(node) == self.component)
    }
}
