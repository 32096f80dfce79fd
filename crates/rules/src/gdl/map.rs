//! The way back: facts and moves of a theory as KIF text.
//!
//! In: fluents, moves and values of the theory. Out: the terms the author would write, and the facts
//! that such terms name. Invariant: what is printed here reads back to the same fact.

use rulesmith_logic::{Symbol, Symbols, Value};

use super::kif::{Expression, ExpressionKind, read};
use super::{GdlLimits, LetterCase};
use crate::source::Diagnostics;
use crate::theory::{FluentId, MoveId};
use crate::wording::Wording;

/// Functors and argument orders of the author's fluents and moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GdlMap {
    /// The kinds of fluents by number.
    pub fluents: Vec<Kind>,
    /// The kinds of moves by number.
    pub moves: Vec<Kind>,
    /// How texts were read.
    pub letter_case: LetterCase,
}

/// A kind of fluent or move as the author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its functor, or the whole of it when it has no arguments; the theory may have another name
    /// for it. `None` where the one argument is the whole of it: a constant among many.
    pub functor: Option<Symbol>,
    /// For each argument of the theory its place in the author's term.
    pub order: Vec<usize>,
}

impl GdlMap {
    /// A fact of a state as KIF text; `args` are those of the fluent's predicate, the value last.
    pub fn fluent_kif(&self, symbols: &Symbols, fluent: FluentId, args: &[Value]) -> String {
        self.fluents[fluent.0].kif(symbols, args)
    }

    /// A move as KIF text, without the role.
    pub fn move_kif(&self, symbols: &Symbols, kind: MoveId, args: &[Value]) -> String {
        self.moves[kind.0].kif(symbols, args)
    }

    /// The fluent that a term names, and its arguments in the order of the theory.
    fn fluent_of(
        &self,
        symbols: &mut Symbols,
        term: &Expression,
    ) -> Option<(FluentId, Vec<Value>)> {
        let value = to_value(symbols, term)?;
        let (functor, args) = match value {
            Value::Compound(compound) => {
                let (functor, args) = symbols.parts(compound);
                (functor, args.to_vec())
            }
            Value::Symbol(functor) => (functor, Vec::new()),
            Value::Int(_) => return None,
        };
        let (number, args) = find_kind(&self.fluents, functor, args)?;
        let ordered = self.fluents[number].order.iter().map(|place| args[*place]).collect();
        Some((FluentId(number), ordered))
    }
}

impl Kind {
    fn kif(&self, symbols: &Symbols, args: &[Value]) -> String {
        let mut texts = vec![String::new(); self.order.len()];
        for (arg, place) in args.iter().zip(&self.order) {
            texts[*place] = value_kif(symbols, *arg);
        }
        match self.functor {
            Some(functor) => applied_kif(symbols.name(functor), &texts),
            None => texts.concat(),
        }
    }
}

/// The kind with this functor and number of arguments, or that of all constants.
fn find_kind(kinds: &[Kind], functor: Symbol, args: Vec<Value>) -> Option<(usize, Vec<Value>)> {
    let is_same = |kind: &Kind| kind.functor == Some(functor) && kind.order.len() == args.len();
    if let Some(number) = kinds.iter().position(is_same) {
        return Some((number, args));
    }
    let number = kinds.iter().position(|kind| kind.functor.is_none() && args.is_empty())?;
    Some((number, vec![Value::Symbol(functor)]))
}

/// A value as KIF text.
pub fn value_kif(symbols: &Symbols, value: Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Symbol(name) => symbols.name(name).to_owned(),
        Value::Compound(compound) => {
            let (functor, args) = symbols.parts(compound);
            let texts: Vec<String> = args.iter().map(|arg| value_kif(symbols, *arg)).collect();
            applied_kif(symbols.name(functor), &texts)
        }
    }
}

fn applied_kif(functor: &str, args: &[String]) -> String {
    if args.is_empty() { functor.to_owned() } else { format!("({functor} {})", args.join(" ")) }
}

fn to_value(symbols: &mut Symbols, term: &Expression) -> Option<Value> {
    let items = match &term.kind {
        ExpressionKind::Word(word) if word.starts_with('?') => return None,
        ExpressionKind::Word(word) => return Some(Value::Symbol(symbols.symbol(word))),
        ExpressionKind::List(items) => items,
    };
    let (first, args) = items.split_first()?;
    let ExpressionKind::Word(functor) = &first.kind else { return None };
    let functor = symbols.symbol(functor);
    let args = args.iter().map(|arg| to_value(symbols, arg)).collect::<Option<Vec<_>>>()?;
    Some(if args.is_empty() { Value::Symbol(functor) } else { symbols.compound(functor, &args) })
}

impl Wording for GdlMap {
    fn fact(&self, symbols: &Symbols, fluent: FluentId, args: &[Value]) -> String {
        self.fluent_kif(symbols, fluent, args)
    }

    fn step(&self, symbols: &Symbols, kind: MoveId, args: &[Value]) -> String {
        self.move_kif(symbols, kind, args)
    }

    fn parse_facts(
        &self,
        symbols: &mut Symbols,
        text: &str,
    ) -> Result<Vec<(FluentId, Vec<Value>)>, String> {
        let mut diagnostics = Diagnostics::default();
        let limits = GdlLimits { letter_case: self.letter_case, ..GdlLimits::default() };
        let Some(terms) = read(text, 0, &limits, &mut diagnostics) else {
            let first = diagnostics.list.into_iter().next();
            return Err(
                first.map_or("the text cannot be read".to_owned(), |problem| problem.message)
            );
        };
        let fact = |term: &Expression| {
            let term = without_true(term);
            let start = term.span.start as usize;
            let end = term.span.end as usize;
            self.fluent_of(symbols, term)
                .ok_or_else(|| format!("`{}` is no fact of this game", &text[start..end]))
        };
        terms.iter().map(fact).collect()
    }
}

/// `(true fact)` is the fact.
fn without_true(term: &Expression) -> &Expression {
    match &term.kind {
        ExpressionKind::List(items) => match items.as_slice() {
            [Expression { kind: ExpressionKind::Word(word), .. }, fact] if word == "true" => fact,
            _ => term,
        },
        ExpressionKind::Word(_) => term,
    }
}
