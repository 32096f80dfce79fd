//! The table where a contest is played: boards and prompts out, moves in.
//!
//! Invariant: the program chooses after people have, so nobody sees a move made at the same time.

use std::path::Path;

use rulesmith_game::{
    Error, JointMove, MoveStyle, Notation, Random, RoleId, read_move, styled_text,
};
use rulesmith_player::{Choice, Conclusion, Contest, Place, Seat, Session, nearest};

use crate::exit::Failure;
use crate::files;
use crate::input::{Input, Inputs};
use crate::output::{BOLD, Output, RESET, columns, counted};
use crate::play::computer::{Computer, score_lines};
use crate::play::entry::{Entry, HELP};
use crate::play::{roles_of, seat_name};
use crate::words::{self, plain};

/// More moves than this are listed only when asked for.
const MAX_LISTED: usize = 120;

/// A contest at the terminal.
pub(super) struct Table<'a, 'g, G: Notation> {
    pub(super) output: &'a mut Output,
    pub(super) session: Session<'g, G>,
    pub(super) inputs: Inputs,
    pub(super) random: Random,
    /// Who plays the program's roles.
    pub(super) computer: Computer,
    /// How many of its moves are shown with their scores.
    pub(super) n_scores: usize,
    /// How moves are written.
    pub(super) style: MoveStyle,
    /// What the contest's file says before its turns.
    pub(super) header: Contest,
    /// How the contest ended, where the rules do not say.
    pub(super) conclusion: Option<Conclusion>,
    /// Turns in a row in which no person had a choice.
    pub(super) unattended: u64,
    /// How many of those there may be.
    pub(super) max_unattended: u64,
}

/// What a person decided.
enum Answer<M> {
    Move(M),
    TakeBack,
    Leave(Conclusion),
}

impl<G: Notation> Table<'_, '_, G> {
    /// Plays to the end, or until the person leaves.
    pub(super) fn play(&mut self) -> anyhow::Result<()> {
        self.greet()?;
        let mut is_drawn = false;
        while self.session.outcome().is_none() && self.conclusion.is_none() {
            if !is_drawn && self.has_viewer() {
                self.draw()?;
            }
            is_drawn = self.turn()?;
        }
        if !is_drawn {
            self.draw()?;
        }
        let conclusion = self.result();
        self.output.line(words::result(&conclusion))
    }

    /// The contest so far, as it is saved.
    pub(super) fn contest(&self) -> Contest {
        let roles = self.session.game().roles().iter().zip(self.session.seats());
        Contest {
            players: roles
                .map(|(role, seat)| (role.clone(), seat_name(*seat).to_owned()))
                .collect(),
            turns: self.session.turns(),
            result: Some((self.result(), Place::default())),
            ..self.header.clone()
        }
    }

    fn result(&self) -> Conclusion {
        let by_rules = Conclusion::of(self.session.game().roles(), self.session.outcome());
        self.conclusion.clone().unwrap_or(by_rules)
    }

    fn greet(&mut self) -> anyhow::Result<()> {
        let humans = roles_of(&self.session, Seat::Human);
        let name = self.session.game().name();
        let mut words = format!("{BOLD}{}{RESET}.", plain(&name));
        for (who, seat) in [
            ("You play", Seat::Human),
            ("The computer plays", Seat::MonteCarlo),
            ("Chance plays", Seat::Random),
        ] {
            let roles = roles_of(&self.session, seat);
            if !roles.is_empty() {
                words = format!("{words} {who} {}.", plain(&roles));
            }
        }
        self.output.line(words)?;
        if !humans.is_empty() {
            self.output.line("Type a move or its number; `help` lists what else can be typed.")?;
        }
        Ok(())
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let picture = self.session.game().picture(self.session.state());
        self.output.line(format_args!("\n{}\n", plain(picture.trim_end())))
    }

    /// Does a person look at the board now: to choose, or because nobody else plays?
    fn has_viewer(&self) -> bool {
        self.session.is_decision() || !self.session.seats().contains(&Seat::Human)
    }

