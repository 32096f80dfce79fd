//! Metarules: sound in every world, minimal, found in any order, saved and read back.
//!
//! In: small worlds and random clauses. Out: answers before and after, compared by brute force.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod worlds;

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::expect;
use indexmap::IndexSet;
use rulesmith_logic::{
    Atom, Comparison, Condition, Domain, DomainId, Expr, Operation, PredicateId, Row, Symbols,
    Term, Value, Var, condition_vars, substitute_term,
};
use rulesmith_specialize::metarules::{
    By, Complaint, Consequence, Declarations, Effect, Families, Family, LazyMiner, Metarule,
    Minimization, MiningLimits, Origin, Proof, Question, SavedError, Store, Symmetry, Use, audit,
    metarule_text, mine, read_metarules, write_metarules,
};
use rulesmith_specialize::{StaticFacts, StaticRelation};
use worlds::{abalone, condition, conditions, grid, hex_grid, torus, variable};

/// A seeded generator of random numbers.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// No metarule has a fault.
fn check_audit(metarules: &[Metarule], facts: &StaticFacts) {
    let complaints = audit(metarules, facts);
    let texts: Vec<String> = complaints
        .iter()
        .map(|(place, found)| format!("{} {found:?}", metarule_text(&metarules[*place], facts)))
        .collect();
    assert!(texts.is_empty(), "{texts:#?}");
}

/// No metarule is false, though one may have conditions too many.
fn check_true(metarules: &[Metarule], facts: &StaticFacts) {
    for (place, complaint) in audit(metarules, facts) {
        let text = metarule_text(&metarules[place], facts);
        assert!(matches!(complaint, Complaint::NotMinimal(_)), "{text} {complaint:?}");
    }
}

fn store_of(facts: &StaticFacts, symmetry: Symmetry) -> Store {
    let mut store = Store::new(Declarations::default(), Families::ALL);
    for metarule in mine(facts, symmetry, MiningLimits::default()).metarules {
        store.add(metarule);
    }
    store
}

#[test]
fn every_mined_metarule_of_the_six_domains_is_true_and_minimal() {
    for (name, facts) in worlds::all() {
        for symmetry in [Symmetry::AsWritten, Symmetry::Normalized] {
            let mined = mine(&facts, symmetry, MiningLimits::default());
            assert!(!mined.metarules.is_empty(), "{name}");
            assert_eq!(mined.n_undecided, 0, "{name}");
            assert_eq!(audit(&mined.metarules, &facts), [], "{name}");
        }
    }
}

/// A random connected body over `connected` with some tests.
fn random_body(random: &mut SplitMix64, facts: &StaticFacts) -> Vec<Condition> {
    let relation = facts.relation(PredicateId(0)).unwrap();
    let (n_points, n_labels) = (3 + random.below(3), 2);
    let mut body = Vec::new();
    for _ in 0..2 + random.below(5) {
        let mut args: Vec<Term> = (0..2)
            .map(|_| Term::Var(Var(u16::try_from(random.below(n_points)).unwrap())))
            .collect();
        if relation.columns.len() == 3 {
            args.push(Term::Var(Var(u16::try_from(10 + random.below(n_labels)).unwrap())));
        }
        if random.below(12) == 0 {
            let row = &relation.rows[random.below(relation.rows.len())];
            let column = random.below(args.len());
            args[column] = Term::Value(row[column]);
        }
        body.push(Condition::Holds(Atom { predicate: PredicateId(0), args }));
    }
    for _ in 0..random.below(4) {
        let var = |random: &mut SplitMix64| Var(u16::try_from(random.below(n_points)).unwrap());
        let (left, right) = (var(random), var(random));
        let (left, right) = (Expr::Term(Term::Var(left)), Expr::Term(Term::Var(right)));
        body.push(Condition::Compare(Comparison::Unequal, left, right));
    }
    body
}

