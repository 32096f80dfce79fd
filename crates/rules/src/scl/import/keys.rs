//! The keys of variants: which say nothing about rules, which the language cannot say yet, and what the predefined pieces do.
//!
//! In: a key. Out: its kind. Names and meanings are those that Fairy-Stockfish documents in its `variants.ini`.

/// Only for display, evaluation or notation.
pub(super) const WITHOUT_RULES: &[&str] = &[
    "chess960",
    "pieceToCharTable",
    "pieceValueEg",
    "pieceValueMg",
    "pocketSize",
    "variantTemplate",
];

/// Keys that are understood only when they switch nothing on, with the values that do not.
pub(super) const OFF: &[(&str, &[&str])] = &[
    ("adjudicateFullBoard", &["false"]),
    ("arrowGating", &["false"]),
    ("bikjangRule", &["false"]),
    ("cambodianMoves", &["false"]),
    ("castlingDroppedPiece", &["false"]),
    ("castlingKingPieceBlack", &[]),
    ("castlingKingPieceWhite", &[]),
    ("castlingRookPiecesBlack", &[]),
    ("castlingRookPiecesWhite", &[]),
    ("castlingWins", &["-"]),
    ("chasingRule", &["none"]),
    ("collinearN", &["0"]),
    ("connectGoalByType", &["false"]),
    ("connectNxN", &["0"]),
    ("connectPieceTypes", &["*"]),
    ("connectRegion1Black", &["-"]),
    ("connectRegion1White", &["-"]),
    ("connectRegion2Black", &["-"]),
    ("connectRegion2White", &["-"]),
    ("connectValue", &["win"]),
    ("countingRule", &["none"]),
    ("diagonalLines", &["-"]),
    ("doubleStepRank", &[]),
    ("doubleStepRankMin", &[]),
    ("dropOnTop", &["false"]),
    ("dropOppositeColoredBishop", &["false"]),
    ("dropPromoted", &["false"]),
    ("duckGating", &["false"]),
    ("dupleCheck", &["false"]),
    ("enclosingDrop", &["none"]),
    ("enclosingDropStart", &["-"]),
    ("enPassantTypesBlack", &[]),
    ("enPassantTypesWhite", &[]),
    ("extinctionClaim", &["false"]),
    ("extinctionOpponentPieceCount", &["0"]),
    ("flagPieceBlack", &[]),
    ("flagPieceBlockedWin", &["false"]),
    ("flagPieceCount", &["1"]),
    ("flagPieceSafe", &["false"]),
    ("flagPieceWhite", &[]),
    ("flipEnclosedPieces", &["none"]),
    ("freeDrops", &["false"]),
    ("gating", &["false"]),
    ("hostageExchange", &["false"]),
    ("makpongRule", &["false"]),
    ("materialCounting", &["none"]),
    ("moveRepetitionIllegal", &["false"]),
    ("multimoves", &["", "0"]),
    ("mustDropType", &["*"]),
    ("nMoveRuleTypesBlack", &[]),
    ("nMoveRuleTypesWhite", &[]),
    ("oppositeCastling", &["false"]),
    ("passOnStalemate", &["false"]),
    ("pastGating", &["false"]),
    ("petrifyBlastPieces", &["false"]),
    ("petrifyOnCapture", &["false"]),
    ("petrifyOnCaptureTypes", &["-"]),
    ("pieceDemotion", &["false"]),
    ("piecePromotionOnCapture", &["false"]),
    ("prisonPawnPromotion", &["false"]),
    ("promotionPawnTypesBlack", &[]),
    ("promotionPawnTypesWhite", &[]),
    ("promotionPieceTypesBlack", &[]),
    ("promotionPieceTypesWhite", &[]),
    ("promotionRank", &[]),
    ("promotionRequireInHand", &["false"]),
    ("promotionConsumeInHand", &["false"]),
    ("promotionSteal", &["false"]),
    ("seirawanGating", &["false"]),
    ("shatarMateRule", &["false"]),
    ("sittuyinPromotion", &["false"]),
    ("sittuyinRookDrop", &["false"]),
    ("stalematePieceCount", &["false"]),
    ("staticGating", &["false"]),
    ("twoBoards", &["false"]),
    ("wallingRegion", &[]),
    ("wallingRegionBlack", &[]),
    ("wallingRegionWhite", &[]),
    ("wallingRule", &["none"]),
];

/// Keys that are understood, beside pieces and `mobilityRegion…`.
pub(super) const UNDERSTOOD: &[&str] = &[
    "blackDropRegion",
    "blackFlag",
    "blastImmuneTypes",
    "blastOnCapture",
    "capturesToHand",
    "castling",
    "castlingKingFile",
    "castlingKingPiece",
    "castlingKingsideFile",
    "castlingQueensideFile",
    "castlingRank",
    "castlingRookKingsideFile",
    "castlingRookPiece",
    "castlingRookPieces",
    "castlingRookQueensideFile",
    "checkCounting",
    "checking",
    "checkmateValue",
    "connectDiagonal",
    "connectHorizontal",
    "connectN",
    "connectVertical",
    "doubleStep",
    "doubleStepRegionBlack",
    "doubleStepRegionWhite",
    "dropChecks",
    "dropLoop",
    "dropNoDoubled",
    "dropNoDoubledCount",
    "dropRegionBlack",
    "dropRegionWhite",
    "enPassantRegion",
    "enPassantTypes",
    "extinctionPieceCount",
    "extinctionPieceTypes",
    "extinctionPseudoRoyal",
    "extinctionValue",
    "firstRankPawnDrops",
    "flagMove",
    "flagPiece",
    "flagRegion",
    "flagRegionBlack",
    "flagRegionWhite",
    "flyingGeneral",
    "immobilityIllegal",
    "mandatoryPawnPromotion",
    "mandatoryPiecePromotion",
    "maxFile",
    "maxRank",
    "mustCapture",
    "mustDrop",
    "mutuallyImmuneTypes",
    "nFoldRule",
    "nFoldValue",
    "nFoldValueAbsolute",
    "nMoveRule",
    "nMoveRuleTypes",
    "pass",
    "pawnTypes",
    "perpetualCheckIllegal",
    "pieceDrops",
    "promotedPieceType",
    "promotionLimit",
    "promotionPawnTypes",
    "promotionPieceTypes",
    "promotionRegionBlack",
    "promotionRegionWhite",
    "promotionZonePawnDrops",
    "shogiPawnDropMateIllegal",
    "soldierPromotionRank",
    "stalemateValue",
    "startFen",
    "tripleStepRegionBlack",
    "tripleStepRegionWhite",
    "whiteDropRegion",
    "whiteFlag",
];

