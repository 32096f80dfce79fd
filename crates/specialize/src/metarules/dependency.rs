//! One dependency language for all metarules: a body, and what follows wherever the body holds.
//!
//! In: a conjunction of flat conditions and a consequence. Out: a metarule with its proof, where it
//! came from, and how often it was of use. Impossibility, monovaluation and useless conditions are
//! the same thing with different consequences. Paper: metameta §2. Invariant: a dependency is closed
//! under instantiation, so no guard asks whether a term is a variable; a metarule made by
//! [`Metarule::new`] is in canonical form, and two that say the same have the same key.
// DIVERGENCE metameta §3.1: the printed metarules guard with `var` and `\==`; without the guards they
// are still true and apply to more clauses.

use std::sync::atomic::{AtomicU64, Ordering};

use rulesmith_logic::{Comparison, Condition, Expr, Term, Value, Var, Variable};

use super::canonical::{Key, canonical, variable_name};
use super::reading::reading_order;
use crate::static_facts::Digest;

/// What follows wherever the body of a metarule holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Consequence {
    /// Nothing: the body never holds.
    Impossible,
    /// The two terms are always the same value.
    Equal(Term, Term),
    /// The condition always holds, so it is useless beside the body.
    Holds(Condition),
    /// The condition always has a match; its variables that the body does not have are free.
    HasMatch(Condition),
    /// The variable takes no value but these, which are sorted.
    Within(Var, Vec<Value>),
}

impl Consequence {
    /// The consequence as a condition over the variables of the body.
    pub(crate) fn as_condition(&self) -> Option<Condition> {
        let equal = |left: Term, right: Term| {
            Condition::Compare(Comparison::Equal, Expr::Term(left), Expr::Term(right))
        };
        match self {
            Self::Impossible => None,
            Self::Equal(left, right) => Some(equal(*left, *right)),
            Self::Holds(condition) | Self::HasMatch(condition) => Some(condition.clone()),
            Self::Within(var, values) => {
                let branch = |value: &Value| vec![equal(Term::Var(*var), Term::Value(*value))];
                Some(Condition::AnyOf(values.iter().map(branch).collect()))
            }
        }
    }

    /// A number for each kind, part of the canonical key.
    pub(crate) fn kind(&self) -> u32 {
        match self {
            Self::Impossible => 1,
            Self::Equal(..) => 2,
            Self::Holds(_) => 3,
            Self::HasMatch(_) => 4,
            Self::Within(..) => 5,
        }
    }

    /// The consequence with its variables renamed.
    pub(crate) fn renamed(&self, rename: &dyn Fn(Var) -> Term) -> Self {
        use rulesmith_logic::{substitute, substitute_term};
        match self {
            Self::Impossible => Self::Impossible,
            Self::Equal(left, right) => {
                let (left, right) =
                    (substitute_term(*left, rename), substitute_term(*right, rename));
                // The smaller first: an equation has no direction.
                Self::Equal(left.min(right), left.max(right))
            }
            Self::Holds(condition) => Self::Holds(substitute(condition, rename)),
            Self::HasMatch(condition) => Self::HasMatch(substitute(condition, rename)),
            Self::Within(var, values) => match rename(*var) {
                Term::Var(var) => Self::Within(var, values.clone()),
                Term::Value(_) => Self::Within(*var, values.clone()),
            },
        }
    }
}

/// Why a metarule may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// True of every theory.
    General,
    /// Its author says so; nothing has proved it.
    Declared,
    /// Matched against the complete static facts with this digest.
    Static(Digest),
    /// Proved inductive over all moves of the theory whose static facts have this digest.
    Inductive(Digest),
}

/// Where a metarule came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An eagerly enumerated pattern of so many conditions.
    Pattern {
        /// How many conditions the pattern has.
        conditions: usize,
    },
    /// Found in a clause, minimized and generalized.
    Clause {
        /// How many static conditions the clause had.
        conditions: usize,
        /// How many match tests it took to minimize them, the first one included.
        tests: usize,
    },
    /// Found with others by induction over the moves.
    Induction,
    /// Follows from the definition of an object.
    Object,
    /// Written by the author of the rules.
    Author,
}

/// The families of metarules that can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Built in, true of every theory.
    General,
    /// Generated: condition sets that never match, and values a variable never takes.
    Impossibility,
    /// Generated: variables that are always the same.
    Monovaluation,
    /// Generated: conditions that always hold beside others.
    Useless,
    /// Proved over fluents and objects.
    Invariant,
    /// Declared by an author and not proved.
    Declared,
}

/// In what way a metarule was of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A clause was found impossible.
    Kill,
    /// Two terms became one, or a variable got fewer values.
    Unification,
    /// An implied condition was noted.
    Ghost,
    /// A useless condition was removed.
    Removal,
}

/// How often a metarule was of use. Counts are sums, so they do not depend on the order of work.
#[derive(Debug, Default)]
pub struct Uses([AtomicU64; 4]);

impl Uses {
    /// Counts one use.
    pub fn count(&self, way: Use) {
        self.0[way as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How often it was of use in this way.
    pub fn of(&self, way: Use) -> u64 {
        self.0[way as usize].load(Ordering::Relaxed)
    }

    /// How often it was of use at all.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

impl Clone for Uses {
    fn clone(&self) -> Self {
        Self(std::array::from_fn(|way| AtomicU64::new(self.0[way].load(Ordering::Relaxed))))
    }
}

/// A rule about clauses: wherever the body holds, so does the consequence.
#[derive(Clone, Debug)]
pub struct Metarule {
    /// What must be in a clause.
    pub body: Vec<Condition>,
    /// The variables of body and consequence, named in canonical order.
    pub variables: Vec<Variable>,
    /// What follows.
    pub consequence: Consequence,
    /// Why it is true.
    pub proof: Proof,
    /// Where it came from.
    pub origin: Origin,
    /// How often it was of use.
    pub uses: Uses,
    key: Key,
}

impl Metarule {
    /// A metarule in canonical form, not used yet.
    pub fn new(
        body: &[Condition],
        consequence: &Consequence,
        proof: Proof,
        origin: Origin,
    ) -> Self {
        let form = canonical(body, consequence);
        let (body, consequence) = reading_order(&form.body, &form.consequence);
        let variables = (0..form.n_variables)
            .map(|number| Variable { name: variable_name(number), domain: None })
            .collect();
        Self { body, variables, consequence, proof, origin, uses: Uses::default(), key: form.key }
    }

    /// The family it is switched on and off with.
    pub fn family(&self) -> Family {
        match (self.proof, &self.consequence) {
            (Proof::General, _) => Family::General,
            (Proof::Declared, _) => Family::Declared,
            (Proof::Inductive(_), _) => Family::Invariant,
            (_, Consequence::Impossible | Consequence::Within(..)) => Family::Impossibility,
            (_, Consequence::Equal(..)) => Family::Monovaluation,
            (_, Consequence::Holds(_) | Consequence::HasMatch(_)) => Family::Useless,
        }
    }

    /// Do both say the same, whatever their proofs?
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
