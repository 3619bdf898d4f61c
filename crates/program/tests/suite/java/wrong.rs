//! Inputs that cannot be read: each gives its code, and nothing worse.

use super::assemble;
use super::tools::{compile, tool};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tern_front::Refusal;
use tern_model::Budget;
use tern_program::java::{CODES, Options, Reading, read};
use zip::write::SimpleFileOptions;

fn attempt(inputs: &[PathBuf]) -> Result<Reading, Vec<&'static str>> {
    let read = read(inputs, &Options::default(), &Budget::unlimited());
    read.map_err(|refusal| match refusal {
        Refusal::Problems(problems) => problems.iter().map(|problem| problem.code).collect(),
        Refusal::Limit(limit) => panic!("{limit}"),
    })
}

fn codes(inputs: &[PathBuf]) -> Vec<&'static str> {
    attempt(inputs).map(|_| ()).expect_err("this cannot be read")
}

fn file(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).expect("the folder can be written");
    path
}

fn archive(folder: &Path, name: &str, members: &[(&str, &[u8])]) -> PathBuf {
    let path = folder.join(name);
    let mut zip = zip::ZipWriter::new(fs::File::create(&path).expect("a file"));
    for (member, content) in members {
        zip.start_file(*member, SimpleFileOptions::default()).expect("a member");
        zip.write_all(content).expect("its content");
    }
    zip.finish().expect("an archive");
    path
}

#[test]
fn each_mistake_has_its_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    assert_eq!(codes(&[root.join("missing.jar")]), ["J001"]);
    assert_eq!(codes(&[file(root, "notes.txt", b"hello")]), ["J002"]);
    assert_eq!(codes(&[file(root, "empty.class", b"")]), ["J003"]);
    assert_eq!(codes(&[file(root, "cut.class", b"\xCA\xFE\xBA\xBE\0\0")]), ["J003"]);
    assert_eq!(codes(&[file(root, "bad.jar", b"hello")]), ["J004"]);
    assert_eq!(codes(&[file(root, "cut.jar", b"PK\x03\x04hello")]), ["J004"]);
    assert_eq!(codes(&[file(root, "modules", b"\xDA\xDA\xFE\xCA\0\0")]), ["J006"]);
    let mut header = vec![0; 28];
    header[..4].copy_from_slice(&0xCAFE_DADA_u32.to_le_bytes());
    header[6] = 1;
    assert_eq!(codes(&[file(root, "image", &header)]), ["J009"]);
    assert_eq!(codes(&[format!("{}/image:java.base", root.display()).into()]), ["J010"]);
    header[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(codes(&[file(root, "image", &header)]), ["J006"]);
    assert_eq!(codes(&[archive(root, "none.jar", &[("a.txt", b"")])]), ["J009"]);
    // All at once.
    assert_eq!(codes(&[root.join("missing.jar"), root.join("bad.jar")]), ["J001", "J004"]);
}

#[test]
fn a_manifest_names_more_archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let manifest = |names: &str| format!("Manifest-Version: 1.0\nClass-Path: {names}\n");
    let archive_of = |name: &str, class: &str, names: &str| {
        let members = [
            ("META-INF/MANIFEST.MF", manifest(names).into_bytes()),
            (&*format!("{class}.class"), assemble::class(class, &[])),
        ];
        let members: Vec<(&str, &[u8])> =
            members.iter().map(|(name, content)| (*name, content.as_slice())).collect();
        archive(root, name, &members)
    };
    // In circles, and what is not there or damaged does no harm.
    let main = archive_of("main.jar", "A", "one.jar absent.jar broken.jar");
    archive_of("one.jar", "B", "two.jar main.jar");
    archive_of("two.jar", "C", "one.jar");
    file(root, "broken.jar", b"PK\x03\x04hello");
    let reading = attempt(&[main]).expect("it can be read");
    let program = &reading.program;
    let names = program.classes().as_slice().iter().map(|class| program.text(class.name));
    assert_eq!(names.collect::<Vec<_>>(), ["A", "B", "C"]);
    assert_eq!(tern_model::index::Id::index(reading.library), 1);
    let codes: Vec<&str> = reading.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["J102"]);
}

