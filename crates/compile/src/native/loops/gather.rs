//! Loops that set one bit after another: one union.
//!
//! In: a loop over a set that does nothing but put its number into a plane. Out: the union of both. Invariant:
//! the plane is afterwards as the loop would leave it.

use rulesmith_kernel::{Operation, Scalar, Set, Statement, Word};

/// What a loop over a set of so many words does, as one statement if it only gathers.
pub(super) fn gathered(
    (number, width): (Scalar, u16),
    set: &Set,
    body: &[Statement],
) -> Option<Statement> {
    match body {
        [Statement::LetSet(plane, Set::Or(one, other))]
            if **one == Set::Plane(*plane) && **other == Set::single(width, number) =>
        {
            Some(Statement::LetSet(*plane, Set::Plane(*plane) | set.clone()))
        }
        [
            Statement::Let(key, own),
            Statement::Let(word, place),
            Statement::StoreAt(array, at, new),
        ] if *own == Word::Scalar(number) && *at == Word::Scalar(*word) => {
            let bit = Word::Constant(1).compute(Operation::ShiftUp, Word::from(*key) & 63);
            if *new != (Word::at(*array, *word) | bit) || array.width != 1 {
                return None;
            }
            let first = first_word((*key, width), place)?;
            let offset = array.offset.checked_add(u32::try_from(first).ok()?)?;
            let is_inside = first + u64::from(width) <= u64::from(array.n_rows);
            let plane = Set::state(offset, width);
            is_inside.then(|| Statement::StoreSet(offset, plane | set.clone()))
        }
        _ => None,
    }
}

/// The first word of the plane that a number's word is in, if that is the same for all numbers.
fn first_word((key, width): (Scalar, u16), place: &Word) -> Option<u64> {
    let within = Word::from(key).compute(Operation::ShiftDown, 6);
    match place {
        Word::Constant(first) if width == 1 => Some(*first),
        place if *place == within => Some(0),
        Word::Compute(Operation::Add, slice, rest) if **rest == within => match &**slice {
            Word::Constant(first) => Some(*first),
            Word::Compute(Operation::Multiply, slice, by) => match (&**slice, &**by) {
                (Word::Constant(slice), Word::Constant(by)) => slice.checked_mul(*by),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rulesmith_kernel::{Array, Plane};

    use super::*;

    const KEY: Scalar = Scalar(1);
    const WORD: Scalar = Scalar(2);

    fn store(place: Word) -> Vec<Statement> {
        let array = Array { offset: 10, width: 1, n_rows: 6 };
        let bit = Word::Constant(1).compute(Operation::ShiftUp, Word::from(KEY) & 63);
        vec![
            Statement::Let(KEY, Word::Scalar(Scalar(0))),
            Statement::Let(WORD, place),
            Statement::StoreAt(array, Word::Scalar(WORD), Word::at(array, WORD) | bit),
        ]
    }

    #[test]
    fn bits_of_one_plane_are_set_at_once() {
        let within = Word::from(KEY).compute(Operation::ShiftDown, 6);
        let set = Set::Plane(Plane(0));
        let union = |offset| Some(Statement::StoreSet(offset, Set::state(offset, 2) | set.clone()));
        let loops = (Scalar(0), 2);
        assert_eq!(gathered(loops, &set, &store(within.clone())), union(10));
        let second = Word::Constant(2) * 2 + within.clone();
        assert_eq!(gathered(loops, &set, &store(second)), union(14));
        let beyond = Word::Constant(3) * 2 + within.clone();
        assert_eq!(gathered(loops, &set, &store(beyond)), None);
        let unknown = Word::from(Scalar(5)) * 2 + within;
        assert_eq!(gathered(loops, &set, &store(unknown)), None);
    }
}
