//! Pointer programs in Java: a method of class files is checked on all inputs that are asked for.
//!
//! What the method reaches is found, its classes become types, grammars are found or made, and the
//! code becomes lines in which holes stand for what cannot be followed ([`world`](super::world)).

use super::GrammarFile;
use super::live::{called, find_live, used_classes};
use super::world::{Classes, JavaWorld, number_fields};
use super::{HeapModel, Program as Origin, problem};
use crate::Error;
use std::collections::{BTreeMap, BTreeSet};
use tern_front::{Problem, Refusal, Source};
use tern_heap::code::Action;
use tern_heap::code::Code;
use tern_heap::code::lower::code_of;
use tern_heap::grammar::{Grammar, Shape, builtin};
use tern_heap::graph::{Heap, SelectorId, Slot, TypeId, Value, null};
use tern_heap::text::{self, Formal, Parameter, Target};
use tern_ir::{ClassId, FieldId, ProcId, Program, Type};
use tern_model::Budget;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_program::calls::Hierarchy;
use tern_program::control::events::Pattern;
use tern_program::control::names;
use tern_program::sources::Reading;

/// What is asked about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JavaAsked {
    /// The method: `reverse`, `Lists.reverse` or `Lists.reverse(Node)`.
    pub method: Option<String>,
    /// Grammars for classes: `SLL=Node(next)`.
    pub grammars: Vec<String>,
    /// Grammars for classes as JSON.
    pub rules: Vec<GrammarFile>,
    /// What the parameters are: `a: SLL, b: SLL+, x in a`.
    pub given: Option<String>,
    /// Methods whose code is not there and that change nothing.
    pub pure: Vec<String>,
}

/// A program in Java that was read, with what was made of it.
pub(super) struct JavaProgram {
    pub(super) program: Program,
    pub(super) hierarchy: Hierarchy,
    pub(super) library: ClassId,
    pub(super) pure: Vec<Pattern>,
    pub(super) live: Option<BTreeSet<ClassId>>,
    pub(super) kinds: BTreeMap<ClassId, TypeId>,
    pub(super) reached: Vec<ProcId>,
}

/// Names of fields that tell what a class is, the most telling first.
const TELLING: &[(&str, &[&[&str]])] = &[
    ("PTree", &[&["left"], &["right"], &["parent", "up", "father"]]),
    ("Tree", &[&["left"], &["right"]]),
    ("DLL", &[&["next", "succ"], &["prev", "previous", "pred"]]),
    ("SLL", &[&["next", "tail", "link", "succ", "rest"]]),
];

/// Makes the heaps that are given, with the names of their objects that are no parameters.
pub(super) type Heaps<'a> = &'a dyn Fn(&Grammar) -> Result<Vec<(Heap, Vec<String>)>, Vec<Problem>>;

/// Finds the method, its code and its inputs. The heaps may be given as they are.
pub(super) fn model_from(
    source: Source,
    reading: Reading,
    asked: &JavaAsked,
    heaps: Option<Heaps<'_>>,
    budget: &Budget,
) -> Result<HeapModel, Error> {
    let Reading { mut program, library, .. } = reading;
    let hierarchy = Hierarchy::new(&mut program);
    let pure = asked.pure.iter().map(|it| Pattern::new(it)).collect();
    let mut classes =
        Classes { program: &program, hierarchy: &hierarchy, library, pure, live: None };
    let mut problems = Vec::new();
    let checked = find_method(&classes, asked.method.as_deref(), &mut problems);
    let wrong = |problems: Vec<Problem>| Error::new(source.clone(), Refusal::Problems(problems));
    let Some(checked) = checked else {
        // What else is wrong is said at once.
        for text in &asked.grammars {
            let all = all_classes(&classes);
            read_grammar(&classes, &all, text, &mut problems);
        }
        return Err(wrong(problems));
    };
    // Heaps and rules that are given may have objects of any class.
    let any = heaps.is_some() || !asked.rules.is_empty();
    let reached = match any {
        true => called(&classes, checked),
        false => find_live(&mut classes, checked),
    };
    let used = used_classes(&classes, &reached);
    let (grammar, kinds) = make_grammar(&classes, &used, asked, budget, &mut problems)?;
    let numbers: BTreeMap<ProcId, ProcId> =
        reached.iter().enumerate().map(|(number, &id)| (id, ProcId::new(number))).collect();
    let (types, fields) = (&grammar.types, number_fields(&program, &kinds));
    let world = JavaWorld { classes: &classes, types, kinds: kinds.clone(), numbers, fields };
    let mut code = code_of(&program, &world, &named(&program, &reached), None);
    name_parameters(&program, &reached, &mut code);
    let initialisers = classes.initialisers(&used);
    if let Some(class) = initialisers.first() {
        let why = format!("the static initialiser of `{class}` is not followed");
        code.methods[ProcId::new(0)].lines[0].action = Action::Hole(why);
    }
    let target = target(&classes, &world, &grammar, checked, &code);
    let input = match text::given(asked.given.as_deref().unwrap_or(""), &target, &grammar) {
        Ok(input) => Some(input),
        Err(found) => {
            problems.extend(found.into_iter().map(|mut it| {
                if let Some(given) = &asked.given {
                    it.message = format!("--given '{given}': {}", it.message);
                }
                Problem { at: None, ..problem(it) }
            }));
            None
        }
    };
    let mut input = input;
    if let (Some(input), Some(heaps)) = (&mut input, heaps) {
        match heaps(&grammar) {
            Ok(made) => problems.extend(give(input, &mut code, made).err().map(|it| *it)),
            Err(found) => problems.extend(found),
        }
    }
    match input {
        Some(input) if problems.is_empty() => {
            let inputs = vec![(input, Vec::new())];
            let Classes { pure, live, .. } = classes;
            let java = JavaProgram { program, hierarchy, library, pure, live, kinds, reached };
            HeapModel::new(source, grammar, (code, Origin::Java(Box::new(java))), inputs)
        }
        _ => Err(wrong(problems)),
    }
}

