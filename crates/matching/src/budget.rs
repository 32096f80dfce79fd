//! The budget: how much one question may still do.
//!
//! In: rows as they are tried. Out: an error when the limit is reached or a stop was asked for.
//! Invariant: no clock is read here.

use std::cell::Cell;

use rulesmith_logic::Error;

use crate::search::Setting;

/// What the present question has spent.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    spent: Cell<u64>,
}

/// How often a request to stop is looked at, in rows.
const STOP_INTERVAL: u32 = 4096;

impl Budget {
    pub(crate) fn renew(&self) {
        self.spent.set(0);
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Charges rows and looks whether to stop.
    fn charge(&self, rows: u32, setting: &Setting<'_>) -> Result<(), Error> {
        let before = self.spent.get();
        let spent = before + u64::from(rows);
        self.spent.set(spent);
        let limit = setting.limits.inferences;
        if spent > limit {
            return Err(Error::Limit { name: "inferences", limit });
        }
        let interval = u64::from(STOP_INTERVAL);
        if before / interval == spent / interval { Ok(()) } else { setting.stop.check() }
    }

    /// How many rows may be tried before somebody has to look again; at least one.
    fn grant(&self, setting: &Setting<'_>) -> u32 {
        let left = setting.limits.inferences.saturating_sub(self.spent.get());
        u32::try_from(left.saturating_add(1)).unwrap_or(u32::MAX).min(STOP_INTERVAL)
    }
}

/// A part of the budget in one run's hands, so that a row costs one subtraction.
#[derive(Debug)]
pub(crate) struct Meter<'b> {
    budget: &'b Budget,
    setting: &'b Setting<'b>,
    granted: u32,
    left: u32,
}

impl<'b> Meter<'b> {
    pub(crate) fn new(budget: &'b Budget, setting: &'b Setting<'b>) -> Self {
        let granted = budget.grant(setting);
        Self { budget, setting, granted, left: granted }
    }

    /// One row is tried.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Error> {
        self.left -= 1;
        if self.left == 0 { self.settle() } else { Ok(()) }
    }

    /// So many rows are tried.
    #[inline]
    pub(crate) fn ticks(&mut self, n_rows: usize) -> Result<(), Error> {
        for _ in 0..n_rows / (STOP_INTERVAL as usize) {
            self.left = 1;
            self.tick()?;
        }
        let rest = u32::try_from(n_rows % (STOP_INTERVAL as usize)).unwrap_or(0);
        if rest < self.left {
            self.left -= rest;
            return Ok(());
        }
        self.left = 0;
        self.settle()
    }

    /// Charges what was used.
    #[cold]
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        let charged = self.budget.charge(self.granted - self.left, self.setting);
        self.renew();
        charged
    }

    /// Takes a new part, after somebody else used the budget.
    pub(crate) fn renew(&mut self) {
        self.granted = self.budget.grant(self.setting);
        self.left = self.granted;
    }
}
