//! Orders are safe and change no answer; trees hold each clause's conditions; estimates are printed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod positions;

use std::collections::BTreeSet;

use positions::{Go, Random, add_domain, add_predicate, holds, int, unequal, var};
use rulesmith_logic::{
    Atom, Clause, ClauseBase, Comparison, Condition, DomainId, Expr, Operation, PredicateId,
    Quantifier, Span, Term, Value, Var, atom_vars, condition_vars, substitute_body,
};
use rulesmith_matching::{Node, Tree};
use rulesmith_specialize::{
    Body, Estimates, Matcher, OrderError, Sample, build_tree, expected_successes, order,
    order_by_branching, order_clause, render_tree,
};

const LIMIT: u64 = 10_000_000;

/// Variables of random clauses: these, and from here on local ones.
const N_VARIABLES: u16 = 5;
const DOMAIN: usize = 4;

struct World {
    base: ClauseBase,
    domain: DomainId,
    predicates: Vec<PredicateId>,
    facts: Sample,
}

fn random_world(random: &mut Random) -> World {
    let mut base = ClauseBase::default();
    let domain = add_domain(&mut base, "value", (0..DOMAIN).map(int));
    let mut facts = Sample::default();
    let mut predicates = Vec::new();
    for (name, arity) in [("p", 1), ("q", 2), ("r", 2), ("s", 3)] {
        let predicate = add_predicate(&mut base, name, &vec![domain; arity]);
        predicates.push(predicate);
        facts.rows.insert(predicate, Vec::new());
        for number in 0..DOMAIN.pow(u32::try_from(arity).unwrap()) {
            let row: Vec<Value> = (0..arity)
                .map(|place| int(number / DOMAIN.pow(u32::try_from(place).unwrap()) % DOMAIN))
                .collect();
            if random.below(arity + 1) == 0 {
                facts.add(predicate, &row);
            }
        }
    }
    World { base, domain, predicates, facts }
}

fn random_term(random: &mut Random) -> Term {
    match random.below(8) {
        0 => Term::Value(int(random.below(DOMAIN))),
        _ => var(u16::try_from(random.below(usize::from(N_VARIABLES))).unwrap()),
    }
}

fn random_atom(world: &World, random: &mut Random) -> Atom {
    let predicate = world.predicates[random.below(world.predicates.len())];
    let arity = world.base.predicate(predicate).domains.len();
    Atom { predicate, args: (0..arity).map(|_| random_term(random)).collect() }
}

/// An atom with this local variable in it.
fn local_atom(world: &World, local: u16, random: &mut Random) -> Atom {
    let mut atom = random_atom(world, random);
    let place = random.below(atom.args.len());
    atom.args[place] = var(local);
    atom
}

fn random_comparison(random: &mut Random) -> Comparison {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less, Unequal};
    [Equal, Unequal, Less, AtMost, Greater, AtLeast][random.below(6)]
}

/// A flat condition; `local` is a variable nobody else uses.
fn random_condition(world: &World, local: u16, random: &mut Random) -> Condition {
    let term = |random: &mut Random| Expr::Term(random_term(random));
    match random.below(12) {
        0..=6 => Condition::Holds(random_atom(world, random)),
        7 | 8 => Condition::Compare(random_comparison(random), term(random), term(random)),
        9 => {
            let operation = [Operation::Add, Operation::Sub, Operation::Mul][random.below(3)];
            let (left, right) = (Box::new(term(random)), Box::new(term(random)));
            let sum = Expr::Binary(operation, left, right);
            Condition::Compare(Comparison::Equal, term(random), sum)
        }
        10 => {
            let body = (0..=random.below(2)).map(|_| local_atom(world, local, random));
            let mut body: Vec<Condition> = body.map(Condition::Holds).collect();
            body.insert(
                0,
                Condition::Compare(random_comparison(random), Expr::Term(var(local)), term(random)),
            );
            Condition::None { locals: vec![Var(local)], body }
        }
        _ => {
            let body = vec![Condition::Holds(local_atom(world, local, random))];
            let count = Expr::Count { counted: vec![Var(local)], body };
            Condition::Compare(Comparison::Equal, term(random), count)
        }
    }
}

