//! The solver against an independent evaluator: all assignments tried, strata from below, to a fixpoint.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rulesmith_logic::{
    AsWritten, Atom, Clause, ClauseBase, Comparison, Condition, Domain, DomainId, Error, Expr,
    Level, Limits, Nowhere, Operation, Predicate, PredicateId, Proofs, Row, Solver, Source, Span,
    Statics, Stop, Symbols, Term, Value, Var, Variable,
};

const SIZE: i32 = 3;
const N_VARS: u16 = 3;

/// A random program: predicate i has `ARITIES[i]` arguments; it may ask predicates of its stratum
/// and below positively, and lower ones under negation and counts. The last five ask each other.
const ARITIES: [usize; 8] = [1, 2, 1, 2, 1, 1, 0, 1];

/// The strata, lowest first.
const STRATA: [&[usize]; 4] = [&[0], &[1], &[2], &[3, 4, 5, 6, 7]];

fn highest_positive(index: usize) -> usize {
    if index >= 3 { 7 } else { index }
}

fn highest_negative(index: usize) -> usize {
    if index >= 3 { 2 } else { index - 1 }
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        3 => (0..N_VARS).prop_map(|var| Term::Var(Var(var))),
        1 => (0..SIZE).prop_map(|number| Term::Value(Value::Int(number))),
    ]
}

fn atom(highest: usize) -> impl Strategy<Value = Atom> {
    (0..=highest).prop_flat_map(|index| {
        let predicate = PredicateId(u32::try_from(index).expect("few predicates"));
        prop::collection::vec(term(), ARITIES[index]).prop_map(move |args| Atom { predicate, args })
    })
}

fn comparison() -> impl Strategy<Value = Condition> {
    let kind = prop_oneof![
        Just(Comparison::Equal),
        Just(Comparison::Unequal),
        Just(Comparison::Less),
        Just(Comparison::AtMost),
    ];
    let side = prop_oneof![
        2 => term().prop_map(Expr::Term),
        1 => (term(), term()).prop_map(|(left, right)| {
            Expr::Binary(Operation::Add, Box::new(Expr::Term(left)), Box::new(Expr::Term(right)))
        }),
    ];
    (kind, term().prop_map(Expr::Term), side)
        .prop_map(|(kind, left, right)| Condition::Compare(kind, left, right))
}

fn condition(index: usize) -> BoxedStrategy<Condition> {
    let plain = prop_oneof![
        4 => atom(highest_positive(index)).prop_map(Condition::Holds),
        1 => comparison(),
        1 => term().prop_map(|term| Condition::Member(term, DomainId(0))),
        1 => (atom(highest_positive(index)), atom(highest_positive(index))).prop_map(|(left, right)| {
            Condition::AnyOf(vec![vec![Condition::Holds(left)], vec![Condition::Holds(right)]])
        }),
    ];
    if index == 0 {
        return plain.boxed();
    }
    let negated = atom(highest_negative(index))
        .prop_map(|atom| Condition::None { locals: vec![], body: vec![Condition::Holds(atom)] });
    let counted = (atom(highest_negative(index)), term()).prop_map(|(atom, term)| {
        // The counted variable is local: it is the one beyond those of the clause.
        let mut atom = atom;
        if let Some(first) = atom.args.first_mut() {
            *first = Term::Var(Var(N_VARS));
        }
        let count = Expr::Count { counted: vec![Var(N_VARS)], body: vec![Condition::Holds(atom)] };
        Condition::Compare(Comparison::Equal, Expr::Term(term), count)
    });
    prop_oneof![6 => plain, 2 => negated, 1 => counted].boxed()
}

fn clause(index: usize) -> impl Strategy<Value = Clause> {
    let head = prop::collection::vec(term(), ARITIES[index]);
    let body = prop::collection::vec(condition(index), 0..4);
    (head, body, any::<bool>()).prop_map(move |(args, mut body, is_last)| {
        // Every variable occurs outside negations and counts, so that none is local to one.
        let members = (0..N_VARS).map(|var| Condition::Member(Term::Var(Var(var)), DomainId(0)));
        let place = if is_last { body.len() } else { 0 };
        body.splice(place..place, members);
        let predicate = PredicateId(u32::try_from(index).expect("few predicates"));
        let variable =
            |name: usize| Variable { name: format!("V{name}"), domain: Some(DomainId(0)) };
        let variables = (0..=usize::from(N_VARS)).map(variable).collect();
        Clause { head: Atom { predicate, args }, body, variables, span: Span::default() }
    })
}

