//! Limits: how much work a query may do before it answers "I stopped here".
//!
//! In: settings from outside. Out: a budget that is charged as the solver works, and the error that
//! names the limit reached. Invariant: no clock is read here; whoever watches one raises [`Stop`].

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::clause::Span;

/// What a solver cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A named limit was reached.
    #[error("the limit `{name}` of {limit} was reached")]
    Limit {
        /// The limit's name.
        name: &'static str,
        /// Its value.
        limit: u64,
    },
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A condition needs a variable that nothing binds.
    #[error("the variable `{variable}` is not bound by any condition")]
    Unbound {
        /// Its name.
        variable: String,
        /// The clause.
        span: Span,
    },
    /// Two clauses contradict each other.
    #[error("{message}")]
    Conflict {
        /// What they say.
        message: String,
        /// The clauses.
        spans: Vec<Span>,
    },
}

/// How much one query may do. Rules are untrusted input; these numbers are what they may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Conditions tried in one query.
    pub inferences: u64,
    /// Derived facts kept for one state, or for the static part.
    pub derived_facts: u64,
    /// Predicates that wait for one another's answers.
    pub recursion_depth: u64,
    /// Compound terms made.
    pub terms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inferences: 200_000_000,
            derived_facts: 2_000_000,
            recursion_depth: 20_000,
            terms: 2_000_000,
        }
    }
}

/// A request to stop, raised from another thread: a clock, or a person.
#[derive(Clone, Debug)]
pub struct Stop {
    interrupted: Arc<AtomicBool>,
    /// One more than the seconds that are over; nothing if they are not.
    seconds: Arc<AtomicU64>,
    /// The limit that is reached when they are.
    limit: &'static str,
    /// What stops this too.
    outer: Option<Arc<Stop>>,
}

impl Default for Stop {
    fn default() -> Self {
        let (interrupted, seconds) = (Arc::default(), Arc::default());
        Self { interrupted, seconds, limit: "time", outer: None }
    }
}

impl Stop {
    /// A stop of one part of the work, with a limit of its own; what stops the whole stops the part.
    #[must_use]
    pub fn part(&self, limit: &'static str) -> Self {
        Self { limit, outer: Some(Arc::new(self.clone())), ..Self::default() }
    }

    /// Stops with [`Error::Interrupted`].
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Stops because the limit of so many seconds is over.
    pub fn time_is_over(&self, seconds: u64) {
        self.seconds.store(seconds.saturating_add(1), Ordering::Relaxed);
    }

    /// Forgets what was raised.
    pub fn reset(&self) {
        self.interrupted.store(false, Ordering::Relaxed);
        self.seconds.store(0, Ordering::Relaxed);
    }

    /// An error if a stop was asked for.
    pub fn check(&self) -> Result<(), Error> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        match self.seconds.load(Ordering::Relaxed) {
            0 => self.outer.as_ref().map_or(Ok(()), |outer| outer.check()),
            over => Err(Error::Limit { name: self.limit, limit: over - 1 }),
        }
    }
}

/// What is left for the present query.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    spent: Cell<u64>,
    /// What earlier queries spent.
    before: Cell<u64>,
    /// What the present query may spend, where that is less than the limit.
    allowed: Cell<Option<u64>>,
}

impl Budget {
    /// How often the stop request is looked at, in inferences; a power of two.
    const STOP_INTERVAL: u64 = 4096;

    pub(crate) fn renew(&self) {
        self.before.set(self.total());
        self.spent.set(0);
        self.allowed.set(None);
    }

    /// The present query may spend no more than this.
    pub(crate) fn allow(&self, inferences: u64) {
        self.allowed.set(Some(inferences));
    }

    pub(crate) fn total(&self) -> u64 {
        self.before.get() + self.spent.get()
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent.get()
    }

    pub(crate) fn charge(&self, limits: &Limits, stop: &Stop) -> Result<(), Error> {
        let spent = self.spent.get() + 1;
        self.spent.set(spent);
        let limit = self.allowed.get().map_or(limits.inferences, |few| few.min(limits.inferences));
        if spent > limit {
            return Err(Error::Limit { name: "inferences", limit });
        }
        if spent & (Self::STOP_INTERVAL - 1) == 0 { stop.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Stop};

    #[test]
    fn a_limit_of_no_time_is_named_as_it_was_set() {
        for limit in [0, 1, 60] {
            let stop = Stop::default();
            assert!(stop.check().is_ok());
            stop.time_is_over(limit);
            assert_eq!(stop.check(), Err(Error::Limit { name: "time", limit }));
        }
    }

    #[test]
    fn the_whole_stops_the_part_and_not_the_other_way() {
        let whole = Stop::default();
        let part = whole.part("lap");
        part.time_is_over(3);
        assert_eq!(part.check(), Err(Error::Limit { name: "lap", limit: 3 }));
        assert!(whole.check().is_ok());
        part.reset();
        assert!(part.check().is_ok());
        whole.interrupt();
        assert_eq!(part.check(), Err(Error::Interrupted));
    }
}
