//! Concurrent programs with fewer states: reduced ones answer every claim without X as the whole
//! program does, by an oracle and by the engines; and states on demand give the same answers.
//!
//! `TERN_PAIRS` says how many pairs of program and claim are tried, `TERN_SEED` which.

use fastrand::Rng;
use std::collections::BTreeSet;
use tern::certify::oracle::finite::{self, Structure};
use tern::engine::SpaceChecker;
use tern::front::{
    Asked, Format, Reading, Reduction, Source, Unexplored, When, claims, vocabulary,
};
use tern::model::{Claims, Machine};
use tern::{Budget, Options, Session, Verdict};
use tern_testkit::setting;

/// How many states programs may have, and how many pairs the oracle may look at.
const MOST_STATES: usize = 1_500;
const MOST_PAIRS: usize = 400_000;

fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.usize(..list.len())]
}

/// Makes programs: `x`, `y`, `m` are shared, `a`, `b`, `c` belong to one process each by custom.
struct Writer<'r> {
    rng: &'r mut Rng,
    labels: usize,
}

impl Writer<'_> {
    fn value(&mut self, own: &str) -> String {
        let name = pick(self.rng, &["x", "y", own, own, own, "1", "0"]);
        match self.rng.u8(..4) {
            0 => format!("1 - {name}"),
            1 => format!("({name} + {own}) mod 2"),
            // Sometimes out of range.
            2 if self.rng.u8(..4) == 0 => format!("{name} + {own}"),
            _ => name.to_owned(),
        }
    }

    fn condition(&mut self, own: &str) -> String {
        let name = pick(self.rng, &["x", "y", "m", own, own]);
        let sign = pick(self.rng, &["=", "!="]);
        format!("{name} {sign} {}", self.rng.u8(..2))
    }

    fn statement(&mut self, own: &str, size: usize, forks: bool) -> String {
        let label = match self.rng.u8(..5) {
            0 => {
                self.labels += 1;
                format!("at{}: ", self.labels)
            }
            _ => String::new(),
        };
        let text = match self.rng.u8(..if size > 1 { 13 } else { 9 }) {
            0 => "skip".to_owned(),
            1 => format!("wait ({})", self.condition(own)),
            2 => "lock(m)".to_owned(),
            3 => "unlock(m)".to_owned(),
            4 => {
                let to = pick(self.rng, &["x", "y"]);
                format!("{to} := {}", self.value(own))
            }
            5..=8 => format!("{own} := {}", self.value(own)),
            9 => {
                let (yes, no) = (self.list(own, size / 2, forks), self.list(own, size / 2, forks));
                format!("if {} then {yes} else {no} fi", self.condition(own))
            }
            10 => {
                format!("while {} do {} od", self.condition(own), self.list(own, size / 2, forks))
            }
            11 => format!("while true do {} od", self.list(own, size / 2, forks)),
            _ if !forks => "skip".to_owned(),
            _ => {
                let (first, second) = (self.list(own, 1, false), self.list("c", 1, false));
                format!("cobegin {first} || {second} coend")
            }
        };
        label + &text
    }

    fn list(&mut self, own: &str, size: usize, forks: bool) -> String {
        let count = self.rng.usize(1..=size.max(1));
        let list: Vec<String> = (0..count).map(|_| self.statement(own, size, forks)).collect();
        list.join("; ")
    }

    fn program(&mut self) -> String {
        let mut text = String::new();
        for name in ["x", "y", "a", "b", "c", "m"] {
            let initial = match self.rng.u8(..8) {
                0 if name != "m" => String::new(),
                _ => format!(" = {}", if name == "m" { 0 } else { self.rng.u8(..2) }),
            };
            text += &format!("var {name} : 0..1{initial};\n");
        }
        let fine = self.rng.u8(..4) == 0;
        if fine {
            text += "option granularity fine;\n";
        }
        let most = if fine { 2 } else { 4 };
        let processes: Vec<String> = ["a", "b", "c"]
            .into_iter()
            .take(self.rng.usize(2..=3))
            .map(|own| {
                let forks = self.rng.u8(..3) == 0;
                self.list(own, most, forks)
            })
            .collect();
        text + &format!("cobegin\n   {}\ncoend\n", processes.join("\n|| "))
    }

    fn atom(&mut self) -> String {
        match self.rng.u8(..8) {
            0 => "terminated".to_owned(),
            1 => "error".to_owned(),
            2 => "deadlock".to_owned(),
            3 | 4 if self.labels > 0 => format!("at(at{})", self.rng.usize(1..=self.labels)),
            5 => "{x + a = 2}".to_owned(),
            _ => format!("{} = 1", pick(self.rng, &["x", "y", "a", "b", "c", "m"])),
        }
    }

    /// A state formula of CTL* without X, over few propositions, so that steps can be invisible.
    fn state(&mut self, depth: u32, atoms: &[String]) -> String {
        if depth == 0 {
            let atom = &atoms[self.rng.usize(..atoms.len())];
            return if self.rng.bool() { format!("({atom})") } else { format!("!({atom})") };
        }
        match self.rng.u8(..8) {
            0 => format!("!{}", self.state(depth - 1, atoms)),
            1 => {
                let sign = pick(self.rng, &["&", "|", "->"]);
                let (f, g) = (self.state(depth - 1, atoms), self.state(depth - 1, atoms));
                format!("({f} {sign} {g})")
            }
            _ => format!("{} ({})", pick(self.rng, &["A", "E"]), self.path(depth - 1, atoms)),
        }
    }

    fn path(&mut self, depth: u32, atoms: &[String]) -> String {
        let deeper = depth > 0 && self.rng.u8(..3) == 0;
        let operand = |writer: &mut Self| {
            let text =
                if deeper { writer.path(depth - 1, atoms) } else { writer.state(depth, atoms) };
            format!("({text})")
        };
        match self.rng.u8(..6) {
            0 | 1 => format!("F {}", operand(self)),
            2 | 3 => format!("G {}", operand(self)),
            _ => {
                let sign = pick(self.rng, &["U", "W", "R"]);
                format!("{} {sign} {}", operand(self), operand(self))
            }
        }
    }

    fn claim(&mut self) -> String {
        let atoms: Vec<String> = (0..self.rng.usize(1..=2)).map(|_| self.atom()).collect();
        let depth = self.rng.u32(1..=2);
        match self.rng.u8(..6) {
            0 => pick(self.rng, &["AG !deadlock", "EF deadlock", "AG EF terminated"]).to_owned(),
            1 | 2 => self.path(depth, &atoms),
            _ => self.state(depth, &atoms),
        }
    }
}

