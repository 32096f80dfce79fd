//! Trees for people: registers get the names that the clauses gave their variables.
//!
//! In: a tree, the clauses it was made of, and how often each node held. Out: one line for each node,
//! in the order of the tree. Invariant: on one path different registers have different names.

use std::collections::BTreeMap;

use rulesmith_logic::{Clause, Condition, Expr, Symbols, Term, Var, Variable, condition_vars};
use rulesmith_matching::{Count, Node, Tree};
use rulesmith_rules::{Theory, atom_text, condition_text, variable_names};

use super::report::TreeLine;

/// A tree with what is needed to write it.
#[derive(Clone, Debug)]
pub(super) struct ShownTree {
    pub(super) tree: Tree,
    /// The clauses by their numbers.
    pub(super) clauses: Vec<Clause>,
    /// Which variable of each clause each register holds.
    pub(super) registers: BTreeMap<usize, BTreeMap<Var, Var>>,
    /// The names of the known arguments.
    pub(super) inputs: Vec<String>,
}

/// The words of a theory.
#[derive(Clone, Copy)]
pub(super) struct Words<'w> {
    pub(super) theory: &'w Theory,
    pub(super) symbols: &'w Symbols,
}

type Names = BTreeMap<Var, String>;

impl ShownTree {
    /// One line a node.
    pub(super) fn lines(&self, words: Words<'_>, counts: &[Count]) -> Vec<TreeLine> {
        let names: Names =
            self.tree.inputs.iter().copied().zip(self.inputs.iter().cloned()).collect();
        let mut writing = Writing { shown: self, words, counts, next: 0, lines: Vec::new() };
        writing.nodes(&self.tree.roots, 0, &names);
        writing.lines
    }
}

/// One clause as the tree tries it.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Its conditions, with how often they and those inside them held.
    pub(super) conditions: Vec<(String, u64)>,
    /// What it concludes.
    pub(super) head: String,
}

impl ShownTree {
    /// The way to the conclusion of each clause, in the names of that clause.
    pub(super) fn paths(&self, words: Words<'_>, counts: &[Count]) -> Vec<Path> {
        let names: Names =
            self.tree.inputs.iter().copied().zip(self.inputs.iter().cloned()).collect();
        let path = |clause: usize| {
            let mut trail = Vec::new();
            if !find(&self.tree.roots, clause, &mut 0, &mut trail) {
                return Path::default();
            }
            let mut writing = Writing { shown: self, words, counts, next: 0, lines: Vec::new() };
            let mut names = names.clone();
            let mut path = Path::default();
            for (number, node) in trail {
                writing.next = number;
                let mut held = writing.count().held;
                match node {
                    Node::Condition { condition, .. } => {
                        let inside = 0..n_inside(condition);
                        held += inside.map(|_| writing.count().held).sum::<u64>();
                        writing.name(condition, Some(clause), &mut names);
                        path.conditions.push((writing.condition(condition, &names), held));
                    }
                    Node::Conclusion { row, .. } => {
                        path.head = writing.conclusion(clause, row, &names);
                    }
                }
            }
            path
        };
        (0..self.clauses.len()).map(path).collect()
    }
}

impl Path {
    /// The clause, its conditions in the order of the tree.
    pub(super) fn text(&self) -> String {
        let conditions: Vec<&str> = self.conditions.iter().map(|(text, _)| text.as_str()).collect();
        if conditions.is_empty() {
            return format!("{}.", self.head);
        }
        format!("{} :- {}.", self.head, conditions.join(", "))
    }
}

/// Finds the nodes on the way to a clause, with their numbers.
fn find<'n>(
    nodes: &'n [Node],
    clause: usize,
    next: &mut usize,
    trail: &mut Vec<(usize, &'n Node)>,
) -> bool {
    for node in nodes {
        trail.push((*next, node));
        *next += 1;
        let is_found = match node {
            Node::Condition { condition, children } => {
                *next += n_inside(condition);
                find(children, clause, next, trail)
            }
            Node::Conclusion { clause: other, .. } => *other == clause,
        };
        if is_found {
            return true;
        }
        trail.pop();
    }
    false
}

