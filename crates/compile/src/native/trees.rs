//! Procedures as loops, where ground rows do not do.
//!
//! In: the condition trees of a specialised game. Out: truths, values, leaves and planes that the rest of the
//! builder uses as if rows had made them. Invariant: derived predicates that a tree asks about are in their
//! words of the state before it reads them.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Array, Statement, Word};
use rulesmith_logic::{Condition, PredicateId, Term, Value};
use rulesmith_matching::{Node, Procedure};
use rulesmith_rules::{FluentId, PredicateKind};

use super::Obstacle;
use super::build::Builder;
use super::effects::Reset;
use super::emit::Emitter;
use super::fans::List;
use super::goals::head_columns;
use super::ground::{Test, Tested};
use super::loops::{Held, Lowering, Pending, Places, Stored};
use super::moves::{Found, Leaf, Meaning};
use super::static_matches::most_heads;

/// Kinds with more moves than this have no plane of their own.
const LEAF_LIMIT: u32 = 1 << 16;

/// Of kinds with more, at most so many moves may be legal in a state, by the static facts: they are listed.
const LIST_ROOM: u64 = 1 << 17;

/// Where predicates are called, so that unfolding is no way out, lists have room for every conceivable move of so many.
const CALLED_ROOM: u64 = 1 << 20;

/// A move is compared with all others of a list with room for at most so many; in longer ones its place is looked up.
const FEW_LISTED: u32 = 1 << 12;

/// The numbers of listed moves are below this.
const NUMBERS_LIMIT: u64 = 1 << 62;

