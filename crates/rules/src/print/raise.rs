//! Raising: clauses back to the surface syntax, the inverse of the check's lowering.
//!
//! In: conditions over atoms and numbered variables. Out: conditions as an author writes them:
//! fluents as functions, computed arguments in place, wildcards. Invariant: lowering what was raised
//! gives the same conditions in the same order, so only what lowering puts right before a condition
//! is written inside it.

use rulesmith_logic::{Atom, Comparison, Condition, Expr, Span, Term, Var, Variable};

use super::domains::{SortNames, expr};
use super::name;
use super::raise_exprs::{apply, int_expr, undefined};
use crate::rules_text::ast::{
    Condition as Written, ConditionKind, Expr as WrittenExpr, ExprKind, Name,
};
use crate::theory::{FluentDefault, FluentId, MoveKind, PredicateKind, Theory};

/// One clause being raised.
#[derive(Debug)]
pub(super) struct Raising<'t> {
    pub(super) theory: &'t Theory,
    pub(super) sorts: &'t SortNames<'t>,
    pub(super) variables: &'t [Variable],
    pub(super) body: &'t [Condition],
    /// How often each variable occurs.
    pub(super) uses: Vec<usize>,
    /// Names of the variables; none for those that are written `_`.
    pub(super) names: Vec<Option<String>>,
    /// Variables whose definition was written in their place.
    pub(super) inlined: Vec<bool>,
}

/// The conditions of a body that are not raised yet: those before `end`, down to `start`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'t> {
    pub(super) body: &'t [Condition],
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'t> Rest<'t> {
    /// All of a body.
    pub(super) fn all(body: &'t [Condition]) -> Self {
        Self { body, start: 0, end: body.len() }
    }

    /// The last of the conditions.
    pub(super) fn last(&self) -> Option<&'t Condition> {
        if self.end > self.start { self.body.get(self.end - 1) } else { None }
    }
}

impl<'t> Raising<'t> {
    /// Raises once to see which variables need a name, and then with their names.
    pub(super) fn twice<T>(&mut self, raise: impl Fn(&mut Self) -> T) -> T {
        self.names = vec![None; self.variables.len()];
        self.inlined = vec![false; self.variables.len()];
        if self.variables.is_empty() {
            return raise(self);
        }
        raise(self);
        self.names = super::variables::names(self.variables, self.body, &self.uses, &self.inlined);
        raise(self)
    }

    /// A body of its own.
    pub(super) fn body(&mut self, body: &'t [Condition]) -> Vec<Written> {
        self.rest(Rest::all(body))
    }

    /// A body that may not be empty: one that always holds stands for none.
    pub(super) fn some_body(&mut self, body: &'t [Condition]) -> Vec<Written> {
        let raised = self.body(body);
        if raised.is_empty() { vec![constant_truth(true)] } else { raised }
    }

    /// From the last condition to the first, as each may take in those before it.
    pub(super) fn rest(&mut self, mut rest: Rest<'t>) -> Vec<Written> {
        let mut raised = Vec::new();
        while let Some(condition) = rest.last() {
            rest.end -= 1;
            let kind = self.condition(condition, &mut rest);
            raised.push(written(kind));
        }
        raised.reverse();
        raised
    }

    fn condition(&mut self, condition: &'t Condition, rest: &mut Rest<'t>) -> ConditionKind {
        match condition {
            Condition::Holds(atom) => self.holds(atom, rest),
            Condition::None { locals, body } => {
                self.undefined(locals, body, rest).unwrap_or_else(|| self.none(locals, body))
            }
            Condition::AnyOf(branches) => self.any_of(branches),
            Condition::Compare(comparison, left, right) => {
                let is_equal = *comparison == Comparison::Equal;
                let right = self.side(right, is_equal, rest);
                let left = self.side(left, is_equal, rest);
                ConditionKind::Compare(*comparison, left, right)
            }
            Condition::Construct { whole, functor, args } => {
                let built = self.construct(*functor, args, rest);
                let whole = self.term(*whole, rest);
                ConditionKind::Compare(Comparison::Equal, whole, built)
            }
            Condition::Member(term, domain) => {
                let sort = self.sorts.name_of(*domain).unwrap_or("term");
                let args = vec![self.term(*term, rest)];
                ConditionKind::Holds(apply(sort, args))
            }
            Condition::Elsewhere { by, body, .. } => self.elsewhere(by, body, rest),
        }
    }

