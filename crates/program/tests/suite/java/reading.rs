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
