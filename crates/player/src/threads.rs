//! Threads: random contests and perft shared out among several of them.
//!
//! In: a game for each thread and the work. Out: the same sums as one thread gives. Invariant: nothing
//! depends on how many threads there are: every contest has a stream of its own, every part of a perft is
//! counted once, and of several errors the one of the first part counts.

use std::ops::{ControlFlow, Deref};
use std::sync::atomic::{AtomicU64, Ordering};

use rulesmith_game::{
    Contests, Divided, Draws, Error, Game, JointMove, JointMoves, Perft, PlayoutSums, perft,
};

/// A thread's own game and the state to start from.
pub type OwnGame<G> = (Box<dyn Deref<Target = G>>, <G as Game>::State);

/// Makes the game of one more thread.
pub type MakeGame<'m, G> = dyn Fn() -> Result<OwnGame<G>, Error> + Sync + 'm;

/// The game in hand, and how further threads get theirs.
#[derive(Clone, Copy)]
pub struct Crew<'c, G: Game> {
    /// Plays in this thread.
    pub game: &'c G,
    /// Where the work starts.
    pub state: &'c G::State,
    /// Makes the others.
    pub make: &'c MakeGame<'c, G>,
    /// How many threads work; at least one, this one.
    pub threads: usize,
}

impl<G: Game> std::fmt::Debug for Crew<'_, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crew").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// How far work has come, and whether it goes on; asked now and then by all threads.
pub trait Overseer: Sync {
    /// Is the work to stop?
    fn is_over(&self) -> bool;
    /// The thread in hand tells how much is done so far.
    fn shows(&self, done: Done);
}

/// What is done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Contests that are over.
    pub contests: u64,
    /// Turns made in them, or leaves counted.
    pub states: u64,
}

/// Random contests to be played.
#[derive(Clone, Copy, Debug)]
pub struct ContestPlan {
    /// The seed of all of them.
    pub seed: u64,
    /// How many; without end if there are none.
    pub count: Option<u64>,
    /// Turns of one contest at most.
    pub max_length: u64,
}

/// Contests that were played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The sums over contests that are over.
    pub sums: PlayoutSums,
    /// Turns of contests that were broken off, as far as the engine tells.
    pub cut_turns: u64,
    /// What ended the work early.
    pub error: Option<Error>,
}

/// What all threads see.
#[derive(Debug)]
struct Shared {
    /// The next part that nobody has taken.
    next: AtomicU64,
    contests: AtomicU64,
    states: AtomicU64,
    /// The first part that failed; parts before it go on, so that it does not matter who was faster.
    failed_at: AtomicU64,
}

impl Default for Shared {
    fn default() -> Self {
        let zero = AtomicU64::default;
        Self { next: zero(), contests: zero(), states: zero(), failed_at: AtomicU64::new(u64::MAX) }
    }
}

impl Shared {
    fn done(&self) -> Done {
        Done {
            contests: self.contests.load(Ordering::Relaxed),
            states: self.states.load(Ordering::Relaxed),
        }
    }

    fn fail(&self, part: u64) {
        self.failed_at.fetch_min(part, Ordering::Relaxed);
    }
}

/// A thread's view of the work.
struct Worker<'w> {
    shared: &'w Shared,
    overseer: &'w dyn Overseer,
    /// This is the thread in hand, which shows how far the work is.
    shows: bool,
    ticks: u64,
    /// The part in hand.
    part: u64,
}

/// How often the overseer is told, in ticks.
const TICKS: u64 = 16;

impl Worker<'_> {
    fn tick(&mut self) -> ControlFlow<()> {
        self.ticks += 1;
        if self.shows && self.ticks % TICKS == 1 {
            self.overseer.shows(self.shared.done());
        }
        if self.goes_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn goes_on(&self) -> bool {
        self.part < self.shared.failed_at.load(Ordering::Relaxed) && !self.overseer.is_over()
    }

    /// Takes parts that nobody has taken, the first of so many; nothing if there are none left.
    fn take(&mut self, n_taken: u64, n_parts: u64) -> Result<Option<u64>, Error> {
        self.part = self.shared.next.fetch_add(n_taken, Ordering::Relaxed);
        match self.part {
            part if part >= n_parts => Ok(None),
            part if self.goes_on() => Ok(Some(part)),
            _ => Err(Error::Interrupted),
        }
    }
}

