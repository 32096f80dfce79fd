//! The reference engine and kernels side by side.
//!
//! In: a game of the reference engine. Out: its kernels, and for a contest played in both how many states
//! were compared, or the first difference. Invariant: what the reference engine answers, kernels must
//! answer alike; where it fails, nothing more is compared.

#![allow(dead_code, reason = "each test that includes this module uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;

use rulesmith_compile::{
    KernelGame, NativeGame, NativeState, NativeTurn, NotatedGame, Obstacle, Optimizations,
    ReferenceGame, Sampling, State, Turn, build_kernels, kept_for_kernels, kernel_requests,
    sample_states,
};
use rulesmith_game::{
    Draws, Error, Game, JointMove, LeafKind, Notation, Random, RoleId, count_leaves,
};
use rulesmith_player::make_kernels;
use rulesmith_specialize::{Bounds, Knowledge, specialize_within};

/// The reference engine takes and gives back memory all the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The game with kernels, interpreted; otherwise why it has none, and the game.
pub(crate) fn native_with(
    game: ReferenceGame,
    optimizations: Optimizations,
) -> Result<NotatedGame, Box<(Obstacle, ReferenceGame)>> {
    let native = kernels(&game, optimizations).and_then(|kernels| NativeGame::new(kernels, &game));
    match native {
        Ok(native) => Ok(NotatedGame::new(Arc::new(native), game)),
        Err(obstacle) => Err(Box::new((obstacle, game))),
    }
}

/// The kernels of a game.
pub(crate) fn kernels(
    game: &ReferenceGame,
    optimizations: Optimizations,
) -> Result<KernelGame, Obstacle> {
    if let Ok(made) = make_kernels(game, optimizations) {
        return made;
    }
    // Games whose contests end in errors, too.
    let samples = sample_states(game, Sampling::default(), &[]).unwrap_or_default();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let requests = kernel_requests(game.theory());
    let bounds = Bounds { keep: kept_for_kernels(game.theory()), ..Bounds::default() };
    let specialized = specialize_within(&knowledge, bounds, samples, &requests);
    let specialized = specialized.expect("requests of the game itself");
    build_kernels(&knowledge, &specialized, optimizations)
}

/// The same game with native code; otherwise it is too large for that.
pub(crate) fn compiled(game: NotatedGame) -> Result<NotatedGame, ReferenceGame> {
    let (native, reference) = game.into_parts();
    let mut native = Arc::into_inner(native).expect("one owner");
    match native.compile() {
        Ok(()) => Ok(NotatedGame::new(Arc::new(native), reference)),
        Err(_) => Err(reference),
    }
}

/// One contest to compare.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contest {
    pub(crate) seed: u64,
    pub(crate) max_states: usize,
    /// Is the contest played on after its end?
    pub(crate) plays_on: bool,
}

/// Why a comparison ends: the reference engine fails, or the two differ.
enum End {
    Fault(Error),
    Difference(String),
}

/// A failure of an engine that is compared: a limit that is reached is an honest answer, anything else is none.
fn tested(error: &Error) -> End {
    match error {
        Error::Limit { .. } => End::Fault(error.clone()),
        other => End::Difference(other.to_string()),
    }
}

/// What holds in states that were met, by hash: states with equal hashes are equal, and the other way round.
pub(crate) type Hashes = BTreeMap<u64, String>;

/// So many joint moves of a state are made to see where random contests may lead.
const MOST_JOINT: usize = 40;

/// So many ends of turns are compared by the kernel for contests.
const ENDS_COMPARED: usize = 256;

/// So many are made to see whether one of them leads to a state.
const MOST_FOLLOWED: usize = 1000;

/// A random turn is made, and leaves are counted, in one of so many states.
const FEW: usize = 8;

/// The same once many states were met: both take long where code is slow.
const MANY: usize = 64;

/// So many are many.
const MANY_STATES: usize = 1_000;

/// From states with at most so many turns leaves are counted two and three turns ahead.
const MOST_LEAVES: [usize; 2] = [40, 6];

