//! Claims about programs that call themselves, on the graph of [descents](crate::summary).
//!
//! In the graph of calls a call is one point, so that nothing is seen of what global variables are
//! meanwhile. In the graph of descents a call is skipped, if it returns, or entered for good, so
//! that all of its states are there. [`graph`] is that graph with labels, and [`claim`] a claim
//! about it that decides one about the program. What `main` calls is not skipped: its body is there
//! once more for each site and variant, and returns to `main`. Only what is called in it is skipped
//! or entered.
//!
//! # Why it is right
//! A run of the program is one of the graph with some states left out: calls that return are
//! skipped, and those that never do are entered. Conversely, a run that is *shown to exist* in the
//! graph skips no call, since no return is for sure, so that it is a run of the program as long as
//! it has not come to an end of a procedure, where what comes next is not known. All points must
//! be total, so that every state has a run. A state at a site is the same as that at the beginning
//! of the callee, and skipped states do not count, so that claims must not speak of next states.
//! Then, in a state of `main` or of what it calls:
//!
//! * `E [f U g]` is true in the program if it is shown in the graph. If it is true in the program,
//!   it is true in the graph: calls that are open when `g` comes are entered, the others skipped;
//! * `EG f` is the same as `EG (f & !end)` in the graph: what is entered for good has no end.
//!
//! In another state of a procedure, whose frames below are not known, the same shows that a formula
//! is true. It may be true without that, by what happens after the end: if `E [f U (g | end)]` or
//! `EG f`, where the end stays for ever, is not true in the graph, then the formula is not true in
//! the program. So each part of a claim is made in one of two ways, by what its truth is needed
//! for.

use crate::bodies::Whole;
use crate::flow::{Edge, Flow, Point, PointId, Proposition};
use crate::summary::{ENDS, Variant, descents, entered, part};
use std::collections::BTreeMap;
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, TermId};

/// The label of ends of procedures; no label of a program has a blank.
const END: &str = "procedure end";
/// The label of points of `main`, and of what it calls.
const MAIN: &str = "in main";

/// The most points of the graph.
const MOST_POINTS: usize = 4000;

/// The graph of descents with the labels of the program, in which what `main` calls is there as it
/// is; `None` if some state may have no step, or if it is too large.
pub fn graph(whole: &Whole<'_>, variants: &[Variant]) -> Option<Flow> {
    let main = &whole.main;
    let mut flow = descents(whole, variants, &[], false);
    for (id, point) in main.flow.points.iter() {
        let labels = &mut flow.points[id].labels;
        labels.clone_from(&point.labels);
        labels.push(MAIN.to_owned());
    }
    for variant in variants {
        let body = &whole.bodies[variant.procedure];
        for (id, point) in body.flow.points.iter() {
            let own = &mut flow.points[PointId::new(variant.first + id.index())];
            own.labels = ends(&point.labels);
            if body.exit == Some(id) {
                // It has an edge to itself.
                own.labels = vec![END.to_owned()];
                own.total = true;
            }
        }
    }
    let is_own = |edge: &&Edge| !main.sites.contains_key(&edge.from);
    for edge in main.flow.edges.as_slice().iter().filter(is_own) {
        flow.edges.push(edge.clone());
    }
    flow.starts.clone_from(&main.flow.starts);
    for (site, variant) in calls(whole, variants) {
        called(whole, variants, (site, variant), &mut flow);
        if flow.points.len() > MOST_POINTS {
            return None;
        }
    }
    flow.points.as_slice().iter().all(|point| point.total).then_some(flow)
}

/// The labels of points that stay for ever, among these.
fn ends(labels: &[String]) -> Vec<String> {
    labels.iter().filter(|label| ENDS.contains(&label.as_str())).cloned().collect()
}

/// The sites of `main`, each with the variants that are called there, in the order in which they
/// have points of their own behind those of the graph of descents.
pub fn calls<'a>(
    whole: &'a Whole<'_>,
    variants: &'a [Variant],
) -> impl Iterator<Item = (PointId, &'a Variant)> {
    whole.main.sites.iter().flat_map(move |(&site, &procedure)| {
        let called = variants.iter().filter(move |it| it.procedure == procedure);
        called.map(move |variant| (site, variant))
    })
}

/// Adds the body of a variant that `main` calls at a site, from where it returns to `main`. All
/// frames are known there, so that it is a part of `main`.
fn called(
    whole: &Whole<'_>,
    variants: &[Variant],
    (site, variant): (PointId, &Variant),
    flow: &mut Flow,
) {
    let body = &whole.bodies[variant.procedure];
    let first = flow.points.len();
    for (id, point) in body.flow.points.iter() {
        let mut own = Point { labels: ends(&point.labels), ..point.clone() };
        own.labels.push(MAIN.to_owned());
        if body.exit == Some(id) {
            own.total = flow.points[site].total;
        }
        flow.add_point(own);
    }
    let own = Variant { first, ..variant.clone() };
    for enter in entered(whole, &own, &[]) {
        flow.edges.push(Edge { from: site, ..enter });
    }
    part(whole, variants, body, first, flow);
    let back = whole.main.flow.edges.as_slice().iter().filter(|edge| edge.from == site);
    for (edge, exit) in back.filter_map(|edge| Some((edge, body.exit?))) {
        let from = PointId::new(first + exit.index());
        flow.edges.push(Edge { from, ..edge.clone() });
    }
}

