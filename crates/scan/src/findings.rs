//! Findings: violations that are worth reading, each once, with its run.

use crate::certainty::{Chain, certain};
use crate::checks;
use crate::explore::{Breach, ComponentId, Ending, Explored, Violation};
use crate::rules::{Claim, Rule, What};
use crate::sources::Sources;
use crate::values::{Key, ObjectId};
use crate::words;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{FieldId, Jump, Operand, ProcId, Statement};
use tern_model::index::Id;
use tern_model::{Budget, Limit};

/// One step of the run that shows a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// A comment in the source, with its reason.
    Comment(String),
    /// The settings exclude it.
    Settings(String),
    /// It is in the baseline.
    Baseline,
}

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// What is wrong.
    pub message: String,
    /// The run that shows it, the outermost call first.
    pub run: Vec<Moment>,
    /// What stays the same when lines are moved.
    pub fingerprint: String,
    /// Why it does not count.
    pub suppression: Option<Suppression>,
}

/// The most moments of a run that are kept.
const MOST_MOMENTS: usize = 200;

/// All findings, in the order of files and lines; of procedures of classes before `library` only.
///
/// # Errors
/// When the budget runs out.
pub fn findings(
    explored: &Explored,
    rules: &[Rule],
    sources: &Sources,
    library: tern_ir::ClassId,
    budget: &Budget,
) -> Result<Vec<Finding>, Limit> {
    let context = Context::new(explored, rules, library);
    let mut all = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        budget.check()?;
        match rule.claim {
            Claim::BuiltIn(claim) => {
                let found = checks::find(explored, claim, sources, budget)?;
                all.extend(
                    found
                        .into_iter()
                        .filter(|it| context.is_own(it.procedure))
                        .map(|it| context.built_in(number, &it)),
                );
            }
            _ => all.extend(context.violations(number, budget)?),
        }
    }
    all.sort_by(|a, b| {
        (&a.file, a.line, a.rule, !a.certain, &a.message)
            .cmp(&(&b.file, b.line, b.rule, !b.certain, &b.message))
    });
    all.dedup_by(|b, a| (a.rule, &a.file, a.line) == (b.rule, &b.file, b.line));
    number_fingerprints(&mut all);
    Ok(all)
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
    /// Which procedures do an event of a rule to the object in a field.
    done: FxHashMap<(u8, u8, FieldId), FxHashSet<ProcId>>,
}

impl<'e, 'w, 'p> Context<'e, 'w, 'p> {
    fn new(explored: &'e Explored<'w, 'p>, rules: &'e [Rule], library: tern_ir::ClassId) -> Self {
        let mut done: FxHashMap<_, FxHashSet<ProcId>> = FxHashMap::default();
        for component in explored.components.as_slice() {
            for &(rule, event, object) in &component.done {
                if let Key::Static(field) | Key::Field(_, field) = explored.objects[object] {
                    done.entry((rule, event, field)).or_default().insert(component.procedure);
                }
            }
        }
        Context { explored, rules, library, done }
    }

    fn is_own(&self, procedure: ProcId) -> bool {
        let class = self.explored.world.program.procedures()[procedure].class;
        class.is_none_or(|class| class < self.library)
    }

    fn violations(&self, number: usize, budget: &Budget) -> Result<Vec<Finding>, Limit> {
        let mut found = Vec::new();
        for (id, component) in self.explored.components.iter() {
            for violation in &component.violations {
                if usize::from(violation.rule) == number
                    && self.is_own(component.procedure)
                    && self.counts(id, violation)
                {
                    let chain = Chain::of(self.explored, id, violation.node);
                    found.push((id, *violation, chain));
                }
            }
        }
        let certain = certain(self.explored, number as u8, &found, budget)?;
        let rows = found.iter().zip(certain);
        Ok(rows
            .map(|((id, violation, chain), certain)| self.finding(*id, violation, chain, certain))
            .collect())
    }

