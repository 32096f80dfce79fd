//! Patterns of metarules, and what must be known where.
//!
//! In: quoted subjects. Out: flat conditions over the metarule's variables. Invariant: a pattern is one
//! flat condition, its predicate exists with that number of arguments, and its constants are of the
//! right sorts.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Comparison, Condition, DomainId, Expr, Operation, Span, Term, Value, Var,
};

use super::Checker;
use super::lower::Lowering;
use super::metarules::MetaReading;
use crate::metarule::{Action, Metacondition, Metarule, MetavariableKind, Quoted};
use crate::rules_text::ast;
use crate::rules_text::ast::{ConditionKind, ExprKind, Subject};
use crate::source::Diagnostic;
use crate::vocabulary::{Vocabulary, parts};

impl Checker<'_> {
    /// Is this the name of something that conditions can ask?
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.known_names().contains(&name)
    }

    fn vocabulary(&self) -> Vocabulary<'_> {
        Vocabulary {
            base: &self.base,
            kinds: &self.kinds,
            fluents: &self.fluents,
            moves: &self.moves,
            preferences: &self.preferences,
        }
    }
}

impl MetaReading<'_, '_> {
    /// The flat condition that a quoted subject is.
    pub(crate) fn pattern(&mut self, subject: &Subject, span: Span) -> Option<Condition> {
        if let Subject::Condition(condition) = subject {
            match &condition.kind {
                ConditionKind::Compare(comparison, left, right) => {
                    if let Some(pattern) = self.compared(*comparison, left, right) {
                        return pattern;
                    }
                }
                ConditionKind::Holds(applied) => {
                    if let Some((domain, arg)) = self.membership(applied) {
                        return Some(Condition::Member(
                            self.object_term(arg, Some(domain))?,
                            domain,
                        ));
                    }
                }
                ConditionKind::Legal { act: None, .. } => {
                    let problem = Diagnostic::error("pattern", span, "a pattern names one move");
                    self.checker.report(problem.help("write `legal P does MOVE(…)`"));
                    return None;
                }
                ConditionKind::Legal { .. } | ConditionKind::Does { .. } => {}
                _ => return self.no_pattern(span),
            }
        }
        let named = match self.checker.vocabulary().resolve(subject) {
            Ok(named) => named,
            Err(problem) => {
                self.checker.report(*problem);
                return None;
            }
        };
        let [(predicate, written)] = &named[..] else { return self.no_pattern(span) };
        let domains = self.checker.base.predicate(*predicate).domains.clone();
        let args: Vec<Option<Term>> = written
            .iter()
            .zip(domains)
            .map(|(expr, domain)| match expr {
                Some(expr) => self.object_term(expr, domain),
                None => Some(Term::Var(self.fresh(span, MetavariableKind::Term))),
            })
            .collect();
        let args = args.into_iter().collect::<Option<Vec<Term>>>()?;
        Some(Condition::Holds(Atom { predicate: *predicate, args }))
    }

    fn no_pattern(&mut self, span: Span) -> Option<Condition> {
        let message =
            "a pattern is one relation, fluent, comparison, computation, compound or sort";
        let problem = Diagnostic::error("pattern", span, message);
        self.checker
            .report(problem.help("other conditions can be named by a variable: condition(R, C)"));
        None
    }

