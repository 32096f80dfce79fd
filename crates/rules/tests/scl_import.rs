//! Variants of another program: what becomes of their keys, and why some are refused.

use expect_test::{Expect, expect};
use rulesmith_rules::scl::{SclLimits, import_bases, import_variants, parse_scl, scl_theory};
use rulesmith_rules::{Diagnostics, NoFiles, Severity, Sources, TextLimits};

/// The variants of a text: games, or reasons with their places.
fn import(text: &str, ignored: &[&str]) -> Vec<(String, Result<String, Vec<String>>)> {
    let (mut sources, mut faults) = (Sources::default(), Diagnostics::default());
    let file = sources.add("v.ini", text);
    let ignored: Vec<String> = ignored.iter().map(|key| (*key).to_owned()).collect();
    let variants = import_variants(&sources, file, &ignored, &mut faults);
    let shown = |problem: &rulesmith_rules::Diagnostic| {
        let label =
            if problem.label.is_empty() { String::new() } else { format!(" ({})", problem.label) };
        let help = problem.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        format!("{}: {}{label}{help}", sources.locate(problem.span), problem.message)
    };
    let faults: Vec<String> = faults.list.iter().map(shown).collect();
    let mut all: Vec<_> = variants
        .iter()
        .map(|one| {
            let reasons = one.problems.iter().map(shown).collect();
            (one.name.clone(), one.text.clone().ok_or(reasons))
        })
        .collect();
    if !faults.is_empty() {
        all.push(("faults".to_owned(), Err(faults)));
    }
    all
}

fn check_refused(text: &str, expected: &Expect) {
    let refused = import(text, &[]).into_iter().filter_map(|(_, made)| made.err());
    expected.assert_eq(&refused.flatten().collect::<Vec<_>>().join("\n"));
}