struct Writing<'w> {
    shown: &'w ShownTree,
    words: Words<'w>,
    counts: &'w [Count],
    next: usize,
    lines: Vec<TreeLine>,
}

impl Writing<'_> {
    fn nodes(&mut self, nodes: &[Node], depth: usize, names: &Names) {
        for node in nodes {
            let count = self.count();
            let Count { tried, held } = count;
            match node {
                Node::Condition { condition, children } => {
                    let mut names = names.clone();
                    self.name(condition, first_clause(node), &mut names);
                    let text = self.condition(condition, &names);
                    let held_inside = (0..n_inside(condition)).map(|_| self.count().held).sum();
                    let concludes = None;
                    self.lines.push(TreeLine { depth, text, concludes, tried, held, held_inside });
                    self.nodes(children, depth + 1, &names);
                }
                Node::Conclusion { clause, row } => {
                    let text = self.conclusion(*clause, row, names);
                    let concludes = Some(clause + 1);
                    self.lines.push(TreeLine {
                        depth,
                        text,
                        concludes,
                        tried,
                        held,
                        held_inside: 0,
                    });
                }
            }
        }
    }

    fn count(&mut self) -> Count {
        self.next += 1;
        self.counts.get(self.next - 1).copied().unwrap_or_default()
    }

    fn condition(&self, condition: &Condition, names: &Names) -> String {
        let Words { theory, symbols } = self.words;
        condition_text(theory, symbols, condition, &variables(names))
    }

    fn conclusion(&self, clause: usize, row: &[Term], names: &Names) -> String {
        let Some(clause) = self.shown.clauses.get(clause) else { return String::new() };
        let mut head = clause.head.clone();
        head.args = row.to_vec();
        atom_text(self.words.theory, self.words.symbols, &head, &variables(names))
    }

    /// Names the registers that the condition is the first to use.
    fn name(&self, condition: &Condition, clause: Option<usize>, names: &mut Names) {
        let own = clause.and_then(|number| {
            let clause = self.shown.clauses.get(number)?;
            Some((self.shown.registers.get(&number)?, variable_names(&clause.variables)))
        });
        for register in condition_vars(condition) {
            if names.contains_key(&register) {
                continue;
            }
            let own = own.as_ref().and_then(|(registers, own)| {
                own.get(usize::from(registers.get(&register)?.0)).cloned()
            });
            let wanted = own.unwrap_or_else(|| "V".to_owned());
            let is_free = |name: &String| !names.values().any(|taken| taken == name);
            let numbered = (1..).map(|number| format!("{wanted}{number}"));
            let name = std::iter::once(wanted.clone()).chain(numbered).find(is_free);
            names.insert(register, name.unwrap_or_default());
        }
    }
}

/// The registers as variables, by number.
fn variables(names: &Names) -> Vec<Variable> {
    let n_registers = names.keys().last().map_or(0, |last| usize::from(last.0) + 1);
    let name = |register: usize| {
        let register = u16::try_from(register).unwrap_or(u16::MAX);
        names.get(&Var(register)).cloned().unwrap_or_default()
    };
    (0..n_registers).map(|register| Variable { name: name(register), domain: None }).collect()
}

fn first_clause(node: &Node) -> Option<usize> {
    match node {
        Node::Condition { children, .. } => children.iter().find_map(first_clause),
        Node::Conclusion { clause, .. } => Some(*clause),
    }
}

/// How many conditions stand inside a condition; each is counted by itself.
fn n_inside(condition: &Condition) -> usize {
    let body = |body: &[Condition]| body.iter().map(|one| 1 + n_inside(one)).sum::<usize>();
    let expr = |expr: &Expr| match expr {
        Expr::Count { body: inner, .. } => match &inner[..] {
            [Condition::AnyOf(branches)] => branches.iter().map(|branch| body(branch)).sum(),
            inner => body(inner),
        },
        _ => 0,
    };
    match condition {
        Condition::None { body: inner, .. } | Condition::Elsewhere { body: inner, .. } => {
            body(inner)
        }
        Condition::Compare(_, left, right) => expr(left) + expr(right),
        _ => 0,
    }
}
