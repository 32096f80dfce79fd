//! States and steps as words, and back to what the reference engine says.
//!
//! In: states and steps of the reference engine. Out: the words of the layout, and one word for each step.
//! Invariant: equal states have equal words, every fluent of the state is in them, and decoding gives
//! back what was encoded.

use rulesmith_game::Error;
use rulesmith_logic::{DomainId, Row, Symbols, Value};
use rulesmith_rules::{Assigned, MoveId, MoveKind, Theory, TurnIdentity};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::build::number;
use crate::reference::state::Earlier;
use crate::reference::{ReferenceGame, State, Step};
use crate::state_layout::{StateLayout, place, split_row};

/// The words of a state's fluents.
pub(crate) fn encode(
    game: &ReferenceGame,
    layout: &StateLayout,
    state: &State,
) -> Result<Vec<u64>, Error> {
    let theory: &Theory = game.theory();
    let mut words = vec![0; layout.n_words.max(1) as usize];
    for id in theory.fluent_ids() {
        let predicate = theory.fluent(id).predicate;
        let fluent = layout.fluent(id);
        if fluent.is_scalar() {
            words[fluent.offset as usize] = u64::from(fluent.no_value());
        }
        let free = vec![None; theory.base.predicate(predicate).domains.len()];
        let rows = game.solver().query(&*game.world(state), predicate, &free);
        let rows = rows.map_err(|error| game.explain(error))?;
        for row in rows.iter() {
            let Some((key, value)) = split_row(theory, layout, id, row) else { continue };
            if fluent.is_scalar() {
                let value = if fluent.values.is_some() { value } else { 1 };
                words[fluent.offset as usize] = u64::from(value);
            } else {
                words[(fluent.plane(value) + key / 64) as usize] |= 1 << (key % 64);
            }
        }
    }
    Ok(words)
}

/// The state of the reference engine that words mean, after so many turns; it has no past.
pub(crate) fn decode(
    game: &ReferenceGame,
    layout: &StateLayout,
    (words, n_turns): (&[u64], i32),
) -> Result<State, Error> {
    let theory: &Theory = game.theory();
    let mut assigned: Vec<Assigned> = Vec::new();
    for id in theory.fluent_ids() {
        let fluent = layout.fluent(id);
        let value = |number: u32| -> Option<Value> {
            let domain = theory.base.domain(fluent.values?);
            domain.values.get_index(number as usize).copied()
        };
        if fluent.is_scalar() {
            let number = u32::try_from(words[fluent.offset as usize]).unwrap_or(u32::MAX);
            let has_value = number != fluent.no_value();
            assigned.extend(has_value.then(|| (id, Vec::new(), value(number))));
            continue;
        }
        for number in 0..fluent.n_values {
            for key in 0..fluent.keys.len() {
                let word = words[(fluent.plane(number) + key / 64) as usize];
                if word >> (key % 64) & 1 == 1 {
                    assigned.push((id, fluent.keys.tuple(&theory.base, key), value(number)));
                }
            }
        }
    }
    let state = game.state_of(assigned)?;
    let steps = |word: u32| words.get(word as usize).and_then(|steps| i32::try_from(*steps).ok());
    let since = layout.since().filter_map(|(word, event)| Some((event, steps(word)?)));
    Ok(state.with_earlier(Earlier { since: since.collect(), n_turns }))
}

/// How steps become single words: the kind in the lowest bits, then the place of each parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StepCoding {
    kind_bits: u32,
    /// For each kind the bits of each parameter.
    param_bits: Vec<Vec<u32>>,
}

/// Bits that numbers below a bound take.
fn bits(bound: usize) -> u32 {
    usize::BITS - bound.saturating_sub(1).leading_zeros()
}

fn low(bits: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
}

impl StepCoding {
    /// The coding of a theory's steps; `sizes` are the numbers of values of each kind's parameters.
    pub(crate) fn new(sizes: &[Vec<u32>]) -> Result<Self, Obstacle> {
        let kind_bits = bits(sizes.len());
        let param_bits: Vec<Vec<u32>> = sizes
            .iter()
            .map(|sizes| sizes.iter().map(|size| bits(*size as usize)).collect())
            .collect();
        if param_bits.iter().any(|params| kind_bits + params.iter().sum::<u32>() > u64::BITS) {
            return Err(Obstacle::new("a step does not fit into a word"));
        }
        Ok(Self { kind_bits, param_bits })
    }

