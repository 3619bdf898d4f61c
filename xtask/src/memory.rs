//! `cargo xtask memory`: bytes for each node of a model, and for each copy of a component.
//!
//! What is counted is what the allocator was asked for, to the byte, beyond what was in use before.
//! Models are written, read back from their text and prepared, in sizes that double. Copies are
//! counted where a single claim needs many: in machines of the family `exponential`, whose contexts
//! double with each level, on `nested`, whose contexts grow with the formula alone, and on `chain`,
//! where copies are small and many.

use crate::growth::{exponent, slope};
use crate::measure::{Limits, Measured, Memory, claims_of, measure, member, with_memory};
use crate::page::{Page, bytes, decimal, folded, note, ratio, table, time};
use std::io;
use tern_engine::{Checker, Engine};
use tern_front::{Source, tern};
use tern_model::{Budget, Claims};

/// A family, and about how many nodes a member has for each unit of its size.
const MODELS: [(&str, usize); 2] = [("chain", 5), ("java", 27)];

/// Where copies are counted.
struct Subject {
    family: &'static str,
    given: &'static [(&'static str, usize)],
    sizes: &'static [usize],
    /// The claim of the family that is decided, by name.
    claim: &'static str,
}

const SUBJECTS: [Subject; 3] = [
    Subject {
        family: "exponential",
        given: &[("deep", 1)],
        sizes: &[4, 6, 8, 10, 12, 14],
        claim: "deep",
    },
    Subject { family: "nested", given: &[], sizes: &[4, 8, 16, 32, 64], claim: "exact" },
    Subject { family: "chain", given: &[], sizes: &[256, 512, 1024, 2048, 4096], claim: "may" },
];

