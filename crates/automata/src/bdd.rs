//! Binary decision diagrams: boolean functions as numbers, equal functions as equal numbers.
//!
//! Small on purpose: diagrams of the size of a formula, no garbage collection, no reordering, no
//! complement edges. The order of the variables is their numbers. No operation recurses on the
//! native stack, because a formula may have as many variables as it has subformulas.
//!
//! [`Bdd::cubes`] is the irredundant sum of products of Minato and Morreale (1993).

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_model::Limit;
use tern_model::automaton::{Cube, Literal};
use tern_model::budget::Meter;

/// A boolean function. Functions made later have larger numbers than those they consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ref(u32);

/// The function that is always false.
pub(super) const NEVER: Ref = Ref(0);
/// The function that is always true.
pub(super) const ALWAYS: Ref = Ref(1);

/// Above all variables: the constants have it.
const NO_VARIABLE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Ref,
    high: Ref,
}

/// All functions that were made, and the meter that every step ticks.
pub(super) struct Bdd<'b> {
    pub(super) meter: Meter<'b>,
    /// How much work is left of an attempt that may be given up, and whether it was.
    patience: Option<u64>,
    given_up: bool,
    nodes: Vec<Node>,
    index: FxHashMap<Node, Ref>,
    choices: FxHashMap<(Ref, Ref, Ref), Ref>,
}

impl<'b> Bdd<'b> {
    pub(super) fn new(meter: Meter<'b>) -> Self {
        let constant = |r| Node { variable: NO_VARIABLE, low: r, high: r };
        Bdd {
            meter,
            patience: None,
            given_up: false,
            nodes: vec![constant(NEVER), constant(ALWAYS)],
            index: FxHashMap::default(),
            choices: FxHashMap::default(),
        }
    }

    /// Notes one unit of work.
    pub(super) fn tick(&mut self) -> Result<(), Limit> {
        if let Some(left) = &mut self.patience {
            match left.checked_sub(1) {
                Some(less) => *left = less,
                None => {
                    self.given_up = true;
                    return Err(Limit::Effort);
                }
            }
        }
        self.meter.tick()
    }

    /// Does some work that is worth only so many units: nothing if it would take more. What it
    /// needs is counted, not timed, so that the outcome is always the same.
    pub(super) fn attempt<T>(
        &mut self,
        patience: u64,
        work: impl FnOnce(&mut Self) -> Result<Option<T>, Limit>,
    ) -> Result<Option<T>, Limit> {
        self.patience = Some(patience);
        let done = work(self);
        self.patience = None;
        match done {
            Err(_) if std::mem::take(&mut self.given_up) => Ok(None),
            done => done,
        }
    }

    /// The variable that decides first; larger than all variables for a constant.
    pub(super) fn variable(&self, f: Ref) -> u32 {
        self.nodes[f.0 as usize].variable
    }

    /// The function if its first variable is false, and if it is true.
    pub(super) fn branches(&self, f: Ref) -> (Ref, Ref) {
        let node = self.nodes[f.0 as usize];
        (node.low, node.high)
    }

    fn branches_at(&self, f: Ref, variable: u32) -> (Ref, Ref) {
        if self.variable(f) == variable { self.branches(f) } else { (f, f) }
    }

    fn node(&mut self, variable: u32, low: Ref, high: Ref) -> Ref {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        *self.index.entry(node).or_insert_with(|| {
            let r = u32::try_from(self.nodes.len()).expect("memory ends before numbers do");
            self.nodes.push(node);
            Ref(r)
        })
    }

    /// The function that is the value of a variable.
    pub(super) fn literal(&mut self, variable: u32, holds: bool) -> Ref {
        if holds { self.node(variable, NEVER, ALWAYS) } else { self.node(variable, ALWAYS, NEVER) }
    }

