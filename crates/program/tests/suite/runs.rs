//! Claims beyond CTL, decided by reading runs: against oracles for CTL*, with all evidence judged.

use crate::integers::number_from;
use crate::proofs::Case;
use crate::stronger::{recurring, structure};
use crate::told::is_shown;
use std::collections::BTreeMap;
use tern_certify::oracle::finite::{Structure, check, label};
use tern_ir::flow::{Affine, Column, Edge, Flow, Point, PointId, Proposition, Row};
use tern_ir::proof::{Layer, Path, Proof};
use tern_model::{Budget, Formula, FormulaId, Formulas, Id};
use tern_numeric::check::{Decision, Verdict, Wants};
use tern_program::c::claim::{self, Meanings};
use tern_program::c::explicit::{Bounds, explore};
use tern_program::c::hoist::hoisted;
use tern_program::c::interpret::Interpreter;
use tern_program::c::lower::{Settings, lower};
use tern_program::c::parse;
use tern_testkit::sample;

/// A random claim about `p`, `q` and `r`.
fn claim_of(random: &mut fastrand::Rng, formulas: &mut Formulas) -> FormulaId {
    let size = random.usize(2..9);
    match random.usize(..3) {
        0 => sample::ltl(random, formulas, size),
        1 => sample::ctl_star(random, formulas, size),
        _ => recurring(random, formulas),
    }
}

/// One operator under a quantifier, perhaps of another such: the operators that CTL has under this
/// quantifier and those that it has not, alike.
fn quantified(random: &mut fastrand::Rng, formulas: &mut Formulas, depth: usize) -> FormulaId {
    let mut operand = || match depth > 0 && random.usize(..4) == 0 {
        true => quantified(random, formulas, depth - 1),
        false => {
            let name = formulas.atom(NAMES[random.usize(..NAMES.len())]);
            if random.bool() { name } else { formulas.make(Formula::Not(name)) }
        }
    };
    let (f, g) = (operand(), operand());
    let path = formulas.make(match random.usize(..7) {
        0 => Formula::Next(f),
        1 => Formula::Finally(f),
        2 => Formula::Globally(f),
        3 => Formula::Until(f, g),
        4 => Formula::Release(f, g),
        5 => Formula::WeakUntil(f, g),
        _ => Formula::StrongRelease(f, g),
    });
    formulas.make(if random.bool() { Formula::All(path) } else { Formula::Exists(path) })
}

/// The propositions of structures, and what they mean.
const NAMES: [&str; 3] = ["p", "q", "r"];
type Named = BTreeMap<&'static str, Proposition>;

/// A structure as a program without variables: a point for each state.
fn of_points(structure: &Structure) -> (Flow, Named) {
    let mut flow = Flow::default();
    for state in 0..structure.state_count() {
        let labels = structure.labels_of(state).iter().cloned().collect();
        flow.add_point(Point { total: true, labels, ..Point::default() });
    }
    for from in 0..structure.state_count() {
        for &to in structure.successors_of(from) {
            flow.edges.push(Edge::plain(PointId::new(from), PointId::new(to)));
        }
    }
    flow.starts.push(Edge::plain(PointId::new(0), PointId::new(0)));
    (flow, NAMES.map(|name| (name, Proposition::Label(name.to_owned()))).into())
}

/// That the first variable has this value.
fn is(value: i128) -> [Row; 2] {
    let row =
        |factor| Affine { terms: vec![(Column::variable(0), factor)], constant: -factor * value };
    [row(1), row(-1)].map(Row::at_least_zero)
}

