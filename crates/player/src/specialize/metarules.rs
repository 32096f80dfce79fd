//! Metarules for people: each with its proof, where it came from, and what it was good for.
//!
//! In: the metarules of a store and the facts that prove them. Out: texts, counts, and the relations of
//! the body as a graph that can be drawn. Paper: metameta §3.1, §3.2. Invariant: evidence is counted on
//! the facts, not remembered.

use rulesmith_logic::{Comparison, Condition, Expr, PredicateId, Term, Var};
use rulesmith_specialize::StaticFacts;
use rulesmith_specialize::metarules::{
    By, Consequence, Family, GeneralRule, Metarule, MetaruleId, Origin, Proof, Store, Use, Uses,
    metarule_text,
};

/// A metarule, and what it was good for.
#[derive(Clone, Debug, Default)]
pub struct MetaruleReport {
    /// The metarule, as the paper writes it.
    pub text: String,
    /// Its family.
    pub family: &'static str,
    /// Why it is true.
    pub proof: String,
    /// The facts that prove it.
    pub evidence: String,
    /// Where it came from.
    pub derivation: String,
    /// Clauses that it showed to be impossible.
    pub kills: u64,
    /// Variables that it made one.
    pub unifications: u64,
    /// Conditions that it showed to be implied.
    pub implied: u64,
    /// Useless conditions that it removed.
    pub removals: u64,
    /// Clauses that it changed, dropped or made, as its author wrote; nothing proves that it may.
    pub rewrites: u64,
    /// Its body as a graph, where it has relations between two variables.
    pub picture: Option<MetarulePicture>,
}

impl MetaruleReport {
    /// How often it changed a clause. That conditions are implied only prepares that.
    pub fn n_uses(&self) -> u64 {
        self.kills + self.unifications + self.removals + self.rewrites
    }

    fn count(&mut self, uses: &Uses) {
        self.kills = uses.of(Use::Kill);
        self.unifications = uses.of(Use::Unification);
        self.implied = uses.of(Use::Ghost);
        self.removals = uses.of(Use::Removal);
    }
}

/// The relations of a metarule's body: variables are points, relations between two of them arrows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetarulePicture {
    /// The variables.
    pub points: Vec<String>,
    /// Arrows from one point to another, by their places, with what is written on them.
    pub arrows: Vec<(usize, usize, String)>,
    /// What is said about two points, and which; if nothing is, the graph is impossible.
    pub said: Option<(&'static str, usize, usize)>,
}

/// The names of the families, as they are switched off by.
pub(super) const FAMILIES: [(&str, Family); 6] = [
    ("general", Family::General),
    ("impossibility", Family::Impossibility),
    ("monovaluation", Family::Monovaluation),
    ("useless", Family::Useless),
    ("invariant", Family::Invariant),
    ("declared", Family::Declared),
];

/// All metarules of a store: those that were of use first, the most useful first.
pub(super) fn reports(
    store: &Store,
    facts: &StaticFacts,
    rewriting: Vec<MetaruleReport>,
) -> Vec<MetaruleReport> {
    let general = GeneralRule::ALL.into_iter().map(|rule| {
        let mut report = MetaruleReport {
            text: general_text(rule).to_owned(),
            family: family_name(Family::General),
            proof: "general".to_owned(),
            evidence: "true of every theory".to_owned(),
            derivation: "built in".to_owned(),
            ..MetaruleReport::default()
        };
        report.count(store.general_uses(rule));
        report
    });
    let in_force: Vec<MetaruleId> = store.metarules().map(|(id, _)| id).collect();
    let stored = (0..).map(MetaruleId).map_while(|id| Some((id, store.get(id)?)));
    // What others made superfluous is told of if it was of use before.
    let told = stored.filter(|(id, one)| in_force.contains(id) || one.uses.total() > 0);
    let mut reports: Vec<MetaruleReport> =
        general.chain(told.map(|(_, metarule)| report(metarule, facts))).chain(rewriting).collect();
    // The paper's order: impossibility, monovaluation, useless conditions; the rest after them.
    let rank = |report: &MetaruleReport| match report.family {
        "impossibility" => 0,
        "monovaluation" => 1,
        "useless" => 2,
        "general" => 4,
        _ => 3,
    };
    reports.sort_by_key(|report| {
        (report.n_uses() == 0, rank(report), std::cmp::Reverse(report.n_uses()))
    });
    reports
}

/// An author's metarule that rewrites or makes clauses.
pub(super) fn rewriting(text: String, n_uses: u64) -> MetaruleReport {
    MetaruleReport {
        text,
        family: family_name(Family::Declared),
        proof: "declared".to_owned(),
        evidence: NOT_PROVED.to_owned(),
        derivation: derivation(Origin::Author),
        rewrites: n_uses,
        ..MetaruleReport::default()
    }
}

/// What stands behind a declared metarule.
const NOT_PROVED: &str = "its author says so; not proved";

/// What did something, in words.
pub(super) fn by_text(by: By, store: &Store, facts: &StaticFacts) -> String {
    match by {
        By::General(rule) => general_text(rule).to_owned(),
        By::Metarule(id) => {
            store.get(id).map_or_else(String::new, |metarule| metarule_text(metarule, facts))
        }
    }
}

fn general_text(rule: GeneralRule) -> &'static str {
    match rule {
        GeneralRule::Comparison => "X = Y, or impossible :- comparisons of X and Y.",
        GeneralRule::Contradiction => "impossible :- a condition and its negation.",
        GeneralRule::Function => "X = Y :- f(K, X), f(K, Y), where f is declared as a function.",
        GeneralRule::Sorts => "impossible :- X in sorts that do not meet.",
        GeneralRule::Border => {
            "useless element(S, A), link(A, X) :- border(S, X), where links hold both ways."
        }
        GeneralRule::Arithmetic => "X = Y, or impossible :- arithmetic with one solution, or none.",
    }
}

