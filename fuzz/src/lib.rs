//! What the fuzz targets share: reading a text under small limits, and a few random moves.
//!
//! In: any text. Out: nothing; a panic, a hang or a broken promise is the finding. Invariant: limits
//! are small enough that a slow answer is a bug of ours, not a greedy text.

use rulesmith_game::{Draws, Game, Notation, Random, RoleId};
use rulesmith_player::{
    BuildLimits, BuildRequest, Language, ReferenceGame, Resolver, Stop, build, reference_game,
};

/// How many joint moves are made in a game that a text describes.
const PLIES: usize = 3;

/// The one file that a text may include.
#[derive(Debug)]
struct OneFile;

impl Resolver for OneFile {
    fn read(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        if path.ends_with("three_in_a_row.rules") {
            let text = include_str!("../../games/include/three_in_a_row.rules");
            return Ok((path.to_owned(), text.to_owned()));
        }
        Err(format!("no file `{path}`"))
    }
}

/// Reads and checks a text, and plays a few moves when it describes a game.
pub fn check_text(language: Language, text: &str) {
    if let Some(game) = game_of(language, text) {
        let _ = play(&game);
    }
}

/// The game of a text, if it has no errors.
pub fn game_of(language: Language, text: &str) -> Option<ReferenceGame> {
    let limits = small_limits();
    let (name, text) = ("fuzz".to_owned(), text.to_owned());
    let request =
        BuildRequest { name, text, language, limits: limits.clone(), ..BuildRequest::default() };
    let result = build(&request, &OneFile);
    let has_errors = result.diagnostics.has_errors();
    assert_eq!(result.theory.is_none(), has_errors, "a theory comes without errors, and only then");
    for diagnostic in &result.diagnostics.list {
        let file = &result.sources.files[diagnostic.span.file as usize];
        let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
        assert!(file.text.get(start..end).is_some(), "every problem lies inside its file");
    }
    reference_game(result, &limits, &Stop::default()).ok()
}

/// Limits under which no text is slow: a thousandth of the usual ones, and short turns.
fn small_limits() -> BuildLimits {
    let mut limits = BuildLimits::default();
    let small = [
        ("inferences", 20_000),
        ("derived-facts", 5_000),
        ("recursion-depth", 200),
        ("terms", 5_000),
        ("turn-steps", 5),
        ("turns", 200),
        ("sort-size", 2_000),
        ("clause-copies", 1_000),
    ];
    for (name, value) in small {
        assert!(limits.set(name, value), "`{name}` is a limit");
    }
    limits
}

/// A few random moves, each taken back and made again.
fn play(game: &ReferenceGame) -> Result<(), rulesmith_game::Error> {
    let mut state = game.initial()?;
    let mut random = Random::new(1);
    for _ in 0..PLIES {
        let _ = (game.state_text(&state), game.facts(&state), game.picture(&state));
        if game.outcome(&state, Draws::Apply)?.is_some() {
            break;
        }
        let mut joint = Vec::new();
        for role in (0..game.roles().len()).map(RoleId) {
            let moves = game.legal_moves(&state, role)?;
            joint.extend(random.choose(&moves).map(|chosen| (role, chosen.clone())));
        }
        let before = game.hash(&state);
        let undo = game.apply(&mut state, &joint)?;
        game.undo(&mut state, undo);
        assert_eq!(game.hash(&state), before, "undo is exact");
        game.apply(&mut state, &joint)?;
    }
    Ok(())
}
