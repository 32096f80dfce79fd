//! Theta-subsumption: all substitutions that map the body of a metarule into the body of a clause.
//!
//! In: a pattern and the conditions of a clause. Out: each substitution, with the condition that each
//! part of the pattern fell on. Invariant: every found substitution is sound; two variables of the
//! pattern may map to one term and a variable may map to a value. A comparison that becomes true of
//! values needs no condition to fall on. Work is bounded by [`STEPS_LIMIT`]; beyond it substitutions
//! may be missed, which loses a simplification and nothing else.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Flow, Operation, Term, Value, Var, apply, condition_vars,
};

use rustc_hash::FxHasher;

use super::canonical::mirrored;

/// How many pairs of conditions are compared for one pattern and one clause.
const STEPS_LIMIT: usize = 20_000;

/// What each variable of a pattern stands for.
pub(crate) type Binding = Vec<Option<Term>>;

/// A pattern ready to be matched: conditions in an order that binds variables early.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    conditions: Vec<Condition>,
    /// The kind of each.
    kinds: Vec<u32>,
    n_variables: usize,
    signature: Signature,
}

/// The conditions of a clause ready to be matched against.
pub(crate) struct Target<'a> {
    /// By kind, so that a search meets none of another; those of one kind as they stand in the clause.
    conditions: Vec<Candidate<'a>>,
    signature: Signature,
}

/// A condition of a clause that conditions of a pattern may fall on.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    kind: u32,
    /// Where it stands in the clause.
    place: usize,
    condition: &'a Condition,
}

/// At a glance: what conditions mention. A pattern whose bits are not all among a target's does not fall on it.
#[derive(Clone, Copy, Debug, Default)]
struct Signature {
    /// Kinds of conditions.
    kinds: u64,
    /// Values, with the predicate and the place they stand in.
    values: u64,
}

/// A substitution and where the pattern's conditions fell; `None` for a true comparison of values.
pub(crate) struct Embedding<'e> {
    pub(crate) binding: &'e Binding,
    pub(crate) places: &'e [Option<usize>],
}

impl Pattern {
    /// A pattern over variables numbered below `n_variables`.
    pub(crate) fn new(conditions: &[Condition], n_variables: usize) -> Self {
        let signature = needed(conditions);
        let conditions = connected_order(conditions);
        let kinds = conditions.iter().map(kind).collect();
        Self { conditions, kinds, n_variables, signature }
    }

    /// Calls `found` with every substitution that extends `start`.
    pub(crate) fn each_embedding(
        &self,
        target: &Target<'_>,
        start: &[Option<Term>],
        found: &mut dyn FnMut(&Embedding<'_>) -> Flow,
    ) -> Flow {
        if !self.may_fall_on(target) {
            return Flow::More;
        }
        let mut binding = start.to_vec();
        binding.resize(self.n_variables.max(start.len()), None);
        let mut run = Run {
            pattern: self,
            target,
            binding,
            places: vec![None; self.conditions.len()],
            trail: Vec::new(),
            steps: 0,
            found,
        };
        run.try_from(0)
    }

    /// At a glance: may it fall on the target?
    pub(crate) fn may_fall_on(&self, target: &Target<'_>) -> bool {
        self.signature.is_within(target.signature)
    }

    /// Is there a substitution at all?
    pub(crate) fn embeds(&self, target: &Target<'_>) -> bool {
        self.each_embedding(target, &[], &mut |_| Flow::Enough) == Flow::Enough
    }
}

impl<'a> Target<'a> {
    /// The conditions of a clause, ghosts among them.
    pub(crate) fn new(conditions: impl IntoIterator<Item = &'a Condition>) -> Self {
        let candidate = |(place, condition)| Candidate { kind: kind(condition), place, condition };
        let mut conditions: Vec<Candidate<'_>> =
            conditions.into_iter().enumerate().map(candidate).collect();
        let signature = conditions
            .iter()
            .fold(Signature::default(), |all, part| all.or(Signature::of(part.condition)));
        conditions.sort_by_key(|candidate| candidate.kind);
        Self { conditions, signature }
    }

    /// Its conditions of a kind.
    fn of_kind(&self, kind: u32) -> &[Candidate<'a>] {
        let start = self.conditions.partition_point(|candidate| candidate.kind < kind);
        let rest = &self.conditions[start..];
        &rest[..rest.partition_point(|candidate| candidate.kind == kind)]
    }

