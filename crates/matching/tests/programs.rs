//! Random programs, assembled and run, against the reference solver on the same clauses and facts.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proptest::prelude::*;
use rulesmith_logic::{
    Atom, Clause, ClauseBase, Comparison, Condition, Domain, DomainId, Error, Expr, Flow, Level,
    Limits, Operation, Predicate, PredicateId, Quantifier, Row, Solver, Source, Span, Stop,
    Symbols, Tables, Term, Value, Var, Variable, World, condition_vars, substitute,
};
use rulesmith_matching::{
    Answered, Matcher, Memory, Node, Outside, Procedure, Program, Setting, StaticMemory, Tree,
    Universe, ValueId,
};

const SIZE: i32 = 3;
const N_VARS: u16 = 3;

/// 0 is static, 1 is stored per state, 2 is answered by the host; 3 to 8 have clauses, the last four
/// ask each other; 9 leads to other states.
const ARITIES: [usize; 10] = [2, 2, 1, 1, 2, 2, 1, 0, 1, 1];
const FIRST_DERIVED: usize = 3;
const N_DERIVED: usize = 6;
const PASSAGE: u32 = 9;

/// No cycle of these programs is as deep as this, unless it never ends.
const DEPTH: u64 = 300;

fn limits() -> Limits {
    Limits { recursion_depth: DEPTH, ..Limits::default() }
}

fn highest_positive(index: usize) -> usize {
    if index >= 5 { 8 } else { index }
}

fn highest_negative(index: usize) -> usize {
    index.min(5) - 1
}

fn var(number: u16) -> Term {
    Term::Var(Var(number))
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        4 => (0..N_VARS).prop_map(var),
        1 => (0..SIZE).prop_map(|number| Term::Value(Value::Int(number))),
    ]
}

fn atom(highest: usize) -> impl Strategy<Value = Atom> {
    (0..=highest).prop_flat_map(|index| {
        let predicate = PredicateId(u32::try_from(index).unwrap());
        prop::collection::vec(term(), ARITIES[index]).prop_map(move |args| Atom { predicate, args })
    })
}

fn plain(highest: usize) -> BoxedStrategy<Condition> {
    let comparisons = prop::sample::select(vec![
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtLeast,
    ]);
    let operations = prop::sample::select(vec![Operation::Add, Operation::Sub, Operation::Mod]);
    let equation = (term(), operations, term(), term()).prop_map(|(result, operation, a, b)| {
        let sides = (Box::new(Expr::Term(a)), Box::new(Expr::Term(b)));
        let right = Expr::Binary(operation, sides.0, sides.1);
        Condition::Compare(Comparison::Equal, Expr::Term(result), right)
    });
    prop_oneof![
        5 => atom(highest).prop_map(Condition::Holds),
        1 => (comparisons, term(), term()).prop_map(|(kind, a, b)| {
            Condition::Compare(kind, Expr::Term(a), Expr::Term(b))
        }),
        1 => equation,
    ]
    .boxed()
}

/// A body whose first atom has the local variable as its first argument.
fn local_body(highest: usize) -> BoxedStrategy<Vec<Condition>> {
    (atom(highest), prop::option::of(plain(highest)))
        .prop_map(|(mut atom, more)| {
            if let Some(first) = atom.args.first_mut() {
                *first = var(N_VARS);
            }
            [Condition::Holds(atom)].into_iter().chain(more).collect()
        })
        .boxed()
}

fn condition(index: usize) -> BoxedStrategy<Condition> {
    let lower = highest_negative(index);
    let none =
        local_body(lower).prop_map(|body| Condition::None { locals: vec![Var(N_VARS)], body });
    let holds_local = atom(lower).prop_filter("it has an argument", |atom| !atom.args.is_empty());
    let counted = (term(), prop::collection::vec((holds_local, plain(lower)), 1..3)).prop_map(
        |(result, bodies)| {
            let body = |(mut atom, more): (Atom, Condition)| {
                atom.args[0] = var(N_VARS);
                vec![Condition::Holds(atom), more]
            };
            let mut bodies: Vec<Vec<Condition>> = bodies.into_iter().map(body).collect();
            let body = match bodies.len() {
                1 => bodies.remove(0),
                _ => vec![Condition::AnyOf(bodies)],
            };
            let right = Expr::Count { counted: vec![Var(N_VARS)], body };
            Condition::Compare(Comparison::Equal, Expr::Term(result), right)
        },
    );
    let quantifiers = prop::sample::select(vec![Quantifier::Some, Quantifier::Every]);
    let elsewhere = (term(), quantifiers, prop::collection::vec(plain(lower), 1..3)).prop_map(
        |(by, quantifier, body)| Condition::Elsewhere {
            by: Atom { predicate: PredicateId(PASSAGE), args: vec![by] },
            quantifier,
            body,
        },
    );
    prop_oneof![6 => plain(highest_positive(index)), 1 => none, 1 => counted, 1 => elsewhere]
        .boxed()
}

