//! Eager mining: all small patterns over the static relations, each matched once.
//!
//! In: complete static facts. Out: metarules: patterns that never match (denials), variables of a
//! pattern that are always the same (monovaluations), never the same (useless `\=` tests), atoms that
//! always hold beside a pattern, values a variable is restricted to. Paper: metameta §3.1, §3.2.
//! Invariant: every metarule was decided on all matches of its pattern; the same facts give the same
//! metarules in the same order.
//!
//! Conventions: patterns as in `patterns`, level by level: up to three atoms and four variables, up to
//! two atoms and five variables where a ternary relation takes part. A pattern is not tried when a
//! denial found before maps into it, nor when a monovaluation does that makes two of its variables one
//! (the pattern with one variable for both is tried instead). A consequence is
//! reported only when no metarule found before implies it, so each is reported for its smallest
//! pattern; a pair of variables counts once for all automorphisms of the pattern.

use std::collections::BTreeSet;

use rulesmith_logic::{Atom, Comparison, Condition, Expr, Flow, PredicateId, Term, Value, Var};
use rulesmith_matching::ValueId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::dependency::{Consequence, Metarule, Origin, Proof};
use super::implication::implies;
use super::lazy::holds_of;
use super::matching::{Pattern, Target};
use super::patterns::{Growth, Relation, Shape, relations, symmetric};
use crate::static_facts::StaticFacts;

/// Whether relations that hold both ways are taken as unordered pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Patterns are as written: each orientation is a pattern of its own.
    AsWritten,
    /// One pattern for all orientations, and one metarule that says they are the same.
    Normalized,
}

/// How much may be mined.
#[derive(Clone, Copy, Debug)]
pub struct MiningLimits {
    /// Patterns matched.
    pub patterns: usize,
    /// Matches of one pattern; what needs more is not decided.
    pub matches: usize,
    /// Matches of all patterns together, after which no further one is tried.
    pub all_matches: usize,
    /// Rows of a relation that takes part.
    pub rows: usize,
}

impl Default for MiningLimits {
    fn default() -> Self {
        Self { patterns: 1_500, matches: 400_000, all_matches: 3_000_000, rows: 20_000 }
    }
}

/// What was mined.
#[derive(Clone, Debug, Default)]
pub struct Mined {
    /// The metarules, smallest patterns first.
    pub metarules: Vec<Metarule>,
    /// Patterns matched.
    pub n_patterns: usize,
    /// Patterns that were met and left undecided because a limit was reached.
    pub n_undecided: usize,
}

impl Mined {
    /// How many metarules have a consequence of this kind.
    pub fn count(&self, is_kind: impl Fn(&Consequence) -> bool) -> usize {
        self.metarules.iter().filter(|metarule| is_kind(&metarule.consequence)).count()
    }

    /// Patterns that never match.
    pub fn n_denials(&self) -> usize {
        self.count(|consequence| matches!(consequence, Consequence::Impossible))
    }

    /// Variables that are always the same.
    pub fn n_monovaluations(&self) -> usize {
        self.count(|consequence| matches!(consequence, Consequence::Equal(..)))
    }

    /// Tests `X \= Y` that always hold.
    pub fn n_useless_tests(&self) -> usize {
        self.count(|found| matches!(found, Consequence::Holds(Condition::Compare(..))))
    }
}

/// A variable restricted to more values than this is not worth a metarule.
const RESTRICTION_LIMIT: usize = 8;

/// Mines all metarules of small patterns.
pub fn mine(facts: &StaticFacts, symmetry: Symmetry, limits: MiningLimits) -> Mined {
    let relations = relations(facts, limits.rows);
    let symmetric = match symmetry {
        Symmetry::AsWritten => BTreeSet::new(),
        Symmetry::Normalized => symmetric(facts, &relations),
    };
    let mut miner = Miner {
        facts,
        limits,
        symmetric: &symmetric,
        mined: Mined::default(),
        n_matches: 0,
        known: Vec::new(),
        denials: Vec::new(),
    };
    for &predicate in &symmetric {
        let atom = |first, second| {
            Condition::Holds(Atom { predicate, args: vec![variable(first), variable(second)] })
        };
        miner.add_symmetry(&[atom(0, 1)], &Consequence::Holds(atom(1, 0)));
    }
    miner.functions();
    let narrow: Vec<Relation> =
        relations.iter().filter(|relation| relation.classes.len() < 3).cloned().collect();
    let growth = |relations, n_variables| Growth { relations, symmetric: &symmetric, n_variables };
    let first = miner.level(growth(&relations, 3).grow(None));
    let second: Vec<Shape> =
        first.iter().flat_map(|shape| growth(&relations, 5).grow(Some(shape))).collect();
    let is_small = |shape: &Shape| shape.classes.len() <= 4 || has_ternary(shape);
    let second = miner.level(second.into_iter().filter(is_small).collect());
    if miner.is_done() {
        return miner.mined;
    }
    let binary = second.iter().filter(|shape| !has_ternary(shape));
    let third = binary.flat_map(|shape| growth(&narrow, 4).grow(Some(shape))).collect();
    miner.level(third);
    miner.mined
}

