//! Forged evidence: for each thing that the checker looks at, evidence for something that is not
//! so, wrong in that one thing only. Each must be refused for just this reason.

mod ranks;
mod waits;

use super::{Question, check};
use std::collections::BTreeMap;
use tern_ir::flow::{
    Affine, Auxiliary, Column, Edge, EdgeId, Flow, Point, PointId, Proposition, Row,
};
use tern_ir::proof::{
    Branch, CellNumber, Kept, Layer, Progress, Proof, Reason, Refutation, Start, Walk, Way,
};
use tern_model::logic::ctl::{Term, lower};
use tern_model::{AtomId, Budget, Formula, FormulaId, Formulas, Id};

/// `factor * column + constant >= 0`
fn about(column: Column, factor: i128, constant: i128) -> Row {
    Row::at_least_zero(Affine { terms: vec![(column, factor)], constant })
}

/// `factor * x + constant >= 0`
fn x(factor: i128, constant: i128) -> Row {
    about(Column::variable(0), factor, constant)
}

/// Of the first auxiliary of an edge.
fn aux(factor: i128, constant: i128) -> Row {
    about(Column::auxiliary(0), factor, constant)
}

/// The reason that these rows, once each, add up to a negative number.
fn sum(rows: &[u32]) -> Refutation {
    vec![Reason::Sum(rows.iter().map(|&row| (row, 1)).collect())]
}

fn edge(from: usize, to: usize) -> Edge {
    Edge::plain(PointId::new(from), PointId::new(to))
}

fn take(edge: usize, guard: Vec<Refutation>) -> Way {
    Way::Take { edge: EdgeId::new(edge), choices: Vec::new(), guard, walk: vec![Walk::On] }
}

fn levels(levels: &[(CellNumber, u32)]) -> Progress {
    Progress { levels: levels.to_vec(), groups: Vec::new() }
}

/// A program over `x` with total points that have these labels, which begins in the first, with 0.
fn program(labels: &[&str], edges: &[Edge]) -> Flow {
    let mut flow = Flow { variables: vec!["x".to_owned()], ..Flow::default() };
    for label in labels {
        let labels = label.split_whitespace().map(str::to_owned).collect();
        flow.add_point(Point { total: true, labels, ..Point::default() });
    }
    for edge in edges {
        flow.edges.push(edge.clone());
    }
    let mut start = edge(0, 0);
    start.update.push((0, Affine::constant(0)));
    flow.starts.push(start);
    flow
}

/// Evidence that is put together by hand.
struct Forged {
    flow: Flow,
    formulas: Formulas,
    claim: FormulaId,
    propositions: BTreeMap<AtomId, Proposition>,
    proof: Proof,
}

impl Forged {
    /// Evidence that says nothing of the values of `x`: one cell a point, with all its steps. A
    /// proposition is a label, but for `positive`, which is `x >= 1`.
    fn new(flow: Flow, claim: impl FnOnce(&mut Formulas) -> FormulaId) -> Self {
        let mut formulas = Formulas::new();
        let claim = claim(&mut formulas);
        let program = lower(&formulas, claim).expect("it is CTL");
        let mut propositions = BTreeMap::new();
        for atom in formulas.atoms_of(claim) {
            let meaning = match formulas.atom_name(atom) {
                "positive" => Proposition::Rows(vec![vec![x(1, -1)]]),
                label => Proposition::Label(label.to_owned()),
            };
            propositions.insert(atom, meaning);
        }
        let points = flow.points.len();
        let leaving = |from: usize| {
            let from = PointId::new(from);
            flow.edges.as_slice().iter().filter(|edge| edge.from == from).count()
        };
        let steps = |from: usize| (from as CellNumber, vec![vec![Walk::On]; leaving(from)]);
        let proof = Proof {
            layers: vec![Layer::Plain; program.terms.len()],
            claim: program,
            invariants: vec![Some(Vec::new()); points],
            begun: vec![Kept::Rows(Vec::new()); flow.starts.len()],
            kept: vec![Some(Kept::Rows(Vec::new())); flow.edges.len()],
            trees: vec![vec![Branch::Leaf]; points],
            starts: vec![vec![Walk::On]; flow.starts.len()],
            steps: (0..points).map(steps).collect(),
            live: None,
            start: None,
            calls: None,
            descended: false,
            runs: false,
            followed: Vec::new(),
        };
        Forged { flow, formulas, claim, propositions, proof }
    }

