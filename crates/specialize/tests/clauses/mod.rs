//! Random clauses, their variants, and slow tests of whether two clauses are variants or one contains
//! the other.
#![allow(dead_code, reason = "each test file uses its part")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

pub(crate) mod worlds;

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, Operation, PredicateId, Quantifier, Span,
    Term, Value, Var, Variable, condition_vars, substitute_atom, substitute_body,
};

/// `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Predicate 0 is the head, 1 is unary, 2 and 3 are binary, 4 leads elsewhere.
pub(crate) const ARITIES: [usize; 5] = [2, 1, 2, 2, 1];

/// Outer variables are numbered below this, local ones above.
pub(crate) const N_OUTER: u16 = 4;

pub(crate) fn var(number: usize) -> Term {
    Term::Var(Var(u16::try_from(number).unwrap()))
}

pub(crate) fn atom(predicate: u32, args: Vec<Term>) -> Atom {
    Atom { predicate: PredicateId(predicate), args }
}

pub(crate) fn holds(predicate: u32, args: Vec<Term>) -> Condition {
    Condition::Holds(atom(predicate, args))
}

pub(crate) fn compare(comparison: Comparison, left: Term, right: Term) -> Condition {
    Condition::Compare(comparison, Expr::Term(left), Expr::Term(right))
}

pub(crate) fn clause(head: Vec<Term>, body: Vec<Condition>, n_vars: usize) -> Clause {
    let variable = |number| Variable { name: format!("V{number}"), domain: Some(DomainId(0)) };
    let variables = (0..n_vars).map(variable).collect();
    Clause { head: atom(0, head), body, variables, span: Span::default() }
}

fn term(random: &mut Random, vars: &[u16]) -> Term {
    match random.below(6) {
        0 => Term::Value(Value::Int(i32::try_from(random.below(2)).unwrap())),
        _ => Term::Var(Var(vars[random.below(vars.len())])),
    }
}

fn random_atom(random: &mut Random, vars: &[u16]) -> Condition {
    let predicate = 1 + random.below(3);
    let args = (0..ARITIES[predicate]).map(|_| term(random, vars)).collect();
    holds(u32::try_from(predicate).unwrap(), args)
}

fn plain_condition(random: &mut Random, vars: &[u16]) -> Condition {
    let comparisons = [Comparison::Unequal, Comparison::Less, Comparison::AtMost];
    match random.below(6) {
        0 => Condition::Member(term(random, vars), DomainId(0)),
        1 | 2 => {
            let comparison = comparisons[random.below(3)];
            compare(comparison, term(random, vars), term(random, vars))
        }
        _ => random_atom(random, vars),
    }
}

fn random_condition(random: &mut Random, vars: &[u16], next_local: &mut u16) -> Condition {
    let mut local_body = |random: &mut Random| {
        let local = *next_local;
        *next_local += 1;
        let vars: Vec<u16> = vars.iter().copied().chain([local]).collect();
        let first = if random.below(2) == 0 { 2 } else { 3 };
        let other = term(random, &vars);
        let mut body = vec![holds(first, vec![Term::Var(Var(local)), other])];
        if random.below(2) == 0 {
            body.push(random_atom(random, &vars));
        }
        (Var(local), body)
    };
    let comparisons = [
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ];
    match random.below(12) {
        0 | 1 => {
            let comparison = comparisons[random.below(5)];
            compare(comparison, term(random, vars), term(random, vars))
        }
        2 => {
            let [whole, left, right] = [0; 3].map(|_| Expr::Term(term(random, vars)));
            let sum = Expr::Binary(Operation::Add, Box::new(left), Box::new(right));
            Condition::Compare(Comparison::Equal, whole, sum)
        }
        3 => Condition::Member(term(random, vars), DomainId(0)),
        4 | 5 => {
            let (local, body) = local_body(random);
            Condition::None { locals: vec![local], body }
        }
        6 => {
            let (local, body) = local_body(random);
            let count = Expr::Count { counted: vec![local], body };
            Condition::Compare(Comparison::Equal, Expr::Term(term(random, vars)), count)
        }
        7 => {
            let quantifier =
                if random.below(2) == 0 { Quantifier::Some } else { Quantifier::Every };
            let (_, body) = local_body(random);
            let by = atom(4, vec![term(random, vars)]);
            Condition::Elsewhere { by, quantifier, body }
        }
        _ => random_atom(random, vars),
    }
}

/// A flat clause; every variable outside negations, counts and passages is bound by an atom, or is in
/// the head.
pub(crate) fn random_clause(random: &mut Random, n_conditions: usize) -> Clause {
    let mut next_local = N_OUTER;
    let vars = some_vars(random);
    let body =
        (0..n_conditions).map(|_| random_condition(random, &vars, &mut next_local)).collect();
    with_head(random, &vars, body, usize::from(next_local))
}

/// The same without negations, counts, passages and arithmetic.
pub(crate) fn plain_clause(random: &mut Random, n_conditions: usize) -> Clause {
    let vars = some_vars(random);
    let body = (0..n_conditions).map(|_| plain_condition(random, &vars)).collect();
    with_head(random, &vars, body, usize::from(N_OUTER))
}

