//! Counts of instructions, calls, lines and locals, against those that `javap` lists.

use super::tools::tool;
use std::path::Path;
use std::process::Command;
use tern_front::Refusal;
use tern_model::Budget;
use tern_program::java::Options;
use tern_program::java::class::{ClassFile, Code, Op, decode};
use tern_program::java::container::{Item, each};

const CLASSES: &[&str] = &[
    "java.util.HashMap",
    "java.lang.String",
    "java.util.concurrent.ThreadPoolExecutor",
    "java.util.stream.Collectors",
    "java.util.regex.Pattern",
    "java.math.BigInteger",
    "java.lang.Character",
    "java.util.Formatter",
];

/// Instructions, calls, lines, locals.
type Counts = [usize; 4];

fn listed(text: &str) -> Counts {
    let mut counts = [0; 4];
    let mut in_locals = false;
    for line in text.lines().map(str::trim) {
        let (number, rest) = line.split_once(": ").unwrap_or_default();
        let is_instruction = !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(|first: char| first.is_ascii_lowercase());
        in_locals &= line.starts_with(|first: char| first.is_ascii_digit()) && !is_instruction;
        counts[0] += usize::from(is_instruction);
        counts[1] += usize::from(is_instruction && rest.starts_with("invoke"));
        counts[2] += usize::from(number.starts_with("line "));
        counts[3] += usize::from(in_locals);
        in_locals |= line.starts_with("Start  Length  Slot");
    }
    counts
}

fn counted(bytes: &[u8]) -> Counts {
    let file = ClassFile::read(bytes).expect("a class");
    let mut counts = [0; 4];
    for code in file.methods.iter().filter_map(|method| method.code) {
        let code = Code::read(code, &file.pool).expect("code");
        let instructions = decode(code.instructions, code.start).expect("instructions");
        let is_call = |op: &Op| matches!(op, Op::Invoke(..) | Op::InvokeDynamic(_));
        counts[0] += instructions.len();
        counts[1] += instructions.iter().filter(|it| is_call(&it.op)).count();
        counts[2] += code.lines.len();
        counts[3] += code.locals.len();
    }
    counts
}

#[test]
fn counts_are_those_of_javap() {
    let Some(javap) = tool("javap") else { return };
    let home = javap.canonicalize().expect("a program");
    let Some(image) = home.ancestors().nth(2).map(|home| home.join("lib/modules")) else { return };
    if !image.is_file() {
        println!("skipped: there is no image {}", image.display());
        return;
    }
    let mut found: Vec<(String, Counts)> = Vec::new();
    let base = format!("{}:java.base", image.display());
    let wanted: Vec<String> =
        CLASSES.iter().map(|name| format!("/java.base/{}.class", name.replace('.', "/"))).collect();
    let mut visit = |item: Item| -> Result<(), Refusal> {
        if let Item::Class(origin, bytes) = item
            && let Some(within) = origin.within.filter(|within| wanted.contains(within))
        {
            found.push((within, counted(bytes)));
        }
        Ok(())
    };
    each(Path::new(&base), &Options::default(), &Budget::unlimited(), &mut visit)
        .expect("an image");
    assert_eq!(found.len(), CLASSES.len());
    for (name, path) in CLASSES.iter().zip(&wanted) {
        let output = Command::new(&javap).args(["-c", "-l", "-p", name]).output().expect("javap");
        let expected = listed(&String::from_utf8_lossy(&output.stdout));
        let (_, counts) = found.iter().find(|(within, _)| within == path).expect("the class");
        assert!(expected[0] > 100, "{name}: javap lists nothing");
        assert_eq!(*counts, expected, "{name}");
    }
}
