//! From a text that was parsed to a machine with claims.
//!
//! Without `CALL` and `EXIT` the text is a program of NuSMV: `main` with all instances in it is
//! one component, and each of its states a node. With them, each module is a component; a state in
//! which a call is made is no node but a box, which is entered from the states before it and left
//! to those behind it; the state in which all variables are `EXIT` is the exit.

use super::explore::{States, explore};
use super::flat::{Flat, InstanceId, Symbol};
use super::labels::Labels;
use super::resolve::BOOL;
use super::spec::{Proposition, Propositions};
use super::syntax::{ModuleId, NameId, Text};
use super::system::System;
use super::terms::TermId;
use super::words::Words;
use crate::collector::Collector;
use crate::problem::{Problem, Refusal};
use crate::source::{Lines, Source};
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Builder, Claim, Claims, CompId, Condition, Configuration, DeadEndRule, Edge, EndRule,
    ExitId, Formulas, Limit, Machine, NodeId, Place, Span, Start,
};

/// A module that can be run: `main`, or each module of a program with calls.
pub(super) struct Part {
    pub(super) module: ModuleId,
    pub(super) root: InstanceId,
    pub(super) system: System,
    /// The modules that it calls, when it does, and where that is written.
    pub(super) calls: Vec<CallSite>,
}

/// A call: to which part, under which condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    pub(super) callee: usize,
    pub(super) condition: TermId,
    pub(super) span: Span,
}

/// A claim, before there is a machine.
pub(super) struct Drafted {
    pub(super) claim: Claim,
    /// The part that it starts in.
    pub(super) part: usize,
}

/// What a text says, before its states are known.
pub(super) struct Draft {
    pub(super) flat: Flat,
    pub(super) parts: Vec<Part>,
    pub(super) propositions: Propositions,
    pub(super) formulas: Formulas,
    pub(super) claims: Vec<Drafted>,
    pub(super) fair: Vec<Condition>,
    pub(super) warnings: Vec<Problem>,
}

/// A machine, its claims, what knows more of it, and warnings.
pub(super) type Built = (Machine, Claims, Words, Vec<Problem>);

/// Makes a machine of a text, with its claims and what knows more of it.
pub(super) fn build(
    source: &Source,
    text: Text,
    problems: Collector,
    meter: &mut Meter<'_>,
) -> Result<Built, Refusal> {
    let has_calls = text.call.is_some() || has_exit(&text);
    let mut draft = Draft {
        flat: Flat::new(text, has_calls, problems),
        parts: Vec::new(),
        propositions: Propositions::default(),
        formulas: Formulas::new(),
        claims: Vec::new(),
        fair: Vec::new(),
        warnings: Vec::new(),
    };
    draft.flat.inherit(meter)?;
    draft.flat.declare_constants();
    draft.open(meter)?;
    draft.definitions(meter)?;
    draft.specifications(meter)?;
    if let Some(first) = draft.parts.first_mut() {
        draft.flat.remember(&mut first.system);
    }
    finish(&mut draft.flat)?;
    let mut further: Vec<TermId> = Vec::new();
    for (_, meaning) in &draft.propositions.list {
        further.extend(meaning.iter().map(|it| it.term));
    }
    for (i, part) in draft.parts.iter().enumerate() {
        let mut conditions: Vec<TermId> = part.calls.iter().map(|call| call.condition).collect();
        if i == 0 {
            conditions.append(&mut further);
        }
        draft.flat.check(&part.system, &conditions);
    }
    finish(&mut draft.flat)?;
    let mut spaces = Vec::with_capacity(draft.parts.len());
    for part in &draft.parts {
        let states = explore(&draft.flat, &part.system, meter);
        spaces.push(states.map_err(|stopped| draft.flat.refusal(stopped))?);
    }
    draft.assemble(source, spaces, meter)
}

/// All problems that were found, if there are any.
fn finish(flat: &mut Flat) -> Result<(), Refusal> {
    Ok(std::mem::take(&mut flat.problems).finish("S099")?)
}

/// Whether `EXIT` is the value that ends a module: it stands in the text, and nobody declares it.
fn has_exit(text: &Text) -> bool {
    let Some(exit) = text.names.get("EXIT").filter(|_| text.exit.is_some()) else { return false };
    let declares = |module: &super::syntax::Module| {
        module.vars.iter().any(|it| it.name == exit)
            || module.defines.iter().any(|it| it.name == exit)
            || module.parameters.iter().any(|it| it.0 == exit)
            || module.constants.contains(&exit)
            || module.vars.iter().any(|it| super::flat::symbols_of(&it.of).contains(&exit))
    };
    !text.modules.iter().any(|(_, module)| declares(module))
}

