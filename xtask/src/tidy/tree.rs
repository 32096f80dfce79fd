//! The files of the checkout: what git tracks or would track.
//!
//! In: the top folder. Out: paths from there, and the text of those that are text. Invariant:
//! paths are in order and use `/` on every platform.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// The files of a checkout.
pub(super) struct Tree {
    /// The files in the order of their paths.
    pub(super) files: Vec<TreeFile>,
}

/// One file.
pub(super) struct TreeFile {
    /// Its path from the top folder.
    pub(super) path: String,
    /// Its text; `None` when it is not text.
    pub(super) text: Option<String>,
}

impl Tree {
    /// Reads all files git knows or would add; without git, all but build folders and hidden ones.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut paths = match paths_from_git(root) {
            Some(paths) => paths,
            None => paths_from_folders(root)?,
        };
        paths.sort();
        paths.dedup();
        let mut files = Vec::new();
        for path in paths.into_iter().filter(|path| root.join(path).is_file()) {
            let bytes =
                fs::read(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
            files.push(TreeFile { path, text: String::from_utf8(bytes).ok() });
        }
        Ok(Self { files })
    }

    /// A tree of these paths and texts.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| TreeFile {
            path: (*path).to_owned(),
            text: Some((*text).to_owned()),
        };
        Self { files: files.iter().map(file).collect() }
    }

    /// The texts of the files whose names end in `.` and this, as path and text.
    pub(super) fn texts_with_extension(
        &self,
        extension: &str,
    ) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(move |(path, _)| {
            Path::new(path).extension().is_some_and(|found| found == extension)
        })
    }

    /// Is there a file or folder at this path?
    pub(super) fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
    }

    /// The files that are text, as path and text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
    }
}

/// Tracked files and new ones that are not ignored; `None` when git cannot say.
fn paths_from_git(root: &Path) -> Option<Vec<String>> {
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = command.current_dir(root).stdin(Stdio::null()).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
    Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// Every file below the top folder, without build folders and hidden folders other than our own.
fn paths_from_folders(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = !name.starts_with('.') || [".ci", ".cargo"].contains(&name.as_str());
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.file_type()?.is_dir() {
                paths.push(path);
            } else if is_ours && name != "target" {
                folders.push(path);
            }
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_contains_this_package_and_no_build_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let tree = Tree::read(root).unwrap();
        assert!(tree.has("xtask/src/main.rs"));
        assert!(tree.has("xtask/src"));
        assert!(!tree.has("target"));
    }

    #[test]
    fn folders_are_walked_when_git_cannot_say() {
        let paths = paths_from_folders(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(paths.contains(&"src/tidy/tree.rs".to_owned()));
        assert!(paths.contains(&"Cargo.toml".to_owned()));
    }
}
