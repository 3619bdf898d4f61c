//! What a claim says, read from the formula as it was written; by no law that an engine uses.
//!
//! [`check`] says whether a program of CTL terms, as a labelling has one, means a claim. Both are
//! turned into *senses*: what can be said of a configuration, in which equal senses are one.
//! Of boolean operators a sense keeps that `!!s` is s, that the order in `&` does not matter, and
//! what `true` and `false` do; everything else is as it is written. If the program and the claim
//! come to one sense, they mean the same. If not, the program is refused, whether or not it could
//! be right.
//!
//! # How a formula is read
//! A *state formula* has no temporal operator outside of its quantifiers, so it has one truth value
//! in a configuration. Of every formula f it is worked out what `E f` and `E !f` say, operands
//! first. A claim that speaks of a path is meant for all paths, and `A f` is `!E !f`. Let s be a
//! state formula:
//! ```text
//! E s            = s                            one path is like another
//! E (f | g)      = E f | E g                    the path has one or the other
//! E (s & f)      = s & E f                      s does not depend on the path
//! E X f          = EX E f                       a path is a step and a path
//! E F f          = E [true U E f]               a path is a finite one and a path
//! E G s          = EG s
//! E (s U f)      = E [s U E f]                  likewise, with s on the way
//! E (s W f)      = E [s U E f] | EG s           it comes to f, or never does
//! E (f M s)      = E [s U s & E f]              f comes, and s lasts up to then
//! E (f R s)      = E [s U s & E f] | EG s       likewise, or s lasts for ever
//! ```
//! and the negation of an operator is its dual: `!(f U g)` is `!f R !g`, `!(f W g)` is `!f M !g`,
//! `!F f` is `G !f`, and `!X f` is `X !f`, because every configuration has a next one. What these
//! do not reach, such as `E (F p & F q)`, is not said in CTL here.

use crate::lasso::path_subformulas;
use crate::refusal::{Stopped, refuse};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Literal, Program, Term};
use tern_model::{
    AtomId, Budget, Formula, FormulaId, Formulas, Id, Machine, NodeId, TermId, indices,
};

/// Checks that a program means a claim.
///
/// # Errors
/// What is wrong with it, or the limit that was reached.
pub fn check(
    formulas: &Formulas,
    claim: FormulaId,
    program: &Program,
    budget: &Budget,
) -> Result<(), Stopped> {
    let mut meter = Meter::new(budget);
    let mut senses = Senses::new();
    let Some(claimed) = senses.claim(formulas, claim, &mut meter)? else {
        return refuse("the program", "the claim is beyond CTL");
    };
    let atoms: BTreeSet<AtomId> = formulas.atoms_of(claim).into_iter().collect();
    if senses.program(program, &atoms, &mut meter)? != claimed {
        return refuse("the program", "it is not that of the claim");
    }
    Ok(())
}

/// Whether a claim can be said in CTL, as it is read here.
pub(crate) fn is_ctl(
    formulas: &Formulas,
    claim: FormulaId,
    budget: &Budget,
) -> Result<bool, Stopped> {
    Ok(Senses::new().claim(formulas, claim, &mut Meter::new(budget))?.is_some())
}

/// Where the subformulas of a claim are said in a program that means it: the state formulas, and
/// the claim itself. Some are not said in it.
pub(crate) fn terms_of(
    formulas: &Formulas,
    claim: FormulaId,
    program: &Program,
    budget: &Budget,
) -> Result<BTreeMap<FormulaId, Literal>, Stopped> {
    let mut meter = Meter::new(budget);
    let mut senses = Senses::new();
    let read = senses.subformulas(formulas, claim, &mut meter)?;
    let atoms: BTreeSet<AtomId> = formulas.atoms_of(claim).into_iter().collect();
    let said = senses.terms(program, &atoms, &mut meter)?;
    let mut term_of: BTreeMap<SenseId, Literal> = BTreeMap::new();
    for (term, &sense) in said.iter() {
        term_of.entry(sense).or_insert(Literal::Term(term));
    }
    for (term, &sense) in said.iter() {
        let opposite = senses.not(sense);
        term_of.entry(opposite).or_insert(Literal::Negated(term));
    }
    let always = senses.make(Sense::True);
    let never = senses.not(always);
    term_of.entry(always).or_insert(Literal::Constant(true));
    term_of.entry(never).or_insert(Literal::Constant(false));
    let mut found = BTreeMap::new();
    for (id, read) in read {
        let sense = match read.plain {
            None if id == claim => read.some_not.map(|some_not| senses.not(some_not)),
            plain => plain,
        };
        let term = sense.and_then(|sense| term_of.get(&sense).copied());
        found.extend(term.map(|term| (id, term)));
    }
    Ok(found)
}

