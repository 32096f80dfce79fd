//! Built-in metarules: what is impossible, or the same, in every theory.
//!
//! In: the conditions of a clause and what its predicates are declared to be. Out: the first reason
//! found why no binding can make them hold, or two terms that are always equal. Covered: contradictory
//! comparisons, a condition and its negation, functions with one value, sorts that do not meet, and
//! arithmetic that cannot hold. Paper: metameta §2. Invariant: nothing is assumed about facts, only
//! about declarations that every front end checks.

use rulesmith_logic::{
    Atom, Comparison, Condition, Domain, DomainId, Expr, Flow, Operation, PredicateId, Symbol,
    Term, Value, Var, apply,
};
use rulesmith_rules::{PredicateKind, Theory};
use rustc_hash::FxHashMap;

use super::domains::Ranges;
use super::matching::{Pattern, Target, compares};
use super::order::Differences;
use crate::knowledge::keeps_domain;

/// What the predicates of a theory are declared to be.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// How many arguments at the front fix the others.
    keys: FxHashMap<PredicateId, usize>,
    /// Predicates of which one alone holds for one first argument: moves being made.
    exclusive: Vec<PredicateId>,
    /// The domain of each argument.
    columns: Vec<Vec<Option<DomainId>>>,
    domains: Vec<Domain>,
    /// Objects whose links hold both ways.
    pub(super) borders: Vec<Border>,
}

/// An object whose links hold both ways: a point of its border is linked to an element.
#[derive(Clone, Copy, Debug)]
pub struct Border {
    /// Says that a component has an element.
    pub element: PredicateId,
    /// Says that something is on the border of a component.
    pub border: PredicateId,
    /// The link.
    pub link: PredicateId,
}

/// Which built-in metarule it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GeneralRule {
    /// A comparison that cannot hold, or an equation.
    Comparison,
    /// A condition and its negation.
    Contradiction,
    /// A function has one value.
    Function,
    /// No value is in all the sorts a variable must be in.
    Sorts,
    /// Arithmetic that cannot hold, or has one solution.
    Arithmetic,
    /// What is on the border of a component is linked to an element of it.
    Border,
}

impl GeneralRule {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::Comparison,
        Self::Contradiction,
        Self::Function,
        Self::Sorts,
        Self::Arithmetic,
        Self::Border,
    ];
}

/// What a look at the conditions shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They cannot hold together.
    Impossible(GeneralRule, Vec<usize>),
    /// Two different terms are always equal.
    Same(Term, Term, GeneralRule, Vec<usize>),
    /// Nothing.
    Open,
}

impl Declarations {
    /// What a theory declares.
    pub fn of(theory: &Theory) -> Self {
        let mut keys = FxHashMap::default();
        let mut exclusive = Vec::new();
        for (number, kind) in theory.kinds.iter().enumerate() {
            let predicate = PredicateId(u32::try_from(number).expect("fewer than 2^32 predicates"));
            let arity = theory.base.predicate(predicate).domains.len();
            match kind {
                PredicateKind::Static { arrow: true, .. } | PredicateKind::DerivedFunction => {
                    keys.insert(predicate, arity.saturating_sub(1));
                }
                PredicateKind::Fluent(id) | PredicateKind::Init(id)
                    if theory.fluent(*id).is_functional =>
                {
                    keys.insert(predicate, theory.fluent(*id).n_keys);
                }
                PredicateKind::Does(_) => {
                    keys.insert(predicate, 1);
                    exclusive.push(predicate);
                }
                _ => {}
            }
        }
        let columns = theory.base.predicates.iter().zip(0..).map(|(one, id)| {
            let places = one.domains.iter().enumerate();
            let kept = |place: usize| keeps_domain(theory, PredicateId(id), place);
            places.map(|(place, domain)| domain.filter(|_| kept(place))).collect()
        });
        let columns = columns.collect();
        let domains = theory.base.domains.clone();
        Self { keys, exclusive, columns, domains, borders: Vec::new() }
    }

    /// The same, with objects whose links hold both ways.
    #[must_use]
    pub fn with_borders(mut self, borders: Vec<Border>) -> Self {
        self.borders = borders;
        self
    }

