//! Positions and states: which fluent of the general theory says what a position says.
//!
//! In: a position, or the values of all fluents that differ from their defaults. Out: the other. The names of the fluents are those of
//! `chess_like.rules`. Invariant: a state of which a position would lose something has none.

use rulesmith_logic::{PredicateId, Symbols, Value};

use super::Fen;
use super::position::{Man, Position};
use crate::scl::ast::{Draw, Side, Square};
use crate::source::{Diagnostic, Diagnostics};
use crate::state_text::Assigned;
use crate::theory::{FluentId, Theory};

/// What sets the clock back; what never happens, so that all turns are counted.
const PROGRESS: &str = "progress";
const NEVER: &str = "never";

const ROLES: [(Side, &str); 2] = [(Side::Player, "white"), (Side::Opponent, "black")];

impl Fen {
    /// The fluents of a position.
    pub fn to_state(
        &self,
        theory: &Theory,
        symbols: &mut Symbols,
        position: &Position,
    ) -> Result<Vec<Assigned>, Diagnostics> {
        let mut state =
            Writing { theory, symbols, assigned: vec![], problems: Diagnostics::default() };
        let turn = state.role(position.turn);
        state.set("turn", vec![], Some(turn));
        for (square, man) in &position.men {
            let (square, piece) = (state.square(*square), state.piece(self, *man));
            state.set("at", vec![square], Some(piece));
        }
        for (man, count) in &position.hands {
            let keys = vec![state.role(man.owner), state.kind(self, *man)];
            state.set("hand", keys, Some(Value::Int(*count)));
        }
        if position.hands.is_empty() {
            state.set("arrayed", vec![], None);
        }
        if self.has_facing(position) {
            state.set("eyed", vec![], None);
        }
        for square in &position.fresh {
            let square = state.square(*square);
            state.set("fresh", vec![square], None);
        }
        if let Some(trailing) = position.trailing {
            for square in &position.trail {
                let square = state.square(*square);
                state.set("trail", vec![square], None);
            }
            let square = state.square(trailing);
            state.set("trailing", vec![], Some(square));
        }
        for (side, times) in &position.checked {
            let role = state.role(*side);
            state.set("checked", vec![role], Some(Value::Int(*times)));
        }
        if state.problems.has_errors() { Err(state.problems) } else { Ok(state.assigned) }
    }

    /// The position of some fluents; nothing if there is more to them than a position can say.
    pub fn of_state(
        &self,
        theory: &Theory,
        symbols: &Symbols,
        assigned: &[Assigned],
    ) -> Option<Position> {
        let mut position = Position::default();
        let mut is_arrayed = false;
        for (id, keys, value) in assigned {
            let name = theory.fluent(*id).name.as_str();
            match (name, &keys[..], value) {
                ("turn", [], Some(role)) => position.turn = side_of(symbols, *role)?,
                ("at", [at], Some(piece)) => {
                    position.men.insert(square_of(symbols, *at)?, self.man_of(symbols, *piece)?);
                }
                ("hand", [role, kind], Some(Value::Int(count))) => {
                    let owner = side_of(symbols, *role)?;
                    let kind = self.kind_named(name_of(symbols, *kind)?)?;
                    position.hands.insert(Man { kind, owner }, *count);
                }
                ("fresh", [at], None) => {
                    position.fresh.insert(square_of(symbols, *at)?);
                }
                ("trail", [at], None) => {
                    position.trail.insert(square_of(symbols, *at)?);
                }
                ("trailing", [], Some(at)) => position.trailing = Some(square_of(symbols, *at)?),
                ("checked", [role], Some(Value::Int(times))) => {
                    position.checked.insert(side_of(symbols, *role)?, *times);
                }
                ("arrayed", [], None) => is_arrayed = true,
                // The one follows from the men, no later turn depends on the others.
                ("eyed", [], None) | ("whence" | "whither", [], _) => {}
                _ => return None,
            }
        }
        // Whether pieces in hand are left of an army or were captured, a position does not say.
        (!is_arrayed || position.hands.is_empty()).then_some(position)
    }

