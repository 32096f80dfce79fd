//! Pieces: how each kind moves, captures and promotes.
//!
//! In: dice, the board and the names of all kinds. Out: definitions. Paper: metagamer §1.2.
//! Invariant: every movement has room on the board, and every capture finds somebody somewhere.

use rulesmith_logic::Span;
use rulesmith_rules::scl::{
    Board, BoardKind, Capture, Comparison, Constraints, ContinueCaptures, Description, Direction,
    Effect, Into, Methods, Movement, MustCapture, Name, Names, Path, Piece, Promoting, Relation,
    Side, Symmetry,
};

use super::Refusal;
use super::army::part;
use super::dice::Dice;
use super::knobs::Knob;

/// A movement that does not fit is drawn again, at most so often.
const MOST_DRAWS: usize = 60;

/// What definitions are drawn from.
pub(super) struct Workshop<'a, 'k> {
    pub(super) dice: &'a mut Dice<'k>,
    pub(super) board: &'a Board,
    pub(super) kinds: &'a [Name],
}

impl Workshop<'_, '_> {
    /// Draws one kind of piece.
    pub(super) fn piece(&mut self, name: &Name) -> Result<Piece, Refusal> {
        let mut piece = Piece::inert(name.clone());
        piece.moving = self.movements(|shop| shop.movement(Need::Anything))?;
        for _ in 0..=self.dice.more(Knob::CAPTURE_COMPLEXITY) {
            piece.capturing.extend(self.capture()?);
        }
        piece.promoting = self.promoting(name);
        let must = self.dice.chance(Knob::PIECE_MUST_CAPTURE);
        let goes_on = self.dice.chance(Knob::CONTINUE_CAPTURES);
        if !piece.capturing.is_empty() {
            piece.constraints = Constraints {
                must_capture: must.then(MustCapture::default),
                continue_captures: goes_on.then(ContinueCaptures::default),
                ..Constraints::default()
            };
        }
        Ok(piece)
    }

    /// One movement, and some more.
    fn movements(
        &mut self,
        mut first: impl FnMut(&mut Self) -> Result<Movement, Refusal>,
    ) -> Result<Vec<Movement>, Refusal> {
        let mut movements = vec![first(self)?];
        for _ in 0..self.dice.more(Knob::MOVEMENT_COMPLEXITY) {
            let one = self.movement(Need::Anything)?;
            if !movements.contains(&one) {
                movements.push(one);
            }
        }
        Ok(movements)
    }

    /// A capture, unless no way to capture is drawn.
    fn capture(&mut self) -> Result<Option<Capture>, Refusal> {
        let mut methods = Methods {
            retrieve: self.dice.chance(Knob::CAPTURE_RETRIEVE),
            clobber: self.dice.chance(Knob::CAPTURE_CLOBBER),
            hop: self.dice.chance(Knob::CAPTURE_HOP),
            trail: false,
        };
        // Who never hops takes nothing by hopping, and on the smallest boards nobody does.
        methods.hop &= self.dice.may_draw(Knob::MOVEMENT_TYPE, "hop") && self.has_room_to_hop();
        if methods == Methods::default() {
            return Ok(None);
        }
        let need = if methods.hop { Need::Hop } else { Need::Anything };
        let victims = self.description();
        let effect = match self.dice.word(Knob::CAPTURE_EFFECT) {
            "remove" => Effect::Remove,
            "player_possesses" => Effect::Possesses(Side::Player),
            _ => Effect::Possesses(Side::Opponent),
        };
        let movements = self.movements(|shop| shop.movement(need))?;
        Ok(Some(Capture {
            methods,
            victims,
            effect,
            becoming: None,
            movements,
            span: Span::default(),
        }))
    }

    fn has_room_to_hop(&self) -> bool {
        self.board.width.max(self.board.height) > 2
    }

    fn movement(&mut self, need: Need) -> Result<Movement, Refusal> {
        for _ in 0..MOST_DRAWS {
            let form = if need == Need::Hop { "hop" } else { self.dice.word(Knob::MOVEMENT_TYPE) };
            let direction = self.direction();
            let symmetry = Symmetry {
                forward: self.dice.chance(Knob::SYMMETRY_FORWARD),
                side: self.dice.chance(Knob::SYMMETRY_SIDE),
                rotation: self.dice.chance(Knob::SYMMETRY_ROTATION),
            };
            let path = self.path(form);
            let movement = Movement {
                path,
                direction,
                symmetry,
                guards: vec![],
                leaves_trail: false,
                leaving: None,
                becoming: None,
                span: Span::default(),
            };
            if self.has_room(&movement) && need.is_met(&movement.path) {
                return Ok(movement);
            }
        }
        Err(Refusal::NoMovement)
    }

