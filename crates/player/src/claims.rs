//! Claims: the author's metarules, proved, refuted, or put to the test in play.
//!
//! In: a game and its metarules. Out: what is known about each, and an error for each that is false of
//! the facts or in a state that random contests reach or the rules look ahead to. Invariant: what no
//! sample refutes stays declared; the work is bounded, and the same rules give the same answer.

use std::collections::BTreeSet;

use rulesmith_compile::{ReferenceGame, Sampling, State, visit_states};
use rulesmith_game::{Error, Notation};
use rulesmith_logic::{Atom, Clause, Limits, Span, Stop, Term, Value, Var, substitute_term};
use rulesmith_rules::{Diagnostic, Theory, atom_text, metarule_text, value_text};
use rulesmith_specialize::{
    AuthorsMetarule, CounterExample, DependencyTest, Knowledge, MetaprogramCut, RewrittenRules,
    Standing, authors_metarules, dependency_tests, rewritten_rules,
};

use crate::build::BuildResult;
use crate::claim_questions::{Ahead, one_fewer, one_more, worlds_ahead};
use crate::limits::BuildLimits;

/// What is known about a metarule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimReport {
    /// Where it stands.
    pub span: Span,
    /// The metarule on one line.
    pub text: String,
    /// Is it true for a reason, or because its author says so?
    pub is_proved: bool,
    /// What is known about it, in a few words.
    pub status: String,
}

/// The states that metarules are tested on.
const SAMPLING: Sampling =
    Sampling { seed: 7, contests: 4, steps: 80, stride: 1, moves: 20_000, inferences: u64::MAX };
/// Conditions tried in all, and for one question.
const TEST_INFERENCES: u64 = 40_000_000;
const QUESTION_INFERENCES: u64 = 4_000_000;

/// What is known about each metarule of rules without errors; what is false is added to their problems.
pub fn try_metarules(
    result: &mut BuildResult,
    limits: &BuildLimits,
    stop: &Stop,
) -> Vec<ClaimReport> {
    let Some(theory) = &result.theory else { return vec![] };
    if theory.metarules.is_empty() {
        return vec![];
    }
    let few = QUESTION_INFERENCES.min(limits.solver.inferences);
    let solver = Limits { inferences: few, ..limits.solver };
    let game = ReferenceGame::new(theory.clone(), None, solver, stop.clone());
    let (reports, problems) = judge(&game.with_turn_limits(limits.turns));
    for problem in problems {
        result.diagnostics.report(problem);
    }
    reports
}

fn judge(game: &ReferenceGame) -> (Vec<ClaimReport>, Vec<Diagnostic>) {
    let theory = game.theory();
    let knowledge = Knowledge::new(theory, game.solver());
    let authors = authors_metarules(&knowledge);
    let mut problems = Vec::new();
    for one in &authors {
        if let Standing::Refuted(example) = &one.standing {
            let message = format!("the facts refute this metarule: {}", example.text(&knowledge));
            let problem = Diagnostic::error("false-metarule", span(theory, one.place), message);
            problems.push(problem.help(named(game, example)));
        }
    }
    let mut samples = Samples::new(game, &knowledge, &authors);
    samples.visit_all();
    problems.append(&mut samples.problems);
    for (cut, place) in std::mem::take(&mut samples.cuts) {
        let message = format!("this metarule is {}", cut.text());
        let problem = Diagnostic::warning("metarule-limit", span(theory, place), message);
        problems.push(problem.help("let it look at fewer rules at a time"));
    }
    let report = |one: &AuthorsMetarule| ClaimReport {
        span: span(theory, one.place),
        text: metarule_text(theory, &theory.symbols, &theory.metarules[one.place]),
        is_proved: !one.is_declared() && !matches!(one.standing, Standing::Refuted(_)),
        status: samples.status(one),
    };
    (authors.iter().map(report).collect(), problems)
}

fn span(theory: &Theory, place: usize) -> Span {
    theory.metarules[place].span
}

/// The values of a counter-example, by the author's names.
fn named(game: &ReferenceGame, example: &CounterExample) -> String {
    let symbols = game.solver().symbols().borrow();
    let text =
        |(name, value): &(String, Value)| format!("{name} = {}", value_text(&symbols, *value));
    example.bindings.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Declared metarules being tested.
struct Samples<'g> {
    game: &'g ReferenceGame,
    knowledge: &'g Knowledge<'g>,
    tests: Vec<DependencyTest>,
    /// In how many states the body of each held.
    n_matched: Vec<usize>,
    changes: Vec<Change>,
    /// Metarules that reached a limit.
    cuts: BTreeSet<(MetaprogramCut, usize)>,
    n_states: usize,
    /// Metarules that are false, by place.
    refuted: BTreeSet<usize>,
    problems: Vec<Diagnostic>,
    worlds_ahead: Vec<Ahead>,
}

/// What metarules make of the rules of a predicate, as questions.
struct Change {
    rules: RewrittenRules,
    /// One of them holds where there is an answer too many.
    more: Vec<Clause>,
    /// It holds where there is one too few.
    fewer: Option<Clause>,
}

