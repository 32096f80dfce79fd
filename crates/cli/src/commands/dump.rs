//! `rulesmith dump`: what a stage of the pipeline made of a game.

use clap::ValueEnum;

use crate::args::{DumpArgs, Stage};
use crate::exit::{Exit, Failure};
use crate::open::{self, Front};

pub(super) fn run(front: &mut Front, args: &DumpArgs) -> anyhow::Result<()> {
    if args.stage != Stage::Theory {
        let name = args.stage.to_possible_value().map(|value| value.get_name().to_owned());
        let name = name.unwrap_or_default();
        let message = format!("the stage `{name}` does not exist yet");
        let help = "`--stage theory` prints what the rules say";
        return Err(Failure::new(Exit::NotYet, message).help(help).into());
    }
    let opened = open::open(front, &args.game.game, &args.game.options)?;
    let text = rulesmith_player::print(opened.theory());
    front.output.bytes(text.as_bytes())
}
