//! The interpreter: a specialised program in the reference solver's place.
//!
//! In: a game and what the specialiser made of it. Out: the same game, whose questions are answered by
//! matching trees on working memories. It is the oracle and the fallback for native code, and it counts
//! how often each condition was tried. Paper: metameta §4. Invariant: every answer is the reference
//! solver's; what the program does not answer, the solver does.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use rulesmith_logic::{AsWritten, Error, PredicateId, Proofs, Row, Source, Statics, Value};
use rulesmith_matching::{Count, Matcher, Memory, Outside, Program, Setting, StaticMemory};
use rulesmith_rules::{MoveId, PredicateKind, Request, RequestArg, Theory};
use rulesmith_specialize::{Knowledge, Specialized};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::counted_nodes::conditions_of;
use crate::reference::state::StateCore;
use crate::reference::world::StateWorld;
use crate::reference::{Act, Shared, Step};

/// A specialised program that answers for a game.
#[derive(Debug)]
pub struct Interpreter {
    program: Program,
    fixed: Rc<StaticMemory>,
    /// What procedures of the program answer.
    called: FxHashSet<PredicateId>,
    n_procedures: usize,
    /// Per procedure and node, over all questions so far.
    counts: RefCell<Vec<Vec<Count>>>,
    /// Per procedure, the nodes that are conditions.
    conditions: Vec<Vec<usize>>,
    host: HostCount,
}

/// What the solver does for the program: objects, and what no procedure answers.
#[derive(Debug, Default)]
struct HostCount {
    is_counted: Cell<bool>,
    is_busy: Cell<bool>,
    successes: Cell<u64>,
}

/// How the host's share is counted: as the theory reads, with static facts as facts.
const HOST_READING: AsWritten =
    AsWritten { statics: Statics::Facts, proofs: Proofs::First, success_limit: u64::MAX };

/// A program that cannot be run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InterpreterError {
    /// A predicate is called with less known than any of its procedures needs.
    #[error("`{name}` cannot be answered with {n_known} of its arguments known; know more of them")]
    NoWay {
        /// The predicate, with its arity.
        name: String,
        /// How many arguments are known.
        n_known: usize,
    },
    /// Anything else that is wrong with it.
    #[error("the program cannot be assembled: {0}")]
    Program(#[from] rulesmith_matching::Error),
}

/// The error with the name of the predicate.
fn named(theory: &Theory, error: rulesmith_matching::Error) -> InterpreterError {
    let rulesmith_matching::Error::NoWay { predicate, known } = &error else { return error.into() };
    let Some(described) = theory.base.predicates.get(predicate.0 as usize) else {
        return error.into();
    };
    let name = format!("{}/{}", described.name, described.domains.len());
    InterpreterError::NoWay { name, n_known: known.n_known() }
}

/// The requests whose answers make up a game: moves, ends, goals and effects.
pub fn game_requests(theory: &Theory) -> Vec<Request> {
    let asked = |kind: &PredicateKind| match kind {
        PredicateKind::Legal(_) | PredicateKind::Goal => Some(1),
        PredicateKind::Terminal
        | PredicateKind::Draw
        | PredicateKind::Continue
        | PredicateKind::Prefer
        | PredicateKind::Assign(_)
        | PredicateKind::Deferred(_) => Some(0),
        _ => None,
    };
    let requests = theory.kinds.iter().zip(0..).filter_map(|(kind, id)| {
        let (predicate, n_known) = (PredicateId(id), asked(kind)?);
        let described = theory.base.predicate(predicate);
        let arg = |place: usize| {
            let name = format!("A{place}");
            if place < n_known { RequestArg::Known(name) } else { RequestArg::Unknown(name) }
        };
        let args = (0..described.domains.len()).map(arg).collect();
        Some(Request { predicate, args, text: described.name.clone() })
    });
    requests.collect()
}

