//! Saved metarules: generated ones as text, filed under the digest of the facts they were proved on.
//!
//! In: metarules and the facts that prove them, or a text written before. Out: the text, or the
//! metarules in it. Invariant: what is read back says the same as what was written; a text of other
//! facts is refused, and so is a metarule that does not hold of these; no text makes reading panic.
//!
//! Only metarules with a static proof are saved. Inductive ones depend on the rules as well as on the
//! facts, and the digest covers the facts alone.

use rulesmith_logic::{
    Atom, Comparison, Condition, DomainId, Expr, Operation, PredicateId, Term, Value, Var,
};
use rustc_hash::FxHashMap;

use super::dependency::{Consequence, Metarule, Origin, Proof};
use super::lazy::holds_of;
use super::signs::{Sign, signs};
use super::text::{metarule_text, value_text};
use crate::static_facts::StaticFacts;

/// Why a text of metarules is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// It does not begin as such a text does.
    #[error("not a text of metarules of version 1")]
    Version,
    /// It belongs to other facts.
    #[error("metarules of other facts: their digest is {found}")]
    OtherFacts {
        /// The digest in the text.
        found: String,
    },
    /// A line cannot be read.
    #[error("line {line}: {message}")]
    Line {
        /// Which line, counted from one.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A metarule does not hold of the facts.
    #[error("line {line}: the facts do not prove this metarule")]
    False {
        /// Which line, counted from one.
        line: usize,
    },
}

const FIRST_LINE: &str = "metarules 1.";

/// How deep negations may stand in one another, and terms in terms.
const DEPTH_LIMIT: usize = 16;

/// How many variables a metarule may have.
const VARIABLES_LIMIT: usize = 256;

/// The metarules with a static proof as text.
pub fn write_metarules<'m>(
    metarules: impl IntoIterator<Item = &'m Metarule>,
    facts: &StaticFacts,
) -> String {
    let mut text = format!("{FIRST_LINE}\nfacts {}.\n", facts.digest());
    for metarule in metarules {
        if metarule.proof == Proof::Static(facts.digest()) {
            text += &metarule_text(metarule, facts);
            text += &origin_text(metarule.origin);
        }
    }
    text
}

fn origin_text(origin: Origin) -> String {
    match origin {
        Origin::Pattern { conditions } => format!(" % pattern {conditions}\n"),
        Origin::Clause { conditions, tests } => format!(" % clause {conditions} {tests}\n"),
        Origin::Induction | Origin::Object | Origin::Author => " % author\n".to_owned(),
    }
}

/// Reads metarules back, each proved again.
pub fn read_metarules(text: &str, facts: &StaticFacts) -> Result<Vec<Metarule>, SavedError> {
    let mut lines = text.lines().map(str::trim).enumerate();
    if lines.next().is_none_or(|(_, first)| first != FIRST_LINE) {
        return Err(SavedError::Version);
    }
    let digest = lines.next().and_then(|(_, line)| line.strip_prefix("facts ")?.strip_suffix('.'));
    let digest = digest.ok_or(SavedError::Version)?;
    if digest != facts.digest().to_string() {
        let found = digest.chars().take(64).collect();
        return Err(SavedError::OtherFacts { found });
    }
    let mut names = Names::new(facts);
    let mut metarules = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let line_number = number + 1;
        let metarule = read_line(line, &mut names)
            .map_err(|message| SavedError::Line { line: line_number, message })?;
        if !holds_of(facts, &metarule.body, &metarule.consequence) {
            return Err(SavedError::False { line: line_number });
        }
        metarules.push(metarule);
    }
    Ok(metarules)
}

fn read_line(line: &str, names: &mut Names<'_>) -> Result<Metarule, String> {
    let (rule, origin) = line.rsplit_once(". %").ok_or("no origin at the end")?;
    let origin = read_origin(origin).ok_or("an unknown origin")?;
    let signs = signs(rule)?;
    let mut reader = Reader { signs: &signs, at: 0, names, variables: Vec::new(), depth: 0 };
    let consequence = reader.consequence()?;
    let body = if reader.takes(":-") { reader.body()? } else { Vec::new() };
    if reader.at < signs.len() {
        return Err("more than a metarule".to_owned());
    }
    let proof = Proof::Static(reader.names.facts.digest());
    Ok(Metarule::new(&body, &consequence, proof, origin))
}

fn read_origin(text: &str) -> Option<Origin> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["pattern", conditions] => Some(Origin::Pattern { conditions: conditions.parse().ok()? }),
        ["clause", conditions, tests] => {
            let (conditions, tests) = (conditions.parse().ok()?, tests.parse().ok()?);
            Some(Origin::Clause { conditions, tests })
        }
        ["author"] => Some(Origin::Author),
        _ => None,
    }
}

