//! Random modules without calls.

use super::*;

/// A module: what is said of its variables, and what it is asked.
pub(super) struct Module {
    kinds: Vec<Kind>,
    init: Vec<Option<Choice>>,
    next: Vec<Option<Choice>>,
    constraints: Vec<(&'static str, Expr)>,
    fair: Vec<Expr>,
    specs: Vec<Ctl>,
    invariant: Expr,
}

impl Module {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let kind = |rng: &mut Rng| match rng.u8(..3) {
            0 => Kind::Bool,
            1 => {
                let low = rng.i64(-2..2);
                Kind::Int { low, high: low + rng.i64(1..4) }
            }
            _ => Kind::Symbol { count: rng.i64(2..6) },
        };
        let kinds: Vec<Kind> = (0..1 + rng.usize(..3)).map(|_| kind(rng)).collect();
        let mut maker = Maker { rng, kinds: kinds.clone() };
        let (mut init, mut next) = (Vec::new(), Vec::new());
        for &kind in &kinds {
            init.push((maker.rng.u8(..4) > 0).then(|| maker.choice(kind, 0)));
            let cases = maker.rng.usize(..6);
            next.push((maker.rng.u8(..5) > 0).then(|| maker.choice(kind, cases)));
        }
        let mut constraints = Vec::new();
        for (word, odds) in [("INIT", 6), ("INVAR", 8), ("TRANS", 5)] {
            if maker.rng.u8(..odds) == 0 {
                constraints.push((word, maker.condition(2, word == "TRANS")));
            }
        }
        let specs = (0..3).map(|_| maker.ctl(3)).collect();
        let fair = match maker.rng.u8(..4) {
            0 => (0..1 + maker.rng.usize(..2)).map(|_| maker.condition(1, false)).collect(),
            _ => Vec::new(),
        };
        let invariant = maker.condition(2, false);
        Module { kinds, init, next, constraints, fair, specs, invariant }
    }

    pub(super) fn show(&self) -> String {
        let mut text = "MODULE main\nVAR\n".to_owned();
        for (i, kind) in self.kinds.iter().enumerate() {
            let kind = match kind {
                Kind::Bool => "boolean".to_owned(),
                Kind::Int { low, high } => format!("{low}..{high}"),
                Kind::Symbol { .. } => set(*kind, &kind.values().collect::<Vec<_>>()),
            };
            text += &format!("  v{i} : {kind};\n");
        }
        text += "ASSIGN\n";
        for (i, &kind) in self.kinds.iter().enumerate() {
            for (word, choice) in [("init", &self.init[i]), ("next", &self.next[i])] {
                if let Some(choice) = choice {
                    text += &format!("  {word}(v{i}) := {};\n", choice.show(kind));
                }
            }
        }
        for (word, constraint) in &self.constraints {
            text += &format!("{word} {constraint}\n");
        }
        for condition in &self.fair {
            text += &format!("FAIRNESS {condition}\n");
        }
        for spec in &self.specs {
            text += &format!("SPEC {spec}\n");
        }
        text + &format!("INVARSPEC {}\n", self.invariant)
    }

    /// All states, reached or not.
    fn states(&self) -> Vec<Vec<i64>> {
        self.kinds.iter().fold(vec![Vec::new()], |states, kind| {
            let longer = |state: &Vec<i64>| -> Vec<Vec<i64>> {
                kind.values().map(|value| [&state[..], &[value]].concat()).collect()
            };
            states.iter().flat_map(longer).collect()
        })
    }

    fn is_constrained(&self, word: &str, at: Pair<'_>) -> bool {
        self.constraints.iter().all(|(own, it)| *own != word || it.value(at) == 1)
    }

    /// The verdicts of its specifications; `None` if it has no initial state, or gets stuck.
    fn verdicts(&self) -> Option<Vec<bool>> {
        let states = self.states();
        let sound: Vec<bool> =
            states.iter().map(|it| self.is_constrained("INVAR", Pair(it, it))).collect();
        let fits = |choices: &[Option<Choice>], at: Pair<'_>, to: &[i64]| {
            choices.iter().zip(to).all(|(choice, &value)| {
                choice.as_ref().is_none_or(|choice| choice.allows(at, value))
            })
        };
        let initial: Vec<usize> = (0..states.len())
            .filter(|&i| sound[i] && fits(&self.init, Pair(&states[i], &states[i]), &states[i]))
            .filter(|&i| self.is_constrained("INIT", Pair(&states[i], &states[i])))
            .collect();
        let follows = |from: usize, to: usize| {
            let at = Pair(&states[from], &states[to]);
            sound[to] && fits(&self.next, at, &states[to]) && self.is_constrained("TRANS", at)
        };
        let steps: Vec<Vec<usize>> = (0..states.len())
            .map(|from| (0..states.len()).filter(|&to| follows(from, to)).collect())
            .collect();
        let mut reached: BTreeSet<usize> = initial.iter().copied().collect();
        let mut left = initial.clone();
        while let Some(state) = left.pop() {
            left.extend(steps[state].iter().copied().filter(|&to| reached.insert(to)));
        }
        if initial.is_empty() || reached.iter().any(|&state| steps[state].is_empty()) {
            return None;
        }
        let atom = |condition: &Expr| -> Vec<bool> {
            states.iter().map(|it| condition.value(Pair(it, it)) == 1).collect()
        };
        let conditions: Vec<Vec<bool>> = self.fair.iter().map(&atom).collect();
        let open = vec![false; states.len()];
        let graph = Graph { steps: &steps, open: &open, fair: &conditions, atom: &atom };
        // Initial states from which no path is fair do not count for SPEC.
        let always = Ctl::Unary("EG", Ctl::Is(Expr::Truth(true)).into()).holds(&graph, true);
        let counted: Vec<usize> = initial.into_iter().filter(|&it| always[it]).collect();
        let holds = self.specs.iter().map(|spec| spec.holds(&graph, true));
        let mut found: Vec<bool> =
            holds.map(|set| counted.iter().all(|&state| set[state])).collect();
        let everywhere = atom(&self.invariant);
        found.push(reached.iter().all(|&state| everywhere[state]));
        Some(found)
    }
}

#[test]
fn modules_have_the_verdicts_of_an_evaluator_of_another_design() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 300));
    let (mut spoke, mut held) = (0, 0);
    for seed in first..first + count {
        let module = Module::random(&mut Rng::with_seed(seed));
        let Some(truth) = module.verdicts() else { continue };
        let text = module.show();
        let found = verdicts(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        assert_eq!(found, truth, "seed {seed}\n{text}");
        spoke += 1;
        held += truth.iter().filter(|&&truth| truth).count();
    }
    println!("{spoke} modules of {count}, {held} specifications hold");
    assert!(spoke * 2 > count, "too few modules can be decided");
    assert!(held as u64 > spoke / 2, "too few specifications hold");
}