    /// One turn, or a person's wish instead of it. Tells whether the board is still as drawn.
    fn turn(&mut self) -> anyhow::Result<bool> {
        self.check_pace()?;
        let choices = self.session.choices().to_vec();
        let mut joint: JointMove<G::Move> = Vec::new();
        for (role, moves) in &choices {
            if self.session.seats()[role.0] == Seat::Human && self.session.has_choice(*role) {
                match self.ask(*role, moves)? {
                    Answer::Move(chosen) => joint.push((*role, chosen)),
                    Answer::TakeBack => return self.take_back(),
                    Answer::Leave(conclusion) => {
                        self.conclusion = Some(conclusion);
                        return Ok(true);
                    }
                }
            }
        }
        for (role, _) in &choices {
            if joint.iter().all(|(mover, _)| mover != role) {
                joint.push((*role, self.computed_move(*role)?));
            }
        }
        joint.sort_by_key(|(role, _)| *role);
        self.make(joint)
    }

    /// A move of the program, and what speaks for it.
    fn computed_move(&mut self, role: RoleId) -> anyhow::Result<G::Move> {
        let choice = self.computer.play(&self.session, role, &mut self.random)?;
        let lines = self.score_lines(role, &choice, self.n_scores);
        lines.iter().try_for_each(|line| self.output.line(line))?;
        Ok(choice.chosen)
    }

    /// Shows a person what the program would do.
    fn hint(&mut self, role: RoleId) -> anyhow::Result<()> {
        let choice = self.computer.choice(&self.session, role, &mut self.random)?;
        let lines = choice.map(|choice| self.score_lines(role, &choice, MAX_LISTED));
        match lines.unwrap_or_default().as_slice() {
            [] => self.output.line("There is nothing to choose."),
            lines => lines.iter().try_for_each(|line| self.output.line(line)),
        }
    }

    fn score_lines(&self, role: RoleId, choice: &Choice<G::Move>, n_shown: usize) -> Vec<String> {
        let (game, state) = (self.session.game(), self.session.state());
        let text = |chosen: &G::Move| styled_text(game, state, (role, chosen), self.style);
        score_lines(choice, n_shown, &text)
    }

    /// Stops turns that go on and on without a person.
    fn check_pace(&mut self) -> anyhow::Result<()> {
        self.unattended = if self.session.is_decision() { 0 } else { self.unattended + 1 };
        if self.inputs.is_stopped() {
            return Err(Error::Interrupted.into());
        }
        if self.unattended > self.max_unattended {
            return Err(Error::Limit { name: "max-steps", limit: self.max_unattended }.into());
        }
        Ok(())
    }

    /// Makes the turn and says what was played.
    fn make(&mut self, joint: JointMove<G::Move>) -> anyhow::Result<bool> {
        let game = self.session.game();
        for (role, chosen) in &joint {
            let name = &game.roles()[role.0];
            let text = styled_text(game, self.session.state(), (*role, chosen), self.style);
            self.output.line(format_args!("{} plays {}", plain(name), plain(&text)))?;
        }
        self.session.make(joint)?;
        Ok(false)
    }

    fn take_back(&mut self) -> anyhow::Result<bool> {
        let n_back = self.session.take_back()?;
        if n_back == 0 {
            self.output.line("There is nothing to take back.")?;
            return Ok(true);
        }
        self.output.line(format_args!("Took back {}.", counted(n_back, "turn")))?;
        Ok(false)
    }

    /// Asks a person for a move until there is an answer.
    fn ask(&mut self, role: RoleId, moves: &[G::Move]) -> anyhow::Result<Answer<G::Move>> {
        let game = self.session.game();
        let text = |chosen| styled_text(game, self.session.state(), (role, chosen), self.style);
        let texts: Vec<String> = moves.iter().map(text).collect();
        let name = game.roles()[role.0].clone();
        if texts.len() <= MAX_LISTED {
            self.list(&texts)?;
        } else {
            self.output.line(format_args!("{} legal moves; `moves` lists them.", texts.len()))?;
        }
        loop {
            self.output.prompt(format_args!("{BOLD}{}{RESET}> ", plain(&name)))?;
            let line = match self.inputs.wait() {
                Input::Line(line) => line,
                Input::TooLong => {
                    self.output.line("That line is too long for a move.")?;
                    continue;
                }
                Input::NotText => {
                    self.output.line("That is not UTF-8 text.")?;
                    continue;
                }
                Input::End => {
                    self.output.line("")?;
                    return Ok(Answer::Leave(Conclusion::Unfinished));
                }
                Input::Stop => {
                    self.output.line("")?;
                    return Err(Error::Interrupted.into());
                }
            };
            let entry = Entry::read(&line, |text| texts.iter().any(|legal| legal == text));
            if let Some(answer) = self.answer(role, moves, &texts, &entry)? {
                return Ok(answer);
            }
        }
    }

