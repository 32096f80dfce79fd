//! The syntax tree of a `.rules` file: what was written, before anything is looked up.
//!
//! In: tokens. Out: items with spans. Invariant: nothing here is resolved, a name is a name.

use rulesmith_logic::{Comparison, Operation, Span};

use crate::metarule::Phase;

/// A name with its place. Quoted names (`'X 1'`) are stored without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The text.
    pub(crate) text: String,
    /// Its place.
    pub(crate) span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    /// Its items in order.
    pub(crate) items: Vec<Item>,
    /// Where items stood that could not be read: names in them may be missing elsewhere.
    pub(crate) broken: Vec<Span>,
}

/// One item, up to its full stop.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// What it says.
    pub(crate) kind: ItemKind,
    /// From its first word to its full stop.
    pub(crate) span: Span,
}

/// What an item says.
#[derive(Clone, Debug)]
pub(crate) enum ItemKind {
    /// `rules 1.`
    Version(i64),
    /// `game breakthrough.`
    Game(Name),
    /// `include "board.rules".`
    Include(Text),
    /// `param size = 19.`
    Param { name: Name, value: Expr },
    /// `data level : tile = "first.xsb".` or with the text itself in `"""`.
    Data { name: Name, sort: SortExpr, source: DataSource },
    /// `role white, black.`
    Role(Vec<Name>),
    /// `sort file = 1..8.`
    Sort { name: Name, definition: SortExpr },
    /// `static forward(role, rank, rank).`, `static next(role -> role).`, `derived path(square, 0..9).`
    Predicate { is_static: bool, name: Name, args: Vec<SortExpr>, result: Option<SortExpr> },
    /// `fluent at(file, rank) : content = empty.`; `transient fluent`: reset to its default by every step.
    Fluent {
        name: Name,
        keys: Vec<SortExpr>,
        value: Option<SortExpr>,
        default: Option<Expr>,
        is_transient: bool,
    },
    /// `move step(file, rank).`
    Move { name: Name, params: Vec<SortExpr> },
    /// `init at(_, R) = white :- R =< 2.`; a boolean fluent has no value.
    Init { fluent: Expr, value: Option<Expr>, body: Vec<Condition> },
    /// `legal P does step(F, R) :- …`.
    Legal { role: Expr, act: Expr, body: Vec<Condition> },
    /// `effect P does step(F, R) : at(F, R) := P, … :- …`; `effect any : …`; `deferred effect …`.
    Effect { is_deferred: bool, by: Doer, assignments: Vec<Assignment>, body: Vec<Condition> },
    /// `continue :- …`
    Continue(Vec<Condition>),
    /// `prefer max(Expr) :- …`
    Prefer { value: Expr, body: Vec<Condition> },
    /// `turns by result.` (true) or `turns by path.`
    TurnsByResult(bool),
    /// `terminal :- …`
    Terminal(Vec<Condition>),
    /// `draw :- …`
    Draw(Vec<Condition>),
    /// `goal(P, 100) :- …`
    Goal { role: Expr, value: Expr, body: Vec<Condition> },
    /// `target capture(S) :- …`
    Target { name: Name, args: Vec<Expr>, body: Vec<Condition> },
    /// `object string = component(P : at(P) = C, C \= empty ; link adjacent ; same C).`
    Object { name: Name, element: Name, body: Vec<Condition>, link: Name, same: Option<Name> },
    /// A fact or clause of a static or derived predicate; the head is a name or an application.
    Clause { head: Expr, body: Vec<Condition> },
    /// `glyph white = "O", empty = ".".` or for one fluent only: `glyph at : white = "O".`
    Glyphs { fluent: Option<Name>, glyphs: Vec<(Expr, Text)> },
    /// `letters file = "abcdefgh".`: one character for each value of the sort, in order.
    Letters { sort: Name, text: Text },
    /// `notation step(F, R) = F "-" R.`
    MoveNotation { act: Expr, parts: Vec<NotationPart> },
    /// `notation position = at " " turn.`
    PositionNotation { parts: Vec<NotationPart> },
    /// `display at(X, Y) across X, up Y.`; `down Y`; `slant 1` shifts each row by half a cell.
    Display { fluent: Expr, across: Name, down: Option<Name>, is_up: bool, slant: i64 },
    /// `picture at = """ … """.`: every `[key]` in the text is replaced by the glyph of the value there.
    Picture { fluent: Name, text: Text },
    /// `meta phase filter.` opens a block, `meta end.` closes it.
    Meta,
    /// ``impossible(R) :- rule(R), condition(R, `p(X)`).`` in a block.
    Metarule { phase: Phase, conclusions: Vec<MetaAtom>, body: Vec<MetaCondition> },
}

/// A string with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The characters, escapes resolved.
    pub(crate) text: String,
    /// Its place, quotes included.
    pub(crate) span: Span,
}

/// Where data comes from by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DataSource {
    /// A file beside the rules (a `"…"` string).
    File(Text),
    /// The text itself (a `"""…"""` string).
    Inline(Text),
    /// Nowhere: it must be given on the command line.
    Required,
}

/// Who does what, in an effect.
#[derive(Clone, Debug)]
pub(crate) enum Doer {
    /// `any`: whatever is done.
    Any,
    /// A move, with the role where it is said.
    Act { role: Option<Expr>, act: Expr },
}

/// `at(F, R) := P`.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    /// The fluent, applied.
    pub(crate) fluent: Expr,
    /// Its new value.
    pub(crate) value: Expr,
}

