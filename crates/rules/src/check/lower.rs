//! Conditions: from the syntax tree to the clause language.
//!
//! In: one clause's head and body. Out: a clause with numbered variables. Invariant: what cannot be
//! lowered is reported and left out, and lowering goes on.

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, Expr, Level, PredicateId, Quantifier, Span, Term, Value,
};

use super::exprs::Function;
use super::variables::Variables;
use super::{Checker, with_help, world_predicate};
use crate::rules_text::ast;
use crate::rules_text::ast::{ConditionKind, ExprKind};
use crate::source::Diagnostic;
use crate::theory::{FluentDefault, FluentId, MoveId, PredicateKind};

/// One clause being lowered.
pub(crate) struct Lowering<'c, 'a> {
    pub(crate) checker: &'c mut Checker<'a>,
    pub(crate) variables: Variables,
    pub(crate) body: Vec<Condition>,
    /// Who does the move in `after`, where it is not said.
    pub(crate) doer: Option<Term>,
}

impl<'c, 'a> Lowering<'c, 'a> {
    pub(crate) fn new(checker: &'c mut Checker<'a>) -> Self {
        Self { checker, variables: Variables::default(), body: vec![], doer: None }
    }

    /// Adds the finished clause to the base, after the checks that need all of it.
    pub(crate) fn finish(mut self, predicate: PredicateId, args: Vec<Term>, span: Span) {
        self.warn_of_singletons();
        self.add_clause(predicate, args, span);
    }

    /// `finish`, without the warnings that need the whole item.
    pub(crate) fn add_clause(&mut self, predicate: PredicateId, args: Vec<Term>, span: Span) {
        if self.variables.is_too_many() {
            let problem =
                Diagnostic::error("limit", span, "this clause has more than 65,534 variables");
            self.checker.report(problem);
            return;
        }
        let limit = self.checker.settings.limits.conditions;
        if self.body.len() > limit {
            let message =
                format!("this clause has more conditions than the limit `conditions` of {limit}");
            let problem = Diagnostic::error("limit", span, message);
            self.checker
                .report(problem.help("give a part of it a name: make it a predicate of its own"));
            return;
        }
        self.check_constants(predicate, &args, span);
        let head = Atom { predicate, args };
        self.find_domains(&head);
        self.check_sorts(Some(&head));
        self.check_safety(&head);
        let body = std::mem::take(&mut self.body);
        let variables = std::mem::take(&mut self.variables.list);
        self.checker.base.add_clause(Clause { head, body, variables, span });
    }

    /// Lowers a body in place.
    pub(crate) fn conditions(&mut self, body: &[ast::Condition]) {
        for condition in body {
            // An error is reported where it is found; the other conditions are looked at all the same.
            let _ = self.condition(condition);
        }
    }

    /// Lowers a body of its own.
    pub(crate) fn nested(&mut self, body: &[ast::Condition]) -> Vec<Condition> {
        let outer = std::mem::take(&mut self.body);
        self.conditions(body);
        std::mem::replace(&mut self.body, outer)
    }

    fn condition(&mut self, condition: &ast::Condition) -> Option<()> {
        let span = condition.span;
        match &condition.kind {
            ConditionKind::Holds(expr) => self.applied(expr),
            ConditionKind::Compare(comparison, left, right) => {
                self.comparison(*comparison, left, right, span)
            }
            ConditionKind::Not(body) => {
                self.none(&[], body);
                Some(())
            }
            ConditionKind::None { locals, body } => {
                self.none(locals, body);
                Some(())
            }
            ConditionKind::AnyOf(branches) => {
                let branches = branches.iter().map(|branch| self.nested(branch)).collect();
                self.body.push(Condition::AnyOf(branches));
                Some(())
            }
            ConditionKind::Does { role, act } => {
                let role = self.role(role)?;
                self.act_atoms(role, act, |kind| kind.does)
            }
            ConditionKind::Legal { role, act } => {
                let role = self.role(role)?;
                if let Some(act) = act {
                    return self.act_atoms(role, act, |kind| kind.legal);
                }
                self.any_act(role, span, |kind| kind.legal);
                Some(())
            }
            ConditionKind::After { role, act, body } => self.after(role.as_ref(), act, body, span),
            ConditionKind::Repeated { times, over } => {
                let times = self.term(times)?;
                let over = self.fluents_named(over.as_deref())?;
                let name = "repeated";
                let predicate = self.history(name, PredicateKind::Repeated(over), span);
                self.holds(predicate, vec![times], span);
                Some(())
            }
            ConditionKind::Since { event, steps } => {
                let steps = self.term(steps)?;
                let event = self.event(event)?;
                let predicate = self.history("since", PredicateKind::Since(event), span);
                self.holds(predicate, vec![steps], span);
                Some(())
            }
            ConditionKind::Cycle { role, body, over } => {
                let role = self.role(role)?;
                let over = self.fluents_named(over.as_deref())?;
                let predicate = self.history("cycle", PredicateKind::Cycle(over), span);
                let by = Atom { predicate, args: vec![role] };
                let body = self.nested(body);
                self.body.push(Condition::Elsewhere { by, quantifier: Quantifier::Every, body });
                Some(())
            }
        }
    }

