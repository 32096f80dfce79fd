//! The command line: commands, flags and their help.
//!
//! In: arguments. Out: one value per command. `docs/commands.md` tells the same story at length.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use rulesmith_player::{EngineKind, Optimization};

pub(crate) use crate::bench_args::{
    Bench, BenchConditionsArgs, BenchMatchArgs, BenchPerftArgs, BenchPlayoutsArgs, Peer,
};

pub(crate) use crate::dump_args::{DumpArgs, Stage};

use crate::cache_args::CacheCommand;
use crate::generate_args::{self, GenerateArgs};
use crate::import_args::ImportArgs;
use crate::play::PlayArgs;
use crate::sample_args::SampleArgs;
use crate::show_args::{NotationArgs, ShowArgs};

/// Takes the rules of a game and nothing else, reasons about them, and plays.
#[derive(Debug, Parser)]
#[command(name = "rulesmith", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "EXAMPLES:
  rulesmith games                        the library
  rulesmith play tic_tac_toe             play in the terminal
  rulesmith check my_game.rules          all problems of a rules file
  rulesmith perft breakthrough --depth 3 count states

Exit codes come in blocks: 0-9 done, 10-19 no answer but no fault, 20-29 a limit was reached,
30-39 bad input or bug.")]
pub(crate) struct Cli {
    /// When to use colors; `auto` means on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the library of games
    #[command(after_help = "EXAMPLES:\n  rulesmith games\n  rulesmith games --json")]
    Games(GamesArgs),
    /// Show all problems of a rules file, each with its place and a way out
    #[command(after_help = "EXAMPLES:
  rulesmith check my_game.rules
  rulesmith check go --set size=9
  rulesmith check my_game.rules --json")]
    Check(CheckArgs),
    /// Show a game: its parts, its board and the legal moves
    #[command(after_help = "EXAMPLES:
  rulesmith show breakthrough
  rulesmith show go --set size=9 --json
  rulesmith show chess --from g1 --svg knight.svg
  rulesmith show american_checkers --notation long
  rulesmith show sokoban --data my_level.xsb")]
    Show(ShowArgs),
    /// Play in the terminal
    #[command(after_help = "EXAMPLES:
  rulesmith play tic_tac_toe
  rulesmith play breakthrough --role black --seconds 2
  rulesmith play breakthrough --role all --save contest.txt
  rulesmith play breakthrough --contests 20 --opponent monte-carlo,random
  rulesmith play --load contest.txt

While playing, `help` lists what can be typed.")]
    Play(PlayArgs),
    /// Play a saved contest again, checking every move
    #[command(after_help = "EXAMPLES:
  rulesmith replay contest.txt
  rulesmith replay contest.txt --boards
  rulesmith replay contest.txt --json")]
    Replay(ReplayArgs),
    /// Count the states exactly so many turns ahead
    #[command(after_help = "EXAMPLES:
  rulesmith perft breakthrough --depth 3
  rulesmith perft breakthrough --depth 3 --divide
  rulesmith perft english_draughts --depth 7 --threads 2
  rulesmith perft go --set size=5 --depth 3 --json")]
    Perft(PerftArgs),
    /// Play random contests and show their mean length and goals
    #[command(after_help = "EXAMPLES:
  rulesmith playouts breakthrough --seconds 5 --threads 2
  rulesmith playouts tic_tac_toe --count 1000 --seed 7 --json")]
    Playouts(PlayoutsArgs),
    /// Print states of random contests, with their legal moves and where these lead
    #[command(after_help = "EXAMPLES:
  rulesmith sample chess --states 5
  rulesmith sample xiangqi --states 200 --seed 7 --json")]
    Sample(SampleArgs),
    /// Specialize a predicate: unfold it, prune and order it by metarules, and show how
    #[command(
        after_help = "A request names a predicate and says what is known when it is asked: +X is known, -X is
asked for, constants stay as they are.

EXAMPLES:
  rulesmith specialize grid 'distance(+X, -W, 3)'           points three steps away
  rulesmith specialize grid 'distance(+X, +X, 3)'           a rule that can never hold, and why
  rulesmith specialize grid 'path(+X, -D)' --at 'X=(10, 10)'
  rulesmith specialize reversi 'legal +P does place(S)' --html reversi.html
  rulesmith specialize english_draughts 'legal +P does any' --derivations
  rulesmith specialize go --set size=9 'legal +P does play(X)' --no-regress --json"
    )]
    Specialize(SpecializeArgs),
    /// Print what a stage of the pipeline made of a game
    #[command(after_help = "EXAMPLES:
  rulesmith dump breakthrough --stage theory
  rulesmith dump breakthrough --stage program
  rulesmith dump breakthrough --stage layout --json
  rulesmith dump chess --stage analysis --from g1")]
    Dump(DumpArgs),
    /// Generate chess-like games to order
    #[command(after_help = generate_args::EXAMPLES)]
    Generate(GenerateArgs),
    /// Turn chess variants of Fairy-Stockfish's `variants.ini` into rules
    #[command(after_help = "EXAMPLES:
  rulesmith import variants.ini                     which variants can be imported, and why others cannot
  rulesmith import variants.ini shogun --out .      writes shogun.scl
  rulesmith import variants.ini --out games         writes one .scl file for each variant
  rulesmith import variants.ini makhouse --ignore countingRule