    /// Do pieces of both sides see each other on a column that may not do so for long?
    fn has_facing(&self, position: &Position) -> bool {
        let draws = self.game.draws.iter();
        let mut kinds = draws.filter_map(|draw| match draw {
            Draw::Facing(name) => self.kind_named(&name.text),
            _ => None,
        });
        kinds.any(|kind| {
            let of =
                |owner| position.men.iter().filter(move |(_, man)| **man == Man { kind, owner });
            let faces = |one: Square, other: Square| {
                let (low, high) = (one.row.min(other.row), one.row.max(other.row));
                let mut between = (low + 1..high).map(|row| Square { column: one.column, row });
                one.column == other.column && between.all(|at| !position.men.contains_key(&at))
            };
            of(Side::Player)
                .any(|(one, _)| of(Side::Opponent).any(|(other, _)| faces(*one, *other)))
        })
    }

    /// Is it the event that sets the clock of a position back?
    pub fn is_quiet_event(&self, theory: &Theory, event: PredicateId) -> bool {
        theory.base.predicate(event).name == PROGRESS
    }

    /// How many steps a position says were made since an event, if it says so.
    pub fn steps_since(
        &self,
        theory: &Theory,
        event: PredicateId,
        position: &Position,
    ) -> Option<i32> {
        match theory.base.predicate(event).name.as_str() {
            PROGRESS => Some(position.quiet),
            NEVER => Some(position.n_turns()),
            _ => None,
        }
    }

    fn man_of(&self, symbols: &Symbols, piece: Value) -> Option<Man> {
        let Value::Compound(compound) = piece else { return None };
        let (_, args) = symbols.parts(compound);
        let [kind, role] = args else { return None };
        let kind = self.kind_named(name_of(symbols, *kind)?)?;
        Some(Man { kind, owner: side_of(symbols, *role)? })
    }
}

fn name_of(symbols: &Symbols, value: Value) -> Option<&str> {
    if let Value::Symbol(symbol) = value { Some(symbols.name(symbol)) } else { None }
}

fn side_of(symbols: &Symbols, role: Value) -> Option<Side> {
    let name = name_of(symbols, role)?;
    ROLES.iter().find(|(_, role)| *role == name).map(|(side, _)| *side)
}

fn square_of(symbols: &Symbols, square: Value) -> Option<Square> {
    let Value::Compound(compound) = square else { return None };
    match symbols.parts(compound).1 {
        [Value::Int(column), Value::Int(row)] => Some(Square { column: *column, row: *row }),
        _ => None,
    }
}

/// Fluents under way.
struct Writing<'t> {
    theory: &'t Theory,
    symbols: &'t mut Symbols,
    assigned: Vec<Assigned>,
    problems: Diagnostics,
}

impl Writing<'_> {
    fn role(&mut self, side: Side) -> Value {
        let name = if side == Side::Player { ROLES[0].1 } else { ROLES[1].1 };
        Value::Symbol(self.symbols.symbol(name))
    }

    fn kind(&mut self, fen: &Fen, man: Man) -> Value {
        Value::Symbol(self.symbols.symbol(&fen.game.pieces[man.kind.0].name.text))
    }

    fn piece(&mut self, fen: &Fen, man: Man) -> Value {
        let args = [self.kind(fen, man), self.role(man.owner)];
        let functor = self.symbols.symbol("piece");
        self.symbols.compound(functor, &args)
    }

    fn square(&mut self, square: Square) -> Value {
        let functor = self.symbols.symbol("");
        self.symbols.compound(functor, &[Value::Int(square.column), Value::Int(square.row)])
    }

    /// Assigns a value, if the theory has the fluent and its sorts the values. What a game can never do has no fluent.
    fn set(&mut self, name: &str, keys: Vec<Value>, value: Option<Value>) {
        let theory = self.theory;
        let Some(place) = theory.fluents.iter().position(|fluent| fluent.name == name) else {
            return;
        };
        let domains = &theory.base.predicate(theory.fluents[place].predicate).domains;
        let is_known = |(value, domain): (&Value, &Option<_>)| {
            domain.is_none_or(|domain| theory.base.domain(domain).values.contains(value))
        };
        if keys.iter().chain(&value).zip(domains).all(is_known) {
            self.assigned.push((FluentId(place), keys, value));
        } else {
            let message = format!("`{name}` cannot have such a value in this game");
            let span = rulesmith_logic::Span::default();
            self.problems.report(Diagnostic::error("position", span, message));
        }
    }
}
