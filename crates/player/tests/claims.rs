//! Author's metarules put to the test: what is false is found, at once or in play.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use rulesmith_compile::{Interpreter, ReferenceGame, game_requests};
use rulesmith_game::{Draws, Game, Random, RoleId};
use rulesmith_logic::Limits;
use rulesmith_player::{
    BuildRequest, NoFiles, Severity, Stop, Theory, build, reference_game, try_metarules,
};
use rulesmith_specialize::{Knowledge, Settings, Specializer};

/// Stones on a small board; a stone may not be placed where it would have no liberty.
const STONES: &str = r"
rules 1. game stones. role white, black.
sort file = 1..3. sort point = file * file. sort content = {empty} + role.
fluent stone(point) : content = empty. fluent turn : role = white. fluent passed. move place(point). move pass.
static connected(point, point).
connected((F, R), (F + 1, R)). connected((F, R), (F - 1, R)). connected((F, R), (F, R + 1)). connected((F, R), (F, R - 1)).
object string = component(P : stone(P) = C, C \= empty ; link connected ; same C).
derived liberty(point, point).
liberty(S, L) :- string_border(S, L), stone(L) = empty.
derived dead.
dead :- string_shared(S, _), none { L : liberty(S, L) }.
legal P does place(S) :- turn = P, stone(S) = empty, after(P does place(S), not dead).
legal P does pass :- turn = P, none { S : point(S), legal P does place(S) }.
effect P does place(S) : stone(S) := P.
effect P does pass : passed := true.
effect any : turn := Q :- turn = P, opponent(P, Q).
terminal :- passed.
goal(P, 50) :- role(P).
";

fn check(text: &str, expected: &Expect) {
    let request = BuildRequest { text: format!("{STONES}{text}"), ..BuildRequest::default() };
    let mut result = build(&request, &NoFiles);
    assert!(!result.diagnostics.has_errors(), "{:#?}", result.diagnostics.list);
    let reports = try_metarules(&mut result, &request.limits, &Stop::default());
    let mut shown = String::new();
    for report in reports {
        writeln!(shown, "{}", report.status).unwrap();
    }
    let list = result.diagnostics.list.iter();
    for problem in list.filter(|problem| problem.severity == Severity::Error) {
        let (line, _) = result.sources.line_column(problem.span);
        let line = line - STONES.lines().count();
        writeln!(shown, "line {line}: {} ({})", problem.message, problem.label).unwrap();
        writeln!(shown, "    {}", problem.help.as_deref().unwrap_or_default()).unwrap();
    }
    expected.assert_eq(&shown);
}

