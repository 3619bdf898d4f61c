//! From class files to the intermediate language, one class at a time.
//!
//! A method goes through three steps: [`flow`] finds its blocks, [`locals`] the variables that its
//! slots hold, and [`method`] runs the code on a stack of operands and writes the statements. A
//! method that does not go through becomes a stub with the reason; the others of its class stay.

mod dynamic;
mod flow;
mod joins;
mod lambda;
mod link;
mod locals;
mod method;
mod operation;
mod stack;
mod values;

pub(crate) use link::Basics;

use crate::java::class::{ClassFile, Code, Malformed, MethodInfo, access, decode};
use crate::java::report::{Stub, Tally};
use link::{Host, Linker, Signature};
use tern_ir::{
    Access, Body, Class, ClassId, ClassKind, Field, NameId, Procedure, Program, Selector, Type,
};
use tern_model::Limit;
use tern_model::budget::Meter;

/// What a class file was.
pub(crate) enum Lowered {
    /// A class, now part of the program.
    Class,
    /// A class of a name that the program has already; it was left out.
    Duplicate(NameId),
    /// A module: services, and classes that provide them.
    Module(Vec<(NameId, NameId)>),
}

/// Why a class or a method was not lowered.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The file is wrong.
    Malformed(Malformed),
    /// The budget ran out.
    Limit(Limit),
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Failure::Malformed(malformed)
    }
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}

/// Adds a class file to a program.
pub(crate) fn class(
    program: &mut Program,
    basics: Basics,
    tally: &mut Tally,
    file: &ClassFile,
    meter: &mut Meter,
) -> Result<Lowered, Failure> {
    let mut link = Linker::new(program, basics, tally, file);
    if file.is_module() {
        return Ok(Lowered::Module(provisions(&mut link, file)?));
    }
    let name = link.class(file.this)?;
    if link.program.find_class(name).is_some() {
        return Ok(Lowered::Duplicate(name));
    }
    // Whatever can be wrong with the class as a whole is noticed before anything is added.
    let header = header(&mut link, file, name)?;
    let mut selectors = Vec::with_capacity(file.methods.len());
    for method in &file.methods {
        let name = link.name(method.name)?;
        selectors.push((name, link.signature(method.descriptor)?));
    }
    link.host = Host { name, superclass: header.superclass, file: header.file };
    let id = link.program.add_class(header);
    link.tally.report.classes += 1;
    for (method, (name, signature)) in file.methods.iter().zip(selectors) {
        procedure(&mut link, id, method, name, signature, meter)?;
    }
    Ok(Lowered::Class)
}

fn provisions(link: &mut Linker, file: &ClassFile) -> Result<Vec<(NameId, NameId)>, Malformed> {
    let mut provided = Vec::new();
    for provision in &file.provisions {
        let service = link.class(provision.service)?;
        for &provider in &provision.providers {
            provided.push((service, link.class(provider)?));
        }
    }
    Ok(provided)
}

fn header(link: &mut Linker, file: &ClassFile, name: NameId) -> Result<Class, Malformed> {
    let kind = match file.access {
        flags if flags & access::INTERFACE != 0 => ClassKind::Interface,
        flags if flags & access::ABSTRACT != 0 => ClassKind::Abstract,
        _ => ClassKind::Concrete,
    };
    let superclass = match (kind, file.superclass) {
        (ClassKind::Interface, _) | (_, 0) => None,
        (_, index) => Some(link.class(index)?),
    };
    let mut interfaces = Vec::with_capacity(file.interfaces.len());
    for &interface in &file.interfaces {
        interfaces.push(link.class(interface)?);
    }
    let source = match file.source {
        0 => None,
        index => Some(link.name(index)?),
    };
    let mut fields = Vec::with_capacity(file.fields.len());
    for field in &file.fields {
        let is_static = field.access & access::STATIC != 0;
        let (field_name, ty) = (link.name(field.name)?, link.type_at(field.descriptor)?);
        let id = link.program.field(Field { class: name, name: field_name, ty });
        let is_final = field.access & access::FINAL != 0;
        if is_static && (is_final || field.access & access::PRIVATE != 0) {
            link.tally.report.hidden.push((id, is_final));
        }
        let is_seen = matches!(visibility(field.access), Access::Public | Access::Protected);
        if is_seen && !is_final && file.access & access::PUBLIC != 0 {
            link.tally.report.exposed.push(id);
        }
        if field.access & access::VOLATILE != 0 {
            link.tally.report.volatile.push(id);
        }
        fields.push((id, is_static));
    }
    Ok(Class {
        name,
        superclass,
        interfaces: interfaces.into(),
        kind,
        access: visibility(file.access),
        is_final: file.access & access::FINAL != 0,
        file: source,
        fields,
        procedures: Vec::new(),
    })
}