/// A claim about the graph, and what its propositions mean.
pub type Claim = (Program, BTreeMap<AtomId, Proposition>);

/// The claim about the graph that shows, if it holds there, that a claim holds; or, if `holds` is
/// not set, one that shows by failing there that it fails. `None` if it speaks of next states.
pub fn claim(
    program: &Program,
    propositions: &BTreeMap<AtomId, Proposition>,
    holds: bool,
) -> Option<Claim> {
    let last = propositions.keys().next_back().map_or(0, |atom| atom.index() + 1);
    let (end, main) = (AtomId::new(last), AtomId::new(last + 1));
    let mut meanings = propositions.clone();
    meanings.insert(end, Proposition::Label(END.to_owned()));
    meanings.insert(main, Proposition::Label(MAIN.to_owned()));
    let needed = needed(program, holds);
    let mut maker = Maker { terms: Table::new(), end, main };
    let mut made: Table<TermId, [Option<TermId>; 4]> = Table::new();
    for (id, &term) in program.terms.iter() {
        let mut versions = [None; 4];
        for version in Version::ALL.into_iter().filter(|it| needed[id][it.number()]) {
            let of = |part: TermId, it: Version| made.get(part)?[it.number()];
            versions[version.number()] = Some(maker.version(term, version, of)?);
        }
        made.push(versions);
    }
    let root = made.get(program.root)?[Version { at_least: !holds, nested: false }.number()]?;
    Some((Program { terms: maker.terms, root }, meanings))
}

/// What a formula about the graph is made for.
#[derive(Clone, Copy)]
struct Version {
    /// It is true at least where the formula is true in the program, rather than at most there.
    at_least: bool,
    /// It is asked for in all states, rather than in those of `main`.
    nested: bool,
}

impl Version {
    const ALL: [Version; 4] = [
        Version { at_least: false, nested: false },
        Version { at_least: true, nested: false },
        Version { at_least: false, nested: true },
        Version { at_least: true, nested: true },
    ];

    fn number(self) -> usize {
        usize::from(self.at_least) + 2 * usize::from(self.nested)
    }
}

/// Which versions of each term are needed.
fn needed(program: &Program, holds: bool) -> Table<TermId, [bool; 4]> {
    let mut needed = Table::filled([false; 4], program.terms.len());
    needed[program.root][Version { at_least: !holds, nested: false }.number()] = true;
    for number in (0..program.terms.len()).rev() {
        let id = TermId::new(number);
        let term = program.terms[id];
        for version in Version::ALL {
            if !needed[id][version.number()] {
                continue;
            }
            let of = Version {
                at_least: version.at_least != matches!(term, Term::Not(_)),
                nested: version.nested || term.is_temporal(),
            };
            term.operands().for_each(|part| needed[part][of.number()] = true);
        }
    }
    needed
}

struct Maker {
    terms: Table<TermId, Term>,
    end: AtomId,
    main: AtomId,
}

impl Maker {
    /// A term, the same for equal ones.
    fn make(&mut self, term: Term) -> TermId {
        let known = self.terms.iter().find(|(_, known)| **known == term).map(|(id, _)| id);
        known.unwrap_or_else(|| self.terms.push(term))
    }

    fn not(&mut self, f: TermId) -> TermId {
        self.make(Term::Not(f))
    }

    /// One formula in `main`, another elsewhere.
    fn by_place(&mut self, in_main: TermId, elsewhere: TermId) -> TermId {
        let main = self.make(Term::Atom(self.main));
        let not_main = self.not(main);
        let first = self.make(Term::And(main, in_main));
        let second = self.make(Term::And(not_main, elsewhere));
        self.make(Term::Or(first, second))
    }

    /// A version of a term, by those of its operands.
    fn version(
        &mut self,
        term: Term,
        version: Version,
        of: impl Fn(TermId, Version) -> Option<TermId>,
    ) -> Option<TermId> {
        let inner = Version { nested: true, ..version };
        let goes_on = version.at_least && version.nested;
        Some(match term {
            Term::True | Term::Atom(_) => self.make(term),
            Term::Not(f) => {
                let f = of(f, Version { at_least: !version.at_least, ..version })?;
                self.not(f)
            }
            Term::And(f, g) => {
                let (f, g) = (of(f, version)?, of(g, version)?);
                self.make(Term::And(f, g))
            }
            Term::Or(f, g) => {
                let (f, g) = (of(f, version)?, of(g, version)?);
                self.make(Term::Or(f, g))
            }
            Term::Ex(_) => return None,
            Term::Eu(f, g) => {
                let (f, g) = (of(f, inner)?, of(g, inner)?);
                let plain = self.make(Term::Eu(f, g));
                if !goes_on {
                    return Some(plain);
                }
                let end = self.make(Term::Atom(self.end));
                let or_end = self.make(Term::Or(g, end));
                let elsewhere = self.make(Term::Eu(f, or_end));
                self.by_place(plain, elsewhere)
            }
            Term::Eg(f) => {
                let f = of(f, inner)?;
                let end = self.make(Term::Atom(self.end));
                let not_end = self.not(end);
                let lasting = self.make(Term::And(f, not_end));
                let lasting = self.make(Term::Eg(lasting));
                if !goes_on {
                    return Some(lasting);
                }
                let elsewhere = self.make(Term::Eg(f));
                self.by_place(lasting, elsewhere)
            }
        })
    }
}
