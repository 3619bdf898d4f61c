//! Strong fairness: the engines against the same claims written so that nobody takes pairs out of
//! them, against the oracles, and by counts. Evidence is checked each time.
//!
//! `TERN_PAIRS` sets the number of random machines and claims, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how often the oracle spoke

use crate::certifier::certify;
use fastrand::Rng;
use tern_certify::oracle::{finite, pushdown};
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_model::logic::{Logic, fair, rewrite};
use tern_model::{
    Budget, Builder, Edge, Evidence, Fairness, Formula, FormulaId, Formulas, Machine, NodeId, Pair,
    Place, Verdict,
};
use tern_testkit::{sample, setting, sketch};

/// How many heads or pairs the oracles may use.
const LIMIT: usize = 20_000;

fn seeds(count: u64) -> std::ops::Range<u64> {
    let first = setting("TERN_SEED", 0);
    first..first + setting("TERN_PAIRS", count)
}

/// A label, its negation, or two of them joined.
fn of_labels(rng: &mut Rng, formulas: &mut Formulas) -> FormulaId {
    let mut literal = |formulas: &mut Formulas| {
        let atom = formulas.atom(["p", "q", "r"][rng.usize(..3)]);
        if rng.u32(..4) == 0 { formulas.make(Formula::Not(atom)) } else { atom }
    };
    let (one, other) = (literal(formulas), literal(formulas));
    match rng.u32(..6) {
        0 => formulas.make(Formula::And(one, other)),
        1 => formulas.make(Formula::Or(one, other)),
        _ => one,
    }
}

fn condition((when, then): (FormulaId, FormulaId)) -> Fairness {
    Pair { when: when.into(), then: then.into() }.into()
}

/// The same claim with `F G !p | G F q` for every `G F p -> G F q`, which no engine knows for a
/// pair.
fn disguised(formulas: &mut Formulas, claim: FormulaId) -> FormulaId {
    rewrite::rebuild(formulas, claim, |formulas, _, formula| {
        if let Formula::Implies(left, right) = formula
            && let Some(when) = recurring(formulas, left)
            && recurring(formulas, right).is_some()
        {
            let not = formulas.make(Formula::Not(when));
            let always = formulas.make(Formula::Globally(not));
            let stops = formulas.make(Formula::Finally(always));
            return formulas.make(Formula::Or(stops, right));
        }
        formulas.make(formula)
    })
}

fn recurring(formulas: &Formulas, id: FormulaId) -> Option<FormulaId> {
    let Formula::Globally(later) = formulas.get(id) else { return None };
    match formulas.get(later) {
        Formula::Finally(state) => Some(state),
        _ => None,
    }
}

#[derive(Default, Debug)]
struct Spoken {
    pairs: usize,
    oracle: usize,
    holds: usize,
    narrowed: usize,
    deeper: usize,
}

impl Spoken {
    fn note(&mut self, evidence: &Evidence) {
        if let Evidence::Absence { proof, .. } = evidence {
            self.narrowed += usize::from(!proof.narrowings.is_empty());
            self.deeper += usize::from(proof.narrowings.iter().any(|it| it.within.is_some()));
        }
    }

    fn check(&self, least: usize) {
        println!("{self:?}");
        let share = |count: usize| count * 100 / self.pairs;
        assert!(share(self.oracle) >= least, "the oracle was silent too often: {self:?}");
        assert!((15..85).contains(&share(self.holds)), "the verdicts are one-sided: {self:?}");
    }
}

/// Decides a claim by every engine that can, with evidence, and compares.
fn decide(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    expected: bool,
    spoken: &mut Spoken,
    case: &dyn Fn() -> String,
) {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let named = ENGINES.into_iter().filter(|engine| engine.logic != Logic::Ctl).map(Some);
    for engine in named.chain([None]) {
        let name = engine.map_or("auto", |engine| engine.name);
        let options = Options { engine, evidence: true, runs: Some(100_000), ..Options::default() };
        let outcome = checker.check(formulas, claim, &options, &budget);
        let Some(holds) = outcome.verdict.known() else { continue };
        assert_eq!(holds, expected, "{name}: {}", case());
        let Some(evidence) = &outcome.evidence else {
            panic!("{name} gives no evidence, {:?}: {}", outcome.missing, case());
        };
        spoken.note(evidence);
        if let Err(refusal) = certify(machine, formulas, claim, &outcome.verdict, evidence) {
            panic!("{name}: {refusal:?}: {evidence:#?} {}", case());
        }
    }
}

