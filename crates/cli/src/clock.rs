//! The clock, for display and for the limit `time`.
//!
//! In: nothing. Out: seconds. Invariant: nothing a game answers depends on it, except where to stop.
#![expect(clippy::disallowed_methods, reason = "the command line is where clocks are read")]

use std::sync::{Arc, Mutex, PoisonError};
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
        self.elapsed().as_secs_f64()
    }

    /// The time since the start.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Processor time of this thread since a moment, which does not count what others did meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessorWatch(Duration);

impl ProcessorWatch {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self(thread_time())
    }

    /// Seconds this thread has run since the start.
    pub(crate) fn seconds(self) -> f64 {
        thread_time().saturating_sub(self.0).as_secs_f64()
    }
}

fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Raises a stop after so many seconds, unless it is dropped before.
#[derive(Debug)]
pub(crate) struct Alarm {
    stop: Stop,
    is_off: Arc<Mutex<bool>>,
}

impl Alarm {
    /// Starts the time that is left of a stop's seconds.
    pub(crate) fn start(stop: Stop, left: Duration, seconds: u64) -> Self {
        let is_off = Arc::new(Mutex::new(false));
        let (raised, off) = (stop.clone(), Arc::clone(&is_off));
        std::thread::spawn(move || {
            std::thread::sleep(left);
            // Held while the stop is raised, so that nothing is raised after the alarm is off.
            let off = off.lock().unwrap_or_else(PoisonError::into_inner);
            if !*off {
                raised.time_is_over(seconds);
            }
        });
        Self { stop, is_off }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        *self.is_off.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.reset();
    }
}

/// Raises a stop after so many seconds, unless the program ends before.
pub(crate) fn stop_after(stop: &Stop, seconds: u64) {
    let stop = stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        stop.time_is_over(seconds);
    });
}