A variant is refused if one of its keys cannot be said; --ignore leaves a key out all the same.")]
    Import(ImportArgs),
    /// Measure: random contests and perft beside other programs, and what specialised programs cost
    #[command(after_help = "EXAMPLES:
  rulesmith bench playouts connect_four reversi
  rulesmith bench perft breakthrough --depth 5
  rulesmith bench perft chess --depth 5 --peer fairy-stockfish
  rulesmith bench conditions
  rulesmith bench conditions english_draughts --profile
  rulesmith bench match --json")]
    Bench {
        /// What is measured
        #[command(subcommand)]
        bench: Bench,
    },
    /// Show or empty the folder in which programs and kernels of earlier runs are kept
    #[command(
        after_help = "The folder is $RULESMITH_CACHE, or `rulesmith` in the platform's folder for caches. An
empty $RULESMITH_CACHE, or --no-cache at a command, does without.

EXAMPLES:
  rulesmith cache path
  rulesmith cache list --json
  rulesmith cache clear"
    )]
    Cache {
        /// What to do with it
        #[command(subcommand)]
        command: CacheCommand,
    },
    /// Print a completion script for a shell
    #[command(after_help = "EXAMPLES:
  rulesmith completions bash > ~/.local/share/bash-completion/completions/rulesmith
  rulesmith completions fish > ~/.config/fish/completions/rulesmith.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write all manual pages into a folder
    #[command(after_help = "EXAMPLES:
  rulesmith man | man -l -
  rulesmith man --out ~/.local/share/man/man1")]
    Man {
        /// Write one page for each command into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<std::path::PathBuf>,
    },
}

/// Which game, and what is set from outside.
#[derive(Clone, Debug, Args)]
pub(crate) struct GameArgs {
    /// A name of the library (see `rulesmith games`), or a path to a .rules, .scl or .kif file
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// What is set from outside.
    #[command(flatten)]
    pub(crate) options: GameOptions,
}

/// What is set from outside.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Game options")]
pub(crate) struct GameOptions {
    /// Set a parameter of the rules, as in `--set size=9`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<(String, i32)>,
    /// Give the rules a data text, such as a level; the name may be left out if there is only one
    #[arg(long, value_name = "[NAME=]FILE")]
    pub(crate) data: Vec<String>,
    /// The engine that plays [default: native for perft, playouts and play, else reference]. A game
    /// that it cannot play is left to the next simpler one, with a notice
    #[arg(long, value_enum)]
    pub(crate) engine: Option<Engine>,
    /// Change a limit on what the rules may cost, as in `--limit time=60` (seconds); may be repeated.
    /// A wrong name lists the limits
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_limit)]
    pub(crate) limit: Vec<(String, u64)>,
    /// Leave an optimization of native code out, to see what it is worth (docs/optimizations.md); may be
    /// repeated
    #[arg(long, value_name = "OPTIMIZATION", value_parser = parse_optimization())]
    pub(crate) without: Vec<Optimization>,
    /// Does the command count leaves?
    #[arg(skip)]
    pub(crate) counts_leaves: bool,
    /// Neither use nor keep programs and kernels of earlier runs (see `rulesmith cache`)
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// The optimizations by their names.
pub(crate) fn parse_optimization() -> impl TypedValueParser<Value = Optimization> {
    let names = Optimization::ALL.map(Optimization::name);
    PossibleValuesParser::new(names).map(|name| {
        let found = Optimization::ALL.into_iter().find(|one| one.name() == name);
        found.expect("only names are let through")
    })
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Slow, and answers straight from the rules
    Reference,
    /// Runs the specialized program, condition by condition
    Interpreter,
    /// Runs machine code made from the specialized program
    Native,
}

impl From<Engine> for EngineKind {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Reference => Self::Reference,
            Engine::Interpreter => Self::Interpreter,
            Engine::Native => Self::Native,
        }
    }
}

/// `rulesmith games`.
#[derive(Debug, Args)]
pub(crate) struct GamesArgs {
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A contest saved by `play`
    pub(crate) file: String,
    /// Take the rules from here instead of where the contest says
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) options: GameOptions,
    /// Draw the board after every turn
    #[arg(long)]
    pub(crate) boards: bool,
    #[command(flatten)]
    pub(crate) notation: NotationArgs,
    /// Draw the board after every turn and wait for Enter
    #[arg(long, conflicts_with = "json")]
    pub(crate) step: bool,
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith perft`.
#[derive(Debug, Args)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Count up to this many turns ahead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
    /// Count apart for each first move, at the full depth only
    #[arg(long)]
    pub(crate) divide: bool,
    /// Let drawing rules (repetition, move counters) end contests
    #[arg(long)]
    pub(crate) draws: bool,
    /// Count from this state instead of the initial one
    #[arg(long, visible_alias = "fen", value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Count with so many threads; the counts are the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_threads)]
    pub(crate) threads: usize,
    #[command(flatten)]
    pub(crate) notation: NotationArgs,
    /// Print JSON, one object a depth (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith playouts`.
