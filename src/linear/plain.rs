//! Markdown as lines that are read out: no stars, no pipes, no fences. A line at a time, so that an answer can be told as
//! it comes.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Where in a text the next line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The sign and length of the fence that a block of code was opened with.
    fence: Option<(char, usize)>,
}

impl Place {
    /// The next line as it is told; none where it is nothing but a sign.
    pub fn line(&mut self, line: &str) -> Option<String> {
        let bare = line.trim();
        let sign = bare.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        let length = sign.map_or(0, |sign| bare.chars().take_while(|c| *c == sign).count());
        match (self.fence, sign) {
            (Some((open, count)), _) => {
                if sign == Some(open) && length >= count && bare.chars().all(|c| c == open) {
                    self.fence = None;
                    return None;
                }
                Some(format!("    {}", line.trim_end()))
            }
            (None, Some(sign)) if length >= 3 => {
                self.fence = Some((sign, length));
                None
            }
            _ if bare.is_empty() || is_rule(bare) => None,
            _ if bare.starts_with('|') && bare.len() > 1 => Some(cells(bare)),
            _ => {
                let indent = line.len() - line.trim_start().len();
                Some(format!("{}{}", " ".repeat(indent.min(8)), inline(bare)))
            }
        }
    }
}

/// A line of a table: its cells one after the other.
fn cells(row: &str) -> String {
    let cells = row.trim_matches('|').split('|').map(|cell| inline(cell.trim()));
    cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Whether a line only sets apart: a rule, or the line below the head of a table.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '*' | '_' | '|' | ':' | ' ' | '='))
}

/// The words of a line.
fn inline(line: &str) -> String {
    let mut out = String::new();
    let mut target: Option<String> = None;
    for event in Parser::new_ext(line, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::List(Some(first))) => out.extend([first.to_string().as_str(), ". "]),
            Event::Start(Tag::List(None)) => out.push_str("- "),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                target = Some(dest_url.to_string());
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let address = target.take().filter(|address| !out.ends_with(address.as_str()));
                out.extend(address.map(|address| format!(" ({address})")));
            }
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    if out.trim().is_empty() { line.to_owned() } else { out.trim_end().to_owned() }
}

/// A whole text, line by line.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut place = Place::default();
    text.lines().filter_map(|line| place.line(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn signs_of_markdown_are_not_told() {
        let text = "# What *is* it?\n\nIt is **one** `thing`:\n- first\n- second\n\n3. third\n\n---\n> quoted";
        assert_eq!(lines(text), ["What is it?", "It is one thing:", "- first", "- second", "3. third", "quoted"]);
        assert_eq!(lines("[the site](https://example.org)"), ["the site (https://example.org)"]);
        assert_eq!(lines("2 * 3 * 4 and snake_case_name"), ["2 * 3 * 4 and snake_case_name"]);
    }

    #[test]
    fn tables_are_rows_and_code_stays_as_it_is() {
        let text = "| Name | Days |\n|---|---:|\n| **Export** | 3 |\n```rust\nlet a = *b;\n```\nafter";
        assert_eq!(lines(text), ["Name; Days", "Export; 3", "    let a = *b;", "after"]);
    }
}