/// A body in which every variable is bound by an atom or is a member of the domain.
fn random_body(world: &World, random: &mut Random) -> Vec<Condition> {
    let n_conditions = 1 + random.below(6);
    let mut body: Vec<Condition> = (0..n_conditions)
        .map(|number| random_condition(world, N_VARIABLES + u16::try_from(number).unwrap(), random))
        .collect();
    let in_atoms: BTreeSet<Var> = body
        .iter()
        .filter_map(|condition| match condition {
            Condition::Holds(atom) => Some(atom_vars(atom)),
            _ => None,
        })
        .flatten()
        .collect();
    let used: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
    for var in used {
        if var.0 < N_VARIABLES && !in_atoms.contains(&var) {
            body.insert(
                random.below(body.len() + 1),
                Condition::Member(Term::Var(var), world.domain),
            );
        }
    }
    body
}

/// Does the condition hold under this assignment? Written from the meaning, not from the matcher.
fn is_true(world: &World, condition: &Condition, frame: &[usize]) -> bool {
    let value = |term: &Term, frame: &[usize]| match term {
        Term::Var(var) => int(frame[usize::from(var.0)]),
        Term::Value(value) => *value,
    };
    match condition {
        Condition::Holds(atom) => {
            let row: Vec<Value> = atom.args.iter().map(|term| value(term, frame)).collect();
            world.facts.rows_of(atom.predicate).iter().any(|other| **other == *row)
        }
        Condition::Member(..) => true,
        Condition::None { locals, body } => n_true(world, locals[0], body, frame) == 0,
        Condition::Compare(comparison, left, right) => {
            let (left, right) = (number(world, left, frame), number(world, right, frame));
            match comparison {
                Comparison::Equal => left == right,
                Comparison::Unequal => left != right,
                Comparison::Less => left < right,
                Comparison::AtMost => left <= right,
                Comparison::Greater => left > right,
                Comparison::AtLeast => left >= right,
            }
        }
        other => panic!("not generated: {other:?}"),
    }
}

fn n_true(world: &World, local: Var, body: &[Condition], frame: &[usize]) -> usize {
    let holds = |value: &usize| {
        let mut frame = frame.to_vec();
        frame[usize::from(local.0)] = *value;
        body.iter().all(|condition| is_true(world, condition, &frame))
    };
    (0..DOMAIN).filter(holds).count()
}

fn number(world: &World, expr: &Expr, frame: &[usize]) -> i64 {
    match expr {
        Expr::Term(Term::Var(var)) => i64::try_from(frame[usize::from(var.0)]).unwrap(),
        Expr::Term(Term::Value(Value::Int(number))) => i64::from(*number),
        Expr::Term(other) => panic!("not generated: {other:?}"),
        Expr::Binary(operation, left, right) => {
            let (left, right) = (number(world, left, frame), number(world, right, frame));
            match operation {
                Operation::Add => left + right,
                Operation::Sub => left - right,
                _ => left * right,
            }
        }
        Expr::Count { counted, body } => {
            i64::try_from(n_true(world, counted[0], body, frame)).unwrap()
        }
    }
}

/// The variables that mean something outside negations and counts.
fn outer_vars(body: &[Condition]) -> BTreeSet<Var> {
    body.iter().flat_map(condition_vars).filter(|var| var.0 < N_VARIABLES).collect()
}

type Answers = BTreeSet<Vec<Value>>;

/// All values of these variables for which the body holds, by trying everything.
fn brute_answers(world: &World, body: &[Condition], wanted: &[Var]) -> Answers {
    let vars: Vec<Var> = outer_vars(body).into_iter().collect();
    let n_ways = DOMAIN.pow(u32::try_from(vars.len()).unwrap());
    let mut answers = Answers::new();
    for way in 0..n_ways {
        let mut frame = vec![0; 32];
        for (place, var) in vars.iter().enumerate() {
            frame[usize::from(var.0)] = way / DOMAIN.pow(u32::try_from(place).unwrap()) % DOMAIN;
        }
        if body.iter().all(|condition| is_true(world, condition, &frame)) {
            answers.insert(wanted.iter().map(|var| int(frame[usize::from(var.0)])).collect());
        }
    }
    answers
}

