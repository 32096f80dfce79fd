//! Rule kernels at work.
//!
//! In: memories packed into words, and values of the inputs. Out: conclusions, counted or as rows of
//! values. Invariant: an output that is too small is made larger, and the kernel runs again.

use std::rc::Rc;

use rulesmith_kernel::{Call, KernelId, Module, Native, Stop, verify};
use rulesmith_logic::Var;
use rulesmith_matching::{Memory, Procedure, Universe, ValueId};

use super::super::Obstacle;
use super::asked::clauses;
use super::layout::Layout;
use super::sets::{Concluded, sets};
use super::sorts::{Numbering, Slot};
use super::tuples::{packing, tuples};

/// How a rule is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulePlan {
    /// One binding at a time, in the order of the tree.
    Tuples,
    /// Bit sets wherever a variable is not concluded.
    Sets,
}

/// A rule as machine code.
#[derive(Debug)]
pub struct RuleKernels {
    native: Native,
    layout: Layout,
    universe: Rc<Universe>,
    inputs: Vec<Var>,
    n_arguments: usize,
    conclusions: Conclusions,
    texts: Vec<String>,
}

/// What kernels hand over.
#[derive(Debug)]
enum Conclusions {
    /// A row for each; the second kernel counts conditions that hold.
    Rows,
    /// Rows with planes, by clause.
    Planes(Vec<Concluded>),
}

/// A memory as the words that kernels read.
#[derive(Debug)]
pub struct PackedMemory {
    state: Vec<u64>,
    own: Vec<Numbering>,
}

/// The kernel that counts conditions that hold.
const COUNTING: KernelId = KernelId(1);

impl RuleKernels {
    /// Makes code for a rule that will be matched on memories like these.
    pub fn build(
        procedure: &Procedure,
        memories: &[&Memory],
        plan: RulePlan,
    ) -> Result<Self, Obstacle> {
        let found = clauses(&procedure.tree.roots)?;
        let mut layout = Layout::new(procedure, &found, memories)?;
        let universe =
            memories.first().map(|memory| Rc::clone(memory.universe())).unwrap_or_default();
        let mut kernels = Vec::new();
        let conclusions = match plan {
            RulePlan::Tuples => {
                for counts in [false, true] {
                    kernels.push(tuples(&mut layout, &universe, procedure, counts)?);
                }
                Conclusions::Rows
            }
            RulePlan::Sets => {
                let mut planes = Vec::new();
                for clause in &found {
                    let (kernel, concluded) = sets(&mut layout, &universe, procedure, clause)?;
                    kernels.push(kernel);
                    planes.push(concluded);
                }
                Conclusions::Planes(planes)
            }
        };
        let texts = kernels.iter().map(ToString::to_string).collect();
        let (state_words, tables) = (layout.n_state_words, layout.tables.tables.clone());
        let module = Module { state_words, tables, kernels, ..Module::default() };
        let obstacle = |error: rulesmith_kernel::Error| Obstacle::new(error.to_string());
        let native = Native::compile(&verify(module).map_err(obstacle)?).map_err(obstacle)?;
        let inputs = procedure.tree.inputs.clone();
        let n_arguments = procedure.known.len();
        Ok(Self { native, layout, universe, inputs, n_arguments, conclusions, texts })
    }

    /// The kernels as text, in the order they are run.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Packs a memory that is no larger than those the code was made for.
    pub fn pack(&self, memory: &Memory) -> Result<PackedMemory, Obstacle> {
        let (state, facts) = self.layout.pack(memory)?;
        Ok(PackedMemory { state, own: facts.own })
    }

    /// The parameters for known values of the inputs.
    pub fn params(&self, inputs: &[ValueId]) -> Result<Vec<u64>, Obstacle> {
        let pairs = self.inputs.iter().zip(inputs);
        let number = |(var, value): (&Var, &ValueId)| {
            self.layout.sorts.number_at(Slot::Variable(*var), *value).map(u64::from)
        };
        pairs.map(number).collect()
    }

    /// Matches the rule: how many conclusions it has. They are in the output until the next run; where
    /// clauses are sets, those of the last one.
    pub fn run(
        &self,
        memory: &mut PackedMemory,
        params: &[u64],
        output: &mut Vec<u64>,
    ) -> Result<u64, Stop> {
        match &self.conclusions {
            Conclusions::Rows => {
                let ran = self.kernel(KernelId(0), memory, params, output)?;
                Ok(ran.n_rows as u64)
            }
            Conclusions::Planes(clauses) => {
                let mut n_conclusions = 0;
                for (kernel, _) in (0..).zip(clauses) {
                    n_conclusions += self.kernel(KernelId(kernel), memory, params, output)?.result;
                }
                Ok(n_conclusions)
            }
        }
    }

