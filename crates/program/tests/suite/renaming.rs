//! A parameter stands for the argument of the call: compared with programs in which calls are
//! replaced by the code of the callee.
//!
//! The oracle works on trees, before there is a program: it copies the code of callees, keeps for
//! each variable the variables of callers that it stands for, and writes an event wherever one of
//! them is the wanted one. What can happen must be the same words over events.

use crate::java::tools::compile;
use crate::machines::{machine, read};
use fastrand::Rng;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;
use tern_front::Vocabulary;
use tern_front::vocabulary::Wanted;
use tern_model::moves::moves;
use tern_model::subsets::Subset;
use tern_model::{Budget, Configuration, Machine, NodeId};
use tern_program::control::Options;
use tern_program::sources;
use tern_testkit::setting;

/// A variable of a procedure; parameters come first.
type Var = usize;

#[derive(Clone)]
enum Code {
    Read(Var),
    Write(Var),
    Event(usize),
    /// Who is called, and with what; `None` is a constant.
    Call(usize, Vec<Option<Var>>),
    /// A call whose first argument, a variable, waits while there is a test for another one; on one
    /// way it may be written meanwhile.
    Late {
        callee: usize,
        first: Var,
        is_written: bool,
        others: Vec<Option<Var>>,
    },
    /// A call that leads to one of two procedures.
    Dispatch(Vec<Option<Var>>),
    If(Var, Vec<Code>, Vec<Code>),
    Loop(Vec<Code>),
}

pub(crate) struct Proc {
    parameters: usize,
    code: Vec<Code>,
}

const LOCALS: usize = 2;
const EVENTS: usize = 2;
/// How many parameters the two procedures have that a dispatched call leads to.
const OF_METHODS: usize = 2;

/// Procedures; each calls only later ones, and the last two are those of classes `A` and `B`.
pub(crate) fn procedures(rng: &mut Rng) -> Vec<Proc> {
    let statics = rng.usize(2..5);
    let parameters: Vec<usize> =
        (0..statics).map(|i| if i == 0 { 0 } else { rng.usize(1..4) }).collect();
    let mut all: Vec<Proc> = Vec::new();
    for i in 0..statics + 2 {
        let own = parameters.get(i).copied().unwrap_or(OF_METHODS);
        let budget = rng.usize(2..6);
        let code = block(rng, i, own, &parameters, budget, 2);
        all.push(Proc { parameters: own, code });
    }
    all
}

fn block(
    rng: &mut Rng,
    id: usize,
    own: usize,
    parameters: &[usize],
    length: usize,
    nesting: usize,
) -> Vec<Code> {
    let mut code = Vec::new();
    for _ in 0..length {
        let var = rng.usize(..own + LOCALS);
        let arguments = |rng: &mut Rng, count: usize| {
            (0..count).map(|_| (rng.u8(..4) > 0).then(|| rng.usize(..own + LOCALS))).collect()
        };
        code.push(match rng.u8(..12) {
            0 => Code::Write(var),
            1 | 2 => Code::Read(var),
            3 | 4 => Code::Event(rng.usize(..EVENTS)),
            5 | 6 if nesting > 0 => {
                let yes = block(rng, id, own, parameters, 2, nesting - 1);
                let no = block(rng, id, own, parameters, 1, nesting - 1);
                Code::If(var, yes, no)
            }
            7 if nesting > 0 => Code::Loop(block(rng, id, own, parameters, 2, nesting - 1)),
            8 if id < parameters.len() => Code::Dispatch(arguments(rng, OF_METHODS)),
            9 if id + 1 < parameters.len() => {
                let callee = rng.usize(id + 1..parameters.len());
                let others = arguments(rng, parameters[callee] - 1);
                Code::Late { callee, first: var, is_written: rng.u8(..3) == 0, others }
            }
            _ if id + 1 < parameters.len() => {
                let callee = rng.usize(id + 1..parameters.len());
                Code::Call(callee, arguments(rng, parameters[callee]))
            }
            _ => Code::Read(var),
        });
    }
    code
}

