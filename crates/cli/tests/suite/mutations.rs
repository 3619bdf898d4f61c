//! Texts that were damaged at random: bytes flipped, deleted, doubled, moved. Whatever comes out,
//! the readers do not panic; what they refuse they refuse with places inside the text; what they
//! accept can be checked, and written and read back without change.
//!
//! `TERN_SEED` chooses other damage. A failure names the seed and the text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tern_engine::{Checker, Options};
use tern_front::{Problem, Refusal, Source, claims, pdmu, pds, rsm, tern, vocabulary};
use tern_model::{Budget, Claims, Limit, Machine};

/// How many damaged texts are tried, of all kinds together.
const MUTATIONS: usize = 20_000;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Tern,
    Rsm,
    Pds,
    Pdmu,
    Claims,
}

fn texts_in(directory: &str, ending: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort_unstable();
    paths.iter().map(|path| std::fs::read(path).expect("it can be read")).collect()
}

type Seeds = Vec<(Kind, Vec<u8>)>;

/// Sound texts: the examples, in both formats and as claims.
fn sound() -> Seeds {
    let mut seeds = Vec::new();
    for text in texts_in("examples", "tern") {
        let source = Source::new("example.tern", text.clone());
        let (machine, found) = tern::read(&source, &Budget::unlimited()).expect("sound");
        seeds.extend(rsm::write(&machine).ok().map(|text| (Kind::Rsm, text.into_bytes())));
        seeds.push((Kind::Claims, claims::write(&found).into_bytes()));
        seeds.extend(pds::write(&machine).ok().map(|text| (Kind::Pds, text.into_bytes())));
        seeds.extend(pdmu::write(&machine).ok().map(|text| (Kind::Pdmu, text.into_bytes())));
        seeds.push((Kind::Tern, text));
    }
    seeds.extend(texts_in("examples", "pds").into_iter().map(|text| (Kind::Pds, text)));
    seeds
}

/// Texts that are broken already, but have parts that the examples do not use.
fn broken() -> Seeds {
    let kinds = [
        (Kind::Tern, "tern"),
        (Kind::Rsm, "rsm"),
        (Kind::Pds, "pds"),
        (Kind::Pdmu, "pdmu"),
        (Kind::Claims, "ctl"),
    ];
    let texts = kinds.map(|(kind, ending)| {
        let small = texts_in("tests/broken", ending).into_iter().filter(|text| text.len() < 2_000);
        small.map(move |text| (kind, text))
    });
    texts.into_iter().flatten().collect()
}

/// Damages a text in a few places.
pub(crate) fn mutate(text: &mut Vec<u8>, rng: &mut fastrand::Rng) {
    const SIGNS: &[u8] = b"{}[]();:,.->\"\\/*#!&|UXFGEA \n\t\0\x80\xff09az_$@";
    for _ in 0..rng.usize(1..=4) {
        let at = rng.usize(..=text.len());
        let most = [2, 8, 64][rng.usize(..3)];
        let length = rng.usize(..=most).min(text.len() - at);
        match rng.usize(..7) {
            0 if at < text.len() => text[at] ^= 1 << rng.u8(..8),
            1 if at < text.len() => text[at] = SIGNS[rng.usize(..SIGNS.len())],
            2 => text.insert(at, SIGNS[rng.usize(..SIGNS.len())]),
            3 => drop(text.drain(at..at + length)),
            4 => {
                let piece = text[at..at + length].to_vec();
                text.splice(at..at, piece);
            }
            5 => {
                let piece: Vec<u8> = text.drain(at..at + length).collect();
                let to = rng.usize(..=text.len());
                text.splice(to..to, piece);
            }
            6 if rng.usize(..8) == 0 => text.truncate(at),
            _ => {}
        }
    }
}

fn check_problems(source: &Source, problems: &[Problem]) {
    assert!(!problems.is_empty(), "refused without a reason");
    for problem in problems {
        for label in problem.at.iter().chain(&problem.related) {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(start <= end && end <= source.bytes.len() + 1, "{problem:?}");
        }
        assert!(!problem.message.is_empty(), "{problem:?}");
        // The readers check every rule themselves, with places.
        assert!(!matches!(problem.code, "T090" | "R190" | "P090" | "D090"), "{problem:?}");
    }
}

fn read_model(kind: Kind, source: &Source) -> Result<(Machine, Claims), Vec<Problem>> {
    let budget = Budget::unlimited();
    // Damage can make the values of variables very many.
    let small = Budget::unlimited().with_effort(100);
    let read = match kind {
        Kind::Pds => pds::read(source, &small).map(|reading| (reading.machine, Claims::new())),
        Kind::Pdmu => pdmu::read(source, &small).map(|reading| (reading.machine, Claims::new())),
        Kind::Rsm => rsm::read(source, &budget).map(|machine| (machine, Claims::new())),
        _ => tern::read(source, &budget),
    };
    read.map_err(|refusal| match refusal {
        Refusal::Problems(problems) => problems,
        Refusal::Limit(Limit::Effort) => vec![Problem::error("P030", "too large")],
        Refusal::Limit(limit) => panic!("{limit}, though there is no limit"),
    })
}

