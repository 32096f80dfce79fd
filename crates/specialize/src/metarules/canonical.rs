//! Canonical forms of small conjunctions: renamed and sorted so that variants become equal.
//!
//! In: conditions and a consequence, in any order, with any variables. Out: the same with variables
//! numbered and conditions sorted canonically, and a key. Variables are colored by the places they
//! stand in, the coloring is refined until stable, and ties are broken by trying each. Invariant:
//! equal keys mean variants; variants have equal keys unless the trials exceed [`LEAVES_LIMIT`] or
//! [`WORK_LIMIT`], and then a duplicate may be kept but nothing false follows.

use std::cell::Cell;
use std::collections::BTreeSet;

use rulesmith_logic::{
    Comparison, Condition, Expr, Operation, PredicateId, Quantifier, Term, Value, Var,
    condition_vars, substitute,
};
use rustc_hash::FxHashMap;

use super::dependency::Consequence;

/// How many complete numberings are compared before the best so far is taken.
const LEAVES_LIMIT: usize = 2_000;

/// How many conditions are looked at before ties are broken without trying all ways.
const WORK_LIMIT: usize = 20_000;

/// One sign of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sign {
    /// Part of the shape.
    Shape(u32),
    /// A variable by color or number.
    Variable(u32),
    /// A ground value.
    Value(Value),
}

/// What variants have in common.
pub(crate) type Key = Vec<Sign>;

/// A conjunction with its consequence in canonical form.
pub(crate) struct Canonical {
    /// The conditions, sorted, each once.
    pub(crate) body: Vec<Condition>,
    /// The consequence with the same numbering.
    pub(crate) consequence: Consequence,
    /// Variables are numbered from zero up to this.
    pub(crate) n_variables: u32,
    /// What variants have in common.
    pub(crate) key: Key,
}

/// The canonical form of a body and its consequence.
pub(crate) fn canonical(body: &[Condition], consequence: &Consequence) -> Canonical {
    canonical_with(body, consequence, &BTreeSet::new())
}

/// The canonical form where the arguments of some predicates have no order.
pub(crate) fn canonical_with(
    body: &[Condition],
    consequence: &Consequence,
    symmetric: &BTreeSet<PredicateId>,
) -> Canonical {
    let conclusion = consequence.as_condition();
    let parts: Vec<(u32, &Condition)> = body
        .iter()
        .map(|condition| (0, condition))
        .chain(conclusion.iter().map(|condition| (consequence.kind(), condition)))
        .collect();
    let vars: BTreeSet<Var> = parts.iter().flat_map(|(_, part)| condition_vars(part)).collect();
    let vars: Vec<Var> = vars.into_iter().collect();
    let mut search = Search { parts, vars, symmetric, best: None, leaves: 0, work: 0 };
    let colors = vec![0; search.vars.len()];
    search.number(colors);
    let (key, numbers) = search.best.take().expect("the search reaches a complete numbering");
    let numbers: FxHashMap<Var, u32> = search.vars.iter().copied().zip(numbers).collect();
    let rename = |var: Var| Term::Var(Var(narrow(numbers[&var])));
    let color = |var: Var| var.0.into();
    let writer = Writer { color: &color, symmetric, marked: Cell::new(None) };
    let mut sorted: Vec<(Key, Condition)> = body
        .iter()
        .map(|condition| writer.straightened(&substitute(condition, &rename)))
        .map(|condition| (writer.condition(&condition), condition))
        .collect();
    sorted.sort_by(|left, right| left.0.cmp(&right.0));
    sorted.dedup_by(|left, right| left.0 == right.0);
    let consequence = match consequence.renamed(&rename) {
        Consequence::Holds(condition) => Consequence::Holds(writer.straightened(&condition)),
        Consequence::HasMatch(condition) => Consequence::HasMatch(writer.straightened(&condition)),
        other => other,
    };
    let n_variables = u32::try_from(search.vars.len()).expect("a clause has fewer variables");
    let body = sorted.into_iter().map(|(_, condition)| condition).collect();
    Canonical { body, consequence, n_variables, key }
}

fn narrow(number: u32) -> u16 {
    u16::try_from(number).expect("numbers of variables fit, as they did before")
}