fn matched_answers(world: &World, body: &[Condition], row: &[Term]) -> Answers {
    let matcher = Matcher::new(&world.base, &[&world.facts], LIMIT);
    let solutions = matcher.solutions(body, &[]).unwrap();
    let value = |term: &Term, frame: &[Option<Value>]| match term {
        Term::Var(var) => frame[usize::from(var.0)].unwrap(),
        Term::Value(value) => *value,
    };
    let answer = |frame: &Vec<Option<Value>>| row.iter().map(|term| value(term, frame)).collect();
    solutions.iter().map(answer).collect()
}

fn to_clause(world: &World, body: Vec<Condition>, args: Vec<Term>) -> Clause {
    let head =
        Atom { predicate: PredicateId(u32::try_from(world.predicates.len()).unwrap()), args };
    Clause { head, body, variables: Vec::new(), span: Span::default() }
}

#[test]
fn every_order_of_a_random_clause_gives_the_same_answers() {
    let mut random = Random(11);
    let mut n_answers = 0;
    for _ in 0..400 {
        let world = random_world(&mut random);
        let estimates = Estimates::learn(&world.base, world.facts.clone(), Vec::new());
        let body = random_body(&world, &mut random);
        let vars: Vec<Var> = outer_vars(&body).into_iter().collect();
        let row: Vec<Term> = vars.iter().map(|var| Term::Var(*var)).collect();
        let expected = brute_answers(&world, &body, &vars);
        n_answers += expected.len();
        let clause = to_clause(&world, body.clone(), row.clone());
        let ordered = order_clause(&estimates, &clause, &BTreeSet::new()).unwrap();
        assert_eq!(ordered.body.len(), body.len());
        assert_eq!(matched_answers(&world, &ordered.body, &row), expected, "{:?}", ordered.body);
        let outside: BTreeSet<Var> = vars.into_iter().collect();
        let body = Body { conditions: &clause.body, known: &BTreeSet::new(), outside: &outside };
        let (best, greedy) =
            (order(&estimates, body).unwrap(), order_by_branching(&estimates, body).unwrap());
        for order in [&best, &greedy] {
            let places: BTreeSet<usize> = order.iter().copied().collect();
            assert_eq!(places.len(), clause.body.len());
            assert_waits_for_what_it_needs(&clause.body, order);
        }
        let cost = |order: &[usize]| expected_successes(&estimates, body, order).unwrap();
        assert!(cost(&best) <= cost(&greedy) * 1.000_001, "{best:?} {greedy:?}");
    }
    assert!(n_answers > 1000, "{n_answers}");
}

/// Comparisons, negations and counts come when their outer variables are bound, but for the one an
/// equation binds.
fn assert_waits_for_what_it_needs(body: &[Condition], order: &[usize]) {
    let mut bound = BTreeSet::new();
    for place in order {
        let vars = outer_vars(&body[*place..=*place]);
        let unbound = vars.difference(&bound).count();
        match &body[*place] {
            Condition::Compare(Comparison::Equal, ..) => assert!(unbound <= 1),
            Condition::None { .. } | Condition::Compare(..) => assert_eq!(unbound, 0),
            _ => {}
        }
        bound.extend(vars);
    }
}

/// The conditions on the way to each conclusion, with its clause and row.
fn paths<'t>(
    nodes: &'t [Node],
    way: &mut Vec<Condition>,
    found: &mut Vec<(usize, Vec<Condition>, &'t [Term])>,
) {
    let tried: Vec<&Condition> = nodes
        .iter()
        .filter_map(|node| match node {
            Node::Condition { condition, .. } => Some(condition),
            Node::Conclusion { .. } => None,
        })
        .collect();
    for (place, condition) in tried.iter().enumerate() {
        assert!(!tried[..place].contains(condition), "tried twice: {condition:?}");
    }
    for node in nodes {
        match node {
            Node::Condition { condition, children } => {
                way.push(condition.clone());
                paths(children, way, found);
                way.pop();
            }
            Node::Conclusion { clause, row } => found.push((*clause, way.clone(), row)),
        }
    }
}

fn n_conditions(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Condition { children, .. } => 1 + n_conditions(children),
            Node::Conclusion { .. } => 0,
        })
        .sum()
}