/// A piece of a notation: text as it stands, or a variable or fluent to be written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotationPart {
    /// `"-"`.
    Text(Text),
    /// A variable of the move, or a fluent of the position.
    Name(Name),
}

/// A sort, written out.
#[derive(Clone, Debug)]
pub(crate) struct SortExpr {
    /// What it says.
    pub(crate) kind: SortExprKind,
    /// Its place.
    pub(crate) span: Span,
}

/// How a sort is made.
#[derive(Clone, Debug)]
pub(crate) enum SortExprKind {
    /// A named sort.
    Name(String),
    /// `{a, b, 'C', 3}`.
    Enumeration(Vec<Expr>),
    /// `1..8`, bounds may be expressions over parameters.
    Range(Expr, Expr),
    /// `file * rank`: tuples; or `sq(file, rank)`: compounds of that functor.
    Product(Option<Name>, Vec<SortExpr>),
    /// `{empty} + role`.
    Union(Vec<SortExpr>),
    /// `{(F, R) : file(F), rank(R), F =< R}`: all values that the conditions allow.
    Comprehension(Expr, Vec<Condition>),
}

/// An expression, term, or application; what it is depends on what the names turn out to be.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// What it says.
    pub(crate) kind: ExprKind,
    /// Its place.
    pub(crate) span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// `empty`, `size`, `turn`: a constant, parameter, or application without arguments.
    Name(String),
    /// `P`.
    Var(String),
    /// `_`.
    Wildcard,
    /// `3`.
    Int(i64),
    /// `at(F, R)`, `min(A, B)`, `sq(F, R)`; also `rows(level)`, `columns(level)`.
    Apply(Name, Vec<Expr>),
    /// `(F, R)`.
    Tuple(Vec<Expr>),
    /// `A + B`.
    Binary(Operation, Box<Expr>, Box<Expr>),
    /// `-A`.
    Negate(Box<Expr>),
    /// `count { X, Y : … }`.
    Count { counted: Vec<Name>, body: Vec<Condition> },
    /// `undefined`: no value, for fluents that are partial functions.
    Undefined,
}

/// A condition of a body.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// What it says.
    pub(crate) kind: ConditionKind,
    /// Its place.
    pub(crate) span: Span,
}

/// One thing that rules conclude or ask, written by itself: in a request, or in quotes.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// `won(P)`, `at(S) = C`, `legal P does any`.
    Condition(Condition),
    /// `init at(S) = C`; without a value, whatever the value is.
    Init { fluent: Expr, value: Option<Expr> },
    /// `effect at(S) := C`, `deferred effect at(S)`.
    Effect { is_deferred: bool, fluent: Expr, value: Option<Expr> },
}

impl Subject {
    /// Its place.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Condition(condition) => condition.span,
            Self::Init { fluent, value } | Self::Effect { fluent, value, .. } => {
                let end = value.as_ref().map_or(fluent.span.end, |value| value.span.end);
                Span { end, ..fluent.span }
            }
        }
    }
}

/// The kinds of conditions.
#[derive(Clone, Debug)]
pub(crate) enum ConditionKind {
    /// `won(P)`, `blocked(S)`: a predicate, boolean fluent or sort, applied.
    Holds(Expr),
    /// `A = B`, `at(F, R) \= P`, `R =< 2`.
    Compare(Comparison, Expr, Expr),
    /// `not C`, `not (C, D)`.
    Not(Vec<Condition>),
    /// `none { X, Y : C, D }`.
    None { locals: Vec<Name>, body: Vec<Condition> },
    /// `(C, D ; E)`.
    AnyOf(Vec<Vec<Condition>>),
    /// `P does step(F, R)`: in effects and what they call.
    Does { role: Expr, act: Expr },
    /// `legal P does step(F, R)`; `legal P does any`.
    Legal { role: Expr, act: Option<Expr> },
    /// `after(step(F, R), C, D)`, `after(P does step(F, R), C)`.
    After { role: Option<Expr>, act: Expr, body: Vec<Condition> },
    /// `repeated(3)`, `repeated(2, over [at, turn])`.
    Repeated { times: Expr, over: Option<Vec<Name>> },
    /// `since(capture, 100)`.
    Since { event: Name, steps: Expr },
    /// `cycle(P, in_check(Q))`, `cycle(P, C, D, over [at])`.
    Cycle { role: Expr, body: Vec<Condition>, over: Option<Vec<Name>> },
}

/// A metapredicate with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct MetaAtom {
    /// Its name.
    pub(crate) name: Name,
    /// Its arguments.
    pub(crate) args: Vec<MetaArg>,
    /// Its place.
    pub(crate) span: Span,
}

/// An argument of a metapredicate.
#[derive(Clone, Debug)]
pub(crate) enum MetaArg {
    /// A pattern in backquotes, with its place.
    Quoted(Subject, Span),
    /// A reason: `"why"`.
    Text(Text),
    /// A variable, number or name.
    Expr(Expr),
}

/// A condition of a metarule.
#[derive(Clone, Debug)]
pub(crate) struct MetaCondition {
    /// What it says.
    pub(crate) kind: MetaConditionKind,
    /// Its place.
    pub(crate) span: Span,
}

/// The kinds of conditions of a metarule.
#[derive(Clone, Debug)]
pub(crate) enum MetaConditionKind {
    /// `rule(R)`.
    Holds(MetaAtom),
    /// `N < 5`.
    Compare(Comparison, Expr, Expr),
    /// `not C`, `not (C, D)`.
    Not(Vec<MetaCondition>),
    /// `once { R, X }`.
    Once(Vec<Name>),
}
