//! Recursions that are asked with something known: only what that leads to is looked at.
//!
//! In: an atom of a predicate that asks itself, some of its arguments known. Out: a routine that lists first what is known in
//! all questions that this one leads to, then the answers to these, and statements that look at the answers. Invariant: every
//! answer to the question is listed; while some are looked at, nothing else is listed in their place.

use std::collections::BTreeSet;

use rulesmith_kernel::{RoutineId, Statement, Word};
use rulesmith_logic::{Atom, Clause, Condition, DomainId, PredicateId, Term, Var};
use rulesmith_specialize::SpecializedProcedure;

use super::super::Obstacle;
use super::super::derived::columns_of;
use super::super::emit::Certainty;
use super::super::optimizations::Optimization;
use super::held::{Held, Spot};
use super::listing::{From, asked_at, binds, free_vars};
use super::lower::{Lowering, Then};
use super::routines::Input;
use super::size::Size;
use super::stored::{Stored, all_of};

/// A routine that answers a recursion's questions, and where it leaves the answers.
#[derive(Clone, Debug)]
pub(super) struct Chase {
    routine: RoutineId,
    answers: Stored,
}

/// What a routine that answers questions works with.
struct Lists<'l> {
    /// Which columns are known in a question.
    known: &'l [usize],
    questions: &'l Stored,
    answers: &'l Stored,
}

impl Lists<'_> {
    /// What is known of some arguments in a question.
    fn part(&self, args: &[Term]) -> Vec<Term> {
        self.known.iter().map(|column| args[*column]).collect()
    }
}

