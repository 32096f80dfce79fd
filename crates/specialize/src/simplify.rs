//! Simplification: what can be decided from a body alone is decided.
//!
//! In: a flat body. Out: the body without comparisons of values, equations that only name, static
//! atoms whose arguments are known, and members of known domains; or the news that it can never hold.
//! Invariant: the answers stay the same; variables that occur around the body are never replaced.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Operation, Symbol, Term, Value, Var, apply, atom_vars,
    condition_vars, substitute_body, substitute_term,
};

use rustc_hash::FxHashMap;

use crate::binding::term_var;
use crate::knowledge::Knowledge;

/// The body can never hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dead;

/// What becomes of one condition.
enum Fate {
    Keep,
    Drop,
    Dead,
    /// Replaced by these.
    Become(Vec<Condition>),
    /// Dropped, and the variable is replaced everywhere.
    Bind(Var, Term),
}

/// What may not be replaced: everything in nested bodies that also occurs around them.
pub(crate) type Rigid = BTreeSet<Var>;

impl Knowledge<'_> {
    /// Simplifies a body; replaced variables are also replaced in `head`.
    pub(crate) fn simplify(
        &self,
        head: &mut [Term],
        body: &mut Vec<Condition>,
        rigid: &Rigid,
    ) -> Result<(), Dead> {
        // Nested bodies come last: every variable bound before spares them a look.
        let (mut place, mut is_late) = (0, false);
        let mut mentions: Option<Mentions> = None;
        while place < body.len() || !is_late {
            if place == body.len() {
                (place, is_late) = (0, true);
                continue;
            }
            if is_nested(&body[place]) != is_late {
                place += 1;
                continue;
            }
            let around = if is_late {
                let mentions = mentions.get_or_insert_with(|| Mentions::of(head, body));
                mentions.around(&body[place], rigid)
            } else {
                Rigid::new()
            };
            let fate = self.fate(body, place, rigid, &around);
            if !matches!(fate, Fate::Keep) {
                mentions = None;
            }
            match fate {
                Fate::Keep => place += 1,
                Fate::Drop => {
                    body.remove(place);
                }
                Fate::Dead => return Err(Dead),
                Fate::Become(others) => {
                    let goes_back = is_late && !others.iter().all(is_nested);
                    body.splice(place..=place, others);
                    if goes_back {
                        (place, is_late) = (0, false);
                    }
                }
                Fate::Bind(var, term) => {
                    body.remove(place);
                    let map = |other: Var| if other == var { term } else { Term::Var(other) };
                    *body = substitute_body(body, &map);
                    for arg in head.iter_mut() {
                        *arg = substitute_term(*arg, &map);
                    }
                    (place, is_late) = (0, false);
                }
            }
        }
        Ok(())
    }

    /// What becomes of a condition. `around` has its variables that occur elsewhere too, if it has bodies
    /// of its own.
    fn fate(&self, body: &[Condition], place: usize, rigid: &Rigid, around: &Rigid) -> Fate {
        let condition = &body[place];
        if body[..place].contains(condition) {
            return Fate::Drop;
        }
        match condition {
            Condition::Holds(atom) => self.atom_fate(atom, rigid),
            Condition::Compare(Comparison::Equal, Expr::Term(left), Expr::Term(right)) => {
                equation_fate(*left, *right, rigid)
            }
            Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
                comparison_fate(*comparison, *left, *right)
            }
            Condition::Compare(_, Expr::Term(result), Expr::Binary(operation, left, right)) => {
                arithmetic_fate(*operation, *result, left, right)
            }
            Condition::Compare(_, left, Expr::Count { counted, body: inner }) => {
                self.count_fate(left, counted, inner, around)
            }
            Condition::Construct { whole, functor, args } => {
                self.construct_fate(body, place, (*whole, *functor, args))
            }
            Condition::Member(Term::Value(value), domain) => {
                if self.contains(*domain, *value) {
                    Fate::Drop
                } else {
                    Fate::Dead
                }
            }
            Condition::Member(term, domain) => {
                let is_implied = |others: &[Condition]| {
                    let known = self.domains_of(*term, others);
                    known.iter().any(|inner| self.is_within(*inner, *domain))
                };
                if is_implied(&body[..place]) || is_implied(&body[place + 1..]) {
                    Fate::Drop
                } else {
                    Fate::Keep
                }
            }
            Condition::None { body: inner, .. } => self.none_fate(inner, around),
            Condition::Elsewhere { by, quantifier, body: inner } => {
                let mut around = around.clone();
                around.extend(atom_vars(by));
                let mut simpler = inner.clone();
                if self.simplify(&mut [], &mut simpler, &around).is_err() {
                    return Fate::Dead;
                }
                if simpler == *inner {
                    return Fate::Keep;
                }
                let (by, quantifier) = (by.clone(), *quantifier);
                Fate::Become(vec![Condition::Elsewhere { by, quantifier, body: simpler }])
            }
            _ => Fate::Keep,
        }
    }

    /// A static atom with one matching fact says what its variables are; without any it never holds.
    fn atom_fate(&self, atom: &Atom, rigid: &Rigid) -> Fate {
        let pattern: Vec<Option<Value>> = atom.args.iter().map(|term| term_value(*term)).collect();
        if pattern.iter().all(Option::is_none) && !pattern.is_empty() {
            return Fate::Keep;
        }
        let Some(rows) = self.static_rows(atom.predicate, &pattern) else { return Fate::Keep };
        let is_free = |term: &Term| term_var(*term).is_some_and(|var| !rigid.contains(&var));
        match &rows[..] {
            [] => Fate::Dead,
            [row] if atom.args.iter().all(|term| term_value(*term).is_some() || is_free(term)) => {
                let equal = |(term, value): (&Term, &Value)| equation(*term, Term::Value(*value));
                Fate::Become(atom.args.iter().zip(row).map(equal).collect())
            }
            _ => Fate::Keep,
        }
    }

    fn construct_fate(
        &self,
        body: &[Condition],
        place: usize,
        (whole, functor, args): (Term, Symbol, &[Term]),
    ) -> Fate {
        if let Term::Value(value) = whole {
            let Value::Compound(compound) = value else { return Fate::Dead };
            let symbols = self.symbols().borrow();
            let (found, parts) = symbols.parts(compound);
            if found != functor || parts.len() != args.len() {
                return Fate::Dead;
            }
            let parts =
                args.iter().zip(parts).map(|(arg, part)| equation(*arg, Term::Value(*part)));
            return Fate::Become(parts.collect());
        }
        let known: Option<Vec<Value>> = args.iter().map(|term| term_value(*term)).collect();
        if let Some(known) = known {
            let made = self.symbols().borrow_mut().compound(functor, &known);
            return Fate::Become(vec![equation(whole, Term::Value(made))]);
        }
        // One whole has one set of parts, and the same parts make one whole.
        for other in &body[..place] {
            let Condition::Construct { whole: twin, functor: f, args: parts } = other else {
                continue;
            };
            if *twin == whole {
                if *f != functor || parts.len() != args.len() {
                    return Fate::Dead;
                }
                let equal = args.iter().zip(parts).map(|(a, b)| equation(*a, *b));
                return Fate::Become(equal.collect());
            }
            if *f == functor && parts == args {
                return Fate::Become(vec![equation(whole, *twin)]);
            }
        }
        Fate::Keep
    }

    fn none_fate(&self, inner: &[Condition], around: &Rigid) -> Fate {
        let mut simpler = inner.to_vec();
        if self.simplify(&mut [], &mut simpler, around).is_err() {
            return Fate::Drop;
        }
        match &simpler[..] {
            [] => Fate::Dead,
            [Condition::Compare(comparison, left @ Expr::Term(_), right @ Expr::Term(_))]
                if is_equation(*comparison) && condition_vars(&simpler[0]).is_subset(around) =>
            {
                let opposite = if *comparison == Comparison::Equal {
                    Comparison::Unequal
                } else {
                    Comparison::Equal
                };
                Fate::Become(vec![Condition::Compare(opposite, left.clone(), right.clone())])
            }
            _ if simpler == inner => Fate::Keep,
            _ => {
                let vars: BTreeSet<Var> = simpler.iter().flat_map(condition_vars).collect();
                let locals = vars.difference(around).copied().collect();
                Fate::Become(vec![Condition::None { locals, body: simpler }])
            }
        }
    }

    fn count_fate(
        &self,
        left: &Expr,
        counted: &[Var],
        inner: &[Condition],
        around: &Rigid,
    ) -> Fate {
        let mut rigid = around.clone();
        rigid.extend(counted);
        let branches = match inner {
            [Condition::AnyOf(branches)] => branches.clone(),
            _ => vec![inner.to_vec()],
        };
        let simpler = branches.into_iter().filter_map(|mut branch| {
            self.simplify(&mut [], &mut branch, &rigid).is_ok().then_some(branch)
        });
        let mut simpler: Vec<Vec<Condition>> = simpler.collect();
        let body = match simpler.len() {
            0 => {
                let zero = Expr::Term(Term::Value(Value::Int(0)));
                let equal = Condition::Compare(Comparison::Equal, left.clone(), zero);
                return Fate::Become(vec![equal]);
            }
            1 => simpler.remove(0),
            _ => vec![Condition::AnyOf(simpler)],
        };
        if body == inner {
            return Fate::Keep;
        }
        let count = Expr::Count { counted: counted.to_vec(), body };
        Fate::Become(vec![Condition::Compare(Comparison::Equal, left.clone(), count)])
    }
}

