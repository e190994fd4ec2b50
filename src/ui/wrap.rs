//! Breaks styled text into rows of a width. Graphemes are never split and no row is wider than asked for.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::paint::{grapheme_width, text_width};
use super::row::{Row, Segment};

/// Where rows may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Between words; a word that is wider than a row is broken. Space at the end of a row is dropped.
    Words,
    /// After any character, nothing dropped: for code.
    Anywhere,
}

/// What stands before the text: once before its first row, and before each of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indent {
    /// Before the first row.
    pub first: Vec<Segment>,
    /// Before all others.
    pub rest: Vec<Segment>,
}

/// What stands for a character that is wider than the whole row.
const TOO_WIDE: &str = "·";

/// Wraps styled text, in which `\n` ends a row, to a width. A width of 0 gives no rows, since nothing could be shown;
/// an empty text gives one empty row. An indent takes at most half of the width, so that text always has a place.
pub fn wrap(segments: &[Segment], width: usize, indent: &Indent, breaks: Break) -> Vec<Row> {
    let mut rows = Vec::new();
    if width == 0 {
        return rows;
    }
    let first = cut(&indent.first, width / 2);
    let rest = cut(&indent.rest, width / 2);
    let available = |row: usize| width - columns(if row == 0 { &first } else { &rest });
    for line in lines(segments) {
        let mut start = 0;
        loop {
            let room = available(rows.len());
            let taken = take(&line[start..], room, breaks);
            let prefix = if rows.is_empty() { &first } else { &rest };
            rows.push(assemble(prefix, segments, &line[start..start + taken.shown], room));
            start += taken.used;
            if start >= line.len() {
                break;
            }
        }
    }
    rows
}

/// Wraps plain text between words.
pub fn wrap_text(text: &str, width: usize) -> Vec<String> {
    let safe = crate::text::sanitise(text);
    let segment = Segment::added(safe, ratatui::style::Style::new());
    wrap(&[segment], width, &Indent::default(), Break::Words).iter().map(Row::text).collect()
}

/// The columns that segments take side by side.
pub fn columns(segments: &[Segment]) -> usize {
    segments.iter().map(|segment| text_width(&segment.text)).sum()
}

/// A grapheme of the text to be wrapped.
struct Atom {
    segment: usize,
    bytes: Range<usize>,
    width: usize,
    class: Class,
}

/// What matters of a grapheme for the question whether a row may end beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    Digit,
    Hyphen,
    Slash,
    /// Scripts without spaces, and emoji: a row may end on either side.
    Wide,
    WideOpening,
    WideClosing,
    /// A place to break that is not seen.
    ZeroWidthSpace,
    Other,
}

fn class(grapheme: &str, width: usize) -> Class {
    let Some(c) = grapheme.chars().next() else { return Class::Other };
    match c {
        '\u{200B}' => Class::ZeroWidthSpace,
        '\u{a0}' | '\u{2007}' | '\u{202f}' => Class::Other,
        '-' | '–' | '—' => Class::Hyphen,
        '/' => Class::Slash,
        '（' | '「' | '『' | '【' | '〈' | '《' | '〔' => Class::WideOpening,
        '、' | '。' | '，' | '．' | '！' | '？' | '：' | '；' | '）' | '」' | '』' | '】' | '〉' | '》' | '〕'
        | 'ー' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | '々' => Class::WideClosing,
        // A space with something joined to it would take that along when it is dropped.
        _ if c.is_whitespace() && grapheme.len() == c.len_utf8() => Class::Space,
        _ if width >= 2 => Class::Wide,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() => Class::Letter,
        _ => Class::Other,
    }
}

/// Cuts the text at its newlines.
fn lines(segments: &[Segment]) -> Vec<Vec<Atom>> {
    let mut lines = vec![Vec::new()];
    for (index, segment) in segments.iter().enumerate() {
        for (start, grapheme) in segment.text.grapheme_indices(true) {
            if grapheme.ends_with('\n') {
                lines.push(Vec::new());
                continue;
            }
            let width = grapheme_width(grapheme);
            let atom =
                Atom { segment: index, bytes: start..start + grapheme.len(), width, class: class(grapheme, width) };
            if let Some(line) = lines.last_mut() {
                line.push(atom);
            }
        }
    }
    lines
}

