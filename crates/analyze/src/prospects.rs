//! Prospects: which men can come to stand where at all, and which can go.
//!
//! In: a game. Out: for each man every square that it may reach by moving, capturing, promoting or being dropped, if
//! everything else stands where it helps; and which men can leave the board. Invariant: what can happen in a contest is
//! never denied; what is not denied need not happen.

use rulesmith_rules::scl::{
    Capture, Description, Direction, Effect, Goal, KindId, Man, Methods, Movement, Name, Path,
    Place, SclGame, Setup, Side,
};

use crate::analysis::all_men;
use crate::arrivals::{described, man_number};
use crate::courses::{Around, Course};
use crate::promotion::Promotion;
use crate::squares::{SquareId, SquareSet, Squares};

/// What can come about in contests of a game.
#[derive(Clone, Debug)]
pub struct Prospects<'g> {
    game: &'g SclGame,
    squares: Squares,
    men: Vec<Man>,
    promotions: Vec<Promotion>,
    /// Where each man may come to stand.
    reach: Vec<SquareSet>,
    /// Where each man stands at the start; anywhere if it is in hand.
    start_reach: Vec<SquareSet>,
}

impl<'g> Prospects<'g> {
    /// Everything that follows from how the pieces stand at the start.
    pub fn new(game: &'g SclGame) -> Self {
        let squares = Squares::of(game);
        let men = all_men(game);
        let promotions = men.iter().map(|man| Promotion::of(game, &squares, *man)).collect();
        let reach = vec![squares.none(); men.len()];
        let start_reach = reach.clone();
        let mut prospects = Self { game, squares, men, promotions, reach, start_reach };
        prospects.start();
        prospects.start_reach.clone_from(&prospects.reach);
        prospects.spread();
        prospects
    }

    /// May a goal be met by one side, as far as this can tell? Of the goals of 1992, arrivals need a man that can come
    /// there, and to eradicate needs something there that can go.
    pub fn may_meet(&self, side: Side, goal: &Goal) -> bool {
        match goal {
            Goal::Arrive { who, at, .. } => {
                let area = self.game.area_squares(std::slice::from_ref(at));
                let area = self.squares.seen_by(self.game, side, area);
                let mut men = described(self.game, side, who).into_iter();
                men.any(|man| self.reach[man_number(man)].meets(&area))
            }
            Goal::Eradicate(who) => self.may_eradicate(side, who),
            Goal::Answered(goal) | Goal::Evened(goal) => self.may_meet(side, goal),
            Goal::All(goals) => goals.iter().all(|goal| self.may_meet(side, goal)),
            _ => true,
        }
    }

    /// Squares from where the first side surely has a move at the start: one step of a leap or a ride leads to an empty
    /// square. Where armies are set up by turns, all their squares count as taken.
    pub fn first_moves(&self) -> Vec<SquareId> {
        let mut taken = self.squares.none();
        for reach in &self.start_reach {
            taken.unite(reach);
        }
        let mut found = vec![];
        for man in self.men.iter().filter(|man| man.owner == Side::Player) {
            let moving = self.game.pieces[man.kind.0].moving.iter();
            let is_plain = |one: &&Movement| {
                one.guards.is_empty()
                    && match &one.path {
                        Path::Leap { lame } => lame.is_empty(),
                        Path::Ride { min, longest, .. } => {
                            !longest && min.is_none_or(|min| min <= 1)
                        }
                        Path::Hop { .. } | Path::Stay => false,
                    }
            };
            let ways: Vec<Direction> = moving.filter(is_plain).flat_map(Movement::ways).collect();
            for from in self.start_reach[man_number(*man)].iter() {
                let leads = |way: &Direction| {
                    let to = self.game.step(self.squares.square(from), *way);
                    to.and_then(|to| self.squares.id(to)).is_some_and(|to| !taken.contains(to))
                };
                found.extend(ways.iter().any(leads).then_some(from));
            }
        }
        found
    }

    /// Can every such man that is there at the start go?
    fn may_eradicate(&self, side: Side, who: &Description) -> bool {
        let men = described(self.game, side, who);
        let stays = |man: &Man| {
            let promotion = &self.promotions[man_number(*man)];
            let changes = promotion.choices.iter().any(|choice| !men.contains(choice))
                && promotion.zone.meets(&self.reach[man_number(*man)]);
            !changes && !self.may_be_captured(*man)
        };
        !men.iter().filter(|man| !self.start_reach[man_number(**man)].is_empty()).any(stays)
    }

    /// May a man be captured by somebody who can come about?
    pub fn may_be_captured(&self, man: Man) -> bool {
        let is_there = |one: &&Man| !self.reach[man_number(**one)].is_empty();
        let mut captures = self.men.iter().filter(is_there).flat_map(|by| self.captures(*by));
        captures.any(|(by, capture)| {
            matches!(capture.effect, Effect::Explode { .. })
                || described(self.game, by.owner, &capture.victims).contains(&man)
        })
    }

