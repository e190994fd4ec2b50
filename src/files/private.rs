//! Files with a user's words in them: for their owner only.

use std::fs::OpenOptions;
use std::io::{Result, Write as _};
use std::path::Path;

use super::unlinked;

/// Has what is made through these options be its owner's only.
pub fn only_owner(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Writes a file that is not there yet.
pub fn write_new(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    only_owner(OpenOptions::new().write(true).create_new(true)).open(path)?.write_all(content.as_ref())
}

/// Writes a file, in place of the one that may be there: whole, or not at all.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A temporary file is made for its owner only.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Makes a folder, for its owner only, if there is none.
pub fn folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Takes a file or folder that is there away from everybody but its owner. What belongs to another user stays as it is.
pub fn restrict(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = path.symlink_metadata()?;
        let mode = if found.is_dir() { 0o700 } else { 0o600 };
        if !found.is_symlink() && found.permissions().mode() & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Removes a folder with all that is in it, also what a program has shut.
pub fn remove(folder: &Path) -> Result<()> {
    let gone = |removed: Result<()>| match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    if gone(std::fs::remove_dir_all(folder)).is_ok() {
        return Ok(());
    }
    // Going through it opens what was shut. Where that fails, removing fails again and says why.
    let _ = unlinked::walk(folder, &mut |_| true);
    gone(std::fs::remove_dir_all(folder))
}
