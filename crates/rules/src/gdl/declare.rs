//! Declarations: one predicate for each relation, with its name, domains and level.
//!
//! In: the kinds of fluents and moves, and all rules. Out: predicates, fluents and kinds of moves.
//! Invariant: every relation that a rule mentions has a predicate; no two share a name.

use rulesmith_logic::{
    ClauseBase, Domain, DomainId, Level, Predicate, PredicateId, Source, Span, Symbol, Symbols,
    Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arrangement::order_of;
use super::exclusion::Values;
use super::keyword::UNSPELLABLE;
use super::map::{GdlMap, Kind};
use super::names::Names;
use super::reading::Reading;
use super::rule::{Functor, Relation, Rule};
use super::shapes::Owner;
use super::sorts::Sorts;
use super::specialize::Specialized;
use crate::theory::{Fluent, FluentDefault, FluentId, MoveId, MoveKind, PredicateKind};

/// What was declared so far.
pub(super) struct Declarations<'a> {
    pub(super) symbols: Symbols,
    pub(super) base: ClauseBase,
    pub(super) kinds: Vec<PredicateKind>,
    pub(super) sorts: Sorts<'a>,
    pub(super) predicates: FxHashMap<Relation, PredicateId>,
    pub(super) map: GdlMap,
    values: &'a Values,
    names: Names,
    levels: FxHashMap<Relation, Level>,
    read: FxHashSet<Relation>,
    /// Where each relation is first concluded.
    places: FxHashMap<Relation, Span>,
}

impl<'a> Declarations<'a> {
    pub(super) fn new(
        symbols: Symbols,
        base: ClauseBase,
        sorts: Sorts<'a>,
        values: &'a Values,
        rules: &[Rule],
    ) -> Self {
        let reading = Reading::new(rules);
        let mut places = FxHashMap::default();
        for rule in rules {
            places.entry(rule.head.relation).or_insert(rule.span);
        }
        Self {
            symbols,
            base,
            kinds: Vec::new(),
            sorts,
            predicates: FxHashMap::default(),
            map: GdlMap::default(),
            values,
            names: Names::new(),
            levels: reading.levels(),
            read: reading.all_read(),
            places,
        }
    }

    /// `terminal`, `goal`, `draw` and `continue`.
    pub(super) fn declare_special(&mut self) -> [PredicateId; 4] {
        let special = [
            ("terminal", 0, PredicateKind::Terminal, Some(Relation::Terminal)),
            ("goal", 2, PredicateKind::Goal, Some(Relation::Goal)),
            ("draw", 0, PredicateKind::Draw, None),
            ("continue", 0, PredicateKind::Continue, None),
        ];
        special.map(|(name, arity, kind, relation)| {
            let id = self.add_clauses_of(name.to_owned(), vec![None; arity], relation, kind);
            self.predicates.extend(relation.map(|relation| (relation, id)));
            id
        })
    }

    /// One kind of move for each functor.
    pub(super) fn declare_moves(&mut self, specialized: &Specialized) -> Vec<MoveKind> {
        let mut names = Names::without_reserved();
        let mut moves = Vec::new();
        for (number, &functor) in specialized.moves.iter().enumerate() {
            let name = names.unique(self.author_name(functor));
            moves.push(self.declare_move(MoveId(number), functor, name));
        }
        moves
    }

    fn declare_move(&mut self, id: MoveId, functor: Functor, name: String) -> MoveKind {
        let (legal, does) = (Relation::LegalOf(functor), Relation::DoesOf(functor));
        let mut domains = self.domains(legal, functor.arity + 1, &name);
        // Who is no role makes no moves; only a rule that reads `legal` could see the difference.
        if !self.read.contains(&legal) {
            domains[0] = Some(self.sorts.role);
        }
        let legal_name = format!("legal {name}");
        let legal_id =
            self.add_clauses_of(legal_name, domains, Some(legal), PredicateKind::Legal(id));
        let mut domains = self.domains(does, functor.arity + 1, &name);
        domains[0] = Some(self.sorts.role);
        let predicate = Predicate {
            name: format!("does {name}"),
            domains,
            source: Source::World,
            level: Level::Step,
        };
        let does_id = self.add(predicate, PredicateKind::Does(id));
        self.predicates.extend([(legal, legal_id), (does, does_id)]);
        let order = (0..functor.arity).collect();
        self.map.moves.push(Kind { functor: self.spelled(functor), order });
        MoveKind {
            name,
            n_params: functor.arity,
            legal: legal_id,
            does: does_id,
            span: self.place(legal),
        }
    }

    /// One fluent for each functor.
    pub(super) fn declare_fluents(
        &mut self,
        specialized: &Specialized,
        is_transient: &[bool],
    ) -> Vec<Fluent> {
        let [no, yes] = ["false", "true"].map(|word| Value::Symbol(self.symbols.symbol(word)));
        let values_of_bool = [no, yes].into_iter().collect();
        let bools =
            self.base.add_domain(Domain { name: "bool".to_owned(), values: values_of_bool });
        let mut fluents = Vec::new();
        for (number, &functor) in specialized.fluents.iter().enumerate() {
            let is_functional = self.values.contains_key(&functor);
            let default =
                if is_functional { FluentDefault::Undefined } else { FluentDefault::Value(no) };
            let fluent = self.declare_fluent(FluentId(number), functor, default, bools);
            fluents.push(Fluent { is_transient: is_transient[number], ..fluent });
            let order = order_of(functor, self.values);
            self.map.fluents.push(Kind { functor: self.spelled(functor), order });
        }
        fluents
    }

