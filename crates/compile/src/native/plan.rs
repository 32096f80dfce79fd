//! The kernels of a game, and which of them does what.
//!
//! In: a specialised game. Out: a module that answers questions and makes steps, another that plays whole
//! random contests, and what their numbers mean. Invariant: each kernel does what the reference engine
//! does, or the game has an obstacle.

use std::collections::BTreeSet;

use rulesmith_kernel::{Kernel, KernelId, Module, Native, Table, Verified, verify};
use rulesmith_logic::{Asking, Condition, Expr, PredicateId, edges};
use rulesmith_rules::{PredicateKind, Request, RequestArg, Theory};
use rulesmith_specialize::{Knowledge, Specialized, shared_predicates};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::ahead::{Ahead, Making};
use super::build::Builder;
use super::coding::{ByResult, StepCoding};
use super::counts::has_count;
use super::cycles::Cycle;
use super::derived::{derived_layouts, has_too_many_tuples};
use super::emit::Places;
use super::hash::{Packing, Repeated};
use super::leaf_room::LeafRoom;
use super::optimizations::{Optimization, Optimizations};
use super::reached::Reached;
use super::row::ContestRow;
use super::scratch::{PastRoom, Scratch};
use super::waiting::Waiting;
use crate::interpreter::game_requests;
use crate::state_layout::StateLayout;

/// A game as kernels.
#[derive(Debug)]
pub struct KernelGame {
    /// The kernels that answer single questions and make single moves.
    pub module: Verified,
    /// The kernel that plays whole random contests; otherwise contests are played turn by turn.
    pub contests: Result<Verified, Obstacle>,
    /// The kernel that counts leaves; otherwise they are counted turn by turn.
    pub leaves: Result<Verified, Obstacle>,
    pub(crate) plan: Plan,
    /// Who makes code of them already.
    pub(crate) ahead: Option<Ahead>,
}

/// Which kernel does what, and what its numbers mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) layout: StateLayout,
    pub(crate) steps: StepCoding,
    /// Words of a row that a kernel of moves hands over.
    pub(crate) row_words: usize,
    /// Is the contest over?
    pub(crate) terminal: KernelId,
    /// For each role one more than its goal value, or zero.
    pub(crate) goals: Vec<KernelId>,
    /// For each role its moves: the kind and the place of each parameter.
    pub(crate) moves: Vec<KernelId>,
    /// Does a drawing rule apply?
    pub(crate) draw: Option<KernelId>,
    /// For each role and kind of move, a step.
    pub(crate) stepping: Stepping,
    /// May a turn have several steps, or is one turn better than another?
    pub(crate) has_long_turns: bool,
    /// Where turns that lead to one state are one.
    pub(crate) by_result: Option<ByResult>,
    /// The words that tell states apart.
    pub(crate) hashed: Packing,
    /// Of fluents with many values those that contests reach.
    pub(crate) reached: Vec<Reached>,
    /// How states are seen where their repetitions are counted.
    pub(crate) repeated: Vec<Repeated>,
    /// Counts a state that a turn led to, where the states of cycles are asked about.
    pub(crate) cycles: Option<KernelId>,
    /// What the kernel of contests keeps from turn to turn, in words.
    pub(crate) kept: Vec<String>,
    /// What is done in a slower way than it could be, and why, in words.
    pub(crate) slower: Vec<String>,
    /// Does the kernel of contests change the hashes that are kept?
    pub(crate) contests_keep_hashes: bool,
    /// In the module of contests: plays one.
    pub(crate) contest: KernelId,
    /// The room that it needs.
    pub(crate) scratch: Option<Scratch>,
    /// Where the words of contests in a row are, if they can be played so.
    pub(crate) row: Option<ContestRow>,
    /// The room that the kernel of leaves needs.
    pub(crate) leaves: Option<LeafRoom>,
    /// Where the past is that kernels of moves ask about, if they do.
    pub(crate) past: Option<PastRoom>,
}

/// How steps are made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Stepping {
    /// By one role at a time: for each role and kind a kernel that takes the parameters. It returns twice
    /// the merit of the turn so far, and one more if the turn goes on.
    Single(Vec<Vec<KernelId>>),
    /// By one role at a time while the others wait: a kernel that tells whose turn it is, for each role kernels
    /// as above and one more for its having no move, and for nobody being at turn the last alone.
    InTurn { whose: KernelId, steps: Vec<Vec<KernelId>>, waiting: Waiting },
    /// By all roles at once: one kernel, which takes for each role one more than the kind of its move, or
    /// zero, and so many parameters.
    Joint(KernelId, usize),
}

