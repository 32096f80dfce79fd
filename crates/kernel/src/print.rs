//! Kernels as text, for dumps.
//!
//! In: modules, kernels and their parts. Out: pseudo-code, one statement a line, parts indented by two
//! blanks. `s` names scalars, `p` planes, `t` tables; `state[2..4]` is a plane of words 2 and 3.

use std::fmt::{Display, Formatter, Result};

use crate::kernel::{
    Array, Comparison, End, Kernel, Module, Operation, Plane, Scalar, Set, Statement, Table,
    TableId, Word,
};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "state of {} words", self.state_words)?;
        for (Table { width, words }, id) in self.tables.iter().zip(0..) {
            let n_rows = words.len() / usize::from(*width).max(1);
            writeln!(f, "{}: {n_rows} rows of {width} words", TableId(id))?;
        }
        for (routine, place) in self.routines.iter().zip(0..) {
            write!(f, "\nr{place}: {routine}")?;
        }
        for kernel in &self.kernels {
            write!(f, "\n{kernel}")?;
        }
        Ok(())
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "kernel {}(", self.name)?;
        let params: Vec<_> = (0..self.n_params).map(Scalar).collect();
        list(f, &params)?;
        writeln!(f, ")")?;
        for (width, plane) in self.plane_widths.iter().zip(0..) {
            writeln!(f, "  {}: plane of {width} words", Plane(plane))?;
        }
        print_body(f, &self.body, 1)
    }
}

fn print_body(f: &mut Formatter<'_>, body: &[Statement], level: usize) -> Result {
    body.iter().try_for_each(|statement| print_statement(f, statement, level))
}

fn print_statement(f: &mut Formatter<'_>, statement: &Statement, level: usize) -> Result {
    write!(f, "{:1$}", "", 2 * level)?;
    match statement {
        Statement::Let(scalar, value) => writeln!(f, "{scalar} := {value}"),
        Statement::LetSet(plane, value) => writeln!(f, "{plane} := {value}"),
        Statement::Store(offset, value) => writeln!(f, "state[{offset}] := {value}"),
        Statement::StoreSet(offset, value) => writeln!(f, "state[{offset}..] := {value}"),
        Statement::StoreAt(array, row, value) => writeln!(f, "first({array}[{row}]) := {value}"),
        Statement::StoreSetAt(array, row, value) => writeln!(f, "{array}[{row}] := {value}"),
        Statement::If(condition, then, otherwise) => {
            writeln!(f, "if {condition}")?;
            print_body(f, then, level + 1)?;
            if !otherwise.is_empty() {
                writeln!(f, "{:1$}else", "", 2 * level)?;
                print_body(f, otherwise, level + 1)?;
            }
            Ok(())
        }
        Statement::ForEach(scalar, set, body) => {
            writeln!(f, "for {scalar} in {set}")?;
            print_body(f, body, level + 1)
        }
        Statement::Repeat(body) => {
            writeln!(f, "repeat")?;
            print_body(f, body, level + 1)
        }
        Statement::Leave => writeln!(f, "leave"),
        Statement::Draw(scalar, bound) => writeln!(f, "{scalar} := draw below {bound}"),
        Statement::Seed(word) => writeln!(f, "seed {word}"),
        Statement::Run(scalar, routine, params) => {
            write!(f, "{scalar} := run r{}(", routine.0)?;
            list(f, params)?;
            writeln!(f, ")")
        }
        Statement::Emit(row) => {
            write!(f, "emit ")?;
            list(f, row)?;
            writeln!(f)
        }
        Statement::Full => writeln!(f, "full"),
        Statement::Return(value) => writeln!(f, "return {value}"),
    }
}

/// Items with commas between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    for (item, place) in items.iter().zip(0..) {
        let comma = if place == 0 { "" } else { ", " };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "s{}", self.0)
    }
}

impl Display for Plane {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "p{}", self.0)
    }
}

impl Display for TableId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "t{}", self.0)
    }
}

impl Display for Array {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { offset, width, n_rows } = *self;
        let end = u64::from(offset) + u64::from(width) * u64::from(n_rows);
        write!(f, "state[{offset}..{end} by {width}]")
    }
}

