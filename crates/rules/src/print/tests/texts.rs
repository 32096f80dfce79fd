//! What is printed for a rules text.

use expect_test::{Expect, expect};

use super::{GAME, added, printed, theory};

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&added(text));
}

#[test]
fn a_game_is_printed_section_by_section() {
    expect![[r#"
        rules 1.
        game test.

        role white, black.

        sort file = 1..8.
        sort content = {empty} + role.
        sort square = file * file.
        sort piece = {man(white), man(black), 'none'}.

        static next(file -> file).
        next(F, F + 1).

        static link(square, square).

        static corner(square).

        fluent at(square) : content = empty.
        fluent turn : role.
        fluent owner(file) : role = undefined.
        fluent done.

        move step(file, file).
        move pass.

        init turn = white.

        legal P does pass :- turn = P.
        legal P does step(F, F) :- turn = P.

        effect any : turn := Q :- turn = P, opponent(P, Q).

        terminal :- done.
        goal(P, 50) :- role(P).
    "#]]
    .assert_eq(&printed(&theory(GAME)));
}

#[test]
fn fluents_and_functions_are_equations() {
    check(
        r"a(P) :- at((F, 1)) = P, next(F) = 3, turn \= P, owner(F) = undefined, done.
          b(P) :- at(S) = at(T), S \= T, opponent(P, Q), turn = Q.",
        &expect![[r#"
            a(P) :- at((F, 1)) = P, next(F) = 3, turn \= P, owner(F) = undefined, done.
            b(P) :- at(S) = at(T), S \= T, opponent(P, Q), turn = Q.
        "#]],
    );
}

#[test]
fn computed_arguments_stand_in_place() {
    check(
        r"link((F, R), (F + 1, R)). link(S, T) :- S = (F, R), T = (next(F), R - 1).
          a(F, N) :- file(F), N = 2 * (F + 1) - count { S : at(S) = turn }, F < N div 2 mod 3.
          b(-F, 0 - 3, min(F, max(G, 2))) :- file(F), file(G), -F + 3 > -(F - G), at((next(F), G)) = empty.",
        &expect![[r#"
            link((F, R), (F + 1, R)).
            link(S, T) :- S = (F, R), T = (next(F), R - 1).
            a(F, N) :- file(F), N = 2 * (F + 1) - count { S : at(S) = turn }, F < N div 2 mod 3.
            b(-F, -3, min(F, max(G, 2))) :- file(F), file(G), -F + 3 > -(F - G), at((next(F), G)) = empty.
        "#]],
    );
}

#[test]
fn conditions_are_printed_as_they_are_written() {
    check(
        r"a(P) :- not at(_) = P, not (done, turn = P), none { F, G : next(F) = G, not owner(G) = P }, role(P).
          b(P) :- (done ; turn = P, not done), role(P), (a(P) ; a(P), b(P)).
          c(P) :- legal P does any, legal P does step(_, 3), after(P does pass, done, not turn = P).
          d :- repeated(3). d :- repeated(2, over [at, turn]). d :- cycle(white, done). d :- since(e, 40).
          d :- cycle(white, a(black), done, over [at]).
          e :- _ does step(F, F), P does pass, turn = P. e :- _ does any.
          f :- terminal, goal(white, 50), d. g(N) :- N = count { F, G : next(F) = G, not owner(F) = _ }.",
        &expect![[r#"
            a(P) :- not at(_) = P, not (done, turn = P), none { F, G : next(F) = G, not owner(G) = P }, role(P).
            b(P) :- (done ; turn = P, not done), role(P), (a(P) ; a(P), b(P)).
            c(P) :- legal P does any, legal P does step(_, 3), after(P does pass, done, not turn = P).
            d :- repeated(3).
            d :- repeated(2, over [at, turn]).
            d :- cycle(white, done).
            d :- since(e, 40).
            d :- cycle(white, a(black), done, over [at]).
            e :- _ does step(F, F), P does pass, turn = P.
            e :- _ does any.
            f :- terminal, goal(white, 50), d.
            g(N) :- N = count { F, G : next(F) = G, owner(F) = undefined }.
        "#]],
    );
}

#[test]
fn effects_that_share_move_and_body_are_one_item() {
    check(
        r"effect P does step(F, G) : at((F, G)) := P, owner(F) := undefined, done := true :- turn = P.
          effect step(F, F + 1) : at((F, 1)) := empty.
          deferred effect any : done := false, owner(1) := white. effect white does pass : done := true.
          continue :- done. prefer max(count { F : owner(F) = white }) :- done. turns by result.",
        &expect![[r#"
            effect P does step(F, G) : at((F, G)) := P :- turn = P.
            effect P does step(F, _) : owner(F) := undefined :- turn = P.
            effect P does step(_, _) : done := true :- turn = P.
            effect step(F, F + 1) : at((F, 1)) := empty.
            deferred effect any : owner(1) := white, done := false.
            effect white does pass : done := true.
            continue :- done.
            prefer max(count { F : owner(F) = white }) :- done.
            turns by result.
        "#]],
    );
}

#[test]
fn locals_hide_variables_of_the_same_name() {
    check(
        r"a(F) :- next(F) = G, none { F : owner(F) = white, next(F) = G }, none { F : owner(F) = black }.
          b(F, count { F : next(F) = _ }) :- file(F).
          c :- none { F : next(F) = G, none { G : owner(G) = white, next(F) = G }, owner(G) = black }, file(G).",
        &expect![[r#"
            a(F) :- next(F) = G, none { F : owner(F) = white, next(F) = G }, none { F : owner(F) = black }.
            b(F, count { F : next(F) = _ }) :- file(F).
            c :-
                none { F : next(F) = G, none { G : owner(G) = white, next(F) = G }, owner(G) = black }, file(G).
        "#]],
    );
}

#[test]
fn long_clauses_are_wrapped_behind_the_outermost_commas() {
    check(
        r"a(P) :- turn = P, at((1, 1)) = P, at((1, 2)) = P, at((1, 3)) = P, after(P does step(1, 2), at((1, 1)) = empty,
              at((2, 2)) = empty, at((3, 3)) = empty, at((4, 4)) = empty, at((5, 5)) = empty), at((1, 8)) = P.
          b :- next(1) = 2.",
        &expect![[r#"
            a(P) :-
                turn = P, at((1, 1)) = P, at((1, 2)) = P, at((1, 3)) = P,
                after(P does step(1, 2), at((1, 1)) = empty, at((2, 2)) = empty, at((3, 3)) = empty,
                    at((4, 4)) = empty, at((5, 5)) = empty),
                at((1, 8)) = P.
            b :- next(1) = 2.
        "#]],
    );
}

#[test]
fn names_are_quoted_where_they_must_be() {
    check(
        r"sort odd = {'X', 'it\'s', '\\', 'not', none, 'undefined', 'Ünder', mod, 'a b'}. fluent 'Held Value' : odd = none.
          'after'(X) :- odd(X). 'A'(X) :- 'after'(X), 'Held Value' = X, X \= 'not'. 'since'(1, 2). z :- 'since'(_, _).",
        &expect![[r#"
            sort odd = {'X', 'it\'s', '\\', 'not', 'none', 'undefined', 'Ünder', 'mod', 'a b'}.
            fluent 'Held Value' : odd = 'none'.
            'after'(X) :- odd(X).
            'A'(X) :- 'after'(X), 'Held Value' = X, X \= 'not'.
            'since'(1, 2).
            z :- 'since'(_, _).
        "#]],
    );
}

#[test]
fn sorts_are_printed_as_ranges_products_and_lists() {
    check(
        "sort a = {3}. sort b = {7, 8, 9, 3, x, 1, 2, y} + role + (20..30) + (1..3). sort c = {(1, a), (1, b), (2, a), (2, b)}.
         sort d = sq(file, {a, b}) + {(1, 2), (3, 4)} + sq(file, {c, d}). static e({u, v}, 1..3, -1..1 -> term).
         derived f({a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13}). f(a1).
         derived g(role -> int). g(P, 3) :- role(P). h(X) :- c(X), a(_).",
        &expect![[r#"
            sort a = {3}.
            sort b = (7..9) + {3, x, 1, 2, y} + role + (20..30).
            sort c = (1..2) * {a, b}.
            sort d = sq(file, {a, b}) + {(1, 2), (3, 4)} + sq(file, {c, d}).
            sort sort_1 = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13}.
            static e({u, v}, 1..3, -1..1 -> term).
            derived f(sort_1).
            f(a1).
            derived g(role -> term).
            g(P, 3) :- role(P).
            h(X) :- c(X), a(_).
        "#]],
    );
}

#[test]
fn objects_targets_parameters_and_data_are_printed() {
    check(
        r##"param size = 2 + 3. param half = size div 2. data level : {'#', '.'} = """
#.
.#
""".
          object string = component(X : at(X) = C, C \= empty ; link link ; same C).
          object area = component(X : at(X) = empty, not corner(X) ; link link).
          target capture(X) :- at(X) = empty. target quick :- done. corner((R, C)) :- level(R, C, '#').
          a(S, N) :- string_element(S, (1, size)), string_size(S, N), string_shared(S, white), area_border(_, S)."##,
        &expect![[r#"
            param size = 5.
            param half = 2.
            data level : {'#', '.'} = """
            #.
            .#
            """.
            corner((R, C)) :- level(R, C, '#').
            a(S, N) :- string_element(S, (1, 5)), string_size(S, N), string_shared(S, white), area_border(_, S).
            target capture(X) :- at(X) = empty.
            target quick :- done.
            object string = component(X : at(X) = C, C \= empty ; link link ; same C).
            object area = component(X : at(X) = empty, not corner(X) ; link link).
        "#]],
    );
}

#[test]
fn notation_is_printed() {
    check(
        r#"glyph white = "O", black = "\"\\", empty = ".". glyph at : empty = " ". glyph owner : white = "w".
           letters file = "abcdefgh". letters content = "e. wh bl".
           notation step(F, 1) = F "\t" F. notation step(F, G) = F "-" G. notation pass = "pass".
           notation position = at " " turn. display at((F, R)) across R, up F, slant -1.
           picture at = """
  [1]--[2]
""". "#,
        &expect![[r#"
            glyph white = "O", black = "\"\\", empty = ".".
            glyph at : empty = " ".
            glyph owner : white = "w".
            letters file = "abcdefgh".
            letters content = "e. wh bl".
            notation step(A, 1) = A "\t" A.
            notation step(A, B) = A "-" B.
            notation pass = "pass".
            notation position = at " " turn.
            display at((A, B)) across B, up A, slant -1.
            picture at = """
              [1]--[2]
            """.
        "#]],
    );
}

#[test]
fn variables_of_other_languages_get_names_of_ours() {
    let text = "a(A, B, C, D) :- next(A) = B, next(C) = D, next(B) = C, not next(A) = _.";
    let mut theory = theory(&(GAME.to_owned() + text));
    for clause in
        theory.base.clauses.iter_mut().flatten().filter(|clause| clause.variables.len() == 5)
    {
        let names = ["?x", "X", "_", "9", "X1"];
        for (variable, name) in clause.variables.iter_mut().zip(names) {
            name.clone_into(&mut variable.name);
        }
    }
    let printed = printed(&theory);
    let line = printed.lines().find(|line| line.starts_with("a(")).unwrap();
    expect!["a(X, X1, X2, X9) :- next(X) = X1, next(X2) = X9, next(X1) = X2, none { X1 : next(X) = X1 }."].assert_eq(line);
}

#[test]
fn constants_of_no_sort_are_declared() {
    let text = "sort c = {a, s(0)}. static num(term). num(a). num(s(X)) :- num(X), X = a.";
    let mut theory = theory(&(GAME.to_owned() + text));
    theory.sorts.retain(|sort| sort.name != "c");
    let printed = printed(&theory);
    let lines: Vec<&str> =
        printed.lines().filter(|line| line.contains("num(") || line.contains("constant")).collect();
    expect![[r#"
        sort constant = {a, s(0)}.
        static num(term).
        num(a).
        num(s(X)) :- num(X), X = a."#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn variables_that_occur_once_are_wildcards_outside_negation() {
    check(
        "a :- at(S) = P, opponent(P, Q). effect P does step(F, G) : done := true.",
        &expect![[r#"
            effect step(_, _) : done := true.
            a :- at(_) = P, opponent(P, _).
        "#]],
    );
}
