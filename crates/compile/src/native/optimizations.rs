//! The optimisations that can be left out, to see what each is worth.
//!
//! In: names. Out: which are on. Invariant: whatever is on, kernels give the same answers.

/// A way to make kernels faster. docs/optimizations.md says when each applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Optimization {
    /// Clauses are grounded, and rows that are alike but for their place become operations on whole planes.
    WholePlanes,
    /// After a move, only those ends are looked for that the move can have brought about.
    TouchedEnds,
    /// A random move is drawn from a cheap set that has all legal moves, and tested.
    Rejection,
    /// A drawn move is made in order to be judged, and taken back only if it is not legal.
    MadeByJudge,
    /// A value that is only told from others is a negation, not a row for each value that is left.
    Negations,
    /// Counts around keys are planes, one for each number.
    Tallies,
    /// Closed bodies without rows are loops inside what rows judge.
    LoopedBodies,
    /// Turns of at most two steps are drawn without a search.
    Pairs,
}

impl Optimization {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::WholePlanes,
        Self::TouchedEnds,
        Self::Rejection,
        Self::MadeByJudge,
        Self::Negations,
        Self::Tallies,
        Self::LoopedBodies,
        Self::Pairs,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::WholePlanes => "whole-planes",
            Self::TouchedEnds => "touched-ends",
            Self::Rejection => "rejection",
            Self::MadeByJudge => "made-by-judge",
            Self::Negations => "negations",
            Self::Tallies => "tallies",
            Self::LoopedBodies => "looped-bodies",
            Self::Pairs => "pairs",
        }
    }
}

/// Which optimisations are on: all, unless some are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Optimizations {
    /// A bit for each that is left out.
    out: u32,
}

impl Optimizations {
    /// Is it on?
    pub fn has(self, one: Optimization) -> bool {
        self.out >> one as u8 & 1 == 0
    }

    /// The same without this one.
    #[must_use]
    pub fn without(self, one: Optimization) -> Self {
        Self { out: self.out | 1 << one as u8 }
    }

    /// The same with this one on or off.
    #[must_use]
    pub fn with(self, one: Optimization, is_on: bool) -> Self {
        if is_on { Self { out: self.out & !(1 << one as u8) } } else { self.without(one) }
    }
}
