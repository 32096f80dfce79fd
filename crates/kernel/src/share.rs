//! Sharing registers: what is never needed at the same time gets the same register.
//!
//! In: a kernel whose author took a new register for everything. Out: the same kernel with as few registers
//! as its blocks allow. A register belongs to the innermost block that has all its uses; if the first of
//! them writes it, it is free before that and after the last. Making code is faster the fewer registers
//! meet where ways meet. Invariant: the kernel does what it did.

use std::collections::BTreeMap;

use crate::kernel::{Kernel, Plane, Scalar, Set, Statement, Word};

/// A register of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Register {
    Scalar(u16),
    Plane(u16),
}

/// Where a statement is: blocks by their numbers from the outermost, each with the place of a statement in it.
type Path = Vec<(usize, usize)>;

/// What is known about a register.
#[derive(Clone, Debug)]
struct Use {
    /// The way to the first use in the block that has all uses, and the places of the first and the last.
    block: Path,
    first: usize,
    last: usize,
    /// Does the first statement in that block write it before anything reads it?
    is_written_first: bool,
    /// Is it the number of a loop, which writes nothing if there is none?
    is_of_loop: bool,
}

impl Use {
    fn may_be_shared(&self) -> bool {
        self.is_written_first && (!self.is_of_loop || self.first == self.last)
    }
}

/// Shares registers among what is never needed at the same time.
#[must_use]
pub fn share_registers(mut kernel: Kernel) -> Kernel {
    let mut uses = Uses::default();
    uses.block(&mut kernel.body, &mut Vec::new());
    let mut sharing = Sharing::new(&kernel, uses.found);
    sharing.block(&mut kernel.body);
    kernel.n_scalars = sharing.n_scalars;
    kernel.plane_widths = sharing.plane_widths;
    kernel
}

/// All uses found so far.
#[derive(Debug, Default)]
struct Uses {
    found: BTreeMap<Register, Use>,
    n_blocks: usize,
}

impl Uses {
    /// Finds uses; the statements stay as they are.
    fn block(&mut self, statements: &mut [Statement], path: &mut Path) {
        let number = self.n_blocks;
        self.n_blocks += 1;
        for (place, statement) in statements.iter_mut().enumerate() {
            path.push((number, place));
            each_read(statement, &mut |register| self.add(register.number(), path, false));
            let mut written = None;
            each_write(statement, &mut |register| written = Some(register.number()));
            if let Some(register) = written {
                let is_new = !self.found.contains_key(&register);
                self.add(register, path, true);
                let is_of_loop = is_new && matches!(statement, Statement::ForEach(..));
                if let Some(own) = self.found.get_mut(&register) {
                    own.is_of_loop |= is_of_loop;
                }
            }
            for block in blocks_mut(statement) {
                self.block(block, path);
            }
            path.pop();
        }
    }

    fn add(&mut self, register: Register, path: &Path, is_written: bool) {
        let Some(known) = self.found.get_mut(&register) else {
            let first = path.last().map_or(0, |(_, place)| *place);
            let (block, is_written_first) = (path.clone(), is_written);
            let own = Use { block, first, last: first, is_written_first, is_of_loop: false };
            self.found.insert(register, own);
            return;
        };
        let common = known.block.iter().zip(path).take_while(|(one, other)| one.0 == other.0);
        let common = common.count();
        let (_, first) = known.block.get(common - 1).copied().unwrap_or((0, 0));
        if common < known.block.len() {
            // The first use lies deeper: nobody knows whether the write there happens at all.
            known.block.truncate(common);
            known.first = first;
            known.is_written_first = false;
        }
        known.last = path[common - 1].1;
    }
}

/// Registers under way from old numbers to new ones.
struct Sharing {
    uses: BTreeMap<Register, Use>,
    /// By block, the registers that belong to it alone.
    local: BTreeMap<usize, Vec<Register>>,
    now: BTreeMap<Register, u16>,
    old_widths: Vec<u16>,
    n_scalars: u16,
    plane_widths: Vec<u16>,
    free_scalars: Vec<u16>,
    free_planes: BTreeMap<u16, Vec<u16>>,
    n_blocks: usize,
}

impl Sharing {
    fn new(kernel: &Kernel, uses: BTreeMap<Register, Use>) -> Self {
        let mut sharing = Self {
            local: BTreeMap::new(),
            uses,
            now: BTreeMap::new(),
            old_widths: kernel.plane_widths.clone(),
            n_scalars: kernel.n_params,
            plane_widths: Vec::new(),
            free_scalars: Vec::new(),
            free_planes: BTreeMap::new(),
            n_blocks: 0,
        };
        for param in 0..kernel.n_params {
            sharing.now.insert(Register::Scalar(param), param);
        }
        // What may be read before it is written keeps a register of its own.
        let uses: Vec<(Register, bool, usize)> = sharing
            .uses
            .iter()
            .map(|(register, own)| {
                let block = own.block.last().map_or(0, |(block, _)| *block);
                (*register, own.may_be_shared(), block)
            })
            .collect();
        for (register, may_be_shared, block) in uses {
            if may_be_shared {
                sharing.local.entry(block).or_default().push(register);
            } else {
                sharing.take(register);
            }
        }
        sharing
    }

    /// Gives a register a new number, one that is free if there is one.
    fn take(&mut self, register: Register) {
        if self.now.contains_key(&register) {
            return;
        }
        let number = match register {
            Register::Scalar(_) => self.free_scalars.pop().unwrap_or_else(|| {
                self.n_scalars += 1;
                self.n_scalars - 1
            }),
            Register::Plane(plane) => {
                let width = self.old_widths[usize::from(plane)];
                let free = self.free_planes.entry(width).or_default().pop();
                free.unwrap_or_else(|| {
                    self.plane_widths.push(width);
                    u16::try_from(self.plane_widths.len() - 1).unwrap_or(u16::MAX)
                })
            }
        };
        self.now.insert(register, number);
    }

