//! The cache: programs and kernels of earlier runs in a folder, one file each.
//!
//! In: keys and bytes. Out: the same bytes, later. The folder is `$RULESMITH_CACHE`, or `rulesmith` in the
//! platform's folder for caches; an empty `$RULESMITH_CACHE` means none. Invariant: what an engine answers does
//! not depend on what is in it, only how soon the engine is ready; a file is whole or not there; all files together
//! stay below a size, the oldest going first; only files of our own kind are ever removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rulesmith_player::ProgramStore;

use crate::exit::Failure;
use crate::files;

/// The environment variable that names the folder.
pub(crate) const VARIABLE: &str = "RULESMITH_CACHE";

/// All files together have at most so many bytes.
const MAX_BYTES: u64 = 256 << 20;

/// One file has at most so many.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How files of the cache end.
const ENDING: &str = "program";

/// Digits of a key.
const KEY_DIGITS: usize = 64;

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    version: String,
}

/// A file of the cache.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its size.
    pub(crate) n_bytes: u64,
    modified: SystemTime,
}

impl Cache {
    /// The cache of this person, if there is a place for it.
    pub(crate) fn open() -> Option<Self> {
        Some(Self { folder: folder()?, version: version() })
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its files, the oldest first.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let Ok(files) = fs::read_dir(&self.folder) else { return Vec::new() };
        let entry = |file: std::io::Result<fs::DirEntry>| {
            let path = file.ok()?.path();
            let about = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
            let modified = about.modified().ok()?;
            is_ours(&path).then_some(Entry { path, n_bytes: about.len(), modified })
        };
        let mut entries: Vec<Entry> = files.filter_map(entry).collect();
        entries.sort_by(|one, other| (one.modified, &one.path).cmp(&(other.modified, &other.path)));
        entries
    }

    /// Removes all files; those that were.
    pub(crate) fn clear(&self) -> Result<Vec<Entry>, Failure> {
        let entries = self.entries();
        for entry in &entries {
            files::remove(&entry.path)?;
        }
        Ok(entries)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key).with_extension(ENDING)
    }

    /// Removes the oldest files until the others are small enough.
    fn trim(&self) {
        let entries = self.entries();
        let mut n_bytes: u64 = entries.iter().map(|entry| entry.n_bytes).sum();
        for entry in entries {
            if n_bytes <= MAX_BYTES {
                return;
            }
            // Somebody else may have removed it.
            let _ = files::remove(&entry.path);
            n_bytes -= entry.n_bytes;
        }
    }
}

impl ProgramStore for Cache {
    fn version(&self) -> &str {
        &self.version
    }

    fn load(&mut self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        // Links, pipes and devices are not ours; some never end.
        let about = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        if about.len() > MAX_FILE_BYTES {
            return None;
        }
        files::read_bytes(&path, MAX_FILE_BYTES).ok()
    }

    /// A cache that cannot be written is no fault: the next run takes as long as this one.
    fn save(&mut self, key: &str, bytes: &[u8]) {
        let path = self.path(key);
        let is_free = fs::symlink_metadata(&path).map_or(true, |there| there.is_file());
        let is_small = bytes.len() as u64 <= MAX_FILE_BYTES;
        if is_free
            && is_small
            && fs::create_dir_all(&self.folder).is_ok()
            && files::write(&path, bytes).is_ok()
        {
            self.trim();
        }
    }
}

/// Is this the name of a file of ours: a key, our ending, and perhaps what a file that is being written has behind it?
fn is_ours(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let parts: Vec<&str> = name.split('.').collect();
    let ([key, ENDING] | [key, ENDING, _, "part"]) = parts[..] else { return false };
    key.len() == KEY_DIGITS && key.bytes().all(|one| one.is_ascii_hexdigit())
}

/// The version of the program, and of its file: while it is being worked on, versions stay the same and
/// files do not.
fn version() -> String {
    let about = std::env::current_exe().and_then(fs::metadata);
    let file = about.and_then(|about| Ok((about.len(), about.modified()?)));
    format!("{} {:?}", env!("CARGO_PKG_VERSION"), file.ok())
}

fn folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    if let Some(folder) = named(VARIABLE) {
        return (!folder.as_os_str().is_empty()).then_some(folder);
    }
    let given = |variable: &str| named(variable).filter(|folder| folder.is_absolute());
    let caches = if cfg!(windows) {
        given("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        given("HOME").map(|home| home.join("Library/Caches"))
    } else {
        given("XDG_CACHE_HOME").or_else(|| given("HOME").map(|home| home.join(".cache")))
    };
    caches.map(|caches| caches.join("rulesmith"))
}
