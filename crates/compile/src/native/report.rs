//! The layout of a native game, explained.
//!
//! In: a theory, and what was made of it. Out: for every fluent and every derived predicate where it
//! lives and why, and what all of it takes. Invariant: the numbers are those that kernels use; nothing
//! here decides anything.

use rulesmith_kernel::{Module, Native, Verified};
use rulesmith_rules::{FluentDefault, Theory};
use rulesmith_specialize::Specialized;

use super::derived::derived_layouts;
use super::hash::Packing;
use super::plan::{KernelGame, Stepping, n_asked};
use crate::state_layout::{Counted, FluentLayout, StateLayout};

/// How a fluent or a derived predicate is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As bit planes, a bit for each key.
    Planes,
    /// As a word that holds the number of the value.
    Word,
}

/// Where a fluent lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentReport {
    /// Its name.
    pub name: String,
    /// How it is kept.
    pub kept: Kept,
    /// Why so.
    pub why: String,
    /// How many keys it has.
    pub n_keys: u32,
    /// How many values.
    pub n_values: u32,
    /// Bits that mean something.
    pub n_bits: u64,
    /// Words it takes.
    pub n_words: u32,
    /// Its first word.
    pub offset: u32,
}

/// Where a derived predicate lives while a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedReport {
    /// Its name.
    pub name: String,
    /// How it is kept.
    pub kept: Kept,
    /// Why so.
    pub why: String,
    /// Planes or words, one for each choice of its columns of few values.
    pub n_slices: u32,
    /// Tuples of the other columns.
    pub n_keys: u32,
    /// Words it takes, once all slices are computed.
    pub n_words: u32,
}

/// A word that counts the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterReport {
    /// The predicate that asks about it.
    pub name: String,
    /// What it counts.
    pub why: String,
    /// Its word.
    pub offset: u32,
}

/// The layout of a game's states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutReport {
    /// The fluents in order.
    pub fluents: Vec<FluentReport>,
    /// The derived predicates that have planes.
    pub derived: Vec<DerivedReport>,
    /// Words that count the past, after those of the fluents.
    pub counters: Vec<CounterReport>,
    /// Words of a state.
    pub n_words: u32,
    /// Bytes of a state.
    pub n_bytes: u64,
}

/// Explains the layout of a game; otherwise what stands in the way.
pub fn explain_layout(theory: &Theory, specialized: &Specialized) -> Result<LayoutReport, String> {
    let mut layout = StateLayout::new(theory)?;
    layout.keep_hashes();
    let fluents = theory.fluent_ids().map(|id| {
        let (fluent, place) = (theory.fluent(id), layout.fluent(id));
        let is_total = !matches!(fluent.default, FluentDefault::Undefined);
        fluent_report(fluent.name.clone(), place, is_total)
    });
    let derived = derived_layouts(theory, specialized, (n_asked(theory, specialized), true));
    let derived = derived.iter().map(|one| {
        let described = theory.base.predicate(one.predicate);
        let (n_slices, n_keys) = (one.slices.len(), one.keys.len());
        let width = u32::from(one.keys.width());
        let (kept, why) = if one.is_word() {
            (Kept::Word, "every column has few values: one truth for each choice of them".to_owned())
        } else {
            let why = "columns of few values choose the plane, the others are its bits; computed when \
                       a question needs it, and not kept in the state";
            (Kept::Planes, why.to_owned())
        };
        let name = format!("{}/{}", described.name, described.domains.len());
        DerivedReport { name, kept, why, n_slices, n_keys, n_words: n_slices * width }
    });
    Ok(LayoutReport {
        fluents: fluents.collect(),
        derived: derived.collect(),
        counters: counter_reports(theory, &layout),
        n_words: layout.n_state_words(),
        n_bytes: 8 * u64::from(layout.n_state_words()),
    })
}

fn counter_reports(theory: &Theory, layout: &StateLayout) -> Vec<CounterReport> {
    let report = |(number, counter): (usize, &crate::state_layout::Counter)| {
        let why = match &counter.counted {
            Counted::Since(event) => {
                let event = &theory.base.predicate(*event).name;
                format!("steps since `{event}` last held: one word")
            }
            Counted::Gap(_) => {
                "turns since the present state last occurred: one word; a word for each question about what held \
                 since then, and one for who moved last"
                    .to_owned()
            }
            Counted::Repeated(over) => {
                let names: Vec<&str> = over.iter().map(|id| &*theory.fluent(*id).name).collect();
                let n_words = layout.words_of(over).count();
                let n_packs = Packing::of(layout, over).0.len();
                format!(
                    "how often the present state, seen through {}, was there before: one word, and a \
                     list of hashes beside the state; {n_words} words put side by side in {n_packs} \
                     are hashed at each turn's end",
                    names.join(", ")
                )
            }
        };
        let name = theory.base.predicate(counter.predicate).name.clone();
        CounterReport { name, why, offset: layout.counter(number) }
    };
    layout.counters.iter().enumerate().map(report).collect()
}

