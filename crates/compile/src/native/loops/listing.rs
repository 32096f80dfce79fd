//! Derived predicates as lists: those that ask themselves and have too many conceivable tuples for planes.
//!
//! In: the clauses of such a predicate. Out: statements that list its tuples, each once: what follows without asking it, and
//! then, tuple by tuple, what follows from each. Invariant: the list is complete once all its tuples have been looked at, also
//! where a clause asks its own predicate twice: each tuple is tried in every place beside all that are listed then, and those
//! listed later are tried beside it.

use std::collections::BTreeSet;

use rulesmith_kernel::{Array, Comparison, Operation, Scalar, Statement, Word};
use rulesmith_logic::{Atom, Clause, Condition, DomainId, PredicateId, Term, Var, condition_vars};
use rulesmith_rules::PredicateKind;
use rulesmith_specialize::SpecializedProcedure;

use super::super::Obstacle;
use super::super::emit::{Certainty, Emitter};
use super::super::fans::places_of;
use super::held::{Held, Spot};
use super::lower::{Lowering, Then};
use super::stored::{Stored, all_of};

/// A list has room for so many tuples. More in one state are an error: nobody knows beforehand how many there will be.
pub(crate) const ROOM: u64 = 1 << 16;

/// The numbers of tuples are below this.
const NUMBERS_LIMIT: u64 = 1 << 62;

/// Where tuples are listed. What is in the words before a tuple is added does not matter, so that nothing but one word is
/// ever cleared.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    /// How many values each column has; in the number of a tuple the first runs fastest.
    sizes: Vec<u32>,
    /// The word that says how many tuples there are.
    n_tuples: u32,
    places: Places,
}

/// The places of numbers in a list, by open addressing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// The numbers of the list.
    numbers: Array,
    /// The place that a slot has, and the slot that a place names: a slot is taken if its place names it.
    slots: Array,
    named: Array,
}

impl Places {
    /// Room for the places of numbers; how many words it takes is a power of two, three times as many as there may be numbers.
    pub(crate) fn new(numbers: Array, offset: u32) -> Self {
        let room = numbers.n_rows.next_power_of_two();
        let array = |offset: u32, n_rows: u32| Array { offset, width: 1, n_rows };
        Self { numbers, named: array(offset, room), slots: array(offset + room, 2 * room) }
    }

    pub(crate) fn n_words(&self) -> u32 {
        self.named.n_rows + self.slots.n_rows
    }

    /// The slot of a number, whether it is in the list of so many or could be added; and whether it is there.
    pub(crate) fn look_up(
        &self,
        emitter: &mut Emitter<'_>,
        (number, count): (Scalar, &Word),
    ) -> (Scalar, Scalar) {
        let n_slots = u64::from(self.slots.n_rows);
        // The upper bits of the product hang on all bits of the number.
        let mixed = Word::from(number) * 0x9E37_79B9_7F4A_7C15;
        let first = mixed.compute(Operation::ShiftDown, u64::from(64 - n_slots.trailing_zeros()));
        let slot = emitter.let_word(first);
        let is_there = emitter.let_word(Word::Constant(0));
        let place = emitter.scalar();
        let is_used = Word::from(place).is_below(count.clone())
            & Word::at(self.named, place).equals(Word::from(slot));
        let is_it = Word::at(self.numbers, place).equals(Word::from(number));
        let found = vec![Statement::Let(is_there, Word::Constant(1)), Statement::Leave];
        emitter.push(Statement::Repeat(vec![
            Statement::Let(place, Word::at(self.slots, slot)),
            Statement::If(is_used, Vec::new(), vec![Statement::Leave]),
            Statement::If(is_it, found, Vec::new()),
            Statement::Let(slot, (Word::from(slot) + 1) & (n_slots - 1)),
        ]));
        (slot, is_there)
    }

    /// Puts a number that is not there at the end of the list, and says where it is.
    pub(crate) fn put(&self, number: Scalar, slot: Scalar, place: Scalar) -> [Statement; 3] {
        [
            Statement::StoreAt(self.numbers, place.into(), number.into()),
            Statement::StoreAt(self.named, place.into(), slot.into()),
            Statement::StoreAt(self.slots, slot.into(), place.into()),
        ]
    }
}

