//! What writing and reading objects calls back.
//!
//! `ObjectOutputStream.writeObject` and `ObjectInputStream.readObject` look for procedures by
//! reflection: hooks that a class has under agreed names. What is written are objects that there
//! are; what is read may be objects of any class of the program itself that can be read.

use super::hierarchy::KindId;
use super::resolve::Lookup;
use tern_ir::{ProcId, SelectorId};

/// Which way objects go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// They are written.
    Out,
    /// They are read.
    In,
}

impl Way {
    /// Which way a call of a class and selector takes objects, if it does.
    pub(super) fn of(lookup: &Lookup<'_>, kind: KindId, selector: SelectorId) -> Option<Self> {
        let Lookup { program, hierarchy } = *lookup;
        let name = program.text(program.selectors()[selector].name);
        let (way, streams) = match name {
            "writeObject" | "writeUnshared" => {
                (Way::Out, ["java.io.ObjectOutputStream", "java.io.ObjectOutput"])
            }
            "readObject" | "readUnshared" => {
                (Way::In, ["java.io.ObjectInputStream", "java.io.ObjectInput"])
            }
            _ => return None,
        };
        let is_stream = |&kind: &KindId| streams.contains(&program.text(hierarchy.name(kind)));
        hierarchy.above(kind).iter().any(is_stream).then_some(way)
    }

    /// The names of the hooks.
    fn hooks(self) -> &'static [&'static str] {
        match self {
            Way::Out => &["writeObject", "writeReplace", "writeExternal"],
            Way::In => {
                &["readObject", "readObjectNoData", "readResolve", "readExternal", "validateObject"]
            }
        }
    }
}

/// Whether objects of a class can be written and read.
pub(super) fn is_serial(lookup: &Lookup<'_>, kind: KindId) -> bool {
    is_below(lookup, kind, "java.io.Serializable") || is_below(lookup, kind, EXTERNAL)
}

/// What writes and reads its objects itself.
const EXTERNAL: &str = "java.io.Externalizable";

fn is_below(lookup: &Lookup<'_>, kind: KindId, name: &str) -> bool {
    let Lookup { program, hierarchy } = *lookup;
    hierarchy.above(kind).iter().any(|&it| program.text(hierarchy.name(it)) == name)
}

/// What is called when objects of a class go such a way.
pub(super) fn hooks(lookup: &Lookup<'_>, kind: KindId, way: Way) -> Vec<ProcId> {
    let Lookup { program, hierarchy } = *lookup;
    let procedures = |kind: KindId| {
        let class = hierarchy.class(kind);
        class.map_or(&[][..], |class| &program.classes()[class].procedures).iter().copied()
    };
    let name =
        |id: ProcId| program.text(program.selectors()[program.procedures()[id].selector].name);
    let is_hook =
        |&id: &ProcId| !program.procedures()[id].is_static && way.hooks().contains(&name(id));
    let mut found: Vec<ProcId> =
        hierarchy.chain(kind).flat_map(procedures).filter(is_hook).collect();
    if way == Way::In {
        // The first class above that cannot be read itself makes its part without arguments.
        let is_external = is_below(lookup, kind, EXTERNAL);
        let maker = hierarchy.chain(kind).find(|&it| is_external || !is_serial(lookup, it));
        found.extend(maker.into_iter().flat_map(procedures).filter(|&id| {
            let selector = program.procedures()[id].selector;
            name(id) == "<init>" && program.selectors()[selector].parameters.is_empty()
        }));
    }
    found.retain(|&id| program.procedures()[id].body.is_some());
    found
}
