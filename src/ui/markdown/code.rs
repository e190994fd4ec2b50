//! Blocks of code: their colours, found off the drawing thread and kept, and their rows.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use ratatui::style::Style;
use syntect::parsing::{ParseState, Scope as Named, ScopeStack, SyntaxReference, SyntaxSet};

use super::{CodeBlock, Setting};
use crate::text;
use crate::ui::row::{Row, Segment};
use crate::ui::theme::Scope;
use crate::ui::wrap::{self, Break, Indent};

/// The largest block that is coloured, in bytes: beyond it, colouring takes longer than it helps.
const MAX_COLOURED: usize = 64 * 1024;
/// The longest line that is coloured, in bytes: minified code would keep the expressions of a grammar busy for seconds.
const MAX_LINE: usize = 2048;

/// The grammars, unpacked when the first block of code asks for them.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// What the names in grammars look like here; of several that match, the first wins.
static LOOKS: LazyLock<Vec<(Named, Scope)>> = LazyLock::new(|| {
    let looks = [
        ("punctuation.definition.comment", Scope::CodeComment),
        ("comment", Scope::CodeComment),
        ("punctuation.definition.string", Scope::CodeString),
        ("constant.character.escape", Scope::CodeNumber),
        ("constant", Scope::CodeNumber),
        ("string", Scope::CodeString),
        ("markup.inserted", Scope::CodeInserted),
        ("markup.deleted", Scope::CodeDeleted),
        ("markup.heading", Scope::CodeTag),
        ("keyword.operator", Scope::CodeOperator),
        ("keyword", Scope::CodeKeyword),
        ("storage", Scope::CodeKeyword),
        ("entity.name.function", Scope::CodeFunction),
        ("support.function", Scope::CodeFunction),
        ("support.macro", Scope::CodeFunction),
        ("variable.function", Scope::CodeFunction),
        ("entity.name.tag", Scope::CodeTag),
        ("entity.other.attribute-name", Scope::CodeType),
        ("meta.mapping.key", Scope::CodeTag),
        ("support.type.property-name", Scope::CodeTag),
        ("entity.name", Scope::CodeType),
        ("support.type", Scope::CodeType),
        ("support.class", Scope::CodeType),
        ("variable.language", Scope::CodeKeyword),
        ("variable", Scope::CodeVariable),
        ("punctuation", Scope::CodeOperator),
    ];
    looks.into_iter().filter_map(|(name, look)| Some((Named::new(name).ok()?, look))).collect()
});

/// Identifies a block by what its colours depend on: its language and its text, not its theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CodeKey(u64);

impl CodeKey {
    /// The key of a block.
    pub fn of(language: Option<&str>, text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (language, text).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The colours of a block, by scope, so that they hold for every theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlighted {
    /// Stretches of the block in order; what lies between them is plain.
    spans: Vec<(Range<usize>, Scope)>,
}

/// Finds the colours of a block. Takes up to tens of milliseconds for a screenful: call it off the drawing thread.
/// `None` where the language is not known or the block is too large; it is then shown plain.
pub fn highlight(language: Option<&str>, text: &str) -> Option<Highlighted> {
    let grammar = grammar(language?, text.len())?;
    let mut state = ParseState::new(grammar);
    let mut stack = ScopeStack::new();
    let mut spans: Vec<(Range<usize>, Scope)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.len() > MAX_LINE {
            start = end;
            continue;
        }
        let ended;
        let fed = if line.ends_with('\n') {
            line
        } else {
            ended = format!("{line}\n");
            &ended
        };
        // A grammar that gives up leaves the rest plain.
        let Ok(changes) = state.parse_line(fed, &GRAMMARS) else { break };
        let mut at = start;
        for (offset, change) in changes {
            let next = (start + offset).min(end);
            push(&mut spans, at..next, look(&stack));
            at = next;
            if stack.apply(&change).is_err() {
                return Some(Highlighted { spans });
            }
        }
        push(&mut spans, at..end, look(&stack));
        start = end;
    }
    Some(Highlighted { spans })
}

fn grammar(language: &str, size: usize) -> Option<&'static SyntaxReference> {
    (size <= MAX_COLOURED).then(|| GRAMMARS.find_syntax_by_token(language))?.filter(|found| found.name != "Plain Text")
}

fn push(spans: &mut Vec<(Range<usize>, Scope)>, range: Range<usize>, scope: Option<Scope>) {
    let Some(scope) = scope.filter(|_| !range.is_empty()) else { return };
    match spans.last_mut() {
        Some((last, same)) if last.end == range.start && *same == scope => last.end = range.end,
        _ => spans.push((range, scope)),
    }
}

fn look(stack: &ScopeStack) -> Option<Scope> {
    let named = |scope: &Named| LOOKS.iter().find(|(name, _)| name.is_prefix_of(*scope)).map(|(_, look)| *look);
    stack.as_slice().iter().rev().find_map(named)
}

/// Colours that have been found, by block. Drawing only looks things up here; what is missing is shown plain until
/// someone has called [`highlight`] for it and put the result in.
#[derive(Clone, Debug, Default)]
pub struct CodeColours {
    known: HashMap<CodeKey, Option<Arc<Highlighted>>>,
}

