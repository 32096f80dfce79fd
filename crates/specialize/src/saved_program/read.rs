//! Reading a program back.
//!
//! In: a text, the theory's clauses and symbols, and the key that is expected. Out: the program. Invariant:
//! every predicate, domain, variable, value and clause that it names is there, every atom has as many
//! arguments as its predicate; what is wrong is an error, never a panic.

use std::collections::BTreeMap;
use std::str::SplitAsciiWhitespace;

use rulesmith_logic::{
    Atom, Clause, ClauseBase, Comparison, Condition, DomainId, Expr, Operation, PredicateId,
    Quantifier, Span, Symbol, Symbols, Term, Value, Var, Variable,
};
use rulesmith_matching::{Node, Procedure, Tree};

use super::write::{comparison_word, operation_word};
use super::{DEPTH_LIMIT, FIRST_LINE, SavedProgramError, digest};
use crate::draft::Funnel;
use crate::program::{Specialized, SpecializedClause, SpecializedProcedure};

type Read<T> = Result<T, SavedProgramError>;

/// Longer lists are not read: no program has them.
const LENGTH_LIMIT: usize = 1 << 20;

/// The program in a text. Names of values that are new are added to the symbols.
pub fn read_program(
    text: &str,
    key: &str,
    base: &ClauseBase,
    symbols: &mut Symbols,
) -> Read<Specialized> {
    let mut lines = text.splitn(4, '\n');
    if lines.next() != Some(FIRST_LINE) {
        return Err(SavedProgramError::Version);
    }
    if lines.next() != Some(key) {
        return Err(SavedProgramError::OtherKey);
    }
    let (written, rest) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    if digest(rest) != written {
        return Err(SavedProgramError::Damaged);
    }
    let words = rest.split_ascii_whitespace();
    let mut reader = Reader { words, base, symbols, values: Vec::new(), n_vars: 0 };
    let n_values = reader.length()?;
    for _ in 0..n_values {
        let value = reader.table_value()?;
        reader.values.push(value);
    }
    let called = reader.list(Reader::predicate)?.into_iter().collect();
    let outside = reader.list(Reader::predicate)?.into_iter().collect();
    let procedures = reader.list(Reader::procedure)?;
    match reader.words.next() {
        None => Ok(Specialized { procedures, outside, called }),
        Some(_) => Err(SavedProgramError::Damaged),
    }
}

struct Reader<'t> {
    words: SplitAsciiWhitespace<'t>,
    base: &'t ClauseBase,
    symbols: &'t mut Symbols,
    values: Vec<Value>,
    /// How many variables there are where we are.
    n_vars: usize,
}

