//! The check: from syntax trees to a theory, with every problem on the way.
//!
//! In: a text, what it includes, settings. Out: a checked [`Theory`], or all its problems at once.
//! Invariant: a theory without errors is function-free, safe, stratified and within the limits.

mod consequences;
mod constants;
mod declare;
mod exprs;
mod items;
mod lower;
mod metarules;
mod notation;
mod patterns;
mod safety;
mod sorts;
mod stratify;
mod variables;

pub(crate) use items::arguments;

use indexmap::IndexMap;
use rulesmith_logic::{
    ClauseBase, DomainId, Level, Predicate, PredicateId, Source, Span, Symbol, Symbols,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::metarule::Metarule;
use crate::rules_text::ast::{File, Item, ItemKind, SortExpr};
use crate::rules_text::{ParseLimits, parse_file};
use crate::source::{Diagnostic, Diagnostics, Sources, nearest};
use crate::theory::{
    Data, Fluent, MoveKind, Notation, Param, PredicateKind, Sort, Theory, TurnIdentity,
};

/// What is set from outside the text.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Parameters by name.
    pub params: Vec<(String, i32)>,
    /// Data texts.
    pub data: Vec<DataSetting>,
    /// How much a text may ask for.
    pub limits: TextLimits,
}

/// A data text set from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSetting {
    /// Which `data`; `None` for the only one.
    pub name: Option<String>,
    /// Name of the file it came from.
    pub file: String,
    /// The text.
    pub text: String,
}

/// How much a rules text may ask for before anything is played.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    /// Nesting and size of the text itself.
    pub parse: ParseLimits,
    /// Values of one sort.
    pub sort_size: usize,
    /// Included files.
    pub includes: usize,
    /// Conditions of one clause, nested ones apart.
    pub conditions: usize,
    /// Keys of one fluent: the product of the sizes of their sorts.
    pub fluent_keys: usize,
}

impl Default for TextLimits {
    fn default() -> Self {
        Self {
            parse: ParseLimits::default(),
            sort_size: 65_536,
            includes: 64,
            conditions: 1_000,
            fluent_keys: 262_144,
        }
    }
}

/// Finds the texts that a rules file names.
pub trait Resolver {
    /// The text at `path`, seen from the file named `from`: its full name and its text, or why not.
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String>;
}

/// A resolver that finds nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Resolver for NoFiles {
    fn read(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("`{path}` cannot be read here"))
    }
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The theory, when there are no errors.
    pub theory: Option<Theory>,
    /// All problems.
    pub diagnostics: Diagnostics,
    /// The texts the problems point into.
    pub sources: Sources,
}

/// Reads and checks a `.rules` text.
///
/// ```
/// use rulesmith_rules::{NoFiles, Settings, parse};
/// let text = "rules 1. game one. role me. fluent done. move go.
///     legal me does go. effect go : done := true. terminal :- done. goal(me, 100) :- done.";
/// let parsed = parse("one.rules", text, &Settings::default(), &NoFiles);
/// assert_eq!(parsed.theory.expect("no errors").name, "one");
/// ```
pub fn parse(name: &str, text: &str, settings: &Settings, resolver: &dyn Resolver) -> Parsed {
    let mut parsed = parse_unlinted(name, text, settings, resolver);
    if let Some(theory) = &parsed.theory {
        crate::lint::lint(theory, &mut parsed.diagnostics);
        parsed.diagnostics.list.sort_by_key(|problem| (problem.severity, problem.span));
    }
    parsed.theory = parsed.theory.filter(|_| !parsed.diagnostics.has_errors());
    parsed
}

/// The same, without advice to an author.
pub(crate) fn parse_unlinted(
    name: &str,
    text: &str,
    settings: &Settings,
    resolver: &dyn Resolver,
) -> Parsed {
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::default();
    sources.add(name, text);
    let mut written = File::default();
    include(0, &mut written, (&mut sources, &mut diagnostics), settings, resolver);
    let mut checker = Checker::new(settings, resolver, &mut sources, &mut diagnostics);
    let theory = checker.check(&written.items);
    consequences::drop_consequences(&mut diagnostics, &sources, &written.broken);
    diagnostics.list.sort_by_key(|problem| (problem.severity, problem.span));
    let theory = theory.filter(|_| !diagnostics.has_errors()).map(|mut theory| {
        theory.sources.clone_from(&sources);
        theory
    });
    Parsed { theory, diagnostics, sources }
}

