//! Pruning: a theory without what can never happen.
//!
//! In: a theory that says more than one game needs. Out: the same game in fewer words: clauses with a condition
//! that nothing makes true are gone, fluents that no step changes are static relations, preferences that are
//! always equal are gone, so are kinds of moves that a few facts forbid. Of many facts it looks at the constants
//! alone, so it takes no time. Paper: metagamer §2.2.
//! Invariant: legal moves, successors, ends and goals are as before; so are the fluents that are left.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Condition, Edge, Expr, PredicateId, Source, Term, Value, Var, Variable, edges,
};

use crate::lint;
use crate::theory::{
    Fluent, FluentDefault, FluentId, MoveId, Part, PredicateKind, Theory, UNDEFINED,
};

/// Leaves out what can never happen.
pub(crate) fn prune(theory: &mut Theory) {
    drop_hopeless(theory);
    if drop_forbidden(theory) {
        drop_hopeless(theory);
    }
}

/// Drops the clauses for moves that few facts forbid, so that nobody refuses what is left; were there any?
fn drop_forbidden(theory: &mut Theory) -> bool {
    let forbidden = lint::forbidden_moves(theory);
    for legal in &forbidden {
        theory.base.clauses[legal.0 as usize].clear();
    }
    !forbidden.is_empty()
}

/// Leaves out what has no hope.
fn drop_hopeless(theory: &mut Theory) {
    loop {
        let hopes = Hopes::of(theory);
        hopes.drop_clauses(theory);
        let constant: Vec<FluentId> =
            theory.fluent_ids().filter(|id| is_constant(theory, *id)).collect();
        if constant.is_empty() {
            break;
        }
        make_static(theory, &constant);
    }
    drop_preferences(theory);
    drop_moves(theory);
    drop_unasked(theory);
    theory.base.settle();
}

/// A predicate that nobody asks for any more, and that is not printed.
const GONE: PredicateKind = PredicateKind::Static { arrow: false, is_given: true };

/// The predicates that may hold at all.
struct Hopes {
    may_hold: Vec<bool>,
    /// For each predicate that facts alone define the constants of each column.
    columns: Vec<Option<Vec<BTreeSet<Value>>>>,
}

impl Hopes {
    /// The least set: a predicate has hope if one of its clauses has, and a clause if all its conditions have.
    fn of(theory: &Theory) -> Self {
        let n_predicates = theory.base.predicates.len();
        let columns = (0..n_predicates).map(|number| columns(theory, number)).collect();
        let mut hopes = Self { may_hold: vec![false; n_predicates], columns };
        loop {
            let mut is_new = false;
            for number in 0..n_predicates {
                if !hopes.may_hold[number] && hopes.may_hold(theory, number) {
                    hopes.may_hold[number] = true;
                    is_new = true;
                }
            }
            if !is_new {
                return hopes;
            }
        }
    }

    fn may_hold(&self, theory: &Theory, number: usize) -> bool {
        let has_clause = |predicate: PredicateId| {
            theory.base.clauses_of(predicate).iter().any(|one| self.clause(one))
        };
        match &theory.kinds[number] {
            PredicateKind::Fluent(id) => {
                let fluent = theory.fluent(*id);
                has_default(fluent)
                    || has_clause(fluent.init)
                    || changes(theory, *id).any(|clause| self.clause(clause))
            }
            // What is judged by the state after it is made there, legal or not.
            PredicateKind::Does(id) => {
                has_clause(theory.move_kind(*id).legal) || is_passage(theory, number)
            }
            _ => match theory.base.predicates[number].source {
                Source::Clauses => theory.base.clauses[number].iter().any(|one| self.clause(one)),
                Source::World | Source::Component(..) => true,
            },
        }
    }

    fn clause(&self, clause: &Clause) -> bool {
        self.body(&clause.body)
    }

    fn body(&self, body: &[Condition]) -> bool {
        body.iter().all(|condition| match condition {
            Condition::Holds(atom) => self.atom(atom),
            Condition::AnyOf(ways) => ways.iter().any(|way| self.body(way)),
            Condition::Elsewhere { body, .. } => self.body(body),
            Condition::None { .. }
            | Condition::Compare(..)
            | Condition::Construct { .. }
            | Condition::Member(..) => true,
        })
    }

