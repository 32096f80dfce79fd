//! Working memories: the facts a tree is matched on, in two layers.
//!
//! In: rows of values. Out: relations of ids by predicate, and the domains as relations of one column.
//! Paper: metameta §2. Invariant: the static layer is shared by all memories made on it and never
//! changes; a relation of the upper layer hides the static one of the same predicate.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rulesmith_logic::{Domain, DomainId, Error, PredicateId, Row, Value};

use crate::matcher::{Matcher, conflict};
use crate::outside::Outside;
use crate::relation::{MAX_ARITY, Relation};
use crate::rows::RowSet;
use crate::tables::Tables;
use crate::universe::{Universe, ValueId};

/// What never changes: static relations and domains, shared by many memories.
#[derive(Debug)]
pub struct StaticMemory {
    universe: Rc<Universe>,
    relations: Vec<Option<Rc<Relation>>>,
    domains: Vec<Relation>,
    /// A relation without rows for each arity.
    no_facts: Vec<OnceCell<Relation>>,
    tables: Rc<RefCell<Tables>>,
}

/// The facts of one state on top of the static ones.
#[derive(Debug)]
pub struct Memory {
    fixed: Rc<StaticMemory>,
    relations: Vec<Option<Rc<Relation>>>,
    /// Relations the host makes when they are first read, by predicate.
    promised: Vec<Option<Promise>>,
    tables: Rc<RefCell<Tables>>,
    outside: Option<Rc<dyn Outside>>,
}

/// A relation of so many columns that the host makes when it is first read.
#[derive(Debug)]
struct Promise {
    arity: usize,
    made: OnceCell<Rc<Relation>>,
}

impl StaticMemory {
    /// A static layer without relations, with the domains of a clause base.
    pub fn new(universe: Rc<Universe>, domains: &[Domain]) -> Self {
        let domains = domains.iter().map(|domain| domain_relation(&universe, domain)).collect();
        let no_facts = (0..=MAX_ARITY).map(|_| OnceCell::new()).collect();
        Self { universe, relations: Vec::new(), domains, no_facts, tables: Rc::default() }
    }

    /// Loads the facts of a predicate, in place of those loaded before.
    pub fn load(&mut self, predicate: PredicateId, arity: usize, rows: &[Row]) {
        self.put(predicate, Rc::new(relation_of(&self.universe, arity, rows)));
    }

    /// Puts a relation in place, instead of the one before.
    pub fn put(&mut self, predicate: PredicateId, relation: Rc<Relation>) {
        // What was concluded from the facts before no longer holds.
        self.tables = Rc::default();
        put(&mut self.relations, predicate, relation);
    }

    /// The ids of the values.
    pub fn universe(&self) -> &Rc<Universe> {
        &self.universe
    }

    /// The static facts of a predicate, if any were loaded.
    pub fn relation(&self, predicate: PredicateId) -> Option<&Relation> {
        self.relations.get(predicate.0 as usize)?.as_deref()
    }

    /// The members of a domain as a relation of one column.
    pub fn domain(&self, domain: DomainId) -> Option<&Relation> {
        self.domains.get(domain.0 as usize)
    }

    /// A relation without rows; no relation has more than `MAX_ARITY` columns.
    pub(crate) fn no_facts(&self, arity: usize) -> &Relation {
        self.no_facts[arity].get_or_init(|| Relation::new(arity))
    }

    pub(crate) fn tables(&self) -> &Rc<RefCell<Tables>> {
        &self.tables
    }
}

impl Memory {
    /// A memory that holds the static facts alone.
    pub fn new(fixed: Rc<StaticMemory>) -> Self {
        let (relations, promised) = (Vec::new(), Vec::new());
        Self { fixed, relations, promised, tables: Rc::default(), outside: None }
    }

    /// Loads the facts of a predicate, in place of those loaded before.
    pub fn load(&mut self, predicate: PredicateId, arity: usize, rows: &[Row]) {
        self.put(predicate, Rc::new(relation_of(&self.fixed.universe, arity, rows)));
    }

