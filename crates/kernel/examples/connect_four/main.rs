//! Random contests of connect four per second, interpreted and native.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example measures and prints"
)]

mod rules;

use std::time::Instant;

use rulesmith_kernel::{Call, CodeOptions, KernelId, Native, Outcome, Stop, interpret, verify};

fn main() {
    let module = verify(rules::module()).expect("well formed");
    print!("{}", module.module());
    let keep_text = std::env::args().nth(1).is_some();
    for bit_deposit in [true, false] {
        let start = Instant::now();
        let options = CodeOptions { bit_deposit, keep_text, ..CodeOptions::default() };
        let native = Native::compile_with(&module, options).expect("native code");
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let compiled = &native.compiled()[0];
        println!("{}", compiled.text.as_deref().unwrap_or_default());
        println!("{} bytes of code in {milliseconds:.2} ms", compiled.n_code_bytes);
        let entry = native.entry(KernelId(0)).expect("there is one");
        let name = if bit_deposit { "native" } else { "native without deposit" };
        measure(name, 200_000, |call| entry.run(call));
    }
    measure("interpreted", 200, |call| interpret(&module, KernelId(0), call));
}

/// Plays contests from the start and prints how many there are in a second at best, and who won.
fn measure(name: &str, n_contests: u32, run: impl Fn(&mut Call<'_>) -> Result<Outcome, Stop>) {
    let (mut random, mut results, mut best) = (1, [0_u32; 3], 0.0_f64);
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..n_contests {
            let (mut state, mut fuel) = ([0; 2], 43);
            let (state, random, fuel) = (&mut state, &mut random, &mut fuel);
            let mut call = Call { state, params: &[], random, fuel, output: &mut [] };
            let result = run(&mut call).expect("a contest ends").result;
            results[usize::try_from(result).expect("a role")] += 1;
        }
        best = best.max(f64::from(n_contests) / start.elapsed().as_secs_f64());
    }
    println!("{name}: {:.3} million contests a second, results {results:?}", best / 1e6);
}