#[test]
fn every_lazily_learned_metarule_is_true_and_minimal() {
    let mut random = SplitMix64(11);
    for (name, facts) in worlds::all() {
        let mut miner = LazyMiner::new(&facts);
        let mut halving = LazyMiner::with_minimization(&facts, Minimization::Halves);
        let mut learned = Vec::new();
        for _ in 0..60 {
            let body = random_body(&mut random, &facts);
            let core = miner.refute(&body);
            assert_eq!(core.is_some(), !facts.may_match(&body), "{name}: {body:?}");
            if core.is_none() {
                for place in 0..body.len() {
                    let outside = &[Var(0)];
                    learned.extend(miner.useless(Question { body: &body, place, outside }));
                }
            }
            learned.extend(core);
            learned.extend(halving.refute(&body));
        }
        assert!(learned.len() > 20, "{name}");
        check_audit(&learned, &facts);
    }
}

#[test]
fn a_wrong_metarule_in_the_store_is_reported() {
    let facts = grid(4);
    let mut store = store_of(&facts, Symmetry::AsWritten);
    let proof = Proof::Static(facts.digest());
    let square = conditions("connected(A,B), connected(B,C), connected(C,D), connected(D,A)");
    let wrong = [
        Metarule::new(&square, &Consequence::Impossible, proof, Origin::Author),
        Metarule::new(
            &conditions("connected(A,B), connected(A,C)"),
            &Consequence::Equal(Term::Var(variable("B")), Term::Var(variable("C"))),
            proof,
            Origin::Author,
        ),
        Metarule::new(
            &conditions("connected(A,B), connected(B,C)"),
            &Consequence::Holds(condition("A\\=C")),
            proof,
            Origin::Author,
        ),
        Metarule::new(
            &conditions("connected(A,B)"),
            &Consequence::Within(variable("A"), vec![Value::Int(0), Value::Int(1)]),
            proof,
            Origin::Author,
        ),
    ];
    for metarule in wrong {
        let id = store.add(metarule);
        let complaints = audit(store.metarules().map(|(_, metarule)| metarule), &facts);
        let place = store.metarules().position(|(other, _)| other == id).unwrap();
        let is_reported = |(at, complaint): &(usize, Complaint)| {
            *at == place && matches!(complaint, Complaint::False(_))
        };
        assert!(complaints.iter().any(is_reported), "{complaints:?}");
        store = store_of(&facts, Symmetry::AsWritten);
    }
}

#[test]
fn a_metarule_with_a_condition_too_many_is_reported() {
    let facts = grid(4);
    let body = conditions("connected(A,B), connected(B,C), connected(C,A), connected(C,D)");
    let proof = Proof::Static(facts.digest());
    let metarule = Metarule::new(&body, &Consequence::Impossible, proof, Origin::Author);
    let complaints = audit([&metarule], &facts);
    assert!(matches!(complaints[..], [(0, Complaint::NotMinimal(_))]), "{complaints:?}");
    assert_eq!(audit([&metarule], &grid(5)), [(0, Complaint::OtherFacts)]);
}

#[test]
fn two_conditions_that_justify_each_other_do_not_both_go() {
    let facts = grid(4);
    let body = conditions("connected(X,Y), connected(Y,X)");
    for symmetry in [Symmetry::AsWritten, Symmetry::Normalized] {
        let mut store = store_of(&facts, symmetry);
        let trimmed = store.remove_useless(&body, &[variable("X")], &|_| Some(0), None);
        assert_eq!(trimmed.conditions.len(), 1);
        let removal = &trimmed.removals[0];
        assert_eq!(removal.support, trimmed.conditions);
        let By::Metarule(id) = removal.by else { panic!("a generated metarule removed it") };
        assert_eq!(store.get(id).unwrap().uses.of(Use::Removal), 1);
    }
    let mut lazy = Store::new(Declarations::default(), Families::ALL);
    let mut miner = LazyMiner::new(&facts);
    let trimmed = lazy.remove_useless(&body, &[variable("X")], &|_| Some(0), Some(&mut miner));
    assert_eq!(trimmed.conditions.len(), 1);
}