/// Writes blocks of a procedure.
#[derive(Default)]
struct Blocks {
    done: Vec<String>,
    /// The block that is written to, and what is in it.
    at: usize,
    lines: String,
    offset: usize,
}

impl Blocks {
    fn line(&mut self, line: &str) {
        writeln!(self.lines, "      {line} @ 1:{}", self.offset).expect("text");
        self.offset += 1;
    }

    /// Ends the block, and goes on with another.
    fn end(&mut self, jump: &str, next: usize) {
        self.line(jump);
        let lines = std::mem::take(&mut self.lines);
        self.done[self.at] = lines;
        self.at = next;
    }

    fn fresh(&mut self) -> usize {
        self.done.push(String::new());
        self.done.len() - 1
    }

    fn text(mut self) -> String {
        self.end("return", 0);
        let block = |(i, lines): (usize, &String)| format!("    b{i} {{\n{lines}    }}\n");
        self.done.iter().enumerate().map(block).collect()
    }
}

fn begin() -> Blocks {
    let mut blocks = Blocks::default();
    blocks.at = blocks.fresh();
    blocks
}

/// Two ways that join again.
fn fork(
    blocks: &mut Blocks,
    left: &str,
    yes: &mut dyn FnMut(&mut Blocks),
    no: &mut dyn FnMut(&mut Blocks),
) {
    let (first, second, after) = (blocks.fresh(), blocks.fresh(), blocks.fresh());
    blocks.end(&format!("if {left} == 0 then b{first} else b{second}"), first);
    yes(blocks);
    blocks.end(&format!("goto b{after}"), second);
    no(blocks);
    blocks.end(&format!("goto b{after}"), after);
}

fn again(blocks: &mut Blocks, inside: &mut dyn FnMut(&mut Blocks)) {
    let (head, body, after) = (blocks.fresh(), blocks.fresh(), blocks.fresh());
    blocks.end(&format!("goto b{head}"), head);
    blocks.end(&format!("if any == 0 then b{body} else b{after}"), body);
    inside(blocks);
    blocks.end(&format!("goto b{head}"), after);
}

/// The program as it is. Methods have a receiver before their parameters.
struct Plain<'a> {
    all: &'a [Proc],
    /// What is added to the numbers of variables.
    shift: usize,
    /// The object that methods are called on, and what is read goes to.
    object: usize,
    temporary: usize,
    /// Where an argument waits, before a branch and behind it.
    waiting: [usize; 2],
}

