//! Building kernels for questions about a state: ends, goals and moves.
//!
//! In: a specialised game. Out: its clauses as ground rows, and kernels that judge them. Invariant: each
//! kernel does what the reference engine does, or the game has an obstacle.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rulesmith_kernel::{Array, Comparison, Word};
use rulesmith_logic::{Clause, PredicateId, Term, Value};
use rulesmith_rules::{FluentId, Theory};
use rulesmith_specialize::{Knowledge, Specialized};
use rustc_hash::FxHashMap;

use super::Obstacle;
use super::by_rows::{FoundByRows, How};
use super::effects::Assignment;
use super::emit::{Certainty, Places, Tables};
use super::fans::{FanPlan, Nearly};
use super::goals::head_columns;
use super::ground::{Closed, Grounded, Grounding, Row};
use super::judged::{Judged, judged};
use super::kept::KeptPlaces;
use super::loops;
use super::loops::{Setting, Spare, Stored};
use super::narrow::{Narrow, Narrows};
use super::optimizations::{Optimization, Optimizations};
use super::path::Unrepeated;
use super::plan::{asks_elsewhere, asks_past_elsewhere};
use super::preferences::{Preference, preference};
use super::reached::Reached;
use super::regress::Regressed;
use super::scratch::PastRoom;
use super::splits::Settled;
use super::steps::Doing;
use super::tallies::Tally;
use super::touching::Touching;
use super::variants::Questions;
use super::waiting::{Waiting, roles_are_apart};
use crate::state_layout::Counted;

/// The rows of each clause of each kind of move; nothing for a kind that has no rows but loops.
pub(super) type Kinds = Vec<Option<Vec<Vec<Row>>>>;

/// Something that holds or does not.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) predicate: PredicateId,
    /// The rows of its clauses, if it has some; otherwise it is asked by loops.
    pub(super) rows: Option<Vec<Row>>,
    /// Can it ever hold?
    pub(super) may_hold: bool,
}

/// The clauses of a predicate may have so many rows together: more are not the few shapes that planes are for.
const ALL_ROWS_LIMIT: usize = 500_000;

/// What is assigned to a fluent; nothing if that is a loop.
type Ground = (FluentId, Option<Vec<Assignment>>);

/// Gives the rows of each clause of a predicate, if it has some.
type RowsOf<'r> = dyn Fn(PredicateId) -> Option<Vec<Vec<Row>>> + 'r;

/// What is needed to build.
pub(super) struct Builder<'b> {
    pub(super) theory: &'b Theory,
    pub(super) places: Places<'b>,
    pub(super) tables: Tables,
    pub(super) specialized: &'b Specialized,
    pub(super) optimizations: Optimizations,
    pub(super) setting: Setting<'b>,
    pub(super) spare: Spare,
    /// Closed questions; nothing for those that have no rows.
    pub(super) closed: Vec<Option<Judged>>,
    /// What closed questions ask, by the same numbers.
    pub(super) bodies: Vec<Closed>,
    /// What is counted around keys, and the first word of each.
    pub(super) tallies: Vec<(Tally, u32)>,
    /// The rows of each derived predicate, if it has some.
    pub(super) derived: Vec<Option<Vec<Row>>>,
    /// The rows of ends for counts of leaves, where cycles are asked about.
    pub(super) unrepeated: Option<Unrepeated>,
    /// Roles whose moves are being found.
    pub(super) moving: Vec<usize>,
    /// Slices that are being computed.
    pub(super) under_way: Vec<(usize, u32)>,
    /// Derived predicates that are being stored.
    pub(super) storing: Vec<usize>,
    /// The moves that are being made, for loops.
    pub(super) making: Vec<loops::Doing>,
    pub(super) terminal: Question,
    /// The ends that the lack of moves does not say, once they are known.
    pub(super) ends: OnceCell<Option<Vec<Row>>>,
    pub(super) draw: Question,
    /// After which steps the same role makes another one.
    pub(super) continues: Question,
    /// The values of turns, most important first.
    pub(super) preferences: Vec<Preference>,
    /// The counters of steps since an event, with the event.
    pub(super) events: Vec<(usize, Question)>,
    pub(super) legal: Kinds,
    /// Kinds of moves that are judged by the state after them, where that can be said by masks.
    pub(super) nearly: Vec<Option<Nearly>>,
    /// For each role how such moves are found, if they can be.
    pub(super) fan_plans: Vec<Option<Rc<FanPlan>>>,
    /// For each role what the question reads that its moves are judged by.
    pub(super) touching: Vec<Option<Rc<Touching>>>,
    /// The room of their targets and masks.
    pub(super) fan_rooms: Vec<Array>,
    pub(super) mask_room: Option<Array>,
    pub(super) goal: Option<Vec<Row>>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) deferred: Vec<Assignment>,
    /// Fluents whose assignments are loops: by a step, and at the end of a turn.
    pub(super) looped: [Vec<FluentId>; 2],
    /// How the assignments of each move are made, at once or at its end, with or without what makes it legal.
    pub(super) hows: FxHashMap<(Doing, bool, bool), How>,
    /// The fluent whose assignments could not be emitted by rows.
    pub(super) failing: Option<FluentId>,
    /// May roles move at once?
    pub(super) is_joint: bool,
    /// Who waits while another is at turn, if turns are taken so.
    pub(super) waiting: Option<Waiting>,
    /// What the word that says whether turns go on holds after the step that code is made for, if that is known.
    pub(super) settled: Option<Settled>,
    /// Of fluents with many values those that contests reach.
    pub(super) reached: Vec<Reached>,
    /// What regression found, since it is asked for more than once.
    pub(super) regressed: Regressed,
    /// The moves that effects are emitted for, where that says more than their role and kind.
    pub(super) narrow: Option<Rc<Narrow>>,
    /// What moves bring about by rows where that says no more.
    pub(super) by_rows: RefCell<FoundByRows>,
    /// For roles and kinds of moves, what makes these legal.
    pub(super) narrows: RefCell<Narrows>,
    /// Where components are kept.
    pub(super) kept_places: Option<Rc<KeptPlaces>>,
    /// What kernels keep from turn to turn, in words.
    pub(super) kept: Vec<String>,
    /// What is done in a slower way than it could be, and why, in words.
    pub(super) slower: Vec<String>,
}

pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl<'b> Builder<'b> {
    pub(super) fn ground(
        knowledge: &'b Knowledge<'b>,
        specialized: &'b Specialized,
        places: Places<'b>,
        optimizations: Optimizations,
    ) -> Result<Self, Obstacle> {
        let theory = knowledge.theory;
        let (questions, tallies) = (RefCell::<Questions>::default(), RefCell::default());
        let Places { layout, derived, cycles, .. } = places;
        let mut builder = Self::empty(knowledge, specialized, places, optimizations)?;
        let mut grounding = Grounding {
            theory,
            knowledge,
            layout,
            derived,
            cycles,
            closed: &questions,
            tallies: &tallies,
            is_joint: false,
            waiting: None,
            possible: None,
            optimizations,
        };
        builder.ground_moves(&grounding);
        let waiting = builder.take_turns(&grounding);
        (grounding.is_joint, grounding.waiting) = (builder.is_joint, waiting.as_ref());
        let rows_of = |predicate| {
            let rows = || clause_rows(&grounding, specialized, predicate).ok();
            optimizations.has(Optimization::WholePlanes).then(rows).flatten()
        };
        for question in [&mut builder.terminal, &mut builder.draw, &mut builder.continues] {
            question.rows = rows_of(question.predicate).map(all_rows);
        }
        builder.goal = rows_of(theory.goal).map(all_rows);
        for predicate in &theory.preferences {
            builder.preferences.push(preference(&grounding, specialized, *predicate)?);
        }
        builder.ground_events(&rows_of)?;
        let effects = builder.ground_effects(&grounding);
        builder.take_effects(effects);
        for layout in derived {
            builder.derived.push(rows_of(layout.predicate).map(all_rows));
        }
        builder.unrepeated = builder.unrepeated(&grounding);
        // Bodies may close over others, which are met while they are grounded.
        let mut place = 0;
        loop {
            let next = questions.borrow().list().get(place).cloned();
            let Some(next) = next else { break };
            place += 1;
            builder.closed.push(judged(&grounding, &next).ok());
        }
        builder.keep_reached(&grounding);
        builder.bodies = questions.into_inner().into_list();
        builder.unite_denied();
        for tally in tallies.into_inner().tallies {
            let width = layout.fluent(tally.fluent()).keys.width();
            let offset = builder.spare.next;
            builder.spare.take(tally.planes(offset, width).n_rows * u32::from(width));
            builder.tallies.push((tally, offset));
        }
        builder.check_questions()?;
        builder.drop_implied_ends();
        builder.plan_fans();
        let touching = |role: usize| builder.touching(role).map(Rc::new);
        builder.touching = (0..theory.roles.len()).map(touching).collect();
        Ok(builder)
    }

    /// Finds out whether one role moves at a time, perhaps while others wait.
    fn take_turns(&mut self, grounding: &Grounding<'_>) -> Option<Waiting> {
        self.is_joint = !roles_are_apart(&self.all_legal_rows());
        let is_plain = !self.has_long_turns() && !asks_elsewhere(self.specialized);
        if !self.is_joint || !is_plain || !self.optimizations.has(Optimization::WaitingRoles) {
            return None;
        }
        let rows = |(kind, clauses): (usize, &Option<Vec<Vec<Row>>>)| {
            let described = &self.theory.moves[kind];
            let known = clauses.clone();
            known.or_else(|| {
                let is_one = described.n_params == 0;
                is_one.then(|| clause_rows(grounding, self.specialized, described.legal).ok())?
            })
        };
        let legal: Kinds = self.legal.iter().enumerate().map(rows).collect();
        self.waiting = self.find_waiting(&legal);
        self.is_joint = self.waiting.is_none();
        self.waiting.clone()
    }

    /// The events that steps are counted from.
    fn ground_events(&mut self, rows_of: &RowsOf<'_>) -> Result<(), Obstacle> {
        for (number, counter) in self.places.layout.counters.iter().enumerate() {
            let Counted::Since(event) = counter.counted else { continue };
            if self.specialized.procedures.iter().all(|one| one.source != event) {
                return Err(Obstacle::new("an event that nobody judges"));
            }
            let mut question = Question::new(self.specialized, event);
            question.rows = rows_of(event).map(all_rows);
            if let Some(rows) = &mut question.rows {
                self.keep_possible(rows);
            }
            self.events.push((number, question));
        }
        Ok(())
    }

    /// What steps and the ends of turns assign to each fluent; nothing where that is a loop.
    fn ground_effects(&self, grounding: &Grounding<'_>) -> [Vec<Ground>; 2] {
        [0, 1].map(|place| {
            let possible = self.possible_moves(place == 0);
            let grounding = Grounding { possible: possible.as_ref(), ..*grounding };
            let ground = |id| {
                let fluent = self.theory.fluent(id);
                let predicate = [fluent.assign, fluent.deferred][place];
                let clauses = clause_rows(&grounding, self.specialized, predicate);
                let is_on = self.optimizations.has(Optimization::WholePlanes);
                let mut clauses = clauses.ok().filter(|_| is_on)?;
                for rows in &mut clauses {
                    self.keep_possible(rows);
                }
                Some(self.assigned(id, predicate, clauses))
            };
            self.theory.fluent_ids().map(|id| (id, ground(id))).collect()
        })
    }

    fn take_effects(&mut self, effects: [Vec<Ground>; 2]) {
        for (place, effects) in effects.into_iter().enumerate() {
            let all = if place == 0 { &mut self.assignments } else { &mut self.deferred };
            for (id, assigned) in effects {
                match assigned {
                    Some(assigned) => all.extend(assigned),
                    None => self.looped[place].push(id),
                }
            }
        }
    }

    fn empty(
        knowledge: &'b Knowledge<'b>,
        specialized: &'b Specialized,
        places: Places<'b>,
        optimizations: Optimizations,
    ) -> Result<Self, Obstacle> {
        let theory = knowledge.theory;
        let mut setting = Setting::new(knowledge, specialized, places);
        let mut spare = Spare { next: places.layout.n_state_words() };
        for layout in places.derived {
            let stored = Stored::of_derived(layout, spare.next)?;
            spare.take(stored.n_words());
            setting.derived.push((layout.predicate, stored));
        }
        if places.layout.repeated().count() == 1 && asks_past_elsewhere(theory) {
            setting.past =
                Some(PastRoom::new(&mut spare.next, places.layout.n_state_words(), true));
        }
        let question = |predicate| Question::new(specialized, predicate);
        Ok(Self {
            theory,
            places,
            specialized,
            optimizations,
            setting,
            spare,
            storing: Vec::new(),
            making: Vec::new(),
            looped: Default::default(),
            tables: Tables::default(),
            closed: Vec::new(),
            bodies: Vec::new(),
            tallies: Vec::new(),
            derived: Vec::new(),
            unrepeated: None,
            moving: Vec::new(),
            under_way: Vec::new(),
            terminal: question(theory.terminal),
            ends: OnceCell::new(),
            draw: question(theory.draw),
            continues: question(theory.continues),
            preferences: Vec::new(),
            events: Vec::new(),
            legal: Vec::new(),
            nearly: Vec::new(),
            fan_plans: Vec::new(),
            touching: Vec::new(),
            fan_rooms: Vec::new(),
            mask_room: None,
            goal: None,
            assignments: Vec::new(),
            deferred: Vec::new(),
            hows: FxHashMap::default(),
            failing: None,
            is_joint: false,
            waiting: None,
            settled: None,
            reached: Vec::new(),
            regressed: Regressed::default(),
            narrow: None,
            by_rows: RefCell::default(),
            narrows: RefCell::default(),
            kept_places: None,
            kept: Vec::new(),
            slower: Vec::new(),
        })
    }

    /// The rows of a fluent's effect clauses as keys and values.
    fn assigned(
        &self,
        id: FluentId,
        predicate: PredicateId,
        clauses: Vec<Vec<Row>>,
    ) -> Vec<Assignment> {
        let (base, fluent) = (&self.theory.base, self.places.layout.fluent(id));
        let n_keys = self.theory.fluent(id).n_keys;
        let value_domain = base.predicate(predicate).domains.last().copied().flatten();
        let value_of = |place: u32| {
            let domain = base.domain(value_domain?);
            domain.values.get_index(place as usize).copied()
        };
        let to_value = |place: u32| -> Option<u32> {
            let value = value_of(place)?;
            if let Some(domain) = fluent.values {
                return crate::state_layout::place(base, domain, value);
            }
            match (fluent.is_scalar(), self.is_true(value)) {
                (true, is_true) => Some(u32::from(is_true)),
                (false, true) => Some(0),
                (false, false) => None,
            }
        };
        let assignment = |rows: Vec<Row>| {
            let rows = rows.into_iter().map(|row| {
                let key = fluent.keys.number(&row.head[..n_keys]);
                let value = to_value(row.head[n_keys]);
                // Effects are not numbered by atoms, and their heads are the key and the value.
                (Row { tests: row.tests, head: Vec::new(), anchors: Vec::new() }, key, value)
            });
            Assignment { fluent: id, rows: rows.collect(), carried: None }
        };
        clauses.into_iter().map(assignment).collect()
    }

    fn is_true(&self, value: Value) -> bool {
        rulesmith_rules::value_text(&self.theory.symbols, value) == "true"
    }
}

