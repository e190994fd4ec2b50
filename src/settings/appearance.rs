//! How the app looks: the theme, and keeping the one that was chosen.

use std::io::{self, Write as _};
use std::path::Path;

use toml::de::DeTable;

use super::origin::{Origin, Resolved, Surroundings};
use crate::files::plain;

const THEME: &str = "theme";

/// The theme in use: of the environment, or else of the file.
pub(super) fn resolve(file: Option<Resolved<String>>, surroundings: &Surroundings<'_>) -> Option<Resolved<String>> {
    let name = "ELENCHUS_THEME";
    let variable = surroundings.variable(name).map(|theme| Resolved::new(theme, Origin::Variable(name.to_owned())));
    variable.or(file)
}

/// Keeps a theme in the settings file, and changes nothing else in it: what the user wrote there stays as it is.
pub(crate) fn save_theme(file: &Path, theme: &str) -> io::Result<()> {
    let before = match plain::text(file, plain::SETTINGS) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Written beside it and put in its place, so that a full disk leaves the old one.
    let mut after = tempfile::NamedTempFile::new_in(folder)?;
    after.write_all(with_theme(&before, theme)?.as_bytes())?;
    if let Ok(known) = std::fs::metadata(file) {
        after.as_file().set_permissions(known.permissions())?;
    }
    after.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// A settings file with another theme in it.
fn with_theme(text: &str, theme: &str) -> io::Result<String> {
    let table = DeTable::parse(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.message()))?;
    let value = serde_json::Value::from(theme).to_string();
    if let Some(known) = table.get_ref().get(THEME) {
        let span = known.span();
        return Ok(format!("{}{value}{}", &text[..span.start], &text[span.end..]));
    }
    // Keys of no table stand before the first one; what introduces the file stays above them.
    let at = introduction(text);
    let gap = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
    Ok(format!("{}{gap}{THEME} = {value}\n{}", &text[..at], &text[at..]))
}

/// Where the comments end that a file begins with: after an empty line, or at the first line that is none.
fn introduction(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.starts_with('#') {
            return if line.trim().is_empty() { at + line.len() } else { 0 };
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> String {
        with_theme(text, "light").unwrap()
    }

    #[test]
    fn a_theme_takes_the_place_of_another_and_leaves_the_rest() {
        let text = "# mine\nprofile = \"a\" # why\ntheme  = 'dark' # at night\n\n[profiles.a]\nmodel = \"m\"\n";
        assert_eq!(changed(text), text.replace("'dark'", "\"light\""));
    }

    #[test]
    fn a_theme_is_put_before_the_first_table_and_after_the_introduction() {
        assert_eq!(changed(""), "theme = \"light\"\n");
        assert_eq!(changed("[a]\nb = 1\n"), "theme = \"light\"\n[a]\nb = 1\n");
        assert_eq!(changed("# about a\n[a]\nb = 1"), "theme = \"light\"\n# about a\n[a]\nb = 1");
        assert_eq!(changed("# intro\n\n[a]\n"), "# intro\n\ntheme = \"light\"\n[a]\n");
        assert_eq!(changed("# intro"), "# intro\ntheme = \"light\"\n");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_left_alone() {
        assert!(with_theme("theme = ", "light").is_err());
    }
}
