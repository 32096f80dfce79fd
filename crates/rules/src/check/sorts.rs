//! Sorts: from their expressions to finite domains.
//!
//! In: sort expressions over parameters. Out: domains, each value once, in the order written.
//! Invariant: no domain is larger than the limit `sort-size`.

use indexmap::IndexSet;
use rulesmith_logic::{
    ClauseBase, Domain, DomainId, Error, Limits, Nowhere, Solver, Span, Stop, Symbols, Value, edges,
};
use rustc_hash::FxBuildHasher;

use super::lower::Lowering;
use super::{Checker, with_help};
use crate::rules_text::ast::{
    Condition, ConditionKind, Expr, ExprKind, Item, ItemKind, Name, SortExpr, SortExprKind,
};
use crate::source::Diagnostic;
use crate::theory::PredicateKind;

pub(crate) type Values = IndexSet<Value, FxBuildHasher>;

/// Built-in sorts without a finite domain: all ground terms, all bounded integers.
const OPEN_SORTS: [&str; 2] = ["term", "int"];

/// The domain of truth values that boolean fluents are assigned.
pub(crate) fn bool_domain(symbols: &mut Symbols, base: &mut ClauseBase) -> DomainId {
    let values = ["false", "true"].map(|name| Value::Symbol(symbols.symbol(name)));
    base.add_domain(Domain { name: "bool".to_owned(), values: values.into_iter().collect() })
}

