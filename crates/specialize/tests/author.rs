//! Author's metarules: proved, refuted or declared, and as good as those the program writes itself.
//!
//! In: small theories with `meta` blocks, random clauses. Out: the standing of each metarule, and
//! programs compared with and without them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use rulesmith_logic::{Limits, Solver, Stop};
use rulesmith_rules::{
    Request, Resolver, Settings as TextSettings, Theory, clause_text, metarule_text, parse,
    parse_request,
};
use rulesmith_specialize::metarules::{
    Complaint, Declarations, Families, Family, MiningLimits, Proof, Store, Symmetry, audit, mine,
};
use rulesmith_specialize::{
    Bounds, Knowledge, Settings, Specialized, Specializer, Standing, as_dependency,
    authors_metarules, object_laws,
};

const GRID: &str = r"
rules 1. game grid. role white, black.
sort file = 1..4. sort point = file * file. sort content = {empty} + role.
fluent stone(point) : content = empty. move place(point).
legal P does place(S) :- role(P), stone(S) = empty. effect P does place(S) : stone(S) := P.
static connected(point, point).
connected((F, R), (F + 1, R)). connected((F, R), (F - 1, R)). connected((F, R), (F, R + 1)). connected((F, R), (F, R - 1)).
object string = component(P : stone(P) = C, C \= empty ; link connected ; same C).
derived liberty(point, point).
liberty(S, L) :- string_border(S, L), stone(L) = empty.
terminal. goal(P, 50) :- role(P).
";

const PAPER: &str = include_str!("../../../games/include/paper_metarules.rules");

struct Paper;

impl Resolver for Paper {
    fn read(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        Ok((path.to_owned(), PAPER.to_owned()))
    }
}

fn theory(text: &str) -> Theory {
    let text = format!("{GRID}{text}");
    let parsed = parse("test.rules", &text, &TextSettings::default(), &Paper);
    assert!(parsed.theory.is_some(), "{:#?}", parsed.diagnostics.list);
    parsed.theory.unwrap()
}

fn solver(theory: &Theory) -> Solver {
    Solver::new(theory.base.clone(), theory.symbols.clone(), Limits::default(), Stop::default())
}

fn request(theory: &Theory, text: &str) -> Vec<Request> {
    parse_request(theory, text).unwrap()
}

