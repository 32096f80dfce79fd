//! Domains: finite sets of values back to sorts, by name or written out.
//!
//! In: the domains of a theory. Out: sort expressions that list the same values in the same order:
//! ranges, products and the roles are recognised. Invariant: a domain that cannot be written in place
//! (a member condition, a long list) has a name.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use rulesmith_logic::{DomainId, Span, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::constants::member_domains;
use super::raise_exprs::value_expr;
use super::{constants, declarations, name, write};
use crate::rules_text::ast::{Expr as Written, ExprKind, SortExpr, SortExprKind};
use crate::theory::Theory;

/// Definitions longer than this get a name.
const LONGEST_IN_PLACE: usize = 40;

/// From so many integers in a row on they are written as a range.
const SHORTEST_RANGE: usize = 3;

/// From so many compounds on they are written as a product, if they are one.
const SHORTEST_PRODUCT: usize = 4;

/// What each domain is called.
#[derive(Debug)]
pub(super) struct SortNames<'t> {
    pub(super) theory: &'t Theory,
    /// Names and definitions in the order they are printed; `role` is not among them.
    pub(super) printed: Vec<(String, SortExpr)>,
    names: FxHashMap<DomainId, String>,
}

impl<'t> SortNames<'t> {
    /// The theory's own names, and new ones where they are needed.
    pub(super) fn new(theory: &'t Theory) -> Self {
        let mut sorts = Self { theory, printed: vec![], names: FxHashMap::default() };
        let mut named: Vec<(String, DomainId)> = Vec::new();
        for sort in &theory.sorts {
            let Some(domain) = sort.domain else { continue };
            sorts.names.entry(domain).or_insert_with(|| sort.name.clone());
            if sort.name != "role" {
                named.push((sort.name.clone(), domain));
            }
        }
        let mut taken = names_in_use(theory);
        for domain in sorts.nameless() {
            let fresh = fresh_name(&theory.base.domain(domain).name, &taken);
            taken.insert(fresh.clone());
            sorts.names.insert(domain, fresh.clone());
            named.push((fresh, domain));
        }
        let definitions = named.into_iter().map(|(name, domain)| (name, sorts.definition(domain)));
        sorts.printed = in_dependency_order(definitions.collect());
        let mentioned = constants::mentioned(theory);
        if !mentioned.is_empty() {
            let fresh = fresh_name("constant", &taken);
            sorts.printed.push((fresh, sort(SortExprKind::Enumeration(mentioned))));
        }
        sorts
    }

    /// Domains without a name that need one.
    fn nameless(&self) -> BTreeSet<DomainId> {
        let mut needed = member_domains(self.theory);
        let in_place = declarations::domains(self.theory).into_iter();
        needed.extend(in_place.filter(|domain| self.definition_length(*domain) > LONGEST_IN_PLACE));
        needed.retain(|domain| !self.names.contains_key(domain));
        needed
    }

    /// The name of a domain.
    pub(super) fn name_of(&self, domain: DomainId) -> Option<&str> {
        self.names.get(&domain).map(String::as_str)
    }

    /// The sort of an argument: by name, written out, or the open sort `term`.
    pub(super) fn sort(&self, domain: Option<DomainId>) -> SortExpr {
        let Some(domain) = domain else { return named("term") };
        self.name_of(domain).map_or_else(|| self.definition(domain), named)
    }

    /// The sort written out.
    pub(super) fn definition(&self, domain: DomainId) -> SortExpr {
        let values: Vec<Value> = self.theory.base.domain(domain).values.iter().copied().collect();
        self.written_out(&values)
    }

    fn definition_length(&self, domain: DomainId) -> usize {
        if self.names.contains_key(&domain) {
            0
        } else {
            write::sort(&self.definition(domain)).len()
        }
    }