fn has_ternary(shape: &Shape) -> bool {
    shape.atoms.iter().any(|atom| atom.args.len() > 2)
}

fn variable(number: usize) -> Term {
    Term::Var(Var(u16::try_from(number).expect("patterns have few variables")))
}

struct Miner<'m> {
    facts: &'m StaticFacts,
    limits: MiningLimits,
    symmetric: &'m BTreeSet<PredicateId>,
    mined: Mined,
    /// Matches of all patterns so far.
    n_matches: usize,
    /// The bodies of the metarules found so far, ready to be matched.
    known: Vec<Pattern>,
    denials: Vec<Pattern>,
}

impl Miner<'_> {
    /// Matches each pattern of a level once; returns those worth growing.
    fn level(&mut self, mut shapes: Vec<Shape>) -> Vec<Shape> {
        shapes.sort_by(|left, right| left.key.cmp(&right.key));
        shapes.dedup_by(|left, right| left.key == right.key);
        let mut grows = Vec::new();
        for shape in shapes {
            if self.is_done() {
                self.mined.n_undecided += 1;
                continue;
            }
            let body = shape.conditions();
            let both_ways = self.both_ways(&body);
            let target = Target::new(&both_ways);
            if self.denials.iter().any(|denial| denial.embeds(&target)) || self.is_single(&target) {
                continue;
            }
            self.mined.n_patterns += 1;
            let mut seen = Seen::new(self.facts, &shape, self.symmetric);
            let is_decided = seen.watch(self.facts, &body, self.limits.matches);
            self.n_matches += seen.n_matches;
            if !is_decided {
                self.mined.n_undecided += 1;
            } else if self.conclude(&shape, &body, &seen) {
                grows.push(shape);
            }
        }
        grows
    }

    /// Have as many patterns been matched as may be, or as often?
    fn is_done(&self) -> bool {
        self.mined.n_patterns >= self.limits.patterns || self.n_matches >= self.limits.all_matches
    }

    /// Does a metarule say that two variables of the pattern are one?
    fn is_single(&self, target: &Target<'_>) -> bool {
        self.mined.metarules.iter().zip(&self.known).any(|(metarule, pattern)| {
            let Consequence::Equal(Term::Var(left), Term::Var(right)) = metarule.consequence else {
                return false;
            };
            pattern.each_embedding(target, &[], &mut |embedding| {
                let image = |var: Var| embedding.binding[usize::from(var.0)];
                if image(left) == image(right) { Flow::More } else { Flow::Enough }
            }) == Flow::Enough
        })
    }

    /// Adds what all matches of a pattern have in common; is the pattern worth growing?
    fn conclude(&mut self, shape: &Shape, body: &[Condition], seen: &Seen) -> bool {
        let size = body.len();
        if seen.n_matches == 0 {
            self.add(body, &Consequence::Impossible, size);
            self.denials.push(Pattern::new(body, shape.classes.len()));
            return false;
        }
        let mut is_single = false;
        for &(left, right) in &seen.always_equal {
            is_single = true;
            self.add(body, &Consequence::Equal(variable(left), variable(right)), size);
        }
        for &(left, right) in &seen.never_equal {
            let (left, right) = (Expr::Term(variable(left)), Expr::Term(variable(right)));
            let test = Condition::Compare(Comparison::Unequal, left, right);
            self.add(body, &Consequence::Holds(test), size);
        }
        for atom in &seen.implied {
            self.add(body, &Consequence::Holds(Condition::Holds(atom.clone())), size);
        }
        self.restrict(shape, body, seen);
        !is_single
    }

    /// Values a variable is limited to, where that is fewer than its atoms alone say.
    fn restrict(&mut self, shape: &Shape, body: &[Condition], seen: &Seen) {
        for (number, values) in seen.values.iter().enumerate() {
            let Some(values) = values else { continue };
            if values.len() >= self.n_values_before(shape, number) {
                continue;
            }
            let mut values: Vec<Value> = values.iter().map(|id| self.facts.value(*id)).collect();
            let symbols = self.facts.symbols().borrow();
            values.sort_by(|left, right| symbols.compare(*left, *right));
            drop(symbols);
            let consequence = match values[..] {
                [value] => Consequence::Equal(variable(number), Term::Value(value)),
                _ => Consequence::Within(Var(u16::try_from(number).unwrap_or(0)), values),
            };
            self.add(body, &consequence, body.len());
        }
    }

    /// How many values a variable has by what is known without the pattern: for a single atom the
    /// declared domain, for several the columns it stands in.
    fn n_values_before(&self, shape: &Shape, number: usize) -> usize {
        let places = shape.atoms.iter().flat_map(|atom| {
            let columns = atom.args.iter().enumerate();
            let is_here = move |(_, term): &(usize, &Term)| **term == variable(number);
            columns.filter(is_here).map(move |(column, _)| (atom.predicate, column))
        });
        let n_values = |(predicate, column): (PredicateId, usize)| -> Option<usize> {
            let relation = self.facts.relation(predicate)?;
            if shape.atoms.len() == 1 {
                let domain = relation.columns[column]?;
                return self.facts.domain(domain).map(|domain| domain.values.len());
            }
            let values: FxHashSet<Value> = relation.rows.iter().map(|row| row[column]).collect();
            Some(values.len())
        };
        places.filter_map(n_values).min().unwrap_or(0)
    }

    /// Adds a metarule unless those before it imply it.
    fn add(&mut self, body: &[Condition], consequence: &Consequence, conditions: usize) {
        let origin = Origin::Pattern { conditions };
        let proof = Proof::Static(self.facts.digest());
        let metarule = Metarule::new(&self.needed(body, consequence), consequence, proof, origin);
        let both_ways = self.both_ways(&metarule.body);
        let target = Target::new(&both_ways);
        let said = match &metarule.consequence {
            Consequence::Holds(condition) => {
                let ways = self.both_ways(std::slice::from_ref(condition));
                ways.into_iter().map(Consequence::Holds).collect()
            }
            other => vec![other.clone()],
        };
        let is_said = |(one, pattern): (&Metarule, &Pattern)| {
            said.iter().any(|consequence| implies(one, pattern, &target, consequence))
        };
        if !self.mined.metarules.iter().zip(&self.known).any(is_said) {
            self.known.push(Pattern::new(&metarule.body, metarule.variables.len()));
            self.mined.metarules.push(metarule);
        }
    }

    /// Adds that a relation holds both ways, which its own atoms both ways would seem to imply.
    fn add_symmetry(&mut self, body: &[Condition], consequence: &Consequence) {
        let proof = Proof::Static(self.facts.digest());
        let metarule = Metarule::new(body, consequence, proof, Origin::Pattern { conditions: 1 });
        self.known.push(Pattern::new(&metarule.body, metarule.variables.len()));
        self.mined.metarules.push(metarule);
    }

    /// The body with the atoms of symmetric relations both ways, as the chase would have it.
    fn both_ways(&self, body: &[Condition]) -> Vec<Condition> {
        let turned = |part: &Condition| match part {
            Condition::Holds(atom) if self.symmetric.contains(&atom.predicate) => {
                let args = atom.args.iter().rev().copied().collect();
                Some(Condition::Holds(Atom { predicate: atom.predicate, args }))
            }
            _ => None,
        };
        body.iter().cloned().chain(body.iter().filter_map(turned)).collect()
    }

    /// The atoms that are needed. Smaller connected patterns were tried before, but two variables may
    /// be tied by atoms that are not linked: `X = Y` where each can have one value only.
    fn needed(&self, body: &[Condition], consequence: &Consequence) -> Vec<Condition> {
        let mut needed = body.to_vec();
        if body.len() < 3 || *consequence == Consequence::Impossible {
            return needed;
        }
        for place in (0..body.len()).rev() {
            let left_out = needed.remove(place);
            if !holds_of(self.facts, &needed, consequence) {
                needed.insert(place, left_out);
            }
        }
        needed
    }

    /// Functional dependencies of relations too wide for patterns: which columns fix which.
    fn functions(&mut self) {
        let facts = self.facts;
        for predicate in facts.predicates() {
            let Some(relation) = facts.relation(predicate) else { continue };
            let arity = relation.columns.len();
            if !(4..=6).contains(&arity) || relation.rows.len() > self.limits.rows {
                continue;
            }
            for column in 0..arity {
                let mut known: Vec<u32> = Vec::new();
                let mut masks: Vec<u32> =
                    (0..1 << arity).filter(|mask: &u32| mask >> column & 1 == 0).collect();
                masks.sort_by_key(|mask| (mask.count_ones(), *mask));
                for mask in masks {
                    let is_new = !known.iter().any(|smaller| smaller & mask == *smaller);
                    if is_new && !relation.rows.is_empty() && fixes(&relation.rows, mask, column) {
                        known.push(mask);
                        self.add_function(predicate, arity, mask, column);
                    }
                }
            }
        }
    }

    fn add_function(&mut self, predicate: PredicateId, arity: usize, mask: u32, column: usize) {
        let atom = |shift: usize| {
            let var = |place: usize| place + if mask >> place & 1 == 1 { 0 } else { shift };
            let args = (0..arity).map(|place| variable(var(place))).collect();
            Condition::Holds(Atom { predicate, args })
        };
        let consequence = Consequence::Equal(variable(column), variable(column + arity));
        self.add(&[atom(0), atom(arity)], &consequence, 2);
    }
}

