//! The library in every engine, state by state against the reference engine: specialised programs in their interpreter,
//! kernels by whole planes and by loops, interpreted and as native code.
//!
//! `NATIVE_STATES` asks for more states of each game, `NATIVE_GAMES` for some games, with commas between them;
//! `KERNEL_STATES` says on how many interpreted kernels are compared, which are slow and no engine that people use.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;
mod engines;
mod shelf;

use beside::Beside;
use engines::{Contest, Hashes, compare, compare_all, compare_interpreter, compiled, native_with};
use rulesmith_compile::{NotatedGame, Optimization, Optimizations, ReferenceGame};
use rulesmith_game::{Game, Notation, Random, RoleId};
use rulesmith_logic::{Limits, Stop};
use rulesmith_player::{BuildRequest, Theory, build, reference_game, specialize_game};
use shelf::{library_in, open};

/// A game on a board of two words in which strings lose some of their stones, and are split by that.
const SPLITTING: &str = r#"
rules 1.
game splitting.
role black, white.
sort file = 1..9.
sort rank = 1..9.
sort point = file * rank.
sort content = {empty} + role.
static adjacent(point, point).
adjacent((F, R), (F + 1, R)).  adjacent((F, R), (F, R + 1)).
adjacent((F, R), (F - 1, R)).  adjacent((F, R), (F, R - 1)).
static between(point, point, point).
between((F, R), (F + 1, R), (F + 2, R)).  between((F, R), (F, R + 1), (F, R + 2)).
between((F, R), (F - 1, R), (F - 2, R)).  between((F, R), (F, R - 1), (F, R - 2)).
fluent at(point) : content = empty.
fluent turn : role.
fluent left : 0..150 = 150.
init turn = black.
object string = component(X : at(X) = C, C \= empty ; link adjacent ; same C).
long(X) :- string_border(S, X), string_size(S, N), N > 6.
move play(point).
legal P does play(X) :- turn = P, at(X) = empty, not long(X).
effect P does play(X) : at(X) := P.
effect P does play(X) : at(Y) := empty :- between(X, Y, Z), at(Z) = P, at(Y) = Q, opponent(P, Q).
effect any : turn := Q :- turn = P, opponent(P, Q).
effect any : left := left - 1.
terminal :- left = 0.
goal(P, 50) :- role(P).
glyph black = "X", white = "O", empty = ".".
display at((F, R)) across F, up R.
"#;

/// A game in which the last liberty of a string is asked for: a liberty beside which there is no liberty.
const LAST_LIBERTIES: &str = "
rules 1.
game last_liberties.
role black, white.
sort file = 1..5.
sort rank = 1..13.
sort point = file * rank.
sort content = {empty} + role.
static adjacent(point, point).
adjacent((F, R), (F + 1, R)).  adjacent((F, R), (F, R + 1)).
fluent at(point) : content = empty.
fluent turn : role.
fluent passes : 0..3 = 0.
init turn = black.
object string = component(X : at(X) = C, C \\= empty ; link adjacent ; same C).
liberty(S, X) :- string_border(S, X), at(X) = empty.
last(S, X) :- liberty(S, X), none { Y : liberty(S, Y), Y \\= X }.
captured(P, X, Y) :- last(S, X), string_shared(S, Q), opponent(P, Q), string_element(S, Y).
move play(point).
move pass.
legal P does play(X) :- turn = P, at(X) = empty.
legal P does pass :- turn = P.
effect P does play(X) : at(X) := P, passes := 0.
effect P does play(X) : at(Y) := empty :- captured(P, X, Y).
effect pass : passes := passes + 1.
effect any : turn := Q :- turn = P, opponent(P, Q).
terminal :- passes = 3.
terminal :- string_size(_, N), N >= 6.
goal(P, count { X : at(X) = P }) :- role(P).
";

/// The game that strings are split in.
fn splitting() -> ReferenceGame {
    open_text("splitting", SPLITTING)
}

fn open_text(name: &str, text: &str) -> ReferenceGame {
    let (name, text) = (format!("{name}.rules"), text.to_owned());
    let request = BuildRequest { name, text, ..BuildRequest::default() };
    reference_game(build(&request, &Beside), &request.limits, &Stop::default()).expect("no errors")
}

/// States of one contest that are compared.
const MAX_STATES: usize = 100;

/// States of one contest that is followed far.
const FAR_STATES: usize = 400;

/// States of each game that are compared in each way.
const N_STATES: usize = 120;

/// Games of the library that have no kernels yet.
const OBSTACLES: [&str; 0] = [];

/// Games of the library that loops alone cannot play.
const LOOP_OBSTACLES: [&str; 0] = [];

/// Games on boards where much happens soon, or whose planes are just larger than a word.
const OTHER_SIZES: [&str; 6] = [
    "amazons size=6",
    "connect_four width=9 height=8",
    "go size=5",
    "go size=7",
    "hex size=4",
    "reversi size=6",
];

