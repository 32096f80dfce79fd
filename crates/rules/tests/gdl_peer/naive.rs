//! A GDL interpreter that is slow and obviously right.

use std::collections::{BTreeMap, BTreeSet};

/// A KIF term; a sentence is one too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kif {
    Word(String),
    List(Vec<Kif>),
}

type Bindings = BTreeMap<String, Kif>;
type Facts = BTreeMap<String, BTreeSet<Kif>>;

/// A description: head and body of each rule.
#[derive(Debug)]
pub(crate) struct Naive {
    rules: Vec<(Kif, Vec<Kif>)>,
    /// The terms that stand inside facts or moves somewhere: what a variable that nothing binds can be.
    terms: BTreeSet<Kif>,
    strata: BTreeMap<String, usize>,
    pub(crate) roles: Vec<String>,
}

/// A set of facts, without `true`.
pub(crate) type State = BTreeSet<Kif>;

pub(crate) fn read(text: &str) -> Vec<Kif> {
    let mut stack = vec![Vec::new()];
    for line in text.lines() {
        let line = line.split(';').next().unwrap();
        for word in line.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            match word {
                "(" => stack.push(Vec::new()),
                ")" => {
                    let mut items = stack.pop().unwrap();
                    let item = if items.len() == 1 { items.remove(0) } else { Kif::List(items) };
                    stack.last_mut().unwrap().push(item);
                }
                _ => stack.last_mut().unwrap().push(Kif::Word(fold(word))),
            }
        }
    }
    stack.pop().unwrap()
}

/// Keywords may be written either way, names may not.
fn fold(word: &str) -> String {
    const KEYWORDS: [&str; 13] = [
        "role", "init", "true", "does", "next", "legal", "goal", "terminal", "distinct", "not",
        "or", "base", "input",
    ];
    let small = word.to_lowercase();
    if KEYWORDS.contains(&small.as_str()) { small } else { word.to_owned() }
}

impl Kif {
    pub(crate) fn name(&self) -> &str {
        match self {
            Kif::Word(word) => word,
            Kif::List(items) => items[0].name(),
        }
    }

