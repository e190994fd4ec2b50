//! What laying out costs: a long message, code in colours, a piece of a streamed answer.

use std::hint::black_box;

use criterion::Criterion;
use elenchus::ui::markdown::{CodeColours, Document, Setting, StreamingDocument, highlight};
use elenchus::ui::paint::Look;
use elenchus::ui::theme::{Scope, Theme};

const SAMPLE: &str = include_str!("../../tests/fixtures/ui/sample.md");

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

fn colours(c: &mut Criterion) {
    let code: String = "fn add(first: u32, second: u32) -> u32 {\n    first + second // why\n}\n".repeat(10);
    c.bench_function("colours of 30 lines of code, off the drawing thread", |b| {
        b.iter(|| highlight(Some("rust"), black_box(&code)));
    });
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

/// Measures all of it.
pub fn all(c: &mut Criterion) {
    markdown(c);
    colours(c);
    streaming(c);
}
