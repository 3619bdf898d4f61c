//! The corpus: pages of machines with what is true of them, run through every engine and both
//! oracles. The examples are run in the same way, against the verdicts listed here.

use std::fs;
use std::path::{Path, PathBuf};
use tern_certify::oracle::{exact, pushdown, unfold};
use tern_engine::{Checker, ENGINES, Options};
use tern_front::vocabulary::{self, Wanted};
use tern_front::{Format, Source, claims, tern};
use tern_model::{Budget, Claims, Machine, Verdict};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A machine of a page, and what the page says of it: verdicts with formulas.
struct Exhibit {
    title: String,
    format: &'static Format,
    machine: String,
    claims: Vec<(String, String)>,
}

/// Cuts a page into its exhibits.
fn exhibits(page: &str, name: &str) -> Vec<Exhibit> {
    let mut found: Vec<Exhibit> = Vec::new();
    let mut title = name.to_owned();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("# ") {
            title = format!("{name}: {heading}");
        }
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind {
            "claims" => {
                let exhibit = found.last_mut().expect("claims stand after a machine");
                let claim = |line: &&str| {
                    let (verdict, formula) = line.split_once(' ').expect("a verdict and a formula");
                    (verdict.to_owned(), formula.trim().to_owned())
                };
                exhibit.claims.extend(block.iter().map(claim));
            }
            name => found.push(Exhibit {
                title: title.clone(),
                format: Format::named(name)
                    .unwrap_or_else(|| panic!("{title}: what is a block of {name}?")),
                machine: block.join("\n"),
                claims: Vec::new(),
            }),
        }
    }
    found
}

/// Runs all claims through all engines and oracles; says how many there were.
fn judge(title: &str, machine: &Machine, claims: &Claims, expected: &[&str]) -> usize {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    assert_eq!(claims.list().len(), expected.len(), "{title}");
    for (claim, &expected) in claims.list().iter().zip(expected) {
        let (formulas, formula) = (&claims.formulas, claim.formula().expect("a formula"));
        let shown = formulas.show(formula);
        let truth = match expected {
            "holds" => Some(true),
            "fails" => Some(false),
            "unknown" => None,
            other => panic!("{title}: {shown}: what is `{other}`?"),
        };
        let auto = checker.check(formulas, formula, &Options::default(), &budget).verdict;
        assert_eq!(auto.word(), expected, "{title}: {shown}, by default");
        for engine in ENGINES.into_iter().filter(|engine| engine.decides(formulas, formula)) {
            for evidence in [false, true] {
                let options = Options { engine: Some(engine), evidence, ..Options::default() };
                let verdict = checker.check(formulas, formula, &options, &budget).verdict;
                assert_eq!(verdict.word(), expected, "{title}: {shown}, by {}", engine.name);
                assert!(truth.is_some() || matches!(verdict, Verdict::Unknown(_)));
            }
        }
        // The oracles read fewer formulas than the engines; where they speak, they must agree.
        let oracle = exact::check(machine, formulas, formula, 100_000);
        assert!(oracle.is_none() || oracle == truth, "{title}: {shown}, by the exact oracle");
        let oracle =
            unfold::check(machine, formulas, formula, 6, 5_000).and_then(|tri| tri.known());
        assert!(oracle.is_none() || oracle == truth, "{title}: {shown}, by unfolding");
        let oracle = pushdown::check(machine, formulas, formula, 100_000);
        assert!(oracle.is_none() || oracle == truth, "{title}: {shown}, by the pushdown oracle");
    }
    claims.list().len()
}

#[test]
fn every_page_is_true() {
    let corpus = project().join("tests/corpus");
    let mut pages: Vec<PathBuf> = ["", "regress"]
        .iter()
        .flat_map(|folder| fs::read_dir(corpus.join(folder)).expect("the corpus is there"))
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    pages.sort();
    let mut judged = 0;
    for path in pages {
        let name = path.file_stem().expect("pages have names").to_string_lossy().into_owned();
        let page = fs::read_to_string(&path).expect("pages can be read");
        let found = exhibits(&page, &name);
        assert!(!found.is_empty(), "{name} has no machine");
        for Exhibit { title, format, machine, claims: said } in found {
            assert!(!said.is_empty(), "{title} has no claims");
            let source = Source::new(&title, machine);
            let read = format.read(&source, &Budget::unlimited());
            let mut read = read.unwrap_or_else(|wrong| panic!("{title}: {wrong:#?}"));
            let mut claims = Claims::new();
            claims.comparisons = format.has_values;
            let own = read.claims.fair().iter();
            let own: Vec<_> =
                own.map(|it| it.import(&read.claims.formulas, &mut claims.formulas)).collect();
            claims.restrict(own);
            for (_, formula) in &said {
                claims::read_one(&mut claims, formula)
                    .unwrap_or_else(|wrong| panic!("{title}: {formula}: {wrong:#?}"));
            }
            let wanted = Wanted { elsewhere: false, ..Wanted::by(&claims) };
            let words = &mut read.vocabulary;
            let wrong = vocabulary::label(&mut read.machine, words, &wanted, &Budget::unlimited());
            assert_eq!(wrong, Ok(Vec::new()), "{title}");
            let verdicts: Vec<&str> = said.iter().map(|(verdict, _)| verdict.as_str()).collect();
            judged += judge(&title, &read.machine, &claims, &verdicts);
        }
    }
    assert!(judged > 150, "the corpus has shrunk: {judged} claims");
}

#[test]
fn the_examples_have_the_verdicts_that_the_guide_says() {
    let cases: [(&str, &[&str]); 6] = [
        ("running.tern", &["holds", "fails", "holds", "holds", "holds"]),
        ("dataflow.tern", &["fails", "holds", "holds"]),
        ("locks.tern", &["fails", "holds", "holds", "fails"]),
        ("one-node.tern", &["holds", "holds", "holds"]),
        ("retry.tern", &["holds", "fails", "holds"]),
        ("lossy.tern", &["fails"]),
    ];
    for (name, verdicts) in cases {
        let text = fs::read(project().join("examples").join(name)).expect("the example is there");
        let (machine, claims) = tern::read(&Source::new(name, text), &Budget::unlimited())
            .unwrap_or_else(|wrong| panic!("{name}: {wrong:#?}"));
        judge(name, &machine, &claims, verdicts);
    }
}
