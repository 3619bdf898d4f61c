//! The command line: what may be written on it, and the help that explains it.
//!
//! Completions and manual pages are made from the same definitions.

mod generate;
mod values;

pub(crate) use generate::{GenerateArgs, Product};
pub(crate) use values::{
    Acceptance, Color, Deadlock, EngineChoice, JsonForm, PictureFormat, ReductionWhen, TraceStyle,
    Witness,
};

use crate::limits::{parse_duration, parse_memory};
use crate::load::ends_in;
use crate::reading::ReadingArgs;
use crate::scan::{RulesCommand, ScanArgs};
use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;
use tern_front::render::SHOWN;
use tern_front::{FORMATS, Format};
use tern_program::sources::source_of;
pub(crate) use values::threads;
use values::{AUTO, engines, written_formats};

/// Decides temporal properties of programs that call procedures.
///
/// Tern reads a program (Java, C over integers, procedures on lists and trees) or a model of one
/// (a recursive state machine: components with nodes, that call each other) and claims in CTL,
/// LTL or CTL*. Of each claim it says that it holds, that it fails, or that this is unknown and
/// why.
#[derive(Debug, Parser)]
#[command(name = "tern", version, after_long_help = overview(), after_help = SHORT_OVERVIEW)]
#[command(propagate_version = true)]
pub(crate) struct Args {
    /// When to colour text; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub(crate) color: Color,
    /// How many problems of bad input to show; 0 for all, which are up to 100 of each text
    #[arg(long, global = true, value_name = "N", default_value_t = SHOWN)]
    pub(crate) max_problems: usize,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// How many problems of bad input are shown.
    pub(crate) fn most_problems(&self) -> usize {
        if self.max_problems == 0 { usize::MAX } else { self.max_problems }
    }
}

const SHORT_OVERVIEW: &str = "\
Example:  tern check model.tern -f 'AG (request -> AF answer)'
See `tern check --help` for claims, engines, limits and exit statuses.";

const EXAMPLES: &str = "\
Examples:
  tern check model.tern                         the claims written in the model
  tern check model.rsm claims.ctl               the claims in a file, one a line
  tern check model.rsm -f 'AG (p -> EF q)'      a claim on the command line
  zcat model.tern.gz | tern check - -f 'EF p'   a model from standard input
  tern certify model.tern result.json           check the evidence in a result
  tern info model.rsm                           how large it is, and whether it recurses
  tern convert model.rsm -o model.tern          the same machine in the other format
  tern draw model.tern -o model.svg             a picture of it
  tern generate rsm --family java --size 200    a machine to try things on
  tern automaton 'G (p -> F q)'                 a Büchi automaton, for Spot and other tools
  tern check prog.c -f 'AF exit' --given 'n > 0'  a C program over integers ends
  tern check Lists.java --method reverse -f 'G !nullderef'
                                                a method on every list, by its shape
  tern check app.jar --entry Main.main -f 'AG (call(\"*.lock\") -> AF call(\"*.unlock\"))'
                                                the control flow of a Java program
  tern scan app.jar                             places of a Java program that break rules

Formats:
";

const OTHER_FORMATS: &str = "  \
  .c .t2 .yml      C programs over integers, programs of T2, tasks of SV-COMP
  .class .jar      Java programs, also folders, .java by javac, and the image of a JDK
  .heap .attestor  procedures on lists and trees, settings of Attestor
  .ctl .ltl .ctls  claims, one a line; `#` begins a comment
  .hoa             Büchi automata, for --automaton
  `.gz` files and members of `.zip` files (archive.zip:inner/model.rsm) are read as they are.

Exit status:
  0  all claims hold           2  bad input or usage, nothing was checked
  1  some claim fails          3  some claim is unknown and none fails
  Others: 70 a fault in Tern, 74 output could not be written, 130 interrupted twice,
  141 the reader of standard output went away.";

