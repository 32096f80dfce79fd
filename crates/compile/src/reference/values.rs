//! The facts of fluents: a function of finite keys, read in any direction.
//!
//! In: known keys, perhaps a known value. Out: the matching rows. Invariant: a key outside its sort
//! has no value, not even the default.

use rulesmith_logic::{DomainId, Row, Solver, Value};
use rulesmith_rules::{Default as FluentDefault, Fluent, FluentId};

use super::world::{StateWorld, agrees};

impl StateWorld {
    pub(crate) fn fluent_rows(
        &self,
        solver: &Solver,
        id: FluentId,
        pattern: &[Option<Value>],
    ) -> Vec<Row> {
        let fluent = self.shared.theory.fluent(id);
        let (keys, value) = pattern.split_at(fluent.n_keys);
        let default = match fluent.default {
            FluentDefault::Value(default) if fluent.is_functional => Some(default),
            _ => None,
        };
        if let Some(keys) = keys.iter().copied().collect::<Option<Row>>() {
            return self.row_at(solver, id, keys, default, value.first().copied().flatten());
        }
        let asks_for_default = match (default, value.first()) {
            (Some(default), Some(Some(value))) => *value == default,
            (Some(_), _) => true,
            (None, _) => false,
        };
        if asks_for_default && has_finite_keys(solver, fluent) {
            let mut rows = Vec::new();
            self.rows_over_domains(solver, id, &mut keys.to_vec(), (default, value), &mut rows);
            return rows;
        }
        let rows = self.core.fluents.entries(id).map(|(keys, value)| to_row(fluent, keys, value));
        rows.filter(|row| agrees(row, pattern)).collect()
    }

    fn row_at(
        &self,
        solver: &Solver,
        id: FluentId,
        keys: Row,
        default: Option<Value>,
        asked: Option<Value>,
    ) -> Vec<Row> {
        let fluent = self.shared.theory.fluent(id);
        let Some(value) = self.core.fluents.stored(id, &keys).or(default) else { return Vec::new() };
        let is_asked = !fluent.is_functional || asked.is_none_or(|asked| asked == value);
        let domains = &solver.base().predicate(fluent.predicate).domains;
        let inside = |(key, domain): (&Value, &Option<DomainId>)| {
            domain.is_none_or(|domain| solver.base().domain(domain).values.contains(key))
        };
        let is_inside = keys.iter().zip(domains).all(inside);
        if is_asked && is_inside { vec![to_row(fluent, &keys, value)] } else { Vec::new() }
    }

    /// Goes through all keys in the order of their sorts.
    fn rows_over_domains(
        &self,
        solver: &Solver,
        id: FluentId,
        keys: &mut Vec<Option<Value>>,
        (default, value): (Option<Value>, &[Option<Value>]),
        rows: &mut Vec<Row>,
    ) {
        let Some(free) = keys.iter().position(Option::is_none) else {
            let known: Row = keys.iter().flatten().copied().collect();
            rows.extend(self.row_at(solver, id, known, default, value.first().copied().flatten()));
            return;
        };
        let predicate = self.shared.theory.fluent(id).predicate;
        let Some(domain) = solver.base().predicate(predicate).domains[free] else { return };
        for key in &solver.base().domain(domain).values {
            keys[free] = Some(*key);
            self.rows_over_domains(solver, id, keys, (default, value), rows);
        }
        keys[free] = None;
    }
}

fn has_finite_keys(solver: &Solver, fluent: &Fluent) -> bool {
    let domains = &solver.base().predicate(fluent.predicate).domains;
    domains[..fluent.n_keys].iter().all(Option::is_some)
}

fn to_row(fluent: &Fluent, keys: &[Value], value: Value) -> Row {
    if fluent.is_functional { keys.iter().chain([&value]).copied().collect() } else { keys.into() }
}
