//! What a program takes up: in its folders, in files that it has removed and still holds, and in shared memory.

use std::path::Path;

use crate::files::unlinked;

/// Files and folders beyond this are too many, whatever they hold.
const MAX_ENTRIES: usize = 10_000;

/// The bytes that the files in these folders take up; `None` where there are too many to count, or where they cannot be
/// counted.
pub(super) fn in_folders(folders: &[&Path]) -> Option<u64> {
    let (mut bytes, mut entries) = (0u64, 0usize);
    for folder in folders {
        let walked = unlinked::walk(folder, &mut |seen| {
            entries += 1;
            if !seen.is_dir() {
                bytes = bytes.saturating_add(taken(seen));
            }
            entries <= MAX_ENTRIES
        });
        if walked.is_err() || entries > MAX_ENTRIES {
            return None;
        }
    }
    Some(bytes)
}

/// What a file takes up: more than its length where room was set aside, less where there are holes, which count.
#[cfg(unix)]
fn taken(file: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.len().max(file.blocks().saturating_mul(512))
}

#[cfg(not(unix))]
fn taken(file: &std::fs::Metadata) -> u64 {
    file.len()
}

/// What processes hold that has no name any more.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Nameless {
    /// Bytes of files that were removed.
    pub files: u64,
    /// Bytes of memory that processes share.
    pub memory: u64,
}

/// What these processes hold open or mapped. How long a file is that is only mapped cannot be seen: it counts as `most`.
#[cfg(target_os = "linux")]
pub(super) fn nameless(processes: &[u32], most: u64) -> Nameless {
    use std::collections::BTreeMap;
    use std::os::unix::fs::MetadataExt;
    let (mut open, mut mapped, mut shared) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    for process in processes {
        // Threads can have files of their own.
        for thread in std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            for entry in std::fs::read_dir(thread.path().join("fd")).into_iter().flatten().flatten() {
                // This asks for the file itself and not for the link to it.
                let Ok(file) = std::fs::metadata(entry.path()) else { continue };
                if file.is_file() && file.nlink() == 0 {
                    open.insert(file.ino(), taken(&file));
                }
            }
        }
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        let mut own: BTreeMap<u64, u64> = BTreeMap::new();
        for (inode, bytes, name) in maps.lines().filter_map(removed_map) {
            if name == "/dev/zero" {
                *own.entry(inode).or_default() += bytes;
            } else {
                mapped.push(inode);
            }
        }
        for (inode, bytes) in own {
            let seen: &mut u64 = shared.entry(inode).or_default();
            *seen = bytes.max(*seen);
        }
    }
    for inode in mapped {
        open.entry(inode).or_insert(most);
    }
    let sum = |all: BTreeMap<u64, u64>| all.into_values().fold(0, u64::saturating_add);
    Nameless { files: sum(open), memory: sum(shared) }
}

/// The file, the bytes and the name in a line of `/proc/PID/maps`, if it is of a file without a name. Memory that
/// processes share is shown as one of `/dev/zero`.
#[cfg(target_os = "linux")]
fn removed_map(line: &str) -> Option<(u64, u64, &str)> {
    let mut fields = line.strip_suffix(" (deleted)")?.splitn(6, ' ');
    let (from, to) = fields.next()?.split_once('-')?;
    let bytes = u64::from_str_radix(to, 16).ok()?.saturating_sub(u64::from_str_radix(from, 16).ok()?);
    let inode = fields.nth(3)?.parse().ok()?;
    Some((inode, bytes, fields.next()?.trim_start()))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn nameless(_: &[u32], _: u64) -> Nameless {
    Nameless::default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn maps_of_removed_files_are_read_whatever_their_name() {
        let line = "7f10-8f10 rw-s 00000000 fe:00 4711                       /tmp/a b (deleted) (deleted)";
        assert_eq!(removed_map(line), Some((4711, 0x1000, "/tmp/a b (deleted)")));
        let shared = "7f0000000000-7f0000100000 rw-s 00000000 00:01 1027          /dev/zero (deleted)";
        assert_eq!(removed_map(shared), Some((1027, 1 << 20, "/dev/zero")));
        assert_eq!(removed_map("7f10-8f10 r-xp 00000000 fe:00 4711    /usr/bin/perl"), None);
    }
}
