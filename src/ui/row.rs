//! A row of laid out text: styled segments that know which bytes of the text they came from.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::paint::{put, text_width};

/// Text of one style within a row. It is safe to draw and has no line end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    pub text: String,
    pub style: Style,
    /// The bytes of the text it came from; empty for what the layout added, such as bullets.
    pub source: Range<usize>,
}

impl Segment {
    /// A segment that the layout adds: it comes from nowhere in the text.
    pub fn added(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, source: 0..0 }
    }

    /// Whether each of its bytes is a byte of the text, so that parts of it can be traced.
    pub fn is_verbatim(&self) -> bool {
        self.text.len() == self.source.len()
    }

    /// The bytes of the text behind a part of this segment: of all of it, where parts cannot be traced.
    pub(crate) fn source_of(&self, part: &Range<usize>) -> Range<usize> {
        if self.is_verbatim() {
            self.source.start + part.start..self.source.start + part.end
        } else {
            self.source.clone()
        }
    }
}

/// One row of a laid out text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub segments: Vec<Segment>,
    /// The ground from a column to the end of the row, for code that is set apart by its background.
    pub ground: Option<(u16, Style)>,
    /// The code block it belongs to, by its place among the blocks of the document.
    pub code_block: Option<usize>,
}

impl Row {
    pub fn width(&self) -> usize {
        self.segments.iter().map(|segment| text_width(&segment.text)).sum()
    }

    pub fn text(&self) -> String {
        self.segments.iter().map(|segment| segment.text.as_str()).collect()
    }

    /// The bytes of the text that it shows, from the first to the last; `None` for a row that the layout added.
    pub fn source(&self) -> Option<Range<usize>> {
        let own = || self.segments.iter().map(|segment| &segment.source).filter(|source| !source.is_empty());
        Some(own().map(|source| source.start).min()?..own().map(|source| source.end).max()?)
    }

    /// Whether it shows any of these bytes.
    pub fn shows(&self, bytes: &Range<usize>) -> bool {
        self.segments.iter().any(|segment| overlaps(&segment.source, bytes))
    }

    /// The row with the given bytes of the text set apart, such as the words that an evidence card quotes.
    #[must_use]
    pub(crate) fn highlighted(&self, bytes: &Range<usize>, style: Style) -> Self {
        let mut row = Self { segments: Vec::with_capacity(self.segments.len() + 2), ..self.clone() };
        for segment in &self.segments {
            if !overlaps(&segment.source, bytes) {
                row.segments.push(segment.clone());
                continue;
            }
            let inside = if segment.is_verbatim() {
                let start = bytes.start.max(segment.source.start) - segment.source.start;
                let end = bytes.end.min(segment.source.end) - segment.source.start;
                segment.text.floor_char_boundary(start)..segment.text.ceil_char_boundary(end)
            } else {
                0..segment.text.len()
            };
            for (part, lit) in
                [(0..inside.start, false), (inside.clone(), true), (inside.end..segment.text.len(), false)]
            {
                if !part.is_empty() {
                    row.segments.push(Segment {
                        text: segment.text[part.clone()].to_owned(),
                        style: if lit { segment.style.patch(style) } else { segment.style },
                        source: segment.source_of(&part),
                    });
                }
            }
        }
        row
    }

    /// Draws it from (`x`, `y`) over at most `width` columns.
    pub fn draw(&self, buf: &mut Buffer, x: u16, y: u16, width: u16) {
        let end = x.saturating_add(width);
        if let Some((from, ground)) = self.ground {
            for column in x.saturating_add(from)..end {
                if let Some(cell) = buf.cell_mut((column, y)) {
                    cell.set_style(ground);
                }
            }
        }
        let mut at = x;
        for segment in &self.segments {
            if at >= end {
                break;
            }
            at = put(buf, at, y, end - at, &segment.text, segment.style);
        }
    }
}

fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;

    #[test]
    fn quoted_bytes_are_set_apart_and_the_rest_stays() {
        let row = Row {
            segments: vec![
                Segment::added("• ", Style::new()),
                Segment { text: "we lose patients".into(), style: Style::new(), source: 10..26 },
            ],
            ..Row::default()
        };
        let lit = Style::new().add_modifier(Modifier::REVERSED);
        let row = row.highlighted(&(13..17), lit);
        let parts: Vec<_> = row.segments.iter().map(|part| (part.text.as_str(), part.style == lit)).collect();
        assert_eq!(parts, [("• ", false), ("we ", false), ("lose", true), (" patients", false)]);
        assert_eq!(row.source(), Some(10..26));
        assert!(row.shows(&(25..99)) && !row.shows(&(26..99)) && !row.shows(&(0..5)));
    }
}