/// What names in a text stand for.
struct Names<'f> {
    facts: &'f StaticFacts,
    /// Compounds by their text; made when the first is met.
    compounds: Option<FxHashMap<String, Value>>,
}

impl<'f> Names<'f> {
    fn new(facts: &'f StaticFacts) -> Self {
        Self { facts, compounds: None }
    }

    fn compound(&mut self, text: &str) -> Option<Value> {
        let facts = self.facts;
        let compounds = self.compounds.get_or_insert_with(|| {
            let symbols = facts.symbols().borrow();
            let relations = facts.predicates().filter_map(|id| facts.relation(id));
            let values = relations.flat_map(|relation| relation.rows.iter().flatten().copied());
            let members = facts.domains().iter().flat_map(|domain| domain.values.iter().copied());
            let is_compound = |value: &Value| matches!(value, Value::Compound(_));
            values
                .chain(members)
                .filter(is_compound)
                .map(|value| (value_text(&symbols, value), value))
                .collect()
        });
        compounds.get(text).copied()
    }

    fn predicate(&self, name: &str, arity: usize) -> Option<PredicateId> {
        let is_it = |id: &PredicateId| {
            self.facts
                .relation(*id)
                .is_some_and(|relation| relation.name == name && relation.columns.len() == arity)
        };
        self.facts.predicates().find(is_it)
    }

    fn domain(&self, name: &str) -> Option<DomainId> {
        let place = self.facts.domains().iter().position(|domain| domain.name == name)?;
        u32::try_from(place).ok().map(DomainId)
    }
}

/// A name with terms in brackets: an atom or a compound, to be told by what comes after.
enum Item {
    Term(Term),
    Call(String, Vec<Term>, String),
}

struct Reader<'r, 'f> {
    signs: &'r [Sign],
    at: usize,
    names: &'r mut Names<'f>,
    variables: Vec<String>,
    depth: usize,
}

impl Reader<'_, '_> {
    fn takes(&mut self, mark: &str) -> bool {
        let is_it = matches!(self.signs.get(self.at), Some(Sign::Mark(found)) if *found == mark);
        self.at += usize::from(is_it);
        is_it
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.signs.get(self.at), Some(Sign::Name(found)) if found == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.takes(mark) { Ok(()) } else { Err(format!("`{mark}` is missing")) }
    }

    fn consequence(&mut self) -> Result<Consequence, String> {
        let is_alone = !matches!(self.signs.get(1), Some(Sign::Mark("(" | "=")));
        if is_alone && self.takes_word("impossible") {
            return Ok(Consequence::Impossible);
        }
        if is_alone && self.takes_word("useless") {
            let is_some =
                matches!(self.signs.get(self.at + 1), Some(Sign::Name(_) | Sign::Quoted(_)))
                    && self.takes_word("some");
            let condition = self.condition()?;
            let make = if is_some { Consequence::HasMatch } else { Consequence::Holds };
            return Ok(make(condition));
        }
        let left = self.term()?;
        if self.takes("=") {
            return Ok(Consequence::Equal(left, self.term()?));
        }
        let (Term::Var(var), true) = (left, self.takes_word("in")) else {
            return Err("an unknown consequence".to_owned());
        };
        self.expect("{")?;
        let mut values = Vec::new();
        while !self.takes("}") {
            let Term::Value(value) = self.term()? else { return Err("a variable as value".into()) };
            values.push(value);
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Consequence::Within(var, values))
    }

    fn body(&mut self) -> Result<Vec<Condition>, String> {
        let mut body = vec![self.condition()?];
        while self.takes(",") {
            body.push(self.condition()?);
        }
        Ok(body)
    }

    fn condition(&mut self) -> Result<Condition, String> {
        if matches!(self.signs.get(self.at + 1), Some(Sign::Mark("{"))) && self.takes_word("none") {
            return self.negation();
        }
        let left = match self.item()? {
            Item::Term(term) => term,
            Item::Call(name, args, text) => {
                if self.is_operator() {
                    Term::Value(self.names.compound(&text).ok_or("an unknown value")?)
                } else {
                    let known = self.names.predicate(&name, args.len());
                    let predicate = known.ok_or_else(|| format!("unknown predicate `{name}`"))?;
                    return Ok(Condition::Holds(Atom { predicate, args }));
                }
            }
        };
        if self.takes_word("in") {
            let name = self.name().ok_or("a domain is missing")?;
            let domain = self.names.domain(&name).ok_or("an unknown domain")?;
            return Ok(Condition::Member(left, domain));
        }
        let comparison = self.comparison().ok_or("a comparison is missing")?;
        let right = self.expr()?;
        Ok(Condition::Compare(comparison, Expr::Term(left), right))
    }

