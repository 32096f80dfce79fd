//! The clock, for display and for the limit `time`.
//!
//! In: nothing. Out: seconds. Invariant: nothing a game answers depends on it, except where to stop.
#![expect(clippy::disallowed_methods, reason = "the command line is where clocks are read")]

use std::time::{Duration, Instant};

use rulesmith_player::Stop;

/// Time since a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the start.
    pub(crate) fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Processor time since a moment, where the system tells it; otherwise time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessorWatch(Instant, Option<u64>);

impl ProcessorWatch {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self(Instant::now(), nanoseconds())
    }

    /// Seconds of this thread since the start.
    pub(crate) fn seconds(self) -> f64 {
        match (self.1, nanoseconds()) {
            (Some(before), Some(after)) => {
                Duration::from_nanos(after.saturating_sub(before)).as_secs_f64()
            }
            _ => self.0.elapsed().as_secs_f64(),
        }
    }
}

/// What Linux says this thread has run.
fn nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// Raises a stop after so many seconds, unless the program ends before.
pub(crate) fn stop_after(stop: &Stop, seconds: u64) {
    let stop = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        stop.time_is_over(seconds);
    });
}