    /// At a glance: is there a condition of every kind that these need?
    pub(crate) fn may_hold(&self, conditions: &[Condition]) -> bool {
        needed(conditions).is_within(self.signature)
    }
}

/// What must be there. A comparison may also fall on nothing, so only atoms and the like must.
fn needed(conditions: &[Condition]) -> Signature {
    let needed = conditions.iter().filter(|part| !matches!(part, Condition::Compare(..)));
    needed.fold(Signature::default(), |all, part| all.or(Signature::of(part)))
}

impl Signature {
    fn of(condition: &Condition) -> Self {
        let mut values = 0;
        if let Condition::Holds(atom) = condition {
            for (place, arg) in atom.args.iter().enumerate() {
                let Term::Value(value) = arg else { continue };
                let mut hasher = FxHasher::default();
                (atom.predicate, place, value).hash(&mut hasher);
                values |= 1 << (hasher.finish() >> 58);
            }
        }
        Self { kinds: 1 << (kind(condition) % 64), values }
    }

    fn or(self, other: Self) -> Self {
        Self { kinds: self.kinds | other.kinds, values: self.values | other.values }
    }

    fn is_within(self, other: Self) -> bool {
        self.kinds & !other.kinds == 0 && self.values & !other.values == 0
    }
}

/// Conditions of different kinds never fall on one another.
pub(super) fn kind(condition: &Condition) -> u32 {
    match condition {
        Condition::Holds(atom) => 6 + atom.predicate.0,
        Condition::Compare(..) => 0,
        Condition::Construct { .. } => 1,
        Condition::Member(..) => 2,
        Condition::None { .. } => 3,
        Condition::AnyOf(_) => 4,
        Condition::Elsewhere { .. } => 5,
    }
}

/// Atoms first, each sharing a variable with those before it where possible; tests at once.
fn connected_order(conditions: &[Condition]) -> Vec<Condition> {
    let with_vars = |condition| (condition, condition_vars(condition));
    let mut left: Vec<(&Condition, BTreeSet<Var>)> = conditions.iter().map(with_vars).collect();
    let mut bound: BTreeSet<Var> = BTreeSet::new();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let rank = |(condition, vars): &(&Condition, BTreeSet<Var>)| {
            let n_free = vars.difference(&bound).count();
            let is_test = !matches!(condition, Condition::Holds(_));
            (is_test && n_free > 0, n_free, vars.len() - n_free == 0, is_test)
        };
        let best = (0..left.len()).min_by_key(|&place| rank(&left[place])).unwrap_or_default();
        let (next, vars) = left.remove(best);
        bound.extend(vars);
        order.push(next.clone());
    }
    order
}

struct Run<'r, 'f> {
    pattern: &'r Pattern,
    target: &'r Target<'r>,
    binding: Binding,
    places: Vec<Option<usize>>,
    /// The variables that were bound on the way, to be freed on the way back.
    trail: Vec<usize>,
    steps: usize,
    found: &'r mut (dyn FnMut(&Embedding<'_>) -> Flow + 'f),
}

impl Run<'_, '_> {
    fn try_from(&mut self, depth: usize) -> Flow {
        let pattern = self.pattern;
        let Some(condition) = pattern.conditions.get(depth) else {
            return (self.found)(&Embedding { binding: &self.binding, places: &self.places });
        };
        if is_true_of_values(condition, &self.binding) {
            self.places[depth] = None;
            return self.try_from(depth + 1);
        }
        let target = self.target;
        for candidate in target.of_kind(pattern.kinds[depth]) {
            self.steps += 1;
            if self.steps > STEPS_LIMIT {
                return Flow::More;
            }
            for is_turned in [false, true] {
                let n_before = self.trail.len();
                let mut trial = Trial { binding: &mut self.binding, trail: &mut self.trail };
                let is_match = trial.condition(condition, candidate.condition, is_turned);
                let mut flow = Flow::More;
                if is_match {
                    self.places[depth] = Some(candidate.place);
                    flow = self.try_from(depth + 1);
                }
                for index in self.trail.drain(n_before..) {
                    self.binding[index] = None;
                }
                if flow == Flow::Enough {
                    return flow;
                }
                if !can_turn(condition) {
                    break;
                }
            }
        }
        Flow::More
    }
}

/// The ways the conclusion of one metarule maps on that of another.
pub(crate) fn unify_consequences(
    general: &Condition,
    special: &Condition,
    n_variables: usize,
) -> Vec<Binding> {
    let ways = [false, true].into_iter().filter(|is_turned| !is_turned || can_turn(general));
    ways.filter_map(|is_turned| {
        let mut binding = vec![None; n_variables];
        let mut trial = Trial { binding: &mut binding, trail: &mut Vec::new() };
        trial.condition(general, special, is_turned).then_some(binding)
    })
    .collect()
}

