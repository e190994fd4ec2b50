//! The offline interviewer, used as people use it: with the real program and no settings.

/// What must not happen to who talks as people talk: remarks in lists, questions asked twice, lists that are lost.
mod attentive;
/// Twenty-five plain answers, and the brief they make.
mod clinic;
/// Corrections that keep to what they are about, and talk that is no value.
mod corrected;
/// Commands about what was noted.
mod edits;
/// What is said of what is known or shown.
mod known;
/// What is pasted: lines, numbered items, labels, a mail.
mod pasted;
/// How answers are read: numbers, lists, choices, doubts, corrections, questions back.
mod readings;
/// What is said and what only stands beside it.
mod said;
/// What is known stays known where a message takes nothing out of it.
mod spared;
/// What the interviewer says to people: replies, confirmations, follow-ups, summaries, in English and in German.
mod talking;
/// How much is understood of what people really type.
mod understanding;
/// What people say as they say it.
mod untidy;
/// Replies over several turns.
mod verdicts;
