//! Propositions that are more than labels: comparisons of variables, events of programs.
//!
//! A claim may say `x = 1` or `call("*.close")`. Most models only have labels, and such a
//! proposition is then a label of that name. A format whose models know more gives a [`Vocabulary`]
//! beside the machine. It is asked once for each proposition of the claims that is no label; what
//! it answers becomes a label of the machine, so that engines, certifier and reports see labels
//! only. What it does not understand is an error at the place of the proposition.

use crate::problem::Problem;
use crate::stack::{self, Symbols, Tracked};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;
use tern_model::index::{Id, Lists};
use tern_model::logic::rewrite::rebuild;
use tern_model::logic::words;
use tern_model::quoted;
use tern_model::{
    AtomId, Budget, Claim, Claims, Formula, FormulaId, Formulas, Limit, Machine, NodeId, Property,
    Start,
};

/// What knows where propositions hold in the machine that a text became, and the values there.
pub trait Vocabulary: fmt::Debug + Send + Sync {
    /// The nodes at which a proposition holds, given by its text; in any order, each once.
    ///
    /// # Errors
    /// That it is no proposition of the model, or that the budget ran out.
    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood>;

    /// The values of variables at a node: their names and what they are, in the order of their
    /// declarations.
    fn values(&self, _node: NodeId) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The model as two formulas, the initial states and the transition relation, as text.
    ///
    /// # Errors
    /// Why there are none.
    fn formulas(&self) -> Result<String, String> {
        Err("models of this format are not translated to formulas".to_owned())
    }

    /// The names of what a claim ranges over: `fields("Foo.*")`.
    ///
    /// # Errors
    /// That the model has no such things, or that the budget ran out.
    fn domain(&self, text: &str, _budget: &Budget) -> Result<Vec<String>, NotUnderstood> {
        Err(NotUnderstood::Proposition {
            message: format!("claims about this model cannot range over `{text}`"),
            hint: Some("`forall` is for programs; write a claim for each thing".to_owned()),
        })
    }

    /// The machine in which the wanted propositions are labels, where it depends on them; nothing
    /// if the machine is the same for all claims, or was made for these before.
    ///
    /// # Errors
    /// When the budget runs out.
    fn machine(&mut self, _wanted: &Wanted, _budget: &Budget) -> Result<Option<Machine>, Limit> {
        Ok(None)
    }

    /// What verdicts are about, if the machine is not the system itself.
    fn about(&self) -> Option<&About> {
        None
    }

    /// How long what came before deciding took, in seconds, part by part.
    fn seconds(&self) -> &[(&'static str, f64)] {
        &[]
    }

    /// What else there is to know of the source, as lines for people.
    fn summary(&self) -> Option<String> {
        None
    }

    /// Whether propositions that are no labels are to be asked for.
    fn knows_more(&self) -> bool {
        true
    }

    /// What properties of the stack call the components, by component; their own names if it does
    /// not say.
    fn component_names(&self) -> Option<&[String]> {
        None
    }

    /// The stack symbols, if the model is a pushdown system.
    fn stack_symbols(&self) -> Option<&Symbols> {
        None
    }

    /// How components were copied to track the stack, the last time first.
    fn copies(&self) -> Vec<Copies<'_>> {
        Vec::new()
    }
}

/// Components that were copied to track the stack.
#[derive(Clone, Debug)]
pub struct Copies<'a> {
    /// The machine before that.
    pub before: &'a Machine,
    /// The node of it that each node is a copy of.
    pub nodes: &'a [NodeId],
    /// What properties of the stack call its components.
    pub names: Vec<&'a str>,
    /// Its stack symbols, if it has any.
    pub symbols: Option<&'a Symbols>,
}

impl Vocabulary for Symbols {
    fn nodes(&self, text: &str, _: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        let message = format!("`{text}` is no label");
        Err(NotUnderstood::Proposition { message, hint: None })
    }

    fn knows_more(&self) -> bool {
        false
    }

    fn stack_symbols(&self) -> Option<&Symbols> {
        Some(self)
    }
}