/// Builds the kernels of a game.
pub fn build_kernels(
    knowledge: &Knowledge<'_>,
    specialized: &Specialized,
    optimizations: Optimizations,
) -> Result<KernelGame, Obstacle> {
    build_well(knowledge, specialized, (optimizations, Making::WhenAsked))
}

/// The same for a game that will be played by native code, which another thread begins to make meanwhile.
pub fn build_kernels_ahead(
    knowledge: &Knowledge<'_>,
    specialized: &Specialized,
    optimizations: Optimizations,
) -> Result<KernelGame, Obstacle> {
    build_well(knowledge, specialized, (optimizations, Making::Ahead))
}

/// Builds the kernels of a game. Where operations on whole planes give more than can be translated, and loops
/// do not, it is loops; and where code for roles that wait cannot be made, roles move at once.
fn build_well(
    knowledge: &Knowledge<'_>,
    specialized: &Specialized,
    (optimizations, making): (Optimizations, Making),
) -> Result<KernelGame, Obstacle> {
    let fits = |game: &KernelGame| Native::fits(&game.module).is_ok();
    // What is called has no rows, and what is left of its callers has few.
    let are_called = !specialized.called.is_empty();
    let optimizations = optimizations.with(
        Optimization::WholePlanes,
        optimizations.has(Optimization::WholePlanes) && !are_called,
    );
    let build = |optimizations| build_as_asked(knowledge, specialized, (optimizations, making));
    let built = build(optimizations);
    if built.as_ref().is_ok_and(fits) {
        return built;
    }
    let waits = |game: &KernelGame| matches!(game.plan.stepping, Stepping::InTurn { .. });
    let may_wait = optimizations.has(Optimization::WaitingRoles);
    let at_once = optimizations.without(Optimization::WaitingRoles);
    let mut others = Vec::new();
    if may_wait && built.as_ref().map_or(true, waits) {
        others.push(at_once);
    }
    if optimizations.has(Optimization::WholePlanes) {
        others.push(optimizations.without(Optimization::WholePlanes));
        others.extend(may_wait.then(|| at_once.without(Optimization::WholePlanes)));
    }
    let mut others = others.into_iter().filter_map(|one| build(one).ok());
    let Some(mut game) = others.find(fits) else { return built };
    let why = match &built {
        Ok(built) => Native::fits(&built.module).err().map(|error| error.to_string()),
        Err(obstacle) => Some(obstacle.to_string()),
    };
    game.plan.slower.extend(why.map(|why| format!("other code had to be made: {why}")));
    Ok(game)
}

fn build_as_asked(
    knowledge: &Knowledge<'_>,
    specialized: &Specialized,
    (optimizations, making): (Optimizations, Making),
) -> Result<KernelGame, Obstacle> {
    let theory = knowledge.theory;
    let cycles = Cycle::all(theory, specialized)?;
    let layout = lay_out(theory, optimizations, cycles.len())?;
    let lists = optimizations.has(Optimization::ListedRecursions);
    let derived = derived_layouts(theory, specialized, (n_asked(theory, specialized), lists));
    let places = Places { layout: &layout, derived: &derived, cycles: &cycles, optimizations };
    let mut builder = Builder::ground(knowledge, specialized, places, optimizations)?;
    builder.check_cycles()?;
    builder.make_storing_routines();
    let ahead = (making == Making::Ahead).then(Ahead::begin);
    Unverified::new(&builder, Vec::new()).order(&builder, ahead.as_ref());
    let sizes = theory.move_ids().map(|kind| builder.param_sizes(kind.0));
    let steps = StepCoding::new(&sizes.collect::<Result<Vec<_>, _>>()?)?;
    let mut kernels = Kernels::default();
    let (terminal, draw, [goals, moves]) = judging(&mut builder, &mut kernels)?;
    let stepping = stepping(&mut builder, &mut kernels)?;
    let cycles = builder.cycles_kernel()?.map(|kernel| kernels.add(kernel));
    let has_long_turns = builder.has_long_turns();
    let module = Unverified::new(&builder, kernels.0);
    module.order(&builder, ahead.as_ref());
    let contest = contest(&mut builder);
    if let Ok((contest, _)) = &contest {
        contest.order(&builder, ahead.as_ref());
    }
    let contests_keep_hashes = builder.contests_ask_hashes();
    let leaves = leaves(&mut builder);
    let (past, reached) = (builder.setting.past, builder.reached);
    let (kept, slower) = (builder.kept, builder.slower);
    let tables = builder.tables.tables;
    let room = contest.as_ref().ok().map(|(_, room)| room.clone());
    let (scratch, row) = room.map_or((None, None), |(scratch, row)| (Some(scratch), row));
    let contests = contest.and_then(|(unverified, _)| unverified.verified(&tables));
    let leaf_room = leaves.as_ref().ok().map(|(_, room)| *room);
    let leaves = leaves.and_then(|(unverified, _)| unverified.verified(&tables));
    let plan = Plan {
        steps,
        row_words: 1 + most_params(theory),
        terminal,
        goals,
        moves,
        draw,
        stepping,
        has_long_turns,
        by_result: ByResult::of(theory, &knowledge.symbols().borrow()),
        reached,
        repeated: Repeated::of(&layout),
        cycles,
        hashed: Packing::of_all(&layout),
        kept,
        slower,
        contests_keep_hashes,
        contest: KernelId(0),
        scratch,
        row,
        leaves: leaf_room,
        past,
        layout,
    };
    let module = module.verified(&tables)?;
    Ok(KernelGame { module, contests, leaves, plan, ahead })
}

