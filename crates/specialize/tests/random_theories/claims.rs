//! Random metarules of an author: claims about fluents that are true of some states and not of others.
//!
//! In: a vocabulary. Out: the text of a `meta` block. Invariant: one metarule a line, so that shrinking
//! can leave it out.

use super::words::{Kind, Random, Relation, Vocabulary};

/// A block of one to three metarules, or nothing where there is no fluent.
pub(crate) fn add_claims(random: &mut Random, words: &Vocabulary, text: &mut String) {
    let fluents = words.relations.iter().filter(|one| matches!(one.kind, Kind::Fluent { .. }));
    let fluents: Vec<&Relation> = fluents.collect();
    if fluents.is_empty() {
        return;
    }
    text.push_str("meta phase filter.\n");
    for _ in 0..=random.below(3) {
        let mut claim = Claim { random, words, variables: vec![] };
        text.push_str(&claim.text(&fluents));
    }
    text.push_str("meta end.\n");
}

struct Claim<'c> {
    random: &'c mut Random,
    words: &'c Vocabulary,
    /// The variables so far, with their sorts.
    variables: Vec<(String, usize)>,
}

impl Claim<'_> {
    fn text(&mut self, fluents: &[&Relation]) -> String {
        let n_conditions = 1 + self.random.below(2);
        let first = *self.random.pick(fluents);
        let mut conditions = vec![self.atom(first)];
        for _ in 1..n_conditions {
            // What fixes an argument is said with one fluent twice.
            let next = if self.random.chance(50) { first } else { *self.random.pick(fluents) };
            conditions.push(self.atom(next));
        }
        let quoted = |all: &[String]| {
            let quoted: Vec<String> =
                all.iter().map(|one| format!("condition(R, `{one}`)")).collect();
            quoted.join(", ")
        };
        let same_sort = self.two_of_one_sort();
        match (self.random.below(3), same_sort) {
            (0, Some((left, right))) => {
                format!("unify(R, {left}, {right}) :- rule(R), {}.\n", quoted(&conditions))
            }
            (1, _) => {
                let fluent = *self.random.pick(fluents);
                let implied = self.atom(fluent);
                conditions.push(implied.clone());
                format!("useless(R, `{implied}`) :- rule(R), {}.\n", quoted(&conditions))
            }
            _ => format!("impossible(R) :- rule(R), {}.\n", quoted(&conditions)),
        }
    }

    fn atom(&mut self, relation: &Relation) -> String {
        let args: Vec<String> = relation.args.iter().map(|sort| self.term(*sort)).collect();
        let applied = super::applied(&relation.name, &args);
        match relation.kind {
            Kind::Fluent { value: Some(sort), .. } => format!("{applied} = {}", self.term(sort)),
            _ => applied,
        }
    }

    fn term(&mut self, sort: usize) -> String {
        let known = self.variables.iter().filter(|(_, other)| *other == sort);
        let known: Vec<String> = known.map(|(name, _)| name.clone()).collect();
        match self.random.below(10) {
            0 => self.random.pick(&self.words.sorts[sort].values).clone(),
            1..5 if !known.is_empty() => self.random.pick(&known).clone(),
            _ => {
                let name = format!("V{}", self.variables.len());
                self.variables.push((name.clone(), sort));
                name
            }
        }
    }

    fn two_of_one_sort(&self) -> Option<(String, String)> {
        let pairs = self.variables.iter().enumerate().flat_map(|(place, one)| {
            self.variables[place + 1..].iter().map(move |other| (one, other))
        });
        let mut alike = pairs.filter(|(one, other)| one.1 == other.1);
        alike.next().map(|(one, other)| (one.0.clone(), other.0.clone()))
    }
}
