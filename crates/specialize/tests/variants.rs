//! Canonical forms against a test of all renamings.

mod clauses;

use clauses::{Random, chain, common_neighbors, random_clause, shuffled_and_renamed};
use rulesmith_logic::{Clause, Term, Value};
use rulesmith_specialize::canonical;

#[test]
fn shuffling_and_renaming_keeps_the_form() {
    let mut random = Random(1);
    for _ in 0..3000 {
        let n_conditions = random.below(7);
        let clause = random_clause(&mut random, n_conditions);
        let twin = shuffled_and_renamed(&clause, &mut random);
        let (form, other) = (canonical(&clause), canonical(&twin));
        assert!(form.is_exact && other.is_exact);
        assert!(form.is_variant_of(&other), "{clause:?}\n{:?}\n{:?}", form.clause, other.clause);
    }
}

#[test]
fn forms_are_equal_exactly_for_variants() {
    let mut random = Random(2);
    let mut n_variants = 0;
    for _ in 0..20_000 {
        let n_conditions = random.below(4);
        let clause = random_clause(&mut random, n_conditions);
        let other = random_clause(&mut random, n_conditions);
        let are_variants = clauses::are_variants(&clause, &other);
        n_variants += usize::from(are_variants);
        let (form, other_form) = (canonical(&clause), canonical(&other));
        assert_eq!(form.is_variant_of(&other_form), are_variants, "{clause:?}\n{other:?}");
    }
    assert!(n_variants > 50, "{n_variants} variants met");
}

#[test]
fn a_form_is_its_own_form() {
    let mut random = Random(3);
    for _ in 0..1000 {
        let n_conditions = random.below(7);
        let form = canonical(&random_clause(&mut random, n_conditions));
        let again = canonical(&form.clause);
        assert!(form.is_variant_of(&again));
        assert_eq!(
            (&form.clause.head, &form.clause.body),
            (&again.clause.head, &again.clause.body)
        );
    }
}

#[test]
fn symmetric_and_long_clauses_have_exact_forms() {
    let mut random = Random(4);
    let bare = |clause: Clause| {
        let head = clauses::atom(4, vec![Term::Value(Value::Int(0))]);
        Clause { head, ..clause }
    };
    let mut all: Vec<Clause> = [3, 6, 10].map(common_neighbors).into_iter().collect();
    all.extend([3, 6].map(|n_neighbors| bare(common_neighbors(n_neighbors))));
    all.extend([chain(200), bare(chain(200))]);
    for clause in all {
        let twin = shuffled_and_renamed(&clause, &mut random);
        let (form, other) = (canonical(&clause), canonical(&twin));
        assert!(form.is_exact && other.is_exact, "{} conditions", clause.body.len());
        assert!(form.is_variant_of(&other), "{} conditions", clause.body.len());
    }
}
