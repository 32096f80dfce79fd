//! The pipeline from rules text to a game, and contests played on it.
//!
//! Read in this order: [`build()`], [`Session`], [`Contest`]. What front ends need from the stages
//! below is named here again, so that they see this crate and the game contract alone.

mod analysis;
mod bench_conditions;
mod bench_match;
mod bench_match_native;
mod bench_metaprogram;
mod build;
mod claim_questions;
mod claims;
mod contest;
mod contest_text;
mod dumps;
mod engine;
mod generate;
mod limits;
mod matches;
mod session;
mod signature;
mod specialize;
mod store;
mod threads;
mod trial;

pub use analysis::{AnalysisReport, KindReport, analysis_report};
pub use bench_conditions::{
    BeforeAfter, ConditionsConfig, Means, compare_conditions, profile, sampled_states,
    specialize_game,
};
pub use bench_match::{Matched, Workload, paper_workloads, prolog_text};
pub use bench_match_native::{NativeWorkload, facts_text};
pub use bench_metaprogram::{MetaprogramTask, metaprogram_tasks, regress_request};
pub use build::{BuildRequest, BuildResult, Language, build, reference_game, stop_error};
pub use claims::{ClaimReport, try_metarules};
pub use contest::{Conclusion, Contest, ContestError, Place, PlayedMove, Turn, replay};
pub use dumps::{
    DumpedLayout, DumpedProcedure, dump_kernels, dump_layout, dump_program, make_kernels,
};
pub use engine::{
    BuildStage, EngineGame, EngineKind, Fallback, GameSource, PrepareWatch, Prepared, Unwatched,
    prepare,
};
pub use generate::{
    GENERATED, GenerateError, Generated, KNOBS, Knob, KnobError, KnobInfo, KnobKind, KnobValue,
    Knobs, Refusal, generate,
};
pub use limits::BuildLimits;
pub use matches::{Standing, play_contest, player_of, standings};
pub use session::{Seat, Session};
pub use signature::{fluent_signature, move_signature};
pub use specialize::{
    Agreement, ClauseReport, Cost, FunnelReport, MetarulePicture, MetaruleReport, ProcedureReport,
    RemovedReport, SpecializeFailure, SpecializeOptions, SpecializeReport, TreeLine, specialize,
};
pub use store::ProgramStore;
pub use threads::{
    ContestPlan, Crew, Done, MakeGame, Overseer, OwnGame, Played, divide_in_threads,
    perft_in_threads, play_contests, sum,
};
pub use trial::try_out;

pub use rulesmith_analyze::SquareId;
pub use rulesmith_compile::{
    CounterReport, DerivedReport, FluentReport, Kept, LayoutReport, NativeGame, NativeState,
    NotatedGame, Optimization, Optimizations, ReferenceGame, RulePlan,
};
pub use rulesmith_logic::{Span, Stop};
pub use rulesmith_rules::scl::{Imported, import_bases, import_variants};
pub use rulesmith_rules::{
    DataSetting, Diagnostic, Diagnostics, NoFiles, Resolver, Severity, SourceFile, Sources, Theory,
    TurnIdentity, nearest, print,
};
pub use rulesmith_search::{Choice, MonteCarlo, Pace, choose};
