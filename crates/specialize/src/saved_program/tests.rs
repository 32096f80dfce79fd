//! A program with everything in it is written, read back, and spoiled in many ways.

use std::collections::BTreeMap;

use rulesmith_logic::{
    Atom, Clause, ClauseBase, Comparison, Condition, Domain, DomainId, Expr, Level, Operation,
    Predicate, PredicateId, Quantifier, Source, Span, Symbols, Term, Value, Var, Variable,
};
use rulesmith_matching::{Node, Procedure, Tree};

use super::{FIRST_LINE, SavedProgramError, digest, program_key, read_program, write_program};
use crate::draft::Funnel;
use crate::program::{Specialized, SpecializedClause, SpecializedProcedure};

const KEY: &str = "the key";

/// Two predicates of two arguments and a domain.
fn base() -> ClauseBase {
    let mut base = ClauseBase::default();
    base.add_domain(Domain { name: "d".to_owned(), values: [Value::Int(1)].into_iter().collect() });
    for name in ["p", "q"] {
        base.add_predicate(Predicate {
            name: name.to_owned(),
            domains: vec![Some(DomainId(0)), None],
            source: Source::Clauses,
            level: Level::State,
        });
    }
    base
}

fn program(symbols: &mut Symbols) -> Specialized {
    let name = symbols.symbol("a name, with signs;%");
    let pair = symbols.compound(name, &[Value::Int(-3), Value::Symbol(name)]);
    let (x, y) = (Term::Var(Var(0)), Term::Var(Var(1)));
    let atom = |left, right| Atom { predicate: PredicateId(1), args: vec![left, right] };
    let holds = |left, right| Condition::Holds(atom(left, right));
    let sum = Expr::Binary(
        Operation::Add,
        Box::new(Expr::Term(x)),
        Box::new(Expr::Count { counted: vec![Var(1)], body: vec![holds(x, y)] }),
    );
    let body = vec![
        holds(x, Term::Value(pair)),
        Condition::None { locals: vec![Var(1)], body: vec![holds(x, y)] },
        Condition::AnyOf(vec![vec![holds(x, y)], vec![]]),
        Condition::Compare(Comparison::AtMost, Expr::Term(y), sum),
        Condition::Construct { whole: y, functor: name, args: vec![x] },
        Condition::Member(x, DomainId(0)),
        Condition::Elsewhere {
            by: atom(x, y),
            quantifier: Quantifier::Every,
            body: vec![holds(y, Term::Value(Value::Symbol(name)))],
        },
    ];
    let conclusion = Node::Conclusion { clause: 0, row: vec![x, y] };
    let nest = |below, condition: &Condition| Node::Condition {
        condition: condition.clone(),
        children: vec![below],
    };
    let root = body.iter().rev().fold(conclusion, nest);
    let variables = ["X", ""].map(|name| Variable { name: name.to_owned(), domain: None }).to_vec();
    let head = Atom { predicate: PredicateId(0), args: vec![x, y] };
    let clause = Clause { head, body, variables, span: Span::default() };
    let tree = Tree { inputs: vec![Var(0)], n_registers: 2, roots: vec![root] };
    let procedure = Procedure { predicate: PredicateId(0), known: vec![true, false], tree };
    Specialized {
        procedures: vec![SpecializedProcedure {
            source: PredicateId(0),
            clauses: vec![SpecializedClause::unchanged(clause)],
            funnel: Funnel::default(),
            n_duplicates: 0,
            n_subsumed: 0,
            n_killed: 0,
            declared: Vec::new(),
            procedure,
            registers: BTreeMap::new(),
            dropped: Vec::new(),
            reached: BTreeMap::new(),
            kept: Vec::new(),
        }],
        outside: [PredicateId(1)].into_iter().collect(),
        called: [PredicateId(0)].into_iter().collect(),
    }
}

fn written() -> (Specialized, Symbols, String) {
    let mut symbols = Symbols::default();
    let program = program(&mut symbols);
    let text = write_program(&program, &symbols, KEY).unwrap();
    (program, symbols, text)
}

#[test]
fn what_is_read_back_is_what_was_written() {
    let (program, mut symbols, text) = written();
    let read = read_program(&text, KEY, &base(), &mut symbols).unwrap();
    assert_eq!(format!("{read:?}"), format!("{program:?}"));
    // Other symbols have other numbers; the text is the same.
    let mut others = Symbols::default();
    others.symbol("something else");
    let read = read_program(&text, KEY, &base(), &mut others).unwrap();
    assert_eq!(write_program(&read, &others, KEY).unwrap(), text);
}

#[test]
fn other_keys_versions_and_damaged_texts_are_refused() {
    let (_, mut symbols, text) = written();
    let mut read = |text: &str, key: &str| read_program(text, key, &base(), &mut symbols).err();
    assert_eq!(read(&text, "another"), Some(SavedProgramError::OtherKey));
    let other = text.replacen("program 1", "program 0", 1);
    assert_eq!(read(&other, KEY), Some(SavedProgramError::Version));
    for end in 0..text.len() {
        assert!(read(&text[..end], KEY).is_some(), "{end}");
    }
}

/// Each word is replaced by others, under a digest that fits: the answer is a program or an error.
#[test]
fn no_text_makes_reading_panic() {
    let (_, mut symbols, text) = written();
    let rest = text.splitn(4, '\n').nth(3).unwrap();
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let mut n_refused = 0;
    for place in 0..words.len() {
        let others =
            ["0", "1", "2", "7", "99999999999999999999", "_9", "none", "term", ".%zz;", "-"];
        for other in others {
            let mut words = words.clone();
            words[place] = other;
            let rest = words.join(" ");
            let text = format!("{FIRST_LINE}\n{KEY}\n{}\n{rest}", digest(&rest));
            let read = read_program(&text, KEY, &base(), &mut symbols);
            n_refused += usize::from(read.is_err());
        }
    }
    assert!(n_refused > words.len() * 5, "{n_refused} of {}", words.len());
}

#[test]
fn a_tree_too_deep_to_be_read_is_not_written() {
    let mut symbols = Symbols::default();
    let mut program = program(&mut symbols);
    let tree = &mut program.procedures[0].procedure.tree;
    let condition = Condition::Member(Term::Var(Var(0)), DomainId(0));
    for _ in 0..500 {
        let children = std::mem::take(&mut tree.roots);
        tree.roots = vec![Node::Condition { condition: condition.clone(), children }];
    }
    assert_eq!(write_program(&program, &symbols, KEY), None);
}

#[test]
fn keys_differ_where_what_they_are_made_of_differs() {
    assert_eq!(program_key(&[&1, &"a"]), program_key(&[&1, &"a"]));
    assert_ne!(program_key(&[&1, &"a"]), program_key(&[&2, &"a"]));
    assert_ne!(program_key(&[&1, &"a"]), program_key(&[&1, &"b"]));
}
