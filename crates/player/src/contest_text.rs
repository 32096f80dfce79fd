//! The text of contests: reading and writing the file that `docs/contests.md` describes.
//!
//! In: text. Out: a [`Contest`], or the line and column of the first fault. Invariant: what is written
//! reads back as the same contest, whatever characters roles, moves and positions hold.

use std::fmt::Write as _;
use std::str::FromStr;

use rulesmith_game::Ending;

use crate::contest::{Conclusion, Contest, ContestError, Place, PlayedMove, Turn};

/// The version of the format that this program writes and reads.
const VERSION: &str = "1";

impl Contest {
    /// Reads a contest.
    pub fn parse(text: &str) -> Result<Self, ContestError> {
        let mut contest = Self::default();
        let mut last = Place { line: 1, column: 1 };
        let mut is_started = false;
        for (number, line) in text.lines().enumerate() {
            let mut line = Line { number: number + 1, text: line, at: 0 };
            line.skip_spaces();
            if line.rest().is_empty() || line.rest().starts_with('#') {
                continue;
            }
            last = line.place();
            if let Some((_, place)) = &contest.result {
                let message = format!("nothing may follow the result in line {}", place.line);
                return Err(line.error(message));
            }
            match is_started {
                false => read_version(&mut line)?,
                true if line.rest().starts_with(|c: char| c.is_ascii_digit()) => {
                    let turn = read_turn(&mut line, contest.turns.len() + 1)?;
                    contest.turns.push(turn);
                }
                true => read_header(&mut line, &mut contest)?,
            }
            is_started = true;
        }
        match (is_started, contest.game.is_empty()) {
            (false, _) => Err(ContestError::new(last, "the file is empty, not a contest")),
            (true, true) => Err(ContestError::new(last, "the line `game NAME` is missing")),
            (true, false) => Ok(contest),
        }
    }

    /// The contest as text.
    pub fn to_text(&self) -> String {
        let mut text = format!("contest {VERSION}\ngame {}\n", to_end(&self.game));
        let mut line = |words: std::fmt::Arguments<'_>| {
            writeln!(text, "{words}").expect("writing to a string cannot fail");
        };
        for (name, value) in &self.settings {
            line(format_args!("set {} = {value}", word(name)));
        }
        for (name, file) in &self.data {
            line(format_args!("data {} = {}", word(name), to_end(file)));
        }
        if let Some((position, _)) = &self.position {
            line(format_args!("position {}", to_end(position)));
        }
        if let Some(seed) = self.seed {
            line(format_args!("seed {seed}"));
        }
        for (role, player) in &self.players {
            line(format_args!("player {} = {}", word(role), to_end(player)));
        }
        line(format_args!(""));
        for (number, turn) in self.turns.iter().enumerate() {
            let moves = turn
                .moves
                .iter()
                .map(|played| format!("{} {}", word(&played.role), to_end(&played.text)));
            line(format_args!("{}. {}", number + 1, moves.collect::<Vec<_>>().join("; ")));
        }
        if let Some((result, _)) = &self.result {
            line(format_args!("\nresult {}", result_text(result)));
        }
        text
    }
}

/// What stands after `result`.
pub(crate) fn result_text(result: &Conclusion) -> String {
    match result {
        Conclusion::Unfinished => "unfinished".to_owned(),
        Conclusion::Resigned(role) => format!("resigned: {}", word(role)),
        Conclusion::Over(ending, goals) => {
            let goals = goals.iter().map(|(role, goal)| {
                format!(
                    "{} {}",
                    word(role),
                    goal.map_or("none".to_owned(), |goal| goal.to_string())
                )
            });
            format!("{}: {}", ending_word(*ending), goals.collect::<Vec<_>>().join(", "))
        }
    }
}

fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Terminal => "terminal",
        Ending::Draw => "draw",
        Ending::Stuck => "stuck",
    }
}

fn read_version(line: &mut Line<'_>) -> Result<(), ContestError> {
    let place = line.place();
    if line.word()? != "contest" {
        return Err(ContestError::new(place, "a contest file starts with the line `contest 1`"));
    }
    let place = line.place();
    let version = line.word()?;
    if version != VERSION {
        let message = format!("version `{version}` of the format is not known, only {VERSION} is");
        return Err(ContestError::new(place, message));
    }
    line.end()
}

fn read_header(line: &mut Line<'_>, contest: &mut Contest) -> Result<(), ContestError> {
    let place = line.place();
    let keyword = line.word()?;
    if keyword != "result" && !contest.turns.is_empty() {
        return Err(ContestError::new(
            place,
            format!("`{keyword}` must stand before the first turn"),
        ));
    }
    let is_again = match keyword.as_str() {
        "game" => !contest.game.is_empty(),
        "position" => contest.position.is_some(),
        "seed" => contest.seed.is_some(),
        _ => false,
    };
    if is_again {
        return Err(ContestError::new(place, format!("`{keyword}` stands here a second time")));
    }
    match keyword.as_str() {
        "game" => contest.game = line.remainder()?.0,
        "set" => contest.settings.push((line.word_equals()?, line.number("a whole number")?)),
        "data" => contest.data.push((line.word_equals()?, line.remainder()?.0)),
        "position" => contest.position = Some(line.remainder()?),
        "seed" => contest.seed = Some(line.number("a seed, which is a whole number from zero")?),
        "player" => contest.players.push((line.word_equals()?, line.remainder()?.0)),
        "result" => contest.result = Some((read_result(line)?, place)),
        _ => {
            let known =
                "game, set, data, position, seed, player, a turn such as `1. white d2-d3`, result";
            let message = format!("`{keyword}` is not known here; a line starts with {known}");
            return Err(ContestError::new(place, message));
        }
    }
    line.end()
}