/// A clause with more conditions and fewer variables, so that the given one often contains it.
pub(crate) fn more_special(clause: &Clause, random: &mut Random) -> Clause {
    let vars: Vec<u16> = (0..N_OUTER).collect();
    let images: Vec<Term> = vars
        .iter()
        .map(|var| if random.below(3) == 0 { term(random, &vars) } else { Term::Var(Var(*var)) })
        .collect();
    let image = |var: Var| images.get(usize::from(var.0)).copied().unwrap_or(Term::Var(var));
    let mut body = substitute_body(&clause.body, &image);
    let mut next_local = u16::try_from(clause.variables.len()).unwrap();
    for _ in 0..random.below(3) {
        body.push(random_condition(random, &vars, &mut next_local));
    }
    if let Some(Condition::None { body, .. }) =
        body.iter_mut().find(|condition| matches!(condition, Condition::None { .. }))
    {
        body.truncate(1);
    }
    let head = substitute_atom(&clause.head, &image);
    bind_variables(&vars, &head.args, &mut body, random);
    self::clause(head.args, body, usize::from(next_local))
}

fn some_vars(random: &mut Random) -> Vec<u16> {
    let n_vars = 1 + random.below(usize::from(N_OUTER));
    (0..u16::try_from(n_vars).unwrap()).collect()
}

fn with_head(random: &mut Random, vars: &[u16], body: Vec<Condition>, n_vars: usize) -> Clause {
    let mut body = body;
    let head: Vec<Term> = (0..2).map(|_| term(random, vars)).collect();
    bind_variables(vars, &head, &mut body, random);
    clause(head, body, n_vars)
}

fn bind_variables(vars: &[u16], head: &[Term], body: &mut Vec<Condition>, random: &mut Random) {
    let is_bound = |var: u16, body: &[Condition]| {
        body.iter().any(|condition| match condition {
            Condition::Holds(atom) => atom.args.contains(&Term::Var(Var(var))),
            _ => false,
        })
    };
    for &var in vars {
        let used = body.iter().any(|condition| condition_vars(condition).contains(&Var(var)));
        let in_head = head.contains(&Term::Var(Var(var)));
        // Now and then a variable of the head ranges over its domain.
        if (used || in_head) && !is_bound(var, body) && !(in_head && random.below(4) == 0) {
            body.push(holds(1, vec![Term::Var(Var(var))]));
        }
    }
}

/// The same clause written in another way.
pub(crate) fn shuffled_and_renamed(clause: &Clause, random: &mut Random) -> Clause {
    let n_vars = clause.variables.len();
    let mut numbers: Vec<usize> = (0..n_vars + 3).collect();
    random.shuffle(&mut numbers);
    let renamed = |Var(number): Var| var(numbers[usize::from(number)]);
    let mut body = substitute_body(&clause.body, &renamed);
    shuffle_body(&mut body, random);
    let head = substitute_atom(&clause.head, &renamed);
    let twin = Clause { head, ..self::clause(vec![], body, n_vars + 3) };
    if random.below(2) == 0 {
        return twin;
    }
    // Saying something twice changes nothing.
    let mut body = twin.body.clone();
    if let Some(first @ Condition::Holds(_)) = twin.body.first() {
        body.push(first.clone());
    }
    Clause { body, ..twin }
}

fn shuffle_body(body: &mut [Condition], random: &mut Random) {
    random.shuffle(body);
    for condition in body {
        match condition {
            Condition::None { body, .. } | Condition::Elsewhere { body, .. } => {
                shuffle_body(body, random);
            }
            Condition::Compare(comparison, left, right) => {
                if let Expr::Count { body, .. } = right {
                    shuffle_body(body, random);
                }
                if let Expr::Binary(_, left, right) = right {
                    std::mem::swap(left, right);
                }
                if random.below(2) == 0 {
                    std::mem::swap(left, right);
                    *comparison = reversed(*comparison);
                }
            }
            _ => {}
        }
    }
}

pub(crate) fn reversed(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        symmetric => symmetric,
    }
}

/// Are the clauses equal after some renaming? All renamings are tried.
pub(crate) fn are_variants(left: &Clause, right: &Clause) -> bool {
    let vars = |clause: &Clause| {
        let mut vars = rulesmith_logic::atom_vars(&clause.head);
        vars.extend(clause.body.iter().flat_map(condition_vars));
        vars.into_iter().collect::<Vec<Var>>()
    };
    let (from, to) = (vars(left), vars(right));
    from.len() == to.len() && try_renamings(left, right, &from, &mut to.clone(), 0)
}

fn try_renamings(left: &Clause, right: &Clause, from: &[Var], to: &mut [Var], next: usize) -> bool {
    if next == from.len() {
        let renamed = |var: Var| Term::Var(to[from.iter().position(|one| *one == var).unwrap()]);
        return substitute_atom(&left.head, &renamed) == right.head
            && same_set(&substitute_body(&left.body, &renamed), &right.body);
    }
    (next..to.len()).any(|chosen| {
        to.swap(next, chosen);
        let found = try_renamings(left, right, from, to, next + 1);
        to.swap(next, chosen);
        found
    })
}

