//! Lines from somebody else, read to a length: a line that is longer is one line all the same.

use std::io::{BufRead, ErrorKind, Read, Result};

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// With its end.
    Whole(Vec<u8>),
    /// So many bytes, which is more than is taken in. What it says is not kept.
    TooLong(u64),
}

/// The next line; none at the end. One that has `most` bytes or more is read to its end and dropped: its second half is
/// no line of its own.
pub fn read_line(input: &mut impl BufRead, most: usize) -> Result<Option<Line>> {
    let mut line = Vec::new();
    input.by_ref().take(most as u64).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() < most || line.ends_with(b"\n") {
        return Ok(Some(Line::Whole(line)));
    }
    let mut size = line.len() as u64;
    loop {
        let (rest, ended) = {
            let buffer = match input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let end = buffer.iter().position(|byte| *byte == b'\n');
            (end.map_or(buffer.len(), |end| end + 1), end.is_some() || buffer.is_empty())
        };
        input.consume(rest);
        size += rest as u64;
        if ended {
            return Ok(Some(Line::TooLong(size)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 64 * 1024;

    #[test]
    fn a_line_that_is_too_long_is_one_line_wherever_its_end_is() {
        for more in [0, 1, 100_000, 3 * MOST] {
            let mut text = vec![b'x'; MOST + more];
            text.extend_from_slice(b"\nnext\n");
            let mut input = std::io::BufReader::with_capacity(1_000, text.as_slice());
            let long = Line::TooLong((MOST + more + 1) as u64);
            assert_eq!(read_line(&mut input, MOST).unwrap(), Some(long), "{more}");
            assert_eq!(read_line(&mut input, MOST).unwrap(), Some(Line::Whole(b"next\n".to_vec())));
            assert_eq!(read_line(&mut input, MOST).unwrap(), None);
        }
        let text = vec![b'x'; MOST + 5];
        assert_eq!(read_line(&mut text.as_slice(), MOST).unwrap(), Some(Line::TooLong((MOST + 5) as u64)));
        let text = [vec![b'x'; MOST - 1], b"\n".to_vec()].concat();
        assert_eq!(read_line(&mut text.as_slice(), MOST).unwrap(), Some(Line::Whole(text.clone())));
    }
}