/// What the long help ends with.
fn overview() -> String {
    let mut text = EXAMPLES.to_owned();
    for format in FORMATS {
        let ending = format!(".{}", format.endings[0]);
        text += &format!("  {ending:16} {}\n", format.about);
    }
    text + OTHER_FORMATS
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide claims on a model
    Check(Box<CheckArgs>),
    /// Show the size of a model, its calls, recursion, dead ends and labels
    Info(InfoArgs),
    /// Write a model in another format
    Convert(ConvertArgs),
    /// Draw a model as a picture (SVG) or as a graph for Graphviz
    Draw(DrawArgs),
    /// Say what the graph grammars of a .heap file are: ranks, fields, rules, confluence
    Grammar {
        /// The file; procedures in it are not needed
        #[arg(value_hint = ValueHint::FilePath)]
        file: String,
    },
    /// Lay out .tern files, in place; comments are kept
    Fmt(FmtArgs),
    /// Make a machine or a formula of a family, by size and seed
    Generate(GenerateArgs),
    /// Print the automaton of an LTL formula, in the HOA format
    Automaton(AutomatonArgs),
    /// Check the evidence in a result file, without the engines
    Certify(CertifyArgs),
    /// Find the places of a Java program that break rules
    Scan(Box<ScanArgs>),
    /// List, show and test rules for `tern scan`
    Rules {
        #[command(subcommand)]
        command: RulesCommand,
    },
    /// Step through a model by hand or at random
    Simulate(SimulateArgs),
    /// Say what the code of an error or warning means, or list all codes
    Explain {
        /// The code, such as T013
        code: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, for example with `tern man | man -l -`
    Man {
        /// The subcommand whose page to print; that of `tern` itself if left out
        subcommand: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = CHECK_HELP)]
pub(crate) struct CheckArgs {
    /// Models, folders of models, and files of claims; `-` for standard input
    ///
    /// Files that end in .ctl, .ltl or .ctls are claims, for all models; all others are models.
    /// Folders are searched for models by their endings, in the order of names; `.json` files in
    /// them are left alone. If claims are given here or with -f, only those are checked, not those
    /// in the models.
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<String>,
    /// A claim; may be repeated. Checked after those in files
    #[arg(short, long = "formula", value_name = "FORMULA")]
    pub(crate) formulas: Vec<String>,
    /// Decide only the claims of this name, or with this number in the list; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) claim: Vec<String>,
    /// End with status 1 if there is a warning with this code, or any for `all`; may be repeated
    #[arg(long, value_name = "CODE", value_parser = crate::codes::warning)]
    pub(crate) deny: Vec<String>,
    /// Say nothing of warnings with this code, or of all; may be repeated
    #[arg(long, value_name = "CODE", value_parser = crate::codes::warning)]
    pub(crate) allow: Vec<String>,
    /// Ask only of paths on which this state formula holds again and again; may be repeated
    ///
    /// All path quantifiers of all claims are restricted, also the one that LTL leaves out, and
    /// claims are printed as they are decided: `AF q` under --fair p as `A [G F p -> F q]`.
    #[arg(long, value_name = "FORMULA")]
    pub(crate) fair: Vec<String>,
    /// Ask only of paths on which q holds again and again if p does; may be repeated
    ///
    /// Strong fairness: p and q are state formulas. Path quantifiers are restricted as by --fair:
    /// `AF r` under --compassion 'p, q' is printed as `A [(G F p -> G F q) -> F r]`.
    #[arg(long, value_name = "P, Q")]
    pub(crate) compassion: Vec<String>,
    /// An automaton in the HOA format that must accept no run, such as one for the negation of a
    /// claim
    ///
    /// Büchi and generalised Büchi automata are read. May be repeated; checked after all other
    /// claims, by the engine `automata`. A run that is accepted is shown by --witness. With --fair
    /// only fair runs count; then conditions are boolean combinations of labels.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) automaton: Vec<String>,
    /// An automaton in the HOA format that must accept every run, such as one for a claim
    ///
    /// May be repeated. A run that is not accepted is shown by --witness. If the automaton is not
    /// deterministic, this may take time and memory exponential in its size; if you have one for
    /// the negation, --automaton does not.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) automaton_positive: Vec<String>,
    /// Leave out states of concurrent programs that make no difference to the claims
    ///
    /// Partial-order reduction, where no claim uses X. `auto` does so for programs with more than
    /// 100,000 states, and tells. Evidence is about all states, so with --certify, --evidence,
    /// --where and --dot none are left out.
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Programs")]
    pub(crate) reduction: ReductionWhen,
    /// Take calls for single steps: what callees do inside is not seen
    ///
    /// For comparison with tools that check programs in this way. A call is a step to wherever the
    /// callee can return to; one that cannot return is a dead end. Claims about what happens inside
    /// callees may hold that do not hold of the program. `tern certify --top-level` checks the
    /// evidence of such a check.
    #[arg(long)]
    pub(crate) top_level: bool,
    /// How to decide
    #[arg(long, value_name = "NAME", default_value = AUTO, value_parser = engines())]
    pub(crate) engine: EngineChoice,
    /// What the engine `random` chooses by; the same number, the same choices; 0 if left out
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Print JSON instead of text: one object (schema tern-result/1), or one result a line (schema
    /// tern-line/1)
    ///
    /// Bad input is told of in JSON too; an object on several models has a list `models`.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "object")]
    pub(crate) json: Option<JsonForm>,
    /// Stop at the first claim that fails, or at the first model that cannot be read
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Give up on a claim after this time: 500ms, 30s, 5m, 1h
    ///
    /// Each claim has this long; reading the model takes from the time of the first. A claim that
    /// was given up is `unknown`. If only evidence, a run or the certifier's check was given up,
    /// the verdict stays, and what is missing is named.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Give up when more memory is in use: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,
    /// What to make of nodes without a step; overrides what the model says
    #[arg(long, value_name = "RULE")]
    pub(crate) deadlock: Option<Deadlock>,
    /// Also count evaluations and edges
    #[arg(long)]
    pub(crate) stats: bool,
    /// Print only claims that do not hold, one line each; warnings still go to standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// How many claims to decide at the same time; as many as there are cores if left out
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZero<usize>>,
    /// List, for each component and each kind of stack that is reached, the nodes at which a claim
    /// in CTL holds
    #[arg(long = "where")]
    pub(crate) regions: bool,
    /// Show why, by a run; long runs are shortened, unless `full` is asked for
    ///
    /// Of a claim that holds on all runs an example is shown, and which of its parts do not matter.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "short")]
    pub(crate) witness: Option<Witness>,
    /// Print runs in the style of another tool, state by state with the values that changed
    #[arg(long, value_name = "STYLE", conflicts_with_all = ["witness", "json"])]
    pub(crate) trace: Option<TraceStyle>,
    /// How many moves the runs of a claim may have together
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_steps: usize,
    /// Write the model as a graph for Graphviz, with the run of the first claim in colour; `-` for
    /// standard output
    ///
    /// If the graph goes to standard output, verdicts go to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) dot: Option<PathBuf>,
    /// Write a page for people: claims, runs, the machine and the program, in one HTML file
    ///
    /// The page needs nothing else and opens from disk. The first 100 claims that fail are shown
    /// with a run; with --witness all claims are, also those that hold.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
    /// Let the engine `lazy` look at alternatives in a random order by this seed
    #[arg(long, value_name = "SEED")]
    pub(crate) shuffle: Option<u64>,
    /// Also print for which initial values of a C program a claim holds, and for which it fails
    #[arg(long)]
    pub(crate) precondition: bool,
    /// How claims about a C program are decided; without it, one after the other
    #[arg(long, value_name = "KIND")]
    pub(crate) analysis: Option<Analysis>,
    /// What invariants of a C program are about: one variable, two, or any; without it, any
    #[arg(long, value_name = "KIND")]
    pub(crate) domain: Option<Domain>,
    /// Print verdicts as the competition on software verification has them: TRUE, FALSE(...)
    #[arg(long)]
    pub(crate) sv_comp: bool,
    /// Produce evidence with each verdict; --json prints it in full
    #[arg(long)]
    pub(crate) evidence: bool,
    /// Produce evidence and check it at once, without the engines
    ///
    /// The checker shares no code with the engines. A verdict whose evidence it does not accept
    /// becomes `unknown`. With --witness, all runs are replayed as well.
    #[arg(long)]
    pub(crate) certify: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) heap: HeapArgs,
}

/// How claims about C programs are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Analysis {
    /// All of these, as far as they are needed
    Auto,
    /// By linear conditions and functions that fall, for all values at once
    Numeric,
    /// By listing states one by one
    Explicit,
    /// By listing states as a machine, on which the engines decide
    Machine,
}

