//! Settings, themes and keys: any text is read or refused in words, and a change of a file changes what it says it does.

use std::path::PathBuf;

use elenchus::app::keymap::Keymap;
use elenchus::settings::{Flags, KeyDraft, Paths, ProfileDraft, Settings, SettingsError, Surroundings};
use elenchus::ui::theme::{ColorDepth, Scope, Themes, readable_contrast};

fn settings(text: &str) {
    let variable = |name: &str| name.len().is_multiple_of(2).then(|| "value-of-a-variable".to_owned());
    let keyring = |entry: &str| if entry == "work" { Ok("kr-secret".to_owned()) } else { Err("none".to_owned()) };
    let surroundings = Surroundings { variable: &variable, keyring: &keyring, program: None };
    let flags = Flags {
        config: Some(PathBuf::from("/etc/elenchus/config.toml")),
        data_dir: Some(PathBuf::from("/var/elenchus")),
        ..Flags::default()
    };
    let Ok(paths) = Paths::resolve(&flags, &surroundings) else { return };
    match Settings::resolve(text, paths, &flags, &surroundings) {
        Ok(settings) => {
            let shown: String = settings.explain().iter().map(|explained| explained.value.clone()).collect();
            assert!(!shown.contains("kr-secret"), "{shown}");
        }
        Err(SettingsError::Invalid { problems }) => {
            for problem in problems {
                assert!(!problem.to_string().is_empty() && !problem.render(false).is_empty());
            }
        }
        Err(_) => {}
    }
}

fn theme(text: &str) {
    let mut themes = Themes::built_in();
    for diagnostic in themes.add("own", text) {
        assert!(!diagnostic.render(false).is_empty());
    }
    for depth in [ColorDepth::TrueColor, ColorDepth::Ansi256, ColorDepth::Ansi16] {
        if let Ok(theme) = themes.get("own", depth) {
            for scope in Scope::ALL {
                let _ = (theme.style(*scope), readable_contrast(&theme, *scope));
            }
        }
    }
}

/// A file, and after a line `===` the key that is changed and its value: what is changed is read again as it was meant, and
/// nothing else is changed.
fn changed(text: &str) {
    let mut parts = text.splitn(2, "\n===\n");
    let (Some(before), Some(change)) = (parts.next(), parts.next()) else { return };
    let (path, value) = change.split_once('\n').map_or((change, None), |(path, value)| (path, Some(value)));
    let path: Vec<String> = path.split('.').map(str::to_owned).collect();
    let Ok(known) = before.parse::<toml::Table>() else { return };
    let Ok(after) = elenchus::settings::changed(before, &path, value) else { return };
    // Where this holds not, the file is left as it was.
    let Ok(mut read) = after.parse::<toml::Table>() else { return };
    let found = take(&mut read, &path);
    assert_eq!(found.is_some(), value.is_some(), "{path:?}: {after}");
    // What is written as in a file may be a text in quotation marks.
    if let (Some(toml::Value::String(found)), Some(value)) = (found, value.filter(|value| !value.contains(['"', '\''])))
    {
        assert_eq!(found, value.trim(), "{after}");
    }
    let mut rest = known;
    take(&mut rest, &path);
    for table in [&mut read, &mut rest] {
        without_empty(table);
    }
    // As they are printed: no number that is none equals itself.
    assert_eq!(format!("{read:?}"), format!("{rest:?}"), "{before}\n→\n{after}");
    let long_texts = before.contains("\"\"\"") || before.contains("'''");
    for line in before.lines().filter(|line| line.trim_start().starts_with('#') && !long_texts) {
        assert!(after.contains(line), "a comment is lost: {line}");
    }
}

/// Takes a value out.
fn take(table: &mut toml::Table, path: &[String]) -> Option<toml::Value> {
    let (name, tables) = path.split_last()?;
    let mut table = table;
    for step in tables {
        table = table.get_mut(step)?.as_table_mut()?;
    }
    table.remove(name)
}

/// Sections with nothing in them say nothing.
fn without_empty(table: &mut toml::Table) {
    for value in table.iter_mut().filter_map(|(_, value)| value.as_table_mut()) {
        without_empty(value);
    }
    table.retain(|_, value| value.as_table().is_none_or(|table| !table.is_empty()));
}

/// A profile that is added, its parts on lines of their own, to the file that follows a line `===`. Names of models come
/// from an endpoint.
fn added(text: &str) {
    let (profile, before) = text.split_once("\n===\n").unwrap_or((text, ""));
    let mut lines = profile.lines().map(str::to_owned);
    let mut next = || lines.next().unwrap_or_default();
    let (name, provider, endpoint, model, command) = (next(), next(), next(), next(), next());
    let key = if command.is_empty() { KeyDraft::Usual } else { KeyDraft::Command(command) };
    let profile = ProfileDraft { name, provider, endpoint, model, key };
    if profile.problem().is_some() || before.parse::<toml::Table>().is_err() {
        return;
    }
    let Ok(after) = profile.added_to(before) else { return };
    let Ok(mut read) = after.parse::<toml::Table>() else { panic!("{after}") };
    let path = ["profiles", &profile.name, "model"].map(str::to_owned);
    let model = take(&mut read, &path).expect("it is there");
    assert_eq!(model.as_str(), Some(profile.model.trim()), "{after}");
    settings(&after);
}

pub fn try_input(bytes: &[u8]) {
    let Some((which, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match which {
        b't' => theme(text),
        b'c' => changed(text),
        b'p' => added(text),
        b'k' => {
            if let Err(problems) = Keymap::with(text) {
                assert!(!problems.is_empty());
            }
        }
        _ => settings(text),
    }
}