/// Every metarule with its standing.
fn check_standing(text: &str, expected: &Expect) {
    let theory = theory(text);
    let solver = solver(&theory);
    let knowledge = Knowledge::new(&theory, &solver);
    let mut shown = String::new();
    for one in authors_metarules(&knowledge) {
        let metarule = &theory.metarules[one.place];
        let said = metarule_text(&theory, &theory.symbols, metarule);
        let (said, status) =
            (said.split(" :- rule(R), ").collect::<Vec<_>>().join(" :- "), one.status());
        writeln!(shown, "{status}: {said}").unwrap();
        if let Standing::Refuted(example) = &one.standing {
            writeln!(shown, "    {}", example.text(&knowledge)).unwrap();
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn the_metarules_of_the_paper_are_all_proved_on_a_grid() {
    check_standing(
        r#"include "paper"."#,
        &expect![[r#"
        follows from the general laws: unify(R, C, C1) :- condition(R, `string_shared(B, C)`), condition(R, `string_shared(B, C1)`).
        follows from the general laws: impossible(R) :- condition(R, `N \= N`).
        follows from the general laws: impossible(R) :- condition(R, `string_shared(_, empty)`).
        proved on the facts: impossible(R) :- condition(R, `connected(X, Y)`), condition(R, `connected(Y, Z)`), condition(R, `connected(Z, X)`).
        proved on the facts: useless(R, `X \= Y`) :- condition(R, `X \= Y`), condition(R, `connected(X, Y)`).
        proved on the facts: useless(R, `W \= X`) :- condition(R, `W \= X`), condition(R, `connected(X, Y)`), condition(R, `connected(Y, Z)`), condition(R, `connected(Z, W)`).
    "#]],
    );
}

#[test]
fn metarules_are_proved_refuted_or_declared() {
    check_standing(
        r#"meta phase filter.
        impossible(R) :- rule(R), condition(R, `connected(X, Y)`), condition(R, `stone(X) = C`), condition(R, `connected(Y, X)`), condition(R, `X = Y`).
        impossible(R) :- rule(R), condition(R, `liberty(S, L)`), condition(R, `string_element(S, L)`).
        impossible(R) :- rule(R), condition(R, `liberty(S, L)`), condition(R, `stone(L) = white`).
        useless(R, `connected(X, _)`) :- rule(R), condition(R, `connected(X, _)`), condition(R, `connected(_, X)`).
        useless(R, `stone(X) = empty`) :- rule(R), condition(R, `liberty(_, X)`), condition(R, `stone(X) = empty`).
        impossible(R) :- rule(R), condition(R, `string_size(_, 17)`).
        impossible(R) :- rule(R), condition(R, `string_size(_, N)`), condition(R, `N > 3`).
        impossible(R) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`), condition(R, `connected(C, D)`), condition(R, `connected(D, A)`), condition(R, `A \= C`), condition(R, `B \= D`).
        unify(R, A, C) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`).
        useless(R, `connected(A, C)`) :- rule(R), condition(R, `connected(A, C)`), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`).
        impossible(R) :- rule(R), condition(R, `X \= Y`).
        impossible(R) :- rule(R).
        useless(R, `liberty(S, L)`) :- rule(R), condition(R, `liberty(S, L)`), condition(R, `string_shared(S, _)`).
        kill(R, "too long") :- rule(R), setofconditions(R, S), length(S, N), N > 9."#,
        &expect![[r#"
            proved on the facts: impossible(R) :- condition(R, `connected(X, Y)`), condition(R, `stone(X, C)`), condition(R, `connected(Y, X)`), condition(R, `X = Y`).
            follows from the definitions: impossible(R) :- condition(R, `liberty(S, L)`), condition(R, `string_element(S, L)`).
            follows from the definitions: impossible(R) :- condition(R, `liberty(S, L)`), condition(R, `stone(L, white)`).
            proved on the facts: useless(R, `connected(X, _)`) :- condition(R, `connected(X, _)`), condition(R, `connected(_, X)`).
            follows from the definitions: useless(R, `stone(X, empty)`) :- condition(R, `liberty(_, X)`), condition(R, `stone(X, empty)`).
            declared: impossible(R) :- condition(R, `string_size(_, 17)`).
            declared: impossible(R) :- condition(R, `string_size(_, N)`), condition(R, `N > 3`).
            false: impossible(R) :- condition(R, `connected(A, B)`), condition(R, `connected(B, C)`), condition(R, `connected(C, D)`), condition(R, `connected(D, A)`), condition(R, `A \= C`), condition(R, `B \= D`).
                connected((1, 1), (2, 1)), connected((2, 1), (2, 2)), connected((2, 2), (1, 2)), connected((1, 2), (1, 1)), (1, 1) \= (2, 2), (2, 1) \= (1, 2)
            false: unify(R, A, C) :- condition(R, `connected(A, B)`), condition(R, `connected(B, C)`).
                connected((1, 1), (2, 1)), connected((2, 1), (3, 1))
            false: useless(R, `connected(A, C)`) :- condition(R, `connected(A, C)`), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`).
                connected((1, 1), (2, 1)), connected((2, 1), (3, 1))
            false: impossible(R) :- condition(R, `X \= Y`).
                false \= true
            false: impossible(R) :- rule(R).
                it asks for nothing
            declared: useless(R, `liberty(S, L)`) :- condition(R, `liberty(S, L)`), condition(R, `string_shared(S, _)`).
            declared, rewrites clauses: kill(R, "too long") :- setofconditions(R, S), length(S, N), N > 9.
        "#]],
    );
}

/// Rules with a random clause about points, or about strings, of which paper metarules know all.
struct SplitMix64(u64);

impl SplitMix64 {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }
}

/// What the paper does not print because its board lists every connection both ways.
const SYMMETRY: &str = "meta phase filter. useless(R, `connected(Y, X)`) :- rule(R), \
    condition(R, `connected(Y, X)`), condition(R, `connected(X, Y)`). meta end.";

/// A clause over four points.
fn points_clause(random: &mut SplitMix64) -> String {
    let points = ["A", "B", "C", "D"];
    let mut body: Vec<String> = points.iter().map(|point| format!("point({point})")).collect();
    for first in 0..4 {
        for second in first..4 {
            let (left, right) = (points[first], points[second]);
            if random.below(if first == second { 12 } else { 2 }) == 0 {
                body.push(format!("connected({left}, {right})"));
            }
            if random.below(6) == 0 {
                body.push(format!("connected({right}, {left})"));
            }
            if first != second && random.below(3) == 0 {
                body.push(format!("{left} \\= {right}"));
            }
        }
    }
    format!("q(A, B, C, D) :- {}.\n", body.join(", "))
}

/// A clause over two strings and three colors.
fn strings_clause(random: &mut SplitMix64) -> String {
    let colors = ["A", "B", "C", "white", "black", "empty"];
    let mut body = vec!["string_shared(S, A)".to_owned(), "string_shared(T, B)".to_owned()];
    body.push("content(C)".to_owned());
    for _ in 0..=random.below(3) {
        let (string, color) = (["S", "T"][random.below(2)], colors[random.below(6)]);
        body.push(format!("string_shared({string}, {color})"));
    }
    if random.below(2) == 0 {
        let (left, right) = (random.below(3), random.below(3));
        body.push(format!("{} \\= {}", colors[left], colors[right]));
    }
    format!("q(S, T, A, B, C) :- {}.\n", body.join(", "))
}

/// The clauses of a program, and its funnel.
fn shown(theory: &Theory, specialized: &Specialized) -> String {
    let mut shown = String::new();
    for procedure in &specialized.procedures {
        for one in &procedure.clauses {
            writeln!(shown, "{}", clause_text(theory, &theory.symbols, &one.clause)).unwrap();
        }
        let (duplicates, subsumed) = (procedure.n_duplicates, procedure.n_subsumed);
        writeln!(shown, "{:?} {duplicates} {subsumed}", procedure.funnel).unwrap();
    }
    shown
}

fn specialized(knowledge: &Knowledge<'_>, store: Store, asked: &str) -> String {
    let settings = Settings { bounds: Bounds::default(), ..Settings::default() };
    let mut specializer = Specializer::with_store(knowledge, settings, store, vec![]);
    let specialized = specializer.specialize(&request(knowledge.theory, asked)).unwrap();
    shown(knowledge.theory, &specialized)
}

/// The same clauses die, the same terms become one and the same conditions go, whether the paper's
/// metarules are written by the author or found by the program.
fn compare(asked: &str, clause: &dyn Fn(&mut SplitMix64) -> String, n_theories: u64) -> (u64, u64) {
    let (mut n_impossible, mut n_monovalued) = (0, 0);
    for seed in 0..n_theories {
        let mut random = SplitMix64(seed);
        let clauses: String = (0..4).map(|_| clause(&mut random)).collect();
        let theory = theory(&format!("include \"paper\".\n{SYMMETRY}\n{clauses}"));
        let solver = solver(&theory);
        let knowledge = Knowledge::new(&theory, &solver);
        let declared = Families::NONE.with(Family::Declared);
        let mut authors = Store::new(Declarations::default(), declared);
        for metarule in &theory.metarules {
            authors.add(as_dependency(metarule).unwrap());
        }
        let mut native = Store::new(Declarations::of(&theory), Families::ALL);
        for metarule in object_laws(&theory) {
            native.add(metarule);
        }
        for metarule in
            mine(&knowledge.facts, Symmetry::AsWritten, MiningLimits::default()).metarules
        {
            native.add(metarule);
        }
        let native = specialized(&knowledge, native, asked);
        assert_eq!(specialized(&knowledge, authors, asked), native, "{clauses}");
        let count = |name: &str| -> u64 {
            let rest = native.split(&format!("{name}: ")).nth(1).unwrap();
            rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap()
        };
        n_impossible += count("impossible");
        n_monovalued += count("monovalued");
    }
    (n_impossible, n_monovalued)
}

#[test]
fn metarules_of_the_paper_do_what_native_ones_do_to_points() {
    let (n_impossible, _) = compare("q(A, B, C, D)", &points_clause, 60);
    assert!(n_impossible > 40, "{n_impossible}");
}

#[test]
fn metarules_of_the_paper_do_what_native_ones_do_to_strings() {
    let (n_impossible, n_monovalued) = compare("q(S, T, A, B, C)", &strings_clause, 60);
    assert!(n_impossible > 40 && n_monovalued > 40, "{n_impossible} {n_monovalued}");
}

#[test]
fn a_metarule_that_facts_refute_is_not_used_and_a_declared_one_is_off_under_proved_only() {
    let theory = theory(
        r"q(A, D) :- connected(A, B), connected(B, C), connected(C, D), connected(D, A), A \= C, B \= D.
        q1(S) :- liberty(S, L), liberty(S, M), L \= M.
        meta phase filter.
        impossible(R) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`),
            condition(R, `connected(C, D)`), condition(R, `connected(D, A)`), condition(R, `A \= C`), condition(R, `B \= D`).
        impossible(R) :- rule(R), condition(R, `string_border(S, L)`), condition(R, `string_border(S, M)`), condition(R, `L \= M`).",
    );
    let solver = solver(&theory);
    let knowledge = Knowledge::new(&theory, &solver);
    let n_clauses = |families: Families, asked: &str| {
        let settings = Settings { families, ..Settings::default() };
        let mut specializer = Specializer::new(&knowledge, settings, vec![]);
        let specialized = specializer.specialize(&request(&theory, asked)).unwrap();
        let procedure = &specialized.procedures[0];
        (
            procedure.clauses.len(),
            procedure.declared.iter().map(|one| one.metarule).collect::<Vec<_>>(),
        )
    };
    assert_eq!(n_clauses(Families::ALL, "q(A, D)"), (1, vec![]));
    assert_eq!(n_clauses(Families::ALL, "q1(S)"), (0, vec![1]));
    assert_eq!(n_clauses(Families::ALL.without(Family::Declared), "q1(S)"), (1, vec![]));
}

#[test]
fn a_wrong_static_metarule_in_the_store_is_found_by_the_audit() {
    let theory = theory(
        r"meta phase filter.
        impossible(R) :- rule(R), condition(R, `connected(A, B)`), condition(R, `connected(B, C)`),
            condition(R, `connected(C, D)`), condition(R, `connected(D, A)`), condition(R, `A \= C`), condition(R, `B \= D`).",
    );
    let solver = solver(&theory);
    let knowledge = Knowledge::new(&theory, &solver);
    let mut wrong = as_dependency(&theory.metarules[0]).unwrap();
    wrong.proof = Proof::Static(knowledge.facts.digest());
    let complaints = audit([&wrong], &knowledge.facts);
    assert!(matches!(&complaints[..], [(0, Complaint::False(_))]), "{complaints:?}");
}

#[test]
fn programs_make_and_change_clauses_and_say_so() {
    let theory = theory(
        r#"q(S) :- liberty(S, L), liberty(S, M), L \= M.
        q1(S, L) :- string_border(S, L), stone(L) = empty, string_shared(S, white).
        q2(S) :- string_shared(S, _).
        meta phase generate.
        addrule(N), addconclusion(N, `q(S)`) :- rule(R), conclusion(R, `q1(S, _)`), setofconditions(R, C), newrule(N),
            addconditiontoset(N, C), addcondition(N, `string_size(S, 1)`).
        meta phase normalize.
        removecondition(R, `string_shared(S, white)`) :- rule(R), conclusion(R, `q1(S, _)`), condition(R, `string_shared(S, white)`).
        meta phase order.
        addcondition(R, `string_size(S, 2)`) :- rule(R), conclusion(R, `q2(S)`)."#,
    );
    let solver = solver(&theory);
    let knowledge = Knowledge::new(&theory, &solver);
    let text = |families: Families| {
        let settings = Settings { families, ..Settings::default() };
        let mut specializer = Specializer::new(&knowledge, settings, vec![]);
        let mut text = String::new();
        for asked in ["q(S)", "q1(S, L)", "q2(S)"] {
            let specialized = specializer.specialize(&request(&theory, asked)).unwrap();
            for one in &specialized.procedures[0].clauses {
                let clause = clause_text(&theory, &theory.symbols, &one.clause);
                writeln!(text, "{clause} {:?}", one.declared).unwrap();
            }
            writeln!(text, "% {:?}", specialized.procedures[0].declared).unwrap();
        }
        text
    };
    expect![[r#"
        q(S) :- stone(L, empty), string_border(S, L), string_shared(S, white), string_size(S, 1). [0]
        q(S) :- stone(M, empty), stone(L, empty), string_border(S, M), string_border(S, L), M \= L. []
        % [DeclaredUse { metarule: 0, n_uses: 1 }]
        q1(S, L) :- stone(L, empty), string_border(S, L). [1]
        % [DeclaredUse { metarule: 1, n_uses: 1 }]
        q2(S) :- string_shared(S, A), string_size(S, 2). [2]
        % [DeclaredUse { metarule: 2, n_uses: 1 }]
    "#]].assert_eq(&text(Families::ALL));
    expect![[r#"
        q(S) :- stone(M, empty), stone(L, empty), string_border(S, M), string_border(S, L), M \= L. []
        % []
        q1(S, L) :- stone(L, empty), string_border(S, L), string_shared(S, white). []
        % []
        q2(S) :- string_shared(S, A). []
        % []
    "#]].assert_eq(&text(Families::ALL.without(Family::Declared)));
}