impl<'b> Builder<'b> {
    /// The first procedure of a predicate.
    pub(super) fn procedure(&self, predicate: PredicateId) -> Option<&'b Procedure> {
        let mut all = self.specialized.procedures.iter();
        all.find(|one| one.source == predicate).map(|one| &one.procedure)
    }

    /// Works with a tree once all that it asks about is computed.
    pub(super) fn lower<T>(
        &mut self,
        emitter: &mut Emitter<'b>,
        procedure: &Procedure,
        work: impl FnOnce(&mut Lowering<'_, 'b>) -> Result<T, Obstacle>,
    ) -> Result<T, Obstacle> {
        self.store_for(emitter, &procedure.tree.roots)?;
        let mut lowering = Lowering::new(&self.setting, emitter, &mut self.tables, &mut self.spare);
        lowering.doing.clone_from(&self.making);
        work(&mut lowering)
    }

    /// Whether a procedure concludes anything.
    pub(super) fn tree_flag(
        &mut self,
        emitter: &mut Emitter<'b>,
        predicate: PredicateId,
    ) -> Result<Word, Obstacle> {
        let Some(procedure) = self.procedure(predicate) else { return Ok(Word::Constant(0)) };
        self.lower(emitter, procedure, |lowering| Ok(lowering.flag(&procedure.tree, &[])?.into()))
    }

    /// The moves of one kind.
    pub(super) fn tree_leaf(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
    ) -> Result<Option<Leaf>, Obstacle> {
        let predicate = self.theory.moves[kind].legal;
        let Some(procedure) = self.procedure(predicate) else { return Ok(None) };
        let inputs = self.role_input(procedure, role)?;
        let sizes = self.param_sizes(kind)?;
        let n_moves = sizes.iter().try_fold(1_u64, |all, size| all.checked_mul((*size).into()));
        let n_moves = n_moves.filter(|n_moves| *n_moves < NUMBERS_LIMIT);
        let n_moves = n_moves.ok_or_else(|| Obstacle::new("too many moves of one kind"))?;
        self.find_untouched(emitter, (role, kind))?;
        let few = u32::try_from(n_moves).ok().filter(|n_moves| *n_moves <= LEAF_LIMIT);
        let Some(n_moves) = few else {
            let room = self.room_for_moves((kind, n_moves))?;
            let list = self.listed(emitter, (role, kind), (procedure, room))?;
            return Ok(Some(Leaf::of_found(kind, Found::List(list))));
        };
        let columns = head_columns(self.theory, predicate)?;
        let stored = Stored::of_moves(&columns, n_moves, self.spare.next)?;
        self.spare.take(stored.n_words());
        self.lower(emitter, procedure, |lowering| {
            lowering.clear(&stored);
            lowering.fill(&procedure.tree, &inputs, &stored)
        })?;
        let mut moves: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for root in 0..n_moves {
            let mut rest = root;
            let places = sizes.iter().map(|size| {
                let place = rest % size;
                rest /= size;
                place
            });
            moves.insert(root, places.collect());
        }
        let (set, width) = stored.whole();
        Ok(Some(Leaf::of_set(kind, set, Meaning { width, moves })))
    }

    /// Room for the moves of a kind that may be legal in one state, of so many conceivable ones.
    fn room_for_moves(&self, (kind, n_moves): (usize, u64)) -> Result<u32, Obstacle> {
        let is_called = !self.specialized.called.is_empty();
        let room = if is_called && n_moves <= CALLED_ROOM {
            n_moves
        } else {
            let predicate = self.theory.moves[kind].legal;
            let mut all = self.specialized.procedures.iter();
            let clauses =
                all.find(|one| one.source == predicate).map_or(&[][..], |one| &one.clauses);
            let each = clauses.iter().map(|one| most_heads(self.setting.knowledge, &one.clause));
            let all = each.collect::<Option<Vec<u64>>>();
            let all = all.map(|all| all.into_iter().fold(0, u64::saturating_add));
            all.filter(|all| *all <= LIST_ROOM).ok_or_else(|| {
                Obstacle::new(format!("perhaps more than {LIST_ROOM} moves of one kind in a state"))
            })?
        };
        u32::try_from(room).map_err(|_| Obstacle::new("too many moves of one kind"))
    }

    /// The moves of one kind that some of its clauses find, where what these ask for is so. So many at most there
    /// can be.
    pub(super) fn odd_leaf(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
        (clauses, n_moves): (&BTreeSet<usize>, u32),
    ) -> Result<Option<Leaf>, Obstacle> {
        let predicate = self.theory.moves[kind].legal;
        let Some(whole) = self.procedure(predicate) else { return Ok(None) };
        let mut procedure = whole.clone();
        keep_clauses(&mut procedure.tree.roots, clauses);
        let plan = self.fan_plans[role].clone().filter(|plan| plan.is_attack);
        if plan.is_some() {
            drop_after(&mut procedure.tree.roots);
        }
        self.find_untouched(emitter, (role, kind))?;
        let list = self.listed(emitter, (role, kind), (&procedure, n_moves))?;
        if let Some(plan) = plan {
            self.keep_unattacked(emitter, (role, kind), (&plan, &list))?;
        }
        Ok(Some(Leaf::of_found(kind, Found::List(list))))
    }

    /// The moves that some clauses of a kind find and that are legal but for what is asked about the state after them. So
    /// many at most there can be.
    pub(super) fn nearly_legal_leaf(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
        (clauses, n_moves): (&BTreeSet<usize>, u32),
    ) -> Result<Option<Leaf>, Obstacle> {
        let Some(whole) = self.procedure(self.theory.moves[kind].legal) else { return Ok(None) };
        let mut procedure = whole.clone();
        keep_clauses(&mut procedure.tree.roots, clauses);
        drop_after(&mut procedure.tree.roots);
        let list = self.listed(emitter, (role, kind), (&procedure, n_moves))?;
        Ok(Some(Leaf { is_sure: false, ..Leaf::of_found(kind, Found::List(list)) }))
    }

    /// The moves that a procedure finds, as a list with room for so many.
    fn listed(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
        (procedure, room): (&Procedure, u32),
    ) -> Result<List, Obstacle> {
        let inputs = self.role_input(procedure, role)?;
        let columns = head_columns(self.theory, self.theory.moves[kind].legal)?;
        let offset = self.spare.take(room.max(1));
        let rows = Array { offset, width: 1, n_rows: room.max(1) };
        let is_long = room > FEW_LISTED && u64::from(room) <= LIST_ROOM;
        let places = is_long.then(|| Places::new(rows, self.spare.next));
        self.spare.take(places.map_or(0, |places| places.n_words()));
        let (n_moves, sizes) = (emitter.let_word(Word::Constant(0)), self.param_sizes(kind)?);
        let list = List { rows, n_moves, sizes, places };
        let may_begin = self.may_begin(&procedure.tree.roots);
        let (statements, done) = emitter.block(|emitter| {
            self.lower(emitter, procedure, |lowering| {
                lowering.list(&procedure.tree, &inputs, (&list, &columns))
            })
        });
        done?;
        emitter.push(Statement::If(may_begin, statements, Vec::new()));
        Ok(list)
    }

    /// Not zero if fluents without keys have values where every way through a tree asks for one.
    fn may_begin(&self, roots: &[Node]) -> Word {
        let mut asked: Option<BTreeSet<usize>> = None;
        for root in roots {
            let own = self.values_asked(root);
            asked = Some(match asked {
                None => own,
                Some(asked) => asked.intersection(&own).copied().collect(),
            });
        }
        let has_value = |id: usize| {
            let layout = self.places.layout.fluent(FluentId(id));
            let none = u64::from(layout.no_value());
            Word::State(layout.offset).compare(rulesmith_kernel::Comparison::Unequal, none)
        };
        let words = asked.unwrap_or_default().into_iter().map(has_value);
        words.reduce(|all, word| all & word).unwrap_or(Word::Constant(1))
    }

    /// The fluents without keys that every way through a node asks for a value.
    fn values_asked(&self, node: &Node) -> BTreeSet<usize> {
        let Node::Condition { condition, children } = node else { return BTreeSet::new() };
        let mut below: Option<BTreeSet<usize>> = None;
        for child in children {
            let own = self.values_asked(child);
            below = Some(match below {
                None => own,
                Some(below) => below.intersection(&own).copied().collect(),
            });
        }
        let mut asked = below.unwrap_or_default();
        if let Condition::Holds(atom) = condition
            && let Some(PredicateKind::Fluent(id)) =
                self.theory.kinds.get(atom.predicate.0 as usize)
            && self.places.layout.fluent(*id).is_scalar()
        {
            asked.insert(id.0);
        }
        asked
    }

    /// Judges what a step, or the end of a turn, assigns to a fluent; nothing of the state changes.
    pub(super) fn judge_assignment(
        &mut self,
        emitter: &mut Emitter<'b>,
        fluent: FluentId,
        is_deferred: bool,
    ) -> Result<Option<Pending>, Obstacle> {
        let described = self.theory.fluent(fluent);
        let predicate = if is_deferred { described.deferred } else { described.assign };
        let Some(procedure) = self.procedure(predicate) else { return Ok(None) };
        self.lower(emitter, procedure, |lowering| lowering.judge_assignment(fluent, is_deferred))
    }

    /// Ends the kernel if what was judged gives two values.
    pub(super) fn stop_at_conflict(&mut self, emitter: &mut Emitter<'b>, pending: &Pending) {
        let spare = &mut self.spare;
        Lowering::new(&self.setting, emitter, &mut self.tables, spare).stop_at_conflict(pending);
    }

    /// Carries out what was judged.
    pub(super) fn carry_out(&mut self, emitter: &mut Emitter<'b>, pending: &Pending) {
        let spare = &mut self.spare;
        Lowering::new(&self.setting, emitter, &mut self.tables, spare).carry_out(pending);
    }

    /// Puts a transient fluent back to its default.
    pub(super) fn reset(&mut self, emitter: &mut Emitter<'b>, reset: Reset) {
        let spare = &mut self.spare;
        Lowering::new(&self.setting, emitter, &mut self.tables, spare).reset(reset);
    }

    /// The role is the first argument, and known.
    pub(super) fn role_input(
        &self,
        procedure: &Procedure,
        role: usize,
    ) -> Result<Vec<Held>, Obstacle> {
        let is_role_known = procedure.known.first() == Some(&true);
        let n_known = procedure.known.iter().filter(|known| **known).count();
        if !is_role_known || n_known != 1 {
            return Err(Obstacle::new("a question that does not begin with a role"));
        }
        Ok(vec![Held::Fixed(Value::Symbol(self.theory.roles[role]))])
    }

    /// The tests of words that a role's moves of one kind all need.
    pub(super) fn tree_guard(&self, role: usize, kind: usize) -> Vec<Test> {
        let Some(procedure) = self.procedure(self.theory.moves[kind].legal) else {
            return Vec::new();
        };
        let input = procedure.tree.inputs.first().map(|var| Term::Var(*var));
        let role = Value::Symbol(self.theory.roles[role]);
        let known = |term: &Term| match term {
            Term::Value(value) => Some(*value),
            term @ Term::Var(_) => (Some(*term) == input).then_some(role),
        };
        self.common_tests(&procedure.tree.roots, &known)
    }

    /// The tests of words on every way through a tree.
    fn common_tests(&self, nodes: &[Node], known: &dyn Fn(&Term) -> Option<Value>) -> Vec<Test> {
        let mut common: Option<Vec<Test>> = None;
        for node in nodes {
            let own = match node {
                Node::Conclusion { .. } => Vec::new(),
                Node::Condition { condition, children } => {
                    let mut own = self.common_tests(children, known);
                    own.extend(self.word_test(condition, known));
                    own
                }
            };
            common = Some(match common {
                None => own,
                Some(common) => common.into_iter().filter(|test| own.contains(test)).collect(),
            });
        }
        common.unwrap_or_default()
    }

    fn word_test(
        &self,
        condition: &Condition,
        known: &dyn Fn(&Term) -> Option<Value>,
    ) -> Option<Test> {
        let Condition::Holds(atom) = condition else { return None };
        let PredicateKind::Fluent(id) = self.theory.kinds.get(atom.predicate.0 as usize)? else {
            return None;
        };
        let layout = self.places.layout.fluent(*id);
        let (true, Some(domain), [value]) = (layout.is_scalar(), layout.values, &*atom.args) else {
            return None;
        };
        let key = crate::state_layout::place(&self.theory.base, domain, known(value)?)?;
        Some(Test { tested: Tested::Fluent(*id, 0), key, holds: true })
    }
}

/// Leaves in a tree the ways that lead to some clauses.
fn keep_clauses(nodes: &mut Vec<Node>, clauses: &BTreeSet<usize>) {
    nodes.retain_mut(|node| match node {
        Node::Conclusion { clause, .. } => clauses.contains(clause),
        Node::Condition { children, .. } => {
            keep_clauses(children, clauses);
            !children.is_empty()
        }
    });
}

/// Leaves out what a tree asks about the state after a move.
fn drop_after(nodes: &mut Vec<Node>) {
    let all = std::mem::take(nodes);
    for node in all {
        match node {
            Node::Condition { condition: Condition::Elsewhere { .. }, mut children } => {
                drop_after(&mut children);
                nodes.append(&mut children);
            }
            Node::Condition { condition, mut children } => {
                drop_after(&mut children);
                nodes.push(Node::Condition { condition, children });
            }
            conclusion @ Node::Conclusion { .. } => nodes.push(conclusion),
        }
    }
}