impl Interpreter {
    /// Makes a program ready to run.
    pub fn new(
        knowledge: &Knowledge<'_>,
        specialized: &Specialized,
    ) -> Result<Self, InterpreterError> {
        let procedures: Vec<_> =
            specialized.procedures.iter().map(|one| one.procedure.clone()).collect();
        let fixed = Rc::clone(knowledge.facts.static_memory());
        let answered = |predicate| specialized.answered(knowledge, predicate);
        let program = Program::assemble(fixed.universe(), &procedures, &answered);
        let program = program.map_err(|error| named(knowledge.theory, error))?;
        let called = procedures.iter().map(|procedure| procedure.predicate).collect();
        let n_procedures = procedures.len();
        let conditions =
            procedures.iter().map(|procedure| conditions_of(&procedure.tree)).collect();
        let (counts, host) = (RefCell::default(), HostCount::default());
        Ok(Self { program, fixed, called, n_procedures, counts, conditions, host })
    }

    /// How often each node of each procedure was tried and held, over all questions so far. Nodes are
    /// numbered as [`Count`] says.
    pub fn counts(&self) -> Vec<Vec<Count>> {
        self.counts.borrow().clone()
    }

    /// How many conditions held, over all questions so far; conclusions are none.
    pub fn successes(&self) -> u64 {
        let counts = self.counts.borrow();
        let procedures = counts.iter().zip(&self.conditions);
        let held = procedures.flat_map(|(counts, nodes)| {
            nodes.iter().filter_map(|node| counts.get(*node)).map(|count| count.held)
        });
        held.sum::<u64>() + self.host.successes.get()
    }

    /// How many of them held in what the solver does for the program.
    pub fn host_successes(&self) -> u64 {
        self.host.successes.get()
    }

    /// Starts all counts anew.
    pub fn reset_counts(&self) {
        self.counts.borrow_mut().clear();
        self.host.successes.set(0);
    }

    /// From now on counts what the solver does for the program too: the objects of each memory, and
    /// what no procedure answers. This keeps the solver from remembering, so it takes time.
    pub fn count_host(&self) {
        self.host.is_counted.set(true);
    }

    /// The solver's answer to what the program does not answer itself.
    pub(crate) fn ask_solver(
        &self,
        world: &StateWorld,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let solver = &world.shared.solver;
        let ask = || solver.call(world, predicate, pattern);
        if !self.host.is_counted.get() || self.host.is_busy.get() {
            return ask();
        }
        if let Source::Component(id, _) = world.shared.theory.base.predicate(predicate).source
            && !world.core.found.borrow_mut().insert(id)
        {
            // All parts of the components of a state are found at once, and remembered.
            return ask();
        }
        self.host.is_busy.set(true);
        let answer = solver.as_written(world, HOST_READING, ask);
        self.host.is_busy.set(false);
        let (rows, n_successes) = answer?;
        self.host.successes.set(self.host.successes.get() + n_successes);
        Ok(rows)
    }

    pub(crate) fn answers(&self, predicate: PredicateId) -> bool {
        self.called.contains(&predicate)
    }

    pub(crate) fn rows(
        &self,
        world: &Rc<StateWorld>,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let solver = &world.shared.solver;
        let setting = Setting {
            symbols: solver.symbols(),
            limits: *solver.limits(),
            stop: solver.stop().clone(),
        };
        let memory = self.memory(world);
        let matcher = Matcher::new(&self.program, setting);
        let rows = matcher.query_values(&memory, predicate, pattern);
        self.add_counts(&matcher);
        rows.map(Rc::new)
    }

    fn add_counts(&self, matcher: &Matcher<'_>) {
        let mut totals = self.counts.borrow_mut();
        totals.resize_with(self.n_procedures, Vec::new);
        for (procedure, total) in totals.iter_mut().enumerate() {
            let counts = matcher.counts(procedure);
            total.resize_with(counts.len(), Count::default);
            for (total, count) in total.iter_mut().zip(counts) {
                total.tried += count.tried;
                total.held += count.held;
            }
        }
    }