fn with_quantifier(formulas: &mut Formulas, path: FormulaId, seed: u64) -> FormulaId {
    match seed % 5 {
        0 => formulas.make(Formula::Exists(path)),
        1 => {
            let all = formulas.make(Formula::All(path));
            formulas.make(Formula::Not(all))
        }
        _ => formulas.make(Formula::All(path)),
    }
}

/// Decides a claim on fair paths, and compares with the same said as a formula, and the oracle.
fn compare(
    seed: u64,
    machine: &Machine,
    formulas: &mut Formulas,
    claim: FormulaId,
    fair: &[Fairness],
    spoken: &mut Spoken,
) {
    let budget = Budget::unlimited();
    let claim = fair::under(formulas, claim, fair);
    let plain = disguised(formulas, claim);
    let formulas = &*formulas;
    let case = || format!("seed {seed}\n{}\n{}", sketch::show(machine), formulas.show(claim));
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let options = Options { engine: Engine::named("automata"), ..Options::default() };
    let expected = checker.check(formulas, plain, &options, &budget).verdict;
    let expected = expected.known().expect("no limits are set");
    let truth = pushdown::check(machine, formulas, plain, LIMIT);
    spoken.pairs += 1;
    spoken.oracle += usize::from(truth.is_some());
    spoken.holds += usize::from(expected);
    assert!(truth.is_none_or(|truth| truth == expected), "{}", case());
    decide(machine, formulas, claim, expected, spoken, &case);
}

