//! Legal moves: their rows, and what is done with each of them.
//!
//! In: the clauses of `legal`. Out: rows for each role, and code around each move that was found. Invariant: what is
//! done is done once for each move.

use rulesmith_kernel::{Kernel, Operation, Scalar, Set, Statement, Word};
use rulesmith_logic::DomainId;
use rulesmith_rules::MoveId;

use super::Obstacle;
use super::build::{Builder, Kinds, clause_rows, number, to_word};
use super::classes::Reading;
use super::emit::Emitter;
use super::fans::nearly_legal;
use super::ground::{Grounding, Row, Test, Tested};
use super::implied::drop_implied;
use super::moves::{Found, Leaf};
use super::optimizations::Optimization;
use super::readings::reading;

/// What goes around code for each move.
pub(super) type Around = Box<dyn FnOnce(Vec<Statement>) -> Vec<Statement>>;

impl<'b> Builder<'b> {
    /// The rows of moves: of those that are legal, or of those that are but for what follows them.
    pub(super) fn ground_moves(&mut self, grounding: &Grounding<'_>) {
        for kind in &self.theory.moves {
            let rows = || clause_rows(grounding, self.specialized, kind.legal).ok();
            let has = |one: Optimization| self.optimizations.has(one);
            let mut clauses = has(Optimization::WholePlanes).then(rows).flatten();
            if let Some(clauses) = &mut clauses {
                drop_implied(clauses);
            }
            let is_judged = clauses.is_none()
                && has(Optimization::WholePlanes)
                && has(Optimization::AfterMasks);
            let nearly = || nearly_legal(grounding, self.specialized, kind).ok();
            let nearly = is_judged.then(nearly).flatten();
            self.nearly.push(nearly);
            self.legal.push(clauses);
        }
    }

    /// For each role the rows of its legal moves, with what all of them share.
    pub(super) fn all_legal_rows(&self) -> Vec<(Vec<Test>, Kinds)> {
        (0..self.theory.roles.len()).map(|role| self.legal_rows(role)).collect()
    }

    /// The rows of a role's legal moves, and the tests of words that all of them share.
    pub(super) fn legal_rows(&self, role: usize) -> (Vec<Test>, Kinds) {
        let of_role = |row: &&Row| row.head[0] == number(role);
        let mut kinds: Kinds = Vec::new();
        for clauses in &self.legal {
            let clauses = clauses.as_ref().map(|clauses| {
                let clauses = clauses.iter().map(|rows| {
                    let rows = rows.iter().filter(of_role);
                    rows.map(|row| Row { head: row.head[1..].to_vec(), ..row.clone() }).collect()
                });
                clauses.collect()
            });
            kinds.push(clauses);
        }
        let all: Vec<&Row> = kinds.iter().flatten().flatten().flatten().collect();
        // What has no clause left is never legal.
        let may_be = |kind: usize| {
            self.procedure(self.theory.moves[kind].legal)
                .is_none_or(|one| !one.tree.roots.is_empty())
        };
        let looped = kinds.iter().enumerate();
        let looped = looped.filter(|(kind, rows)| rows.is_none() && may_be(*kind));
        let looped: Vec<Vec<Test>> = looped.map(|(kind, _)| self.tree_guard(role, kind)).collect();
        let places = self.places;
        let is_common = |test: &&Test| {
            reading(places, &[], test) == Reading::Word
                && !matches!(test.tested, Tested::Closed(_) | Tested::Derived(..))
                && all.iter().all(|row| row.tests.contains(test))
                && looped.iter().all(|tests| tests.contains(test))
        };
        let first = all.first().map(|row| &row.tests).or_else(|| looped.first());
        let mut common: Vec<Test> = first
            .map(|tests| tests.iter().filter(is_common).copied().collect())
            .unwrap_or_default();
        let guard = self.turn_guard(role).unwrap_or_default();
        common.extend(
            guard.iter().filter(|test| !common.contains(test)).copied().collect::<Vec<_>>(),
        );
        for row in kinds.iter_mut().flatten().flatten().flatten() {
            row.tests.retain(|test| !common.contains(test));
        }
        (common, kinds)
    }

    /// Rows of which one holds wherever a move of the kind is legal.
    pub(super) fn nearly_rows(&self, kind: usize) -> Option<&Vec<Vec<Row>>> {
        let nearly = || self.nearly[kind].as_ref().map(|nearly| &nearly.clauses);
        self.legal[kind].as_ref().or_else(nearly)
    }

    pub(super) fn param_sizes(&self, kind: usize) -> Result<Vec<u32>, Obstacle> {
        let base = &self.theory.base;
        let domains = &base.predicate(self.theory.move_kind(MoveId(kind)).does).domains;
        let size = |domain: &Option<DomainId>| {
            let domain = domain.ok_or_else(|| Obstacle::new("a parameter without a sort"))?;
            Ok(number(base.domain(domain).values.len()))
        };
        domains.iter().skip(1).map(size).collect()
    }