    /// The working memory of a world, made on first use.
    fn memory(&self, world: &Rc<StateWorld>) -> Rc<Memory> {
        let kept = if world.acts.is_empty() { &world.core.memory } else { &world.memory };
        if let Some(memory) = kept.get() {
            return Rc::clone(memory);
        }
        // The state holds the memory, so the memory must not hold the state.
        let memory = self.make_memory(world, Held::Elsewhere(Rc::downgrade(&world.core)));
        Rc::clone(kept.get_or_init(|| memory))
    }

    fn make_memory(&self, world: &Rc<StateWorld>, core: Held) -> Rc<Memory> {
        let mut memory = Memory::new(Rc::clone(&self.fixed));
        let theory = &world.shared.theory;
        for (kind, id) in theory.kinds.iter().zip(0..) {
            let described = theory.base.predicate(PredicateId(id));
            let is_object = matches!(described.source, Source::Component(..));
            if is_object || matches!(kind, PredicateKind::Fluent(_) | PredicateKind::Does(_)) {
                memory.promise(PredicateId(id), described.domains.len());
            }
        }
        let shared = Rc::downgrade(&world.shared);
        let acts = world.acts.clone();
        memory.set_outside(Rc::new(Host { shared, core, acts, passed: RefCell::default() }));
        Rc::new(memory)
    }
}

/// What a working memory asks the game it is part of.
#[derive(Debug)]
struct Host {
    shared: Weak<Shared>,
    core: Held,
    acts: Vec<Act>,
    /// Where passages lead, since several conditions often ask about one move.
    passed: RefCell<FxHashMap<Passage, Vec<Rc<Memory>>>>,
}

/// A memory remembers where this many passages lead.
const PASSAGES_KEPT: usize = 1024;

/// What leads to other states, with its arguments.
type Passage = (PredicateId, Row);

/// Who keeps the state of a memory alive.
#[derive(Debug)]
enum Held {
    /// Whoever asks: the state holds the memory.
    Elsewhere(Weak<StateCore>),
    /// The memory: it is all that is left of a passage.
    Here(Rc<StateCore>),
}

impl Host {
    fn world(&self) -> Result<Rc<StateWorld>, Error> {
        let gone = || Error::Conflict { message: "the state is gone".to_owned(), spans: vec![] };
        let core = match &self.core {
            Held::Elsewhere(core) => core.upgrade(),
            Held::Here(core) => Some(Rc::clone(core)),
        };
        let (shared, core) = (self.shared.upgrade(), core);
        let (shared, core) = shared.zip(core).ok_or_else(gone)?;
        Ok(StateWorld::of_step(&shared, &core, self.acts.clone()))
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
        let world = self.world()?;
        match world.shared.interpreter.get() {
            Some(interpreter) => interpreter.ask_solver(&world, predicate, pattern),
            None => world.shared.solver.call(&*world, predicate, pattern),
        }
    }

    fn passages(
        &self,
        _matcher: &Matcher<'_>,
        _memory: &Memory,
        by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<Memory>>, Error> {
        let key = (by, Row::from(args));
        if let Some(known) = self.passed.borrow().get(&key) {
            return Ok(known.clone());
        }
        let world = self.world()?;
        let shared = Rc::clone(&world.shared);
        let Some(interpreter) = shared.interpreter.get() else { return Ok(vec![]) };
        let worlds = match shared.theory.kind(by) {
            PredicateKind::Does(kind) => vec![world.world_after(act(*kind, args))?],
            PredicateKind::Cycle(over) => world.cycle_states(over, args[0]),
            _ => vec![],
        };
        let memory = |world: &Rc<StateWorld>| {
            interpreter.make_memory(world, Held::Here(Rc::clone(&world.core)))
        };
        let memories: Vec<Rc<Memory>> = worlds.iter().map(memory).collect();
        let mut passed = self.passed.borrow_mut();
        if passed.len() < PASSAGES_KEPT {
            passed.insert(key, memories.clone());
        }
        Ok(memories)
    }
}

fn act(kind: MoveId, args: &[Value]) -> Act {
    Act { role: args[0], step: Step { kind, args: args[1..].into() } }
}
