//! Every game of the library, found by looking: it checks without a problem, prints and parses back,
//! meets its counts, and its contests can be written down, undone and repeated.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use beside::Beside;
use rulesmith_game::{Draws, Error, Game, JointMoves, Notation, Random, RoleId, perft};
use rulesmith_player::{
    BuildRequest, DataSetting, Diagnostic, Language, ReferenceGame, Resolver, Severity, Stop,
    build, reference_game,
};

/// Steps of a random contest that are looked at closely.
const CONTEST_STEPS: usize = 24;

/// The same for chess-like games: there are many, and the reference engine is slow on them.
const CHESS_LIKE_STEPS: usize = 3;

fn games_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

fn library() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(games_folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| language(path).is_some())
        .collect();
    files.sort();
    assert!(files.len() >= 24, "the library has shrunk to {} games", files.len());
    files
}

/// The language of a rules file.
fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "rules" => Some(Language::Rules),
        "kif" => Some(Language::Gdl),
        "scl" => Some(Language::Scl),
        _ => None,
    }
}

fn request(file: &Path, text: String) -> BuildRequest {
    let language = language(file).unwrap();
    BuildRequest { name: file.display().to_string(), text, language, ..BuildRequest::default() }
}

fn open(request: &BuildRequest) -> ReferenceGame {
    open_if(request, |_| true)
}

fn open_in_spite_of_warnings(request: &BuildRequest) -> ReferenceGame {
    open_if(request, |problem| problem.severity == Severity::Error)
}

/// The game, if it has no problem that matters.
fn open_if(request: &BuildRequest, matters: impl Fn(&Diagnostic) -> bool) -> ReferenceGame {
    let result = build(request, &Beside);
    let mut problems = String::new();
    for problem in result.diagnostics.list.iter().filter(|problem| matters(problem)) {
        writeln!(problems, "{}: {}", result.sources.locate(problem.span), problem.message).unwrap();
    }
    assert!(problems.is_empty(), "{}: {problems}", request.name);
    reference_game(result, &request.limits, &Stop::default()).expect("no errors")
}

fn load(file: &Path) -> ReferenceGame {
    open(&request(file, fs::read_to_string(file).unwrap()))
}

#[test]
fn every_game_meets_its_perft_file() {
    for file in library() {
        let counts = fs::read_to_string(file.with_extension("perft")).unwrap();
        let mut wanted = request(&file, fs::read_to_string(&file).unwrap());
        let (mut state_text, mut game) = ("initial".to_owned(), None);
        let mut n_counts = 0;
        for line in counts.lines().map(|line| line.split('#').next().unwrap_or("").trim()) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "id" => {
                    (wanted.params, wanted.data) = (vec![], vec![]);
                    (state_text, game) = ("initial".to_owned(), None);
                }
                "set" => {
                    let (name, value) = rest.split_once('=').expect("name = value");
                    wanted.params.push((name.trim().to_owned(), value.trim().parse().unwrap()));
                }
                "data" => {
                    let (name, path) = rest.split_once('=').expect("name = file");
                    let (file, text) = Beside.read(&wanted.name, path.trim()).unwrap();
                    wanted.data.push(DataSetting {
                        name: Some(name.trim().to_owned()),
                        file,
                        text,
                    });
                }
                "state" => rest.clone_into(&mut state_text),
                "perft" => {
                    let game: &ReferenceGame = game.get_or_insert_with(|| open(&wanted));
                    check_count(game, &state_text, rest);
                    n_counts += 1;
                }
                // Counts that take too long here; they were met when they were written down.
                "deeper" => assert_eq!(rest.split_whitespace().count(), 2, "{rest}"),
                "" => {}
                other => panic!("{}: unknown line `{other}`", file.display()),
            }
        }
        assert!(n_counts > 0, "{} has no counts", file.display());
    }
}

fn check_count(game: &ReferenceGame, state_text: &str, count: &str) {
    let numbers: Vec<u64> = count.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let state =
        game.parse_state(state_text).unwrap_or_else(|error| panic!("{}: {error}", game.name()));
    let depth = u32::try_from(numbers[0]).unwrap();
    let counted = perft(game, &state, depth, Draws::Ignore, &mut |_| ControlFlow::Continue(()));
    let leaves = counted.unwrap_or_else(|error| panic!("{}: {error}", game.name())).leaves;
    assert_eq!(leaves, numbers[1], "{} from {state_text} at depth {depth}", game.name());
}

