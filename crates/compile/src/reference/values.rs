//! The facts of fluents: a function of finite keys, read in any direction.
//!
//! In: known keys, perhaps a known value. Out: the matching rows. Invariant: a key outside its sort
//! has no value, not even the default.

use rulesmith_logic::{DomainId, Row, Solver, Value};
use rulesmith_rules::{Fluent, FluentDefault, FluentId};

use super::state::Fluents;
use super::world::{StateWorld, agrees};

/// A question about one fluent.
struct Asked<'a> {
    fluents: &'a Fluents,
    id: FluentId,
    fluent: &'a Fluent,
    /// The default, if the fluent has a value everywhere.
    default: Option<Value>,
    /// The value asked for, if it is known.
    value: Option<Value>,
    /// The sorts of its keys.
    domains: &'a [Option<DomainId>],
    solver: &'a Solver,
}

impl StateWorld {
    pub(crate) fn fluent_rows(
        &self,
        solver: &Solver,
        id: FluentId,
        pattern: &[Option<Value>],
    ) -> Vec<Row> {
        let fluent = self.shared.theory.fluent(id);
        let (keys, value) = pattern.split_at(fluent.n_keys);
        let asked = Asked {
            fluents: &self.core.fluents,
            id,
            fluent,
            default: match fluent.default {
                FluentDefault::Value(default) if fluent.is_functional => Some(default),
                _ => None,
            },
            value: value.first().copied().flatten(),
            domains: &solver.base().predicate(fluent.predicate).domains[..fluent.n_keys],
            solver,
        };
        if let Some(keys) = keys.iter().copied().collect::<Option<Row>>() {
            return asked.row_at(&keys).into_iter().collect();
        }
        if asked.is_about_default() {
            let mut rows = Vec::new();
            asked.rows_over_domains(&mut keys.to_vec(), &mut rows);
            return rows;
        }
        let rows = asked.fluents.entries(id).map(|(keys, value)| to_row(fluent, keys, value));
        rows.filter(|row| agrees(row, pattern)).collect()
    }
}

impl Asked<'_> {
    /// Can the answer hold keys that are not stored?
    fn is_about_default(&self) -> bool {
        let is_wanted = |default: Value| self.value.is_none_or(|value| value == default);
        self.default.is_some_and(is_wanted) && self.domains.iter().all(Option::is_some)
    }

    fn row_at(&self, keys: &[Value]) -> Option<Row> {
        let value = self.fluents.stored(self.id, keys).or(self.default)?;
        let is_asked = !self.fluent.is_functional || self.value.is_none_or(|asked| asked == value);
        let inside = |(key, domain): (&Value, &Option<DomainId>)| {
            domain.is_none_or(|domain| self.solver.base().domain(domain).values.contains(key))
        };
        let is_inside = keys.iter().zip(self.domains).all(inside);
        (is_asked && is_inside).then(|| to_row(self.fluent, keys, value))
    }

    /// Goes through all keys in the order of their sorts.
    fn rows_over_domains(&self, keys: &mut Vec<Option<Value>>, rows: &mut Vec<Row>) {
        let Some(free) = keys.iter().position(Option::is_none) else {
            let known: Row = keys.iter().flatten().copied().collect();
            rows.extend(self.row_at(&known));
            return;
        };
        let Some(domain) = self.domains[free] else { return };
        for key in &self.solver.base().domain(domain).values {
            keys[free] = Some(*key);
            self.rows_over_domains(keys, rows);
        }
        keys[free] = None;
    }
}

fn to_row(fluent: &Fluent, keys: &[Value], value: Value) -> Row {
    if fluent.is_functional { keys.iter().chain([&value]).copied().collect() } else { keys.into() }
}
