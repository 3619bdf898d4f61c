//! CTL in existential normal form: `true`, propositions, `!`, `&`, `|`, `EX`, `EU`, `EG`.
//!
//! [`lower`] turns a formula into a flat [`Program`] of such terms, in which every term stands
//! after its operands and equal terms are one. It takes more than the letter of CTL: a path
//! formula that is *equivalent* to a CTL formula by one of the laws below is lowered too, which
//! covers most of what is written in LTL (`G (p -> F q)` is `AG (p -> AF q)`). Everything is
//! decided bottom-up, for each subformula f at once what `f`, `E f` and `A f` are, if they can be
//! said in CTL:
//! ```text
//! E !f      = ! A f                       E (f | g) = E f | E g
//! E (s & f) = s & E f                     E X f     = EX E f
//! E F f     = E [true U E f]              E G s     = EG s
//! E (s U f) = E [s U E f]                 E (s W f) = E [s U E f] | EG s
//! E (f M s) = E [s U (s & E f)]           E (f R s) = E [s U (s & E f)] | EG s
//! ```
//! where s is a state formula; and the same for `A` through the dual operator.

use super::{Formula, Formulas};
use crate::index::{AtomId, FormulaId, Id, Table, TermId};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// One term of a program; operands have smaller ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// Always true.
    True,
    /// A proposition.
    Atom(AtomId),
    /// Negation.
    Not(TermId),
    /// Conjunction.
    And(TermId, TermId),
    /// Disjunction.
    Or(TermId, TermId),
    /// In some successor.
    Ex(TermId),
    /// Some path reaches the second, through the first.
    Eu(TermId, TermId),
    /// Some path stays in it for ever.
    Eg(TermId),
}

impl Term {
    /// The operands, left to right.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = TermId> {
        let (first, second) = match self {
            Term::True | Term::Atom(_) => (None, None),
            Term::Not(f) | Term::Ex(f) | Term::Eg(f) => (Some(f), None),
            Term::And(f, g) | Term::Or(f, g) | Term::Eu(f, g) => (Some(f), Some(g)),
        };
        first.into_iter().chain(second)
    }

    /// Whether this is `EX`, `EU` or `EG`.
    pub fn is_temporal(self) -> bool {
        matches!(self, Term::Ex(_) | Term::Eu(..) | Term::Eg(_))
    }

    /// The truth of `true`, `!`, `&` and `|`, given that of the operands; `None` for other terms.
    pub fn boolean(self, of: impl Fn(TermId) -> bool) -> Option<bool> {
        match self {
            Term::True => Some(true),
            Term::Not(f) => Some(!of(f)),
            Term::And(f, g) => Some(of(f) && of(g)),
            Term::Or(f, g) => Some(of(f) || of(g)),
            Term::Atom(_) | Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => None,
        }
    }
}

/// A formula in existential normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The terms, operands before what uses them; each is used by the root.
    pub terms: Table<TermId, Term>,
    /// The term that is the whole formula.
    pub root: TermId,
}

impl Program {
    /// How many terms are `EX`, `EU` or `EG`.
    pub fn temporal_count(&self) -> usize {
        self.terms.as_slice().iter().filter(|term| term.is_temporal()).count()
    }

    /// Which terms hold in the sink, which has no labels and only itself to go to.
    pub fn in_sink(&self) -> Table<TermId, bool> {
        let mut truth: Table<TermId, bool> = Table::new();
        for (_, &term) in self.terms.iter() {
            let of = |f: TermId| truth[f];
            let value = term.boolean(of).unwrap_or_else(|| term.operands().last().is_some_and(of));
            truth.push(value);
        }
        truth
    }
}

/// A formula in existential normal form, and what became of its subformulas.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The whole.
    pub program: Program,
    said: FxHashMap<FormulaId, Said>,
}

/// How a subformula f is said in a program, as far as that is part of it.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    /// `E f`; f itself, if it is a state formula.
    exists: Option<Literal>,
    /// `A f`.
    all: Option<Literal>,
    /// The temporal terms of `E !f` and of `E f`.
    ways: [Ways; 2],
}