fn same_set(left: &[Condition], right: &[Condition]) -> bool {
    let inside = |one: &Condition, all: &[Condition]| all.iter().any(|other| same(one, other));
    left.iter().all(|one| inside(one, right)) && right.iter().all(|one| inside(one, left))
}

fn same(left: &Condition, right: &Condition) -> bool {
    match (left, right) {
        (Condition::None { body, .. }, Condition::None { body: other, .. }) => {
            same_set(body, other)
        }
        (
            Condition::Elsewhere { by, quantifier, body },
            Condition::Elsewhere { by: other_by, quantifier: other_quantifier, body: other },
        ) => by == other_by && quantifier == other_quantifier && same_set(body, other),
        (Condition::Compare(one, a, b), Condition::Compare(other, c, d)) => {
            let same_sides = |c, d| same_expr(a, c) && same_expr(b, d);
            one == other && same_sides(c, d) || reversed(*one) == *other && same_sides(d, c)
        }
        _ => left == right,
    }
}

fn same_expr(left: &Expr, right: &Expr) -> bool {
    match (left, right) {
        (Expr::Binary(one, a, b), Expr::Binary(other, c, d)) => {
            one == other
                && (same_expr(a, c) && same_expr(b, d) || same_expr(a, d) && same_expr(b, c))
        }
        (Expr::Count { counted, body }, Expr::Count { counted: others, body: other }) => {
            counted == others && same_set(body, other)
        }
        _ => left == right,
    }
}

/// Two points with so many common neighbors, in both directions, all different.
pub(crate) fn common_neighbors(n_neighbors: usize) -> Clause {
    let mut body = Vec::new();
    for neighbor in 2..2 + n_neighbors {
        body.push(holds(2, vec![var(0), var(neighbor)]));
        body.push(holds(2, vec![var(1), var(neighbor)]));
        for other in 2..neighbor {
            body.push(compare(Comparison::Unequal, var(neighbor), var(other)));
        }
    }
    body.push(compare(Comparison::Unequal, var(0), var(1)));
    clause(vec![var(0), var(1)], body, n_neighbors + 2)
}

/// A path of so many steps.
pub(crate) fn chain(n_steps: usize) -> Clause {
    let body = (0..n_steps).map(|step| holds(2, vec![var(step), var(step + 1)])).collect();
    clause(vec![var(0), var(0)], body, n_steps + 1)
}

/// Does a substitution take the first clause into the second? For plain clauses; all are tried.
pub(crate) fn contains_by_force(general: &Clause, specific: &Clause) -> bool {
    let vars = |clause: &Clause| -> Vec<Var> {
        let mut vars = rulesmith_logic::atom_vars(&clause.head);
        vars.extend(clause.body.iter().flat_map(condition_vars));
        vars.into_iter().collect()
    };
    let from = vars(general);
    let mut to: Vec<Term> = vars(specific).into_iter().map(Term::Var).collect();
    to.extend([0, 1].map(|number| Term::Value(Value::Int(number))));
    let mut asked = general.body.clone();
    let mut offered = specific.body.clone();
    asked.extend(ranges(general, &from));
    offered.extend(ranges(specific, &vars(specific)));
    let mut images = vec![0; from.len()];
    loop {
        let image = |var: Var| to[images[from.iter().position(|one| *one == var).unwrap()]];
        let is_offered = |condition: &Condition| offered.iter().any(|one| implies(one, condition));
        if substitute_atom(&general.head, &image) == specific.head
            && substitute_body(&asked, &image).iter().all(|one| is_true(one) || is_offered(one))
        {
            return true;
        }
        let Some(next) = images.iter().position(|image| image + 1 < to.len()) else {
            return false;
        };
        images[next] += 1;
        images[..next].fill(0);
    }
}

/// The domains of variables that no condition binds.
fn ranges(clause: &Clause, vars: &[Var]) -> Vec<Condition> {
    let binds = |condition: &Condition, var: Var| match condition {
        Condition::Holds(_) | Condition::Member(..) => condition_vars(condition).contains(&var),
        _ => false,
    };
    let ranging = vars.iter().filter(|var| !clause.body.iter().any(|one| binds(one, **var)));
    ranging.map(|var| Condition::Member(Term::Var(*var), DomainId(0))).collect()
}

fn implies(offered: &Condition, asked: &Condition) -> bool {
    same(offered, asked)
        || match (offered, asked) {
            (Condition::Compare(Comparison::Less, a, b), Condition::Compare(other, c, d)) => {
                match other {
                    Comparison::AtMost => (a, b) == (c, d),
                    Comparison::Unequal => (a, b) == (c, d) || (a, b) == (d, c),
                    _ => false,
                }
            }
            _ => false,
        }
}

fn is_true(condition: &Condition) -> bool {
    let Condition::Compare(comparison, Expr::Term(left), Expr::Term(right)) = condition else {
        return false;
    };
    let (Term::Value(Value::Int(left)), Term::Value(Value::Int(right))) = (left, right) else {
        return false;
    };
    match comparison {
        Comparison::Unequal => left != right,
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        _ => false,
    }
}