impl Plain<'_> {
    fn code(&self, blocks: &mut Blocks, code: &[Code]) {
        for one in code {
            match one {
                Code::Read(var) => {
                    blocks.line(&format!("v{} = v{}", self.temporary, var + self.shift));
                }
                Code::Write(var) => blocks.line(&format!("v{} = 1", var + self.shift)),
                Code::Event(event) => {
                    blocks.line(&format!("call static Main::e{event}() : void ()"));
                }
                Code::Call(callee, arguments) => {
                    let types = vec!["i32"; self.all[*callee].parameters].join(", ");
                    let arguments = self.arguments(arguments);
                    let call =
                        format!("call static Main::go{callee}({types}) : void ({arguments})");
                    blocks.line(&call);
                }
                Code::Late { callee, first, is_written, others } => {
                    let types = vec!["i32"; self.all[*callee].parameters].join(", ");
                    let [before, behind] = self.waiting;
                    let first = first + self.shift;
                    blocks.line(&format!("v{before} = v{first}"));
                    let hand_on = |blocks: &mut Blocks| {
                        blocks.line(&format!("v{behind} = v{before}"));
                    };
                    fork(blocks, "any", &mut |blocks| hand_on(blocks), &mut |blocks| {
                        if *is_written {
                            blocks.line(&format!("v{first} = 1"));
                        }
                        hand_on(blocks);
                    });
                    let mut arguments = format!("v{behind}");
                    if !others.is_empty() {
                        arguments += &format!(", {}", self.arguments(others));
                    }
                    let call =
                        format!("call static Main::go{callee}({types}) : void ({arguments})");
                    blocks.line(&call);
                }
                Code::Dispatch(arguments) => {
                    let arguments = self.arguments(arguments);
                    let object = self.object;
                    blocks.line(&format!("v{object} = new A"));
                    blocks.line(&format!("v{object} = new B"));
                    let call =
                        format!("call virtual A::m(i32, i32) : void (v{object}, {arguments})");
                    blocks.line(&call);
                }
                Code::If(var, yes, no) => fork(
                    blocks,
                    &format!("v{}", var + self.shift),
                    &mut |blocks| self.code(blocks, yes),
                    &mut |blocks| self.code(blocks, no),
                ),
                Code::Loop(inside) => again(blocks, &mut |blocks| self.code(blocks, inside)),
            }
        }
    }

    fn arguments(&self, arguments: &[Option<Var>]) -> String {
        let one = |argument: &Option<Var>| match argument {
            Some(var) => format!("v{}", var + self.shift),
            None => "7".to_owned(),
        };
        arguments.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// One procedure as text.
fn procedure(all: &[Proc], id: usize) -> String {
    let Proc { parameters, code } = &all[id];
    let is_method = id + 2 >= all.len();
    let types = vec!["i32"; *parameters].join(", ");
    let shift = usize::from(is_method);
    let object = parameters + LOCALS + shift;
    let mut text = match is_method {
        true => format!("  procedure m({types}) : void public {{\n    param v0 this : A\n"),
        false => format!("  static procedure go{id}({types}) : void public {{\n"),
    };
    for var in 0..parameters + LOCALS {
        let word = if var < *parameters { "param" } else { "var" };
        writeln!(text, "    {word} v{} x{var} : i32", var + shift).expect("text");
    }
    writeln!(text, "    var v{object} : A").expect("text");
    for unnamed in 1..4 {
        writeln!(text, "    var v{} : i32", object + unnamed).expect("text");
    }
    let mut blocks = begin();
    let waiting = [object + 2, object + 3];
    Plain { all, shift, object, temporary: object + 1, waiting }.code(&mut blocks, code);
    text + &blocks.text() + "  }\n"
}

const EVENT_CODE: &str = " : void public {\n    b0 { return @ 1:0 }\n  }\n";

pub(crate) fn plain(all: &[Proc]) -> String {
    let mut text = "class Main extends java.lang.Object public {\n".to_owned();
    text += "  static procedure main() : void public {\n    b0 {\n      \
             call static Main::go0() : void () @ 1:0\n      return @ 1:1\n    }\n  }\n";
    for id in 0..all.len() - 2 {
        text += &procedure(all, id);
    }
    for event in 0..EVENTS {
        write!(text, "  static procedure e{event}(){EVENT_CODE}").expect("text");
    }
    text += "}\nclass A extends java.lang.Object public {\n";
    text += &procedure(all, all.len() - 2);
    text += "}\nclass B extends A public {\n";
    text += &procedure(all, all.len() - 1);
    text + "}\n"
}

/// The program in one procedure, with an event where the wanted variable is read.
struct Inlined<'a> {
    all: &'a [Proc],
    wanted: (usize, Var),
}

/// For each variable, the variables whose reads its reads are.
type Stands = Vec<BTreeSet<(usize, Var)>>;

fn writes(code: &[Code], var: Var) -> bool {
    code.iter().any(|one| match one {
        Code::Write(to) | Code::Late { first: to, is_written: true, .. } => *to == var,
        Code::If(_, yes, no) => writes(yes, var) || writes(no, var),
        Code::Loop(inside) => writes(inside, var),
        _ => false,
    })
}

