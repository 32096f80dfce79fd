//! Questions about the state after a move: the move is made, the question asked, the move taken back.
//!
//! In: an `after` condition that specialising did not regress away. Out: whether it holds. Invariant: the
//! words of the state are afterwards as they were.

use rulesmith_kernel::{Comparison, Scalar, Set, Statement, Word};
use rulesmith_logic::{Atom, Condition, Term, Value, condition_vars};
use rulesmith_rules::{FluentId, PredicateKind};

use super::super::Obstacle;
use super::super::build::to_word;
use super::super::cycles::Cycle;
use super::super::emit::Certainty;
use super::super::optimizations::Optimization;
use super::super::past::{Seen, count_equal};
use super::super::scratch::PastRoom;
use super::held::{Held, Spot};
use super::lower::{Before, Lowering};
use super::recompute::Asked;
use super::setting::Setting;

/// A move that is being made.
#[derive(Clone, Debug)]
pub(crate) struct Doing {
    pub(crate) role: usize,
    pub(crate) kind: Kind,
    pub(crate) params: Vec<Scalar>,
}

/// Which kind of move is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// This one.
    Known(usize),
    /// One more than its number is in a register; zero if none is made.
    Told(Scalar),
}

impl Lowering<'_, '_> {
    /// Whether conditions hold after a move; nothing if something in the move is unknown. Variables that are
    /// bound there are not known here.
    pub(super) fn elsewhere(
        &mut self,
        by: &Atom,
        body: &[Condition],
    ) -> Result<Option<Certainty>, Obstacle> {
        let Setting { theory, cycles, layout, .. } = self.setting;
        if let Some(number) = Cycle::number(theory, cycles, by, body)? {
            if self.before.is_some() {
                return Err(Obstacle::new("a question about states of the past"));
            }
            return Ok(Some(Certainty::If(Cycle::has_been(cycles, number, layout)?)));
        }
        self.after(by, body, false)
    }

    /// Is this the move that was drawn, judged in order to be made?
    pub(super) fn is_drawn(&self, by: &Atom) -> bool {
        let held = || by.args.iter().map(|term| self.held(*term));
        self.sought.is_some()
            && self
                .keeps
                .as_ref()
                .is_some_and(|keeping| held().eq(keeping.inputs.iter().copied().map(Some)))
    }

    /// Whether conditions hold after a move, which stays made if it is to be kept and they do.
    pub(super) fn after(
        &mut self,
        by: &Atom,
        body: &[Condition],
        is_kept: bool,
    ) -> Result<Option<Certainty>, Obstacle> {
        if by.args.iter().any(|term| self.held(*term).is_none()) {
            return Ok(None);
        }
        if let Some(role @ (Held::Place(..) | Held::Number(_))) = self.held(by.args[0]) {
            return self.after_by_each(role, by, body).map(Some);
        }
        if self.emitter.is_too_long() {
            return Err(Obstacle::new(
                "moves that are judged one in the other, at too great length",
            ));
        }
        if is_kept && self.may_go_on() {
            return Err(Obstacle::new("a drawn move in the middle of a turn"));
        }
        let doing = self.doing_of(self.kind_of(by)?, by)?;
        let Some((now, may_change)) = self.untouched_by(&doing, body).filter(|_| !is_kept) else {
            return self.make_and_ask(doing, body, is_kept).map(Some);
        };
        // What is denied is as it was, unless the move may change it.
        let found = self.emitter.let_word(Word::from(now) ^ 1);
        self.emitter.begin();
        let after = to_word(self.make_and_ask(doing, body, false)?);
        self.emitter.push(Statement::Let(found, after));
        let judging = self.emitter.end();
        self.emitter.push(Statement::If(may_change, judging, Vec::new()));
        Ok(Some(Certainty::If(found.into())))
    }

