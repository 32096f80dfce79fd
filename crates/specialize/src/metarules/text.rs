//! Metarules as text, in the look of the rules language.
//!
//! In: metarules, conditions, values. Out: the text a person reads and `saved` reads back.
//! Invariant: two different values never have the same text.

use std::fmt::Write;

use rulesmith_logic::{Comparison, Condition, Expr, Operation, Symbols, Term, Value, Var};

use super::dependency::{Consequence, Metarule};
use crate::static_facts::StaticFacts;

/// The text of a ground value.
pub(crate) fn value_text(symbols: &Symbols, value: Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Symbol(symbol) => name_text(symbols.name(symbol)),
        Value::Compound(compound) => {
            let (functor, args) = symbols.parts(compound);
            let args: Vec<String> = args.iter().map(|arg| value_text(symbols, *arg)).collect();
            let functor = symbols.name(functor);
            let functor = if functor.is_empty() { String::new() } else { name_text(functor) };
            format!("{functor}({})", args.join(","))
        }
    }
}

/// A name as it stands if it is a plain one, in quotes otherwise.
pub(crate) fn name_text(name: &str) -> String {
    let mut letters = name.chars();
    let is_plain = letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain { name.to_owned() } else { format!("'{}'", name.escape_default()) }
}

/// The text of a metarule, such as `impossible :- connected(X, X).`
pub fn metarule_text(metarule: &Metarule, facts: &StaticFacts) -> String {
    let printer = Printer { facts, metarule };
    let consequence = match &metarule.consequence {
        Consequence::Impossible => "impossible".to_owned(),
        Consequence::Equal(left, right) => {
            format!("{} = {}", printer.term(*left), printer.term(*right))
        }
        Consequence::Holds(condition) => format!("useless {}", printer.condition(condition)),
        Consequence::HasMatch(condition) => {
            format!("useless some {}", printer.condition(condition))
        }
        Consequence::Within(var, values) => {
            let values: Vec<String> =
                values.iter().map(|value| printer.term(Term::Value(*value))).collect();
            format!("{} in {{{}}}", printer.term(Term::Var(*var)), values.join(", "))
        }
    };
    if metarule.body.is_empty() {
        return format!("{consequence}.");
    }
    format!("{consequence} :- {}.", printer.body(&metarule.body))
}

struct Printer<'p> {
    facts: &'p StaticFacts,
    metarule: &'p Metarule,
}

impl Printer<'_> {
    fn body(&self, body: &[Condition]) -> String {
        body.iter().map(|part| self.condition(part)).collect::<Vec<_>>().join(", ")
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Holds(atom) => {
                let name = name_text(self.facts.name(atom.predicate));
                format!("{name}({})", self.terms(&atom.args))
            }
            Condition::Compare(comparison, left, right) => {
                let sign = comparison_sign(*comparison);
                format!("{} {sign} {}", self.expr(left), self.expr(right))
            }
            Condition::Member(term, domain) => {
                let domain = self.facts.domain(*domain).map_or("?", |domain| domain.name.as_str());
                format!("{} in {}", self.term(*term), name_text(domain))
            }
            Condition::None { locals, body } => {
                let locals: Vec<String> =
                    locals.iter().map(|var| self.term(Term::Var(*var))).collect();
                format!("none {{{} : {}}}", locals.join(", "), self.body(body))
            }
            Condition::Construct { whole, functor, args } => {
                let symbols = self.facts.symbols().borrow();
                let functor = name_text(symbols.name(*functor));
                format!("{} = {functor}({})", self.term(*whole), self.terms(args))
            }
            Condition::AnyOf(branches) => {
                let branches: Vec<String> =
                    branches.iter().map(|branch| self.body(branch)).collect();
                format!("({})", branches.join(" ; "))
            }
            Condition::Elsewhere { by, body, .. } => {
                let by = format!("{}({})", self.facts.name(by.predicate), self.terms(&by.args));
                format!("after {by} {{{}}}", self.body(body))
            }
        }
    }

    fn terms(&self, terms: &[Term]) -> String {
        terms.iter().map(|term| self.term(*term)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Term(term) => self.term(*term),
            Expr::Binary(operation, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                format!("{left} {} {right}", operation_sign(*operation))
            }
            Expr::Count { counted, body } => {
                let mut text = String::from("count {");
                for var in counted {
                    let _ = write!(text, "{} ", self.term(Term::Var(*var)));
                }
                text + ": " + &self.body(body) + "}"
            }
        }
    }

    fn term(&self, term: Term) -> String {
        match term {
            Term::Var(var) => self.variable(var),
            Term::Value(value) => value_text(&self.facts.symbols().borrow(), value),
        }
    }

    fn variable(&self, var: Var) -> String {
        let variable = self.metarule.variables.get(usize::from(var.0));
        variable.map_or_else(|| format!("X{}", var.0), |variable| variable.name.clone())
    }
}

/// How a comparison is written.
fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::Unequal => "\\=",
        Comparison::Less => "<",
        Comparison::AtMost => "=<",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}

/// How an operation is written between its operands.
fn operation_sign(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "+",
        Operation::Sub => "-",
        Operation::Mul => "*",
        Operation::Div => "div",
        Operation::Mod => "mod",
        Operation::Min => "min",
        Operation::Max => "max",
    }
}