impl Inlined<'_> {
    fn reads<'v>(
        &self,
        blocks: &mut Blocks,
        sets: impl IntoIterator<Item = &'v BTreeSet<(usize, Var)>>,
    ) {
        if sets.into_iter().any(|set| set.contains(&self.wanted)) {
            blocks.line("call static Main::r() : void ()");
        }
    }

    fn procedure(
        &self,
        blocks: &mut Blocks,
        id: usize,
        arguments: &[Option<&BTreeSet<(usize, Var)>>],
    ) {
        let Proc { parameters, code } = &self.all[id];
        let stands: Stands = (0..parameters + LOCALS)
            .map(|var| {
                let mut set = BTreeSet::from([(id, var)]);
                if let Some(Some(argument)) = arguments.get(var)
                    && !writes(code, var)
                {
                    set.extend(argument.iter().copied());
                }
                set
            })
            .collect();
        self.code(blocks, code, &stands);
    }

    fn code(&self, blocks: &mut Blocks, code: &[Code], stands: &Stands) {
        for one in code {
            match one {
                Code::Read(var) => self.reads(blocks, [&stands[*var]]),
                Code::Write(_) => {}
                Code::Event(event) => {
                    blocks.line(&format!("call static Main::e{event}() : void ()"));
                }
                Code::Call(callee, arguments) => {
                    let sets: Vec<_> =
                        arguments.iter().map(|it| it.map(|it| &stands[it])).collect();
                    self.reads(blocks, sets.iter().copied().flatten());
                    self.procedure(blocks, *callee, &sets);
                }
                Code::Late { callee, first, is_written, others } => {
                    self.reads(blocks, [&stands[*first]]);
                    fork(blocks, "any", &mut |_| {}, &mut |_| {});
                    let first = (!is_written).then(|| &stands[*first]);
                    let others = others.iter().map(|it| it.map(|it| &stands[it]));
                    let sets: Vec<_> = std::iter::once(first).chain(others).collect();
                    self.reads(blocks, sets[1..].iter().copied().flatten());
                    self.procedure(blocks, *callee, &sets);
                }
                Code::Dispatch(arguments) => {
                    let sets: Vec<_> =
                        arguments.iter().map(|it| it.map(|it| &stands[it])).collect();
                    self.reads(blocks, sets.iter().copied().flatten());
                    let count = self.all.len();
                    fork(
                        blocks,
                        "any",
                        &mut |blocks| self.procedure(blocks, count - 2, &sets),
                        &mut |blocks| self.procedure(blocks, count - 1, &sets),
                    );
                }
                Code::If(var, yes, no) => {
                    self.reads(blocks, [&stands[*var]]);
                    fork(
                        blocks,
                        "any",
                        &mut |blocks| self.code(blocks, yes, stands),
                        &mut |blocks| self.code(blocks, no, stands),
                    );
                }
                Code::Loop(inside) => {
                    again(blocks, &mut |blocks| self.code(blocks, inside, stands));
                }
            }
        }
    }
}

fn inlined(all: &[Proc], wanted: (usize, Var)) -> String {
    let mut text = "class Main extends java.lang.Object public {\n".to_owned();
    text += "  static procedure main() : void public {\n";
    let mut blocks = begin();
    Inlined { all, wanted }.procedure(&mut blocks, 0, &[]);
    text += &blocks.text();
    text += "  }\n";
    for event in ["e0", "e1", "r"] {
        write!(text, "  static procedure {event}(){EVENT_CODE}").expect("text");
    }
    text + "}\n"
}

/// All words of labels up to a length that runs begin with.
fn words(machine: &Machine, labels: &[&str], most: usize) -> BTreeSet<Vec<usize>> {
    let mut letters: FxHashMap<NodeId, usize> = FxHashMap::default();
    for (letter, label) in labels.iter().enumerate() {
        let nodes = machine.label(label).map_or(Subset::EMPTY, |label| machine.labelled(label));
        letters.extend(nodes.iter().map(|node| (node, letter)));
    }
    let mut seen: BTreeSet<(Configuration, Vec<usize>)> = BTreeSet::new();
    let mut open = Vec::new();
    let mut add = |open: &mut Vec<_>, at: Configuration, mut word: Vec<usize>| {
        word.extend(letters.get(&at.node));
        if word.len() <= most && seen.insert((at.clone(), word.clone())) {
            open.push((at, word));
        }
    };
    for &node in machine.initial() {
        add(&mut open, Configuration::from(node), Vec::new());
    }
    while let Some((from, word)) = open.pop() {
        for step in moves(machine, &from) {
            let mut to = from.clone();
            to.advance(step);
            add(&mut open, to, word.clone());
        }
    }
    seen.into_iter().map(|(_, word)| word).collect()
}