/// How often an engine may look at its budget: damage can make a small model a hard one.
const EFFORT: u64 = 20_000;

/// The verdicts of some claims, or of one that any machine can be asked.
fn verdicts(machine: &Machine, claims: &Claims) -> Vec<&'static str> {
    let budget = Budget::unlimited().with_effort(EFFORT);
    let checker = Checker::new(machine, &budget).expect("small enough");
    let mut claims = claims.clone();
    if claims.list().is_empty() {
        claims::read_one(&mut claims, "AG EF (red | p | !EX true)").expect("sound");
    }
    let decide = |claim: &tern_model::Claim| {
        checker.decide(&claims.formulas, claim, &Options::default(), &budget).verdict.word()
    };
    claims.list().iter().map(decide).collect()
}

/// Reads a damaged model; says whether it was accepted.
fn try_model(kind: Kind, text: &[u8]) -> bool {
    let source = Source::new("damaged", text);
    let (machine, claims) = match read_model(kind, &source) {
        Ok(read) => read,
        Err(problems) => {
            check_problems(&source, &problems);
            return false;
        }
    };
    let before = verdicts(&machine, &claims);
    let written = tern::write(&machine, &claims);
    let (back, claims_back) = read_model(Kind::Tern, &Source::new("written", written.clone()))
        .unwrap_or_else(|problems| panic!("cannot be read back: {problems:?}\n{written}"));
    assert_eq!(tern::write(&back, &claims_back), written);
    assert_eq!(verdicts(&back, &claims_back), before, "{written}");
    if let Ok(json) = rsm::write(&machine) {
        let (back, _) = read_model(Kind::Rsm, &Source::new("written", json.clone()))
            .unwrap_or_else(|problems| panic!("cannot be read back: {problems:?}\n{json}"));
        assert_eq!(rsm::write(&back).as_ref(), Ok(&json));
        assert_eq!(verdicts(&back, &claims), before, "{json}");
    }
    if let Ok(rules) = pds::write(&machine) {
        let (back, _) = read_model(Kind::Pds, &Source::new("written", rules.clone()))
            .unwrap_or_else(|problems| panic!("cannot be read back: {problems:?}\n{rules}"));
        // The names of stack symbols are labels, too: claims must not speak of what is none before.
        let mut names = vocabulary::propositions(&claims);
        names.extend(claims.list().is_empty().then(|| "red".to_owned()));
        names.extend(claims.list().is_empty().then(|| "p".to_owned()));
        if names.iter().all(|name| machine.label(name).is_some()) {
            assert_eq!(verdicts(&back, &claims), before, "{rules}");
        }
    }
    true
}

/// Reads damaged claims; says whether they were accepted.
fn try_claims(text: &[u8], machine: &Machine) -> bool {
    let source = Source::new("damaged", text);
    let mut found = Claims::new();
    if let Err(problems) = claims::read(&source, &mut found) {
        check_problems(&source, &problems);
        assert!(found.list().is_empty());
        return false;
    }
    verdicts(machine, &found);
    let written = claims::write(&found);
    let mut back = Claims::new();
    if let Err(problems) = claims::read(&Source::new("written", written.clone()), &mut back) {
        panic!("cannot be read back: {problems:?}\n{written}");
    }
    assert_eq!(claims::write(&back), written);
    true
}

#[test]
fn damaged_texts_are_refused_or_mean_something() {
    let seed = match std::env::var("TERN_SEED") {
        Ok(seed) => seed.parse().expect("TERN_SEED is a number"),
        Err(_) => 1,
    };
    let mut rng = fastrand::Rng::with_seed(seed);
    let (sound, broken) = (sound(), broken());
    let (machine, _) = sound
        .iter()
        .find_map(|(kind, text)| read_model(*kind, &Source::new("sound", text.clone())).ok())
        .expect("the examples are sound");
    let mut accepted = 0;
    for round in 0..MUTATIONS {
        let seeds = if rng.usize(..4) > 0 { &sound } else { &broken };
        let (kind, text) = &seeds[rng.usize(..seeds.len())];
        let mut text = text.clone();
        mutate(&mut text, &mut rng);
        let attempt = AssertUnwindSafe(|| match kind {
            Kind::Claims => try_claims(&text, &machine),
            _ => try_model(*kind, &text),
        });
        match catch_unwind(attempt) {
            Ok(was_accepted) => accepted += usize::from(was_accepted),
            Err(_) => panic!(
                "seed {seed}, round {round}, {kind:?}: see the panic above. The text:\n{}",
                text.escape_ascii()
            ),
        }
    }
    assert!(accepted > MUTATIONS / 20, "only {accepted} texts were accepted; too few to tell");
}
