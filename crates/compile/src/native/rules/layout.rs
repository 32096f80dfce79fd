//! The layout of working memories: static facts are tables, the facts of a memory are words of a state.
//!
//! In: a rule's clauses and some memories; then, one after another, requests. Out: where each request
//! finds its answers, and for any memory its words. Invariant: a memory that does not fit is an obstacle.

use std::collections::BTreeMap;
use std::rc::Rc;

use rulesmith_kernel::{Array, Set, Table, TableId, Word};
use rulesmith_logic::PredicateId;
use rulesmith_matching::{Memory, Procedure, StaticMemory};

use super::super::Obstacle;
use super::super::emit::Tables;
use super::asked::{Asked, Clause};
use super::requests::{Form, MAX_SHORT, Request};
use super::sorts::{Facts, Rows, Slot, Sorts};

/// More words than this are not kept for one request.
const MOST_WORDS: usize = 1 << 20;

/// Where everything is.
#[derive(Debug)]
pub(super) struct Layout {
    fixed: Rc<StaticMemory>,
    pub(super) sorts: Sorts,
    arities: BTreeMap<PredicateId, usize>,
    statics: BTreeMap<PredicateId, Rows>,
    /// The memories the layout is made for.
    samples: Vec<Facts>,
    pub(super) tables: Tables,
    pub(super) n_state_words: u32,
    found: BTreeMap<Request, Vec<Place>>,
}

/// Rows of words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Table(TableId),
    State(Array),
}

impl Place {
    pub(super) fn word(self, row: Word) -> Word {
        match self {
            Self::Table(table) => Word::look(table, row),
            Self::State(array) => Word::at(array, row),
        }
    }

    pub(super) fn set(self, row: Word) -> Set {
        match self {
            Self::Table(table) => Set::row(table, row),
            Self::State(array) => Set::at(array, row),
        }
    }
}

/// The rows of a relation, by known columns.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// For each key a mask of its places, or where it starts.
    pub(super) places: Place,
    /// The unknown columns.
    pub(super) others: Vec<Place>,
    /// How many places a key has, if there are few.
    pub(super) n_short: Option<usize>,
}

impl Layout {
    /// The layout for memories like these, which share their static facts.
    pub(super) fn new(
        procedure: &Procedure,
        clauses: &[Clause],
        memories: &[&Memory],
    ) -> Result<Self, Obstacle> {
        let Some(first) = memories.first() else {
            return Err(Obstacle::new("no memory to make a layout for"));
        };
        let (fixed, universe) = (first.fixed(), first.universe());
        let mut layout = Self {
            fixed: Rc::clone(fixed),
            sorts: Sorts::new(universe, procedure, clauses),
            arities: arities(clauses)?,
            statics: BTreeMap::new(),
            samples: Vec::new(),
            tables: Tables::default(),
            n_state_words: 0,
            found: BTreeMap::new(),
        };
        let is_own = |predicate| {
            memories.iter().any(|memory| {
                match (memory.relation(predicate), fixed.relation(predicate)) {
                    (Some(own), Some(fixed)) => !std::ptr::eq(own, fixed),
                    _ => true,
                }
            })
        };
        let (own, kept): (Vec<PredicateId>, Vec<PredicateId>) =
            layout.arities.keys().partition(|predicate| is_own(**predicate));
        let (sorts, mut statics) = (&mut layout.sorts, Facts::default());
        for predicate in &kept {
            let Some(relation) = fixed.relation(*predicate) else { continue };
            sorts.fix(universe, *predicate, relation);
        }
        for (memory, predicate) in
            memories.iter().flat_map(|one| own.iter().map(move |own| (one, own)))
        {
            let Some(relation) = memory.relation(*predicate) else { continue };
            sorts.widen(*predicate, relation);
        }
        for predicate in kept {
            let Some(relation) = fixed.relation(predicate) else { continue };
            sorts.number(&mut statics, predicate, relation)?;
        }
        layout.statics = statics.rows;
        for memory in memories {
            let facts = layout.facts(memory)?;
            layout.sorts.make_room(&facts);
            layout.samples.push(facts);
        }
        Ok(layout)
    }

    /// The facts of a memory that are not static.
    fn facts(&self, memory: &Memory) -> Result<Facts, Obstacle> {
        if !Rc::ptr_eq(memory.fixed(), &self.fixed) {
            return Err(Obstacle::new("a memory on other static facts"));
        }
        let mut facts = self.sorts.no_facts();
        for (predicate, arity) in &self.arities {
            if self.statics.contains_key(predicate) {
                continue;
            }
            match memory.relation(*predicate) {
                Some(relation) if relation.arity() != *arity => {
                    return Err(Obstacle::new("a relation with another number of columns"));
                }
                Some(relation) => self.sorts.number(&mut facts, *predicate, relation)?,
                None => {}
            }
        }
        Ok(facts)
    }

    /// The words of a memory.
    pub(super) fn pack(&self, memory: &Memory) -> Result<(Vec<u64>, Facts), Obstacle> {
        let facts = self.facts(memory)?;
        let too_large = || Obstacle::new("a memory larger than those the layout was made for");
        if !self.sorts.fits(&facts) {
            return Err(too_large());
        }
        let mut state = vec![0; self.n_state_words as usize];
        let none = Rows::new();
        for (request, places) in &self.found {
            let rows = facts.rows.get(&request.predicate).unwrap_or(&none);
            if self.statics.contains_key(&request.predicate) {
                continue;
            }
            let parts =
                request.words(rows, &self.sizes(request.predicate)).ok_or_else(too_large)?;
            for (place, words) in places.iter().zip(parts) {
                if let Place::State(array) = place {
                    state[array.offset as usize..][..words.len()].copy_from_slice(&words);
                }
            }
        }
        Ok((state, facts))
    }

