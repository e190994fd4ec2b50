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

    pub fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    pub fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        self.lines.extend(lines);
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
