//! The start of a generated game: it goes on, and both sides can move.
//!
//! In: a game. Out: nothing, or why it will not do. The reference engine judges it: rules are read in one place alone.
//! Where armies are set up by turns, one way of setting them up is judged.

use rulesmith_game::{Draws, Error, Game, RoleId};
use rulesmith_logic::Stop;
use rulesmith_rules::NoFiles;
use rulesmith_rules::scl::{SclGame, Setup, Square, print_scl};

use super::Refusal;
use super::army::placements;
use crate::build::{BuildRequest, Language, build, reference_game};
use crate::limits::BuildLimits;

/// So many first turns are tried before nobody is said to have an answer.
const MOST_TURNS: usize = 12;

/// Inferences that one question about the start may take.
const INFERENCES: u64 = 20_000_000;

/// Is there a first turn, and an answer to one?
pub(super) fn judge_start(game: &SclGame, stop: &Stop) -> Result<(), Refusal> {
    let mut set_up = game.clone();
    if let Setup::Assignment { names, squares, .. } = &game.setup {
        let squares: Vec<Square> = squares.iter().map(|(square, _)| *square).collect();
        set_up.setup = Setup::Placements(placements(names, &squares));
    }
    let mut limits = BuildLimits::default();
    limits.solver.inferences = limits.solver.inferences.min(INFERENCES);
    let request = BuildRequest {
        name: "generated.scl".to_owned(),
        text: print_scl(&set_up),
        language: Language::Scl,
        limits,
        ..BuildRequest::default()
    };
    let game = reference_game(build(&request, &NoFiles), &request.limits, stop);
    let game = game.map_err(|result| {
        let first = result.diagnostics.list.into_iter().next();
        Refusal::Problem(first.map(|problem| problem.message).unwrap_or_default())
    })?;
    look(&game).map_err(|error| match error {
        Error::Interrupted => Refusal::Stopped,
        error => Refusal::Costly(error.to_string()),
    })?
}

fn look(game: &impl Game) -> Result<Result<(), Refusal>, Error> {
    let mut state = game.initial()?;
    if game.outcome(&state, Draws::Apply)?.is_some() {
        return Ok(Err(Refusal::OverAtStart));
    }
    let turns = game.legal_moves(&state, RoleId(0))?;
    // Turns that stand together are much alike.
    let every = turns.len().div_ceil(MOST_TURNS).max(1);
    for turn in turns.into_iter().step_by(every) {
        let undo = game.apply(&mut state, &vec![(RoleId(0), turn)])?;
        let goes_on = game.outcome(&state, Draws::Apply)?.is_none();
        game.undo(&mut state, undo);
        if goes_on {
            return Ok(Ok(()));
        }
    }
    Ok(Err(Refusal::NoAnswer))
}
