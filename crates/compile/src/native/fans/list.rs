//! Moves as a list: few of them, found one by one.
//!
//! In: a tree of clauses. Out: the moves that it concludes, each once, as numbers of all their parameters. Invariant:
//! the list has room for every move that there can be.

use rulesmith_kernel::{Array, Operation, Scalar, Set, Statement, Word};

use super::super::Obstacle;
use super::super::build::Builder;
use super::super::emit::Emitter;
use super::super::loops::Places;
use super::super::params::Params;
use super::super::steps::Doing;
use super::plan::FanPlan;

impl<'b> Builder<'b> {
    /// Makes each move of a list, and leaves in it those after which nothing is attacked that must not be.
    pub(crate) fn keep_unattacked(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
        (plan, list): (&FanPlan, &List),
    ) -> Result<(), Obstacle> {
        let sizes = self.param_sizes(kind)?;
        let n_words = self.places.layout.n_state_words();
        let width =
            u16::try_from(n_words).map_err(|_| Obstacle::new("states too large to be copied"))?;
        let kept = self.spare.take(n_words);
        let (place, n_left) = (emitter.scalar(), emitter.let_word(Word::Constant(0)));
        let number = emitter.scalar();
        emitter.forget_stored();
        let (mut each, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let is_end = Word::from(place).equals(list.n_moves);
            emitter.push(Statement::If(is_end, vec![Statement::Leave], Vec::new()));
            emitter.push(Statement::Let(number, Word::at(list.rows, place)));
            let words = list.words(number).into_iter();
            let scalars: Vec<Scalar> = words.map(|word| emitter.let_word(word)).collect();
            let is_attacked = emitter.scalar();
            let untouched = emitter.untouched.clone();
            let untouched = untouched.filter(|one| one.touching.denied == plan.denied);
            let (judging, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
                let params = Params { scalars: scalars.clone(), sizes, drawn: None };
                let doing = Doing::One(role, kind);
                emitter.push(Statement::StoreSet(kept, Set::state(0, width)));
                self.narrow = self.narrow(doing, None);
                let done = self.emit_effects(emitter, doing, &params);
                let done = done.and_then(|()| self.emit_deferred(emitter, doing, &params));
                self.narrow = None;
                done?;
                let then = self.emit_attacked(emitter, plan);
                emitter.push(Statement::Let(is_attacked, then.into()));
                emitter.push(Statement::StoreSet(0, Set::state(kept, width)));
                Ok(())
            });
            done?;
            let may_change =
                untouched.as_ref().and_then(|one| one.may_change((role, kind), &scalars));
            match (untouched, may_change) {
                (Some(untouched), Some(may_change)) => {
                    let same = vec![Statement::Let(is_attacked, untouched.now.into())];
                    emitter.push(Statement::If(may_change, judging, same));
                }
                _ => emitter.push_all(judging),
            }
            let keep = vec![
                Statement::StoreAt(list.rows, n_left.into(), number.into()),
                Statement::Let(n_left, Word::from(n_left) + 1),
            ];
            emitter.push(Statement::If(is_attacked.into(), Vec::new(), keep));
            Ok(())
        });
        done?;
        each.push(Statement::Let(place, Word::from(place) + 1));
        emitter.push(Statement::Let(place, Word::Constant(0)));
        emitter.push(Statement::Repeat(each));
        emitter.push(Statement::Let(list.n_moves, n_left.into()));
        Ok(())
    }
}

/// Moves one after another.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// The number of each move.
    pub(crate) rows: Array,
    /// How many there are.
    pub(crate) n_moves: Scalar,
    /// How many values each parameter has; in the number of a move the first runs fastest.
    pub(crate) sizes: Vec<u32>,
    /// Where each is, if there may be many. Once one is taken out nothing is looked up any more.
    pub(crate) places: Option<Places>,
}

impl List {
    /// The parameters that a number means.
    pub(crate) fn words(&self, number: Scalar) -> Vec<Word> {
        places_of(number, &self.sizes)
    }

    /// The number of a move.
    pub(crate) fn number(&self, params: &[Scalar]) -> Word {
        let params = self.sizes.iter().zip(params).rev();
        params.fold(Word::Constant(0), |all, (size, param)| all * u64::from(*size) + *param)
    }

    /// Takes a number out, if it is there. The last one comes in its place.
    pub(crate) fn remove(&self, number: Scalar, place: Scalar) -> Vec<Statement> {
        let is_end = Word::from(place).equals(self.n_moves);
        let is_it = Word::at(self.rows, place).equals(number);
        let take_out = vec![
            Statement::Let(self.n_moves, Word::from(self.n_moves) - 1),
            Statement::StoreAt(self.rows, place.into(), Word::at(self.rows, self.n_moves)),
            Statement::Leave,
        ];
        vec![
            Statement::Let(place, Word::Constant(0)),
            Statement::Repeat(vec![
                Statement::If(is_end, vec![Statement::Leave], Vec::new()),
                Statement::If(is_it, take_out, Vec::new()),
                Statement::Let(place, Word::from(place) + 1),
            ]),
        ]
    }

    /// Adds a number, unless it is there.
    pub(crate) fn add(&self, emitter: &mut Emitter<'_>, number: Scalar) {
        let Some(places) = &self.places else {
            let scalars = (emitter.scalar(), emitter.scalar());
            return emitter.push_all(self.add_to_few(number, scalars));
        };
        let (slot, is_there) = places.look_up(emitter, (number, &self.n_moves.into()));
        let mut append = places.put(number, slot, self.n_moves).to_vec();
        append.push(Statement::Let(self.n_moves, Word::from(self.n_moves) + 1));
        emitter.push(Statement::If(is_there.into(), Vec::new(), append));
    }

    fn add_to_few(&self, number: Scalar, (place, is_new): (Scalar, Scalar)) -> Vec<Statement> {
        let is_end = Word::from(place).equals(self.n_moves);
        let is_known = Word::at(self.rows, place).equals(number);
        let known = vec![Statement::Let(is_new, Word::Constant(0)), Statement::Leave];
        let append = vec![
            Statement::StoreAt(self.rows, self.n_moves.into(), number.into()),
            Statement::Let(self.n_moves, Word::from(self.n_moves) + 1),
        ];
        vec![
            Statement::Let(place, Word::Constant(0)),
            Statement::Let(is_new, Word::Constant(1)),
            Statement::Repeat(vec![
                Statement::If(is_end, vec![Statement::Leave], Vec::new()),
                Statement::If(is_known, known, Vec::new()),
                Statement::Let(place, Word::from(place) + 1),
            ]),
            Statement::If(is_new.into(), append, Vec::new()),
        ]
    }
}

/// The places of values that a number means, where columns have so many values and the first runs fastest.
pub(crate) fn places_of(number: Scalar, sizes: &[u32]) -> Vec<Word> {
    let mut stride = 1;
    let mut words = Vec::new();
    for size in sizes {
        let whole = |stride: u64| match stride {
            1 => Word::from(number),
            stride => Word::from(number).compute(Operation::Divide, stride),
        };
        let next = stride * u64::from(*size);
        words.push(whole(stride) - whole(next) * u64::from(*size));
        stride = next;
    }
    words
}
