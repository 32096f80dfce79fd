//! Contests at the terminal, played by a script: good moves, junk, saving, loading, leaving.

mod common;

use common::{Ran, file, folder, run, text};

fn play(arguments: &str, input: &[u8]) -> Ran {
    let mut all = vec!["play"];
    all.extend(arguments.split_whitespace());
    run(&all, input)
}

#[test]
fn a_contest_is_played_to_its_end_by_numbers_and_texts() {
    let ran = play("noughts_and_crosses --role all", b"a1\nb1\na2\nb2\na3\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.ends_with("x wins. (x 100, o 0)\n"), "{}", ran.stdout);
    let ran = play("noughts_and_crosses --role both", &b"1\n".repeat(9));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("wins."), "{}", ran.stdout);
}

#[test]
fn the_other_roles_answer_at_random_by_the_seed() {
    let game = |seed: u32| {
        let arguments = format!("noughts_and_crosses --opponent random --seed {seed}");
        let ran = play(&arguments, &b"random\n".repeat(9));
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    };
    assert_eq!(game(1), game(1));
    assert_ne!(game(1), game(2));
    let watched = play("noughts_and_crosses --role none --opponent random", b"");
    assert!(watched.stdout.contains("Chance plays x and o."), "{}", watched.stdout);
    assert!(watched.stdout.contains("x plays"), "{}", watched.stdout);
    assert!(!watched.stdout.contains("> "), "nobody is asked: {}", watched.stdout);
}

#[test]
fn the_computer_plays_the_other_roles_and_shows_its_scores() {
    let game = |seed: u32| {
        let arguments = format!("noughts_and_crosses --role o --playouts 300 --seed {seed}");
        let ran = play(&arguments, b"hint\nquit\n");
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout
    };
    let stdout = game(1);
    assert_eq!(stdout, game(1));
    assert_ne!(stdout, game(2));
    assert!(stdout.contains("You play o. The computer plays x."), "{stdout}");
    assert!(stdout.contains("    score  playouts  move\n"), "{stdout}");
    assert!(stdout.contains("                300  in all  (4 more)\nx plays "), "{stdout}");
    assert!(stdout.contains("                300  in all\no> "), "a hint shows all: {stdout}");
    let short = play("noughts_and_crosses --role o --playouts 50 --scores 0", b"quit\n");
    assert!(!short.stdout.contains("score"), "{}", short.stdout);
    let timed = play("noughts_and_crosses --role o --seconds 0.05", b"quit\n");
    assert!(timed.stdout.contains("x plays "), "{timed:?}");
}

/// Wins that are there are taken, and the other's are prevented, whoever moves.
#[test]
fn the_computer_wins_and_blocks() {
    for (moves, answer) in [
        // Three in a row at once.
        ("a1 b1 a2 b2", "x plays a3"),
        // The other threatens c1.
        ("b2 a1 c3 b1", "x plays c1"),
        ("a1 b2 a2", "o plays a3"),
    ] {
        let folder = folder("wins_and_blocks");
        let turn = |(at, chosen)| format!("{}. {} {chosen}\n", at + 1, ["x", "o"][at % 2]);
        let turns: String = moves.split(' ').enumerate().map(turn).collect();
        let contest = format!("contest 1\ngame noughts_and_crosses\n{turns}");
        let path = file(&folder, "contest.txt", contest.as_bytes());
        for seed in ["1", "2", "3"] {
            let arguments = ["play", "--load", &path, "--role", "none", "--seed", seed];
            let ran = run(&[&arguments[..], &["--playouts", "1000"]].concat(), b"");
            let mut lines = ran.stdout.lines();
            let first =
                lines.find(|line| line.starts_with("x plays") || line.starts_with("o plays"));
            assert_eq!(first, Some(answer), "{moves}: {}", ran.stdout);
        }
    }
}

