//! Lowering a tree: one condition after another, each inside what binds its variables.
//!
//! In: conditions in the order of the tree. Out: nested statements. Invariant: what follows a condition is
//! emitted inside it, once, with the variables bound that it binds.

use std::collections::BTreeSet;

use rulesmith_kernel::{Scalar, Set, Statement, Word};
use rulesmith_logic::{
    Atom, Comparison, Condition, DomainId, Expr, PredicateId, Source, Term, Value, Var,
    condition_vars,
};
use rulesmith_matching::Node;
use rulesmith_rules::PredicateKind;

use super::super::Obstacle;
use super::super::emit::{Certainty, Emitter, Tables};
use super::super::optimizations::Optimization;
use super::components::{Found, Hint};
use super::elsewhere::{Doing, Kind};
use super::gather::gathered;
use super::held::{Held, NOWHERE, Spot};
use super::order::vars_of;
use super::relations::Relation;
use super::setting::Setting;
use super::stored::{Spare, all_of};

/// A tree under way.
pub(crate) struct Lowering<'x, 'b> {
    pub(crate) setting: &'x Setting<'b>,
    pub(crate) emitter: &'x mut Emitter<'b>,
    pub(crate) tables: &'x mut Tables,
    pub(crate) spare: &'x mut Spare,
    /// The moves that are being made, one for each role that moves.
    pub(crate) doing: Vec<Doing>,
    pub(super) env: Vec<Option<Held>>,
    /// The components that are bound, the innermost last.
    pub(super) bound: Vec<Found>,
    /// The variables that parts of the tree below the present conditions ask about.
    pub(super) below: BTreeSet<Var>,
    /// What is known about the component that is looked for next.
    pub(super) hint: Hint,
    /// The predicates that are being asked, so that recursion is seen.
    pub(super) calls: Vec<PredicateId>,
    /// The recursions whose answers are being looked at.
    pub(super) chasing: Vec<PredicateId>,
    /// What must hold for the numbers just computed to be proper.
    pub(super) proper: Vec<Word>,
    /// While a question is asked about the state after a move: what the state before it looked like where
    /// repetitions are counted.
    pub(super) before: Option<Before>,
    /// The move that stays made if it is judged well.
    pub(crate) keeps: Option<Keeping>,
    /// The flag of the search under way, if nothing but its truth matters: the innermost `Repeat` may be left
    /// once it is set.
    pub(super) sought: Option<Scalar>,
    /// What counts the components that are looked for next, and from which number on it does not matter.
    pub(super) enough: Option<(Scalar, Word)>,
}

/// A move that is judged in order to be made.
#[derive(Clone, Debug)]
pub(crate) struct Keeping {
    /// The role and the parameters, as the tree's inputs hold them.
    pub(crate) inputs: Vec<Held>,
    /// The hash of the present state where repetitions are counted, if it is known.
    pub(crate) now: Option<Scalar>,
}

/// The state before a move that is being judged: its hash, where repetitions are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before(pub(super) Option<Scalar>);

/// What follows once something holds.
pub(super) type Then<'t, L> = dyn FnMut(&mut L) -> Result<(), Obstacle> + 't;

/// What is done with a conclusion.
pub(super) type Conclude<'t, L> = dyn FnMut(&mut L, &[Term]) -> Result<(), Obstacle> + 't;

impl<'x, 'b> Lowering<'x, 'b> {
    pub(crate) fn new(
        setting: &'x Setting<'b>,
        emitter: &'x mut Emitter<'b>,
        tables: &'x mut Tables,
        spare: &'x mut Spare,
    ) -> Self {
        let (env, bound, calls, proper) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (doing, sought, before) = (Vec::new(), None, None);
        Self {
            setting,
            emitter,
            tables,
            spare,
            doing,
            env,
            bound,
            calls,
            chasing: Vec::new(),
            proper,
            before,
            sought,
            enough: None,
            keeps: None,
            hint: Hint::default(),
            below: BTreeSet::new(),
        }
    }

