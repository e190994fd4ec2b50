//! How the records' types stand in columns.

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::Value;

use crate::engine::memory::TaskStatus;
use crate::store::backend::{Encoding, Sealed, Unsent};
use crate::store::{
    ArtifactId, Decision, Digest, EventKind, ExtractionId, ExtractionKind, HandoffId, MessageId, ProjectId, Role,
    SessionId, TaskId, TitleSource,
};

macro_rules! id_columns {
    ($($name:ident)*) => {$(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                uuid::Uuid::column_result(value).map(Self)
            }
        }
    )*};
}

id_columns!(ProjectId SessionId MessageId ExtractionId HandoffId TaskId ArtifactId);

impl ToSql for Digest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0.as_slice()))
    }
}

impl FromSql for Digest {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 32]>::column_result(value).map(Self)
    }
}

/// Turns a word of a closed set into the text that JSON has for it as well, so that there is one spelling.
fn word<T: Serialize>(value: &T) -> rusqlite::Result<ToSqlOutput<'static>> {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => Ok(ToSqlOutput::from(word)),
        _ => Err(rusqlite::Error::ToSqlConversionFailure("not a plain word".into())),
    }
}

fn of_word<T: DeserializeOwned>(value: ValueRef<'_>) -> FromSqlResult<T> {
    let word: StrDeserializer<'_, serde::de::value::Error> = value.as_str()?.into_deserializer();
    T::deserialize(word).map_err(|error| FromSqlError::Other(Box::new(error)))
}

macro_rules! word_columns {
    ($($name:ident)*) => {$(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                word(self)
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                of_word(value)
            }
        }
    )*};
}

word_columns!(Role ExtractionKind TitleSource TaskStatus Decision EventKind Encoding Unsent Sealed);

/// Is a JSON document in a text column.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(&self.0);
        text.map(ToSqlOutput::from).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map(Self).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// Is a moment in an integer column: milliseconds since 1970.
pub(super) struct Millis(pub(super) Timestamp);

impl ToSql for Millis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0.as_millisecond()))
    }
}

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        // One that no calendar has was written by another program. It must not keep the store from being used.
        let millis = value.as_i64()?.clamp(Timestamp::MIN.as_millisecond() + 1, Timestamp::MAX.as_millisecond());
        Timestamp::from_millisecond(millis).map(Self).map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}
