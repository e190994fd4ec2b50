//! What a brief is written as, told by the ending of its file.

use std::path::Path;

use super::super::HostError;

/// What a brief is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    /// One page that needs nothing else.
    Html,
    Docx,
    /// Everything that is kept of the session.
    Json,
}

impl Format {
    /// The formats with the endings that they are known by, the usual one first.
    const ENDINGS: [(Self, &[&str]); 4] = [
        (Self::Markdown, &["md", "markdown"]),
        (Self::Html, &["html", "htm"]),
        (Self::Docx, &["docx"]),
        (Self::Json, &["json"]),
    ];

    /// The format that a file's ending stands for. One that is not known is refused: a page under a wrong name helps no
    /// one.
    pub fn of(file: &Path) -> Result<Self, HostError> {
        let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
        let found = Self::ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
        found.map(|(format, _)| *format).ok_or_else(|| HostError::UnknownEnding(ending))
    }

    /// The endings there are, for people.
    pub(in crate::host) fn listed() -> String {
        Self::ENDINGS.map(|(_, endings)| format!(".{}", endings[0])).join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides_and_an_unknown_one_is_refused_with_the_list() {
        assert_eq!(Format::of(Path::new("a/brief.HTML")).unwrap(), Format::Html);
        assert_eq!(Format::of(Path::new("brief.docx")).unwrap(), Format::Docx);
        for name in ["brief.pdf", "brief"] {
            let told = Format::of(Path::new(name)).unwrap_err().to_string();
            assert!(told.contains(".md, .html, .docx, .json"), "{told}");
        }
    }
}