    pub(super) fn has(&self, one: Optimization) -> bool {
        self.emitter.places.optimizations.has(one)
    }

    /// The parts of a tree below some bindings.
    pub(super) fn nodes(
        &mut self,
        nodes: &[Node],
        conclude: &mut Conclude<'_, Self>,
    ) -> Result<(), Obstacle> {
        for node in nodes {
            match node {
                Node::Conclusion { row, .. } => conclude(self, row)?,
                Node::Condition { .. } => {
                    let (mut conditions, below) = chain(node);
                    // What makes a move to be judged comes last: it binds nothing and takes long.
                    if self.has(Optimization::AskingLast) {
                        conditions.sort_by_key(|one| matches!(one, Condition::Elsewhere { .. }));
                    }
                    let above = std::mem::replace(&mut self.below, vars_of(below));
                    let done = self.run(&conditions, &mut |this| this.nodes(below, conclude));
                    done.map_err(|obstacle| obstacle.at(|| self.place_of(node)))?;
                    self.below = above;
                }
            }
        }
        Ok(())
    }

    /// Conditions from left to right.
    pub(super) fn run(
        &mut self,
        conditions: &[&Condition],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let Some((first, rest)) = conditions.split_first() else { return then(self) };
        if let Some((place, var, value)) = self.decided(conditions) {
            let mut others = conditions.to_vec();
            others.remove(place);
            return self.with(var, Held::Fixed(value), &mut |this| this.run(&others, then));
        }
        if let Some(place) = self.sooner(conditions) {
            let mut ordered = conditions.to_vec();
            let next = ordered.remove(place);
            ordered.insert(0, next);
            return self.run(&ordered, then);
        }
        if let Condition::Elsewhere { body, .. } = first
            && self.binds_for(body, rest)?
        {
            // What it asks about is bound here first.
            return self.run(&[rest, &[*first]].concat(), then);
        }
        if let Some(certainty) = self.test(first)? {
            return self.when(certainty, &mut |this| this.run(rest, then));
        }
        if let Some(certainty) = self.any_answer(first, rest)? {
            return self.when(certainty, &mut |this| this.run(rest, then));
        }
        if let Some(joined) = self.joined(conditions)? {
            let rest = &conditions[joined.n_conditions..];
            let mut next = |this: &mut Self| this.run(rest, then);
            return self.each(joined.var, joined.domain, joined.set, &mut next);
        }
        if let Condition::AnyOf(_) = first {
            return self.run_any(first, rest, then);
        }
        let (hint, settled) = self.hint_for(first, rest)?;
        self.hint = hint;
        let is_left = |(place, _): &(usize, &&Condition)| !settled.contains(place);
        let rest: Vec<&Condition> =
            rest.iter().enumerate().filter(is_left).map(|(_, one)| *one).collect();
        self.open(first, &mut |this| this.run(&rest, then))
    }

    /// Alternatives: what follows asks about what each of them binds.
    fn run_any(
        &mut self,
        first: &Condition,
        rest: &[&Condition],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let own = self.below.clone();
        self.below.extend(rest.iter().flat_map(|one| condition_vars(one)));
        let done = self.open(first, &mut |this| {
            let within = std::mem::replace(&mut this.below, own.clone());
            let done = this.run(rest, then);
            this.below = within;
            done
        });
        self.below = own;
        done
    }

    /// Goes on where a word is not zero.
    pub(super) fn when(
        &mut self,
        certainty: Certainty,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        match certainty {
            Certainty::Never => Ok(()),
            Certainty::Always => then(self),
            Certainty::If(word) => {
                self.emitter.begin();
                let done = then(self);
                let body = self.emitter.end();
                if !body.is_empty() {
                    self.emitter.push(Statement::If(word, body, Vec::new()));
                }
                done
            }
        }
    }

    /// Goes on with a variable bound.
    pub(super) fn with(
        &mut self,
        var: Var,
        held: Held,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        self.bind(var, Some(held));
        let done = then(self);
        self.bind(var, None);
        done
    }

