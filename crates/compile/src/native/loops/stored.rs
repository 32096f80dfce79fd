//! Relations that are stored in the words of a state: fluents, and derived predicates once computed.
//!
//! In: layouts. Out: for an atom the plane its keys are looked up in. Columns that choose the plane are
//! sliced, the others are keys. Invariant: a tuple has one slice and one key.

use rulesmith_kernel::{Array, Scalar, Set, Statement, Table, Word};
use rulesmith_logic::{DomainId, PredicateId, Term};
use rulesmith_rules::{FluentDefault, FluentId};

use super::super::Obstacle;
use super::super::classes::mask;
use super::super::derived::DerivedLayout;
use super::super::emit::Certainty;
use super::held::{Held, Spot};
use super::listing::Listing;
use super::lower::{Lowering, Then};
use super::setting::Setting;
use crate::state_layout::FluentLayout;

/// Words of a state beyond its fluents, for what is computed on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spare {
    pub(crate) next: u32,
}

impl Spare {
    pub(crate) fn take(&mut self, n_words: u32) -> u32 {
        self.next += n_words;
        self.next - n_words
    }
}

/// Where a relation is stored.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(super) columns: Vec<DomainId>,
    pub(super) sliced: Vec<usize>,
    pub(super) keyed: Vec<usize>,
    pub(super) offset: u32,
    pub(super) width: u16,
    pub(super) n_slices: u32,
    /// Has every key exactly one slice?
    is_total: bool,
    /// One word that holds the number of the slice, and no planes.
    is_word: bool,
    /// Tuples one after another, and no planes.
    pub(super) list: Option<Listing>,
}

impl Stored {
    /// A derived predicate whose planes begin at a word.
    pub(crate) fn of_derived(layout: &DerivedLayout, offset: u32) -> Result<Self, Obstacle> {
        let columns: Option<Vec<DomainId>> = layout.columns.iter().copied().collect();
        let columns = columns.ok_or_else(|| Obstacle::new("a column without a sort"))?;
        if let Some(sizes) = &layout.listed {
            let list = Listing::new(sizes.clone(), offset);
            let list = list.ok_or_else(|| Obstacle::new("too many tuples to be numbered"))?;
            return Ok(Self::of_list(columns, list, offset));
        }
        let places = |wanted: bool| {
            let all = layout.sliced.iter().enumerate();
            all.filter(|(_, is)| **is == wanted).map(|(place, _)| place).collect()
        };
        Ok(Self {
            columns,
            sliced: places(true),
            keyed: places(false),
            offset,
            width: layout.keys.width(),
            n_slices: layout.slices.len(),
            is_total: false,
            is_word: false,
            list: None,
        })
    }

    /// The moves of one kind; the doer comes before their parameters and is left out.
    pub(crate) fn of_moves(
        columns: &[Option<DomainId>],
        n_moves: u32,
        offset: u32,
    ) -> Result<Self, Obstacle> {
        let all: Option<Vec<DomainId>> = columns.iter().copied().collect();
        let columns = all.ok_or_else(|| Obstacle::new("a parameter without a sort"))?;
        Ok(Self {
            keyed: (1..columns.len()).collect(),
            columns,
            sliced: Vec::new(),
            offset,
            width: u16::try_from(n_moves.div_ceil(64).max(1)).unwrap_or(u16::MAX),
            n_slices: 1,
            is_total: false,
            is_word: false,
            list: None,
        })
    }

    /// Tuples that are listed.
    pub(super) fn of_list(columns: Vec<DomainId>, list: Listing, offset: u32) -> Self {
        Self { list: Some(list), n_slices: 0, ..Self::of_tuples(columns, 0, offset) }
    }

    /// Tuples that are counted.
    pub(super) fn of_tuples(columns: Vec<DomainId>, n_tuples: u32, offset: u32) -> Self {
        Self {
            keyed: (0..columns.len()).collect(),
            columns,
            sliced: Vec::new(),
            offset,
            width: u16::try_from(n_tuples.div_ceil(64).max(1)).unwrap_or(u16::MAX),
            n_slices: 1,
            is_total: false,
            is_word: false,
            list: None,
        }
    }

    /// What is assigned to the keys of a fluent: a plane for each value, and one for keys that lose theirs.
    pub(crate) fn of_assignments(fluent: &FluentLayout, offset: u32) -> Self {
        Self {
            keyed: (0..fluent.keys.domains.len()).collect(),
            columns: fluent.keys.domains.clone(),
            sliced: Vec::new(),
            offset,
            width: fluent.keys.width(),
            n_slices: fluent.n_values + 1,
            is_total: false,
            is_word: false,
            list: None,
        }
    }

