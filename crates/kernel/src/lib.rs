//! Kernels: small programs over words and bit planes; knows no logic and no games.
//!
//! A state is a list of words. Part of it is read as planes: sets of small numbers, one bit for each. A
//! kernel computes with words and planes, changes the state, and hands over rows of words. Read in this
//! order: [`Kernel`], [`Set`], [`Word`], [`Statement`], [`verify`], [`interpret`], [`Native`].

mod build;
mod error;
mod interpret;
mod kernel;
mod meetings;
mod native;
mod print;
mod run;
mod share;
mod unread;
mod verify;

pub use error::{Error, Problem};
pub use interpret::interpret;
pub use kernel::{
    Array, Comparison, End, Kernel, KernelId, Module, Operation, Plane, RoutineId, Scalar, Set,
    Statement, Table, TableId, Word,
};
pub use native::{CodeOptions, Compiled, Entry, MAX_OPERATIONS, Native, Workshop};
pub use run::{Call, Outcome, Stop};
pub use share::share_registers;
pub use unread::drop_unread;
pub use verify::{
    MAX_DEPTH, MAX_NODES, MAX_REGISTER_WORDS, MAX_RUNS, MAX_STATE_WORDS, MAX_TABLE_WORDS,
    MAX_WIDTH, Verified, verify,
};
