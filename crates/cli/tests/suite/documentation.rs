//! Keeps the README and the guide true: what they say Tern prints is what it prints.
//!
//! In a block of ` ```console ` a line `$ command` is followed by its output. `tern …` is run with
//! the built binary, and so is `cargo run --release -- …`; both streams are compared, standard
//! error first, with times left out. JSON may be laid out over several lines. `cat FILE`,
//! `head -N FILE` and `echo $?` are understood without a shell, and so is `tern … > FILE`. Other
//! commands are not run, and show no output.
//!
//! Commands see a copy of `examples/`, and the files that pages show: a block of ` ```tern
//! ` whose first line is the comment `// NAME.tern` is a file of that name, and so for the endings
//! of the other formats and their comments.
//!
//! After a change of what is printed,
//! `TERN_BLESS=1 cargo test -p tern-cli --test suite documentation` writes the new outputs into the
//! pages; read the difference before you commit it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The README and all pages of the guide, in the order of their names.
fn pages() -> Vec<String> {
    let listed = fs::read_dir(project().join("docs")).expect("the guide is there");
    let names = listed.map(|entry| entry.expect("they can be listed").file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.sort();
    pages.insert(0, "README.md".to_owned());
    pages
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(project().join(name)).expect("the page can be read")
}

/// Where the commands of a page are run.
struct Place {
    directory: TempDir,
    /// The exit status of the last run of Tern.
    status: i32,
    runs: usize,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir(directory.path().join("examples")).expect("a directory");
        for entry in fs::read_dir(project().join("examples")).expect("the examples are there") {
            let from = entry.expect("they can be listed").path();
            let name = from.file_name().expect("files have names");
            fs::copy(&from, directory.path().join("examples").join(name)).expect("copied");
        }
        Place { directory, status: 0, runs: 0 }
    }

    /// What a command prints; `None` if it is not ours to run.
    fn answer(&mut self, command: &str) -> Option<String> {
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let read = |file: &str| {
            fs::read_to_string(self.directory.path().join(file))
                .unwrap_or_else(|cause| panic!("`{command}`: {cause}"))
        };
        match words[..] {
            ["tern", ref args @ ..] | ["cargo", "run", "--release", "--", ref args @ ..] => {
                Some(self.run(command, args))
            }
            ["cat", file] => Some(read(file)),
            ["head", count, file] => {
                let count = count.strip_prefix('-').and_then(|count| count.parse().ok());
                let lines = read(file);
                let lines = lines.lines().take(count.expect("head -N FILE"));
                Some(lines.fold(String::new(), |text, line| text + line + "\n"))
            }
            ["echo", "$?"] => Some(format!("{}\n", self.status)),
            _ => None,
        }
    }

    fn run(&mut self, command: &str, args: &[&str]) -> String {
        let (args, file) = match args {
            [args @ .., ">", file] => (args, Some(file)),
            _ => (args, None),
        };
        let shell = |word: &&str| ["|", "<", ">", "&&", "||", "&", ";"].contains(word);
        assert!(!args.iter().any(shell), "`{command}` needs a shell: put it in a block of sh");
        let output = Command::new(env!("CARGO_BIN_EXE_tern"))
            .args(args)
            .current_dir(self.directory.path())
            .env_remove("NO_COLOR")
            .output()
            .expect("tern runs");
        self.status = output.status.code().expect("no signal");
        self.runs += 1;
        let text = match file {
            Some(file) => {
                fs::write(self.directory.path().join(file), output.stdout).expect("written");
                output.stderr
            }
            None => [output.stderr, output.stdout].concat(),
        };
        String::from_utf8(text).expect("UTF-8")
    }
}

/// Cuts a command line into words as a shell does, as far as quotes go.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in command.chars() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "`{command}` has an open quote");
    words.extend(word);
    words
}

/// Whether two outputs are the same, but for times.
fn same(said: &str, printed: &str) -> bool {
    let json = |text| serde_json::from_str(text).ok().filter(serde_json::Value::is_object);
    match (json(said), json(printed)) {
        (Some(mut said), Some(mut printed)) => {
            for value in [&mut said, &mut printed] {
                let results = value.get_mut("results").and_then(|list| list.as_array_mut());
                for result in results.into_iter().flatten() {
                    result["stats"]["seconds"] = "TIME".into();
                    result["stats"]["explaining"] = "TIME".into();
                }
            }
            said == printed
        }
        _ => without_times(said) == without_times(printed),
    }
}

/// The text with `TIME` for every `33 µs`, `1.5 ms` and so on.
fn without_times(text: &str) -> String {
    let mut normal = String::new();
    for line in text.trim_end().lines() {
        let mut words = line.split(' ').peekable();
        while let Some(word) = words.next() {
            let is_unit = |next: &&str| ["µs", "ms", "s", "min"].contains(next);
            let is_time = word.parse::<f64>().is_ok() && words.next_if(is_unit).is_some();
            normal.push_str(if is_time { "TIME" } else { word });
            normal.push(' ');
        }
        normal.truncate(normal.trim_end().len());
        normal.push('\n');
    }
    normal
}

/// The files that a page shows, with their contents.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let Some(first) = block.first() else { continue };
        let quoted = first.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */"));
        let comment = ["// ", "# ", "-- "].into_iter().find_map(|it| first.strip_prefix(it));
        if let Some(file) = comment.or(quoted)
            && file.ends_with(&format!(".{kind}"))
            && !file.contains(['/', ' '])
        {
            let content = block.iter().fold(String::new(), |text, line| text + line + "\n");
            files.push((file.to_owned(), content));
        }
    }
    files
}

