//! Random games answered by specialised programs play exactly like their rules, with every combination
//! of families of metarules.
//!
//! Effects, conditions after moves, objects and their laws, and invariants proved over the moves are in
//! here; random facts and requests are in the tests of `specialize`. A family that is off must not be
//! used, and those that random games give work to must have been of use.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests say how much they compared, and may panic"
)]

#[path = "../../specialize/tests/random_theories/mod.rs"]
mod random_theories;

mod pairs;
mod random_games;

use pairs::{compare, random_bounds};
use random_games::{random_game, random_object_game};
use random_theories::shrink;
use rulesmith_compile::{
    Interpreter, ReferenceGame, Sampling, TurnLimits, game_requests, sample_states,
};
use rulesmith_game::Random;
use rulesmith_logic::{Limits, Stop};
use rulesmith_player::{BuildRequest, NoFiles, Theory, build, reference_game};
use rulesmith_specialize::metarules::{Families, Family, GeneralRule, MetaruleId, Origin, Store};
use rulesmith_specialize::{Bounds, Knowledge, Settings, Specializer};

/// All families, in the order of their numbers.
const FAMILIES: [Family; 6] = [
    Family::General,
    Family::Impossibility,
    Family::Monovaluation,
    Family::Useless,
    Family::Invariant,
    Family::Declared,
];

/// Games of each kind made by a plain test run: enough for every combination of families.
const N_GAMES: u64 = 22;

/// Specialisations of one game.
const N_RUNS: u64 = 3;

const LIMITS: Limits =
    Limits { inferences: 1_000_000, derived_facts: 20_000, recursion_depth: 500, terms: 20_000 };

const TURN_LIMITS: TurnLimits = TurnLimits { steps: 5, turns: 300 };

/// What came of random games.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    /// Games, or ways to specialise them, that reach a limit before they are played.
    limited: usize,
    played: usize,
    steps: usize,
    /// For each family how often it was of use; at last the laws of objects.
    used: [u64; FAMILIES.len() + 1],
}

impl Tally {
    /// Too few games to expect anything of them?
    fn is_small(&self) -> bool {
        self.played < 40
    }
}

/// How often each family was of use, and the laws of objects.
fn uses(store: &Store) -> [u64; FAMILIES.len() + 1] {
    let mut used = [0; FAMILIES.len() + 1];
    used[0] = GeneralRule::ALL.iter().map(|rule| store.general_uses(*rule).total()).sum();
    for metarule in (0..).map_while(|number| store.get(MetaruleId(number))) {
        let place = FAMILIES.iter().position(|family| *family == metarule.family()).unwrap();
        used[place] += metarule.uses.total();
        if metarule.origin == Origin::Object {
            used[FAMILIES.len()] += metarule.uses.total();
        }
    }
    used
}

fn new_game(theory: &Theory) -> ReferenceGame {
    let game = ReferenceGame::new(theory.clone(), None, LIMITS, Stop::default());
    game.with_turn_limits(TURN_LIMITS)
}

/// One way to specialise a game.
#[derive(Debug)]
struct Way {
    families: Families,
    bounds: Bounds,
    mines_eagerly: bool,
    finds_invariants: bool,
}

impl Way {
    fn new(random: &mut Random, theory: &Theory, number: u64) -> Self {
        let chosen = FAMILIES.iter().enumerate().filter(|(place, _)| number >> place & 1 == 1);
        let bounds = match random.below(2) {
            0 => Bounds { clauses: 200, ..Bounds::default() },
            _ => random_bounds(random, theory),
        };
        Self {
            families: chosen.fold(Families::NONE, |families, (_, family)| families.with(*family)),
            bounds,
            mines_eagerly: random.below(2) == 0,
            finds_invariants: random.below(2) == 0,
        }
    }

    /// The game answered by its program; nothing if a limit forbids it.
    fn specialize(
        &self,
        theory: &Theory,
        tally: &mut Tally,
    ) -> Result<Option<ReferenceGame>, String> {
        let game = new_game(theory);
        let sampling = Sampling { steps: 12, stride: 3, moves: 500, ..Sampling::default() };
        let Ok(samples) = sample_states(&game, sampling, &[]) else {
            tally.limited += 1;
            return Ok(None);
        };
        let knowledge = Knowledge::new(theory, game.solver());
        let settings = Settings {
            bounds: self.bounds.clone(),
            families: self.families,
            mines_eagerly: self.mines_eagerly,
        };
        let mut specializer = Specializer::new(&knowledge, settings, samples.clone());
        if self.finds_invariants {
            specializer.find_invariants(&samples);
        }
        // What the rules as written can answer, a program must.
        let specialized = specializer.specialize(&game_requests(theory));
        let specialized = specialized.map_err(|error| error.to_string())?;
        let used = uses(specializer.store());
        for (family, used) in FAMILIES.iter().zip(used) {
            assert!(used == 0 || self.families.has(*family), "{family:?} is off and was used");
        }
        for (sum, used) in tally.used.iter_mut().zip(used) {
            *sum += used;
        }
        let interpreter = Interpreter::new(&knowledge, &specialized);
        let interpreter = interpreter.map_err(|error| error.to_string())?;
        drop(specializer);
        drop(knowledge);
        Ok(Some(game.with_interpreter(interpreter)))
    }
}

