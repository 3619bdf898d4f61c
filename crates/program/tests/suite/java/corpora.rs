//! Everything that is at hand: the classes of installed JDKs, and archives of the system.
//!
//! A few modules by default; `TERN_PAIRS=1` reads all of every image below `/usr/lib/jvm` and every
//! archive of `/usr/share/java`, and says what that took.

use super::tools::{check, reading, setting};
use std::path::PathBuf;
use std::time::Instant;

fn images() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut images: Vec<PathBuf> =
        entries.filter_map(|entry| entry.path().join("lib/modules").canonicalize().ok()).collect();
    images.sort();
    images.dedup();
    if images.is_empty() {
        println!("skipped: there is no JDK below /usr/lib/jvm");
    }
    images
}

fn read_one(input: PathBuf) {
    let start = Instant::now();
    let name = input.display().to_string();
    let reading = reading(&[input]);
    check(&reading);
    let report = &reading.report;
    println!(
        "{name}: {} classes, {} methods, {} instructions, {} stubs, {:.2?}",
        report.classes,
        report.methods,
        report.instructions,
        report.stubs.len(),
        start.elapsed()
    );
    for stub in report.stubs.iter().take(5) {
        println!("  {}: {}", reading.program.title(stub.procedure), stub.reason);
    }
    assert_eq!(report.stubs.len(), 0, "compilers make no code that cannot be lowered");
}

#[test]
fn every_class_of_a_jdk_is_lowered() {
    let all = setting("TERN_PAIRS", 0) > 0;
    for image in images() {
        match all {
            true => read_one(image),
            false => ["java.logging", "java.prefs"]
                .into_iter()
                .for_each(|module| read_one(format!("{}:{module}", image.display()).into())),
        }
    }
}

#[test]
fn archives_of_the_system_are_lowered() {
    let most = if setting("TERN_PAIRS", 0) > 0 { usize::MAX } else { 3 };
    let entries = std::fs::read_dir("/usr/share/java").into_iter().flatten().flatten();
    let mut archives: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jar") && !path.is_symlink())
        .collect();
    archives.sort();
    if archives.is_empty() {
        println!("skipped: there are no archives in /usr/share/java");
    }
    let has_classes = |path: &PathBuf| {
        let file = std::fs::File::open(path).expect("it can be read");
        let archive = zip::ZipArchive::new(file).expect("an archive");
        let mut names = archive.file_names().flatten();
        names.any(|name| name.ends_with(".class") && !name.contains("-info"))
    };
    archives.into_iter().filter(has_classes).take(most).for_each(read_one);
}
