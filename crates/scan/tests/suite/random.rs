//! Random Java programs that use `null`, or what was closed, on some paths. They are compiled and
//! run: the first violation of every execution must be found, be it as a doubtful finding, and
//! whatever execution comes by the statement that makes a finding certain must show it. Needs a
//! JDK, and skips without.
//!
//! Violations are written down where they happen, since a `finally` block that jumps hides what was
//! thrown. What writes them down is not scanned. What happens after the first one is not looked
//! at: exceptions of the machine are not followed to such blocks.
//!
//! `TERN_PAIRS` programs from `TERN_SEED` on; 60 from 1 if these are not set.

use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use tern_front::Source;
use tern_model::Budget;
use tern_program::java::container::find_tool;
use tern_program::java::{self, Options};
use tern_scan::rules::{self, Rule};
use tern_scan::sources::Sources;
use tern_scan::{How, scan};

/// What all programs share: objects that can be closed, choices by a seed, lines that were passed.
const SHARED: &str = "
class Misuse extends Error { }
class E1 extends RuntimeException { }
class Res {
    private boolean closed;
    void close() { closed = true; }
    void use() { if (closed) { W.misuse(); throw new Misuse(); } }
}
class R {
    static long state; static int fuel;
    static int next(int n) {
        if (--fuel < 0) return 0;
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % n);
    }
}
class T {
    static StringBuilder lines = new StringBuilder();
    static void l(int n) { if (W.shown.length() == 0) lines.append(n).append(','); }
}
class W {
    static StringBuilder shown = new StringBuilder();
    static void n(Object o, int line) { if (o == null) shown.append(\"null:\").append(line).append(';'); }
    static void misuse() {
        int line = new Throwable().getStackTrace()[2].getLineNumber();
        shown.append(\"misuse:\").append(line).append(';');
    }
}
class Main {
    interface Go { void go(); }
    static void one(String name, int seeds, Go go) {
        for (int seed = 0; seed < seeds; seed++) {
            R.state = seed * 77777L + 1; R.fuel = 200; T.lines.setLength(0); W.shown.setLength(0);
            try { go.go(); } catch (NullPointerException | Misuse | E1 e) { }
            System.out.println(name + \" \" + W.shown + \" \" + T.lines);
        }
    }
";

const RULES: &str = "
rule misuse {
  severity error;
  object r: Res;
  event close = r.close();
  event use = r.use();
  claim never use after close;
  report \"{object}\";
}
rule null-use { severity error; event use = deref(null); claim never use; report \"{object}\"; }
";

/// Writes one program.
struct Writer {
    rng: Rng,
    text: String,
    line: usize,
    function: usize,
    names: usize,
}

impl Writer {
    fn put(&mut self, line: &str) {
        self.line += 1;
        let _ = writeln!(self.text, "{line}");
    }

    /// A statement that leaves a trace.
    fn say(&mut self, statement: &str) {
        let line = self.line + 1;
        self.put(&format!("T.l({line}); {statement}"));
    }

    fn block(&mut self, nesting: usize, in_loop: bool) {
        for _ in 0..self.rng.usize(1..4) {
            self.statement(nesting, in_loop);
        }
    }

    fn text_variable(&mut self) -> &'static str {
        ["s", "t"][self.rng.usize(..2)]
    }

    fn condition(&mut self) -> String {
        let text = self.text_variable();
        match self.rng.u8(..6) {
            0 => format!("{text} != null"),
            1 => format!("{text} == null"),
            2 => format!("n > {}", self.rng.u8(..3)),
            3 => format!("n == {}", self.rng.u8(..3)),
            _ => "R.next(2) == 0".to_owned(),
        }
    }

    fn statement(&mut self, nesting: usize, in_loop: bool) {
        let (text, other) = (self.text_variable(), self.text_variable());
        let object = ["r", "q"][self.rng.usize(..2)];
        let kind = if nesting == 0 { self.rng.u8(..10) } else { self.rng.u8(..16) };
        match kind {
            0 => self.say(&format!("{text} = null;")),
            1 => self.say(&format!("{text} = \"a\";")),
            2 => self.say(&format!("{text} = {other};")),
            3 => self.say(&format!("n = {};", self.rng.clone().u8(..3))),
            4 => {
                let line = self.line + 1;
                self.say(&format!("W.n({text}, {line}); n = n + {text}.length();"));
            }
            5 => self.say(&format!("{object}.use();")),
            6 => self.say(&format!("{object}.close();")),
            // In a loop each round would make an object of its own.
            7 if !in_loop => self.say("q = new Res();"),
            8 if self.function > 0 => {
                let callee = self.rng.usize(..self.function);
                let given = ["null", "s", "t", "\"b\""][self.rng.usize(..4)];
                // Passed when it comes back: what is certain may be what follows the call.
                let line = self.line + 1;
                self.put(&format!("{text} = f{callee}({given}, {object}, n); T.l({line});"));
            }
            7..=9 => {
                self.say("if (R.next(4) == 0) {");
                self.say("throw new E1();");
                self.put("}");
            }
            10 | 11 => {
                let condition = self.condition();
                self.say(&format!("if ({condition}) {{"));
                self.block(nesting - 1, in_loop);
                if self.rng.bool() {
                    self.put("} else {");
                    self.block(nesting - 1, in_loop);
                }
                self.put("}");
            }
            12 => {
                self.names += 1;
                let name = self.names;
                self.say(&format!("for (int i{name} = 0; i{name} < 2;"));
                // Going round is another statement than going in.
                let line = self.line + 1;
                self.put(&format!("T.l({line}), i{name}++) {{"));
                self.block(nesting - 1, true);
                self.put("}");
            }
            13 => {
                self.say("try {");
                self.block(nesting - 1, in_loop);
                self.names += 1;
                if self.rng.bool() {
                    self.put("} finally {");
                    match self.rng.u8(..4) {
                        0 => {
                            let condition = self.condition();
                            self.say(&format!("if ({condition}) {{"));
                            self.say(&format!("return {text};"));
                            self.put("}");
                        }
                        1 if in_loop => {
                            self.say("if (R.next(2) == 0) {");
                            let jump = ["break", "continue"][self.rng.usize(..2)];
                            self.say(&format!("{jump};"));
                            self.put("}");
                        }
                        _ => self.say("n = n + 1;"),
                    }
                } else {
                    self.put(&format!("}} catch (E1 e{}) {{", self.names));
                    self.block(nesting - 1, in_loop);
                }
                self.put("}");
            }
            _ => {
                let condition = self.condition();
                self.say(&format!("if ({condition}) {{"));
                self.say(&format!("return {text};"));
                self.put("}");
            }
        }
    }

    fn program(seed: u64, name: &str) -> String {
        let rng = Rng::with_seed(seed);
        let mut writer = Writer { rng, text: String::new(), line: 0, function: 0, names: 0 };
        writer.put(&format!("class {name} {{"));
        for function in 0..3 {
            writer.function = function;
            writer.put(&format!("static String f{function}(String s, Res r, int n) {{"));
            writer.put("String t = \"c\"; Res q = new Res();");
            writer.block(2, false);
            writer.put("return t; }");
        }
        writer.put("static void go() {");
        for given in ["\"d\"", "null"] {
            // A line a statement: lines are what executions leave a trace of.
            writer.say("if (R.next(2) == 0) {");
            writer.say(&format!("f2({given}, new Res(), 1);"));
            writer.put("}");
        }
        writer.put("} }");
        writer.text
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// What an execution showed: kinds and lines, and the lines that it passed until the first.
type Execution = (Vec<(String, u32)>, BTreeSet<u32>);

/// Classes that write down what happens: they are not scanned.
const UNSEEN: [&str; 5] = ["Main", "Main$Go", "R", "T", "W"];

/// Compiles and runs programs in a folder.
fn run(folder: &Path, names: &[String]) -> BTreeMap<String, Vec<Execution>> {
    let mut shared = SHARED.to_owned();
    shared += "    public static void main(String[] a) {\n";
    for name in names {
        let _ = writeln!(shared, "        one(\"{name}\", 60, {name}::go);");
    }
    shared += "    }\n}\n";
    fs::write(folder.join("Main.java"), shared).unwrap();
    let classes = folder.join("classes");
    let mut javac = Command::new(find_tool("javac").unwrap());
    javac.args(["-g", "-nowarn", "-d"]).arg(&classes).arg(folder.join("Main.java"));
    javac.args(names.iter().map(|name| folder.join(format!("{name}.java"))));
    let done = javac.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let java = Command::new(find_tool("java").unwrap())
        .args(["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(&classes)
        .arg("Main")
        .output()
        .unwrap();
    assert!(java.status.success(), "{}", String::from_utf8_lossy(&java.stderr));
    let mut all: BTreeMap<String, Vec<Execution>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&java.stdout).lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let shown = words[1].split(';').filter_map(|it| it.split_once(':'));
        let shown = shown.map(|(kind, line)| (kind.to_owned(), line.parse().unwrap()));
        let trace = words[2].split(',').filter_map(|it| it.parse().ok());
        all.entry(words[0].to_owned()).or_default().push((shown.collect(), trace.collect()));
    }
    for name in UNSEEN {
        fs::remove_file(classes.join(format!("{name}.class"))).unwrap();
    }
    all
}

#[test]
fn executions_and_findings_agree() {
    if find_tool("javac").is_none() || find_tool("java").is_none() {
        eprintln!("skipped: there is no JDK");
        return;
    }
    let (first, count) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 60));
    let folder = tempfile::tempdir().unwrap();
    let seeds: Vec<u64> = (first..first + count).collect();
    let names: Vec<String> = seeds.iter().map(|seed| format!("P{seed}")).collect();
    let mut texts = BTreeMap::new();
    for (seed, name) in seeds.iter().zip(&names) {
        let text = Writer::program(*seed, name);
        fs::write(folder.path().join(format!("{name}.java")), &text).unwrap();
        texts.insert(name.clone(), text);
    }
    let executions = run(folder.path(), &names);
    let rules: Vec<Rule> = rules::read(&Source::new("random.rules", RULES)).unwrap();
    let budget = Budget::unlimited();
    let classes = folder.path().join("classes");
    let mut reading = java::read(&[classes], &Options::default(), &budget).unwrap();
    let sources = Sources::new(&[]);
    let how = How { doubtful: true, ..How::default() };
    let found = scan(&mut reading, &rules, &sources, &how, &budget).unwrap();
    let (mut shown, mut certain, mut doubtful) = (0, 0, BTreeSet::new());
    for (name, executions) in &executions {
        let file = format!("{name}.java");
        let of = |kind: &str| if kind == "misuse" { 0 } else { 1 };
        let find = |kind: &str, line: u32| {
            let mut own = found.findings.iter().filter(|it| it.file == file);
            own.find(|it| it.rule == of(kind) && it.line == line)
        };
        for (violations, _) in executions {
            let Some((kind, line)) = violations.first() else { continue };
            shown += 1;
            let Some(finding) = find(kind, *line) else {
                panic!("{kind} in line {line} is missed:\n{}", texts[name]);
            };
            // The same place is found in other ways first, if there are any.
            if finding.doubtful {
                doubtful.insert((name, *line));
            }
        }
        let own = found.findings.iter().filter(|it| it.file == file && it.certain);
        for finding in own {
            let Some((_, at)) = &finding.decided_at else { panic!("no statement: {finding:?}") };
            for (shown, passed) in executions.iter().filter(|(_, passed)| passed.contains(at)) {
                certain += 1;
                let wrong = shown.iter().any(|(kind, _)| of(kind) == finding.rule);
                assert!(
                    wrong,
                    "certain at line {at}, and passed without: {finding:?} {passed:?}\n{}",
                    texts[name]
                );
            }
        }
    }
    let names: Vec<String> = doubtful.iter().map(|(name, line)| format!("{name}:{line}")).collect();
    eprintln!("{shown} violations shown, {certain} executions came by certain statements");
    eprintln!("{} places are found as doubtful only: {}", names.len(), names.join(" "));
    assert!(shown > 0 && certain > 0, "nothing was tested");
}
