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
    let start = Instant::now();
    let native = Native::compile(&module).expect("native code");
    println!("compiled in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let options = CodeOptions { keep_text: true, ..CodeOptions::default() };
    let with_text = Native::compile_with(&module, options).expect("native code");
    for kernel in with_text.compiled().iter().filter(|_| std::env::args().nth(1).is_some()) {
        println!("{}", kernel.text.as_deref().unwrap_or_default());
    }
    println!("{} bytes of code", native.compiled()[0].n_code_bytes);
    let entry = native.entry(KernelId(0)).expect("there is one");
    measure("interpreted", 2_000, |call| interpret(&module, KernelId(0), call));
    for _ in 0..3 {
        measure("native", 5_000_000, |call| entry.run(call));
    }
}

/// Plays contests from the start and prints how many there are in a second, and who won.
fn measure(
    name: &str,
    n_contests: u32,
    mut run: impl FnMut(&mut Call<'_>) -> Result<Outcome, Stop>,
) {
    let start = Instant::now();
    let (mut random, mut results, mut n_plies) = (1, [0_u32; 3], 0);
    for _ in 0..n_contests {
        let (mut state, mut fuel) = ([0; 2], 100);
        let mut call = Call {
            state: &mut state,
            params: &[],
            random: &mut random,
            fuel: &mut fuel,
            output: &mut [],
        };
        let result = run(&mut call).expect("a contest ends").result;
        results[usize::try_from(result).expect("a role")] += 1;
        n_plies += 100 - fuel;
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = f64::from(n_contests) / seconds / 1e6;
    println!("{name}: {rate:.4} million a second, {n_plies} plies, results {results:?}");
}
