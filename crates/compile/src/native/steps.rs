//! Steps: what one step of a turn changes, and whether the turn goes on.
//!
//! In: the rows of effects, of `continue`, of `prefer` and of events. Out: statements and kernels that make
//! steps. Invariant: transient fluents are reset, then every effect reads the state before the step; the
//! turn's end is judged in the state after it, and only then deferred effects are made.

use rulesmith_kernel::{Kernel, Operation, Scalar, Statement, Word};
use rulesmith_logic::edges;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::build::{Builder, Question, number, to_word};
use super::by_rows::How;
use super::carried::Known;
use super::cycles::is_for_ends;
use super::decided::Decided;
use super::effects::{Assignment, Effects, Reset};
use super::emit::{Certainty, Emitter};
use super::ground::{Row, Test, Tested};
use super::judged::{Judged, Sum};
use super::loops;
use super::optimizations::Optimization;
use super::params::Params;
use super::plan::most_params;
use super::preferences::Preference;
use super::splits::Settled;
use crate::state_layout::Counted;

/// Who does what in the code that is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Doing {
    /// One role makes a move of a kind, while others may wait.
    One(usize, usize),
    /// Roles move at once.
    Joint,
}

impl Doing {
    /// May the row hold when this is done?
    pub(super) fn allows(self, row: &Row) -> bool {
        let Self::One(role, kind) = self else { return true };
        let is_made = |test: &Test| match test.tested {
            Tested::Kind => test.holds == (test.key == number(kind)),
            Tested::Doer => test.holds == (test.key == number(role)),
            _ => true,
        };
        row.tests.iter().all(is_made)
    }
}

/// Values of some columns.
type Tuples = FxHashSet<Vec<u32>>;

impl<'b> Builder<'b> {
    /// What the kernels cannot judge: repetition in the middle of turns, and turns of several steps of roles
    /// that move at once. What asks about the move and is computed apart from it is left to loops.
    pub(super) fn check_questions(&mut self) -> Result<(), Obstacle> {
        let is_of_move = |test: &Test| matches!(test.tested, Tested::Param(_) | Tested::Joins(_));
        let asks = |row: &Row| row.tests.iter().any(is_of_move);
        for judged in &mut self.closed {
            judged.take_if(|judged| judged_rows(judged).into_iter().any(asks));
        }
        for rows in &mut self.derived {
            rows.take_if(|rows| rows.iter().any(asks));
        }
        let edges = edges(&self.theory.base);
        let derived = self.derived.iter().zip(self.places.derived);
        let inner =
            derived.filter(|(_, layout)| !is_for_ends(self.theory, layout.predicate, &edges));
        let inner = inner.flat_map(|(rows, _)| rows.iter().flatten());
        let closed = self.closed.iter().flatten().flat_map(judged_rows);
        let inner: Vec<&Row> = inner.chain(closed).collect();
        let is_repetition = |test: &Test| match test.tested {
            Tested::Counter(number) => {
                matches!(self.places.layout.counters[number].counted, Counted::Repeated(_))
            }
            _ => false,
        };
        let effects = self.assignments.iter().chain(&self.deferred);
        let rows = effects.flat_map(|one| &one.rows).map(|(row, ..)| row);
        let legal = self.legal.iter().flatten().flatten().flatten();
        let rows = rows.chain(legal).chain(self.continues.rows.iter().flatten());
        let rows = rows.chain(self.preferences.iter().flat_map(Preference::rows));
        let events = self.events.iter().flat_map(|(_, event)| event.rows.iter().flatten());
        let mut rows = rows.chain(events).chain(inner);
        if rows.any(|row| row.tests.iter().any(is_repetition)) {
            return Err(Obstacle::new("repetition asked about in the middle of a turn"));
        }
        if self.is_joint && self.continues.may_hold {
            return Err(Obstacle::new("turns of several steps of roles that move at once"));
        }
        if (self.is_joint || self.waiting.is_some()) && !self.preferences.is_empty() {
            return Err(Obstacle::new("preferences among turns to which several roles add"));
        }
        Ok(())
    }