    /// Where what is denied of a move is known to hold now or not: that, and what is not zero if the move may change
    /// it.
    fn untouched_by(&self, doing: &Doing, body: &[Condition]) -> Option<(Scalar, Word)> {
        let untouched = self.emitter.untouched.as_ref()?;
        let Kind::Known(kind) = doing.kind else { return None };
        let [Condition::None { locals, body }] = body else { return None };
        let [Condition::Holds(denied)] = &body[..] else { return None };
        let touching = &untouched.touching;
        let role = Held::Fixed(Value::Symbol(self.setting.theory.roles[touching.role]));
        let [of] = denied.args[..] else { return None };
        let is_it = locals.is_empty()
            && denied.predicate == self.setting.derived[touching.denied].0
            && self.held(of) == Some(role);
        let may_change =
            untouched.may_change((doing.role, kind), &doing.params).filter(|_| is_it)?;
        Some((untouched.now, may_change))
    }

    /// Makes a move, asks, and takes the move back unless it is to be kept.
    fn make_and_ask(
        &mut self,
        doing: Doing,
        body: &[Condition],
        is_kept: bool,
    ) -> Result<Certainty, Obstacle> {
        let theory = self.setting.theory;
        let mut after = Asked::default();
        for condition in body {
            after.by(self.setting, condition)?;
        }
        let mut deferred = Asked::default();
        deferred.by_clauses(self.setting, theory.continues)?;
        for fluent in &theory.fluents {
            deferred.by_clauses(self.setting, fluent.deferred)?;
        }
        let n_words = u16::try_from(self.setting.layout.n_words)
            .map_err(|_| Obstacle::new("states too large to be copied"))?;
        let kept = self.spare.take(u32::from(n_words));
        let known = self.keeps.as_ref().and_then(|keeping| keeping.now);
        // How often the state after two moves occurred is not told, nor that of one in the middle of a turn.
        let is_first = after.asks_repetition && self.before.is_none() && !self.may_go_on();
        let seen = if is_first { known.or_else(|| self.seen()) } else { None };
        self.emitter.push(Statement::StoreSet(kept, Set::state(0, n_words)));
        let hashes = self.kept_hashes();
        let kept_derived = [self.keep_derived(&deferred)?, self.keep_derived(&after)?];
        let (sought, untouched) = (self.sought.take(), self.emitter.untouched.take());
        let components = self.emitter.kept.clone();
        // What the move asks about was computed before, and what is asked after it is computed there.
        let late = std::mem::take(&mut self.emitter.late);
        if is_kept || !self.make_by_routine(&doing, &deferred)? {
            self.make(doing, &deferred, is_kept)?;
        }
        // What is kept of components is that of the state before the move.
        self.emitter.kept.clear();
        let found = self.ask_there((&after, body), Before(seen))?;
        (self.sought, self.emitter.untouched) = (sought, untouched);
        (self.emitter.kept, self.emitter.late) = (components, late);
        self.emitter.begin();
        self.emitter.push(Statement::StoreSet(0, Set::state(kept, n_words)));
        for kept in &kept_derived {
            self.put_back(kept);
        }
        for (word, hash) in hashes {
            self.emitter.push(Statement::Store(word, hash.into()));
        }
        let take_back = self.emitter.end();
        match (&found, is_kept) {
            (_, false) | (Certainty::Never, _) => self.emitter.push_all(take_back),
            (Certainty::Always, true) => {}
            (Certainty::If(word), true) => {
                self.emitter.push(Statement::If(word.clone(), Vec::new(), take_back));
            }
        }
        Ok(found)
    }

    /// Whether conditions hold after a move of a role that only the code knows: each role has code of its own.
    fn after_by_each(
        &mut self,
        role: Held,
        by: &Atom,
        body: &[Condition],
    ) -> Result<Certainty, Obstacle> {
        let Term::Var(doer) = by.args[0] else {
            return Err(Obstacle::new("a move of something that is no role"));
        };
        let found = self.emitter.let_word(Word::Constant(0));
        for one in self.setting.theory.roles.clone() {
            let one = Held::Fixed(Value::Symbol(one));
            let is_doer = self.same(role, one)?;
            self.bind(doer, Some(one));
            let done = self.when(is_doer, &mut |this| {
                let holds = match this.after(by, body, false)? {
                    None | Some(Certainty::Never) => return Ok(()),
                    Some(Certainty::Always) => Word::Constant(1),
                    Some(Certainty::If(word)) => word,
                };
                this.emitter.push(Statement::Let(found, holds));
                Ok(())
            });
            self.bind(doer, Some(role));
            done?;
        }
        Ok(Certainty::If(found.into()))
    }

