//! Pinning: what was agreed to is what runs.
//!
//! The files of an engine's folder are listed with their digests. A decision holds for exactly this list. At the start
//! they are copied into a private folder, and listed again from the very bytes that were copied; the program runs there
//! and nowhere else, so that nothing that changes in the folder afterwards makes a difference.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
#[cfg(unix)]
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::files::{plain, private};
use crate::store::Digest;

/// More files, bytes or levels than this are refused: no one could look at them before agreeing.
const MAX_FILES: usize = 200;
const MAX_BYTES: u64 = 4 << 20;
const MAX_DEPTH: usize = 8;
/// The longest text of a file that is shown, and of all of them together.
const MAX_TEXT: usize = 64 * 1024;
const MAX_TEXTS: usize = 256 * 1024;

/// No part of what runs, and not copied either: what the engine itself is made of, which a session has its own copy of,
/// its tests, and what version control keeps.
const LEFT_OUT: &[&str] =
    &["engine.toml", "prompt.md", "brief.md", "examples.toml", "scenarios", ".git", ".hg", ".jj", ".svn"];

/// Left out wherever it is: an interpreter would run this in the place of the text that was shown.
const NEVER: &str = "__pycache__";

/// A file that a program of an engine gets, or is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedFile {
    /// Its place in the engine's folder.
    pub path: String,
    pub bytes: u64,
    pub executable: bool,
    pub digest: Digest,
    /// What stands in it, for the user to read.
    pub content: Content,
}

/// What stands in a file, as far as people can read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Text(String),
    /// A text that is too long to be shown.
    TooLong,
    /// Code for the machine, which no one can read.
    Compiled,
    /// Neither. An interpreter may still run it, so it cannot be agreed to.
    Opaque,
}

/// The files of a folder as they are now.
pub fn look(folder: &Path) -> Result<Vec<PinnedFile>, String> {
    list(folder, &mut |_, _| Ok(()))
}

/// Copies the files of a folder, and says what was copied.
pub fn copy(folder: &Path, into: &Path) -> Result<Vec<PinnedFile>, String> {
    list(folder, &mut |file, bytes| write(&into.join(&file.path), bytes, file.executable))
}

/// Copies one file, and says what was copied.
pub fn copy_file(from: &Path, into: &Path) -> Result<Digest, String> {
    let fail = |error: io::Error| format!("{} cannot be copied: {error}", from.display());
    // A program of a system has no bound that would be right; this is for those of users.
    let bytes = read(from, 64 << 20).map_err(fail)?;
    write(into, &bytes, true).map_err(fail)?;
    Ok(Digest::of(&bytes))
}

/// Digests of programs by what the system says of their files. Some programs are a hundred megabytes, and what an engine
/// wants is looked at with every event.
static KNOWN: Mutex<BTreeMap<PathBuf, (Stamp, Digest)>> = Mutex::new(BTreeMap::new());
/// A file that changed so recently may change once more within the same tick of the system's clock.
const SETTLED: Duration = Duration::from_secs(2);

/// What tells one content of a file from another without reading it: the system moves the last part with every change,
/// and programs cannot set it back.
type Stamp = (u64, u64, u64, i64, i64);

#[cfg(unix)]
fn stamp(file: &File) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;
    let seen = file.metadata().ok()?;
    let changed = UNIX_EPOCH + Duration::from_secs(seen.ctime().try_into().ok()?);
    let settled = SystemTime::now().duration_since(changed).is_ok_and(|age| age > SETTLED);
    settled.then(|| (seen.dev(), seen.ino(), seen.len(), seen.ctime(), seen.ctime_nsec()))
}

#[cfg(not(unix))]
fn stamp(_: &File) -> Option<Stamp> {
    None
}

/// The digest of a file, however long it is.
pub fn digest(path: &Path) -> io::Result<Digest> {
    let mut file = plain::open(path)?;
    let stamp = stamp(&file);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let (Some(now), Some((then, digest))) = (stamp, known().get(path))
        && now == *then
    {
        return Ok(*digest);
    }
    let digest = digest_of(&mut file)?;
    if let Some(stamp) = stamp {
        known().insert(path.to_owned(), (stamp, digest));
    }
    Ok(digest)
}

fn digest_of(opened: &mut File) -> io::Result<Digest> {
    use sha2::Digest as _;
    let (mut sum, mut buffer) = (sha2::Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match opened.read(&mut buffer)? {
            0 => return Ok(Digest(sum.finalize().into())),
            count => sum.update(&buffer[..count]),
        }
    }
}

