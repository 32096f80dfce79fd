//! Unfolded predicates give the answers of the theory as it was written, for random theories, random
//! requests and random bounds.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may panic, and says how much it compared"
)]

mod random_theories;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use random_theories::{Random, random_theory, shrink};
use rulesmith_logic::{Error, Level, Limits, PredicateId, Row, Solver, Stop, Tables, Value, World};
use rulesmith_rules::{FluentDefault, NoFiles, PredicateKind, Settings, Theory, parse, value_text};
use rulesmith_specialize::{Bounds, Knowledge, Selection, unfold};

/// Theories made by a plain test run; `RANDOM_THEORIES` asks for more, `FIRST_SEED` for others.
const N_THEORIES: u64 = 250;

/// A state: the facts of its fluents.
#[derive(Default)]
struct Facts {
    rows: BTreeMap<PredicateId, Rc<Vec<Row>>>,
    static_tables: RefCell<Tables>,
    tables: RefCell<Tables>,
}

impl World for Facts {
    fn facts(
        &self,
        _solver: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let agrees = |row: &&Row| {
            row.iter().zip(pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
        };
        let rows = self.rows.get(&predicate).cloned().unwrap_or_default();
        Ok(Rc::new(rows.iter().filter(agrees).cloned().collect()))
    }

    fn passages(
        &self,
        _solver: &Solver,
        _by: PredicateId,
        _args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        Ok(Vec::new())
    }

    fn tables(&self, level: Level) -> &RefCell<Tables> {
        if level == Level::Static { &self.static_tables } else { &self.tables }
    }
}

/// The state a theory starts from. Values come from the solver's interner.
fn start(theory: &Theory, solver: &Solver) -> Facts {
    let nowhere = rulesmith_logic::Nowhere::default();
    let mut facts = Facts::default();
    for fluent in &theory.fluents {
        let domains = &theory.base.predicate(fluent.predicate).domains;
        let free = vec![None; domains.len()];
        let mut rows: Vec<Row> = solver.query(&nowhere, fluent.init, &free).unwrap().to_vec();
        if let (true, FluentDefault::Value(default)) = (fluent.is_functional, fluent.default) {
            let mut keys: Vec<Vec<Value>> = vec![vec![]];
            for domain in &domains[..fluent.n_keys] {
                let values = &theory.base.domain(domain.unwrap()).values;
                let extend = |key: &Vec<Value>| {
                    let key = key.clone();
                    values.iter().map(move |value| [key.clone(), vec![*value]].concat())
                };
                keys = keys.iter().flat_map(extend).collect();
            }
            let given: BTreeSet<Row> = rows.iter().map(|row| row[..fluent.n_keys].into()).collect();
            let missing = keys.into_iter().filter(|key| !given.contains(key.as_slice()));
            rows.extend(missing.map(|key| [key, vec![default]].concat().into()));
        }
        facts.rows.insert(fluent.predicate, Rc::new(rows));
    }
    facts
}

/// A theory with a solver for it and the state it starts from.
struct Subject {
    solver: Solver,
    facts: Facts,
}

fn limits() -> Limits {
    Limits { inferences: 300_000, derived_facts: 20_000, recursion_depth: 500, terms: 20_000 }
}

fn subject(theory: &Theory) -> Subject {
    let solver =
        Solver::new(theory.base.clone(), theory.symbols.clone(), limits(), Stop::default());
    let facts = start(theory, &solver);
    Subject { solver, facts }
}

impl Subject {
    /// The answers as text, since compounds are numbered as they are made.
    fn answers(
        &self,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<BTreeSet<Vec<String>>, Error> {
        let rows = self.solver.query(&self.facts, predicate, pattern)?;
        let symbols = self.solver.symbols().borrow();
        let text = |row: &Row| row.iter().map(|value| value_text(&symbols, *value)).collect();
        Ok(rows.iter().map(text).collect())
    }
}

fn predicates(theory: &Theory) -> Vec<PredicateId> {
    let all = (0..theory.kinds.len()).map(|id| PredicateId(u32::try_from(id).unwrap()));
    all.filter(|id| {
        matches!(
            theory.kind(*id),
            PredicateKind::Derived { .. }
                | PredicateKind::DerivedFunction
                | PredicateKind::Static { is_given: false, .. }
        )
    })
    .collect()
}

/// Questions to a predicate: nothing known, everything known, and a part.
fn patterns(random: &mut Random, theory: &Theory, id: PredicateId) -> Vec<Vec<Option<Value>>> {
    let domains = &theory.base.predicate(id).domains;
    let all: Vec<Value> =
        theory.base.domains.iter().flat_map(|domain| domain.values.iter().copied()).collect();
    let mut patterns = vec![vec![None; domains.len()]];
    for percent in [50, 50, 100, 100, 100, 100] {
        let mut pattern = Vec::new();
        for domain in domains {
            let values = match domain {
                Some(domain) if random.chance(90) => {
                    theory.base.domain(*domain).values.iter().copied().collect()
                }
                _ => all.clone(),
            };
            let value = *random.pick(&values);
            pattern.push(random.chance(percent).then_some(value));
        }
        patterns.push(pattern);
    }
    patterns
}

fn random_bounds(random: &mut Random, theory: &Theory) -> Bounds {
    let mut bounds = Bounds::default();
    if random.chance(60) {
        bounds.conditions = *random.pick(&[1, 3, 8, 200]);
        bounds.depth = *random.pick(&[0, 1, 2, 5, 200]);
        bounds.clauses = *random.pick(&[1, 2, 5, 4_000]);
        bounds.definitions = *random.pick(&[0, 1, 2, 8]);
        bounds.recursion = *random.pick(&[0, 1, 3, 24]);
        bounds.ways = *random.pick(&[1, 3, 64]);
        bounds.variables = *random.pick(&[1, 10, 50, 2_000]);
        bounds.regress = random.chance(50);
    }
    if random.chance(50) {
        bounds.selection = Selection::LeftToRight;
    }
    for id in predicates(theory) {
        if random.chance(10) {
            bounds.keep.insert(id);
        }
    }
    bounds
}

/// What came of the theories.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    self_contradicting: usize,
    limited: usize,
    compared: usize,
    answers: usize,
    changed: usize,
}

/// Does the theory give the same answers however it is asked? A variable without a condition ranges
/// over the smallest sort of its places, but is taken as it is when it is known.
fn is_consistent(theory: &Theory, original: &Subject) -> Result<bool, Error> {
    for id in predicates(theory) {
        let domains = &theory.base.predicate(id).domains;
        let all = original.answers(id, &vec![None; domains.len()])?;
        let mut keys: Vec<Vec<Option<Value>>> = vec![vec![]];
        for domain in domains {
            let values: Vec<Option<Value>> = match domain {
                Some(domain) => {
                    theory.base.domain(*domain).values.iter().map(|v| Some(*v)).collect()
                }
                None => vec![None],
            };
            keys = keys
                .iter()
                .flat_map(|key| {
                    values.iter().map(move |value| [key.clone(), vec![*value]].concat())
                })
                .collect();
        }
        let mut found = BTreeSet::new();
        for key in keys {
            found.extend(original.answers(id, &key)?);
        }
        if found != all {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The theory with some predicates' clauses replaced by what they unfold into.
fn unfolded(theory: &Theory, solver: &Solver, ids: &[PredicateId], bounds: &Bounds) -> Theory {
    let knowledge = Knowledge::new(theory, solver);
    let mut changed = theory.clone();
    for id in ids {
        changed.base.clauses[id.0 as usize] = unfold(&knowledge, *id, bounds);
    }
    changed.base.settle();
    changed.symbols = solver.symbols().borrow().clone();
    changed
}

/// What came of one theory: how much was compared, or why nothing was.
enum Verdict {
    Rejected,
    Limited,
    SelfContradicting,
    Compared { questions: usize, answers: usize, changed: usize },
}

/// Asks a theory and the same theory unfolded in many ways; the error says where they differ.
fn compare(text: &str, seed: u64) -> Result<Verdict, String> {
    let mut random = Random::new(seed);
    let parsed = parse("random.rules", text, &Settings::default(), &NoFiles);
    let Some(theory) = parsed.theory else { return Ok(Verdict::Rejected) };
    let original = subject(&theory);
    match is_consistent(&theory, &original) {
        Ok(true) => {}
        Ok(false) => return Ok(Verdict::SelfContradicting),
        Err(_) => return Ok(Verdict::Limited),
    }
    let ids = predicates(&theory);
    let mut requests: Vec<Vec<PredicateId>> = ids.iter().map(|id| vec![*id]).collect();
    requests.push(ids.clone());
    let (mut questions, mut answers, mut changed) = (0, 0, 0);
    for request in requests {
        let bounds = random_bounds(&mut random, &theory);
        let other_theory = unfolded(&theory, &original.solver, &request, &bounds);
        let clauses = |theory: &Theory| -> Vec<String> {
            request
                .iter()
                .flat_map(|id| theory.base.clauses_of(*id))
                .map(|one| show(theory, one))
                .collect()
        };
        changed += usize::from(clauses(&theory) != clauses(&other_theory));
        let other = subject(&other_theory);
        for id in &ids {
            for pattern in patterns(&mut random, &theory, *id) {
                // A question far outside the sorts may lead a recursion astray.
                let Ok(expected) = original.answers(*id, &pattern) else { continue };
                let found = other.answers(*id, &pattern);
                // A random body may be dear when nothing orders it.
                if matches!(found, Err(Error::Limit { .. })) {
                    continue;
                }
                if found.as_ref() != Ok(&expected) {
                    let name = &theory.base.predicate(*id).name;
                    return Err(format!(
                        "{name} {pattern:?}\nexpected {expected:?}\nfound {found:?}\n{bounds:?}\n{:#?}",
                        clauses(&other_theory)
                    ));
                }
                questions += 1;
                answers += expected.len();
            }
        }
    }
    Ok(Verdict::Compared { questions, answers, changed })
}

/// The same, with a panic as a difference.
fn attempt(text: &str, seed: u64) -> Result<Verdict, String> {
    let compared = std::panic::catch_unwind(|| compare(text, seed));
    compared.unwrap_or_else(|_| Err("it panics".to_owned()))
}

fn check(seed: u64, tally: &mut Tally) {
    let text = random_theory(&mut Random::new(seed));
    match attempt(&text, seed) {
        Ok(Verdict::Rejected) => tally.rejected += 1,
        Ok(Verdict::Limited) => tally.limited += 1,
        Ok(Verdict::SelfContradicting) => tally.self_contradicting += 1,
        Ok(Verdict::Compared { questions, answers, changed }) => {
            tally.compared += questions;
            tally.answers += answers;
            tally.changed += changed;
        }
        Err(first) => {
            let failure = |text: &str| (seed..seed + 12).find_map(|seed| attempt(text, seed).err());
            let shorter = shrink(&text, &|text| failure(text).is_some());
            let error = failure(&shorter).unwrap_or(first);
            panic!("seed {seed}: {error}\n{shorter}");
        }
    }
}

fn show(theory: &Theory, clause: &rulesmith_logic::Clause) -> String {
    let atom = |a: &rulesmith_logic::Atom| {
        format!("{}{:?}", theory.base.predicate(a.predicate).name, a.args)
    };
    format!("{} :- {:?}", atom(&clause.head), clause.body)
}

#[test]
fn unfolded_predicates_answer_like_the_theory() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let first = number("FIRST_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + number("RANDOM_THEORIES", N_THEORIES) {
        check(seed, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.rejected < 50 || tally.compared > 10_000, "{tally:?}");
}

/// Compares a short text under many bounds.
fn check_text(declarations: &str) {
    let ending = "move pass. legal P does pass :- role(P). terminal. goal(P, 50) :- role(P).";
    let text = format!("rules 1. game short. role a, b.\n{declarations}\n{ending}");
    for seed in 0..200 {
        let compared = compare(&text, seed).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(matches!(compared, Verdict::Compared { .. }), "{text}");
    }
}

#[test]
fn conclusions_outside_their_sort_do_not_count() {
    check_text(
        "sort n = 1..3. sort m = 0..5. fluent f(n). init f(3). init f(1).
         derived up(n). up(X + 1) :- f(X).
         beyond(Y) :- up(Y), Y > 3. some :- up(_). number(count { Y : up(Y) }).
         derived far(m). far(Y + 1) :- up(Y). far(X) :- up(X - 2), not up(X).",
    );
}

#[test]
fn alternatives_beyond_the_bound_are_kept() {
    check_text(
        "sort n = 1..3. fluent f(n). init f(2).
         one(X) :- n(X), (f(X) ; X = 1), (X < 3 ; f(2)), (X > 1 ; f(1)).
         derived left(n). derived right(n).
         left(X) :- (f(X) ; n(X), right(X - 1)). right(X) :- (left(X) ; f(X), left(_)).
         both :- not left(1), right(3).",
    );
}

#[test]
fn what_is_computed_from_a_head_variable_may_leave_every_sort() {
    check_text(
        "sort n = 1..3. sort c = {red, blue}. fluent f(n). init f(2).
         derived ends(c, n). ends(blue, X) :- (Y = X + 3 ; n(Y), f(Y), X = Y).",
    );
}

#[test]
fn recursion_ends_by_static_facts_or_is_called() {
    check_text(
        "sort n = 1..5. static next(n, n). next(X, X + 1). fluent f(n). init f(3). init f(4).
         derived right(n, n). right(X, X). right(X, Z) :- next(X, Y), f(Y), right(Y, Z).
         derived left(n, n). left(X, X). left(X, Z) :- left(X, Y), next(Y, Z), f(Z).
         derived even(n). derived odd(n). even(5). even(X) :- next(X, Y), odd(Y). odd(X) :- next(X, Y), even(Y).
         alone(X) :- even(X), none { Y : right(X, Y), Y \\= X }.
         sum(N) :- N = count { X, Y : left(X, Y) }.",
    );
}
