//! Has an answer written on that was cut by its limit of tokens.

use crate::engine::qa::GO_ON;
use crate::engine::words::is_stopword;
use crate::llm::{CallRole, ChatError, ChatEvent, ChatMessage, ChatReply, ChatRequest, Finish, Models};

use super::backend::OnChat;

/// How often a single answer is written on: after that it is told to be cut.
const MOST: usize = 1;
/// The longest repetition that is looked for where two parts meet, in bytes.
const LONGEST_OVERLAP: usize = 200;
/// A shorter one may be chance.
const SHORTEST_OVERLAP: usize = 12;

const ORDER: &str = ". Go on exactly where it stopped; repeat nothing and add no remark.]";

/// Asks for an answer, and for the rest of it where it was cut and what has come is worth it. What comes later is shown once
/// it is whole: were it tried again, what was shown before would have to go.
pub(super) async fn answer(
    models: &Models,
    chat: ChatRequest,
    is_worth_it: &(dyn Fn(&str) -> bool + Sync),
    on_event: OnChat<'_>,
) -> Result<ChatReply, ChatError> {
    let mut reply = models.chat(CallRole::Respond, &chat, on_event).await?;
    for _ in 0..MOST {
        // What calls a tool goes on when that has brought something.
        if reply.finish != Finish::Length || !reply.calls.is_empty() || !is_worth_it(&reply.text) {
            break;
        }
        let mut rest = ChatRequest { may_call: false, ..chat.clone() };
        rest.messages.push(ChatMessage::assistant(reply.text.clone()));
        rest.messages.push(ChatMessage::user(format!("{GO_ON}{ORDER}")));
        // Without the rest there is still what has come.
        let Ok(next) = models.chat(CallRole::Respond, &rest, &mut |_| ()).await else { break };
        let added = new_in(&reply.text, &next.text);
        let added = format!("{}{added}", between(&reply.text, added));
        on_event(ChatEvent::Delta(added.clone()));
        reply = ChatReply { text: reply.text + &added, ..next };
    }
    Ok(reply)
}

/// What a continuation adds, without what it repeats of the end.
fn new_in<'n>(before: &str, next: &'n str) -> &'n str {
    let longest = next.floor_char_boundary(before.len().min(LONGEST_OVERLAP));
    let repeats = |length: &usize| next.is_char_boundary(*length) && before.ends_with(&next[..*length]);
    let repeated = (SHORTEST_OVERLAP..=longest).rev().find(repeats).unwrap_or(0);
    &next[repeated..]
}

/// What is missing where two parts meet. A part may begin within a word; not where the last one ended with a small word, or
/// where this one begins like a sentence.
fn between(before: &str, next: &str) -> &'static str {
    let letters = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    let last = before.rsplit(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    let begins = next.starts_with(char::is_uppercase) && !last.ends_with(char::is_uppercase);
    let ended = before.ends_with(['.', '?', '!', ',', ':', ';']);
    let apart = letters(before.chars().last()) && (begins || (last.len() > 2 && is_stopword(&last.to_lowercase())));
    if letters(next.chars().next()) && (ended || apart) { " " } else { "" }
}

#[cfg(test)]
mod tests {
    use super::{between, new_in};

    #[test]
    fn parts_of_an_answer_do_not_run_into_each_other() {
        for (before, next, wanted) in [
            ("the most important thing is that", "I see.", " "),
            ("the most important thing is that", "orders get lost.", " "),
            ("the most important thing is that", " orders get lost.", ""),
            ("It is late.", "What else?", " "),
            ("the custo", "mers call", ""),
            ("It is a", "nd stays", ""),
            ("about 4", "0 calls", ""),
            ("the US", "B port", ""),
        ] {
            assert_eq!(between(before, next), wanted, "{before:?} {next:?}");
        }
    }

    #[test]
    fn what_a_continuation_repeats_of_the_end_is_left_out() {
        assert_eq!(new_in("We saw that the drivers call", " at eight."), " at eight.");
        assert_eq!(new_in("We saw that the drivers call", "that the drivers call at eight."), " at eight.");
        assert_eq!(new_in("It is a", "a day"), "a day", "a single letter is no repetition");
        assert_eq!(new_in("Täglich über hundert Anrufe", "über hundert Anrufe am Tag"), " am Tag");
    }
}
