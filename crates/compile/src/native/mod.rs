//! Native games: clauses as kernels over bit planes.
//!
//! In: a specialised game. Out: kernels that list moves, make them, judge ends and goals, play random contests
//! and count leaves. Read in this order: `derived`, `counts`, `same_move`, `values`, `tallies`, `variants`, `ground`, `static_matches`, `atoms`, `exclusion`, `classes`,
//! `params`, `emit`, `absent`, `readings`, `moves`, `effects`, `effect_keys`, `judged`, `ask`, `compute`, `implied`, `build`, `touching`, `waiting`, `reached`, `trees`, `storing`, `role_moves`,
//! `goals`, `conflicts`, `decided`, `by_rows`, `narrow`, `preferences`, `even`, `steps`, `apart`; then whole contests: `changes`, `stuck`, `through`, `rest`,
//! `regress`, `splits`, `scratch`, `past`, `trying`, `pairs`, `row`, `playout`, `leaves`; then play: `ahead`, `plan`, `saved`, `coding`, `hash`, `run`,
//! `turns`, `leaf_room`, `contests`, `game`, `notation`. `optimizations` says what can be left out. `rules` stands
//! apart: single rules, matched on working memories.
//! Invariant: what cannot be lowered exactly is an [`Obstacle`], and the game is left to another engine.

mod absent;
mod ahead;
mod apart;
mod ask;
mod atoms;
mod build;
mod by_rows;
mod carried;
mod changes;
mod classes;
mod coding;
mod compute;
mod conflicts;
mod contests;
mod counts;
mod cycles;
mod decided;
mod derived;
mod effect_keys;
mod effect_words;
mod effects;
mod emit;
mod even;
mod exclusion;
mod fans;
mod game;
mod goals;
mod ground;
mod hash;
mod implied;
mod judged;
mod kept;
mod kept_hash;
mod kept_least;
mod late_cycles;
mod leaf_room;
mod leaves;
mod legal;
mod loops;
mod moves;
mod narrow;
mod notation;
mod number_names;
mod open_vars;
mod optimizations;
mod pairs;
mod params;
mod past;
mod path;
mod patterns;
mod plan;
mod playout;
mod possible;
mod preferences;
mod reached;
mod readings;
mod regress;
mod rejection;
mod report;
mod rest;
mod role_moves;
mod row;
mod rules;
mod run;
mod same_move;
mod saved;
mod scratch;
mod splits;
mod static_matches;
mod steps;
mod storing;
mod stuck;
mod tallies;
mod through;
mod touching;
mod trees;
mod trying;
mod turns;
mod values;
mod variants;
mod waiting;

use serde::{Deserialize, Serialize};

pub use game::{NativeGame, NativeState, NativeTurn};
pub use notation::NotatedGame;
pub use optimizations::{Optimization, Optimizations};
pub use plan::{KernelGame, build_kernels, build_kernels_ahead, kept_for_kernels, kernel_requests};
pub use report::{CounterReport, DerivedReport, FluentReport, Kept, LayoutReport, explain_layout};
pub use rules::{PackedMemory, RuleKernels, RulePlan};
pub use saved::{read_kernels, write_kernels};

/// Why a game has no kernels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{why}{}", place.as_ref().map_or(String::new(), |place| format!(", at {place}")))]
pub struct Obstacle {
    why: String,
    /// Where the clause was written that stands in the way, if it is one.
    place: Option<String>,
}

impl Obstacle {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), place: None }
    }

    /// The same with the place of the clause, unless one is known already.
    pub(crate) fn at(mut self, place: impl FnOnce() -> Option<String>) -> Self {
        if self.place.is_none() {
            self.place = place();
        }
        self
    }
}
