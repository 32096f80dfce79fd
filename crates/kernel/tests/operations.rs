//! Each operation against its obvious definition, interpreted and native.

mod support;

use std::collections::BTreeSet;

use rulesmith_kernel::{
    Array, Comparison, Module, Operation, Scalar, Set, Statement, Stop, Table, TableId, Word,
};
use support::{Random, run_body, run_word};

type Numbers = BTreeSet<u64>;
type Definition = fn(u64, u64) -> u64;

fn numbers(words: &[u64]) -> Numbers {
    let is_set = |number: &u64| words[(number / 64) as usize] >> (number % 64) & 1 == 1;
    (0..64 * words.len() as u64).filter(is_set).collect()
}

fn param(place: u16) -> Word {
    Word::Scalar(Scalar(place))
}

fn state(offset: usize, width: usize) -> Set {
    let short = |number| u16::try_from(number).expect("a small number");
    Set::state(short(offset).into(), short(width))
}

/// The upper word of a product.
fn high(left: u64, right: u64) -> u64 {
    ((u128::from(left) * u128::from(right)) >> 64) as u64
}

/// Some words that make trouble, and some others.
fn words_to_try(random: &mut Random) -> Vec<u64> {
    let mut words = vec![0, 1, 2, 5, 63, 64, 65, 127, 128, 511, 512, u64::MAX - 1, u64::MAX];
    words.extend([random.bits(), random.bits(), random.bits() >> 32]);
    words
}

/// Checks an operation on sets: `left`, `right` and a parameter give `expected`.
fn check_set(
    set: impl Fn(Set, Set, Word) -> Set,
    expected: impl Fn(&Numbers, &Numbers, u64, u64) -> Numbers,
) {
    let mut random = Random(11);
    for width in 1..=8 {
        for _ in 0..4 {
            let mut words = random.words(2 * width);
            let (left, right) = (numbers(&words[..width]), numbers(&words[width..]));
            words.extend(vec![0; width]);
            let set = || set(state(0, width), state(width, width), param(0));
            let store = Statement::StoreSet(u32::try_from(2 * width).expect("small"), set());
            for number in [random.bits() % (64 * width as u64), 0, 64 * width as u64, u64::MAX] {
                let body = vec![store.clone()];
                let end = run_body(&Module::default(), body, &words, &[number]);
                let found = numbers(&end.state[2 * width..]);
                let limit = 64 * width as u64;
                assert_eq!(found, expected(&left, &right, number, limit), "{} {number}", set());
            }
        }
    }
}

#[test]
fn sets_are_joined_as_sets() {
    check_set(|left, right, _| left & right, |left, right, _, _| left & right);
    check_set(|left, right, _| left | right, |left, right, _, _| left | right);
    check_set(|left, right, _| left - right, |left, right, _, _| left - right);
    check_set(|left, right, _| left ^ right, |left, right, _, _| left ^ right);
}

#[test]
fn shifts_move_numbers_and_drop_what_leaves() {
    for by in [0, 1, -1, 7, -9, 63, -63, 64, -64, 65, 100, -130, 512, -512, i32::MAX, i32::MIN] {
        let expected = |left: &Numbers, _: &Numbers, _, limit: u64| {
            let moved = left.iter().filter_map(|number| number.checked_add_signed(by.into()));
            moved.filter(|number| *number < limit).collect()
        };
        check_set(|left, _, _| left.shift(by), expected);
    }
}

#[test]
fn single_numbers_fit_or_are_dropped() {
    for width in 1..=8 {
        for number in [0, 1, 63, 64, 127, 300, 511, 512, u64::MAX] {
            let body = vec![Statement::StoreSet(0, Set::single(width, param(0)))];
            let end = run_body(&Module::default(), body, &[0; 8], &[number]);
            let expected = Some(number).filter(|number| *number < 64 * u64::from(width));
            assert_eq!(numbers(&end.state), expected.into_iter().collect());
        }
    }
}

#[test]
fn the_nth_number_is_found_or_missing() {
    let expected = |left: &Numbers, right: &Numbers, rank: u64, _| {
        let both = left | right;
        let found = usize::try_from(rank).ok().and_then(|rank| both.iter().nth(rank).copied());
        found.into_iter().collect()
    };
    check_set(|left, right, rank| (left | right).nth_alone(rank), expected);
    let mut random = Random(3);
    for width in 1..=8 {
        let words = random.words(width);
        let numbers: Vec<_> = numbers(&words).into_iter().collect();
        for rank in (0..numbers.len() + 2).step_by(5).chain([numbers.len(), usize::MAX]) {
            let word = state(0, width).nth(param(0));
            let found = run_word(&Module::default(), word, &words, &[rank as u64]);
            assert_eq!(found, numbers.get(rank).copied().unwrap_or(u64::MAX));
            let word = state(0, width).nth(rank as u64);
            assert_eq!(run_word(&Module::default(), word, &words, &[]), found);
        }
    }
}

