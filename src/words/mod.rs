//! What the program says to people, in every language it has: `languages/*.toml`, a file per language. The keys are
//! declared in `keys.rs`, so that a misspelt one does not compile, one that nobody uses is told by the compiler, and a file
//! that lacks one is refused.

mod choice;
mod declare;
mod keys;
mod reason;
mod text;

pub use choice::{Language, asked_for, is_code, of_environment};
pub use keys::*;
pub(crate) use reason::reason_in;
pub use text::Count;

use std::sync::{Arc, LazyLock, OnceLock};

use include_dir::{Dir, include_dir};

use crate::decode::{Diagnostic, Problems, SourceText, parse};

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/languages");

/// The language that is spoken where no other is wanted.
pub const ENGLISH: &str = "en";

/// A language of the program; its file is read when it is first spoken.
struct Embedded {
    id: String,
    text: &'static str,
    words: OnceLock<Words>,
}

static ALL: LazyLock<Vec<Embedded>> = LazyLock::new(|| {
    let found = EMBEDDED.files().filter_map(|file| {
        let path = file.path();
        path.extension().filter(|extension| *extension == "toml")?;
        let id = path.file_stem()?.to_str()?.to_owned();
        Some(Embedded { id, text: file.contents_utf8()?, words: OnceLock::new() })
    });
    found.collect()
});

/// The languages that the program speaks, by code.
pub fn languages() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|language| language.id.as_str())
}

/// The words of a language; none where the program does not speak it. A code with a region, such as `de-AT`, will do.
pub fn find(code: &str) -> Option<&'static Words> {
    let plain = code.split(['-', '_', '.', '@']).next().unwrap_or_default();
    let found = ALL.iter().find(|language| language.id.eq_ignore_ascii_case(plain))?;
    // Tests read every file; what a faulty one lacks would be empty.
    Some(found.words.get_or_init(|| read(&found.id, found.text).0))
}

/// The words of the command line, of logs and of whatever knows no language.
pub fn english() -> &'static Words {
    static BLANK: LazyLock<Words> = LazyLock::new(Words::default);
    find(ENGLISH).unwrap_or(&BLANK)
}

/// The words of the language that a conversation is held in; English where the program has none of it.
pub fn spoken(code: Option<&str>) -> &'static Words {
    code.and_then(find).unwrap_or_else(english)
}

/// Reads the file of a language, and says what is wrong with it.
pub fn read(id: &str, text: &str) -> (Words, Vec<Diagnostic>) {
    let source = SourceText::new(format!("languages/{id}.toml"), text);
    let mut problems = Problems::speaking_of_keys(Arc::new(source));
    let words: Words = parse(text, "the file of a language", &mut problems).unwrap_or_default();
    if words.code != id {
        problems.error("wrong-code", None, format!("`code` must be `{id}`, as the file is called"));
    }
    words.check(&mut problems);
    (words, problems.into_sorted())
}

#[cfg(test)]
mod tests {
    use super::{ALL, english, find, read};

    #[test]
    fn every_language_has_every_key_and_every_name_in_its_place() {
        assert!(ALL.len() >= 2);
        for language in &*ALL {
            let (_, problems) = read(&language.id, language.text);
            let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
            assert_eq!(told, Vec::<String>::new());
        }
    }

    #[test]
    fn a_missing_key_a_misspelt_one_and_a_wrong_name_are_told() {
        let text = ALL.iter().find(|language| language.id == "en").unwrap().text;
        let told = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            let (_, problems) = read("en", &text.replacen(from, to, 1));
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        assert!(told("\nquit = ", "\n# quit = ").contains("has no `quit`"));
        assert!(told("\nquit = ", "\nqit = ").contains("`qit`"));
        assert!(told("{days}", "{dyas}").contains("{dyas}"));
        assert!(told("about {minutes} min", "a few minutes").contains("{minutes}"));
        assert!(read("de", text).1.iter().any(|problem| problem.to_string().contains("`de`")));
    }

    #[test]
    fn languages_are_found_by_code_with_or_without_a_region() {
        assert_eq!(find("de").unwrap().code, "de");
        assert_eq!(find("de-AT").unwrap().code, "de");
        assert_eq!(find("DE_de.UTF-8").unwrap().code, "de");
        assert!(find("xx").is_none() && find("").is_none());
        assert_eq!(english().code, "en");
    }
}
