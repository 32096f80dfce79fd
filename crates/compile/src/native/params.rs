//! Where a move points: the roots that its parameters ask for.
//!
//! In: members of a class with the parameter values each asks for. Out: a set that depends on the
//! parameters of the move that is made: one number by a formula, one number by a table, or a row of a
//! table. Invariant: for the parameters of a member its root is in the set, and nothing else is.

use std::collections::BTreeMap;
use std::rc::Rc;

use rulesmith_kernel::{Operation, Scalar, Set, Table, Word};

use super::classes::{Member, mask};
use super::emit::Tables;

/// The parameters of the move being made: the register and the number of values of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) sizes: Vec<u32>,
    /// The number that stands for all of them, where the move was drawn from one set.
    pub(crate) drawn: Option<Rc<Drawn>>,
}

/// A move drawn from a set of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) number: Scalar,
    pub(crate) kind: usize,
    /// The parameters of the move that each number stands for.
    pub(crate) moves: BTreeMap<u32, Vec<u32>>,
}

/// Roots by the values of parameters.
type Roots = BTreeMap<Vec<u32>, Vec<u32>>;

/// Tables of more rows than this are not made.
const ROWS_LIMIT: u64 = 16_384;

impl Params {
    /// The roots of the members whose parameters are those of the move; nothing if that takes too large
    /// a table. Without parameters all roots are meant.
    pub(crate) fn roots(
        &self,
        members: &[&Member],
        width: u16,
        tables: &mut Tables,
    ) -> Option<Set> {
        let (numbers, by_params) = by_params(members)?;
        if numbers.is_empty() {
            return Some(Set::Mask(mask(width, members.iter().map(|member| member.root))));
        }
        if let Some(key) = self.drawn_key(&numbers, &by_params) {
            return Some(Set::Single(width, Box::new(key)));
        }
        let sizes: Vec<u32> = numbers.iter().map(|number| self.sizes[*number]).collect();
        let n_rows = sizes.iter().map(|size| u64::from(*size)).product::<u64>();
        let is_single = by_params.values().all(|roots| roots.len() == 1);
        if is_single && n_rows == by_params.len() as u64 {
            let single: Vec<(&[u32], u32)> =
                by_params.iter().map(|(values, roots)| (values.as_slice(), roots[0])).collect();
            if let Some((constant, strides)) = linear(&single, &sizes) {
                return Some(Set::Single(width, Box::new(self.sum(&numbers, constant, &strides))));
            }
        }
        if is_single && let [number] = numbers.as_slice() {
            let by_itself = |(values, roots): (&Vec<u32>, &Vec<u32>)| values[0] == roots[0];
            if by_params.iter().all(by_itself) {
                let single = Set::Single(width, Box::new(Word::Scalar(self.scalars[*number])));
                let roots = Set::Mask(mask(width, by_params.values().map(|roots| roots[0])));
                return Some(Set::And(Box::new(single), Box::new(roots)));
            }
        }
        if n_rows > ROWS_LIMIT {
            return None;
        }
        let index = self.index(&numbers);
        Some(if is_single {
            let words = filled(&sizes, 1, &by_params, |roots| vec![u64::from(roots[0])], u64::MAX);
            let table = tables.add(Table { width: 1, words });
            Set::Single(width, Box::new(Word::Look(table, Box::new(index))))
        } else {
            let row = |roots: &[u32]| mask(width, roots.iter().copied());
            let table = Table { width, words: filled(&sizes, width, &by_params, row, 0) };
            Set::Row(tables.add(table), Box::new(index))
        })
    }

    /// The root as the number that was drawn and a constant, if that is so for every move.
    fn drawn_key(&self, numbers: &[usize], by_params: &Roots) -> Option<Word> {
        let drawn = self.drawn.as_ref()?;
        let distance = |(drawn, params): (&u32, &Vec<u32>)| {
            let values: Vec<u32> = numbers.iter().map(|number| params[*number]).collect();
            match by_params.get(&values).map(Vec::as_slice) {
                Some([root]) => Some(i64::from(*root) - i64::from(*drawn)),
                _ => None,
            }
        };
        let mut distances = drawn.moves.iter().map(distance);
        let first = distances.next()??;
        let number = Word::Scalar(drawn.number);
        distances.all(|other| other == Some(first)).then(|| match first {
            0 => number,
            first => number + wrap(first),
        })
    }

