//! Which methods and classes of a Java program matter to the one that is checked.
//!
//! An object is *live* if it can be in a heap: it was given, or one of the methods made it. Where
//! it comes from otherwise, nothing is known of it, and whoever looks at it comes to a hole. So
//! methods of classes that have no live objects are not called.

use super::world::{Classes, Leads};
use std::collections::BTreeSet;
use tern_ir::{ClassId, ProcId, Statement, Type};
use tern_model::index::Id;

/// The methods that a method reaches, itself first.
pub(super) fn called(classes: &Classes<'_>, checked: ProcId) -> Vec<ProcId> {
    let mut all = vec![checked];
    let mut next = 0;
    while let Some(&id) = all.get(next) {
        next += 1;
        let body = classes.program.procedures()[id].body.as_ref();
        for statement in body.map_or(&[][..], |body| &body.statements) {
            let Statement::Call { call, .. } = statement else { continue };
            let callees = match classes.leads(call) {
                Leads::To(callee) => vec![callee],
                Leads::ByClass(callees) => callees.into_iter().map(|it| it.1).collect(),
                Leads::Nothing | Leads::Pure | Leads::Hole(_) => Vec::new(),
            };
            for callee in callees {
                if !all.contains(&callee) {
                    all.push(callee);
                }
            }
        }
    }
    all
}

/// Finds the live classes, and the methods that a method reaches if there are no others. Each round
/// adds the classes that these make objects of, until there are no more.
pub(super) fn find_live(classes: &mut Classes<'_>, checked: ProcId) -> Vec<ProcId> {
    let mut live = given_classes(classes, checked);
    loop {
        classes.live = Some(live.clone());
        let reached = called(classes, checked);
        live.extend(made_classes(classes, &reached));
        if classes.live.as_ref() == Some(&live) {
            return reached;
        }
    }
}

/// The classes of objects that a method is given, and of those that they lead to.
fn given_classes(classes: &Classes<'_>, checked: ProcId) -> BTreeSet<ClassId> {
    let program = classes.program;
    let body = program.procedures()[checked].body.as_ref();
    let parameters = body
        .into_iter()
        .flat_map(|body| body.parameters().map(|id| program.types()[body.variables[id].ty]));
    let (mut open, mut found): (Vec<Type>, _) = (parameters.collect(), BTreeSet::new());
    while let Some(ty) = open.pop() {
        let Type::Reference(name) = ty else { continue };
        if let Some(class) = classes.given(program.text(name))
            && found.insert(class)
        {
            open.extend(classes.fields(class).into_iter().map(|(.., ty)| ty));
        }
    }
    found
}

/// The classes that methods make objects of.
fn made_classes(classes: &Classes<'_>, methods: &[ProcId]) -> BTreeSet<ClassId> {
    let program = classes.program;
    let bodies = methods.iter().filter_map(|&id| program.procedures()[id].body.as_ref());
    let made = |statement: &Statement| match statement {
        Statement::New { class, .. } => classes.concrete(program.text(*class)),
        _ => None,
    };
    bodies.flat_map(|body| &body.statements).filter_map(made).collect()
}

/// The concrete classes of the program that methods name, or that fields of these name: heaps keep
/// their objects.
pub(super) fn used_classes(classes: &Classes<'_>, reached: &[ProcId]) -> BTreeSet<ClassId> {
    let program = classes.program;
    let mut names: Vec<String> = Vec::new();
    let mut mention = |ty: Type| {
        if let Type::Reference(name) = ty {
            names.push(program.text(name).to_owned());
        }
    };
    let mut used: BTreeSet<ClassId> = BTreeSet::new();
    for &id in reached {
        let procedure = &program.procedures()[id];
        let Some(body) = &procedure.body else { continue };
        if let Some(class) = procedure.class
            && procedure.is_static
        {
            // Its initialiser runs; objects of it there may be none.
            used.insert(class);
        }
        body.variables.as_slice().iter().for_each(|it| mention(program.types()[it.ty]));
        for statement in &body.statements {
            if let Statement::New { class, .. } = statement {
                mention(Type::Reference(*class));
            }
        }
    }
    let (mut seen, mut expanded) = (BTreeSet::new(), BTreeSet::new());
    while let Some(name) = names.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for class in named_by(classes, &name) {
            used.insert(class);
            if !expanded.insert(class) {
                continue;
            }
            for (.., ty) in classes.fields(class) {
                if let Type::Reference(name) = ty {
                    names.push(program.text(name).to_owned());
                }
            }
        }
    }
    used.retain(|&class| class.index() < classes.library.index());
    used
}

/// The classes whose objects a name may stand for, where nothing else says that there are some.
fn named_by(classes: &Classes<'_>, name: &str) -> Vec<ClassId> {
    match classes.concrete(name) {
        Some(class) if classes.live.is_some() => vec![class],
        _ => classes.concrete_below(name),
    }
}
