//! Names: each piece and region defined once, and all that are used.
//!
//! In: a draft. Out: problems, and the names that no `DEFINE` explains.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{
    Area, Capture, Description, Draw, Effect, Goal, Guard, Into, Maximal, Movement, Name, Names,
    Path, Piece, Setup,
};
use super::check::Checker;
use super::words::{did_you_mean, square};
use crate::source::{Diagnostic, MAX_DIAGNOSTICS};

impl<'a> Checker<'a> {
    /// Every kind of piece is defined once.
    pub(super) fn check_definitions(&mut self) {
        let game = self.game;
        self.check_twice(game.pieces.iter().map(|piece| &piece.name), "piece");
        self.check_twice(game.regions.iter().map(|region| &region.name), "region");
    }

    fn check_twice(&mut self, names: impl Iterator<Item = &'a Name>, what: &str) {
        let mut first = BTreeMap::new();
        for name in names {
            if let Some(before) = first.insert(&name.text, name.span) {
                let message = format!("{what} `{}` is defined twice", name.text);
                let problem = Diagnostic::error("duplicate", name.span, message)
                    .label("again")
                    .related(before, "defined here before")
                    .help("rename one of them, or put both into one definition");
                self.report(problem);
            }
        }
    }

    /// Regions are known where they are used; in regions, those that stand before.
    pub(super) fn check_regions(&mut self) {
        let game = self.game;
        let mut known = BTreeSet::new();
        for (region, places) in game.regions.iter().zip(&self.places.regions) {
            if square(&region.name.text).is_some() {
                let message =
                    format!("`{}` is a square, not the name of a region", region.name.text);
                let problem = Diagnostic::error("bad-name", region.name.span, message);
                self.report(problem.label("a square").help("choose another name"));
            }
            for (area, place) in region.areas.iter().zip(places) {
                match area {
                    Area::Region(name) if !known.contains(name.text.as_str()) => {
                        self.unknown_region(name);
                    }
                    Area::Region(_) => {}
                    area => self.check_area(area, *place),
                }
            }
            known.insert(region.name.text.as_str());
        }
        for name in game.pieces.iter().flat_map(region_names) {
            self.check_region(name);
        }
    }

    /// Is there such a region?
    pub(super) fn check_region(&mut self, name: &Name) {
        if !self.regions.contains(name.text.as_str()) {
            self.unknown_region(name);
        }
    }

    fn unknown_region(&mut self, name: &Name) {
        let game = self.game;
        if self.diagnostics.is_full() {
            return;
        }
        if let Some(later) = game.regions.iter().find(|region| region.name == *name) {
            let message = format!("region `{}` is not known here", name.text);
            let problem = Diagnostic::error("unknown-region", name.span, message)
                .label("defined later, or right here")
                .related(later.name.span, "defined here")
                .help("a region is made of regions that stand before it");
            return self.report(problem);
        }
        let help = did_you_mean(&name.text, self.regions.iter().copied())
            .unwrap_or_else(|| format!("define it: `REGION {} {{(1,1) (2,1)}}`", name.text));
        let message = format!("there is no region `{}`", name.text);
        let problem = Diagnostic::error("unknown-region", name.span, message);
        self.report(problem.label("not defined").help(help));
    }

    /// The names of pieces that are used but not defined, each once, in order.
    pub(super) fn undefined_names(&mut self) -> Vec<Name> {
        let game = self.game;
        let defined: Vec<&str> = game.pieces.iter().map(|piece| piece.name.text.as_str()).collect();
        let mut seen: BTreeSet<&str> = defined.iter().copied().collect();
        let mut undefined = vec![];
        for name in self.used_names() {
            if !seen.insert(&name.text) {
                continue;
            }
            undefined.push(name.clone());
            if self.diagnostics.list.len() < MAX_DIAGNOSTICS {
                let message = format!("piece `{}` is used but never defined", name.text);
                let help = did_you_mean(&name.text, defined.iter().copied()).unwrap_or_else(|| {
                    format!("define it, or leave it so: `DEFINE {} END DEFINE`", name.text)
                });
                let problem = Diagnostic::warning("undefined-piece", name.span, message);
                self.report(problem.label("it will neither move nor capture").help(help));
            }
        }
        undefined
    }

