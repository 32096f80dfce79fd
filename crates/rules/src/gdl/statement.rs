//! Statements: what the lists of a `.kif` text say, before anything is checked.
//!
//! In: expressions. Out: facts and rules, their variables numbered. Invariant: a statement has a
//! sentence as its head, and `distinct`, `not` and `or` have the arguments they need.

use indexmap::IndexSet;
use rulesmith_logic::{Span, Symbol, Symbols};
use rustc_hash::FxBuildHasher;

use super::GdlLimits;
use super::keyword::Keywords;
use super::kif::{Expression, ExpressionKind};
use crate::source::{Diagnostic, Diagnostics};

/// A term of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum KifTerm {
    /// A variable of the rule, numbered from zero.
    Variable(u32),
    /// A name or numeral.
    Constant(Symbol),
    /// A function name with at least one argument.
    Function(Symbol, Vec<KifTerm>),
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) relation: Symbol,
    pub(super) args: Vec<KifTerm>,
    pub(super) span: Span,
}

/// One condition of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Sentence(Sentence),
    Distinct(KifTerm, KifTerm, Span),
    Not(Box<Literal>, Span),
    Or(Vec<Literal>),
    And(Vec<Literal>),
}

/// A fact (without body) or a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) head: Sentence,
    pub(super) body: Vec<Literal>,
    /// The variables by number, as written, with the question mark.
    pub(super) variables: Vec<String>,
    pub(super) span: Span,
}

/// Reads every expression as a statement; those that are none are reported and left out.
pub(super) fn read_statements(
    expressions: &[Expression],
    keywords: &Keywords,
    symbols: &mut Symbols,
    limits: &GdlLimits,
    diagnostics: &mut Diagnostics,
) -> Vec<Statement> {
    let mut reader = Reader {
        keywords,
        symbols,
        diagnostics,
        variables: IndexSet::default(),
        and_is_plain: expressions.iter().any(defines_and),
    };
    let mut statements = Vec::new();
    for expression in expressions {
        reader.variables.clear();
        let statement = reader.statement(expression);
        statements.extend(statement.filter(|statement| reader.is_within(statement, limits)));
    }
    statements
}

/// Does the text define a relation named `and`? Then `(and …)` is that relation, as the community's
/// reasoner has it.
fn defines_and(expression: &Expression) -> bool {
    let ExpressionKind::List(items) = &expression.kind else { return false };
    match items.as_slice() {
        [first, head, ..] if is_word(first, "<=") => starts_with(head, "and"),
        _ => starts_with(expression, "and"),
    }
}

fn starts_with(expression: &Expression, word: &str) -> bool {
    match &expression.kind {
        ExpressionKind::Word(text) => text == word,
        ExpressionKind::List(items) => items.first().is_some_and(|first| is_word(first, word)),
    }
}

fn is_word(expression: &Expression, word: &str) -> bool {
    matches!(&expression.kind, ExpressionKind::Word(text) if text == word)
}

struct Reader<'a> {
    keywords: &'a Keywords,
    symbols: &'a mut Symbols,
    diagnostics: &'a mut Diagnostics,
    /// The variables of the statement being read.
    variables: IndexSet<String, FxBuildHasher>,
    and_is_plain: bool,
}