    /// All of it as one set, with its width.
    pub(crate) fn whole(&self) -> (Set, u16) {
        (self.plane_of_slice(0), self.width)
    }

    /// How many tuples are in it.
    pub(crate) fn count(&self) -> Word {
        if let Some(list) = &self.list {
            return list.count();
        }
        let counts = (0..self.n_slices).map(|slice| self.plane_of_slice(slice).count());
        counts.reduce(|sum, count| sum + count).unwrap_or(Word::Constant(0))
    }

    /// The first word of a slice.
    pub(crate) fn word_of_slice(&self, slice: u32) -> u32 {
        self.offset + slice * u32::from(self.width)
    }

    /// How many words it takes.
    pub(crate) fn n_words(&self) -> u32 {
        if let Some(list) = &self.list {
            return list.n_words();
        }
        if self.is_word { 1 } else { self.n_slices * u32::from(self.width) }
    }

    /// Is it a list of tuples?
    pub(crate) fn is_listed(&self) -> bool {
        self.list.is_some()
    }

    /// Is it one word that holds the number of the slice?
    pub(super) fn is_one_word(&self) -> bool {
        self.is_word
    }

    /// The plane of a slice.
    pub(crate) fn plane_of_slice(&self, slice: u32) -> Set {
        Set::state(self.offset + slice * u32::from(self.width), self.width)
    }

    /// The plane of the slice with this number.
    pub(super) fn plane_at(&self, slice: Word) -> Set {
        match slice {
            Word::Constant(slice) => {
                let slice = u32::try_from(slice).unwrap_or(0).min(self.n_slices.max(1) - 1);
                self.plane_of_slice(slice)
            }
            slice => Set::at(self.planes(), slice),
        }
    }

    /// The number of the slice that has a key.
    pub(super) fn slice_of(&self, key: Scalar) -> Word {
        let parts = (1..self.n_slices).map(|slice| match slice {
            1 => self.plane_of_slice(1).has(key),
            slice => self.plane_of_slice(slice).has(key) * u64::from(slice),
        });
        parts.reduce(|sum, part| sum + part).unwrap_or(Word::Constant(0))
    }

    fn planes(&self) -> Array {
        Array { offset: self.offset, width: self.width, n_rows: self.n_slices }
    }
}

impl Setting<'_> {
    /// Where a fluent is stored.
    pub(super) fn fluent(&self, id: FluentId) -> Stored {
        let layout = self.layout.fluent(id);
        let n_keys = layout.keys.domains.len();
        let mut columns = layout.keys.domains.clone();
        columns.extend(layout.values);
        let sliced = if layout.values.is_some() { vec![n_keys] } else { Vec::new() };
        Stored {
            columns,
            sliced,
            keyed: (0..n_keys).collect(),
            offset: layout.offset,
            width: layout.keys.width(),
            n_slices: layout.n_values,
            is_total: !matches!(self.theory.fluent(id).default, FluentDefault::Undefined),
            is_word: layout.is_scalar(),
            list: None,
        }
    }
}

/// Values are looked for in at most so many planes without a loop.
const UNROLLED: u32 = 16;

impl Lowering<'_, '_> {
    /// The number of some columns' values, the first running fastest; nothing if one is unknown.
    pub(super) fn number(
        &mut self,
        (args, columns): (&[Term], &[DomainId]),
        chosen: &[usize],
        guards: &mut Vec<Word>,
    ) -> Result<Option<Word>, Obstacle> {
        let mut sum: Option<Word> = None;
        let mut stride = 1_u64;
        for column in chosen {
            let (domain, size) = (columns[*column], self.setting.domains.len(columns[*column]));
            let word = match self.spot(args[*column], domain)? {
                Spot::Unknown(_) => return Ok(None),
                Spot::Never => {
                    guards.push(Word::Constant(0));
                    Word::Constant(0)
                }
                Spot::Known(word) => word,
                Spot::Maybe(word) => {
                    let scalar = self.emitter.let_word(word);
                    guards.push(Word::from(scalar).is_below(u64::from(size)));
                    scalar.into()
                }
            };
            let term = match (word, stride) {
                (word, 1) => word,
                (Word::Constant(place), stride) => Word::Constant(place * stride),
                (word, stride) => word * stride,
            };
            sum = Some(match (sum, term) {
                (None | Some(Word::Constant(0)), term) => term,
                (Some(sum), Word::Constant(0)) => sum,
                (Some(sum), term) => sum + term,
            });
            stride *= u64::from(size);
        }
        Ok(Some(sum.unwrap_or(Word::Constant(0))))
    }

