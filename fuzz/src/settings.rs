//! Settings, themes and keys: any text is read or refused in words.

use std::path::PathBuf;

use elenchus::app::keymap::Keymap;
use elenchus::settings::{Flags, Paths, Settings, SettingsError, Surroundings};
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

pub fn try_input(bytes: &[u8]) {
    let Some((which, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match which {
        b't' => theme(text),
        b'k' => {
            if let Err(problems) = Keymap::with(text) {
                assert!(!problems.is_empty());
            }
        }
        _ => settings(text),
    }
}
