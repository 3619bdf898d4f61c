//! Writing RSM JSON: what is written is read again as the same machine, and what the format cannot
//! say is refused.

use tern_front::Source;
use tern_front::rsm::{read, write};
use tern_model::{
    Budget, Builder, CompId, DeadEndRule, Edge, EndRule, Id, Machine, NodeId, Place, Surety,
};

/// Everything about a machine, by names, sorted where the order means nothing.
fn portrait(m: &Machine) -> Vec<String> {
    let (labels, unknown) = (m.labels_by_node(), m.unknown_by_node());
    let node = |node: NodeId| {
        format!("{:?}.{:?}", m.component_name(m.component_of(node)), m.node_name(node))
    };
    let mut lines = Vec::new();
    for comp in m.components() {
        let name = m.component_name(comp);
        for n in m.nodes_of(comp) {
            let mut labels: Vec<_> = labels.of(n).iter().map(|&l| m.label_name(l)).collect();
            labels.sort_unstable();
            let mut doubts: Vec<_> = unknown.of(n).iter().map(|&l| m.label_name(l)).collect();
            doubts.sort_unstable();
            lines.push(format!("node {} entry {} {labels:?} {doubts:?}", node(n), m.is_entry(n)));
        }
        for &b in m.boxes_of(comp) {
            let callee = m.component_name(m.callee(b));
            lines.push(format!("box {name:?}.{:?} calls {callee:?}", m.box_name(b)));
        }
        for &place in m.places_of(comp) {
            let from = match m.place(place) {
                Place::Node(n) => node(n),
                Place::Site(b, x) => {
                    format!("{name:?}.{:?} after {:?}", m.box_name(b), m.exit_name(x))
                }
            };
            // The order of edges is kept, and matters to witnesses.
            for (i, (edge, surety)) in m.edges_with_surety(place).enumerate() {
                let to = match edge {
                    Edge::Step(n) => node(n),
                    Edge::Call(b, n) => format!("call {:?} at {}", m.box_name(b), node(n)),
                    Edge::Return(x) => format!("return by {:?}", m.exit_name(x)),
                };
                lines.push(format!("edge {from} {i} {surety:?} {to}"));
            }
        }
    }
    lines.sort();
    lines.extend(m.initial().iter().map(|&n| format!("initial {}", node(n))));
    lines
}

fn random_machine(seed: u64) -> Machine {
    let mut rng = fastrand::Rng::with_seed(seed);
    let odd = ["", " ", "\"", "\\", "\n", "é", "😀", "\u{0}", "{", "/"];
    let mut b = Builder::new();
    let comps: Vec<_> = (0..rng.usize(1..5))
        .map(|i| b.component(&format!("c{i}{}", odd[rng.usize(..odd.len())])))
        .collect();
    let mut nodes = vec![Vec::new(); comps.len()];
    let mut entries = vec![Vec::new(); comps.len()];
    let mut exits = vec![Vec::new(); comps.len()];
    // Nodes of all components are mixed, so that ids differ after reading.
    for i in 0..rng.usize(comps.len()..20) {
        let c = if i < comps.len() { i } else { rng.usize(..comps.len()) };
        let n = b.node(comps[c], &format!("n{i}{}", odd[rng.usize(..odd.len())]));
        if rng.bool() {
            b.entry(n);
            entries[c].push(n);
        }
        for _ in 0..rng.usize(..3) {
            let name = format!("p{}", rng.u8(..4));
            if rng.u8(..5) == 0 { b.unknown_label(n, &name) } else { b.label(n, &name) }
        }
        if rng.u8(..4) == 0 {
            exits[c].push(b.exit_node(n));
        }
        nodes[c].push((n, exits[c].len()));
    }
    let mut boxes = vec![Vec::new(); comps.len()];
    for i in 0..rng.usize(..6) {
        let (c, callee) = (rng.usize(..comps.len()), rng.usize(..comps.len()));
        boxes[c].push((b.call_box(comps[c], &format!("b{i}"), comps[callee]), callee));
    }
    for c in 0..comps.len() {
        let mut places = Vec::new();
        let mut exits_before = 0;
        for &(n, exits_now) in &nodes[c] {
            if exits_now == exits_before {
                places.push(Place::Node(n));
            }
            exits_before = exits_now;
        }
        for &(call, callee) in &boxes[c] {
            places.extend(exits[callee].iter().map(|&x| Place::Site(call, x)));
        }
        for place in places {
            for i in 0..rng.usize(..3) {
                // Possible edges are written last.
                let surety = if i > 0 && rng.bool() { Surety::Possible } else { Surety::Sure };
                let target = nodes[c][rng.usize(..nodes[c].len())].0;
                let call = (!boxes[c].is_empty()).then(|| boxes[c][rng.usize(..boxes[c].len())]);
                match call {
                    Some((call, callee)) if rng.bool() && !entries[callee].is_empty() => {
                        let entry = entries[callee][rng.usize(..entries[callee].len())];
                        b.edge_of(place, Edge::Call(call, entry), surety);
                    }
                    _ => b.edge_of(place, Edge::Step(target), surety),
                }
            }
        }
    }
    let home = rng.usize(..comps.len());
    for _ in 0..rng.usize(1..3) {
        b.initial(nodes[home][rng.usize(..nodes[home].len())].0);
    }
    b.finish().unwrap_or_else(|flaws| panic!("seed {seed}: {flaws:?}"))
}

