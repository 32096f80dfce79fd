//! The arguments of `rulesmith show`, and how moves are written.

use clap::{Args, ValueEnum};
use rulesmith_game::MoveStyle;

use crate::args::GameArgs;

/// `rulesmith show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Show this state instead of the initial one
    #[arg(long, visible_alias = "fen", value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Make this move first; may be repeated. Where several roles move at once, give one move for
    /// each of them, in the order of the roles
    #[arg(long = "move", value_name = "MOVE", allow_hyphen_values = true)]
    pub(crate) moves: Vec<String>,
    /// Show only these legal moves: those of the piece on a square, or those whose text begins so, as
    /// in `--from N@`; `any` means all of them
    #[arg(long, value_name = "WHAT")]
    pub(crate) from: Option<String>,
    /// Draw the board, and with `--from` the moves: write a picture to this file, or `-` for the terminal
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "stages"])]
    pub(crate) svg: Option<String>,
    #[command(flatten)]
    pub(crate) notation: NotationArgs,
    /// Show how long each stage took, from the rules to a game that is ready
    #[arg(long)]
    pub(crate) stages: bool,
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// How moves are written; both ways are always read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct NotationArgs {
    /// How to write moves
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Style::Short)]
    notation: Style,
}

impl NotationArgs {
    /// How moves are written.
    pub(crate) fn style(self) -> MoveStyle {
        match self.notation {
            Style::Short => MoveStyle::Short,
            Style::Long => MoveStyle::Long,
        }
    }
}

/// How moves are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Style {
    /// As the rules say, such as `c3e5`
    #[default]
    Short,
    /// As sentences, such as `white man (3,3) -> (5,5) x black man (4,4).`
    Long,
}
