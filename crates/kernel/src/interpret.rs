//! The interpreter: what kernels mean, as plainly as it can be said.
//!
//! In: a verified module, a kernel of it and what it works on. Out: its outcome. Invariant: `native`
//! leaves the same state, output, generator and fuel behind, and the same outcome.

use crate::kernel::{
    Array, Comparison, End, Kernel, KernelId, Module, Operation, Plane, Scalar, Set, Statement,
    TableId, Word,
};
use crate::run::{Call, Outcome, Stop};
use crate::verify::Verified;

/// Runs a kernel.
///
/// # Examples
///
/// ```
/// use rulesmith_kernel::{Call, Kernel, KernelId, Module, Set, Statement, Word, interpret, verify};
/// let mask = Set::Mask(vec![0b1011]);
/// let body = vec![Statement::Return(Word::Count(Box::new(mask)))];
/// let kernel = Kernel { name: "three".into(), body, ..Kernel::default() };
/// let module = verify(Module { kernels: vec![kernel], ..Module::default() }).unwrap();
/// let (mut random, mut fuel) = (0, 100);
/// let mut call = Call {
///     state: &mut [],
///     params: &[],
///     random: &mut random,
///     fuel: &mut fuel,
///     output: &mut [],
/// };
/// assert_eq!(interpret(&module, KernelId(0), &mut call).unwrap().result, 3);
/// ```
pub fn interpret(
    module: &Verified,
    kernel: KernelId,
    call: &mut Call<'_>,
) -> Result<Outcome, Stop> {
    let shape = module.shapes().get(usize::from(kernel.0)).ok_or(Stop::NoSuchKernel)?;
    call.check(shape)?;
    let module = module.module();
    run(module, &module.kernels[usize::from(kernel.0)], call)
}

/// Runs a kernel or a routine of a module that was verified.
fn run(module: &Module, kernel: &Kernel, call: &mut Call<'_>) -> Result<Outcome, Stop> {
    let mut machine = Machine::new(module, kernel, call);
    let result = match machine.body(&kernel.body)? {
        Flow::Return(result) => result,
        Flow::Next | Flow::Leave => 0,
    };
    Ok(Outcome { result, n_rows: machine.n_rows })
}

