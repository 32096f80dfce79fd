//! Random kernels do the same interpreted and native, on random states.

mod support;

use std::collections::BTreeMap;

use rulesmith_kernel::{End, KernelId, Module, Operation, Set, Statement, Stop, Word};
use support::generator::Generator;
use support::{Random, Start, Twins};

const N_MODULES: u64 = 250;
const N_STARTS: usize = 12;

#[test]
fn random_kernels_agree() {
    let mut census = Census::default();
    let mut ends = BTreeMap::<_, usize>::new();
    for seed in 0..N_MODULES {
        let module = Generator::new(seed).module();
        census.module(&module);
        let twins = Twins::new(module);
        let mut random = Random(seed);
        for _ in 0..N_STARTS {
            for kernel in 0..3 {
                let end = twins.run(KernelId(kernel), &start(&mut random));
                *ends.entry(name_of_end(end.outcome.err())).or_default() += 1;
            }
        }
    }
    for end in ["returned", "out of fuel", "output full", "list full"] {
        assert!(ends.get(end).is_some_and(|&n_ends| n_ends > 100), "{ends:?}");
    }
    let missing: Vec<_> = CONSTRUCTS.iter().filter(|name| census.seen(name) < 20).collect();
    assert!(missing.is_empty(), "{missing:?} {:?}", census.seen);
}

fn start(random: &mut Random) -> Start {
    let params = vec![random.below(70) as u64, random.word()];
    let n_output_words = random.below(40);
    let (state, fuel) = (random.words(24), random.below(60) as u64);
    Start { state, params, random: random.bits(), fuel, n_output_words }
}

fn name_of_end(stop: Option<Stop>) -> &'static str {
    match stop {
        None => "returned",
        Some(Stop::OutOfFuel) => "out of fuel",
        Some(Stop::OutputFull) => "output full",
        Some(Stop::ListFull) => "list full",
        Some(_) => "misused",
    }
}

/// All constructs of the language. `Census` names each one, so that a new one is missed by the compiler.
const CONSTRUCTS: &[&str] = &[
    "StoreAt",
    "StoreSetAt",
    "RowAt",
    "WordAt",
    "Full",
    "Let",
    "LetSet",
    "Store",
    "StoreSet",
    "If",
    "ForEach",
    "Repeat",
    "Leave",
    "Draw",
    "Seed",
    "Run",
    "Emit",
    "Return",
    "Mask",
    "Plane",
    "StatePlane",
    "Row",
    "Single",
    "NthAlone",
    "And",
    "Or",
    "Without",
    "Xor",
    "Shift",
    "UpTo",
    "Resize",
    "Constant",
    "Scalar",
    "StateWord",
    "Look",
    "Compute",
    "Compare",
    "Count",
    "Any",
    "Has",
    "Nth",
    "ZerosBelow",
    "ZerosAbove",
    "Add",
    "Subtract",
    "Multiply",
    "MultiplyHigh",
    "ShiftUp",
    "ShiftDown",
    "Least",
    "Most",
];

/// Counts constructs.
#[derive(Default)]
struct Census {
    seen: BTreeMap<&'static str, usize>,
}

impl Census {
    fn seen(&self, name: &str) -> usize {
        self.seen.get(name).copied().unwrap_or_default()
    }

    fn note(&mut self, name: &'static str) {
        *self.seen.entry(name).or_default() += 1;
    }

