//! Many random contests in a row, without making anything anew for each.
//!
//! In: a native game with a kernel for whole contests, a state, and which contests. Out: their sums.
//! Invariant: contest by contest the same as one after another by the game contract.

use std::ops::ControlFlow;

use rulesmith_game::{Contests, Draws, Error, Game, Playout, PlayoutSums, Random, RoleId};

use super::game::{NativeGame, NativeState, TURNS_AT_ONCE};

impl NativeGame {
    /// Plays contests by the kernel for whole ones. Those that may be longer than a kernel is left alone
    /// for are played apart.
    pub(super) fn contests_in_a_row(
        &self,
        state: &NativeState,
        contests: &Contests,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
        sums: &mut PlayoutSums,
    ) -> Result<(), (u64, Error)> {
        let mut now = state.clone();
        let goals = vec![(0, 0); self.roles().len()];
        let mut done = PlayoutSums { goals, ..PlayoutSums::default() };
        let mut failed = None;
        for number in contests.numbers.clone() {
            if tick().is_break() {
                failed = Some((number, Error::Interrupted));
                break;
            }
            now.words.copy_from_slice(&state.words);
            now.past.clone_from(&state.past);
            let mut random = Random::of_contest(contests.seed, number);
            let limit = contests.max_length.min(TURNS_AT_ONCE);
            let played = match self.whole_contest(&mut now, random.next_bits(), limit, &mut done) {
                // It goes on, or is just over; the long way knows.
                Ok(false) => {
                    let mut random = Random::of_contest(contests.seed, number);
                    let played = self.random_contest(state, &mut random, contests.max_length, tick);
                    played.map(|played| done.add(&played))
                }
                played => played.map(|_| ()),
            };
            if let Err(error) = played {
                failed = Some((number, error));
                break;
            }
        }
        sums.merge(&done);
        failed.map_or(Ok(()), Err)
    }

    /// Are there other reasons for the kernel to stop than that the rules say the contest is over?
    fn may_stop_early(&self) -> bool {
        self.plan.draw.is_some() || self.plan.has_long_turns || !self.plan.repeated.is_empty()
    }

    /// Plays one contest and adds it up; false if it was not over before the limit.
    fn whole_contest(
        &self,
        now: &mut NativeState,
        mut bits: u64,
        limit: u64,
        done: &mut PlayoutSums,
    ) -> Result<bool, Error> {
        let made = self.play_on(now, &mut bits, limit).unwrap_or(Ok(limit))?;
        if made == limit {
            return Ok(false);
        }
        if self.may_stop_early() {
            // It may be a draw, which has goals of its own, or not be over at all.
            let outcome = self.outcome(now, Draws::Apply)?;
            let is_over = outcome.is_some();
            if is_over {
                done.add(&Playout { length: made, outcome });
            }
            return Ok(is_over);
        }
        done.playouts += 1;
        done.turns += made;
        for (role, (sum, given)) in done.goals.iter_mut().enumerate() {
            if let Some(goal) = self.goal_at_end(now, RoleId(role))? {
                *sum += u64::from(goal);
                *given += 1;
            }
        }
        Ok(true)
    }
}