/// The kind of a condition and its predicate, which no renaming changes.
fn shape(condition: &Condition) -> String {
    match condition {
        Condition::Holds(atom) => format!("{:?}", atom.predicate),
        Condition::None { body, .. } => format!("none {}", body.len()),
        Condition::Compare(comparison, _, right) => {
            let comparison = match comparison {
                Comparison::Greater => Comparison::Less,
                Comparison::AtLeast => Comparison::AtMost,
                other => *other,
            };
            format!("{comparison:?} {}", matches!(right, Expr::Count { .. }))
        }
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}

fn shapes(body: &[Condition]) -> Vec<String> {
    let mut shapes: Vec<String> = body.iter().map(shape).collect();
    shapes.sort();
    shapes
}

/// A clause that says the same with other variables.
fn variant(world: &World, common: &[Condition], random: &mut Random) -> Clause {
    let mut names: Vec<u16> = (0..N_VARIABLES).collect();
    for place in (1..names.len()).rev() {
        names.swap(place, random.below(place + 1));
    }
    let rename = |var: Var| match names.get(usize::from(var.0)) {
        Some(name) => Term::Var(Var(*name)),
        None => Term::Var(var),
    };
    let body = substitute_body(common, &rename);
    let row = outer_vars(common).into_iter().map(rename).collect();
    to_clause(world, body, row)
}

/// A clause that says the same with other variables, and up to two things more.
fn longer_clause(world: &World, common: &[Condition], random: &mut Random) -> Clause {
    let mut clause = variant(world, common, random);
    let more = (0..random.below(3)).map(|_| Condition::Holds(random_atom(world, random)));
    clause.body.extend(more);
    clause.head.args = outer_vars(&clause.body).into_iter().map(Term::Var).collect();
    clause
}

#[test]
fn variants_of_one_clause_become_one_path() {
    let mut random = Random(13);
    for _ in 0..200 {
        let world = random_world(&mut random);
        let estimates = Estimates::learn(&world.base, world.facts.clone(), Vec::new());
        let common = random_body(&world, &mut random);
        let clauses = [0; 3].map(|_| variant(&world, &common, &mut random));
        let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
        let known = vec![random.below(2) == 0; clauses[0].head.args.len()];
        let tree = build_tree(&estimates, &known, &numbered).unwrap();
        assert_eq!(n_conditions(&tree.roots), common.len(), "{clauses:?}");
    }
}

#[test]
fn a_merged_tree_holds_the_conditions_of_each_clause_on_its_path() {
    let mut random = Random(12);
    let (mut n_alone, mut n_merged) = (0, 0);
    for _ in 0..120 {
        let world = random_world(&mut random);
        let estimates = Estimates::learn(&world.base, world.facts.clone(), Vec::new());
        let common = random_body(&world, &mut random);
        let clauses: Vec<Clause> =
            (0..4).map(|_| longer_clause(&world, &common, &mut random)).collect();
        let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
        let known = [false; N_VARIABLES as usize];
        let tree = build_tree(&estimates, &known, &numbered).unwrap();
        let mut found = Vec::new();
        paths(&tree.roots, &mut Vec::new(), &mut found);
        found.sort_by_key(|(clause, ..)| *clause);
        assert_eq!(found.len(), clauses.len());
        for ((number, path, row), clause) in found.iter().zip(&clauses) {
            assert_eq!(shapes(path), shapes(&clause.body));
            let vars: Vec<Var> = atom_vars(&clause.head).into_iter().collect();
            let expected = brute_answers(&world, &clause.body, &vars);
            assert_eq!(matched_answers(&world, path, row), expected, "{number} {path:?}");
            n_alone += path.len();
        }
        n_merged += n_conditions(&tree.roots);
    }
    assert!(n_merged * 5 < n_alone * 4, "{n_merged} {n_alone}");
}

fn show_term(term: Term) -> String {
    match term {
        Term::Var(Var(number)) => format!("R{number}"),
        Term::Value(Value::Int(number)) => number.to_string(),
        Term::Value(_) => "name".to_owned(),
    }
}

fn show_terms(terms: &[Term]) -> String {
    terms.iter().copied().map(show_term).collect::<Vec<_>>().join(", ")
}

fn show_condition(base: &ClauseBase, condition: &Condition) -> String {
    let show = |expr: &Expr| match expr {
        Expr::Term(term) => show_term(*term),
        other => format!("{other:?}"),
    };
    match condition {
        Condition::Holds(atom) => {
            format!("{}({})", base.predicate(atom.predicate).name, show_terms(&atom.args))
        }
        Condition::Compare(comparison, left, right) => {
            format!("{comparison:?} {} {}", show(left), show(right))
        }
        other => format!("{other:?}"),
    }
}

fn render(base: &ClauseBase, tree: &Tree) -> String {
    render_tree(tree, &|condition| show_condition(base, condition), &|clause, row| {
        format!("{clause}: {}", show_terms(row))
    })
}

fn path_clause(go: &Go, n_steps: u16, target: Term) -> Clause {
    let mut body = Vec::new();
    for step in 0..n_steps {
        body.push(holds(go.connected, &[var(step), var(step + 1)]));
        if step > 0 {
            body.push(unequal(step + 1, step - 1));
        }
    }
    let head = Atom { predicate: go.liberty, args: vec![var(0), target] };
    Clause { head, body, variables: Vec::new(), span: Span::default() }
}

#[test]
fn paths_of_different_lengths_share_their_beginnings() {
    let go = Go::new(9);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), Vec::new());
    let clauses: Vec<Clause> = (1..=3).map(|n| path_clause(&go, n, var(n))).collect();
    let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
    let tree = build_tree(&estimates, &[true, false], &numbered).unwrap();
    assert_eq!((tree.inputs.as_slice(), tree.n_registers), (&[Var(0)][..], 4));
    expect_test::expect![[r#"
        connected(R0, R1)
          => 0: R0, R1
          connected(R1, R2)
            Unequal R0 R2
              => 1: R0, R2
              connected(R2, R3)
                Unequal R1 R3
                  => 2: R0, R3
    "#]]
    .assert_eq(&render(&go.base, &tree));
}

#[test]
fn what_a_head_says_about_known_arguments_becomes_conditions() {
    let go = Go::new(9);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), Vec::new());
    let clauses = [
        path_clause(&go, 1, Term::Value(int(40))),
        path_clause(&go, 2, var(0)),
        path_clause(&go, 2, Term::Value(int(40))),
    ];
    let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
    let tree = build_tree(&estimates, &[true, true], &numbered).unwrap();
    expect_test::expect![[r#"
        Equal R1 40
          connected(R0, R2)
            => 0: R0, 40
            connected(R2, R3)
              Unequal R0 R3
                => 2: R0, 40
        Equal R0 R1
          connected(R0, R2)
            connected(R2, R3)
              Unequal R0 R3
                => 1: R0, R0
    "#]]
    .assert_eq(&render(&go.base, &tree));
}

#[test]
fn a_body_that_nothing_binds_is_reported() {
    let go = Go::new(3);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), Vec::new());
    let conditions = [holds(go.connected, &[var(0), var(1)]), unequal(0, 2)];
    let none = BTreeSet::new();
    let body = Body { conditions: &conditions, known: &none, outside: &none };
    let stuck = Err(OrderError::Stuck { waiting: vec![1], unbound: vec![Var(2)] });
    assert_eq!(order(&estimates, body), stuck);
    assert_eq!(order_by_branching(&estimates, body), stuck);
    let open = path_clause(&go, 1, var(7));
    let error = build_tree(&estimates, &[true, false], &[(5, &open)]).unwrap_err();
    assert_eq!(error.to_string(), "clause 5: nothing binds variable 7 of the head");
}

