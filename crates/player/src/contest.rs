//! Contests: one play of a game as texts, and playing it again to check it.
//!
//! In: a contest read from a file. Out: the session at its end, or the place of the first thing that
//! is wrong. Invariant: a contest that replays was played by the rules, move by move, and ended as it
//! says. `docs/contests.md` describes the file.

use rulesmith_game::{Ending, Error, JointMove, Notation, Outcome, RoleId, read_move};

use crate::session::Session;

/// A contest: which game, from where, what was played, how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contest {
    /// The game as it was asked for: a library name or a path.
    pub game: String,
    /// Parameters that were set.
    pub settings: Vec<(String, i32)>,
    /// Data texts that were set: name and file.
    pub data: Vec<(String, String)>,
    /// The state it starts from, when it is not the initial one.
    pub position: Option<(String, Place)>,
    /// The seed of its random players.
    pub seed: Option<u64>,
    /// Who played: role and player.
    pub players: Vec<(String, String)>,
    /// What was played.
    pub turns: Vec<Turn>,
    /// How it ended, where that is known.
    pub result: Option<(Conclusion, Place)>,
}

/// A place in a contest file, line and column from one; zeros for what was not read from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

/// One turn: the moves made at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// One move for each role that moved.
    pub moves: Vec<PlayedMove>,
    /// Where it stands.
    pub place: Place,
}

/// A move as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayedMove {
    /// The role.
    pub role: String,
    /// The move.
    pub text: String,
    /// Where the role stands.
    pub role_place: Place,
    /// Where the move stands.
    pub text_place: Place,
}

impl PlayedMove {
    /// A move that was not read from a file.
    pub fn new(role: &str, text: &str) -> Self {
        Self { role: role.to_owned(), text: text.to_owned(), ..Self::default() }
    }
}

/// How a contest ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It was left before its end.
    Unfinished,
    /// A role gave up.
    Resigned(String),
    /// By the rules: why, and the roles' goal values.
    Over(Ending, Vec<(String, Option<u8>)>),
}

impl Conclusion {
    /// The conclusion of an outcome.
    pub fn of(roles: &[String], outcome: Option<&Outcome>) -> Self {
        let over = |outcome: &Outcome| {
            let goals = roles.iter().cloned().zip(outcome.goals.iter().copied());
            Self::Over(outcome.ending, goals.collect())
        };
        outcome.map_or(Self::Unfinished, over)
    }
}

/// What is wrong with a contest file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ContestError {
    /// The place.
    pub place: Place,
    /// One sentence in lower case without full stop.
    pub message: String,
    /// Was it a limit or a stop, and so no fault of the file?
    pub limit: Option<Error>,
}

impl ContestError {
    /// A fault of the file.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), limit: None }
    }

    fn of(place: Place, error: Error) -> Self {
        let message = error.to_string();
        let is_limit = matches!(error, Error::Limit { .. } | Error::Interrupted);
        Self { place, message, limit: is_limit.then_some(error) }
    }
}

/// Plays a contest again from its start, checking every move and the result.
pub fn replay<'g, G: Notation>(
    game: &'g G,
    contest: &Contest,
) -> Result<Session<'g, G>, ContestError> {
    let place = contest.position.as_ref().map_or_else(Place::default, |(_, place)| *place);
    let position = contest.position.as_ref().map(|(text, _)| game.parse_state(text));
    let position = position.transpose().map_err(|error| ContestError::of(place, error))?;
    let session = Session::start(game, position);
    let mut session = session.map_err(|error| ContestError::of(place, error))?;
    for turn in &contest.turns {
        let joint = read_turn(&session, turn)?;
        session.make(joint).map_err(|error| ContestError::of(turn.place, error))?;
    }
    check_result(&session, contest)?;
    Ok(session)
}

/// The joint move a turn names.
fn read_turn<G: Notation>(
    session: &Session<'_, G>,
    turn: &Turn,
) -> Result<JointMove<G::Move>, ContestError> {
    if session.outcome().is_some() {
        return Err(ContestError::new(turn.place, "the contest was over before this turn"));
    }
    let names = session.game().roles();
    let mut joint: JointMove<G::Move> = Vec::new();
    for played in &turn.moves {
        let role = names.iter().position(|name| *name == played.role).map(RoleId);
        let role = role.ok_or_else(|| {
            let message =
                format!("no role is called `{}`; the roles are {}", played.role, names.join(", "));
            ContestError::new(played.role_place, message)
        })?;
        if joint.iter().any(|(mover, _)| *mover == role) {
            let message = format!("`{}` moves twice in this turn", played.role);
            return Err(ContestError::new(played.role_place, message));
        }
        if !session.choices().iter().any(|(mover, _)| *mover == role) {
            let message = format!("it is not the turn of `{}`", played.role);
            return Err(ContestError::new(played.role_place, message));
        }
        let chosen = read_move(session.game(), session.state(), role, &played.text);
        let chosen = chosen.map_err(|error| ContestError::of(played.text_place, error))?;
        joint.push((role, chosen));
    }
    joint.sort_by_key(|(role, _)| *role);
    Ok(joint)
}

/// Does the contest end as it says? A file without a result says nothing.
fn check_result<G: Notation>(
    session: &Session<'_, G>,
    contest: &Contest,
) -> Result<(), ContestError> {
    let Some((result, place)) = &contest.result else { return Ok(()) };
    let found = Conclusion::of(session.game().roles(), session.outcome());
    let agrees = match result {
        Conclusion::Resigned(role) => {
            found == Conclusion::Unfinished && session.game().roles().contains(role)
        }
        result => *result == found,
    };
    if agrees {
        return Ok(());
    }
    let found = crate::contest_text::result_text(&found);
    Err(ContestError::new(*place, format!("by the rules the result is `{found}`")))
}
