//! Writing a program: words between spaces, each thing after the word that says what it is.
//!
//! In: a program. Out: its text. Values are written once, in a table at the beginning, by name, since
//! numbers of symbols belong to one run. Invariant: a list is preceded by its length, a name has no space.

use std::fmt::{Display, Write as _};

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, Operation, Quantifier, Symbols, Term,
    Value, Var,
};
use rulesmith_matching::Node;
use rustc_hash::FxHashMap;

use super::{DEPTH_LIMIT, FIRST_LINE, digest};
use crate::program::{Specialized, SpecializedProcedure};

/// The text of a program; none for one that is too deep to be read back.
pub fn write_program(specialized: &Specialized, symbols: &Symbols, key: &str) -> Option<String> {
    let mut writer =
        Writer { symbols, text: String::new(), table: String::new(), values: FxHashMap::default() };
    for predicates in [&specialized.called, &specialized.outside] {
        writer.list(predicates, |writer, id| {
            writer.word(id.0);
            Some(())
        })?;
    }
    writer.list(&specialized.procedures, Writer::procedure)?;
    let rest = format!("{}{}\n{}\n", writer.values.len(), writer.table, writer.text);
    Some(format!("{FIRST_LINE}\n{key}\n{}\n{rest}", digest(&rest)))
}

struct Writer<'s> {
    symbols: &'s Symbols,
    text: String,
    /// The table of values, and the place of each.
    table: String,
    values: FxHashMap<Value, usize>,
}

impl Writer<'_> {
    fn word(&mut self, word: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, " {word}");
    }

    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut write: impl FnMut(&mut Self, T) -> Option<()>,
    ) -> Option<()> {
        let mut items = items.into_iter();
        self.word(items.len());
        items.try_for_each(|item| write(self, item))
    }

    fn procedure(&mut self, one: &SpecializedProcedure) -> Option<()> {
        let tree = &one.procedure.tree;
        self.text.push('\n');
        self.word(one.source.0);
        self.word(one.procedure.predicate.0);
        self.list(&one.procedure.known, |writer, known| {
            writer.word(u8::from(*known));
            Some(())
        })?;
        self.vars(&tree.inputs)?;
        self.word(tree.n_registers);
        self.nodes(&tree.roots, 0)?;
        self.list(&one.clauses, |writer, one| writer.clause(&one.clause))
    }

    fn nodes(&mut self, nodes: &[Node], depth: usize) -> Option<()> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        self.list(nodes, |writer, node| match node {
            Node::Condition { condition, children } => {
                writer.word("try");
                writer.condition(condition, depth)?;
                writer.nodes(children, depth + 1)
            }
            Node::Conclusion { clause, row } => {
                writer.word("conclude");
                writer.word(clause);
                writer.terms(row)
            }
        })
    }

    fn clause(&mut self, clause: &Clause) -> Option<()> {
        self.list(&clause.variables, |writer, variable| {
            writer.word(escaped(&variable.name));
            match variable.domain {
                Some(DomainId(domain)) => writer.word(domain),
                None => writer.word("-"),
            }
            Some(())
        })?;
        self.atom(&clause.head)?;
        self.body(&clause.body, 0)
    }

    fn body(&mut self, body: &[Condition], depth: usize) -> Option<()> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        self.list(body, |writer, condition| writer.condition(condition, depth))
    }

    fn condition(&mut self, condition: &Condition, depth: usize) -> Option<()> {
        match condition {
            Condition::Holds(atom) => {
                self.word("holds");
                self.atom(atom)
            }
            Condition::None { locals, body } => {
                self.word("none");
                self.vars(locals)?;
                self.body(body, depth + 1)
            }
            Condition::AnyOf(branches) => {
                self.word("any");
                self.list(branches, |writer, branch| writer.body(branch, depth + 1))
            }
            Condition::Compare(comparison, left, right) => {
                self.word(comparison_word(*comparison));
                self.expr(left, depth + 1)?;
                self.expr(right, depth + 1)
            }
            Condition::Construct { whole, functor, args } => {
                self.word("construct");
                self.term(*whole);
                self.word(escaped(self.symbols.name(*functor)));
                self.terms(args)
            }
            Condition::Member(term, DomainId(domain)) => {
                self.word("member");
                self.term(*term);
                self.word(domain);
                Some(())
            }
            Condition::Elsewhere { by, quantifier, body } => {
                self.word(match quantifier {
                    Quantifier::Some => "some",
                    Quantifier::Every => "every",
                });
                self.atom(by)?;
                self.body(body, depth + 1)
            }
        }
    }

    fn expr(&mut self, expr: &Expr, depth: usize) -> Option<()> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        match expr {
            Expr::Term(term) => {
                self.word("term");
                self.term(*term);
                Some(())
            }
            Expr::Binary(operation, left, right) => {
                self.word(operation_word(*operation));
                self.expr(left, depth + 1)?;
                self.expr(right, depth + 1)
            }
            Expr::Count { counted, body } => {
                self.word("count");
                self.vars(counted)?;
                self.body(body, depth + 1)
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> Option<()> {
        self.word(atom.predicate.0);
        self.terms(&atom.args)
    }

    fn terms(&mut self, terms: &[Term]) -> Option<()> {
        self.list(terms, |writer, term| {
            writer.term(*term);
            Some(())
        })
    }

    fn term(&mut self, term: Term) {
        match term {
            Term::Var(Var(number)) => self.word(format_args!("_{number}")),
            Term::Value(value) => {
                let place = self.value(value);
                self.word(place);
            }
        }
    }

    fn vars(&mut self, vars: &[Var]) -> Option<()> {
        self.list(vars, |writer, var| {
            writer.word(var.0);
            Some(())
        })
    }

    /// The place of a value in the table; its parts come before it.
    fn value(&mut self, value: Value) -> usize {
        if let Some(place) = self.values.get(&value) {
            return *place;
        }
        let line = match value {
            Value::Int(number) => format!("\ni {number}"),
            Value::Symbol(symbol) => format!("\ns {}", escaped(self.symbols.name(symbol))),
            Value::Compound(compound) => {
                let (functor, args) = self.symbols.parts(compound);
                let mut line =
                    format!("\nc {} {}", escaped(self.symbols.name(functor)), args.len());
                for arg in args {
                    let place = self.value(*arg);
                    let _ = write!(line, " {place}");
                }
                line
            }
        };
        self.table.push_str(&line);
        let place = self.values.len();
        self.values.insert(value, place);
        place
    }
}

pub(super) fn comparison_word(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::Unequal => "\\=",
        Comparison::Less => "<",
        Comparison::AtMost => "=<",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    }
}

pub(super) fn operation_word(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "+",
        Operation::Sub => "-",
        Operation::Mul => "*",
        Operation::Div => "div",
        Operation::Mod => "mod",
        Operation::Min => "min",
        Operation::Max => "max",
    }
}

/// A name as one word: `.` before it, and what is no letter, digit or underscore as a number.
fn escaped(name: &str) -> String {
    let mut word = ".".to_owned();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
        } else {
            let _ = write!(word, "%{:x};", u32::from(letter));
        }
    }
    word
}
