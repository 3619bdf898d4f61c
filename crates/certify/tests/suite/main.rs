//! The tests of certifier and oracles, in one binary: each test binary links everything anew.
//! `cargo test -p tern-certify --test suite NAME::` runs one file.

mod agreement;
mod cases;
mod finite;
mod lasso;
mod laws;
mod pushdown;
mod reading;
mod rewrite;
mod star_cases;
mod stories;
mod trusted;
