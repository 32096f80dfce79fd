//! Items: each clause-like item becomes a clause of its predicate.
//!
//! In: items of the syntax tree. Out: clauses of the base, one for each assignment of an effect.

use rulesmith_logic::{Atom, ComponentId, Condition, Span, Symbol, Term};

use super::lower::Lowering;
use super::{Checker, clause_predicate, with_help};
use crate::rules_text::ast::{
    Assignment, Condition as Written, Doer, Expr, ExprKind, Item, ItemKind, Name,
};
use crate::source::Diagnostic;
use crate::theory::{FluentId, PredicateKind};

impl Checker<'_> {
    pub(crate) fn lower_items(&mut self, items: &[Item]) {
        let mut next_object = 0;
        // Objects first: their parts get the sort of their elements, which other clauses rely on.
        for item in items {
            if let ItemKind::Object { element, body, link, same, .. } = &item.kind {
                let id = ComponentId(next_object);
                next_object += 1;
                self.lower_object(id, (element, same.as_ref()), body, link);
            }
        }
        for item in items {
            if self.diagnostics.is_full() {
                return;
            }
            self.lower_item(item);
        }
    }

    fn lower_item(&mut self, item: &Item) {
        let span = item.span;
        match &item.kind {
            ItemKind::Init { fluent, value, body } => {
                self.lower_init(fluent, value.as_ref(), body, span);
            }
            ItemKind::Legal { role, act, body } => self.lower_legal(role, act, body, span),
            ItemKind::Effect { is_deferred, by, assignments, body } => {
                // A variable may be used by one assignment and not by another.
                let mut once: Option<Vec<(String, Span)>> = None;
                for assignment in assignments {
                    let here = self.lower_effect((*is_deferred, by), assignment, body, span);
                    once = Some(match once {
                        Some(before) => {
                            before.into_iter().filter(|one| here.contains(one)).collect()
                        }
                        None => here,
                    });
                }
                for (name, span) in once.unwrap_or_default() {
                    self.warn_of_singleton(&name, span);
                }
            }
            ItemKind::Continue(body) => self.lower_plain(self.special.continues, body, span),
            ItemKind::Terminal(body) => self.lower_plain(self.special.terminal, body, span),
            ItemKind::Draw(body) => self.lower_plain(self.special.draw, body, span),
            ItemKind::Prefer { value, body } => {
                let prefer = clause_predicate("prefer", vec![None]);
                let prefer = self.add_predicate(prefer, PredicateKind::Prefer, span);
                self.preferences.push(prefer);
                self.lower_clause(prefer, std::slice::from_ref(value), body, span);
            }
            ItemKind::Goal { role, value, body } => self.lower_goal(role, value, body, span),
            ItemKind::Target { name, args, body } => {
                let key = (name.text.clone(), args.len());
                let target = self.relations.get(&key).copied();
                if let Some(target) = target.filter(|id| self.targets.contains(id)) {
                    self.lower_clause(target, args, body, span);
                }
            }
            ItemKind::Clause { head, body } => self.lower_relation(head, body, span),
            _ => {}
        }
    }

    fn lower_plain(
        &mut self,
        predicate: rulesmith_logic::PredicateId,
        body: &[Written],
        span: Span,
    ) {
        self.lower_clause(predicate, &[], body, span);
    }

    fn lower_clause(
        &mut self,
        predicate: rulesmith_logic::PredicateId,
        args: &[Expr],
        body: &[Written],
        span: Span,
    ) {
        let mut lowering = Lowering::new(self);
        lowering.conditions(body);
        // The head's own conditions (`R + 1`) come last: by then its variables are bound.
        let Some(args) = lowering.terms(args) else { return };
        lowering.finish(predicate, args, span);
    }

    fn lower_goal(&mut self, role: &Expr, value: &Expr, body: &[Written], span: Span) {
        let mut lowering = Lowering::new(self);
        lowering.conditions(body);
        let (role, value_term) = (lowering.role(role), lowering.term(value));
        let (Some(role), Some(value_term)) = (role, value_term) else { return };
        if let Term::Value(given) = value_term {
            let is_fair = matches!(given, rulesmith_logic::Value::Int(0..=100));
            if !is_fair {
                let problem = Diagnostic::error(
                    "goal-value",
                    value.span,
                    "a goal value is a number from 0 to 100",
                );
                lowering.checker.report(problem);
                return;
            }
        }
        let goal = lowering.checker.special.goal;
        lowering.finish(goal, vec![role, value_term], span);
    }

    fn lower_relation(&mut self, head: &Expr, body: &[Written], span: Span) {
        let (name, args): (Name, &[Expr]) = match &head.kind {
            ExprKind::Name(name) => (Name { text: name.clone(), span: head.span }, &[]),
            ExprKind::Apply(name, args) => (name.clone(), args),
            _ => return,
        };
        let relation = self.relations.get(&(name.text.clone(), args.len())).copied();
        let is_given =
            |kind: &PredicateKind| matches!(kind, PredicateKind::Static { is_given: true, .. });
        match relation {
            Some(id) if is_given(&self.kinds[id.0 as usize]) || id == self.special.goal => {
                let message = format!("`{}` is built in and cannot be defined", name.text);
                self.report(Diagnostic::error("built-in", name.span, message));
            }
            Some(id) if self.kinds[id.0 as usize] == PredicateKind::Component => {
                let message = format!("`{}` is defined by its object", name.text);
                self.report(Diagnostic::error("built-in", name.span, message));
            }
            Some(id) => self.lower_clause(id, args, body, span),
            None => self.complain_of_head(&name, args.len()),
        }
    }

    fn complain_of_head(&mut self, name: &Name, arity: usize) {
        let is_fluent = self.fluents.iter().any(|fluent| fluent.name == name.text);
        let problem = if is_fluent {
            let message = format!("`{}` is a fluent: clauses cannot define it", name.text);
            let problem = Diagnostic::error("fluent-head", name.span, message);
            problem.help("use `init` for the start and `effect` for what moves change")
        } else {
            let others = self.other_arities(&name.text);
            let message =
                format!("`{}` takes {}, {arity} are given", name.text, others.join(" or "));
            Diagnostic::error("wrong-arity", name.span, message)
        };
        self.report(problem);
    }

    fn lower_init(&mut self, fluent: &Expr, value: Option<&Expr>, body: &[Written], span: Span) {
        let mut lowering = Lowering::new(self);
        let Some((id, args)) = lowering.fluent(fluent) else { return };
        let known = lowering.checker.fluents[id.0].clone();
        if known.is_functional != value.is_some() {
            let problem = if known.is_functional {
                let message = format!("`{}` needs a value", known.name);
                Diagnostic::error("value-missing", fluent.span, message)
                    .help("write `init … = VALUE`")
            } else {
                let message = format!("`{}` is boolean: `init` alone makes it hold", known.name);
                Diagnostic::error("value-unexpected", fluent.span, message)
            };
            lowering.checker.report(problem);
            return;
        }
        lowering.conditions(body);
        let terms = lowering.terms(args);
        let value = value.map(|value| lowering.term(value));
        let (Some(mut terms), Some(value)) =
            (terms, value.map_or(Some(None), |value| value.map(Some)))
        else {
            return;
        };
        terms.extend(value);
        lowering.finish(known.init, terms, span);
    }

    fn lower_legal(&mut self, role: &Expr, act: &Expr, body: &[Written], span: Span) {
        let mut lowering = Lowering::new(self);
        let (role, kind) = (lowering.role(role), lowering.act(act));
        lowering.doer = role;
        lowering.conditions(body);
        let (Some(role), Some((kind, args))) = (role, kind) else { return };
        let Some(args) = lowering.terms(args) else { return };
        let legal = lowering.checker.moves[kind.0].legal;
        lowering.finish(legal, [&[role], args.as_slice()].concat(), span);
    }

    fn lower_effect(
        &mut self,
        (is_deferred, by): (bool, &Doer),
        assignment: &Assignment,
        body: &[Written],
        span: Span,
    ) -> Vec<(String, Span)> {
        let mut lowering = Lowering::new(self);
        let doing = lowering.doing(by);
        lowering.conditions(body);
        let Some((id, args)) = lowering.fluent(&assignment.fluent) else { return vec![] };
        let (terms, value) = (lowering.terms(args), lowering.term(&assignment.value));
        let (Some(()), Some(mut terms), Some(value)) = (doing, terms, value) else { return vec![] };
        terms.push(value);
        let fluent = &lowering.checker.fluents[id.0];
        let head = if is_deferred { fluent.deferred } else { fluent.assign };
        let once = lowering.singletons();
        lowering.add_clause(head, terms, span);
        once
    }

    fn lower_object(
        &mut self,
        id: ComponentId,
        (element, same): (&Name, Option<&Name>),
        body: &[Written],
        link: &Name,
    ) {
        let mut lowering = Lowering::new(self);
        let element_term = lowering.variables.named(&element.text, element.span);
        let shared = same.map(|same| lowering.variables.named(&same.text, same.span));
        lowering.conditions(body);
        let found = lowering.checker.relations.get(&(link.text.clone(), 2)).copied();
        let Some(link_id) = found else {
            let help = Self::did_you_mean(&link.text, lowering.checker.known_names());
            let message =
                format!("there is no relation `{}` with 2 arguments to link by", link.text);
            let problem = Diagnostic::error("unknown-predicate", link.span, message);
            lowering.checker.report(with_help(problem, help));
            return;
        };
        lowering.find_object_domains();
        lowering.check_sorts(None);
        let (Term::Var(element_var), body) = (element_term, lowering.body) else { return };
        let shared =
            shared.and_then(|term| if let Term::Var(var) = term { Some(var) } else { None });
        let variables = lowering.variables.list;
        let domain = variables[element_var.0 as usize].domain;
        let object = &mut self.base.components[id.0 as usize];
        object.element = element_var;
        object.shared = shared;
        object.body = body;
        object.link = link_id;
        object.variables = variables;
        self.settle_object(id, domain);
    }

    /// How many arguments a name is known to take, in words.
    pub(crate) fn other_arities(&self, name: &str) -> Vec<String> {
        let relations = self.relations.keys().filter(|(other, _)| other == name).map(|(_, n)| *n);
        let fluents =
            self.fluents.iter().filter(|fluent| fluent.name == name).map(|fluent| fluent.n_keys);
        let functors = self.functors.iter().filter(|(other, _)| other == name).map(|(_, n)| *n);
        let mut arities: Vec<usize> = relations.chain(fluents).chain(functors).collect();
        arities.sort_unstable();
        arities.dedup();
        arities.into_iter().map(arguments).collect()
    }

    /// The constants in the order of their first mention.
    pub(crate) fn constants_in_order(&self) -> impl Iterator<Item = Symbol> + use<> {
        let mut constants: Vec<Symbol> = self.constants.iter().copied().collect();
        constants.sort_unstable();
        constants.into_iter()
    }
}