    /// The plane that the known slice columns choose; nothing if one is unknown.
    pub(super) fn plane_of(
        &mut self,
        stored: &Stored,
        args: &[Term],
        guards: &mut Vec<Word>,
    ) -> Result<Option<Set>, Obstacle> {
        let slice = self.number((args, &stored.columns), &stored.sliced, guards)?;
        Ok(slice.map(|slice| stored.plane_at(slice)))
    }

    /// Whether a stored atom holds; nothing if something in it is unknown.
    pub(super) fn stored_test(
        &mut self,
        stored: &Stored,
        args: &[Term],
    ) -> Result<Option<Certainty>, Obstacle> {
        if let Some(list) = &stored.list {
            return self.listed_test((stored, list), args);
        }
        let mut guards = Vec::new();
        if stored.is_word {
            let slice = self.number((args, &stored.columns), &stored.sliced, &mut guards)?;
            let held = Word::State(stored.offset);
            return Ok(slice.map(|slice| {
                let slice = if stored.sliced.is_empty() { Word::Constant(1) } else { slice };
                all_of(guards, held.equals(slice))
            }));
        }
        let Some(plane) = self.plane_of(stored, args, &mut guards)? else { return Ok(None) };
        let key = self.number((args, &stored.columns), &stored.keyed, &mut guards)?;
        Ok(key.map(|key| all_of(guards, plane.has(key))))
    }

    /// Where an atom of this predicate is stored, if it is; what is computed late is there from now on.
    pub(super) fn stored(&mut self, predicate: PredicateId) -> Option<Stored> {
        let mut derived = self.setting.derived.iter();
        let place = derived.position(|(known, _)| *known == predicate);
        let late = place.and_then(|place| self.emitter.late.get(&place).copied());
        if let Some(late) = late {
            self.compute_now(late);
        }
        self.setting.stored(predicate)
    }

    /// Every way in which a stored atom holds.
    pub(super) fn open_stored(
        &mut self,
        stored: &Stored,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        if let Some(certainty) = self.stored_test(stored, args)? {
            return self.when(certainty, then);
        }
        if let Some(list) = &stored.list {
            return self.open_listed((stored, list), args, then);
        }
        for column in &stored.sliced {
            let domain = stored.columns[*column];
            if let Spot::Unknown(var) = self.spot(args[*column], domain)? {
                let mut next = |this: &mut Self| this.open_stored(stored, args, then);
                return self.open_slice(stored, args, (var, domain), &mut next);
            }
        }
        self.open_keys(stored, args, then)
    }

    /// The slices a tuple may be in, when one of the columns that choose is unknown.
    fn open_slice(
        &mut self,
        stored: &Stored,
        args: &[Term],
        (var, domain): (rulesmith_logic::Var, DomainId),
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let mut guards = Vec::new();
        let key = self.number((args, &stored.columns), &stored.keyed, &mut guards)?;
        let one = stored.sliced.len() == 1;
        if stored.is_word && one {
            let scalar = self.emitter.let_word(Word::State(stored.offset));
            let has_value = if stored.is_total {
                Word::Constant(1)
            } else {
                Word::from(scalar).is_below(u64::from(stored.n_slices))
            };
            let mut next = |this: &mut Self| this.with(var, Held::Place(scalar, domain), then);
            return self.when(all_of(Vec::new(), has_value), &mut next);
        }
        match key {
            Some(key) if one && stored.is_total && stored.n_slices <= UNROLLED => {
                let key = self.emitter.let_word(key);
                let found = self.emitter.let_word(stored.slice_of(key));
                let mut next = |this: &mut Self| this.with(var, Held::Place(found, domain), then);
                self.when(all_of(guards, Word::Constant(1)), &mut next)
            }
            _ => self.each(var, domain, Set::Mask(self.setting.domains.all(domain)), then),
        }
    }

