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
    let beginning = Beginning::of(message);
    if beginning.words() < ENOUGH_WORDS {
        return None;
    }
    if let Some(lexicon) = beginning.clearly(lexicons) {
        return Some(lexicon.id().to_owned());
    }
    let letters = &message[..message.floor_char_boundary(LETTERS)];
    let info = whatlang::detect(letters).filter(whatlang::Info::is_reliable)?;
    let code = info.lang().code();
    let known = lexicons.iter().find(|lexicon| lexicon.iso639_3 == code);
    Some(known.map_or(code, |lexicon| lexicon.id()).to_owned())
}

/// So many small words a language must lead by to be the one of a short message.
const LEAD: usize = 2;
/// From so many words on a single small word may tell it.
const SHORT: usize = 4;

/// The language of a short message, where its small words leave no doubt.
pub(super) fn of_few_words(lexicons: &[&Lexicon], message: &str) -> Option<String> {
    let beginning = Beginning::of(message);
    if beginning.words() >= ENOUGH_WORDS {
        return None;
    }
    let best = lexicons.iter().max_by_key(|lexicon| beginning.small_words(lexicon))?;
    let mut others = lexicons.iter().filter(|lexicon| lexicon.id() != best.id());
    let leads = others.all(|other| beginning.small_words(best) >= beginning.small_words(other) + LEAD);
    // "Kassensystem für unsere Bäckerei": one small word will do where no other language has any.
    let alone = || lexicons.iter().all(|other| other.id() == best.id() || beginning.small_words(other) == 0);
    let one = beginning.words() >= SHORT && beginning.small_words(best) == 1 && alone();
    (leads && beginning.small_words(best) >= LEAD || one).then(|| best.id().to_owned())
}

/// The language a message is read in: the one whose small words it uses most; none where the session's are as many.
pub(super) fn of_message<'l>(lexicons: &[&'l Lexicon], session: Option<&Lexicon>, message: &str) -> Option<&'l str> {
    let beginning = Beginning::of(message);
    let best = lexicons.iter().max_by_key(|lexicon| beginning.small_words(lexicon))?;
    let here = session.map_or(0, |session| beginning.small_words(session));
    (beginning.small_words(best) > here).then(|| best.id())
}

/// The first words of a message.
struct Beginning<'m>(Text<'m>);

impl<'m> Beginning<'m> {
    fn of(message: &'m str) -> Self {
        let message = message.trim_start();
        let end = message.match_indices(char::is_whitespace).nth(LOOKED_AT).map(|(at, _)| at);
        Self(Text::new(end.map_or(message, |end| &message[..end]), |_| String::new()))
    }

    fn words(&self) -> usize {
        self.0.tokens.len()
    }

    fn small_words(&self, lexicon: &Lexicon) -> usize {
        self.0.tokens.iter().filter(|token| lexicon.is_common(&token.word)).count()
    }

    /// The language that has by far the most small words in it.
    fn clearly<'l>(&self, lexicons: &[&'l Lexicon]) -> Option<&'l Lexicon> {
        let used = |lexicon: &Lexicon| self.small_words(lexicon) as f64;
        let best = *lexicons.iter().max_by_key(|lexicon| self.small_words(lexicon))?;
        let mut others = lexicons.iter().filter(|lexicon| lexicon.id() != best.id());
        let leads = others.all(|other| used(other) <= FAR_BEHIND * used(best));
        (leads && used(best) >= CLEAR_SHARE * self.words() as f64).then_some(best)
    }
}
