//! The start of a generated game: it goes on, and both sides can move.
//!
//! In: a game. Out: nothing, or why it will not do. The reference engine judges it: rules are read in one place alone.
//! Where armies are set up by turns, one way of setting them up is judged. On the largest boards that takes too long:
//! there the tables say who can surely move. No goal that is drawn holds at the start, so a move is enough. Where captures go on, the first
//! turns must be few enough to be listed.

use rulesmith_analyze::Prospects;
use rulesmith_compile::{ReferenceGame, TurnLimits};
use rulesmith_game::{Draws, Error, Game, RoleId};
use rulesmith_logic::Stop;
use rulesmith_rules::NoFiles;
use rulesmith_rules::scl::{Piece, SclGame, Setup, Square, print_scl};

use super::Refusal;
use super::army::placements;
use crate::build::{BuildRequest, Language, build, reference_game};
use crate::limits::BuildLimits;

/// Nobody chooses among more turns, and no engine should have to list them: captures that go on can make hundreds of thousands.
const MOST_LISTED: usize = 2_000;

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
    if let Setup::Assignment { names, squares, .. } = &game.setup {
        let squares: Vec<Square> = squares.iter().map(|(square, _)| *square).collect();
        set_up.setup = Setup::Placements(placements(names, &squares));
    }
    let continues = |piece: &Piece| piece.constraints.continue_captures.is_some();
    let whole = game.pieces.iter().any(continues).then(|| set_up.clone());
    for piece in &mut set_up.pieces {
        // A first capture is legal whether or not it goes on, and ways to go on can be many.
        piece.constraints.continue_captures = None;
    }
    let plain = engine(&set_up, TurnLimits::default(), stop)?;
    look(&plain).map_err(|error| match error {
        Error::Interrupted => Refusal::Stopped,
        error => Refusal::Costly(error.to_string()),
    })??;
    let Some(whole) = whole else { return Ok(()) };
    let limits = TurnLimits { turns: MOST_LISTED, ..TurnLimits::default() };
    match list_turns(&engine(&whole, limits, stop)?) {
        Err(Error::Interrupted) => Err(Refusal::Stopped),
        Err(Error::Limit { name: "turns", .. }) => Err(Refusal::ManyTurns),
        // What else is costly about captures that go on is no reason: contests do not list them.
        _ => Ok(()),
    }
}

/// The engine that judges a game.
fn engine(game: &SclGame, turns: TurnLimits, stop: &Stop) -> Result<ReferenceGame, Refusal> {
    let mut limits = BuildLimits { turns, ..BuildLimits::default() };
    limits.solver.inferences = INFERENCES;
    let request = BuildRequest {
        name: "generated.scl".to_owned(),
        text: print_scl(game),
        language: Language::Scl,
        limits,
        ..BuildRequest::default()
    };
    let game = reference_game(build(&request, &NoFiles), &request.limits, stop);
    game.map_err(|result| {
        let first = result.diagnostics.list.into_iter().next();
        Refusal::Problem(first.map(|problem| problem.message).unwrap_or_default())
    })
}

/// Lists the first turns, and the answers to some of them: an error where they are more than the limit.
fn list_turns(game: &impl Game) -> Result<(), Error> {
    let mut state = game.initial()?;
    let turns = game.legal_moves(&state, RoleId(0))?;
    let every = turns.len().div_ceil(MOST_TURNS).max(1);
    for turn in turns.into_iter().step_by(every) {
        let undo = game.apply(&mut state, &vec![(RoleId(0), turn)])?;
        if game.outcome(&state, Draws::Apply)?.is_none() {
            game.legal_moves(&state, RoleId(1))?;
        }
        game.undo(&mut state, undo);
    }
    Ok(())
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