    fn none(&mut self, locals: &[ast::Name], body: &[ast::Condition]) {
        let before = self.variables.list.len();
        for local in locals {
            self.variables.open_local(&local.text, local.span);
        }
        let body = self.nested(body);
        self.variables.close_locals(locals.len());
        let locals = self.variables.locals_since(before);
        self.body.push(Condition::None { locals, body });
    }

    /// A relation, boolean fluent or sort.
    fn applied(&mut self, expr: &ast::Expr) -> Option<()> {
        let (name, args): (ast::Name, &[ast::Expr]) = match &expr.kind {
            ExprKind::Name(name) => (ast::Name { text: name.clone(), span: expr.span }, &[]),
            ExprKind::Apply(name, args) => (name.clone(), args),
            _ => {
                let problem = Diagnostic::error(
                    "no-condition",
                    expr.span,
                    "this is a value, not a condition",
                );
                self.checker
                    .report(problem.help("compare it with something, or apply a predicate"));
                return None;
            }
        };
        let key = (name.text.clone(), args.len());
        let relation = self.checker.relations.get(&key).copied();
        let boolean = self.checker.fluents.iter().find(|fluent| {
            !fluent.is_functional && fluent.name == name.text && fluent.n_keys == args.len()
        });
        if let Some(predicate) = boolean.map(|fluent| fluent.predicate).or(relation) {
            let terms = self.terms(args)?;
            self.holds(predicate, terms, expr.span);
            return Some(());
        }
        if let (Some(domain), [arg]) = (self.checker.sorts.get(&name.text).copied(), args) {
            let term = self.term(arg)?;
            if let Some(domain) = domain {
                self.body.push(Condition::Member(term, domain));
            }
            return Some(());
        }
        // The arguments are looked at all the same, for their own mistakes.
        let _ = self.terms(args);
        self.unknown_condition(&name, args.len());
        None
    }

    fn unknown_condition(&mut self, name: &ast::Name, arity: usize) {
        if let Some(Function::Value(_)) = self.function(&name.text, arity) {
            let message = format!("`{}` has a value; a condition must say which", name.text);
            let problem = Diagnostic::error("value-missing", name.span, message);
            let keys = if arity == 0 { "" } else { "(…)" };
            self.checker.report(problem.help(format!("write `{}{keys} = VALUE`", name.text)));
            return;
        }
        let others = self.checker.other_arities(&name.text);
        let problem = if others.is_empty() {
            let message = format!(
                "there is no predicate `{}` with {}",
                name.text,
                super::items::arguments(arity)
            );
            let help = Checker::did_you_mean(&name.text, self.checker.known_names());
            let help = help.unwrap_or_else(|| "define it by a clause, or declare it".to_owned());
            Diagnostic::error("unknown-predicate", name.span, message).help(help)
        } else {
            let message =
                format!("`{}` takes {}, {arity} are given", name.text, others.join(" or "));
            Diagnostic::error("wrong-arity", name.span, message)
        };
        self.checker.report(problem);
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<()> {
        for (applied, value) in [(left, right), (right, left)] {
            if matches!(value.kind, ExprKind::Undefined) {
                return self.defined(comparison, applied, span);
            }
        }
        if comparison == Comparison::Equal {
            // A function's value is an atom; the other side may be any term.
            for (applied, value) in [(left, right), (right, left)] {
                if let Some((predicate, args)) = self.applied_function(applied) {
                    let mut terms = self.terms(args)?;
                    terms.push(self.term(value)?);
                    self.holds(predicate, terms, span);
                    return Some(());
                }
            }
        }
        let (left_expr, right_expr) = (self.expr(left), self.expr(right));
        let (left_expr, right_expr) = (left_expr?, right_expr?);
        if !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
            for (expr, side) in [(&left_expr, left), (&right_expr, right)] {
                if let Expr::Term(Term::Value(Value::Symbol(_) | Value::Compound(_))) = expr {
                    let problem =
                        Diagnostic::error("sort-mismatch", side.span, "this is not a number");
                    self.checker.report(problem.label("only integers have an order"));
                    return None;
                }
            }
        }
        self.body.push(Condition::Compare(comparison, left_expr, right_expr));
        Some(())
    }

