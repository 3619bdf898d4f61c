//! Claims about configurations other than the initial ones: every engine agrees with oracles that
//! know all configurations, and what is certified is certified for these.

use fastrand::Rng;
use tern::certify::oracle::{exact, pushdown};
use tern::certify::{Asked, check, spoken_of};
use tern::model::{Evidence, Formula, FormulaId, NodeId, Property};
use tern::record::json::{self, Results};
use tern::record::read_evidence;
use tern::record::result_file::ResultFile;
use tern::{
    Answer, Budget, Claim, Claims, Configuration, ENGINES, Formulas, Gap, Machine, Missing,
    Options, Session, Start, Verdict,
};
use tern_testkit::{sample, setting, sketch};

/// How many values or heads the oracles may need.
const LIMIT: usize = 3_000;

/// A random configuration with so many calls at most.
fn configuration(rng: &mut Rng, machine: &Machine, most: usize) -> Configuration {
    let components: Vec<_> = machine.components().collect();
    let mut component = components[rng.usize(..components.len())];
    let mut stack = Vec::new();
    for _ in 0..rng.usize(..=most) {
        let boxes = machine.boxes_of(component);
        if boxes.is_empty() {
            break;
        }
        let call = boxes[rng.usize(..boxes.len())];
        stack.push(call);
        component = machine.callee(call);
    }
    let nodes: Vec<NodeId> = machine.nodes_of(component).collect();
    Configuration { stack, node: nodes[rng.usize(..nodes.len())] }
}

/// The truth of a formula in each of some configurations, by an oracle that was told where any of
/// them begins.
fn truth(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    starts: &[Configuration],
) -> Option<Vec<bool>> {
    // The oracles look at components that something begins in.
    let everywhere = Start::At(machine.nodes().map(Configuration::from).collect());
    let view = everywhere.view(machine, &Budget::unlimited()).expect("these are configurations");
    let by_tables = exact::solve(&view.machine, formulas, claim, LIMIT);
    let by_heads = pushdown::solve(&view.machine, formulas, claim, LIMIT);
    let at = |start: &Configuration| {
        let exact = by_tables.as_ref().and_then(|it| it.at(&start.stack, start.node));
        let heads = by_heads.as_ref().and_then(|it| it.at(&start.stack, start.node));
        if let (Some(exact), Some(heads)) = (exact, heads) {
            assert_eq!(exact, heads, "the oracles differ");
        }
        exact.or(heads)
    };
    starts.iter().map(at).collect()
}

/// Whether the certifier accepts the evidence of an answer as it stands in a result file; `None` if
/// it refuses it.
fn read_back(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    answer: Answer,
) -> Option<bool> {
    let mut claims = Claims::from(formulas.clone());
    claims.push(claim.clone());
    let answers = [answer];
    let results = Results::new("m", &claims, &[1], &answers);
    let text = json::text(&Results { machine: Some(machine), ..results });
    let file = ResultFile::read(&text).expect("a result file");
    let entry = &file.results[0];
    assert_eq!(entry.start(machine).as_ref(), Ok(&claim.start));
    let Some(evidence) = entry.evidence else { return Some(false) };
    let verdict = Verdict::from(entry.verdict == "holds");
    let asked = Asked { formulas, claim };
    let budget = Budget::unlimited();
    let spoken = spoken_of(machine.into(), asked, &verdict, &budget).expect("it can be proved");
    let about = spoken.as_ref().map_or(machine, |it| &it.machine);
    let evidence = read_evidence(about, formulas, &claim.property, evidence.get());
    let evidence = evidence.expect("it was written so");
    let culprit = entry.culprit.as_deref().map(|name| {
        let mut starts = claim.start.configurations(machine).into_iter();
        starts.find(|it| it.show(machine) == name).expect("the claim is about it")
    });
    check(machine.into(), asked, &verdict, culprit.as_ref(), &evidence, &budget).ok().map(|()| true)
}

/// Whether the certifier takes evidence about a claim that holds nowhere else for one that begins
/// elsewhere as well, though it is wrong there. It must not.
fn is_misled(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    evidence: &Evidence,
    other: &Configuration,
) -> bool {
    let Property::Formula(formula) = claim.property else { return false };
    let budget = Budget::unlimited();
    [Verdict::Holds, Verdict::Fails].into_iter().any(|verdict| {
        let alone = Claim { start: Start::At(vec![other.clone()]), ..claim.clone() };
        let asked = Asked { formulas, claim: &alone };
        let accepted = check(machine.into(), asked, &verdict, None, evidence, &budget).is_ok();
        let truth = truth(machine, formulas, formula, std::slice::from_ref(other));
        accepted && truth.is_some_and(|truth| Verdict::from(truth[0]) != verdict)
    })
}

