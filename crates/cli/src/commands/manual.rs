//! `rulesmith completions` and `rulesmith man`.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::files;
use crate::open::Front;

pub(super) fn completions(front: &mut Front, shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rulesmith", &mut script);
    front.output.bytes(&script)
}

pub(super) fn pages(front: &mut Front, out: Option<&Path>) -> anyhow::Result<()> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = out else { return front.output.bytes(&page(command)?) };
    files::make_folder(folder)?;
    let below = command.get_subcommands().filter(|below| below.get_name() != "help").cloned();
    for below in below.chain([command.clone()]).collect::<Vec<_>>() {
        let name = below.get_display_name().unwrap_or_else(|| below.get_name()).to_owned();
        let text = String::from_utf8(page(below)?)?;
        files::write(&folder.join(format!("{name}.1")), text.as_bytes())?;
    }
    Ok(())
}

fn page(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}