/// May the sides of the condition be exchanged?
fn can_turn(condition: &Condition) -> bool {
    matches!(
        condition,
        Condition::Compare(Comparison::Equal | Comparison::Unequal, Expr::Term(_), Expr::Term(_))
            | Condition::Compare(
                _,
                _,
                Expr::Binary(
                    Operation::Add | Operation::Mul | Operation::Min | Operation::Max,
                    _,
                    _
                )
            )
    )
}

/// Is it a comparison that the binding makes true of values?
fn is_true_of_values(condition: &Condition, binding: &Binding) -> bool {
    let value =
        |expr: &Expr| ground_value(expr, &|var| binding.get(usize::from(var.0))?.as_ref().copied());
    match condition {
        Condition::Compare(comparison, left, right) => value(left)
            .zip(value(right))
            .is_some_and(|(left, right)| compares(*comparison, left, right)),
        _ => false,
    }
}

/// The value of an expression without counts whose variables stand for values.
pub(crate) fn ground_value(expr: &Expr, term: &dyn Fn(Var) -> Option<Term>) -> Option<Value> {
    match expr {
        Expr::Term(Term::Value(value)) => Some(*value),
        Expr::Term(Term::Var(var)) => match term(*var)? {
            Term::Value(value) => Some(value),
            Term::Var(_) => None,
        },
        Expr::Binary(operation, left, right) => {
            apply(*operation, ground_value(left, term)?, ground_value(right, term)?)
        }
        Expr::Count { .. } => None,
    }
}

/// Do two values compare so? Only integers have an order.
pub(crate) fn compares(comparison: Comparison, left: Value, right: Value) -> bool {
    match (comparison, left, right) {
        (Comparison::Equal, ..) => left == right,
        (Comparison::Unequal, ..) => left != right,
        (_, Value::Int(left), Value::Int(right)) => match comparison {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            _ => left >= right,
        },
        _ => false,
    }
}

/// An attempt to map one condition on another.
struct Trial<'t> {
    binding: &'t mut Binding,
    trail: &'t mut Vec<usize>,
}

