//! Roles that wait: turns, where every role has a move in every state.
//!
//! In: the rows of all legal moves. Out: a word whose values say whose turn it is, and what the other roles do
//! meanwhile: one certain move, or none. Games of that kind are played in turn, by code made for the role that
//! moves; what the others do is known when the code is made. Invariant: in every state the legal moves of a role
//! that is not at turn are exactly the one it waits by.

use rulesmith_kernel::{Comparison, Kernel, Scalar, Statement, Word};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::build::{Builder, Kinds, compare, number, to_word};
use super::emit::Emitter;
use super::ground::{Row, Test, Tested};
use super::implied::drop_implied;
use super::params::Params;
use super::playout::Contest;
use super::steps::Doing;
use crate::state_layout::StateLayout;

/// Who waits, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// For each role what holds exactly where it is at turn; nothing for one that never is.
    pub(crate) guards: Vec<Option<Vec<Test>>>,
    /// What each role does while another is at turn; in the last place, while nobody is.
    pub(crate) waits: Vec<Vec<Option<Wait>>>,
}

/// The one move of a role that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wait {
    pub(crate) kind: usize,
    pub(crate) params: Vec<u32>,
}

/// One way in which a role may move.
#[derive(Clone, Debug)]
struct Way {
    tests: Vec<Test>,
    /// The move, if the way is a row.
    made: Option<Wait>,
}

/// A word of more values than this says nothing about turns.
const VALUES_LIMIT: u32 = 64;

impl Waiting {
    /// Finds who waits: by nothing, if one role alone ever has a choice, or by the value of a word.
    fn find(layout: &StateLayout, roles: &[Vec<Way>]) -> Option<Self> {
        let mut words: Vec<Tested> = Vec::new();
        for test in roles.iter().flatten().flat_map(|way| &way.tests) {
            let is_word = match test.tested {
                Tested::Fluent(id, _) => {
                    let fluent = layout.fluent(id);
                    fluent.is_scalar() && fluent.n_values <= VALUES_LIMIT
                }
                _ => false,
            };
            if is_word && !words.contains(&test.tested) {
                words.push(test.tested);
            }
        }
        let by_word = |word: &Tested| {
            let Tested::Fluent(id, _) = *word else { return None };
            let fluent = layout.fluent(id);
            let last = fluent.n_values.max(fluent.no_value()).max(1);
            let known = |key| Some(Test { tested: *word, key, holds: true });
            Self::by(layout, roles, &(0..=last).map(known).collect::<Vec<_>>())
        };
        Self::by(layout, roles, &[None]).or_else(|| words.iter().find_map(by_word))
    }

    /// Who waits, if exactly one of these tests holds in each state.
    fn by(layout: &StateLayout, roles: &[Vec<Way>], cases: &[Option<Test>]) -> Option<Self> {
        let nobody = roles.len();
        let mut guards: Vec<Option<Vec<Test>>> = vec![None; nobody];
        let mut waits: Vec<Option<Vec<Option<Wait>>>> = vec![None; nobody + 1];
        for known in cases {
            let choices: Vec<Choice> =
                roles.iter().map(|ways| Choice::of(layout, ways, *known)).collect();
            let mut movers = (0..nobody).filter(|role| choices[*role] == Choice::Open);
            let (mover, other) = (movers.next(), movers.next());
            // Two may choose, or one may at two values of the word.
            if other.is_some() || mover.is_some_and(|role| guards[role].is_some()) {
                return None;
            }
            let of_others = choices.into_iter().map(Choice::wait).collect();
            let place = &mut waits[mover.unwrap_or(nobody)];
            if place.as_ref().is_some_and(|before| *before != of_others) {
                return None;
            }
            *place = Some(of_others);
            if let Some(role) = mover {
                guards[role] = Some(known.iter().copied().collect());
            }
        }
        guards.iter().any(Option::is_some).then(|| {
            let none = || vec![None; nobody];
            let waits = waits.into_iter().map(|one| one.unwrap_or_else(none)).collect();
            Self { guards, waits }
        })
    }

    /// Those at whose turn a role waits by such a move; a role or a parameter that is not asked for is left out.
    pub(super) fn movers(
        &self,
        kind: usize,
        role: Option<u32>,
        params: &[Option<u32>],
    ) -> impl Iterator<Item = u32> {
        let is_it = move |(of, wait): (usize, &Option<Wait>)| {
            let Some(wait) = wait else { return false };
            wait.kind == kind
                && role.is_none_or(|role| role == number(of))
                && wait
                    .params
                    .iter()
                    .zip(params)
                    .all(|(own, one)| one.is_none_or(|one| one == *own))
        };
        let all = self.waits.iter().enumerate();
        all.filter(move |(_, waits)| waits.iter().enumerate().any(is_it))
            .map(|(mover, _)| number(mover))
    }

