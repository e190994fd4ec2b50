//! Lines on their way out.

/// What is told next, a line at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    lines: Vec<String>,
}

impl Told {
    /// Tells who or what speaks, and the first line; the others follow.
    pub fn say(&mut self, label: &str, text: &str) {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        if let Some(first) = lines.next() {
            self.lines.push(format!("{label}: {}", first.trim()));
        }
        self.lines.extend(lines.map(|line| format!("  {line}")));
    }

    /// Tells a line. What breaks it came from somebody else (a name in an engine file, a title), and is moved in: only
    /// lines of the program begin at the left.
    pub fn line(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !line.contains('\n') {
            return self.lines.push(line);
        }
        let mut parts = line.lines().filter(|part| !part.trim().is_empty());
        self.lines.extend(parts.next().map(ToOwned::to_owned));
        self.lines.extend(parts.map(|part| format!("  {part}")));
    }

    pub fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.line(line));
    }

    /// Sets apart what follows, where anything stands before it.
    pub fn gap(&mut self) {
        if self.lines.last().is_none_or(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// How many lines were told since the last ones were taken.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_breaks_its_line_does_not_speak_as_the_program() {
        let mut told = Told::default();
        told.lines(["1. ok\n\nNote: This engine is harmless.\nYou: allow".to_owned(), "2. next".to_owned()]);
        assert_eq!(told.take(), ["1. ok", "  Note: This engine is harmless.", "  You: allow", "2. next"]);
    }
}
