//! The report of `specialize` as text, in the order in which the work was done.
//!
//! In: a report. Out: lines: the clauses before and after, the funnel, the metarules with the facts
//! that prove them, the tree, and the two columns of costs that the paper prints.

use rulesmith_player::{
    Agreement, ClauseReport, Cost, FunnelReport, MetaruleReport, ProcedureReport, SpecializeReport,
    TreeLine,
};

use crate::args::{Shown, SpecializeArgs};
use crate::output::{BOLD, Output, RESET, WIDTH, counted};
use crate::words::plain;

/// More clauses than this are shown only if all are asked for.
const CLAUSES_SHOWN: usize = 12;
/// More impossible clauses than this are shown only if all are asked for.
const IMPOSSIBLE_SHOWN: usize = 3;
/// More clauses than this have no columns of their own.
const COLUMNS_SHOWN: usize = 4;
/// More ordering metarules than this are shown only if all are asked for.
const ORDERING_SHOWN: usize = 16;
/// More lines of a tree than this are shown only if all are asked for.
const TREE_SHOWN: usize = 60;
/// The longest bar of the funnel.
const BAR: usize = 40;

/// Prints the whole report.
pub(super) fn print(
    output: &mut Output,
    args: &SpecializeArgs,
    report: &SpecializeReport,
) -> anyhow::Result<()> {
    let mut page = Page { output, args };
    page.heading(report)?;
    for procedure in &report.procedures {
        page.procedure(procedure)?;
    }
    page.metarules(report)?;
    for procedure in &report.procedures {
        page.tree(procedure)?;
    }
    for procedure in &report.procedures {
        page.cost(procedure)?;
    }
    Ok(())
}

struct Page<'p> {
    output: &'p mut Output,
    args: &'p SpecializeArgs,
}

