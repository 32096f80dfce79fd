//! Tuple at a time: the tree as nested loops, in its own order.
//!
//! In: the nodes of a tree. Out: a kernel that hands over a row for each conclusion (one word if it fits) and, if
//! asked to, returns how many conditions held. Invariant: a condition holds once for each way it holds
//! under each binding of the conditions above it, and a conclusion is handed over each time it is reached.

use rulesmith_kernel::{Kernel, Operation, Scalar, Statement, Word};
use rulesmith_logic::Term;
use rulesmith_matching::{Node, Procedure, Universe};

use super::super::Obstacle;
use super::asked::Asked;
use super::layout::Layout;
use super::sorts::{Slot, Sorts};
use super::writer::Writer;

/// A tree under way.
struct Tuples {
    /// Where conditions that held are counted.
    n_held: Option<Scalar>,
}

/// The kernel of a tree.
pub(super) fn tuples(
    layout: &mut Layout,
    universe: &Universe,
    procedure: &Procedure,
    counts: bool,
) -> Result<Kernel, Obstacle> {
    let inputs = &procedure.tree.inputs;
    let mut writer = Writer::new(layout, universe, inputs);
    let n_held = counts.then(|| writer.scalar());
    if let Some(n_held) = n_held {
        writer.push(Statement::Let(n_held, Word::Constant(0)));
    }
    let plan = Tuples { n_held };
    plan.nodes(&mut writer, &procedure.tree.roots)?;
    if let Some(n_held) = n_held {
        writer.push(Statement::Return(n_held.into()));
    }
    let name = if counts { "tuples, counted" } else { "tuples" };
    Ok(writer.into_kernel(name, inputs.len()))
}

impl Tuples {
    fn nodes(&self, writer: &mut Writer<'_>, nodes: &[Node]) -> Result<(), Obstacle> {
        for node in nodes {
            match node {
                Node::Conclusion { row, .. } => conclude(writer, row)?,
                Node::Condition { condition, children } => {
                    self.condition(writer, &Asked::new(condition)?, children)?;
                }
            }
        }
        Ok(())
    }

    fn condition(
        &self,
        writer: &mut Writer<'_>,
        condition: &Asked,
        children: &[Node],
    ) -> Result<(), Obstacle> {
        let mut below = |writer: &mut Writer<'_>| {
            if let Some(n_held) = self.n_held {
                writer.push(Statement::Let(n_held, Word::from(n_held) + 1));
            }
            self.nodes(writer, children)
        };
        if let Some(word) = writer.test(condition)? {
            return writer.when(word, &mut below);
        }
        match condition {
            Asked::Holds(predicate, args) => writer.each_row(*predicate, args, &mut below),
            Asked::Compare { is_same: true, left: Term::Var(var), right: other }
            | Asked::Compare { is_same: true, left: other, right: Term::Var(var) } => {
                // One side is known, and the other takes its value.
                let (var, word) = match (*other, writer.is_bound(*var)) {
                    (Term::Var(free), true) => (free, Term::Var(*var)),
                    (known, _) => (*var, known),
                };
                let slot = Slot::Variable(var);
                let word = writer.word(slot, word)?;
                let word = word.ok_or_else(|| Obstacle::new("an equality of two unknowns"))?;
                writer.bind(var, Some(word));
                let done = below(writer);
                writer.bind(var, None);
                done
            }
            Asked::Compare { .. } => Err(Obstacle::new("an inequality of something unknown")),
        }
    }
}

/// Hands over a conclusion.
fn conclude(writer: &mut Writer<'_>, row: &[Term]) -> Result<(), Obstacle> {
    let row: Option<Vec<Word>> = writer.head(row)?.into_iter().collect();
    let mut row = row.ok_or_else(|| Obstacle::new("a conclusion with something unknown"))?;
    if let Some(shifts) = packing(&writer.layout.sorts, row.len()) {
        let mut parts: Vec<(Word, u32)> = row.into_iter().zip(shifts).collect();
        // What outer loops bind comes first, so that it is put together there.
        parts.sort_by_key(|(word, _)| if let Word::Scalar(scalar) = word { scalar.0 } else { 0 });
        let part = |(word, by): (Word, u32)| word.compute(Operation::ShiftUp, u64::from(by));
        let whole = parts.into_iter().map(part).reduce(|one, other| one | other);
        row = vec![whole.unwrap_or(Word::Constant(0))];
    }
    writer.push(Statement::Emit(row));
    Ok(())
}

/// Where each argument of a conclusion stands in a word that holds all of them; nothing if they do not fit.
pub(super) fn packing(sorts: &Sorts, n_arguments: usize) -> Option<Vec<u32>> {
    let (mut shifts, mut n_bits) = (Vec::new(), 0);
    for place in 0..n_arguments {
        shifts.push(n_bits);
        n_bits += sorts.bits(Slot::Head(place));
    }
    // One bit is spared: no shift is as wide as a word.
    (n_bits < u64::BITS).then_some(shifts)
}
