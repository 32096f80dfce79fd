//! The theory: what the rules of a game say, checked and resolved. Every front end produces this.
//!
//! In: nothing but what a rules text says. Out: one clause base, and names for the parts of it that
//! make up a game. Everything a game does is a clause: `init`, `legal`, effects, `terminal` and the
//! rest are predicates of [`Theory::base`] like any other, so one solver answers all of them.
//! Invariant: function-free, range-restricted or finitely sorted, stratified, also through `after`.

use std::collections::BTreeSet;

use rulesmith_logic::{ClauseBase, DomainId, PredicateId, Span, Symbol, Symbols, Value, edges};
use serde::{Deserialize, Serialize};

use crate::metarule::Metarule;
use crate::scl::Fen;
use crate::source::Sources;

/// The name that stands for "no value" in the value place of a partial fluent. No text can spell it.
pub const UNDEFINED: &str = "\0undefined";

/// A checked game.
#[derive(Clone, Debug)]
pub struct Theory {
    /// The game's name.
    pub name: String,
    /// Parameters with the values in force, in the order of the text.
    pub params: Vec<Param>,
    /// Data texts in force.
    pub data: Vec<Data>,
    /// The interner all values below come from.
    pub symbols: Symbols,
    /// All clauses.
    pub base: ClauseBase,
    /// What each predicate of `base` is, by predicate number.
    pub kinds: Vec<PredicateKind>,
    /// The named sorts in the order of the text; the sort `role` among them.
    pub sorts: Vec<Sort>,
    /// The roles in order.
    pub roles: Vec<Symbol>,
    /// The fluents in order.
    pub fluents: Vec<Fluent>,
    /// The kinds of moves in order.
    pub moves: Vec<MoveKind>,
    /// `terminal/0`.
    pub terminal: PredicateId,
    /// `goal/2`: role and value.
    pub goal: PredicateId,
    /// `draw/0`.
    pub draw: PredicateId,
    /// `continue/0`, judged after a step.
    pub continues: PredicateId,
    /// `prefer/1` values, most important first, judged at the end of a turn before deferred effects.
    pub preferences: Vec<PredicateId>,
    /// What makes two turns the same.
    pub turn_identity: TurnIdentity,
    /// Tactical targets: kept for proof search.
    pub targets: Vec<PredicateId>,
    /// How values, moves, positions and boards are written.
    pub notation: Notation,
    /// What the author says about clauses, in the order of the text.
    pub metarules: Vec<Metarule>,
    /// The texts it was read from.
    pub sources: Sources,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// The value in force.
    pub value: i32,
    /// Was it set from outside, against the text?
    pub is_set: bool,
}

/// A data text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its name, also that of the static relation `(row, column, character)`.
    pub name: String,
    /// The sort of its characters as written in the text.
    pub sort: String,
    /// The lines.
    pub text: String,
    /// Name of the file it came from, when it was set from outside.
    pub set_from: Option<String>,
}

/// A named sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Its name.
    pub name: String,
    /// Its values; `None` for the open sort of all ground terms.
    pub domain: Option<DomainId>,
}

/// A fluent: a function of its keys that changes from state to state. A boolean one holds or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fluent {
    /// Its name.
    pub name: String,
    /// How many keys it has.
    pub n_keys: usize,
    /// Has it a value? If not it is boolean.
    pub is_functional: bool,
    /// Value where nothing else was said.
    pub default: FluentDefault,
    /// Is it reset to its default by every step that does not set it?
    pub is_transient: bool,
    /// `(keys…, value)`, or `(keys…)` for a boolean one: what holds in the state.
    pub predicate: PredicateId,
    /// The same arguments as `predicate`: what holds at the start.
    pub init: PredicateId,
    /// `(keys…, value)`, for a boolean one `true` or `false`: what a step assigns.
    pub assign: PredicateId,
    /// The same arguments as `assign`: what the end of a turn assigns.
    pub deferred: PredicateId,
    /// Where it was declared.
    pub span: Span,
}

/// What a fluent's value is where nothing else was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FluentDefault {
    /// Every key must be given one by `init`.
    Required,
    /// This value; `false` for a boolean fluent.
    Value(Value),
    /// None at all: the fluent is a partial function.
    Undefined,
}

/// A kind of move: its name and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveKind {
    /// Its name.
    pub name: String,
    /// How many parameters it has.
    pub n_params: usize,
    /// `(role, params…)`: who may do it.
    pub legal: PredicateId,
    /// `(role, params…)`: who is doing it; `after` passes through this predicate.
    pub does: PredicateId,
    /// Where it was declared.
    pub span: Span,
}

/// A fluent by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FluentId(pub usize);

/// A kind of move by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveId(pub usize);

