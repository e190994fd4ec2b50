//! One line of text that is being typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::sanitise_line;

/// The most characters of a line: it is searched for, or it names something.
pub(crate) const MAX_LINE: usize = 4_000;

/// One line of text and the cursor in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// A byte position, always between what people see as letters.
    cursor: usize,
}

impl Line {
    /// A line with a text, the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before and after the cursor.
    pub fn halves(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Inserts a text; line ends and controls become spaces, and what else deceives is shown. Tells whether there was room
    /// for all of it.
    pub fn insert(&mut self, text: &str) -> bool {
        let room = MAX_LINE.saturating_sub(self.text.chars().count());
        let mut rest = text.chars();
        let text: String = rest.by_ref().take(room).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let text = sanitise_line(&text);
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
        rest.next().is_none()
    }

    /// Takes a key; tells whether the text is another.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let held = key.modifiers - KeyModifiers::SHIFT;
        match (key.code, held.is_empty()) {
            (KeyCode::Char(c), true) if !c.is_control() => return self.insert(c.encode_utf8(&mut [0; 4])),
            (KeyCode::Char('u'), false) => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            (KeyCode::Char('w') | KeyCode::Backspace, false) => self.delete_word(),
            (KeyCode::Char('a'), false) | (KeyCode::Home, _) => self.cursor = 0,
            (KeyCode::Char('e'), false) | (KeyCode::End, _) => self.cursor = self.text.len(),
            (KeyCode::Backspace, true) => {
                let before = self.before();
                if before == self.cursor {
                    return false;
                }
                self.text.drain(before..self.cursor);
                self.cursor = before;
            }
            (KeyCode::Delete, _) if self.cursor < self.text.len() => {
                self.text.drain(self.cursor..self.after());
            }
            (KeyCode::Left, _) => {
                self.cursor = self.before();
                return false;
            }
            (KeyCode::Right, _) => {
                self.cursor = self.after();
                return false;
            }
            _ => return false,
        }
        true
    }

    /// The place before the letter that stands before the cursor.
    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    /// The place after the letter that stands after the cursor.
    fn after(&self) -> usize {
        self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len)
    }

    fn delete_word(&mut self) {
        let before = self.text[..self.cursor].trim_end();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        // The space found may have more than one byte.
        let start = (start..=before.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_takes_away_what_people_see_as_one_letter() {
        for letter in ["e\u{301}", "👨\u{200d}👩\u{200d}👧", "🇩🇪"] {
            let mut line = Line::new(format!("a{letter}"));
            line.key(KeyCode::Left.into());
            assert_eq!(line.halves(), ("a", letter));
            line.key(KeyCode::Delete.into());
            assert_eq!(line.text(), "a");
            line.insert(letter);
            line.key(KeyCode::Backspace.into());
            assert_eq!(line.text(), "a");
        }
    }
}