#[test]
fn renaming_is_what_copying_callees_gives() {
    let seed = setting("TERN_SEED", 1);
    let pairs = setting("TERN_PAIRS", 100);
    let (mut compared, mut renamed) = (0u64, 0u64);
    for seed in seed..seed + pairs {
        let mut rng = Rng::with_seed(seed);
        let all = procedures(&mut rng);
        let text = plain(&all);
        let mut program = read(&text);
        for (id, one) in all.iter().enumerate() {
            for var in 0..one.parameters + LOCALS {
                let name = match all.len() - id {
                    2 => "A.m".to_owned(),
                    1 => "B.m".to_owned(),
                    _ => format!("Main.go{id}"),
                };
                let event = format!("read(\"{name}:x{var}\")");
                let labels = ["call(\"Main.e0\")", "call(\"Main.e1\")", &event];
                let ours = machine(&mut program, &labels, Options::default());
                let oracle = inlined(&all, (id, var));
                let mut oracle_program = read(&oracle);
                let wanted = ["call(\"Main.e0\")", "call(\"Main.e1\")", "call(\"Main.r\")"];
                let theirs = machine(&mut oracle_program, &wanted, Options::default());
                let (ours_says, oracle_says) =
                    (words(&ours, &labels, 4), words(&theirs, &wanted, 4));
                assert_eq!(
                    ours_says, oracle_says,
                    "seed {seed}: {event}\n{text}\nwith callees copied:\n{oracle}"
                );
                compared += 1;
                let is_copy = |it| ours.component_name(it).ends_with(']');
                renamed += u64::from(ours.components().any(is_copy));
            }
        }
    }
    assert!(renamed * 8 > compared, "{renamed} of {compared} have copies");
}

#[test]
fn a_callee_is_looked_at_once_for_each_binding() {
    let text = "class Main extends java.lang.Object public {
  static procedure main() : void public {
    var v0 a : i32
    var v1 other : i32
    b0 {
      call static Main::show(i32, i32) : void (v0, 1) @ 1:0
      call static Main::show(i32, i32) : void (v0, v1) @ 2:1
      call static Main::show(i32, i32) : void (v1, v1) @ 3:2
      call static Main::show(i32, i32) : void (v1, v0) @ 4:3
      return @ 5:4
    }
  }
  static procedure show(i32, i32) : void public {
    param v0 p : i32
    param v1 q : i32
    var v2 r : i32
    b0 {
      v2 = v0 @ 6:0
      if v1 == 0 then b1 else b2 @ 7:1
    }
    b1 {
      call static Main::show(i32, i32) : void (v0, v1) @ 8:2
      return @ 9:3
    }
    b2 {
      return @ 10:4
    }
  }
}
";
    let mut program = read(text);
    let made = machine(&mut program, &["read(\"Main.main:a\")"], Options::default());
    let names: Vec<&str> = made.components().map(|it| made.component_name(it)).collect();
    let mut copies: Vec<&str> = names.into_iter().filter(|it| it.ends_with(']')).collect();
    copies.sort_unstable();
    // The recursive call has the binding of its caller.
    assert_eq!(copies, ["Main.show(int,int) [p = a]", "Main.show(int,int) [q = a]"]);
}

