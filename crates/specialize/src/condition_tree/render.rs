//! A tree as text: one condition on a line, what comes after it further to the right.
//!
//! In: a tree and how its conditions and conclusions are written. Out: text. Invariant: lines are in
//! the order in which the tree is tried.

use rulesmith_logic::{Condition, Term};
use rulesmith_matching::{Node, Tree};

/// Writes a tree; `condition` writes a condition, `conclusion` a clause's number and row.
pub fn render_tree(
    tree: &Tree,
    condition: &dyn Fn(&Condition) -> String,
    conclusion: &dyn Fn(usize, &[Term]) -> String,
) -> String {
    let mut text = String::new();
    let mut waiting: Vec<(usize, &Node)> = tree.roots.iter().rev().map(|root| (0, root)).collect();
    while let Some((depth, node)) = waiting.pop() {
        text.push_str(&"  ".repeat(depth));
        match node {
            Node::Condition { condition: tried, children } => {
                text.push_str(&condition(tried));
                waiting.extend(children.iter().rev().map(|child| (depth + 1, child)));
            }
            Node::Conclusion { clause, row } => {
                text.push_str("=> ");
                text.push_str(&conclusion(*clause, row));
            }
        }
        text.push('\n');
    }
    text
}
