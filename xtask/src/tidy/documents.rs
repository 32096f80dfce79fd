//! Documents: texts name no machine and no private registry, links lead somewhere, and the
//! architecture stays short.
//!
//! In: the texts of the tree. Out: each line that names what only one machine has, each broken
//! link between our own documents, and an architecture text that is too long.

use super::Finding;
use super::tree::Tree;

/// Starts of paths that exist on one machine only; in pieces, so that this file passes.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/tm", "p/target"),
];
/// Settings that name a registry of packages.
const REGISTRY_SETTINGS: &[&str] = &[
    concat!("replace", "-with"),
    concat!("index", "-url"),
    concat!("registry", " = \""),
    concat!("registry", "=http"),
];
/// How lock files name where a package comes from.
const REGISTRY_SOURCES: &[&str] = &[concat!("registry", "+http"), concat!("sparse", "+http")];
/// The one registry that everybody has.
const PUBLIC_INDEX: &str = "https://github.com/rust-lang/crates.io-index";
/// Lines of the architecture text.
const ARCHITECTURE_LINES: usize = 250;

/// Reports all of it.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        let named = in_lines(path, text, |line| machine_name(line).into_iter().collect());
        findings.extend(named);
    }
    for (path, text) in tree.texts_with_extension("md") {
        findings.extend(in_lines(path, text, |line| {
            let broken = links(line).filter(|link| !leads_somewhere(tree, path, link));
            broken.map(|link| format!("the link `{link}` leads nowhere")).collect()
        }));
        if path == "ARCHITECTURE.md" && text.lines().count() > ARCHITECTURE_LINES {
            let message = format!("more than {ARCHITECTURE_LINES} lines");
            findings.push(Finding::problem(path, message));
        }
    }
    findings
}

/// What a check of single lines says about a text.
fn in_lines(path: &str, text: &str, check: impl Fn(&str) -> Vec<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let messages = check(line).into_iter();
        findings
            .extend(messages.map(|message| Finding::problem(format!("{path}:{number}"), message)));
    }
    findings
}

/// What is wrong with a line that names a machine's path or a registry.
fn machine_name(line: &str) -> Option<String> {
    if let Some(path) = MACHINE_PATHS.iter().find(|path| line.contains(**path)) {
        return Some(format!("`{path}` is a path of one machine"));
    }
    let setting = REGISTRY_SETTINGS.iter().find(|setting| line.contains(**setting));
    let source = REGISTRY_SOURCES.iter().find(|source| line.contains(**source));
    let source = source.filter(|_| !line.contains(PUBLIC_INDEX));
    setting.or(source).map(|word| format!("`{word}` names a registry of packages"))
}

/// The targets of the Markdown links of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Does a link from this document lead to another site, a place in it, or a file of the tree?
fn leads_somewhere(tree: &Tree, document: &str, link: &str) -> bool {
    let target = link.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains("://") {
        return true;
    }
    let mut parts: Vec<_> = document.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            ".." if parts.pop().is_none() => return false,
            "." | ".." => {}
            _ => parts.push(part),
        }
    }
    parts.is_empty() || tree.has(&parts.join("/"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::expect_findings;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check_text(path: &str, text: &str, expected: Expect) {
        let findings = check(&Tree::of(&[(path, text), ("docs/papers.md", "")]));
        expect_findings(&findings, &expected);
    }

    #[test]
    fn a_path_of_one_machine_is_a_problem() {
        for path in MACHINE_PATHS {
            assert!(machine_name(&format!("see {path}notes")).is_some());
        }
        assert_eq!(machine_name("see docs/notes and /usr/bin/env"), None);
    }

    #[test]
    fn only_the_public_registry_may_be_named() {
        let source = |url| format!("source = \"{}s://{url}\"", REGISTRY_SOURCES[0]);
        assert!(machine_name(&source("mirror.example/index")).is_some());
        assert_eq!(machine_name(&source("github.com/rust-lang/crates.io-index")), None);
        for setting in REGISTRY_SETTINGS {
            assert!(machine_name(&format!("{setting}s://mirror.example")).is_some());
        }
    }

    #[test]
    fn links_lead_to_files_folders_and_other_sites() {
        check_text(
            "README.md",
            "[a](docs/papers.md#keys) [b](docs) [c](https://x.org)",
            expect![""],
        );
        check_text(
            "docs/README.md",
            "[a](papers.md) [b](../docs/) [c](#here) [d](..)",
            expect![""],
        );
    }

    #[test]
    fn a_link_that_leads_nowhere_is_a_problem() {
        check_text(
            "docs/README.md",
            "One.\nSee [a](paper.md) and [b](../../x.md).",
            expect![[r"
                docs/README.md:2: the link `paper.md` leads nowhere
                docs/README.md:2: the link `../../x.md` leads nowhere
            "]],
        );
    }

    #[test]
    fn a_long_architecture_is_a_problem() {
        check_text("ARCHITECTURE.md", &"Line.\n".repeat(250), expect![""]);
        check_text(
            "ARCHITECTURE.md",
            &"Line.\n".repeat(251),
            expect![[r"
                ARCHITECTURE.md: more than 250 lines
            "]],
        );
    }
}