/// Lets a method be called with heaps as they are. Objects of which nothing is said are `null`, but
/// for what programs are started with.
fn give(
    input: &mut text::Input,
    code: &mut Code,
    made: Vec<(Heap, Vec<String>)>,
) -> Result<(), Box<Problem>> {
    let method = &code.methods[input.procedure];
    let is_there = |slot: Slot| match slot {
        Slot::Variable(number) => (number as usize) < method.parameters,
        _ => true,
    };
    if !made.iter().flat_map(|(heap, _)| heap.slots()).all(|&(slot, _)| is_there(slot)) {
        let message = format!("`{}` has fewer parameters than an initial heap", method.name);
        return Err(Box::new(Problem::error("H603", message)));
    }
    let filled = |mut heap: Heap| {
        for (number, local) in method.locals.iter().enumerate().take(method.parameters) {
            let slot = Slot::Variable(u32::try_from(number).expect("few"));
            if heap.slot(slot).is_none() {
                let started = method.name == "main" && local.kind.is_none();
                let none = match local.is_number || started {
                    true => Value::Any,
                    false => Value::Object(null()),
                };
                heap.set_slot(slot, none);
            }
        }
        heap
    };
    let names = made.first().map(|(_, names)| names.clone()).unwrap_or_default();
    let mut heaps: Vec<Heap> = made.into_iter().map(|(heap, _)| filled(heap)).collect();
    if heaps.is_empty() {
        heaps.push(filled(Heap::default()));
    }
    input.heaps = Some(heaps);
    code.named = names;
    Ok(())
}

fn all_classes(classes: &Classes<'_>) -> BTreeSet<ClassId> {
    (0..classes.library.index()).map(ClassId::new).collect()
}