/// What a formula became: a term, its negation, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// It is true or false, whatever the rest is.
    Constant(bool),
    /// It holds where this term does.
    Term(TermId),
    /// It holds where this term does not.
    Negated(TermId),
}

impl Literal {
    fn negated(self) -> Literal {
        match self {
            Literal::Constant(value) => Literal::Constant(!value),
            Literal::Term(term) => Literal::Negated(term),
            Literal::Negated(term) => Literal::Term(term),
        }
    }

    /// The term, if it is no constant.
    pub fn term(self) -> Option<TermId> {
        match self {
            Literal::Constant(_) => None,
            Literal::Term(term) | Literal::Negated(term) => Some(term),
        }
    }

    /// The truth, given that of terms.
    pub fn truth(self, of: impl Fn(TermId) -> bool) -> bool {
        match self {
            Literal::Constant(value) => value,
            Literal::Term(term) => of(term),
            Literal::Negated(term) => !of(term),
        }
    }
}

/// The ways in which a path can have a temporal operator's value: where one of these terms holds,
/// there is such a path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ways {
    /// An `EU`: a path that comes to a goal.
    pub until: Option<TermId>,
    /// An `EG`: a path on which something stays as it is for ever.
    pub always: Option<TermId>,
}

impl Lowered {
    /// Where it holds that on some path a subformula has this value; for a state formula, where it
    /// has it. `None` if the program does not say that.
    pub fn some_path(&self, id: FormulaId, holds: bool) -> Option<Literal> {
        let said = self.said.get(&id)?;
        if holds { said.exists } else { said.all.map(Literal::negated) }
    }

    /// The ways in which a path has a temporal operator's value, each as far as it is in the
    /// program.
    pub fn ways(&self, id: FormulaId, holds: bool) -> Ways {
        let said = self.said.get(&id);
        said.map(|said| said.ways[usize::from(holds)]).unwrap_or_default()
    }
}

/// A subformula that CTL cannot say, as far as the laws of this module go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeyondCtl(pub FormulaId);

/// Turns a claim into a program. A formula that speaks of a path is meant for all paths.
///
/// # Errors
/// The innermost quantified (or outermost, unquantified) formula that is not in reach of CTL.
pub fn lower(formulas: &Formulas, claim: FormulaId) -> Result<Program, BeyondCtl> {
    lower_parts(formulas, claim).map(|lowered| lowered.program)
}

/// Turns a claim into the same program as [`lower`], and says where its subformulas are in it.
///
/// # Errors
/// The same.
pub fn lower_parts(formulas: &Formulas, claim: FormulaId) -> Result<Lowered, BeyondCtl> {
    let mut terms = Terms::default();
    let mut forms: FxHashMap<FormulaId, Form> = FxHashMap::default();
    let parts = formulas.subformulas(claim);
    for &id in &parts {
        let formula = formulas.get(id);
        let form = match formula {
            Formula::Exists(f) => Form::state(forms[&f].exists.ok_or(BeyondCtl(id))?),
            Formula::All(f) => Form::state(forms[&f].all.ok_or(BeyondCtl(id))?),
            _ if formulas.is_state_formula(id) => {
                Form::state(terms.boolean(formula, |f| forms[&f].state))
            }
            _ => terms.path(formula, |f| forms[&f]),
        };
        forms.insert(id, form);
    }
    let root = forms[&claim].all.ok_or(BeyondCtl(claim))?;
    Ok(terms.keep(root, &parts, &forms))
}

/// What is known to be sayable of a subformula f.
#[derive(Clone, Copy, Default)]
struct Form {
    /// f itself, if it is a state formula.
    state: Option<TermId>,
    /// `E f`.
    exists: Option<TermId>,
    /// `A f`.
    all: Option<TermId>,
    /// The temporal terms of `E !f` and of `E f`.
    ways: [Ways; 2],
}

impl Form {
    fn state(term: TermId) -> Form {
        Form { state: Some(term), exists: Some(term), all: Some(term), ways: Default::default() }
    }
}