    /// The names of pieces that are used, in the order of the sections.
    fn used_names(&self) -> Vec<&'a Name> {
        let game = self.game;
        let mut names = vec![];
        game.goals.iter().for_each(|goal| goal_names(goal, &mut names));
        match &game.setup {
            Setup::Placements(placements) => {
                names.extend(placements.iter().map(|placement| &placement.name));
            }
            Setup::Assignment { names: assigned, .. } => names.extend(assigned),
        }
        let constraints = game.pieces.iter().map(|piece| &piece.constraints);
        for constraints in std::iter::once(&game.constraints).chain(constraints) {
            constraints.protect.iter().for_each(|one| described(&one.who, &mut names));
            let maximal = constraints.must_capture.iter().flat_map(|must| &must.maximal);
            names.extend(maximal.filter_map(|maximal| match maximal {
                Maximal::Count => None,
                Maximal::Victims(name) | Maximal::By(name) | Maximal::First(name) => Some(name),
            }));
        }
        for draw in &game.draws {
            match draw {
                Draw::Quiet { resets, counts, .. } => {
                    names.extend(&resets.on_turns_of);
                    for (of, _) in counts {
                        described(of, &mut names);
                    }
                }
                Draw::Material(lists) => names.extend(lists.iter().flat_map(|one| &one.names)),
                Draw::Ending { stronger, weaker, .. } => {
                    names.extend(stronger.iter().chain(weaker).flatten());
                }
                Draw::Facing(name) => names.push(name),
                Draw::Stalemate | Draw::Turns(_) | Draw::Passes(_) => {}
            }
        }
        game.pieces.iter().for_each(|piece| piece_names(piece, &mut names));
        names
    }
}

fn described<'a>(description: &'a Description, names: &mut Vec<&'a Name>) {
    match &description.names {
        Names::Any { except } => names.extend(except),
        Names::Listed(listed) => names.extend(listed),
    }
}

fn goal_names<'a>(goal: &'a Goal, names: &mut Vec<&'a Name>) {
    match goal {
        Goal::Eradicate(who)
        | Goal::Arrive { who, .. }
        | Goal::Line { of: who, .. }
        | Goal::Count(who, _) => described(who, names),
        Goal::Fewer(fewer, more) => {
            described(fewer, names);
            described(more, names);
        }
        Goal::All(goals) => goals.iter().for_each(|goal| goal_names(goal, names)),
        Goal::Answered(goal) | Goal::Evened(goal) => goal_names(goal, names),
        Goal::Stalemate(_) | Goal::Checkmate(_) | Goal::Checks(..) => {}
    }
}

fn piece_names<'a>(piece: &'a Piece, names: &mut Vec<&'a Name>) {
    movement_names(&piece.moving, names);
    for Capture { victims, effect, becoming, movements, .. } in &piece.capturing {
        described(victims, names);
        names.extend(becoming);
        if let Effect::Explode { sparing: Some(sparing) } = effect {
            described(sparing, names);
        }
        movement_names(movements, names);
    }
    names.extend(piece.castling.iter().map(|castle| &castle.partner));
    match piece.promoting.as_ref().map(|promoting| &promoting.into) {
        Some(Into::Kind(name)) => names.push(name),
        Some(Into::Decision { options, .. }) => described(options, names),
        None => {}
    }
    if let Some(dropping) = &piece.dropping {
        names.extend(&dropping.kinds);
        let apart = dropping.not_sharing_file.iter().chain(&dropping.not_sharing_color);
        apart.for_each(|who| described(who, names));
    }
    names.extend(&piece.reverts_to);
}

fn movement_names<'a>(movements: &'a [Movement], names: &mut Vec<&'a Name>) {
    for movement in movements {
        if let Path::Hop { over_whom, .. } = &movement.path {
            described(over_whom, names);
        }
        names.extend(movement.leaving.iter().chain(&movement.becoming));
    }
}

/// The names of regions that a piece uses.
fn region_names(piece: &Piece) -> Vec<&Name> {
    let captures = piece.capturing.iter().flat_map(|capture| &capture.movements);
    let guards = piece.moving.iter().chain(captures).flat_map(|movement| &movement.guards);
    let guarded = guards.filter_map(|guard| match guard {
        Guard::From(name) | Guard::To(name) | Guard::Within(name) => Some(name),
        Guard::Unmoved | Guard::Unchecked | Guard::Alone | Guard::Peaceful => None,
    });
    let promoting = piece.promoting.iter().filter_map(|promoting| promoting.area.as_ref());
    let dropping = piece.dropping.iter().filter_map(|dropping| dropping.to.as_ref());
    guarded.chain(promoting).chain(dropping).collect()
}
