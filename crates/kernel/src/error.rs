//! What can be wrong with a module: found by `verify` before anything runs, or by `native` when it is
//! too large to translate.

use thiserror::Error;

use crate::kernel::{Plane, RoutineId, Scalar, TableId};

/// Why a module cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The module as a whole is not well formed.
    #[error("the module {problem}")]
    Module {
        /// What is wrong.
        problem: Problem,
    },
    /// A table is not well formed.
    #[error("table {} {problem}", table.0)]
    Table {
        /// The table.
        table: TableId,
        /// What is wrong.
        problem: Problem,
    },
    /// A kernel is not well formed.
    #[error("kernel `{kernel}`, statement {statement}: it {problem}")]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// The statement in reading order, counted from one; zero for the kernel's head.
        statement: usize,
        /// What is wrong.
        problem: Problem,
    },
    /// A kernel is more than native code is made for; it can be interpreted.
    #[error("kernel `{kernel}` needs {n_operations} operations, native code stops at {limit}")]
    TooLarge {
        /// The kernel's name.
        kernel: String,
        /// What its translation would take.
        n_operations: u64,
        /// The most that is allowed.
        limit: u64,
    },
    /// All kernels together are more than native code is made for; they can be interpreted.
    #[error(
        "with kernel `{kernel}` there are too many operations, native code stops at {limit} in all"
    )]
    TooMany {
        /// The kernel that is one too many.
        kernel: String,
        /// The most that is allowed.
        limit: u64,
    },
    /// This machine, or what it allows, does not let code be made.
    #[error("no native code: {reason}")]
    NoNativeCode {
        /// What the code generator says.
        reason: String,
    },
}

/// What is wrong with a module, a table or a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// A register of one word that the kernel does not have.
    #[error("uses scalar {}, which it does not have", .0.0)]
    NoSuchScalar(Scalar),
    /// A register of one plane that the kernel does not have.
    #[error("uses plane {}, which it does not have", .0.0)]
    NoSuchPlane(Plane),
    /// A table that the module does not have.
    #[error("uses table {}, which the module does not have", .0.0)]
    NoSuchTable(TableId),
    /// A routine that is not there, or not yet.
    #[error("runs routine {}, which does not come before it", .0.0)]
    NoSuchRoutine(RoutineId),
    /// A routine hands over rows.
    #[error("hands over rows, which routines do not")]
    RoutineRows,
    /// Another number of parameters than a routine has.
    #[error("gives {given} parameters to a routine that has {wanted}")]
    GivenParams {
        /// The parameters it gives.
        given: usize,
        /// The parameters there are.
        wanted: usize,
    },
    /// Planes of different widths where they must be equal.
    #[error("joins planes of {0} and {1} words")]
    Widths(usize, usize),
    /// Words outside the state.
    #[error("reaches words {offset} to {offset}+{width} of a state of {state_words}")]
    OutsideState {
        /// The first word.
        offset: u32,
        /// How many words.
        width: usize,
        /// The words of a state.
        state_words: u32,
    },
    /// A table without rows, or a plane or a row of an output without words.
    #[error("has a row or a plane without words")]
    NoWords,
    /// A table whose words are not a multiple of its width.
    #[error("has {words} words in rows of {width}")]
    Ragged {
        /// All its words.
        words: usize,
        /// Words of a row.
        width: u16,
    },
    /// `Leave` with nothing to leave.
    #[error("leaves a loop where there is none")]
    NothingToLeave,
    /// `Repeat` that nothing can end.
    #[error("repeats for ever: nothing inside leaves or returns")]
    Endless,
    /// Rows of different widths in one kernel.
    #[error("hands over rows of {0} and of {1} words")]
    RowWidths(usize, usize),
    /// More parameters than scalars.
    #[error("has {n_params} parameters and only {n_scalars} scalars")]
    Params {
        /// The parameters.
        n_params: u16,
        /// The scalars.
        n_scalars: u16,
    },
    /// Beyond a limit of this crate.
    #[error("has more than {limit} {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
}