/// What invariants of C programs are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Domain {
    /// Bounds of single variables
    Intervals,
    /// Sums and differences of two variables as well
    Octagons,
    /// Any sums that the program compares as well
    Polyhedra,
}

/// How pointer programs are checked.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Pointer programs")]
pub(crate) struct HeapArgs {
    /// Follow this method of a Java program on heaps: name, Class.name or Class.name(Types)
    ///
    /// What its parameters are is said with --given 'a: SLL, b: SLL+, x in a'; a structure of the
    /// grammar of its class if nothing is said. Without claims: G !nullderef, F terminated.
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// What objects of a class are: SLL=Node(next); may be repeated. Field names tell, if missing
    #[arg(long, value_name = "NAME=CLASS(FIELDS)")]
    pub(crate) grammar: Vec<String>,
    /// Methods without code that change no object, in which `*` stands for any letters
    #[arg(long, value_name = "PATTERN")]
    pub(crate) pure: Vec<String>,
    /// How many objects the inputs have that are tried when a claim is not settled
    #[arg(long, value_name = "N")]
    pub(crate) inputs: Option<usize>,
    /// Objects nearer than this to a variable are never folded
    #[arg(long, value_name = "N")]
    pub(crate) distance: Option<usize>,
}

impl CheckArgs {
    /// Whether a path names a pointer program: a text, or a program of which a method is followed.
    pub(crate) fn is_heap(path: &str, heap: &HeapArgs) -> bool {
        ends_in(path, &["heap", "attestor"]) || CheckArgs::is_method(path, heap)
    }