/// The parts of a game before its pieces, and these pieces.
fn check_game(text: &str, pieces: &[&str], expected: &Expect) {
    let all = import(text, &[]);
    let game = all[0].1.as_ref().unwrap_or_else(|reasons| panic!("{reasons:?}"));
    let mut parts = game.split("\nDEFINE ");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts.filter(|part| pieces.iter().any(|name| part.starts_with(&format!("{name} "))))
    {
        shown += "\nDEFINE ";
        shown += part;
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_custom_king_is_read_from_betza() {
    check_game(
        "[centaurking:gardner]\nking = k:KN\n",
        &["king"],
        &expect![[r#"
        GAME centaurking
        GOALS checkmate opponent
        BOARD_SIZE 5 BY 5
        BOARD_TYPE planar
        INVERSION forward
        PROMOTE_RANK 5
        REGION promotion RANKS 5
        SETUP pawn AT {a2 b2 c2 d2 e2}
              knight AT {b1}
              bishop AT {c1}
              rook AT {a1}
              queen AT {d1}
              king AT {e1}
        CONSTRAINTS protect [{player} {king}]
        DRAWS stalemate
        DRAWS quiet 100 RESET {capture pawn}
        REPETITION 3 draw
        DEFINE king SYMBOL "K"
          MOVING
            MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT
            MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT
            MOVEMENT LEAP <2,1> SYMMETRY all_symmetry END MOVEMENT
          END MOVING
          CAPTURING
            CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove
              MOVEMENT LEAP <1,0> SYMMETRY all_symmetry END MOVEMENT
              MOVEMENT LEAP <1,1> SYMMETRY all_symmetry END MOVEMENT
              MOVEMENT LEAP <2,1> SYMMETRY all_symmetry END MOVEMENT
            END CAPTURE
          END CAPTURING
        END DEFINE
        END GAME.
    "#]],
    );
}

#[test]
fn hands_make_promoted_pieces_pawns_again() {
    check_game(
        "# comment\n[small:losalamos]\npieceDrops = true\ncapturesToHand = true\nqueen = -\nstartFen = rn1knr/pppppp/6/6/PPPPPP/RN1KNR[Pp] w - - 0 1\npromotionPieceTypes = r\n",
        &["pawn", "promoted_rook"],
        &expect![[r#"
            GAME small
            GOALS checkmate opponent
            BOARD_SIZE 6 BY 6
            BOARD_TYPE planar
            INVERSION forward
            PROMOTE_RANK 6
            REGION promotion RANKS 6
            REGION drops RANKS 2 .. 5
            SETUP pawn AT {a2 b2 c2 d2 e2 f2}
                  pawn IN_HAND 1
                  knight AT {b1 e1}
                  rook AT {a1 f1}
                  king AT {d1}
            CONSTRAINTS protect [{player} {king}]
            DRAWS stalemate
            DRAWS quiet 100 RESET {capture pawn}
            REPETITION 3 draw
            DEFINE pawn SYMBOL "P"
              MOVING
                MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT player possesses
                  MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT
                END CAPTURE
              END CAPTURING
              PROMOTING IN promotion PROMOTE_TO promoted_rook END PROMOTING
              DROPPING TO drops END DROPPING
            END DEFINE
            DEFINE promoted_rook SYMBOL "R~"
              MOVING
                MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT player possesses
                  MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT
                END CAPTURE
              END CAPTURING
              REVERTS_TO pawn
            END DEFINE
            END GAME.
        "#]],
    );
}

#[test]
fn armies_may_differ_and_squares_be_missing() {
    check_game(
        "[odd]\npawn = p\nking = k\ncustomPiece1 = e:mQcN\nhorse = h\nmaxRank = 6\nmaxFile = e\ndoubleStep = false\ncastling = false\npromotionPieceTypes = e\npromotionRegionWhite = *6\npromotionRegionBlack = *1\nstalemateValue = loss\nflagPiece = k\nflagRegionWhite = *6\nflagRegionBlack = *1\nmobilityRegionWhiteHorse = *1 *2 *3\nmobilityRegionBlackHorse = *6 *5 *4\nstartFen = hhk2/ppppp/*4/*4/PPPPP/E1K1E w - - 0 1\n",
        &["pawn", "horse", "piece_e"],
        &expect![[r#"
            GAME odd
            GOALS checkmate opponent
                  stalemate opponent
                  arrive [{player} {king}] AT promotion
            BOARD_SIZE 5 BY 6
            BOARD_TYPE planar
            BOARD_HOLES {a3 a4}
            INVERSION forward
            PROMOTE_RANK 6
            REGION promotion RANKS 6
            REGION horse_realm RANKS 1 .. 3
            SETUP pawn AT {a2 b2 c2 d2 e2}
                  opponent horse AT {a6 b6}
                  king AT {c1}
                  player piece_e AT {a1 e1}
            CONSTRAINTS protect [{player} {king}]
            DRAWS quiet 100 RESET {capture pawn}
            REPETITION 3 draw
            DEFINE pawn SYMBOL "P"
              MOVING
                MOVEMENT LEAP <0,1> SYMMETRY {} END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove
                  MOVEMENT LEAP <1,1> SYMMETRY {side} END MOVEMENT
                END CAPTURE
              END CAPTURING
              PROMOTING IN promotion PROMOTE_TO piece_e END PROMOTING
            END DEFINE
            DEFINE horse SYMBOL "H"
              MOVING
                MOVEMENT LEAP LAME <1,0> <2,1> SYMMETRY all_symmetry TO horse_realm END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove
                  MOVEMENT LEAP LAME <1,0> <2,1> SYMMETRY all_symmetry TO horse_realm END MOVEMENT
                END CAPTURE
              END CAPTURING
            END DEFINE
            DEFINE piece_e SYMBOL "E"
              MOVING
                MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT
                MOVEMENT RIDE <1,1> SYMMETRY all_symmetry END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove
                  MOVEMENT LEAP <2,1> SYMMETRY all_symmetry END MOVEMENT
                END CAPTURE
              END CAPTURING
            END DEFINE
            END GAME.
        "#]],
    );
}

#[test]
fn what_cannot_be_said_is_refused_with_its_line() {
    check_refused(
        "[duck:chess]\nduckGating = true\ncastlng = false\n\n[house:makruk]\npieceDrops = true\n
[lost:ches]\n\n[wrong:chess]\ncastling = maybe\nmaxRank = x\ncustomPiece1 = z:mafW\npromotionPieceTypes = qy\nflagRegionWhite = *8\nflagPiece = k\nstalemateValue = loss\nnFoldValue = loss\n
[half:chess]\nstartFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1\n[fine:chess]\n[bad\nnothing\n[late:fine]\n[empty]\n",
        &expect![[r#"
            v.ini:2:1: `duckGating = true` cannot be said
            v.ini:3:1: the key `castlng` is not known; did you mean `castling`?
            v.ini:5:1: `countingRule = makruk` cannot be said (inherited from `makruk`)
            v.ini:8:1: there is no variant `ches` to inherit from; did you mean `chess`?
            v.ini:11:1: `maybe` is not `true` or `false`
            v.ini:12:1: `x` is not a number
            v.ini:13:1: these moves cannot be said: `a` in `mafW`
            v.ini:14:1: no piece has the letter `y`
            v.ini:15:1: `flagRegionBlack` is not the mirror image of `flagRegionWhite`
            v.ini:18:1: a repetition that the side to move loses cannot be said
            v.ini:21:1: only some of the pieces that have not moved may castle
            v.ini:26:1: the variant has no pieces
            v.ini:23:1: the name of a variant is not closed; write `[name]` or `[name:base]`
            v.ini:24:1: this is neither a variant nor a key of one; write `[name:base]`, then lines such as `castling = false`"#]],
    );
}

/// The base promotes to its archbishop, which the child calls by another letter.
#[test]
fn letters_name_pieces_where_they_stand() {
    let text = "[gemini:janus]\narchbishop = a\nstartFen = rnbaqkabnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBAQKABNR w KQkq - 0 1\n";
    let all = import(text, &[]);
    let game = all[0].1.as_ref().unwrap_or_else(|reasons| panic!("{reasons:?}"));
    assert!(game.contains("OPTIONS [{player} {archbishop queen rook bishop knight}]"), "{game}");
}

#[test]
fn keys_can_be_left_out_on_purpose() {
    let text = "[house:makruk]\nstartFen = rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR[] w - - 0 1\npieceDrops = true\ncapturesToHand = true\n";
    assert!(import(text, &[])[0].1.is_err());
    assert!(import(text, &["countingRule"])[0].1.is_ok());
}

/// Every variant to inherit from is a game, or the reason why not is a key of its own.
#[test]
fn bases_are_games() {
    let bases = import_bases();
    assert!(bases.len() > 40);
    let headers: Vec<String> = bases.iter().map(|base| format!("[a_{base}:{base}]")).collect();
    let text = headers.join("\n");
    let mut refused = Vec::new();
    for (name, made) in import(&text, &[]) {
        let text = match made {
            Ok(text) => text,
            Err(reasons) => {
                refused.push(format!("{name}: {}", reasons.join("; ")));
                continue;
            }
        };
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let file = sources.add("imported.scl", text.clone());
        let game = parse_scl(&mut sources, file, &NoFiles, &SclLimits::default(), &mut problems);
        assert!(problems.list.is_empty(), "{name}: {:?}\n{text}", problems.list);
        scl_theory(&game.unwrap(), "imported.scl", TextLimits::default(), &mut problems);
        let errors = problems.list.iter().filter(|problem| problem.severity == Severity::Error);
        for error in errors {
            // What the theory cannot do yet is said there.
            assert_eq!(error.code, "not-yet", "{name}: {}", error.message);
        }
    }
    // Counting rules, chasing, repetitions that the side to move loses, a race in one direction.
    let known = ["racingkings", "makruk", "ai-wok", "asean", "minishogi", "minixiangqi", "xiangqi"];
    for reason in refused {
        let name = reason.split(':').next().unwrap_or_default();
        assert!(known.iter().any(|known| name == format!("a_{known}")), "{reason}");
    }
}

#[test]
fn no_text_panics() {
    let lines = [
        "[a:chess]",
        "[b:a]",
        "[",
        "[]",
        "[:]",
        "[a:a]",
        "king = k:",
        "king = ",
        "king = -",
        "pawn = é",
        "maxRank = 0",
        "maxFile = z",
        "maxRank = 99",
        "startFen = ",
        "startFen = [[/~+*",
        "startFen = 99999999999999999999",
        "promotedPieceType = p:n n:p",
        "promotedPieceType = é",
        "castlingRank = 0",
        "castlingKingsideFile = a",
        "customPiece1 = ü:W",
        "customPiece1 = a:W9",
        "flagRegion = *é é*",
        "doubleStepRegionWhite = **",
        "pieceDrops = true",
        "capturesToHand = true",
        "soldier = s",
        "soldierPromotionRank = 50",
        "mobilityRegionWhiteé = *1",
        "mobilityRegionWhite = *1",
        "connectN = 99",
        "= =",
        "é",
    ];
    for first in 0..lines.len() {
        for second in 0..lines.len() {
            let third = lines[(7 * first + 3 * second) % lines.len()];
            let text = format!("[x:chess]\n{}\n{}\n{third}\n", lines[first], lines[second]);
            import(&text, &[]);
        }
    }
}