impl CodeColours {
    /// Whether it is worth finding the colours of a block: they are not known, and there may be some.
    pub fn wants(&self, block: &CodeBlock) -> bool {
        block.language.is_some()
            && block.text.len() <= MAX_COLOURED
            && !self.known.contains_key(&CodeKey::of(block.language.as_deref(), &block.text))
    }

    /// Notes that another thread is finding the colours of a block. Until they come, the block is plain.
    pub(crate) fn await_for(&mut self, block: &CodeBlock) {
        self.put(block.language.as_deref(), &block.text, None);
    }

    /// Keeps what was found for a block, be it that there are no colours.
    pub fn put(&mut self, language: Option<&str>, text: &str, found: Option<Highlighted>) {
        self.known.insert(CodeKey::of(language, text), found.map(Arc::new));
    }

    /// Finds the colours of all blocks that want them, here and now: for pictures of frames and for tests.
    pub fn colour_all(&mut self, blocks: &[CodeBlock]) {
        for block in blocks {
            if self.wants(block) {
                let found = highlight(block.language.as_deref(), &block.text);
                self.put(block.language.as_deref(), &block.text, found);
            }
        }
    }

    fn get(&self, language: Option<&str>, text: &str) -> Option<Arc<Highlighted>> {
        if self.known.is_empty() || language.is_none() {
            return None;
        }
        self.known.get(&CodeKey::of(language, text)).cloned().flatten()
    }
}

/// The rows of one line of a block that stands in no other block, plain: for code that is still being written.
pub(super) fn plain_line(line: &str, source: usize, index: usize, setting: &Setting<'_>) -> Vec<Row> {
    let mut code = CodeText::new(None);
    code.push(line, source);
    code.lay_out(&Indent::default(), 0..0, index, setting).0
}

/// A block as it is being read.
pub(super) struct CodeText {
    language: Option<String>,
    text: String,
    /// Where each piece of the text stands in the source: offset here, offset there.
    pieces: Vec<(usize, usize)>,
}

impl CodeText {
    pub fn new(language: Option<String>) -> Self {
        Self { language, text: String::new(), pieces: Vec::new() }
    }

    pub fn push(&mut self, text: &str, source: usize) {
        self.pieces.push((self.text.len(), source));
        self.text.push_str(text);
    }

    fn source(&self, range: &Range<usize>) -> Range<usize> {
        let at = self.pieces.partition_point(|(here, _)| *here <= range.start).saturating_sub(1);
        let Some((here, there)) = self.pieces.get(at) else { return 0..0 };
        let start = there + (range.start - here);
        start..start + range.len()
    }

    pub fn lay_out(
        mut self,
        indent: &Indent,
        source: Range<usize>,
        index: usize,
        setting: &Setting<'_>,
    ) -> (Vec<Row>, CodeBlock) {
        if self.text.ends_with('\n') {
            self.text.pop();
        }
        let colours = setting.colours.get(self.language.as_deref(), &self.text);
        let width = usize::from(setting.width);
        let ground = setting.look.style(Scope::Code);
        let from = wrap::columns(&indent.rest).min(width / 2) as u16;
        let margin = Segment::added(" ", ground);
        let mut inner = indent.clone();
        inner.first.push(margin.clone());
        inner.rest.push(margin);
        let mut rows = Vec::new();
        if let Some(language) = &self.language {
            let style = ground.patch(setting.look.style(Scope::CodeLabel));
            let label = Segment::added(text::sanitise_line(language), style);
            rows.extend(wrap::wrap(&[label], width, &inner, Break::Anywhere).into_iter().take(1));
            inner.first.clone_from(&inner.rest);
        }
        let mut start = 0;
        for line in self.text.split('\n') {
            let range = start..start + line.len();
            start = range.end + 1;
            let segments = self.segments(&range, colours.as_deref(), ground, setting);
            rows.extend(wrap::wrap(&segments, width, &inner, Break::Anywhere));
            inner.first.clone_from(&inner.rest);
        }
        for row in &mut rows {
            row.ground = Some((from, ground));
            row.code_block = Some(index);
        }
        let coloured = colours.is_some();
        (rows, CodeBlock { language: self.language, text: self.text.into(), source, coloured })
    }

    /// A line of the block as segments.
    fn segments(
        &self,
        line: &Range<usize>,
        colours: Option<&Highlighted>,
        ground: Style,
        setting: &Setting<'_>,
    ) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut at = line.start;
        let spans = colours.map_or(&[][..], |colours| &colours.spans);
        let first = spans.partition_point(|(span, _)| span.end <= line.start);
        for (span, scope) in spans[first..].iter().take_while(|(span, _)| span.start < line.end) {
            let lit = span.start.max(at)..span.end.min(line.end);
            self.push_safe(&mut segments, at..lit.start, ground);
            self.push_safe(&mut segments, lit.clone(), ground.patch(setting.look.style(*scope)));
            at = lit.end;
        }
        self.push_safe(&mut segments, at..line.end, ground);
        segments
    }

    fn push_safe(&self, segments: &mut Vec<Segment>, range: Range<usize>, style: Style) {
        let Some(text) = self.text.get(range.clone()).filter(|text| !text.is_empty()) else { return };
        for piece in text::pieces(text) {
            let part = range.start + piece.source.start..range.start + piece.source.end;
            segments.push(Segment { text: piece.text.into_owned(), style, source: self.source(&part) });
        }
    }
}