    /// With this layer for what is temporal or about variables.
    fn with(mut self, layer: Layer) -> Self {
        let terms = self.proof.claim.terms.as_slice().iter().zip(&mut self.proof.layers);
        for ((term, own), layer) in terms.zip(std::iter::repeat(layer)) {
            let is_rows = match term {
                Term::Atom(atom) => matches!(self.propositions[atom], Proposition::Rows(_)),
                _ => false,
            };
            match (term, &layer) {
                (Term::Ex(_), Layer::Next { .. })
                | (Term::Eu(..), Layer::Until { .. })
                | (Term::Eg(_), Layer::Always { .. }) => *own = layer,
                (Term::Atom(_), Layer::Rows { .. }) if is_rows => *own = layer,
                _ => {}
            }
        }
        self
    }

    /// About the initial state, in this cell; reasons are those of its rows.
    fn fails_in(mut self, cell: CellNumber, reasons: Vec<Refutation>) -> Self {
        let (variables, auxiliaries) = (vec![0], Vec::new());
        self.proof.start = Some(Start { start: 0, variables, auxiliaries, cell, reasons });
        self.proof.starts.clear();
        self
    }

    fn judge(&self, holds: bool) -> Result<(), String> {
        let Forged { flow, formulas, claim, propositions, proof } = self;
        let question = Question { flow, formulas, claim: *claim, propositions };
        check(question, holds, proof, &Budget::unlimited()).map_err(|it| it.to_string())
    }

    #[track_caller]
    fn accepted(self, holds: bool) -> Self {
        assert_eq!(self.judge(holds), Ok(()));
        self
    }

    #[track_caller]
    fn refused(&self, holds: bool, why: &str) {
        let found = self.judge(holds).expect_err("it is forged");
        assert!(found.contains(why), "{found}");
    }
}

fn some(formulas: &mut Formulas, path: Formula) -> FormulaId {
    let path = formulas.make(path);
    formulas.make(Formula::Exists(path))
}

/// `EF exit`
fn reached(formulas: &mut Formulas) -> FormulaId {
    let exit = formulas.atom("exit");
    some(formulas, Formula::Finally(exit))
}

/// `!EF exit`
fn never(formulas: &mut Formulas) -> FormulaId {
    let reached = reached(formulas);
    formulas.make(Formula::Not(reached))
}

/// `EX exit`
fn next(formulas: &mut Formulas) -> FormulaId {
    let exit = formulas.atom("exit");
    some(formulas, Formula::Next(exit))
}

/// `EG !exit`
fn stays(formulas: &mut Formulas) -> FormulaId {
    let exit = formulas.atom("exit");
    let other = formulas.make(Formula::Not(exit));
    some(formulas, Formula::Globally(other))
}

/// `!EG !exit`
fn ends(formulas: &mut Formulas) -> FormulaId {
    let stays = stays(formulas);
    formulas.make(Formula::Not(stays))
}

/// That these cells are never left.
fn closed(refuted: &[CellNumber]) -> Layer {
    let (proved, ways) = Default::default();
    Layer::Until { proved, ways, refuted: refuted.to_vec() }
}

/// That the cells of these levels come to those of level 0 by ways.
fn until(proved: Progress, ways: Vec<(CellNumber, Way)>) -> Layer {
    Layer::Until { proved, ways, refuted: Vec::new() }
}

/// That all steps of these cells come to those of level 0.
fn ending(refuted: Progress) -> Layer {
    Layer::Always { proved: Vec::new(), again: Progress::default(), refuted }
}

/// `0 -> 1`, where 1 is the end.
fn line() -> Flow {
    program(&["", "exit"], &[edge(0, 1), edge(1, 1)])
}

/// A point that is never left.
fn idle() -> Flow {
    program(&["", "exit"], &[edge(0, 0), edge(1, 1)])
}