/// A clause; each of its variables is a member of the domain, so that no order changes what it says.
fn clause(index: usize) -> impl Strategy<Value = Clause> {
    let predicate = PredicateId(u32::try_from(index).unwrap());
    let head = prop::collection::vec(term(), ARITIES[index]);
    (head, prop::collection::vec(condition(index), 0..4))
        .prop_map(move |(args, body)| finished(Atom { predicate, args }, body))
}

fn finished(head: Atom, mut body: Vec<Condition>) -> Clause {
    let mut vars: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
    vars.extend(rulesmith_logic::atom_vars(&head));
    // Each condition gets a local variable of its own.
    for (number, condition) in (0..).zip(&mut body) {
        let own = |var: Var| Term::Var(if var.0 == N_VARS { Var(N_VARS + number) } else { var });
        *condition = substitute(condition, &own);
    }
    vars.retain(|var| var.0 < N_VARS);
    body.extend(vars.into_iter().map(|var| Condition::Member(Term::Var(var), DomainId(0))));
    let variable = Variable { name: "X".into(), domain: Some(DomainId(0)) };
    let variables = vec![variable; usize::from(N_VARS) + 4];
    Clause { head, body, variables, span: Span::default() }
}

fn clauses() -> impl Strategy<Value = Vec<Clause>> {
    let each = (FIRST_DERIVED..FIRST_DERIVED + N_DERIVED)
        .map(|index| prop::collection::vec(clause(index), 0..4).boxed())
        .collect::<Vec<_>>();
    each.prop_map(|all| all.into_iter().flatten().collect())
}

fn rows(arity: usize) -> impl Strategy<Value = Vec<Row>> {
    let row = prop::collection::vec(0..SIZE, arity);
    prop::collection::vec(
        row.prop_map(|row| row.into_iter().map(Value::Int).collect::<Row>()),
        0..6,
    )
}

/// The facts of one state: predicates 1 and 2.
type State = (Vec<Row>, Vec<Row>);

/// Which states a passage leads to: later ones, every second one for an odd argument.
fn reached(from: usize, n_states: usize, arg: Value) -> impl Iterator<Item = usize> {
    let step = if arg == Value::Int(1) { 2 } else { 1 };
    let none = arg == Value::Int(2);
    (from + 1..n_states).step_by(step).filter(move |_| !none)
}

// The reference.

#[derive(Debug)]
struct TestWorld {
    place: usize,
    facts: State,
    later: Vec<Rc<TestWorld>>,
    fixed: Rc<RefCell<Tables>>,
    tables: RefCell<Tables>,
}

impl World for TestWorld {
    fn facts(
        &self,
        _solver: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let rows = if predicate.0 == 1 { &self.facts.0 } else { &self.facts.1 };
        Ok(Rc::new(filtered(rows, pattern)))
    }

    fn passages(
        &self,
        _solver: &Solver,
        _by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        let n_states = self.place + 1 + self.later.len();
        let places = reached(self.place, n_states, args[0]);
        Ok(places
            .map(|place| Rc::clone(&self.later[place - self.place - 1]) as Rc<dyn World>)
            .collect())
    }

    fn tables(&self, level: Level) -> &RefCell<Tables> {
        if level == Level::Static { &self.fixed } else { &self.tables }
    }
}

