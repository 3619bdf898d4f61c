//! Claims: what is said of a machine, where it is to be true, and where it was written.
//!
//! A [`Claim`] knows itself: whether it is a formula or an automaton, of which configurations it
//! speaks, and the place it has in a file. [`Claims`] keeps claims together with the fairness
//! conditions that they are meant under. What a claim of the list says is said under these
//! conditions already, so that whoever decides it cannot forget them.

use crate::automaton::{Automaton, Must};
use crate::fairness::{Fairness, Followed, name_edges};
use crate::index::{AtomId, BoxId, FormulaId, NodeId};
use crate::logic::{Formula, Formulas, fair, write_quoted};
use crate::origin::Origin;
use crate::span::Span;
use std::fmt;

/// One thing that is claimed of a machine.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The name given to it, if any.
    pub name: Option<String>,
    /// What is claimed.
    pub property: Property,
    /// Where it is claimed.
    pub start: Start,
    /// Which fairness conditions it is meant under.
    pub under: Under,
    /// The place in a file that it was read from, if it was.
    pub origin: Option<Origin>,
    /// Where the whole claim stands in its source.
    pub span: Span,
    /// Where each occurrence of a subformula or proposition stands, innermost first.
    pub spans: Vec<(FormulaId, Span)>,
    /// What it is claimed of one by one, if it is: then it stands for a claim for each.
    pub quantifier: Option<Quantifier>,
}

/// What a claim says of many things: `forall v in fields("Foo.*"): AG !write(v)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantifier {
    /// The variable: `v`.
    pub variable: String,
    /// What it ranges over, as a proposition would be spelt: `fields("Foo.*")`.
    pub domain: String,
    /// Where that stands.
    pub span: Span,
}

impl Claim {
    /// A claim of the initial configurations, without a name or a place.
    pub fn new(property: impl Into<Property>) -> Self {
        Claim {
            name: None,
            property: property.into(),
            start: Start::Initial,
            under: Under::default(),
            origin: None,
            span: Span::new(0..0),
            spans: Vec::new(),
            quantifier: None,
        }
    }

    /// The formula that is claimed, unless it is an automaton.
    pub fn formula(&self) -> Option<FormulaId> {
        self.property.formula()
    }
}

/// Which of the fairness conditions of [`Claims`] a claim is meant under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Under {
    /// All of them.
    #[default]
    All,
    /// Those of weak fairness.
    Justice,
    /// None: all paths count.
    Nothing,
}

impl Under {
    /// Whether a condition counts.
    fn counts(self, condition: &Fairness) -> bool {
        match self {
            Under::All => true,
            Under::Justice => matches!(condition, Fairness::Justice(_)),
            Under::Nothing => false,
        }
    }
}

/// What is claimed.
#[derive(Clone, Debug)]
pub enum Property {
    /// That a formula is true: in a formula of paths, on all paths.
    Formula(FormulaId),
    /// That an automaton accepts runs as it must.
    Automaton(Box<AutomatonProperty>),
    /// That a formula is true that speaks of edges which are followed, by names.
    Runs(Box<RunsProperty>),
}

/// What is claimed of runs and the edges that they follow.
#[derive(Clone, Debug)]
pub struct RunsProperty {
    /// The formula.
    pub formula: FormulaId,
    /// The atoms of the formula that stand for edges. No label of the machine is meant by them.
    pub followed: Vec<Followed>,
}

/// What is claimed of an automaton.
#[derive(Clone, Debug)]
pub struct AutomatonProperty {
    /// The automaton. Its propositions live in the arena of the claims.
    pub automaton: Automaton,
    /// What is asked of it.
    pub must: Must,
    /// The fairness conditions: only runs count that are fair. Those of [`Claims`], if there are
    /// any, take their place.
    pub fair: Vec<Fairness>,
    /// What it is called: its file, and its number if there are several in it.
    pub title: String,
}

impl From<FormulaId> for Property {
    fn from(formula: FormulaId) -> Self {
        Property::Formula(formula)
    }
}

impl From<RunsProperty> for Property {
    fn from(runs: RunsProperty) -> Self {
        Property::Runs(Box::new(runs))
    }
}

impl From<AutomatonProperty> for Property {
    fn from(automaton: AutomatonProperty) -> Self {
        Property::Automaton(Box::new(automaton))
    }
}

impl Property {
    /// The formula, if it is one.
    pub fn formula(&self) -> Option<FormulaId> {
        match self {
            Property::Formula(formula) => Some(*formula),
            Property::Automaton(_) | Property::Runs(_) => None,
        }
    }

    /// The formula that it says, also if some of its atoms stand for edges.
    pub fn said(&self) -> Option<FormulaId> {
        match self {
            Property::Formula(formula) => Some(*formula),
            Property::Runs(property) => Some(property.formula),
            Property::Automaton(_) => None,
        }
    }

