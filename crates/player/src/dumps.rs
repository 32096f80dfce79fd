//! Dumps: what the stages between rules and engine made of a game, for people.
//!
//! In: a game as the reference engine plays it. Out: the specialised program, its trees of conditions,
//! the layout of native states, or the kernels as text. Invariant: it is what the native engine is made from;
//! nothing is made for the dump alone.

use std::convert::Infallible;
use std::fmt::Write as _;

use rulesmith_compile::{
    KernelGame, LayoutReport, Obstacle, Optimizations, ReferenceGame, build_kernels,
    explain_layout, kept_for_kernels, kernel_requests,
};
use rulesmith_rules::clause_text;
use rulesmith_specialize::{Knowledge, Specialized, SpecializedProcedure};

use crate::engine::{Lists, Unwatched, program};
use crate::specialize::{TreeLine, tree_lines};

/// One predicate of a program.
#[derive(Clone, Debug)]
pub struct DumpedProcedure {
    /// The predicate, with what is known of its arguments: `jump(+, -)`.
    pub title: String,
    /// Its clauses.
    pub clauses: Vec<String>,
    /// Its tree of conditions; nothing is counted in it.
    pub tree: Vec<TreeLine>,
}

/// The specialised program of a game, predicate by predicate: those the engine asks, then those they call.
pub fn dump_program(game: &ReferenceGame) -> Result<Vec<DumpedProcedure>, String> {
    let specialized = specialized(game)?;
    let (theory, symbols) = (game.theory(), game.solver().symbols().borrow());
    let dumped = |one: &SpecializedProcedure| DumpedProcedure {
        title: title(game, one),
        clauses: (one.clauses.iter())
            .map(|clause| clause_text(theory, &symbols, &clause.clause))
            .collect(),
        tree: tree_lines(theory, &symbols, one),
    };
    Ok(specialized.procedures.iter().map(dumped).collect())
}

/// The layout of a game's native states, and what the kernels make of it.
#[derive(Clone, Debug)]
pub struct DumpedLayout {
    /// Where everything lives.
    pub layout: LayoutReport,
    /// How turns are made, or why there are no kernels.
    pub turns: Result<&'static str, String>,
    /// What random contests keep from turn to turn beside the state.
    pub kept: Vec<String>,
    /// What is done in a slower way than it could be, and why.
    pub slower: Vec<String>,
    /// Bytes of tables and of one state, if there are kernels.
    pub n_kernel_bytes: Option<u64>,
}

/// The layout of a game's native states.
pub fn dump_layout(game: &ReferenceGame) -> Result<DumpedLayout, String> {
    let keep = kept_for_kernels(game.theory());
    let requests = kernel_requests(game.theory());
    let lower = |knowledge: &Knowledge<'_>, specialized: &Specialized, lists: Lists| {
        build_kernels(knowledge, specialized, lists.among(Optimizations::default()))
    };
    let made = program(game, (&requests, keep, &[]), &mut Unwatched, lower)?;
    let (kernels, specialized) = (made.lowered, made.specialized);
    let layout = explain_layout(game.theory(), &specialized)?;
    let n_kernel_bytes = kernels.as_ref().ok().map(KernelGame::n_bytes);
    let kept = kernels.as_ref().map_or(Vec::new(), |kernels| kernels.kept_texts().to_vec());
    let slower = kernels.as_ref().map_or(Vec::new(), KernelGame::slower_texts);
    let turns = kernels.map(|kernels| kernels.turns_text()).map_err(|why| why.to_string());
    Ok(DumpedLayout { layout, turns, kept, slower, n_kernel_bytes })
}

/// The kernels of a game as text, those for single questions first.
pub fn dump_kernels(game: &ReferenceGame, optimizations: Optimizations) -> Result<String, String> {
    let kernels = make_kernels(game, optimizations)?;
    Ok(kernels.map_err(|why| format!("no kernels: {why}"))?.text())
}

/// The kernels of a game as the native engine has them, made anew; or why there are none.
pub fn make_kernels(
    game: &ReferenceGame,
    optimizations: Optimizations,
) -> Result<Result<KernelGame, Obstacle>, String> {
    let keep = kept_for_kernels(game.theory());
    let requests = kernel_requests(game.theory());
    let lower = |knowledge: &Knowledge<'_>, specialized: &Specialized, lists: Lists| {
        build_kernels(knowledge, specialized, lists.among(optimizations))
    };
    Ok(program(game, (&requests, keep, &[]), &mut Unwatched, lower)?.lowered)
}

fn specialized(game: &ReferenceGame) -> Result<Specialized, String> {
    let keep = kept_for_kernels(game.theory());
    let requests = kernel_requests(game.theory());
    let lower = |_: &Knowledge<'_>, _: &Specialized, _| Ok::<(), Infallible>(());
    Ok(program(game, (&requests, keep, &[]), &mut Unwatched, lower)?.specialized)
}

fn title(game: &ReferenceGame, one: &SpecializedProcedure) -> String {
    let mut title = game.theory().base.predicate(one.source).name.clone();
    for (place, known) in one.procedure.known.iter().enumerate() {
        let sign = if *known { '+' } else { '-' };
        let before = if place == 0 { "(" } else { ", " };
        let _ = write!(title, "{before}{sign}");
    }
    if !one.procedure.known.is_empty() {
        title.push(')');
    }
    title
}
