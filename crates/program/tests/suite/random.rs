//! Random programs, as text: classes that extend each other, exceptions, procedures with loops,
//! calls of all kinds, handlers, and code that is missing.

use fastrand::Rng;
use std::fmt::Write;

/// How many classes of each sort there are.
pub(crate) struct Shape {
    classes: usize,
    /// Of which classes there are no objects.
    is_abstract: Vec<bool>,
    interfaces: usize,
    /// Whether nothing that is called is missing.
    is_whole: bool,
    errors: usize,
    statics: usize,
}

/// A random program. It begins at `Main.main()`.
pub(crate) fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let classes = rng.usize(1..5);
    let shape = Shape {
        classes,
        is_abstract: (0..classes).map(|i| i > 0 && rng.u8(..5) == 0).collect(),
        interfaces: rng.usize(0..3),
        is_whole: rng.bool(),
        errors: rng.usize(1..5),
        statics: rng.usize(1..5),
    };
    let mut text = String::new();
    for i in 0..shape.interfaces {
        let extends = if i > 0 && rng.bool() { " implements I0" } else { "" };
        writeln!(text, "interface I{i}{extends} public {{").expect("text");
        if rng.bool() {
            writeln!(text, "  abstract procedure m0() : void public").expect("text");
        } else {
            text += &procedure(&mut rng, &shape, "m0", &format!("I{i}"), false);
        }
        text += "}\n";
    }
    for i in 0..shape.errors {
        let over = if i > 0 && rng.bool() { Some(rng.usize(..i)) } else { None };
        let over = over.map_or_else(
            || {
                ["java.lang.Exception", "java.lang.RuntimeException", "lost.Failure"]
                    [rng.usize(..3)]
                .to_owned()
            },
            |it| format!("E{it}"),
        );
        writeln!(text, "class E{i} extends {over} public {{\n}}").expect("text");
    }
    for i in 0..shape.classes {
        let over = if i > 0 && rng.u8(..3) > 0 {
            format!("C{}", rng.usize(..i))
        } else {
            "java.lang.Object".to_owned()
        };
        let implements = match shape.interfaces {
            0 => String::new(),
            n if rng.bool() => format!(" implements I{}", rng.usize(..n)),
            _ => String::new(),
        };
        let kind = if shape.is_abstract[i] { "abstract class" } else { "class" };
        writeln!(text, "{kind} C{i} extends {over}{implements} public {{\n  static field s : i32\n  field f : i32")
            .expect("text");
        if i == 0 || rng.bool() {
            text += &procedure(&mut rng, &shape, "m0", &format!("C{i}"), false);
        }
        if i == 0 || rng.bool() {
            text += &procedure(&mut rng, &shape, "m1", &format!("C{i}"), false);
        }
        if rng.u8(..3) == 0 {
            text += &procedure(&mut rng, &shape, "toString", &format!("C{i}"), false);
        }
        if rng.u8(..3) == 0 {
            text += &procedure(&mut rng, &shape, "<clinit>", &format!("C{i}"), true);
        }
        text += "}\n";
    }
    writeln!(text, "class Main extends java.lang.Object public {{").expect("text");
    text += &procedure(&mut rng, &shape, "main", "Main", true);
    for i in 0..shape.statics {
        text += &procedure(&mut rng, &shape, &format!("s{i}"), "Main", true);
    }
    text += "  static procedure event() : void public {\n    b0 { return @ 1:0 }\n  }\n}\n";
    text
}

/// Variables: v0 is the receiver or nothing, v1 a C0, v2 an object, v3 something thrown.
fn procedure(rng: &mut Rng, shape: &Shape, name: &str, class: &str, is_static: bool) -> String {
    let mut text = String::new();
    let (lead, first) = if is_static { ("static ", "var") } else { ("", "param") };
    writeln!(text, "  {lead}procedure {name}() : void public file \"P.java\" {{").expect("text");
    writeln!(text, "    {first} v0 : {class}\n    var v1 : C0\n    var v2 : unknown\n    var v3 : java.lang.Throwable")
        .expect("text");
    let blocks = rng.usize(1..5);
    let mut offset = 0;
    for b in 0..blocks {
        let mut catches = Vec::new();
        for _ in 0..[0, 1, 1, 2][rng.usize(..4)] {
            let class = match rng.u8(..5) {
                0 => "any".to_owned(),
                1 => "java.lang.RuntimeException".to_owned(),
                2 => "lost.Failure".to_owned(),
                _ => format!("E{}", rng.usize(..shape.errors)),
            };
            catches.push(format!("{class} v3 b{}", rng.usize(..blocks)));
        }
        // What comes up to the beginning is seen there.
        if name == "main" {
            catches.push(format!("any v3 b{}", rng.usize(..blocks)));
        }
        let catches = if catches.is_empty() {
            String::new()
        } else {
            format!(" catch {}", catches.join(", "))
        };
        writeln!(text, "    b{b}{catches} {{").expect("text");
        for _ in 0..rng.usize(0..4) {
            writeln!(text, "      {} @ {}:{offset}", statement(rng, shape), b + 1).expect("text");
            offset += 1;
        }
        let target = |rng: &mut Rng| rng.usize(..blocks);
        let jump = match rng.u8(..10) {
            0 | 1 => format!("goto b{}", target(rng)),
            2 | 3 => format!("if v2 == null then b{} else b{}", target(rng), target(rng)),
            4 => format!("switch v2 1 b{}, 2 b{}, else b{}", target(rng), target(rng), target(rng)),
            5..=7 => "throw v3".to_owned(),
            _ => "return".to_owned(),
        };
        writeln!(text, "      {jump} @ {}:{offset}\n    }}", b + 1).expect("text");
        offset += 1;
    }
    text += "  }\n";
    text
}

fn statement(rng: &mut Rng, shape: &Shape) -> String {
    let class = rng.usize(..shape.classes);
    match rng.u8(..18) {
        0 if !shape.is_abstract[class] => format!("v2 = new C{class}"),
        1 => "v1 = new C0".to_owned(),
        2 | 3 | 16 => format!("v3 = new E{}", rng.usize(..shape.errors)),
        4 => "v2 = v1".to_owned(),
        5 => format!("v2 = C{class}::s : i32"),
        6 => format!("C{class}::s : i32 = 1"),
        7 => "v1.C0::f : i32 = 2".to_owned(),
        8 | 17 => format!("call static Main::s{}() : void ()", rng.usize(..shape.statics)),
        9 => "call static Main::event() : void ()".to_owned(),
        10 => "call virtual C0::m1() : void (v1)".to_owned(),
        11 => format!("call virtual C{class}::m0() : void (v2)"),
        12 if shape.interfaces > 0 => {
            format!("call virtual I{}::m0() : void (v2)", rng.usize(..shape.interfaces))
        }
        13 if !shape.is_whole => "call virtual java.lang.Object::toString() : void (v2)".to_owned(),
        14 if !shape.is_whole => "call static lost.Library::work() : void ()".to_owned(),
        _ => "call exact C0::m0() : void (v1)".to_owned(),
    }
}
