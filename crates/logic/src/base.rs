//! The clause base: predicates with their domains, clauses and component objects.
//!
//! In: what front ends declare and write. Out: everything the solver runs on. Invariant: a clause is
//! filed under the predicate of its head, in the order of the text.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::clause::{Clause, Condition, DomainId, PredicateId, Span, Variable};
use crate::term::{Value, Var};

/// When the answers of a predicate may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Never: it reads static facts only.
    Static,
    /// From state to state.
    State,
    /// From step to step: it also reads which moves are being made.
    Step,
}

/// Where the answers of a predicate come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// From its clauses.
    Clauses,
    /// From the world: fluents, moves being made, history.
    World,
    /// From a component object.
    Component(ComponentId, ComponentPart),
}

/// A component object of a [`ClauseBase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub u32);

/// Which relation of a component object a predicate names. A component is named by its first element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComponentPart {
    /// `(S, P)`: P is an element of S.
    Element,
    /// `(S, Q)`: Q is linked to an element of S and is not one.
    Border,
    /// `(S, C)`: the value shared by all elements of S.
    Shared,
    /// `(S, N)`: S has N elements.
    Size,
}

/// Connected components as a built-in constructor: maximal sets of linked elements with one shared value.
#[derive(Clone, Debug)]
pub struct Component {
    /// Which clause variable is the element.
    pub element: Var,
    /// Which clause variable is the value all elements share, if any.
    pub shared: Option<Var>,
    /// When an element belongs to a component at all.
    pub body: Vec<Condition>,
    /// The binary predicate that links neighbours, taken as symmetric.
    pub link: PredicateId,
    /// The variables of the body.
    pub variables: Vec<Variable>,
    /// Where it was written.
    pub span: Span,
}

/// A predicate: its name, its arguments' domains and where its answers come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Name in messages.
    pub name: String,
    /// A finite domain for each argument, `None` where it is open. A conclusion outside is dropped.
    pub domains: Vec<Option<DomainId>>,
    /// Where its answers come from.
    pub source: Source,
    /// When they may change; computed by [`ClauseBase::settle`].
    pub level: Level,
}

/// A finite domain in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Name in messages and texts.
    pub name: String,
    /// The values in order, without repetition.
    pub values: IndexSet<Value, FxBuildHasher>,
}

/// Everything the solver runs on: domains, predicates, their clauses, component objects.
#[derive(Clone, Debug, Default)]
pub struct ClauseBase {
    /// The finite domains.
    pub domains: Vec<Domain>,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// For each predicate its clauses, in the order of the text.
    pub clauses: Vec<Vec<Clause>>,
    /// The component objects.
    pub components: Vec<Component>,
}

impl ClauseBase {
    /// Adds a predicate without clauses.
    pub fn add_predicate(&mut self, predicate: Predicate) -> PredicateId {
        let id =
            PredicateId(u32::try_from(self.predicates.len()).expect("fewer than 2^32 predicates"));
        self.predicates.push(predicate);
        self.clauses.push(Vec::new());
        id
    }

    /// Adds a domain.
    pub fn add_domain(&mut self, domain: Domain) -> DomainId {
        let id = DomainId(u32::try_from(self.domains.len()).expect("fewer than 2^32 domains"));
        self.domains.push(domain);
        id
    }

    /// Adds a clause to the predicate of its head.
    pub fn add_clause(&mut self, clause: Clause) {
        self.clauses[clause.head.predicate.0 as usize].push(clause);
    }

    /// The predicate's description.
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.0 as usize]
    }

    /// The predicate's clauses.
    pub fn clauses_of(&self, id: PredicateId) -> &[Clause] {
        &self.clauses[id.0 as usize]
    }

    /// The domain's values.
    pub fn domain(&self, id: DomainId) -> &Domain {
        &self.domains[id.0 as usize]
    }

    /// The component object.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.0 as usize]
    }
}
