//! Boards: a state drawn as a grid, as the theory's display says or as its coordinates suggest.
//!
//! In: a state. Out: lines of text. Invariant: nothing here knows a game; glyphs, letters and layout
//! come from the theory.

use std::collections::BTreeMap;

use rulesmith_logic::{DomainId, PredicateId, Row, Symbols, Value};
use rulesmith_rules::{Display, FluentDefault, FluentId, PredicateKind, value_text};

use super::ReferenceGame;
use super::state::State;

/// What is drawn: a predicate of the state whose last argument is a function of its keys.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    predicate: PredicateId,
    pub(crate) n_keys: usize,
    /// The fluent, when it is one.
    pub(crate) fluent: Option<FluentId>,
}

/// How it is laid out: the key of each cell, row by row from the top.
pub(crate) struct Grid {
    pub(crate) shown: Shown,
    pub(crate) rows: Vec<Vec<Option<Row>>>,
    pub(super) row_labels: Vec<String>,
    pub(super) column_labels: Vec<String>,
    pub(super) slant: i32,
    pub(super) is_up: bool,
}

/// A board with more cells than this is not drawn.
const MAX_CELLS: usize = 4_096;

/// The values shown in a state, by key.
pub(crate) type ShownValues = BTreeMap<Row, Value>;

impl ReferenceGame {
    pub(crate) fn draw(&self, state: &State) -> String {
        let mut drawn = Vec::new();
        let shown = if let Some((fluent, picture)) = &self.theory().notation.picture {
            let shown = self.shown_fluent(*fluent);
            let values = self.shown_values(state, shown);
            drawn.push(self.fill_picture(shown, &values, picture));
            Some(shown)
        } else if let Some(grid) = self.grid() {
            let values = self.shown_values(state, grid.shown);
            drawn.push(self.draw_grid(&grid, &values));
            Some(grid.shown)
        } else {
            None
        };
        let rest = self.draw_rest(state, shown);
        if !rest.is_empty() {
            drawn.push(rest);
        }
        if drawn.is_empty() {
            "(every fluent has its default)".to_owned()
        } else {
            drawn.join("\n")
        }
    }

    /// The fluents that are not on the board, one a line. A derived board shows all that have keys.
    fn draw_rest(&self, state: &State, shown: Option<Shown>) -> String {
        let symbols = self.solver().symbols().borrow();
        let is_drawn = |id: &FluentId| match shown {
            Some(Shown { fluent: Some(fluent), .. }) => fluent == *id,
            Some(_) => self.theory().fluent(*id).n_keys > 0,
            None => false,
        };
        let mut lines = Vec::new();
        for id in self.theory().fluent_ids().filter(|id| !is_drawn(id)) {
            let fluent = self.theory().fluent(id);
            let mut entries: Vec<(&Row, Value)> = state.core.fluents.entries(id).collect();
            entries.sort_by(|a, b| symbols.compare_rows(a.0, b.0));
            let text = |(keys, value): &(&Row, Value)| {
                let keys = keys
                    .iter()
                    .map(|key| value_text(&symbols, *key))
                    .collect::<Vec<_>>()
                    .join(", ");
                let value = value_text(&symbols, *value);
                match (keys.is_empty(), fluent.is_functional) {
                    (true, true) => value,
                    (true, false) => "yes".to_owned(),
                    (false, true) => format!("{keys} → {value}"),
                    (false, false) => keys,
                }
            };
            let texts: Vec<String> = entries.iter().map(text).collect();
            if !texts.is_empty() {
                lines.push(format!("{}: {}", fluent.name, texts.join("; ")));
            }
        }
        lines.join("\n")
    }

    pub(crate) fn shown_fluent(&self, id: FluentId) -> Shown {
        let fluent = self.theory().fluent(id);
        Shown { predicate: fluent.predicate, n_keys: fluent.n_keys, fluent: Some(id) }
    }

    fn shown_predicate(&self, predicate: PredicateId) -> Shown {
        if let PredicateKind::Fluent(id) = self.theory().kind(predicate) {
            return self.shown_fluent(*id);
        }
        let n_keys = self.theory().base.predicate(predicate).domains.len().saturating_sub(1);
        Shown { predicate, n_keys, fluent: None }
    }

