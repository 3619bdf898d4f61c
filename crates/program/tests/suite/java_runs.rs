//! Random Java programs are compiled and run; each trace of events that happens must be a run of
//! the machine that the class files became. Needs a JDK, and skips without.

use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tern_front::vocabulary::Wanted;
use tern_front::{Problem, Refusal, Vocabulary};
use tern_model::index::ExitId;
use tern_model::{BoxId, Budget, Edge, LabelId, Machine, NodeId};
use tern_program::code::{Asked, Code};
use tern_program::java::container::find_tool;
use tern_program::sources::{self, Options};
use tern_testkit::setting;

const EVENTS: usize = 4;

/// What all programs share: events, and choices that depend on a seed.
const SHARED: &str = "
class Ev {
    static StringBuilder trace = new StringBuilder();
    static void e0() { trace.append('0'); }
    static void e1() { trace.append('1'); }
    static void e2() { trace.append('2'); }
    static void e3() { trace.append('3'); }
}
class R {
    static long state;
    static int fuel;
    static int next(int n) {
        if (--fuel < 0) return 0;
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % n);
    }
}
";

struct Writer {
    rng: Rng,
    functions: usize,
    text: String,
    /// How many variables there are, so that each has a name of its own.
    variables: usize,
}

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        writeln!(self.text, "{:width$}{line}", "", width = depth * 2).expect("text");
    }

    fn block(&mut self, depth: usize, nesting: usize) {
        for _ in 0..self.rng.usize(1..4) {
            self.statement(depth, nesting);
        }
    }

    fn statement(&mut self, depth: usize, nesting: usize) {
        let event = self.rng.usize(..EVENTS);
        let function = self.rng.usize(..self.functions);
        let kind = if nesting == 0 { self.rng.u8(..5) } else { self.rng.u8(..14) };
        self.variables += 1;
        let name = self.variables;
        match kind {
            0 | 1 => self.line(depth, &format!("Ev.e{event}();")),
            2 => self.line(depth, &format!("if (d > 0) f{function}(d - 1);")),
            3 => self.line(depth, "if (d > 0) shape().act(d - 1);"),
            4 => {
                let error = ["E1", "E2", "E3"][self.rng.usize(..3)];
                self.line(depth, &format!("if (R.next(3) == 0) throw new {error}();"));
            }
            5 | 6 => {
                self.line(depth, "if (R.next(2) == 0) {");
                self.block(depth + 1, nesting - 1);
                self.line(depth, "} else {");
                self.block(depth + 1, nesting - 1);
                self.line(depth, "}");
            }
            7 => {
                self.line(depth, "while (R.next(3) > 0) {");
                self.block(depth + 1, nesting - 1);
                self.line(depth, "}");
            }
            8..=10 => self.attempt(depth, nesting),
            11 => {
                self.line(depth, &format!("Act a{name} = () -> {{"));
                self.block(depth + 1, nesting - 1);
                self.line(depth, &format!("}}; a{name}.go();"));
            }
            12 => {
                self.line(
                    depth,
                    &format!("Runnable a{name} = d > 1 ? P::g : () -> Ev.e{event}();"),
                );
                self.line(depth, &format!("if (R.next(2) == 0) a{name}.run();"));
            }
            _ => {
                self.line(depth, "switch (R.next(4)) {");
                self.line(depth, "case 0:");
                self.block(depth + 1, nesting - 1);
                self.line(depth, "case 1:");
                self.block(depth + 1, nesting - 1);
                self.line(depth, "break; default: {");
                self.block(depth + 1, nesting - 1);
                self.line(depth, "} }");
            }
        }
    }

    fn attempt(&mut self, depth: usize, nesting: usize) {
        self.line(depth, "try {");
        self.block(depth + 1, nesting - 1);
        let error = ["E1", "E2", "E3", "RuntimeException", "Error"][self.rng.usize(..5)];
        let name = self.variables;
        let has_handler = self.rng.u8(..4) > 0;
        if has_handler {
            self.line(depth, &format!("}} catch ({error} e{name}) {{"));
            self.block(depth + 1, nesting - 1);
            if self.rng.u8(..3) == 0 {
                self.line(depth + 1, &format!("if (R.next(2) == 0) throw e{name};"));
            }
        }
        if !has_handler || self.rng.bool() {
            self.line(depth, "} finally {");
            self.block(depth + 1, nesting - 1);
        }
        self.line(depth, "}");
    }
}