fn visibility(flags: u16) -> Access {
    match flags {
        _ if flags & access::PUBLIC != 0 => Access::Public,
        _ if flags & access::PROTECTED != 0 => Access::Protected,
        _ if flags & access::PRIVATE != 0 => Access::Private,
        _ => Access::Package,
    }
}

fn procedure(
    link: &mut Linker,
    class: ClassId,
    method: &MethodInfo,
    name: NameId,
    signature: Signature,
    meter: &mut Meter,
) -> Result<(), Failure> {
    meter.tick()?;
    let program = &link.program;
    link.tally.current = format!("{}.{}", program.text(link.host.name), program.text(name));
    let is_abstract = method.access & access::ABSTRACT != 0 && method.code.is_none();
    link.tally.report.methods += 1;
    link.tally.report.native += usize::from(method.code.is_none() && !is_abstract);
    let (body, reason) = match method.code {
        None => (None, None),
        Some(_) => match body(link, method, &signature, meter) {
            Ok(body) => (Some(body), None),
            Err(Failure::Malformed(malformed)) => (None, Some(malformed.to_string())),
            Err(Failure::Limit(limit)) => return Err(limit.into()),
        },
    };
    link.tally.report.with_code += usize::from(body.is_some());
    let Signature { parameters, result } = signature;
    let selector = link.program.selector(Selector { name, parameters, result });
    let throws: Vec<NameId> =
        method.throws.iter().filter_map(|&index| link.class(index).ok()).collect();
    let procedure = link.program.add_procedure(Procedure {
        class: Some(class),
        selector,
        is_static: method.access & access::STATIC != 0,
        access: visibility(method.access),
        is_abstract,
        body,
    });
    if !throws.is_empty() {
        link.tally.report.declared.push((procedure, throws.into()));
    }
    if let Some(reason) = reason {
        link.tally.report.stubs.push(Stub { procedure, reason });
    }
    Ok(())
}

fn body(
    link: &mut Linker,
    method: &MethodInfo,
    signature: &Signature,
    meter: &mut Meter,
) -> Result<Body, Failure> {
    let Some(bytes) = method.code else {
        return Err(Malformed { offset: 0, what: "a method without code" }.into());
    };
    let code = Code::read(bytes, link.pool)?;
    let instructions = decode(code.instructions, code.start)?;
    link.tally.report.instructions += instructions.len();
    let flow = flow::Flow::new(&code, &instructions)?;
    let is_static = method.access & access::STATIC != 0;
    let mut parameters = Vec::with_capacity(signature.parameters.len() + 1);
    if !is_static {
        parameters.push(link.program.ty(Type::Reference(link.host.name)));
    }
    parameters.extend(&signature.parameters);
    let mut slots = Vec::with_capacity(parameters.len());
    let mut slot = 0u16;
    for &ty in &parameters {
        let kind = link.kind(ty).expect("parameters are not void");
        slots.push((slot, kind));
        slot += 1 + u16::from(kind.is_wide());
    }
    if slot > code.max_locals {
        return Err(Malformed { offset: code.start, what: "more parameters than locals" }.into());
    }
    let mut kinds = Vec::with_capacity(code.locals.len());
    for row in &code.locals {
        kinds.push(link.type_at(row.descriptor).ok().and_then(|ty| link.kind(ty)));
    }
    let locals = locals::find(&code, &instructions, &flow, &slots, &kinds);
    let frame = method::Frame {
        code: &code,
        instructions: &instructions,
        flow: &flow,
        locals: &locals,
        parameters: &parameters,
        names: &method.parameters,
        is_static,
        is_synchronized: method.access & access::SYNCHRONIZED != 0,
        result: signature.result,
    };
    method::lower(link, &frame, meter)
}
