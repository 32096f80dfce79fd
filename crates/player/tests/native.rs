//! What kernels of the library do beyond single states: random contests, counts of leaves, threads.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests read the library from its folder, and a panic is their verdict"
)]

mod beside;
mod engines;
mod shelf;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use beside::Beside;
use engines::{Contest, Hashes};
use rulesmith_compile::{
    KernelGame, NativeGame, NativeState, NotatedGame, Obstacle, Optimization, Optimizations,
    ReferenceGame, Sampling, build_kernels, kept_for_kernels, kernel_requests, sample_states,
};
use rulesmith_game::{
    Contests, Draws, Game, JointMoves, LeafKind, Notation, PlayoutSums, Random, perft,
};
use rulesmith_logic::Stop;
use rulesmith_player::{
    BuildRequest, EngineGame, EngineKind, GameSource, Unwatched, build, prepare, reference_game,
};
use rulesmith_specialize::{Bounds, Knowledge, Settings, Specializer};
use shelf::open;

fn file_of(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{game}.rules"))
}

fn native(game: ReferenceGame) -> Result<NotatedGame, Obstacle> {
    native_with(game, Optimizations::default())
}

fn native_with(game: ReferenceGame, optimizations: Optimizations) -> Result<NotatedGame, Obstacle> {
    let native = NativeGame::new(kernels(&game, optimizations)?, &game)?;
    Ok(NotatedGame::new(Arc::new(native), game))
}

fn kernels(game: &ReferenceGame, optimizations: Optimizations) -> Result<KernelGame, Obstacle> {
    let samples = sample_states(game, Sampling::default(), &[]).unwrap();
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let requests = kernel_requests(game.theory());
    let bounds = Bounds { keep: kept_for_kernels(game.theory()), ..Bounds::default() };
    let settings = Settings { bounds, ..Settings::default() };
    let mut specializer = Specializer::new(&knowledge, settings, samples);
    let specialized = specializer.specialize(&requests).unwrap();
    build_kernels(&knowledge, &specialized, optimizations)
}

/// The same game with native code; nothing if it is too large for that.
fn compiled(game: NotatedGame) -> Option<NotatedGame> {
    let (native, reference) = game.into_parts();
    let mut native = Arc::into_inner(native).unwrap();
    native.compile().ok()?;
    Some(NotatedGame::new(Arc::new(native), reference))
}

/// Plays a contest in kernels and in the reference engine; how many states were compared.
fn compare(game: &NotatedGame, seed: u64, hashes: &mut Hashes) -> usize {
    let contest = Contest { seed, max_states: MAX_STATES, plays_on: false };
    engines::compare(game, contest, hashes).unwrap()
}

/// So many turns a contest had that a kernel played as a whole.
fn whole_contest(game: &NotatedGame, seed: u64) -> usize {
    engines::whole_contest(game, seed, MAX_STATES as u64).unwrap()
}

/// States of one contest that are compared.
const MAX_STATES: usize = 100;

/// The games of the library by name, in order.
fn library() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let rules = files.filter(|file| file.extension().is_some_and(|ending| ending == "rules"));
    let mut names: Vec<String> =
        rules.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// The states that one turn can lead to from here, with how many turns lead to each; the past is left out.
fn ends(game: &NotatedGame, state: &NativeState) -> BTreeMap<u64, u64> {
    let mut ends = BTreeMap::new();
    for joint in JointMoves::of(game, state).unwrap() {
        let mut after = state.clone();
        game.apply(&mut after, &joint).unwrap();
        *ends.entry(game.hash(&after)).or_default() += 1;
    }
    ends
}

/// States of one contest whose turns are drawn many times.
const CHOICE_STATES: usize = 25;

/// Where there are more turns than this, not all of them are found.
const MANY_TURNS: u64 = 60;

