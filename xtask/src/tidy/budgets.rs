//! Budgets: files, functions, modules and examples stay small on purpose.
//!
//! In: a parsed file. Out: what is over its budget. Invariant: lines of a function are counted as
//! clippy counts them, without blank lines and comments, so that both agree on who needs an
//! `#[expect(clippy::too_many_lines)]`. Long texts in tests are clippy's business alone.

use syn::visit::{self, Visit};
use syn::{Attribute, Block, Ident, Item, Visibility};

use super::Finding;
use super::rust_source::RustSource;

/// Lines of a file without its tests.
const FILE_LINES: usize = 500;
/// Lines of code of a function's body.
const FUNCTION_LINES: usize = 60;
/// Public items of a module that nobody remarks on.
const MODULE_ITEMS: usize = 8;
/// Public items of a module above which it has to be divided.
const MODULE_ITEMS_LIMIT: usize = 16;
/// Lines of an example.
const EXAMPLE_LINES: usize = 60;

/// Reports what is over its budget.
pub(super) fn check(source: &RustSource) -> Vec<Finding> {
    let mut findings = Vec::new();
    let n_lines = source.n_lines_without_tests();
    let is_example = source.path.contains("/examples/");
    let lines_limit = if is_example { EXAMPLE_LINES } else { FILE_LINES };
    if n_lines > lines_limit {
        let message = format!("{n_lines} lines without tests, the budget is {lines_limit}");
        findings.push(Finding::problem(&source.path, message));
    }
    let mut functions = FunctionBudget { source, findings: &mut findings };
    functions.visit_file(&source.syntax);
    if !source.is_test {
        findings.extend(check_module(&source.path, &source.syntax.items));
    }
    findings
}

/// Walks the functions of a file.
struct FunctionBudget<'a> {
    source: &'a RustSource,
    findings: &'a mut Vec<Finding>,
}

impl FunctionBudget<'_> {
    fn check(&mut self, name: &Ident, attributes: &[Attribute], body: &Block) {
        let body_text = &self.source.text[body.brace_token.span.join().byte_range()];
        let n_lines = n_code_lines(body_text);
        let line = name.span().start().line;
        if n_lines <= FUNCTION_LINES || self.source.is_test_line(line) {
            return;
        }
        let place = self.source.place(line);
        let message = format!(
            "the function `{name}` has {n_lines} lines of code, the budget is {FUNCTION_LINES}"
        );
        if !attributes.iter().any(excuses_length) {
            let way_out =
                "divide it, or say why not with `#[expect(clippy::too_many_lines, reason)]`";
            self.findings.push(Finding::problem(place, format!("{message}: {way_out}")));
        } else if !(body_text.contains("// Step 1.") && body_text.contains("// Step 2.")) {
            let way_out = "number its steps with comments `// Step 1.` and so on";
            self.findings.push(Finding::problem(place, format!("{message}: {way_out}")));
        }
    }
}

