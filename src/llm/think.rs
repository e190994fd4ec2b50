//! Separates a `<think>` block at the start of an answer from the answer, while it streams.

const OPEN: [&str; 2] = ["<think>", "<thinking>"];
const CLOSE: [&str; 2] = ["</think>", "</thinking>"];

/// A piece of text and what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// The answer.
    Answer(String),
    /// The thinking before it.
    Thinking(String),
}

/// Splits streamed text. Only a block at the very start counts: later on, a model may be talking *about* the tag.
#[derive(Debug, Default)]
pub(super) struct ThinkSplitter {
    state: State,
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space, or a tag that is not complete yet.
    #[default]
    Start,
    /// Inside a block; the number tells which tag closes it.
    Thinking(usize),
    /// Between the block and the answer: white space is dropped.
    Gap,
    /// In the answer.
    Answer,
}

impl ThinkSplitter {
    /// Takes more text and returns what is certain by now.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        if self.state == State::Answer {
            return vec![Piece::Answer(text.to_owned())];
        }
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// Returns what was held back.
    pub fn finish(&mut self) -> Option<Piece> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return None;
        }
        Some(match self.state {
            State::Thinking(_) => Piece::Thinking(held),
            _ => Piece::Answer(held),
        })
    }

    /// Makes one transition; says whether another may follow without more text.
    fn step(&mut self, pieces: &mut Vec<Piece>) -> bool {
        match self.state {
            State::Start => self.start(pieces),
            State::Thinking(tag) => self.think(CLOSE[tag], pieces),
            State::Gap => {
                let answer = std::mem::take(&mut self.held).trim_start().to_owned();
                if !answer.is_empty() {
                    self.state = State::Answer;
                    pieces.push(Piece::Answer(answer));
                }
                false
            }
            State::Answer => false,
        }
    }

    fn start(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let seen = self.held.trim_start();
        if let Some(tag) = OPEN.iter().position(|tag| seen.starts_with(tag)) {
            self.held = seen[OPEN[tag].len()..].to_owned();
            self.state = State::Thinking(tag);
            return true;
        }
        if !OPEN.iter().any(|tag| tag.starts_with(seen)) {
            self.state = State::Answer;
            pieces.push(Piece::Answer(std::mem::take(&mut self.held)));
        }
        false
    }

    fn think(&mut self, close: &str, pieces: &mut Vec<Piece>) -> bool {
        let end = self.held.find(close);
        // The end of what is held may be the beginning of the closing tag.
        let keep = (1..close.len()).rev().find(|&length| self.held.ends_with(&close[..length])).unwrap_or(0);
        let certain = end.unwrap_or(self.held.len() - keep);
        let rest = self.held.split_off(certain);
        let thought = std::mem::replace(&mut self.held, rest);
        if !thought.is_empty() {
            pieces.push(Piece::Thinking(thought));
        }
        if end.is_some() {
            self.held.drain(..close.len());
            self.state = State::Gap;
        }
        end.is_some()
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn split(chunks: &[&str]) -> (String, String) {
        let mut splitter = ThinkSplitter::default();
        let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| splitter.push(chunk)).collect();
        pieces.extend(splitter.finish());
        let (mut thinking, mut answer) = (String::new(), String::new());
        for piece in pieces {
            match piece {
                Piece::Thinking(text) => thinking.push_str(&text),
                Piece::Answer(text) => answer.push_str(&text),
            }
        }
        (thinking, answer)
    }

    #[test]
    fn a_block_at_the_start_is_set_apart_wherever_it_is_cut() {
        let text = "\n<think>Is 3 < 4? </thin yes.</think>\n\nIt is ünder.";
        let cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for at in cuts {
            let (thinking, answer) = split(&[&text[..at], &text[at..]]);
            assert_eq!((thinking.as_str(), answer.as_str()), ("Is 3 < 4? </thin yes.", "It is ünder."), "cut at {at}");
        }
        let single: Vec<String> = text.chars().map(String::from).collect();
        let single: Vec<&str> = single.iter().map(String::as_str).collect();
        assert_eq!(split(&single), ("Is 3 < 4? </thin yes.".to_owned(), "It is ünder.".to_owned()));
    }

    #[test]
    fn talk_about_the_tag_is_left_alone() {
        for text in ["Use <think> to think.</think>", "<thi", "<thinker>", "  plain", ""] {
            assert_eq!(split(&[text]), (String::new(), text.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_block_that_never_closes_is_all_thinking() {
        assert_eq!(split(&["<think>so", "methi"]), ("somethi".to_owned(), String::new()));
        assert_eq!(split(&["<thinking>so</thinking>ok"]), ("so".to_owned(), "ok".to_owned()));
    }
}