    /// `f(K) = undefined` and `f(K) \\= undefined`.
    fn defined(&mut self, comparison: Comparison, applied: &ast::Expr, span: Span) -> Option<()> {
        let (Some((predicate, args)), Comparison::Equal | Comparison::Unequal) =
            (self.applied_function(applied), comparison)
        else {
            let message = "`undefined` can only be compared with a fluent, by `=` or `\\=`";
            self.checker.report(Diagnostic::error("undefined", span, message));
            return None;
        };
        if let Some(fluent) =
            self.checker.fluents.iter().find(|fluent| fluent.predicate == predicate)
            && fluent.default != FluentDefault::Undefined
        {
            let message = format!("`{}` always has a value", fluent.name);
            let problem = Diagnostic::error("undefined", span, message);
            let problem = problem.related(fluent.span, "declared here");
            self.checker.report(
                problem.help("only a fluent declared with `= undefined` can be without one"),
            );
            return None;
        }
        let mut terms = self.terms(args)?;
        let value = self.variables.fresh(span);
        terms.push(value);
        let atom = Condition::Holds(Atom { predicate, args: terms });
        let Term::Var(local) = value else { return None };
        self.body.push(if comparison == Comparison::Equal {
            Condition::None { locals: vec![local], body: vec![atom] }
        } else {
            atom
        });
        Some(())
    }

