//! Certificates are read back as they were written, and nothing that a file says is believed:
//! random damage to the text is read or refused, and never ends in a panic or in an id beyond its
//! table.

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use serde_json::{Value, json};
use tern_certify::{Asked, Stopped, check};
use tern_engine::{Checker, Options};
use tern_model::logic::ctl::lower;
use tern_model::{
    Budget, Builder, Claim, Claims, Edge, Event, Evidence, Formula, FormulaId, Frame, Ground,
    Labelling, Layer, Machine, Outcome, Place, PlaceId, Proof, Summaries, Verdict,
};
use tern_record::read_labelling;
use tern_record::result_file::{NoResultFile, ResultFile, Sizes};
use tern_testkit::sample;

/// `main` calls `f` through a box and goes on after one of its two exits.
fn machine() -> Machine {
    let mut builder = Builder::new();
    let main = builder.component("main");
    let f = builder.component("f");
    let start = builder.node(main, "start");
    let end = builder.node(main, "end");
    let enter = builder.node(f, "enter");
    let back = builder.exit(f, "back");
    builder.exit(f, "other");
    let call = builder.call_box(main, "call", f);
    builder.entry(enter);
    builder.label(end, "p");
    builder.edge(Place::Node(start), Edge::Call(call, enter));
    builder.edge(Place::Site(call, back), Edge::Step(end));
    builder.edge(Place::Node(end), Edge::Step(end));
    builder.edge(Place::Node(enter), Edge::Return(back));
    builder.initial(start);
    builder.finish().expect("a machine")
}

fn set(positions: &[usize]) -> FixedBitSet {
    positions.iter().copied().collect()
}

/// `EG EF p`, with something in every field. It proves nothing.
fn by_hand(machine: &Machine, claims: &mut Claims) -> Labelling {
    let p = claims.formulas.atom("p");
    let path = claims.formulas.make(Formula::Finally(p));
    let inner = claims.formulas.make(Formula::Exists(path));
    let path = claims.formulas.make(Formula::Globally(inner));
    let formula = claims.formulas.make(Formula::Exists(path));
    claims.push(Claim { name: Some("odd".to_owned()), ..Claim::new(formula) });
    let program = lower(&claims.formulas, formula).expect("CTL");
    let components: Vec<_> = machine.components().collect();
    let nodes: Vec<_> = machine.nodes().collect();
    let call = machine.boxes().next().expect("a box");
    let exits: Vec<_> = machine.exits().collect();
    let places: Vec<PlaceId> = machine.places_of(components[0]).to_vec();
    let temporal: Vec<_> =
        program.terms.iter().filter(|(_, term)| term.is_temporal()).map(|(id, _)| id).collect();
    let ground = vec![
        Ground {
            component: components[0],
            ended: true,
            closed: set(&[]),
            callees: vec![(call, 1)],
        },
        Ground { component: components[1], ended: false, closed: set(&[1]), callees: vec![] },
    ];
    let frames = vec![
        Frame {
            component: components[0],
            ground: 0,
            callees: vec![(call, 1)],
            after: vec![],
            holds: set(&[0, 1]),
            sites: vec![places[2]],
            order: vec![places[1], places[2], places[0]],
        },
        Frame {
            component: components[1],
            ground: 1,
            callees: vec![],
            after: vec![(exits[0], true), (exits[1], false)],
            holds: set(&[]),
            sites: vec![],
            order: vec![],
        },
    ];
    let summaries = Summaries {
        starts: vec![(1, nodes[2])],
        events: vec![
            Event::Reach { start: 0, place: places[2], from: places[0] },
            Event::Leave { start: 0, node: nodes[2], exit: exits[0] },
            Event::Goal { start: 0, place: places[1] },
        ],
    };
    let layer = |term, operands, proof| Layer {
        term,
        ground: ground.clone(),
        operands,
        frames: frames.clone(),
        roots: vec![(components[0], 0)],
        proof,
    };
    let deaths = vec![(1, machine.node_place(nodes[2])), (0, places[2])];
    let layers = vec![
        layer(temporal[0], vec![], Proof::Until(summaries.clone())),
        layer(temporal[1], vec![(0, vec![0, 1])], Proof::Globally(summaries, deaths)),
    ];
    Labelling { program, layers }
}

fn written(machine: &Machine, claims: &Claims, labelling: Labelling) -> String {
    let outcome =
        Outcome { evidence: Some(Evidence::Labelling(labelling)), ..Outcome::from(Verdict::Holds) };
    crate::written(machine, claims, outcome)
}

