//! What a legal move says about the state it is made in.
//!
//! In: the rows of effects, and the moves that the code is for: all of one role and kind, or those of one leaf.
//! Out: the rows that such a move can bring about, without the tests that hold wherever it is legal. A piece
//! that moves is the mover's own, and it is the mover's turn. Invariant: a row that is left out never holds
//! when one of the moves is made, and a test that is left out always does.

use std::cell::RefCell;
use std::rc::Rc;

use rulesmith_rules::FluentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Builder, number};
use super::by_rows::{ByRows, How};
use super::carried::Carrying;
use super::effects::Assignment;
use super::ground::{Row, Test, Tested};
use super::moves::Leaf;
use super::optimizations::Optimization;
use super::steps::Doing;
use crate::state_layout::StateLayout;

/// The moves that code is made for.
#[derive(Debug)]
pub(super) struct Narrow {
    pub(super) doing: Doing,
    /// For each way in which one of the moves is legal its parameters and all that holds then.
    pub(super) contexts: Vec<(Vec<u32>, Vec<Test>)>,
    /// A parameter that tells the moves apart, so that nothing has to be asked of the others.
    telling: Option<usize>,
    /// What is carried of each fluent, once that was asked.
    pub(super) carrying: RefCell<FxHashMap<FluentId, Rc<Carrying>>>,
    /// What is brought about by rows, in the ways in which that was asked.
    pub(super) by_rows: RefCell<Vec<(How, Rc<ByRows>)>>,
}

/// What makes the moves of roles and kinds legal, as far as it was asked.
pub(super) type Narrows = FxHashMap<(usize, usize), Option<Rc<Narrow>>>;

/// More ways in which a move is legal are not looked at: making code would take too long.
const CONTEXTS_LIMIT: usize = 1 << 15;

impl Builder<'_> {
    /// The moves of a role and kind, or those of a leaf alone.
    pub(super) fn narrow(&self, doing: Doing, leaf: Option<&Leaf>) -> Option<Rc<Narrow>> {
        let Doing::One(role, kind) = doing else { return None };
        if !self.optimizations.has(Optimization::LegalContext) {
            return None;
        }
        let leaf = leaf.filter(|leaf| leaf.is_numbered());
        if leaf.is_some() {
            return self.narrow_to((role, kind), leaf).map(Rc::new);
        }
        let mut known = self.narrows.borrow_mut();
        let made = || self.narrow_to((role, kind), None).map(Rc::new);
        known.entry((role, kind)).or_insert_with(made).clone()
    }

    fn narrow_to(&self, (role, kind): (usize, usize), leaf: Option<&Leaf>) -> Option<Narrow> {
        let legal = self.nearly_rows(kind)?.iter().flatten();
        let moves: Option<FxHashSet<&Vec<u32>>> =
            leaf.map(|leaf| leaf.meaning.moves.values().collect());
        let mut contexts = Vec::new();
        for row in legal.filter(|row| row.head[0] == number(role)) {
            let params = row.head[1..].to_vec();
            if moves.as_ref().is_none_or(|moves| moves.contains(&params)) {
                contexts.push((params, row.tests.clone()));
            }
        }
        let telling = moves.and_then(|moves| {
            let n_params = contexts.first()?.0.len();
            (0..n_params).find(|place| {
                let values: FxHashSet<u32> = moves.iter().map(|params| params[*place]).collect();
                values.len() == moves.len()
            })
        });
        let is_some = (1..=CONTEXTS_LIMIT).contains(&contexts.len());
        let doing = Doing::One(role, kind);
        let (carrying, by_rows) = Default::default();
        is_some.then_some(Narrow { doing, contexts, telling, carrying, by_rows })
    }

    /// Leaves out of assignments what the moves that are made cannot bring about.
    pub(super) fn narrow_assignments(&self, assignments: &mut [Assignment], is_deferred: bool) {
        let Some(narrow) = &self.narrow else { return };
        let steady = is_deferred.then(|| self.steady(narrow.doing));
        let mut found = Found::default();
        for assignment in assignments {
            assignment.rows.retain_mut(|(row, ..)| {
                narrow.doing.allows(row)
                    && self.narrow_row(narrow, row, steady.as_ref(), &mut found)
            });
            if narrow.telling.is_none() {
                narrow.drop_params(&mut assignment.rows);
            }
        }
    }

    /// Leaves out of rows what cannot hold once the move is made.
    pub(super) fn narrow_rows(&self, rows: &mut Vec<Row>) {
        let Some(narrow) = &self.narrow else { return };
        let steady = self.steady(narrow.doing);
        let mut found = Found::default();
        rows.retain_mut(|row| self.narrow_row(narrow, row, Some(&steady), &mut found));
    }

    /// For each fluent, whether a step of this kind leaves it as it is.
    fn steady(&self, doing: Doing) -> Vec<bool> {
        let mut steady = vec![true; self.theory.fluent_ids().count()];
        for one in &self.assignments {
            if one.rows.iter().any(|(row, ..)| doing.allows(row)) {
                steady[one.fluent.0] = false;
            }
        }
        for fluent in &self.looped[0] {
            steady[fluent.0] = false;
        }
        steady
    }

    /// May the row hold? Tests that hold anyway are taken out of it. After the step only steady fluents
    /// are as they were.
    fn narrow_row(
        &self,
        narrow: &Narrow,
        row: &mut Row,
        steady: Option<&Vec<bool>>,
        found: &mut Found,
    ) -> bool {
        let is_kept = |test: &&Test| match test.tested {
            Tested::Fluent(id, _) => {
                !self.theory.fluent(id).is_transient && steady.is_none_or(|steady| steady[id.0])
            }
            _ => false,
        };
        let asked = row.tests.iter().filter_map(|test| match test.tested {
            Tested::Param(place) if test.holds => Some((place, test.key)),
            _ => None,
        });
        let (places, values): (Vec<usize>, Vec<u32>) = asked.unzip();
        let tells = narrow.telling.filter(|telling| places.contains(telling));
        let kept: Vec<Test> = row.tests.iter().filter(is_kept).copied().collect();
        let Some(certain) = found.certain(narrow, self.places.layout, &(places, values, kept))
        else {
            return false;
        };
        row.tests.retain(|test| match test.tested {
            Tested::Param(place) if test.holds => tells.is_none_or(|telling| telling == place),
            _ => !certain.contains(test),
        });
        true
    }
}