/// Parses a file and, in the place of each `include`, what it names.
fn include(
    file: u32,
    written: &mut File,
    (sources, diagnostics): (&mut Sources, &mut Diagnostics),
    settings: &Settings,
    resolver: &dyn Resolver,
) {
    let source = sources.files[file as usize].clone();
    let own = parse_file(file, &source.text, &settings.limits.parse, diagnostics);
    written.broken.extend(own.broken);
    for item in own.items {
        let ItemKind::Include(path) = &item.kind else {
            written.items.push(item);
            continue;
        };
        if sources.files.len() > settings.limits.includes {
            let message =
                format!("the limit `includes` of {} was reached", settings.limits.includes);
            diagnostics.report(Diagnostic::error("limit", path.span, message));
            continue;
        }
        match resolver.read(&source.name, &path.text) {
            Ok((name, _)) if sources.files.iter().any(|file| file.name == name) => {
                let message = format!("`{name}` is included twice");
                diagnostics.report(Diagnostic::error("include", path.span, message));
            }
            Ok((name, text)) => {
                let file = sources.add(name, text);
                include(file, written, (sources, diagnostics), settings, resolver);
            }
            Err(why) => {
                let message = format!("cannot include `{}`: {why}", path.text);
                diagnostics.report(Diagnostic::error("include", path.span, message));
            }
        }
    }
}

/// Everything known so far about the text being checked.
pub(crate) struct Checker<'a> {
    settings: &'a Settings,
    resolver: &'a dyn Resolver,
    sources: &'a mut Sources,
    diagnostics: &'a mut Diagnostics,
    symbols: Symbols,
    base: ClauseBase,
    kinds: Vec<PredicateKind>,
    params: Vec<Param>,
    data: Vec<Data>,
    /// Sort definitions by name; resolved on first use.
    definitions: IndexMap<String, (SortExpr, Span)>,
    sorts: IndexMap<String, Option<DomainId>>,
    /// Sorts being resolved, to notice circles.
    resolving: Vec<String>,
    /// Names that are values of some sort.
    constants: FxHashSet<Symbol>,
    /// Functors of product sorts, by number of arguments.
    functors: FxHashSet<(String, usize)>,
    roles: Vec<Symbol>,
    role_domain: Option<DomainId>,
    bool_domain: DomainId,
    fluents: Vec<Fluent>,
    moves: Vec<MoveKind>,
    /// Relations by name and number of arguments.
    relations: IndexMap<(String, usize), PredicateId>,
    /// Functional statics by name and number of arguments without the last.
    functions: FxHashMap<(String, usize), PredicateId>,
    /// Where each predicate was declared or first defined.
    declared_at: FxHashMap<PredicateId, Span>,
    special: Special,
    preferences: Vec<PredicateId>,
    targets: Vec<PredicateId>,
    turn_identity: TurnIdentity,
    notation: Notation,
    metarules: Vec<Metarule>,
}

/// The predicates every theory has.
#[derive(Clone, Copy)]
struct Special {
    terminal: PredicateId,
    goal: PredicateId,
    draw: PredicateId,
    continues: PredicateId,
}

impl<'a> Checker<'a> {
    fn new(
        settings: &'a Settings,
        resolver: &'a dyn Resolver,
        sources: &'a mut Sources,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let (mut symbols, mut base, mut kinds) =
            (Symbols::default(), ClauseBase::default(), vec![]);
        let bool_domain = sorts::bool_domain(&mut symbols, &mut base);
        let mut special = |name: &str, arity, kind| {
            kinds.push(kind);
            base.add_predicate(clause_predicate(name, vec![None; arity]))
        };
        let special = Special {
            terminal: special("terminal", 0, PredicateKind::Terminal),
            goal: special("goal", 2, PredicateKind::Goal),
            draw: special("draw", 0, PredicateKind::Draw),
            continues: special("continue", 0, PredicateKind::Continue),
        };
        let relations = [
            (("terminal".to_owned(), 0), special.terminal),
            (("goal".to_owned(), 2), special.goal),
            (("draw".to_owned(), 0), special.draw),
        ];
        Self {
            settings,
            resolver,
            sources,
            diagnostics,
            symbols,
            base,
            kinds,
            params: vec![],
            data: vec![],
            definitions: IndexMap::new(),
            sorts: IndexMap::new(),
            resolving: vec![],
            constants: FxHashSet::default(),
            functors: FxHashSet::default(),
            roles: vec![],
            role_domain: None,
            bool_domain,
            fluents: vec![],
            moves: vec![],
            relations: relations.into_iter().collect(),
            functions: FxHashMap::default(),
            declared_at: FxHashMap::default(),
            special,
            preferences: vec![],
            targets: vec![],
            turn_identity: TurnIdentity::default(),
            notation: Notation::default(),
            metarules: vec![],
        }
    }