fn begin(text: &str) -> Box<dyn Unexplored> {
    let source = Source::new("random.imp", text);
    let format = Format::named("imp").expect("it is a format");
    let read = format.begin(&source, &Budget::unlimited());
    read.unwrap_or_else(|wrong| panic!("{wrong}\n{text}")).expect("it can wait")
}

/// The machine of a program for one claim, with what the claim speaks of as labels. `None` if the
/// claim speaks of control points that cannot be seen from outside.
fn machine(text: &str, said: &Claims, when: When) -> Machine {
    let reduction = Reduction { when, asked: Asked::of(said) };
    let budget = Budget::unlimited();
    let read = begin(text).explore(reduction, &budget);
    let Reading { mut machine, mut vocabulary, warnings, .. } =
        read.unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let told: Vec<&str> = warnings.iter().map(|it| it.code).collect();
    assert_eq!(told, if when == When::Always { vec!["G040"] } else { vec![] }, "{text}");
    let wanted = vocabulary::Wanted { elsewhere: false, ..vocabulary::Wanted::by(said) };
    let wrong = vocabulary::label(&mut machine, &mut vocabulary, &wanted, &budget);
    assert_eq!(wrong.expect("no limit"), [], "{text}");
    machine
}

fn by_oracle(machine: &Machine, said: &Claims) -> Option<bool> {
    let (structure, _) = Structure::of_machine(machine, MOST_STATES)?;
    let claim = said.list()[0].formula().expect("it is a formula");
    finite::check(&structure, &said.formulas, claim, MOST_PAIRS)
}

fn read_claim(text: &str) -> Claims {
    let mut said = Claims::new();
    said.comparisons = true;
    claims::read_one(&mut said, text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    said
}

fn by_engines(machine: &Machine, said: &Claims) -> Verdict {
    let budget = Budget::unlimited();
    let session = Session::new(machine, &budget).expect("no limit");
    let answer = session.decide(&said.formulas, &said.list()[0], &Options::default(), &budget);
    answer.verdict().clone()
}

#[test]
fn reduced_programs_answer_as_whole_ones_do() {
    let (first, count) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 240));
    let (mut compared, mut smaller, mut fails) = (0, 0, 0);
    let (mut states, mut kept) = (0, 0);
    for seed in first..first + count.div_ceil(4) {
        let mut rng = Rng::with_seed(seed);
        let mut writer = Writer { rng: &mut rng, labels: 0 };
        let text = writer.program();
        for _ in 0..4 {
            let claim = writer.claim();
            let said = read_claim(&claim);
            let whole = machine(&text, &said, When::Never);
            if whole.node_count() > MOST_STATES {
                break;
            }
            let reduced = machine(&text, &said, When::Always);
            let Some(expected) = by_oracle(&whole, &said) else { continue };
            let Some(found) = by_oracle(&reduced, &said) else { continue };
            let sizes = (whole.node_count(), reduced.node_count());
            assert_eq!(found, expected, "seed {seed}, {sizes:?}\n{text}\n{claim}");
            assert!(sizes.1 <= sizes.0, "seed {seed}");
            if compared % 16 == 0 {
                let verdict = if expected { Verdict::Holds } else { Verdict::Fails };
                assert_eq!(by_engines(&reduced, &said), verdict, "seed {seed}\n{text}\n{claim}");
            }
            compared += 1;
            smaller += usize::from(sizes.1 < sizes.0);
            fails += usize::from(!expected);
            (states, kept) = (states + sizes.0, kept + sizes.1);
        }
    }
    println!(
        "seeds {first}..: {compared} pairs, {smaller} with fewer states, {fails} fail; {states} \
         states, {kept} after reduction"
    );
    assert!(compared as u64 > count / 2 && smaller > compared / 3, "{smaller} of {compared}");
    assert!(fails > compared / 5 && fails < compared * 4 / 5, "{fails} of {compared}");
}