    /// The kind of move that an atom names.
    fn kind_of(&self, by: &Atom) -> Result<usize, Obstacle> {
        match self.setting.theory.kinds.get(by.predicate.0 as usize) {
            Some(PredicateKind::Does(kind)) => Ok(kind.0),
            _ => Err(Obstacle::new("a question about states of the past")),
        }
    }

    /// May turns have several steps?
    fn may_go_on(&self) -> bool {
        let mut all = self.setting.specialized.procedures.iter();
        let continues = self.setting.theory.continues;
        all.any(|one| one.source == continues && !one.clauses.is_empty())
    }

    /// Whether conditions hold in the state that was just made, where what they ask about is computed anew.
    fn ask_there(
        &mut self,
        (asked, body): (&Asked, &[Condition]),
        before: Before,
    ) -> Result<Certainty, Obstacle> {
        let outer = self.before.replace(before);
        // Components that are bound are those of the state before the move.
        let bound = std::mem::take(&mut self.bound);
        let body: Vec<&Condition> = body.iter().collect();
        let found = self.ask_in_turn((asked, &body), 0);
        self.bound = bound;
        self.before = outer;
        found
    }

    /// Whether conditions hold in the present state, where the first so many of what they ask about are computed. What
    /// only later conditions ask about is not computed where one fails that can be judged before.
    fn ask_in_turn(
        &mut self,
        (asked, body): (&Asked, &[&Condition]),
        n_computed: usize,
    ) -> Result<Certainty, Obstacle> {
        let early = match body {
            [first, _, ..] if self.is_ground(first) => {
                // It may ask for less than what is computed.
                asked.n_by(self.setting, first)?.max(n_computed)
            }
            _ => asked.n_all(),
        };
        self.recompute(asked, n_computed..early)?;
        let (now, rest) = if early < asked.n_all() { body.split_at(1) } else { (body, &[][..]) };
        let holds = match self.exists(now)? {
            Certainty::If(word) => self.emitter.let_word(word),
            Certainty::Always if !rest.is_empty() => {
                return self.ask_in_turn((asked, rest), early);
            }
            certain => return Ok(certain),
        };
        if !rest.is_empty() {
            self.emitter.begin();
            let also = self.ask_in_turn((asked, rest), early)?;
            self.emitter.push(Statement::Let(holds, to_word(also)));
            let asking = self.emitter.end();
            self.emitter.push(Statement::If(holds.into(), asking, Vec::new()));
        }
        Ok(Certainty::If(holds.into()))
    }

    /// Is everything known that a condition names?
    fn is_ground(&self, condition: &Condition) -> bool {
        condition_vars(condition).into_iter().all(|var| self.held(Term::Var(var)).is_some())
    }

    /// The move that an atom names.
    fn doing_of(&mut self, kind: usize, by: &Atom) -> Result<Doing, Obstacle> {
        let theory = self.setting.theory;
        let domains = &theory.base.predicate(by.predicate).domains;
        let Some(Held::Fixed(Value::Symbol(role))) = self.held(by.args[0]) else {
            return Err(Obstacle::new("a move of a role that is not known"));
        };
        let role = theory.roles.iter().position(|one| *one == role);
        let role = role.ok_or_else(|| Obstacle::new("a move of something that is no role"))?;
        let mut params = Vec::new();
        for (term, domain) in by.args.iter().zip(domains).skip(1) {
            let domain = domain.ok_or_else(|| Obstacle::new("a parameter without a sort"))?;
            let Spot::Known(word) = self.spot(*term, domain)? else {
                return Err(Obstacle::new("a move with a parameter of another sort"));
            };
            params.push(self.emitter.let_word(word));
        }
        Ok(Doing { role, kind: Kind::Known(kind), params })
    }

