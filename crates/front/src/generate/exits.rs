//! A procedure with many exits, and callers that go on differently after each.
//!
//! `work` has N exits; at its k-th node it leaves by the k-th exit or goes on to the next node.
//! `main` calls it from N places in turn. The j-th place goes on to a good node and then to the
//! next place after the j-th exit, and to a bad node, for ever, after any other. So at node k of
//! `work` something good can follow if and only if the place of the call is one of k, k + 1, …; the
//! N places make N contexts of N bits that all differ.
//!
//! Claims: at the first node something good can follow before anything bad (holds); at the last
//! node it can (fails unless there is only one); all places can be passed (holds).

use super::parts::{after, call, entry, exit, node, step};
use super::{Family, Make, Model, Parameters, model};
use tern_model::Builder;

pub(super) const FAMILY: Family = Family {
    name: "exits",
    about: "a procedure with many exits, and as many callers that all go on differently",
    size: "exits, and callers",
    most: 3_000,
    parameters: &[],
    make: Make::Machine(make),
};

fn make(p: &Parameters) -> Model {
    let mut b = Builder::new();
    let (main, work) = (b.component("main"), b.component("work"));
    let mut exits = Vec::with_capacity(p.size);
    let (mut first, mut before) = (None, None);
    for k in 0..p.size {
        let here = node(&mut b, work, &format!("n{k}"), &[]);
        let (leave, exit) = exit(&mut b, work, &format!("x{k}"));
        step(&mut b, here, leave);
        if let Some(before) = before {
            step(&mut b, before, here);
        }
        first.get_or_insert(here);
        before = Some(here);
        exits.push(exit);
    }
    let (first, last) = (first.expect("one exit or more"), before.expect("one exit or more"));
    b.entry(first);
    b.label(first, "first");
    b.label(last, "last");
    let start = entry(&mut b, main, "start", &[]);
    b.initial(start);
    let bad = node(&mut b, main, "bad", &["bad"]);
    step(&mut b, bad, bad);
    let mut from = start;
    for j in 0..p.size {
        let through = b.call_box(main, &format!("call{j}"), work);
        call(&mut b, from, through, first);
        from = node(&mut b, main, &format!("good{j}"), &["good"]);
        for (k, &exit) in exits.iter().enumerate() {
            after(&mut b, through, exit, if k == j { from } else { bad });
        }
    }
    let end = node(&mut b, main, "end", &["end"]);
    step(&mut b, from, end);
    step(&mut b, end, end);
    let claims = [
        ("first", "AG (first -> E [!bad U good])".to_owned(), Some(true)),
        ("last", "AG (last -> E [!bad U good])".to_owned(), Some(p.size == 1)),
        ("through", "EF end & AG (end -> AG !bad)".to_owned(), Some(true)),
    ];
    model(b, &claims)
}