impl Checker<'_> {
    pub(crate) fn declare_sorts(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Sort { name, definition } = &item.kind else { continue };
            let is_taken = name.text == "role" || OPEN_SORTS.contains(&name.text.as_str());
            if is_taken || self.definitions.contains_key(&name.text) {
                let message = format!("the sort `{}` is defined already", name.text);
                self.report(Diagnostic::error("duplicate", name.span, message));
                continue;
            }
            self.definitions.insert(name.text.clone(), (definition.clone(), name.span));
        }
        let names: Vec<String> = self.definitions.keys().cloned().collect();
        for name in names {
            self.named_sort(&name, Span::default());
        }
    }

    /// The domain of a named sort; outside `Some` when the name is no sort.
    #[expect(clippy::option_option, reason = "outside: is it a sort at all; inside: is it finite")]
    fn named_sort(&mut self, name: &str, span: Span) -> Option<Option<DomainId>> {
        if OPEN_SORTS.contains(&name) {
            return Some(None);
        }
        if let Some(known) = self.sorts.get(name) {
            return Some(*known);
        }
        if self.resolving.iter().any(|other| other == name) {
            let circle = format!("{} → {name}", self.resolving.join(" → "));
            let message = format!("the sort `{name}` is defined by itself ({circle})");
            self.report(Diagnostic::error("circular-sort", span, message));
            return None;
        }
        let Some((definition, place)) = self.definitions.get(name).cloned() else {
            let known: Vec<&str> =
                self.definitions.keys().map(String::as_str).chain(["role", "int"]).collect();
            let help = Self::did_you_mean(name, known);
            let problem =
                Diagnostic::error("unknown-sort", span, format!("there is no sort `{name}`"));
            self.report(with_help(problem, help));
            return None;
        };
        self.resolving.push(name.to_owned());
        let values = self.sort_values(&definition);
        self.resolving.pop();
        let values = values?;
        if values.is_empty() {
            self.report(Diagnostic::error(
                "empty-sort",
                place,
                format!("the sort `{name}` has no values"),
            ));
        }
        let domain = self.add_domain(name.to_owned(), values);
        self.sorts.insert(name.to_owned(), Some(domain));
        Some(Some(domain))
    }

    /// Adds a domain and remembers its names as constants.
    pub(crate) fn add_domain(&mut self, name: String, values: Values) -> DomainId {
        for value in &values {
            self.remember(*value);
        }
        self.base.add_domain(Domain { name, values })
    }

    fn remember(&mut self, value: Value) {
        match value {
            Value::Int(_) => {}
            Value::Symbol(symbol) => {
                self.constants.insert(symbol);
            }
            Value::Compound(compound) => {
                let (functor, args) = self.symbols.parts(compound);
                let args = args.to_vec();
                self.functors.insert((self.symbols.name(functor).to_owned(), args.len()));
                for arg in args {
                    self.remember(arg);
                }
            }
        }
    }

    /// The domain of a sort expression; `None` inside for an open sort, `None` outside for an error.
    #[expect(clippy::option_option, reason = "outside: is it a sort at all; inside: is it finite")]
    pub(crate) fn sort_domain(&mut self, sort: &SortExpr) -> Option<Option<DomainId>> {
        if let SortExprKind::Name(name) = &sort.kind {
            return self.named_sort(name, sort.span);
        }
        let values = self.sort_values(sort)?;
        let name = self.domain_text(&values);
        let same = |domain: &Domain| domain.name == name && domain.values == values;
        if let Some(known) = self.base.domains.iter().position(same) {
            return Some(Some(DomainId(
                u32::try_from(known).expect("domains are numbered in 32 bits"),
            )));
        }
        Some(Some(self.add_domain(name, values)))
    }

    /// A short text for a domain without a name.
    fn domain_text(&self, values: &Values) -> String {
        let numbers: Option<Vec<i64>> = values
            .iter()
            .map(
                |value| {
                    if let Value::Int(number) = value { Some(i64::from(*number)) } else { None }
                },
            )
            .collect();
        let is_run = |numbers: &Vec<i64>| numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
        if let Some([first, .., last]) = numbers.filter(is_run).as_deref() {
            return format!("{first}..{last}");
        }
        let few =
            values.iter().take(8).map(|value| crate::wording::value_text(&self.symbols, *value));
        let more = if values.len() > 8 { ", …" } else { "" };
        format!("{{{}{more}}}", few.collect::<Vec<_>>().join(", "))
    }

    /// The values of a sort expression, or `None` after an error.
    fn sort_values(&mut self, sort: &SortExpr) -> Option<Values> {
        match &sort.kind {
            SortExprKind::Name(name) => {
                let Some(domain) = self.named_sort(name, sort.span)? else {
                    let message =
                        format!("`{name}` has no finite list of values to build a sort from");
                    self.report(Diagnostic::error("open-sort", sort.span, message));
                    return None;
                };
                Some(self.base.domain(domain).values.clone())
            }
            SortExprKind::Enumeration(values) => {
                self.within_limit(sort.span, values.len())?;
                values.iter().map(|value| self.ground_value(value)).collect()
            }
            SortExprKind::Comprehension(element, body) => self.comprehend(sort.span, element, body),
            SortExprKind::Range(first, last) => self.range_values(sort.span, first, last),
            SortExprKind::Union(parts) => {
                let mut all = Values::default();
                for part in parts {
                    all.extend(self.sort_values(part)?);
                }
                self.within_limit(sort.span, all.len())?;
                Some(all)
            }
            SortExprKind::Product(functor, parts) => {
                self.product_values(sort.span, functor.as_ref(), parts)
            }
        }
    }

    /// All values of an expression whose variables the conditions bind. Only sorts, parameters and
    /// arithmetic exist yet, so the conditions can use nothing else.
    fn comprehend(&mut self, span: Span, element: &Expr, body: &[Condition]) -> Option<Values> {
        if let ExprKind::Apply(name, args) = &element.kind {
            self.functors.insert((name.text.clone(), args.len()));
        }
        self.resolve_sorts_of(body)?;
        let n_errors = self.diagnostics.list.len();
        let one = super::clause_predicate("comprehension", vec![None]);
        let mut base = ClauseBase { domains: self.base.domains.clone(), ..ClauseBase::default() };
        let place = self.base.predicates.len();
        let predicate = self.add_predicate(one.clone(), PredicateKind::Prefer, span);
        let mut lowering = Lowering::new(self);
        lowering.conditions(body);
        let value = lowering.term(element)?;
        lowering.finish(predicate, vec![value], span);
        if let Some(edge) = edges(&self.base).into_iter().find(|edge| edge.from == predicate) {
            let name = self.base.predicate(edge.to).name.clone();
            self.report_relation(&name, span);
        }
        let clauses = self.base.clauses[place].clone();
        self.base.clauses.truncate(place);
        self.base.predicates.truncate(place);
        self.kinds.truncate(place);
        if self.diagnostics.list.len() > n_errors {
            return None;
        }
        let asked = base.add_predicate(one);
        for mut clause in clauses {
            clause.head.predicate = asked;
            base.add_clause(clause);
        }
        let limit = self.settings.limits.sort_size as u64;
        let limits = Limits {
            derived_facts: limit,
            inferences: 64 * limit + 1_000_000,
            ..Limits::default()
        };
        let solver = Solver::new(base, self.symbols.clone(), limits, Stop::default());
        match solver.query(&Nowhere::default(), asked, &[None]) {
            Ok(rows) => {
                self.symbols = solver.symbols().borrow().clone();
                Some(rows.iter().map(|row| row[0]).collect())
            }
            Err(Error::Limit { .. }) => self.within_limit(span, usize::MAX).and(None),
            Err(error) => {
                self.report(Diagnostic::error("sort", span, error.to_string()));
                None
            }
        }
    }

    /// Makes sure that the sorts named in a comprehension exist before it is lowered. Relations do not exist
    /// before sorts do.
    fn resolve_sorts_of(&mut self, body: &[Condition]) -> Option<()> {
        for condition in body {
            let ConditionKind::Holds(Expr { kind: ExprKind::Apply(name, args), span }) =
                &condition.kind
            else {
                continue;
            };
            if args.len() != 1 {
                self.report_relation(&name.text, *span);
                return None;
            }
            self.named_sort(&name.text, *span)?;
        }
        Some(())
    }

    fn report_relation(&mut self, name: &str, span: Span) {
        let message = format!("the conditions of a sort cannot use `{name}`, which is no sort");
        let problem = Diagnostic::error("sort", span, message);
        self.report(problem.help("they may use sorts, parameters and arithmetic"));
    }

    fn range_values(&mut self, span: Span, first: &Expr, last: &Expr) -> Option<Values> {
        let (low, high) = (self.constant_int(first)?, self.constant_int(last)?);
        if low > high {
            let message = format!("the range {low}..{high} is empty");
            self.report(
                Diagnostic::error("empty-sort", span, message)
                    .help("the smaller number comes first"),
            );
            return None;
        }
        let size = i64::from(high) - i64::from(low) + 1;
        self.within_limit(span, usize::try_from(size).unwrap_or(usize::MAX))?;
        Some((low..=high).map(Value::Int).collect())
    }

    fn product_values(
        &mut self,
        span: Span,
        functor: Option<&Name>,
        parts: &[SortExpr],
    ) -> Option<Values> {
        let parts: Option<Vec<Values>> = parts.iter().map(|part| self.sort_values(part)).collect();
        let parts = parts?;
        let size = parts.iter().try_fold(1_usize, |size, part| size.checked_mul(part.len()));
        self.within_limit(span, size.unwrap_or(usize::MAX))?;
        let name = functor.map_or("", |functor| functor.text.as_str());
        let functor = self.symbols.symbol(name);
        let mut rows: Vec<Vec<Value>> = vec![vec![]];
        for part in &parts {
            let longer = |row: &Vec<Value>| {
                let row = row.clone();
                part.iter().map(move |value| [row.as_slice(), &[*value]].concat())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        Some(rows.iter().map(|row| self.symbols.compound(functor, row)).collect())
    }

    fn within_limit(&mut self, span: Span, size: usize) -> Option<()> {
        let limit = self.settings.limits.sort_size;
        if size <= limit {
            return Some(());
        }
        let message = format!("this sort has more values than the limit `sort-size` of {limit}");
        let problem = Diagnostic::error("limit", span, message);
        self.report(problem.help("make it smaller, or raise the limit: --limit sort-size=N"));
        None
    }

    /// A value written out: a name, a number, or a compound of such.
    pub(crate) fn ground_value(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Name(name) => match self.param(name) {
                Some(number) => Some(Value::Int(number)),
                None => Some(Value::Symbol(self.symbols.symbol(name))),
            },
            ExprKind::Apply(name, args)
                if !super::constants::is_function(&name.text, args.len()) =>
            {
                let args: Option<Vec<Value>> =
                    args.iter().map(|arg| self.ground_value(arg)).collect();
                let functor = self.symbols.symbol(&name.text);
                Some(self.symbols.compound(functor, &args?))
            }
            ExprKind::Tuple(args) => {
                let args: Option<Vec<Value>> =
                    args.iter().map(|arg| self.ground_value(arg)).collect();
                let functor = self.symbols.symbol("");
                Some(self.symbols.compound(functor, &args?))
            }
            ExprKind::Var(name) => {
                let problem = Diagnostic::error(
                    "variable",
                    expr.span,
                    "a value is needed here, not a variable",
                );
                self.report(
                    problem.help(format!("names start with a small letter; or quote it: '{name}'")),
                );
                None
            }
            _ => self.constant_int(expr).map(Value::Int),
        }
    }
}
