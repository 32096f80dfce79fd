//! Contradictions: a proof that some conditions cannot hold together in a reachable state.
//!
//! In: a case and what may be used: complete static facts, rules to unfold, one move for each role,
//! moves are legal, and exclusions taken as hypotheses. Out: whether the case was refuted, and which
//! hypotheses that took. Bounded: running out of budget is "not refuted". Invariant: a refuted case
//! has no instance in any state where the hypotheses hold, under any legal joint move.

use rulesmith_logic::{Symbol, Symbols, Value};
use rustc_hash::FxHashMap;

use super::case::{Case, Contradiction, value_of};
use super::conjunction::{Conjunction, conjunctions};
use super::entailment::Follows;
use super::ground::StaticFacts;
use super::rule::{Formula, Functor, KifAtom, Relation, Rule};
use super::statement::KifTerm;

/// At most one tuple of the other arguments exists for given keys, for one kind of fluent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exclusion {
    pub(super) fluent: Functor,
    /// The argument places that are keys.
    pub(super) keys: Vec<usize>,
}

/// Values by kind of fluent and argument place.
pub(super) type FewValues = FxHashMap<(Functor, usize), Vec<Symbol>>;

/// Splits on the way to a refutation.
const MAX_DEPTH: usize = 10;

/// Facts a static condition may have to be worth a split.
const MAX_FACTS_PER_SPLIT: usize = 12;

