//! A parameter stands for the argument of the call.

use crate::machines::{machine, read};
use std::fmt::Write;
use tern_program::control::Options;

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
