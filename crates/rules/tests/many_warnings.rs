//! However many warnings a text has, no error is lost among them and no item is left out.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;

use rulesmith_rules::{MAX_DIAGNOSTICS, NoFiles, Parsed, Settings, parse};

/// A game with more warnings than are kept, then a last item.
fn read(last: &str) -> Parsed {
    let mut text = "rules 1. game one. role me. sort file = 1..3. fluent done. move go.
        legal me does go. effect go : done := true. goal(me, 100) :- done.\n"
        .to_owned();
    for number in 0..=MAX_DIAGNOSTICS {
        writeln!(text, "q{number} :- file(Unused).").unwrap();
    }
    parse("test.rules", &(text + last), &Settings::default(), &NoFiles)
}

#[test]
fn items_behind_many_warnings_count() {
    let parsed = read("terminal :- done.");
    assert_eq!(parsed.diagnostics.list.len(), MAX_DIAGNOSTICS);
    let theory = parsed.theory.unwrap();
    assert_eq!(theory.base.clauses_of(theory.terminal).len(), 1);
}

#[test]
fn errors_behind_many_warnings_are_reported() {
    for wrong in ["terminal :- dun.", "meta phase filter. impossible(R) :- rule(Q), rule(Q)."] {
        let parsed = read(wrong);
        assert!(parsed.theory.is_none(), "{wrong}");
        assert!(parsed.diagnostics.has_errors(), "{wrong}");
    }
}
