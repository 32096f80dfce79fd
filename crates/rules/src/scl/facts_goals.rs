//! The facts of goals and draws.
//!
//! In: the goals, draws, repetitions and preferences of a game. Out: facts, and clauses where a number or the
//! past is part of what is said, which a fact cannot hold. Invariant: goals are numbered from one in the order of the
//! text, the parts of a goal right behind it.

use std::collections::BTreeSet;

use super::ast::{
    Area, Comparison, Description, Draw, Goal, Material, Maximal, Name, Names, RepetitionVerdict,
    Resets, SclGame, Side,
};
use super::facts::{ENDINGS, Facts, quoted, range, side_text};

impl Facts<'_> {
    pub(super) fn goals(&mut self) {
        for goal in &self.game.goals {
            let aim = self.goal(goal);
            self.line(format_args!("wanted({aim})."));
        }
        if self.has_lines() {
            self.line(format_args!(
                "stripe((1, 0)).\nstripe((0, 1)).\nstripe((1, 1)).\nstripe((1, -1))."
            ));
        }
    }

    /// States a goal, and gives its number.
    fn goal(&mut self, goal: &Goal) -> usize {
        // Not a goal of its own, but when one counts.
        if let Goal::Answered(inner) | Goal::Evened(inner) = goal {
            let aim = self.goal(inner);
            let word = if matches!(goal, Goal::Evened(_)) { "evened" } else { "answered" };
            self.line(format_args!("{word}({aim})."));
            return aim;
        }
        self.n_aims += 1;
        let aim = self.n_aims;
        let number = aim.to_string();
        match goal {
            Goal::Stalemate(side) => self.stalemate(aim, *side),
            Goal::Checkmate(side) => {
                self.line(format_args!("aims_checkmate({aim}, {}).", side_text(*side)));
            }
            Goal::Eradicate(description) => {
                self.line(format_args!("aims_eradicate({aim})."));
                self.described("aims_at", &number, description);
                let names = self.all_described(description);
                let is_fatal = |(side, name): &(Side, String)| {
                    *side == Side::Opponent && self.is_protected(name)
                };
                if names.iter().any(is_fatal) {
                    self.line(format_args!("mortal({aim})."));
                }
            }
            Goal::Arrive { who, at, is_safe } => self.arrival(aim, who, at, *is_safe),
            Goal::Checks(side, count) => {
                self.line(format_args!("aims_checks({aim}, {}, {count}).", side_text(*side)));
                self.line(format_args!("counts_checks."));
            }
            Goal::Count(description, comparison) => {
                self.described("aims_at", &number, description);
                let (low, high) = range(*comparison);
                self.line(format_args!("aims_count({aim}, {low}, {high})."));
            }
            Goal::Fewer(fewer, more) => {
                self.line(format_args!("aims_fewer({aim})."));
                self.described("aims_at", &number, fewer);
                self.described("aims_than", &number, more);
            }
            Goal::Line { length, of, on } => self.line_goal(aim, *length, of, on.as_ref()),
            Goal::All(goals) => {
                self.line(format_args!("aims_all({aim})."));
                self.parts(aim, goals);
            }
            Goal::Answered(_) | Goal::Evened(_) => {}
        }
        aim
    }

    fn arrival(&mut self, aim: usize, who: &Description, at: &Area, is_safe: bool) {
        self.line(format_args!("aims_arrive({aim})."));
        if is_safe {
            self.line(format_args!("aims_safe({aim})."));
        }
        self.described("aims_at", &aim.to_string(), who);
        let arrives = |square: String| {
            let safe = if is_safe { format!(", not attacked(Q, {square})") } else { String::new() };
            format!("met(black, {aim}) :- {}{safe}.", stands_for_black(aim, &square))
        };
        self.seen(
            self.game.area_squares(std::slice::from_ref(at)),
            |square| format!("aims_square({aim}, {square})."),
            arrives,
        );
    }

    /// A stalemate, which is no mate where the goals speak of mates.
    fn stalemate(&mut self, aim: usize, stuck: Side) {
        let side = side_text(stuck);
        // Where every mate of that side is a goal in itself, one goal more or less is the same.
        let goals = &self.game.goals;
        if goals.iter().any(is_mate) && !goals.contains(&Goal::Checkmate(stuck)) {
            let clause =
                format!("met(P, {aim}) :- whose(P, {side}, Q), stuck(Q), not exposed(Q).\n");
            self.clauses.push_str(&clause);
        } else {
            self.line(format_args!("aims_stalemate({aim}, {side})."));
        }
    }

    fn line_goal(&mut self, aim: usize, length: i32, of: &Description, on: Option<&Area>) {
        self.described("aims_at", &aim.to_string(), of);
        let squares = match on {
            Some(area) => self.game.area_squares(std::slice::from_ref(area)),
            None => self.game.places().into_iter().collect(),
        };
        self.seen(
            squares,
            |square| format!("aims_square({aim}, {square})."),
            |square| {
                format!("fills(black, {aim}, {square}) :- {}.", stands_for_black(aim, &square))
            },
        );
        // A line that is longer than the board is never there.
        if length <= self.game.board.width.max(self.game.board.height) {
            self.line(format_args!("aims_line({aim}, {length})."));
        }
    }

    /// The goals that are to be reached at once; `all` inside `all` says no more.
    fn parts(&mut self, aim: usize, goals: &[Goal]) {
        for goal in goals {
            if let Goal::All(inner) = goal {
                self.parts(aim, inner);
            } else {
                let part = self.goal(goal);
                self.line(format_args!("part({aim}, {part})."));
            }
        }
    }

    /// Is a line a goal, or part of one?
    pub(super) fn has_lines(&self) -> bool {
        self.game.goals.iter().any(is_line)
    }

    /// Must pieces of the kind with that quoted name be protected?
    fn is_protected(&self, name: &str) -> bool {
        let protect = &self.game.constraints.protect;
        protect
            .iter()
            .any(|one| self.all_described(&one.who).iter().any(|(_, other)| other == name))
    }

    /// What is too little to win, all lists of the game.
    pub(super) fn piles(&self) -> impl Iterator<Item = &Material> {
        let lists = self.game.draws.iter().filter_map(|draw| match draw {
            Draw::Material(lists) => Some(lists),
            _ => None,
        });
        lists.flatten()
    }

    /// How many of each kind may be left in a position without enough to win.
    pub(super) fn scarcity(&mut self) {
        let piles: Vec<Material> = self.piles().cloned().collect();
        let kinds = self.named(&Names::Any { except: vec![] });
        for (number, pile) in piles.iter().enumerate() {
            let number = number + 1;
            self.line(format_args!("scarcity({number})."));
            for kind in kinds.iter().filter(|kind| !self.is_protected(kind)).collect::<Vec<_>>() {
                let count = pile.names.iter().filter(|name| quoted(&name.text) == *kind).count();
                if pile.is_alike && count > 0 {
                    self.line(format_args!("tints({number}, {kind})."));
                } else {
                    self.line(format_args!("spare({number}, {kind}, {count})."));
                }
            }
        }
        let faces: Vec<String> = self.game.draws.iter().filter_map(facing).collect();
        for name in &faces {
            self.line(format_args!("faces({name})."));
        }
        if !faces.is_empty() {
            self.line(format_args!("upright((0, 1)).\nupright((0, -1))."));
        }
    }

    /// Endings that must not last, and what each side has in them.
    pub(super) fn endings(&mut self) {
        let endings: Vec<Ending<'_>> = endings(self.game).collect();
        if endings.is_empty() {
            return;
        }
        let armies = endings.iter().flat_map(|(sides, _)| sides);
        let n_armies: usize = armies.map(|(_, armies)| armies.len()).sum();
        self.line(format_args!("sort ending = 1..{}.\nsort army = 1..{n_armies}.", endings.len()));
        self.text.push_str(ENDINGS);
        let kinds = self.named(&Names::Any { except: vec![] });
        let kinds: Vec<String> =
            kinds.into_iter().filter(|kind| !self.is_protected(kind)).collect();
        let mut army = 0;
        for (number, (sides, on)) in (1..).zip(endings) {
            let on = on.map(|area| self.game.area_squares(std::slice::from_ref(area)));
            let squares = on
                .iter()
                .flat_map(|on| self.game.places().into_iter().filter(|one| !on.contains(one)));
            self.seen(
                squares.collect::<Vec<_>>(),
                |square| format!("off({number}, {square})."),
                |square| format!("strays({number}, black) :- at({square}) = piece(_, black)."),
            );
            for (side, names) in
                sides.iter().flat_map(|(side, all)| all.iter().map(move |one| (side, one)))
            {
                army += 1;
                self.line(format_args!("{side}({number}, {army})."));
                let counts = kinds.iter().map(|kind| {
                    let n = names.iter().filter(|name| quoted(&name.text) == *kind).count();
                    format!("count {{ X : at(X) = piece({kind}, P) }} = {n}")
                });
                let body: Vec<String> =
                    [String::from("role(P)")].into_iter().chain(counts).collect();
                self.line(format_args!("numbers(P, {army}) :- {}.", body.join(", ")));
            }
        }
    }

    /// Which of several capturing turns are allowed, the most important preference first.
    pub(super) fn preferences(&mut self) {
        let maximal = self.game.constraints.must_capture.iter().flat_map(|must| &must.maximal);
        for one in maximal {
            match one {
                Maximal::Count => self.line(format_args!("prefer max(count {{ X : taken(X) }}).")),
                Maximal::Victims(name) => self.line(format_args!(
                    "prefer max(count {{ X, P : taken(X), at(X) = piece({}, P) }}).",
                    quoted(&name.text)
                )),
                Maximal::By(name) => self.line(format_args!(
                    "prefer max(count {{ S, P : chain = S, at(S) = piece({}, P) }}).",
                    quoted(&name.text)
                )),
                Maximal::First(name) => {
                    self.line(format_args!("prefer max(0 - waited({})).", quoted(&name.text)));
                }
            }
        }
    }

    /// What ends a contest without a winner.
    pub(super) fn draws(&mut self) {
        let game = self.game;
        let (mut has_draws, mut n_endings) = (!game.repetitions.is_empty(), 0);
        for draw in &game.draws {
            has_draws = true;
            match draw {
                Draw::Quiet { turns, resets, counts } => {
                    let event = self.quiet_event(draw, resets);
                    let counts = self.counts(counts);
                    self.line(format_args!("draw :- since({event}, {turns}){counts}."));
                }
                Draw::Turns(turns) => {
                    self.line(format_args!("never :- leaves_now(P, S), S \\= S, role(P)."));
                    self.line(format_args!("draw :- since(never, {turns})."));
                }
                Draw::Passes(number) => {
                    self.line(format_args!("gives_up.\ngives_up_after({number})."));
                }
                Draw::Ending { turns, .. } => {
                    n_endings += 1;
                    self.line(format_args!("other_{n_endings} :- not lasts({n_endings})."));
                    self.line(format_args!("draw :- since(other_{n_endings}, {turns})."));
                }
                Draw::Material(_) => self.line(format_args!("draw :- scarce.")),
                Draw::Stalemate | Draw::Facing(_) => {}
            }
        }
        if !has_draws {
            // The release ends every contest after 200 turns.
            self.line(format_args!("never :- leaves_now(P, S), S \\= S, role(P)."));
            self.line(format_args!("draw :- since(never, 200)."));
        }
    }

    /// Conditions that ask for so many pieces, of both sides.
    fn counts(&mut self, counts: &[(Description, Comparison)]) -> String {
        let mut text = String::new();
        for (of, comparison) in counts {
            let aim = self.goal(&Goal::Count(of.clone(), *comparison));
            let condition = format!(", met(white, {aim}), met(black, {aim})");
            text.push_str(&condition);
        }
        text
    }

    /// What sets the count of a `quiet` rule back, stated once for all rules that have it in common: `progress` for the first one, which is
    /// what the clock of a position counts from.
    fn quiet_event(&mut self, draw: &Draw, resets: &Resets) -> String {
        let quiet = self.game.draws.iter().filter(|one| matches!(one, Draw::Quiet { .. }));
        let number = quiet.clone().position(|one| is_quiet_alike(one, draw)).unwrap_or(0);
        let is_new = quiet.clone().nth(number).is_some_and(|one| std::ptr::eq(one, draw));
        let is_first = number == 0;
        let event =
            if is_first { "progress".to_owned() } else { format!("progress_{}", number + 1) };
        if is_new {
            self.reset_event(&event, is_first, resets);
        }
        event
    }

    /// The first event has clauses of its own in the general theory, which ask for facts.
    fn reset_event(&mut self, event: &str, is_first: bool, resets: &Resets) {
        if resets.on_capture && is_first {
            self.line(format_args!("resets(capture)."));
        } else if resets.on_capture {
            self.line(format_args!("{event} :- captures_now(_, _, _, _)."));
        }
        if resets.on_promotion {
            // A movement that makes another piece of what moves is made in the same words.
            let is_ripe = "at(S) = piece(K, P), ripe(P, K, S, T), option(P, K, N)";
            self.line(format_args!("{event} :- role(P), P does promote(S, T, N), {is_ripe}."));
            self.line(format_args!("{event} :- role(P), P does take_promote(_, _, _, _)."));
            // Who decides may leave the piece what it is.
            let is_another = "crowning = S, at(S) \\= N";
            self.line(format_args!("{event} :- role(P), P does crown(N), {is_another}."));
        }
        for name in &resets.on_turns_of {
            let kind = quoted(&name.text);
            if is_first {
                self.line(format_args!("resets_type({kind})."));
            } else {
                self.line(format_args!("{event} :- leaves_now(_, S), at(S) = piece({kind}, _)."));
            }
        }
        if !is_first && *resets == Resets::default() {
            self.line(format_args!("{event} :- leaves_now(P, S), S \\= S, role(P)."));
        }
    }

    /// What a repetition means: who loses, and a draw where nobody does.
    pub(super) fn forfeits(&mut self) {
        let repetitions = self.game.repetitions.clone();
        let has_losses = repetitions.iter().any(|one| one.verdict != RepetitionVerdict::Draw);
        let chaser = self.first_repetition(RepetitionVerdict::LossForChaser);
        let over = if chaser.is_some() { OVER } else { "" };
        if chaser.is_some() {
            self.line(format_args!("tracks."));
        }
        for repetition in &repetitions {
            let repeated = format!("repeated({}{over})", repetition.times);
            match repetition.verdict {
                RepetitionVerdict::Draw if has_losses => {
                    self.line(format_args!("draw :- {repeated}, not forfeits(_)."));
                }
                RepetitionVerdict::Draw => self.line(format_args!("draw :- {repeated}.")),
                RepetitionVerdict::LossForChecker => self.perpetual_check(&repeated, over),
                RepetitionVerdict::LossForChaser => self.perpetual_chase(&repeated, over),
                RepetitionVerdict::LossForMover => {
                    self.line(format_args!("forfeits(P) :- {repeated}, turn = Q, opponent(P, Q)."));
                }
                RepetitionVerdict::LossFor(side) => {
                    let role = if side == Side::Player { "white" } else { "black" };
                    self.line(format_args!("forfeits({role}) :- {repeated}."));
                }
            }
        }
        if has_losses {
            self.line(format_args!("won(P) :- opponent(P, Q), forfeits(Q)."));
        }
    }

    /// Who gave check with every turn loses.
    fn perpetual_check(&mut self, repeated: &str, over: &str) {
        for (one, other) in BOTH {
            self.line(format_args!(
                "forfeits({one}) :- {repeated}, cycle({one}, exposed({other}){over})."
            ));
        }
    }

    /// Who chased something with every turn loses; but where the text names checkers first, nobody does while one of them loses.
    fn perpetual_chase(&mut self, repeated: &str, over: &str) {
        let checker = self.first_repetition(RepetitionVerdict::LossForChecker);
        let is_second = checker < self.first_repetition(RepetitionVerdict::LossForChaser);
        let mut unless = String::new();
        for (one, other) in BOTH.iter().filter(|_| checker.is_some() && is_second) {
            let text = format!(", not cycle({one}, exposed({other}){over})");
            unless.push_str(&text);
        }
        for (one, _) in BOTH {
            self.line(format_args!(
                "forfeits({one}) :- {repeated}, cycle({one}, chases({one}){over}){unless}."
            ));
        }
    }

    fn first_repetition(&self, verdict: RepetitionVerdict) -> Option<usize> {
        self.game.repetitions.iter().position(|one| one.verdict == verdict)
    }
}

