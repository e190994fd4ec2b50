//! Fuzzy matching for lists of tens of entries: letters in order, better where they start words or stand together.

/// How well `query` fits `text`; `None` where its letters are not all there in order. An empty query fits everything.
pub fn score(query: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let mut total = 0;
    let mut from = 0;
    let mut last: Option<usize> = None;
    for wanted in query.to_lowercase().chars().filter(|c| !c.is_whitespace()) {
        let starts_word = |at: usize| at == 0 || !text[at - 1].is_alphanumeric();
        let here = (from..text.len()).filter(|at| text[*at] == wanted);
        let worth = |at: usize| {
            let together = last.is_some_and(|last| at == last + 1);
            i32::from(together) * 8 + i32::from(starts_word(at)) * 6
                - i32::try_from(at - from).unwrap_or(i32::MAX).min(6)
        };
        let best = here.max_by_key(|at| (worth(*at), std::cmp::Reverse(*at)))?;
        total += 10 + worth(best);
        (from, last) = (best + 1, Some(best));
    }
    // Among equals the shorter text is the closer one.
    Some(total * 100 - i32::try_from(text.len().min(99)).unwrap_or(99))
}

/// What a match in the name counts for more than one anywhere else.
const IN_NAME: i32 = 1_000_000;

/// The positions of the names and details that fit, the best first. What fits the name comes first.
pub fn ranked<'a>(query: &str, texts: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<usize> {
    let fit = |(name, detail): (&str, &str)| {
        score(query, name).map(|score| score + IN_NAME).or_else(|| score(query, &format!("{name} {detail}")))
    };
    let mut fits: Vec<(i32, usize)> = texts.enumerate().filter_map(|(at, text)| Some((fit(text)?, at))).collect();
    if !query.trim().is_empty() {
        fits.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    }
    fits.into_iter().map(|(_, at)| at).collect()
}
