//! The theory of a GDL description, played with the reference solver and nothing else.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rulesmith_logic::{
    Error, Level, Limits, PredicateId, Row, Solver, Stop, Symbols, Tables, Value, World,
};
use rulesmith_rules::gdl::{GdlLimits, GdlMap, parse_gdl, value_kif};
use rulesmith_rules::{Diagnostics, FluentId, MoveId, PredicateKind, Sources, Theory, UNDEFINED};

use super::naive::{Kif, Look, read};

/// A theory and its solver.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) theory: Theory,
    pub(crate) map: GdlMap,
    solver: Solver,
    static_tables: Rc<RefCell<Tables>>,
}

/// For each fluent the values of its keys.
pub(crate) type State = Vec<BTreeMap<Vec<Value>, Value>>;

#[derive(Debug)]
struct Here {
    kinds: Vec<PredicateKind>,
    is_functional: Vec<bool>,
    state: State,
    acts: Vec<(Value, MoveId, Vec<Value>)>,
    static_tables: Rc<RefCell<Tables>>,
    tables: RefCell<Tables>,
}

impl World for Here {
    fn facts(
        &self,
        _: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let rows: Vec<Vec<Value>> = match &self.kinds[predicate.0 as usize] {
            PredicateKind::Fluent(id) => {
                let entries = self.state[id.0].iter();
                let row = |(keys, value): (&Vec<Value>, &Value)| {
                    let mut row = keys.clone();
                    row.extend(self.is_functional[id.0].then_some(*value));
                    row
                };
                entries.map(row).collect()
            }
            PredicateKind::Does(id) => {
                let own = self.acts.iter().filter(|(_, kind, _)| kind == id);
                own.map(|(role, _, args)| [&[*role], args.as_slice()].concat()).collect()
            }
            other => panic!("no world predicate: {other:?}"),
        };
        let agrees =
            |row: &Vec<Value>| row.iter().zip(pattern).all(|(v, p)| p.is_none_or(|p| p == *v));
        Ok(Rc::new(rows.into_iter().filter(agrees).map(Into::into).collect()))
    }

    fn passages(
        &self,
        _: &Solver,
        _: PredicateId,
        _: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        Ok(Vec::new())
    }

    fn tables(&self, level: Level) -> &RefCell<Tables> {
        if level == Level::Static { &self.static_tables } else { &self.tables }
    }
}

pub(crate) fn parse(name: &str, text: &str) -> (Option<(Theory, GdlMap)>, Diagnostics, Sources) {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let file = sources.add(name, text);
    let parsed = parse_gdl(name, sources.clone(), file, &GdlLimits::default(), &mut diagnostics);
    (parsed, diagnostics, sources)
}

