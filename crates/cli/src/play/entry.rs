//! What a typed line means: a move, the number of a move, or one of a few commands.
//!
//! Invariant: a line that is exactly a legal move is that move; `:` before a command and `#` before a
//! number say that they are meant.

/// A line typed at the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry<'l> {
    /// Nothing.
    Empty,
    /// The move of this number, from one.
    Number(usize),
    /// A move in words.
    Move(&'l str),
    /// Any move.
    Random,
    /// Back to the last choice.
    Undo,
    /// List the legal moves.
    Moves,
    /// Show what the program thinks of the moves.
    Hint,
    /// Draw the board.
    Board,
    /// Print the state as text.
    Position,
    /// Print what holds in the state.
    Facts,
    /// Save the contest.
    Save(&'l str),
    /// Give up.
    Resign,
    /// Leave.
    Quit,
    /// Explain the commands.
    Help,
}

/// What `help` prints.
pub(super) const HELP: &str = "What can be typed:
  a move, or its number    make the move
  random                   make any move
  undo                     go back to your last choice
  moves                    list the legal moves
  hint                     show how your moves do in random contests
  board                    draw the board
  position                 print the state as text, for --position
  facts                    print what holds in the state
  save FILE                save the contest; `rulesmith play --load FILE` continues it
  resign                   give up
  quit                     leave
A line that is exactly a legal move is that move. `:undo` is always the command, `#3` always a number.";

impl<'l> Entry<'l> {
    /// Reads a line, given which texts are legal moves.
    pub(super) fn read(line: &'l str, is_legal: impl Fn(&str) -> bool) -> Self {
        let line = line.trim();
        if line.is_empty() {
            return Self::Empty;
        }
        if is_legal(line) {
            return Self::Move(line);
        }
        let number = line.strip_prefix('#').unwrap_or(line);
        if let Ok(number) = number.parse() {
            return Self::Number(number);
        }
        Self::command(line.strip_prefix(':').unwrap_or(line)).unwrap_or(Self::Move(line))
    }

    fn command(line: &'l str) -> Option<Self> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (word, rest) = (word.to_lowercase(), rest.trim());
        let entry = match word.as_str() {
            "save" => return Some(Self::Save(rest)),
            "random" => Self::Random,
            "undo" => Self::Undo,
            "moves" => Self::Moves,
            "hint" => Self::Hint,
            "board" => Self::Board,
            "position" => Self::Position,
            "facts" => Self::Facts,
            "resign" => Self::Resign,
            "quit" | "exit" => Self::Quit,
            "help" | "?" => Self::Help,
            _ => return None,
        };
        rest.is_empty().then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::Entry;

    #[test]
    fn lines_mean_moves_numbers_or_commands() {
        let read = |line| Entry::read(line, |text| ["undo", "7", "a b"].contains(&text));
        assert_eq!(read("  "), Entry::Empty);
        assert_eq!(read(" a b\r"), Entry::Move("a b"));
        assert_eq!(read("undo"), Entry::Move("undo"), "a legal move wins");
        assert_eq!(read(":undo"), Entry::Undo);
        assert_eq!(read("7"), Entry::Move("7"), "a legal move wins");
        assert_eq!(read("#7"), Entry::Number(7));
        assert_eq!(read("8"), Entry::Number(8));
        assert_eq!(read("99999999999999999999999"), Entry::Move("99999999999999999999999"));
        assert_eq!(read("QUIT"), Entry::Quit);
        assert_eq!(read("save my file"), Entry::Save("my file"));
        assert_eq!(read("hint"), Entry::Hint);
        assert_eq!(read("save"), Entry::Save(""));
        assert_eq!(read("help me"), Entry::Move("help me"));
    }
}