type Take<'a> = &'a mut dyn FnMut(&PinnedFile, &[u8]) -> io::Result<()>;

fn list(folder: &Path, take: Take<'_>) -> Result<Vec<PinnedFile>, String> {
    let root = folder.canonicalize().map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let mut listing = Listing { root, files: Vec::new(), bytes: 0, texts: 0 };
    let root = listing.root.clone();
    listing.enter(&root, 0, take)?;
    Ok(listing.files)
}

struct Listing {
    root: PathBuf,
    files: Vec<PinnedFile>,
    bytes: u64,
    texts: usize,
}

impl Listing {
    fn enter(&mut self, folder: &Path, depth: usize, take: Take<'_>) -> Result<(), String> {
        let unreadable = |error: io::Error| format!("{} cannot be read: {error}", folder.display());
        if depth > MAX_DEPTH {
            return Err(format!("its folder is more than {MAX_DEPTH} folders deep"));
        }
        let mut entries: Vec<_> =
            std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<_>>).map_err(unreadable)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if entry.file_name() == NEVER || (depth == 0 && LEFT_OUT.iter().any(|name| entry.file_name() == *name)) {
                continue;
            }
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                self.enter(&path, depth + 1, take)?;
            } else {
                self.file(&path, kind.is_symlink(), take)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, link: bool, take: Take<'_>) -> Result<(), String> {
        let name = self.name(path)?;
        let unreadable = |error: io::Error| format!("{name} cannot be read: {error}");
        let real = if link { self.target(path, &name)? } else { path.to_owned() };
        if self.files.len() == MAX_FILES {
            return Err(format!("its folder has more than {MAX_FILES} files"));
        }
        let executable = is_executable(&real);
        let bytes = read(&real, MAX_BYTES - self.bytes).map_err(unreadable)?;
        self.bytes += bytes.len() as u64;
        let file = PinnedFile {
            content: self.content(&bytes),
            path: name.clone(),
            bytes: bytes.len() as u64,
            executable,
            digest: Digest::of(&bytes),
        };
        take(&file, &bytes).map_err(|error| format!("{name} cannot be copied: {error}"))?;
        self.files.push(file);
        Ok(())
    }

    /// Where a file is in the folder, in the same words on every system.
    fn name(&self, path: &Path) -> Result<String, String> {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/")).ok_or_else(|| format!("the name of {} is no text", inside.display()))
    }

    /// What a link leads to: a file of the folder, or it is refused.
    fn target(&self, link: &Path, name: &str) -> Result<PathBuf, String> {
        let real = link.canonicalize().map_err(|error| format!("the link {name} leads nowhere: {error}"))?;
        if !real.starts_with(&self.root) {
            return Err(format!("the link {name} leads out of its folder, to {}", real.display()));
        }
        if real.is_dir() {
            return Err(format!("the link {name} leads to a folder; put the files there themselves"));
        }
        Ok(real)
    }

    fn content(&mut self, bytes: &[u8]) -> Content {
        let content = content(bytes);
        if let Content::Text(text) = &content {
            if self.texts + text.len() > MAX_TEXTS {
                return Content::TooLong;
            }
            self.texts += text.len();
        }
        content
    }
}

fn content(bytes: &[u8]) -> Content {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => Content::Opaque,
        Ok(text) if text.len() > MAX_TEXT => Content::TooLong,
        Ok(text) => Content::Text(text.to_owned()),
        Err(_) if is_compiled(bytes) => Content::Compiled,
        Err(_) => Content::Opaque,
    }
}

/// Whether a file begins as the programs of Linux, macOS or Windows do.
fn is_compiled(bytes: &[u8]) -> bool {
    const MACH: [[u8; 4]; 3] = [[0xcf, 0xfa, 0xed, 0xfe], [0xce, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]];
    match bytes {
        // The class, the order of bytes and the version have few values; text would have others.
        [0x7f, b'E', b'L', b'F', 1 | 2, 1 | 2, 1, ..] => true,
        [a, b, c, d, ..] if MACH.contains(&[*a, *b, *c, *d]) => true,
        [b'M', b'Z', ..] => bytes.windows(4).take(1024).any(|word| word == b"PE\0\0"),
        _ => false,
    }
}