    /// The automaton, if it is one.
    pub fn automaton(&self) -> Option<&AutomatonProperty> {
        match self {
            Property::Formula(_) | Property::Runs(_) => None,
            Property::Automaton(property) => Some(property),
        }
    }

    /// Whether it speaks of edges that are followed.
    pub fn names_edges(&self) -> bool {
        match self {
            Property::Formula(_) => false,
            Property::Automaton(property) => property.fair.iter().any(Fairness::names_edges),
            Property::Runs(_) => true,
        }
    }

    /// The labels that it speaks of, sorted; names of edges are none.
    pub fn atoms(&self, formulas: &Formulas) -> Vec<AtomId> {
        let said: Vec<FormulaId> = match self {
            Property::Formula(formula) => return formulas.atoms_of(*formula),
            Property::Automaton(property) => {
                let fair = property.fair.iter().flat_map(Fairness::formulas);
                property.automaton.propositions.iter().copied().chain(fair).collect()
            }
            Property::Runs(property) => {
                let mut atoms = formulas.atoms_of(property.formula);
                let names: Vec<AtomId> = property
                    .followed
                    .iter()
                    .flat_map(|followed| formulas.atoms_of(followed.atom))
                    .collect();
                atoms.retain(|atom| !names.contains(atom));
                return atoms;
            }
        };
        let mut atoms: Vec<AtomId> = said.iter().flat_map(|&id| formulas.atoms_of(id)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// It in words: the formula, or in quotes what is said of the automaton.
    pub fn show<'a>(&'a self, formulas: &'a Formulas) -> ShownProperty<'a> {
        ShownProperty { property: self, formulas }
    }
}

/// What is said of pairs that name edges.
const EDGES: &str = "pairs of edges";

/// A property with the arena that its formulas live in, ready to be printed.
#[derive(Clone, Copy)]
pub struct ShownProperty<'a> {
    property: &'a Property,
    formulas: &'a Formulas,
}

impl fmt::Display for ShownProperty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AutomatonProperty { must, fair, title, .. } = match self.property {
            Property::Formula(formula) => return self.formulas.show(*formula).fmt(f),
            Property::Runs(property) => {
                let formula = self.formulas.show(property.formula);
                return write_quoted(f, &format!("{formula}, with names for edges"));
            }
            Property::Automaton(property) => &**property,
        };
        let mut words = match must {
            Must::AcceptNone => "no run".to_owned(),
            Must::AcceptAll => "every run".to_owned(),
        };
        for (i, condition) in fair.iter().enumerate() {
            words += if i == 0 { " with " } else { " & " };
            let mut formulas = Formulas::new();
            let condition = condition.import(self.formulas, &mut formulas);
            words += &match (condition.as_formula(&mut formulas), condition) {
                (Some(formula), Fairness::Justice(_)) => formulas.show(formula).to_string(),
                (Some(formula), Fairness::Compassion(_)) => format!("({})", formulas.show(formula)),
                (None, _) => EDGES.to_owned(),
            };
        }
        write_quoted(f, &format!("{words} is accepted by {title}"))
    }
}

/// The configurations that a claim is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The initial ones of the machine: its initial nodes, with an empty stack.
    #[default]
    Initial,
    /// These.
    At(Vec<Configuration>),
}

/// A state of the program: the calls that have not returned, outermost first, and a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The boxes of the calls.
    pub stack: Vec<BoxId>,
    /// The node.
    pub node: NodeId,
}

impl From<NodeId> for Configuration {
    /// The node, with an empty stack.
    fn from(node: NodeId) -> Self {
        Configuration { stack: Vec::new(), node }
    }
}

/// Claims that share an arena of formulas, and the fairness conditions they are meant under.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Where the formulas of the claims live.
    pub formulas: Formulas,
    /// Whether comparisons may stand in the texts of claims without quotes: whether the source of
    /// the machine has values to compare.
    pub comparisons: bool,
    /// The claims, in the order in which they were written. What they say is said of fair paths.
    list: Vec<Claim>,
    /// The formulas of the claims as they were written; `None` for automata.
    written: Vec<Option<FormulaId>>,
    fair: Vec<Condition>,
}

/// A fairness condition, which is met on the paths that claims are about.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What it asks.
    pub fairness: Fairness,
    /// Where each occurrence of a subformula stands, innermost first.
    pub spans: Vec<(FormulaId, Span)>,
}

impl Condition {
    /// The same condition in another arena; of its parts only the places of labels are kept.
    #[must_use]
    pub fn import(&self, from: &Formulas, into: &mut Formulas) -> Self {
        let label = |&(part, span): &(FormulaId, Span)| match from.get(part) {
            Formula::Atom(atom) => Some((into.atom(from.atom_name(atom)), span)),
            _ => None,
        };
        let spans = self.spans.iter().filter_map(label).collect();
        Condition { fairness: self.fairness.import(from, into), spans }
    }
}