#[test]
fn claims_about_runs_agree_with_the_same_as_formulas() {
    let mut spoken = Spoken::default();
    for seed in seeds(300) {
        let mut rng = Rng::with_seed(seed);
        let large = sample::Shape { components: 4, nodes: 8, boxes: 4, ..sample::Shape::default() };
        let shape = if seed % 4 == 0 { large } else { sample::Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let path = sample::ltl(&mut rng, &mut formulas, 1 + (seed % 5) as usize);
        let claim = with_quantifier(&mut formulas, path, seed);
        let fair: Vec<Fairness> = (0..1 + seed % 3)
            .map(|_| {
                condition((of_labels(&mut rng, &mut formulas), of_labels(&mut rng, &mut formulas)))
            })
            .collect();
        compare(seed, &machine, &mut formulas, claim, &fair, &mut spoken);
    }
    spoken.check(30);
    assert!(spoken.narrowed > 0 && spoken.deeper > 0, "{spoken:?}");
}

#[test]
fn claims_in_ctl_star_agree_with_the_same_as_formulas() {
    let mut spoken = Spoken::default();
    for seed in seeds(150) {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = match seed % 3 {
            0 => sample::formula(&mut rng, &mut formulas, 2),
            _ => sample::ctl_star(&mut rng, &mut formulas, 3 + (seed % 5) as usize),
        };
        let fair: Vec<Fairness> = (0..1 + seed % 2)
            .map(|_| match seed % 4 {
                0 => condition((
                    sample::formula(&mut rng, &mut formulas, 1),
                    sample::formula(&mut rng, &mut formulas, 1),
                )),
                _ => condition((
                    of_labels(&mut rng, &mut formulas),
                    of_labels(&mut rng, &mut formulas),
                )),
            })
            .collect();
        compare(seed, &machine, &mut formulas, claim, &fair, &mut spoken);
    }
    spoken.check(30);
}

#[test]
fn up_to_six_pairs_agree_with_the_oracle_on_finite_machines() {
    let mut spoken = Spoken::default();
    for seed in seeds(300) {
        let mut rng = Rng::with_seed(seed);
        let shape = sample::Shape { nodes: 10, boxes: 1, labels: 3, ..sample::Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let Some((structure, _)) = finite::Structure::of_machine(&machine, 60) else { continue };
        let mut formulas = Formulas::new();
        let path = sample::ltl(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let claim = with_quantifier(&mut formulas, path, seed);
        let pairs: Vec<(FormulaId, FormulaId)> = (0..1 + seed % 6)
            .map(|_| (of_labels(&mut rng, &mut formulas), of_labels(&mut rng, &mut formulas)))
            .collect();
        spoken.pairs += 1;
        let truth = finite::check_fair(&structure, &formulas, claim, &pairs, LIMIT);
        let Some(truth) = truth else { continue };
        spoken.oracle += 1;
        spoken.holds += usize::from(truth);
        let fair: Vec<Fairness> = pairs.into_iter().map(condition).collect();
        let claim = fair::under(&mut formulas, claim, &fair);
        let case = || format!("seed {seed}\n{}\n{}", sketch::show(&machine), formulas.show(claim));
        decide(&machine, &formulas, claim, truth, &mut spoken, &case);
    }
    spoken.check(80);
    assert!(spoken.narrowed > 0 && spoken.deeper > 0, "{spoken:?}");
}

/// A ring in which node `i` shows `p_i`, and `q_j` all `j < i`: pair by pair must be given up,
/// each after the one before.
pub(crate) fn ring(pairs: usize, nodes: usize) -> Machine {
    let mut b = Builder::new();
    let main = b.component("main");
    let ring: Vec<NodeId> = (0..nodes).map(|i| b.node(main, &format!("n{i}"))).collect();
    for (i, &node) in ring.iter().enumerate() {
        let pair = i * pairs / nodes;
        b.label(node, &format!("p{pair}"));
        for earlier in 0..pair {
            b.label(node, &format!("q{earlier}"));
        }
        b.edge(Place::Node(node), Edge::Step(ring[(i + 1) % nodes]));
        // A way back that leaves out what comes later.
        b.edge(Place::Node(node), Edge::Step(ring[i / 2]));
    }
    b.initial(ring[0]);
    b.finish().expect("a sound machine")
}

#[test]
fn the_work_grows_with_the_number_of_pairs_not_with_that_of_their_subsets() {
    let budget = Budget::unlimited();
    let mut counts = Vec::new();
    for pairs in [8, 16, 32] {
        let machine = ring(pairs, 320);
        let mut formulas = Formulas::new();
        let fair: Vec<Fairness> = (0..pairs)
            .map(|i| {
                let (when, then) = (format!("p{i}"), format!("q{i}"));
                condition((formulas.atom(&when), formulas.atom(&then)))
            })
            .collect();
        let never = formulas.make(Formula::False);
        let claim = formulas.make(Formula::All(never));
        let claim = fair::under(&mut formulas, claim, &fair);
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.check(&formulas, claim, &options, &budget);
        // The last pair can never be kept, so those before it cannot either: no run is fair.
        assert_eq!(outcome.verdict, Verdict::Holds);
        let evidence = outcome.evidence.expect("it was asked for");
        certify(&machine, &formulas, claim, &outcome.verdict, &evidence).expect("it is proved");
        let Evidence::Absence { proof, .. } = &evidence else { panic!("a proof is expected") };
        let written: usize = proof.narrowings.iter().map(|it| it.vertices.len()).sum();
        counts.push((outcome.stats.product_nodes, proof.narrowings.len(), written));
    }
    println!("{counts:?}");
    for (&(nodes, narrowings, written), pairs) in counts.iter().zip([8, 16, 32]) {
        assert!(nodes <= 2 * 320 && narrowings <= 2 * pairs, "{counts:?}");
        assert!(written <= 320 * pairs, "{counts:?}");
    }
}

/// The way through a call that the first pair forbids has what the second one asks for.
#[test]
fn what_was_given_up_for_one_pair_stays_given_up_for_the_next() {
    let text = "component main\nbox f = f\n* n -> f.in\nf.x -> n\n
        component f\n> in -> a, b\na p0 q1 -> ^x\nb p1 -> ^x\nexits x";
    let machine = sketch::machine(text);
    let mut formulas = Formulas::new();
    let fair: Vec<Fairness> = (0..2)
        .map(|i| {
            let mut label = |name: &str| formulas.atom(&format!("{name}{i}"));
            condition((label("p"), label("q")))
        })
        .collect();
    let never = formulas.make(Formula::False);
    let claim = formulas.make(Formula::All(never));
    let claim = fair::under(&mut formulas, claim, &fair);
    let mut spoken = Spoken::default();
    decide(&machine, &formulas, claim, true, &mut spoken, &|| text.to_owned());
    assert!(spoken.deeper > 0, "{spoken:?}");
}
