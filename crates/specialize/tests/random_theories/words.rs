//! The words of a random theory: sorts, relations and fluents as far as the generator knows them.
//!
//! In: what was declared so far. Out: what a condition may name. Invariant: a word is listed here
//! exactly when the text declares it.

/// A stream of random numbers that never changes (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below the bound, which is above zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next_bits() % bound as u64).expect("below a usize")
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// What a sort is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SortKind {
    Number,
    Name,
    /// A tuple when the functor is empty.
    Compound(String, Vec<usize>),
}

/// A sort and its values as text.
#[derive(Clone, Debug)]
pub(crate) struct Sort {
    pub(crate) name: String,
    pub(crate) kind: SortKind,
    pub(crate) values: Vec<String>,
}

impl Sort {
    pub(crate) fn names(name: &str, values: &[&str]) -> Self {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Self { name: name.to_owned(), kind: SortKind::Name, values }
    }

    pub(crate) fn range(name: &str, low: i32, high: i32) -> Self {
        let values = (low..=high).map(|value| value.to_string()).collect();
        Self { name: name.to_owned(), kind: SortKind::Number, values }
    }

    pub(crate) fn compound(name: &str, functor: &str, parts: &[usize], sorts: &[Self]) -> Self {
        let mut rows: Vec<Vec<String>> = vec![vec![]];
        for part in parts {
            let values = &sorts[*part].values;
            let extend = |row: &Vec<String>| {
                let row = row.clone();
                values.iter().map(move |value| [row.clone(), vec![value.clone()]].concat())
            };
            rows = rows.iter().flat_map(extend).collect();
        }
        let values = rows.iter().map(|row| format!("{functor}({})", row.join(", "))).collect();
        let kind = SortKind::Compound(functor.to_owned(), parts.to_vec());
        Self { name: name.to_owned(), kind, values }
    }
}

/// Where a relation's facts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Static,
    Fluent {
        value: Option<usize>,
        is_partial: bool,
    },
    Derived {
        /// The first of the relations it may recurse with.
        first: usize,
        is_declared: bool,
    },
    /// A derived predicate that asks which move is being made.
    Step,
    /// A relation of an object.
    Object,
}

/// A relation or fluent.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) name: String,
    /// The sorts of its arguments; for a fluent of its keys.
    pub(crate) args: Vec<usize>,
    pub(crate) kind: Kind,
}

impl Relation {
    pub(crate) fn new(name: String, args: Vec<usize>, kind: Kind) -> Self {
        Self { name, args, kind }
    }

    /// Its name with the sorts of its arguments.
    pub(crate) fn declared(&self, words: &Vocabulary) -> String {
        let sorts: Vec<String> =
            self.args.iter().map(|sort| words.sorts[*sort].name.clone()).collect();
        super::applied(&self.name, &sorts)
    }
}

/// Everything declared so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) sorts: Vec<Sort>,
    pub(crate) relations: Vec<Relation>,
    /// Relations from here on are being defined: they may only be asked positively.
    pub(crate) n_settled: usize,
    /// Kinds of moves: names and the sorts of their parameters.
    pub(crate) moves: Vec<(String, Vec<usize>)>,
}