    /// The keys that are in the plane which the slice columns choose.
    fn open_keys(
        &mut self,
        stored: &Stored,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let mut guards = Vec::new();
        let plane = self.plane_of(stored, args, &mut guards)?;
        let plane = plane.ok_or_else(|| Obstacle::new("a plane nobody chose"))?;
        if let [column] = stored.keyed.as_slice()
            && let Term::Var(var) = args[*column]
        {
            let domain = stored.columns[*column];
            let mut next = |this: &mut Self| this.each(var, domain, plane.clone(), then);
            return self.when(all_of(guards, Word::Constant(1)), &mut next);
        }
        let known: Vec<usize> = stored
            .keyed
            .iter()
            .copied()
            .filter(|column| self.held(args[*column]).is_some())
            .collect();
        let index = self.number((args, &stored.columns), &known, &mut guards)?;
        let plane = match index {
            Some(index) if !known.is_empty() => {
                let table = self.key_masks(stored, &known)?;
                plane & Set::row(self.tables.add(table), index)
            }
            _ => plane,
        };
        let mut next = |this: &mut Self| this.each_key(stored, args, plane.clone(), then);
        self.when(all_of(guards, Word::Constant(1)), &mut next)
    }

    /// Each key of a set, its columns bound.
    fn each_key(
        &mut self,
        stored: &Stored,
        args: &[Term],
        set: Set,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let key = self.emitter.scalar();
        self.emitter.begin();
        let mut bound = Vec::new();
        let done = (|| {
            let mut guards = Vec::new();
            for (place, column) in stored.keyed.iter().enumerate() {
                let domain = stored.columns[*column];
                let spot = self.spot(args[*column], domain)?;
                if let Spot::Unknown(var) = spot {
                    let table = self.key_column(stored, place);
                    let word = Word::look(self.tables.add(table), key);
                    let scalar = self.emitter.let_word(word);
                    self.bind(var, Some(Held::Place(scalar, domain)));
                    bound.push(var);
                } else if args[..*column].contains(&args[*column])
                    && let Spot::Known(word) | Spot::Maybe(word) = spot
                {
                    let table = self.key_column(stored, place);
                    guards.push(Word::look(self.tables.add(table), key).equals(word));
                }
            }
            self.when(all_of(guards, Word::Constant(1)), then)
        })();
        for var in bound {
            self.bind(var, None);
        }
        let body = self.emitter.end();
        self.emitter.push(Statement::ForEach(key, set, body));
        done
    }

    /// For each combination of known key columns the keys that have it.
    fn key_masks(&self, stored: &Stored, known: &[usize]) -> Result<Table, Obstacle> {
        let keys = self.all_keys(stored);
        let size = |column: &usize| self.setting.domains.len(stored.columns[*column]) as usize;
        let n_rows: usize = known.iter().map(size).product();
        let width = usize::from(stored.width);
        if n_rows * width > 1 << 20 {
            return Err(Obstacle::new("a table of keys would be too large"));
        }
        let mut words = vec![0; n_rows.max(1) * width];
        for (key, places) in keys.iter().enumerate() {
            let part = |column: &usize| {
                let place = stored.keyed.iter().position(|keyed| keyed == column).unwrap_or(0);
                places[place] as usize
            };
            let row = known.iter().rev().fold(0, |row, column| row * size(column) + part(column));
            let bits = mask(stored.width, [u32::try_from(key).unwrap_or(u32::MAX)]);
            for (word, bits) in words[row * width..].iter_mut().zip(bits) {
                *word |= bits;
            }
        }
        Ok(Table { width: stored.width, words })
    }

    fn key_column(&self, stored: &Stored, place: usize) -> Table {
        let keys = self.all_keys(stored);
        let words: Vec<u64> = keys.iter().map(|places| u64::from(places[place])).collect();
        Table { width: 1, words: if words.is_empty() { vec![0] } else { words } }
    }

    /// The places of all keys by their numbers.
    fn all_keys(&self, stored: &Stored) -> Vec<Vec<u32>> {
        let mut keys: Vec<Vec<u32>> = vec![Vec::new()];
        for column in stored.keyed.iter().rev() {
            let size = self.setting.domains.len(stored.columns[*column]);
            let longer = keys
                .iter()
                .flat_map(|key| (0..size).map(move |place| [&[place], key.as_slice()].concat()));
            keys = longer.collect();
        }
        keys
    }
}

/// Whether a word is one and all guards hold.
pub(super) fn all_of(guards: Vec<Word>, word: Word) -> Certainty {
    let mut all: Option<Word> = None;
    for part in guards.into_iter().chain([word]) {
        match part {
            Word::Constant(0) => return Certainty::Never,
            Word::Constant(_) => {}
            part => {
                all = Some(match all {
                    None => part,
                    Some(all) => all & part,
                });
            }
        }
    }
    all.map_or(Certainty::Always, Certainty::If)
}