    fn module(&mut self, module: &Module) {
        module.kernels.iter().for_each(|kernel| self.body(&kernel.body));
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            let name = match statement {
                Statement::Let(_, word) => self.word(word, "Let"),
                Statement::LetSet(_, set) => self.set(set, "LetSet"),
                Statement::Store(_, word) => self.word(word, "Store"),
                Statement::StoreSet(_, set) => self.set(set, "StoreSet"),
                Statement::StoreAt(_, row, word) => {
                    self.word(row, "");
                    self.word(word, "StoreAt")
                }
                Statement::StoreSetAt(_, row, set) => {
                    self.word(row, "");
                    self.set(set, "StoreSetAt")
                }
                Statement::If(word, then, otherwise) => {
                    self.body(then);
                    self.body(otherwise);
                    self.word(word, "If")
                }
                Statement::ForEach(_, set, inside) => {
                    self.body(inside);
                    self.set(set, "ForEach")
                }
                Statement::Repeat(inside) => {
                    self.body(inside);
                    "Repeat"
                }
                Statement::Leave => "Leave",
                Statement::Full => "Full",
                Statement::Draw(_, word) => self.word(word, "Draw"),
                Statement::Seed(word) => self.word(word, "Seed"),
                Statement::Run(_, _, params) => {
                    params.iter().fold("Run", |name, word| self.word(word, name))
                }
                Statement::Emit(row) => row.iter().fold("Emit", |name, word| self.word(word, name)),
                Statement::Return(word) => self.word(word, "Return"),
            };
            self.note(name);
        }
    }

    /// Counts what is in a set and passes a name through.
    fn set(&mut self, set: &Set, name: &'static str) -> &'static str {
        let kind = match set {
            Set::Mask(_) => "Mask",
            Set::Plane(_) => "Plane",
            Set::State { .. } => "StatePlane",
            Set::At(_, word) => self.word(word, "RowAt"),
            Set::Row(_, word) => self.word(word, "Row"),
            Set::Single(_, word) => self.word(word, "Single"),
            Set::Nth(set, word) => {
                self.set(set, "");
                self.word(word, "NthAlone")
            }
            Set::And(left, right) => self.sets(left, right, "And"),
            Set::Or(left, right) => self.sets(left, right, "Or"),
            Set::Without(left, right) => self.sets(left, right, "Without"),
            Set::Xor(left, right) => self.sets(left, right, "Xor"),
            Set::Shift(set, _) => self.set(set, "Shift"),
            Set::UpTo(_, set) => self.set(set, "UpTo"),
            Set::Resize(set, _) => self.set(set, "Resize"),
        };
        self.note(kind);
        name
    }

    fn sets(&mut self, left: &Set, right: &Set, name: &'static str) -> &'static str {
        self.set(left, "");
        self.set(right, name)
    }

    /// Counts what is in a word and passes a name through.
    fn word(&mut self, word: &Word, name: &'static str) -> &'static str {
        let kind = match word {
            Word::Constant(_) => "Constant",
            Word::Scalar(_) => "Scalar",
            Word::State(_) => "StateWord",
            Word::At(_, word) => self.word(word, "WordAt"),
            Word::Look(_, word) => self.word(word, "Look"),
            Word::Compute(operation, left, right) => {
                self.note(name_of_operation(*operation));
                self.word(left, "");
                self.word(right, "Compute")
            }
            Word::Compare(_, left, right) => {
                self.word(left, "");
                self.word(right, "Compare")
            }
            Word::Count(set) => self.set(set, "Count"),
            Word::Any(set) => self.set(set, "Any"),
            Word::Has(set, word) => {
                self.set(set, "");
                self.word(word, "Has")
            }
            Word::Nth(set, word) => {
                self.set(set, "");
                self.word(word, "Nth")
            }
            Word::Zeros(End::Low, word) => self.word(word, "ZerosBelow"),
            Word::Zeros(End::High, word) => self.word(word, "ZerosAbove"),
        };
        self.note(kind);
        name
    }
}

fn name_of_operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "Add",
        Operation::Subtract => "Subtract",
        Operation::Multiply => "Multiply",
        Operation::MultiplyHigh => "MultiplyHigh",
        Operation::Divide => "Divide",
        Operation::And => "AndWords",
        Operation::Or => "OrWords",
        Operation::Xor => "XorWords",
        Operation::ShiftUp => "ShiftUp",
        Operation::ShiftDown => "ShiftDown",
        Operation::Least => "Least",
        Operation::Most => "Most",
    }
}