    /// The same, with a predicate whose arguments after the first `n_keys` are fixed by those.
    #[must_use]
    pub fn with_function(mut self, predicate: PredicateId, n_keys: usize) -> Self {
        self.keys.insert(predicate, n_keys);
        self
    }

    /// The same, with the domains of a predicate's arguments.
    #[must_use]
    pub fn with_columns(mut self, predicate: PredicateId, columns: Vec<Option<DomainId>>) -> Self {
        let place = predicate.0 as usize;
        if self.columns.len() <= place {
            self.columns.resize(place + 1, Vec::new());
        }
        self.columns[place] = columns;
        self
    }

    /// The same, with one more domain, numbered after those before.
    #[must_use]
    pub fn with_domain(mut self, domain: Domain) -> Self {
        self.domains.push(domain);
        self
    }

    pub(crate) fn column(&self, predicate: PredicateId, argument: usize) -> Option<DomainId> {
        self.columns.get(predicate.0 as usize)?.get(argument).copied().flatten()
    }

    pub(crate) fn domain(&self, id: DomainId) -> Option<&Domain> {
        self.domains.get(id.0 as usize)
    }
}

/// Looks for a reason why the conditions cannot hold together, or for two terms that are one.
/// Restrictions are values that variables are known to be limited to.
pub(crate) fn judge(
    declarations: &Declarations,
    conditions: &[&Condition],
    restrictions: &[(Var, Vec<Value>)],
) -> Verdict {
    for (place, condition) in conditions.iter().enumerate() {
        let verdict = judge_alone(condition, place);
        if verdict != Verdict::Open {
            return verdict;
        }
    }
    let verdict = functions(declarations, conditions);
    if verdict != Verdict::Open {
        return verdict;
    }
    if let Some(places) = contradiction(conditions) {
        return Verdict::Impossible(GeneralRule::Contradiction, places);
    }
    let ranges = Ranges::of(declarations, conditions, restrictions);
    let verdict = ranges.judge();
    if verdict != Verdict::Open {
        return verdict;
    }
    Differences::of(conditions, &ranges, None)
        .map_or(Verdict::Open, |differences| differences.judge())
}

/// Does the condition hold wherever the others do, whatever the facts?
pub(crate) fn is_implied(
    declarations: &Declarations,
    conditions: &[&Condition],
    place: usize,
) -> bool {
    let condition = conditions[place];
    if conditions.iter().enumerate().any(|(other, same)| other != place && *same == condition) {
        return true;
    }
    let rest: Vec<&Condition> = (0..conditions.len())
        .filter(|&other| other != place)
        .map(|other| conditions[other])
        .collect();
    match condition {
        Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
            if is_trivial(condition) {
                return true;
            }
            let ranges = Ranges::of(declarations, &rest, &[]);
            ranges.implies(*comparison, *left, *right)
                || Differences::of(&rest, &ranges, Some((*left, *right)))
                    .is_some_and(|differences| differences.implies(*comparison, *left, *right))
        }
        Condition::Member(term, domain) => {
            Ranges::of(declarations, &rest, &[]).is_within(*term, *domain)
        }
        _ => false,
    }
}

/// Does the condition hold whatever its variables stand for, so that it can be left out?
pub(crate) fn is_trivial(condition: &Condition) -> bool {
    match condition {
        Condition::Compare(Comparison::Equal, Expr::Term(left), Expr::Term(right)) => left == right,
        Condition::Compare(
            comparison,
            Expr::Term(Term::Value(left)),
            Expr::Term(Term::Value(right)),
        ) => compares(*comparison, *left, *right),
        Condition::Compare(
            Comparison::Equal,
            Expr::Term(Term::Value(result)),
            Expr::Binary(operation, left, right),
        ) => match (&**left, &**right) {
            (Expr::Term(Term::Value(left)), Expr::Term(Term::Value(right))) => {
                apply(*operation, *left, *right) == Some(*result)
            }
            _ => false,
        },
        _ => false,
    }
}

