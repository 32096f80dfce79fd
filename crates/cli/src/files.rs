//! Files on disk: read whole and checked, written in one step.
//!
//! In: paths. Out: texts, or failures that say what is wrong with the file. Invariant: what is
//! written is either the whole new text or the old file; reading is bounded.
#![expect(
    clippy::disallowed_methods,
    reason = "the command line is where files are read and written"
)]

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::string::FromUtf8Error;

use rulesmith_player::{Resolver, Sources, Span};

use crate::exit::{Exit, Failure};
use crate::problems;

/// Larger files are no rules, levels or contests.
const MAX_BYTES: u64 = 8 << 20;

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_bytes(path, MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|error| not_text(path, &error))
}

/// Where a file is no text.
fn not_text(path: &Path, error: &FromUtf8Error) -> Failure {
    let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
    let mut sources = Sources::default();
    let text = String::from_utf8_lossy(bytes).into_owned();
    let file = sources.add(path.display().to_string(), text);
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
    let span = Span { file, start: place(at), end: place(end) };
    let (line, column) = sources.line_column(span);
    let message = format!("`{}` is not UTF-8 text (line {line}, column {column})", path.display());
    let help = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it begins as UTF-16 does: save it as UTF-8",
        _ => "it may be in another encoding, such as Latin-1: save it as UTF-8",
    };
    let mut failure = Failure::new(Exit::Unreadable, message).help(help);
    let label = bytes.get(at).map_or(String::new(), |byte| format!("byte 0x{byte:02x}"));
    failure.excerpt = Some(problems::render_place(&sources, span, &label));
    failure
}

/// Reads a whole file, if it is not too large.
pub(crate) fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let fail = |message: String| Failure::new(Exit::Unreadable, message);
    let io = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => fail(format!("there is no file `{shown}`")),
        _ => fail(format!("cannot read `{shown}`: {error}")),
    };
    if fs::metadata(path).map_err(io)?.is_dir() {
        return Err(fail(format!("`{shown}` is a folder, not a file")));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(io)?.take(max_bytes + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > max_bytes {
        return Err(fail(format!("`{shown}` is larger than {} MiB", max_bytes >> 20)));
    }
    Ok(bytes)
}

/// Writes a file in one step: a reader sees the old bytes or the new ones, never half of them.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let fail = |error: std::io::Error| {
        Failure::new(Exit::Unwritable, format!("cannot write `{}`: {error}", path.display()))
    };
    // A link stays a link: what it names is written.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = target.file_name().ok_or_else(|| fail(ErrorKind::InvalidFilename.into()))?;
    match fs::metadata(&target) {
        Ok(there) if there.is_dir() => return Err(fail(ErrorKind::IsADirectory.into())),
        // Devices and pipes are written to, not replaced.
        Ok(there) if !there.is_file() => return fs::write(&target, bytes).map_err(fail),
        _ => {}
    }
    let mut part_name = name.to_owned();
    part_name.push(format!(".{}.part", std::process::id()));
    let part = target.with_file_name(part_name);
    let write = || {
        let mut file = File::create_new(&part)?;
        file.write_all(bytes)?;
        fs::rename(&part, &target)
    };
    write().map_err(|error| {
        if error.kind() != ErrorKind::AlreadyExists {
            let _ = fs::remove_file(&part);
        }
        fail(error)
    })
}

/// Removes a file.
pub(crate) fn remove(path: &Path) -> Result<(), Failure> {
    let fail = |error| format!("cannot remove `{}`: {error}", path.display());
    fs::remove_file(path).map_err(|error| Failure::new(Exit::Unwritable, fail(error)))
}

/// [`write()`] of a text, but a file that is there is only replaced if it begins like what is written: another
/// kind of file was named by mistake.
pub(crate) fn replace_text(path: &Path, text: &str, beginning: &str) -> Result<(), Failure> {
    let is_other = fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0)
        && !read_text(path).is_ok_and(|there| there.starts_with(beginning));
    if is_other {
        let message = format!(
            "`{}` is something else than what would be written; it was left as it is",
            path.display()
        );
        return Err(Failure::new(Exit::Unwritable, message));
    }
    write(path, text.as_bytes())
}

/// Is there something that can be read as a file?
pub(crate) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

/// Makes a folder and the folders above it.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| {
        let message = format!("cannot make the folder `{}`: {error}", path.display());
        Failure::new(Exit::Unwritable, message)
    })
}

/// What a rules file on disk may read: files in its folder and below.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder of a file.
    pub(crate) fn of(file: &Path) -> Self {
        Self(file.parent().map(Path::to_path_buf).unwrap_or_default())
    }
}

impl Resolver for Folder {
    fn read(&self, from: &str, path: &str) -> Result<(String, String), String> {
        let wanted = Path::new(from).with_file_name(path);
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let below = wanted.strip_prefix(&self.0).ok();
        if !below.is_some_and(|below| below.components().all(inside)) {
            return Err("rules may only read files in their own folder and below".to_owned());
        }
        let text = read_text(&wanted).map_err(|failure| failure.message)?;
        Ok((wanted.display().to_string(), text))
    }
}
