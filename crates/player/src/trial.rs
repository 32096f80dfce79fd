//! A trial: what only shows when the rules are played.
//!
//! In: a game without errors. Out: the faults met at the start and in a few random contests, as
//! problems with places, and a warning when play does not seem to end. Invariant: the work is bounded
//! in inferences, so the same rules give the same answer everywhere.

use std::ops::ControlFlow;

use rulesmith_compile::ReferenceGame;
use rulesmith_game::{Error, Game, Random, playout};
use rulesmith_logic::{Limits, Span, Stop};
use rulesmith_rules::scl::{Draw, Fen, Repetition, RepetitionVerdict, SclGame};
use rulesmith_rules::{Diagnostic, Sources};

use crate::build::BuildResult;
use crate::limits::BuildLimits;

/// Random contests played.
const CONTESTS: u64 = 4;
/// Turns after which a contest counts as endless.
const ENDLESS_TURNS: u64 = 2_000;
/// Turns made in all, so that games with costly turns do not keep an author waiting.
const TRIAL_TURNS: u64 = 4_000;
/// Conditions tried in all.
const TRIAL_INFERENCES: u64 = 30_000_000;

/// Plays rules without errors a little, and adds what went wrong to their problems.
pub fn try_out(result: &mut BuildResult, limits: &BuildLimits, stop: &Stop) {
    if let Some(theory) = &result.theory {
        let few = TRIAL_INFERENCES.min(limits.solver.inferences);
        let solver = Limits { inferences: few, ..limits.solver };
        let game = ReferenceGame::new(theory.clone(), None, solver, stop.clone());
        let found = trial(&game.with_turn_limits(limits.turns));
        // Clauses of a chess-like game stand in no text that its author has seen; its name does.
        let name = theory.notation.fen.as_ref().map(|fen| fen.game().name.span);
        for mut problem in found {
            if let Some(name) = name {
                problem.span = name;
                problem.related.clear();
            }
            result.diagnostics.report(problem);
        }
    }
}

