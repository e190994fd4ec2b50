//! Keys, tokens and passwords: by how they begin, by the name before them, or by where they stand.

use std::ops::Range;

use super::{SensitiveKind, SensitivePlaces, announced};

/// How far a secret is followed, and a name before it.
const LONGEST: usize = 4096;
const LONGEST_VALUE: usize = 512;
const LONGEST_NAME: usize = 64;

/// How keys of well-known services begin.
const PREFIXES: &[&str] = &[
    "AGE-SECRET-KEY-1",
    "AIza",
    "AKIA",
    "ASIA",
    "GOCSPX-",
    "SG.",
    "dckr_pat_",
    "dop_v1_",
    "eyJ",
    "ghp_",
    "gho_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "glrt-",
    "gsk_",
    "hf_",
    "lin_api_",
    "npm_",
    "pk_live_",
    "pypi-",
    "rk_live_",
    "rk_test_",
    "shpat_",
    "sntrys_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "whsec_",
    "xai-",
    "xapp-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "ya29.",
];

/// Words that a name is put together with when it stands for a secret.
const SECRET_NAMES: &[&str] = &["token", "secret", "apikey", "credential", "credentials"];
const PASSWORD_NAMES: &[&str] = &["password", "passwort", "kennwort", "passwd", "passphrase", "pwd", "pw"];
/// What makes a key one that opens something.
const KINDS_OF_KEY: &[&str] =
    &["api", "access", "account", "auth", "secret", "private", "signing", "encryption", "shared"];

pub(super) fn find(text: &str, found: &mut SensitivePlaces) {
    private_keys(text, found);
    prefixed(text, found);
    assigned(text, found);
    in_addresses(text, found);
    addresses_that_open(text, found);
    for_users(text, found);
    bot_tokens(text, found);
    announced::find(text, found);
    spoken_of(text, found);
}

/// What the lines around a private key say.
const BEGIN: &str = "-----BEGIN ";
const HEAD: &str = "PRIVATE KEY";
const END: &str = "-----END ";

/// From the first line of a private key to its last, or to the end where that is missing.
fn private_keys(text: &str, found: &mut SensitivePlaces) {
    let mut at = 0;
    while let Some(start) = text[at..].find(BEGIN).map(|start| at + start) {
        let label = window(text, start + BEGIN.len(), LONGEST_NAME);
        at = start + BEGIN.len();
        if !label.split("-----").next().is_some_and(|label| label.contains(HEAD)) {
            continue;
        }
        let end = text[at..].find(END).map_or(text.len(), |end| {
            let last = at + end + END.len();
            let tail = window(text, last, LONGEST_NAME);
            last + tail.find("-----").map_or(0, |mark| mark + 5)
        });
        found.push((SensitiveKind::PrivateKey, start..end));
        at = end;
    }
}

/// Keys that begin as those of well-known services do.
fn prefixed(text: &str, found: &mut SensitivePlaces) {
    let bytes = text.as_bytes();
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take(LONGEST).take_while(|byte| inside(**byte) || **byte == b'.').count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = text[at..at + length].trim_end_matches('.');
        if PREFIXES.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(|body| is_body(prefix, body))) {
            found.push((SensitiveKind::ApiKey, at..at + word.len()));
        }
        at += length;
    }
}

/// Whether what follows the beginning of a key can be a key.
fn is_body(prefix: &str, body: &str) -> bool {
    match prefix {
        // Three parts in base 64, the last of which may be cut off.
        "eyJ" => {
            let mut parts = body.split('.');
            let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 8);
            long(parts.next()) && long(parts.next()) && parts.next().is_some()
        }
        // Words of every day begin like this.
        "sk-" => {
            let long = |least: usize| body.split(['-', '_', '.']).any(move |part| part.len() >= least);
            (long(12) && has_digit(body)) || (long(16) && body.len() >= 20)
        }
        "AKIA" | "ASIA" => body.len() == 16 && body.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
        _ => body.len() >= 12 && body.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase()),
    }
}