impl Listing {
    /// A list of tuples whose columns have so many values; nothing if they cannot be numbered.
    pub(super) fn new(sizes: Vec<u32>, offset: u32) -> Option<Self> {
        let all = |n: u64, size: &u32| n.checked_mul((*size).into());
        let n_tuples =
            sizes.iter().try_fold(1, all).filter(|n_tuples| *n_tuples < NUMBERS_LIMIT)?;
        let room = u32::try_from(n_tuples.clamp(2, ROOM).next_power_of_two()).ok()?;
        let numbers = Array { offset: offset + 1, width: 1, n_rows: room };
        let places = Places::new(numbers, offset + 1 + room);
        Some(Self { sizes, n_tuples: offset, places })
    }

    pub(super) fn n_words(&self) -> u32 {
        1 + self.places.numbers.n_rows + self.places.n_words()
    }

    /// How many tuples there are.
    pub(super) fn count(&self) -> Word {
        Word::State(self.n_tuples)
    }

    pub(super) fn clear(&self) -> Statement {
        Statement::Store(self.n_tuples, Word::Constant(0))
    }

    /// Adds a number, unless it is there.
    fn add(&self, emitter: &mut Emitter<'_>, number: Scalar) {
        let (slot, is_there) = self.places.look_up(emitter, (number, &self.count()));
        let place = emitter.scalar();
        let is_full = Word::from(place).equals(u64::from(self.places.numbers.n_rows));
        let mut append = vec![
            Statement::Let(place, self.count()),
            Statement::If(is_full, vec![Statement::Full], Vec::new()),
        ];
        append.extend(self.places.put(number, slot, place));
        append.push(Statement::Store(self.n_tuples, Word::from(place) + 1));
        emitter.push(Statement::If(is_there.into(), Vec::new(), append));
    }
}

/// What is done with a tuple of a list.
type Look<'l, L> = dyn FnMut(&mut L, &[Held]) -> Result<(), Obstacle> + 'l;

/// What is known when a clause is looked at: what some terms are, and which of its conditions holds of them.
#[derive(Clone, Copy, Default)]
pub(super) struct From<'f> {
    pub(super) place: Option<usize>,
    pub(super) terms: &'f [Term],
    pub(super) held: &'f [Held],
}

impl Lowering<'_, '_> {
    /// Fills the planes of a derived predicate that asks itself: each of its tuples is looked at once.
    pub(crate) fn fill_by_list(
        &mut self,
        one: &SpecializedProcedure,
        planes: &Stored,
    ) -> Result<(), Obstacle> {
        let sizes =
            planes.columns.iter().map(|domain| u64::from(self.setting.domains.len(*domain)));
        let is_wide = sizes.fold(1, u64::saturating_mul) > ROOM;
        let list = if is_wide { None } else { self.list_of(&planes.columns) };
        let list = list.ok_or_else(|| Obstacle::new("too many tuples to be listed"))?;
        self.clear(planes);
        self.list_all(one, &list, Some(planes))
    }

    /// An empty list of tuples of these columns; nothing if they cannot be numbered.
    pub(super) fn list_of(&mut self, columns: &[DomainId]) -> Option<Stored> {
        let sizes = columns.iter().map(|domain| self.setting.domains.len(*domain)).collect();
        let list = Listing::new(sizes, self.spare.next)?;
        let offset = self.spare.take(list.n_words());
        Some(Stored::of_list(columns.to_vec(), list, offset))
    }

    /// Lists all tuples of a derived predicate.
    pub(crate) fn fill_list(
        &mut self,
        one: &SpecializedProcedure,
        stored: &Stored,
    ) -> Result<(), Obstacle> {
        self.list_all(one, stored, None)
    }

    /// Lists all tuples of a derived predicate, and puts them into planes if there are some.
    fn list_all(
        &mut self,
        one: &SpecializedProcedure,
        stored: &Stored,
        planes: Option<&Stored>,
    ) -> Result<(), Obstacle> {
        let list = stored.list.clone().ok_or_else(|| Obstacle::new("a relation without a list"))?;
        self.emitter.push(list.clear());
        let clauses = || one.clauses.iter().map(|one| &one.clause);
        let put = |this: &mut Self, clause: &Clause| {
            let put = planes.map(|planes| this.conclude(planes, &clause.head.args));
            put.transpose().map(|_| Certainty::Always)
        };
        for clause in clauses().filter(|clause| asked_at(clause, one.source).is_empty()) {
            let put = &mut |this: &mut Self| put(this, clause);
            self.list_clause((clause, From::default()), stored, put)?;
        }
        self.each_listed(stored, &mut |this, tuple| {
            for clause in clauses() {
                for place in asked_at(clause, one.source) {
                    let Condition::Holds(atom) = &clause.body[place] else { continue };
                    let from = From { place: Some(place), terms: &atom.args, held: tuple };
                    let put = &mut |this: &mut Self| put(this, clause);
                    this.list_clause((clause, from), stored, put)?;
                }
            }
            Ok(())
        })
    }