/// What proofs may use.
pub(super) struct Prover<'a> {
    pub(super) facts: &'a StaticFacts,
    pub(super) symbols: &'a mut Symbols,
    /// The rules for each relation, without alternatives.
    pub(super) rules: FxHashMap<Relation, Vec<Conjunction>>,
    /// Exclusions by fluent with their numbers; those that turned out wrong are taken out.
    pub(super) hypotheses: FxHashMap<Functor, Vec<(usize, Exclusion)>>,
    /// The values of fluents' arguments that can have few of them only.
    pub(super) few_values: FewValues,
    /// The numbers of the hypotheses used since this was cleared.
    pub(super) used: Vec<usize>,
    /// Steps that the present proof may still take; about a microsecond each.
    pub(super) left: usize,
    /// Steps taken so far, in all proofs.
    pub(super) spent: usize,
    dependencies: FxHashMap<Relation, Vec<(Vec<usize>, usize)>>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(rules: &[Rule], facts: &'a StaticFacts, symbols: &'a mut Symbols) -> Self {
        let mut by_relation: FxHashMap<Relation, Vec<Conjunction>> = FxHashMap::default();
        // Facts say all about static relations; what the next state holds is asked by its rules.
        let has_rules =
            |relation| matches!(relation, Relation::NextOf(_)) || facts.table(relation).is_none();
        for rule in rules.iter().filter(|rule| has_rules(rule.head.relation)) {
            by_relation.entry(rule.head.relation).or_default().extend(conjunctions(rule));
        }
        Self {
            facts,
            symbols,
            rules: by_relation,
            hypotheses: FxHashMap::default(),
            few_values: FewValues::default(),
            used: Vec::new(),
            left: 0,
            spent: 0,
            dependencies: FxHashMap::default(),
        }
    }

    /// Takes exclusions as hypotheses, numbered in order.
    pub(super) fn suppose(&mut self, exclusions: impl Iterator<Item = Exclusion>) {
        for (number, exclusion) in exclusions.enumerate() {
            self.hypotheses.entry(exclusion.fluent).or_default().push((number, exclusion));
        }
    }

    /// Was the case refuted?
    pub(super) fn refute(&mut self, mut case: Case, depth: usize) -> bool {
        if self.saturate(&mut case).is_err() {
            return true;
        }
        if depth >= MAX_DEPTH || self.left == 0 {
            return false;
        }
        let Some(cases) = self.split(&case) else { return false };
        cases.into_iter().all(|case| self.refute(case, depth + 1))
    }

    /// Draws all simple consequences.
    fn saturate(&mut self, case: &mut Case) -> Result<(), Contradiction> {
        while self.left > 0 {
            self.charge(1 + case.holds.len());
            case.settle()?;
            let before = case.n_known();
            self.merge_pairs(case)?;
            self.match_static(case)?;
            if case.n_known() == before {
                self.use_failures(case)?;
            }
            if case.n_known() == before {
                break;
            }
        }
        Ok(())
    }

    /// Counts steps; with none left, nothing more is proved.
    pub(super) fn charge(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
        self.spent += steps;
    }

    /// Makes equal what functional dependencies say is equal.
    fn merge_pairs(&mut self, case: &mut Case) -> Result<(), Contradiction> {
        let atoms: Vec<KifAtom> =
            case.holds.iter().map(|assumption| assumption.atom.clone()).collect();
        for (number, left) in atoms.iter().enumerate() {
            self.charge(1 + (atoms.len() - number) / 8);
            for right in &atoms[number + 1..] {
                match (left.relation, right.relation) {
                    (Relation::DoesOf(f), Relation::DoesOf(g)) if same(case, left, right, &[0]) => {
                        if f != g {
                            return Err(Contradiction);
                        }
                        case.unify_args(&left.args, &right.args)?;
                    }
                    (Relation::HoldsOf(f), Relation::HoldsOf(g)) if f == g => {
                        self.merge_fluents(case, f, left, right)?;
                    }
                    (r, s) if r == s => {
                        for (keys, value) in self.dependencies_of(r) {
                            if same(case, left, right, &keys) {
                                case.unify(&left.args[value], &right.args[value])?;
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn merge_fluents(
        &mut self,
        case: &mut Case,
        fluent: Functor,
        left: &KifAtom,
        right: &KifAtom,
    ) -> Result<(), Contradiction> {
        for (number, exclusion) in self.hypotheses.get(&fluent).into_iter().flatten() {
            if same(case, left, right, &exclusion.keys) && !same_all(case, left, right) {
                self.used.push(*number);
                case.unify_args(&left.args, &right.args)?;
            }
        }
        Ok(())
    }

    /// Functional dependencies of a static relation, read off its facts: key places, value place.
    fn dependencies_of(&mut self, relation: Relation) -> Vec<(Vec<usize>, usize)> {
        /// Larger relations are not searched for dependencies.
        const MAX_ROWS: usize = 5_000;
        let facts = self.facts;
        let Some(table) = facts.table(relation) else { return Vec::new() };
        let find = || {
            let arity = table.rows.first().map_or(0, Vec::len);
            let mut keys: Vec<Vec<usize>> = (0..arity).map(|place| vec![place]).collect();
            if arity > 2 {
                keys.extend(
                    (0..arity).map(|value| (0..arity).filter(|key| *key != value).collect()),
                );
            }
            let pairs = keys
                .into_iter()
                .flat_map(|keys| (0..arity).map(move |value| (keys.clone(), value)));
            let is_dependency = |(keys, value): &(Vec<usize>, usize)| {
                !keys.contains(value) && determines(table.rows.iter(), keys, *value)
            };
            if table.rows.len() > MAX_ROWS {
                Vec::new()
            } else {
                pairs.filter(is_dependency).collect()
            }
        };
        self.dependencies.entry(relation).or_insert_with(find).clone()
    }

    /// A static condition without matching fact is a contradiction; with one fact it is that fact.
    fn match_static(&mut self, case: &mut Case) -> Result<(), Contradiction> {
        for index in 0..case.holds.len() {
            let atom = case.holds[index].atom.clone();
            if self.facts.table(atom.relation).is_none() {
                continue;
            }
            let rows = self.matches(case, &atom, 2);
            match rows.as_slice() {
                [] => return Err(Contradiction),
                [row] => self.assign(case, &atom, row)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn assign(&self, case: &mut Case, atom: &KifAtom, row: &[Value]) -> Result<(), Contradiction> {
        let mut pairs = atom.args.iter().zip(row);
        pairs.try_for_each(|(arg, value)| case.unify_value(arg, *value, self.symbols))
    }

    /// Up to `limit` facts that agree with the atom.
    fn matches(&mut self, case: &Case, atom: &KifAtom, limit: usize) -> Vec<Vec<Value>> {
        let facts = self.facts;
        let Some(table) = facts.table(atom.relation) else { return Vec::new() };
        let args: Vec<KifTerm> = atom.args.iter().map(|arg| case.resolve(arg)).collect();
        let known: Vec<Option<Value>> =
            args.iter().map(|arg| value_of(arg, self.symbols)).collect();
        let candidates = table.candidates(&known);
        self.charge(1 + candidates.len().min(limit * 16) / 16);
        let rows = (0..candidates.len()).map(|index| &table.rows[candidates.get(index)]);
        let agrees = |row: &&Vec<Value>| {
            let mut bound: Vec<(u32, Value)> = Vec::new();
            args.iter()
                .zip(row.iter())
                .all(|(arg, value)| agrees(arg, *value, self.symbols, &mut bound))
        };
        rows.filter(agrees).take(limit).cloned().collect()
    }

    /// What is assumed to fail must not follow from the rest.
    fn use_failures(&mut self, case: &mut Case) -> Result<(), Contradiction> {
        for atom in case.fails.clone() {
            match self.follows(case, &atom) {
                None => {}
                Some(Follows::Yes) => return Err(Contradiction),
                // The case is settled before the next failure is looked at.
                Some(Follows::UnlessEqual(left, right)) => return case.unify(&left, &right),
            }
        }
        Ok(())
    }

    /// The cases that one assumption leaves, for the assumption that leaves fewest.
    fn split(&mut self, case: &Case) -> Option<Vec<Case>> {
        let mut best: Option<(usize, Vec<Case>)> = None;
        for index in 0..case.holds.len() {
            let Some((cost, cases)) = self.cases_of(case, index) else { continue };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, cases));
            }
        }
        best.map(|(_, cases)| cases)
    }

    fn cases_of(&mut self, case: &Case, index: usize) -> Option<(usize, Vec<Case>)> {
        let assumption = &case.holds[index];
        if assumption.is_unfolded {
            return None;
        }
        let atom = &assumption.atom;
        match atom.relation {
            Relation::DoesOf(functor) => {
                let cases = self.unfold(case, index, Relation::LegalOf(functor))?;
                // Whoever moves is a role.
                let role = KifAtom { relation: Relation::Role, args: atom.args[..1].to_vec() };
                let cases = cases.into_iter().filter_map(|mut case| {
                    case.assume(&Formula::Holds(role.clone())).ok()?;
                    Some(case)
                });
                let cases: Vec<Case> = cases.collect();
                Some((cases.len(), cases))
            }
            Relation::HoldsOf(fluent) => self.split_value(case, fluent, atom),
            relation if self.facts.table(relation).is_some() => self.split_static(case, index),
            relation => {
                let cases = self.unfold(case, index, relation)?;
                Some((cases.len() + 1, cases))
            }
        }
    }

    /// One case for each value of an unknown argument that can have few values only.
    fn split_value(
        &self,
        case: &Case,
        fluent: Functor,
        atom: &KifAtom,
    ) -> Option<(usize, Vec<Case>)> {
        /// Values say least of all.
        const RELUCTANCE: usize = 5;
        let mut args = atom.args.iter().enumerate();
        let (unknown, values) = args.find_map(|(place, arg)| {
            let values = self.few_values.get(&(fluent, place))?;
            matches!(arg, KifTerm::Variable(_)).then_some((arg, values))
        })?;
        let cases = values.iter().filter_map(|value| {
            let mut case = case.clone();
            case.unify(unknown, &KifTerm::Constant(*value)).ok()?;
            Some(case)
        });
        Some((values.len() + RELUCTANCE, cases.collect()))
    }

    fn split_static(&mut self, case: &Case, index: usize) -> Option<(usize, Vec<Case>)> {
        /// Facts say little; rules are unfolded first.
        const RELUCTANCE: usize = 3;
        let atom = &case.holds[index].atom;
        let rows = self.matches(case, atom, MAX_FACTS_PER_SPLIT + 1);
        if rows.len() > MAX_FACTS_PER_SPLIT || rows.len() < 2 {
            return None;
        }
        let reluctance = if atom.relation == Relation::Role { 0 } else { RELUCTANCE };
        let cases = rows.iter().filter_map(|row| {
            let mut case = case.clone();
            self.assign(&mut case, atom, row).ok()?;
            Some(case)
        });
        Some((rows.len() + reluctance, cases.collect()))
    }

    /// The case once for each rule that may have concluded the assumption, with the rule's body.
    fn unfold(&mut self, case: &Case, index: usize, relation: Relation) -> Option<Vec<Case>> {
        /// More rules than this are not tried one by one.
        const MAX_RULES: usize = 200;
        if self.facts.table(relation).is_some() {
            let mut case = case.clone();
            case.holds[index].is_unfolded = true;
            let args = case.holds[index].atom.args.clone();
            case.assume(&Formula::Holds(KifAtom { relation, args })).ok()?;
            return Some(vec![case]);
        }
        let rules = self.rules.get(&relation).map_or(&[][..], Vec::as_slice);
        let n_rules = rules.len();
        if n_rules > MAX_RULES || n_rules > self.left {
            return None;
        }
        let unfold_by = |rule: &Conjunction| {
            let mut case = case.clone();
            case.holds[index].is_unfolded = true;
            let first = case.fresh(rule.n_variables);
            let head = rule.head.map_variables(&|variable| KifTerm::Variable(variable + first));
            let args = case.holds[index].atom.args.clone();
            case.unify_args(&head.args, &args).ok()?;
            rule.body.iter().try_for_each(|formula| case.assume(&formula.shifted(first))).ok()?;
            Some(case)
        };
        let cases: Vec<Case> = rules.iter().filter_map(unfold_by).collect();
        self.charge(n_rules + cases.len() * (1 + case.holds.len() / 4));
        Some(cases)
    }
}

fn same(case: &Case, left: &KifAtom, right: &KifAtom, places: &[usize]) -> bool {
    places.iter().all(|&place| case.resolve(&left.args[place]) == case.resolve(&right.args[place]))
}

fn same_all(case: &Case, left: &KifAtom, right: &KifAtom) -> bool {
    left.args.iter().zip(&right.args).all(|(left, right)| case.resolve(left) == case.resolve(right))
}

/// Does the value place of the rows depend on the key places alone?
pub(super) fn determines<'r>(
    rows: impl Iterator<Item = &'r Vec<Value>>,
    keys: &[usize],
    value: usize,
) -> bool {
    let mut seen: FxHashMap<Vec<Value>, Value> = FxHashMap::default();
    let mut pairs = rows.map(|row| (keys.iter().map(|key| row[*key]).collect(), row[value]));
    pairs.all(|(key, value)| *seen.entry(key).or_insert(value) == value)
}

/// Could the term be the value, given what its unknowns were found to be before?
fn agrees(term: &KifTerm, value: Value, symbols: &Symbols, bound: &mut Vec<(u32, Value)>) -> bool {
    match (term, value) {
        (KifTerm::Variable(variable), _) => {
            if let Some((_, known)) = bound.iter().find(|(known, _)| known == variable) {
                return *known == value;
            }
            bound.push((*variable, value));
            true
        }
        (KifTerm::Constant(name), _) => value == Value::Symbol(*name),
        (KifTerm::Function(functor, args), Value::Compound(compound)) => {
            let (name, values) = symbols.parts(compound);
            name == *functor
                && values.len() == args.len()
                && args.iter().zip(values).all(|(arg, value)| agrees(arg, *value, symbols, bound))
        }
        (KifTerm::Function(..), _) => false,
    }
}