/// Each role and the other one.
const BOTH: [(&str, &str); 2] = [("white", "black"), ("black", "white")];

/// What makes states the same where the last step is kept: all fluents but those that tell it.
const OVER: &str = ", over [at, turn, hand, fresh, trail, trailing, chain, taken, crowning, checked, waited, passed, eyed, standoff, arrayed]";

/// What each of two sides may have, and where the second one has it.
type Ending<'g> = ([(&'static str, &'g [Vec<Name>]); 2], Option<&'g Area>);

fn endings(game: &SclGame) -> impl Iterator<Item = Ending<'_>> {
    game.draws.iter().filter_map(|draw| match draw {
        Draw::Ending { stronger, weaker, on, .. } => {
            Some(([("leads", &stronger[..]), ("follows", &weaker[..])], on.as_ref()))
        }
        _ => None,
    })
}

/// A piece that counts for a goal of the second side stands on that square of the board.
fn stands_for_black(aim: usize, square: &str) -> String {
    format!("aims_at({aim}, E, K), whose(black, E, Q), at({square}) = piece(K, Q)")
}

/// Do two `quiet` rules count from the same events?
fn is_quiet_alike(one: &Draw, other: &Draw) -> bool {
    let events = |draw: &Draw| match draw {
        Draw::Quiet { resets, .. } => {
            let names = resets.on_turns_of.iter().map(|name| name.text.clone());
            let names: BTreeSet<String> = names.collect();
            Some((resets.on_capture, resets.on_promotion, names))
        }
        _ => None,
    };
    events(one) == events(other)
}

/// Does a goal speak of checkmate?
fn is_mate(goal: &Goal) -> bool {
    match goal {
        Goal::Checkmate(_) => true,
        Goal::All(goals) => goals.iter().any(is_mate),
        Goal::Answered(goal) | Goal::Evened(goal) => is_mate(goal),
        _ => false,
    }
}

fn is_line(goal: &Goal) -> bool {
    match goal {
        Goal::Line { .. } => true,
        Goal::All(goals) => goals.iter().any(is_line),
        Goal::Answered(goal) | Goal::Evened(goal) => is_line(goal),
        _ => false,
    }
}

/// The quoted name of pieces that may not face each other.
fn facing(draw: &Draw) -> Option<String> {
    match draw {
        Draw::Facing(name) => Some(quoted(&name.text)),
        _ => None,
    }
}