impl<F: Into<Fairness>> From<F> for Condition {
    /// A condition that was not read anywhere.
    fn from(fairness: F) -> Self {
        Condition { fairness: fairness.into(), spans: Vec::new() }
    }
}

impl From<Formulas> for Claims {
    /// No claims yet, about formulas of an arena.
    fn from(formulas: Formulas) -> Self {
        Claims { formulas, ..Claims::default() }
    }
}

impl Claims {
    /// No claims.
    pub fn new() -> Self {
        Self::default()
    }

    /// The claims, in the order in which they were added. What a claim says, it says under the
    /// conditions.
    pub fn list(&self) -> &[Claim] {
        &self.list
    }

    /// The fairness conditions, in the order in which they were added.
    pub fn fair(&self) -> &[Condition] {
        &self.fair
    }

    /// The claims that are formulas, with the formulas as they were written, without the
    /// conditions.
    pub fn formulas_as_written(&self) -> impl Iterator<Item = (&Claim, FormulaId)> {
        let written = self.list.iter().zip(&self.written);
        written.filter_map(|(claim, &written)| Some((claim, written?)))
    }

    /// What is to be written so that reading it gives claims that say the same: conditions for all
    /// claims, and the formulas. If claims are meant under different conditions, these are part of
    /// the formulas.
    pub fn to_be_written(&self) -> (&[Condition], Vec<(&Claim, FormulaId)>) {
        let narrower = |claim: &Claim| {
            self.fair.iter().any(|condition| !claim.under.counts(&condition.fairness))
        };
        match self.list.iter().any(narrower) {
            false => (&self.fair, self.formulas_as_written().collect()),
            true => {
                let formulas = self.list.iter().filter_map(|it| Some((it, it.formula()?)));
                (&[], formulas.collect())
            }
        }
    }

    /// Adds a claim. It is meant under those conditions that it asks for, whether they are there
    /// or will be added.
    pub fn push(&mut self, claim: Claim) {
        self.extend([claim]);
    }

    /// Adds claims.
    pub fn extend(&mut self, claims: impl IntoIterator<Item = Claim>) {
        let first = self.list.len();
        self.list.extend(claims);
        self.written.extend(self.list[first..].iter().map(Claim::formula));
        self.fold_from(first);
    }

    /// Adds fairness conditions. They count for claims that are there already, too.
    pub fn restrict(&mut self, conditions: impl IntoIterator<Item = Condition>) {
        let before = self.fair.len();
        self.fair.extend(conditions);
        if self.fair.len() > before {
            self.fold_from(0);
        }
    }