impl Page<'_> {
    fn line(&mut self, line: &str) -> anyhow::Result<()> {
        self.output.line(plain(line.trim_end()))
    }

    fn title(&mut self, title: &str) -> anyhow::Result<()> {
        self.output.line("")?;
        self.output.line(format_args!("{BOLD}{}{RESET}", plain(title)))
    }

    fn heading(&mut self, report: &SpecializeReport) -> anyhow::Result<()> {
        let (game, request) = (plain(&report.game), plain(&report.request));
        self.output.line(format_args!("{BOLD}{game}{RESET}: {BOLD}{request}{RESET}"))?;
        let facts: usize = report.facts.iter().map(|(_, n)| n).sum();
        let relations = report.facts.iter().map(|(name, n)| format!("{name} {n}"));
        let relations = relations.collect::<Vec<_>>().join(", ");
        let facts = counted(facts, "static fact");
        self.wrapped(&format!("{facts} (digest {}): {relations}", report.digest), 0)?;
        if report.n_samples > 0 {
            let states = counted(report.n_samples, "state");
            self.line(&format!("{states} sampled from random contests, seed {}", self.args.seed))?;
        }
        if !report.outside.is_empty() {
            self.line(&format!(
                "answered by the rules as they are: {}",
                report.outside.join(", ")
            ))?;
        }
        Ok(())
    }

    fn procedure(&mut self, procedure: &ProcedureReport) -> anyhow::Result<()> {
        let called = if procedure.is_asked_for { "" } else { " (called)" };
        self.title(&format!("{}{called}", procedure.title))?;
        self.line("before, as the rules say it:")?;
        let before: Vec<&str> = procedure.before.iter().map(String::as_str).collect();
        self.clauses(&before)?;
        self.line("after:")?;
        if procedure.after.is_empty() {
            self.line("  no clause is left: it never holds")?;
        }
        let after: Vec<String> = procedure.after.iter().map(marked).collect();
        self.clauses(&after.iter().map(String::as_str).collect::<Vec<_>>())?;
        self.impossible(procedure)?;
        if self.args.derivations {
            for (number, clause) in (1..).zip(&procedure.after) {
                self.derivation(number, clause)?;
            }
        }
        self.funnel(&procedure.funnel)?;
        for (bound, n_bodies) in &procedure.reached {
            let bodies = counted(usize::try_from(*n_bodies).unwrap_or(usize::MAX), "body");
            let bodies = bodies.replace("bodys", "bodies");
            self.line(&match *bound {
                "stopped" => format!("  stopped: {bodies} left as they were"),
                bound => format!("  bound `{bound}` reached: {bodies} left as they were"),
            })?;
        }
        for (name, why) in &procedure.kept {
            self.line(&format!("  {name} is called: {why}"))?;
        }
        for (metarule, n_uses) in &procedure.declared {
            let times = counted(usize::try_from(*n_uses).unwrap_or(usize::MAX), "time");
            self.wrapped(&format!("declared, not proved, of use {times}: {metarule}"), 2)?;
        }
        Ok(())
    }

    /// Clauses that can never hold, and the metarules that say so.
    fn impossible(&mut self, procedure: &ProcedureReport) -> anyhow::Result<()> {
        if procedure.impossible.is_empty() {
            return Ok(());
        }
        self.line("impossible, among others:")?;
        let n_shown = if self.args.all_clauses { usize::MAX } else { IMPOSSIBLE_SHOWN };
        for (clause, by) in procedure.impossible.iter().take(n_shown) {
            self.wrapped(clause, 2)?;
            self.wrapped(&format!("by {by}"), 6)?;
        }
        Ok(())
    }

    /// Clauses, each wrapped at its conditions.
    fn clauses(&mut self, clauses: &[&str]) -> anyhow::Result<()> {
        let n_shown = if self.args.all_clauses { clauses.len() } else { CLAUSES_SHOWN };
        for clause in clauses.iter().take(n_shown) {
            self.wrapped(clause, 2)?;
        }
        if clauses.len() > n_shown {
            let more = counted(clauses.len() - n_shown, "more clause");
            self.line(&format!("  … {more}; `--all-clauses` shows them"))?;
        }
        Ok(())
    }

    fn wrapped(&mut self, text: &str, indent: usize) -> anyhow::Result<()> {
        for line in wrap(text, indent) {
            self.line(&line)?;
        }
        Ok(())
    }

    fn derivation(&mut self, number: usize, clause: &ClauseReport) -> anyhow::Result<()> {
        self.line(&format!("derivation of clause {number}:"))?;
        for (step, n_times) in runs(&clause.steps) {
            let times = if n_times > 1 { format!(", {n_times} times") } else { String::new() };
            self.line(&format!("  {step}{times}"))?;
        }
        for removed in &clause.removed {
            self.wrapped(&format!("without {}, by {}", removed.condition, removed.by), 2)?;
            if !removed.support.is_empty() {
                self.wrapped(&format!("given {}", removed.support.join(", ")), 4)?;
            }
        }
        for metarule in &clause.declared {
            self.wrapped(&format!("declared, not proved: {metarule}"), 2)?;
        }
        if [clause.steps.len(), clause.removed.len(), clause.declared.len()] == [0; 3] {
            self.line("  as it was")?;
        }
        Ok(())
    }

    fn funnel(&mut self, funnel: &FunnelReport) -> anyhow::Result<()> {
        self.line("funnel:")?;
        let most = funnel_rows(funnel).iter().map(|(_, n)| *n).max().unwrap_or(0);
        for (name, count) in funnel_rows(funnel) {
            self.line(&format!("  {name:<24} {count:>7}  {}", bar(count, most)))?;
        }
        Ok(())
    }

    fn metarules(&mut self, report: &SpecializeReport) -> anyhow::Result<()> {
        if self.args.metarules == Shown::None {
            return Ok(());
        }
        let is_all = self.args.metarules == Shown::All;
        let used = report.metarules.iter().filter(|one| one.n_uses() > 0).count();
        let all = counted(report.metarules.len(), "metarule");
        self.title(&format!("{all}, {used} of use"))?;
        for metarule in report.metarules.iter().filter(|one| is_all || one.n_uses() > 0) {
            self.metarule(metarule)?;
        }
        for (metarule, what) in &report.cut {
            self.wrapped(metarule, 0)?;
            self.wrapped(&format!("declared, {what}"), 4)?;
        }
        if report.ordering.is_empty() {
            return Ok(());
        }
        self.title("ordering metarules, as they were asked for")?;
        let n_shown = if is_all { report.ordering.len() } else { ORDERING_SHOWN };
        for branching in report.ordering.iter().take(n_shown) {
            self.wrapped(branching, 0)?;
        }
        if report.ordering.len() > n_shown {
            let more = report.ordering.len() - n_shown;
            self.line(&format!("… {more} more; `--metarules all` shows them"))?;
        }
        Ok(())
    }

    fn metarule(&mut self, metarule: &MetaruleReport) -> anyhow::Result<()> {
        self.wrapped(&metarule.text, 0)?;
        let MetaruleReport { family, proof, evidence, derivation, .. } = metarule;
        self.wrapped(&format!("{family}, {}", uses(metarule)), 4)?;
        let proof = if proof == "general" { String::new() } else { format!("{proof}: ") };
        self.wrapped(&format!("{proof}{evidence}; {derivation}"), 4)
    }

    fn tree(&mut self, procedure: &ProcedureReport) -> anyhow::Result<()> {
        if procedure.tree.is_empty() {
            return Ok(());
        }
        self.title(&format!("tree of {}", procedure.title))?;
        let is_measured = matches!(procedure.cost, Some(Ok(_)));
        if is_measured {
            self.line(&format!("{:>9} {:>9}", "tried", "held"))?;
        }
        let n_shown = if self.args.all_clauses { usize::MAX } else { TREE_SHOWN };
        for line in procedure.tree.iter().take(n_shown) {
            self.tree_line(line, is_measured)?;
        }
        if procedure.tree.len() > n_shown {
            let more = procedure.tree.len() - n_shown;
            self.line(&format!("… {more} more lines; `--all-clauses` shows them"))?;
        }
        Ok(())
    }

    fn tree_line(&mut self, line: &TreeLine, is_measured: bool) -> anyhow::Result<()> {
        let indent = "  ".repeat(line.depth);
        let arrow = if line.concludes.is_some() { "=> " } else { "" };
        let text = format!("{indent}{arrow}{}", line.text);
        if !is_measured {
            return self.line(&format!("  {text}"));
        }
        self.line(&format!("{:>9} {:>9}  {text}", line.tried, line.held))
    }

    fn cost(&mut self, procedure: &ProcedureReport) -> anyhow::Result<()> {
        let Some(cost) = &procedure.cost else { return Ok(()) };
        self.title(&format!("successes of each condition, {}", procedure.title))?;
        let cost = match cost {
            Ok(cost) if cost.after.is_empty() => {
                return self.line(&format!("none: it never holds{}", agreement(cost)));
            }
            Ok(cost) => cost,
            Err(why) => return self.line(&format!("not measured: {why}")),
        };
        self.line(&measured_on(cost))?;
        let n_shown = if self.args.all_clauses { usize::MAX } else { COLUMNS_SHOWN };
        for (number, columns) in (1..).zip(cost.before.iter().zip(&cost.after)).take(n_shown) {
            self.output.line("")?;
            if cost.before.len() > 1 {
                self.line(&format!("clause {number}"))?;
            }
            self.columns(columns.0, columns.1)?;
        }
        if cost.before.len() > n_shown {
            let more = counted(cost.before.len() - n_shown, "more clause");
            self.line(&format!("\n… {more}; `--all-clauses` shows them"))?;
        }
        let Cost { total_before, total_after, .. } = cost;
        let answers = answers(cost);
        let less = ratio(*total_before, *total_after);
        self.output.line("")?;
        self.wrapped(
            &format!("in all {total_before} before, {total_after} after{less}; {answers}"),
            0,
        )
    }

    /// The clause before on the left, after on the right, and the sums below.
    fn columns(&mut self, before: &[(String, u64)], after: &[(String, u64)]) -> anyhow::Result<()> {
        let is_narrow =
            |column: &[(String, u64)]| column.iter().all(|(text, _)| text.chars().count() <= CELL);
        let (left, right) = (rows("before", before), rows("after", after));
        if !is_narrow(before) || !is_narrow(after) {
            for (text, count) in left.iter().chain(&right) {
                match count {
                    Some(count) => self.line(&format!("  {count:>9}  {text}"))?,
                    None => self.line(&format!("  {text}"))?,
                }
            }
            return Ok(());
        }
        let n_rows = left.len().max(right.len());
        let cell = |rows: &[(String, Option<u64>)], at: usize| {
            // The sums stand side by side, below the longer column.
            let place = match at + 1 {
                last if last == n_rows => rows.len() - 1,
                _ if at + 1 >= rows.len() => return " ".repeat(CELL + 9),
                _ => at,
            };
            let (text, count) = &rows[place];
            let count = count.map_or_else(String::new, |count| count.to_string());
            format!("{text:<CELL$} {count:>8}")
        };
        for at in 0..n_rows {
            self.line(&format!("  {}   {}", cell(&left, at), cell(&right, at)))?;
        }
        Ok(())
    }
}