/// What claims ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The names of all propositions.
    pub names: BTreeSet<String>,
    /// Whether it matters what a single step is: a formula has `X`, or there is an automaton.
    pub steps: bool,
    /// Whether single steps, if they matter, do so only where a proposition holds: what
    /// `AG (write(x) -> EX …)` says does not depend on what a step is elsewhere.
    pub beside: bool,
    /// Whether some claim begins elsewhere than at the initial nodes.
    pub elsewhere: bool,
    /// Whether claims differ in the calls that they speak of.
    pub mixed: bool,
}

impl Wanted {
    /// What claims and their fairness conditions ask for. Without a claim, single steps matter:
    /// somebody wants to see them.
    pub fn by(claims: &Claims) -> Self {
        let formulas = &claims.formulas;
        let fair = claims.fair().iter().flat_map(|condition| condition.fairness.formulas());
        let mut wanted = Wanted {
            names: propositions(claims),
            steps: claims.list().is_empty(),
            beside: !claims.list().is_empty(),
            elsewhere: begins_elsewhere(claims),
            mixed: false,
        };
        let calls = |claim: &Claim| -> BTreeSet<AtomId> {
            let is_call = |atom: &AtomId| formulas.atom_name(*atom).starts_with("call(");
            claim.property.atoms(formulas).into_iter().filter(is_call).collect()
        };
        let mut of_claims = claims.list().iter().map(calls);
        let first = of_claims.next();
        wanted.mixed = of_claims.any(|other| first.as_ref() != Some(&other));
        for formula in fair {
            wanted.steps |= has_next(formulas, formula);
            wanted.beside &= next_is_beside(formulas, formula);
        }
        for claim in claims.list() {
            wanted.note(formulas, &claim.property);
        }
        wanted
    }

    /// Adds what one claim asks for.
    pub fn note(&mut self, formulas: &Formulas, property: &Property) {
        self.steps |= property.formula().is_none_or(|formula| has_next(formulas, formula));
        self.beside &= property.formula().is_some_and(|it| next_is_beside(formulas, it));
        let atoms = property.atoms(formulas).into_iter();
        self.names.extend(atoms.map(|atom| formulas.atom_name(atom).to_owned()));
    }
}

fn has_next(formulas: &Formulas, root: FormulaId) -> bool {
    let is_next = |&id: &FormulaId| matches!(formulas.get(id), Formula::Next(_));
    formulas.subformulas(root).iter().any(is_next)
}

/// What a formula says of a path that begins where no proposition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bare {
    Is(bool),
    /// It depends on the path, but not on what a single step is.
    Depends,
    /// It depends on the next step.
    OnNext,
}

