//! The cache: the same answers with it, without it and with what somebody spoiled in it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the cache is a folder of files")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;

use common::{Ran, folder, run_with_cache};
use serde_json::Value;

const PLAYOUTS: &str = "playouts tic_tac_toe --count 100 --stages --json";

fn run(arguments: &str, cache: &Path) -> Ran {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    run_with_cache(&arguments, b"", cache.to_str().unwrap())
}

/// What random contests gave, without the times; and whether the program came from the cache.
fn play(arguments: &str, cache: &Path) -> (Value, bool) {
    let ran = run(arguments, cache);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut json = ran.json().remove(0);
    let from_cache = json["stages"]["from_cache"].as_bool().unwrap();
    let fields = json.as_object_mut().unwrap();
    for changing in ["stages", "seconds", "playouts_per_second", "states_per_second"] {
        fields.remove(changing);
    }
    (json, from_cache)
}

fn files(cache: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(cache) else { return Vec::new() };
    files.map(|file| file.unwrap().path()).collect()
}

#[test]
fn a_second_run_takes_the_program_from_the_cache_and_answers_the_same() {
    let cache = folder("cache_twice");
    let (first, was_there) = play(PLAYOUTS, &cache);
    assert!(!was_there);
    assert_eq!(play(PLAYOUTS, &cache), (first, true));
    assert_eq!(files(&cache).len(), 1);
}

#[test]
fn spoiled_files_are_replaced() {
    let cache = folder("cache_spoiled");
    let (first, _) = play(PLAYOUTS, &cache);
    let file = files(&cache).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    for spoiled in ["", "nonsense", &text[..text.len() / 2], &text.replace("holds", "none")] {
        fs::write(&file, spoiled).unwrap();
        assert_eq!(play(PLAYOUTS, &cache), (first.clone(), false));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    fs::write(&file, [0xff, 0xfe, 0]).unwrap();
    assert_eq!(play(PLAYOUTS, &cache), (first, false));
}

#[test]
fn other_rules_and_parameters_have_files_of_their_own() {
    let cache = folder("cache_others");
    play("playouts nim --count 1 --stages --json", &cache);
    let (_, was_there) = play(PLAYOUTS, &cache);
    assert!(!was_there);
    let (_, was_there) = play(&format!("{PLAYOUTS} --limit inferences=77777777"), &cache);
    assert!(!was_there);
    assert_eq!(files(&cache).len(), 3);
}

#[test]
fn a_command_may_do_without() {
    let cache = folder("cache_none");
    let (without, was_there) = play(&format!("{PLAYOUTS} --no-cache"), &cache);
    assert!(!was_there && files(&cache).is_empty());
    assert_eq!(play(PLAYOUTS, &cache), (without.clone(), false));
    assert_eq!(play(&format!("{PLAYOUTS} --no-cache"), &cache), (without.clone(), false));
    // An empty name means no cache, a place that cannot be written is none.
    assert_eq!(play(PLAYOUTS, Path::new("")), (without.clone(), false));
    assert_eq!(play(PLAYOUTS, Path::new("/dev/null/cache")), (without, false));
}

#[test]
fn the_cache_is_shown_and_emptied() {
    let cache = folder("cache_shown");
    let shown = cache.display().to_string();
    assert_eq!(run("cache path", &cache).stdout.trim(), shown);
    fs::write(cache.join("notes.txt"), "not ours").unwrap();
    play(PLAYOUTS, &cache);
    let list = run("cache list --json", &cache).json().remove(0);
    assert_eq!(list["folder"], shown);
    assert_eq!(list["files"].as_array().unwrap().len(), 1);
    let cleared = run("cache clear", &cache).stdout;
    assert!(cleared.starts_with("removed 1 file, "), "{cleared}");
    assert!(run("cache list", &cache).stdout.starts_with("0 files, 0 bytes"));
    assert_eq!(files(&cache), [cache.join("notes.txt")]);
    assert_eq!(run("cache path", Path::new("")).code, 30);
}

/// Links and pipes in the place of a file are neither read nor written, and other people's files stay.
#[cfg(unix)]
#[test]
fn what_is_no_file_of_ours_is_left_alone() {
    let cache = folder("cache_foreign");
    let (first, _) = play(PLAYOUTS, &cache);
    let file = files(&cache).remove(0);
    let precious = cache.join("precious");
    fs::write(&precious, "mine").unwrap();
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&precious, &file).unwrap();
    assert_eq!(play(PLAYOUTS, &cache), (first.clone(), false));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert_eq!(play(PLAYOUTS, &cache), (first, false));
    fs::remove_file(&file).unwrap();
    let part = file.with_extension("program.7.part");
    fs::write(&part, "half").unwrap();
    fs::write(cache.join("notes.program"), "mine").unwrap();
    assert_eq!(run("cache clear", &cache).code, 0);
    assert!(!part.exists() && precious.exists() && cache.join("notes.program").exists());
}