    /// Whether a method of a Java program is to be followed on heaps.
    pub(crate) fn is_method(path: &str, heap: &HeapArgs) -> bool {
        let asked = heap.method.is_some() || !heap.grammar.is_empty();
        asked && source_of(path).is_some_and(|source| source.name == "java")
    }

    /// Whether runs are to be shown.
    pub(crate) fn wants_runs(&self) -> bool {
        self.witness.is_some() || self.trace.is_some()
    }

    /// Whether runs that were found are needed at the end.
    pub(crate) fn keeps_runs(&self) -> bool {
        self.wants_runs() || self.html.is_some()
    }
}

const CHECK_HELP: &str = "\
Claims:
  true false p !f  f & g  f | g  f -> g  f <-> g       propositions are the labels of the model
  AG AF AX A[f U g]  EG EF EX E[f U g]                 CTL
  G F X U R W M                                        LTL: means on all paths
  A and E before any path formula                      CTL*
  Spellings of NuSMV, Spot and RSMCheck are read too. \"Quoted text\" is a proposition.
  Claims that CTL can say are decided as CTL, the others by automata.

Examples:
  tern check model.tern
  tern check model.rsm claims.ctl --timeout 30s --memory 4GiB
  tern check model.rsm -f 'AG (lock -> AF unlock)' -f 'EF done' --json
  tern check models/ more.tern common.ctl --fail-fast

Exit status:
  0  all claims hold           2  bad input or usage; of several models, some could not be read
  1  some claim fails          3  some claim is unknown and none fails
  An interrupt (Ctrl-C) makes the claims that are not decided yet unknown; a second one ends
  Tern at once, with status 130.";

