//! The brief as one page of HTML: no script, nothing from elsewhere, the evidence beside every statement.

use std::borrow::Cow;
use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, TextMergeStream, html};

use super::disarmed;
use crate::engine::brief::Proof;
use crate::text::printable;
use crate::words::{self, Words};

/// What the page looks like: in both colour schemes, on a phone, and on paper.
const STYLE: &str = include_str!("page.css");

/// Writes the page.
pub fn html(markdown: &str, title: &str, language: &str, proofs: &[Proof]) -> String {
    let words = words::spoken(Some(language));
    let mut body = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut body, harmless(markdown).flat_map(|event| cited(event, proofs, words)));
    format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(language),
        escaped(title)
    )
}

/// The parts of a text. Signs that are written as numbers (`&#x1b;`) have become what they stand for, so they are made
/// harmless here and not before.
pub(super) fn parsed(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    TextMergeStream::new(parser).map(|event| match event {
        Event::Text(text) => Event::Text(legible(text)),
        Event::Code(text) => Event::Code(legible(text)),
        Event::Html(text) => Event::Html(legible(text)),
        Event::InlineHtml(text) => Event::InlineHtml(legible(text)),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(legible(language))))
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: legible(dest_url), title: legible(title), id })
        }
        event => event,
    })
}

fn legible(text: CowStr<'_>) -> CowStr<'_> {
    match printable(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(safe) => CowStr::from(safe),
    }
}

/// The text without anything that a page would obey: tags are shown, pictures are their words, and links lead only where
/// they say.
fn harmless(markdown: &str) -> impl Iterator<Item = Event<'_>> {
    let mut dropped = Vec::new();
    parsed(markdown).filter_map(move |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { ref dest_url, .. }) => {
            let is_plain = disarmed::PLAIN.iter().any(|start| dest_url.starts_with(start));
            dropped.push(!is_plain);
            is_plain.then_some(event)
        }
        Event::End(TagEnd::Link) => (!dropped.pop().unwrap_or(false)).then_some(event),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        event => Some(event),
    })
}

/// The most digits of a reference.
const LONGEST_NUMBER: usize = 6;
/// The most characters of a quote that a tip shows: a text that refers to itself again and again must not multiply it.
const LONGEST_TIP: usize = 600;

/// A text in parts: what stands between references, and the references.
pub(super) enum Part<'t> {
    Text(&'t str),
    Reference(usize),
}

/// Finds the references such as `[3]` in a text, as far as there is something that they refer to.
pub(super) fn references(text: &str, known: usize) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest[from..].find('[').map(|at| at + from) {
        // No further than a number reaches: brackets that are never closed would be gone through again and again.
        let digits = &rest.as_bytes()[open + 1..rest.len().min(open + 2 + LONGEST_NUMBER)];
        let length = digits.iter().position(|byte| *byte == b']');
        let number = length.and_then(|length| Some((length, rest[open + 1..open + 1 + length].parse().ok()?)));
        match number {
            Some((length, number)) if (1..=known).contains(&number) => {
                parts.push(Part::Text(&rest[..open]));
                parts.push(Part::Reference(number));
                (rest, from) = (&rest[open + length + 2..], 0);
            }
            _ => from = open + 1,
        }
    }
    parts.push(Part::Text(rest));
    parts
}

fn cited<'t>(event: Event<'t>, proofs: &[Proof], words: &Words) -> Vec<Event<'t>> {
    let Event::Text(text) = event else { return vec![event] };
    let parts = references(&text, proofs.len()).into_iter().map(|part| match part {
        Part::Text(text) => Event::Text(CowStr::from(text.to_owned())),
        Part::Reference(number) => Event::InlineHtml(CowStr::from(reference(number, &proofs[number - 1], words))),
    });
    parts.collect()
}

/// A reference that shows its evidence when it is pointed at, tapped or reached with the keys.
fn reference(number: usize, proof: &Proof, words: &Words) -> String {
    let mut out = format!("<span class=\"cite\" tabindex=\"0\">[{number}]<span class=\"tip\" role=\"note\">");
    let _ = write!(out, "<b>{}</b> ", escaped(&proof.name));
    match &proof.quote {
        Some(quote) => drop(write!(out, "<q>{}</q> ", escaped(&in_a_tip(quote)))),
        None => drop(write!(out, "{} ", escaped(&in_a_tip(&proof.value)))),
    }
    let _ = write!(out, "<small>{}</small></span></span>", escaped(&proof.origin(&words.host)));
    out
}

fn in_a_tip(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TIP) {
        Some((end, _)) => Cow::Owned(format!("{}…", text[..end].trim_end())),
        None => Cow::Borrowed(text),
    }
}

pub(in crate::host) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Proof {
        Proof {
            path: "budget".to_owned(),
            name: "Budget".to_owned(),
            value: "15,000 €".to_owned(),
            quote: Some("we have <15,000> €".to_owned()),
            turn: 2,
            by_hand: false,
            speaker: None,
        }
    }

    #[test]
    fn signs_written_as_numbers_steer_no_terminal() {
        let page = html("Bread &#x1b;]52;c;UFdORUQ=&#7; and `&#x9b;2J` \u{FFFF}", "A", "en", &[]);
        assert!(page.contains("]52;c;UFdORUQ="), "{page}");
        assert!(!page.contains(|c: char| c.is_control() && c != '\n' || c == '\u{FFFF}'), "{page:?}");
    }

    #[test]
    fn signs_written_as_numbers_steer_nothing_from_links_and_code_either() {
        let text = "[x](https://a.example/ \"t&#x1b;]52;c;U&#7;\") and [y](https://a.example/&#x9b;2J)\n\n```a&#x1b;b\ncode\n```\n";
        let page = html(text, "A", "en", &[]);
        assert!(page.contains("]52;c;U") && page.contains("language-a"), "{page}");
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{page:?}");
    }

    #[test]
    fn a_text_of_brackets_or_references_is_not_multiplied() {
        let known = vec![Proof { quote: Some("[1]".repeat(8_000)), ..proof() }];
        let page = html(&"[1]".repeat(8_000), "A", "en", &known);
        assert!(page.len() < 8_000 * 1_000, "{}", page.len());
        assert_eq!(references(&"[".repeat(200_000), 9).len(), 1);
        assert_eq!(references("[1] [é] [12345678] [2", 2).len(), 3);
    }

    #[test]
    fn evidence_stands_with_its_statement_and_nothing_is_obeyed() {
        let text = "# A <b>\n\nBudget: 15,000 € [1], [2] and [x](javascript:alert(1)) ![p](https://elsewhere/p.png) <script>alert(1)</script>";
        let page = html(text, "A & B", "en", &[proof()]);
        assert!(page.contains("<q>we have &lt;15,000&gt; €</q>"), "{page}");
        assert!(page.contains("class=\"cite\" tabindex=\"0\">[1]<"), "{page}");
        assert!(page.contains("[2]"), "what refers to nothing stays as it is: {page}");
        assert!(page.contains("<title>A &amp; B</title>"), "{page}");
        for unwanted in ["<script", "javascript:", "<img", "elsewhere", "src="] {
            assert!(!page.contains(unwanted), "{unwanted} in {page}");
        }
    }
}
