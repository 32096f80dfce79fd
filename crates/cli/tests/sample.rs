//! `rulesmith sample`: its states, moves and successors are those that `show` tells.

mod common;

use common::{rulesmith, run};
use serde_json::Value;

fn states(arguments: &str) -> Vec<Value> {
    let ran = rulesmith(&format!("sample {arguments} --json"));
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

#[test]
fn what_is_sampled_is_what_show_tells() {
    for state in states("breakthrough_scl --states 4 --seed 3 --stride 5") {
        let position = state["position"].as_str().unwrap();
        let legal = state["legal"].as_array().unwrap();
        let arguments = ["show", "breakthrough_scl", "--json", "--position", position];
        let shown: Value = serde_json::from_str(&run(&arguments, b"").stdout).unwrap();
        let moves = shown["legal"].as_object().unwrap().values();
        let moves: Vec<&Value> = moves.flat_map(|moves| moves.as_array().unwrap()).collect();
        assert_eq!(legal.iter().map(|one| &one["move"]).collect::<Vec<_>>(), moves);
        let first = &legal[0];
        let chosen = first["move"].as_str().unwrap();
        let arguments = [&arguments[..], &["--move", chosen]].concat();
        let shown: Value = serde_json::from_str(&run(&arguments, b"").stdout).unwrap();
        assert_eq!(first["position"], shown["fen"]);
    }
}

#[test]
fn moves_lead_from_the_start_to_the_state() {
    let sampled = states("nim --states 5 --seed 1 --stride 1");
    assert_eq!(sampled.len(), 5);
    for pair in sampled.windows(2).filter(|pair| pair[1]["moves"] != Value::Array(Vec::new())) {
        let made = pair[1]["moves"].as_array().unwrap().last().unwrap();
        let legal = pair[0]["legal"].as_array().unwrap();
        let chosen = legal.iter().find(|one| one["move"] == *made).unwrap();
        assert_eq!(chosen["position"], pair[1]["position"]);
    }
}

#[test]
fn contests_start_where_they_are_told_to() {
    let fen = "8/2P5/3p4/8/8/5p2/8/8 w - - 0 1";
    let ran = run(
        &["sample", "breakthrough_scl", "--states", "2", "--max-steps", "1", "--fen", fen],
        b"",
    );
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    assert!(lines[0].starts_with("pppppppp/"), "{ran:?}");
    assert!(lines[1].starts_with("8/2P5/3p4/8/8/5p2/8/8 w"), "{ran:?}");
    assert_eq!(states("breakthrough_scl --states 3"), states("breakthrough_scl --states 3"));
}
