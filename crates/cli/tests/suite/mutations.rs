//! Texts that were damaged at random: bytes flipped, deleted, doubled, moved. Whatever comes out,
//! the readers do not panic; what they refuse they refuse with places inside the text; what they
//! accept can be checked, and written and read back without change.
//!
//! `TERN_SEED` chooses other damage. A failure names the seed and the text.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tern_engine::{Checker, Options};
use tern_front::{
    FORMATS, Format, Problem, Refusal, Source, claims, hoa, pds, rsm, tern, vocabulary,
};
use tern_model::{Budget, Claims, Formulas, Limit, Machine, Start};
use tern_testkit::setting;

/// How many damaged texts are tried, of all kinds together.
const MUTATIONS: usize = 20_000;

#[derive(Clone, Copy)]
enum Kind {
    Model(&'static Format),
    Claims,
    Automaton,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Model(format) => format.name,
            Kind::Claims => "claims",
            Kind::Automaton => "hoa",
        }
    }
}

fn texts_in(directory: &str, ending: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort_unstable();
    paths.iter().map(|path| std::fs::read(path).expect("it can be read")).collect()
}

/// Automata that are sound: with names, aliases, marks on edges and on states, and several at once.
const AUTOMATA: [&str; 3] = [
    "HOA: v1 name: \"again\" States: 2 Start: 0 AP: 2 \"p\" \"in use\" acc-name: Buchi\n\
     Acceptance: 1 Inf(0) properties: trans-labels explicit-labels\n\
     --BODY-- State: 0 [0 & !1] 0 {0} [!0 | 1] 1 State: 1 [t] 0 --END--\n",
    "HOA: v1 Start: 0 Start: 1 AP: 2 \"p\" \"q\" Alias: @a 0 & 1 Alias: @b !@a\n\
     Acceptance: 2 Inf(0) & Inf(1) /* two */ --BODY--\n\
     State: [@a] 0 \"first\" {0} 1 0 State: [@b] 1 {1} 0 --END--\n",
    "HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--\n\
     HOA: v1 Start: 0 AP: 1 \"r\" Acceptance: 1 Inf(0) --BODY-- State: 0 {0} [0] 0 --END--\n",
];

type Seeds = Vec<(Kind, Vec<u8>)>;

/// Sound texts: the examples, those that are machines in all formats, and as claims.
fn sound() -> Seeds {
    let mut seeds = Vec::new();
    for text in texts_in("examples", "tern") {
        let source = Source::new("example.tern", text);
        let (machine, found) = tern::read(&source, &Budget::unlimited()).expect("sound");
        seeds.push((Kind::Claims, claims::write(&found).into_bytes()));
        for format in FORMATS.into_iter().filter(|format| format.name != "tern") {
            let written = format.writer.and_then(|it| (it.write)(&machine, &found).ok());
            seeds.extend(written.map(|text| (Kind::Model(format), text.into_bytes())));
        }
    }
    for format in FORMATS {
        for ending in format.endings {
            let texts = texts_in("examples", ending).into_iter();
            seeds.extend(texts.map(|text| (Kind::Model(format), text)));
        }
    }
    seeds.extend(AUTOMATA.map(|text| (Kind::Automaton, text.as_bytes().to_vec())));
    seeds
}

/// Texts that are broken already, but have parts that the examples do not use.
fn broken() -> Seeds {
    let models = FORMATS.into_iter().map(|format| (Kind::Model(format), format.endings[0]));
    let kinds = models.chain([(Kind::Claims, "ctl"), (Kind::Automaton, "hoa")]);
    let texts = kinds.map(|(kind, ending)| {
        let small = texts_in("tests/broken", ending).into_iter().filter(|text| text.len() < 2_000);
        small.map(move |text| (kind, text))
    });
    texts.flatten().collect()
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
        assert!(!matches!(problem.code, "T090" | "R190" | "P090" | "D090" | "G090"), "{problem:?}");
    }
}