/// Plays a text as it is and specialised; nothing when the text is no game.
fn play_both(text: &str, seed: u64, first_way: u64) -> Result<Tally, String> {
    let mut request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
    request.limits.solver = LIMITS;
    request.limits.turns = TURN_LIMITS;
    let mut tally = Tally::default();
    let built = build(&request, &NoFiles);
    let Ok(original) = reference_game(built, &request.limits, &Stop::default()) else {
        tally.rejected += 1;
        return Ok(tally);
    };
    let mut random = Random::new(seed);
    for number in 0..N_RUNS {
        let way = Way::new(&mut random, original.theory(), (first_way + number) % 64);
        let explain = |error: String| format!("{error}\n{way:?}");
        let other = way.specialize(original.theory(), &mut tally).map_err(explain)?;
        let Some(other) = other else { continue };
        tally.played += 1;
        for contest in 0..2 {
            let steps = compare(&original, &other, seed + contest, 8, true);
            tally.steps += steps.map_err(explain)?;
        }
    }
    Ok(tally)
}

/// The same, with a panic as a difference.
fn attempt(text: &str, seed: u64, first_way: u64) -> Result<Tally, String> {
    let played = std::panic::catch_unwind(|| play_both(text, seed, first_way));
    played.unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// Plays many random games; `RANDOM_GAMES` asks for more, `FIRST_SEED` for others.
fn check_games(n_games: u64, make: fn(&mut random_theories::Random) -> String) -> Tally {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let first = number("FIRST_SEED", 0);
    let mut all = Tally::default();
    for seed in first..first + number("RANDOM_GAMES", n_games) {
        let text = make(&mut random_theories::Random::new(seed));
        let first_way = seed * N_RUNS;
        let one = attempt(&text, seed, first_way).unwrap_or_else(|first| {
            let failure =
                |text: &str| (seed..seed + 4).find_map(|seed| attempt(text, seed, first_way).err());
            let shorter = shrink(&text, &|text| failure(text).is_some());
            let error = failure(&shorter).unwrap_or(first);
            panic!("seed {seed}: {error}\n{shorter}");
        });
        all.rejected += one.rejected;
        all.limited += one.limited;
        all.played += one.played;
        all.steps += one.steps;
        for (sum, used) in all.used.iter_mut().zip(one.used) {
            *sum += used;
        }
    }
    eprintln!("{all:?}");
    all
}

#[test]
fn random_games_play_alike_when_they_are_specialized() {
    let all = check_games(N_GAMES, random_game);
    assert!(all.is_small() || all.steps > 300, "{all:?}");
    assert!(all.is_small() || all.used[..4].iter().all(|used| *used > 10), "{all:?}");
}

#[test]
fn random_games_with_objects_play_alike_when_they_are_specialized() {
    let all = check_games(N_GAMES, random_object_game);
    assert!(all.is_small() || all.steps > 300, "{all:?}");
    assert!(all.is_small() || all.used[FAMILIES.len()] > 10, "{all:?}");
}

#[test]
fn a_condition_after_a_move_does_not_wait_for_what_it_binds_itself() {
    let text = "rules 1. game short. role a, b. sort p = 1..3. fluent turn : role = a.
        fluent at(p). init at(2). init at(3).
        move play(p). move pair(p, p).
        legal P does play(X) :- turn = P, p(X).
        legal P does pair(X, Y) :- turn = P, p(X), p(Y),
            after(pair(X, Y), at(H), at(I), H \\= I, after(Q does play(2), at(_)), opponent(P, Q)).
        effect play(X) : at(X) := true. effect pair(X, Y) : at(X) := false.
        effect any : turn := Q :- turn = P, opponent(P, Q).
        terminal :- not at(_). goal(P, 50) :- role(P).";
    for seed in 0..24 {
        let tally = play_both(text, seed, seed * N_RUNS).unwrap_or_else(|error| panic!("{error}"));
        assert!(tally.steps > 0, "{tally:?}");
    }
}

#[test]
fn a_border_may_lie_outside_its_sort() {
    let text = "rules 1. game short. role a, b. sort p = 1..6. sort q = 1..8. sort content = {empty} + role.
        static link(q, q). link(5, 8). link(2, 3).
        fluent at(p) : content = empty. init at(5) = a. fluent turn : role = a.
        object string = component(X : at(X) = C, C \\= empty ; link link ; same C).
        derived near(p). near(Y) :- string_border(_, Y).
        move play(p).
        legal P does play(X) :- turn = P, p(X), after(P does play(X), none { Y : near(Y) }).
        legal P does play(X) :- turn = P, at(X) = empty, near(_).
        effect P does play(X) : at(X) := P. effect any : turn := Q :- turn = P, opponent(P, Q).
        terminal :- not at(_) = empty. goal(P, 50) :- role(P).";
    for seed in 0..24 {
        let tally = play_both(text, seed, seed * N_RUNS).unwrap_or_else(|error| panic!("{error}"));
        assert!(tally.steps > 0, "{tally:?}");
    }
}