const KINDS: [LeafKind; 2] = [LeafKind::Applied, LeafKind::Bulk];

/// Engines at the same point of one contest.
struct Twins<'g> {
    game: &'g NotatedGame,
    state: State,
    words: NativeState,
    /// The same game with a specialised program, where that is compared too.
    interpreted: Option<(&'g ReferenceGame, State)>,
}

/// Plays a contest in both engines and compares every state of it; how many there were.
pub(crate) fn compare(
    game: &NotatedGame,
    contest: Contest,
    hashes: &mut Hashes,
) -> Result<usize, String> {
    compare_all(game, None, contest, hashes)
}

/// The same, with the interpreter of a specialised program beside them.
pub(crate) fn compare_all(
    game: &NotatedGame,
    interpreter: Option<&ReferenceGame>,
    contest: Contest,
    hashes: &mut Hashes,
) -> Result<usize, String> {
    let mut random = Random::new(contest.seed);
    let mut n_states = 0;
    let mut play = || {
        let state = game.reference().initial().map_err(End::Fault)?;
        let words = game.initial().map_err(|error| End::Difference(error.to_string()))?;
        let interpreted = match interpreter {
            Some(interpreter) => Some((interpreter, interpreter.initial().map_err(End::Fault)?)),
            None => None,
        };
        let mut twins = Twins { game, state, words, interpreted };
        while n_states < contest.max_states {
            n_states += 1;
            let is_over = twins.look(hashes)?;
            if is_over && !contest.plays_on {
                break;
            }
            let turns = twins.turns()?;
            let is_chosen = n_states % if hashes.len() < MANY_STATES { FEW } else { MANY } == 1;
            if !is_over && is_chosen {
                twins.random_turn(&turns, random.next_bits())?;
            }
            if is_chosen {
                twins.leaves(&turns)?;
            }
            let chosen = turns.iter().map(|of_role| random.choose(of_role).cloned());
            let chosen: Vec<_> =
                chosen.enumerate().filter_map(|(role, turn)| Some((RoleId(role), turn?))).collect();
            if chosen.is_empty() {
                break;
            }
            twins.step(&chosen)?;
        }
        Ok(())
    };
    match play() {
        Ok(()) | Err(End::Fault(_)) => Ok(n_states),
        Err(End::Difference(text)) => Err(format!("state {n_states}: {text}")),
    }
}

/// Plays a contest by native code: every turn must be legal in the reference engine and lead to the same state, and of each
/// `LOOK_EVERY` states one, and the last, is compared in everything. How many states there were.
pub(crate) fn follow(
    game: &NotatedGame,
    contest: Contest,
    hashes: &mut Hashes,
) -> Result<usize, String> {
    let mut random = Random::new(contest.seed);
    let mut n_states = 0;
    let mut play = || {
        let state = game.reference().initial().map_err(End::Fault)?;
        let words = game.initial().map_err(|error| End::Difference(error.to_string()))?;
        let mut twins = Twins { game, state, words, interpreted: None };
        while n_states < contest.max_states {
            let is_over = game.is_over(&twins.words, Draws::Apply);
            let is_over = is_over.map_err(|error| tested(&error))?;
            let is_looked_at = is_over || n_states % LOOK_EVERY == 0;
            n_states += 1;
            if is_looked_at {
                twins.look(hashes)?;
                twins.look_at_turns()?;
            }
            if is_over {
                break;
            }
            if !twins.random_step(&mut random)? {
                twins.look_at_turns()?;
                break;
            }
        }
        Ok(())
    };
    match play() {
        Ok(()) | Err(End::Fault(_)) => Ok(n_states),
        Err(End::Difference(text)) => Err(format!("state {n_states}: {text}")),
    }
}

/// One of so many states of a contest that is followed is compared in everything.
const LOOK_EVERY: usize = 8;

