//! The paper's two rules, ready to be matched and timed, and the same rules as a Prolog program.
//!
//! In: nothing but seeds. Out: workloads that whoever has a clock runs, and a text for a Prolog system
//! that does the same work. Paper: metameta §3.2, §4.2. Invariant: both sides get the same facts and the
//! same conditions in the same order, and hand over every conclusion.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use rulesmith_game::Random;
use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Flow, Limits, PredicateId, Row, Stop, Symbols, Term, Value,
    Var,
};
use rulesmith_matching::{
    Answered, Matcher, Memory, Node, Procedure, Program, Setting, StaticMemory, Tree, Universe,
    ValueId,
};

/// The relations of the two rules, by number.
pub(crate) const NAMES: [&str; 5] =
    ["connected", "color", "colorintersection", "colorblock", "liberty"];
const CONNECTED: PredicateId = PredicateId(0);
const COLOR: PredicateId = PredicateId(1);
const COLOR_INTERSECTION: PredicateId = PredicateId(2);
const COLOR_BLOCK: PredicateId = PredicateId(3);
const LIBERTY: PredicateId = PredicateId(4);
const RULE: PredicateId = PredicateId(5);

const SIZE: usize = 19;
/// Contents of a point.
const EMPTY: i32 = 2;

/// One rule with the memories it is matched on.
#[derive(Debug)]
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    conditions: Vec<Condition>,
    /// The variables of the head; the first is known if there are sources.
    head: Vec<Var>,
    /// The values of the first variable, one question each.
    pub(crate) sources: Option<Vec<i32>>,
    /// What answers it.
    pub(crate) procedure: Procedure,
    program: Program,
    pub(crate) memories: Vec<Memory>,
    pub(crate) facts: Vec<Vec<(PredicateId, Vec<i32>)>>,
}

/// What one run over all memories did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Conditions that held.
    pub successes: u64,
    /// Conclusions handed over.
    pub conclusions: u64,
}

/// The paper's rules: paths of length four from every point of a board of 19 x 19, and
/// `threattoconnect` in both published orders over so many positions of random contests.
pub fn paper_workloads(seed: u64, n_positions: usize) -> Vec<Workload> {
    let path = Workload::new(
        "distance-4",
        path_conditions(),
        vec![Var(0), Var(4)],
        Some((0..int(SIZE * SIZE)).collect()),
        vec![vec![]],
    );
    let mut random = Random::new(seed);
    let positions: Vec<Vec<(PredicateId, Vec<i32>)>> = (0..n_positions)
        .map(|_| {
            let n_moves = 1 + random.below(MOST_MOVES);
            position_facts(&random_board(&mut random, n_moves))
        })
        .collect();
    let first = threat_conditions();
    let second: Vec<Condition> = SECOND_ORDER.iter().map(|place| first[*place].clone()).collect();
    let head = vec![Var(0), Var(1), Var(2), Var(3)];
    let threat =
        |name, conditions| Workload::new(name, conditions, head.clone(), None, positions.clone());
    vec![path, threat("threattoconnect-1", first), threat("threattoconnect-2", second)]
}

/// Positions are reached by at most this many random moves.
const MOST_MOVES: usize = 300;

/// The places of the second order of the paper in the first.
const SECOND_ORDER: [usize; 9] = [8, 7, 6, 1, 0, 2, 3, 4, 5];

impl Workload {
    fn new(
        name: &'static str,
        conditions: Vec<Condition>,
        head: Vec<Var>,
        sources: Option<Vec<i32>>,
        facts: Vec<Vec<(PredicateId, Vec<i32>)>>,
    ) -> Self {
        let mut fixed = StaticMemory::new(Rc::new(Universe::default()), &[]);
        for predicate in [CONNECTED, COLOR] {
            let rows: Vec<Row> =
                fixed_facts().iter().filter(|fact| fact.0 == predicate).map(to_row).collect();
            fixed.load(predicate, arity(predicate), &rows);
        }
        let fixed = Rc::new(fixed);
        let memories = facts.iter().map(|facts| memory(&fixed, facts)).collect();
        let row: Vec<Term> = head.iter().map(|var| Term::Var(*var)).collect();
        let conclusion = Node::Conclusion { clause: 0, row };
        let around = |child, condition: &Condition| Node::Condition {
            condition: condition.clone(),
            children: vec![child],
        };
        let root = conditions.iter().rev().fold(conclusion, around);
        let inputs = if sources.is_some() { vec![head[0]] } else { vec![] };
        let known = head.iter().map(|var| inputs.contains(var)).collect();
        let tree = Tree { inputs, n_registers: 6, roots: vec![root] };
        let procedure = Procedure { predicate: RULE, known, tree };
        let answered = |predicate: PredicateId| {
            let is_static = predicate == CONNECTED || predicate == COLOR;
            Some(Answered::Stored { arity: arity(predicate), is_static })
        };
        let answered = |predicate| if predicate == RULE { None } else { answered(predicate) };
        let procedures = std::slice::from_ref(&procedure);
        let program = Program::assemble(fixed.universe(), procedures, &answered)
            .expect("the paper's rules are safe in these orders");
        Self { name, conditions, head, sources, procedure, program, memories, facts }
    }