#[test]
fn every_cell_and_every_step_counts() {
    Forged::new(idle(), never).with(closed(&[0])).accepted(true);
    let forged = || Forged::new(line(), never).with(closed(&[0]));
    forged().refused(true, "a step leads out of the set");
    let mut without_tree = forged();
    without_tree.proof.trees[1].clear();
    without_tree.proof.steps = vec![(0, vec![Vec::new()])];
    without_tree.refused(true, "there just if there is an invariant");
    let mut without_walk = forged();
    without_walk.proof.steps[0].1.clear();
    without_walk.refused(true, "one walk for each edge");
    let mut short = forged();
    short.proof.steps[0].1[0].clear();
    short.refused(true, "shorter than the tree");
    let mut unlisted = forged();
    unlisted.proof.steps.clear();
    unlisted.refused(true, "its steps are not listed");
    let mut without_start = forged();
    without_start.proof.starts.clear();
    without_start.proof.layers = Forged::new(line(), never).with(closed(&[])).proof.layers;
    without_start.refused(true, "one walk for each start");
    // The initial states are in the half of which there is nothing.
    let mut half = Forged::new(line(), never).with(closed(&[0]));
    half.proof.trees[0] = vec![Branch::Split(x(1, -1)), Branch::Leaf];
    half.refused(true, "fewer nodes than needed");
    // The half of which it is said twice is not the other half.
    let mut twice = Forged::new(line(), never).with(closed(&[0]));
    twice.proof.invariants[0] = Some(vec![x(-1, 0)]);
    twice.proof.begun = vec![Kept::Rows(vec![Vec::new()])];
    twice.proof.trees[1] = vec![Branch::Split(x(1, -1)), Branch::Leaf, Branch::Leaf];
    let dead = || Walk::Dead(sum(&[0, 1]));
    twice.proof.steps = vec![(0, vec![vec![Walk::On, dead(), dead()]])];
    twice.refused(true, "do not add up");
    let mut unfounded = forged();
    unfounded.proof.steps[0].1[0] = vec![Walk::Dead(sum(&[]))];
    unfounded.refused(true, "do not add up");
    let mut more = Forged::new(idle(), never).with(closed(&[0]));
    more.proof.trees[0].push(Branch::Leaf);
    more.refused(true, "more nodes than needed");
    let mut few = Forged::new(idle(), never).with(closed(&[0]));
    few.proof.invariants.pop();
    few.proof.trees.pop();
    few.refused(true, "not as many as points");
}

#[test]
fn sets_have_what_they_should() {
    let within = |refuted| Forged::new(line(), never).with(closed(refuted));
    within(&[0, 1]).refused(true, "where the run is to come to");
    within(&[]).refused(true, "the claim is not true there");
    within(&[0, 7]).refused(true, "no such cell");
    let next_of =
        |flow, proved, refuted| Forged::new(flow, next).with(Layer::Next { proved, refuted });
    next_of(line(), vec![(0, Way::All)], Vec::new()).accepted(true);
    next_of(idle(), vec![(0, Way::All)], Vec::new()).refused(true, "does not lead there");
    next_of(idle(), Vec::new(), vec![0]).fails_in(0, Vec::new()).accepted(false);
    next_of(line(), Vec::new(), vec![0]).fails_in(0, Vec::new()).refused(false, "leads there");
    let lasting = |flow, proved: &[CellNumber]| {
        let proved = proved.iter().map(|&cell| (cell, Way::All)).collect();
        let (again, refuted) = Default::default();
        Forged::new(flow, stays).with(Layer::Always { proved, again, refuted })
    };
    lasting(idle(), &[0]).accepted(true);
    lasting(line(), &[0]).refused(true, "leads out of the set");
    lasting(line(), &[0, 1]).refused(true, "the operand is not true there");
}

#[test]
fn boolean_operators_mean_what_they_say() {
    for names in [["a", "b"], ["b", "a"]] {
        let both = |make: fn(FormulaId, FormulaId) -> Formula| {
            Forged::new(program(&["a"], &[edge(0, 0)]), |formulas| {
                let [left, right] = names.map(|name| formulas.atom(name));
                formulas.make(make(left, right))
            })
        };
        both(Formula::Or).accepted(true).refused(false, "about a claim that holds");
        both(Formula::Or).fails_in(0, Vec::new()).refused(false, "not false in its cell");
        both(Formula::And).refused(true, "the claim is not true there");
        both(Formula::And).fails_in(0, Vec::new()).accepted(false);
    }
    let one = |name: &str, is_negated: bool| {
        Forged::new(program(&["a"], &[edge(0, 0)]), |formulas| {
            let atom = formulas.atom(name);
            if is_negated { formulas.make(Formula::Not(atom)) } else { atom }
        })
    };
    one("a", false).accepted(true).refused(false, "");
    one("b", true).accepted(true);
    one("a", true).refused(true, "the claim is not true there");
    one("b", false).refused(true, "the claim is not true there");
    one("b", false).fails_in(0, Vec::new()).accepted(false).refused(true, "a claim that fails");
    one("a", false).fails_in(0, Vec::new()).refused(false, "not false in its cell");
}