/// Reads a model, and the claims beside it. Damage can make the values of variables very many, so
/// that formats with variables read with little effort.
fn read_model(format: &Format, source: &Source) -> Result<(Machine, Claims), Vec<Problem>> {
    let budget = match format.name {
        "tern" | "rsm" | "dot" | "aut" => Budget::unlimited(),
        _ => Budget::unlimited().with_effort(100),
    };
    let read = (format.read)(source, &budget);
    let limited = |limit: Limit| match limit {
        Limit::Effort => vec![Problem::error("P030", "too large")],
        limit => panic!("{limit}, though there is no limit"),
    };
    let mut reading = read.map_err(|refusal| match refusal {
        Refusal::Problems(problems) => problems,
        Refusal::Limit(limit) => limited(limit),
    })?;
    let wanted = vocabulary::Wanted { elsewhere: false, ..vocabulary::Wanted::by(&reading.claims) };
    let (machine, words) = (&mut reading.machine, &mut reading.vocabulary);
    let found = vocabulary::label(machine, words, &wanted, &budget).map_err(limited)?;
    match found.is_empty() {
        true => Ok((reading.machine, reading.claims)),
        false => Err(found.into_iter().map(|(_, problem)| problem).collect()),
    }
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
fn try_model(format: &Format, text: &[u8]) -> bool {
    let source = Source::new("damaged", text);
    let (machine, claims) = match read_model(format, &source) {
        Ok(read) => read,
        Err(problems) => {
            check_problems(&source, &problems);
            return false;
        }
    };
    let mut claims = claims;
    // Where claims begin is said by modules that call each other, and by no other format.
    claims.retain(|_, claim| claim.start == Start::Initial);
    let before = verdicts(&machine, &claims);
    let written = tern::write(&machine, &claims);
    let (back, claims_back) = read_model(&tern::FORMAT, &Source::new("written", written.clone()))
        .unwrap_or_else(|problems| panic!("cannot be read back: {problems:?}\n{written}"));
    assert_eq!(tern::write(&back, &claims_back), written);
    assert_eq!(verdicts(&back, &claims_back), before, "{written}");
    if let Ok(json) = rsm::write(&machine) {
        let (back, _) = read_model(&rsm::FORMAT, &Source::new("written", json.clone()))
            .unwrap_or_else(|problems| panic!("cannot be read back: {problems:?}\n{json}"));
        assert_eq!(rsm::write(&back).as_ref(), Ok(&json));
        assert_eq!(verdicts(&back, &claims), before, "{json}");
    }
    if let Ok(rules) = pds::write(&machine) {
        let (back, _) = read_model(&pds::FORMAT, &Source::new("written", rules.clone()))
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

/// Reads damaged automata; says whether they were accepted.
fn try_automata(text: &[u8]) -> bool {
    let source = Source::new("damaged", text);
    let mut formulas = Formulas::new();
    let found = match hoa::read(&source, &mut formulas) {
        Ok(found) => found,
        Err(problems) => {
            check_problems(&source, &problems);
            return false;
        }
    };
    for written in found {
        let text = hoa::write(&written.automaton, &formulas);
        let back = hoa::read(&Source::new("written", text.clone()), &mut formulas)
            .unwrap_or_else(|problems| panic!("cannot be read back: {problems:?}\n{text}"));
        assert_eq!(back.len(), 1, "{text}");
        assert_eq!(hoa::write(&back[0].automaton, &formulas), text);
    }
    true
}

#[test]
fn damaged_texts_are_refused_or_mean_something() {
    let seed = setting("TERN_SEED", 1);
    let mut rng = fastrand::Rng::with_seed(seed);
    let (sound, broken) = (sound(), broken());
    let (machine, _) = sound
        .iter()
        .find_map(|(kind, text)| match kind {
            Kind::Model(format) => read_model(format, &Source::new("sound", text.clone())).ok(),
            Kind::Claims | Kind::Automaton => None,
        })
        .expect("the examples are sound");
    let mut accepted = 0;
    let mut by_kind: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for round in 0..MUTATIONS {
        let seeds = if rng.usize(..4) > 0 { &sound } else { &broken };
        let (kind, text) = &seeds[rng.usize(..seeds.len())];
        let mut text = text.clone();
        mutate(&mut text, &mut rng);
        let attempt = AssertUnwindSafe(|| match kind {
            Kind::Claims => try_claims(&text, &machine),
            Kind::Automaton => try_automata(&text),
            Kind::Model(format) => try_model(format, &text),
        });
        match catch_unwind(attempt) {
            Ok(was_accepted) => {
                accepted += usize::from(was_accepted);
                let (all, sound) = by_kind.entry(kind.name()).or_default();
                (*all, *sound) = (*all + 1, *sound + usize::from(was_accepted));
            }
            Err(_) => panic!(
                "seed {seed}, round {round}, {}: see the panic above. The text:\n{}",
                kind.name(),
                text.escape_ascii()
            ),
        }
    }
    println!("seed {seed}, tried and accepted: {by_kind:?}");
    assert!(by_kind.len() == FORMATS.len() + 2 && by_kind.values().all(|it| it.1 > 0));
    assert!(accepted > MUTATIONS / 20, "only {accepted} texts were accepted; too few to tell");
}
