//! The assembler: procedures to verified bytecode.
//!
//! In: procedures with their trees, and how every other predicate is answered. Out: a [`Program`] in
//! which each condition is resolved: the relation, or the procedure that uses most of what is known.
//! Paper: metameta §4. Invariant: all code of a program is verified; nothing is looked up by name while
//! it runs.

use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use rulesmith_logic::PredicateId;
use rustc_hash::FxHashMap;

use crate::bytecode::Code;
use crate::error::Error;
use crate::relation::{MAX_ARITY, Mask};
use crate::tree::Procedure;
use crate::universe::Universe;
use crate::write::{Context, Reading, Task, write};

/// How a predicate is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Its facts are in the memory.
    Stored {
        /// How many arguments it has.
        arity: usize,
        /// Are they in the static layer?
        is_static: bool,
    },
    /// Procedures of the program answer it.
    Called,
    /// The host answers it.
    Outside,
}

/// The number of the next program; it tells tables apart and is seen nowhere.
static SERIAL: AtomicU32 = AtomicU32::new(0);

/// Procedures ready to run.
#[derive(Debug)]
pub struct Program {
    pub(crate) universe: Rc<Universe>,
    /// Tells the tables of different programs apart.
    pub(crate) serial: u32,
    /// All code; that of a passage stands before the code that uses it.
    pub(crate) codes: Vec<Code>,
    pub(crate) procedures: Vec<Entry>,
    by_predicate: FxHashMap<PredicateId, Vec<u32>>,
}

/// A procedure of a program.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) arity: usize,
    pub(crate) known: Mask,
    /// The place of its code.
    pub(crate) code: u32,
    /// The codes of the passages inside it.
    pub(crate) inner: Vec<u32>,
    /// How many nodes its tree has.
    pub(crate) n_nodes: u32,
    /// Does it depend on static relations alone?
    pub(crate) is_static: bool,
    /// The procedures of the same predicate that know less, and so answer more at once.
    pub(crate) wider: Vec<u32>,
}

impl Program {
    /// Makes bytecode of procedures. `answered` says how a predicate is answered; a predicate it does
    /// not know is an error where it is asked.
    pub fn assemble(
        universe: &Rc<Universe>,
        procedures: &[Procedure],
        answered: &dyn Fn(PredicateId) -> Option<Answered>,
    ) -> Result<Self, Error> {
        let mut by_predicate: FxHashMap<PredicateId, Vec<u32>> = FxHashMap::default();
        let mut signatures = Vec::new();
        for (place, procedure) in (0..).zip(procedures) {
            let arity = procedure.known.len();
            let known = Mask::new(procedure.known.iter().copied());
            if arity > MAX_ARITY || procedure.tree.inputs.len() != known.n_known() {
                return Err(Error::Arity { predicate: procedure.predicate });
            }
            by_predicate.entry(procedure.predicate).or_default().push(place);
            signatures.push((arity, known));
        }
        let counts: Vec<(usize, usize)> = signatures
            .iter()
            .map(|(arity, known)| (known.n_known(), arity - known.n_known()))
            .collect();
        let find = |predicate, bound| find(&by_predicate, &signatures, predicate, bound);
        let context = Context { universe, procedures: &counts, find: &find, answered };
        let mut codes = Vec::new();
        let mut entries = Vec::new();
        let mut readings: Vec<Reading> = Vec::new();
        for (procedure, (arity, known)) in procedures.iter().zip(&signatures) {
            let first = codes.len();
            let task = Task {
                inputs: &procedure.tree.inputs,
                n_registers: procedure.tree.n_registers,
                roots: &procedure.tree.roots,
                arity: *arity,
                known: *known,
            };
            let (reading, n_nodes) = write(context, task, &mut codes)?;
            readings.push(reading);
            let code = to_place(codes.len() - 1)?;
            let inner = (to_place(first)?..code).collect();
            let (arity, known, is_static) = (*arity, *known, true);
            let same = by_predicate.get(&procedure.predicate).map_or(&[][..], Vec::as_slice);
            let is_wider = |place: &&u32| {
                let (columns, less) = signatures[**place as usize];
                columns == arity && less != known && less.0 & !known.0 == 0
            };
            let wider = same.iter().filter(is_wider).copied().collect();
            entries.push(Entry { arity, known, code, inner, n_nodes, is_static, wider });
        }
        settle(&mut entries, &readings);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let universe = Rc::clone(universe);
        Ok(Self { universe, serial, codes, procedures: entries, by_predicate })
    }

    /// The procedure that uses most of what is known.
    pub(crate) fn find(&self, predicate: PredicateId, bound: Mask) -> Option<u32> {
        let places = self.by_predicate.get(&predicate)?;
        best(places, bound, |place| self.procedures[place as usize].known)
    }

    /// How many instructions all its code has.
    pub fn n_instructions(&self) -> usize {
        self.codes.iter().map(|code| code.instructions.len()).sum()
    }
}

fn find(
    by_predicate: &FxHashMap<PredicateId, Vec<u32>>,
    signatures: &[(usize, Mask)],
    predicate: PredicateId,
    (arity, bound): (usize, Mask),
) -> Result<(u32, Mask), Error> {
    let no_way = Error::NoWay { predicate, known: bound };
    let places = by_predicate.get(&predicate).ok_or_else(|| no_way.clone())?;
    let found = best(places, bound, |place| signatures[place as usize].1).ok_or(no_way)?;
    match signatures[found as usize] {
        (columns, known) if columns == arity => Ok((found, known)),
        _ => Err(Error::Arity { predicate }),
    }
}

/// The first of those with the most known arguments, all of which are bound.
fn best(places: &[u32], bound: Mask, known: impl Fn(u32) -> Mask) -> Option<u32> {
    let fits = |place: &&u32| known(**place).0 & !bound.0 == 0;
    places.iter().rev().filter(fits).max_by_key(|place| known(**place).n_known()).copied()
}

/// A procedure is static when it reads static relations alone and calls static procedures alone.
fn settle(entries: &mut [Entry], readings: &[Reading]) {
    let mut askers: Vec<Vec<usize>> = vec![Vec::new(); entries.len()];
    let mut changing = Vec::new();
    for (place, reading) in readings.iter().enumerate() {
        for called in &reading.calls {
            askers[*called as usize].push(place);
        }
        if reading.reads_state {
            changing.push(place);
        }
    }
    while let Some(place) = changing.pop() {
        if std::mem::replace(&mut entries[place].is_static, false) {
            changing.extend(&askers[place]);
        }
    }
}

fn to_place(place: usize) -> Result<u32, Error> {
    u32::try_from(place).map_err(|_| Error::TooLarge { what: "procedures" })
}
