//! A window in words: what it says, what can be chosen by number, which words do something, and what a line that is
//! typed in answer means.

use crate::app::direct::Direct;
use crate::app::keymap::Motion;
use crate::words::LinearWords;

/// What lies on top, as it is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Window {
    pub title: String,
    pub says: Vec<String>,
    pub choices: Vec<Choice>,
    pub ways: Vec<Way>,
    pub takes: Takes,
    /// Whether more of it is on its way: what can be answered is told when it is all there.
    pub waits: bool,
    /// Whether there is nothing to answer: it is closed as soon as it was told.
    pub only_says: bool,
}

/// Something to choose by its number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    pub label: String,
    pub point: Option<usize>,
    pub does: Direct,
    /// What words behind the number do.
    pub words: Behind,
}

/// What words behind a number do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Behind {
    #[default]
    Nothing,
    /// They are written there.
    Write,
    /// They are written there and kept.
    WriteAndKeep,
    /// It is opened first.
    OpenWriteAndKeep,
}

/// A word that does something.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Way {
    pub word: String,
    pub does: Direct,
    /// Whether a number stands before it.
    pub of_choice: bool,
}

/// What other words are taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Takes {
    #[default]
    Nothing,
    /// The list is narrowed by them.
    Narrowing,
    /// They are searched for.
    Searching,
    /// They are the value that is asked for.
    Value,
    /// They begin a conversation.
    Beginning,
}

/// What a line means in a window.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    Deeds(Vec<Direct>),
    /// None of the answers.
    Nothing,
    /// A number that no line has.
    NoSuchNumber,
}

impl Choice {
    /// A line that the cursor is put on and that is opened.
    pub fn opened(label: impl Into<String>, at: usize) -> Self {
        Self { label: label.into(), point: Some(at), does: Direct::Do(Motion::Open), words: Behind::Nothing }
    }

    /// Something that is done, wherever the cursor is.
    pub fn done(label: impl Into<String>, does: Direct) -> Self {
        Self { label: label.into(), point: None, does, words: Behind::Nothing }
    }

    fn deeds(&self, does: Vec<Direct>) -> Vec<Direct> {
        self.point.map(Direct::Point).into_iter().chain(does).collect()
    }
}

impl Way {
    pub fn of(word: &str, motion: Motion) -> Self {
        Self { word: word.to_owned(), does: Direct::Do(motion), of_choice: false }
    }

    pub fn of_choice(word: &str, motion: Motion) -> Self {
        Self { of_choice: true, ..Self::of(word, motion) }
    }

    fn is(&self, typed: &str, by_beginning: bool) -> bool {
        let (word, typed) = (self.word.to_lowercase(), typed.trim().to_lowercase());
        word == typed || (by_beginning && !typed.is_empty() && word.starts_with(&typed))
    }
}

impl Window {
    /// Everything it says, the choices with their numbers.
    pub fn lines(&self) -> Vec<String> {
        let title = (!self.title.is_empty()).then(|| format!("{}:", self.title.trim_end_matches(':')));
        let choices = self.choices.iter().enumerate().map(|(at, choice)| format!("{}. {}", at + 1, choice.label));
        title.into_iter().chain(self.says.iter().cloned()).chain(choices).collect()
    }

    /// How it is answered, in a line.
    pub fn hint(&self, says: &LinearWords) -> String {
        let mut ways = Vec::new();
        if !self.choices.is_empty() {
            ways.push(says.a_number().to_owned());
        }
        let behind = self.choices.iter().any(|choice| choice.words != Behind::Nothing);
        ways.extend(behind.then(|| says.number_and_value().to_owned()));
        let word = |way: &Way| if way.of_choice { says.number_and(&way.word) } else { says.a_word(&way.word) };
        ways.extend(self.ways.iter().map(word));
        ways.extend(match self.takes {
            Takes::Nothing => None,
            Takes::Narrowing => Some(says.narrows().to_owned()),
            Takes::Searching => Some(says.searches().to_owned()),
            Takes::Value => Some(says.the_value().to_owned()),
            Takes::Beginning => Some(says.begins().to_owned()),
        });
        if self.takes != Takes::Beginning {
            ways.push(says.goes_back().to_owned());
        }
        says.answer_with(ways.join("; "))
    }

    /// What a line means here. The empty line goes back.
    pub fn meaning(&self, line: &str) -> Meaning {
        let line = line.trim();
        if line.is_empty() {
            return Meaning::Deeds(vec![Direct::Do(Motion::Back)]);
        }
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let number = first.trim_end_matches(['.', ')', ':']).parse::<usize>().ok();
        if let Some(number) = number.filter(|_| !self.choices.is_empty()) {
            let Some(choice) = number.checked_sub(1).and_then(|at| self.choices.get(at)) else {
                let is_said = self.takes != Takes::Nothing && !(self.takes == Takes::Beginning && rest.is_empty());
                return if is_said { self.words(line) } else { Meaning::NoSuchNumber };
            };
            if let Some(deeds) = self.chosen(choice, rest.trim()) {
                return Meaning::Deeds(deeds);
            }
        }
        self.words(line)
    }

