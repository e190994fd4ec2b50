//! Lists of messages: only what is visible is laid out, and what is on the screen stays there.

use elenchus::ui::layout_cache::{Anchor, MessageList, Place};
use elenchus::ui::markdown::Document;
use elenchus::ui::row::{Row, Segment};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui::style::Style;

/// A message of so many rows, each of ten bytes.
fn document(rows: usize) -> Document {
    let rows = (0..rows).map(|at| Row {
        segments: vec![Segment { text: format!("row {at:>6}"), style: Style::new(), source: at * 10..at * 10 + 10 }],
        ..Row::default()
    });
    Document { rows: rows.collect(), ..Document::default() }
}

fn list(heights: &[usize]) -> MessageList {
    let mut list = MessageList::new(80, 1);
    for (id, rows) in (0u64..).zip(heights) {
        list.push(id, rows * 10);
    }
    list
}

fn place(message: usize, row: usize) -> Place {
    Place { message, row }
}

#[test]
fn ten_thousand_messages_are_not_laid_out_to_show_forty_rows() {
    let mut list = list(&vec![5; 10_000]);
    let mut laid_out = 0;
    let view = list.prepare(Anchor::Bottom, 40, &mut |_| {
        laid_out += 1;
        document(5)
    });
    assert_eq!(laid_out, 8);
    assert_eq!(view.places.first(), Some(&place(9_992, 0)));
    assert_eq!(view.places.last(), Some(&place(9_999, 4)));
    list.prepare(Anchor::Bottom, 40, &mut |_| panic!("all of it is known"));
}

#[test]
fn the_end_is_followed_and_a_place_is_kept_when_messages_arrive() {
    let mut list = list(&[3; 10]);
    let lay = &mut |_: usize| document(3);
    let place_kept = list.scroll(Anchor::Bottom, -4, 5, lay);
    let before = list.prepare(place_kept, 5, lay).places;
    list.push(99, 30);
    assert_eq!(list.prepare(place_kept, 5, lay).places, before);
    assert_eq!(list.prepare(Anchor::Bottom, 5, lay).places.last(), Some(&place(10, 2)));
}

#[test]
fn a_wrong_guess_above_does_not_move_what_is_visible() {
    // Guesses come from bytes; the real heights are quite different.
    let mut list = list(&[1; 50]);
    let lay = &mut |message: usize| document(1 + message % 9);
    let anchor = Anchor::Top(place(30, 0));
    let before = list.prepare(anchor, 10, lay);
    let up = list.scroll(anchor, -40, 10, lay);
    let down = list.scroll(up, 40, 10, lay);
    assert_eq!(down, anchor);
    let after = list.prepare(down, 10, lay);
    assert_eq!(after.places, before.places);
}

#[test]
fn scrolling_to_the_end_means_staying_there() {
    let mut list = list(&[3; 4]);
    let lay = &mut |_: usize| document(3);
    let up = list.scroll(Anchor::Bottom, -2, 5, lay);
    assert_eq!(up, Anchor::Top(place(1, 2)));
    assert_eq!(list.scroll(up, 1, 5, lay), Anchor::Top(place(2, 0)));
    assert_eq!(list.scroll(up, 2, 5, lay), Anchor::Bottom);
    assert_eq!(list.scroll(up, -100, 5, lay), Anchor::Top(place(0, 0)));
}

#[test]
fn the_answer_being_written_follows_the_messages() {
    let mut list = list(&[3, 3]);
    list.set_tail(2);
    let view = list.prepare(Anchor::Bottom, 4, &mut |_| document(3));
    assert_eq!(view.places, [place(1, 1), place(1, 2), place(2, 0), place(2, 1)]);
    assert_eq!(view.total, view.above + 4);
}

#[test]
fn quoted_words_are_jumped_to() {
    let mut list = list(&[40; 20]);
    let lay = &mut |_: usize| document(40);
    let anchor = list.jump(7, &(205..208), 12, lay);
    assert_eq!(anchor, Anchor::Top(place(7, 16)));
    assert!(list.prepare(anchor, 12, lay).places.contains(&place(7, 20)));
}

#[test]
fn another_width_shows_the_same_words_at_the_top() {
    let mut list = list(&[40; 20]);
    let anchor = Anchor::Top(place(7, 20));
    list.prepare(anchor, 10, &mut |_| document(40));
    // At half the width every row becomes two, each with half of the bytes.
    let halves = &mut |_: usize| {
        let mut document = document(80);
        for (at, row) in document.rows.iter_mut().enumerate() {
            row.segments[0].source = at * 5..at * 5 + 5;
        }
        document
    };
    assert_eq!(list.refit(40, 1, anchor, halves), Anchor::Top(place(7, 40)));
    assert_eq!(list.refit(40, 1, Anchor::Bottom, halves), Anchor::Bottom);
}

#[test]
fn a_changed_message_is_laid_out_again_and_a_dropped_one_is_gone() {
    let mut list = list(&[2, 2]);
    list.prepare(Anchor::Bottom, 9, &mut |_| document(2));
    list.changed(1, 30);
    let view = list.prepare(Anchor::Bottom, 9, &mut |message| {
        assert_eq!(message, 1);
        document(3)
    });
    assert_eq!((view.places.len(), view.total), (5, 5));
    list.truncate(1);
    assert_eq!(list.prepare(Anchor::Bottom, 9, &mut |_| document(0)).places.len(), 2);
}

#[test]
fn layouts_out_of_sight_are_given_up_when_there_are_many() {
    let mut list = list(&[100; 2_000]);
    let lay = &mut |_: usize| document(100);
    let mut anchor = Anchor::Bottom;
    for _ in 0..600 {
        anchor = list.scroll(anchor, -100, 40, lay);
        list.prepare(anchor, 40, lay);
    }
    assert!(list.laid_out() < 250, "{}", list.laid_out());
}

proptest! {
    #[test]
    fn any_list_in_any_window_shows_neighbouring_rows(
        heights in prop::collection::vec(0usize..6, 0..12),
        tail in 0usize..4,
        height in 0usize..12,
        moves in prop::collection::vec(-20isize..20, 0..8),
    ) {
        let mut list = list(&heights);
        list.set_tail(tail);
        let lay = &mut |message: usize| document(heights[message]);
        let all: Vec<Place> = heights.iter().chain([&tail]).enumerate()
            .flat_map(|(message, rows)| (0..*rows).map(move |row| place(message, row))).collect();
        let mut anchor = Anchor::Bottom;
        for by in moves {
            anchor = list.scroll(anchor, by, height, lay);
            let view = list.prepare(anchor, height, lay);
            prop_assert_eq!(view.places.len(), height.min(all.len()));
            prop_assert!(view.places.is_empty() || all.windows(view.places.len()).any(|rows| rows == view.places));
        }
    }
}
