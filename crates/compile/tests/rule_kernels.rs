//! Rules in machine code conclude what the interpreter of the same trees concludes.
//!
//! Two oracles: the interpreter for what is concluded, and a walk through the tree, as plain as can be, for how
//! often. (The interpreter leaves off after a first conclusion where nothing new can come.)
//! Random small trees over random memories: shared beginnings, repeated variables, constants, equalities,
//! inequalities, relations of one to three columns, static ones and ones of the memory.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rulesmith_compile::{RuleKernels, RulePlan};
use rulesmith_game::Random;
use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Flow, Limits, PredicateId, Row, Stop, Symbols, Term, Value,
    Var,
};
use rulesmith_matching::{
    Answered, Matcher, Memory, Node, Procedure, Program, Setting, StaticMemory, Tree, Universe,
    ValueId,
};

/// The columns of each predicate; the first three are static.
const ARITIES: [usize; 6] = [1, 2, 3, 1, 2, 3];
const N_STATIC: usize = 3;
const RULE: PredicateId = PredicateId(6);
const N_VARS: u16 = 6;
/// So many values are asked about.
const N_QUESTIONS: usize = 5;

fn random_rows(random: &mut Random, arity: usize, n_values: usize) -> Vec<Row> {
    let n_rows = random.below(3 * n_values);
    let value = |random: &mut Random| Value::Int(i32::try_from(random.below(n_values)).unwrap());
    (0..n_rows).map(|_| (0..arity).map(|_| value(random)).collect()).collect()
}

/// A tree under way.
struct Grower<'r> {
    random: &'r mut Random,
    n_values: usize,
    n_clauses: usize,
    /// Is the first argument of the head the variable 0?
    has_input: bool,
}

impl Grower<'_> {
    fn nodes(&mut self, depth: usize, bound: &BTreeSet<Var>) -> Vec<Node> {
        let n_nodes = if self.random.below(4) == 0 { 2 } else { 1 };
        (0..n_nodes).map(|_| self.node(depth, bound)).collect()
    }

    fn node(&mut self, depth: usize, bound: &BTreeSet<Var>) -> Node {
        if depth == 0 {
            let second = self.known(bound);
            let first = if self.has_input { Term::Var(Var(0)) } else { self.known(bound) };
            self.n_clauses += 1;
            return Node::Conclusion { clause: self.n_clauses - 1, row: vec![first, second] };
        }
        let condition = self.condition(bound);
        let mut bound = bound.clone();
        bound.extend(rulesmith_logic::condition_vars(&condition));
        Node::Condition { condition, children: self.nodes(depth - 1, &bound) }
    }

    fn condition(&mut self, bound: &BTreeSet<Var>) -> Condition {
        let compare = |comparison, left, right| {
            Condition::Compare(comparison, Expr::Term(left), Expr::Term(right))
        };
        match self.random.below(6) {
            0 => compare(Comparison::Unequal, self.known(bound), self.known(bound)),
            1 => compare(Comparison::Equal, self.any(), self.known(bound)),
            _ => {
                let predicate = self.random.below(ARITIES.len());
                let args = (0..ARITIES[predicate]).map(|_| self.any()).collect();
                let predicate = PredicateId(u32::try_from(predicate).unwrap());
                Condition::Holds(Atom { predicate, args })
            }
        }
    }

    fn constant(&mut self) -> Term {
        // One value that no fact has.
        let number = self.random.below(self.n_values + 1);
        Term::Value(Value::Int(i32::try_from(number).unwrap()))
    }

    fn known(&mut self, bound: &BTreeSet<Var>) -> Term {
        let place = self.random.below(bound.len() + 1);
        bound.iter().nth(place).map_or_else(|| self.constant(), |var| Term::Var(*var))
    }

    fn any(&mut self) -> Term {
        if self.random.below(8) == 0 {
            return self.constant();
        }
        Term::Var(Var(u16::try_from(self.random.below(usize::from(N_VARS))).unwrap()))
    }
}

/// A rule and what it is matched on.
struct Case {
    procedure: Procedure,
    program: Program,
    memories: Vec<Memory>,
    questions: Vec<Vec<ValueId>>,
}

