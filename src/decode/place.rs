//! Places in what was read.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// Bytes of a file.
pub(crate) type Span = Range<usize>;

/// What was read, kept for the sake of quoting it: a file, or a flag or variable, which has no text.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    /// The name by which a person finds it, such as `engines/interview/engine.toml`.
    pub name: String,
    /// Its text; empty where the file could not be read as text.
    pub text: String,
    /// Where its lines start, found once.
    lines: OnceLock<Vec<usize>>,
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for SourceText {}

impl SourceText {
    /// A file of this name with this text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// The number of the line, from 0, in which a byte lies, and where the line starts.
    pub(super) fn line(&self, at: usize) -> (usize, usize) {
        let starts = self
            .lines
            .get_or_init(|| std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect());
        let line = starts.partition_point(|start| *start <= at).saturating_sub(1);
        (line, starts[line])
    }
}

/// A place that outlives the reading: some bytes of a file, or a flag or variable as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// What was read.
    pub file: Arc<SourceText>,
    /// The bytes in it; `None` where all of it is meant.
    pub span: Option<Span>,
}

impl Place {
    /// All of something that has no lines, such as a flag.
    pub fn whole(name: impl Into<String>) -> Self {
        Self { file: Arc::new(SourceText::new(name, "")), span: None }
    }

    /// The line, from 1.
    pub fn line(&self) -> Option<usize> {
        self.span.as_ref().map(|span| self.file.line(span.start).0 + 1)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file.name)?;
        self.line().map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut place = serializer.serialize_struct("Place", 2)?;
        place.serialize_field("file", &self.file.name)?;
        place.serialize_field("line", &self.line())?;
        place.end()
    }
}