/// Plays a little and reports what went wrong.
fn trial(game: &ReferenceGame) -> Vec<Diagnostic> {
    let sources = &game.theory().sources;
    let state = match game.initial() {
        Ok(state) => state,
        Err(error) => return problem(sources, &error).into_iter().collect(),
    };
    let (mut turns, mut n_endless) = (0, 0);
    for seed in 0..CONTESTS {
        let mut tick = || {
            turns += 1;
            let inferences = game.solver().total_inferences();
            let is_enough = turns > TRIAL_TURNS || inferences > TRIAL_INFERENCES;
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        match playout(game, &state, &mut Random::new(seed), ENDLESS_TURNS, &mut tick) {
            Ok(contest) => n_endless += u64::from(contest.outcome.is_none()),
            Err(Error::Interrupted) => break,
            Err(error) => return problem(sources, &error).into_iter().collect(),
        }
    }
    // A puzzle is seldom solved by chance; a contest should end all the same.
    let is_endless = n_endless > 0 && game.roles().len() > 1;
    is_endless.then(|| endless(game)).into_iter().collect()
}

fn endless(game: &ReferenceGame) -> Diagnostic {
    let theory = game.theory();
    let ends = theory.base.clauses_of(theory.terminal).first();
    let span = ends.map_or(Span::default(), |clause| clause.span);
    let chess_like = theory.notation.fen.as_ref().map(Fen::game);
    let (how, help) = match chess_like {
        // There are many states before one has to be repeated.
        Some(game) if ends_always(game) => {
            ("long", "let it end sooner: `DRAWS turns 200` or `DRAWS quiet 100 RESET {capture}`")
        }
        Some(_) => (
            "endless",
            "let it end: `REPETITION 3 draw`, `DRAWS turns 200` or `DRAWS quiet 100 RESET {capture}`",
        ),
        None => ("endless", "let it end when a state is repeated, or after a number of moves"),
    };
    let message = format!("play may be {how}: a random contest went on for {ENDLESS_TURNS} turns");
    Diagnostic::warning(how, span, message).help(help)
}

/// Does a repetition, or the number of turns, end every contest? A loss for who gave check or chased may not come.
fn ends_always(game: &SclGame) -> bool {
    let ends = |one: &Repetition| {
        let verdict = one.verdict;
        !matches!(verdict, RepetitionVerdict::LossForChecker | RepetitionVerdict::LossForChaser)
    };
    let has_turns = game.draws.iter().any(|draw| matches!(draw, Draw::Turns(_)));
    has_turns || game.repetitions.iter().any(ends)
}

/// A fault as a problem; reaching a limit is one too, an interruption is not.
fn problem(sources: &Sources, error: &Error) -> Option<Diagnostic> {
    match error {
        Error::Interrupted => None,
        Error::Rules { message, places } => {
            let mut spans = places.iter().filter_map(|place| span_of(sources, place));
            let first = spans.next().unwrap_or_default();
            let problem = Diagnostic::error("in-play", first, message.clone());
            Some(spans.fold(problem, |problem, span| problem.related(span, "also involved")))
        }
        Error::Limit { name: "inferences", limit } => {
            let message = format!("one question about a state takes more than {limit} conditions");
            let problem = Diagnostic::warning("costly", Span::default(), message);
            Some(
                problem.help(
                    "put conditions that bind few values first, or give large joins a predicate",
                ),
            )
        }
        Error::Limit { name, .. } => {
            let problem = Diagnostic::error("limit", Span::default(), error.to_string());
            Some(problem.help(format!("raise it if the rules are meant so: --limit {name}=N")))
        }
        Error::Text(text) => Some(Diagnostic::error("in-play", Span::default(), text.clone())),
    }
}

/// The rest of the line at a `file:line:column`.
fn span_of(sources: &Sources, place: &str) -> Option<Span> {
    let mut parts = place.rsplitn(3, ':');
    let column: usize = parts.next()?.parse().ok()?;
    let line: usize = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let file = sources.files.iter().position(|file| file.name == name)?;
    let text = &sources.files[file].text;
    let line_start: usize =
        text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(line_start..)?.lines().next()?;
    let skipped: usize = rest.chars().take(column.checked_sub(1)?).map(char::len_utf8).sum();
    Some(Span {
        file: u32::try_from(file).ok()?,
        start: u32::try_from(line_start + skipped).ok()?,
        end: u32::try_from(line_start + rest.trim_end().len()).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use rulesmith_logic::Stop;
    use rulesmith_rules::NoFiles;

    use super::trial;
    use crate::{BuildRequest, Language, build, reference_game};

    fn messages(text: &str) -> Vec<String> {
        messages_of(text, Language::Rules)
    }

    fn messages_of(text: &str, language: Language) -> Vec<String> {
        let request = BuildRequest { text: text.to_owned(), language, ..BuildRequest::default() };
        let result = build(&request, &NoFiles);
        assert!(!result.diagnostics.has_errors(), "{:?}", result.diagnostics);
        let game = reference_game(result, &request.limits, &Stop::default()).unwrap();
        trial(&game).into_iter().map(|problem| problem.message).collect()
    }

    const COIN: &str = "rules 1. game coin. role a, b. sort side = {heads, tails}.
        fluent up : side. init up = heads. move flip. legal P does flip :- role(P).
        terminal :- not legal _ does any. goal(P, 50) :- role(P).\n";

    #[test]
    fn a_contest_without_end_is_noticed() {
        let found = messages(&format!("{COIN} effect a does flip : up := tails."));
        assert_eq!(found, ["play may be endless: a random contest went on for 2000 turns"]);
    }

    /// With three riders on each side a state is seldom repeated by chance.
    #[test]
    fn a_contest_that_a_repetition_ends_is_long_and_not_endless() {
        let game = |draws: &str| {
            messages_of(
                &format!(
                    r#"GAME g GOALS stalemate opponent BOARD_SIZE 7 BY 7 BOARD_TYPE planar PROMOTE_RANK 7
                    SETUP rider AT {{a1 b1 c1}} DRAWS {draws} DEFINE rider SYMBOL "R"
                    MOVING MOVEMENT RIDE <0,1> SYMMETRY all_symmetry END MOVEMENT END MOVING END DEFINE END GAME."#
                ),
                Language::Scl,
            )
        };
        let went_on = "a random contest went on for 2000 turns";
        assert_eq!(game("stalemate"), [format!("play may be endless: {went_on}")]);
        let repeated = game("stalemate REPETITION 3 draw");
        assert_eq!(repeated, [format!("play may be long: {went_on}")]);
    }

    #[test]
    fn effects_that_clash_in_play_are_found() {
        let clash = "effect flip : up := tails :- up = S, side(S).
            effect flip : up := heads :- up \\= tails.";
        let found = messages(&format!("{COIN} {clash}"));
        assert_eq!(found, ["one step gives `up` two different values"]);
    }

    #[test]
    fn a_key_without_a_value_is_found() {
        let found = messages(
            "rules 1. game gap. role a. fluent at(1..2) : 1..2. init at(1) = 1. move go.
            legal a does go. effect go : at(1) := 2. terminal :- at(1) = 2. goal(a, 1).",
        );
        assert_eq!(found, ["the fluent `at` has no initial value for every key"]);
    }
}
