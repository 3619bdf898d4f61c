//! Class files with random damage: whatever they say, reading them ends, without a panic, in a
//! well-formed program or a message.
//!
//! `TERN_PAIRS` sets how many, `TERN_SEED` where they begin.

use super::generate::program;
use super::tools::{check, compile, setting};
use fastrand::Rng;
use tern_model::Budget;
use tern_program::java::class::{ClassFile, Code};
use tern_program::java::read_class;

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.usize(..bytes.len());
    match rng.u8(..8) {
        0..=2 => bytes[at] = rng.u8(..),
        3 => bytes[at] ^= 1 << rng.u8(..8),
        4 => {
            let number = [0, 1, 2, 255, 0x7fff, 0x8000, 0xffff][rng.usize(..7)] as u16;
            let end = (at + 2).min(bytes.len());
            bytes[at..end].copy_from_slice(&number.to_be_bytes()[..end - at]);
        }
        5 => {
            let end = (at + rng.usize(1..9)).min(bytes.len());
            bytes.drain(at..end);
        }
        6 => {
            let end = (at + rng.usize(1..40)).min(bytes.len());
            let copied = bytes[at..end].to_vec();
            let to = rng.usize(..=bytes.len());
            bytes.splice(to..to, copied);
        }
        _ => {
            let (one, other) = (bytes[at], rng.usize(..bytes.len()));
            bytes[at] = bytes[other];
            bytes[other] = one;
        }
    }
}

/// Where the code of methods lies in a class file.
fn code_of(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let file = ClassFile::read(bytes).expect("a class");
    let codes = file.methods.iter().filter_map(|method| method.code);
    let codes = codes.map(|code| Code::read(code, &file.pool).expect("code"));
    codes.map(|code| code.start..code.start + code.instructions.len()).collect()
}

/// Changes a byte of an instruction, so that the class as a whole stays what it is.
fn damage_code(rng: &mut Rng, bytes: &mut [u8], codes: &[std::ops::Range<usize>]) {
    let code = &codes[rng.usize(..codes.len())];
    let at = rng.usize(code.clone());
    bytes[at] = match rng.bool() {
        true => rng.u8(..202),
        false => bytes[rng.usize(code.clone())],
    };
}

#[test]
fn damaged_classes_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts: Vec<_> = (0..3).map(|n| (format!("P{n}.java"), program(n, n + 77))).collect();
    let files: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    if !compile(folder.path(), &files, &[]) {
        return;
    }
    let entries = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "class"));
    paths.sort();
    let classes: Vec<_> = paths.iter().map(|path| std::fs::read(path).expect("a class")).collect();
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 2000));
    let (mut refused, mut stubs, mut whole) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let mut bytes = classes[rng.usize(..classes.len())].clone();
        let codes = code_of(&bytes);
        let in_code = rng.bool() && !codes.is_empty();
        for _ in 0..1 + rng.usize(..4) * rng.usize(..4) {
            match in_code {
                true => damage_code(&mut rng, &mut bytes, &codes),
                false => damage(&mut rng, &mut bytes),
            }
        }
        let read = std::panic::catch_unwind(|| {
            let reading = read_class("it", &bytes, &Budget::unlimited());
            reading.map(|reading| {
                check(&reading);
                reading.report.stubs.len()
            })
        });
        match read.unwrap_or_else(|_| panic!("seed {seed} panics")) {
            Ok(0) => whole += 1,
            Ok(_) => stubs += 1,
            Err(_) => refused += 1,
        }
    }
    println!("{count} from seed {first}: {refused} refused, {stubs} with stubs, {whole} whole");
    assert!(refused > 0 && stubs > 0 && whole > 0, "damage should be of all kinds");
}
