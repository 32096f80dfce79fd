//! Lazy mining: metarules learned from the clauses that are being unfolded.
//!
//! In: the static conditions of a clause. Out: if they never hold, a smallest set of them that never
//! holds, generalized; if one of them always holds beside the others, a smallest set that says so.
//! Paper: metameta §3.1, §3.2. Invariant: every answer was decided by matching against the complete
//! facts; a set is minimal, no condition of it can be left out; the same set of conditions, in any
//! order and under any names, is tried once and gives the same metarule.
// DIVERGENCE metameta §3.1: the paper only drops conditions; constants that do not matter become
// variables here and variables that need not be the same are split, so a metarule applies more often.

use std::collections::BTreeSet;

use rulesmith_logic::{Comparison, Condition, Expr, Term, Value, Var, condition_vars, has_var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::canonical::{Canonical, Key, Sign, canonical, plain_key};
use super::claim::{Claim, Dependency, split_variable, widen_constant};
use super::dependency::{Consequence, Metarule, Origin, Proof};
use crate::static_facts::{StaticFacts, TEST_ROWS_LIMIT, own_vars};

/// How a set of conditions is made minimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimization {
    /// One condition after the other is left out, as in the paper.
    OneByOne,
    /// Halves are left out first (`QuickXplain`): fewer tests where few of many conditions matter.
    Halves,
    /// Halves for sets of more conditions than this, one by one below.
    HalvesAbove(usize),
}

/// Learns metarules from clauses, and remembers what it tried.
#[derive(Debug)]
pub struct LazyMiner<'f> {
    facts: &'f StaticFacts,
    minimization: Minimization,
    memo: FxHashMap<Key, Option<Metarule>>,
    /// Plain keys of components that nothing refutes.
    possible: FxHashSet<Key>,
    /// Plain keys of what does not follow, with what it would follow from.
    needed: FxHashSet<Key>,
    n_tests: usize,
    n_remembered: usize,
    /// Rows that tests of these facts had looked at before.
    n_rows_before: u64,
    /// Rows that the last test looked at.
    n_rows_of_test: u64,
}

/// Is a condition of a clause useless beside the others?
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The conditions of the clause.
    pub body: &'q [Condition],
    /// Which of them is asked about.
    pub place: usize,
    /// The variables that also occur outside, in the head.
    pub outside: &'q [Var],
}

/// Sets above this size are halved.
// DIVERGENCE spec: the design says eight, but its own examples of nine and eleven conditions take
// fewer tests one by one (10 and 12), because most of their conditions matter.
const HALVES_ABOVE: usize = 12;

/// Bodies of more static conditions than this teach nothing: making them minimal takes as many searches
/// as they have conditions, and what was mined before applies to them all the same.
const LARGEST_BODY: usize = 64;

/// A test whether a wider claim holds may look at so many rows. Claims get wider by losing what joins
/// their conditions, so that searches get long, and a claim that is not widened is no less true.
const WIDER_ROWS: u64 = 4_000;

/// Rows that the tests of one miner should look at in all. What is not decided by then is a
/// simplification missed, and one that takes so long is seldom worth it.
const ALL_ROWS: u64 = 4_000_000;

/// A part of what was proved may take so many times the rows.
const PARTS_FACTOR: u64 = 4;

/// A test leaves as much for so many others.
const TESTS_TO_COME: u64 = 8;

impl<'f> LazyMiner<'f> {
    /// A miner of these facts that has tried nothing yet.
    pub fn new(facts: &'f StaticFacts) -> Self {
        Self::with_minimization(facts, Minimization::HalvesAbove(HALVES_ABOVE))
    }

    /// A miner that minimizes in a chosen way.
    pub fn with_minimization(facts: &'f StaticFacts, minimization: Minimization) -> Self {
        let (memo, n_rows_before) = (FxHashMap::default(), facts.n_rows());
        let (possible, needed) = Default::default();
        Self {
            facts,
            minimization,
            memo,
            possible,
            needed,
            n_tests: 0,
            n_remembered: 0,
            n_rows_before,
            n_rows_of_test: 0,
        }
    }