/// Kernels with the routines that were made until then, and the words that all of them reach.
#[derive(Clone, Debug)]
struct Unverified {
    kernels: Vec<Kernel>,
    routines: Vec<Kernel>,
    n_words: u32,
}

impl Unverified {
    fn new(builder: &Builder<'_>, kernels: Vec<Kernel>) -> Self {
        let routines = builder.setting.routines.borrow().list.clone();
        Self { kernels, routines, n_words: builder.spare.next.max(1) }
    }

    fn module(self, tables: &[Table]) -> Module {
        let Self { kernels, routines, n_words } = self;
        Module { state_words: n_words, tables: tables.to_vec(), routines, kernels }
    }

    /// Has code made ahead.
    fn order(&self, builder: &Builder<'_>, ahead: Option<&Ahead>) {
        if let Some(ahead) = ahead {
            ahead.order(self.clone().module(&builder.tables.tables));
        }
    }

    fn verified(self, tables: &[Table]) -> Result<Verified, Obstacle> {
        verify(self.module(tables)).map_err(|error| Obstacle::new(error.to_string()))
    }
}

/// The kernels for ends, for draws, and for the goals and the moves of each role.
type Judging = (KernelId, Option<KernelId>, [Vec<KernelId>; 2]);

fn judging(builder: &mut Builder<'_>, kernels: &mut Kernels) -> Result<Judging, Obstacle> {
    let terminal = builder.terminal.clone();
    let terminal = kernels.add(builder.judging_kernel("terminal", &terminal)?);
    let draw = draw_kernel(builder)?.map(|kernel| kernels.add(kernel));
    let (mut goals, mut moves) = (Vec::new(), Vec::new());
    for role in 0..builder.theory.roles.len() {
        goals.push(kernels.add(builder.goal_kernel(role)?));
        moves.push(kernels.add(builder.moves_kernel(role)?));
    }
    Ok((terminal, draw, [goals, moves]))
}

fn draw_kernel(builder: &mut Builder<'_>) -> Result<Option<Kernel>, Obstacle> {
    let draw = Some(builder.draw.clone()).filter(|question| question.may_hold);
    draw.map(|question| builder.judging_kernel("draw", &question)).transpose()
}

/// Where everything lives in a state.
fn lay_out(
    theory: &Theory,
    optimizations: Optimizations,
    n_cycles: usize,
) -> Result<StateLayout, Obstacle> {
    let mut layout = StateLayout::new(theory).map_err(Obstacle::new)?;
    layout.n_cycles = u32::try_from(n_cycles).unwrap_or(u32::MAX);
    layout.packs_hashes = optimizations.has(Optimization::PackedHashes);
    if optimizations.has(Optimization::KeptHashes) {
        layout.keep_hashes();
    }
    Ok(layout)
}

/// The kernel that plays random contests, and its room.
fn contest(
    builder: &mut Builder<'_>,
) -> Result<(Unverified, (Scratch, Option<ContestRow>)), Obstacle> {
    let scratch = builder.scratch()?;
    builder.spare.next = scratch.n_words;
    let row = builder.contest_row();
    let kernel = builder.playout_kernel(scratch, row.as_ref())?;
    let scratch = Scratch { n_words: builder.spare.next, ..scratch };
    Ok((Unverified::new(builder, vec![kernel]), (scratch, row)))
}

