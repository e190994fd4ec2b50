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

/// The language a message is read in: by its letters where it is long, else the one whose small words it uses most; in
/// doubt none.
pub(super) fn of_message<'l>(lexicons: &[&'l Lexicon], session: Option<&Lexicon>, message: &str) -> Option<&'l str> {
    let by_id = |id: &str| lexicons.iter().find(|lexicon| lexicon.id() == id).map(|lexicon| lexicon.id());
    if let Some(id) = for_sure(lexicons, message).and_then(|id| by_id(&id)) {
        return Some(id);
    }
    let used = |lexicon: &Lexicon| {
        let text = lexicon.text(message);
        text.tokens.iter().take(40).filter(|token| lexicon.stopwords.contains(&token.word)).count()
    };
    let here = session.map_or(0, used);
    let best = lexicons.iter().max_by_key(|lexicon| used(lexicon))?;
    (used(best) > here).then(|| best.id())
}