/// Keys whose values are letters of pieces.
pub(super) const LETTERS: &[&str] = &[
    "blastImmuneTypes",
    "castlingKingPiece",
    "castlingRookPiece",
    "castlingRookPieces",
    "dropNoDoubled",
    "enPassantTypes",
    "extinctionPieceTypes",
    "flagPiece",
    "mutuallyImmuneTypes",
    "nMoveRuleTypes",
    "pawnTypes",
    "promotedPieceType",
    "promotionPawnTypes",
    "promotionPieceTypes",
];

/// The predefined pieces and what they do.
pub(super) const PIECES: &[(&str, &str)] = &[
    ("pawn", "fmWfceF"),
    ("knight", "N"),
    ("bishop", "B"),
    ("rook", "R"),
    ("queen", "Q"),
    ("fers", "F"),
    ("alfil", "A"),
    ("fersAlfil", "FA"),
    ("silver", "FfW"),
    ("aiwok", "RNF"),
    ("bers", "RF"),
    ("dragon", "RF"),
    ("archbishop", "BN"),
    ("chancellor", "RN"),
    ("amazon", "QN"),
    ("knibis", "mNcB"),
    ("biskni", "mBcN"),
    ("kniroo", "mNcR"),
    ("rookni", "mRcN"),
    ("shogiPawn", "fW"),
    ("lance", "fR"),
    ("shogiKnight", "fN"),
    ("gold", "WfF"),
    ("dragonHorse", "BW"),
    ("clobber", "cW"),
    ("breakthrough", "fmWfF"),
    ("immobile", ""),
    ("cannon", "mRcpR"),
    ("janggiCannon", "pR"),
    ("soldier", "fsW"),
    ("horse", "nN"),
    ("elephant", "nA"),
    ("janggiElephant", "nZ"),
    ("banner", "RcpRnN"),
    ("wazir", "W"),
    ("commoner", "K"),
    ("centaur", "KN"),
    ("king", "K"),
];

/// What is wrong with a key, if it is not one that is understood.
pub(super) enum Kind {
    /// A piece, or a slot for one.
    Piece,
    /// It says something that is understood, or nothing about rules.
    Fine,
    /// It switches something on that the language cannot say.
    Unsupported,
    /// Nobody knows it.
    Unknown,
}

/// The kind of a key with this value.
pub(super) fn kind(key: &str, value: &str) -> Kind {
    if is_piece(key) {
        return Kind::Piece;
    }
    if WITHOUT_RULES.contains(&key) || UNDERSTOOD.contains(&key) {
        return Kind::Fine;
    }
    if let Some((_, off)) = OFF.iter().find(|(known, _)| *known == key) {
        return if off.contains(&value) { Kind::Fine } else { Kind::Unsupported };
    }
    match mobility_piece(key) {
        Some(_) => Kind::Fine,
        None => Kind::Unknown,
    }
}

/// Is it the name of a piece, or of a slot for one?
pub(super) fn is_piece(key: &str) -> bool {
    let slot = key.strip_prefix("customPiece").and_then(|number| number.parse::<u32>().ok());
    PIECES.iter().any(|(name, _)| *name == key)
        || slot.is_some_and(|number| (1..=25).contains(&number))
}

/// The place of a piece among all: predefined ones, slots, the king.
pub(super) fn place(key: &str) -> usize {
    let slot: Option<usize> =
        key.strip_prefix("customPiece").and_then(|number| number.parse().ok());
    match (PIECES.iter().position(|(name, _)| *name == key), slot) {
        (_, Some(slot)) => PIECES.len() + slot,
        (Some(place), None) if key != "king" => place,
        _ => usize::MAX,
    }
}

/// The piece of `mobilityRegionWhiteRook`, and whether it is white's.
pub(super) fn mobility_piece(key: &str) -> Option<(String, bool)> {
    let rest = key.strip_prefix("mobilityRegion")?;
    let (name, is_white) = match rest.strip_prefix("White") {
        Some(name) => (name, true),
        None => (rest.strip_prefix("Black")?, false),
    };
    let mut letters = name.chars();
    let first = letters.next()?.to_ascii_lowercase();
    let piece = format!("{first}{}", letters.as_str());
    is_piece(&piece).then_some((piece, is_white))
}

/// All keys, for what was probably meant.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let off = OFF.iter().map(|(key, _)| *key);
    let pieces = PIECES.iter().map(|(name, _)| *name);
    UNDERSTOOD.iter().chain(WITHOUT_RULES).copied().chain(off).chain(pieces)
}