/// Runs the same work in every thread of a crew; the results in the order of the threads.
fn in_threads<G: Game, T: Send>(
    crew: &Crew<'_, G>,
    overseer: &dyn Overseer,
    work: &(dyn Fn(&G, &G::State, &mut Worker<'_>) -> T + Sync),
) -> Vec<Result<T, Error>> {
    let (make, shared) = (crew.make, &Shared::default());
    let worker = |shows| Worker { shared, overseer, shows, ticks: 0, part: 0 };
    let worker = &worker;
    let other = || -> Result<T, Error> {
        let (game, state) = make().inspect_err(|_| shared.fail(0))?;
        Ok(work(&game, &state, &mut worker(false)))
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..crew.threads).map(|_| scope.spawn(other)).collect();
        let mut results = vec![Ok(work(crew.game, crew.state, &mut worker(true)))];
        results.extend(others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        results
    })
}

/// The error of the first part; an interruption only if there is no other.
fn first_error(errors: Vec<(u64, Error)>) -> Option<Error> {
    let rank = |(part, error): &(u64, Error)| (*error == Error::Interrupted, *part);
    errors.into_iter().min_by_key(rank).map(|(_, error)| error)
}

/// Plays random contests until they are all played or the overseer stops them.
pub fn play_contests<G: Game>(
    crew: &Crew<'_, G>,
    plan: &ContestPlan,
    overseer: &dyn Overseer,
) -> Played {
    let work =
        |game: &G, state: &G::State, worker: &mut Worker<'_>| play_share(game, state, plan, worker);
    let (mut played, mut errors) = (Played::default(), Vec::new());
    for result in in_threads(crew, overseer, &work) {
        match result {
            Ok((share, contest)) => {
                played.sums.merge(&share.sums);
                played.cut_turns += share.cut_turns;
                errors.extend(share.error.map(|error| (contest, error)));
            }
            Err(error) => errors.push((0, error)),
        }
    }
    played.error = first_error(errors);
    played
}

/// Contests that a thread takes at once, at most.
const MAX_TAKEN: u64 = 64;

/// The contests of one thread, and the last one.
fn play_share<G: Game>(
    game: &G,
    state: &G::State,
    plan: &ContestPlan,
    worker: &mut Worker<'_>,
) -> (Played, u64) {
    let mut share = Played::default();
    let shared = worker.shared;
    let count = plan.count.unwrap_or(u64::MAX);
    let n_taken = (count / 256).clamp(1, MAX_TAKEN);
    loop {
        let start = match worker.take(n_taken, count) {
            Ok(Some(start)) => start,
            Ok(None) => return (share, worker.part),
            Err(error) => return (Played { error: Some(error), ..share }, worker.part),
        };
        let contests = Contests {
            seed: plan.seed,
            numbers: start..count.min(start.saturating_add(n_taken)),
            max_length: plan.max_length,
        };
        let (before, mut ticks) = ((share.sums.playouts, share.sums.turns), 0);
        let mut tick = || {
            ticks += 1;
            worker.tick()
        };
        let played = game.random_contests(state, &contests, &mut tick, &mut share.sums);
        let (playouts, turns) = (share.sums.playouts - before.0, share.sums.turns - before.1);
        shared.contests.fetch_add(playouts, Ordering::Relaxed);
        shared.states.fetch_add(turns, Ordering::Relaxed);
        if let Err((contest, error)) = played {
            if error != Error::Interrupted {
                shared.fail(contest);
            }
            // Engines that tick at every turn also tell of the turns of the last contest; the tick that
            // breaks off is followed by none.
            share.cut_turns = u64::saturating_sub(ticks, turns + 1);
            share.error = Some(error);
            return (share, contest);
        }
    }
}

/// Counts the leaves `depth` turns ahead, as [`perft`] does.
pub fn perft_in_threads<G: Game>(
    crew: &Crew<'_, G>,
    depth: u32,
    draws: Draws,
    overseer: &dyn Overseer,
) -> Result<Perft, Error> {
    let whole = |overseer| {
        let shared = Shared::default();
        let mut worker = Worker { shared: &shared, overseer, shows: true, ticks: 0, part: 0 };
        Counting { game: crew.game, depth, draws }.below(crew.state, depth, &mut worker)
    };
    if crew.threads == 1 || depth < 2 {
        return whole(overseer);
    }
    match divide_in_threads(crew, depth, draws, overseer) {
        Ok(parts) => Ok(sum(&parts)),
        Err(Error::Limit { name: DIVIDE, .. }) => whole(overseer),
        Err(error) => Err(error),
    }
}

/// The sum of a count that was taken apart.
pub fn sum<M>(parts: &Divided<M>) -> Perft {
    let add = |sum: Perft, (_, part): &(_, Perft)| Perft {
        leaves: sum.leaves.saturating_add(part.leaves),
        terminals: sum.terminals + part.terminals,
    };
    parts.iter().fold(Perft::default(), add)
}

/// Counts the leaves `depth` turns ahead, apart for each first joint move, as [`divide`](rulesmith_game::divide) does.
pub fn divide_in_threads<G: Game>(
    crew: &Crew<'_, G>,
    depth: u32,
    draws: Draws,
    overseer: &dyn Overseer,
) -> Result<Divided<G::Move>, Error> {
    let work = |game: &G, state: &G::State, worker: &mut Worker<'_>| {
        let mut counted = Vec::new();
        let counting = Counting { game, depth, draws };
        let error = counting.share(state, worker, &mut counted).err();
        if let Some(error) = &error
            && *error != Error::Interrupted
        {
            worker.shared.fail(worker.part);
        }
        (counted, error.map(|error| (worker.part, error)))
    };
    let (mut counted, mut errors) = (Vec::new(), Vec::new());
    for result in in_threads(crew, overseer, &work) {
        match result {
            Ok((share, error)) => {
                counted.extend(share);
                errors.extend(error);
            }
            Err(error) => errors.push((0, error)),
        }
    }
    if let Some(error) = first_error(errors) {
        return Err(error);
    }
    let firsts = Counting { game: crew.game, depth, draws }.joints(crew.state)?;
    let mut divided: Divided<G::Move> =
        firsts.into_iter().map(|joint| (joint, Perft::default())).collect();
    for (first, perft) in counted {
        let sum = &mut divided[first].1;
        sum.leaves = sum.leaves.saturating_add(perft.leaves);
        sum.terminals += perft.terminals;
    }
    Ok(divided)
}

