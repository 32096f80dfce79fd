//! Arithmetic, comparisons and counts.
//!
//! In: expressions. Out: words; nothing where something is unknown. Invariant: numbers are two's complement,
//! and sums of what the rules can say stay far from the ends of a word.

use rulesmith_kernel as kernel;
use rulesmith_kernel::{Scalar, Set, Statement, Table, Word};
use rulesmith_logic::{
    Comparison, ComponentPart, Condition, DomainId, Expr, Operation, Source, Term, Value, Var,
};

use super::super::Obstacle;
use super::super::derived::domain_of;
use super::super::emit::Certainty;
use super::held::{Held, wrapped};
use super::lower::Lowering;
use super::stored::{Stored, all_of};
use super::tests::negated;

/// More tuples than this are not counted by bits.
const TUPLES_LIMIT: u32 = 1 << 18;

impl Lowering<'_, '_> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Option<Word>, Obstacle> {
        Ok(match expr {
            Expr::Term(term) => match self.held(*term) {
                Some(held) => Some(self.number_held(held)?),
                None => None,
            },
            Expr::Binary(operation, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
                Some(self.compute(*operation, left, right))
            }
            Expr::Count { counted, body } => Some(self.count(counted, body, None)?),
        })
    }

    fn number_held(&mut self, held: Held) -> Result<Word, Obstacle> {
        let not = || Obstacle::new("arithmetic on something that is not a number");
        Ok(match held {
            Held::Fixed(Value::Int(number)) => Word::Constant(wrapped(i64::from(number))),
            Held::Fixed(_) => return Err(not()),
            Held::Number(scalar) => scalar.into(),
            Held::Place(scalar, domain) => match self.setting.domains.first_number(domain) {
                Some(0) => scalar.into(),
                Some(first) => Word::from(scalar) + wrapped(i64::from(first)),
                None => {
                    let number = |value: &Value| match value {
                        Value::Int(number) => Some(wrapped(i64::from(*number))),
                        _ => None,
                    };
                    let words: Option<Vec<u64>> = self
                        .setting
                        .domains
                        .with(domain, |values| values.iter().map(number).collect());
                    let words = words.filter(|words| !words.is_empty()).ok_or_else(not)?;
                    Word::look(self.tables.add(Table { width: 1, words }), scalar)
                }
            },
        })
    }

    /// Whether a comparison holds; nothing if something is unknown.
    pub(super) fn comparison(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
    ) -> Result<Option<Certainty>, Obstacle> {
        if let (Comparison::Equal | Comparison::Unequal, Expr::Term(one), Expr::Term(other)) =
            (comparison, left, right)
        {
            let (Some(one), Some(other)) = (self.held(*one), self.held(*other)) else {
                return Ok(None);
            };
            let same = self.same(one, other)?;
            let is_equal = comparison == Comparison::Equal;
            return Ok(Some(if is_equal { same } else { negated(same) }));
        }
        if !self.is_known(left) || !self.is_known(right) {
            return Ok(None);
        }
        let (left, right) = match (comparison, left, right) {
            (Comparison::Equal, Expr::Count { counted, body }, Expr::Term(_)) => {
                let most = self.expr(right)?;
                (Some(self.count(counted, body, most.clone())?), most)
            }
            (Comparison::Equal, Expr::Term(_), Expr::Count { counted, body }) => {
                let most = self.expr(left)?;
                (most.clone(), Some(self.count(counted, body, most)?))
            }
            _ => (self.expr(left)?, self.expr(right)?),
        };
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        let less =
            |one: Word, other: Word| half(one).compare(kernel::Comparison::Less, half(other));
        let at_most = |one: Word, other: Word| {
            half(one).compare(kernel::Comparison::LessOrEqual, half(other))
        };
        let word = match comparison {
            Comparison::Equal => left.equals(right),
            Comparison::Unequal => left.compare(kernel::Comparison::Unequal, right),
            Comparison::Less => less(left, right),
            Comparison::AtMost => at_most(left, right),
            Comparison::Greater => less(right, left),
            Comparison::AtLeast => at_most(right, left),
        };
        Ok(Some(all_of(std::mem::take(&mut self.proper), word)))
    }

    fn compute(&mut self, operation: Operation, left: Word, right: Word) -> Word {
        match operation {
            Operation::Add => left + right,
            Operation::Sub => left - right,
            Operation::Mul => left * right,
            Operation::Min | Operation::Max => {
                let (one, other) = (self.emitter.let_word(left), self.emitter.let_word(right));
                let chosen = self.emitter.let_word(one.into());
                let (less, more) = match operation {
                    Operation::Min => (other, one),
                    _ => (one, other),
                };
                let is_other = half(less.into()).is_below(half(more.into()));
                let take = vec![Statement::Let(chosen, other.into())];
                self.emitter.push(Statement::If(is_other, take, Vec::new()));
                chosen.into()
            }
            Operation::Div => self.quotient(left, right).0,
            Operation::Mod => {
                let (quotient, [left, right]) = self.quotient(left, right);
                Word::from(left) - quotient * right
            }
        }
    }

    /// A quotient rounded down, with the operands. It is proper only where the divisor is not zero.
    fn quotient(&mut self, left: Word, right: Word) -> (Word, [Scalar; 2]) {
        let (left, right) = (self.emitter.let_word(left), self.emitter.let_word(right));
        self.proper.push(Word::from(right).compare(kernel::Comparison::Unequal, 0));
        let is_negative = |word: Scalar| half(word.into()).is_below(1 << 63);
        let negative = |word: Word| Word::Constant(0) - word;
        // Both signs are changed until the divisor is positive.
        let dividend = self.emitter.let_word(left.into());
        let divisor = self.emitter.let_word(right.into());
        let change = vec![
            Statement::Let(dividend, negative(left.into())),
            Statement::Let(divisor, negative(right.into())),
        ];
        self.emitter.push(Statement::If(is_negative(right), change, Vec::new()));
        let divide = |word: Word| word.compute(kernel::Operation::Divide, divisor);
        let quotient = self.emitter.let_word(divide(dividend.into()));
        let below = divide(negative(dividend.into()) + divisor - 1);
        let change = vec![Statement::Let(quotient, negative(below))];
        self.emitter.push(Statement::If(is_negative(dividend), change, Vec::new()));
        (quotient.into(), [left, right])
    }

    /// The unknown variable of a sum, and what it must be for the sum to have a value.
    pub(super) fn solve(
        &mut self,
        expr: &Expr,
        value: Word,
    ) -> Result<Option<(Var, Word)>, Obstacle> {
        let Expr::Binary(operation, left, right) = expr else {
            return Ok(match expr {
                Expr::Term(Term::Var(var)) => Some((*var, value)),
                _ => None,
            });
        };
        match (operation, self.is_known(left), self.is_known(right)) {
            (Operation::Add, true, false) => {
                let Some(known) = self.expr(left)? else { return Ok(None) };
                self.solve(right, value - known)
            }
            (Operation::Add, false, true) => {
                let Some(known) = self.expr(right)? else { return Ok(None) };
                self.solve(left, value - known)
            }
            (Operation::Sub, true, false) => {
                let Some(known) = self.expr(left)? else { return Ok(None) };
                self.solve(right, known - value)
            }
            (Operation::Sub, false, true) => {
                let Some(known) = self.expr(right)? else { return Ok(None) };
                self.solve(left, value + known)
            }
            _ => Ok(None),
        }
    }

    /// Is everything in an expression known?
    pub(super) fn is_known(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Term(term) => self.held(*term).is_some(),
            Expr::Binary(_, left, right) => self.is_known(left) && self.is_known(right),
            Expr::Count { .. } => true,
        }
    }

    /// How many tuples of the counted variables make the body hold. From one more than `most` on it does not
    /// matter how many.
    fn count(
        &mut self,
        counted: &[Var],
        body: &[Condition],
        most: Option<Word>,
    ) -> Result<Word, Obstacle> {
        let conditions: Vec<&Condition> = body.iter().collect();
        if let Some(joined) = self.joined(&conditions)?
            && joined.n_conditions == conditions.len()
            && [joined.var] == counted
        {
            return Ok(joined.set.count());
        }
        let n = self.emitter.let_word(Word::Constant(0));
        let before = self.sought.take();
        let below = self.below.clone();
        self.below.extend(counted);
        let done = if self.binds_only(counted, &conditions) {
            if self.is_sharing(counted, body) {
                self.enough = most.map(|most| (n, most));
            }
            self.run(&conditions, &mut |this| {
                this.emitter.push(Statement::Let(n, Word::from(n) + 1));
                Ok(())
            })
        } else {
            let by_bits = self.count_apart(counted, &conditions, n);
            by_bits.or_else(|_| self.count_tuples(counted, body, n))
        };
        (self.sought, self.below) = (before, below);
        done?;
        Ok(n.into())
    }

    /// Are components counted that share something known, and nothing else?
    fn is_sharing(&self, counted: &[Var], body: &[Condition]) -> bool {
        let ([Condition::Holds(atom)], [var]) = (body, counted) else { return false };
        let source = self.setting.source(atom.predicate);
        matches!(source, Source::Component(_, ComponentPart::Shared))
            && atom.args[0] == Term::Var(*var)
            && self.held(Term::Var(*var)).is_none()
            && self.held(atom.args[1]).is_some()
    }

    /// Are the counted variables all that the conditions bind? Then no tuple is met twice.
    fn binds_only(&self, counted: &[Var], conditions: &[&Condition]) -> bool {
        conditions.iter().all(|condition| match condition {
            Condition::Holds(atom) => {
                let is_stored = self.setting.stored(atom.predicate).is_some();
                let is_once = is_stored || !self.setting.is_called(atom.predicate);
                is_once && self.unknown(&atom.args).iter().all(|var| counted.contains(var))
            }
            Condition::Member(term, _) => {
                self.unknown([term]).iter().all(|var| counted.contains(var))
            }
            Condition::Compare(..) | Condition::None { .. } => true,
            _ => false,
        })
    }

    /// Counts tuples that may be met more than once: each has a bit in words of its own.
    fn count_tuples(
        &mut self,
        counted: &[Var],
        body: &[Condition],
        n: Scalar,
    ) -> Result<(), Obstacle> {
        let base = &self.setting.theory.base;
        let columns = counted.iter().map(|var| domain_of(base, *var, body));
        let columns: Option<Vec<DomainId>> = columns.collect();
        let columns = columns.ok_or_else(|| Obstacle::new("a counted variable without a sort"))?;
        let sizes = columns.iter().map(|domain| self.setting.domains.len(*domain));
        let n_tuples = sizes.fold(1_u32, u32::saturating_mul);
        if n_tuples > TUPLES_LIMIT {
            return Err(Obstacle::new("a count of too many tuples"));
        }
        let stored = Stored::of_tuples(columns, n_tuples, self.spare.next);
        self.spare.take(stored.n_words());
        self.clear(&stored);
        let row: Vec<Term> = counted.iter().map(|var| Term::Var(*var)).collect();
        let conditions: Vec<&Condition> = body.iter().collect();
        self.run(&conditions, &mut |this| this.conclude(&stored, &row))?;
        self.emitter.push(Statement::Let(n, stored.count()));
        Ok(())
    }

    /// Counts values that may be met more than once: each has a bit in a register.
    fn count_apart(
        &mut self,
        counted: &[Var],
        conditions: &[&Condition],
        n: Scalar,
    ) -> Result<(), Obstacle> {
        let [var] = counted else { return Err(Obstacle::new("tuples counted apart")) };
        let (var, mut plane) = (*var, None);
        let mut set = |this: &mut Self| {
            let Some(Held::Place(scalar, domain)) = this.held(Term::Var(var)) else {
                return Err(Obstacle::new("a counted variable without a sort"));
            };
            let width = this.setting.domains.width(domain);
            let (own, register) = *plane.get_or_insert_with(|| (domain, this.emitter.plane(width)));
            if own != domain {
                return Err(Obstacle::new("a counted variable of two sorts"));
            }
            let with = Set::Plane(register) | Set::single(width, scalar);
            this.emitter.push(Statement::LetSet(register, with));
            Ok(())
        };
        self.emitter.begin();
        let done = self.run(conditions, &mut set);
        let body = self.emitter.end();
        done?;
        if let Some((domain, register)) = plane {
            let empty = vec![0; usize::from(self.setting.domains.width(domain))];
            self.emitter.push(Statement::LetSet(register, Set::Mask(empty)));
            self.emitter.push_all(body);
            self.emitter.push(Statement::Let(n, Set::Plane(register).count()));
        }
        Ok(())
    }
}

/// Signed numbers compare as unsigned ones once both are moved by half of the range.
fn half(word: Word) -> Word {
    match word {
        Word::Constant(number) => Word::Constant(number.wrapping_add(1 << 63)),
        word => word + (1 << 63),
    }
}