    /// Keeps only the first claims.
    pub fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
        self.written.truncate(count);
    }

    /// Keeps only the claims that are picked, by their position and what they are.
    pub fn retain(&mut self, mut is_picked: impl FnMut(usize, &Claim) -> bool) {
        let picked: Vec<bool> =
            self.list.iter().enumerate().map(|(i, claim)| is_picked(i, claim)).collect();
        let mut of_claims = picked.iter();
        self.list.retain(|_| of_claims.next() == Some(&true));
        let mut of_written = picked.iter();
        self.written.retain(|_| of_written.next() == Some(&true));
    }

    /// Puts other claims in the place of those that are claimed of many things; `instances` is
    /// given each of these and its formula as it was written. Says how many each claim became.
    pub fn expand(
        &mut self,
        mut instances: impl FnMut(&mut Formulas, &Claim, FormulaId) -> Vec<Claim>,
    ) -> Vec<usize> {
        let old = std::mem::take(&mut self.list).into_iter().zip(std::mem::take(&mut self.written));
        let mut counts = Vec::new();
        for (claim, written) in old {
            let before = self.list.len();
            match (&claim.quantifier, written) {
                (Some(_), Some(formula)) => {
                    let made = instances(&mut self.formulas, &claim, formula);
                    self.written.extend(made.iter().map(Claim::formula));
                    self.list.extend(made);
                }
                _ => {
                    self.list.push(claim);
                    self.written.push(written);
                }
            }
            counts.push(self.list.len() - before);
        }
        self.fold_from(0);
        counts
    }

    /// Lets the claims from one on speak of fair paths.
    fn fold_from(&mut self, first: usize) {
        if self.fair.is_empty() {
            return;
        }
        for (claim, written) in self.list.iter_mut().zip(&self.written).skip(first) {
            let fair = self.fair.iter().map(|it| &it.fairness);
            let fair: Vec<Fairness> = fair.filter(|it| claim.under.counts(it)).cloned().collect();
            match (&mut claim.property, written) {
                (Property::Automaton(property), _) => property.fair = fair,
                (property, Some(written)) if fair.iter().any(Fairness::names_edges) => {
                    let said = fair.iter().flat_map(Fairness::formulas).chain([*written]);
                    let taken: Vec<AtomId> =
                        said.flat_map(|formula| self.formulas.atoms_of(formula)).collect();
                    let (fair, followed) = name_edges(&mut self.formulas, &fair, &taken);
                    let formula = fair::under(&mut self.formulas, *written, &fair);
                    *property = RunsProperty { formula, followed }.into();
                }
                (property, Some(written)) => {
                    let formula = fair::under(&mut self.formulas, *written, &fair);
                    *property = Property::Formula(formula);
                }
                (Property::Formula(_) | Property::Runs(_), None) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fairness::{Pair, Side};
    use crate::index::{Id, Table};
    use crate::machine::{Edge, Place};

    #[test]
    fn conditions_count_for_claims_before_and_after_them() {
        let mut claims = Claims::new();
        let (p, q, r) =
            (claims.formulas.atom("p"), claims.formulas.atom("q"), claims.formulas.atom("r"));
        let later = claims.formulas.make(Formula::Finally(p));
        let automaton = Automaton {
            propositions: vec![r],
            mark_count: 0,
            initial: Vec::new(),
            transitions: Table::new(),
        };
        let title = "a \"b\".hoa".to_owned();
        let must = Must::AcceptNone;
        claims.push(Claim::new(later));
        claims.push(Claim::new(AutomatonProperty { automaton, must, fair: Vec::new(), title }));
        let shown = |claims: &Claims| -> Vec<String> {
            let list = claims.list().iter();
            list.map(|claim| claim.property.show(&claims.formulas).to_string()).collect()
        };
        assert_eq!(shown(&claims), ["F p", r#""no run is accepted by a \"b\".hoa""#]);

        claims.restrict([Fairness::Justice(q).into()]);
        claims.restrict([Fairness::Justice(r).into()]);
        claims.push(Claim::new(later));
        let fair = "A [G F q & G F r -> F p]";
        let runs = r#""no run with G F q & G F r is accepted by a \"b\".hoa""#;
        assert_eq!(shown(&claims), [fair, runs, fair]);
        let written: Vec<FormulaId> = claims.formulas_as_written().map(|(_, id)| id).collect();
        assert_eq!(written, [later, later]);
        let atoms = claims.list()[1].property.atoms(&claims.formulas);
        let names: Vec<_> = atoms.into_iter().map(|it| claims.formulas.atom_name(it)).collect();
        assert_eq!(names, ["q", "r"]);

        claims.restrict([Pair { when: q.into(), then: p.into() }.into()]);
        let fair = "A [G F q & G F r & (G F q -> G F p) -> F p]";
        let runs = r#""no run with G F q & G F r & (G F q -> G F p) is accepted by a \"b\".hoa""#;
        assert_eq!(shown(&claims), [fair, runs, fair]);
        let edges = [(Place::Node(NodeId::new(0)), Edge::Step(NodeId::new(1)))];
        claims.restrict([Pair { when: Side::edges(edges), then: p.into() }.into()]);
        let runs = r#""A [G F q & G F r & (G F q -> G F p) & (G F \"followed 1\" -> G F p) -> F p], with names for edges""#;
        assert_eq!(shown(&claims)[0], runs);
        assert!(shown(&claims)[1].contains("(G F q -> G F p) & pairs of edges is accepted"));
    }

    #[test]
    fn claims_may_be_meant_under_some_conditions_only() {
        let mut claims = Claims::new();
        let (p, q, r) =
            (claims.formulas.atom("p"), claims.formulas.atom("q"), claims.formulas.atom("r"));
        let later = claims.formulas.make(Formula::Finally(p));
        let of = |under| Claim { under, ..Claim::new(later) };
        claims.extend([Under::All, Under::Justice, Under::Nothing].map(of));
        let to_be_written = |claims: &Claims| {
            let (fair, list) = claims.to_be_written();
            let shown = list.iter().map(|&(_, it)| claims.formulas.show(it).to_string());
            (fair.len(), shown.collect::<Vec<_>>())
        };
        assert_eq!(to_be_written(&claims), (0, vec!["F p".to_owned(); 3]));
        claims.restrict([Pair { when: q.into(), then: p.into() }.into()]);
        claims.restrict([Fairness::Justice(r).into()]);
        let all = "A [(G F q -> G F p) & G F r -> F p]".to_owned();
        let said = vec![all, "A [G F r -> F p]".to_owned(), "F p".to_owned()];
        assert_eq!(to_be_written(&claims), (0, said));
        claims.truncate(1);
        assert_eq!(to_be_written(&claims), (2, vec!["F p".to_owned()]));
    }
}
