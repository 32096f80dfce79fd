//! The paper's rules in machine code, ready to be matched and timed; and their facts as text.
//!
//! In: a workload. Out: the same workload as kernels of one plan, with its memories packed before the time
//! is taken, as the interpreter has its memories indexed. Paper: metameta §3.2, §4.2. Invariant: tuples give
//! the conclusions of the interpreter, repetitions included; sets give each of them once.

use std::fmt::Write;

use rulesmith_compile::{Obstacle, PackedMemory, RuleKernels, RulePlan};
use rulesmith_logic::{PredicateId, Value};
use rulesmith_matching::{Memory, ValueId};

use super::bench_match::{Matched, NAMES, Workload, fixed_facts};

/// A workload in machine code.
#[derive(Debug)]
pub struct NativeWorkload {
    kernels: RuleKernels,
    memories: Vec<PackedMemory>,
    /// The parameters of each question.
    questions: Vec<Vec<u64>>,
    output: Vec<u64>,
}

/// Why a run of kernels cannot end early: they have all the fuel and room they ask for.
const NO_STOP: &str = "nothing limits these questions";

impl NativeWorkload {
    /// The workload by one plan.
    pub fn new(workload: &Workload, plan: RulePlan) -> Result<Self, Obstacle> {
        let samples: Vec<&Memory> = workload.memories.iter().collect();
        let kernels = RuleKernels::build(&workload.procedure, &samples, plan)?;
        let pack = |memory: &Memory| kernels.pack(memory);
        let memories = workload.memories.iter().map(pack).collect::<Result<Vec<_>, _>>()?;
        let question = |source: &i32| kernels.params(&[kernels.universe().id(Value::Int(*source))]);
        let questions = match &workload.sources {
            None => vec![Vec::new()],
            Some(sources) => sources.iter().map(question).collect::<Result<Vec<_>, _>>()?,
        };
        Ok(Self { kernels, memories, questions, output: Vec::new() })
    }

    /// Matches the rule on every memory, so many times in all: how many conclusions there are.
    pub fn run(&mut self, times: u64) -> u64 {
        let mut n_conclusions = 0;
        for _ in 0..times {
            for memory in &mut self.memories {
                for question in &self.questions {
                    let ran = self.kernels.run(memory, question, &mut self.output);
                    n_conclusions += ran.expect(NO_STOP);
                }
            }
        }
        n_conclusions
    }

    /// What one run does; conditions that hold are counted for tuples alone.
    pub fn matched(&mut self) -> Matched {
        let mut successes = 0;
        for memory in &mut self.memories {
            for question in &self.questions {
                let counted = self.kernels.successes(memory, question, &mut self.output);
                successes += counted.expect(NO_STOP).unwrap_or_default();
            }
        }
        Matched { successes, conclusions: self.run(1) }
    }

    /// All conclusions, by memory.
    pub fn conclusions(&mut self) -> Vec<Vec<Vec<ValueId>>> {
        let mut found = Vec::new();
        for memory in &mut self.memories {
            let mut own = Vec::new();
            for question in &self.questions {
                own.extend(self.kernels.conclusions(memory, question).expect(NO_STOP));
            }
            found.push(own);
        }
        found
    }

    /// The kernels as text.
    pub fn texts(&self) -> &[String] {
        self.kernels.texts()
    }
}

/// The facts of workloads as text, for programs that match the same rules: a line for each fact, `rule`
/// before a rule's memories, `memory` before each of them.
pub fn facts_text(workloads: &[Workload]) -> String {
    let mut text = String::new();
    let fact = |text: &mut String, (predicate, args): &(PredicateId, Vec<i32>)| {
        let _ = write!(text, "{}", NAMES[predicate.0 as usize]);
        for arg in args {
            let _ = write!(text, " {arg}");
        }
        text.push('\n');
    };
    for one in fixed_facts() {
        fact(&mut text, &one);
    }
    for workload in workloads {
        let _ = writeln!(text, "rule {}", workload.name);
        for facts in &workload.facts {
            text.push_str("memory\n");
            for one in facts {
                fact(&mut text, one);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::bench_match::paper_workloads;
    use super::*;

    /// Sorted, so that orders do not matter.
    fn sorted(mut conclusions: Vec<Vec<Vec<ValueId>>>) -> Vec<Vec<Vec<ValueId>>> {
        for own in &mut conclusions {
            own.sort_unstable();
        }
        conclusions
    }

    #[test]
    fn tuples_hold_and_conclude_as_in_the_interpreter() {
        for workload in paper_workloads(5, 6) {
            let mut native = NativeWorkload::new(&workload, RulePlan::Tuples).unwrap();
            assert_eq!(native.matched(), workload.run(1), "{}", workload.name);
            assert_eq!(sorted(native.conclusions()), sorted(workload.conclusions()));
        }
    }

    #[test]
    fn sets_have_each_conclusion_of_the_interpreter_once() {
        for workload in paper_workloads(6, 6) {
            let mut native = NativeWorkload::new(&workload, RulePlan::Sets).unwrap();
            let mut expected = sorted(workload.conclusions());
            expected.iter_mut().for_each(Vec::dedup);
            let n_expected: usize = expected.iter().map(Vec::len).sum();
            assert_eq!(native.run(1), n_expected as u64, "{}", workload.name);
            assert_eq!(sorted(native.conclusions()), expected, "{}", workload.name);
        }
    }

    #[test]
    fn metameta_3_2_the_path_rule_has_7549_different_conclusions() {
        let path = &paper_workloads(2, 1)[0];
        assert_eq!(NativeWorkload::new(path, RulePlan::Sets).unwrap().run(1), 7_549);
    }

    #[test]
    fn facts_are_written_for_each_memory() {
        let text = facts_text(&paper_workloads(2, 3));
        let count = |line: &str| text.lines().filter(|one| one.starts_with(line)).count();
        assert_eq!((count("connected"), count("color ")), (1368, 2));
        assert_eq!((count("rule"), count("memory")), (3, 7));
    }
}
