//! What is written for a syntax tree parses to the same tree.

use proptest::prelude::{Just, Strategy, prop, prop_assert_eq, prop_oneof, proptest};

use crate::print::write::item_text;
use crate::rules_text::{ParseLimits, parse_file};
use crate::source::Diagnostics;

/// The text written for what a text says.
fn written(text: &str) -> String {
    let mut diagnostics = Diagnostics::default();
    let file = parse_file(0, text, &ParseLimits::default(), &mut diagnostics);
    assert!(diagnostics.list.is_empty(), "{text}\n{:?}", diagnostics.list);
    file.items.iter().map(|item| item_text(&item.kind)).collect()
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = [
        "X",
        "_",
        "3",
        "-4",
        "empty",
        "'X y'",
        "turn",
        "undefined",
        "'not'",
        "mod",
        "any",
        "count",
        "legal",
    ];
    let leaf = prop::sample::select(leaf.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(4, 20, 3, |inner| {
        let binary =
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "div", "mod"]), inner.clone());
        prop_oneof![
            binary.prop_map(|(left, sign, right)| format!("({left}) {sign} ({right})")),
            inner.clone().prop_map(|inner| format!("-({inner})")),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|args| format!("at({})", args.join(", "))),
            prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|parts| format!("({})", parts.join(", "))),
            inner.prop_map(|inner| format!("count {{ X, Y : p({inner}) }}")),
        ]
    })
}

fn condition() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec!["=", "\\=", "<", "=<", ">", ">="]);
    let compared = (expression(), sign, expression())
        .prop_map(|(left, sign, right)| format!("{left} {sign} {right}"));
    let applied = expression().prop_map(|arg| format!("p({arg})"));
    let history = expression()
        .prop_map(|arg| format!("repeated({arg}, over [at]), since(e, {arg}), 'since'(e, {arg})"));
    let leaf = prop_oneof![
        compared,
        applied,
        history,
        Just("P does any".to_owned()),
        Just("legal _ does m(X)".to_owned())
    ];
    leaf.prop_recursive(4, 20, 3, |inner| {
        let list = prop::collection::vec(inner, 1..4).prop_map(|list| list.join(", "));
        prop_oneof![
            list.clone().prop_map(|body| format!("not ({body})")),
            list.clone().prop_map(|body| format!("none {{ X : {body} }}")),
            (list.clone(), list.clone()).prop_map(|(left, right)| format!("({left} ; {right})")),
            list.clone().prop_map(|body| format!("after(P does m(1), {body})")),
            list.prop_map(|body| format!("cycle(P, {body}, over [at, turn])")),
        ]
    })
}

fn sort() -> impl Strategy<Value = String> {
    let leaf = [
        "role",
        "1..3",
        "-1..size + 1",
        "{a, 'B', 3}",
        "rows(level)..2 * (n + 1)",
        "{(X, Y) : p(X, Y)}",
    ];
    let leaf = prop::sample::select(leaf.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.prop_map(|part| format!("({part})")), 1..4);
        prop_oneof![
            list.clone().prop_map(|parts| parts.join(" + ")),
            list.clone().prop_map(|parts| parts.join(" * ")),
            list.prop_map(|parts| format!("f({})", parts.join(", "))),
        ]
    })
}

proptest! {
    #[test]
    fn conditions_are_written_as_they_parse(condition in condition()) {
        let once = written(&format!("a :- {condition}."));
        prop_assert_eq!(written(&once), once);
    }

    #[test]
    fn sorts_are_written_as_they_parse(sort in sort()) {
        let once = written(&format!("sort a = {sort}."));
        prop_assert_eq!(written(&once), once);
    }
}