fn fluent_report(name: String, place: &FluentLayout, is_total: bool) -> FluentReport {
    let (n_keys, n_values) = (place.keys.len(), place.n_values);
    let (kept, why) = match (place.is_scalar(), place.values.is_some()) {
        (true, false) => (Kept::Word, "it has no key and is true or not: one word, 0 or 1"),
        (true, true) => (Kept::Word, "it has no key: one word holds the number of its value"),
        (false, false) => (Kept::Planes, "it is true or not for each key: one plane"),
        (false, true) if is_total => (
            Kept::Planes,
            "questions ask which keys have a value: a plane for each value, every key in one of them",
        ),
        (false, true) => (
            Kept::Planes,
            "questions ask which keys have a value: a plane for each value, a key in one or none",
        ),
    };
    let n_bits = match kept {
        Kept::Planes => u64::from(n_keys) * u64::from(n_values),
        Kept::Word => u64::from(n_values.max(2).next_power_of_two().ilog2()),
    };
    let n_words = place.n_words();
    let mut why = why.to_owned();
    if let Some(word) = place.hash {
        why.push_str("; a move changes few of its bits, so that its hash is kept in word ");
        why.push_str(&word.to_string());
        why.push_str(" and changed by these alone");
    }
    FluentReport { name, kept, why, n_keys, n_values, n_bits, n_words, offset: place.offset }
}

impl KernelGame {
    /// How turns are made, in words.
    pub fn turns_text(&self) -> &'static str {
        match (&self.plan.stepping, self.contests.is_ok()) {
            (Stepping::Joint(..), _) => {
                "several roles may move at once: one kernel makes the moves of all of them together"
            }
            (Stepping::InTurn { .. }, _) => {
                "all roles but one can only wait, which legal moves prove: a kernel for each role and kind of \
                 move, made for what the others do meanwhile"
            }
            (Stepping::Single(_), true) => {
                "one role moves at a time, which its legal moves prove: a kernel for each role and kind of \
                 move, and one kernel that plays whole random contests"
            }
            (Stepping::Single(_), false) => {
                "one role moves at a time: a kernel for each role and kind of move; random contests are \
                 played turn by turn"
            }
        }
    }

    /// What random contests keep from turn to turn beside the state, in words.
    pub fn kept_texts(&self) -> &[String] {
        &self.plan.kept
    }

    /// What is done in a slower way than it could be, and why, in words.
    pub fn slower_texts(&self) -> Vec<String> {
        let mut texts = self.plan.slower.clone();
        for (what, made) in
            [("random contests are played", &self.contests), ("leaves are counted", &self.leaves)]
        {
            let obstacle = match made {
                Ok(module) => Native::fits(module).err().map(|error| error.to_string()),
                Err(obstacle) => Some(obstacle.to_string()),
            };
            texts.extend(obstacle.map(|why| format!("{what} turn by turn: {why}")));
        }
        texts
    }

    /// Bytes of all tables and of one state.
    pub fn n_bytes(&self) -> u64 {
        let modules = std::iter::once(&self.module).chain(self.contests.as_ref().ok());
        let modules = modules.map(Verified::module);
        let tables =
            |module: &Module| module.tables.iter().map(|table| table.words.len()).sum::<usize>();
        let n_words: usize =
            modules.map(tables).sum::<usize>() + self.module.module().state_words as usize;
        8 * n_words as u64
    }

    /// The kernels as text: those for single questions, for contests and for leaves, after the routines that they run.
    pub fn text(&self) -> String {
        let others =
            [&self.contests, &self.leaves].into_iter().filter_map(|made| made.as_ref().ok());
        let modules = std::iter::once(&self.module).chain(others).map(Verified::module);
        let modules: Vec<&Module> = modules.collect();
        // Routines are added as kernels need them, and keep their numbers.
        let routines = modules.iter().map(|module| &module.routines).max_by_key(|all| all.len());
        let routines = routines.into_iter().flatten().enumerate();
        let routines = routines.map(|(number, routine)| format!("r{number}: {routine}"));
        let kernels = modules.iter().flat_map(|module| &module.kernels).map(ToString::to_string);
        routines.chain(kernels).collect::<Vec<_>>().join("\n")
    }
}