#[test]
fn evidence_is_about_the_claim() {
    let mut other = Forged::new(line(), never);
    let honest = Forged::new(line(), |formulas| {
        let truth = formulas.make(Formula::True);
        formulas.atom("exit");
        truth
    });
    other.proof = honest.accepted(true).proof;
    other.refused(true, "not that of the claim");
    let mut short = Forged::new(line(), never);
    short.proof.layers.pop();
    short.refused(true, "one layer for each term");
    let mut circular = Forged::new(line(), never);
    let root = circular.proof.claim.root;
    circular.proof.claim.terms[root] = Term::Not(root);
    circular.refused(true, "an operand or the root is out of place");
}

#[test]
fn invariants_are_shown_from_all_starts_and_on_all_edges() {
    // The way out is closed by what is not so: that x is at least 1.
    let mut out = edge(0, 1);
    out.guard.push(x(-1, 0));
    let mut rest = edge(0, 0);
    rest.guard.push(x(1, -1));
    let flow = program(&["", "exit"], &[out, rest, edge(1, 1)]);
    let stays = || sum(&[0, 1]);
    let dead = || Kept::Dead(stays());
    let forged = |start: Flow| {
        let mut forged = Forged::new(start, never).with(closed(&[0]));
        forged.proof.invariants = vec![Some(vec![x(1, -1)]), None];
        forged.proof.trees[1].clear();
        forged.proof.kept = vec![Some(dead()), Some(Kept::Rows(vec![sum(&[0, 2])])), None];
        forged.proof.begun = vec![Kept::Rows(vec![Vec::new()])];
        forged.proof.steps = vec![(0, vec![Vec::new(), vec![Walk::On]])];
        forged
    };
    let mut other = flow.clone();
    other.starts[0].update[0].1 = Affine::constant(1);
    forged(other.clone()).accepted(true);
    forged(flow.clone()).refused(true, "start 0");
    let begun = |begun: Vec<Kept>| {
        let mut forged = forged(flow.clone());
        forged.proof.begun = begun;
        forged
    };
    begun(Vec::new()).refused(true, "not as many as edges");
    begun(vec![Kept::Rows(Vec::new())]).refused(true, "one reason for each row");
    begun(vec![Kept::Dead(Vec::new())]).refused(true, "a reason is missing");
    // From 1 on it falls, to where the way out is.
    let mut falls = other;
    falls.edges[EdgeId::new(1)].update.push((0, Affine::constant(0)));
    forged(falls.clone()).refused(true, "edge 1");
    let kept = |kept: Vec<Option<Kept>>| {
        let mut forged = forged(falls.clone());
        forged.proof.kept = kept;
        forged
    };
    kept(vec![Some(dead())]).refused(true, "not as many as edges");
    kept(vec![Some(dead()), None, None]).refused(true, "there are no reasons for it");
    let none = Some(Kept::Rows(Vec::new()));
    kept(vec![Some(dead()), none.clone(), None]).refused(true, "one reason for each row");
    kept(vec![none, Some(dead()), None]).refused(true, "one reason for each row");
}

#[test]
fn what_is_said_of_states_is_about_variables() {
    // What is chosen on one edge says nothing of what is chosen on the next.
    let (mut first, mut second) = (edge(0, 1), edge(1, 2));
    for (edge, row) in [(&mut first, aux(1, -1)), (&mut second, aux(-1, 0))] {
        edge.auxiliaries.push(Auxiliary::Choice);
        edge.guard.push(row);
    }
    let flow = program(&["", "", "exit"], &[first, second, edge(2, 2)]);
    let mut forged = Forged::new(flow.clone(), never).with(closed(&[0, 1]));
    forged.proof.invariants = vec![Some(Vec::new()), Some(vec![aux(1, -1)]), None];
    forged.proof.trees[2].clear();
    let kept = Kept::Rows(vec![sum(&[0, 1])]);
    forged.proof.kept = vec![Some(kept), Some(Kept::Dead(sum(&[0, 1]))), None];
    forged.proof.steps = vec![(0, vec![vec![Walk::On]]), (1, vec![Vec::new()])];
    forged.refused(true, "something that is no variable");
    let mut forged = Forged::new(flow, never).with(closed(&[0, 1]));
    forged.proof.trees[1] = vec![Branch::Split(aux(1, -1)), Branch::Leaf, Branch::Leaf];
    let dead = || vec![Walk::Dead(sum(&[0, 1]))];
    let half = vec![Walk::On, Walk::On, Walk::Dead(sum(&[0, 1]))];
    forged.proof.steps = vec![(0, vec![half]), (1, vec![dead()])];
    forged.refused(true, "something that is no variable");
}