    /// Values as a union of ranges, products, the roles and enumerations.
    fn written_out(&self, values: &[Value]) -> SortExpr {
        let mut parts: Vec<SortExpr> = Vec::new();
        let mut single: Vec<Written> = Vec::new();
        let mut rest = values;
        while let [first, ..] = rest {
            let run = self.run_length(rest);
            let is_whole = rest.len() == values.len();
            let shortest_range =
                if is_whole { values.len().clamp(2, SHORTEST_RANGE) } else { SHORTEST_RANGE };
            if let Some((part, length)) = self.recognize(rest, run, shortest_range) {
                parts.extend(enumeration(&mut single));
                parts.push(part);
                rest = &rest[length..];
            } else {
                let length = if matches!(first, Value::Compound(_)) { run } else { 1 };
                single.extend(rest[..length].iter().map(|value| value_expr(self.theory, *value)));
                rest = &rest[length..];
            }
        }
        parts.extend(enumeration(&mut single));
        match parts.len() {
            1 => parts.remove(0),
            _ => sort(SortExprKind::Union(parts)),
        }
    }

    /// How many values at the start are compounds of the same functor and number of arguments.
    fn run_length(&self, values: &[Value]) -> usize {
        let shape = |value: &Value| match value {
            Value::Compound(compound) => {
                let (functor, args) = self.theory.symbols.parts(*compound);
                Some((functor, args.len()))
            }
            _ => None,
        };
        let first = values.first().and_then(shape);
        values.iter().take_while(|value| first.is_some() && shape(value) == first).count()
    }

    /// A range, product or the roles at the start of the values, and how many values it has.
    fn recognize(
        &self,
        values: &[Value],
        run: usize,
        shortest_range: usize,
    ) -> Option<(SortExpr, usize)> {
        let roles: Vec<Value> = self.theory.roles.iter().copied().map(Value::Symbol).collect();
        if roles.len() > 1 && values.starts_with(&roles) {
            return Some((named("role"), roles.len()));
        }
        let range = self.range(values).filter(|(_, length)| *length >= shortest_range);
        range.or_else(|| Some((self.product(&values[..run])?, run)))
    }

    fn range(&self, values: &[Value]) -> Option<(SortExpr, usize)> {
        let Some(Value::Int(first)) = values.first() else { return None };
        let in_row = |(value, number): &(&Value, i64)| matches!(value, Value::Int(int) if i64::from(*int) == *number);
        let length = values.iter().zip(i64::from(*first)..).take_while(in_row).count();
        let last = *values.get(length - 1)?;
        let [low, high] = [Value::Int(*first), last].map(|value| value_expr(self.theory, value));
        Some((sort(SortExprKind::Range(low, high)), length))
    }

    /// Compounds of one functor that are all combinations of their arguments, in order.
    fn product(&self, values: &[Value]) -> Option<SortExpr> {
        let parts = |value: &Value| match value {
            Value::Compound(compound) => Some(self.theory.symbols.parts(*compound)),
            _ => None,
        };
        let rows: Vec<&[Value]> = values.iter().filter_map(parts).map(|(_, args)| args).collect();
        let (functor, first) = parts(values.first()?)?;
        let mut columns: Vec<IndexSet<Value>> = vec![IndexSet::new(); first.len()];
        for row in &rows {
            for (column, value) in columns.iter_mut().zip(*row) {
                column.insert(*value);
            }
        }
        if rows.len() < SHORTEST_PRODUCT || !is_product(&rows, &columns) {
            return None;
        }
        let mut used = Vec::new();
        let columns = columns.iter().map(|column| self.column(column, &mut used)).collect();
        let functor = self.theory.symbols.name(functor);
        let functor = (!functor.is_empty()).then(|| name(functor));
        Some(sort(SortExprKind::Product(functor, columns)))
    }

