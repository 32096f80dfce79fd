//! Specialised programs, run on states and compared with the reference solver.
//!
//! In: knowledge of a theory, states, families of metarules, random numbers. Out: how much was compared
//! and which families were of use, or a difference. Invariant: nothing of the solver's answers reaches
//! the program, except for predicates the program says are answered outside.

#![allow(dead_code, reason = "each test that includes this module uses a part of it")]

use std::rc::Rc;

use rulesmith_logic::{Error, PredicateId, Row, Source, Value};
use rulesmith_matching::{Matcher, Memory, Outside, Program, Setting};
use rulesmith_rules::{Request, RequestArg, Theory};
use rulesmith_specialize::metarules::{Families, Family, GeneralRule, MetaruleId, Store};
use rulesmith_specialize::{
    Bounds, Knowledge, Settings, Specialized, Specializer, authors_metarules, dependency_tests,
};

use crate::random_theories::Random;
use crate::subjects::{Facts, Subject, predicates, random_bounds, solver};

/// What differs, in words.
pub(crate) type Difference = String;

/// All families, in the order of their numbers.
pub(crate) const FAMILIES: [Family; 6] = [
    Family::General,
    Family::Impossibility,
    Family::Monovaluation,
    Family::Useless,
    Family::Invariant,
    Family::Declared,
];

/// Some of the families.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subset(u64);

impl Subset {
    /// Every combination has a number; they come round again.
    pub(crate) fn new(number: u64) -> Self {
        Self(number % (1 << FAMILIES.len()))
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }

    pub(crate) fn families(self) -> Families {
        let chosen = FAMILIES.iter().enumerate().filter(|(place, _)| self.0 >> place & 1 == 1);
        chosen.fold(Families::NONE, |families, (_, family)| families.with(*family))
    }
}

/// What came of one specialisation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    pub(crate) refused: usize,
    pub(crate) questions: usize,
    pub(crate) answers: usize,
    pub(crate) limited: usize,
    pub(crate) n_invariants: usize,
    /// How often each family was of use.
    pub(crate) used: [u64; FAMILIES.len()],
}

/// Is what the author declares true of the state? The violations are asked in place of the end.
pub(crate) fn declared_holds(knowledge: &Knowledge<'_>, state: &Subject) -> Result<bool, Error> {
    let theory = knowledge.theory;
    let authors = authors_metarules(knowledge);
    let tests = dependency_tests(theory, &authors);
    if tests.is_empty() {
        return Ok(true);
    }
    let mut changed = theory.clone();
    let violations = tests.into_iter().flat_map(|test| test.violations).collect();
    changed.base.clauses[theory.terminal.0 as usize] = violations;
    changed.base.settle();
    changed.symbols = state.solver.symbols().borrow().clone();
    let violated = solver(&changed).query(&*state.facts, theory.terminal, &[])?;
    Ok(violated.is_empty())
}

/// Specialises random requests with these families and compares all states.
pub(crate) fn compare_run(
    knowledge: &Knowledge<'_>,
    states: &[(bool, Subject)],
    subset: Subset,
    random: &mut Random,
) -> Result<Run, Difference> {
    let theory = knowledge.theory;
    let bounds = random_bounds(random, theory);
    let mines_eagerly = random.chance(50);
    let settings = Settings { bounds: bounds.clone(), families: subset.families(), mines_eagerly };
    let samples: Vec<_> = states.iter().map(|(_, state)| state.sample()).collect();
    let shown = if random.chance(50) { samples.clone() } else { vec![] };
    let mut specializer = Specializer::new(knowledge, settings, shown);
    let mut run = Run::default();
    // Nothing moves in these theories, so an invariant is what is true of the start.
    let finds_invariants = states[0].0 && random.chance(50);
    if finds_invariants {
        run.n_invariants = specializer.find_invariants(&samples[..1]).proved.len();
    }
    let requests = random_requests(random, theory);
    for request in requests {
        let Ok(specialized) = specializer.specialize(std::slice::from_ref(&request)) else {
            run.refused += 1;
            continue;
        };
        let asked = Asked { knowledge, specialized: &specialized, request: &request };
        let compared = if finds_invariants { &states[..1] } else { states };
        for (_, state) in compared {
            asked.compare(state, random, &mut run).map_err(|difference| {
                explained(&difference, subset, mines_eagerly, &bounds, &asked)
            })?;
        }
    }
    run.used = uses(specializer.store());
    for (family, used) in FAMILIES.iter().zip(run.used) {
        if used > 0 && !subset.families().has(*family) {
            return Err(format!("{family:?} is off and was used {used} times"));
        }
    }
    Ok(run)
}