#[test]
fn what_is_written_is_read_again() {
    let (mut calls, mut sites) = (0, 0);
    for seed in 0..2000 {
        let machine = random_machine(seed);
        let text = write(&machine).unwrap_or_else(|problems| panic!("seed {seed}: {problems:?}"));
        let again = read(&Source::new("t.rsm", text.as_str()), &Budget::unlimited())
            .unwrap_or_else(|refusal| panic!("seed {seed}: {refusal:?}\n{text}"));
        assert_eq!(portrait(&again), portrait(&machine), "seed {seed}\n{text}");
        assert_eq!(write(&again).expect("once more"), text, "seed {seed}");
        calls += machine.boxes().filter(|&b| !machine.calls_of(b).is_empty()).count();
        sites += machine.place_count() - machine.node_count();
    }
    assert!(calls > 500 && sites > 500, "{calls} calls and {sites} return sites test too little");
}

/// A component `c` with nodes `a` (initial) and `b`.
fn two_nodes() -> (Builder, NodeId, NodeId) {
    let mut builder = Builder::new();
    let c = builder.component("c");
    let (a, b) = (builder.node(c, "a"), builder.node(c, "b"));
    builder.initial(a);
    (builder, a, b)
}

#[track_caller]
fn refuses(builder: Builder, expected: &[(&str, &str)]) {
    let problems = write(&builder.finish().expect("sound")).expect_err("cannot be said");
    let said: Vec<_> = problems.iter().map(|p| (p.code, p.message.as_str())).collect();
    assert_eq!(said, expected);
    assert!(problems.iter().all(|p| p.hint.as_deref() == Some("write .tern instead")));
}

#[test]
fn what_the_format_cannot_say_is_refused() {
    let (mut builder, _, b) = two_nodes();
    builder.exit_node(b);
    builder.end_rule(EndRule::Sink);
    builder.dead_end_rule(DeadEndRule::Error);
    refuses(
        builder,
        &[
            ("R141", "RSM JSON cannot say that the program ends in a state of its own"),
            ("R141", "RSM JSON cannot say that dead ends are errors"),
        ],
    );

    let (mut builder, a, _) = two_nodes();
    let exit = builder.exit(CompId::new(0), "a");
    builder.possible_edge(Place::Node(a), Edge::Return(exit));
    refuses(builder, &[("R145", "RSM JSON cannot say that `c.a` returns only perhaps")]);

    let (mut builder, a, b) = two_nodes();
    builder.exit_node(b);
    builder.edge(Place::Node(b), Edge::Step(a));
    refuses(builder, &[("R142", "RSM JSON cannot say that node `b` of `c` returns and goes on")]);

    let (mut builder, a, b) = two_nodes();
    let (x, y) = (builder.exit_node(a), builder.exit_node(b));
    builder.edge(Place::Node(b), Edge::Return(x));
    let _ = y;
    refuses(
        builder,
        &[
            ("R142", "RSM JSON cannot say that node `b` of `c` returns in several ways"),
            ("R143", "RSM JSON cannot say that exit `a` of `c` is not one node of that name"),
        ],
    );

    let (mut builder, a, _) = two_nodes();
    let other = builder.component("d");
    let stray = builder.node(other, "s");
    builder.initial(stray);
    let port = builder.exit(tern_model::Id::new(0), "port");
    builder.edge(Place::Node(a), Edge::Return(port));
    refuses(
        builder,
        &[
            ("R143", "RSM JSON cannot say that exit `port` of `c` is not one node of that name"),
            ("R144", "RSM JSON cannot say that both `c` and `d` are initial"),
        ],
    );

    let problems = write(&Machine::default()).expect_err("nothing is initial");
    assert_eq!(problems[0].code, "R144");
}