    /// A step; it may be none, which is then drawn again.
    fn direction(&mut self) -> Direction {
        let share = self.dice.share(Knob::LOCALITY);
        let most = |size: i32| part(size, share).clamp(1, (size - 1).max(1)).min(size - 1);
        let (across, up) = (most(self.board.width), most(self.board.height));
        Direction { right: self.dice.between(-across, across), forward: self.dice.between(-up, up) }
    }

    fn path(&mut self, form: &str) -> Path {
        match form {
            "leap" => Path::Leap { lame: vec![] },
            "ride" => {
                let longest = self.dice.chance(Knob::RIDE_LONGEST);
                // On a cylinder it would say nothing.
                let longest = longest && self.board.kind == BoardKind::Planar;
                Path::Ride { min: None, max: None, longest }
            }
            _ => Path::Hop {
                before: self.comparison(Knob::HOP_BEFORE, 0),
                over: self.comparison(Knob::HOP_OVER, 1),
                after: self.comparison(Knob::HOP_AFTER, 0),
                over_whom: self.description(),
            },
        }
    }

    /// A count, or at least so many.
    fn comparison(&mut self, constrain: Knob, least: i32) -> Comparison {
        let is_constrained = self.dice.chance(constrain);
        let relation = match self.dice.word(Knob::COMPARISON) {
            "equal" => Relation::Equal,
            "at_least" => Relation::AtLeast,
            _ => Relation::AtMost,
        };
        let number = self.dice.range(Knob::HOP_COUNT);
        if is_constrained {
            Comparison { relation, number }
        } else {
            Comparison { relation: Relation::AtLeast, number: least }
        }
    }

    /// Does the shortest such path fit on the board?
    fn has_room(&self, movement: &Movement) -> bool {
        let Direction { right, forward } = movement.direction;
        let steps = match &movement.path {
            Path::Hop { before, over, after, .. } => {
                [before, over, after].map(|one| least(*one)).iter().sum::<i32>() + 1
            }
            _ => 1,
        };
        let is_cylinder = self.board.kind == BoardKind::VerticalCylinder;
        let fits = |across: i32, up: i32| {
            (is_cylinder || steps * across.abs() < self.board.width)
                && steps * up.abs() < self.board.height
        };
        // Of a cylinder, too, a path is no longer than the board.
        let is_short = steps <= self.board.width.max(self.board.height);
        let fits_somehow =
            fits(right, forward) || movement.symmetry.rotation && fits(forward, right);
        (right, forward) != (0, 0) && is_short && fits_somehow
    }

    /// Whose pieces, and which.
    fn description(&mut self) -> Description {
        let owner = match self.dice.word(Knob::DESCRIPTION_OWNER) {
            "player" => Some(Side::Player),
            "opponent" => Some(Side::Opponent),
            _ => None,
        };
        let is_any = self.dice.chance(Knob::DESCRIPTION_ANY);
        Description { owner, names: self.names(is_any, Knob::DESCRIPTION_MORE) }
    }

    fn names(&mut self, is_any: bool, more: Knob) -> Names {
        if is_any {
            return Names::Any { except: vec![] };
        }
        Names::Listed(draw_names(self.dice, self.kinds, more))
    }

    fn promoting(&mut self, name: &Name) -> Option<Promoting> {
        let promotes = self.dice.chance(Knob::PROMOTION);
        let into = if self.dice.chance(Knob::PROMOTION_SPECIFIC) {
            let others: Vec<Name> =
                self.kinds.iter().filter(|kind| *kind != name).cloned().collect();
            Into::Kind(self.dice.choose(&others)?.clone())
        } else {
            let decider = match self.dice.word(Knob::PROMOTION_DECIDER) {
                "player" => Side::Player,
                _ => Side::Opponent,
            };
            Into::Decision { decider, options: self.description() }
        };
        promotes.then_some(Promoting { on: None, area: None, into })
    }
}

/// What a movement must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing in particular.
    Anything,
    /// To hop over somebody.
    Hop,
}

impl Need {
    fn is_met(self, path: &Path) -> bool {
        match (self, path) {
            (Self::Anything, _) => true,
            (Self::Hop, Path::Hop { over, .. }) => {
                over.relation == Relation::AtLeast || over.number > 0
            }
            (Self::Hop, _) => false,
        }
    }
}

/// The least number that a comparison allows.
fn least(comparison: Comparison) -> i32 {
    match comparison.relation {
        Relation::Equal | Relation::AtLeast => comparison.number,
        Relation::AtMost => 0,
    }
}

/// Some names, in the order of the alphabet.
pub(super) fn draw_names(dice: &mut Dice<'_>, kinds: &[Name], more: Knob) -> Vec<Name> {
    let texts: Vec<&str> = kinds.iter().map(|kind| kind.text.as_str()).collect();
    dice.some(&texts, more).into_iter().map(super::army::named).collect()
}