fn explained(
    difference: &str,
    subset: Subset,
    mines_eagerly: bool,
    bounds: &Bounds,
    asked: &Asked<'_>,
) -> Difference {
    let theory = asked.knowledge.theory;
    let symbols = asked.knowledge.symbols().borrow();
    let clauses = asked.specialized.procedures.iter().flat_map(|one| &one.clauses);
    let clauses: Vec<String> =
        clauses.map(|one| rulesmith_rules::clause_text(theory, &symbols, &one.clause)).collect();
    let families: Vec<&Family> =
        FAMILIES.iter().filter(|family| subset.families().has(**family)).collect();
    format!("{difference}\n{families:?}, eager {mines_eagerly}\n{bounds:?}\n{clauses:#?}")
}

/// How often each family was of use, retired metarules included.
fn uses(store: &Store) -> [u64; FAMILIES.len()] {
    let mut used = [0; FAMILIES.len()];
    used[0] = GeneralRule::ALL.iter().map(|rule| store.general_uses(*rule).total()).sum();
    for metarule in (0..).map_while(|number| store.get(MetaruleId(number))) {
        let place = FAMILIES.iter().position(|family| *family == metarule.family()).unwrap();
        used[place] += metarule.uses.total();
    }
    used
}

/// Some predicates, each with a random pattern of what is known.
fn random_requests(random: &mut Random, theory: &Theory) -> Vec<Request> {
    let ids = predicates(theory);
    if ids.is_empty() {
        return vec![];
    }
    let mut requests = Vec::new();
    for _ in 0..3 {
        let predicate = *random.pick(&ids);
        let described = theory.base.predicate(predicate);
        let mut args = Vec::new();
        for (place, domain) in described.domains.iter().enumerate() {
            // A name may come twice: then the arguments are the same.
            let name = format!("A{}", if random.chance(10) { 0 } else { place });
            args.push(match random.below(10) {
                0..4 => RequestArg::Known(name),
                4..8 => RequestArg::Unknown(name),
                8 => RequestArg::Unknown("_".to_owned()),
                _ => match domain {
                    Some(domain) => {
                        let values = &theory.base.domain(*domain).values;
                        let values: Vec<Value> = values.iter().copied().collect();
                        RequestArg::Value(*random.pick(&values))
                    }
                    None => RequestArg::Unknown(name),
                },
            });
        }
        requests.push(Request { predicate, args, text: described.name.clone() });
    }
    requests
}

/// A request and the program made for it.
pub(crate) struct Asked<'a> {
    pub(crate) knowledge: &'a Knowledge<'a>,
    pub(crate) specialized: &'a Specialized,
    pub(crate) request: &'a Request,
}