/// How many conditions mention each variable; the head counts as one.
struct Mentions(FxHashMap<Var, usize>);

impl Mentions {
    fn of(head: &[Term], body: &[Condition]) -> Self {
        let mut counts: FxHashMap<Var, usize> = FxHashMap::default();
        let in_head: BTreeSet<Var> = head.iter().copied().filter_map(term_var).collect();
        for var in in_head.into_iter().chain(body.iter().flat_map(condition_vars)) {
            *counts.entry(var).or_default() += 1;
        }
        Self(counts)
    }

    /// The variables of a condition of the body that occur around it too.
    fn around(&self, condition: &Condition, rigid: &Rigid) -> Rigid {
        let mut vars = condition_vars(condition);
        vars.retain(|var| rigid.contains(var) || self.0.get(var).is_some_and(|count| *count > 1));
        vars
    }
}

/// Does the condition hold bodies of its own?
pub(crate) fn is_nested(condition: &Condition) -> bool {
    matches!(
        condition,
        Condition::None { .. }
            | Condition::Elsewhere { .. }
            | Condition::Compare(_, _, Expr::Count { .. })
    )
}

/// The variables that occur around the condition at this place, and those around the body.
pub(crate) fn around(head: &[Term], body: &[Condition], place: usize, rigid: &Rigid) -> Rigid {
    let mut around = rigid.clone();
    around.extend(head.iter().copied().filter_map(term_var));
    let others = body.iter().enumerate().filter(|(other, _)| *other != place);
    around.extend(others.flat_map(|(_, condition)| condition_vars(condition)));
    around
}

