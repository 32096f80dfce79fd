//! The bridge from theories to games. For now it holds the reference engine: slow and obviously
//! right, the oracle every faster engine is tested against.

mod condition_cost;
mod counted_nodes;
mod interpreter;
mod native;
mod random_turn;
mod reference;
mod samples;
mod state_layout;

pub use condition_cost::{ConditionCost, fresh_state};
pub use counted_nodes::{CountedNode, counted_nodes};
pub use interpreter::{Interpreter, InterpreterError, game_requests};
pub use native::{
    CounterReport, DerivedReport, FluentReport, Kept, KernelGame, LayoutReport, NativeGame,
    NativeState, NativeTurn, NotatedGame, Obstacle, Optimization, Optimizations, PackedMemory,
    RuleKernels, RulePlan, build_kernels, build_kernels_ahead, explain_layout, kept_for_kernels,
    kernel_requests, read_kernels, write_kernels,
};
pub use reference::{ReferenceGame, State, Step, Turn, TurnLimits};
pub use samples::{Sampling, sample_states, visit_states};
