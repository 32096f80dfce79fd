//! Conditions before and after: what a state's questions cost as the rules are written, and what they
//! cost the specialised program.
//!
//! In: a game. Out: mean successes of conditions over states of whole random contests. Paper: metameta
//! §3.2, §4. Invariant: the states, the questions and what counts are the same before and after.

use rulesmith_compile::{
    ConditionCost, ReferenceGame, Sampling, State, counted_nodes, visit_states,
};
use rulesmith_game::Error;
use rulesmith_logic::{AsWritten, Proofs, Statics, Variable};
use rulesmith_rules::condition_text;
use rulesmith_specialize::Specialized;

use crate::engine::{Unwatched, interpreter};

/// Which states are looked at, and how far the rules are read.
#[derive(Clone, Copy, Debug)]
pub struct ConditionsConfig {
    /// Seed of the contests.
    pub seed: u64,
    /// How many contests are played to their end.
    pub contests: usize,
    /// Turns of a contest at most.
    pub steps: usize,
    /// How many of their states are looked at, evenly spread.
    pub states: usize,
    /// More successes than this for one question are not counted.
    pub success_limit: u64,
}

impl Default for ConditionsConfig {
    fn default() -> Self {
        Self { seed: 7, contests: 2, steps: 400, states: 24, success_limit: 20_000_000 }
    }
}

/// Mean successes for one state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// For `terminal`.
    pub terminal: f64,
    /// For `legal`.
    pub legal: f64,
    /// For `goal`.
    pub goal: f64,
}

impl Means {
    /// For all questions.
    pub fn total(&self) -> f64 {
        self.terminal + self.legal + self.goal
    }

    #[expect(clippy::cast_precision_loss, reason = "means are shown to people, rounded")]
    fn of(costs: &[ConditionCost]) -> Self {
        let n_costs = costs.len().max(1) as f64;
        let mean =
            |part: fn(&ConditionCost) -> u64| costs.iter().map(part).sum::<u64>() as f64 / n_costs;
        Self {
            terminal: mean(|cost| cost.terminal),
            legal: mean(|cost| cost.legal),
            goal: mean(|cost| cost.goal),
        }
    }
}

/// One game before and after.
#[derive(Clone, Copy, Debug)]
pub struct BeforeAfter {
    /// How many states were compared.
    pub n_states: usize,
    /// How many were left out because the rules cost more than the limit there.
    pub n_too_dear: usize,
    /// As written, static predicates from their clauses; nothing if that is too dear everywhere.
    pub clauses: Option<Means>,
    /// As written, static predicates as facts.
    pub facts: Means,
    /// The program, all questions of a state asked about one working memory.
    pub program: Means,
    /// The program, each question about a memory of its own.
    pub apart: Means,
}

/// States of whole random contests, evenly spread.
pub fn sampled_states(
    game: &ReferenceGame,
    config: &ConditionsConfig,
) -> Result<Vec<State>, Error> {
    let (seed, contests, steps) = (config.seed, config.contests, config.steps);
    let sampling =
        Sampling { seed, contests, steps, stride: 1, moves: usize::MAX, inferences: u64::MAX };
    let mut all = Vec::new();
    visit_states(game, sampling, &mut |state| {
        all.push(state.clone());
        Ok(())
    })?;
    let wanted = config.states.min(all.len());
    Ok((0..wanted).map(|place| all[place * all.len() / wanted].clone()).collect())
}

/// Makes a game answer by its specialised program.
pub fn specialize_game(game: ReferenceGame) -> Result<(ReferenceGame, Specialized), String> {
    let (interpreter, specialized) = interpreter(&game, &mut Unwatched)?;
    Ok((game.with_interpreter(interpreter), specialized))
}

/// Compares a game before and after it is specialised.
pub fn compare_conditions(
    game: ReferenceGame,
    config: &ConditionsConfig,
) -> Result<(BeforeAfter, ReferenceGame, Specialized), String> {
    let explain = |error: Error| error.to_string();
    let states = sampled_states(&game, config).map_err(explain)?;
    let reading =
        |statics| AsWritten { statics, proofs: Proofs::First, success_limit: config.success_limit };
    let mut compared = Vec::new();
    let (mut clauses, mut facts) = (Vec::new(), Vec::new());
    for state in &states {
        if let Some(cost) = game.cost_as_written(state, reading(Statics::Facts)).map_err(explain)? {
            facts.push(cost);
            compared.push(state);
            clauses
                .extend(game.cost_as_written(state, reading(Statics::Clauses)).map_err(explain)?);
        }
    }
    let (game, specialized) = specialize_game(game)?;
    if let Some(interpreter) = game.interpreter() {
        interpreter.count_host();
    }
    let (mut program, mut apart) = (Vec::new(), Vec::new());
    for state in &compared {
        apart.extend(game.cost_of_program_apart(state).map_err(explain)?);
    }
    if let Some(interpreter) = game.interpreter() {
        interpreter.reset_counts();
    }
    for state in &compared {
        program.extend(game.cost_of_program(state).map_err(explain)?);
    }
    let result = BeforeAfter {
        n_states: compared.len(),
        n_too_dear: states.len() - compared.len(),
        clauses: (clauses.len() == facts.len()).then(|| Means::of(&clauses)),
        facts: Means::of(&facts),
        program: Means::of(&program),
        apart: Means::of(&apart),
    };
    Ok((result, game, specialized))
}

/// The trees of a program, with how often each node was tried and held so far.
pub fn profile(game: &ReferenceGame, specialized: &Specialized) -> String {
    let Some(interpreter) = game.interpreter() else { return String::new() };
    let (theory, symbols) = (game.theory(), game.solver().symbols().borrow());
    let mut text = format!(
        "{:>10} {:>10} objects and questions to the solver\n",
        "",
        interpreter.host_successes()
    );
    for (one, counts) in specialized.procedures.iter().zip(interpreter.counts()) {
        let name = &theory.base.predicate(one.source).name;
        let known = &one.procedure.known;
        text += "\n";
        text += name;
        text += &known_text(known);
        let register = |place: usize| Variable { name: format!("V{place}"), domain: None };
        let registers: Vec<Variable> = (0..one.procedure.tree.n_registers).map(register).collect();
        for (node, count) in counted_nodes(&one.procedure.tree).iter().zip(counts) {
            let shown = match &node.condition {
                None => "=>".to_owned(),
                Some(condition) => condition_text(theory, &symbols, condition, &registers),
            };
            let mark = if node.is_inside { "| " } else { "" };
            let space = "  ".repeat(node.depth);
            let line = format!("{:>10} {:>10} {space}{mark}{shown}\n", count.tried, count.held);
            text.push_str(&line);
        }
    }
    text
}

/// Which arguments are known, as `(+, -)`.
fn known_text(known: &[bool]) -> String {
    let signs: Vec<&str> = known.iter().map(|known| if *known { "+" } else { "-" }).collect();
    format!("({})\n", signs.join(", "))
}
