//! Which class lies below which, where some classes are missing.
//!
//! A *kind* is a class or interface that the program defines, or that one of these names as what
//! is above it, or that code names. Of a kind that is missing nothing is known, but for a few of
//! Java's own whose place every program relies on ([`OUTLINE`]). So whether one kind lies below
//! another is `yes`, `no` or `unknown`.
//!
//! A class that lies below itself is cut off from what it names as its superclass, and counted; so
//! walks upwards end.

use rustc_hash::FxHashMap;
use tern_ir::{ClassId, ClassKind, NameId, Program, Statement};
use tern_model::Tri;
use tern_model::index::{Id, Lists, Table};

tern_model::indices! {
    /// A class or interface that is defined or named.
    pub KindId = "y";
}

/// The root of all classes.
pub const ROOT: &str = "java.lang.Object";

/// The superclasses of classes that programs throw and catch, for when they are missing.
const OUTLINE: &[(&str, &str)] = &[
    ("java.lang.Throwable", ROOT),
    ("java.lang.Exception", "java.lang.Throwable"),
    ("java.lang.Error", "java.lang.Throwable"),
    ("java.lang.RuntimeException", "java.lang.Exception"),
    ("java.lang.ArithmeticException", "java.lang.RuntimeException"),
    ("java.lang.ArrayStoreException", "java.lang.RuntimeException"),
    ("java.lang.ClassCastException", "java.lang.RuntimeException"),
    ("java.lang.IllegalArgumentException", "java.lang.RuntimeException"),
    ("java.lang.IllegalMonitorStateException", "java.lang.RuntimeException"),
    ("java.lang.IllegalStateException", "java.lang.RuntimeException"),
    ("java.lang.IndexOutOfBoundsException", "java.lang.RuntimeException"),
    ("java.lang.ArrayIndexOutOfBoundsException", "java.lang.IndexOutOfBoundsException"),
    ("java.lang.StringIndexOutOfBoundsException", "java.lang.IndexOutOfBoundsException"),
    ("java.lang.NegativeArraySizeException", "java.lang.RuntimeException"),
    ("java.lang.NullPointerException", "java.lang.RuntimeException"),
    ("java.lang.NumberFormatException", "java.lang.IllegalArgumentException"),
    ("java.lang.UnsupportedOperationException", "java.lang.RuntimeException"),
    ("java.lang.CloneNotSupportedException", "java.lang.Exception"),
    ("java.lang.InterruptedException", "java.lang.Exception"),
    ("java.lang.ReflectiveOperationException", "java.lang.Exception"),
    ("java.lang.ClassNotFoundException", "java.lang.ReflectiveOperationException"),
    ("java.lang.AssertionError", "java.lang.Error"),
    ("java.lang.LinkageError", "java.lang.Error"),
    ("java.lang.ExceptionInInitializerError", "java.lang.LinkageError"),
    ("java.lang.NoClassDefFoundError", "java.lang.LinkageError"),
    ("java.lang.VirtualMachineError", "java.lang.Error"),
    ("java.lang.StackOverflowError", "java.lang.VirtualMachineError"),
    ("java.lang.OutOfMemoryError", "java.lang.VirtualMachineError"),
    ("java.io.IOException", "java.lang.Exception"),
    ("java.io.FileNotFoundException", "java.io.IOException"),
    ("java.util.NoSuchElementException", "java.lang.RuntimeException"),
    ("java.util.ConcurrentModificationException", "java.lang.RuntimeException"),
];

/// The classes of a program and what lies above and below them.
#[derive(Debug)]
pub struct Hierarchy {
    found: FxHashMap<NameId, KindId>,
    kinds: Table<KindId, Kind>,
    interfaces: Lists<KindId, KindId>,
    below: Lists<KindId, KindId>,
    root: Option<KindId>,
    /// How many classes lie below themselves.
    circular: usize,
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    name: NameId,
    class: Option<ClassId>,
    superclass: Option<KindId>,
    is_interface: bool,
    /// Whether objects of just this class are made.
    is_concrete: bool,
    /// Whether nothing is known of what is above it.
    is_open: bool,
}

impl Hierarchy {
    /// The hierarchy of a program. Names of classes that are missing may be added to its names.
    pub fn new(program: &mut Program) -> Self {
        let outline: Vec<(NameId, NameId)> =
            OUTLINE.iter().map(|(name, above)| (program.name(name), program.name(above))).collect();
        let outline: FxHashMap<NameId, NameId> = outline.into_iter().collect();
        let root = program.name(ROOT);
        let program = &*program;
        let mut found = FxHashMap::default();
        let mut kinds: Table<KindId, Kind> = Table::new();
        let mut names: Vec<NameId> = vec![root];
        names.extend(OUTLINE.iter().filter_map(|(name, _)| program.find_name(name)));
        for (id, class) in program.classes().iter() {
            if program.find_class(class.name) == Some(id) {
                names.push(class.name);
                names.extend(class.superclass);
                names.extend(class.interfaces.iter().copied());
            }
        }
        names.extend(named_in_code(program));
        let mut next = 0;
        while let Some(&name) = names.get(next) {
            next += 1;
            if found.contains_key(&name) {
                continue;
            }
            let class = program.find_class(name);
            let kind = class.map(|class| program.classes()[class].kind);
            let is_open = class.is_none() && !outline.contains_key(&name) && name != root;
            found.insert(
                name,
                kinds.push(Kind {
                    name,
                    class,
                    superclass: None,
                    is_interface: kind == Some(ClassKind::Interface),
                    is_concrete: kind == Some(ClassKind::Concrete),
                    is_open,
                }),
            );
            if class.is_none() {
                names.extend(outline.get(&name));
            }
        }
        let mut interfaces = Vec::new();
        for id in kinds.ids() {
            let Kind { name, class, .. } = kinds[id];
            let above = match class {
                Some(class) => {
                    let class = &program.classes()[class];
                    interfaces.extend(class.interfaces.iter().map(|name| (id, found[name])));
                    class.superclass
                }
                None => outline.get(&name).copied(),
            };
            kinds[id].superclass = above.map(|name| found[&name]);
        }
        let circular = cut_circles(&mut kinds);
        let interfaces = Lists::group(kinds.len(), &interfaces);
        let extends = kinds.iter().filter_map(|(id, kind)| Some((kind.superclass?, id)));
        let implements =
            kinds.ids().flat_map(|id| interfaces.of(id).iter().map(move |&it| (it, id)));
        let pairs: Vec<(KindId, KindId)> = extends.chain(implements).collect();
        let below = Lists::group(kinds.len(), &pairs);
        let root = found.get(&root).copied();
        Hierarchy { found, kinds, interfaces, below, root, circular }
    }

