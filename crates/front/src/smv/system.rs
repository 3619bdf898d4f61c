//! The states and steps of a program as questions that can be answered one variable at a time.
//!
//! A [`Stepper`] puts states together. It goes through the variables in an order in which each
//! comes after those that its value depends on; the values of one are those of the right side of
//! its assignment, or all that it may have. Constraints are asked as soon as one of their variables
//! has a value, and a state that cannot become one is given up early.
//!
//! There is one stepper for initial states and one for steps. To the first, an initial state is the
//! next state of nothing: everything that is said of it is read as if said of the next state.

use super::flat::{Flat, InstanceId, Item, Symbol};
use super::syntax::{ConstraintKind, Expr, VarKind, When, Whole};
use super::terms::{Op, Term, TermId, VarId};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{Limit, Span};

/// A variable to be given a value.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) var: VarId,
    /// Whether it is an input: it then has a value in this state, and not in the next.
    pub(super) is_input: bool,
    /// What it is assigned, and where that is written.
    pub(super) value: Option<(TermId, Span)>,
    /// What it must be equal to, by a constraint.
    pub(super) equal: Option<TermId>,
    /// The constraints to ask, and whether they are decided then.
    pub(super) constraints: Vec<(TermId, bool)>,
}

/// Puts states together.
#[derive(Clone, Debug, Default)]
pub(super) struct Stepper {
    pub(super) slots: Vec<Slot>,
    /// Constraints in which no variable is to be given a value.
    pub(super) before: Vec<TermId>,
}

/// A program that can be run, or a module of one that can be called.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// The variables of a state, in the order of their declarations.
    pub(super) vars: Vec<VarId>,
    pub(super) initial: Stepper,
    pub(super) step: Stepper,
    /// The right sides of assignments as they are written, with the variables they must fit.
    pub(super) checked: Vec<Checked>,
    /// The constraints as they are written.
    pub(super) conditions: Vec<TermId>,
}

/// A right side whose values must be values of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    pub(super) var: VarId,
    pub(super) term: TermId,
    pub(super) span: Span,
}

/// An assignment: its right side, and the places of both sides.
#[derive(Clone, Copy, Debug)]
struct Assigned {
    value: Whole,
    instance: InstanceId,
    target: Span,
}