fn program() -> impl Strategy<Value = ClauseBase> {
    let clauses: Vec<_> =
        (0..ARITIES.len()).map(|index| prop::collection::vec(clause(index), 0..4)).collect();
    clauses.prop_map(|clauses| {
        let mut base = ClauseBase::default();
        let values = (0..SIZE).map(Value::Int).collect();
        let domain = base.add_domain(Domain { name: "d".to_owned(), values });
        for (index, arity) in ARITIES.iter().enumerate() {
            base.add_predicate(Predicate {
                name: format!("p{index}"),
                domains: vec![Some(domain); *arity],
                source: Source::Clauses,
                level: Level::Static,
            });
        }
        for clause in clauses.into_iter().flatten() {
            base.add_clause(clause);
        }
        base.settle();
        base
    })
}

type Facts = Vec<BTreeSet<Vec<i32>>>;

/// The least model, stratum by stratum, by trying every assignment.
fn naive_model(base: &ClauseBase) -> Facts {
    let mut facts: Facts = vec![BTreeSet::new(); ARITIES.len()];
    for stratum in STRATA {
        loop {
            let before: usize = facts.iter().map(BTreeSet::len).sum();
            for clause in stratum.iter().flat_map(|index| &base.clauses[*index]) {
                for number in 0..SIZE.pow(u32::from(N_VARS)) {
                    let vars = [number % SIZE, number / SIZE % SIZE, number / (SIZE * SIZE)];
                    if clause.body.iter().all(|condition| holds(condition, &vars, &facts)) {
                        facts[clause.head.predicate.0 as usize].insert(args(&clause.head, &vars));
                    }
                }
            }
            if facts.iter().map(BTreeSet::len).sum::<usize>() == before {
                break;
            }
        }
    }
    facts
}

fn args(atom: &Atom, vars: &[i32]) -> Vec<i32> {
    atom.args.iter().map(|term| number(*term, vars)).collect()
}

fn number(term: Term, vars: &[i32]) -> i32 {
    match term {
        Term::Var(var) => vars[var.0 as usize],
        Term::Value(Value::Int(number)) => number,
        Term::Value(_) => unreachable!("only numbers are generated"),
    }
}

fn holds(condition: &Condition, vars: &[i32], facts: &Facts) -> bool {
    match condition {
        Condition::Holds(atom) => facts[atom.predicate.0 as usize].contains(&args(atom, vars)),
        Condition::None { body, .. } => !body.iter().all(|condition| holds(condition, vars, facts)),
        Condition::AnyOf(branches) => branches
            .iter()
            .any(|branch| branch.iter().all(|condition| holds(condition, vars, facts))),
        Condition::Compare(comparison, left, right) => {
            let (left, right) = (value(left, vars, facts), value(right, vars, facts));
            match comparison {
                Comparison::Equal => left == right,
                Comparison::Unequal => left != right,
                Comparison::Less => left < right,
                _ => left <= right,
            }
        }
        Condition::Member(..) => true,
        Condition::Construct { .. } | Condition::Elsewhere { .. } => unreachable!("not generated"),
    }
}

fn value(expr: &Expr, vars: &[i32], facts: &Facts) -> i32 {
    match expr {
        Expr::Term(term) => number(*term, vars),
        Expr::Binary(_, left, right) => value(left, vars, facts) + value(right, vars, facts),
        Expr::Count { body, .. } => {
            let count = (0..SIZE).filter(|local| {
                let vars = [vars, &[*local]].concat();
                body.iter().all(|condition| holds(condition, &vars, facts))
            });
            i32::try_from(count.count()).expect("few values")
        }
    }
}