fn filtered(rows: &[Row], pattern: &[Option<Value>]) -> Vec<Row> {
    let agrees = |row: &&Row| {
        row.iter().zip(pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
    };
    let set: BTreeSet<&Row> = rows.iter().filter(agrees).collect();
    set.into_iter().cloned().collect()
}

fn domain() -> Domain {
    Domain { name: "number".into(), values: (0..SIZE).map(Value::Int).collect() }
}

fn reference(clauses: &[Clause], fixed: &[Row]) -> Solver {
    let mut base = ClauseBase::default();
    base.add_domain(domain());
    for (index, arity) in ARITIES.iter().enumerate() {
        let is_world = index == 1 || index == 2 || index == 9;
        base.add_predicate(Predicate {
            name: format!("p{index}"),
            domains: vec![Some(DomainId(0)); *arity],
            source: if is_world { Source::World } else { Source::Clauses },
            level: if is_world { Level::State } else { Level::Static },
        });
    }
    for row in fixed {
        let args = row.iter().map(|value| Term::Value(*value)).collect();
        let head = Atom { predicate: PredicateId(0), args };
        let (body, variables, span) = (Vec::new(), Vec::new(), Span::default());
        base.add_clause(Clause { head, body, variables, span });
    }
    for clause in clauses {
        base.add_clause(clause.clone());
    }
    base.settle();
    Solver::new(base, Symbols::default(), limits(), Stop::default())
}

fn world_of(states: &[State]) -> Rc<TestWorld> {
    let fixed: Rc<RefCell<Tables>> = Rc::default();
    let mut later: Vec<Rc<TestWorld>> = Vec::new();
    for (place, facts) in states.iter().enumerate().rev() {
        let facts = facts.clone();
        let tables = RefCell::default();
        let world =
            TestWorld { place, facts, later: later.clone(), fixed: Rc::clone(&fixed), tables };
        later.insert(0, Rc::new(world));
    }
    later.remove(0)
}

// The matcher.

#[derive(Debug)]
struct TestHost {
    place: usize,
    facts: Vec<Row>,
    later: Vec<Rc<Memory>>,
}

impl Outside for TestHost {
    fn facts(
        &self,
        _matcher: &Matcher<'_>,
        _memory: &Memory,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        assert_eq!(predicate, PredicateId(2));
        Ok(Rc::new(filtered(&self.facts, pattern)))
    }

    fn passages(
        &self,
        _matcher: &Matcher<'_>,
        _memory: &Memory,
        by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<Memory>>, Error> {
        assert_eq!(by, PredicateId(PASSAGE));
        let n_states = self.place + 1 + self.later.len();
        let places = reached(self.place, n_states, args[0]);
        Ok(places.map(|place| Rc::clone(&self.later[place - self.place - 1])).collect())
    }
}

fn memory_of(fixed: &[Row], states: &[State]) -> Rc<Memory> {
    let mut layer = StaticMemory::new(Rc::new(Universe::default()), &[domain()]);
    layer.load(PredicateId(0), 2, fixed);
    let layer = Rc::new(layer);
    let mut later: Vec<Rc<Memory>> = Vec::new();
    for (place, (stored, outside)) in states.iter().enumerate().rev() {
        let mut memory = Memory::new(Rc::clone(&layer));
        memory.load(PredicateId(1), 2, stored);
        let facts = outside.clone();
        memory.set_outside(Rc::new(TestHost { place, facts, later: later.clone() }));
        later.insert(0, Rc::new(memory));
    }
    later.remove(0)
}

/// Puts conditions in an order in which each can be tried, from left to right where possible; a
/// variable that nothing binds is bound by its domain.
fn safe_order(clause: &Clause, known: &BTreeSet<Var>) -> Vec<Condition> {
    let mut bound = known.clone();
    let mut pending: Vec<&Condition> = clause.body.iter().collect();
    let mut ordered = Vec::new();
    let is_member = |condition: &&Condition| matches!(condition, Condition::Member(..));
    while !pending.is_empty() {
        let ready = pending.iter().position(|one| !is_member(one) && is_ready(one, &bound));
        let next = ready.or_else(|| pending.iter().position(is_member));
        let condition = pending.remove(next.unwrap());
        if !matches!(condition, Condition::None { .. }) {
            bound.extend(condition_vars(condition));
        }
        ordered.push(condition.clone());
    }
    ordered
}

fn is_ready(condition: &Condition, bound: &BTreeSet<Var>) -> bool {
    let is_unbound = |term: &Term| matches!(term, Term::Var(var) if !bound.contains(var));
    let all_bound = || {
        let mut outer = condition_vars(condition).into_iter().filter(|var| var.0 < N_VARS);
        outer.all(|var| bound.contains(&var))
    };
    match condition {
        Condition::Holds(_) => true,
        Condition::Compare(Comparison::Equal, Expr::Term(left), Expr::Term(right)) => {
            !(is_unbound(left) && is_unbound(right))
        }
        Condition::Compare(
            _,
            Expr::Term(result),
            Expr::Binary(Operation::Add | Operation::Sub, a, b),
        ) => {
            let sides = [a, b]
                .into_iter()
                .filter(|side| matches!(&***side, Expr::Term(term) if is_unbound(term)));
            sides.count() + usize::from(is_unbound(result)) <= 1
        }
        Condition::Elsewhere { by, quantifier: Quantifier::Some, body }
            if body.iter().all(|one| matches!(one, Condition::Holds(_))) =>
        {
            !is_unbound(&by.args[0])
        }
        _ => all_bound(),
    }
}

/// The clauses of a predicate as a tree for these known arguments. Registers are numbered in the order
/// of their first mention, so that equal beginnings are equal conditions and can be merged.
fn procedure(index: usize, clauses: &[Clause], known: &[bool], is_merged: bool) -> Procedure {
    let predicate = PredicateId(u32::try_from(index).unwrap());
    let n_known = u16::try_from(known.iter().filter(|known| **known).count()).unwrap();
    let mut tree = Tree {
        inputs: (0..n_known).map(Var).collect(),
        n_registers: usize::from(n_known),
        roots: Vec::new(),
    };
    for (number, clause) in clauses.iter().enumerate() {
        if clause.head.predicate != predicate {
            continue;
        }
        let mut registers: BTreeMap<Var, Var> = BTreeMap::new();
        let known_terms = clause.head.args.iter().zip(known).filter(|(_, known)| **known);
        for (input, (term, _)) in (0..).zip(known_terms) {
            if let Term::Var(var) = term {
                registers.entry(*var).or_insert(Var(input));
            }
        }
        let ordered = safe_order(clause, &registers.keys().copied().collect());
        let mut next = n_known;
        for var in ordered.iter().flat_map(condition_vars) {
            registers.entry(var).or_insert_with(|| {
                next += 1;
                Var(next - 1)
            });
        }
        tree.n_registers = tree.n_registers.max(usize::from(next));
        let renamed = |var: Var| Term::Var(registers[&var]);
        let conditions: Vec<Condition> =
            ordered.iter().map(|condition| substitute(condition, &renamed)).collect();
        let head = rulesmith_logic::substitute_atom(&clause.head, &renamed);
        let conclusion = Node::Conclusion { clause: number, row: head.args };
        add_path(&mut tree.roots, &conditions, conclusion, is_merged);
    }
    Procedure { predicate, known: known.to_vec(), tree }
}

fn add_path(nodes: &mut Vec<Node>, path: &[Condition], conclusion: Node, is_merged: bool) {
    let [first, rest @ ..] = path else { return nodes.push(conclusion) };
    let shared = nodes
        .iter()
        .position(|node| matches!(node, Node::Condition { condition, .. } if condition == first));
    let place = match shared {
        Some(place) if is_merged => place,
        _ => {
            nodes.push(Node::Condition { condition: first.clone(), children: Vec::new() });
            nodes.len() - 1
        }
    };
    if let Node::Condition { children, .. } = &mut nodes[place] {
        add_path(children, rest, conclusion, is_merged);
    }
}

fn answered(predicate: PredicateId) -> Answered {
    match predicate.0 {
        0 => Answered::Stored { arity: 2, is_static: true },
        1 => Answered::Stored { arity: 2, is_static: false },
        2 => Answered::Outside,
        _ => Answered::Called,
    }
}

/// Procedures for every derived predicate: one with nothing known, and some of the others.
fn procedures(clauses: &[Clause], masks: u32, is_merged: bool) -> Vec<Procedure> {
    let mut all = Vec::new();
    for (index, arity) in ARITIES.iter().enumerate().skip(FIRST_DERIVED).take(N_DERIVED) {
        for mask in 0..1_u32 << arity {
            if mask == 0 || masks >> ((index - FIRST_DERIVED) * 4) >> mask & 1 == 1 {
                let known: Vec<bool> = (0..*arity).map(|column| mask >> column & 1 == 1).collect();
                all.push(procedure(index, clauses, &known, is_merged));
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn answers_are_those_of_the_reference_solver(
        clauses in clauses(),
        fixed in rows(2),
        states in prop::collection::vec((rows(2), rows(1)), 1..4),
        masks in any::<u32>(),
        is_merged in any::<bool>(),
        questions in questions(),
    ) {
        check(&Sample { clauses, fixed, states, masks, is_merged, questions })?;
    }

    #[test]
    fn predicates_that_ask_each_other_reach_the_least_fixpoint(
        clauses in recursive_clauses(),
        fixed in rows(2),
        masks in any::<u32>(),
        is_merged in any::<bool>(),
        questions in questions(),
    ) {
        let states = vec![State::default()];
        check(&Sample { clauses, fixed, states, masks, is_merged, questions })?;
    }
}

/// A program, its facts, which procedures it has, and what is asked.
struct Sample {
    clauses: Vec<Clause>,
    fixed: Vec<Row>,
    states: Vec<State>,
    masks: u32,
    is_merged: bool,
    questions: Vec<Question>,
}

type Question = (usize, [Option<i32>; 2]);

fn questions() -> impl Strategy<Value = Vec<Question>> {
    let known = prop::array::uniform2(prop::option::of(0..SIZE));
    prop::collection::vec((FIRST_DERIVED..FIRST_DERIVED + N_DERIVED, known), 1..8)
}

/// Clauses of the last four predicates that ask each other and the static facts, and nothing else.
fn recursive_clauses() -> impl Strategy<Value = Vec<Clause>> {
    let asked = prop::sample::select(vec![0_usize, 5, 6, 7, 8]);
    let atom = asked.prop_flat_map(|index| {
        let predicate = PredicateId(u32::try_from(index).unwrap());
        prop::collection::vec(term(), ARITIES[index]).prop_map(move |args| Atom { predicate, args })
    });
    let head = prop::sample::select(vec![5_usize, 6, 7, 8]).prop_flat_map(|index| {
        prop::collection::vec(term(), ARITIES[index]).prop_map(move |args| (index, args))
    });
    let clause = (head, prop::collection::vec(atom, 1..4)).prop_map(|((index, args), atoms)| {
        let head = Atom { predicate: PredicateId(u32::try_from(index).unwrap()), args };
        finished(head, atoms.into_iter().map(Condition::Holds).collect())
    });
    prop::collection::vec(clause, 4..16)
}

fn check(sample: &Sample) -> Result<(), TestCaseError> {
    let solver = reference(&sample.clauses, &sample.fixed);
    let world = world_of(&sample.states);
    let memory = memory_of(&sample.fixed, &sample.states);
    let procedures = procedures(&sample.clauses, sample.masks, sample.is_merged);
    let program =
        Program::assemble(memory.universe(), &procedures, &|one| Some(answered(one))).unwrap();
    let symbols = RefCell::<Symbols>::default();
    let setting = Setting { symbols: &symbols, limits: limits(), stop: Stop::default() };
    let matcher = Matcher::new(&program, setting);
    for (index, known) in sample.questions.clone() {
        let predicate = PredicateId(u32::try_from(index).unwrap());
        let pattern: Vec<Option<Value>> =
            known[..ARITIES[index]].iter().map(|known| known.map(Value::Int)).collect();
        let expected = solver.query(&*world, predicate, &pattern);
        let rows = matcher.query_values(&memory, predicate, &pattern);
        // Recursion through a sum may count upward without end, in one order or in another.
        let too_deep = Error::Limit { name: "recursion-depth", limit: DEPTH };
        if expected.as_ref() == Err(&too_deep) || rows.as_ref() == Err(&too_deep) {
            continue;
        }
        let (expected, rows) = (expected.unwrap(), rows.unwrap());
        let expected: BTreeSet<Row> = expected.iter().cloned().collect();
        let found: BTreeSet<Row> = rows.iter().cloned().collect();
        prop_assert_eq!(found.len(), rows.len());
        prop_assert_eq!(&found, &expected, "p{} {:?}", index, pattern);
        // Handed over one by one, and only the first.
        let universe = memory.universe();
        let ids: Vec<Option<ValueId>> =
            pattern.iter().map(|known| known.map(|value| universe.id(value))).collect();
        let mut seen = BTreeSet::new();
        matcher
            .each(&memory, predicate, &ids, &mut |_, row| {
                seen.insert(row.iter().map(|id| universe.value(*id)).collect::<Row>());
                Flow::More
            })
            .unwrap();
        prop_assert_eq!(&seen, &expected);
        let flow = matcher.each(&memory, predicate, &ids, &mut |_, _| Flow::Enough).unwrap();
        prop_assert_eq!(flow == Flow::Enough, !expected.is_empty());
    }
    Ok(())
}
