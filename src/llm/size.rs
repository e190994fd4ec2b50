//! How large a model is, as far as its name tells: `qwen2.5:1.5b`, `Llama-3.2-3B-Instruct`, `smollm2-135m`.

/// Models with at most so many parameters, in millions, need help to hold an interview.
const SMALL: f64 = 4_500.0;

/// Whether a model is small, if its name says how large it is.
pub(super) fn is_small(model: &str) -> Option<bool> {
    let lower = model.to_ascii_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    parts.filter_map(millions).next_back().map(|size| size <= SMALL)
}

/// The parameters that a part of a name states, in millions: `7b`, `1.5b`, `135m`.
fn millions(part: &str) -> Option<f64> {
    let (number, unit) = match part.strip_suffix('b') {
        Some(number) => (number, 1_000.0),
        None => (part.strip_suffix('m')?, 1.0),
    };
    // Experts and versions have such names, too: `8x7b`, `v3b`.
    let plain = number.starts_with(|c: char| c.is_ascii_digit());
    number.parse::<f64>().ok().filter(|size| plain && *size > 0.0).map(|size| size * unit)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::is_small;

    #[test]
    fn names_that_state_a_size_are_understood_and_others_say_nothing() {
        for small in ["qwen2.5:1.5b", "Llama-3.2-3B-Instruct", "smollm2-135m", "qwen2.5-coder-1.5b-instruct-q4_k_m"] {
            assert_eq!(is_small(small), Some(true), "{small}");
        }
        for large in ["llama3.1:70b", "qwen3-14b", "mistral-7b-instruct"] {
            assert_eq!(is_small(large), Some(false), "{large}");
        }
        for unknown in ["gpt-5", "local", "mixtral-8x7b", "claude-sonnet-4", ""] {
            assert_eq!(is_small(unknown), None, "{unknown}");
        }
    }
}
