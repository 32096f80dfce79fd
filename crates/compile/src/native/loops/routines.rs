//! Routines: large predicates that are asked with everything known, as kernels of their own.
//!
//! In: an atom all of whose arguments are known. Out: a statement that runs the routine of its predicate, which is made
//! where it is first asked for. Invariant: a routine of a predicate asks about nothing but the state and its parameters: not
//! which move is being made, nor what happened before.

use rulesmith_kernel::{Kernel, MAX_RUNS, RoutineId, Scalar, Statement, Word};
use rulesmith_logic::{Condition, DomainId, Expr, PredicateId, Source, Term, Value, Var};
use rulesmith_matching::Node;
use rulesmith_rules::PredicateKind;
use rustc_hash::FxHashMap;

use super::super::Obstacle;
use super::super::emit::{Certainty, Emitter};
use super::super::optimizations::Optimization;
use super::elsewhere::{Doing, Kind};
use super::held::Held;
use super::lower::{Before, Lowering};
use super::recompute::Asked;
use super::setting::Setting;

/// Predicates with fewer conditions, all that they call included, are asked in place.
const LEAST_CONDITIONS: usize = 24;

/// Routines of more statements are run rather than written again where that would do, too.
const LARGE: usize = 500;

/// The routines made so far.
#[derive(Debug, Default)]
pub(crate) struct Routines {
    /// By predicate and what its arguments are; none where it cannot be one.
    known: FxHashMap<(PredicateId, Vec<Input>), Option<RoutineId>>,
    pub(crate) list: Vec<Kernel>,
    /// How deep each runs others.
    depths: Vec<usize>,
    /// By role and kind, the routine that makes a move; none where it cannot be one.
    making: FxHashMap<(usize, usize), Option<RoutineId>>,
    /// By role and kind, and whether hashes are kept, the routine that makes a move and ends the turn.
    pub(crate) steps: FxHashMap<(usize, usize, bool), Option<RoutineId>>,
    /// By role, the routine that says of which kinds it has moves.
    pub(crate) legality: FxHashMap<usize, RoutineId>,
    /// By the place of a derived predicate, the routine that computes it into its words.
    pub(crate) storing: FxHashMap<usize, Storing>,
}

/// A routine that computes derived predicates into their words.
#[derive(Clone, Debug)]
pub(crate) struct Storing {
    pub(crate) routine: RoutineId,
    /// All whose words it changes.
    pub(crate) places: Vec<usize>,
}

impl Routines {
    /// The routine that computes a derived predicate into its words, if it is too large to be done in place.
    pub(crate) fn large_storing(&self, derived: usize) -> Option<Storing> {
        let storing = self.storing.get(&derived)?;
        let kernel = self.list.get(usize::from(storing.routine.0))?;
        (n_statements(&kernel.body) > LARGE).then(|| storing.clone())
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
enum Input {
    Fixed(Value),
    Place(DomainId),
    Number,
}

/// How much there is below a predicate.
#[derive(Debug, Default)]
struct Size {
    n_conditions: usize,
    /// Is something asked that a routine does not know?
    is_tied: bool,
    /// Are predicates looked at that are stored?
    is_deep: bool,
    effects: Effects,
    /// What has been looked at, and whether as part of effects.
    seen: Vec<(PredicateId, bool)>,
}

/// Have effects of moves been looked at?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Effects {
    #[default]
    Unseen,
    /// They are now: they know which move is made.
    Open,
    Seen,
}

impl Size {
    fn predicate(&mut self, setting: &Setting<'_>, predicate: PredicateId) {
        let source = setting.source(predicate);
        self.is_tied |= matches!(source, Source::Component(..));
        self.is_tied |= match setting.theory.kinds.get(predicate.0 as usize) {
            Some(PredicateKind::Does(_)) => self.effects != Effects::Open,
            Some(PredicateKind::Repeated(_) | PredicateKind::Since(_)) => true,
            _ => false,
        };
        let is_stored = setting.stored(predicate).is_some() && !self.is_deep;
        let now = (predicate, self.effects == Effects::Open);
        if is_stored || self.seen.contains(&now) {
            return;
        }
        self.seen.push(now);
        for one in setting.specialized.procedures.iter().filter(|one| one.source == predicate) {
            self.nodes(setting, &one.procedure.tree.roots);
        }
    }

    fn nodes(&mut self, setting: &Setting<'_>, nodes: &[Node]) {
        for node in nodes {
            if let Node::Condition { condition, children } = node {
                self.condition(setting, condition);
                self.nodes(setting, children);
            }
        }
    }

    fn condition(&mut self, setting: &Setting<'_>, condition: &Condition) {
        self.n_conditions += 1;
        match condition {
            Condition::Holds(atom) => self.predicate(setting, atom.predicate),
            Condition::None { body, .. } => self.all(setting, body),
            Condition::Elsewhere { by, body, .. } => {
                let kind = setting.theory.kinds.get(by.predicate.0 as usize);
                self.is_tied |= !matches!(kind, Some(PredicateKind::Does(_)));
                self.n_conditions += LEAST_CONDITIONS;
                self.effects(setting);
                self.all(setting, body);
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    self.all(setting, branch);
                }
            }
            Condition::Compare(_, left, right) => {
                self.expr(setting, left);
                self.expr(setting, right);
            }
            Condition::Member(..) | Condition::Construct { .. } => {}
        }
    }