impl Bare {
    fn not(self) -> Self {
        match self {
            Bare::Is(value) => Bare::Is(!value),
            other => other,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Bare::Is(false), _) | (_, Bare::Is(false)) => Bare::Is(false),
            (Bare::Is(true), it) | (it, Bare::Is(true)) => it,
            (Bare::OnNext, _) | (_, Bare::OnNext) => Bare::OnNext,
            (Bare::Depends, Bare::Depends) => Bare::Depends,
        }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

/// Whether `X` matters only where some proposition holds: elsewhere, whatever it stands in is true
/// or false anyway. Properties of the stack hold anywhere, and do not count.
fn next_is_beside(formulas: &Formulas, root: FormulaId) -> bool {
    use Formula::*;
    let mut known: FxHashMap<FormulaId, Bare> = FxHashMap::default();
    for id in formulas.subformulas(root) {
        let of = |id: FormulaId| known[&id];
        let formula = formulas.get(id);
        let value = match formula {
            True => Bare::Is(true),
            False => Bare::Is(false),
            Atom(atom) if stack::is_property(formulas.atom_name(atom)) => Bare::Depends,
            Atom(_) => Bare::Is(false),
            Not(f) => of(f).not(),
            And(f, g) => of(f).and(of(g)),
            Or(f, g) => of(f).or(of(g)),
            Implies(f, g) => of(f).not().or(of(g)),
            Iff(f, g) => of(f).and(of(g)).or(of(f).not().and(of(g).not())),
            Xor(f, g) => of(f).and(of(g).not()).or(of(f).not().and(of(g))),
            Exists(f) | All(f) => of(f),
            _ if formula.operands().any(|it| of(it) == Bare::OnNext) => return false,
            Next(_) => Bare::OnNext,
            Finally(_) | Globally(_) | Until(..) | Release(..) | WeakUntil(..)
            | StrongRelease(..) => Bare::Depends,
        };
        known.insert(id, value);
    }
    known[&root] != Bare::OnNext
}

/// What verdicts are about, if the machine is not the system itself but made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// In one word, for programs that read results: `control`.
    pub word: &'static str,
    /// For people, as in "holds of the control flow".
    pub words: &'static str,
    /// What is not modelled: a sentence each.
    pub notes: Vec<String>,
    /// The same in numbers: what, and how often.
    pub counts: Vec<(&'static str, usize)>,
}

/// How many claims each claim became, or the claims whose range is not understood, and why.
pub type Expanded = Result<Vec<usize>, Vec<(usize, Problem)>>;

/// Puts a claim for each thing in the place of claims that range over things. Says how many claims
/// each became; if the model does not understand what is ranged over, gives the claims for which
/// that is so, and what is wrong.
///
/// # Errors
/// When the budget runs out.
pub fn expand(
    vocabulary: Option<&dyn Vocabulary>,
    claims: &mut Claims,
    budget: &Budget,
) -> Result<Expanded, Limit> {
    let mut domains: Vec<Vec<String>> = Vec::new();
    let mut wrong = Vec::new();
    for (number, claim) in claims.list().iter().enumerate() {
        let Some(quantifier) = &claim.quantifier else { continue };
        let asked = match vocabulary {
            Some(words) => words.domain(&quantifier.domain, budget),
            None => Nothing.domain(&quantifier.domain, budget),
        };
        match asked {
            Ok(things) => domains.push(things),
            Err(NotUnderstood::Limit(limit)) => return Err(limit),
            Err(NotUnderstood::Proposition { message, hint }) => {
                let problem = Problem { hint, ..Problem::error("C006", message) };
                wrong.push((number, problem.at(quantifier.span, "not understood")));
            }
        }
    }
    if !wrong.is_empty() {
        return Ok(Err(wrong));
    }
    let mut domains = domains.into_iter();
    Ok(Ok(claims.expand(|formulas, claim, formula| {
        let things = domains.next().unwrap_or_default();
        things.iter().map(|thing| instance(formulas, claim, formula, thing)).collect()
    })))
}

/// The claim about one thing.
fn instance(formulas: &mut Formulas, claim: &Claim, formula: FormulaId, thing: &str) -> Claim {
    let variable = claim.quantifier.as_ref().map_or("", |it| it.variable.as_str());
    let made = rebuild(formulas, formula, |formulas, id, made| match formulas.get(id) {
        Formula::Atom(atom) => {
            let name = formulas.atom_name(atom).to_owned();
            match name.strip_suffix(&format!("({variable})")) {
                Some(word) => {
                    let mut text = format!("{word}(");
                    quoted::push_quoted(&mut text, thing);
                    text.push(')');
                    let spelt = words::applied(&text).map_or(text, |(_, spelt)| spelt);
                    formulas.atom(&spelt)
                }
                None => formulas.make(made),
            }
        }
        _ => formulas.make(made),
    });
    let name = match &claim.name {
        Some(name) => format!("{name} {thing}"),
        None => thing.to_owned(),
    };
    let (origin, span) = (claim.origin.clone(), claim.span);
    let (start, under) = (claim.start.clone(), claim.under);
    Claim { name: Some(name), origin, span, start, under, ..Claim::new(made) }
}

/// The vocabulary of models that have labels only.
#[derive(Debug)]
struct Nothing;

impl Vocabulary for Nothing {
    fn nodes(&self, _: &str, _: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        Ok(Vec::new())
    }
}

/// The vocabulary of a machine some of whose components were copied to track the stack.
#[derive(Debug)]
struct Copied {
    /// That of the original, if it has one.
    inner: Option<Box<dyn Vocabulary>>,
    before: Machine,
    /// The node of the original that each node is a copy of, and the copies of each.
    original: Vec<NodeId>,
    copies: Lists<NodeId, NodeId>,
    /// The names of components before they were copied.
    component_names: Vec<String>,
    /// The stack symbols, if there are any.
    symbols: Option<Symbols>,
}

impl Vocabulary for Copied {
    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        let Some(inner) = &self.inner else { return Ok(Vec::new()) };
        let nodes = inner.nodes(text, budget)?;
        // What was never reached has no copies.
        let of = |node: NodeId| match node.index() < self.copies.len() {
            true => self.copies.of(node),
            false => &[],
        };
        Ok(nodes.into_iter().flat_map(|node| of(node).iter().copied()).collect())
    }