    /// Matches the rule on every memory, so many times in all.
    pub fn run(&self, times: u64) -> Matched {
        let mut conclusions = 0;
        let successes = self.each(times, &mut |_, _| conclusions += 1);
        Matched { successes, conclusions }
    }

    /// All conclusions, by memory, repetitions included.
    pub fn conclusions(&self) -> Vec<Vec<Vec<ValueId>>> {
        let mut found = vec![Vec::new(); self.memories.len()];
        self.each(1, &mut |memory, row| found[memory].push(row.to_vec()));
        found
    }

    /// Hands over each conclusion with the place of its memory; the result is how many conditions held.
    fn each(&self, times: u64, on_conclusion: &mut impl FnMut(usize, &[ValueId])) -> u64 {
        let symbols = RefCell::<Symbols>::default();
        let limits = Limits { inferences: u64::MAX, ..Limits::default() };
        let setting = Setting { symbols: &symbols, limits, stop: Stop::default() };
        let matcher = Matcher::new(&self.program, setting);
        for _ in 0..times {
            for (place, memory) in self.memories.iter().enumerate() {
                let mut pattern = vec![None; self.head.len()];
                let mut ask = |known| {
                    pattern[0] = known;
                    let asked = matcher.each(memory, RULE, &pattern, &mut |_, row| {
                        on_conclusion(place, row);
                        Flow::More
                    });
                    asked.expect("nothing limits these questions");
                };
                match &self.sources {
                    None => ask(None),
                    Some(sources) => {
                        let universe = memory.universe();
                        for id in sources {
                            ask(Some(universe.id(Value::Int(*id))));
                        }
                    }
                }
            }
        }
        let mut counts = matcher.counts(0);
        // The last count is the conclusion's.
        counts.pop();
        counts.iter().map(|count| count.held).sum()
    }
}

/// A Prolog program that runs the workloads so many times each, in so many rounds, and prints a line
/// `name inequality round seconds` of processor time for each round of each memory. Inequality of points
/// is written once as `\==` and once, as the paper does, as `=\=`.
pub fn prolog_text(workloads: &[Workload], times: u64, rounds: u64) -> String {
    let mut text = String::from(
        ":- set_prolog_flag(optimise, true).\n\
         :- dynamic colorintersection/2, colorblock/2, liberty/2.\n",
    );
    for (predicate, args) in fixed_facts() {
        let _ = writeln!(text, "{}.", fact_text(predicate, &args));
    }
    let mut run = String::from("main :-\n");
    for (place, one) in workloads.iter().enumerate() {
        write_rules(&mut text, place, one);
        write_questions(&mut text, place, one);
        for other in INEQUALITIES.map(|(_, other)| other) {
            let name = one.name;
            let _ = writeln!(
                run,
                "    forall(memory({place}, _, Facts), rounds('{name}', {place}, {other}, Facts)),"
            );
        }
    }
    let _ = write!(
        text,
        "rounds(Name, Place, Other, Facts) :-\n\
         \x20   retractall(colorintersection(_, _)), retractall(colorblock(_, _)), \
         retractall(liberty(_, _)),\n\
         \x20   forall(member(Fact, Facts), assertz(Fact)),\n\
         \x20   all(Place, Other),\n\
         \x20   forall(between(1, {rounds}, Round), (\n\
         \x20       statistics(cputime, Before),\n\
         \x20       ( between(1, {times}, _), all(Place, Other), fail ; true ),\n\
         \x20       statistics(cputime, After), Time is After - Before,\n\
         \x20       format(\"~w ~w ~w ~9f~n\", [Name, Other, Round, Time]))).\n\
         {run}    true.\n\
         :- initialization((main, halt)).\n"
    );
    text
}

