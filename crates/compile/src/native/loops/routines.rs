//! Routines: large predicates as kernels of their own.
//!
//! In: an atom. Out: a statement that runs the routine of its predicate, which is made where it is first asked for. It says
//! whether the predicate holds of what is known, or leaves all that it holds of in words of the state. Invariant: a routine of a predicate asks about nothing but the state and its parameters: not
//! which move is being made, nor what happened before.

use rulesmith_kernel::{Kernel, MAX_RUNS, RoutineId, Scalar, Statement, Word};
use rulesmith_logic::{DomainId, PredicateId, Term, Value, Var};
use rustc_hash::FxHashMap;

use super::super::Obstacle;
use super::super::apart::Part;
use super::super::emit::{Certainty, Emitter};
use super::super::optimizations::Optimization;
use super::chase::Chase;
use super::elsewhere::{Doing, Kind};
use super::held::Held;
use super::lower::{Before, Lowering};
use super::recompute::Asked;
use super::size::Size;
use super::stored::Stored;

/// What is found is kept in planes of at most so many tuples, which are emptied before each search.
const FOUND_LIMIT: u32 = 4_096;

/// Routines of more statements are run rather than written again where that would do, too.
const LARGE: usize = 500;

/// The routines made so far.
#[derive(Debug, Default)]
pub(crate) struct Routines {
    /// By predicate and what is known of its arguments, the routine that says whether it holds of anything; none where it
    /// cannot be one.
    known: FxHashMap<Key, Option<RoutineId>>,
    /// By predicate and what is known of its arguments, the routine that finds the others; none where it cannot be one.
    finding: FxHashMap<Key, Option<Finding>>,
    /// By predicate, which of its arguments are known, and whose answers are being looked at, the routine that answers the
    /// questions of a recursion; none where it cannot be one.
    pub(super) chasing: FxHashMap<(PredicateId, Vec<bool>, Vec<PredicateId>), Option<Chase>>,
    pub(crate) list: Vec<Kernel>,
    /// How deep each runs others.
    depths: Vec<usize>,
    /// By role and kind, the routine that makes a move; none where it cannot be one.
    making: FxHashMap<(usize, usize), Option<RoutineId>>,
    /// By role and kind, and whether hashes are kept, the routine that makes a part of turns.
    pub(crate) parts: FxHashMap<(usize, usize, Part, bool), Option<RoutineId>>,
    /// By role, the routine that says of which kinds it has moves.
    pub(crate) legality: FxHashMap<usize, RoutineId>,
    /// By the place of a derived predicate, the routine that computes it into its words.
    pub(crate) storing: FxHashMap<usize, Option<Storing>>,
}

/// What a routine is for: a predicate, what is known of its arguments, and the recursions whose answers are being looked at
/// while it runs, which stay as they are.
type Key = (PredicateId, Vec<Option<Input>>, Vec<PredicateId>);

/// A routine that finds everything unknown that a predicate holds of.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    routine: RoutineId,
    /// Where it leaves what it found.
    pub(super) found: Stored,
}

/// A routine that computes derived predicates into their words.
#[derive(Clone, Debug)]
pub(crate) struct Storing {
    pub(crate) routine: RoutineId,
    /// All whose words it changes.
    pub(crate) places: Vec<usize>,
    /// Those of them that it computes on every way.
    pub(crate) surely: Vec<usize>,
}

impl Routines {
    /// The routine that computes a derived predicate into its words, if it is too large to be done in place.
    pub(crate) fn large_storing(&self, derived: usize) -> Option<Storing> {
        let storing = self.storing.get(&derived)?.as_ref()?;
        (self.n_statements(storing.routine) > LARGE).then(|| storing.clone())
    }

    pub(crate) fn n_statements(&self, RoutineId(id): RoutineId) -> usize {
        self.list.get(usize::from(id)).map_or(0, |kernel| n_statements(&kernel.body))
    }