#[test]
fn sets_are_counted_and_asked() {
    let mut random = Random(5);
    for width in 1..=8 {
        let words = random.words(width);
        let set = numbers(&words);
        let word = |word| run_word(&Module::default(), word, &words, &[]);
        assert_eq!(word(state(0, width).count()), set.len() as u64);
        assert_eq!(word(state(0, width).any()), u64::from(!set.is_empty()));
        for number in words_to_try(&mut random) {
            let mask = Set::Mask(words.clone());
            for set_of_words in [state(0, width), mask, state(0, width).shift(0)] {
                let word = set_of_words.has(param(0));
                let found = run_word(&Module::default(), word, &words, &[number]);
                assert_eq!(found, u64::from(set.contains(&number)), "{number}");
            }
        }
    }
}

#[test]
fn words_are_computed_as_documented() {
    let mut random = Random(9);
    let operations: [(Operation, Definition); 12] = [
        (Operation::Add, |left, right| left.wrapping_add(right)),
        (Operation::Subtract, |left, right| left.wrapping_sub(right)),
        (Operation::Multiply, |left, right| left.wrapping_mul(right)),
        (Operation::MultiplyHigh, high),
        (Operation::Divide, |left, right| left.checked_div(right).unwrap_or(u64::MAX)),
        (Operation::And, |left, right| left & right),
        (Operation::Or, |left, right| left | right),
        (Operation::Xor, |left, right| left ^ right),
        (Operation::ShiftUp, |left, right| if right < 64 { left << right } else { 0 }),
        (Operation::ShiftDown, |left, right| if right < 64 { left >> right } else { 0 }),
        (Operation::Least, |left, right| left.min(right)),
        (Operation::Most, |left, right| left.max(right)),
    ];
    let words = words_to_try(&mut random);
    for (operation, expected) in operations {
        let emit = |left: Word, right: Word| Statement::Emit(vec![left.compute(operation, right)]);
        for &left in &words {
            let constant = Word::Constant;
            let some = &words[..8];
            let mut body: Vec<_> =
                some.iter().map(|&word| emit(param(0), constant(word))).collect();
            body.extend(some.iter().map(|&word| emit(constant(word), param(0))));
            body.extend(some.iter().map(|&word| emit(constant(left), constant(word))));
            body.push(emit(param(0), param(1)));
            let end = run_body(&Module::default(), body, &[], &[left, words[9]]);
            let mut wanted: Vec<_> = some.iter().map(|&word| expected(left, word)).collect();
            wanted.extend(some.iter().map(|&word| expected(word, left)));
            wanted.extend(some.iter().map(|&word| expected(left, word)));
            wanted.push(expected(left, words[9]));
            assert_eq!(end.output[..wanted.len()], wanted, "{operation:?} {left}");
        }
    }
}

#[test]
fn words_are_compared_without_sign() {
    let words = [0, 1, 5, u64::MAX - 1, u64::MAX];
    for (comparison, expected) in [
        (Comparison::Equal, u64::eq as fn(&u64, &u64) -> bool),
        (Comparison::Unequal, u64::ne),
        (Comparison::Less, u64::lt),
        (Comparison::LessOrEqual, u64::le),
    ] {
        for (left, right) in
            words.iter().flat_map(|left| words.iter().map(move |right| (left, right)))
        {
            let word = param(0).compare(comparison, param(1));
            let found = run_word(&Module::default(), word, &[], &[*left, *right]);
            assert_eq!(found, u64::from(expected(left, right)));
        }
    }
}

