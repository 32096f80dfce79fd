//! The chapter on chess-like games, docs/scl.md: its pictures, outputs and texts are what the program makes of the examples.
//!
//! With `REWRITE_PAPERS` in the environment pictures and outputs are written instead; `cargo xtask papers` does that.

#![expect(clippy::disallowed_methods, reason = "the chapter and its pictures are files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Where pictures stand, as commands name them.
const PICTURES: &str = "docs/pictures/scl";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn is_rewriting() -> bool {
    std::env::var_os("REWRITE_PAPERS").is_some()
}

/// What a command of the chapter prints, standing in the checkout.
fn printed(words: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rulesmith"))
        .args(words)
        .current_dir(root())
        .env("RULESMITH_CACHE", "")
        .output()
        .expect("the binary starts");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("the output is UTF-8")
}

/// The words of a command: blanks separate them, but not between quotes.
fn words(line: &str) -> Vec<String> {
    let pieces = line.split('"').enumerate();
    let words = pieces.flat_map(|(at, piece)| {
        let is_quoted = at % 2 == 1;
        let inside = is_quoted.then(|| piece.to_owned());
        let outside = (!is_quoted).then(|| piece.split_whitespace().map(str::to_owned));
        inside.into_iter().chain(outside.into_iter().flatten())
    });
    words.collect()
}

/// The blocks of the chapter in a language.
fn blocks(chapter: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let parts = chapter.split(&opening).skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn pictures_are_what_their_commands_draw() {
    let chapter = read("docs/scl.md");
    let mut drawn = BTreeSet::new();
    for line in blocks(&chapter, "sh").iter().flat_map(|block| block.lines()) {
        let command = line.strip_prefix("rulesmith ").unwrap_or_else(|| panic!("{line}"));
        let mut words = words(command);
        let file = std::mem::replace(words.last_mut().expect("a command"), "-".to_owned());
        assert!(file.starts_with(PICTURES), "{line}");
        let picture = printed(&words);
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"), "{line}: {picture}");
        if is_rewriting() {
            fs::write(root().join(&file), &picture).expect("it can be written");
        }
        assert!(read(&file) == picture, "{file} is stale: run `cargo xtask papers`");
        assert!(drawn.insert(file), "{line}: the picture is made twice");
    }
    let linked = chapter.split("](pictures/").skip(1).map(|part| {
        let name = part.split(')').next().unwrap_or_default();
        format!("docs/pictures/{name}")
    });
    let linked: BTreeSet<String> = linked.collect();
    let files = fs::read_dir(root().join(PICTURES)).expect("there are pictures");
    let files: BTreeSet<String> = files
        .map(|file| format!("{PICTURES}/{}", file.expect("a file").file_name().display()))
        .collect();
    assert_eq!(linked, drawn, "every picture has a command");
    assert_eq!(files, drawn, "every picture is shown");
    assert!(drawn.len() > 50);
}

#[test]
fn outputs_are_what_is_printed() {
    let chapter = read("docs/scl.md");
    let mut anew = chapter.clone();
    let mut n_commands = 0;
    for block in blocks(&chapter, "console") {
        let (command, shown) = block.split_once('\n').expect("a command and its output");
        let command_words = words(command.strip_prefix("$ rulesmith ").expect("a command"));
        let output = printed(&command_words);
        // How long a count took is not the same twice.
        let kept = |text: &str| -> Vec<String> {
            let is_count = command_words[0] == "perft";
            let line = |line: &str| {
                let n_words = if is_count { 3 } else { usize::MAX };
                line.split_whitespace().take(n_words).collect::<Vec<_>>().join(" ")
            };
            text.trim_end().lines().map(line).collect()
        };
        if is_rewriting() && kept(shown) != kept(&output) {
            anew = anew.replace(&block, &format!("{command}\n{}\n", output.trim_end()));
        } else {
            assert_eq!(kept(shown), kept(&output), "{command}");
        }
        n_commands += 1;
    }
    assert!(n_commands >= 4);
    if anew != chapter {
        fs::write(root().join("docs/scl.md"), anew).expect("it can be written");
    }
}

/// Rules texts of a folder and of the folders in it.
fn texts(folder: &str) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for file in fs::read_dir(root().join(folder)).expect("a folder") {
        let file = file.expect("a file");
        let path = format!("{folder}/{}", file.file_name().display());
        if file.path().is_dir() {
            texts.extend(self::texts(&path));
        } else if file.path().extension().is_some_and(|one| one == "scl") {
            texts.push((path.clone(), read(&path)));
        }
    }
    texts
}

#[test]
fn snippets_are_parts_of_games() {
    let chapter = read("docs/scl.md");
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let games: Vec<String> = ["docs/examples", "games"]
        .iter()
        .flat_map(|folder| texts(folder))
        .map(|(_, text)| spaced(&text))
        .collect();
    let snippets = blocks(&chapter, "scl");
    assert!(snippets.len() > 30);
    for snippet in snippets {
        let snippet = spaced(&snippet);
        assert!(games.iter().any(|game| game.contains(&snippet)), "no game says: {snippet}");
    }
}

#[test]
fn examples_have_no_problems() {
    for (path, _) in texts("docs/examples") {
        let output = printed(&["check".to_owned(), path.clone()]);
        let is_right = output == "no problems\n";
        assert_eq!(is_right, !path.ends_with("mistakes.scl"), "{path}: {output}");
    }
}
