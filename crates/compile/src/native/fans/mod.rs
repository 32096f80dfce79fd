//! Fans: for each thing that moves the set of keys it can go to, judged by masks.
//!
//! In: kinds of moves that are legal unless something holds in the state after them: a king may not be left in check.
//! Out: code that finds the legal ones without making any: who attacks is looked up, and so is what each thing may do
//! about it. Things that stand between an attacker and what must be protected may go only where they still do.
//! Read in this order: `nearly`, `plain`, `ways`, `full`, `hops`, `attackers`, `plan`, `unjudged`, `drops`,
//! `masks`, `emit`, `list`.
//! Invariant: the same moves are legal as if each were made and the state after it judged.

mod attackers;
mod drops;
mod emit;
mod full;
mod hops;
mod list;
mod masks;
mod nearly;
mod plain;
mod plan;
mod unjudged;
mod ways;

pub(crate) use emit::Fan;
pub(crate) use list::{List, places_of};
pub(crate) use nearly::{Nearly, nearly_legal};
pub(crate) use plain::Changes;
pub(crate) use plan::FanPlan;
