//! Procedures that call each other in a ring and tell by their exit how deep the recursion was.
//!
//! Each of N procedures goes down into the next one, or into itself, or turns. It has two exits,
//! even and odd: who turns leaves by even, and who comes back from a callee leaves by the exit that
//! the callee did not take. `main` calls the first and goes on at a node p after even, at a node q
//! after odd, and then begins again. At a turn the rest of the way up to `main` is determined, by
//! the parity of the stack.
//!
//! Claims: from p one can get to q and the other way round, and yet one may go down for ever
//! (holds); at every turn the outcome is settled, one way or the other (holds); at every turn it is
//! p (fails, one level deeper it is q); at every node of the way down both outcomes are still open
//! (holds).

use super::parts::{after, call, entry, exit, node, step};
use super::{Family, Make, Model, Parameters, model};
use tern_model::Builder;

pub(super) const FAMILY: Family = Family {
    name: "mutual",
    about: "mutual recursion in a ring; what follows a turn depends on the parity of the stack",
    size: "procedures in the ring",
    most: 10_000_000,
    parameters: &[],
    make: Make::Machine(make),
};

fn make(p: &Parameters) -> Model {
    let mut b = Builder::new();
    let main = b.component("main");
    let parts: Vec<_> = (0..p.size)
        .map(|k| {
            let comp = b.component(&format!("f{k}"));
            let down = entry(&mut b, comp, "down", &["down"]);
            let turn = node(&mut b, comp, "turn", &["turn"]);
            let (even, odd) = (exit(&mut b, comp, "even"), exit(&mut b, comp, "odd"));
            step(&mut b, down, turn);
            step(&mut b, turn, even.0);
            (comp, down, even, odd)
        })
        .collect();
    for (k, &(comp, down, even, odd)) in parts.iter().enumerate() {
        let (callee, callee_down, callee_even, callee_odd) = parts[(k + 1) % parts.len()];
        let deeper = b.call_box(comp, "deeper", callee);
        call(&mut b, down, deeper, callee_down);
        after(&mut b, deeper, callee_even.1, odd.0);
        after(&mut b, deeper, callee_odd.1, even.0);
        // Without this a ring of even length would have each procedure at one parity only.
        let again = b.call_box(comp, "again", comp);
        call(&mut b, down, again, down);
        after(&mut b, again, even.1, odd.0);
        after(&mut b, again, odd.1, even.0);
    }
    let start = entry(&mut b, main, "start", &[]);
    let on_even = node(&mut b, main, "on_even", &["p"]);
    let on_odd = node(&mut b, main, "on_odd", &["q"]);
    let (callee, down, even, odd) = parts[0];
    let first = b.call_box(main, "first", callee);
    call(&mut b, start, first, down);
    after(&mut b, first, even.1, on_even);
    after(&mut b, first, odd.1, on_odd);
    step(&mut b, on_even, start);
    step(&mut b, on_odd, start);
    b.initial(start);
    let outcome = |wanted: &str| format!("A [!(p | q) U {wanted}]");
    let claims = [
        ("both", "AG (p -> EF q) & AG (q -> EF p) & AG (p -> AX EG !turn)".to_owned(), Some(true)),
        ("settled", format!("AG (turn -> {} | {})", outcome("p"), outcome("q")), Some(true)),
        ("even", format!("AG (turn -> {})", outcome("p")), Some(false)),
        ("open", "AG (down -> E [!(p | q) U p] & E [!(p | q) U q])".to_owned(), Some(true)),
    ];
    model(b, &claims)
}
