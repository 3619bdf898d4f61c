//! The flat program: instances of modules opened, every variable with its full name and the
//! values it may have, and names that can be looked up.
//!
//! Instances are opened depth first, so that variables stand in the order of their declarations.
//! No module may contain itself, so that there are only so many; but there may be many, and opening
//! them asks the budget.

use super::syntax::{Define, Member, ModuleId, NameId, Text, Type, VarDecl, VarKind, Whole};
use super::terms::{Base, Domain, TermId, Terms, Value, VarId};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::words::Nearest;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Limit, Span, indices};

indices! {
    /// An instance of a module.
    pub(super) InstanceId = "i";
    /// An array.
    pub(super) ArrayId = "y";
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// Its full name, as `m.x` or `a[1]`.
    pub(super) name: String,
    pub(super) kind: VarKind,
    pub(super) span: Span,
    pub(super) instance: InstanceId,
}

/// What a name stands for in an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Var(VarId),
    Array(ArrayId),
    /// A definition, by its position in the module.
    Define(usize),
    /// A definition that is written in another instance.
    DefinedIn(InstanceId, Whole),
    /// Whether the process takes the step, given by what it is called.
    Running(NameId),
    /// A parameter, by its position.
    Parameter(usize),
    Instance(InstanceId),
    /// Something that was reported.
    Broken,
}

#[derive(Debug)]
pub(super) struct Instance {
    pub(super) module: ModuleId,
    /// What its names begin with: nothing, or `m.`.
    pub(super) path: String,
    pub(super) parent: Option<InstanceId>,
    pub(super) is_process: bool,
    /// What its parameters stand for in its parent.
    pub(super) arguments: Vec<Whole>,
    pub(super) symbols: BTreeMap<NameId, Symbol>,
    /// The symbols that may be values in it, in a program with calls.
    pub(super) constants: FxHashSet<NameId>,
}

#[derive(Debug)]
pub(super) struct Array {
    pub(super) low: i64,
    pub(super) elements: Vec<Symbol>,
}

/// What an expression, or a part of one, stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Term(TermId),
    Instance(InstanceId),
    Array(ArrayId),
    /// Something that was reported.
    Broken,
}

/// A program whose names can be looked up.
#[derive(Debug)]
pub(super) struct Flat {
    pub(super) text: Text,
    pub(super) terms: Terms,
    pub(super) vars: Table<VarId, Var>,
    pub(super) domains: Table<VarId, Domain>,
    pub(super) instances: Table<InstanceId, Instance>,
    pub(super) arrays: Table<ArrayId, Array>,
    /// The symbols that may be values, of all modules.
    pub(super) constants: FxHashSet<NameId>,
    /// Whether modules call each other.
    pub(super) has_calls: bool,
    /// The input that says which process takes the step, if there are any.
    pub(super) selector: Option<VarId>,
    /// What was true of the last step: variables, and what they remember.
    pub(super) remembered: Vec<(VarId, TermId)>,
    /// What definitions and arguments stand for, in an instance, now or in the next state; `None`
    /// while it is being found out.
    pub(super) resolved: FxHashMap<(Whole, InstanceId, bool), Option<Item>>,
    pub(super) problems: Collector,
    /// The places of problems that were reported: a module may be opened many times.
    reported: FxHashSet<(&'static str, Span)>,
}

impl Flat {
    pub(super) fn new(text: Text, has_calls: bool, problems: Collector) -> Self {
        Flat {
            text,
            terms: Terms::default(),
            vars: Table::new(),
            domains: Table::new(),
            instances: Table::new(),
            arrays: Table::new(),
            constants: FxHashSet::default(),
            has_calls,
            selector: None,
            remembered: Vec::new(),
            resolved: FxHashMap::default(),
            problems,
            reported: FxHashSet::default(),
        }
    }

