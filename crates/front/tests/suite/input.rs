//! Opening files, compressed files and members of archives, and saying why that is not possible.

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use tern_front::input::{CODES, open, open_for};
use tern_front::{Format, Problem, Refusal, Source, rsm};
use tern_model::{Budget, Limit};

/// A directory of its own for each test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tern-input-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a scratch directory");
        Scratch(path)
    }

    /// Writes a file; says its path.
    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), content).expect("a scratch file");
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain path").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A directory left behind in the temporary directory harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(content).expect("memory");
    packer.finish().expect("memory")
}

fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("memory");
        writer.write_all(content).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

fn opened(path: &str) -> (String, String) {
    let source = open(path, &Budget::unlimited()).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    (source.name, String::from_utf8(source.bytes).expect("text"))
}

fn refused(path: &str) -> Problem {
    match open(path, &Budget::unlimited()) {
        Err(Refusal::Problems(problems)) => {
            let [problem] = problems.try_into().expect("one problem");
            assert!(CODES.iter().any(|(code, _)| *code == problem.code));
            problem
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_and_compressed_files_are_read() {
    let dir = Scratch::new("plain");
    let long = "x".repeat(5_000_000);
    for text in ["", "{}", long.as_str()] {
        let plain = dir.put("m.rsm", text);
        assert_eq!(opened(&plain), (plain.clone(), text.to_owned()));
        let packed = dir.put("m.rsm.gz", gzip(text.as_bytes()));
        assert_eq!(opened(&packed), (packed.clone(), text.to_owned()));
    }
    // Several gzip files in a row are one text.
    let two = dir.put("two", [gzip(b"one "), gzip(b"two")].concat());
    assert_eq!(opened(&two).1, "one two");
}

#[test]
fn members_of_archives_are_read() {
    let dir = Scratch::new("zip");
    let zip = dir.put(
        "models.zip",
        archive(&[
            ("readme.txt", b"hello"),
            ("in/a.RSM", b"{}"),
            ("__MACOSX/in/._a.rsm", b"?"),
            ("claims.ctl.gz", &gzip(b"AG p")),
        ]),
    );
    assert_eq!(opened(&zip), (format!("{zip}:in/a.RSM"), "{}".to_owned()));
    assert_eq!(opened(&format!("{zip}:readme.txt")).1, "hello");
    let claims = open_for(&zip, &["ctl", "ltl", "ctls"], &Budget::unlimited()).expect("one fits");
    assert_eq!((claims.name, claims.bytes), (format!("{zip}:claims.ctl.gz"), b"AG p".to_vec()));

    let problem = refused(&format!("{zip}:in/b.RSM"));
    assert_eq!(problem.code, "I007");
    assert_eq!(problem.hint, Some(format!("did you mean `{zip}:in/a.RSM`?")));
    let problem = refused(&format!("{zip}:nothing/like/that"));
    assert!(problem.hint.expect("a hint").starts_with("it holds `readme.txt`, `in/a.RSM` and"));
}

#[test]
fn archives_without_one_model_are_refused() {
    let dir = Scratch::new("choice");
    let none = dir.put("none.zip", archive(&[("a.txt", b"")]));
    let problem = refused(&none);
    assert_eq!(problem.code, "I008");
    let begin = format!("no member of `{none}` ends in `.tern` or `.rsm` or `.json`");
    assert!(problem.message.starts_with(&begin), "{}", problem.message);
    assert_eq!(problem.hint.as_deref(), Some("it holds `a.txt`"));
    let two = dir.put("two.zip", archive(&[("a.rsm", b""), ("b.tern", b"")]));
    let problem = refused(&two);
    assert_eq!(problem.code, "I009");
    assert_eq!(problem.message, format!("several members of `{two}` fit: `a.rsm` and `b.tern`"));
    assert_eq!(problem.hint, Some(format!("name one of them, as in `{two}:a.rsm`")));
    assert_eq!(
        refused(&dir.put("empty.zip", archive(&[]))).hint.as_deref(),
        Some("the archive is empty")
    );
}

#[test]
fn what_cannot_be_opened_is_explained() {
    let dir = Scratch::new("broken");
    let model = dir.put("model.rsm", "{}");
    let problem = refused(&dir.path("modle.rsm"));
    assert_eq!((problem.code, problem.hint), ("I001", Some(format!("did you mean `{model}`?"))));
    assert_eq!(refused(&dir.path("nowhere/model.rsm")).code, "I001");
    let problem = refused(&dir.path("no.zip:a.rsm"));
    assert_eq!(problem.message, format!("`{}` does not exist", dir.path("no.zip")));
    assert_eq!(refused(&dir.path("")).code, "I003");
    assert_eq!(refused(&dir.put("not.zip", "PK or not")).code, "I006");
    let mut cut = archive(&[("a.rsm", b"{}")]);
    cut.truncate(cut.len() - 10);
    assert_eq!(refused(&dir.put("cut.zip", cut)).code, "I006");
    let packed = gzip("abc".repeat(1000).as_bytes());
    assert_eq!(refused(&dir.put("cut.gz", &packed[..packed.len() - 9])).code, "I005");
    assert_eq!(refused(&dir.put("bad.gz", b"\x1F\x8B and nothing sensible")).code, "I005");
}

#[test]
fn the_budget_is_kept() {
    let dir = Scratch::new("budget");
    let bomb = dir.put("bomb.gz", gzip(&vec![b' '; 50 << 20]));
    let zipped = dir.put("bomb.zip", archive(&[("a.rsm", &vec![b' '; 50 << 20])]));
    // As if ten megabytes were free before anything is read.
    let budget = Budget::unlimited().with_memory(10 << 20, || 0);
    for path in [bomb, zipped] {
        match open(&path, &budget) {
            Err(Refusal::Limit(Limit::Memory(_))) => {}
            other => panic!("{path}: {:?}", other.map(|source| source.bytes.len())),
        }
    }
}

#[test]
fn formats_go_by_name_and_then_by_content() {
    let format = |name: &str, text: &str| Format::of(&Source::new(name, text)).map(|it| it.name);
    assert_eq!(format("a/b.rsm", "component"), Some("rsm"));
    assert_eq!(format("b.JSON", ""), Some("rsm"));
    assert_eq!(format("b.tern.gz", "{"), Some("tern"), "perhaps a slip");
    assert_eq!(format("models.zip:x/b.tern", "{\n \"a\""), Some("rsm"), "the name lies");
    assert_eq!(format("standard input", " \n{"), Some("rsm"));
    assert_eq!(format("standard input", "\u{FEFF}["), Some("rsm"));
    assert_eq!(format("x.txt", "component c"), Some("tern"));
    assert_eq!(format("dir.rsm/x", "# c"), Some("tern"), "for want of anything else");
    assert_eq!(format("standard input", " \n"), None);
}

#[test]
fn models_of_real_programs_are_read() {
    for (model, sizes) in
        [("dataflow", (3, 17, 2)), ("avroraReg", (173, 3375, 699)), ("fop2pdf", (607, 16281, 4982))]
    {
        let Some(path) = tern_testkit::data(&format!("java/{model}.zip")) else { continue };
        let path = path.display().to_string();
        let source = open(&path, &Budget::unlimited()).expect("it holds one model");
        assert_eq!(Format::of(&source).map(|format| format.name), Some("rsm"));
        let m = rsm::read(&source, &Budget::unlimited())
            .unwrap_or_else(|refusal| panic!("{model}: {refusal:?}"));
        assert_eq!((m.component_count(), m.node_count(), m.box_count()), sizes, "{model}");
        let text = rsm::write(&m).expect("it came from this format");
        let again = rsm::read(&Source::new("again.rsm", text), &Budget::unlimited());
        assert_eq!(again.expect("read again").edge_count(), m.edge_count(), "{model}");
    }
}
