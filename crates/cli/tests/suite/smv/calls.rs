//! Random modules that call each other.

use super::*;

/// A module that can be called: a graph of states, of which the last is the end.
pub(super) struct Procedure {
    edges: Vec<Vec<usize>>,
    /// By state, the procedure that is called.
    calls: BTreeMap<usize, usize>,
    labels: [BTreeSet<usize>; 2],
    spec: Ctl,
}

impl Procedure {
    /// One that calls some of `count` procedures, from a first one on.
    pub(super) fn random(rng: &mut Rng, first: usize, count: usize) -> Self {
        let size = 3 + rng.usize(..4);
        let end = size - 1;
        let mut edges: Vec<Vec<usize>> = Vec::new();
        for _ in 0..end {
            let targets: BTreeSet<usize> =
                (0..1 + rng.usize(..2)).map(|_| 1 + rng.usize(..end)).collect();
            edges.push(targets.into_iter().collect());
        }
        edges.push(Vec::new());
        let mut calls = BTreeMap::new();
        if first < count {
            for state in 1..end {
                let before_call = edges
                    .iter()
                    .enumerate()
                    .any(|(from, to)| to.contains(&state) && calls.contains_key(&from));
                let behind_call =
                    edges[state].iter().any(|to| calls.contains_key(to) || *to == state);
                if rng.bool() && !before_call && !behind_call {
                    calls.insert(state, first + rng.usize(..count - first));
                }
            }
        }
        let mut label = || -> BTreeSet<usize> {
            (0..size).filter(|state| !calls.contains_key(state) && rng.u8(..3) == 0).collect()
        };
        let labels = [label(), label()];
        let mut maker = Maker { rng, kinds: vec![Kind::Bool, Kind::Bool] };
        let spec = maker.labels_only(3);
        Procedure { edges, calls, labels, spec }
    }

    pub(super) fn show(&self, number: usize) -> String {
        let end = self.edges.len() - 1;
        let name =
            |state: usize| if state == end { "EXIT".to_owned() } else { format!("q{state}") };
        let names = |states: &mut dyn Iterator<Item = usize>| {
            let shown: Vec<String> = states.map(name).collect();
            format!("{{{}}}", shown.join(", "))
        };
        let mut text = format!("MODULE m{number}\nVAR state : {};\nDEFINE\n", names(&mut (0..end)));
        for (i, states) in self.labels.iter().enumerate() {
            let condition = match states.is_empty() {
                true => "FALSE".to_owned(),
                false => format!("state in {}", names(&mut states.iter().copied())),
            };
            text += &format!("  v{i} := {condition};\n");
        }
        text += "  ended := state = EXIT;\n";
        if !self.calls.is_empty() {
            text += "CALL\n";
        }
        for (&state, callee) in &self.calls {
            text += &format!("  m{callee} := state = q{state};\n");
        }
        text += "ASSIGN init(state) := q0;\n  next(state) := case\n";
        for (state, to) in self.edges.iter().enumerate().take(end) {
            text += &format!("    state = q{state} : {};\n", names(&mut to.iter().copied()));
        }
        text + &format!("  esac;\nSPEC {}\n", self.spec)
    }
}

impl Maker<'_> {
    /// A formula over the variables themselves.
    fn labels_only(&mut self, depth: usize) -> Ctl {
        let label = |rng: &mut Rng| Ctl::Is(Expr::Var { index: rng.usize(..2), next: false });
        if depth == 0 {
            return label(self.rng);
        }
        let a = self.labels_only(depth - 1);
        match self.rng.u8(..9) {
            0 => label(self.rng),
            1 => Ctl::Not(a.into()),
            2 => Ctl::And(a.into(), self.labels_only(depth - 1).into()),
            3 => Ctl::Until('E', a.into(), self.labels_only(depth - 1).into()),
            4 => Ctl::Until('A', a.into(), self.labels_only(depth - 1).into()),
            _ => Ctl::Unary(["EX", "AX", "EF", "AF", "EG", "AG"][self.rng.usize(..6)], a.into()),
        }
    }
}