/// The claim as it is read here, written in `E X`, `E U`, `E G`, `!` and `&` into another arena, so
/// that an oracle can be asked whether it means the same. `None` if it is beyond CTL.
pub fn in_ctl(formulas: &Formulas, claim: FormulaId, out: &mut Formulas) -> Option<FormulaId> {
    let mut senses = Senses::new();
    let unlimited = Budget::unlimited();
    let root = senses.claim(formulas, claim, &mut Meter::new(&unlimited)).ok()??;
    let mut written: Table<SenseId, FormulaId> = Table::new();
    for (_, &row) in senses.rows.iter() {
        let of = |sense: SenseId| written[sense];
        let path = match row {
            Sense::True => out.make(Formula::True),
            Sense::Atom(atom) => out.atom(formulas.atom_name(atom)),
            Sense::Not(f) => out.make(Formula::Not(of(f))),
            Sense::Both(f, g) => out.make(Formula::And(of(f), of(g))),
            Sense::Next(f) => out.make(Formula::Next(of(f))),
            Sense::Until(f, g) => out.make(Formula::Until(of(f), of(g))),
            Sense::Always(f) => out.make(Formula::Globally(of(f))),
        };
        written.push(match row {
            Sense::Next(_) | Sense::Until(..) | Sense::Always(_) => out.make(Formula::Exists(path)),
            _ => path,
        });
    }
    Some(written[root])
}

/// The truth of a boolean operator by its truth table; `None` for what is no such operator.
pub(crate) fn boolean(formula: Formula, of: impl Fn(FormulaId) -> bool) -> Option<bool> {
    Some(match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::Not(f) => !of(f),
        Formula::And(f, g) => of(f) & of(g),
        Formula::Or(f, g) => of(f) | of(g),
        Formula::Implies(f, g) => of(f) <= of(g),
        Formula::Iff(f, g) => of(f) == of(g),
        Formula::Xor(f, g) => of(f) != of(g),
        _ => return None,
    })
}

/// Whether a formula is `E` or `A` of another.
pub(crate) fn is_quantified(formula: Formula) -> bool {
    matches!(formula, Formula::Exists(_) | Formula::All(_))
}

/// Whether a formula has one truth value in a configuration: no temporal operator stands outside of
/// its quantifiers.
pub(crate) fn is_of_state(formulas: &Formulas, id: FormulaId) -> bool {
    path_subformulas(formulas, id).into_iter().all(|part| {
        let formula = formulas.get(part);
        matches!(formula, Formula::Atom(_))
            || is_quantified(formula)
            || boolean(formula, |_| false).is_some()
    })
}

/// Whether a formula is a boolean combination of propositions.
pub(crate) fn is_of_labels(formulas: &Formulas, id: FormulaId) -> bool {
    let parts = path_subformulas(formulas, id);
    is_of_state(formulas, id) && !parts.into_iter().any(|part| is_quantified(formulas.get(part)))
}

/// The truth of a boolean combination of labels at a node, or in the sink: operands come first.
pub(crate) fn truth_of_labels(
    machine: &Machine,
    formulas: &Formulas,
    condition: FormulaId,
    shows: Option<NodeId>,
) -> bool {
    let parts = formulas.subformulas(condition);
    let mut values: Vec<bool> = Vec::with_capacity(parts.len());
    for &part in &parts {
        let formula = formulas.get(part);
        let value = match formula {
            Formula::Atom(atom) => {
                let label = machine.label(formulas.atom_name(atom));
                shows.zip(label).is_some_and(|(node, label)| machine.has_label(node, label))
            }
            _ => {
                let of = |id| parts.binary_search(&id).is_ok_and(|at| values[at]);
                boolean(formula, of).unwrap_or(false)
            }
        };
        values.push(value);
    }
    values.last().copied().unwrap_or(false)
}

indices! {
    /// A sense.
    SenseId = "s";
}

/// What can be said of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sense {
    True,
    Atom(AtomId),
    Not(SenseId),
    /// The smaller first.
    Both(SenseId, SenseId),
    Next(SenseId),
    Until(SenseId, SenseId),
    Always(SenseId),
}

/// What is known of a formula f, as far as it can be said.
#[derive(Clone, Copy, Default)]
struct Read {
    /// f itself, if it is a state formula.
    plain: Option<SenseId>,
    /// `E f`.
    some: Option<SenseId>,
    /// `E !f`.
    some_not: Option<SenseId>,
}

impl Read {
    /// What is known of `!f`; a state formula has to be negated besides.
    fn opposite(self, plain: Option<SenseId>) -> Read {
        Read { plain, some: self.some_not, some_not: self.some }
    }
}

/// Senses, operands before what uses them.
struct Senses {
    rows: Table<SenseId, Sense>,
    known: BTreeMap<Sense, SenseId>,
}

impl Senses {
    fn new() -> Self {
        Senses { rows: Table::new(), known: BTreeMap::new() }
    }