    /// One word for the kind and its parameters by their places; more of these are left out.
    pub(crate) fn pack(&self, row: &[u64]) -> u64 {
        let (mut word, mut shift) = (row[0], self.kind_bits);
        let kind = usize::try_from(row[0]).unwrap_or(usize::MAX);
        for (param, bits) in row[1..].iter().zip(&self.param_bits[kind]) {
            word |= param.checked_shl(shift).unwrap_or(0);
            shift += bits;
        }
        word
    }

    /// The kind, and its parameters in the place that is handed over.
    pub(crate) fn unpack(&self, step: u64, params: &mut Vec<u64>) -> MoveId {
        let kind = usize::try_from(step & low(self.kind_bits)).unwrap_or(usize::MAX);
        let mut rest = step.checked_shr(self.kind_bits).unwrap_or(0);
        params.clear();
        for bits in &self.param_bits[kind] {
            params.push(rest & low(*bits));
            rest = rest.checked_shr(*bits).unwrap_or(0);
        }
        MoveId(kind)
    }

    /// A step of the reference engine; nothing if a value is not of its sort.
    pub(crate) fn encode(&self, theory: &Theory, step: &Step) -> Option<u64> {
        let MoveId(kind) = step.kind;
        let domains = &theory.base.predicate(theory.moves[kind].does).domains;
        let mut row = vec![kind as u64];
        for (value, domain) in step.args.iter().zip(domains.iter().skip(1)) {
            row.push(u64::from(place(&theory.base, (*domain)?, *value)?));
        }
        Some(self.pack(&row))
    }

    /// The step of the reference engine that a word means.
    pub(crate) fn decode(&self, theory: &Theory, step: u64) -> Option<Step> {
        let mut params = Vec::new();
        let kind = self.unpack(step, &mut params);
        let domains = &theory.base.predicate(theory.move_kind(kind).does).domains;
        let value = |(param, domain): (&u64, &Option<_>)| {
            let values = &theory.base.domain((*domain)?).values;
            values.get_index(usize::try_from(*param).ok()?).copied()
        };
        let args: Option<Row> = params.iter().zip(domains.iter().skip(1)).map(value).collect();
        Some(Step { kind, args: args? })
    }
}

/// How turns that lead to one state become one: the first stands for them all, in the order in which the reference engine
/// lists steps (by kind, then by the values of the parameters).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ByResult {
    /// Are ways to make a turn one as soon as they meet?
    pub(crate) merges_ways: bool,
    /// For each kind and parameter, the rank of the value at each place.
    ranks: Vec<Vec<Vec<u32>>>,
}

impl ByResult {
    /// Where the rules say so.
    pub(crate) fn of(theory: &Theory, symbols: &Symbols) -> Option<Self> {
        (theory.turn_identity == TurnIdentity::Result).then(|| Self::new(theory, symbols))
    }

    fn new(theory: &Theory, symbols: &Symbols) -> Self {
        let ranks = |domain: &Option<DomainId>| {
            let values = domain.map(|domain| &theory.base.domain(domain).values);
            let values: Vec<Value> = values.into_iter().flatten().copied().collect();
            let mut sorted: Vec<usize> = (0..values.len()).collect();
            sorted.sort_by(|one, other| symbols.compare(values[*one], values[*other]));
            let mut ranks = vec![0; values.len()];
            for (rank, place) in (0..).zip(sorted) {
                ranks[place] = rank;
            }
            ranks
        };
        let of_kind = |kind: &MoveKind| {
            let domains = &theory.base.predicate(kind.does).domains;
            domains.iter().skip(1).map(ranks).collect()
        };
        let ranks = theory.moves.iter().map(of_kind).collect();
        Self { merges_ways: theory.merges_ways(), ranks }
    }

    /// What sorts turns of these steps.
    pub(crate) fn key(&self, coding: &StepCoding, steps: impl Iterator<Item = u64>) -> Vec<u32> {
        let (mut key, mut params) = (Vec::new(), Vec::new());
        for step in steps {
            let MoveId(kind) = coding.unpack(step, &mut params);
            key.push(number(kind));
            let ranks = params.iter().zip(&self.ranks[kind]);
            key.extend(ranks.map(|(param, ranks)| ranks[usize::try_from(*param).unwrap_or(0)]));
        }
        key
    }
}