/// From some states of a contest, the kernel for contests makes each turn equally often; how many states.
fn compare_choices(game: &NotatedGame, seed: u64) -> usize {
    let (mut random, mut bits) = (Random::new(seed), seed);
    let (mut state, mut n_states) = (game.initial().unwrap(), 0);
    for _ in 0..CHOICE_STATES {
        let ends = ends(game, &state);
        if ends.is_empty() || game.is_over(&state, Draws::Apply).unwrap() {
            break;
        }
        let n_turns: u64 = ends.values().sum();
        let mut found: BTreeMap<u64, u64> = BTreeMap::new();
        let n_draws = 40 * n_turns.min(MANY_TURNS);
        for _ in 0..n_draws {
            let mut after = state.clone();
            let made = game.native().play_on(&mut after, &mut bits, 1);
            assert_eq!(made, Some(Ok(1)));
            *found.entry(game.hash(&after)).or_default() += 1;
        }
        for (end, n_found) in &found {
            // A turn that is found far too often or too seldom is no chance: six deviations.
            let share = ends.get(end).copied().expect("an end of a legal turn");
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let (expected, n_found) = ((n_draws * share) as f64 / n_turns as f64, *n_found as f64);
            assert!(
                (n_found - expected).abs() < 6.0 * expected.sqrt() + 6.0,
                "{n_found} {expected}"
            );
        }
        assert!(n_turns > MANY_TURNS || found.len() == ends.len());
        n_states += 1;
        let joint = JointMoves::of(game, &state).unwrap().choose(&mut random).unwrap();
        game.apply(&mut state, &joint).unwrap();
    }
    n_states
}

/// Kernels that play whole contests choose among all turns, and each equally often.
#[test]
fn contests_choose_every_turn_equally_often() {
    for name in library() {
        let Some(game) = compiled(native(open(&name)).unwrap()) else { continue };
        if let Some(obstacle) = game.native().contest_obstacle() {
            eprintln!("{name}: {obstacle}");
            continue;
        }
        let n_states: usize = (0..2).map(|seed| compare_choices(&game, seed)).sum();
        eprintln!("{name}: the turns of {n_states} states are chosen equally often");
        assert!(n_states > 1);
    }
}

/// So do kernels that draw moves which are judged by the state after them.
#[test]
fn moves_that_are_judged_after_them_are_chosen_equally_often() {
    for name in ["chigorin", "spartan"] {
        let game = compiled(native(open(name)).unwrap()).expect("native code");
        assert!(game.native().contest_obstacle().is_none(), "{name}");
        let n_states: usize = (0..2).map(|seed| compare_choices(&game, seed)).sum();
        assert!(n_states > 40, "{name}: {n_states} states");
    }
}

/// Walks along a line of places, with other rules about turns.
fn walk(more: &str) -> String {
    format!(
        "rules 1. game walk. role a. sort place = 0..9. fluent at : place = 0. move go(-1..2).
        legal a does go(D) :- D < 2, place(at + D). fluent steps : 0..9 = 0.
        effect go(D) : at := at + D, steps := steps + 1. deferred effect any : steps := 0.
        continue :- at = 1, steps < 3. goal(a, 100) :- at = 9. terminal :- at = 9. {more}"
    )
}

/// Places of a turn are marked until it ends.
fn seen(more: &str) -> String {
    format!(
        "fluent seen(place). effect any : seen(at) := true.
        deferred effect any : seen(X) := false :- seen(X). {more}"
    )
}

/// Larger counts of a `.perft` file are left to others.
const MAX_LEAVES: u64 = 50_000;

/// The counts of a game's `.perft` file, as far as they are of the game as it stands and not too large: the
/// text of a state, a depth and its leaves.
fn counts(name: &str) -> Vec<(String, u32, u64)> {
    let text = fs::read_to_string(file_of(name).with_extension("perft")).unwrap();
    let (mut counts, mut state, mut is_as_it_stands) = (Vec::new(), String::new(), true);
    for line in text.lines().map(|line| line.split('#').next().unwrap_or("").trim()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "id" => (state, is_as_it_stands) = ("initial".to_owned(), true),
            "set" | "data" => is_as_it_stands = false,
            "state" => rest.clone_into(&mut state),
            "perft" if is_as_it_stands => {
                let (depth, leaves) = rest.split_once(' ').unwrap();
                counts.push((
                    state.clone(),
                    depth.parse().unwrap(),
                    leaves.trim().parse().unwrap(),
                ));
            }
            _ => {}
        }
    }
    counts.retain(|(.., leaves)| *leaves <= MAX_LEAVES);
    counts
}