#[test]
fn every_engine_decides_claims_where_they_begin() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 600));
    let (mut holds, mut fails, mut inside, mut certified, mut misled) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let formula = match seed % 3 {
            0 => sample::formula(&mut rng, &mut formulas, 2),
            1 => sample::ltl(&mut rng, &mut formulas, 4),
            _ => sample::ctl_star(&mut rng, &mut formulas, 4),
        };
        let most = [0, 3][(seed / 3 % 2) as usize];
        let starts: Vec<_> =
            (0..rng.usize(1..4)).map(|_| configuration(&mut rng, &machine, most)).collect();
        let claim = Claim { start: Start::At(starts.clone()), ..Claim::new(formula) };
        let Some(truth) = truth(&machine, &formulas, formula, &starts) else { continue };
        let expected = Verdict::from(truth.iter().all(|&holds| holds));
        let case = || {
            let shown = formulas.show(formula);
            format!("seed {seed}\n{}\n{shown} at {starts:?}", sketch::show(&machine))
        };
        let budget = Budget::unlimited();
        let session = Session::new(&machine, &budget).expect("no limits");
        let engines = ENGINES.into_iter().filter(|it| it.decides(&formulas, formula)).map(Some);
        for engine in engines.chain([None]) {
            let options =
                Options { engine, evidence: true, runs: Some(100_000), ..Options::default() };
            let answer = session.decide(&formulas, &claim, &options, &budget);
            assert_eq!(answer.outcome.verdict, expected, "{engine:?}: {}", case());
            if let Some(culprit) = &answer.outcome.culprit {
                let at = starts.iter().position(|start| start == culprit).expect("one of them");
                assert!(!truth[at], "{engine:?} blames {culprit:?}: {}", case());
            }
            assert_eq!(answer.outcome.culprit.is_some(), expected == Verdict::Fails);
            let answer = session.certified(&formulas, &claim, answer, &budget);
            assert_eq!(answer.outcome.verdict, expected, "{engine:?}: {}", case());
            let inside_calls = starts.iter().any(|start| !start.stack.is_empty());
            let is_certified = answer.certification.is_some_and(|it| it.accepted);
            assert!(is_certified, "{engine:?}: {answer:?} {}", case());
            if inside_calls {
                let told = |it: &Missing| matches!(it, Missing::Run(Gap::Unsupported(_)));
                assert!(answer.outcome.missing.iter().any(told));
                inside += 1;
            }
            certified += 1;
            let elsewhere = |it: &Configuration| !starts.contains(it);
            let other = Some(configuration(&mut rng, &machine, most)).filter(elsewhere);
            if let (Some(other), Some(evidence)) = (other, &answer.outcome.evidence) {
                misled += usize::from(is_misled(&machine, &formulas, &claim, evidence, &other));
            }
            if engine.is_none() {
                assert_eq!(read_back(&machine, &formulas, &claim, answer), Some(true));
            }
        }
        match expected {
            Verdict::Holds => holds += 1,
            _ => fails += 1,
        }
    }
    let counts =
        format!("{holds} hold, {fails} fail, {inside} inside calls, {certified} certified");
    println!("{count} pairs from seed {first}: {counts}");
    assert_eq!(misled, 0, "evidence was accepted where it is wrong");
    let enough = count / 10;
    assert!([holds, fails, inside, certified].iter().all(|&it| it > enough), "{counts}");
}

#[test]
fn what_is_no_configuration_is_said() {
    let text = "component main { initial entry a -> b.in; node n -> n; box b: f; b.x -> n; }
                component f { entry in -> x; exit x; }";
    let model = tern::Model::parse(text);
    let model = model.unwrap_or_else(|error| panic!("{error}"));
    let machine = &model.machine;
    let mut formulas = Formulas::new();
    let p = formulas.atom("p");
    let formula = formulas.make(Formula::Not(p));
    let budget = Budget::unlimited();
    let session = Session::new(machine, &budget).expect("no limits");
    let call = machine.boxes().next().expect("a box");
    let node = |component, name| machine.find_node(component, name).expect("a node");
    let decide = |stack, node| {
        let start = Start::At(vec![Configuration { stack, node }]);
        let claim = Claim { start, ..Claim::new(formula) };
        session.decide(&formulas, &claim, &Options::default(), &budget).outcome.verdict
    };
    assert_eq!(decide(vec![call], node("f", "in")), Verdict::Holds);
    for (stack, node) in [(vec![call, call], node("f", "in")), (vec![call], node("main", "n"))] {
        assert!(matches!(decide(stack, node), Verdict::Unknown(Gap::Unsupported(_))));
    }
}
