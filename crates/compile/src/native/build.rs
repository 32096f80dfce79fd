//! Building the kernels of a game.
//!
//! In: a specialised game. Out: a module with kernels for ends, goals, moves, effects and whole random
//! contests, and what their numbers mean. Invariant: each kernel does what the reference engine does, or
//! the game has an obstacle.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rulesmith_kernel::{
    Comparison, Kernel, KernelId, Module, Operation, Scalar, Set, Statement, Word,
};
use rulesmith_logic::{Condition, DomainId, PredicateId, Term, Value};
use rulesmith_rules::{FluentId, MoveId, PredicateKind, Theory};
use rulesmith_specialize::{Knowledge, Specialized, shared_predicates};

use super::Obstacle;
use super::classes::Reading;
use super::coding::StepCoding;
use super::derived::derived_layouts;
use super::effects::{Assignment, Effects};
use super::emit::{Certainty, Emitter, Places, Tables};
use super::ground::{Closed, Grounded, Grounding, Row, Test, Tested, has_count};
use super::judged::{Judged, judged};
use super::loops::{Doing, Kind, Scratch, Setting, Stored};
use super::moves::{Leaf, emit_leaves, reading};
use super::params::Params;
use crate::interpreter::game_requests;
use crate::state_layout::StateLayout;

/// A game as kernels.
#[derive(Debug)]
pub struct KernelGame {
    /// The kernels that answer single questions and make single moves.
    pub module: Module,
    /// The kernel that plays whole random contests, if there is one.
    pub contests: Option<Module>,
    pub(crate) plan: Plan,
}

/// Which kernel does what, and what its numbers mean.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) layout: StateLayout,
    pub(crate) steps: StepCoding,
    /// Words of a row that a kernel of moves hands over.
    pub(crate) row_words: usize,
    /// By place in its sort, the goal value that is meant.
    pub(crate) goal_values: Vec<Option<u8>>,
    /// Is the contest over?
    pub(crate) terminal: KernelId,
    /// For each role one more than the place of its goal value, or zero.
    pub(crate) goals: Vec<KernelId>,
    /// For each role its moves: the kind and the place of each parameter.
    pub(crate) moves: Vec<KernelId>,
    /// For each role and kind of move what it changes.
    pub(crate) effects: Vec<Vec<KernelId>>,
    /// In the module of contests: plays one.
    pub(crate) contest: KernelId,
}

/// The rows of each clause of each kind of move; nothing for a kind that has no rows but loops.
pub(super) type Kinds = Vec<Option<Vec<Vec<Row>>>>;

/// What is needed to build.
pub(super) struct Builder<'b> {
    pub(super) theory: &'b Theory,
    pub(super) places: Places<'b>,
    pub(super) tables: Tables,
    pub(super) specialized: &'b Specialized,
    pub(super) optimizations: Optimizations,
    pub(super) setting: Setting<'b>,
    pub(super) scratch: Scratch,
    /// Closed questions; nothing for those that have no rows.
    pub(super) closed: Vec<Option<Judged>>,
    /// The rows of each derived predicate, if it has some.
    pub(super) derived: Vec<Option<Vec<Row>>>,
    /// Slices that are being computed.
    pub(super) under_way: Vec<(usize, u32)>,
    /// Derived predicates that are being stored.
    pub(super) storing: Vec<usize>,
    pub(super) terminal: Option<Vec<Row>>,
    legal: Kinds,
    goal: Option<Vec<Row>>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) deferred: Vec<Assignment>,
    /// Fluents whose assignments are loops: by a step, and at the end of a turn.
    pub(super) looped: [Vec<FluentId>; 2],
}

/// Ways to make kernels faster, each of which can be left out to see what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimizations {
    /// Clauses are grounded, and rows that are alike but for their place become operations on whole planes.
    /// Otherwise they are loops. It applies where a clause has few enough rows of few enough shapes.
    pub whole_planes: bool,
    /// After a move, only those ends are looked for that the move can have brought about. It applies where
    /// the ends have rows.
    pub touched_ends: bool,
}