/// The next number of the generator (`SplitMix64`); `native` has the same one in its own words.
pub(crate) fn next_random(random: &mut u64) -> u64 {
    *random = random.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let bits = (*random ^ (*random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Does a `ForEach` with this body cost fuel? Only if there is another loop inside, or a routine, which may have one.
pub(crate) fn has_loop(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::If(_, then, otherwise) => has_loop(then) || has_loop(otherwise),
        Statement::ForEach(..) | Statement::Repeat(_) | Statement::Run(..) => true,
        _ => false,
    })
}

/// What comes after a statement.
enum Flow {
    Next,
    Leave,
    Return(u64),
}

/// A kernel at work.
struct Machine<'a, 'b> {
    module: &'a Module,
    call: &'a mut Call<'b>,
    scalars: Vec<u64>,
    planes: Vec<Vec<u64>>,
    /// Words of the output in use.
    n_output_words: usize,
    n_rows: usize,
}

impl<'a, 'b> Machine<'a, 'b> {
    fn new(module: &'a Module, kernel: &Kernel, call: &'a mut Call<'b>) -> Self {
        let mut scalars = vec![0; usize::from(kernel.n_scalars)];
        let n_params = usize::from(kernel.n_params);
        scalars[..n_params].copy_from_slice(&call.params[..n_params]);
        let planes = kernel.plane_widths.iter().map(|&width| vec![0; usize::from(width)]).collect();
        Self { module, call, scalars, planes, n_output_words: 0, n_rows: 0 }
    }

    fn body(&mut self, body: &[Statement]) -> Result<Flow, Stop> {
        for statement in body {
            match self.statement(statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, Stop> {
        match statement {
            Statement::Let(Scalar(scalar), value) => {
                self.scalars[usize::from(*scalar)] = self.word(value);
            }
            Statement::LetSet(Plane(plane), value) => {
                self.planes[usize::from(*plane)] = self.set(value);
            }
            Statement::Store(offset, value) => {
                self.call.state[index(*offset)] = self.word(value);
            }
            Statement::StoreSet(offset, value) => {
                let words = self.set(value);
                self.call.state[index(*offset)..][..words.len()].copy_from_slice(&words);
            }
            Statement::StoreAt(array, row, value) => {
                let start = array_start(*array, self.word(row));
                self.call.state[start] = self.word(value);
            }
            Statement::StoreSetAt(array, row, value) => {
                let start = array_start(*array, self.word(row));
                let words = self.set(value);
                self.call.state[start..][..words.len()].copy_from_slice(&words);
            }
            Statement::If(condition, then, otherwise) => {
                let part = if self.word(condition) != 0 { then } else { otherwise };
                return self.body(part);
            }
            Statement::ForEach(scalar, set, body) => return self.for_each(*scalar, set, body),
            Statement::Repeat(body) => loop {
                self.burn()?;
                match self.body(body)? {
                    Flow::Next => {}
                    Flow::Leave => return Ok(Flow::Next),
                    Flow::Return(result) => return Ok(Flow::Return(result)),
                }
            },
            Statement::Leave => return Ok(Flow::Leave),
            Statement::Draw(Scalar(scalar), bound) => {
                let bound = self.word(bound);
                let bits = next_random(self.call.random);
                self.scalars[usize::from(*scalar)] = multiply_high(bits, bound);
            }
            Statement::Seed(word) => *self.call.random = self.word(word),
            Statement::Run(Scalar(scalar), routine, params) => {
                let routine = &self.module.routines[usize::from(routine.0)];
                let params: Vec<_> = params.iter().map(|word| self.word(word)).collect();
                let mut call = Call {
                    state: self.call.state,
                    params: &params,
                    random: self.call.random,
                    fuel: self.call.fuel,
                    output: &mut [],
                };
                self.scalars[usize::from(*scalar)] = run(self.module, routine, &mut call)?.result;
            }
            Statement::Emit(row) => self.emit(row)?,
            Statement::Full => return Err(Stop::ListFull),
            Statement::Return(value) => return Ok(Flow::Return(self.word(value))),
        }
        Ok(Flow::Next)
    }

    fn for_each(
        &mut self,
        Scalar(scalar): Scalar,
        set: &Set,
        body: &[Statement],
    ) -> Result<Flow, Stop> {
        let costs_fuel = has_loop(body);
        for number in numbers(&self.set(set)) {
            if costs_fuel {
                self.burn()?;
            }
            self.scalars[usize::from(scalar)] = number;
            match self.body(body)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// Takes one unit of fuel.
    fn burn(&mut self) -> Result<(), Stop> {
        *self.call.fuel = self.call.fuel.checked_sub(1).ok_or(Stop::OutOfFuel)?;
        Ok(())
    }

    fn emit(&mut self, row: &[Word]) -> Result<(), Stop> {
        let words: Vec<_> = row.iter().map(|word| self.word(word)).collect();
        let rest = &mut self.call.output[self.n_output_words..];
        rest.get_mut(..words.len()).ok_or(Stop::OutputFull)?.copy_from_slice(&words);
        self.n_output_words += words.len();
        self.n_rows += 1;
        Ok(())
    }

    fn set(&self, set: &Set) -> Vec<u64> {
        match set {
            Set::Mask(words) => words.clone(),
            Set::Plane(Plane(plane)) => self.planes[usize::from(*plane)].clone(),
            Set::State { offset, width } => {
                self.call.state[index(*offset)..][..usize::from(*width)].to_vec()
            }
            Set::At(array, row) => {
                let start = array_start(*array, self.word(row));
                self.call.state[start..][..usize::from(array.width)].to_vec()
            }
            Set::Row(table, row) => self.row(*table, self.word(row)).to_vec(),
            Set::Single(width, number) => single(usize::from(*width), self.word(number)),
            Set::Nth(set, rank) => {
                let words = self.set(set);
                single(words.len(), nth(&words, self.word(rank)))
            }
            Set::And(left, right) => self.join(left, right, |left, right| left & right),
            Set::Or(left, right) => self.join(left, right, |left, right| left | right),
            Set::Without(left, right) => self.join(left, right, |left, right| left & !right),
            Set::Xor(left, right) => self.join(left, right, |left, right| left ^ right),
            Set::Shift(set, by) => shift(&self.set(set), *by),
            Set::UpTo(end, set) => up_to(*end, &self.set(set)),
            Set::Resize(set, width) => {
                let mut words = self.set(set);
                words.resize(usize::from(*width), 0);
                words
            }
        }
    }

    fn join(&self, left: &Set, right: &Set, operation: impl Fn(u64, u64) -> u64) -> Vec<u64> {
        let pairs = self.set(left).into_iter().zip(self.set(right));
        pairs.map(|(left, right)| operation(left, right)).collect()
    }

    fn word(&self, word: &Word) -> u64 {
        match word {
            Word::Constant(value) => *value,
            Word::Scalar(Scalar(scalar)) => self.scalars[usize::from(*scalar)],
            Word::State(offset) => self.call.state[index(*offset)],
            Word::At(array, row) => self.call.state[array_start(*array, self.word(row))],
            Word::Look(table, row) => self.row(*table, self.word(row))[0],
            Word::Compute(operation, left, right) => {
                compute(*operation, self.word(left), self.word(right))
            }
            Word::Compare(comparison, left, right) => {
                u64::from(compare(*comparison, self.word(left), self.word(right)))
            }
            Word::Count(set) => count(&self.set(set)),
            Word::Any(set) => u64::from(self.set(set).iter().any(|&word| word != 0)),
            Word::Has(set, number) => has(&self.set(set), self.word(number)),
            Word::Nth(set, rank) => nth(&self.set(set), self.word(rank)),
            Word::Zeros(End::Low, word) => self.word(word).trailing_zeros().into(),
            Word::Zeros(End::High, word) => self.word(word).leading_zeros().into(),
        }
    }

    /// A row of a table, the last one for numbers that are too large.
    fn row(&self, table: TableId, row: u64) -> &[u64] {
        let table = &self.module.tables[usize::from(table.0)];
        let width = usize::from(table.width);
        let last = table.words.len() / width - 1;
        let row = usize::try_from(row).map_or(last, |row| row.min(last));
        &table.words[row * width..][..width]
    }
}

/// An offset into the state, which verification has found to be inside.
fn index(offset: u32) -> usize {
    usize::try_from(offset).expect("verified to be inside the state")
}

/// Where a row of an array starts, the last one for numbers that are too large.
fn array_start(array: Array, row: u64) -> usize {
    let row = row.min(u64::from(array.n_rows) - 1);
    let start = u64::from(array.offset) + row * u64::from(array.width);
    usize::try_from(start).expect("verified to be inside the state")
}

/// The numbers of a set, the lowest first.
fn numbers(words: &[u64]) -> impl Iterator<Item = u64> + use<> {
    let words = words.to_vec();
    (0..64 * words.len() as u64).filter(move |&number| has(&words, number) == 1)
}

fn has(words: &[u64], number: u64) -> u64 {
    let word = usize::try_from(number / 64).ok().and_then(|place| words.get(place));
    word.map_or(0, |word| word >> (number % 64) & 1)
}

fn count(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn single(width: usize, number: u64) -> Vec<u64> {
    let mut words = vec![0; width];
    if let Some(word) = usize::try_from(number / 64).ok().and_then(|place| words.get_mut(place)) {
        *word = 1 << (number % 64);
    }
    words
}

fn nth(words: &[u64], rank: u64) -> u64 {
    usize::try_from(rank).ok().and_then(|rank| numbers(words).nth(rank)).unwrap_or(u64::MAX)
}

fn shift(words: &[u64], by: i32) -> Vec<u64> {
    let mut shifted = vec![0; words.len()];
    for number in numbers(words) {
        if let Some(moved) = number.checked_add_signed(i64::from(by))
            && let Some(word) = shifted.get_mut(usize::try_from(moved / 64).unwrap_or(usize::MAX))
        {
            *word |= 1 << (moved % 64);
        }
    }
    shifted
}

/// All numbers from an end up to the first of these words.
fn up_to(end: End, words: &[u64]) -> Vec<u64> {
    let found = numbers(words);
    let is_reached: Box<dyn Fn(u64) -> bool> = match end {
        End::Low => {
            let first = found.min().unwrap_or(u64::MAX);
            Box::new(move |number| number <= first)
        }
        End::High => {
            let first = found.max().unwrap_or(0);
            Box::new(move |number| number >= first)
        }
    };
    let word = |place: u64| {
        let bits = (0..64).filter(|bit| is_reached(64 * place + bit));
        bits.fold(0, |word, bit| word | 1 << bit)
    };
    (0..words.len() as u64).map(word).collect()
}

/// The result of an operation.
pub(crate) fn compute(operation: Operation, left: u64, right: u64) -> u64 {
    let distance = u32::try_from(right).unwrap_or(u32::MAX);
    match operation {
        Operation::Add => left.wrapping_add(right),
        Operation::Subtract => left.wrapping_sub(right),
        Operation::Multiply => left.wrapping_mul(right),
        Operation::MultiplyHigh => multiply_high(left, right),
        Operation::Divide => left.checked_div(right).unwrap_or(u64::MAX),
        Operation::And => left & right,
        Operation::Or => left | right,
        Operation::Xor => left ^ right,
        Operation::ShiftUp => left.checked_shl(distance).unwrap_or(0),
        Operation::ShiftDown => left.checked_shr(distance).unwrap_or(0),
        Operation::Least => left.min(right),
        Operation::Most => left.max(right),
    }
}

/// Does a comparison hold?
pub(crate) fn compare(comparison: Comparison, left: u64, right: u64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
    }
}

/// The upper word of a product.
fn multiply_high(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    u64::try_from(product >> 64).expect("half of the product's bits")
}
