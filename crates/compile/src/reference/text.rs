//! Texts of states and moves, as the theory's notation says, and back.
//!
//! In: states, turns, texts. Out: texts, states, turns. Invariant: every text written here parses back
//! to what it was written from.

use std::collections::BTreeMap;

use rulesmith_game::{Board, Error, Game, Notation, RoleId, SquareId};
use rulesmith_logic::{Row, Symbols, Value};
use rulesmith_rules::scl::Square;
use rulesmith_rules::{
    Assigned, Diagnostics, FluentId, MoveNotation, Part, applied_text, parse_state_text, value_text,
};

use super::state::{Fluents, State, StateCore, to_stored};
use super::turns::{Path, first_ways};
use super::{ReferenceGame, Step, Turn};

/// The text of a state in which every fluent has its default.
pub(super) const DEFAULTS: &str = "defaults";

/// The text of the state contests start from.
const INITIAL: &str = "initial";

/// Between the steps of a turn.
const STEP_SEPARATOR: &str = "; ";

impl ReferenceGame {
    /// The general text of a state: every fluent that differs from its default.
    fn general_state_text(&self, state: &State) -> String {
        let facts = self.facts(state);
        if facts.is_empty() {
            return DEFAULTS.to_owned();
        }
        let text = facts.join(if self.wording.is_some() { " " } else { ", " });
        // A fluent may have the name of a word of ours.
        if text == DEFAULTS || text == INITIAL { format!("'{text}'") } else { text }
    }

    pub(crate) fn state_of(&self, assigned: Vec<Assigned>) -> Result<State, Error> {
        let mut fluents = Fluents::defaults(self.theory());
        {
            let mut symbols = self.solver().symbols().borrow_mut();
            let yes = Value::Symbol(symbols.symbol("true"));
            let mut given: BTreeMap<(FluentId, Vec<Value>), Value> = BTreeMap::new();
            for (id, keys, value) in assigned {
                let fluent = self.theory().fluent(id);
                let value = value.unwrap_or(yes);
                if *given.entry((id, keys.clone())).or_insert(value) != value {
                    return Err(Error::Text(format!(
                        "the state gives `{}` two different values",
                        fluent.name
                    )));
                }
                let stored = to_stored(fluent, value, None);
                fluents.set(&symbols, id, keys.into(), stored);
            }
        }
        // What a text leaves out is a mistake of the text, not of the rules.
        if let Some(fluent) = self.lacking_values(&fluents) {
            let every = if fluent.n_keys == 0 { "" } else { " for every key" };
            let name = &fluent.name;
            return Err(Error::Text(format!("the state does not say what `{name}` is{every}")));
        }
        Ok(State { core: StateCore::new(fluents, None) })
    }

    fn parse_general(&self, text: &str) -> Result<State, Error> {
        let assigned = if text.trim() == DEFAULTS {
            Vec::new()
        } else if let Some(wording) = &self.wording {
            let facts = wording.parse_facts(&mut self.solver().symbols().borrow_mut(), text);
            let facts = facts.map_err(Error::Text)?;
            facts.into_iter().map(|(id, args)| self.to_assigned(id, args)).collect()
        } else {
            let mut symbols = self.solver().symbols().borrow_mut();
            parse_state_text(self.theory(), &mut symbols, text)
                .map_err(|problems| Error::Text(explain(text, &problems)))?
        };
        self.state_of(assigned)
    }

    fn to_assigned(&self, id: FluentId, mut args: Vec<Value>) -> Assigned {
        let value = if self.theory().fluent(id).is_functional { args.pop() } else { None };
        (id, args, value)
    }

    /// One step as text.
    pub(crate) fn step_text(&self, step: &Step) -> String {
        let symbols = self.solver().symbols().borrow();
        if let Some(wording) = &self.wording {
            return wording.step(&symbols, step.kind, &step.args);
        }
        match self.notation_of(step) {
            Some(parts) => parts.iter().map(|part| self.part_text(&symbols, step, part)).collect(),
            None => self.general_step_text(&symbols, step),
        }
    }

    /// How the step is written, if its kind has a notation.
    fn notation_of(&self, step: &Step) -> Option<&[Part]> {
        let fits = |notation: &&MoveNotation| {
            let agrees =
                |(known, arg): (&Option<Value>, &Value)| known.is_none_or(|known| known == *arg);
            notation.kind == step.kind && notation.pattern.iter().zip(&step.args).all(agrees)
        };
        self.theory().notation.moves.iter().find(fits).map(|notation| notation.parts.as_slice())
    }

    fn part_text(&self, symbols: &Symbols, step: &Step, part: &Part) -> String {
        match part {
            Part::Text(text) => text.clone(),
            Part::Param(place) => self.param_text(symbols, step, *place),
            Part::Fluent(_) => String::new(),
        }
    }

