//! Ends that are nothing but the lack of moves.
//!
//! In: the rows of `terminal`. Out: those that must be judged after a turn; rows that deny every legal move
//! are left out, since the next turn finds that there is none. Invariant: where a role's turn has begun, a
//! row that was left out holds only if that role has no legal move, and then the contest is over anyway.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Operation, RoutineId, Scalar, Statement, Word};
use rulesmith_logic::{Condition, Term, Value};
use rulesmith_rules::PredicateKind;
use rustc_hash::FxHashMap;

use super::Obstacle;
use super::build::{Builder, to_word};
use super::emit::Emitter;
use super::ground::{Closed, Row, Test, Tested};
use super::judged::Judged;
use super::optimizations::Optimization;

/// Rows are not taken apart into more than so many.
const ROWS_LIMIT: usize = 4096;

/// If there are more rows of `terminal`, none of them is looked for among the others.
const IMPLIED_LIMIT: usize = 512;

/// So many pairs of a row of `terminal` and a row of a word are compared for one test.
const COMPARED_LIMIT: usize = 1 << 21;

impl<'b> Builder<'b> {
    /// The rows of `terminal` that the lack of moves does not say; found once.
    pub(super) fn ends_beside_stuck(&self) -> Option<&Vec<Row>> {
        self.ends.get_or_init(|| self.find_ends()).as_ref()
    }

    fn find_ends(&self) -> Option<Vec<Row>> {
        let terminal = self.terminal.rows.as_ref()?;
        if !self.optimizations.has(Optimization::EndsByStuck) {
            return Some(terminal.clone());
        }
        let Some(rows) = self.taken_apart(terminal) else { return Some(terminal.clone()) };
        let turns = self.all_legal_rows();
        let layout = self.places.layout;
        let is_stuck = |row: &Row| {
            let mut at_turn = (0..turns.len()).filter(|role| {
                let (common, kinds) = &turns[*role];
                let may_move = kinds.iter().any(|kind| match kind {
                    Some(clauses) => clauses.iter().flatten().next().is_some(),
                    None => true,
                });
                let excludes = |one: &Test| row.tests.iter().any(|test| layout.excludes(one, test));
                may_move && !common.iter().any(excludes)
            });
            at_turn.all(|role| self.says_stuck(row, role))
        };
        let n_rows = rows.len();
        let others: Vec<Row> = rows.into_iter().filter(|row| !is_stuck(row)).collect();
        Some(if others.len() < n_rows { others } else { terminal.clone() })
    }

    /// Leaves out the rows of `terminal` that ask for a word which is true only where another row holds: who has won has
    /// won because the other one is stuck.
    pub(super) fn drop_implied_ends(&mut self) {
        let Some(mut kept) = self.terminal.rows.take() else { return };
        let is_on = self.optimizations.has(Optimization::EndsByStuck);
        let mut place = if is_on && kept.len() <= IMPLIED_LIMIT { 0 } else { kept.len() };
        while place < kept.len() {
            let row = kept.remove(place);
            let is_said = |test: &Test| self.says_one_of(test, &kept);
            if !row.tests.iter().any(is_said) {
                kept.insert(place, row);
                place += 1;
            }
        }
        self.terminal.rows = Some(kept);
    }

    /// Is the test one of a word that holds only where one of the rows does?
    fn says_one_of(&self, test: &Test, rows: &[Row]) -> bool {
        let Tested::Derived(number, slice) = test.tested else { return false };
        let layout = &self.places.derived[number];
        let Some(own) = &self.derived[number] else { return false };
        let is_said = |one: &Row| {
            rows.iter().any(|row| row.tests.iter().all(|test| one.tests.contains(test)))
        };
        test.holds
            && layout.is_word()
            && own.len() * rows.len() <= COMPARED_LIMIT
            && own.iter().filter(|one| layout.split(&one.head).0 == slice).all(is_said)
    }