    /// Adds a routine, unless there is the same; none if there are too many, or too many that run each other.
    pub(crate) fn add(&mut self, kernel: Kernel) -> Option<RoutineId> {
        if let Some(same) = self.list.iter().position(|other| *other == kernel) {
            return u16::try_from(same).ok().map(RoutineId);
        }
        let id = u16::try_from(self.list.len()).ok()?;
        let depth = self.depth(&kernel.body);
        // A kernel that runs it is one deeper.
        if depth >= MAX_RUNS {
            return None;
        }
        self.list.push(kernel);
        self.depths.push(depth);
        Some(RoutineId(id))
    }

    /// How deep statements run routines.
    fn depth(&self, body: &[Statement]) -> usize {
        let depth = |statement: &Statement| match statement {
            Statement::Run(_, RoutineId(id), _) => {
                1 + self.depths.get(usize::from(*id)).copied().unwrap_or(MAX_RUNS)
            }
            Statement::If(_, then, otherwise) => self.depth(then).max(self.depth(otherwise)),
            Statement::ForEach(_, _, inside) | Statement::Repeat(inside) => self.depth(inside),
            _ => 0,
        };
        body.iter().map(depth).max().unwrap_or(0)
    }
}

/// An argument of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Input {
    Fixed(Value),
    Place(DomainId),
    Number,
}

impl Lowering<'_, '_> {
    /// Whether a predicate holds of what is known and of anything else, by a routine; nothing if it is asked in place.
    pub(super) fn by_routine(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
    ) -> Result<Option<Certainty>, Obstacle> {
        if !self.has(Optimization::Routines) || self.setting.stored(predicate).is_some() {
            return Ok(None);
        }
        if !self.are_apart(args) {
            return Ok(None);
        }
        let held = self.held_by_routine(predicate, args);
        let inputs = held.iter().map(|held| held.map(Input::of)).collect();
        let Some(routine) = self.routine(predicate, inputs)? else { return Ok(None) };
        let params = held.iter().flatten().filter_map(|held| held.word()).collect();
        let found = self.emitter.scalar();
        self.emitter.push(Statement::Run(found, routine, params));
        Ok(Some(Certainty::If(found.into())))
    }

    /// What a routine is told of its arguments. Predicates that are called to keep code short have one routine for all
    /// values.
    fn held_by_routine(&mut self, predicate: PredicateId, args: &[Term]) -> Vec<Option<Held>> {
        let domains = &self.setting.theory.base.predicate(predicate).domains;
        let is_called = self.setting.specialized.called.contains(&predicate);
        let mut told = Vec::new();
        for (term, domain) in args.iter().zip(domains) {
            let place = match (self.held(*term), domain) {
                (Some(Held::Fixed(value)), Some(domain)) if is_called => {
                    self.setting.domains.place(*domain, value).map(|place| (place, *domain))
                }
                _ => None,
            };
            told.push(match place {
                Some((place, domain)) => {
                    let word = Word::Constant(u64::from(place));
                    Some(Held::Place(self.emitter.let_word(word), domain))
                }
                None => self.held(*term),
            });
        }
        told
    }

    /// Are the unknown terms different variables?
    fn are_apart(&self, args: &[Term]) -> bool {
        let unknown = self.unknown(args);
        unknown.iter().enumerate().all(|(place, var)| !unknown[..place].contains(var))
    }

    /// Has everything unknown that a predicate holds of found by a routine; nothing if it is asked in place.
    pub(super) fn found_by_routine(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
    ) -> Result<Option<Stored>, Obstacle> {
        // Other predicates are faster in place, and short enough.
        let is_called = self.setting.specialized.called.contains(&predicate);
        if !self.has(Optimization::Routines) || !is_called || !self.are_apart(args) {
            return Ok(None);
        }
        let held = self.held_by_routine(predicate, args);
        let inputs = held.iter().map(|held| held.map(Input::of)).collect();
        let Some(finding) = self.finding(predicate, inputs)? else { return Ok(None) };
        let result = self.emitter.scalar();
        let params = held.iter().flatten().filter_map(|held| held.word()).collect();
        self.emitter.push(Statement::Run(result, finding.routine, params));
        Ok(Some(finding.found))
    }

