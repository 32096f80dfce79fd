//! Wording: the text of values, facts and moves.
//!
//! In: values. Out: text as a rules file would write it, or as the author's own language does.

use std::fmt::Debug;

use rulesmith_logic::{Symbols, Value};

use crate::theory::{FluentId, MoveId};

/// How an author's own language writes facts and moves, when it is not ours.
pub trait Wording: Debug + Send + Sync {
    /// A fact of the state: the arguments of the fluent's predicate.
    fn fact(&self, symbols: &Symbols, fluent: FluentId, args: &[Value]) -> String;
    /// A move and its arguments.
    fn step(&self, symbols: &Symbols, kind: MoveId, args: &[Value]) -> String;
    /// The facts a text names, or why it cannot be read.
    fn parse_facts(
        &self,
        symbols: &mut Symbols,
        text: &str,
    ) -> Result<Vec<(FluentId, Vec<Value>)>, String>;
}

/// The text of a value as a rules file writes it.
pub fn value_text(symbols: &Symbols, value: Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Symbol(symbol) => name_text(symbols.name(symbol)),
        Value::Compound(compound) => {
            let (functor, args) = symbols.parts(compound);
            applied_text(symbols, symbols.name(functor), args)
        }
    }
}

/// A name applied to values; a name alone without any, a tuple without a name.
pub fn applied_text(symbols: &Symbols, name: &str, args: &[Value]) -> String {
    let name = if name.is_empty() { String::new() } else { name_text(name) };
    if args.is_empty() && !name.is_empty() {
        return name;
    }
    let args: Vec<String> = args.iter().map(|arg| value_text(symbols, *arg)).collect();
    format!("{name}({})", args.join(", "))
}

/// A name as it must be written: quoted unless it is a plain one.
pub fn name_text(name: &str) -> String {
    let mut characters = name.chars();
    let is_plain = characters.next().is_some_and(|first| first.is_ascii_lowercase())
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
        && !matches!(name, "not" | "none" | "count" | "undefined" | "div" | "mod");
    if is_plain {
        return name.to_owned();
    }
    if name == crate::theory::UNDEFINED {
        return "undefined".to_owned();
    }
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}