/// What else is the same for rows that differ by the parameters they ask for.
type Rest = (Vec<Test>, Vec<u32>, u32, Option<u32>);

impl Narrow {
    /// Leaves out parameters that no legal move needs to be told apart by.
    fn drop_params(&self, rows: &mut Vec<(Row, u32, Option<u32>)>) {
        let is_param = |test: &&Test| matches!(test.tested, Tested::Param(_));
        let Some((first, ..)) = rows.first() else { return };
        let places: Vec<Tested> =
            first.tests.iter().filter(is_param).map(|test| test.tested).collect();
        for place in places.iter().rev() {
            self.drop_param(*place, rows);
        }
    }

    fn drop_param(&self, place: Tested, rows: &mut Vec<(Row, u32, Option<u32>)>) {
        // For each rest of a row the values that it asks for.
        let mut asked: FxHashMap<Rest, FxHashSet<u32>> = FxHashMap::default();
        let mut others: Option<Vec<usize>> = None;
        for (row, key, value) in rows.iter() {
            let Some(test) = row.tests.iter().find(|test| test.tested == place) else { return };
            let rest: Vec<Test> =
                row.tests.iter().filter(|one| one.tested != place).copied().collect();
            let (same, _) = params_of(&rest);
            // All rows must ask for the same parameters, and for no value that must not be.
            let is_plain =
                row.tests.iter().all(|one| one.holds || !matches!(one.tested, Tested::Param(_)));
            if !is_plain || *others.get_or_insert_with(|| same.clone()) != same {
                return;
            }
            let rest = (rest, row.head.clone(), *key, *value);
            asked.entry(rest).or_default().insert(test.key);
        }
        let (Tested::Param(number), Some(others)) = (place, others) else { return };
        // The values that legal moves have where the others are so.
        let mut legal: FxHashMap<Vec<u32>, FxHashSet<u32>> = FxHashMap::default();
        for (params, _) in &self.contexts {
            let key = others.iter().map(|other| params[*other]).collect();
            legal.entry(key).or_default().insert(params[number]);
        }
        let is_all = |(rest, values): (&Rest, &FxHashSet<u32>)| {
            legal.get(&params_of(&rest.0).1).is_none_or(|legal| legal.is_subset(values))
        };
        if !asked.iter().all(is_all) {
            return;
        }
        let mut seen: FxHashSet<Rest> = FxHashSet::default();
        rows.retain_mut(|(row, key, value)| {
            row.tests.retain(|test| test.tested != place);
            seen.insert((row.tests.clone(), row.head.clone(), *key, *value))
        });
    }
}

/// The parameters that tests ask for, and their values.
fn params_of(tests: &[Test]) -> (Vec<usize>, Vec<u32>) {
    let params = tests.iter().filter_map(|test| match test.tested {
        Tested::Param(place) => Some((place, test.key)),
        _ => None,
    });
    params.unzip()
}

/// What is asked of a move and of the state it is made in: parameters by their places, their values, and tests.
type Question = (Vec<usize>, Vec<u32>, Vec<Test>);

/// What was found for rows: many differ only in what the move changes.
#[derive(Default)]
struct Found {
    /// For parameters at some places and their values, the contexts that agree.
    agreeing: FxHashMap<Vec<usize>, FxHashMap<Vec<u32>, Vec<usize>>>,
    certain: FxHashMap<Question, Option<Vec<Test>>>,
}

impl Found {
    /// The tests that hold whenever such a move is made; nothing if they never hold together.
    fn certain(
        &mut self,
        narrow: &Narrow,
        layout: &StateLayout,
        asked: &Question,
    ) -> Option<&[Test]> {
        if !self.certain.contains_key(asked) {
            let found = self.judge(narrow, layout, asked);
            self.certain.insert(asked.clone(), found);
        }
        self.certain[asked].as_deref()
    }

    fn judge(
        &mut self,
        narrow: &Narrow,
        layout: &StateLayout,
        (places, values, tests): &Question,
    ) -> Option<Vec<Test>> {
        let agreeing = self.agreeing(narrow, places, values);
        let contexts = || agreeing.iter().map(|place| &narrow.contexts[*place].1[..]);
        let excludes = |context: &[Test]| {
            let mut tests = tests.iter();
            tests.any(|test| context.iter().any(|other| layout.excludes(other, test)))
        };
        let is_certain = |test: &&Test| contexts().all(|context| context.contains(test));
        let may_hold = contexts().any(|context| !excludes(context));
        may_hold.then(|| tests.iter().filter(is_certain).copied().collect())
    }

    fn agreeing(&mut self, narrow: &Narrow, places: &[usize], values: &[u32]) -> &[usize] {
        let by_values = self.agreeing.entry(places.to_vec()).or_insert_with(|| {
            let mut by_values: FxHashMap<Vec<u32>, Vec<usize>> = FxHashMap::default();
            for (context, (params, _)) in narrow.contexts.iter().enumerate() {
                let values = places.iter().map(|place| params[*place]).collect();
                by_values.entry(values).or_default().push(context);
            }
            by_values
        });
        by_values.get(values).map_or(&[], Vec::as_slice)
    }
}
