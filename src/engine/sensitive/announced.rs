//! Passwords that an option of a program, the form of a file or a word for several words announces.

use super::secrets::{has_digit, is_mark, window, word_after};
use super::{SensitiveKind, SensitivePlaces};

/// How far back the program of an option is looked for.
const LINE: usize = 200;

pub(super) fn find(text: &str, found: &mut SensitivePlaces) {
    let lower = text.to_ascii_lowercase();
    options(text, &lower, found);
    logins(text, &lower, found);
    in_other_tongues(text, &lower, found);
    keys(text, &lower, found);
    phrases(text, &lower, found);
}

/// The part of the line before a place, as far back as is looked.
fn line_before(text: &str, at: usize) -> &str {
    let start = text.floor_char_boundary(at.saturating_sub(LINE));
    let before = &text[start..at];
    before.rsplit('\n').next().unwrap_or(before)
}

/// `mysql -pSecret`, `sshpass -p Secret`.
fn options(text: &str, lower: &str, found: &mut SensitivePlaces) {
    const OPTION: &str = " -p";
    for (at, _) in text.match_indices(OPTION) {
        let (line, after) = (line_before(lower, at), at + OPTION.len());
        let joined = text[after..].chars().next().is_some_and(|next| !next.is_whitespace());
        let is_password = line.contains("sshpass") || (joined && (line.contains("mysql") || line.contains("mariadb")));
        if is_password {
            let word = word_after(text, after);
            let shown = &text[word.clone()];
            if shown.len() >= 3 && !is_mark(shown) {
                found.push((SensitiveKind::Password, word));
            }
        }
    }
}

/// `machine host login name password secret`, as `.netrc` has it, on one line or several; and `password secret99`.
fn logins(text: &str, lower: &str, found: &mut SensitivePlaces) {
    const WORD: &str = "password ";
    for (at, _) in lower.match_indices(WORD) {
        let start = lower.floor_char_boundary(at.saturating_sub(LINE));
        let word = word_after(text, at + WORD.len());
        let shown = &text[word.clone()];
        let fits = shown.len() >= 4 && has_digit(shown) && !is_mark(shown);
        let mixed = shown.len() >= 8 && shown.contains(char::is_alphabetic);
        if fits && (mixed || lower[start..at].contains("login ")) {
            found.push((SensitiveKind::Password, word));
        }
    }
}

/// Words for a password that names of variables do not have.
const ELSEWHERE: [&str; 6] = ["mot de passe", "contraseña", "wachtwoord", "senha", "hasło", "parola d'ordine"];

/// `mot de passe : soleil42`.
fn in_other_tongues(text: &str, lower: &str, found: &mut SensitivePlaces) {
    for (at, word) in ELSEWHERE.iter().flat_map(|word| lower.match_indices(word)) {
        let rest = window(text, at + word.len(), LINE).trim_start_matches([' ', '\u{a0}']);
        let Some(after) = rest.strip_prefix([':', '=']) else { continue };
        let word = word_after(text, after.as_ptr() as usize - text.as_ptr() as usize);
        let shown = &text[word.clone()];
        if shown.len() >= 4 && !is_mark(shown) {
            found.push((SensitiveKind::Password, word));
        }
    }
}

/// `Api-Key 0123…`, as headers have it.
fn keys(text: &str, lower: &str, found: &mut SensitivePlaces) {
    for (at, name) in ["api-key ", "api key ", "apikey ", "bearer "].iter().flat_map(|name| lower.match_indices(name)) {
        let word = word_after(text, at + name.len());
        let shown = &text[word.clone()];
        // A bearer may also be a person, of whom words are said that have only letters.
        let made = has_digit(shown) || (name == "bearer " && shown.contains(['-', '_', '.']));
        if shown.len() >= 16 && made && !is_mark(shown) {
            found.push((SensitiveKind::ApiKey, word));
        }
    }
}

/// A passphrase of several words: what follows, to the end of the line or of the sentence. Other words for a password
/// announce one only in quotes.
fn phrases(text: &str, lower: &str, found: &mut SensitivePlaces) {
    const QUOTES: [char; 5] = ['"', '\'', '“', '„', '«'];
    for (at, word) in ["passphrase", "password", "passwort", "kennwort"].iter().flat_map(|w| lower.match_indices(w)) {
        let rest = window(text, at + word.len(), LINE);
        let bare = rest.trim_start_matches([' ', '"', '\'']);
        let Some(after) = bare.strip_prefix([':', '=', '：', '＝']) else { continue };
        if word != "passphrase" && !after.trim_start().starts_with(QUOTES) {
            continue;
        }
        let phrase = after.split(['\n', '\r', ';', '.', ',']).next().unwrap_or_default();
        let words = phrase.trim_matches(|c: char| c.is_whitespace() || QUOTES.contains(&c) || matches!(c, '”' | '»'));
        if words.split_whitespace().count() >= 3 && !is_mark(words) {
            let start = words.as_ptr() as usize - text.as_ptr() as usize;
            found.push((SensitiveKind::Password, start..start + words.len()));
        }
    }
}
