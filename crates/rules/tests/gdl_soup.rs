//! No text makes the reader panic or hang, and whatever it accepts is a well-formed theory.

use proptest::prelude::*;
use rulesmith_logic::{Atom, Clause, Condition, Expr, Term};
use rulesmith_rules::gdl::{GdlLimits, parse_gdl};
use rulesmith_rules::{Diagnostics, Sources, Theory};

fn parse(text: &str) -> Option<Theory> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add("soup.kif", text);
    let parsed = parse_gdl("soup", sources, file, &GdlLimits::default(), &mut diagnostics);
    assert_eq!(parsed.is_none(), diagnostics.has_errors());
    parsed.map(|(theory, _)| theory)
}

/// Every atom has its predicate's arity, every variable a number, every head the right predicate.
fn check_well_formed(theory: &Theory) {
    let base = &theory.base;
    assert_eq!(base.predicates.len(), theory.kinds.len());
    let mut settled = base.clone();
    settled.settle();
    assert_eq!(settled.predicates, base.predicates, "levels are settled");
    for (predicate, clauses) in base.clauses.iter().enumerate() {
        for clause in clauses {
            assert_eq!(clause.head.predicate.0 as usize, predicate);
            check_atom(theory, clause, &clause.head);
            clause.body.iter().for_each(|condition| check_condition(theory, clause, condition));
        }
    }
}

fn check_condition(theory: &Theory, clause: &Clause, condition: &Condition) {
    let each =
        |body: &[Condition]| body.iter().for_each(|inner| check_condition(theory, clause, inner));
    match condition {
        Condition::Holds(atom) => check_atom(theory, clause, atom),
        Condition::None { body, .. } => each(body),
        Condition::AnyOf(branches) => branches.iter().for_each(|branch| each(branch)),
        Condition::Compare(_, Expr::Term(left), Expr::Term(right)) => {
            check_term(clause, *left);
            check_term(clause, *right);
        }
        Condition::Construct { whole, args, .. } => {
            check_term(clause, *whole);
            for arg in args {
                check_term(clause, *arg);
            }
        }
        Condition::Member(term, _) => check_term(clause, *term),
        other => panic!("no such condition in GDL: {other:?}"),
    }
}

fn check_atom(theory: &Theory, clause: &Clause, atom: &Atom) {
    assert_eq!(theory.base.predicate(atom.predicate).domains.len(), atom.args.len());
    atom.args.iter().for_each(|arg| check_term(clause, *arg));
}

fn check_term(clause: &Clause, term: Term) {
    if let Term::Var(var) = term {
        assert!((var.0 as usize) < clause.variables.len());
    }
}

const WORDS: [&str; 28] = [
    "(", "(", "(", ")", ")", ")", "<=", "role", "init", "true", "does", "next", "legal", "goal",
    "terminal", "distinct", "not", "or", "and", "base", "input", "p", "q", "a", "?x", "?y", "1",
    ";",
];

/// Lists that are mostly statements, mostly wrong.
fn statement() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("?x"), Just("?y"), Just("a"), Just("b"), Just("r"), Just("100")];
    let term = leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        (prop_oneof![Just("f"), Just("g"), Just("p")], prop::collection::vec(inner, 0..3))
            .prop_map(|(functor, args)| format!("({functor} {})", args.join(" ")))
    });
    let relation = prop_oneof![
        Just("true"),
        Just("does r"),
        Just("next"),
        Just("init"),
        Just("legal r"),
        Just("goal r"),
        Just("p"),
        Just("q"),
        Just("role"),
        Just("distinct a"),
        Just("base"),
    ];
    let sentence = (relation, term).prop_map(|(relation, term)| format!("({relation} {term})"));
    let literal = sentence.clone().prop_recursive(3, 8, 3, |inner| {
        (prop_oneof![Just("not"), Just("or"), Just("and")], prop::collection::vec(inner, 1..3))
            .prop_map(|(connective, items)| format!("({connective} {})", items.join(" ")))
    });
    (sentence, prop::collection::vec(literal, 0..4), any::<bool>()).prop_map(
        |(head, body, is_fact)| {
            if is_fact && body.is_empty() {
                head
            } else {
                format!("(<= {head} {})", body.join(" "))
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        parse(&text);
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..200)) {
        parse(&words.join(" "));
    }

    #[test]
    fn any_parentheses_are_read_or_refused(text in "[()a? ;\n]{0,600}") {
        parse(&text);
    }

    #[test]
    fn what_is_accepted_is_well_formed(statements in prop::collection::vec(statement(), 0..12)) {
        let game = "(role r) (legal r (p a)) (init (p a)) (<= terminal (true (p b))) (goal r 0)";
        if let Some(theory) = parse(&format!("{game} {}", statements.join("\n"))) {
            check_well_formed(&theory);
        }
    }
}

#[test]
fn deep_and_wide_texts_end() {
    for text in
        ["(".repeat(100_000), ")".repeat(100_000), "(not ".repeat(5_000), "(a (b".repeat(90)]
    {
        parse(&text);
    }
    let game = "(role r) (legal r a) (init b) (<= terminal (true b)) (goal r 0)";
    let chain: String = (0..3_000).map(|n| format!("(<= (p {}) (p {n}))", n + 1)).rev().collect();
    let wide = "(or (true b) (p 1))".repeat(1_500);
    let grow = "(n z) (<= (n (s ?x)) (n ?x))";
    let double = "(n z) (<= (n (s ?x ?x)) (n ?x)) (<= (init (f ?x)) (n ?x)) (<= (next (f ?x)) (true (f ?x)))";
    let texts =
        [format!("(p 0) {chain}"), format!("(<= q {wide})"), grow.to_owned(), double.to_owned()];
    for text in texts {
        check_well_formed(&parse(&format!("{game} {text}")).expect("only odd, not wrong"));
    }
}
