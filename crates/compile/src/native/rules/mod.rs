//! Rules matched on working memories, as kernels: what the bytecode interpreter does, in machine code.
//!
//! In: a procedure, that is the condition tree of a rule, and memories of the kind it will be matched on.
//! Out: code that hands over its conclusions, by one of two plans. *Tuples*: nested loops in the order of
//! the tree, one binding at a time, as Prolog does it (the interpreter leaves off where nothing new can come). *Sets*:
//! variables of the head are looped over, all others are eliminated by joining and uniting bit sets, and the
//! last variable of the head is concluded as a plane; each conclusion of a clause comes once. Read in this
//! order: `asked`, `sorts`, `requests`, `layout`, `writer`, `tuples`, `order`, `sets`, `run`.
//! Paper: metameta §3.2, §4.2. Invariant: what a plan cannot do exactly is an [`Obstacle`](super::Obstacle).

mod asked;
mod layout;
mod order;
mod requests;
mod run;
mod sets;
mod sorts;
mod tuples;
mod writer;

pub use run::{PackedMemory, RuleKernels, RulePlan};