    /// How many conditions hold while the rule is matched; nothing for a plan of sets.
    pub fn successes(
        &self,
        memory: &mut PackedMemory,
        params: &[u64],
        output: &mut Vec<u64>,
    ) -> Result<Option<u64>, Stop> {
        match self.conclusions {
            Conclusions::Rows => Ok(Some(self.kernel(COUNTING, memory, params, output)?.result)),
            Conclusions::Planes(_) => Ok(None),
        }
    }

    /// The conclusions as values, with repetitions for tuples and, for sets, once for each clause.
    pub fn conclusions(
        &self,
        memory: &mut PackedMemory,
        params: &[u64],
    ) -> Result<Vec<Vec<ValueId>>, Stop> {
        let mut output = Vec::new();
        let mut found = Vec::new();
        match &self.conclusions {
            Conclusions::Rows => {
                let n_rows = self.kernel(KernelId(0), memory, params, &mut output)?.n_rows;
                let shifts = packing(&self.layout.sorts, self.n_arguments);
                let width = if shifts.is_some() { 1 } else { self.n_arguments };
                for row in output.chunks_exact(width).take(n_rows) {
                    let numbers = shifts.as_ref().map(|shifts| self.unpack(shifts, row[0]));
                    found.extend(self.decode(&memory.own, numbers.as_deref().unwrap_or(row)));
                }
            }
            Conclusions::Planes(clauses) => {
                for (kernel, clause) in (0..).zip(clauses) {
                    let ran = self.kernel(KernelId(kernel), memory, params, &mut output)?;
                    let width = (clause.words.len() + clause.width).max(1);
                    for row in output.chunks_exact(width).take(ran.n_rows) {
                        self.unfold(&memory.own, clause, row, &mut found);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The arguments in a word.
    fn unpack(&self, shifts: &[u32], word: u64) -> Vec<u64> {
        let argument = |(place, by): (usize, &u32)| {
            let n_bits = self.layout.sorts.bits(Slot::Head(place));
            word >> by & !(u64::MAX << n_bits)
        };
        shifts.iter().enumerate().map(argument).collect()
    }

    /// The conclusions of one row with a plane.
    fn unfold(
        &self,
        own: &[Numbering],
        clause: &Concluded,
        row: &[u64],
        found: &mut Vec<Vec<ValueId>>,
    ) {
        let (words, plane) = row.split_at(clause.words.len().min(row.len()));
        let mut numbers = vec![0; self.n_arguments];
        for (place, word) in clause.words.iter().zip(words) {
            numbers[*place] = *word;
        }
        if clause.planes.is_empty() {
            found.extend(self.decode(own, &numbers));
            return;
        }
        for number in 0..64 * plane.len() {
            if plane[number / 64] >> (number % 64) & 1 == 1 {
                for place in &clause.planes {
                    numbers[*place] = number as u64;
                }
                found.extend(self.decode(own, &numbers));
            }
        }
    }

    fn decode(&self, own: &[Numbering], numbers: &[u64]) -> Option<Vec<ValueId>> {
        let numbers = numbers.iter().enumerate();
        let value = |(place, number): (usize, &u64)| {
            self.layout.sorts.value(Slot::Head(place), own, *number)
        };
        numbers.map(value).collect()
    }

    fn kernel(
        &self,
        kernel: KernelId,
        memory: &mut PackedMemory,
        params: &[u64],
        output: &mut Vec<u64>,
    ) -> Result<rulesmith_kernel::Outcome, Stop> {
        let entry = self.native.entry(kernel).ok_or(Stop::NoSuchKernel)?;
        loop {
            let (mut random, mut fuel) = (0, u64::MAX);
            let mut call = Call {
                state: &mut memory.state,
                params,
                random: &mut random,
                fuel: &mut fuel,
                output,
            };
            match entry.run(&mut call) {
                Err(Stop::OutputFull) => output.resize((2 * output.len()).max(FIRST_WORDS), 0),
                done => return done,
            }
        }
    }

    /// The values that ids stand for.
    pub fn universe(&self) -> &Universe {
        &self.universe
    }
}

/// Words of the first output.
const FIRST_WORDS: usize = 1 << 12;
