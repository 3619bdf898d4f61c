//! `tern scan`: the places of a program that break rules; `tern rules`: the rules themselves.

use crate::failure::{Failure, Status};
use crate::files::{refuse_printed_page, write_whole};
use crate::limits::{Limits, parse_duration, parse_memory};
use crate::progress::Progress;
use crate::terminal::Terminal;
use clap::{Subcommand, ValueEnum, ValueHint};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tern_front::{Problem, Refusal, Source, Wrong};
use tern_model::Budget;
use tern_program::java::{self, Options};
use tern_report::html::{Page, Scanned};
use tern_scan::How;
use tern_scan::cache::Cache;
use tern_scan::findings::Finding;
use tern_scan::output::{self, Shown};
use tern_scan::rules::{self, Rule};
use tern_scan::snippets;
use tern_scan::sources::Sources;
use tern_scan::suppress::{self, Settings};

/// The settings that are looked for in the current folder.
const SETTINGS: &str = "tern.toml";

/// How many rules are looked at at once.
const MOST_RULES: usize = 200;

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Text,
    /// One object, schema tern-scan/1
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit, for build servers
    Junit,
}

/// Which findings make the status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Those that are certain
    Certain,
    /// All of them
    Possible,
    /// None
    None,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ScanArgs {
    /// Class files, archives, folders, images of a JDK, and Java source if there is a compiler
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Files of rules, folders of them, or names of rules; instead of the whole library
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    rules: Vec<String>,
    /// Where classes are found that the program uses: archives and folders; may be repeated
    #[arg(long, value_name = "PATH")]
    classpath: Vec<PathBuf>,
    /// Which Java to read multi-release archives for; without it, their base entries are read
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u16).range(8..))]
    release: Option<u16>,
    /// A folder with sources, for excerpts and comments that suppress; may be repeated
    #[arg(long, value_name = "FOLDER")]
    source: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write a page for people: one HTML file with all findings and their runs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// Which findings make the status 1
    #[arg(long, value_name = "WHICH", default_value = "certain")]
    fail_on: FailOn,
    /// Show also findings about `null` that is used only with some of what else is handed over
    #[arg(long)]
    doubtful: bool,
    /// Findings in this file do not count
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    baseline: Option<PathBuf>,
    /// Write all findings into a baseline
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    write_baseline: Option<PathBuf>,
    /// Do not show the runs of findings, in text
    #[arg(long)]
    brief: bool,
    /// Keep what was found in this folder, and explore again only what a change can reach
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    cache: Option<PathBuf>,
    /// Explore this many classes at a time; as many as there are processors if left out
    #[arg(long, value_name = "N", value_parser = crate::args::threads)]
    threads: Option<NonZero<usize>>,
    /// Give up after this time: 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// Give up when more memory is in use: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory: Option<u64>,
}

const HELP: &str = "\
A finding is certain if its run comes by a statement after which the rule is broken whatever happens;
otherwise it is possible. That nothing is found does not mean that the rule holds.

A comment `// tern: ignore[rule] reason` in the line or the one above makes a finding not count.
`tern.toml` in the current folder may have a section [scan] with lists: exclude, disable, enable, sources.

Exit status:
  0  no finding counts         2  bad input or usage, nothing was scanned
  1  a finding counts          3  something could not be analysed and no finding counts";

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// List the rules of the library, or those of files, with what they are about
    List {
        /// Files of rules, or folders of them
        #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
        paths: Vec<String>,
    },
    /// Try the snippets of rules: bad ones must be found, good ones must not
    Test {
        /// Files of rules, folders of them, or names of rules; the library if left out
        #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
        paths: Vec<String>,
    },
    /// Print the text of a rule of the library
    Show {
        /// Its name
        name: String,
    },
}

