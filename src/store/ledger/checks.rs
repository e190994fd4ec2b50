//! What is refused because it could not be read back as it is.

use serde_json::Value;

use crate::store::StoreError;

/// The parser refuses what is nested 128 deep, and a delta adds up to 64; what could not be read back is not written.
const MAX_DEPTH: usize = 64;

/// Refuses JSON that is nested too deep to be read back.
pub(super) fn check_depth(value: &Value) -> Result<(), StoreError> {
    fn fits(value: &Value, room: usize) -> bool {
        room > 0
            && match value {
                Value::Array(items) => items.iter().all(|item| fits(item, room - 1)),
                Value::Object(map) => map.values().all(|item| fits(item, room - 1)),
                _ => true,
            }
    }
    if fits(value, MAX_DEPTH) {
        Ok(())
    } else {
        Err(StoreError::refused("A JSON document is nested too deep to be kept"))
    }
}
