//! The restrictions of the definition: what a GDL description must and must not say.
//!
//! In: statements. Out: every violation, by name, with its place and a way out. An error is a
//! description without a meaning; a warning is one that the community's reasoner runs all the same.
//! Paper: GDL specification §§ 3–4. Invariant: after this without errors, every rule is safe, every
//! negation stratified, and every relation has one arity.

use indexmap::IndexSet;
use rulesmith_logic::{Span, Symbol, Symbols};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::dependency::check_dependencies;
use super::keyword::{Keywords, is_keyword};
use super::safety::check_safety;
use super::statement::{KifTerm, Literal, Sentence, Statement};
use crate::source::{Diagnostic, Diagnostics, MAX_DIAGNOSTICS, Severity, nearest};

/// Reports every violation found in the statements.
pub(super) fn check(
    statements: &[Statement],
    keywords: &Keywords,
    symbols: &Symbols,
    diagnostics: &mut Diagnostics,
) {
    let mut checker = Checker { keywords, symbols, diagnostics };
    checker.check_arities(statements);
    for statement in statements {
        checker.check_head(statement);
        checker.check_places(statement);
        check_safety(statement, symbols, checker.diagnostics);
    }
    checker.check_definitions(statements);
    checker.check_required(statements);
    check_dependencies(statements, keywords, symbols, diagnostics);
}

/// Leaves out wrong statements for `base` and `input`, if nothing reads these: they have no part in
/// the game, so what is wrong with them is only worth a warning.
pub(super) fn drop_ignored(
    statements: &mut Vec<Statement>,
    keywords: &Keywords,
    diagnostics: &mut Diagnostics,
) {
    let ignorable = [keywords.base, keywords.input];
    let mut is_read = false;
    let mut visit = |sentence: &Sentence, _| is_read |= ignorable.contains(&sentence.relation);
    for literal in statements.iter().flat_map(|statement| &statement.body) {
        literal.each_sentence(false, &mut visit);
    }
    if is_read {
        return;
    }
    let errors = diagnostics.list.iter_mut().filter(|problem| problem.severity == Severity::Error);
    let mut errors: Vec<&mut Diagnostic> = errors.collect();
    statements.retain(|statement| {
        let mut is_wrong = false;
        for problem in errors.iter_mut().filter(|_| ignorable.contains(&statement.head.relation)) {
            let Span { start, end, .. } = problem.span;
            if statement.span.start <= start && end <= statement.span.end {
                problem.severity = Severity::Warning;
                is_wrong = true;
            }
        }
        !is_wrong
    });
}

struct Checker<'a> {
    keywords: &'a Keywords,
    symbols: &'a Symbols,
    diagnostics: &'a mut Diagnostics,
}

/// Calls `visit` on the head and on every sentence of the body.
fn each_sentence<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Sentence)) {
    visit(&statement.head);
    let mut visit_body = |sentence: &'a Sentence, _| visit(sentence);
    statement.body.iter().for_each(|literal| literal.each_sentence(false, &mut visit_body));
}

impl<'a> Checker<'a> {
    fn check_arities(&mut self, statements: &[Statement]) {
        let mut relations = FxHashMap::default();
        let mut functions = FxHashMap::default();
        for statement in statements {
            each_sentence(statement, &mut |sentence| {
                self.check_relation_arity(sentence, &mut relations);
                for arg in &sentence.args {
                    self.check_function_arities(arg, sentence.span, &mut functions);
                }
            });
        }
    }

    fn check_relation_arity(
        &mut self,
        sentence: &Sentence,
        seen: &mut FxHashMap<Symbol, (usize, Span)>,
    ) {
        let (name, arity) = (self.name(sentence.relation), sentence.args.len());
        if let Some(fixed) = self.keywords.arity(sentence.relation) {
            if fixed != arity {
                let message = format!("`{name}` takes {}, here it has {arity}", arguments(fixed));
                let error = Diagnostic::error("keyword-arity", sentence.span, message);
                self.diagnostics.report(error.help(usage(name)));
            }
            return;
        }
        let (first, place) = *seen.entry(sentence.relation).or_insert((arity, sentence.span));
        if first != arity {
            let message = format!(
                "the relation `{name}` has {} here and {first} elsewhere",
                arguments(arity)
            );
            let error = Diagnostic::error("relation-arity", sentence.span, message);
            let error = error.related(place, format!("with {} here", arguments(first)));
            self.diagnostics.report(error.help("give one of the two another name"));
        }
    }

    fn check_function_arities(
        &mut self,
        term: &KifTerm,
        span: Span,
        seen: &mut FxHashMap<Symbol, (usize, Span)>,
    ) {
        let KifTerm::Function(functor, args) = term else { return };
        let (name, arity) = (self.name(*functor), args.len());
        if is_keyword(name) {
            let message = format!("the keyword `{name}` is used as a function");
            let warning = Diagnostic::warning("keyword-as-function", span, message);
            self.diagnostics.report(warning.help("it has no special meaning inside a term"));
        }
        let (first, place) = *seen.entry(*functor).or_insert((arity, span));
        if first != arity {
            let message = format!(
                "the function `{name}` has {} here and {first} elsewhere",
                arguments(arity)
            );
            let warning = Diagnostic::warning("function-arity", span, message);
            let warning = warning.related(place, format!("with {} here", arguments(first)));
            self.diagnostics
                .report(warning.help("the two are different things; give one another name"));
        }
        for arg in args {
            self.check_function_arities(arg, span, seen);
        }
    }