    /// The root of all members as a word, if every move that can be made has exactly one.
    pub(crate) fn key(&self, members: &[&Member], width: u16, tables: &mut Tables) -> Option<Word> {
        let (numbers, by_params) = by_params(members)?;
        if let Some(key) = self.drawn_key(&numbers, &by_params) {
            return Some(key);
        }
        let n_rows: u64 = numbers.iter().map(|number| u64::from(self.sizes[*number])).product();
        match self.roots(members, width, tables)? {
            Set::Single(_, key) if by_params.len() as u64 == n_rows => Some(*key),
            _ => None,
        }
    }

    /// The number of the parameters' values among all their combinations; the first runs fastest.
    fn index(&self, numbers: &[usize]) -> Word {
        let mut strides = Vec::with_capacity(numbers.len());
        let mut stride = 1_i64;
        for number in numbers {
            strides.push(stride);
            stride *= i64::from(self.sizes[*number]);
        }
        self.sum(numbers, 0, &strides)
    }

    fn sum(&self, numbers: &[usize], constant: i64, strides: &[i64]) -> Word {
        let mut sum: Option<Word> = None;
        for (number, stride) in numbers.iter().zip(strides) {
            let scalar = Word::Scalar(self.scalars[*number]);
            let term = match *stride {
                0 => continue,
                1 => scalar,
                stride => compute(Operation::Multiply, scalar, Word::Constant(wrap(stride))),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => compute(Operation::Add, sum, term),
            });
        }
        match (sum, constant) {
            (None, constant) => Word::Constant(wrap(constant)),
            (Some(sum), 0) => sum,
            (Some(sum), constant) => compute(Operation::Add, sum, Word::Constant(wrap(constant))),
        }
    }
}

/// The numbers of the parameters that members ask for, and the roots for each combination of their values.
fn by_params(members: &[&Member]) -> Option<(Vec<usize>, Roots)> {
    let numbers = members.first()?.params.iter().map(|(number, _)| *number).collect();
    let mut by_params = Roots::new();
    for member in members {
        let values = member.params.iter().map(|(_, value)| *value).collect();
        by_params.entry(values).or_default().push(member.root);
    }
    for roots in by_params.values_mut() {
        roots.sort_unstable();
        roots.dedup();
    }
    Some((numbers, by_params))
}

#[expect(clippy::cast_sign_loss, reason = "words wrap around, and so do sums of them")]
fn wrap(number: i64) -> u64 {
    number as u64
}

fn compute(operation: Operation, left: Word, right: Word) -> Word {
    Word::Compute(operation, Box::new(left), Box::new(right))
}

/// A table with a row for each combination of values.
fn filled(
    sizes: &[u32],
    width: u16,
    by_params: &Roots,
    row: impl Fn(&[u32]) -> Vec<u64>,
    otherwise: u64,
) -> Vec<u64> {
    let n_rows: usize = sizes.iter().map(|size| *size as usize).product();
    let mut words = vec![otherwise; n_rows.max(1) * usize::from(width)];
    for (values, roots) in by_params {
        let mut index = 0;
        for (value, size) in values.iter().zip(sizes).rev() {
            index = index * *size as usize + *value as usize;
        }
        let start = index * usize::from(width);
        words[start..start + usize::from(width)].copy_from_slice(&row(roots));
    }
    words
}

/// The formula `constant + Σ stride · value`, if there is one that gives every root.
fn linear(single: &[(&[u32], u32)], sizes: &[u32]) -> Option<(i64, Vec<i64>)> {
    let origin = single.iter().find(|(values, _)| values.iter().all(|value| *value == 0))?.1;
    let constant = i64::from(origin);
    let mut strides = Vec::with_capacity(sizes.len());
    for column in 0..sizes.len() {
        let is_unit = |values: &[u32]| {
            values.iter().enumerate().all(|(place, value)| *value == u32::from(place == column))
        };
        let unit = single.iter().find(|(values, _)| is_unit(values));
        strides.push(unit.map_or(0, |(_, root)| i64::from(*root) - constant));
    }
    let fits = |(values, root): &(&[u32], u32)| {
        let terms = values.iter().zip(&strides).map(|(value, stride)| i64::from(*value) * stride);
        constant + terms.sum::<i64>() == i64::from(*root)
    };
    single.iter().all(fits).then_some((constant, strides))
}