    /// How many rows the next test may look at: the more were looked at so far, the fewer.
    fn rows(&self) -> u64 {
        let spent = self.facts.n_rows() - self.n_rows_before;
        (ALL_ROWS.saturating_sub(spent) / TESTS_TO_COME).clamp(WIDER_ROWS, TEST_ROWS_LIMIT)
    }

    /// How many rows a test of a part of what was just proved may look at: a part that takes much longer
    /// is no better to know.
    fn rows_for_parts(&self) -> u64 {
        self.rows().min(WIDER_ROWS.max(PARTS_FACTOR * self.n_rows_of_test))
    }

    /// How many match tests were made.
    pub fn n_tests(&self) -> usize {
        self.n_tests
    }

    /// How many questions were answered from memory.
    pub fn n_remembered(&self) -> usize {
        self.n_remembered
    }

    /// If the static conditions among these never hold together, the reason as a metarule.
    pub fn refute(&mut self, conditions: &[Condition]) -> Option<Metarule> {
        let fixed: Vec<&Condition> =
            conditions.iter().filter(|part| self.facts.decides(part)).collect();
        if fixed.len() > LARGEST_BODY {
            return None;
        }
        let mut components: Vec<(Key, Canonical)> = Vec::new();
        for component in self::components(&fixed) {
            let key = plain_key(&component);
            // Most components are those of the body that this one was unfolded from.
            if self.possible.contains(&key) {
                self.n_remembered += 1;
            } else {
                components.push((key, canonical(&component, &Consequence::Impossible)));
            }
        }
        components.sort_by(|(_, left), (_, right)| {
            (left.body.len(), &left.key).cmp(&(right.body.len(), &right.key))
        });
        components.into_iter().find_map(|(key, Canonical { body, key: form, .. })| {
            let found = self.remembered(form, |miner| miner.refute_component(&body));
            if found.is_none() {
                self.possible.insert(key);
            }
            found
        })
    }

    /// If the condition always holds, or always has a match, beside the static ones of the others:
    /// the reason as a metarule.
    pub fn useless(&mut self, question: Question<'_>) -> Option<Metarule> {
        let (consequence, mut support) = self.prepare(question)?;
        let n_support = support.len();
        support.extend(consequence.as_condition());
        let mut plain = plain_key(&support);
        plain.push(Sign::Shape(consequence.kind()));
        if self.needed.contains(&plain) {
            self.n_remembered += 1;
            return None;
        }
        let form = canonical(&support[..n_support], &consequence);
        let found =
            self.remembered(form.key.clone(), |miner| miner.support(&form.body, &form.consequence));
        if found.is_none() {
            self.needed.insert(plain);
        }
        found
    }

    fn remembered(
        &mut self,
        key: Key,
        work: impl FnOnce(&mut Self) -> Option<Metarule>,
    ) -> Option<Metarule> {
        if let Some(known) = self.memo.get(&key) {
            self.n_remembered += 1;
            return known.clone();
        }
        let found = work(self);
        self.memo.insert(key, found.clone());
        found
    }

    fn refute_component(&mut self, body: &[Condition]) -> Option<Metarule> {
        let before = self.n_tests;
        let mut claim = Claim::impossible(self.rows());
        // What hangs on a cycle makes searches longer and is rarely the reason.
        let cycles = without_dangling(body);
        let inner = if cycles.is_empty() || cycles.len() == body.len() {
            None
        } else {
            self.part_that_proves(&cycles, &claim)
        };
        let tried = inner.or_else(|| self.part_that_proves(body, &claim))?;
        claim.rows = self.rows_for_parts();
        let core = self.minimize(&tried, &claim);
        let tests = self.n_tests - before;
        let (core, claim) = self.generalize(core, claim);
        let origin = Origin::Clause { conditions: body.len(), tests };
        Some(Metarule::new(&core, &claim.consequence, Proof::Static(self.facts.digest()), origin))
    }

