//! Code that compilers of today do not make: `jsr` and `ret`, which were made of `finally` once,
//! and loops with something on the stack. Against `java`, on classes that are written here.

use super::assemble::{Method, class};
use super::machine::Machine;
use super::tools::{check, compile, tool};
use std::process::Command;
use tern_model::Budget;
use tern_program::java::read_class;

/// Called twice: `2 * (5 + x)`.
const TWICE: &[u8] = &[
    0x03, 0x3c, // 0: local 1 = 0
    0xa8, 0, 10, // 2: jsr 12
    0xa8, 0, 7, // 5: jsr 12
    0x1b, 0xac, // 8: return local 1
    0, 0,    // 10
    0x4d, // 12: store where it returns
    0x1b, 0x08, 0x60, 0x1a, 0x60, 0x3c, // 13: local 1 += 5 + x
    0xa9, 2, // 19: ret
];

/// One calls another, which throws the first time: a handler outside begins again.
const NESTED: &[u8] = &[
    0x84, 1, 1, // 0: local 1 += 1
    0xa8, 0, 5, // 3: jsr 8
    0x1b, 0xac, // 6: return local 1
    0x4d, // 8: the outer one
    0xa8, 0, 8, // 9: jsr 17
    0x84, 1, 10, // 12: local 1 += 10
    0xa9, 2,    // 15: ret
    0x4e, // 17: the inner one
    0x84, 1, 100, // 18: local 1 += 100
    0x1a, 0x99, 0, 5, // 21: if x == 0 goto 27
    0x01, 0xbf, // 25: throw null
    0xa9, 3, // 27: ret
    0x57, 0x84, 0, 0xff, // 29: pop; x -= 1
    0xa7, 0xff, 0xdf, // 33: goto 0
];

/// Swaps what is on the stack x times, at least once: 1 or -1.
const SWAPPED: &[u8] = &[
    0x04, 0x05, // 0: 1, 2
    0x5f, // 2: swap
    0x84, 0, 0xff, // 3: x -= 1
    0x1a, 0x9d, 0xff, 0xfb, // 6: if x > 0 goto 2
    0x64, 0xac, // 10: return the difference
];

/// Counts two numbers on the stack down in turns until one is 0, which is tested there.
const TURNS: &[u8] = &[
    0x1a, 0x06, 0x60, 0x1a, 0x08, 0x60, // 0: x + 3, x + 5
    0x04, 0x64, // 6: the upper one less 1
    0x5f, 0x59, // 8: swap, dup
    0x9d, 0xff, 0xfc, // 10: if the upper one > 0 goto 6
    0x10, 10, 0x68, 0x60, 0xac, // 13: ten times the upper one and the lower one
];

/// Begins with a number in local 1, so that it may be counted up.
fn started(code: &[u8]) -> Vec<u8> {
    [&[0x03, 0x3c], code].concat()
}

#[test]
fn subroutines_do_what_java_does() {
    let nested = started(NESTED);
    let methods = [
        Method { name: "twice", descriptor: "(I)I", max_locals: 3, code: TWICE, handlers: &[] },
        Method {
            name: "nested",
            descriptor: "(I)I",
            max_locals: 4,
            code: &nested,
            handlers: &[[19, 31, 31]],
        },
    ];
    let carried = [("swapped", SWAPPED), ("turns", TURNS)].map(|(name, code)| Method {
        name,
        descriptor: "(I)I",
        max_locals: 1,
        code,
        handlers: &[],
    });
    let methods: Vec<Method> = methods.into_iter().chain(carried).collect();
    let bytes = class("Old", &methods);
    let mut reading = read_class("Old", &bytes, &Budget::unlimited()).expect("a class");
    check(&reading);
    assert_eq!(reading.report.stubs, []);
    let names = Machine::prepare(&mut reading.program);
    let program = &reading.program;
    let mut found = Vec::new();
    for x in 0..3 {
        for (procedure, _) in program.procedures().iter() {
            let mut machine = Machine::new(program, names.clone());
            found.push(machine.compute(procedure, x).expect("a number").to_string());
        }
    }
    // twice(x) is 10 + 2x; nested(x) throws x times, and counts 101 each time before it does.
    let (twice, nested) = (["10", "12", "14"], ["111", "212", "313"]);
    for x in 0..3 {
        assert_eq!(found[4 * x..4 * x + 3], [twice[x], nested[x], ["1", "1", "-1"][x]]);
    }
    let Some(java) = tool("java") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("Old.class"), bytes).expect("the folder can be written");
    let main = "class Main { public static void main(String[] a) { for (int x = 0; x < 3; x++) {
        System.out.println(Old.twice(x)); System.out.println(Old.nested(x));
        System.out.println(Old.swapped(x)); System.out.println(Old.turns(x)); } } }";
    let path = folder.path().to_str().expect("a plain path");
    if compile(folder.path(), &[("Main.java", main)], &["-cp", path]) {
        let output = Command::new(java).args(["-cp", path, "Main"]).output().expect("java");
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().collect::<Vec<_>>(), found);
    }
}

#[test]
fn what_cannot_be_resolved_is_a_stub() {
    let bad: &[(&[u8], &str)] = &[
        (&[0xa9, 0], "not active"),
        (&[0xa8, 0, 3, 0x1a, 0xac], "does not store"),
        (&[0xa7, 0, 9], "does not lead to an instruction"),
        (&[0x1a], "goes on behind its end"),
        (&[0x60, 0xac], "does not fit"),
        (&[0xb1], "what is returned"),
        (&[0xff], "unknown instruction"),
        (&[0x1a, 0x99, 0, 4, 0x03, 0x1a, 0xac], "differs where jumps meet"),
        (&[0xc4, 0x60, 0, 0], "no wide form"),
    ];
    for (code, reason) in bad {
        let method = Method { name: "m", descriptor: "(I)I", max_locals: 1, code, handlers: &[] };
        let good = Method { code: &[0x1a, 0xac], name: "good", ..method };
        let bytes = class("Bad", &[Method { handlers: &[], ..method }, good]);
        let reading = read_class("Bad", &bytes, &Budget::unlimited()).expect("a class");
        check(&reading);
        let [stub] = reading.report.stubs.as_slice() else { panic!("one stub for {reason}") };
        assert!(stub.reason.contains(reason), "{}", stub.reason);
        assert_eq!(reading.report.with_code, 1);
    }
}
