//! Parses server-sent events from chunks of any size.
//!
//! Own code because the published parsers lose a delta when CRLF is split, panic on a byte order mark, or let a server
//! fill the memory with one endless line.

use memchr::memchr2;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The event's name; empty when the server gave none.
    pub name: String,
    /// The lines of data, joined by newlines.
    pub data: String,
}

/// An event grew beyond the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {limit} bytes")]
pub struct EventTooLarge {
    /// The cap.
    pub limit: usize,
}

/// Collects bytes and yields the events they complete.
#[derive(Debug)]
pub struct SseParser {
    limit: usize,
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The last chunk ended in CR: a LF at the start of the next one belongs to it.
    after_cr: bool,
    /// No line has been completed yet, so a byte order mark may still come.
    at_start: bool,
}

impl SseParser {
    /// Builds a parser that refuses events larger than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            at_start: true,
        }
    }

    /// Takes a chunk and hands every event it completes to `sink`.
    pub fn push(&mut self, chunk: &[u8], sink: &mut dyn FnMut(SseEvent)) -> Result<(), EventTooLarge> {
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr2(b'\r', b'\n', rest) {
            self.extend_line(&rest[..end])?;
            self.end_line(sink);
            let carriage_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if carriage_return {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.extend_line(rest)
    }

    /// Yields the event that a server left without its blank line when it closed the connection.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let mut last = None;
        if !self.line.is_empty() {
            self.end_line(&mut |event| last = Some(event));
        }
        self.dispatch(&mut |event| last = Some(event));
        last
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + self.data.len() + bytes.len() > self.limit {
            return Err(EventTooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, sink: &mut dyn FnMut(SseEvent)) {
        let line = std::mem::take(&mut self.line);
        let mut content = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            content = content.strip_prefix(BOM).unwrap_or(content);
        }
        if content.is_empty() {
            self.dispatch(sink);
        } else {
            self.field(content);
        }
        self.line = line;
        self.line.clear();
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => self.name = value.to_vec(),
            // Comments (an empty name), `id`, `retry` and what the standard does not know are skipped.
            _ => {}
        }
    }

    fn dispatch(&mut self, sink: &mut dyn FnMut(SseEvent)) {
        let name = std::mem::take(&mut self.name);
        if std::mem::take(&mut self.has_data) {
            sink(SseEvent {
                name: String::from_utf8_lossy(&name).into_owned(),
                data: String::from_utf8_lossy(&self.data).into_owned(),
            });
            self.data.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    fn parse(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut parser = SseParser::new(1 << 16);
        let mut events = Vec::new();
        for chunk in chunks {
            parser.push(chunk, &mut |event| events.push(event)).expect("small enough");
        }
        events.extend(parser.finish());
        events
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.to_owned(), data: data.to_owned() }
    }

    const STREAM: &[u8] =
        "\u{feff}: hello\r\nevent: message_start\r\ndata: {\"a\":\"ü\"}\r\n\r\nid: 7\nretry: 10\ndata:one\n\
        data: two\n\ndata\rdata\r\rdata: last 🌞"
            .as_bytes();

    fn expected() -> Vec<SseEvent> {
        vec![event("message_start", "{\"a\":\"ü\"}"), event("", "one\ntwo"), event("", "\n"), event("", "last 🌞")]
    }

    #[test]
    fn the_whole_grammar_is_understood() {
        assert_eq!(parse(&[STREAM]), expected());
    }

    #[test]
    fn a_stream_split_at_any_byte_means_the_same() {
        for first in 0..=STREAM.len() {
            for second in first..=STREAM.len() {
                let chunks = [&STREAM[..first], &STREAM[first..second], &STREAM[second..]];
                assert_eq!(parse(&chunks), expected(), "split at {first} and {second}");
            }
        }
    }

    #[test]
    fn single_bytes_mean_the_same() {
        let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
        assert_eq!(parse(&bytes), expected());
    }

    #[test]
    fn an_endless_line_is_refused_however_it_arrives() {
        let mut parser = SseParser::new(100);
        let outcome = (0..200).try_for_each(|_| parser.push(b"x", &mut |_| {}));
        assert_eq!(outcome, Err(EventTooLarge { limit: 100 }));
        let mut parser = SseParser::new(100);
        let outcome = (0..200).try_for_each(|_| parser.push(b"data: x\n", &mut |_| {}));
        assert_eq!(outcome, Err(EventTooLarge { limit: 100 }));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic_and_do_not_depend_on_the_split(
            bytes in proptest::collection::vec(
                prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r'), Just(b':'), Just(b' '), Just(b'd')], 0..400),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.sort_unstable();
            let mut chunks = Vec::new();
            let mut start = 0;
            for place in places {
                chunks.push(&bytes[start..place]);
                start = place;
            }
            chunks.push(&bytes[start..]);
            prop_assert_eq!(parse(&chunks), parse(&[&bytes]));
        }
    }
}
