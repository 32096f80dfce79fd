//! Lines typed by a person, read so that nothing they hold can do harm.
//!
//! In: bytes of stdin, and Ctrl-C. Out: one event after another. Invariant: memory is bounded however
//! long a line is and however fast lines come.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::interrupt::Interrupt;

/// What a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Typed a line.
    Line(String),
    /// Typed a line longer than [`MAX_LINE`].
    TooLong,
    /// Typed something that is not UTF-8.
    NotText,
    /// Closed the input.
    End,
    /// Pressed Ctrl-C, or the time is over.
    Stop,
}

/// No move is longer than this, in bytes.
const MAX_LINE: usize = 4096;

/// Lines that may wait.
const MAX_WAITING: usize = 16;

/// How often the limit `time` is looked at while nobody types.
const STOP_INTERVAL: Duration = Duration::from_millis(200);

/// Reads stdin on a thread of its own, so that Ctrl-C is seen while nobody types. Nothing is read
/// before the first question.
pub(crate) struct Inputs {
    interrupt: Interrupt,
    receiver: Option<Receiver<Input>>,
}

impl Inputs {
    /// The lines of stdin, and these interrupts.
    pub(crate) fn new(interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), receiver: None }
    }

    /// Was Ctrl-C pressed, or is the time over?
    pub(crate) fn is_stopped(&self) -> bool {
        self.interrupt.flow().is_break()
    }

    /// Waits for the next event.
    pub(crate) fn wait(&mut self) -> Input {
        let receiver = self.receiver.get_or_insert_with(|| read_stdin(&self.interrupt));
        loop {
            if self.interrupt.flow().is_break() {
                return Input::Stop;
            }
            match receiver.recv_timeout(STOP_INTERVAL) {
                Ok(input) => return input,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Input::End,
            }
        }
    }
}

fn read_stdin(interrupt: &Interrupt) -> Receiver<Input> {
    let (sender, receiver) = sync_channel(MAX_WAITING);
    let stop = sender.clone();
    // A full channel is no loss: `wait` looks at the raised stop first.
    interrupt.listen(move || drop(stop.try_send(Input::Stop)));
    std::thread::spawn(move || send_lines(&mut std::io::stdin().lock(), &sender));
    receiver
}

fn send_lines(source: &mut dyn BufRead, sender: &SyncSender<Input>) {
    loop {
        let input = read_line(source);
        let is_end = input == Input::End;
        if sender.send(input).is_err() || is_end {
            return;
        }
    }
}

/// One line, without its end.
fn read_line(source: &mut dyn BufRead) -> Input {
    let mut line = Vec::new();
    let mut is_long = false;
    loop {
        let Ok(buffer) = source.fill_buf() else { return Input::End };
        if buffer.is_empty() {
            return if line.is_empty() && !is_long { Input::End } else { finish(line, is_long) };
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        is_long |= line.len() + part.len() > MAX_LINE;
        if !is_long {
            line.extend_from_slice(part);
        }
        let n_used = end.map_or(buffer.len(), |at| at + 1);
        source.consume(n_used);
        if end.is_some() {
            return finish(line, is_long);
        }
    }
}

fn finish(line: Vec<u8>, is_long: bool) -> Input {
    if is_long {
        return Input::TooLong;
    }
    String::from_utf8(line).map_or(Input::NotText, Input::Line)
}

#[cfg(test)]
mod tests {
    use super::{Input, MAX_LINE, read_line};
    use std::io::BufReader;

    fn check(bytes: &[u8], expected: &[Input]) {
        // A tiny buffer makes lines arrive in parts.
        let mut source = BufReader::with_capacity(3, bytes);
        let inputs: Vec<_> = (0..expected.len()).map(|_| read_line(&mut source)).collect();
        assert_eq!(inputs, expected);
        assert_eq!(read_line(&mut source), Input::End);
    }

    #[test]
    fn any_bytes_are_read_as_lines() {
        let line = |text: &str| Input::Line(text.to_owned());
        check(b"", &[]);
        check(b"one\n\ntwo", &[line("one"), line(""), line("two")]);
        check(b"\xff\xfe\nok\n", &[Input::NotText, line("ok")]);
        let mut long = vec![b'x'; MAX_LINE + 1];
        long.extend_from_slice(b"\nok\n");
        check(&long, &[Input::TooLong, line("ok")]);
        check(&vec![b'x'; 10 * MAX_LINE], &[Input::TooLong]);
    }
}