    fn atom(&self, atom: &Atom) -> bool {
        let number = atom.predicate.0 as usize;
        let has_constants = |columns: &Vec<BTreeSet<Value>>| {
            atom.args.iter().zip(columns).all(|(term, column)| match term {
                Term::Value(value) => column.contains(value),
                Term::Var(_) => true,
            })
        };
        self.may_hold[number] && self.columns[number].as_ref().is_none_or(has_constants)
    }

    /// Drops the clauses without hope, and of the others what has none.
    fn drop_clauses(&self, theory: &mut Theory) {
        for clauses in &mut theory.base.clauses {
            clauses.retain(|clause| self.clause(clause));
            for clause in clauses {
                clause.body = self.without_vain(std::mem::take(&mut clause.body));
            }
        }
    }

    /// A body without alternatives that have no hope and without denials of what has none.
    fn without_vain(&self, body: Vec<Condition>) -> Vec<Condition> {
        let kept = body.into_iter().filter_map(|condition| match condition {
            Condition::None { body, .. } if !self.body(&body) => None,
            Condition::None { locals, body } => {
                Some(Condition::None { locals, body: self.without_vain(body) })
            }
            Condition::Elsewhere { by, quantifier, body } => {
                Some(Condition::Elsewhere { by, quantifier, body: self.without_vain(body) })
            }
            Condition::AnyOf(mut ways) => {
                ways.retain(|way| self.body(way));
                let ways = ways.into_iter().map(|way| self.without_vain(way));
                Some(Condition::AnyOf(ways.collect()))
            }
            other => Some(other),
        });
        let mut flat = Vec::new();
        for condition in kept {
            match condition {
                Condition::AnyOf(mut ways) if ways.len() == 1 => flat.append(&mut ways[0]),
                other => flat.push(other),
            }
        }
        flat
    }
}

/// The constants in each column of a predicate, if facts alone define it.
fn columns(theory: &Theory, number: usize) -> Option<Vec<BTreeSet<Value>>> {
    let is_given = matches!(theory.kinds[number], PredicateKind::Static { .. })
        && matches!(theory.base.predicates[number].source, Source::Clauses);
    let clauses = &theory.base.clauses[number];
    if !is_given || clauses.iter().any(|clause| !clause.body.is_empty()) {
        return None;
    }
    let mut columns = vec![BTreeSet::new(); clauses.first()?.head.args.len()];
    for clause in clauses {
        for (column, term) in columns.iter_mut().zip(&clause.head.args) {
            let Term::Value(value) = term else { return None };
            column.insert(*value);
        }
    }
    Some(columns)
}

/// Does a clause other than those of its own legality, ask about the state after that move?
fn is_passage(theory: &Theory, number: usize) -> bool {
    let all = edges(&theory.base);
    let asks = |one: &Edge| {
        one.is_passage
            && one.to.0 as usize == number
            && !matches!(theory.kind(one.from), PredicateKind::Legal(_))
    };
    all.iter().any(asks)
}

/// Does no step change the fluent? Then it stays what it is at the start, or its default.
fn is_constant(theory: &Theory, id: FluentId) -> bool {
    let fluent = theory.fluent(id);
    let has_init = !theory.base.clauses_of(fluent.init).is_empty();
    let clauses = [fluent.assign, fluent.deferred].map(|one| theory.base.clauses_of(one));
    if has_init {
        return clauses.iter().all(|clauses| clauses.is_empty());
    }
    fluent.default != FluentDefault::Required && changes(theory, id).next().is_none()
}

/// Has every key a value, whatever happens?
fn has_default(fluent: &Fluent) -> bool {
    fluent.is_functional && fluent.default != FluentDefault::Undefined
}