/// The method that is checked.
fn find_method(
    classes: &Classes<'_>,
    wanted: Option<&str>,
    problems: &mut Vec<Problem>,
) -> Option<ProcId> {
    let program = classes.program;
    let own = |id: &ProcId| {
        let it = &program.procedures()[*id];
        it.body.is_some() && it.class.is_some_and(|class| class.index() < classes.library.index())
    };
    let all: Vec<ProcId> = program.procedures().ids().filter(own).collect();
    let simple =
        |id: ProcId| program.text(program.selectors()[program.procedures()[id].selector].name);
    let candidates: Vec<ProcId> = match wanted {
        Some(wanted) => {
            let pattern = Pattern::new(wanted);
            let fits = |id: &ProcId| match pattern.has_types() {
                true => pattern.fits(&names::procedure(program, *id)),
                false => pattern.fits(&program.title(*id)),
            };
            all.iter().copied().filter(fits).collect()
        }
        None => {
            let ordinary = |id: &ProcId| !simple(*id).starts_with('<') && simple(*id) != "main";
            all.iter().copied().filter(ordinary).collect()
        }
    };
    match candidates[..] {
        [only] => return Some(only),
        [] => {
            let (message, hint) = match wanted {
                None => ("there is no method to check".to_owned(), None),
                Some(wanted) => {
                    let known: BTreeSet<String> = match wanted.contains('.') {
                        true => all.iter().map(|&id| program.title(id)).collect(),
                        false => all.iter().map(|&id| simple(id).to_owned()).collect(),
                    };
                    let bare = wanted.split('(').next().unwrap_or(wanted);
                    let near = of_other_types(program, &all, bare).or_else(|| {
                        tern_front::words::Nearest::new()
                            .among(bare, known.iter().map(|it| &**it))
                            .map(|it| format!("did you mean `{it}`?"))
                    });
                    (format!("there is no method `{wanted}`"), near)
                }
            };
            let problem = Problem::error("H501", message);
            problems.push(match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
        }
        _ => {
            let shown: Vec<String> =
                candidates.iter().take(8).map(|&id| names::procedure(program, id)).collect();
            let message = match wanted {
                Some(wanted) => format!("{} methods fit `{wanted}`", candidates.len()),
                None => format!("there are {} methods", candidates.len()),
            };
            let hint = format!("name one with --method: {}", shown.join(", "));
            problems.push(Problem::error("H501", message).hint(hint));
        }
    }
    None
}

/// Advice to name one of the methods that have a name, but take something else.
fn of_other_types(program: &Program, all: &[ProcId], name: &str) -> Option<String> {
    let pattern = Pattern::new(name);
    let fits = all.iter().filter(|id| pattern.fits(&program.title(**id)));
    let shown: Vec<String> =
        fits.take(8).map(|&id| format!("`{}`", names::procedure(program, id))).collect();
    (!shown.is_empty()).then(|| format!("did you mean {}?", shown.join(" or ")))
}

/// A grammar as it is asked for: its name, the class, and fields.
struct Wanted {
    name: String,
    class: ClassId,
    fields: Vec<String>,
}

/// Reads `SLL=Node(next)`.
fn read_grammar(
    classes: &Classes<'_>,
    used: &BTreeSet<ClassId>,
    text: &str,
    problems: &mut Vec<Problem>,
) -> Option<Wanted> {
    let program = classes.program;
    let form = || {
        Problem::error("H503", format!("--grammar '{text}' cannot be read"))
            .hint("write NAME=Class(field, …), such as 'SLL=Node(next)'")
    };
    let parts = text.split_once('=').and_then(|(name, rest)| {
        let (class, fields) = rest.trim().strip_suffix(')')?.split_once('(')?;
        let fields: Vec<String> = fields.split(',').map(|it| it.trim().to_owned()).collect();
        Some((name.trim().to_owned(), class.trim().to_owned(), fields))
    });
    let Some((name, class_name, fields)) = parts else {
        problems.push(form());
        return None;
    };
    let before = problems.len();
    if builtin::selectors(&name).is_none() {
        let near = tern_front::words::Nearest::new().among(&name, builtin::names());
        let known: Vec<&str> = builtin::names().collect();
        let problem = Problem::error("H203", format!("no grammar `{name}` is built in"));
        problems.push(problem.hint(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", known.join(", ")),
        }));
    }
    let full = |class: ClassId| program.text(program.classes()[class].name);
    let is_named =
        |class: ClassId| full(class) == class_name || classes.simple(class) == class_name;
    let Some(&class) = used.iter().find(|&&class| is_named(class)) else {
        let known: Vec<&str> = used.iter().map(|&class| classes.simple(class)).collect();
        let near = tern_front::words::Nearest::new().among(&class_name, known);
        let problem = Problem::error(
            "H502",
            format!("--grammar '{text}': what is checked uses no class `{class_name}`"),
        );
        problems.push(match near {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        });
        return None;
    };
    let known = classes.fields(class);
    for field in &fields {
        if !known.iter().any(|(_, it, _)| it == field) {
            let near = tern_front::words::Nearest::new()
                .among(field, known.iter().map(|it| &*it.1))
                .map(|it| format!("did you mean `{it}`?"));
            let message = format!("--grammar '{text}': `{class_name}` has no field `{field}`");
            let problem = Problem::error("H503", message);
            problems.push(match near {
                Some(near) => problem.hint(near),
                None => problem,
            });
        }
    }
    (problems.len() == before).then_some(Wanted { name, class, fields })
}

