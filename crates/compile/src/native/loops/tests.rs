//! Conditions in which everything is known: tests.
//!
//! In: a condition. Out: a word that is one where it holds; nothing if something in it is unknown.
//! Invariant: no statement that a test emits binds anything.

use rulesmith_kernel::{Comparison, Scalar, Set, Statement, Word};
use rulesmith_logic::{Atom, Condition, Source, Term, Value, Var};
use rulesmith_rules::PredicateKind;

use super::super::Obstacle;
use super::super::emit::Certainty;
use super::held::{Held, Spot};
use super::lower::{Lowering, Then};
use super::relations::Relation;
use super::stored::all_of;
use crate::state_layout::Counted;

/// Looks for something, and says what follows once it is found.
type Search<'s, L> = dyn FnMut(&mut L, &mut Then<'_, L>) -> Result<(), Obstacle> + 's;

impl Lowering<'_, '_> {
    /// Whether a condition holds.
    pub(super) fn test(&mut self, condition: &Condition) -> Result<Option<Certainty>, Obstacle> {
        Ok(match condition {
            Condition::Holds(atom) => {
                if let Some(stored) = self.stored(atom.predicate) {
                    return self.stored_test(&stored, &atom.args);
                }
                let is_component =
                    matches!(self.setting.source(atom.predicate), Source::Component(..));
                if is_component || self.setting.is_called(atom.predicate) {
                    return Ok(None);
                }
                if let Some(PredicateKind::Does(_)) =
                    self.setting.theory.kinds.get(atom.predicate.0 as usize)
                {
                    return Ok(None);
                }
                if atom.args.iter().any(|term| self.held(*term).is_none()) {
                    return Ok(None);
                }
                if let Some(certainty) = self.counter_test(atom)? {
                    return Ok(Some(certainty));
                }
                let relation = self.setting.relation(atom.predicate)?;
                self.relation_test(&relation, &atom.args)?
            }
            Condition::None { body, .. } => {
                let body: Vec<&Condition> = body.iter().collect();
                Some(negated(self.exists(&body)?))
            }
            Condition::Compare(comparison, left, right) => {
                self.comparison(*comparison, left, right)?
            }
            Condition::Member(term, domain) => match self.spot(*term, *domain)? {
                Spot::Unknown(_) => None,
                Spot::Never => Some(Certainty::Never),
                Spot::Known(_) => Some(Certainty::Always),
                Spot::Maybe(word) => {
                    let size = self.setting.domains.len(*domain);
                    Some(Certainty::If(word.is_below(u64::from(size))))
                }
            },
            Condition::Elsewhere { by, body, .. } => self.elsewhere(by, body)?,
            _ => None,
        })
    }

    /// Whether a counter of the past has reached a number; nothing for other atoms.
    fn counter_test(&mut self, atom: &Atom) -> Result<Option<Certainty>, Obstacle> {
        let layout = self.setting.layout;
        let mut counters = layout.counters.iter();
        let Some(number) = counters.position(|one| one.predicate == atom.predicate) else {
            return Ok(None);
        };
        let [least] = atom.args.as_slice() else { return Ok(None) };
        let Some(Held::Fixed(Value::Int(least))) = self.held(*least) else {
            return Err(Obstacle::new("a counter is asked for an unknown number"));
        };
        let least = u64::try_from(least).unwrap_or(0);
        let is_repeated = matches!(layout.counters[number].counted, Counted::Repeated(_));
        if self.before.is_some() {
            if !is_repeated {
                return Err(Obstacle::new("steps since an event, counted after a move"));
            }
            return Ok(Some(Certainty::If(self.repeated_elsewhere(least)?)));
        }
        let least = Word::Constant(least);
        let reached = Word::State(layout.counter(number));
        Ok(Some(Certainty::If(least.compare(Comparison::LessOrEqual, reached))))
    }