/// How a Prolog program can write that two points differ.
const INEQUALITIES: [(&str, &str); 2] = [(r"\==", "identity"), (r"=\=", "arithmetic")];

/// The rule, once for each way to write an inequality, and its memories.
fn write_rules(text: &mut String, place: usize, one: &Workload) {
    let head: Vec<String> = one.head.iter().map(|var| format!("V{}", var.0)).collect();
    let head = head.join(", ");
    for (operator, other) in INEQUALITIES {
        let conditions = one.conditions.iter();
        let body: Vec<String> =
            conditions.map(|condition| condition_prolog(condition, operator)).collect();
        let _ = writeln!(text, "rule_{place}_{other}({head}) :- {}.", body.join(", "));
    }
    for (number, facts) in one.facts.iter().enumerate() {
        let facts: Vec<String> =
            facts.iter().map(|(predicate, args)| fact_text(*predicate, args)).collect();
        let _ = writeln!(text, "memory({place}, {number}, [{}]).", facts.join(", "));
    }
}

/// Clauses that go through all conclusions of the rule.
fn write_questions(text: &mut String, place: usize, one: &Workload) {
    let (question, first) = match &one.sources {
        Some(sources) => (format!("between(0, {}, X), ", sources.len() - 1), "X"),
        None => (String::new(), "_"),
    };
    let args = format!("{first}{}", ", _".repeat(one.head.len() - 1));
    for (_, other) in INEQUALITIES {
        let _ = writeln!(
            text,
            "all({place}, {other}) :- {question}rule_{place}_{other}({args}), fail.\n\
             all({place}, {other})."
        );
    }
}

fn condition_prolog(condition: &Condition, operator: &str) -> String {
    let term = |term: &Term| match term {
        Term::Var(var) => format!("V{}", var.0),
        Term::Value(Value::Int(number)) => number.to_string(),
        Term::Value(_) => "_".to_owned(),
    };
    match condition {
        Condition::Holds(Atom { predicate, args }) => {
            let args: Vec<String> = args.iter().map(term).collect();
            format!("{}({})", NAMES[predicate.0 as usize], args.join(", "))
        }
        Condition::Compare(_, Expr::Term(left), Expr::Term(right)) => {
            format!("{} {operator} {}", term(left), term(right))
        }
        _ => "true".to_owned(),
    }
}

fn fact_text(predicate: PredicateId, args: &[i32]) -> String {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    format!("{}({})", NAMES[predicate.0 as usize], args.join(", "))
}

fn memory(fixed: &Rc<StaticMemory>, facts: &[(PredicateId, Vec<i32>)]) -> Memory {
    let mut memory = Memory::new(Rc::clone(fixed));
    for predicate in [COLOR_INTERSECTION, COLOR_BLOCK, LIBERTY] {
        let mine = facts.iter().filter(|fact| fact.0 == predicate);
        let rows: Vec<Row> = mine.map(to_row).collect();
        memory.load(predicate, arity(predicate), &rows);
    }
    memory
}

fn to_row((_, args): &(PredicateId, Vec<i32>)) -> Row {
    args.iter().map(|number| Value::Int(*number)).collect()
}