/// What the names of the fields of a class tell about it.
fn guessed(classes: &Classes<'_>, class: ClassId) -> Option<Wanted> {
    let own = |ty: &Type| match ty {
        Type::Reference(name) => classes.given(classes.program.text(*name)) == Some(class),
        _ => false,
    };
    let fields = classes.fields(class).into_iter();
    let selves: Vec<String> = fields.filter(|(.., ty)| own(ty)).map(|(_, name, _)| name).collect();
    for (name, telling) in TELLING {
        let find = |words: &&[&str]| selves.iter().find(|it| words.contains(&it.as_str())).cloned();
        let fields: Option<Vec<String>> = telling.iter().map(find).collect();
        if let Some(fields) = fields {
            return Some(Wanted { name: (*name).to_owned(), class, fields });
        }
    }
    match selves.as_slice() {
        [only] => Some(Wanted { name: "SLL".to_owned(), class, fields: vec![only.clone()] }),
        _ => None,
    }
}

/// The types of the classes, and the grammars for them.
fn make_grammar(
    classes: &Classes<'_>,
    used: &BTreeSet<ClassId>,
    asked: &JavaAsked,
    budget: &Budget,
    problems: &mut Vec<Problem>,
) -> Result<(Grammar, BTreeMap<ClassId, TypeId>), Error> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for text in &asked.grammars {
        wanted.extend(read_grammar(classes, used, text, problems));
    }
    let mut described = BTreeSet::new();
    for file in &asked.rules {
        match file.types() {
            Ok(types) => described.extend(types),
            Err(why) => problems.push(Problem::error("H603", format!("`{}`: {why}", file.name))),
        }
    }
    for &class in used {
        let is_described = described.contains(classes.simple(class));
        if !is_described && !wanted.iter().any(|it| it.class == class) {
            wanted.extend(guessed(classes, class));
        }
    }
    let mut grammar = Grammar::default();
    let mut kinds: BTreeMap<ClassId, TypeId> = BTreeMap::new();
    for &class in used {
        let simple = classes.simple(class);
        let is_alone = used.iter().filter(|&&it| classes.simple(it) == simple).count() == 1;
        let full = classes.program.text(classes.program.classes()[class].name);
        let name = if is_alone { simple.to_owned() } else { full.replace(['.', '$'], "_") };
        if classes.program.classes()[class].kind == tern_ir::ClassKind::Concrete {
            kinds.insert(class, grammar.types.add_kind(&name));
        }
    }
    add_selectors(classes, &wanted, &kinds, &mut grammar);
    for it in &wanted {
        let Some(&kind) = kinds.get(&it.class) else { continue };
        let kind = grammar.types.kinds[kind].name.clone();
        let fields: Vec<&str> = it.fields.iter().map(|it| &**it).collect();
        if let Err(message) = text::add_builtin(&mut grammar, &it.name, &kind, &fields) {
            problems.push(Problem::error("H203", message));
        }
    }
    let sound = problems.is_empty();
    for file in asked.rules.iter().filter(|_| sound) {
        if let Err(why) = file.add_to(&mut grammar) {
            problems.push(Problem::error("H603", format!("`{}`: {why}", file.name)));
        }
    }
    if problems.is_empty() {
        let mut meter = Meter::new(budget);
        match text::finish(&mut grammar, &mut meter) {
            Ok(Ok(())) => {}
            Ok(Err(message)) => problems.push(Problem::error("H207", message)),
            Err(limit) => return Err(Error::Limit(limit)),
        }
    }
    for &kind in kinds.values() {
        add_header(&mut grammar, kind);
    }
    Ok((grammar, kinds))
}

/// The fields that objects keep. A class without a grammar keeps of what it inherits what the
/// class that has one does, so that a field is kept by all objects or by none.
fn add_selectors(
    classes: &Classes<'_>,
    wanted: &[Wanted],
    kinds: &BTreeMap<ClassId, TypeId>,
    grammar: &mut Grammar,
) {
    let mut made: BTreeMap<FieldId, SelectorId> = BTreeMap::new();
    for (&class, &kind) in kinds {
        let chain = classes.chain(class);
        let has_told = |it: &ClassId| wanted.iter().any(|wanted| wanted.class == *it);
        let told = chain.iter().copied().find(has_told);
        let limited = told.map_or(Vec::new(), |it| classes.fields(it));
        for (field, name, ty) in classes.fields(class) {
            let Type::Reference(to) = ty else { continue };
            let to = classes.given(classes.program.text(to));
            let Some(&to) = to.and_then(|to| kinds.get(&to)) else { continue };
            let names = |it: &Wanted| Some(it.class) == told && it.fields.contains(&name);
            if limited.iter().any(|it| it.0 == field) && !wanted.iter().any(names) {
                continue;
            }
            match made.get(&field) {
                Some(&selector) => grammar.types.share_selector(kind, selector),
                None => {
                    made.insert(field, grammar.types.add_selector(kind, &name, to));
                }
            }
        }
    }
}