/// The kernel that counts leaves, and its room.
fn leaves(builder: &mut Builder<'_>) -> Result<(Unverified, LeafRoom), Obstacle> {
    if !builder.optimizations.has(Optimization::LeavesByKernel) {
        return Err(Obstacle::new("leaves are counted by the game contract"));
    }
    let state_words = builder.places.layout.n_state_words();
    let mut room = LeafRoom::new(state_words, builder.spare.next, builder.asks_repetition())?;
    builder.spare.next = room.n_words;
    let kernel = builder.leaves_kernel(room)?;
    room.n_words = builder.spare.next;
    Ok((Unverified::new(builder, vec![kernel]), room))
}

/// How many procedures of a program are asked by kernels; the others are called by these.
pub(super) fn n_asked(theory: &Theory, specialized: &Specialized) -> usize {
    let requests = kernel_requests(theory);
    let is_asked = |(one, request): &(&_, &Request)| {
        let one: &rulesmith_specialize::SpecializedProcedure = one;
        one.source == request.predicate
    };
    specialized.procedures.iter().zip(&requests).take_while(is_asked).count()
}

fn stepping(builder: &mut Builder<'_>, kernels: &mut Kernels) -> Result<Stepping, Obstacle> {
    if builder.is_joint {
        let n_params = most_params(builder.theory);
        return Ok(Stepping::Joint(kernels.add(builder.joint_kernel()?), n_params));
    }
    let mut steps = Vec::new();
    let (n_roles, n_kinds) = (builder.theory.roles.len(), builder.theory.moves.len());
    let waiting = builder.waiting.clone();
    let n_extra = usize::from(waiting.is_some());
    for role in 0..n_roles + n_extra {
        let kinds = if role == n_roles { n_kinds..n_kinds + 1 } else { 0..n_kinds + n_extra };
        let of_role: Result<Vec<KernelId>, Obstacle> =
            kinds.map(|kind| Ok(kernels.add(builder.step_kernel(role, kind)?))).collect();
        steps.push(of_role?);
    }
    Ok(match waiting {
        Some(waiting) => {
            let whose = kernels.add(builder.whose_turn_kernel()?);
            Stepping::InTurn { whose, steps, waiting }
        }
        None => Stepping::Single(steps),
    })
}

/// The kernels of a module under way.
#[derive(Debug, Default)]
struct Kernels(Vec<Kernel>);

impl Kernels {
    fn add(&mut self, kernel: Kernel) -> KernelId {
        self.0.push(kernel);
        KernelId(u16::try_from(self.0.len() - 1).unwrap_or(u16::MAX))
    }
}

/// The requests whose answers make up the kernels of a game: also the events that drawing rules count from.
pub fn kernel_requests(theory: &Theory) -> Vec<Request> {
    let mut requests = game_requests(theory);
    for kind in &theory.kinds {
        let PredicateKind::Since(event) = kind else { continue };
        if requests.iter().all(|request| request.predicate != *event) {
            let text = theory.base.predicate(*event).name.clone();
            requests.push(Request { predicate: *event, args: Vec::new(), text });
        }
    }
    // Where legality is dear, a single move is judged too.
    for kind in &theory.moves {
        let bodies = theory.base.clauses[kind.legal.0 as usize].iter().map(|clause| &clause.body);
        let asks = |one: &Condition| matches!(one, Condition::Elsewhere { .. });
        // Only a move of one parameter is drawn and then judged.
        if kind.n_params == 1 && bodies.flatten().any(asks) {
            let described = theory.base.predicate(kind.legal);
            let args =
                (0..described.domains.len()).map(|place| RequestArg::Known(format!("A{place}")));
            let (predicate, text) = (kind.legal, described.name.clone());
            requests.push(Request { predicate, args: args.collect(), text });
        }
    }
    requests
}