    /// One side of a comparison. The value of a function that equals something is the function's own
    /// condition, so it is not written inside an equation.
    fn side(&mut self, side: &'t Expr, is_equal: bool, rest: &mut Rest<'t>) -> WrittenExpr {
        match side {
            Expr::Term(term) if is_equal && matches!(rest.last(), Some(Condition::Holds(_))) => {
                self.plain(*term)
            }
            _ => self.expr(side, rest),
        }
    }

    fn holds(&mut self, atom: &'t Atom, rest: &mut Rest<'t>) -> ConditionKind {
        let theory = self.theory;
        if is_outside(theory, atom) {
            return constant_truth(false).kind;
        }
        let args = self.terms(&atom.args, rest);
        let predicate = &theory.base.predicate(atom.predicate).name;
        match theory.kind(atom.predicate) {
            PredicateKind::Fluent(id) if theory.fluent(*id).is_functional => {
                equation(&theory.fluent(*id).name, args)
            }
            PredicateKind::Static { arrow: true, is_given: false }
            | PredicateKind::DerivedFunction => equation(predicate, args),
            PredicateKind::Legal(id) => {
                let (role, act) = doing(&theory.move_kind(*id).name, args);
                ConditionKind::Legal { role, act: Some(act) }
            }
            PredicateKind::Does(id) => {
                let (role, act) = doing(&theory.move_kind(*id).name, args);
                ConditionKind::Does { role, act }
            }
            PredicateKind::Repeated(over) => {
                let times = args.into_iter().next().unwrap_or_else(|| int_expr(0));
                ConditionKind::Repeated { times, over: self.over(over) }
            }
            PredicateKind::Since(event) => {
                let steps = args.into_iter().next().unwrap_or_else(|| int_expr(0));
                ConditionKind::Since { event: name(&theory.base.predicate(*event).name), steps }
            }
            _ => ConditionKind::Holds(apply(predicate, args)),
        }
    }

    fn over(&self, over: &[FluentId]) -> Option<Vec<Name>> {
        let is_all = over.iter().copied().eq(self.theory.fluent_ids());
        (!is_all).then(|| over.iter().map(|id| name(&self.theory.fluent(*id).name)).collect())
    }

    /// `owner(S) = undefined`: a partial fluent has no value at all.
    fn undefined(
        &mut self,
        locals: &[Var],
        body: &'t [Condition],
        rest: &mut Rest<'t>,
    ) -> Option<ConditionKind> {
        let ([local], [Condition::Holds(atom)]) = (locals, body) else { return None };
        let PredicateKind::Fluent(id) = self.theory.kind(atom.predicate) else { return None };
        let (fluent, place) = (self.theory.fluent(*id), local.0 as usize);
        let is_partial = fluent.is_functional && fluent.default == FluentDefault::Undefined;
        let is_free = self.variables[place].name == "_" && self.uses[place] == 1;
        let (value, keys) = atom.args.split_last()?;
        (is_partial && is_free && *value == Term::Var(*local)).then(|| {
            let mut args = self.terms(keys, rest);
            args.push(undefined());
            equation(&fluent.name, args)
        })
    }

    fn none(&mut self, locals: &[Var], body: &'t [Condition]) -> ConditionKind {
        let listed = super::variables::listed(locals, body, &self.names);
        let body = self.some_body(body);
        if listed.is_empty() {
            return ConditionKind::Not(body);
        }
        ConditionKind::None {
            locals: listed.into_iter().map(|var| self.variable_name(var)).collect(),
            body,
        }
    }

