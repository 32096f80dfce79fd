//! Static facts: everything that never changes in a theory, complete, ready to be matched.
//!
//! In: a theory and its solver, or relations as they stand. Out: the rows of every static predicate
//! that can be listed, and whether a conjunction of conditions ever holds of them. Paper: metameta §3,
//! "the set of facts describing the board is always the same; moreover it is a complete set".
//! Invariant: a predicate that is here is complete; one that could not be listed is not here at all.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use rulesmith_logic::{
    Comparison, Condition, Domain, DomainId, Expr, Flow, Level, Limits, Nowhere, PredicateId, Row,
    Solver, Stop, Symbols, Term, Value, Var, condition_vars, expr_vars,
};
use rulesmith_matching::{
    Error, MAX_ARITY, Memory, Setting, StaticMemory, Universe, ValueId, tried_in_vain,
};
use rulesmith_rules::{PredicateKind, Theory};

use crate::metarules::{Consequence, holds_of, value_text};

/// How many rows one match test may look at. A test that needs more is not decided, and what is not
/// decided is taken as possible.
pub(crate) const TEST_ROWS_LIMIT: u64 = 1_000_000;

/// How many rows may be looked at to list all matches.
const LIST_ROWS_LIMIT: u64 = 4_000_000;

/// What two sets of facts share only if they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(to, "{byte:02x}"))
    }
}

/// A static relation as it stands.
#[derive(Clone, Debug)]
pub struct StaticRelation {
    /// Its name.
    pub name: String,
    /// The domain of each argument, `None` where it is open.
    pub columns: Vec<Option<DomainId>>,
    /// All its rows.
    pub rows: Vec<Row>,
}

/// The complete facts of the static predicates of a theory.
#[derive(Debug)]
pub struct StaticFacts {
    symbols: Rc<RefCell<Symbols>>,
    domains: Vec<Domain>,
    /// By predicate number; `None` for one that is not static or could not be listed.
    relations: Vec<Option<StaticRelation>>,
    /// The names of all predicates, also of those that are not here.
    names: Vec<String>,
    omitted: Vec<PredicateId>,
    memory: Memory,
    digest: Digest,
    /// Rows that tests have looked at.
    n_rows: Cell<u64>,
}

impl StaticFacts {
    /// The static facts of a theory. A predicate whose free question the solver cannot answer is left
    /// out and listed in [`Self::omitted`].
    pub fn of(theory: &Theory, solver: &Solver) -> Self {
        let nowhere = Nowhere::default();
        let mut omitted = Vec::new();
        let mut relations = Vec::new();
        for (number, predicate) in theory.base.predicates.iter().enumerate() {
            let id = PredicateId(u32::try_from(number).expect("fewer than 2^32 predicates"));
            // What is derived is unfolded; only what is declared static is a fact.
            let is_fact = matches!(theory.kind(id), PredicateKind::Static { .. });
            if predicate.level != Level::Static || !is_fact {
                relations.push(None);
                continue;
            }
            let arity = predicate.domains.len();
            let rows = if arity <= MAX_ARITY {
                solver.query(&nowhere, id, &vec![None; arity]).ok()
            } else {
                None
            };
            if rows.is_none() {
                omitted.push(id);
            }
            relations.push(rows.map(|rows| StaticRelation {
                name: predicate.name.clone(),
                columns: predicate.domains.clone(),
                rows: rows.to_vec(),
            }));
        }
        let symbols = Rc::clone(solver.symbols());
        let mut facts = Self::new(symbols, theory.base.domains.clone(), relations, omitted);
        facts.names = theory.base.predicates.iter().map(|one| one.name.clone()).collect();
        facts
    }

    /// Facts given as relations; the first is predicate zero, and so on.
    pub fn from_relations(
        symbols: Symbols,
        domains: Vec<Domain>,
        relations: Vec<StaticRelation>,
    ) -> Self {
        let symbols = Rc::new(RefCell::new(symbols));
        Self::new(symbols, domains, relations.into_iter().map(Some).collect(), Vec::new())
    }

    fn new(
        symbols: Rc<RefCell<Symbols>>,
        domains: Vec<Domain>,
        relations: Vec<Option<StaticRelation>>,
        omitted: Vec<PredicateId>,
    ) -> Self {
        let mut fixed = StaticMemory::new(Universe::default().into(), &domains);
        for (number, relation) in relations.iter().enumerate() {
            if let Some(relation) = relation {
                let id = PredicateId(u32::try_from(number).expect("fewer than 2^32 predicates"));
                fixed.load(id, relation.columns.len(), &relation.rows);
            }
        }
        let digest = digest(&symbols.borrow(), &domains, &relations);
        let memory = Memory::new(fixed.into());
        let name = |relation: &Option<StaticRelation>| {
            relation.as_ref().map_or_else(String::new, |relation| relation.name.clone())
        };
        let names = relations.iter().map(name).collect();
        let n_rows = Cell::new(0);
        Self { symbols, domains, relations, names, omitted, memory, digest, n_rows }
    }

