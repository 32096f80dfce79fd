//! `rulesmith cache`: what earlier runs left behind.

use serde::Serialize;

use crate::cache::{Cache, Entry, VARIABLE};
use crate::cache_args::CacheCommand;
use crate::exit::{Exit, Failure};
use crate::open::Front;
use crate::output::{SCHEMA, counted};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct CacheJson {
    schema: u32,
    folder: String,
    /// The files that are there, or that were removed; nothing for `path`.
    files: Option<Vec<FileJson>>,
}

#[derive(Debug, Serialize)]
struct FileJson {
    name: String,
    bytes: u64,
}

pub(super) fn run(front: &mut Front, command: &CacheCommand) -> anyhow::Result<()> {
    let none = || {
        let message = "there is no cache: no folder for caches is known, or it is switched off";
        Failure::new(Exit::Usage, message).help(format!("`{VARIABLE}` names a folder"))
    };
    let cache = Cache::open().ok_or_else(none)?;
    let (files, is_json) = match command {
        CacheCommand::Path(args) => (None, args.json),
        CacheCommand::List(args) => (Some(cache.entries()), args.json),
        CacheCommand::Clear(args) => (Some(cache.clear()?), args.json),
    };
    let folder = cache.folder().display().to_string();
    if is_json {
        let files = files.map(|files| files.iter().map(described).collect());
        return front.output.json(&CacheJson { schema: SCHEMA, folder, files });
    }
    let Some(files) = files else { return front.output.line(folder) };
    let n_bytes: u64 = files.iter().map(|file| file.n_bytes).sum();
    let n_files = counted(files.len(), "file");
    if matches!(command, CacheCommand::Clear(_)) {
        return front.output.line(format_args!("removed {n_files}, {n_bytes} bytes, in {folder}"));
    }
    for file in files.iter().map(described) {
        front.output.line(format_args!("{:>9}  {}", file.bytes, file.name))?;
    }
    front.output.line(format_args!("{n_files}, {n_bytes} bytes, in {folder}"))
}

fn described(entry: &Entry) -> FileJson {
    let name = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    FileJson { name, bytes: entry.n_bytes }
}
