//! What is called by reflection, by handles and by hooks, and when classes are initialised.

use crate::machines::{machine, read};
use tern_certify::oracle::exact;
use tern_model::{Formula, FormulaId, Formulas};
use tern_program::control::Options;

/// `Main` with a body, and other classes.
pub(crate) fn program(variables: &str, body: &str, others: &str) -> String {
    format!(
        "class Main extends java.lang.Object public {{\n  static procedure main() : void public {{\n\
         {variables}\n    b0 {{\n{body}\n      return @ 9:9\n    }}\n  }}\n  \
         static procedure e() : void public {{\n    b0 {{ return @ 1:0 }}\n  }}\n}}\n{others}"
    )
}

/// A procedure that only comes by the event.
pub(crate) fn eventful(lead: &str, name: &str) -> String {
    format!(
        "  {lead}procedure {name} {{\n    b0 {{\n      call static Main::e() : void () @ 3:0\n      \
         return @ 4:1\n    }}\n  }}\n"
    )
}

pub(crate) fn decide(
    text: &str,
    label: &str,
    make: impl Fn(&mut Formulas, FormulaId) -> FormulaId,
) -> bool {
    let machine = machine(&mut read(text), &[label], Options::default());
    let mut formulas = Formulas::new();
    let atom = formulas.atom(label);
    let claim = make(&mut formulas, atom);
    exact::check(&machine, &formulas, claim, 200_000).expect("a small machine")
}

/// Whether an event may happen.
pub(crate) fn may(text: &str, label: &str) -> bool {
    decide(text, label, |formulas, atom| {
        let path = formulas.make(Formula::Finally(atom));
        formulas.make(Formula::Exists(path))
    })
}

/// Whether the event may happen, and then once more.
fn may_twice(text: &str) -> bool {
    decide(text, "enter(\"Main.e\")", |formulas, atom| {
        let again = formulas.make(Formula::Finally(atom));
        let again = formulas.make(Formula::Exists(again));
        let next = formulas.make(Formula::Next(again));
        let next = formulas.make(Formula::Exists(next));
        let both = formulas.make(Formula::And(atom, next));
        let path = formulas.make(Formula::Finally(both));
        formulas.make(Formula::Exists(path))
    })
}

const FOR_NAME: &str = "call static java.lang.Class::forName(java.lang.String) : java.lang.Class";

#[test]
fn a_name_that_is_passed_on_is_found() {
    let find = "class Finder extends java.lang.Object public {\n  static procedure find(java.lang.String) : \
                void public {\n    param v0 : java.lang.String\n    var v1 : unknown\n    b0 {\n      v1 = ";
    let find = format!("{find}{FOR_NAME} (v0) @ 5:0\n      return @ 5:1\n    }}\n  }}\n}}\n");
    let begin = eventful("static ", "<clinit>() : void");
    let others = format!("{find}class Hidden extends java.lang.Object public {{\n{begin}}}\n");
    let call = |name: &str| {
        format!("      call static Finder::find(java.lang.String) : void (text \"{name}\") @ 1:0")
    };
    assert!(may(&program("", &call("Hidden"), &others), "enter(\"Main.e\")"));
    assert!(!may(&program("", &call("Other"), &others), "enter(\"Main.e\")"));
}

#[test]
fn initialisers_of_a_class_and_of_what_is_above_run_one_after_another() {
    let begin = eventful("static ", "<clinit>() : void");
    let others = format!(
        "class Above extends java.lang.Object public {{\n{begin}}}\nclass Below extends Above public {{\n\
         {begin}}}\n"
    );
    let body = format!("      v0 = {FOR_NAME} (text \"Below\") @ 1:0");
    assert!(may_twice(&program("    var v0 : unknown", &body, &others)));
}

#[test]
fn a_method_that_is_named_is_selected_by_the_object() {
    let invoke = |class: &str, name: &str, object: &str| {
        let types = "java.lang.Object, java.lang.Object[]";
        format!(
            "      v0 = new {object} @ 1:0\n      v1 = call virtual java.lang.Class::getMethod(\
             java.lang.String) : java.lang.reflect.Method (class {class}, text \"{name}\") @ 1:1\n      \
             call virtual java.lang.reflect.Method::invoke({types}) : java.lang.Object (v1, v0, null) @ 1:2"
        )
    };
    let own = eventful("", "m() : void public");
    let own = own.replacen("{\n", "{\n    param v0 : unknown\n", 1);
    let empty =
        "  procedure m() : void public {\n    param v0 : unknown\n    b0 { return @ 1:0 }\n  }\n";
    let others = format!(
        "class A extends java.lang.Object public {{\n{empty}}}\nclass B extends A public {{\n{own}}}\n\
         class C extends A public {{\n}}\n"
    );
    let vars = "    var v0 : unknown\n    var v1 : unknown";
    assert!(may(&program(vars, &invoke("A", "m", "B"), &others), "enter(\"B.m\")"));
    assert!(!may(&program(vars, &invoke("A", "m", "C"), &others), "enter(\"B.m\")"));
    assert!(may(&program(vars, &invoke("C", "m", "C"), &others), "enter(\"A.m\")"));
    assert!(!may(&program(vars, &invoke("A", "n", "B"), &others), "enter(\"B.m\")"));
}

#[test]
fn hooks_are_called_for_objects_that_are_written() {
    let hook = eventful("", "writeObject(java.io.ObjectOutputStream) : void private");
    let hook = hook.replacen(
        "{\n",
        "{\n    param v0 : unknown\n    param v1 : java.io.ObjectOutputStream\n",
        1,
    );
    let class =
        |above: &str| format!("class S extends java.lang.Object{above} public {{\n{hook}}}\n");
    let body = "      v0 = new S @ 1:0\n      call virtual java.io.ObjectOutputStream::writeObject(\
                java.lang.Object) : void (v1, v0) @ 1:1";
    let vars = "    var v0 : unknown\n    var v1 : unknown";
    let text = program(vars, body, &class(" implements java.io.Serializable"));
    assert!(may(&text, "enter(\"S.writeObject\")") && may_twice(&text));
    assert!(!may(&program(vars, body, &class("")), "enter(\"S.writeObject\")"));
}

#[test]
fn an_initialiser_does_not_run_in_code_of_its_class() {
    let class = |user: &str| {
        format!(
            "class L extends java.lang.Object public {{\n  static field s : i32\n  static procedure \
             <clinit>() : void {{\n    b0 {{\n      call static Main::e() : void () @ 3:0\n      L::s : \
             i32 = 1 @ 3:1\n      call static {user}::go() : void () @ 3:2\n      return @ 4:3\n    \
             }}\n  }}\n  static procedure go() : void public {{\n    b0 {{\n      L::s : i32 = 2 @ 5:0\n      \
             return @ 5:1\n    }}\n  }}\n}}\nclass U extends java.lang.Object public {{\n  static procedure \
             go() : void public {{\n    b0 {{\n      L::s : i32 = 2 @ 5:0\n      return @ 5:1\n    }}\n  \
             }}\n}}\n"
        )
    };
    let body = "      L::s : i32 = 3 @ 1:0";
    assert!(!may_twice(&program("", body, &class("L"))));
    // Code of another class may be the first to use it, as far as control flow says.
    assert!(may_twice(&program("", body, &class("U"))));
}
