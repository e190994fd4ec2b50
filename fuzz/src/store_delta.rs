//! Deltas of states: what was left out comes back, and a patch from elsewhere is refused or applied, never a panic.

use elenchus::store::delta::{Patch, apply, diff, identical};
use serde_json::Value;

pub fn try_input(text: &str) {
    let mut parts = text.split("\n===\n");
    let (Some(old), Some(new)) = (parts.next(), parts.next()) else { return };
    let (Ok(old), Ok(new)) = (serde_json::from_str::<Value>(old), serde_json::from_str::<Value>(new)) else { return };
    let patch = diff(&old, &new);
    let written = serde_json::to_string(&patch).expect("a patch can be written");
    let read: Patch = serde_json::from_str(&written).expect("and read");
    let mut restored = old.clone();
    apply(&mut restored, read).expect("a patch fits what it was made from");
    assert!(identical(&restored, &new), "{old} → {new} by {written}");
    // A patch that somebody else wrote.
    if let Some(Ok(foreign)) = parts.next().map(serde_json::from_str::<Patch>) {
        let _ = apply(&mut restored, foreign);
    }
}
