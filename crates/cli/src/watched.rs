//! Work of several threads, watched: progress, Ctrl-C and the time it may take.
//!
//! In: how far the threads are. Out: a moving line on stderr, and a word when it is enough. Invariant:
//! only where the work stops depends on the clock.

use std::sync::{Mutex, PoisonError};

use rulesmith_player::{Done, Overseer, Stop};

use crate::clock::Stopwatch;
use crate::open::Front;
use crate::progress::Progress;

/// Work under way.
pub(crate) struct Watched<'w> {
    stop: Stop,
    watch: Stopwatch,
    max_seconds: f64,
    progress: Mutex<Progress>,
    done: Mutex<Done>,
    words: &'w (dyn Fn(Done) -> String + Sync),
}

impl<'w> Watched<'w> {
    /// Starts the clock of work that may take so many seconds.
    pub(crate) fn new(
        front: &Front,
        max_seconds: f64,
        words: &'w (dyn Fn(Done) -> String + Sync),
    ) -> Self {
        Self {
            stop: front.interrupt.stop.clone(),
            watch: Stopwatch::start(),
            max_seconds,
            progress: Mutex::new(Progress::start()),
            done: Mutex::default(),
            words,
        }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.watch.seconds()
    }

    /// What was done when the threads were last seen.
    pub(crate) fn done(&self) -> Done {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the moving line away.
    pub(crate) fn clear(&mut self) {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Overseer for Watched<'_> {
    fn is_over(&self) -> bool {
        self.stop.check().is_err()
            || (self.max_seconds.is_finite() && self.watch.seconds() >= self.max_seconds)
    }

    fn shows(&self, done: Done) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = done;
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.show(|| (self.words)(done));
    }
}