fn judge_alone(condition: &Condition, place: usize) -> Verdict {
    let impossible = |rule| Verdict::Impossible(rule, vec![place]);
    match condition {
        Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
            judge_comparison(*comparison, *left, *right, place)
        }
        Condition::Compare(
            Comparison::Equal,
            Expr::Term(result),
            Expr::Binary(operation, left, right),
        ) => match (&**left, &**right) {
            (Expr::Term(left), Expr::Term(right)) => {
                judge_operation(*operation, *result, (*left, *right), place)
            }
            _ => Verdict::Open,
        },
        Condition::Compare(
            Comparison::Equal,
            Expr::Term(Term::Value(count)),
            Expr::Count { .. },
        ) if !matches!(count, Value::Int(0..)) => impossible(GeneralRule::Arithmetic),
        Condition::Construct { whole: Term::Value(Value::Int(_) | Value::Symbol(_)), .. } => {
            impossible(GeneralRule::Sorts)
        }
        _ => Verdict::Open,
    }
}

fn judge_comparison(comparison: Comparison, left: Term, right: Term, place: usize) -> Verdict {
    let rule = GeneralRule::Comparison;
    let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
    let is_number = |term: Term| matches!(term, Term::Var(_) | Term::Value(Value::Int(_)));
    match (left, right) {
        (Term::Value(left), Term::Value(right)) if !compares(comparison, left, right) => {
            Verdict::Impossible(rule, vec![place])
        }
        _ if is_order && !(is_number(left) && is_number(right)) => {
            Verdict::Impossible(rule, vec![place])
        }
        _ if left == right
            && matches!(
                comparison,
                Comparison::Unequal | Comparison::Less | Comparison::Greater
            ) =>
        {
            Verdict::Impossible(rule, vec![place])
        }
        _ if comparison == Comparison::Equal && left != right => {
            Verdict::Same(left, right, rule, vec![place])
        }
        _ => Verdict::Open,
    }
}

/// `result = left operation right`: evaluated, or solved for its one unknown.
fn judge_operation(
    operation: Operation,
    result: Term,
    (left, right): (Term, Term),
    place: usize,
) -> Verdict {
    let rule = GeneralRule::Arithmetic;
    let value = |term: Term| match term {
        Term::Value(value) => Some(value),
        Term::Var(_) => None,
    };
    let solved = |unknown: Term, known: Option<Value>| match known {
        Some(known) if unknown == Term::Value(known) => Verdict::Open,
        Some(known) if value(unknown).is_none() => {
            Verdict::Same(unknown, Term::Value(known), rule, vec![place])
        }
        _ => Verdict::Impossible(rule, vec![place]),
    };
    let is_name = |term: Term| value(term).is_some_and(|value| !matches!(value, Value::Int(_)));
    if [result, left, right].into_iter().any(is_name) {
        return Verdict::Impossible(rule, vec![place]);
    }
    match (value(result), value(left), value(right), operation) {
        (_, Some(a), Some(b), _) => solved(result, apply(operation, a, b)),
        (Some(sum), Some(a), None, Operation::Add) => solved(right, apply(Operation::Sub, sum, a)),
        (Some(sum), None, Some(b), Operation::Add) => solved(left, apply(Operation::Sub, sum, b)),
        (Some(rest), Some(a), None, Operation::Sub) => {
            solved(right, apply(Operation::Sub, a, rest))
        }
        (Some(rest), None, Some(b), Operation::Sub) => solved(left, apply(Operation::Add, rest, b)),
        _ => Verdict::Open,
    }
}