    /// How many numbers each column of a predicate may have.
    fn sizes(&self, predicate: PredicateId) -> Vec<usize> {
        let columns = 0..self.arities[&predicate];
        columns.map(|column| self.sorts.size(Slot::Column(predicate, column))).collect()
    }

    /// The facts of a predicate, in each memory that has its own.
    pub(super) fn known_facts(&self, predicate: PredicateId) -> Vec<&Rows> {
        match self.statics.get(&predicate) {
            Some(rows) => vec![rows],
            None => self.samples.iter().filter_map(|facts| facts.rows.get(&predicate)).collect(),
        }
    }

    pub(super) fn is_static(&self, predicate: PredicateId) -> bool {
        self.statics.contains_key(&predicate)
    }

    /// A key: the known columns as one number.
    pub(super) fn key(&self, predicate: PredicateId, known: &[(usize, Word)]) -> Word {
        let sizes = self.sizes(predicate);
        let join = |key: Option<Word>, (column, word): &(usize, Word)| match key {
            None => Some(word.clone()),
            Some(key) => Some(key * sizes[*column] as u64 + word.clone()),
        };
        known.iter().fold(None, join).unwrap_or(Word::Constant(0))
    }

    /// The rows of a predicate by known columns.
    pub(super) fn list(
        &mut self,
        predicate: PredicateId,
        known: &[usize],
    ) -> Result<List, Obstacle> {
        let sizes = self.sizes(predicate);
        let columns: Vec<usize> = (0..sizes.len()).filter(|one| !known.contains(one)).collect();
        let facts = self.known_facts(predicate);
        // A power of two, so that places are found by shifts.
        let longest = self.longest(predicate, known).max(1).next_power_of_two();
        let most = facts.iter().map(|rows| rows.len()).max().unwrap_or_default().max(1);
        let n_keys: usize = known.iter().map(|column| sizes[*column]).product();
        let is_short = longest <= MAX_SHORT && n_keys.saturating_mul(longest) <= MOST_WORDS;
        let form = if is_short {
            Form::Short { columns, n_places: longest }
        } else {
            Form::Long { columns, n_places: most }
        };
        let places = self.find(Request { predicate, known: known.to_vec(), form })?;
        let n_short = is_short.then_some(longest);
        Ok(List { places: places[0], others: places[1..].to_vec(), n_short })
    }

    /// The most rows that a combination of known columns has.
    pub(super) fn longest(&self, predicate: PredicateId, known: &[usize]) -> usize {
        let form = Form::Long { columns: Vec::new(), n_places: 0 };
        let (request, sizes) =
            (Request { predicate, known: known.to_vec(), form }, self.sizes(predicate));
        let facts = self.known_facts(predicate).into_iter();
        facts.map(|rows| request.longest(rows, &sizes)).max().unwrap_or_default()
    }

    /// For each key, a plane of what some columns are at once.
    pub(super) fn planes(
        &mut self,
        predicate: PredicateId,
        known: &[usize],
        columns: &[usize],
    ) -> Result<Place, Obstacle> {
        let width = self.sorts.width(Slot::Column(predicate, columns[0]));
        let form = Form::Planes { columns: columns.to_vec(), width };
        Ok(self.find(Request { predicate, known: known.to_vec(), form })?[0])
    }

    fn find(&mut self, request: Request) -> Result<Vec<Place>, Obstacle> {
        if let Some(places) = self.found.get(&request) {
            return Ok(places.clone());
        }
        let sizes = self.sizes(request.predicate);
        let n_keys = request.known.iter().try_fold(1_usize, |product, column| {
            product.checked_mul(sizes[*column]).filter(|product| *product <= MOST_WORDS)
        });
        let width = request.widths().into_iter().max().map_or(1, usize::from);
        if n_keys.is_none_or(|n_keys| n_keys * width > MOST_WORDS) {
            return Err(Obstacle::new("the facts of a rule would take too much room"));
        }
        let none = Rows::new();
        let rows = self.statics.get(&request.predicate).unwrap_or(&none);
        let parts = request.words(rows, &sizes).unwrap_or_default();
        let mut places = Vec::new();
        for (words, width) in parts.into_iter().zip(request.widths()) {
            if self.statics.contains_key(&request.predicate) {
                places.push(Place::Table(self.tables.add(Table { width, words })));
                continue;
            }
            let n_words = u32::try_from(words.len()).unwrap_or(u32::MAX);
            let (offset, n_rows) = (self.n_state_words, n_words / u32::from(width));
            self.n_state_words = offset.saturating_add(n_words);
            places.push(Place::State(Array { offset, width, n_rows }));
        }
        self.found.insert(request, places.clone());
        Ok(places)
    }
}

/// The predicates of a rule and how many columns they have.
fn arities(clauses: &[Clause]) -> Result<BTreeMap<PredicateId, usize>, Obstacle> {
    let mut arities = BTreeMap::new();
    for condition in clauses.iter().flat_map(|clause| &clause.conditions) {
        let Asked::Holds(predicate, args) = condition else { continue };
        if *arities.entry(*predicate).or_insert(args.len()) != args.len() {
            return Err(Obstacle::new("a predicate with two numbers of arguments"));
        }
    }
    Ok(arities)
}