/// Runs the command.
pub(crate) fn run(
    max: usize,
    engines: &[&'static Engine],
    limits: Limits,
    page: &Page,
) -> io::Result<()> {
    let mut text = format!(
        "## Memory\n\n\
         `cargo xtask memory --max {max}`: bytes that were asked of the allocator beyond those in use before; the \
         same at every run to within some percent. The slope b is that of the line bytes = a + b · count that fits best, \
         so it leaves out what is there however small the model is.\n\n\
         ### Bytes for each node\n\n\
         A model in Tern's own format is read from its text, which is not counted, and prepared for claims. *Peak* \
         is at the worst moment of reading, or of preparing (beyond the machine); *kept* is what is in use \
         afterwards.\n\n"
    );
    let (mut slopes, mut rows) = (Vec::new(), Vec::new());
    for model in MODELS {
        per_node(model, max, &mut slopes, &mut rows)?;
    }
    let headers = ["family", "what", "peak, bytes a node", "kept, bytes a node", "peak, growth"];
    text += &table(2, &headers, &slopes);
    let headers = [
        "family",
        "nodes",
        "edges",
        "text",
        "reading, peak",
        "machine, kept",
        "bytes a node",
        "preparing, peak",
        "kept",
        "bytes a node",
    ];
    text += &format!("\n{}\n", folded("All measurements", &table(1, &headers, &rows)));
    text += &format!(
        "### Bytes for each copy\n\n\
         One claim that needs many contexts, at most {} each; the peak of deciding it on a prepared machine. A copy is a \
         component under a context, or under none. Its size depends on the component, and on how many operators \
         it has values of: in `nested` the formula grows with the contexts, so that a copy does too; in the \
         others the formula stays the same.\n\n",
        time(limits.timeout.as_secs_f64())
    );
    // What is set up once for the process, such as threads, belongs to no copy.
    let warm = member("chain", 2, 1, &[]);
    let checker = Checker::new(&warm.machine, &Budget::unlimited())
        .map_err(|limit| io::Error::other(limit.to_string()))?;
    for engine in engines {
        measure(&checker, &warm.claims, engine, limits, 1);
    }
    for subject in &SUBJECTS {
        text += &per_copy(subject, engines, limits)?;
    }
    page.section("memory", &text)
}

fn per_node(
    (family, unit): (&str, usize),
    max: usize,
    slopes: &mut Vec<Vec<String>>,
    rows: &mut Vec<Vec<String>>,
) -> io::Result<()> {
    // For reading and for preparing: (nodes, bytes).
    let mut points: [Vec<(f64, Memory)>; 2] = [Vec::new(), Vec::new()];
    let sizes = std::iter::successors(Some(1000), |nodes| Some(nodes * 2));
    for nodes in sizes.take_while(|&nodes| nodes <= max + max / 20) {
        let model = member(family, nodes / unit, 1, &[]);
        let source = Source::new("model.tern", tern::write(&model.machine, &model.claims));
        drop(model);
        let length = source.bytes.len() as u64;
        let budget = Budget::unlimited();
        let (read, reading) = with_memory(|| tern::read(&source, &budget));
        let (machine, _) = read.map_err(|refusal| io::Error::other(format!("{refusal:?}")))?;
        let (checker, preparing) = with_memory(|| Checker::new(&machine, &budget));
        let checker = checker.map_err(|limit| io::Error::other(limit.to_string()))?;
        drop(checker);
        let count = machine.node_count() as f64;
        note(&format!("{family} {nodes}: {} read", bytes(reading.peak)));
        let per_node = |memory: Memory| format!("{:.0}", memory.kept as f64 / count);
        rows.push(vec![
            family.to_owned(),
            machine.node_count().to_string(),
            machine.edge_count().to_string(),
            bytes(length),
            bytes(reading.peak),
            bytes(reading.kept),
            per_node(reading),
            bytes(preparing.peak),
            bytes(preparing.kept),
            per_node(preparing),
        ]);
        for (points, memory) in points.iter_mut().zip([reading, preparing]) {
            points.push((count, memory));
        }
    }
    for (what, points) in ["reading", "preparing"].into_iter().zip(points) {
        let of = |cost: fn(&Memory) -> u64| -> Vec<(f64, f64)> {
            points.iter().map(|(nodes, memory)| (*nodes, cost(memory) as f64)).collect()
        };
        slopes.push(vec![
            family.to_owned(),
            what.to_owned(),
            ratio(slope(&of(|memory| memory.peak))),
            ratio(slope(&of(|memory| memory.kept))),
            decimal(exponent(&of(|memory| memory.peak))),
        ]);
    }
    Ok(())
}

fn per_copy(subject: &Subject, engines: &[&'static Engine], limits: Limits) -> io::Result<String> {
    let Subject { family, given, sizes, claim } = *subject;
    let mut formula = String::new();
    let mut rows = Vec::new();
    let mut decided: Vec<Vec<Measured>> = vec![Vec::new(); engines.len()];
    for &size in sizes {
        let model = member(family, size, 1, given);
        let (machine, claims) = (&model.machine, only(&model.claims, claim)?);
        // Formulas may be as long as a page; those of the smallest member are shown.
        if formula.is_empty() {
            formula = claims.list()[0].property.show(&claims.formulas).to_string();
        }
        let checker = Checker::new(machine, &Budget::unlimited())
            .map_err(|limit| io::Error::other(limit.to_string()))?;
        for (engine, decided) in engines.iter().zip(&mut decided) {
            let measured = measure(&checker, &claims, engine, limits, 1);
            note(&format!("{family} {size}, {}: {}", engine.name, bytes(measured.peak)));
            let mut row = [size, machine.node_count()].map(|n| n.to_string()).to_vec();
            row.push(engine.name.to_owned());
            if measured.is_decided() {
                let (copies, peak) = (measured.stats.copies, measured.peak);
                row.extend([measured.stats.contexts, copies].map(|n| n.to_string()));
                row.extend([bytes(peak), format!("{:.0}", peak as f64 / copies as f64)]);
                decided.push(measured);
            } else {
                row.resize(5, "–".to_owned());
                row.extend([format!("> {}", bytes(measured.peak)), "–".to_owned()]);
            }
            rows.push(row);
        }
    }
    let slopes: Vec<Vec<String>> = engines
        .iter()
        .zip(&decided)
        .map(|(engine, decided)| {
            let by = |count: fn(&Measured) -> u64| {
                let points: Vec<(f64, f64)> =
                    decided.iter().map(|m| (count(m) as f64, m.peak as f64)).collect();
                points
            };
            // An engine that builds no contexts has no price for one.
            let most = decided.iter().map(|m| m.stats.contexts).max().unwrap_or(0);
            let contexts = by(|m| m.stats.contexts);
            vec![
                engine.name.to_owned(),
                most.to_string(),
                ratio(slope(&contexts).filter(|_| most > 0)),
                ratio(slope(&by(|m| m.stats.copies))),
                decimal(exponent(&by(|m| m.stats.copies))),
            ]
        })
        .collect();
    let headers =
        ["engine", "contexts, at most", "bytes a context", "bytes a copy", "growth over copies"];
    let all = ["size", "nodes", "engine", "contexts", "copies", "peak memory", "bytes a copy"];
    let set: String = given.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    Ok(format!(
        "#### {family}{set}\n\n`{formula}`{}\n\n{}\n{}\n",
        if family == "nested" { " at size 4, and so on." } else { "." },
        table(1, &headers, &slopes),
        folded("All measurements", &table(0, &all, &rows))
    ))
}

/// One claim of a model, by its name.
fn only(claims: &Claims, name: &str) -> io::Result<Claims> {
    let named = claims.list().iter().find(|claim| claim.name.as_deref() == Some(name));
    let named = named.ok_or_else(|| io::Error::other(format!("there is no claim `{name}`")))?;
    Ok(claims_of(&[&named.property.show(&claims.formulas).to_string()]))
}