#[test]
fn printing_a_theory_and_parsing_it_back_is_the_identity() {
    for file in library() {
        let game = load(&file);
        let text = rulesmith_rules::print(game.theory());
        let name = file.with_extension("printed.rules").display().to_string();
        let again = BuildRequest { name, text: text.clone(), ..BuildRequest::default() };
        // What is written for all chess-like games has clauses that do not apply to this one.
        let is_pruned = language(&file) == Some(Language::Scl);
        let again = if is_pruned { open_in_spite_of_warnings(&again) } else { open(&again) };
        assert_eq!(text, rulesmith_rules::print(again.theory()), "{}", file.display());
        let depth = if leaves(&game, 1) <= FEW_LEAVES { 2 } else { 1 };
        assert_eq!(leaves(&game, depth), leaves(&again, depth), "{}", file.display());
    }
}

/// Where there are more leaves at depth 1, depth 2 takes the reference engine too long.
const FEW_LEAVES: u64 = 12;

fn leaves(game: &ReferenceGame, depth: u32) -> u64 {
    let start = game.initial().unwrap();
    let counted = perft(game, &start, depth, Draws::Ignore, &mut |_| ControlFlow::Continue(()));
    counted.unwrap().leaves
}

#[test]
fn random_contests_can_be_written_down_undone_and_repeated() {
    for file in library() {
        let game = load(&file);
        let is_chess_like = language(&file) == Some(Language::Scl);
        let (n_seeds, n_steps) =
            if is_chess_like { (1, CHESS_LIKE_STEPS) } else { (2, CONTEST_STEPS) };
        for seed in 0..n_seeds {
            let first = contest(&game, seed, n_steps)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let second = contest(&load(&file), seed, n_steps).unwrap();
            assert_eq!(
                first,
                second,
                "{}: the seed does not reproduce the contest",
                file.display()
            );
        }
    }
}

/// Plays at random, checking every state on the way; gives back the moves as text.
fn contest(game: &ReferenceGame, seed: u64, n_steps: usize) -> Result<Vec<String>, Error> {
    let mut random = Random::new(seed);
    let mut state = game.initial()?;
    let mut moves = Vec::new();
    let mut undos = Vec::new();
    for _ in 0..n_steps {
        check_state_text(game, &state);
        if game.outcome(&state, Draws::Apply)?.is_some() {
            break;
        }
        let Some(joint) = JointMoves::of(game, &state)?.choose(&mut random) else { break };
        for (role, chosen) in &joint {
            check_move_text(game, &state, *role, chosen)?;
            moves.push(game.move_text(chosen));
        }
        let before = state.clone();
        undos.push((before, game.apply(&mut state, &joint)?));
    }
    for (place, (one, _)) in undos.iter().enumerate() {
        for (other, _) in &undos[place + 1..] {
            let is_same = game.hash(one) == game.hash(other);
            assert_eq!(is_same, one == other, "{}: hashes and equality disagree", game.name());
        }
    }
    while let Some((before, undo)) = undos.pop() {
        game.undo(&mut state, undo);
        assert_eq!(state, before, "{}: undo does not restore the state", game.name());
        assert_eq!(
            outcome(game, &state),
            outcome(game, &before),
            "{}: the past is lost",
            game.name()
        );
    }
    Ok(moves)
}

/// What depends on history too: drawing rules look at it.
fn outcome(game: &ReferenceGame, state: &<ReferenceGame as Game>::State) -> String {
    format!("{:?}", game.outcome(state, Draws::Apply))
}

fn check_state_text(game: &ReferenceGame, state: &<ReferenceGame as Game>::State) {
    let text = game.state_text(state);
    let read = game.parse_state(&text).unwrap_or_else(|error| panic!("{}: {error}", game.name()));
    assert_eq!(read, *state, "{}: `{text}` reads back as another state", game.name());
    assert_eq!(game.hash(&read), game.hash(state), "{}: equal states, other hashes", game.name());
    assert!(!game.picture(state).is_empty());
}

fn check_move_text(
    game: &ReferenceGame,
    state: &<ReferenceGame as Game>::State,
    role: RoleId,
    chosen: &<ReferenceGame as Game>::Move,
) -> Result<(), Error> {
    let text = game.move_text(chosen);
    let read = game.parse_move(state, role, &text)?;
    assert_eq!(read, *chosen, "{}: `{text}` reads back as another move", game.name());
    Ok(())
}
