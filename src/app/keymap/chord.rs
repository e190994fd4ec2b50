//! A key with its modifiers, as people write it: `ctrl-p`, `alt-enter`, `F2`, `G`.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::words::{KeyNames, english};

/// A key and what is held down with it, in one form per key: a shifted letter is the capital letter, shift-tab is
/// back-tab, and what a terminal cannot tell apart (`ctrl-i` and tab) is the same here too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    pub code: KeyCode,
    /// Control and alt; shift only where the key itself does not say it.
    pub modifiers: KeyModifiers,
}

impl Chord {
    /// Whether it reaches the program only from a terminal that tells all keys apart.
    pub(crate) fn needs_fluent_terminal(&self) -> bool {
        let held = self.modifiers.intersects(KeyModifiers::SHIFT | KeyModifiers::CONTROL);
        held && matches!(self.code, KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace | KeyCode::Esc)
    }

    /// The chord of a key, in its one form.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = code;
        match code {
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                code = KeyCode::Char(c.to_ascii_lowercase());
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::SHIFT) => {
                code = KeyCode::Char(c.to_ascii_uppercase());
                modifiers -= KeyModifiers::SHIFT;
            }
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => code = KeyCode::BackTab,
            _ => {}
        }
        if code == KeyCode::BackTab {
            modifiers -= KeyModifiers::SHIFT;
        }
        if modifiers == KeyModifiers::CONTROL {
            match code {
                KeyCode::Char('i') => (code, modifiers) = (KeyCode::Tab, KeyModifiers::NONE),
                KeyCode::Char('m') => (code, modifiers) = (KeyCode::Enter, KeyModifiers::NONE),
                KeyCode::Char('[') => (code, modifiers) = (KeyCode::Esc, KeyModifiers::NONE),
                _ => {}
            }
        }
        Self { code, modifiers }
    }

    /// Reads a chord as it is written in a keymap.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            let held = [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)];
            let Some((prefix, modifier)) = held.into_iter().find(|(prefix, _)| {
                // `get`, since the first bytes of a key may be half a character.
                rest.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            }) else {
                break;
            };
            modifiers |= modifier;
            rest = &rest[prefix.len()..];
        }
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest)).map(|(_, code)| *code);
        let mut letters = rest.chars();
        let code = match (named, letters.next(), letters.next()) {
            (Some(code), ..) => code,
            (None, Some(c), None) => KeyCode::Char(c),
            (None, Some('F' | 'f'), Some(_)) => {
                KeyCode::F(rest[1..].parse().ok().filter(|number| (1..=24).contains(number))?)
            }
            _ => return None,
        };
        Some(Self::new(code, modifiers))
    }
}

const NAMES: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("space", KeyCode::Char(' ')),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
];

impl From<KeyEvent> for Chord {
    fn from(key: KeyEvent) -> Self {
        Self::new(key.code, key.modifiers)
    }
}

impl Chord {
    /// What stands on its keys, for people of a language.
    pub fn named(&self, says: &KeyNames) -> String {
        let held = [
            (KeyModifiers::CONTROL, says.ctrl()),
            (KeyModifiers::ALT, says.alt()),
            (KeyModifiers::SHIFT, says.shift()),
        ];
        let held = held.into_iter().filter(|(modifier, _)| self.modifiers.contains(*modifier));
        let held: String = held.flat_map(|(_, name)| [name, "-"]).collect();
        let key = match self.code {
            KeyCode::BackTab => format!("{}-{}", says.shift(), says.tab()),
            KeyCode::Char(' ') => says.space().to_owned(),
            KeyCode::Char(c) if self.modifiers.contains(KeyModifiers::CONTROL) => c.to_ascii_uppercase().to_string(),
            KeyCode::Char(c) => c.to_string(),
            KeyCode::Enter => says.enter().to_owned(),
            KeyCode::Esc => says.esc().to_owned(),
            KeyCode::Tab => says.tab().to_owned(),
            KeyCode::Backspace => says.backspace().to_owned(),
            KeyCode::Delete => says.delete().to_owned(),
            KeyCode::Up => says.up().to_owned(),
            KeyCode::Down => says.down().to_owned(),
            KeyCode::Left => says.left().to_owned(),
            KeyCode::Right => says.right().to_owned(),
            KeyCode::Home => says.home().to_owned(),
            KeyCode::End => says.end().to_owned(),
            KeyCode::PageUp => says.page_up().to_owned(),
            KeyCode::PageDown => says.page_down().to_owned(),
            KeyCode::F(number) => format!("F{number}"),
            code => format!("{code:?}"),
        };
        held + &key
    }
}

/// In English, as the documents and the inspector write it.
impl fmt::Display for Chord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.named(&english().key_names))
    }
}