    /// Goes on for each number of a set.
    pub(super) fn each(
        &mut self,
        var: Var,
        domain: DomainId,
        set: Set,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let scalar = self.emitter.scalar();
        self.emitter.begin();
        let done = self.with(var, Held::Place(scalar, domain), then);
        let body = self.emitter.end();
        let width = self.setting.domains.width(domain);
        let union = gathered((scalar, width), &set, &body);
        if let Some(union) = union.filter(|_| self.has(Optimization::BitsGathered)) {
            self.emitter.push(union);
        } else if !body.is_empty() {
            self.emitter.push(Statement::ForEach(scalar, set, body));
        }
        done
    }

    /// Every way in which a condition with something unknown holds.
    fn open(&mut self, condition: &Condition, then: &mut Then<'_, Self>) -> Result<(), Obstacle> {
        match condition {
            Condition::Holds(atom) => self.open_atom(atom, then),
            Condition::Member(Term::Var(var), domain) => {
                let all = Set::Mask(self.setting.domains.all(*domain));
                self.each(*var, *domain, all, then)
            }
            Condition::Construct { whole, functor, args } => {
                let own = match self.held(*whole) {
                    Some(Held::Place(_, domain)) => Some(domain),
                    _ => None,
                };
                let relation = self.setting.compounds(own, *functor, args.len());
                let args: Vec<Term> = [whole].into_iter().chain(args).copied().collect();
                self.open_relation(&relation, &args, then)
            }
            Condition::Compare(Comparison::Equal, left, right) => {
                self.open_equation(left, right, then)
            }
            Condition::AnyOf(branches) => {
                for branch in branches {
                    let branch: Vec<&Condition> = branch.iter().collect();
                    self.run(&branch, then)?;
                }
                Ok(())
            }
            Condition::Elsewhere { .. } => Err(Obstacle::new("a question about an unknown move")),
            _ => Err(Obstacle::new("a condition with too little known")),
        }
    }

    /// A variable takes the value of the other side.
    fn open_equation(
        &mut self,
        left: &Expr,
        right: &Expr,
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        for (name, other) in [(left, right), (right, left)] {
            let Expr::Term(Term::Var(var)) = name else { continue };
            if self.held(Term::Var(*var)).is_some() {
                continue;
            }
            if let Expr::Term(term) = other
                && let Some(held) = self.held(*term)
            {
                return self.with(*var, held, then);
            }
            if let Some(word) = self.expr(other)? {
                let scalar = self.emitter.let_word(word);
                let proper = all_of(std::mem::take(&mut self.proper), Word::Constant(1));
                let mut next = |this: &mut Self| this.with(*var, Held::Number(scalar), then);
                return self.when(proper, &mut next);
            }
        }
        for (sum, other) in [(left, right), (right, left)] {
            if self.is_known(sum) || !self.is_known(other) {
                continue;
            }
            let Some(value) = self.expr(other)? else { continue };
            if let Some((var, word)) = self.solve(sum, value)? {
                let scalar = self.emitter.let_word(word);
                let proper = all_of(std::mem::take(&mut self.proper), Word::Constant(1));
                let mut next = |this: &mut Self| this.with(var, Held::Number(scalar), then);
                return self.when(proper, &mut next);
            }
        }
        Err(Obstacle::new("an equation with too little known"))
    }

    fn open_atom(&mut self, atom: &Atom, then: &mut Then<'_, Self>) -> Result<(), Obstacle> {
        if let Some(stored) = self.stored(atom.predicate) {
            return self.open_stored(&stored, &atom.args, then);
        }
        if let Source::Component(id, part) = self.setting.source(atom.predicate) {
            return self.open_part((id, part), &atom.args, then);
        }
        match self.setting.theory.kinds.get(atom.predicate.0 as usize) {
            Some(PredicateKind::Does(kind)) => {
                let kind = kind.0;
                self.open_does(kind, &atom.args, then)
            }
            _ if self.setting.is_called(atom.predicate) => {
                self.open_call(atom.predicate, &atom.args, then)
            }
            _ => {
                let relation = self.setting.relation(atom.predicate)?;
                self.open_relation(&relation, &atom.args, then)
            }
        }
    }

