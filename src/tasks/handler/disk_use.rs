//! What a program takes up on the disk: in its folders, and in files that it has removed and still holds open.

use std::path::{Path, PathBuf};

use crate::files::private;

/// Files and folders beyond this are too many, whatever they hold.
const MAX_ENTRIES: usize = 10_000;

/// The bytes that the files in these folders take up; `None` where there are too many to count, or where they cannot be
/// counted.
pub(super) fn in_folders(folders: &[&Path]) -> Option<u64> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
    let (mut bytes, mut entries) = (0u64, 0usize);
    while let Some(folder) = open.pop() {
        let listed = match std::fs::read_dir(&folder) {
            Ok(listed) => listed,
            // What is gone by the time it is looked at takes up nothing.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(_) => return None,
        };
        for entry in listed.flatten() {
            entries += 1;
            if entries > MAX_ENTRIES {
                return None;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                let path = entry.path();
                // The program may have made it so that it cannot be looked into.
                private::open_to_owner(&path, &metadata);
                open.push(path);
            } else {
                bytes = bytes.saturating_add(metadata.len());
            }
        }
    }
    Some(bytes)
}

/// The bytes of the files that these processes hold open and that have no name any more.
#[cfg(target_os = "linux")]
pub(super) fn removed(processes: &[u32]) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut seen = std::collections::BTreeMap::new();
    for process in processes {
        for entry in std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
            // This asks for the file itself and not for the link to it.
            let Ok(file) = std::fs::metadata(entry.path()) else { continue };
            if file.is_file() && file.nlink() == 0 {
                seen.insert((file.dev(), file.ino()), file.len());
            }
        }
    }
    seen.values().fold(0, |sum, bytes| sum.saturating_add(*bytes))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn removed(_: &[u32]) -> u64 {
    0
}
