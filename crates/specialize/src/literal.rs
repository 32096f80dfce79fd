//! Literals: conditions taken apart into what must be equal, what may be bound, and what is inside.
//!
//! In: the conditions of a body in normal form. Out: literals sorted by key, so that the few that may
//! match one another stand together. Invariant: equal keys are necessary for a match.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, Operation, PredicateId, Quantifier,
    Symbol, Term, Var, Variable, atom_vars, condition_vars, has_var,
};

use crate::normal::is_commutative;
use crate::ranging::{plain_vars, ranging_vars, surely_ranges};

/// What two literals must share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    Holds(PredicateId),
    Member(DomainId),
    Construct(Symbol, usize),
    Compare(u32),
    Arithmetic(u32),
    Elsewhere(u32, PredicateId),
    Count,
    None,
    Other,
}

impl Key {
    pub(crate) fn of_comparison(comparison: Comparison) -> Self {
        Self::Compare(comparison as u32)
    }
}

/// One condition, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    pub(crate) key: Key,
    /// Its terms outside inner bodies.
    pub(crate) terms: Vec<Term>,
    /// May the last two terms change places?
    pub(crate) is_symmetric: bool,
    pub(crate) inner: Inner,
}

/// What is inside a condition.
#[derive(Clone, Debug)]
pub(crate) enum Inner {
    Nothing,
    /// Conditions that must find their matches among those inside the other literal.
    Body(Vec<Literal>),
    /// The whole condition, and its variables that also occur outside it.
    Whole(Condition, Vec<Var>),
}

/// The literals a clause asks for: its body, and the domains of ranging variables.
pub(crate) fn asked_literals(clause: &Clause) -> Vec<Literal> {
    sorted(asked_as_written(clause))
}

/// [`asked_literals`] with the condition at one place before all others, where it is looked at first.
pub(crate) fn asked_first(clause: &Clause, place: usize) -> Vec<Literal> {
    let mut literals = asked_as_written(clause);
    let first = literals.remove(place);
    let mut literals = sorted(literals);
    literals.insert(0, first);
    literals
}

/// One literal for each condition of the body, then the domains.
fn asked_as_written(clause: &Clause) -> Vec<Literal> {
    let scope = Scope::of(clause);
    let mut literals = scope.literals(&clause.body, &atom_vars(&clause.head));
    literals.extend(scope.outer_ranging(&clause.body).filter_map(|var| scope.range(var)));
    literals
}

/// The literals a clause offers: its body, what follows from it, and the domains of variables that
/// certainly range over them.
pub(crate) fn offered_literals(clause: &Clause, ghosts: &[Condition]) -> Vec<Literal> {
    let scope = Scope::of(clause);
    let mut outside = atom_vars(&clause.head);
    outside.extend(ghosts.iter().flat_map(condition_vars));
    let mut literals = scope.literals(&clause.body, &outside);
    outside.extend(clause.body.iter().flat_map(condition_vars));
    literals.extend(scope.literals(ghosts, &outside));
    let surely = |var: &Var| surely_ranges(*var, &clause.body);
    let ranging = scope.outer_ranging(&clause.body).filter(surely);
    literals.extend(ranging.filter_map(|var| scope.range(var)));
    let weaker: Vec<Literal> = literals.iter().flat_map(weaker_literals).collect();
    literals.extend(weaker);
    sorted(literals)
}

/// The literals of a body inside a negation, which shares the variables `outside` with its clause.
pub(crate) fn inner_literals(body: &[Condition], outside: &BTreeSet<Var>) -> Option<Vec<Literal>> {
    let args = outside.iter().map(|var| Term::Var(*var)).collect();
    let head = Atom { predicate: PredicateId(0), args };
    let ranging = ranging_vars(&head, body).into_iter().filter(|var| !outside.contains(var));
    // No domain is asked for inside.
    let scope = Scope { variables: &[], ranging: ranging.collect() };
    // A local that ranges over its domain is more than its conditions say.
    let is_plain = scope.outer_ranging(body).next().is_none();
    is_plain.then(|| sorted(scope.literals(body, outside)))
}

fn sorted(mut literals: Vec<Literal>) -> Vec<Literal> {
    literals.sort_by_key(|literal| literal.key);
    literals
}

/// `X < Y` also says `X =< Y` and `X \= Y`.
fn weaker_literals(literal: &Literal) -> Vec<Literal> {
    if literal.key != Key::of_comparison(Comparison::Less) {
        return Vec::new();
    }
    let plain = |comparison, is_symmetric| Literal {
        key: Key::of_comparison(comparison),
        terms: literal.terms.clone(),
        is_symmetric,
        inner: Inner::Nothing,
    };
    vec![plain(Comparison::AtMost, false), plain(Comparison::Unequal, true)]
}

/// What the conditions of a clause are read in.
struct Scope<'c> {
    variables: &'c [Variable],
    ranging: Vec<Var>,
}

impl<'c> Scope<'c> {
    fn of(clause: &'c Clause) -> Self {
        let ranging = ranging_vars(&clause.head, &clause.body);
        Self { variables: &clause.variables, ranging }
    }

