//! Items: which form it is, and the forms that are clauses.
//!
//! In: tokens from the start of an item. Out: what the item says. Keywords are ordinary names where no
//! item form starts: `move move(file).` declares a move called `move`, `move(F) :- …` is a clause.

use super::ast::{Assignment, Condition, Doer, Expr, ExprKind, ItemKind, Name};
use super::cursor::{Parsed, Parser};
use super::lex::Token;
use super::parse::{CLAUSE_KEYWORDS, ITEM_KEYWORDS};
use crate::source::{Diagnostic, nearest};

impl Parser<'_> {
    /// What the item says, up to its full stop.
    pub(super) fn item_kind(&mut self) -> Parsed<ItemKind> {
        if let Some(phase) = self.phase {
            if self.is_word("meta") && self.second() == Some(Token::Name) {
                self.advance();
                return self.meta_item();
            }
            if !self.is_out_of_block() {
                return self.metarule_item(phase);
            }
            self.close_block();
        }
        let Some(word) = self.word_at(self.position) else { return self.unnamed_item() };
        let is_clause = matches!(self.second(), Some(Token::Open | Token::If | Token::Stop) | None);
        match word {
            "terminal" | "draw" | "continue" if self.second() != Some(Token::Open) => {
                self.advance();
                self.clause_keyword_item(word)
            }
            "goal" if self.second() == Some(Token::Open) => self.goal_item(),
            _ if is_clause => self.clause_item(),
            _ if ITEM_KEYWORDS.contains(&word) => {
                self.advance();
                self.keyword_item(word)
            }
            _ => self.unknown_item(word),
        }
    }

    fn keyword_item(&mut self, word: &str) -> Parsed<ItemKind> {
        match word {
            "rules" => {
                self.integer("the version of the language: `rules 1`").map(ItemKind::Version)
            }
            "game" => self.name("the name of the game").map(ItemKind::Game),
            "include" => {
                self.string("the file to include: `include \"board.rules\"`").map(ItemKind::Include)
            }
            "param" => self.param_item(),
            "data" => self.data_item(),
            "role" => self.names("the name of a role").map(ItemKind::Role),
            "sort" => self.sort_item(),
            "static" => self.predicate_item(true),
            "derived" => self.predicate_item(false),
            "fluent" => self.fluent_item(false),
            "transient" => {
                self.expect_word("fluent")?;
                self.fluent_item(true)
            }
            "move" => self.move_item(),
            "init" => self.init_item(),
            "legal" => self.legal_item(),
            "effect" => self.effect_item(false),
            "deferred" => {
                self.expect_word("effect")?;
                self.effect_item(true)
            }
            "prefer" => self.prefer_item(),
            "turns" => self.turns_item(),
            "target" => self.target_item(),
            "object" => self.object_item(),
            "glyph" => self.glyph_item(),
            "letters" => self.letters_item(),
            "notation" => self.notation_item(),
            "display" => self.display_item(),
            "meta" => self.meta_item(),
            _ => self.picture_item(),
        }
    }

    /// `terminal :- …`, `draw :- …`, `continue :- …`.
    fn clause_keyword_item(&mut self, word: &str) -> Parsed<ItemKind> {
        let body = self.optional_body()?;
        Ok(match word {
            "terminal" => ItemKind::Terminal(body),
            "draw" => ItemKind::Draw(body),
            _ => ItemKind::Continue(body),
        })
    }

    /// `goal(P, 100) :- …`.
    fn goal_item(&mut self) -> Parsed<ItemKind> {
        let head = self.application("a goal")?;
        let body = self.optional_body()?;
        let ExprKind::Apply(_, args) = head.kind else {
            return self.unexpected("`goal(Role, Value)`");
        };
        let Ok([role, value]) = <[Expr; 2]>::try_from(args) else {
            let diagnostic =
                Diagnostic::error("syntax", head.span, "a goal has a role and a value")
                    .label("not two arguments")
                    .help("write `goal(P, 100) :- …`");
            return self.fail(diagnostic);
        };
        Ok(ItemKind::Goal { role, value, body })
    }

    /// `won(P) :- …`, `beside(F, F + 1).`.
    fn clause_item(&mut self) -> Parsed<ItemKind> {
        let head = self.application("a clause")?;
        if matches!(self.token(), Some(Token::Equal | Token::Assign)) {
            let help = "a value at the start is written `init at(F) = V`, a change `effect M : at(F) := V`, \
                        a fact of a functional relation `next(white, black)`";
            return self.unexpected_with("`:-` or a full stop", Some(help.to_owned()));
        }
        let body = self.optional_body()?;
        Ok(ItemKind::Clause { head, body })
    }

    /// `init at(_, R) = white :- …`.
    fn init_item(&mut self) -> Parsed<ItemKind> {
        let fluent = self.application("a fluent")?;
        if self.is(Token::Assign) {
            self.report_sign("a value at the start is given with `=`");
        }
        let value = if self.eat(Token::Equal) || self.eat(Token::Assign) {
            Some(self.expr()?)
        } else {
            None
        };
        let body = self.optional_body()?;
        Ok(ItemKind::Init { fluent, value, body })
    }

    /// `legal P does step(F, R) :- …`.
    fn legal_item(&mut self) -> Parsed<ItemKind> {
        let role = self.expr()?;
        self.expect_does()?;
        let act = self.application("a move")?;
        let body = self.optional_body()?;
        Ok(ItemKind::Legal { role, act, body })
    }

    /// Moves past `does`.
    pub(super) fn expect_does(&mut self) -> Parsed<()> {
        if self.eat_word("does") {
            return Ok(());
        }
        let help = "say who does it: `legal P does step(F, R)`".to_owned();
        self.unexpected_with("`does`", Some(help))
    }

    /// `effect step(F, R) : at(F, R) := empty, … :- …`.
    fn effect_item(&mut self, is_deferred: bool) -> Parsed<ItemKind> {
        let by = self.doer()?;
        if self.is(Token::If) || !self.eat(Token::Colon) {
            let help = "an effect is written `effect MOVE : at(F) := V :- CONDITIONS`".to_owned();
            return self.unexpected_with("`:` and what the move assigns", Some(help));
        }
        let mut assignments = vec![self.assignment()?];
        while self.eat(Token::Comma) {
            assignments.push(self.assignment()?);
        }
        self.expected = "`,`, `:-` or a full stop";
        let body = self.optional_body_or("`,`, `:-` or a full stop")?;
        Ok(ItemKind::Effect { is_deferred, by, assignments, body })
    }

    fn doer(&mut self) -> Parsed<Doer> {
        if self.is_word("any") && self.second() == Some(Token::Colon) {
            self.advance();
            return Ok(Doer::Any);
        }
        let first = self.expr()?;
        if !self.eat_word("does") {
            return self
                .as_application(first, "a move, or `any`")
                .map(|act| Doer::Act { role: None, act });
        }
        if self.is_word("any") && self.second() == Some(Token::Colon) {
            let help = "write `effect any : …` and ask for the role in the body".to_owned();
            return self.unexpected_with("a move", Some(help));
        }
        let act = self.application("a move")?;
        Ok(Doer::Act { role: Some(first), act })
    }

    /// `at(F, R) := P`.
    fn assignment(&mut self) -> Parsed<Assignment> {
        let fluent = self.application("a fluent to assign")?;
        if self.is(Token::Equal) {
            self.report_sign("effects assign with `:=`");
        } else if !self.is(Token::Assign) {
            return self.unexpected("`:=`");
        }
        self.advance();
        Ok(Assignment { fluent, value: self.expr()? })
    }

    /// `prefer max(Expr) :- …`.
    fn prefer_item(&mut self) -> Parsed<ItemKind> {
        if !self.is_word("max") || self.second() != Some(Token::Open) {
            let help =
                "the best turns have the largest value: `prefer max(V)`, or `prefer max(-V)`";
            return self.unexpected_with("`max(…)`", Some(help.to_owned()));
        }
        self.advance();
        let opening = self.position;
        self.advance();
        let value = self.expr()?;
        self.expect_close(opening, "`)`")?;
        let body = self.optional_body()?;
        Ok(ItemKind::Prefer { value, body })
    }

    /// `target capture(S) :- …`.
    fn target_item(&mut self) -> Parsed<ItemKind> {
        let head = self.application("the name of a target")?;
        let body = self.optional_body()?;
        let (name, args) = match head.kind {
            ExprKind::Apply(name, args) => (name, args),
            ExprKind::Name(text) => (Name { text, span: head.span }, Vec::new()),
            _ => return self.unexpected("the name of a target"),
        };
        Ok(ItemKind::Target { name, args, body })
    }

    /// `:- C, D`, or nothing.
    pub(super) fn optional_body(&mut self) -> Parsed<Vec<Condition>> {
        self.optional_body_or("`:-` or a full stop")
    }

    fn optional_body_or(&mut self, expected: &'static str) -> Parsed<Vec<Condition>> {
        self.expected = expected;
        if self.eat(Token::If) { self.body() } else { Ok(Vec::new()) }
    }

    /// Reports the sign that stands here; parsing goes on as if it were right.
    pub(super) fn report_sign(&mut self, help: &str) {
        let message = format!("`{}` is the wrong sign here", self.slice(self.position));
        let diagnostic = Diagnostic::error("wrong-sign", self.place(self.position), message);
        self.diagnostics.report(diagnostic.label("wrong sign").help(help));
    }

    /// Neither a keyword nor the start of a clause.
    fn unknown_item(&mut self, word: &str) -> Parsed<ItemKind> {
        use Token::{Int, Name, Quoted, Text, Var};
        let keywords = ITEM_KEYWORDS.iter().chain(&CLAUSE_KEYWORDS).copied();
        let near = nearest(word, keywords).map(|keyword| format!("did you mean `{keyword}`?"));
        let is_word_next = matches!(self.second(), Some(Int | Name | Quoted | Text | Var));
        if near.is_none() && (!is_word_next || self.is_word_at(self.position + 1, "if")) {
            return self.clause_item();
        }
        let general =
            || "an item starts with a keyword, or it is a clause: `head :- body`".to_owned();
        let message = format!("unknown kind of item `{word}`");
        let diagnostic = Diagnostic::error("unknown-item", self.place(self.position), message)
            .label("not a keyword")
            .help(near.unwrap_or_else(general));
        self.fail(diagnostic)
    }

    /// No small-letter word at the start of an item.
    fn unnamed_item(&mut self) -> Parsed<ItemKind> {
        match self.token() {
            Some(Token::Quoted) => self.clause_item(),
            Some(Token::Var) => {
                let word = self.slice(self.position);
                let lower = word.to_lowercase();
                let is_keyword =
                    ITEM_KEYWORDS.iter().chain(&CLAUSE_KEYWORDS).any(|key| *key == lower);
                let help = if is_keyword {
                    format!("keywords are written in small letters: `{lower}`")
                } else {
                    format!("names start with a small letter; quote it: '{word}'")
                };
                self.unexpected_with("an item", Some(help))
            }
            Some(Token::If) => {
                let help =
                    "a clause has a head: `won(P) :- …`; directives are not part of the language";
                self.unexpected_with("an item", Some(help.to_owned()))
            }
            _ => self.unexpected("an item"),
        }
    }
}
