//! Small random descriptions: safe, stratified, playable, and otherwise as odd as they come.

use std::fmt::Write as _;

/// A generator that depends on its seed alone.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

const CONSTANTS: [&str; 3] = ["a", "b", "c"];
const VARIABLES: [&str; 4] = ["?x", "?y", "?z", "?w"];
const FLUENTS: [(&str, usize); 5] = [("f", 1), ("g", 2), ("h", 0), ("k", 3), ("turn", 1)];
const MOVES: [(&str, usize); 3] = [("m", 1), ("n", 2), ("pass", 0)];
const STATIC: [(&str, usize); 3] = [("s", 1), ("t", 2), ("u", 2)];

/// A description made from a seed.
pub(crate) fn description(seed: u64) -> String {
    let mut random = Random(seed);
    for _ in 0..4 {
        random.below(2);
    }
    let n_roles = 1 + random.below(3);
    let roles = &["r1", "r2", "r3"][..n_roles];
    let mut maker = Maker { random, roles, text: String::new() };
    maker.facts();
    maker.start();
    maker.derived();
    maker.legal();
    maker.next();
    maker.end();
    maker.text
}

/// Rules that leave it to those who ask what some of their variables are.
const OPEN_RULES: &str = "
(<= (same ?v ?v) (s ?w))
(<= (differ ?v ?w) (distinct ?v ?w))
(<= (lacks ?v ?w) (s ?w) (not (true (g ?v ?w))))
(<= (sum ?v a ?v))
(<= (sum ?v ?w ?z) (t ?q ?w) (t ?y ?z) (distinct ?q ?w) (sum ?v ?q ?y))
(<= (either ?v ?w) (or (same ?v ?w) (lacks ?v ?w)))
(<= (wrapped (pair ?v ?w) ?v) (s ?w))
";

/// A description made from a seed that asks for open rules, mostly after conditions that bind.
pub(crate) fn open_description(seed: u64) -> String {
    let text = description(seed) + OPEN_RULES;
    let mut maker = Maker { random: Random(seed), roles: &["r1"], text };
    for _ in 0..4 {
        maker.asking();
    }
    maker.text
}

struct Maker<'a> {
    random: Random,
    roles: &'a [&'a str],
    text: String,
}

/// What a body may read.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    State,
    Moves,
}

