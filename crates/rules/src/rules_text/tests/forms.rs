//! Every form of `docs/language.md`, and the places where forms could be mistaken for each other.

use expect_test::{Expect, expect};

use super::parsed;
use crate::rules_text::ParseLimits;

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&parsed(text, &ParseLimits::default()));
}

#[test]
fn a_file_names_its_version_game_parameters_and_data() {
    check(
        r#"
rules 1. game breakthrough. include "board.rules".
param size = 19. param half = (size + 1) div 2 - 3.
data level : tile = "first.xsb".
data level : tile = """
#.#
""".
data level : {'#', '.'}.
role white, black. role 'Max', 'two words', 'it\'s \\'.
"#,
        &expect![[r##"
            version[1]
            game[breakthrough]
            include["board.rules"]
            param[size = 19]
            param[half = [[[size + 1] div 2] - 3]]
            data[level : tile = file "first.xsb"]
            data[level : tile = inline "#.#\n"]
            data[level : {#, .} = required]
            role[white, black]
            role[Max, two words, it's \]
        "##]],
    );
}

#[test]
fn sorts_are_ranges_enumerations_unions_and_products() {
    check(
        "sort file = 1..8. sort delta = -1..1. sort content = {empty} + role.
         sort square = file * rank. sort square = sq(file, rank). sort number = 0..size * size - 1.
         sort a = {none} + 1..8. sort b = 1..8 + {none}. sort c = (1..8) + role. sort d = (a * b) * c.
         sort e = 1..rows(level). sort f = (size - 1)..(2 * size). sort g = {1, -2, -2147483648, (1, 2), f(a), 'X'}.
         sort h = a + b + c. sort i = move. sort j = {(F, R) : file(F), rank(R), F =< R} + {none}.",
        &expect![[r#"
            sort[file = range[1, 8]]
            sort[delta = range[minus[1], 1]]
            sort[content = union[{empty}, role]]
            sort[square = product[file, rank]]
            sort[square = product[sq: file, rank]]
            sort[number = range[0, [[size * size] - 1]]]
            sort[a = union[{none}, range[1, 8]]]
            sort[b = union[range[1, 8], {none}]]
            sort[c = union[range[1, 8], role]]
            sort[d = product[product[a, b], c]]
            sort[e = range[1, rows(level)]]
            sort[f = range[[size - 1], [2 * size]]]
            sort[g = {1, minus[2], -2147483648, tuple[1, 2], f(a), X}]
            sort[h = union[a, b, c]]
            sort[i = move]
            sort[j = union[all[tuple[F, R] : file(F), rank(R), F =< R], {none}]]
        "#]],
    );
}

#[test]
fn relations_may_be_functions() {
    check(
        "static forward(role, rank, rank). static next(role -> role). static dx(direction -> -1..1).
         static first(-> role). static flag. derived path(square, 0..64). derived lost.",
        &expect![[r#"
            static[forward(role, rank, rank)]
            static[next(role) -> role]
            static[dx(direction) -> range[minus[1], 1]]
            static[first() -> role]
            static[flag()]
            derived[path(square, range[0, 64])]
            derived[lost()]
        "#]],
    );
}

#[test]
fn fluents_have_keys_values_and_defaults() {
    check(
        "fluent at(file, rank) : content = empty. fluent turn : role. fluent blocked(square).
         fluent owner(square) : role = undefined. transient fluent flash(square). fluent halted.
         fluent count(1..8, {a, b}) : 0..9 = 0 .",
        &expect![[r#"
            fluent[at(file, rank) : content = empty]
            fluent[turn() : role]
            fluent[blocked(square)]
            fluent[owner(square) : role = [undefined]]
            transient[flash(square)]
            fluent[halted()]
            fluent[count(range[1, 8], {a, b}) : range[0, 9] = 0]
        "#]],
    );
}

#[test]
fn moves_and_their_legality() {
    check(
        "move step(file, rank, file, rank). move pass. move move(file).
         legal P does step(F, R, G, S) :- turn = P, at(F, R) = P.
         legal white does pass. legal P does move(F, R) :- turn = P.
         legal player(1) does 'Go'.",
        &expect![[r#"
            move[step(file, rank, file, rank)]
            move[pass()]
            move[move(file)]
            legal[P does step(F, R, G, S)] if turn = P, at(F, R) = P
            legal[white does pass]
            legal[P does move(F, R)] if turn = P
            legal[player(1) does Go]
        "#]],
    );
}

#[test]
fn the_start_is_given_by_init() {
    check(
        "init at(_, R) = white :- R =< 2. init turn = white. init blocked(S) :- corner(S). init halted.",
        &expect![[r#"
            init[at(_, R) = white] if R =< 2
            init[turn = white]
            init[blocked(S)] if corner(S)
            init[halted]
        "#]],
    );
}

#[test]
fn effects_assign() {
    check(
        "effect step(F, R, G, S) : at(F, R) := empty, at(G, S) := P :- turn = P.
         effect P does throw(X) : choice(P) := X.
         effect any : turn := Q :- turn = P, opponent(P, Q).
         deferred effect any : turn := Q :- turn = P, opponent(P, Q).
         effect pass : blocked(S) := true, owner(S) := undefined, counter := counter + 1.",
        &expect![[r#"
            effect[step(F, R, G, S) : at(F, R) := empty, at(G, S) := P] if turn = P
            effect[P does throw(X) : choice(P) := X]
            effect[[any] : turn := Q] if turn = P, opponent(P, Q)
            deferred[[any] : turn := Q] if turn = P, opponent(P, Q)
            effect[pass : blocked(S) := true, owner(S) := [undefined], counter := [counter + 1]]
        "#]],
    );
}

#[test]
fn turns_may_have_several_steps() {
    check(
        "continue :- taken(_). continue. prefer max(count { S : taken(S) }). prefer max(-N) :- cost(N).
         turns by path. turns by result.",
        &expect![[r#"
            continue if taken(_)
            continue
            prefer[count[S : taken(S)]]
            prefer[minus[N]] if cost(N)
            turns by result[false]
            turns by result[true]
        "#]],
    );
}

#[test]
fn ends_goals_and_targets() {
    check(
        "terminal :- won(_). terminal. draw :- repeated(3). draw. goal(P, 100) :- won(P). goal(_, 50).
         goal(P, V + 1) :- score(P, V). target capture(S) :- at(S) = empty. target quick.",
        &expect![[r#"
            terminal if won(_)
            terminal
            draw if repeated[3]
            draw
            goal[P, 100] if won(P)
            goal[_, 50]
            goal[P, [V + 1]] if score(P, V)
            target[capture(S)] if at(S) = empty
            target[quick()]
        "#]],
    );
}

#[test]
fn objects_are_connected_components() {
    check(
        r"object string = component(P : at(P) = C, C \= empty ; link adjacent ; same C).
          object area = component(P : at(P) = empty ; link adjacent).",
        &expect![[r#"
            object[string of P link adjacent same C] if at(P) = C, C \= empty
            object[area of P link adjacent same nothing] if at(P) = empty
        "#]],
    );
}

#[test]
fn notation_is_declared() {
    check(
        r#"glyph white = "O", black = "X", empty = ".". glyph at : white = "O", (1, 2) = "\"\\\n\t".
           letters file = "abcdefgh".
           notation step(F, R, G, S) = F R "-" G S. notation pass = "pass".
           notation position = at " " turn.
           display at(F, R) across F, up R. display at(X, Y) across X, down Y, slant 1.
           display at(X) across X, slant -1.
           picture at = """
  [a1]--[d1]
""". "#,
        &expect![[r#"
            glyph[ : white = "O", black = "X", empty = "."]
            glyph[at : white = "O", tuple[1, 2] = "\"\\\n\t"]
            letters[file = "abcdefgh"]
            notation[step(F, R, G, S) = F R "-" G S]
            notation[pass = "pass"]
            position[at " " turn]
            display[at(F, R) across F down R up true slant 0]
            display[at(X, Y) across X down Y up false slant 1]
            display[at(X) across X down nothing up false slant -1]
            picture[at = "  [a1]--[d1]\n"]
        "#]],
    );
}

#[test]
fn facts_and_clauses() {
    check(
        "beside(F, F + 1). won(P) :- at(_, 8) = P, not lost(P). 'Odd name'(X) :- p(X). flag. flag :- halted.",
        &expect![[r#"
            clause[beside(F, [F + 1])]
            clause[won(P)] if at(_, 8) = P, not[lost(P)]
            clause[Odd name(X)] if p(X)
            clause[flag]
            clause[flag] if halted
        "#]],
    );
}

#[test]
fn keywords_are_ordinary_names_elsewhere() {
    check(
        "move(F, R) :- step(F), role(F), sort(R), count(F), after(F, R), not since(F), legal(R), mod(F).
         role(P). game :- rules. terminal(X) :- goal(X). step(move, role, after, mod, div, any, does).
         a :- legal = legal, over = P, turns = by, (legal ; move), count = 3, any, repeated(a, b), since(A, 3).
         continue(X). goal :- draw. legal(P) :- count. position(X) :- none, role does move(X), turns.
         'role'. 'terminal' :- 'not'(a), 'count' = 1, 'undefined' = undefined.",
        &expect![[r#"
            clause[move(F, R)] if step(F), role(F), sort(R), count(F), after(F, R), not[since(F)], legal(R), mod(F)
            clause[role(P)]
            clause[game] if rules
            clause[terminal(X)] if goal(X)
            clause[step(move, role, after, mod, div, any, does)]
            clause[a] if legal = legal, over = P, turns = by, either[legal ; move], count = 3, any, repeated(a, b), since(A, 3)
            clause[continue(X)]
            clause[goal] if draw
            clause[legal(P)] if count
            clause[position(X)] if none, does[role, move(X)], turns
            clause[role]
            clause[terminal] if not(a), count = 1, undefined = [undefined]
        "#]],
    );
}

#[test]
fn comparisons_bind_weaker_than_arithmetic() {
    check(
        r"a :- A = B, A \= B, A < B, A =< B, A > B, A >= B, at(F, R + 1) = empty.
          b :- A + B * 2 - C = - D div 2 mod 3, A - B - C = 0, A<-1, A=-1, X = min(A, max(B, 3)), 1 - -1 = 2.
          c :- p(-1, (1, 2), ((3)), sq(F, R), _, _X, _1).",
        &expect![[r#"
            clause[a] if A = B, A \= B, A < B, A =< B, A > B, A >= B, at(F, [R + 1]) = empty
            clause[b] if [[A + [B * 2]] - C] = [[minus[D] div 2] mod 3], [[A - B] - C] = 0, A < minus[1], A = minus[1], X = min(A, max(B, 3)), [1 - minus[1]] = 2
            clause[c] if p(minus[1], tuple[1, 2], 3, sq(F, R), _, _X, _1)
        "#]],
    );
}

#[test]
fn a_parenthesis_is_an_operand_when_an_operator_follows_it() {
    check(
        r"a :- (A + B) * 2 = C, (F, R) = S, ((A)) = B, (A = B), (a, b ; c), ((a ; b), c ; (A) < B), ((a)).
          b :- S = (F, R), (F, R) \= (G, H), not (F, R) = S, not (a, b), not (a ; b), not ((A + 1) > 2, b).
          c :- (P) does step(A), not not a, not (not (a)), (A + 1) mod 2 = 0.",
        &expect![[r#"
            clause[a] if [[A + B] * 2] = C, tuple[F, R] = S, A = B, A = B, either[a, b ; c], either[either[a ; b], c ; A < B], a
            clause[b] if S = tuple[F, R], tuple[F, R] \= tuple[G, H], not[tuple[F, R] = S], not[a, b], not[either[a ; b]], not[[A + 1] > 2, b]
            clause[c] if does[P, step(A)], not[not[a]], not[not[a]], [[A + 1] mod 2] = 0
        "#]],
    );
}

#[test]
fn negation_counting_and_moves_in_bodies() {
    check(
        r"a :- none { X, Y : p(X), q(Y) }, N = count { X, Y : p(X), not q(Y) }, count { X : p(X) } > 2.
          b :- P does step(F, R), legal P does step(F, R), legal P does any, legal white does any(3).
          c :- after(step(F, R), won(P), not b), after(P does step(F, R), c), after(pass, after(pass, d)).
          d :- repeated(3), repeated(N + 1, over [at]), repeated(2, over [at, turn]).
          e :- since(capture, 100), cycle(P, in_check(Q)), cycle(P, a, b, over [at]).
          f :- terminal, goal(P, V), string_element(S, P), (P does step(X) ; legal P does any).",
        &expect![[r#"
            clause[a] if none[X, Y : p(X), q(Y)], N = count[X, Y : p(X), not[q(Y)]], count[X : p(X)] > 2
            clause[b] if does[P, step(F, R)], legal[P, step(F, R)], legal[P, [any]], legal[white, any(3)]
            clause[c] if after[step(F, R) : won(P), not[b]], after[P does step(F, R) : c], after[pass : after[pass : d]]
            clause[d] if repeated[3], repeated[[N + 1] over at], repeated[2 over at, turn]
            clause[e] if since[capture, 100], cycle[P : in_check(Q)], cycle[P : a, b over at]
            clause[f] if terminal, goal(P, V), string_element(S, P), either[does[P, step(X)] ; legal[P, [any]]]
        "#]],
    );
}

#[test]
fn a_full_stop_ends_an_item_but_not_inside_a_range() {
    check(
        "sort a = 1..8.% comment. b.\nflag.",
        &expect![[r#"
        sort[a = range[1, 8]]
        clause[flag]
    "#]],
    );
}

#[test]
fn line_ends_of_windows_and_byte_order_marks_are_spaces() {
    check(
        "\u{feff}role a.\r\nrole b.\r\ndata l : t = \"\"\"\r\nx\r\n\"\"\".\r\n",
        &expect![[r#"
        role[a]
        role[b]
        data[l : t = inline "x\r\n"]
    "#]],
    );
}

#[test]
fn empty_texts_have_no_items() {
    check("", &expect![[""]]);
    check("% nothing\n\n", &expect![[""]]);
}
