//! What a variable holds while loops run, and where it stands in a domain.
//!
//! In: terms and the registers that hold their values. Out: words that number them in the domain a table or
//! a plane is numbered by. Invariant: a number outside its domain is caught before it is used.

use rulesmith_kernel::{Scalar, Table, Word};
use rulesmith_logic::{DomainId, Term, Value, Var};

use super::super::Obstacle;
use super::lower::Lowering;

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// A value known before the code runs.
    Fixed(Value),
    /// A place in a domain.
    Place(Scalar, DomainId),
    /// A number; negative ones wrap around.
    Number(Scalar),
}

impl Held {
    /// The register it is in, if it is in one.
    pub(super) fn word(self) -> Option<Word> {
        match self {
            Self::Fixed(_) => None,
            Self::Place(scalar, _) | Self::Number(scalar) => Some(scalar.into()),
        }
    }
}

/// Where a term stands in a domain.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// Nothing binds it yet.
    Unknown(Var),
    /// It is never of the domain.
    Never,
    /// At this place.
    Known(Word),
    /// At this place, unless the word is outside of the domain.
    Maybe(Word),
}

/// Stands for a value outside of a domain.
pub(super) const NOWHERE: u64 = u64::MAX;

impl Lowering<'_, '_> {
    /// What a term holds; nothing if it is unknown.
    pub(super) fn held(&self, term: Term) -> Option<Held> {
        match term {
            Term::Value(value) => Some(Held::Fixed(value)),
            Term::Var(Var(number)) => self.env.get(usize::from(number)).copied().flatten(),
        }
    }

    pub(super) fn bind(&mut self, Var(number): Var, held: Option<Held>) {
        let place = usize::from(number);
        if self.env.len() <= place {
            self.env.resize(place + 1, None);
        }
        self.env[place] = held;
    }

    /// Where a term stands in a domain.
    pub(super) fn spot(&mut self, term: Term, domain: DomainId) -> Result<Spot, Obstacle> {
        let Some(held) = self.held(term) else {
            let Term::Var(var) = term else { return Ok(Spot::Never) };
            return Ok(Spot::Unknown(var));
        };
        self.spot_of(held, domain)
    }

    pub(super) fn spot_of(&mut self, held: Held, domain: DomainId) -> Result<Spot, Obstacle> {
        let domains = &self.setting.domains;
        Ok(match held {
            Held::Fixed(value) => match domains.place(domain, value) {
                Some(place) => Spot::Known(Word::Constant(u64::from(place))),
                None => Spot::Never,
            },
            Held::Place(scalar, own) if own == domain => Spot::Known(scalar.into()),
            Held::Place(scalar, own) => {
                let places = domains.translation(own, domain);
                self.translated(scalar, &places)
            }
            Held::Number(scalar) => {
                let first = domains.first_number(domain);
                let first = first.ok_or_else(|| Obstacle::new("a number as a key"))?;
                Spot::Maybe(Word::from(scalar) - wrapped(i64::from(first)))
            }
        })
    }

    fn translated(&mut self, scalar: Scalar, places: &[Option<u32>]) -> Spot {
        if places.iter().all(Option::is_none) {
            return Spot::Never;
        }
        let is_total = places.iter().all(Option::is_some);
        let is_same = places.iter().zip(0..).all(|(place, own)| *place == Some(own));
        if is_same {
            return Spot::Known(scalar.into());
        }
        let words = places.iter().map(|place| place.map_or(NOWHERE, u64::from)).collect();
        let table = self.tables.add(Table { width: 1, words });
        let word = Word::look(table, scalar);
        if is_total { Spot::Known(word) } else { Spot::Maybe(word) }
    }
}

/// A number as a word.
#[expect(clippy::cast_sign_loss, reason = "words wrap around, and so do sums of them")]
pub(super) fn wrapped(number: i64) -> u64 {
    number as u64
}