    /// A board that cannot be worked out is drawn empty; the rules' fault is reported where it matters.
    pub(crate) fn shown_values(&self, state: &State, shown: Shown) -> ShownValues {
        let arity = self.theory().base.predicate(shown.predicate).domains.len();
        let rows = self.query(&self.world(state), shown.predicate, &vec![None; arity]);
        let yes = Value::Symbol(self.solver().symbols().borrow_mut().symbol("true"));
        let entry = |row: &Row| {
            let (keys, value) = row.split_at(shown.n_keys);
            (keys.into(), value.first().copied().unwrap_or(yes))
        };
        rows.map(|rows| rows.iter().map(entry).collect()).unwrap_or_default()
    }

    /// The text of a value on a board; a value without a glyph is cut to what fits.
    pub(super) fn glyph(&self, symbols: &Symbols, shown: Shown, value: Option<Value>) -> String {
        let is_boolean = shown.fluent.is_some_and(|id| !self.theory().fluent(id).is_functional);
        let no = || symbols.find("false").map(Value::Symbol).filter(|_| is_boolean);
        let Some(value) = value.or_else(no) else { return ".".to_owned() };
        if let Some(glyph) = self.declared_glyph(shown, value) {
            return glyph;
        }
        let default = shown.fluent.map(|id| self.theory().fluent(id).default);
        let is_default = default == Some(FluentDefault::Value(value));
        let text = value_text(symbols, value).replace('\'', "");
        match text.as_str() {
            "true" => "*".to_owned(),
            _ if is_default => ".".to_owned(),
            _ => text.chars().take(3).collect(),
        }
    }

    /// The text of a value in a position: its glyph, or all of it.
    pub(crate) fn position_glyph(&self, symbols: &Symbols, shown: Shown, value: Value) -> String {
        self.declared_glyph(shown, value).unwrap_or_else(|| value_text(symbols, value))
    }

    fn declared_glyph(&self, shown: Shown, value: Value) -> Option<String> {
        let glyphs = &self.theory().notation.glyphs;
        let own = glyphs.iter().find(|(fluent, known, _)| {
            fluent.is_some() && *fluent == shown.fluent && *known == value
        });
        let shared =
            || glyphs.iter().find(|(fluent, known, _)| fluent.is_none() && *known == value);
        own.or_else(shared).map(|(_, _, glyph)| glyph.clone())
    }

    /// A value by the letters of its sort, or as itself.
    pub(crate) fn label(&self, symbols: &Symbols, domain: DomainId, value: Value) -> String {
        let letters = self.theory().notation.letters.iter().find(|(sort, _)| *sort == domain);
        let place = self.theory().base.domain(domain).values.get_index_of(&value);
        match (letters, place) {
            (Some((_, letters)), Some(place)) if place < letters.len() => letters[place].clone(),
            // A compound is written by its parts, `a1` for `(a, 1)`.
            _ => match value {
                Value::Compound(compound) => {
                    let (_, parts) = symbols.parts(compound);
                    let part_domains = self.part_domains(symbols, domain);
                    let labels =
                        parts.iter().zip(part_domains).map(|(part, domain)| match domain {
                            Some(domain) => self.label(symbols, domain, *part),
                            None => value_text(symbols, *part),
                        });
                    labels.collect()
                }
                Value::Symbol(symbol) => symbols.name(symbol).to_owned(),
                number @ Value::Int(_) => value_text(symbols, number),
            },
        }
    }

    /// The sorts of a product's parts: those whose values are exactly the parts that occur.
    fn part_domains(&self, symbols: &Symbols, domain: DomainId) -> Vec<Option<DomainId>> {
        let columns =
            part_columns(symbols, self.theory().base.domain(domain).values.iter().copied());
        let find = |column: &Vec<Value>| {
            let sorts = self.theory().sorts.iter().filter_map(|sort| sort.domain);
            let same =
                |id: &DomainId| self.theory().base.domain(*id).values.iter().eq(column.iter());
            let with_letters =
                |id: &DomainId| self.theory().notation.letters.iter().any(|(sort, _)| sort == id);
            let fitting: Vec<DomainId> = sorts.filter(same).collect();
            fitting.iter().copied().find(with_letters).or(fitting.first().copied())
        };
        // Two parts may range over equal sorts; the first with letters goes to the first part.
        let mut found: Vec<Option<DomainId>> = columns.iter().map(find).collect();
        if let [Some(first), Some(second)] = found[..]
            && first == second
        {
            let sorts = self.theory().sorts.iter().filter_map(|sort| sort.domain);
            let values = |id: DomainId| &self.theory().base.domain(id).values;
            let mut sorts = sorts;
            let other = sorts.rfind(|id| *id != first && values(*id) == values(first));
            found[1] = other.or(found[1]);
        }
        found
    }