impl<'t> Reader<'t> {
    fn word(&mut self) -> Read<&'t str> {
        self.words.next().ok_or(SavedProgramError::Damaged)
    }

    fn number(&mut self) -> Read<usize> {
        self.word()?.parse().map_err(|_| SavedProgramError::Damaged)
    }

    fn length(&mut self) -> Read<usize> {
        let length = self.number()?;
        if length > LENGTH_LIMIT { Err(SavedProgramError::Damaged) } else { Ok(length) }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let length = self.length()?;
        // Not with this capacity: a wrong length is found by the words running out.
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(read(self)?);
        }
        Ok(items)
    }

    fn name(&mut self) -> Read<String> {
        let word = self.word()?.strip_prefix('.').ok_or(SavedProgramError::Damaged)?;
        let mut parts = word.split('%');
        let mut name = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, letters) = part.split_once(';').ok_or(SavedProgramError::Damaged)?;
            let letter = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            name.push(letter.ok_or(SavedProgramError::Damaged)?);
            name.push_str(letters);
        }
        Ok(name)
    }

    fn symbol(&mut self) -> Read<Symbol> {
        let name = self.name()?;
        Ok(self.symbols.symbol(&name))
    }

    fn table_value(&mut self) -> Read<Value> {
        match self.word()? {
            "i" => {
                let number = self.word()?.parse().map_err(|_| SavedProgramError::Damaged)?;
                Ok(Value::Int(number))
            }
            "s" => Ok(Value::Symbol(self.symbol()?)),
            "c" => {
                let functor = self.symbol()?;
                let args = self.list(|reader| {
                    let place = reader.number()?;
                    reader.values.get(place).copied().ok_or(SavedProgramError::Unknown("a value"))
                })?;
                Ok(self.symbols.compound(functor, &args))
            }
            _ => Err(SavedProgramError::Damaged),
        }
    }

    fn predicate(&mut self) -> Read<PredicateId> {
        let number = self.number()?;
        match u32::try_from(number) {
            Ok(id) if number < self.base.predicates.len() => Ok(PredicateId(id)),
            _ => Err(SavedProgramError::Unknown("a predicate")),
        }
    }

    fn domain(&mut self, word: &str) -> Read<DomainId> {
        match word.parse::<u32>() {
            Ok(id) if (id as usize) < self.base.domains.len() => Ok(DomainId(id)),
            _ => Err(SavedProgramError::Unknown("a domain")),
        }
    }

    fn var(&mut self) -> Read<Var> {
        let number = self.number()?;
        match u16::try_from(number) {
            Ok(var) if number < self.n_vars => Ok(Var(var)),
            _ => Err(SavedProgramError::Unknown("a variable")),
        }
    }

    fn vars(&mut self) -> Read<Vec<Var>> {
        self.list(Self::var)
    }

    fn term(&mut self) -> Read<Term> {
        let word = self.word()?;
        if let Some(number) = word.strip_prefix('_') {
            return match number.parse::<u16>() {
                Ok(var) if usize::from(var) < self.n_vars => Ok(Term::Var(Var(var))),
                _ => Err(SavedProgramError::Unknown("a variable")),
            };
        }
        let place = word.parse::<usize>().ok();
        let value = place.and_then(|place| self.values.get(place));
        value.map(|value| Term::Value(*value)).ok_or(SavedProgramError::Unknown("a value"))
    }

    /// As many terms as the predicate has arguments.
    fn args(&mut self, predicate: PredicateId) -> Read<Vec<Term>> {
        let args = self.list(Self::term)?;
        if args.len() == self.base.predicate(predicate).domains.len() {
            Ok(args)
        } else {
            Err(SavedProgramError::Unknown("an argument"))
        }
    }

    fn atom(&mut self) -> Read<Atom> {
        let predicate = self.predicate()?;
        Ok(Atom { predicate, args: self.args(predicate)? })
    }

    fn procedure(&mut self) -> Read<SpecializedProcedure> {
        let (source, predicate) = (self.predicate()?, self.predicate()?);
        let known = self.list(|reader| match reader.word()? {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(SavedProgramError::Damaged),
        })?;
        // The registers are counted after the first of them are named.
        self.n_vars = usize::from(u16::MAX);
        let inputs = self.vars()?;
        let n_registers = self.number()?;
        self.n_vars = n_registers;
        let roots = self.nodes((predicate, 0))?;
        let clauses = self.list(Self::clause)?;
        let n_known = known.iter().filter(|known| **known).count();
        let is_whole = known.len() == self.base.predicate(predicate).domains.len()
            && u16::try_from(n_registers).is_ok()
            && inputs.len() == n_known
            && inputs.iter().all(|input| usize::from(input.0) < n_registers)
            && concluded(&roots).into_iter().all(|clause| clause < clauses.len());
        if !is_whole {
            return Err(SavedProgramError::Unknown("a part of a procedure"));
        }
        let tree = Tree { inputs, n_registers, roots };
        Ok(SpecializedProcedure {
            source,
            clauses,
            funnel: Funnel::default(),
            n_duplicates: 0,
            n_subsumed: 0,
            n_killed: 0,
            declared: Vec::new(),
            procedure: Procedure { predicate, known, tree },
            registers: BTreeMap::new(),
            dropped: Vec::new(),
            reached: BTreeMap::new(),
            kept: Vec::new(),
        })
    }

    fn nodes(&mut self, (predicate, depth): (PredicateId, usize)) -> Read<Vec<Node>> {
        if depth > DEPTH_LIMIT {
            return Err(SavedProgramError::Damaged);
        }
        self.list(|reader| match reader.word()? {
            "try" => {
                let condition = reader.condition(depth)?;
                let children = reader.nodes((predicate, depth + 1))?;
                Ok(Node::Condition { condition, children })
            }
            "conclude" => {
                let clause = reader.number()?;
                Ok(Node::Conclusion { clause, row: reader.args(predicate)? })
            }
            _ => Err(SavedProgramError::Damaged),
        })
    }

    fn clause(&mut self) -> Read<SpecializedClause> {
        let variables = self.list(|reader| {
            let name = reader.name()?;
            let domain = match reader.word()? {
                "-" => None,
                word => Some(reader.domain(word)?),
            };
            Ok(Variable { name, domain })
        })?;
        self.n_vars = variables.len();
        let head = self.atom()?;
        let body = self.body(0)?;
        let clause = Clause { head, body, variables, span: Span::default() };
        Ok(SpecializedClause::unchanged(clause))
    }

    fn body(&mut self, depth: usize) -> Read<Vec<Condition>> {
        if depth > DEPTH_LIMIT {
            return Err(SavedProgramError::Damaged);
        }
        self.list(|reader| reader.condition(depth))
    }

    fn condition(&mut self, depth: usize) -> Read<Condition> {
        Ok(match self.word()? {
            "holds" => Condition::Holds(self.atom()?),
            "none" => Condition::None { locals: self.vars()?, body: self.body(depth + 1)? },
            "any" => Condition::AnyOf(self.list(|reader| reader.body(depth + 1))?),
            "construct" => {
                let (whole, functor) = (self.term()?, self.symbol()?);
                Condition::Construct { whole, functor, args: self.list(Self::term)? }
            }
            "member" => {
                let (term, word) = (self.term()?, self.word()?);
                Condition::Member(term, self.domain(word)?)
            }
            "some" => self.elsewhere(Quantifier::Some, depth)?,
            "every" => self.elsewhere(Quantifier::Every, depth)?,
            word => {
                let comparison = COMPARISONS.into_iter().find(|one| comparison_word(*one) == word);
                let comparison = comparison.ok_or(SavedProgramError::Damaged)?;
                let (left, right) = (self.expr(depth + 1)?, self.expr(depth + 1)?);
                Condition::Compare(comparison, left, right)
            }
        })
    }

    fn elsewhere(&mut self, quantifier: Quantifier, depth: usize) -> Read<Condition> {
        Ok(Condition::Elsewhere { by: self.atom()?, quantifier, body: self.body(depth + 1)? })
    }

    fn expr(&mut self, depth: usize) -> Read<Expr> {
        if depth > DEPTH_LIMIT {
            return Err(SavedProgramError::Damaged);
        }
        Ok(match self.word()? {
            "term" => Expr::Term(self.term()?),
            "count" => Expr::Count { counted: self.vars()?, body: self.body(depth + 1)? },
            word => {
                let operation = OPERATIONS.into_iter().find(|one| operation_word(*one) == word);
                let operation = operation.ok_or(SavedProgramError::Damaged)?;
                let (left, right) = (self.expr(depth + 1)?, self.expr(depth + 1)?);
                Expr::Binary(operation, Box::new(left), Box::new(right))
            }
        })
    }
}

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::Unequal,
    Comparison::Less,
    Comparison::AtMost,
    Comparison::Greater,
    Comparison::AtLeast,
];

const OPERATIONS: [Operation; 7] = [
    Operation::Add,
    Operation::Sub,
    Operation::Mul,
    Operation::Div,
    Operation::Mod,
    Operation::Min,
    Operation::Max,
];

/// The clauses that a tree concludes.
fn concluded(nodes: &[Node]) -> Vec<usize> {
    let mut clauses = Vec::new();
    let mut open: Vec<&Node> = nodes.iter().collect();
    while let Some(node) = open.pop() {
        match node {
            Node::Condition { children, .. } => open.extend(children),
            Node::Conclusion { clause, .. } => clauses.push(*clause),
        }
    }
    clauses
}