fn random_case(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    // All bindings are walked through: the more values, the fewer conditions.
    let (n_values, most_depth) = [(2, 6), (4, 4), (9, 3), (70, 2)][random.below(4)];
    let universe = Rc::new(Universe::default());
    for number in 0..=n_values {
        universe.id(Value::Int(i32::try_from(number).unwrap()));
    }
    let id = |place: usize| PredicateId(u32::try_from(place).unwrap());
    let mut fixed = StaticMemory::new(Rc::clone(&universe), &[]);
    for (place, arity) in ARITIES.iter().enumerate().take(N_STATIC) {
        fixed.load(id(place), *arity, &random_rows(random, *arity, n_values));
    }
    let fixed = Rc::new(fixed);
    let mut memories = Vec::new();
    for _ in 0..3 {
        let mut memory = Memory::new(Rc::clone(&fixed));
        for (place, arity) in ARITIES.iter().enumerate().skip(N_STATIC) {
            memory.load(id(place), *arity, &random_rows(random, *arity, n_values));
        }
        memories.push(memory);
    }
    let has_input = random.below(2) == 0;
    let inputs: Vec<Var> = if has_input { vec![Var(0)] } else { Vec::new() };
    let depth = 1 + random.below(most_depth);
    let mut grower = Grower { random, n_values, n_clauses: 0, has_input };
    let roots = grower.nodes(depth, &inputs.iter().copied().collect());
    let tree = Tree { inputs, n_registers: usize::from(N_VARS), roots };
    let procedure = Procedure { predicate: RULE, known: vec![has_input, false], tree };
    let answered = |predicate: PredicateId| {
        let place = predicate.0 as usize;
        let arity = *ARITIES.get(place)?;
        Some(Answered::Stored { arity, is_static: place < N_STATIC })
    };
    let procedures = std::slice::from_ref(&procedure);
    let program =
        Program::assemble(&universe, procedures, &answered).expect("safe by construction");
    let questions = if has_input {
        universe.ids().into_iter().take(N_QUESTIONS).map(|id| vec![id]).collect()
    } else {
        vec![Vec::new()]
    };
    Case { procedure, program, memories, questions }
}

type Concluded = Vec<(usize, Vec<ValueId>)>;

/// What the interpreter concludes.
fn interpreted(case: &Case, memory: &Memory, question: &[ValueId]) -> BTreeSet<Vec<ValueId>> {
    let symbols = RefCell::<Symbols>::default();
    let setting = Setting { symbols: &symbols, limits: Limits::default(), stop: Stop::default() };
    let matcher = Matcher::new(&case.program, setting);
    let pattern = [question.first().copied(), None];
    let mut found = BTreeSet::new();
    let on_conclusion = &mut |_: usize, row: &[ValueId]| {
        found.insert(row.to_vec());
        Flow::More
    };
    matcher.each(memory, RULE, &pattern, on_conclusion).expect("small");
    found
}

/// A walk through all bindings.
struct Walk<'m> {
    memory: &'m Memory,
    bound: Vec<Option<ValueId>>,
    found: Concluded,
    n_held: u64,
}

impl Walk<'_> {
    fn value(&self, term: Term) -> Option<ValueId> {
        match term {
            Term::Var(var) => self.bound[usize::from(var.0)],
            Term::Value(value) => Some(self.memory.universe().id(value)),
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Conclusion { clause, row } => {
                    let row = row.iter().map(|term| self.value(*term).expect("bound")).collect();
                    self.found.push((*clause, row));
                }
                Node::Condition { condition, children } => self.condition(condition, children),
            }
        }
    }

    fn condition(&mut self, condition: &Condition, children: &[Node]) {
        match condition {
            Condition::Holds(Atom { predicate, args }) => {
                let rows: Vec<Vec<ValueId>> = match self.memory.relation(*predicate) {
                    Some(relation) => relation.rows().map(<[ValueId]>::to_vec).collect(),
                    None => Vec::new(),
                };
                for row in rows {
                    self.equal(args, &row, children);
                }
            }
            Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) => {
                match (comparison, self.value(*left), self.value(*right)) {
                    (Comparison::Unequal, left, right) => {
                        if left != right {
                            self.n_held += 1;
                            self.nodes(children);
                        }
                    }
                    (_, known, None) => self.equal(&[*right], &[known.expect("bound")], children),
                    (_, _, Some(known)) => self.equal(&[*left], &[known], children),
                }
            }
            _ => panic!("no other conditions are made"),
        }
    }

    /// Goes on if terms can be equal to values.
    fn equal(&mut self, terms: &[Term], values: &[ValueId], children: &[Node]) {
        let before = self.bound.clone();
        let agrees =
            terms.iter().zip(values).all(|(term, value)| match (self.value(*term), term) {
                (Some(known), _) => known == *value,
                (None, Term::Var(var)) => {
                    self.bound[usize::from(var.0)] = Some(*value);
                    true
                }
                (None, Term::Value(_)) => false,
            });
        if agrees {
            self.n_held += 1;
            self.nodes(children);
        }
        self.bound = before;
    }
}