#[test]
fn squares_are_not_impossible() {
    check(
        r"meta phase filter.
        impossible(R) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`),
            condition(R, `connected(C, D)`), condition(R, `connected(D, A)`), condition(R, `A \= C`), condition(R, `B \= D`).",
        &expect![[r#"
            false
            line 2: the facts refute this metarule: connected((1, 1), (2, 1)), connected((2, 1), (2, 2)), connected((2, 2), (1, 2)), connected((1, 2), (1, 1)), (1, 1) \= (2, 2), (2, 1) \= (1, 2) ()
                A = (1, 1), B = (2, 1), C = (2, 2), D = (1, 2)
        "#]],
    );
}

#[test]
fn strings_may_have_one_liberty() {
    check(
        r"derived many(point).
        many(S) :- liberty(S, L), liberty(S, M), L \= M.
        meta phase filter.
        useless(R, `many(S)`) :- rule(R), condition(R, `many(S)`), condition(R, `string_shared(S, _)`).",
        &expect![[r#"
            false in play
            line 4: this metarule is not true in play (S = (1, 1))
                after black does place((1, 1)) in the state `stone((2, 1)) = white, turn = black`: string_shared((1, 1), black)
        "#]],
    );
}

#[test]
fn what_is_true_in_play_may_be_false_where_the_rules_look_ahead() {
    check(
        r"meta phase filter.
        impossible(R) :- rule(R), condition(R, `dead`).",
        &expect![[r#"
            false in play
            line 2: this metarule is not true in play ()
                after white does place((3, 2)) in the state `stone((1, 1)) = white, stone((2, 1)) = white, stone((2, 3)) = black, stone((3, 1)) = black`: dead
        "#]],
    );
}

#[test]
fn a_declared_metarule_that_no_sample_refutes_says_how_often_it_applied() {
    check(
        r"meta phase filter.
        impossible(R) :- rule(R), condition(R, `string_size(_, N)`), condition(R, `N > 6`).
        unify(R, P, S) :- rule(R), condition(R, `string_size(S, 1)`), condition(R, `string_element(S, P)`).
        impossible(R) :- rule(R), condition(R, `passed`), condition(R, `turn = P`), condition(R, `legal P does place(_)`).
        impossible(R) :- rule(R), condition(R, `liberty(_, L)`), condition(R, `stone(L) = white`).",
        &expect![[r#"
            declared, 38 sampled states do not refute it
            declared, true in the 31 of 38 sampled states it applies to
            false in play
            follows from the definitions
            line 4: this metarule is not true in play (P = white)
                in the state `stone((1, 1)) = white, stone((1, 2)) = white, stone((2, 2)) = black, stone((2, 3)) = white, stone((3, 1)) = white, stone((3, 2)) = black, stone((3, 3)) = black, passed`: passed, turn(white), legal white does place((1, 3))
        "#]],
    );
}

#[test]
fn rewritten_rules_may_say_neither_more_nor_less() {
    check(
        r"derived lone(point).
        lone(S) :- string_size(S, 1), string_border(S, L), stone(L) = empty.
        derived big(point).
        big(S) :- string_size(S, N), N > 1, string_shared(S, white).
        derived pair(point).
        pair(S) :- string_size(S, 2).
        meta phase generate.
        addrule(N), addconclusion(N, `lone(S)`) :- rule(R), conclusion(R, `pair(S)`), setofconditions(R, C), newrule(N), addconditiontoset(N, C).
        addrule(N), addconclusion(N, `pair(S)`) :- rule(R), conclusion(R, `pair(S)`), setofconditions(R, C), newrule(N), addconditiontoset(N, C),
            addcondition(N, `string_shared(S, white)`).
        meta phase normalize.
        addcondition(R, `string_shared(S, black)`) :- rule(R), conclusion(R, `big(S)`).",
        &expect![[r#"
            false in play
            declared, rewrites clauses, 38 states sampled
            false in play
            line 8: the rules say more when this metarule has rewritten them ()
                `lone((1, 1))` in the state `stone((1, 1)) = white, stone((2, 1)) = white, stone((2, 3)) = black, turn = black`
            line 12: the rules say less when this metarule has rewritten them ()
                `big((1, 1))` in the state `stone((1, 1)) = white, stone((2, 1)) = white, stone((2, 3)) = black, turn = black`
        "#]],
    );
}

/// True metarules of all kinds: proved, declared, and one that makes a rule.
const TRUE: &str = r"
derived pair(point).
pair(S) :- string_size(S, 2).
meta phase generate.
addrule(N), addconclusion(N, `dead`) :- rule(R), conclusion(R, `pair(S)`), setofconditions(R, C), newrule(N), addconditiontoset(N, C),
    addcondition(N, `dead`).
meta phase filter.
impossible(R) :- rule(R), condition(R, `liberty(_, L)`), condition(R, `stone(L) = white`).
impossible(R) :- rule(R), condition(R, `connected(X, X)`).
unify(R, P, S) :- rule(R), condition(R, `string_size(S, 1)`), condition(R, `string_element(S, P)`).
";

fn specialized(theory: &Theory) -> ReferenceGame {
    let game = ReferenceGame::new(theory.clone(), None, Limits::default(), Stop::default());
    let knowledge = Knowledge::new(theory, game.solver());
    let mut specializer = Specializer::new(&knowledge, Settings::default(), vec![]);
    let specialized = specializer.specialize(&game_requests(theory)).unwrap();
    let interpreter = Interpreter::new(&knowledge, &specialized).unwrap();
    drop(specializer);
    drop(knowledge);
    game.with_interpreter(interpreter)
}

#[test]
fn a_game_with_true_metarules_plays_like_its_rules() {
    let request = BuildRequest { text: format!("{STONES}{TRUE}"), ..BuildRequest::default() };
    let rules =
        reference_game(build(&request, &NoFiles), &request.limits, &Stop::default()).unwrap();
    let program = specialized(rules.theory());
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let (mut one, mut other) = (rules.initial().unwrap(), program.initial().unwrap());
        while !rules.is_over(&one, Draws::Apply).unwrap() {
            let moves = |game: &ReferenceGame, state| {
                let roles = (0..game.roles().len()).map(RoleId);
                roles.map(|role| game.legal_moves(state, role).unwrap()).collect::<Vec<_>>()
            };
            let legal = moves(&rules, &one);
            assert_eq!(format!("{legal:?}"), format!("{:?}", moves(&program, &other)));
            let chosen = legal.iter().enumerate().filter_map(|(role, own)| {
                random.choose(own).map(|chosen| (RoleId(role), chosen.clone()))
            });
            let joint: Vec<_> = chosen.collect();
            rules.apply(&mut one, &joint).unwrap();
            program.apply(&mut other, &joint).unwrap();
        }
        assert!(program.is_over(&other, Draws::Apply).unwrap());
    }
}

#[test]
fn a_metarule_that_is_cut_is_warned_of() {
    let rules: Vec<String> = (0..12).map(|number| format!("rule(R{number})")).collect();
    let rules = rules.join(", ");
    let text = format!(
        "{STONES}meta phase generate. addrule(N), addconclusion(N, `dead`) :- {rules},
             setofconditions(R11, S), newrule(N), addconditiontoset(N, S).\n"
    );
    let request = BuildRequest { text, ..BuildRequest::default() };
    let mut result = build(&request, &NoFiles);
    try_metarules(&mut result, &request.limits, &Stop::default());
    let limits = result.diagnostics.list.iter().filter(|problem| problem.code == "metarule-limit");
    assert_eq!(limits.count(), 1, "{:?}", result.diagnostics.list);
}
