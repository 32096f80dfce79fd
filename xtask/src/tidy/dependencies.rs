//! Outside dependencies: each one is listed with the reason it earns its place.
//!
//! In: the crates with their dependencies. Out: every dependency that is not in the table for that
//! crate, and entries nobody uses. Invariant: what tests use is not restricted.

use super::Finding;
use super::metadata::Crate;

/// A package from outside, the crates that may use it, and why.
struct Allowed {
    package: &'static str,
    crates: &'static [&'static str],
    reason: &'static str,
}

/// All packages from outside that crates may use.
const ALLOWED: &[Allowed] = &[
    allow("annotate-snippets", &["cli"], "draws problems as rustc does, with carets"),
    allow("anstream", &["cli"], "colors where the terminal has them, and nowhere else"),
    allow("anyhow", &["cli", "xtask", "baselines"], "catch-all errors where a person reads them"),
    allow("blake3", &["specialize", "compile"], "digests of facts and of what is kept for later"),
    allow("clap", &["cli", "baselines"], "arguments, help with examples"),
    allow("clap_complete", &["cli"], "shell completions from the same definition"),
    allow("clap_mangen", &["cli"], "manual pages from the same definition"),
    allow("cranelift-codegen", &["kernel"], "machine code made inside the process"),
    allow("cranelift-frontend", &["kernel"], "turns assignments into values for it"),
    allow("cranelift-jit", &["kernel"], "puts the code into memory that may run"),
    allow("cranelift-module", &["kernel"], "the functions of that code and their names"),
    allow("cranelift-native", &["kernel"], "what the processor we run on can do"),
    allow("ctrlc", &["cli"], "an interrupt becomes an answer, also on Windows"),
    allow(
        "indexmap",
        &["logic", "rules", "matching", "specialize", "compile"],
        "maps and sets with an order that can be seen",
    ),
    allow("indicatif", &["cli"], "progress of long work"),
    allow("logos", &["rules"], "lexers compiled from token patterns"),
    allow("mimalloc", &["cli"], "rules become code by many small values: a seventh less time"),
    allow("postcard", &["compile"], "kernels as bytes, for the cache"),
    allow("proc-macro2", &["xtask"], "line numbers of parsed source"),
    allow("rust-embed", &["cli"], "the library of games inside the binary"),
    allow(
        "rustc-hash",
        &["logic", "rules", "matching", "specialize", "compile"],
        "fast maps without random state",
    ),
    allow("rustix", &["cli", "baselines"], "the processor time of a thread"),
    allow(
        "serde",
        &["cli", "xtask", "logic", "rules", "kernel", "compile"],
        "typed JSON, and kernels as bytes from their types",
    ),
    allow("serde_json", &["cli", "xtask", "baselines"], "JSON"),
    allow("smallvec", &["logic", "matching"], "short lists without allocation"),
    allow("stacker", &["logic", "matching"], "deep recursion without overflow"),
    allow("strsim", &["rules"], "suggestions for misspelled names"),
    allow("syn", &["xtask"], "reads the source that tidy checks"),
    allow(
        "thiserror",
        &["logic", "rules", "matching", "specialize", "game", "kernel", "compile", "player", "cli"],
        "error enums without noise",
    ),
    allow("toml", &["cli", "xtask"], "tables in files that people can comment"),
];

/// An entry of the table.
const fn allow(
    package: &'static str,
    crates: &'static [&'static str],
    reason: &'static str,
) -> Allowed {
    Allowed { package, crates, reason }
}

/// Reports dependencies that the table does not allow and entries without a user.
pub(super) fn check(crates: &[Crate]) -> Vec<Finding> {
    check_against(ALLOWED, crates)
}

fn check_against(table: &[Allowed], crates: &[Crate]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for one in crates {
        for package in &one.outside {
            let entry = table.iter().find(|entry| entry.package == package);
            if !entry.is_some_and(|entry| entry.crates.contains(&one.name.as_str())) {
                let message = format!(
                    "`{}` uses `{package}` from outside, which the table does not allow it: \
                     add it with its reason, as a change of its own",
                    one.name
                );
                findings.push(Finding::problem(&one.manifest, message));
            }
        }
    }
    findings.extend(table.iter().flat_map(|entry| unused(entry, crates)));
    findings
}

/// The crates of an entry that exist and do not use the package.
fn unused<'a>(entry: &'a Allowed, crates: &'a [Crate]) -> impl Iterator<Item = Finding> + 'a {
    let listed = crates.iter().filter(|one| entry.crates.contains(&one.name.as_str()));
    let idle = listed.filter(|one| !one.outside.iter().any(|package| package == entry.package));
    idle.map(|one| {
        let Allowed { package, reason, .. } = entry;
        let message = format!("`{}` may use `{package}` ({reason}) and does not", one.name);
        Finding::notice("xtask/src/tidy/dependencies.rs", message)
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::expect_findings;

    const TABLE: &[Allowed] = &[allow("logos", &["rules"], "lexers")];

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check_crate(name: &str, outside: &[&str], expected: Expect) {
        let one = Crate {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            inside: Vec::new(),
            outside: outside.iter().map(|package| (*package).to_owned()).collect(),
        };
        expect_findings(&check_against(TABLE, &[one]), &expected);
    }

    #[test]
    fn a_listed_dependency_is_fine() {
        check_crate("rules", &["logos"], expect![""]);
    }

    #[test]
    fn a_dependency_nobody_argued_for_is_a_problem() {
        check_crate(
            "rules",
            &["logos", "left-pad"],
            expect![[r"
                crates/rules/Cargo.toml: `rules` uses `left-pad` from outside, which the table does not allow it: add it with its reason, as a change of its own
            "]],
        );
    }

    #[test]
    fn a_dependency_argued_for_elsewhere_is_a_problem() {
        check_crate(
            "search",
            &["logos"],
            expect![[r"
                crates/search/Cargo.toml: `search` uses `logos` from outside, which the table does not allow it: add it with its reason, as a change of its own
            "]],
        );
    }

    #[test]
    fn a_dependency_no_longer_used_is_a_notice() {
        check_crate(
            "rules",
            &[],
            expect![[r"
                xtask/src/tidy/dependencies.rs: notice: `rules` may use `logos` (lexers) and does not
            "]],
        );
    }

    #[test]
    fn every_entry_has_a_reason_and_stands_in_order() {
        assert!(ALLOWED.iter().all(|entry| !entry.reason.is_empty() && !entry.crates.is_empty()));
        assert!(ALLOWED.is_sorted_by_key(|entry| entry.package));
    }
}
