//! How the command is linked.
//!
//! Where programs may be put anywhere in memory, all addresses in their data are written when they
//! are started: with tables for as many formats, engines and messages as here, that takes longer
//! than to decide a small claim. So the command has one place.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let is_linux = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    let is_static = of("CARGO_CFG_TARGET_FEATURE").split(',').any(|it| it == "crt-static");
    if is_linux && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