impl Asked<'_> {
    /// Puts questions to the program and to the solver.
    pub(crate) fn compare(
        &self,
        state: &Subject,
        random: &mut Random,
        run: &mut Run,
    ) -> Result<(), Difference> {
        let procedures: Vec<_> =
            self.specialized.procedures.iter().map(|one| one.procedure.clone()).collect();
        let fixed = self.knowledge.facts.static_memory();
        let answered = |predicate| self.specialized.answered(self.knowledge, predicate);
        let program = Program::assemble(fixed.universe(), &procedures, &answered)
            .map_err(|error| format!("no program: {error}"))?;
        let memory = self.memory(state);
        let setting = Setting {
            symbols: state.solver.symbols(),
            limits: *state.solver.limits(),
            stop: state.solver.stop().clone(),
        };
        let matcher = Matcher::new(&program, setting);
        for _ in 0..4 {
            let (given, asked) = self.random_question(random);
            // A question far outside the sorts may lead a recursion astray.
            let predicate = self.request.predicate;
            let Ok(rows) = state.solver.query(&*state.facts, predicate, &asked) else { continue };
            let rows: Vec<Row> = rows.iter().filter(|row| self.agrees(row)).cloned().collect();
            let expected = state.texts(&rows);
            let name = procedures[0].predicate;
            let found = match matcher.query_values(&memory, name, &given) {
                Ok(found) => state.texts(&found),
                Err(Error::Limit { .. }) => {
                    run.limited += 1;
                    continue;
                }
                Err(error) => return Err(format!("{:?}: {error}", self.request)),
            };
            if found != expected {
                return Err(format!(
                    "{:?} {given:?} {:?}\nexpected {expected:?}\nfound {found:?}",
                    self.request, state.facts.rows
                ));
            }
            run.questions += 1;
            run.answers += expected.len();
        }
        Ok(())
    }

    fn memory(&self, state: &Subject) -> Memory {
        let mut memory = Memory::new(Rc::clone(self.knowledge.facts.static_memory()));
        let base = &self.knowledge.theory.base;
        for (predicate, rows) in &state.facts.rows {
            memory.load(*predicate, base.predicate(*predicate).domains.len(), rows);
        }
        for (described, id) in base.predicates.iter().zip(0..) {
            if matches!(described.source, Source::Component(..)) {
                let arity = described.domains.len();
                let free = vec![None; arity];
                let rows = state.solver.query(&*state.facts, PredicateId(id), &free).unwrap();
                memory.load(PredicateId(id), arity, &rows);
            }
        }
        memory.set_outside(Rc::new(Host(state.clone())));
        memory
    }

    /// What the program is given, and the same question as the solver understands it.
    fn random_question(&self, random: &mut Random) -> (Vec<Option<Value>>, Vec<Option<Value>>) {
        let base = &self.knowledge.theory.base;
        let domains = &base.predicate(self.request.predicate).domains;
        let all: Vec<Value> =
            base.domains.iter().flat_map(|domain| domain.values.iter().copied()).collect();
        let mut named: Vec<(&str, Value)> = Vec::new();
        let (mut given, mut asked) = (vec![], vec![]);
        for (arg, domain) in self.request.args.iter().zip(domains) {
            let value = match domain {
                Some(domain) if random.chance(90) => {
                    let values: Vec<Value> = base.domain(*domain).values.iter().copied().collect();
                    *random.pick(&values)
                }
                _ => *random.pick(&all),
            };
            match arg {
                RequestArg::Known(name) => {
                    // Equal names mostly get equal values, and no answer otherwise.
                    let earlier = named.iter().find(|(other, _)| other == name);
                    let earlier = earlier.filter(|_| random.chance(80)).map(|(_, value)| *value);
                    let value = earlier.unwrap_or(value);
                    named.push((name, value));
                    given.push(Some(value));
                    asked.push(Some(value));
                }
                RequestArg::Unknown(_) => {
                    given.push(None);
                    asked.push(None);
                }
                RequestArg::Value(value) => {
                    given.push(None);
                    asked.push(Some(*value));
                }
            }
        }
        (given, asked)
    }

    /// Are arguments of one name the same?
    fn agrees(&self, row: &Row) -> bool {
        let names: Vec<Option<&str>> = self.request.args.iter().map(name_of).collect();
        (0..row.len()).all(|one| {
            (0..one).all(|other| {
                names[one].is_none() || names[one] != names[other] || row[one] == row[other]
            })
        })
    }
}

fn name_of(arg: &RequestArg) -> Option<&str> {
    match arg {
        RequestArg::Known(name) | RequestArg::Unknown(name) if name != "_" => Some(name),
        _ => None,
    }
}

/// Answers what the program leaves to whoever runs it.
struct Host(Subject);

impl std::fmt::Debug for Host {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Host").finish_non_exhaustive()
    }
}

impl Outside for Host {
    fn facts(
        &self,
        _matcher: &Matcher<'_>,
        _memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let facts: &Facts = &self.0.facts;
        self.0.solver.query(facts, predicate, pattern)
    }

    fn passages(
        &self,
        _matcher: &Matcher<'_>,
        _memory: &Memory,
        _by: PredicateId,
        _args: &[Value],
    ) -> Result<Vec<Rc<Memory>>, Error> {
        Ok(vec![])
    }
}
