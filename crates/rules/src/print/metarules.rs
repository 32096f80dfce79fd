//! Metarules as text: `meta` blocks that parse back to the same metarules.
//!
//! In: the metarules of a theory. Out: one block for each run of metarules of one phase. Patterns are
//! written as relations, as single conditions are.

use rulesmith_logic::{Span, Symbols, Term, Var};

use super::clause_text::Writing;
use super::wrap::wrap;
use super::write::string;
use super::write_conditions::sign;
use crate::metarule::{Action, Metacondition, Metarule, Phase, Quoted};
use crate::rules_text::ast::Text;
use crate::theory::Theory;
use crate::wording::name_text;

/// A metarule with its full stop, on one line; its phase is not part of it.
pub fn metarule_text(theory: &Theory, symbols: &Symbols, metarule: &Metarule) -> String {
    let names: Vec<String> =
        metarule.variables.iter().map(|variable| variable.name.clone()).collect();
    let writing = MetaWriting(Writing { theory, symbols, names: &names });
    let conclusions: Vec<String> =
        metarule.conclusions.iter().map(|action| writing.action(action)).collect();
    let once =
        metarule.once.as_ref().map(|vars| format!("once {{ {} }}", writing.0.variables(vars)));
    let conditions = metarule.conditions.iter().map(|condition| writing.condition(condition));
    let body: Vec<String> = conditions.chain(once).collect();
    let head = conclusions.join(", ");
    if body.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", body.join(", ")) }
}

/// The blocks of a theory as one section, if it has metarules.
pub(super) fn blocks(theory: &Theory) -> Option<String> {
    let mut text = String::new();
    let mut open: Option<Phase> = None;
    for metarule in &theory.metarules {
        if open != Some(metarule.phase) {
            open = Some(metarule.phase);
            text += &format!("meta phase {}.\n", metarule.phase.name());
        }
        text += &wrap(&metarule_text(theory, &theory.symbols, metarule));
        text.push('\n');
    }
    open.map(|_| text + "meta end.\n")
}

/// One metarule being written.
struct MetaWriting<'t>(Writing<'t>);

impl MetaWriting<'_> {
    fn condition(&self, condition: &Metacondition) -> String {
        use Metacondition as M;
        match condition {
            M::Rule(rule) => applied("rule", &[self.var(*rule)]),
            M::NewRule(rule) => applied("newrule", &[self.var(*rule)]),
            M::Conclusion(rule, quoted) => {
                applied("conclusion", &[self.var(*rule), self.quoted(quoted)])
            }
            M::Condition(rule, quoted) => {
                applied("condition", &[self.var(*rule), self.quoted(quoted)])
            }
            M::SetOfConditions(rule, set) => {
                applied("setofconditions", &[self.var(*rule), self.var(*set)])
            }
            M::Variable(term) => applied("variable", &[self.term(*term)]),
            M::Constant(term) => applied("constant", &[self.term(*term)]),
            M::Same(left, right) => applied("same", &[self.term(*left), self.term(*right)]),
            M::Sort(term, domain) => {
                let sorts = &self.0.theory.sorts;
                let sort = sorts.iter().find(|sort| sort.domain == Some(*domain));
                let sort = sort.map_or("?".to_owned(), |sort| name_text(&sort.name));
                applied("sort", &[self.term(*term), sort])
            }
            M::Member(quoted, set) => applied("member", &[self.quoted(quoted), self.var(*set)]),
            M::Subset(left, right) => applied("subset", &[self.var(*left), self.var(*right)]),
            M::Union(left, right, whole) => {
                applied("union", &[self.var(*left), self.var(*right), self.var(*whole)])
            }
            M::Length(set, number) => applied("length", &[self.var(*set), self.term(*number)]),
            M::Compare(comparison, left, right) => {
                format!("{} {} {}", self.term(*left), sign(*comparison), self.term(*right))
            }
            M::Not { body, .. } => {
                let body: Vec<String> = body.iter().map(|inner| self.condition(inner)).collect();
                match &body[..] {
                    [only] => format!("not {only}"),
                    _ => format!("not ({})", body.join(", ")),
                }
            }
            M::Act(action) => self.action(action),
        }
    }

    fn action(&self, action: &Action) -> String {
        use Action as A;
        let rule = self.var(action.rule());
        match action {
            A::AddRule(_) => applied("addrule", &[rule]),
            A::AddConclusion(_, quoted) => applied("addconclusion", &[rule, self.quoted(quoted)]),
            A::AddCondition(_, quoted) => applied("addcondition", &[rule, self.quoted(quoted)]),
            A::AddConditionToSet(_, set) => applied("addconditiontoset", &[rule, self.var(*set)]),
            A::RemoveCondition(_, quoted) => {
                applied("removecondition", &[rule, self.quoted(quoted)])
            }
            A::Unify(_, left, right) => {
                applied("unify", &[rule, self.term(*left), self.term(*right)])
            }
            A::Impossible(_) => applied("impossible", &[rule]),
            A::Kill(_, why) => {
                let why = string(&Text { text: why.clone(), span: Span::default() });
                applied("kill", &[rule, why])
            }
            A::Useless(_, quoted) => applied("useless", &[rule, self.quoted(quoted)]),
        }
    }

    fn quoted(&self, quoted: &Quoted) -> String {
        match quoted {
            Quoted::Pattern(condition) => format!("`{}`", self.0.condition(condition)),
            Quoted::Variable(var) => self.var(*var),
        }
    }

    fn var(&self, var: Var) -> String {
        self.0.variable(var)
    }

    fn term(&self, term: Term) -> String {
        self.0.term(term)
    }
}

fn applied(name: &str, args: &[String]) -> String {
    format!("{name}({})", args.join(", "))
}
