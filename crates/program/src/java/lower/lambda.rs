//! Lambdas and method references: a class for each, as `LambdaMetafactory` makes it at run time.
//!
//! The class implements the interface; what was captured is in its fields, which are written where
//! the object is made; its method calls the implementation with what was captured and its own
//! parameters. Boxing, unboxing and casts between the two are left out: they change no control
//! flow.

use super::link::{Linker, Signature};
use crate::java::class::{Bootstrap, Handle, Malformed, Value};
use tern_ir::{
    Access, Block, Body, Call, Class, ClassKind, Dispatch, Field, FieldId, Jump, LAMBDA, NameId,
    Operand, Place, Procedure, Selector, Statement, Type, TypeId, VarId, Variable,
};
use tern_model::index::Id;

/// A class that was made for a lambda.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    /// Its name.
    pub(crate) class: NameId,
    /// Its type.
    pub(crate) ty: TypeId,
    /// The fields of what it captures.
    pub(crate) fields: Vec<FieldId>,
}

/// The call that makes a lambda: indices of the name of the method and of what is captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) name: u16,
    pub(crate) descriptor: u16,
    pub(crate) place: Place,
}

/// Flags of `altMetafactory`.
const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;
const BRIDGES: i32 = 4;

/// Makes the class of a lambda; nothing if the call does not make one, or one that is not
/// understood.
pub(crate) fn make(
    link: &mut Linker,
    bootstrap: &Bootstrap,
    site: Site,
) -> Result<Option<Lambda>, Malformed> {
    let pool = link.pool;
    let member = pool.method(pool.handle(bootstrap.handle)?.member)?;
    if pool.utf8(pool.class(member.class)?)? != b"java/lang/invoke/LambdaMetafactory" {
        return Ok(None);
    }
    let captured = link.signature(site.descriptor)?;
    let Some(interface) = Lambda::interface(link.program.types()[captured.result]) else {
        return Ok(None);
    };
    let Ok(recipe) = Recipe::read(link, bootstrap, interface) else { return Ok(None) };
    let Some(target) = Target::find(link, recipe.implementation, captured.parameters.len())? else {
        return Ok(None);
    };
    let fits = |method: &Signature| {
        target.takes == captured.parameters.len() + method.parameters.len()
            && (method.result == link.basics.void || target.gives.is_some())
    };
    if !recipe.methods.iter().all(fits) {
        return Ok(None);
    }
    let name = link.name(site.name)?;
    Ok(Some(add(link, &captured, recipe, &target, name, site.place)))
}

/// What the bootstrap arguments ask for.
struct Recipe {
    /// The method, then its bridges.
    methods: Vec<Signature>,
    interfaces: Vec<NameId>,
    implementation: Handle,
}

impl Recipe {
    fn read(
        link: &mut Linker,
        bootstrap: &Bootstrap,
        interface: NameId,
    ) -> Result<Recipe, Malformed> {
        let pool = link.pool;
        let missing = Malformed { offset: 0, what: "a lambda with too few arguments" };
        let mut arguments = bootstrap.arguments.iter().copied();
        let mut next = || arguments.next().ok_or(missing);
        let methods = vec![link.signature(pool.method_type(next()?)?)?];
        let implementation = pool.handle(next()?)?;
        // The types as the call site knows them; the method is called by the erased ones.
        pool.method_type(next()?)?;
        let mut recipe = Recipe { methods, interfaces: vec![interface], implementation };
        let number = |index: u16| match pool.value(index)? {
            Value::Int(value) => Ok(value),
            _ => Err(Malformed { offset: 0, what: "a lambda with an argument that is no number" }),
        };
        let Ok(flags) = next() else { return Ok(recipe) };
        let flags = number(flags)?;
        if flags & SERIALIZABLE != 0 {
            recipe.interfaces.push(link.program.name("java.io.Serializable"));
        }
        if flags & MARKERS != 0 {
            for _ in 0..number(next()?)? {
                recipe.interfaces.push(link.class(next()?)?);
            }
        }
        if flags & BRIDGES != 0 {
            for _ in 0..number(next()?)? {
                let bridge = link.signature(pool.method_type(next()?)?)?;
                recipe.methods.push(bridge);
            }
        }
        Ok(recipe)
    }
}

/// What a lambda runs.
struct Target {
    dispatch: Dispatch,
    class: NameId,
    selector: tern_ir::SelectorId,
    /// Whether an object is made first.
    constructs: bool,
    /// How many values it is given, the receiver included.
    takes: usize,
    /// The type of what it gives.
    gives: Option<TypeId>,
}

