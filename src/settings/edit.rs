//! Changes single values of the settings file and leaves the rest of it as the user wrote it: comments, order, spacing.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use toml::de::{DeTable, DeValue};
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use crate::files::plain;

/// Two changes at once would undo each other.
static CHANGING: Mutex<()> = Mutex::new(());

/// Why the settings file is left as it was, for the user.
pub(super) struct NotChanged(pub String);

impl From<io::Error> for NotChanged {
    fn from(error: io::Error) -> Self {
        Self(format!("the settings cannot be changed: {error}"))
    }
}

/// Changes the settings file: what `change` makes of its text takes its place. A file that is not there is begun; a link
/// stays one, and what it leads to is changed. What somebody else writes meanwhile is not lost.
pub(super) fn rewrite<E: From<io::Error>>(
    file: &Path,
    change: impl FnOnce(&str) -> Result<String, E>,
) -> Result<(), E> {
    let _alone = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = &at_the_end_of_links(file)?;
    let before = text_of(file)?;
    let after = change(&before)?;
    if after == before {
        return Ok(());
    }
    // What was to be changed may be read as something else than what changed it: then the file stays as it was.
    DeTable::parse(&after).map_err(|error| invalid(error.message()))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Written beside it and put in its place, so that a full disk leaves the old one.
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(after.as_bytes())?;
    if let Ok(known) = std::fs::metadata(file) {
        if known.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file may only be read").into());
        }
        written.as_file().set_permissions(known.permissions())?;
    }
    if text_of(file)? != before {
        return Err(io::Error::other("the file was changed by something else meanwhile; try again").into());
    }
    written.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// The file that a path leads to; the path itself where nothing is there yet.
fn at_the_end_of_links(file: &Path) -> io::Result<PathBuf> {
    match file.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !file.is_symlink() => Ok(file.to_owned()),
        found => found,
    }
}

/// The text of the settings file; none where there is no file.
pub(super) fn text_of(file: &Path) -> io::Result<String> {
    match plain::text(file, plain::SETTINGS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read,
    }
}

fn invalid(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

/// A text of settings with a value at a path.
pub(super) fn with_value(text: &str, path: &[String], value: Value) -> io::Result<String> {
    let Some((name, tables)) = path.split_last() else { return Ok(text.to_owned()) };
    let mut document: DocumentMut = text.parse().map_err(invalid)?;
    let root = document.as_table();
    if tables.is_empty() && root.get_values().is_empty() {
        return Ok(before_the_tables(text, name, &value));
    }
    if !tables.is_empty() && !root.contains_key(&tables[0]) {
        return Ok(appended(text, tables, &[(name, value)]));
    }
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (depth, step) in tables.iter().enumerate() {
        // What is new below a section that is there stays on one line of it.
        let item = table.entry(step).or_insert_with(|| Item::Value(InlineTable::new().into()));
        let path = || tables[..=depth].join(".");
        table = item.as_table_like_mut().ok_or_else(|| invalid(format!("`{}` is no table", path())))?;
    }
    match table.get_mut(name) {
        Some(Item::Value(known)) => {
            let decor = known.decor().clone();
            *known = value;
            *known.decor_mut() = decor;
        }
        Some(item) => *item = Item::Value(value),
        None => drop(table.insert(name, Item::Value(value))),
    }
    Ok(document.to_string())
}

/// A text of settings with a new section at its end.
pub(super) fn appended(text: &str, tables: &[String], values: &[(&String, Value)]) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let header: Vec<String> = tables.iter().map(|step| key(step)).collect();
    let mut after = format!("{text}{gap}[{}]\n", header.join("."));
    for (name, value) in values {
        after.extend([&*key(name), " = ", &*bare(value), "\n"]);
    }
    after
}

