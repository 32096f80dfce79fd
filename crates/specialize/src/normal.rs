//! The normal form of conditions: one way to write each, a total order, and an exact token text.
//!
//! In: conditions over numbered variables. Out: the same conditions oriented, sorted, plain ones without
//! repetition, and tokens that are equal exactly when the conditions are. Invariant: what holds is the
//! same before and after; the order depends on the numbers of variables and nothing else.

use rulesmith_logic::{Atom, Comparison, Condition, Expr, Operation, Term, Value, Var};

/// A piece of an exact, ordered text of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Token {
    Number(u32),
    Var(Var),
    Value(Value),
}

/// Orients comparisons, sorts what has no order, removes plain repetitions. Bodies inside come first, so that
/// the order of what is outside can rely on theirs.
pub(crate) fn arrange(body: &mut Vec<Condition>) {
    for condition in body.iter_mut() {
        arrange_condition(condition);
    }
    sort_by_text(body, write_condition);
    // What two negations or counts share belongs to neither; it would belong to one left alone.
    body.dedup_by(|one, other| one == other && !has_body(one));
}

fn sort_by_text<T>(items: &mut [T], write: fn(&T, &mut Vec<Token>)) {
    if items.len() > 1 {
        items.sort_by_cached_key(|item| text(item, write));
    }
}

fn has_body(condition: &Condition) -> bool {
    match condition {
        Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => false,
        Condition::Compare(_, left, right) => counts(left) || counts(right),
        Condition::None { .. } | Condition::AnyOf(_) | Condition::Elsewhere { .. } => true,
    }
}

fn counts(expr: &Expr) -> bool {
    match expr {
        Expr::Term(_) => false,
        Expr::Binary(_, left, right) => counts(left) || counts(right),
        Expr::Count { .. } => true,
    }
}

fn text<T>(item: &T, write: fn(&T, &mut Vec<Token>)) -> Vec<Token> {
    let mut tokens = Vec::new();
    write(item, &mut tokens);
    tokens
}

fn arrange_condition(condition: &mut Condition) {
    match condition {
        Condition::None { locals, body } => {
            arrange(body);
            locals.sort_unstable();
        }
        Condition::AnyOf(branches) => {
            for branch in branches.iter_mut() {
                arrange(branch);
            }
            sort_by_text(branches, |branch, tokens| write_body(branch, tokens));
        }
        Condition::Compare(comparison, left, right) => {
            arrange_expr(left);
            arrange_expr(right);
            let is_reversed = match comparison {
                Comparison::Equal | Comparison::Unequal => is_after(left, right),
                Comparison::Less | Comparison::AtMost => false,
                Comparison::Greater | Comparison::AtLeast => true,
            };
            if is_reversed {
                std::mem::swap(left, right);
                *comparison = reversed(*comparison);
            }
        }
        Condition::Elsewhere { body, .. } => arrange(body),
        Condition::Holds(_) | Condition::Construct { .. } | Condition::Member(..) => {}
    }
}

/// Plain terms stand on the left; between two of a kind the order of writing decides.
fn is_after(left: &Expr, right: &Expr) -> bool {
    text(left, write_expr) > text(right, write_expr)
}

fn reversed(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        symmetric => symmetric,
    }
}

fn arrange_expr(expr: &mut Expr) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(operation, left, right) => {
            arrange_expr(left);
            arrange_expr(right);
            if is_commutative(*operation) && is_after(left, right) {
                std::mem::swap(left, right);
            }
        }
        Expr::Count { counted, body } => {
            arrange(body);
            counted.sort_unstable();
        }
    }
}

/// May the operands change places?
pub(crate) fn is_commutative(operation: Operation) -> bool {
    matches!(operation, Operation::Add | Operation::Mul | Operation::Min | Operation::Max)
}

/// Writes all conditions, with their number before them.
pub(crate) fn write_body(body: &[Condition], tokens: &mut Vec<Token>) {
    write_number(body.len(), tokens);
    for condition in body {
        write_condition(condition, tokens);
    }
}

