//! Kleene's three truth values: what is true, what is false, and what is not known yet.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// A truth value that may not be known. Ordered by truth: false, unknown, true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tri {
    /// Known to be false.
    False,
    /// Not known.
    Unknown,
    /// Known to be true.
    True,
}

impl Tri {
    /// Whether the value is known.
    pub fn is_known(self) -> bool {
        self != Tri::Unknown
    }

    /// The value as a `bool`, if it is known.
    pub fn known(self) -> Option<bool> {
        match self {
            Tri::False => Some(false),
            Tri::Unknown => None,
            Tri::True => Some(true),
        }
    }
}

impl From<bool> for Tri {
    fn from(value: bool) -> Self {
        if value { Tri::True } else { Tri::False }
    }
}

impl Not for Tri {
    type Output = Tri;
    fn not(self) -> Tri {
        match self {
            Tri::False => Tri::True,
            Tri::Unknown => Tri::Unknown,
            Tri::True => Tri::False,
        }
    }
}

impl BitAnd for Tri {
    type Output = Tri;
    fn bitand(self, other: Tri) -> Tri {
        self.min(other)
    }
}

impl BitOr for Tri {
    type Output = Tri;
    fn bitor(self, other: Tri) -> Tri {
        self.max(other)
    }
}

impl fmt::Display for Tri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tri::False => "false",
            Tri::Unknown => "unknown",
            Tri::True => "true",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Tri::{False, True, Unknown};

    #[test]
    fn the_connectives_are_kleenes() {
        assert_eq!(True & Unknown, Unknown);
        assert_eq!(False & Unknown, False);
        assert_eq!(True | Unknown, True);
        assert_eq!(False | Unknown, Unknown);
        for (a, b) in [(True, Unknown), (False, Unknown), (Unknown, Unknown), (True, False)] {
            assert_eq!(!(a & b), !a | !b);
        }
    }
}
