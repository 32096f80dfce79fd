//! `rulesmith generate`: chess-like games to order.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use rulesmith_player::{GENERATED, GenerateError, Generated, Knob, KnobInfo, Knobs, generate};
use serde::Serialize;

use super::generate_knobs::set_knobs;
use super::stopped_or;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::generate_args::GenerateArgs;
use crate::open::Front;
use crate::output::{SCHEMA, counted};
use crate::progress::Progress;
use crate::words::plain;

/// What `--json` prints for each game.
#[derive(Debug, Serialize)]
struct GameJson<'g> {
    schema: u32,
    name: &'g str,
    seed: u64,
    columns: i32,
    rows: i32,
    kinds: usize,
    goals: usize,
    drafts: u64,
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'g str>,
}

pub(super) fn run(front: &mut Front, args: &GenerateArgs) -> anyhow::Result<()> {
    let knobs = set_knobs(front, args)?;
    if args.print_knobs {
        return front.output.bytes(knobs_text(&knobs).as_bytes());
    }
    let last = args
        .seed
        .checked_add(args.count - 1)
        .ok_or_else(|| Failure::new(Exit::Usage, "there are not so many seeds after this one"))?;
    if args.count > 1 && args.out.is_none() && !args.json {
        let failure = Failure::new(Exit::Usage, "more than one game does not go to the terminal");
        return Err(failure.help("say where they are written: `--out DIR`").into());
    }
    if let Some(folder) = &args.out {
        files::make_folder(folder)?;
    }
    let mut progress = Progress::start();
    for seed in args.seed..=last {
        let n_done = seed - args.seed;
        progress.show(|| format!("{n_done} of {} games", args.count));
        let made = generate(&knobs, seed, &front.interrupt.stop).map_err(|error| match error {
            GenerateError::Stopped => stopped_or(front, "it stopped by itself".to_owned()),
            error @ GenerateError::NoGame { .. } => {
                let help = "these knobs ask for games that are over before they begin; change some, or try other seeds";
                Failure::new(Exit::Limit, error.to_string()).help(help)
            }
        });
        let made = made.inspect_err(|_| progress.clear())?;
        let file = args.out.as_deref().map(|folder| write(folder, &made)).transpose()?;
        if args.json {
            front.output.json(&to_json(&made, file.as_deref()))?;
        } else if file.is_none() {
            front.output.bytes(made.text.as_bytes())?;
        }
    }
    progress.clear();
    if let (Some(folder), false) = (&args.out, args.json) {
        let games = counted(usize::try_from(args.count).unwrap_or(usize::MAX), "game");
        let folder = folder.display().to_string();
        front.output.line(format_args!("{games} written to {}", plain(&folder)))?;
    }
    Ok(())
}

/// Writes a game; another file of that name is left as it is.
fn write(folder: &Path, made: &Generated) -> Result<PathBuf, Failure> {
    let path = folder.join(format!("{}.scl", made.game.name.text));
    files::replace_text(&path, &made.text, GENERATED)?;
    Ok(path)
}

fn to_json<'g>(made: &'g Generated, file: Option<&Path>) -> GameJson<'g> {
    GameJson {
        schema: SCHEMA,
        name: &made.game.name.text,
        seed: made.seed,
        columns: made.game.board.width,
        rows: made.game.board.height,
        kinds: made.game.pieces.len(),
        goals: made.game.goals.len(),
        drafts: made.n_drafts,
        file: file.map(|file| file.display().to_string()),
        text: file.is_none().then_some(&made.text),
    }
}

/// All knobs as a file that reads back.
fn knobs_text(knobs: &Knobs) -> String {
    let mut text = "# Knobs of `rulesmith generate`; docs/generate.md says more.\n".to_owned();
    for knob in Knob::all() {
        let info = knob.info();
        let value = knobs.text(knob);
        let is_plain = value.parse::<f64>().is_ok();
        let value = if is_plain { value } else { format!("\"{value}\"") };
        let KnobInfo { name, kind, meaning, .. } = info;
        let _ = write!(text, "\n# {meaning} ({kind})\n{name} = {value}\n");
    }
    text
}
