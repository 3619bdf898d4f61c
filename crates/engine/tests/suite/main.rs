//! The tests of the engines, in one binary: each test binary links everything anew.
//! `cargo test -p tern-engine --test suite NAME::` runs one file.

mod abstraction;
mod agreement;
mod auto;
mod certificates;
mod certifier;
mod compassion;
mod complement;
mod demand;
mod edges;
mod limits;
mod linear;
mod many;
mod regions;
mod spoiled_runs;
mod star;
mod star_evidence;
mod stories;
mod top_level;
