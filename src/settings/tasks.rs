//! What background tasks may do at once: `[tasks]`.

use super::origin::{Origin, Resolved};
use super::reader::{Found, Section};

/// Tasks that run at once, over all sessions, unless somebody says otherwise.
const CONCURRENT: usize = 3;

pub(super) fn read(root: &Section<'_>) -> Option<Found<u64>> {
    let section = root.section("tasks")?;
    let concurrent = section.count("concurrent");
    section.close();
    concurrent
}

/// How many tasks run at once; at least one.
pub(super) fn resolve(found: Option<Found<u64>>) -> Resolved<usize> {
    match found {
        Some(found) => {
            let value = usize::try_from(found.value).unwrap_or(usize::MAX).clamp(1, 64);
            Resolved::new(value, found.origin())
        }
        None => Resolved::new(CONCURRENT, Origin::Default),
    }
}
