//! From parameters to machines and formulas: families of them, of any size, by seed.
//!
//! A *family* makes one machine (with claims, where it has some to make), formula or pushdown
//! system from a size, a seed and parameters of its own. The same parameters give the same text, on
//! every computer. Families in which contexts matter say what becomes of their claims: the verdict
//! is known by construction, and so they test engines as well as measure them.
//!
//! [`FAMILIES`] is the table of all of them; one file tells of each.

mod chain;
mod entries;
mod exits;
mod exponential;
mod java;
mod literature;
mod mutual;
mod nested;
mod parts;
mod pushdown;

use crate::claims;
use fastrand::Rng;
use tern_model::{Builder, Claims, Machine};

/// What a family makes.
#[derive(Clone, Copy, Debug)]
pub enum Make {
    /// Machines, with claims or without.
    Machine(fn(&Parameters) -> Model),
    /// Formulas.
    Formula(fn(&Parameters) -> Claims),
    /// Pushdown systems, as text.
    Pushdown(fn(&Parameters) -> String),
}

/// A family of machines or formulas.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name for `--family`.
    pub name: &'static str,
    /// What it makes, in one line.
    pub about: &'static str,
    /// What the size is the number of.
    pub size: &'static str,
    /// The largest size: no member of a family is so large that it cannot be kept.
    pub most: usize,
    /// What else can be chosen.
    pub parameters: &'static [Parameter],
    /// How to make a member.
    pub make: Make,
}

/// Something that can be chosen of a member of a family.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
    /// Its value if none is given.
    pub default: usize,
    /// The least value it can have.
    pub least: usize,
    /// The largest value it can have.
    pub most: usize,
}

/// All families: machines first, then formulas, then pushdown systems.
pub const FAMILIES: &[Family] = &[
    literature::MACHINES,
    chain::FAMILY,
    mutual::FAMILY,
    entries::FAMILY,
    exits::FAMILY,
    nested::FAMILY,
    exponential::FAMILY,
    java::FAMILY,
    literature::FORMULAS,
    pushdown::FAMILY,
];

/// A machine that was made, and what is claimed of it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The machine.
    pub machine: Machine,
    /// What is claimed.
    pub claims: Claims,
    /// For each claim whether it holds, where that is known by construction.
    pub expected: Vec<Option<bool>>,
}

/// What a member of a family is to be like.
#[derive(Clone, Debug)]
pub struct Parameters {
    size: usize,
    seed: u64,
    values: Vec<(&'static str, usize)>,
}

/// Why there is no such member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the variants and fields mean
pub enum Unmakeable {
    #[error("the family `{family}` has sizes from 1 to {most}, not {given}")]
    Size { family: &'static str, most: usize, given: usize },
    #[error("the family `{family}` has no parameter `{name}`")]
    NoParameter { family: &'static str, name: String },
    #[error("`{name}` can be {least} to {most}, not {given}")]
    Value { name: &'static str, least: usize, most: usize, given: usize },
}

impl Parameters {
    /// The parameters of a member of a family; those that are not named have their defaults.
    ///
    /// # Errors
    /// The first of them that the family does not have, or not with this value.
    pub fn new(
        family: &Family,
        size: usize,
        seed: u64,
        given: &[(String, usize)],
    ) -> Result<Self, Unmakeable> {
        if size == 0 || size > family.most {
            return Err(Unmakeable::Size { family: family.name, most: family.most, given: size });
        }
        let mut values: Vec<_> = family.parameters.iter().map(|p| (p.name, p.default)).collect();
        for (name, value) in given {
            let Some(i) = family.parameters.iter().position(|known| known.name == name) else {
                return Err(Unmakeable::NoParameter { family: family.name, name: name.clone() });
            };
            let Parameter { name, least, most, .. } = family.parameters[i];
            if !(least..=most).contains(value) {
                return Err(Unmakeable::Value { name, least, most, given: *value });
            }
            values[i].1 = *value;
        }
        Ok(Parameters { size, seed, values })
    }

    fn get(&self, name: &str) -> usize {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.expect("families ask for parameters that they have").1
    }

    fn rng(&self) -> Rng {
        Rng::with_seed(self.seed)
    }
}

/// The family of machines of a name.
pub fn machines(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.name == name && matches!(f.make, Make::Machine(_)))
}

/// The family of formulas of a name.
pub fn formulas(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.name == name && matches!(f.make, Make::Formula(_)))
}

/// The family of pushdown systems of a name.
pub fn pushdowns(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.name == name && matches!(f.make, Make::Pushdown(_)))
}

/// Puts a model together from its parts, which are sound.
fn model(builder: Builder, claimed: &[(&str, String, Option<bool>)]) -> Model {
    let mut claims = Claims::new();
    for (name, formula, _) in claimed {
        claims::read_one(&mut claims, &format!("{name}: {formula}")).expect("a sound formula");
    }
    Model {
        machine: builder.finish().expect("only sound parts are put in"),
        claims,
        expected: claimed.iter().map(|&(_, _, holds)| holds).collect(),
    }
}
