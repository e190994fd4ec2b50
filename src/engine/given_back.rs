//! Sentences of an answer that only give the message back, speak for the user, answer what is about to be asked, or state
//! what nobody said. Small models begin with them: each is left out before anybody has read it.

use std::collections::BTreeSet;

use super::words::{content_words, words};

/// The fewest telling words that are not said back by chance.
const FEWEST: usize = 3;
/// So many telling words that the message does not have make a sentence one of its own, if they are not a few among many:
/// “The project is to create …” says nothing yet.
const OWN: usize = 2;
const OWN_SHARE: f64 = 0.25;
/// The share of a message that a sentence gives back: one particular of it may well be taken up.
const MOST_OF_IT: f64 = 0.7;
/// The share that is no particular any more where it is several telling words.
const MUCH_OF_IT: f64 = 0.4;
const SEVERAL: usize = 4;
/// So many telling words of a message are no particular of it, however long it is.
const NO_PARTICULAR: usize = 6;
/// The share of a question's telling words that a sentence has which answers it.
const ANSWERED: f64 = 0.6;
/// A sentence of so many words at most is a nod, whatever its words.
const NOD: usize = 5;

/// The statements that an answer begins with, each held back until it is whole and can be judged.
#[derive(Debug)]
pub(crate) struct Beginning {
    message: BTreeSet<String>,
    /// Telling words of the question that is to be asked and that the message has not.
    question: BTreeSet<String>,
    /// Words by which people speak of what is theirs: "our". Who asks them speaks of it otherwise.
    ours: BTreeSet<String>,
    /// The sentence that is coming.
    sentence: String,
    /// Whether the answer has come to its question: what follows is shown as it comes.
    asks: bool,
    /// Whether anything was shown.
    shown: bool,
    /// What was left out last: it is shown if nothing else is.
    left_out: String,
}

impl Beginning {
    pub fn new(message: &str, question: &str, ours: &BTreeSet<String>) -> Self {
        let message: BTreeSet<String> = content_words(message).collect();
        Self {
            question: content_words(question).filter(|word| !message.contains(word)).collect(),
            message,
            ours: ours.clone(),
            sentence: String::new(),
            asks: false,
            shown: false,
            left_out: String::new(),
        }
    }

    /// Takes in what comes next, and gives what may be shown of it.
    pub fn add(&mut self, text: String) -> Option<String> {
        if self.asks {
            return Some(text);
        }
        self.sentence.push_str(&text);
        let mut out = String::new();
        while let Some(end) = first_end(&self.sentence) {
            let rest = self.sentence.split_off(end);
            let sentence = std::mem::replace(&mut self.sentence, rest);
            if self.says_nothing(&sentence) {
                self.left_out = sentence;
            } else {
                out.push_str(&sentence);
                self.shown = true;
            }
            if !self.shown {
                self.sentence = self.sentence.trim_start().to_owned();
            }
        }
        self.asks = self.sentence.contains('?');
        if self.asks {
            out.push_str(&std::mem::take(&mut self.sentence));
            self.shown = true;
        }
        Some(out).filter(|out| !out.is_empty())
    }

    /// What is still held back when the answer ends: then there is nothing else to show.
    pub fn rest(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.sentence);
        let nothing = rest.trim().is_empty() && !self.shown;
        let rest = if nothing { std::mem::take(&mut self.left_out) } else { rest };
        Some(rest).filter(|rest| !rest.is_empty())
    }

    /// A whole answer without such sentences, where it says anything else.
    pub fn leave_out(mut self, answer: &str) -> String {
        let mut kept = self.add(answer.to_owned()).unwrap_or_default();
        kept.extend(self.rest());
        kept
    }

    /// Whether a sentence has words of the message only, but for one, and no few of them; speaks for the user; or states what
    /// they have not said.
    fn says_nothing(&self, sentence: &str) -> bool {
        let said: BTreeSet<String> = content_words(sentence).collect();
        let own: Vec<&String> = said.difference(&self.message).collect();
        if own.iter().any(|word| word.starts_with(|sign: char| sign.is_ascii_digit())) {
            return true;
        }
        // Who answers the question that they are about to ask makes it up.
        let asked = said.intersection(&self.question).count();
        if asked >= OWN && asked as f64 >= self.question.len() as f64 * ANSWERED {
            return true;
        }
        let given = said.len() - own.len();
        // It is to take up what was said: what has hardly a word of it was made up, or stood in its instructions.
        if own.len() > given + 1 && words(sentence).count() > NOD {
            return true;
        }
        if own.len() >= OWN && own.len() as f64 > said.len() as f64 * OWN_SHARE {
            return false;
        }
        let share = given as f64 / self.message.len().max(1) as f64;
        let much = share >= MOST_OF_IT || (given >= SEVERAL && share >= MUCH_OF_IT) || given >= NO_PARTICULAR;
        words(sentence).any(|word| self.ours.contains(&word)) || (given >= FEWEST && much)
    }
}