/// Tokens of messenger bots: the bot's number, a colon, and 35 signs.
fn bot_tokens(text: &str, found: &mut SensitivePlaces) {
    for (at, _) in text.match_indices(":AA") {
        let number = text[..at].bytes().rev().take(12).take_while(u8::is_ascii_digit).count();
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let length = text[at + 1..].bytes().take(LONGEST_VALUE).take_while(inside).count();
        if (8..=11).contains(&number) && (30..=50).contains(&length) {
            found.push((SensitiveKind::ApiKey, at - number..at + 1 + length));
        }
    }
}

/// What a name for a secret is set to: `NAME=value`, `name: value`, `"name": "value"`.
fn assigned(text: &str, found: &mut SensitivePlaces) {
    for (at, sign) in text.match_indices(['=', ':', '＝', '：']) {
        let before = text[..at].trim_end_matches([' ', '"', '\'']);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let length = before.bytes().rev().take(LONGEST_NAME).take_while(is_name).count();
        let Some(named) = Named::of(&before[before.len() - length..]) else { continue };
        let is_password_name = matches!(named, Named::Password | Named::Pass | Named::Variable);
        let (in_prose, after) = (is_password_name && matches!(sign, ":" | "："), at + sign.len());
        let value = match quoted_after(text, after).filter(|_| is_password_name && !in_prose) {
            Some(quoted) => quoted,
            None if in_prose => word_after(text, after),
            None if is_password_name => with_signs(text, value_after(text, after)),
            None => value_after(text, after),
        };
        let shown = &text[value.clone()];
        let secret = match named {
            Named::Password => is_password(shown),
            Named::Variable => is_password(shown) || (!in_prose && shown.len() >= 6 && !is_mark(shown)),
            Named::Pass => is_password(shown) && has_digit(shown) && shown.chars().any(char::is_alphabetic),
            Named::Secret => is_dense(shown, 8) || is_grouped(shown),
            Named::Key => is_dense(shown, 16),
        };
        if secret {
            let kind = if is_password_name { SensitiveKind::Password } else { SensitiveKind::ApiKey };
            found.push((kind, value));
        }
    }
}

/// What a name says of the value that it stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Password,
    /// A password, by a name of several words or in capitals as programs have them: its value may be any word.
    Variable,
    /// The word "pass" alone, which has other meanings.
    Pass,
    Secret,
    /// A key that may be one of many kinds.
    Key,
}

impl Named {
    fn of(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split(['_', '-', '.']).filter(|part| !part.is_empty()).collect();
        let any = |words: &[&str]| parts.iter().any(|part| words.contains(part));
        let joined = |kind: &&str| lower.contains(&format!("{kind}key"));
        let is_key = parts.contains(&"key");
        // Alone it is a word of every day: `DB_PASS` and `PASS` are names, `pass` may be none.
        let is_pass = parts.contains(&"pass") && (parts.len() > 1 || name == "PASS");
        // Also written in one, as `PGPASSWORD` and `userPassword`.
        if any(PASSWORD_NAMES) || is_pass || lower.ends_with("password") || lower.ends_with("passwd") {
            let is_variable = parts.len() > 1 || !name.contains(|c: char| c.is_ascii_lowercase());
            Some(if is_variable { Self::Variable } else { Self::Password })
        } else if lower == "pass" {
            Some(Self::Pass)
        } else if any(SECRET_NAMES) || (is_key && any(KINDS_OF_KEY)) || KINDS_OF_KEY.iter().any(joined) {
            Some(Self::Secret)
        } else if lower.ends_with("token") || lower.ends_with("secret") {
            // Written in one, as `accessToken`.
            Some(Self::Secret)
        } else {
            // What an address is signed with opens what it leads to.
            (is_key || any(&["sig", "signature"])).then_some(Self::Key)
        }
    }
}

/// The password in an address: `scheme://user:password@host`.
fn in_addresses(text: &str, found: &mut SensitivePlaces) {
    for (at, mark) in text.match_indices("://") {
        let rest = window(text, at + mark.len(), LONGEST_VALUE);
        let authority = rest.split(|c: char| c.is_whitespace() || "/?#\"'<>`".contains(c)).next().unwrap_or_default();
        let Some((user, _)) = authority.rsplit_once('@') else { continue };
        let Some((name, password)) = user.split_once(':').filter(|(_, password)| !is_mark(password)) else { continue };
        if !password.is_empty() {
            let start = at + mark.len() + name.len() + 1;
            found.push((SensitiveKind::Password, start..start + password.len()));
        }
    }
}

