//! Plain replies that every conversation has: yes, no, I don't know, I'd rather not say.

use super::words::Folded;

/// What a short reply amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Yes,
    No,
    /// They do not know.
    DoesNotKnow,
    /// They would rather not say.
    Declines,
}

/// A reply longer than this says more than one thing.
const SHORT: usize = 14;

const DOES_NOT_KNOW: &[&str] = &[
    "i dont know",
    "dont know",
    "do not know",
    "no idea",
    "not sure",
    "im not sure",
    "not certain",
    "no clue",
    "havent decided",
    "have not decided",
    "not decided yet",
    "cant say yet",
    "i havent thought about it",
    "who knows",
    "unsure",
    "dunno",
    "we dont know yet",
    "hard to say",
    "no answer yet",
];
const DECLINES: &[&str] = &[
    "rather not say",
    "prefer not to say",
    "id rather not",
    "rather not answer",
    "none of your business",
    "skip that",
    "skip this",
    "pass on that",
    "no comment",
    "i wont say",
    "cannot share",
    "cant share",
    "not going to share",
    "next question",
    "dont want to say",
    "dont want to answer",
    "confidential",
    "lets skip",
];
/// Words that agree whatever follows them.
const SURELY_YES: &[&str] = &["yes", "yep", "yeah", "yup", "exactly", "absolutely", "definitely", "of course"];
/// Words that disagree whatever follows them.
const SURELY_NO: &[&str] =
    &["nope", "nah", "no we", "no i", "no it", "no they", "no that", "no thats", "no its", "no not"];
/// Words that agree when nothing else is said in the same breath: "right", but not "right now we use paper".
const YES: &[&str] = &[
    "correct",
    "right",
    "thats right",
    "that is right",
    "thats correct",
    "sure",
    "indeed",
    "true",
    "confirmed",
    "i confirm",
    "agreed",
    "sounds right",
    "looks right",
    "looks good",
    "perfect",
    "spot on",
    "it is",
    "we do",
    "i do",
    "ok",
    "okay",
];
/// Words that disagree when nothing else is said in the same breath: "no", but not "no one uses it".
const NO: &[&str] = &[
    "no",
    "not really",
    "wrong",
    "incorrect",
    "thats wrong",
    "not quite",
    "not exactly",
    "not right",
    "not correct",
    "not true",
    "never",
    "we dont",
    "i dont",
    "it isnt",
    "it doesnt",
];

/// What the message amounts to, if it is a plain reply or begins with one.
pub(crate) fn plain_reply(message: &str) -> Option<Reply> {
    let folded = Folded::new(message);
    let text = folded.as_str();
    let words = text.split(' ').count();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| folded.has(phrase));
    if words <= SHORT && has(DECLINES) {
        return Some(Reply::Declines);
    }
    if words <= SHORT && has(DOES_NOT_KNOW) {
        return Some(Reply::DoesNotKnow);
    }
    let begins = |phrases: &[&str]| {
        phrases
            .iter()
            .any(|phrase| text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    };
    let breath = message.trim().split([',', '.', ';', ':', '!', '?', '—', '–', '\n']).next().map(Folded::new);
    let alone = |phrases: &[&str]| breath.as_ref().is_some_and(|breath| phrases.contains(&breath.as_str()));
    if begins(SURELY_NO) || alone(NO) {
        return Some(Reply::No);
    }
    (begins(SURELY_YES) || alone(YES)).then_some(Reply::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_replies_are_told_apart() {
        for (message, reply) in [
            ("Yes, that's right.", Some(Reply::Yes)),
            ("Exactly!", Some(Reply::Yes)),
            ("No, it is the nurses.", Some(Reply::No)),
            ("Not quite", Some(Reply::No)),
            ("I don’t know yet", Some(Reply::DoesNotKnow)),
            ("Hmm, no idea to be honest", Some(Reply::DoesNotKnow)),
            ("I'd rather not say", Some(Reply::Declines)),
            ("That is confidential.", Some(Reply::Declines)),
            ("No we use paper", Some(Reply::No)),
            ("Yes it is", Some(Reply::Yes)),
            ("Rightly or wrongly we use paper", None),
            ("Right now we use paper", None),
            ("No one uses it", None),
            ("We do everything on paper", None),
            ("It is a booking app", None),
            ("Sure enough, it broke", None),
            ("Reception loses three hours a day", None),
        ] {
            assert_eq!(plain_reply(message), reply, "{message}");
        }
    }

    #[test]
    fn a_long_message_that_mentions_doubt_is_not_a_plain_reply() {
        let message = "We want to cut the phone time in half by summer, though I am not sure whether the board will pay for it all at once";
        assert_eq!(plain_reply(message), None);
    }
}