/// What fixes the value of a function: the same for two conditions means the same values.
#[derive(PartialEq, Eq, Hash)]
enum FunctionKey<'c> {
    Atom(PredicateId, &'c [Term]),
    Mover(Term),
    Compound(Symbol, &'c [Term]),
    Parts(Term),
    Operation(&'c Expr),
}

fn functions(declarations: &Declarations, conditions: &[&Condition]) -> Verdict {
    let mut seen: FxHashMap<FunctionKey<'_>, usize> = FxHashMap::default();
    for (place, condition) in conditions.iter().enumerate() {
        for key in function_keys(declarations, condition) {
            if let Some(&first) = seen.get(&key) {
                let verdict = same_function(&key, conditions[first], condition, [first, place]);
                if verdict != Verdict::Open {
                    return verdict;
                }
            } else {
                seen.insert(key, place);
            }
        }
    }
    Verdict::Open
}

fn function_keys<'c>(
    declarations: &Declarations,
    condition: &'c Condition,
) -> Vec<FunctionKey<'c>> {
    match condition {
        Condition::Holds(Atom { predicate, args }) => {
            let mut keys = Vec::new();
            if let Some(known) = declarations.keys.get(predicate).and_then(|&n| args.get(..n)) {
                keys.push(FunctionKey::Atom(*predicate, known));
            }
            if declarations.exclusive.contains(predicate) && !args.is_empty() {
                keys.push(FunctionKey::Mover(args[0]));
            }
            keys
        }
        Condition::Construct { whole, functor, args } => {
            vec![FunctionKey::Compound(*functor, args), FunctionKey::Parts(*whole)]
        }
        Condition::Compare(Comparison::Equal, Expr::Term(_), expr @ Expr::Binary(..)) => {
            vec![FunctionKey::Operation(expr)]
        }
        _ => Vec::new(),
    }
}

fn same_function(
    key: &FunctionKey<'_>,
    first: &Condition,
    second: &Condition,
    places: [usize; 2],
) -> Verdict {
    let rule = GeneralRule::Function;
    let pairs: Vec<(Term, Term)> = match (key, first, second) {
        (FunctionKey::Atom(_, known), Condition::Holds(first), Condition::Holds(second)) => {
            let values = |atom: &Atom| atom.args[known.len()..].to_vec();
            values(first).into_iter().zip(values(second)).collect()
        }
        (FunctionKey::Mover(_), Condition::Holds(first), Condition::Holds(second))
            if first.predicate != second.predicate =>
        {
            return Verdict::Impossible(rule, places.to_vec());
        }
        (
            FunctionKey::Compound(..),
            Condition::Construct { whole: first, .. },
            Condition::Construct { whole: second, .. },
        )
        | (
            FunctionKey::Operation(_),
            Condition::Compare(_, Expr::Term(first), _),
            Condition::Compare(_, Expr::Term(second), _),
        ) => vec![(*first, *second)],
        (
            FunctionKey::Parts(_),
            Condition::Construct { functor, args, .. },
            Condition::Construct { functor: other, args: others, .. },
        ) => {
            if functor != other || args.len() != others.len() {
                return Verdict::Impossible(rule, places.to_vec());
            }
            args.iter().copied().zip(others.iter().copied()).collect()
        }
        _ => Vec::new(),
    };
    match pairs.into_iter().find(|(first, second)| first != second) {
        Some((Term::Value(_), Term::Value(_))) => Verdict::Impossible(rule, places.to_vec()),
        Some((first, second)) => Verdict::Same(first, second, rule, places.to_vec()),
        None => Verdict::Open,
    }
}

/// A negation whose body maps into the conditions beside it: its places.
fn contradiction(conditions: &[&Condition]) -> Option<Vec<usize>> {
    let negations = conditions.iter().enumerate().filter_map(|(place, part)| match part {
        Condition::None { locals, body } => Some((place, locals, body)),
        _ => None,
    });
    let target = Target::new(conditions.iter().copied());
    for (place, locals, body) in negations {
        if !target.may_hold(body) {
            continue;
        }
        let vars = body.iter().flat_map(rulesmith_logic::condition_vars);
        let n_variables = vars.map(|var| usize::from(var.0) + 1).max().unwrap_or_default();
        // Only the local variables may be chosen; the others stand for themselves.
        let stands_for = |index: usize| {
            let var = Var(u16::try_from(index).ok()?);
            (!locals.contains(&var)).then_some(Term::Var(var))
        };
        let start: Vec<Option<Term>> = (0..n_variables).map(stands_for).collect();
        let mut places = None;
        Pattern::new(body, n_variables).each_embedding(&target, &start, &mut |found| {
            places = Some(found.places.iter().copied().flatten().chain([place]).collect());
            Flow::Enough
        });
        if places.is_some() {
            return places;
        }
    }
    None
}