    fn values(&self, node: NodeId) -> Vec<(String, String)> {
        let inner = self.inner.as_ref();
        inner.map(|it| it.values(self.original[node.index()])).unwrap_or_default()
    }

    fn knows_more(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.knows_more())
    }

    fn about(&self) -> Option<&About> {
        self.inner.as_ref().and_then(|inner| inner.about())
    }

    fn seconds(&self) -> &[(&'static str, f64)] {
        self.inner.as_ref().map_or(&[], |inner| inner.seconds())
    }

    fn component_names(&self) -> Option<&[String]> {
        Some(&self.component_names)
    }

    fn stack_symbols(&self) -> Option<&Symbols> {
        self.symbols.as_ref()
    }

    fn copies(&self) -> Vec<Copies<'_>> {
        let inner = self.inner.as_deref();
        let names: Vec<&str> = match inner.and_then(|inner| inner.component_names()) {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => self.before.components().map(|it| self.before.component_name(it)).collect(),
        };
        let symbols = inner.and_then(|inner| inner.stack_symbols());
        let own = Copies { before: &self.before, nodes: &self.original, names, symbols };
        let mut all = vec![own];
        all.extend(inner.into_iter().flat_map(|inner| inner.copies()));
        all
    }
}

/// Why a proposition has no nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotUnderstood {
    /// The model does not understand it.
    Proposition {
        /// What is wrong with it: begins in lower case, ends without a full stop.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The budget ran out.
    Limit(Limit),
}

impl From<Limit> for NotUnderstood {
    fn from(limit: Limit) -> Self {
        NotUnderstood::Limit(limit)
    }
}

/// A proposition that was not understood, and what is wrong with it, without a place.
pub type Misunderstood = (String, Problem);

/// The names of all propositions of claims and their fairness conditions.
pub fn propositions(claims: &Claims) -> BTreeSet<String> {
    let formulas = &claims.formulas;
    let used = claims.list().iter().flat_map(|claim| claim.property.atoms(formulas));
    let fair = claims.fair().iter().flat_map(|condition| condition.fairness.formulas());
    let fair = fair.flat_map(|formula| formulas.atoms_of(formula));
    used.chain(fair).map(|atom| formulas.atom_name(atom).to_owned()).collect()
}

/// Whether a proposition speaks of the stack.
pub fn is_of_stack(name: &str) -> bool {
    stack::is_property(name)
}

/// The components that a property of the stack names; none if it is no such property.
pub fn named_on_stack(name: &str) -> Vec<String> {
    stack::named(name)
}

/// Whether some claim begins elsewhere than at the initial nodes.
pub fn begins_elsewhere(claims: &Claims) -> bool {
    claims.list().iter().any(|claim| claim.start != Start::Initial)
}