    /// The declared layout, or the one the coordinates of some fluent suggest.
    pub(crate) fn grid(&self) -> Option<Grid> {
        let symbols = self.solver().symbols().borrow();
        if let Some(display) = &self.theory().notation.display {
            return self.layout(&symbols, display);
        }
        let suits = |id: &FluentId| {
            let axes = self.coordinates(&symbols, self.shown_fluent(*id));
            axes.is_some_and(|axes| axes.len() == 2 && axes.iter().all(|axis| axis.len() > 1))
        };
        let size = |id: &FluentId| {
            let axes = self.coordinates(&symbols, self.shown_fluent(*id)).unwrap_or_default();
            (self.theory().fluent(*id).is_functional, axes.iter().map(Vec::len).product::<usize>())
        };
        let fluent = self.theory().fluent_ids().filter(suits).max_by_key(size)?;
        let shown = self.theory().fluent(fluent).predicate;
        self.layout(&symbols, &Display { shown, across: 0, down: Some(1), is_up: true, slant: 0 })
    }

    pub(super) fn key_domains(&self, shown: Shown) -> &[Option<DomainId>] {
        &self.theory().base.predicate(shown.predicate).domains[..shown.n_keys]
    }

    /// The values of each coordinate; a single product key counts as its parts.
    fn coordinates(&self, symbols: &Symbols, shown: Shown) -> Option<Vec<Vec<Value>>> {
        let domains: Option<Vec<DomainId>> = self.key_domains(shown).iter().copied().collect();
        let domains = domains?;
        let sizes = domains.iter().map(|id| self.theory().base.domain(*id).values.len());
        let size = sizes.into_iter().try_fold(1_usize, usize::checked_mul);
        if size.is_none_or(|size| size > MAX_CELLS) {
            return None;
        }
        if let [domain] = domains[..] {
            let columns =
                part_columns(symbols, self.theory().base.domain(domain).values.iter().copied());
            if !columns.is_empty() {
                return Some(columns);
            }
        }
        let values =
            |id: &DomainId| self.theory().base.domain(*id).values.iter().copied().collect();
        Some(domains.iter().map(values).collect())
    }

    fn layout(&self, symbols: &Symbols, display: &Display) -> Option<Grid> {
        let shown = self.shown_predicate(display.shown);
        let axes = self.coordinates(symbols, shown)?;
        let across = axes.get(display.across)?;
        let mut down: Vec<Option<Value>> = match display.down {
            Some(place) => axes.get(place)?.iter().copied().map(Some).collect(),
            None => vec![None],
        };
        if display.is_up {
            down.reverse();
        }
        let keys = self.keys_by_coordinates(symbols, shown);
        let cell = |x: Value, y: Option<Value>| {
            let wanted = |coordinates: &[Value]| {
                coordinates.get(display.across) == Some(&x)
                    && display.down.is_none_or(|place| coordinates.get(place).copied() == y)
            };
            keys.iter().find(|(coordinates, _)| wanted(coordinates)).map(|(_, key)| key.clone())
        };
        let rows = down.iter().map(|y| across.iter().map(|x| cell(*x, *y)).collect()).collect();
        let label =
            |place: usize, value: Value| self.coordinate_label(symbols, shown, place, value);
        let row_labels = down.iter().map(|y| match (display.down, y) {
            (Some(place), Some(y)) => label(place, *y),
            _ => String::new(),
        });
        let column_labels = across.iter().map(|x| label(display.across, *x)).collect();
        let (slant, is_up) = (display.slant, display.is_up);
        Some(Grid { shown, rows, row_labels: row_labels.collect(), column_labels, slant, is_up })
    }

    fn coordinate_label(
        &self,
        symbols: &Symbols,
        shown: Shown,
        place: usize,
        value: Value,
    ) -> String {
        let domains = self.key_domains(shown);
        let parts = match domains {
            [Some(only)] => self.part_domains(symbols, *only),
            _ => Vec::new(),
        };
        let domains = if parts.is_empty() { domains } else { &parts };
        let domain = domains.get(place).copied().flatten();
        domain
            .map_or_else(|| value_text(symbols, value), |domain| self.label(symbols, domain, value))
    }

