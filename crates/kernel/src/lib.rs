//! Kernels: small programs over words and bit planes; knows no logic and no games.
//!
//! A state is a list of words. Part of it is read as planes: sets of small numbers, one bit for each. A
//! kernel computes with words and planes, changes the state, and hands over rows of words. Read in this
//! order: [`Kernel`], [`Set`], [`Word`], [`Statement`], `interpret`, `native`.

mod kernel;

pub use kernel::{
    Comparison, Kernel, Module, Operation, Plane, Scalar, Set, Statement, Table, TableId, Word,
};