    /// The kind of a name, if it is defined or above something that is.
    pub fn find(&self, name: NameId) -> Option<KindId> {
        self.found.get(&name).copied()
    }

    /// All kinds.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = KindId> + use<> {
        self.kinds.ids()
    }

    /// The name of a kind.
    pub fn name(&self, kind: KindId) -> NameId {
        self.kinds[kind].name
    }

    /// The class of a kind, if it is defined.
    pub fn class(&self, kind: KindId) -> Option<ClassId> {
        self.kinds[kind].class
    }

    /// What a kind extends.
    pub fn superclass(&self, kind: KindId) -> Option<KindId> {
        self.kinds[kind].superclass
    }

    /// The interfaces that a kind names.
    pub fn interfaces(&self, kind: KindId) -> &[KindId] {
        self.interfaces.of(kind)
    }

    /// Whether it is an interface that is defined.
    pub fn is_interface(&self, kind: KindId) -> bool {
        self.kinds[kind].is_interface
    }

    /// Whether it is defined, and objects of just this class are made.
    pub fn is_concrete(&self, kind: KindId) -> bool {
        self.kinds[kind].is_concrete
    }

    /// Whether nothing is known of what is above it.
    pub fn is_open(&self, kind: KindId) -> bool {
        self.kinds[kind].is_open
    }

    /// The root of all classes.
    pub fn root(&self) -> Option<KindId> {
        self.root
    }

    /// How many kinds are named and not defined.
    pub fn missing(&self) -> impl Iterator<Item = KindId> {
        self.kinds.iter().filter(|(_, kind)| kind.class.is_none()).map(|(id, _)| id)
    }

    /// How many classes lie below themselves.
    pub fn circular(&self) -> usize {
        self.circular
    }

    /// The kind and its superclasses, from it upwards.
    pub fn chain(&self, kind: KindId) -> impl Iterator<Item = KindId> {
        std::iter::successors(Some(kind), |&kind| self.superclass(kind))
    }

    /// The kind and all that lies above it, each once: superclasses, then interfaces.
    pub fn above(&self, kind: KindId) -> Vec<KindId> {
        let mut above: Vec<KindId> = self.chain(kind).collect();
        let mut seen: rustc_hash::FxHashSet<KindId> = above.iter().copied().collect();
        let mut next = 0;
        while let Some(&kind) = above.get(next) {
            next += 1;
            let more = self.interfaces(kind).iter().copied().chain(self.superclass(kind));
            above.extend(more.filter(|&kind| seen.insert(kind)));
        }
        above
    }

    /// The kind and all that lies below it, each once.
    pub fn below(&self, kind: KindId) -> Vec<KindId> {
        let mut below = vec![kind];
        let mut seen: rustc_hash::FxHashSet<KindId> = below.iter().copied().collect();
        let mut next = 0;
        while let Some(&kind) = below.get(next) {
            next += 1;
            below.extend(self.below.of(kind).iter().copied().filter(|&it| seen.insert(it)));
        }
        below
    }

    /// Whether a class is another, or lies below it by superclasses.
    pub fn extends(&self, kind: KindId, above: KindId) -> Tri {
        if Some(above) == self.root || self.chain(kind).any(|it| it == above) {
            return Tri::True;
        }
        let is_open = self.chain(kind).any(|it| self.is_open(it));
        // What is defined, or has its place in the outline, lies below nothing unexpected.
        if is_open { Tri::Unknown } else { Tri::False }
    }
}

/// The classes that code makes objects of, calls or catches.
fn named_in_code(program: &Program) -> impl Iterator<Item = NameId> {
    let bodies = program.procedures().as_slice().iter().filter_map(|it| it.body.as_ref());
    bodies.flat_map(|body| {
        let caught = body.handlers.iter().filter_map(|handler| handler.class);
        caught.chain(body.statements.iter().filter_map(|statement| match statement {
            Statement::New { class, .. } => Some(*class),
            Statement::Call { call, .. } => Some(call.class),
            _ => None,
        }))
    })
}

/// Cuts off superclasses by which a class lies below itself. Says how many.
fn cut_circles(kinds: &mut Table<KindId, Kind>) -> usize {
    // 0: not looked at; otherwise the number of the walk that came by.
    let mut walks = vec![0u32; kinds.len()];
    let mut cut = 0;
    for (walk, start) in (1u32..).zip(kinds.ids()) {
        let mut at = start;
        while walks[at.index()] == 0 {
            walks[at.index()] = walk;
            match kinds[at].superclass {
                Some(above) if walks[above.index()] == walk => {
                    kinds[at].superclass = None;
                    cut += 1;
                }
                Some(above) => at = above,
                None => {}
            }
        }
    }
    cut
}