    /// Works with each tuple of a list, those that are added on the way, too.
    pub(super) fn each_listed(
        &mut self,
        stored: &Stored,
        work: &mut Look<'_, Self>,
    ) -> Result<(), Obstacle> {
        let list = stored.list.clone().ok_or_else(|| Obstacle::new("a relation without a list"))?;
        let place = self.emitter.let_word(Word::Constant(0));
        self.emitter.begin();
        let number = self.next_listed(&list, place);
        let places = places_of(number, &list.sizes).into_iter().zip(&stored.columns);
        let tuple: Vec<Held> = places
            .map(|(word, domain)| Held::Place(self.emitter.let_word(word), *domain))
            .collect();
        let done = work(self, &tuple);
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        done
    }

    /// The next number of a list, of which those before a place were looked at. Where there are no more, the loop around is
    /// left.
    fn next_listed(&mut self, list: &Listing, place: Scalar) -> Scalar {
        let is_end = Word::from(place).equals(list.count());
        self.emitter.push(Statement::If(is_end, vec![Statement::Leave], Vec::new()));
        let number = self.emitter.let_word(Word::at(list.places.numbers, place));
        self.emitter.push(Statement::Let(place, Word::from(place) + 1));
        number
    }

    /// Lists what a clause concludes from something that is known, where that is wanted.
    pub(super) fn list_clause(
        &mut self,
        (clause, from): (&Clause, From<'_>),
        stored: &Stored,
        is_wanted: &mut dyn FnMut(&mut Self) -> Result<Certainty, Obstacle>,
    ) -> Result<(), Obstacle> {
        self.env = vec![None; clause.variables.len()];
        let all = clause.body.iter().enumerate();
        let others = all.filter(|(place, _)| from.place != Some(*place));
        let others: Vec<&Condition> = others.map(|(_, condition)| condition).collect();
        let ranging = ranging_columns(clause, stored);
        self.open_held(from.terms, from.held, &mut |this| {
            this.range(&ranging, clause, stored, &mut |this| {
                let ordered = this.by_what_is_known(&others);
                this.run(&ordered, &mut |this| {
                    let is_wanted = is_wanted(this)?;
                    this.when(is_wanted, &mut |this| this.conclude(stored, &clause.head.args))
                })
            })
        })
    }

    /// Goes on for all values of columns that no condition binds.
    fn range(
        &mut self,
        columns: &[usize],
        clause: &Clause,
        stored: &Stored,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let Some((column, rest)) = columns.split_first() else { return then(self) };
        let mut next = |this: &mut Self| this.range(rest, clause, stored, then);
        match self.spot(clause.head.args[*column], stored.columns[*column])? {
            Spot::Unknown(var) => {
                let domain = stored.columns[*column];
                let all = rulesmith_kernel::Set::Mask(self.setting.domains.all(domain));
                self.each(var, domain, all, &mut next)
            }
            _ => next(self),
        }
    }

    /// Conditions in an order in which much is known of each: tests as soon as they can be, static facts before what changes.
    pub(super) fn by_what_is_known<'c>(&self, conditions: &[&'c Condition]) -> Vec<&'c Condition> {
        let mut rest = conditions.to_vec();
        let mut known = self.known_vars();
        let mut ordered = Vec::new();
        while !rest.is_empty() {
            let rank = |condition: &&Condition| {
                let vars = free_vars(condition);
                // The move that is made tells all its parameters.
                let n_unknown =
                    if self.is_move(condition) { 0 } else { vars.difference(&known).count() };
                let changes = self.changes(condition);
                (n_unknown > 0 && !binds(condition), n_unknown, changes, usize::MAX - vars.len())
            };
            let next = (0..rest.len()).min_by_key(|place| rank(&rest[*place])).unwrap_or(0);
            let next = rest.remove(next);
            known.extend(free_vars(next));
            ordered.push(next);
        }
        ordered
    }

    /// The variables that are bound.
    pub(super) fn known_vars(&self) -> BTreeSet<Var> {
        let all = (0..self.env.len()).filter_map(|number| u16::try_from(number).ok().map(Var));
        all.filter(|var| self.held(Term::Var(*var)).is_some()).collect()
    }

    /// Does a condition say something else in another state?
    fn changes(&self, condition: &Condition) -> bool {
        let Condition::Holds(atom) = condition else { return false };
        self.setting.stored(atom.predicate).is_some() || self.setting.is_called(atom.predicate)
    }

    fn is_move(&self, condition: &Condition) -> bool {
        let Condition::Holds(atom) = condition else { return false };
        let kind = self.setting.theory.kinds.get(atom.predicate.0 as usize);
        matches!(kind, Some(PredicateKind::Does(_)))
    }

    /// Adds a tuple to a list.
    pub(super) fn conclude_listed(
        &mut self,
        (stored, list): (&Stored, &Listing),
        row: &[Term],
    ) -> Result<(), Obstacle> {
        let mut guards = Vec::new();
        let columns: Vec<usize> = (0..row.len()).collect();
        let number = self.number((row, &stored.columns), &columns, &mut guards)?;
        let number = number.ok_or_else(|| Obstacle::new("a conclusion with something unknown"))?;
        self.when(all_of(guards, Word::Constant(1)), &mut |this| {
            let number = this.emitter.let_word(number.clone());
            list.add(this.emitter, number);
            Ok(())
        })
    }

    /// Whether a tuple is in a list; nothing if something in it is unknown.
    pub(super) fn listed_test(
        &mut self,
        (stored, list): (&Stored, &Listing),
        args: &[Term],
    ) -> Result<Option<Certainty>, Obstacle> {
        if !self.unknown(args).is_empty() {
            return Ok(None);
        }
        let mut guards = Vec::new();
        let columns: Vec<usize> = (0..args.len()).collect();
        let number = self.number((args, &stored.columns), &columns, &mut guards)?;
        let Some(number) = number else { return Ok(None) };
        let number = self.emitter.let_word(number);
        let (_, is_there) = list.places.look_up(self.emitter, (number, &list.count()));
        Ok(Some(all_of(guards, is_there.into())))
    }

    /// Every tuple of a list that matches.
    pub(super) fn open_listed(
        &mut self,
        (stored, list): (&Stored, &Listing),
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let place = self.emitter.let_word(Word::Constant(0));
        self.emitter.begin();
        let number = self.next_listed(list, place);
        let mut bound = Vec::new();
        let done = (|| {
            let mut guards = Vec::new();
            let places = places_of(number, &list.sizes).into_iter().zip(&stored.columns);
            for (term, (word, domain)) in args.iter().zip(places) {
                match self.spot(*term, *domain)? {
                    Spot::Unknown(var) => {
                        let scalar = self.emitter.let_word(word);
                        self.bind(var, Some(Held::Place(scalar, *domain)));
                        bound.push(var);
                    }
                    Spot::Never => guards.push(Word::Constant(0)),
                    Spot::Known(known) | Spot::Maybe(known) => {
                        guards.push(word.compare(Comparison::Equal, known));
                    }
                }
            }
            self.when(all_of(guards, Word::Constant(1)), then)
        })();
        for var in bound {
            self.bind(var, None);
        }
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        if let Some(flag) = self.sought {
            // Found inside: the search around ends too.
            self.emitter.push(Statement::If(flag.into(), vec![Statement::Leave], Vec::new()));
        }
        done
    }
}