impl<'g> Samples<'g> {
    fn new(
        game: &'g ReferenceGame,
        knowledge: &'g Knowledge<'g>,
        authors: &[AuthorsMetarule],
    ) -> Self {
        let theory = game.theory();
        let tests = dependency_tests(theory, authors);
        let (rewritten, cuts) = rewritten_rules(theory, authors);
        let changes = rewritten.into_iter().map(|rules| {
            let more = rules.clauses.iter().map(|clause| one_more(theory, clause)).collect();
            let fewer = one_fewer(theory, &rules);
            Change { rules, more, fewer }
        });
        Self {
            game,
            knowledge,
            n_matched: vec![0; tests.len()],
            tests,
            changes: changes.collect(),
            cuts,
            n_states: 0,
            refuted: BTreeSet::new(),
            problems: vec![],
            worlds_ahead: worlds_ahead(theory),
        }
    }

    fn visit_all(&mut self) {
        if self.tests.is_empty() && self.changes.is_empty() {
            return;
        }
        let game = self.game;
        // A fault of the rules is for the trial to report.
        let _ = visit_states(game, SAMPLING, &mut |state| {
            if game.solver().total_inferences() > TEST_INFERENCES {
                return Err(Error::Interrupted);
            }
            self.n_states += 1;
            self.test_dependencies(state);
            self.test_changes(state);
            Ok(())
        });
    }

    fn test_dependencies(&mut self, state: &State) {
        for (number, test) in self.tests.clone().iter().enumerate() {
            let holds =
                |clause: &Clause| matches!(self.game.first_match(state, clause), Ok(Some(_)));
            self.n_matched[number] += usize::from(test.matches.iter().any(holds));
            if self.refuted.contains(&test.place) {
                continue;
            }
            self.find_violation(state, test, None);
            for ahead in self.worlds_ahead.clone() {
                self.find_violation(state, test, Some(&ahead));
            }
        }
    }

    /// Reports values that make the metarule false here, or where the rules look from here.
    fn find_violation(&mut self, state: &State, test: &DependencyTest, ahead: Option<&Ahead>) {
        for clause in &test.violations {
            let asked = ahead.map_or_else(|| Some(clause.clone()), |ahead| ahead.ask(clause));
            // What cannot be asked is not tested.
            let answer = asked.map(|asked| self.game.first_match(state, &asked));
            let Some(Ok(Some(values))) = answer else { continue };
            if !self.refuted.insert(test.place) {
                return;
            }
            let theory = self.game.theory();
            let example = test.counter_example(theory, &values);
            let message = "this metarule is not true in play";
            let facts = example.text(self.knowledge);
            let place = match ahead {
                Some(ahead) => format!("after {} in", self.atom_text(&ahead.step(clause, &values))),
                None => "in".to_owned(),
            };
            let help = format!("{place} the state `{}`: {facts}", self.game.state_text(state));
            let problem = Diagnostic::error("false-metarule", span(theory, test.place), message);
            self.problems.push(problem.label(named(self.game, &example)).help(help));
            return;
        }
    }

    fn atom_text(&self, atom: &Atom) -> String {
        atom_text(self.game.theory(), &self.game.solver().symbols().borrow(), atom, &[])
    }

    /// Reports answers that the rules give and their rewritten form does not, or the other way round.
    fn test_changes(&mut self, state: &State) {
        for change in &self.changes {
            let is_known = change.rules.metarules.iter().all(|place| self.refuted.contains(place));
            if is_known {
                continue;
            }
            let game = self.game;
            let ask = |clause: &Clause| game.first_match(state, clause).ok().flatten();
            let more = change.more.iter().find_map(|clause| Some((clause, ask(clause)?)));
            let fewer = change.fewer.iter().find_map(|clause| Some((clause, ask(clause)?)));
            let found = more.map(|one| ("more", one)).or_else(|| fewer.map(|one| ("less", one)));
            let Some((how, (clause, values))) = found else { continue };
            let map = |var: Var| {
                let value = values.get(usize::from(var.0)).copied().flatten();
                value.map_or(Term::Var(var), Term::Value)
            };
            let args = clause.head.args.iter().map(|term| substitute_term(*term, &map)).collect();
            let answer = self.atom_text(&Atom { predicate: change.rules.predicate, args });
            let message = format!("the rules say {how} when this metarule has rewritten them");
            let help = format!("`{answer}` in the state `{}`", game.state_text(state));
            let places = &change.rules.metarules;
            let mut problem =
                Diagnostic::error("false-metarule", span(game.theory(), places[0]), message);
            for place in &places[1..] {
                problem = problem.related(span(game.theory(), *place), "or this one");
            }
            self.problems.push(problem.help(help));
            self.refuted.extend(places);
        }
    }

    fn status(&self, one: &AuthorsMetarule) -> String {
        if self.refuted.contains(&one.place) {
            return "false in play".to_owned();
        }
        let tested = self.tests.iter().position(|test| test.place == one.place);
        match (tested, one.is_declared()) {
            (Some(number), _) => {
                let (n_matched, n_states) = (self.n_matched[number], self.n_states);
                let found = match n_matched {
                    0 => format!("{n_states} sampled states do not refute it"),
                    _ => format!(
                        "true in the {n_matched} of {n_states} sampled states it applies to"
                    ),
                };
                format!("{}, {found}", one.status())
            }
            (None, true) => format!("{}, {} states sampled", one.status(), self.n_states),
            (None, false) => one.status().to_owned(),
        }
    }
}