/// A class without a shape whose fields lead to shapes has one itself: each field is `null` or of
/// the first shape of its type.
fn add_header(grammar: &mut Grammar, kind: TypeId) {
    let selectors = grammar.types.kinds[kind].selectors.clone();
    if grammar.shapes.iter().any(|it| it.kind == kind) || selectors.len() > 3 {
        return;
    }
    let mut root = Heap::default();
    let object = root.add_object(kind);
    root.set_externals(vec![object]);
    let mut heaps = vec![root];
    for selector in selectors {
        let to = grammar.types.selectors[selector].to;
        let Some(shape) = grammar.shapes.iter().find(|it| it.kind == to) else { return };
        let mut next = Vec::new();
        for heap in &heaps {
            let mut none = heap.clone();
            none.set_field(object, selector, null());
            next.push(none);
            for part in &shape.heaps {
                let mut whole = heap.clone();
                let first = tern_heap::start::add_beside(&mut whole, part);
                let target = tern_heap::graph::ObjectId::new(
                    part.externals()[0].index() - 1 + first.index(),
                );
                whole.set_field(object, selector, target);
                next.push(whole);
            }
        }
        heaps = next;
    }
    let name = grammar.types.kinds[kind].name.clone();
    grammar.shapes.push(Shape { name, kind, heaps });
}

/// Methods with the names that claims call them by: without the class, if that is enough.
fn named(program: &Program, reached: &[ProcId]) -> Vec<(ProcId, String)> {
    let simple = |id: ProcId| {
        program.text(program.selectors()[program.procedures()[id].selector].name).to_owned()
    };
    let count = |name: &str, of: &dyn Fn(ProcId) -> String| {
        reached.iter().filter(|&&it| of(it) == name).count()
    };
    let title = |id: ProcId| program.title(id);
    reached
        .iter()
        .map(|&id| {
            let name = if count(&simple(id), &simple) == 1 {
                simple(id)
            } else if count(&title(id), &title) == 1 {
                title(id)
            } else {
                names::procedure(program, id)
            };
            (id, name)
        })
        .collect()
}

/// Parameters without a name get one.
fn name_parameters(program: &Program, reached: &[ProcId], code: &mut Code) {
    for (&id, (_, method)) in reached.iter().zip(code.methods.iter_mut()) {
        let is_static = program.procedures()[id].is_static;
        for (number, local) in method.locals.iter_mut().enumerate().take(method.parameters) {
            if local.name.is_empty() {
                local.name = match (is_static, number) {
                    (false, 0) => "this".to_owned(),
                    (false, number) => format!("p{}", number - 1),
                    (true, number) => format!("p{number}"),
                };
            }
        }
    }
}

/// The checked method as inputs see it. A parameter is of the first shape of its type if nothing is
/// said, and a receiver is not `null`.
fn target(
    classes: &Classes<'_>,
    world: &JavaWorld<'_>,
    grammar: &Grammar,
    checked: ProcId,
    code: &Code,
) -> Target {
    let program = classes.program;
    let procedure = &program.procedures()[checked];
    let method = &code.methods[ProcId::new(0)];
    let types: Vec<Type> = procedure
        .body
        .iter()
        .flat_map(|body| body.parameters().map(move |id| program.types()[body.variables[id].ty]))
        .collect();
    let mut parameters = Vec::new();
    for (number, (local, ty)) in method.locals.iter().zip(types).enumerate() {
        let formal = match ty {
            Type::Reference(name) => {
                let class = classes.given(program.text(name));
                let kind = class.and_then(|class| world.kinds.get(&class));
                kind.map_or(Formal::Unknown, |&kind| Formal::Object(kind))
            }
            Type::Integer { .. } | Type::Boolean => Formal::Number,
            _ => Formal::Unknown,
        };
        let nullable = procedure.is_static || number > 0;
        let default = match formal {
            Formal::Object(kind) => grammar
                .shapes
                .iter()
                .position(|it| it.kind == kind)
                .map(|shape| Parameter::Shape { shape, nullable }),
            _ => None,
        };
        parameters.push((local.name.clone(), formal, default));
    }
    let shapes_by = "fields `next`, `next` and `prev`, or `left` and `right`, tell that objects are \
                     lists or trees, and so does a single reference to objects of the same class; \
                     of others it is said: --grammar 'SLL=Node(field)'";
    Target {
        procedure: ProcId::new(0),
        title: method.name.clone(),
        parameters,
        shapes_by: shapes_by.to_owned(),
    }
}