#[test]
fn contests_between_players_are_counted() {
    let arguments = "noughts_and_crosses --contests 6 --opponent monte-carlo,random --playouts 200";
    let ran = play(&format!("{arguments} --json"), b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let json = &ran.json()[0];
    assert_eq!(json["contests"], 6);
    let players = json["players"].as_array().expect("a list");
    assert_eq!(
        (&players[0]["player"], &players[1]["player"]),
        (&"monte-carlo".into(), &"random".into())
    );
    assert_eq!(players[0]["wins"], players[1]["losses"]);
    let score = |at: usize| players[at]["score"].as_f64().expect("a number");
    assert!((score(0) + score(1) - 100.0).abs() < 1e-9, "{json}");
    let ran = play(arguments, b"");
    assert!(ran.stdout.contains("contests     6\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nmonte-carlo  "), "{}", ran.stdout);
    let cut = play("fifteen_puzzle --contests 2 --opponent random --max-steps 5 --json", b"");
    assert_eq!(
        (&cut.json()[0]["unfinished"], &cut.json()[0]["mean_length"]),
        (&2.into(), &5.0.into())
    );
    assert_eq!(play("nim --contests 2 --role first", b"").code, 30);
    assert_eq!(play("nim --json", b"").code, 30);
}

#[test]
fn roles_that_move_at_once_choose_apart() {
    let ran = play("rock_paper_scissors --role all", b"rock\nscissors\nrock\nscissors\n");
    assert!(ran.stdout.ends_with("left wins. (left 100, right 0)\n"), "{}", ran.stdout);
    let ran = play("rock_paper_scissors --playouts 100", b"rock\nundo\nrock\nrock\nrock\n");
    assert!(ran.stdout.contains("left plays rock\nright plays"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Took back 1 turn."), "{}", ran.stdout);
}

#[test]
fn a_role_that_only_waits_is_not_asked() {
    let ran = play("tests/tic_tac_toe.kif --role all", b"(mark 1 1)\n(mark 1 2)\n#2\nundo\nquit\n");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("xplayer plays noop\noplayer plays (mark 1 2)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("xplayer plays (mark 2 1)\noplayer plays noop"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Took back 1 turn."), "{}", ran.stdout);
    let ran = run(&["show", "tests/tic_tac_toe.kif", "--set", "size=4"], b"");
    assert_eq!(ran.code, 30, "{ran:?}");
}

#[test]
fn contests_without_people_are_bounded() {
    let ran = play("fifteen_puzzle --role none --opponent random --max-steps 3", b"");
    assert_eq!(ran.code, 20, "{ran:?}");
    assert_eq!(ran.stdout.matches("player plays").count(), 3, "{}", ran.stdout);
}

#[test]
fn any_input_is_survived() {
    let mut junk =
        b"\xff\xfe\x00\n\n   \nfoo\n99999999999999999999\n0\n#\n:\n-1\nsave\nundo\n".to_vec();
    junk.extend(vec![b'z'; 100_000]);
    junk.extend_from_slice(
        b"\n\x1b[31m\nhelp\nmoves\nboard\nposition\nfacts\nb2\nundo\nresign now\nresign\n",
    );
    let ran = play("noughts_and_crosses --role all", &junk);
    assert_eq!(ran.code, 0, "{ran:?}");
    for words in [
        "That is not UTF-8 text.",
        "That line is too long for a move.",
        "`foo` is not a legal move",
        "The moves are numbered 1 to 9.",
        "Say where: `save FILE`.",
        "There is nothing to take back.",
        "Took back 1 turn.",
        "`resign now` is not a legal move",
        "x resigned.",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\x1b'), "control characters are not echoed");
}

#[test]
fn the_end_of_input_leaves_and_saves() {
    let folder = folder("end_of_input");
    let saved = folder.join("contest.txt").to_str().expect("a plain path").to_owned();
    let ran = run(&["play", "noughts_and_crosses", "--seed", "3", "--save", &saved], b"a1");
    assert!(text(&saved).contains("\nplayer o = monte-carlo\n"), "{}", text(&saved));
    assert_eq!(ran.code, 0, "{ran:?}");
    let contest = text(&saved);
    assert!(contest.starts_with("contest 1\ngame noughts_and_crosses\nseed 3\n"), "{contest}");
    assert!(contest.contains("\n1. x a1\n2. o "), "{contest}");
    assert!(contest.ends_with("\nresult unfinished\n"), "{contest}");
}

#[test]
fn a_saved_contest_goes_on_where_it_was_left() {
    let folder = folder("going_on");
    let saved = folder.join("contest.txt").to_str().expect("a plain path").to_owned();
    let script = format!("a1\nb1\na2\nsave {saved}\nquit\n");
    play("noughts_and_crosses --role all", script.as_bytes());
    let ran = run(&["play", "--load", &saved, "--save", &saved], b"b2\na3\n");
    assert!(ran.stdout.ends_with("x wins. (x 100, o 0)\n"), "{ran:?}");
    assert!(text(&saved).ends_with("5. x a3\n\nresult terminal: x 100, o 0\n"), "{}", text(&saved));
    let ran = run(&["replay", &saved], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("   5. x a3\n"), "{}", ran.stdout);
    let json = &run(&["replay", &saved, "--json"], b"").json()[0];
    assert_eq!(json["turns"].as_array().expect("a list").len(), 5);
    assert_eq!(json["turns"][0]["moves"], serde_json::json!({"x": "a1"}));
    let result =
        serde_json::json!({"ending": "terminal", "goals": {"x": 100, "o": 0}, "resigned": null});
    assert_eq!(json["result"], result);
}

#[test]
fn parameters_positions_and_data_are_part_of_a_saved_contest() {
    let folder = folder("settings");
    let saved = folder.join("contest.txt").to_str().expect("a plain path").to_owned();
    run(&["play", "nim", "--set", "heaps=2", "--save", &saved], b"b-3\n");
    assert!(text(&saved).contains("\nset heaps = 2\n"), "{}", text(&saved));
    assert_eq!(run(&["replay", &saved], b"").code, 0);
    let level = "level=levels/one_push.xsb";
    run(&["play", "sokoban", "--data", level, "--save", &saved], b"random\n");
    assert!(text(&saved).contains("\ndata level = levels/one_push.xsb\n"), "{}", text(&saved));
    let ran = run(&["replay", &saved, "--boards"], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn damaged_contests_are_located() {
    let folder = folder("damaged");
    let start = "contest 1\ngame noughts_and_crosses\n";
    for (turns, words) in [
        ("1. x a9", ":3:6: "),
        ("1. o a1", ":3:4: it is not the turn of `o`"),
        ("1. x a1\n2. o a1", ":4:6: "),
        ("1. x a1\n1. o b1", ":4:1: the turn is numbered 1, not 2"),
        ("1. x a1\nresult terminal: x 100, o 0", ":4:1: by the rules the result is `unfinished`"),
    ] {
        let path = file(&folder, "contest.txt", format!("{start}{turns}\n").as_bytes());
        for arguments in [["replay", &path, "--color=never"], ["play", "--load", &path]] {
            let ran = run(&arguments, b"");
            assert_eq!(ran.code, 35, "{ran:?}");
            assert!(ran.stderr.contains(&format!("contest.txt{words}")), "{ran:?}");
        }
    }
}

#[test]
fn files_that_are_no_contests_are_not_overwritten() {
    let folder = folder("overwriting");
    let precious = file(&folder, "thesis.txt", b"precious");
    let ran = run(&["play", "nim"], format!("save {precious}\n").as_bytes());
    assert!(
        ran.stdout.contains("is something else than what would be written; it was left as it is"),
        "{ran:?}"
    );
    let ran = run(&["play", "nim", "--save", &precious], b"");
    assert_eq!(ran.code, 36, "{ran:?}");
    assert_eq!(text(&precious), "precious");
}

#[cfg(unix)]
mod signals {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::common::{folder, text};

    /// Ctrl-C at the prompt: the contest is saved and the exit code says what happened.
    #[test]
    fn an_interrupt_leaves_and_saves() {
        let folder = folder("interrupt");
        let saved = folder.join("contest.txt").to_str().expect("a plain path").to_owned();
        let mut child = Command::new(env!("CARGO_BIN_EXE_rulesmith"))
            .env("RULESMITH_CACHE", "")
            .args(["play", "nim", "--save", &saved])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let _stdin = child.stdin.take().expect("piped, and open to the end");
        let mut stdout = child.stdout.take().expect("piped");
        let mut seen = Vec::new();
        while !seen.ends_with(b"> ") {
            let mut byte = [0];
            stdout.read_exact(&mut byte).expect("a prompt comes");
            seen.push(byte[0]);
        }
        // The shell's own `kill`: a minimal machine has no program of that name.
        let kill = format!("kill -INT {}", child.id());
        let killed = Command::new("sh").args(["-c", &kill]).status();
        assert!(killed.expect("kill runs").success());
        assert_eq!(child.wait().expect("the binary ends").code(), Some(21));
        assert!(text(&saved).ends_with("result unfinished\n"));
    }

    /// A reader that goes away, as `| head` does, is no fault.
    #[test]
    fn a_closed_pipe_is_no_fault() {
        for arguments in [&["games"][..], &["perft", "nim", "--depth", "3"], &["--help"], &["man"]]
        {
            let mut child = Command::new(env!("CARGO_BIN_EXE_rulesmith"))
                .env("RULESMITH_CACHE", "")
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary starts");
            drop(child.stdout.take());
            let output = child.wait_with_output().expect("the binary ends");
            assert_eq!(output.status.code(), Some(0), "{arguments:?}");
            assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
        }
    }
}