    /// Whether a violation is one, now that all procedures are known.
    fn counts(&self, id: ComponentId, violation: &Violation) -> bool {
        let rule = violation.rule;
        let claim = &self.rules[usize::from(rule)].claim;
        let component = &self.explored.components[id];
        let Some(object) = violation.object else { return true };
        let key = self.explored.objects[object];
        let here = self.explored.by_procedure[component.procedure.index()].iter();
        let done_here = |event: usize| {
            here.clone()
                .any(|&it| self.explored.components[it].done.contains(&(rule, event as u8, object)))
        };
        let done_elsewhere = |event: usize, field: FieldId| {
            let by = self.done.get(&(rule, event as u8, field));
            by.is_some_and(|by| by.iter().any(|it| *it != component.procedure))
        };
        match (claim, violation.breach) {
            (Claim::Released { give, .. }, Breach::Lost(_)) => {
                let is_direct = self
                    .explored
                    .call_at(component.procedure, violation.statement)
                    .is_some_and(|it| {
                        let takes = |row: &crate::world::Match| {
                            row.rule == rule && row.what == What::Receiver
                        };
                        it.matches.iter().any(takes)
                    });
                match key {
                    // An object that a call gave may be known elsewhere by another call.
                    Key::At(_) => !is_direct || self.is_known(component.procedure, object),
                    Key::Static(field) | Key::Field(_, field) => {
                        done_here(*give) || is_direct && !done_elsewhere(*give, field)
                    }
                    Key::Parameter(_) | Key::Part(..) => done_here(*give),
                    Key::Thrown(_) => false,
                }
            }
            (Claim::OnlyAfter { first, .. }, Breach::Event) if violation.was_first => match key {
                Key::At(_) => {
                    self.is_known(component.procedure, object) || {
                        let events = self.rules[usize::from(rule)].events.len();
                        (0..events).any(|event| done_here(event) && event != *first)
                            && self.rules[usize::from(rule)].events.len() > 2
                    }
                }
                Key::Static(field) | Key::Field(_, field) => !done_elsewhere(*first, field),
                _ => false,
            },
            (Claim::Order(_), Breach::Event) if violation.was_first => {
                matches!(key, Key::At(_)) && self.is_known(component.procedure, object)
            }
            (Claim::Order(_), Breach::Lost(_)) => matches!(key, Key::At(_)),
            _ => true,
        }
    }

    /// Whether an object was made in a procedure.
    fn is_known(&self, procedure: ProcId, object: ObjectId) -> bool {
        let Key::At(row) = self.explored.objects[object] else { return false };
        let statement = self.explored.body(procedure).statements.get(row as usize);
        matches!(statement, Some(Statement::New { .. }))
    }

