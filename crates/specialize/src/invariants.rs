//! Invariants: what holds in every state a contest can reach, found in samples and proved over moves.
//!
//! In: sampled states. Out: dependencies over fluents that hold at the start and survive every move that
//! can be asked about: two things are never in one place, a cell has one content, a value never occurs.
//! Candidates are read off the samples; all of them are assumed before a move, and one whose violation
//! after a move cannot be refuted goes, until none goes. The papers write such metarules by hand (metameta §2). GDL's
//! mutual exclusions are of this kind. Invariant: what is left holds in all reachable states, whatever
//! the samples were.

use rulesmith_logic::{
    Asking, Atom, Comparison, Condition, DomainId, Expr, PredicateId, Quantifier, Term, Value, Var,
    Variable, edges,
};
use rulesmith_matching::{Memory, Setting, first_match};
use rulesmith_rules::{MoveId, PredicateKind};

use crate::draft::Draft;
use crate::estimates::Sample;
use crate::flat::push;
use crate::knowledge::Knowledge;
use crate::metarules::{
    Consequence, Declarations, Families, Family, Metarule, Origin, Proof, Store,
};
use crate::simplify::Rigid;
use crate::unfold::Unfolder;

/// How many candidates are tried at most; the simplest come first.
const CANDIDATES_LIMIT: usize = 80;

/// Domains up to this size have their values looked at one by one.
const VALUES_LIMIT: usize = 8;

/// What came of looking for invariants.
#[derive(Debug, Default)]
pub struct Invariants {
    /// What was proved.
    pub proved: Vec<Metarule>,
    /// What held in all samples and was not proved; only the order of conditions may use it.
    pub unproved: Vec<Metarule>,
    /// How often all candidates were tried.
    pub rounds: usize,
}

impl Unfolder<'_> {
    /// The invariants of a theory. The first sample must be the state at the start.
    pub(crate) fn find_invariants(&mut self, samples: &[Sample]) -> Invariants {
        let mut found = Invariants::default();
        if samples.is_empty() {
            return found;
        }
        let mut candidates = candidates(self.knowledge);
        candidates.retain(|candidate| holds_in(self.knowledge, candidate, samples));
        let mut candidates = simplest(self.knowledge, candidates);
        candidates.truncate(CANDIDATES_LIMIT);
        let store = self.store.clone();
        loop {
            found.rounds += 1;
            self.assume(&store, &candidates);
            let before = candidates.len();
            candidates.retain(|candidate| {
                let is_kept = self.survives_moves(candidate);
                if !is_kept {
                    found.unproved.push(candidate.clone());
                }
                is_kept
            });
            if candidates.len() == before {
                break;
            }
        }
        // That one role moves at a time may itself be an invariant, so it is asked of what is left.
        let has_turns = self.has_turns();
        self.store = store;
        let left = if has_turns { &mut found.proved } else { &mut found.unproved };
        left.extend(candidates);
        found
    }

    fn assume(&mut self, store: &Store, candidates: &[Metarule]) {
        self.store = store.clone();
        let families = store.families().with(Family::Invariant);
        self.store.set_families(families);
        for candidate in candidates {
            self.store.add(candidate.clone());
        }
    }

    /// Can only one role move at a time? Then every step is one move, as regression takes it.
    fn has_turns(&mut self) -> bool {
        if self.knowledge.theory.roles.len() == 1 {
            return true;
        }
        let kinds: Vec<MoveId> = self.knowledge.theory.move_ids().collect();
        let pairs = kinds.iter().flat_map(|one| kinds.iter().map(move |other| (*one, *other)));
        pairs.filter(|(one, other)| one <= other).all(|(one, other)| self.never_both(one, other))
    }

    /// Can two roles never do these two moves in one state?
    fn never_both(&mut self, one: MoveId, other: MoveId) -> bool {
        let mut variables = Vec::new();
        let (first, mut body) = self.legal_atom(one, &mut variables);
        let (second, more) = self.legal_atom(other, &mut variables);
        body.extend(more);
        body.push(unequal(first.args[0], second.args[0]));
        self.is_refuted(body, variables)
    }

    /// A move with fresh arguments, and that it is legal.
    fn legal_atom(&self, kind: MoveId, variables: &mut Vec<Variable>) -> (Atom, Vec<Condition>) {
        let theory = self.knowledge.theory;
        let kind = theory.move_kind(kind);
        let domains = &theory.base.predicate(kind.legal).domains;
        let fresh = |domain: &Option<DomainId>| {
            let variable = Variable { name: "M".to_owned(), domain: *domain };
            Term::Var(push(variables, variable))
        };
        let args: Vec<Term> = domains.iter().map(fresh).collect();
        let legal = Condition::Holds(Atom { predicate: kind.legal, args: args.clone() });
        (Atom { predicate: kind.does, args }, vec![legal])
    }

    /// Does no move lead to a state that violates the candidate? Rules that ask what holds after a move
    /// ask it of illegal moves too, to find them illegal; where there are such rules, every move counts.
    fn survives_moves(&mut self, candidate: &Metarule) -> bool {
        let edges = edges(&self.knowledge.theory.base);
        let looks_ahead = edges.iter().any(|edge| edge.asking == Asking::Elsewhere);
        let kinds: Vec<MoveId> = self.knowledge.theory.move_ids().collect();
        kinds.into_iter().all(|kind| {
            let mut variables = candidate.variables.clone();
            let (by, legal) = self.legal_atom(kind, &mut variables);
            let mut body = if looks_ahead { Vec::new() } else { legal };
            body.push(Condition::Elsewhere {
                by,
                quantifier: Quantifier::Some,
                body: violation(candidate),
            });
            self.is_refuted(body, variables)
        })
    }

    /// Does the body unfold into nothing? What legality says of other states is left out, which can
    /// only make this harder.
    fn is_refuted(&mut self, body: Vec<Condition>, mut variables: Vec<Variable>) -> bool {
        let draft = Draft::of_body(body, Rigid::new());
        self.n_regressing += 1;
        self.forgets_passages = true;
        let expanded = self.expand(draft, &mut variables);
        self.forgets_passages = false;
        self.n_regressing -= 1;
        expanded.is_ok_and(|bodies| bodies.is_empty())
    }
}

