//! Files and folders opened without following a link, neither at the end of a path nor on the way: another program may
//! put one there at any moment.

use std::fs::{File, Metadata};
use std::io::Result;
use std::path::{Path, PathBuf};

/// Opens a file or folder by its whole path, not to read it but to hold on to it.
#[cfg(target_os = "linux")]
pub fn hold(path: &Path) -> Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), links)?.into())
}

/// Which file it is, whatever its name: the device, and the number there.
#[cfg(target_os = "linux")]
pub fn identity(held: &File) -> Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let seen = held.metadata()?;
    Ok((seen.dev(), seen.ino()))
}

/// Opens a folder below another, and lets its owner in if it was shut.
#[cfg(target_os = "linux")]
fn enter(root: &File, inside: &Path) -> Result<std::fs::ReadDir> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::PermissionsExt;

    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
    let links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder: File = openat2(root, inside, flags, Mode::empty(), links)?.into();
    // By this name it is the folder that was opened, wherever it has been moved.
    let name = format!("/proc/self/fd/{}", folder.as_raw_fd());
    if folder.metadata()?.permissions().mode() & 0o700 != 0o700 {
        std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o700))?;
    }
    std::fs::read_dir(&name)
}

#[cfg(target_os = "linux")]
fn root(folder: &Path) -> Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(open(folder, flags, Mode::empty())?.into())
}

#[cfg(not(target_os = "linux"))]
fn root(folder: &Path) -> Result<PathBuf> {
    Ok(folder.to_owned())
}

/// Elsewhere there is no such call; the last part of the path is all that can be looked at.
#[cfg(not(target_os = "linux"))]
fn enter(root: &Path, inside: &Path) -> Result<std::fs::ReadDir> {
    let path = root.join(inside);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let seen = path.symlink_metadata()?;
        if seen.is_dir() && seen.permissions().mode() & 0o700 != 0o700 {
            rustix::fs::chmodat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
        }
    }
    std::fs::read_dir(path)
}

/// Goes through everything in a folder that a program may change meanwhile. Folders that were shut are opened to their
/// owner. It ends early when `each` says no; it fails where a folder cannot be looked into.
pub fn walk(folder: &Path, each: &mut dyn FnMut(&Metadata) -> bool) -> Result<()> {
    let root = root(folder)?;
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        let entries = match enter(&root, &inside) {
            Ok(entries) => entries,
            // What is gone by the time it is looked at, or is no folder any more, holds nothing.
            Err(error) if is_gone(&error) => continue,
            Err(error) => return Err(error),
        };
        for entry in entries.flatten() {
            // Of a link this is the link itself.
            let Ok(seen) = entry.metadata() else { continue };
            if !each(&seen) {
                return Ok(());
            }
            if seen.is_dir() {
                open.push(inside.join(entry.file_name()));
            }
        }
    }
    Ok(())
}

fn is_gone(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    #[cfg(target_os = "linux")]
    if error.raw_os_error() == Some(libc::ELOOP) {
        return true;
    }
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{Permissions, create_dir, set_permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn shut_folders_are_opened_to_their_owner_alone_and_nothing_behind_a_link_is() {
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let all = tempfile::tempdir().unwrap();
        let (place, victim) = (all.path().join("place"), all.path().join("victim"));
        for folder in [&place, &place.join("shut"), &victim, &victim.join("inner")] {
            create_dir(folder).unwrap();
        }
        std::fs::write(place.join("shut/file"), "four").unwrap();
        symlink(&victim, place.join("link")).unwrap();
        set_permissions(place.join("shut"), Permissions::from_mode(0o077)).unwrap();
        set_permissions(victim.join("inner"), Permissions::from_mode(0o077)).unwrap();
        set_permissions(&victim, Permissions::from_mode(0o500)).unwrap();
        let mut bytes = 0;
        walk(&place, &mut |seen| {
            bytes += if seen.is_file() { seen.len() } else { 0 };
            true
        })
        .unwrap();
        assert_eq!((bytes, mode(&place.join("shut"))), (4, 0o700));
        // As if the link had been put there after the folder was looked at.
        let root = root(&place).unwrap();
        for path in ["link", "link/inner", "../victim"] {
            assert!(enter(&root, Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(mode(&victim), 0o500);
        set_permissions(&victim, Permissions::from_mode(0o700)).unwrap();
        assert_eq!(mode(&victim.join("inner")), 0o077);
        set_permissions(victim.join("inner"), Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn nothing_is_held_through_a_link() {
        let all = tempfile::tempdir().unwrap();
        let real = all.path().canonicalize().unwrap();
        create_dir(real.join("folder")).unwrap();
        create_dir(real.join("folder/inner")).unwrap();
        symlink("folder", real.join("link")).unwrap();
        let held = hold(&real.join("folder/inner")).unwrap();
        assert_eq!(identity(&held).unwrap(), identity(&File::open(real.join("link/inner")).unwrap()).unwrap());
        assert!(hold(&real.join("link")).is_err() && hold(&real.join("link/inner")).is_err());
    }
}
