//! The report of `specialize` for programs (docs/json.md).

use rulesmith_player::{
    Agreement, ClauseReport, Cost, FunnelReport, MetaruleReport, ProcedureReport, SpecializeReport,
    TreeLine,
};
use serde::Serialize;

use crate::output::SCHEMA;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct ReportJson<'r> {
    schema: u32,
    game: &'r str,
    request: &'r str,
    stopped: bool,
    facts: FactsJson<'r>,
    samples: usize,
    outside: &'r [String],
    procedures: Vec<ProcedureJson<'r>>,
    metarules: Vec<MetaruleJson<'r>>,
    cut: Vec<CutJson<'r>>,
    ordering: &'r [String],
}

/// An author's metarule that reached a limit.
#[derive(Debug, Serialize)]
struct CutJson<'r> {
    metarule: &'r str,
    what: &'r str,
}

/// An author's metarule that nothing proves, at work.
#[derive(Debug, Serialize)]
struct DeclaredJson<'r> {
    metarule: &'r str,
    uses: u64,
}

#[derive(Debug, Serialize)]
struct FactsJson<'r> {
    digest: &'r str,
    relations: Vec<RelationJson<'r>>,
}

#[derive(Debug, Serialize)]
struct RelationJson<'r> {
    name: &'r str,
    facts: usize,
}

#[derive(Debug, Serialize)]
struct ProcedureJson<'r> {
    request: &'r str,
    called: bool,
    before: &'r [String],
    after: Vec<ClauseJson<'r>>,
    impossible: Vec<ImpossibleJson<'r>>,
    funnel: FunnelJson,
    bounds_reached: Vec<ReachedJson<'r>>,
    kept: Vec<KeptJson<'r>>,
    declared: Vec<DeclaredJson<'r>>,
    tree: Vec<LineJson<'r>>,
    cost: Option<CostJson<'r>>,
    not_measured: Option<&'r str>,
}

#[derive(Debug, Serialize)]
struct ClauseJson<'r> {
    clause: &'r str,
    steps: &'r [String],
    removed: Vec<RemovedJson<'r>>,
    declared: &'r [String],
}

#[derive(Debug, Serialize)]
struct RemovedJson<'r> {
    condition: &'r str,
    by: &'r str,
    support: &'r [String],
}

#[derive(Debug, Serialize)]
struct ImpossibleJson<'r> {
    clause: &'r str,
    by: &'r str,
}

#[derive(Debug, Serialize)]
struct FunnelJson {
    generated: u64,
    evaluated: u64,
    impossible: u64,
    monovalued: u64,
    killed: u64,
    duplicate: u64,
    subsumed: u64,
    kept: u64,
}

#[derive(Debug, Serialize)]
struct ReachedJson<'r> {
    bound: &'r str,
    bodies: u64,
}

#[derive(Debug, Serialize)]
struct KeptJson<'r> {
    predicate: &'r str,
    why: &'r str,
}

#[derive(Debug, Serialize)]
struct LineJson<'r> {
    depth: usize,
    #[serde(rename = "condition")]
    text: &'r str,
    clause: Option<usize>,
    tried: u64,
    held: u64,
}

#[derive(Debug, Serialize)]
struct CostJson<'r> {
    calls: u64,
    states: Option<u64>,
    called_with: &'r str,
    answers: u64,
    /// Are they those of the rules as they are? Null if that is not known.
    agrees: Option<bool>,
    before: u64,
    after: u64,
    clauses: Vec<ColumnsJson<'r>>,
}

#[derive(Debug, Serialize)]
struct ColumnsJson<'r> {
    before: Vec<SuccessesJson<'r>>,
    after: Vec<SuccessesJson<'r>>,
}

#[derive(Debug, Serialize)]
struct SuccessesJson<'r> {
    condition: &'r str,
    successes: u64,
}

#[derive(Debug, Serialize)]
struct MetaruleJson<'r> {
    metarule: &'r str,
    family: &'r str,
    proof: &'r str,
    evidence: &'r str,
    derivation: &'r str,
    kills: u64,
    unifications: u64,
    removals: u64,
    implied: u64,
    rewrites: u64,
}

