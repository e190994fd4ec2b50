//! Several lines of text that are typed in a form.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::TextArea;

use super::keymap::{Action, Chord, Context, Motion};
use super::model::Model;

/// Whether a key begins a new line, as it does in the composer.
pub(crate) fn is_newline(model: &Model, key: KeyEvent) -> bool {
    model.keymap.action(Context::Composer, Chord::from(key)) == Some(Action::Do(Motion::Newline))
}

pub(crate) fn key(area: &mut TextArea<'_>, key: KeyEvent, newline: bool) {
    match key.code {
        _ if newline => area.insert_newline(),
        // As in every other field for a line of text.
        KeyCode::Char('u') if key.modifiers == KeyModifiers::CONTROL => {
            area.delete_line_by_head();
        }
        KeyCode::Char(c) if c.is_control() => {}
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => area.insert_char(c),
        _ => {
            area.input(key);
        }
    }
}
