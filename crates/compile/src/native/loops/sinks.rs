//! What becomes of conclusions: a truth, a value, a plane, an assignment.
//!
//! In: a tree and what is known when it is asked. Out: statements that answer it. Invariant: an answer is
//! complete when the statements have run, and nothing of the state's fluents has changed.

use rulesmith_kernel::{Array, Comparison, Operation, Scalar, Set, Statement, Table, Word};
use rulesmith_logic::{Condition, DomainId, Term, Value, Var};
use rulesmith_matching::{Node, Procedure, Tree};

use super::super::Obstacle;
use super::super::fans::List;
use super::super::goals::one_goal;
use super::super::ground::number_of;
use super::super::plan::is_elsewhere;
use super::assign::NewValue;
use super::held::Held;
use super::lower::Lowering;
use super::stored::{Stored, all_of};
use crate::state_layout::Space;

/// So many truths at most have code of their own.
const TRUTHS_LIMIT: u32 = 4;

/// The values of a fluent.
#[derive(Clone, Copy)]
pub(crate) struct Values<'v> {
    /// Their domain; none for a truth.
    pub(crate) domain: Option<DomainId>,
    /// What a word without keys holds when it has no value.
    pub(crate) none: u64,
    /// Is this value `true`?
    pub(crate) is_true: &'v dyn Fn(Value) -> bool,
}

impl Lowering<'_, '_> {
    /// Binds the inputs of a tree.
    pub(super) fn start(&mut self, tree: &Tree, inputs: &[Held]) {
        self.env = vec![None; tree.n_registers];
        for (var, held) in tree.inputs.iter().zip(inputs) {
            self.bind(*var, Some(*held));
        }
    }

    /// Whether a clause of the tree holds.
    pub(crate) fn flag(&mut self, tree: &Tree, inputs: &[Held]) -> Result<Scalar, Obstacle> {
        self.start(tree, inputs);
        let flag = self.emitter.let_word(Word::Constant(0));
        self.search(flag, &mut |this, found| this.prove(&tree.roots, found))?;
        Ok(flag)
    }

    /// Whether conditions hold, in which nothing is known.
    pub(crate) fn holds(&mut self, body: &[Condition]) -> Result<Scalar, Obstacle> {
        self.holds_of((&[], &[]), body)
    }

    /// Whether conditions hold, in which some terms are held.
    pub(crate) fn holds_of(
        &mut self,
        (terms, held): (&[Term], &[Held]),
        body: &[Condition],
    ) -> Result<Scalar, Obstacle> {
        self.env.clear();
        let flag = self.emitter.let_word(Word::Constant(0));
        let conditions: Vec<&Condition> = body.iter().collect();
        self.search(flag, &mut |this, found| {
            this.open_held(terms, held, &mut |this| this.run(&conditions, found))
        })?;
        Ok(flag)
    }

    /// One more than the number that the last column is; zero if nothing is concluded. What is not a number
    /// from zero to `most` counts as one more than that.
    pub(crate) fn value(
        &mut self,
        tree: &Tree,
        inputs: &[Held],
        most: u32,
    ) -> Result<Scalar, Obstacle> {
        self.start(tree, inputs);
        let value = self.emitter.let_word(Word::Constant(0));
        self.nodes(&tree.roots, &mut |this, row| {
            let held = row.last().and_then(|last| this.held(*last));
            let held = held.ok_or_else(|| Obstacle::new("a conclusion that is unknown"))?;
            let number = this.number_up_to(held, most) + 1;
            let number = this.emitter.let_word(number);
            // The same value twice is no other.
            let differs = Word::from(value).compare(Comparison::Unequal, number);
            let found = one_goal(value, Statement::Let(value, number.into()));
            this.emitter.push(Statement::If(differs, found, Vec::new()));
            Ok(())
        })?;
        Ok(value)
    }

    /// The number that is held; one more than the most for everything else.
    fn number_up_to(&mut self, held: Held, most: u32) -> Word {
        let symbols = &self.setting.theory.symbols;
        let number = |value: Value| {
            let number = number_of(symbols, value).filter(|number| *number <= most);
            u64::from(number.unwrap_or(most + 1))
        };
        match held {
            Held::Fixed(value) => Word::Constant(number(value)),
            Held::Place(scalar, domain) => {
                let domains = &self.setting.domains;
                let words =
                    domains.with(domain, |values| values.iter().copied().map(number).collect());
                Word::look(self.tables.add(Table { width: 1, words }), scalar)
            }
            Held::Number(scalar) => {
                let number = self.emitter.let_word(scalar.into());
                let beyond = vec![Statement::Let(number, Word::Constant(u64::from(most) + 1))];
                let is_beyond = Word::Constant(u64::from(most)).is_below(number);
                self.emitter.push(Statement::If(is_beyond, beyond, Vec::new()));
                number.into()
            }
        }
    }

