//! A workshop: code of modules that belong together, made by several threads, some of it before all modules are written.
//!
//! In: modules, in the order in which they are written; each has the routines and tables of those before it, and perhaps
//! more. Out: the code of each routine and kernel, for whoever puts modules together. Invariant: who made a function, and
//! when, does not show in its code; a function whose code cannot be made is left to whoever asks for it.

use std::collections::VecDeque;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::compiler::{Compiler, Function, Tables};
use super::{CodeOptions, Native, n_operations};
use crate::kernel::{Kernel, Module};
use crate::verify::{Shape, Verified, verify};

/// Makes the code of modules by all threads that [`work`](Self::work) in it.
#[derive(Default)]
pub struct Workshop {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What nobody has looked at yet.
    inbox: VecDeque<Module>,
    /// How many modules are being looked at.
    n_looked_at: usize,
    orders: Vec<Order>,
    /// The first order that nobody has taken.
    next: usize,
    /// Will no more modules come?
    is_closed: bool,
}

/// A module with its tables where code reads them.
struct Stock {
    verified: Verified,
    tables: Tables,
}

/// A function to be made.
#[derive(Clone)]
struct Order {
    stock: Arc<Stock>,
    place: Place,
    /// Its code, once it is there.
    made: Option<Arc<Function>>,
}

/// Which function of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Routine(usize),
    Kernel(usize),
}

impl Stock {
    fn new(verified: Verified) -> Self {
        let tables = Compiler::tables(&verified);
        Self { verified, tables }
    }
}

impl Place {
    /// The function at this place of a module.
    fn of(self, verified: &Verified) -> Option<(&Kernel, &Shape)> {
        let module = verified.module();
        match self {
            Self::Routine(number) => {
                module.routines.get(number).zip(verified.routines().get(number))
            }
            Self::Kernel(number) => module.kernels.get(number).zip(verified.shapes().get(number)),
        }
    }
}

/// The functions of a module that code is made of.
fn places(module: &Module) -> impl Iterator<Item = Place> {
    let routines = Compiler::wanted(module).into_iter().map(Place::Routine);
    routines.chain((0..module.kernels.len()).map(Place::Kernel))
}

impl Workshop {
    /// Orders the code of a module, which is verified by whoever makes it.
    pub fn order(&self, module: Module) {
        self.lock().inbox.push_back(module);
        self.changed.notify_all();
    }

    /// Orders the code of a module that is verified.
    pub fn order_verified(&self, module: &Verified) {
        while self.look_in() {}
        if places(module.module()).any(|place| !self.is_ordered(place, module)) {
            self.take_in(module.clone());
        }
    }

    /// No more modules will come: who works here leaves when all is done.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Nobody wants the code any more.
    pub fn abandon(&self) {
        let mut state = self.lock();
        let next = state.next;
        state.orders.truncate(next);
        state.inbox.clear();
        drop(state);
        self.close();
    }

    /// Makes what is ordered until the workshop is closed and nothing is left to be begun.
    pub fn work(&self) {
        while let Some((mut number, first)) = self.next(None) {
            let stock = first.stock;
            let mut place = first.place;
            let Ok(mut compiler) =
                Compiler::new(&stock.verified, stock.tables.clone(), CodeOptions::default())
            else {
                continue;
            };
            loop {
                let made = place
                    .of(&stock.verified)
                    .and_then(|(kernel, shape)| compiler.function(place, kernel, shape).ok());
                self.lock().orders[number].made = made.map(Arc::new);
                let Some((next, order)) = self.next(Some(&stock)) else { break };
                (number, place) = (next, order.place);
            }
        }
    }

    /// The code of a function, with the tables that it reads, if it was made here.
    pub(super) fn find(&self, place: Place, kernel: &Kernel) -> Option<(Arc<Function>, Tables)> {
        let state = self.lock();
        let is_it = |order: &&Order| order.is_of(place, kernel);
        let order = state.orders.iter().filter(|order| order.made.is_some()).find(is_it)?;
        Some((order.made.clone()?, order.stock.tables.clone()))
    }

    /// The next order, and its number; of one module nothing where others come first. Waits for modules, unless one is
    /// given.
    fn next(&self, of: Option<&Arc<Stock>>) -> Option<(usize, Order)> {
        let mut state = self.lock();
        loop {
            if !state.inbox.is_empty() {
                drop(state);
                self.look_in();
                state = self.lock();
                continue;
            }
            if let Some(order) = state.orders.get(state.next).cloned() {
                if of.is_some_and(|stock| !Arc::ptr_eq(stock, &order.stock)) {
                    return None;
                }
                state.next += 1;
                return Some((state.next - 1, order));
            }
            if of.is_some() || (state.is_closed && state.n_looked_at == 0) {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks at a module that nobody has looked at yet; false if there is none.
    fn look_in(&self) -> bool {
        let mut state = self.lock();
        let Some(module) = state.inbox.pop_front() else { return false };
        state.n_looked_at += 1;
        drop(state);
        if let Ok(verified) = verify(module) {
            self.take_in(verified);
        }
        self.lock().n_looked_at -= 1;
        self.changed.notify_all();
        true
    }

    fn is_ordered(&self, place: Place, module: &Verified) -> bool {
        let kernel = place.of(module).map(|(kernel, _)| kernel);
        kernel.is_some_and(|own| self.lock().orders.iter().any(|order| order.is_of(place, own)))
    }

    /// Orders what is not ordered yet, what takes longest first.
    fn take_in(&self, verified: Verified) {
        if Native::fits(&verified).is_err() {
            return;
        }
        let stock = Arc::new(Stock::new(verified));
        let mut state = self.lock();
        let mut orders: Vec<(u64, Order)> = Vec::new();
        for place in places(stock.verified.module()) {
            let Some((kernel, shape)) = place.of(&stock.verified) else { continue };
            if !state.orders.iter().any(|order| order.is_of(place, kernel)) {
                let order = Order { stock: stock.clone(), place, made: None };
                orders.push((n_operations(shape), order));
            }
        }
        orders.sort_by_key(|(n_operations, _)| std::cmp::Reverse(*n_operations));
        state.orders.extend(orders.into_iter().map(|(_, order)| order));
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Order {
    /// Is it for this very function?
    fn is_of(&self, place: Place, kernel: &Kernel) -> bool {
        self.place == place && place.of(&self.stock.verified).is_some_and(|(own, _)| own == kernel)
    }
}

impl Debug for Workshop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workshop")
            .field("n_orders", &self.lock().orders.len())
            .finish_non_exhaustive()
    }
}
