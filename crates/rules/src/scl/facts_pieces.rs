//! The facts of pieces: how they move, capture, promote, are dropped and castle.
//!
//! In: the kinds of pieces of a game. Out: facts. Invariant: movements and captures are numbered from one in the
//! order of the text, moving before capturing.

use super::ast::{
    Area, BoardKind, Capture, Description, Direction, Effect, Guard, Into, Movement, Names, Path,
    Piece, Promoting, Side, Square,
};
use super::facts::{Facts, quoted, side_text, square_text, way_text};

impl Facts<'_> {
    pub(super) fn pieces(&mut self) {
        let game = self.game;
        let mut n_movements = 0;
        let mut n_captures = 0;
        for piece in &game.pieces {
            let name = quoted(&piece.name.text);
            for movement in &piece.moving {
                n_movements += 1;
                self.line(format_args!("moves({name}, {n_movements})."));
                self.movement(n_movements, movement);
            }
            for capture in &piece.capturing {
                n_captures += 1;
                self.line(format_args!("hunts({name}, {n_captures})."));
                self.capture(n_captures, capture);
                for movement in &capture.movements {
                    n_movements += 1;
                    self.line(format_args!("paths({n_captures}, {n_movements})."));
                    self.movement(n_movements, movement);
                }
            }
            self.powers(piece, &name);
        }
        let hows = self.hows();
        for (movement, way, how) in &hows.tells {
            self.line(format_args!("tells({movement}, {}, {how}).", way_text(*way)));
        }
        for ((movement, way), (other, other_way)) in &hows.rivals {
            let (way, other_way) = (way_text(*way), way_text(*other_way));
            self.line(format_args!("rival({movement}, {way}, {other}, {other_way})."));
        }
    }

    fn movement(&mut self, number: usize, movement: &Movement) {
        let longest = self.game.board.width.max(self.game.board.height);
        self.line(format_args!("direction({number}, {}).", way_text(movement.direction)));
        let symmetry = movement.symmetry;
        let flips = [
            (symmetry.forward, "forward"),
            (symmetry.side, "side"),
            (symmetry.rotation, "rotation"),
        ];
        for (_, flip) in flips.into_iter().filter(|(is_there, _)| *is_there) {
            self.line(format_args!("symmetric({number}, {flip})."));
        }
        match &movement.path {
            Path::Stay => self.line(format_args!("stay({number}).")),
            Path::Leap { lame } => {
                for leg in lame {
                    self.line(format_args!("lame({number}, {}).", way_text(*leg)));
                }
                let is_on_board = |leg: &Direction| {
                    self.game.board.holes.is_empty() && is_beside(*leg, movement.direction)
                };
                if lame.iter().all(is_on_board) {
                    self.line(format_args!("leap({number})."));
                } else {
                    self.clauses.push_str(&straying_leap(number));
                }
            }
            Path::Ride { min, max, longest: is_longest } => {
                let (least, most) = (min.unwrap_or(1).max(1), max.unwrap_or(longest).min(longest));
                if least <= longest {
                    self.line(format_args!("ride({number}, {least}, {most})."));
                }
                // The release ignores `LONGEST` on cylinders.
                if *is_longest && self.game.board.kind == BoardKind::Planar {
                    self.line(format_args!("longest({number})."));
                }
            }
            Path::Hop { before, over, after, over_whom } => {
                self.line(format_args!("hop({number})."));
                for (word, comparison) in [("before", before), ("over", over), ("behind", after)] {
                    for count in (0..=longest).filter(|count| comparison.allows(*count)) {
                        self.line(format_args!("{word}({number}, {count})."));
                    }
                }
                self.described("over_whom", &number.to_string(), over_whom);
            }
        }
        self.guards(number, movement);
    }

    /// Where a movement may start and end, and what it does beside leading there.
    fn guards(&mut self, number: usize, movement: &Movement) {
        for guard in &movement.guards {
            match guard {
                Guard::From(name) => {
                    self.line(format_args!("from({number}, {}).", quoted(&name.text)));
                }
                Guard::To(name) => self.line(format_args!("to({number}, {}).", quoted(&name.text))),
                Guard::Within(name) => {
                    let name = quoted(&name.text);
                    self.line(format_args!("from({number}, {name}).\nto({number}, {name})."));
                }
                Guard::Unmoved => self.line(format_args!("unmoved({number}).")),
                Guard::Unchecked => self.line(format_args!("unchecked({number}).")),
                Guard::Alone => self.line(format_args!("single({number}).")),
                Guard::Peaceful => self.line(format_args!("peaceful({number}).")),
            }
        }
        if movement.leaves_trail {
            self.line(format_args!("trails({number})."));
        }
        if let Some(name) = &movement.leaving {
            self.line(format_args!("leaving({number}, {}).", quoted(&name.text)));
        }
        if let Some(name) = &movement.becoming {
            self.line(format_args!("remakes({number}, {}).", quoted(&name.text)));
        }
    }

    fn capture(&mut self, number: usize, capture: &Capture) {
        let methods = capture.methods;
        let named = [
            (methods.retrieve, "retrieve"),
            (methods.clobber, "clobber"),
            (methods.hop, "hop"),
            (methods.trail, "trail"),
        ];
        for (_, method) in named.into_iter().filter(|(is_there, _)| *is_there) {
            self.line(format_args!("method({number}, {method})."));
        }
        self.described("prey", &number.to_string(), &capture.victims);
        if let Some(name) = &capture.becoming {
            self.line(format_args!("turns_into({number}, {}).", quoted(&name.text)));
        }
        match &capture.effect {
            Effect::Remove => {}
            Effect::Possesses(side) => {
                self.line(format_args!("gives({number}, {}).", side_text(*side)));
            }
            Effect::Explode { sparing } => {
                self.line(format_args!("explodes({number})."));
                if let Some(sparing) = sparing {
                    self.described("spared", &number.to_string(), sparing);
                }
            }
        }
    }

    /// One fact for each piece that a description describes.
    pub(super) fn described(&mut self, relation: &str, first: &str, description: &Description) {
        for (side, name) in self.all_described(description) {
            self.line(format_args!("{relation}({first}, {}, {name}).", side_text(side)));
        }
    }

    pub(super) fn all_described(&self, description: &Description) -> Vec<(Side, String)> {
        let sides = match description.owner {
            Some(side) => vec![side],
            None => vec![Side::Player, Side::Opponent],
        };
        let names = self.named(&description.names);
        let pair = |side: Side| names.iter().map(move |name| (side, name.clone()));
        sides.into_iter().flat_map(pair).collect()
    }

    pub(super) fn named(&self, names: &Names) -> Vec<String> {
        match names {
            Names::Listed(names) => names.iter().map(|name| quoted(&name.text)).collect(),
            Names::Any { except } => {
                let kept = self.game.pieces.iter().filter(|piece| !except.contains(&piece.name));
                kept.map(|piece| quoted(&piece.name.text)).collect()
            }
        }
    }

    /// Promotion, captures that go on, drops, castling.
    fn powers(&mut self, piece: &Piece, name: &str) {
        if let Some(promoting) = &piece.promoting {
            self.promoting(promoting, name);
        }
        if let Some(goes_on) = piece.constraints.continue_captures {
            self.line(format_args!("chains({name})."));
            if goes_on.onward {
                self.line(format_args!("presses({name})."));
            }
        }
        if piece.constraints.must_capture.is_some() {
            self.line(format_args!("eager({name})."));
        }
        if piece.constraints.no_flight {
            self.line(format_args!("rooted({name})."));
        }
        if let Some(limit) = piece.limit {
            self.line(format_args!("limited({name}, {limit})."));
        }
        if let Some(reverts) = &piece.reverts_to {
            self.line(format_args!("reverts({name}, {}).", quoted(&reverts.text)));
        }
        let is_unmoved = |one: &Movement| one.guards.contains(&Guard::Unmoved);
        let mut movements = piece.moving.iter();
        let mut captures = piece.capturing.iter().flat_map(|one| &one.movements);
        if movements.any(is_unmoved) || captures.any(is_unmoved) {
            self.line(format_args!("watched({name})."));
        }
        for castle in &piece.castling {
            let wing = if castle.is_right { "right" } else { "left" };
            let (to, partner_to) = (square_text(castle.to), square_text(castle.partner_to));
            let partner = quoted(&castle.partner.text);
            self.line(format_args!("castles({name}, {wing}, {to}, {partner_to})."));
            for (relation, square) in
                [("castle_from", castle.from), ("castle_at", castle.partner_from)]
            {
                if let Some(square) = square.map(square_text) {
                    self.line(format_args!("{relation}({name}, {wing}, {square})."));
                }
            }
            self.line(format_args!("partner({name}, {partner}).\nwatched({partner})."));
        }
        if self.has_hands() {
            self.dropping(piece, name);
        }
    }

    fn dropping(&mut self, piece: &Piece, name: &str) {
        let dropping = piece.dropping.clone().unwrap_or_default();
        if dropping.kinds.is_empty() {
            self.line(format_args!("yields({name}, {name})."));
        }
        for kind in &dropping.kinds {
            self.line(format_args!("yields({name}, {}).", quoted(&kind.text)));
        }
        if dropping.no_check {
            self.line(format_args!("mild({name})."));
        }
        if dropping.no_checkmate {
            self.line(format_args!("merciful({name})."));
        }
        let squares = match &dropping.to {
            Some(region) => {
                self.game.area_squares(&[Area::Region(region.clone())]).into_iter().collect()
            }
            None => self.game.places(),
        };
        self.seen(
            squares,
            |square| format!("landing({name}, {square})."),
            |square| format!("lands(black, {name}, {square})."),
        );
        match (&dropping.not_sharing_file, dropping.up_to) {
            (Some(description), None) => self.described("alone", name, description),
            (Some(description), Some(number)) => {
                self.described("sharing", name, description);
                self.line(format_args!("shares({name}, {number})."));
            }
            (None, _) => {}
        }
        if let Some(description) = &dropping.not_sharing_color {
            self.described("tinted", name, description);
        }
        if dropping.reserved {
            self.line(format_args!("reserved({name})."));
        }
    }

    fn promoting(&mut self, promoting: &Promoting, name: &str) {
        match &promoting.into {
            Into::Kind(kind) => {
                let kind = quoted(&kind.text);
                self.line(format_args!("becomes({name}, player, player, {kind})."));
            }
            Into::Decision { decider, options } => {
                for (side, kind) in self.all_described(options) {
                    let (decider, side) = (side_text(*decider), side_text(side));
                    self.line(format_args!("becomes({name}, {decider}, {side}, {kind})."));
                }
            }
        }
        let squares = match &promoting.area {
            Some(region) => {
                self.game.area_squares(&[Area::Region(region.clone())]).into_iter().collect()
            }
            None => self.game.places(),
        };
        let is_far = |one: &Square| promoting.area.is_some() || one.row >= self.game.promote_rank;
        let squares: Vec<Square> = squares.into_iter().filter(is_far).collect();
        self.seen(
            squares,
            |square| format!("zone({name}, {square})."),
            |square| format!("realm(black, {name}, {square})."),
        );
        let occasions = match promoting.on {
            None => vec!["enter", "within"],
            Some(on) => {
                let all = [
                    (on.enter, "enter"),
                    (on.within, "within"),
                    (on.leave, "leave"),
                    (on.passing, "passing"),
                ];
                all.into_iter().filter(|(is_on, _)| *is_on).map(|(_, word)| word).collect()
            }
        };
        for occasion in occasions {
            self.line(format_args!("when({name}, {occasion})."));
        }
    }
}

/// Is a leg between the start of a leap and its end, so that it is on the board where both are?
fn is_beside(leg: Direction, leap: Direction) -> bool {
    let within = |one: i32, whole: i32| (whole.min(0)..=whole.max(0)).contains(&one);
    within(leg.right, leap.right) && within(leg.forward, leap.forward)
}

/// A leap with legs that may be no squares: each must be one, and empty.
fn straying_leap(number: usize) -> String {
    let legs = |empty: &str| {
        format!("none {{ L : leg({number}, P, D, L), none {{ U : next(S, L) = U{empty} }} }}")
    };
    format!(
        "travel(P, {number}, D, S, T) :-
            starts({number}, P, S), rested({number}, S), heading({number}, P, D), next(S, D) = T, ends({number}, P, T), {}.
        course({number}, P, S) :-
            no_dead_end, heading({number}, P, D), starts({number}, P, S), next(S, D) = T, ends({number}, P, T), {}.\n",
        legs(", at(U) = empty"),
        legs("")
    )
}
