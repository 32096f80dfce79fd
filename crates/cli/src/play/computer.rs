//! The program's own moves: a budget as flags give it, a choice, and its scores as lines.
//!
//! Invariant: without a limit in seconds the same seed chooses the same move.

use rulesmith_game::{Error, Game, Random, RoleId};
use rulesmith_player::{Choice, MonteCarlo, Pace, Seat, Session, choose};

use crate::clock::Stopwatch;
use crate::interrupt::Interrupt;
use crate::play::args::OpponentArgs;
use crate::words::plain;

/// Playouts for one move, where nothing is said.
const DEFAULT_PLAYOUTS: u64 = 2_000;
/// Where nothing is said a move also takes no longer than this, for a person waits for it.
const DEFAULT_SECONDS: f64 = 5.0;

/// What the program may spend on a move.
pub(super) struct Computer {
    limits: MonteCarlo,
    seconds: f64,
    interrupt: Interrupt,
}

impl Computer {
    pub(super) fn new(args: &OpponentArgs, interrupt: &Interrupt) -> Self {
        let (playouts, seconds) = match (args.playouts, args.seconds) {
            (None, None) => (DEFAULT_PLAYOUTS, DEFAULT_SECONDS),
            (playouts, seconds) => (playouts.unwrap_or(u64::MAX), seconds.unwrap_or(f64::INFINITY)),
        };
        let limits = MonteCarlo { playouts, max_length: args.playout_length, seed: 0 };
        Self { limits, seconds, interrupt: interrupt.clone() }
    }

    /// Has nobody stopped the work?
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.interrupt.flow().is_break() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// The choice of a role that has to move, by playouts.
    pub(super) fn choice<G: Game>(
        &self,
        session: &Session<'_, G>,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<Choice<G::Move>>, Error> {
        let watch = Stopwatch::start();
        let mut pace = || {
            if self.interrupt.flow().is_break() {
                Pace::Interrupt
            } else if watch.seconds() >= self.seconds {
                Pace::Enough
            } else {
                Pace::GoOn
            }
        };
        let limits = MonteCarlo { seed: random.next_bits(), ..self.limits };
        choose(session.game(), session.state(), role, &limits, &mut pace)
    }

    /// The choice of a role that has to move, as its seat says; a random one has no scores.
    pub(super) fn play<G: Game>(
        &self,
        session: &Session<'_, G>,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Choice<G::Move>, Error> {
        if session.seats()[role.0] == Seat::MonteCarlo
            && let Some(choice) = self.choice(session, role, random)?
        {
            return Ok(choice);
        }
        let chosen = session.random_move(role, random).expect("a role to move has a move");
        Ok(Choice { chosen, scores: Vec::new(), playouts: 0, capped: 0 })
    }
}

/// The scores of the best moves, as a small table; nothing where there was nothing to choose.
pub(super) fn score_lines<M: Clone>(
    choice: &Choice<M>,
    n_shown: usize,
    text: &dyn Fn(&M) -> String,
) -> Vec<String> {
    let ranked = choice.ranked();
    if ranked.is_empty() || n_shown == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!("{:>9}{:>10}  move", "score", "playouts")];
    for score in ranked.iter().take(n_shown) {
        let mean = score.mean.map_or("none".to_owned(), |mean| format!("{mean:.1}"));
        let text = text(&score.chosen);
        lines.push(format!("{mean:>9}{:>10}  {}", score.visits, plain(&text)));
    }
    let n_more = choice.scores.len().saturating_sub(n_shown);
    let more = if n_more > 0 { format!("  ({n_more} more)") } else { String::new() };
    lines.push(format!("{:>9}{:>10}  in all{more}", "", choice.playouts));
    lines
}
