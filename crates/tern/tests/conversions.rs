//! Every format to every other: what is written is read again with the same verdicts, or it is
//! refused with a reason. Which pairs are possible at all is a table.
//!
//! `TERN_PAIRS` says how many machines are tried, `TERN_SEED` which.

use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tern::front::vocabulary::Wanted;
use tern::front::{FORMATS, Format, Source, claims, vocabulary};
use tern::model::{Formula, FormulaId};
use tern::{Budget, Claim, Claims, Formulas, Machine, Model, Options};
use tern_testkit::sample::{self, Shape};
use tern_testkit::setting;

/// Formats that models are not written in: statements are not found again in states.
const NOT_WRITTEN: [&str; 1] = ["imp"];

/// Pairs of formats of which the second cannot say what all models of the first have: labels such
/// as `x = 1`, and labels at the start.
const NEVER: [(&str, &str); 4] = [("imp", "pdmu"), ("imp", "smv"), ("imp", "aut"), ("pds", "aut")];

fn read(format: &Format, text: &str) -> Model {
    let name = format!("model.{}", format.endings[0]);
    Model::read(Source::new(name, text), &Budget::unlimited())
        .unwrap_or_else(|(_, refusal)| panic!("{}: {refusal}\n{text}", format.name))
}

/// Makes labels of what a model knows of these propositions.
fn label(model: &mut Model, names: BTreeSet<String>) {
    let wanted = Wanted { names, steps: true, ..Wanted::default() };
    let Model { machine, vocabulary: words, .. } = model;
    let wrong = vocabulary::label(machine, words, &wanted, &Budget::unlimited());
    assert_eq!(wrong.map(|wrong| wrong.len()), Ok(0), "all is understood");
}

/// A machine in a format, if it can be said there.
fn written(format: &Format, machine: &Machine) -> Option<String> {
    let writer = format.writer?;
    match (writer.write)(machine, &Claims::new()) {
        Ok(text) => Some(text),
        Err(problems) => {
            assert!(!problems.is_empty(), "{}: refused without a reason", format.name);
            assert!(problems.iter().all(|it| !it.message.is_empty()), "{}", format.name);
            None
        }
    }
}

/// A formula of CTL or LTL, with X, over labels of a machine.
fn formula(rng: &mut Rng, formulas: &mut Formulas, names: &[String], depth: u32) -> FormulaId {
    if depth == 0 {
        return match names {
            [] => formulas.make(Formula::True),
            names => formulas.atom(&names[rng.usize(..names.len())]),
        };
    }
    let mut sub = |formulas: &mut Formulas| formula(rng, formulas, names, depth - 1);
    let (f, g) = (sub(formulas), sub(formulas));
    let path = match rng.u8(..8) {
        0 => return formulas.make(Formula::Not(f)),
        1 => return formulas.make(Formula::And(f, g)),
        2 | 3 => Formula::Next(f),
        4 => Formula::Finally(f),
        5 => Formula::Globally(f),
        _ => Formula::Until(f, g),
    };
    let path = formulas.make(path);
    let all = rng.bool();
    formulas.make(if all { Formula::All(path) } else { Formula::Exists(path) })
}

/// A formula of LTL that uses one of CTL's operators inside out.
fn linear(rng: &mut Rng, formulas: &mut Formulas, names: &[String]) -> FormulaId {
    let (f, g) = (formula(rng, formulas, names, 0), formula(rng, formulas, names, 0));
    let next = formulas.make(Formula::Next(f));
    let until = formulas.make(Formula::Until(next, g));
    let again = formulas.make(Formula::Finally(until));
    formulas.make(Formula::Globally(again))
}

fn verdicts(machine: &Machine, claims: &Claims) -> Vec<&'static str> {
    let budget = Budget::unlimited();
    let session = tern::Session::new(machine, &budget).expect("no limit");
    let decide = |claim: &Claim| {
        let answer = session.decide(&claims.formulas, claim, &Options::default(), &budget);
        answer.verdict().word()
    };
    claims.list().iter().map(decide).collect()
}

/// Random claims over the labels of a machine.
fn random_claims(rng: &mut Rng, machine: &Machine) -> Claims {
    let names: Vec<String> = machine.labels().map(|(_, name)| name.to_owned()).collect();
    let mut claims = Claims::new();
    for i in 0..4 {
        let formula = match i {
            0 => linear(rng, &mut claims.formulas, &names),
            _ => formula(rng, &mut claims.formulas, &names, 2),
        };
        claims.push(Claim::new(formula));
    }
    claims
}

/// The examples in a format, as texts.
fn examples(format: &Format) -> Vec<String> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| format.endings.iter().any(|e| it == *e)));
    paths.sort_unstable();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("it can be read")).collect()
}

#[test]
fn every_format_becomes_every_other_or_is_refused() {
    let (first, count) = (setting("TERN_SEED", 1), setting("TERN_PAIRS", 240) / 5);
    let mut compared: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut hop =
        |rng: &mut Rng, from: &'static Format, text: &str, said: &[&str], origin: &str| {
            let mut model = read(from, text);
            label(&mut model, said.iter().map(|&name| name.to_owned()).collect());
            let mut claims = random_claims(rng, &model.machine);
            // What stands beside the model, as far as labels say all of it.
            let known = |name: &String| model.machine.label(name).is_some();
            if model.claims.fair().is_empty()
                && vocabulary::propositions(&model.claims).iter().all(known)
            {
                let own = model.claims.list().iter();
                for claim in own.filter(|claim| claim.start == tern::Start::Initial) {
                    let text = claim.property.show(&model.claims.formulas).to_string();
                    claims::read_one(&mut claims, &text).expect("it was a claim");
                }
            }
            let expected = verdicts(&model.machine, &claims);
            for to in FORMATS {
                let Some(text) = written(to, &model.machine) else { continue };
                let mut back = read(to, &text);
                label(&mut back, vocabulary::propositions(&claims));
                let found = verdicts(&back.machine, &claims);
                assert_eq!(found, expected, "{origin}: {} to {}\n{text}", from.name, to.name);
                for verdict in &expected {
                    seen.insert(verdict);
                }
                *compared.entry((from.name, to.name)).or_default() += claims.list().len();
            }
        };
    for from in FORMATS {
        for (i, text) in examples(from).iter().enumerate() {
            hop(&mut Rng::with_seed(i as u64), from, text, &[], &format!("example {i}"));
        }
    }
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        // Some without calls, with one label at most, so that lists of transitions can say them.
        let boxes = if seed % 2 == 0 { 0 } else { 2 };
        let labels = if seed % 4 == 0 { 1 } else { 3 };
        let shape = Shape { boxes, labels, initial: 1, ..Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let said: Vec<&str> = machine.labels().map(|(_, name)| name).collect();
        for from in FORMATS {
            if let Some(text) = written(from, &machine) {
                hop(&mut rng, from, &text, &said, &format!("seed {seed}"));
            }
        }
    }
    println!("{compared:?}");
    assert!(["holds", "fails"].iter().all(|verdict| seen.contains(verdict)));
    for from in FORMATS {
        for to in FORMATS {
            let tried = compared.get(&(from.name, to.name)).copied().unwrap_or(0);
            let possible =
                !NOT_WRITTEN.contains(&to.name) && !NEVER.contains(&(from.name, to.name));
            assert_eq!(tried > 0, possible, "{} to {}: {tried}", from.name, to.name);
        }
    }
}