    /// Whether a row of a static relation is there; nothing if something is unknown.
    pub(super) fn relation_test(
        &mut self,
        relation: &Relation,
        args: &[Term],
    ) -> Result<Option<Certainty>, Obstacle> {
        if args.iter().any(|term| self.held(*term).is_none()) {
            return Ok(None);
        }
        let Some(last) = args.len().checked_sub(1) else {
            let is_there = u64::from(!relation.rows.is_empty());
            return Ok(Some(all_of(Vec::new(), Word::Constant(is_there))));
        };
        let known: Vec<usize> = (0..last).collect();
        let mut guards = Vec::new();
        let columns = (args, relation.columns.as_slice());
        let row = self.number(columns, &known, &mut guards)?;
        let key = self.number(columns, &[last], &mut guards)?;
        let (Some(row), Some(key)) = (row, key) else { return Ok(None) };
        let table = self.setting.masks(relation, &known, last)?;
        if let (Word::Constant(row), Word::Constant(key)) = (&row, &key) {
            let start = usize::try_from(*row).unwrap_or(0) * usize::from(table.table.width);
            let word = start + usize::try_from(*key / 64).unwrap_or(0);
            let is_there =
                table.table.words.get(word).is_some_and(|word| word >> (key % 64) & 1 == 1);
            return Ok(Some(all_of(guards, Word::Constant(u64::from(is_there)))));
        }
        let table = table.place(self.tables);
        Ok(Some(all_of(guards, Set::row(table, row).has(key))))
    }

    /// Whether two things are the same.
    pub(super) fn same(&mut self, one: Held, other: Held) -> Result<Certainty, Obstacle> {
        let (known, domain) = match (one, other) {
            (Held::Fixed(one), Held::Fixed(other)) => {
                return Ok(if one == other { Certainty::Always } else { Certainty::Never });
            }
            (Held::Number(one), Held::Number(other)) => {
                return Ok(Certainty::If(Word::from(one).equals(other)));
            }
            (Held::Place(scalar, domain), known) | (known, Held::Place(scalar, domain)) => {
                let spot = self.spot_of(known, domain)?;
                return Ok(match spot {
                    Spot::Known(word) | Spot::Maybe(word) => {
                        Certainty::If(Word::from(scalar).equals(word))
                    }
                    Spot::Never | Spot::Unknown(_) => Certainty::Never,
                });
            }
            (Held::Fixed(value), Held::Number(scalar))
            | (Held::Number(scalar), Held::Fixed(value)) => (value, scalar),
        };
        Ok(match known {
            Value::Int(number) => {
                let number = super::held::wrapped(i64::from(number));
                Certainty::If(Word::from(domain).equals(number))
            }
            _ => Certainty::Never,
        })
    }

    /// Whether some binding of what is unknown makes the conditions hold.
    pub(super) fn exists(&mut self, conditions: &[&Condition]) -> Result<Certainty, Obstacle> {
        if let [condition] = conditions
            && let Some(certainty) = self.test(condition)?
        {
            return Ok(certainty);
        }
        if let Some(joined) = self.joined(conditions)?
            && joined.n_conditions == conditions.len()
        {
            return Ok(Certainty::If(joined.set.any()));
        }
        let flag = self.emitter.let_word(Word::Constant(0));
        self.search(flag, &mut |this, found| this.run(conditions, found))?;
        Ok(Certainty::If(flag.into()))
    }

    /// Sets a flag once something is found, and leaves the search there.
    pub(super) fn search(
        &mut self,
        flag: Scalar,
        work: &mut Search<'_, Self>,
    ) -> Result<(), Obstacle> {
        let before = self.sought.replace(flag);
        self.emitter.begin();
        let done = work(self, &mut |this| {
            this.emitter.push(Statement::Let(flag, Word::Constant(1)));
            if this.sought == Some(flag) {
                this.emitter.push(Statement::Leave);
            }
            Ok(())
        });
        self.emitter.push(Statement::Leave);
        let body = self.emitter.end();
        self.emitter.push(Statement::Repeat(body));
        self.sought = before;
        done
    }

    /// The variables of terms that nothing binds.
    pub(super) fn unknown<'t>(&self, terms: impl IntoIterator<Item = &'t Term>) -> Vec<Var> {
        let vars = terms.into_iter().filter_map(|term| match term {
            Term::Var(var) if self.held(*term).is_none() => Some(*var),
            _ => None,
        });
        vars.collect()
    }
}

/// Whether something does not hold.
pub(super) fn negated(certainty: Certainty) -> Certainty {
    match certainty {
        Certainty::Always => Certainty::Never,
        Certainty::Never => Certainty::Always,
        Certainty::If(word) => Certainty::If(word.compare(Comparison::Equal, 0)),
    }
}