    /// Sets the bit of every conclusion in a stored relation, which is empty before.
    pub(crate) fn fill(
        &mut self,
        tree: &Tree,
        inputs: &[Held],
        stored: &Stored,
    ) -> Result<(), Obstacle> {
        self.start(tree, inputs);
        self.nodes(&tree.roots, &mut |this, row| this.conclude(stored, row))
    }

    /// Adds every conclusion to a list of moves, unless it is there; the doer is left out of their numbers.
    pub(crate) fn list(
        &mut self,
        tree: &Tree,
        inputs: &[Held],
        (list, columns): (&List, &[Option<DomainId>]),
    ) -> Result<(), Obstacle> {
        let columns: Option<Vec<DomainId>> = columns.iter().copied().collect();
        let columns = columns.ok_or_else(|| Obstacle::new("a parameter without a sort"))?;
        let told: Vec<usize> = (1..columns.len()).collect();
        self.start(tree, inputs);
        self.nodes(&tree.roots, &mut |this, row| {
            let mut guards = Vec::new();
            let number = this.number((row, &columns), &told, &mut guards)?;
            let number = number.ok_or_else(|| Obstacle::new("a move with something unknown"))?;
            this.when(all_of(guards, Word::Constant(1)), &mut |this| {
                let number = this.emitter.let_word(number.clone());
                list.add(this.emitter, number);
                Ok(())
            })
        })
    }

    /// As [`Self::fill`], for every value of what a procedure must know.
    pub(crate) fn fill_all(
        &mut self,
        procedure: &Procedure,
        stored: &Stored,
    ) -> Result<(), Obstacle> {
        let tree = &procedure.tree;
        let is_known = procedure.known.iter().all(|known| *known);
        let is_truth = stored.keyed.is_empty() && stored.n_slices <= TRUTHS_LIMIT;
        if is_known && is_truth && tree.roots.iter().any(makes_moves) {
            return self.fill_truths(tree, stored);
        }
        self.start(tree, &[]);
        let known = procedure.known.iter().zip(&stored.columns).filter(|(known, _)| **known);
        let domains = known.map(|(_, domain)| *domain);
        let inputs: Vec<(Var, DomainId)> = tree.inputs.iter().copied().zip(domains).collect();
        self.fill_each(&inputs, tree, stored)
    }

    /// As [`Self::fill`], for single truths: each is sought until it is found.
    fn fill_truths(&mut self, tree: &Tree, stored: &Stored) -> Result<(), Obstacle> {
        let base = &self.setting.theory.base;
        let columns: Vec<_> = stored.columns.iter().copied().map(Some).collect();
        let tuples = Space::new(base, &columns).ok_or_else(|| Obstacle::new("too many truths"))?;
        for slice in 0..stored.n_slices {
            let inputs: Vec<Held> =
                tuples.tuple(base, slice).into_iter().map(Held::Fixed).collect();
            let flag = self.flag(tree, &inputs)?;
            self.emitter.push(Statement::Store(stored.word_of_slice(slice), flag.into()));
        }
        Ok(())
    }

    fn fill_each(
        &mut self,
        inputs: &[(Var, DomainId)],
        tree: &Tree,
        stored: &Stored,
    ) -> Result<(), Obstacle> {
        match inputs.split_first() {
            None => self.nodes(&tree.roots, &mut |this, row| this.conclude(stored, row)),
            Some(((var, domain), inputs)) => {
                let all = Set::Mask(self.setting.domains.all(*domain));
                self.each(*var, *domain, all, &mut |this| this.fill_each(inputs, tree, stored))
            }
        }
    }

    /// The numbers of a variable for which conditions hold, with the words of a plane over its domain. The other
    /// variable, number zero, is known.
    pub(crate) fn set_of(
        &mut self,
        conditions: &[Condition],
        (known, var): (Held, Var),
        domain: Option<DomainId>,
    ) -> Result<Option<(Set, u16)>, Obstacle> {
        self.env = vec![Some(known), None];
        let conditions: Vec<&Condition> = conditions.iter().collect();
        let Some(joined) = self.joined(&conditions)? else { return Ok(None) };
        let is_it = joined.var == var && Some(joined.domain) == domain;
        let width = self.setting.domains.width(joined.domain);
        Ok(is_it.then_some((joined.set, width)))
    }

    /// Empties a stored relation.
    pub(crate) fn clear(&mut self, stored: &Stored) {
        if let Some(list) = &stored.list {
            self.emitter.push(list.clear());
            return;
        }
        for slice in 0..stored.n_slices {
            let offset = stored.offset + slice * u32::from(stored.width);
            let empty = vec![0; usize::from(stored.width)];
            self.emitter.push(Statement::StoreSet(offset, Set::Mask(empty)));
        }
    }

