//! From markdown events to rows: containers with their indents, blocks with their gaps, text with its styles.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::Style;

use super::code::CodeText;
use super::containers::{Container, Containers};
use super::table::TableText;
use super::{CodeBlock, Setting};
use crate::text;
use crate::ui::row::{Row, Segment};
use crate::ui::theme::Scope;
use crate::ui::wrap::{self, Break};

/// Link targets that earlier parts of the text defined, by label in lower case.
pub(super) type References = HashMap<String, String>;

/// What a stretch of text was laid out to.
#[derive(Default)]
pub(super) struct Parts {
    pub rows: Vec<Row>,
    pub code_blocks: Vec<CodeBlock>,
    /// The blocks that stand in no other, in order.
    pub blocks: Vec<BlockStart>,
    /// Link targets defined in this stretch, with the byte where the definition begins.
    pub references: Vec<(usize, String, String)>,
}

/// Where a block that stands in no other begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockStart {
    /// The byte of the stretch.
    pub source: usize,
    /// The row; the empty row before a block belongs to it.
    pub row: usize,
    /// How many blocks of code came before.
    pub code_blocks: usize,
}

/// Lays out a stretch of text that begins at byte `base` of the whole. `gap` asks for an empty row before it.
pub(super) fn lay_out(text: &str, base: usize, gap: bool, known: &References, setting: &Setting<'_>) -> Parts {
    let mut builder = Builder::new(text, base, gap, setting);
    if setting.width == 0 {
        return builder.parts;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let resolve = |link: BrokenLink<'_>| {
        let target = known.get(&link.reference.to_lowercase())?;
        Some((CowStr::from(target.clone()), CowStr::from("")))
    };
    let parser = Parser::new_with_broken_link_callback(text, options, Some(resolve));
    let defined = parser.reference_definitions().iter();
    builder.parts.references =
        defined.map(|(label, link)| (link.span.start, label.to_lowercase(), link.dest.to_string())).collect();
    for (event, range) in parser.into_offset_iter() {
        builder.event(event, range);
    }
    builder.flush();
    builder.parts
}

/// Images within images up to here are shown with their targets: each shows the targets of those in it as well.
const MAX_LINKS: usize = 8;

