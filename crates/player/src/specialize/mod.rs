//! The specialiser at work on a game: from the text of a request to a report of all that was done.
//!
//! In: a game, a request, options. Out: clauses, metarules, trees and costs as texts and numbers. It
//! joins the stages (samples, knowledge, specialiser, interpreter) so that front ends see this crate
//! alone. Paper: metameta §3, §4. Invariant: the same request and seed give the same report.

mod costs;
mod metarules;
mod options;
mod report;
mod requests;
mod trees;

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_compile::{Interpreter, ReferenceGame, Sampling, sample_states};
use rulesmith_game::Error;
use rulesmith_logic::{Clause, Level, PredicateId, Symbols, Term, Value};
use rulesmith_matching::Procedure;
use rulesmith_rules::{
    Request, RequestArg, Theory, clause_text, condition_text, metarule_text as authors_text,
    variable_names,
};
use rulesmith_specialize::metarules::{Family, read_metarules, write_metarules};
use rulesmith_specialize::{
    Bound, DeclaredUse, Funnel, KeptBecause, Knowledge, NamedTree, SpecializeError, Specialized,
    SpecializedClause, SpecializedProcedure, Specializer, Step, written_tree,
};

pub use costs::{Agreement, Cost};
pub use metarules::{MetarulePicture, MetaruleReport};
pub use options::SpecializeOptions;
pub use report::{
    ClauseReport, FunnelReport, ProcedureReport, RemovedReport, SpecializeReport, TreeLine,
};

use crate::build::BuildResult;
use costs::{Answers, Measured, measure, reference};
use options::settings;
use requests::{Asked, read_requests};
use trees::{ShownTree, Words};

/// Why a request was not specialised.
#[derive(Debug)]
pub enum SpecializeFailure {
    /// The request makes no sense; its problems point into its text.
    Request(Box<BuildResult>),
    /// An option makes no sense.
    Option {
        /// What is wrong.
        message: String,
        /// A way out.
        help: String,
    },
    /// With so little known, the conditions cannot be tried in any order.
    NotReady(String),
    /// The metarules that were to be loaded are refused.
    Metarules(String),
    /// The game could not be asked.
    Game(Error),
}

/// Specialises a request; `watch` is told how far unfolding is: bodies made, and clauses removed.
pub fn specialize(
    game: ReferenceGame,
    request: &str,
    options: &SpecializeOptions,
    watch: &mut dyn FnMut(u64, u64),
) -> Result<SpecializeReport, SpecializeFailure> {
    let asked = read_requests(game.theory(), request, &options.at)?;
    let sampling = Sampling { seed: options.seed, ..Sampling::default() };
    let (mut report, program) = unfold(&game, &asked, options, watch)?;
    let Program { interpreter, measured } = program;
    // The rules alone are asked while the game has no program yet.
    let by_rules = |asked: &Asked| -> Result<Answers, String> {
        let calls = asked.calls.as_ref().map_err(String::clone)?;
        reference(&game, sampling, &asked.request, calls).map_err(|error| error.to_string())
    };
    let references: Vec<Result<Answers, String>> = asked.iter().map(by_rules).collect();
    let game = match interpreter {
        Ok(interpreter) => game.with_interpreter(interpreter),
        Err(why) => {
            for (procedure, _) in report.procedures.iter_mut().zip(&asked) {
                procedure.cost = Some(Err(why.clone()));
            }
            return Ok(report);
        }
    };
    for ((procedure, measured), reference) in
        report.procedures.iter_mut().zip(measured).zip(&references)
    {
        let cost = measured.and_then(|measured| measure(&game, sampling, &measured, reference));
        procedure.cost = Some(cost.map(|(cost, tree)| {
            procedure.tree = tree;
            cost
        }));
    }
    Ok(report)
}

/// A program to be measured.
struct Program {
    interpreter: Result<Interpreter, String>,
    /// One for each procedure that was asked for.
    measured: Vec<Result<Measured, String>>,
}

/// Names of the clauses before ordering are counted from here.
const FIRST_WRITTEN: u32 = 3 << 30;