/// A structure as a program of one point, in which a variable says which state it is.
fn of_values(structure: &Structure) -> (Flow, Named) {
    let mut flow = Flow { variables: vec!["s".to_owned()], ..Flow::default() };
    let point = flow.add_point(Point { total: true, ..Point::default() });
    let assign = |to: usize| (0, Affine::constant(to as i128));
    for from in 0..structure.state_count() {
        for &to in structure.successors_of(from) {
            let (guard, update) = (is(from as i128).to_vec(), vec![assign(to)]);
            flow.edges.push(Edge { guard, update, ..Edge::plain(point, point) });
        }
    }
    let update = vec![assign(0)];
    flow.starts.push(Edge { update, ..Edge::plain(point, point) });
    let meaning = |name: &str| {
        let states = 0..structure.state_count();
        let has = states.filter(|&state| structure.labels_of(state).contains(name));
        Proposition::Rows(has.map(|state| is(state as i128).to_vec()).collect())
    };
    (flow, NAMES.map(|name| (name, meaning(name))).into())
}

/// What the analysis says, with evidence that must be accepted.
fn decided(case: &Case<'_>, effort: u64) -> (Decision, Option<Proof>) {
    let wants = Wants { evidence: true, steps: 300, ..Wants::default() };
    let budget = Budget::unlimited().with_effort(effort);
    let formula = (case.formulas, case.root);
    let decision = claim::by_runs(case.flow, formula, case.meanings, wants, &budget);
    let proof = case.proof(&decision);
    (decision, proof)
}

fn answer(decision: &Decision) -> Option<bool> {
    match decision.verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails { .. } => Some(false),
        Verdict::Unknown(_) => None,
    }
}

type MakeClaim = fn(&mut fastrand::Rng, &mut Formulas) -> FormulaId;

/// Compares claims about random structures, made programs by `flow`. Says how many proofs there
/// were, and how many of them wait.
fn compare(
    count: u64,
    claim_of: MakeClaim,
    flow: impl Fn(&Structure) -> (Flow, Named),
) -> [usize; 2] {
    let first = number_from("TERN_SEED", 1);
    let count = number_from("TERN_PAIRS", count);
    let (mut known, mut found, mut proofs, mut waiting) = (0, 0, 0, 0);
    for seed in first..first + count {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let root = claim_of(&mut random, &mut formulas);
        let structure = structure(&mut random);
        let Some(truth) = label(&structure, &formulas, root, 1 << 12) else { continue };
        let (flow, named) = flow(&structure);
        let atoms = formulas.atoms_of(root).into_iter();
        let meanings: Meanings =
            atoms.map(|atom| (atom, named[formulas.atom_name(atom)].clone())).collect();
        let case = Case { flow: &flow, formulas: &formulas, root, meanings: &meanings };
        let (decision, proof) = decided(&case, 100_000);
        known += 1;
        let Some(answer) = answer(&decision) else { continue };
        found += 1;
        assert_eq!(answer, truth[0], "seed {seed}: {} of {structure:?}", formulas.show(root));
        let proof = proof.unwrap_or_else(|| panic!("seed {seed} has no evidence"));
        proofs += 1;
        waiting += usize::from(has_waited(&proof));
    }
    println!("{known} claims from seed {first}, {found} decided, {proofs} proofs, {waiting} wait");
    assert!(found * 100 > known * 97, "too little is decided");
    [proofs, waiting]
}

/// Whether a proof has paths that fall nowhere, or ways that lead on from where a run waits.
fn has_waited(proof: &Proof) -> bool {
    proof.layers.iter().any(|layer| match layer {
        Layer::Always { again, refuted, .. } => {
            let mut paths = refuted.groups.iter().flat_map(|group| &group.paths);
            !again.levels.is_empty() || paths.any(|path| matches!(path, Path::Waits(_)))
        }
        _ => false,
    })
}

#[test]
fn structures_as_points_agree_with_the_oracle() {
    let [proofs, waiting] = compare(1200, claim_of, of_points);
    assert!(waiting * 20 > proofs, "too few proofs need what is tested");
}

#[test]
fn structures_as_values_agree_with_the_oracle() {
    let [proofs, waiting] = compare(500, claim_of, of_values);
    assert!(waiting * 20 > proofs, "too few proofs need what is tested");
}

