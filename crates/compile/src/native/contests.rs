//! Many random contests in a row, without making anything anew for each.
//!
//! In: a native game with a kernel for whole contests, a state, and which contests. Out: their sums.
//! Invariant: contest by contest the same as one after another by the game contract.

use std::ops::ControlFlow;

use rulesmith_game::{Contests, Error, Game, PlayoutSums, Random, RoleId};

use super::game::{NativeGame, NativeState, TURNS_AT_ONCE};
use super::run::Code;

/// The room that contests are played in, one after another.
struct Room<'g> {
    game: &'g NativeGame,
    contests: &'g Code,
    /// Those of the state at the front.
    words: Vec<u64>,
}

impl<'g> Room<'g> {
    /// Room for contests from a state; nothing where their end has exceptions: a draw has goals that no
    /// kernel tells, and a kernel that keeps the past or tries whole turns may run out of room.
    fn new(game: &'g NativeGame, state: &NativeState) -> Option<Self> {
        let plan = &game.plan;
        let has_exceptions =
            plan.draw.is_some() || plan.has_long_turns || !plan.repeated.is_empty();
        let (contests, scratch) = (game.contests.as_ref().ok()?, plan.scratch.as_ref()?);
        if has_exceptions {
            return None;
        }
        let mut words = Vec::new();
        scratch.fill(&mut words, &state.words, &state.past)?;
        words.resize(words.len().max(game.code.state_words()), 0);
        Some(Self { game, contests, words })
    }

    /// Plays contests from a number on by one call, and adds them up; the number of the first that was not
    /// played. Fewer than asked for mean that the next one is not over before the limit, or that it is time
    /// to ask the caller again.
    fn play_row(
        &mut self,
        state: &NativeState,
        (asked, number): (&Contests, u64),
        done: &mut PlayoutSums,
    ) -> Result<u64, (u64, Error)> {
        let Self { game, contests, words } = self;
        let Some(row) = &game.plan.row else { return Ok(number) };
        let limit = asked.max_length.min(TURNS_AT_ONCE);
        words[..state.words.len()].copy_from_slice(&state.words);
        row.fill(words, asked.seed, (number, asked.numbers.end));
        let played = contests.change(game.plan.contest, words, &[limit, 1], &mut 0);
        row.take(words, number, done);
        let next = *row.number(words);
        played.map(|_| next).map_err(|error| (next, error))
    }

    /// Plays one contest and adds it up; false if it was not over before the limit.
    fn play(
        &mut self,
        state: &NativeState,
        mut bits: u64,
        limit: u64,
        done: &mut PlayoutSums,
    ) -> Result<bool, Error> {
        let Self { game, contests, words } = self;
        words[..state.words.len()].copy_from_slice(&state.words);
        let made = contests.change(game.plan.contest, words, &[limit, 0], &mut bits)?;
        if made == limit {
            return Ok(false);
        }
        done.playouts += 1;
        done.turns += made;
        for (role, (sum, given)) in done.goals.iter_mut().enumerate() {
            let result = game.code.change(game.plan.goals[role], words, &[], &mut 0)?;
            if let Some(goal) = game.goal_value(result, RoleId(role))? {
                *sum += u64::from(goal);
                *given += 1;
            }
        }
        Ok(true)
    }
}

impl NativeGame {
    /// Plays contests, in one room where that can be done.
    pub(super) fn contests_in_a_row(
        &self,
        state: &NativeState,
        contests: &Contests,
        tick: &mut dyn FnMut() -> ControlFlow<()>,
        sums: &mut PlayoutSums,
    ) -> Result<(), (u64, Error)> {
        let goals = vec![(0, 0); self.roles().len()];
        let mut done = PlayoutSums { goals, ..PlayoutSums::default() };
        let mut room = Room::new(self, state);
        let mut numbers = contests.numbers.clone();
        let mut play = || -> Result<(), (u64, Error)> {
            while !numbers.is_empty() {
                let number = numbers.start;
                if let Some(room) = &mut room {
                    if tick().is_break() {
                        return Err((number, Error::Interrupted));
                    }
                    numbers.start = room.play_row(state, (contests, number), &mut done)?;
                    if numbers.start > number {
                        continue;
                    }
                }
                let contest = (contests, number);
                let played = self.one_contest((room.as_mut(), state), contest, tick, &mut done);
                played.map_err(|error| (number, error))?;
                numbers.start += 1;
            }
            Ok(())
        };
        let played = play();
        sums.merge(&done);
        played
    }

    /// Plays one contest, in a room if it is over soon.
    fn one_contest(
        &self,
        (room, state): (Option<&mut Room<'_>>, &NativeState),
        (contests, number): (&Contests, u64),
        tick: &mut dyn FnMut() -> ControlFlow<()>,
        done: &mut PlayoutSums,
    ) -> Result<(), Error> {
        let mut random = Random::of_contest(contests.seed, number);
        if let Some(room) = room
            && self.plan.row.is_none()
        {
            let (bits, limit) =
                (random.clone().next_bits(), contests.max_length.min(TURNS_AT_ONCE));
            if room.play(state, bits, limit, done)? {
                return Ok(());
            }
        }
        // It goes on, or is just over; the long way knows.
        done.add(&self.random_contest(state, &mut random, contests.max_length, tick)?);
        Ok(())
    }
}