impl Lowering<'_, '_> {
    /// Who does what in an effect: the first condition of its clauses.
    fn doing(&mut self, by: &Doer) -> Option<()> {
        let Doer::Act { role, act } = by else { return Some(()) };
        let role = match role {
            Some(role) => self.role(role)?,
            None => self.variables.fresh(act.span),
        };
        let (kind, args) = self.act(act)?;
        let terms = self.terms(args)?;
        let predicate = self.checker.moves[kind.0].does;
        let args = [&[role], terms.as_slice()].concat();
        self.check_constants(predicate, &args, act.span);
        self.body.insert(0, Condition::Holds(Atom { predicate, args }));
        Some(())
    }

    /// The fluent an expression names, and its keys.
    fn fluent<'e>(&mut self, expr: &'e Expr) -> Option<(FluentId, &'e [Expr])> {
        let (name, args): (Name, &[Expr]) = match &expr.kind {
            ExprKind::Name(name) => (Name { text: name.clone(), span: expr.span }, &[]),
            ExprKind::Apply(name, args) => (name.clone(), args),
            _ => {
                self.checker.report(Diagnostic::error(
                    "no-fluent",
                    expr.span,
                    "a fluent is needed here",
                ));
                return None;
            }
        };
        let fluents = &self.checker.fluents;
        let same = |place: &usize| {
            fluents[*place].name == name.text && fluents[*place].n_keys == args.len()
        };
        if let Some(place) = (0..fluents.len()).find(same) {
            return Some((FluentId(place), args));
        }
        let named: Vec<String> = fluents
            .iter()
            .filter(|fluent| fluent.name == name.text)
            .map(|fluent| arguments(fluent.n_keys))
            .collect();
        let problem = if named.is_empty() {
            let help = Checker::did_you_mean(
                &name.text,
                fluents.iter().map(|fluent| fluent.name.as_str()),
            );
            let message = format!("there is no fluent `{}`", name.text);
            with_help(Diagnostic::error("unknown-fluent", name.span, message), help)
        } else {
            let message =
                format!("`{}` takes {}, {} are given", name.text, named.join(" or "), args.len());
            Diagnostic::error("wrong-arity", name.span, message)
        };
        self.checker.report(problem);
        None
    }
}

/// `1 argument`, `2 arguments`.
pub(crate) fn arguments(n: usize) -> String {
    if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") }
}