    /// The consequence that is asked about and the static conditions that can bear on it.
    fn prepare(&self, question: Question<'_>) -> Option<(Consequence, Vec<Condition>)> {
        let condition = question.body.get(question.place)?;
        if !self.facts.decides(condition) {
            return None;
        }
        let others = || {
            let is_other = |(place, _): &(usize, &Condition)| *place != question.place;
            question.body.iter().enumerate().filter(is_other).map(|(_, part)| part)
        };
        let used: BTreeSet<Var> =
            others().flat_map(condition_vars).chain(question.outside.iter().copied()).collect();
        let own = own_vars(condition);
        let has_free = own.iter().any(|var| !used.contains(var));
        let fixed: Vec<&Condition> = others().filter(|part| self.facts.decides(part)).collect();
        if fixed.len() > LARGEST_BODY {
            return None;
        }
        let mut support = Vec::new();
        for component in components(&fixed) {
            let vars: BTreeSet<Var> = component.iter().flat_map(condition_vars).collect();
            if !vars.is_disjoint(&own) {
                support.extend(component);
            }
        }
        let bound: BTreeSet<Var> = support.iter().flat_map(condition_vars).collect();
        if own.iter().any(|var| used.contains(var) && !bound.contains(var)) {
            return None;
        }
        let consequence = match (has_free, condition) {
            (true, Condition::Holds(_)) => Consequence::HasMatch(condition.clone()),
            (true, _) => return None,
            (false, _) => Consequence::Holds(condition.clone()),
        };
        Some((consequence, support))
    }

    fn support(&mut self, body: &[Condition], consequence: &Consequence) -> Option<Metarule> {
        // Conditions that never hold support everything; that they are impossible says more.
        self.n_tests += 1;
        if self.facts.never_match_within(body, self.rows()) {
            return None;
        }
        let before = self.n_tests;
        let mut claim = Claim::new(body, consequence, self.rows());
        if !self.follows(body, &claim) {
            return None;
        }
        claim.rows = self.rows_for_parts();
        let core = self.minimize(body, &claim);
        let tests = self.n_tests - before;
        let (core, claim) = self.generalize(core, claim);
        let origin = Origin::Clause { conditions: body.len() + 1, tests };
        Some(Metarule::new(&core, &claim.consequence, Proof::Static(self.facts.digest()), origin))
    }

    /// One match test: does the claim hold wherever the body does?
    fn follows(&mut self, body: &[Condition], claim: &Claim) -> bool {
        self.n_tests += 1;
        let before = self.facts.n_rows();
        let is_so = claim.follows(self.facts, body);
        self.n_rows_of_test = self.facts.n_rows() - before;
        is_so
    }

    /// The same test; if the claim holds, a part of the body that is enough for it. What the search for
    /// a counterexample never came to try is not needed.
    fn part_that_proves(&mut self, body: &[Condition], claim: &Claim) -> Option<Vec<Condition>> {
        match claim.consequence {
            Consequence::Impossible => {
                self.n_tests += 1;
                let before = self.facts.n_rows();
                let found = self.facts.refutation_within(body, claim.rows);
                self.n_rows_of_test = self.facts.n_rows() - before;
                found
            }
            _ => self.follows(body, claim).then(|| body.to_vec()),
        }
    }

    /// A subset from which nothing can be left out.
    fn minimize(&mut self, body: &[Condition], claim: &Claim) -> Vec<Condition> {
        // What is tried first is more likely to go, and the sooner a dangling atom goes the shorter
        // are the searches after it.
        let mut order: Vec<Condition> = body.to_vec();
        order.sort_by_key(|part| match part {
            Condition::Holds(_) if is_dangling(part, body) => 0,
            Condition::Holds(_) => 2,
            _ => 1,
        });
        let halves = match self.minimization {
            Minimization::OneByOne => false,
            Minimization::Halves => true,
            Minimization::HalvesAbove(size) => body.len() > size,
        };
        if halves {
            // The earlier a condition stands, the sooner it is kept: atoms first.
            order.reverse();
            return self.halve(&[], false, &order, claim);
        }
        let mut place = 0;
        while place < order.len() {
            let left_out = order.remove(place);
            if let Some(part) = self.part_that_proves(&order, claim) {
                // All before this place are needed, so they are in that part.
                order = part;
            } else {
                order.insert(place, left_out);
                place += 1;
            }
        }
        order
    }