/// Do the columns of the mask fix the column in all rows?
fn fixes(rows: &[rulesmith_logic::Row], mask: u32, column: usize) -> bool {
    let mut values: FxHashMap<Vec<Value>, Value> = FxHashMap::default();
    rows.iter().all(|row| {
        let columns = (0..row.len()).filter(|place| mask >> place & 1 == 1);
        let key: Vec<Value> = columns.map(|place| row[place]).collect();
        *values.entry(key).or_insert(row[column]) == row[column]
    })
}

/// What the matches of a pattern have shown so far.
struct Seen {
    n_matches: usize,
    always_equal: Vec<(usize, usize)>,
    never_equal: Vec<(usize, usize)>,
    /// Atoms over the pattern's variables that held in every match.
    implied: Vec<Atom>,
    /// The values of each variable, while they are few.
    values: Vec<Option<Vec<ValueId>>>,
}

impl Seen {
    fn new(facts: &StaticFacts, shape: &Shape, symmetric: &BTreeSet<PredicateId>) -> Self {
        let n_variables = shape.classes.len();
        let pairs: Vec<(usize, usize)> = (0..n_variables)
            .flat_map(|left| (left + 1..n_variables).map(move |right| (left, right)))
            .filter(|&(left, right)| shape.classes[left] == shape.classes[right])
            .collect();
        // Atoms beside three others are rarely of use and there are many.
        let implied =
            if shape.atoms.len() < 3 { candidates(facts, shape, symmetric) } else { Vec::new() };
        Self {
            n_matches: 0,
            always_equal: pairs.clone(),
            never_equal: pairs,
            implied,
            values: vec![Some(Vec::new()); n_variables],
        }
    }

