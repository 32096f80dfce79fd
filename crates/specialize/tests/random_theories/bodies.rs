//! Random clauses: conditions of every kind over a vocabulary, most of them safe and stratified.
//!
//! In: a vocabulary. Out: the text of clauses. Invariant: a variable is used in a test only after a
//! condition, or the declared head, gave it a value.

use super::words::{Kind, Random, Relation, SortKind, Vocabulary};

/// How deep negations, counts and alternatives stand inside one another.
const DEEPEST: usize = 2;

/// Writes bodies.
#[expect(clippy::struct_excessive_bools, reason = "each says what may stand at the present place")]
pub(crate) struct Bodies<'g> {
    random: &'g mut Random,
    words: &'g Vocabulary,
    /// The variables that have a value here, with their sorts.
    pub(crate) scope: Vec<(String, usize)>,
    /// All variables made so far.
    made: Vec<String>,
    depth: usize,
    /// Relations from here on may not be asked at all.
    ceiling: usize,
    /// Relations from here on may only be asked positively.
    n_settled: usize,
    is_negative: bool,
    is_static: bool,
    /// Is this the body of a count, whose variables must all be given a value in every branch?
    is_counting: bool,
    /// May no variable be made here?
    is_frozen: bool,
    /// Do all variables made here become anonymous?
    is_wild: bool,
    /// May `P does …` be asked?
    pub(crate) sees_moves: bool,
    /// How many `after` may still be nested, and who does the move.
    pub(crate) afters: usize,
}

impl<'g> Bodies<'g> {
    pub(crate) fn new(random: &'g mut Random, words: &'g Vocabulary) -> Self {
        Self {
            random,
            words,
            scope: vec![],
            made: vec![],
            depth: 0,
            ceiling: words.relations.len(),
            n_settled: words.relations.len(),
            is_negative: false,
            is_static: false,
            is_counting: false,
            is_frozen: false,
            is_wild: false,
            sees_moves: false,
            afters: 0,
        }
    }

    pub(crate) fn only_static(mut self) -> Self {
        self.is_static = true;
        self
    }

    /// No new variables outside negations and counts.
    pub(crate) fn frozen(mut self) -> Self {
        self.is_frozen = true;
        self
    }

    /// Relations from here on are defined later and may not be asked.
    pub(crate) fn below(mut self, ceiling: usize) -> Self {
        self.ceiling = ceiling;
        self.n_settled = ceiling;
        self
    }

    /// A clause for the relation. Where its sorts are declared, head variables may range over them.
    pub(crate) fn clause(mut self, rank: usize, is_declared: bool, n_conditions: usize) -> String {
        let relation = &self.words.relations[rank];
        match relation.kind {
            Kind::Derived { first, is_declared } => {
                self.n_settled = first;
                // Without declared sorts nothing would end a recursion that computes.
                self.ceiling = if is_declared { self.ceiling } else { first };
            }
            _ => self.n_settled = rank,
        }
        let mut ranging: Vec<Option<String>> = vec![None; relation.args.len()];
        for (place, sort) in relation.args.iter().enumerate() {
            if is_declared && self.random.chance(35) {
                ranging[place] = Some(self.fresh(*sort));
            }
        }
        let body = self.conditions(n_conditions);
        let mut args = Vec::new();
        for (place, sort) in relation.args.iter().enumerate() {
            args.push(match &ranging[place] {
                Some(var) => var.clone(),
                // Numbers often leave their sort: such a conclusion does not count.
                None if self.is_number(*sort) && self.random.chance(50) => {
                    self.arithmetic(*sort, false)
                }
                None => self.term(*sort, false),
            });
        }
        let head = super::applied(&relation.name, &args);
        if body.is_empty() { format!("{head}.\n") } else { format!("{head} :- {body}.\n") }
    }

    pub(crate) fn conditions(&mut self, n_conditions: usize) -> String {
        let all: Vec<String> = (0..n_conditions).map(|_| self.condition()).collect();
        all.join(", ")
    }

    /// A new variable that has a value from here on.
    pub(crate) fn fresh(&mut self, sort: usize) -> String {
        let name = format!("X{}", self.made.len());
        self.made.push(name.clone());
        self.scope.push((name.clone(), sort));
        name
    }

