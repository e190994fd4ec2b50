//! What is said to people stands in `languages/`, and nowhere in the sources of the app and of its panes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files whose words are no words of the frame: the inspector is for designers and stays English.
const DESIGNERS: [&str; 2] = ["inspector", "frame_export"];

/// Texts that are the same in every language, or no words at all.
const SAME: &[&str] = &[
    // What is typed, and read back.
    "/correct {path} {typed}",
    "/correct {} {}",
    "/rename {typed}",
    "tag {tag}",
    "project {name}",
    // Names of the keymap's problems, which designers of keymaps read.
    "`{}` should be a list of keys",
    "write it as `[\\",
    "`{text}` is not a key",
    "write `ctrl-p`, `alt-enter`, `F2` or `G`",
    "this key is not a text",
    "write it in quotes",
    "there is no context `{section}`",
    "there is no action `{name}`",
    "F1 in the app lists them with their keys",
    "{chord} is `{}` in [{}] and `{}` in [{}]",
    "one of them needs another key",
    "the built-in keymap",
    "the keymap",
    "The keys of Elenchus.",
    // What scripts read; people are told it in their language.
    "offline interviewer",
    // Names of grammars and threads.
    "Plain Text",
    "code colours",
];

fn sources(below: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(below)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The texts in quotes of a source, without its comments, attributes and tests.
fn quoted(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with(['#', '/'])).collect();
    let mut texts = Vec::new();
    for line in code {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once('"') {
            let Some((text, behind)) = after.split_once('"') else { break };
            texts.push(text.to_owned());
            rest = behind;
        }
    }
    texts
}

/// Whether a text is something that people read: two words with a space between them.
fn is_said(text: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !word.contains('{');
    text.split(' ').filter(is_word).count() >= 2 && !["::", "=", "|"].iter().any(|sign| text.contains(sign))
}

#[test]
fn no_words_of_the_frame_are_left_in_the_code() {
    let mut left = BTreeSet::new();
    for (path, text) in sources("src/app").into_iter().chain(sources("src/ui")) {
        let name = path.to_string_lossy().into_owned();
        if DESIGNERS.iter().any(|part| name.contains(part)) || name.contains("/theme/") {
            continue;
        }
        let texts = quoted(&text).into_iter().filter(|text| is_said(text) && !SAME.contains(&text.as_str()));
        left.extend(texts.map(|text| format!("{}: {text}", path.file_name().unwrap().to_string_lossy())));
    }
    assert_eq!(left, BTreeSet::new(), "these belong into languages/*.toml");
}

/// The texts of a language by key.
fn texts(code: &str) -> Vec<(String, String)> {
    fn flat(path: &str, value: &toml::Value, found: &mut Vec<(String, String)>) {
        match value {
            toml::Value::String(text) => found.push((path.to_owned(), text.clone())),
            toml::Value::Table(table) => {
                for (key, value) in table {
                    flat(&format!("{path}.{key}"), value, found);
                }
            }
            _ => {}
        }
    }
    let file = fs::read_to_string(format!("languages/{code}.toml")).unwrap();
    let mut found = Vec::new();
    flat("", &file.parse::<toml::Table>().unwrap().into(), &mut found);
    found
}

#[test]
fn no_text_was_left_in_english() {
    let (english, german) = (texts("en"), texts("de"));
    assert_eq!(english.len(), german.len());
    let without_names = |text: &str| {
        let bare = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect::<String>();
        bare.chars().filter(|c| c.is_alphabetic()).count()
    };
    // Words that both languages have.
    let both = ["Budget", "Variable", "Name", "normal", "Sandbox", "April", "August", "September", "November"];
    let same = english.iter().filter(|entry| german.contains(entry) && without_names(&entry.1) > 5);
    let left: Vec<_> = same.filter(|(_, text)| !both.iter().any(|word| text.starts_with(word))).collect();
    assert_eq!(left, Vec::<&(String, String)>::new());
}

#[test]
fn german_names_of_keys_stand_in_one_place() {
    // A text that names a key takes its name from there.
    for (key, text) in texts("de").into_iter().filter(|(key, _)| !key.contains(".key_names.")) {
        assert!(!text.contains("Umschalt") && !text.contains("Eingabetaste"), "{key}: {text}");
    }
}