/// Where the first sentence ends that is no question, if something follows it.
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
        let beginning = || Beginning::new(message, "", &["we", "us", "our", "my"].map(str::to_owned).into());
        let mut coming = beginning();
        let mut shown = String::new();
        for piece in answer.split_inclusive(' ') {
            shown.extend(coming.add(piece.to_owned()));
        }
        shown.extend(coming.rest());
        (shown, beginning().leave_out(answer))
    }

    fn both(text: &str) -> (String, String) {
        (text.to_owned(), text.to_owned())
    }

    #[test]
    fn a_sentence_that_only_gives_the_message_back_is_never_shown() {
        let question = "What goes wrong today?";
        let answer = format!("The best receptionist gave notice in spring. {question}");
        assert_eq!(heard(MESSAGE, &answer), both(question));
    }

    #[test]
    fn neither_is_one_behind_a_greeting_nor_a_long_part_of_a_longer_message() {
        let message = "hi, I'm the office manager of a veterinary practice, our phone rings all day because people want \
                       to change appointments";
        let answer = "Hello. The phone rings all day because people want to change appointments. Who takes the calls?";
        assert_eq!(heard(message, answer), both("Hello. Who takes the calls?"));
        for own in ["Hello. People want to change appointments. Who takes the calls?", "I see. Who takes the calls?"] {
            assert_eq!(heard(message, own), both(own));
        }
    }

    #[test]
    fn a_few_words_of_its_own_around_the_message_do_not_make_a_sentence_say_more() {
        let message = "hi, i run a small bakery with 3 shops and we want an app so the shops can order bread for the \
                       next day";
        let question = "What happened that makes this a project now?";
        let answer = format!(
            "Hello. The project is to create an app for the bakery shops to order bread for the next day. The shops need \
             to order bread for the next day, and the app will help them do this. {question}"
        );
        assert_eq!(heard(message, &answer), both(&format!("Hello. {question}")));
    }

    #[test]
    fn a_message_that_is_given_back_in_several_sentences_keeps_one_particular_at_most() {
        let message = "In March two crews turned up for the same boat and one of them missed the regatta.";
        let answer = "The two crews turned up for the same boat. One of them missed the regatta. What went wrong?";
        assert_eq!(heard(message, answer), both("One of them missed the regatta. What went wrong?"));
    }

    #[test]
    fn a_sentence_that_speaks_for_the_user_or_adds_a_single_word_is_not_shown_either() {
        let message = "We want a booking tool for our rowing club so members can reserve boats on their phones.";
        let question = "What happened that makes this a project now?";
        for given in [
            "The project is for our rowing club. It will help members reserve boats on their phones.",
            "It costs us 4,000 euros.",
        ] {
            assert_eq!(heard(message, &format!("{given} {question}")), both(question));
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
            assert_eq!(heard(MESSAGE, answer), both(answer));
        }
        let long = "We lose three hours a day on the phone, patients give up, and the evening shift is gone since May.";
        let answer = "Three hours a day. What does that cost you?";
        assert_eq!(heard(long, answer), both(answer));
    }

    #[test]
    fn a_figure_that_nobody_gave_is_not_shown() {
        let question = "What does it cost you?";
        for message in ["Nobody can see whether a boat is free.", "We have 40 boats."] {
            assert_eq!(heard(message, &format!("It costs you $100 a month. {question}")), both(question));
        }
        let taken_up = format!("Forty boats, 40 of them free. {question}");
        assert_eq!(heard("We have 40 boats.", &taken_up), both(&taken_up));
    }

    #[test]
    fn neither_is_what_was_made_up_or_stood_in_the_instructions() {
        let message = "By the way, we can spend up to 4,000 euros, and it has to be ready by 12 April.";
        let question = "How do people manage today, without it?";
        let made_up = "People manage today by calling me every night.";
        assert_eq!(heard(message, &format!("{made_up} {question}")), both(question));
        let taken_up = format!("4,000 euros by April is a firm frame. {question}");
        assert_eq!(heard(message, &taken_up), both(&taken_up));
    }

    #[test]
    fn who_answers_the_question_that_is_to_be_asked_is_not_shown() {
        let message = "One of the receptionists does nothing but answer the phone, so half a post.";
        let question = "Who will use it most often?";
        let beginning = || Beginning::new(message, question, &BTreeSet::new());
        let answer =
            format!("The receptionist who does nothing but answer the phone will use it most often. {question}");
        assert_eq!(beginning().leave_out(&answer), question);
        let fine = format!("Half a post. {question}");
        assert_eq!(beginning().leave_out(&fine), fine);
    }

    #[test]
    fn statements_are_shown_when_they_are_whole_and_questions_as_they_come() {
        let mut beginning = Beginning::new(MESSAGE, "", &BTreeSet::new());
        assert_eq!(beginning.add("That must have ".to_owned()), None);
        assert_eq!(beginning.add("hurt. Who".to_owned()).as_deref(), Some("That must have hurt."));
        assert_eq!(beginning.add(" left? And".to_owned()).as_deref(), Some(" Who left? And"));
        assert_eq!(beginning.add(" why".to_owned()).as_deref(), Some(" why"));
    }
}