fn write_condition(condition: &Condition, tokens: &mut Vec<Token>) {
    match condition {
        Condition::Holds(atom) => {
            tokens.push(Token::Number(0));
            write_atom(atom, tokens);
        }
        Condition::Member(term, domain) => {
            tokens.extend([Token::Number(1), Token::Number(domain.0), term_token(*term)]);
        }
        Condition::Construct { whole, functor, args } => {
            let functor = Token::Value(Value::Symbol(*functor));
            tokens.extend([Token::Number(2), functor, term_token(*whole)]);
            write_terms(args, tokens);
        }
        Condition::Compare(comparison, left, right) => {
            tokens.extend([Token::Number(3), Token::Number(*comparison as u32)]);
            write_expr(left, tokens);
            write_expr(right, tokens);
        }
        Condition::None { body, .. } => {
            tokens.push(Token::Number(4));
            write_body(body, tokens);
        }
        Condition::Elsewhere { by, quantifier, body } => {
            tokens.extend([Token::Number(5), Token::Number(*quantifier as u32)]);
            write_atom(by, tokens);
            write_body(body, tokens);
        }
        Condition::AnyOf(branches) => {
            tokens.push(Token::Number(6));
            write_number(branches.len(), tokens);
            for branch in branches {
                write_body(branch, tokens);
            }
        }
    }
}

/// Writes an atom.
pub(crate) fn write_atom(atom: &Atom, tokens: &mut Vec<Token>) {
    tokens.push(Token::Number(atom.predicate.0));
    write_terms(&atom.args, tokens);
}

fn write_terms(terms: &[Term], tokens: &mut Vec<Token>) {
    write_number(terms.len(), tokens);
    tokens.extend(terms.iter().map(|term| term_token(*term)));
}

fn write_expr(expr: &Expr, tokens: &mut Vec<Token>) {
    match expr {
        Expr::Term(term) => tokens.extend([Token::Number(0), term_token(*term)]),
        Expr::Binary(operation, left, right) => {
            tokens.extend([Token::Number(1), Token::Number(*operation as u32)]);
            write_expr(left, tokens);
            write_expr(right, tokens);
        }
        Expr::Count { counted, body } => {
            tokens.push(Token::Number(2));
            write_number(counted.len(), tokens);
            tokens.extend(counted.iter().map(|var| Token::Var(*var)));
            write_body(body, tokens);
        }
    }
}

fn write_number(number: usize, tokens: &mut Vec<Token>) {
    tokens.push(Token::Number(u32::try_from(number).unwrap_or(u32::MAX)));
}

fn term_token(term: Term) -> Token {
    match term {
        Term::Var(var) => Token::Var(var),
        Term::Value(value) => Token::Value(value),
    }
}

/// Visits every occurrence of a variable in the conditions, counted tuples before what counts them.
pub(crate) fn visit_vars(body: &[Condition], visit: &mut dyn FnMut(Var)) {
    for condition in body {
        match condition {
            Condition::Holds(atom) => visit_terms(&atom.args, visit),
            Condition::None { body, .. } => visit_vars(body, visit),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    visit_vars(branch, visit);
                }
            }
            Condition::Compare(_, left, right) => {
                visit_expr(left, visit);
                visit_expr(right, visit);
            }
            Condition::Construct { whole, args, .. } => {
                visit_terms(&[*whole], visit);
                visit_terms(args, visit);
            }
            Condition::Member(term, _) => visit_terms(&[*term], visit),
            Condition::Elsewhere { by, body, .. } => {
                visit_terms(&by.args, visit);
                visit_vars(body, visit);
            }
        }
    }
}

/// Visits the variables among the terms.
pub(crate) fn visit_terms(terms: &[Term], visit: &mut dyn FnMut(Var)) {
    for term in terms {
        if let Term::Var(var) = term {
            visit(*var);
        }
    }
}

fn visit_expr(expr: &Expr, visit: &mut dyn FnMut(Var)) {
    match expr {
        Expr::Term(term) => visit_terms(&[*term], visit),
        Expr::Binary(_, left, right) => {
            visit_expr(left, visit);
            visit_expr(right, visit);
        }
        Expr::Count { counted, body } => {
            for var in counted {
                visit(*var);
            }
            visit_vars(body, visit);
        }
    }
}
