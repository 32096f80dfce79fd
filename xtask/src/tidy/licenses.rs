//! Licenses: everything we build from is permissive.
//!
//! In: packages with their license expressions (SPDX). Out: packages whose license asks for more
//! than a notice. Invariant: an expression that cannot be read is a problem, not a pass.

use super::Finding;
use super::metadata::Package;

/// Licenses that ask for no more than their text to be kept.
const PERMISSIVE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Reports packages that may not be used under a permissive license.
pub(super) fn check(packages: &[&Package]) -> Vec<Finding> {
    let unfit = packages.iter().filter(|package| !package.license.as_deref().is_some_and(permits));
    let report = |package: &&Package| {
        let license = package.license.as_deref().unwrap_or("no license");
        let message = format!("`{} {}` has {license}", package.name, package.version);
        Finding::problem("Cargo.lock", format!("{message}, which is not on the permissive list"))
    };
    unfit.map(report).collect()
}

/// Does the expression offer a way to use the package under permissive licenses alone?
fn permits(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut words = words.as_slice();
    any_permits(&mut words) == Some(true) && words.is_empty()
}

/// `A OR B`: one of them.
fn any_permits(words: &mut &[&str]) -> Option<bool> {
    let mut permits = all_permit(words)?;
    while skip(words, "OR") {
        permits |= all_permit(words)?;
    }
    Some(permits)
}

/// `A AND B`: both of them.
fn all_permit(words: &mut &[&str]) -> Option<bool> {
    let mut permits = one_permits(words)?;
    while skip(words, "AND") {
        permits &= one_permits(words)?;
    }
    Some(permits)
}

/// A license, one with an exception, or a group.
fn one_permits(words: &mut &[&str]) -> Option<bool> {
    if skip(words, "(") {
        let permits = any_permits(words)?;
        return skip(words, ")").then_some(permits);
    }
    let mut license = (*words.split_off_first()?).to_owned();
    if skip(words, "WITH") {
        license = format!("{license} WITH {}", words.split_off_first()?);
    }
    Some(PERMISSIVE.contains(&license.as_str()))
}

/// Takes the next word if it is this one.
fn skip(words: &mut &[&str], word: &str) -> bool {
    let is_next = words.first() == Some(&word);
    if is_next {
        *words = &words[1..];
    }
    is_next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissive_licenses_pass_alone_and_in_choice() {
        for expression in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "MPL-2.0 OR Zlib",
            "Unlicense OR MIT",
        ] {
            assert!(permits(expression), "{expression}");
        }
    }

    #[test]
    fn a_license_that_asks_for_more_fails() {
        for expression in ["GPL-3.0-only", "MPL-2.0", "MIT AND MPL-2.0", "(GPL-2.0 OR MPL-2.0)"] {
            assert!(!permits(expression), "{expression}");
        }
    }

    #[test]
    fn an_expression_that_cannot_be_read_fails() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "Apache-2.0 WITH"] {
            assert!(!permits(expression), "{expression}");
        }
    }
}
