//! Ids: one type per kind of thing, so that a session is never looked up by the id of a message.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::{NoContext, Uuid};

/// Makes a v7 id of the given moment. Moments before 1970 count as 1970: v7 has no sign.
fn v7(now: Timestamp) -> Uuid {
    let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
    let nanos = (millis % 1000) as u32 * 1_000_000;
    Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, millis / 1000, nanos))
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Makes a new id that sorts by the moment given.
            pub fn new(now: Timestamp) -> Self {
                Self(v7(now))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

id!(ProjectId);
id!(SessionId);
id!(
    /// Names a message. Unique within a session: a fork keeps the ids, because the state may point at them.
    MessageId
);
id!(
    /// Names an entry of the extractions log. Unique within a session, as with messages.
    ExtractionId
);
id!(HandoffId);
id!(TaskId);
id!(ArtifactId);