impl Default for Optimizations {
    fn default() -> Self {
        Self { whole_planes: true, touched_ends: true }
    }
}

/// Builds the kernels of a game.
pub fn build_kernels(
    knowledge: &Knowledge<'_>,
    specialized: &Specialized,
    optimizations: Optimizations,
) -> Result<KernelGame, Obstacle> {
    let theory = knowledge.theory;
    refuse(theory, specialized)?;
    let layout = StateLayout::new(theory).map_err(Obstacle::new)?;
    let n_requests = game_requests(theory).len();
    let derived = derived_layouts(&theory.base, specialized, n_requests)?;
    let places = Places { layout: &layout, derived: &derived };
    let mut builder = Builder::ground(knowledge, specialized, places, optimizations)?;
    let (roles, kinds) = (0..theory.roles.len(), 0..theory.moves.len());
    let sizes: Vec<Vec<u32>> =
        kinds.clone().map(|kind| builder.param_sizes(kind)).collect::<Result<_, _>>()?;
    let mut kernels = Kernels::default();
    let terminal = kernels.add(builder.terminal_kernel()?);
    let mut goals = Vec::new();
    for role in roles.clone() {
        goals.push(kernels.add(builder.goal_kernel(role)?));
    }
    let mut moves = Vec::new();
    for role in roles.clone() {
        moves.push(kernels.add(builder.moves_kernel(role)?));
    }
    let mut effects = Vec::new();
    for role in roles {
        let mut of_role = Vec::new();
        for kind in kinds.clone() {
            of_role.push(kernels.add(builder.apply_kernel(role, kind)?));
        }
        effects.push(of_role);
    }
    let contest = builder.playout_kernel();
    let state_words = builder.scratch.next.max(1);
    let tables = builder.tables.tables;
    let contests = contest.ok().map(|kernel| Module {
        state_words,
        tables: tables.clone(),
        kernels: vec![kernel],
    });
    let plan = Plan {
        steps: StepCoding::new(&sizes)?,
        row_words: row_words(theory),
        goal_values: goal_values(theory),
        terminal,
        goals,
        moves,
        effects,
        contest: KernelId(0),
        layout,
    };
    let module = Module { state_words, tables, kernels: kernels.0 };
    Ok(KernelGame { module, contests, plan })
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

/// Words of a row that tells a move.
fn row_words(theory: &Theory) -> usize {
    1 + theory.moves.iter().map(|kind| kind.n_params).max().unwrap_or(0)
}

/// What goals mean by their places. Without a sort they stand for themselves.
fn goal_values(theory: &Theory) -> Vec<Option<u8>> {
    let domain = theory.base.predicate(theory.goal).domains.get(1).copied().flatten();
    let value = |value: &Value| {
        let number = rulesmith_rules::value_text(&theory.symbols, *value).parse().ok();
        number.filter(|number| *number <= 100)
    };
    match domain {
        Some(domain) => theory.base.domain(domain).values.iter().map(value).collect(),
        None => (0..=100).map(Some).collect(),
    }
}

/// The predicates that a program for kernels calls rather than unfolds: those that several questions share.
/// Legal moves are unfolded where rules ask about them, since they have no planes of their own, and so are
/// numbers that are counted.
pub fn kept_for_kernels(theory: &Theory) -> BTreeSet<PredicateId> {
    let mut keep = shared_predicates(theory, &game_requests(theory));
    let counts = |condition: &Condition| match condition {
        Condition::Compare(_, left, right) => has_count(left) || has_count(right),
        _ => false,
    };
    keep.retain(|predicate| {
        let mut clauses = theory.base.clauses[predicate.0 as usize].iter();
        !matches!(theory.kind(*predicate), PredicateKind::Legal(_))
            && !clauses.any(|clause| clause.body.iter().any(counts))
    });
    keep
}

/// What kernels cannot do yet.
fn refuse(theory: &Theory, specialized: &Specialized) -> Result<(), Obstacle> {
    let has_clauses = |predicate: PredicateId| {
        specialized.procedures.iter().any(|one| one.source == predicate && !one.clauses.is_empty())
    };
    if has_clauses(theory.continues) {
        return Err(Obstacle::new("turns of several steps"));
    }
    if has_clauses(theory.draw) {
        return Err(Obstacle::new("drawing rules"));
    }
    if !theory.preferences.is_empty() {
        return Err(Obstacle::new("preferences among turns"));
    }
    if theory.fluents.iter().any(|fluent| fluent.is_transient) {
        return Err(Obstacle::new("transient fluents"));
    }
    Ok(())
}

pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl<'b> Builder<'b> {
    fn ground(
        knowledge: &'b Knowledge<'b>,
        specialized: &'b Specialized,
        places: Places<'b>,
        optimizations: Optimizations,
    ) -> Result<Self, Obstacle> {
        let theory = knowledge.theory;
        let bodies = RefCell::default();
        let Places { layout, derived } = places;
        let grounding = Grounding { theory, knowledge, layout, derived, closed: &bodies };
        let rows_of = |predicate: PredicateId| -> Option<Vec<Vec<Row>>> {
            let rows = || clause_rows(&grounding, specialized, predicate).ok();
            optimizations.whole_planes.then(rows).flatten()
        };
        let mut setting = Setting::new(knowledge, specialized, layout);
        let mut scratch = Scratch { next: layout.n_words.max(1) };
        for layout in derived {
            let stored = Stored::of_derived(layout, scratch.next)?;
            scratch.take(stored.n_words());
            setting.derived.push((layout.predicate, stored));
        }
        let mut builder = Self {
            theory,
            places,
            tables: Tables::default(),
            specialized,
            optimizations,
            setting,
            scratch,
            storing: Vec::new(),
            derived: Vec::new(),
            closed: Vec::new(),
            under_way: Vec::new(),
            terminal: rows_of(theory.terminal).map(|rows| rows.concat()),
            legal: Vec::new(),
            goal: rows_of(theory.goal).map(|rows| rows.concat()),
            assignments: Vec::new(),
            deferred: Vec::new(),
            looped: Default::default(),
        };
        for kind in &theory.moves {
            builder.legal.push(rows_of(kind.legal));
        }
        for id in theory.fluent_ids() {
            let fluent = theory.fluent(id);
            match rows_of(fluent.assign) {
                Some(rows) => {
                    let assigned = builder.assigned(id, fluent.assign, rows);
                    builder.assignments.extend(assigned);
                }
                None => builder.looped[0].push(id),
            }
            match rows_of(fluent.deferred) {
                Some(rows) => {
                    let assigned = builder.assigned(id, fluent.deferred, rows);
                    builder.deferred.extend(assigned);
                }
                None => builder.looped[1].push(id),
            }
        }
        for layout in derived {
            builder.derived.push(rows_of(layout.predicate).map(|rows| rows.concat()));
        }
        // Bodies may close over others, which are met while they are grounded.
        let mut place = 0;
        loop {
            let next: Option<Closed> = bodies.borrow().get(place).cloned();
            let Some(next) = next else { break };
            place += 1;
            builder.closed.push(judged(&grounding, &next).ok());
        }
        Ok(builder)
    }

    /// The rows of a fluent's effect clauses as keys and values.
    fn assigned(
        &self,
        id: FluentId,
        predicate: PredicateId,
        clauses: Vec<Vec<Row>>,
    ) -> Vec<Assignment> {
        let (base, fluent) = (&self.theory.base, self.places.layout.fluent(id));
        let n_keys = self.theory.fluent(id).n_keys;
        let value_domain = base.predicate(predicate).domains.last().copied().flatten();
        let value_of = |place: u32| {
            let domain = base.domain(value_domain?);
            domain.values.get_index(place as usize).copied()
        };
        let to_value = |place: u32| -> Option<u32> {
            let value = value_of(place)?;
            if let Some(domain) = fluent.values {
                return crate::state_layout::place(base, domain, value);
            }
            match (fluent.is_scalar(), self.is_true(value)) {
                (true, is_true) => Some(u32::from(is_true)),
                (false, true) => Some(0),
                (false, false) => None,
            }
        };
        let assignment = |rows: Vec<Row>| {
            let rows = rows.into_iter().map(|row| {
                let key = fluent.keys.number(&row.head[..n_keys]);
                let value = to_value(row.head[n_keys]);
                (row, key, value)
            });
            Assignment { fluent: id, rows: rows.collect() }
        };
        clauses.into_iter().map(assignment).collect()
    }

    fn is_true(&self, value: Value) -> bool {
        rulesmith_rules::value_text(&self.theory.symbols, value) == "true"
    }

    fn terminal_kernel(&mut self) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let word = self.terminal_word(&mut emitter)?;
        emitter.push(Statement::Return(word));
        Ok(emitter.into_kernel("terminal".to_owned(), 0))
    }

    pub(super) fn terminal_word(&mut self, emitter: &mut Emitter<'b>) -> Result<Word, Obstacle> {
        if let Some(rows) = self.terminal.clone()
            && let Ok(certainty) = emitter.attempt(|emitter| self.judge(emitter, &rows))
        {
            return Ok(to_word(certainty));
        }
        self.tree_flag(emitter, self.theory.terminal, &[])
    }

    /// Does one of the rows hold? Closed bodies are judged first.
    pub(super) fn judge(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: &[Row],
    ) -> Result<Certainty, Obstacle> {
        self.prepare(emitter, rows)?;
        let params = Params { scalars: Vec::new(), sizes: Vec::new() };
        Effects { emitter, params: &params, tables: &mut self.tables }.holds(rows)
    }

    fn goal_kernel(&mut self, role: usize) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        if emitter.attempt(|emitter| self.goal_by_rows(emitter, role)).is_err() {
            let word = self.tree_goal(&mut emitter, role)?;
            emitter.push(Statement::Return(word));
        }
        Ok(emitter.into_kernel(format!("goal of {role}"), 0))
    }

    fn goal_by_rows(&mut self, emitter: &mut Emitter<'b>, role: usize) -> Result<(), Obstacle> {
        let Some(goal) = &self.goal else { return Err(Obstacle::new("goals without rows")) };
        let of_role = |row: &&Row| row.head[0] == number(role);
        let rows: Vec<Row> = goal.iter().filter(of_role).cloned().collect();
        let values: BTreeSet<u32> = rows.iter().map(|row| row.head[1]).collect();
        for value in values {
            let of_value = |row: &&Row| row.head[1] == value;
            let rows: Vec<Row> = rows.iter().filter(of_value).cloned().collect();
            let word = to_word(self.judge(emitter, &rows)?);
            let result = Statement::Return(Word::Constant(u64::from(value) + 1));
            emitter.push(Statement::If(word, vec![result], Vec::new()));
        }
        Ok(())
    }

    /// The rows of a role's legal moves, and the tests of words that all of them share.
    pub(super) fn legal_rows(&self, role: usize) -> (Vec<Test>, Kinds) {
        let of_role = |row: &&Row| row.head[0] == number(role);
        let mut kinds: Kinds = Vec::new();
        for clauses in &self.legal {
            let clauses = clauses.as_ref().map(|clauses| {
                let clauses = clauses.iter().map(|rows| {
                    let rows = rows.iter().filter(of_role);
                    rows.map(|row| Row { head: row.head[1..].to_vec(), ..row.clone() }).collect()
                });
                clauses.collect()
            });
            kinds.push(clauses);
        }
        let all: Vec<&Row> = kinds.iter().flatten().flatten().flatten().collect();
        let looped = kinds.iter().enumerate().filter(|(_, rows)| rows.is_none());
        let looped: Vec<Vec<Test>> = looped.map(|(kind, _)| self.tree_guard(role, kind)).collect();
        let places = self.places;
        let is_common = |test: &&Test| {
            reading(places, &[], test) == Reading::Word
                && !matches!(test.tested, Tested::Closed(_) | Tested::Derived(..))
                && all.iter().all(|row| row.tests.contains(test))
                && looped.iter().all(|tests| tests.contains(test))
        };
        let first = all.first().map(|row| &row.tests).or_else(|| looped.first());
        let common: Vec<Test> = first
            .map(|tests| tests.iter().filter(is_common).copied().collect())
            .unwrap_or_default();
        for row in kinds.iter_mut().flatten().flatten().flatten() {
            row.tests.retain(|test| !common.contains(test));
        }
        (common, kinds)
    }

    pub(super) fn emit_moves(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kinds): (usize, &Kinds),
    ) -> Result<Vec<Leaf>, Obstacle> {
        let mut leaves = Vec::new();
        for (kind, clauses) in kinds.iter().enumerate() {
            let by_rows = emitter.attempt(|emitter| self.row_leaves(emitter, kind, clauses));
            match by_rows {
                Ok(found) => leaves.extend(found),
                Err(_) => leaves.extend(self.tree_leaf(emitter, (role, kind))?),
            }
        }
        Ok(leaves)
    }

    fn row_leaves(
        &mut self,
        emitter: &mut Emitter<'b>,
        kind: usize,
        clauses: &Option<Vec<Vec<Row>>>,
    ) -> Result<Vec<Leaf>, Obstacle> {
        let clauses = clauses.as_ref().ok_or_else(|| Obstacle::new("moves without rows"))?;
        self.prepare(emitter, &clauses.concat())?;
        emit_leaves(emitter, self.places, (kind, &self.param_sizes(kind)?), clauses)
    }

    pub(super) fn param_sizes(&self, kind: usize) -> Result<Vec<u32>, Obstacle> {
        let base = &self.theory.base;
        let domains = &base.predicate(self.theory.move_kind(MoveId(kind)).does).domains;
        let size = |domain: &Option<DomainId>| {
            let domain = domain.ok_or_else(|| Obstacle::new("a parameter without a sort"))?;
            Ok(number(base.domain(domain).values.len()))
        };
        domains.iter().skip(1).map(size).collect()
    }

    fn moves_kernel(&mut self, role: usize) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let (common, kinds) = self.legal_rows(role);
        let guard = emitter.words(&common)?;
        let n_params = self.theory.moves.iter().map(|kind| kind.n_params).max().unwrap_or(0);
        let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            for leaf in self.emit_moves(emitter, (role, &kinds))? {
                let root = emitter.scalar();
                let mut row = vec![Word::Constant(leaf.kind as u64)];
                row.extend(self.meanings(&leaf, root));
                row.resize(n_params + 1, Word::Constant(0));
                let emit = Statement::Emit(row);
                emitter.push(Statement::ForEach(root, leaf.set.clone(), vec![emit]));
            }
            Ok(())
        });
        done?;
        emitter.push(Statement::If(to_word(guard), statements, Vec::new()));
        Ok(emitter.into_kernel(format!("moves of {role}"), 0))
    }

    /// The parameters of the move that a number of a leaf means.
    pub(super) fn meanings(&mut self, leaf: &Leaf, root: Scalar) -> Vec<Word> {
        let n_params = leaf.meaning.moves.values().next().map_or(0, Vec::len);
        let column = |place: usize| -> Vec<(u32, u32)> {
            leaf.meaning.moves.iter().map(|(root, params)| (*root, params[place])).collect()
        };
        (0..n_params).map(|place| self.meaning(&column(place), leaf.meaning.width, root)).collect()
    }

    fn meaning(&mut self, column: &[(u32, u32)], width: u16, root: Scalar) -> Word {
        let first = column[0].1.wrapping_sub(column[0].0);
        if column.iter().all(|(root, value)| value.wrapping_sub(*root) == first) {
            #[expect(
                clippy::cast_possible_wrap,
                clippy::cast_sign_loss,
                reason = "sums wrap around"
            )]
            let shift = i64::from(first as i32) as u64;
            let root = Word::Scalar(root);
            let sum = |root| {
                Word::Compute(Operation::Add, Box::new(root), Box::new(Word::Constant(shift)))
            };
            return if shift == 0 { root } else { sum(root) };
        }
        let mut words = vec![0; usize::from(width) * 64];
        for (root, value) in column {
            words[*root as usize] = u64::from(*value);
        }
        let table = self.tables.add(rulesmith_kernel::Table { width: 1, words });
        Word::Look(table, Box::new(Word::Scalar(root)))
    }

    fn apply_kernel(&mut self, role: usize, kind: usize) -> Result<Kernel, Obstacle> {
        let sizes = self.param_sizes(kind)?;
        let n_params = u16::try_from(sizes.len()).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.places, n_params);
        let params = Params { scalars: (0..n_params).map(Scalar).collect(), sizes };
        self.emit_effects(&mut emitter, (role, kind), &params)?;
        Ok(emitter.into_kernel(format!("effects of {role} doing {kind}"), n_params))
    }

    pub(super) fn emit_effects(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
        params: &Params,
    ) -> Result<(), Obstacle> {
        let ids: Vec<FluentId> = self.theory.fluent_ids().collect();
        for is_deferred in [false, true] {
            let looped = self.looped[usize::from(is_deferred)].clone();
            let move_made = ((role, kind), is_deferred);
            let by_rows =
                emitter.attempt(|emitter| self.emit_changes(emitter, move_made, params, &looped));
            if by_rows.is_err() {
                self.emit_changes(emitter, move_made, params, &ids)?;
            }
        }
        Ok(())
    }

    /// The changes of a step, or of the end of a turn; those of some fluents by loops.
    fn emit_changes(
        &mut self,
        emitter: &mut Emitter<'b>,
        ((role, kind), is_deferred): ((usize, usize), bool),
        params: &Params,
        looped: &[FluentId],
    ) -> Result<(), Obstacle> {
        let doing = [Doing { role, kind: Kind::Known(kind), params: params.scalars.clone() }];
        let mut pending = Vec::new();
        for fluent in looped {
            pending.extend(self.judge_assignment(emitter, *fluent, (&doing, is_deferred))?);
        }
        emitter.doing = Some((number(kind), number(role)));
        {
            let all = if is_deferred { &self.deferred } else { &self.assignments };
            let made = |test: &Test| match test.tested {
                Tested::Kind => test.key == number(kind),
                Tested::Doer => test.key == number(role),
                _ => true,
            };
            let assignments: Vec<Assignment> = all
                .iter()
                .filter(|assignment| !looped.contains(&assignment.fluent))
                .map(|assignment| {
                    let rows = assignment.rows.iter();
                    let rows = rows.filter(|(row, ..)| row.tests.iter().all(made)).cloned();
                    Assignment { fluent: assignment.fluent, rows: rows.collect() }
                })
                .collect();
            let rows: Vec<Row> =
                assignments.iter().flat_map(|one| &one.rows).map(|(row, ..)| row.clone()).collect();
            self.prepare(emitter, &rows)?;
            let tables = &mut self.tables;
            Effects { emitter, params, tables }.emit(&assignments)?;
        }
        emitter.doing = None;
        for one in &pending {
            self.carry_out(emitter, one);
        }
        emitter.forget();
        Ok(())
    }
}

/// The rows of each clause of a predicate.
fn clause_rows(
    grounding: &Grounding<'_>,
    specialized: &Specialized,
    predicate: PredicateId,
) -> Result<Vec<Vec<Row>>, Obstacle> {
    let base = &grounding.theory.base;
    let Some(procedure) = specialized.procedures.iter().find(|one| one.source == predicate) else {
        return Ok(Vec::new());
    };
    let derived = grounding.derived.iter().find(|layout| layout.predicate == predicate);
    let columns = match derived {
        Some(layout) => &layout.columns,
        None => &base.predicate(predicate).domains,
    };
    let rows = procedure.clauses.iter().map(|one| {
        let head: &[Term] = &one.clause.head.args;
        grounding.rows(Grounded { head, columns, body: &one.clause.body })
    });
    rows.collect()
}

pub(super) fn to_word(certainty: Certainty) -> Word {
    match certainty {
        Certainty::Always => Word::Constant(1),
        Certainty::Never => Word::Constant(0),
        Certainty::If(word) => word,
    }
}

pub(super) fn compare(comparison: Comparison, left: Word, right: Word) -> Word {
    Word::Compare(comparison, Box::new(left), Box::new(right))
}
