//! Moves that may be legal, while effects are grounded.
//!
//! In: the rows in which moves of each kind are legal. Out: for the columns of a move that an effect names, the values
//! that they have together in legal moves, and whether an effect can come about where such a move is legal. A knight's
//! move takes a knight with it and nothing else. Invariant: what is left out never happens when a legal move is made.

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_logic::{Atom, Condition, DomainId};
use rulesmith_matching::{Memory, Relation, ValueId};
use rustc_hash::FxHashMap;

use super::build::Builder;
use super::goals::head_columns;
use super::ground::{Dynamic, Grounding, Row, Test, Tested};
use super::optimizations::Optimization;

/// The ways in which moves are legal, by the values of some of their columns.
type Ways<'p> = FxHashMap<Vec<u32>, Vec<&'p [Test]>>;

/// The columns of a kind of move that are asked about.
type Asked = (usize, Vec<bool>);

/// The moves that may be legal.
pub(crate) struct Possible<'p> {
    /// The rows of each kind, where they are known.
    kinds: Vec<Option<&'p Vec<Vec<Row>>>>,
    /// Are effects judged before the move, so that all that makes it legal still holds?
    is_before: bool,
    found: RefCell<FxHashMap<Asked, Rc<Ways<'p>>>>,
}

impl Builder<'_> {
    /// The moves that may be legal, for effects that are judged before the move or after it.
    pub(super) fn possible_moves(&self, is_before: bool) -> Option<Possible<'_>> {
        let is_on = self.optimizations.has(Optimization::ImpossibleMoves);
        if !is_on || self.is_joint || self.waiting.is_some() {
            return None;
        }
        let kinds = (0..self.theory.moves.len()).map(|kind| self.nearly_rows(kind)).collect();
        let is_before = is_before && self.optimizations.has(Optimization::LegalContext);
        Some(Possible { kinds, is_before, found: RefCell::default() })
    }
}

impl<'p> Possible<'p> {
    fn ways(&self, asked: &Asked) -> Option<Rc<Ways<'p>>> {
        let rows = self.kinds[asked.0]?;
        let mut found = self.found.borrow_mut();
        let ways = found.entry(asked.clone()).or_insert_with(|| {
            let mut ways = Ways::default();
            for row in rows.iter().flatten() {
                let values = row.head.iter().zip(&asked.1).filter(|(_, used)| **used);
                let values = values.map(|(value, _)| *value).collect();
                ways.entry(values).or_default().push(&row.tests);
            }
            Rc::new(ways)
        });
        Some(ways.clone())
    }
}

/// A move that a clause names, and the ways in which it is legal.
pub(super) struct Named<'p> {
    used: Vec<bool>,
    ways: Rc<Ways<'p>>,
}

impl<'g> Grounding<'g> {
    /// The move that a clause names: its legal values become facts of the memory and a condition on them.
    pub(super) fn named_move(
        &self,
        dynamics: &[Dynamic<'_>],
        memory: &mut Memory,
    ) -> Option<(Named<'g>, Condition)> {
        let possible = self.possible?;
        let mut moves = dynamics.iter().filter_map(|dynamic| match dynamic {
            Dynamic::Does { kind, atom, used } => Some((*kind, *atom, used)),
            _ => None,
        });
        let (kind, atom, used) = moves.next()?;
        if moves.next().is_some() || !used.contains(&true) {
            return None;
        }
        let ways = possible.ways(&(kind.0, used.clone()))?;
        let columns = head_columns(self.theory, self.theory.move_kind(kind).legal).ok()?;
        let columns: Option<Vec<_>> =
            columns.into_iter().zip(used).filter(|(_, used)| **used).map(|(one, _)| one).collect();
        let columns = columns?;
        let universe = memory.universe().clone();
        let base = &self.theory.base;
        let to_row = |values: &Vec<u32>| -> Option<Vec<ValueId>> {
            let named = values.iter().zip(&columns);
            let value = |(place, domain): (&u32, &DomainId)| {
                base.domain(*domain).values.get_index(*place as usize).map(|one| universe.id(*one))
            };
            named.map(value).collect()
        };
        let rows: Option<Vec<Vec<ValueId>>> = ways.keys().map(to_row).collect();
        let mut rows = rows?;
        // The order of rows is the order of what is made from them.
        rows.sort_unstable();
        let relation = Relation::from_rows(columns.len(), rows.iter().map(Vec::as_slice));
        memory.put(atom.predicate, Rc::new(relation));
        let args = atom.args.iter().zip(used).filter(|(_, used)| **used).map(|(term, _)| *term);
        let condition = Condition::Holds(Atom { predicate: atom.predicate, args: args.collect() });
        Some((Named { used: used.clone(), ways }, condition))
    }

    /// Can the effect come about where the move that it names is legal?
    pub(super) fn may_come_about(&self, named: &Named<'_>, row: &Row) -> bool {
        if !self.possible.is_some_and(|possible| possible.is_before) {
            return true;
        }
        let is_kept = |test: &&Test| match test.tested {
            Tested::Fluent(id, _) => !self.theory.fluent(id).is_transient,
            _ => false,
        };
        let kept: Vec<&Test> = row.tests.iter().filter(is_kept).collect();
        if kept.is_empty() {
            return true;
        }
        let key = |column: usize| {
            let tested = column.checked_sub(1).map_or(Tested::Doer, Tested::Param);
            let test = row.tests.iter().find(|test| test.tested == tested && test.holds);
            test.map(|test| test.key)
        };
        let used = (0..named.used.len()).filter(|column| named.used[*column]);
        let values: Option<Vec<u32>> = used.map(key).collect();
        let Some(ways) = values.and_then(|values| named.ways.get(&values)) else { return true };
        let excludes = |way: &&[Test]| kept.iter().any(|test| self.layout.any_excludes(way, test));
        !ways.iter().all(excludes)
    }
}
