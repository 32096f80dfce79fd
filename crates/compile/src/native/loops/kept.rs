//! Components kept from turn to turn, beside the state.
//!
//! In: a component's definition. Out: statements that bring what is kept up to the present state: keys that no
//! longer belong to a component split it, keys that now do join their neighbours. Invariant: what is kept are
//! the components of the planes that are kept with it. Bringing it up to date looks at these planes and the
//! present ones alone, so that it does not matter what changed the state, a move or one that was taken back.

use rulesmith_kernel::{Array, Plane, Scalar, Set, Statement, Table, TableId, Word};
use rulesmith_logic::{Atom, Clause, ComponentId, Condition, Term};
use rulesmith_rules::{FluentId, PredicateKind};

use super::super::Obstacle;
use super::super::kept::KeptComponents;
use super::floods::Floods;
use super::lower::Lowering;

/// Planes of fewer words are filled anew as fast.
const MIN_WIDTH: u16 = 2;

/// Words that may be kept beside a state.
const MAX_WORDS: u32 = 1 << 16;

/// The component that a key joins, as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Joined {
    key: Scalar,
    label: Scalar,
    elements: Plane,
    border: Plane,
}

impl Lowering<'_, '_> {
    /// Makes room for the components of a kind; nothing if keeping them does not pay.
    pub(crate) fn component_room(&mut self, id: ComponentId) -> Option<KeptComponents> {
        let floods = Floods::new(self.setting, id).ok()?;
        let n_words = floods.n_elements * (1 + 2 * u32::from(floods.width));
        if floods.width < MIN_WIDTH || n_words > MAX_WORDS || self.moves_take_from(&floods) {
            return None;
        }
        let (n_rows, spare) = (floods.n_elements, &mut self.spare);
        let mut array =
            |width: u16| Array { offset: spare.take(n_rows * u32::from(width)), width, n_rows };
        let (labels, elements) = (array(1), array(floods.width));
        let borders = array(floods.width);
        let n_planes = u32::try_from(floods.slices.len()).unwrap_or(u32::MAX);
        let planes = self.spare.take(n_planes * u32::from(floods.width));
        Some(KeptComponents { id, labels, elements, borders, planes })
    }

    /// There are no components as yet.
    pub(crate) fn forget_components(&mut self, kept: KeptComponents) -> Result<(), Obstacle> {
        let floods = Floods::new(self.setting, kept.id)?;
        for (_, old) in kept_planes(&floods, kept) {
            let none = Set::Mask(vec![0; usize::from(floods.width)]);
            self.emitter.push(Statement::StoreSet(old, none));
        }
        Ok(())
    }

    /// Does a move take a key that its parameters name out of its component? Then components are split again and
    /// again, and nothing is gained by keeping them.
    fn moves_take_from(&self, floods: &Floods) -> bool {
        let theory = self.setting.theory;
        let PredicateKind::Fluent(FluentId(fluent)) = theory.kinds[floods.fluent.0 as usize] else {
            return true;
        };
        let fluent = &theory.fluents[fluent];
        let clauses = [fluent.assign, fluent.deferred]
            .into_iter()
            .flat_map(|predicate| &theory.base.clauses[predicate.0 as usize]);
        let is_named = |clause: &Clause| {
            let is_param = |atom: &Atom| {
                let kind = theory.kinds.get(atom.predicate.0 as usize);
                let params = atom.args.iter().skip(1);
                matches!(kind, Some(PredicateKind::Does(_)))
                    && params.into_iter().any(|param| *param == clause.head.args[0])
            };
            clause.body.iter().any(|one| matches!(one, Condition::Holds(atom) if is_param(atom)))
        };
        let mut named = clauses.filter(|clause| is_named(clause));
        named.any(|clause| !self.gives_member(floods, clause))
    }

    /// Does a clause that assigns a value give one whose keys belong to components?
    fn gives_member(&self, floods: &Floods, clause: &Clause) -> bool {
        let Some(values) = floods.members.columns.get(1).copied() else { return false };
        let domains = &self.setting.domains;
        let is_member = |value| {
            let place = domains.place(values, value);
            place.is_some_and(|place| floods.slices.contains(&place))
        };
        match clause.head.args.last() {
            Some(Term::Value(value)) => is_member(*value),
            Some(Term::Var(var)) => {
                let domain = clause.variables[usize::from(var.0)].domain;
                domain.is_some_and(|domain| {
                    domains.with(domain, |all| all.iter().all(|value| is_member(*value)))
                })
            }
            None => false,
        }
    }

    /// Brings kept components up to the present state.
    pub(crate) fn update_components(&mut self, kept: KeptComponents) -> Result<(), Obstacle> {
        let floods = Floods::new(self.setting, kept.id)?;
        let planes = kept_planes(&floods, kept);
        for (now, old) in &planes {
            let lost = Set::state(*old, floods.width) - now.clone();
            let lost = self.emitter.let_set(floods.width, lost);
            self.emitter.begin();
            self.split(&floods, kept, (lost, now));
            let split = self.emitter.end();
            self.emitter.push(Statement::If(Set::Plane(lost).any(), split, Vec::new()));
        }
        let table = self.neighbour_table(&floods);
        for (now, old) in &planes {
            // What is still there has its component; each key that has come is joined to what is there before it.
            let there = Set::state(*old, floods.width) & now.clone();
            let there = self.emitter.let_set(floods.width, there);
            let key = self.emitter.scalar();
            self.emitter.begin();
            self.join(&floods, (kept, table), (key, there));
            let body = self.emitter.end();
            let new = now.clone() - there;
            self.emitter.push(Statement::ForEach(key, new, body));
            self.emitter.push(Statement::StoreSet(*old, now.clone()));
        }
        Ok(())
    }