#[test]
fn a_step_that_can_always_be_made_is_a_useless_generator() {
    let facts = grid(4);
    let body = conditions("connected(X,Y), connected(Y,Z)");
    let mut store = Store::new(Declarations::default(), Families::ALL);
    let mut miner = LazyMiner::new(&facts);
    let outside = [variable("X"), variable("Y")];
    let trimmed = store.remove_useless(&body, &outside, &|_| Some(0), Some(&mut miner));
    assert_eq!(trimmed.conditions, conditions("connected(X,Y)"));
    let text = metarule_text(store.metarules().next().unwrap().1, &facts);
    expect!["useless some connected(Y, Z) :- connected(X, Y)."].assert_eq(&text);
    // With Z in the head it is an answer, and with Y free nothing binds it.
    for outside in [["X", "Z"], ["Y", "Z"]] {
        let outside = outside.map(variable);
        let trimmed = store.remove_useless(&body, &outside, &|_| Some(0), Some(&mut miner));
        assert_ne!(trimmed.conditions, conditions("connected(X,Y)"));
    }
}

#[test]
fn a_clause_with_a_triangle_dies_by_its_metarule() {
    let facts = grid(5);
    let store = store_of(&facts, Symmetry::Normalized);
    let chased = store.apply(&conditions("connected(A,B), connected(C,B), connected(A,C)"));
    assert!(chased.is_impossible);
    let last = chased.steps.last().unwrap();
    let By::Metarule(id) = last.by else { panic!("a generated metarule killed it") };
    assert_eq!(store.get(id).unwrap().uses.of(Use::Kill), 1);
    assert_eq!(last.support.len(), 3);
}

#[test]
fn two_targets_of_one_step_become_one_and_ghosts_are_kept_apart() {
    let facts = abalone();
    let store = store_of(&facts, Symmetry::AsWritten);
    let chased = store.apply(&conditions("connected(X,Y,D), connected(X,Z,D), connected(Y,W,E)"));
    assert!(!chased.is_impossible);
    assert_eq!(chased.substitution.get(&variable("Z")), Some(&Term::Var(variable("Y"))));
    assert_eq!(chased.conditions, conditions("connected(X,Y,D), connected(Y,W,E)"));
    assert_eq!(chased.ghosts, conditions("X\\=Y, Y\\=W"));
}