    /// `if_true` where `test` holds, `if_false` elsewhere.
    pub(super) fn choose(&mut self, test: Ref, if_true: Ref, if_false: Ref) -> Result<Ref, Limit> {
        enum Task {
            Find(Ref, Ref, Ref),
            Join(u32, (Ref, Ref, Ref)),
        }
        if let Some(simple) = self.simple(test, if_true, if_false) {
            return Ok(simple);
        }
        let mut tasks = vec![Task::Find(test, if_true, if_false)];
        let mut values: Vec<Ref> = Vec::new();
        while let Some(task) = tasks.pop() {
            self.tick()?;
            match task {
                Task::Find(f, g, h) => {
                    if let Some(value) = self.simple(f, g, h) {
                        values.push(value);
                        continue;
                    }
                    let variable = self.variable(f).min(self.variable(g)).min(self.variable(h));
                    let (f0, f1) = self.branches_at(f, variable);
                    let (g0, g1) = self.branches_at(g, variable);
                    let (h0, h1) = self.branches_at(h, variable);
                    tasks.push(Task::Join(variable, (f, g, h)));
                    tasks.push(Task::Find(f1, g1, h1));
                    tasks.push(Task::Find(f0, g0, h0));
                }
                Task::Join(variable, key) => {
                    let high = values.pop().expect("both branches were found");
                    let low = values.pop().expect("both branches were found");
                    let value = self.node(variable, low, high);
                    self.choices.insert(key, value);
                    values.push(value);
                }
            }
        }
        Ok(values.pop().expect("the whole was found"))
    }

    fn simple(&self, f: Ref, g: Ref, h: Ref) -> Option<Ref> {
        match (f, g, h) {
            (ALWAYS, g, _) => Some(g),
            (NEVER, _, h) => Some(h),
            (f, ALWAYS, NEVER) => Some(f),
            (_, g, h) if g == h => Some(g),
            _ => self.choices.get(&(f, g, h)).copied(),
        }
    }

    pub(super) fn and(&mut self, f: Ref, g: Ref) -> Result<Ref, Limit> {
        let (f, g) = (f.min(g), f.max(g));
        self.choose(f, g, NEVER)
    }

    pub(super) fn or(&mut self, f: Ref, g: Ref) -> Result<Ref, Limit> {
        let (f, g) = (f.min(g), f.max(g));
        self.choose(f, ALWAYS, g)
    }

    pub(super) fn not(&mut self, f: Ref) -> Result<Ref, Limit> {
        self.choose(f, NEVER, ALWAYS)
    }

    /// `f` where `g` does not hold.
    pub(super) fn without(&mut self, f: Ref, g: Ref) -> Result<Ref, Limit> {
        self.choose(g, NEVER, f)
    }

    /// Whether `g` holds wherever `f` does.
    pub(super) fn implies(&mut self, f: Ref, g: Ref) -> Result<bool, Limit> {
        Ok(f == g || self.without(f, g)? == NEVER)
    }

    /// What is left of a function when the variables below `bound` are known: each rest, with the
    /// function of those variables that leads to it. The rests differ and cover all values.
    pub(super) fn rests(&mut self, f: Ref, bound: u32) -> Result<Vec<(Ref, Ref)>, Limit> {
        // Parents have larger numbers than their children, so each is complete when it is taken.
        let mut open = BTreeMap::from([(f, ALWAYS)]);
        let mut found = Vec::new();
        while let Some((f, guard)) = open.pop_last() {
            self.tick()?;
            let variable = self.variable(f);
            if variable >= bound {
                found.push((guard, f));
                continue;
            }
            let (low, high) = self.branches(f);
            for (child, holds) in [(low, false), (high, true)] {
                let literal = self.literal(variable, holds);
                let way = self.and(guard, literal)?;
                let known = open.get(&child).copied().unwrap_or(NEVER);
                let known = self.or(known, way)?;
                open.insert(child, known);
            }
        }
        Ok(found)
    }

    /// The smallest sets of variables that make a monotone function true, each sorted.
    pub(super) fn primes(&mut self, f: Ref) -> Result<Vec<Vec<u32>>, Limit> {
        // Every path to `true` gives an implicant, and every prime implicant is on such a path.
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let mut stack = vec![(f, Vec::new())];
        while let Some((f, set)) = stack.pop() {
            self.tick()?;
            match f {
                NEVER => (),
                ALWAYS => sets.push(set),
                _ => {
                    let (low, high) = self.branches(f);
                    let mut longer = set.clone();
                    longer.push(self.variable(f));
                    stack.push((high, longer));
                    stack.push((low, set));
                }
            }
        }
        sets.sort_by_key(Vec::len);
        let mut primes: Vec<Vec<u32>> = Vec::new();
        for set in sets {
            self.tick()?;
            if !primes.iter().any(|prime| is_subset(prime, &set)) {
                primes.push(set);
            }
        }
        Ok(primes)
    }

