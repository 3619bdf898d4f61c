//! Java programs: what is read, against a JDK if there is one.

mod corpora;
mod reading;
mod tools;
mod wrong;