impl Trial<'_> {
    fn condition(&mut self, pattern: &Condition, target: &Condition, is_turned: bool) -> bool {
        match (pattern, target) {
            (Condition::Holds(left), Condition::Holds(right)) => self.atom(left, right),
            (Condition::Compare(how, a, b), Condition::Compare(other, c, d)) => {
                if is_turned && let Expr::Binary(..) = b {
                    return how == other && self.expr(a, c) && self.turned(b, d);
                }
                let straight = if is_turned { mirrored(*how) } else { *how };
                let (a, b) = if is_turned { (b, a) } else { (a, b) };
                (straight == *other && self.expr(a, c) && self.expr(b, d))
                    || (!is_turned
                        && mirrored(*how) == *other
                        && how != other
                        && self.expr(a, d)
                        && self.expr(b, c))
            }
            (
                Condition::Construct { whole, functor, args },
                Condition::Construct { whole: other_whole, functor: other, args: others },
            ) => functor == other && self.term(*whole, *other_whole) && self.terms(args, others),
            (Condition::Member(term, domain), Condition::Member(other, other_domain)) => {
                domain == other_domain && self.term(*term, *other)
            }
            (
                Condition::None { locals, body },
                Condition::None { locals: other_locals, body: other },
            ) => self.body(body, other) && self.is_local(locals, other_locals),
            (
                Condition::Elsewhere { by, quantifier, body },
                Condition::Elsewhere { by: other_by, quantifier: other, body: other_body },
            ) => quantifier == other && self.atom(by, other_by) && self.body(body, other_body),
            _ => false,
        }
    }

    fn atom(&mut self, pattern: &Atom, target: &Atom) -> bool {
        pattern.predicate == target.predicate && self.terms(&pattern.args, &target.args)
    }

    fn body(&mut self, pattern: &[Condition], target: &[Condition]) -> bool {
        pattern.len() == target.len()
            && pattern.iter().zip(target).all(|(left, right)| self.condition(left, right, false))
    }

    /// Local variables stand for local variables, one for one, and nothing else stands for those.
    fn is_local(&self, locals: &[Var], others: &[Var]) -> bool {
        let stands_for = |var: &Var| self.binding.get(usize::from(var.0)).copied().flatten();
        let images: BTreeSet<Term> = locals.iter().filter_map(stands_for).collect();
        let others: BTreeSet<Term> = others.iter().map(|var| Term::Var(*var)).collect();
        let outside = (0..self.binding.len())
            .filter(|&index| !locals.iter().any(|var| usize::from(var.0) == index))
            .filter_map(|index| self.binding[index]);
        images.len() == locals.len()
            && images.is_subset(&others)
            && !outside.into_iter().any(|term| others.contains(&term))
    }

    fn expr(&mut self, pattern: &Expr, target: &Expr) -> bool {
        match (pattern, target) {
            (Expr::Term(left), Expr::Term(right)) => self.term(*left, *right),
            (Expr::Binary(operation, a, b), Expr::Binary(other, c, d)) => {
                operation == other && self.expr(a, c) && self.expr(b, d)
            }
            (
                Expr::Count { counted, body },
                Expr::Count { counted: other_counted, body: other },
            ) => {
                counted.len() == other_counted.len()
                    && self.body(body, other)
                    && self.is_local(counted, other_counted)
            }
            _ => false,
        }
    }

    /// The operands of a symmetric operation the other way round.
    fn turned(&mut self, pattern: &Expr, target: &Expr) -> bool {
        match (pattern, target) {
            (Expr::Binary(operation, a, b), Expr::Binary(other, c, d)) => {
                operation == other && self.expr(a, d) && self.expr(b, c)
            }
            _ => false,
        }
    }

    fn terms(&mut self, pattern: &[Term], target: &[Term]) -> bool {
        pattern.len() == target.len()
            && pattern.iter().zip(target).all(|(left, right)| self.term(*left, *right))
    }

    fn term(&mut self, pattern: Term, target: Term) -> bool {
        let Term::Var(var) = pattern else { return pattern == target };
        let index = usize::from(var.0);
        match self.binding.get(index).copied() {
            Some(Some(bound)) => bound == target,
            Some(None) => {
                self.binding[index] = Some(target);
                self.trail.push(index);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use rulesmith_logic::{PredicateId, substitute};

    use super::*;
    use crate::metarules::canonical::place_key;

    /// Numbers that look random, always the same.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % limit
        }

        fn term(&mut self, n_variables: u64) -> Term {
            let number = self.below(n_variables + 1);
            match u16::try_from(number) {
                Ok(number) if u64::from(number) < n_variables => Term::Var(Var(number)),
                _ => Term::Value(Value::Int(7)),
            }
        }

        fn conditions(&mut self, n_conditions: u64, n_variables: u64) -> Vec<Condition> {
            let comparisons = [Comparison::Unequal, Comparison::Less, Comparison::Greater];
            (0..n_conditions)
                .map(|_| {
                    let terms = [self.term(n_variables), self.term(n_variables)];
                    match self.below(6) {
                        kind @ 0..=2 => {
                            let [left, right] = terms.map(Expr::Term);
                            let kind = usize::try_from(kind).unwrap();
                            Condition::Compare(comparisons[kind], left, right)
                        }
                        kind => {
                            let predicate = PredicateId(u32::try_from(kind % 2).unwrap());
                            Condition::Holds(Atom { predicate, args: terms.to_vec() })
                        }
                    }
                })
                .collect()
        }
    }

    /// Is there a substitution, by trying all?
    fn embeds_by_trial(pattern: &[Condition], target: &[Condition], n_variables: u16) -> bool {
        let keys: BTreeSet<_> = target.iter().map(place_key).collect();
        let images: Vec<Term> =
            (0..3).map(|var| Term::Var(Var(var))).chain([Term::Value(Value::Int(7))]).collect();
        let n_ways = images.len().pow(n_variables.into());
        (0..n_ways).any(|way| {
            let image = |var: Var| images[way / images.len().pow(var.0.into()) % images.len()];
            pattern.iter().all(|part| {
                let part = substitute(part, &image);
                keys.contains(&place_key(&part)) || is_true_of_values(&part, &Vec::new())
            })
        })
    }

    #[test]
    fn a_pattern_embeds_exactly_when_some_substitution_maps_it_into_the_clause() {
        let mut numbers = Numbers(1);
        let mut n_embedded = 0;
        for _ in 0..4_000 {
            let n_conditions = 1 + numbers.below(4);
            let pattern = numbers.conditions(n_conditions, 4);
            let n_conditions = 1 + numbers.below(7);
            let target = numbers.conditions(n_conditions, 3);
            let found = Pattern::new(&pattern, 4).embeds(&Target::new(&target));
            assert_eq!(found, embeds_by_trial(&pattern, &target, 4), "{pattern:?}\n{target:?}");
            n_embedded += u32::from(found);
        }
        assert!((500..3_500).contains(&n_embedded), "{n_embedded}");
    }
}