impl Question {
    fn new(specialized: &Specialized, predicate: PredicateId) -> Self {
        let mut all = specialized.procedures.iter();
        let may_hold = all.any(|one| one.source == predicate && !one.clauses.is_empty());
        Self { predicate, rows: None, may_hold }
    }
}

/// The rows of all clauses.
fn all_rows(clauses: Vec<Vec<Row>>) -> Vec<Row> {
    clauses.into_iter().flatten().collect()
}

/// The rows of each clause of a predicate.
pub(super) fn clause_rows(
    grounding: &Grounding<'_>,
    specialized: &Specialized,
    predicate: PredicateId,
) -> Result<Vec<Vec<Row>>, Obstacle> {
    clause_rows_where(grounding, specialized, predicate, &|_| true)
}

/// The rows of some clauses of a predicate.
pub(super) fn clause_rows_where(
    grounding: &Grounding<'_>,
    specialized: &Specialized,
    predicate: PredicateId,
    is_meant: &dyn Fn(&Clause) -> bool,
) -> Result<Vec<Vec<Row>>, Obstacle> {
    let Some(procedure) = specialized.procedures.iter().find(|one| one.source == predicate) else {
        return Ok(Vec::new());
    };
    let derived = grounding.derived.iter().find(|layout| layout.predicate == predicate);
    let columns = match derived {
        Some(layout) => layout.columns.clone(),
        None => head_columns(grounding.theory, predicate)?,
    };
    let columns = &columns;
    let clauses = procedure.clauses.iter().filter(|one| is_meant(&one.clause));
    let (mut all, mut n_rows) = (Vec::new(), 0);
    for one in clauses {
        let head: &[Term] = &one.clause.head.args;
        let rows = grounding.rows(Grounded { head, columns, body: &one.clause.body })?;
        n_rows += rows.len();
        if n_rows > ALL_ROWS_LIMIT {
            return Err(Obstacle::new("a predicate has too many ground rows"));
        }
        all.push(rows);
    }
    Ok(all)
}

pub(super) fn to_word(certainty: Certainty) -> Word {
    match certainty {
        Certainty::Always => Word::Constant(1),
        Certainty::Never => Word::Constant(0),
        Certainty::If(word) => word,
    }
}

pub(super) fn compare(comparison: Comparison, left: Word, right: Word) -> Word {
    Word::Compare(comparison, Box::new(left), Box::new(right))
}
