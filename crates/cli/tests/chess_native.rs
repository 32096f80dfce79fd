//! Chess as native code: the counts that everyone knows.

mod common;

use common::run;

/// A position, and its leaves at each depth.
const POSITIONS: [(&str, &[u64]); 4] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[20, 400, 8902, 197_281]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", &[48, 2039, 97_862]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9467]),
];

#[test]
fn masks_find_the_legal_moves_of_chess() {
    for (fen, counts) in POSITIONS {
        let depth = counts.len().to_string();
        let ran = run(
            &[
                "perft",
                "chess",
                "--json",
                "--engine",
                "native",
                "--limit",
                "compile-time=300",
                "--depth",
                &depth,
                "--fen",
                fen,
            ],
            b"",
        );
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{fen}");
        let json = ran.json();
        let found: Vec<_> = json.iter().filter_map(|row| row["leaves"].as_u64()).collect();
        assert_eq!(found, counts, "{fen}");
        assert!(json.iter().all(|row| row["engine"] == "native"), "{ran:?}");
    }
}
