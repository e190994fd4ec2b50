//! Several lines of text that are typed: in the composer, and in forms.
//!
//! What people see as one letter may be several for the program: with a mark above it, of the parts of a Korean syllable,
//! a flag, a family. The cursor never stands within one, and one key takes away all of it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation as _;

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
        _ => input(area, key),
    }
}

/// Takes any other key in: those that go over letters or take them away do so by what people see as one.
pub(crate) fn input(area: &mut TextArea<'_>, key: KeyEvent) {
    let control = key.modifiers == KeyModifiers::CONTROL;
    let plain = key.modifiers.is_empty() && !area.is_selecting();
    match key.code {
        KeyCode::Left if plain => back(area),
        KeyCode::Char('b') if control => back(area),
        KeyCode::Right if plain => forward(area),
        KeyCode::Char('f') if control => forward(area),
        KeyCode::Backspace if plain => delete_before(area),
        KeyCode::Char('h') if control => delete_before(area),
        KeyCode::Delete if plain => delete_after(area),
        KeyCode::Char('d') if control => delete_after(area),
        _ => {
            area.input(key);
        }
    }
    settle(area);
}

/// Goes back over a letter.
pub(crate) fn back(area: &mut TextArea<'_>) {
    for _ in 0..around(area).0.max(1) {
        area.move_cursor(CursorMove::Back);
    }
}

/// Goes on over a letter.
pub(crate) fn forward(area: &mut TextArea<'_>) {
    for _ in 0..around(area).1.max(1) {
        area.move_cursor(CursorMove::Forward);
    }
}

/// Takes away the letter before the cursor.
pub(crate) fn delete_before(area: &mut TextArea<'_>) {
    match around(area).0 {
        0 | 1 => {
            area.delete_char();
        }
        more => {
            back(area);
            area.delete_str(more);
        }
    }
}

/// Takes away the letter after the cursor.
pub(crate) fn delete_after(area: &mut TextArea<'_>) {
    match around(area).1 {
        0 | 1 => {
            area.delete_next_char();
        }
        more => {
            area.delete_str(more);
        }
    }
}

/// How many code points the letters before and after the cursor have, in its line.
fn around(area: &TextArea<'_>) -> (usize, usize) {
    let (row, column) = (area.cursor().0, area.cursor().1);
    let Some(line) = area.lines().get(row) else { return (0, 0) };
    let mut end = 0;
    let mut before = 0;
    for letter in line.graphemes(true) {
        let length = letter.chars().count();
        if end >= column {
            return (before, length);
        }
        (end, before) = (end + length, length);
    }
    (before, 0)
}

/// A cursor that comes from another line may stand within a letter: it goes before it.
pub(crate) fn settle(area: &mut TextArea<'_>) {
    let (row, column) = (area.cursor().0, area.cursor().1);
    let Some(line) = area.lines().get(row) else { return };
    let mut start = 0;
    for letter in line.graphemes(true) {
        let end = start + letter.chars().count();
        if column < end {
            break;
        }
        start = end;
    }
    for _ in start..column {
        area.move_cursor(CursorMove::Back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters of several code points: decomposed, the parts of a syllable, a family, a flag.
    const LETTERS: [&str; 4] = ["e\u{301}", "\u{1112}\u{1161}\u{11ab}", "👨\u{200d}👩\u{200d}👧", "🇩🇪"];

    fn press(area: &mut TextArea<'_>, code: KeyCode) {
        key(area, code.into(), false);
    }

    #[test]
    fn one_key_goes_over_a_letter_and_takes_away_all_of_it() {
        for letter in LETTERS {
            let mut area = TextArea::from([format!("a{letter}b")]);
            area.move_cursor(CursorMove::End);
            press(&mut area, KeyCode::Left);
            press(&mut area, KeyCode::Left);
            assert_eq!(area.cursor().1, 1, "{letter}");
            press(&mut area, KeyCode::Right);
            press(&mut area, KeyCode::Backspace);
            assert_eq!(area.lines(), ["ab"], "{letter}");
            area.undo();
            assert_eq!(area.lines(), [format!("a{letter}b")], "{letter}: one step back brings it back");
            area.move_cursor(CursorMove::Head);
            press(&mut area, KeyCode::Right);
            press(&mut area, KeyCode::Delete);
            assert_eq!(area.lines(), ["ab"], "{letter}");
        }
    }

    #[test]
    fn the_cursor_that_comes_from_another_line_stands_before_a_letter() {
        let mut area = TextArea::from(["ab".to_owned(), format!("{}x", LETTERS[2])]);
        press(&mut area, KeyCode::End);
        press(&mut area, KeyCode::Down);
        assert_eq!(area.cursor().1, 0);
        press(&mut area, KeyCode::Delete);
        assert_eq!(area.lines(), ["ab", "x"]);
    }
}
