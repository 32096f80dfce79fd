//! Random games on boards: chess-like games in which one piece is to be mated, and stones on wide boards.
//!
//! In: random numbers. Out: texts for which code has masks, carried values and components that are kept.
//! Invariant: every text is valid in its language.

use crate::random_theories::Random;

/// Ways to move and to capture, of pieces in chess-like games.
const WAYS: [&str; 10] = [
    "LEAP <2,1> SYMMETRY all_symmetry",
    "LEAP <1,0> SYMMETRY all_symmetry",
    "LEAP <2,2> SYMMETRY all_symmetry",
    "RIDE <1,0> SYMMETRY all_symmetry",
    "RIDE <1,1> SYMMETRY all_symmetry",
    "RIDE <2,1> SYMMETRY all_symmetry",
    "LEAP <1,1> SYMMETRY {side}",
    "HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X >= 0] HOP_OVER [any_player any_piece] <1,0> SYMMETRY all_symmetry",
    "HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X >= 0] HOP_OVER [any_player {one three}] <1,1> SYMMETRY all_symmetry",
    "HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X = 0] HOP_OVER [any_player any_piece] <1,0> SYMMETRY all_symmetry",
];

/// Pieces that slide and leap, one of which is to be mated, as `.scl`.
pub(crate) fn random_mates(random: &mut Random) -> String {
    let (files, ranks) = (6 + random.below(3), 6 + random.below(2));
    let columns: Vec<char> = ('a'..='h').take(files).collect();
    let mut text = format!(
        "GAME mates\nGOALS checkmate opponent\nBOARD_SIZE {files} BY {ranks}\nBOARD_TYPE planar\nINVERSION forward\n\
         PROMOTE_RANK {ranks}\nSETUP king AT {}1\n",
        columns[2]
    );
    for (name, rank, first) in [("one", 1, 0), ("two", 1, 3), ("three", 2, random.below(3))] {
        text.extend([format!("      {name} AT {}{rank}\n", columns[first])]);
    }
    text.push_str("CONSTRAINTS protect [{player} {king}]\nDRAWS stalemate\nREPETITION 3 draw\n");
    // What is possessed can be dropped.
    let effect = if random.below(3) == 0 { "player possesses" } else { "remove" };
    for (name, symbol) in [("king", 'K'), ("one", 'A'), ("two", 'B'), ("three", 'C')] {
        let king = "    MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT\n    \
                    MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT\n";
        let moving = if name == "king" { king.to_owned() } else { ways_of(random) };
        let capture =
            format!("CAPTURE BY {{clobber}} TYPE [{{opponent}} any_piece] EFFECT {effect}");
        let same = format!("    {capture} AS_MOVING END CAPTURE\n");
        let capturing = match random.below(3) {
            0 if name != "king" => format!("    {capture}\n{}    END CAPTURE\n", ways_of(random)),
            _ => same,
        };
        let promoting = match random.below(3) {
            0 if name != "king" => {
                "  PROMOTING DECISION player OPTIONS [{player} {one two}] END PROMOTING\n"
            }
            _ => "",
        };
        text.extend([format!(
            "DEFINE {name} SYMBOL \"{symbol}\"\n  MOVING\n{moving}  END MOVING\n  CAPTURING\n{capturing}  END CAPTURING\n\
             {promoting}END DEFINE\n"
        )]);
    }
    text.push_str("END GAME.\n");
    text
}

fn ways_of(random: &mut Random) -> String {
    let n_ways = 1 + random.below(2);
    let mut text = String::new();
    for _ in 0..n_ways {
        text.extend([format!("    MOVEMENT {} END MOVEMENT\n", random.pick(&WAYS))]);
    }
    text
}

/// Stones that are taken when they have no liberty, on boards of several words.
pub(crate) fn random_wide_stones(random: &mut Random) -> String {
    let (files, ranks) = (9 + random.below(6), 8 + random.below(7));
    let mut text = format!(
        "rules 1. game stones. role a, b.\n\
         sort file = 1..{files}. sort rank = 1..{ranks}. sort p = file * rank.\n\
         sort low = {{(F, R) : file(F), rank(R), F < 6}}. sort content = {{empty, wall}} + role.\n\
         static near(p, p).\n\
         near((F, R), (F + 1, R)). near((F, R), (F - 1, R)). near((F, R), (F, R + 1)). near((F, R), (F, R - 1)).\n\
         fluent at(p) : content = empty. fluent turn : role = a.\n"
    );
    for file in 1..=files {
        for rank in 1..=ranks {
            if random.chance(45) {
                let stone = random.pick(&["a", "b", "a", "b", "wall"]);
                text.extend([format!("init at(({file}, {rank})) = {stone}.\n")]);
            }
        }
    }
    let body = random.pick(&[
        "at(X) = C, C \\= empty",
        "at(X) = C, role(C)",
        "at(X) = C, C \\= empty, C \\= wall",
        "at(X) = C, role(C), low(X)",
    ]);
    text.extend([format!("object chain = component(X : {body} ; link near ; same C).\n")]);
    text.push_str(random.pick::<&str>(&[
        "object region = component(X : at(X) = empty ; link near).\n",
        "object region = component(X : at(X) = empty, low(X) ; link near).\n",
    ]));
    text.push_str(
        "liberty(S, X) :- chain_border(S, X), at(X) = empty.\n\
         derived dead(p, p).\n\
         dead(X, Y) :- near(X, Z), chain_element(S, Z), turn = P, opponent(P, Q), at(Z) = Q,\n    \
             none { L : liberty(S, L), L \\= X }, chain_element(S, Y).\n\
         move play(p).\n",
    );
    let legal = random.pick(&[
        "",
        ", near(X, Z), at(Z) = empty",
        ", chain_border(_, X)",
        ", region_element(R, X), region_border(R, Z), at(Z) = P",
        ", after(play(X), (chain_element(S, X), liberty(S, _)))",
    ]);
    text.extend([format!(
        "legal P does play(X) :- turn = P, at(X) = empty{legal}.\n\
         effect P does play(X) : at(X) := P.\n\
         effect play(X) : at(Y) := empty :- dead(X, Y).\n\
         effect any : turn := Q :- turn = P, opponent(P, Q).\n"
    )]);
    let draw = random.pick(&["", "draw :- repeated(2).\n"]);
    text.extend([format!("{draw}terminal :- not legal _ does any.\ngoal(P, 50) :- role(P).\n")]);
    text
}