    fn negation(&mut self) -> Result<Condition, String> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err("too deep".to_owned());
        }
        self.expect("{")?;
        let mut locals = Vec::new();
        while !self.takes(":") {
            let Term::Var(var) = self.term()? else { return Err("a value as variable".into()) };
            locals.push(var);
            if !self.takes(",") {
                self.expect(":")?;
                break;
            }
        }
        let body = self.body()?;
        self.expect("}")?;
        self.depth -= 1;
        Ok(Condition::None { locals, body })
    }

    fn is_operator(&self) -> bool {
        match self.signs.get(self.at) {
            Some(Sign::Mark(mark)) => matches!(*mark, "=" | "\\=" | "<" | "=<" | ">" | ">="),
            Some(Sign::Name(word)) => word == "in",
            _ => false,
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let Some(Sign::Mark(mark)) = self.signs.get(self.at) else { return None };
        let comparison = match *mark {
            "=" => Comparison::Equal,
            "\\=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "=<" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => return None,
        };
        self.at += 1;
        Some(comparison)
    }

    fn expr(&mut self) -> Result<Expr, String> {
        let left = Expr::Term(self.term()?);
        let operation = match self.signs.get(self.at) {
            Some(Sign::Mark("+")) => Operation::Add,
            Some(Sign::Mark("-")) => Operation::Sub,
            Some(Sign::Mark("*")) => Operation::Mul,
            Some(Sign::Name(word)) => match word.as_str() {
                "div" => Operation::Div,
                "mod" => Operation::Mod,
                "min" => Operation::Min,
                "max" => Operation::Max,
                _ => return Ok(left),
            },
            _ => return Ok(left),
        };
        self.at += 1;
        let right = Expr::Term(self.term()?);
        Ok(Expr::Binary(operation, Box::new(left), Box::new(right)))
    }

    fn term(&mut self) -> Result<Term, String> {
        match self.item()? {
            Item::Term(term) => Ok(term),
            Item::Call(_, _, text) => {
                Ok(Term::Value(self.names.compound(&text).ok_or("an unknown value")?))
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        let Some(Sign::Name(name) | Sign::Quoted(name)) = self.signs.get(self.at) else {
            return None;
        };
        self.at += 1;
        Some(name.clone())
    }

    fn item(&mut self) -> Result<Item, String> {
        let sign = self.signs.get(self.at).ok_or("the line ends too soon")?;
        match sign {
            Sign::Variable(name) => {
                self.at += 1;
                self.variable(name).map(Item::Term)
            }
            Sign::Number(number) => {
                self.at += 1;
                Ok(Item::Term(Term::Value(Value::Int(*number))))
            }
            Sign::Mark("(") => self.call(String::new()),
            Sign::Name(name) | Sign::Quoted(name) => {
                self.at += 1;
                if matches!(self.signs.get(self.at), Some(Sign::Mark("("))) {
                    return self.call(name.clone());
                }
                let symbol = self.names.facts.symbols().borrow().find(name);
                let symbol = symbol.ok_or_else(|| format!("unknown name `{name}`"))?;
                Ok(Item::Term(Term::Value(Value::Symbol(symbol))))
            }
            Sign::Mark(mark) => Err(format!("`{mark}` is out of place")),
        }
    }

    fn variable(&mut self, name: &str) -> Result<Term, String> {
        let known = self.variables.iter().position(|other| other == name);
        let number = known.unwrap_or(self.variables.len());
        if known.is_none() {
            if number >= VARIABLES_LIMIT {
                return Err("too many variables".to_owned());
            }
            self.variables.push(name.to_owned());
        }
        let number = u16::try_from(number).map_err(|_| "too many variables")?;
        Ok(Term::Var(Var(number)))
    }

    /// Arguments in brackets; their text is kept, in case it is a compound.
    fn call(&mut self, name: String) -> Result<Item, String> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err("too deep".to_owned());
        }
        self.expect("(")?;
        let mut args = Vec::new();
        let mut is_ground = true;
        while !self.takes(")") {
            match self.term() {
                Ok(term) => {
                    is_ground &= matches!(term, Term::Value(_));
                    args.push(term);
                }
                Err(problem) => return Err(problem),
            }
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        self.depth -= 1;
        let text = if is_ground { self.compound_text(&name, &args) } else { String::new() };
        Ok(Item::Call(name, args, text))
    }

    fn compound_text(&self, name: &str, args: &[Term]) -> String {
        let symbols = self.names.facts.symbols().borrow();
        let text = |term: &Term| match term {
            Term::Value(value) => value_text(&symbols, *value),
            Term::Var(_) => String::new(),
        };
        let args: Vec<String> = args.iter().map(text).collect();
        let name = if name.is_empty() { String::new() } else { super::text::name_text(name) };
        format!("{name}({})", args.join(","))
    }
}
