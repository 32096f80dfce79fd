//! Building kernels for questions about a state: ends, goals and moves.
//!
//! In: a specialised game. Out: its clauses as ground rows, and kernels that judge them. Invariant: each
//! kernel does what the reference engine does, or the game has an obstacle.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Comparison, Kernel, Operation, Scalar, Set, Statement, Word};
use rulesmith_logic::{DomainId, PredicateId, Term, Value};
use rulesmith_rules::{FluentId, MoveId, Theory};
use rulesmith_specialize::{Knowledge, Specialized};

use super::Obstacle;
use super::classes::Reading;
use super::effects::{Assignment, Effects};
use super::emit::{Certainty, Emitter, Places, Tables};
use super::ground::{Closed, Grounded, Grounding, Row, Test, Tested};
use super::judged::{Judged, judged};
use super::moves::{Leaf, emit_leaves, reading};
use super::params::Params;
use super::playout::roles_are_apart;
use super::regress::Regressed;
use crate::state_layout::Counted;

/// The rows of each clause of each kind of move.
pub(super) type Kinds = Vec<Vec<Vec<Row>>>;

/// What is needed to build.
pub(super) struct Builder<'b> {
    pub(super) theory: &'b Theory,
    pub(super) places: Places<'b>,
    pub(super) tables: Tables,
    pub(super) closed: Vec<Judged>,
    /// The rows of each derived predicate.
    pub(super) derived: Vec<Vec<Row>>,
    /// Slices that are being computed.
    pub(super) under_way: Vec<(usize, u32)>,
    pub(super) terminal: Vec<Row>,
    pub(super) draw: Vec<Row>,
    /// After which steps the same role makes another one.
    pub(super) continues: Vec<Row>,
    /// The values of turns, most important first.
    pub(super) preferences: Vec<Vec<Row>>,
    /// The counters of steps since an event, with the rows of the event.
    pub(super) events: Vec<(usize, Vec<Row>)>,
    pub(super) legal: Kinds,
    goal: Vec<Row>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) deferred: Vec<Assignment>,
    /// May roles move at once?
    pub(super) is_joint: bool,
    /// What regression found, since it is asked for more than once.
    pub(super) regressed: Regressed,
}

pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl<'b> Builder<'b> {
    pub(super) fn ground(
        knowledge: &'b Knowledge<'b>,
        specialized: &Specialized,
        places: Places<'b>,
    ) -> Result<Self, Obstacle> {
        let theory = knowledge.theory;
        let bodies = RefCell::default();
        let Places { layout, derived } = places;
        let mut builder = Self::empty(theory, places);
        let mut grounding =
            Grounding { theory, knowledge, layout, derived, closed: &bodies, is_joint: false };
        for kind in &theory.moves {
            let mut clauses = clause_rows(&grounding, specialized, kind.legal)?;
            drop_implied(&mut clauses);
            builder.legal.push(clauses);
        }
        builder.is_joint = !roles_are_apart(&builder.all_legal_rows());
        grounding.is_joint = builder.is_joint;
        let rows_of = |predicate| clause_rows(&grounding, specialized, predicate);
        builder.terminal = rows_of(theory.terminal)?.concat();
        builder.goal = rows_of(theory.goal)?.concat();
        builder.draw = rows_of(theory.draw)?.concat();
        builder.continues = rows_of(theory.continues)?.concat();
        for predicate in &theory.preferences {
            builder.preferences.push(rows_of(*predicate)?.concat());
        }
        for (number, counter) in layout.counters.iter().enumerate() {
            let Counted::Since(event) = counter.counted else { continue };
            if specialized.procedures.iter().all(|one| one.source != event) {
                return Err(Obstacle::new("an event that nobody judges"));
            }
            let mut rows = rows_of(event)?.concat();
            builder.keep_possible(&mut rows);
            builder.events.push((number, rows));
        }
        for id in theory.fluent_ids() {
            let fluent = theory.fluent(id);
            let possible = |predicate| -> Result<_, Obstacle> {
                let mut clauses = rows_of(predicate)?;
                for rows in &mut clauses {
                    builder.keep_possible(rows);
                }
                Ok(clauses)
            };
            let now = builder.assigned(id, fluent.assign, possible(fluent.assign)?);
            let deferred = builder.assigned(id, fluent.deferred, possible(fluent.deferred)?);
            builder.assignments.extend(now);
            builder.deferred.extend(deferred);
        }
        for layout in derived {
            builder.derived.push(rows_of(layout.predicate)?.concat());
        }
        // Bodies may close over others, which are met while they are grounded.
        let mut place = 0;
        loop {
            let next: Option<Closed> = bodies.borrow().get(place).cloned();
            let Some(next) = next else { break };
            place += 1;
            builder.closed.push(judged(&grounding, &next)?);
        }
        builder.check_questions()?;
        Ok(builder)
    }

    fn empty(theory: &'b Theory, places: Places<'b>) -> Self {
        Self {
            theory,
            places,
            tables: Tables::default(),
            closed: Vec::new(),
            derived: Vec::new(),
            under_way: Vec::new(),
            terminal: Vec::new(),
            draw: Vec::new(),
            continues: Vec::new(),
            preferences: Vec::new(),
            events: Vec::new(),
            legal: Vec::new(),
            goal: Vec::new(),
            assignments: Vec::new(),
            deferred: Vec::new(),
            is_joint: false,
            regressed: Regressed::default(),
        }
    }

    /// The rows of a fluent's effect clauses as keys and values.
    fn assigned(
        &self,
        id: FluentId,
        predicate: PredicateId,
        clauses: Vec<Vec<Row>>,
    ) -> Vec<Assignment> {
        let (base, fluent) = (&self.theory.base, self.places.layout.fluent(id));
        let n_keys = self.theory.fluent(id).n_keys;
        let value_domain = base.predicate(predicate).domains.last().copied().flatten();
        let value_of = |place: u32| {
            let domain = base.domain(value_domain?);
            domain.values.get_index(place as usize).copied()
        };
        let to_value = |place: u32| -> Option<u32> {
            let value = value_of(place)?;
            if let Some(domain) = fluent.values {
                return crate::state_layout::place(base, domain, value);
            }
            match (fluent.is_scalar(), self.is_true(value)) {
                (true, is_true) => Some(u32::from(is_true)),
                (false, true) => Some(0),
                (false, false) => None,
            }
        };
        let assignment = |rows: Vec<Row>| {
            let rows = rows.into_iter().map(|row| {
                let key = fluent.keys.number(&row.head[..n_keys]);
                let value = to_value(row.head[n_keys]);
                (row, key, value)
            });
            Assignment { fluent: id, rows: rows.collect() }
        };
        clauses.into_iter().map(assignment).collect()
    }

    fn is_true(&self, value: Value) -> bool {
        rulesmith_rules::value_text(&self.theory.symbols, value) == "true"
    }

    /// A kernel that returns whether one of the rows holds.
    pub(super) fn judging_kernel(&mut self, name: &str, rows: &[Row]) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let word = to_word(self.judge(&mut emitter, rows)?);
        emitter.push(Statement::Return(word));
        Ok(emitter.into_kernel(name.to_owned(), 0))
    }

    /// Does one of the rows hold? Closed bodies are judged first.
    pub(super) fn judge(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: &[Row],
    ) -> Result<Certainty, Obstacle> {
        self.prepare(emitter, rows)?;
        let params = Params { scalars: Vec::new(), sizes: Vec::new() };
        Effects { emitter, params: &params, tables: &mut self.tables }.holds(rows)
    }

    pub(super) fn goal_kernel(&mut self, role: usize) -> Result<Kernel, Obstacle> {
        let mut emitter = Emitter::new(self.places, 0);
        let of_role = |row: &&Row| row.head[0] == number(role);
        let rows: Vec<Row> = self.goal.iter().filter(of_role).cloned().collect();
        let values: BTreeSet<u32> = rows.iter().map(|row| row.head[1]).collect();
        for value in values {
            let of_value = |row: &&Row| row.head[1] == value;
            let rows: Vec<Row> = rows.iter().filter(of_value).cloned().collect();
            let word = to_word(self.judge(&mut emitter, &rows)?);
            let result = Statement::Return(Word::Constant(u64::from(value) + 1));
            emitter.push(Statement::If(word, vec![result], Vec::new()));
        }
        Ok(emitter.into_kernel(format!("goal of {role}"), 0))
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
            let clauses = clauses.iter().map(|rows| {
                let rows = rows.iter().filter(of_role);
                rows.map(|row| Row { head: row.head[1..].to_vec(), ..row.clone() }).collect()
            });
            kinds.push(clauses.collect());
        }
        let all: Vec<&Row> = kinds.iter().flatten().flatten().collect();
        let places = self.places;
        let is_common = |test: &&Test| {
            reading(places, &[], test) == Reading::Word
                && !matches!(test.tested, Tested::Closed(_) | Tested::Derived(..))
                && all.iter().all(|row| row.tests.contains(test))
        };
        let common: Vec<Test> = all
            .first()
            .map(|row| row.tests.iter().filter(is_common).copied().collect())
            .unwrap_or_default();
        for row in kinds.iter_mut().flatten().flatten() {
            row.tests.retain(|test| !common.contains(test));
        }
        (common, kinds)
    }

    pub(super) fn emit_moves(
        &mut self,
        emitter: &mut Emitter<'b>,
        kinds: &Kinds,
    ) -> Result<Vec<Leaf>, Obstacle> {
        let asked = |kind: &usize| -> usize {
            let tests = kinds[*kind].iter().flatten().flat_map(|row| &row.tests);
            tests.filter(|test| matches!(test.tested, Tested::Closed(_))).count()
        };
        // Kinds that ask least come first: what they find may answer the others.
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        order.sort_by_key(asked);
        let mut leaves: Vec<Leaf> = Vec::new();
        for kind in order {
            let rows: Vec<Row> = kinds[kind].iter().flatten().cloned().collect();
            self.answer_by_moves(emitter, kinds, (&rows, &leaves));
            self.prepare(emitter, &rows)?;
            let sizes = self.param_sizes(kind)?;
            leaves.extend(emit_leaves(emitter, self.places, (kind, &sizes), &kinds[kind])?);
        }
        Ok(leaves)
    }

    /// Closed questions whether there is a move of a kind, if that kind's moves have been found.
    fn answer_by_moves(
        &self,
        emitter: &mut Emitter<'b>,
        kinds: &Kinds,
        (rows, leaves): (&[Row], &[Leaf]),
    ) {
        let asked: BTreeSet<usize> = rows
            .iter()
            .flat_map(|row| &row.tests)
            .filter_map(|test| match test.tested {
                Tested::Closed(number) => Some(number),
                _ => None,
            })
            .collect();
        let found: BTreeSet<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        for number in asked {
            let (Judged::Body(body), false) =
                (&self.closed[number], emitter.closed.contains_key(&number))
            else {
                continue;
            };
            let body: BTreeSet<&[Test]> = body.iter().map(|row| &row.tests[..]).collect();
            let is_it = |kind: &&usize| {
                let own: BTreeSet<&[Test]> =
                    kinds[**kind].iter().flatten().map(|row| &row.tests[..]).collect();
                own == body
            };
            let Some(kind) = found.iter().find(is_it) else { continue };
            let planes = leaves.iter().filter(|leaf| leaf.kind == *kind);
            let any = planes.map(|leaf| Word::Any(Box::new(Set::Plane(leaf.plane))));
            let any = any
                .reduce(|one, other| Word::Compute(Operation::Or, Box::new(one), Box::new(other)));
            let scalar = emitter.let_word(any.unwrap_or(Word::Constant(0)));
            emitter.closed.insert(number, scalar);
        }
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
            for leaf in self.emit_moves(emitter, &kinds)? {
                let root = emitter.scalar();
                let mut row = vec![Word::Constant(leaf.kind as u64)];
                row.extend(self.meanings(&leaf, root));
                row.resize(n_params + 1, Word::Constant(0));
                let emit = Statement::Emit(row);
                emitter.push(Statement::ForEach(root, Set::Plane(leaf.plane), vec![emit]));
            }
            Ok(())
        });
        done?;
        emitter.push(Statement::If(to_word(guard), statements, Vec::new()));
        Ok(emitter.into_kernel(format!("moves of {role}"), 0))
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