    fn make(&mut self, sense: Sense) -> SenseId {
        *self.known.entry(sense).or_insert_with(|| self.rows.push(sense))
    }

    fn not(&mut self, f: SenseId) -> SenseId {
        match self.rows[f] {
            Sense::Not(g) => g,
            _ => self.make(Sense::Not(f)),
        }
    }

    fn both(&mut self, f: SenseId, g: SenseId) -> SenseId {
        let always = self.make(Sense::True);
        let never = self.not(always);
        let (f, g) = (f.min(g), f.max(g));
        if f == g || g == always || f == never {
            f
        } else if f == always || g == never {
            g
        } else {
            self.make(Sense::Both(f, g))
        }
    }

    fn either(&mut self, f: SenseId, g: SenseId) -> SenseId {
        let (not_f, not_g) = (self.not(f), self.not(g));
        let neither = self.both(not_f, not_g);
        self.not(neither)
    }

    fn same(&mut self, f: SenseId, g: SenseId) -> SenseId {
        let (not_f, not_g) = (self.not(f), self.not(g));
        let (both, neither) = (self.both(f, g), self.both(not_f, not_g));
        self.either(both, neither)
    }

    /// The sense of a program.
    fn program(
        &mut self,
        program: &Program,
        atoms: &BTreeSet<AtomId>,
        meter: &mut Meter<'_>,
    ) -> Result<SenseId, Stopped> {
        let senses = self.terms(program, atoms, meter)?;
        if program.root.index() >= senses.len() {
            return refuse("the program", "it has no such root");
        }
        Ok(senses[program.root])
    }

    /// The senses of the terms of a program. Every operand must come before what uses it, and every
    /// proposition must be one of the claim.
    fn terms(
        &mut self,
        program: &Program,
        atoms: &BTreeSet<AtomId>,
        meter: &mut Meter<'_>,
    ) -> Result<Table<TermId, SenseId>, Stopped> {
        let mut senses: Table<TermId, SenseId> = Table::new();
        for (id, &term) in program.terms.iter() {
            meter.tick()?;
            if term.operands().any(|operand| operand >= id) {
                return refuse("the program", format!("term {id:?} comes before its operand"));
            }
            let of = |operand: TermId| senses[operand];
            let sense = match term {
                Term::True => self.make(Sense::True),
                Term::Atom(atom) if atoms.contains(&atom) => self.make(Sense::Atom(atom)),
                Term::Atom(_) => {
                    return refuse("the program", "the claim does not speak of its proposition");
                }
                Term::Not(f) => self.not(of(f)),
                Term::And(f, g) => self.both(of(f), of(g)),
                Term::Or(f, g) => self.either(of(f), of(g)),
                Term::Ex(f) => self.make(Sense::Next(of(f))),
                Term::Eu(f, g) => self.make(Sense::Until(of(f), of(g))),
                Term::Eg(f) => self.make(Sense::Always(of(f))),
            };
            senses.push(sense);
        }
        Ok(senses)
    }

    /// The sense of a claim, if it can be said.
    fn claim(
        &mut self,
        formulas: &Formulas,
        claim: FormulaId,
        meter: &mut Meter<'_>,
    ) -> Result<Option<SenseId>, Stopped> {
        let read = self.subformulas(formulas, claim, meter)?;
        // On all paths: there is none without it.
        Ok(read[&claim].some_not.map(|some_not| self.not(some_not)))
    }

    /// What is known of the subformulas of a claim.
    fn subformulas(
        &mut self,
        formulas: &Formulas,
        claim: FormulaId,
        meter: &mut Meter<'_>,
    ) -> Result<BTreeMap<FormulaId, Read>, Stopped> {
        let mut read: BTreeMap<FormulaId, Read> = BTreeMap::new();
        for id in formulas.subformulas(claim) {
            meter.tick()?;
            let mut operands = formulas.get(id).operands().map(|f| read[&f]);
            let (f, g) = (operands.next(), operands.next());
            let found =
                self.formula(formulas.get(id), f.unwrap_or_default(), g.unwrap_or_default());
            read.insert(id, found);
        }
        Ok(read)
    }