/// What would have to hold where the metarule does not.
fn violation(metarule: &Metarule) -> Vec<Condition> {
    let mut body = metarule.body.clone();
    if let Consequence::Equal(left, right) = &metarule.consequence {
        body.push(unequal(*left, *right));
    }
    body
}

fn unequal(left: Term, right: Term) -> Condition {
    Condition::Compare(Comparison::Unequal, Expr::Term(left), Expr::Term(right))
}

/// Everything of a simple shape that might be an invariant.
fn candidates(knowledge: &Knowledge<'_>) -> Vec<Metarule> {
    let theory = knowledge.theory;
    let mut fluents: Vec<(PredicateId, Option<usize>)> = Vec::new();
    for (kind, id) in theory.kinds.iter().zip(0..) {
        if let PredicateKind::Fluent(fluent) = kind {
            let fluent = theory.fluent(*fluent);
            fluents.push((PredicateId(id), fluent.is_functional.then_some(fluent.n_keys)));
        }
    }
    let mut all = Vec::new();
    for (predicate, value_place) in &fluents {
        all.extend(absent_values(knowledge, *predicate));
        all.extend(dependencies(knowledge, *predicate, *value_place));
        for (other, _) in fluents.iter().filter(|(other, _)| other >= predicate) {
            all.extend(exclusions(knowledge, *predicate, *other));
        }
    }
    all
}

fn claim(body: &[Condition], consequence: &Consequence, knowledge: &Knowledge<'_>) -> Metarule {
    let proof = Proof::Inductive(knowledge.facts.digest());
    Metarule::new(body, consequence, proof, Origin::Induction)
}

/// An atom of the predicate whose arguments are variables from this number on.
fn open_atom(knowledge: &Knowledge<'_>, predicate: PredicateId, first: u16) -> Atom {
    let arity = knowledge.theory.base.predicate(predicate).domains.len();
    let args = (first..).take(arity).map(|number| Term::Var(Var(number))).collect();
    Atom { predicate, args }
}