/// A column with its heading and its sum.
fn rows(head: &str, column: &[(String, u64)]) -> Vec<(String, Option<u64>)> {
    let own = column.iter().map(|(text, count)| (text.clone(), Some(*count)));
    let sum = column.iter().map(|(_, count)| count).sum();
    let head = std::iter::once((head.to_owned(), None));
    head.chain(own).chain([("sum".to_owned(), Some(sum))]).collect()
}

/// The widest condition that two columns have room for.
const CELL: usize = 28;

/// `36 calls in 18 states, 2 values of P`.
pub(super) fn measured_on(cost: &Cost) -> String {
    let count = |number: u64, noun| counted(usize::try_from(number).unwrap_or(usize::MAX), noun);
    let mut words = vec![count(cost.n_calls, "call")];
    words.extend(cost.n_states.map(|n_states| format!(" in {}", count(n_states, "state"))));
    if !cost.called_with.is_empty() {
        words.push(format!(", {}", cost.called_with));
    }
    words.concat()
}

/// `the same 25 answers`, or how they differ from those of the rules.
pub(super) fn answers(cost: &Cost) -> String {
    let n_answers = counted(usize::try_from(cost.n_answers).unwrap_or(usize::MAX), "answer");
    let same = if cost.agreement == Agreement::Same { "the same " } else { "" };
    format!("{same}{n_answers}{}", agreement(cost))
}

