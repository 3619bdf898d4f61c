//! Programs as text: what is read prints as the same text, and what is wrong is found.

use crate::random;
use tern_front::Source;
use tern_ir::print::print;
use tern_program::text;
use tern_testkit::setting;

fn read_back(text: &str) -> String {
    let source = Source::new("p.ir", text);
    match text::read(&source) {
        Ok(program) => print(&program),
        Err(problems) => panic!("{problems:?}\n{text}"),
    }
}

#[test]
fn every_statement_is_read_back() {
    let text = r#"abstract class a.B extends "v0.C" implements I, "field" protected final file "x\"y.java" {
  field n : i32
  static field "v1" : a.B[][]
  procedure <init>() : void private file "B.java" {
    param v0 this : a.B
    var v1 "goto" : unknown
    var v2 : f64
    b0 catch a.E v1 b1, any v1 b2 {
      v1 = v0 @ 12:1
      v1 = -3
      v1 = - v1
      v1 = - -3
      v1 = ~ 4
      v1 = convert v2
      v1 = v1 <=> -1
      v1 = v1 >>> 2
      v1 = v1 >> 2
      v1 = v1 << v2
      v1 = v1 - 2
      v1 = new a.B
      v1 = new i32[v1][2]
      v1 = new a.B[][v1]
      v1 = v0.a.B::n : i32
      v1 = a.B::"v1" : a.B[][]
      v1 = null.a.B::n : i32
      v1 = (class a.B).a.B::n : i32
      v0.a.B::n : i32 = text "a\nb\u{301}"
      a.B::n : i32 = any
      v1 = v1[v2]
      v1[0] = float 4607182418800017408
      v1 = length v1
      v1 = cast v1 a.B[]
      v1 = v1 instanceof "i32"
      v1 = class u16[]
      enter v0 @ 3:4
      leave v0
      call exact java.lang.Object::<init>() : void (v0) @ 0:7
      v1 = call virtual I::"new"(i32, a.B) : boolean (v0, 1, null)
      if v1 < v2 then b1 else b2 @ 13:4
    }
    b1 {
      switch v1 -1 b0, 3 b1, else b2
    }
    b2 {
      return
    }
  }
  static abstract procedure f() : i64 public
  extern procedure g() : void
}
interface I {
}
static procedure main() : i32 {
  b0 {
    throw null
  }
}
"#;
    assert_eq!(read_back(text), text);
}

#[test]
fn random_programs_are_read_back() {
    let seed = setting("TERN_SEED", 1);
    for i in 0..setting("TERN_PAIRS", 200) {
        let text = random::program(seed + i);
        let once = read_back(&text);
        assert_eq!(read_back(&once), once, "seed {}", seed + i);
    }
}

#[test]
fn all_mistakes_are_found_at_once() {
    let text = "class A {\n  procedure f() : void {\n    b0 { goto 1 }\n  }\n  procedure g() : void {\n    \
                b0 { v1 = }\n  }\n}\nclas B {\n}\n";
    let problems = text::read(&Source::new("p.ir", text)).expect_err("it is wrong");
    let lines: Vec<usize> = problems
        .iter()
        .map(|it| {
            let at = it.at.as_ref().expect("a place").span.start as usize;
            text[..at].matches('\n').count() + 1
        })
        .collect();
    assert_eq!(lines, [3, 6, 9], "{problems:?}");
    assert!(problems.iter().all(|it| it.code == "N001"));
    let text = "procedure f() : void {\n  b0 { goto b7 }\n}\n";
    let problems = text::read(&Source::new("p.ir", text)).expect_err("it is wrong");
    assert_eq!(problems[0].code, "N002");
    let problems = text::read(&Source::new("p.ir", *b"\xFF")).expect_err("it is no text");
    assert_eq!(problems[0].code, "N003");
}

#[test]
fn damaged_texts_never_panic() {
    let seed = setting("TERN_SEED", 1);
    for i in 0..setting("TERN_PAIRS", 300) {
        let mut rng = fastrand::Rng::with_seed(seed + i);
        let mut text = random::program(seed + i).into_bytes();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..text.len());
            match rng.u8(..3) {
                0 => text[at] = rng.u8(..),
                1 => text.truncate(at + 1),
                _ => {
                    text.remove(at);
                }
            }
            if text.is_empty() {
                text.push(b'x');
            }
        }
        let _ = text::read(&Source::new("p.ir", text));
    }
}
