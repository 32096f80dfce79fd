//! What a legal move says about the state it is made in.
//!
//! In: the rows of effects, and the moves that the code is for: all of one role and kind, or those of one leaf.
//! Out: the rows that such a move can bring about, without the tests that hold wherever it is legal. A piece
//! that moves is the mover's own, and it is the mover's turn. Invariant: a row that is left out never holds
//! when one of the moves is made, and a test that is left out always does.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rulesmith_rules::FluentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Builder, number};
use super::by_rows::FluentRows;
use super::carried::Carrying;
use super::effects::Change;
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
    /// What is brought about by rows, as far as that was asked.
    pub(super) by_rows: RefCell<FluentRows>,
    /// What was found for rows.
    found: RefCell<Found>,
    /// For a parameter and others the values that it has in legal moves, as far as that was asked.
    legal: RefCell<LegalByOthers>,
    /// The contexts that say something of a key of a fluent, or of one without keys.
    telling_of: FxHashMap<(FluentId, u32), Vec<usize>>,
    /// What they say of tests, as far as that was asked.
    said: RefCell<FxHashMap<Test, Said>>,
}

/// By the values of other parameters, those that a parameter has in legal moves.
type LegalValues = FxHashMap<Vec<u32>, FxHashSet<u32>>;

/// The same by the parameter and the others.
type LegalByOthers = FxHashMap<(usize, Vec<usize>), Rc<LegalValues>>;

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
        is_some.then(|| Narrow {
            doing: Doing::One(role, kind),
            telling_of: telling_of(self.places.layout, &contexts),
            contexts,
            telling,
            carrying: RefCell::default(),
            by_rows: RefCell::default(),
            found: RefCell::default(),
            legal: RefCell::default(),
            said: RefCell::default(),
        })
    }

    /// What the moves that are made can bring about of these changes, all of which their role and kind allow.
    pub(super) fn narrow_changes<'r>(
        &self,
        rows: impl Iterator<Item = &'r Change>,
        steady: Option<&[bool]>,
    ) -> Vec<Change> {
        let Some(narrow) = &self.narrow else { return rows.cloned().collect() };
        let mut found = narrow.found.borrow_mut();
        let mut changes = Vec::new();
        for (row, key, value) in rows {
            let tests = self.narrowed(narrow, row, steady, &mut found);
            let narrowed = |tests| Row { tests, head: Vec::new(), anchors: Vec::new() };
            changes.extend(tests.map(|tests| (narrowed(tests), *key, *value)));
        }
        if narrow.telling.is_none() {
            narrow.drop_params(&mut changes);
        }
        changes
    }

    /// Leaves out of rows what cannot hold once the move is made.
    pub(super) fn narrow_rows(&self, rows: &mut Vec<Row>) {
        let Some(narrow) = &self.narrow else { return };
        let steady = &self.brought_about(narrow.doing).steady;
        let mut found = narrow.found.borrow_mut();
        rows.retain_mut(|row| match self.narrowed(narrow, row, Some(steady), &mut found) {
            Some(tests) => {
                row.tests = tests;
                true
            }
            None => false,
        });
    }

    /// The tests of a row without those that hold anyway; nothing if it cannot hold. After the step only steady
    /// fluents are as they were.
    fn narrowed(
        &self,
        narrow: &Narrow,
        row: &Row,
        steady: Option<&[bool]>,
        found: &mut Found,
    ) -> Option<Vec<Test>> {
        let is_kept = |id: FluentId| {
            !self.theory.fluent(id).is_transient && steady.is_none_or(|steady| steady[id.0])
        };
        let Found { agreeing, asked } = found;
        let Asked { places, values, kept } = asked;
        places.clear();
        values.clear();
        kept.clear();
        for test in &row.tests {
            match test.tested {
                Tested::Param(place) if test.holds => {
                    places.push(place);
                    values.push(test.key);
                }
                Tested::Fluent(id, _) if is_kept(id) => kept.push(*test),
                _ => {}
            }
        }
        let tells = narrow.telling.filter(|telling| places.contains(telling));
        let agreeing = agreeing_in(agreeing, narrow, places)?.get_mut(&values[..])?;
        let certain = agreeing.certain(narrow, self.places.layout, kept)?;
        let is_open = |test: &&Test| match test.tested {
            Tested::Param(place) if test.holds => tells.is_none_or(|telling| telling == place),
            _ => !certain.contains(test),
        };
        Some(row.tests.iter().filter(is_open).copied().collect())
    }
}

