//! Canonical labelling: numbers for the variables of a clause that do not depend on how it was written.
//!
//! In: a tree of parts with variables at its leaves. Out: a rank for each variable, the same for every
//! renaming and reordering. Variables get colors, colors are refined by those of their neighbors to a
//! fixpoint, and ties are broken by individualizing one variable after another; automorphisms found on
//! the way prune the search. Invariant: ranks are a permutation even when the budget is spent; an exact
//! labelling of two isomorphic trees gives equal trees (up to collisions of 64-bit hashes, which can
//! only make two equal trees look different).

/// How many parts and leaves may be looked at before ties are broken by the order of writing.
const WORK_LIMIT: u64 = 1 << 24;

/// Automorphisms kept to prune with.
const AUTOMORPHISM_LIMIT: usize = 64;

/// A tree of labelled parts. Children at place zero are unordered.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    parts: Vec<Part>,
    leaves: Vec<Leaf>,
    /// The number of each variable among those that occur.
    nodes: Vec<Option<usize>>,
    n_nodes: usize,
}

#[derive(Debug)]
struct Part {
    label: u64,
    parent: usize,
    place: u64,
}

#[derive(Debug)]
struct Leaf {
    part: usize,
    place: u64,
    node: usize,
}

/// The outcome.
#[derive(Debug)]
pub(crate) struct Labelling {
    /// A rank for each variable that occurs.
    pub(crate) ranks: Vec<Option<usize>>,
    pub(crate) is_exact: bool,
}

impl Graph {
    /// Adds a part under an earlier one; the first part is the root and its own parent.
    pub(crate) fn add_part(&mut self, parent: usize, place: u64, label: u64) -> usize {
        self.parts.push(Part { label: mix(label), parent, place });
        self.parts.len() - 1
    }

    /// Adds a variable under a part.
    pub(crate) fn add_var(&mut self, part: usize, place: u64, var: usize) {
        if self.nodes.len() <= var {
            self.nodes.resize(var + 1, None);
        }
        let node = *self.nodes[var].get_or_insert(self.n_nodes);
        self.n_nodes = self.n_nodes.max(node + 1);
        self.leaves.push(Leaf { part, place, node });
    }

    /// Numbers the variables.
    pub(crate) fn label(&self) -> Labelling {
        let mut search = Search {
            graph: self,
            scratch: Scratch::default(),
            work: 0,
            best: None,
            automorphisms: Vec::new(),
        };
        let mut colors = vec![0; self.n_nodes];
        search.refine(&mut colors);
        search.explore(&colors, &mut Vec::new(), &mut Vec::new());
        let ranks = search.best.map(|best| best.ranks).unwrap_or_default();
        let ranks = self.nodes.iter().map(|node| node.map(|node| ranks[node])).collect();
        Labelling { ranks, is_exact: search.work <= WORK_LIMIT }
    }

    /// The color of every part from those of the variables below it; the root's stands for the whole.
    fn color_parts(&self, colors: &[u64], parts: &mut Vec<u64>) -> u64 {
        parts.clear();
        parts.extend(self.parts.iter().map(|part| part.label));
        for leaf in &self.leaves {
            let color = at_place(colors[leaf.node], leaf.place);
            parts[leaf.part] = parts[leaf.part].wrapping_add(color);
        }
        for (index, part) in self.parts.iter().enumerate().rev() {
            parts[index] = mix(parts[index]);
            if index > 0 {
                let color = at_place(parts[index], part.place);
                parts[part.parent] = parts[part.parent].wrapping_add(color);
            }
        }
        parts.first().copied().unwrap_or_default()
    }
}

#[derive(Debug, Default)]
struct Scratch {
    parts: Vec<u64>,
    sums: Vec<u64>,
    sorted: Vec<u64>,
}

/// A complete labelling met by the search.
#[derive(Debug)]
struct Found {
    ranks: Vec<usize>,
    path: Vec<usize>,
    trace: Vec<u64>,
    form: u64,
}