/// Plays a contest of a game that has no native code, and compares every state of it with the interpreter.
pub(crate) fn compare_interpreter(
    reference: &ReferenceGame,
    interpreter: &ReferenceGame,
    contest: Contest,
) -> Result<usize, String> {
    let mut random = Random::new(contest.seed);
    let mut state = reference.initial().map_err(|error| error.to_string())?;
    let mut other = interpreter.initial().map_err(|error| error.to_string())?;
    for n_states in 1..=contest.max_states {
        let mut answers = Vec::new();
        let mut joint: JointMove<Turn> = Vec::new();
        for (game, state) in [(reference, &state), (interpreter, &other)] {
            let roles = (0..game.roles().len()).map(RoleId);
            let turns: Result<Vec<_>, _> =
                roles.map(|role| game.legal_moves(state, role)).collect();
            let ends = [Draws::Ignore, Draws::Apply].map(|draws| game.is_over(state, draws));
            answers.push((game.facts(state), game.goals(state), ends, turns));
        }
        if answers[0] != answers[1] {
            return Err(format!("state {n_states}: {answers:?}"));
        }
        let Some((_, _, [_, Ok(false)], Ok(turns))) = answers.pop() else { return Ok(n_states) };
        for (role, turns) in turns.iter().enumerate() {
            joint.extend(random.choose(turns).map(|turn| (RoleId(role), turn.clone())));
        }
        let is_made = |game: &ReferenceGame, state| game.apply(state, &joint).is_ok();
        if joint.is_empty() || !is_made(reference, &mut state) {
            return Ok(n_states);
        }
        if !is_made(interpreter, &mut other) {
            return Err(format!("state {n_states}: {joint:?} is refused"));
        }
    }
    Ok(contest.max_states)
}

/// Plays one contest by the kernel for whole contests, each time one turn further: it must end where the
/// kernels of single questions say so, and every turn must be a legal one. How many turns there were.
pub(crate) fn whole_contest(
    game: &NotatedGame,
    seed: u64,
    max_turns: u64,
) -> Result<usize, String> {
    let Ok(start) = game.initial() else { return Ok(0) };
    let mut before = start.clone();
    for n_turns in 1..=max_turns {
        let (mut after, mut bits) = (start.clone(), seed);
        let made = game.native().play_on(&mut after, &mut bits, n_turns);
        let (Some(Ok(made)), Ok(goes_on)) = (made, goes_on(game, &before)) else {
            return Ok(usize::try_from(n_turns).unwrap_or(0) - 1);
        };
        let text = || game.state_text(&before);
        if made < n_turns && has_many_ends(game, &before) {
            return Ok(usize::try_from(n_turns).unwrap_or(0) - 1);
        }
        if (made == n_turns) != goes_on {
            return Err(format!("turn {n_turns}, {made} made, from {}", text()));
        }
        if !goes_on {
            return Ok(usize::try_from(n_turns).unwrap_or(0) - 1);
        }
        // What the contest remembers is not trusted: the same turn is made again by itself.
        let Some(next) = next_like(game, &before, after.clone()) else {
            return Err(format!("{} is not next to {}", game.state_text(&after), text()));
        };
        before = next;
    }
    Ok(usize::try_from(max_turns).unwrap_or(0))
}

/// Has a role more turns than the kernel for contests has room to compare? It hands such a contest over.
fn has_many_ends(game: &NotatedGame, state: &NativeState) -> bool {
    let mut roles = (0..game.roles().len()).map(RoleId);
    roles.any(|role| game.legal_moves(state, role).is_ok_and(|turns| turns.len() > ENDS_COMPARED))
}

