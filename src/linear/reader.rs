//! Whether somebody listens instead of looking: what screen readers and braille displays leave in the surroundings.

use std::path::Path;

/// Variables that desktops and readers set for the programs below them.
const VARIABLES: &[&str] = &[
    "ACCESSIBILITY_ENABLED",
    "GNOME_ACCESSIBILITY",
    "QT_ACCESSIBILITY",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON",
    "EMACSPEAK_DIR",
    "DTK_PROGRAM",
    "BRLAPI_HOST",
    "BRLAPI_AUTH",
];

/// What is there while one is at work on the console: speakup in the kernel, and the socket of braille displays.
const PLACES: &[&str] = &["/sys/accessibility/speakup", "/var/lib/BrlAPI/0"];

/// Judges by variables and places; looks at nothing else, so that it costs no time.
pub fn is_likely(variable: &dyn Fn(&str) -> Option<String>, exists: &dyn Fn(&Path) -> bool) -> bool {
    let is_set = |name: &&str| variable(name).is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"));
    VARIABLES.iter().any(is_set) || PLACES.iter().any(|place| exists(Path::new(place)))
}

#[cfg(test)]
mod tests {
    use super::is_likely;

    #[test]
    fn a_reader_is_known_by_what_it_leaves_and_nothing_else_is_one() {
        let with = |name: &'static str, value: &'static str| {
            is_likely(&|asked| (asked == name).then(|| value.to_owned()), &|_| false)
        };
        assert!(with("GNOME_ACCESSIBILITY", "1") && with("DTK_PROGRAM", "espeak"));
        assert!(!with("GNOME_ACCESSIBILITY", "0") && !with("QT_ACCESSIBILITY", "") && !with("TERM", "xterm"));
        assert!(is_likely(&|_| None, &|place| place.ends_with("speakup")));
    }
}
