//! Rules to program: `cargo run -p rulesmith-player --example specialize -- games/reversi.rules 'legal +P does place(S)'`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads a file and shows what it made"
)]

use rulesmith_compile::{Sampling, sample_states};
use rulesmith_player::{BuildRequest, Resolver, Stop, build, reference_game};
use rulesmith_rules::{clause_text, condition_text, parse_request};
use rulesmith_specialize::{Knowledge, Settings, Specializer, render_tree};

struct Files;

impl Resolver for Files {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = std::path::Path::new(from).with_file_name("").join(path);
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.display().to_string(), text))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, request] = &args[..] else {
        return Err("give a rules file and a request".into());
    };
    let text = std::fs::read_to_string(file)?;
    let rules = BuildRequest { name: file.clone(), text, ..BuildRequest::default() };
    let game = reference_game(build(&rules, &Files), &rules.limits, &Stop::default());
    let game = game.map_err(|_| "the rules have errors")?;
    let requests = parse_request(game.theory(), request).map_err(|error| format!("{error:?}"))?;
    let samples = sample_states(&game, Sampling::default(), &[])?;
    let knowledge = Knowledge::new(game.theory(), game.solver());
    let mut specializer = Specializer::new(&knowledge, Settings::default(), samples);
    let program = specializer.specialize(&requests)?;
    let symbols = knowledge.symbols().borrow();
    for procedure in &program.procedures {
        println!("{:?}", procedure.funnel);
        for one in &procedure.clauses {
            println!("{}", clause_text(game.theory(), &symbols, &one.clause));
        }
        let tree = render_tree(
            &procedure.procedure.tree,
            &|condition| condition_text(game.theory(), &symbols, condition, &[]),
            &|clause, _| format!("clause {clause}"),
        );
        println!("{tree}");
    }
    Ok(())
}