    /// What is shared only with the same facts: a hash of the sorted facts and domains as text.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The static predicates that could not be listed.
    pub fn omitted(&self) -> &[PredicateId] {
        &self.omitted
    }

    /// The predicates whose facts are here, by number.
    pub fn predicates(&self) -> impl Iterator<Item = PredicateId> {
        let is_known = |(_, relation): &(usize, &Option<StaticRelation>)| relation.is_some();
        let id = |number| PredicateId(u32::try_from(number).expect("fewer than 2^32 predicates"));
        self.relations.iter().enumerate().filter(is_known).map(move |(number, _)| id(number))
    }

    /// The facts of a predicate, if they are here.
    pub fn relation(&self, predicate: PredicateId) -> Option<&StaticRelation> {
        self.relations.get(predicate.0 as usize)?.as_ref()
    }

    /// The name of a predicate, also of one whose facts are not here.
    pub fn name(&self, predicate: PredicateId) -> &str {
        self.names.get(predicate.0 as usize).map_or("", String::as_str)
    }

    /// The domain, if there is one of this number.
    pub fn domain(&self, id: DomainId) -> Option<&Domain> {
        self.domains.get(id.0 as usize)
    }

    /// The domains by number.
    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    /// The interner of the values.
    pub fn symbols(&self) -> &RefCell<Symbols> {
        &self.symbols
    }

    /// Is the condition decided by these facts alone?
    pub fn decides(&self, condition: &Condition) -> bool {
        let plain = |expr: &Expr| match expr {
            Expr::Term(_) => true,
            Expr::Binary(_, left, right) => {
                matches!((&**left, &**right), (Expr::Term(_), Expr::Term(_)))
            }
            Expr::Count { .. } => false,
        };
        match condition {
            Condition::Holds(atom) => self.relation(atom.predicate).is_some(),
            Condition::Compare(_, left, right) => plain(left) && plain(right),
            Condition::Member(_, domain) => self.domain(*domain).is_some(),
            // A negation says something else as soon as a condition that binds its variables is
            // left out, so that no set of conditions with one can be minimized.
            Condition::None { .. }
            | Condition::Construct { .. }
            | Condition::AnyOf(_)
            | Condition::Elsewhere { .. } => false,
        }
    }

    /// Do the conditions ever hold together? Tests of variables that nothing binds are left out, which
    /// can only turn a no into a yes; a search that is too long counts as a yes.
    pub fn may_match(&self, conditions: &[Condition]) -> bool {
        self.refutation(conditions).is_none()
    }

    /// Do the conditions provably never hold together, by a search that looks at so many rows at most?
    pub(crate) fn never_match_within(&self, conditions: &[Condition], rows: u64) -> bool {
        self.refutation_within(conditions, rows).is_some()
    }

    /// If the conditions never hold together, those of them that the search for a match ever tried, in
    /// their order: these never hold together either.
    pub fn refutation(&self, conditions: &[Condition]) -> Option<Vec<Condition>> {
        self.refutation_within(conditions, TEST_ROWS_LIMIT)
    }

    /// The same, by a search that looks at so many rows at most.
    pub(crate) fn refutation_within(
        &self,
        conditions: &[Condition],
        rows: u64,
    ) -> Option<Vec<Condition>> {
        let bound = bound_by(conditions);
        let is_decided = |part: &&Condition| own_vars(part).is_subset(&bound);
        let decided: Vec<Condition> = conditions.iter().filter(is_decided).cloned().collect();
        let setting = self.setting(rows);
        let tried = tried_in_vain(&setting, &self.memory, &decided, &self.n_rows).ok()??;
        Some(tried.into_iter().map(|place| decided[place].clone()).collect())
    }

    /// Does the condition hold, with some values for its free variables, wherever the body does? A
    /// search that is too long, or a variable that the body does not bind, counts as a no.
    pub fn always_holds(&self, body: &[Condition], condition: &Condition, free: &[Var]) -> bool {
        self.always_holds_within(body, condition, free, TEST_ROWS_LIMIT)
    }

