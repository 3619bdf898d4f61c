//! What a hyperedge is attached to: most often one or two objects, which need no room elsewhere.

use crate::graph::{ObjectId, null};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// How many objects are kept in place.
const FEW: usize = 3;

/// A list of objects that does not change its length.
#[derive(Clone)]
pub struct Ends(Kept);

#[derive(Clone)]
enum Kept {
    /// So many of these.
    Few(u8, [ObjectId; FEW]),
    Many(Box<[ObjectId]>),
}

impl Deref for Ends {
    type Target = [ObjectId];
    fn deref(&self) -> &[ObjectId] {
        match &self.0 {
            Kept::Few(count, objects) => &objects[..*count as usize],
            Kept::Many(objects) => objects,
        }
    }
}

impl DerefMut for Ends {
    fn deref_mut(&mut self) -> &mut [ObjectId] {
        match &mut self.0 {
            Kept::Few(count, objects) => &mut objects[..*count as usize],
            Kept::Many(objects) => objects,
        }
    }
}

impl From<&[ObjectId]> for Ends {
    fn from(objects: &[ObjectId]) -> Self {
        objects.iter().copied().collect()
    }
}

impl From<Vec<ObjectId>> for Ends {
    fn from(objects: Vec<ObjectId>) -> Self {
        objects.into_iter().collect()
    }
}

impl<const COUNT: usize> From<[ObjectId; COUNT]> for Ends {
    fn from(objects: [ObjectId; COUNT]) -> Self {
        objects.into_iter().collect()
    }
}

impl FromIterator<ObjectId> for Ends {
    fn from_iter<I: IntoIterator<Item = ObjectId>>(objects: I) -> Self {
        let (mut few, mut count) = ([null(); FEW], 0);
        let mut objects = objects.into_iter();
        while let Some(object) = objects.next() {
            let Some(place) = few.get_mut(count) else {
                let all = few.into_iter().chain([object]).chain(objects);
                return Ends(Kept::Many(all.collect()));
            };
            *place = object;
            count += 1;
        }
        Ends(Kept::Few(u8::try_from(count).expect("few"), few))
    }
}

impl<'a> IntoIterator for &'a Ends {
    type Item = &'a ObjectId;
    type IntoIter = std::slice::Iter<'a, ObjectId>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Ends {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Ends {}

impl PartialOrd for Ends {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ends {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Ends {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::index::Id;

    #[test]
    fn they_are_lists_of_any_length() {
        let lists: Vec<Vec<ObjectId>> =
            (0..6).map(|it| (0..it).map(ObjectId::new).collect()).collect();
        for list in &lists {
            let ends = Ends::from(&list[..]);
            assert_eq!(*ends, list[..]);
            for other in &lists {
                assert_eq!(ends.cmp(&Ends::from(other.clone())), list.cmp(other));
            }
        }
    }
}