    pub(super) fn moves_kernel(&mut self, role: usize) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let (common, kinds) = self.legal_rows(role);
        let guard = emitter.words(&common)?;
        let n_params = self.theory.moves.iter().map(|kind| kind.n_params).max().unwrap_or(0);
        let (statements, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            self.update_for_call(emitter)?;
            for leaf in self.emit_moves(emitter, (role, &kinds))? {
                let (words, around) = self.each_of(emitter, &leaf);
                let mut row = vec![Word::Constant(leaf.kind as u64)];
                row.extend(words);
                row.resize(n_params + 1, Word::Constant(0));
                emitter.push_all(around(vec![Statement::Emit(row)]));
            }
            Ok(())
        });
        done?;
        if self.turn_guard(role).is_some() {
            emitter.push(Statement::If(to_word(guard), statements, Vec::new()));
        }
        self.emit_waits(&mut emitter, (role, n_params + 1))?;
        Ok(emitter.into_kernel(format!("moves of {role}"), 0))
    }

    /// Code for each move of a leaf: its parameters, and what goes around the code.
    pub(super) fn each_of(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaf: &Leaf,
    ) -> (Vec<Word>, Around) {
        let root = emitter.scalar();
        let (words, around): (Vec<Word>, Around) = match &leaf.found {
            Found::Numbers => {
                let set = leaf.set.clone();
                let around = move |body| vec![Statement::ForEach(root, set, body)];
                (self.meanings(leaf, root), Box::new(around))
            }
            Found::Fan(fan) => {
                let (to, fan) = (emitter.scalar(), fan.clone());
                let words = fan.words(root, to);
                let around = move |body| {
                    let inner = Statement::ForEach(to, Set::at(fan.ends, root), body);
                    vec![Statement::ForEach(root, fan.starts, vec![inner])]
                };
                (words, Box::new(around))
            }
            Found::List(list) => {
                let (place, list) = (emitter.scalar(), list.clone());
                let words = list.words(root);
                let around = move |body: Vec<Statement>| {
                    let is_end = Word::from(place).equals(list.n_moves);
                    let mut each = vec![
                        Statement::If(is_end, vec![Statement::Leave], Vec::new()),
                        Statement::Let(root, Word::at(list.rows, place)),
                    ];
                    each.extend(body);
                    each.push(Statement::Let(place, Word::from(place) + 1));
                    vec![Statement::Let(place, Word::Constant(0)), Statement::Repeat(each)]
                };
                (words, Box::new(around))
            }
        };
        let guard = leaf.guard;
        let guarded = move |body| match guard {
            Some(guard) => vec![Statement::If(guard.into(), around(body), Vec::new())],
            None => around(body),
        };
        (words, Box::new(guarded))
    }

    /// Finds the move of a rank in a leaf that has so many, and tells its parameters.
    pub(super) fn find_in(
        &mut self,
        emitter: &mut Emitter<'b>,
        leaf: &Leaf,
        rank: Scalar,
    ) -> (Vec<Statement>, Vec<Word>) {
        if let Found::Fan(fan) = &leaf.found {
            return fan.find(emitter, rank);
        }
        let root = emitter.scalar();
        let (word, words) = match &leaf.found {
            Found::List(list) => (Word::at(list.rows, rank), list.words(root)),
            _ => (leaf.set.clone().nth(rank), self.meanings(leaf, root)),
        };
        (vec![Statement::Let(root, word)], words)
    }

    /// The parameters of the move that a number of a leaf means.
    pub(super) fn meanings(&mut self, leaf: &Leaf, root: Scalar) -> Vec<Word> {
        let n_params = leaf.meaning.moves.values().next().map_or(0, Vec::len);
        let column = |place: usize| -> Vec<(u32, u32)> {
            leaf.meaning.moves.iter().map(|(root, params)| (*root, params[place])).collect()
        };
        (0..n_params).map(|place| self.meaning(&column(place), leaf.meaning.width, root)).collect()
    }

    fn meaning(&mut self, column: &[(u32, u32)], width: u16, root: Scalar) -> Word {
        let first = column[0].1.wrapping_sub(column[0].0);
        if column.iter().all(|(root, value)| value.wrapping_sub(*root) == first) {
            #[expect(
                clippy::cast_possible_wrap,
                clippy::cast_sign_loss,
                reason = "sums wrap around"
            )]
            let shift = i64::from(first as i32) as u64;
            let root = Word::Scalar(root);
            let sum = |root| {
                Word::Compute(Operation::Add, Box::new(root), Box::new(Word::Constant(shift)))
            };
            return if shift == 0 { root } else { sum(root) };
        }
        let mut words = vec![0; usize::from(width) * 64];
        for (root, value) in column {
            words[*root as usize] = u64::from(*value);
        }
        let table = self.tables.add(rulesmith_kernel::Table { width: 1, words });
        Word::Look(table, Box::new(Word::Scalar(root)))
    }
}