/// Kernels meet the `.perft` files, from states that are read from texts and written back.
#[test]
fn kernels_meet_the_perft_files() {
    let mut n_by_kernel = 0;
    for name in library() {
        let Some(game) = compiled(native(open(&name)).unwrap()) else { continue };
        for (text, depth, leaves) in counts(&name) {
            let state = game.parse_state(&text).unwrap();
            let written = game.state_text(&state);
            assert_eq!(game.parse_state(&written).unwrap(), state);
            let mut on = |_| ControlFlow::Continue(());
            let found = perft(&game, &state, depth, Draws::Ignore, &mut on).unwrap();
            assert_eq!(found.leaves, leaves, "{name} from {text} at depth {depth}");
            for kind in [LeafKind::Applied, LeafKind::Bulk] {
                let mut on = || ControlFlow::Continue(());
                let found = game.native().leaves(&state, depth, kind, &mut on).unwrap();
                assert_eq!(found.count, leaves, "{name} from {text} at depth {depth}, {kind:?}");
            }
        }
        let obstacle = game.native().leaf_obstacle().map_or(String::new(), ToString::to_string);
        eprintln!("{name}: {obstacle}");
        n_by_kernel += usize::from(obstacle.is_empty());
    }
    // Most games have a kernel that counts leaves.
    assert!(n_by_kernel > library().len() / 2, "{n_by_kernel}");
}

/// Rules of turns that no game of the library has.
#[test]
fn kernels_follow_every_rule_of_turns() {
    let texts = [
        walk(""),
        walk("turns by result."),
        walk("prefer max(at)."),
        walk("prefer max(9 - at). prefer max(steps). turns by result."),
        walk("prefer max(0 - at). prefer max(steps)."),
        walk(&seen("prefer max(count { X : seen(X) }).")),
        walk(&seen("prefer max(2 * count { X : seen(X) } + count { X : seen(X), X > 1 }). turns by result.")),
        walk(&seen("prefer max(count { X : seen(X), X > 0 }). prefer max(0 - at).")),
        walk(
            "sort flag = 0..1. sort thing = {none} + mark(flag). fluent on(place) : thing = none.
            effect any : on(at) := mark(steps mod 2). deferred effect any : on(X) := none :- on(X) = mark(_).
            prefer max(count { X, F : on(X) = mark(F) }). prefer max(count { X, F : on(X) = mark(F), F = 1 }).",
        ),
        walk("legal a does go(2) :- at < 5, after(a does go(1), steps > 0, at = 1). draw :- repeated(4)."),
        walk(&seen("legal a does go(2) :- at = 4, after(a does go(0), not seen(_)).")),
        walk(
            "move jump. legal a does jump :- at > 1, at < 7, after(a does jump, at > 3).
            effect jump : at := at + 2, steps := steps + 2. continue :- at = 4, steps < 4.",
        ),
        walk("draw :- repeated(3)."),
        walk("up :- _ does go(1). draw :- since(up, 4)."),
        walk("transient fluent last : -1..1 = undefined. effect go(D) : last := D :- at = 3."),
        walk("transient fluent lit(place). effect go(D) : lit(at) := true."),
    ];
    for text in texts {
        let request = BuildRequest { text: text.clone(), ..BuildRequest::default() };
        let result = build(&request, &Beside);
        let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
        let game = native(game).unwrap_or_else(|obstacle| panic!("{obstacle}: {text}"));
        let mut hashes = BTreeMap::new();
        let n_states: usize = (0..3).map(|seed| compare(&game, seed, &mut hashes)).sum();
        let game = compiled(game).unwrap();
        let n_native: usize = (3..6).map(|seed| compare(&game, seed, &mut hashes)).sum();
        assert!(n_states > 3 && n_native > 3);
        assert_eq!(game.native().contest_obstacle(), None, "{text}");
        assert!(compare_choices(&game, 7) > 1, "{text}");
    }
}

/// Two sides that keep away from each other on a short row, with another end.
fn shy(more: &str) -> String {
    format!(
        "rules 1. game shy. role a, b. sort point = 1..7. sort content = {{empty}} + role.
        fluent at(point) : content = empty. fluent turn : role = a. init at(1) = a. init at(6) = b.
        init at(7) = b. static beside(point, point). beside(X, X + 1). beside(X, X - 1). beside(X, X + 3).
        near(P) :- at(X) = P, beside(X, Y), opponent(P, Q), at(Y) = Q.
        move go(point, point).
        effect P does go(S, T) : at(S) := empty, at(T) := P.
        effect any : turn := Q :- turn = P, opponent(P, Q).
        reaches(P, S, T) :- turn = P, at(S) = P, beside(S, T), at(T) = empty.
        stuck(P) :- turn = P, not legal P does any. terminal :- stuck(_).
        goal(P, 0) :- stuck(P). goal(P, 100) :- opponent(P, Q), stuck(Q). {more}"
    )
}