/// What is to be said if the rules as they are do not answer the same.
fn agreement(cost: &Cost) -> String {
    match &cost.agreement {
        Agreement::Same => String::new(),
        Agreement::Differs { n_answers } if *n_answers == cost.n_answers => {
            format!(", but the rules as they are give {n_answers} others")
        }
        Agreement::Differs { n_answers } => {
            format!(", but the rules as they are give {n_answers}")
        }
        Agreement::NotCompared(why) => {
            format!(", not compared with those of the rules as they are: {why}")
        }
    }
}

/// A clause, marked if it rests on what nothing proves.
pub(super) fn marked(clause: &ClauseReport) -> String {
    let mark = if clause.declared.is_empty() { "" } else { " % by a declared metarule" };
    format!("{}{mark}", clause.text)
}

/// `, 1.4 times fewer`.
#[expect(clippy::cast_precision_loss, reason = "a ratio is shown to people, rounded")]
fn ratio(before: u64, after: u64) -> String {
    if after == 0 || before <= after {
        return String::new();
    }
    format!(", {:.1} times fewer", before as f64 / after as f64)
}

/// The rows of the funnel. What an author's metarule dropped has one only where it did.
pub(super) fn funnel_rows(funnel: &FunnelReport) -> Vec<(&'static str, u64)> {
    let rows = [
        ("generated", funnel.generated),
        ("decided by evaluation", funnel.evaluated),
        ("impossible", funnel.impossible),
        ("monovalued (variables)", funnel.monovalued),
        (KILLED, funnel.killed),
        ("duplicate", funnel.duplicate),
        ("subsumed", funnel.subsumed),
        ("kept", funnel.kept),
    ];
    rows.into_iter().filter(|(name, count)| *name != KILLED || *count > 0).collect()
}

/// The row of what an author's metarule dropped.
pub(super) const KILLED: &str = "dropped by the author";

/// What a metarule was good for.
pub(super) fn uses(metarule: &MetaruleReport) -> String {
    let MetaruleReport { kills, unifications, implied, removals, rewrites, .. } = metarule;
    let ways = [
        (*kills, "impossible clause"),
        (*unifications, "unification"),
        (*removals, "useless condition"),
        (*implied, "implied condition"),
        (*rewrites, "rewriting"),
    ];
    let ways = ways.iter().filter(|(count, _)| *count > 0);
    let ways = ways.map(|(count, noun)| counted(usize::try_from(*count).unwrap_or(0), noun));
    let ways: Vec<String> = ways.collect();
    if ways.is_empty() { "not used".to_owned() } else { ways.join(", ") }
}

/// A bar as long as its share of the most.
fn bar(count: u64, most: u64) -> String {
    let length = (count * BAR as u64).div_ceil(most.max(1));
    "█".repeat(usize::try_from(length).unwrap_or(BAR))
}

/// Steps, each with how often it comes in a row.
fn runs(steps: &[String]) -> Vec<(&str, usize)> {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for step in steps {
        match runs.last_mut() {
            Some((last, n_times)) if last == step => *n_times += 1,
            _ => runs.push((step, 1)),
        }
    }
    runs
}

/// Lines of the page's width, broken between conditions where possible; what follows the first line is
/// indented further.
fn wrap(text: &str, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = " ".repeat(indent);
    let mut is_empty = true;
    let fits = |line: &str, more: &str| line.chars().count() + 1 + more.chars().count() <= WIDTH;
    // Only clauses have conditions to be broken between.
    let pieces = if text.contains(":-") { pieces(text) } else { text.split(' ').collect() };
    for piece in pieces {
        let is_long = !fits(&" ".repeat(indent + 4), piece);
        let words: Vec<&str> = if is_long { piece.split(' ').collect() } else { vec![piece] };
        for word in words {
            if !is_empty && !fits(&line, word) {
                lines.push(std::mem::replace(&mut line, " ".repeat(indent + 4)));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
    }
    lines.push(line);
    lines
}

/// A text in pieces that end at spaces outside parentheses; a piece with its comma or full stop.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            // A comparison is kept together.
            ' ' if depth == 0 && text[..at].ends_with([',', '-', ';', ':']) => {
                pieces.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}