#[test]
fn a_way_is_a_step_that_every_state_has() {
    let by = |flow: &Flow, way: Way| {
        let forged = Forged::new(flow.clone(), reached);
        forged.with(until(levels(&[(0, 1), (1, 0)]), vec![(0, way)]))
    };
    let mut out = edge(0, 1);
    out.guard.push(x(1, -1));
    let flow = program(&["", "exit"], &[edge(0, 0), out, edge(1, 1)]);
    by(&line(), take(0, Vec::new())).accepted(true);
    by(&flow, take(2, Vec::new())).refused(true, "the edge does not begin there");
    by(&flow, take(1, Vec::new())).refused(true, "one reason for each row of the guard");
    by(&flow, take(1, vec![Vec::new()])).refused(true, "a reason is missing");
    // What the facts say is so only where the edge can be taken.
    let mut guarded = flow.clone();
    let edge_out = &mut guarded.edges[EdgeId::new(1)];
    edge_out.auxiliaries.push(Auxiliary::Unknown);
    edge_out.facts.push(x(1, -1));
    by(&guarded, take(1, vec![sum(&[0, 1])])).refused(true, "there is no such row");
    // What is not known is not to be chosen.
    let mut unknown = flow.clone();
    let edge_out = &mut unknown.edges[EdgeId::new(1)];
    edge_out.auxiliaries.push(Auxiliary::Unknown);
    edge_out.facts.extend([aux(1, 0), aux(-1, 1)]);
    edge_out.guard = vec![aux(1, -1)];
    let chosen = |number: u32| Way::Take {
        edge: EdgeId::new(1),
        choices: vec![(number, Affine::constant(1))],
        guard: vec![Vec::new()],
        walk: vec![Walk::On],
    };
    by(&unknown, chosen(0)).refused(true, "what is chosen is no choice");
    by(&unknown, chosen(1)).refused(true, "what is chosen is no choice");
    let mut open = unknown.clone();
    open.edges[EdgeId::new(1)].auxiliaries = vec![Auxiliary::Choice];
    open.edges[EdgeId::new(1)].facts.clear();
    by(&open, chosen(0)).accepted(true);
    by(&open, take(1, vec![Vec::new()])).refused(true, "a reason is missing");
}

#[test]
fn where_there_may_be_no_step_nothing_is_total() {
    let mut flow = program(&[""], &[]);
    flow.points[PointId::new(0)].total = false;
    let layer = Layer::Next { proved: vec![(0, Way::All)], refuted: Vec::new() };
    Forged::new(flow, next).with(layer).refused(true, "there may be no step at all");
    // The end has no run, so it does not exist.
    let mut flow = program(&["", "exit"], &[edge(0, 1), edge(0, 0)]);
    flow.points[PointId::new(1)].total = false;
    let by_way = until(levels(&[(0, 1), (1, 0)]), vec![(0, take(0, Vec::new()))]);
    let forged = || Forged::new(flow.clone(), reached).with(by_way.clone());
    forged().refused(true, "level 0 is not what steps come to");
    let mut alive = forged();
    alive.proof.live = Some(Layer::Always {
        proved: vec![(0, take(1, Vec::new())), (1, Way::All)],
        again: Progress::default(),
        refuted: Progress::default(),
    });
    alive.refused(true, "there may be no step at all");
    let mut other = forged();
    other.proof.live = Some(Layer::Plain);
    other.refused(true, "not of its kind");
    let one = Layer::Next { proved: vec![(0, take(0, Vec::new()))], refuted: Vec::new() };
    Forged::new(flow, next).with(one).refused(true, "its way does not lead there");
}

