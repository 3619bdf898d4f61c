//! Java programs: what is read, against a JDK if there is one.

mod assemble;
mod behaviour;
mod corpora;
mod expressions;
mod generate;
mod javap;
mod machine;
mod mutants;
mod reading;
mod subroutines;
pub(crate) mod tools;
mod wrong;
