//! Which side can ever have a piece of which kind.
//!
//! In: a game. Out: for each kind, whether the first and whether the second side can have one. Invariant: a kind that a side
//! cannot have by this table never stands on its side; where pieces change hands, either side can have all.

use super::ast::{Description, Effect, Into, Name, Names, Piece, SclGame, Setup, Side};

const SIDES: [Side; 2] = [Side::Player, Side::Opponent];

impl SclGame {
    /// Which sides can have each kind of piece, in the order of `pieces`.
    pub(super) fn owners(&self) -> Vec<[bool; 2]> {
        let mut captures = self.pieces.iter().flat_map(|piece| &piece.capturing);
        let changes_hands = captures.any(|one| matches!(one.effect, Effect::Possesses(_)));
        let Setup::Placements(placements) = &self.setup else {
            return vec![[true; 2]; self.pieces.len()];
        };
        let mut owners = vec![[changes_hands; 2]; self.pieces.len()];
        for placement in placements {
            for side in
                SIDES.into_iter().filter(|side| placement.side.is_none_or(|one| one == *side))
            {
                self.own(&mut owners, &placement.name, side);
            }
        }
        while self.make_more(&mut owners) {}
        owners
    }

    /// Notes that a side can have a kind; is that new?
    fn own(&self, owners: &mut [[bool; 2]], name: &Name, side: Side) -> bool {
        let kinds = self.pieces.iter().zip(owners);
        let mut same = kinds.filter(|(piece, _)| piece.name == *name);
        let Some((_, own)) = same.next() else { return false };
        !std::mem::replace(&mut own[index(side)], true)
    }

    /// What the pieces that sides can have may become; is any of it new?
    fn make_more(&self, owners: &mut [[bool; 2]]) -> bool {
        let mut is_more = false;
        for (place, piece) in self.pieces.iter().enumerate() {
            let own = owners[place];
            for side in SIDES.into_iter().filter(|side| own[index(*side)]) {
                for (owner, name) in self.made_of(piece) {
                    let owner = if owner == Side::Player { side } else { other(side) };
                    is_more |= self.own(owners, name, owner);
                }
            }
        }
        is_more
    }

    /// What a piece can become or leave behind, and whose that is, as its owner sees it.
    fn made_of<'g>(&'g self, piece: &'g Piece) -> Vec<(Side, &'g Name)> {
        let captures = piece.capturing.iter();
        let movements = piece.moving.iter().chain(captures.clone().flat_map(|one| &one.movements));
        let changed = movements.flat_map(|one| one.becoming.iter().chain(&one.leaving));
        let own = changed.chain(captures.filter_map(|one| one.becoming.as_ref()));
        let own = own.chain(piece.dropping.iter().flat_map(|one| &one.kinds));
        let mut made: Vec<(Side, &Name)> = own.map(|name| (Side::Player, name)).collect();
        match piece.promoting.as_ref().map(|promoting| &promoting.into) {
            Some(Into::Kind(name)) => made.push((Side::Player, name)),
            Some(Into::Decision { options, .. }) => made.extend(self.described_kinds(options)),
            None => {}
        }
        made
    }

    fn described_kinds<'g>(&'g self, described: &'g Description) -> Vec<(Side, &'g Name)> {
        let names: Vec<&Name> = match &described.names {
            Names::Listed(names) => names.iter().collect(),
            Names::Any { except } => {
                let all = self.pieces.iter().map(|piece| &piece.name);
                all.filter(|name| !except.contains(name)).collect()
            }
        };
        let sides = SIDES.into_iter().filter(|side| described.owner.is_none_or(|one| one == *side));
        sides.flat_map(|side| names.iter().map(move |name| (side, *name))).collect()
    }
}

fn other(side: Side) -> Side {
    if side == Side::Player { Side::Opponent } else { Side::Player }
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Opponent)
}