/// All ways to know some of the arguments.
fn patterns(arity: usize) -> Vec<Vec<Option<i32>>> {
    let mut all = vec![vec![]];
    for _ in 0..arity {
        let longer = |pattern: &Vec<Option<i32>>| {
            let pattern = pattern.clone();
            let known = (0..SIZE).map(Some).chain([None]);
            known.map(move |known| [pattern.as_slice(), &[known]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn every_question_has_exactly_the_answers_of_the_least_model(
        base in program(),
        order in Just(questions()).prop_shuffle(),
    ) {
        let model = naive_model(&base);
        let solver = Solver::new(base, Symbols::default(), Limits::default(), Stop::default());
        let world = Nowhere::default();
        for (index, pattern) in order {
            let predicate = PredicateId(u32::try_from(index).expect("few predicates"));
            let known: Vec<Option<Value>> = pattern.iter().map(|known| known.map(Value::Int)).collect();
            let rows = solver.query(&world, predicate, &known).expect("within limits");
            let answers: BTreeSet<Vec<i32>> = rows
                .iter()
                .map(|row| row.iter().map(|value| number(Term::Value(*value), &[])).collect())
                .collect();
            let agrees = |row: &&Vec<i32>| {
                row.iter().zip(&pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
            };
            let expected: BTreeSet<Vec<i32>> = model[index].iter().filter(agrees).cloned().collect();
            prop_assert_eq!(answers.len(), rows.len(), "an answer came twice");
            prop_assert_eq!(answers, expected, "p{}{:?}", index, pattern);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_theory_as_written_has_the_solvers_answers(
        base in program(),
        statics in prop_oneof![Just(Statics::Clauses), Just(Statics::Facts)],
        proofs in prop_oneof![Just(Proofs::First), Just(Proofs::Every)],
    ) {
        // Whatever asks the third predicate is not static.
        let mut base = base;
        base.predicates[2].level = Level::State;
        base.settle();
        let solver = Solver::new(base, Symbols::default(), Limits::default(), Stop::default());
        let settings = AsWritten { statics, proofs, success_limit: 10_000 };
        for (index, pattern) in questions() {
            let world = Nowhere::default();
            let predicate = PredicateId(u32::try_from(index).expect("few predicates"));
            let known: Vec<Option<Value>> = pattern.iter().map(|known| known.map(Value::Int)).collect();
            let ask = || solver.call(&world, predicate, &known);
            match solver.as_written(&world, settings, ask) {
                Ok((rows, _)) => {
                    let expected = solver.query(&world, predicate, &known).expect("within limits");
                    let set = |rows: &[Row]| rows.iter().cloned().collect::<BTreeSet<Row>>();
                    prop_assert_eq!(rows.len(), expected.len(), "p{}{:?}", index, &pattern);
                    prop_assert_eq!(set(&rows), set(&expected), "p{}{:?}", index, pattern);
                }
                // Without tables one program in five takes longer than anybody waits.
                Err(error) => {
                    prop_assert_eq!(error, Error::Limit { name: "successes", limit: 10_000 });
                    break;
                }
            }
        }
    }
}

/// Every predicate with every pattern of known arguments.
fn questions() -> Vec<(usize, Vec<Option<i32>>)> {
    let of =
        |(index, arity): (usize, &usize)| patterns(*arity).into_iter().map(move |one| (index, one));
    ARITIES.iter().enumerate().flat_map(of).collect()
}

/// Predicates of one argument, `p0`, `p1`, …; each clause says that the first follows from the others,
/// a number means that its argument is that number.
fn chain(clauses: &[(u32, &[u32], Option<i32>)], n: usize) -> ClauseBase {
    let mut base = ClauseBase::default();
    for index in 0..n {
        base.add_predicate(Predicate {
            name: format!("p{index}"),
            domains: vec![None],
            source: Source::Clauses,
            level: Level::Static,
        });
    }
    let atom = |index: u32| Atom { predicate: PredicateId(index), args: vec![Term::Var(Var(0))] };
    for (head, body, number) in clauses {
        let mut body: Vec<Condition> =
            body.iter().map(|index| Condition::Holds(atom(*index))).collect();
        let side = |term| Expr::Term(term);
        body.extend(number.map(|number| {
            let value = side(Term::Value(Value::Int(number)));
            Condition::Compare(Comparison::Equal, side(Term::Var(Var(0))), value)
        }));
        let variables = vec![Variable { name: "V".to_owned(), domain: None }];
        base.add_clause(Clause { head: atom(*head), body, variables, span: Span::default() });
    }
    base
}

#[test]
fn a_call_that_waits_for_a_waiting_call_waits_for_its_leader() {
    // p :- a. p :- z. p(1). a :- x. a :- p. x :- a. z :- x.
    let clauses: [(u32, &[u32], Option<i32>); 7] = [
        (0, &[1], None),
        (0, &[3], None),
        (0, &[], Some(1)),
        (1, &[2], None),
        (1, &[0], None),
        (2, &[1], None),
        (3, &[2], None),
    ];
    let solver =
        Solver::new(chain(&clauses, 4), Symbols::default(), Limits::default(), Stop::default());
    let world = Nowhere::default();
    for index in 0..4 {
        let rows = solver.query(&world, PredicateId(index), &[None]).expect("within limits");
        assert_eq!(rows.len(), 1, "p{index}");
    }
}
