//! The first screen: engines with what they leave you with, and recent sessions.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::chat::{tail_fitting, tail_in};
use super::paint::{Look, fit, put, put_fitted, put_right, text_width};
use super::status::elapsed;
use super::theme::Scope;
use super::wrap::wrap_text;
use crate::app::hints;
use crate::app::layout::{self, Lines};
use crate::app::line::Line;
use crate::app::model::Model;
use crate::app::picker::{List, Picker};
use crate::host::filing::hashed;
use crate::host::protocol::{SessionChoice, Shelf};

pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let (head, [engines, sessions]) = layout::picker(area, &model.picker);
    let (picker, says) = (&model.picker, &look.words.picker);
    let writes = !picker.words.text().is_empty();
    if writes && head.height > 0 {
        words(&picker.words, look, head, buf);
    } else if head.height > 0 {
        put_fitted(buf, (head.x, head.y), head.width, &greeting(model), look.style(Scope::Muted), look.glyphs);
    }
    if let Some(text) = hints::shown(model).and_then(|hint| hint.text(model)).filter(|_| !writes && head.height > 1) {
        let text = text.replace('·', look.glyphs.separator);
        put_fitted(buf, (head.x, head.y + 1), head.width, &text, look.style(Scope::Accent), look.glyphs);
    }
    let lines: Vec<ListedLine> = picker
        .engines
        .iter()
        .map(|engine| ListedLine {
            name: engine.name.clone(),
            details: vec![Detail::of(engine.outcome.clone(), 0)],
            note: says.minutes(engine.minutes),
            short: String::new(),
        })
        .collect();
    let chosen = (picker.list == List::Engines).then_some(picker.engine);
    let nothing = if picker.loaded { says.no_engine() } else { says.looking() };
    let title = if writes { says.start_with_that() } else { says.start() };
    let engine = Listed { title, lines, chosen, nothing };
    list(&engine, look, engines, buf);
    outcome(&engine, look, engines.1, buf);
    let lines: Vec<ListedLine> = picker
        .sessions
        .iter()
        .map(|session| ListedLine {
            name: session.title.clone(),
            details: told_of(session, look),
            note: noted(session, look),
            short: in_short(session, look),
        })
        .collect();
    let chosen = (picker.list == List::Sessions).then_some(picker.session);
    let nothing = match picker.listing.shelf {
        _ if !picker.loaded => says.looking(),
        _ if picker.listing.tag.is_some() || picker.listing.project.is_some() => says.none_of_them(),
        Shelf::Archive => says.nothing_archived(),
        Shelf::Trash => says.nothing_trashed(),
        Shelf::Current | Shelf::Kept => says.none_yet(),
    };
    let title = heading(picker, look);
    list(&Listed { title: &title, lines, chosen, nothing }, look, sessions, buf);
    let elsewhere = elsewhere(picker, look);
    if picker.list == List::Sessions && text_width(&title) + text_width(&elsewhere) < usize::from(sessions.0.width) {
        put_right(buf, sessions.0, &elsewhere, look.style(Scope::Muted));
    }
}

/// All of what the engine under the cursor leaves one with, below the list, where its line has no room for it.
fn outcome(listed: &Listed<'_>, look: Look<'_>, Lines { area, .. }: Lines, buf: &mut Buffer) {
    let Some(line) = listed.chosen.and_then(|at| listed.lines.get(at)) else { return };
    let count = listed.lines.len() as u16;
    let below = Rect { x: area.x + 4, width: area.width.saturating_sub(4), y: area.y + count, ..area };
    let rows = area.height.saturating_sub(count);
    let detail = told(&line.details, usize::MAX, look);
    if rows == 0 || text_width(&detail) <= usize::from(room_for_detail(listed, line, area.width)) {
        return;
    }
    let wrapped = wrap_text(&detail, usize::from(below.width.max(1)));
    for (at, text) in wrapped.iter().take(usize::from(rows)).enumerate() {
        // The last row shows that something is missing where something is.
        let rest = if at + 1 == usize::from(rows) { wrapped[at..].join(" ") } else { text.clone() };
        put_fitted(buf, (below.x, below.y + at as u16), below.width, &rest, look.style(Scope::Muted), look.glyphs);
    }
}

/// Columns that a line of a list has for its detail; none where the list is narrow.
fn room_for_detail(listed: &Listed<'_>, line: &ListedLine, width: u16) -> u16 {
    let inner = width.saturating_sub(2);
    if inner < ROOM_FOR_DETAIL {
        return 0;
    }
    inner.saturating_sub(listed.names(width) + 4 + text_width(&line.note) as u16)
}

