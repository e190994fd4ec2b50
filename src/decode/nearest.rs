//! Guesses what a wrong name was meant to be.

/// A longer name is no slip of the fingers; comparing it would take the square of its length.
const MAX_LENGTH: usize = 200;

/// The known name that `wrong` was most likely meant to be: one that a slip of the fingers away, or one that it begins.
pub fn nearest<'k>(wrong: &str, known: &[&'k str]) -> Option<&'k str> {
    let fold = |name: &str| name.to_lowercase().replace('-', "_");
    if wrong.len() > MAX_LENGTH {
        return None;
    }
    let wrong = fold(wrong);
    let candidates = known.iter().filter(|name| !name.is_empty() && name.len() <= MAX_LENGTH).filter_map(|name| {
        let folded = fold(name);
        // Of paths the last parts are told apart: their beginnings are alike by nature.
        let last = |name: &str| name.rsplit('.').next().map_or(0, |part| part.chars().count());
        let allowed = match last(&wrong).min(last(&folded)) {
            0..3 => 0,
            _ => (last(&wrong).max(last(&folded)) / 3).clamp(1, 3),
        };
        let distance = strsim::osa_distance(&wrong, &folded);
        let begins = wrong.len() >= 4 && folded.starts_with(&wrong);
        (distance <= allowed || begins).then_some((distance, *name))
    });
    candidates.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_what_looks_like_a_slip_is_suggested() {
        assert_eq!(nearest("trip.gaol", &["trip.season", "trip.goal"]), Some("trip.goal"));
        assert_eq!(nearest("trip.pets", &["trip.season", "trip.goal"]), None);
        assert_eq!(nearest("max_words", &["max_tokens"]), None);
        assert_eq!(nearest("Core-Capture", &["CORE_CAPTURE"]), Some("CORE_CAPTURE"));
        assert_eq!(nearest("sliding", &["sliding_window", "extractive"]), Some("sliding_window"));
        assert_eq!(nearest("", &["", "a"]), None);
    }
}