#[test]
fn operators_under_each_quantifier_agree_with_the_oracle() {
    let [proofs, _] = compare(600, |random, formulas| quantified(random, formulas, 2), of_points);
    assert!(proofs > 0, "nothing is tested");
}

/// A random program that never ends, with loops inside that do or may not, and with a function that
/// calls itself perhaps. All values are small.
fn server(random: &mut fastrand::Rng, recursive: bool) -> String {
    let (mut function, mut body) = (String::new(), block(random, 2, ""));
    if recursive {
        let (before, after) = (block(random, 1, ""), block(random, 0, ""));
        function = format!("void f(int a) {{\nif (a > 0) {{\n{before}f(a - 1);\n{after}}}\n}}\n");
        let given = ["x", "y", "g", "1"][random.usize(..4)];
        let more = block(random, 1, "");
        body += &format!("f({given});\n{more}");
    }
    format!("int x, y, g;\n{function}void main() {{\nx = 0;\nwhile (1) {{\n{body}}}\n}}\n")
}

/// Statements; the variable that is counted is not changed.
fn block(random: &mut fastrand::Rng, depth: usize, counted: &str) -> String {
    let count = random.usize(1..4);
    (0..count).map(|_| statement(random, depth, counted)).collect()
}

fn statement(random: &mut fastrand::Rng, depth: usize, counted: &str) -> String {
    let all = ["x", "y", "g"];
    let free: Vec<&str> = all.into_iter().filter(|it| *it != counted).collect();
    let to = free[random.usize(..free.len())];
    let read = all[random.usize(..3)];
    let (low, high) = (random.i32(-1..1), random.i32(1..3));
    let sign = [">", "<=", "==", "!="][random.usize(..4)];
    let test = format!("{read} {sign} {}", random.i32(-1..2));
    match random.usize(..if depth == 0 { 5 } else { 10 }) {
        0 => format!("{to} = [{low}, {high}];\n"),
        1 => format!("{to} = {read};\n"),
        2 if random.usize(..4) == 0 => format!("assume({test});\n"),
        2..5 => format!("{to} = {};\n", random.i32(-1..3)),
        5 | 6 => {
            let (yes, no) = (block(random, depth - 1, counted), block(random, depth - 1, counted));
            format!("if ({test}) {{\n{yes}}} else {{\n{no}}}\n")
        }
        7 | 8 if counted.is_empty() => {
            let body = block(random, depth - 1, to);
            format!("while ({to} > 0) {{\n{to}--;\n{body}}}\n")
        }
        _ => format!("while ({test}) {{\n{}}}\n", block(random, depth - 1, counted)),
    }
}

/// The same formula about other propositions.
fn renamed(
    formulas: &Formulas,
    root: FormulaId,
    names: &BTreeMap<&str, String>,
) -> (Formulas, FormulaId) {
    let mut made = Formulas::new();
    let mut now: BTreeMap<FormulaId, FormulaId> = BTreeMap::new();
    for id in formulas.subformulas(root) {
        let same = match formulas.get(id) {
            Formula::Atom(atom) => made.atom(&names[formulas.atom_name(atom)]),
            formula => made.make(formula.with_operands(|f| now[&f])),
        };
        now.insert(id, same);
    }
    let root = now[&root];
    (made, root)
}

#[test]
fn servers_agree_with_the_interpreter() {
    let [known, found] = compare_servers(400, false);
    assert!(found * 10 > known * 9, "too little is decided");
}

#[test]
fn servers_that_call_themselves_agree_with_the_interpreter() {
    let [known, found] = compare_servers(40, true);
    assert!(found * 10 > known * 6, "too little is decided");
}