/// Which sessions are listed.
fn heading(picker: &Picker, look: Look<'_>) -> String {
    let says = &look.words.picker;
    let shelf = match picker.listing.shelf {
        Shelf::Current | Shelf::Kept => says.go_on_with(),
        Shelf::Archive => says.archive(),
        Shelf::Trash => says.trash(),
    };
    let tag = picker.listing.tag.as_ref().map(|tag| format!("#{tag}"));
    let parts = [Some(shelf.to_owned()), tag, picker.listing.project.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(&format!(" {} ", look.glyphs.separator))
}

/// Where the arrows lead from there; nothing where there is nothing.
fn elsewhere(picker: &Picker, look: Look<'_>) -> String {
    let says = &look.words.picker;
    let [_, _, left, right] = look.glyphs.arrows;
    let (archived, trashed) = (picker.shelves.archived, picker.shelves.trashed);
    match picker.listing.shelf {
        _ if !picker.loaded => String::new(),
        Shelf::Archive => says.to_sessions_and_trash(left, right, trashed),
        Shelf::Trash => says.to_archive(left, archived),
        Shelf::Current | Shelf::Kept if archived + trashed > 0 => says.to_archive_and_trash(right, archived, trashed),
        Shelf::Current | Shelf::Kept => String::new(),
    }
}

/// When a session was last used, or how long the trash keeps it.
fn noted(session: &SessionChoice, look: Look<'_>) -> String {
    session.days_left.map_or_else(|| session.when.clone(), |days| look.words.picker.days_left(days))
}

/// The least that tells a session apart, for a narrow window.
fn in_short(session: &SessionChoice, look: Look<'_>) -> String {
    let copy = session.copy.as_ref().map(|copy| look.words.picker.copy_short(copy.turn));
    copy.unwrap_or_else(|| session.days_left.map_or_else(String::new, |_| noted(session, look)))
}

/// What tells a session from others, in the order in which it is read: what it was copied from comes first.
fn told_of(session: &SessionChoice, look: Look<'_>) -> Vec<Detail> {
    let says = &look.words.picker;
    let copy = session.copy.as_ref().map(|copy| Detail {
        text: match &copy.of {
            Some(of) => says.copy_of(copy.turn, of),
            None => says.copy_of_none(copy.turn),
        },
        short: says.copy_short(copy.turn),
        need: 0,
    });
    let tags = Some(hashed(&session.tags)).filter(|tags| !tags.is_empty()).map(|tags| Detail::of(tags, 4));
    // A session without a title of its own is called like its engine.
    let engine = (session.title != session.engine).then(|| Detail::of(session.engine.clone(), 3));
    let project = session.project.clone().map(|project| Detail::of(project, 5));
    let known = Detail::of(format!("{} %", session.completeness), 2);
    let turns = Detail::of(says.turns(session.turns), 1);
    [copy, tags, engine, project, Some(known), Some(turns)].into_iter().flatten().collect()
}

/// A part of what is said of a line.
struct Detail {
    text: String,
    /// What stands in its place where there is no room for it.
    short: String,
    /// How soon it goes where there is no room for all: the highest first.
    need: u8,
}

impl Detail {
    fn of(text: String, need: u8) -> Self {
        Self { short: text.clone(), text, need }
    }
}

/// What is said of a line, as much of it as there is room for: parts are left out whole, the last of them is cut.
fn told(details: &[Detail], room: usize, look: Look<'_>) -> String {
    let between = format!(" {} ", look.glyphs.separator);
    let joined = |most: u8, short: bool| {
        let kept = details.iter().filter(|detail| detail.need <= most);
        let texts = kept.map(|detail| if short { detail.short.as_str() } else { detail.text.as_str() });
        texts.collect::<Vec<_>>().join(&between)
    };
    let mut needs: Vec<u8> = details.iter().map(|detail| detail.need).collect();
    needs.sort_unstable();
    let ways = needs.iter().rev().flat_map(|most| [(*most, false), (*most, true)]);
    let fits = ways.map(|(most, short)| joined(most, short)).find(|text| text_width(text) <= room);
    fits.unwrap_or_else(|| joined(needs.first().copied().unwrap_or_default(), true))
}

/// The names of some lines in so many columns. Those that would look alike are cut in their middle.
fn names_in(lines: &[ListedLine], width: u16, look: Look<'_>) -> Vec<String> {
    let width = usize::from(width);
    let cut: Vec<String> = lines.iter().map(|line| fit(&line.name, width, look.glyphs)).collect();
    let alike = |at: usize| {
        (0..cut.len()).any(|other| other != at && cut[other] == cut[at] && lines[other].name != lines[at].name)
    };
    let middle = |name: &str| {
        let half = width.saturating_sub(text_width(look.glyphs.ellipsis)) / 2;
        let begins: String = name.chars().take(half).collect();
        format!("{}{}{}", begins.trim_end(), look.glyphs.ellipsis, tail_fitting(name, half).trim_start())
    };
    (0..cut.len()).map(|at| if alike(at) { middle(&lines[at].name) } else { cut[at].clone() }).collect()
}

/// What is being typed, with the cursor in it; of a long text the end before the cursor.
fn words(typed: &Line, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let (before, after) = typed.halves();
    let sign = format!("{} ", look.glyphs.arrows[3]);
    let room = usize::from(area.width).saturating_sub(text_width(&sign) + 2);
    let shown = tail_in(before, room, look);
    let x = put(buf, area.x, area.y, area.width, &sign, look.style(Scope::Accent));
    let x = put(buf, x, area.y, area.right().saturating_sub(x), &shown, look.style(Scope::Strong));
    look.put_caret(Position { x, y: area.y });
    put_fitted(buf, (x, area.y), area.right().saturating_sub(x), after, look.style(Scope::Strong), look.glyphs);
}

/// What goes on, or what answers.
fn greeting(model: &Model) -> String {
    let says = &model.words.picker;
    if let Some((what, since)) = &model.opening {
        return says.opening(what, elapsed(model.now.saturating_sub(*since), &model.words.status));
    }
    if model.endpoint.offline {
        return says.offline().to_owned();
    }
    says.answers(&model.endpoint.label)
}

/// A line of one of the lists.
struct ListedLine {
    name: String,
    details: Vec<Detail>,
    note: String,
    /// What stands in the place of both where there is no room for them.
    short: String,
}

/// One of the two lists.
struct Listed<'a> {
    title: &'a str,
    lines: Vec<ListedLine>,
    chosen: Option<usize>,
    /// What stands there where there are no lines.
    nothing: &'a str,
}