    /// Leaves out rows about moves that are never legal, whatever the state is.
    pub(super) fn keep_possible(&self, rows: &mut Vec<Row>) {
        if self.is_joint || !self.optimizations.has(Optimization::ImpossibleMoves) {
            return;
        }
        // Which columns of a move are asked about, and their values in legal moves.
        let mut known: FxHashMap<(u32, Vec<usize>), Option<Tuples>> = FxHashMap::default();
        rows.retain(|row| {
            let key = |tested: Tested| {
                let test = row.tests.iter().find(|test| test.tested == tested && test.holds);
                test.map(|test| test.key)
            };
            let Some(kind) = key(Tested::Kind) else { return true };
            let most = most_params(self.theory);
            let columns = std::iter::once(Tested::Doer).chain((0..most).map(Tested::Param));
            let asked: Vec<(usize, u32)> = columns
                .enumerate()
                .filter_map(|(column, tested)| Some((column, key(tested)?)))
                .collect();
            let numbers: Vec<usize> = asked.iter().map(|(column, _)| *column).collect();
            let values: Vec<u32> = asked.iter().map(|(_, value)| *value).collect();
            let legal = known.entry((kind, numbers)).or_insert_with_key(|(kind, numbers)| {
                let rows = self.nearly_rows(*kind as usize)?;
                let heads = rows.iter().flatten().map(|row| &row.head);
                Some(heads.map(|head| numbers.iter().map(|one| head[*one]).collect()).collect())
            });
            legal.as_ref().is_none_or(|legal| legal.contains(&values))
        });
    }

