//! Layouts that are kept: made once, and given up when there are many and they are out of sight.

use elenchus::ui::layout_cache::{LayoutCache, LayoutKey};
use elenchus::ui::markdown::Document;
use elenchus::ui::row::Row;

/// A message of so many rows.
fn document(rows: usize) -> Document {
    Document { rows: vec![Row::default(); rows], ..Document::default() }
}

fn key(message: u64) -> LayoutKey {
    LayoutKey { message, revision: 0, width: 80, theme: 1 }
}

#[test]
fn a_message_is_laid_out_once_for_each_width_and_theme() {
    let mut cache = LayoutCache::default();
    cache.get_or_lay_out(key(1), || document(3));
    cache.get_or_lay_out(key(1), || panic!("it is known"));
    cache.get_or_lay_out(LayoutKey { width: 40, ..key(1) }, || document(6));
    cache.get_or_lay_out(LayoutKey { theme: 2, ..key(1) }, || document(3));
    assert_eq!(cache.len(), 3);
}

#[test]
fn layouts_out_of_sight_are_given_up_when_there_are_many() {
    let mut cache = LayoutCache::default();
    for message in 0..2_000 {
        let since = cache.uses();
        cache.get_or_lay_out(key(message), || document(100));
        cache.shrink(since);
        assert!(cache.get(&key(message)).is_some(), "what is in view stays");
    }
    assert!(cache.len() <= 200, "{}", cache.len());
}