fn key(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

fn bare(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

/// Keys of no table stand before the first one; what introduces the file stays above them.
fn before_the_tables(text: &str, name: &str, value: &Value) -> String {
    let at = introduction(text);
    let gap = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
    format!("{}{gap}{} = {}\n{}", &text[..at], key(name), bare(value), &text[at..])
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

/// A text of settings without the value at a path: its lines become comments, so that it can be had again.
pub(super) fn without(text: &str, path: &[String]) -> io::Result<String> {
    let table = DeTable::parse(text).map_err(|error| invalid(error.message()))?;
    let Some(lines) = lines_of(text, table.get_ref(), path) else {
        let mut document: DocumentMut = text.parse().map_err(invalid)?;
        let Some((name, tables)) = path.split_last() else { return Ok(text.to_owned()) };
        let mut table: Option<&mut dyn TableLike> = Some(document.as_table_mut());
        for step in tables {
            table = table.and_then(|table| table.get_mut(step)?.as_table_like_mut());
        }
        table.and_then(|table| table.remove(name));
        return Ok(document.to_string());
    };
    let commented: String = text[lines.clone()].split_inclusive('\n').flat_map(|line| ["# ", line]).collect();
    Ok(format!("{}{commented}{}", &text[..lines.start], &text[lines.end..]))
}

/// The lines that a value has for itself; `None` where it stands within a line of others.
fn lines_of(text: &str, table: &DeTable<'_>, path: &[String]) -> Option<std::ops::Range<usize>> {
    let (name, tables) = path.split_last()?;
    let mut table = table;
    for step in tables {
        table = table.get(step.as_str())?.get_ref().as_table()?;
    }
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    let start = text[..key.span().start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[value.span().end..].find('\n').map_or(text.len(), |at| value.span().end + at + 1);
    let after = text[value.span().end..end].trim_start();
    let alone = text[start..key.span().start].trim().is_empty() && (after.is_empty() || after.starts_with('#'));
    (alone && !matches!(value.get_ref(), DeValue::Table(_))).then_some(start..end)
}

/// Keeps a theme in the settings file.
pub(crate) fn save_theme(file: &Path, theme: &str) -> io::Result<()> {
    rewrite(file, |text| with_value(text, &["theme".to_owned()], theme.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(str::to_owned).collect()
    }

    fn themed(text: &str) -> String {
        with_value(text, &path("theme"), "light".into()).unwrap()
    }

    #[test]
    fn a_value_takes_the_place_of_another_and_leaves_the_rest() {
        let text = "# mine\nprofile = \"a\" # why\ntheme  = 'dark' # at night\n\n[profiles.a]\nmodel = \"m\"\n";
        assert_eq!(themed(text), text.replace("'dark'", "\"light\""));
        let changed = with_value(text, &path("profiles.a.model"), "n".into()).unwrap();
        assert_eq!(changed, text.replace("\"m\"", "\"n\""));
        let inline = "[profiles.a]\nprice = { input = 1.0, output = 2.0 } # in dollars\n";
        let changed = with_value(inline, &path("profiles.a.price.output"), 3.0.into()).unwrap();
        assert_eq!(changed, inline.replace("2.0", "3.0"));
    }

    #[test]
    fn a_new_key_is_put_before_the_first_table_and_after_the_introduction() {
        assert_eq!(themed(""), "theme = \"light\"\n");
        assert_eq!(themed("[a]\nb = 1\n"), "theme = \"light\"\n[a]\nb = 1\n");
        assert_eq!(themed("# about a\n[a]\nb = 1"), "theme = \"light\"\n# about a\n[a]\nb = 1");
        assert_eq!(themed("# intro\n\n[a]\n"), "# intro\n\ntheme = \"light\"\n[a]\n");
        assert_eq!(themed("# intro"), "# intro\ntheme = \"light\"\n");
        let text = "# one\nprofile = \"a\" # why\n\n# two\n[profiles.a]\nmodel = \"m\"\n";
        assert_eq!(themed(text), text.replace("# why\n", "# why\ntheme = \"light\"\n"));
    }

    #[test]
    fn a_new_section_goes_to_the_end_and_a_new_key_to_the_end_of_its_own() {
        let text = "[a]\nb = 1 # one\n\n# last words\n";
        let with_cap = with_value(text, &path("budget.session_usd"), 2.5.into()).unwrap();
        assert_eq!(with_cap, format!("{text}\n[budget]\nsession_usd = 2.5\n"));
        let with_key = with_value(text, &path("a.c"), true.into()).unwrap();
        assert_eq!(with_key, "[a]\nb = 1 # one\nc = true\n\n# last words\n");
        let nested = with_value(text, &path("a.timeouts.connect"), 3.into()).unwrap();
        assert_eq!(nested, "[a]\nb = 1 # one\ntimeouts = { connect = 3 }\n\n# last words\n");
    }

    #[test]
    fn what_is_taken_out_stays_as_a_comment() {
        let text =
            "# why\ntheme = \"dark\" # at night\n[budget]\nalerts = [\n  50,\n]\nprice = { input = 1, output = 2 }\n";
        assert_eq!(without(text, &path("theme")).unwrap(), text.replace("theme =", "# theme ="));
        let lists = text.replace("alerts = [\n  50,\n]", "# alerts = [\n#   50,\n# ]");
        assert_eq!(without(text, &path("budget.alerts")).unwrap(), lists);
        let inner = without(text, &path("budget.price.input")).unwrap();
        assert!(inner.contains("price = {") && !inner.contains("input"), "{inner}");
        assert_eq!(without(text, &path("no.such")).unwrap(), text);
    }

    fn set_theme(file: &Path) -> io::Result<()> {
        save_theme(file, "light")
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_a_file_that_may_only_be_read_stays_as_it_is() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link, lost) = (folder.path().join("dotfiles.toml"), folder.path().join("config.toml"), "lost.toml");
        std::fs::write(&real, "designer = true\n").unwrap();
        symlink("dotfiles.toml", &link).unwrap();
        set_theme(&link).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "designer = true\ntheme = \"light\"\n");
        std::fs::write(&real, "designer = true\n").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o444)).unwrap();
        assert!(set_theme(&link).unwrap_err().to_string().contains("only be read"));
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "designer = true\n");
        let lost = folder.path().join(lost);
        symlink("nowhere.toml", &lost).unwrap();
        assert!(set_theme(&lost).is_err() && lost.is_symlink(), "what it leads to is not known");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside it");
    }

    #[test]
    fn what_an_editor_saves_meanwhile_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "designer = true\n").unwrap();
        let told = rewrite(&file, |text| -> io::Result<String> {
            std::fs::write(&file, "designer = true\nhints = false\n")?;
            with_value(text, &path("theme"), "light".into())
        });
        assert!(told.unwrap_err().to_string().contains("meanwhile"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "designer = true\nhints = false\n");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_left_alone() {
        assert!(with_value("theme = ", &path("theme"), "light".into()).is_err());
        assert!(without("theme = ", &path("theme")).is_err());
    }
}
