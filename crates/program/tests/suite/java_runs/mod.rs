//! Random Java programs are compiled and run; each trace of events that happens must be a run of
//! the machine that the class files became, and end as it can. Needs a JDK, and skips without.
//!
//! Classes of the JDK are missing from the machines. Missing code may call back, as often as it
//! likes, and may throw anything; where it can, almost any trace is a run, and little is tested. So
//! in half of the programs nothing can be called back, and missing code only returns. What random
//! programs have in so many places that no trace shows it missing in one is in programs of our own.

mod fixed;
mod generate;

use generate::{Kind, program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use tern_front::vocabulary::Wanted;
use tern_front::{Problem, Refusal, Vocabulary};
use tern_model::index::{ExitId, Id};
use tern_model::subsets::Subset;
use tern_model::{BoxId, Budget, Edge, Machine, NodeId};
use tern_program::code::{Asked, Code};
use tern_program::java::container::find_tool;
use tern_program::sources::{self, Options};
use tern_testkit::setting;

const EVENTS: usize = 4;

/// Runs each program with some seeds. The first few have classes of their own, so that these are
/// initialised again; the others share theirs. Prints the program, its trace, and how it ended.
const RUN: &str = "
import java.util.*;
import java.io.*;
import java.nio.file.*;
public class Run extends ClassLoader {
    static final Map<String, byte[]> known = new HashMap<>();
    Run() { super(Run.class.getClassLoader()); }
    @Override protected Class<?> loadClass(String name, boolean r) throws ClassNotFoundException {
        if (!name.matches(\"P[0-9].*\")) return super.loadClass(name, r);
        Class<?> found = findLoadedClass(name);
        if (found != null) return found;
        byte[] bytes = known.computeIfAbsent(name, it -> {
            try { return Files.readAllBytes(Paths.get(getResource(it + \".class\").toURI())); }
            catch (Exception e) { throw new IllegalStateException(e); }
        });
        return defineClass(name, bytes, 0, bytes.length);
    }
    public static void main(String[] a) throws Throwable {
        PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16));
        int count = Integer.parseInt(a[0]), seeds = Integer.parseInt(a[1]);
        for (int p = 0; p < count; p++) {
            Run loader = null;
            known.clear();
            for (int s = 0; s < seeds; s++) {
                if (s * 3 < seeds) loader = new Run();
                R.state = p * 1000L + s; R.fuel = 60; R.deep = 4; Ev.trace.setLength(0);
                String end = \"returns\";
                try {
                    java.lang.reflect.Method begin = loader.loadClass(\"P\" + p).getDeclaredMethod(\"begin\");
                    begin.setAccessible(true);
                    begin.invoke(null);
                } catch (Throwable t) {
                    // Where the class itself cannot be initialised, it is entered at most once.
                    boolean inside = t instanceof java.lang.reflect.InvocationTargetException;
                    Throwable cause = inside ? t.getCause() : t;
                    if (cause instanceof VerifyError || cause instanceof IncompatibleClassChangeError)
                        throw t;
                    end = \"throws\";
                    if (cause instanceof StackOverflowError) end = \"overflows\";
                    if (!inside && cause instanceof NoClassDefFoundError) end = \"refuses\";
                }
                out.println(p + \" \" + end + \" \" + Ev.trace);
            }
        }
        out.flush();
    }
}
";

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Returns,
    Throws,
}

/// A node, and how many letters of a trace have been read when it is reached, in one word.
type Fact = u64;

/// How many facts a search may find: of long traces it finds as many as the square of their length.
const MOST_FACTS: usize = 10_000_000;

/// The fact that nothing was called.
const BOTTOM: Fact = u64::MAX;

fn fact(node: NodeId, at: usize) -> Fact {
    (node.index() as u64) << 16 | at as u64
}

/// A search for a run with a trace: it looks at each callee once for each entry and position.
struct Search<'a> {
    machine: &'a Machine,
    /// The letter of each node that is an event.
    letters: &'a [Option<u8>],
    trace: &'a [u8],
    /// Where a component was entered, and what is reached there.
    seen: FxHashSet<(Fact, Fact)>,
    open: Vec<(Fact, NodeId, usize)>,
    callers: FxHashMap<Fact, Vec<(Fact, BoxId)>>,
    ends: FxHashMap<Fact, Vec<(ExitId, usize)>>,
}

impl<'a> Search<'a> {
    fn new(machine: &'a Machine, letters: &'a [Option<u8>], trace: &'a [u8]) -> Self {
        Search {
            machine,
            letters,
            trace,
            seen: FxHashSet::default(),
            open: Vec::new(),
            callers: FxHashMap::default(),
            ends: FxHashMap::default(),
        }
    }

    fn add(&mut self, from: Fact, node: NodeId, at: usize) {
        let at = match self.letters[node.index()] {
            None => at,
            Some(letter) if self.trace.get(at) == Some(&letter) => at + 1,
            Some(_) => return,
        };
        if self.seen.insert((from, fact(node, at))) {
            self.open.push((from, node, at));
        }
    }

    /// Whether there is a run with all of the trace that ends so; nothing if that takes too long.
    fn finds(&mut self, end: End) -> Option<bool> {
        let machine = self.machine;
        for &node in machine.initial() {
            self.add(BOTTOM, node, 0);
        }
        let mut edges: Vec<(Fact, Edge, usize)> = Vec::new();
        while let Some((from, node, at)) = self.open.pop() {
            if self.seen.len() > MOST_FACTS {
                return None;
            }
            let is_last = from == BOTTOM && at == self.trace.len();
            // Where the class of the entry cannot be initialised, the machine stays.
            if is_last && end == End::Throws && machine.node_name(node).starts_with("failed ") {
                return Some(true);
            }
            edges.extend(machine.edges(node).iter().map(|&edge| (from, edge, at)));
            while let Some((from, edge, at)) = edges.pop() {
                match edge {
                    Edge::Step(to) => self.add(from, to, at),
                    Edge::Call(call, entry) => {
                        let inside = fact(entry, at);
                        self.callers.entry(inside).or_default().push((from, call));
                        self.add(inside, entry, at);
                        for &(exit, end) in self.ends.get(&inside).into_iter().flatten() {
                            behind(machine, (from, call, exit, end), &mut edges);
                        }
                    }
                    Edge::Return(exit) => {
                        let returns = machine.exit_name(exit) == "return";
                        if from == BOTTOM {
                            if at == self.trace.len() && returns == (end == End::Returns) {
                                return Some(true);
                            }
                            continue;
                        }
                        let known = self.ends.entry(from).or_default();
                        if known.contains(&(exit, at)) {
                            continue;
                        }
                        known.push((exit, at));
                        for &(caller, call) in self.callers.get(&from).into_iter().flatten() {
                            behind(machine, (caller, call, exit, at), &mut edges);
                        }
                    }
                }
            }
        }
        Some(false)
    }
}

/// Adds the edges that follow a call which returned.
fn behind(
    machine: &Machine,
    (from, call, exit, at): (Fact, BoxId, ExitId, usize),
    edges: &mut Vec<(Fact, Edge, usize)>,
) {
    if let Some(site) = machine.site(call, exit) {
        edges.extend(machine.edges_at(site).iter().map(|&it| (from, it, at)));
    }
}

fn code(folder: &Path, entry: &str, kind: Kind) -> Result<(Code, Vec<Problem>), Refusal> {
    let entries = vec![entry.to_owned()];
    // What is missing there, such as constructors of exceptions, throws nothing.
    let stubs_return = !kind.called_back;
    let asked = Asked { entries, implicit: kind.implicit, stubs_return };
    let options = Options { asked, ..Options::default() };
    let path = folder.to_str().expect("UTF-8");
    let source = sources::source_of(path).expect("a folder of classes");
    sources::open(source, path, &options, &Budget::unlimited())
}

/// How many programs are compiled together and run in one virtual machine.
const TOGETHER: usize = 500;

/// What keeps a virtual machine that runs for seconds from preparing for hours.
const BRIEF: [&str; 2] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/// How programs are compiled and run.
#[derive(Clone, Copy)]
struct How {
    /// How often each is run.
    runs: usize,
    /// The Java that class files are made for, if it is an older one.
    release: Option<&'static str>,
}

const RANDOM: How = How { runs: 12, release: None };

/// Private methods are called in another way before Java 11.
const FIXED: [How; 2] = [How { runs: 100, release: None }, How { runs: 100, release: Some("8") }];

/// The tools of a JDK.
struct Tools {
    javac: PathBuf,
    java: PathBuf,
    /// Whether the compiler knows patterns in `switch`.
    later: bool,
}

impl Tools {
    fn find() -> Option<Self> {
        let (javac, java) = (find_tool("javac")?, find_tool("java")?);
        let version = Command::new(&javac).arg("-version").output().ok()?.stdout;
        let version = String::from_utf8_lossy(&version);
        let number = version.trim().trim_start_matches("javac ").split('.').next();
        let later = number.and_then(|it| it.parse::<u32>().ok()).is_some_and(|it| it >= 21);
        Some(Tools { javac, java, later })
    }

    /// What the program of a seed may have.
    fn kind(&self, seed: u64) -> Kind {
        let (implicit, reflective) = (seed.is_multiple_of(3), seed.is_multiple_of(4));
        // Hooks are called back.
        let called_back = reflective || seed % 4 == 1;
        let short = seed.is_multiple_of(2);
        Kind { implicit, later: self.later, reflective, called_back, short }
    }

    /// Compiles programs and runs them; what they print.
    fn run(&self, folder: &Path, programs: &[Written], how: How) -> String {
        let mut files = Vec::new();
        let mut add = |name: String, text: &str| {
            let file = folder.join(name);
            std::fs::write(&file, text).expect("written");
            files.push(file);
        };
        for (name, text) in [("Ev", generate::EV), ("R", generate::R), ("Run", RUN)] {
            add(format!("{name}.java"), text);
        }
        for (i, program) in programs.iter().enumerate() {
            add(format!("P{i}.java"), &program.source);
        }
        let classes = folder.join("classes");
        let mut javac = Command::new(&self.javac);
        let brief = BRIEF.map(|option| format!("-J{option}"));
        let release = how.release.into_iter().flat_map(|it| ["--release", it]);
        let made = javac
            .args(brief)
            .args(release)
            .args(["-g", "-nowarn", "-d"])
            .arg(&classes)
            .args(&files)
            .output();
        let made = made.expect("javac runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut java = Command::new(&self.java);
        java.args(BRIEF)
            .arg("-cp")
            .arg(&classes)
            .arg("Run")
            .args([programs.len(), how.runs].map(|n| n.to_string()));
        let ran = java.output().expect("java runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }
}

/// A program to be compiled: the class `P` with its place among those that are compiled together.
struct Written {
    source: String,
    kind: Kind,
    /// What it is called in messages.
    title: String,
}

/// How many traces were looked at, and of which kinds.
#[derive(Default)]
struct Looked {
    traces: usize,
    long: usize,
    thrown: usize,
    left_out: usize,
    too_long: usize,
    wrong: Vec<String>,
}

/// Compiles and runs programs, and looks for what happened in their machines; what they print.
fn check_together(tools: &Tools, programs: &[Written], how: How, looked: &mut Looked) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = tools.run(folder.path(), programs, how);
    let own = apart(folder.path(), &folder.path().join("classes"), programs.len());
    let names: Vec<String> = (0..EVENTS).map(|i| format!("call(\"Ev.e{i}\")")).collect();
    let wanted = Wanted { names: names.iter().cloned().collect(), ..Wanted::default() };
    let make = |number: usize| {
        let code = code(&own[number], &format!("P{number}.begin"), programs[number].kind);
        let (mut code, _) = code.expect("it can be read");
        let machine = code.machine(&wanted, &Budget::unlimited());
        let machine = machine.expect("no limit").expect("a machine");
        let mut letters: Vec<Option<u8>> = vec![None; machine.node_count()];
        for (letter, name) in (b'0'..).zip(&names) {
            let label = machine.label(name);
            for node in label.map_or(Subset::EMPTY, |label| machine.labelled(label)) {
                letters[node.index()] = Some(letter);
            }
        }
        (machine, letters)
    };
    let mut last = None;
    let mut seen: FxHashSet<String> = FxHashSet::default();
    for line in printed.lines() {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("a number, an end and a trace");
        let (number, end, trace) = (word(), word(), word());
        let number: usize = number.parse().expect("a number");
        let end = match end {
            "returns" => End::Returns,
            "throws" => End::Throws,
            _ => {
                looked.left_out += 1;
                continue;
            }
        };
        looked.traces += 1;
        looked.long += usize::from(trace.len() > 5);
        looked.thrown += usize::from(end == End::Throws);
        if !seen.insert(line.to_owned()) {
            continue;
        }
        if !matches!(last, Some((of, _)) if of == number) {
            last = Some((number, make(number)));
        }
        let Some((_, (machine, letters))) = &last else { unreachable!("it was made") };
        let found = Search::new(machine, letters, trace.as_bytes()).finds(end);
        looked.too_long += usize::from(found.is_none());
        if found == Some(false) {
            let Written { source, title, .. } = &programs[number];
            looked.wrong.push(format!("{title}: {end:?} after {trace:?} is no run of\n{source}"));
        }
    }
    printed
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
    let Some(tools) = Tools::find() else {
        println!("skipped: there is no JDK");
        return;
    };
    let (seed, count) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 20));
    let mut looked = Looked::default();
    let end = seed + count;
    let written = |(seed, i)| {
        let kind = tools.kind(seed);
        Written { source: program(seed, i, kind), kind, title: format!("seed {seed}") }
    };
    for begin in (seed..end).step_by(TOGETHER) {
        let seeds = begin..end.min(begin + TOGETHER as u64);
        let programs: Vec<Written> = seeds.zip(0..).map(written).collect();
        check_together(&tools, &programs, RANDOM, &mut looked);
    }
    let Looked { traces, long, thrown, left_out, too_long, wrong } = looked;
    println!(
        "{count} programs from seed {seed}, {traces} traces: {long} long, {thrown} end by a throw; \
         {left_out} left out, {too_long} not searched to the end; {} no runs",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{} traces are no runs; the first:\n{}", wrong.len(), wrong[0]);
    assert!(
        traces as u64 >= 8 * count
            && too_long * 100 < traces
            && long as u64 > count / 2
            && thrown as u64 > count,
        "programs do too little to test anything"
    );
}

#[test]
#[allow(clippy::print_stdout)]
fn what_fails_by_itself_or_failed_before_is_a_run() {
    let Some(tools) = Tools::find() else {
        println!("skipped: there is no JDK");
        return;
    };
    let written = |(i, fixed): (usize, &fixed::Fixed)| Written {
        source: fixed.source(i),
        kind: fixed.kind(),
        title: format!("program {i}"),
    };
    let programs: Vec<Written> = fixed::programs().enumerate().map(written).collect();
    for how in FIXED {
        let mut looked = Looked::default();
        let printed = check_together(&tools, &programs, how, &mut looked);
        let shown: FxHashSet<&str> = printed.lines().collect();
        for (i, fixed) in fixed::programs().enumerate() {
            for trace in fixed.shows {
                let source = &programs[i].source;
                assert!(shown.contains(format!("{i} {trace}").as_str()), "{trace:?} of {source}");
            }
        }
        let wrong = looked.wrong;
        assert!(wrong.is_empty(), "{} traces are no runs:\n{}", wrong.len(), wrong.join("\n"));
    }
}
