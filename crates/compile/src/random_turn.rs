//! Random turns of the reference engine, without listing what need not be listed.
//!
//! In: a state and a role. Out: a turn that is legal, if there is one, and how many steps were looked at.
//! Where many of a role's conceivable steps are legal, steps are drawn and tested until one is: in Go a
//! move is found by one test in place of 361. Elsewhere the legal steps are listed, and a turn of several
//! steps is walked step by step. Invariant: the same random numbers give the same turn; a role with a legal
//! turn gets one; among turns of one step all are equally likely.

use std::rc::Rc;

use rulesmith_game::{Error, Game, Random, RoleId};
use rulesmith_logic::{DomainId, Row, Value};
use rulesmith_rules::{MoveId, TurnIdentity};

use crate::reference::state::StateCore;
use crate::reference::turns::{MOST_DRAWN, MOST_WALKS, TURNS};
use crate::reference::{ReferenceGame, State, Step, Turn};

/// Steps that are drawn and tested before the legal ones are listed.
const DRAWS: usize = 16;

/// Steps are drawn only where one of so many was legal when they were last listed.
const SPARSE: usize = 8;

/// Turns that one is drawn from; where there are more, it is walked.
const MOST_LISTED: usize = 300;

/// Steps walked in one turn before all turns are listed instead.
const WALK_LIMIT: usize = 64;

/// Chooses turns at random.
pub(crate) struct TurnChooser<'g> {
    game: &'g ReferenceGame,
    kinds: Vec<Candidates>,
    n_candidates: Option<usize>,
    /// For each role whether drawing pays, as far as is known.
    is_sparse: Vec<bool>,
    /// Steps looked at so far.
    pub(crate) n_looked_at: usize,
}

/// The steps of one kind that one can think of: a value for each parameter.
struct Candidates {
    kind: MoveId,
    domains: Vec<DomainId>,
    n_steps: usize,
}

impl<'g> TurnChooser<'g> {
    pub(crate) fn new(game: &'g ReferenceGame) -> Self {
        let kinds: Option<Vec<Candidates>> =
            game.theory().move_ids().map(|kind| candidates(game, kind)).collect();
        let count = |kinds: &Vec<Candidates>| {
            kinds.iter().try_fold(0_usize, |sum, kind| sum.checked_add(kind.n_steps))
        };
        let n_candidates = kinds.as_ref().and_then(count).filter(|n_steps| *n_steps > 0);
        let is_sparse = vec![false; game.roles().len()];
        let kinds = kinds.unwrap_or_default();
        Self { game, kinds, n_candidates, is_sparse, n_looked_at: 0 }
    }

    /// One of the turns of a role.
    pub(crate) fn turn(
        &mut self,
        state: &State,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<Turn>, Error> {
        let theory = self.game.theory();
        let is_chosen_whole =
            !theory.preferences.is_empty() || theory.turn_identity != TurnIdentity::Path;
        if !is_chosen_whole {
            let has_long_turns = !theory.base.clauses_of(theory.continues).is_empty();
            if !has_long_turns {
                let step = self.step(&state.core, role, random)?;
                return Ok(step.map(|step| Turn { steps: vec![step] }));
            }
            if let Walk::Done(turn) = self.walk(&state.core, role, random)? {
                return Ok(turn);
            }
        }
        if let Some(turns) = self.game.few_turns(state, role, MOST_LISTED)? {
            self.n_looked_at += turns.len();
            return Ok(random.choose(&turns).cloned());
        }
        self.n_looked_at += MOST_LISTED;
        self.walks(&state.core, role, random).map(Some)
    }

    /// Walks until a turn is completed.
    fn walks(
        &mut self,
        core: &Rc<StateCore>,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Turn, Error> {
        for _ in 0..MOST_WALKS {
            if let Walk::Done(Some(turn)) = self.walk(core, role, random)? {
                return Ok(turn);
            }
        }
        Err(Error::Limit { name: TURNS, limit: MOST_LISTED as u64 })
    }

    /// Walks a turn of several steps.
    fn walk(
        &mut self,
        core: &Rc<StateCore>,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Walk, Error> {
        let (mut core, mut steps) = (Rc::clone(core), Vec::new());
        while steps.len() < WALK_LIMIT {
            let Some(step) = self.step(&core, role, random)? else {
                return Ok(if steps.is_empty() { Walk::Done(None) } else { Walk::Lost });
            };
            let taken = self.game.take(&core, role, &step)?;
            steps.push(step);
            if !taken.continues {
                return Ok(Walk::Done(Some(Turn { steps })));
            }
            core = taken.core;
        }
        Ok(Walk::Lost)
    }

    /// One of the legal steps of a role.
    pub(crate) fn step(
        &mut self,
        core: &Rc<StateCore>,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<Step>, Error> {
        if !self.is_sparse[role.0]
            && let Some(n_candidates) = self.n_candidates
        {
            for _ in 0..DRAWS {
                let step = self.candidate(random.below(n_candidates));
                self.n_looked_at += 1;
                if self.game.is_legal_step(core, role, &step)? {
                    return Ok(Some(step));
                }
            }
        }
        let steps = self.game.legal_steps(core, role)?;
        self.n_looked_at += steps.len();
        if !steps.is_empty() {
            let n_candidates = self.n_candidates.unwrap_or(usize::MAX);
            self.is_sparse[role.0] = steps.len() < n_candidates / SPARSE;
        }
        Ok(random.choose(&steps).cloned())
    }

    /// The candidate of this number.
    fn candidate(&self, mut number: usize) -> Step {
        let theory = self.game.theory();
        for kind in &self.kinds {
            if number >= kind.n_steps {
                number -= kind.n_steps;
                continue;
            }
            let mut value = |domain: &DomainId| -> Value {
                let values = &theory.base.domain(*domain).values;
                let place = number % values.len();
                number /= values.len();
                values[place]
            };
            let args: Row = kind.domains.iter().map(&mut value).collect();
            return Step { kind: kind.kind, args };
        }
        unreachable!("a number below the number of candidates is one of theirs")
    }
}

impl ReferenceGame {
    /// One of the turns of a role, each equally likely. Where there are very many, and none has to be compared with all
    /// others, it is drawn step by step.
    pub(crate) fn random_turn(
        &self,
        state: &State,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<Turn>, Error> {
        match self.few_turns(state, role, MOST_DRAWN)? {
            Some(turns) => Ok(random.choose(&turns).cloned()),
            None => TurnChooser::new(self).walks(&state.core, role, random).map(Some),
        }
    }
}

/// How a walk through a turn ended.
enum Walk {
    /// With a turn; or there is none.
    Done(Option<Turn>),
    /// In a turn that cannot be completed.
    Lost,
}

/// The candidates of a kind; none where a parameter may be anything.
fn candidates(game: &ReferenceGame, kind: MoveId) -> Option<Candidates> {
    let theory = game.theory();
    let legal = theory.move_kind(kind).legal;
    let params = theory.base.predicate(legal).domains.iter().skip(1).copied();
    let domains: Vec<DomainId> = params.collect::<Option<_>>()?;
    let sizes = domains.iter().map(|domain| theory.base.domain(*domain).values.len());
    let n_steps = sizes.into_iter().try_fold(1_usize, usize::checked_mul)?;
    Some(Candidates { kind, domains, n_steps })
}