    /// The kernel of one role's steps of one kind.
    pub(super) fn step_kernel(&mut self, role: usize, kind: usize) -> Result<Kernel, Obstacle> {
        let sizes = if kind == self.no_move() { Vec::new() } else { self.param_sizes(kind)? };
        let n_params = u16::try_from(sizes.len()).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.places, n_params);
        let params = Params { scalars: (0..n_params).map(Scalar).collect(), sizes, drawn: None };
        let doing = Doing::One(role, kind);
        self.emit_effects(&mut emitter, doing, &params)?;
        let merit = self.merit(&mut emitter, doing, &params)?;
        let double = |merit| compute(Operation::Multiply, Word::Scalar(merit), Word::Constant(2));
        let merit = merit.map_or(Word::Constant(0), double);
        match self.goes_on(&mut emitter, doing, &params)? {
            Certainty::Never => {}
            certainty => {
                // The merit is that of a whole turn: while it goes on nobody asks.
                let result = vec![Statement::Return(Word::Constant(1))];
                emitter.push(Statement::If(to_word(certainty), result, Vec::new()));
            }
        }
        let merit = emitter.let_word(merit);
        self.emit_deferred(&mut emitter, doing, &params)?;
        emitter.push(Statement::Return(Word::Scalar(merit)));
        Ok(emitter.into_kernel(format!("step of {role} doing {kind}"), n_params))
    }

    /// The kernel of a step that all roles make at once.
    pub(super) fn joint_kernel(&mut self) -> Result<Kernel, Obstacle> {
        let (n_roles, most) = (self.theory.roles.len(), most_params(self.theory));
        let n_params = u16::try_from(n_roles * (1 + most)).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.places, n_params);
        let scalars: Vec<Scalar> = (0..n_params).map(Scalar).collect();
        self.emit_joint(&mut emitter, &scalars)?;
        Ok(emitter.into_kernel("joint step".to_owned(), n_params))
    }

    /// Makes the step that these scalars tell: for each role one more than the kind, and its parameters.
    pub(super) fn emit_joint(
        &mut self,
        emitter: &mut Emitter<'b>,
        scalars: &[Scalar],
    ) -> Result<(), Obstacle> {
        let most = most_params(self.theory);
        let mut sizes = vec![1; most];
        for kind in 0..self.theory.moves.len() {
            for (size, own) in sizes.iter_mut().zip(self.param_sizes(kind)?) {
                *size = own.max(*size);
            }
        }
        let (mut params, mut joining) = (Params::default(), Vec::new());
        for of_role in scalars.chunks(1 + most) {
            joining.push(of_role[0]);
            params.scalars.extend_from_slice(&of_role[1..]);
            params.sizes.extend_from_slice(&sizes);
        }
        emitter.joining = joining;
        self.emit_effects(emitter, Doing::Joint, &params)?;
        self.emit_deferred(emitter, Doing::Joint, &params)?;
        emitter.joining.clear();
        Ok(())
    }

    /// What a step changes at once, counters of the past included.
    pub(super) fn emit_effects(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
    ) -> Result<(), Obstacle> {
        let mut counts = Vec::new();
        for (number, event) in self.events.clone() {
            let has_happened = self.ask_made(emitter, doing, params, &event)?;
            let offset = self.places.layout.counter(number);
            let next = compute(Operation::Add, Word::State(offset), Word::Constant(1));
            let count = emitter.scalar();
            let (zero, next) =
                (Statement::Let(count, Word::Constant(0)), Statement::Let(count, next));
            match has_happened {
                Certainty::Always => emitter.push(zero),
                Certainty::Never => emitter.push(next),
                Certainty::If(word) => emitter.push(Statement::If(word, vec![zero], vec![next])),
            }
            counts.push(Statement::Store(offset, Word::Scalar(count)));
        }
        self.emit_assignments(emitter, (doing, params), false)?;
        emitter.push_all(counts);
        emitter.forget();
        Ok(())
    }

    /// What the end of a turn changes.
    pub(super) fn emit_deferred(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
    ) -> Result<(), Obstacle> {
        self.emit_assignments(emitter, (doing, params), true)?;
        if let (Some(word), Doing::One(role, _)) = (self.places.layout.mover(), doing) {
            emitter.push(Statement::Store(word, Word::Constant(1 + u64::from(number(role)))));
        }
        Ok(())
    }

    /// Assignments, by rows where there are some. Where rows do not do, values are carried or all are loops.
    fn emit_assignments(
        &mut self,
        emitter: &mut Emitter<'b>,
        made: (Doing, &Params),
        is_deferred: bool,
    ) -> Result<(), Obstacle> {
        let place = usize::from(is_deferred);
        let asked = (made.0, is_deferred, self.narrow.is_some());
        let by_itself = How { is_deferred, carried: vec![], looped: self.looped[place].clone() };
        let mut how = self.hows.get(&asked).cloned().unwrap_or(by_itself);
        loop {
            let by_rows = emitter.attempt(|emitter| self.emit_changes(emitter, made, &how));
            if by_rows.is_ok() {
                self.hows.insert(asked, how);
                return by_rows;
            }
            // Rows that do not do are tried as values that are carried, and else as loops.
            match self.failing.take() {
                Some(fluent) if !is_deferred && !how.carried.contains(&fluent) => {
                    how.carried.push(fluent);
                }
                Some(fluent) if !how.looped.contains(&fluent) => how.looped.push(fluent),
                _ => break,
            }
        }
        how.looped = self.theory.fluent_ids().collect();
        self.hows.insert(asked, how.clone());
        self.emit_changes(emitter, made, &how)
    }

    /// Assignments, those of some fluents by loops. All are judged before any is carried out.
    fn emit_changes(
        &mut self,
        emitter: &mut Emitter<'b>,
        (doing, params): (Doing, &Params),
        how: &How,
    ) -> Result<(), Obstacle> {
        let How { is_deferred, looped, .. } = how;
        let is_deferred = *is_deferred;
        let resets = if is_deferred { Vec::new() } else { self.resets() };
        let (by_loops, by_rows): (Vec<Reset>, Vec<Reset>) =
            resets.into_iter().partition(|reset| looped.contains(&reset.fluent));
        self.start_doing(emitter, doing, params);
        let mut pending = Vec::new();
        for fluent in looped {
            let judged = self.judge_assignment(emitter, *fluent, is_deferred)?;
            pending.extend(judged);
        }
        for one in &pending {
            self.stop_at_conflict(emitter, one);
        }
        let changes = self.changes_by_rows(doing, how);
        let settled = self.settled.filter(|_| !is_deferred);
        let is_open = |one: &&Assignment| settled.is_none_or(|other| one.fluent != other.fluent);
        let assignments = changes.0.iter().flat_map(|one| &one.assignments).filter(is_open);
        let assignments: Vec<&Assignment> = assignments.collect();
        let known: Vec<Known> = changes.0.iter().filter_map(|one| one.known.clone()).collect();
        self.emit_rows(emitter, params, (&assignments, &known), &by_rows)?;
        if let Some(Settled { fluent, word }) = settled {
            let offset = self.places.layout.fluent(fluent).offset;
            emitter.push(Statement::Store(offset, Word::Constant(u64::from(word))));
        }
        for reset in by_loops {
            self.reset(emitter, reset);
        }
        for one in &pending {
            self.carry_out(emitter, one);
        }
        emitter.forget();
        Ok(())
    }

    /// The moves that are made, as loops see them.
    fn made(&self, emitter: &mut Emitter<'b>, doing: Doing, params: &Params) -> Vec<loops::Doing> {
        match doing {
            Doing::One(mover, kind) => {
                let (mut made, params) = (Vec::new(), params.scalars.clone());
                if kind != self.no_move() {
                    made.push(loops::Doing { role: mover, kind: loops::Kind::Known(kind), params });
                }
                let waits = self.waiting.iter().flat_map(|waiting| &waiting.waits[mover]);
                for (role, wait) in waits.enumerate() {
                    let Some(wait) = wait else { continue };
                    let constants = wait.params.iter().map(|one| Word::Constant(u64::from(*one)));
                    let params = constants.map(|word| emitter.let_word(word)).collect();
                    made.push(loops::Doing { role, kind: loops::Kind::Known(wait.kind), params });
                }
                made
            }
            Doing::Joint => {
                let most = most_params(self.theory);
                let joining = emitter.joining.iter().enumerate();
                let one = joining.map(|(role, told)| loops::Doing {
                    role,
                    kind: loops::Kind::Told(*told),
                    params: params.scalars[role * most..(role + 1) * most].to_vec(),
                });
                one.collect()
            }
        }
    }

    fn emit_rows(
        &mut self,
        emitter: &mut Emitter<'b>,
        params: &Params,
        (assignments, known): (&[&Assignment], &[Known]),
        resets: &[Reset],
    ) -> Result<(), Obstacle> {
        let rows = assignments.iter().flat_map(|one| &one.rows).map(|(row, ..)| row);
        self.prepare(emitter, rows)?;
        let (tables, failing) = (&mut self.tables, &mut self.failing);
        Effects { emitter, params, tables, known, failing }.emit(assignments, resets)?;
        self.stop_doing(emitter);
        Ok(())
    }

    pub(super) fn start_doing(&mut self, emitter: &mut Emitter<'b>, doing: Doing, params: &Params) {
        self.making = self.made(emitter, doing, params);
        emitter.doing = match doing {
            Doing::One(role, kind) => Some((number(kind), number(role))),
            Doing::Joint => None,
        };
    }

    pub(super) fn stop_doing(&mut self, emitter: &mut Emitter<'b>) {
        self.making.clear();
        emitter.doing = None;
    }

    /// Does a question hold, given what is being done?
    fn ask_made(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
        question: &Question,
    ) -> Result<Certainty, Obstacle> {
        if let Some(rows) = &question.rows
            && let Ok(certainty) =
                emitter.attempt(|emitter| self.judge_made(emitter, doing, params, rows))
        {
            return Ok(certainty);
        }
        self.start_doing(emitter, doing, params);
        let word = self.tree_flag(emitter, question.predicate);
        self.stop_doing(emitter);
        Ok(Certainty::If(word?))
    }

    /// Does one of the rows hold, given what is being done?
    pub(super) fn judge_made(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
        rows: &[Row],
    ) -> Result<Certainty, Obstacle> {
        let (mut rows, mut decided) = (rows.to_vec(), Decided::new(doing));
        rows.retain_mut(|row| self.decide_row(&mut decided, row));
        self.narrow_rows(&mut rows);
        self.start_doing(emitter, doing, params);
        let certainty = self.prepare(emitter, &rows).and_then(|()| {
            Effects::asking(emitter, params, &mut self.tables, &mut None).holds(&rows)
        });
        self.stop_doing(emitter);
        certainty
    }

    /// Does the turn go on after this step, which has been made?
    pub(super) fn goes_on(
        &mut self,
        emitter: &mut Emitter<'b>,
        doing: Doing,
        params: &Params,
    ) -> Result<Certainty, Obstacle> {
        let continues = self.continues.clone();
        if !continues.may_hold {
            return Ok(Certainty::Never);
        }
        self.ask_made(emitter, doing, params, &continues)
    }

    /// Transient fluents, with their defaults.
    pub(super) fn resets(&self) -> Vec<Reset> {
        self.setting.resets()
    }
}

/// The rows of a closed question, those of its counts included.
fn judged_rows(judged: &Judged) -> Vec<&Row> {
    match judged {
        Judged::Body(rows) => rows.iter().collect(),
        Judged::Comparison(_, parts) => parts.iter().flat_map(Sum::rows).collect(),
    }
}

pub(super) fn compute(operation: Operation, left: Word, right: Word) -> Word {
    Word::Compute(operation, Box::new(left), Box::new(right))
}
