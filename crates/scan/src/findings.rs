//! Findings: violations that are worth reading, each once, with its run.

use crate::certainty::{Chain, certain};
use crate::checks;
use crate::explore::{Breach, ComponentId, Ending, Explored, Violation};
use crate::formula;
use crate::handing;
use crate::likely;
use crate::partners;
use crate::rules::{BuiltIn, Claim, Rule, What};
use crate::sources::Sources;
use crate::story;
use crate::values::{Key, ObjectId};
use crate::words;
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tern_ir::{FieldId, Jump, Operand, ProcId, Statement};
use tern_model::index::Id;
use tern_model::{Budget, Limit};

/// One step of the run that shows a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// How many calls deep it is.
    pub depth: usize,
    /// The source file.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The procedure.
    pub procedure: String,
    /// What happens.
    pub text: String,
    /// Whether it is an event or a decision, and not just on the way.
    pub essential: bool,
}

/// How a finding came to be left out of what decides the exit status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Suppression {
    /// A comment in the source, with its reason.
    Comment(String),
    /// The settings exclude it.
    Settings(String),
    /// It is in the baseline.
    Baseline,
}

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The number of the rule.
    pub rule: usize,
    /// The source file.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The procedure, with the types of its parameters.
    pub procedure: String,
    /// Whether every continuation of some statement on its run breaks the rule.
    pub certain: bool,
    /// That statement, if there is one: its file and line.
    pub decided_at: Option<(String, u32)>,
    /// Whether it is shown only if that is asked for: `null` that is handed over is used together
    /// with some of what else is handed over, and callers may know what goes together.
    pub doubtful: bool,
    /// What is wrong.
    pub message: String,
    /// The run that shows it, the outermost call first.
    pub run: Vec<Moment>,
    /// What stays the same when lines are moved.
    pub fingerprint: String,
    /// Why it does not count.
    pub suppression: Option<Suppression>,
}

/// That an event of a rule is done to the object in a field, somewhere: what methods that only take
/// a lock are judged by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) rule: u8,
    pub(crate) event: u8,
    /// The field, with its class.
    pub(crate) field: String,
    /// The procedure that does it.
    pub(crate) procedure: String,
    /// Where it is a condition: an event that others do alone, so that it is not for this procedure
    /// that the first one is done.
    pub(crate) rival: Option<u8>,
}

/// What was found in one unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Findings, each perhaps on condition that no other procedure does something.
    pub(crate) findings: Vec<(Finding, Option<Done>)>,
    pub(crate) done: Vec<Done>,
    pub(crate) components: usize,
    pub(crate) nodes: usize,
}

/// Violations that no run shows: their paths contradict themselves.
pub(crate) type Refuted = FxHashSet<(ComponentId, Violation)>;

/// What was found in what was explored; of procedures of classes before `library` only.
///
/// # Errors
/// When the budget runs out.
pub(crate) fn findings(
    explored: &Explored,
    rules: &[Rule],
    sources: &Sources,
    library: tern_ir::ClassId,
    refuted: &Refuted,
    budget: &Budget,
) -> Result<Outcome, Limit> {
    let context = Context { explored, rules, library, refuted };
    let mut all = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        budget.check()?;
        match &rule.claim {
            Claim::BuiltIn(BuiltIn::LockOrder) => {}
            Claim::BuiltIn(claim) => {
                let found = checks::find(explored, *claim, sources, budget)?;
                let own = found.into_iter().filter(|it| context.is_own(it.procedure));
                let world = explored.world;
                all.extend(own.map(|it| (built_in(world, rules, number, &it), None)));
            }
            Claim::Formula(formula) => {
                let found = formula::find(explored, number, formula, budget)?;
                let own = found.into_iter().filter(|it| context.is_own(it.place.procedure));
                all.extend(own.map(|it| (context.by_formula(number, &it), None)));
            }
            _ => all.extend(context.violations(number, budget)?),
        }
    }
    let components = explored.components.as_slice();
    Ok(Outcome {
        findings: all,
        done: done(explored),
        components: components.len(),
        nodes: components.iter().map(|it| it.nodes.len()).sum(),
    })
}