/// The name of a variable by its canonical number.
pub(crate) fn variable_name(number: u32) -> String {
    const NAMES: [&str; 10] = ["X", "Y", "Z", "W", "V", "U", "T", "S", "R", "Q"];
    NAMES.get(number as usize).map_or_else(|| format!("X{number}"), ToString::to_string)
}

/// A sort key for a condition as it stands, for orders that must not depend on where it stood.
pub(crate) fn place_key(condition: &Condition) -> Key {
    let color = |var: Var| var.0.into();
    let none = BTreeSet::new();
    Writer { color: &color, symmetric: &none, marked: Cell::new(None) }.condition(condition)
}

/// What conditions in the same order, with variables numbered as they come, have in common: less than
/// variants have, and found at once.
pub(crate) fn plain_key(conditions: &[Condition]) -> Key {
    let mut numbers: FxHashMap<Var, u32> = FxHashMap::default();
    for var in conditions.iter().flat_map(condition_vars) {
        let next = u32::try_from(numbers.len()).expect("a clause has fewer variables");
        numbers.entry(var).or_insert(next);
    }
    let color = |var: Var| numbers[&var];
    let none = BTreeSet::new();
    let writer = Writer { color: &color, symmetric: &none, marked: Cell::new(None) };
    conditions.iter().flat_map(|condition| writer.condition(condition)).collect()
}

struct Search<'a> {
    parts: Vec<(u32, &'a Condition)>,
    vars: Vec<Var>,
    symmetric: &'a BTreeSet<PredicateId>,
    best: Option<(Key, Vec<u32>)>,
    leaves: usize,
    work: usize,
}

impl Search<'_> {
    /// Refines the coloring; tries each member of the first class that is not single.
    fn number(&mut self, mut colors: Vec<u32>) {
        self.refine(&mut colors);
        let class = first_tie(&colors);
        let Some(class) = class else {
            self.leaves += 1;
            let key = self.key(&colors);
            if self.best.as_ref().is_none_or(|(best, _)| key < *best) {
                self.best = Some((key, colors));
            }
            return;
        };
        for member in 0..colors.len() {
            let is_over = self.leaves >= LEAVES_LIMIT || self.work > WORK_LIMIT;
            if colors[member] == class && (!is_over || self.best.is_none()) {
                // The others of the class come after the chosen one, later classes after them.
                let mut next: Vec<u32> = colors.iter().map(|&color| 2 * color + 1).collect();
                next[member] -= 1;
                self.number(next);
            }
        }
    }

    fn refine(&mut self, colors: &mut Vec<u32>) {
        let mut n_classes = compress(colors);
        loop {
            self.work += self.parts.len();
            let mut signatures: Vec<(u32, Vec<Key>)> =
                colors.iter().map(|&color| (color, Vec::new())).collect();
            for (kind, part) in &self.parts {
                for var in condition_vars(part) {
                    let index = self.index(var);
                    let key = self.write(colors, Some(var), *kind, part);
                    signatures[index].1.push(key);
                }
            }
            for signature in &mut signatures {
                signature.1.sort();
            }
            let classes: BTreeSet<_> = signatures.iter().collect();
            let number: Vec<u32> = signatures
                .iter()
                .map(|signature| {
                    let before = classes.iter().take_while(|class| **class < signature).count();
                    u32::try_from(before).expect("fewer classes than variables")
                })
                .collect();
            *colors = number;
            let refined = classes.len();
            if refined == n_classes {
                return;
            }
            n_classes = refined;
        }
    }

    fn key(&self, colors: &[u32]) -> Key {
        let mut keys: Vec<Key> =
            self.parts.iter().map(|(kind, part)| self.write(colors, None, *kind, part)).collect();
        keys.sort();
        keys.dedup();
        keys.concat()
    }

    fn write(&self, colors: &[u32], marked: Option<Var>, kind: u32, part: &Condition) -> Key {
        let color = |var: Var| colors[self.index(var)];
        let writer = Writer { color: &color, symmetric: self.symmetric, marked: Cell::new(marked) };
        let mut key = vec![Sign::Shape(kind)];
        key.extend(writer.condition(part));
        key
    }

    fn index(&self, var: Var) -> usize {
        self.vars.binary_search(&var).expect("all variables were gathered")
    }
}

