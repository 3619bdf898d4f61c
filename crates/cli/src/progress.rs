//! A sign of life on standard error for work that takes more than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// How long to keep silent.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two turns of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// A spinner that appears when there is something to wait for; gone when dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    waiter: Option<std::sync::mpsc::Sender<()>>,
    since: Instant,
}

impl Progress {
    /// A spinner, if it is `wanted` and standard error is a terminal.
    pub(crate) fn start(wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
            .with_style(ProgressStyle::default_spinner());
        let waiter = (wanted && io::stderr().is_terminal()).then(|| {
            let (sender, receiver) = std::sync::mpsc::channel::<()>();
            let bar = bar.clone();
            std::thread::spawn(move || {
                // The sender is dropped when the work is done; until then nothing arrives.
                let timeout = std::sync::mpsc::RecvTimeoutError::Timeout;
                if receiver.recv_timeout(PATIENCE) == Err(timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
            sender
        });
        Progress { bar, waiter, since: Instant::now() }
    }

    /// Says what is being done now.
    pub(crate) fn say(&self, what: String) {
        if self.waiter.is_some() {
            self.bar.set_message(what);
        }
    }

    /// Runs `write`, which writes to the terminal, without the spinner in its way.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.waiter = None;
        if self.since.elapsed() >= PATIENCE {
            self.bar.finish_and_clear();
        }
    }
}