    /// What the effects of moves ask about.
    fn effects(&mut self, setting: &Setting<'_>) {
        if self.effects != Effects::Unseen {
            return;
        }
        self.effects = Effects::Open;
        self.predicate(setting, setting.theory.continues);
        for fluent in &setting.theory.fluents {
            self.predicate(setting, fluent.assign);
            self.predicate(setting, fluent.deferred);
        }
        self.effects = Effects::Seen;
    }

    fn all(&mut self, setting: &Setting<'_>, body: &[Condition]) {
        for condition in body {
            self.condition(setting, condition);
        }
    }

    fn expr(&mut self, setting: &Setting<'_>, expr: &Expr) {
        match expr {
            Expr::Term(_) => {}
            Expr::Binary(_, left, right) => {
                self.expr(setting, left);
                self.expr(setting, right);
            }
            Expr::Count { body, .. } => self.all(setting, body),
        }
    }
}

impl Setting<'_> {
    /// Does a predicate ask about nothing but the state?
    pub(crate) fn is_of_state(&self, predicate: PredicateId) -> bool {
        let mut size = Size { is_deep: true, ..Size::default() };
        size.predicate(self, predicate);
        !size.is_tied
    }
}

impl Lowering<'_, '_> {
    /// Whether a predicate holds of what is known, by a routine; nothing if it is asked in place.
    pub(super) fn by_routine(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
    ) -> Result<Option<Certainty>, Obstacle> {
        if !self.has(Optimization::Routines) || self.setting.stored(predicate).is_some() {
            return Ok(None);
        }
        let held: Option<Vec<Held>> = args.iter().map(|term| self.held(*term)).collect();
        let Some(held) = held else { return Ok(None) };
        let inputs: Vec<Input> = held.iter().map(|held| Input::of(*held)).collect();
        let Some(routine) = self.routine(predicate, inputs)? else { return Ok(None) };
        let params = held.iter().filter_map(|held| match held {
            Held::Fixed(_) => None,
            Held::Place(scalar, _) | Held::Number(scalar) => Some(Word::from(*scalar)),
        });
        let params = params.collect();
        let found = self.emitter.scalar();
        self.emitter.push(Statement::Run(found, routine, params));
        Ok(Some(Certainty::If(found.into())))
    }

    /// Makes a move of one role by a routine; false if it is to be made in place.
    pub(super) fn make_by_routine(
        &mut self,
        doing: &Doing,
        asked_at_end: &Asked,
    ) -> Result<bool, Obstacle> {
        let Kind::Known(kind) = doing.kind else { return Ok(false) };
        if !self.has(Optimization::Routines) {
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
        let mut size = Size { is_deep: true, ..Size::default() };
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
        inputs: Vec<Input>,
    ) -> Result<Option<RoutineId>, Obstacle> {
        let key = (predicate, inputs);
        if let Some(known) = self.setting.routines.borrow().known.get(&key) {
            return Ok(*known);
        }
        let mut size = Size::default();
        size.predicate(self.setting, predicate);
        let is_one = !size.is_tied && size.n_conditions >= LEAST_CONDITIONS;
        let made = if is_one { Some(self.make_routine(predicate, &key.1)?) } else { None };
        let mut routines = self.setting.routines.borrow_mut();
        let id = made.and_then(|kernel| routines.add(kernel));
        routines.known.insert(key, id);
        Ok(id)
    }

    /// The kernel that says whether a predicate holds.
    fn make_routine(
        &mut self,
        predicate: PredicateId,
        inputs: &[Input],
    ) -> Result<Kernel, Obstacle> {
        let n_params = inputs.iter().filter(|input| !matches!(input, Input::Fixed(_))).count();
        let n_params = u16::try_from(n_params).unwrap_or(u16::MAX);
        let mut emitter = Emitter::new(self.emitter.places, n_params);
        emitter.keeps_hashes = false;
        let mut params = (0..n_params).map(Scalar);
        let held: Vec<Held> = inputs.iter().map(|input| input.held(&mut params)).collect();
        let mut lowering = Lowering::new(self.setting, &mut emitter, self.tables, self.spare);
        lowering.calls.clone_from(&self.calls);
        // How often states occurred is not asked.
        lowering.before = Some(Before(None));
        let flag = lowering.emitter.let_word(Word::Constant(0));
        let vars = || (0..).map(Var);
        let args: Vec<Term> = vars().take(inputs.len()).map(Term::Var).collect();
        for (var, held) in vars().zip(held) {
            lowering.bind(var, Some(held));
        }
        lowering.search(flag, &mut |this, found| this.call(predicate, &args, found))?;
        emitter.push(Statement::Return(flag.into()));
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
