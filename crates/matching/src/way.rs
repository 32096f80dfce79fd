//! Ways: how a flat condition is tried when some variables are bound.
//!
//! In: a flat condition and what is known. Out: whether it is a test or binds something, with equations
//! solved for their one unknown. Invariant: a way agrees with the reference solver; a condition without
//! a way has too many unknowns.

use rulesmith_logic::{
    Atom, Comparison, Condition, DomainId, Expr, Operation, Quantifier, Symbol, Term, Var,
};

use crate::error::Error;

/// How a condition is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way<'c> {
    /// Rows are looked up by what is known.
    Holds(&'c Atom),
    /// Both sides are known.
    Compare(Comparison, Term, Term),
    /// The variable takes the known value.
    Bind(Var, Term),
    /// Both operands are known; the result is compared, or bound.
    Compute { operation: Operation, left: Term, right: Term, result: Term },
    /// The number of tuples is compared, or bound.
    Count { counted: &'c [Var], body: &'c [Condition], result: Term },
    /// The whole is known: its parts are compared, or bound.
    TakeApart { whole: Term, functor: Symbol, args: &'c [Term] },
    /// The parts are known: the whole is bound.
    Make { whole: Var, functor: Symbol, args: &'c [Term] },
    /// Tested, or the members one after another.
    Member(Term, DomainId),
    /// The body must not hold.
    None { locals: &'c [Var], body: &'c [Condition] },
    /// The body is judged elsewhere.
    Elsewhere { by: &'c Atom, quantifier: Quantifier, body: &'c [Condition] },
}

/// The way to try a condition, `None` when too little is known.
pub(crate) fn way<'c>(
    condition: &'c Condition,
    is_known: &dyn Fn(Term) -> bool,
) -> Result<Option<Way<'c>>, Error> {
    Ok(match condition {
        Condition::Holds(atom) => Some(Way::Holds(atom)),
        Condition::None { locals, body } => Some(Way::None { locals, body }),
        Condition::AnyOf(_) => return Err(Error::NotFlat { what: "an alternative" }),
        Condition::Compare(comparison, left, right) => {
            return comparison_way(*comparison, left, right, is_known);
        }
        Condition::Construct { whole, functor, args } => match whole {
            whole if is_known(*whole) => {
                Some(Way::TakeApart { whole: *whole, functor: *functor, args })
            }
            Term::Var(var) if args.iter().all(|term| is_known(*term)) => {
                Some(Way::Make { whole: *var, functor: *functor, args })
            }
            _ => None,
        },
        Condition::Member(term, domain) => Some(Way::Member(*term, *domain)),
        Condition::Elsewhere { by, quantifier, body } => by
            .args
            .iter()
            .all(|term| is_known(*term))
            .then_some(Way::Elsewhere { by, quantifier: *quantifier, body }),
    })
}

fn comparison_way<'c>(
    comparison: Comparison,
    left: &'c Expr,
    right: &'c Expr,
    is_known: &dyn Fn(Term) -> bool,
) -> Result<Option<Way<'c>>, Error> {
    let is_equal = comparison == Comparison::Equal;
    Ok(match (left, right) {
        (Expr::Term(left), Expr::Term(right)) => term_way(comparison, *left, *right, is_known),
        (Expr::Term(term), Expr::Binary(operation, left, right))
        | (Expr::Binary(operation, left, right), Expr::Term(term))
            if is_equal =>
        {
            let (Expr::Term(left), Expr::Term(right)) = (&**left, &**right) else {
                return Err(Error::NotFlat { what: "an expression inside an expression" });
            };
            equation_way(*term, *operation, (*left, *right), is_known)
        }
        (Expr::Term(term), Expr::Count { counted, body })
        | (Expr::Count { counted, body }, Expr::Term(term))
            if is_equal =>
        {
            Some(Way::Count { counted, body, result: *term })
        }
        _ => return Err(Error::NotFlat { what: "a comparison of expressions" }),
    })
}

fn term_way<'c>(
    comparison: Comparison,
    left: Term,
    right: Term,
    is_known: &dyn Fn(Term) -> bool,
) -> Option<Way<'c>> {
    match (is_known(left), is_known(right), left, right) {
        (true, true, ..) => Some(Way::Compare(comparison, left, right)),
        (false, true, Term::Var(var), known) | (true, false, known, Term::Var(var))
            if comparison == Comparison::Equal =>
        {
            Some(Way::Bind(var, known))
        }
        _ => None,
    }
}

/// Solves `term = left operation right` for its one unknown; only sums and differences are turned
/// around.
fn equation_way<'c>(
    term: Term,
    operation: Operation,
    (left, right): (Term, Term),
    is_known: &dyn Fn(Term) -> bool,
) -> Option<Way<'c>> {
    let compute =
        |operation, left, right, result| Some(Way::Compute { operation, left, right, result });
    match (is_known(term), is_known(left), is_known(right), operation) {
        (_, true, true, _) => compute(operation, left, right, term),
        (true, true, false, Operation::Add) => compute(Operation::Sub, term, left, right),
        (true, false, true, Operation::Add) => compute(Operation::Sub, term, right, left),
        (true, true, false, Operation::Sub) => compute(Operation::Sub, left, term, right),
        (true, false, true, Operation::Sub) => compute(Operation::Add, term, right, left),
        _ => None,
    }
}
