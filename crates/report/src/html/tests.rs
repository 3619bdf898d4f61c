//! The data in the page: whole, and harmless whatever a model is called.

use super::*;
use tern_model::{
    AnnotatedRun, Builder, Claim, Claims, Edge, Ending, Formula, Move, MoveKind, Outcome, Place,
    Reason, Run, Story, Verdict,
};

/// What names and labels may be made of.
const HOSTILE: &str = "</script><script>alert(1)</script><!--\u{2028}\"'&\\";

fn no_values(_: usize, _: NodeId) -> Vec<(String, String)> {
    Vec::new()
}

fn results<'a>(machine: &'a Machine, claims: &'a Claims, answers: &'a [Answer]) -> Results<'a> {
    Results { machine: Some(machine), ..Results::new(HOSTILE, claims, &[1], answers) }
}

/// A component that calls itself, and a claim that a pumping run refutes; all names are hostile.
fn page() -> (String, serde_json::Value) {
    let mut b = Builder::new();
    let f = b.component(HOSTILE);
    let begin = b.node(f, HOSTILE);
    b.entry(begin);
    b.initial(begin);
    b.label(begin, HOSTILE);
    let call = b.call_box(f, HOSTILE, f);
    b.edge(Place::Node(begin), Edge::Call(call, begin));
    let machine = b.finish().expect("a sound machine");
    let mut claims = Claims::new();
    let p = claims.formulas.atom(HOSTILE);
    let not_p = claims.formulas.make(Formula::Not(p));
    let finally = claims.formulas.make(Formula::Finally(not_p));
    let all = claims.formulas.make(Formula::All(finally));
    claims.push(Claim { name: Some(HOSTILE.to_owned()), ..Claim::new(all) });
    let moves = vec![Move { kind: MoveKind::Call(call), node: begin }];
    let run = Run { moves, ending: Ending::Pump(0, vec![call]) };
    let told = AnnotatedRun { values: Vec::new(), ..AnnotatedRun::from(run) };
    let story = Story { of: all.into(), holds: false, reason: Reason::Run(told) };
    let outcome = Outcome { stories: vec![(begin, story)], ..Outcome::from(Verdict::Fails) };
    let answers = [Answer::from(outcome)];
    let mut page = Page::default();
    let texts = [(HOSTILE.to_owned(), HOSTILE.to_owned())];
    let notes = [HOSTILE.to_owned()];
    let model = ModelResults {
        results: results(&machine, &claims, &answers),
        headings: &[],
        notes: &notes,
        texts: &texts,
        values: &no_values,
        objects: None,
    };
    page.add(&model, &Budget::unlimited()).expect("no limit is set");
    let mut text = Vec::new();
    page.write(&mut text, HOSTILE).expect("a list takes all bytes");
    let text = String::from_utf8(text).expect("it is made of strings");
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = text.split_once(begin).expect("a block of data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    let data = serde_json::from_str(data).expect("sound JSON");
    (text, data)
}

#[test]
fn no_name_can_end_the_data() {
    let (text, data) = page();
    // Three blocks: the data, the result file, the script.
    assert_eq!(text.matches("<script").count(), 3, "{text}");
    assert_eq!(text.matches("</script").count(), 3);
    assert!(!text.contains("alert(1)<") && !text.contains("<!--\u{2028}"));
    // What is shown is what the model says, with every letter visible.
    let shown = HOSTILE.replace('\u{2028}', "\\u{2028}");
    let model = &data["models"][0];
    assert_eq!(model["name"], shown);
    assert_eq!(model["claims"][0]["name"], shown);
    assert_eq!(model["machines"][0]["components"][0]["name"], shown);
    assert_eq!(model["machines"][0]["labels"][0][0], shown);
    assert_eq!(model["texts"][0][1], HOSTILE);
    assert_eq!(data["findings"], serde_json::Value::Null);
}

#[test]
fn the_policy_names_the_script_and_the_style_that_are_there() {
    let (text, _) = page();
    for (tag, content) in [("script", SCRIPT), ("style", STYLE)] {
        assert!(text.contains(&format!("<{tag}>{content}</{tag}>")));
        assert!(text.contains(&format!("{tag}-src '{}'", digest::named(content))));
        assert!(!content.contains("</"), "{tag}");
    }
    // Elements are made, texts are set; nothing is read as HTML or as code.
    for word in
        ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://"]
    {
        let rest = SCRIPT.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(word), "{word}");
    }
    assert!(PAGE.len() + STYLE.len() + SCRIPT.len() < 3 << 20);
}

#[test]
fn runs_keep_their_stack_and_values_only_what_is_settled() {
    let (_, data) = page();
    let telling = &data["models"][0]["claims"][0]["tellings"][0];
    let run = &telling["runs"][0];
    assert_eq!(run["kinds"], "c");
    assert_eq!((&run["back"], &run["pumped"]), (&0.into(), &serde_json::json!([0])));
    // The label and its negation by the node, `AF` by the story; of `F` alone nothing is told.
    let ops: Vec<&str> = telling["tree"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["op"].as_str())
        .collect();
    assert_eq!(ops, ["atom", "!", "F", "A"]);
    assert_eq!(run["values"], serde_json::json!([[0, "t1"], [1, "f1"], [3, "f1"]]));
}

#[test]
fn a_large_machine_is_shown_in_part() {
    let mut b = Builder::new();
    let main = b.component("main");
    let nodes: Vec<NodeId> = (0..9_000).map(|i| b.node(main, &format!("n{i}"))).collect();
    b.initial(nodes[0]);
    for pair in nodes.windows(2) {
        b.edge(Place::Node(pair[0]), Edge::Step(pair[1]));
    }
    let machine = b.finish().expect("a sound machine");
    let (claims, mut page) = (Claims::new(), Page::default());
    let model = ModelResults {
        results: results(&machine, &claims, &[]),
        headings: &[],
        notes: &[],
        texts: &[],
        values: &no_values,
        objects: None,
    };
    page.add(&model, &Budget::unlimited()).expect("no limit is set");
    let data: serde_json::Value = serde_json::from_str(&page.models[0]).expect("sound JSON");
    let component = &data["machines"][0]["components"][0];
    let drawn = component["picture"]["lines"].as_array().expect("a list").len();
    assert!(drawn > 0 && drawn < 2_500, "{drawn}");
    assert_eq!(component["picture"]["left_out"], 9_000 - drawn);
}
