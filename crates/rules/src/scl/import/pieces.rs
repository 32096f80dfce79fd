//! The pieces of a variant.
//!
//! In: keys. Out: a `DEFINE` for each kind, those that promotion makes included. Invariant: every kind that can stand on the board or be in hand is
//! defined.

use std::collections::BTreeSet;

use super::betza::{self, Form, Moves};
use super::movement_text::movements;
use super::variant::{Kind, Variant};
use crate::scl::ast::Square;

/// A kind as it will be written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) symbol: String,
    /// What it is in hand.
    reverts_to: Option<String>,
}

impl Variant<'_> {
    /// All kinds, in the order of the text: the plain ones, those that pieces promote to, those that were pawns.
    pub(super) fn written(&mut self) -> Vec<Written> {
        let mut all: Vec<Written> = Vec::new();
        let has_hands = self.has_hands();
        for kind in self.kinds() {
            let (name, symbol) = (kind.name(), kind.letter.to_string());
            all.push(Written { kind, name, symbol, reverts_to: None });
        }
        for (from, to) in self.pairs("promotedPieceType") {
            let (name, symbol) = (format!("promoted_{}", from.name()), format!("+{}", from.letter));
            let reverts_to = has_hands.then(|| from.name());
            all.push(Written {
                kind: Kind { betza: to.betza, key: to.key, ..from },
                name,
                symbol,
                reverts_to,
            });
        }
        if let Some(pawn) = self.demoted_to() {
            for kind in self.promotion_kinds() {
                let (name, symbol) =
                    (format!("promoted_{}", kind.name()), format!("{}~", kind.letter));
                all.push(Written { kind, name, symbol, reverts_to: Some(pawn.clone()) });
            }
        }
        self.used(all)
    }

    /// Without kinds that only say how promoted pieces move: nobody ever is one.
    fn used(&mut self, all: Vec<Written>) -> Vec<Written> {
        let start = self.start();
        let mut named: BTreeSet<String> =
            start.men.values().chain(start.hands.keys()).map(|one| one.to_uppercase()).collect();
        named.extend(self.promotion_kinds().iter().map(|kind| kind.letter.to_string()));
        let sources = self.pairs("promotedPieceType");
        let is_target = |one: &Written| sources.iter().any(|(_, to)| to.letter == one.kind.letter);
        all.into_iter()
            .filter(|one| one.symbol.len() > 1 || named.contains(&one.symbol) || !is_target(one))
            .collect()
    }

    /// The text of a kind.
    pub(super) fn define(&mut self, written: &Written) -> String {
        let moves = match betza::parse(&written.kind.betza) {
            Ok(moves) => moves,
            Err(problem) => {
                let message = format!("these moves cannot be said: {problem}");
                let key = written.kind.key.clone();
                self.refuse_key(&key, message);
                return String::new();
            }
        };
        if moves.iter().any(|one| one.initial && one.captures) {
            let message = "captures by a first move cannot be said".to_owned();
            self.refuse_key(&written.kind.key, message);
        }
        let mut lines = vec![format!("DEFINE {} SYMBOL {:?}", written.name, written.symbol)];
        let (moving, capturing) = self.powers(&written.kind, &moves);
        if !moving.is_empty() {
            lines.push(format!("  MOVING\n    {}\n  END MOVING", moving.join("\n    ")));
        }
        if !capturing.is_empty() {
            lines.push(format!("  CAPTURING\n    {}\n  END CAPTURING", capturing.join("\n    ")));
        }
        // A piece that was promoted does none of these.
        if written.symbol.len() == 1 {
            lines.extend(self.castling(&written.kind));
            lines.extend(self.promoting(&written.kind));
            lines.extend(self.dropping(&written.kind));
            lines.extend(self.limit(&written.kind));
        }
        lines.extend(written.reverts_to.as_ref().map(|name| format!("  REVERTS_TO {name}")));
        lines.push("END DEFINE".to_owned());
        lines.join("\n")
    }

    /// The movements and the captures of a kind.
    fn powers(&mut self, kind: &Kind, moves: &[Moves]) -> (Vec<String>, Vec<String>) {
        let (mut moving, mut striking, mut passing) = (Vec::new(), Vec::new(), Vec::new());
        let to = self.mobility(kind);
        let steps = self.steps();
        for one in moves {
            let (plain, late) = self.late_ways(kind, one);
            for (ways, from) in [(plain, None), (late.0, late.1)] {
                let mut guards: Vec<String> = from.into_iter().chain(to.clone()).collect();
                if one.initial {
                    guards.insert(0, format!("FROM {}", steps.0.clone().unwrap_or_default()));
                }
                let is_trail = one.initial && self.is_passed(kind);
                let trail = if is_trail { " TRAIL" } else { "" };
                let guards = guards.join(" ");
                if one.quiet {
                    moving.extend(movements(one.form, &ways, format!("{guards}{trail}").trim()));
                }
                if one.captures {
                    let texts = movements(one.form, &ways, &guards);
                    if one.passing && self.is_passing(kind) {
                        passing.extend(texts);
                    } else {
                        striking.extend(texts);
                    }
                }
            }
        }
        if kind.key == "pawn" {
            let forward = BTreeSet::from([(0, 1)]);
            for (region, length) in [(steps.0, 2), (steps.1, 3)] {
                let Some(region) = region else { continue };
                let trail = if self.is_passed(kind) { " TRAIL" } else { "" };
                let form = Form::Ride(Some(length), Some(length));
                moving.extend(movements(form, &forward, &format!("FROM {region}{trail}")));
            }
        }
        let capturing = self.captures(kind, &mut moving, (passing, striking));
        (moving, capturing)
    }

    /// The captures of a kind, from those that also capture in passing and those that do not.
    fn captures(
        &mut self,
        kind: &Kind,
        moving: &mut [String],
        (passing, mut striking): (Vec<String>, Vec<String>),
    ) -> Vec<String> {
        let immune = self.immune(kind);
        let victims = if kind.key == "janggiCannon" {
            let name = kind.name();
            moving.iter_mut().chain(&mut striking).for_each(|text| {
                *text = text.replace(
                    "any_player any_piece",
                    &format!("any_player any_piece EXCEPT {{{name}}}"),
                );
            });
            format!("[{{opponent}} any_piece EXCEPT {{{name}}}]")
        } else if let Some(names) = immune {
            format!("[{{opponent}} any_piece EXCEPT {{{names}}}]")
        } else {
            "[{opponent} any_piece]".to_owned()
        };
        let effect = self.effect();
        let mut capturing = Vec::new();
        let mut capture = |methods: &str, victims: &str, texts: &[String]| {
            if !texts.is_empty() {
                let texts = texts.join("\n      ");
                capturing.push(format!(
                    "CAPTURE BY {{{methods}}} TYPE {victims} EFFECT {effect}\n      {texts}\n    END CAPTURE"
                ));
            }
        };
        capture("clobber trail", &victims, &passing);
        capture("clobber", &victims, &striking);
        if kind.key == "king" && self.flag("flyingGeneral", false) {
            let line = ["MOVEMENT RIDE <1,0> SYMMETRY all_symmetry END MOVEMENT".to_owned()];
            capture("clobber", &format!("[{{opponent}} {{{}}}]", kind.name()), &line);
        }
        capturing
    }

    /// The names of a kind that cannot capture its like.
    fn immune(&mut self, kind: &Kind) -> Option<String> {
        if !self.kinds_of("mutuallyImmuneTypes", "").iter().any(|one| one.key == kind.key) {
            return None;
        }
        let alike = self.written().into_iter().filter(|one| one.kind.key == kind.key);
        Some(alike.map(|one| one.name).collect::<Vec<_>>().join(" "))
    }

    /// The directions that a kind always has, and those that a soldier has from some row on, with the guard.
    #[expect(clippy::type_complexity, reason = "two sets of directions and a guard")]
    fn late_ways(
        &mut self,
        kind: &Kind,
        one: &Moves,
    ) -> (BTreeSet<(i32, i32)>, (BTreeSet<(i32, i32)>, Option<String>)) {
        let rank = self.number("soldierPromotionRank", 1);
        if kind.key != "soldier" || rank <= 1 {
            return (one.ways.clone(), (BTreeSet::new(), None));
        }
        let all = self.all_squares();
        let far: BTreeSet<Square> = all.into_iter().filter(|square| square.row >= rank).collect();
        let region = self.region("far", &far);
        let (ahead, aside) = one.ways.iter().copied().partition(|way| way.0 == 0);
        (ahead, (aside, Some(format!("FROM {region}"))))
    }

    /// Where double and triple steps start.
    pub(super) fn steps(&mut self) -> (Option<String>, Option<String>) {
        let can_step = |kind: &Kind| kind.key == "pawn" || kind.betza.contains('i');
        let double = if self.flag("doubleStep", true) && self.kinds().iter().any(can_step) {
            let black = format!("*{}", if self.height() == 8 { 7 } else { 0 });
            self.own_region(("doubleStepRegionWhite", "*2"), ("doubleStepRegionBlack", &black))
        } else {
            BTreeSet::new()
        };
        let triple = self.own_region(("tripleStepRegionWhite", ""), ("tripleStepRegionBlack", ""));
        let mut named = |hint: &str, squares: BTreeSet<Square>| {
            (!squares.is_empty()).then(|| self.region(hint, &squares))
        };
        (named("double_step", double), named("triple_step", triple))
    }

    /// Can a kind capture in passing?
    pub(super) fn is_passing(&mut self, kind: &Kind) -> bool {
        let key = if self.is_set("enPassantTypes") { "enPassantTypes" } else { "pawnTypes" };
        let named = self.kinds_of(key, "");
        let is_named = named.contains(kind) || named.is_empty() && !self.is_set(key);
        is_named && self.has_steps() && !self.is_nowhere("enPassantRegion")
    }

    /// Do the double steps of a kind leave a trail?
    fn is_passed(&mut self, kind: &Kind) -> bool {
        let takers = self.kinds();
        let may_take = |taker: &Kind| taker.betza.contains('e');
        let is_pawn = kind.key == "pawn" || kind.betza.contains('e');
        is_pawn && takers.iter().any(may_take) && !self.is_nowhere("enPassantRegion")
    }

    fn has_steps(&mut self) -> bool {
        self.flag("doubleStep", true) || self.is_set("tripleStepRegionWhite")
    }

    /// Is the region of that key there and empty? Others than all squares and none cannot be said.
    fn is_nowhere(&mut self, key: &str) -> bool {
        let Some(entry) = self.keys.get(key).cloned() else { return false };
        if entry.value != "-" && entry.value != "*" {
            self.refuse(&entry, format!("`{key}` can only be `-`"), String::new());
        }
        entry.value == "-"
    }

    /// Where a kind may go.
    fn mobility(&mut self, kind: &Kind) -> Option<String> {
        let mut letters = kind.key.chars();
        let first = letters.next()?.to_ascii_uppercase();
        let name = format!("{first}{}", letters.as_str());
        let (white, black) =
            (format!("mobilityRegionWhite{name}"), format!("mobilityRegionBlack{name}"));
        if !self.is_set(&white) && !self.is_set(&black) {
            return None;
        }
        let squares = self.own_region((&white, ""), (&black, ""));
        Some(format!("TO {}", self.region(&format!("{}_realm", kind.name()), &squares)))
    }

    fn effect(&mut self) -> String {
        if self.flag("blastOnCapture", false) {
            if !self.kinds_of("blastImmuneTypes", "").is_empty() {
                let message = "pieces that survive their own captures cannot be said".to_owned();
                self.refuse_key("blastImmuneTypes", message);
            }
            return match self.kind_of_key("pawn") {
                None => "explode".to_owned(),
                Some(pawn) => format!("explode SPARING [any_player {{{}}}]", pawn.name()),
            };
        }
        // Pieces that nobody may drop need not be kept.
        if self.has_hands() { "player possesses" } else { "remove" }.to_owned()
    }
}
