//! Systems of rows against the list of all small integer points.

use tern_ir::flow::{Affine, Column, Edge, PointId, Row};
use tern_model::Budget;
use tern_model::index::Id;
use tern_numeric::rank::{self, Outcome, Relation};
use tern_numeric::simplex::{Feasible, Most, Simplex, TooLarge};
use tern_numeric::system::{Emptiness, Refutation, Solver, bounds, project};

const VARIABLES: usize = 3;
const REACH: i128 = 3;

fn number_from(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn affine(random: &mut fastrand::Rng, most: i128) -> Affine {
    let terms =
        (0..VARIABLES).map(|variable| (Column::variable(variable), random.i128(-most..=most)));
    let terms = terms.filter(|term| term.1 != 0).collect();
    Affine { terms, constant: random.i128(-2 * most..=2 * most) }
}

/// Random rows, and rows that keep all variables small.
fn system(random: &mut fastrand::Rng) -> Vec<Row> {
    let mut rows: Vec<Row> =
        (0..random.usize(1..5)).map(|_| Row::at_least_zero(affine(random, 4))).collect();
    for variable in 0..VARIABLES {
        for sign in [1, -1] {
            let terms = vec![(Column::variable(variable), sign)];
            rows.push(Row::at_least_zero(Affine { terms, constant: REACH }));
        }
    }
    rows
}

fn points() -> Vec<Vec<i128>> {
    let mut points = vec![Vec::new()];
    for _ in 0..VARIABLES {
        let longer = points.iter().flat_map(|point| {
            (-REACH..=REACH).map(move |value| [point.as_slice(), &[value]].concat())
        });
        points = longer.collect();
    }
    points
}

fn value(affine: &Affine, point: &[i128]) -> i128 {
    let of = |column: Column| point[column.as_variable().expect("no auxiliaries here")];
    affine.evaluate(of).expect("small numbers")
}

fn is_in(rows: &[Row], point: &[i128]) -> bool {
    rows.iter().all(|row| value(row.affine(), point) >= 0)
}

/// Whether a refutation is right, by multiplying and adding.
fn is_refuted(rows: &mut Vec<Row>, refutation: &Refutation) -> bool {
    match refutation {
        Refutation::Sum(multiples) => {
            let mut sum = Affine::default();
            for &(row, multiple) in multiples {
                assert!(multiple >= 0);
                sum = sum.plus(multiple, rows[row].affine()).expect("small numbers");
            }
            sum.is_constant() && sum.constant < 0
        }
        Refutation::Split(parts) => {
            let (row, first, second) = &**parts;
            let negated = row.negated().expect("small numbers");
            [(row.clone(), first), (negated, second)].into_iter().all(|(half, refutation)| {
                rows.push(half);
                let is_right = is_refuted(rows, refutation);
                rows.pop();
                is_right
            })
        }
    }
}

#[test]
fn systems_agree_with_enumeration() {
    let budget = Budget::unlimited();
    let points = points();
    let (mut empty, mut unknown) = (0_u64, 0);
    let first = number_from("TERN_SEED", 1);
    let count = number_from("TERN_PAIRS", 3000);
    for seed in first..first + count {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut rows = system(&mut random);
        let inside: Vec<&Vec<i128>> = points.iter().filter(|point| is_in(&rows, point)).collect();
        let mut solver = Solver::new(&budget);
        match solver.solve(&rows).expect("no limit") {
            Emptiness::Empty(refutation) => {
                empty += 1;
                assert!(inside.is_empty(), "seed {seed}: {rows:?}");
                assert!(is_refuted(&mut rows, &refutation), "seed {seed}: {refutation:?}");
            }
            Emptiness::Point(point) => {
                let of = |column: &Column| point.iter().find(|(it, _)| it == column).map(|it| it.1);
                let whole: Vec<i128> =
                    (0..VARIABLES).map(|it| of(&Column::variable(it)).unwrap_or(0)).collect();
                assert!(is_in(&rows, &whole), "seed {seed}: {rows:?} at {whole:?}");
            }
            Emptiness::Unknown => unknown += 1,
        }
        let row = Row::at_least_zero(affine(&mut random, 3));
        let is_everywhere = inside.iter().all(|point| value(row.affine(), point) >= 0);
        let entails = solver.entails(&rows, &row).expect("no limit");
        assert!(!entails || is_everywhere, "seed {seed}");
        assert_eq!(solver.entails(&rows, &row).expect("no limit"), entails, "from memory");
        let sum = affine(&mut random, 3);
        let found = bounds(&rows, std::slice::from_ref(&sum), &Budget::unlimited());
        if let Some(found) = found.expect("no limit") {
            let most = inside.iter().map(|point| value(&sum, point)).max();
            let bound = found[0].expect("the box is bounded");
            assert!(most.is_none_or(|most| most <= bound), "seed {seed}");
        } else {
            assert!(inside.is_empty(), "seed {seed}");
        }
    }
    assert!(empty * 30 > count, "too few are empty to test anything");
    assert_eq!(unknown, 0, "small systems are decided");
}

#[test]
fn projections_agree_with_enumeration() {
    let points = points();
    let gone = Column::variable(VARIABLES - 1);
    let mut exact = 0;
    for seed in 0..number_from("TERN_PAIRS", 1500) {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = system(&mut random);
        let (projected, is_exact) = project(&rows, gone).expect("small numbers");
        exact += usize::from(is_exact);
        for point in points.iter().filter(|point| point[VARIABLES - 1] == 0) {
            let has_some = (-REACH..=REACH).any(|last| {
                let point = [&point[..VARIABLES - 1], &[last]].concat();
                is_in(&rows, &point)
            });
            let is_kept = is_in(&projected, point);
            assert!(is_kept || !has_some, "seed {seed}: too small");
            assert!(!is_exact || is_kept == has_some, "seed {seed}: too large");
        }
    }
    assert!(exact > 10);
}

#[test]
fn a_row_and_its_negation_split_all_points() {
    for seed in 0..500 {
        let mut random = fastrand::Rng::with_seed(seed);
        let row = Row::at_least_zero(affine(&mut random, 6));
        let negated = row.negated().expect("small numbers");
        for point in points() {
            let (here, there) =
                (value(row.affine(), &point) >= 0, value(negated.affine(), &point) >= 0);
            assert!(here != there, "seed {seed}");
        }
    }
}

#[test]
fn the_maximum_is_exact() {
    // 2x + 3y at most 12, x at most 3, both not negative: 12 at (3, 2); x alone 3.
    let mut simplex = Simplex::new(&[false, false]);
    simplex.at_least_zero(&[(0, -2), (1, -3)], 12).expect("small");
    simplex.at_least_zero(&[(0, -1)], 3).expect("small");
    assert_eq!(simplex.restore(), Ok(Feasible::Yes));
    assert_eq!(simplex.maximise(&[(0, 2), (1, 3)], 0), Ok(Most::Value(12, 1)));
    assert_eq!(simplex.maximise(&[(0, 1)], 0), Ok(Most::Value(3, 1)));
    assert_eq!(simplex.maximise(&[(1, 1)], 0), Ok(Most::Value(4, 1)));
    let mut open = Simplex::new(&[true]);
    open.at_least_zero(&[(0, 1)], 0).expect("small");
    assert_eq!(open.restore(), Ok(Feasible::Yes));
    assert_eq!(open.maximise(&[(0, 1)], 0), Ok(Most::Unbounded));
    // Equations that contradict each other.
    let mut none = Simplex::new(&[true, true]);
    none.zero(&[(0, 1), (1, 1)], 0).expect("small");
    none.zero(&[(0, 1), (1, 1)], -1).expect("small");
    assert!(matches!(none.restore(), Ok(Feasible::No(_))));
}

#[test]
fn numbers_may_outgrow_any_width() {
    // y at most 10^30 x, z at most 10^30 y, x at most 10^30 z, and x between 1 and 5.
    let large = 10_i128.pow(30);
    let mut simplex = Simplex::new(&[true, true, true]);
    for at in 0..3 {
        let sum = [(at, large), ((at + 1) % 3, -1)];
        simplex.at_least_zero(&sum, 0).expect("as large as it is");
    }
    simplex.at_least_zero(&[(0, 1)], -1).expect("small");
    simplex.at_least_zero(&[(0, -1)], 5).expect("small");
    assert_eq!(simplex.restore(), Ok(Feasible::Yes));
    assert_eq!(simplex.maximise(&[(0, 1)], 0), Ok(Most::Value(5, 1)));
    assert_eq!(simplex.maximise(&[(1, 1)], 0), Ok(Most::Value(5 * large, 1)));
    // What is told has 128 bits.
    assert_eq!(simplex.maximise(&[(2, 1)], 0), Err(TooLarge));
}

/// `while (guard) x = x + by`, as a relation from a place to itself.
fn relation(guard: Affine, updates: &[(usize, Affine)]) -> Relation {
    let point = PointId::new(0);
    let mut edge = Edge::plain(point, point);
    edge.guard.push(Row::at_least_zero(guard));
    edge.update = updates.to_vec();
    Relation { from: 0, to: 0, edge, waits: false }
}

fn variable(number: usize, plus: i128) -> Affine {
    Affine { terms: vec![(Column::variable(number), 1)], constant: plus }
}

#[test]
fn loops_that_end_are_ranked_and_others_are_not() {
    let budget = Budget::unlimited();
    let mut solver = Solver::new(&budget);
    let falling = relation(variable(0, -1), &[(0, variable(0, -1))]);
    let rising = relation(variable(0, -1), &[(0, variable(0, 1))]);
    let is_ranked = |relations: &[Relation], solver: &mut Solver<'_>| {
        matches!(rank::find(relations, solver).expect("no limit"), Outcome::Ranked(_))
    };
    assert!(is_ranked(std::slice::from_ref(&falling), &mut solver));
    assert!(!is_ranked(&[rising], &mut solver));
    // x falls and y becomes anything, or y falls: lexicographic.
    let mut resets = falling.clone();
    resets.edge.auxiliaries.push(tern_ir::flow::Auxiliary::Choice);
    resets.edge.update.push((1, Affine::column(Column::auxiliary(0))));
    let inner = relation(variable(1, -1), &[(1, variable(1, -1))]);
    assert!(is_ranked(&[resets.clone(), inner.clone()], &mut solver));
    let climbing = relation(variable(1, -1), &[(1, variable(1, -1)), (0, variable(0, 1))]);
    assert!(!is_ranked(&[resets, climbing], &mut solver));
}
