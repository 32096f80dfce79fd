//! Games that are tables: each state is a number with its moves, its successors and its outcome.

use rulesmith_game::{Draws, Ending, Error, Game, JointMove, Outcome, Random, RoleId};

/// A game as a table of states; contests start in the first.
#[derive(Debug)]
pub(crate) struct Table {
    roles: Vec<String>,
    pub(crate) nodes: Vec<Node>,
}

/// One state.
#[derive(Debug)]
pub(crate) struct Node {
    /// How many moves each role has.
    pub(crate) n_moves: Vec<usize>,
    /// Where each joint move leads, the last role's moves changing fastest.
    pub(crate) next: Vec<usize>,
    pub(crate) outcome: Option<Outcome>,
}

fn roles(n_roles: usize) -> Vec<String> {
    (0..n_roles).map(|role| format!("r{role}")).collect()
}

fn n_joints(n_moves: &[usize]) -> usize {
    n_moves.iter().filter(|&&n| n > 0).product()
}

impl Table {
    /// Everybody moves once, and the joint move decides the goals.
    pub(crate) fn of_one_turn(
        n_roles: usize,
        n_moves: &[usize],
        goals: Vec<Vec<Option<u8>>>,
    ) -> Self {
        assert_eq!(n_joints(n_moves), goals.len());
        let next = (1..=goals.len()).collect();
        let mut nodes = vec![Node { n_moves: n_moves.to_vec(), next, outcome: None }];
        nodes.extend(goals.into_iter().map(|goals| Node {
            n_moves: vec![0; n_roles],
            next: Vec::new(),
            outcome: Some(Outcome { ending: Ending::Terminal, goals }),
        }));
        Self { roles: roles(n_roles), nodes }
    }

    /// Any number of roles; cycles, stuck states, goals that are not given: all may occur.
    pub(crate) fn random(random: &mut Random) -> Self {
        let n_roles = 1 + random.below(4);
        let n_nodes = 2 + random.below(10);
        let goal = |random: &mut Random| match random.below(4) {
            0 => None,
            1 => Some(100),
            _ => u8::try_from(random.below(101)).ok(),
        };
        let node = |random: &mut Random| {
            let n_moves: Vec<usize> = (0..n_roles).map(|_| random.below(4)).collect();
            let next = (0..n_joints(&n_moves)).map(|_| random.below(n_nodes)).collect();
            let endings = [Ending::Terminal, Ending::Draw];
            let outcome = (random.below(3) == 0).then(|| Outcome {
                ending: endings[random.below(2)],
                goals: (0..n_roles).map(|_| goal(random)).collect(),
            });
            Node { n_moves, next, outcome }
        };
        Self { roles: roles(n_roles), nodes: (0..n_nodes).map(|_| node(random)).collect() }
    }
}

impl Game for Table {
    type State = usize;
    type Move = usize;
    type Undo = usize;

    fn name(&self) -> String {
        "table".to_owned()
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> Result<usize, Error> {
        Ok(0)
    }

    fn legal_moves(&self, state: &usize, role: RoleId) -> Result<Vec<usize>, Error> {
        let n_moves = self.nodes[*state].n_moves.get(role.0);
        Ok((0..n_moves.copied().unwrap_or(0)).collect())
    }

    fn apply(&self, state: &mut usize, joint: &JointMove<usize>) -> Result<usize, Error> {
        let node = &self.nodes[*state];
        let mut parts = joint.iter();
        let mut at = 0;
        for (role, &n_moves) in node.n_moves.iter().enumerate().filter(|(_, n)| **n > 0) {
            let &(mover, chosen) = parts.next().expect("a part for every role to move");
            assert!(mover == RoleId(role) && chosen < n_moves, "{joint:?} is not legal");
            at = at * n_moves + chosen;
        }
        assert!(parts.next().is_none(), "{joint:?} has too many parts");
        Ok(std::mem::replace(state, node.next[at]))
    }

    fn undo(&self, state: &mut usize, undo: usize) {
        *state = undo;
    }

    fn outcome(&self, state: &usize, draws: Draws) -> Result<Option<Outcome>, Error> {
        let node = &self.nodes[*state];
        let is_stuck = node.n_moves.iter().all(|&n| n == 0);
        let stuck = Outcome { ending: Ending::Stuck, goals: vec![None; self.roles.len()] };
        let outcome = node.outcome.clone();
        let outcome = outcome.filter(|end| draws == Draws::Apply || end.ending != Ending::Draw);
        Ok(outcome.or_else(|| is_stuck.then_some(stuck)))
    }

    fn hash(&self, state: &usize) -> u64 {
        *state as u64
    }
}
