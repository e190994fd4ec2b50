//! What is new of a window that was told before.

/// What is to be told of a window whose lines are known: those that are new, as long as the numbers that were told still
/// stand for the same.
pub(super) fn changed(known: &[String], lines: Vec<String>, is_on_top: bool) -> Vec<String> {
    let has_moved = |at: usize, line: &str| {
        known.iter().enumerate().any(|(before, known)| before != at && without_number(known) == without_number(line))
    };
    if lines.starts_with(known) && is_on_top {
        return lines[known.len()..].to_vec();
    }
    let new: Vec<(usize, &String)> =
        lines.iter().enumerate().filter(|(at, line)| known.get(*at) != Some(*line)).collect();
    let keeps_numbers = lines.len() == known.len() && lines.first() == known.first();
    if !keeps_numbers || new.iter().any(|(at, line)| has_moved(*at, line)) {
        return lines;
    }
    let title = lines.first().filter(|_| !is_on_top).cloned();
    title.into_iter().chain(new.into_iter().map(|(_, line)| line.clone())).collect()
}

/// A choice without the number in front of it.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < line.len() { rest.strip_prefix(". ").unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use super::changed;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn only_what_is_new_is_told_unless_numbers_stand_for_something_else() {
        let known = lines("Fields:|1. one: a|2. two: b");
        assert_eq!(changed(&known, lines("Fields:|1. one: a|2. two: c"), true), ["2. two: c"]);
        assert_eq!(changed(&known, lines("Fields:|1. one: a|2. two: c"), false), ["Fields:", "2. two: c"]);
        let moved = lines("Fields:|1. two: b|2. one: a");
        assert_eq!(changed(&known, moved.clone(), true), moved);
        let longer = lines("Fields:|0. new|1. one: a|2. two: b");
        assert_eq!(changed(&known, longer.clone(), true), longer);
    }
}