    /// One factor of a product: a named sort with the same values, or these values. Of several such
    /// sorts the one that is not used yet: `file * rank`.
    fn column(&self, values: &IndexSet<Value>, used: &mut Vec<&'t str>) -> SortExpr {
        let same = |domain: &Option<DomainId>| {
            domain.is_some_and(|id| self.theory.base.domain(id).values.iter().eq(values))
        };
        let known = self
            .theory
            .sorts
            .iter()
            .filter(|sort| same(&sort.domain))
            .map(|sort| sort.name.as_str());
        let known: Vec<&str> = known.collect();
        let unused = known.iter().find(|name| !used.contains(name));
        let Some(chosen) = unused.or(known.first()) else {
            let values: Vec<Value> = values.iter().copied().collect();
            return self.written_out(&values);
        };
        used.push(chosen);
        named(chosen)
    }
}

fn is_product(rows: &[&[Value]], columns: &[IndexSet<Value>]) -> bool {
    let size = columns.iter().try_fold(1_usize, |size, column| size.checked_mul(column.len()));
    let at = |mut place: usize| {
        let mut row: Vec<Value> = Vec::with_capacity(columns.len());
        for column in columns.iter().rev() {
            row.push(column[place % column.len()]);
            place /= column.len();
        }
        row.reverse();
        row
    };
    size == Some(rows.len()) && rows.iter().enumerate().all(|(place, row)| at(place) == *row)
}

/// Each sort behind those its definition names, as they are also known in that order.
fn in_dependency_order(mut sorts: Vec<(String, SortExpr)>) -> Vec<(String, SortExpr)> {
    let mut ordered: Vec<(String, SortExpr)> = Vec::with_capacity(sorts.len());
    while !sorts.is_empty() {
        let first_needed = |place: usize| {
            let needed = |name: &&str| sorts.iter().position(|(other, _)| other == name);
            names_in(&sorts[place].1).iter().find_map(needed)
        };
        // Values get simpler along the names, so there is no circle; the bound is for safety.
        let place = (0..sorts.len()).try_fold(0, |place, _| first_needed(place).ok_or(place));
        let place = place.unwrap_or_else(|place| place);
        ordered.push(sorts.remove(place));
    }
    ordered
}

/// The sorts that a definition names.
fn names_in(definition: &SortExpr) -> Vec<&str> {
    match &definition.kind {
        SortExprKind::Name(name) => vec![name],
        SortExprKind::Product(_, parts) | SortExprKind::Union(parts) => {
            parts.iter().flat_map(names_in).collect()
        }
        _ => vec![],
    }
}

fn enumeration(values: &mut Vec<Written>) -> Option<SortExpr> {
    (!values.is_empty()).then(|| sort(SortExprKind::Enumeration(std::mem::take(values))))
}

fn named(text: &str) -> SortExpr {
    sort(SortExprKind::Name(text.to_owned()))
}

fn sort(kind: SortExprKind) -> SortExpr {
    SortExpr { kind, span: Span::default() }
}

/// Names that a new sort must not take.
fn names_in_use(theory: &Theory) -> FxHashSet<String> {
    let predicates = theory.base.predicates.iter().map(|predicate| &predicate.name);
    let sorts = theory.sorts.iter().map(|sort| &sort.name);
    let moves = theory.moves.iter().map(|kind| &kind.name);
    let own = ["role", "term", "int", "bool"].map(str::to_owned);
    predicates.chain(sorts).chain(moves).cloned().chain(own).collect()
}

/// A plain name, like the wanted one if that can be.
fn fresh_name(wanted: &str, taken: &FxHashSet<String>) -> String {
    let is_plain = crate::wording::name_text(wanted) == wanted;
    if is_plain && !taken.contains(wanted) {
        return wanted.to_owned();
    }
    let stem = if is_plain { wanted } else { "sort" };
    let mut numbered = (1..).map(|number| format!("{stem}_{number}"));
    numbered.find(|fresh| !taken.contains(fresh)).unwrap_or_default()
}

/// An expression that stands nowhere in a text.
pub(super) fn expr(kind: ExprKind) -> Written {
    Written { kind, span: Span::default() }
}