/// The predicates that a program for kernels calls rather than unfolds: those that several questions share.
/// Legal moves are unfolded where rules ask about them, since they have no planes of their own, and so are
/// numbers that are counted and what has too many tuples for planes, unless it asks itself.
pub fn kept_for_kernels(theory: &Theory) -> BTreeSet<PredicateId> {
    let mut keep = shared_predicates(theory, &kernel_requests(theory));
    let counts = |condition: &Condition| match condition {
        Condition::Compare(_, left, right) => has_count(left) || has_count(right),
        _ => false,
    };
    let asks = |predicate: PredicateId, condition: &Condition| matches!(condition, Condition::Holds(atom) if atom.predicate == predicate);
    keep.retain(|predicate| {
        let bodies = theory.base.clauses[predicate.0 as usize].iter().map(|clause| &clause.body);
        let mut conditions = bodies.flatten();
        let is_recursive = conditions.clone().any(|condition| asks(*predicate, condition));
        let columns = &theory.base.predicate(*predicate).domains;
        let is_legality = matches!(theory.kind(*predicate), PredicateKind::Legal(_));
        let is_judged = |one: &Condition| matches!(one, Condition::Elsewhere { .. });
        if is_legality {
            // What is judged by the state after it has no rows to be unfolded to.
            return conditions.any(is_judged);
        }
        !conditions.any(counts)
            && !asks_for_params(theory, *predicate, &mut BTreeSet::new())
            && (is_recursive || !has_too_many_tuples(&theory.base, columns))
    });
    keep
}

/// Does a predicate say something of the parameters of the move that is made, itself or by others? Where it is
/// asked the move is known, so it is better unfolded there.
fn asks_for_params(
    theory: &Theory,
    predicate: PredicateId,
    seen: &mut BTreeSet<PredicateId>,
) -> bool {
    if !seen.insert(predicate) {
        return false;
    }
    theory.base.clauses[predicate.0 as usize].iter().any(|clause| {
        let mut atoms = clause.body.iter().filter_map(|condition| match condition {
            Condition::Holds(atom) => Some(atom),
            _ => None,
        });
        atoms.any(|atom| {
            let shares = |n_left: usize| {
                atom.args.iter().skip(n_left).any(|term| clause.head.args.contains(term))
            };
            match theory.kinds.get(atom.predicate.0 as usize) {
                // Who makes it is known where code is made for a role.
                Some(PredicateKind::Does(_)) => shares(1),
                Some(PredicateKind::Derived { .. } | PredicateKind::DerivedFunction) => {
                    shares(0) && asks_for_params(theory, atom.predicate, seen)
                }
                _ => false,
            }
        })
    })
}

/// Does a theory ask whether the state after a move was there before?
pub(super) fn asks_past_elsewhere(theory: &Theory) -> bool {
    let edges = edges(&theory.base);
    let elsewhere = edges.iter().filter(|edge| edge.asking == Asking::Elsewhere);
    let mut open: Vec<PredicateId> = elsewhere.map(|edge| edge.to).collect();
    let mut seen: BTreeSet<PredicateId> = open.iter().copied().collect();
    while let Some(next) = open.pop() {
        if matches!(theory.kinds.get(next.0 as usize), Some(PredicateKind::Repeated(_))) {
            return true;
        }
        let asked = edges.iter().filter(|edge| edge.from == next).map(|edge| edge.to);
        open.extend(asked.filter(|to| seen.insert(*to)));
    }
    false
}

/// Does a program ask about the states after moves?
pub(super) fn asks_elsewhere(specialized: &Specialized) -> bool {
    let clauses = specialized.procedures.iter().flat_map(|one| &one.clauses);
    let mut conditions = clauses.flat_map(|one| &one.clause.body);
    conditions.any(is_elsewhere)
}

/// Does a condition, or a part of it, ask about the states after moves?
pub(super) fn is_elsewhere(condition: &Condition) -> bool {
    fn in_expr(expr: &Expr) -> bool {
        match expr {
            Expr::Term(_) => false,
            Expr::Binary(_, left, right) => in_expr(left) || in_expr(right),
            Expr::Count { body, .. } => body.iter().any(is_elsewhere),
        }
    }
    match condition {
        Condition::Elsewhere { .. } => true,
        Condition::None { body, .. } => body.iter().any(is_elsewhere),
        Condition::AnyOf(branches) => branches.iter().flatten().any(is_elsewhere),
        Condition::Compare(_, left, right) => in_expr(left) || in_expr(right),
        Condition::Holds(_) | Condition::Member(..) | Condition::Construct { .. } => false,
    }
}

/// The most parameters that a move has.
pub(crate) fn most_params(theory: &Theory) -> usize {
    theory.moves.iter().map(|kind| kind.n_params).max().unwrap_or(0)
}
