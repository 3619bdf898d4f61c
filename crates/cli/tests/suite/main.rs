//! The tests of the program, in one binary: each test binary links everything anew.
//! `cargo test -p tern-cli --test suite NAME::` runs one file.

mod broken;
mod browser;
mod certify;
mod code;
mod codes;
mod command_line;
mod corpus;
mod documentation;
mod draw;
mod exporter;
mod generate;
mod hostile_heaps;
mod hostile_results;
mod integers;
mod layout;
mod linear_time;
mod many_models;
mod memory;
mod messages;
mod mutations;
mod programs;
mod scan;
mod simulate;
mod smv;
mod smv_models;
mod stress;
mod witnesses;