/// The report for programs.
pub(super) fn to_json(report: &SpecializeReport) -> ReportJson<'_> {
    ReportJson {
        schema: SCHEMA,
        game: &report.game,
        request: &report.request,
        stopped: report.is_stopped,
        facts: FactsJson {
            digest: &report.digest,
            relations: report
                .facts
                .iter()
                .map(|(name, facts)| RelationJson { name, facts: *facts })
                .collect(),
        },
        samples: report.n_samples,
        outside: &report.outside,
        procedures: report.procedures.iter().map(procedure).collect(),
        metarules: report.metarules.iter().map(metarule).collect(),
        cut: report.cut.iter().map(|(metarule, what)| CutJson { metarule, what }).collect(),
        ordering: &report.ordering,
    }
}

fn procedure(one: &ProcedureReport) -> ProcedureJson<'_> {
    let FunnelReport { generated, evaluated, impossible, monovalued, killed, .. } = one.funnel;
    let FunnelReport { duplicate, subsumed, kept, .. } = one.funnel;
    let declared = one.declared.iter();
    let reached = one.reached.iter().map(|(bound, bodies)| ReachedJson { bound, bodies: *bodies });
    let called = one.kept.iter().map(|(predicate, why)| KeptJson { predicate, why });
    ProcedureJson {
        request: &one.title,
        called: !one.is_asked_for,
        before: &one.before,
        after: one.after.iter().map(clause).collect(),
        impossible: one
            .impossible
            .iter()
            .map(|(clause, by)| ImpossibleJson { clause, by })
            .collect(),
        funnel: FunnelJson {
            generated,
            evaluated,
            impossible,
            monovalued,
            killed,
            duplicate,
            subsumed,
            kept,
        },
        bounds_reached: reached.collect(),
        kept: called.collect(),
        declared: declared.map(|(metarule, uses)| DeclaredJson { metarule, uses: *uses }).collect(),
        tree: one.tree.iter().map(line).collect(),
        cost: one.cost.as_ref().and_then(|cost| cost.as_ref().ok()).map(cost),
        not_measured: one.cost.as_ref().and_then(|cost| cost.as_ref().err()).map(String::as_str),
    }
}

fn clause(one: &ClauseReport) -> ClauseJson<'_> {
    let removed = one.removed.iter().map(|removed| RemovedJson {
        condition: &removed.condition,
        by: &removed.by,
        support: &removed.support,
    });
    ClauseJson {
        clause: &one.text,
        steps: &one.steps,
        removed: removed.collect(),
        declared: &one.declared,
    }
}

fn line(one: &TreeLine) -> LineJson<'_> {
    let TreeLine { depth, text, concludes, tried, held, .. } = one;
    LineJson { depth: *depth, text, clause: *concludes, tried: *tried, held: *held }
}

fn cost(one: &Cost) -> CostJson<'_> {
    let clauses = one.before.iter().zip(&one.after);
    CostJson {
        calls: one.n_calls,
        states: one.n_states,
        called_with: &one.called_with,
        answers: one.n_answers,
        agrees: match one.agreement {
            Agreement::Same => Some(true),
            Agreement::Differs { .. } => Some(false),
            Agreement::NotCompared(_) => None,
        },
        before: one.total_before,
        after: one.total_after,
        clauses: clauses
            .map(|(before, after)| ColumnsJson { before: column(before), after: column(after) })
            .collect(),
    }
}

fn column(conditions: &[(String, u64)]) -> Vec<SuccessesJson<'_>> {
    let successes = conditions.iter();
    successes
        .map(|(condition, successes)| SuccessesJson { condition, successes: *successes })
        .collect()
}

fn metarule(one: &MetaruleReport) -> MetaruleJson<'_> {
    MetaruleJson {
        metarule: &one.text,
        family: one.family,
        proof: &one.proof,
        evidence: &one.evidence,
        derivation: &one.derivation,
        kills: one.kills,
        unifications: one.unifications,
        removals: one.removals,
        implied: one.implied,
        rewrites: one.rewrites,
    }
}