fn family_name(family: Family) -> &'static str {
    FAMILIES.iter().find(|(_, other)| *other == family).map_or("", |(name, _)| name)
}

fn report(metarule: &Metarule, facts: &StaticFacts) -> MetaruleReport {
    let (proof, evidence) = match metarule.proof {
        Proof::General => ("general".to_owned(), "true of every theory".to_owned()),
        Proof::Declared => ("declared".to_owned(), NOT_PROVED.to_owned()),
        Proof::Static(digest) => {
            (format!("static facts {}", short(&digest.to_string())), evidence(metarule, facts))
        }
        Proof::Inductive(_) => (
            "inductive".to_owned(),
            "holds at the start, and after every move if it held before".to_owned(),
        ),
    };
    let mut report = MetaruleReport {
        text: metarule_text(metarule, facts),
        family: family_name(metarule.family()),
        proof,
        evidence,
        derivation: derivation(metarule.origin),
        picture: picture(metarule, facts),
        ..MetaruleReport::default()
    };
    report.count(&metarule.uses);
    report
}

/// The first digits of a digest: enough to tell a few of them apart.
pub(super) fn short(digest: &str) -> String {
    digest.chars().take(12).collect()
}

fn derivation(origin: Origin) -> String {
    match origin {
        Origin::Pattern { conditions: 1 } => "mined: patterns of 1 condition".to_owned(),
        Origin::Pattern { conditions } => format!("mined: patterns of {conditions} conditions"),
        Origin::Clause { conditions, tests } => {
            format!("minimized from a clause of {conditions} static conditions in {tests} tests")
        }
        Origin::Induction => "mined from sampled states, proved by induction".to_owned(),
        Origin::Object => "follows from the definition of an object".to_owned(),
        Origin::Author => "written by the author of the rules".to_owned(),
    }
}

/// What was looked at, and what was seen.
fn evidence(metarule: &Metarule, facts: &StaticFacts) -> String {
    let mut seen: Vec<PredicateId> = Vec::new();
    for condition in &metarule.body {
        if let Condition::Holds(atom) = condition
            && !seen.contains(&atom.predicate)
        {
            seen.push(atom.predicate);
        }
    }
    let count = |id: &PredicateId| {
        let relation = facts.relation(*id)?;
        let (n_rows, arity) = (relation.rows.len(), relation.columns.len());
        Some(format!("{n_rows} facts of {}/{arity}", relation.name))
    };
    let among: Vec<String> = seen.iter().filter_map(count).collect();
    let among = if among.is_empty() { "the domains".to_owned() } else { among.join(", ") };
    if metarule.consequence == Consequence::Impossible {
        return format!("no match among {among}");
    }
    match facts.n_matches(&metarule.body) {
        Some(n_matches) => format!("holds in all {n_matches} matches among {among}"),
        None => format!("holds in all matches among {among}"),
    }
}

/// The first two arguments of one sort: a relation joins them.
fn ends(facts: &StaticFacts, predicate: PredicateId) -> Option<(usize, usize)> {
    let columns = &facts.relation(predicate)?.columns;
    let pairs =
        (0..columns.len()).flat_map(|one| (one + 1..columns.len()).map(move |two| (one, two)));
    pairs.into_iter().find(|(one, two)| columns[*one].is_some() && columns[*one] == columns[*two])
}

/// The body as a graph.
fn picture(metarule: &Metarule, facts: &StaticFacts) -> Option<MetarulePicture> {
    let mut picture = MetarulePicture::default();
    let name = |var: Var| metarule.variables[usize::from(var.0)].name.clone();
    let point = |picture: &mut MetarulePicture, var: Var| {
        let name = name(var);
        let known = picture.points.iter().position(|point| *point == name);
        known.unwrap_or_else(|| {
            picture.points.push(name);
            picture.points.len() - 1
        })
    };
    for condition in &metarule.body {
        let Condition::Holds(atom) = condition else { return None };
        let (first, second) = ends(facts, atom.predicate)?;
        let (Term::Var(from), Term::Var(to)) = (atom.args[first], atom.args[second]) else {
            return None;
        };
        let (from, to) = (point(&mut picture, from), point(&mut picture, to));
        let others = atom.args.iter().enumerate();
        let others = others.filter(|(place, _)| ![first, second].contains(place));
        let label = others.map(|(_, term)| match term {
            Term::Var(var) => name(*var),
            Term::Value(value) => rulesmith_rules::value_text(&facts.symbols().borrow(), *value),
        });
        let label = label.collect::<Vec<_>>().join(", ");
        picture.arrows.push((from, to, label));
    }
    let said = match &metarule.consequence {
        Consequence::Equal(Term::Var(left), Term::Var(right)) => Some(("=", *left, *right)),
        Consequence::Holds(Condition::Compare(
            Comparison::Unequal,
            Expr::Term(Term::Var(left)),
            Expr::Term(Term::Var(right)),
        )) => Some(("≠", *left, *right)),
        Consequence::Holds(Condition::Holds(atom)) => match atom.args[..] {
            [Term::Var(left), Term::Var(right)] => Some(("→", left, right)),
            _ => None,
        },
        _ => None,
    };
    picture.said = said
        .map(|(sign, left, right)| (sign, point(&mut picture, left), point(&mut picture, right)));
    let says_something = picture.said.is_some() || metarule.consequence == Consequence::Impossible;
    (!picture.arrows.is_empty() && says_something).then_some(picture)
}