impl Listed<'_> {
    /// Columns that names take: as many as the longest needs, within limits.
    fn names(&self, width: u16) -> u16 {
        let longest = self.lines.iter().map(|line| text_width(&line.name)).max().unwrap_or(0);
        longest.min(usize::from(longest_name(width))) as u16
    }
}

/// From this width on a line has room for what is said of it.
const ROOM_FOR_DETAIL: u16 = 50;

/// From this width on a narrow line has room for what tells a session apart.
const ROOM_FOR_SHORT: u16 = 30;

/// The most that names take of a line: the rest is for what is said of them.
fn longest_name(width: u16) -> u16 {
    (width * 2 / 5).max(28)
}

fn list(listed: &Listed<'_>, look: Look<'_>, (heading, Lines { area, top }): (Rect, Lines), buf: &mut Buffer) {
    let Listed { title, lines, chosen, nothing } = listed;
    let names = listed.names(area.width);
    if heading.is_empty() {
        return;
    }
    let scope = if chosen.is_some() { Scope::Accent } else { Scope::Muted };
    put_fitted(buf, (heading.x, heading.y), heading.width, title, look.style(scope), look.glyphs);
    let rows = usize::from(area.height);
    if lines.is_empty() {
        put_fitted(
            buf,
            (area.x + 2, area.y),
            area.width.saturating_sub(2),
            nothing,
            look.style(Scope::Muted),
            look.glyphs,
        );
    }
    let short_names = names_in(lines, names, look);
    for (y, (at, ListedLine { name, details, note, short })) in
        lines.iter().enumerate().skip(top).take(rows).enumerate()
    {
        let line = Rect { x: area.x + 2, y: area.y + y as u16, width: area.width.saturating_sub(2), height: 1 };
        let selected = *chosen == Some(at);
        if selected {
            buf.set_style(Rect { x: area.x, width: area.width, ..line }, look.style(Scope::ListSelected));
            put(buf, area.x, line.y, 1, look.glyphs.selected, look.style(Scope::Accent));
        }
        let style = look.style(if selected { Scope::ListSelected } else { Scope::List });
        let wide = line.width >= ROOM_FOR_DETAIL;
        let short = if line.width >= ROOM_FOR_SHORT { short.as_str() } else { "" };
        // On what is selected everything has the colour that can be read there.
        let less = look.style(if selected { Scope::ListSelected } else { Scope::ListDetail });
        // What tells a session apart comes before when it was used.
        let room = line.right().saturating_sub(line.x + names + 4 + text_width(note) as u16);
        let told_apart = wide && !short.is_empty() && usize::from(room) < text_width(short);
        let end = put_right(buf, line, if wide && !told_apart { note } else { short }, less);
        let gap = u16::from(!wide && !short.is_empty());
        let name_width = if wide { names } else { end.saturating_sub(line.x + gap) };
        let name = if wide { short_names.get(at).unwrap_or(name) } else { name };
        put_fitted(buf, (line.x, line.y), name_width, name, style, look.glyphs);
        if wide {
            let x = line.x + names + 2;
            let room = end.saturating_sub(x + 2);
            if !told_apart {
                put_fitted(buf, (x, line.y), room, &told(details, usize::from(room), look), less, look.glyphs);
            }
        }
    }
}