/// The values of an argument, if they are few.
fn values_at(knowledge: &Knowledge<'_>, predicate: PredicateId, place: usize) -> Vec<Value> {
    let base = &knowledge.theory.base;
    let domain = base.predicate(predicate).domains[place].map(|domain| base.domain(domain));
    let few = domain.filter(|domain| domain.values.len() <= VALUES_LIMIT);
    few.map_or_else(Vec::new, |domain| domain.values.iter().copied().collect())
}

/// This argument never has this value.
fn absent_values(knowledge: &Knowledge<'_>, predicate: PredicateId) -> Vec<Metarule> {
    let atom = open_atom(knowledge, predicate, 0);
    let mut all = Vec::new();
    for place in 0..atom.args.len() {
        for value in values_at(knowledge, predicate, place) {
            let mut atom = atom.clone();
            atom.args[place] = Term::Value(value);
            let body = [Condition::Holds(atom)];
            all.push(claim(&body, &Consequence::Impossible, knowledge));
        }
    }
    all
}

/// Some arguments fix another one.
fn dependencies(
    knowledge: &Knowledge<'_>,
    predicate: PredicateId,
    value_place: Option<usize>,
) -> Vec<Metarule> {
    let one = open_atom(knowledge, predicate, 0);
    let arity = one.args.len();
    if arity > 5 {
        return vec![];
    }
    let mut all = Vec::new();
    for keys in 0..1_usize << arity {
        for fixed in (0..arity).filter(|place| keys >> place & 1 == 0) {
            // The value of a function is known to be fixed by its keys.
            let declared = value_place == Some(fixed) && (0..fixed).all(|key| keys >> key & 1 == 1);
            if declared {
                continue;
            }
            let mut other = open_atom(knowledge, predicate, 8);
            for place in (0..arity).filter(|place| keys >> place & 1 == 1) {
                other.args[place] = one.args[place];
            }
            let equal = Consequence::Equal(one.args[fixed], other.args[fixed]);
            let body = [Condition::Holds(one.clone()), Condition::Holds(other)];
            all.push(claim(&body, &equal, knowledge));
        }
    }
    all
}

/// Two fluents never agree in one argument.
fn exclusions(knowledge: &Knowledge<'_>, one: PredicateId, other: PredicateId) -> Vec<Metarule> {
    let base = &knowledge.theory.base;
    let (first, second) = (open_atom(knowledge, one, 0), open_atom(knowledge, other, 8));
    let mut all = Vec::new();
    for place in 0..first.args.len() {
        for twin in 0..second.args.len() {
            let domains = (base.predicate(one).domains[place], base.predicate(other).domains[twin]);
            let (Some(left), Some(right)) = domains else { continue };
            let meet = |value: &Value| knowledge.contains(right, *value);
            if (one == other && place >= twin) || !base.domain(left).values.iter().any(meet) {
                continue;
            }
            let mut second = second.clone();
            second.args[twin] = first.args[place];
            let body = [Condition::Holds(first.clone()), Condition::Holds(second)];
            all.push(claim(&body, &Consequence::Impossible, knowledge));
        }
    }
    all
}

/// Does the claim hold in all samples?
fn holds_in(knowledge: &Knowledge<'_>, candidate: &Metarule, samples: &[Sample]) -> bool {
    let body = violation(candidate);
    samples.iter().all(|sample| {
        let mut memory = Memory::new(knowledge.facts.static_memory().clone());
        for condition in &body {
            let Condition::Holds(atom) = condition else { continue };
            memory.load(atom.predicate, atom.args.len(), sample.rows_of(atom.predicate));
        }
        let setting = Setting {
            symbols: knowledge.symbols(),
            limits: *knowledge.solver.limits(),
            stop: knowledge.solver.stop().clone(),
        };
        let mut bound = vec![None; candidate.variables.len()];
        matches!(first_match(&setting, &memory, &body, &mut bound), Ok(None))
    })
}

/// Those that no other implies, the shortest first.
fn simplest(knowledge: &Knowledge<'_>, mut candidates: Vec<Metarule>) -> Vec<Metarule> {
    candidates.sort_by_key(|one| (one.body.len(), one.variables.len()));
    let mut store = Store::new(Declarations::of(knowledge.theory), Families::ALL);
    for candidate in candidates {
        store.add(candidate);
    }
    store.metarules().map(|(_, metarule)| metarule.clone()).collect()
}