/// Compares kernels with the reference engine, interpreted and compiled, with whole planes and without.
fn compare_text(text: &str) {
    for optimizations in
        [Optimizations::default(), Optimizations::default().without(Optimization::WholePlanes)]
    {
        let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
        let result = build(&request, &Beside);
        let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
        let game = native_with(game, optimizations).unwrap();
        let mut hashes = BTreeMap::new();
        let n_states: usize = (0..20).map(|seed| compare(&game, seed, &mut hashes)).sum();
        let game = compiled(game).unwrap();
        let n_native: usize = (20..40).map(|seed| compare(&game, seed, &mut hashes)).sum();
        assert!(n_states > 20 && n_native > 20, "{n_states}, {n_native}");
        // Where repetitions are counted in two ways, no kernel plays whole contests.
        if game.native().contest_obstacle().is_none() {
            assert!(compare_choices(&game, 7) > 1, "{text}");
            let n_turns: usize = (0..9).map(|seed| whole_contest(&game, seed)).sum();
            assert!(n_turns > 9, "{text}");
            for seed in 0..40 {
                let at_once = in_pieces(&game, seed, 200);
                assert_eq!(in_pieces(&game, seed, 3), at_once, "seed {seed}: {text}");
            }
        } else {
            assert!(text.contains("over [turn]"), "{text}");
        }
    }
}

/// Plays a random contest by the kernel for whole contests, so many turns at a time: whoever goes on finds what was counted.
fn in_pieces(game: &NotatedGame, seed: u64, n_turns: u64) -> (u64, String) {
    let (mut state, mut bits, mut made) = (game.initial().unwrap(), seed, 0);
    loop {
        let n_asked = n_turns.min(200 - made);
        let more = game.native().play_on(&mut state, &mut bits, n_asked).unwrap().unwrap();
        made += more;
        if more < n_asked || made == 200 {
            return (made, game.state_text(&state));
        }
    }
}

/// What an end asks about moves that are judged by the state after them, whoever makes them.
#[test]
fn moves_are_judged_whoever_makes_them() {
    let legal = "legal P does go(S, T) :- reaches(P, S, T), after(go(S, T), not near(P)).";
    compare_text(&shy(&format!("{legal} draw :- repeated(3).")));
}

/// What moves ask about is computed for ends and goals that ask about moves, too.
#[test]
fn ends_compute_what_moves_ask_about() {
    // So many clauses that the predicate is computed and not unfolded.
    let trapped = (1..=5).flat_map(|at| [(at, at + 1), (at, at + 2), (at + 2, at), (at + 1, at)]);
    let trapped = trapped.map(|(at, by)| {
        format!("trapped(P, {at}) :- opponent(P, Q), at({by}) = Q, at({at}) = empty. ")
    });
    let trapped: String = trapped.collect();
    let legal = "legal P does go(S, T) :- reaches(P, S, T), not trapped(P, T), after(go(S, T), not near(P)).";
    compare_text(&shy(&format!("{trapped} {legal} draw :- repeated(3).")));
}

/// What held after the moves of a role since the state was last there.
#[test]
fn cycles_are_judged_by_what_was_counted() {
    let legal = "legal P does go(S, T) :- reaches(P, S, T).";
    for end in [
        "draw :- cycle(a, near(b)).",
        "draw :- cycle(a, near(b)), cycle(b, near(a)). draw :- repeated(4).",
        "draw :- repeated(2), not cycle(b, near(b)).",
        "draw :- cycle(a, at(1) = empty, over [turn]). draw :- repeated(3).",
        "terminal :- cycle(a, at(4) = a).",
        "terminal :- repeated(2), cycle(a, at(4) = a).",
        "terminal :- repeated(3), not cycle(b, not at(3) = b).",
    ] {
        compare_text(&shy(&format!("{legal} {end}")));
    }
}