    fn chosen(&self, choice: &Choice, rest: &str) -> Option<Vec<Direct>> {
        if rest.is_empty() {
            return Some(choice.deeds(vec![choice.does.clone()]));
        }
        let way = self.ways.iter().filter(|way| way.of_choice);
        if let Some(way) = way.into_iter().find(|way| way.is(rest, choice.words == Behind::Nothing)) {
            return Some(choice.deeds(vec![way.does.clone()]));
        }
        let write = Direct::Write(rest.to_owned());
        match choice.words {
            Behind::Nothing => None,
            Behind::Write => Some(choice.deeds(vec![write])),
            Behind::WriteAndKeep => Some(choice.deeds(vec![write, Direct::Do(Motion::Open)])),
            Behind::OpenWriteAndKeep => Some(choice.deeds(vec![choice.does.clone(), write, Direct::Do(Motion::Open)])),
        }
    }

    fn words(&self, line: &str) -> Meaning {
        let typed = self.takes == Takes::Value || self.takes == Takes::Beginning;
        let way = self.ways.iter().filter(|way| !way.of_choice).find(|way| way.is(line, !typed));
        if let Some(way) = way {
            return Meaning::Deeds(vec![way.does.clone()]);
        }
        let write = Direct::Write(line.to_owned());
        match self.takes {
            Takes::Nothing => Meaning::Nothing,
            Takes::Narrowing | Takes::Searching => Meaning::Deeds(vec![write]),
            Takes::Value | Takes::Beginning => Meaning::Deeds(vec![write, Direct::Do(Motion::Open)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window() -> Window {
        Window {
            choices: vec![
                Choice::opened("one", 0),
                Choice { words: Behind::OpenWriteAndKeep, ..Choice::opened("two", 1) },
            ],
            ways: vec![Way::of_choice("forget", Motion::Clear), Way::of("yes", Motion::Accept)],
            ..Window::default()
        }
    }

    #[test]
    fn a_number_chooses_and_a_word_behind_it_does_something_else_with_it() {
        let open = Direct::Do(Motion::Open);
        assert_eq!(window().meaning("1"), Meaning::Deeds(vec![Direct::Point(0), open.clone()]));
        assert_eq!(window().meaning(" 2. "), Meaning::Deeds(vec![Direct::Point(1), open.clone()]));
        let forget = Direct::Do(Motion::Clear);
        assert_eq!(window().meaning("1 forget"), Meaning::Deeds(vec![Direct::Point(0), forget.clone()]));
        assert_eq!(window().meaning("2 Forget"), Meaning::Deeds(vec![Direct::Point(1), forget]));
        let write = Direct::Write("15 days".to_owned());
        assert_eq!(window().meaning("2 15 days"), Meaning::Deeds(vec![Direct::Point(1), open.clone(), write, open]));
        assert_eq!(window().meaning("3"), Meaning::NoSuchNumber);
        assert_eq!(window().meaning("0"), Meaning::NoSuchNumber);
    }

    #[test]
    fn words_are_known_by_their_beginning_unless_a_value_is_asked_for() {
        let yes = Meaning::Deeds(vec![Direct::Do(Motion::Accept)]);
        assert_eq!(window().meaning("YES"), yes);
        assert_eq!(window().meaning("y"), yes);
        assert_eq!(window().meaning("maybe"), Meaning::Nothing);
        let asks = Window { takes: Takes::Value, ..window() };
        let value = |text: &str| Meaning::Deeds(vec![Direct::Write(text.to_owned()), Direct::Do(Motion::Open)]);
        assert_eq!(asks.meaning("y"), value("y"));
        assert_eq!(asks.meaning("3 weeks"), value("3 weeks"));
        assert_eq!(asks.meaning(""), Meaning::Deeds(vec![Direct::Do(Motion::Back)]));
    }

    #[test]
    fn choices_are_told_with_their_numbers_and_the_hint_names_every_way() {
        let window = Window { title: "Fields".to_owned(), says: vec!["All of them".to_owned()], ..window() };
        assert_eq!(window.lines(), ["Fields:", "All of them", "1. one", "2. two"]);
        let hint = window.hint(&crate::words::english().linear);
        for part in ["a number", "“forget”", "“yes”", "empty line"] {
            assert!(hint.contains(part), "{hint}");
        }
    }
}
