//! The section `pairs` of `cargo xtask linear`: strong fairness with many conditions.
//!
//! The machine is a ring on which condition after condition has to be given up, each after the one
//! before, because what it asks for is not there without what the next one forbids: the worst case
//! of the search, as often as there are conditions.

use crate::linear::{Count, growth_row, growth_table};
use crate::measure::{Limits, Measured, measure};
use crate::page::{note, time};
use std::io;
use tern_engine::{Checker, Engine};
use tern_model::{
    Budget, Builder, Claim, Claims, Condition, Edge, Formula, Machine, NodeId, Pair, Place,
};

/// How many conditions there are while the machine grows, and nodes while the conditions do.
const PAIRS: usize = 50;
const NODES: usize = 10_000;

/// A ring in which node `i` shows `p_k`, where `k` grows with `i`, and `q_j` for all `j < k`.
fn ring(pairs: usize, nodes: usize) -> Machine {
    let mut b = Builder::new();
    let main = b.component("main");
    let ring: Vec<NodeId> = (0..nodes).map(|i| b.node(main, &format!("n{i}"))).collect();
    for (i, &node) in ring.iter().enumerate() {
        let pair = i * pairs / nodes;
        b.label(node, &format!("p{pair}"));
        for earlier in 0..pair {
            b.label(node, &format!("q{earlier}"));
        }
        b.edge(Place::Node(node), Edge::Step(ring[(i + 1) % nodes]));
        // A way back that leaves out what comes later.
        b.edge(Place::Node(node), Edge::Step(ring[i / 2]));
    }
    b.initial(ring[0]);
    b.finish().unwrap_or_else(|flaws| unreachable!("no flaws are made: {flaws:?}"))
}

/// That no run keeps all conditions.
fn none_is_fair(pairs: usize) -> Claims {
    let mut claims = Claims::new();
    let never = claims.formulas.make(Formula::False);
    let all = claims.formulas.make(Formula::All(never));
    claims.push(Claim::new(all));
    let conditions: Vec<Condition> = (0..pairs)
        .map(|i| {
            let mut label = |name: &str| claims.formulas.atom(&format!("{name}{i}")).into();
            let (when, then) = (label("p"), label("q"));
            Pair { when, then }.into()
        })
        .collect();
    claims.restrict(conditions);
    claims
}

/// The section.
pub(crate) fn section(
    engines: &[&'static Engine],
    max: usize,
    counts: &[Count],
    limits: Limits,
) -> io::Result<String> {
    let nodes = std::iter::successors(Some(1000), |nodes| Some(nodes * 2));
    let growing: Vec<(usize, usize)> =
        nodes.take_while(|&nodes| nodes <= max.min(32_000)).map(|nodes| (PAIRS, nodes)).collect();
    let more: Vec<(usize, usize)> = [6, 12, 24, 48].map(|pairs| (pairs, NODES)).to_vec();
    let mut text = format!(
        "## Strong fairness with many conditions\n\n\
         `cargo xtask linear --section pairs`: no run of a ring is fair, because its conditions have to be given up one \
         after the other. {PAIRS} conditions while nodes double, and {NODES} nodes while conditions double; growth is \
         the exponent over what doubles.\n\n"
    );
    for (list, largest) in [(growing, "largest, nodes"), (more, "largest, conditions")] {
        let mut costs: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); engines.len()];
        for (pairs, nodes) in list {
            let machine = ring(pairs, nodes);
            let claims = none_is_fair(pairs);
            let checker = Checker::new(&machine, &Budget::unlimited())
                .map_err(|limit| io::Error::other(limit.to_string()))?;
            for (engine, costs) in engines.iter().zip(&mut costs) {
                let measured = measure(&checker, &claims, engine, limits, 3);
                let best = time(measured.best);
                note(&format!("{pairs} conditions, {nodes} nodes, {}: {best}", engine.name));
                if measured.is_decided() {
                    let size = if largest.ends_with("nodes") { nodes } else { pairs };
                    costs.push((size as f64, measured));
                }
            }
        }
        let rows: Vec<Vec<String>> = engines
            .iter()
            .zip(&costs)
            .map(|(engine, costs)| growth_row(engine, costs, counts))
            .collect();
        text += &format!("{}\n", growth_table(largest, counts, &rows));
    }
    Ok(text)
}