    /// Reports a problem, unless its place was complained of before.
    pub(super) fn problem(
        &mut self,
        code: &'static str,
        span: Span,
        word: impl FnOnce(&mut Nearest) -> Problem,
    ) {
        if self.reported.insert((code, span)) {
            self.problems.add(word);
        }
    }

    /// Forgets which places were complained of: what comes next is another text.
    pub(super) fn forget_places(&mut self) {
        self.reported.clear();
    }

    pub(super) fn name(&self, name: NameId) -> &str {
        self.text.names.of(name)
    }

    /// Takes down the symbols that may be values.
    pub(super) fn declare_constants(&mut self) {
        for (_, module) in self.text.modules.iter() {
            self.constants.extend(&module.constants);
            for var in &module.vars {
                self.constants.extend(symbols_of(&var.of));
            }
        }
    }

    /// Opens an instance, and all that are inside.
    pub(super) fn open(
        &mut self,
        module: ModuleId,
        path: String,
        meter: &mut Meter<'_>,
    ) -> Result<InstanceId, Limit> {
        let root = self.instance(module, path, None, Vec::new());
        let mut open: Vec<(InstanceId, usize)> = vec![(root, 0)];
        while let Some((instance, position)) = open.pop() {
            meter.tick()?;
            let module = self.instances[instance].module;
            let Some(var) = self.text.modules[module].vars.get(position).cloned() else {
                continue;
            };
            open.push((instance, position + 1));
            let symbol = self.declare(instance, &var, meter)?;
            if let Symbol::Instance(inner) = symbol {
                open.push((inner, 0));
            }
            let names = &mut self.instances[instance].symbols;
            if let Some(before) = names.insert(var.name, symbol) {
                names.insert(var.name, before);
                self.declared_twice(instance, var.name, var.span);
            }
        }
        self.start_processes(root);
        self.define_elsewhere(meter)?;
        Ok(root)
    }

    /// Adds the definitions that are written in other instances than they are names of.
    fn define_elsewhere(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        for instance in self.instances.ids() {
            let module = self.instances[instance].module;
            for i in 0..self.text.modules[module].defines.len() {
                let Define { owner, name, span, body } = self.text.modules[module].defines[i];
                let Some(owner) = owner else { continue };
                let of = match self.resolve(owner, instance, false, meter)? {
                    Item::Instance(of) => of,
                    Item::Broken => continue,
                    Item::Term(_) | Item::Array(_) => {
                        self.problem("S027", span, |_| {
                            let message = "what is before the dot is no instance of a module";
                            Problem::error("S027", message).at(span, "defined here")
                        });
                        continue;
                    }
                };
                let symbol = Symbol::DefinedIn(instance, body);
                match self.instances[of].symbols.get(&name) {
                    None => drop(self.instances[of].symbols.insert(name, symbol)),
                    Some(&known) if known == symbol => {}
                    Some(_) => self.declared_twice(of, name, span),
                }
            }
        }
        Ok(())
    }

    fn instance(
        &mut self,
        module: ModuleId,
        path: String,
        parent: Option<InstanceId>,
        arguments: Vec<Whole>,
    ) -> InstanceId {
        let declared = &self.text.modules[module];
        let mut symbols = BTreeMap::new();
        let mut twice = Vec::new();
        for (i, &(name, span)) in declared.parameters.iter().enumerate() {
            if symbols.insert(name, Symbol::Parameter(i)).is_some() {
                twice.push((name, span));
            }
        }
        let own = declared.defines.iter().enumerate().filter(|(_, it)| it.owner.is_none());
        for (i, define) in own {
            if symbols.insert(define.name, Symbol::Define(i)).is_some() {
                twice.push((define.name, define.span));
            }
        }
        let mut constants: FxHashSet<NameId> = declared.constants.iter().copied().collect();
        for var in &declared.vars {
            constants.extend(symbols_of(&var.of));
        }
        let instance = self.instances.push(Instance {
            module,
            path,
            parent,
            is_process: false,
            arguments,
            symbols,
            constants,
        });
        for (name, span) in twice {
            self.declared_twice(instance, name, span);
        }
        instance
    }

