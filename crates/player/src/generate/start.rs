//! The start of a generated game: it goes on, and both sides can move.
//!
//! In: a game. Out: nothing, or why it will not do. The reference engine judges it: rules are read in one place alone.
//! Where armies are set up by turns, one way of setting them up is judged. On the largest boards that takes too long:
//! there the tables say who can surely move. No goal that is drawn holds at the start, so a move is enough.

use rulesmith_analyze::Prospects;
use rulesmith_game::{Draws, Error, Game, RoleId};
use rulesmith_logic::Stop;
use rulesmith_rules::NoFiles;
use rulesmith_rules::scl::{SclGame, Setup, Square, print_scl};

use super::Refusal;
use super::army::placements;
use crate::build::{BuildRequest, Language, build, reference_game};
use crate::limits::BuildLimits;

/// So many first turns are tried before nobody is said to have an answer.
const MOST_TURNS: usize = 8;

/// Inferences that one question about the start may take: more would make contests wearisome.
const INFERENCES: u64 = 20_000_000;

/// Boards with more squares are judged by the tables.
const MOST_SQUARES: i32 = 150;

/// So many pieces must surely be able to move there: one turn does not stop them all.
const SURE_MOVERS: usize = 3;

/// Is there a first turn, and an answer to one?
pub(super) fn judge_start(game: &SclGame, stop: &Stop) -> Result<(), Refusal> {
    if game.board.width * game.board.height > MOST_SQUARES {
        let n_movers = Prospects::new(game).first_moves().len();
        return if n_movers >= SURE_MOVERS { Ok(()) } else { Err(Refusal::OverAtStart) };
    }
    let mut set_up = game.clone();
    for piece in &mut set_up.pieces {
        // A first capture is legal whether or not it goes on, and ways to go on can be many.
        piece.constraints.continue_captures = None;
    }
    if let Setup::Assignment { names, squares, .. } = &game.setup {
        let squares: Vec<Square> = squares.iter().map(|(square, _)| *square).collect();
        set_up.setup = Setup::Placements(placements(names, &squares));
    }
    let mut limits = BuildLimits::default();
    limits.solver.inferences = INFERENCES;
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
