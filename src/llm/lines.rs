//! Parses streams that have a value in each line, from chunks of any size.

use memchr::memchr;

use super::sse::{EventTooLarge, SseEvent};

/// Collects bytes and yields the lines they complete.
#[derive(Debug)]
pub(super) struct LineParser {
    limit: usize,
    line: Vec<u8>,
}

impl LineParser {
    /// Builds a parser that refuses lines longer than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new() }
    }

    /// Takes a chunk and hands every line it completes to `sink`.
    pub fn push(&mut self, chunk: &[u8], sink: &mut dyn FnMut(SseEvent)) -> Result<(), EventTooLarge> {
        let mut rest = chunk;
        while let Some(end) = memchr(b'\n', rest) {
            self.extend(&rest[..end])?;
            if let Some(event) = self.finish() {
                sink(event);
            }
            rest = &rest[end + 1..];
        }
        self.extend(rest)
    }

    /// What stands in a line without its end.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let data = String::from_utf8_lossy(&line).trim().to_owned();
        (!data.is_empty()).then(|| SseEvent { name: String::new(), data })
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + bytes.len() > self.limit {
            return Err(EventTooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_split_at_any_byte_are_the_same_lines() {
        let stream = "{\"a\":\"ü\"}\r\n\n{\"b\":2}\n{\"c\"".as_bytes();
        for split in 0..=stream.len() {
            let mut parser = LineParser::new(64);
            let mut lines = Vec::new();
            for chunk in [&stream[..split], &stream[split..]] {
                parser.push(chunk, &mut |event| lines.push(event.data)).expect("short enough");
            }
            lines.extend(parser.finish().map(|event| event.data));
            assert_eq!(lines, ["{\"a\":\"ü\"}", "{\"b\":2}", "{\"c\""], "split at {split}");
        }
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut parser = LineParser::new(8);
        assert!(parser.push(b"12345", &mut |_| ()).is_ok());
        assert_eq!(parser.push(b"6789", &mut |_| ()), Err(EventTooLarge { limit: 8 }));
    }
}
