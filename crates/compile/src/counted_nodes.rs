//! Counted nodes: which condition each count of a procedure belongs to.
//!
//! In: a tree. Out: its nodes in the order the matcher numbers them: a condition, the conditions inside
//! it, then what comes after it. Invariant: as many nodes as the matcher has counts.

use rulesmith_logic::{Condition, Expr};
use rulesmith_matching::{Node, Tree};

/// A place in a tree that has a count.
#[derive(Clone, Debug)]
pub struct CountedNode {
    /// How far to the right it is written.
    pub depth: usize,
    /// What is tried; nothing where a clause concludes.
    pub condition: Option<Condition>,
    /// Does it stand inside another condition?
    pub is_inside: bool,
}

/// The nodes of a tree.
pub fn counted_nodes(tree: &Tree) -> Vec<CountedNode> {
    let mut nodes = Vec::new();
    for root in &tree.roots {
        add_node(root, 0, &mut nodes);
    }
    nodes
}

/// The places of the conditions among the nodes.
pub(crate) fn conditions_of(tree: &Tree) -> Vec<usize> {
    let nodes = counted_nodes(tree).into_iter().enumerate();
    nodes.filter(|(_, node)| node.condition.is_some()).map(|(place, _)| place).collect()
}

fn add_node(node: &Node, depth: usize, nodes: &mut Vec<CountedNode>) {
    match node {
        Node::Conclusion { .. } => {
            nodes.push(CountedNode { depth, condition: None, is_inside: false });
        }
        Node::Condition { condition, children } => {
            let place = nodes.len();
            add_condition(condition, depth, nodes);
            nodes[place].is_inside = false;
            for child in children {
                add_node(child, depth + 1, nodes);
            }
        }
    }
}

fn add_condition(condition: &Condition, depth: usize, nodes: &mut Vec<CountedNode>) {
    nodes.push(CountedNode { depth, condition: Some(condition.clone()), is_inside: true });
    match condition {
        Condition::None { body, .. } | Condition::Elsewhere { body, .. } => {
            add_body(body, depth + 1, nodes);
        }
        Condition::Compare(_, left, right) => {
            for side in [left, right] {
                if let Expr::Count { body, .. } = side {
                    add_body(body, depth + 1, nodes);
                }
            }
        }
        _ => {}
    }
}

fn add_body(body: &[Condition], depth: usize, nodes: &mut Vec<CountedNode>) {
    if let [Condition::AnyOf(branches)] = body {
        for branch in branches {
            add_body(branch, depth, nodes);
        }
        return;
    }
    for (place, condition) in body.iter().enumerate() {
        add_condition(condition, depth + place, nodes);
    }
}