#[derive(Default)]
struct Terms {
    rows: Table<TermId, Term>,
    index: FxHashMap<Term, TermId>,
}

impl Terms {
    fn make(&mut self, term: Term) -> TermId {
        *self.index.entry(term).or_insert_with(|| self.rows.push(term))
    }

    fn not(&mut self, f: TermId) -> TermId {
        match self.rows[f] {
            Term::Not(g) => g,
            _ => self.make(Term::Not(f)),
        }
    }

    fn is_constant(&mut self, f: TermId, value: bool) -> bool {
        let top = self.make(Term::True);
        f == if value { top } else { self.not(top) }
    }

    fn and(&mut self, f: TermId, g: TermId) -> TermId {
        if f == g || self.is_constant(g, true) || self.is_constant(f, false) {
            f
        } else if self.is_constant(f, true) || self.is_constant(g, false) {
            g
        } else {
            self.make(Term::And(f, g))
        }
    }

    fn or(&mut self, f: TermId, g: TermId) -> TermId {
        if f == g || self.is_constant(g, false) || self.is_constant(f, true) {
            f
        } else if self.is_constant(f, false) || self.is_constant(g, true) {
            g
        } else {
            self.make(Term::Or(f, g))
        }
    }

    fn iff(&mut self, f: TermId, g: TermId) -> TermId {
        let (not_f, not_g) = (self.not(f), self.not(g));
        let (both, neither) = (self.and(f, g), self.and(not_f, not_g));
        self.or(both, neither)
    }

    /// A boolean combination of state formulas.
    fn boolean(&mut self, formula: Formula, of: impl Fn(FormulaId) -> Option<TermId>) -> TermId {
        let of = |f| of(f).expect("the operands of a state formula are state formulas");
        match formula {
            Formula::True => self.make(Term::True),
            Formula::False => {
                let top = self.make(Term::True);
                self.not(top)
            }
            Formula::Atom(atom) => self.make(Term::Atom(atom)),
            Formula::Not(f) => self.not(of(f)),
            Formula::And(f, g) => self.and(of(f), of(g)),
            Formula::Or(f, g) => self.or(of(f), of(g)),
            Formula::Implies(f, g) => {
                let not_f = self.not(of(f));
                self.or(not_f, of(g))
            }
            Formula::Iff(f, g) => self.iff(of(f), of(g)),
            Formula::Xor(f, g) => {
                let same = self.iff(of(f), of(g));
                self.not(same)
            }
            _ => unreachable!("quantifiers and temporal operators are not boolean"),
        }
    }

    /// `E` and `A` of a formula that speaks of a path.
    fn path(&mut self, formula: Formula, of: impl Fn(FormulaId) -> Form) -> Form {
        use Formula::*;
        let (f, g) = {
            let mut operands = formula.operands().map(of);
            let f = operands.next().expect("path formulas have operands");
            (f, operands.next().unwrap_or_default())
        };
        if let Not(_) = formula {
            return self.negate(f);
        }
        let (not_f, not_g) = (self.negate(f), self.negate(g));
        // `A f` is `! E !f`, and `!f` is the dual operator on the negated operands.
        let (exists, dual) = match formula {
            Or(..) => (self.exists_or(f, g), self.exists_and(not_f, not_g)),
            And(..) => (self.exists_and(f, g), self.exists_or(not_f, not_g)),
            Implies(..) => (self.exists_or(not_f, g), self.exists_and(f, not_g)),
            Next(_) => (self.exists_next(f), self.exists_next(not_f)),
            Finally(_) => (self.exists_finally(f), self.exists_globally(not_f)),
            Globally(_) => (self.exists_globally(f), self.exists_finally(not_f)),
            Until(..) => (self.exists_until(f, g), self.exists_release(not_f, not_g)),
            Release(..) => (self.exists_release(f, g), self.exists_until(not_f, not_g)),
            WeakUntil(..) => (self.exists_weak(f, g), self.exists_strong(not_f, not_g)),
            StrongRelease(..) => (self.exists_strong(f, g), self.exists_weak(not_f, not_g)),
            _ => (None, None), // `<->` and `xor` of paths: no law here splits them
        };
        let all = dual.map(|dual| self.not(dual));
        // These are made of terms that are there by now.
        let some = exists.map(|_| self.ways(formula, f, g)).unwrap_or_default();
        let none = dual.and_then(|_| Some(self.ways(dual_of(formula)?, not_f, not_g)));
        Form { state: None, exists, all, ways: [none.unwrap_or_default(), some] }
    }

