//! Texts that stand beside the one that names them, read from their folder.

use std::fs;
use std::path::Path;

use rulesmith_player::Resolver;

pub(crate) struct Beside;

impl Resolver for Beside {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap().join(path);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Ok((file.display().to_string(), text))
    }
}
