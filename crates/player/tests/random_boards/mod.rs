//! Random games on boards: things that slide, leap and protect one of their own, and stones on wide boards.
//!
//! In: random numbers. Out: texts of rules for which code has masks, carried values and components that are kept.
//! Invariant: every text is valid rules.

use crate::random_theories::Random;

/// Where things go: those that slide and those that leap.
const WAYS: &str = "
static next(sq, way -> sq).
next((F, R), (X, Y), (F + X, R + Y)) :- (X, Y) \\= (0, 0).
static steps(sq, way, num -> sq).
steps(S, _, 0, S).
steps(S, D, N, next(T, D)) :- N > 0, steps(S, D, N - 1) = T.
static rides(kind, way).
rides(rook, (0, 1)). rides(rook, (1, 0)). rides(rook, (0, -1)). rides(rook, (-1, 0)).
rides(bishop, (1, 1)). rides(bishop, (1, -1)). rides(bishop, (-1, 1)). rides(bishop, (-1, -1)).
rides(queen, D) :- rides(rook, D).
rides(queen, D) :- rides(bishop, D).
derived clear(sq, way, num).
clear(_, _, 0).
clear(S, D, N) :- N > 0, clear(S, D, N - 1), at(steps(S, D, N)) = empty.
derived travel(kind, sq, sq).
travel(K, S, T) :- rides(K, D), steps(S, D, N) = T, N > 0, clear(S, D, N - 1).
travel(king, S, T) :- next(S, _) = T.
travel(pony, (F, R), (F + X, R + Y)) :- x(X), z(Y), sq((F, R)), sq((F + X, R + Y)), (X, Y) \\= (0, 0).
move go(sq, sq).
legal P does go(X, Y) :-
    turn = P, at(X) = piece(K, P), travel(K, X, Y), (at(Y) = empty ; opponent(P, Q), at(Y) = piece(_, Q)),
    after(go(X, Y), not hit(P)).
effect go(X, Y) : at(X) := empty.
effect any : turn := Q :- turn = P, opponent(P, Q).
terminal :- not legal _ does any.
won(P) :- opponent(P, Q), turn = Q, hit(Q).
goal(P, 100) :- won(P).
goal(P, 0) :- opponent(P, Q), won(Q).
goal(P, 50) :- role(P), not won(_).
";

/// Things that attack a king, perhaps only in some moods.
pub(crate) fn random_slides(random: &mut Random) -> String {
    let (files, ranks) = (6 + random.below(3), 6 + random.below(3));
    let mut text = format!(
        "rules 1. game slides. role white, black.\n\
         sort file = 1..{files}. sort rank = 1..{ranks}. sort sq = file * rank.\n\
         sort kind = {{king, rook, bishop, queen, pony}}. sort piece = piece(kind, role).\n\
         sort content = {{empty}} + piece. sort x = -1..1. sort z = -2..2. sort num = 0..8.\n\
         sort way = {{(X, Y) : x(X), x(Y)}}. sort mood = {{calm, wild}}.\n\
         fluent at(sq) : content = empty. fluent turn : role = white.\n\
         transient fluent mood : mood = calm.\n"
    );
    text.push_str(WAYS);
    let mut free: Vec<(usize, usize)> =
        (1..=files).flat_map(|file| (1..=ranks).map(move |rank| (file, rank))).collect();
    for role in ["white", "black"] {
        let others = ["rook", "bishop", "queen", "pony"];
        let n_others = 2 + random.below(3);
        let kinds = (0..n_others).map(|_| *random.pick(&others)).collect::<Vec<_>>();
        for kind in ["king"].into_iter().chain(kinds) {
            let (file, rank) = free.remove(random.below(free.len()));
            text.extend([format!("init at(({file}, {rank})) = piece({kind}, {role}).\n")]);
        }
    }
    let moods = ["", "", ", mood = calm", ", mood = wild"];
    text.push_str("derived hit(role).\n");
    for (kind, way) in [
        ("rook", "rook"),
        ("bishop", "bishop"),
        ("king", "king"),
        ("queen", "queen"),
        ("pony", "pony"),
    ] {
        let mood = random.pick(&moods);
        text.extend([format!(
            "hit(P) :- at(S) = piece(king, P), opponent(P, Q), travel({way}, T, S), at(T) = piece({kind}, Q){mood}.\n"
        )]);
    }
    text.push_str(random.pick(&[
        "effect go(X, Y) : at(Y) := at(X).\n",
        "effect P does go(X, Y) : at(Y) := piece(K, P) :- at(X) = piece(K, P), K \\= pony.\n\
         effect P does go(X, Y) : at(Y) := piece(queen, P) :- at(X) = piece(pony, P).\n",
    ]));
    text.push_str(
        random.pick(&["", "effect go(X, _) : mood := wild :- at(X) = piece(rook, _).\n"]),
    );
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
    text.push_str(random.pick(&[
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