impl Target {
    fn find(
        link: &mut Linker,
        handle: Handle,
        captured: usize,
    ) -> Result<Option<Target>, Malformed> {
        let (dispatch, constructs) = match handle.kind {
            5 | 9 => (Dispatch::Virtual, false),
            6 => (Dispatch::Static, false),
            7 => (Dispatch::Exact, false),
            8 => (Dispatch::Exact, true),
            // Fields are no implementation of a lambda.
            _ => return Ok(None),
        };
        let method = link.method(handle.member)?;
        let Selector { parameters, result, .. } = &link.program.selectors()[method.selector];
        let has_receiver = !constructs && dispatch != Dispatch::Static;
        let takes = parameters.len() + usize::from(has_receiver);
        let result = *result;
        let gives = match constructs {
            true => Some(link.program.ty(Type::Reference(method.class))),
            false => Some(result).filter(|&ty| ty != link.basics.void),
        };
        let target = Target {
            dispatch,
            class: method.class,
            selector: method.selector,
            constructs,
            takes,
            gives,
        };
        Ok(Some(target).filter(|target| captured <= target.takes))
    }
}

fn add(
    link: &mut Linker,
    captured: &Signature,
    recipe: Recipe,
    target: &Target,
    name: NameId,
    place: Place,
) -> Lambda {
    let host = link.program.text(link.host.name);
    let class = loop {
        link.made += 1;
        let text = format!("{host}{LAMBDA}{}", link.made);
        let known = link.program.find_name(&text).and_then(|name| link.program.find_class(name));
        if known.is_none() {
            break text;
        }
    };
    let class = link.program.name(&class);
    let fields = captured.parameters.iter().enumerate().map(|(position, &ty)| {
        let name = link.program.name(&format!("captured{position}"));
        link.program.field(Field { class, name, ty })
    });
    let fields: Vec<FieldId> = fields.collect();
    let id = link.program.add_class(Class {
        name: class,
        superclass: Some(link.basics.object_name),
        interfaces: recipe.interfaces.into(),
        kind: ClassKind::Concrete,
        access: Access::Package,
        is_final: true,
        file: link.host.file,
        fields: fields.iter().map(|&field| (field, false)).collect(),
        procedures: Vec::new(),
    });
    let ty = link.program.ty(Type::Reference(class));
    link.tally.report.lambdas += 1;
    for method in recipe.methods {
        let mut body = body(link, &method, ty, &fields, target, place);
        body.file = link.host.file;
        let Signature { parameters, result } = method;
        let selector = link.program.selector(Selector { name, parameters, result });
        if link.program.find_procedure(Some(id), selector).is_none() {
            link.program.add_procedure(Procedure {
                class: Some(id),
                selector,
                is_static: false,
                access: Access::Public,
                is_abstract: false,
                body: Some(body),
            });
        }
    }
    Lambda { class, ty, fields }
}

/// The method of a lambda: what was captured, then the parameters, go to the implementation.
fn body(
    link: &Linker,
    method: &Signature,
    this: TypeId,
    fields: &[FieldId],
    target: &Target,
    place: Place,
) -> Body {
    let mut body = Body { parameters: method.parameters.len() + 1, ..Body::default() };
    body.variables.push(Variable { name: link.program.find_name("this"), ty: this });
    for &ty in &method.parameters {
        body.variables.push(Variable { name: None, ty });
    }
    let made = target.constructs.then(|| {
        let ty = target.gives.unwrap_or(link.basics.object);
        let to = body.variables.push(Variable { name: None, ty });
        body.statements.push(Statement::New { to, class: target.class });
        to
    });
    body.operands.extend(made.map(Operand::Variable));
    for &field in fields {
        let ty = link.program.fields()[field].ty;
        let to = body.variables.push(Variable { name: None, ty });
        let object = Some(Operand::Variable(VarId::new(0)));
        body.statements.push(Statement::Load { to, object, field });
        body.operands.push(Operand::Variable(to));
    }
    body.operands.extend((1..body.parameters).map(|row| Operand::Variable(VarId::new(row))));
    let result = (method.result != link.basics.void).then_some(target.gives).flatten();
    let given = match (made, result) {
        (Some(made), _) => Some(made),
        (None, Some(ty)) => Some(body.variables.push(Variable { name: None, ty })),
        (None, None) => None,
    };
    let Target { dispatch, class, selector, .. } = *target;
    let call =
        Box::new(Call { dispatch, class, selector, arguments: 0..body.operands.len() as u32 });
    body.statements.push(Statement::Call { to: given.filter(|_| made.is_none()), call });
    body.places = vec![place; body.statements.len()];
    body.blocks.push(Block {
        statements: 0..body.statements.len() as u32,
        jump: Jump::Return(given.filter(|_| result.is_some()).map(Operand::Variable)),
        place,
        handlers: 0..0,
    });
    body
}