    /// The temporal terms of `E` of an operator.
    fn ways(&mut self, formula: Formula, f: Form, g: Form) -> Ways {
        use Formula::*;
        let until = match formula {
            Finally(_) => self.exists_finally(f),
            Until(..) | WeakUntil(..) => self.exists_until(f, g),
            Release(..) | StrongRelease(..) => self.exists_strong(f, g),
            _ => None,
        };
        let always = match formula {
            Globally(_) | WeakUntil(..) => self.exists_globally(f),
            Release(..) => self.exists_globally(g),
            _ => None,
        };
        Ways { until, always }
    }

    fn negate(&mut self, form: Form) -> Form {
        Form {
            state: form.state.map(|f| self.not(f)),
            exists: form.all.map(|f| self.not(f)),
            all: form.exists.map(|f| self.not(f)),
            ways: [form.ways[1], form.ways[0]],
        }
    }

    fn exists_or(&mut self, f: Form, g: Form) -> Option<TermId> {
        Some(self.or(f.exists?, g.exists?))
    }

    fn exists_and(&mut self, f: Form, g: Form) -> Option<TermId> {
        f.state.or(g.state)?;
        Some(self.and(f.exists?, g.exists?))
    }

    fn exists_next(&mut self, f: Form) -> Option<TermId> {
        Some(self.make(Term::Ex(f.exists?)))
    }

    fn exists_finally(&mut self, f: Form) -> Option<TermId> {
        let top = self.make(Term::True);
        Some(self.make(Term::Eu(top, f.exists?)))
    }

    fn exists_globally(&mut self, f: Form) -> Option<TermId> {
        Some(self.make(Term::Eg(f.state?)))
    }

    fn exists_until(&mut self, f: Form, g: Form) -> Option<TermId> {
        Some(self.make(Term::Eu(f.state?, g.exists?)))
    }

    fn exists_weak(&mut self, f: Form, g: Form) -> Option<TermId> {
        let (until, always) = (self.exists_until(f, g)?, self.exists_globally(f)?);
        Some(self.or(until, always))
    }

    fn exists_strong(&mut self, f: Form, g: Form) -> Option<TermId> {
        let hold = g.state?;
        let both = self.and(hold, f.exists?);
        Some(self.make(Term::Eu(hold, both)))
    }

    fn exists_release(&mut self, f: Form, g: Form) -> Option<TermId> {
        let (released, always) = (self.exists_strong(f, g)?, self.exists_globally(g)?);
        Some(self.or(released, always))
    }