    /// Does what a line says; an answer ends the asking.
    fn answer(
        &mut self,
        role: RoleId,
        moves: &[G::Move],
        texts: &[String],
        entry: &Entry<'_>,
    ) -> anyhow::Result<Option<Answer<G::Move>>> {
        let game = self.session.game();
        match entry {
            Entry::Empty => {}
            Entry::Number(number) => match number.checked_sub(1).and_then(|at| moves.get(at)) {
                Some(chosen) => return Ok(Some(Answer::Move(chosen.clone()))),
                None => self
                    .output
                    .line(format_args!("The moves are numbered 1 to {}.", moves.len()))?,
            },
            Entry::Move(text) => match read_move(game, self.session.state(), role, text) {
                Ok(chosen) => return Ok(Some(Answer::Move(chosen))),
                Err(Error::Text(_)) => self.refuse(text, texts)?,
                Err(error) => return Err(error.into()),
            },
            Entry::Random => {
                return Ok(self.session.random_move(role, &mut self.random).map(Answer::Move));
            }
            Entry::Undo => return Ok(Some(Answer::TakeBack)),
            Entry::Moves => self.list(texts)?,
            Entry::Hint => self.hint(role)?,
            Entry::Board => self.draw()?,
            Entry::Position => self.output.line(plain(&game.state_text(self.session.state())))?,
            Entry::Facts => {
                for fact in game.facts(self.session.state()) {
                    self.output.line(plain(&fact))?;
                }
            }
            Entry::Save(file) => self.save(file)?,
            Entry::Help => self.output.line(HELP)?,
            Entry::Resign => {
                let name = game.roles()[role.0].clone();
                return Ok(Some(Answer::Leave(Conclusion::Resigned(name))));
            }
            Entry::Quit => return Ok(Some(Answer::Leave(Conclusion::Unfinished))),
        }
        Ok(None)
    }

    /// Lists moves with their numbers, unless the moves themselves look like numbers.
    fn list(&mut self, texts: &[String]) -> anyhow::Result<()> {
        let sign = if texts.iter().any(|text| text.parse::<usize>().is_ok()) { "#" } else { "" };
        let width = texts.len().to_string().len() + sign.len();
        let numbered = texts
            .iter()
            .enumerate()
            .map(|(at, text)| format!("{:>width$}) {}", format!("{sign}{}", at + 1), plain(text)));
        let lines = columns(&numbered.collect::<Vec<_>>(), 2);
        lines.iter().try_for_each(|line| self.output.line(line))
    }

    fn refuse(&mut self, text: &str, texts: &[String]) -> anyhow::Result<()> {
        let shown: String = text.chars().take(60).collect();
        let near = nearest(&shown, texts.iter().map(String::as_str));
        let near = near.map_or("`moves` lists the legal moves".to_owned(), |near| {
            format!("did you mean `{near}`?")
        });
        self.output.line(format_args!("`{}` is not a legal move; {}", plain(&shown), plain(&near)))
    }

    fn save(&mut self, file: &str) -> anyhow::Result<()> {
        if file.is_empty() {
            return self.output.line("Say where: `save FILE`.");
        }
        match save(&self.contest(), file) {
            Ok(()) => self.output.line(format_args!("Saved in {}.", plain(file))),
            Err(failure) => self.output.line(plain(&failure.message)),
        }
    }
}

/// Writes a contest file; a file that is something else is not overwritten.
pub(super) fn save(contest: &Contest, file: &str) -> Result<(), Failure> {
    files::replace_text(Path::new(file), &contest.to_text(), "contest ")
}
