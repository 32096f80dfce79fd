//! The author's metarules: proved where they can be, declared where not, refuted where they are false.
//!
//! In: the metarules of a theory and what is known about it. Out: for each its standing: a dependency
//! with its proof for the store, a counter-example, or a program that rewrites clauses. Paper: metameta
//! §2; forcedmoves §4, §6. Invariant: a dependency that is called proved is true in every state; one
//! that the facts refute is never used.

use std::collections::BTreeSet;

use rulesmith_logic::{
    Atom, Clause, Condition, DomainId, Flow, Span, Term, Value, Var, Variable, condition_vars,
    substitute_body,
};
use rulesmith_rules::{Theory, conditions_text};

use crate::binding::bound_by;
use crate::bounds::Bounds;
use crate::draft::Draft;
use crate::flat::flatten;
use crate::knowledge::Knowledge;
use crate::metaprogram::{Claim, MetaprogramCut, Programs, RewrittenRules, claim};
use crate::metarules::{Declarations, Families, Metarule, MetaruleId, Origin, Proof, Store};
use crate::object_laws::object_laws;
use crate::unfold::Unfolder;

/// A metarule of the theory, and what is known about it.
#[derive(Clone, Debug)]
pub struct AuthorsMetarule {
    /// Its place in [`Theory::metarules`].
    pub place: usize,
    /// What is known about it.
    pub standing: Standing,
    /// The metarule of the store that says it, once there is one.
    pub id: Option<MetaruleId>,
}

/// What is known about an author's metarule.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It is a dependency; its proof says whether it is proved or declared.
    Dependency(Box<Metarule>),
    /// It is a dependency, and false: these facts refute it.
    Refuted(CounterExample),
    /// It rewrites or makes clauses. Nothing proves that the answers stay the same.
    Program,
}

/// Facts that make the body of a metarule hold, and not what it says follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterExample {
    /// The variables, by the author's names, with their values.
    pub bindings: Vec<(String, Value)>,
    /// The conditions of the body with these values.
    pub facts: Vec<Condition>,
}

impl AuthorsMetarule {
    /// Is it used although nothing proves it?
    pub fn is_declared(&self) -> bool {
        match &self.standing {
            Standing::Dependency(metarule) => metarule.proof == Proof::Declared,
            Standing::Program => true,
            Standing::Refuted(_) => false,
        }
    }

    /// What a reader of the rules is told about it.
    pub fn status(&self) -> &'static str {
        match &self.standing {
            Standing::Dependency(metarule) => match metarule.proof {
                Proof::General => "follows from the general laws",
                Proof::Static(_) => "proved on the facts",
                Proof::Inductive(_) => "follows from the definitions",
                Proof::Declared => "declared",
            },
            Standing::Refuted(_) => "false",
            Standing::Program => "declared, rewrites clauses",
        }
    }
}

/// What is known about each metarule of the theory, in order.
pub fn authors_metarules(knowledge: &Knowledge<'_>) -> Vec<AuthorsMetarule> {
    let metarules = &knowledge.theory.metarules;
    if metarules.is_empty() {
        return vec![];
    }
    let prover = Prover::new(knowledge);
    let standing = |metarule| match claim(metarule) {
        None => Standing::Program,
        Some(claim) => match prover.refute(&claim, metarule) {
            Some(example) => Standing::Refuted(example),
            None => Standing::Dependency(Box::new(Metarule::new(
                &claim.body,
                &claim.consequence,
                prover.prove(&claim),
                Origin::Author,
            ))),
        },
    };
    let one = |(place, metarule)| AuthorsMetarule { place, standing: standing(metarule), id: None };
    metarules.iter().enumerate().map(one).collect()
}

/// The places of the metarules that rewrite or make clauses.
pub(crate) fn program_places(authors: &[AuthorsMetarule]) -> BTreeSet<usize> {
    let is_program = |one: &&AuthorsMetarule| matches!(one.standing, Standing::Program);
    authors.iter().filter(is_program).map(|one| one.place).collect()
}

/// What the metarules that rewrite or make clauses do to the rules as they are written, and which of
/// them, by place in the theory, reached a limit.
pub fn rewritten_rules(
    theory: &Theory,
    authors: &[AuthorsMetarule],
) -> (Vec<RewrittenRules>, BTreeSet<(MetaprogramCut, usize)>) {
    Programs::new(theory, &program_places(authors)).rewritten_rules()
}