/// Goes through a page: the page with the outputs as they are, and what differs from it.
fn follow(name: &str, text: &str, place: &mut Place) -> (String, String) {
    let (mut fresh, mut faults) = (String::new(), String::new());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((_, line)) = lines.next() {
        fresh.extend([line, "\n"]);
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let mut block = Vec::new();
        for (number, line) in lines.by_ref() {
            block.push((number + 1, line));
            if line == "```" {
                break;
            }
        }
        assert_eq!(block.pop().map(|(_, line)| line), Some("```"), "{name}: a block is open");
        if kind != "console" {
            fresh.extend(block.iter().flat_map(|&(_, line)| [line, "\n"]));
        } else {
            let mut block = block.into_iter().peekable();
            while let Some((number, line)) = block.next() {
                let command = line.strip_prefix("$ ");
                let command = command.unwrap_or_else(|| panic!("{name}:{number}: no command"));
                let mut said = String::new();
                while let Some((_, line)) = block.next_if(|(_, line)| !line.starts_with("$ ")) {
                    said.extend([line, "\n"]);
                }
                fresh.extend([line, "\n"]);
                let printed = place.answer(command).unwrap_or_default();
                if same(&said, &printed) {
                    fresh.push_str(&said);
                } else {
                    fresh.extend([printed.trim_end(), "\n"]);
                    write!(
                        faults,
                        "{name}:{number}: $ {command}\n--- the page\n{said}--- Tern\n{printed}\n"
                    )
                    .expect("a string takes all text");
                }
            }
        }
        fresh.push_str("```\n");
    }
    (fresh, faults)
}

#[test]
fn pages_show_what_is_printed() {
    let mut faults = String::new();
    let mut runs = 0;
    let shown: Vec<_> = pages().iter().flat_map(|name| files(&page(name))).collect();
    let mut names: Vec<&String> = shown.iter().map(|(name, _)| name).collect();
    names.sort();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "two files of one name: {names:?}");
    for name in pages() {
        let text = page(&name);
        let mut place = Place::new();
        for (file, content) in &shown {
            fs::write(place.directory.path().join(file), content).expect("written");
        }
        let (fresh, found) = follow(&name, &text, &mut place);
        if std::env::var_os("TERN_BLESS").is_some() {
            fs::write(project().join(name), fresh).expect("the page can be written");
        } else {
            faults += &found;
        }
        runs += place.runs;
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(runs >= 20, "only {runs} commands were found to run");
}

#[test]
fn pages_link_to_files_that_exist() {
    for name in pages() {
        let path = project().join(&name);
        let folder = path.parent().expect("a page is in a folder");
        let text = page(&name);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        // In tables of formulas a bracket may be followed by a parenthesis.
        let is_path = |link: &&str| {
            link.contains(['.', '#'])
                && link.chars().all(|c| c.is_alphanumeric() || "./#-_".contains(c))
        };
        for link in links.filter(is_path) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { folder.join(file) };
            assert!(target.exists(), "{name}: {link}");
            if file.ends_with(".md") || file.is_empty() {
                let target = fs::read_to_string(&target).expect("a page");
                assert!(anchor.is_empty() || has_anchor(&target, anchor), "{name}: {link}");
            }
        }
    }
}

/// Whether a page has a heading that is linked to like this.
fn has_anchor(page: &str, anchor: &str) -> bool {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#').trim().to_lowercase()).any(|heading| {
        let kept = heading.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).eq(anchor.chars())
    })
}

#[test]
fn the_guide_names_every_engine_and_quotes_the_library_examples() {
    let listed = page("docs/engines.md");
    for engine in tern_engine::ENGINES {
        assert!(listed.contains(&format!("| `{}` |", engine.name)), "{}", engine.name);
    }
    let library = page("docs/library.md");
    // The examples themselves are compiled and run with the documentation of the crates.
    let pages = ["tern/src/lib.rs", "tern/src/on_demand.rs", "engine/src/lib.rs"];
    let documented = pages.map(|path| page(&format!("crates/{path}"))).map(|page| {
        let comment = |line| str::strip_prefix(line, "//!").or(line.strip_prefix("///"));
        let lines = page.lines().filter_map(comment);
        let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
        let shown = lines.filter(|line| !line.trim_start().starts_with("# "));
        shown.collect::<Vec<_>>().join("\n")
    });
    let examples: Vec<&str> = library.split("```rust\n").skip(1).collect();
    assert_eq!(examples.len(), 7);
    for example in examples {
        let (example, _) = example.split_once("```").expect("the example ends");
        let quotes = |text: &String| text.contains(example.trim_end());
        assert!(documented.iter().any(quotes), "{example}");
    }
}

#[test]
fn the_readme_has_the_words_that_people_search_for() {
    let readme = page("README.md");
    for word in ["model checker", "counterexample", "CTL", "LTL", "pushdown", "interprocedural"] {
        assert!(readme.contains(word), "{word}");
    }
}

#[test]
fn times_are_told_from_other_numbers() {
    assert!(same("eager, 0 contexts, 33 µs\n", "eager, 0 contexts, 1.2 ms\n"));
    assert!(same("2 min 5 s", "1 min 0 s"));
    assert!(!same("eager, 0 contexts, 33 µs\n", "eager, 1 context, 33 µs\n"));
    assert!(!same("2 claims: 1 holds", "2 claims: 2 hold"));
    let json = |verdict: &str, seconds: f64| {
        format!(r#"{{"results": [{{"verdict": "{verdict}", "stats": {{"seconds": {seconds}}}}}]}}"#)
    };
    assert!(same(&json("holds", 0.5), &json("holds", 1e-6)));
    assert!(!same(&json("holds", 0.5), &json("fails", 0.5)));
    assert_eq!(
        words("tern check -f 'AG \"in use\"' \"\""),
        ["tern", "check", "-f", "AG \"in use\"", ""]
    );
}