    /// The captures of a man that can take something.
    fn captures(&self, by: Man) -> impl Iterator<Item = (Man, &'g Capture)> + use<'g> {
        let all = self.game.pieces[by.kind.0].capturing.iter();
        all.filter(|one| one.methods != Methods::default()).map(move |one| (by, one))
    }

    /// Who stands where at the start; who is in hand may stand anywhere.
    fn start(&mut self) {
        match &self.game.setup {
            Setup::Placements(placements) => {
                for placement in placements {
                    let owners = placement.side.map_or(Side::BOTH.to_vec(), |side| vec![side]);
                    let Some(kind) = self.game.kind_named(&placement.name) else { continue };
                    for owner in owners {
                        let set = match &placement.place {
                            Place::InHand(0) => self.squares.none(),
                            Place::InHand(_) => self.squares.all(),
                            Place::At(squares) => {
                                let squares = squares.iter().map(|(square, _)| *square);
                                // What only one side has is written as the first side sees the board.
                                let viewer = placement.side.map_or(owner, |_| Side::Player);
                                self.squares.seen_by(self.game, viewer, squares)
                            }
                        };
                        self.reach[man_number(Man { kind, owner })].unite(&set);
                    }
                }
            }
            Setup::Assignment { names, squares, .. } => {
                let squares = squares.iter().map(|(square, _)| *square);
                for owner in Side::BOTH {
                    let set = self.squares.seen_by(self.game, owner, squares.clone());
                    for kind in names.iter().filter_map(|name| self.game.kind_named(name)) {
                        self.reach[man_number(Man { kind, owner })].unite(&set);
                    }
                }
            }
        }
    }

    /// Who castles may come to where castling leads.
    fn castle(&mut self) {
        for owner in Side::BOTH {
            for (kind, piece) in self.game.pieces.iter().enumerate() {
                for castle in &piece.castling {
                    let partner = self.game.kind_named(&castle.partner);
                    let ends = [(Some(KindId(kind)), castle.to), (partner, castle.partner_to)];
                    for (kind, square) in ends {
                        let Some(kind) = kind else { continue };
                        let to = self.squares.seen_by(self.game, owner, [square]);
                        self.reach[man_number(Man { kind, owner })].unite(&to);
                    }
                }
            }
        }
    }

    /// Follows moves, captures and promotions until nothing new comes.
    fn spread(&mut self) {
        self.castle();
        let courses: Vec<Vec<Step<'g>>> = self.men.iter().map(|man| self.steps(*man)).collect();
        let mut open: Vec<(Man, SquareId)> = Vec::new();
        for man in &self.men {
            open.extend(self.reach[man_number(*man)].iter().map(|square| (*man, square)));
        }
        loop {
            while let Some((man, from)) = open.pop() {
                for step in &courses[man_number(man)] {
                    self.follow(man, from, step, &mut open);
                }
            }
            self.drops(&mut open);
            if open.is_empty() {
                return;
            }
        }
    }

    /// All that a man can do.
    fn steps(&self, man: Man) -> Vec<Step<'g>> {
        let piece = &self.game.pieces[man.kind.0];
        let (game, squares) = (self.game, &self.squares);
        let step = |movement: &'g Movement, becoming: Option<&Name>| Step {
            course: Course::new(game, squares, movement, man.owner, Around::Anything),
            becomes: becoming
                .and_then(|name| game.kind_named(name))
                .map(|kind| Man { kind, ..man }),
            leaves: movement.leaving.as_ref().and_then(|name| game.kind_named(name)),
        };
        let moving = piece.moving.iter().map(|one| step(one, one.becoming.as_ref()));
        let capturing = self.captures(man).flat_map(|(_, capture)| {
            capture.movements.iter().map(|one| step(one, capture.becoming.as_ref()))
        });
        moving.chain(capturing).collect()
    }

    /// Notes where one step leads.
    fn follow(
        &mut self,
        man: Man,
        from: SquareId,
        step: &Step<'g>,
        open: &mut Vec<(Man, SquareId)>,
    ) {
        let mut ends = self.squares.none();
        step.course.lead(&self.squares, from, &mut ends);
        for to in ends.iter() {
            let promotion = &self.promotions[man_number(man)];
            let mut come = vec![];
            if promotion.is_ripe(from, to) && step.becomes.is_none() {
                come.extend_from_slice(&promotion.choices);
                // Until the other side has decided it stands there unpromoted.
                come.extend((promotion.decider == Some(Side::Opponent)).then_some(man));
            } else {
                come.push(step.becomes.unwrap_or(man));
            }
            for one in come {
                if self.reach[man_number(one)].insert(to) {
                    open.push((one, to));
                }
            }
        }
        if let Some(kind) = step.leaves {
            let left = Man { kind, owner: man.owner };
            if self.reach[man_number(left)].insert(from) {
                open.push((left, from));
            }
        }
    }

    /// What can be captured into a hand may stand anywhere.
    fn drops(&mut self, open: &mut Vec<(Man, SquareId)>) {
        let mut held = vec![];
        let is_there = |man: &Man| !self.reach[man_number(*man)].is_empty();
        for by in self.men.iter().filter(|man| is_there(man)) {
            for (_, capture) in self.captures(*by) {
                let Effect::Possesses(side) = capture.effect else { continue };
                let victims = described(self.game, by.owner, &capture.victims);
                held.extend(victims.iter().filter(|man| is_there(man)).map(|victim| {
                    let reverts = self.game.pieces[victim.kind.0].reverts_to.as_ref();
                    let kind = reverts.and_then(|name| self.game.kind_named(name));
                    Man { kind: kind.unwrap_or(victim.kind), owner: by.owner.whose(side) }
                }));
            }
        }
        for man in held {
            let dropping = self.game.pieces[man.kind.0].dropping.as_ref();
            let others = dropping.into_iter().flat_map(|dropping| &dropping.kinds);
            let others: Vec<_> = others.filter_map(|name| self.game.kind_named(name)).collect();
            let kinds = if others.is_empty() { vec![man.kind] } else { others };
            for kind in kinds {
                let dropped = Man { kind, owner: man.owner };
                for square in self.squares.ids() {
                    if self.reach[man_number(dropped)].insert(square) {
                        open.push((dropped, square));
                    }
                }
            }
        }
    }
}

/// One movement of a man, and what it does beside leading somewhere.
#[derive(Clone, Debug)]
struct Step<'g> {
    course: Course<'g>,
    becomes: Option<Man>,
    leaves: Option<KindId>,
}