    /// `QuickXplain`: the part of `candidates` needed beside `kept`.
    fn halve(
        &mut self,
        kept: &[Condition],
        has_grown: bool,
        candidates: &[Condition],
        claim: &Claim,
    ) -> Vec<Condition> {
        if has_grown && self.follows(kept, claim) {
            return Vec::new();
        }
        if candidates.len() <= 1 {
            return candidates.to_vec();
        }
        let (first, second) = candidates.split_at(candidates.len() / 2);
        let with_first = [kept, first].concat();
        let from_second = self.halve(&with_first, true, second, claim);
        let with_second = [kept, &from_second].concat();
        let from_first = self.halve(&with_second, !from_second.is_empty(), first, claim);
        [from_first, from_second].concat()
    }

    /// Constants become variables and variables are split, as long as the claim follows.
    fn generalize(&mut self, body: Vec<Condition>, claim: Claim) -> Dependency {
        let mut dependency = (body, Claim { rows: WIDER_ROWS, ..claim });
        for wider in [widen_constant, split_variable] {
            let mut step = 0;
            while let Some(next) = wider(&dependency, step) {
                self.n_tests += 1;
                if next.1.follows(self.facts, &next.0) {
                    dependency = next;
                } else {
                    step += 1;
                }
            }
        }
        dependency
    }
}

/// Has the atom a variable that no other atom has?
fn is_dangling(atom: &Condition, body: &[Condition]) -> bool {
    let is_atom = |part: &&Condition| matches!(part, Condition::Holds(_));
    let times = |var: &Var| body.iter().filter(is_atom).filter(|part| has_var(part, *var)).count();
    condition_vars(atom).iter().any(|var| times(var) < 2)
}

/// The conditions without atoms that hang on the others by one end, as long as there are any.
fn without_dangling(body: &[Condition]) -> Vec<Condition> {
    let mut rest = body.to_vec();
    loop {
        let is_inner =
            |part: &&Condition| !matches!(part, Condition::Holds(_)) || !is_dangling(part, &rest);
        let inner: Vec<Condition> = rest.iter().filter(is_inner).cloned().collect();
        if inner.len() == rest.len() {
            let has_atoms = inner.iter().any(|part| matches!(part, Condition::Holds(_)));
            return if has_atoms { inner } else { Vec::new() };
        }
        rest = inner;
    }
}

/// Does the dependency hold of the facts? What cannot be decided counts as a no.
pub(crate) fn holds_of(facts: &StaticFacts, body: &[Condition], consequence: &Consequence) -> bool {
    let conclusion = consequence.as_condition();
    let is_decided = match consequence {
        Consequence::Within(..) => true,
        _ => conclusion.iter().all(|part| facts.decides(part)),
    };
    if !is_decided || !body.iter().all(|part| facts.decides(part)) {
        return false;
    }
    match consequence {
        Consequence::Impossible => !facts.may_match(body),
        Consequence::Within(var, values) => {
            let other = |value: &Value| {
                let (var, value) = (Expr::Term(Term::Var(*var)), Expr::Term(Term::Value(*value)));
                Condition::Compare(Comparison::Unequal, var, value)
            };
            !facts.may_match(&[body, &values.iter().map(other).collect::<Vec<_>>()].concat())
        }
        Consequence::Equal(..) | Consequence::Holds(_) => {
            let Some(condition) = conclusion else { return false };
            facts.always_holds(body, &condition, &[])
        }
        Consequence::HasMatch(_) => {
            Claim::new(body, consequence, TEST_ROWS_LIMIT).follows(facts, body)
        }
    }
}

/// The conditions that are linked by variables, in groups.
pub(crate) fn components(conditions: &[&Condition]) -> Vec<Vec<Condition>> {
    let mut groups: Vec<(BTreeSet<Var>, Vec<Condition>)> = Vec::new();
    for condition in conditions {
        let mut vars = own_vars(condition);
        let mut members = Vec::new();
        let (linked, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|(others, _)| !others.is_disjoint(&vars));
        for (others, conditions) in linked {
            vars.extend(others);
            members.extend(conditions);
        }
        members.push((*condition).clone());
        groups = apart;
        groups.push((vars, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}