#[test]
fn general_metarules_see_contradictions_and_equalities() {
    let store = Store::new(Declarations::default(), Families::ALL);
    let bodies = [
        "X\\=X",
        "X<X",
        "X=<X",
        "X<Y, Y<X",
        "X<Y, Y=<Z, Z<X",
        "X=1, X=2",
        "X=<Y, Y=<X",
        "3=1+1",
        "X=X+1",
        "X=Y+1, Y=Z+1, X=Z",
        "X=Y+1, X<Y",
        "X<3, X>5",
        "X<3, X>1",
        "X<Y, X\\=Y",
    ];
    let mut text = String::new();
    for body in bodies {
        let chased = store.apply(&conditions(body));
        let steps = chased.steps.iter().map(|step| match &step.effect {
            Effect::Unified(_, Term::Value(value)) => format!("{:?} {value:?}", step.by),
            Effect::Unified(..) => format!("{:?} same", step.by),
            effect => format!("{:?} {effect:?}", step.by),
        });
        let steps: Vec<String> = steps.collect();
        writeln!(text, "{body}: {} left; {}", chased.conditions.len(), steps.join(", ")).unwrap();
    }
    expect![[r#"
        X\=X: 1 left; General(Comparison) Impossible
        X<X: 1 left; General(Comparison) Impossible
        X=<X: 1 left; 
        X<Y, Y<X: 2 left; General(Arithmetic) Impossible
        X<Y, Y=<Z, Z<X: 3 left; General(Arithmetic) Impossible
        X=1, X=2: 1 left; General(Comparison) Int(1), General(Comparison) Impossible
        X=<Y, Y=<X: 1 left; General(Arithmetic) same
        3=1+1: 1 left; General(Arithmetic) Impossible
        X=X+1: 1 left; General(Arithmetic) Impossible
        X=Y+1, Y=Z+1, X=Z: 2 left; General(Comparison) same, General(Arithmetic) Impossible
        X=Y+1, X<Y: 2 left; General(Arithmetic) Impossible
        X<3, X>5: 2 left; General(Arithmetic) Impossible
        X<3, X>1: 0 left; General(Arithmetic) Int(2)
        X<Y, X\=Y: 2 left; 
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_negation_of_what_is_there_is_a_contradiction() {
    let store = Store::new(Declarations::default(), Families::ALL);
    let none = |locals: &[&str], body: &str| Condition::None {
        locals: locals.iter().map(|name| variable(name)).collect(),
        body: conditions(body),
    };
    let with = |negation: Condition| {
        let mut body = conditions("connected(X,Y), connected(Y,Z)");
        body.push(negation);
        store.apply(&body).is_impossible
    };
    assert!(with(none(&[], "connected(X,Y)")));
    assert!(with(none(&["W"], "connected(X,W), connected(W,Z)")));
    assert!(!with(none(&[], "connected(Y,X)")));
    assert!(!with(none(&["W"], "connected(W,X)")));
}

#[test]
fn families_can_be_switched_off() {
    let facts = grid(4);
    let mut store = store_of(&facts, Symmetry::AsWritten);
    let triangle = conditions("connected(X,Y), connected(Y,Z), connected(Z,X)");
    assert!(store.apply(&triangle).is_impossible);
    let off = [Family::Impossibility, Family::Useless, Family::General];
    let families = off.into_iter().fold(Families::ALL, Families::without);
    store.set_families(families);
    let chased = store.apply(&triangle);
    assert!(!chased.is_impossible && chased.ghosts.is_empty() && chased.steps.is_empty());
}

#[test]
fn a_metarule_is_added_unless_one_implies_it() {
    let facts = torus(3);
    let mut store = Store::new(Declarations::default(), Families::ALL);
    let proof = Proof::Static(facts.digest());
    let denial = |body: &str| {
        Metarule::new(&conditions(body), &Consequence::Impossible, proof, Origin::Author)
    };
    let special = store.add(denial("connected(X,X), connected(X,Y), X\\=Y"));
    let general = store.add(denial("connected(Y,Y)"));
    assert_ne!(special, general);
    assert_eq!(store.metarules().count(), 1);
    assert_eq!(store.add(denial("connected(Z,W), connected(W,W)")), general);
    assert!(store.get(special).is_some());
}

#[test]
fn the_same_conditions_in_any_order_give_the_same_metarule_and_are_tried_once() {
    let facts = grid(6);
    let mut random = SplitMix64(5);
    let mut body = conditions(
        "connected(A,B), A\\=B, connected(B,C), A\\=C, connected(C,D), connected(D,E), \
         connected(E,A), connected(A,F), F\\=C",
    );
    let mut miner = LazyMiner::new(&facts);
    let first = miner.refute(&body).unwrap();
    let n_tests = miner.n_tests();
    for _ in 0..20 {
        random.shuffle(&mut body);
        let shift = u16::try_from(random.below(5)).unwrap();
        let rename = |var: Var| Term::Var(Var(40 - var.0 + shift));
        let renamed = rulesmith_logic::substitute_body(&body, &rename);
        let fresh = LazyMiner::new(&facts).refute(&renamed).unwrap();
        assert_eq!(metarule_text(&fresh, &facts), metarule_text(&first, &facts));
        assert_eq!(fresh.origin, first.origin);
        miner.refute(&renamed);
    }
    assert_eq!(miner.n_tests(), n_tests);
    assert_eq!(miner.n_remembered(), 20);
}

#[test]
fn constants_and_repetitions_that_do_not_matter_are_generalized() {
    let facts = grid(4);
    let mut miner = LazyMiner::new(&facts);
    let core = miner.refute(&conditions("connected(X,5), connected(5,Y), connected(Y,X)")).unwrap();
    let text = metarule_text(&core, &facts);
    expect!["impossible :- connected(X, Y), connected(Y, Z), connected(Z, X)."].assert_eq(&text);
    // A corner has two neighbors only: here the constant matters.
    let corner = "connected(0,X), connected(0,Y), connected(0,Z), X\\=Y, Y\\=Z, X\\=Z";
    let core = miner.refute(&conditions(corner)).unwrap();
    assert!(metarule_text(&core, &facts).contains("connected(0, "));
    assert_eq!(audit([&core], &facts), []);
}

#[test]
fn saved_metarules_come_back() {
    let mut random = SplitMix64(3);
    for (name, facts) in worlds::all() {
        let mut store = store_of(&facts, Symmetry::Normalized);
        let mut miner = LazyMiner::new(&facts);
        for _ in 0..30 {
            if let Some(learned) = miner.refute(&random_body(&mut random, &facts)) {
                store.add(learned);
            }
        }
        let text = write_metarules(store.metarules().map(|(_, metarule)| metarule), &facts);
        let read = read_metarules(&text, &facts).unwrap();
        assert_eq!(read.len(), store.metarules().count(), "{name}");
        for (read, (_, written)) in read.iter().zip(store.metarules()) {
            assert!(read.says_the_same(written), "{name}");
            assert_eq!((read.proof, read.origin), (written.proof, written.origin));
        }
        assert_eq!(write_metarules(&read, &facts), text);
    }
}

#[test]
fn metarules_of_other_facts_and_false_ones_are_refused() {
    let facts = grid(4);
    let text = write_metarules(
        &mine(&facts, Symmetry::AsWritten, MiningLimits::default()).metarules,
        &facts,
    );
    let other = read_metarules(&text, &grid(5));
    assert!(matches!(other, Err(SavedError::OtherFacts { .. })), "{other:?}");
    let forged = text + "impossible :- connected(X, Y), connected(Y, X). % pattern 2\n";
    let refused = read_metarules(&forged, &facts);
    assert!(matches!(refused, Err(SavedError::False { .. })), "{refused:?}");
}

#[test]
fn garbage_is_refused_without_panic() {
    let facts = hex_grid(3);
    let mined = mine(&facts, Symmetry::AsWritten, MiningLimits::default());
    let text = write_metarules(&mined.metarules, &facts);
    let mut random = SplitMix64(17);
    let pieces = [
        "(",
        ")",
        "X",
        "9999999999",
        "'",
        "\\",
        "none {",
        "}",
        ":-",
        ".",
        "%",
        "é",
        "-",
        "=<",
        "\n",
    ];
    let start = text.match_indices('\n').nth(1).unwrap().0 + 1;
    let mut n_refused = 0;
    for _ in 0..3000 {
        let mut forged: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(3) {
            let place = start + random.below(forged.len() - start);
            let piece: Vec<char> = pieces[random.below(pieces.len())].chars().collect();
            let end = (place + random.below(4)).min(forged.len());
            forged.splice(place..end, piece);
        }
        let forged: String = forged.into_iter().collect();
        match read_metarules(&forged, &facts) {
            Err(_) => n_refused += 1,
            Ok(read) => check_true(&read, &facts),
        }
    }
    assert!(n_refused > 1000);
    assert_eq!(read_metarules("", &facts).err(), Some(SavedError::Version));
    let deep = format!("{}{}", &text[..start], "none {: ".repeat(100_000));
    assert!(read_metarules(&deep, &facts).is_err());
}

/// A random world: two binary relations and a function over few numbers.
fn random_world(random: &mut SplitMix64) -> (StaticFacts, Declarations) {
    const N_VALUES: i32 = 4;
    let mut domain = Domain { name: "number".into(), values: IndexSet::default() };
    domain.values.extend((0..N_VALUES).map(Value::Int));
    let column = Some(DomainId(0));
    let mut relations = Vec::new();
    for name in ["p", "q"] {
        let density = 1 + random.below(3);
        let pairs = (0..N_VALUES).flat_map(|left| (0..N_VALUES).map(move |right| [left, right]));
        let mut rows: Vec<Row> = Vec::new();
        for pair in pairs {
            if random.below(4) < density {
                rows.push(pair.map(Value::Int).as_slice().into());
            }
        }
        relations.push(StaticRelation { name: name.into(), columns: vec![column; 2], rows });
    }
    let mut rows: Vec<Row> = Vec::new();
    for key in 0..N_VALUES {
        if random.below(5) > 0 {
            let value = i32::try_from(random.below(4)).unwrap();
            rows.push([key, value].map(Value::Int).as_slice().into());
        }
    }
    relations.push(StaticRelation { name: "f".into(), columns: vec![column; 2], rows });
    let declarations = (0..3).fold(
        Declarations::default().with_domain(domain.clone()).with_function(PredicateId(2), 1),
        |declarations, number| declarations.with_columns(PredicateId(number), vec![column; 2]),
    );
    (StaticFacts::from_relations(Symbols::default(), vec![domain], relations), declarations)
}

/// A random clause whose variables all stand in atoms.
fn random_clause(random: &mut SplitMix64) -> Vec<Condition> {
    let n_variables = 2 + random.below(3);
    let var =
        |random: &mut SplitMix64| Term::Var(Var(u16::try_from(random.below(n_variables)).unwrap()));
    let term = |random: &mut SplitMix64| match random.below(8) {
        0 => Term::Value(Value::Int(i32::try_from(random.below(6)).unwrap() - 1)),
        _ => var(random),
    };
    let mut body = Vec::new();
    for number in 0..n_variables {
        let predicate = PredicateId(u32::try_from(random.below(3)).unwrap());
        let mut args = vec![Term::Var(Var(u16::try_from(number).unwrap())), term(random)];
        if random.below(2) == 0 {
            args.swap(0, 1);
        }
        body.push(Condition::Holds(Atom { predicate, args }));
    }
    let comparisons = [
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ];
    for _ in 0..random.below(5) {
        let comparison = comparisons[random.below(comparisons.len())];
        let left = Expr::Term(term(random));
        let operations =
            [Operation::Add, Operation::Sub, Operation::Min, Operation::Max, Operation::Mul];
        body.push(match random.below(6) {
            0 => {
                let operation = operations[random.below(operations.len())];
                let operands = [term(random), term(random)].map(|term| Box::new(Expr::Term(term)));
                let [first, second] = operands;
                Condition::Compare(Comparison::Equal, left, Expr::Binary(operation, first, second))
            }
            1 => {
                let predicate = PredicateId(u32::try_from(random.below(3)).unwrap());
                let atom = Atom { predicate, args: vec![var(random), var(random)] };
                Condition::None { locals: Vec::new(), body: vec![Condition::Holds(atom)] }
            }
            2 => Condition::Member(term(random), DomainId(0)),
            _ => Condition::Compare(comparison, left, Expr::Term(term(random))),
        });
    }
    random.shuffle(&mut body);
    body
}

/// All answers of a body for some terms, by trying all values.
fn answers(facts: &StaticFacts, body: &[Condition], head: &[Term]) -> BTreeSet<Vec<Value>> {
    let vars: BTreeSet<Var> = body
        .iter()
        .flat_map(condition_vars)
        .chain(head.iter().filter_map(|term| match term {
            Term::Var(var) => Some(*var),
            Term::Value(_) => None,
        }))
        .collect();
    let vars: Vec<Var> = vars.into_iter().collect();
    let mut found = BTreeSet::new();
    for number in 0..4_usize.pow(u32::try_from(vars.len()).unwrap()) {
        let value = |var: Var| {
            let place = vars.iter().position(|other| *other == var).unwrap();
            let digit = number / 4_usize.pow(u32::try_from(place).unwrap()) % 4;
            Term::Value(Value::Int(i32::try_from(digit).unwrap()))
        };
        let ground = rulesmith_logic::substitute_body(body, &value);
        if facts.may_match(&ground) {
            let row = head.iter().map(|term| match substitute_term(*term, &value) {
                Term::Value(value) => value,
                Term::Var(_) => unreachable!("every variable has a value"),
            });
            found.insert(row.collect());
        }
    }
    found
}

#[test]
fn metarules_of_any_family_never_change_the_answers() {
    let families = [Family::General, Family::Impossibility, Family::Monovaluation, Family::Useless];
    let mut random = SplitMix64(2024);
    let (mut n_killed, mut n_removed, mut n_unified) = (0, 0, 0);
    for _ in 0..40 {
        let (facts, declarations) = random_world(&mut random);
        let mined = mine(&facts, Symmetry::Normalized, MiningLimits::default());
        check_audit(&mined.metarules, &facts);
        let mut full = Store::new(declarations, Families::ALL);
        for metarule in mined.metarules {
            full.add(metarule);
        }
        for _ in 0..15 {
            let body = random_clause(&mut random);
            let head = [Term::Var(Var(0)), Term::Var(Var(1))];
            let expected = answers(&facts, &body, &head);
            let mut chosen = Families::NONE;
            for family in families {
                if random.below(3) > 0 {
                    chosen = chosen.with(family);
                }
            }
            let mut store = full.clone();
            store.set_families(chosen);
            let chased = store.apply(&body);
            if chased.is_impossible {
                n_killed += 1;
                assert!(expected.is_empty(), "{body:?}\n{:?}", chased.steps);
                continue;
            }
            n_unified += usize::from(!chased.substitution.is_empty());
            let map = |var: Var| *chased.substitution.get(&var).unwrap_or(&Term::Var(var));
            let head = head.map(|term| substitute_term(term, &map));
            assert_eq!(
                answers(&facts, &chased.conditions, &head),
                expected,
                "{body:?}\n{chased:?}"
            );
            let ghosts: Vec<Condition> =
                chased.conditions.iter().chain(&chased.ghosts).cloned().collect();
            assert_eq!(answers(&facts, &ghosts, &head), expected, "{body:?}\n{chased:?}");
            let outside: Vec<Var> = head
                .iter()
                .filter_map(|term| if let Term::Var(var) = term { Some(*var) } else { None })
                .collect();
            let mut miner = LazyMiner::new(&facts);
            let miner = (random.below(2) == 0).then_some(&mut miner);
            let dearness = |part: &Condition| Some(u64::from(matches!(part, Condition::Holds(_))));
            let trimmed = store.remove_useless(&chased.conditions, &outside, &dearness, miner);
            n_removed += trimmed.removals.len();
            assert_eq!(
                answers(&facts, &trimmed.conditions, &head),
                expected,
                "{body:?}\n{chased:?}\n{trimmed:?}"
            );
        }
    }
    assert!(
        n_killed > 100 && n_removed > 100 && n_unified > 100,
        "{n_killed} {n_removed} {n_unified}"
    );
}

#[test]
fn a_long_symmetric_body_is_refuted_without_delay() {
    // A star of sixty rays has 60! symmetries; with a loop at its center it is impossible.
    let facts = grid(4);
    let var = |number: u16| Term::Var(Var(number));
    let edge = |from: Term, to: Term| {
        Condition::Holds(Atom { predicate: PredicateId(0), args: vec![from, to] })
    };
    let mut body: Vec<Condition> = (1..=60).map(|ray| edge(var(0), var(ray))).collect();
    body.push(edge(var(0), var(0)));
    let core = LazyMiner::new(&facts).refute(&body).unwrap();
    assert_eq!(metarule_text(&core, &facts), "impossible :- connected(X, X).");
}
