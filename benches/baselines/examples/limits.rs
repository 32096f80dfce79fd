//! The limit: programs written for one game by others, counted beside ours.
//!
//! In: a game, a depth and a FEN. Out: one line of JSON with the leaves and how many of them a second of
//! processor time counts; nothing for games that nobody here plays. Invariant: the last turn is only counted.
#![expect(clippy::print_stdout, reason = "its answer is a line on standard output")]

use anyhow::{Result, anyhow, bail};
use cozy_chess::Board;
use serde_json::json;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, depth, fen] = words.as_slice() else { bail!("usage: limits GAME DEPTH FEN") };
    if game != "chess" {
        bail!("nobody here plays {game}");
    }
    let board: Board = fen.parse().map_err(|error| anyhow!("{fen}: {error:?}"))?;
    let depth: u8 = depth.parse()?;
    let start = processor_seconds();
    let leaves = count(&board, depth);
    let seconds = (processor_seconds() - start).max(1e-9);
    #[expect(clippy::cast_precision_loss, reason = "rates need no 53 bits")]
    let rate = leaves as f64 / seconds;
    let answer = json!({ "program": "cozy-chess", "leaves": leaves, "leaves_per_second": rate });
    println!("{answer}");
    Ok(())
}

fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    std::time::Duration::try_from(time).unwrap_or_default().as_secs_f64()
}

fn count(board: &Board, depth: u8) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth <= 1 {
            leaves += u64::try_from(moves.len()).unwrap_or(u64::MAX);
            return false;
        }
        for chosen in moves {
            let mut after = board.clone();
            after.play_unchecked(chosen);
            leaves += count(&after, depth - 1);
        }
        false
    });
    leaves
}