/// Makes labels of the propositions that the vocabulary of a machine understands and that are no
/// labels of it yet, and of properties of the stack, for which components may be copied: nodes are
/// then others, and so claims must not begin elsewhere than at initial nodes. Gives all that is not
/// understood; the machine is not copied then.
///
/// # Errors
/// When the budget runs out.
pub fn label(
    machine: &mut Machine,
    vocabulary: &mut Option<Box<dyn Vocabulary>>,
    wanted: &Wanted,
    budget: &Budget,
) -> Result<Vec<Misunderstood>, Limit> {
    let Wanted { names, elsewhere: begins_elsewhere, .. } = wanted;
    if let Some(words) = vocabulary.as_mut()
        && let Some(made) = words.machine(wanted, budget)?
    {
        *machine = made;
    }
    let mut misunderstood = Vec::new();
    let is_asked = vocabulary.as_ref().is_some_and(|words| words.knows_more());
    if let Some(words) = vocabulary.as_ref().filter(|words| words.knows_more()) {
        for name in names.iter().filter(|name| !stack::is_property(name)) {
            if machine.label(name).is_some() {
                continue;
            }
            match words.nodes(name, budget) {
                // What code never does is no label, so that it is warned of.
                Ok(nodes) if nodes.is_empty() && words.about().is_some() => {}
                Ok(nodes) => machine.add_labels([(name.as_str(), nodes)]),
                Err(NotUnderstood::Limit(limit)) => return Err(limit),
                Err(NotUnderstood::Proposition { message, hint }) => {
                    let problem = Problem { hint, ..Problem::error("C006", message) };
                    misunderstood.push((name.clone(), problem));
                }
            }
        }
    }
    let own = vocabulary.as_ref().and_then(|words| words.component_names());
    let components: Vec<&str> = match own {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => machine.components().map(|it| machine.component_name(it)).collect(),
    };
    let symbols = vocabulary.as_ref().and_then(|words| words.stack_symbols());
    let tracked = match stack::track(machine, &components, symbols, names, is_asked, budget)? {
        Ok(Some(_)) if *begins_elsewhere => {
            let properties = names.iter().filter(|name| stack::is_property(name));
            misunderstood.extend(properties.map(|name| {
                let message = "a claim that begins elsewhere than the machine, \
                               and a property of the stack";
                let hint = "check claims that begin elsewhere in a run of their own";
                (name.clone(), Problem::error("C006", message).hint(hint))
            }));
            None
        }
        Ok(tracked) => tracked,
        Err(wrong) => {
            misunderstood.extend(wrong);
            None
        }
    };
    if let Some(Tracked { machine: copy, original, component_names, symbols }) = tracked
        && misunderstood.is_empty()
    {
        let pairs = original.iter().enumerate().map(|(new, &old)| (old, NodeId::new(new)));
        let copies = Lists::gather(machine.node_count(), pairs);
        let inner = vocabulary.take();
        let before = std::mem::replace(machine, copy);
        let copied = Copied { inner, before, original, copies, component_names, symbols };
        *vocabulary = Some(Box::new(copied));
    }
    Ok(misunderstood)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, claims, tern};

    /// Knows `first` and nothing else.
    #[derive(Debug)]
    struct First(NodeId);

    impl Vocabulary for First {
        fn nodes(&self, text: &str, _: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
            match text {
                "first" => Ok(vec![self.0]),
                _ => Err(NotUnderstood::Proposition {
                    message: format!("there is no variable `{text}`"),
                    hint: Some("write `first`".to_owned()),
                }),
            }
        }
    }

    #[test]
    fn what_is_no_label_is_asked_for() {
        let source = Source::new("m.tern", "component main { initial a {p} -> b; node b -> b; }");
        let budget = Budget::unlimited();
        let (mut machine, mut said) = tern::read(&source, &budget).expect("sound");
        let a = machine.initial()[0];
        claims::read_one(&mut said, "EF (first & p)").expect("sound");
        let mut words: Option<Box<dyn Vocabulary>> = Some(Box::new(First(a)));
        let found = label(&mut machine, &mut words, &Wanted::by(&said), &budget);
        let found = found.expect("no limit");
        assert_eq!(found, []);
        let first = machine.label("first").expect("it is a label now");
        assert_eq!(machine.labelled(first).to_vec(), [a]);

        let said_before = machine.label_count();
        claims::read_one(&mut said, "EF second").expect("sound");
        let found = label(&mut machine, &mut words, &Wanted::by(&said), &budget);
        let found = found.expect("no limit");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "second");
        assert_eq!(found[0].1.hint.as_deref(), Some("write `first`"));
        assert_eq!(machine.label_count(), said_before);
    }
}
