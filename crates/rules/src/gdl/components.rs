//! Strong components of a graph, for cycles between relations.
//!
//! In: for each node its successors. Out: for each node the number of its component; a component
//! that others read has a smaller number than they. Paper: Tarjan, SIAM J. Comput. 1 (1972).
//! Invariant: no recursion, so that any text may be as deep as it likes.

/// The component of each node.
pub(super) fn strong_components(successors: &[Vec<usize>]) -> Vec<usize> {
    let n_nodes = successors.len();
    let mut search = Search {
        successors,
        order: vec![UNSEEN; n_nodes],
        low: vec![UNSEEN; n_nodes],
        components: vec![UNSEEN; n_nodes],
        stack: Vec::new(),
        n_seen: 0,
        n_components: 0,
    };
    for node in 0..n_nodes {
        if search.order[node] == UNSEEN {
            search.visit(node);
        }
    }
    search.components
}

const UNSEEN: usize = usize::MAX;

struct Search<'a> {
    successors: &'a [Vec<usize>],
    order: Vec<usize>,
    low: Vec<usize>,
    components: Vec<usize>,
    stack: Vec<usize>,
    n_seen: usize,
    n_components: usize,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = path.pop() {
            let Some(&successor) = self.successors[node].get(next) else {
                self.leave(node);
                if let Some(&(before, _)) = path.last() {
                    self.low[before] = self.low[before].min(self.low[node]);
                }
                continue;
            };
            path.push((node, next + 1));
            if self.order[successor] == UNSEEN {
                self.enter(successor);
                path.push((successor, 0));
            } else if self.components[successor] == UNSEEN {
                self.low[node] = self.low[node].min(self.order[successor]);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = self.n_seen;
        self.low[node] = self.n_seen;
        self.n_seen += 1;
        self.stack.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] != self.order[node] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.components[member] = self.n_components;
            if member == node {
                break;
            }
        }
        self.n_components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::strong_components;

    #[test]
    fn a_cycle_is_one_component_and_what_it_reads_comes_before() {
        let graph = [vec![1], vec![2, 3], vec![1], vec![]];
        assert_eq!(strong_components(&graph), [2, 1, 1, 0]);
    }
}
