//! Raising: terms and expressions back to the surface syntax.
//!
//! In: terms over numbered variables, and the conditions right before their place. Out: expressions,
//! with what computes a nameless variable written where the variable stands.

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Operation, PredicateId, Symbol, Term, Value, Var,
};

use super::domains::expr;
use super::name;
use super::raise::{Raising, Rest};
use crate::rules_text::ast::{Expr as WrittenExpr, ExprKind, Name};
use crate::theory::{PredicateKind, Theory, UNDEFINED};

impl<'t> Raising<'t> {
    /// The arguments of a move pattern. What computes them stands right behind it, at the start of the
    /// rest of the body: where that rest starts.
    pub(super) fn pattern(
        &mut self,
        args: &'t [Term],
        body: &'t [Condition],
    ) -> (Vec<WrittenExpr>, usize) {
        let mut start = 1;
        let mut raised = Vec::new();
        for term in args {
            let before = self.inlined.clone();
            let computed =
                (start..body.len()).find(|place| defines(&body[*place], *term)).and_then(|place| {
                    let mut rest = Rest { body, start, end: place + 1 };
                    let computed = self.term(*term, &mut rest);
                    (rest.end == start).then_some((computed, place + 1))
                });
            if let Some((computed, end)) = computed {
                raised.push(computed);
                start = end;
            } else {
                self.inlined = before;
                raised.push(self.plain(*term));
            }
        }
        (raised, start)
    }

    /// Terms from the last to the first, as they were lowered the other way round.
    pub(super) fn terms(&mut self, terms: &'t [Term], rest: &mut Rest<'t>) -> Vec<WrittenExpr> {
        let mut raised: Vec<WrittenExpr> =
            terms.iter().rev().map(|term| self.term(*term, rest)).collect();
        raised.reverse();
        raised
    }

    pub(super) fn term(&mut self, term: Term, rest: &mut Rest<'t>) -> WrittenExpr {
        match term {
            Term::Var(var) => self.inline(var, rest).unwrap_or_else(|| self.plain(term)),
            Term::Value(_) => self.plain(term),
        }
    }

    /// The term as it stands, whatever defines it.
    pub(super) fn plain(&self, term: Term) -> WrittenExpr {
        match term {
            Term::Value(value) => value_expr(self.theory, value),
            Term::Var(var) => match &self.names[var.0 as usize] {
                Some(text) => expr(ExprKind::Var(text.clone())),
                None => expr(ExprKind::Wildcard),
            },
        }
    }

    pub(super) fn variable_name(&self, var: Var) -> Name {
        name(self.names[var.0 as usize].as_deref().unwrap_or("_"))
    }

    /// What defines a variable, if that is the last condition and nothing else uses it. Authors do not
    /// name the variables that lowering makes, and other languages name compounds only in passing.
    fn inline(&mut self, var: Var, rest: &mut Rest<'t>) -> Option<WrittenExpr> {
        let place = var.0 as usize;
        let (is_nameless, whole) = (self.variables[place].name == "_", Term::Var(var));
        if self.uses[place] != 2 {
            return None;
        }
        let raised = match rest.last()? {
            Condition::Construct { whole: defined, functor, args } if *defined == whole => {
                rest.end -= 1;
                self.construct(*functor, args, rest)
            }
            Condition::Compare(Comparison::Equal, Expr::Term(defined), value)
                if is_nameless && *defined == whole && !matches!(value, Expr::Term(_)) =>
            {
                rest.end -= 1;
                self.expr(value, rest)
            }
            Condition::Holds(Atom { predicate, args })
                if is_nameless && args.last() == Some(&whole) =>
            {
                let function = self.function(*predicate)?;
                rest.end -= 1;
                apply(function, self.terms(&args[..args.len() - 1], rest))
            }
            _ => return None,
        };
        self.inlined[place] = true;
        Some(raised)
    }

    /// The name of a predicate whose last argument is a function of the others.
    fn function(&self, id: PredicateId) -> Option<&'t str> {
        let theory = self.theory;
        let predicate = &theory.base.predicate(id).name;
        match theory.kind(id) {
            PredicateKind::Fluent(fluent) if theory.fluent(*fluent).is_functional => {
                Some(&theory.fluent(*fluent).name)
            }
            PredicateKind::DerivedFunction => Some(predicate),
            PredicateKind::Static { arrow: true, .. } => {
                let is_data = theory.data.iter().any(|data| data.name == *predicate);
                (!is_data).then_some(predicate)
            }
            _ => None,
        }
    }

    pub(super) fn construct(
        &mut self,
        functor: Symbol,
        args: &'t [Term],
        rest: &mut Rest<'t>,
    ) -> WrittenExpr {
        let functor = self.theory.symbols.name(functor);
        let args = self.terms(args, rest);
        if functor.is_empty() { expr(ExprKind::Tuple(args)) } else { apply(functor, args) }
    }

    pub(super) fn expr(&mut self, raised: &'t Expr, rest: &mut Rest<'t>) -> WrittenExpr {
        let kind = match raised {
            Expr::Term(term) => return self.term(*term, rest),
            Expr::Binary(Operation::Sub, zero, operand) if is_zero(zero) => {
                ExprKind::Negate(Box::new(self.expr(operand, rest)))
            }
            Expr::Binary(operation, left, right) => {
                let right = self.expr(right, rest);
                let left = self.expr(left, rest);
                match operation {
                    Operation::Min => ExprKind::Apply(name("min"), vec![left, right]),
                    Operation::Max => ExprKind::Apply(name("max"), vec![left, right]),
                    _ => ExprKind::Binary(*operation, Box::new(left), Box::new(right)),
                }
            }
            Expr::Count { counted, body } => {
                let body = self.some_body(body);
                ExprKind::Count {
                    counted: counted.iter().map(|var| self.variable_name(*var)).collect(),
                    body,
                }
            }
        };
        expr(kind)
    }
}

/// Does the condition give the variable its value?
fn defines(condition: &Condition, term: Term) -> bool {
    match condition {
        Condition::Compare(Comparison::Equal, Expr::Term(defined), _) => *defined == term,
        Condition::Construct { whole, .. } => *whole == term,
        Condition::Holds(atom) => matches!(term, Term::Var(_)) && atom.args.last() == Some(&term),
        _ => false,
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Term(Term::Value(Value::Int(0))))
}

/// A name applied to arguments, or alone.
pub(super) fn apply(function: &str, args: Vec<WrittenExpr>) -> WrittenExpr {
    let is_name = args.is_empty();
    expr(if is_name {
        ExprKind::Name(function.to_owned())
    } else {
        ExprKind::Apply(name(function), args)
    })
}

/// A number.
pub(super) fn int_expr(number: i32) -> WrittenExpr {
    expr(ExprKind::Int(number.into()))
}

/// `undefined`.
pub(super) fn undefined() -> WrittenExpr {
    expr(ExprKind::Undefined)
}

/// A value written out.
pub(super) fn value_expr(theory: &Theory, value: Value) -> WrittenExpr {
    let symbols = &theory.symbols;
    match value {
        Value::Int(number) => int_expr(number),
        Value::Symbol(symbol) if symbols.name(symbol) == UNDEFINED => undefined(),
        Value::Symbol(symbol) => expr(ExprKind::Name(symbols.name(symbol).to_owned())),
        Value::Compound(compound) => {
            let (functor, args) = symbols.parts(compound);
            let args: Vec<WrittenExpr> = args.iter().map(|arg| value_expr(theory, *arg)).collect();
            let functor = symbols.name(functor);
            if functor.is_empty() { expr(ExprKind::Tuple(args)) } else { apply(functor, args) }
        }
    }
}