/// What is done to the objects in fields that others have to complete.
fn done(explored: &Explored) -> Vec<Done> {
    let mut all = Vec::new();
    for component in explored.components.as_slice() {
        let procedure = component.procedure;
        let open = component.open.iter().copied();
        let open = open.filter(|&it| !handing::is_slip(explored, procedure, it));
        let taken = component.done.iter().copied();
        let taken = taken.filter(|&it| handing::only_takes(explored, procedure, it));
        for (rule, event, object) in open.chain(taken) {
            if let Key::Static(field) | Key::Field(_, field) = explored.objects[object] {
                let field = words::field(explored.world.program, field);
                let procedure = words::signature(explored.world, component.procedure);
                all.push(Done { rule, event, field, procedure, rival: None });
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Puts the findings of units together: in the order of files and lines, each once. Says how many
/// are left out that are doubtful, unless these are asked for.
pub(crate) fn together(
    outcomes: Vec<Outcome>,
    rules: &[Rule],
    doubtful: bool,
) -> (Vec<Finding>, usize) {
    let mut done: FxHashMap<(u8, u8, String), BTreeSet<String>> = FxHashMap::default();
    for row in outcomes.iter().flat_map(|it| &it.done) {
        let by = done.entry((row.rule, row.event, row.field.clone())).or_default();
        by.insert(row.procedure.clone());
    }
    let holds = |unless: &Done| {
        let others_do = |event: u8| {
            let by = done.get(&(unless.rule, event, unless.field.clone()));
            by.is_some_and(|by| by.iter().any(|it| *it != unless.procedure))
        };
        !others_do(unless.event) || unless.rival.is_some_and(others_do)
    };
    let found = outcomes.into_iter().flat_map(|it| it.findings);
    let counted = found.filter(|(_, unless)| unless.as_ref().is_none_or(holds));
    let mut all: Vec<Finding> = counted.map(|(finding, _)| finding).collect();
    all.sort_by(|a, b| {
        (&a.file, a.line, a.rule, a.doubtful, !a.certain, &a.message, &a.procedure).cmp(&(
            &b.file,
            b.line,
            b.rule,
            b.doubtful,
            !b.certain,
            &b.message,
            &b.procedure,
        ))
    });
    all.dedup_by(|b, a| (a.rule, &a.file, a.line) == (b.rule, &b.file, b.line));
    let count = all.len();
    all.retain(|it| doubtful || !it.doubtful);
    let left_out = count - all.len();
    leave_cycles(&mut all, rules);
    leave_to_others(&mut all, rules);
    number_fingerprints(&mut all);
    (all, left_out)
}

/// Takes out endless recursion that is reported already, where another method of the same calls
/// begins.
fn leave_cycles(all: &mut Vec<Finding>, rules: &[Rule]) {
    let is_cycle =
        |it: &Finding| matches!(rules[it.rule].claim, Claim::BuiltIn(BuiltIn::EndlessRecursion));
    let key = |it: &Finding| {
        let each = it.run.iter().map(|it| (it.file.clone(), it.line, it.procedure.clone()));
        (it.rule, each.collect::<BTreeSet<_>>())
    };
    let certain = all.iter().filter(|it| it.certain && is_cycle(it));
    let certain: FxHashSet<_> = certain.map(key).collect();
    let mut seen = FxHashSet::default();
    all.retain(|it| {
        !is_cycle(it) || {
            let key = key(it);
            (it.certain || !certain.contains(&key)) && seen.insert(key)
        }
    });
}

/// Takes out findings in lines of which another rule says more.
fn leave_to_others(all: &mut Vec<Finding>, rules: &[Rule]) {
    let places: FxHashSet<(usize, String, u32)> =
        all.iter().map(|it| (it.rule, it.file.clone(), it.line)).collect();
    let others: Vec<Vec<usize>> = rules
        .iter()
        .map(|rule| {
            let is_named = |other: &Rule| rule.unless.contains(&other.name);
            (0..rules.len()).filter(|&other| is_named(&rules[other])).collect()
        })
        .collect();
    all.retain(|it| {
        let says = |&other: &usize| places.contains(&(other, it.file.clone(), it.line));
        !others[it.rule].iter().any(says)
    });
}

/// The same finding may be there several times in a procedure: they are counted.
fn number_fingerprints(all: &mut [Finding]) {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for finding in all {
        let count = seen.entry(finding.fingerprint.clone()).or_default();
        *count += 1;
        finding.fingerprint = format!("{:016x}:{count}", hash(&finding.fingerprint));
    }
}

/// FNV-1a: the same on every machine and in every version.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

struct Context<'e, 'w, 'p> {
    explored: &'e Explored<'w, 'p>,
    rules: &'e [Rule],
    library: tern_ir::ClassId,
    refuted: &'e Refuted,
}

impl Context<'_, '_, '_> {
    fn is_own(&self, procedure: ProcId) -> bool {
        let class = self.explored.world.program.procedures()[procedure].class;
        class.is_none_or(|class| class < self.library)
    }

    /// Whether a rule is looked at in a procedure.
    fn is_within(&self, number: usize, procedure: ProcId) -> bool {
        let names = &self.rules[number].within;
        let world = self.explored.world;
        let class = world.program.procedures()[procedure].class;
        let class = class.map(|class| world.program.classes()[class].name);
        let is_inside = names.is_empty() || class.is_some_and(|class| world.is_of(class, names));
        let selector = world.program.procedures()[procedure].selector;
        let method = world.program.text(world.program.selectors()[selector].name);
        is_inside
            && !self.rules[number].outside.iter().any(|name| name == method)
            && !self.calls_one_of(procedure, &self.rules[number].without)
    }

    /// Whether a procedure calls a method of one of these names, or one that only passes it on.
    fn calls_one_of(&self, procedure: ProcId, names: &[String]) -> bool {
        let (world, program) = (self.explored.world, self.explored.world.program);
        let is_named = |method: &str| names.iter().any(|name| name == method);
        let passes_on = |row: usize| {
            let callee = self.explored.call_at(procedure, row as u32);
            let mut targets = callee.and_then(|it| it.targets.as_ref()).into_iter().flatten();
            targets.any(|&it| world.passes_on(it).is_some_and(is_named))
        };
        let calls = |(row, statement): (usize, &Statement)| match statement {
            Statement::Call { call, .. } => {
                is_named(program.text(program.selectors()[call.selector].name)) || passes_on(row)
            }
            _ => false,
        };
        !names.is_empty() && self.explored.body(procedure).statements.iter().enumerate().any(calls)
    }

    fn violations(
        &self,
        number: usize,
        budget: &Budget,
    ) -> Result<Vec<(Finding, Option<Done>)>, Limit> {
        let (mut found, mut conditions) = (Vec::new(), Vec::new());
        for (id, component) in self.explored.components.iter() {
            for violation in &component.violations {
                if usize::from(violation.rule) != number
                    || !self.is_own(component.procedure)
                    || !self.is_within(number, component.procedure)
                    || self.refuted.contains(&(id, *violation))
                    || self.is_of_callers(id, violation)
                {
                    continue;
                }
                let unless = match self.counts(id, violation) {
                    Counts::Never => continue,
                    Counts::Always => None,
                    Counts::Unless(event, field, rival) => Some(Done {
                        rule: violation.rule,
                        event: event as u8,
                        field: words::field(self.explored.world.program, field),
                        procedure: words::signature(self.explored.world, component.procedure),
                        rival: rival.map(|it| it as u8),
                    }),
                };
                let chain = Chain::of(self.explored, id, violation.node);
                if violation.is_tested && !likely::follows(self.explored, violation, &chain) {
                    continue;
                }
                let is_doubtful = violation.is_doubted
                    || violation.is_given
                        && !likely::is_for_all(self.explored, violation.rule, &chain);
                found.push((id, *violation, chain));
                conditions.push((unless, is_doubtful));
            }
        }
        let certain = certain(self.explored, number as u8, &found, budget)?;
        let rows = found.iter().zip(certain).zip(conditions);
        Ok(rows
            .map(|(((id, violation, chain), certain), (unless, doubtful))| {
                // Where nothing was done before, the caller may know what the method asks later.
                let is_guess = self.rules[number].is_together && violation.was_first;
                let certain = certain.filter(|_| !is_guess && !doubtful);
                let finding = self.finding(*id, violation, chain, certain);
                (Finding { doubtful, ..finding }, unless)
            })
            .collect())
    }

    /// Whether all callers did what makes it a violation, and are told so where they call.
    fn is_of_callers(&self, id: ComponentId, violation: &Violation) -> bool {
        let component = &self.explored.components[id];
        let was_told =
            violation.object.is_some_and(|it| component.entry.stage(it, violation.rule) != 0);
        let is_told = |&(caller, node): &(ComponentId, usize)| {
            let theirs = &self.explored.components[caller];
            let is_same = |it: &&Violation| it.rule == violation.rule && it.node == node;
            let counts = |it: &Violation| !self.refuted.contains(&(caller, *it));
            self.is_own(theirs.procedure) && theirs.violations.iter().filter(is_same).any(counts)
        };
        was_told && !component.callers.is_empty() && component.callers.iter().all(is_told)
    }

    /// Whether a violation is one, given what other procedures do.
    fn counts(&self, id: ComponentId, violation: &Violation) -> Counts {
        let rule = violation.rule;
        let claim = &self.rules[usize::from(rule)].claim;
        let component = &self.explored.components[id];
        let Some(object) = violation.object else { return Counts::Always };
        let key = self.explored.objects[object];
        let here = self.explored.components_of(component.procedure).iter();
        let done_here = |event: usize| {
            here.clone()
                .any(|&it| self.explored.components[it].done.contains(&(rule, event as u8, object)))
        };
        let left_here = |event: usize| {
            here.clone()
                .any(|&it| self.explored.components[it].open.contains(&(rule, event as u8, object)))
        };
        // As in `readLock().lock(); … writeLock().unlock();`.
        let other_part = |event: usize| {
            let Key::Part(whole, name) = key else { return false };
            let is_other = |it: &(u8, u8, ObjectId)| {
                let is_part = matches!(self.explored.objects[it.2], Key::Part(own, other)
                    if own == whole && other != name);
                (it.0, it.1) == (rule, event as u8) && is_part
            };
            here.clone().any(|&it| self.explored.components[it].done.iter().any(is_other))
        };
        let when = |holds: bool| if holds { Counts::Always } else { Counts::Never };
        // Whether the call that the violation is about is an event itself.
        let is_direct = || {
            let call = self.explored.call_at(component.procedure, violation.statement);
            let takes = |row: &crate::world::Match| row.rule == rule && row.what == What::Receiver;
            call.is_some_and(|it| it.matches.iter().any(takes))
        };
        if let (Claim::Released { take, give }, true) =
            (claim, self.rules[usize::from(rule)].is_together)
        {
            // Who ends something may find that another was begun: of that one it is not known.
            let call = self.explored.call_at(component.procedure, violation.statement);
            let begins = |row: &crate::world::Match| {
                row.rule == rule && row.event == Some(*take as u8) && row.what == What::Receiver
            };
            let begins = call.is_some_and(|it| it.matches.iter().any(begins));
            // Who begins in one case and ends in another leaves that to others.
            let mut here = here.clone();
            let ends = here.any(|&it| self.explored.components[it].ended.contains(&(rule, object)));
            let is_own = begins && done_here(*give) && ends;
            return when(is_own && !partners::is_left(self.explored, id, violation, *take));
        }
        match (claim, violation.breach) {
            (Claim::Released { take, give }, Breach::Lost(ending)) => {
                let is_direct = is_direct();
                let is_handed = || {
                    !done_here(*give)
                        || ending == Ending::Return
                            && handing::hands_over(self.explored, component.procedure, rule, object)
                };
                match key {
                    // An object that a call gave may be known elsewhere by another call.
                    Key::At(_) => when(
                        !is_direct
                            || self.is_known(component.procedure, object)
                            || done_here(*give),
                    ),
                    Key::Static(field) | Key::Field(_, field) if is_direct && is_handed() => {
                        Counts::Unless(*give, field, done_here(*give).then_some(*take))
                    }
                    Key::Static(_) | Key::Field(..) if done_here(*give) => Counts::Always,
                    Key::Parameter(_) | Key::Part(..) => {
                        when(done_here(*give) || other_part(*give))
                    }
                    _ => Counts::Never,
                }
            }
            (Claim::OnlyAfter { first, .. }, Breach::Event) if violation.was_first => match key {
                _ if self.rules[usize::from(rule)].is_together && !done_here(*first) => {
                    Counts::Never
                }
                Key::At(_) => when(
                    self.is_known(component.procedure, object) || {
                        let events = self.rules[usize::from(rule)].events.len();
                        (0..events).any(|event| done_here(event) && event != *first) && events > 2
                    },
                ),
                // Who takes it too, and leaves nothing to others, means its own.
                Key::Static(_) | Key::Field(..) if done_here(*first) && !left_here(*first) => {
                    Counts::Always
                }
                Key::Static(field) | Key::Field(_, field) => Counts::Unless(*first, field, None),
                Key::Part(..) => when(!done_here(*first) && other_part(*first)),
                _ => Counts::Never,
            },
            (Claim::Order(_), Breach::Event) if violation.was_first => {
                when(matches!(key, Key::At(_)) && self.is_known(component.procedure, object))
            }
            (Claim::Order(_), Breach::Lost(_)) => when(matches!(key, Key::At(_))),
            _ => Counts::Always,
        }
    }

    /// Whether an object was made in a procedure.
    fn is_known(&self, procedure: ProcId, object: ObjectId) -> bool {
        let Key::At(row) = self.explored.objects[object] else { return false };
        let statement = self.explored.body(procedure).statements.get(row as usize);
        matches!(statement, Some(Statement::New { .. }))
    }

    fn by_formula(&self, number: usize, found: &formula::Found) -> Finding {
        let finding = built_in(self.explored.world, self.rules, number, &found.place);
        Finding { run: found.run.clone(), ..finding }
    }

    fn finding(
        &self,
        id: ComponentId,
        violation: &Violation,
        chain: &Chain,
        certain: Option<(ComponentId, usize)>,
    ) -> Finding {
        let explored = self.explored;
        let rule = &self.rules[usize::from(violation.rule)];
        let procedure = explored.components[id].procedure;
        let place = explored.place(procedure, violation.statement);
        let (subject, reason) = self.subject(procedure, violation);
        let program = explored.world.program;
        let message = rule
            .report
            .replace("{object}", &subject)
            .replace("{method}", &format!("`{}`", words::method(program, procedure)))
            .replace("{line}", &place.line.to_string())
            .replace("{where}", &reason);
        let procedure_text = words::signature(explored.world, procedure);
        let fingerprint = format!("{}|{procedure_text}|{subject}", rule.name);
        Finding {
            rule: usize::from(violation.rule),
            file: words::file(program, procedure),
            line: place.line,
            procedure: procedure_text,
            certain: certain.is_some(),
            decided_at: certain.map(|(id, node)| {
                let file = words::file(program, explored.components[id].procedure);
                (file, story::line(explored, id, node))
            }),
            doubtful: false,
            message: message.trim_end().to_owned(),
            run: story::run(explored, violation, chain),
            fingerprint,
            suppression: None,
        }
    }

    /// What a violation is about, and how it comes about, in words.
    fn subject(&self, procedure: ProcId, violation: &Violation) -> (String, String) {
        let explored = self.explored;
        let (world, body) = (explored.world, explored.body(procedure));
        let used = match body.statements.get(violation.statement as usize) {
            Some(statement) => used(body, statement),
            None => {
                let block = violation.statement as usize - body.statements.len();
                match &body.blocks[tern_ir::BlockId::new(block)].jump {
                    Jump::Throw(value) => Some(*value),
                    _ => None,
                }
            }
        };
        match (violation.breach, violation.object) {
            (Breach::Lost(ending), Some(object)) => {
                let way = match ending {
                    Ending::Return => "when the method ends".to_owned(),
                    Ending::Throw(Some(class), _) => {
                        format!("if {} is thrown", words::short(world.program.text(class)))
                    }
                    Ending::Throw(None, _) => "if something is thrown".to_owned(),
                };
                (words::object(explored, procedure, object), way)
            }
            (_, Some(object)) => (words::object(explored, procedure, object), String::new()),
            (_, None) => {
                let statement = body.statements.get(violation.statement as usize);
                let is_event = explored
                    .call_at(procedure, violation.statement)
                    .is_some_and(|it| it.matches.iter().any(|row| row.rule == violation.rule));
                match (is_event, statement, used) {
                    (true, Some(statement), _) => {
                        (words::made(world, body, statement), String::new())
                    }
                    (_, _, Some(used)) => {
                        let what = words::operand(world, body, used);
                        let source = source_of(body, used);
                        let made = source.map(|it| words::made(world, body, it));
                        let reason = match is_given(explored, violation.rule) {
                            true => made.unwrap_or_default(),
                            // Only if nothing else can have given it.
                            false => made
                                .filter(|made| *made != what && !is_written_null(world, body, used))
                                .map_or_else(String::new, |made| format!("(the result of {made})")),
                        };
                        (what, reason)
                    }
                    _ => ("a value".to_owned(), String::new()),
                }
            }
        }
    }
}

/// When a violation counts.
enum Counts {
    Never,
    Always,
    /// Unless another procedure does an event to the object in a field.
    /// Perhaps the first is not for this procedure, where others do another event alone.
    Unless(usize, FieldId, Option<usize>),
}

/// A finding of a built-in claim.
pub(crate) fn built_in(
    world: &World,
    rules: &[Rule],
    number: usize,
    place: &checks::Place,
) -> Finding {
    let rule = &rules[number];
    let file = words::file(world.program, place.procedure);
    let procedure = words::signature(world, place.procedure);
    let title = words::method(world.program, place.procedure);
    let message = rule
        .report
        .replace("{object}", &place.subject)
        .replace("{method}", &format!("`{title}`"))
        .replace("{line}", &place.line.to_string())
        .replace("{where}", &place.reason);
    let own = [(place.procedure, place.line)];
    let calls = if place.calls.is_empty() { &own[..] } else { &place.calls };
    let moment = |(depth, &(caller, line)): (usize, &(ProcId, u32))| Moment {
        depth,
        file: words::file(world.program, caller),
        line,
        procedure: words::signature(world, caller),
        text: match calls.get(depth + 1) {
            Some((next, _)) => format!("`{}` is called", words::method(world.program, *next)),
            None => "here the rule is broken".to_owned(),
        },
        essential: true,
    };
    let run = calls.iter().enumerate().map(moment).collect();
    Finding {
        rule: number,
        fingerprint: format!("{}|{procedure}|{}", rule.name, place.subject),
        file,
        line: place.line,
        procedure,
        certain: place.certain,
        decided_at: None,
        doubtful: false,
        message: message.trim_end().to_owned(),
        run,
        suppression: None,
    }
}

/// A test and how it went, in words.
pub(crate) fn test_text(
    world: &crate::world::World,
    body: &tern_ir::Body,
    test: &tern_ir::Test,
    is_true: bool,
) -> String {
    let comparison =
        if is_true { test.comparison } else { crate::values::negated(test.comparison) };
    let sign = match comparison {
        tern_ir::Comparison::Equal => "==",
        tern_ir::Comparison::NotEqual => "!=",
        tern_ir::Comparison::Less => "<",
        tern_ir::Comparison::LessEqual => "<=",
        tern_ir::Comparison::Greater => ">",
        tern_ir::Comparison::GreaterEqual => ">=",
    };
    let side = |operand: Operand| words::operand(world, body, operand);
    format!("{} {sign} {}", side(test.left), side(test.right))
}

/// Whether a rule is about results that must be tested.
fn is_given(explored: &Explored, rule: u8) -> bool {
    let events = &explored.watched[usize::from(rule)].rule.events;
    events.iter().flat_map(|event| &event.patterns).any(|it| it.what == What::UncheckedUse)
}

/// Whether `null` is written to the variable of an operand.
fn is_written_null(world: &World, body: &tern_ir::Body, operand: Operand) -> bool {
    let is_null =
        |it: tern_ir::ConstantId| world.program.constants()[it] == tern_ir::Constant::Null;
    body.statements.iter().any(|it| {
        matches!(it, Statement::Copy { to, from: Operand::Constant(from) }
            if Operand::Variable(*to) == operand && is_null(*from))
    })
}

/// What a statement is about: what it uses where an object must be, or its first argument.
fn used(body: &tern_ir::Body, statement: &Statement) -> Option<Operand> {
    checks::needed(body, statement).or_else(|| match statement {
        Statement::Call { call, .. } => body.operands(&call.arguments).first().copied(),
        _ => None,
    })
}

/// The call that gave an operand.
fn source_of(body: &tern_ir::Body, operand: Operand) -> Option<&Statement> {
    let mut operand = operand;
    for _ in 0..4 {
        let Operand::Variable(variable) = operand else { return None };
        let written = |it: &&Statement| {
            let is_null = matches!(it, Statement::Copy { from: Operand::Constant(_), .. });
            it.written() == Some(variable) && !is_null
        };
        match body.statements.iter().find(written)? {
            Statement::Copy { from, .. } | Statement::Cast { from, .. } => operand = *from,
            call @ Statement::Call { .. } => return Some(call),
            _ => return None,
        }
    }
    None
}
