//! What can be said before a step about the state after it.
//!
//! In: ground moves, the rows of `continue` and of effects. Out: rows over the state before a move that say
//! after which moves the turn goes on, so that these are found by planes and not one by one; and whether
//! different moves always lead to different states. Paper: metameta, conflict regression, on ground rows.
//! Invariant: what cannot be said exactly is not said at all.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rulesmith_rules::FluentId;
use rustc_hash::FxHashMap;

use super::build::Builder;
use super::effects::Assignment;
use super::even::{Absent, Even};
use super::ground::{Row, Test, Tested};
use super::moves::Meaning;
use super::optimizations::Optimization;
use super::steps::Doing;

/// A row over the state after a step that could come about in more ways than this before it is left to the step: ways
/// multiply test by test.
const WAYS_LIMIT: usize = 1 << 12;

/// A leaf that needs more rows than this to say when turns go on asks after each step: every row would become planes.
const ROWS_LIMIT: usize = 1 << 17;

/// A move that is made: its role, kind and parameters.
#[derive(Clone, Copy, Debug)]
struct Made<'m> {
    role: usize,
    kind: usize,
    params: &'m [u32],
}

/// A fluent at a key.
type Place = (usize, u32);

/// What is known of a move.
struct Known<'k> {
    /// What holds wherever it is legal.
    context: &'k [Test],
    changes: Changes,
}

/// What may be assigned at each place: under which conditions, and which value.
type Changes = BTreeMap<Place, Vec<(Vec<Test>, Option<u32>)>>;

/// For a role, a kind and what numbers mean: after which moves turns go on, if that can be said.
type GoingOn = ((usize, usize, Meaning), Option<Vec<Row>>);

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Regressed {
    going_on: Vec<GoingOn>,
    /// For each role the kinds of moves whose turns are worth the same.
    even: BTreeMap<usize, Rc<Even>>,
    /// For each role whether different moves lead to different states.
    ends_are_apart: BTreeMap<usize, bool>,
    effects: OnceCell<EffectIndex>,
}

/// Rows of effects, by assignment and row: those that ask for a kind of move and for its first parameters, where they
/// do.
type EffectIndex = FxHashMap<[Option<u32>; 3], Vec<(usize, usize)>>;

fn index_effects(assignments: &[Assignment]) -> EffectIndex {
    let mut index = EffectIndex::default();
    for (assignment, Assignment { rows, .. }) in assignments.iter().enumerate() {
        for (place, (row, ..)) in rows.iter().enumerate() {
            let asked = |tested: Tested| {
                let test = row.tests.iter().find(|test| test.tested == tested && test.holds);
                test.map(|test| test.key)
            };
            let key = [Tested::Kind, Tested::Param(0), Tested::Param(1)].map(asked);
            index.entry(key).or_default().push((assignment, place));
        }
    }
    index
}

impl Made<'_> {
    /// What is left of a row's tests when this move is made; nothing if it does not allow the row.
    fn rest(&self, row: &Row) -> Option<Vec<Test>> {
        if !Doing::One(self.role, self.kind).allows(row) {
            return None;
        }
        let mut rest = Vec::new();
        for test in &row.tests {
            match test.tested {
                Tested::Kind | Tested::Doer => {}
                Tested::Param(number) => {
                    if (self.params[number] == test.key) != test.holds {
                        return None;
                    }
                }
                _ => rest.push(*test),
            }
        }
        Some(rest)
    }
}