/// A file outside an engine's folder, as it is now. Of one that is too long to be shown only the digest is taken.
pub fn outside(path: &Path) -> io::Result<PinnedFile> {
    let mut head = Vec::new();
    let opened = plain::open(path)?;
    let (bytes, executable) = (opened.metadata()?.len(), is_executable(path));
    opened.take(MAX_TEXT as u64 + 1).read_to_end(&mut head)?;
    let content = match content(&head) {
        Content::Opaque | Content::Compiled if is_compiled(&head) => Content::Compiled,
        // What was read may end within a character.
        Content::Opaque if head.len() > MAX_TEXT => Content::TooLong,
        other => other,
    };
    let path = path.to_string_lossy().into_owned();
    let digest = match &content {
        Content::Text(text) => Digest::of(text.as_bytes()),
        _ => digest(Path::new(&path))?,
    };
    Ok(PinnedFile { path, bytes, executable, digest, content })
}

/// Whether a file says of itself that it is to be run.
pub fn looks_like_code(path: &Path) -> bool {
    let mut head = [0; 2];
    let marked = plain::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok_and(|()| head == *b"#!");
    marked || is_executable(path)
}

fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    plain::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("there are more than {} KiB of files", MAX_BYTES >> 10)));
    }
    Ok(bytes)
}

fn write(path: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private::folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o500 } else { 0o400 });
    options.open(path)?.write_all(bytes)
}

#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub fn is_executable(_: &Path) -> bool {
    true
}

/// A file of the engine's folder that a handler names (`./name`), as it is pinned. `None` for anything else.
pub fn own_name(word: &str) -> Option<String> {
    let inside = word.strip_prefix("./")?;
    let parts: Option<Vec<&str>> = Path::new(inside)
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(files: &[PinnedFile]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn a_copy_is_what_was_looked_at_without_the_engine_and_its_tests() {
        let from =
            folder(&[("engine.toml", "id"), ("scan.sh", "echo"), ("lib/more.sh", "x"), ("scenarios/a.toml", "s")]);
        let into = tempfile::tempdir().unwrap();
        let seen = look(from.path()).unwrap();
        assert_eq!(names(&seen), ["lib/more.sh", "scan.sh"]);
        assert_eq!(copy(from.path(), into.path()).unwrap(), seen);
        assert_eq!(look(into.path()).unwrap(), seen);
        let texts: Vec<&Content> = seen.iter().map(|file| &file.content).collect();
        assert_eq!(texts, [&Content::Text("x".to_owned()), &Content::Text("echo".to_owned())]);
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_out_are_refused_and_those_within_are_files() {
        let from = folder(&[("scan.sh", "echo")]);
        std::os::unix::fs::symlink("scan.sh", from.path().join("also.sh")).unwrap();
        assert_eq!(names(&look(from.path()).unwrap()), ["also.sh", "scan.sh"]);
        std::os::unix::fs::symlink("/etc/passwd", from.path().join("users")).unwrap();
        assert_eq!(look(from.path()), Err("the link users leads out of its folder, to /etc/passwd".to_owned()));
    }

    #[test]
    fn a_folder_that_no_one_could_look_through_is_refused() {
        let many: Vec<String> = (0..=MAX_FILES).map(|n| format!("f{n}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "")).collect();
        assert_eq!(look(folder(&many).path()), Err("its folder has more than 200 files".to_owned()));
        let large = "x".repeat(MAX_BYTES as usize + 1);
        let refused = look(folder(&[("large", &large)]).path()).unwrap_err();
        assert_eq!(refused, "large cannot be read: there are more than 4096 KiB of files");
        let deep = "d/".repeat(MAX_DEPTH + 1) + "file";
        assert_eq!(look(folder(&[(&deep, "")]).path()), Err("its folder is more than 8 folders deep".to_owned()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_is_refused_and_not_waited_for() {
        let from = folder(&[]);
        assert!(std::process::Command::new("mkfifo").arg(from.path().join("pipe")).status().unwrap().success());
        assert!(look(from.path()).unwrap_err().starts_with("pipe cannot be read: "));
    }

    #[test]
    fn only_what_stays_in_the_folder_is_a_file_of_it() {
        assert_eq!(own_name("./lib/./x.sh").as_deref(), Some("lib/x.sh"));
        for word in ["x.sh", "../x.sh", "./../x.sh", "./lib/../../x", "/x", "./", "."] {
            assert_eq!(own_name(word), None, "{word}");
        }
    }
}
