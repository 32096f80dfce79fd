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
        "[odd]\npawn = p\nking = k\ncustomPiece1 = e:mQcN\nknight = h\nmaxRank = 6\nmaxFile = e\ndoubleStep = false\ncastling = false\npromotionPieceTypes = e\npromotionRegionWhite = *6\npromotionRegionBlack = *1\nstalemateValue = loss\nflagPiece = k\nflagRegionWhite = *6\nflagRegionBlack = *1\nmobilityRegionWhiteKnight = *1 *2 *3\nmobilityRegionBlackKnight = *6 *5 *4\nstartFen = hhk2/ppppp/*4/*4/PPPPP/E1K1E w - - 0 1\n",
        &["pawn", "knight", "piece_e"],
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
            REGION knight_realm RANKS 1 .. 3
            SETUP pawn AT {a2 b2 c2 d2 e2}
                  opponent knight AT {a6 b6}
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
            DEFINE knight SYMBOL "H"
              MOVING
                MOVEMENT LEAP <2,1> SYMMETRY all_symmetry TO knight_realm END MOVEMENT
              END MOVING
              CAPTURING
                CAPTURE BY {clobber} TYPE [{opponent} any_piece] EFFECT remove
                  MOVEMENT LEAP <2,1> SYMMETRY all_symmetry TO knight_realm END MOVEMENT
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
fn numbers_out_of_range_are_told_so_at_the_value() {
    check_refused(
        "[huge:chess]\nmaxRank = 999999999999\nmaxFile = 99999999\n[low:chess]\nmaxRank = -1\n[line:chess]\nconnectN = 1000000\n",
        &expect![[r#"
            v.ini:2:11: `999999999999` is not between 1 and 32; `maxRank` is a whole number, 1 to 32
            v.ini:3:11: `99999999` is not a file; files are `a` to `z`, or 1 to 26
            v.ini:5:11: `-1` is not between 1 and 32; `maxRank` is a whole number, 1 to 32
            v.ini:7:12: `1000000` is not between 0 and 10000; `connectN` is a whole number, 0 to 10000"#]],
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
            v.ini:11:12: `maybe` is not `true` or `false`
            v.ini:12:11: `x` is not a number; `maxRank` is a whole number, 1 to 32
            v.ini:13:1: these moves cannot be said: `a` in `mafW`
            v.ini:14:1: no piece has the letter `y`
            v.ini:15:1: `flagRegionBlack` is not the mirror image of `flagRegionWhite`
            v.ini:18:1: a repetition that the side to move loses cannot be said
            v.ini:21:1: only some of the pieces that have not moved may castle
            v.ini:23:1: a line of `bad` cannot be read
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

/// The only game of a text.
fn game(text: &str) -> String {
    let all = import(text, &[]);
    all[all.len() - 1].1.clone().unwrap_or_else(|reasons| panic!("{reasons:?}"))
}

#[track_caller]
fn check_has(text: &str, parts: &[&str]) {
    let game = game(text);
    for part in parts {
        let words = game.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(part), "{part} is not in\n{game}");
    }
}

#[track_caller]
fn check_has_not(text: &str, part: &str) {
    let game = game(text);
    assert!(!game.contains(part), "{part} is in\n{game}");
}

/// All pieces of the second side are turned by half a turn, which is not the mirror image of those that tell left from right.
#[test]
fn pieces_that_tell_left_from_right_turn_the_board() {
    let start = "customPiece1 = x:lN\nstartFen = 1xbqk/ppppp/5/PPPPP/KQBX1 w - - 0 1\n";
    check_has(
        &format!("[a:gardner]\n{start}"),
        &["INVERSION diagonal", "SETUP pawn AT {a2 b2 c2 d2 e2} bishop AT {c1} queen AT {b1}"],
    );
    check_has("[a:gardner]\ncustomPiece1 = x:lN\n", &["INVERSION forward"]);
    check_refused(
        "[a:chess]\ncustomPiece1 = x:lN\nstartFen = rxbqkbxr/pppppppp/8/8/8/8/PPPPPPPP/RXBQKBXR w KQkq - 0 1\n",
        &expect!["v.ini:3:1: castling where pieces tell left from right cannot be said"],
    );
}

#[test]
fn both_sides_may_race_to_one_end() {
    let goal = "GOALS checkmate opponent arrive [{player} {king}] AT flag EVENED";
    check_has("[a:racingkings]\n", &["INVERSION side", goal, "RESET {capture}"]);
    check_has_not("[a:racingkings]\n", "DEFINE pawn");
}

#[test]
fn pairs_are_added_to_inherited_ones() {
    let text = "[a:minishogi]\npromotedPieceType = s:h\n";
    check_has(text, &["DEFINE promoted_silver", "DEFINE promoted_rook", "DEFINE promoted_bishop"]);
    check_refused(
        "[a:minishogi]\npromotedPieceType = p:s\n[b:minishogi]\npromotedPieceType = p:k\n",
        &expect![[r#"
            v.ini:2:1: `shogi_pawn` becomes `silver`, which promotes again: it cannot be said
            v.ini:4:1: kings that promote, or are promoted to, cannot be said"#]],
    );
    let text = "[a:minishogi]\npromotedPieceType = r:-\n";
    check_has_not(text, "promoted_rook");
    check_has(text, &["DEFINE promoted_bishop"]);
}

#[test]
fn nobody_drops_what_may_not_be_dropped() {
    check_has_not("[a:chess]\ncapturesToHand = true\n", "possesses");
    check_has_not("[a:crazyhouse]\npieceDrops = false\n", "possesses");
    check_refused(
        "[a:chess]\nstartFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qq] w KQkq - 0 1\n",
        &expect!["v.ini:2:1: there are pieces in hand that nobody may drop"],
    );
}

#[test]
fn a_start_in_the_middle_is_refused() {
    let board = "startFen = rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    check_refused(
        &format!(
            "[a:chess]\n{board} b KQkq - 0 1\n[b:chess]\n{board} w KQkq - 7 5\n[c:chess]\n{board} w KQkq e3 0 1\n[d:3check]\n{board} w KQkq - 3+5 0 1\n[e:chess]\nstartFen = rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n[f:chess]\nmaxRank = 99\n"
        ),
        &expect![[r"
            v.ini:2:1: the second side cannot begin
            v.ini:4:1: turns that were counted before the start cannot be said
            v.ini:6:1: a capture in passing at the start cannot be said
            v.ini:8:1: both sides must have the same number of checks to give, such as `3+3`
            v.ini:10:1: row 7 has 9 squares instead of 8
            v.ini:12:11: `99` is not between 1 and 32; `maxRank` is a whole number, 1 to 32"]],
    );
    check_has("[a:chess]\ncheckCounting = true\n", &["checks opponent 1"]);
    check_has_not("[a:chess]\ncastling = false\n", "CASTLE");
}

#[test]
fn what_would_be_another_game_is_refused() {
    let holes = "startFen = r1c1k/ppppp/2*2/PPPPP/R1C1K w - - 0 1";
    check_refused(
        &format!(
            "[a:atomic]\nblastImmuneTypes = p\n[b:gardner]\ncannon = c\n{holes}\n[c:chess]\npromotionPieceTypes = -\n[d:chess]\npromotionPawnTypes = n\n[e:chess]\npawnTypes = n\n[f:minishogi]\ndropNoDoubled = sp\n[g:chess]\ncustomPiece1 = x:DD\n[h:chess]\npromotionRegionWhite = *6 *7 *8\npromotionRegionBlack = *3 *2 *1\n[i:atomic]\ncheckCounting = true\n[j:chess]\nking = k:KisD\n[k]\npawn = p\nking = k\ncastling = false\nstartFen = 4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1\n[l:chess]\nflagPieceWhite = k\npromotionPieceTypesWhite = q\n[m:chess]\npromotionPieceTypes = *\n[n:gardner]\nhorse = h\nstartFen = r1h1k/ppppp/2*2/PPPPP/R1H1K w - - 0 1\n[o:chess]\nflagPiece = k\nflagRegion = d4 d5\nflagMove = true\n"
        ),
        &expect![[r#"
            v.ini:2:1: pieces that survive their own captures cannot be said
            v.ini:4:1: pieces that hop or are lame on a board with holes cannot be said
            v.ini:7:1: pawns that may not enter the rows where they would promote cannot be said
            v.ini:9:1: a pawn that is not named here promotes, too
            v.ini:11:1: a pawn that is not named here promotes, too
            v.ini:13:1: more than one piece cannot be said here
            v.ini:15:1: these moves cannot be said: `D` as a rider in `DD`
            v.ini:17:1: captures in passing that promote cannot be said
            v.ini:20:1: checks of pieces other than kings cannot be counted
            v.ini:22:1: captures by a first move cannot be said
            v.ini:23:1: pawns that may not enter the rows where they would promote cannot be said
            v.ini:29:1: `flagPieceWhite = k` cannot be said
            v.ini:30:1: `promotionPieceTypesWhite = q` cannot be said
            v.ini:32:1: `*` does not mean all pieces here
            v.ini:34:1: pieces that hop or are lame on a board with holes cannot be said
            v.ini:39:1: a last turn of others than kings that cannot be checked cannot be said"#]],
    );
}

/// Whoever takes a letter, even the own one again, takes its former owner out of the pieces that pawns become.
#[test]
fn letters_that_are_taken_promote_no_more() {
    let options = "OPTIONS [{player} {queen rook bishop}]";
    check_has("[a:chess]\nknight = n\n", &[options]);
    check_has("[a:chess]\narchbishop = n\n", &[options]);
    check_has("[a:chess]\nknight = n\npromotionPieceTypes = qn\n", &["{player} {queen knight}"]);
    let start = "startFen = ra1qk/ppppp/5/PPPPP/RA1QK w - - 0 1";
    check_has_not(
        &format!("[a:gardner]\narchbishop = n\n[b:a]\narchbishop = a\n{start}\n"),
        "knight",
    );
    check_refused(
        "[a:chess]\nknight = nn\n[b:chess]\nknight = n:C\n[c:chess]\ncustomPiece1 = x\n",
        &expect![[r#"
            v.ini:2:1: `nn` is not one letter
            v.ini:4:1: `knight` cannot have moves of its own
            v.ini:6:1: the moves of this piece are missing"#]],
    );
}

#[test]
fn a_variant_with_a_broken_line_is_refused() {
    check_refused(
        "[a:chess]\n[b:chess\ndoubleStep = false\n[c:chess]\ncastling false\n[d:c]\n[a:chess]\ncastling = false\n[chess:chess]\n[e:f]\n[f:chess]\n",
        &expect![[r#"
            v.ini:2:1: a line of `b` cannot be read
            v.ini:4:1: a line of `c` cannot be read
            v.ini:6:1: a line of `c` cannot be read
            v.ini:7:1: there is a variant `a` already, and the first counts
            v.ini:9:1: there is a variant `chess` already, and the first counts
            v.ini:10:1: there is no variant `f` to inherit from; did you mean `a`?
            v.ini:2:1: the name of a variant is not closed; write `[name]` or `[name:base]`
            v.ini:5:1: this is neither a variant nor a key of one; write `[name:base]`, then lines such as `castling = false`"#]],
    );
    assert!(game("[a:chess]\n").contains("CASTLE"));
    let all = import("[a:chess]\n[b:chess\ndoubleStep = false\n", &[]);
    assert!(all[0].1.as_ref().unwrap().contains("double_step"));
}

#[test]
fn limits_of_drops_and_promotions_are_said() {
    check_has("[a:minishogi]\ndropNoDoubledCount = 2\n", &["{shogi_pawn}] UP_TO 2"]);
    check_has("[a:chess]\npromotionLimit = q:1 r:2\n", &["LIMIT 1", "LIMIT 2"]);
    check_has("[a:pocketknight]\nmustDrop = true\n", &["must_drop"]);
    check_has("[a:chess]\nmutuallyImmuneTypes = q\n", &["any_piece EXCEPT {queen}]"]);
}

#[test]
fn long_texts_are_answered_soon() {
    let heir = |number: usize| format!("[v{number}:v{}]\nunknown{number} = 1", number - 1);
    let heirs: Vec<String> = (1..2_000).map(heir).collect();
    let text = format!("[v0:chess]\n{}", heirs.join("\n"));
    let all = import(&text, &[]);
    let last = all[1_999].1.as_ref().unwrap_err();
    assert_eq!(last.len(), 1);
    assert!(last[0].ends_with("it inherits through more than 100 variants"), "{last:?}");
    let keys: Vec<String> = (0..10_000).map(|number| format!("unknown{number} = 1")).collect();
    let all = import(&format!("[a:chess]\n{}", keys.join("\n")), &[]);
    let reasons = all[0].1.as_ref().unwrap_err();
    assert_eq!(reasons.len(), 51);
    assert!(reasons[0].ends_with("9950 more keys are unknown or cannot be said"), "{reasons:?}");
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
    // Counting rules, chasing, repetitions that the side to move loses.
    let known = ["makruk", "ai-wok", "asean", "minishogi", "minixiangqi", "xiangqi"];
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