    /// The stages, in order: each needs what the one before found.
    fn check(&mut self, items: &[Item]) -> Option<Theory> {
        let name = self.game_name(items);
        self.declare_params(items);
        self.declare_roles(items);
        self.declare_data(items);
        self.declare_sorts(items);
        self.declare_data_relations(items);
        self.declare_predicates(items);
        self.declare_heads(items);
        self.lower_items(items);
        self.read_notation(items);
        self.read_metarules(items);
        self.check_stratification();
        if self.diagnostics.has_errors() {
            return None;
        }
        self.base.settle();
        self.check_levels();
        Some(self.theory(name))
    }

    fn game_name(&mut self, items: &[Item]) -> String {
        let mut name = None;
        for item in items {
            match &item.kind {
                ItemKind::Version(1) => {}
                ItemKind::Version(other) => self.report(
                    Diagnostic::error(
                        "version",
                        item.span,
                        format!("version {other} is not known"),
                    )
                    .help("this program reads `rules 1.`"),
                ),
                ItemKind::Game(given) if name.is_none() => name = Some(given.text.clone()),
                ItemKind::Game(given) => {
                    self.report(Diagnostic::error(
                        "duplicate",
                        given.span,
                        "the game has a name already",
                    ));
                }
                _ => {}
            }
        }
        if let Some(name) = name {
            return name;
        }
        let span = items.first().map_or(Span::default(), |item| item.span);
        let problem = Diagnostic::error("no-game", span, "the game has no name");
        self.report(problem.help("start with `rules 1.` and `game NAME.`"));
        String::new()
    }

    fn theory(&mut self, name: String) -> Theory {
        let sorts = std::mem::take(&mut self.sorts);
        Theory {
            name,
            params: std::mem::take(&mut self.params),
            data: std::mem::take(&mut self.data),
            symbols: std::mem::take(&mut self.symbols),
            base: std::mem::take(&mut self.base),
            kinds: std::mem::take(&mut self.kinds),
            sorts: sorts.into_iter().map(|(name, domain)| Sort { name, domain }).collect(),
            roles: std::mem::take(&mut self.roles),
            fluents: std::mem::take(&mut self.fluents),
            moves: std::mem::take(&mut self.moves),
            terminal: self.special.terminal,
            goal: self.special.goal,
            draw: self.special.draw,
            continues: self.special.continues,
            preferences: std::mem::take(&mut self.preferences),
            turn_identity: self.turn_identity,
            targets: std::mem::take(&mut self.targets),
            notation: std::mem::take(&mut self.notation),
            metarules: std::mem::take(&mut self.metarules),
            sources: Sources::default(),
        }
    }

    fn report(&mut self, problem: Diagnostic) {
        self.diagnostics.report(problem);
    }

    fn add_predicate(
        &mut self,
        predicate: Predicate,
        kind: PredicateKind,
        span: Span,
    ) -> PredicateId {
        self.kinds.push(kind);
        let id = self.base.add_predicate(predicate);
        self.declared_at.insert(id, span);
        id
    }

    /// All names that can be applied, for suggestions.
    fn known_names(&self) -> Vec<&str> {
        let relations = self.relations.keys().map(|(name, _)| name.as_str());
        let functions = self.functions.keys().map(|(name, _)| name.as_str());
        let fluents = self.fluents.iter().map(|fluent| fluent.name.as_str());
        let sorts = self.sorts.keys().map(String::as_str);
        let mut names: Vec<&str> = relations.chain(functions).chain(fluents).chain(sorts).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// `did you mean …?`, when something is near.
    fn did_you_mean<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        nearest(word, names).map(|near| format!("did you mean `{near}`?"))
    }
}

/// A predicate answered from clauses.
fn clause_predicate(name: &str, domains: Vec<Option<DomainId>>) -> Predicate {
    Predicate { name: name.to_owned(), domains, source: Source::Clauses, level: Level::Static }
}

/// A predicate answered by the world.
fn world_predicate(name: &str, domains: Vec<Option<DomainId>>, level: Level) -> Predicate {
    Predicate { name: name.to_owned(), domains, source: Source::World, level }
}

/// An error with a suggestion, if there is one.
fn with_help(problem: Diagnostic, help: Option<String>) -> Diagnostic {
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}