impl<'ast> Visit<'ast> for FunctionBudget<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.check(&function.sig.ident, &function.attrs, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.check(&function.sig.ident, &function.attrs, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.check(&function.sig.ident, &function.attrs, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// Is this `#[expect(clippy::too_many_lines, reason = "…")]`?
fn excuses_length(attribute: &Attribute) -> bool {
    let Ok(list) = attribute.meta.require_list() else { return false };
    let tokens = list.tokens.to_string();
    list.path.is_ident("expect") && tokens.contains("too_many_lines") && tokens.contains("reason")
}

/// Lines between the braces of a body that hold more than blanks and comments.
fn n_code_lines(body_text: &str) -> usize {
    let inside = body_text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let mut in_comment = false;
    inside.unwrap_or(body_text).lines().filter(|line| has_code(line, &mut in_comment)).count()
}

/// Does the line hold code? `in_comment` says whether a `/*` is open, before and after it.
fn has_code(line: &str, in_comment: &mut bool) -> bool {
    let mut rest = line.trim();
    let mut found_code = false;
    while !rest.is_empty() {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else { return found_code };
            *in_comment = false;
            rest = after.trim();
        } else if rest.starts_with("//") {
            return found_code;
        } else if let Some((before, after)) = rest.split_once("/*") {
            found_code |= !before.trim().is_empty();
            *in_comment = true;
            rest = after;
        } else {
            return true;
        }
    }
    found_code
}

/// Counts the public items of a module and of the modules written inside it.
fn check_module(name: &str, items: &[Item]) -> Vec<Finding> {
    let n_public = items.iter().filter(|item| is_public(item)).count();
    let message = format!("{n_public} public items in one module, the budget is {MODULE_ITEMS}");
    let mut findings = match n_public {
        0..=MODULE_ITEMS => vec![],
        _ if n_public > MODULE_ITEMS_LIMIT => vec![Finding::problem(name, message)],
        _ => vec![Finding::notice(name, message)],
    };
    for item in items {
        if let Item::Mod(module) = item
            && let Some((_, items)) = &module.content
        {
            findings.extend(check_module(&format!("{name}, `{}`", module.ident), items));
        }
    }
    findings
}

/// Is the item defined here and public? Re-exports and modules are the face of a crate, not items.
fn is_public(item: &Item) -> bool {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Union(item) => &item.vis,
        _ => return false,
    };
    matches!(visibility, Visibility::Public(_))
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

    /// A function with this many lines of code, as many comments, and these lines around it.
    fn function(before: &str, first: &str, n_lines: usize) -> String {
        let lines = "    // Why.\n\n    call();\n".repeat(n_lines);
        format!("{before}fn long() {{\n{first}{lines}}}\n")
    }

    #[test]
    fn a_function_within_budget_is_fine() {
        check_source("crates/a/src/lib.rs", &function("", "", 60), expect![""]);
    }

    #[test]
    fn a_long_function_is_a_problem() {
        check_source(
            "crates/a/src/lib.rs",
            &function("", "", 61),
            expect![[r"
                crates/a/src/lib.rs:1: the function `long` has 61 lines of code, the budget is 60: divide it, or say why not with `#[expect(clippy::too_many_lines, reason)]`
            "]],
        );
    }

    #[test]
    fn a_long_function_with_a_reason_needs_numbered_steps() {
        let excuse = "#[expect(clippy::too_many_lines, reason = \"a table\")]\n";
        let steps = "// Step 1. One.\n// Step 2. Two.\n";
        check_source("crates/a/src/lib.rs", &function(excuse, steps, 61), expect![""]);
        check_source(
            "crates/a/src/lib.rs",
            &function(excuse, "", 61),
            expect![[r"
                crates/a/src/lib.rs:2: the function `long` has 61 lines of code, the budget is 60: number its steps with comments `// Step 1.` and so on
            "]],
        );
    }

    #[test]
    fn tests_may_hold_long_texts() {
        check_source("crates/a/tests/a.rs", &function("", "", 61), expect![""]);
        check_source("crates/a/src/lib.rs", &function("#[test]\n", "", 61), expect![""]);
    }

    #[test]
    fn methods_and_default_bodies_count_too() {
        let method = format!("impl A {{ {} }}", function("", "", 61));
        assert_eq!(check(&RustSource::parse("a.rs", &method).unwrap()).len(), 1);
        let default = format!("trait A {{ {} }}", function("", "", 61));
        assert_eq!(check(&RustSource::parse("a.rs", &default).unwrap()).len(), 1);
    }

    #[test]
    fn a_long_file_is_a_problem_and_its_tests_do_not_count() {
        let code = "const A: u8 = 0;\n".repeat(500);
        let tests = "#[cfg(test)]\nmod tests {}\n";
        check_source("crates/a/src/lib.rs", &format!("{code}{tests}"), expect![""]);
        check_source(
            "crates/a/src/lib.rs",
            &format!("{code}\n{tests}"),
            expect![[r"
                crates/a/src/lib.rs: 501 lines without tests, the budget is 500
            "]],
        );
    }

    #[test]
    fn a_long_example_is_a_problem() {
        check_source(
            "crates/player/examples/play.rs",
            &"const A: u8 = 0;\n".repeat(61),
            expect![[r"
                crates/player/examples/play.rs: 61 lines without tests, the budget is 60
            "]],
        );
    }

    #[test]
    fn many_public_items_are_a_notice_and_too_many_a_problem() {
        let items = |n_items| "pub struct A;\nstruct B;\npub use c::D;\n".repeat(n_items);
        check_source("crates/a/src/lib.rs", &items(8), expect![""]);
        check_source(
            "crates/a/src/lib.rs",
            &items(9),
            expect![[r"
                crates/a/src/lib.rs: notice: 9 public items in one module, the budget is 8
            "]],
        );
        check_source(
            "crates/a/src/lib.rs",
            &items(17),
            expect![[r"
                crates/a/src/lib.rs: 17 public items in one module, the budget is 8
            "]],
        );
    }

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        assert_eq!(n_code_lines("{\n\n// No.\n/* No,\nno. */ yes();\nyes(); // No.\n}"), 2);
    }
}