fn unfold(
    game: &ReferenceGame,
    asked: &[Asked],
    options: &SpecializeOptions,
    watch: &mut dyn FnMut(u64, u64),
) -> Result<(SpecializeReport, Program), SpecializeFailure> {
    let theory = game.theory();
    let settings = settings(theory, options)?;
    let level = |asked: &Asked| theory.base.predicate(asked.request.predicate).level;
    let is_static = asked.iter().all(|asked| level(asked) == Level::Static);
    let sampling = Sampling { seed: options.seed, ..Sampling::default() };
    let samples = if is_static { Ok(vec![]) } else { sample_states(game, sampling, &[]) };
    let samples = samples.map_err(SpecializeFailure::Game)?;
    let n_samples = samples.len();
    let knowledge = Knowledge::new(theory, game.solver());
    let families = settings.families;
    let mut specializer = Specializer::new(&knowledge, settings, samples.clone());
    if let Some(text) = &options.metarules {
        let read = read_metarules(text, &knowledge.facts);
        let read = read.map_err(|error| SpecializeFailure::Metarules(error.to_string()))?;
        for metarule in read {
            specializer.add_metarule(metarule);
        }
    }
    specializer.set_watch(Box::new(|funnel: &Funnel| {
        watch(funnel.generated, funnel.evaluated + funnel.impossible);
    }));
    if families.has(Family::Invariant) && !is_static {
        specializer.find_invariants(&samples);
    }
    let requests: Vec<Request> = asked.iter().map(|asked| asked.request.clone()).collect();
    let specialized = specializer.specialize(&requests);
    let mut specialized = specialized.map_err(to_failure)?;
    let reporting = Reporting { knowledge: &knowledge, specializer: &specializer, asked };
    let report = SpecializeReport { n_samples, ..reporting.report(&specialized) };
    let measured = reporting.add_written(&mut specialized);
    // As they are written, clauses may call others with less known.
    specializer.add_called(&mut specialized).map_err(to_failure)?;
    let interpreter = Interpreter::new(&knowledge, &specialized);
    let interpreter = interpreter.map_err(|error| error.to_string());
    Ok((report, Program { interpreter, measured }))
}

fn to_failure(error: SpecializeError) -> SpecializeFailure {
    SpecializeFailure::NotReady(match error {
        SpecializeError::Order(why) => why.to_string(),
        error @ SpecializeError::Bodies(_) => error.to_string(),
    })
}

/// What a report is made from.
struct Reporting<'r, 'k> {
    knowledge: &'r Knowledge<'k>,
    specializer: &'r Specializer<'k>,
    asked: &'r [Asked],
}

impl Reporting<'_, '_> {
    fn report(&self, specialized: &Specialized) -> SpecializeReport {
        let (theory, facts) = (self.knowledge.theory, &self.knowledge.facts);
        let store = self.specializer.store();
        let relations = facts.predicates().filter_map(|id| facts.relation(id));
        let relations =
            relations.map(|one| (format!("{}/{}", one.name, one.columns.len()), one.rows.len()));
        let symbols = self.knowledge.symbols().borrow();
        let show = |value: Value| rulesmith_rules::value_text(&symbols, value);
        let estimates = self.specializer.estimates();
        let asked = estimates.asked();
        let procedures = specialized.procedures.iter().enumerate();
        SpecializeReport {
            game: theory.instance_name(),
            request: self.asked.first().map_or_else(String::new, |asked| asked.text.clone()),
            digest: metarules::short(&facts.digest().to_string()),
            facts: relations.collect(),
            procedures: procedures.map(|(at, one)| self.procedure(at, one, &symbols)).collect(),
            outside: specialized.outside.iter().map(|id| self.name(*id)).collect(),
            metarules: metarules::reports(store, facts, self.rewriting(specialized, &symbols)),
            cut: self
                .specializer
                .cuts()
                .iter()
                .map(|(cut, place)| (self.authors(*place, &symbols), cut.text()))
                .collect(),
            ordering: asked.iter().map(|one| estimates.describe(one, &show)).collect(),
            saved: write_metarules(store.metarules().map(|(_, metarule)| metarule), facts),
            is_stopped: self.knowledge.solver.stop().check().is_err(),
            ..SpecializeReport::default()
        }
    }

    fn name(&self, predicate: PredicateId) -> String {
        let described = self.knowledge.theory.base.predicate(predicate);
        format!("{}/{}", described.name, described.domains.len())
    }

