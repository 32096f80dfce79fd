//! Subsumption, reduction and minimal bodies against brute force and against the solver's answers.

mod clauses;

use clauses::worlds::{answers, random_world};
use clauses::{
    Random, holds, more_special, plain_clause, random_clause, shuffled_and_renamed, var,
};
use rulesmith_logic::{Clause, Term, Var, atom_vars, substitute_body};
use rulesmith_specialize::{
    Containment, STEP_LIMIT, WithGhosts, canonical, contains, minimize, reduce,
};

fn is_contained(general: &Clause, specific: &Clause) -> bool {
    let specific = WithGhosts { clause: specific.clone(), ghosts: vec![] };
    contains(general, &specific, STEP_LIMIT) == Containment::Contained
}

#[test]
fn containment_agrees_with_all_substitutions() {
    let mut random = Random(1);
    let mut n_contained = 0;
    for _ in 0..4000 {
        let (n_general, n_specific) = (random.below(4), random.below(5));
        let general = plain_clause(&mut random, n_general);
        let specific = plain_clause(&mut random, n_specific);
        let expected = clauses::contains_by_force(&general, &specific);
        n_contained += usize::from(expected);
        assert_eq!(is_contained(&general, &specific), expected, "{general:?}\n{specific:?}");
    }
    assert!(n_contained > 100, "{n_contained} met");
}

#[test]
fn a_contained_clause_has_no_answer_of_its_own() {
    let mut random = Random(2);
    let mut n_contained = 0;
    for _ in 0..6000 {
        let n_conditions = random.below(5);
        let general = random_clause(&mut random, n_conditions);
        let specific = more_special(&general, &mut random);
        for (general, specific) in [(&general, &specific), (&specific, &general)] {
            if !is_contained(general, specific) {
                continue;
            }
            n_contained += 1;
            for _ in 0..6 {
                let world = random_world(&mut random, 1);
                let all = answers(std::slice::from_ref(general), &world);
                let some = answers(std::slice::from_ref(specific), &world);
                assert!(some.is_subset(&all), "{general:?}\n{specific:?}");
            }
        }
    }
    assert!(n_contained > 3000, "{n_contained} met");
}

fn random_family(random: &mut Random) -> Vec<Clause> {
    let mut family = Vec::new();
    for _ in 0..=random.below(3) {
        let n_conditions = random.below(4);
        let clause = random_clause(random, n_conditions);
        family.push(more_special(&clause, random));
        family.push(shuffled_and_renamed(&clause, random));
        family.push(more_special(&clause, random));
        family.push(clause);
    }
    random.shuffle(&mut family);
    family
}

fn without_ghosts(clauses: &[Clause]) -> Vec<WithGhosts> {
    clauses.iter().map(|clause| WithGhosts { clause: clause.clone(), ghosts: vec![] }).collect()
}

#[test]
fn reduction_and_minimal_bodies_keep_all_answers() {
    let mut random = Random(3);
    let (mut n_left_out, mut n_dropped) = (0, 0);
    for _ in 0..800 {
        let family = random_family(&mut random);
        let reduced = reduce(without_ghosts(&family), STEP_LIMIT);
        let n_out = reduced.duplicates.len() + reduced.subsumed.len();
        assert_eq!(reduced.kept.len() + n_out, family.len());
        n_left_out += n_out;
        let kept: Vec<Clause> =
            reduced.kept.iter().map(|kept| kept.clause.clause.clone()).collect();
        let minimal: Vec<_> = kept.iter().map(|clause| minimize(clause, STEP_LIMIT)).collect();
        n_dropped += minimal.iter().map(|minimal| minimal.dropped.len()).sum::<usize>();
        let minimal: Vec<Clause> = minimal.into_iter().map(|minimal| minimal.clause).collect();
        for _ in 0..5 {
            let world = random_world(&mut random, 1);
            let expected = answers(&family, &world);
            assert_eq!(answers(&kept, &world), expected, "{family:?}");
            assert_eq!(answers(&minimal, &world), expected, "{kept:?}\n{minimal:?}");
        }
    }
    assert!(n_left_out > 2000 && n_dropped > 50, "{n_left_out} left out, {n_dropped} dropped");
}

#[test]
fn what_is_kept_does_not_depend_on_the_order() {
    let mut random = Random(4);
    for _ in 0..300 {
        let mut family = random_family(&mut random);
        let kept = |family: &[Clause]| -> Vec<u128> {
            let reduced = reduce(without_ghosts(family), STEP_LIMIT);
            reduced.kept.iter().map(|kept| canonical(&kept.clause.clause).key).collect()
        };
        let before = kept(&family);
        random.shuffle(&mut family);
        assert_eq!(kept(&family), before);
    }
}

#[test]
fn whoever_is_left_out_names_a_kept_clause() {
    let mut random = Random(5);
    for _ in 0..200 {
        let family = random_family(&mut random);
        let reduced = reduce(without_ghosts(&family), STEP_LIMIT);
        for left_out in reduced.duplicates.iter().chain(&reduced.subsumed) {
            let by = reduced.kept.iter().find(|kept| kept.index == left_out.by).unwrap();
            let (by, other) = (&by.clause.clause, &family[left_out.index]);
            let is_variant = canonical(by).is_variant_of(&canonical(other));
            assert!(is_variant || is_contained(by, other));
        }
    }
}

#[test]
fn a_body_said_twice_with_other_variables_has_the_same_core() {
    let mut random = Random(6);
    let mut n_dropped = 0;
    for _ in 0..1500 {
        let n_conditions = random.below(5);
        let clause = plain_clause(&mut random, n_conditions);
        let in_head = atom_vars(&clause.head);
        let n_vars = u16::try_from(clause.variables.len()).unwrap();
        let other =
            |var: Var| Term::Var(if in_head.contains(&var) { var } else { Var(var.0 + n_vars) });
        let mut body = clause.body.clone();
        body.extend(substitute_body(&clause.body, &other));
        random.shuffle(&mut body);
        let doubled = clauses::clause(clause.head.args.clone(), body, 2 * usize::from(n_vars));
        let (one, two) = (minimize(&clause, STEP_LIMIT), minimize(&doubled, STEP_LIMIT));
        assert!(canonical(&one.clause).is_variant_of(&canonical(&two.clause)), "{clause:?}");
        assert!(minimize(&one.clause, STEP_LIMIT).dropped.is_empty());
        n_dropped += two.dropped.len();
    }
    assert!(n_dropped > 1000, "{n_dropped} dropped");
}

#[test]
fn ghosts_are_matched_but_never_kept() {
    let linked = |from, to| holds(2, vec![var(from), var(to)]);
    let general = clauses::clause(vec![var(0), var(1)], vec![linked(1, 0)], 2);
    let body = vec![linked(0, 1), holds(1, vec![var(0)])];
    let specific = clauses::clause(vec![var(0), var(1)], body, 2);
    assert!(!is_contained(&general, &specific));
    let with_ghosts = |clause: &Clause, ghosts| WithGhosts { clause: clause.clone(), ghosts };
    let both =
        vec![with_ghosts(&specific, vec![linked(1, 0)]), with_ghosts(&general, vec![linked(0, 1)])];
    let reduced = reduce(both, STEP_LIMIT);
    assert_eq!((reduced.kept.len(), reduced.kept[0].index), (1, 1));
    assert_eq!(reduced.kept[0].clause.clause.body, general.body);
    assert_eq!((reduced.subsumed[0].index, reduced.subsumed[0].by), (0, 1));
}
