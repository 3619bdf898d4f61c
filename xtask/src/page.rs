//! The page of results: a section for each command, and the plots beside it.
//!
//! A command replaces its own section, between two marks, and leaves the rest as it is.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where results are written to.
pub(crate) struct Page {
    plots: PathBuf,
    page: PathBuf,
    /// Whether to write at all; everything is printed anyway.
    writes: bool,
}

const TITLE: &str = "\
# Benchmarks

What engines cost on families of machines that `tern generate` makes. Counts (contexts, edges
looked at) are the same on every computer and at every run; times are not: those here are from a
computer with two cores that other work shared, and may be off by a factor. Each section says by which
command it was made, and on what.

**Contexts** are those built beyond the one of each component that knows nothing. **Edges looked at** is
the measure of work; where it grows with exponent 1.0, twice the machine costs twice the work.
";

/// The sections of the page, in their order.
const SECTIONS: [&str; 7] = ["bench", "linear", "runs", "claims", "produced", "memory", "grid"];

impl Page {
    /// A page beside a folder for plots.
    pub(crate) fn new(plots: &Path, writes: bool) -> Self {
        Page { plots: plots.to_owned(), page: plots.with_extension("md"), writes }
    }

    /// Writes a plot and gives the Markdown that shows it.
    pub(crate) fn plot(&self, name: &str, svg: &str) -> io::Result<String> {
        if self.writes {
            fs::create_dir_all(&self.plots)?;
            fs::write(self.plots.join(format!("{name}.svg")), svg)?;
        }
        let folder = self.plots.file_name().map_or_else(String::new, |f| f.display().to_string());
        Ok(format!("![{name}]({folder}/{name}.svg)\n"))
    }

    /// The rows of the first table in a section of the page as it is, by their first cell.
    pub(crate) fn old_rows(&self, name: &str) -> Vec<Vec<String>> {
        let old = fs::read_to_string(&self.page).unwrap_or_default();
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
        let section = old.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
        let lines = section.map_or("", |(section, _)| section).lines();
        let rows = lines.filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
        rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
    }

    /// Prints a section, and puts it into the page.
    pub(crate) fn section(&self, name: &str, content: &str) -> io::Result<()> {
        let content = format!("{}\n\n{}\n", content.trim_end(), computer());
        say(&content);
        if !self.writes {
            return Ok(());
        }
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
        let old = fs::read_to_string(&self.page).unwrap_or_else(|_| TITLE.to_owned());
        let new = format!("{begin}{content}{end}");
        let text = match (old.find(&begin), old.find(&end)) {
            (Some(from), Some(to)) if from < to => {
                format!("{}{new}{}", &old[..from], &old[to + end.len()..])
            }
            _ => {
                let later = SECTIONS.iter().skip_while(|section| **section != name).skip(1);
                let next = later.filter_map(|later| old.find(&format!("<!-- {later} -->\n"))).min();
                match next {
                    Some(next) => format!("{}{new}\n{}", &old[..next], &old[next..]),
                    None => format!("{old}\n{new}"),
                }
            }
        };
        if let Some(folder) = self.page.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.page, text)
    }
}

/// Prints to standard output.
pub(crate) fn say(text: &str) {
    // Nobody is left to tell if this fails.
    let _ = writeln!(io::stdout().lock(), "{text}");
}

/// Prints progress, which is no result.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A Markdown table with aligned columns, numbers to the right; the first `left` columns are words.
pub(crate) fn table(left: usize, headers: &[&str], rows: &[Vec<String>]) -> String {
    let cells = |i: usize| rows.iter().filter_map(move |row| row.get(i).map(String::as_str));
    let widths: Vec<usize> = (0..headers.len())
        .map(|i| cells(i).chain([headers[i]]).map(|c| c.chars().count()).max().unwrap_or(0).max(3))
        .collect();
    let line = |row: &[&str]| {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
            if i < left { format!(" {cell:<width$} ") } else { format!(" {cell:>width$} ") }
        });
        format!("|{}|\n", cells.collect::<Vec<_>>().join("|"))
    };
    let rule = widths.iter().enumerate().map(|(i, &width)| {
        if i < left { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
    });
    let mut text = line(headers);
    text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    for row in rows {
        text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

/// A long text that is shown when one asks for it.
pub(crate) fn folded(title: &str, text: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{}\n\n</details>\n", text.trim_end())
}

/// A time as people say it.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        10.0.. => format!("{seconds:.1} s"),
        1.0.. => format!("{seconds:.2} s"),
        1e-3.. => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.1} µs", seconds * 1e6),
    }
}

/// An amount of memory as people say it.
pub(crate) fn bytes(count: u64) -> String {
    match count as f64 {
        n @ 1048576.0.. => format!("{:.1} MiB", n / 1048576.0),
        n => format!("{:.1} KiB", n / 1024.0),
    }
}

/// A number with two digits behind the point, or a dash.
pub(crate) fn decimal(value: Option<f64>) -> String {
    // What rounds to nothing is shown without a sign.
    let rounded = |value: f64| (value * 100.0).round() / 100.0 + 0.0;
    value.map_or_else(|| "–".to_owned(), |value| format!("{:.2}", rounded(value)))
}

/// A ratio with about two digits that count, or a dash.
pub(crate) fn ratio(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value @ 10.0..) => format!("{value:.0}"),
        Some(value @ 0.1..) => format!("{value:.2}"),
        Some(value) => {
            let digits = (1.0 - value.max(1e-9).log10().floor()) as usize;
            format!("{value:.digits$}")
        }
    }
}

/// On what, and when, something was measured.
fn computer() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("a processor of unknown make", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let rustc = said("rustc", &["--version"]).unwrap_or_else(|| "rustc unknown".to_owned());
    let commit = said("git", &["rev-parse", "--short", "HEAD"]).unwrap_or_default();
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs() / 86_400);
    let date = date(days as i64);
    format!("*Measured {date} on {model}, {cores} cores, {rustc}, at commit {commit}.*")
}

/// The date of a day since 1970, by the Gregorian calendar.
fn date(days: i64) -> String {
    // Days from 1 March of the year 0, in cycles of 400 years.
    let shifted = days + 719_468;
    let (cycle, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let in_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let in_month = in_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{in_month:02}", year + 400 * cycle + carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_819), "2027-01-01");
    }

    #[test]
    fn ratios_keep_the_digits_that_count() {
        let shown = [1234.5, 2.0, 0.5, 0.0123, 0.000456].map(|value| ratio(Some(value)));
        assert_eq!(shown, ["1234", "2.00", "0.50", "0.012", "0.00046"]);
    }

    #[test]
    fn nothing_has_no_sign() {
        let shown = [-0.001, -0.29, 1.005].map(|value| decimal(Some(value)));
        assert_eq!(shown, ["0.00", "-0.29", "1.00"]);
        assert_eq!(decimal(None), "–");
    }

    #[test]
    fn tables_are_aligned() {
        let text = table(1, &["engine", "n"], &[vec!["lazy".to_owned(), "12".to_owned()]]);
        assert_eq!(text, "| engine |   n |\n|--------|----:|\n| lazy   |  12 |\n");
    }
}
