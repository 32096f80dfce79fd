//! `rulesmith check`: all problems of a rules text, those included that only show in play.

use serde::Serialize;

use rulesmith_player::{BuildResult, ClaimReport, try_metarules, try_out};

use crate::args::CheckArgs;
use crate::exit::Failure;
use crate::open::{self, Front};
use crate::output::SCHEMA;
use crate::problems::{self, ProblemJson};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct CheckJson<'s> {
    schema: u32,
    game: String,
    errors: usize,
    warnings: usize,
    problems: Vec<ProblemJson<'s>>,
    metarules: Vec<MetaruleJson>,
}

/// What is known about a metarule.
#[derive(Debug, Serialize)]
struct MetaruleJson {
    file: String,
    line: usize,
    text: String,
    is_proved: bool,
    status: String,
}

pub(super) fn run(front: &mut Front, args: &CheckArgs) -> anyhow::Result<()> {
    let (mut result, limits) = open::read(front, &args.game.game, &args.game.options)?;
    try_out(&mut result, &limits, &front.interrupt.stop);
    let metarules = try_metarules(&mut result, &limits, &front.interrupt.stop);
    let (errors, warnings) = problems::count(&result.diagnostics.list);
    if args.json {
        let name = result.theory.as_ref().map(rulesmith_player::Theory::instance_name);
        let game = name.unwrap_or_else(|| args.game.game.clone());
        let problems = problems::to_json(&result);
        let metarules = metarules.iter().map(|one| metarule_json(&result, one)).collect();
        let json = CheckJson { schema: SCHEMA, game, errors, warnings, problems, metarules };
        front.output.json(&json)?;
    } else {
        for one in &metarules {
            let place = result.sources.locate(one.span);
            front.output.line(format!("{place}: {}\n    {}", one.status, one.text))?;
        }
        front.output.line(problems::render(&result))?;
    }
    front
        .interrupt
        .stop
        .check()
        .map_err(|stopped| Failure::from(rulesmith_player::stop_error(&stopped)))?;
    if errors == 0 {
        return Ok(());
    }
    Err(Failure::shown(problems::exit(&result.diagnostics.list)).into())
}

fn metarule_json(result: &BuildResult, one: &ClaimReport) -> MetaruleJson {
    let (line, _) = result.sources.line_column(one.span);
    let file = result.sources.files.get(one.span.file as usize);
    MetaruleJson {
        file: file.map_or_else(String::new, |file| file.name.clone()),
        line,
        text: one.text.clone(),
        is_proved: one.is_proved,
        status: one.status.clone(),
    }
}