#[derive(Debug, clap::Args)]
pub(crate) struct InfoArgs {
    /// The model: a .tern or .rsm file, or `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) model: String,
    /// Print one JSON object (schema tern-info/1) instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// List which component calls which
    #[arg(long)]
    pub(crate) calls: bool,
    /// Print a concurrent program as two formulas: its initial states, and its steps
    #[arg(long, conflicts_with_all = ["json", "calls"])]
    pub(crate) formula: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AutomatonArgs {
    /// The formula; a path quantifier in front of it is left out
    ///
    /// Subformulas that begin with a path quantifier become propositions of the automaton, named
    /// like the formula; the header `tern-quantified:` lists them.
    pub(crate) formula: String,
    /// Print the automaton of the negation
    #[arg(long)]
    pub(crate) negation: bool,
    /// How runs are accepted
    #[arg(long, value_name = "KIND", default_value = "generalised")]
    pub(crate) acceptance: Acceptance,
    /// Give up after this time: 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = CERTIFY_HELP)]
pub(crate) struct CertifyArgs {
    /// The model that the claims were decided on, or `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) model: String,
    /// What `tern check --json --evidence` printed, or `-` for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) result: String,
    /// The automaton that must accept no run, if a result is about one
    ///
    /// Results do not hold automata. Give all that the results are about, in any order.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) automaton: Vec<String>,
    /// The automaton that must accept every run, if a result is about one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) automaton_positive: Vec<String>,
    /// Take calls for single steps, as the check did that printed the result
    #[arg(long)]
    pub(crate) top_level: bool,
    /// Give up on a result after this time: 500ms, 30s, 5m, 1h
    ///
    /// Each result has this long; reading takes from the time of the first. A result that was given
    /// up is not checked, and the reason is named.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Give up when more memory is in use: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,
    /// Print one JSON object (schema tern-certify/1) instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) heap: HeapArgs,
}

const CERTIFY_HELP: &str = "\
Example:
  tern check model.tern --json --evidence > result.json
  tern certify model.tern result.json

Exit status:
  0  all evidence is accepted  2  bad input or usage, nothing was checked
  1  some evidence is refused  3  none is refused, but some result has no evidence, or a limit was
                                  reached before it was checked, or there are no results";

#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
    /// The model to read: a .tern or .rsm file, or `-` for standard input
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub(crate) input: String,
    /// The file to write, or `-` for standard output; its ending tells the format
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// The format to write, if the name of the output does not tell
    #[arg(long, value_name = "FORMAT", value_parser = written_formats())]
    pub(crate) to: Option<&'static Format>,
    /// Overwrite the output if it exists
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DrawArgs {
    /// The model
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) model: String,
    /// Draw only this component
    #[arg(long, value_name = "NAME")]
    pub(crate) component: Option<String>,
    /// Show the run of a result in colour: what `tern check --json --witness` printed
    #[arg(long, value_name = "RESULT", value_hint = ValueHint::FilePath)]
    pub(crate) run: Option<String>,
    /// Take the run of this claim, by its name or number, instead of the first that has one
    #[arg(long, value_name = "NAME", requires = "run")]
    pub(crate) claim: Option<String>,
    /// The file to write, or `-` for standard output; its ending, .svg or .dot, tells the format
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// The format to write, if the name of the output does not tell
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<PictureFormat>,
    /// Overwrite the output if it exists
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) heap: HeapArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FmtArgs {
    /// Files and folders of .tern files, or `-` to read standard input and print
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<String>,
    /// Change nothing; list the files that are not laid out, with status 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = crate::simulate::HELP)]
pub(crate) struct SimulateArgs {
    /// The model
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) model: String,
    /// Make this many moves at random and end, instead of asking for each
    #[arg(long, value_name = "MOVES")]
    pub(crate) random: Option<usize>,
    /// Where random numbers begin; the same seed makes the same moves
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use tern_engine::ENGINES;
    use tern_front::generate::FAMILIES;

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_help_lists_every_family_with_its_parameters() {
        let mut command = Args::command();
        let generate = command.find_subcommand_mut("generate").expect("it is there");
        let help = generate.render_long_help().to_string();
        for family in FAMILIES {
            assert!(help.contains(&format!(" {}:", family.name)), "{help}");
            for parameter in family.parameters {
                assert!(help.contains(&format!("--set {}=", parameter.name)), "{help}");
            }
        }
    }

    #[test]
    fn the_help_lists_every_engine_with_its_logic() {
        let mut command = Args::command();
        let check = command.find_subcommand_mut("check").expect("it is there");
        let help = check.render_long_help().to_string();
        for engine in ENGINES {
            assert!(help.contains(&format!("- {}:", engine.name)), "{help}");
            assert!(help.contains(&engine.logic.to_string()), "{help}");
        }
    }
}