#[test]
fn with_too_many_bindings_nothing_is_renamed() {
    // Each procedure passes its parameters on in another order: there are too many combinations.
    let (depth, width) = (14, 7);
    let types = vec!["i32"; width].join(", ");
    let mut text =
        "class Main extends java.lang.Object public {\n  static procedure main() : void public {\n"
            .to_owned();
    for var in 0..width {
        writeln!(text, "    var v{var} a{var} : i32").expect("text");
    }
    let order = |shift: usize| {
        let mut all: Vec<usize> = (0..width).collect();
        all.swap(shift % width, (shift + 1) % width);
        all.iter().map(|it| format!("v{it}")).collect::<Vec<_>>().join(", ")
    };
    let calls = |text: &mut String, callee: usize| {
        for shift in 0..width {
            writeln!(
                text,
                "      call static Main::go{callee}({types}) : void ({}) @ 1:{shift}",
                order(shift)
            )
            .expect("text");
        }
    };
    text += "    b0 {\n";
    calls(&mut text, 0);
    text += "      return @ 1:9\n    }\n  }\n";
    for id in 0..depth {
        writeln!(text, "  static procedure go{id}({types}) : void public {{").expect("text");
        for var in 0..width {
            writeln!(text, "    param v{var} p{var} : i32").expect("text");
        }
        writeln!(text, "    var v{width} : i32\n    b0 {{").expect("text");
        for var in 0..width {
            writeln!(text, "      v{width} = v{var} @ 1:{}", 20 + var).expect("text");
        }
        if id + 1 < depth {
            calls(&mut text, id + 1);
        }
        text += "      return @ 1:9\n    }\n  }\n";
    }
    text += "}\n";
    let names: Vec<String> = (0..width).map(|i| format!("read(\"Main.main:a{i}\")")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut program = read(&text);
    let made = crate::machines::make(&mut program, &names, Options::default());
    let machine = &made.machine;
    let is_copy = |&it: &_| machine.component_name(it).ends_with(']');
    assert_eq!((made.not_renamed, machine.components().filter(is_copy).count()), (true, 0));
    let first = machine.label(names[0]).expect("the arguments themselves are still read");
    assert_eq!(machine.labelled(first).len(), width);
}

/// Which variables of `main` a callee reads, of calls whose other arguments branch.
#[test]
fn an_argument_may_wait_for_a_test() {
    let source = "class Q {
    static int f;
    static void sink(int v) { f = v; }
    static void first(int v, boolean b) { sink(v); }
    static void last(boolean b, int v) { sink(v); }
    static void both(int v, int w, int x) { sink(v); sink(w); }
    public static void main(String[] args) {
        int a = 1, b = 2, c = 3, d = 4, e = 5, g = 6, h = 7;
        first(a, f > 2);
        last(f > 2, b);
        both(c, f > 2 && f < 9 ? d : 1, f == 3 ? 1 : 2);
        first(e, f > 2 ? (e = 3) > f : f == 1);
        both(1, g, f > 1 || f < 0 ? h : h);
    }
}";
    let folder = tempfile::tempdir().expect("a folder");
    if !compile(folder.path(), &[("Q.java", source)], &[]) {
        return;
    }
    let path = folder.path().to_str().expect("UTF-8");
    let of = sources::source_of(path).expect("a folder of classes");
    let opened = sources::open(of, path, &sources::Options::default(), &Budget::unlimited());
    let (mut code, _) = opened.expect("it can be read");
    let mut passed_on = String::new();
    for name in ["a", "b", "c", "d", "e", "g", "h"] {
        let label = format!("read(\"Q.main:{name}\")");
        let wanted = Wanted { names: [label.clone()].into_iter().collect(), ..Wanted::default() };
        let made = code.machine(&wanted, &Budget::unlimited()).expect("no limit");
        let made = made.expect("a machine");
        let nodes = made.label(&label).map_or(Subset::EMPTY, |label| made.labelled(label));
        let is_sink = |node| made.component_name(made.component_of(node)).starts_with("Q.sink");
        if nodes.iter().any(is_sink) {
            passed_on.push_str(name);
        }
    }
    // `d` and `h` are parts of arguments only, and `e` is another one when the call comes.
    assert_eq!(passed_on, "abcg");
}