/// Addresses of which the last part is the secret: everybody who has them can write there.
const OPENING: &[&str] = &["hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"];

/// What stands behind the known part of such an address.
fn addresses_that_open(text: &str, found: &mut SensitivePlaces) {
    for address in OPENING {
        for (at, _) in text.match_indices(address) {
            let value = value_after(text, at + address.len());
            if value.start == at + address.len() && value.len() >= 8 {
                found.push((SensitiveKind::ApiKey, value));
            }
        }
    }
}

/// The password after the name of a user, as `curl -u name:password` and the like take it.
fn for_users(text: &str, found: &mut SensitivePlaces) {
    for option in [" -u ", " --user ", " --user=", " -u"] {
        for (at, _) in text.match_indices(option) {
            let word = word_after(text, at + option.len());
            let Some(colon) = text[word.clone()].find(':') else { continue };
            let password = word.start + colon + 1..word.end;
            let shown = &text[password.clone()];
            // Numbers on both sides are those of a user and a group; what has a slash goes on as an address.
            if colon > 0
                && shown.len() >= 4
                && !is_mark(shown)
                && !shown.bytes().all(|b| b.is_ascii_digit())
                && !shown.starts_with('/')
            {
                found.push((SensitiveKind::Password, password));
            }
        }
    }
}

/// Secrets that a sentence leads up to.
fn spoken_of(text: &str, found: &mut SensitivePlaces) {
    let lower = text.to_ascii_lowercase();
    for word in ["password", "passwort", "kennwort", "passphrase"] {
        for (at, _) in lower.match_indices(word) {
            let value = after_is(text, at + word.len()).map(|start| word_after(text, start));
            let value = value.filter(|value| is_password(&text[value.clone()]));
            found.extend(value.map(|value| (SensitiveKind::Password, value)));
        }
    }
    for word in ["key", "token", "secret"] {
        for (at, _) in lower.match_indices(word) {
            let value = after_is(text, at + word.len()).map(|start| value_after(text, start));
            let is_secret = |shown: &str| is_dense(shown, 12) || is_grouped(shown);
            let value = value.filter(|value| is_secret(&text[value.clone()]));
            found.extend(value.map(|value| (SensitiveKind::ApiKey, value)));
        }
    }
    for (word, is_secret) in [("bearer ", is_dense as fn(&str, usize) -> bool), ("authorization: basic ", is_mixed)] {
        for (at, _) in lower.match_indices(word) {
            let value = value_after(text, at + word.len());
            if is_secret(&text[value.clone()], 12) {
                found.push((SensitiveKind::ApiKey, value));
            }
        }
    }
    // The second half of an AWS key has no mark of its own: 40 characters of base 64 where the talk is of AWS.
    if lower.contains("aws") {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '+')) {
            if word.len() == 40 && is_mixed(word, 40) && has_digit(word) {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                found.push((SensitiveKind::ApiKey, start..start + word.len()));
            }
        }
    }
}

/// Where it goes on after "is", as in "the password is …", "das Passwort lautet: …".
fn after_is(text: &str, at: usize) -> Option<usize> {
    let rest = window(text, at, LONGEST_NAME);
    let bare = rest.trim_start_matches([' ', '\t']);
    let word = ["is", "ist", "lautet", "was", "war"]
        .into_iter()
        .find(|word| bare.strip_prefix(word).is_some_and(|after| after.starts_with([' ', ':', '：'])))?;
    let after = &bare[word.len()..];
    Some(at + rest.len() - after.trim_start_matches([' ', ':', '：']).len())
}

/// What stands in quotes at a place, with all that is in it.
fn quoted_after(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = window(text, at, LONGEST_VALUE);
    let bare = rest.trim_start_matches([' ', '\t']);
    let quote = bare.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let start = at + rest.len() - bare.len() + 1;
    let line = text[start..at + rest.len()].lines().next().unwrap_or_default();
    line.find(quote).map(|end| start..start + end)
}