struct Builder<'a> {
    setting: &'a Setting<'a>,
    text: &'a str,
    base: usize,
    parts: Parts,
    containers: Containers,
    inline: Vec<Segment>,
    styles: Vec<Style>,
    /// Targets of the links that are open.
    links: Vec<(String, usize)>,
    /// How many links are open beyond those that are shown.
    deeper_links: usize,
    gap: bool,
    /// Whether rows of an earlier stretch stand above.
    follows: bool,
    code: Option<CodeText>,
    table: Option<TableText>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, base: usize, gap: bool, setting: &'a Setting<'a>) -> Self {
        Self {
            setting,
            text,
            base,
            parts: Parts::default(),
            containers: Containers::default(),
            inline: Vec::new(),
            styles: vec![setting.look.style(setting.text)],
            links: Vec::new(),
            deeper_links: 0,
            gap,
            follows: gap,
            code: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push(&text, range.start + self.base),
                None => self.push(&text, range, None),
            },
            Event::Code(text) => {
                let inner = self.text[range.clone()].find(&*text).map_or(range.clone(), |at| {
                    let start = range.start + at;
                    start..start + text.len()
                });
                self.push(&text, inner, Some(Scope::InlineCode));
            }
            Event::Html(text) | Event::InlineHtml(text) => match text.trim() {
                "<br>" | "<br/>" | "<br />" => self.push("\n", range, None),
                _ => self.push(&text, range, Some(Scope::Muted)),
            },
            Event::SoftBreak => self.push(if self.setting.keep_breaks { "\n" } else { " " }, range, None),
            Event::HardBreak => self.push("\n", range, None),
            Event::Rule => {
                self.begin_block(range.start);
                let width = self.room();
                let style = self.scope(Scope::Rule);
                self.inline.push(Segment::added(self.setting.look.glyphs.rule.repeat(width), style));
                self.end_block();
            }
            Event::TaskListMarker(done) => self.task_box(done),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.push(&text, range, None);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => {
                self.containers.stand_apart();
                self.begin_block(range.start);
            }
            Tag::Heading { level, .. } => {
                self.begin_block(range.start);
                self.enter(match level {
                    HeadingLevel::H1 => Scope::Heading1,
                    HeadingLevel::H2 => Scope::Heading2,
                    HeadingLevel::H3 => Scope::Heading3,
                    _ => Scope::Heading,
                });
            }
            Tag::BlockQuote(_) => {
                self.begin_block(range.start);
                let mark = format!("{} ", self.setting.look.glyphs.quote);
                self.containers.open(Container::quote(Segment::added(mark, self.scope(Scope::QuoteMark))));
                self.enter(Scope::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.begin_block(range.start);
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().filter(|word| !word.is_empty()).map(str::to_owned)
                    }
                    CodeBlockKind::Indented => None,
                };
                self.code = Some(CodeText::new(language));
            }
            Tag::HtmlBlock => self.begin_block(range.start),
            Tag::List(next) => {
                self.begin_block(range.start);
                self.containers.open(Container::list(next));
            }
            Tag::Item => {
                self.begin_inner();
                self.begin_item();
            }
            Tag::Table(alignments) => {
                self.begin_block(range.start);
                self.table = Some(TableText::new(alignments));
            }
            Tag::Emphasis => self.enter(Scope::Emphasis),
            Tag::Strong => self.enter(Scope::Strong),
            Tag::Strikethrough => self.enter(Scope::Strike),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                if self.links.len() < MAX_LINKS {
                    self.links.push((dest_url.into_string(), self.inline.len()));
                } else {
                    self.deeper_links += 1;
                }
                self.enter(Scope::Link);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.end_block(),
            TagEnd::HtmlBlock => {
                if let Some(last) = self.inline.last_mut() {
                    last.text.truncate(last.text.trim_end_matches('\n').len());
                }
                self.end_block();
            }
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.styles.pop();
                self.containers.close();
                self.gap = self.containers.are_spaced();
            }
            TagEnd::CodeBlock => self.end_code(range),
            TagEnd::List(_) => {
                self.containers.close();
                self.gap = self.containers.are_spaced();
            }
            TagEnd::Item => {
                // An item with nothing in it is still an item.
                if self.inline.is_empty() && self.containers.is_fresh() {
                    self.inline.push(Segment::default());
                }
                self.flush();
                self.containers.close();
            }
            TagEnd::TableCell => {
                if let Some(table) = &mut self.table {
                    table.cell(std::mem::take(&mut self.inline));
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn scope(&self, scope: Scope) -> Style {
        self.setting.look.style(scope)
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn enter(&mut self, scope: Scope) {
        self.styles.push(self.style().patch(self.scope(scope)));
    }

    /// Adds text, made safe, to the block that is open.
    fn push(&mut self, text: &str, range: Range<usize>, scope: Option<Scope>) {
        let style = scope.map_or(self.style(), |scope| self.style().patch(self.scope(scope)));
        let whole = range.start + self.base..range.end + self.base;
        let verbatim = text.len() == whole.len();
        for piece in text::pieces(text) {
            let source =
                if verbatim { whole.start + piece.source.start..whole.start + piece.source.end } else { whole.clone() };
            self.inline.push(Segment { text: piece.text.into_owned(), style, source });
        }
    }

    fn begin_block(&mut self, source: usize) {
        if self.containers.is_empty() {
            self.flush();
            let (row, code_blocks) = (self.parts.rows.len(), self.parts.code_blocks.len());
            self.parts.blocks.push(BlockStart { source, row, code_blocks });
        }
        self.begin_inner();
    }

    fn begin_inner(&mut self) {
        self.flush();
        // Nothing to keep a distance from, if all that came before was empty.
        if std::mem::take(&mut self.gap) && (self.follows || !self.parts.rows.is_empty()) {
            let segments = self.containers.before_gap(usize::from(self.setting.width) / 2);
            self.parts.rows.push(Row { segments, ..Row::default() });
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.gap = self.containers.are_spaced();
    }

    fn begin_item(&mut self) {
        let depth = self.containers.lists();
        let glyphs = self.setting.look.glyphs;
        let marker = match self.containers.next_number() {
            Some(number) => format!("{number}. "),
            None => format!("{} ", glyphs.bullets[depth.saturating_sub(1) % glyphs.bullets.len()]),
        };
        self.containers.open(Container::item(Segment::added(marker, self.scope(Scope::ListMarker))));
    }

    fn task_box(&mut self, done: bool) {
        let style = self.scope(if done { Scope::ListDone } else { Scope::ListMarker });
        let sign = self.setting.look.glyphs.task_boxes[usize::from(done)];
        self.containers.mark(Segment::added(format!("{sign} "), style));
    }

    fn end_link(&mut self) {
        self.styles.pop();
        if self.deeper_links > 0 {
            self.deeper_links -= 1;
            return;
        }
        let Some((target, start)) = self.links.pop() else { return };
        let shown: String = self.inline.iter().skip(start).map(|segment| segment.text.as_str()).collect();
        if target.is_empty() || shown == target || target.strip_prefix("mailto:") == Some(&shown) {
            return;
        }
        let style = self.style().patch(self.scope(Scope::LinkTarget));
        let target = text::sanitise_line(&target);
        let text = if shown.is_empty() { target.into_owned() } else { format!(" ({target})") };
        self.inline.push(Segment::added(text, style));
    }

    /// The columns left beside the indent.
    fn room(&self) -> usize {
        let indent = self.containers.columns();
        let width = usize::from(self.setting.width);
        width - indent.min(width / 2)
    }

    /// Puts the text that is open into rows.
    fn flush(&mut self) {
        if self.inline.is_empty() || self.table.is_some() {
            return;
        }
        let inline = std::mem::take(&mut self.inline);
        let indent = self.containers.indent();
        self.parts.rows.extend(wrap::wrap(&inline, usize::from(self.setting.width), &indent, Break::Words));
    }

    fn end_code(&mut self, range: &Range<usize>) {
        let Some(code) = self.code.take() else { return };
        let indent = self.containers.indent();
        let source = range.start + self.base..range.end + self.base;
        let index = self.parts.code_blocks.len();
        let (rows, block) = code.lay_out(&indent, source, index, self.setting);
        self.parts.rows.extend(rows);
        self.parts.code_blocks.push(block);
        self.gap = self.containers.are_spaced();
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        self.inline.clear();
        let room = self.room();
        let indent = self.containers.indent();
        for (at, mut row) in table.lay_out(room, self.setting).into_iter().enumerate() {
            let prefix = if at == 0 { &indent.first } else { &indent.rest };
            let mut segments = wrap::cut(prefix, usize::from(self.setting.width) / 2);
            segments.append(&mut row.segments);
            self.parts.rows.push(Row { segments, ..row });
        }
        self.gap = self.containers.are_spaced();
    }
}
