//! Modules made to do harm: each is refused with words, or stopped.

mod support;

use expect_test::{Expect, expect};
use rulesmith_kernel::{
    Array, Error, Kernel, KernelId, MAX_DEPTH, MAX_NODES, Module, Native, Plane, RoutineId, Scalar,
    Set, Statement, Stop, Table, TableId, Word, interpret, verify,
};
use support::{Random, Start, Twins};

/// A module of four words of state, a table of two words, and a kernel of one scalar and two planes.
fn module(body: Vec<Statement>) -> Module {
    let table = Table { width: 2, words: vec![1, 2, 3, 4] };
    let name = "hostile".into();
    let kernel = Kernel { name, n_params: 0, n_scalars: 1, plane_widths: vec![1, 2], body };
    Module { state_words: 4, tables: vec![table], kernels: vec![kernel], ..Module::default() }
}

#[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
fn check(module: Module, expected: Expect) {
    expected.assert_eq(&verify(module).expect_err("hostile").to_string());
}

fn check_set(set: Set, expected: Expect) {
    check(module(vec![Statement::LetSet(Plane(0), set)]), expected);
}

fn check_word(word: Word, expected: Expect) {
    check(module(vec![Statement::Return(word)]), expected);
}

#[test]
fn state_beyond_its_end_is_refused() {
    check_word(
        Word::State(4),
        expect!["kernel `hostile`, statement 1: it reaches words 4 to 4+1 of a state of 4"],
    );
    check_set(
        Set::State { offset: u32::MAX, width: u16::MAX },
        expect![
            "kernel `hostile`, statement 1: it reaches words 4294967295 to 4294967295+65535 of a state of 4"
        ],
    );
    let store = Statement::StoreSet(3, Set::Mask(vec![1, 2]));
    check(
        module(vec![store]),
        expect!["kernel `hostile`, statement 1: it reaches words 3 to 3+2 of a state of 4"],
    );
}

#[test]
fn arrays_beyond_the_state_are_refused() {
    let array = |offset, width, n_rows| Word::at(Array { offset, width, n_rows }, 0);
    check_word(
        array(1, 2, 2),
        expect!["kernel `hostile`, statement 1: it reaches words 1 to 1+4 of a state of 4"],
    );
    check_word(
        array(u32::MAX, u16::MAX, u32::MAX),
        expect![
            "kernel `hostile`, statement 1: it reaches words 4294967295 to 4294967295+281470681677825 of a state of 4"
        ],
    );
    check_word(
        array(0, 1, 0),
        expect!["kernel `hostile`, statement 1: it has a row or a plane without words"],
    );
    check_word(
        array(4, 0, 9),
        expect!["kernel `hostile`, statement 1: it has a row or a plane without words"],
    );
}

#[test]
fn registers_and_tables_that_are_not_there_are_refused() {
    check_word(
        Word::Scalar(Scalar(1)),
        expect!["kernel `hostile`, statement 1: it uses scalar 1, which it does not have"],
    );
    check_set(
        Set::Plane(Plane(2)),
        expect!["kernel `hostile`, statement 1: it uses plane 2, which it does not have"],
    );
    check_word(
        Word::look(TableId(1), 0),
        expect!["kernel `hostile`, statement 1: it uses table 1, which the module does not have"],
    );
    let kernel = Kernel { name: "few".into(), n_params: 2, n_scalars: 1, ..Kernel::default() };
    check(
        Module { kernels: vec![kernel], ..Module::default() },
        expect!["kernel `few`, statement 0: it has 2 parameters and only 1 scalars"],
    );
}

#[test]
fn widths_that_differ_are_refused() {
    check_set(
        Set::Plane(Plane(1)),
        expect!["kernel `hostile`, statement 1: it joins planes of 1 and 2 words"],
    );
    check_set(
        Set::from(Plane(0)) & Set::row(TableId(0), 0),
        expect!["kernel `hostile`, statement 1: it joins planes of 1 and 2 words"],
    );
    check_set(
        Set::single(0, 0),
        expect!["kernel `hostile`, statement 1: it has a row or a plane without words"],
    );
    check_word(
        Set::Mask(vec![]).count(),
        expect!["kernel `hostile`, statement 1: it has a row or a plane without words"],
    );
    check_word(
        Set::single(u16::MAX, 0).any(),
        expect!["kernel `hostile`, statement 1: it has more than 1024 words in a plane"],
    );
    let rows = vec![
        Statement::Emit(vec![Word::Constant(1)]),
        Statement::Emit(vec![Word::Constant(1), Word::Constant(2)]),
    ];
    check(
        module(rows),
        expect!["kernel `hostile`, statement 2: it hands over rows of 1 and of 2 words"],
    );
    check(
        module(vec![Statement::Emit(vec![])]),
        expect!["kernel `hostile`, statement 1: it has a row or a plane without words"],
    );
}

