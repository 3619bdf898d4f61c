//! What of a class becomes what of the program.

use super::tools::{compile, reading};

const SAMPLE: &str = r#"
import java.util.function.*;
public class Sample {
    int n; static int s;
    int add(int k) { try { n += k; s++; return n; } finally { s--; } }
    synchronized long longest(long a, int b) { return a > b ? a : b; }
    static Function<Integer, Integer> adder(int y) { return x -> x + y; }
    static Supplier<Sample> maker() { return Sample::new; }
    public static void main(String[] args) {
        int[][] a = new int[3][4];
        int i = 0;
        a[0][i++] = i++ + ++i;
        System.out.println(adder(3).apply(4) + a[0][0]);
    }
    native void elsewhere();
}
"#;

#[test]
fn a_sample_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    if !compile(folder.path(), &[("Sample.java", SAMPLE)], &[]) {
        return;
    }
    let reading = reading(&[folder.path().join("Sample.class")]);
    let report = &reading.report;
    assert_eq!((report.classes, report.lambdas, report.native), (1, 2, 1));
    assert_eq!(report.stubs, []);
    let text = tern_ir::print::print(&reading.program);
    for part in [
        "param v1 k : i32",
        "v1 = new i32[3][4]",
        "enter v0",
        "class Sample$$Lambda$1 extends java.lang.Object implements java.util.function.Function",
        "call exact Sample::<init>() : void (v1)",
        "extern procedure elsewhere() : void",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

const LAMBDAS: &str = r#"
import java.io.Serializable;
interface General<T> { void take(T value); }
interface Special extends General<String> { void take(String value); }
class Lambdas {
    private int field;
    Special bridged() { return value -> {}; }
    Runnable marked() { return (Runnable & Serializable & Cloneable) () -> field++; }
    java.util.function.IntFunction<int[]> arrays() { return int[]::new; }
    java.util.function.Function<String, Integer> unbound() { return String::length; }
    java.util.function.ToIntFunction<String> bound(String text) { return text::compareTo; }
}
"#;

#[test]
fn lambdas_of_all_kinds_become_classes() {
    let folder = tempfile::tempdir().expect("a folder");
    if !compile(folder.path(), &[("Lambdas.java", LAMBDAS)], &[]) {
        return;
    }
    let reading = reading(&[folder.path().to_owned()]);
    let text = tern_ir::print::print(&reading.program);
    assert_eq!(reading.report.lambdas, 5, "and one more for deserialisation\n{text}");
    for part in [
        "procedure take(java.lang.String) : void",
        "procedure take(java.lang.Object) : void",
        "implements java.lang.Runnable, java.io.Serializable, java.lang.Cloneable",
        "call virtual java.lang.String::\"length\"() : i32 (v1)",
        "call virtual java.lang.String::compareTo(java.lang.String) : i32 (v2, v1)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(reading.report.omissions, []);
}

const SCOPES: &str = r#"
class Scopes {
    static int m(int p, String... rest) {
        int sum = 0;
        for (int i = 0; i < 3; i++) sum += i;
        for (int i = 5; i > 0; i--) sum -= i;
        if (sum > p) { long wide = sum; p = (int) wide; } else { String other = "" + sum; p = other.length(); }
        p = p + 1;
        Object shared;
        if (p > 2) shared = rest; else shared = rest[0];
        return p + shared.hashCode();
    }
}
"#;

#[test]
fn variables_are_those_of_the_source() {
    let folder = tempfile::tempdir().expect("a folder");
    if !compile(folder.path(), &[("Scopes.java", SCOPES)], &[]) {
        return;
    }
    let reading = reading(&[folder.path().join("Scopes.class")]);
    let program = &reading.program;
    let named = |name: &str| program.find_name(name).expect("the name");
    let is_m = |p: &&tern_ir::Procedure| program.selectors()[p.selector].name == named("m");
    let procedure = program.procedures().as_slice().iter().find(is_m).expect("the method");
    let body = procedure.body.as_ref().expect("its code");
    let variables = body.variables.as_slice().iter().filter_map(|variable| variable.name);
    let mut names: Vec<&str> = variables.map(|name| program.text(name)).collect();
    assert_eq!(names[..2], ["p", "rest"]);
    names.sort_unstable();
    assert_eq!(names, ["i", "i", "other", "p", "rest", "shared", "sum", "wide"]);
    let lines: Vec<u32> = body.places.iter().map(|place| place.line).collect();
    assert_eq!(lines.first(), Some(&4));
    assert!((4..=11).all(|line| line == 9 || lines.contains(&line)), "{lines:?}");
}

const LEAVES: &str = r#"
record Pair(int one, String two) {}
class Leaves {
    String text(int x, Object y) { return "x is " + x + ", y is " + y; }
}
"#;

#[test]
fn calls_of_known_bootstrap_methods_are_leaves() {
    let folder = tempfile::tempdir().expect("a folder");
    if !compile(folder.path(), &[("Leaves.java", LEAVES)], &[]) {
        return;
    }
    let reading = reading(&[folder.path().to_owned()]);
    let text = tern_ir::print::print(&reading.program);
    let concat = "java.lang.invoke.StringConcatFactory::makeConcatWithConstants(i32, java.lang.";
    assert!(text.contains(concat), "{text}");
    assert!(text.contains("java.lang.runtime.ObjectMethods::bootstrap(Pair) : i32"), "{text}");
    assert_eq!((reading.report.omissions.len(), reading.report.lambdas), (0, 0));
}