/// The games of the library, and some on other boards.
fn library() -> Vec<String> {
    let mut names = library_in("rules");
    names.extend(OTHER_SIZES.map(str::to_owned));
    names
}

#[test]
fn kernels_do_what_the_reference_engine_does() {
    let games = library();
    let obstacles: Vec<&str> =
        games.iter().map(|name| &**name).filter(|name| !agree(name, true)).collect();
    assert_eq!(obstacles, OBSTACLES);
}

/// Chess-like games that a plain test run compares: masks, hands, screens, bare kings, captures that go on.
const CHESS_LIKE: [&str; 6] =
    ["chess", "crazyhouse", "makruk", "minishogi", "minixiangqi", "turncoat_chess"];

/// The same for chess-like games; `NATIVE_GAMES` names others, and `all` of them.
#[test]
fn kernels_of_chess_like_games_do_what_the_reference_engine_does() {
    let wanted = std::env::var("NATIVE_GAMES").unwrap_or_default();
    let all = library_in("scl");
    let is_asked = |name: &String| match &*wanted {
        "" => CHESS_LIKE.contains(&&**name),
        "all" => true,
        wanted => wanted.split(',').any(|one| one == name),
    };
    let games: Vec<&String> = all.iter().filter(|name| is_asked(name)).collect();
    let obstacles: Vec<&&String> = games.iter().filter(|name| !agree_on(name, true)).collect();
    assert!(obstacles.is_empty() || !wanted.is_empty(), "{obstacles:?}");
}

/// Loops say the same as whole planes.
#[test]
fn loops_do_what_the_reference_engine_does() {
    let games = library();
    let obstacles: Vec<&str> =
        games.iter().map(|name| &**name).filter(|name| !agree(name, false)).collect();
    assert_eq!(obstacles, LOOP_OBSTACLES);
}

/// Compares a game interpreted and native; whether it has kernels.
fn agree(name: &str, whole_planes: bool) -> bool {
    let wanted = std::env::var("NATIVE_GAMES").unwrap_or_default();
    let is_asked = wanted.is_empty() || wanted.split(',').any(|wanted| wanted == name);
    !is_asked || agree_on(name, whole_planes)
}

fn agree_on(name: &str, whole_planes: bool) -> bool {
    let optimizations = Optimizations::default().with(Optimization::WholePlanes, whole_planes);
    let mut hashes = Hashes::new();
    let game = match native_with(open(name), optimizations) {
        Ok(game) => game,
        Err(refused) => {
            eprintln!("{name}: {}", refused.0);
            agree_without_kernels(name, &refused.1);
            return false;
        }
    };
    let n_kernel_states = number("KERNEL_STATES");
    let by_kernels =
        play(name, (n_kernel_states, 0), |contest| compare(&game, contest, &mut hashes));
    let interpreter = whole_planes.then(|| interpreter(game.reference().theory()));
    let native = match compiled(game) {
        Ok(game) => play(name, (n_states(), 1_000_000), |contest| {
            compare_all(&game, interpreter.as_ref(), contest, &mut hashes)
        }),
        // What is too large for native code is left to the interpreter.
        Err(reference) => {
            agree_without_kernels(name, &reference);
            0
        }
    };
    eprintln!("{name}: {native} states agree in every engine, {by_kernels} interpreting kernels");
    assert!(by_kernels >= n_kernel_states / 2, "{name}: {by_kernels} states were compared");
    assert!(native >= n_states() / 2 || !whole_planes, "{name}: {native} states were compared");
    true
}

/// Compares states of random contests until there are enough; how many there were.
fn play(
    name: &str,
    (n_wanted, first): (usize, u64),
    mut compare: impl FnMut(Contest) -> Result<usize, String>,
) -> usize {
    let (mut n_compared, mut seed) = (0, first);
    let last = seed + n_wanted as u64;
    while n_compared < n_wanted && seed < last {
        // Every other contest is followed far, to states that only long ones lead to.
        let max_states = if seed % 2 == 0 { FAR_STATES } else { MAX_STATES };
        let max_states = max_states.min(n_wanted - n_compared);
        let contest = Contest { seed, max_states, plays_on: false };
        n_compared += compare(contest).unwrap_or_else(|error| panic!("{name}: {error}"));
        seed += 1;
    }
    n_compared
}

/// Compares the interpreter with the reference engine.
fn agree_without_kernels(name: &str, reference: &ReferenceGame) {
    let interpreter = interpreter(reference.theory());
    let n_compared = play(name, (n_states(), 1_000_000), |contest| {
        compare_interpreter(reference, &interpreter, contest)
    });
    eprintln!("{name}: {n_compared} states agree in the interpreter");
    assert!(n_compared >= n_states() / 2, "{name}: {n_compared} states were compared");
}

