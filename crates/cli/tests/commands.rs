//! The binary, driven from outside: help, errors, exit codes and JSON.

mod common;

use common::{file, folder, rulesmith, run, text};

const COMMANDS: [&str; 12] = [
    "games",
    "check",
    "show",
    "play",
    "replay",
    "perft",
    "playouts",
    "sample",
    "specialize",
    "dump",
    "completions",
    "man",
];

/// A game of one move, for what the library is too large for.
const ONE: &str = "rules 1. game one. role me. param size = 3. sort n = 1..size. fluent done.\n\
    move go(n). legal me does go(N) :- n(N), not done. effect go(_) : done := true.\n\
    terminal :- done. goal(me, 100) :- done.\n";

#[test]
fn without_arguments_it_prints_help() {
    let ran = rulesmith("");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for command in COMMANDS {
        assert!(ran.stdout.contains(command), "{command}");
    }
    assert_eq!(rulesmith("--version").stdout, "rulesmith 0.1.0\n");
}

#[test]
fn every_command_has_help_with_examples() {
    for command in COMMANDS {
        let ran = rulesmith(&format!("{command} --help"));
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.contains("EXAMPLES:"), "{command}");
    }
}

#[test]
fn mistakes_on_the_command_line_have_their_exit_code() {
    for arguments in [
        "perft",
        "frobnicate",
        "perft nim",
        "perft nim --depth x",
        "show nim --engine turbo",
        "show nim --set size",
        "show nim --limit inference=1",
        "play nim --role third",
        "playouts nim --seconds -1",
        "playouts nim --seconds 1 --count 1",
        "dump nim --stage soup",
    ] {
        let ran = rulesmith(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (30, ""), "{arguments}: {ran:?}");
        assert!(ran.stderr.starts_with("error: "), "{arguments}: {ran:?}");
    }
    assert!(rulesmith("show nim --engine turbo").stderr.contains("'turbo'"));
    assert!(
        rulesmith("show nim --limit inference=1").stderr.contains("did you mean `inferences`?")
    );
}

#[test]
fn games_that_cannot_be_found_are_explained() {
    let near = rulesmith("show brekthrough");
    assert_eq!(near.code, 31);
    assert!(near.stderr.contains("did you mean `breakthrough`?"), "{near:?}");
    assert_eq!(rulesmith("show nowhere.rules").code, 31);
    assert_eq!(rulesmith("show nim.kif").code, 31);
    assert!(rulesmith("show nim.kif").stderr.contains("nim.rules"));
}