impl Draft {
    /// Opens the modules that are run, and finds out how.
    fn open(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        self.modules_are_unique();
        let main = self
            .flat
            .text
            .modules
            .iter()
            .find(|(_, module)| self.flat.text.names.of(module.name) == "main");
        let main = main.map(|(id, _)| id);
        let mut run: Vec<ModuleId> = match self.flat.has_calls {
            true => self.flat.text.modules.ids().collect(),
            false => main.into_iter().collect(),
        };
        // The program starts in `main`, or in the first module.
        run.sort_by_key(|&id| Some(id) != main);
        if run.is_empty() && !self.flat.text.modules.is_empty() {
            let span = self.flat.text.modules.iter().next().map(|(_, it)| it.span);
            let span = span.unwrap_or(Span::new(0..0));
            self.flat.problem("S007", span, |_| {
                let problem = Problem::error("S007", "there is no module `main`");
                problem.at(span, "the only modules are this and those behind it").hint(
                    "name the module that is run `main`; only programs with CALL or EXIT can do without",
                )
            });
        }
        for module in run {
            let root = self.flat.open(module, String::new(), meter)?;
            if let Some(&(_, span)) = self.flat.text.modules[module].parameters.first() {
                self.flat.problem("S025", span, |_| {
                    let message = "a module that is run or called has no parameters";
                    Problem::error("S025", message).at(span, "a parameter")
                });
            }
            let system = self.flat.system(root, meter)?;
            self.parts.push(Part { module, root, system, calls: Vec::new() });
        }
        self.calls(meter)
    }

    fn modules_are_unique(&mut self) {
        let mut seen: rustc_hash::FxHashMap<NameId, Span> = rustc_hash::FxHashMap::default();
        let all: Vec<(NameId, Span)> =
            self.flat.text.modules.iter().map(|(_, it)| (it.name, it.span)).collect();
        for (name, span) in all {
            if let Some(first) = seen.insert(name, span) {
                let name = self.flat.name(name).to_owned();
                self.flat.problem("S021", span, |_| {
                    let problem = Problem::error("S021", format!("there are two modules `{name}`"));
                    problem.at(span, "again").related(first, "declared here")
                });
            }
        }
    }

    /// Resolves the calls of all parts.
    fn calls(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        for part in 0..self.parts.len() {
            let Part { module, root, .. } = self.parts[part];
            for call in self.flat.text.modules[module].calls.clone() {
                let named = |it: &Part| self.flat.text.modules[it.module].name == call.callee;
                let callee = self.parts.iter().position(named);
                if callee.is_none() {
                    let name = self.flat.name(call.callee).to_owned();
                    self.flat.problem("S020", call.span, |_| {
                        let message = format!("there is no module `{name}` to be called");
                        Problem::error("S020", message).at(call.span, "not declared")
                    });
                }
                let condition = self.flat.condition(call.condition, root, false, meter)?;
                let span = self.flat.text.span(call.condition);
                if let (Some(callee), Some(condition)) = (callee, condition)
                    && self.flat.is_simple(condition, span)
                {
                    self.parts[part].calls.push(CallSite { callee, condition, span });
                }
            }
        }
        Ok(())
    }

    /// Resolves all definitions: their types are checked even if nobody uses them. In a program
    /// with calls those that are conditions are labels, which all modules share.
    fn definitions(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        for instance in self.flat.instances.ids() {
            let module = self.flat.instances[instance].module;
            for i in 0..self.flat.text.modules[module].defines.len() {
                let define = &self.flat.text.modules[module].defines[i];
                let (name, body) = (define.name, define.body);
                // Not those that were declared twice.
                let is_own = define.owner.is_none();
                let symbol = self.flat.instances[instance].symbols.get(&name);
                if is_own && symbol != Some(&Symbol::Define(i)) {
                    continue;
                }
                let Some(term) = self.flat.term(body, instance, false, meter)? else { continue };
                let facts = self.flat.terms.facts(term);
                if !is_own
                    || !self.flat.has_calls
                    || facts.sort != BOOL
                    || facts.has_next
                    || facts.has_input
                {
                    continue;
                }
                let meaning = Proposition { root: instance, term };
                self.propositions.extend(self.flat.text.names.of(name), meaning);
            }
        }
        Ok(())
    }

