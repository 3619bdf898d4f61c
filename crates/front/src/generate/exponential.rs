//! Exponentially many contexts, and claims that need none of them.
//!
//! The component c(k) calls c(k + 1) from two boxes. When that leaves by its k-th exit, one box
//! goes on to a good node and the other to a bad one; other exits are handed on. So the leaf at the
//! end, which has N exits, is reached under stacks that set each of N bits independently: 2^N
//! contexts, and twice as many in all components together. The machine itself has about N² places.
//!
//! Claims, all decided near the initial node: a marked node that something good follows can be
//! reached (holds; it is the next node); that, or else every leaf has something good before it
//! (holds for the first reason); every mark is followed by something bad (fails there). An engine
//! that labels all contexts before it looks at the initial node needs exponential time; one that
//! looks where the claim is unknown needs a constant number.
//!
//! With `deep` there is one more: at every leaf something good can follow. It fails, in one context
//! of the 2^N: the one in which all boxes are those that lead to bad nodes.

use super::parts::{after, call, entry, exit, node, step};
use super::{Family, Make, Model, Parameter, Parameters, model};
use tern_model::{Builder, ExitId};

pub(super) const FAMILY: Family = Family {
    name: "exponential",
    about: "exponentially many contexts, and claims that are decided without them",
    size: "levels of calls; the contexts are two to this power",
    most: 2_000,
    parameters: &[Parameter {
        name: "deep",
        about: "1 adds a claim that fails in only one of all contexts",
        default: 0,
        least: 0,
        most: 1,
    }],
    make: Make::Machine(make),
};

fn make(p: &Parameters) -> Model {
    let mut b = Builder::new();
    let comps: Vec<_> = (0..=p.size).map(|k| b.component(&format!("c{k}"))).collect();
    let firsts: Vec<_> = comps.iter().map(|&comp| entry(&mut b, comp, "first", &[])).collect();
    let exits: Vec<Vec<_>> = comps
        .iter()
        .enumerate()
        .map(|(k, &comp)| (0..k).map(|j| exit(&mut b, comp, &format!("x{j}"))).collect())
        .collect();
    b.label(firsts[p.size], "leaf");
    for &(leave, _) in &exits[p.size] {
        step(&mut b, firsts[p.size], leave);
    }
    // At the root something near is marked, so that nothing deep needs to be looked at.
    let near = node(&mut b, comps[0], "near", &["mark"]);
    step(&mut b, firsts[0], near);
    b.initial(firsts[0]);
    for k in 0..p.size {
        let good = node(&mut b, comps[k], "good", &["good"]);
        let bad = node(&mut b, comps[k], "bad", &["bad"]);
        step(&mut b, good, good);
        step(&mut b, bad, bad);
        if k == 0 {
            step(&mut b, near, good);
        }
        for (name, target) in [("keeps", good), ("spoils", bad)] {
            let through = b.call_box(comps[k], name, comps[k + 1]);
            call(&mut b, firsts[k], through, firsts[k + 1]);
            for (j, &(_, exit)) in exits[k + 1].iter().enumerate() {
                let handed_on: Option<&(_, ExitId)> = exits[k].get(j);
                after(&mut b, through, exit, handed_on.map_or(target, |&(leave, _)| leave));
            }
        }
    }
    let mut claims = vec![
        ("near", "EF (mark & E [!bad U good])".to_owned(), Some(true)),
        ("either", "EF mark | AG (leaf -> E [!bad U good])".to_owned(), Some(true)),
        ("spoiled", "AG (mark -> E [!good U bad])".to_owned(), Some(false)),
    ];
    if p.get("deep") == 1 {
        claims.push(("deep", "AG (leaf -> E [!bad U good])".to_owned(), Some(false)));
    }
    model(b, &claims)
}