    fn any_of(&mut self, branches: &'t [Vec<Condition>]) -> ConditionKind {
        if let Some((is_legal, role)) = any_move(self.theory, branches) {
            let role = self.plain(role);
            return if is_legal {
                ConditionKind::Legal { role, act: None }
            } else {
                ConditionKind::Does { role, act: expr(ExprKind::Name("any".to_owned())) }
            };
        }
        match branches {
            [] => constant_truth(false).kind,
            [only] if only.len() == 1 => self.some_body(only).remove(0).kind,
            _ => {
                ConditionKind::AnyOf(branches.iter().map(|branch| self.some_body(branch)).collect())
            }
        }
    }

    fn elsewhere(
        &mut self,
        by: &'t Atom,
        body: &'t [Condition],
        rest: &mut Rest<'t>,
    ) -> ConditionKind {
        let theory = self.theory;
        let args = self.terms(&by.args, rest);
        let body = self.some_body(body);
        match theory.kind(by.predicate) {
            PredicateKind::Cycle(over) => {
                let role = args.into_iter().next().unwrap_or_else(|| int_expr(0));
                ConditionKind::Cycle { role, body, over: self.over(over) }
            }
            PredicateKind::Does(id) => {
                let (role, act) = doing(&theory.move_kind(*id).name, args);
                ConditionKind::After { role: Some(role), act, body }
            }
            _ => {
                let act = apply(&theory.base.predicate(by.predicate).name, args);
                ConditionKind::After { role: None, act, body }
            }
        }
    }
}

/// `legal P does any`: one branch for each kind of move, its parameters free.
pub(super) fn any_move(theory: &Theory, branches: &[Vec<Condition>]) -> Option<(bool, Term)> {
    let [Condition::Holds(first)] = branches.first()?.as_slice() else { return None };
    let is_legal = matches!(theory.kind(first.predicate), PredicateKind::Legal(_));
    let role = *first.args.first()?;
    let is_whole = branches.len() == theory.moves.len();
    let is_branch = |(branch, kind): (&Vec<Condition>, &MoveKind)| {
        let wanted = if is_legal { kind.legal } else { kind.does };
        matches!(branch.as_slice(), [Condition::Holds(atom)]
            if atom.predicate == wanted && atom.args.first() == Some(&role))
    };
    let is_any =
        is_whole && branches.iter().zip(&theory.moves).all(is_branch) && are_free(branches);
    is_any.then_some((is_legal, role))
}

/// Are all arguments but the first variables, each another one?
fn are_free(branches: &[Vec<Condition>]) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    branches.iter().flatten().all(|condition| match condition {
        Condition::Holds(atom) => {
            let mut params = atom.args.iter().skip(1);
            params.all(|term| matches!(term, Term::Var(_)) && seen.insert(*term))
        }
        _ => false,
    })
}

/// Has the atom an argument outside its sort, so that it never holds? A text may not say such things.
fn is_outside(theory: &Theory, atom: &Atom) -> bool {
    let domains = &theory.base.predicate(atom.predicate).domains;
    atom.args.iter().zip(domains).any(|(term, domain)| match (term, domain) {
        (Term::Value(value), Some(domain)) => !theory.base.domain(*domain).values.contains(value),
        _ => false,
    })
}

/// `at(F, R) = V`, from keys and value.
fn equation(function: &str, mut args: Vec<WrittenExpr>) -> ConditionKind {
    let value = args.pop().unwrap_or_else(undefined);
    ConditionKind::Compare(Comparison::Equal, apply(function, args), value)
}

/// Role and move, from the arguments of a move's predicate.
pub(super) fn doing(act: &str, mut args: Vec<WrittenExpr>) -> (WrittenExpr, WrittenExpr) {
    let role = if args.is_empty() { undefined() } else { args.remove(0) };
    (role, apply(act, args))
}

/// `0 = 0` or `0 = 1`.
fn constant_truth(holds: bool) -> Written {
    let right = int_expr(i32::from(!holds));
    written(ConditionKind::Compare(Comparison::Equal, int_expr(0), right))
}

fn written(kind: ConditionKind) -> Written {
    Written { kind, span: Span::default() }
}