    fn assemble(
        mut self,
        source: &Source,
        spaces: Vec<States>,
        meter: &mut Meter<'_>,
    ) -> Result<Built, Refusal> {
        self.shorten(spaces.iter().map(|states| states.count).sum());
        let labels = Labels::new(&self.flat, &self.parts, &spaces, &self.propositions, meter)
            .map_err(|stopped| self.flat.refusal(stopped))?;
        for (part, states) in self.parts.iter().enumerate().zip(&spaces) {
            self.flat.check_part(part, states, &labels, &self.propositions);
        }
        finish(&mut self.flat)?;
        let mut builder = Builder::new();
        builder.names_are_unique();
        builder.end_rule(EndRule::Sink);
        builder.dead_end_rule(DeadEndRule::Error);
        let comps: Vec<CompId> = (self.parts.iter())
            .map(|part| builder.component(self.flat.name(self.flat.text.modules[part.module].name)))
            .collect();
        let mut nodes: Vec<Vec<Option<NodeId>>> = Vec::with_capacity(spaces.len());
        let mut exits: Vec<Option<ExitId>> = vec![None; spaces.len()];
        for (i, states) in spaces.iter().enumerate() {
            let mut of_part = Vec::with_capacity(states.count);
            for state in 0..states.count {
                meter.tick()?;
                if labels.parts[i].call(state).is_some() {
                    of_part.push(None);
                    continue;
                }
                let node = builder.node(comps[i], &self.flat.node_name(states, state));
                if self.flat.has_calls && states.is_exit(&self.flat.domains, state) {
                    exits[i] = Some(builder.exit_node(node));
                }
                of_part.push(Some(node));
            }
            for &initial in &states.initial {
                if let Some(node) = of_part[initial as usize] {
                    builder.entry(node);
                    if i == 0 {
                        builder.initial(node);
                    }
                }
            }
            nodes.push(of_part);
        }
        let entries: Vec<Option<NodeId>> = (spaces.iter().zip(&nodes))
            .map(|(states, nodes)| nodes[*states.initial.first()? as usize])
            .collect();
        for (i, states) in spaces.iter().enumerate() {
            let of = Wiring { comp: comps[i], entries: &entries, exits: &exits, comps: &comps };
            of.wire(
                &self.flat,
                &mut builder,
                states,
                &nodes[i],
                |state| labels.parts[i].call(state).map(|call| self.parts[i].calls[call].callee),
                meter,
            )?;
        }
        let mut machine = builder.finish().map_err(|flaws| {
            let problem = |flaw: tern_model::Flaw| Problem::error("S090", flaw.to_string());
            flaws.into_iter().map(problem).collect::<Vec<_>>()
        })?;
        labels.put(&mut machine, &self.propositions, &nodes);
        let mut lines = Lines::new(source);
        let mut claims = Claims::from(self.formulas);
        claims.extend(self.claims.into_iter().map(|Drafted { mut claim, part }| {
            claim.origin = Some(lines.origin(claim.span));
            if let (true, Some(entry)) = (part > 0, entries[part]) {
                claim.start = Start::At(vec![Configuration::from(entry)]);
            }
            claim
        }));
        claims.restrict(self.fair);
        let words = Words::new(self.flat, &self.parts, spaces, self.propositions, nodes);
        Ok((machine, claims, words, self.warnings))
    }
}

/// What is needed to draw the edges of a component.
struct Wiring<'a> {
    comp: CompId,
    comps: &'a [CompId],
    entries: &'a [Option<NodeId>],
    exits: &'a [Option<ExitId>],
}

impl Wiring<'_> {
    fn wire(
        &self,
        flat: &Flat,
        builder: &mut Builder,
        states: &States,
        nodes: &[Option<NodeId>],
        callee: impl Fn(usize) -> Option<usize>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let called = |state: usize| {
            let callee = callee(state)?;
            let name = flat.node_name(states, state);
            Some((builder.call_box(self.comp, &name, self.comps[callee]), callee))
        };
        let boxes: Vec<Option<(BoxId, usize)>> = (0..states.count).map(called).collect();
        for state in 0..states.count {
            let from = match (nodes[state], boxes[state]) {
                (Some(node), _) => Some(Place::Node(node)),
                (None, Some((call, callee))) => {
                    self.exits[callee].map(|exit| Place::Site(call, exit))
                }
                (None, None) => None,
            };
            // What is called and never returns has nothing behind it.
            let Some(from) = from else { continue };
            for &to in states.successors(state) {
                meter.tick()?;
                let to = to as usize;
                match (nodes[to], boxes[to]) {
                    (Some(node), _) => builder.edge(from, Edge::Step(node)),
                    (None, Some((call, callee))) => {
                        if let Some(entry) = self.entries[callee] {
                            builder.edge(from, Edge::Call(call, entry));
                        }
                    }
                    (None, None) => {}
                }
            }
        }
        Ok(())
    }
}
