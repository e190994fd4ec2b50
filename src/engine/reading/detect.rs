//! Which language a message is written in.

use super::lexicon::Lexicon;
use super::text::Text;

/// From this many words on a message can be told by its letters alone.
const ENOUGH_WORDS: usize = 12;
/// How many words are looked at.
const LOOKED_AT: usize = 40;
/// The share of small words of a language that only a text in it has.
const CLEAR_SHARE: f64 = 0.3;
/// The most that another language's share may be of it.
const FAR_BEHIND: f64 = 0.4;
/// How many bytes are looked at where small words do not tell.
const LETTERS: usize = 600;

/// The language of a long message: by its small words where they are clear, else by its letters; none where that is not
/// sure. A language without a lexicon is told by its three letters.
pub(super) fn for_sure(lexicons: &[&Lexicon], message: &str) -> Option<String> {
    let beginning = beginning(message);
    let words = beginning.split_whitespace().count();
    if words < ENOUGH_WORDS {
        return None;
    }
    let mut shares: Vec<(usize, &str)> =
        lexicons.iter().map(|lexicon| (small_words(lexicon, beginning), lexicon.id())).collect();
    shares.sort_unstable_by(|a, b| b.cmp(a));
    if let Some((most, id)) = shares.first() {
        let second = shares.get(1).map_or(0, |(share, _)| *share);
        if *most as f64 >= CLEAR_SHARE * words as f64 && second as f64 <= FAR_BEHIND * *most as f64 {
            return Some((*id).to_owned());
        }
    }
    let letters = &message[..message.floor_char_boundary(LETTERS)];
    let info = whatlang::detect(letters).filter(whatlang::Info::is_reliable)?;
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
    let beginning = beginning(message);
    let used = |lexicon: &Lexicon| small_words(lexicon, beginning);
    let here = session.map_or(0, used);
    let best = lexicons.iter().max_by_key(|lexicon| used(lexicon))?;
    (used(best) > here).then(|| best.id())
}

/// The first words of a message.
fn beginning(message: &str) -> &str {
    let message = message.trim_start();
    let end = message.match_indices(char::is_whitespace).nth(LOOKED_AT).map(|(at, _)| at);
    end.map_or(message, |end| &message[..end])
}

fn small_words(lexicon: &Lexicon, beginning: &str) -> usize {
    let text = Text::new(beginning, |_| String::new());
    text.tokens.iter().take(LOOKED_AT).filter(|token| lexicon.stopwords.contains(&token.word)).count()
}
