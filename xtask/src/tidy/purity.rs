//! Purity: only the command line reads files, arguments, the clock or sockets.
//!
//! In: a file's tokens and imports. Out: each use of the outside world below `cli`. Invariant:
//! tests, examples and build scripts may look; so may the one place where a search meets its clock.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{ItemUse, UseTree};

use super::Finding;
use super::rust_source::RustSource;

/// Paths of the standard library that reach outside the program, with all below them.
const OUTSIDE_PATHS: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::process",
];
/// Calls that do, wherever the type was imported from.
const OUTSIDE_CALLS: &[&str] = &[
    "File::open",
    "File::create",
    "Instant::now",
    "SystemTime::now",
    "io::stdin",
    "io::stdout",
    "io::stderr",
];
/// Files that may read a clock: limits of a search are also given in seconds.
const CLOCK_FILES: &[&str] = &["crates/search/src/limits.rs"];

/// Reports uses of the outside world.
pub(super) fn check(source: &RustSource) -> Vec<Finding> {
    if !is_checked(&source.path) {
        return Vec::new();
    }
    let mut uses = imports(source);
    for path in OUTSIDE_PATHS.iter().chain(OUTSIDE_CALLS) {
        let words: Vec<_> = path.split("::").flat_map(|name| [":", ":", name]).skip(2).collect();
        uses.extend(source.lines_that_spell(&words).map(|line| (line, *path)));
    }
    uses.retain(|(line, _)| !source.is_test_line(*line));
    uses.sort_unstable();
    uses.dedup_by_key(|(line, _)| *line);
    let report = |(line, path)| {
        let message =
            format!("`{path}`: only `cli` reaches outside the program, pass in what is needed");
        Finding::problem(source.place(line), message)
    };
    uses.into_iter().map(report).collect()
}

/// Is this the source of a library crate?
fn is_checked(path: &str) -> bool {
    let is_library = path.starts_with("crates/") && !path.starts_with("crates/cli/");
    is_library && path.contains("/src/") && !CLOCK_FILES.contains(&path)
}

/// Imports of outside paths, also in braces, with their lines.
fn imports(source: &RustSource) -> Vec<(usize, &'static str)> {
    let mut finder = ImportFinder::default();
    finder.visit_file(&source.syntax);
    finder.found
}

/// Walks the `use` items of a file.
#[derive(Default)]
struct ImportFinder {
    found: Vec<(usize, &'static str)>,
}

impl<'ast> Visit<'ast> for ImportFinder {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.find("", &item.tree);
        visit::visit_item_use(self, item);
    }
}

impl ImportFinder {
    fn find(&mut self, prefix: &str, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.find(&format!("{prefix}{}::", path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.find(prefix, tree)),
            UseTree::Name(name) => self.judge(&format!("{prefix}{}::", name.ident), tree),
            UseTree::Rename(rename) => self.judge(&format!("{prefix}{}::", rename.ident), tree),
            UseTree::Glob(_) => self.judge(prefix, tree),
        }
    }

    fn judge(&mut self, imported: &str, tree: &UseTree) {
        let line = tree.span().start().line;
        let outside =
            OUTSIDE_PATHS.iter().filter(|path| imported.starts_with(&format!("{path}::")));
        self.found.extend(outside.map(|path| (line, *path)));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::expect_findings;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check_source(path: &str, text: &str, expected: Expect) {
        expect_findings(&check(&RustSource::parse(path, text).unwrap()), &expected);
    }

    #[test]
    fn reading_a_file_below_the_command_line_is_a_problem() {
        check_source(
            "crates/rules/src/source.rs",
            "fn a() { std::fs::read(\"a\"); }\n",
            expect![[r"
                crates/rules/src/source.rs:1: `std::fs`: only `cli` reaches outside the program, pass in what is needed
            "]],
        );
    }

    #[test]
    fn imports_are_found_in_braces_and_under_other_names() {
        check_source(
            "crates/game/src/perft.rs",
            "use std::{fmt, fs as files};\nuse std::env::args;\nuse std::net::*;\n",
            expect![[r"
                crates/game/src/perft.rs:1: `std::fs`: only `cli` reaches outside the program, pass in what is needed
                crates/game/src/perft.rs:2: `std::env`: only `cli` reaches outside the program, pass in what is needed
                crates/game/src/perft.rs:3: `std::net`: only `cli` reaches outside the program, pass in what is needed
            "]],
        );
    }

    #[test]
    fn the_clock_is_found_also_inside_macros() {
        check_source(
            "crates/player/src/matches.rs",
            "use std::time::Instant;\nfn a() { log!(\"{:?}\", Instant::now()) }\n",
            expect![[r"
                crates/player/src/matches.rs:2: `Instant::now`: only `cli` reaches outside the program, pass in what is needed
            "]],
        );
    }

    #[test]
    fn the_command_line_tests_and_search_limits_may_look() {
        let text = "fn a() { std::time::Instant::now(); }\n";
        check_source("crates/cli/src/main.rs", text, expect![""]);
        check_source("crates/search/src/limits.rs", text, expect![""]);
        check_source("crates/rules/tests/games.rs", text, expect![""]);
        check_source("crates/rules/build.rs", text, expect![""]);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{text}}}\n");
        check_source("crates/rules/src/lib.rs", &tests, expect![""]);
    }

    #[test]
    fn harmless_parts_of_the_standard_library_are_fine() {
        check_source(
            "crates/a/src/lib.rs",
            "use std::{fmt, io::Write};\nuse std::rc::Rc;\n",
            expect![""],
        );
    }
}
