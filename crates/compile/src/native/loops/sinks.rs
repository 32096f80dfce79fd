//! What becomes of conclusions: a truth, a value, a plane, an assignment.
//!
//! In: a tree and what is known when it is asked. Out: statements that answer it. Invariant: an answer is
//! complete when the statements have run, and nothing of the state's fluents has changed.

use rulesmith_kernel::{Array, Operation, Scalar, Set, Statement, Word};
use rulesmith_logic::{DomainId, Term};
use rulesmith_matching::Tree;

use super::super::Obstacle;
use super::held::{Held, Spot};
use super::lower::Lowering;
use super::stored::{Stored, all_of};

impl Lowering<'_, '_> {
    /// Binds the inputs of a tree.
    fn start(&mut self, tree: &Tree, inputs: &[Held]) {
        self.env = vec![None; tree.n_registers];
        for (var, held) in tree.inputs.iter().zip(inputs) {
            self.bind(*var, Some(*held));
        }
    }

    /// Whether a clause of the tree holds.
    pub(crate) fn flag(&mut self, tree: &Tree, inputs: &[Held]) -> Result<Scalar, Obstacle> {
        self.start(tree, inputs);
        let flag = self.emitter.let_word(Word::Constant(0));
        self.search(flag, &mut |this, found| {
            this.nodes(&tree.roots, &mut |this, _| found(this))
        })?;
        Ok(flag)
    }

    /// One more than the place of the last column's value in a domain; zero if nothing is concluded.
    pub(crate) fn value(
        &mut self,
        tree: &Tree,
        inputs: &[Held],
        domain: DomainId,
    ) -> Result<Scalar, Obstacle> {
        self.start(tree, inputs);
        let value = self.emitter.let_word(Word::Constant(0));
        self.nodes(&tree.roots, &mut |this, row| {
            let Some(last) = row.last() else { return Ok(()) };
            let mut guards = Vec::new();
            let columns = vec![domain];
            let place = this.number((&[*last], &columns), &[0], &mut guards)?;
            let place = place.ok_or_else(|| Obstacle::new("a conclusion that is unknown"))?;
            this.when(all_of(guards, Word::Constant(1)), &mut |this| {
                this.emitter.push(Statement::Let(value, place.clone() + 1));
                Ok(())
            })
        })?;
        Ok(value)
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

    /// Empties a stored relation.
    pub(crate) fn clear(&mut self, stored: &Stored) {
        for slice in 0..stored.n_slices {
            let offset = stored.offset + slice * u32::from(stored.width);
            let empty = vec![0; usize::from(stored.width)];
            self.emitter.push(Statement::StoreSet(offset, Set::Mask(empty)));
        }
    }

    /// Sets the bit of a tuple.
    pub(super) fn conclude(&mut self, stored: &Stored, row: &[Term]) -> Result<(), Obstacle> {
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

    /// The place of a term in a domain, for conclusions about words.
    pub(crate) fn place(
        &mut self,
        term: &Term,
        domain: DomainId,
    ) -> Result<Option<Word>, Obstacle> {
        Ok(match self.spot(term, domain)? {
            Spot::Known(word) | Spot::Maybe(word) => Some(word),
            Spot::Never | Spot::Unknown(_) => None,
        })
    }
}