impl Builder<'_> {
    /// As [`Self::find_going_on`] says, found once.
    pub(super) fn going_on(
        &mut self,
        role: usize,
        kind: usize,
        meaning: &Meaning,
    ) -> Option<Vec<Row>> {
        let is_it = |((own_role, own_kind, own), _): &&GoingOn| {
            (*own_role, *own_kind) == (role, kind) && own == meaning
        };
        if let Some((_, known)) = self.regressed.going_on.iter().find(is_it) {
            return known.clone();
        }
        let is_left_out =
            self.continues.may_hold && !self.optimizations.has(Optimization::StepsThatGoOn);
        let found = if is_left_out { None } else { self.find_going_on(role, kind, meaning) };
        self.regressed.going_on.push(((role, kind, meaning.clone()), found.clone()));
        found
    }

    /// As [`Self::find_even_kinds`] says, found once.
    pub(super) fn even_kinds(&mut self, role: usize) -> Rc<Even> {
        if let Some(known) = self.regressed.even.get(&role) {
            return known.clone();
        }
        let found = Rc::new(self.find_even_kinds(role));
        self.regressed.even.insert(role, found.clone());
        found
    }

    /// As [`Self::find_ends_apart`] says, found once.
    pub(super) fn ends_are_apart(&mut self, role: usize) -> bool {
        if let Some(known) = self.regressed.ends_are_apart.get(&role) {
            return *known;
        }
        let even = self.even_kinds(role);
        let found = self.find_ends_apart(role, &even);
        self.regressed.ends_are_apart.insert(role, found);
        found
    }

    /// For the numbers of a leaf, rows that say after which of the moves they mean the turn goes on; nothing
    /// if that cannot be said.
    fn find_going_on(&self, role: usize, kind: usize, meaning: &Meaning) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        if !self.continues.may_hold {
            return Some(rows);
        }
        let (continues, contexts) = (self.continues.rows.as_ref()?, self.contexts(role, kind)?);
        for (root, params) in &meaning.moves {
            let made = Made { role, kind, params };
            let known = Known { context: contexts.get(params)?, changes: self.changes_of(made) };
            for row in continues {
                let Some(mut rest) = made.rest(row) else { continue };
                // Words first: they are seldom as a row wants them.
                rest.sort_by_key(|test| {
                    self.places.width(test.tested).is_some_and(|_| {
                        !matches!(test.tested, Tested::Fluent(id, _)
                        if self.places.layout.fluent(id).is_scalar())
                    })
                });
                for tests in self.before(&known, &rest)? {
                    rows.push(Row { tests, head: vec![*root], anchors: Vec::new() });
                }
                if rows.len() > ROWS_LIMIT {
                    return None;
                }
            }
        }
        let is_same =
            |one: &mut Row, other: &mut Row| one.head == other.head && one.tests == other.tests;
        rows.dedup_by(is_same);
        Some(rows)
    }

    /// For each move what every row says in which it is legal.
    fn contexts(&self, role: usize, kind: usize) -> Option<FxHashMap<Vec<u32>, Vec<Test>>> {
        let mut contexts: FxHashMap<Vec<u32>, Vec<Test>> = FxHashMap::default();
        let rows = self.legal[kind].as_ref()?.iter().flatten();
        for row in rows.filter(|row| row.head[0] as usize == role) {
            let context =
                contexts.entry(row.head[1..].to_vec()).or_insert_with(|| row.tests.clone());
            context.retain(|test| row.tests.contains(test));
        }
        Some(contexts)
    }

    /// The ways in which tests of the state after a move can hold, as tests of the state before it.
    fn before(&self, known: &Known<'_>, tests: &[Test]) -> Option<Vec<Vec<Test>>> {
        let layout = self.places.layout;
        let exclude = |some: &[Test], others: &[Test]| {
            some.iter().any(|one| others.iter().any(|other| layout.excludes(one, other)))
        };
        let mut ways: Vec<Vec<Test>> = vec![Vec::new()];
        for test in tests {
            let mut branches = self.before_test(known, test)?;
            branches.retain(|branch| !exclude(branch, branch) && !exclude(branch, known.context));
            if branches.is_empty() {
                return Some(Vec::new());
            }
            let mut longer = Vec::new();
            for way in &ways {
                for branch in branches.iter().filter(|branch| !exclude(way, branch)) {
                    let mut both: Vec<Test> = way.iter().chain(branch).copied().collect();
                    both.sort_unstable();
                    both.dedup();
                    longer.push(both);
                }
                if longer.len() > WAYS_LIMIT {
                    return None;
                }
            }
            ways = longer;
        }
        Some(ways)
    }

    /// The ways in which one test of the state after a move can hold.
    fn before_test(&self, known: &Known<'_>, test: &Test) -> Option<Vec<Vec<Test>>> {
        let Tested::Fluent(id, value) = test.tested else { return None };
        if self.looped[0].contains(&id) {
            return None;
        }
        let layout = self.places.layout.fluent(id);
        let (key, wanted) = if layout.is_scalar() { (0, test.key) } else { (test.key, value) };
        // Whoever has keys and is assigned nothing has no value at all.
        let has_it = |new: Option<u32>| match new {
            Some(value) => value == wanted,
            None => layout.is_scalar() && layout.no_value() == wanted,
        };
        let mut ways = Vec::new();
        let mut conditions: Vec<Vec<Test>> = Vec::new();
        for (rest, new) in known.changes.get(&(id.0, key)).into_iter().flatten() {
            let is_so = has_it(*new) == test.holds;
            if is_so {
                ways.push(rest.clone());
            }
            if rest.is_empty() {
                return Some(if is_so { vec![Vec::new()] } else { Vec::new() });
            }
            conditions.push(rest.clone());
        }
        let reset = self.resets().into_iter().find(|reset| reset.fluent == id);
        let mut unchanged = match reset {
            None => vec![*test],
            Some(reset) => {
                if has_it(reset.default) != test.holds {
                    return Some(ways);
                }
                Vec::new()
            }
        };
        if unchanged
            .iter()
            .any(|one| known.context.iter().any(|other| self.places.layout.excludes(one, other)))
        {
            return Some(ways);
        }
        for condition in conditions {
            // Nothing is assigned: each condition fails, which is a test only if it is one.
            let [only] = condition[..] else { return None };
            unchanged.push(Test { holds: !only.holds, ..only });
        }
        ways.push(unchanged);
        Some(ways)
    }

    /// What a step may assign where: under which conditions, and which value. Fluents without keys are at
    /// key zero.
    fn changes_of(&self, made: Made<'_>) -> Changes {
        let mut changes = Changes::new();
        let index = self.regressed.effects.get_or_init(|| index_effects(&self.assignments));
        let param = |place: usize| made.params.get(place).copied();
        let own = [u32::try_from(made.kind).ok(), param(0), param(1)];
        let asked = |which: usize, place: usize| own[place].filter(|_| which >> place & 1 == 1);
        let keys: BTreeSet<[Option<u32>; 3]> =
            (0..8).map(|which| [0, 1, 2].map(|place| asked(which, place))).collect();
        let mut places: Vec<(usize, usize)> =
            keys.iter().filter_map(|key| index.get(key)).flatten().copied().collect();
        places.sort_unstable();
        for (assignment, row) in places {
            let Assignment { fluent, rows, .. } = &self.assignments[assignment];
            let (row, key, value) = &rows[row];
            let Some(rest) = made.rest(row) else { continue };
            let is_scalar = self.places.layout.fluent(*fluent).is_scalar();
            let place = (fluent.0, if is_scalar { 0 } else { *key });
            changes.entry(place).or_default().push((rest, *value));
        }
        changes
    }

    /// Do different single steps of a role, which end its turn and need not be compared, always lead to different states?
    fn find_ends_apart(&self, role: usize, even: &Even) -> bool {
        let mut groups: BTreeMap<Vec<Place>, Vec<Left<'_>>> = BTreeMap::new();
        if self.looped.iter().any(|looped| !looped.is_empty()) {
            return false;
        }
        for (kind, absent) in even {
            let Some(clauses) = &self.legal[*kind] else { return false };
            let effects = self.effects_by_move((role, *kind), absent);
            for row in clauses.iter().flatten().filter(|row| row.head[0] as usize == role) {
                let Some((places, values)) = self.surely_changed(row, &effects) else {
                    return false;
                };
                groups.entry(places).or_default().push((*kind, row, values));
            }
        }
        groups.values().all(|group| {
            group.len() <= GROUP_LIMIT
                && group.iter().enumerate().all(|(place, one)| {
                    group[place + 1..].iter().all(|other| self.leads_elsewhere(one, other))
                })
        })
    }

    /// Two moves that change the same places: do they leave something else, or never meet?
    fn leads_elsewhere(
        &self,
        (kind, row, values): &Left<'_>,
        (other_kind, other, other_values): &Left<'_>,
    ) -> bool {
        let excludes =
            |one: &Test| other.tests.iter().any(|other| self.places.layout.excludes(one, other));
        (kind == other_kind && row.head == other.head)
            || values != other_values
            || row.tests.iter().any(excludes)
    }

    /// The effect rows on fluents with keys that ask for nothing absent, by the parameters of the legal moves of a kind. Those at
    /// the end of the turn ask about another state than legality does.
    fn effects_by_move(
        &self,
        (role, kind): (usize, usize),
        absent: &Absent,
    ) -> FxHashMap<Vec<u32>, Vec<Changed>> {
        let steady = self.left_alone(Doing::One(role, kind));
        let is_known = |test: &Test| match test.tested {
            Tested::Fluent(id, _) => steady.contains(&id),
            _ => false,
        };
        let heads = self.legal[kind].iter().flatten().flatten().map(|row| &row.head);
        let mut effects: FxHashMap<Vec<u32>, Vec<Changed>> = FxHashMap::default();
        for head in heads.filter(|head| head[0] as usize == role) {
            effects.entry(head[1..].to_vec()).or_insert_with_key(|params| {
                let made = Made { role, kind, params };
                let mut changed = Vec::new();
                let now = self.assignments.iter().map(|one| (one, false));
                for (one, is_late) in now.chain(self.deferred.iter().map(|one| (one, true))) {
                    if self.places.layout.fluent(one.fluent).is_scalar() {
                        continue;
                    }
                    for (row, key, value) in &one.rows {
                        let Some(mut tests) = made.rest(row) else { continue };
                        if absent.denies(&tests) {
                            continue;
                        }
                        let n_tests = tests.len();
                        tests.retain(|test| !is_late || is_known(test));
                        let is_sure = tests.len() == n_tests;
                        changed.push(Changed {
                            tests,
                            is_sure,
                            place: (one.fluent.0, *key),
                            value: *value,
                        });
                    }
                }
                changed
            });
        }
        effects
    }

    /// The places at which a legal move changes the state, with the values it leaves; nothing if that is
    /// not certain.
    fn surely_changed(
        &self,
        row: &Row,
        effects: &FxHashMap<Vec<u32>, Vec<Changed>>,
    ) -> Option<(Vec<Place>, Vec<u32>)> {
        let mut after: BTreeMap<Place, u32> = BTreeMap::new();
        for Changed { tests, is_sure, place, value } in effects.get(&row.head[1..])? {
            let layout = self.places.layout;
            let fails = |test: &Test| row.tests.iter().any(|own| layout.excludes(own, test));
            if tests.iter().any(fails) {
                continue;
            }
            // A step takes values of transient fluents from all keys.
            let is_kept = !self.theory.fluent(FluentId(place.0)).is_transient;
            let is_sure = *is_sure && is_kept && tests.iter().all(|test| row.tests.contains(test));
            let before = row.tests.iter().find_map(|test| match test.tested {
                Tested::Fluent(id, value) if (id.0, test.key) == *place && test.holds => {
                    Some(value)
                }
                _ => None,
            });
            let value = value.unwrap_or(u32::MAX);
            let is_new = |test: &Test| {
                let (tested, key) = (Tested::Fluent(FluentId(place.0), value), place.1);
                *test == Test { tested, key, holds: false }
            };
            let changes = before.map_or(row.tests.iter().any(is_new), |before| before != value);
            if !is_sure || !changes {
                return None;
            }
            if after.insert(*place, value).is_some_and(|other| other != value) {
                return None;
            }
        }
        (!after.is_empty()).then(|| after.into_iter().unzip())
    }
}

/// An effect: where, and what is there afterwards.
#[derive(Clone, Debug)]
struct Changed {
    /// What it asks for of the state before the move.
    tests: Vec<Test>,
    /// Does it ask for nothing else?
    is_sure: bool,
    place: Place,
    value: Option<u32>,
}

/// A move by its kind and a row in which it is legal, with the values that it leaves.
type Left<'r> = (usize, &'r Row, Vec<u32>);

/// More moves than this with the same places are not compared pair by pair.
const GROUP_LIMIT: usize = 256;
