//! Values, symbols and terms: the alphabet every clause is written in.
//!
//! In: names, integers and ground compound terms. Out: small copyable ids for them.
//! Invariant: two values are equal exactly when their texts are; clauses hold no function terms, a
//! compound is always ground and interned here.

use std::cmp::Ordering;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

/// An interned ground compound term, such as `sq(a, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Compound(u32);

/// A ground term: what a variable may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A bounded integer.
    Int(i32),
    /// A name.
    Symbol(Symbol),
    /// A ground compound term.
    Compound(Compound),
}

impl Value {
    /// A number that no other value has, less than 2 to the power of 34.
    pub(crate) fn bits(self) -> u64 {
        let (kind, number) = match self {
            Self::Int(number) => (0, number.cast_unsigned()),
            Self::Symbol(Symbol(number)) => (1, number),
            Self::Compound(Compound(number)) => (2, number),
        };
        kind << 32 | u64::from(number)
    }
}

/// A variable of one clause, numbered from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u16);

/// An argument of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A variable of the clause.
    Var(Var),
    /// A ground value.
    Value(Value),
}

type Interned<T> = IndexSet<T, FxBuildHasher>;

/// The interner: names and ground compound terms by id.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Interned<Box<str>>,
    compounds: Interned<(Symbol, Box<[Value]>)>,
}

impl Symbols {
    /// The symbol of a name, interned on first use.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(found) = self.find(name) {
            return found;
        }
        let (index, _) = self.names.insert_full(name.into());
        Symbol(to_id(index))
    }

    /// The symbol of a name, if it was interned before.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(to_id(index)))
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The value of a ground compound term, interned on first use. A product tuple has the empty functor.
    pub fn compound(&mut self, functor: Symbol, args: &[Value]) -> Value {
        let (index, _) = self.compounds.insert_full((functor, args.into()));
        Value::Compound(Compound(to_id(index)))
    }

    /// Functor and arguments of a compound term.
    pub fn parts(&self, compound: Compound) -> (Symbol, &[Value]) {
        let (functor, args) = &self.compounds[compound.0 as usize];
        (*functor, args)
    }

    /// How many compound terms were interned.
    pub fn n_compounds(&self) -> usize {
        self.compounds.len()
    }

    /// The value of another interner, which has the same names, as this one has it.
    pub fn adopt(&mut self, value: Value, from: &Self) -> Value {
        let Value::Compound(compound) = value else { return value };
        let (functor, args) = from.parts(compound);
        let args: Vec<Value> = args.iter().map(|arg| self.adopt(*arg, from)).collect();
        self.compound(functor, &args)
    }

    /// A total order that does not depend on when compounds were interned: integers, then names in
    /// the order of their first mention, then compounds by functor and arguments.
    pub fn compare(&self, left: Value, right: Value) -> Ordering {
        match (left, right) {
            (Value::Compound(a), Value::Compound(b)) if a != b => {
                let ((f, xs), (g, ys)) = (self.parts(a), self.parts(b));
                f.cmp(&g).then(xs.len().cmp(&ys.len())).then_with(|| self.compare_rows(xs, ys))
            }
            _ => left.cmp(&right),
        }
    }

    /// `compare`, argument by argument.
    pub fn compare_rows(&self, left: &[Value], right: &[Value]) -> Ordering {
        let unequal = left.iter().zip(right).map(|(&a, &b)| self.compare(a, b));
        unequal.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
    }
}

fn to_id(index: usize) -> u32 {
    u32::try_from(index).expect("interned fewer than 2^32 terms, memory ends long before")
}