    /// Is this what a role does while another is at turn?
    pub(crate) fn is_wait(&self, mover: usize, role: usize, made: Option<(usize, &[u64])>) -> bool {
        let wait = self.waits.get(mover).and_then(|waits| waits.get(role)).and_then(Option::as_ref);
        match (wait, made) {
            (None, None) => true,
            (Some(wait), Some((kind, params))) => {
                wait.kind == kind
                    && wait.params.iter().copied().map(u64::from).eq(params.iter().copied())
            }
            _ => false,
        }
    }
}

/// What a role may do where a test holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    /// It has no move.
    Nothing,
    /// It has this one for sure.
    Only(Wait),
    /// It may have several, or have none at times.
    Open,
}

impl Choice {
    fn of(layout: &StateLayout, ways: &[Way], known: Option<Test>) -> Self {
        let is_open = |way: &&Way| {
            known.is_none_or(|known| !way.tests.iter().any(|test| layout.excludes(test, &known)))
        };
        let ways: Vec<&Way> = ways.iter().filter(is_open).collect();
        let Some(first) = ways.first() else { return Self::Nothing };
        let is_sure = |way: &&Way| way.tests.iter().all(|test| follows(test, known));
        match &first.made {
            Some(only)
                if ways.iter().all(|way| way.made.as_ref() == Some(only))
                    && ways.iter().any(is_sure) =>
            {
                Self::Only(only.clone())
            }
            _ => Self::Open,
        }
    }

    fn wait(self) -> Option<Wait> {
        match self {
            Self::Only(wait) => Some(wait),
            Self::Nothing | Self::Open => None,
        }
    }
}

/// Does the test hold where the known one does?
fn follows(test: &Test, known: Option<Test>) -> bool {
    known.is_some_and(|known| {
        *test == known || (test.tested == known.tested && test.key != known.key && !test.holds)
    })
}

impl<'b> Builder<'b> {
    /// Finds who waits. `legal` are the rows of each kind, also of kinds whose moves are found by loops.
    /// Afterwards the builder knows the moves of roles at turn alone.
    pub(super) fn find_waiting(&mut self, legal: &Kinds) -> Option<Waiting> {
        let ways = (0..self.theory.roles.len()).map(|role| {
            let kinds = legal.iter().enumerate();
            let ways = kinds.flat_map(|(kind, clauses)| self.ways(role, kind, clauses.as_deref()));
            ways.collect::<Vec<Way>>()
        });
        let ways: Vec<Vec<Way>> = ways.collect();
        let layout = self.places.layout;
        let waiting = Waiting::find(layout, &ways)?;
        let at_turn = |row: &mut Row| {
            let guard = waiting.guards.get(row.head[0] as usize).and_then(Option::as_ref);
            let Some(guard) = guard else { return false };
            let known = guard.first().copied();
            let mut tests = row.tests.iter();
            if tests.any(|test| known.is_some_and(|known| layout.excludes(test, &known))) {
                return false;
            }
            row.tests.retain(|test| !follows(test, known));
            row.tests.extend(known);
            row.tests.sort_unstable();
            true
        };
        for clauses in self.legal.iter_mut().flatten() {
            for rows in clauses.iter_mut() {
                rows.retain_mut(at_turn);
            }
            drop_implied(clauses);
        }
        Some(waiting)
    }

    fn ways(&self, role: usize, kind: usize, clauses: Option<&[Vec<Row>]>) -> Vec<Way> {
        let Some(clauses) = clauses else {
            return vec![Way { tests: self.tree_guard(role, kind), made: None }];
        };
        let rows = clauses.iter().flatten().filter(|row| row.head[0] == number(role));
        rows.map(|row| {
            let made = Some(Wait { kind, params: row.head[1..].to_vec() });
            Way { tests: row.tests.clone(), made }
        })
        .collect()
    }

    /// What holds exactly where a role is at turn, as far as waiting says so; nothing if it never is.
    pub(super) fn turn_guard(&self, role: usize) -> Option<&[Test]> {
        match &self.waiting {
            Some(waiting) => waiting.guards[role].as_deref(),
            None => Some(&[]),
        }
    }

