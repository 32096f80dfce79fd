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
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    // The program is a text, the kernels are not.
    files.sort_by_key(|file| fs::read_to_string(file).is_err());
    files
}

#[test]
fn a_second_run_takes_the_program_from_the_cache_and_answers_the_same() {
    let cache = folder("cache_twice");
    let (first, was_there) = play(PLAYOUTS, &cache);
    assert!(!was_there);
    assert_eq!(play(PLAYOUTS, &cache), (first.clone(), true));
    let [program, kernels] = &files(&cache)[..] else { panic!("two files") };
    // Either is of use without the other.
    for (missing, n_files) in [(kernels, 2), (program, 1)] {
        fs::remove_file(missing).unwrap();
        assert_eq!(play(PLAYOUTS, &cache), (first.clone(), true));
        assert_eq!(files(&cache).len(), n_files);
    }
}

#[test]
fn spoiled_files_are_replaced() {
    let cache = folder("cache_spoiled");
    let (first, _) = play(PLAYOUTS, &cache);
    let [program, kernels] = &files(&cache)[..] else { panic!("two files") };
    let (text, bytes) = (fs::read_to_string(program).unwrap(), fs::read(kernels).unwrap());
    let other = text.replace("holds", "none");
    let spoiled: [(&[u8], &[u8]); 5] = [
        (b"", b""),
        (b"nonsense", b"nonsense"),
        (&text.as_bytes()[..text.len() / 2], &bytes[..bytes.len() / 2]),
        (other.as_bytes(), &[&bytes[..], b"more"].concat()),
        (&bytes, text.as_bytes()),
    ];
    for (first_file, second_file) in spoiled {
        fs::write(program, first_file).unwrap();
        fs::write(kernels, second_file).unwrap();
        assert_eq!(play(PLAYOUTS, &cache), (first.clone(), false));
        assert_eq!(fs::read_to_string(program).unwrap(), text);
        assert_eq!(fs::read(kernels).unwrap(), bytes);
    }
}

#[test]
fn other_rules_and_parameters_have_files_of_their_own() {
    let cache = folder("cache_others");
    play("playouts nim --count 1 --stages --json", &cache);
    let (_, was_there) = play(PLAYOUTS, &cache);
    assert!(!was_there);
    let (_, was_there) = play(&format!("{PLAYOUTS} --limit inferences=77777777"), &cache);
    assert!(!was_there);
    assert_eq!(files(&cache).len(), 6);
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
    assert_eq!(list["files"].as_array().unwrap().len(), 2);
    let cleared = run("cache clear", &cache).stdout;
    assert!(cleared.starts_with("removed 2 files, "), "{cleared}");
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
    let ours = files(&cache);
    let precious = cache.join("precious");
    fs::write(&precious, "mine").unwrap();
    for file in &ours {
        fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(&precious, file).unwrap();
    }
    assert_eq!(play(PLAYOUTS, &cache), (first.clone(), false));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    for file in &ours {
        fs::remove_file(file).unwrap();
        assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
    }
    assert_eq!(play(PLAYOUTS, &cache), (first, false));
    for file in &ours {
        fs::remove_file(file).unwrap();
    }
    let part = ours[0].with_extension("program.7.part");
    fs::write(&part, "half").unwrap();
    fs::write(cache.join("notes.program"), "mine").unwrap();
    assert_eq!(run("cache clear", &cache).code, 0);
    assert!(!part.exists() && precious.exists() && cache.join("notes.program").exists());
}