    fn args(&self) -> &[Kif] {
        match self {
            Kif::Word(_) => &[],
            Kif::List(items) => &items[1..],
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Kif::Word(word) => word.clone(),
            Kif::List(items) => {
                format!("({})", items.iter().map(Kif::text).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn is_ground(&self, bindings: &Bindings) -> bool {
        match self {
            Kif::Word(word) => !word.starts_with('?') || bindings.contains_key(word),
            Kif::List(items) => items.iter().all(|item| item.is_ground(bindings)),
        }
    }

    /// Adds what stands inside fluents, moves and other relations, as far as there are no variables.
    fn collect(&self, terms: &mut BTreeSet<Kif>) {
        let holds_others =
            ["init", "true", "next", "legal", "does", "base", "input", "not", "or", "and"];
        for arg in self.args() {
            if arg.is_ground(&Bindings::new())
                && !(holds_others.contains(&self.name()) && matches!(arg, Kif::List(_)))
            {
                terms.insert(arg.clone());
            }
            arg.collect(terms);
        }
    }

    /// The first variable without a value.
    fn unbound(&self, bindings: &Bindings) -> Option<String> {
        match self {
            Kif::Word(word) => (!self.is_ground(bindings)).then(|| word.clone()),
            Kif::List(items) => items.iter().find_map(|item| item.unbound(bindings)),
        }
    }

    fn substitute(&self, bindings: &Bindings) -> Kif {
        match self {
            Kif::Word(word) => bindings.get(word).unwrap_or(self).clone(),
            Kif::List(items) => {
                Kif::List(items.iter().map(|item| item.substitute(bindings)).collect())
            }
        }
    }

    fn matches(&self, fact: &Kif, bindings: &mut Bindings) -> bool {
        match (self, fact) {
            (Kif::Word(word), _) if word.starts_with('?') => {
                bindings.entry(word.clone()).or_insert_with(|| fact.clone()) == fact
            }
            (Kif::Word(a), Kif::Word(b)) => a == b,
            (Kif::List(xs), Kif::List(ys)) => {
                xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.matches(y, bindings))
            }
            _ => false,
        }
    }
}

fn list(items: &[&Kif]) -> Kif {
    Kif::List(items.iter().map(|item| (*item).clone()).collect())
}

fn word(text: &str) -> Kif {
    Kif::Word(text.to_owned())
}

impl Naive {
    pub(crate) fn new(text: &str) -> Self {
        let mut rules = Vec::new();
        for statement in read(text) {
            if statement.name() == "<=" {
                let args = statement.args();
                rules.push((args[0].clone(), args[1..].to_vec()));
            } else {
                rules.push((statement, Vec::new()));
            }
        }
        let roles = rules.iter().filter(|(head, _)| head.name() == "role");
        let roles = roles.map(|(head, _)| head.args()[0].text()).collect();
        let mut terms = BTreeSet::new();
        for sentence in rules.iter().flat_map(|(head, body)| std::iter::once(head).chain(body)) {
            sentence.collect(&mut terms);
        }
        let mut naive = Self { rules, terms, strata: BTreeMap::new(), roles };
        naive.stratify();
        naive
    }

    fn stratify(&mut self) {
        self.strata = self.rules.iter().map(|(head, _)| (head.name().to_owned(), 0)).collect();
        loop {
            let mut changed = false;
            for (head, body) in &self.rules {
                let mut least = 0;
                for literal in body {
                    least = least.max(self.stratum(literal, 0));
                }
                let known = self.strata.get_mut(head.name()).unwrap();
                if *known < least {
                    *known = least;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn stratum(&self, literal: &Kif, extra: usize) -> usize {
        match literal.name() {
            "not" => self.stratum(&literal.args()[0], 1),
            "or" | "and" => {
                literal.args().iter().map(|item| self.stratum(item, extra)).max().unwrap_or(0)
            }
            "distinct" => 0,
            name => self.strata.get(name).map_or(0, |known| known + extra),
        }
    }

    /// Everything that follows from the facts given.
    fn model(&self, mut facts: Facts) -> Facts {
        let mut terms = self.terms.clone();
        facts.values().flatten().for_each(|fact| fact.collect(&mut terms));
        let top = self.strata.values().max().copied().unwrap_or(0);
        for level in 0..=top {
            let rules = self.rules.iter().filter(|(head, _)| self.strata[head.name()] == level);
            let rules: Vec<_> = rules.collect();
            loop {
                let mut new = Vec::new();
                for (head, body) in &rules {
                    let goals: Vec<&Kif> = body.iter().collect();
                    solve(&goals, (&facts, &terms), &Bindings::new(), &mut |bindings| {
                        ground(head, &terms, bindings, &mut |bindings| {
                            new.push(head.substitute(bindings));
                        });
                    });
                }
                let mut grown = false;
                for fact in new {
                    grown |= facts.entry(fact.name().to_owned()).or_default().insert(fact);
                }
                if !grown {
                    break;
                }
            }
        }
        facts
    }

    fn context(&self, state: &State, moves: &[(String, Kif)]) -> Facts {
        let mut facts = Facts::new();
        facts
            .insert("true".into(), state.iter().map(|fact| list(&[&word("true"), fact])).collect());
        let does = moves.iter().map(|(role, act)| list(&[&word("does"), &word(role), act]));
        facts.insert("does".into(), does.collect());
        self.model(facts)
    }

    pub(crate) fn initial(&self) -> State {
        one_argument(&self.model(Facts::new()), "init")
    }

    pub(crate) fn next(&self, state: &State, moves: &[(String, Kif)]) -> State {
        one_argument(&self.context(state, moves), "next")
    }

    /// Legal moves and goals by role, and whether the state is terminal.
    pub(crate) fn look(&self, state: &State) -> Look {
        let facts = self.context(state, &[]);
        let of = |relation: &str, role: &String| -> BTreeSet<Kif> {
            let facts = facts.get(relation).into_iter().flatten();
            let own = facts.filter(|fact| fact.args()[0].text() == *role);
            own.map(|fact| fact.args()[1].clone()).collect()
        };
        Look {
            legal: self.roles.iter().map(|role| of("legal", role)).collect(),
            goals: self.roles.iter().map(|role| of("goal", role)).collect(),
            is_terminal: facts.get("terminal").is_some_and(|facts| !facts.is_empty()),
        }
    }
}

/// What a state says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) legal: Vec<BTreeSet<Kif>>,
    pub(crate) goals: Vec<BTreeSet<Kif>>,
    pub(crate) is_terminal: bool,
}

fn one_argument(facts: &Facts, relation: &str) -> State {
    facts.get(relation).into_iter().flatten().map(|fact| fact.args()[0].clone()).collect()
}

/// Gives the variables of a term that have no value any value there is.
fn ground(term: &Kif, terms: &BTreeSet<Kif>, bindings: &Bindings, emit: &mut dyn FnMut(&Bindings)) {
    let Some(variable) = term.unbound(bindings) else { return emit(bindings) };
    for value in terms {
        let mut inside = bindings.clone();
        inside.insert(variable.clone(), value.clone());
        ground(term, terms, &inside, emit);
    }
}

fn solve(
    goals: &[&Kif],
    (facts, terms): (&Facts, &BTreeSet<Kif>),
    bindings: &Bindings,
    emit: &mut dyn FnMut(&Bindings),
) {
    let is_test = |goal: &Kif| matches!(goal.name(), "not" | "distinct");
    let ready = |goal: &&&Kif| !is_test(goal) || goal.is_ground(bindings);
    let Some(place) = goals.iter().position(|goal| ready(&goal)) else {
        let Some(goal) = goals.first() else { return emit(bindings) };
        return ground(goal, terms, bindings, &mut |bindings| {
            solve(goals, (facts, terms), bindings, emit);
        });
    };
    let goal = goals[place];
    let rest: Vec<&Kif> =
        goals.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, g)| *g).collect();
    match goal.name() {
        "distinct" | "not" => {
            if holds(goal, facts, bindings) {
                solve(&rest, (facts, terms), bindings, emit);
            }
        }
        "or" => {
            for branch in goal.args() {
                let goals: Vec<&Kif> =
                    std::iter::once(branch).chain(rest.iter().copied()).collect();
                solve(&goals, (facts, terms), bindings, emit);
            }
        }
        "and" => {
            let goals: Vec<&Kif> = goal.args().iter().chain(rest.iter().copied()).collect();
            solve(&goals, (facts, terms), bindings, emit);
        }
        _ if goal.is_ground(bindings) => {
            if holds(goal, facts, bindings) {
                solve(&rest, (facts, terms), bindings, emit);
            }
        }
        name => {
            for fact in facts.get(name).into_iter().flatten() {
                let mut inside = bindings.clone();
                if goal.matches(fact, &mut inside) {
                    solve(&rest, (facts, terms), &inside, emit);
                }
            }
        }
    }
}

fn holds(goal: &Kif, facts: &Facts, bindings: &Bindings) -> bool {
    match goal.name() {
        "not" => !holds(&goal.args()[0], facts, bindings),
        "or" => goal.args().iter().any(|item| holds(item, facts, bindings)),
        "and" => goal.args().iter().all(|item| holds(item, facts, bindings)),
        "distinct" => goal.args()[0].substitute(bindings) != goal.args()[1].substitute(bindings),
        name => facts.get(name).is_some_and(|facts| facts.contains(&goal.substitute(bindings))),
    }
}