/// Does the contest go on from a state, by the kernels that [`compare`] looks at?
fn goes_on(game: &NotatedGame, state: &NativeState) -> Result<bool, Error> {
    if game.is_over(state, Draws::Apply)? {
        return Ok(false);
    }
    for role in (0..game.roles().len()).map(RoleId) {
        if !game.legal_moves(state, role)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The state that a legal turn leads to and that looks like this one. Where there are too many joint moves,
/// nobody looks.
fn next_like(game: &NotatedGame, before: &NativeState, after: NativeState) -> Option<NativeState> {
    let roles = (0..game.roles().len()).map(RoleId);
    let turns: Result<Vec<Vec<NativeTurn>>, Error> =
        roles.map(|role| game.legal_moves(before, role)).collect();
    let Ok(turns) = turns else { return Some(after) };
    let n_joint: usize = turns.iter().map(|of_role| of_role.len().max(1)).product();
    if n_joint > MOST_FOLLOWED {
        return Some(after);
    }
    let text = game.state_text(&after);
    all_joint_by(&turns, Clone::clone).iter().find_map(|joint| {
        let mut state = before.clone();
        let is_it = game.apply(&mut state, joint).is_ok() && game.state_text(&state) == text;
        is_it.then_some(state)
    })
}

impl Twins<'_> {
    fn differ<T: Debug>(&self, what: &str, expected: &T, found: &impl Debug) -> End {
        let state = self.game.reference().state_text(&self.state);
        End::Difference(format!("{what} in {state}\nexpected {expected:?}\nfound {found:?}"))
    }

    /// What kernels answer must be what the reference engine answers.
    fn same<T: PartialEq + Debug>(
        &self,
        what: &str,
        expected: Result<T, Error>,
        found: Result<T, Error>,
    ) -> Result<T, End> {
        let expected = expected.map_err(End::Fault)?;
        match found {
            Ok(found) if found == expected => Ok(expected),
            // A limit that is reached is an honest answer.
            Err(error @ Error::Limit { .. }) => Err(End::Fault(error)),
            found => Err(self.differ(what, &expected, &found)),
        }
    }

    /// Everything but the moves; whether the contest is over.
    fn look(&self, hashes: &mut Hashes) -> Result<bool, End> {
        let Self { game, state, words, .. } = self;
        let (reference, native) = (game.reference(), game.native());
        self.same("words", native.encode(reference, state), Ok(words.clone()))?;
        self.same("state", Ok(state.clone()), game.decode(words))?;
        self.same("text", Ok(reference.state_text(state)), Ok(game.state_text(words)))?;
        let anew = native.encode(reference, state).map(|words| game.hash(&words));
        self.same("kept hash", anew, Ok(game.hash(words)))?;
        let facts = reference.facts(state).join(" ");
        let known = hashes.entry(game.hash(words)).or_insert_with(|| facts.clone());
        self.same("hash", Ok(&*known), Ok(&facts))?;
        let goals = reference.goals(state).map_err(End::Fault)?;
        for (role, goal) in (0..game.roles().len()).map(RoleId).zip(&goals) {
            self.same("goal", Ok(*goal), native.goal(words, role))?;
        }
        if let Some((interpreter, other)) = &self.interpreted {
            let facts_there = interpreter.facts(other).join(" ");
            self.same("facts, interpreted", Ok(facts), Ok(facts_there))?;
            self.same("goals, interpreted", Ok(goals), interpreter.goals(other))?;
        }
        let mut is_over = false;
        for draws in [Draws::Ignore, Draws::Apply] {
            let ends = (reference.is_over(state, draws), game.is_over(words, draws));
            is_over = self.same("end", ends.0, ends.1)?;
            if let Some((interpreter, other)) = &self.interpreted {
                self.same("end, interpreted", Ok(is_over), interpreter.is_over(other, draws))?;
            }
            let outcomes = (reference.outcome(state, draws), game.outcome(words, draws));
            self.same("outcome", outcomes.0, outcomes.1)?;
        }
        Ok(is_over)
    }

    /// The legal turns of every role.
    fn turns(&self) -> Result<Vec<Vec<(Turn, NativeTurn)>>, End> {
        let mut all = Vec::new();
        for role in (0..self.game.roles().len()).map(RoleId) {
            all.push(self.turns_of(role)?);
        }
        Ok(all)
    }

    /// The same to look at; where there are too many, both engines say so.
    fn look_at_turns(&self) -> Result<(), End> {
        match self.turns() {
            Err(End::Fault(Error::Limit { name: "turns", .. })) => Ok(()),
            turns => turns.map(|_| ()),
        }
    }

    fn turns_of(&self, role: RoleId) -> Result<Vec<(Turn, NativeTurn)>, End> {
        let Self { game, state, words, .. } = self;
        let turns = game.reference().legal_moves(state, role);
        if let (Err(Error::Limit { name: "turns", .. }), Ok(found)) =
            (&turns, game.legal_moves(words, role))
        {
            return Err(self.differ("too many turns", &turns, &found.len()));
        }
        let turns = turns.map_err(End::Fault)?;
        if let Some((interpreter, other)) = &self.interpreted {
            let found = interpreter.legal_moves(other, role);
            self.same("moves, interpreted", Ok(turns.clone()), found)?;
        }
        let encoded: Result<Vec<NativeTurn>, Error> =
            turns.iter().map(|turn| game.encode_turn(turn)).collect();
        let encoded = encoded.map_err(|error| self.differ("codes", &turns, &error))?;
        let mut expected = encoded.clone();
        expected.sort();
        let found = game.legal_moves(words, role).map(|mut found| {
            found.sort();
            found
        });
        if let (Ok(found), true) = (&found, found.as_ref().is_ok_and(|found| *found != expected)) {
            let text = |turn: &NativeTurn| game.exact_text(turn);
            let expected: Vec<_> = expected.iter().map(text).collect();
            let found: Vec<_> = found.iter().map(text).collect();
            return Err(self.differ("moves", &expected, &found));
        }
        self.same("moves", Ok(expected), found)?;
        for (turn, native) in turns.iter().zip(&encoded) {
            self.same("turn", Ok(turn.clone()), Ok(game.decode_turn(native)))?;
        }
        Ok(turns.into_iter().zip(encoded).collect())
    }

    /// A random turn by the kernel for whole contests leads where a legal one does.
    fn random_turn(&self, turns: &[Vec<(Turn, NativeTurn)>], bits: u64) -> Result<(), End> {
        let mut after = self.words.clone();
        let mut bits = bits;
        let Some(made) = self.game.native().play_on(&mut after, &mut bits, 1) else {
            return Ok(());
        };
        let can_move = turns.iter().any(|of_role| !of_role.is_empty());
        let n_joint = turns.iter().map(|of_role| of_role.len().max(1));
        if n_joint.product::<usize>() > MOST_JOINT {
            return Ok(());
        }
        let mut reached = BTreeSet::new();
        for joint in all_joint(turns) {
            let mut state = self.state.clone();
            self.game.reference().apply(&mut state, &joint).map_err(End::Fault)?;
            reached.insert(self.game.reference().facts(&state).join(" "));
        }
        self.same("turns made at random", Ok(u64::from(can_move)), made)?;
        let anew = self
            .game
            .decode(&after)
            .and_then(|state| self.game.native().encode(self.game.reference(), &state));
        let anew = anew.map(|words| self.game.hash(&words));
        self.same("hash after a random turn", anew, Ok(self.game.hash(&after)))?;
        let after = self.game.facts(&after).join(" ");
        if can_move && !reached.contains(&after) {
            return Err(self.differ("random turn", &reached, &after));
        }
        Ok(())
    }

    /// Leaves are counted as turns are, and by a kernel as by the game contract.
    fn leaves(&self, turns: &[Vec<(Turn, NativeTurn)>]) -> Result<(), End> {
        let native = &**self.game.native();
        if native.leaf_obstacle().is_some() {
            return Ok(());
        }
        let is_over = self.game.reference().is_over(&self.state, Draws::Ignore);
        let movers = turns.iter().filter(|of_role| !of_role.is_empty());
        let n_turns: usize = match (is_over.map_err(End::Fault)?, movers.clone().count()) {
            (true, _) | (_, 0) => 0,
            _ => movers.map(Vec::len).product(),
        };
        let most = MOST_LEAVES.iter().filter(|most| n_turns <= **most).count();
        for (depth, kind) in (1..=1 + most).flat_map(|depth| KINDS.map(|kind| (depth, kind))) {
            let asked = (u32::try_from(depth).unwrap_or(1), kind);
            let mut tick = || ControlFlow::Continue(());
            let expected = count_leaves(native, &mut self.words.clone(), asked, &mut tick);
            let found = native.leaves(&self.words, asked.0, kind, &mut tick);
            if let (Err(Error::Rules { .. }), Ok(found)) = (&expected, &found) {
                return Err(self.differ("leaves", &expected, found));
            }
            let found = self.same("leaves", expected, found)?;
            if depth == 1 {
                self.same("number of turns", Ok(n_turns as u64), Ok(found.count))?;
            }
        }
        Ok(())
    }

    /// Makes a turn of each role that native code finds legal, if there is one.
    fn random_step(&mut self, random: &mut Random) -> Result<bool, End> {
        let mut chosen = Vec::new();
        for role in (0..self.game.roles().len()).map(RoleId) {
            let drawn = self.game.random_move(&self.words, role, random);
            let Some(native) = drawn.map_err(|error| tested(&error))? else { continue };
            let turn = self.game.decode_turn(&native);
            let is_legal = self.game.reference().is_legal_turn(&self.state, role, &turn);
            if !is_legal.map_err(End::Fault)? {
                return Err(self.differ("legal turn", &turn, &native));
            }
            chosen.push((role, (turn, native)));
        }
        if !chosen.is_empty() {
            self.step(&chosen)?;
            let facts = self.game.reference().facts(&self.state);
            self.same("facts", Ok(facts), Ok(self.game.facts(&self.words)))?;
        }
        Ok(!chosen.is_empty())
    }

    fn step(&mut self, chosen: &[(RoleId, (Turn, NativeTurn))]) -> Result<(), End> {
        let joint: JointMove<Turn> =
            chosen.iter().map(|(role, (turn, _))| (*role, turn.clone())).collect();
        let native: JointMove<NativeTurn> =
            chosen.iter().map(|(role, (_, turn))| (*role, turn.clone())).collect();
        let game = self.game;
        let (mut state, before) = (self.state.clone(), self.words.clone());
        let expected = game.reference().apply(&mut state, &joint).map(|_| ());
        let mut words = self.words.clone();
        let undo = game.apply(&mut words, &native);
        if let Err(Error::Rules { .. }) = &expected
            && undo.is_ok()
        {
            return Err(self.differ("step", &expected, &undo));
        }
        expected.map_err(End::Fault)?;
        let undo = undo.map_err(|error| self.differ("step", &joint, &error))?;
        self.words = words.clone();
        game.undo(&mut words, undo);
        self.same("undo", Ok(before), Ok(words))?;
        self.state = state;
        if let Some((interpreter, other)) = &mut self.interpreted {
            let made = interpreter.apply(other, &joint);
            made.map_err(|error| tested(&error))?;
        }
        Ok(())
    }
}

/// Every choice of one turn for each role that has some.
fn all_joint(turns: &[Vec<(Turn, NativeTurn)>]) -> Vec<JointMove<Turn>> {
    all_joint_by(turns, |(turn, _)| turn.clone())
}

fn all_joint_by<T, M: Clone>(turns: &[Vec<T>], of: impl Fn(&T) -> M) -> Vec<JointMove<M>> {
    let mut all: Vec<JointMove<M>> = vec![Vec::new()];
    for (role, of_role) in turns.iter().enumerate().filter(|(_, of_role)| !of_role.is_empty()) {
        let mut longer = Vec::new();
        for joint in &all {
            for turn in of_role {
                let mut joint: JointMove<M> = joint.clone();
                joint.push((RoleId(role), of(turn)));
                longer.push(joint);
            }
        }
        all = longer;
    }
    all.retain(|joint| !joint.is_empty());
    all
}
