//! Runs kernels in all ways at once and insists that they agree.

#![allow(dead_code, reason = "each test uses a part of this")]

pub(crate) mod generator;

use rulesmith_kernel::{
    Call, CodeOptions, Kernel, KernelId, Module, Native, Outcome, Statement, Stop, Verified, Word,
    interpret, share_registers, verify,
};

/// What a run starts from.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) state: Vec<u64>,
    pub(crate) params: Vec<u64>,
    pub(crate) random: u64,
    pub(crate) fuel: u64,
    pub(crate) n_output_words: usize,
}

/// Everything a run leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) outcome: Result<Outcome, Stop>,
    pub(crate) state: Vec<u64>,
    pub(crate) random: u64,
    pub(crate) fuel: u64,
    pub(crate) output: Vec<u64>,
}

impl Start {
    pub(crate) fn run(&self, run: impl FnOnce(&mut Call<'_>) -> Result<Outcome, Stop>) -> End {
        let Self { mut state, params, mut random, mut fuel, n_output_words } = self.clone();
        let mut output = vec![0; n_output_words];
        let outcome = run(&mut Call {
            state: &mut state,
            params: &params,
            random: &mut random,
            fuel: &mut fuel,
            output: &mut output,
        });
        End { outcome, state, random, fuel, output }
    }
}

/// A module, interpreted and native in each way.
pub(crate) struct Twins {
    pub(crate) verified: Verified,
    natives: Vec<Native>,
    /// The same kernels with shared registers.
    shared: Verified,
}

impl Twins {
    pub(crate) fn new(module: Module) -> Self {
        let kernels = module.kernels.iter().cloned().map(share_registers).collect();
        let shared = verify(Module { kernels, ..module.clone() }).expect("well formed");
        let verified = verify(module).expect("well formed");
        let compile = |both| {
            let (bit_deposit, resident_state) = (both, both);
            let options = CodeOptions { bit_deposit, resident_state, ..CodeOptions::default() };
            Native::compile_with(&verified, options).expect("native code")
        };
        let natives = vec![compile(true), compile(false)];
        Self { verified, natives, shared }
    }

    pub(crate) fn run(&self, kernel: KernelId, start: &Start) -> End {
        let expected = start.run(|call| interpret(&self.verified, kernel, call));
        for (native, place) in self.natives.iter().zip(0..) {
            let found = start.run(|call| native.run(kernel, call));
            let text = || self.verified.module().to_string();
            assert_eq!(found, expected, "native {place}, {kernel:?}, {start:?}\n{}", text());
        }
        let found = start.run(|call| interpret(&self.shared, kernel, call));
        assert_eq!(found, expected, "{}\n{}", self.verified.module(), self.shared.module());
        expected
    }
}

/// Runs these statements on a state, with parameters.
pub(crate) fn run_body(
    module: &Module,
    body: Vec<Statement>,
    state: &[u64],
    params: &[u64],
) -> End {
    let n_params = u16::try_from(params.len()).expect("few parameters");
    let name = "test".into();
    let kernel = Kernel { name, n_params, n_scalars: n_params + 4, plane_widths: vec![], body };
    let state_words = u32::try_from(state.len()).expect("a small state");
    let module = Module { state_words, kernels: vec![kernel], ..module.clone() };
    let (state, params) = (state.to_vec(), params.to_vec());
    let start = Start { state, params, random: 7, fuel: 1000, n_output_words: 64 };
    Twins::new(module).run(KernelId(0), &start)
}

/// What a word comes to.
pub(crate) fn run_word(module: &Module, word: Word, state: &[u64], params: &[u64]) -> u64 {
    run_body(module, vec![Statement::Return(word)], state, params).outcome.expect("it ends").result
}

/// A stream of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        usize::try_from((u128::from(self.bits()) * u128::from(bound)) >> 64).expect("below a usize")
    }

    /// A word with few, many or about half of its bits set.
    pub(crate) fn word(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => self.bits() & self.bits() & self.bits() & self.bits(),
            2 => u64::MAX,
            3 => 1 << self.below(64),
            _ => self.bits(),
        }
    }

    pub(crate) fn words(&mut self, n_words: usize) -> Vec<u64> {
        (0..n_words).map(|_| self.word()).collect()
    }
}
