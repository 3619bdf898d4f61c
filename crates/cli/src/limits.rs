//! Limits on time and memory, as they are written on the command line and as budgets.
//!
//! Memory is measured by the allocator of the whole program, and by what the system says that the
//! program holds. It is a counter, not a wall: the readers and engines look at it and stop with an
//! answer, instead of being stopped without one.

use mimalloc::MiMalloc;
use std::fs::File;
use std::io::Read;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tern_model::Budget;

#[global_allocator]
static ALLOCATOR: cap::Cap<MiMalloc> = cap::Cap::new(MiMalloc, usize::MAX);

/// How many bytes have to be allocated or freed until the system is asked again.
const STEP: u64 = 1 << 20;
/// What was allocated, and what the system said, when it was asked last.
static ALLOCATED: AtomicU64 = AtomicU64::new(0);
static RESIDENT: AtomicU64 = AtomicU64::new(0);

/// The bytes that the program holds. Many small blocks take up to twice what was asked for, which
/// only the system knows; but what it counts more than that is free, and kept for later. A third is
/// added, since tables grow in jumps between two looks, and the old one is there until then.
fn memory_in_use() -> u64 {
    let allocated = ALLOCATOR.allocated() as u64;
    if allocated.abs_diff(ALLOCATED.load(Ordering::Relaxed)) >= STEP {
        ALLOCATED.store(allocated, Ordering::Relaxed);
        RESIDENT.store(resident().unwrap_or(0), Ordering::Relaxed);
    }
    let held = RESIDENT.load(Ordering::Relaxed).clamp(allocated, allocated.saturating_mul(2));
    held.saturating_add(held / 3)
}

/// The memory that the program holds by the system's count, where the system says so.
fn resident() -> Option<u64> {
    let mut text = [0; 4096];
    let length = File::open("/proc/self/status").ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The status of a program that was interrupted, by the custom of shells.
const INTERRUPTED: i32 = 130;
/// Signals that come within this time are one interrupt: `timeout` sends its signal to the program
/// and again to the whole group, and a shell may do likewise.
const ONE_INTERRUPT: Duration = Duration::from_millis(100);

/// What may be spent on each claim.
#[derive(Debug)]
pub(crate) struct Limits {
    timeout: Option<Duration>,
    base: Budget,
}

impl Limits {
    /// Limits as given; `None` is no limit.
    pub(crate) fn new(timeout: Option<Duration>, memory: Option<u64>) -> Self {
        let base = match memory {
            Some(bytes) => Budget::unlimited().with_memory(bytes, memory_in_use),
            None => Budget::unlimited(),
        };
        Limits { timeout, base }
    }

    /// A budget whose time runs from now.
    pub(crate) fn budget(&self) -> Budget {
        match self.timeout {
            Some(allowed) => self.base.clone().with_timeout(allowed),
            None => self.base.clone(),
        }
    }

    /// Makes an interrupt end the work with what is known so far; a second one ends it at once.
    pub(crate) fn heed_interrupts(&self) {
        let flag = self.base.cancel_flag();
        let mut first: Option<Instant> = None;
        let handler = move || {
            flag.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > ONE_INTERRUPT {
                process::exit(INTERRUPTED);
            }
        };
        // Without a handler an interrupt still ends the program, only less politely.
        let _ = ctrlc::set_handler(handler);
    }
}

/// Reads a length of time: `30s`, `500ms`, `1m30s`, `2h`; a number alone is in seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 6] =
        [("ms", 1e-3), ("s", 1.0), ("sec", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0)];
    let wrong = || format!("`{text}` is no length of time; write for example 500ms, 30s, 5m or 1h");
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() {
        return Err(wrong());
    }
    if let Ok(number) = rest.parse::<f64>() {
        return Duration::try_from_secs_f64(number).map_err(|_| wrong());
    }
    while !rest.is_empty() {
        let (number, unit, tail) = number_and_unit(rest).ok_or_else(wrong)?;
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        seconds += number * factor;
        rest = tail;
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Reads an amount of memory: `4GiB`, `512MiB`, `2G`, `500MB`; a number alone is in bytes.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 12] = [
        ("", 1.0),
        ("b", 1.0),
        ("k", 1024.0),
        ("kib", 1024.0),
        ("kb", 1e3),
        ("m", 1048576.0),
        ("mib", 1048576.0),
        ("mb", 1e6),
        ("g", 1073741824.0),
        ("gib", 1073741824.0),
        ("gb", 1e9),
        ("tib", 1099511627776.0),
    ];
    let wrong = || format!("`{text}` is no amount of memory; write for example 512MiB or 4GiB");
    let lower = text.trim().to_ascii_lowercase();
    let (number, unit, tail) = number_and_unit(&lower).ok_or_else(wrong)?;
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    let bytes = number * factor;
    // Comparing as floating point is exact enough: nobody has this much memory.
    if !tail.is_empty() || bytes >= u64::MAX as f64 {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

/// Splits `1.5h30m` into `(1.5, "h", "30m")`.
fn number_and_unit(text: &str) -> Option<(f64, &str, &str)> {
    let digit = |c: char| c.is_ascii_digit() || c == '.';
    let (number, rest) = text.split_at(text.find(|c| !digit(c)).unwrap_or(text.len()));
    let (unit, tail) = rest.split_at(rest.find(digit).unwrap_or(rest.len()));
    Some((number.parse().ok()?, unit.trim(), tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_the_usual_spellings() {
        let millis = |text| parse_duration(text).map(|time| time.as_millis()).ok();
        assert_eq!(millis("30s"), Some(30_000));
        assert_eq!(millis("30"), Some(30_000));
        assert_eq!(millis("0"), Some(0));
        assert_eq!(millis("500ms"), Some(500));
        assert_eq!(millis("1.5h"), Some(5_400_000));
        assert_eq!(millis("1m30s"), Some(90_000));
        for bad in ["", "s", "-1s", "-1", "30x", "1e400", "nan", "s30", "ä"] {
            assert_eq!(millis(bad), None, "{bad}");
        }
    }

    #[test]
    fn memory_is_read_in_the_usual_spellings() {
        assert_eq!(parse_memory("4GiB"), Ok(4 << 30));
        assert_eq!(parse_memory("4 G"), Ok(4 << 30));
        assert_eq!(parse_memory("1.5k"), Ok(1536));
        assert_eq!(parse_memory("2MB"), Ok(2_000_000));
        assert_eq!(parse_memory("1000"), Ok(1000));
        for bad in ["", "GiB", "4X", "-1", "1k2k", "99999999999TiB"] {
            assert!(parse_memory(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_allocator_counts() {
        let before = memory_in_use();
        let block = vec![1u8; 1 << 24];
        assert!(memory_in_use() >= block.len() as u64, "{before}");
    }
}
