//! Random games of lines as rules text: boards of more than one word, on which runs end the contest.
//!
//! In: a seed. Out: a text. Invariant: the same seed gives the same text; all texts are accepted.

use crate::random_theories::Random;

/// A game in which men are placed, pushed or taken off, and runs of random lengths and directions count.
pub(crate) fn random_line_game(random: &mut Random) -> String {
    let (files, ranks) = (6 + random.below(9), 8 + random.below(8));
    let mut text = format!(
        "rules 1. game lines. role a, b.\nsort file = 1..{files}.\nsort rank = 1..{ranks}.\n\
         sort content = {{empty, wall}} + role.\nfluent turn : role = a.\nfluent late.\n"
    );
    let first = *random.pick(&["", "fluent spare(file, rank) : content = empty.\n"]);
    text.push_str(first);
    text.push_str("fluent at(file, rank) : content = empty.\n");
    for _ in 0..random.below(40) {
        let (file, rank) = (1 + random.below(files), 1 + random.below(ranks));
        let who = *random.pick(&["a", "b", "wall"]);
        let line = format!("init at({file}, {rank}) = {who}.\n");
        if !text.contains(line.split('=').next().unwrap_or(&line)) {
            text.push_str(&line);
        }
    }
    add_moves(random, &mut text);
    add_lines(random, &mut text);
    text.push_str("effect any : turn := Q :- turn = P, opponent(P, Q).\n");
    text.push_str("goal(P, 100) :- line(P).\ngoal(P, 50) :- role(P), not line(P).\n");
    text
}

fn add_moves(random: &mut Random, text: &mut String) {
    let target = *random.pick(&["= empty", "= empty", "\\= P"]);
    text.extend([format!(
        "move place(file, rank).\nlegal P does place(F, R) :- turn = P, at(F, R) {target}.\n"
    )]);
    let given = *random.pick(&["P", "P", "P", "Q :- opponent(P, Q)", "P :- not late"]);
    text.extend([format!("effect P does place(F, R) : at(F, R) := {given}.\n")]);
    if random.chance(30) {
        text.push_str(
            "move lift(file, rank).\nlegal P does lift(F, R) :- turn = P, at(F, R) = P.\n",
        );
        text.push_str("effect lift(F, R) : at(F, R) := empty.\n");
    }
    if random.chance(30) {
        text.push_str("move push(file, rank).\n");
        text.push_str(
            "legal P does push(F, R) :- turn = P, at(F, R) = P, at(F, R + 1) = empty.\n\
             legal P does push(F, R) :- turn = P, at(F, R) = P, at(F, R + 1) = wall.\n\
             effect P does push(F, R) : at(F, R + 1) := P.\n\
             effect push(F, R) : at(F, R) := empty.\n",
        );
    }
    if random.chance(20) {
        text.push_str("move pass.\nlegal P does pass :- turn = P.\neffect pass : late := true.\n");
    }
    if random.chance(15) {
        text.push_str("effect P does place(F, R) : at(F + 1, R) := P :- at(F + 1, R) = empty.\n");
    }
}

/// What ends a contest: runs in some directions, not always everywhere.
fn add_lines(random: &mut Random, text: &mut String) {
    let length = *random.pick(&[2, 3, 3, 3, 4, 4, 5]);
    text.push_str("static direction(-2..2, -2..2).\n");
    for _ in 0..=random.below(4) {
        let file = *random.pick(&[0, 1, 1, 1, 2]);
        let rank = *random.pick(&[-2, -1, -1, 0, 0, 1, 1, 2]);
        if (file, rank) != (0, 0) {
            text.extend([format!("direction({file}, {rank}).\n")]);
        }
    }
    let points = (1..length).map(|n| format!("at(F + {n} * X, R + {n} * Y) = P"));
    let points: Vec<String> = points.collect();
    let more = *random.pick(&["", "", "", ", F \\= 3", ", F < R", ", not late", ", turn = P"]);
    text.extend([format!(
        "line(P) :- role(P), at(F, R) = P, direction(X, Y), {}{more}.\n",
        points.join(", ")
    )]);
    text.push_str("terminal :- line(_).\n");
    if random.chance(30) {
        text.push_str("draw :- repeated(2).\n");
    }
    if random.chance(50) {
        text.push_str("terminal :- not at(_, _) = empty.\n");
    }
}