#[test]
fn a_body_of_two_hundred_conditions_is_ordered_along_its_links() {
    let go = Go::new(19);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), Vec::new());
    let mut random = Random(3);
    let mut conditions: Vec<Condition> =
        (0..100).map(|step| holds(go.connected, &[var(step), var(step + 1)])).collect();
    conditions.extend((0..100).map(|step| unequal(step, (step + 2) % 101)));
    for place in (1..conditions.len()).rev() {
        conditions.swap(place, random.below(place + 1));
    }
    let known = BTreeSet::from([Var(50)]);
    let body = Body { conditions: &conditions, known: &known, outside: &known };
    let order = order(&estimates, body).unwrap();
    let mut bound = known.clone();
    for place in order {
        let vars = condition_vars(&conditions[place]);
        let n_new = vars.difference(&bound).count();
        let is_test = matches!(conditions[place], Condition::Compare(..));
        assert_eq!(n_new, usize::from(!is_test), "every step begins where another ended");
        bound.extend(vars);
    }
}

#[test]
fn only_state_samples_lie_between_estimates_and_the_order_of_what_changes() {
    let go = Go::new(9);
    let blind = Estimates::learn(&go.base, go.fixed.clone(), Vec::new());
    let rule = go.threat_to_connect();
    let described = |estimates: &Estimates| -> Vec<String> {
        let rules = estimates.metarules(&rule);
        rules.iter().map(|rule| estimates.describe(rule, &|value| format!("{value:?}"))).collect()
    };
    assert!(described(&blind).iter().all(|line| line.ends_with("static facts")));
    let states = go.random_positions(5, 3, 40);
    let learned = Estimates::learn(&go.base, go.fixed.clone(), states);
    assert!(described(&learned).iter().any(|line| line.ends_with("3 states")));
}

