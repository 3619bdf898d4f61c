//! Resolution and selection against a reading of the rules that walks all classes each time, on
//! random hierarchies in which nothing is missing.

use fastrand::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;
use tern_front::Source;
use tern_ir::{ClassKind, Dispatch, ProcId, Program};
use tern_model::Budget;
use tern_program::calls::{Calls, Hierarchy, Lookup, Start, World};
use tern_program::text;
use tern_testkit::setting;

/// A program of classes and interfaces in two packages, each with `m` or not, and calls of them.
fn random(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = "class java.lang.Object public {\n}\n".to_owned();
    let interfaces = rng.usize(0..5);
    let classes = rng.usize(1..6);
    let method = |rng: &mut Rng, is_interface: bool| match rng.u8(..6) {
        0 => "  abstract procedure m() : void public\n".to_owned(),
        1 if !is_interface => method_with(["private", "", "protected"][rng.usize(..3)]),
        1 | 2 => method_with("public"),
        3 if is_interface => method_with("private"),
        3 => "  static procedure m() : void public {\n    b0 { return }\n  }\n".to_owned(),
        _ => String::new(),
    };
    let package = |rng: &mut Rng| ["p", "q"][rng.usize(..2)];
    let mut names: Vec<String> = Vec::new();
    for i in 0..interfaces {
        let name = format!("{}.I{i}", package(&mut rng));
        let above: Vec<&str> =
            names.iter().filter(|_| rng.u8(..3) == 0).map(String::as_str).collect();
        let above = if above.is_empty() {
            String::new()
        } else {
            format!(" implements {}", above.join(", "))
        };
        writeln!(text, "interface {name}{above} public {{\n{}}}", method(&mut rng, true))
            .expect("text");
        names.push(name);
    }
    let mut own: Vec<String> = Vec::new();
    for i in 0..classes {
        let name = format!("{}.C{i}", package(&mut rng));
        let over = if i > 0 && rng.bool() {
            own[rng.usize(..i)].clone()
        } else {
            "java.lang.Object".to_owned()
        };
        let above: Vec<&str> =
            names.iter().filter(|_| rng.u8(..3) == 0).map(String::as_str).collect();
        let above = if above.is_empty() {
            String::new()
        } else {
            format!(" implements {}", above.join(", "))
        };
        let kind = if rng.u8(..4) == 0 { "abstract class" } else { "class" };
        writeln!(
            text,
            "{kind} {name} extends {over}{above} public {{\n{}}}",
            method(&mut rng, false)
        )
        .expect("text");
        own.push(name);
    }
    writeln!(text, "class Main extends java.lang.Object public {{\n  static procedure main() : void public {{\n    var v0 : unknown\n    b0 {{")
        .expect("text");
    for name in names.iter().chain(&own) {
        writeln!(text, "      call virtual {name}::m() : void (v0)").expect("text");
    }
    text += "      return\n    }\n  }\n}\n";
    text
}

fn method_with(access: &str) -> String {
    format!(
        "  procedure m() : void {access} {{\n    param v0 : unknown\n    b0 {{ return }}\n  }}\n"
    )
}

/// The rules once more, over names, with no tables.
struct Naive<'a>(&'a Program);