/// The game with a specialised program, as `--engine interpreter` plays it.
fn interpreter(theory: &Theory) -> ReferenceGame {
    let game = ReferenceGame::new(theory.clone(), None, Limits::default(), Stop::default());
    specialize_game(game).expect("a program").0
}

/// So many states of each game are compared.
fn n_states() -> usize {
    number("NATIVE_STATES")
}

/// How many states the environment asks for.
fn number(name: &str) -> usize {
    let wanted = std::env::var(name).ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(N_STATES)
}

/// Contests in which something is kept from turn to turn are those in which everything is computed anew.
#[test]
fn what_is_kept_from_turn_to_turn_changes_nothing() {
    const KEPT: [Optimization; 3] =
        [Optimization::KeptComponents, Optimization::KeptHashes, Optimization::KeptRecursion];
    for name in ["go size=9", "go size=14", "gomoku", "hex size=4", "hex size=9", "splitting"] {
        let [kept, anew] = [true, false].map(|is_on| {
            let with = |all: Optimizations, one: &Optimization| all.with(*one, is_on);
            let optimizations = KEPT.iter().fold(Optimizations::default(), with);
            let game = if name == "splitting" { splitting() } else { open(name) };
            compiled(native_with(game, optimizations).unwrap()).unwrap()
        });
        for seed in 0..CONTESTS_KEPT {
            let play = |game: &NotatedGame, n_turns: u64| {
                let (mut state, mut bits) = (game.initial().unwrap(), seed);
                let made = game.native().play_on(&mut state, &mut bits, n_turns).unwrap().unwrap();
                // What was kept in one call is not there in the next.
                let again = game.native().play_on(&mut state, &mut bits, n_turns).unwrap().unwrap();
                let state_anew = game.decode(&state).unwrap();
                let state_anew = game.native().encode(game.reference(), &state_anew).unwrap();
                assert_eq!(game.hash(&state), game.hash(&state_anew), "{name}, seed {seed}");
                (made, again, bits, game.state_text(&state))
            };
            for n_turns in [40, 1000] {
                assert_eq!(play(&kept, n_turns), play(&anew, n_turns), "{name}, seed {seed}");
            }
        }
    }
}

/// So many contests are compared.
const CONTESTS_KEPT: u64 = 20;

/// Components are those of the state that is asked about, whichever state of whichever game was asked about before.
#[test]
fn components_are_kept_whatever_was_made_or_taken_back() {
    let games = ["go size=9", "go size=13", "splitting"].map(|name| {
        [true, false].map(|is_on| {
            let optimizations = Optimizations::default().with(Optimization::KeptComponents, is_on);
            let game = if name == "splitting" { splitting() } else { open(name) };
            compiled(native_with(game, optimizations).unwrap()).unwrap()
        })
    });
    let mut random = Random::new(0);
    let states = games.each_ref().map(|[game, _]| {
        let played = |n_turns: u64| {
            let mut state = game.initial().unwrap();
            game.native().play_on(&mut state, &mut (n_turns * 7), n_turns).unwrap().unwrap();
            state
        };
        (0..STATES_KEPT).map(played).collect::<Vec<_>>()
    });
    for n in 0..4 * STATES_KEPT {
        let number = random.below(games.len());
        let place = random.below(states[number].len());
        let ([kept, anew], state) = (&games[number], &states[number][place]);
        for role in [RoleId(0), RoleId(1)] {
            let moves = kept.legal_moves(state, role).unwrap();
            assert_eq!(moves, anew.legal_moves(state, role).unwrap(), "question {n}");
            let Some(turn) = random.choose(&moves) else { continue };
            let mut next = state.clone();
            let undo = kept.apply(&mut next, &vec![(role, turn.clone())]).unwrap();
            let there = || kept.legal_moves(&next, RoleId(1 - role.0)).unwrap();
            assert_eq!(there(), anew.legal_moves(&next, RoleId(1 - role.0)).unwrap());
            kept.undo(&mut next, undo);
            assert_eq!(moves, kept.legal_moves(&next, role).unwrap(), "question {n}");
        }
    }
}

/// So many states of each game are asked about, by turns.
const STATES_KEPT: u64 = 120;

/// A predicate that is written out where it is asked for may be asked for again by what follows it.
#[test]
fn a_large_predicate_is_asked_twice() {
    let game = open_text("last_liberties", LAST_LIBERTIES);
    let game = compiled(native_with(game, Optimizations::default()).unwrap()).unwrap();
    let mut hashes = Hashes::default();
    for seed in 0..4 {
        let contest = Contest { seed, max_states: MAX_STATES, plays_on: true };
        assert!(compare(&game, contest, &mut hashes).unwrap() > 10);
    }
}
