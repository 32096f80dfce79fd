//! Matching: patterns of metarules against conditions of clauses.
//!
//! In: a pattern over metavariables, a flat condition, and what is bound so far. Out: more bindings, or
//! no match. Two metavariables may be bound to one variable; a constant of the pattern matches only
//! that constant. Comparisons match either way round, sums and the like with their operands swapped.
//! Invariant: a failed match leaves bindings behind only above the caller's mark.

use rulesmith_logic::{Clause, Comparison, Condition, Expr, Operation, Term, Var, substitute};

/// What a metavariable is bound to. Terms and conditions are numbered so that two clauses that were
/// chosen for one deduction share no variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bound {
    /// A clause by its place, and what is added to the numbers of its variables.
    Rule(usize, u16),
    /// A new clause.
    New,
    /// A term of a clause.
    Term(Term),
    /// A condition or conclusion of a clause.
    Condition(Condition),
    /// A set of conditions, each once.
    Set(Vec<Condition>),
    /// A number.
    Number(i64),
}

/// The bindings of one deduction in the making.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    values: Vec<Option<Bound>>,
    /// Which were bound, in order.
    trail: Vec<Var>,
    /// How many variables the clauses chosen so far have together.
    pub(super) n_variables: usize,
    /// The conditions of clauses that were looked at.
    pub(super) matched: Vec<Matched>,
}

/// A condition of a clause that a deduction looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Matched {
    /// The clause by its place.
    pub(super) clause: usize,
    /// The condition by its place; `None` for all of them.
    pub(super) place: Option<usize>,
    /// Was only asked whether it is there, because it is what the metarule calls useless?
    pub(super) is_subject: bool,
}

/// Where to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    n_bound: usize,
    n_variables: usize,
    n_matched: usize,
}

impl Bindings {
    /// Nothing bound.
    pub(super) fn new(n_metavariables: usize) -> Self {
        Self { values: vec![None; n_metavariables], ..Self::default() }
    }

    /// What a metavariable is bound to.
    pub(super) fn get(&self, var: Var) -> Option<&Bound> {
        self.values.get(var.0 as usize)?.as_ref()
    }

    /// The present state.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            n_bound: self.trail.len(),
            n_variables: self.n_variables,
            n_matched: self.matched.len(),
        }
    }

    /// Back to a state.
    pub(super) fn undo(&mut self, mark: Mark) {
        for var in self.trail.drain(mark.n_bound..) {
            self.values[var.0 as usize] = None;
        }
        self.n_variables = mark.n_variables;
        self.matched.truncate(mark.n_matched);
    }

    /// Binds a metavariable; false if it is bound to something else.
    pub(super) fn bind(&mut self, var: Var, value: Bound) -> bool {
        match &mut self.values[var.0 as usize] {
            Some(known) => *known == value,
            free => {
                *free = Some(value);
                self.trail.push(var);
                true
            }
        }
    }

    /// The object term that a term of the metarule stands for.
    pub(super) fn term(&self, term: Term) -> Option<Term> {
        match term {
            Term::Value(_) => Some(term),
            Term::Var(var) => match self.get(var)? {
                Bound::Term(term) => Some(*term),
                _ => None,
            },
        }
    }

    fn match_term(&mut self, pattern: Term, object: Term, offset: u16) -> bool {
        let object = moved(object, offset);
        match pattern {
            Term::Var(var) => self.bind(var, Bound::Term(object)),
            Term::Value(_) => pattern == object,
        }
    }

    fn match_terms(&mut self, patterns: &[Term], objects: &[Term], offset: u16) -> bool {
        patterns.len() == objects.len()
            && patterns
                .iter()
                .zip(objects)
                .all(|(pattern, object)| self.match_term(*pattern, *object, offset))
    }

    /// Matches a pattern with a condition whose variables are moved by the offset, in one of
    /// [`ways`].
    pub(super) fn match_condition(
        &mut self,
        pattern: &Condition,
        object: &Condition,
        offset: u16,
        way: Way,
    ) -> bool {
        match (pattern, object) {
            (Condition::Holds(wanted), Condition::Holds(found)) => {
                wanted.predicate == found.predicate
                    && self.match_terms(&wanted.args, &found.args, offset)
            }
            (Condition::Member(wanted, sort), Condition::Member(found, other)) => {
                sort == other && self.match_term(*wanted, *found, offset)
            }
            (
                Condition::Construct { whole, functor, args },
                Condition::Construct { whole: found, functor: other, args: parts },
            ) => {
                functor == other
                    && self.match_term(*whole, *found, offset)
                    && self.match_terms(args, parts, offset)
            }
            (Condition::Compare(wanted, left, right), Condition::Compare(found, first, second)) => {
                let (found, first, second) = if way.is_turned {
                    (mirrored(*found), second, first)
                } else {
                    (*found, first, second)
                };
                *wanted == found
                    && self.match_expr(left, first, offset, way)
                    && self.match_expr(right, second, offset, way)
            }
            _ => false,
        }
    }

    fn match_expr(&mut self, pattern: &Expr, object: &Expr, offset: u16, way: Way) -> bool {
        match (pattern, object) {
            (Expr::Term(pattern), Expr::Term(object)) => self.match_term(*pattern, *object, offset),
            (Expr::Binary(wanted, left, right), Expr::Binary(found, first, second)) => {
                let is_swapped = way.is_swapped && is_commutative(*found);
                let (first, second) = if is_swapped { (second, first) } else { (first, second) };
                wanted == found
                    && self.match_expr(left, first, offset, way)
                    && self.match_expr(right, second, offset, way)
            }
            _ => false,
        }
    }
}

/// In which way a comparison is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// With its sides exchanged.
    is_turned: bool,
    /// With the operands of a commutative operation exchanged.
    is_swapped: bool,
}

/// The ways in which a pattern can match.
pub(super) fn ways(pattern: &Condition) -> &'static [Way] {
    const PLAIN: Way = Way { is_turned: false, is_swapped: false };
    const TURNED: Way = Way { is_turned: true, is_swapped: false };
    const SWAPPED: Way = Way { is_turned: false, is_swapped: true };
    const BOTH: Way = Way { is_turned: true, is_swapped: true };
    match pattern {
        Condition::Compare(_, Expr::Term(_), Expr::Term(_)) => &[PLAIN, TURNED],
        Condition::Compare(..) => &[PLAIN, TURNED, SWAPPED, BOTH],
        _ => &[PLAIN],
    }
}

fn is_commutative(operation: Operation) -> bool {
    matches!(operation, Operation::Add | Operation::Mul | Operation::Min | Operation::Max)
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::Equal,
        Comparison::Unequal => Comparison::Unequal,
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
    }
}

fn moved(term: Term, offset: u16) -> Term {
    match term {
        // The search chooses no clauses whose variables do not fit together.
        Term::Var(var) => Term::Var(Var(var.0.saturating_add(offset))),
        value @ Term::Value(_) => value,
    }
}

/// The condition with its variables moved by the offset.
pub(super) fn moved_condition(condition: &Condition, offset: u16) -> Condition {
    if offset == 0 {
        return condition.clone();
    }
    substitute(condition, &|var| moved(Term::Var(var), offset))
}

/// The body of a clause as a set, its variables moved by the offset.
pub(super) fn body_set(clause: &Clause, offset: u16) -> Vec<Condition> {
    let mut set: Vec<Condition> = Vec::new();
    for condition in &clause.body {
        let condition = moved_condition(condition, offset);
        if !set.contains(&condition) {
            set.push(condition);
        }
    }
    set
}