    /// The ranging variables that are not local to a negation, a count or a passage to all worlds.
    fn outer_ranging<'s>(&'s self, body: &'s [Condition]) -> impl Iterator<Item = Var> + 's {
        let is_inner = |var: Var| {
            let mut mentions = body.iter().filter(move |condition| has_var(condition, var));
            let first = mentions.next();
            mentions.next().is_none() && first.is_some_and(|one| has_inside(one, var))
        };
        self.ranging.iter().copied().filter(move |var| !is_inner(*var))
    }

    fn range(&self, var: Var) -> Option<Literal> {
        let domain = self.variables.get(usize::from(var.0))?.domain?;
        Some(Literal {
            key: Key::Member(domain),
            terms: vec![Term::Var(var)],
            is_symmetric: false,
            inner: Inner::Nothing,
        })
    }

    fn literals(&self, body: &[Condition], outside: &BTreeSet<Var>) -> Vec<Literal> {
        (0..body.len()).map(|place| self.literal(body, place, outside)).collect()
    }

    fn literal(&self, body: &[Condition], place: usize, outside: &BTreeSet<Var>) -> Literal {
        let condition = &body[place];
        let plain = |key, terms| Literal { key, terms, is_symmetric: false, inner: Inner::Nothing };
        match condition {
            Condition::Holds(atom) => plain(Key::Holds(atom.predicate), atom.args.clone()),
            Condition::Member(term, domain) => plain(Key::Member(*domain), vec![*term]),
            Condition::Construct { whole, functor, args } => {
                let terms = [*whole].into_iter().chain(args.iter().copied()).collect();
                plain(Key::Construct(*functor, args.len()), terms)
            }
            Condition::Compare(comparison, left, right) => {
                match (flat_comparison(*comparison, left, right), left) {
                    (Some(literal), _) => literal,
                    (None, Expr::Term(term)) if matches!(right, Expr::Count { .. }) => {
                        let key = Key::Count;
                        Literal { terms: vec![*term], ..whole(key, body, place, outside) }
                    }
                    _ => whole(Key::Other, body, place, outside),
                }
            }
            Condition::Elsewhere { by, quantifier, body: inside } => {
                let key = Key::Elsewhere(*quantifier as u32, by.predicate);
                if *quantifier == Quantifier::Every && self.has_ranging_local(condition) {
                    return whole(Key::Other, body, place, outside);
                }
                let mut around = around(body, place, outside);
                around.extend(atom_vars(by));
                let inner = Inner::Body(sorted(self.literals(inside, &around)));
                Literal { key, terms: by.args.clone(), is_symmetric: false, inner }
            }
            Condition::None { .. } if self.has_ranging_local(condition) => {
                whole(Key::Other, body, place, outside)
            }
            Condition::None { .. } => whole(Key::None, body, place, outside),
            Condition::AnyOf(_) => whole(Key::Other, body, place, outside),
        }
    }

    fn has_ranging_local(&self, condition: &Condition) -> bool {
        let vars = condition_vars(condition);
        self.ranging.iter().any(|var| vars.contains(var) && has_inside(condition, *var))
    }
}

/// A literal that is compared as a whole.
fn whole(key: Key, body: &[Condition], place: usize, outside: &BTreeSet<Var>) -> Literal {
    let around = around(body, place, outside);
    let vars = condition_vars(&body[place]);
    let mut outer = plain_vars(&body[place]);
    outer.extend(vars.intersection(&around));
    let inner = Inner::Whole(body[place].clone(), outer.into_iter().collect());
    Literal { key, terms: Vec::new(), is_symmetric: false, inner }
}

/// The variables that occur outside one condition of a body.
fn around(body: &[Condition], place: usize, outside: &BTreeSet<Var>) -> BTreeSet<Var> {
    let others = body.iter().enumerate().filter(|(other, _)| *other != place);
    let mut around = outside.clone();
    around.extend(others.flat_map(|(_, condition)| condition_vars(condition)));
    around
}

/// Does the variable occur in a scope of its own inside the condition, and not beside it?
fn has_inside(condition: &Condition, var: Var) -> bool {
    match condition {
        Condition::None { .. } | Condition::AnyOf(_) => true,
        Condition::Compare(..) => !plain_vars(condition).contains(&var),
        Condition::Elsewhere { by, quantifier, .. } => {
            *quantifier == Quantifier::Every && !atom_vars(by).contains(&var)
        }
        Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => false,
    }
}

/// A comparison of plain terms, or an equation with one operation on plain terms.
fn flat_comparison(comparison: Comparison, left: &Expr, right: &Expr) -> Option<Literal> {
    let Expr::Term(left) = left else { return None };
    let literal = |key, terms, is_symmetric| {
        Some(Literal { key, terms, is_symmetric, inner: Inner::Nothing })
    };
    match right {
        Expr::Term(right) => {
            let is_symmetric = matches!(comparison, Comparison::Equal | Comparison::Unequal);
            literal(Key::of_comparison(comparison), vec![*left, *right], is_symmetric)
        }
        Expr::Binary(operation, first, second) if comparison == Comparison::Equal => {
            let (Expr::Term(first), Expr::Term(second)) = (&**first, &**second) else {
                return None;
            };
            let key = arithmetic_key(*operation);
            literal(key, vec![*left, *first, *second], is_commutative(*operation))
        }
        _ => None,
    }
}

fn arithmetic_key(operation: Operation) -> Key {
    Key::Arithmetic(operation as u32)
}