fn read_turn(line: &mut Line<'_>, number: usize) -> Result<Turn, ContestError> {
    let place = line.place();
    let digits = line.take_while(|c| c.is_ascii_digit());
    if digits.parse() != Ok(number) {
        return Err(ContestError::new(
            place,
            format!("the turn is numbered {digits}, not {number}"),
        ));
    }
    line.expect(".")?;
    let mut turn = Turn { moves: Vec::new(), place };
    loop {
        line.skip_spaces();
        let role_place = line.place();
        let role = line.word()?;
        let (text, text_place) = line.text(&[';'])?;
        turn.moves.push(PlayedMove { role, text, role_place, text_place });
        if line.rest().is_empty() {
            return Ok(turn);
        }
        line.expect(";")?;
    }
}

fn read_result(line: &mut Line<'_>) -> Result<Conclusion, ContestError> {
    let place = line.place();
    let kind = line.word()?;
    if kind == "unfinished" {
        return Ok(Conclusion::Unfinished);
    }
    let endings = [Ending::Terminal, Ending::Draw, Ending::Stuck];
    let ending = endings.into_iter().find(|ending| ending_word(*ending) == kind);
    if ending.is_none() && kind != "resigned" {
        let known = "unfinished, resigned, terminal, draw, stuck";
        return Err(ContestError::new(place, format!("`{kind}` is no result; there is {known}")));
    }
    line.expect(":")?;
    let Some(ending) = ending else { return Ok(Conclusion::Resigned(line.word()?)) };
    let mut goals = Vec::new();
    loop {
        let role = line.word()?;
        let goal = if line.rest().starts_with("none") {
            line.expect("none")?;
            None
        } else {
            Some(line.number("a goal value from 0 to 100, or `none`")?)
        };
        goals.push((role, goal));
        if line.rest().is_empty() {
            return Ok(Conclusion::Over(ending, goals));
        }
        line.expect(",")?;
    }
}

/// A name as one word, in quotes where it would not be one.
fn word(name: &str) -> String {
    let is_word = !name.is_empty() && name.chars().all(is_word_character);
    if is_word { name.to_owned() } else { quoted(name) }
}

/// A text that runs to the end of the line or to a semicolon, in quotes where it would not.
fn to_end(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text.trim() == text
        && !text.starts_with('"')
        && !text.contains(|c: char| c == ';' || c.is_control());
    if is_plain { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn is_word_character(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"\";:,=#".contains(c)
}

/// The rest of a line being read.
struct Line<'t> {
    number: usize,
    text: &'t str,
    at: usize,
}

impl<'t> Line<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn place(&self) -> Place {
        Place { line: self.number, column: self.text[..self.at].chars().count() + 1 }
    }

    fn error(&self, message: impl Into<String>) -> ContestError {
        ContestError::new(self.place(), message)
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn skip_spaces(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn expect(&mut self, sign: &str) -> Result<(), ContestError> {
        if !self.rest().starts_with(sign) {
            return Err(self.error(format!("`{sign}` is missing here")));
        }
        self.at += sign.len();
        self.skip_spaces();
        Ok(())
    }

    fn end(&self) -> Result<(), ContestError> {
        if self.rest().is_empty() { Ok(()) } else { Err(self.error("the line should end here")) }
    }

    /// A word, quoted or not, and the spaces after it.
    fn word(&mut self) -> Result<String, ContestError> {
        let found = if self.rest().starts_with('"') {
            self.quoted()?
        } else {
            self.take_while(is_word_character).to_owned()
        };
        if found.is_empty() {
            return Err(self.error("a name is missing here"));
        }
        self.skip_spaces();
        Ok(found)
    }

    /// `NAME =`.
    fn word_equals(&mut self) -> Result<String, ContestError> {
        let found = self.word()?;
        self.expect("=")?;
        Ok(found)
    }

    fn number<N: FromStr>(&mut self, what: &str) -> Result<N, ContestError> {
        let place = self.place();
        let digits = self.take_while(|c| c.is_ascii_digit() || c == '-');
        let number =
            digits.parse().map_err(|_| ContestError::new(place, format!("this should be {what}")));
        self.skip_spaces();
        number
    }

    /// Text to the end of the line.
    fn remainder(&mut self) -> Result<(String, Place), ContestError> {
        self.text(&[])
    }

    /// Text to one of the stops or the end of the line, quoted or not, and the spaces after it.
    fn text(&mut self, stops: &[char]) -> Result<(String, Place), ContestError> {
        let place = self.place();
        if self.rest().starts_with('"') {
            let text = self.quoted()?;
            self.skip_spaces();
            return Ok((text, place));
        }
        let text = self.take_while(|c| !stops.contains(&c)).trim();
        if text.is_empty() {
            return Err(ContestError::new(place, "a text is missing here"));
        }
        Ok((text.to_owned(), place))
    }

    fn quoted(&mut self) -> Result<String, ContestError> {
        let start = self.place();
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => {
                        self.at += at;
                        return Err(self.error("after `\\` comes `n`, `r`, `\"` or `\\`"));
                    }
                },
                c => text.push(c),
            }
        }
        Err(ContestError::new(start, "the closing quote is missing"))
    }
}