impl Flat {
    /// The system of an instance and all that are in it.
    pub(super) fn system(
        &mut self,
        root: InstanceId,
        meter: &mut Meter<'_>,
    ) -> Result<System, Limit> {
        let inside: Vec<InstanceId> = match self.has_calls {
            true => vec![root],
            false => self.instances.ids().collect(),
        };
        let is_inside = |var: VarId| inside.binary_search(&self.vars[var].instance).is_ok();
        let all: Vec<VarId> = self.vars.ids().filter(|&var| is_inside(var)).collect();
        let assigned = self.assignments(&inside, meter)?;
        let mut checked = Vec::new();
        let mut of_initial: FxHashMap<VarId, (TermId, Span)> = FxHashMap::default();
        let mut of_step: FxHashMap<VarId, (TermId, Span)> = FxHashMap::default();
        for &(var, when, at) in &assigned {
            let span = self.text.span(at.value);
            let Some(term) = self.assigned(var, when, at, meter)? else { continue };
            checked.push(Checked { var, term, span });
            if when == When::Next {
                let term = self.by_turns(var, term, at.instance, of_step.get(&var), span);
                of_step.insert(var, (term, span));
                continue;
            }
            let Some(term) = self.term(at.value, at.instance, true, meter)? else { continue };
            of_initial.insert(var, (term, span));
            if when == When::Always {
                of_step.insert(var, (term, span));
            }
        }
        let (mut on_initial, mut on_step, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for &instance in &inside {
            let found = self.constraints(instance, &mut on_initial, &mut on_step, meter)?;
            conditions.extend(found);
        }
        let targets: FxHashMap<VarId, Span> =
            assigned.iter().map(|&(var, _, at)| (var, at.target)).collect();
        let kind = |flat: &Self, var: VarId| flat.vars[var].kind;
        let vars: Vec<VarId> =
            all.iter().copied().filter(|&var| kind(self, var) != VarKind::Input).collect();
        for &var in &all {
            if kind(self, var) != VarKind::Frozen {
                continue;
            }
            let (base, span) = (self.base(var), self.vars[var].span);
            let same = self.terms.variable(Term::Now(var), base, false, span);
            of_step.insert(var, (same, span));
        }
        let initial = self.stepper(&vars, &of_initial, &on_initial, &targets, meter)?;
        let step = self.stepper(&all, &of_step, &on_step, &targets, meter)?;
        Ok(System { vars, initial, step, checked, conditions })
    }

    /// All assignments of instances, without those that contradict others.
    fn assignments(
        &mut self,
        inside: &[InstanceId],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(VarId, When, Assigned)>, Limit> {
        let mut list: Vec<(VarId, When, Assigned)> = Vec::new();
        let mut seen: FxHashMap<VarId, Vec<(When, InstanceId, Span)>> = FxHashMap::default();
        for &instance in inside {
            let module = self.instances[instance].module;
            for assignment in self.text.modules[module].assignments.clone() {
                let target = self.resolve(assignment.target, instance, false, meter)?;
                let span = self.text.span(assignment.target);
                let defined = self.is_definition(assignment.target, instance, meter)?;
                let target = if defined { None } else { Some(target) };
                let Some(var) = self.target(target, span, assignment.when) else { continue };
                let before = seen.entry(var).or_default();
                let process = self.process_of(instance);
                let clashes = |&(when, of, _): &(When, InstanceId, Span)| {
                    // Processes take turns: each may have its own next value.
                    let by_turns = self.selector.is_some() && of != process;
                    when == assignment.when && !(when == When::Next && by_turns)
                        || when == When::Always
                        || assignment.when == When::Always
                };
                if let Some(&(_, _, first)) = before.iter().find(|it| clashes(it)) {
                    let name = self.vars[var].name.clone();
                    self.problem("S026", assignment.span, |_| {
                        let message = format!("`{name}` is assigned twice");
                        let problem = Problem::error("S026", message);
                        problem.at(assignment.span, "again").related(first, "first here")
                    });
                    continue;
                }
                before.push((assignment.when, process, assignment.span));
                if self.has_calls && assignment.when == When::Always {
                    self.problem("S006", span, |_| {
                        let message = "assignments without `init` or `next` are not supported \
                                       beside CALL and EXIT";
                        Problem::error("S006", message).at(span, "here").hint("use DEFINE")
                    });
                    continue;
                }
                let value = assignment.value;
                list.push((var, assignment.when, Assigned { value, instance, target: span }));
            }
        }
        Ok(list)
    }

    /// Whether what is assigned to is the name of a definition, perhaps behind parameters.
    fn is_definition(
        &mut self,
        target: Whole,
        instance: InstanceId,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Limit> {
        let (mut target, mut instance) = (target, instance);
        loop {
            meter.tick()?;
            let (name, of) = match self.text.rows[target.root].expr {
                Expr::Name(name) => (name, instance),
                Expr::Dot(of, name) => {
                    let path = Whole { first: target.first, root: of };
                    match self.resolve(path, instance, false, meter)? {
                        Item::Instance(of) => (name, of),
                        _ => return Ok(false),
                    }
                }
                _ => return Ok(false),
            };
            let inside = &self.instances[of];
            match (inside.symbols.get(&name), inside.parent) {
                (Some(Symbol::Define(_) | Symbol::DefinedIn(..) | Symbol::Running(_)), _) => {
                    return Ok(true);
                }
                (Some(&Symbol::Parameter(i)), Some(parent)) => {
                    let Some(&argument) = inside.arguments.get(i) else { return Ok(false) };
                    (target, instance) = (argument, parent);
                }
                _ => return Ok(false),
            }
        }
    }

    /// The variable that is assigned to, if it may be.
    fn target(&mut self, target: Option<Item>, span: Span, when: When) -> Option<VarId> {
        let var = match target {
            Some(Item::Broken) => return None,
            Some(Item::Term(term)) => match self.terms.get(term) {
                Term::Now(var) => Some(var),
                _ => None,
            },
            Some(Item::Instance(_) | Item::Array(_)) | None => None,
        };
        let wrong = match var.map(|var| self.vars[var].kind) {
            None => "only variables can be assigned to",
            Some(VarKind::Input) => "inputs cannot be assigned to",
            Some(VarKind::Frozen) if when != When::Init => {
                "a frozen variable has an initial value only"
            }
            _ => return var,
        };
        self.problem("S027", span, |_| {
            let problem = Problem::error("S027", wrong).at(span, "assigned to here");
            match when {
                When::Init => problem,
                _ => problem.hint("write `init(x) := …;`, or declare it with VAR"),
            }
        });
        None
    }

    /// The right side of an assignment as it is written, if it fits its variable.
    fn assigned(
        &mut self,
        var: VarId,
        when: When,
        at: Assigned,
        meter: &mut Meter<'_>,
    ) -> Result<Option<TermId>, Limit> {
        let Some(term) = self.term(at.value, at.instance, false, meter)? else { return Ok(None) };
        let span = self.text.span(at.value);
        let facts = self.terms.facts(term);
        if when != When::Next && !self.is_simple(term, span) {
            return Ok(None);
        }
        let own = self.base(var);
        if own.join(facts.sort.base).is_none() {
            let name = self.vars[var].name.clone();
            self.problem("S031", span, |_| {
                let (has, needs) = (facts.sort.base.words(), own.words());
                let message = format!("`{name}` is {needs}, and is assigned {has}");
                Problem::error("S031", message).at(span, format!("this is {has}"))
            });
            return Ok(None);
        }
        Ok(Some(term))
    }

    /// Whether a term speaks of a state alone; if not, that is reported.
    pub(super) fn is_simple(&mut self, term: TermId, span: Span) -> bool {
        let facts = self.terms.facts(term);
        let wrong = match (facts.has_next, facts.has_input) {
            (true, _) => "`next` cannot stand here: this speaks of one state",
            (_, true) => "inputs cannot stand here: they belong to steps, not to states",
            _ => return true,
        };
        self.problem("S032", span, |_| Problem::error("S032", wrong).at(span, "here"));
        false
    }

    /// What the constraints of an instance say of initial states and of steps.
    fn constraints(
        &mut self,
        instance: InstanceId,
        on_initial: &mut Vec<TermId>,
        on_step: &mut Vec<TermId>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<TermId>, Limit> {
        let module = self.instances[instance].module;
        let mut written = Vec::new();
        for (kind, whole, at) in self.text.modules[module].constraints.clone() {
            if self.has_calls {
                self.problem("S006", at, |_| {
                    let message = "constraints are not supported beside CALL and EXIT";
                    let problem = Problem::error("S006", message).at(at, "here");
                    problem.hint("use `init` and `next` in ASSIGN")
                });
                continue;
            }
            let span = self.text.span(whole);
            let Some(term) = self.condition(whole, instance, false, meter)? else { continue };
            written.push(term);
            if kind == ConstraintKind::Trans {
                self.conjuncts(term, on_step);
                continue;
            }
            if !self.is_simple(term, span) {
                continue;
            }
            let Some(term) = self.condition(whole, instance, true, meter)? else { continue };
            self.conjuncts(term, on_initial);
            if kind == ConstraintKind::Invar {
                self.conjuncts(term, on_step);
            }
        }
        Ok(written)
    }

    /// The parts of a conjunction.
    fn conjuncts(&self, term: TermId, into: &mut Vec<TermId>) {
        let mut left = vec![term];
        while let Some(term) = left.pop() {
            match self.terms.get(term) {
                Term::Binary(Op::And, a, b) => left.extend([b, a]),
                _ => into.push(term),
            }
        }
    }
}