    fn procedure(
        &self,
        at: usize,
        one: &SpecializedProcedure,
        symbols: &Symbols,
    ) -> ProcedureReport {
        let theory = self.knowledge.theory;
        let asked = self.asked.get(at);
        let written = theory.base.clauses_of(one.source).iter();
        let Funnel { generated, evaluated, impossible, monovalued } = one.funnel;
        let (shown, words) = (self.shown(at, one), Words { theory, symbols });
        let (store, facts) = (self.specializer.store(), &self.knowledge.facts);
        let dropped = one.dropped.iter().map(|(clause, by)| {
            (clause_text(theory, symbols, clause), metarules::by_text(*by, store, facts))
        });
        let clauses = one.clauses.iter().zip(shown.paths(words, &[]));
        ProcedureReport {
            title: asked.map_or_else(|| self.title(one), |asked| asked.request.text.clone()),
            is_asked_for: asked.is_some(),
            before: written.map(|clause| clause_text(theory, symbols, clause)).collect(),
            after: clauses
                .map(|(clause, path)| self.clause(clause, path.text(), symbols))
                .collect(),
            impossible: dropped.collect(),
            funnel: FunnelReport {
                generated,
                evaluated,
                impossible,
                monovalued,
                killed: one.n_killed as u64,
                duplicate: one.n_duplicates as u64,
                subsumed: one.n_subsumed as u64,
                kept: one.clauses.len() as u64,
            },
            reached: one.reached.iter().map(|(bound, n)| (bound_name(*bound), *n)).collect(),
            kept: one.kept.iter().map(|(id, why)| (self.name(*id), why_kept(why))).collect(),
            declared: self.declared(&one.declared, symbols),
            tree: shown.lines(words, &[]),
            cost: None,
        }
    }

    /// `jump(+, -, -)`: a predicate that is called, with what is known of its arguments.
    fn title(&self, one: &SpecializedProcedure) -> String {
        let name = &self.knowledge.theory.base.predicate(one.source).name;
        let args = one.procedure.known.iter().map(|known| if *known { "+" } else { "-" });
        let args: Vec<&str> = args.collect();
        if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(", ")) }
    }

    fn clause(&self, one: &SpecializedClause, text: String, symbols: &Symbols) -> ClauseReport {
        let theory = self.knowledge.theory;
        let (store, facts) = (self.specializer.store(), &self.knowledge.facts);
        let variables = &one.untrimmed.variables;
        let show = |condition: &_| condition_text(theory, symbols, condition, variables);
        let removed = one.removed.iter().map(|removed| RemovedReport {
            condition: show(&removed.removal.condition),
            by: metarules::by_text(removed.removal.by, store, facts),
            support: removed.removal.support.iter().map(show).collect(),
        });
        ClauseReport {
            text,
            steps: one.steps.iter().map(|step| self.step(step)).collect(),
            removed: removed.collect(),
            declared: one.declared.iter().map(|place| self.authors(*place, symbols)).collect(),
        }
    }

    /// An author's metarule as text.
    fn authors(&self, place: usize, symbols: &Symbols) -> String {
        let theory = self.knowledge.theory;
        authors_text(theory, symbols, &theory.metarules[place])
    }

    fn declared(&self, uses: &[DeclaredUse], symbols: &Symbols) -> Vec<(String, u64)> {
        uses.iter().map(|one| (self.authors(one.metarule, symbols), one.n_uses)).collect()
    }

    /// The author's metarules that rewrite or make clauses, where they were of use.
    fn rewriting(&self, specialized: &Specialized, symbols: &Symbols) -> Vec<MetaruleReport> {
        let mut uses: BTreeMap<usize, u64> = BTreeMap::new();
        for one in specialized.procedures.iter().flat_map(|one| &one.declared) {
            *uses.entry(one.metarule).or_default() += one.n_uses;
        }
        let authors = self.specializer.authors().iter().filter(|one| one.id.is_none());
        let used = authors.filter_map(|one| Some((one.place, *uses.get(&one.place)?)));
        used.map(|(place, n)| metarules::rewriting(self.authors(place, symbols), n)).collect()
    }

    fn step(&self, step: &Step) -> String {
        let name = |id: &PredicateId| &self.knowledge.theory.base.predicate(*id).name;
        match step {
            Step::Unfold { predicate, definition } => {
                format!("unfold {} by its definition {}", name(predicate), definition + 1)
            }
            Step::Regress { by, way } => format!("regress through {}, way {}", name(by), way + 1),
        }
    }

    fn shown(&self, at: usize, one: &SpecializedProcedure) -> ShownTree {
        ShownTree {
            tree: one.procedure.tree.clone(),
            clauses: one.clauses.iter().map(|clause| clause.clause.clone()).collect(),
            registers: one.registers.clone(),
            inputs: self.inputs(at, one),
        }
    }

    /// The names of the known arguments, each once.
    fn inputs(&self, at: usize, one: &SpecializedProcedure) -> Vec<String> {
        let known = one.procedure.known.iter().enumerate().filter(|(_, known)| **known);
        let names = known
            .map(|(place, _)| match self.asked.get(at).map(|asked| &asked.request.args[place]) {
                Some(RequestArg::Known(name)) => name.clone(),
                _ => head_name(one, place),
            })
            .collect();
        distinct(names)
    }

    /// Adds the clauses as they were unfolded to the program, to be measured.
    fn add_written(&self, specialized: &mut Specialized) -> Vec<Result<Measured, String>> {
        let mut measured = Vec::new();
        let mut written = Vec::new();
        for (at, one) in specialized.procedures.iter().enumerate().take(self.asked.len()) {
            let place = specialized.procedures.len() + written.len();
            measured.push(self.written(at, one).and_then(|(before, before_tree)| {
                let calls = self.asked[at].calls.clone()?;
                let before_name = before.procedure.predicate;
                written.push(before);
                Ok(Measured {
                    before: (before_name, place),
                    after: (one.procedure.predicate, at),
                    calls,
                    before_tree,
                    after_tree: self.shown(at, one),
                })
            }));
        }
        specialized.procedures.extend(written);
        measured
    }

    /// The procedure as it was unfolded, in written order.
    fn written(
        &self,
        at: usize,
        one: &SpecializedProcedure,
    ) -> Result<(SpecializedProcedure, ShownTree), String> {
        let clauses: Vec<Clause> = one.clauses.iter().map(|one| one.untrimmed.clone()).collect();
        let numbered: Vec<(usize, &Clause)> = clauses.iter().enumerate().collect();
        let known = &one.procedure.known;
        let tree = written_tree(self.specializer.estimates(), known, &numbered);
        let NamedTree { tree, registers } = tree.map_err(|error| error.to_string())?;
        let number = u32::try_from(at).map_err(|error| error.to_string())?;
        let predicate = PredicateId(FIRST_WRITTEN + number);
        let procedure = Procedure { predicate, known: known.clone(), tree: tree.clone() };
        let inputs = self.inputs(at, one);
        let shown = ShownTree { tree, clauses, registers: registers.clone(), inputs };
        let before = SpecializedProcedure {
            source: one.source,
            clauses: one.clauses.clone(),
            funnel: Funnel::default(),
            n_duplicates: 0,
            n_subsumed: 0,
            n_killed: 0,
            procedure,
            registers,
            declared: one.declared.clone(),
            dropped: Vec::new(),
            reached: one.reached.clone(),
            kept: one.kept.clone(),
        };
        Ok((before, shown))
    }
}