    /// What is left of the components that lost some of their elements.
    fn split(&mut self, floods: &Floods, kept: KeptComponents, (lost, now): (Plane, &Set)) {
        let width = floods.width;
        self.emitter.begin();
        self.leave_unless(Set::Plane(lost).any());
        let key = self.emitter.let_word(Set::Plane(lost).nth(0));
        let label = self.emitter.let_word(Word::at(kept.labels, key));
        let whole = self.emitter.let_set(width, Set::at(kept.elements, label));
        self.emitter.push(Statement::LetSet(lost, Set::Plane(lost) - whole));
        let left = self.emitter.let_set(width, Set::Plane(whole) & now.clone());
        self.emitter.begin();
        self.leave_unless(Set::Plane(left).any());
        let first = self.emitter.let_word(Set::Plane(left).nth(0));
        let piece = self.emitter.let_set(width, Set::single(width, first));
        self.emitter.begin();
        let new = (floods.around(&piece.into()) & left) - piece;
        let new = self.emitter.let_set(width, new);
        self.leave_unless(Set::Plane(new).any());
        self.emitter.push(Statement::LetSet(piece, Set::Plane(piece) | new));
        let fill = self.emitter.end();
        self.emitter.push(Statement::Repeat(fill));
        self.emitter.push(Statement::LetSet(left, Set::Plane(left) - piece));
        let border = floods.neighbours(&piece.into()) - piece;
        self.emitter.push(Statement::StoreSetAt(kept.elements, first.into(), piece.into()));
        self.emitter.push(Statement::StoreSetAt(kept.borders, first.into(), border));
        self.label(kept, piece.into(), first);
        let pieces = self.emitter.end();
        self.emitter.push(Statement::Repeat(pieces));
        let wholes = self.emitter.end();
        self.emitter.push(Statement::Repeat(wholes));
    }

    /// A key that belongs to a component now joins those around it.
    fn join(
        &mut self,
        floods: &Floods,
        (kept, table): (KeptComponents, TableId),
        (key, there): (Scalar, Plane),
    ) {
        let width = floods.width;
        let elements = self.emitter.let_set(width, Set::single(width, key));
        let border = self.emitter.let_set(width, Set::row(table, key));
        let label = self.emitter.let_word(key.into());
        let joined = Joined { key, label, elements, border };
        let near = self.emitter.scalar();
        self.emitter.begin();
        let other = self.emitter.let_word(Word::at(kept.labels, near));
        self.emitter.begin();
        self.join_other(floods, kept, (joined, other));
        let merge = self.emitter.end();
        // Keys of a component that has been joined have the label already.
        let is_joined = Word::from(other).equals(label);
        self.emitter.push(Statement::If(is_joined, Vec::new(), merge));
        let body = self.emitter.end();
        let around = Set::row(table, key) & there;
        self.emitter.push(Statement::ForEach(near, around, body));
        self.emitter.push(Statement::StoreAt(kept.labels, key.into(), label.into()));
        self.emitter.push(Statement::StoreSetAt(kept.elements, label.into(), elements.into()));
        let border = Set::Plane(border) - elements;
        self.emitter.push(Statement::StoreSetAt(kept.borders, label.into(), border));
        let there_now = Set::Plane(there) | Set::single(width, key);
        self.emitter.push(Statement::LetSet(there, there_now));
    }

    /// One more component joins; the first one gives its label, so that only the others' elements get a new one.
    fn join_other(
        &mut self,
        floods: &Floods,
        kept: KeptComponents,
        (joined, other): (Joined, Scalar),
    ) {
        let Joined { key, label, elements, border } = joined;
        let own = self.emitter.let_set(floods.width, Set::at(kept.elements, other));
        let all = Set::Plane(border) | Set::at(kept.borders, other);
        self.emitter.push(Statement::LetSet(elements, Set::Plane(elements) | own));
        self.emitter.push(Statement::LetSet(border, all));
        self.emitter.begin();
        self.label(kept, own.into(), label);
        let relabel = self.emitter.end();
        let take = vec![Statement::Let(label, other.into())];
        let is_first = Word::from(label).equals(key);
        self.emitter.push(Statement::If(is_first, take, relabel));
    }

    /// Gives a label to keys.
    fn label(&mut self, kept: KeptComponents, keys: Set, label: Scalar) {
        let key = self.emitter.scalar();
        let store = Statement::StoreAt(kept.labels, key.into(), label.into());
        self.emitter.push(Statement::ForEach(key, keys, vec![store]));
    }

    fn leave_unless(&mut self, word: Word) {
        self.emitter.push(Statement::If(word, Vec::new(), vec![Statement::Leave]));
    }

    /// For each element what it is linked to.
    pub(super) fn neighbour_table(&mut self, floods: &Floods) -> TableId {
        self.tables.add(Table { width: floods.width, words: floods.neighbour_rows() })
    }
}

/// The planes that components are of, each with the word where it is kept.
fn kept_planes(floods: &Floods, kept: KeptComponents) -> Vec<(Set, u32)> {
    let width = u32::from(floods.width);
    let planes = floods.slices.iter().zip(0..);
    planes
        .map(|(slice, n)| (floods.members.plane_of_slice(*slice), kept.planes + n * width))
        .collect()
}