    /// A turn by its notation: the steps follow one another, and a step that starts where the last
    /// one ended does not name that place again, so `15x22` and `22x31` make `15x22x31`.
    fn joined_text(&self, turn: &Turn) -> Option<String> {
        let symbols = self.solver().symbols().borrow();
        let mut text = String::new();
        let mut end: Option<Vec<Value>> = None;
        for step in &turn.steps {
            let parts = self.notation_of(step)?;
            let runs: Vec<&[Part]> = parts.chunk_by(|a, b| is_param(a) && is_param(b)).collect();
            let place = |run: &[Part]| -> Vec<Value> {
                let arg = |part: &Part| {
                    if let Part::Param(place) = part { Some(step.args[*place]) } else { None }
                };
                run.iter().filter_map(arg).collect()
            };
            let starts = runs.first().map(|run| place(run)).filter(|place| !place.is_empty());
            let is_repeated = starts.is_some() && starts == end;
            for run in runs.iter().skip(usize::from(is_repeated)) {
                text.extend(run.iter().map(|part| self.part_text(&symbols, step, part)));
            }
            end = runs.last().map(|run| place(run));
        }
        Some(text)
    }

    fn general_step_text(&self, symbols: &Symbols, step: &Step) -> String {
        applied_text(symbols, &self.theory().move_kind(step.kind).name, &step.args)
    }

    /// A parameter by the letters of its sort, or as a value.
    fn param_text(&self, symbols: &Symbols, step: &Step, place: usize) -> String {
        let legal = self.theory().move_kind(step.kind).legal;
        let domain = self.theory().base.predicate(legal).domains[place + 1];
        let value = step.args[place];
        match domain {
            Some(domain) => self.label(symbols, domain, value),
            None => value_text(symbols, value),
        }
    }

    fn general_turn_text(&self, turn: &Turn) -> String {
        let symbols = self.solver().symbols().borrow();
        let steps = turn.steps.iter().map(|step| self.general_step_text(&symbols, step));
        steps.collect::<Vec<_>>().join(STEP_SEPARATOR)
    }
}

impl Notation for ReferenceGame {
    fn state_text(&self, state: &State) -> String {
        if let Some(fen) = self.fen(state) {
            return fen;
        }
        let declared = self.declared_state_text(state);
        let is_whole = |text: &String| self.parse_declared(text).is_ok_and(|read| read == *state);
        declared.filter(is_whole).unwrap_or_else(|| self.general_state_text(state))
    }

    fn fen_text(&self, state: &State) -> Option<String> {
        self.fen(state)
    }

    fn parse_state(&self, text: &str) -> Result<State, Error> {
        if text.trim() == INITIAL {
            return self.initial();
        }
        if self.looks_like_fen(text) {
            return self.parse_fen(text);
        }
        let general = self.parse_general(text);
        if general.is_ok() || self.theory().notation.position.is_none() {
            return general;
        }
        // The error shown is that of the form the text seems to be meant in.
        let declared = self.parse_declared(text);
        if declared.is_err() && text.contains(['=', '(']) { general } else { declared }
    }

    fn facts(&self, state: &State) -> Vec<String> {
        let symbols = self.solver().symbols().borrow();
        let mut facts = Vec::new();
        for id in self.theory().fluent_ids() {
            let fluent = self.theory().fluent(id);
            let mut entries: Vec<(&Row, Value)> = state.core.fluents.entries(id).collect();
            entries.sort_by(|a, b| symbols.compare_rows(a.0, b.0));
            for (keys, value) in entries {
                facts.push(match &self.wording {
                    Some(wording) if fluent.is_functional => {
                        wording.fact(&symbols, id, &[keys, [value].as_slice()].concat())
                    }
                    Some(wording) => wording.fact(&symbols, id, keys),
                    None => {
                        let applied = applied_text(&symbols, &fluent.name, keys);
                        let value = value_text(&symbols, value);
                        if fluent.is_functional { format!("{applied} = {value}") } else { applied }
                    }
                });
            }
        }
        facts
    }

    fn move_text(&self, chosen: &Turn) -> String {
        if self.wording.is_none()
            && let Some(text) = self.joined_text(chosen)
        {
            return text;
        }
        let steps: Vec<String> = chosen.steps.iter().map(|step| self.step_text(step)).collect();
        steps.join(STEP_SEPARATOR)
    }

    fn exact_text(&self, chosen: &Turn) -> String {
        if self.wording.is_some() { self.move_text(chosen) } else { self.general_turn_text(chosen) }
    }