    /// Looks at every match; false if there are too many.
    fn watch(&mut self, facts: &StaticFacts, body: &[Condition], limit: usize) -> bool {
        let memory = facts.memory();
        let done = facts.each_match(body, &mut |row| {
            self.n_matches += 1;
            self.always_equal.retain(|&(left, right)| row[left] == row[right]);
            self.never_equal.retain(|&(left, right)| row[left] != row[right]);
            self.implied.retain(|atom| {
                let ids: Option<Vec<ValueId>> =
                    atom.args.iter().map(|&term| bound(row, term)).collect();
                let relation = memory.relation(atom.predicate);
                ids.zip(relation).is_some_and(|(ids, relation)| relation.contains(&ids))
            });
            for (values, id) in self.values.iter_mut().zip(row) {
                if let (Some(few), Some(id)) = (values.as_mut(), id)
                    && !few.contains(id)
                {
                    few.push(*id);
                    if few.len() > RESTRICTION_LIMIT {
                        *values = None;
                    }
                }
            }
            if self.n_matches < limit { Flow::More } else { Flow::Enough }
        });
        done == Ok(Flow::More)
    }
}

fn bound(row: &[Option<ValueId>], term: Term) -> Option<ValueId> {
    match term {
        Term::Var(var) => row[usize::from(var.0)],
        Term::Value(_) => None,
    }
}

/// The atoms of the pattern's own relations over its variables that are not in it.
fn candidates(facts: &StaticFacts, shape: &Shape, symmetric: &BTreeSet<PredicateId>) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    let own = shape.atoms.iter().map(|atom| atom.predicate);
    let mut seen: FxHashSet<PredicateId> = FxHashSet::default();
    for predicate in own.chain(facts.predicates()).filter(|predicate| seen.insert(*predicate)) {
        let Some(model) = facts.relation(predicate) else { continue };
        if model.columns.len() > 2 || model.columns.is_empty() {
            continue;
        }
        let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
        for _ in 0..model.columns.len() {
            let longer = rows.iter().flat_map(|row| {
                (0..shape.classes.len()).map(move |var| [&row[..], &[variable(var)]].concat())
            });
            rows = longer.collect();
        }
        for args in rows {
            let is_turned = symmetric.contains(&predicate) && args[1] < args[0];
            let atom = Atom { predicate, args };
            if !is_turned && !shape.atoms.contains(&atom) {
                found.push(atom);
            }
        }
    }
    found
}