impl Narrow {
    /// Leaves out parameters that no legal move needs to be told apart by.
    fn drop_params(&self, rows: &mut Vec<Change>) {
        let is_param = |test: &&Test| matches!(test.tested, Tested::Param(_));
        let Some((first, ..)) = rows.first() else { return };
        let places: Vec<Tested> =
            first.tests.iter().filter(is_param).map(|test| test.tested).collect();
        for place in places.iter().rev() {
            self.drop_param(*place, rows);
        }
    }

    /// The values that a parameter has in legal moves where others are so.
    fn legal_values(&self, number: usize, others: Vec<usize>) -> Rc<LegalValues> {
        let mut known = self.legal.borrow_mut();
        let found = known.entry((number, others)).or_insert_with_key(|(number, others)| {
            let mut legal = LegalValues::default();
            for (params, _) in &self.contexts {
                let key = others.iter().map(|other| params[*other]).collect();
                legal.entry(key).or_default().insert(params[*number]);
            }
            Rc::new(legal)
        });
        found.clone()
    }

    fn drop_param(&self, place: Tested, rows: &mut Vec<Change>) {
        let (Tested::Param(number), Some(others)) = (place, others_asked(place, rows)) else {
            return;
        };
        let legal = self.legal_values(number, others);
        // Rows that differ in the parameter alone have one number.
        let mut numbers: FxHashMap<Rest<'_>, usize> = FxHashMap::default();
        let (mut legal_of, mut seen) = (Vec::new(), FxHashSet::default());
        let mut n_missing: Vec<usize> = Vec::new();
        let mut number_of = Vec::with_capacity(rows.len());
        for change in rows.iter() {
            let rest = Rest { change, place };
            let number = *numbers.entry(rest).or_insert_with_key(|rest| {
                let params: Vec<u32> = rest.params().map(|(_, value)| value).collect();
                let legal = legal.get(&params);
                legal_of.push(legal);
                n_missing.push(legal.map_or(0, FxHashSet::len));
                n_missing.len() - 1
            });
            let asked = change.0.tests.iter().find(|test| test.tested == place);
            let value = asked.map_or(u32::MAX, |test| test.key);
            let is_legal = legal_of[number].is_some_and(|legal| legal.contains(&value));
            if is_legal && seen.insert((number, value)) {
                n_missing[number] -= 1;
            }
            number_of.push(number);
        }
        if n_missing.iter().any(|n_missing| *n_missing > 0) {
            return;
        }
        let mut is_new = vec![true; n_missing.len()];
        let mut number_of = number_of.into_iter();
        rows.retain_mut(|(row, ..)| {
            row.tests.retain(|test| test.tested != place);
            number_of.next().is_some_and(|number| std::mem::take(&mut is_new[number]))
        });
    }
}

/// The other parameters that rows ask for, if all ask for this one and for the same others, and for no value that
/// must not be.
fn others_asked(place: Tested, rows: &[Change]) -> Option<Vec<usize>> {
    let mut others: Option<Vec<usize>> = None;
    for change in rows {
        let mut params =
            change.0.tests.iter().filter(|test| matches!(test.tested, Tested::Param(_)));
        let is_plain = params.clone().all(|test| test.holds);
        let own = || Rest { change, place }.params().map(|(other, _)| other);
        if !is_plain
            || !params.any(|test| test.tested == place)
            || !own().eq(others.get_or_insert_with(|| own().collect()).iter().copied())
        {
            return None;
        }
    }
    others
}