/// A program: the class `P` with its number.
fn program(seed: u64, number: usize) -> String {
    let mut rng = Rng::with_seed(seed);
    let functions = rng.usize(1..4);
    let mut writer = Writer { rng, functions, text: String::new(), variables: 0 };
    writer.line(0, "class P {");
    writer.line(1, "interface Act { void go(); }");
    writer.line(1, "interface Shape { default void act(int d) {");
    writer.text += "    P p = null; int f = d; Ev.e0();\n  } }\n";
    writer.line(1, "static class E1 extends RuntimeException { }");
    writer.line(1, "static class E2 extends E1 { }");
    writer.line(1, "static class E3 extends Error { }");
    for class in ["class A implements Shape", "class B extends A", "class C implements Shape"] {
        writer.line(1, &format!("static {class} {{"));
        if writer.rng.u8(..3) > 0 {
            writer.line(2, "public void act(int d) {");
            writer.block(3, 2);
            writer.line(2, "}");
        }
        if writer.rng.u8(..4) == 0 {
            writer.line(2, "static int used = R.next(2); static { Ev.e3(); }");
        }
        writer.line(1, "}");
    }
    writer.line(1, "static Shape shape() { switch (R.next(3)) {");
    writer.line(2, "case 0: return new A(); case 1: return new B(); default: return new C(); } }");
    writer.line(1, "static void g() {");
    writer.line(2, "Ev.e2();");
    writer.line(1, "}");
    for i in 0..functions {
        writer.line(1, &format!("static void f{i}(int d) {{"));
        writer.block(2, 3);
        writer.line(1, "}");
    }
    writer.line(1, "static void begin() { f0(3); }");
    writer.line(0, "}");
    let name = format!("P{number}");
    let mut text = String::new();
    // `P` alone is the class; nothing else is a word of that spelling.
    for (i, piece) in writer.text.split("P").enumerate() {
        let joins = piece.starts_with([' ', ':']);
        if i > 0 {
            text += if joins { &name } else { "P" };
        }
        text += piece;
    }
    text
}

fn runner(count: usize, seeds: u64) -> String {
    let mut text = SHARED.to_owned() + "public class Run {\n  interface Go { void go(); }\n";
    text += "  static void run(int p, Go go) {\n";
    writeln!(text, "    for (int s = 0; s < {seeds}; s++) {{").expect("text");
    text += "      R.state = p * 1000L + s; R.fuel = 60; Ev.trace.setLength(0);\n\
             try { go.go(); } catch (Throwable t) { if (t instanceof StackOverflowError) continue; }\n\
             System.out.println(p + \" \" + Ev.trace);\n    }\n  }\n\
             public static void main(String[] a) {\n";
    for i in 0..count {
        writeln!(text, "    run({i}, () -> P{i}.begin());").expect("text");
    }
    text + "  }\n}\n"
}

/// Whether a machine has a run with these labels, in this order: a search that looks at each
/// callee once for each entry and position in the trace.
fn has_run(machine: &Machine, letters: &FxHashMap<NodeId, usize>, trace: &[usize]) -> bool {
    type Fact = (NodeId, usize);
    let enter = |node: NodeId, at: usize| match letters.get(&node) {
        None => Some(at),
        Some(letter) => (trace.get(at) == Some(letter)).then_some(at + 1),
    };
    let mut seen: FxHashSet<(Fact, Fact)> = FxHashSet::default();
    let mut open: Vec<(Fact, Fact)> = Vec::new();
    let mut callers: FxHashMap<Fact, Vec<(Fact, BoxId)>> = FxHashMap::default();
    let mut ends: FxHashMap<Fact, Vec<(ExitId, usize)>> = FxHashMap::default();
    let mut add = |open: &mut Vec<(Fact, Fact)>, from: Fact, node: NodeId, at: usize| {
        if let Some(at) = enter(node, at)
            && seen.insert((from, (node, at)))
        {
            open.push((from, (node, at)));
        }
    };
    for &node in machine.initial() {
        add(&mut open, (node, usize::MAX), node, 0);
    }
    while let Some((from, (node, at))) = open.pop() {
        if at == trace.len() {
            return true;
        }
        let mut edges: Vec<(Fact, Edge, usize)> =
            machine.edges(node).iter().map(|&edge| (from, edge, at)).collect();
        while let Some((from, edge, at)) = edges.pop() {
            match edge {
                Edge::Step(to) => add(&mut open, from, to, at),
                Edge::Call(call, entry) => {
                    let inside = (entry, at);
                    callers.entry(inside).or_default().push((from, call));
                    add(&mut open, inside, entry, at);
                    for &(exit, end) in ends.get(&inside).into_iter().flatten() {
                        if let Some(site) = machine.site(call, exit) {
                            edges.extend(machine.edges_at(site).iter().map(|&it| (from, it, end)));
                        }
                    }
                }
                Edge::Return(exit) => {
                    let known = ends.entry(from).or_default();
                    if known.contains(&(exit, at)) {
                        continue;
                    }
                    known.push((exit, at));
                    for &(caller, call) in callers.get(&from).into_iter().flatten() {
                        if let Some(site) = machine.site(call, exit) {
                            edges.extend(machine.edges_at(site).iter().map(|&it| (caller, it, at)));
                        }
                    }
                }
            }
        }
    }
    false
}