/// The places of a clause's conditions that ask a predicate.
pub(super) fn asked_at(clause: &Clause, predicate: PredicateId) -> Vec<usize> {
    let asks = |condition: &Condition| matches!(condition, Condition::Holds(Atom { predicate: own, .. }) if *own == predicate);
    (0..clause.body.len()).filter(|place| asks(&clause.body[*place])).collect()
}

/// The columns of a head that no condition of its clause binds.
fn ranging_columns(clause: &Clause, stored: &Stored) -> Vec<usize> {
    let binding = clause.body.iter().filter(|condition| binds(condition));
    let bound: BTreeSet<Var> = binding.flat_map(condition_vars).collect();
    let is_open = |column: &usize| match clause.head.args[*column] {
        Term::Var(var) => !bound.contains(&var),
        Term::Value(_) => false,
    };
    (0..stored.columns.len()).filter(is_open).collect()
}

/// May a condition bind its variables?
pub(super) fn binds(condition: &Condition) -> bool {
    match condition {
        Condition::None { .. } | Condition::Elsewhere { .. } => false,
        Condition::Compare(comparison, ..) => *comparison == rulesmith_logic::Comparison::Equal,
        _ => true,
    }
}

/// The variables of a condition that others may have, too.
pub(super) fn free_vars(condition: &Condition) -> BTreeSet<Var> {
    let mut vars = condition_vars(condition);
    if let Condition::None { locals, .. } = condition {
        vars.retain(|var| !locals.contains(var));
    }
    vars
}
