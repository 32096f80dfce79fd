//! Declarations: roles, relations, fluents, moves and objects become predicates.
//!
//! In: declaring items, and the heads of clauses for predicates nobody declared. Out: predicates by
//! name and number of arguments. Invariant: one meaning for each name and number of arguments.

use rulesmith_logic::{
    Atom, Clause, Component, ComponentId, ComponentPart, DomainId, Level, Predicate, PredicateId,
    Source, Span, Symbol, Term, Value, Variable,
};

use super::sorts::Values;
use super::{Checker, clause_predicate, with_help, world_predicate};
use crate::rules_text::ast::{Expr, ExprKind, Item, ItemKind, Name, SortExpr};
use crate::source::Diagnostic;
use crate::theory::{Fluent, FluentDefault, FluentId, MoveId, MoveKind, PredicateKind, UNDEFINED};

/// The head of a fluent declaration.
pub(crate) struct FluentItem<'i> {
    name: &'i Name,
    keys: &'i [SortExpr],
    value: Option<&'i SortExpr>,
    default: Option<&'i Expr>,
    is_transient: bool,
}

impl Checker<'_> {
    pub(crate) fn declare_roles(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Role(names) = &item.kind else { continue };
            for name in names {
                let symbol = self.symbols.symbol(&name.text);
                if self.roles.contains(&symbol) {
                    let message = format!("the role `{}` is named twice", name.text);
                    self.report(Diagnostic::error("duplicate", name.span, message));
                } else {
                    self.roles.push(symbol);
                }
            }
        }
        if self.roles.is_empty() {
            let span = items.first().map_or(Span::default(), |item| item.span);
            let problem = Diagnostic::error("no-role", span, "the game has no roles");
            self.report(
                problem.help("name those who play: `role white, black.` or `role solver.`"),
            );
        }
        let values: Values = self.roles.iter().copied().map(Value::Symbol).collect();
        let domain = self.add_domain("role".to_owned(), values);
        self.role_domain = Some(domain);
        self.sorts.insert("role".to_owned(), Some(domain));
        self.base.predicates[self.special.goal.0 as usize].domains[0] = Some(domain);
        if let [first, second] = self.roles[..] {
            self.declare_opponents(domain, first, second);
        }
    }

    /// With two roles each is the other's opponent.
    fn declare_opponents(&mut self, domain: DomainId, first: Symbol, second: Symbol) {
        let predicate = clause_predicate("opponent", vec![Some(domain); 2]);
        let kind = PredicateKind::Static { arrow: true, is_given: true };
        let opponent = self.add_predicate(predicate, kind, Span::default());
        for pair in [[first, second], [second, first]] {
            let args = pair.map(|role| Term::Value(Value::Symbol(role))).to_vec();
            self.add_fact(opponent, args, Span::default());
        }
        self.relations.insert(("opponent".to_owned(), 2), opponent);
        self.functions.insert(("opponent".to_owned(), 1), opponent);
    }

    pub(crate) fn add_fact(&mut self, predicate: PredicateId, args: Vec<Term>, span: Span) {
        let head = Atom { predicate, args };
        self.base.add_clause(Clause { head, body: vec![], variables: vec![], span });
    }

    /// Each data text becomes a static relation of row, column and character.
    pub(crate) fn declare_data_relations(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Data { name, sort, .. } = &item.kind else { continue };
            let Some(text) = self.data.iter().find(|data| data.name == name.text) else { continue };
            let text = text.text.clone();
            let Some(domain) = self.sort_domain(sort) else { continue };
            let predicate = clause_predicate(&name.text, vec![None, None, domain]);
            let kind = PredicateKind::Static { arrow: true, is_given: true };
            let Some(relation) = self.declare_relation(name, 3, predicate, kind) else { continue };
            for (row, line) in (1..).zip(text.lines()) {
                for (column, character) in (1..).zip(line.chars()) {
                    let value = Value::Symbol(self.symbols.symbol(&character.to_string()));
                    let is_known =
                        domain.is_none_or(|id| self.base.domain(id).values.contains(&value));
                    if !is_known {
                        let message = format!(
                            "line {row}, column {column} of the data `{}` has `{character}`, which is not in its sort",
                            name.text
                        );
                        self.report(Diagnostic::error("data", name.span, message));
                        continue;
                    }
                    let args = [Value::Int(row), Value::Int(column), value].map(Term::Value);
                    self.add_fact(relation, args.to_vec(), name.span);
                }
            }
        }
    }

    /// Gives a name and number of arguments its meaning, unless it has one.
    fn declare_relation(
        &mut self,
        name: &Name,
        arity: usize,
        predicate: Predicate,
        kind: PredicateKind,
    ) -> Option<PredicateId> {
        if !self.is_free(name, arity) {
            return None;
        }
        let id = self.add_predicate(predicate, kind, name.span);
        self.relations.insert((name.text.clone(), arity), id);
        Some(id)
    }

    /// Reports a name that means something already.
    fn is_free(&mut self, name: &Name, arity: usize) -> bool {
        let key = (name.text.clone(), arity);
        let same = |fluent: &Fluent| fluent.name == name.text && fluent.n_keys == arity;
        let before = match self.relations.get(&key).or_else(|| self.functions.get(&key)) {
            Some(id) => Some(self.declared_at.get(id).copied().unwrap_or_default()),
            None => self.fluents.iter().find(|fluent| same(fluent)).map(|fluent| fluent.span),
        };
        let Some(before) = before else { return true };
        let message = format!("`{}` with {arity} arguments is declared already", name.text);
        let problem = Diagnostic::error("duplicate", name.span, message);
        self.report(problem.related(before, "first here"));
        false
    }

    pub(crate) fn declare_predicates(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Predicate { is_static, name, args, result } => {
                    self.declare_sorted(name, args, result.as_ref(), *is_static);
                }
                ItemKind::Fluent { name, keys, value, default, is_transient } => {
                    let (value, default) = (value.as_ref(), default.as_ref());
                    let is_transient = *is_transient;
                    self.declare_fluent(&FluentItem { name, keys, value, default, is_transient });
                }
                ItemKind::Move { name, params } => self.declare_move(name, params),
                ItemKind::TurnsByResult(by_result) => {
                    use crate::theory::TurnIdentity::{Path, Result};
                    self.turn_identity = if *by_result { Result } else { Path };
                }
                _ => {}
            }
        }
    }

    fn sort_domains(&mut self, sorts: &[SortExpr]) -> Option<Vec<Option<DomainId>>> {
        let domains: Vec<_> = sorts.iter().map(|sort| self.sort_domain(sort)).collect();
        domains.into_iter().collect()
    }

    fn declare_sorted(
        &mut self,
        name: &Name,
        args: &[SortExpr],
        result: Option<&SortExpr>,
        is_static: bool,
    ) {
        let sorts: Vec<SortExpr> = args.iter().chain(result).cloned().collect();
        // A wrong sort is reported, but the name is declared all the same: its uses are not wrong.
        let domains = self.sort_domains(&sorts).unwrap_or_else(|| vec![None; sorts.len()]);
        let kind = if is_static {
            PredicateKind::Static { arrow: result.is_some(), is_given: false }
        } else if result.is_some() {
            PredicateKind::DerivedFunction
        } else {
            PredicateKind::Derived { declared: true }
        };
        let predicate = clause_predicate(&name.text, domains);
        let Some(id) = self.declare_relation(name, sorts.len(), predicate, kind) else { return };
        if result.is_some() && self.is_free(name, args.len()) {
            self.functions.insert((name.text.clone(), args.len()), id);
        }
    }

    fn declare_fluent(&mut self, item: &FluentItem<'_>) {
        let FluentItem { name, keys, value, is_transient, .. } = *item;
        let key_domains = self.sort_domains(keys).unwrap_or_else(|| vec![None; keys.len()]);
        let value_domain = value.map(|sort| self.sort_domain(sort).unwrap_or(None));
        let default = self.fluent_default(item, value_domain.flatten());
        if !self.is_free(name, keys.len()) {
            return;
        }
        self.check_keys(name, &key_domains);
        let id = FluentId(self.fluents.len());
        let held = [key_domains.as_slice(), value_domain.as_slice()].concat();
        let assigned_value = match (value_domain, default) {
            (None, _) => Some(self.bool_domain),
            (Some(Some(domain)), FluentDefault::Undefined) => Some(self.partial_domain(domain)),
            (Some(domain), _) => domain,
        };
        let assigned = [key_domains.as_slice(), &[assigned_value]].concat();
        let text = &name.text;
        let mut add = |predicate, kind| self.add_predicate(predicate, kind, name.span);
        let fluent = Fluent {
            name: text.clone(),
            n_keys: keys.len(),
            is_functional: value.is_some(),
            default,
            is_transient,
            predicate: add(
                world_predicate(text, held.clone(), Level::State),
                PredicateKind::Fluent(id),
            ),
            init: add(clause_predicate(&format!("init {text}"), held), PredicateKind::Init(id)),
            assign: add(
                clause_predicate(&format!("effect on {text}"), assigned.clone()),
                PredicateKind::Assign(id),
            ),
            deferred: add(
                clause_predicate(&format!("deferred effect on {text}"), assigned),
                PredicateKind::Deferred(id),
            ),
            span: name.span,
        };
        self.fluents.push(fluent);
    }

    /// Reports a fluent with more keys than anybody could list.
    fn check_keys(&mut self, name: &Name, domains: &[Option<DomainId>]) {
        let limit = self.settings.limits.fluent_keys;
        let sizes = domains.iter().flatten().map(|id| self.base.domain(*id).values.len());
        let size = sizes.into_iter().try_fold(1_usize, usize::checked_mul);
        if size.is_none_or(|size| size > limit) {
            let message =
                format!("`{}` has more keys than the limit `fluent-keys` of {limit}", name.text);
            let problem = Diagnostic::error("limit", name.span, message);
            self.report(
                problem.help("make its sorts smaller, or raise the limit: --limit fluent-keys=N"),
            );
        }
    }

    /// A fluent's values and `undefined`.
    fn partial_domain(&mut self, domain: DomainId) -> DomainId {
        let name = format!("{} or undefined", self.base.domain(domain).name);
        let mut values = self.base.domain(domain).values.clone();
        values.insert(Value::Symbol(self.symbols.symbol(UNDEFINED)));
        self.base.add_domain(rulesmith_logic::Domain { name, values })
    }

    fn fluent_default(&mut self, item: &FluentItem<'_>, domain: Option<DomainId>) -> FluentDefault {
        let no = Value::Symbol(self.symbols.symbol("false"));
        let Some(default) = item.default else {
            return if item.value.is_some() {
                FluentDefault::Required
            } else {
                FluentDefault::Value(no)
            };
        };
        if item.value.is_none() {
            let problem =
                Diagnostic::error("default", default.span, "a boolean fluent is false by default");
            self.report(
                problem.help(format!(
                    "leave it out, or give `{}` a sort: `: SORT = …`",
                    item.name.text
                )),
            );
            return FluentDefault::Value(no);
        }
        if matches!(default.kind, ExprKind::Undefined) {
            return FluentDefault::Undefined;
        }
        let Some(value) = self.ground_value(default) else { return FluentDefault::Undefined };
        if let Some(domain) = domain {
            self.check_value(default.span, value, domain);
        }
        FluentDefault::Value(value)
    }

    /// Reports a value that is not in the domain.
    pub(crate) fn check_value(&mut self, span: Span, value: Value, domain: DomainId) {
        let domain = self.base.domain(domain);
        if domain.values.contains(&value) {
            return;
        }
        let text = crate::wording::value_text(&self.symbols, value);
        let texts: Vec<String> = domain
            .values
            .iter()
            .filter(|value| matches!(value, Value::Symbol(_)))
            .map(|value| crate::wording::value_text(&self.symbols, *value))
            .collect();
        let help = Self::did_you_mean(&text, texts.iter().map(String::as_str));
        let message = format!("`{text}` is not a value of the sort `{}`", domain.name);
        self.report(with_help(Diagnostic::error("sort-mismatch", span, message), help));
    }

    fn declare_move(&mut self, name: &Name, params: &[SortExpr]) {
        let domains = self.sort_domains(params).unwrap_or_else(|| vec![None; params.len()]);
        if let Some(other) = self.find_move(&name.text, params.len()) {
            let message = format!("the move `{}` is declared already", name.text);
            let before = self.moves[other.0].span;
            let problem = Diagnostic::error("duplicate", name.span, message);
            self.report(problem.related(before, "first here"));
            return;
        }
        let id = MoveId(self.moves.len());
        let domains = [&[self.role_domain], domains.as_slice()].concat();
        let legal = clause_predicate(&format!("legal {}", name.text), domains.clone());
        let does = world_predicate(&format!("does {}", name.text), domains, Level::Step);
        let legal = self.add_predicate(legal, PredicateKind::Legal(id), name.span);
        let does = self.add_predicate(does, PredicateKind::Does(id), name.span);
        let (name, n_params, span) = (name.text.clone(), params.len(), name.span);
        self.moves.push(MoveKind { name, n_params, legal, does, span });
    }

    /// The kind of move with this name and number of parameters.
    pub(crate) fn find_move(&self, name: &str, n_params: usize) -> Option<MoveId> {
        let same = |kind: &MoveKind| kind.name == name && kind.n_params == n_params;
        self.moves.iter().position(same).map(MoveId)
    }

    /// Predicates that nobody declared are declared by their first clause; objects by their parts.
    pub(crate) fn declare_heads(&mut self, items: &[Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Clause { head, .. } => self.declare_head(head),
                ItemKind::Target { name, args, .. } => {
                    let predicate = clause_predicate(&name.text, vec![None; args.len()]);
                    let target =
                        self.declare_relation(name, args.len(), predicate, PredicateKind::Target);
                    self.targets.extend(target);
                }
                ItemKind::Object { name, .. } => self.declare_object(name),
                _ => {}
            }
        }
    }

    fn declare_head(&mut self, head: &Expr) {
        let (name, arity) = match &head.kind {
            ExprKind::Name(name) => (Name { text: name.clone(), span: head.span }, 0),
            ExprKind::Apply(name, args) => (name.clone(), args.len()),
            _ => return,
        };
        let is_fluent = self.fluents.iter().any(|fluent| fluent.name == name.text);
        let is_misspelt_static = self.near_declared(&name.text, arity);
        if self.relations.contains_key(&(name.text.clone(), arity))
            || is_fluent
            || is_misspelt_static
        {
            return;
        }
        let predicate = clause_predicate(&name.text, vec![None; arity]);
        self.declare_relation(&name, arity, predicate, PredicateKind::Derived { declared: false });
    }

    /// Is the name declared with another number of arguments? Then the clause is a mistake.
    fn near_declared(&self, name: &str, arity: usize) -> bool {
        let declared = |id: &PredicateId| {
            matches!(
                self.kinds[id.0 as usize],
                PredicateKind::Static { .. }
                    | PredicateKind::DerivedFunction
                    | PredicateKind::Derived { declared: true }
            )
        };
        self.relations.iter().any(|((other, n), id)| other == name && *n != arity && declared(id))
    }

    /// `NAME_element`, `NAME_border`, `NAME_shared`, `NAME_size`.
    fn declare_object(&mut self, name: &Name) {
        let id = ComponentId(u32::try_from(self.base.components.len()).expect("few objects"));
        let parts = [
            ("element", ComponentPart::Element),
            ("border", ComponentPart::Border),
            ("shared", ComponentPart::Shared),
            ("size", ComponentPart::Size),
        ];
        for (suffix, part) in parts {
            let text = format!("{}_{suffix}", name.text);
            let source = Source::Component(id, part);
            let predicate = Predicate { source, ..clause_predicate(&text, vec![None; 2]) };
            let part_name = Name { text, span: name.span };
            self.declare_relation(&part_name, 2, predicate, PredicateKind::Component);
        }
        // A place for the definition, which needs all names; `lower_object` fills it.
        self.base.components.push(Component {
            element: rulesmith_logic::Var(0),
            shared: None,
            body: vec![],
            link: PredicateId(0),
            variables: vec![Variable { name: String::new(), domain: None }],
            span: name.span,
        });
    }

    /// The element's sort is also the sort of the object's names and border.
    pub(crate) fn settle_object(&mut self, id: ComponentId, domain: Option<DomainId>) {
        for predicate in &mut self.base.predicates {
            match predicate.source {
                Source::Component(other, ComponentPart::Element | ComponentPart::Border)
                    if other == id =>
                {
                    predicate.domains = vec![domain; 2];
                }
                Source::Component(other, _) if other == id => predicate.domains[0] = domain,
                _ => {}
            }
        }
    }
}
