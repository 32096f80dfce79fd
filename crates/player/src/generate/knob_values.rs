//! The values of knobs, and how they are written.
//!
//! In: the kind of a knob and a text. Out: a value, or what is wrong with the text; and texts of values.
//! Invariant: weights are not negative and add up to more than zero; ranges are not empty.

use super::knobs::KnobKind;

/// The value of a knob.
#[derive(Clone, Debug, PartialEq)]
pub enum KnobValue {
    /// A probability.
    Chance(f64),
    /// Whole numbers, both ends included.
    Range(i32, i32),
    /// Numbers from zero to one.
    Shares(f64, f64),
    /// Words, by their places among the knob's words, with their weights.
    Words(Vec<(usize, f64)>),
    /// Numbers with their weights.
    Numbers(Vec<(f64, f64)>),
}

/// Reads the value of a knob.
pub(super) fn parse(kind: KnobKind, text: &str) -> Result<KnobValue, String> {
    match kind {
        KnobKind::Chance => share(text).map(KnobValue::Chance),
        KnobKind::Range(least, most) => {
            let (low, high) = ends(text, |one| {
                let number =
                    one.parse::<i32>().map_err(|_| format!("`{one}` is no whole number"))?;
                let is_within = (least..=most).contains(&number);
                is_within.then_some(number).ok_or_else(|| format!("it goes from {least} to {most}"))
            })?;
            Ok(KnobValue::Range(low, high))
        }
        KnobKind::Shares => ends(text, share).map(|(low, high)| KnobValue::Shares(low, high)),
        KnobKind::Words(words) => {
            let place = |word: &str| {
                let place = words.iter().position(|one| *one == word);
                place.ok_or_else(|| format!("it is made of {}", words.join(", ")))
            };
            weights(text, place).map(KnobValue::Words)
        }
        KnobKind::Numbers => weights(text, share).map(KnobValue::Numbers),
    }
}

/// The text of a value.
pub(super) fn text(kind: KnobKind, value: &KnobValue) -> String {
    let range =
        |low: String, high: String| if low == high { low } else { format!("{low}..{high}") };
    match value {
        KnobValue::Chance(chance) => chance.to_string(),
        KnobValue::Range(low, high) => range(low.to_string(), high.to_string()),
        KnobValue::Shares(low, high) => range(low.to_string(), high.to_string()),
        KnobValue::Words(weights) => {
            let KnobKind::Words(words) = kind else { unreachable!("words are values of words") };
            let all = weights.iter().map(|(place, weight)| format!("{}:{weight}", words[*place]));
            all.collect::<Vec<_>>().join(" ")
        }
        KnobValue::Numbers(weights) => {
            let all = weights.iter().map(|(number, weight)| format!("{number}:{weight}"));
            all.collect::<Vec<_>>().join(" ")
        }
    }
}

/// A number from zero to one.
fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.trim().parse().map_err(|_| format!("`{text}` is no number"))?;
    let is_share = (0.0..=1.0).contains(&number);
    // Minus zero is zero.
    is_share.then_some(number.abs()).ok_or_else(|| "it goes from 0 to 1".to_owned())
}

/// `5..6`, or `5` alone.
fn ends<T: Copy + PartialOrd>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(T, T), String> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high) = (read(low.trim())?, read(high.trim())?);
    let is_range = low <= high;
    is_range.then_some((low, high)).ok_or_else(|| "the first number is above the second".to_owned())
}

/// `leap:0.4 ride:0.6`, or one word alone; commas may stand between them.
fn weights<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<(T, f64)>, String> {
    let mut all = vec![];
    for part in text.split([' ', ',', '\t', '\n']).filter(|part| !part.is_empty()) {
        let (value, weight) = part.split_once(':').unwrap_or((part, "1"));
        let number: f64 =
            weight.parse().map_err(|_| format!("the weight `{weight}` is no number"))?;
        if !(number.is_finite() && number >= 0.0) {
            return Err("weights are not negative".to_owned());
        }
        all.push((read(value)?, number.abs()));
    }
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    if sum > 0.0 && sum.is_finite() {
        Ok(all)
    } else {
        Err("the weights add up to nothing".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use crate::generate::knobs::{KNOBS, Knob, Knobs};

    #[test]
    fn texts_of_knobs_read_back() {
        let knobs = Knobs::default();
        assert!(knobs.changed().is_empty());
        for knob in Knob::all() {
            let mut other = Knobs::default();
            other.set(knob.info().name, &knobs.text(knob)).unwrap();
            assert_eq!(other, knobs);
        }
        let mut names: Vec<&str> = KNOBS.iter().map(|knob| knob.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KNOBS.len());
    }

    #[test]
    fn every_knob_is_documented() {
        let page = include_str!("../../../../docs/generate.md");
        for knob in KNOBS {
            let row = format!("| `{}` | `{}` | ", knob.name, knob.default);
            let found = page.lines().find(|line| line.starts_with(&row));
            let found = found.unwrap_or_else(|| panic!("{row} is not in the page"));
            assert!(found.ends_with(&format!("| {} |", knob.meaning)), "{found}");
        }
    }

    /// What a knob says to a text.
    fn said(name: &str, text: &str) -> String {
        let mut knobs = Knobs::default();
        match knobs.set(name, text) {
            Ok(()) => format!("{:?}", knobs.changed()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn wrong_values_are_explained() {
        assert_eq!(said("board_size", "8"), r#"[("board_columns", "8"), ("board_rows", "8")]"#);
        assert_eq!(
            said("board_rows", "3..40"),
            "`board_rows` cannot be `3..40`: it goes from 1 to 32"
        );
        let size = "`board_size` cannot be `-1`: it goes from 1 to 32";
        assert_eq!(said("board_size", "-1"), size);
        let above = "`board_rows` cannot be `6..3`: the first number is above the second";
        assert_eq!(said("board_rows", "6..3"), above);
        assert_eq!(said("promotion", "2"), "`promotion` cannot be `2`: it goes from 0 to 1");
        assert_eq!(said("promotion", "NaN"), "`promotion` cannot be `NaN`: it goes from 0 to 1");
        assert_eq!(said("movement_type", "hop"), r#"[("movement_type", "hop:1")]"#);
        let none = "`movement_type` cannot be `hop:0`: the weights add up to nothing";
        assert_eq!(said("movement_type", "hop:0"), none);
        let which = "`movement_type` cannot be `jump`: it is made of leap, ride, hop";
        assert_eq!(said("movement_type", "jump"), which);
        assert_eq!(said("symetry_side", "1"), "there is no knob `symetry_side`");
    }
}
