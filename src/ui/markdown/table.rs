//! Tables: columns fitted to the width, cells wrapped; entry by entry where columns do not fit at all.

use pulldown_cmark::Alignment;
use ratatui::style::Style;

use super::Setting;
use crate::ui::row::{Row, Segment};
use crate::ui::theme::Scope;
use crate::ui::wrap::{Break, Indent, columns, cut, wrap};

/// Heads are repeated before every entry where columns do not fit; a longer one is then cut.
const LONG_HEAD: usize = 40;

/// A word up to this many columns is not broken for the sake of a column.
const LONG_WORD: usize = 16;

type Cell = Vec<Segment>;

/// A table as it is being read.
pub(super) struct TableText {
    alignments: Vec<Alignment>,
    /// The head and then the rows.
    rows: Vec<Vec<Cell>>,
    open: Vec<Cell>,
}

impl TableText {
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), open: Vec::new() }
    }

    pub fn cell(&mut self, cell: Cell) {
        self.open.push(cell);
    }

    pub(crate) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.open));
    }

    pub fn lay_out(mut self, room: usize, setting: &Setting<'_>) -> Vec<Row> {
        let count = self.alignments.len();
        let head_style = setting.look.style(Scope::TableHead);
        for segment in self.rows.first_mut().into_iter().flatten().flatten() {
            segment.style = segment.style.patch(head_style);
        }
        for row in &mut self.rows {
            row.resize_with(count, Vec::new);
        }
        let widest = |at: usize, of: fn(&[Segment]) -> usize| self.rows.iter().map(|row| of(&row[at])).max();
        let wants: Vec<Want> = (0..count)
            .map(|at| {
                let natural = widest(at, widest_line).unwrap_or(0).max(1);
                Want { natural, least: widest(at, widest_word).unwrap_or(0).clamp(1, LONG_WORD).min(natural) }
            })
            .collect();
        // Three columns between two: a space, the line, a space.
        match room.checked_sub(3 * count.saturating_sub(1)).and_then(|room| fit(&wants, room)) {
            Some(widths) => self.in_columns(&widths, setting),
            None => self.one_by_one(room, setting),
        }
    }

    fn in_columns(&self, widths: &[usize], setting: &Setting<'_>) -> Vec<Row> {
        let glyphs = setting.look.glyphs;
        let line = setting.look.style(Scope::TableLine);
        let between = format!(" {} ", glyphs.border.vertical);
        let mut rows = Vec::new();
        for (index, cells) in self.rows.iter().enumerate() {
            let wrapped: Vec<Vec<Row>> = cells
                .iter()
                .zip(widths)
                .map(|(cell, width)| wrap(cell, *width, &Indent::default(), Break::Words))
                .collect();
            let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..height {
                let mut row = Row::default();
                for (column, (lines, width)) in wrapped.iter().zip(widths).enumerate() {
                    if column > 0 {
                        row.segments.push(Segment::added(between.clone(), line));
                    }
                    let segments = lines.get(at).map_or(Vec::new(), |line| line.segments.clone());
                    aligned(&mut row, segments, *width, self.alignments[column]);
                }
                rows.push(row);
            }
            if index == 0 {
                let lines: Vec<String> = widths.iter().map(|width| glyphs.border.horizontal.repeat(*width)).collect();
                let cross = format!("{0}{1}{0}", glyphs.border.horizontal, glyphs.border.cross);
                rows.push(Row { segments: vec![Segment::added(lines.join(&cross), line)], ..Row::default() });
            }
        }
        rows
    }

    /// For widths at which columns would be slivers: each entry as lines of `head: cell`.
    fn one_by_one(&self, room: usize, setting: &Setting<'_>) -> Vec<Row> {
        let Some((head, entries)) = self.rows.split_first() else { return Vec::new() };
        let rule = Segment::added(setting.look.glyphs.rule.repeat(room), setting.look.style(Scope::TableLine));
        let rule = Row { segments: vec![rule], ..Row::default() };
        let mut rows = Vec::new();
        let names: Vec<Cell> = head.iter().map(|name| cut(name, LONG_HEAD)).collect();
        for (index, cells) in entries.iter().enumerate() {
            if index > 0 {
                rows.push(rule.clone());
            }
            // A cell that says nothing needs no line of its own. Rows that are cut short have thousands of them.
            for (name, cell) in names.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
                let mut segments = name.clone();
                segments.push(Segment::added(": ", setting.look.style(Scope::TableHead)));
                segments.extend(cell.iter().cloned());
                let rest = vec![Segment::added("  ", Style::new())];
                rows.extend(wrap(&segments, room, &Indent { first: Vec::new(), rest }, Break::Words));
            }
        }
        if entries.is_empty() {
            for name in head {
                rows.extend(wrap(name, room, &Indent::default(), Break::Words));
            }
        }
        rows
    }
}

fn widest_line(cell: &[Segment]) -> usize {
    let text: String = cell.iter().map(|segment| segment.text.as_str()).collect();
    text.split('\n').map(crate::ui::paint::text_width).max().unwrap_or(0)
}

fn widest_word(cell: &[Segment]) -> usize {
    let text: String = cell.iter().map(|segment| segment.text.as_str()).collect();
    text.split_whitespace().map(crate::ui::paint::text_width).max().unwrap_or(0)
}

/// The columns that a column of the table would like, and those it cannot do without.
struct Want {
    natural: usize,
    least: usize,
}

/// Widths for columns within a room: as wide as their text, and where that is too much, the widest give way first.
/// `None` where words would have to be broken.
fn fit(wants: &[Want], room: usize) -> Option<Vec<usize>> {
    let width = |want: &Want, cap: usize| want.natural.min(cap.max(want.least));
    let total = |cap: usize| wants.iter().map(|want| width(want, cap)).sum::<usize>();
    let widest = wants.iter().map(|want| want.natural).max().unwrap_or(0);
    let cap = (0..=widest.min(room)).rev().find(|cap| total(*cap) <= room)?;
    let mut left = room - total(cap);
    let mut widths: Vec<usize> = wants.iter().map(|want| width(want, cap)).collect();
    // What is left over goes to the first columns that want it.
    for (width, want) in widths.iter_mut().zip(wants) {
        if left > 0 && *width < want.natural {
            *width += 1;
            left -= 1;
        }
    }
    Some(widths)
}

fn aligned(row: &mut Row, segments: Vec<Segment>, width: usize, alignment: Alignment) {
    let free = width.saturating_sub(columns(&segments));
    let before = match alignment {
        Alignment::Right => free,
        Alignment::Center => free / 2,
        Alignment::Left | Alignment::None => 0,
    };
    let space = |count: usize| (count > 0).then(|| Segment::added(" ".repeat(count), Style::new()));
    row.segments.extend(space(before));
    row.segments.extend(segments);
    row.segments.extend(space(free - before));
}