pub(crate) fn equation(left: Term, right: Term) -> Condition {
    Condition::Compare(Comparison::Equal, Expr::Term(left), Expr::Term(right))
}

pub(crate) fn term_value(term: Term) -> Option<Value> {
    match term {
        Term::Value(value) => Some(value),
        Term::Var(_) => None,
    }
}

/// Has the comparison an exact opposite? An order has none: it fails for what is no number.
fn is_equation(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::Equal | Comparison::Unequal)
}

fn equation_fate(left: Term, right: Term, rigid: &Rigid) -> Fate {
    if left == right {
        return Fate::Drop;
    }
    let free = |term: Term| term_var(term).filter(|var| !rigid.contains(var));
    match (free(left), free(right)) {
        // The younger variable goes, so that names of the head stay.
        (Some(a), Some(b)) if a > b => Fate::Bind(a, right),
        (_, Some(b)) => Fate::Bind(b, left),
        (Some(a), None) => Fate::Bind(a, right),
        (None, None) if term_value(left).and(term_value(right)).is_some() => Fate::Dead,
        (None, None) => Fate::Keep,
    }
}

fn comparison_fate(comparison: Comparison, left: Term, right: Term) -> Fate {
    if left == right {
        return match comparison {
            Comparison::Unequal | Comparison::Less | Comparison::Greater => Fate::Dead,
            // Only numbers compare; this one may be none.
            _ => Fate::Keep,
        };
    }
    let (Term::Value(left), Term::Value(right)) = (left, right) else { return Fate::Keep };
    let holds = match (comparison, left, right) {
        (Comparison::Unequal, _, _) => left != right,
        (_, Value::Int(left), Value::Int(right)) => match comparison {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            _ => left >= right,
        },
        _ => false,
    };
    if holds { Fate::Drop } else { Fate::Dead }
}

fn arithmetic_fate(operation: Operation, result: Term, left: &Expr, right: &Expr) -> Fate {
    let (Expr::Term(left), Expr::Term(right)) = (left, right) else { return Fate::Keep };
    let known = (term_value(result), term_value(*left), term_value(*right));
    let (unknown, value) = match (known, operation) {
        ((_, Some(a), Some(b)), _) => (result, apply(operation, a, b)),
        ((Some(sum), Some(a), None), Operation::Add) => (*right, apply(Operation::Sub, sum, a)),
        ((Some(sum), None, Some(b)), Operation::Add) => (*left, apply(Operation::Sub, sum, b)),
        ((Some(rest), Some(a), None), Operation::Sub) => (*right, apply(Operation::Sub, a, rest)),
        ((Some(rest), None, Some(b)), Operation::Sub) => (*left, apply(Operation::Add, rest, b)),
        ((_, Some(value), _) | (_, _, Some(value)), _) if !matches!(value, Value::Int(_)) => {
            return Fate::Dead;
        }
        _ => return Fate::Keep,
    };
    match value {
        Some(value) => Fate::Become(vec![equation(unknown, Term::Value(value))]),
        None => Fate::Dead,
    }
}
