//! The terminal's answer about its ground, where it comes so late that it is no longer waited for: over a slow line, or from
//! a busy terminal. Each of its characters then comes as a key, and would be typed into the draft.

use std::mem;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::background;
use crate::app::Msg;

/// The characters of an answer come at once. What has begun like one and does not go on for so long is none.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// How the text of an answer begins, after the sign that opens it.
const BEGINS: &str = "11;";

/// No answer has more characters.
const LONGEST: usize = 64;

/// Takes a late answer out of the keys.
#[derive(Debug, Default)]
pub(super) struct LateAnswer {
    /// Keys that may belong to one. The first is the sign that opens it.
    held: Vec<KeyEvent>,
    /// What they say after that.
    text: String,
}

impl LateAnswer {
    /// Whether keys are held back.
    pub fn is_coming(&self) -> bool {
        !self.held.is_empty()
    }

    /// What is to be taken in now that a key has come.
    pub fn hear(&mut self, key: KeyEvent) -> Vec<Msg> {
        if self.held.is_empty() {
            return self.begin(key);
        }
        if self.text.starts_with(BEGINS) && closes(key) {
            self.held.clear();
            let light = background::light_by(&mem::take(&mut self.text)[BEGINS.len()..]);
            return light.map(|light| Msg::Ground { light }).into_iter().collect();
        }
        if let KeyCode::Char(letter) = key.code
            && (key.modifiers - KeyModifiers::SHIFT).is_empty()
            && self.goes_on_with(letter)
        {
            self.held.push(key);
            self.text.push(letter);
            return Vec::new();
        }
        let mut all = self.give_up();
        all.extend(self.begin(key));
        all
    }

    /// Lets go of what turned out to be keys. What surely was an answer, cut off, is nobody's typing.
    pub fn give_up(&mut self) -> Vec<Msg> {
        let held = mem::take(&mut self.held);
        let text = mem::take(&mut self.text);
        if text.starts_with(BEGINS) { Vec::new() } else { held.into_iter().map(Msg::Key).collect() }
    }

    fn begin(&mut self, key: KeyEvent) -> Vec<Msg> {
        if key.code == KeyCode::Char(']') && key.modifiers == KeyModifiers::ALT {
            self.held.push(key);
            return Vec::new();
        }
        vec![Msg::Key(key)]
    }

    fn goes_on_with(&self, letter: char) -> bool {
        match BEGINS.chars().nth(self.text.len()) {
            Some(next) => letter == next,
            None => {
                self.text.len() < LONGEST
                    && (letter.is_ascii_hexdigit() || matches!(letter, 'r' | 'g' | ':' | '/' | '#'))
            }
        }
    }
}

/// Whether a key is one of the two signs that end an answer.
fn closes(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('g') => key.modifiers == KeyModifiers::CONTROL,
        KeyCode::Char('\\') => key.modifiers == KeyModifiers::ALT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(letter: char, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(letter), modifiers)
    }

    /// What comes of an answer's characters as keys, after the sign that opens it.
    fn heard(late: &mut LateAnswer, text: &str, last: Option<KeyEvent>) -> Vec<Msg> {
        let mut all = late.hear(key(']', KeyModifiers::ALT));
        for letter in text.chars() {
            all.extend(late.hear(key(letter, KeyModifiers::NONE)));
        }
        all.extend(last.into_iter().flat_map(|last| late.hear(last)));
        all
    }

    fn keys(messages: &[Msg]) -> String {
        let letter = |msg: &Msg| match msg {
            Msg::Key(KeyEvent { code: KeyCode::Char(letter), .. }) => *letter,
            other => panic!("no key: {other:?}"),
        };
        messages.iter().map(letter).collect()
    }

    #[test]
    fn an_answer_types_nothing_however_late_it_comes_and_still_counts() {
        let ends = [key('g', KeyModifiers::CONTROL), key('\\', KeyModifiers::ALT)];
        for (end, ground, light) in [(ends[0], "rgb:0000/0000/0000", false), (ends[1], "rgb:ffff/ffff/ffff", true)] {
            let mut late = LateAnswer::default();
            let all = heard(&mut late, &format!("11;{ground}"), Some(end));
            assert!(matches!(all[..], [Msg::Ground { light: told }] if told == light), "{all:?}");
            assert!(!late.is_coming());
            assert_eq!(keys(&late.hear(key('a', KeyModifiers::NONE))), "a");
        }
    }

    #[test]
    fn keys_that_are_no_answer_come_in_their_order() {
        for (typed, last, expected) in [("", 'x', "]x"), ("1", '2', "]12"), ("11", 'o', "]11o")] {
            let mut late = LateAnswer::default();
            assert_eq!(keys(&heard(&mut late, typed, Some(key(last, KeyModifiers::NONE)))), expected);
        }
        let mut late = LateAnswer::default();
        assert_eq!(keys(&heard(&mut late, "1", None)), "");
        assert_eq!(keys(&late.give_up()), "]1");
    }

    #[test]
    fn an_answer_that_is_cut_off_types_nothing() {
        let mut late = LateAnswer::default();
        assert_eq!(keys(&heard(&mut late, "11;rgb:00", Some(key('x', KeyModifiers::NONE)))), "x");
        assert_eq!(keys(&heard(&mut late, "11;rgb:00", None)), "");
        assert_eq!(keys(&late.give_up()), "");
    }
}
