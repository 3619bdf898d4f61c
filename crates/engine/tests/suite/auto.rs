//! What the choice of an engine costs: edges looked at without a choice, and by the better of two
//! engines.
//!
//! Families of machines in several sizes, with the claims that they make and with random formulas
//! over their labels. Without a choice no claim may take more than twice the edges of the better
//! one, and the claims of a family together at most 1.2 times as many. Counts, not times: the same
//! at every run. `TERN_PAIRS` sets how many random formulas each size of a family is asked,
//! `TERN_SEED` where the seeds begin.

use fastrand::Rng;
use tern_engine::{Checker, Engine, Options};
use tern_front::generate::{Make, Model, Parameters, machines};
use tern_model::{Budget, Claims, FormulaId, Formulas, Machine, Property};
use tern_testkit::setting;

/// More than any engine that is compared may look at the budget: it then counts as endless.
const EFFORT: u64 = 60_000;

/// How many times the edges of the better engine are allowed: for all claims together, and for one.
const MOST: (f64, f64) = (1.2, 2.1);

/// The same where components have many exits: what is looked at for one operator may be more than
/// all that the better engine takes, and is not left half done. An `AG` around it takes next to
/// nothing.
const MANY_EXITS: (f64, f64) = (1.35, 3.6);

fn member(family: &str, size: usize, seed: u64) -> Model {
    let family = machines(family).expect("a family of machines");
    let parameters = Parameters::new(family, size, seed, &[]).expect("an allowed size");
    let Make::Machine(make) = family.make else { unreachable!("it makes machines") };
    make(&parameters)
}

/// A random formula of CTL over some labels, as text.
fn formula(rng: &mut Rng, labels: &[String], depth: usize) -> String {
    if depth == 0 || rng.usize(..8) == 0 {
        let label = if labels.is_empty() { "p" } else { &labels[rng.usize(..labels.len())] };
        return if rng.bool() { label.to_owned() } else { format!("! {label}") };
    }
    let mut inner = || formula(rng, labels, depth - 1);
    let (f, g) = (inner(), inner());
    match rng.usize(..10) {
        0 => format!("({f} & {g})"),
        1 => format!("({f} | {g})"),
        2 => format!("(A G {f})"),
        3 => format!("(A F {f})"),
        4 => format!("(E F {f})"),
        5 => format!("(E G {f})"),
        6 => format!("(E ({f} U {g}))"),
        7 => format!("(A ({f} U {g}))"),
        8 => format!("(E X {f})"),
        _ => format!("(A X {f})"),
    }
}

fn random_claims(machine: &Machine, seed: u64, count: usize) -> Claims {
    let mut rng = Rng::with_seed(seed);
    let labels: Vec<String> = machine.labels().map(|(_, name)| name.to_owned()).take(40).collect();
    let mut claims = Claims::new();
    for i in 0..count {
        let text = formula(&mut rng, &labels, 1 + i % 5);
        tern_front::claims::read_one(&mut claims, &format!("c{i}: {text}")).expect("a formula");
    }
    claims
}

/// The edges that a claim takes, if it is decided.
fn edges(
    checker: &Checker<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    engine: Option<&'static Engine>,
) -> (Option<bool>, u64) {
    let effort = if engine.is_some() { EFFORT } else { 4 * EFFORT };
    let budget = Budget::unlimited().with_effort(effort);
    let options = Options { engine, ..Options::default() };
    let outcome = checker.check(formulas, claim, &options, &budget);
    let holds = match outcome.verdict {
        tern_model::Verdict::Holds => Some(true),
        tern_model::Verdict::Fails => Some(false),
        tern_model::Verdict::Unknown(_) => None,
    };
    (holds, outcome.stats.edges)
}

#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    eager: u64,
    incremental: u64,
    best: u64,
    auto: u64,
    worst: f64,
    worst_pair: String,
    over: usize,
}

impl Tally {
    fn add(&mut self, name: &str, checker: &Checker<'_>, claims: &Claims) {
        for claim in claims.list() {
            let Property::Formula(formula) = claim.property else { continue };
            let of = |engine| edges(checker, &claims.formulas, formula, engine);
            let [eager, incremental, auto] =
                [Engine::named("eager"), Engine::named("incremental"), None].map(of);
            let known = |(holds, edges): (Option<bool>, u64)| holds.map(|_| edges);
            let Some(best) = known(eager).into_iter().chain(known(incremental)).min() else {
                continue;
            };
            assert_eq!(auto.0, eager.0.or(incremental.0), "{name}");
            self.pairs += 1;
            self.eager += eager.1;
            self.incremental += incremental.1;
            self.best += best;
            self.auto += auto.1;
            let ratio = auto.1 as f64 / best.max(1) as f64;
            self.over += usize::from(ratio > 2.0);
            if ratio > self.worst {
                self.worst = ratio;
                let shown: String =
                    claims.formulas.show(formula).to_string().chars().take(80).collect();
                self.worst_pair = format!(
                    "{name}: {shown}: eager {}, incremental {}, auto {}",
                    eager.1, incremental.1, auto.1
                );
            }
        }
    }
}

#[test]
fn auto_is_about_as_good_as_the_better_engine() {
    let families: [(&str, &[usize]); 7] = [
        ("literature", &[6, 12]),
        ("chain", &[8, 64, 256]),
        ("mutual", &[8, 64, 256]),
        ("exits", &[4, 16, 64]),
        ("nested", &[2, 8, 32]),
        ("exponential", &[2, 4, 8, 12, 16]),
        ("java", &[20, 50, 100]),
    ];
    let (first, members) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 120).div_ceil(40));
    let mut bad = Vec::new();
    for (family, sizes) in families {
        for own in [true, false] {
            let mut tally = Tally::default();
            for &size in sizes {
                for seed in first..first + members {
                    let model = member(family, size, seed);
                    let budget = Budget::unlimited();
                    let checker = Checker::new(&model.machine, &budget).expect("no limits are set");
                    let claims = if own {
                        model.claims
                    } else {
                        random_claims(&model.machine, seed + size as u64, 40)
                    };
                    tally.add(&format!("{family} {size} seed {seed}"), &checker, &claims);
                }
            }
            let Tally { pairs, eager, incremental, best, auto, worst, worst_pair, over } = &tally;
            let ratio = *auto as f64 / (*best).max(1) as f64;
            eprintln!(
                "{family:12} own {own:5} {pairs:4} pairs: eager {eager}, incremental {incremental}, \
                 best {best}, auto {auto}: {ratio:.2}; worst {worst:.2} ({over} over 2): {worst_pair}"
            );
            let (most, most_for_one) = if family == "exits" { MANY_EXITS } else { MOST };
            if ratio > most || *worst > most_for_one {
                bad.push((family, own, ratio, *worst));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}