#[test]
fn rows_beyond_the_last_are_the_last() {
    let words: Vec<u64> = (100..115).collect();
    let table = Table { width: 3, words: words.clone() };
    let module = Module { tables: vec![table], ..Module::default() };
    for row in [0, 1, 4, 5, 1000, u64::MAX] {
        let first = words[usize::try_from(row.min(4)).unwrap() * 3];
        assert_eq!(run_word(&module, Word::look(TableId(0), param(0)), &[], &[row]), first);
        assert_eq!(run_word(&module, Word::look(TableId(0), row), &[], &[]), first);
        let body = vec![Statement::StoreSet(0, Set::row(TableId(0), param(0)))];
        let end = run_body(&module, body, &[0; 3], &[row]);
        assert_eq!(end.state, [first, first + 1, first + 2]);
        let has = Set::row(TableId(0), param(0)).has(param(1));
        assert_eq!(run_word(&module, has, &[], &[row, 128]), (first + 2) & 1);
    }
}

#[test]
fn rows_of_arrays_are_read_and_written() {
    let words: Vec<u64> = (100..109).collect();
    let array = Array { offset: 1, width: 2, n_rows: 4 };
    for row in [0, 1, 3, 4, 1000, u64::MAX] {
        let start = 1 + 2 * usize::try_from(row.min(3)).unwrap();
        for place in [param(0), row.into()] {
            let body = vec![
                Statement::StoreAt(array, place.clone(), Word::Constant(7)),
                Statement::Emit(vec![Word::at(array, place.clone())]),
                Statement::StoreSet(0, Set::at(array, place.clone()).shift(64)),
                Statement::StoreSetAt(array, place, Set::Mask(vec![8, 9])),
            ];
            let end = run_body(&Module::default(), body, &words, &[row]);
            let mut expected = words.clone();
            expected[0..2].copy_from_slice(&[0, 7]);
            expected[start..start + 2].copy_from_slice(&[8, 9]);
            assert_eq!((end.state, end.output[0]), (expected, 7));
        }
    }
}

#[test]
fn each_number_of_a_set_is_visited_as_it_was_at_the_start() {
    let mut random = Random(13);
    for width in 1..=4_u16 {
        let words = random.words(usize::from(width));
        let clear = Statement::StoreSet(0, Set::Mask(vec![0; usize::from(width)]));
        let add = param(1) + 1;
        let mix = param(0) * 31 + param(2);
        let inside = vec![clear, Statement::Let(Scalar(1), add), Statement::Let(Scalar(0), mix)];
        let set = Set::State { offset: 0, width };
        let body = vec![
            Statement::ForEach(Scalar(2), set, inside),
            Statement::Emit(vec![param(0), param(1)]),
        ];
        let end = run_body(&Module::default(), body, &words, &[0, 0]);
        let set = numbers(&words);
        let mixed =
            set.iter().fold(0_u64, |sum, number| sum.wrapping_mul(31).wrapping_add(*number));
        assert_eq!(end.output[..2], [mixed, set.len() as u64]);
    }
}

#[test]
fn drawing_follows_split_mix() {
    let body = vec![
        Statement::Draw(Scalar(0), Word::Constant(1000)),
        Statement::Draw(Scalar(1), Word::Constant(0)),
        Statement::Emit(vec![param(0), param(1)]),
    ];
    let end = run_body(&Module::default(), body, &[], &[]);
    let mut random = Random(7);
    let expected = high(random.bits(), 1000);
    random.bits();
    assert_eq!(end.output[..2], [expected, 0]);
    assert_eq!(end.random, random.0);
}

#[test]
fn drawing_reaches_every_number_below_its_bound() {
    for bound in 1..=3 {
        let draw = Statement::Draw(Scalar(0), Word::Constant(bound));
        let row = Statement::Emit(vec![param(0), Set::single(1, param(0)).count()]);
        let end = run_body(&Module::default(), vec![[draw, row]; 20].concat(), &[], &[]);
        let drawn: Numbers = end.output[..40].iter().step_by(2).copied().collect();
        assert_eq!(drawn, (0..bound).collect());
    }
}

#[test]
fn fuel_and_output_run_out() {
    let forever = vec![Statement::Repeat(vec![Statement::If(
        param(0),
        vec![Statement::Leave],
        vec![Statement::Emit(vec![Word::Constant(1), Word::Constant(2), Word::Constant(3)])],
    )])];
    let end = run_body(&Module::default(), forever, &[], &[0]);
    assert_eq!(end.outcome, Err(Stop::OutputFull));
    assert_eq!(end.output[60..], [1, 2, 3, 0]);
    let forever =
        vec![Statement::Repeat(vec![Statement::If(param(0), vec![Statement::Leave], vec![])])];
    let end = run_body(&Module::default(), forever, &[], &[0]);
    assert_eq!((end.outcome, end.fuel), (Err(Stop::OutOfFuel), 0));
}