impl Lowering<'_, '_> {
    /// Every answer of a recursion that is asked with something known; false where it is to be asked in another way.
    pub(super) fn open_chased(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<bool, Obstacle> {
        if self.calls.contains(&predicate) || !self.has(Optimization::ListedRecursions) {
            return Ok(false);
        }
        let known: Vec<bool> = args.iter().map(|term| self.held(*term).is_some()).collect();
        let setting = self.setting;
        let Some(one) = setting.specialized_for(predicate, &known) else { return Ok(false) };
        let is_recursive =
            one.clauses.iter().any(|one| !asked_at(&one.clause, predicate).is_empty());
        if !is_recursive || !one.procedure.known.contains(&true) {
            return Ok(false);
        }
        let columns: Option<Vec<DomainId>> =
            columns_of(&setting.theory.base, one).into_iter().collect();
        let Some(columns) = columns else { return Ok(false) };
        let (mut guards, mut params) = (Vec::new(), Vec::new());
        for column in (0..args.len()).filter(|column| one.procedure.known[*column]) {
            match self.spot(args[column], columns[column])? {
                Spot::Known(word) => params.push(word),
                Spot::Maybe(word) => {
                    let word = self.emitter.let_word(word);
                    let size = u64::from(setting.domains.len(columns[column]));
                    guards.push(Word::from(word).is_below(size));
                    params.push(word.into());
                }
                // It is not among the values that there are answers for.
                Spot::Never => return Ok(true),
                Spot::Unknown(_) => return Err(Obstacle::new("a question with too little known")),
            }
        }
        let Some(chase) = self.chase(one, &columns)? else { return Ok(false) };
        // What is computed late could list answers in the place of these.
        self.compute_late();
        self.chasing.push(predicate);
        let done = self.when(all_of(guards, Word::Constant(1)), &mut |this| {
            let result = this.emitter.scalar();
            this.emitter.push(Statement::Run(result, chase.routine, params.clone()));
            this.open_stored(&chase.answers, args, then)
        });
        self.chasing.pop();
        done.map(|()| true)
    }

    /// The routine for questions of this kind, which is made if it is not there yet.
    fn chase(
        &mut self,
        one: &SpecializedProcedure,
        columns: &[DomainId],
    ) -> Result<Option<Chase>, Obstacle> {
        // Lists that are being looked at stay as they are: each has its own.
        let key = (one.source, one.procedure.known.clone(), self.chasing.clone());
        if let Some(made) = self.setting.routines.borrow().chasing.get(&key) {
            return Ok(made.clone());
        }
        let mut size = Size::new(false);
        size.predicate(self.setting, one.source);
        let made = if size.is_tied { None } else { self.make_chase(one, columns)? };
        self.setting.routines.borrow_mut().chasing.insert(key, made.clone());
        Ok(made)
    }

    fn make_chase(
        &mut self,
        one: &SpecializedProcedure,
        columns: &[DomainId],
    ) -> Result<Option<Chase>, Obstacle> {
        let known: Vec<usize> =
            (0..columns.len()).filter(|column| one.procedure.known[*column]).collect();
        let asked: Vec<DomainId> = known.iter().map(|column| columns[*column]).collect();
        let inputs: Vec<Option<Input>> = (0..columns.len())
            .map(|column| one.procedure.known[column].then(|| Input::Place(columns[column])))
            .collect();
        let lists = (self.list_of(&asked), self.list_of(columns));
        let (Some(questions), Some(answers)) = lists else { return Ok(None) };
        let lists = Lists { known: &known, questions: &questions, answers: &answers };
        self.calls.push(one.source);
        let kernel = self.kernel_of(one.source, &inputs, |lowering, args| {
            lowering.answer(one, args, &lists)?;
            Ok(Word::Constant(0))
        });
        self.calls.pop();
        let routine = self.setting.routines.borrow_mut().add(kernel?);
        Ok(routine.map(|routine| Chase { routine, answers }))
    }

    /// Lists the questions that one leads to, and the answers to all of them.
    fn answer(
        &mut self,
        one: &SpecializedProcedure,
        args: &[Term],
        lists: &Lists<'_>,
    ) -> Result<(), Obstacle> {
        let predicate = one.source;
        let asks = |clause: &Clause| !asked_at(clause, predicate).is_empty();
        let clauses = || one.clauses.iter().map(|one| &one.clause);
        self.clear(lists.questions);
        self.clear(lists.answers);
        self.conclude(lists.questions, &lists.part(args))?;
        self.each_listed(lists.questions, &mut |this, question| {
            for clause in clauses().filter(|clause| asks(clause)) {
                for place in asked_at(clause, predicate) {
                    this.ask_on((clause, place), question, lists)?;
                }
            }
            for clause in clauses().filter(|clause| !asks(clause)) {
                let head = lists.part(&clause.head.args);
                let from = From { place: None, terms: &head, held: question };
                let all = &mut |_: &mut Self| Ok(Certainty::Always);
                this.list_clause((clause, from), lists.answers, all)?;
            }
            Ok(())
        })?;
        self.each_listed(lists.answers, &mut |this, answer| {
            for clause in clauses() {
                for place in asked_at(clause, predicate) {
                    let Condition::Holds(atom) = &clause.body[place] else { continue };
                    let from = From { place: Some(place), terms: &atom.args, held: answer };
                    let is_asked = &mut |this: &mut Self| this.is_asked(clause, lists);
                    this.list_clause((clause, from), lists.answers, is_asked)?;
                }
            }
            Ok(())
        })
    }

    /// Lists the questions that a clause asks its own predicate at a place, to answer a question.
    fn ask_on(
        &mut self,
        (clause, place): (&Clause, usize),
        question: &[Held],
        lists: &Lists<'_>,
    ) -> Result<(), Obstacle> {
        let Condition::Holds(Atom { predicate, args }) = &clause.body[place] else {
            return Ok(());
        };
        self.env = vec![None; clause.variables.len()];
        let (head, asked) = (lists.part(&clause.head.args), lists.part(args));
        let own = asked_at(clause, *predicate);
        let others = clause.body.iter().enumerate();
        let others: Vec<&Condition> =
            others.filter(|(place, _)| !own.contains(place)).map(|(_, one)| one).collect();
        self.open_held(&head, question, &mut |this| {
            let before = this.as_far_as(&others, &asked)?;
            this.run(&before, &mut |this| this.conclude(lists.questions, &asked))
        })
    }

    /// The conditions that bind some terms, with the tests that can be made then.
    fn as_far_as<'c>(
        &self,
        conditions: &[&'c Condition],
        wanted: &[Term],
    ) -> Result<Vec<&'c Condition>, Obstacle> {
        let mut known = self.known_vars();
        let wanted: BTreeSet<Var> = wanted
            .iter()
            .filter_map(|term| match term {
                Term::Var(var) => Some(*var),
                Term::Value(_) => None,
            })
            .collect();
        let mut chosen = Vec::new();
        for condition in self.by_what_is_known(conditions) {
            let vars = free_vars(condition);
            let is_test = vars.is_subset(&known);
            if is_test || (binds(condition) && !wanted.is_subset(&known)) {
                known.extend(vars);
                chosen.push(condition);
            }
        }
        if wanted.is_subset(&known) {
            return Ok(chosen);
        }
        Err(Obstacle::new("a recursion whose questions hang on its answers"))
    }

    /// Whether what a head says of its known columns was asked.
    fn is_asked(&mut self, clause: &Clause, lists: &Lists<'_>) -> Result<Certainty, Obstacle> {
        let test = self.stored_test(lists.questions, &lists.part(&clause.head.args))?;
        test.ok_or_else(|| Obstacle::new("a conclusion with something unknown"))
    }
}
