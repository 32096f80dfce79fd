//! `rulesmith import` and positions, driven from outside.

mod common;

use common::{file, folder, rulesmith, run, text};

const VARIANTS: &str = "[centaurking:gardner]\nking = k:KN\n\n[duck:chess]\nduckGating = true\n";

#[test]
fn an_imported_variant_can_be_played() {
    let folder = folder("import");
    let variants = file(&folder, "variants.ini", VARIANTS.as_bytes());
    let out = folder.join("games").display().to_string();
    let ran = run(&["import", &variants, "--out", &out], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("centaurking: imported\nduck: refused, 1 reason\n"), "{ran:?}");
    assert!(ran.stdout.ends_with("1 of 2 variants can be imported\n"), "{ran:?}");
    assert!(ran.stderr.contains("variants.ini:5:1"), "{ran:?}");
    let game = folder.join("games/centaurking.scl").display().to_string();
    let printed = run(&["import", &variants, "centaurking"], b"");
    assert_eq!((printed.code, printed.stdout), (0, text(&game)));
    let fen = "rnbqk/ppppp/5/PPPPP/RNBQK b - - 3 7";
    let shown = run(&["show", &game, "--fen", fen, "--json"], b"");
    assert_eq!(shown.json()[0]["fen"], fen);
    assert_eq!(shown.json()[0]["position"], fen);
}

#[test]
fn a_variant_that_is_refused_or_missing_fails() {
    let folder = folder("import_fails");
    let variants = file(&folder, "variants.ini", VARIANTS.as_bytes());
    assert_eq!(run(&["import", &variants, "duck"], b"").code, 33);
    assert_eq!(run(&["import", &variants, "duck", "--ignore", "duckGating"], b"").code, 0);
    let ran = run(&["import", &variants, "duk"], b"");
    assert_eq!(ran.code, 31, "{ran:?}");
    assert!(ran.stderr.contains("did you mean `duck`?"), "{ran:?}");
    let json = &run(&["import", &variants, "duck", "--json"], b"").json()[0]["variants"][0];
    assert_eq!(json["problems"][0]["line"], 5);
    assert_eq!(json["text"], serde_json::Value::Null);
    let broken = file(&folder, "broken.ini", b"[a:chess]\nnothing\n");
    assert_eq!(run(&["import", &broken], b"").code, 33);
    assert_eq!(rulesmith("import no/such/file.ini").code, 32);
}

#[test]
fn a_broken_line_prints_no_game_and_the_first_of_a_name_counts() {
    let folder = folder("import_broken");
    let text = b"[a:chess]\ncastling false\n[b:chess]\ncastling = false\n[b:chess]\n[c:chess\n";
    let variants = file(&folder, "broken.ini", text);
    let ran = run(&["import", &variants, "a"], b"");
    assert_eq!((ran.code, ran.stdout.as_str()), (33, "a: refused, 1 reason\n"), "{ran:?}");
    let json = run(&["import", &variants, "b", "--json"], b"").json();
    assert!(!json[0]["variants"][0]["text"].as_str().unwrap().contains("CASTLE"), "{json:?}");
    let json = &run(&["import", &variants, "--json"], b"").json()[0]["variants"];
    assert_eq!(json[2]["problems"][0]["line"], 5);
    assert_eq!(json[3]["problems"][0]["line"], 6);
}

#[test]
fn reasons_have_an_end() {
    let folder = folder("import_long");
    let text: Vec<String> = (0..1500).map(|one| format!("[v{one}:nobody]")).collect();
    let variants = file(&folder, "long.ini", text.join("\n").as_bytes());
    let ran = run(&["import", &variants], b"");
    assert!(ran.stderr.contains("500 more reasons not shown"), "{}", ran.stderr.len());
    assert!(ran.stdout.ends_with("0 of 1500 variants can be imported\n"), "{ran:?}");
}

#[test]
fn positions_are_shown_as_players_write_them() {
    let ran = rulesmith("show chess_1992");
    assert!(
        ran.stdout.contains("\nposition   rkbqibkr/pppppppp/8/8/8/8/PPPPPPPP/RKBQIBKR w - - 0 1\n"),
        "{}",
        ran.stdout
    );
    let wrong = run(&["show", "chess_1992", "--fen", "rnbqkbnr/8 w"], b"");
    assert_eq!(wrong.code, 34, "{wrong:?}");
    assert!(wrong.stderr.contains("the board has 8 rows, 2 are given"), "{wrong:?}");
}