    /// A value of the variables, as literals, that makes the function true, unless it is never
    /// true.
    pub(super) fn any_path(&self, mut f: Ref) -> Option<Vec<(u32, bool)>> {
        let mut path = Vec::new();
        while f != ALWAYS {
            if f == NEVER {
                return None;
            }
            let (low, high) = self.branches(f);
            let holds = low == NEVER;
            path.push((self.variable(f), holds));
            f = if holds { high } else { low };
        }
        Some(path)
    }

    /// The value of a function where exactly some variables, sorted, are true.
    pub(super) fn value(&self, mut f: Ref, letter: &[u32]) -> bool {
        while f != ALWAYS && f != NEVER {
            let (low, high) = self.branches(f);
            f = if letter.binary_search(&self.variable(f)).is_ok() { high } else { low };
        }
        f == ALWAYS
    }

    /// The conjunction of some literals.
    pub(super) fn cube(&mut self, cube: &Cube) -> Ref {
        let mut function = ALWAYS;
        for literal in cube.0.iter().rev() {
            let (low, high) = if literal.holds { (NEVER, function) } else { (function, NEVER) };
            function = self.node(literal.proposition, low, high);
        }
        function
    }

    /// A function as a disjunction of cubes, none of which can be left out or lose a literal.
    pub(super) fn cubes(&mut self, f: Ref) -> Result<Vec<Cube>, Limit> {
        let (mut found, _) = self.cover(f)?;
        found.sort();
        Ok(found.into_iter().map(|cube| Cube(cube.into())).collect())
    }

    fn cover(&mut self, f: Ref) -> Result<(Vec<Vec<Literal>>, Ref), Limit> {
        let mut frames: Vec<Frame> = Vec::new();
        // What to cover next: at least the first, at most the second function.
        let mut call = Some((f, f));
        let mut result: (Vec<Vec<Literal>>, Ref) = (Vec::new(), NEVER);
        loop {
            self.tick()?;
            if let Some((least, most)) = call.take() {
                if least == NEVER {
                    result = (Vec::new(), NEVER);
                } else if most == ALWAYS {
                    result = (vec![Vec::new()], ALWAYS);
                } else {
                    let variable = self.variable(least).min(self.variable(most));
                    let (least0, least1) = self.branches_at(least, variable);
                    let (most0, most1) = self.branches_at(most, variable);
                    frames.push(Frame {
                        variable,
                        least: (least0, least1),
                        most: (most0, most1),
                        parts: Vec::new(),
                    });
                    call = Some((self.without(least0, most1)?, most0));
                    continue;
                }
            }
            let Some(frame) = frames.last_mut() else { return Ok(result) };
            frame.parts.push(std::mem::replace(&mut result, (Vec::new(), NEVER)));
            let ((least0, least1), (most0, most1)) = (frame.least, frame.most);
            match &frame.parts[..] {
                [_] => call = Some((self.without(least1, most0)?, most1)),
                [(_, covered0), (_, covered1)] => {
                    let (covered0, covered1) = (*covered0, *covered1);
                    let left0 = self.without(least0, covered0)?;
                    let left1 = self.without(least1, covered1)?;
                    call = Some((self.or(left0, left1)?, self.and(most0, most1)?));
                }
                _ => {
                    let frame = frames.pop().expect("it was just looked at");
                    result = self.join(frame)?;
                }
            }
        }
    }

    fn join(&mut self, frame: Frame) -> Result<(Vec<Vec<Literal>>, Ref), Limit> {
        let mut cubes = Vec::new();
        let mut covered = [NEVER; 3];
        for (i, (part, function)) in frame.parts.into_iter().enumerate() {
            covered[i] = function;
            cubes.extend(part.into_iter().map(|mut cube| {
                if i < 2 {
                    cube.insert(0, Literal { proposition: frame.variable, holds: i == 1 });
                }
                cube
            }));
        }
        let split = self.node(frame.variable, covered[0], covered[1]);
        Ok((cubes, self.or(split, covered[2])?))
    }
}

/// A function that is being covered: by cubes with its first variable false, true, and without it.
struct Frame {
    variable: u32,
    least: (Ref, Ref),
    most: (Ref, Ref),
    parts: Vec<(Vec<Vec<Literal>>, Ref)>,
}

/// Whether all of a sorted list is in another.
pub(super) fn is_subset<T: Ord>(small: &[T], large: &[T]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|x| rest.by_ref().any(|y| x == y))
}