/// The configurations of a program from a procedure on: procedures and states, the outermost
/// first. An empty one is behind the end of the program. Of those that are too deep nothing is
/// known.
struct Unfolded {
    steps: Vec<Vec<usize>>,
    labels: Vec<[bool; 2]>,
    open: Vec<bool>,
}

/// The most calls that are open at once, and the most configurations, in an unfolding.
const DEEPEST: usize = 7;
const MOST: usize = 1_500;

fn unfolded(program: &[Procedure], start: usize) -> Unfolded {
    let mut numbers: BTreeMap<Vec<(usize, usize)>, usize> = BTreeMap::new();
    let mut all: Vec<Vec<(usize, usize)>> = vec![vec![(start, 0)]];
    numbers.insert(all[0].clone(), 0);
    let mut steps: Vec<Vec<usize>> = Vec::new();
    // Goes to a state, or if a call is made there, into the callee.
    let entered = |mut stack: Vec<(usize, usize)>| {
        if let Some(&(procedure, state)) = stack.last()
            && let Some(&callee) = program[procedure].calls.get(&state)
        {
            stack.push((callee, 0));
        }
        stack
    };
    let mut open = Vec::new();
    while steps.len() < all.len() {
        let stack = all[steps.len()].clone();
        let is_open = stack.len() > DEEPEST || steps.len() > MOST;
        open.push(is_open);
        if is_open {
            steps.push(Vec::new());
            continue;
        }
        let mut next: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut below = stack.clone();
        // What has ended is left, and what called it goes on behind the call.
        match below.pop() {
            None => next.push(Vec::new()),
            Some((procedure, state)) => {
                let mut at = (procedure, state);
                if state + 1 == program[procedure].edges.len() {
                    match below.pop() {
                        None => next.push(Vec::new()),
                        Some(caller) => at = caller,
                    }
                }
                for &to in &program[at.0].edges[at.1] {
                    let mut longer = below.clone();
                    longer.push((at.0, to));
                    next.push(entered(longer));
                }
            }
        }
        let ids = next.into_iter().map(|stack| {
            *numbers.entry(stack.clone()).or_insert_with(|| {
                all.push(stack);
                all.len() - 1
            })
        });
        let ids: Vec<usize> = ids.collect();
        steps.push(ids);
    }
    let labels = all.iter().map(|stack| match stack.last() {
        None => [false; 2],
        Some((procedure, state)) => [0, 1].map(|i| program[*procedure].labels[i].contains(state)),
    });
    let labels = labels.collect();
    Unfolded { steps, labels, open }
}

#[test]
fn modules_that_call_have_the_verdicts_of_their_unfolding() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 300));
    let (mut called, mut asked, mut spoke) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let parts = 1 + rng.usize(..3);
        // Half of them only call what is behind them.
        let recursive = rng.bool();
        let from = |i: usize| if recursive { 0 } else { i + 1 };
        let program: Vec<Procedure> =
            (0..parts).map(|i| Procedure::random(&mut rng, from(i), parts)).collect();
        let text: String = program.iter().enumerate().map(|(i, it)| it.show(i)).collect();
        let found = verdicts(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        for (i, procedure) in program.iter().enumerate() {
            let Unfolded { steps, labels, open } = unfolded(&program, i);
            let atom = |condition: &Expr| -> Vec<bool> {
                let numbers = labels.iter().map(|it| it.map(i64::from));
                numbers.map(|it| condition.value(Pair(&it, &it)) == 1).collect()
            };
            let graph = Graph { steps: &steps, open: &open, fair: &[], atom: &atom };
            let sure = procedure.spec.holds(&graph, true)[0];
            let possible = procedure.spec.holds(&graph, false)[0];
            asked += u64::from(recursive);
            spoke += u64::from(recursive && sure == possible);
            assert!(!sure || found[i], "seed {seed}, module m{i}\n{text}");
            assert!(possible || !found[i], "seed {seed}, module m{i}\n{text}");
        }
        called += u64::from(!program[0].calls.is_empty());
    }
    println!("{called} of {count} programs call; of recursive ones {spoke} of {asked} are known");
    assert!(called * 4 > count, "too few programs call");
    assert!(spoke * 10 > asked * 7, "too few recursive programs are known");
}
