//! Writing kernels of rules: registers, open blocks, and words for conditions whose variables are known.
//!
//! In: conditions and what is bound. Out: statements. Invariant: what a closure writes stands inside the
//! loop or test it was handed to, and variables bound there are unbound after it.

use rulesmith_kernel::{Comparison, Kernel, Plane, Scalar, Set, Statement, Word, share_registers};
use rulesmith_logic::{PredicateId, Term, Var};
use rulesmith_matching::Universe;

use super::super::Obstacle;
use super::asked::Asked;
use super::layout::{Layout, List};
use super::sorts::Slot;

/// A kernel under way.
pub(super) struct Writer<'l> {
    pub(super) layout: &'l mut Layout,
    pub(super) universe: &'l Universe,
    n_scalars: u16,
    plane_widths: Vec<u16>,
    blocks: Vec<Vec<Statement>>,
    /// What variables hold.
    bound: Vec<Option<Word>>,
}

/// What is written inside something.
pub(super) type Then<'t, 'l> = dyn FnMut(&mut Writer<'l>) -> Result<(), Obstacle> + 't;

impl<'l> Writer<'l> {
    /// Starts a kernel whose parameters are the inputs.
    pub(super) fn new(layout: &'l mut Layout, universe: &'l Universe, inputs: &[Var]) -> Self {
        let n_scalars = u16::try_from(inputs.len()).unwrap_or(u16::MAX);
        let blocks = vec![Vec::new()];
        let (plane_widths, bound) = (Vec::new(), Vec::new());
        let mut writer = Self { layout, universe, n_scalars, plane_widths, blocks, bound };
        for (place, var) in (0..).zip(inputs) {
            writer.bind(*var, Some(Scalar(place).into()));
        }
        writer
    }

    pub(super) fn into_kernel(mut self, name: &str, n_params: usize) -> Kernel {
        let body = self.blocks.pop().unwrap_or_default();
        let n_params = u16::try_from(n_params).unwrap_or(u16::MAX);
        let (n_scalars, plane_widths) = (self.n_scalars, self.plane_widths);
        share_registers(Kernel { name: name.into(), n_params, n_scalars, plane_widths, body })
    }

    pub(super) fn scalar(&mut self) -> Scalar {
        self.n_scalars += 1;
        Scalar(self.n_scalars - 1)
    }

    /// A plane for what may stand at a slot.
    pub(super) fn plane(&mut self, slot: Slot) -> Plane {
        self.plane_widths.push(self.layout.sorts.width(slot));
        Plane(u16::try_from(self.plane_widths.len() - 1).unwrap_or(u16::MAX))
    }

    pub(super) fn push(&mut self, statement: Statement) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement);
        }
    }

    /// What is written meanwhile, as a block.
    pub(super) fn block(&mut self, then: &mut Then<'_, 'l>) -> Result<Vec<Statement>, Obstacle> {
        self.blocks.push(Vec::new());
        let done = then(self);
        let block = self.blocks.pop().unwrap_or_default();
        done.map(|()| block)
    }

    /// Goes on where a word is not zero.
    pub(super) fn when(&mut self, word: Word, then: &mut Then<'_, 'l>) -> Result<(), Obstacle> {
        let block = self.block(then)?;
        self.push(Statement::If(word, block, Vec::new()));
        Ok(())
    }

    pub(super) fn bind(&mut self, Var(number): Var, word: Option<Word>) {
        let place = usize::from(number);
        if self.bound.len() <= place {
            self.bound.resize(place + 1, None);
        }
        self.bound[place] = word;
    }

    pub(super) fn is_bound(&self, Var(number): Var) -> bool {
        matches!(self.bound.get(usize::from(number)), Some(Some(_)))
    }

    /// The number that a term has at a slot; nothing if it is not known yet.
    pub(super) fn word(&self, slot: Slot, term: Term) -> Result<Option<Word>, Obstacle> {
        match term {
            Term::Var(Var(number)) => Ok(self.bound.get(usize::from(number)).cloned().flatten()),
            Term::Value(value) => {
                let number = self.layout.sorts.number_at(slot, self.universe.id(value))?;
                Ok(Some(Word::Constant(number.into())))
            }
        }
    }

    /// One if a comparison holds, else zero; nothing if something is unknown.
    pub(super) fn comparison(
        &self,
        is_same: bool,
        left: Term,
        right: Term,
    ) -> Result<Option<Word>, Obstacle> {
        if left == right {
            return Ok(Some(Word::from(u64::from(is_same))));
        }
        let slot = match (left, right) {
            (Term::Var(var), _) | (_, Term::Var(var)) => Slot::Variable(var),
            _ => return Ok(Some(Word::from(u64::from(!is_same)))),
        };
        let (Some(left), Some(right)) = (self.word(slot, left)?, self.word(slot, right)?) else {
            return Ok(None);
        };
        let comparison = if is_same { Comparison::Equal } else { Comparison::Unequal };
        Ok(Some(left.compare(comparison, right)))
    }

    /// The columns of an atom that are known, with their words.
    pub(super) fn known(
        &self,
        predicate: PredicateId,
        args: &[Term],
    ) -> Result<Vec<(usize, Word)>, Obstacle> {
        let mut known = Vec::new();
        for (column, term) in args.iter().enumerate() {
            if let Some(word) = self.word(Slot::Column(predicate, column), *term)? {
                known.push((column, word));
            }
        }
        Ok(known)
    }

    /// One if a condition holds, else zero; nothing if something is unknown.
    pub(super) fn test(&mut self, condition: &Asked) -> Result<Option<Word>, Obstacle> {
        let (predicate, args) = match condition {
            Asked::Holds(predicate, args) => (*predicate, args),
            Asked::Compare { is_same, left, right } => {
                return self.comparison(*is_same, *left, *right);
            }
        };
        let mut known = self.known(predicate, args)?;
        if known.len() < args.len() {
            return Ok(None);
        }
        let Some((column, number)) = known.pop() else { return Ok(None) };
        let columns: Vec<usize> = known.iter().map(|(column, _)| *column).collect();
        let place = self.layout.planes(predicate, &columns, &[column])?;
        let key = self.layout.key(predicate, &known);
        Ok(Some(place.set(key).has(number)))
    }

    /// Goes on for each row that an atom with something unknown has.
    pub(super) fn each_row(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
        then: &mut Then<'_, 'l>,
    ) -> Result<(), Obstacle> {
        let known = self.known(predicate, args)?;
        let columns: Vec<usize> = known.iter().map(|(column, _)| *column).collect();
        let list = self.layout.list(predicate, &columns)?;
        let key = self.layout.key(predicate, &known);
        let unknown: Vec<Term> = args
            .iter()
            .enumerate()
            .filter(|(column, _)| !columns.contains(column))
            .map(|(_, term)| *term)
            .collect();
        let Some(n_places) = list.n_short else {
            let (at, end) = (self.scalar(), self.scalar());
            self.push(Statement::Let(at, list.places.word(key.clone())));
            self.push(Statement::Let(end, list.places.word(key + 1)));
            let is_over = Word::from(at).equals(end);
            let mut body = vec![Statement::If(is_over, vec![Statement::Leave], Vec::new())];
            body.extend(self.block(&mut |this| this.take(&list, &unknown, &at.into(), then))?);
            body.push(Statement::Let(at, Word::from(at) + 1));
            self.push(Statement::Repeat(body));
            return Ok(());
        };
        let place = self.scalar();
        let at = key.clone() * n_places as u64 + Word::from(place);
        let body = self.block(&mut |this| this.take(&list, &unknown, &at, then))?;
        // Nothing is known of words in a state; with this mask no place needs to be checked.
        let all = u64::MAX >> (64 - n_places.min(64));
        let places = list.places.set(key) & Set::Mask(vec![all]);
        self.push(Statement::ForEach(place, places, body));
        Ok(())
    }

    /// Binds the unknown columns of the row at a place.
    fn take(
        &mut self,
        list: &List,
        unknown: &[Term],
        at: &Word,
        then: &mut Then<'_, 'l>,
    ) -> Result<(), Obstacle> {
        let (mut fresh, mut again) = (Vec::new(), Vec::new());
        for (term, place) in unknown.iter().zip(&list.others) {
            let Term::Var(var) = term else { continue };
            let found = place.word(at.clone());
            if let Some(known) = self.word(Slot::Variable(*var), *term)? {
                again.push(found.equals(known));
                continue;
            }
            let scalar = self.scalar();
            self.push(Statement::Let(scalar, found));
            self.bind(*var, Some(scalar.into()));
            fresh.push(*var);
        }
        // A variable that stands in several columns has the same value in each.
        let done = match again.into_iter().reduce(|all, one| all & one) {
            Some(agree) => self.when(agree, then),
            None => then(self),
        };
        for var in fresh {
            self.bind(var, None);
        }
        done
    }

    /// Goes on for each number of a set.
    pub(super) fn each_number(
        &mut self,
        var: Var,
        set: Set,
        then: &mut Then<'_, 'l>,
    ) -> Result<(), Obstacle> {
        let scalar = self.scalar();
        self.bind(var, Some(scalar.into()));
        let body = self.block(then);
        self.bind(var, None);
        self.push(Statement::ForEach(scalar, set, body?));
        Ok(())
    }

    /// The words of a conclusion.
    pub(super) fn head(&self, head: &[Term]) -> Result<Vec<Option<Word>>, Obstacle> {
        head.iter().enumerate().map(|(place, term)| self.word(Slot::Head(place), *term)).collect()
    }
}
