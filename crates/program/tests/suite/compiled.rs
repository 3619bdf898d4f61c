//! C programs that a compiler has run: the values that they leave must be found here as well.
//!
//! `tests/compiled` has programs without input. The first line of each says what its global
//! variables are in the end, as a C compiler has it (with `-fwrapv`). The interpreter must find the
//! same, and so must whoever follows the edges of the flow graph with numbers. Programs whose names
//! begin with `int32_` are about widths. With `TERN_CC=1` the compiler is asked again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, Row};
use tern_program::c::hoist::hoisted;
use tern_program::c::interpret::Interpreter;
use tern_program::c::lower::{Settings, with_calls};
use tern_program::c::parse;
use tern_program::c::syntax::{Unit, Widths};

/// The most steps of a run.
const MOST_STEPS: usize = 20_000;

struct Compiled {
    name: String,
    text: String,
    leaves: Vec<(String, i128)>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled")
}

fn programs() -> Vec<Compiled> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the programs are there") {
        let path = entry.expect("they can be listed").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let name = path.file_stem().expect("files have names").to_string_lossy().into_owned();
        let first = text.lines().next().and_then(|line| line.strip_prefix("// leaves "));
        let leaves = first.unwrap_or_else(|| panic!("{name} does not say what it leaves"));
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').expect("a name and a value");
            (name.to_owned(), value.parse().expect("a number"))
        };
        let leaves = leaves.split_whitespace().map(pair).collect();
        found.push(Compiled { name, text, leaves });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

impl Compiled {
    /// With numbers that wrap, and without where nothing needs them.
    fn settings(&self) -> Vec<Settings> {
        let wrapping = Settings { widths: Some(Widths::of_int(32)), ..Settings::default() };
        match self.name.starts_with("int32_") {
            true => vec![wrapping],
            false => vec![Settings::default(), wrapping],
        }
    }

    fn unit(&self) -> Unit {
        parse::parse(&self.text).unwrap_or_else(|faults| panic!("{}: {faults:?}", self.name))
    }
}

/// What the interpreter leaves; an error if it does not treat the program.
fn interpreted(unit: &Unit, settings: &Settings, of: &Compiled) -> Result<Vec<i128>, String> {
    let plain = hoisted(unit);
    let interpreter = Interpreter::new(&plain, settings);
    let start = interpreter.start(&BTreeMap::new()).map_err(|it| format!("{it:?}"))?;
    let mut state = start.expect("nothing is given");
    for _ in 0..MOST_STEPS {
        if let Some(label) = state.label() {
            assert_eq!(label, "exit", "{}", of.name);
            let value = |(name, _): &(String, i128)| state.visible(name).ok_or("no value".into());
            return of.leaves.iter().map(value).collect();
        }
        let mut next = interpreter.next(&state).map_err(|it| format!("{it:?}"))?;
        assert!(next.states.len() == 1 && !next.more, "{} has one run", of.name);
        state = next.states.remove(0);
    }
    Err("too many steps".to_owned())
}

/// Values for the auxiliaries of an edge, if its facts allow just one for each.
fn solved(edge: &Edge, values: &[i128]) -> Option<Vec<i128>> {
    let mut known: Vec<Option<i128>> = vec![None; edge.auxiliaries.len()];
    for number in 0..known.len() {
        if edge.auxiliaries[number] == Auxiliary::Choice {
            // These programs do not depend on what is open.
            known[number] = Some(0);
            continue;
        }
        let own = Column::auxiliary(number);
        let (mut low, mut high) = (None::<i128>, None::<i128>);
        for row in edge.rows().map(Row::affine) {
            let factor = row.factor(own);
            let mut rest = row.constant;
            let mut is_open = factor == 0;
            for &(column, factor) in row.terms.iter().filter(|term| term.0 != own) {
                let value = match (column.as_variable(), column.as_auxiliary()) {
                    (Some(variable), _) => Some(values[variable]),
                    (_, other) => known[other.expect("one or the other")],
                };
                match value {
                    Some(value) => rest += factor * value,
                    None => is_open = true,
                }
            }
            if is_open {
                continue;
            }
            // factor * own + rest >= 0
            if factor > 0 {
                let least = -rest.div_euclid(factor);
                low = Some(low.map_or(least, |low| low.max(least)));
            } else {
                let most = rest.div_euclid(-factor);
                high = Some(high.map_or(most, |high| high.min(most)));
            }
        }
        // Where there is none the edge cannot be taken; any value shows that.
        let value = low.zip(high).map(|(low, high)| if low > high { low } else { high });
        if low.zip(high).is_some_and(|(low, high)| low < high) {
            return None;
        }
        known[number] = Some(value?);
    }
    known.into_iter().collect()
}