    pub(crate) fn condition(&mut self) -> String {
        let is_deep = self.depth >= DEEPEST;
        match self.random.below(if is_deep { 60 } else { 100 }) {
            0..36 => self.atom(true),
            36..46 => self.comparison(),
            46..51 => self.equation(),
            51..56 => self.member(),
            56..60 => self.does(),
            60..69 => self.negation(),
            69..76 => self.none(),
            76..84 => self.count(),
            84..92 => self.alternatives(),
            _ => self.after(),
        }
    }

    /// The relations that may be asked here.
    fn askable(&mut self) -> Option<&'g Relation> {
        let limit = if self.is_negative { self.n_settled } else { self.ceiling };
        let limit = limit.min(self.words.relations.len());
        let is_static = self.is_static;
        let sees_moves = self.sees_moves;
        let fits = |relation: &&Relation| match relation.kind {
            Kind::Static => true,
            Kind::Step => sees_moves,
            _ => !is_static,
        };
        let all: Vec<&Relation> = self.words.relations[..limit].iter().filter(fits).collect();
        if all.is_empty() { None } else { Some(*self.random.pick(&all)) }
    }

    fn atom(&mut self, may_bind: bool) -> String {
        let Some(relation) = self.askable() else { return self.member() };
        self.atom_of(relation, may_bind)
    }

    fn atom_of(&mut self, relation: &'g Relation, may_bind: bool) -> String {
        let args = self.terms(&relation.args, may_bind);
        let applied = super::applied(&relation.name, &args);
        match relation.kind {
            Kind::Fluent { value: Some(sort), is_partial } => {
                if is_partial && self.random.chance(25) {
                    let sign = if self.random.chance(50) { "=" } else { "\\=" };
                    return self.bound_keys(relation, sign);
                }
                format!("{applied} = {}", self.term(sort, may_bind))
            }
            _ => applied,
        }
    }

    /// `f(K) = undefined`, where the keys must be known.
    fn bound_keys(&mut self, relation: &Relation, sign: &str) -> String {
        let args = self.terms(&relation.args, false);
        format!("{} {sign} undefined", super::applied(&relation.name, &args))
    }

    fn terms(&mut self, sorts: &[usize], may_bind: bool) -> Vec<String> {
        sorts.iter().map(|sort| self.term(*sort, may_bind)).collect()
    }

    /// A term of the sort.
    pub(crate) fn term(&mut self, sort: usize, may_bind: bool) -> String {
        let kind = self.words.sorts[sort].kind.clone();
        if let (SortKind::Compound(functor, parts), true) = (&kind, self.random.chance(40)) {
            let parts = self.terms(parts, may_bind);
            return format!("{functor}({})", parts.join(", "));
        }
        let die = self.random.below(100);
        if may_bind && !self.is_frozen && die < 35 {
            return self.fresh(sort);
        }
        if may_bind && die < 43 {
            return "_".to_owned();
        }
        if kind == SortKind::Number && die < 58 {
            return self.arithmetic(sort, may_bind);
        }
        match self.bound(sort) {
            Some(var) if die < 88 => var,
            _ => self.random.pick(&self.words.sorts[sort].values).clone(),
        }
    }

    /// A variable with a value of the sort, or of one that meets it.
    fn bound(&mut self, sort: usize) -> Option<String> {
        let sorts = &self.words.sorts;
        let meets = |other: usize| {
            other == sort
                || (sorts[other].kind == SortKind::Number && sorts[sort].kind == SortKind::Number)
        };
        let all: Vec<&String> =
            self.scope.iter().filter(|(_, other)| meets(*other)).map(|(name, _)| name).collect();
        if all.is_empty() { None } else { Some((*self.random.pick(&all)).clone()) }
    }

    fn is_number(&self, sort: usize) -> bool {
        self.words.sorts[sort].kind == SortKind::Number
    }

    /// An atom of a fluent, or of anything where there is none.
    fn fluent_atom(&mut self) -> String {
        let fluents = self.words.relations.iter();
        let fluents: Vec<&'g Relation> =
            fluents.filter(|one| matches!(one.kind, Kind::Fluent { .. })).collect();
        if fluents.is_empty() {
            return self.atom(true);
        }
        let relation = *self.random.pick(&fluents);
        self.atom_of(relation, true)
    }

    fn number(&mut self) -> String {
        self.random.pick(&["0", "1", "2", "3"]).to_string()
    }

    fn arithmetic(&mut self, sort: usize, may_bind: bool) -> String {
        if may_bind && !self.is_wild && !self.is_frozen && self.random.chance(15) {
            let (var, number) = (self.fresh(sort), self.number());
            return self
                .random
                .pick(&[format!("{var} + {number}"), format!("{number} - {var}")])
                .clone();
        }
        let Some(var) = self.bound(sort) else {
            return self.random.pick(&self.words.sorts[sort].values).clone();
        };
        let number = self.number();
        match self.random.below(9) {
            0..3 => format!("{var} + {number}"),
            3 | 4 => format!("{var} - {number}"),
            5 => format!("{number} - {var}"),
            6 => format!("{var} * {number}"),
            7 => self
                .random
                .pick(&[
                    format!("max({var}, {number})"),
                    format!("{var} mod {number}"),
                    format!("({var} + 1) * 2 - {number}"),
                ])
                .clone(),
            _ => format!("{var} div 2"),
        }
    }

    fn comparison(&mut self) -> String {
        let Some((var, sort)) = self.some_bound() else { return self.atom(true) };
        let other = self.term(sort, false);
        let is_number = self.words.sorts[sort].kind == SortKind::Number;
        let signs: &[&str] =
            if is_number { &["=", "\\=", "<", "=<", ">", ">="] } else { &["=", "\\="] };
        let sign = *self.random.pick(signs);
        if self.random.chance(20) {
            format!("{other} {sign} {var}")
        } else {
            format!("{var} {sign} {other}")
        }
    }

    fn some_bound(&mut self) -> Option<(String, usize)> {
        if self.scope.is_empty() { None } else { Some(self.random.pick(&self.scope).clone()) }
    }

    /// A new variable by a known value.
    fn equation(&mut self) -> String {
        if self.is_frozen {
            return self.comparison();
        }
        let sort = self.random.below(self.words.sorts.len());
        let known = self.term(sort, false);
        let is_number = self.words.sorts[sort].kind == SortKind::Number;
        let var = self.fresh(sort);
        match self.random.below(4) {
            0 if is_number => format!("{known} = {var} + {}", self.number()),
            1 if is_number => format!("{known} = {} - {var}", self.number()),
            2 => format!("{known} = {var}"),
            _ => format!("{var} = {known}"),
        }
    }

    fn member(&mut self) -> String {
        let sort = self.random.below(self.words.sorts.len());
        let term = self.term(sort, true);
        let name = &self.words.sorts[sort].name;
        format!("{name}({term})")
    }

    fn does(&mut self) -> String {
        if !self.sees_moves || self.words.moves.is_empty() {
            return self.atom(true);
        }
        let (name, params) = self.random.pick(&self.words.moves).clone();
        let role = self.term(0, true);
        let args = self.terms(&params, true);
        format!("{role} does {}", super::applied(&name, &args))
    }

    fn negation(&mut self) -> String {
        let was = (std::mem::replace(&mut self.is_negative, true), self.scope.len());
        let atom = self.wild_atom();
        self.is_negative = was.0;
        self.scope.truncate(was.1);
        format!("not {atom}")
    }

    /// An atom whose new variables are all anonymous.
    fn wild_atom(&mut self) -> String {
        let n_made = self.made.len();
        let was = (self.is_wild, self.is_frozen);
        (self.is_wild, self.is_frozen) = (true, false);
        let mut atom = self.atom(true);
        (self.is_wild, self.is_frozen) = was;
        for name in self.made[n_made..].iter().rev() {
            atom = replace_name(&atom, name);
        }
        atom
    }

    /// The body of a negation or count with the variables made in it.
    fn inside(&mut self, is_counting: bool) -> (Vec<String>, String) {
        let was = (self.is_negative, self.scope.len(), self.made.len());
        let (counting, frozen) = (self.is_counting, self.is_frozen);
        self.is_negative = true;
        (self.is_counting, self.is_frozen) = (is_counting, false);
        self.depth += 1;
        let n_conditions = 1 + self.random.below(3);
        let body = self.conditions(n_conditions);
        self.depth -= 1;
        self.is_negative = was.0;
        (self.is_counting, self.is_frozen) = (counting, frozen);
        self.scope.truncate(was.1);
        let made = self.made[was.2..].to_vec();
        // What stands inside a deeper negation has been named there already.
        let own = made.into_iter().filter(|name| is_free(&body, name)).collect();
        (own, body)
    }

    fn none(&mut self) -> String {
        let (locals, body) = self.inside(false);
        if locals.is_empty() {
            format!("not ({body})")
        } else {
            format!("none {{ {} : {body} }}", locals.join(", "))
        }
    }

    fn count(&mut self) -> String {
        let (counted, body) = self.inside(true);
        if counted.is_empty() {
            return format!("not ({body})");
        }
        let count = format!("count {{ {} : {body} }}", counted.join(", "));
        let sort = self.words.sorts.iter().position(|sort| sort.kind == SortKind::Number);
        match (self.random.below(4), sort) {
            (0 | 1, Some(sort)) if !self.is_frozen => format!("{} = {count}", self.fresh(sort)),
            (2, Some(sort)) => {
                let sign = *self.random.pick(&["=", "<", ">=", "\\="]);
                format!("{count} {sign} {}", self.term(sort, false))
            }
            _ => format!("{count} + 1 > {}", self.number()),
        }
    }

    fn alternatives(&mut self) -> String {
        let n_scope = self.scope.len();
        // A variable that every branch gives a value stays.
        let common = if !self.is_frozen && self.random.chance(50) {
            let sort = self.random.below(self.words.sorts.len());
            Some((self.fresh(sort), sort))
        } else {
            None
        };
        self.scope.truncate(n_scope);
        self.depth += 1;
        let frozen = self.is_frozen;
        self.is_frozen |= self.is_counting;
        let mut branches = Vec::new();
        for _ in 0..2 + self.random.below(2) {
            let mut branch = String::new();
            if let Some((var, sort)) = &common {
                let known = self.term(*sort, false);
                let name = &self.words.sorts[*sort].name;
                branch = if self.random.chance(50) {
                    format!("{var} = {known}, ")
                } else {
                    format!("{name}({var}), ")
                };
                self.scope.push((var.clone(), *sort));
            }
            let n_conditions = 1 + self.random.below(2);
            branch += &self.conditions(n_conditions);
            branches.push(branch);
            self.scope.truncate(n_scope);
        }
        self.depth -= 1;
        self.is_frozen = frozen;
        self.scope.extend(common);
        format!("({})", branches.join(" ; "))
    }

    /// Conditions in the state after a move.
    fn after(&mut self) -> String {
        if self.afters == 0 || self.words.moves.is_empty() {
            return self.atom(true);
        }
        let (name, params) = self.random.pick(&self.words.moves).clone();
        let role = self.term(0, false);
        let args = self.terms(&params, false);
        self.after_move(&role, &super::applied(&name, &args))
    }

    /// Nought, one or two.
    pub(crate) fn up_to_two(&mut self) -> usize {
        self.random.below(3)
    }

    /// Conditions in the state after this move.
    pub(crate) fn after_move(&mut self, role: &str, made: &str) -> String {
        self.afters -= 1;
        self.depth += 1;
        let sees_moves = std::mem::replace(&mut self.sees_moves, false);
        let n_conditions = 1 + self.random.below(3);
        let mut body = self.conditions(n_conditions);
        if self.random.chance(60) {
            let atom = self.fluent_atom();
            body = if self.random.chance(50) { format!("{atom}, {body}") } else { atom };
        }
        self.sees_moves = sees_moves;
        self.depth -= 1;
        self.afters += 1;
        format!("after({role} does {made}, {body})")
    }
}

/// The text with a variable made anonymous.
fn replace_name(text: &str, name: &str) -> String {
    split_names(text).map(|part| if part == name { "_" } else { part }).collect()
}

/// Does the name occur outside the lists of deeper negations and counts?
fn is_free(text: &str, name: &str) -> bool {
    // A deeper list names it before a colon or a comma, right after its brace.
    let mut hidden: Vec<Vec<&str>> = Vec::new();
    let mut is_list = false;
    for part in split_names(text) {
        match part.trim() {
            "{" => {
                hidden.push(Vec::new());
                is_list = true;
            }
            ":" => is_list = false,
            "}" => {
                hidden.pop();
            }
            word if is_list => {
                if let Some(list) = hidden.last_mut() {
                    list.push(word);
                }
            }
            word => {
                if word == name && !hidden.iter().flatten().any(|other| *other == name) {
                    return true;
                }
            }
        }
    }
    false
}

/// Words, and the characters between them one by one.
fn split_names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if is_word(first) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}
