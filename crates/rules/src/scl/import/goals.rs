//! The whole game of a variant: goals, constraints, draws, and all other sections in order.
//!
//! In: keys. Out: the text of a game. Invariant: what would have two meanings at once is a problem.

use super::variant::{Kind, Variant, Verdict};
use crate::scl::ast::Side;

impl Variant<'_> {
    /// The text of the game; `None` where there is no piece.
    pub(super) fn game_text(&mut self) -> Option<String> {
        if self.kinds().is_empty() {
            let message = "the variant has no pieces".to_owned();
            self.refuse_key("king", message);
            return None;
        }
        self.check_pieces();
        if !self.check_board() {
            return None;
        }
        self.check_start();
        self.find_inversion();
        self.check_holes();
        self.check_hops();
        self.check_pawns();
        let written = self.written();
        let pieces: Vec<String> = written.iter().map(|one| self.define(one)).collect();
        let symbols: Vec<(String, String)> =
            written.iter().map(|one| (one.symbol.clone(), one.name.clone())).collect();
        let (goals, constraints, draws) = (self.goals(), self.constraints(), self.draws());
        let (width, height) = (self.width(), self.height());
        let mut lines = vec![format!("GAME {}", game_name(&self.section.name))];
        lines.push(format!("GOALS {}", goals.join("\n      ")));
        lines.push(format!("BOARD_SIZE {width} BY {height}\nBOARD_TYPE planar"));
        let holes: Vec<String> =
            self.start().holes.iter().map(|hole| super::board::name(*hole)).collect();
        if !holes.is_empty() {
            lines.push(format!("BOARD_HOLES {{{}}}", holes.join(" ")));
        }
        lines.push(format!("INVERSION {}\nPROMOTE_RANK {height}", self.inversion.word()));
        lines.extend(self.region_texts());
        lines.push(format!("SETUP {}", self.setup(&symbols).join("\n      ")));
        if !constraints.is_empty() {
            lines.push(format!("CONSTRAINTS {}", constraints.join("\n            ")));
        }
        lines.extend(draws);
        lines.extend(pieces);
        lines.push("END GAME.\n".to_owned());
        Some(lines.join("\n"))
    }

    /// The kinds that must not be left attacked: kings, and pieces whose loss is the end if the text says so.
    fn royal(&mut self) -> Vec<Kind> {
        let mut royal: Vec<Kind> = self.kind_of_key("king").into_iter().collect();
        if self.flag("extinctionPseudoRoyal", false) {
            royal.extend(self.kinds_of("extinctionPieceTypes", ""));
        }
        royal
    }

    fn goals(&mut self) -> Vec<String> {
        let mut goals = Vec::new();
        let is_royal = !self.royal().is_empty();
        let checkmate = self.verdict("checkmateValue", Verdict::Loss);
        if is_royal {
            match checkmate {
                Verdict::Loss => goals.push("checkmate opponent".to_owned()),
                Verdict::Win => goals.push("checkmate player".to_owned()),
                Verdict::Draw | Verdict::None => {}
            }
        }
        let stalemate = self.verdict("stalemateValue", Verdict::Draw);
        match stalemate {
            Verdict::Win | Verdict::Loss if is_royal && checkmate != stalemate => {
                let message =
                    "a stalemate that is worth the opposite of a checkmate cannot be said";
                self.refuse_key("stalemateValue", message.to_owned());
            }
            Verdict::Loss => goals.push("stalemate opponent".to_owned()),
            Verdict::Win => goals.push("stalemate player".to_owned()),
            Verdict::Draw | Verdict::None => {}
        }
        goals.extend(self.extinction());
        goals.extend(self.flags());
        if self.flag("checkCounting", false) {
            if self.flag("extinctionPseudoRoyal", false) {
                let message = "checks of pieces other than kings cannot be counted".to_owned();
                self.refuse_key("checkCounting", message);
            }
            // Who does not say how many checks it takes means one.
            let number = self.start().checks.map_or(1, |(number, _)| number);
            goals.push(format!("checks opponent {number}"));
        }
        let number = self.number("connectN", 0);
        if number > 0 {
            let keys = ["connectDiagonal", "connectHorizontal", "connectVertical"];
            for key in keys {
                if !self.flag(key, true) {
                    self.refuse_key(
                        key,
                        "lines in some directions alone cannot be said".to_owned(),
                    );
                }
            }
            goals.push(format!("line {number} [{{player}} any_piece]"));
        }
        goals
    }

    /// What happens when all pieces of a kind, or all but so many, are gone.
    fn extinction(&mut self) -> Vec<String> {
        let side = match self.verdict("extinctionValue", Verdict::None) {
            Verdict::None => return vec![],
            Verdict::Loss => "opponent",
            Verdict::Win => "player",
            Verdict::Draw => {
                self.refuse_key(
                    "extinctionValue",
                    "a draw by extinction cannot be said".to_owned(),
                );
                return vec![];
            }
        };
        let most = self.number("extinctionPieceCount", 0);
        let is_all =
            self.keys.get("extinctionPieceTypes").is_some_and(|entry| entry.value.contains('*'));
        let mut described = vec!["any_piece".to_owned()];
        if !is_all {
            let kinds = self.kinds_of("extinctionPieceTypes", "");
            for kind in &kinds {
                for side in [Side::Player, Side::Opponent] {
                    if self.n_at_start(kind, side) == 0 {
                        let message = format!("one side has no `{}` at the start", kind.name());
                        self.refuse_key("extinctionPieceTypes", message);
                    }
                }
            }
            described = kinds.iter().map(|kind| format!("{{{}}}", kind.name())).collect();
        }
        let goal = |what: &String| match most {
            0 => format!("eradicate [{{{side}}} {what}]"),
            most => format!("count [{{{side}}} {what}] [X <= {most}]"),
        };
        described.iter().map(goal).collect()
    }

    fn flags(&mut self) -> Option<String> {
        let given = ["flagRegion", "flagRegionWhite", "flagRegionBlack", "whiteFlag", "blackFlag"];
        if !given.iter().any(|key| self.is_set(key)) {
            return None;
        }
        let squares = if self.is_set("flagRegion") {
            self.common_region("flagRegion")
        } else if self.is_set("whiteFlag") || self.is_set("blackFlag") {
            self.own_region(("whiteFlag", ""), ("blackFlag", ""))
        } else {
            self.own_region(("flagRegionWhite", ""), ("flagRegionBlack", ""))
        };
        if squares.is_empty() {
            return None;
        }
        let is_any = self.keys.get("flagPiece").is_none_or(|entry| entry.value == "*");
        let who = if is_any {
            "any_piece".to_owned()
        } else {
            let name = self.one_kind_of("flagPiece", "").map_or(String::new(), |one| one.name());
            format!("{{{name}}}")
        };
        let region = self.region("flag", &squares);
        let is_evened = self.flag("flagMove", false);
        // Elsewhere only kings have a last turn, and none in check.
        let is_king = !is_any && self.kinds_of("flagPiece", "").iter().all(|one| one.key == "king");
        if is_evened && (!is_king || self.flag("checking", true)) {
            let message = "a last turn of others than kings that cannot be checked cannot be said";
            self.refuse_key("flagMove", message.to_owned());
        }
        let evened = if is_evened { " EVENED" } else { "" };
        Some(format!("arrive [{{player}} {who}] AT {region}{evened}"))
    }

    fn constraints(&mut self) -> Vec<String> {
        let mut constraints = Vec::new();
        for kind in self.royal() {
            let is_king = kind.key == "king";
            let name = kind.name();
            let n_most =
                self.n_at_start(&kind, Side::Player).max(self.n_at_start(&kind, Side::Opponent));
            let is_made = self.kinds_of("promotionPieceTypes", "").contains(&kind);
            let last = if !is_king && (n_most > 1 || is_made) { " last" } else { "" };
            constraints.push(format!("protect [{{player}} {{{name}}}]{last}"));
        }
        let is_royal = !constraints.is_empty();
        let said = [
            (self.flag("mustCapture", false), "must_capture"),
            (is_royal && !self.flag("checking", true), "no_check"),
            (self.flag("mustDrop", false) && self.flag("pieceDrops", false), "must_drop"),
            (self.flag("immobilityIllegal", false), "no_dead_end"),
            (self.flag("pass", false), "pass"),
        ];
        constraints.extend(
            said.iter().filter(|(is_said, _)| *is_said).map(|(_, word)| (*word).to_owned()),
        );
        constraints
    }

    fn draws(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.verdict("stalemateValue", Verdict::Draw) == Verdict::Draw {
            lines.push("DRAWS stalemate".to_owned());
        }
        let turns = self.number("nMoveRule", 50);
        if turns > 0 {
            let key = if self.is_set("nMoveRuleTypes") { "nMoveRuleTypes" } else { "pawnTypes" };
            let pawn =
                self.kind_of_key("pawn").map_or(String::new(), |pawn| pawn.letter.to_string());
            let names: Vec<String> = self.kinds_of(key, &pawn).iter().map(Kind::name).collect();
            let resets: Vec<String> = ["capture".to_owned()].into_iter().chain(names).collect();
            lines.push(format!("DRAWS quiet {} RESET {{{}}}", 2 * turns, resets.join(" ")));
        }
        let times = self.number("nFoldRule", 3);
        if times > 0 {
            let checker = self.flag("perpetualCheckIllegal", false);
            if checker {
                lines.push(format!("REPETITION {times} loss_for checker"));
            }
            let is_absolute = self.flag("nFoldValueAbsolute", false);
            match self.verdict("nFoldValue", Verdict::Draw) {
                Verdict::Loss if is_absolute => {
                    lines.push(format!("REPETITION {times} loss_for player"));
                }
                Verdict::Win if is_absolute => {
                    lines.push(format!("REPETITION {times} loss_for opponent"));
                }
                Verdict::Draw => lines.push(format!("REPETITION {times} draw")),
                Verdict::Win => lines.push(format!("REPETITION {times} loss_for mover")),
                Verdict::None => {}
                Verdict::Loss => {
                    let message = "a repetition that the side to move loses cannot be said";
                    self.refuse_key("nFoldValue", message.to_owned());
                }
            }
        }
        lines
    }
}

/// A name that the language allows.
fn game_name(name: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }
    };
    let name: String = name.chars().map(plain).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name
    } else {
        format!("game_{name}")
    }
}
