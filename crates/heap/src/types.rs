//! Types of objects and their selectors: the fields that hold references.

use crate::graph::{SelectorId, TypeId};
use tern_model::index::Table;

/// A type of objects.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Its selectors, in order.
    pub selectors: Vec<SelectorId>,
}

/// A field that objects of some types have.
#[derive(Clone, Debug)]
pub struct Selector {
    /// Its name.
    pub name: String,
    /// The type of objects it leads to, unless it is `null`, in what grammars derive.
    pub to: TypeId,
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// The types.
    pub kinds: Table<TypeId, Kind>,
    /// The selectors of all types.
    pub selectors: Table<SelectorId, Selector>,
    /// The type of objects that were freed.
    freed: Option<TypeId>,
}

impl Types {
    /// Adds a type without selectors.
    pub fn add_kind(&mut self, name: &str) -> TypeId {
        self.kinds.push(Kind { name: name.to_owned(), selectors: Vec::new() })
    }

    /// The type of objects that were freed, if there are such.
    pub fn freed(&self) -> Option<TypeId> {
        self.freed
    }

    /// Lets objects be freed: then they have a type of their own, without selectors.
    pub fn allow_free(&mut self) {
        if self.freed.is_none() {
            self.freed = Some(self.add_kind("(freed)"));
        }
    }

    /// Adds a selector.
    pub fn add_selector(&mut self, of: TypeId, name: &str, to: TypeId) -> SelectorId {
        let id = self.selectors.push(Selector { name: name.to_owned(), to });
        self.kinds[of].selectors.push(id);
        id
    }

    /// Lets objects of one more type have a selector.
    pub fn share_selector(&mut self, of: TypeId, selector: SelectorId) {
        self.kinds[of].selectors.push(selector);
    }

    /// The type of that name.
    pub fn kind(&self, name: &str) -> Option<TypeId> {
        self.kinds.iter().find(|(_, kind)| kind.name == name).map(|(id, _)| id)
    }

    /// The selector of that name, of a type.
    pub fn selector(&self, of: TypeId, name: &str) -> Option<SelectorId> {
        self.kinds[of].selectors.iter().copied().find(|&it| self.selectors[it].name == name)
    }
}
