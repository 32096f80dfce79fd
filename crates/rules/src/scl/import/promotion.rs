//! What becomes of pieces beside their moves: castling, promotion, hands and drops.
//!
//! In: keys. Out: parts of a `DEFINE`. Invariant: what the language would do otherwise is a problem.

use std::collections::BTreeSet;

use super::board::Inversion;
use super::variant::{Kind, Variant};
use crate::scl::ast::Square;

impl Variant<'_> {
    pub(super) fn pawns(&mut self) -> Vec<Kind> {
        let key =
            if self.is_set("promotionPawnTypes") { "promotionPawnTypes" } else { "pawnTypes" };
        let default =
            self.kind_of_key("pawn").map_or(String::new(), |pawn| pawn.letter.to_string());
        self.kinds_of(key, &default)
    }

    pub(super) fn promotion_kinds(&mut self) -> Vec<Kind> {
        self.kinds_of("promotionPieceTypes", "")
    }

    /// Are captured pieces kept? Without drops it means nothing whether they are.
    pub(super) fn has_hands(&mut self) -> bool {
        self.flag("capturesToHand", false) && self.flag("pieceDrops", false)
    }

    /// Refuses pawns whose ways the language cannot say: those that may not enter the last rows, that promote as others do, or that capture
    /// in passing where they promote.
    pub(super) fn check_pawns(&mut self) {
        let Some(pawn) = self.kind_of_key("pawn") else { return };
        if !self.reachable().contains(&pawn) {
            return;
        }
        for key in ["promotionPawnTypes", "pawnTypes"] {
            if self.is_set(key) && !self.kinds_of(key, "").contains(&pawn) {
                let message = "a pawn that is not named here promotes, too".to_owned();
                self.refuse_key(key, message);
            }
        }
        let zone = self.own_region(("promotionRegionWhite", "*8"), ("promotionRegionBlack", "*1"));
        let must = self.flag("mandatoryPawnPromotion", true);
        if must && !zone.is_empty() && self.promotion_kinds().is_empty() {
            let message =
                "pawns that may not enter the rows where they would promote cannot be said";
            self.refuse_key("promotionPieceTypes", message.to_owned());
        }
        self.check_passing(&zone);
    }

    fn check_passing(&mut self, zone: &BTreeSet<Square>) {
        let takers: Vec<Kind> =
            self.pawns().into_iter().filter(|kind| kind.betza.contains('e')).collect();
        if !takers.iter().any(|kind| self.is_passing(kind)) {
            return;
        }
        let (double, triple) = self.steps();
        let squares = |regions: &[(String, BTreeSet<Square>)], name: Option<String>| {
            let region = regions.iter().find(|(known, _)| Some(known) == name.as_ref());
            region.map_or(BTreeSet::new(), |(_, squares)| squares.clone())
        };
        let (double, triple) = (squares(&self.regions, double), squares(&self.regions, triple));
        let up = |square: &Square, steps: i32| Square { row: square.row + steps, ..*square };
        let mut passed: Vec<Square> = double.iter().map(|square| up(square, 1)).collect();
        passed.extend(triple.iter().flat_map(|square| [up(square, 1), up(square, 2)]));
        if passed.into_iter().any(|square| zone.contains(&self.mirrored(square))) {
            let message = "captures in passing that promote cannot be said".to_owned();
            let set = ["promotionRegionWhite", "doubleStepRegionWhite", "tripleStepRegionWhite"];
            let key = set.into_iter().find(|key| self.is_set(key)).unwrap_or("doubleStep");
            self.refuse_key(key, message);
        }
    }

    /// How many of a kind promotion may make: `q:1 r:2`.
    pub(super) fn limit(&mut self, kind: &Kind) -> Option<String> {
        let entry = self.keys.get("promotionLimit").cloned()?;
        let mut words = entry.value.split_whitespace().filter(|word| *word != "-");
        let limit = words.clone().find_map(|word| {
            let (letter, number) = word.split_once(':')?;
            let is_kind =
                letter.len() == 1 && letter.to_ascii_uppercase() == kind.letter.to_string();
            is_kind.then(|| number.parse::<u32>().ok()).flatten()
        });
        let is_pair = |word: &str| {
            let pair = word.split_once(':');
            pair.is_some_and(|(letter, number)| letter.len() == 1 && number.parse::<u32>().is_ok())
        };
        if !words.all(is_pair) {
            self.refuse(&entry, "these are not numbers of pieces".to_owned(), String::new());
        }
        limit.filter(|limit| *limit > 0).map(|limit| format!("  LIMIT {limit}"))
    }

    /// What promoted pieces are in hand, where they are not what they became.
    pub(super) fn demoted_to(&mut self) -> Option<String> {
        if !self.has_hands() || self.flag("dropLoop", false) {
            return None;
        }
        let pawns = self.pawns();
        if pawns.is_empty() || self.promotion_kinds().is_empty() {
            return None;
        }
        if let [pawn] = &pawns[..] {
            return Some(pawn.name());
        }
        self.refuse_key(
            "capturesToHand",
            "promoted pieces may have been one of several kinds".to_owned(),
        );
        None
    }

    pub(super) fn castling(&mut self, kind: &Kind) -> Option<String> {
        let can_castle = self.flag("castling", true) && self.start().has_rights;
        let king = self.kind_of_key("king").map_or(String::new(), |king| king.letter.to_string());
        let king = self.one_kind_of("castlingKingPiece", &king);
        let key = if self.is_set("castlingRookPiece") {
            "castlingRookPiece"
        } else {
            "castlingRookPieces"
        };
        let rooks = self.kinds_of(key, "r");
        if !can_castle || king.as_ref() != Some(kind) || rooks.is_empty() {
            return None;
        }
        if self.inversion != Inversion::Forward {
            let message = "castling where pieces tell left from right cannot be said";
            self.refuse_key("startFen", message.to_owned());
        }
        let row = self.number("castlingRank", 1);
        let (right, left) =
            (self.file("castlingKingsideFile", 7), self.file("castlingQueensideFile", 3));
        let name = |column: i32| super::board::name(Square { column, row });
        let mut lines = Vec::new();
        for rook in rooks.iter().map(Kind::name) {
            lines.push(format!(
                "CASTLE RIGHT WITH {rook} TO {} PARTNER TO {}",
                name(right),
                name(right - 1)
            ));
            lines.push(format!(
                "CASTLE LEFT WITH {rook} TO {} PARTNER TO {}",
                name(left),
                name(left + 1)
            ));
        }
        Some(format!("  CASTLING\n    {}\n  END CASTLING", lines.join("\n    ")))
    }

    pub(super) fn promoting(&mut self, kind: &Kind) -> Option<String> {
        let black_rank = "*1";
        let pairs = self.pairs("promotedPieceType");
        let own = pairs.into_iter().find(|(from, _)| from == kind);
        let is_pawn = self.pawns().contains(kind);
        let mut options: Vec<String> = Vec::new();
        let mut must = true;
        let mut on = "";
        if is_pawn {
            let is_demoted = self.demoted_to().is_some();
            let prefix = if is_demoted { "promoted_" } else { "" };
            let kinds = self.promotion_kinds();
            options.extend(kinds.iter().map(|kind| format!("{prefix}{}", kind.name())));
            must = self.flag("mandatoryPawnPromotion", true);
        }
        if own.is_some() {
            if !options.is_empty() {
                self.refuse_key(
                    "promotedPieceType",
                    "a pawn that also promotes otherwise cannot be said".to_owned(),
                );
            }
            options.push(format!("promoted_{}", kind.name()));
            must = self.flag("mandatoryPiecePromotion", false);
            on = "ON {enter within leave} ";
        }
        if options.is_empty() {
            return None;
        }
        let squares =
            self.own_region(("promotionRegionWhite", "*8"), ("promotionRegionBlack", black_rank));
        if squares.is_empty() {
            return None;
        }
        let region = self.region("promotion", &squares);
        if !must {
            options.insert(0, kind.name());
        }
        let into = match &options[..] {
            [one] => format!("PROMOTE_TO {one}"),
            _ => format!("DECISION player OPTIONS [{{player}} {{{}}}]", options.join(" ")),
        };
        Some(format!("  PROMOTING {on}IN {region} {into} END PROMOTING"))
    }

    pub(super) fn dropping(&mut self, kind: &Kind) -> Option<String> {
        if !self.flag("pieceDrops", false) {
            return None;
        }
        let mut parts: Vec<String> = Vec::new();
        let mut squares = self.all_squares();
        let n_all = squares.len();
        let (white, black) = if self.is_set("dropRegionWhite") || self.is_set("dropRegionBlack") {
            ("dropRegionWhite", "dropRegionBlack")
        } else {
            ("whiteDropRegion", "blackDropRegion")
        };
        if self.is_set(white) || self.is_set(black) {
            let region = self.own_region((white, ""), (black, ""));
            squares.retain(|square| region.contains(square));
        }
        if kind.key == "pawn" {
            if !self.flag("promotionZonePawnDrops", false) {
                let zone =
                    self.own_region(("promotionRegionWhite", "*8"), ("promotionRegionBlack", "*1"));
                squares.retain(|square| !zone.contains(square));
            }
            if !self.flag("firstRankPawnDrops", false) {
                squares.retain(|square| square.row != 1);
            }
        }
        if squares.len() < n_all {
            parts.push(format!("TO {}", self.region("drops", &squares)));
        }
        if self.one_kind_of("dropNoDoubled", "").as_ref() == Some(kind) {
            let most = match self.number("dropNoDoubledCount", 1) {
                1 => String::new(),
                most => format!(" UP_TO {most}"),
            };
            parts.push(format!("NOT_SHARING_FILE [{{player}} {{{}}}]{most}", kind.name()));
        }
        if !self.flag("dropChecks", true) {
            parts.push("NO_CHECK".to_owned());
        }
        if kind.key == "shogiPawn" && self.flag("shogiPawnDropMateIllegal", false) {
            parts.push("NO_CHECKMATE".to_owned());
        }
        (!parts.is_empty()).then(|| format!("  DROPPING {} END DROPPING", parts.join(" ")))
    }
}