#[test]
fn propositions_need_a_reason_for_each_row() {
    let positive = |formulas: &mut Formulas| formulas.atom("positive");
    let forged =
        |proved, refuted| Forged::new(idle(), positive).with(Layer::Rows { proved, refuted });
    forged(vec![(0, 0, Vec::new())], Vec::new()).refused(true, "no list of so many rows");
    forged(vec![(0, 1, Vec::new())], Vec::new()).refused(true, "no list of so many rows");
    forged(vec![(0, 0, vec![Vec::new()])], Vec::new()).refused(true, "a reason is missing");
    let refuted = |reasons| forged(Vec::new(), vec![(0, reasons)]).fails_in(0, Vec::new());
    refuted(Vec::new()).refused(false, "one reason for each list");
    refuted(vec![(0, Vec::new())]).refused(false, "a reason is missing");
    refuted(vec![(1, Vec::new())]).refused(false, "there is no such row");
    let mut honest = refuted(vec![(0, sum(&[0, 1]))]);
    honest.proof.invariants[0] = Some(vec![x(-1, 0)]);
    honest.proof.begun = vec![Kept::Rows(vec![Vec::new()])];
    honest.proof.kept[0] = Some(Kept::Rows(vec![sum(&[0, 1])]));
    if let Some(start) = &mut honest.proof.start {
        start.reasons = vec![Vec::new()];
    }
    let mut honest = honest.accepted(false);
    honest.proof.layers[0] = Layer::Plain;
    honest.refused(false, "the layer is not of its kind");
}

#[test]
fn a_failure_is_that_of_an_initial_state() {
    // The claim is false at the end, where nothing begins.
    let layer = Layer::Next { proved: Vec::new(), refuted: vec![1] };
    let other = || {
        let flow = program(&["", ""], &[edge(0, 1), edge(1, 1)]);
        let truth = Forged::new(flow, next);
        truth.with(layer.clone())
    };
    other().fails_in(1, Vec::new()).refused(false, "does not lead to its cell");
    other().fails_in(0, Vec::new()).refused(false, "not false in its cell");
    other().fails_in(5, Vec::new()).refused(false, "no such cell");
    // x is 0, and not in this cell.
    let positive = |formulas: &mut Formulas| {
        let positive = formulas.atom("positive");
        formulas.make(Formula::Not(positive))
    };
    let proved = vec![(0, 0, vec![sum(&[0, 1])])];
    let split = |reasons| {
        let layer = Layer::Rows { proved: proved.clone(), refuted: Vec::new() };
        let mut forged = Forged::new(idle(), positive).with(layer).fails_in(0, reasons);
        forged.proof.trees[0] = vec![Branch::Split(x(1, -1)), Branch::Leaf, Branch::Leaf];
        forged.proof.steps.clear();
        forged
    };
    split(Vec::new()).refused(false, "one reason for each row");
    split(vec![Vec::new()]).refused(false, "a reason is missing");
    let mut values = split(vec![Vec::new()]);
    if let Some(start) = &mut values.proof.start {
        start.variables.clear();
    }
    values.refused(false, "one value for each variable");
    let mut another = split(vec![Vec::new()]);
    if let Some(start) = &mut another.proof.start {
        start.start = 1;
    }
    another.refused(false, "there is no such start");
    // The start sets x to 0, whatever it was before.
    let mut before = split(vec![Vec::new()]);
    if let Some(start) = &mut before.proof.start {
        start.variables = vec![1];
    }
    before.refused(false, "a reason is missing");
    // A value that the program computes is not for the evidence to say.
    let begun = |kind: Auxiliary, auxiliaries: Vec<i128>| {
        let mut forged = split(vec![Vec::new()]);
        forged.flow.starts[0].auxiliaries.push(kind);
        forged.flow.starts[0].update[0].1 = Affine::column(Column::auxiliary(0));
        if let Some(start) = &mut forged.proof.start {
            start.auxiliaries = auxiliaries;
        }
        forged
    };
    begun(Auxiliary::Choice, vec![1]).accepted(false);
    begun(Auxiliary::Unknown, vec![1]).refused(false, "a reason is missing");
    begun(Auxiliary::Choice, Vec::new()).refused(false, "one value for each variable and choice");
    // What facts say is so only where the guard is true.
    let label = Forged::new(idle(), |formulas| formulas.atom("exit"));
    let mut closed = label.fails_in(0, vec![sum(&[0])]);
    closed.flow.starts[0].facts.push(x(1, -1));
    closed.flow.starts[0].guard.push(x(1, -1));
    closed.refused(false, "do not add up");
    // Nor does a state exist that has no run.
    let mut dead = Forged::new(program(&[""], &[]), next).fails_in(0, Vec::new());
    dead.flow.points[PointId::new(0)].total = false;
    dead = dead.with(Layer::Next { proved: Vec::new(), refuted: vec![0] });
    dead.refused(false, "not false in its cell");
}