/// Two predicates with the same rows, and a test.
fn twins() -> (ClauseBase, [PredicateId; 3], Estimates) {
    let mut base = ClauseBase::default();
    let domain = add_domain(&mut base, "value", (0..DOMAIN).map(int));
    let [left, right] = ["left", "right"].map(|name| add_predicate(&mut base, name, &[domain; 2]));
    let marked = add_predicate(&mut base, "marked", &[domain]);
    let mut facts = Sample::default();
    for number in 0..DOMAIN {
        for other in [(number + 1) % DOMAIN, (number + 2) % DOMAIN] {
            facts.add(left, &[int(number), int(other)]);
            facts.add(right, &[int(number), int(other)]);
        }
    }
    facts.add(marked, &[int(0)]);
    let estimates = Estimates::learn(&base, facts, Vec::new());
    (base, [left, right, marked], estimates)
}

#[test]
fn a_clause_begins_with_what_another_must_begin_with_if_that_costs_nothing() {
    let (base, [left, right, marked], estimates) = twins();
    let [x, y, z] = [0, 1, 2].map(var);
    let clause = |body: Vec<Condition>| {
        let head = Atom { predicate: left, args: vec![x, z] };
        Clause { head, body, variables: Vec::new(), span: Span::default() }
    };
    // Alone, the first clause might as well begin with `left`.
    let clauses = [
        clause(vec![holds(left, &[x, y]), holds(right, &[x, z])]),
        clause(vec![
            holds(marked, &[z]),
            holds(right, &[x, z]),
            holds(right, &[z, y]),
            unequal(0, 1),
        ]),
        clause(vec![holds(right, &[x, z])]),
    ];
    let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
    let tree = build_tree(&estimates, &[true, false], &numbered).unwrap();
    expect_test::expect![[r#"
        right(R0, R1)
          => 2: R0, R1
          left(R0, R2)
            => 0: R0, R1
          marked(R1)
            right(R1, R2)
              Unequal R0 R2
                => 1: R0, R1
    "#]]
    .assert_eq(&render(&base, &tree));
}

#[test]
fn a_passage_waits_for_what_its_body_cannot_bind() {
    let (_, [left, right, marked], estimates) = twins();
    let [x, y, z] = [0, 1, 2].map(var);
    let below = Condition::Compare(Comparison::Less, Expr::Term(y), Expr::Term(z));
    let passage = |quantifier| Condition::Elsewhere {
        by: Atom { predicate: marked, args: vec![x] },
        quantifier,
        body: vec![below.clone(), holds(left, &[x, y])],
    };
    let none = BTreeSet::new();
    for quantifier in [Quantifier::Some, Quantifier::Every] {
        let conditions = [passage(quantifier), holds(right, &[x, z])];
        let body = Body { conditions: &conditions, known: &none, outside: &none };
        assert_eq!(order(&estimates, body).unwrap(), [1, 0]);
        assert_eq!(order_by_branching(&estimates, body).unwrap(), [1, 0]);
        let head = Atom { predicate: marked, args: vec![x] };
        let clause = Clause {
            head,
            body: conditions.to_vec(),
            variables: Vec::new(),
            span: Span::default(),
        };
        let ordered = order_clause(&estimates, &clause, &none).unwrap();
        let Condition::Elsewhere { body, .. } = &ordered.body[1] else { panic!("{ordered:?}") };
        assert_eq!(*body, [holds(left, &[x, y]), below.clone()]);
    }
}
