//! Progress of long work: one moving line on stderr, on terminals alone.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::Stopwatch;
use crate::output::Output;

/// Progress is shown after this many seconds, and as often again.
const INTERVAL: f64 = 0.3;

/// A line that moves by itself does so this often.
const TICK: Duration = Duration::from_millis(100);

/// A line that moves while work goes on.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    watch: Stopwatch,
    shown_at: f64,
}

impl Progress {
    /// Starts the clock; nothing is shown yet.
    pub(crate) fn start() -> Self {
        Self { bar: None, watch: Stopwatch::start(), shown_at: 0.0 }
    }

    /// Shows how far the work is, if it is time to.
    pub(crate) fn show(&mut self, words: impl FnOnce() -> String) {
        let seconds = self.watch.seconds();
        if seconds - self.shown_at > INTERVAL && Output::shows_progress() {
            self.shown_at = seconds;
            let bar = self.bar.get_or_insert_with(spinner);
            bar.set_message(format!("{}, {seconds:.0} s", words()));
            bar.tick();
        }
    }

    /// Shows that work goes on until the line is taken away, once it has taken a while.
    pub(crate) fn work_on(&mut self, what: &'static str) {
        if self.bar.is_none() && self.watch.seconds() > INTERVAL && Output::shows_progress() {
            let bar = spinner();
            bar.set_message(what);
            bar.enable_steady_tick(TICK);
            self.bar = Some(bar);
        }
    }

    /// Takes the line away again.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn spinner() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}");
    ProgressBar::new_spinner()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}
