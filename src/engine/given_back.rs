//! The first sentence of an answer that only gives the message back. Small models begin like that, and it says nothing:
//! the sentence is left out before anybody has read it.

use std::collections::BTreeSet;

use super::words::content_words;

/// The fewest telling words that are not said back by chance.
const FEWEST: usize = 3;
/// The share of a message that a sentence gives back: one particular of it may well be taken up.
const MOST_OF_IT: f64 = 0.7;
/// So many telling words of a message are no particular of it, however long it is.
const NO_PARTICULAR: usize = 6;
/// A first sentence of so many words at most is a greeting or a nod; what comes after it is looked at.
const NOD: usize = 2;

/// The beginning of an answer, held back for as long as it may only give the message back.
#[derive(Debug)]
pub(crate) struct Beginning {
    message: BTreeSet<String>,
    /// What is held back; `None` once the answer has said something of its own.
    held: Option<String>,
}

impl Beginning {
    pub fn new(message: &str) -> Self {
        Self { message: content_words(message).collect(), held: Some(String::new()) }
    }

    /// Takes in what comes next, and gives what may be shown of it.
    pub fn add(&mut self, text: String) -> Option<String> {
        let Some(mut held) = self.held.take() else { return Some(text) };
        held.push_str(&text);
        if let Some(end) = sentence_end(&held) {
            let from = if self.gives_back(&held[..end]) { end } else { 0 };
            return Some(held[from..].trim_start().to_owned()).filter(|rest| !rest.is_empty());
        }
        // The last word may go on.
        let whole = held.rfind(char::is_whitespace).unwrap_or(0);
        let (nod, own) = (after_nod(&held), |word: String| !self.message.contains(&word));
        if nod < whole && content_words(&held[nod..whole]).any(own) {
            return Some(held);
        }
        self.held = Some(held);
        None
    }

    /// What is still held back when the answer ends: then there is nothing else to show.
    pub fn rest(&mut self) -> Option<String> {
        self.held.take().filter(|held| !held.is_empty())
    }

    /// A whole answer without such a beginning, where it goes on after it.
    pub fn leave_out<'a>(&self, answer: &'a str) -> &'a str {
        let rest = sentence_end(answer).filter(|end| self.gives_back(&answer[..*end]));
        rest.map(|end| answer[end..].trim_start()).filter(|rest| !rest.is_empty()).unwrap_or(answer)
    }

    /// Whether a sentence has words of the message only, and most of them.
    fn gives_back(&self, sentence: &str) -> bool {
        let said: BTreeSet<String> = content_words(&sentence[after_nod(sentence)..]).collect();
        let much = said.len() as f64 >= self.message.len() as f64 * MOST_OF_IT || said.len() >= NO_PARTICULAR;
        said.len() >= FEWEST && said.is_subset(&self.message) && much
    }
}

/// Where the first sentence ends that is no question and says more than a nod, if something follows it.
fn sentence_end(text: &str) -> Option<usize> {
    let nod = after_nod(text);
    first_end(&text[nod..]).map(|end| nod + end)
}

/// Where a first sentence of a word or two ends: "Hello." It may be the last that has come so far.
fn after_nod(text: &str) -> usize {
    let end = first_end(text).or_else(|| text.trim_end().ends_with(['.', '!', ',']).then_some(text.len()));
    end.filter(|end| text[..*end].split_whitespace().count() <= NOD).unwrap_or(0)
}

fn first_end(text: &str) -> Option<usize> {
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let follows = signs.peek().is_some_and(|(_, next)| next.is_whitespace());
        match sign {
            '?' => return None,
            '\n' if at > 0 => return Some(at),
            '.' | '!' | '…' if follows => return Some(at + sign.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "Our best receptionist gave notice in spring.";

    /// What is shown of an answer that comes word by word, and what is kept of it.
    fn heard(message: &str, answer: &str) -> (String, String) {
        let mut beginning = Beginning::new(message);
        let mut shown = String::new();
        for piece in answer.split_inclusive(' ') {
            shown.extend(beginning.add(piece.to_owned()));
        }
        shown.extend(beginning.rest());
        (shown, Beginning::new(message).leave_out(answer).to_owned())
    }

    #[test]
    fn a_sentence_that_only_gives_the_message_back_is_never_shown() {
        let question = "What goes wrong today?";
        let both = heard(MESSAGE, &format!("The best receptionist gave notice in spring. {question}"));
        assert_eq!(both, (question.to_owned(), question.to_owned()));
    }

    #[test]
    fn neither_is_one_behind_a_greeting_nor_a_long_part_of_a_longer_message() {
        let message = "hi, I'm the office manager of a veterinary practice, our phone rings all day because people want \
                       to change appointments";
        let question = "What happened that makes this a project now?";
        let given = "Hello. The phone rings all day because people want to change appointments.";
        let both = heard(message, &format!("{given} {question}"));
        assert_eq!(both, (question.to_owned(), question.to_owned()));
        for own in ["Hello. People want to change appointments. Who takes the calls?", "I see. Who takes the calls?"] {
            assert_eq!(heard(message, own), (own.to_owned(), own.to_owned()));
        }
    }

    #[test]
    fn what_takes_up_a_particular_or_says_more_is_shown_as_it_comes() {
        for answer in [
            "That must have hurt. What goes wrong today?",
            "The best receptionist gave notice in spring, so calls pile up. Who takes them?",
            "Did your best receptionist give notice in spring?",
            "Your best receptionist gave notice in spring.",
        ] {
            assert_eq!(heard(MESSAGE, answer), (answer.to_owned(), answer.to_owned()));
        }
        let long = "We lose three hours a day on the phone, patients give up, and the evening shift is gone since May.";
        let answer = "Three hours a day. What does that cost you?";
        assert_eq!(heard(long, answer), (answer.to_owned(), answer.to_owned()));
    }

    #[test]
    fn words_are_held_back_only_until_one_is_not_of_the_message() {
        let mut beginning = Beginning::new(MESSAGE);
        assert_eq!(beginning.add("The best ".to_owned()), None);
        assert_eq!(beginning.add("way ".to_owned()).as_deref(), Some("The best way "));
        assert_eq!(beginning.add("out".to_owned()).as_deref(), Some("out"));
    }
}