/// What a predicate of the clause base is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredicateKind {
    /// A static relation; `arrow`: its last argument is a function of the others.
    Static {
        /// Is the last argument a function of the others?
        arrow: bool,
        /// Is it built in (`opponent`) or from a `data` text, so that it is not printed?
        is_given: bool,
    },
    /// A derived predicate; `declared`: the author gave its sorts.
    Derived {
        /// Did the author give its sorts?
        declared: bool,
    },
    /// A derived predicate whose last argument is a function of the others, as its author declared.
    DerivedFunction,
    /// A fluent's value.
    Fluent(FluentId),
    /// A fluent's value at the start.
    Init(FluentId),
    /// What a step assigns to a fluent.
    Assign(FluentId),
    /// What the end of a turn assigns to a fluent.
    Deferred(FluentId),
    /// Who may do a move.
    Legal(MoveId),
    /// Who is doing a move.
    Does(MoveId),
    /// `terminal`.
    Terminal,
    /// `goal`.
    Goal,
    /// `draw`.
    Draw,
    /// `continue`.
    Continue,
    /// `prefer`.
    Prefer,
    /// A tactical target.
    Target,
    /// `repeated(N, over […])`: one argument; the state, seen through these fluents, occurred N times.
    Repeated(Vec<FluentId>),
    /// `since(Event, N)`: one argument; at least N steps since the event last held.
    Since(PredicateId),
    /// The passage of `cycle(Role, …, over […])`: one argument; the states after that role's moves
    /// since the present state, seen through these fluents, last occurred.
    Cycle(Vec<FluentId>),
    /// A relation of an `object`.
    Component,
}

impl PredicateKind {
    /// Is it about the past?
    pub fn is_history(&self) -> bool {
        matches!(self, Self::Repeated(_) | Self::Since(_) | Self::Cycle(_))
    }
}

/// What makes two turns the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TurnIdentity {
    /// The same steps.
    #[default]
    Path,
    /// The same state at the end.
    Result,
}

/// How values, moves, positions and boards are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notation {
    /// Glyphs of values; the fluent they are meant for, or all.
    pub glyphs: Vec<(Option<FluentId>, Value, String)>,
    /// Names of a domain's values, by place.
    pub letters: Vec<(DomainId, Vec<String>)>,
    /// How moves are written; the first that fits.
    pub moves: Vec<MoveNotation>,
    /// How a position is written.
    pub position: Option<Vec<Part>>,
    /// How a position of a chess-like game is written.
    pub fen: Option<Fen>,
    /// The board.
    pub display: Option<Display>,
    /// A drawing with `[key]` places.
    pub picture: Option<(FluentId, String)>,
}

/// How the moves of a kind are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveNotation {
    /// The kind of move.
    pub kind: MoveId,
    /// The values of the parameters it is meant for; `None` where any will do.
    pub pattern: Vec<Option<Value>>,
    /// The text.
    pub parts: Vec<Part>,
}

/// A piece of a notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// A parameter of the move, by place.
    Param(usize),
    /// A fluent of the position.
    Fluent(FluentId),
}

/// How a board is laid out as a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    /// What is shown: a fluent's predicate, or a derived function of the state.
    pub shown: PredicateId,
    /// Which key runs across.
    pub across: usize,
    /// Which key runs down (or up); `None` for a single row.
    pub down: Option<usize>,
    /// Does it run upwards?
    pub is_up: bool,
    /// By how many half cells each further row is shifted.
    pub slant: i32,
}

impl Theory {
    /// Are ways to make a turn one as soon as they meet? So it is where turns are told apart by their ends, and what may
    /// follow in a turn depends on no more than the values that its steps have left.
    pub fn merges_ways(&self) -> bool {
        self.turn_identity == TurnIdentity::Result && !self.turns_ask_history()
    }

    /// Does anything that decides about turns and what they do ask about the past?
    fn turns_ask_history(&self) -> bool {
        let effects = self.fluents.iter().flat_map(|fluent| [fluent.assign, fluent.deferred]);
        let legal = self.moves.iter().map(|kind| kind.legal);
        let mut open: Vec<PredicateId> = effects.chain(legal).chain([self.continues]).collect();
        open.extend(&self.preferences);
        let mut seen: BTreeSet<PredicateId> = open.iter().copied().collect();
        let edges = edges(&self.base);
        while let Some(next) = open.pop() {
            if self.kind(next).is_history() {
                return true;
            }
            let asked = edges.iter().filter(|edge| edge.from == next).map(|edge| edge.to);
            open.extend(asked.filter(|to| seen.insert(*to)));
        }
        false
    }

    /// The canonical name of the instance, such as `go(size=9)`.
    pub fn instance_name(&self) -> String {
        let params = self.params.iter().filter(|param| param.is_set);
        let params = params.map(|param| format!("{}={}", param.name, param.value));
        let data = self
            .data
            .iter()
            .filter_map(|data| data.set_from.as_ref().map(|file| format!("{}={file}", data.name)));
        let settings: Vec<_> = params.chain(data).collect();
        if settings.is_empty() {
            self.name.clone()
        } else {
            format!("{}({})", self.name, settings.join(","))
        }
    }

    /// The fluent.
    pub fn fluent(&self, id: FluentId) -> &Fluent {
        &self.fluents[id.0]
    }

    /// The kind of move.
    pub fn move_kind(&self, id: MoveId) -> &MoveKind {
        &self.moves[id.0]
    }

    /// What the predicate is.
    pub fn kind(&self, id: PredicateId) -> &PredicateKind {
        &self.kinds[id.0 as usize]
    }

    /// The fluents by number.
    pub fn fluent_ids(&self) -> impl Iterator<Item = FluentId> + use<> {
        (0..self.fluents.len()).map(FluentId)
    }

    /// The kinds of moves by number.
    pub fn move_ids(&self) -> impl Iterator<Item = MoveId> + use<> {
        (0..self.moves.len()).map(MoveId)
    }
}