    /// The same, by a search that looks at so many rows at most.
    pub(crate) fn always_holds_within(
        &self,
        body: &[Condition],
        condition: &Condition,
        free: &[Var],
        rows: u64,
    ) -> bool {
        let bound = bound_by(body);
        if !own_vars(condition).iter().all(|var| bound.contains(var) || free.contains(var)) {
            return false;
        }
        let negation = Condition::None { locals: free.to_vec(), body: vec![condition.clone()] };
        let violation: Vec<Condition> = body.iter().cloned().chain([negation]).collect();
        self.refutation_within(&violation, rows).is_some()
    }

    /// Do the facts prove that the consequence follows from the body? What cannot be decided counts as
    /// a no.
    pub fn proves(&self, body: &[Condition], consequence: &Consequence) -> bool {
        holds_of(self, body, consequence)
    }

    /// How many matches the conditions have; nothing if there are too many to count.
    pub fn n_matches(&self, conditions: &[Condition]) -> Option<u64> {
        let mut n_matches = 0;
        let counted = self.each_match(conditions, &mut |_| {
            n_matches += 1;
            Flow::More
        });
        counted.is_ok().then_some(n_matches)
    }

    /// Hands over every match of the conditions.
    pub(crate) fn each_match(
        &self,
        conditions: &[Condition],
        on_match: &mut dyn FnMut(&[Option<ValueId>]) -> Flow,
    ) -> Result<Flow, Error> {
        self.search(conditions, LIST_ROWS_LIMIT, on_match)
    }

    fn search(
        &self,
        conditions: &[Condition],
        rows_limit: u64,
        on_match: &mut dyn FnMut(&[Option<ValueId>]) -> Flow,
    ) -> Result<Flow, Error> {
        let mut bound = vec![None; n_variables(conditions)];
        let setting = self.setting(rows_limit);
        rulesmith_matching::each_match(&setting, &self.memory, conditions, &mut bound, on_match)
    }

    /// How many rows all tests so far have looked at.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows.get()
    }

    fn setting(&self, rows_limit: u64) -> Setting<'_> {
        let limits = Limits { inferences: rows_limit, ..Limits::default() };
        Setting { symbols: &self.symbols, limits, stop: Stop::default() }
    }

    /// The facts as the static layer of working memories.
    pub fn static_memory(&self) -> &Rc<StaticMemory> {
        self.memory.fixed()
    }

    /// The working memory the facts are matched in.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The value of a term whose variables are all bound.
    pub(crate) fn value(&self, id: ValueId) -> Value {
        self.memory.universe().value(id)
    }
}

/// How many variables there are, up to the last one that is named.
fn n_variables(conditions: &[Condition]) -> usize {
    let vars = conditions.iter().flat_map(condition_vars);
    vars.map(|var| usize::from(var.0) + 1).max().unwrap_or_default()
}

/// The variables of a condition that are not local to it.
pub(crate) fn own_vars(condition: &Condition) -> BTreeSet<Var> {
    let mut vars = condition_vars(condition);
    if let Condition::None { locals, .. } = condition {
        vars.retain(|var| !locals.contains(var));
    }
    vars
}

/// The variables that have a value wherever the conditions hold: those of atoms and memberships, and
/// what equations fix.
fn bound_by(conditions: &[Condition]) -> BTreeSet<Var> {
    let binds = |part: &&Condition| matches!(part, Condition::Holds(_) | Condition::Member(..));
    let mut bound: BTreeSet<Var> =
        conditions.iter().filter(binds).flat_map(condition_vars).collect();
    loop {
        let before = bound.len();
        for condition in conditions {
            let Condition::Compare(Comparison::Equal, Expr::Term(left), right) = condition else {
                continue;
            };
            let is_known = |vars: &BTreeSet<Var>| vars.is_subset(&bound);
            let (result, operands) = (term_vars(*left), expr_vars(right));
            if is_known(&operands) {
                bound.extend(result);
            } else if is_known(&result) && matches!(right, Expr::Term(_)) {
                bound.extend(operands);
            }
        }
        if bound.len() == before {
            return bound;
        }
    }
}

fn term_vars(term: Term) -> BTreeSet<Var> {
    expr_vars(&Expr::Term(term))
}

fn digest(symbols: &Symbols, domains: &[Domain], relations: &[Option<StaticRelation>]) -> Digest {
    let text = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(|value| value_text(symbols, *value)).collect::<Vec<_>>().join(",")
    };
    let mut lines: Vec<String> = Vec::new();
    for domain in domains {
        lines.push(format!("domain {}: {}", domain.name, text(&mut domain.values.iter())));
    }
    for relation in relations.iter().flatten() {
        lines.push(format!("relation {}/{}", relation.name, relation.columns.len()));
        for row in &relation.rows {
            lines.push(format!("{}({})", relation.name, text(&mut row.iter())));
        }
    }
    lines.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for line in &lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    Digest(*hasher.finalize().as_bytes())
}
