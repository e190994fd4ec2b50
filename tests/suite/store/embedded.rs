//! The conformance suite over the embedded database.

use super::fixture;

conformance!({
    let folder = tempfile::tempdir().unwrap();
    (fixture::open(folder.path()), folder)
});