    fn finding(
        &self,
        id: ComponentId,
        violation: &Violation,
        chain: &Chain,
        certain: bool,
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
            .replace("{method}", &format!("`{}`", words::short(&program.title(procedure))))
            .replace("{line}", &place.line.to_string())
            .replace("{where}", &reason);
        let procedure_text = words::signature(explored.world, procedure);
        let fingerprint = format!("{}|{procedure_text}|{subject}", rule.name);
        Finding {
            rule: usize::from(violation.rule),
            file: words::file(program, procedure),
            line: place.line,
            procedure: procedure_text,
            certain,
            message: message.trim_end().to_owned(),
            run: self.run(violation, chain),
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
                        let source = source_of(body, used);
                        let made = source.map(|it| words::made(world, body, it));
                        (words::operand(world, body, used), made.unwrap_or_default())
                    }
                    _ => ("a value".to_owned(), String::new()),
                }
            }
        }
    }

    /// The run of a violation: from the outermost call to the place.
    fn run(&self, violation: &Violation, chain: &Chain) -> Vec<Moment> {
        let explored = self.explored;
        let mut moments = Vec::new();
        for (depth, &(id, last)) in chain.calls.iter().rev().enumerate() {
            let component = &explored.components[id];
            let procedure = component.procedure;
            let (world, body) = (explored.world, explored.body(procedure));
            let file = words::file(world.program, procedure);
            let title = words::signature(world, procedure);
            let moment = |line: u32, text: String, essential: bool| Moment {
                depth,
                file: file.clone(),
                line,
                procedure: title.clone(),
                text,
                essential,
            };
            let mut path = vec![last];
            while let Some(from) = component.nodes[path[path.len() - 1]].from {
                path.push(from);
            }
            path.reverse();
            let first = body.places.first().map_or(0, |place| place.line);
            moments.push(moment(first, format!("enter {title}"), false));
            for pair in path.windows(2) {
                let (from, to) = (&component.nodes[pair[0]], &component.nodes[pair[1]]);
                let block = &body.blocks[from.block];
                if let Jump::Branch { test, yes, no } = &block.jump
                    && to.at == 0
                    && yes != no
                    && (to.block == *yes || to.block == *no)
                {
                    let text = test_text(world, body, test, to.block == *yes);
                    moments.push(moment(block.place.line, text, true));
                }
            }
            let node = &component.nodes[last];
            let row = body.blocks[node.block].statements.start + node.at;
            if depth + 1 < chain.calls.len() {
                let line = body.places.get(row as usize).map_or(0, |place| place.line);
                let callee = chain.calls[chain.calls.len() - 2 - depth].0;
                let callee = explored.components[callee].procedure;
                let callee = world.program.title(callee);
                moments.push(moment(line, format!("call {callee}"), true));
            } else {
                let place = explored.place(procedure, violation.statement);
                let text = match violation.breach {
                    Breach::Event => "here the rule is broken".to_owned(),
                    Breach::Lost(_) => "this is not undone".to_owned(),
                };
                moments.push(moment(place.line, text, true));
                if let Breach::Lost(ending) = violation.breach {
                    let text = match ending {
                        Ending::Return => "the method ends".to_owned(),
                        Ending::Throw(..) => "the method ends by an exception".to_owned(),
                    };
                    let block = &body.blocks[node.block];
                    let line = match ending {
                        Ending::Return => block.place.line,
                        Ending::Throw(..) => {
                            body.places.get(row as usize).map_or(block.place.line, |it| it.line)
                        }
                    };
                    moments.push(moment(line, text, true));
                }
            }
        }
        if moments.len() > MOST_MOMENTS {
            let extra = moments.len() - MOST_MOMENTS;
            moments.drain(MOST_MOMENTS / 2..MOST_MOMENTS / 2 + extra);
        }
        moments
    }

    fn built_in(&self, number: usize, place: &checks::Place) -> Finding {
        let rule = &self.rules[number];
        let world = self.explored.world;
        let file = words::file(world.program, place.procedure);
        let procedure = words::signature(world, place.procedure);
        let title = words::short(&world.program.title(place.procedure)).to_owned();
        let message = rule
            .report
            .replace("{object}", &place.subject)
            .replace("{method}", &format!("`{title}`"))
            .replace("{line}", &place.line.to_string())
            .replace("{where}", &place.reason);
        let run = vec![Moment {
            depth: 0,
            file: file.clone(),
            line: place.line,
            procedure: procedure.clone(),
            text: "here the rule is broken".to_owned(),
            essential: true,
        }];
        Finding {
            rule: number,
            fingerprint: format!("{}|{procedure}|{}", rule.name, place.subject),
            file,
            line: place.line,
            procedure,
            certain: place.certain,
            message: message.trim_end().to_owned(),
            run,
            suppression: None,
        }
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

/// The operand that a statement uses where an object must be.
fn used(body: &tern_ir::Body, statement: &Statement) -> Option<Operand> {
    match statement {
        Statement::Load { object, .. } | Statement::Store { object, .. } => *object,
        Statement::LoadElement { array, .. }
        | Statement::StoreElement { array, .. }
        | Statement::Length { array, .. } => Some(*array),
        Statement::Monitor { object, .. } => Some(*object),
        Statement::Call { call, .. } => body.operands(&call.arguments).first().copied(),
        _ => None,
    }
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