    fn parse_move(&self, state: &State, role: RoleId, text: &str) -> Result<Turn, Error> {
        let paths = self.paths(state, role)?;
        let listed = first_ways(&paths);
        if let Some(turn) = self.turn_called(&listed, text)? {
            return Ok(turn);
        }
        // Whoever takes another way to the same end makes the same turn.
        if let Some(turn) = self.turn_called(&paths, text)? {
            return Ok(turn);
        }
        let others = match self.other_paths(state, role) {
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            others => others.unwrap_or_default(),
        };
        if let Some(turn) = self.turn_called(&others, text)? {
            return Ok(turn);
        }
        let texts: Vec<String> = listed.iter().map(|path| self.move_text(&path.turn)).collect();
        let near = rulesmith_rules::nearest(text.trim(), texts.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        Err(Error::Text(format!("`{}` is not a legal move{near}", text.trim())))
    }

    fn picture(&self, state: &State) -> String {
        self.draw(state)
    }

    fn board(&self, state: &State) -> Option<Board> {
        self.laid_out(state)
    }

    fn squares_of(&self, chosen: &Turn) -> Vec<SquareId> {
        self.named_squares(chosen)
    }
}

impl ReferenceGame {
    /// The turn that is written so.
    fn turn_called(&self, paths: &[Path], text: &str) -> Result<Option<Turn>, Error> {
        let exactly = |path: &&Path| spaced(&self.move_text(&path.turn)) == spaced(text);
        let mut by_notation: Vec<&Path> = paths.iter().filter(exactly).collect();
        let wanted = squeeze(text);
        if by_notation.is_empty() && self.wording.is_none() {
            let nearly = |path: &&Path| squeeze(&self.move_text(&path.turn)) == wanted;
            by_notation = paths.iter().filter(nearly).collect();
        }
        by_notation.sort_by_key(|path| path.same_as);
        by_notation.dedup_by_key(|path| path.same_as);
        let named = |path: &Path| paths[path.same_as].turn.clone();
        match by_notation[..] {
            [path] => Ok(Some(named(path))),
            [first, second, ..] => {
                // A general form may look like another move's notation; it names its own move.
                let general =
                    |path: &&Path| spaced(&self.general_turn_text(&path.turn)) == spaced(text);
                if let Some(path) = paths.iter().find(general) {
                    return Ok(Some(named(path)));
                }
                let forms = [first, second].map(|path| self.general_turn_text(&path.turn));
                let forms = forms.join(" or ");
                Err(Error::Text(format!("`{text}` is ambiguous: {forms}?")))
            }
            [] => {
                let general = |path: &&Path| squeeze(&self.general_turn_text(&path.turn)) == wanted;
                let found = paths.iter().find(general).map(named);
                Ok(found.or_else(|| self.turn_through(paths, text)))
            }
        }
    }

    /// The one turn through the squares that a text names, in whatever way the players of the game write them; two are enough for
    /// a turn that is the only one from the first to the last.
    fn turn_through(&self, paths: &[Path], text: &str) -> Option<Turn> {
        let fen = self.theory().notation.fen.as_ref()?;
        let wanted = fen.move_squares(text)?;
        let squares = |path: &Path| fen.move_squares(&self.move_text(&path.turn));
        let all: Vec<(&Path, Vec<Square>)> =
            paths.iter().filter_map(|path| Some((path, squares(path)?))).collect();
        let ends = |squares: &[Square]| (squares.first().copied(), squares.last().copied());
        let only = |fits: &dyn Fn(&[Square]) -> bool| {
            let mut found =
                all.iter().filter(|(_, through)| fits(through)).map(|(path, _)| path.same_as);
            let first = found.next()?;
            found.all(|other| other == first).then(|| paths[first].turn.clone())
        };
        only(&|through| through == wanted)
            .or_else(|| only(&|through| wanted.len() == 2 && ends(through) == ends(&wanted)))
    }
}

fn is_param(part: &Part) -> bool {
    matches!(part, Part::Param(_))
}

/// The words and parentheses of a text, with one space between them.
fn spaced(text: &str) -> String {
    let apart = text.replace('(', " ( ").replace(')', " ) ");
    apart.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where nothing fits exactly, spaces and capitals do not matter.
fn squeeze(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The problems of a one-line text, each with a caret.
pub(super) fn explain(text: &str, problems: &Diagnostics) -> String {
    let one = |problem: &rulesmith_rules::Diagnostic| {
        let start = (problem.span.start as usize).min(text.len());
        let column = text.get(..start).map_or(0, |before| before.chars().count());
        let length = text
            .get(start..(problem.span.end as usize).min(text.len()))
            .map_or(1, |part| part.chars().count().max(1));
        let help = problem.help.as_ref().map_or(String::new(), |help| format!("\n  help: {help}"));
        format!(
            "position:1:{}: {}\n  {text}\n  {}{}{help}",
            column + 1,
            problem.message,
            " ".repeat(column),
            "^".repeat(length)
        )
    };
    problems.list.iter().map(one).collect::<Vec<_>>().join("\n")
}
