//! How the interviewer puts things: the user's words turned around, kept short, and varied without chance.

/// Whether the user asks something instead of answering.
pub fn is_question(message: &str) -> bool {
    let message = message.trim();
    let first = message.split_whitespace().next().unwrap_or_default().to_lowercase();
    let asks = matches!(
        first.trim_end_matches(|c: char| !c.is_alphanumeric()),
        "what"
            | "why"
            | "how"
            | "who"
            | "which"
            | "when"
            | "where"
            | "can"
            | "could"
            | "do"
            | "does"
            | "is"
            | "are"
            | "should"
            | "would"
    );
    message.ends_with('?') && asks && message.split_whitespace().count() <= 25
}

/// What the user said, said back to them: "we" becomes "you", a final stop goes, a long text is cut after a clause.
pub fn mirrored(text: &str) -> String {
    let first = first_clause(text);
    let mut out = Vec::new();
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
            _ => "",
        };
        out.push(if turned.is_empty() { word.to_owned() } else { word.replace(bare.as_str(), turned) });
    }
    out.join(" ").trim_end_matches(['.', '!', ',', ';', ':']).replace('?', "")
}

/// At most this many words are said back.
const MIRRORED: usize = 22;

fn first_clause(text: &str) -> String {
    let sentence =
        text.split_inclusive(['.', '!', '?', '\n']).find(|part| part.trim().len() > 2).unwrap_or(text).trim();
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
    fn a_question_of_the_users_is_not_an_answer() {
        assert!(is_question("What do you mean by that?"));
        assert!(!is_question("A booking app, what else?"));
    }
}