    /// The rows of `terminal` with the rows of the words that they ask for in their place.
    pub(super) fn taken_apart(&self, terminal: &[Row]) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        let mut open = terminal.to_vec();
        // What another row says is not taken apart: who has won since the other one is stuck.
        let others = if terminal.len() <= IMPLIED_LIMIT { terminal } else { &[] };
        let is_said = |tests: &[Test]| {
            others.iter().any(|other| other.tests.iter().all(|test| tests.contains(test)))
        };
        while let Some(row) = open.pop() {
            if rows.len() + open.len() > ROWS_LIMIT {
                return None;
            }
            let is_word = |test: &&Test| match test.tested {
                Tested::Derived(number, _) => self.places.derived[number].is_word() && test.holds,
                _ => false,
            };
            let Some(asked) = row.tests.iter().find(is_word).copied() else {
                rows.push(row);
                continue;
            };
            let Tested::Derived(number, slice) = asked.tested else { return None };
            let layout = &self.places.derived[number];
            let own = self.derived[number].as_ref()?.iter();
            for other in own.filter(|other| layout.split(&other.head).0 == slice) {
                // A word that asks itself is not taken apart.
                if other.tests.contains(&asked) {
                    return None;
                }
                let rest = row.tests.iter().filter(|test| **test != asked);
                let mut tests: Vec<Test> = rest.chain(&other.tests).copied().collect();
                tests.sort_unstable();
                tests.dedup();
                if !is_said(&tests) {
                    open.push(Row { tests, ..row.clone() });
                }
            }
        }
        Some(rows)
    }

    /// Does the row deny every legal move of a role?
    fn says_stuck(&self, row: &Row, role: usize) -> bool {
        let mut denied: BTreeSet<&[Test]> = BTreeSet::new();
        for test in &row.tests {
            if let (Tested::Closed(number), false) = (test.tested, test.holds)
                && let Some(Judged::Body(rows)) = &self.closed[number]
            {
                denied.extend(rows.iter().map(|row| &row.tests[..]));
            }
        }
        let kinds = self.denied_kinds(row, role);
        let others = (0..self.legal.len()).filter(|kind| !kinds.contains(kind));
        let rows: Option<Vec<&Vec<Vec<Row>>>> =
            others.map(|kind| self.legal[kind].as_ref()).collect();
        let Some(rows) = rows else { return false };
        if denied.is_empty() && kinds.is_empty() {
            return false;
        }
        let layout = self.places.layout;
        let is_denied = |one: &Row| {
            let excludes = |test: &Test| row.tests.iter().any(|own| layout.excludes(own, test));
            one.tests.iter().any(excludes)
        };
        let own = |row: &&Row| row.head[0] as usize == role;
        let mut legal = rows.into_iter().flatten().flatten().filter(own);
        let asked = less_by_first(&denied);
        legal.all(|row| is_implied(&row.tests, &asked) || is_denied(row))
    }

    /// The role and the kind of which a closed question asks whether there is a legal move.
    pub(super) fn legality(&self, number: usize) -> Option<(usize, usize)> {
        let Closed::Body(body) = self.bodies.get(number)? else { return None };
        let [Condition::Holds(atom)] = &body[..] else { return None };
        let kind = match self.theory.kinds.get(atom.predicate.0 as usize)? {
            PredicateKind::Legal(kind) => kind.0,
            _ => return None,
        };
        let (Term::Value(Value::Symbol(mover)), params) = atom.args.split_first()? else {
            return None;
        };
        let role = self.theory.roles.iter().position(|role| role == mover)?;
        let sizes = self.param_sizes(kind).ok()?;
        let is_any = |(place, term): (usize, &Term)| match term {
            Term::Var(_) => !params[..place].contains(term),
            Term::Value(_) => sizes[place] == 1,
        };
        params.iter().enumerate().all(is_any).then_some((role, kind))
    }

    /// Finds out of what kinds a role has legal moves, for all closed questions that ask so.
    pub(super) fn judge_legality(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
    ) -> Result<(), Obstacle> {
        if self.moving.contains(&role) {
            return Err(Obstacle::new("legality that asks itself"));
        }
        let asked = (0..self.bodies.len()).filter_map(|number| {
            let (own, kind) = self.legality(number)?;
            (own == role).then_some((number, kind))
        });
        let asked: Vec<(usize, usize)> = asked.collect();
        if let Some(routine) = self.legality_routine(role)? {
            let kinds = emitter.scalar();
            emitter.push(Statement::Run(kinds, routine, Vec::new()));
            for (number, kind) in asked {
                let bit = Word::from(kinds).compute(Operation::And, 1_u64 << kind);
                // An answer is compared with one.
                let answer = emitter.let_word(bit.compare(Comparison::Unequal, 0));
                emitter.closed.insert(number, answer);
            }
            return Ok(());
        }
        let answers: Vec<Scalar> =
            asked.iter().map(|_| emitter.let_word(Word::Constant(0))).collect();
        let (common, kinds) = self.legal_rows(role);
        let guard = to_word(emitter.words(&common)?);
        self.moving.push(role);
        let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let leaves = self.emit_moves(emitter, (role, &kinds))?;
            for ((_, kind), answer) in asked.iter().zip(&answers) {
                for leaf in leaves.iter().filter(|leaf| leaf.kind == *kind) {
                    let any = Word::from(*answer) | leaf.any();
                    emitter.push(leaf.guarded(Statement::Let(*answer, any)));
                }
            }
            Ok(())
        });
        self.moving.pop();
        done?;
        emitter.push(Statement::If(guard, statements, Vec::new()));
        emitter.closed.extend(asked.into_iter().map(|(number, _)| number).zip(answers));
        Ok(())
    }

    /// The routine that says, as bits, of what kinds a role has legal moves.
    fn legality_routine(&mut self, role: usize) -> Result<Option<RoutineId>, Obstacle> {
        let has_room = self.theory.moves.len() <= 64;
        if !self.optimizations.has(Optimization::Routines) || !has_room || !self.making.is_empty() {
            return Ok(None);
        }
        if let Some(known) = self.setting.routines.borrow().legality.get(&role) {
            return Ok(Some(*known));
        }
        let mut emitter = Emitter::new(self.places, 0);
        emitter.keeps_hashes = false;
        let found = emitter.let_word(Word::Constant(0));
        let (common, kinds) = self.legal_rows(role);
        let guard = to_word(emitter.words(&common)?);
        self.moving.push(role);
        let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            for leaf in self.emit_moves(emitter, (role, &kinds))? {
                let bit = Word::Constant(1_u64 << leaf.kind);
                let more = Statement::Let(found, Word::from(found) | bit);
                let any = leaf.any();
                emitter.push(leaf.guarded(Statement::If(any, vec![more], Vec::new())));
            }
            Ok(())
        });
        self.moving.pop();
        done?;
        emitter.push(Statement::If(guard, statements, Vec::new()));
        emitter.push(Statement::Return(found.into()));
        let kernel = emitter.into_kernel(format!("kinds of moves of {role}"), 0);
        let mut routines = self.setting.routines.borrow_mut();
        let routine = routines.add(kernel);
        routines.legality.extend(routine.map(|routine| (role, routine)));
        Ok(routine)
    }

    /// The kinds of moves of which a row denies every one of a role, and those that nobody can make.
    fn denied_kinds(&self, row: &Row, role: usize) -> BTreeSet<usize> {
        let denied = row.tests.iter().filter_map(|test| {
            let (Tested::Closed(number), false) = (test.tested, test.holds) else { return None };
            let (own, kind) = self.legality(number)?;
            (own == role).then_some(kind)
        });
        let is_never = |kind: &usize| {
            let mut all = self.specialized.procedures.iter();
            let legal = self.theory.moves[*kind].legal;
            all.any(|one| one.source == legal && one.clauses.is_empty())
        };
        denied.chain((0..self.legal.len()).filter(is_never)).collect()
    }
}

/// Sets of tests by the first one of each; by nothing where a set has none.
type ByFirst<'r> = FxHashMap<Option<Test>, Vec<&'r [Test]>>;

fn less_by_first<'r>(sets: &BTreeSet<&'r [Test]>) -> ByFirst<'r> {
    let mut by_first = ByFirst::default();
    for set in sets {
        by_first.entry(set.first().copied()).or_default().push(set);
    }
    by_first
}

/// Is there one among the sets that asks for no more than these tests?
fn is_implied(tests: &[Test], sets: &ByFirst<'_>) -> bool {
    // What asks for no more asks first for something that the tests ask for.
    let firsts = tests.iter().map(|test| Some(*test)).chain([None]);
    let mut less = firsts.filter_map(|first| sets.get(&first)).flatten();
    less.any(|less| less.iter().all(|one| tests.contains(one)))
}