struct Search<'g> {
    graph: &'g Graph,
    scratch: Scratch,
    work: u64,
    best: Option<Found>,
    /// Permutations of the variables that leave the tree as it is.
    automorphisms: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Refines colors to a fixpoint; returns a number that isomorphic nodes of the search share.
    fn refine(&mut self, colors: &mut [u64]) -> u64 {
        let mut n_cells = self.count_cells(colors);
        loop {
            self.work += (self.graph.parts.len() + self.graph.leaves.len() + 1) as u64;
            let root = self.refine_once(colors);
            let refined = self.count_cells(colors);
            if refined == n_cells || refined == colors.len() || self.work > WORK_LIMIT {
                let sum = colors.iter().fold(0, |sum: u64, color| sum.wrapping_add(mix(*color)));
                return mix(root ^ sum);
            }
            n_cells = refined;
        }
    }

    fn refine_once(&mut self, colors: &mut [u64]) -> u64 {
        let Scratch { parts, sums, .. } = &mut self.scratch;
        let root = self.graph.color_parts(colors, parts);
        // From here on a part's color also tells where in the tree it stands.
        for (index, part) in self.graph.parts.iter().enumerate().skip(1) {
            let context = at_place(parts[part.parent], part.place);
            parts[index] = mix(parts[index].wrapping_add(context.rotate_left(1)));
        }
        sums.clear();
        sums.resize(colors.len(), 0);
        for leaf in &self.graph.leaves {
            let seen = at_place(parts[leaf.part], leaf.place);
            sums[leaf.node] = sums[leaf.node].wrapping_add(seen);
        }
        for (color, sum) in colors.iter_mut().zip(sums) {
            *color = mix(color.rotate_left(7).wrapping_add(*sum));
        }
        root
    }

    fn count_cells(&mut self, colors: &[u64]) -> usize {
        let sorted = &mut self.scratch.sorted;
        sorted.clear();
        sorted.extend(colors);
        sorted.sort_unstable();
        sorted.dedup();
        sorted.len()
    }

    /// Looks for the least labelling below a node. Returns the depth to go back to when an
    /// automorphism shows that nothing new comes below it.
    fn explore(
        &mut self,
        colors: &[u64],
        path: &mut Vec<usize>,
        trace: &mut Vec<u64>,
    ) -> Option<usize> {
        let Some(cell) = target_cell(colors) else { return self.arrive(colors, path, trace) };
        if self.work > WORK_LIMIT {
            return if self.best.is_none() { self.arrive(colors, path, trace) } else { Some(0) };
        }
        let mut tried: Vec<usize> = Vec::new();
        for var in cell {
            if !tried.is_empty() && self.is_equivalent(path, &tried, var) {
                continue;
            }
            tried.push(var);
            let mut refined = colors.to_vec();
            refined[var] = mix(!refined[var]);
            trace.push(self.refine(&mut refined));
            path.push(var);
            let is_worse = self.best.as_ref().is_some_and(|best| {
                let end = trace.len().min(best.trace.len());
                trace[..] > best.trace[..end]
            });
            let back = if is_worse { None } else { self.explore(&refined, path, trace) };
            path.pop();
            trace.pop();
            if back.is_some_and(|depth| depth < path.len()) {
                return back;
            }
        }
        None
    }

    /// All colors differ, or ties are broken as written: a labelling.
    fn arrive(&mut self, colors: &[u64], path: &[usize], trace: &[u64]) -> Option<usize> {
        let mut order: Vec<usize> = (0..colors.len()).collect();
        order.sort_by_key(|var| colors[*var]);
        let mut ranks = vec![0; order.len()];
        let mut numbered = vec![0; order.len()];
        for (rank, var) in order.iter().enumerate() {
            ranks[*var] = rank;
            numbered[*var] = mix(rank as u64);
        }
        let form = self.graph.color_parts(&numbered, &mut self.scratch.parts);
        let Some(best) = &self.best else {
            self.best = Some(Found { ranks, path: path.to_vec(), trace: trace.to_vec(), form });
            return None;
        };
        if (trace, form) == (&best.trace[..], best.form) {
            return self.notice_automorphism(&order, path);
        }
        if (trace, form) < (&best.trace[..], best.form) {
            self.best = Some(Found { ranks, path: path.to_vec(), trace: trace.to_vec(), form });
        }
        None
    }

    /// Two labellings give the same tree: taking one to the other is an automorphism.
    fn notice_automorphism(&mut self, order: &[usize], path: &[usize]) -> Option<usize> {
        let best = self.best.as_ref()?;
        let image: Vec<usize> = best.ranks.iter().map(|rank| order[*rank]).collect();
        let common = best.path.iter().zip(path).take_while(|(one, other)| one == other).count();
        let fixes_path = path[..common].iter().all(|var| image[*var] == *var);
        let meets = best.path.get(common).is_some_and(|var| path.get(common) == Some(&image[*var]));
        if self.automorphisms.len() < AUTOMORPHISM_LIMIT {
            self.automorphisms.push(image);
        }
        (fixes_path && meets).then_some(common)
    }

    /// Does an automorphism that fixes the path take a variable tried before to this one?
    fn is_equivalent(&self, path: &[usize], tried: &[usize], var: usize) -> bool {
        let fixes_path = |image: &&Vec<usize>| path.iter().all(|fixed| image[*fixed] == *fixed);
        let images: Vec<&Vec<usize>> = self.automorphisms.iter().filter(fixes_path).collect();
        let mut orbit = tried.to_vec();
        let mut next = 0;
        while next < orbit.len() {
            for image in &images {
                let reached = image[orbit[next]];
                if !orbit.contains(&reached) {
                    orbit.push(reached);
                }
            }
            next += 1;
        }
        orbit.contains(&var)
    }
}

/// The smallest set of variables of one color, if any has more than one.
fn target_cell(colors: &[u64]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..colors.len()).collect();
    order.sort_by_key(|var| colors[*var]);
    let cells = order.chunk_by(|one, other| colors[*one] == colors[*other]);
    let cell = cells.filter(|cell| cell.len() > 1).min_by_key(|cell| cell.len())?;
    Some(cell.to_vec())
}

fn at_place(color: u64, place: u64) -> u64 {
    mix(color.wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// The finalizer of `SplitMix64`: a bijection that spreads every bit.
fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