impl Naive<'_> {
    fn class(&self, name: &str) -> &tern_ir::Class {
        let name = self.0.find_name(name).expect("known");
        &self.0.classes()[self.0.find_class(name).expect("defined")]
    }

    fn own(&self, class: &str) -> Option<ProcId> {
        self.class(class).procedures.first().copied()
    }

    fn is(&self, id: ProcId, access: &str) -> bool {
        let procedure = &self.0.procedures()[id];
        match access {
            "static" => procedure.is_static,
            "abstract" => procedure.is_abstract,
            access => format!("{:?}", procedure.access).to_lowercase() == access,
        }
    }

    fn superclasses(&self, class: &str) -> Vec<String> {
        let mut list = vec![class.to_owned()];
        while let Some(over) = self.class(list.last().expect("one")).superclass {
            list.push(self.0.text(over).to_owned());
        }
        list
    }

    fn interfaces(&self, class: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for class in self.superclasses(class) {
            for &interface in &self.class(&class).interfaces {
                let interface = self.0.text(interface).to_owned();
                all.extend(self.interfaces(&interface));
                all.insert(interface);
            }
        }
        all
    }

    /// The maximally specific procedures of interfaces.
    fn specific(&self, class: &str) -> Vec<ProcId> {
        let mut all = self.interfaces(class);
        if self.class(class).kind == ClassKind::Interface {
            all.insert(class.to_owned());
        }
        let fits = |it: &&String| {
            self.own(it).is_some_and(|id| !self.is(id, "private") && !self.is(id, "static"))
        };
        let has: Vec<&String> = all.iter().filter(fits).collect();
        let below = |it: &String| has.iter().any(|other| self.interfaces(other).contains(it));
        has.iter().filter(|it| !below(it)).filter_map(|it| self.own(it)).collect()
    }

    fn resolve(&self, class: &str) -> Vec<ProcId> {
        for class in self.superclasses(class) {
            if let Some(own) = self.own(&class) {
                return vec![own];
            }
        }
        let specific = self.specific(class);
        let concrete: Vec<ProcId> =
            specific.iter().copied().filter(|&it| !self.is(it, "abstract")).collect();
        if concrete.len() == 1 { concrete } else { specific }
    }

    fn package(name: &str) -> &str {
        name.rsplit_once('.').map_or("", |(package, _)| package)
    }

    fn class_of(&self, id: ProcId) -> &str {
        let class = self.0.procedures()[id].class.expect("a class");
        self.0.text(self.0.classes()[class].name)
    }

    /// Whether `low` overrides `high` (JVMS 5.4.5).
    fn overrides(&self, class: &str, low: ProcId, high: ProcId) -> bool {
        if self.is(low, "private") || self.is(low, "static") {
            return false;
        }
        if low == high || self.is(high, "public") || self.is(high, "protected") {
            return true;
        }
        Naive::package(self.class_of(low)) == Naive::package(self.class_of(high))
            || self.superclasses(class).iter().filter_map(|it| self.own(it)).any(|middle| {
                let between = |id| self.superclasses(self.class_of(id));
                middle != low
                    && middle != high
                    && between(low).contains(&self.class_of(middle).to_owned())
                    && between(middle).contains(&self.class_of(high).to_owned())
                    && self.overrides(class, low, middle)
                    && self.overrides(class, middle, high)
            })
    }

    /// What may be run on objects of a class.
    fn select(&self, class: &str, resolved: ProcId) -> Vec<ProcId> {
        if self.is(resolved, "private") || self.is(resolved, "static") {
            return vec![resolved];
        }
        for class_above in self.superclasses(class) {
            if let Some(own) = self.own(&class_above)
                && self.overrides(class, own, resolved)
            {
                return vec![own];
            }
        }
        let specific = self.specific(class);
        let concrete: Vec<ProcId> =
            specific.iter().copied().filter(|&it| !self.is(it, "abstract")).collect();
        if concrete.len() == 1 { concrete } else { specific }
    }
}

