//! `rulesmith replay`: a saved contest, played again and checked.

use rulesmith_game::{Ending, Error, Game, MoveStyle, Notation, joint_text, styled_text};
use rulesmith_player::{Conclusion, Contest, Session, replay};
use serde::Serialize;

use crate::args::{GameOptions, ReplayArgs};
use crate::exit::{Failure, contest_failure};
use crate::files;
use crate::input::{Input, Inputs};
use crate::open::{self, Front};
use crate::output::{BOLD, ByRole, RESET, SCHEMA};
use crate::words::{self, plain};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct ReplayJson<'g> {
    schema: u32,
    game: String,
    roles: &'g [String],
    start: String,
    turns: Vec<TurnJson>,
    result: ResultJson,
}

#[derive(Debug, Serialize)]
struct TurnJson {
    moves: ByRole<String>,
    state: String,
}

#[derive(Debug, Serialize)]
struct ResultJson {
    ending: &'static str,
    goals: ByRole<Option<u8>>,
    resigned: Option<String>,
}

/// One turn shown: its moves and the state after it.
struct Shown {
    moves: ByRole<String>,
    text: String,
    state: String,
    picture: String,
}

pub(super) fn run(front: &mut Front, args: &ReplayArgs) -> anyhow::Result<()> {
    let contest = load(&args.file)?;
    let options = options_of(&contest, &args.options);
    let opened = open::open(front, args.game.as_deref().unwrap_or(&contest.game), &options)?;
    let session = replay(&opened.game, &contest);
    let session = session.map_err(|error| contest_failure(&args.file, error))?;
    let found = Conclusion::of(opened.game.roles(), session.outcome());
    let result = contest.result.as_ref().map_or(&found, |(result, _)| result);
    let shown = walk(&session, &contest, args.notation.style())?;
    if args.json {
        let (start, turns) = shown.split_first().expect("the start is always there");
        let turn =
            |shown: &Shown| TurnJson { moves: shown.moves.clone(), state: shown.state.clone() };
        return front.output.json(&ReplayJson {
            schema: SCHEMA,
            game: opened.game.name(),
            roles: opened.game.roles(),
            start: start.state.clone(),
            turns: turns.iter().map(turn).collect(),
            result: result_json(result),
        });
    }
    front.output.line(format_args!("{BOLD}{}{RESET}", plain(&opened.game.name())))?;
    for (role, player) in &contest.players {
        front.output.line(format_args!("{}: {}", plain(role), plain(player)))?;
    }
    print(front, args, &shown)?;
    front.output.line(words::result(result))
}

/// A contest file, read.
pub(crate) fn load(file: &str) -> Result<Contest, Failure> {
    let text = files::read_text(file.as_ref())?;
    Contest::parse(&text).map_err(|error| contest_failure(file, error))
}

/// The flags, and what the contest says where the flags say nothing.
pub(crate) fn options_of(contest: &Contest, flags: &GameOptions) -> GameOptions {
    let mut options = flags.clone();
    if options.set.is_empty() {
        options.set.clone_from(&contest.settings);
    }
    if options.data.is_empty() {
        options.data = contest.data.iter().map(|(name, file)| format!("{name}={file}")).collect();
    }
    options
}

/// The start and the state after every turn.
fn walk<G: Notation>(
    session: &Session<'_, G>,
    contest: &Contest,
    style: MoveStyle,
) -> Result<Vec<Shown>, Failure> {
    let game = session.game();
    let position = contest.position.as_ref().map(|(text, _)| game.parse_state(text)).transpose()?;
    let mut again = Session::start(game, position)?;
    let look = |again: &Session<'_, G>, text, moves| Shown {
        moves,
        text,
        state: game.state_text(again.state()),
        picture: game.picture(again.state()),
    };
    let mut shown = vec![look(&again, String::new(), ByRole(Vec::new()))];
    for joint in session.joints_made() {
        let text = joint_text(game, again.state(), joint, style);
        let moves = joint.iter().map(|(role, chosen)| {
            let text = styled_text(game, again.state(), (*role, chosen), style);
            (game.roles()[role.0].clone(), text)
        });
        let moves = ByRole(moves.collect());
        again.make(joint.clone())?;
        shown.push(look(&again, text, moves));
    }
    Ok(shown)
}

fn print(front: &mut Front, args: &ReplayArgs, shown: &[Shown]) -> anyhow::Result<()> {
    let mut inputs = Inputs::new(&front.interrupt);
    let draws_boards = args.boards || args.step;
    for (number, turn) in shown.iter().enumerate() {
        if number > 0 {
            let movers: Vec<_> = turn.moves.0.iter().map(|(role, _)| role.as_str()).collect();
            let mover = if let [mover] = movers[..] { format!("{mover} ") } else { String::new() };
            front.output.line(format_args!(
                "{number:>4}. {}{}",
                plain(&mover),
                plain(&turn.text)
            ))?;
        }
        if draws_boards || number + 1 == shown.len() {
            front.output.line(format_args!("\n{}\n", plain(turn.picture.trim_end())))?;
        }
        if args.step && number + 1 < shown.len() {
            front.output.prompt(format_args!("Enter for the next turn "))?;
            match inputs.wait() {
                Input::End => return front.output.line(""),
                Input::Stop => {
                    let stopped = front.interrupt.explain(Error::Interrupted);
                    return Err(Failure::from(stopped).into());
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn result_json(result: &Conclusion) -> ResultJson {
    match result {
        Conclusion::Unfinished => {
            ResultJson { ending: "unfinished", goals: ByRole(Vec::new()), resigned: None }
        }
        Conclusion::Resigned(role) => ResultJson {
            ending: "resigned",
            goals: ByRole(Vec::new()),
            resigned: Some(role.clone()),
        },
        Conclusion::Over(ending, goals) => {
            let ending = match ending {
                Ending::Terminal => "terminal",
                Ending::Draw => "draw",
                Ending::Stuck => "stuck",
            };
            ResultJson { ending, goals: ByRole(goals.clone()), resigned: None }
        }
    }
}
