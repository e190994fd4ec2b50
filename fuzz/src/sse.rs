//! Server-sent events: however the bytes are cut, the events are the same.

use elenchus::llm::sse::{EventTooLarge, SseEvent, SseParser};

const LIMIT: usize = 4_096;

fn events<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Result<Vec<SseEvent>, EventTooLarge> {
    let mut parser = SseParser::new(LIMIT);
    let mut events = Vec::new();
    for chunk in chunks {
        parser.push(chunk, &mut |event| events.push(event))?;
    }
    events.extend(parser.finish());
    Ok(events)
}

pub fn try_input(bytes: &[u8]) {
    let Some((step, stream)) = bytes.split_first() else { return };
    let whole = events([stream]);
    let cut = events(stream.chunks(usize::from(*step).max(1)));
    let single = events(stream.chunks(1));
    assert_eq!(whole, cut);
    assert_eq!(whole, single);
    for event in whole.unwrap_or_default() {
        assert!(event.data.len() <= 3 * LIMIT, "what is not text takes three bytes for one");
    }
}