/// The clauses that give a fluent another value than its default.
fn changes(theory: &Theory, id: FluentId) -> impl Iterator<Item = &Clause> {
    let fluent = theory.fluent(id);
    let default = default_of(theory, id).map(Term::Value);
    let clauses = [fluent.assign, fluent.deferred].map(|one| theory.base.clauses_of(one));
    let is_change =
        move |clause: &&Clause| default.is_none() || clause.head.args.last().copied() != default;
    clauses.into_iter().flatten().filter(is_change)
}

/// The value that a fluent has where nothing else was said.
fn default_of(theory: &Theory, id: FluentId) -> Option<Value> {
    let fluent = theory.fluent(id);
    let named = |name: &str| theory.symbols.find(name).map(Value::Symbol);
    match fluent.default {
        _ if !fluent.is_functional => named("false"),
        FluentDefault::Value(value) => Some(value),
        FluentDefault::Undefined => named(UNDEFINED),
        FluentDefault::Required => None,
    }
}

/// Makes static relations of fluents.
fn make_static(theory: &mut Theory, constant: &[FluentId]) {
    for id in constant {
        state_facts(theory, *id);
    }
    let kept: Vec<FluentId> = theory.fluent_ids().filter(|id| !constant.contains(id)).collect();
    renumber(theory, &kept);
}

/// What a constant fluent's predicate says: what `init` does, and the default of all other keys.
fn state_facts(theory: &mut Theory, id: FluentId) {
    let fluent = theory.fluent(id).clone();
    let default = default_of(theory, id);
    let described = &mut theory.base.predicates[fluent.predicate.0 as usize];
    described.source = Source::Clauses;
    let domains = described.domains.clone();
    let variables: Vec<Variable> =
        domains.iter().map(|domain| Variable { name: "_".to_owned(), domain: *domain }).collect();
    let vars: Vec<Var> =
        (0..domains.len()).map(|place| Var(u16::try_from(place).unwrap_or(0))).collect();
    let terms: Vec<Term> = vars.iter().map(|var| Term::Var(*var)).collect();
    let atom = |predicate, args: &[Term]| Atom { predicate, args: args.to_vec() };
    let clause =
        |head, body| Clause { head, body, variables: variables.clone(), span: fluent.span };
    let has_init = !theory.base.clauses_of(fluent.init).is_empty();
    if has_init {
        let body = vec![Condition::Holds(atom(fluent.init, &terms))];
        theory.base.add_clause(clause(atom(fluent.predicate, &terms), body));
    }
    let Some(default) = default.filter(|_| has_default(&fluent)) else { return };
    let (keys, value) = (&terms[..fluent.n_keys], vars[fluent.n_keys]);
    let mut body: Vec<Condition> = keys
        .iter()
        .zip(&domains)
        .filter_map(|(key, domain)| Some(Condition::Member(*key, (*domain)?)))
        .collect();
    if has_init {
        let said = Condition::Holds(atom(fluent.init, &terms));
        body.push(Condition::None { locals: vec![value], body: vec![said] });
    }
    let head = [keys, &[Term::Value(default)]].concat();
    theory.base.add_clause(clause(atom(fluent.predicate, &head), body));
}

/// Gives the fluents that are kept new numbers; the predicates of the others are relations.
fn renumber(theory: &mut Theory, kept: &[FluentId]) {
    let new = |id: FluentId| kept.iter().position(|one| *one == id).map(FluentId);
    for (number, kind) in theory.kinds.iter_mut().enumerate() {
        let relation = PredicateKind::Static { arrow: false, is_given: false };
        *kind = match kind.clone() {
            PredicateKind::Fluent(id) => new(id).map_or(relation, PredicateKind::Fluent),
            PredicateKind::Init(id) => new(id).map_or(relation, PredicateKind::Init),
            PredicateKind::Assign(id) | PredicateKind::Deferred(id) if new(id).is_none() => {
                theory.base.clauses[number].clear();
                GONE
            }
            PredicateKind::Assign(id) => new(id).map_or(relation, PredicateKind::Assign),
            PredicateKind::Deferred(id) => new(id).map_or(relation, PredicateKind::Deferred),
            PredicateKind::Repeated(over) => {
                PredicateKind::Repeated(over.into_iter().filter_map(new).collect())
            }
            PredicateKind::Cycle(over) => {
                PredicateKind::Cycle(over.into_iter().filter_map(new).collect())
            }
            other => other,
        };
    }
    let notation = &mut theory.notation;
    notation.glyphs.retain(|(fluent, ..)| fluent.is_none_or(|id| new(id).is_some()));
    for (fluent, ..) in &mut notation.glyphs {
        *fluent = fluent.and_then(new);
    }
    let renamed = |part: &Part| match part {
        Part::Fluent(id) => new(*id).map(Part::Fluent),
        other => Some(other.clone()),
    };
    if let Some(position) = &mut notation.position {
        *position = position.iter().filter_map(renamed).collect();
    }
    notation.picture = notation.picture.take().and_then(|(id, text)| Some((new(id)?, text)));
    theory.fluents = kept.iter().map(|id| theory.fluents[id.0].clone()).collect();
}

