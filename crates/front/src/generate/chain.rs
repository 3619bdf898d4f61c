//! A long chain of calls at whose end the claim is decided by what the outermost caller does.
//!
//! `main` calls c1, which calls c2, and so on to cN. Each has two exits, x and y, and hands on by
//! which of them its callee left. Only the last component chooses between them, and only `main`
//! goes on differently after each: from its odd calls of the chain x leads to a good node and y to
//! a bad one, from its even calls the other way round. So what is true in cN hangs on bits that
//! must travel through all N components, and each component is needed in two contexts.
//!
//! Claims, in the deepest component: a good node can be reached before any bad one (holds), must be
//! reached so (fails, since the other exit can be taken), and after y it is reached so (fails,
//! since that depends on which call it is). The last is false for a single call as well.

use super::parts::{after, call, entry, exit, node, step};
use super::{Family, Make, Model, Parameter, Parameters, model};
use tern_model::Builder;

pub(super) const FAMILY: Family = Family {
    name: "chain",
    about: "a long chain of calls; what holds at its far end depends on the outermost caller",
    size: "components in the chain",
    most: 10_000_000,
    parameters: &[
        Parameter {
            name: "calls",
            about: "how often the chain is called, alternately with two continuations",
            default: 2,
            least: 1,
            most: 1_000_000,
        },
        Parameter {
            name: "idle",
            about: "nodes in each component that do nothing",
            default: 2,
            least: 0,
            most: 1_000_000,
        },
    ],
    make: Make::Machine(make),
};

fn make(p: &Parameters) -> Model {
    let mut b = Builder::new();
    let main = b.component("main");
    // From the far end to the near one, so that the callee is there already.
    let mut callee = None;
    for k in (1..=p.size).rev() {
        let comp = b.component(&format!("c{k}"));
        let first = entry(&mut b, comp, "first", &[]);
        let mut last = first;
        for i in 0..p.get("idle") {
            let idle = b.node(comp, &format!("idle{i}"));
            step(&mut b, last, idle);
            last = idle;
        }
        let ((x, exit_x), (y, exit_y)) = (exit(&mut b, comp, "x"), exit(&mut b, comp, "y"));
        if let Some((below, below_first, below_x, below_y)) = callee {
            let next = b.call_box(comp, "next", below);
            call(&mut b, last, next, below_first);
            after(&mut b, next, below_x, x);
            after(&mut b, next, below_y, y);
        } else {
            b.label(first, "deep");
            step(&mut b, last, x);
            step(&mut b, last, y);
            b.label(y, "turned");
        }
        callee = Some((comp, first, exit_x, exit_y));
    }
    let (comp, first, exit_x, exit_y) = callee.expect("the chain has a component");
    let mut before = vec![entry(&mut b, main, "start", &[])];
    b.initial(before[0]);
    for k in 0..p.get("calls") {
        let through = b.call_box(main, &format!("call{k}"), comp);
        before.iter().for_each(|&from| call(&mut b, from, through, first));
        let good = node(&mut b, main, &format!("good{k}"), &["good"]);
        let bad = node(&mut b, main, &format!("bad{k}"), &["bad"]);
        let (after_x, after_y) = if k % 2 == 0 { (good, bad) } else { (bad, good) };
        after(&mut b, through, exit_x, after_x);
        after(&mut b, through, exit_y, after_y);
        before = vec![good, bad];
    }
    let end = b.node(main, "end");
    before.iter().for_each(|&from| step(&mut b, from, end));
    step(&mut b, end, end);
    let claims = [
        ("may", "AG (deep -> E [!bad U good])".to_owned(), Some(true)),
        ("must", "AG (deep -> A [!bad U good])".to_owned(), Some(false)),
        ("turned", "AG (turned -> E [!bad U good])".to_owned(), Some(false)),
    ];
    model(b, &claims)
}
