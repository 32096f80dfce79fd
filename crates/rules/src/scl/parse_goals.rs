//! Goals, draws, repetitions and constraints.
//!
//! In: tokens behind the section's word. Out: their syntax trees.

use rulesmith_logic::Span;

use super::ast::{
    Comparison, Constraints, ContinueCaptures, Description, Draw, Goal, Material, Maximal,
    MustCapture, Name, Protect, Protected, Repetition, RepetitionVerdict, Resets, Side,
};
use super::cursor::{Parsed, Parser};
use super::lex::Token;
use super::words::{SECTIONS, is_reserved, near};
use super::{MAX_BOARD, MAX_COUNT, MAX_TURNS};
use crate::source::Diagnostic;

const GOALS: &[&str] =
    &["stalemate", "eradicate", "arrive", "checkmate", "checks", "line", "count", "fewer", "all"];

const DRAWS: &[&str] = &["stalemate", "quiet", "material", "ending", "turns", "facing", "passes"];

const CONSTRAINTS: &[&str] = &[
    "must_capture",
    "continue_captures",
    "protect",
    "no_check",
    "no_dead_end",
    "pass",
    "must_drop",
    "no_flight",
];

impl Parser<'_> {
    /// The goals up to the next section, each with its place.
    pub(super) fn goals(&mut self) -> Vec<(Goal, Span)> {
        let mut goals = vec![];
        while self.is_at_phrase(GOALS) || self.is_at_stray_word() {
            let start = self.position;
            match self.timed_goal() {
                Ok(goal) => goals.push((goal, self.span_from(start))),
                Err(_) => self.skip_to_phrase(start, GOALS),
            }
        }
        goals
    }

    /// Is something next that can only belong to this section: no word that starts another?
    fn is_at_phrase(&self, words: &[&'static str]) -> bool {
        let Some(word) = self.word() else { return false };
        if is_reserved(word) {
            return false;
        }
        near_or_same(word, words).is_some() || near_or_same(word, SECTIONS).is_none()
    }

    /// Is a word next that neither belongs to this section nor starts another?
    fn is_at_stray_word(&self) -> bool {
        self.word().is_some_and(|word| is_reserved(word) && !self.is_boundary_word(word))
    }

    /// Moves to the next phrase of the section, or to its end.
    fn skip_to_phrase(&mut self, start: usize, words: &[&'static str]) {
        let behind = self.position.max(start + 1);
        let mut depth = 0_usize;
        self.position = start;
        while let Some(token) = self.token() {
            let is_phrase = |word: &str| words.iter().any(|known| word.eq_ignore_ascii_case(known));
            let is_start =
                |word: &str| depth == 0 && is_phrase(word) || self.is_boundary_word(word);
            if self.position >= behind && self.word().is_some_and(is_start) {
                return;
            }
            match token {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.position += 1;
        }
    }

    /// A goal, and whether the other side has a turn left.
    fn timed_goal(&mut self) -> Parsed<Goal> {
        let goal = self.goal()?;
        if self.eat_word("ANSWERED") {
            return Ok(Goal::Answered(Box::new(goal)));
        }
        Ok(if self.eat_word("EVENED") { Goal::Evened(Box::new(goal)) } else { goal })
    }

    fn goal(&mut self) -> Parsed<Goal> {
        let Some(word) = self.choose_phrase(GOALS) else { return self.unknown("a goal", GOALS) };
        Ok(match word {
            "stalemate" => Goal::Stalemate(self.side_of(word)?),
            "eradicate" => Goal::Eradicate(self.description()?),
            "arrive" => self.arrive()?,
            "checkmate" => Goal::Checkmate(self.side_of(word)?),
            "checks" => {
                let side = self.side_of(word)?;
                Goal::Checks(side, self.number("a number of checks", 1..=MAX_COUNT)?)
            }
            "line" => {
                let length = self.number("the length of a line", 2..=MAX_BOARD)?;
                let of = self.description()?;
                let on = if self.eat_word("ON") { Some(self.area()?.0) } else { None };
                Goal::Line { length, of, on }
            }
            "count" => {
                let of = self.description()?;
                Goal::Count(of, self.count_comparison()?)
            }
            "fewer" => {
                let fewer = self.description()?;
                self.expect_word("THAN")?;
                Goal::Fewer(fewer, self.description()?)
            }
            _ => self.all_of()?,
        })
    }

    /// The side of a goal whose word was just read.
    fn side_of(&mut self, goal: &str) -> Parsed<Side> {
        let is_missing = self.word().is_none_or(|word| self.is_boundary_word(word));
        if !is_missing {
            return self.side();
        }
        let place = self.place(self.position.saturating_sub(1));
        let message = format!("`{goal}` does not say whose");
        let problem = Diagnostic::error("syntax", place, message);
        let help = format!("write `{goal} opponent` or `{goal} player`");
        self.fail(problem.label("`player` or `opponent` missing behind it").help(help))
    }

    fn arrive(&mut self) -> Parsed<Goal> {
        let who = self.description()?;
        self.expect_word("AT")?;
        let (at, _) = self.area()?;
        let is_safe = self.eat_word("SAFE");
        Ok(Goal::Arrive { who, at, is_safe })
    }

    /// `all { goal goal .. }`.
    fn all_of(&mut self) -> Parsed<Goal> {
        let place = self.place(self.position.saturating_sub(1));
        if self.nesting == 0 {
            let problem = Diagnostic::error("limit", place, "goals are nested too deep");
            return self.fail(problem.label("too deep").help("`all` inside `all` says no more"));
        }
        self.nesting -= 1;
        let goals = self.braces("goals", Self::goal);
        self.nesting += 1;
        let goals = goals?;
        if goals.is_empty() { self.empty(place, "goal") } else { Ok(Goal::All(goals)) }
    }

    /// A word of the section, or what looks like one.
    pub(super) fn choose_phrase(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let found = self.word().filter(|word| !is_reserved(word))?;
        let meant = near_or_same(found, words)?;
        if found.eq_ignore_ascii_case(meant) {
            self.position += 1;
        } else {
            self.misspelled(meant);
        }
        Some(meant)
    }

    /// What ends a contest without a winner: one or more.
    pub(super) fn draws(&mut self) -> Parsed<Vec<(Draw, Span)>> {
        let mut draws = vec![];
        loop {
            let start = self.position;
            let draw = self.draw()?;
            draws.push((draw, self.span_from(start)));
            if !self.is_at_phrase(DRAWS) {
                return Ok(draws);
            }
        }
    }

    fn draw(&mut self) -> Parsed<Draw> {
        let Some(word) = self.choose_phrase(DRAWS) else { return self.unknown("a draw", DRAWS) };
        Ok(match word {
            "stalemate" => Draw::Stalemate,
            "quiet" => self.quiet()?,
            "material" => {
                let place = self.place(self.position.saturating_sub(1));
                let lists = self.braces("lists of names like `{knight}`", Self::material)?;
                if lists.is_empty() {
                    return self.empty(place, "list of names");
                }
                Draw::Material(lists)
            }
            "ending" => self.ending()?,
            "turns" => Draw::Turns(self.number("a number of turns", 1..=MAX_TURNS)?),
            "passes" => Draw::Passes(self.number("a number of turns", 1..=MAX_COUNT)?),
            _ => Draw::Facing(self.name("the name of a piece")?),
        })
    }

    /// `{knight}` or `{bishop ALIKE}`.
    fn material(&mut self) -> Parsed<Material> {
        let mut is_alike = false;
        let names = self.braces("names", |parser| {
            let is_word = parser.eat_word("ALIKE");
            is_alike |= is_word;
            if is_word { Ok(None) } else { parser.name("the name of a piece").map(Some) }
        })?;
        Ok(Material { names: names.into_iter().flatten().collect(), is_alike })
    }

    /// `ending 10 {{king king} {king man}} AGAINST {{king}} ON {a1 b2}`.
    fn ending(&mut self) -> Parsed<Draw> {
        let turns = self.number("a number of turns", 1..=MAX_TURNS)?;
        let stronger = self.armies()?;
        self.expect_word("AGAINST")?;
        let weaker = self.armies()?;
        let on = if self.eat_word("ON") { Some(self.area()?.0) } else { None };
        Ok(Draw::Ending { turns, stronger, weaker, on })
    }

    /// `{{king king} {king man}}`: what a side may have, one list or more.
    fn armies(&mut self) -> Parsed<Vec<Vec<Name>>> {
        let place = self.place(self.position);
        let name = |parser: &mut Self| parser.name("the name of a piece");
        let army = |parser: &mut Self| parser.braces("names", name);
        let armies = self.braces("lists of names like `{king king}`", army)?;
        if armies.is_empty() { self.empty(place, "list of names") } else { Ok(armies) }
    }

    /// `quiet 100 RESET {capture promotion pawn} WITH {count [{player} {king}] [X >= 1]}`.
    fn quiet(&mut self) -> Parsed<Draw> {
        let turns = self.number("a number of turns", 1..=MAX_TURNS)?;
        self.expect_word("RESET")?;
        let mut resets = Resets::default();
        let names = self.braces("`capture`, `promotion` or names of pieces", |parser| {
            if parser.eat_word("capture") {
                resets.on_capture = true;
            } else if parser.eat_word("promotion") {
                resets.on_promotion = true;
            } else {
                return parser.name("the name of a piece").map(Some);
            }
            Ok(None)
        })?;
        resets.on_turns_of = names.into_iter().flatten().collect();
        let counts = if self.eat_word("WITH") { self.counts()? } else { vec![] };
        Ok(Draw::Quiet { turns, resets, counts })
    }

    /// `{count [{player} {king}] [X >= 1]}`.
    fn counts(&mut self) -> Parsed<Vec<(Description, Comparison)>> {
        let place = self.place(self.position);
        let counts = self.braces("counts like `count [any_player {king}] [X <= 2]`", |parser| {
            parser.expect_word("count")?;
            let of = parser.description()?;
            Ok((of, parser.count_comparison()?))
        })?;
        if counts.is_empty() { self.empty(place, "count") } else { Ok(counts) }
    }

    /// `3 draw` or `3 loss_for checker`.
    pub(super) fn repetition(&mut self) -> Parsed<Repetition> {
        let times = self.number("how often a state occurs", 2..=MAX_COUNT)?;
        if self.choose("`draw` or `loss_for`", &["draw", "loss_for"])? == "draw" {
            return Ok(Repetition { times, verdict: RepetitionVerdict::Draw });
        }
        let whose = &["checker", "chaser", "mover", "player", "opponent"];
        let what = "`checker`, `chaser`, `mover`, `player` or `opponent`";
        let verdict = match self.choose(what, whose)? {
            "checker" => RepetitionVerdict::LossForChecker,
            "chaser" => RepetitionVerdict::LossForChaser,
            "mover" => RepetitionVerdict::LossForMover,
            "player" => RepetitionVerdict::LossFor(Side::Player),
            _ => RepetitionVerdict::LossFor(Side::Opponent),
        };
        Ok(Repetition { times, verdict })
    }

    /// The constraints up to the next section.
    pub(super) fn constraints(&mut self, is_game: bool) -> Parsed<Constraints> {
        let mut constraints = Constraints::default();
        let (mut seen, mut is_empty) = (vec![], true);
        while self.is_at_phrase(CONSTRAINTS) {
            let place = self.place(self.position);
            let Some(word) = self.choose_phrase(CONSTRAINTS) else {
                return self.unknown("a constraint", CONSTRAINTS);
            };
            self.constraint(word, &mut constraints)?;
            if is_game && word == "no_flight" {
                let message = "`no_flight` holds for one piece, not for the whole game";
                let problem = Diagnostic::error("misplaced", place, message);
                let help = "put `CONSTRAINTS no_flight` into the `DEFINE` of the piece";
                self.report(problem.label("not here").help(help));
            } else if !is_game
                && !matches!(word, "must_capture" | "continue_captures" | "no_flight")
            {
                let message = format!("`{word}` holds for the whole game, not for one piece");
                let problem = Diagnostic::error("misplaced", place, message);
                let help = format!("put `CONSTRAINTS {word}` before the first `DEFINE`");
                self.report(problem.label("not here").help(help));
            } else if word != "protect" && seen.contains(&word) {
                let problem =
                    Diagnostic::error("duplicate", place, format!("`{word}` stands here twice"));
                self.report(problem.label("again").help("leave one of them out"));
            } else if word != "protect" {
                seen.push(word);
            }
            is_empty = false;
        }
        // A section may hold nothing; what stands next starts another one.
        if is_empty && (self.word().is_none() || self.is_at_stray_word()) {
            return self.unknown("a constraint", CONSTRAINTS);
        }
        Ok(constraints)
    }

    fn constraint(&mut self, word: &str, constraints: &mut Constraints) -> Parsed<()> {
        match word {
            "must_capture" => constraints.must_capture = Some(self.must_capture()?),
            "continue_captures" => {
                let (deferred, onward) = (self.eat_word("deferred"), self.eat_word("onward"));
                constraints.continue_captures = Some(ContinueCaptures { deferred, onward });
            }
            "protect" => {
                let who = self.description()?;
                let which = if self.eat_word("last") {
                    Protected::Last
                } else if self.eat_word("together") {
                    Protected::Together
                } else {
                    Protected::Each
                };
                constraints.protect.push(Protect { who, which });
            }
            "no_check" => constraints.no_check = true,
            "no_dead_end" => constraints.no_dead_end = true,
            "must_drop" => constraints.must_drop = true,
            "no_flight" => constraints.no_flight = true,
            _ => constraints.pass = true,
        }
        Ok(())
    }

    fn must_capture(&mut self) -> Parsed<MustCapture> {
        if !self.eat_word("maximal") {
            return Ok(MustCapture::default());
        }
        let span = self.place(self.position - 1);
        if !self.is(Token::OpenBrace) {
            return Ok(MustCapture { maximal: vec![Maximal::Count], span });
        }
        let place = self.place(self.position);
        let maximal = self.braces("what is to be most", |parser| {
            let words = &["count", "victims", "by", "first"];
            Ok(match parser.choose("`count`, `victims`, `by` or `first`", words)? {
                "count" => Maximal::Count,
                "victims" => Maximal::Victims(parser.name("the name of a piece")?),
                "by" => Maximal::By(parser.name("the name of a piece")?),
                _ => Maximal::First(parser.name("the name of a piece")?),
            })
        })?;
        if maximal.is_empty() {
            self.empty(place, "count")
        } else {
            Ok(MustCapture { maximal, span })
        }
    }
}

/// The word itself, or the one that it is most like.
fn near_or_same(word: &str, words: &[&'static str]) -> Option<&'static str> {
    let same = words.iter().find(|known| word.eq_ignore_ascii_case(known)).copied();
    same.or_else(|| {
        let meant = near(word, words.iter().copied())?;
        words.iter().find(|known| **known == meant).copied()
    })
}