/// Drops preferences between turns that only count what never happens.
fn drop_preferences(theory: &mut Theory) {
    let hopes = Hopes::of(theory);
    let counts_nothing = |condition: &Condition| match condition {
        Condition::Compare(_, left, right) => [left, right]
            .into_iter()
            .any(|expr| matches!(expr, Expr::Count { body, .. } if !hopes.body(body))),
        _ => false,
    };
    let base = &theory.base;
    theory.preferences.retain(|one| {
        let clauses = base.clauses_of(*one);
        !clauses.iter().all(|clause| clause.body.iter().any(counts_nothing))
    });
}

/// Drops the kinds of moves that are never legal.
fn drop_moves(theory: &mut Theory) {
    let is_live = |id: &MoveId| !theory.base.clauses_of(theory.move_kind(*id).legal).is_empty();
    let kept: Vec<MoveId> = theory.move_ids().filter(is_live).collect();
    let new = |id: MoveId| kept.iter().position(|one| *one == id).map(MoveId);
    for kind in &mut theory.kinds {
        *kind = match kind.clone() {
            PredicateKind::Legal(id) => new(id).map_or(GONE, PredicateKind::Legal),
            PredicateKind::Does(id) => new(id).map_or(GONE, PredicateKind::Does),
            other => other,
        };
    }
    for (predicate, kind) in theory.base.predicates.iter_mut().zip(&theory.kinds) {
        if *kind == GONE {
            predicate.source = Source::Clauses;
        }
    }
    let notation = &mut theory.notation;
    notation.moves.retain(|one| new(one.kind).is_some());
    for one in &mut notation.moves {
        one.kind = new(one.kind).unwrap_or(one.kind);
    }
    theory.moves = kept.iter().map(|id| theory.moves[id.0].clone()).collect();
}

/// Drops the predicates that nothing asks for.
fn drop_unasked(theory: &mut Theory) {
    let edges = edges(&theory.base);
    let mut is_asked: Vec<bool> = theory.kinds.iter().map(is_root).collect();
    if let Some(display) = &theory.notation.display {
        is_asked[display.shown.0 as usize] = true;
    }
    let events = theory.kinds.iter().filter_map(|kind| match kind {
        PredicateKind::Since(event) => Some(event.0 as usize),
        _ => None,
    });
    for event in events {
        is_asked[event] = true;
    }
    loop {
        let asks = |edge: &&Edge| is_asked[edge.from.0 as usize] && !is_asked[edge.to.0 as usize];
        let new: Vec<usize> = edges.iter().filter(asks).map(|edge| edge.to.0 as usize).collect();
        if new.is_empty() {
            break;
        }
        for number in new {
            is_asked[number] = true;
        }
    }
    for number in (0..is_asked.len()).filter(|number| !is_asked[*number]) {
        theory.base.clauses[number].clear();
        theory.kinds[number] = GONE;
    }
}

/// Is the predicate part of what a game is?
fn is_root(kind: &PredicateKind) -> bool {
    !matches!(
        kind,
        PredicateKind::Static { .. }
            | PredicateKind::Derived { .. }
            | PredicateKind::DerivedFunction
    )
}