/// A change without what it asks of a parameter.
#[derive(Clone, Copy)]
struct Rest<'r> {
    change: &'r Change,
    place: Tested,
}

impl<'r> Rest<'r> {
    fn tests(self) -> impl Iterator<Item = &'r Test> {
        self.change.0.tests.iter().filter(move |test| test.tested != self.place)
    }

    /// The parameters that it asks for, and their values.
    fn params(self) -> impl Iterator<Item = (usize, u32)> {
        self.tests().filter_map(|test| match test.tested {
            Tested::Param(place) => Some((place, test.key)),
            _ => None,
        })
    }
}

impl PartialEq for Rest<'_> {
    fn eq(&self, other: &Self) -> bool {
        let ((row, key, value), (other_row, other_key, other_value)) = (self.change, other.change);
        let is_same = (key, value) == (other_key, other_value);
        is_same && row.tests.len() == other_row.tests.len() && self.tests().eq(other.tests())
    }
}

impl Eq for Rest<'_> {}

impl Hash for Rest<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (_, key, value) = self.change;
        (key, value).hash(state);
        self.tests().for_each(|test| test.hash(state));
    }
}

/// What was found for rows: many differ only in what the move changes.
#[derive(Debug, Default)]
struct Found {
    /// For parameters at some places, of which there are few, the contexts that agree in their values.
    agreeing: Vec<(Vec<usize>, ByValues)>,
    asked: Asked,
}

/// The contexts that agree in the values of parameters.
type ByValues = FxHashMap<Vec<u32>, Agreeing>;

/// What a row asks for: its parameters, their values, and what may be known of the state. The room is used again.
#[derive(Debug, Default)]
struct Asked {
    places: Vec<usize>,
    values: Vec<u32>,
    kept: Vec<Test>,
}

/// The contexts by the values of the parameters at some places.
fn agreeing_in<'f>(
    found: &'f mut Vec<(Vec<usize>, ByValues)>,
    narrow: &Narrow,
    places: &[usize],
) -> Option<&'f mut ByValues> {
    let known = found.iter().position(|(own, _)| own == places);
    let number = known.unwrap_or_else(|| {
        let mut by_values = ByValues::default();
        for (context, (params, _)) in narrow.contexts.iter().enumerate() {
            let values = places.iter().map(|place| params[*place]).collect();
            by_values.entry(values).or_default().contexts.push(context);
        }
        found.push((places.to_vec(), by_values));
        found.len() - 1
    });
    found.get_mut(number).map(|(_, by_values)| by_values)
}

/// Contexts that agree in parameters.
#[derive(Debug, Default)]
struct Agreeing {
    contexts: Vec<usize>,
    /// What was found for tests, where there are many contexts.
    known: FxHashMap<Vec<Test>, Option<Vec<Test>>>,
    /// What was found for each test, where there are many contexts: rows ask few tests in many ways.
    judged: FxHashMap<Test, Judged>,
}

/// What contexts say of one test.
#[derive(Debug)]
struct Judged {
    /// Does it hold in all of them?
    is_certain: bool,
    /// A bit for each in which it may hold.
    allowing: Vec<u64>,
}

/// With fewer contexts it is quicker to find out again than to look up.
const FEW_CONTEXTS: usize = 8;

impl Agreeing {
    /// The tests that hold in all contexts; nothing if the tests never hold together.
    fn certain(
        &mut self,
        narrow: &Narrow,
        layout: &StateLayout,
        tests: &[Test],
    ) -> Option<Vec<Test>> {
        if tests.is_empty() {
            return Some(Vec::new());
        }
        if self.contexts.len() < FEW_CONTEXTS {
            return self.judge(narrow, layout, tests);
        }
        if let Some(known) = self.known.get(tests) {
            return known.clone();
        }
        let found = self.judge_by_test(narrow, layout, tests);
        self.known.insert(tests.to_vec(), found.clone());
        found
    }

