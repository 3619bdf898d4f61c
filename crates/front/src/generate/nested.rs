//! Formulas of growing depth, each level of which is true in other contexts.
//!
//! The machine is fixed. `walk` goes down into itself any number of times, turns, and comes back up
//! through a node q on each level; then `main` stays in a node z. From the turn on the way is
//! determined, and the formula g(k) says that exactly k nodes q are to come:
//!
//! ```text
//! g(0) = E [!q U EG z]        g(k) = E [!q U (q & EX g(k-1))]     (for even k with A and AX)
//! ```
//! At the turn under a stack of h levels, g(k) is true if and only if k = h − 1. So each level of
//! the formula has a context of its own in which it is true, N + 2 contexts in all, and none can be
//! left out.
//!
//! Claims: some turn has exactly N nodes q to come (holds); a turn that has N of them to come has
//! not N − 1 (holds); every turn has at most N (fails).

use super::parts::{after, call, entry, exit, node, step};
use super::{Family, Make, Model, Parameters, model};
use tern_model::Builder;

pub(super) const FAMILY: Family = Family {
    name: "nested",
    about: "a small machine, and formulas whose nested operators each need a context of their own",
    size: "levels of the formula",
    // The third claim is as long as the square of this.
    most: 2_000,
    parameters: &[],
    make: Make::Machine(make),
};

fn make(p: &Parameters) -> Model {
    let mut b = Builder::new();
    let (main, walk) = (b.component("main"), b.component("walk"));
    let start = entry(&mut b, main, "start", &[]);
    let rest = node(&mut b, main, "rest", &["z"]);
    let down = entry(&mut b, walk, "down", &[]);
    let turn = node(&mut b, walk, "turn", &["turn"]);
    let up = node(&mut b, walk, "up", &["q"]);
    let (leave, done) = exit(&mut b, walk, "leave");
    let (outer, deeper) = (b.call_box(main, "outer", walk), b.call_box(walk, "deeper", walk));
    b.initial(start);
    call(&mut b, start, outer, down);
    after(&mut b, outer, done, rest);
    step(&mut b, rest, rest);
    step(&mut b, down, turn);
    call(&mut b, down, deeper, down);
    after(&mut b, deeper, done, up);
    step(&mut b, turn, leave);
    step(&mut b, up, leave);

    let mut levels = vec!["E [!q U EG z]".to_owned()];
    for k in 1..=p.size {
        let (all, below) = (if k % 2 == 0 { "A" } else { "E" }, &levels[k - 1]);
        levels.push(format!("{all} [!q U (q & {all}X {below})]"));
    }
    let (exact, less) = (&levels[p.size], &levels[p.size - 1]);
    let claims = [
        ("exact", format!("EF (turn & {exact})"), Some(true)),
        ("apart", format!("AG (turn & {exact} -> !{less})"), Some(true)),
        ("bounded", format!("AG (turn -> {})", levels.join(" | ")), Some(false)),
    ];
    model(b, &claims)
}