fn first_tie(colors: &[u32]) -> Option<u32> {
    let mut sorted = colors.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Numbers the colors from zero; returns how many there are.
fn compress(colors: &mut [u32]) -> usize {
    let distinct: BTreeSet<u32> = colors.iter().copied().collect();
    let distinct: Vec<u32> = distinct.into_iter().collect();
    for color in colors.iter_mut() {
        let place = distinct.binary_search(color).expect("every color was gathered");
        *color = u32::try_from(place).expect("fewer colors than variables");
    }
    distinct.len()
}

/// Writes conditions as keys.
struct Writer<'a> {
    color: &'a dyn Fn(Var) -> u32,
    symmetric: &'a BTreeSet<PredicateId>,
    marked: Cell<Option<Var>>,
}

impl Writer<'_> {
    fn condition(&self, condition: &Condition) -> Key {
        let mut key = Key::new();
        match condition {
            Condition::Holds(atom) => {
                key.extend([Sign::Shape(10), Sign::Shape(atom.predicate.0)]);
                let mut args: Key = atom.args.iter().map(|&term| self.term(term)).collect();
                if self.symmetric.contains(&atom.predicate) {
                    args.sort();
                }
                key.extend(args);
            }
            Condition::Compare(comparison, left, right) => {
                let (mark, is_mirrored) = comparison_mark(*comparison);
                let (mut left, mut right) = (self.expr(left), self.expr(right));
                let is_symmetric = matches!(comparison, Comparison::Equal | Comparison::Unequal);
                if is_mirrored || (is_symmetric && right < left) {
                    std::mem::swap(&mut left, &mut right);
                }
                key.extend([Sign::Shape(11), Sign::Shape(mark)]);
                key.extend(left);
                key.extend(right);
            }
            Condition::Construct { whole, functor, args } => {
                key.extend([Sign::Shape(12), Sign::Value(Value::Symbol(*functor))]);
                key.extend([length(args.len()), self.term(*whole)]);
                key.extend(args.iter().map(|&term| self.term(term)));
            }
            Condition::Member(term, domain) => {
                key.extend([Sign::Shape(13), Sign::Shape(domain.0), self.term(*term)]);
            }
            Condition::None { locals, body } => {
                key.extend([Sign::Shape(14), length(locals.len())]);
                key.extend(locals.iter().map(|&var| self.term(Term::Var(var))));
                key.extend(self.conditions(body));
            }
            Condition::AnyOf(branches) => {
                key.push(Sign::Shape(15));
                for branch in branches {
                    key.extend(self.conditions(branch));
                }
            }
            Condition::Elsewhere { by, quantifier, body } => {
                let every = u32::from(*quantifier == Quantifier::Every);
                key.extend([Sign::Shape(16), Sign::Shape(every), Sign::Shape(by.predicate.0)]);
                key.extend(by.args.iter().map(|&term| self.term(term)));
                key.extend(self.conditions(body));
            }
        }
        key
    }

    fn conditions(&self, body: &[Condition]) -> Key {
        let mut keys: Vec<Key> = body.iter().map(|condition| self.condition(condition)).collect();
        keys.sort();
        let mut key = vec![Sign::Shape(20)];
        key.extend(keys.concat());
        key.push(Sign::Shape(21));
        key
    }

    fn expr(&self, expr: &Expr) -> Key {
        match expr {
            Expr::Term(term) => vec![self.term(*term)],
            Expr::Binary(operation, left, right) => {
                let (mut left, mut right) = (self.expr(left), self.expr(right));
                let is_symmetric = matches!(
                    operation,
                    Operation::Add | Operation::Mul | Operation::Min | Operation::Max
                );
                if is_symmetric && right < left {
                    std::mem::swap(&mut left, &mut right);
                }
                let mut key = vec![Sign::Shape(30 + *operation as u32)];
                key.extend(left);
                key.extend(right);
                key
            }
            Expr::Count { counted, body } => {
                let mut key = vec![Sign::Shape(40), length(counted.len())];
                key.extend(counted.iter().map(|&var| self.term(Term::Var(var))));
                key.extend(self.conditions(body));
                key
            }
        }
    }

    fn term(&self, term: Term) -> Sign {
        match term {
            Term::Var(var) if self.marked.get() == Some(var) => Sign::Variable(u32::MAX),
            Term::Var(var) => Sign::Variable((self.color)(var)),
            Term::Value(value) => Sign::Value(value),
        }
    }

    /// The condition with its interchangeable sides in the order of their keys.
    fn straightened(&self, condition: &Condition) -> Condition {
        match condition {
            Condition::Holds(atom) if self.symmetric.contains(&atom.predicate) => {
                let mut atom = atom.clone();
                atom.args.sort_by_key(|&term| self.term(term));
                Condition::Holds(atom)
            }
            Condition::Compare(comparison, left, right) => {
                let (_, is_mirrored) = comparison_mark(*comparison);
                // A result stays on the left of its operation.
                let is_symmetric = matches!(comparison, Comparison::Equal | Comparison::Unequal)
                    && matches!((left, right), (Expr::Term(_), Expr::Term(_)));
                if is_mirrored || (is_symmetric && self.expr(right) < self.expr(left)) {
                    Condition::Compare(mirrored(*comparison), right.clone(), left.clone())
                } else {
                    condition.clone()
                }
            }
            _ => condition.clone(),
        }
    }
}