    /// The moves that are being made, if they are of this kind.
    fn open_does(
        &mut self,
        kind: usize,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let theory = self.setting.theory;
        let domains = &theory.base.predicate(theory.moves[kind].does).domains;
        for doing in self.doing.clone() {
            let is_it = match doing.kind {
                Kind::Known(known) => Word::Constant(u64::from(known == kind)),
                Kind::Told(told) => Word::from(told).equals(kind as u64 + 1),
            };
            let mut held = vec![Held::Fixed(Value::Symbol(theory.roles[doing.role]))];
            for (scalar, domain) in doing.params.iter().zip(domains.iter().skip(1)) {
                let domain = domain.ok_or_else(|| Obstacle::new("a parameter without a sort"))?;
                held.push(Held::Place(*scalar, domain));
            }
            self.when(all_of(Vec::new(), is_it), &mut |this| this.open_held(args, &held, then))?;
        }
        Ok(())
    }

    /// Terms that are equal to what is held, one after another.
    pub(super) fn open_held(
        &mut self,
        args: &[Term],
        held: &[Held],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let (Some((term, args)), Some((first, held))) = (args.split_first(), held.split_first())
        else {
            return then(self);
        };
        match (self.held(*term), term) {
            (None, Term::Var(var)) => {
                self.with(*var, *first, &mut |this| this.open_held(args, held, then))
            }
            (Some(known), _) => {
                let certainty = self.same(known, *first)?;
                self.when(certainty, &mut |this| this.open_held(args, held, then))
            }
            _ => Ok(()),
        }
    }

    /// Every row of a static relation that matches.
    fn open_relation(
        &mut self,
        relation: &Relation,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        if let Some(certainty) = self.relation_test(relation, args)? {
            return self.when(certainty, then);
        }
        let mut known = Vec::new();
        let mut unknown: Option<(usize, Var)> = None;
        for (column, term) in args.iter().enumerate() {
            match self.spot(*term, relation.columns[column])? {
                Spot::Unknown(var) => unknown = unknown.or(Some((column, var))),
                Spot::Never => return Ok(()),
                _ => known.push(column),
            }
        }
        let Some((column, var)) = unknown else { return Ok(()) };
        let domain = relation.columns[column];
        let mut guards = Vec::new();
        let row = self.number((args, &relation.columns), &known, &mut guards)?;
        let row = row.ok_or_else(|| Obstacle::new("a row nobody knows"))?;
        let mut next = |this: &mut Self| this.open_relation(relation, args, then);
        let function = self.setting.function(relation, &known, column);
        if let Some(table) = function.filter(|_| self.has(Optimization::FunctionsLookedUp)) {
            let is_total = !table.table.words.contains(&NOWHERE);
            let table = table.place(self.tables);
            return self.when(all_of(guards, Word::Constant(1)), &mut |this| {
                let found = this.emitter.let_word(Word::look(table, row.clone()));
                let is_there = Word::from(found)
                    .compare(rulesmith_kernel::Comparison::Unequal, Word::Constant(NOWHERE));
                let is_there = if is_total { Word::Constant(1) } else { is_there };
                this.when(all_of(Vec::new(), is_there), &mut |this| {
                    this.with(var, Held::Place(found, domain), &mut next)
                })
            });
        }
        let table = self.setting.masks(relation, &known, column)?.place(self.tables);
        self.when(all_of(guards, Word::Constant(1)), &mut |this| {
            this.each(var, domain, Set::row(table, row.clone()), &mut next)
        })
    }
}

/// The conditions from a node down to where the tree parts, and what is below.
pub(super) fn chain(node: &Node) -> (Vec<&Condition>, &[Node]) {
    let mut conditions = Vec::new();
    let mut below = std::slice::from_ref(node);
    while let [Node::Condition { condition, children }] = below {
        conditions.push(condition);
        below = children;
    }
    (conditions, below)
}