/// A module whose kernel runs a routine, which runs others.
fn running(routines: Vec<Vec<Statement>>, body: Vec<Statement>) -> Module {
    let routine = |body| Kernel {
        name: "routine".into(),
        n_params: 1,
        n_scalars: 1,
        body,
        ..Kernel::default()
    };
    let routines = routines.into_iter().map(routine).collect();
    Module { routines, ..module(body) }
}

fn run(routine: u16, params: Vec<Word>) -> Statement {
    Statement::Run(Scalar(0), RoutineId(routine), params)
}

#[test]
fn routines_that_are_not_there_are_refused() {
    let one = || vec![Word::Constant(1)];
    check(
        running(vec![], vec![run(0, one())]),
        expect!["kernel `hostile`, statement 1: it runs routine 0, which does not come before it"],
    );
    check(
        running(vec![vec![run(0, one())]], vec![]),
        expect!["kernel `routine`, statement 1: it runs routine 0, which does not come before it"],
    );
    check(
        running(vec![vec![]], vec![run(0, vec![])]),
        expect!["kernel `hostile`, statement 1: it gives 0 parameters to a routine that has 1"],
    );
    check(
        running(vec![vec![Statement::Emit(one())]], vec![]),
        expect!["kernel `routine`, statement 0: it hands over rows, which routines do not"],
    );
    let chain = (0..20).map(|place: u16| match place.checked_sub(1) {
        Some(before) => vec![run(before, one())],
        None => vec![],
    });
    check(
        running(chain.collect(), vec![]),
        expect!["kernel `routine`, statement 1: it has more than 16 routines that run each other"],
    );
}

#[test]
fn routines_that_stop_stop_their_callers() {
    let endless = vec![Statement::Repeat(vec![Statement::If(
        Word::Scalar(Scalar(0)),
        vec![Statement::Leave],
        vec![],
    )])];
    let body = vec![run(0, vec![Word::Constant(0)]), Statement::Return(Word::Constant(7))];
    let twins = Twins::new(running(vec![endless], body));
    let found = twins.run(KernelId(0), &Start { fuel: 5, ..start() });
    assert_eq!(found.outcome, Err(Stop::OutOfFuel));
}

#[test]
fn tables_without_rows_are_refused() {
    let with = |width, words| Module { tables: vec![Table { width, words }], ..Module::default() };
    check(with(1, vec![]), expect!["table 0 has a row or a plane without words"]);
    check(with(0, vec![1]), expect!["table 0 has a row or a plane without words"]);
    check(with(2, vec![1, 2, 3]), expect!["table 0 has 3 words in rows of 2"]);
    check(with(2000, vec![0; 2000]), expect!["table 0 has more than 1024 words in a row"]);
}

#[test]
fn loops_that_cannot_end_are_refused() {
    let forever = Statement::Repeat(vec![Statement::Let(Scalar(0), Word::Constant(1))]);
    check(
        module(vec![Statement::If(Word::Constant(1), vec![forever], vec![])]),
        expect![
            "kernel `hostile`, statement 2: it repeats for ever: nothing inside leaves or returns"
        ],
    );
    let each = Statement::ForEach(Scalar(0), Set::Mask(vec![1]), vec![Statement::Leave]);
    check(
        module(vec![each]),
        expect!["kernel `hostile`, statement 2: it leaves a loop where there is none"],
    );
}

#[test]
fn deep_and_large_kernels_are_refused() {
    let mut word = Word::Constant(0);
    for _ in 0..5000 {
        word = word + 0;
    }
    check_word(
        word,
        expect!["kernel `hostile`, statement 1: it has more than 256 levels of nesting"],
    );
    let mut body = vec![];
    for _ in 0..5000 {
        body = vec![Statement::If(Word::Constant(1), body, vec![])];
    }
    check(
        module(body),
        expect!["kernel `hostile`, statement 256: it has more than 256 levels of nesting"],
    );
    let many = vec![Statement::Let(Scalar(0), Word::Constant(0)); MAX_NODES];
    check(
        module(many),
        expect![
            "kernel `hostile`, statement 524289: it has more than 1048576 statements and expressions"
        ],
    );
    let plane_widths = vec![1024; 200];
    let kernel = Kernel { name: "wide".into(), plane_widths, ..Kernel::default() };
    check(
        Module { kernels: vec![kernel], ..Module::default() },
        expect!["kernel `wide`, statement 0: it has more than 131072 words in registers"],
    );
    check(
        Module { state_words: u32::MAX, ..Module::default() },
        expect!["the module has more than 16777216 words in a state"],
    );
}