impl Reader<'_> {
    fn statement(&mut self, expression: &Expression) -> Option<Statement> {
        let (head, body) = match &expression.kind {
            ExpressionKind::List(items)
                if items.first().is_some_and(|first| is_word(first, "<=")) =>
            {
                let Some(head) = items.get(1) else {
                    let help = "write (<= head condition …)";
                    return self.refuse(expression.span, "this rule has no head", help);
                };
                (head, &items[2..])
            }
            _ => (expression, &[][..]),
        };
        let head = self.head(head)?;
        let body = body.iter().map(|item| self.literal(item)).collect::<Option<Vec<_>>>()?;
        let variables = std::mem::take(&mut self.variables).into_iter().collect();
        Some(Statement { head, body, variables, span: expression.span })
    }

    fn head(&mut self, expression: &Expression) -> Option<Sentence> {
        let head = self.sentence(expression)?;
        let Keywords { distinct, not, or, follows, .. } = *self.keywords;
        if [distinct, not, or, follows].contains(&head.relation) {
            let name = self.symbols.name(head.relation).to_owned();
            let message = format!("`{name}` cannot be concluded: a head is a single relation");
            let help = "write one rule for each relation that is to be concluded";
            return self.refuse(head.span, &message, help);
        }
        Some(head)
    }

    fn literal(&mut self, expression: &Expression) -> Option<Literal> {
        let span = expression.span;
        let ExpressionKind::List(items) = &expression.kind else {
            return self.sentence(expression).map(Literal::Sentence);
        };
        let word = match items.first().map(|first| &first.kind) {
            Some(ExpressionKind::Word(word)) => self.symbols.symbol(word),
            _ => return self.sentence(expression).map(Literal::Sentence),
        };
        let Keywords { distinct, not, or, and, follows, .. } = *self.keywords;
        match &items[1..] {
            [left, right] if word == distinct => {
                Some(Literal::Distinct(self.term(left)?, self.term(right)?, span))
            }
            _ if word == distinct => {
                self.refuse(span, "`distinct` compares two terms", "write (distinct term term)")
            }
            [negated] if word == not => Some(Literal::Not(Box::new(self.literal(negated)?), span)),
            _ if word == not => self.refuse(
                span,
                "`not` negates one condition",
                "write one `not` for each condition",
            ),
            items if word == or => Some(Literal::Or(self.literals(items)?)),
            items if word == and && !self.and_is_plain => Some(Literal::And(self.literals(items)?)),
            _ if word == follows => self.refuse(
                span,
                "a rule stands inside a rule",
                "close the parentheses before `(<=`",
            ),
            _ => self.sentence(expression).map(Literal::Sentence),
        }
    }

    fn literals(&mut self, items: &[Expression]) -> Option<Vec<Literal>> {
        items.iter().map(|item| self.literal(item)).collect()
    }

    fn sentence(&mut self, expression: &Expression) -> Option<Sentence> {
        let span = expression.span;
        match self.term(expression)? {
            KifTerm::Constant(relation) => Some(Sentence { relation, args: Vec::new(), span }),
            KifTerm::Function(relation, args) => Some(Sentence { relation, args, span }),
            KifTerm::Variable(_) => {
                let help = "write the relation's name; a variable may only stand for a term";
                self.refuse(span, "a variable stands where a relation is needed", help)
            }
        }
    }

    fn term(&mut self, expression: &Expression) -> Option<KifTerm> {
        let items = match &expression.kind {
            ExpressionKind::Word(word) if word.starts_with('?') => {
                return Some(KifTerm::Variable(self.variable(word)));
            }
            ExpressionKind::Word(word) => {
                return Some(KifTerm::Constant(self.symbols.symbol(word)));
            }
            ExpressionKind::List(items) => items,
        };
        let functor = match items.first().map(|first| &first.kind) {
            Some(ExpressionKind::Word(word)) if !word.starts_with('?') => self.symbols.symbol(word),
            _ => {
                let help = "write the name first: (name argument …)";
                return self.refuse(expression.span, "a list must start with a name", help);
            }
        };
        let args = items[1..].iter().map(|item| self.term(item)).collect::<Option<Vec<_>>>()?;
        // `(f)` is `f`, as in the definition, where a function has at least one argument.
        Some(if args.is_empty() {
            KifTerm::Constant(functor)
        } else {
            KifTerm::Function(functor, args)
        })
    }

    fn variable(&mut self, name: &str) -> u32 {
        let (number, _) = self.variables.insert_full(name.to_owned());
        u32::try_from(number).expect("a text within its limit has fewer than 2^32 variables")
    }

    fn is_within(&mut self, statement: &Statement, limits: &GdlLimits) -> bool {
        let mut n_conditions = 0;
        statement.body.iter().for_each(|literal| n_conditions += literal.size());
        let sizes = [
            ("variables", statement.variables.len(), limits.variables),
            ("conditions", n_conditions, limits.conditions),
        ];
        for (name, size, limit) in sizes.into_iter().filter(|(_, size, limit)| size > limit) {
            let message = format!("this rule has {size} {name}, the limit `{name}` is {limit}");
            let help = format!("split the rule, or raise the limit `{name}`");
            self.diagnostics.report(Diagnostic::error("limit", statement.span, message).help(help));
        }
        sizes.iter().all(|(_, size, limit)| size <= limit)
    }

    fn refuse<T>(&mut self, span: Span, message: &str, help: &str) -> Option<T> {
        self.diagnostics.report(Diagnostic::error("malformed-rule", span, message).help(help));
        None
    }
}

impl KifTerm {
    /// Calls `visit` on every variable, from left to right.
    pub(super) fn each_variable(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Constant(_) => {}
            Self::Function(_, args) => args.iter().for_each(|arg| arg.each_variable(visit)),
        }
    }

    /// The term with every variable replaced.
    pub(super) fn map_variables(&self, replace: &dyn Fn(u32) -> KifTerm) -> KifTerm {
        match self {
            Self::Variable(variable) => replace(*variable),
            Self::Constant(_) => self.clone(),
            Self::Function(functor, args) => {
                let args = args.iter().map(|arg| arg.map_variables(replace)).collect();
                Self::Function(*functor, args)
            }
        }
    }
}

impl Literal {
    /// Calls `visit` on every sentence; the flag says whether it stands under an odd number of `not`.
    pub(super) fn each_sentence<'a>(
        &'a self,
        is_negated: bool,
        visit: &mut dyn FnMut(&'a Sentence, bool),
    ) {
        match self {
            Self::Sentence(sentence) => visit(sentence, is_negated),
            Self::Distinct(..) => {}
            Self::Not(inner, _) => inner.each_sentence(!is_negated, visit),
            Self::Or(items) | Self::And(items) => {
                for item in items {
                    item.each_sentence(is_negated, visit);
                }
            }
        }
    }

    /// How many sentences and comparisons it holds.
    fn size(&self) -> usize {
        match self {
            Self::Sentence(_) | Self::Distinct(..) => 1,
            Self::Not(inner, _) => inner.size(),
            Self::Or(items) | Self::And(items) => 1 + items.iter().map(Self::size).sum::<usize>(),
        }
    }

    /// Calls `visit` on every variable.
    pub(super) fn each_variable(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Self::Sentence(sentence) => sentence.each_variable(visit),
            Self::Distinct(left, right, _) => {
                left.each_variable(visit);
                right.each_variable(visit);
            }
            Self::Not(inner, _) => inner.each_variable(visit),
            Self::Or(items) | Self::And(items) => {
                for item in items {
                    item.each_variable(visit);
                }
            }
        }
    }
}

impl Sentence {
    /// Calls `visit` on every variable.
    pub(super) fn each_variable(&self, visit: &mut dyn FnMut(u32)) {
        self.args.iter().for_each(|arg| arg.each_variable(visit));
    }
}