impl Played {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let (parsed, diagnostics, _) = parse(name, text);
        let (theory, map) = parsed.unwrap_or_else(|| panic!("{name}: {diagnostics:#?}"));
        let solver = Solver::new(
            theory.base.clone(),
            theory.symbols.clone(),
            Limits::default(),
            Stop::default(),
        );
        Self { theory, map, solver, static_tables: Rc::default() }
    }

    fn here(&self, state: &State, acts: Vec<(Value, MoveId, Vec<Value>)>) -> Here {
        Here {
            kinds: self.theory.kinds.clone(),
            is_functional: self.theory.fluents.iter().map(|fluent| fluent.is_functional).collect(),
            state: state.clone(),
            acts,
            static_tables: Rc::clone(&self.static_tables),
            tables: RefCell::default(),
        }
    }

    fn ask(&self, here: &Here, predicate: PredicateId, pattern: &[Option<Value>]) -> Vec<Row> {
        self.solver.query(here, predicate, pattern).unwrap().to_vec()
    }

    fn word(&self, text: &str) -> Value {
        Value::Symbol(self.solver.symbols().borrow_mut().symbol(text))
    }

    pub(crate) fn initial(&self) -> State {
        let mut state: State = vec![BTreeMap::new(); self.theory.fluents.len()];
        let here = self.here(&state, Vec::new());
        for (id, fluent) in self.theory.fluents.iter().enumerate() {
            let n_args = fluent.n_keys + usize::from(fluent.is_functional);
            for row in self.ask(&here, fluent.init, &vec![None; n_args]) {
                let (keys, value) = row.split_at(fluent.n_keys);
                let value = value.first().copied().unwrap_or(self.word("true"));
                let before = state[id].insert(keys.to_vec(), value);
                assert!(before.is_none_or(|before| before == value), "init conflicts");
            }
        }
        state
    }

    pub(crate) fn next(&self, state: &State, moves: &[(String, Kif)]) -> State {
        let acts = moves.iter().map(|(role, act)| self.act(role, act)).collect();
        let here = self.here(state, acts);
        let mut after = state.clone();
        for (id, fluent) in self.theory.fluents.iter().enumerate() {
            if fluent.is_transient {
                after[id].clear();
            }
            let mut assigned: BTreeMap<Vec<Value>, Value> = BTreeMap::new();
            for row in self.ask(&here, fluent.assign, &vec![None; fluent.n_keys + 1]) {
                let (keys, value) = row.split_at(fluent.n_keys);
                let first = *assigned.entry(keys.to_vec()).or_insert(value[0]);
                assert_eq!(first, value[0], "two values for {}", fluent.name);
            }
            for (keys, value) in assigned {
                if [self.word("false"), self.word(UNDEFINED)].contains(&value) {
                    after[id].remove(&keys);
                } else {
                    after[id].insert(keys, value);
                }
            }
        }
        after
    }

    fn act(&self, role: &str, act: &Kif) -> (Value, MoveId, Vec<Value>) {
        let args: Vec<Value> = match act {
            Kif::Word(_) => Vec::new(),
            Kif::List(items) => items[1..].iter().map(|item| self.value(item)).collect(),
        };
        let functor = self.solver.symbols().borrow_mut().symbol(act.name());
        let functor = Some(functor);
        let same = |kind: &rulesmith_rules::gdl::Kind| {
            kind.functor == functor && kind.order.len() == args.len()
        };
        if let Some(kind) = self.map.moves.iter().position(same) {
            return (self.word(role), MoveId(kind), args);
        }
        let constants = |kind: &rulesmith_rules::gdl::Kind| kind.functor.is_none();
        let kind = self.map.moves.iter().position(constants).expect("a kind of move");
        (self.word(role), MoveId(kind), vec![self.value(act)])
    }

    fn value(&self, term: &Kif) -> Value {
        match term {
            Kif::Word(word) => self.word(word),
            Kif::List(items) => {
                let args: Vec<Value> = items[1..].iter().map(|item| self.value(item)).collect();
                let mut symbols = self.solver.symbols().borrow_mut();
                let functor = symbols.symbol(items[0].name());
                symbols.compound(functor, &args)
            }
        }
    }

    /// The facts of a state, as the author would write them.
    pub(crate) fn facts(&self, state: &State) -> BTreeSet<Kif> {
        let symbols: &Symbols = &self.solver.symbols().borrow();
        let mut facts = BTreeSet::new();
        for (id, entries) in state.iter().enumerate() {
            for (keys, value) in entries {
                let mut args = keys.clone();
                args.extend(self.theory.fluents[id].is_functional.then_some(*value));
                facts.extend(read(&self.map.fluent_kif(symbols, FluentId(id), &args)));
            }
        }
        facts
    }

    pub(crate) fn look(&self, state: &State) -> Look {
        let here = self.here(state, Vec::new());
        let roles: Vec<Value> = self.theory.roles.iter().copied().map(Value::Symbol).collect();
        let legal = |role: &Value| {
            let mut moves = BTreeSet::new();
            for (id, kind) in self.theory.moves.iter().enumerate() {
                let mut pattern = vec![None; kind.n_params + 1];
                pattern[0] = Some(*role);
                for row in self.ask(&here, kind.legal, &pattern) {
                    let symbols = self.solver.symbols().borrow();
                    moves.extend(read(&self.map.move_kif(&symbols, MoveId(id), &row[1..])));
                }
            }
            moves
        };
        let goals = |role: &Value| {
            let rows = self.ask(&here, self.theory.goal, &[Some(*role), None]);
            let symbols = self.solver.symbols().borrow();
            rows.iter().flat_map(|row| read(&value_kif(&symbols, row[1]))).collect()
        };
        Look {
            legal: roles.iter().map(legal).collect(),
            goals: roles.iter().map(goals).collect(),
            is_terminal: !self.ask(&here, self.theory.terminal, &[]).is_empty(),
        }
    }
}
