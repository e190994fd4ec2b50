//! Markdown that is handed on must not act when somebody opens it: no tags, no pictures that tell their host who reads,
//! no links to anything but pages and addresses of mail. What was written stays readable, with a backslash before it.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// What a link may lead to.
pub(super) const PLAIN: [&str; 3] = ["https://", "http://", "mailto:"];

/// How often a text is looked at again: what was hidden in one construct may be another once that is gone.
const PASSES: usize = 4;

/// The text, with everything that would act written out.
pub(super) fn disarmed(markdown: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(markdown);
    for _ in 0..PASSES {
        let armed = armed(&text);
        if armed.is_empty() {
            return text;
        }
        text = Cow::Owned(escaped(&text, &armed));
    }
    let everything = 0..text.len();
    if armed(&text).is_empty() { text } else { Cow::Owned(escaped(&text, &[everything])) }
}

/// The places of what would act, in order.
fn armed(text: &str) -> Vec<Range<usize>> {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    // A definition gives a number of the brief another meaning.
    let mut found: Vec<Range<usize>> =
        parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone()).collect();
    found.extend(parser.into_offset_iter().filter_map(|(event, place)| {
        let acts = match event {
            Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. }) => true,
            Event::Start(Tag::Link { dest_url, .. }) => !PLAIN.iter().any(|start| dest_url.starts_with(start)),
            _ => false,
        };
        acts.then_some(place)
    }));
    found.sort_by_key(|place| place.start);
    found
}

/// The text with a backslash before each sign in these places that Markdown or HTML gives a meaning.
fn escaped(text: &str, places: &[Range<usize>]) -> String {
    let mut written = String::with_capacity(text.len() + 16);
    let mut places = places.iter().peekable();
    let mut until = 0;
    let mut is_escaped = false;
    for (at, sign) in text.char_indices() {
        while let Some(place) = places.next_if(|place| place.start <= at) {
            until = until.max(place.end);
        }
        if at < until && matches!(sign, '<' | '[' | ']' | '!') && !is_escaped {
            written.push('\\');
        }
        written.push(sign);
        is_escaped = sign == '\\' && !is_escaped;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_pictures_and_foreign_links_are_written_out() {
        for (given, wanted) in [
            ("We lose <script>alert(1)</script> orders", "We lose \\<script>alert(1)\\</script> orders"),
            ("![x](http://evil.example/t.png) yes", "\\!\\[x\\](http://evil.example/t.png) yes"),
            ("[details](javascript:alert(1))", "\\[details\\](javascript:alert(1))"),
            ("see <javascript:alert(1)>", "see \\<javascript:alert(1)>"),
            ("<div>[x](javascript:1)</div>", "\\<div>\\[x\\](javascript:1)\\</div>"),
            ("[1]\n\n[1]: https://evil.example", "[1]\n\n\\[1\\]: https://evil.example"),
            ("[a ![b](x)](javascript:1)", "\\[a \\!\\[b\\](x)\\](javascript:1)"),
        ] {
            assert_eq!(disarmed(given), wanted);
            assert!(armed(wanted).is_empty(), "{wanted}");
        }
    }

    #[test]
    fn what_does_not_act_stays_as_it_is() {
        for text in ["# Brief\n\n- **Budget:** 3 < 4 [1]\n", "[page](https://a.example) and `<b>`", "a \\<b> c", ""] {
            assert!(matches!(disarmed(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn what_is_nested_many_times_is_disarmed_too() {
        let deep = format!("{}x{}", "<a>[".repeat(40), "](javascript:1)</a>".repeat(40));
        assert!(armed(&disarmed(&deep)).is_empty());
    }
}