#[test]
fn archives_whose_members_overlap_are_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let zeros = vec![0; 8 << 20];
    let path = archive(folder.path(), "one.jar", &[("a.class", &zeros)]);
    let one = fs::read(path).expect("an archive");
    let directory = one.windows(4).rposition(|four| four == b"PK\x01\x02").expect("a directory");
    let end = one.windows(4).rposition(|four| four == b"PK\x05\x06").expect("an end");
    // The same member, by hundreds of names.
    let (mut many, mut count) = (one[..directory].to_vec(), 0u16);
    for name in 0..400u16 {
        let mut entry = one[directory..end].to_vec();
        entry[46] = b'a' + (name % 26) as u8;
        entry[28..30].copy_from_slice(&9u16.to_le_bytes());
        entry.splice(47..47, [b'0' + (name / 260) as u8, b'0' + (name / 26 % 10) as u8]);
        many.extend(entry);
        count += 1;
    }
    let size = many.len() - directory;
    let mut tail = one[end..].to_vec();
    tail[8..10].copy_from_slice(&count.to_le_bytes());
    tail[10..12].copy_from_slice(&count.to_le_bytes());
    tail[12..16].copy_from_slice(&(size as u32).to_le_bytes());
    many.extend(tail);
    let path = file(folder.path(), "many.jar", &many);
    assert_eq!(codes(&[path]), ["J005"]);
}

#[test]
fn sources_are_compiled_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = file(folder.path(), "Good.java", b"class Good { int m() { return 1; } }");
    let bad = file(folder.path(), "Bad.java", b"class Bad { int m() { return true; } }");
    if tool("javac").is_none() {
        assert_eq!(codes(&[good]), ["J007"]);
        return;
    }
    let reading = attempt(&[good]).expect("this is fine");
    assert_eq!(reading.report.methods, 2);
    assert_eq!(codes(&[bad]), ["J008"]);
}

#[test]
fn what_comes_twice_or_is_damaged_is_left_out_with_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    if !compile(root, &[("A.java", "class A { int m() { return 1; } }")], &[]) {
        return;
    }
    let class = fs::read(root.join("A.class")).expect("a class");
    let mut newer = class.clone();
    newer[7] = 200;
    let members: &[(&str, &[u8])] =
        &[("A.class", &newer), ("B.class", &class), ("C.class", &class[..40]), ("D.class", b"")];
    let path = archive(root, "all.jar", members);
    let reading = attempt(&[path]).expect("one class is fine");
    assert_eq!((reading.report.classes, reading.report.methods), (1, 2));
    let codes: Vec<_> = reading.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["J101", "J102", "J103"]);
    assert!(reading.warnings[1].to_string().contains("all.jar:C.class"));
}

#[test]
fn multi_release_archives_are_read_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let old = "class A { int old() { return 1; } }";
    if !compile(root, &[("A.java", old)], &[]) {
        return;
    }
    let old = fs::read(root.join("A.class")).expect("a class");
    compile(root, &[("A.java", "class A { int young() { return 2; } }")], &[]);
    let young = fs::read(root.join("A.class")).expect("a class");
    let members: &[(&str, &[u8])] = &[
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n"),
        ("META-INF/versions/11/A.class", &young),
        ("A.class", &old),
        ("META-INF/services/a.Service", b"# who\nA # one\n\nB\n"),
    ];
    let path = archive(root, "multi.jar", members);
    for (release, method) in [(None, "old"), (Some(9), "old"), (Some(17), "young")] {
        let options = Options { release, ..Options::default() };
        let reading = read(std::slice::from_ref(&path), &options, &Budget::unlimited());
        let reading = reading.expect("this is fine");
        let warned = reading.warnings.iter().map(|warning| (warning.code, warning.to_string()));
        let warned: Vec<(&str, String)> = warned.collect();
        match release {
            None => {
                assert_eq!((warned.len(), warned[0].0), (1, "J104"));
                assert!(warned[0].1.contains("1 classes"), "{}", warned[0].1);
            }
            Some(_) => assert!(warned.is_empty(), "{warned:?}"),
        }
        assert_eq!(reading.report.classes, 1);
        assert!(reading.program.find_name(method).is_some(), "{release:?}");
        let provided = reading.services.iter().map(|&(service, provider)| {
            (reading.program.text(service), reading.program.text(provider))
        });
        assert!(provided.eq([("a.Service", "A"), ("a.Service", "B")]));
    }
}

#[test]
fn the_guide_names_every_code() {
    let page = include_str!("../../../../../docs/java.md");
    for (code, meaning) in CODES {
        assert!(page.contains(&format!("| `{code}` | {meaning} |")), "{code}");
    }
}