    /// Puts a relation in place, instead of the one before; states may share it.
    pub fn put(&mut self, predicate: PredicateId, relation: Rc<Relation>) {
        // What was concluded from the facts before no longer holds.
        self.tables = Rc::default();
        put(&mut self.relations, predicate, relation);
    }

    /// The facts of a predicate, if any were loaded.
    pub fn relation(&self, predicate: PredicateId) -> Option<&Relation> {
        match self.relations.get(predicate.0 as usize) {
            Some(Some(own)) => Some(own),
            _ => self.fixed.relation(predicate),
        }
    }

    /// Leaves the facts of a predicate to the host, who is asked for all of them when they are first
    /// read. A relation that is put in place hides them.
    pub fn promise(&mut self, predicate: PredicateId, arity: usize) {
        assert!(arity <= MAX_ARITY, "relations have at most {MAX_ARITY} columns");
        let place = predicate.0 as usize;
        if self.promised.len() <= place {
            self.promised.resize_with(place + 1, || None);
        }
        self.promised[place] = Some(Promise { arity, made: OnceCell::new() });
    }

    /// The facts of a predicate, made now if they were promised.
    pub(crate) fn read(
        &self,
        matcher: &Matcher<'_>,
        predicate: PredicateId,
    ) -> Result<Option<&Relation>, Error> {
        let place = predicate.0 as usize;
        let (Some(Some(promise)), Some(host)) = (self.promised.get(place), &self.outside) else {
            return Ok(self.relation(predicate));
        };
        if let Some(Some(own)) = self.relations.get(place) {
            return Ok(Some(own));
        }
        if let Some(made) = promise.made.get() {
            return Ok(Some(made));
        }
        let rows = host.facts(matcher, self, predicate, &vec![None; promise.arity])?;
        if rows.iter().any(|row| row.len() != promise.arity) {
            return Err(conflict("the host's facts have another number of columns"));
        }
        let made = Rc::new(relation_of(&self.fixed.universe, promise.arity, &rows));
        Ok(Some(promise.made.get_or_init(|| made)))
    }

    /// Attaches the host that answers what no relation and no procedure answers.
    pub fn set_outside(&mut self, outside: Rc<dyn Outside>) {
        self.outside = Some(outside);
    }

    pub(crate) fn outside(&self) -> Option<&dyn Outside> {
        self.outside.as_deref()
    }

    pub(crate) fn tables(&self) -> &Rc<RefCell<Tables>> {
        &self.tables
    }

    /// The static layer.
    pub fn fixed(&self) -> &Rc<StaticMemory> {
        &self.fixed
    }

    /// The ids of the values.
    pub fn universe(&self) -> &Rc<Universe> {
        &self.fixed.universe
    }
}

/// The relation of these rows of values.
pub fn relation_of(universe: &Universe, arity: usize, rows: &[Row]) -> Relation {
    assert!(arity <= MAX_ARITY, "relations have at most {MAX_ARITY} columns");
    let mut set = RowSet::new(arity);
    let mut ids: Vec<ValueId> = Vec::with_capacity(arity);
    for row in rows {
        ids.clear();
        ids.extend(row.iter().map(|value| universe.id(*value)));
        assert_eq!(ids.len(), arity, "a row has one value for each column");
        set.insert(&ids);
    }
    Relation::from_set(set)
}

fn domain_relation(universe: &Universe, domain: &Domain) -> Relation {
    let rows: Vec<Row> =
        domain.values.iter().map(|value: &Value| Row::from_slice(&[*value])).collect();
    relation_of(universe, 1, &rows)
}

fn put(relations: &mut Vec<Option<Rc<Relation>>>, predicate: PredicateId, relation: Rc<Relation>) {
    let place = predicate.0 as usize;
    if relations.len() <= place {
        relations.resize_with(place + 1, || None);
    }
    relations[place] = Some(relation);
}
