//! Shortcuts: no ignored tests and no code left to be written.
//!
//! In: a file's tokens, macro bodies included. Out: each `#[ignore]`, `todo!` and `unimplemented!`.

use super::Finding;
use super::rust_source::RustSource;

/// Each shortcut as its tokens, and what to do instead.
const SHORTCUTS: &[(&[&str], &str)] = &[
    (&["#", "ignore"], "an ignored test: assert what happens today, with `FIXME`"),
    (&["todo", "!"], "`todo!`: leave out what is not there"),
    (&["unimplemented", "!"], "`unimplemented!`: leave out what is not there"),
];

/// Reports shortcuts.
pub(super) fn check(source: &RustSource) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (shortcut, message) in SHORTCUTS {
        let lines = source.lines_that_spell(shortcut);
        findings.extend(lines.map(|line| Finding::problem(source.place(line), *message)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::expect_findings;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check_source(text: &str, expected: Expect) {
        let source = RustSource::parse("crates/a/src/lib.rs", text).unwrap();
        expect_findings(&check(&source), &expected);
    }

    #[test]
    fn an_ignored_test_is_a_problem() {
        check_source(
            "#[test]\n#[ignore]\nfn a() {}\n\n#[test]\n#[ignore = \"slow\"]\nfn b() {}\n",
            expect![[r"
                crates/a/src/lib.rs:2: an ignored test: assert what happens today, with `FIXME`
                crates/a/src/lib.rs:6: an ignored test: assert what happens today, with `FIXME`
            "]],
        );
    }

    #[test]
    fn code_left_to_be_written_is_a_problem_also_inside_macros() {
        check_source(
            "fn a() { todo!() }\nproptest! { fn b() { unimplemented!() } }\n",
            expect![[r"
                crates/a/src/lib.rs:1: `todo!`: leave out what is not there
                crates/a/src/lib.rs:2: `unimplemented!`: leave out what is not there
            "]],
        );
    }

    #[test]
    fn words_about_shortcuts_are_fine() {
        check_source("// No todo!() and no #[ignore].\nfn a() { print(\"todo!\") }\n", expect![""]);
    }
}
