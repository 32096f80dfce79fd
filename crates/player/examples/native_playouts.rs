//! Random contests by native code.
#![allow(clippy::all, clippy::pedantic, clippy::disallowed_methods, missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use std::fs;
use std::path::Path;
use std::time::Instant;
use rulesmith_compile::{NativeGame, Sampling, build_kernels, game_requests, sample_states};
use rulesmith_game::Game;
use rulesmith_logic::Stop;
use rulesmith_player::{BuildRequest, Resolver, build, reference_game};
use rulesmith_specialize::{Knowledge, Settings, Specializer};
struct Beside;
impl Resolver for Beside {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap().join(path);
        Ok((file.display().to_string(), fs::read_to_string(&file).map_err(|e| e.to_string())?))
    }
}
fn main() {
    for name in std::env::args().skip(1) {
        let t0 = Instant::now();
        let file = format!("games/{name}.rules");
        let request = BuildRequest { name: file.clone(), text: fs::read_to_string(&file).unwrap(), ..BuildRequest::default() };
        let game = reference_game(build(&request, &Beside), &request.limits, &Stop::default()).expect("ok");
        let t1 = Instant::now();
        let samples = sample_states(&game, Sampling::default(), &[]).unwrap();
        let t2 = Instant::now();
        let knowledge = Knowledge::new(game.theory(), game.solver());
        let mut specializer = Specializer::new(&knowledge, Settings::default(), samples);
        let specialized = specializer.specialize(&game_requests(game.theory())).unwrap();
        let t3 = Instant::now();
        let kernels = match build_kernels(&knowledge, &specialized) { Ok(k) => k, Err(e) => { println!("{name}: {e}"); continue; } };
        let mut native = NativeGame::new(kernels).unwrap();
        let t4 = Instant::now();
        native.compile().unwrap();
        let t5 = Instant::now();
        println!("{name}: read {:?} sample {:?} specialise {:?} lower {:?} compile {:?}", t1-t0, t2-t1, t3-t2, t4-t3, t5-t4);
        let start = native.encode(&game, &game.initial().unwrap()).unwrap();
        let mut random = 1;
        let (mut n, mut moves) = (0u64, 0u64);
        let begin = Instant::now();
        while begin.elapsed().as_secs_f64() < 1.0 {
            for _ in 0..1000 { let mut s = start.clone(); moves += native.playout(&mut s, &mut random, 100_000); n += 1; }
        }
        let seconds = begin.elapsed().as_secs_f64();
        println!("{name}: {:.0} playouts/s, {:.1} M states/s, mean length {:.2}", n as f64 / seconds, moves as f64/seconds/1e6, moves as f64 / n as f64);
    }
}