    /// Sets the bit of a tuple, or adds it to the list.
    pub(super) fn conclude(&mut self, stored: &Stored, row: &[Term]) -> Result<(), Obstacle> {
        if let Some(list) = &stored.list {
            return self.conclude_listed((stored, list), row);
        }
        let mut guards = Vec::new();
        let columns = (row, stored.columns.as_slice());
        let slice = self.number(columns, &stored.sliced, &mut guards)?;
        let key = self.number(columns, &stored.keyed, &mut guards)?;
        let (Some(slice), Some(key)) = (slice, key) else {
            return Err(Obstacle::new("a conclusion with something unknown"));
        };
        self.when(all_of(guards, Word::Constant(1)), &mut |this| {
            this.set_bit(stored, slice.clone(), key.clone());
            Ok(())
        })
    }

    fn set_bit(&mut self, stored: &Stored, slice: Word, key: Word) {
        let key = self.emitter.let_word(key);
        let n_rows = stored.n_slices * u32::from(stored.width);
        let words = Array { offset: stored.offset, width: 1, n_rows };
        let within = Word::from(key).compute(Operation::ShiftDown, 6);
        let word = match (slice, stored.width) {
            (Word::Constant(0), 1) => Word::Constant(0),
            (Word::Constant(0), _) => within,
            (slice, 1) => slice,
            (slice, width) => slice * u64::from(width) + within,
        };
        let word = self.emitter.let_word(word);
        let bit = Word::Constant(1).compute(Operation::ShiftUp, Word::from(key) & 63);
        self.emitter.push(Statement::StoreAt(words, word.into(), Word::at(words, word) | bit));
    }

    /// What a step assigns to a fluent without keys.
    pub(crate) fn assign_word(
        &mut self,
        tree: &Tree,
        values: Values<'_>,
    ) -> Result<NewValue, Obstacle> {
        self.start(tree, &[]);
        let value = self.emitter.let_word(Word::Constant(0));
        let clash = self.emitter.let_word(Word::Constant(0));
        self.nodes(&tree.roots, &mut |this, row| {
            let Some(term) = row.last() else { return Ok(()) };
            let mut guards = Vec::new();
            let place = match (this.assigned(*term, values, &mut guards)?, values.domain) {
                // A truth is one or zero.
                (Some(_), None) => Word::Constant(2),
                (None, None) => Word::Constant(1),
                (Some(place), Some(_)) => place + 1,
                (None, Some(_)) => Word::Constant(values.none + 1),
            };
            this.when(all_of(guards, Word::Constant(1)), &mut |this| {
                let place = this.emitter.let_word(place.clone());
                let differs = Word::from(value).compare(Comparison::Unequal, place);
                let differs = vec![Statement::Let(clash, Word::from(clash) | differs)];
                this.emitter.push(Statement::If(value.into(), differs, Vec::new()));
                this.emitter.push(Statement::Let(value, place.into()));
                Ok(())
            })
        })?;
        Ok(NewValue { value, clash })
    }

    /// What a step assigns to the keys of a fluent; whether there may be several values.
    pub(crate) fn assign_planes(
        &mut self,
        tree: &Tree,
        stored: &Stored,
        values: Values<'_>,
    ) -> Result<bool, Obstacle> {
        self.start(tree, &[]);
        let mut slices: Vec<Word> = Vec::new();
        self.nodes(&tree.roots, &mut |this, row| {
            let Some((term, keys)) = row.split_last() else { return Ok(()) };
            let mut guards = Vec::new();
            let lost = u64::from(stored.n_slices) - 1;
            let slice = this.assigned(*term, values, &mut guards)?;
            let slice = slice.unwrap_or(Word::Constant(lost));
            slices.push(slice.clone());
            let key = this.number((keys, &stored.columns), &stored.keyed, &mut guards)?;
            let key = key.ok_or_else(|| Obstacle::new("an assignment to something unknown"))?;
            this.when(all_of(guards, Word::Constant(1)), &mut |this| {
                this.set_bit(stored, slice.clone(), key.clone());
                Ok(())
            })
        })?;
        let is_same =
            |slice: &Word| matches!(slice, Word::Constant(_)) && Some(slice) == slices.first();
        Ok(!slices.iter().all(is_same))
    }

    /// The number of a value that is assigned; nothing if it means that there is none.
    fn assigned(
        &mut self,
        term: Term,
        values: Values<'_>,
        guards: &mut Vec<Word>,
    ) -> Result<Option<Word>, Obstacle> {
        let held = self.held(term).ok_or_else(|| Obstacle::new("an unknown value is assigned"))?;
        match (values.domain, held) {
            (None, Held::Fixed(value)) => Ok((values.is_true)(value).then_some(Word::Constant(0))),
            (None, _) => Err(Obstacle::new("a truth that is computed")),
            (Some(domain), Held::Fixed(value)) => {
                let place = self.setting.domains.place(domain, value);
                Ok(place.map(|place| Word::Constant(u64::from(place))))
            }
            (Some(domain), _) => self.number((&[term], &[domain]), &[0], guards),
        }
    }
}

/// Are moves made to be judged below a node?
fn makes_moves(node: &Node) -> bool {
    match node {
        Node::Conclusion { .. } => false,
        Node::Condition { condition, children } => {
            is_elsewhere(condition) || children.iter().any(makes_moves)
        }
    }
}