fn arity(predicate: PredicateId) -> usize {
    if predicate == COLOR { 1 } else { 2 }
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn var(number: u16) -> Term {
    Term::Var(Var(number))
}

fn holds(predicate: PredicateId, args: &[Term]) -> Condition {
    Condition::Holds(Atom { predicate, args: args.to_vec() })
}

fn unequal(left: u16, right: u16) -> Condition {
    Condition::Compare(Comparison::Unequal, Expr::Term(var(left)), Expr::Term(var(right)))
}

/// Paper: metameta §3.2. X, Y, Z, W, D are the variables 0 to 4.
fn path_conditions() -> Vec<Condition> {
    let step = |from, to| holds(CONNECTED, &[var(from), var(to)]);
    vec![
        step(0, 1),
        unequal(0, 1),
        step(1, 2),
        unequal(2, 0),
        unequal(2, 1),
        step(2, 3),
        unequal(3, 0),
        unequal(3, 1),
        unequal(3, 2),
        step(3, 4),
    ]
}

/// Paper: metameta §4.2, the first order. C, B, B1, I, I1, I2 are the variables 0 to 5.
fn threat_conditions() -> Vec<Condition> {
    let [c, b, b1, i, i1, i2] = [0, 1, 2, 3, 4, 5].map(var);
    vec![
        holds(COLOR_INTERSECTION, &[i1, Term::Value(Value::Int(EMPTY))]),
        holds(CONNECTED, &[i, i1]),
        holds(CONNECTED, &[i1, i2]),
        unequal(3, 5),
        holds(LIBERTY, &[i2, b1]),
        holds(COLOR_BLOCK, &[b1, c]),
        holds(LIBERTY, &[i, b]),
        holds(COLOR_BLOCK, &[b, c]),
        holds(COLOR, &[c]),
    ]
}

pub(crate) fn fixed_facts() -> Vec<(PredicateId, Vec<i32>)> {
    let mut facts = vec![(COLOR, vec![0]), (COLOR, vec![1])];
    for from in 0..SIZE * SIZE {
        let steps = neighbors(from).into_iter().map(|to| (CONNECTED, vec![int(from), int(to)]));
        facts.extend(steps);
    }
    facts
}

fn neighbors(point: usize) -> Vec<usize> {
    let (row, column) = (point / SIZE, point % SIZE);
    let sides = [
        (row > 0, point.wrapping_sub(SIZE)),
        (column > 0, point.wrapping_sub(1)),
        (column + 1 < SIZE, point + 1),
        (row + 1 < SIZE, point + SIZE),
    ];
    sides.into_iter().filter(|(is_there, _)| *is_there).map(|(_, to)| to).collect()
}

/// The color of the stone on each point.
type Board = Vec<Option<i32>>;

/// A position reached by so many random moves, captures included.
fn random_board(random: &mut Random, n_moves: usize) -> Board {
    let mut board: Board = vec![None; SIZE * SIZE];
    for number in 0..n_moves {
        let (color, point) = (int(number % 2), random.below(board.len()));
        if board[point].is_some() {
            continue;
        }
        board[point] = Some(color);
        for next in neighbors(point) {
            if board[next] == Some(1 - color) {
                let (stones, liberties) = block(&board, next);
                if liberties.is_empty() {
                    for stone in stones {
                        board[stone] = None;
                    }
                }
            }
        }
        if block(&board, point).1.is_empty() {
            board[point] = None;
        }
    }
    board
}

/// The block of a stone, and the empty points next to it.
fn block(board: &Board, stone: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut stones, mut liberties, mut place) = (vec![stone], Vec::new(), 0);
    while let Some(point) = stones.get(place).copied() {
        place += 1;
        for next in neighbors(point) {
            if board[next].is_none() && !liberties.contains(&next) {
                liberties.push(next);
            } else if board[next] == board[stone] && !stones.contains(&next) {
                stones.push(next);
            }
        }
    }
    (stones, liberties)
}

/// The facts of a position; blocks are named by their first stone.
fn position_facts(board: &Board) -> Vec<(PredicateId, Vec<i32>)> {
    let mut facts = Vec::new();
    let mut is_named = vec![false; board.len()];
    for (point, stone) in board.iter().enumerate() {
        facts.push((COLOR_INTERSECTION, vec![int(point), stone.unwrap_or(EMPTY)]));
        let Some(color) = stone else { continue };
        if is_named[point] {
            continue;
        }
        let (stones, liberties) = block(board, point);
        for stone in stones {
            is_named[stone] = true;
        }
        facts.push((COLOR_BLOCK, vec![int(point), *color]));
        facts
            .extend(liberties.into_iter().map(|liberty| (LIBERTY, vec![int(liberty), int(point)])));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metameta_3_2_the_path_rule_has_111408_successes() {
        let path = &paper_workloads(2, 1)[0];
        assert_eq!(path.run(1), Matched { successes: 111_408, conclusions: 43_276 });
    }

    #[test]
    fn both_orders_of_threattoconnect_have_the_same_conclusions() {
        let workloads = paper_workloads(2, 3);
        let (first, second) = (workloads[1].run(1), workloads[2].run(1));
        assert!(first.conclusions > 0);
        assert_eq!(first.conclusions, second.conclusions);
        assert!(second.successes < first.successes);
    }

    #[test]
    fn a_block_is_counted_by_its_liberties() {
        let mut board: Board = vec![None; SIZE * SIZE];
        board[0] = Some(0);
        board[1] = Some(0);
        // Two stones in the corner: one block with three liberties.
        let facts = position_facts(&board);
        let count = |predicate| facts.iter().filter(|fact| fact.0 == predicate).count();
        assert_eq!((count(COLOR_BLOCK), count(LIBERTY)), (1, 3));
    }
}
