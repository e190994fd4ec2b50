//! Paths that must not lead out of their folder, neither by their name nor by a link.

use std::io::{Error, ErrorKind, Result};
use std::path::{Component, Path, PathBuf};

/// Whether a path, as it is written, stays where it begins. Links are another matter.
pub fn stays(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// A file that is there, links followed to their end, if that is in the folder.
pub fn existing(folder: &Path, path: &Path) -> Result<PathBuf> {
    let root = folder.canonicalize()?;
    let found = root.join(path).canonicalize()?;
    if found.starts_with(&root) { Ok(found) } else { Err(leads_out(Some(&found))) }
}

/// Where a file may be written: in the folder, and never through a link. The folders on the way are made.
pub fn target(folder: &Path, path: &str) -> Result<PathBuf> {
    if !stays(path) {
        return Err(leads_out(None));
    }
    let root = folder.canonicalize()?;
    let whole = root.join(path);
    let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else { return Err(leads_out(None)) };
    // Looked at before anything is made: a folder on the way may be a link.
    let there = parent.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok()).unwrap_or(&root);
    existing(&root, there)?;
    std::fs::create_dir_all(parent)?;
    let target = existing(&root, parent)?.join(name);
    match target.symlink_metadata() {
        Ok(found) if found.is_symlink() => Err(leads_out(std::fs::read_link(&target).ok().as_deref())),
        Ok(found) if !found.is_file() => Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
        _ => Ok(target),
    }
}

fn leads_out(to: Option<&Path>) -> Error {
    let to = to.map(|to| format!(", to {}", to.display())).unwrap_or_default();
    Error::new(ErrorKind::PermissionDenied, format!("it leads out of its folder{to}"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn names_stay_where_they_begin_or_do_not() {
        assert!(stays("a.frame") && stays("people/anna.toml"));
        for path in ["", "..", "../a", "a/../../b", "/etc/passwd", "./a"] {
            assert!(!stays(path), "{path}");
        }
    }

    #[test]
    fn links_are_followed_and_those_that_lead_out_are_refused() {
        let all = tempfile::tempdir().unwrap();
        let folder = all.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(all.path().join("secret"), "x").unwrap();
        fs::write(folder.join("own"), "x").unwrap();
        symlink("own", folder.join("alias")).unwrap();
        symlink("../secret", folder.join("out")).unwrap();
        symlink("..", folder.join("up")).unwrap();
        assert!(existing(&folder, Path::new("alias")).is_ok());
        for path in ["out", "up/secret", "../secret"] {
            let error = existing(&folder, Path::new(path)).unwrap_err().to_string();
            assert!(error.contains("leads out of its folder"), "{path}: {error}");
        }
        assert!(target(&folder, "new/deep.txt").is_ok() && folder.join("new").is_dir());
        for path in ["out", "up/new", "../new", "alias", "up/new/er"] {
            assert!(target(&folder, path).is_err(), "{path}");
        }
        assert!(!all.path().join("new").exists(), "no folder is made outside");
    }
}