    /// The routine that finds what is unknown, which is made if it is not there yet.
    fn finding(
        &mut self,
        predicate: PredicateId,
        inputs: Vec<Option<Input>>,
    ) -> Result<Option<Finding>, Obstacle> {
        let key = (predicate, inputs, self.chasing.clone());
        if let Some(known) = self.setting.routines.borrow().finding.get(&key) {
            return Ok(known.clone());
        }
        let mut size = Size::new(false);
        size.predicate(self.setting, predicate);
        let room = if size.is_routine() { self.room_for(predicate, &key.1) } else { None };
        let made = match room {
            Some(found) => {
                let kernel = self.make_finding(predicate, &key.1, &found);
                let kernel = self.unless_in_place(predicate, kernel)?;
                let mut routines = self.setting.routines.borrow_mut();
                let routine = kernel.and_then(|kernel| routines.add(kernel));
                routine.map(|routine| Finding { routine, found })
            }
            None => None,
        };
        self.setting.routines.borrow_mut().finding.insert(key, made.clone());
        Ok(made)
    }

    /// A routine as it was made. What is called to keep code short and cannot be a routine is asked in place.
    fn unless_in_place(
        &self,
        predicate: PredicateId,
        made: Result<Kernel, Obstacle>,
    ) -> Result<Option<Kernel>, Obstacle> {
        let is_called = self.setting.specialized.called.contains(&predicate);
        if is_called { Ok(made.ok()) } else { made.map(Some) }
    }

    /// Words for all that the unknown arguments of a predicate may be, if these are few.
    fn room_for(&mut self, predicate: PredicateId, inputs: &[Option<Input>]) -> Option<Stored> {
        let domains = &self.setting.theory.base.predicate(predicate).domains;
        let open = inputs.iter().zip(domains).filter(|(input, _)| input.is_none());
        let columns: Vec<DomainId> = open.map(|(_, domain)| *domain).collect::<Option<_>>()?;
        let sizes = columns.iter().map(|domain| self.setting.domains.len(*domain));
        let n_tuples = sizes.fold(1, u32::saturating_mul);
        if n_tuples > FOUND_LIMIT {
            return None;
        }
        let offset = self.spare.take(n_tuples.div_ceil(64).max(1));
        Some(Stored::of_tuples(columns, n_tuples, offset))
    }

    /// The kernel that finds what is unknown.
    fn make_finding(
        &mut self,
        predicate: PredicateId,
        inputs: &[Option<Input>],
        found: &Stored,
    ) -> Result<Kernel, Obstacle> {
        let open = (0..).map(Var).zip(inputs).filter(|(_, input)| input.is_none());
        let open: Vec<Term> = open.map(|(var, _)| Term::Var(var)).collect();
        self.kernel_of(predicate, inputs, |lowering, args| {
            lowering.clear(found);
            lowering.call(predicate, args, &mut |this| this.conclude(found, &open))?;
            Ok(Word::Constant(0))
        })
    }

    /// Makes a move of one role by a routine; false if it is to be made in place.
    pub(super) fn make_by_routine(
        &mut self,
        doing: &Doing,
        asked_at_end: &Asked,
    ) -> Result<bool, Obstacle> {
        let Kind::Known(kind) = doing.kind else { return Ok(false) };
        if !self.has(Optimization::Routines) || !self.chasing.is_empty() {
            return Ok(false);
        }
        let known = self.setting.routines.borrow().making.get(&(doing.role, kind)).copied();
        let routine = match known {
            Some(known) => known,
            None => self.making_routine(doing, asked_at_end)?,
        };
        self.setting.routines.borrow_mut().making.insert((doing.role, kind), routine);
        let Some(routine) = routine else { return Ok(false) };
        let result = self.emitter.scalar();
        let params = doing.params.iter().map(|param| Word::from(*param)).collect();
        self.emitter.push(Statement::Run(result, routine, params));
        Ok(true)
    }