fn formula_of(claims: &Claims) -> FormulaId {
    claims.list()[0].formula().expect("a formula")
}

fn read(machine: &Machine, claims: &Claims, text: &str) -> Result<Labelling, String> {
    let file = ResultFile::read(text).map_err(|wrong| format!("{wrong:?}"))?;
    let json = file.results.first().and_then(|entry| entry.evidence).ok_or("no evidence")?;
    let read = read_labelling(machine, &claims.formulas, formula_of(claims), json.get());
    read.map_err(|flaw| flaw.to_string())
}

fn certify(
    machine: &Machine,
    claims: &Claims,
    verdict: &Verdict,
    labelling: Labelling,
) -> Result<(), Stopped> {
    let asked = Asked { formulas: &claims.formulas, claim: &claims.list()[0] };
    let evidence = Evidence::Labelling(labelling);
    check(machine.into(), asked, verdict, None, &evidence, &Budget::unlimited())
}

#[test]
fn every_field_is_written_and_read_back() {
    let machine = machine();
    let mut claims = Claims::new();
    let labelling = by_hand(&machine, &mut claims);
    let text = written(&machine, &claims, labelling.clone());
    let file = ResultFile::read(&text).expect("a result file");
    assert_eq!(file.sizes, Some(Sizes::of(&machine)));
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let evidence = &value["results"][0]["evidence"];
    assert_eq!(evidence["version"], 1);
    assert_eq!(evidence["layers"][0]["formula"], "E [true U p]");
    assert_eq!(
        evidence["layers"][1],
        json!({"term": 3, "formula": "EG E [true U p]",
               "ground": [{"component": 0, "ended": true, "callees": [0, 1]},
                          {"component": 1, "closed": "2"}],
               "operands": [{"layer": 0, "frames": [0, 1]}],
               "frames": [{"component": 0, "ground": 0, "callees": [0, 1], "holds": "7",
                           "order": [1, 3, 0]},
                          {"component": 1, "ground": 1, "after": [0, 1, 1, 0]}],
               "roots": [0, 0],
               "proof": {"kind": "globally", "starts": [1, 2],
                         "events": [[0, 0, 3, 0], [1, 0, 2, 0], [2, 0, 1]],
                         "deaths": [1, 2, 0, 3]}})
    );
    let back = read(&machine, &claims, &text).expect("sound");
    assert_eq!(back.program, labelling.program);
    assert_eq!(written(&machine, &claims, back.clone()), text);
    for (one, other) in back.layers.iter().zip(&labelling.layers) {
        for (one, other) in one.frames.iter().zip(&other.frames) {
            assert!(one.holds.ones().eq(other.holds.ones()));
            assert_eq!(
                (&one.sites, &one.order, &one.after),
                (&other.sites, &other.order, &other.after)
            );
        }
        assert!(one.ground[1].closed.ones().eq(other.ground[1].closed.ones()));
        assert_eq!(format!("{:?}", one.proof), format!("{:?}", other.proof));
    }
}