    fn declared_twice(&mut self, instance: InstanceId, name: NameId, span: Span) {
        let module = &self.text.modules[self.instances[instance].module];
        let vars = module.vars.iter().map(|it| (it.name, it.span));
        let defines = module.defines.iter().map(|it| (it.name, it.span));
        let all = vars.chain(defines).chain(module.parameters.iter().copied());
        let first = all.filter(|&(it, at)| it == name && at != span).map(|(_, at)| at).min();
        let name = self.name(name).to_owned();
        self.problem("S021", span, |_| {
            let problem = Problem::error("S021", format!("`{name}` is declared twice"));
            let problem = problem.at(span, "again");
            match first {
                Some(first) => problem.related(first, "declared here"),
                None => problem,
            }
        });
    }

    /// What a declared variable stands for.
    fn declare(
        &mut self,
        instance: InstanceId,
        var: &VarDecl,
        meter: &mut Meter<'_>,
    ) -> Result<Symbol, Limit> {
        let name = format!("{}{}", self.instances[instance].path, self.name(var.name));
        match &var.of {
            Type::Module(of) => {
                let symbol = self.open_module(instance, &name, (of.module, of.span), &of.arguments);
                if let (true, Symbol::Instance(inner)) = (of.is_process, symbol) {
                    self.instances[inner].is_process = true;
                }
                Ok(symbol)
            }
            _ => self.elements(instance, var, name, meter),
        }
    }

    fn open_module(
        &mut self,
        parent: InstanceId,
        name: &str,
        (module, span): (NameId, Span),
        arguments: &[Whole],
    ) -> Symbol {
        let wanted = self.name(module).to_owned();
        let found = self.text.modules.iter().find(|(_, it)| it.name == module);
        let Some((id, declared)) = found else {
            self.no_module(module, span);
            return Symbol::Broken;
        };
        let (parameters, at) = (declared.parameters.len(), declared.span);
        if self.has_calls {
            self.problem("S006", span, |_| {
                let message = "instances of modules are not supported beside CALL and EXIT";
                Problem::error("S006", message).at(span, "an instance")
            });
            return Symbol::Broken;
        }
        let mut above = Some(parent);
        while let Some(instance) = above {
            if self.instances[instance].module == id {
                self.problem("S022", span, |_| {
                    let message = format!("module `{wanted}` contains itself");
                    Problem::error("S022", message).at(span, "by this instance")
                });
                return Symbol::Broken;
            }
            above = self.instances[instance].parent;
        }
        if parameters != arguments.len() {
            let given = arguments.len();
            self.problem("S023", span, |_| {
                let message =
                    format!("`{wanted}` has {parameters} parameters, and {given} are given");
                Problem::error("S023", message).at(span, "here").related(at, "declared here")
            });
            return Symbol::Broken;
        }
        Symbol::Instance(self.instance(id, format!("{name}."), Some(parent), arguments.to_vec()))
    }

    /// A value as it is written.
    pub(super) fn show(&self, value: Value) -> String {
        show_value(&self.text, value)
    }

    pub(super) fn base(&self, var: VarId) -> Base {
        self.domains[var].base()
    }
}

/// A value as it is written.
pub(super) fn show_value(text: &Text, value: Value) -> String {
    match value {
        Value::Bool(true) => "TRUE".to_owned(),
        Value::Bool(false) => "FALSE".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Symbol(name) => text.names.of(name).to_owned(),
        Value::Exit => "EXIT".to_owned(),
    }
}

/// The symbols that a type has as values.
pub(super) fn symbols_of(of: &Type) -> Vec<NameId> {
    let mut of = of;
    while let Type::Array(_, _, inner) = of {
        of = inner;
    }
    let Type::Enumeration(members) = of else { return Vec::new() };
    let names = members.iter().filter_map(|(member, _)| match member {
        Member::Name(name) => Some(*name),
        _ => None,
    });
    names.collect()
}