#[derive(Debug, Args)]
pub(crate) struct PlayoutsArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// Play for so long [default: 1, unless --count is given]
    #[arg(long, value_name = "S", conflicts_with = "count", value_parser = parse_seconds)]
    pub(crate) seconds: Option<f64>,
    /// Play so many contests
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Seed of the random moves; the same seed plays the same contests
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Stop a contest after so many turns
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_STEPS)]
    pub(crate) max_steps: u64,
    /// Play from this state instead of the initial one
    #[arg(long, visible_alias = "fen", value_name = "TEXT")]
    pub(crate) position: Option<String>,
    /// Play with so many threads; the contests are the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_threads)]
    pub(crate) threads: usize,
    /// Show how long each stage took, from the rules to a game that is ready
    #[arg(long)]
    pub(crate) stages: bool,
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rulesmith specialize`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(crate) struct SpecializeArgs {
    #[command(flatten)]
    pub(crate) game: GameArgs,
    /// What to specialize, as in `distance(+X, -W, 3)` or `legal +P does any`
    #[arg(value_name = "REQUEST", allow_hyphen_values = true)]
    pub(crate) request: String,
    /// Measure costs with this value of a known argument, as in `--at 'X=(10, 10)'`; may be repeated.
    /// Otherwise all its values are taken, or some of them if there are many
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_value)]
    pub(crate) at: Vec<(String, String)>,
    /// Call this predicate instead of unfolding it; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Vec<String>,
    /// Change how far unfolding goes, as in `--bound clauses=100`; may be repeated. A wrong name lists
    /// the bounds
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_limit)]
    pub(crate) bound: Vec<(String, u64)>,
    /// Do not use this family of metarules; may be repeated. A wrong name lists the families
    #[arg(long, value_name = "FAMILY")]
    pub(crate) no_metarules: Vec<String>,
    /// Use no metarules that their author declares and nothing proves
    #[arg(long)]
    pub(crate) proved_only: bool,
    /// Leave conditions after a move as they are, instead of turning them into conditions before it
    #[arg(long)]
    pub(crate) no_regress: bool,
    /// Which metarules to show
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Shown::Used)]
    pub(crate) metarules: Shown,
    /// Show how each clause came about, and why its useless conditions went
    #[arg(long)]
    pub(crate) derivations: bool,
    /// Show every clause, however many there are
    #[arg(long)]
    pub(crate) all_clauses: bool,
    /// Seed of the random contests that states are sampled from
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Start with the metarules of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<String>,
    /// Write the generated metarules to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<String>,
    /// Draw it all: write one picture to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<String>,
    /// Draw it all: write one page to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// Print JSON (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which metarules are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shown {
    /// Those that were of use
    Used,
    /// All there are
    All,
    /// None
    None,
}

/// Random contests longer than this say little and take long.
pub(crate) const DEFAULT_MAX_STEPS: u64 = 10_000;

pub(crate) fn parse_setting(text: &str) -> Result<(String, i32), String> {
    let (name, value) = split_setting(text)?;
    let value = value.parse().map_err(|_| format!("`{value}` is not a whole number"))?;
    Ok((name, value))
}

pub(crate) fn parse_limit(text: &str) -> Result<(String, u64), String> {
    let (name, value) = split_setting(text)?;
    let value = value.parse().map_err(|_| format!("`{value}` is not a whole number from zero"))?;
    Ok((name, value))
}

pub(crate) fn parse_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = split_setting(text)?;
    Ok((name, value.to_owned()))
}

fn split_setting(text: &str) -> Result<(String, &str), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.trim().is_empty() {
        return Err("the name is missing before `=`".to_owned());
    }
    Ok((name.trim().to_owned(), value.trim()))
}

/// More threads than this are a mistake.
const MAX_THREADS: usize = 256;

fn parse_threads(text: &str) -> Result<usize, String> {
    let threads: usize = text.parse().map_err(|_| format!("`{text}` is not a whole number"))?;
    let is_sensible = (1..=MAX_THREADS).contains(&threads);
    if is_sensible { Ok(threads) } else { Err(format!("give a number from 1 to {MAX_THREADS}")) }
}

pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let is_sensible = seconds.is_finite() && (0.0..=1e9).contains(&seconds);
    if is_sensible { Ok(seconds) } else { Err("give a number of seconds from 0 to 1e9".to_owned()) }
}
