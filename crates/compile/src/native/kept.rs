//! Which components kernels keep from turn to turn, and where they are brought up to date.
//!
//! In: the procedures that are asked each turn. Out: room for the components that they ask about, where keeping
//! these pays, and statements where a state is met: at the start of a turn and before its end is judged, for each state
//! of a count, and where legal moves are asked for. Invariant: what is kept is used only while it is that of the present
//! state; everywhere else components are filled anew.

use std::collections::BTreeSet;
use std::rc::Rc;

use rulesmith_kernel::Array;
use rulesmith_logic::{ComponentId, ComponentPart, Condition, Expr, PredicateId, Source};

use super::Obstacle;
use super::build::Builder;
use super::emit::Emitter;
use super::loops::Lowering;
use super::optimizations::Optimization;

/// Where components are kept from turn to turn: by key the label of its component, by label its elements and its
/// border, and the planes whose components they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KeptComponents {
    pub(crate) id: ComponentId,
    pub(crate) labels: Array,
    pub(crate) elements: Array,
    pub(crate) borders: Array,
    pub(crate) planes: u32,
}

impl Emitter<'_> {
    /// The components of a kind, where they are kept and those of the present state.
    pub(crate) fn kept_components(&self, id: ComponentId) -> Option<KeptComponents> {
        self.kept.iter().find(|kept| kept.id == id).copied()
    }
}

/// The components that are kept, and when they are asked about.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptPlaces {
    /// By legal moves and effects.
    in_turns: Vec<KeptComponents>,
    /// By ends and draws.
    at_ends: Vec<KeptComponents>,
}

impl<'b> Builder<'b> {
    /// Where components are kept, which all kernels share; there are none as yet in a kernel that plays or counts on
    /// its own.
    pub(super) fn keep_components(
        &mut self,
        emitter: &mut Emitter<'b>,
    ) -> Result<Rc<KeptPlaces>, Obstacle> {
        let places = self.kept_places(emitter);
        for kept in places.in_turns.iter().chain(&places.at_ends) {
            let spare = &mut self.spare;
            let mut lowering = Lowering::new(&self.setting, emitter, &mut self.tables, spare);
            lowering.forget_components(*kept)?;
        }
        Ok(places)
    }

    /// Brings the components that moves ask about up to date where they are kept from call to call: they are then those
    /// of the state that was asked about last, whether a move led from there to this one or was taken back since.
    pub(super) fn update_for_call(&mut self, emitter: &mut Emitter<'b>) -> Result<(), Obstacle> {
        let places = self.kept_places(emitter);
        self.update(emitter, &places.in_turns)
    }

    /// Where components are kept, by what asks about them.
    fn kept_places(&mut self, emitter: &mut Emitter<'b>) -> Rc<KeptPlaces> {
        if let Some(places) = &self.kept_places {
            return Rc::clone(places);
        }
        let places = Rc::new(self.make_places(emitter));
        self.kept_places = Some(Rc::clone(&places));
        places
    }

    fn make_places(&mut self, emitter: &mut Emitter<'b>) -> KeptPlaces {
        let mut places = KeptPlaces::default();
        if !self.optimizations.has(Optimization::KeptComponents) {
            return places;
        }
        let theory = self.theory;
        let legal = theory.moves.iter().map(|kind| kind.legal);
        let effects = theory.fluents.iter().flat_map(|one| [one.assign, one.deferred]);
        let in_turns = self.components_asked(legal.chain(effects));
        let at_ends = self.components_asked([theory.terminal, theory.draw]);
        for id in in_turns.union(&at_ends) {
            let spare = &mut self.spare;
            let mut lowering = Lowering::new(&self.setting, emitter, &mut self.tables, spare);
            let Some(kept) = lowering.component_room(*id) else { continue };
            self.kept.push(self.component_text(kept));
            places.in_turns.extend(in_turns.contains(id).then_some(kept));
            places.at_ends.extend(at_ends.contains(id).then_some(kept));
        }
        places
    }

    fn component_text(&self, kept: KeptComponents) -> String {
        let element = Source::Component(kept.id, ComponentPart::Element);
        let named = self.theory.base.predicates.iter().find(|one| one.source == element);
        let name = named.map_or("", |one| &one.name);
        let n_words = kept.labels.n_rows * (1 + 2 * u32::from(kept.elements.width));
        format!(
            "the components of `{name}`: for each key a label, for each label the elements and the border, {n_words} \
             words beside the state, changed by what a turn changes"
        )
    }

    /// Brings what a turn asks about up to date.
    pub(super) fn update_for_turn(
        &mut self,
        emitter: &mut Emitter<'b>,
        places: &KeptPlaces,
    ) -> Result<(), Obstacle> {
        self.update(emitter, &places.in_turns)
    }

    /// Brings what the end of a turn asks about up to date.
    pub(super) fn update_for_end(
        &mut self,
        emitter: &mut Emitter<'b>,
        places: &KeptPlaces,
    ) -> Result<(), Obstacle> {
        self.update(emitter, &places.at_ends)
    }

    fn update(
        &mut self,
        emitter: &mut Emitter<'b>,
        all: &[KeptComponents],
    ) -> Result<(), Obstacle> {
        for kept in all {
            let spare = &mut self.spare;
            let mut lowering = Lowering::new(&self.setting, emitter, &mut self.tables, spare);
            lowering.update_components(*kept)?;
            emitter.kept.push(*kept);
        }
        Ok(())
    }

    /// The components that some predicates ask about, themselves or by others.
    fn components_asked(
        &self,
        predicates: impl IntoIterator<Item = PredicateId>,
    ) -> BTreeSet<ComponentId> {
        let mut open: Vec<PredicateId> = predicates.into_iter().collect();
        let mut seen: BTreeSet<PredicateId> = open.iter().copied().collect();
        let mut found = BTreeSet::new();
        while let Some(predicate) = open.pop() {
            let own = self.specialized.procedures.iter().filter(|one| one.source == predicate);
            let mut asked = Vec::new();
            for clause in own.flat_map(|one| &one.clauses) {
                predicates_in(&clause.clause.body, &mut asked);
            }
            for other in asked {
                if let Source::Component(id, _) = self.theory.base.predicate(other).source {
                    found.insert(id);
                } else if seen.insert(other) {
                    open.push(other);
                }
            }
        }
        found
    }
}

/// The predicates that conditions ask about.
pub(super) fn predicates_in(body: &[Condition], found: &mut Vec<PredicateId>) {
    for condition in body {
        match condition {
            Condition::Holds(atom) => found.push(atom.predicate),
            // What is asked about another state is not answered by what is kept of this one.
            Condition::Elsewhere { .. } | Condition::Construct { .. } | Condition::Member(..) => {}
            Condition::None { body, .. } => predicates_in(body, found),
            Condition::AnyOf(branches) => {
                for branch in branches {
                    predicates_in(branch, found);
                }
            }
            Condition::Compare(_, left, right) => {
                predicates_in_expr(left, found);
                predicates_in_expr(right, found);
            }
        }
    }
}

fn predicates_in_expr(expr: &Expr, found: &mut Vec<PredicateId>) {
    match expr {
        Expr::Term(_) => {}
        Expr::Binary(_, left, right) => {
            predicates_in_expr(left, found);
            predicates_in_expr(right, found);
        }
        Expr::Count { body, .. } => predicates_in(body, found),
    }
}
