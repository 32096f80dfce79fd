//! Rust source as the checks read it: parsed, with the lines that are tests known.
//!
//! In: the tree. Out: each `.rs` file under `crates` and `xtask` with its syntax, tokens and test
//! lines. Invariant: lines count from one; comments and strings are not tokens.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta};

use super::Finding;
use super::tree::Tree;

/// A parsed file.
pub(super) struct RustSource {
    /// Its path from the top folder.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) syntax: syn::File,
    /// Names, signs and literals in the order of the text; the text of a literal is left out.
    tokens: Vec<Token>,
    /// Is the whole file a test?
    pub(super) is_test: bool,
    test_lines: Vec<RangeInclusive<usize>>,
}

/// A name or a sign.
struct Token {
    text: String,
    line: usize,
}

impl RustSource {
    /// All Rust files of the project; those that do not parse come back as findings.
    pub(super) fn read_all(tree: &Tree) -> (Vec<Self>, Vec<Finding>) {
        let is_ours = |path: &str| path.starts_with("crates/") || path.starts_with("xtask/");
        let texts = tree.texts_with_extension("rs").filter(|(path, _)| is_ours(path));
        let (mut sources, mut findings) = (Vec::new(), Vec::new());
        for (path, text) in texts {
            match Self::parse(path, text) {
                Ok(source) => sources.push(source),
                Err(error) => findings.push(Finding::problem(path, format!("no Rust: {error}"))),
            }
        }
        let test_modules: BTreeSet<_> = sources.iter().flat_map(Self::test_modules).collect();
        for source in &mut sources {
            source.is_test |= test_modules.iter().any(|module| is_module(module, &source.path));
        }
        (sources, findings)
    }

    /// Parses one file.
    pub(super) fn parse(path: &str, text: &str) -> syn::Result<Self> {
        let syntax = syn::parse_file(text)?;
        let mut finder = TestFinder::default();
        finder.visit_file(&syntax);
        let mut tokens = Vec::new();
        collect_tokens(text.parse::<TokenStream>()?, &mut tokens);
        Ok(Self {
            path: path.to_owned(),
            text: text.to_owned(),
            syntax,
            tokens,
            is_test: path.split('/').any(|part| ["tests", "benches"].contains(&part)),
            test_lines: finder.lines,
        })
    }

    /// Does the line belong to a test?
    pub(super) fn is_test_line(&self, line: usize) -> bool {
        self.is_test || self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// How many lines the file has without its tests.
    pub(super) fn n_lines_without_tests(&self) -> usize {
        (1..=self.text.lines().count()).filter(|line| !self.is_test_line(*line)).count()
    }

    /// The lines on which these names and signs stand, one after the other.
    pub(super) fn lines_that_spell(&self, words: &[&str]) -> impl Iterator<Item = usize> {
        let spells = |tokens: &&[Token]| {
            tokens.iter().map(|token| token.text.as_str()).eq(words.iter().copied())
        };
        self.tokens.windows(words.len()).filter(spells).map(|tokens| tokens[0].line)
    }

    /// `file:line`.
    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }

    /// Paths, without `.rs`, of modules that this file declares for tests alone.
    fn test_modules(&self) -> Vec<String> {
        let modules = self.syntax.items.iter().filter_map(|item| match item {
            Item::Mod(module) if module.content.is_none() && is_for_tests(&module.attrs) => {
                Some(module.ident.to_string())
            }
            _ => None,
        });
        let own = self.path.trim_end_matches(".rs");
        let (folder, name) = own.rsplit_once('/').unwrap_or(("", own));
        let folder = if ["lib", "main", "mod"].contains(&name) { folder } else { own };
        modules.map(|module| format!("{folder}/{module}")).collect()
    }
}

/// Is this the file of the module, or a file inside it?
fn is_module(module: &str, path: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Collects the lines of items that exist for tests alone.
#[derive(Default)]
struct TestFinder {
    lines: Vec<RangeInclusive<usize>>,
}

impl TestFinder {
    fn add(&mut self, item: &impl Spanned) {
        let span = item.span();
        self.lines.push(span.start().line..=span.end().line);
    }
}

impl<'ast> Visit<'ast> for TestFinder {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes(item)) {
            self.add(item);
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if is_for_tests(&function.attrs) => self.add(item),
            _ => visit::visit_impl_item(self, item),
        }
    }
}

/// Is an item with these attributes for tests alone?
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            let mut tokens = Vec::new();
            collect_tokens(list.tokens.clone(), &mut tokens);
            let has = |word: &str| tokens.iter().any(|token| token.text == word);
            has("test") && !has("not")
        }
        _ => false,
    })
}

/// The attributes of an item.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Appends the names and signs of a stream, groups opened.
fn collect_tokens(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => collect_tokens(group.stream(), tokens),
            TokenTree::Ident(name) => tokens.push(Token { text: name.to_string(), line }),
            TokenTree::Punct(sign) => tokens.push(Token { text: sign.to_string(), line }),
            TokenTree::Literal(_) => tokens.push(Token { text: String::new(), line }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_for_tests_are_not_counted() {
        let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n\nfn c() {}\n";
        let source = RustSource::parse("crates/a/src/lib.rs", text).unwrap();
        assert_eq!(source.n_lines_without_tests(), 4);
        assert!(source.is_test_line(3) && source.is_test_line(6) && !source.is_test_line(8));
    }

    #[test]
    fn items_that_tests_lack_are_counted() {
        let source = RustSource::parse("a.rs", "#[cfg(not(test))]\nfn a() {}\n").unwrap();
        assert_eq!(source.n_lines_without_tests(), 2);
    }

    #[test]
    fn a_module_declared_for_tests_is_a_test_file() {
        let tree = Tree::of(&[
            ("crates/a/src/solve.rs", "#[cfg(test)]\nmod naive;\n"),
            ("crates/a/src/solve/naive.rs", "fn a() {}\n"),
            ("crates/a/src/naive.rs", "fn a() {}\n"),
        ]);
        let (sources, _) = RustSource::read_all(&tree);
        let tests = sources.iter().filter(|source| source.is_test);
        let tests: Vec<_> = tests.map(|source| source.path.as_str()).collect();
        assert_eq!(tests, ["crates/a/src/solve/naive.rs"]);
    }

    #[test]
    fn a_file_that_is_no_rust_is_a_problem() {
        let tree = Tree::of(&[("crates/a/src/lib.rs", "fn {")]);
        assert_eq!(RustSource::read_all(&tree).1.len(), 1);
    }
}