/// What following the edges leaves; `None` if a value is not known in full.
fn followed(flow: &Flow, of: &Compiled) -> Option<Vec<i128>> {
    let run = |edge: &Edge, values: &[i128]| -> Option<Option<Vec<i128>>> {
        // An auxiliary may be open on an edge that cannot be taken.
        let plain = |row: &Row| {
            let is_plain = row.affine().terms.iter().all(|term| term.0.as_variable().is_some());
            is_plain.then(|| row.affine().evaluate(|it| values[it.as_variable().unwrap_or(0)]))
        };
        if edge.guard.iter().filter_map(plain).any(|value| value.is_some_and(|it| it < 0)) {
            return Some(None);
        }
        let auxiliaries = solved(edge, values)?;
        let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
            (Some(variable), _) => values[variable],
            (_, number) => auxiliaries[number.unwrap_or(0)],
        };
        let is_true = |row: &Row| row.affine().evaluate(of).is_some_and(|value| value >= 0);
        if !edge.rows().all(is_true) {
            return Some(None);
        }
        let mut after = values.to_vec();
        let written: &[(usize, Affine)] = &edge.update;
        for (variable, value) in written {
            after[*variable] = value.evaluate(of)?;
        }
        Some(Some(after))
    };
    let leaving = flow.leaving();
    let zeros = vec![0; flow.variables.len()];
    let mut states = Vec::new();
    for start in &flow.starts {
        states.extend(run(start, &zeros)?.map(|values| (start.to, values)));
    }
    assert_eq!(states.len(), 1, "{} has one beginning", of.name);
    let (mut point, mut values) = states.remove(0);
    for _ in 0..MOST_STEPS {
        if flow.points[point].labels.iter().any(|label| label == "exit") {
            let value = |name: &String| {
                let variable = flow.variables.iter().position(|known| known == name);
                values[variable.unwrap_or_else(|| panic!("{}: no {name}", of.name))]
            };
            return Some(of.leaves.iter().map(|(name, _)| value(name)).collect());
        }
        let mut next = Vec::new();
        for &edge in &leaving[point] {
            let edge = &flow.edges[edge];
            next.extend(run(edge, &values)?.map(|values| (edge.to, values)));
        }
        assert_eq!(next.len(), 1, "{} has one run; at line {}", of.name, flow.points[point].line);
        (point, values) = next.remove(0);
    }
    None
}

#[test]
fn programs_leave_what_a_compiler_says() {
    let (mut by_steps, mut by_edges) = (0, 0);
    let mut wrong = Vec::new();
    let all = programs();
    for of in &all {
        let unit = of.unit();
        let wanted: Vec<i128> = of.leaves.iter().map(|it| it.1).collect();
        for settings in of.settings() {
            let wraps = settings.widths.is_some();
            match interpreted(&unit, &settings, of) {
                Ok(found) if found == wanted => by_steps += 1,
                Ok(found) => wrong.push(format!("{} {wraps}: steps leave {found:?}", of.name)),
                Err(why) => println!("{}: the interpreter does not treat {why}", of.name),
            }
            let (flow, calls) = with_calls(&unit, &settings, &of.text)
                .unwrap_or_else(|faults| panic!("{}: {faults:?}", of.name));
            if !calls.procedures.is_empty() {
                continue;
            }
            match followed(&flow, of) {
                Some(found) if found == wanted => by_edges += 1,
                Some(found) => wrong.push(format!("{} {wraps}: edges leave {found:?}", of.name)),
                None => println!("{}: an edge is not known in full", of.name),
            }
        }
    }
    println!("{} programs: {by_steps} runs by steps, {by_edges} by edges", all.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(by_steps >= 60 && by_edges >= 50, "{by_steps} by steps and {by_edges} by edges");
}

#[test]
fn a_compiler_says_so() {
    if std::env::var_os("TERN_CC").is_none() {
        println!("not asked for: set TERN_CC=1");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for of in programs() {
        let shown: String = of
            .leaves
            .iter()
            .map(|(name, _)| format!("printf(\"%lld \", (long long){name});"))
            .collect();
        let text = format!(
            "#define main tern_main\n{}\n#undef main\nint printf(const char *, ...);\n\
             int atexit(void (*)(void));\nstatic void tern_show(void) {{ {shown} }}\n\
             int main() {{ atexit(tern_show); tern_main(); return 0; }}\n",
            of.text
        );
        let (source, binary) = (folder.path().join("p.c"), folder.path().join("p"));
        std::fs::write(&source, text).expect("written");
        let mut cc = Command::new("cc");
        let made = cc.args(["-w", "-fwrapv", "-o"]).arg(&binary).arg(&source).status();
        assert!(made.expect("cc runs").success(), "{}", of.name);
        let output = Command::new(&binary).output().expect("it runs").stdout;
        let found: Vec<i128> = String::from_utf8_lossy(&output)
            .split_whitespace()
            .map(|it| it.parse().expect("a number"))
            .collect();
        let wanted: Vec<i128> = of.leaves.iter().map(|it| it.1).collect();
        assert_eq!(found, wanted, "{}", of.name);
    }
}