#[test]
fn files_that_cannot_be_read_are_explained() {
    let folder = folder("unreadable");
    let large = file(&folder, "large.rules", &vec![b' '; 9 << 20]);
    let latin = file(&folder, "latin.rules", b"rules 1.\n% caf\xe9\n");
    let here = folder.to_str().expect("a plain path");
    for (path, words) in [
        (here, "is a folder"),
        ("./nowhere.rules", "there is no file"),
        (&large, "larger than 8 MiB"),
        (&latin, "not UTF-8 text (line 2, column 6)"),
        (&latin, "latin.rules:2:6\n  |\n2 | % caf\u{fffd}\n  |      ^ byte 0xe9\n"),
        (&latin, "such as Latin-1: save it as UTF-8"),
    ] {
        let ran = run(&["check", path], b"");
        assert_eq!(ran.code, 32, "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
    let ran = run(&["show", "sokoban", "--data", "nowhere.xsb"], b"");
    assert_eq!(ran.code, 32, "{ran:?}");
}

#[test]
fn check_shows_every_problem_with_its_place() {
    let folder = folder("check");
    let bad =
        file(&folder, "bad.rules", ONE.replace("terminal :- done", "terminal :- gone").as_bytes());
    let ran = run(&["check", &bad], b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (33, ""));
    assert!(ran.stdout.contains("bad.rules:3:13"), "{}", ran.stdout);
    assert!(ran.stdout.contains("^^^^"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("1 error\n"), "{}", ran.stdout);
    let json = &run(&["check", &bad, "--json"], b"").json()[0];
    assert_eq!(json["schema"], 1);
    assert_eq!(json["errors"], 1);
    let problem = &json["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&3.into(), &13.into()));
    assert_eq!(problem["severity"], "error");
    let ran = run(&["show", &bad], b"");
    assert_eq!((ran.code, ran.stdout.as_str()), (33, ""));
    assert!(ran.stderr.contains("bad.rules:3:13"), "{}", ran.stderr);
}

#[test]
fn check_lists_metarules_with_their_standing_and_refuses_false_ones() {
    let folder = folder("metarules");
    let meta = |name: &str, pattern: &str| {
        let metarule = format!("impossible(R) :- rule(R), condition(R, `{pattern}`).");
        file(&folder, name, format!("{ONE}meta phase filter.\n{metarule}\n").as_bytes())
    };
    let ran = run(&["check", &meta("good.rules", "X \\= X")], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("follows from the general laws"), "{}", ran.stdout);
    let bad = meta("bad.rules", "done");
    let ran = run(&["check", &bad], b"");
    assert_eq!(ran.code, 33, "{ran:?}");
    assert!(ran.stdout.contains("this metarule is not true in play"), "{}", ran.stdout);
    let json = &run(&["check", &bad, "--json"], b"").json()[0];
    assert_eq!(json["metarules"][0]["is_proved"], false);
    assert_eq!(json["metarules"][0]["status"], "false in play");
}

#[test]
fn check_shows_places_that_lie_far_apart_and_survives_huge_lines() {
    let folder = folder("huge");
    let filler = "% filler\n".repeat(5000);
    let far = file(&folder, "far.rules", format!("{ONE}{filler}move go(n).\n").as_bytes());
    let ran = run(&["check", &far], b"");
    assert!(ran.stdout.contains("far.rules:5004:6"), "{}", ran.stdout);
    assert!(ran.stdout.contains("far.rules:2:6"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("filler"), "{}", ran.stdout);
    let conditions = "p, ".repeat(100_000);
    let long = file(&folder, "long.rules", format!("{ONE}terminal :- {conditions} p.").as_bytes());
    let ran = run(&["check", &long], b"");
    assert_eq!(ran.code, 33);
    assert!(ran.stdout.contains("long.rules:4:13"), "{}", ran.stdout);
    assert!(ran.stdout.len() < 100_000, "{} bytes", ran.stdout.len());
}

#[test]
fn check_accepts_good_rules_by_every_kind_of_name() {
    let folder = folder("names");
    let good = file(&folder, "one.rules", ONE.as_bytes());
    for name in ["nim", "tic_tac_toe", "Tic-Tac-Toe", "noughts_and_crosses.rules", &good] {
        assert_eq!(run(&["check", name], b"").code, 0, "{name}");
    }
}

#[test]
fn rules_on_disk_read_only_below_their_folder() {
    let folder = folder("includes");
    std::fs::create_dir_all(folder.join("inner/parts")).expect("a folder");
    file(&folder, "secret.rules", b"sort secret = {code}.");
    file(&folder, "inner/parts/more.rules", b"% nothing more");
    let with = |name: &str, path: &str| {
        let text = format!("{ONE}include \"{path}\".\n");
        file(&folder, &format!("inner/{name}"), text.as_bytes())
    };
    assert_eq!(run(&["show", &with("good.rules", "parts/more.rules")], b"").code, 0);
    for path in ["../secret.rules", "/etc/hostname", "parts/../../secret.rules"] {
        let ran = run(&["check", &with("bad.rules", path)], b"");
        assert_eq!(ran.code, 33, "{ran:?}");
        assert!(ran.stdout.contains("own folder"), "{}", ran.stdout);
    }
}

#[test]
fn limits_are_named_when_they_are_reached() {
    let ran = rulesmith("perft nim --depth 3 --limit inferences=5");
    assert_eq!(ran.code, 20, "{ran:?}");
    assert!(ran.stderr.contains("`inferences` of 5"), "{ran:?}");
    let ran = rulesmith("perft nim --depth 30 --limit time=1");
    assert_eq!(ran.code, 20, "{ran:?}");
    assert!(ran.stdout.contains("\n    1               16"), "what was counted is shown: {ran:?}");
    assert!(ran.stderr.contains("`time` of 1"), "{ran:?}");
    assert_eq!(rulesmith("check go --limit sort-size=5").code, 20);
}

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn games_lists_the_library() {
    let json = &rulesmith("games --json").json()[0];
    assert_eq!(keys(json), ["games", "schema"]);
    let games = json["games"].as_array().expect("a list");
    let nim = games.iter().find(|game| game["name"] == "nim").expect("nim is there");
    assert_eq!(keys(nim), ["aliases", "description", "files", "name", "roles"]);
    assert_eq!(nim["roles"], serde_json::json!(["first", "second"]));
    for game in games {
        assert_ne!(game["description"], "", "{game}");
        assert_ne!(game["roles"], serde_json::json!([]), "{game}");
    }
    let text = rulesmith("games").stdout;
    assert!(text.contains("also called tic_tac_toe"), "{text}");
}

#[test]
fn show_gives_roles_facts_and_legal_moves() {
    let json = &rulesmith("show nim --set heaps=2 --json").json()[0];
    assert_eq!(
        keys(json),
        ["engine", "facts", "game", "goals", "legal", "position", "roles", "schema", "terminal"]
    );
    assert_eq!(json["game"], "nim(heaps=2)");
    assert_eq!(json["roles"], serde_json::json!(["first", "second"]));
    assert_eq!(
        json["legal"],
        serde_json::json!({"first": ["a-1", "b-1", "b-2", "b-3"], "second": []})
    );
    assert!(!json["facts"].as_array().expect("a list").is_empty());
    let text = rulesmith("show nim --set heaps=2").stdout;
    assert!(text.contains("first has 4 legal moves:"), "{text}");
    assert!(text.contains("take(heap, number)"), "{text}");
}

#[test]
fn perft_prints_one_document_a_depth() {
    let ran = rulesmith("perft noughts_and_crosses --depth 3 --json");
    let json = ran.json();
    let counts: Vec<_> = json.iter().map(|row| row["leaves"].as_u64().expect("a count")).collect();
    assert_eq!(counts, [9, 72, 504]);
    let fields = ["depth", "engine", "game", "leaves", "schema", "seconds", "terminals"];
    assert!(json.iter().all(|row| keys(row) == fields), "{ran:?}");
    assert!(json.iter().all(|row| row["engine"] == "native"), "{ran:?}");
    let divided = &rulesmith("perft noughts_and_crosses --depth 2 --divide --json").json()[0];
    let parts = divided["divide"].as_array().expect("a list");
    assert_eq!((parts.len(), &parts[0]["leaves"]), (9, &8.into()));
    assert_eq!(divided["leaves"], 72);
    let ran = rulesmith("perft rock_paper_scissors --depth 1 --divide");
    assert!(ran.stdout.contains("left rock; right paper: 1"), "{}", ran.stdout);
}

#[test]
fn playouts_depend_on_the_seed_alone() {
    let play = |seed: u32| {
        let ran =
            rulesmith(&format!("playouts noughts_and_crosses --count 50 --seed {seed} --json"));
        let mut json = ran.json().remove(0);
        let fields = [
            "engine",
            "game",
            "mean_goals",
            "mean_length",
            "playouts",
            "schema",
            "seconds",
            "states",
        ];
        assert_eq!(keys(&json), fields);
        assert_eq!(keys(&json["mean_goals"]), ["o", "x"]);
        json["seconds"] = 0.into();
        json
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
    let capped = &rulesmith("playouts nim --count 3 --max-steps 2 --json").json()[0];
    assert_eq!(capped["states"], 6);
    assert_eq!(capped["mean_goals"]["first"], serde_json::Value::Null);
}

#[test]
fn a_position_that_is_none_is_refused() {
    for command in ["show", "perft --depth 1", "playouts --count 1", "play"] {
        let ran = rulesmith(&format!("{command} nim --position nonsense"));
        assert_eq!(ran.code, 34, "{command}: {ran:?}");
    }
    // Every heap must have a size, which is a mistake of this text and none of the rules.
    let ran = run(&["show", "nim", "--position", "size(1) = 1, turn = first"], b"");
    assert_eq!(ran.code, 34, "{ran:?}");
    assert!(ran.stderr.contains("does not say what `size` is for every key"), "{ran:?}");
}

#[test]
fn dump_prints_the_theory_and_says_what_is_not_there_yet() {
    let ran = rulesmith("dump nim --stage analysis");
    assert_eq!((ran.code, ran.stdout.as_str()), (10, ""));
    let ran = rulesmith("dump nim --stage theory");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("game nim."), "{}", ran.stdout);
    let folder = folder("dump");
    let printed = file(&folder, "nim.rules", ran.stdout.as_bytes());
    assert_eq!(run(&["dump", &printed, "--stage", "theory"], b"").stdout, ran.stdout);
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(rulesmith(&format!("completions {shell}")).stdout.contains("perft"), "{shell}");
    }
    assert!(rulesmith("man").stdout.contains(".TH rulesmith 1"));
    let folder = folder("man");
    let ran = run(&["man", "--out", folder.to_str().expect("a plain path")], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = folder.join("rulesmith-perft.1");
    assert!(text(page.to_str().expect("a plain path")).contains("depth"));
}

#[test]
fn colors_are_for_terminals_and_for_those_who_ask() {
    assert!(!rulesmith("games").stdout.contains('\x1b'));
    assert!(rulesmith("games --color always").stdout.contains('\x1b'));
    assert!(!rulesmith("show nowhere").stderr.contains('\x1b'));
}