/// A count from a state.
struct Counting<'c, G> {
    game: &'c G,
    depth: u32,
    draws: Draws,
}

/// First joint moves, and the second ones among which a part is told apart further.
type Parts = Vec<(usize, Option<usize>)>;

/// With more first joint moves than this, they alone are parts enough.
const FEW_FIRSTS: usize = 256;

/// Leaves are told to the others in portions, because telling takes time.
const LEAVES_TOLD: u64 = 1024;

/// More joint moves than this are not told apart.
const MAX_DIVIDED: u64 = 100_000;

/// The name of that limit.
const DIVIDE: &str = "divide";

impl<G: Game> Counting<'_, G> {
    /// The joint moves of a state that is not over.
    fn joints(&self, state: &G::State) -> Result<Vec<JointMove<G::Move>>, Error> {
        if self.depth == 0 || self.game.is_over(state, self.draws)? {
            return Ok(Vec::new());
        }
        let joints = JointMoves::of(self.game, state)?;
        let sizes = joints.choices().iter().map(|(_, moves)| moves.len() as u64);
        let product = sizes.into_iter().try_fold(1_u64, u64::checked_mul);
        if product.is_none_or(|n_joints| n_joints > MAX_DIVIDED) {
            return Err(Error::Limit { name: DIVIDE, limit: MAX_DIVIDED });
        }
        Ok(joints.collect())
    }

    /// The parts that threads take: by first joint move, and by the second where that is worth it.
    fn parts(&self, firsts: &[JointMove<G::Move>], state: &mut G::State) -> Result<Parts, Error> {
        if self.depth < 3 || firsts.len() > FEW_FIRSTS {
            return Ok((0..firsts.len()).map(|first| (first, None)).collect());
        }
        let mut parts = Vec::new();
        for (first, joint) in firsts.iter().enumerate() {
            let undo = self.game.apply(state, joint)?;
            let n_seconds = self.joints(state)?.len();
            self.game.undo(state, undo);
            parts.extend((0..n_seconds).map(|second| (first, Some(second))));
        }
        Ok(parts)
    }

    /// Counts what this thread takes, by first joint move.
    fn share(
        &self,
        state: &G::State,
        worker: &mut Worker<'_>,
        counted: &mut Vec<(usize, Perft)>,
    ) -> Result<(), Error> {
        let mut state = state.clone();
        let firsts = self.joints(&state)?;
        let parts = self.parts(&firsts, &mut state)?;
        while let Some(part) = worker.take(1, parts.len() as u64)? {
            let (first, second) = parts[usize::try_from(part).unwrap_or(usize::MAX)];
            let undo = self.game.apply(&mut state, &firsts[first])?;
            let count = match second {
                None => self.below(&state, self.depth - 1, worker)?,
                Some(second) => {
                    let mut after = state.clone();
                    self.game.apply(&mut after, &self.joints(&state)?[second])?;
                    self.below(&after, self.depth - 2, worker)?
                }
            };
            self.game.undo(&mut state, undo);
            counted.push((first, count));
        }
        Ok(())
    }

    fn below(&self, state: &G::State, depth: u32, worker: &mut Worker<'_>) -> Result<Perft, Error> {
        let mut told = 0;
        let mut progress = |leaves: u64| {
            if leaves - told >= LEAVES_TOLD {
                worker.shared.states.fetch_add(leaves - told, Ordering::Relaxed);
                told = leaves;
            }
            worker.tick()
        };
        let count = perft(self.game, state, depth, self.draws, &mut progress)?;
        worker.shared.states.fetch_add(count.leaves - told, Ordering::Relaxed);
        Ok(count)
    }
}