/// The tree of a procedure, with the names that its first clause gives the known arguments; nothing is
/// counted in it.
pub(crate) fn tree_lines(
    theory: &Theory,
    symbols: &Symbols,
    one: &SpecializedProcedure,
) -> Vec<TreeLine> {
    let known = one.procedure.known.iter().enumerate().filter(|(_, known)| **known);
    let shown = ShownTree {
        tree: one.procedure.tree.clone(),
        clauses: one.clauses.iter().map(|clause| clause.clause.clone()).collect(),
        registers: one.registers.clone(),
        inputs: distinct(known.map(|(place, _)| head_name(one, place)).collect()),
    };
    shown.lines(Words { theory, symbols }, &[])
}

/// The names, numbered where one comes again.
fn distinct(mut names: Vec<String>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    for name in &mut names {
        let numbered = (1..).map(|number| format!("{name}{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|one| !taken.contains(one));
        *name = free.unwrap_or_default();
        taken.insert(name.clone());
    }
    names
}

/// What the first clause calls an argument of its head.
fn head_name(one: &SpecializedProcedure, place: usize) -> String {
    let first = one.clauses.first().map(|clause| &clause.clause);
    let name = first.and_then(|clause| match clause.head.args.get(place)? {
        Term::Var(var) => variable_names(&clause.variables).get(usize::from(var.0)).cloned(),
        Term::Value(_) => None,
    });
    name.unwrap_or_else(|| "A".to_owned())
}

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Conditions => "conditions",
        Bound::Variables => "variables",
        Bound::Depth => "depth",
        Bound::Clauses => "clauses",
        Bound::Regression => "regression",
        Bound::Bodies => "bodies",
        Bound::Stopped => "stopped",
    }
}

fn why_kept(why: &KeptBecause) -> String {
    match why {
        KeptBecause::Asked => "as asked".to_owned(),
        KeptBecause::Recursive => "it asks itself, and no static fact ends that".to_owned(),
        KeptBecause::Definitions(n) => format!("it has {n} definitions"),
        KeptBecause::Alternatives(n) => {
            format!("its clauses have more than {n} alternatives, the bound `clauses`")
        }
        KeptBecause::NotDefined => "the state answers it".to_owned(),
        KeptBecause::Elsewhere => "it is asked in the state after a move".to_owned(),
        KeptBecause::Bound => "a bound was reached".to_owned(),
    }
}