    /// `file(F)`, where `file` is a sort and no relation.
    fn membership<'e>(&self, applied: &'e ast::Expr) -> Option<(DomainId, &'e ast::Expr)> {
        let (name, [arg], _) = parts(applied)? else { return None };
        let is_relation = self.checker.relations.contains_key(&(name.to_owned(), 1));
        let is_fluent = self.checker.fluents.iter().any(|fluent| fluent.name == name);
        let domain = self.checker.sorts.get(name).copied().flatten()?;
        (!is_relation && !is_fluent).then_some((domain, arg))
    }

    /// A comparison, computation or compound; nothing when a side is a function of the rules, which
    /// makes it a relation. Inside nothing when it is wrong.
    #[expect(clippy::option_option, reason = "outside: is it such; inside: is it right")]
    fn compared(
        &mut self,
        comparison: Comparison,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> Option<Option<Condition>> {
        let equation = ast::Condition {
            kind: ConditionKind::Compare(Comparison::Equal, left.clone(), right.clone()),
            span: left.span,
        };
        let is_equal = comparison == Comparison::Equal;
        if is_equal && self.checker.vocabulary().resolve(&Subject::Condition(equation)).is_ok() {
            return None;
        }
        if is_equal {
            for (whole, made) in [(left, right), (right, left)] {
                if let Some((functor, args)) = self.compound(made) {
                    return Some(self.construct(whole, &functor, &args));
                }
                if let Some((operation, operands)) = computation(made) {
                    return Some(self.computed(whole, operation, operands));
                }
            }
        }
        let (left, right) = (self.object_term(left, None), self.object_term(right, None));
        let sides = left.zip(right).map(|(left, right)| (Expr::Term(left), Expr::Term(right)));
        Some(sides.map(|(left, right)| Condition::Compare(comparison, left, right)))
    }

    /// A compound with a variable in it.
    fn compound(&self, expr: &ast::Expr) -> Option<(String, Vec<ast::Expr>)> {
        let (functor, args) = match &expr.kind {
            ExprKind::Tuple(args) => (String::new(), args),
            ExprKind::Apply(name, args)
                if self.checker.functors.contains(&(name.text.clone(), args.len())) =>
            {
                (name.text.clone(), args)
            }
            _ => return None,
        };
        let has_variable =
            args.iter().any(|arg| matches!(arg.kind, ExprKind::Var(_) | ExprKind::Wildcard));
        has_variable.then(|| (functor, args.clone()))
    }

    fn construct(
        &mut self,
        whole: &ast::Expr,
        functor: &str,
        args: &[ast::Expr],
    ) -> Option<Condition> {
        let whole = self.object_term(whole, None);
        let args: Vec<Option<Term>> = args.iter().map(|arg| self.object_term(arg, None)).collect();
        let functor = self.checker.symbols.symbol(functor);
        Some(Condition::Construct {
            whole: whole?,
            functor,
            args: args.into_iter().collect::<Option<_>>()?,
        })
    }

    fn computed(
        &mut self,
        whole: &ast::Expr,
        operation: Operation,
        operands: [Option<&ast::Expr>; 2],
    ) -> Option<Condition> {
        let whole = self.object_term(whole, None);
        let [left, right] = operands.map(|operand| match operand {
            Some(operand) => self.object_term(operand, None),
            None => Some(Term::Value(Value::Int(0))),
        });
        let [left, right] = [left?, right?].map(|term| Box::new(Expr::Term(term)));
        let made = Expr::Binary(operation, left, right);
        Some(Condition::Compare(Comparison::Equal, Expr::Term(whole?), made))
    }

    /// A variable of the metarule, or a constant of the rules.
    pub(crate) fn object_term(
        &mut self,
        expr: &ast::Expr,
        domain: Option<DomainId>,
    ) -> Option<Term> {
        let var = match &expr.kind {
            ExprKind::Var(name) => self.variable(name, expr.span, Some(MetavariableKind::Term))?,
            ExprKind::Wildcard => self.fresh(expr.span, MetavariableKind::Term),
            _ => return self.constant_term(expr, domain),
        };
        self.variables[var.0 as usize].places.extend(domain);
        Some(Term::Var(var))
    }

    fn constant_term(&mut self, expr: &ast::Expr, domain: Option<DomainId>) -> Option<Term> {
        let mut lowering = Lowering::new(self.checker);
        let term = lowering.term(expr)?;
        let is_plain = lowering.body.is_empty();
        let Some(Term::Value(value)) = is_plain.then_some(term) else {
            let message = "a variable or a constant is needed here";
            let problem = Diagnostic::error("pattern", expr.span, message);
            let help = "what is computed or put together is a condition of its own: \
                        condition(R, `S = (F, G)`)";
            self.checker.report(problem.help(help));
            return None;
        };
        if let Some(domain) = domain {
            self.checker.check_value(expr.span, value, domain);
        }
        Some(Term::Value(value))
    }

    /// Reports variables whose places have no value in common.
    pub(crate) fn check_sorts(&mut self) {
        for place in 0..self.variables.len() {
            let places = &self.variables[place].places;
            let Some((first, others)) = places.split_first() else { continue };
            let base = &self.checker.base;
            let mut common: Vec<&Value> = base.domain(*first).values.iter().collect();
            let empties = |domain: &&DomainId| {
                common.retain(|value| base.domain(**domain).values.contains(*value));
                common.is_empty()
            };
            let Some(other) = others.iter().find(empties) else { continue };
            let sorts = [*first, *other].map(|id| base.domain(id).name.clone());
            let (name, span) = self.written(Var(u16::try_from(place).unwrap_or(u16::MAX)));
            let message = format!(
                "`{name}` would have to be of the sort `{}` and of the sort `{}`, which have nothing in common",
                sorts[0], sorts[1]
            );
            self.checker.report(Diagnostic::error("sort-mismatch", span, message));
        }
    }

    /// Reports variables that are used but given by no condition.
    pub(crate) fn check_bound(&mut self, metarule: &Metarule) {
        let mut bound = BTreeSet::new();
        self.check_body(metarule, &metarule.conditions, &mut bound);
        for action in metarule.actions() {
            let may_be_free = |var: &Var| self.written(*var).0 == "_" && takes_wildcards(action);
            let needed = action.variables().into_iter();
            let needed: Vec<Var> = needed.filter(|var| !may_be_free(var)).collect();
            self.require(metarule, needed, &mut bound);
        }
        self.require(metarule, metarule.once.clone().unwrap_or_default(), &mut bound);
    }

    fn check_body(
        &mut self,
        metarule: &Metarule,
        body: &[Metacondition],
        bound: &mut BTreeSet<Var>,
    ) {
        let is_action = |condition: &&Metacondition| matches!(condition, Metacondition::Act(_));
        let mut waiting: Vec<&Metacondition> =
            body.iter().filter(|condition| !is_action(condition)).collect();
        loop {
            let (ready, rest): (Vec<&Metacondition>, Vec<&Metacondition>) =
                waiting.into_iter().partition(|condition| condition.needs().is_subset(bound));
            waiting = rest;
            if ready.is_empty() {
                break;
            }
            for condition in ready {
                if let Metacondition::Not { body, .. } = condition {
                    self.check_body(metarule, body, &mut bound.clone());
                }
                bound.extend(condition.variables());
            }
        }
        for condition in waiting {
            self.require(metarule, condition.needs(), bound);
            bound.extend(condition.variables());
        }
    }

    fn require(
        &mut self,
        metarule: &Metarule,
        needed: impl IntoIterator<Item = Var>,
        bound: &mut BTreeSet<Var>,
    ) {
        for var in needed {
            // One report for each variable is enough.
            if !bound.insert(var) {
                continue;
            }
            let (name, span) = self.written(var);
            let kind = metarule.variables.get(var.0 as usize).map(|variable| variable.kind);
            let help = match kind {
                Some(MetavariableKind::Rule) => {
                    format!("say which one: rule({name}), or newrule({name})")
                }
                Some(MetavariableKind::Set) => {
                    format!("get it from a rule: setofconditions(R, {name})")
                }
                Some(MetavariableKind::Number) => format!("count something: length(S, {name})"),
                _ => "get it from a rule: condition(R, `…`)".to_owned(),
            };
            let message = format!("`{name}` is used, but no condition gives it");
            self.checker.report(Diagnostic::error("unsafe-variable", span, message).help(help));
        }
    }

    /// New rules are made, then added; the others are there already.
    pub(crate) fn check_new_rules(&mut self, metarule: &Metarule) {
        let made: BTreeSet<Var> = metarule
            .conditions
            .iter()
            .filter_map(|condition| match condition {
                Metacondition::NewRule(rule) => Some(*rule),
                _ => None,
            })
            .collect();
        for condition in &metarule.conditions {
            let read = match condition {
                Metacondition::Rule(rule)
                | Metacondition::Conclusion(rule, _)
                | Metacondition::Condition(rule, _)
                | Metacondition::SetOfConditions(rule, _) => rule,
                _ => continue,
            };
            if made.contains(read) {
                self.complain_of_rule(*read, "is a new rule and has nothing to look at yet");
            }
        }
        for action in metarule.actions() {
            let rule = action.rule();
            match (action, made.contains(&rule)) {
                (Action::AddRule(_) | Action::AddConclusion(..), false) => {
                    self.complain_of_rule(rule, "is no new rule; make one with newrule(R)");
                }
                (
                    Action::Impossible(_)
                    | Action::Kill(..)
                    | Action::Useless(..)
                    | Action::Unify(..)
                    | Action::RemoveCondition(..),
                    true,
                ) => {
                    self.complain_of_rule(rule, "is a new rule; leave out what it should not have")
                }
                _ => {}
            }
        }
        for rule in made {
            let has = |wanted: fn(&Action) -> bool| {
                metarule.actions().any(|action| action.rule() == rule && wanted(action))
            };
            if !has(|action| matches!(action, Action::AddRule(_))) {
                self.complain_of_rule(rule, "is a new rule that is never added: addrule(R)");
            } else if !has(|action| matches!(action, Action::AddConclusion(..))) {
                self.complain_of_rule(
                    rule,
                    "is a new rule without a conclusion: addconclusion(R, `p(X)`)",
                );
            }
        }
    }

    fn complain_of_rule(&mut self, rule: Var, what: &str) {
        let (name, span) = self.written(rule);
        self.checker.report(Diagnostic::error("meta-rule", span, format!("`{name}` {what}")));
    }
}

/// Is `_` in the action's pattern any value, or a new variable of the rule?
fn takes_wildcards(action: &Action) -> bool {
    matches!(
        action,
        Action::AddCondition(_, Quoted::Pattern(_))
            | Action::RemoveCondition(_, Quoted::Pattern(_))
            | Action::Useless(_, Quoted::Pattern(_))
    )
}

/// `A + B`, `min(A, B)`, `-A`: the operation and its operands; `None` stands for zero.
fn computation(expr: &ast::Expr) -> Option<(Operation, [Option<&ast::Expr>; 2])> {
    match &expr.kind {
        ExprKind::Binary(operation, left, right) => Some((*operation, [Some(left), Some(right)])),
        ExprKind::Negate(inner) if matches!(inner.kind, ExprKind::Var(_)) => {
            Some((Operation::Sub, [None, Some(inner)]))
        }
        ExprKind::Apply(name, args) => {
            let operation = match name.text.as_str() {
                "min" => Operation::Min,
                "max" => Operation::Max,
                _ => return None,
            };
            let [left, right] = &args[..] else { return None };
            Some((operation, [Some(left), Some(right)]))
        }
        _ => None,
    }
}
