//! Which language a message is written in.

use super::lexicon::Lexicon;

/// From this many words on a message can be told by its letters alone.
const ENOUGH_WORDS: usize = 12;

/// The language of a long message, by its letters; none where that is not sure. A language without a lexicon is told by
/// its three letters.
pub(super) fn for_sure(lexicons: &[&Lexicon], message: &str) -> Option<String> {
    if message.split_whitespace().take(ENOUGH_WORDS).count() < ENOUGH_WORDS {
        return None;
    }
    let info = whatlang::detect(message).filter(whatlang::Info::is_reliable)?;
    let code = info.lang().code();
    let known = lexicons.iter().find(|lexicon| lexicon.iso639_3 == code);
    Some(known.map_or(code, |lexicon| lexicon.id()).to_owned())
}

/// So many small words a language must lead by to be the one of a short message.
const LEAD: usize = 2;

/// The language of a short message, where its small words leave no doubt.
pub(super) fn by_small_words(lexicons: &[&Lexicon], message: &str) -> Option<String> {
    let mut used: Vec<(usize, &str)> =
        lexicons.iter().map(|lexicon| (small_words(lexicon, message), lexicon.id())).collect();
    used.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let second = used.get(1).map_or(0, |(count, _)| *count);
    used.first().filter(|(count, _)| *count >= second + LEAD).map(|(_, id)| (*id).to_owned())
}

/// How many small words of a language a message has.
fn small_words(lexicon: &Lexicon, message: &str) -> usize {
    let text = lexicon.text(message);
    text.tokens.iter().take(40).filter(|token| lexicon.stopwords.contains(&token.word)).count()
}

/// The language a message is read in: by its letters where it is long, else the one whose small words it uses most; in
/// doubt none.
pub(super) fn of_message<'l>(lexicons: &[&'l Lexicon], session: Option<&Lexicon>, message: &str) -> Option<&'l str> {
    let by_id = |id: &str| lexicons.iter().find(|lexicon| lexicon.id() == id).map(|lexicon| lexicon.id());
    if let Some(id) = for_sure(lexicons, message).and_then(|id| by_id(&id)) {
        return Some(id);
    }
    let here = session.map_or(0, |session| small_words(session, message));
    let best = lexicons.iter().max_by_key(|lexicon| small_words(lexicon, message))?;
    (small_words(best, message) > here).then(|| best.id())
}