    fn applied_function<'e>(&self, expr: &'e ast::Expr) -> Option<(PredicateId, &'e [ast::Expr])> {
        let (name, args): (&str, &[ast::Expr]) = match &expr.kind {
            ExprKind::Name(name) => (name, &[]),
            ExprKind::Apply(name, args) => (&name.text, args),
            _ => return None,
        };
        match self.function(name, args.len())? {
            Function::Value(predicate) => Some((predicate, args)),
            _ => None,
        }
    }

    /// A role term, checked.
    pub(crate) fn role(&mut self, role: &ast::Expr) -> Option<Term> {
        let term = self.term(role)?;
        if let (Term::Value(value), Some(domain)) = (term, self.checker.role_domain) {
            self.checker.check_value(role.span, value, domain);
        }
        Some(term)
    }

    /// The kind of move an expression names, and its arguments.
    pub(crate) fn act<'e>(&mut self, act: &'e ast::Expr) -> Option<(MoveId, &'e [ast::Expr])> {
        let (name, args): (ast::Name, &[ast::Expr]) = match &act.kind {
            ExprKind::Name(name) => (ast::Name { text: name.clone(), span: act.span }, &[]),
            ExprKind::Apply(name, args) => (name.clone(), args),
            _ => {
                let problem = Diagnostic::error("no-move", act.span, "a move is needed here");
                self.checker.report(problem);
                return None;
            }
        };
        if let Some(found) = self.checker.find_move(&name.text, args.len()) {
            return Some((found, args));
        }
        let named: Vec<String> = self
            .checker
            .moves
            .iter()
            .filter(|kind| kind.name == name.text)
            .map(|kind| super::items::arguments(kind.n_params))
            .collect();
        let problem = if named.is_empty() {
            let help = Checker::did_you_mean(
                &name.text,
                self.checker.moves.iter().map(|kind| kind.name.as_str()),
            );
            let message = format!("there is no move `{}`", name.text);
            with_help(Diagnostic::error("unknown-move", name.span, message), help)
        } else {
            let message = format!(
                "the move `{}` takes {}, {} are given",
                name.text,
                named.join(" or "),
                args.len()
            );
            Diagnostic::error("wrong-arity", name.span, message)
        };
        self.checker.report(problem);
        None
    }

    fn act_atoms(
        &mut self,
        role: Term,
        act: &ast::Expr,
        which: impl Fn(&crate::theory::MoveKind) -> PredicateId,
    ) -> Option<()> {
        if matches!(&act.kind, ExprKind::Name(name) if name == "any") {
            self.any_act(role, act.span, which);
            return Some(());
        }
        let (kind, args) = self.act(act)?;
        let mut terms = vec![role];
        terms.extend(self.terms(args)?);
        let predicate = which(&self.checker.moves[kind.0]);
        self.holds(predicate, terms, act.span);
        Some(())
    }

    /// Any kind of move at all.
    fn any_act(
        &mut self,
        role: Term,
        span: Span,
        which: impl Fn(&crate::theory::MoveKind) -> PredicateId,
    ) {
        let kinds: Vec<(PredicateId, usize)> =
            self.checker.moves.iter().map(|kind| (which(kind), kind.n_params)).collect();
        let branch = |(predicate, n_params): &(PredicateId, usize)| {
            let free = (0..*n_params).map(|_| self.variables.fresh(span));
            let args = std::iter::once(role).chain(free).collect();
            vec![Condition::Holds(Atom { predicate: *predicate, args })]
        };
        let mut branches: Vec<Vec<Condition>> = kinds.iter().map(branch).collect();
        match branches.len() {
            1 => self.body.extend(branches.remove(0)),
            _ => self.body.push(Condition::AnyOf(branches)),
        }
    }

    fn after(
        &mut self,
        role: Option<&ast::Expr>,
        act: &ast::Expr,
        body: &[ast::Condition],
        span: Span,
    ) -> Option<()> {
        let role = match role {
            Some(role) => self.role(role)?,
            None => match (self.doer, &self.checker.roles[..]) {
                (Some(doer), _) => doer,
                (None, [only]) => Term::Value(Value::Symbol(*only)),
                _ => {
                    let problem =
                        Diagnostic::error("no-doer", span, "`after` must say who makes the move");
                    self.checker.report(problem.help("write `after(P does MOVE, …)`"));
                    return None;
                }
            },
        };
        let (kind, args) = self.act(act)?;
        let mut terms = vec![role];
        terms.extend(self.terms(args)?);
        let predicate = self.checker.moves[kind.0].does;
        self.check_constants(predicate, &terms, act.span);
        let by = Atom { predicate, args: terms };
        let body = self.nested(body);
        self.body.push(Condition::Elsewhere { by, quantifier: Quantifier::Some, body });
        Some(())
    }

    /// The fluents of an `over […]`, or all.
    fn fluents_named(&mut self, over: Option<&[ast::Name]>) -> Option<Vec<FluentId>> {
        let Some(over) = over else {
            return Some((0..self.checker.fluents.len()).map(FluentId).collect());
        };
        let mut found = Vec::new();
        for name in over {
            let known = self.checker.fluents.iter().position(|fluent| fluent.name == name.text);
            if let Some(place) = known {
                found.push(FluentId(place));
                continue;
            }
            let names = self.checker.fluents.iter().map(|fluent| fluent.name.as_str());
            let help = Checker::did_you_mean(&name.text, names);
            let message = format!("there is no fluent `{}`", name.text);
            let problem = Diagnostic::error("unknown-fluent", name.span, message);
            self.checker.report(with_help(problem, help));
            return None;
        }
        Some(found)
    }

    fn event(&mut self, name: &ast::Name) -> Option<PredicateId> {
        if let Some(found) = self.checker.relations.get(&(name.text.clone(), 0)) {
            return Some(*found);
        }
        let help = Checker::did_you_mean(&name.text, self.checker.known_names());
        let message = format!("there is no predicate `{}` without arguments", name.text);
        self.checker
            .report(with_help(Diagnostic::error("unknown-predicate", name.span, message), help));
        None
    }

    /// The predicate of a history condition, made on first use.
    fn history(&mut self, name: &str, kind: PredicateKind, span: Span) -> PredicateId {
        if let Some(known) = self.checker.kinds.iter().position(|other| *other == kind) {
            return PredicateId(u32::try_from(known).expect("predicates are numbered in 32 bits"));
        }
        let domain = match kind {
            PredicateKind::Cycle(_) => self.checker.role_domain,
            _ => None,
        };
        self.checker.add_predicate(world_predicate(name, vec![domain], Level::State), kind, span)
    }
}