impl Maker<'_> {
    fn facts(&mut self) {
        for role in self.roles {
            writeln!(self.text, "(role {role})").unwrap();
        }
        for (name, arity) in STATIC {
            for _ in 0..2 + self.random.below(3) {
                let fact = self.ground(name, arity);
                writeln!(self.text, "{fact}").unwrap();
            }
        }
        writeln!(self.text, "(t a b) (t b c)").unwrap();
    }

    fn start(&mut self) {
        let role = self.random.pick(self.roles);
        writeln!(self.text, "(init (turn {role}))").unwrap();
        for _ in 0..=self.random.below(4) {
            let (name, arity) = FLUENTS[self.random.below(4)];
            let fact = self.ground(name, arity);
            writeln!(self.text, "(init {fact})").unwrap();
        }
        if self.random.one_in(3) {
            writeln!(self.text, "(<= (init (f ?x)) (s ?x) (not (t ?x ?x)))").unwrap();
        }
    }

    fn ground(&mut self, name: &str, arity: usize) -> String {
        if arity == 0 {
            return name.to_owned();
        }
        let args: Vec<String> = (0..arity).map(|_| self.constant()).collect();
        format!("({name} {})", args.join(" "))
    }

    fn constant(&mut self) -> String {
        if self.random.one_in(12) {
            let inner = self.random.pick(&CONSTANTS);
            return format!("(pair {inner} b)");
        }
        self.random.pick(&CONSTANTS).to_owned()
    }

    fn term(&mut self) -> String {
        match self.random.below(9) {
            0 => self.constant(),
            1 if self.random.one_in(3) => format!("(pair {} b)", self.random.pick(&VARIABLES)),
            _ => self.random.pick(&VARIABLES).to_owned(),
        }
    }

    fn applied(&mut self, name: &str, arity: usize) -> String {
        if arity == 0 {
            return name.to_owned();
        }
        let args: Vec<String> = (0..arity).map(|_| self.term()).collect();
        format!("({name} {})", args.join(" "))
    }

    fn fluent(&mut self) -> String {
        let (name, arity) = FLUENTS[self.random.below(FLUENTS.len())];
        if name == "turn" && self.random.one_in(2) {
            return format!("(turn {})", self.random.pick(self.roles));
        }
        self.applied(name, arity)
    }

    fn positive(&mut self, reads: Reads) -> String {
        match self.random.below(if reads == Reads::Moves { 9 } else { 6 }) {
            0 => self.applied("s", 1),
            1 => self.applied("t", 2),
            2 if self.random.one_in(2) => format!("(derived {})", self.term()),
            2 => self.applied("u", 2),
            3..6 => format!("(true {})", self.fluent()),
            _ => {
                let (name, arity) = MOVES[self.random.below(MOVES.len())];
                let role = if self.random.one_in(3) { "?r" } else { self.random.pick(self.roles) };
                format!("(does {role} {})", self.applied(name, arity))
            }
        }
    }

    /// Positive conditions, then tests on what they bind; and what they bind.
    fn body(&mut self, reads: Reads, first: &[String]) -> (String, Vec<String>) {
        let mut conditions = first.to_vec();
        for _ in 0..=self.random.below(3) {
            let condition = self.positive(reads);
            conditions.push(condition);
        }
        let bound = variables(&conditions.join(" "));
        for _ in 0..self.random.below(3) {
            let test = self.test(&bound, reads);
            let place = self.random.below(conditions.len() + 1);
            conditions.insert(place, test);
        }
        (conditions.join(" "), bound)
    }

    fn bound_term(&mut self, bound: &[String]) -> String {
        if bound.is_empty() || self.random.one_in(3) {
            return self.random.pick(&CONSTANTS).to_owned();
        }
        bound[self.random.below(bound.len())].clone()
    }

    fn test(&mut self, bound: &[String], reads: Reads) -> String {
        let (one, two) = (self.bound_term(bound), self.bound_term(bound));
        match self.random.below(7) {
            0 | 1 => format!("(distinct {one} {two})"),
            2 => format!("(not (true (f {one})))"),
            3 => format!("(not (true (g {one} {two})))"),
            4 if reads == Reads::Moves => {
                format!("(not (does {} (m {one})))", self.random.pick(self.roles))
            }
            4 => format!("(not (derived {one}))"),
            5 => format!("(or (distinct {one} {two}) (true (f {one})) (not (t {one} {two})))"),
            _ => format!("(not (t {one} {two}))"),
        }
    }

    fn derived(&mut self) {
        for _ in 0..=self.random.below(2) {
            let fluent = self.fluent();
            let mut conditions = vec![format!("(true {fluent})"), "(s ?v)".to_owned()];
            if self.random.one_in(2) {
                conditions.push("(t ?v ?x)".to_owned());
            }
            if self.random.one_in(3) {
                conditions.push("(distinct ?v a)".to_owned());
            }
            writeln!(self.text, "(<= (derived ?v) {})", conditions.join(" ")).unwrap();
        }
    }

    fn legal(&mut self) {
        for role in self.roles {
            writeln!(self.text, "(<= (legal {role} pass) (true (turn {role})))").unwrap();
            writeln!(self.text, "(<= (legal {role} pass) (not (true (turn {role}))))").unwrap();
        }
        for (name, arity) in [MOVES[0], MOVES[1]] {
            let first = ["(role ?p)".to_owned(), "(true (turn ?p))".to_owned()];
            let first = if self.random.one_in(2) { &first[..] } else { &first[..1] };
            let (body, bound) = self.body(Reads::State, first);
            let args: Vec<String> = (0..arity).map(|_| self.bound_term(&bound)).collect();
            writeln!(self.text, "(<= (legal ?p ({name} {})) {body})", args.join(" ")).unwrap();
        }
    }

    fn next(&mut self) {
        match self.random.below(3) {
            0 if self.roles.len() > 1 => {
                writeln!(self.text, "(<= (next (turn r2)) (true (turn r1)))").unwrap();
                writeln!(self.text, "(<= (next (turn r1)) (true (turn r2)))").unwrap();
            }
            1 => writeln!(self.text, "(<= (next (turn ?x)) (true (turn ?x)))").unwrap(),
            _ => writeln!(self.text, "(<= (next (turn ?p)) (does ?p pass))").unwrap(),
        }
        for (name, arity) in &FLUENTS[..4] {
            for _ in 0..self.random.below(3) {
                let (body, bound) = self.body(Reads::Moves, &[]);
                let args: Vec<String> = (0..*arity).map(|_| self.bound_term(&bound)).collect();
                let head = if args.is_empty() {
                    (*name).to_owned()
                } else {
                    format!("({name} {})", args.join(" "))
                };
                writeln!(self.text, "(<= (next {head}) {body})").unwrap();
            }
            if !self.random.one_in(4) {
                self.frame(name, *arity);
            }
        }
        if self.random.one_in(6) {
            writeln!(self.text, "(<= (next ?fact) (true ?fact) (does r1 pass))").unwrap();
        }
    }

    fn frame(&mut self, name: &str, arity: usize) {
        let mut args: Vec<String> =
            VARIABLES[..arity].iter().map(|&variable| variable.to_owned()).collect();
        if arity > 0 && self.random.one_in(4) {
            self.random.pick(&CONSTANTS).clone_into(&mut args[arity - 1]);
        }
        let fact =
            if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) };
        let (body, _) = self.body(Reads::Moves, &[format!("(true {fact})")]);
        let body = if self.random.one_in(3) { format!("(true {fact})") } else { body };
        writeln!(self.text, "(<= (next {fact}) {body})").unwrap();
    }

    fn asking(&mut self) {
        let (body, bound) = self.body(Reads::State, &["(true (f ?x))".to_owned()]);
        let (one, two) = (self.bound_term(&bound), self.bound_term(&bound));
        let asked = match self.random.below(9) {
            0 => format!("(same {one} ?out)"),
            1 => format!("(differ {one} {two})"),
            2 => format!("(lacks {one} {two})"),
            3 => format!("(sum {one} {two} ?out)"),
            4 => format!("(sum ?out {one} {two})"),
            5 => format!("(either {one} ?out)"),
            6 => format!("(wrapped (pair {one} b) ?out)"),
            7 => format!("(not (lacks {one} {two}))"),
            _ => format!("(or (same {one} ?out) (true (k {two} {two} ?out)))"),
        };
        let out = if asked.contains("?out") { "?out".to_owned() } else { one };
        let body = if self.random.one_in(6) {
            format!("{asked} {body}")
        } else {
            format!("{body} {asked}")
        };
        match self.random.below(4) {
            0 => writeln!(self.text, "(<= (legal r1 (m {out})) {body})").unwrap(),
            1 => writeln!(self.text, "(<= (goal ?who 50) {body} (differ {out} ?who))").unwrap(),
            _ => writeln!(self.text, "(<= (next (f {out})) {body})").unwrap(),
        }
    }

    fn end(&mut self) {
        writeln!(self.text, "(<= terminal (true h) (true (f c)))").unwrap();
        writeln!(self.text, "(<= (goal ?p 100) (role ?p) (true (turn ?p)))").unwrap();
        writeln!(self.text, "(<= (goal ?p 0) (role ?p) (not (true (turn ?p))))").unwrap();
    }
}

fn variables(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    let mut found: Vec<String> =
        words.filter(|word| word.starts_with('?')).map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}