/// What a walk through all bindings concludes, and how many conditions hold.
fn walked(case: &Case, memory: &Memory, question: &[ValueId]) -> (Concluded, u64) {
    let mut bound = vec![None; usize::from(N_VARS)];
    bound[0] = question.first().copied();
    let mut walk = Walk { memory, bound, found: Vec::new(), n_held: 0 };
    walk.nodes(&case.procedure.tree.roots);
    (walk.found, walk.n_held)
}

fn rows(concluded: impl IntoIterator<Item = (usize, Vec<ValueId>)>) -> Vec<Vec<ValueId>> {
    let mut rows: Vec<Vec<ValueId>> = concluded.into_iter().map(|(_, row)| row).collect();
    rows.sort_unstable();
    rows
}

fn sorted(mut rows: Vec<Vec<ValueId>>) -> Vec<Vec<ValueId>> {
    rows.sort_unstable();
    rows
}

#[test]
fn random_trees_conclude_the_same_by_all_plans() {
    let n_cases = std::env::var("RANDOM_RULES").map_or(150, |number| number.parse().unwrap());
    let mut n_conclusions = 0;
    for seed in 0..n_cases {
        let case = random_case(seed);
        let memories: Vec<&Memory> = case.memories.iter().collect();
        let build = |plan| RuleKernels::build(&case.procedure, &memories, plan);
        let tuples = build(RulePlan::Tuples).unwrap_or_else(|why| panic!("{seed}: {why}"));
        let sets = build(RulePlan::Sets).unwrap_or_else(|why| panic!("{seed}: {why}"));
        for memory in &case.memories {
            let (mut by_tuples, mut by_sets) =
                (tuples.pack(memory).unwrap(), sets.pack(memory).unwrap());
            for question in &case.questions {
                let (found, n_held) = walked(&case, memory, question);
                n_conclusions += found.len();
                let params = tuples.params(question).unwrap();
                let mut output = Vec::new();
                let counted = tuples.successes(&mut by_tuples, &params, &mut output).unwrap();
                assert_eq!(counted, Some(n_held), "{seed} {:?}", case.procedure.tree);
                let native = tuples.conclusions(&mut by_tuples, &params).unwrap();
                assert_eq!(sorted(native), rows(found.clone()), "{seed}");
                let answers: BTreeSet<_> = found.iter().map(|(_, row)| row.clone()).collect();
                assert_eq!(interpreted(&case, memory, question), answers, "{seed}");
                let distinct: BTreeSet<_> = found.into_iter().collect();
                let params = sets.params(question).unwrap();
                let n_found = sets.run(&mut by_sets, &params, &mut output).unwrap();
                assert_eq!(n_found, distinct.len() as u64, "{seed} {:?}", case.procedure.tree);
                let native = sets.conclusions(&mut by_sets, &params).unwrap();
                assert_eq!(sorted(native), rows(distinct), "{seed}");
            }
        }
    }
    assert!(n_conclusions > 1000, "{n_conclusions}");
}

#[test]
fn a_memory_that_is_larger_than_the_samples_is_refused() {
    let universe = Rc::new(Universe::default());
    let fixed = Rc::new(StaticMemory::new(Rc::clone(&universe), &[]));
    let memory = |n_rows: i32| {
        let rows: Vec<Row> =
            (0..n_rows).map(|number| Row::from_slice(&[Value::Int(number)])).collect();
        let mut memory = Memory::new(Rc::clone(&fixed));
        memory.load(PredicateId(0), 1, &rows);
        memory
    };
    let condition =
        Condition::Holds(Atom { predicate: PredicateId(0), args: vec![Term::Var(Var(0))] });
    let conclusion = Node::Conclusion { clause: 0, row: vec![Term::Var(Var(0))] };
    let root = Node::Condition { condition, children: vec![conclusion] };
    let tree = Tree { inputs: Vec::new(), n_registers: 1, roots: vec![root] };
    let procedure = Procedure { predicate: RULE, known: vec![false], tree };
    for plan in [RulePlan::Tuples, RulePlan::Sets] {
        let kernels = RuleKernels::build(&procedure, &[&memory(100)], plan).unwrap();
        let mut packed = kernels.pack(&memory(70)).unwrap();
        assert_eq!(kernels.run(&mut packed, &[], &mut Vec::new()), Ok(70));
        let refused = kernels.pack(&memory(101)).unwrap_err();
        assert!(refused.to_string().contains("larger"), "{refused}");
    }
}