/// How many graphemes go into a row, and how many are done with after it.
struct Taken {
    shown: usize,
    used: usize,
}

fn take(line: &[Atom], room: usize, breaks: Break) -> Taken {
    let mut used_columns = 0;
    let mut last_break = None;
    for (at, atom) in line.iter().enumerate() {
        let hangs = breaks == Break::Words && atom.class == Class::Space;
        let overflows = used_columns + atom.width.min(room) > room;
        if overflows && !hangs {
            let end = last_break.unwrap_or(at).max(1);
            return trimmed(line, end, breaks);
        }
        used_columns += atom.width.min(room);
        if breaks == Break::Words && may_break(line, at) {
            last_break = Some(at + 1);
        }
    }
    let shown = if breaks == Break::Words && used_columns > room { trim(line) } else { line.len() };
    Taken { shown, used: line.len() }
}

fn trimmed(line: &[Atom], end: usize, breaks: Break) -> Taken {
    if breaks == Break::Anywhere {
        return Taken { shown: end, used: end };
    }
    let spaces = line[end..].iter().take_while(|atom| atom.class == Class::Space).count();
    Taken { shown: trim(&line[..end]), used: end + spaces }
}

fn trim(line: &[Atom]) -> usize {
    line.len() - line.iter().rev().take_while(|atom| atom.class == Class::Space).count()
}

/// Whether a row may end after the grapheme at a place.
fn may_break(line: &[Atom], at: usize) -> bool {
    use Class::{Digit, Hyphen, Letter, Slash, Space, Wide, WideClosing, WideOpening, ZeroWidthSpace};
    let Some(next) = line.get(at + 1).map(|atom| atom.class) else { return false };
    let before = at.checked_sub(1).map(|at| line[at].class);
    match (line[at].class, next) {
        (_, Space) => false,
        // Space at the very start is an indent, not a gap between words.
        (Space, _) => line[..at].iter().any(|atom| atom.class != Space),
        (ZeroWidthSpace, _) => true,
        (WideOpening, _) | (_, WideClosing) => false,
        (Hyphen, Letter) => matches!(before, Some(Letter | Digit)),
        (Slash, Letter | Digit) => matches!(before, Some(Letter | Digit)),
        (Wide | WideClosing, _) | (_, Wide | WideOpening) => true,
        _ => false,
    }
}

fn assemble(prefix: &[Segment], segments: &[Segment], atoms: &[Atom], room: usize) -> Row {
    let mut row = Row { segments: prefix.to_vec(), ..Row::default() };
    let mut run: Option<(usize, Range<usize>)> = None;
    let finish = |run: Option<(usize, Range<usize>)>, row: &mut Row| {
        if let Some((index, bytes)) = run {
            let segment = &segments[index];
            row.segments.push(Segment {
                text: segment.text[bytes.clone()].to_owned(),
                style: segment.style,
                source: segment.source_of(&bytes),
            });
        }
    };
    for atom in atoms {
        if atom.width > room {
            finish(run.take(), &mut row);
            let segment = &segments[atom.segment];
            let source = segment.source_of(&atom.bytes);
            row.segments.push(Segment { text: TOO_WIDE.to_owned(), style: segment.style, source });
            continue;
        }
        match &mut run {
            Some((index, bytes)) if *index == atom.segment && bytes.end == atom.bytes.start => {
                bytes.end = atom.bytes.end;
            }
            _ => {
                finish(run.take(), &mut row);
                run = Some((atom.segment, atom.bytes.clone()));
            }
        }
    }
    finish(run, &mut row);
    row
}

/// The part of segments that fits into a number of columns.
pub fn cut(segments: &[Segment], width: usize) -> Vec<Segment> {
    let mut left = width;
    let mut kept = Vec::new();
    for segment in segments {
        let whole = text_width(&segment.text);
        if whole <= left {
            left -= whole;
            kept.push(segment.clone());
            continue;
        }
        let mut end = 0;
        for (start, grapheme) in segment.text.grapheme_indices(true) {
            let Some(rest) = left.checked_sub(grapheme_width(grapheme)) else { break };
            left = rest;
            end = start + grapheme.len();
        }
        if end > 0 {
            let source = segment.source_of(&(0..end));
            kept.push(Segment { text: segment.text[..end].to_owned(), style: segment.style, source });
        }
        break;
    }
    kept
}