fn code(folder: &Path, entry: &str) -> Result<(Code, Vec<Problem>), Refusal> {
    let asked = Asked { entries: vec![entry.to_owned()], ..Asked::default() };
    let options = Options { asked, ..Options::default() };
    let path = folder.to_str().expect("UTF-8");
    let source = sources::source_of(path).expect("a folder of classes");
    sources::open(source, path, &options, &Budget::unlimited())
}

/// How many programs are compiled together and run in one virtual machine.
const TOGETHER: usize = 200;

/// The tools of a JDK.
struct Tools {
    javac: PathBuf,
    java: PathBuf,
}

/// How many traces were looked at, and how many of them are long.
#[derive(Default)]
struct Looked {
    traces: usize,
    long: usize,
}

/// Compiles and runs programs of some seeds, and looks for what happened in their machines.
fn check_together(tools: &Tools, seeds: std::ops::Range<u64>, looked: &mut Looked) {
    let count = (seeds.end - seeds.start) as usize;
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = runner(count, 20);
    let sources: Vec<String> = seeds.clone().zip(0..).map(|(seed, i)| program(seed, i)).collect();
    sources.iter().for_each(|source| text += source);
    let file = folder.path().join("Run.java");
    std::fs::write(&file, &text).expect("written");
    let classes = folder.path().join("classes");
    let made = Command::new(&tools.javac).arg("-g").arg("-d").arg(&classes).arg(&file).output();
    let made = made.expect("javac runs");
    assert!(made.status.success(), "{}\n{text}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(&tools.java).arg("-cp").arg(&classes).arg("Run").output();
    let ran = ran.expect("java runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let own = apart(folder.path(), &classes, count);
    let names: Vec<String> = (0..EVENTS).map(|i| format!("call(\"Ev.e{i}\")")).collect();
    let wanted = Wanted { names: names.iter().cloned().collect(), ..Wanted::default() };
    let mut machines: FxHashMap<usize, (Machine, FxHashMap<NodeId, usize>)> = FxHashMap::default();
    for line in String::from_utf8_lossy(&ran.stdout).lines() {
        let (number, trace) = line.split_once(' ').expect("a number and a trace");
        let number: usize = number.parse().expect("a number");
        let (machine, letters) = machines.entry(number).or_insert_with(|| {
            let (mut code, _) =
                code(&own[number], &format!("P{number}.begin")).expect("it can be read");
            let machine = code.machine(&wanted, &Budget::unlimited());
            let machine = machine.expect("no limit").expect("a machine");
            let nodes = |label: LabelId| machine.labelled(label).to_vec();
            let labelled =
                names.iter().enumerate().filter_map(|(i, name)| Some((i, machine.label(name)?)));
            let letters = labelled
                .flat_map(|(i, label)| nodes(label).into_iter().map(move |it| (it, i)))
                .collect();
            (machine, letters)
        });
        let trace: Vec<usize> = trace.bytes().map(|it| usize::from(it - b'0')).collect();
        looked.traces += 1;
        looked.long += usize::from(trace.len() > 5);
        assert!(
            has_run(machine, letters, &trace),
            "seed {}: {trace:?} is no run of\n{}",
            seeds.start + number as u64,
            sources[number]
        );
    }
}

/// Gives each program a folder with its own classes and those that all share.
fn apart(folder: &Path, classes: &Path, count: usize) -> Vec<PathBuf> {
    let own: Vec<PathBuf> = (0..count).map(|i| folder.join(format!("p{i}"))).collect();
    own.iter().for_each(|it| std::fs::create_dir(it).expect("made"));
    for entry in std::fs::read_dir(classes).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let stem = name.split(['$', '.']).next().unwrap_or(&name);
        match stem.strip_prefix('P').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => std::fs::rename(&path, own[number].join(&name)).expect("moved"),
            None => {
                for to in &own {
                    std::fs::hard_link(&path, to.join(&name)).expect("linked");
                }
            }
        }
    }
    own
}

#[test]
#[allow(clippy::print_stdout)]
fn every_trace_of_a_java_program_is_a_run() {
    let (Some(javac), Some(java)) = (find_tool("javac"), find_tool("java")) else {
        println!("skipped: there is no JDK");
        return;
    };
    let tools = Tools { javac, java };
    let (seed, count) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 20));
    let mut looked = Looked::default();
    let end = seed + count;
    for begin in (seed..end).step_by(TOGETHER) {
        check_together(&tools, begin..end.min(begin + TOGETHER as u64), &mut looked);
    }
    let Looked { traces, long } = looked;
    println!("{count} programs, {traces} traces, {long} of them long");
    assert!(
        traces as u64 >= 10 * count && long as u64 > count,
        "{traces} traces, {long} of them long"
    );
}
