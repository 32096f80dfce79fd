//! Conflicts: one step gives a fluent two different values.
//!
//! In: what a step assigns. Out: statements that end a kernel with a result that names the fluent. Invariant:
//! nothing is looked at where only one value can be assigned; results of steps and contests are otherwise small.

use rulesmith_kernel::{Comparison, Scalar, Set, Statement, Word};
use rulesmith_rules::FluentId;

use super::emit::Emitter;

/// Added to the number of the fluent in the result of a kernel.
pub(super) const CONFLICT: u64 = 1 << 63;

/// The fluent that a kernel of steps or contests complains about, if it does.
pub(crate) fn conflict(result: u64) -> Option<FluentId> {
    let number = result.checked_sub(CONFLICT)?;
    Some(FluentId(usize::try_from(number).unwrap_or(usize::MAX)))
}

/// Ends the kernel if a word is not zero.
pub(crate) fn stop_if(emitter: &mut Emitter<'_>, fluent: FluentId, clash: impl Into<Word>) {
    emitter.push(Statement::If(clash.into(), vec![complain(fluent)], Vec::new()));
}

fn complain(fluent: FluentId) -> Statement {
    Statement::Return(Word::Constant(CONFLICT + fluent.0 as u64))
}

/// Ends the kernel if two of the sets have something in common.
pub(crate) fn stop_if_any_meet(
    emitter: &mut Emitter<'_>,
    (fluent, width): (FluentId, u16),
    sets: impl IntoIterator<Item = Set>,
) {
    let mut sets = sets.into_iter();
    let Some(mut seen) = sets.next() else { return };
    let mut twice: Option<Set> = None;
    for set in sets {
        let both = seen.clone() & set.clone();
        let all = twice.map_or(both.clone(), |twice| twice | both);
        // Registers of their own keep long alternatives from nesting.
        twice = Some(emitter.let_set(width, all).into());
        seen = emitter.let_set(width, seen | set).into();
    }
    if let Some(twice) = twice {
        stop_if(emitter, fluent, twice.any());
    }
}

/// A word that is given a value, and whether it was given another before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// Whether a value was given.
    pub(crate) is_given: Scalar,
    /// The value.
    pub(crate) value: Scalar,
}

impl Given {
    /// Gives a value, or ends the kernel if that is another than before.
    pub(crate) fn give(self, fluent: FluentId, value: Word) -> Vec<Statement> {
        let differs = Word::from(self.value).compare(Comparison::Unequal, value.clone());
        let other = Statement::If(differs, vec![complain(fluent)], Vec::new());
        vec![
            Statement::If(self.is_given.into(), vec![other], Vec::new()),
            Statement::Let(self.value, value),
            Statement::Let(self.is_given, Word::Constant(1)),
        ]
    }
}