    /// Lists the move by which a role waits.
    pub(super) fn emit_waits(
        &self,
        emitter: &mut Emitter<'b>,
        (role, row_words): (usize, usize),
    ) -> Result<(), Obstacle> {
        let Some(waiting) = &self.waiting else { return Ok(()) };
        let whose = self.whose_turn(emitter)?;
        for (mover, waits) in waiting.waits.iter().enumerate() {
            let Some(wait) = &waits[role] else { continue };
            let params = wait.params.iter().copied().map(u64::from);
            let row = std::iter::once(wait.kind as u64).chain(params).map(Word::Constant);
            let mut row: Vec<Word> = row.collect();
            row.resize(row_words, Word::Constant(0));
            let is_it = Word::from(whose).equals(mover as u64);
            emitter.push(Statement::If(is_it, vec![Statement::Emit(row)], Vec::new()));
        }
        Ok(())
    }

    /// The role at turn, or the number of roles if nobody is.
    fn whose_turn(&self, emitter: &mut Emitter<'b>) -> Result<Scalar, Obstacle> {
        let whose = emitter.let_word(Word::Constant(self.theory.roles.len() as u64));
        for role in 0..self.theory.roles.len() {
            let Some(guard) = self.turn_guard(role) else { continue };
            let guard = to_word(emitter.words(guard)?);
            let it_is = vec![Statement::Let(whose, Word::Constant(role as u64))];
            emitter.push(Statement::If(guard, it_is, Vec::new()));
        }
        Ok(whose)
    }

    /// The kernel that tells whose turn it is.
    pub(super) fn whose_turn_kernel(&self) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let whose = self.whose_turn(&mut emitter)?;
        emitter.push(Statement::Return(whose.into()));
        Ok(emitter.into_kernel("whose turn".to_owned(), 0))
    }

    /// The number that stands for no move at all, beside those of the kinds of moves.
    pub(super) fn no_move(&self) -> usize {
        self.theory.moves.len()
    }

    /// The role at turn has no move, or nobody is at turn: the others wait all the same, unless the contest is
    /// over. If they do not either, the contest ends.
    pub(super) fn only_wait(
        &mut self,
        emitter: &mut Emitter<'b>,
        before: Scalar,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let waits = self.waiting.iter().flat_map(|waiting| waiting.waits.iter().enumerate());
        let movers = waits.filter(|(_, waits)| waits.iter().any(Option::is_some));
        let movers: Vec<usize> = movers.map(|(mover, _)| mover).collect();
        let terminal = self.terminal.clone();
        if !movers.is_empty() {
            let over = to_word(self.ask(emitter, &terminal)?);
            emitter.push(Statement::If(over, vec![contest.leave()], Vec::new()));
            let whose = self.whose_turn(emitter)?;
            let params = Params { scalars: Vec::new(), sizes: Vec::new(), drawn: None };
            for mover in movers {
                let doing = Doing::One(mover, self.no_move());
                let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
                    emitter.forget();
                    self.emit_effects(emitter, doing, &params)?;
                    self.emit_deferred(emitter, doing, &params)?;
                    contest.count_turn(emitter);
                    self.end_turn_by(emitter, &terminal, contest)
                });
                done?;
                let is_it = Word::from(whose).equals(mover as u64);
                emitter.push(Statement::If(is_it, statements, Vec::new()));
                emitter.forget();
            }
        }
        let stuck = compare(Comparison::Equal, contest.made.into(), before.into());
        emitter.push(Statement::If(stuck, vec![contest.leave()], Vec::new()));
        Ok(())
    }
}

/// Can two roles never move in one state? Each waits for another value of one word.
pub(super) fn roles_are_apart(turns: &[(Vec<Test>, Kinds)]) -> bool {
    let excludes = |one: &Test, other: &Test| {
        one.tested == other.tested
            && one.holds
            && other.holds
            && one.key != other.key
            && matches!(one.tested, Tested::Fluent(..))
    };
    let has_moves = |rows: &Option<Vec<Vec<_>>>| {
        rows.as_ref().is_none_or(|rows| rows.iter().any(|rows| !rows.is_empty()))
    };
    let may_move = |turn: &&(Vec<Test>, Kinds)| turn.1.iter().any(has_moves);
    let turns: Vec<_> = turns.iter().filter(may_move).collect();
    let is_apart = |(place, (one, _)): (usize, &&(Vec<Test>, Kinds))| {
        let mut others = turns[place + 1..].iter();
        others
            .all(|(other, _)| one.iter().any(|one| other.iter().any(|other| excludes(one, other))))
    };
    turns.iter().enumerate().all(is_apart)
}