/// Bodies that a proof may unfold a violation into.
const PROOF_CLAUSES_LIMIT: usize = 400;

/// Proves and refutes dependencies.
struct Prover<'k> {
    knowledge: &'k Knowledge<'k>,
    /// The built-in metarules and the laws of objects.
    laws: Store,
}

impl<'k> Prover<'k> {
    fn new(knowledge: &'k Knowledge<'k>) -> Self {
        let mut laws = Store::new(Declarations::of(knowledge.theory), Families::ALL);
        for law in object_laws(knowledge.theory) {
            laws.add(law);
        }
        Self { knowledge, laws }
    }

    /// The strongest proof there is. This is the one place that decides how much an author is believed;
    /// what needs induction over the moves belongs after the last attempt.
    fn prove(&self, claim: &Claim) -> Proof {
        let digest = self.knowledge.facts.digest();
        let violation = claim.violation();
        if self.laws.apply(&violation).is_impossible {
            Proof::General
        } else if self.facts_exclude(&violation) {
            Proof::Static(digest)
        } else if self.definitions_exclude(&violation) {
            // What no state can have is kept by every move.
            Proof::Inductive(digest)
        } else {
            Proof::Declared
        }
    }

    /// Do the complete static facts alone keep the conditions from holding together?
    fn facts_exclude(&self, violation: &[Condition]) -> bool {
        let facts = &self.knowledge.facts;
        let decided = violation.iter().filter(|part| decides(self.knowledge, part));
        let decided: Vec<Condition> = decided.cloned().collect();
        // A negation says more about variables that nothing else gives than it does alone.
        let mut bound = BTreeSet::new();
        bound_by(&decided, &mut bound);
        let is_sure = |part: &Condition| match part {
            Condition::None { locals, .. } => {
                condition_vars(part).iter().all(|var| bound.contains(var) || locals.contains(var))
            }
            _ => true,
        };
        let decided: Vec<Condition> = decided.into_iter().filter(|part| is_sure(part)).collect();
        !decided.is_empty() && !facts.may_match(&decided)
    }

    /// Does nothing remain when everything that is defined is unfolded?
    fn definitions_exclude(&self, violation: &[Condition]) -> bool {
        let clause = question(self.knowledge.theory, violation, None);
        let bounds = Bounds { clauses: PROOF_CLAUSES_LIMIT, ..Bounds::default() };
        let Ok(clauses) = flatten(&clause, PROOF_CLAUSES_LIMIT) else { return false };
        let mut unfolder = Unfolder::new(self.knowledge, bounds, self.laws.clone());
        clauses.iter().all(|clause| {
            let mut variables = clause.variables.clone();
            let finished = unfolder.expand(Draft::of_clause(clause), &mut variables);
            finished.is_ok_and(|finished| finished.is_empty())
        })
    }

    /// Facts that make a dependency false whose conditions they all decide.
    fn refute(
        &self,
        claim: &Claim,
        metarule: &rulesmith_rules::Metarule,
    ) -> Option<CounterExample> {
        let violation = claim.violation();
        if !violation.iter().all(|part| decides(self.knowledge, part)) {
            return None;
        }
        let found = self.ranges(&open_vars(&claim.body)).into_iter().find_map(|range| {
            let conditions = [range, violation.clone()].concat();
            let mut found = None;
            let facts = &self.knowledge.facts;
            // A search that is too long finds nothing, and the claim stays what it is.
            let _ = facts.each_match(&conditions, &mut |values| {
                let values = values.iter().map(|id| id.map(|id| facts.value(id)));
                found = Some(values.collect::<Vec<Option<Value>>>());
                Flow::Enough
            });
            found
        })?;
        Some(counter_example(claim, metarule, &found))
    }

    /// Variables that only tests speak of may stand for anything: for the values of each sort.
    fn ranges(&self, open: &[Var]) -> Vec<Vec<Condition>> {
        if open.is_empty() {
            return vec![vec![]];
        }
        domain_ids(self.knowledge.theory)
            .map(|domain| {
                open.iter().map(|var| Condition::Member(Term::Var(*var), domain)).collect()
            })
            .collect()
    }
}