/// Programs in which one rule of the reduction matters each.
#[test]
fn single_rules_of_the_reduction_matter() {
    let cases = [
        // Both write x, and only the first reads it, later: the order of the writes matters.
        (
            "var x, y, b : 0..1 = 0; cobegin x := 1; wait (y = 1); if x = 0 then b := 1 fi \
             || x := 0; y := 1 coend",
            "AF b = 1",
            false,
        ),
        // Whoever waits may be given its turn for ever, though another could move.
        ("var a, b, z : 0..1 = 0; cobegin wait (z = 1) || a := 1; b := 1 coend", "AF b = 1", false),
        ("var a, b, z : 0..1 = 0; cobegin wait (z = 1) || a := 1; b := 1 coend", "EF b = 1", true),
        // A loop that nobody sees must not hide what others do.
        (
            "var a, b : 0..1 = 0; cobegin while true do a := 1 - a od || b := 1 coend",
            "EF b = 1",
            true,
        ),
        (
            "var a, b : 0..1 = 0; cobegin while true do a := 1 - a od || b := 1 coend",
            "AF b = 1",
            false,
        ),
        // An error stops what could have moved.
        ("var a, b : 0..1 = 0; cobegin b := b + 2 || a := 1; a := 0 coend", "AF error", true),
        ("var a, b : 0..1 = 0; cobegin b := b + 2 || a := 1; a := 0 coend", "EF a = 1", true),
        // A deadlock that an invisible step leads to.
        (
            "var a, z : 0..1 = 0; cobegin a := 1; wait (z = 1) || wait (z = 1) coend",
            "AF deadlock",
            false,
        ),
        (
            "var a, z : 0..1 = 0; cobegin a := 1; wait (z = 1) || wait (z = 1) coend",
            "AG !deadlock",
            false,
        ),
        // What a process will begin counts as well.
        (
            "var a, b, c : 0..1 = 0; cobegin a := 1; b := 1 || \
             cobegin if a = 0 then c := 1 fi || skip coend coend",
            "EF c = 1",
            true,
        ),
    ];
    for (text, claim, expected) in cases {
        let said = read_claim(claim);
        for when in [When::Never, When::Always] {
            let machine = machine(text, &said, when);
            assert_eq!(by_oracle(&machine, &said), Some(expected), "{when:?} {text}\n{claim}");
        }
    }
}

#[test]
fn states_on_demand_answer_as_whole_programs_do() {
    let (first, count) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 240) / 4);
    let (mut compared, mut fewer) = (0, 0);
    let budget = Budget::unlimited();
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let mut writer = Writer { rng: &mut rng, labels: 0 };
        let (text, claim) = (writer.program(), writer.claim());
        let said = read_claim(&claim);
        let whole = machine(&text, &said, When::Never);
        if whole.node_count() > MOST_STATES {
            continue;
        }
        let names = vocabulary::propositions(&said);
        let when = if rng.bool() { When::Never } else { When::Always };
        let (space, _) = begin(&text)
            .space(Reduction { when, asked: Asked::of(&said) }, &budget)
            .expect("no limit");
        let mut checker = SpaceChecker::new(space, names);
        let outcome = checker.decide(&said.formulas, &said.list()[0], &Options::default(), &budget);
        let expected = by_engines(&whole, &said);
        assert_eq!(outcome.verdict, expected, "seed {seed}\n{text}\n{claim}");
        let part = checker.machine().expect("it is a machine");
        // What was produced is a part of the whole, under the same names.
        let known: BTreeSet<&str> = whole.nodes().map(|node| whole.node_name(node)).collect();
        assert!(part.nodes().all(|node| known.contains(part.node_name(node))), "seed {seed}");
        assert!(part.node_count() <= whole.node_count());
        compared += 1;
        fewer += usize::from(part.node_count() < whole.node_count());
    }
    println!("seeds {first}..: {compared} pairs, {fewer} with fewer states than there are");
    assert!(compared > 0 && fewer > compared / 8, "{fewer} of {compared}");
}