impl Display for Set {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Mask(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("{word:#x}")).collect();
                write!(f, "mask({})", words.join(", "))
            }
            Self::Plane(plane) => write!(f, "{plane}"),
            Self::State { offset, width } => {
                write!(f, "state[{offset}..{}]", u64::from(*offset) + u64::from(*width))
            }
            Self::At(array, row) => write!(f, "{array}[{row}]"),
            Self::Row(table, row) => write!(f, "row({table}, {row})"),
            Self::Single(_, number) => write!(f, "{{{number}}}"),
            Self::Nth(set, rank) => write!(f, "{{nth({set}, {rank})}}"),
            Self::And(left, right) => write!(f, "({left} & {right})"),
            Self::Or(left, right) => write!(f, "({left} | {right})"),
            Self::Without(left, right) => write!(f, "({left} \\ {right})"),
            Self::Xor(left, right) => write!(f, "({left} ^ {right})"),
            Self::Shift(set, by) => write!(f, "shift({set}, {by:+})"),
            Self::UpTo(End::Low, set) => write!(f, "up to lowest({set})"),
            Self::UpTo(End::High, set) => write!(f, "down to highest({set})"),
            Self::Resize(set, width) => write!(f, "resize({set}, {width})"),
        }
    }
}

impl Display for Word {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Constant(value) if *value > u64::from(u32::MAX) => write!(f, "{value:#x}"),
            Self::Constant(value) => write!(f, "{value}"),
            Self::Scalar(scalar) => write!(f, "{scalar}"),
            Self::State(offset) => write!(f, "state[{offset}]"),
            Self::At(array, row) => write!(f, "first({array}[{row}])"),
            Self::Look(table, row) => write!(f, "look({table}, {row})"),
            Self::Compute(operation, left, right) => match operation {
                Operation::MultiplyHigh => write!(f, "high({left} * {right})"),
                Operation::Least => write!(f, "least({left}, {right})"),
                Operation::Most => write!(f, "most({left}, {right})"),
                _ => write!(f, "({left} {} {right})", sign(*operation)),
            },
            Self::Compare(comparison, left, right) => {
                let sign = match comparison {
                    Comparison::Equal => "=",
                    Comparison::Unequal => "≠",
                    Comparison::Less => "<",
                    Comparison::LessOrEqual => "≤",
                };
                write!(f, "({left} {sign} {right})")
            }
            Self::Count(set) => write!(f, "count({set})"),
            Self::Any(set) => write!(f, "any({set})"),
            Self::Has(set, number) => write!(f, "has({set}, {number})"),
            Self::Nth(set, rank) => write!(f, "nth({set}, {rank})"),
            Self::Zeros(End::Low, word) => write!(f, "zeros below({word})"),
            Self::Zeros(End::High, word) => write!(f, "zeros above({word})"),
        }
    }
}

/// How an operation between its operands is written.
fn sign(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "+",
        Operation::Subtract => "-",
        Operation::Multiply | Operation::MultiplyHigh => "*",
        Operation::Divide => "/",
        Operation::And => "&",
        Operation::Or => "|",
        Operation::Xor => "^",
        Operation::ShiftUp => "<<",
        Operation::ShiftDown => ">>",
        Operation::Least => "min",
        Operation::Most => "max",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn kernels_read_as_pseudo_code() {
        let (scalar, plane) = (Scalar(1), Plane(0));
        let array = Array { offset: 2, width: 2, n_rows: 3 };
        let each = vec![
            Statement::StoreSetAt(array, scalar.into(), Set::from(plane) - Set::single(2, scalar)),
            Statement::Emit(vec![scalar.into(), Word::at(array, 1)]),
        ];
        let condition = Set::row(TableId(0), Scalar(0)).has(scalar).equals(0);
        let body = vec![
            Statement::LetSet(plane, Set::state(0, 2).shift(-3) & Set::Mask(vec![255, 1 << 40])),
            Statement::Draw(scalar, Set::from(plane).count()),
            Statement::If(
                condition,
                vec![Statement::Store(0, Word::from(3))],
                vec![Statement::Repeat(vec![Statement::Leave])],
            ),
            Statement::ForEach(scalar, plane.into(), each),
            Statement::Return(Set::from(plane).nth(1).compute(Operation::Least, 1 << 40)),
        ];
        let plane_widths = vec![2];
        let name = "sample".into();
        let kernel = Kernel { name, n_params: 1, n_scalars: 2, plane_widths, body };
        let tables = vec![Table { width: 2, words: vec![0; 6] }];
        expect![[r#"
            state of 8 words
            t0: 3 rows of 2 words

            kernel sample(s0)
              p0: plane of 2 words
              p0 := (shift(state[0..2], -3) & mask(0xff, 0x10000000000))
              s1 := draw below count(p0)
              if (has(row(t0, s0), s1) = 0)
                state[0] := 3
              else
                repeat
                  leave
              for s1 in p0
                state[2..8 by 2][s1] := (p0 \ {s1})
                emit s1, first(state[2..8 by 2][1])
              return least(nth(p0, 1), 0x10000000000)
        "#]]
        .assert_eq(
            &Module { state_words: 8, tables, kernels: vec![kernel], ..Module::default() }
                .to_string(),
        );
    }
}
