//! Registers that nobody reads: what is written to them is not computed.
//!
//! In: a kernel. Out: the same kernel without assignments to registers that no statement reads. Machine code
//! would compute some of them all the same: what is read from memory is not left out there. Invariant: the
//! kernel does what it did.

use std::collections::BTreeSet;

use crate::kernel::{Kernel, Statement};
use crate::share::{Register, blocks_mut, each_read};

/// Leaves out what is computed for nobody.
#[must_use]
pub fn drop_unread(mut kernel: Kernel) -> Kernel {
    loop {
        let mut read = BTreeSet::new();
        find_reads(&mut kernel.body, &mut read);
        if !keep_read(&mut kernel.body, &read) {
            return kernel;
        }
    }
}

fn find_reads(body: &mut [Statement], read: &mut BTreeSet<Register>) {
    for statement in body {
        each_read(statement, &mut |register| {
            read.insert(register.number());
        });
        for block in blocks_mut(statement) {
            find_reads(block, read);
        }
    }
}

/// Leaves out assignments to other registers; was there any?
fn keep_read(body: &mut Vec<Statement>, read: &BTreeSet<Register>) -> bool {
    let n_before = body.len();
    body.retain(|statement| match statement {
        Statement::Let(scalar, _) => read.contains(&Register::Scalar(scalar.0)),
        Statement::LetSet(plane, _) => read.contains(&Register::Plane(plane.0)),
        _ => true,
    });
    let mut is_less = body.len() < n_before;
    for block in body.iter_mut().flat_map(blocks_mut) {
        is_less |= keep_read(block, read);
    }
    is_less
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Scalar, Word};

    #[test]
    fn what_only_unread_registers_need_goes_with_them() {
        let [one, two, three] = [Scalar(0), Scalar(1), Scalar(2)];
        let inner = vec![
            Statement::Let(one, Word::State(0)),
            Statement::Let(two, Word::from(one) + 1),
            Statement::Let(three, Word::State(1)),
        ];
        let result = Statement::Return(three.into());
        let body = vec![Statement::If(Word::State(2), inner, vec![]), result.clone()];
        let kernel = drop_unread(Kernel { n_scalars: 3, body, ..Kernel::default() });
        let kept = vec![Statement::Let(three, Word::State(1))];
        assert_eq!(kernel.body, [Statement::If(Word::State(2), kept, vec![]), result]);
    }
}
