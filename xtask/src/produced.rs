//! `cargo xtask produced`: how much of a program the engines that work on the fly ask for.
//!
//! A node is *produced* when an engine first asks for its edges. `on-the-fly` begins anew with each
//! claim; `hybrid` keeps what it has, so that later claims of a sequence may cost nothing more.
//! Claims are chosen so that some fail near the initial node, some fail far away or by a cycle, and
//! some hold, which means that nothing that can be reached may be left out. All three engines for
//! runs must agree.

use crate::measure::{claims_of, member};
use crate::page::{Page, note, table};
use std::io;
use std::path::Path;
use tern_engine::{Checker, Engine, Options};
use tern_front::generate::Model;
use tern_front::{Source, input, tern};
use tern_model::{Budget, Claims, Machine, Outcome, Verdict};

/// A family, its sizes, and the claims that are decided in this order.
const SUBJECTS: [(&str, &[usize], &[&str]); 3] = [
    (
        "java",
        &[50, 200, 800],
        &["G !def_dead", "F G use_0", "F G !def_0", "F G !use_dead", "G F use_dead -> G F use_0"],
    ),
    (
        "mutual",
        &[64, 256, 1024],
        &["G !down", "F G !down", "G F p -> G F q", "G F turn -> G F (p | q)"],
    ),
    // No node is labelled d.
    ("literature", &[6, 12, 24], &["G (a | b)", "F G a", "G F a -> G F (b & c)", "F G !d"]),
];

/// Runs the command.
pub(crate) fn run(page: &Page) -> io::Result<()> {
    let mut examples = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "tern"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.display().to_string());
        let (machine, claims) = read(&path)?;
        examples.extend(follow(&name, &machine, &claims)?);
    }
    let mut families = Vec::new();
    for (family, sizes, claims) in SUBJECTS {
        for &size in sizes {
            let Model { machine, .. } = member(family, size, 1, &[]);
            families.extend(follow(&format!("{family} {size}"), &machine, &claims_of(claims))?);
        }
    }
    let headers = [
        "model",
        "claim",
        "verdict",
        "nodes",
        "reachable",
        "on-the-fly",
        "share",
        "hybrid, new",
        "hybrid, in all",
    ];
    let text = format!(
        "## Nodes produced on the fly\n\n\
         `cargo xtask produced`: how many nodes of a model were asked for to decide a claim. *Share* is that of \
         `on-the-fly` in all nodes. `hybrid` decides the claims of a model one after the other, in the order of \
         the table, and keeps what it has: *new* is what a claim added, *in all* what there is then. A claim that fails \
         may be decided by a part of the nodes, though not by the very first ones: a run that fails it is looked for \
         whenever what was explored has doubled, first at about thirty edges. One that holds on all runs needs \
         everything that can be reached, unless the formula settles it before. The nodes of a model are read from \
         a file here, so that nothing is gained by not asking for them: the numbers say what a program that makes \
         its nodes on demand would save. Verdicts are those of `automata`, `tableau`, `on-the-fly` and `hybrid` \
         alike.\n\n\
         ### Examples, with those of their claims that are about all runs, or some run\n\n{}\n\
         ### Families\n\n{}",
        table(3, &headers, &examples),
        table(3, &headers, &families)
    );
    page.section("produced", &text)
}

fn read(path: &Path) -> io::Result<(Machine, Claims)> {
    let shown = path.display().to_string();
    let budget = Budget::unlimited();
    let wrong = |refusal| io::Error::other(format!("{shown}: {refusal:?}"));
    let source: Source = input::open(&shown, &budget).map_err(wrong)?;
    tern::read(&source, &budget).map_err(wrong)
}

/// The rows of one model: for each claim that engines for runs decide, what it cost.
fn follow(name: &str, machine: &Machine, claims: &Claims) -> io::Result<Vec<Vec<String>>> {
    let budget = Budget::unlimited();
    let checker =
        Checker::new(machine, &budget).map_err(|limit| io::Error::other(limit.to_string()))?;
    let (nodes, reachable) = (machine.node_count(), checker.survey().reachable.count_ones(..));
    let named = |name: &str| Engine::named(name).expect("there is such an engine");
    let on_the_fly = named("on-the-fly");
    let (mut in_all, mut rows) = (0, Vec::new());
    for claim in claims.list() {
        if !claim.formula().is_some_and(|it| on_the_fly.decides(&claims.formulas, it)) {
            continue;
        }
        let by = |engine: &str| -> Outcome {
            let options = Options { engine: Some(named(engine)), ..Options::default() };
            checker.decide(&claims.formulas, claim, &options, &budget)
        };
        let shown = claim.property.show(&claims.formulas).to_string();
        let [fly, hybrid] = ["on-the-fly", "hybrid"].map(by);
        let others = ["automata", "tableau"].map(by);
        let differs = |other: &Outcome| other.verdict != fly.verdict;
        if others.iter().chain([&hybrid]).any(differs) {
            return Err(io::Error::other(format!("{name}, {shown}: engines differ")));
        }
        let verdict = match fly.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown(gap) => return Err(io::Error::other(format!("{name}: {gap}"))),
        };
        in_all += hybrid.stats.produced;
        let produced = fly.stats.produced;
        note(&format!("{name}, {shown}: {produced} of {nodes}"));
        rows.push(vec![
            name.to_owned(),
            format!("`{}`", shown.replace('|', "\\|")),
            verdict.to_owned(),
            nodes.to_string(),
            reachable.to_string(),
            produced.to_string(),
            format!("{:.1} %", 100.0 * produced as f64 / nodes as f64),
            hybrid.stats.produced.to_string(),
            in_all.to_string(),
        ]);
    }
    Ok(rows)
}
