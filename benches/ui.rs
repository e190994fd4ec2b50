//! What drawing costs: a long message, a frame of a short and of a long conversation, a piece of a streamed answer.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus::ui::layout_cache::{Anchor, MessageList};
use elenchus::ui::markdown::{CodeColours, Document, Setting, StreamingDocument};
use elenchus::ui::paint::{Look, clear};
use elenchus::ui::theme::{Scope, Theme};
use elenchus::ui::widgets::ScrollBar;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

const SAMPLE: &str = include_str!("../tests/fixtures/ui/sample.md");

fn long_text(bytes: usize) -> String {
    SAMPLE.repeat(bytes.div_ceil(SAMPLE.len()))
}

fn setting<'a>(theme: &'a Theme, colours: &'a CodeColours) -> Setting<'a> {
    Setting { width: 80, look: Look::new(theme), text: Scope::ChatAssistant, keep_breaks: false, colours }
}

fn markdown(c: &mut Criterion) {
    let (theme, colours) = (Theme::default(), CodeColours::default());
    let setting = setting(&theme, &colours);
    let text = long_text(20_000);
    c.bench_function("markdown layout, 20 KB", |b| b.iter(|| Document::lay_out(black_box(&text), &setting)));
}

fn frames(c: &mut Criterion) {
    let (theme, colours) = (Theme::default(), CodeColours::default());
    let setting = setting(&theme, &colours);
    let area = Rect::new(0, 0, 120, 40);
    for count in [10u64, 10_000] {
        let mut list = MessageList::new(setting.width, theme.fingerprint());
        for id in 0..count {
            list.push(id, SAMPLE.len());
        }
        let lay_out = &mut |_: usize| Document::lay_out(SAMPLE, &setting);
        let mut buf = Buffer::empty(area);
        c.bench_function(&format!("frame 120x40 of {count} messages"), |b| {
            b.iter(|| {
                clear(&mut buf, area, theme.base());
                let view = list.prepare(Anchor::Bottom, 40, lay_out);
                for (y, place) in (0u16..).zip(&view.places) {
                    if let Some(row) = list.row(*place) {
                        row.draw(&mut buf, 2, y, setting.width);
                    }
                }
                let bar = ScrollBar { above: view.above, total: view.total, look: setting.look };
                bar.render(Rect { x: 119, width: 1, ..area }, &mut buf);
            });
        });
        c.bench_function(&format!("page up from the end of {count} messages"), |b| {
            // Always from the end: a list that has been scrolled to its top has nothing left to do.
            b.iter(|| {
                let anchor = list.scroll(Anchor::Bottom, -40, 40, lay_out);
                list.prepare(anchor, 40, lay_out)
            });
        });
    }
}

fn streaming(c: &mut Criterion) {
    let (theme, colours) = (Theme::default(), CodeColours::default());
    let setting = setting(&theme, &colours);
    for (name, bytes) in [("10 KB", 10_000), ("200 KB", 200_000)] {
        let mut stream = StreamingDocument::default();
        stream.append(&long_text(bytes));
        stream.append("\n\nAnd one more paragraph that is still being ");
        stream.update(&setting);
        c.bench_function(&format!("streamed delta after {name}"), |b| {
            b.iter(|| {
                // A new paragraph now and then, as answers have them.
                stream.append(if stream.source().len().is_multiple_of(400) { ".\n\n" } else { "w" });
                stream.update(&setting);
            });
        });
    }
    let code = format!("```rust\n{}", "    let value = compute(first, second); // why\n".repeat(400));
    let mut stream = StreamingDocument::default();
    stream.append(&code);
    stream.update(&setting);
    c.bench_function("streamed delta in an open code block of 19 KB", |b| {
        b.iter(|| {
            // Lines of a usual length, or the last one would grow for as long as this is measured.
            stream.append(if stream.source().len().is_multiple_of(60) { "\n" } else { "w" });
            stream.update(&setting);
        });
    });
}

criterion_group!(benches, markdown, frames, streaming);
criterion_main!(benches);
