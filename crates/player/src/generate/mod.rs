//! The generator: chess-like games to order.
//!
//! In: knobs and a seed. Out: a game as `.scl` text, or why there is none. Read in this order: `knobs` with `knob_values`
//! (what is asked for), `dice` (draws), `army`, `pieces`, `goals` (a draft), `start` (what will not do). Paper: metagamer §1.2.
//! Invariants: the same knobs and seed give the same text; a text has no problems, not even warnings, and prints back as
//! it is; nothing is drawn for ever.

mod army;
mod dice;
mod goals;
mod knob_values;
mod knobs;
mod pieces;
mod start;

use std::collections::BTreeMap;
use std::fmt;

use rulesmith_game::Random;
use rulesmith_logic::Stop;
use rulesmith_rules::scl::{
    Constraints, Draw, MustCapture, SclGame, SclLimits, parse_scl, print_scl,
};
use rulesmith_rules::{Diagnostics, NoFiles, Sources};

use self::army::{draw_army, named};
use self::dice::Dice;
use self::goals::draw_goals;
use self::pieces::Workshop;
use self::start::judge_start;

pub use knob_values::KnobValue;
pub use knobs::{KNOBS, Knob, KnobError, KnobInfo, KnobKind, Knobs};

/// So many drafts are made before there is no such game.
const MOST_DRAFTS: u64 = 100;

/// So many drafts may have a start that takes too long to look at.
const MOST_COSTLY: u64 = 12;

/// A generated game.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What it was drawn from.
    pub seed: u64,
    /// The game.
    pub game: SclGame,
    /// Its text, after lines that say how it was made.
    pub text: String,
    /// How many drafts it took.
    pub n_drafts: u64,
}

/// Why a draft will not do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Refusal {
    /// No piece stands anywhere.
    #[error("there is no room for pieces")]
    NoRoom,
    /// The board is too small for what pieces are to do.
    #[error("no movement fits on the board")]
    NoMovement,
    /// Somebody has won, or nobody can move, before the first turn.
    #[error("the contest is over at the start")]
    OverAtStart,
    /// After the first turn the contest is over.
    #[error("the contest is over after the first turn")]
    NoAnswer,
    /// Captures go on in more ways than anybody can choose among.
    #[error("there are more turns than can be listed")]
    ManyTurns,
    /// The start takes too long to look at.
    #[error("the start cannot be judged: {0}")]
    Costly(String),
    /// The text has a problem.
    #[error("the text has a problem: {0}")]
    Problem(String),
    /// Somebody stopped it.
    #[error("it was stopped")]
    Stopped,
}

/// Why there is no such game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// Every draft was refused.
    NoGame {
        /// What it was drawn from.
        seed: u64,
        /// How many drafts were made.
        n_drafts: u64,
        /// Why drafts would not do, the most frequent reason first.
        reasons: Vec<(Refusal, u64)>,
    },
    /// Somebody stopped it.
    Stopped,
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("it was stopped"),
            Self::NoGame { seed, n_drafts, reasons } => {
                write!(f, "seed {seed} gives no game: of {n_drafts} drafts none will do")?;
                for (reason, count) in reasons {
                    write!(f, "\n  {count} times: {reason}")?;
                }
                Ok(())
            }
        }
    }
}

/// Draws a game.
///
/// ```
/// use rulesmith_player::{Knobs, Stop, generate};
/// let mut knobs = Knobs::default();
/// knobs.set("board_size", "4").unwrap();
/// let one = generate(&knobs, 7, &Stop::default()).unwrap();
/// assert!(one.text.contains("BOARD_SIZE 4 BY 4"));
/// assert_eq!(one.text, generate(&knobs, 7, &Stop::default()).unwrap().text);
/// ```
pub fn generate(knobs: &Knobs, seed: u64, stop: &Stop) -> Result<Generated, GenerateError> {
    let mut reasons: BTreeMap<Refusal, u64> = BTreeMap::new();
    for number in 0..MOST_DRAFTS {
        if stop.check().is_err() {
            return Err(GenerateError::Stopped);
        }
        let mut dice = Dice::new(knobs, Random::of_contest(seed, number));
        let drafted = draft(&mut dice, &format!("game_{seed}")).and_then(|game| judge(game, stop));
        match drafted {
            Ok(game) => {
                let text = format!("{}\n{}", heading(knobs, seed), print_scl(&game));
                return Ok(Generated { seed, game, text, n_drafts: number + 1 });
            }
            Err(Refusal::Stopped) => return Err(GenerateError::Stopped),
            Err(refusal) => *reasons.entry(refusal).or_default() += 1,
        }
        let costly = reasons.iter().filter(|(reason, _)| matches!(reason, Refusal::Costly(_)));
        if costly.map(|(_, count)| count).sum::<u64>() >= MOST_COSTLY {
            break;
        }
    }
    let n_drafts = reasons.values().sum();
    let mut reasons: Vec<(Refusal, u64)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Err(GenerateError::NoGame { seed, n_drafts, reasons })
}

/// What every generated text begins with.
pub const GENERATED: &str = "% Generated by `rulesmith generate";

/// How the text was made: lines that can be typed again.
fn heading(knobs: &Knobs, seed: u64) -> String {
    let mut command = format!("{GENERATED} --seed {seed}");
    for (name, text) in knobs.changed() {
        // One setting a line, so that lines stay short.
        let text =
            if text.contains(' ') { format!("'{name}={text}'") } else { format!("{name}={text}") };
        command.push_str(" \\\n%   --set ");
        command.push_str(&text);
    }
    command.push_str("`.\n");
    command
}

/// A game in which everything is drawn and nothing is judged.
fn draft(dice: &mut Dice<'_>, name: &str) -> Result<SclGame, Refusal> {
    let army = draw_army(dice)?;
    let kinds = army.kinds();
    let mut shop = Workshop { dice, board: &army.board, kinds: &kinds };
    let pieces = kinds.iter().map(|kind| shop.piece(kind)).collect::<Result<Vec<_>, _>>()?;
    let must = dice.chance(Knob::GAME_MUST_CAPTURE);
    let constraints =
        Constraints { must_capture: must.then(MustCapture::default), ..Constraints::default() };
    let turns = dice.range(Knob::TURN_LIMIT);
    if turns == 1 {
        return Err(Refusal::NoAnswer);
    }
    let mut game = SclGame {
        name: named(name),
        goals: vec![],
        board: army.board.clone(),
        inversion: Some(army.inversion),
        promote_rank: army.promote_rank,
        regions: vec![],
        setup: army.setup.clone(),
        constraints,
        draws: if turns > 0 { vec![Draw::Turns(turns)] } else { vec![] },
        repetitions: vec![],
        pieces,
    };
    game.goals = draw_goals(dice, &army, &game);
    Ok(game)
}

/// The game, if it has no problems, reads back as it is, and goes on at the start.
fn judge(game: SclGame, stop: &Stop) -> Result<SclGame, Refusal> {
    let text = print_scl(&game);
    let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
    let file = sources.add("generated.scl", &*text);
    let limits = SclLimits::default();
    let read = parse_scl(&mut sources, file, &NoFiles, &limits, &mut problems);
    if let Some(problem) = problems.list.into_iter().next() {
        return Err(Refusal::Problem(problem.message));
    }
    if read.map(SclGame::without_places).as_ref() != Some(&game) {
        return Err(Refusal::Problem("it reads back as another game".to_owned()));
    }
    judge_start(&game, stop)?;
    Ok(game)
}