#[test]
fn the_deepest_nesting_that_is_allowed_runs() {
    let mut word = Word::Scalar(Scalar(0));
    for _ in 0..MAX_DEPTH / 2 - 10 {
        word = word + Word::State(0);
    }
    let mut body = vec![Statement::Return(word)];
    for _ in 0..MAX_DEPTH / 2 {
        body = vec![Statement::If(Word::State(0), body, vec![])];
    }
    let twins = Twins::new(module(body));
    let end = twins.run(KernelId(0), &start());
    assert_eq!(end.outcome.unwrap().result, MAX_DEPTH as u64 / 2 - 10);
}

fn start() -> Start {
    Start { state: vec![1; 4], params: vec![], random: 1, fuel: 1000, n_output_words: 4 }
}

#[test]
fn what_is_too_large_for_native_code_is_still_interpreted() {
    let row = Set::from(Plane(0)) | Plane(0);
    let body = vec![Statement::LetSet(Plane(0), row); 480];
    let kernel =
        Kernel { name: "large".into(), plane_widths: vec![1024], body, ..Kernel::default() };
    let module = Module { kernels: vec![kernel], ..Module::default() };
    let verified = verify(module).unwrap();
    let error = Native::compile(&verified).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }));
    expect!["kernel `large` needs 1475040 operations, native code stops at 1048576"]
        .assert_eq(&error.to_string());
    let end = start().run(|call| interpret(&verified, KernelId(0), call));
    assert_eq!(end.outcome.unwrap().result, 0);
}

#[test]
fn loops_within_loops_run_out_of_fuel() {
    let mut body = vec![Statement::Let(Scalar(0), Word::Constant(1))];
    for _ in 0..20 {
        body = vec![Statement::ForEach(Scalar(0), Set::Mask(vec![u64::MAX; 2]), body)];
    }
    let end = Twins::new(module(body)).run(KernelId(0), &start());
    assert_eq!(end.outcome, Err(Stop::OutOfFuel));
}

#[test]
fn calls_that_do_not_fit_are_refused() {
    let kernel = Kernel { n_params: 2, n_scalars: 2, ..Kernel::default() };
    let twins = Twins::new(Module { state_words: 4, kernels: vec![kernel], ..Module::default() });
    let start = Start { params: vec![0; 2], ..start() };
    let run = |start: &Start, kernel| twins.run(KernelId(kernel), start).outcome;
    assert_eq!(run(&start, 0).map(|outcome| outcome.result), Ok(0));
    assert_eq!(run(&start, 1), Err(Stop::NoSuchKernel));
    assert_eq!(run(&Start { state: vec![0; 3], ..start.clone() }, 0), Err(Stop::ShortState));
    assert_eq!(run(&Start { params: vec![0; 1], ..start.clone() }, 0), Err(Stop::FewParams));
}

#[test]
fn places_in_tables_are_kept_inside_whatever_they_come_from() {
    let mut random = Random(17);
    let words: Vec<u64> = (0..7).map(|row| row * 1000).collect();
    let table = Table { width: 1, words };
    let look = |word: Word| Word::look(TableId(0), word);
    let scalar = || Word::Scalar(Scalar(0));
    let wrap = Word::Constant(3) - scalar();
    let (masked, masked_too_far) = (scalar() & 6, scalar() & 7);
    let product = scalar() * scalar();
    let nth = Set::Mask(vec![0x7F]).nth(scalar());
    let words = [wrap, masked, masked_too_far, product, nth, scalar()];
    let body = words.into_iter().map(|word| Statement::Emit(vec![look(word)])).collect();
    let name = "places".into();
    let kernel = Kernel { name, n_params: 1, n_scalars: 1, plane_widths: vec![], body };
    let twins =
        Twins::new(Module { tables: vec![table], kernels: vec![kernel], ..Module::default() });
    for number in [0, 1, 3, 4, 6, 7, 8, u64::MAX, 1 << 63, random.bits()] {
        let start = Start { params: vec![number], n_output_words: 6, ..start() };
        assert_eq!(twins.run(KernelId(0), &start).outcome.unwrap().n_rows, 6);
    }
}