    /// Makes a move of one role, and ends the turn unless it goes on. What its end asks about is computed after the
    /// step. A move that may stay made must not give two values.
    pub(super) fn make(
        &mut self,
        doing: Doing,
        asked_at_end: &Asked,
        is_kept: bool,
    ) -> Result<(), Obstacle> {
        let made = std::mem::replace(&mut self.doing, vec![doing]);
        let (env, bound) = (std::mem::take(&mut self.env), std::mem::take(&mut self.bound));
        let outer = self.before;
        self.carry_out_all(false, is_kept)?;
        // Nothing tells how often a state in the middle of a turn occurred.
        self.before = Some(Before(None));
        self.recompute(asked_at_end, 0..asked_at_end.n_all())?;
        if self.may_go_on() {
            let continues = Atom { predicate: self.setting.theory.continues, args: Vec::new() };
            let goes_on =
                Condition::None { locals: Vec::new(), body: vec![Condition::Holds(continues)] };
            let is_over = self.exists(&[&goes_on])?;
            self.when(is_over, &mut |this| this.carry_out_all(true, is_kept))?;
        } else {
            self.carry_out_all(true, is_kept)?;
        }
        (self.doing, self.env, self.bound) = (made, env, bound);
        self.before = outer;
        Ok(())
    }

    /// Carries out all effects of a step, or of the end of a turn.
    fn carry_out_all(&mut self, is_deferred: bool, is_kept: bool) -> Result<(), Obstacle> {
        let fluents: Vec<FluentId> = self.setting.theory.fluent_ids().collect();
        let mut pending = Vec::new();
        for fluent in &fluents {
            pending.extend(self.judge_assignment(*fluent, is_deferred)?);
        }
        // What is kept of components is that of the state before the move.
        self.emitter.kept.clear();
        if !is_deferred {
            for reset in self.setting.resets() {
                self.reset(reset);
            }
        }
        for one in pending.iter().filter(|_| is_kept) {
            self.stop_at_conflict(one);
        }
        for one in &pending {
            self.carry_out(one);
        }
        Ok(())
    }

    /// The hashes of fluents that are kept, in registers.
    fn kept_hashes(&mut self) -> Vec<(u32, Scalar)> {
        if !self.emitter.keeps_hashes {
            return Vec::new();
        }
        let words: Vec<u32> =
            self.setting.layout.fluents.iter().filter_map(|fluent| fluent.hash).collect();
        words.into_iter().map(|word| (word, self.emitter.let_word(Word::State(word)))).collect()
    }

    /// What the present state looks like where repetitions are counted.
    fn seen(&mut self) -> Option<Scalar> {
        let seen = Seen::of(self.setting.layout)?;
        Some(self.emitter.let_word(seen.hash()))
    }

    /// Whether the state after a move has occurred so often.
    pub(super) fn repeated_elsewhere(&mut self, least: u64) -> Result<Word, Obstacle> {
        let (Some(room), Some(Before(Some(before)))) = (self.setting.past, self.before) else {
            return Err(Obstacle::new("repetition without a past"));
        };
        let seen = Seen::of(self.setting.layout)
            .ok_or_else(|| Obstacle::new("repetition is counted in two ways"))?;
        let now = self.emitter.let_word(seen.hash());
        let times = self.emitter.let_word(Word::Constant(1) + Word::from(now).equals(before));
        let n_past = self.emitter.let_word(Word::State(room.n_past));
        let search = count_equal(self.emitter, room.past, (n_past, now), times);
        let may_be_there = if self.has(Optimization::FilteredPast) {
            room.filtered(now) & PastRoom::bit(now) & is_some(n_past)
        } else {
            is_some(n_past)
        };
        // All ones where the filter has the bit: the word is not zero.
        self.emitter.push(Statement::If(may_be_there, search, Vec::new()));
        Ok(Word::Constant(least).compare(Comparison::LessOrEqual, times))
    }
}

/// All ones if a number is not zero, so that it can be combined with other words.
fn is_some(scalar: Scalar) -> Word {
    Word::Constant(0) - Word::from(scalar).compare(Comparison::Unequal, 0)
}
