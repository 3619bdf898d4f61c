//! A procedure with many entries, called at each of them in turn, and many initial nodes.
//!
//! `work` has N entries, and each leads on to the next; the last returns. `main` has N initial
//! nodes, and each leads on to the next; after the last it calls `work` at each entry, one call
//! after the other, and comes to an end. A search that follows each entry to its end takes N²
//! steps; the machine has about 4N edges.
//!
//! Claims: from `work` the end can be reached (holds); one gets out of it before that (holds); one
//! may stay away from the end for ever (fails).

use super::parts::{after, call, entry, exit, node, step};
use super::{Family, Make, Model, Parameter, Parameters, model};
use tern_model::Builder;

pub(super) const FAMILY: Family = Family {
    name: "entries",
    about: "a procedure with many entries that lead on to each other, called at each of them",
    size: "entries, and calls",
    most: 10_000_000,
    parameters: &[Parameter {
        name: "initial",
        about: "initial nodes for each entry; 0 is one in all",
        default: 1,
        least: 0,
        most: 10,
    }],
    make: Make::Machine(make),
};

fn make(p: &Parameters) -> Model {
    let mut b = Builder::new();
    let (main, work) = (b.component("main"), b.component("work"));
    let mut from = None;
    for k in 0..(p.size * p.get("initial")).max(1) {
        let start = entry(&mut b, main, &format!("start{k}"), &[]);
        b.initial(start);
        if let Some(before) = from.replace(start) {
            step(&mut b, before, start);
        }
    }
    let mut from = from.expect("one initial node or more");
    let entries: Vec<_> =
        (0..p.size).map(|k| entry(&mut b, work, &format!("e{k}"), &["work"])).collect();
    let (out, exit) = exit(&mut b, work, "out");
    b.label(out, "out");
    for (k, &here) in entries.iter().enumerate() {
        step(&mut b, here, entries.get(k + 1).copied().unwrap_or(out));
        let through = b.call_box(main, &format!("call{k}"), work);
        call(&mut b, from, through, here);
        from = node(&mut b, main, &format!("done{k}"), &[]);
        after(&mut b, through, exit, from);
    }
    let end = node(&mut b, main, "end", &["end"]);
    step(&mut b, from, end);
    step(&mut b, end, end);
    let claims = [
        ("end", "AG (work -> EF end)".to_owned(), Some(true)),
        ("must", "AG (work -> A [!end U out])".to_owned(), Some(true)),
        ("never", "AG (work -> EG !end)".to_owned(), Some(false)),
    ];
    model(b, &claims)
}