#[test]
fn resolution_and_selection_follow_the_rules() {
    let seed = setting("TERN_SEED", 1);
    let (mut selected, mut by_interfaces) = (0, 0);
    for i in 0..setting("TERN_PAIRS", 300) {
        let text = random(seed + i);
        let mut program = text::read(&Source::new("h.ir", text.as_str())).expect("well-formed");
        let hierarchy = Hierarchy::new(&mut program);
        let (lookup, naive) =
            (Lookup { program: &program, hierarchy: &hierarchy }, Naive(&program));
        let m = program.name_of_m();
        for class in program.classes().as_slice().iter().map(|it| program.text(it.name)) {
            let kind = hierarchy.find(program.find_name(class).expect("known")).expect("a kind");
            if class == "Main" || class == "java.lang.Object" {
                continue;
            }
            let found = lookup.resolve(kind, m);
            assert!(!found.missing);
            let expected = naive.resolve(class);
            assert!(
                found.procedure.map_or(expected.is_empty(), |it| expected.contains(&it)),
                "seed {}, {class}: {found:?} and {expected:?}\n{text}",
                seed + i
            );
            let Some(resolved) = found.procedure else { continue };
            for below in hierarchy.below(kind) {
                let name = program.text(hierarchy.name(below));
                if !hierarchy.is_concrete(below) {
                    continue;
                }
                let found = lookup.select(below, resolved);
                let expected = naive.select(name, resolved);
                selected += 1;
                by_interfaces +=
                    usize::from(naive.superclasses(name).iter().all(|it| naive.own(it).is_none()));
                assert!(
                    found.procedure.map_or(expected.is_empty(), |it| expected.contains(&it)),
                    "seed {}, {class} on {name}: {found:?} and {expected:?}\n{text}",
                    seed + i
                );
            }
        }
    }
    assert!(selected > 300 && by_interfaces > 20, "{selected} {by_interfaces}");
}

trait NameOfM {
    fn name_of_m(&self) -> tern_ir::SelectorId;
}

impl NameOfM for Program {
    fn name_of_m(&self) -> tern_ir::SelectorId {
        let is_m = |it: &&tern_ir::SelectorId| self.text(self.selectors()[**it].name) == "m";
        *self.selectors().ids().collect::<Vec<_>>().iter().find(is_m).expect("it is called")
    }
}

#[test]
fn calls_have_the_targets_of_all_objects() {
    let seed = setting("TERN_SEED", 1);
    let mut targets = 0;
    for i in 0..setting("TERN_PAIRS", 300) {
        let text = random(seed + i);
        let mut program = text::read(&Source::new("h.ir", text.as_str())).expect("well-formed");
        let main = program.procedures().ids().last().expect("main is last");
        let start = Start {
            entries: &[main],
            world: World::Open,
            providers: &[],
            library: program.classes().next_id(),
        };
        let calls = Calls::find(&mut program, start, &Budget::unlimited()).expect("no limit");
        let naive = Naive(&program);
        for (_, reference) in calls.references().iter() {
            assert_eq!(reference.dispatch, Dispatch::Virtual);
            let class = program.text(reference.class);
            let Some(&resolved) = naive.resolve(class).first() else {
                assert!(reference.targets.is_empty());
                continue;
            };
            let mut expected = BTreeSet::new();
            for other in program.classes().as_slice() {
                let name = program.text(other.name);
                let is_below = naive.superclasses(name).iter().any(|it| it == class)
                    || naive.interfaces(name).contains(class);
                if other.kind == ClassKind::Concrete && is_below {
                    expected.extend(naive.select(name, reference.resolved.unwrap_or(resolved)));
                }
            }
            if naive.is(reference.resolved.unwrap_or(resolved), "private")
                || naive.is(reference.resolved.unwrap_or(resolved), "static")
            {
                expected.extend(reference.resolved);
            }
            expected.retain(|&it| !naive.is(it, "abstract"));
            let found: BTreeSet<ProcId> = reference.targets.iter().copied().collect();
            targets += found.len();
            // Of several that are equally specific one is taken.
            assert!(found.is_subset(&expected), "seed {}: {class}\n{text}", seed + i);
            let unclear = program
                .classes()
                .as_slice()
                .iter()
                .any(|it| naive.specific(program.text(it.name)).len() > 1);
            assert!(unclear || found == expected, "seed {}: {class}\n{text}", seed + i);
        }
    }
    assert!(targets > 200, "{targets}");
}
