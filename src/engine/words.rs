//! Words as the engine compares them: folded, and told apart by whether they carry meaning.

/// English words that say little by themselves.
const STOPWORDS: &[&str] = &[
    "a", "about", "above", "actually", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "both", "but", "by", "can", "could", "did", "do", "does", "doing",
    "down", "during", "each", "even", "few", "for", "from", "further", "get", "gets", "got", "had", "has", "have",
    "having", "he", "her", "here", "hers", "him", "his", "how", "however", "i", "if", "in", "into", "is", "it", "its",
    "just", "like", "me", "might", "more", "most", "much", "my", "no", "nor", "not", "now", "of", "off", "ok", "on",
    "once", "one", "only", "or", "other", "our", "out", "over", "own", "really", "same", "she", "should", "so", "some",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "to",
    "too", "under", "until", "up", "us", "very", "was", "we", "well", "were", "what", "when", "where", "which",
    "while", "who", "whom", "why", "will", "with", "would", "yes", "you", "your",
];

/// Whether a lower-case word says little by itself.
pub(crate) fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// The words of a text, lower-case, without punctuation.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The words of a text that carry meaning: numbers, and words of three letters or more that are not stop words.
pub(crate) fn content_words(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|word| {
        let number = word.chars().any(|c| c.is_ascii_digit());
        number || (word.chars().count() > 2 && !is_stopword(word))
    })
}

/// A text folded for comparison: lower-case letters and digits, one space between words, and for each folded byte the
/// bytes of the original it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folded {
    text: String,
    /// Start of the original character of each folded byte.
    starts: Vec<u32>,
    /// End of the original character of each folded byte.
    ends: Vec<u32>,
}

impl Folded {
    pub fn new(text: &str) -> Self {
        let mut folded = Self::default();
        fold(text, |character, start, end| folded.push(character, start, end));
        folded
    }

    fn push(&mut self, character: char, start: usize, end: usize) {
        self.text.push(character);
        let (start, end) = (u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX));
        self.starts.resize(self.text.len(), start);
        self.ends.resize(self.text.len(), end);
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where `needle`, folded too, stands in the original as whole words.
    pub fn find(&self, needle: &Self) -> Option<std::ops::Range<usize>> {
        self.place(&needle.text).map(|range| self.starts[range.start] as usize..self.ends[range.end - 1] as usize)
    }

    /// Whether a phrase that is folded already stands in it as whole words.
    pub fn has(&self, phrase: &str) -> bool {
        self.place(phrase).is_some()
    }

    /// Where a phrase that is folded already stands in the folded text.
    fn place(&self, phrase: &str) -> Option<std::ops::Range<usize>> {
        place(&self.text, phrase)
    }
}

/// A text folded for comparison, where it does not matter what stood where.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold(text, |character, _, _| folded.push(character));
    folded
}

/// Whether a phrase stands in a text as whole words; both are folded already.
pub(crate) fn has_phrase(text: &str, phrase: &str) -> bool {
    place(text, phrase).is_some()
}

/// Tells each folded character, with the bytes of the original it came from.
fn fold(text: &str, mut tell: impl FnMut(char, usize, usize)) {
    let (mut gap, mut begun) = (false, false);
    for (at, character) in text.char_indices() {
        if !character.is_alphanumeric() {
            // An apostrophe inside a word is dropped, so that "don't" and "don’t" and "dont" are one.
            gap |= !matches!(character, '\'' | '’');
            continue;
        }
        if gap && begun {
            tell(' ', at, at);
        }
        (gap, begun) = (false, true);
        if character.is_ascii() {
            tell(character.to_ascii_lowercase(), at, at + 1);
        } else {
            character.to_lowercase().for_each(|lower| tell(lower, at, at + character.len_utf8()));
        }
    }
}

fn place(text: &str, phrase: &str) -> Option<std::ops::Range<usize>> {
    if phrase.is_empty() {
        return None;
    }
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, phrase.as_bytes()).map(|at| at..at + phrase.len()).find(|range| {
        (range.start == 0 || bytes[range.start - 1] == b' ') && (range.end == bytes.len() || bytes[range.end] == b' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopwords_are_sorted_so_that_they_can_be_searched() {
        assert!(STOPWORDS.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_quote_is_found_whatever_its_case_spacing_and_punctuation() {
        let said = "Well — Reception loses  3 hours a day, on the PHONE!";
        let range = Folded::new(said).find(&Folded::new("reception loses 3 hours a day on the phone")).unwrap();
        assert_eq!(&said[range], "Reception loses  3 hours a day, on the PHONE");
    }

    #[test]
    fn a_quote_is_not_found_inside_a_longer_word() {
        assert_eq!(Folded::new("a carpet").find(&Folded::new("car")), None);
    }

    #[test]
    fn folding_keeps_places_of_letters_that_change_length() {
        let said = "İstanbul’da ofis";
        let range = Folded::new(said).find(&Folded::new("ofis")).unwrap();
        assert_eq!(&said[range], "ofis");
    }
}