    /// All keys with their coordinates.
    pub(crate) fn keys_by_coordinates(
        &self,
        symbols: &Symbols,
        shown: Shown,
    ) -> Vec<(Vec<Value>, Row)> {
        if self.coordinates(symbols, shown).is_none() {
            return Vec::new();
        }
        let mut keys: Vec<Vec<Value>> = vec![vec![]];
        for domain in self.key_domains(shown).iter().flatten() {
            let values = &self.theory().base.domain(*domain).values;
            keys = keys
                .iter()
                .flat_map(|key| {
                    values.iter().map(move |value| [key.as_slice(), &[*value]].concat())
                })
                .collect();
        }
        let flat = |key: &[Value]| match key {
            [Value::Compound(compound)] => symbols.parts(*compound).1.to_vec(),
            plain => plain.to_vec(),
        };
        keys.into_iter().map(|key| (flat(&key), key.into())).collect()
    }

    fn draw_grid(&self, grid: &Grid, values: &ShownValues) -> String {
        let symbols = self.solver().symbols().borrow();
        let cell = |key: &Option<Row>| match key {
            Some(key) if grid.shown.fluent.is_none() && !values.contains_key(key) => String::new(),
            Some(key) => self.glyph(&symbols, grid.shown, values.get(key).copied()),
            None => String::new(),
        };
        let cells: Vec<Vec<String>> =
            grid.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let width_of =
            |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let width =
            cells.iter().map(|row| width_of(row)).chain([width_of(&grid.column_labels)]).max();
        let width = width.unwrap_or(1);
        let margin = width_of(&grid.row_labels);
        let last = grid.rows.len().saturating_sub(1);
        let indent = |row: usize| {
            let steps = if grid.slant >= 0 { row } else { last - row };
            " ".repeat(steps * grid.slant.unsigned_abs() as usize * width.div_ceil(2))
        };
        let line = |texts: &[String]| {
            let padded: Vec<String> = texts.iter().map(|text| format!("{text:>width$}")).collect();
            padded.join(" ")
        };
        let label = |row: usize| format!("{:>margin$}", grid.row_labels[row]);
        let draw_row = |(row, texts): (usize, &Vec<String>)| {
            format!("{} {}{}", label(row), indent(row), line(texts))
        };
        let mut lines: Vec<String> = cells.iter().enumerate().map(draw_row).collect();
        let labels = |row| format!("{:>margin$} {}{}", "", indent(row), line(&grid.column_labels));
        if grid.is_up || last == 0 {
            lines.push(labels(last));
        } else {
            lines.insert(0, labels(0));
        }
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Puts the glyph of each key in its `[key]` place, under the first letter of the key, and fills
    /// the rest of the place with the line it stands on.
    fn fill_picture(&self, shown: Shown, values: &ShownValues, picture: &str) -> String {
        let symbols = self.solver().symbols().borrow();
        let mut drawn = picture.trim_end().to_owned();
        for (coordinates, key) in self.keys_by_coordinates(&symbols, shown) {
            let texts: Vec<String> = coordinates
                .iter()
                .map(|value| value_text(&symbols, *value).replace('\'', ""))
                .collect();
            let place = format!("[{}]", texts.join(","));
            let Some(start) = drawn.find(&place) else { continue };
            let glyph = self.glyph(&symbols, shown, values.get(&key).copied());
            let line =
                |character: Option<char>| character.filter(|c| "-─═=_".contains(*c)).unwrap_or(' ');
            let before = line(drawn[..start].chars().next_back());
            let after = line(drawn[start + place.len()..].chars().next());
            let n_after = place.chars().count().saturating_sub(1 + glyph.chars().count());
            let filled = format!("{before}{glyph}{}", after.to_string().repeat(n_after));
            drawn.replace_range(start..start + place.len(), &filled);
        }
        drawn
    }
}

/// The distinct parts of compound values, by place; empty unless all are compounds of one length.
fn part_columns(symbols: &Symbols, values: impl Iterator<Item = Value>) -> Vec<Vec<Value>> {
    let mut columns: Vec<Vec<Value>> = Vec::new();
    for value in values {
        let Value::Compound(compound) = value else { return Vec::new() };
        let (_, parts) = symbols.parts(compound);
        if columns.is_empty() {
            columns = vec![Vec::new(); parts.len()];
        }
        if columns.len() != parts.len() {
            return Vec::new();
        }
        for (column, part) in columns.iter_mut().zip(parts) {
            if !column.contains(part) {
                column.push(*part);
            }
        }
    }
    // Where corners of a board are missing, the first column does not have all rows.
    let is_number = |value: &Value| matches!(value, Value::Int(_));
    for column in columns.iter_mut().filter(|column| column.iter().all(is_number)) {
        column.sort_unstable();
    }
    columns
}
