//! Two ways to play a GDL description, for differential tests.
//!
//! [`naive`] reads the text itself and computes the whole model of every state from the bottom up;
//! it shares no code with the crate. [`played`] plays the theory with the reference solver.

pub(crate) mod generated;
pub(crate) mod naive;
pub(crate) mod played;
