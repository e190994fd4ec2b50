//! The small part of vim's keys that a draft needs.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::{CursorMove, TextArea};

use crate::app::text_area;

/// Whether keys type or move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VimMode {
    #[default]
    Insert,
    Normal,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vim {
    pub mode: VimMode,
    /// The first key of a command of two.
    pending: Option<char>,
}

impl Vim {
    /// Leaves insert mode; tells whether it was in it.
    pub(crate) fn escape(&mut self) -> bool {
        self.pending = None;
        std::mem::replace(&mut self.mode, VimMode::Normal) == VimMode::Insert
    }

    /// Takes a key; tells whether it was one of its own.
    pub fn key(&mut self, area: &mut TextArea<'_>, key: KeyEvent) -> bool {
        let held = key.modifiers - KeyModifiers::SHIFT;
        if self.mode == VimMode::Insert || !held.is_empty() {
            return false;
        }
        let KeyCode::Char(c) = key.code else { return false };
        match (self.pending.take(), c) {
            (Some('d'), 'd') => {
                area.move_cursor(CursorMove::Head);
                area.delete_line_by_end();
                area.delete_next_char();
            }
            (Some('d'), 'w') => {
                area.delete_next_word();
            }
            (Some('g'), 'g') => area.move_cursor(CursorMove::Top),
            (Some(_), _) => {}
            (None, 'd' | 'g') => self.pending = Some(c),
            (None, _) => self.single(area, c),
        }
        true
    }

    fn single(&mut self, area: &mut TextArea<'_>, c: char) {
        let motion = match c {
            'j' => Some(CursorMove::Down),
            'k' => Some(CursorMove::Up),
            'w' => Some(CursorMove::WordForward),
            'b' => Some(CursorMove::WordBack),
            'e' => Some(CursorMove::WordEnd),
            '0' | '^' => Some(CursorMove::Head),
            '$' => Some(CursorMove::End),
            'G' => Some(CursorMove::Bottom),
            _ => None,
        };
        if let Some(motion) = motion {
            area.move_cursor(motion);
            return text_area::settle(area);
        }
        match c {
            'h' => text_area::back(area),
            'l' | 'a' => text_area::forward(area),
            'A' => area.move_cursor(CursorMove::End),
            'I' => area.move_cursor(CursorMove::Head),
            'o' => {
                area.move_cursor(CursorMove::End);
                area.insert_newline();
            }
            'O' => {
                area.move_cursor(CursorMove::Head);
                area.insert_newline();
                area.move_cursor(CursorMove::Up);
            }
            'x' => text_area::delete_after(area),
            'D' => {
                area.delete_line_by_end();
            }
            'u' => {
                area.undo();
            }
            'p' => {
                area.paste();
            }
            _ => {}
        }
        if matches!(c, 'i' | 'a' | 'A' | 'I' | 'o' | 'O') {
            self.mode = VimMode::Insert;
        }
    }
}
