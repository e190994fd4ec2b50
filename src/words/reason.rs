//! Why a value was changed. Memories keep it in English; people read it in their language.

use super::{Reasons, Words, english};

/// Why a value was changed, in another language. The memory holds the words of English; what a model said stays as it is.
pub(crate) fn reason_in(reason: &str, words: &Words) -> String {
    let (known, says) = (&english().reasons, &words.reasons);
    let plain: [fn(&Reasons) -> &str; 19] = [
        Reasons::set,
        Reasons::plain_answer,
        Reasons::not_so,
        Reasons::taken_back,
        Reasons::otherwise,
        Reasons::more,
        Reasons::off_the_list,
        Reasons::new_order,
        Reasons::in_passing,
        Reasons::otherwise_before,
        Reasons::no_answer,
        Reasons::not_sure,
        Reasons::instead,
        Reasons::two_things,
        Reasons::other_kind,
        Reasons::both,
        Reasons::confirmed,
        Reasons::set_aside,
        Reasons::put_back,
    ];
    // How rules read a new value tells people that they said otherwise.
    if is_of_rules(reason) {
        return says.otherwise().to_owned();
    }
    if let Some(text) = plain.into_iter().find(|text| text(known) == reason) {
        return text(says).to_owned();
    }
    let named = |text: fn(&Reasons, &str) -> String| {
        let pattern = text(known, "\0");
        let (before, after) = pattern.split_once('\0')?;
        Some(text(says, reason.strip_prefix(before)?.strip_suffix(after)?))
    };
    let changed = named(|reasons, name| reasons.changed(name));
    let others = [
        named(|reasons, speaker| reasons.of_another(speaker)),
        named(|reasons, name| reasons.about_other(name)),
        named(|reasons, name| reasons.handed_over(name)),
    ];
    changed.or_else(|| others.into_iter().flatten().next()).unwrap_or_else(|| reason.to_owned())
}

/// How the readings of rules begin: they say how a value was read, and not why it took the place of another one.
const READINGS: [&str; 7] = [
    "a correction ",
    "the answer to the question, ",
    "said ",
    "it may be the answer, ",
    "a plain ",
    "the earlier answer ",
    "the last figure ",
];

/// Whether a reason is the name of a reading.
fn is_of_rules(reason: &str) -> bool {
    READINGS.iter().any(|reading| reason.starts_with(reading))
}

#[cfg(test)]
mod tests {
    use super::reason_in;
    use crate::words::find;

    #[test]
    fn reasons_are_told_in_the_language_of_the_frame() {
        let german = find("de").unwrap();
        assert_eq!(reason_in("you confirmed it", german), "von Ihnen bestätigt");
        assert_eq!(reason_in("“Budget” has changed", german), "„Budget“ hat sich geändert");
        assert_eq!(reason_in("the model's own words", german), "the model's own words");
        assert_eq!(reason_in("you confirmed it", find("en").unwrap()), "you confirmed it");
        assert_eq!(reason_in("you put it back", german), "Sie haben es zurückgeholt");
        for reading in ["a correction of the answer before", "a correction by name", "said in passing, in these words"]
        {
            assert_eq!(reason_in(reading, german), "Sie sagten etwas anderes", "{reading}");
        }
    }
}