/// What a cycle asks is asked anew after each move, also where legality asked the same before it.
#[test]
fn cycles_ask_about_the_state_after_the_move() {
    let near = "rules 1. game near. role a. sort p = 1..6. fluent at(p) : {e, x, y} = e.
        fluent c : 0..1 = 0. init at(1) = x. init at(5) = y. move go(p).
        near(P, T) :- at(S) = P, p(T), at(T) = e, (T = S + 1 ; T = S - 1).
        legal a does go(T) :- near(x, T).
        effect a does go(T) : at(T) := x, at(S) := e :- at(S) = x. effect any : c := 1 - c.
        goal(a, 50). terminal :- cycle(a, none { X : near(x, X), near(y, X) }, over [c]).";
    let reach = "rules 1. game reach. role a. sort p = 1..4. fluent at(p, p) : {e, x} = e.
        fluent c : 0..1 = 0. move put(p, p). move del(p, p). derived reach(p, p).
        reach(1, R) :- at(1, R) = x. reach(F, R) :- reach(G, R), F = G + 1, at(F, R) = x.
        reach(F, R) :- reach(F, S), R = S + 1, at(F, R) = x.
        reach(F, R) :- reach(F, S), R = S - 1, at(F, R) = x.
        legal a does put(F, R) :- at(F, R) = e, F < 3.
        legal a does del(F, R) :- at(F, R) = x, reach(F, R).
        effect put(F, R) : at(F, R) := x. effect del(F, R) : at(F, R) := e. effect any : c := 1 - c.
        goal(a, 50). terminal :- cycle(a, reach(2, _), over [c]).";
    for text in [near, reach] {
        compare_text(text);
    }
}

/// Whether a move is legal may hang on what the answers to it lead to.
#[test]
fn moves_are_judged_by_the_answers_to_them() {
    let legal = "answers(Q) :- reaches(Q, S, T), after(Q does go(S, T), not near(Q)).
        legal P does go(S, T) :- reaches(P, S, T), opponent(P, Q), after(go(S, T), answers(Q)).";
    compare_text(&shy(&format!("{legal} draw :- repeated(3).")));
}

/// Objects on a line of points, with members of this kind and moves of these.
fn line(members: &str, more: &str) -> String {
    format!(
        "rules 1. game line. role black, white. sort point = 1..8. sort content = {{empty}} + role.
        static adj(point, point). adj(X, X + 1). adj(X, X - 1). static hot(point). hot(3).
        fluent at(point) : content = empty. fluent mark(point, role). fluent turn : role.
        init turn = black. init mark(1, black). init mark(1, white).
        init mark(2, black). object string = component(X : {members} ; link adj ; same C).
        move play(point). move pass. legal P does pass :- turn = P.
        goal(_, 50).
        effect P does play(X) : at(X) := P. effect any : turn := Q :- turn = P, opponent(P, Q).
        {more}"
    )
}

/// What is true of plain objects is not said of others: members by more conditions, or of several classes.
#[test]
fn laws_of_objects_hold_for_odd_objects_too() {
    let around = "legal P does play(X) :- turn = P, at(X) = empty, opponent(P, Q),
            string_border(S, X), string_shared(S, Q).
        legal P does play(X) :- turn = P, at(X) = empty, not at(_) = P.";
    let several = "legal P does play(X) :- turn = P, string_border(S, X), string_element(S, X).
        move two(point). legal P does two(X) :- turn = P, string_shared(X, C), string_shared(X, D), C \\= D.";
    let texts = [
        line("at(X) = C, C \\= empty, not hot(X)", around),
        line("at(X) = C, C \\= empty, adj(X, Y), hot(Y)", around),
        line("mark(X, C)", several),
    ];
    for text in texts {
        let request = BuildRequest { text: text.clone(), ..BuildRequest::default() };
        let source = GameSource::new(build(&request, &Beside), &request.limits);
        let source = source.unwrap_or_else(|result| panic!("{:?}: {text}", result.diagnostics));
        let leaves =
            [EngineKind::Reference, EngineKind::Interpreter, EngineKind::Native].map(|kind| {
                let prepared = prepare(&source, kind, &Stop::default(), &mut Unwatched).unwrap();
                match prepared.game {
                    EngineGame::Reference(game) => leaves_of(&game),
                    EngineGame::Native(game) => leaves_of(&game),
                }
            });
        assert!(leaves[0] > 8 && leaves.iter().all(|one| *one == leaves[0]), "{leaves:?}: {text}");
    }
}