/// The word that begins at a place, whatever it consists of; of one in quotes what is between them.
pub(super) fn word_after(text: &str, at: usize) -> Range<usize> {
    let rest = window(text, at, LONGEST_VALUE);
    let bare = rest.trim_start();
    let quote = bare.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'));
    let start = at + rest.len() - bare.len() + usize::from(quote.is_some());
    let word = &text[start..at + rest.len()];
    let ends = |c: char| c.is_whitespace() || Some(c) == quote;
    start..start + word.split(ends).next().unwrap_or_default().len()
}

/// The word that begins at a place, without what encloses it and without the punctuation after it.
fn value_after(text: &str, at: usize) -> Range<usize> {
    let rest = window(text, at, LONGEST_VALUE);
    let bare = rest.trim_start_matches([' ', '\t', '"', '\'', '`']);
    let start = at + rest.len() - bare.len();
    let ends = |c: char| c.is_whitespace() || "\"'`,;&<>(){}".contains(c);
    let value = bare.split(ends).next().unwrap_or_default();
    start..start + value.trim_end_matches(['.', ':', '!', '?']).len()
}

/// A value with the signs that were taken for the end of a sentence.
fn with_signs(text: &str, value: Range<usize>) -> Range<usize> {
    let signs = text[value.end..].bytes().take_while(|byte| matches!(byte, b'!' | b'?')).count();
    value.start..value.end + signs
}

/// Some bytes of a text from a place on, cut between characters.
pub(super) fn window(text: &str, at: usize, length: usize) -> &str {
    &text[at..text.floor_char_boundary(at.saturating_add(length).min(text.len()))]
}

/// Whether a word looks made by a machine: letters and digits without a break, in a row of at least this length.
fn is_dense(word: &str, length: usize) -> bool {
    let is_ascii = word.bytes().all(|byte| byte.is_ascii_graphic());
    let letters = |part: &str| part.bytes().any(|byte| byte.is_ascii_alphabetic());
    let dense = |part: &str| part.len() >= length && has_digit(part) && letters(part);
    is_ascii && !is_mark(word) && word.split(['-', '_', '.', ':', '/', '=', '@']).any(dense)
        || is_ascii && word.len() >= 32 && has_digit(word) && letters(word) && !word.contains("://")
}

/// Whether a word of some length has capitals and small letters.
fn is_mixed(word: &str, length: usize) -> bool {
    let any = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    word.len() >= length && any(u8::is_ascii_uppercase) && any(u8::is_ascii_lowercase)
}

fn is_password(word: &str) -> bool {
    word.len() >= 4 && word.chars().any(|c| !c.is_alphabetic()) && !is_mark(word)
}

/// Whether a word is made of groups of capitals and digits, all of one length: `ABCD-EFGH-1234-5678`.
fn is_grouped(word: &str) -> bool {
    let groups: Vec<&str> = word.split('-').collect();
    let is_group = |group: &&str| {
        group.len() == groups[0].len() && group.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    let letters = word.bytes().any(|byte| byte.is_ascii_uppercase());
    groups.len() >= 3 && groups[0].len() >= 4 && groups.iter().all(is_group) && has_digit(word) && letters
}

pub(super) fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether something stands here in place of a secret: `[password]`, `<your key>`, `$NAME`, `****`. A secret may begin with
/// the same signs.
pub(super) fn is_mark(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    let rest = chars.as_str();
    let letters = |more: &[char]| rest.chars().all(|c| c.is_alphabetic() || more.contains(&c));
    match first {
        Some('[') => rest.contains(']') || letters(&['_', '-']),
        Some('<') => rest.contains('>') || letters(&['_', '-']),
        Some('{') => rest.contains('}') || letters(&['_', '-', '{']),
        Some('$') => {
            let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            rest.starts_with(['{', '(']) || letters(&['_']) || rest.bytes().all(is_name)
        }
        Some('*' | '…') => true,
        _ => word.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'.')),
    }
}
