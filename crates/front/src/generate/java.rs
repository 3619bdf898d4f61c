//! Machines that look like the control flow of Java programs, for data-flow claims.
//!
//! A component is a method: about 25 nodes in a row, from its entry to its normal exit, with
//! branches that skip some, loops that go back, and calls. Most methods have one exit. Others have
//! exits for exceptions: two to four, and a few of them up to `exits`. After an exception a caller
//! goes on at a handler or leaves by an exception of its own. The call graph is a tree with more
//! calls on top, nearly all to later methods; some calls recurse, and can be passed by. Thus every
//! method can be reached, every method can end normally, and recursion can be left.
//!
//! Nodes define and use variables: labels `def_v` and `use_v`. Large programs have more variables,
//! so that each occurs at some fifteen nodes, however large the program; claims are made of the
//! first `variables`. The claims of data-flow analysis are `AG (def_v -> EF use_v)`: what is
//! defined may be used.
//!
//! Verdicts by construction: variable 0 is used at the very end of `main`, which can be reached
//! from everywhere, so its claim holds. The variable `dead` is used before the first method begins
//! and then only defined, so its claim fails. On the others chance decides.

use super::parts::{after, call, entry, exit, node, percent, pick, step};
use super::{Family, Make, Model, Parameter, Parameters, model};
use fastrand::Rng;
use tern_model::{Builder, CompId, ExitId, NodeId};

pub(super) const FAMILY: Family = Family {
    name: "java",
    about: "like the control flow of Java programs, with definitions and uses of variables",
    size: "methods",
    most: 1_000_000,
    parameters: &[
        Parameter {
            name: "nodes",
            about: "nodes of a method, on average, without its exits",
            default: 25,
            least: 4,
            most: 10_000,
        },
        Parameter {
            name: "exits",
            about: "exits of a method, at most",
            default: 30,
            least: 1,
            most: 1_000,
        },
        Parameter {
            name: "variables",
            about: "variables that claims are made of",
            default: 4,
            least: 1,
            most: 10_000,
        },
        Parameter {
            name: "recursion",
            about: "calls that recurse, in percent",
            default: 4,
            least: 0,
            most: 100,
        },
    ],
    make: Make::Machine(make),
};

/// A method, before its edges are made.
struct Method {
    comp: CompId,
    row: Vec<NodeId>,
    /// The normal exit first, then those for exceptions.
    exits: Vec<(NodeId, ExitId)>,
    /// For each node of the row, the method it calls.
    calls: Vec<Option<usize>>,
}

fn make(p: &Parameters) -> Model {
    let (mut rng, mut b) = (p.rng(), Builder::new());
    let variables: Vec<[String; 2]> = (0..p.get("variables") + p.size / 4)
        .map(|v| [format!("def_{v}"), format!("use_{v}")])
        .collect();
    let mut methods: Vec<Method> =
        (0..p.size).map(|i| method(&mut b, &mut rng, p, i, &variables)).collect();
    let (start, end) = (methods[0].row[0], methods[0].exits[0].0);
    let load = node(&mut b, methods[0].comp, "load", &["use_dead"]);
    step(&mut b, load, start);
    b.initial(load);
    b.label(start, "def_dead");
    b.label(end, "use_0");
    plan_calls(&mut methods, &mut rng, p.get("recursion"));
    for i in 0..methods.len() {
        connect(&mut b, &mut rng, &methods, i);
    }
    let mut claims: Vec<(&str, String, Option<bool>)> = Vec::new();
    let names: Vec<String> = (0..p.get("variables")).map(|v| format!("used_{v}")).collect();
    for (v, name) in names.iter().enumerate() {
        let holds = (v == 0).then_some(true);
        claims.push((name, format!("AG (def_{v} -> EF use_{v})"), holds));
    }
    claims.push(("used_dead", "AG (def_dead -> EF use_dead)".to_owned(), Some(false)));
    model(b, &claims)
}

fn method(
    b: &mut Builder,
    rng: &mut Rng,
    p: &Parameters,
    i: usize,
    variables: &[[String; 2]],
) -> Method {
    let comp = b.component(&if i == 0 { "main".to_owned() } else { format!("m{i}") });
    let average = p.get("nodes");
    let length = rng.usize(average.div_ceil(2)..=average + average / 2);
    let row: Vec<NodeId> = (0..length)
        .map(|k| {
            let name = format!("n{k}");
            let node = if k == 0 { entry(b, comp, &name, &[]) } else { node(b, comp, &name, &[]) };
            if percent(rng, 15) {
                let [def, used] = &variables[rng.usize(..variables.len())];
                b.label(node, if rng.bool() { def } else { used });
            }
            node
        })
        .collect();
    let exits = match rng.usize(..100) {
        _ if i == 0 => 1,
        0..60 => 1,
        60..80 => 2,
        80..90 => 3,
        90..97 => 4,
        _ => rng.usize(5..=30),
    };
    let exits = (0..exits.min(p.get("exits")))
        .map(|k| {
            let name = if k == 0 { "end".to_owned() } else { format!("throw{k}") };
            exit(b, comp, &name)
        })
        .collect();
    let calls = vec![None; row.len()];
    Method { comp, row, exits, calls }
}

/// Chooses who calls whom, and where: each method but the first is called from an earlier one, and
/// about one node in ten calls something else.
fn plan_calls(methods: &mut [Method], rng: &mut Rng, recursion: usize) {
    for callee in 1..methods.len() {
        loop {
            let caller = rng.usize(..callee);
            let at = rng.usize(..methods[caller].row.len());
            if methods[caller].calls[at].is_none() {
                methods[caller].calls[at] = Some(callee);
                break;
            }
        }
    }
    for i in 0..methods.len() {
        for at in 0..methods[i].row.len() {
            if methods[i].calls[at].is_none() && percent(rng, 8) {
                let target = if percent(rng, recursion) {
                    Some(rng.usize(..=i))
                } else {
                    (i + 1 < methods.len()).then(|| rng.usize(i + 1..methods.len()))
                };
                methods[i].calls[at] = target;
            }
        }
    }
}

fn connect(b: &mut Builder, rng: &mut Rng, methods: &[Method], i: usize) {
    let Method { comp, row, exits, calls } = &methods[i];
    let throws: Vec<NodeId> = exits[1..].iter().map(|&(node, _)| node).collect();
    for (k, &here) in row.iter().enumerate() {
        let next = row.get(k + 1).copied().unwrap_or(exits[0].0);
        if let Some(callee) = calls[k] {
            let Method { comp: target, row: inner, exits: outcomes, .. } = &methods[callee];
            let through = b.call_box(*comp, &format!("b{k}"), *target);
            call(b, here, through, inner[0]);
            if callee <= i {
                step(b, here, next);
            }
            for (x, &(_, outcome)) in outcomes.iter().enumerate() {
                let handler = if x == 0 {
                    next
                } else if !throws.is_empty() && percent(rng, 70) {
                    pick(rng, &throws)
                } else {
                    row.get(rng.usize(k + 1..=row.len())).copied().unwrap_or(exits[0].0)
                };
                after(b, through, outcome, handler);
            }
            continue;
        }
        step(b, here, next);
        if percent(rng, 20) {
            // A branch that skips some nodes, or all.
            let to = row.get(rng.usize(k + 1..=row.len())).copied().unwrap_or(exits[0].0);
            step(b, here, to);
        } else if percent(rng, 8) {
            step(b, here, row[rng.usize(..=k)]);
        } else if !throws.is_empty() && percent(rng, 20) {
            step(b, here, pick(rng, &throws));
        }
    }
}