/// Runs `tern scan`.
pub(crate) fn run(args: &ScanArgs, terminal: &Terminal) -> Result<Status, Failure> {
    refuse_printed_page(args.html.as_deref())?;
    let begin = Instant::now();
    let limits = Limits::new(args.timeout, args.memory);
    limits.heed_interrupts();
    let budget = limits.budget();
    let settings = settings()?;
    let rules = chosen(&args.rules, &settings)?;
    let mut folders = args.source.clone();
    folders.extend(settings.sources.iter().map(PathBuf::from));
    folders.extend(args.paths.iter().cloned());
    let sources = Sources::new(&folders);
    let options = Options { class_path: args.classpath.clone(), release: args.release };
    let mut reading = java::read(&args.paths, &options, &budget)
        .map_err(|refusal| refused(&args.paths[0].display().to_string(), refusal))?;
    for warning in &reading.warnings {
        terminal.complain(&format!("warning[{}]: {}\n", warning.code, warning.message));
    }
    let mut left_out: Vec<String> = reading
        .report
        .stubs
        .iter()
        .map(|stub| format!("{}: {}", reading.program.title(stub.procedure), stub.reason))
        .collect();
    let cache = args.cache.as_deref().map(Cache::open);
    if let Some(damage) = cache.as_ref().and_then(|cache| cache.damage.as_ref()) {
        terminal.complain(&format!("warning[U101]: the cache is made anew: {damage}\n"));
    }
    let progress = Progress::start(true);
    let say = |done: usize, all: usize| progress.say(format!("{done} of {all} classes"));
    let how = How {
        threads: args
            .threads
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZero::get),
        cache: cache.as_ref(),
        version: env!("CARGO_PKG_VERSION"),
        doubtful: args.doubtful,
        progress: &say,
    };
    let mut scan =
        tern_scan::scan(&mut reading, &rules, &sources, &how, &budget).map_err(Failure::Limit)?;
    drop(progress);
    if let Some(why) = &scan.unwritten {
        terminal.complain(&format!("warning[U102]: the cache could not be written: {why}\n"));
    }
    left_out.append(&mut scan.left_out);
    suppress::by_settings(&mut scan.findings, &settings);
    let unused = suppress::by_comments(&mut scan.findings, &rules, &sources);
    if let Some(path) = &args.baseline {
        let source = open(path)?;
        suppress::by_baseline(&mut scan.findings, &source)
            .map_err(|problems| Failure::Input(vec![Wrong { source, problems }]))?;
    }
    if let Some(path) = &args.write_baseline {
        write(path, &suppress::baseline(&scan.findings, &rules))?;
    }
    let shown = Shown {
        rules: &rules,
        findings: &scan.findings,
        counts: scan.counts,
        sources: &sources,
        left_out: &left_out,
        unused: &unused,
        has_baseline: args.baseline.is_some(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let text = match args.format {
        Form::Text => output::text(&shown, !args.brief),
        Form::Json => output::json(&shown),
        Form::Sarif => output::sarif(&shown),
        Form::Junit => output::junit(&shown),
    };
    if let Some(path) = &args.html {
        write_page(path, &shown, &args.paths, begin.elapsed())?;
    }
    match &args.output {
        Some(path) => write(path, &text)?,
        None => terminal.print(&text)?,
    }
    Ok(status(args.fail_on, &scan.findings, !left_out.is_empty()))
}

/// Writes the page of a scan.
fn write_page(
    path: &Path,
    shown: &Shown<'_>,
    scanned: &[PathBuf],
    took: Duration,
) -> Result<(), Failure> {
    let names: Vec<String> = scanned.iter().map(|path| path.display().to_string()).collect();
    let rules: Vec<(&str, &str)> =
        shown.rules.iter().map(|rule| (&*rule.name, &*rule.documentation)).collect();
    let line = |file: &str, line: u32| shown.sources.line(file, line);
    let result = output::result(shown);
    let scanned = Scanned {
        name: &names.join(", "),
        seconds: took.as_secs_f64(),
        rules: &rules,
        line: &line,
    };
    let mut page = Page::default();
    page.add_findings(&result, &scanned, &result.to_string());
    let mut text = Vec::with_capacity(page.size() + 4096);
    page.write(&mut text, shown.version).map_err(Failure::Output)?;
    write_whole(path, &text)
}

fn status(fail_on: FailOn, findings: &[Finding], left_out: bool) -> Status {
    let mut counted = findings.iter().filter(|it| it.suppression.is_none());
    let fails = match fail_on {
        FailOn::Certain => counted.any(|it| it.certain),
        FailOn::Possible => counted.next().is_some(),
        FailOn::None => false,
    };
    match (fails, left_out) {
        (true, _) => Status::Fails,
        (false, true) => Status::Unknown,
        (false, false) => Status::Good,
    }
}

fn refused(name: &str, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Limit(limit) => Failure::Limit(limit),
        Refusal::Problems(problems) => {
            Failure::Input(vec![Wrong { source: Source::new(name, ""), problems }])
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|cause| Failure::File(path.display().to_string(), cause))
}

fn open(path: &Path) -> Result<Source, Failure> {
    let name = path.display().to_string();
    match fs::read(path) {
        Ok(bytes) => Ok(Source::new(name, bytes)),
        Err(cause) => {
            let message = format!("`{name}` could not be read: {cause}");
            let problems = vec![Problem::error("I001", message)];
            Err(Failure::Input(vec![Wrong { source: Source::new(name, ""), problems }]))
        }
    }
}

fn settings() -> Result<Settings, Failure> {
    if !Path::new(SETTINGS).is_file() {
        return Ok(Settings::default());
    }
    let source = open(Path::new(SETTINGS))?;
    suppress::settings(&source).map_err(|problems| Failure::Input(vec![Wrong { source, problems }]))
}

/// The rules that are meant: those of files, or of the library by name; or the library, without
/// those that are optional or disabled.
fn chosen(names: &[String], settings: &Settings) -> Result<Vec<Rule>, Failure> {
    let is_on = |rule: &Rule| {
        let is_named = |list: &[String]| list.contains(&rule.name);
        !is_named(&settings.disable) && (!rule.is_optional || is_named(&settings.enable))
    };
    if names.is_empty() {
        return Ok(rules::library().into_iter().filter(is_on).collect());
    }
    given(names)
}

/// Rules of files and folders, or of the library by name.
fn given(names: &[String]) -> Result<Vec<Rule>, Failure> {
    let (mut chosen, mut wrong) = (Vec::new(), Vec::new());
    for name in names {
        let path = Path::new(name);
        let mut files = Vec::new();
        if path.is_dir() {
            let entries = fs::read_dir(path).map_err(|it| Failure::File(name.clone(), it))?;
            files.extend(entries.filter_map(|it| Some(it.ok()?.path())));
            files.retain(|file| file.extension().is_some_and(|it| it == "rules"));
            files.sort();
        } else if path.is_file() {
            files.push(path.to_owned());
        } else if let Some(rule) = rules::library().into_iter().find(|rule| rule.name == *name) {
            chosen.push(rule);
            continue;
        } else {
            let library = rules::library();
            let known: Vec<&str> = library.iter().map(|rule| rule.name.as_str()).collect();
            let problem = Problem::error("U005", format!("there is no rule and no file `{name}`"))
                .hint(format!("the library has {}", known.join(", ")));
            let source = Source::new(name.clone(), "");
            wrong.push(Wrong { source, problems: vec![problem] });
            continue;
        }
        for file in files {
            let source = open(&file)?;
            match rules::read(&source) {
                Ok(read) => chosen.extend(read),
                Err(problems) => wrong.push(Wrong { source, problems }),
            }
        }
    }
    if chosen.len() > MOST_RULES {
        return Err(Failure::Usage {
            message: format!("{} rules are too many at once", chosen.len()),
            hint: format!("name at most {MOST_RULES}"),
        });
    }
    if wrong.is_empty() { Ok(chosen) } else { Err(Failure::Input(wrong)) }
}

/// Runs `tern rules`.
pub(crate) fn rules(command: &RulesCommand, terminal: &Terminal) -> Result<Status, Failure> {
    match command {
        RulesCommand::List { paths } => {
            let rules = if paths.is_empty() { rules::library() } else { given(paths)? };
            let mut text = String::new();
            for rule in &rules {
                let first = rule.documentation.lines().next().unwrap_or_default();
                let when = if rule.is_optional { " (optional)" } else { "" };
                text += &format!("{:26} {:8} {first}{when}\n", rule.name, rule.severity.name());
            }
            terminal.print(&text)?;
            Ok(Status::Good)
        }
        RulesCommand::Show { name } => match rules::text(name) {
            Some(text) => terminal.print(text).map(|()| Status::Good),
            None => Err(given(std::slice::from_ref(name)).err().unwrap_or(Failure::Usage {
                message: format!("`{name}` is no rule of the library"),
                hint: "`tern rules list` lists them".to_owned(),
            })),
        },
        RulesCommand::Test { paths } => test(paths, terminal),
    }
}

fn test(paths: &[String], terminal: &Terminal) -> Result<Status, Failure> {
    let rules = if paths.is_empty() { rules::library() } else { given(paths)? };
    if !snippets::has_compiler() {
        terminal.print("skipped: there is no `javac` to compile the snippets\n")?;
        return Ok(Status::Unknown);
    }
    let tried = snippets::test(&rules, &Budget::unlimited())
        .map_err(|refusal| refused("snippets of rules", refusal))?;
    let mut text = String::new();
    for row in tried.iter().filter(|row| !row.is_right()) {
        let rule = &rules[row.rule];
        let what = match row.is_bad {
            true => "this bad snippet is not found",
            false => "this good snippet is found",
        };
        text += &format!("{}:{}: {what} [{}]\n", rule.file, row.line, rule.name);
    }
    let wrong = tried.iter().filter(|row| !row.is_right()).count();
    text += &format!("{} snippets of {} rules: {} wrong\n", tried.len(), rules.len(), wrong);
    terminal.print(&text)?;
    Ok(if wrong == 0 { Status::Good } else { Status::Fails })
}