    /// One operator, given what is known of its operands.
    fn formula(&mut self, formula: Formula, f: Read, g: Read) -> Read {
        match formula {
            Formula::True => {
                let always = self.make(Sense::True);
                self.state(always)
            }
            Formula::False => {
                let always = self.make(Sense::True);
                let never = self.not(always);
                self.state(never)
            }
            Formula::Atom(atom) => {
                let atom = self.make(Sense::Atom(atom));
                self.state(atom)
            }
            Formula::Exists(_) => self.state_if(f.some),
            Formula::All(_) => {
                let all = f.some_not.map(|some_not| self.not(some_not));
                self.state_if(all)
            }
            Formula::Not(_) => self.opposite(f),
            Formula::And(..) => self.and(f, g),
            Formula::Or(..) => {
                let (f, g) = (self.opposite(f), self.opposite(g));
                let neither = self.and(f, g);
                self.opposite(neither)
            }
            Formula::Implies(..) => {
                let not_g = self.opposite(g);
                let broken = self.and(f, not_g);
                self.opposite(broken)
            }
            Formula::Iff(..) | Formula::Xor(..) => {
                let (Some(f), Some(g)) = (f.plain, g.plain) else { return Read::default() };
                let same = self.same(f, g);
                let read = self.state(same);
                if matches!(formula, Formula::Iff(..)) { read } else { self.opposite(read) }
            }
            Formula::Next(_) => Read {
                plain: None,
                some: f.some.map(|some| self.make(Sense::Next(some))),
                some_not: f.some_not.map(|some_not| self.make(Sense::Next(some_not))),
            },
            Formula::Finally(_) => {
                let not_f = self.opposite(f);
                let plain = None;
                Read { plain, some: self.some_day(f), some_not: self.for_ever(not_f) }
            }
            Formula::Globally(_) => {
                let not_f = self.opposite(f);
                Read { plain: None, some: self.for_ever(f), some_not: self.some_day(not_f) }
            }
            Formula::Until(..) => self.until(f, g),
            Formula::WeakUntil(..) => self.weak_until(f, g),
            // Each is what its dual does not say of the negated operands.
            Formula::Release(..) => {
                let (f, g) = (self.opposite(f), self.opposite(g));
                let until = self.until(f, g);
                self.opposite(until)
            }
            Formula::StrongRelease(..) => {
                let (f, g) = (self.opposite(f), self.opposite(g));
                let weak = self.weak_until(f, g);
                self.opposite(weak)
            }
        }
    }

    /// A state formula.
    fn state(&mut self, plain: SenseId) -> Read {
        let not = self.not(plain);
        Read { plain: Some(plain), some: Some(plain), some_not: Some(not) }
    }

    fn state_if(&mut self, plain: Option<SenseId>) -> Read {
        plain.map_or(Read::default(), |plain| self.state(plain))
    }

    fn opposite(&mut self, f: Read) -> Read {
        let plain = f.plain.map(|plain| self.not(plain));
        f.opposite(plain)
    }

    fn and(&mut self, f: Read, g: Read) -> Read {
        if let (Some(f), Some(g)) = (f.plain, g.plain) {
            let both = self.both(f, g);
            return self.state(both);
        }
        let one_of_state = f.plain.is_some() || g.plain.is_some();
        let some = f.some.zip(g.some).filter(|_| one_of_state);
        Read {
            plain: None,
            some: some.map(|(f, g)| self.both(f, g)),
            some_not: f.some_not.zip(g.some_not).map(|(f, g)| self.either(f, g)),
        }
    }

    /// `E F f`.
    fn some_day(&mut self, f: Read) -> Option<SenseId> {
        let always = self.make(Sense::True);
        f.some.map(|some| self.make(Sense::Until(always, some)))
    }

    /// `E G s`.
    fn for_ever(&mut self, s: Read) -> Option<SenseId> {
        s.plain.map(|s| self.make(Sense::Always(s)))
    }

    /// `E (s U f)`.
    fn some_until(&mut self, s: Read, f: Read) -> Option<SenseId> {
        Some(self.make(Sense::Until(s.plain?, f.some?)))
    }

    /// `E (f M s)`.
    fn some_strong(&mut self, f: Read, s: Read) -> Option<SenseId> {
        let (s, some) = (s.plain?, f.some?);
        let released = self.both(s, some);
        Some(self.make(Sense::Until(s, released)))
    }

    /// A path that has the first, or one on which a state formula lasts for ever.
    fn or_for_ever(&mut self, some: Option<SenseId>, s: Read) -> Option<SenseId> {
        let (some, for_ever) = (some?, self.for_ever(s)?);
        Some(self.either(some, for_ever))
    }

    /// `f U g`, whose negation is `!f R !g`.
    fn until(&mut self, f: Read, g: Read) -> Read {
        let some = self.some_until(f, g);
        let (not_f, not_g) = (self.opposite(f), self.opposite(g));
        let strong = self.some_strong(not_f, not_g);
        Read { plain: None, some, some_not: self.or_for_ever(strong, not_g) }
    }

    /// `f W g`, whose negation is `!f M !g`.
    fn weak_until(&mut self, f: Read, g: Read) -> Read {
        let until = self.some_until(f, g);
        let some = self.or_for_ever(until, f);
        let (not_f, not_g) = (self.opposite(f), self.opposite(g));
        Read { plain: None, some, some_not: self.some_strong(not_f, not_g) }
    }
}