    /// Drops the terms that the root does not use.
    fn keep(
        self,
        root: TermId,
        parts: &[FormulaId],
        forms: &FxHashMap<FormulaId, Form>,
    ) -> Lowered {
        let mut used = FixedBitSet::with_capacity(self.rows.len());
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !used.put(id.index()) {
                stack.extend(self.rows[id].operands());
            }
        }
        let mut terms = Table::new();
        let mut renamed: Table<TermId, Option<TermId>> = Table::filled(None, self.rows.len());
        for id in used.ones().map(TermId::new) {
            let new = |f: TermId| renamed[f].expect("operands come first");
            let term = match self.rows[id] {
                Term::True => Term::True,
                Term::Atom(atom) => Term::Atom(atom),
                Term::Not(f) => Term::Not(new(f)),
                Term::And(f, g) => Term::And(new(f), new(g)),
                Term::Or(f, g) => Term::Or(new(f), new(g)),
                Term::Ex(f) => Term::Ex(new(f)),
                Term::Eu(f, g) => Term::Eu(new(f), new(g)),
                Term::Eg(f) => Term::Eg(new(f)),
            };
            renamed[id] = Some(terms.push(term));
        }
        let literal = |f: Option<TermId>| {
            let f = f?;
            match (renamed[f], self.rows[f]) {
                (_, Term::True) => Some(Literal::Constant(true)),
                (Some(new), _) => Some(Literal::Term(new)),
                (None, Term::Not(g)) if self.rows[g] == Term::True => {
                    Some(Literal::Constant(false))
                }
                (None, Term::Not(g)) => renamed[g].map(Literal::Negated),
                (None, _) => None,
            }
        };
        let way = |term: Option<TermId>| renamed[term?];
        let ways = |ways: Ways| Ways { until: way(ways.until), always: way(ways.always) };
        let said = |form: &Form| {
            let Form { exists, all, ways: [none, some], .. } = *form;
            Said { exists: literal(exists), all: literal(all), ways: [ways(none), ways(some)] }
        };
        let said = parts.iter().map(|&id| (id, said(&forms[&id]))).collect();
        let program = Program { terms, root: renamed[root].expect("the root is used") };
        Lowered { program, said }
    }
}

/// The operator that holds of negated operands where this one does not.
fn dual_of(formula: Formula) -> Option<Formula> {
    use Formula::*;
    Some(match formula {
        Finally(f) => Globally(f),
        Globally(f) => Finally(f),
        Until(f, g) => Release(f, g),
        Release(f, g) => Until(f, g),
        WeakUntil(f, g) => StrongRelease(f, g),
        StrongRelease(f, g) => WeakUntil(f, g),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(program: &Program, formulas: &Formulas, id: TermId) -> String {
        let sub = |id| shown(program, formulas, id);
        match program.terms[id] {
            Term::True => "true".into(),
            Term::Atom(atom) => formulas.atom_name(atom).into(),
            Term::Not(f) => format!("!{}", sub(f)),
            Term::And(f, g) => format!("({} & {})", sub(f), sub(g)),
            Term::Or(f, g) => format!("({} | {})", sub(f), sub(g)),
            Term::Ex(f) => format!("EX {}", sub(f)),
            Term::Eu(f, g) => format!("E[{} U {}]", sub(f), sub(g)),
            Term::Eg(f) => format!("EG {}", sub(f)),
        }
    }

    fn lowered(build: impl FnOnce(&mut Formulas) -> FormulaId) -> String {
        let mut formulas = Formulas::new();
        let claim = build(&mut formulas);
        match lower(&formulas, claim) {
            Ok(program) => shown(&program, &formulas, program.root),
            Err(BeyondCtl(id)) => format!("beyond: {}", formulas.show(id)),
        }
    }

    #[test]
    fn ltl_within_reach_is_lowered() {
        let text = lowered(|fs| {
            let (p, q) = (fs.atom("p"), fs.atom("q"));
            let later = fs.make(Formula::Finally(q));
            let response = fs.make(Formula::Implies(p, later));
            fs.make(Formula::Globally(response))
        });
        assert_eq!(text, "!E[true U (p & EG !q)]");
    }

    #[test]
    fn ltl_beyond_ctl_is_refused() {
        let text = lowered(|fs| {
            let p = fs.atom("p");
            let always = fs.make(Formula::Globally(p));
            fs.make(Formula::Finally(always))
        });
        assert_eq!(text, "beyond: F G p");
    }

    #[test]
    fn universal_until_is_the_textbooks() {
        let text = lowered(|fs| {
            let (p, q) = (fs.atom("p"), fs.atom("q"));
            let until = fs.make(Formula::Until(p, q));
            fs.make(Formula::All(until))
        });
        assert_eq!(text, "!(E[!q U (!q & !p)] | EG !q)");
    }

    #[test]
    fn unused_terms_are_dropped() {
        let mut fs = Formulas::new();
        let p = fs.atom("p");
        let next = fs.make(Formula::Next(p));
        let exists = fs.make(Formula::Exists(next));
        let program = lower(&fs, exists).expect("CTL");
        assert_eq!(program.terms.len(), 2);
    }
}
