//! The brief as a document for word processors.

use std::io::Cursor;

use docx_rs::{
    AbstractNumbering, Docx, IndentLevel, Level, LevelJc, LevelText, NumberFormat, Numbering, NumberingId, Paragraph,
    Run, SpecialIndentType, Start, Style, StyleType, Table, TableCell, TableRow, VertAlignType,
};
use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use super::super::HostError;
use super::page::{Part, parsed, references};

/// Lists go no deeper than this; deeper ones stay at it.
const DEEPEST: usize = 5;
/// The numbering of bullets; numbered lists get their own, each beginning at one.
const BULLETS: usize = 1;

/// Writes the document. References are raised figures; what they refer to stands at its end.
pub fn docx(markdown: &str, proofs: usize) -> Result<Vec<u8>, HostError> {
    let mut writer = Writer { proofs, ..Writer::default() };
    parsed(markdown).for_each(|event| writer.take(event));
    let mut file = Cursor::new(Vec::new());
    let packed = writer.finish().build().pack(&mut file);
    packed.map_err(|error| HostError::Document(error.to_string()))?;
    Ok(file.into_inner())
}

#[derive(Default)]
struct Writer {
    blocks: Vec<Block>,
    runs: Vec<Run>,
    bold: usize,
    italic: usize,
    heading: Option<usize>,
    quoted: usize,
    /// The lists that are open, by their numbering.
    lists: Vec<usize>,
    /// Whether the paragraph that comes next begins an item.
    begins_item: bool,
    numbered: usize,
    table: Vec<TableRow>,
    cells: Vec<TableCell>,
    proofs: usize,
}

enum Block {
    Paragraph(Box<Paragraph>),
    Table(Box<Table>),
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.runs.push(Run::new().add_break(docx_rs::BreakType::TextWrapping)),
            _ => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some(rank(*level)),
            Tag::Strong => self.bold += 1,
            Tag::Emphasis => self.italic += 1,
            Tag::BlockQuote(_) => self.quoted += 1,
            Tag::List(first) => {
                self.close();
                let numbering = if first.is_some() {
                    self.numbered += 1;
                    BULLETS + self.numbered
                } else {
                    BULLETS
                };
                self.lists.push(numbering);
            }
            Tag::Item => {
                self.close();
                self.begins_item = true;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock => self.close(),
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::BlockQuote(_) => self.quoted = self.quoted.saturating_sub(1),
            TagEnd::List(_) => {
                self.close();
                self.lists.pop();
            }
            TagEnd::TableCell => {
                let text = Paragraph::new();
                let text = self.runs.drain(..).fold(text, Paragraph::add_run);
                self.cells.push(TableCell::new().add_paragraph(text));
            }
            TagEnd::TableHead | TagEnd::TableRow => self.table.push(TableRow::new(std::mem::take(&mut self.cells))),
            TagEnd::Table => self.blocks.push(Block::Table(Box::new(Table::new(std::mem::take(&mut self.table))))),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        for part in references(text, self.proofs) {
            let run = match part {
                Part::Text("") => continue,
                Part::Text(text) => Run::new().add_text(text),
                Part::Reference(number) => {
                    let mut run = Run::new().add_text(number.to_string());
                    run.run_property = run.run_property.vert_align(VertAlignType::SuperScript);
                    run
                }
            };
            let run = if self.bold > 0 { run.bold() } else { run };
            self.runs.push(if self.italic > 0 || self.quoted > 0 { run.italic() } else { run });
        }
    }

    /// Ends the paragraph, if one has begun.
    fn close(&mut self) {
        let heading = self.heading.take();
        if self.runs.is_empty() {
            return;
        }
        let mut paragraph = self.runs.drain(..).fold(Paragraph::new(), Paragraph::add_run);
        if let Some(rank) = heading {
            paragraph = paragraph.style(&format!("Heading{rank}"));
        } else if let Some(list) = self.lists.last() {
            let depth = (self.lists.len() - 1).min(DEEPEST);
            paragraph = if std::mem::take(&mut self.begins_item) {
                paragraph.numbering(NumberingId::new(*list), IndentLevel::new(depth))
            } else {
                paragraph.indent(Some(indent(depth)), None, None, None)
            };
        } else if self.quoted > 0 {
            paragraph = paragraph.indent(Some(indent(0)), None, None, None);
        }
        self.blocks.push(Block::Paragraph(Box::new(paragraph)));
    }

    fn finish(mut self) -> Docx {
        self.close();
        let mut docx = Docx::new().default_size(22).add_abstract_numbering(levels(BULLETS, false));
        docx = docx.add_numbering(Numbering::new(BULLETS, BULLETS));
        for list in BULLETS + 1..=BULLETS + self.numbered {
            docx = docx.add_abstract_numbering(levels(list, true)).add_numbering(Numbering::new(list, list));
        }
        for (rank, size) in [(1, 36), (2, 28), (3, 24)] {
            let style = Style::new(format!("Heading{rank}"), StyleType::Paragraph).name(format!("heading {rank}"));
            docx = docx.add_style(style.size(size).bold());
        }
        for block in self.blocks {
            docx = match block {
                Block::Paragraph(paragraph) => docx.add_paragraph(*paragraph),
                Block::Table(table) => docx.add_table(*table),
            };
        }
        docx
    }
}

fn rank(level: HeadingLevel) -> usize {
    (level as usize).clamp(1, 3)
}

/// How far a level of a list stands from the margin, in twentieths of a point.
fn indent(depth: usize) -> i32 {
    360 * (1 + i32::try_from(depth).unwrap_or(0))
}

fn levels(id: usize, numbered: bool) -> AbstractNumbering {
    (0..=DEEPEST).fold(AbstractNumbering::new(id), |list, depth| {
        let (format, text) =
            if numbered { ("decimal", format!("%{}.", depth + 1)) } else { ("bullet", "•".to_owned()) };
        let level =
            Level::new(depth, Start::new(1), NumberFormat::new(format), LevelText::new(text), LevelJc::new("left"));
        list.add_level(level.indent(Some(indent(depth)), Some(SpecialIndentType::Hanging(300)), None, None))
    })
}