/// The leaves three turns after the start.
fn leaves_of<G: Game>(game: &G) -> u64 {
    let start = game.initial().unwrap();
    let mut go_on = |_| ControlFlow::Continue(());
    perft(game, &start, 3, Draws::Ignore, &mut go_on).unwrap().leaves
}

/// Two goals of a role at once are an error, by rows and by loops, in the reference engine and in kernels.
#[test]
fn several_goals_at_once_are_an_error() {
    let text = "rules 1. game odd. role a. fluent done : {no, yes} = yes. move go.
        legal a does go :- done = no. effect go : done := yes. terminal :- done = yes.
        goal(a, 10) :- done = yes. goal(a, 20) :- done = yes.";
    for whole_planes in [true, false] {
        let request = BuildRequest { text: text.to_owned(), ..BuildRequest::default() };
        let result = build(&request, &Beside);
        let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
        let state = game.initial().unwrap();
        let expected = game.outcome(&state, Draws::Ignore).unwrap_err().to_string();
        assert!(expected.contains("different goals at once"), "{expected}");
        let all = Optimizations::default();
        let game = native_with(game, all.with(Optimization::WholePlanes, whole_planes)).unwrap();
        let state = game.initial().unwrap();
        let found = game.outcome(&state, Draws::Ignore).unwrap_err().to_string();
        assert!(found.contains("different goals at once"), "{found}");
    }
}

/// The part that plays can be shared by threads.
#[test]
fn threads_share_a_native_game() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let game = native(open("nim")).unwrap();
    is_shared(game.native());
    let lengths = std::thread::scope(|scope| {
        let play = |seed| {
            let native = game.native();
            scope.spawn(move || {
                let start = native.initial().unwrap();
                let mut random = Random::new(seed);
                let mut tick = || ControlFlow::Continue(());
                native.random_contest(&start, &mut random, 1000, &mut tick).unwrap().length
            })
        };
        [play(1), play(2)].map(|thread| thread.join().unwrap())
    });
    assert!(lengths.iter().all(|length| *length > 0));
}

/// Many contests in a row are what they are one by one, for any limit on their length.
#[test]
fn contests_in_a_row_are_those_played_one_by_one() {
    let mut tick = || ControlFlow::Continue(());
    for name in library() {
        let Some(game) = native(open(&name)).ok().and_then(compiled) else { continue };
        let (game, start) = (game.native(), game.initial().unwrap());
        for max_length in [1, 9, 200] {
            let contests = Contests { seed: 5, numbers: 3..43, max_length };
            let goals = vec![(0, 0); game.roles().len()];
            let empty = PlayoutSums { goals, ..PlayoutSums::default() };
            let (mut in_a_row, mut one_by_one) = (empty.clone(), empty);
            game.random_contests(&start, &contests, &mut tick, &mut in_a_row).unwrap();
            for number in contests.numbers.clone() {
                let mut random = Random::of_contest(contests.seed, number);
                let played = game.random_contest(&start, &mut random, max_length, &mut tick);
                one_by_one.add(&played.unwrap());
            }
            assert_eq!(in_a_row, one_by_one, "{name}, at most {max_length} turns");
        }
    }
}

/// The mean length of random contests, as other programs have it.
#[test]
fn random_contests_are_as_long_as_elsewhere() {
    let known = [
        ("connect_four", 21.31),
        ("breakthrough", 64.10),
        ("noughts_and_crosses", 7.63),
        ("reversi", 60.41),
        ("hex", 107.52),
    ];
    for (name, expected) in known {
        let game = compiled(native(open(name)).unwrap()).unwrap();
        assert!(game.native().contest_obstacle().is_none(), "{name}");
        let (start, mut random) = (game.initial().unwrap(), Random::new(1));
        let lengths = (0..N_CONTESTS).map(|_| {
            let mut tick = || ControlFlow::Continue(());
            let playout = game.random_contest(&start, &mut random, u64::MAX, &mut tick).unwrap();
            assert!(playout.outcome.is_some());
            playout.length
        });
        #[expect(clippy::cast_precision_loss, reason = "a mean of small numbers")]
        let mean = lengths.sum::<u64>() as f64 / N_CONTESTS as f64;
        assert!((mean - expected).abs() < 0.4, "{name}: {mean}");
    }
}

/// So many contests are played for a mean.
const N_CONTESTS: u64 = 10_000;
