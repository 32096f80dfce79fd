//! Ctrl-C: asks the work in hand to stop; a second time ends the program at once.
//!
//! In: the signal. Out: a raised [`Stop`], and a word to whoever waits for input. Invariant: after the
//! first Ctrl-C the command ends by itself, with files whole and the right exit code.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rulesmith_game::Error;
use rulesmith_player::Stop;

use crate::exit::Exit;

type Listener = Box<dyn Fn() + Send>;

/// The interrupts of this process.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    /// Raised by the first Ctrl-C, and by the limit `time`.
    pub(crate) stop: Stop,
    listener: Arc<Mutex<Option<Listener>>>,
}

impl Interrupt {
    /// Watches for Ctrl-C from now on. Where that is impossible the system's own way stays.
    pub(crate) fn install() -> Self {
        let interrupt = Self::default();
        let raised = interrupt.clone();
        let is_second = AtomicBool::new(false);
        let handler = move || {
            if is_second.swap(true, Ordering::Relaxed) {
                leave_at_once();
            }
            raised.stop.interrupt();
            let listener = raised.listener.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(listener) = listener.as_ref() {
                listener();
            }
        };
        let _ = ctrlc::set_handler(handler);
        interrupt
    }

    /// Also calls this at Ctrl-C.
    pub(crate) fn listen(&self, listener: impl Fn() + Send + 'static) {
        let mut place = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(Box::new(listener));
    }

    /// Breaks once a stop was raised.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.stop.check().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Tells a Ctrl-C from the limit `time`, where work was broken off by [`Interrupt::flow`].
    pub(crate) fn explain(&self, error: Error) -> Error {
        match (error, self.stop.check()) {
            (Error::Interrupted, Err(stopped)) => rulesmith_player::stop_error(&stopped),
            (error, _) => error,
        }
    }
}

#[expect(
    clippy::exit,
    reason = "the second Ctrl-C ends a program that does not react to the first"
)]
fn leave_at_once() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}