    fn check_head(&mut self, statement: &Statement) {
        let head = &statement.head;
        let Keywords { role, holds, does, goal, .. } = *self.keywords;
        if head.relation == holds || head.relation == does {
            let name = self.name(head.relation);
            let message = format!("`{name}` cannot be concluded: it may stand in bodies only");
            let error = Diagnostic::error("keyword-in-head", head.span, message);
            let help = if head.relation == holds {
                "conclude `next` or `init`"
            } else {
                "conclude `legal`"
            };
            self.diagnostics.report(error.help(help));
        }
        if head.relation == role && !(statement.body.is_empty() && is_constant(&head.args)) {
            let message = "`role` must be given by facts that name one role each, not by rules";
            let error = Diagnostic::error("role-rule", statement.span, message);
            self.diagnostics.report(error.help("write (role name) for each role"));
        }
        if head.relation == goal {
            self.check_goal_value(head);
        }
    }

    /// The definition wants whole numbers from 0 to 100.
    fn check_goal_value(&mut self, head: &Sentence) {
        let Some(KifTerm::Constant(value)) = head.args.get(1) else { return };
        let text = self.name(*value);
        if !text.parse::<u8>().is_ok_and(|number| number <= 100) {
            let message = format!("the goal value `{text}` is not a whole number from 0 to 100");
            let warning = Diagnostic::warning("goal-value", head.span, message);
            self.diagnostics.report(warning.help("scale the values of `goal` to 0..100"));
        }
    }

    fn check_places(&mut self, statement: &'a Statement) {
        let Keywords { init, next, base, input, .. } = *self.keywords;
        let mut visit = |sentence: &'a Sentence, _| {
            let name = self.symbols.name(sentence.relation);
            let message = format!("`{name}` may stand in heads only");
            if sentence.relation == init || sentence.relation == next {
                let error = Diagnostic::error("keyword-in-body", sentence.span, message);
                self.diagnostics.report(error.help("read the state with `true`"));
            } else if sentence.relation == base || sentence.relation == input {
                let warning = Diagnostic::warning("keyword-in-body", sentence.span, message);
                self.diagnostics.report(warning.help("it is read as any other relation"));
            }
        };
        statement.body.iter().for_each(|literal| literal.each_sentence(false, &mut visit));
    }

    /// A relation that nothing concludes never holds.
    fn check_definitions(&mut self, statements: &'a [Statement]) {
        let Keywords { holds, does, .. } = *self.keywords;
        let mut known: IndexSet<Symbol, FxBuildHasher> = IndexSet::default();
        known.extend(statements.iter().map(|statement| statement.head.relation));
        let names: Vec<&str> = known.iter().map(|relation| self.symbols.name(*relation)).collect();
        known.extend([holds, does]);
        let mut visit = |sentence: &'a Sentence, _| {
            let is_full = self.diagnostics.list.len() >= MAX_DIAGNOSTICS;
            if is_full || !known.insert(sentence.relation) {
                return;
            }
            let name = self.symbols.name(sentence.relation);
            let message = format!("nothing defines the relation `{name}`, so it never holds");
            let warning = Diagnostic::warning("undefined-relation", sentence.span, message);
            let near = nearest(name, names.iter().copied());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.diagnostics
                .report(warning.help(help.unwrap_or("add facts or rules for it".into())));
        };
        for literal in statements.iter().flat_map(|statement| &statement.body) {
            literal.each_sentence(false, &mut visit);
        }
    }

    fn check_required(&mut self, statements: &[Statement]) {
        let Keywords { role, legal, terminal, goal, .. } = *self.keywords;
        let end = statements.last().map_or(Span::default(), |statement| statement.span);
        let lacks =
            |relation| !statements.iter().any(|statement| statement.head.relation == relation);
        for (relation, what) in [(role, "there are no players"), (legal, "nobody ever has a move")]
        {
            if lacks(relation) {
                let name = self.name(relation);
                let error = Diagnostic::error(
                    "missing-relation",
                    end,
                    format!("nothing defines `{name}`: {what}"),
                );
                self.diagnostics.report(error.help(usage(name)));
            }
        }
        for (relation, what) in
            [(terminal, "no contest ends"), (goal, "no state is worth anything")]
        {
            if lacks(relation) {
                let name = self.name(relation);
                let warning = Diagnostic::warning(
                    "missing-relation",
                    end,
                    format!("nothing defines `{name}`: {what}"),
                );
                self.diagnostics.report(warning.help(usage(name)));
            }
        }
    }

    fn name(&self, symbol: Symbol) -> &'a str {
        self.symbols.name(symbol)
    }
}

fn is_constant(args: &[KifTerm]) -> bool {
    matches!(args, [KifTerm::Constant(_)])
}

fn arguments(number: usize) -> String {
    format!("{number} argument{}", if number == 1 { "" } else { "s" })
}

fn usage(keyword: &str) -> String {
    let form = match keyword {
        "role" => "(role name)",
        "terminal" => "(<= terminal condition …)",
        "does" | "legal" | "input" => return format!("write ({keyword} role move)"),
        "goal" => "(<= (goal role value) condition …)",
        _ => return format!("write ({keyword} fluent)"),
    };
    format!("write {form}")
}

impl Literal {
    /// The place of the condition, or of its first part.
    pub(super) fn span(&self) -> Span {
        match self {
            Self::Sentence(sentence) => sentence.span,
            Self::Distinct(_, _, span) | Self::Not(_, span) => *span,
            Self::Or(items) | Self::And(items) => items.first().map_or(Span::default(), Self::span),
        }
    }
}
