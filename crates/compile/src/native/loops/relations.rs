//! Static relations as tables.
//!
//! In: the complete facts of a predicate, or the parts of compound values. Out: for a choice of known
//! columns, tables whose rows are masks of what the unknown column may be. Invariant: a table has a row for
//! every combination of known values.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use indexmap::IndexSet;
use rulesmith_kernel::{Table, TableId};
use rulesmith_logic::{DomainId, PredicateId, Row, Symbol, Value};

use super::super::Obstacle;
use super::super::classes::mask;
use super::super::emit::Tables;
use super::held::NOWHERE;
use super::setting::Setting;

/// A relation by places.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(super) columns: Vec<DomainId>,
    pub(super) rows: Vec<Vec<u32>>,
    /// Tables that were made: whether of values or of masks, for which known columns and which unknown one.
    made: RefCell<BTreeMap<Asked, Option<Rc<Made>>>>,
}

/// Whether values or masks are asked for, by which known columns, and of which column.
type Asked = (bool, Vec<usize>, usize);

/// A table, and its place in the module once it has one.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) table: Table,
    place: Cell<Option<TableId>>,
}

impl Made {
    fn new(table: Table) -> Self {
        Self { table, place: Cell::new(None) }
    }

    /// Its place in the module.
    pub(super) fn place(&self, tables: &mut Tables) -> TableId {
        let place = self.place.get().unwrap_or_else(|| tables.add(self.table.clone()));
        self.place.set(Some(place));
        place
    }
}

/// Tables of more words than this are not made.
const TABLE_LIMIT: usize = 1 << 20;

impl Setting<'_> {
    /// The facts of a predicate.
    pub(super) fn relation(&self, predicate: PredicateId) -> Result<Rc<Relation>, Obstacle> {
        if let Some(known) = self.relations.borrow().get(&predicate) {
            return Ok(Rc::clone(known));
        }
        let described = self.theory.base.predicate(predicate);
        let free = vec![None; described.domains.len()];
        let rows = self.knowledge.static_rows(predicate, &free);
        let rows = rows.ok_or_else(|| {
            Obstacle::new(format!("`{}` is neither a fluent nor static", described.name))
        })?;
        let relation = Rc::new(self.to_relation(&described.domains, &rows));
        self.relations.borrow_mut().insert(predicate, Rc::clone(&relation));
        Ok(relation)
    }

    /// The compounds of a domain with their parts.
    pub(super) fn compounds(&self, whole: Option<DomainId>, functor: Symbol, n: usize) -> Relation {
        let symbols = self.knowledge.symbols().borrow();
        let mut rows: Vec<Row> = Vec::new();
        let domains: Vec<DomainId> = match whole {
            Some(domain) => vec![domain],
            None => (0..self.theory.base.domains.len())
                .map(|place| DomainId(u32::try_from(place).unwrap_or(u32::MAX)))
                .collect(),
        };
        for domain in domains {
            self.domains.with(domain, |values| {
                for value in values {
                    let Value::Compound(compound) = value else { continue };
                    let (own, parts) = symbols.parts(*compound);
                    if own == functor && parts.len() == n {
                        rows.push([*value].iter().chain(parts).copied().collect());
                    }
                }
            });
        }
        drop(symbols);
        let mut columns = vec![None; n + 1];
        columns[0] = whole;
        self.to_relation(&columns, &rows)
    }

    fn to_relation(&self, declared: &[Option<DomainId>], rows: &[Row]) -> Relation {
        let column = |(place, declared): (usize, &Option<DomainId>)| {
            declared.unwrap_or_else(|| {
                let mut values: Vec<Value> = rows.iter().map(|row| row[place]).collect();
                values.sort_unstable();
                self.domains.of(values.into_iter().collect::<IndexSet<_, _>>())
            })
        };
        let columns: Vec<DomainId> = declared.iter().enumerate().map(column).collect();
        let to_places = |row: &Row| -> Option<Vec<u32>> {
            let places = row.iter().zip(&columns);
            places.map(|(value, domain)| self.domains.place(*domain, *value)).collect()
        };
        let rows = rows.iter().filter_map(to_places).collect();
        Relation { columns, rows, made: RefCell::default() }
    }

    /// The table of what a column may be, one row for each combination of known columns.
    pub(super) fn masks(
        &self,
        relation: &Relation,
        known: &[usize],
        column: usize,
    ) -> Result<Rc<Made>, Obstacle> {
        let key = (false, known.to_vec(), column);
        if let Some(Some(made)) = relation.made.borrow().get(&key) {
            return Ok(Rc::clone(made));
        }
        let made = Rc::new(Made::new(self.make_masks(relation, known, column)?));
        relation.made.borrow_mut().insert(key, Some(Rc::clone(&made)));
        Ok(made)
    }

    /// The table of what a column is, if the known columns decide it.
    pub(super) fn function(
        &self,
        relation: &Relation,
        known: &[usize],
        column: usize,
    ) -> Option<Rc<Made>> {
        let key = (true, known.to_vec(), column);
        if let Some(made) = relation.made.borrow().get(&key) {
            return made.clone();
        }
        let made = self.make_function(relation, known, column).map(Made::new).map(Rc::new);
        relation.made.borrow_mut().insert(key, made.clone());
        made
    }

    fn make_masks(
        &self,
        relation: &Relation,
        known: &[usize],
        column: usize,
    ) -> Result<Table, Obstacle> {
        let (sizes, n_rows) = self.sizes(relation, known)?;
        let width = self.domains.width(relation.columns[column]);
        let n_words = n_rows * usize::from(width);
        if n_words > TABLE_LIMIT {
            return Err(Obstacle::new("a static table would be too large"));
        }
        let mut words = vec![0; n_words.max(usize::from(width))];
        for row in &relation.rows {
            let start = number(row, known, &sizes) * usize::from(width);
            for (word, bits) in words[start..].iter_mut().zip(mask(width, [row[column]])) {
                *word |= bits;
            }
        }
        Ok(Table { width, words })
    }

    fn make_function(&self, relation: &Relation, known: &[usize], column: usize) -> Option<Table> {
        let (sizes, n_rows) = self.sizes(relation, known).ok()?;
        let mut values: BTreeMap<usize, u32> = BTreeMap::new();
        for row in &relation.rows {
            let key = number(row, known, &sizes);
            if *values.entry(key).or_insert(row[column]) != row[column] {
                return None;
            }
        }
        let mut words = vec![NOWHERE; n_rows.max(1)];
        for (key, value) in values {
            words[key] = u64::from(value);
        }
        Some(Table { width: 1, words })
    }

    fn sizes(&self, relation: &Relation, known: &[usize]) -> Result<(Vec<usize>, usize), Obstacle> {
        let size = |column: &usize| self.domains.len(relation.columns[*column]) as usize;
        let sizes: Vec<usize> = known.iter().map(size).collect();
        let n_rows = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        match n_rows {
            Some(n_rows) if n_rows <= TABLE_LIMIT => Ok((sizes, n_rows)),
            _ => Err(Obstacle::new("a static table would be too large")),
        }
    }
}

/// The number of a combination of known columns, the first running fastest.
fn number(row: &[u32], known: &[usize], sizes: &[usize]) -> usize {
    let columns = known.iter().zip(sizes).rev();
    columns.fold(0, |number, (column, size)| number * size + row[*column] as usize)
}
