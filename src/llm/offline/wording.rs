//! How the interviewer puts things: the user's words turned around, kept short, and varied without chance.

use super::sentences::sentences;

/// What a message answers, and whether it asks something back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard<'a> {
    /// The part that answers; empty where all of it asks.
    pub answer: &'a str,
    /// Whether the user wants to know something.
    pub asks: bool,
}

/// Tells an answer from a question of the user's; the question may follow the answer, or come before it.
pub fn heard(message: &str) -> Heard<'_> {
    let message = message.trim();
    let parts = sentences(message);
    let asks = parts.iter().any(|part| is_question(part));
    if !asks {
        let tells = message.chars().any(char::is_alphanumeric);
        return Heard { answer: if tells { message } else { "" }, asks };
    }
    // The longest run without a question is the answer; a word or two such as "Sorry." is none.
    let runs = parts.split(|part| is_question(part)).filter(|run| !run.is_empty());
    let span = |run: &[&'_ str]| -> Option<(usize, usize)> {
        let place = |part: &str| part.as_ptr() as usize - message.as_ptr() as usize;
        let (first, last) = (run.first()?, run.last()?);
        Some((place(first), place(last) + last.len()))
    };
    let longest = runs.filter_map(span).max_by_key(|(start, end)| end - start);
    let answer = longest.map_or("", |(start, end)| &message[start..end]);
    let tells = crate::engine::words::content_words(answer).filter(|word| word != "sorry").count() > 0;
    Heard { answer: if tells { answer } else { "" }, asks }
}

/// Words that open a question to the interviewer.
const ASKING: &[&str] = &[
    "what", "why", "how", "who", "which", "when", "where", "can", "could", "do", "does", "is", "are", "should", "would",
];
/// Turns by which a question to the interviewer is known wherever it stands.
const TO_THE_INTERVIEWER: &[&str] = &[
    "you mean",
    "mean by",
    "do you",
    "can you",
    "could you",
    "are you",
    "an example",
    "for example",
    "like what",
    "such as what",
];

/// Whether a sentence asks something of the interviewer.
fn is_question(sentence: &str) -> bool {
    let Some(body) = sentence.trim().strip_suffix(['?', '？']) else { return false };
    let lower = body.to_lowercase().replace('’', "'");
    let lower = ["sorry, ", "hm, ", "hmm, ", "but ", "and ", "ok, ", "wait, "]
        .iter()
        .fold(lower.as_str(), |rest, lead| rest.strip_prefix(lead).unwrap_or(rest));
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let known = ASKING.contains(&first) || TO_THE_INTERVIEWER.iter().any(|turn| lower.contains(turn));
    (known || lower.is_empty()) && lower.split_whitespace().count() <= 25
}

/// What the user said, said back to them: "we" becomes "you", a final stop goes, a long text is cut after a clause.
pub fn mirrored(text: &str) -> String {
    let first = first_clause(text);
    let mut out = Vec::new();
    let mut after_i = false;
    for word in first.split_whitespace() {
        let bare: String = word.chars().filter(|c| c.is_alphanumeric() || matches!(c, '\'' | '’')).collect();
        let turned = match bare.to_lowercase().replace('’', "'").as_str() {
            "i" | "we" | "me" | "us" => "you",
            "my" | "our" => "your",
            "mine" | "ours" => "yours",
            "i'm" | "we're" => "you are",
            "i've" | "we've" => "you have",
            "i'd" | "we'd" => "you would",
            "i'll" | "we'll" => "you will",
            "myself" => "yourself",
            "ourselves" => "yourselves",
            "am" => "are",
            "was" if after_i => "were",
            _ => "",
        };
        after_i = bare == "I";
        out.push(if turned.is_empty() { word.to_owned() } else { word.replace(bare.as_str(), turned) });
    }
    out.join(" ").trim_end_matches(['.', '!', ',', ';', ':']).replace('?', "")
}

/// At most this many words are said back.
const MIRRORED: usize = 22;

fn first_clause(text: &str) -> String {
    let sentence = sentences(text).into_iter().find(|part| part.len() > 2).unwrap_or(text).trim();
    if sentence.split_whitespace().count() <= MIRRORED {
        return sentence.to_owned();
    }
    let words: Vec<&str> = sentence.split_whitespace().take(MIRRORED).collect();
    let cut = words.iter().rposition(|word| word.ends_with([',', ';', ':'])).filter(|at| *at >= 6);
    match cut {
        Some(at) => words[..=at].join(" "),
        None => format!("{} …", words.join(" ")),
    }
}

/// One of several wordings, by the number of the turn: no two turns in a row sound the same, and every run does.
pub fn vary<'a>(turn: u32, wordings: &[&'a str]) -> &'a str {
    wordings.get(turn as usize % wordings.len().max(1)).copied().unwrap_or_default()
}

/// The text with its first letter in upper case.
pub fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

/// The text with its first letter in lower case, unless its first word is a name, an acronym or "I".
pub fn inside(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    let rest = characters.as_str();
    let common = [
        "The", "A", "An", "You", "Your", "What", "It", "They", "There", "This", "That", "Which", "Whether", "How",
        "Who",
    ];
    let word = text.split_whitespace().next().unwrap_or_default();
    match first {
        Some(first) if common.contains(&word) => first.to_lowercase().chain(rest.chars()).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_turned_around() {
        assert_eq!(mirrored("We need our own app, I'm sure."), "you need your own app, you are sure");
    }

    #[test]
    fn a_long_text_is_said_back_as_its_first_clause() {
        assert_eq!(mirrored("Dr. Weber and I was there. More."), "Dr. Weber and you were there");
        assert_eq!(mirrored("It takes 3.5 hours. Or more."), "It takes 3.5 hours");
    }

    #[test]
    fn a_question_of_the_users_is_not_an_answer() {
        for question in ["What do you mean by that?", "Sorry, what is a trigger?", "For example? Like what?", "?"] {
            assert_eq!(heard(question), Heard { answer: "", asks: question != "?" }, "{question}");
        }
        let plain = "A booking app, what else?";
        assert_eq!(heard(plain), Heard { answer: plain, asks: false });
    }

    #[test]
    fn an_answer_with_a_question_after_it_is_still_an_answer() {
        assert_eq!(heard("The receptionists. Why do you ask?"), Heard { answer: "The receptionists.", asks: true });
        assert_eq!(
            heard("Is that needed? Mainly nurses. And two doctors."),
            Heard { answer: "Mainly nurses. And two doctors.", asks: true }
        );
    }
}
