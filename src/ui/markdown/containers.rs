//! What indents the rows in it: quotes, lists and their items, one within the other.

use ratatui::style::Style;

use crate::ui::row::Segment;
use crate::ui::wrap::{self, Indent};

/// Quotes and lists within each other up to here are shown as such. Every row carries the marks of all of them, so that
/// without an end a text of nothing but `>` would take the square of its length.
const MAX_DEPTH: usize = 32;

/// Something that indents what stands in it.
pub(super) struct Container {
    first: Vec<Segment>,
    rest: Vec<Segment>,
    /// Whether its first row is out.
    used: bool,
    /// Only of lists.
    list: Option<ListState>,
}

#[derive(Clone, Copy)]
struct ListState {
    /// The number of the next item.
    next: Option<u64>,
    /// Whether items stand apart.
    loose: bool,
}

impl Container {
    /// A quote with its mark before every row.
    pub fn quote(mark: Segment) -> Self {
        Self { first: vec![mark.clone()], rest: vec![mark], used: false, list: None }
    }

    /// A list, with the number of its first item if items are numbered.
    pub fn list(next: Option<u64>) -> Self {
        Self { first: Vec::new(), rest: Vec::new(), used: false, list: Some(ListState { next, loose: false }) }
    }

    /// An item with its marker before its first row, and as much room before the others.
    pub fn item(marker: Segment) -> Self {
        let rest = " ".repeat(crate::ui::paint::text_width(&marker.text));
        Self { first: vec![marker], rest: vec![Segment::added(rest, Style::new())], used: false, list: None }
    }
}

/// The containers that are open, the innermost last.
#[derive(Default)]
pub(super) struct Containers {
    shown: Vec<Container>,
    /// How many are open within the innermost one that is shown.
    deeper: usize,
}

impl Containers {
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// Opens a container; one that is too deep has no marks of its own.
    pub fn open(&mut self, container: Container) {
        if self.shown.len() < MAX_DEPTH {
            self.shown.push(container);
        } else {
            self.deeper += 1;
        }
    }

    /// Closes the innermost container.
    pub fn close(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.shown.pop();
        }
    }

    /// The innermost container, if it is shown.
    fn innermost(&mut self) -> Option<&mut Container> {
        self.shown.last_mut().filter(|_| self.deeper == 0)
    }

    /// Whether nothing of the innermost container has come out yet.
    pub fn is_fresh(&mut self) -> bool {
        self.innermost().is_some_and(|innermost| !innermost.used)
    }

    /// Gives an item that has not begun another marker.
    pub fn mark(&mut self, marker: Segment) {
        if let Some(item) = self.innermost().filter(|item| !item.used) {
            *item = Container::item(marker);
        }
    }

    /// The number of the next item of the list that is open; none where items have bullets.
    pub fn next_number(&mut self) -> Option<u64> {
        let list = self.innermost()?.list.as_mut()?;
        let number = list.next?;
        list.next = Some(number.saturating_add(1));
        Some(number)
    }

    /// How many lists are open.
    pub fn lists(&self) -> usize {
        self.shown.iter().filter(|container| container.list.is_some()).count()
    }

    /// Notes that items of the list around stand apart, which shows by their having paragraphs.
    pub fn stand_apart(&mut self) {
        let [.., list, item] = self.shown.as_mut_slice() else { return };
        if let (Some(state), None, 0) = (&mut list.list, item.list, self.deeper) {
            state.loose = true;
        }
    }

    /// Whether blocks here have an empty row between them: everywhere but in lists whose items stand together.
    pub fn are_spaced(&self) -> bool {
        self.shown.iter().rev().find_map(|container| container.list).is_none_or(|list| list.loose)
    }

    /// What stands before an empty row, in so many columns.
    pub fn before_gap(&self, columns: usize) -> Vec<Segment> {
        let marks: Vec<Segment> = self.shown.iter().flat_map(|container| container.rest.clone()).collect();
        let mut segments = wrap::cut(&marks, columns);
        while let Some(last) = segments.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                break;
            }
            segments.pop();
        }
        segments
    }

    /// What stands before the next row, and before the rows after it.
    pub fn indent(&mut self) -> Indent {
        let mut indent = Indent::default();
        for container in &mut self.shown {
            let first = if container.used { &container.rest } else { &container.first };
            indent.first.extend_from_slice(first);
            indent.rest.extend_from_slice(&container.rest);
            container.used = true;
        }
        indent
    }

    /// The columns that the indent takes.
    pub fn columns(&self) -> usize {
        self.shown.iter().map(|container| wrap::columns(&container.rest)).sum()
    }
}