fn length(length: usize) -> Sign {
    Sign::Shape(u32::try_from(length).unwrap_or(u32::MAX))
}

/// The comparison with its sides exchanged.
pub(crate) fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::Equal,
        Comparison::Unequal => Comparison::Unequal,
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
    }
}

/// A number for the comparison or its mirror image, and whether it is the mirror image.
fn comparison_mark(comparison: Comparison) -> (u32, bool) {
    match comparison {
        Comparison::Equal => (0, false),
        Comparison::Unequal => (1, false),
        Comparison::Less => (2, false),
        Comparison::AtMost => (3, false),
        Comparison::Greater => (2, true),
        Comparison::AtLeast => (3, true),
    }
}

#[cfg(test)]
mod tests {
    use rulesmith_logic::{Atom, substitute_body};

    use super::*;

    fn edges(pairs: &[(u16, u16)]) -> Vec<Condition> {
        let edge = |(from, to): &(u16, u16)| {
            let args = vec![Term::Var(Var(*from)), Term::Var(Var(*to))];
            Condition::Holds(Atom { predicate: PredicateId(0), args })
        };
        pairs.iter().map(edge).collect()
    }

    /// All graphs over four points; two have the same key exactly when a permutation makes them equal.
    #[test]
    fn keys_are_equal_exactly_for_variants() {
        let all: Vec<(u16, u16)> = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).collect();
        let all: Vec<(u16, u16)> = all.into_iter().filter(|(a, b)| a != b).collect();
        let mut by_key: FxHashMap<Key, BTreeSet<Vec<(u16, u16)>>> = FxHashMap::default();
        for mask in 1_u32..1 << all.len() {
            if mask.count_ones() > 4 {
                continue;
            }
            let chosen = all.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1);
            let graph: Vec<(u16, u16)> = chosen.map(|(_, pair)| *pair).collect();
            let form = canonical(&edges(&graph), &Consequence::Impossible);
            by_key.entry(form.key).or_default().insert(least_variant(&graph));
        }
        assert!(by_key.values().all(|variants| variants.len() == 1));
        // Digraphs without loops and isolated points, one to four edges, up to four points.
        assert_eq!(by_key.len(), 1 + 5 + 13 + 27);
    }

    /// The least of all renamings, by trying all.
    fn least_variant(graph: &[(u16, u16)]) -> Vec<(u16, u16)> {
        let orders = (0..256_u16).map(|code| [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6]);
        let is_permutation = |order: &[u16; 4]| order.iter().collect::<BTreeSet<_>>().len() == 4;
        let rename = |order: [u16; 4]| {
            let name = |point: u16| order[usize::from(point)];
            let mut renamed: Vec<_> = graph.iter().map(|&(a, b)| (name(a), name(b))).collect();
            renamed.sort_unstable();
            renamed
        };
        orders.filter(is_permutation).map(rename).min().unwrap_or_default()
    }

    #[test]
    fn the_form_does_not_depend_on_names() {
        let body = edges(&[(0, 1), (1, 2), (2, 0), (2, 3), (5, 3), (5, 1)]);
        let first = canonical(&body, &Consequence::Impossible);
        let renamed = substitute_body(&body, &|var: Var| Term::Var(Var(90 - 7 * var.0)));
        let second = canonical(&renamed, &Consequence::Impossible);
        assert_eq!((first.key, first.body), (second.key, second.body));
    }
}