    fn give_back(&mut self, register: Register) {
        let Some(number) = self.now.remove(&register) else { return };
        match register {
            Register::Scalar(_) => self.free_scalars.push(number),
            Register::Plane(plane) => {
                let width = self.old_widths[usize::from(plane)];
                self.free_planes.entry(width).or_default().push(number);
            }
        }
    }

    fn block(&mut self, statements: &mut [Statement]) {
        let number = self.n_blocks;
        self.n_blocks += 1;
        let mut starts: BTreeMap<usize, Vec<Register>> = BTreeMap::new();
        let mut ends: BTreeMap<usize, Vec<Register>> = BTreeMap::new();
        for register in self.local.remove(&number).unwrap_or_default() {
            let own = &self.uses[&register];
            starts.entry(own.first).or_default().push(register);
            ends.entry(own.last).or_default().push(register);
        }
        for (place, statement) in statements.iter_mut().enumerate() {
            for register in starts.remove(&place).unwrap_or_default() {
                self.take(register);
            }
            let now = &self.now;
            let mut rename = |register: Used<'_>| register.rename(now);
            each_read(statement, &mut rename);
            let mut rename = |register: Used<'_>| register.rename(now);
            each_write(statement, &mut rename);
            for block in blocks_mut(statement) {
                self.block(block);
            }
            for register in ends.remove(&place).unwrap_or_default() {
                self.give_back(register);
            }
        }
    }
}

/// A register where it stands.
pub(crate) enum Used<'u> {
    Scalar(&'u mut Scalar),
    Plane(&'u mut Plane),
}

impl Used<'_> {
    pub(crate) fn number(&self) -> Register {
        match self {
            Self::Scalar(scalar) => Register::Scalar(scalar.0),
            Self::Plane(plane) => Register::Plane(plane.0),
        }
    }

    fn rename(self, now: &BTreeMap<Register, u16>) {
        let new = now.get(&self.number()).copied();
        match (self, new) {
            (Self::Scalar(scalar), Some(new)) => scalar.0 = new,
            (Self::Plane(plane), Some(new)) => plane.0 = new,
            (_, None) => {}
        }
    }
}

/// The blocks of a statement, in the order in which they are numbered.
pub(crate) fn blocks_mut(statement: &mut Statement) -> Vec<&mut Vec<Statement>> {
    match statement {
        Statement::If(_, yes, no) => vec![yes, no],
        Statement::ForEach(_, _, body) | Statement::Repeat(body) => vec![body],
        _ => Vec::new(),
    }
}

/// What a statement itself writes.
fn each_write(statement: &mut Statement, visit: &mut dyn FnMut(Used<'_>)) {
    match statement {
        Statement::Let(scalar, _)
        | Statement::Draw(scalar, _)
        | Statement::Run(scalar, ..)
        | Statement::ForEach(scalar, ..) => visit(Used::Scalar(scalar)),
        Statement::LetSet(plane, _) => visit(Used::Plane(plane)),
        _ => {}
    }
}

/// What a statement itself reads.
pub(crate) fn each_read(statement: &mut Statement, visit: &mut dyn FnMut(Used<'_>)) {
    match statement {
        Statement::Let(_, word)
        | Statement::Store(_, word)
        | Statement::If(word, ..)
        | Statement::Draw(_, word)
        | Statement::Seed(word)
        | Statement::Return(word) => in_word(word, visit),
        Statement::LetSet(_, set) | Statement::StoreSet(_, set) | Statement::ForEach(_, set, _) => {
            in_set(set, visit);
        }
        Statement::StoreAt(_, row, word) => {
            in_word(row, visit);
            in_word(word, visit);
        }
        Statement::StoreSetAt(_, row, set) => {
            in_word(row, visit);
            in_set(set, visit);
        }
        Statement::Emit(words) | Statement::Run(_, _, words) => {
            for word in words {
                in_word(word, visit);
            }
        }
        Statement::Repeat(_) | Statement::Leave | Statement::Full => {}
    }
}

fn in_word(word: &mut Word, visit: &mut dyn FnMut(Used<'_>)) {
    match word {
        Word::Constant(_) | Word::State(_) => {}
        Word::Scalar(scalar) => visit(Used::Scalar(scalar)),
        Word::At(_, row) | Word::Look(_, row) | Word::Zeros(_, row) => in_word(row, visit),
        Word::Compute(_, left, right) | Word::Compare(_, left, right) => {
            in_word(left, visit);
            in_word(right, visit);
        }
        Word::Count(set) | Word::Any(set) => in_set(set, visit),
        Word::Has(set, word) | Word::Nth(set, word) => {
            in_set(set, visit);
            in_word(word, visit);
        }
    }
}

fn in_set(set: &mut Set, visit: &mut dyn FnMut(Used<'_>)) {
    match set {
        Set::Mask(_) | Set::State { .. } => {}
        Set::Plane(plane) => visit(Used::Plane(plane)),
        Set::At(_, word) | Set::Row(_, word) | Set::Single(_, word) => in_word(word, visit),
        Set::Nth(set, word) => {
            in_set(set, visit);
            in_word(word, visit);
        }
        Set::And(left, right)
        | Set::Or(left, right)
        | Set::Without(left, right)
        | Set::Xor(left, right) => {
            in_set(left, visit);
            in_set(right, visit);
        }
        Set::Shift(set, _) | Set::Resize(set, _) | Set::UpTo(_, set) => in_set(set, visit),
    }
}
