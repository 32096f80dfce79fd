//! Regression: conditions after a move become conditions before it.
//!
//! In: one condition judged after a move. Out: the bodies that hold before the move exactly when it
//! holds after: an effect makes it true, or it was true and no effect makes it false. Paper:
//! metameta §4.1, forcedmoves §5. Invariant: exact, or the condition stays as it is.

use rulesmith_logic::{Condition, Variable};

use crate::unfold::{Draft, Step, Stuck, Unfolder};

impl Unfolder<'_> {
    /// What a condition after a move may be replaced by; nothing if it stays.
    pub(crate) fn regressions(
        &mut self,
        _draft: &Draft,
        _place: usize,
        _condition: &Condition,
        _variables: &mut Vec<Variable>,
    ) -> Result<Option<Vec<(Vec<Condition>, Step)>>, Stuck> {
        Ok(None)
    }
}