#[test]
fn what_does_not_fit_the_machine_is_refused() {
    let machine = machine();
    let mut claims = Claims::new();
    let labelling = by_hand(&machine, &mut claims);
    let sound: Value = serde_json::from_str(&written(&machine, &claims, labelling)).expect("JSON");
    let refused = |path: &str, value: Value, words: &str| {
        let mut file = sound.clone();
        let place = format!("/results/0/evidence{path}");
        *file.pointer_mut(&place).unwrap_or_else(|| panic!("no {place}")) = value;
        let why = read(&machine, &claims, &file.to_string()).expect_err(path);
        assert!(why.contains(words), "{path}: {why}");
    };
    refused("/kind", json!("run"), "`run` is no kind");
    refused("/version", json!(2), "version 2");
    refused("/root", json!(4), "no term 4");
    refused("/program/0", json!(["eg", 0]), "term 0 of the program: there is no earlier term 0");
    refused("/program/1", json!(["atom", "q"]), "does not speak of `q`");
    refused("/program/1", json!(["xor", 0, 0]), "`xor` is no operator");
    refused("/program/1", json!([]), "does not begin");
    refused("/layers/0/term", json!(4), "layer 0: there is no term 4");
    refused("/layers/0/ground/1/component", json!(2), "ground frame 1: there is no component 2");
    refused("/layers/0/ground/1/closed", json!("4"), "no position 2");
    refused("/layers/0/ground/1/closed", json!("ü"), "a digit");
    refused("/layers/0/ground/0/callees", json!([1, 1]), "no box 1");
    refused("/layers/0/ground/0/callees", json!([0, 2]), "no ground frame 2");
    refused("/layers/0/ground/0/callees", json!([0]), "odd length");
    refused("/layers/1/operands/0/layer", json!(1), "no earlier layer 1");
    refused("/layers/1/operands/0/frames", json!([2]), "no frame of an operand 2");
    refused("/layers/0/frames/0/ground", json!(2), "frame 0: there is no ground frame 2");
    refused("/layers/0/frames/0/callees", json!([0, 2]), "no frame 2");
    refused("/layers/0/frames/0/holds", json!("8"), "no position 3");
    refused("/layers/0/frames/0/order", json!([4]), "no place 4");
    refused("/layers/0/frames/1/after", json!([0, 2]), "no truth value 2");
    refused("/layers/0/frames/1/after", json!([2, 0]), "no exit 2");
    refused("/layers/0/roots", json!([2, 0]), "no component 2");
    refused("/layers/0/roots", json!([0, 2]), "no frame 2");
    refused("/layers/0/proof/kind", json!("faith"), "`faith` is no kind of proof");
    refused("/layers/0/proof/starts", json!([2, 2]), "no ground frame 2");
    refused("/layers/0/proof/starts", json!([1, 3]), "no node 3");
    refused("/layers/0/proof/events/0", json!([0, 1, 0, 0]), "event 0: there is no start 1");
    refused("/layers/0/proof/events/0", json!([0, 0, 0, 4]), "no place 4");
    refused("/layers/0/proof/events/0", json!([1, 0, 3, 0]), "no node 3");
    refused("/layers/0/proof/events/0", json!([1, 0, 2, 2]), "no exit 2");
    refused("/layers/0/proof/events/0", json!([2, 0, 0, 0]), "no event");
    refused("/layers/0/proof/events/0", json!([0, 0, 0, 0, 0]), "three or four");
    refused("/layers/0/proof/events/0", json!([0, 0, -1, 0]), "expected u32");
    refused("/layers/1/proof/deaths", json!([0, 4]), "no place 4");
}

#[test]
fn certificates_of_the_engine_are_read_back() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..300 {
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut claims = Claims::new();
        let formula = sample::formula(&mut rng, &mut claims.formulas, 3);
        claims.push(Claim::new(formula));
        let budget = Budget::unlimited();
        let checker = Checker::new(&machine, &budget).expect("no limits");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.check(&claims.formulas, formula, &options, &budget);
        let Some(Evidence::Labelling(labelling)) = outcome.evidence else { panic!("no evidence") };
        let text = written(&machine, &claims, labelling);
        let back = read(&machine, &claims, &text).expect("sound");
        certify(&machine, &claims, &outcome.verdict, back.clone())
            .unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
        assert_eq!(written(&machine, &claims, back), text);
    }
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let machine = machine();
    let mut claims = Claims::new();
    let labelling = by_hand(&machine, &mut claims);
    let text = written(&machine, &claims, labelling);
    let mut rng = Rng::with_seed(2);
    for _ in 0..20_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..4) {
                0 => bytes[at] = *rng.choice(b"0123456789abf[]{},:-\"x").expect("some"),
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at + 1),
                _ => bytes.insert(at, *rng.choice(b"0123456789[]{},:").expect("some")),
            }
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if let Ok(labelling) = read(&machine, &claims, &text) {
            // It need not be refused, but it must not end in a panic.
            let _ = certify(&machine, &claims, &Verdict::Holds, labelling);
        }
    }
}

#[test]
fn other_files_are_told_apart() {
    let no = |text: &str| ResultFile::read(text).expect_err("no result file");
    assert!(matches!(no("{"), NoResultFile::Malformed(_)));
    assert!(matches!(no("[1, 2]"), NoResultFile::Schema(None)));
    assert!(matches!(no("{}"), NoResultFile::Schema(None)));
    assert!(matches!(no(r#"{"schema": "tern-info/1"}"#), NoResultFile::Schema(Some(_))));
    assert!(matches!(no(r#"{"schema": "tern-result/1"}"#), NoResultFile::Malformed(_)));
    let deep = format!(r#"{{"schema": "tern-result/1", "x": {}"#, "[".repeat(1_000_000));
    assert!(matches!(no(&deep), NoResultFile::Malformed(_)));
}
