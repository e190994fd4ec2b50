//! Keys: how they are written, what they do where, and which conflicts are refused.

use elenchus::app::commands::COMMANDS;
use elenchus::app::keymap::{Action, Chord, Context, Keymap, Motion};
use pretty_assertions::assert_eq;

#[test]
fn the_built_in_keymap_has_no_conflict_and_a_key_for_every_command() {
    let keymap = Keymap::with("").unwrap();
    for entry in COMMANDS {
        let chord = keymap.chord(Context::Global, Action::Run(entry.command));
        assert!(chord.is_some(), "{} has no key", entry.name);
    }
}

#[test]
fn chords_are_read_and_written_in_one_form() {
    for (text, shown) in [
        ("ctrl-p", "Ctrl-P"),
        ("ctrl-P", "Ctrl-P"),
        ("shift-g", "G"),
        ("G", "G"),
        ("F2", "F2"),
        ("alt-enter", "Alt-Enter"),
        ("shift-tab", "Shift-Tab"),
        ("ctrl-i", "Tab"),
        ("space", "Space"),
        ("pageup", "PageUp"),
        ("-", "-"),
    ] {
        assert_eq!(Chord::parse(text).unwrap().to_string(), shown, "{text}");
    }
    for wrong in ["", "ctrl-", "F0", "F99", "hyper-x", "pagedwon"] {
        assert_eq!(Chord::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_line_of_the_user_replaces_the_line_of_the_same_action() {
    let keymap = Keymap::with("[global]\npalette = [\"ctrl-k\"]").unwrap();
    let action = |key| keymap.action(Context::Composer, Chord::parse(key).unwrap());
    assert_eq!(action("ctrl-k"), Some(Action::Do(Motion::Palette)));
    assert_eq!(action("ctrl-p"), None);
}

fn problems(text: &str) -> Vec<String> {
    Keymap::with(text).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_key_with_two_meanings_is_refused_with_both_of_them() {
    let problems = problems("[global]\nquit = [\"ctrl-p\"]\n[chat]\nup = [\"tab\"]");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|problem| problem.contains("Ctrl-P") && problem.contains("`palette`")), "{problems:?}");
    assert!(problems.iter().any(|problem| problem.contains("Tab") && problem.contains("[chat]")), "{problems:?}");
}

#[test]
fn a_global_key_must_not_mean_something_else_in_one_place() {
    let problems = problems("[composer]\nsend = [\"ctrl-q\"]");
    assert!(problems[0].contains("`quit` in [global]") && problems[0].contains("`send` in [composer]"), "{problems:?}");
}

#[test]
fn everything_wrong_with_a_keymap_is_told_at_once() {
    let told = problems("[composr]\nx = []\n[chat]\nfly = []\nup = \"k\"\ndown = [\"nokey\"]").join("\n");
    for part in ["no context `composr`", "no action `fly`", "`up` should be a list", "`nokey` is not a key"] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn what_is_wrong_with_a_keymap_has_a_place_and_a_suggestion() {
    let text =
        "[composr]\n[chat]\nfind_nxt = [\"n\"]\nup = \"k\"\ndown = [\"nokey\", 3]\n[composer]\nsend = [\"ctrl-q\"]";
    assert_eq!(
        problems(text),
        [
            "keys.toml:1: there is no context `composr`; did you mean `composer`?",
            "keys.toml:3: there is no action `find_nxt`; did you mean `find_next`?",
            "keys.toml:4: `up` should be a list of keys; write it as `[\"ctrl-p\"]`.",
            "keys.toml:5: `nokey` is not a key; write `ctrl-p`, `alt-enter`, `F2` or `G`.",
            "keys.toml:5: this key is not a text; write it in quotes.",
            "keys.toml:7: Ctrl-Q is `quit` in [global] and `send` in [composer]; one of them needs another key.",
        ]
    );
}
