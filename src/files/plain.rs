//! Plain files, read within bounds. A pipe or a device in the place of a file is refused and not waited for.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::Path;

/// The most that a file of settings, keys or colours may hold.
pub const SETTINGS: u64 = 1 << 20;
/// The most that a recording or a document may hold.
pub const DOCUMENT: u64 = 64 << 20;

/// Opens a file that is one.
pub fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    // Where it cannot be opened without waiting, it is looked at before.
    #[cfg(not(target_os = "linux"))]
    check(&std::fs::metadata(path)?)?;
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(found: &std::fs::Metadata) -> Result<()> {
    if found.is_file() { Ok(()) } else { Err(Error::new(ErrorKind::InvalidInput, "it is not a plain file")) }
}

/// Reads a file of at most so many bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is larger than {} KiB", most >> 10)));
    }
    Ok(bytes)
}

/// The same for a text.
pub fn text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pipes_devices_and_folders_are_refused_and_large_files_too() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, large) = (folder.path().join("pipe"), folder.path().join("large"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::fs::write(&large, "12345").unwrap();
        assert_eq!(text(&large, 5).unwrap(), "12345");
        for (path, most) in [(pipe.as_path(), 9), (large.as_path(), 4), (Path::new("/dev/zero"), 9), (folder.path(), 9)]
        {
            assert!(read(path, most).is_err(), "{}", path.display());
        }
    }
}