/// Do the static facts decide the condition, or what it denies?
fn decides(knowledge: &Knowledge<'_>, condition: &Condition) -> bool {
    match condition {
        Condition::None { body, .. } => body.iter().all(|part| knowledge.facts.decides(part)),
        other => knowledge.facts.decides(other),
    }
}

fn domain_ids(theory: &Theory) -> impl Iterator<Item = DomainId> {
    let n_domains = u32::try_from(theory.base.domains.len()).unwrap_or(u32::MAX);
    (0..n_domains).map(DomainId)
}

/// The values of a match, by the author's names, and the body with them.
fn counter_example(
    claim: &Claim,
    metarule: &rulesmith_rules::Metarule,
    values: &[Option<Value>],
) -> CounterExample {
    let value = |var: Var| values.get(usize::from(var.0)).copied().flatten();
    let vars: BTreeSet<Var> = claim.body.iter().flat_map(condition_vars).collect();
    let name = |var: Var| {
        let named = metarule.variables.get(usize::from(var.0));
        named.map_or_else(|| "_".to_owned(), |variable| variable.name.clone())
    };
    let named = vars.into_iter().filter(|var| name(*var) != "_");
    let bindings = named.filter_map(|var| value(var).map(|value| (name(var), value))).collect();
    let map = |var: Var| value(var).map_or(Term::Var(var), Term::Value);
    CounterExample { bindings, facts: substitute_body(&claim.body, &map) }
}

impl CounterExample {
    /// The facts as text.
    pub fn text(&self, knowledge: &Knowledge<'_>) -> String {
        if self.facts.is_empty() {
            return "it asks for nothing".to_owned();
        }
        let symbols = knowledge.symbols().borrow();
        conditions_text(knowledge.theory, &symbols, &self.facts, &[])
    }
}

/// A clause without arguments that asks whether conditions can hold together. The open variables range
/// over the domain.
fn question(theory: &Theory, conditions: &[Condition], open: Option<(&[Var], DomainId)>) -> Clause {
    let n_variables = conditions.iter().flat_map(condition_vars).map(|var| var.0 + 1).max();
    let variable = |number| {
        let range = open.filter(|(vars, _)| vars.contains(&Var(number)));
        Variable { name: format!("V{number}"), domain: range.map(|(_, domain)| domain) }
    };
    Clause {
        head: Atom { predicate: theory.terminal, args: vec![] },
        body: conditions.to_vec(),
        variables: (0..n_variables.unwrap_or(0)).map(variable).collect(),
        span: Span::default(),
    }
}

/// What to ask of a state to put a dependency to the test.
#[derive(Clone, Debug)]
pub struct DependencyTest {
    /// The metarule, by its place in the theory.
    pub place: usize,
    /// Clauses without arguments: one of them holds where the body of the metarule does.
    pub matches: Vec<Clause>,
    /// Clauses without arguments: one of them holds where the metarule is false.
    pub violations: Vec<Clause>,
    claim: Claim,
}

/// The tests of the declared dependencies.
pub fn dependency_tests(theory: &Theory, authors: &[AuthorsMetarule]) -> Vec<DependencyTest> {
    let is_tested = |one: &&AuthorsMetarule| matches!(&one.standing, Standing::Dependency(metarule) if metarule.proof == Proof::Declared);
    let test = |one: &AuthorsMetarule| {
        let claim = claim(&theory.metarules[one.place])?;
        let open = open_vars(&claim.body);
        let questions = |conditions: &[Condition]| match &open[..] {
            [] => vec![question(theory, conditions, None)],
            open => domain_ids(theory)
                .map(|domain| question(theory, conditions, Some((open, domain))))
                .collect(),
        };
        let (matches, violations) = (questions(&claim.body), questions(&claim.violation()));
        Some(DependencyTest { place: one.place, matches, violations, claim })
    };
    authors.iter().filter(is_tested).filter_map(test).collect()
}

impl DependencyTest {
    /// What the values that answer a violation say.
    pub fn counter_example(&self, theory: &Theory, values: &[Option<Value>]) -> CounterExample {
        counter_example(&self.claim, &theory.metarules[self.place], values)
    }
}

/// The variables that only tests speak of.
fn open_vars(body: &[Condition]) -> Vec<Var> {
    let mut bound = BTreeSet::new();
    bound_by(body, &mut bound);
    let vars: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
    vars.difference(&bound).copied().collect()
}