/// Leaves out rows that hold only where another row of the same head does.
fn drop_implied(clauses: &mut [Vec<Row>]) {
    let mut by_head: BTreeMap<Vec<u32>, Vec<Vec<Test>>> = BTreeMap::new();
    for row in clauses.iter().flatten() {
        by_head.entry(row.head.clone()).or_default().push(row.tests.clone());
    }
    for tests in by_head.values_mut() {
        tests.sort_by_key(Vec::len);
        let mut kept: Vec<Vec<Test>> = Vec::new();
        for one in tests.drain(..) {
            if !kept.iter().any(|other| other.iter().all(|test| one.contains(test))) {
                kept.push(one);
            }
        }
        *tests = kept;
    }
    for row in clauses.iter_mut() {
        row.retain(|row| {
            let Some(kept) = by_head.get_mut(&row.head) else { return false };
            let place = kept.iter().position(|tests| *tests == row.tests);
            place.map(|place| kept.swap_remove(place)).is_some()
        });
    }
}

/// The rows of each clause of a predicate.
fn clause_rows(
    grounding: &Grounding<'_>,
    specialized: &Specialized,
    predicate: PredicateId,
) -> Result<Vec<Vec<Row>>, Obstacle> {
    let base = &grounding.theory.base;
    let Some(procedure) = specialized.procedures.iter().find(|one| one.source == predicate) else {
        return Ok(Vec::new());
    };
    let derived = grounding.derived.iter().find(|layout| layout.predicate == predicate);
    let columns = match derived {
        Some(layout) => &layout.columns,
        None => &base.predicate(predicate).domains,
    };
    let rows = procedure.clauses.iter().map(|one| {
        let head: &[Term] = &one.clause.head.args;
        grounding.rows(Grounded { head, columns, body: &one.clause.body })
    });
    rows.collect()
}

pub(super) fn to_word(certainty: Certainty) -> Word {
    match certainty {
        Certainty::Always => Word::Constant(1),
        Certainty::Never => Word::Constant(0),
        Certainty::If(word) => word,
    }
}

pub(super) fn compare(comparison: Comparison, left: Word, right: Word) -> Word {
    Word::Compare(comparison, Box::new(left), Box::new(right))
}