    fn making_routine(
        &mut self,
        doing: &Doing,
        asked_at_end: &Asked,
    ) -> Result<Option<RoutineId>, Obstacle> {
        let mut size = Size::new(true);
        size.effects(self.setting);
        if size.is_tied {
            return Ok(None);
        }
        let n_params = u16::try_from(doing.params.len()).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.emitter.places, n_params);
        emitter.keeps_hashes = false;
        let mut lowering = Lowering::new(self.setting, &mut emitter, self.tables, self.spare);
        let params = (0..n_params).map(Scalar).collect();
        lowering.make(Doing { params, ..doing.clone() }, asked_at_end, false)?;
        emitter.push(Statement::Return(Word::Constant(0)));
        let kernel = emitter.into_kernel("make a move".to_owned(), n_params);
        Ok(self.setting.routines.borrow_mut().add(kernel))
    }

    /// The routine of a predicate, which is made if it is not there yet.
    fn routine(
        &mut self,
        predicate: PredicateId,
        inputs: Vec<Option<Input>>,
    ) -> Result<Option<RoutineId>, Obstacle> {
        let key = (predicate, inputs, self.chasing.clone());
        if let Some(known) = self.setting.routines.borrow().known.get(&key) {
            return Ok(*known);
        }
        let mut size = Size::new(false);
        size.predicate(self.setting, predicate);
        let made = if size.is_routine() {
            let kernel = self.make_routine(predicate, &key.1);
            self.unless_in_place(predicate, kernel)?
        } else {
            None
        };
        let mut routines = self.setting.routines.borrow_mut();
        let id = made.and_then(|kernel| routines.add(kernel));
        routines.known.insert(key, id);
        Ok(id)
    }

    /// The kernel that says whether a predicate holds.
    fn make_routine(
        &mut self,
        predicate: PredicateId,
        inputs: &[Option<Input>],
    ) -> Result<Kernel, Obstacle> {
        self.kernel_of(predicate, inputs, |lowering, args| {
            let flag = lowering.emitter.let_word(Word::Constant(0));
            lowering.search(flag, &mut |this, found| this.call(predicate, args, found))?;
            Ok(flag.into())
        })
    }

    /// A kernel about a predicate whose arguments are parameters, or unknown: what is done there, and returned.
    pub(super) fn kernel_of(
        &mut self,
        predicate: PredicateId,
        inputs: &[Option<Input>],
        work: impl FnOnce(&mut Lowering<'_, '_>, &[Term]) -> Result<Word, Obstacle>,
    ) -> Result<Kernel, Obstacle> {
        let is_param = |input: &&Input| !matches!(input, Input::Fixed(_));
        let n_params = inputs.iter().flatten().filter(is_param).count();
        let n_params = u16::try_from(n_params).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.emitter.places, n_params);
        emitter.keeps_hashes = false;
        let mut params = (0..n_params).map(Scalar);
        let held: Vec<Option<Held>> =
            inputs.iter().map(|input| input.map(|input| input.held(&mut params))).collect();
        let mut lowering = Lowering::new(self.setting, &mut emitter, self.tables, self.spare);
        lowering.calls.clone_from(&self.calls);
        lowering.chasing.clone_from(&self.chasing);
        // How often states occurred is not asked.
        lowering.before = Some(Before(None));
        let vars = || (0..).map(Var);
        let args: Vec<Term> = vars().take(inputs.len()).map(Term::Var).collect();
        for (var, held) in vars().zip(held) {
            lowering.bind(var, held);
        }
        let result = work(&mut lowering, &args)?;
        emitter.push(Statement::Return(result));
        let name = self.setting.theory.base.predicate(predicate).name.clone();
        Ok(emitter.into_kernel(name, n_params))
    }
}

impl Input {
    fn of(held: Held) -> Self {
        match held {
            Held::Fixed(value) => Self::Fixed(value),
            Held::Place(_, domain) => Self::Place(domain),
            Held::Number(_) => Self::Number,
        }
    }

    /// What the argument holds in the routine.
    fn held(self, params: &mut impl Iterator<Item = Scalar>) -> Held {
        let mut next = || params.next().unwrap_or(Scalar(u16::MAX));
        match self {
            Self::Fixed(value) => Held::Fixed(value),
            Self::Place(domain) => Held::Place(next(), domain),
            Self::Number => Held::Number(next()),
        }
    }
}

pub(crate) fn n_statements(body: &[Statement]) -> usize {
    let inside = body.iter().map(|statement| match statement {
        Statement::If(_, then, otherwise) => n_statements(then) + n_statements(otherwise),
        Statement::ForEach(_, _, inside) | Statement::Repeat(inside) => n_statements(inside),
        _ => 0,
    });
    body.len() + inside.sum::<usize>()
}