    /// As [`Self::judge`] does, from what is known of each test.
    fn judge_by_test(
        &mut self,
        narrow: &Narrow,
        layout: &StateLayout,
        tests: &[Test],
    ) -> Option<Vec<Test>> {
        let mut allowing: Option<Vec<u64>> = None;
        let mut certain = Vec::new();
        for test in tests {
            let contexts = &self.contexts;
            let judge = || Judged::new(narrow, layout, contexts, test);
            let judged = self.judged.entry(*test).or_insert_with(judge);
            certain.extend(judged.is_certain.then_some(*test));
            let together = allowing.get_or_insert_with(|| judged.allowing.clone());
            together.iter_mut().zip(&judged.allowing).for_each(|(word, own)| *word &= own);
        }
        allowing?.iter().any(|word| *word != 0).then_some(certain)
    }

    fn judge(&self, narrow: &Narrow, layout: &StateLayout, tests: &[Test]) -> Option<Vec<Test>> {
        let mut certain = tests.to_vec();
        let mut may_hold = false;
        for context in &self.contexts {
            let context = &narrow.contexts[*context].1;
            certain.retain(|test| context.contains(test));
            may_hold = may_hold || !tests.iter().any(|test| layout.any_excludes(context, test));
            if may_hold && certain.is_empty() {
                break;
            }
        }
        may_hold.then_some(certain)
    }
}

impl Judged {
    /// What contexts say of a test.
    fn new(narrow: &Narrow, layout: &StateLayout, contexts: &[usize], test: &Test) -> Self {
        let mut said = narrow.said.borrow_mut();
        let said = said.entry(*test).or_insert_with(|| Said::new(narrow, layout, test));
        let has = |words: &[u64], number: usize| words[number / 64] >> (number % 64) & 1 == 1;
        let mut allowing = vec![0; contexts.len().div_ceil(64)];
        for (place, number) in contexts.iter().enumerate() {
            allowing[place / 64] |= u64::from(!has(&said.denying, *number)) << (place % 64);
        }
        let is_certain = contexts.iter().all(|number| has(&said.saying, *number));
        Self { is_certain, allowing }
    }
}

/// What all contexts say of one test: a bit for each.
#[derive(Debug)]
struct Said {
    /// It cannot hold.
    denying: Vec<u64>,
    /// It holds.
    saying: Vec<u64>,
}

impl Said {
    fn new(narrow: &Narrow, layout: &StateLayout, test: &Test) -> Self {
        let empty = vec![0; narrow.contexts.len().div_ceil(64)];
        let (mut denying, mut saying) = (empty.clone(), empty);
        let mut judge = |number: usize| {
            let context = &narrow.contexts[number].1;
            let (word, bit) = (number / 64, number % 64);
            denying[word] |= u64::from(layout.any_excludes(context, test)) << bit;
            saying[word] |= u64::from(context.contains(test)) << bit;
        };
        // Contexts that are about something else say nothing.
        match subject(layout, test) {
            Some(key) => {
                let telling = narrow.telling_of.get(&key);
                telling.into_iter().flatten().for_each(|number| judge(*number));
            }
            None => (0..narrow.contexts.len()).for_each(judge),
        }
        Self { denying, saying }
    }
}

/// What a test of a fluent is about: others exclude it, or say the same, only if they are about that too.
fn subject(layout: &StateLayout, test: &Test) -> Option<(FluentId, u32)> {
    let Tested::Fluent(id, _) = test.tested else { return None };
    Some((id, if layout.fluent(id).is_scalar() { 0 } else { test.key }))
}

/// The contexts by what they are about, in order.
fn telling_of(
    layout: &StateLayout,
    contexts: &[(Vec<u32>, Vec<Test>)],
) -> FxHashMap<(FluentId, u32), Vec<usize>> {
    let mut telling: FxHashMap<(FluentId, u32), Vec<usize>> = FxHashMap::default();
    for (number, (_, tests)) in contexts.iter().enumerate() {
        for key in tests.iter().filter_map(|test| subject(layout, test)) {
            let numbers = telling.entry(key).or_default();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
    }
    telling
}
