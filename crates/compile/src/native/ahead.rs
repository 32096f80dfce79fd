//! Code that is made ahead: of what is written already, while the rest is being written.
//!
//! In: modules of a game as they are written. Out: a workshop with their code, which another thread makes meanwhile.
//! Invariant: what nobody waits for any more is not begun.

use std::sync::Arc;
use std::thread::JoinHandle;

use rulesmith_kernel::{Module, Verified, Workshop};

/// When native code of kernels is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Making {
    /// While they are written: all of it will be wanted.
    Ahead,
    /// When somebody asks for it.
    WhenAsked,
}

/// A thread that makes code.
#[derive(Debug)]
pub(crate) struct Ahead {
    workshop: Arc<Workshop>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    pub(crate) fn begin() -> Self {
        let workshop = Arc::new(Workshop::default());
        let own = workshop.clone();
        Self { workshop, thread: Some(std::thread::spawn(move || own.work())) }
    }

    /// Orders the code of what is written so far.
    pub(super) fn order(&self, module: Module) {
        self.workshop.order(module);
    }

    /// Makes the rest, with that of these modules, by two threads.
    pub(crate) fn finish<'m>(
        mut self,
        modules: impl Iterator<Item = &'m Verified>,
    ) -> Arc<Workshop> {
        for module in modules {
            self.workshop.order_verified(module);
        }
        self.workshop.close();
        self.workshop.work();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("making code does not panic");
        }
        self.workshop.clone()
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.workshop.abandon();
        }
    }
}