/// Compares claims about random servers; says of how many the truth is known, and how many are
/// decided.
fn compare_servers(count: u64, recursive: bool) -> [usize; 2] {
    let first = number_from("TERN_SEED", 1);
    let count = number_from("TERN_PAIRS", count);
    let (mut known, mut found, mut proofs, mut true_ones) = (0, 0, 0, 0);
    // Claims about runs that fail, and those whose run shows it.
    let (mut failing, mut shown_ones) = (0, 0);
    for seed in first..first + count {
        let mut random = fastrand::Rng::with_seed(seed);
        let text = server(&mut random, recursive);
        let unit = parse::parse(&text).unwrap_or_else(|it| panic!("seed {seed}: {it:?}\n{text}"));
        let settings = Settings::default();
        let flow = lower(&unit, &settings, &text).unwrap_or_else(|it| panic!("{it:?}\n{text}"));
        let mut formulas = Formulas::new();
        let root = claim_of(&mut random, &mut formulas);
        let mut names = BTreeMap::new();
        for (name, variable) in [("p", "x"), ("q", "y"), ("r", "g")] {
            let sign = [">", "==", "<"][random.usize(..3)];
            names.insert(name, format!("{variable} {sign} {}", random.i32(0..2)));
        }
        let (formulas, root) = renamed(&formulas, root, &names);
        let atoms = formulas.atoms_of(root);
        let names: Vec<&str> = atoms.iter().map(|&atom| formulas.atom_name(atom)).collect();
        let plain = hoisted(&unit);
        let interpreter = Interpreter::new(&plain, &settings);
        let Ok(Some(start)) = interpreter.start(&BTreeMap::new()) else { continue };
        let bounds = Bounds { size: 50, states: 500, whole: false };
        let listed = explore(interpreter, [start], bounds).expect("all is treated");
        let Some(machine) = listed.machine(&names, &[0]) else { continue };
        let Some((structure, of)) = Structure::of_machine(&machine, 600) else { continue };
        // A node of which nothing is known stands for what is not listed.
        let is_open = |node| machine.labels().any(|(label, _)| machine.is_unknown(node, label));
        if names.is_empty() || of.iter().flatten().any(|(_, node)| is_open(*node)) {
            continue;
        }
        let Some(truth) = check(&structure, &formulas, root, 1 << 14) else { continue };
        known += 1;
        let labels = claim::labels(&unit);
        let meaning = |name: &str| claim::meaning(&labels, &flow, name).expect("it is known");
        let meanings: Meanings =
            atoms.iter().map(|&atom| (atom, meaning(formulas.atom_name(atom)))).collect();
        let case = Case { flow: &flow, formulas: &formulas, root, meanings: &meanings };
        let shown = || format!("seed {seed}\n{}\n{text}", formulas.show(root));
        let caught =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| decided(&case, 8000)));
        let (decision, proof) = caught.unwrap_or_else(|_| panic!("{}", shown()));
        let Some(answer) = answer(&decision) else { continue };
        assert_eq!(answer, truth, "{}", shown());
        found += 1;
        true_ones += usize::from(truth);
        if !truth {
            failing += usize::from(!formulas.is_state_formula(root));
            let shows =
                std::panic::AssertUnwindSafe(|| is_shown(&case, (&unit, &settings), &decision));
            let caught = std::panic::catch_unwind(shows);
            shown_ones += usize::from(caught.unwrap_or_else(|_| panic!("{}", shown())));
        }
        match proof {
            Some(_) => proofs += 1,
            None => println!("without evidence: {}", shown()),
        }
    }
    println!(
        "{known} claims of {count} from seed {first}: {found} decided, {true_ones} true, \
         {proofs} proofs accepted; of {failing} that fail on a run, {shown_ones} runs repeat"
    );
    // What the analysis tells of functions that call themselves ends where they are called.
    assert!(recursive || shown_ones * 4 > failing, "too few runs are told");
    assert!(known * 2 > count as usize, "too little is known");
    assert!(true_ones * 5 > found && true_ones * 5 < found * 4, "claims are of one kind");
    assert_eq!(proofs, found, "each answer has evidence");
    [known, found]
}