    fn declare_fluent(
        &mut self,
        id: FluentId,
        functor: Functor,
        default: FluentDefault,
        bools: DomainId,
    ) -> Fluent {
        let is_functional = default == FluentDefault::Undefined;
        let n_keys = functor.arity - usize::from(is_functional);
        let wanted = self.author_name(functor).to_owned();
        let name = self.names.unique(&wanted);
        let (holds, init, assign) =
            (Relation::HoldsOf(functor), Relation::InitOf(functor), Relation::Assign(functor));
        let held = self.domains(holds, functor.arity, &name);
        let mut assigned = held[..n_keys].to_vec();
        assigned.push(match held.last() {
            Some(value) if is_functional => {
                value.map(|domain| self.sorts.partial(domain, &mut self.symbols, &mut self.base))
            }
            _ => Some(bools),
        });
        let world = Predicate {
            name: name.clone(),
            domains: held.clone(),
            source: Source::World,
            level: Level::State,
        };
        let predicate = self.add(world, PredicateKind::Fluent(id));
        let init_id =
            self.add_clauses_of(format!("init {name}"), held, Some(init), PredicateKind::Init(id));
        let assign_name = format!("effect on {name}");
        let assign_id = self.add_clauses_of(
            assign_name,
            assigned.clone(),
            Some(assign),
            PredicateKind::Assign(id),
        );
        let deferred_name = format!("deferred effect on {name}");
        let deferred =
            self.add_clauses_of(deferred_name, assigned, None, PredicateKind::Deferred(id));
        self.predicates.extend([(holds, predicate), (init, init_id), (assign, assign_id)]);
        let place = if self.places.contains_key(&init) { init } else { assign };
        Fluent {
            n_keys,
            is_functional,
            default,
            is_transient: false,
            predicate,
            init: init_id,
            assign: assign_id,
            deferred,
            span: self.place(place),
            name,
        }
    }

    /// A predicate for every other relation that the rules mention.
    pub(super) fn declare_relations(&mut self, rules: &[Rule]) {
        let mut mentioned: Vec<(Relation, usize)> = Vec::new();
        for rule in rules {
            mentioned.push((rule.head.relation, rule.head.args.len()));
            let mut visit = |relation, arity| mentioned.push((relation, arity));
            for formula in &rule.body {
                formula.each_atom(&mut |atom, _| visit(atom.relation, atom.args.len()));
            }
        }
        for (relation, arity) in mentioned {
            if relation != Relation::Role && !self.predicates.contains_key(&relation) {
                self.declare_relation(relation, arity);
            }
        }
    }

    fn declare_relation(&mut self, relation: Relation, arity: usize) {
        let (wanted, like, kind) = match relation {
            Relation::Kept(functor) => {
                let name = format!("kept_{}", self.author_name(functor));
                (name, Relation::HoldsOf(functor), PredicateKind::Derived { declared: false })
            }
            Relation::Added(functor) => {
                let name = format!("added_{}", self.author_name(functor));
                (name, Relation::HoldsOf(functor), PredicateKind::Derived { declared: false })
            }
            Relation::Plain(functor) => {
                let is_static = !self.levels.contains_key(&relation);
                let kind = if is_static {
                    PredicateKind::Static { arrow: false, is_given: false }
                } else {
                    PredicateKind::Derived { declared: false }
                };
                (self.author_name(functor).to_owned(), relation, kind)
            }
            other => unreachable!("{other:?} is declared with its kind of fluent or move"),
        };
        let name = self.names.unique(&wanted);
        let domains = self.domains(like, arity, &name);
        let id = self.add_clauses_of(name, domains, Some(relation), kind);
        self.predicates.insert(relation, id);
    }

    /// The domains of the first arguments of a relation.
    fn domains(&mut self, relation: Relation, arity: usize, name: &str) -> Vec<Option<DomainId>> {
        let order = match relation {
            Relation::HoldsOf(functor) => order_of(functor, self.values),
            _ => (0..arity).collect(),
        };
        let owner = Owner::Relation(relation);
        let Self { sorts, symbols, names, base, .. } = self;
        let domain = |place: &usize| sorts.domain((owner, *place), name, (symbols, names), base);
        order.iter().take(arity).map(domain).collect()
    }

    fn add_clauses_of(
        &mut self,
        name: String,
        domains: Vec<Option<DomainId>>,
        relation: Option<Relation>,
        kind: PredicateKind,
    ) -> PredicateId {
        let level = relation
            .and_then(|relation| self.levels.get(&relation))
            .copied()
            .unwrap_or(Level::Static);
        self.add(Predicate { name, domains, source: Source::Clauses, level }, kind)
    }

    fn add(&mut self, predicate: Predicate, kind: PredicateKind) -> PredicateId {
        self.kinds.push(kind);
        self.base.add_predicate(predicate)
    }

    /// The name to start from: the author's, or a made one.
    fn author_name(&self, functor: Functor) -> &str {
        self.symbols.name(functor.name).trim_start_matches(UNSPELLABLE)
    }

    /// The functor as the author wrote it; `None` for the kind of all constants.
    fn spelled(&self, functor: Functor) -> Option<Symbol> {
        let is_spelled = !self.symbols.name(functor.name).starts_with(UNSPELLABLE);
        is_spelled.then_some(functor.name)
    }

    fn place(&self, relation: Relation) -> Span {
        self.places.get(&relation).copied().unwrap_or_default()
    }
}
