//! Sensitive data in what people write: found before anything is sent or stored. Each search goes through the text once,
//! and looks no further around a place than a fixed number of bytes.

mod announced;
mod numbers;
mod secrets;

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to do about sensitive data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitivePolicy {
    /// Say once that it was seen.
    #[default]
    Warn,
    /// Replace it before it goes anywhere.
    Redact,
    /// Leave it alone.
    Allow,
}

/// A kind of sensitive data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SensitiveKind {
    Email,
    Phone,
    /// A US social security number.
    Ssn,
    /// A payment card number that passes the Luhn check.
    Card,
    /// A bank account by its international number.
    Iban,
    Password,
    ApiKey,
    PrivateKey,
}

/// What was found, and where.
pub type SensitivePlaces = Vec<(SensitiveKind, Range<usize>)>;

impl SensitiveKind {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "an email address",
            Self::Phone => "a phone number",
            Self::Ssn => "a social security number",
            Self::Card => "a card number",
            Self::Iban => "a bank account number",
            Self::Password => "a password",
            Self::ApiKey => "an API key",
            Self::PrivateKey => "a private key",
        }
    }

    fn placeholder(self) -> &'static str {
        match self {
            Self::Email => "[email]",
            Self::Phone => "[phone]",
            Self::Ssn => "[ssn]",
            Self::Card => "[card]",
            Self::Iban => "[iban]",
            Self::Password => "[password]",
            Self::ApiKey => "[api key]",
            Self::PrivateKey => "[private key]",
        }
    }
}

/// The sensitive parts of a text, in order, none overlapping.
pub fn find(text: &str) -> SensitivePlaces {
    let mut found = Vec::new();
    secrets::find(text, &mut found);
    emails(text, &mut found);
    numbers::find(text, &mut found);
    found.sort_by_key(|(_, range)| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|(_, range)| {
        let free = range.start >= end;
        end = if free { range.end } else { end };
        free
    });
    found
}

/// The text with every sensitive part replaced by what it is.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (kind, range) in find(text) {
        out.push_str(&text[at..range.start]);
        out.push_str(kind.placeholder());
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The text as it may be stored.
pub fn storable(text: &str, policy: SensitivePolicy) -> String {
    match policy {
        SensitivePolicy::Redact => redact(text),
        SensitivePolicy::Warn | SensitivePolicy::Allow => text.to_owned(),
    }
}

/// A value with every sensitive part of its texts replaced.
pub(crate) fn redact_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text)),
        Value::Array(items) => items.into_iter().map(redact_value).collect(),
        Value::Object(parts) => parts.into_iter().map(|(key, value)| (key, redact_value(value))).collect(),
        other => other,
    }
}

/// The longest name and the longest domain of an address.
const LONGEST_NAME: usize = 64;
const LONGEST_DOMAIN: usize = 253;

fn emails(text: &str, found: &mut SensitivePlaces) {
    // What stands before the sign may be a password in an address.
    let taken: BTreeSet<usize> = found.iter().map(|(_, range)| range.end).collect();
    for (at, _) in text.match_indices('@').filter(|(at, _)| !taken.contains(at)) {
        let named = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
        let name: usize =
            text[..at].chars().rev().take(LONGEST_NAME).take_while(|c| named(*c)).map(char::len_utf8).sum();
        let hosted = |c: &char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let domain: usize = text[at + 1..].chars().take(LONGEST_DOMAIN).take_while(hosted).map(char::len_utf8).sum();
        let domain = text[at + 1..at + 1 + domain].trim_end_matches(['.', '-']);
        let dotted = domain.contains('.') && domain.split('.').all(|part| !part.is_empty());
        let top = domain.rsplit('.').next().unwrap_or_default();
        if name > 0 && dotted && top.len() >= 2 && top.chars().all(|c| c.is_ascii_alphabetic()) {
            found.push((SensitiveKind::Email, at - name..at + 1 + domain.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<SensitiveKind> {
        find(text).into_iter().map(|(kind, _)| kind).collect()
    }

    #[test]
    fn each_kind_is_found() {
        assert_eq!(kinds("write to ann.lee@example.org, please"), [SensitiveKind::Email]);
        assert_eq!(kinds("call +44 20 7946 0958 or 020 7946 0958"), [SensitiveKind::Phone, SensitiveKind::Phone]);
        assert_eq!(kinds("my SSN is 078-05-1120."), [SensitiveKind::Ssn]);
        assert_eq!(kinds("card 4111 1111 1111 1111"), [SensitiveKind::Card]);
        assert_eq!(kinds("the password is hunter2!"), [SensitiveKind::Password]);
        assert_eq!(kinds("key sk-abcDEF123456789012345"), [SensitiveKind::ApiKey]);
    }

    #[test]
    fn ordinary_figures_are_left_alone() {
        for text in [
            "reception loses 3 hours a day",
            "between 2024-01-02 and 03/04/2025",
            "a budget of 40,000 to 60,000 euros",
            "card 4111 1111 1111 1112",
            "we forgot the password again",
            "10 000 users in 2026",
            "user@ example",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    /// Secrets in the forms in which people paste them.
    const PASTED: &[(&str, &str)] = &[
        ("OPENAI_API_KEY=sk-proj-abc123DEF456ghi789JKL", "OPENAI_API_KEY=[api key]"),
        ("export token=ghp_16C7e42F292c6912E7710c838347Ae178B4a", "export token=[api key]"),
        ("try postgres://ann:s3cret@db.example.com:5432/x", "try postgres://ann:[password]@db.example.com:5432/x"),
        ("https://user:p%40ss@example.org/a", "https://user:[password]@example.org/a"),
        (
            "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U ok",
            "Bearer [api key] ok",
        ),
        ("my jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-_123", "my jwt [api key]"),
        ("Authorization: Bearer 9f8e7d6c5b4a39281706", "Authorization: Bearer [api key]"),
        ("-H 'authorization: basic dXNlcjpwYXNzdzByZA=='", "-H 'authorization: basic [api key]'"),
        ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----\nb", "a\n[private key]\nb"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz (cut off)", "[private key]"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [api key]"),
        ("AWS gave me wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.", "AWS gave me [api key]."),
        ("id AKIAIOSFODNN7EXAMPLE", "id [api key]"),
        ("{\"api_key\": \"0a1b2c3d4e5f\", \"n\": 3}", "{\"api_key\": \"[api key]\", \"n\": 3}"),
        ("?api_key=0a1b2c3d4e5f&page=2", "?api_key=[api key]&page=2"),
        ("xoxb-123456789012-abcdefABCDEF", "[api key]"),
        ("curl: Bearer sk-KCSECRET-abcdefghijklmnop", "curl: Bearer [api key]"),
        ("bot 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "bot [api key]"),
        ("my password: \"correct horse battery staple\"", "my password: \"[password]\""),
        ("card 5500.0000.0000.0004", "card [card]"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[api key]"),
        ("stripe sk_live_4eC39HqLyjWDarjtT1zdp7dc", "stripe [api key]"),
        ("rk_live_4eC39HqLyjWDarjtT1zdp7dc, whsec_4eC39HqLyjWDarjtT1zdp7dc", "[api key], [api key]"),
        ("The API key is 9f8e7d6c5b4a39281706.", "The API key is [api key]."),
        ("Server=db;Password=hunter2;Port=1", "Server=db;Password=[password];Port=1"),
        ("mysql --password=Tr0ub4dor -u ann", "mysql --password=[password] -u ann"),
        ("DB_PASS='hunter2, too'; ADMIN_PASS=\"x9$k\"", "DB_PASS='[password]'; ADMIN_PASS=\"[password]\""),
        ("PASS=Tr0ub4dor", "PASS=[password]"),
        ("Das Kennwort lautet Tr0ub4dor&3.", "Das Kennwort lautet [password]"),
        ("Das Passwort ist: Tr0ub4dor", "Das Passwort ist: [password]"),
        ("docker login with dckr_pat_Ab12Cd34Ef56Gh78Ij90", "docker login with [api key]"),
        ("curl -u ann:Tr0ub4dor https://example.org", "curl -u ann:[password] https://example.org"),
        ("curl --user ann:swordfish x", "curl --user ann:[password] x"),
        ("pay to DE89 3704 0044 0532 0130 00, BIC COBADEFF", "pay to [iban], BIC COBADEFF"),
        ("IBAN GB82WEST12345698765432.", "IBAN [iban]."),
        ("mailto:ann.lee@example.org,bob@example.org", "mailto:[email],[email]"),
        ("DB_PASSWORD=$ecret123x", "DB_PASSWORD=[password]"),
        ("my password is [Tr0ub4dor", "my password is [password]"),
        ("DB_PASSWORD=correcthorsebattery", "DB_PASSWORD=[password]"),
        ("PGPASSWORD=hunter2! psql", "PGPASSWORD=[password] psql"),
        ("userPassword: \"abc-123z\"", "userPassword: \"[password]\""),
        ("login: joe / pass: hunter4!", "login: joe / pass: [password]"),
        ("machine x login joe password S3cret99", "machine x login joe password [password]"),
        ("mysql -u root -pS3cretPw9 db", "mysql -u root -p[password] db"),
        ("sshpass -p S3cretPw8 ssh host", "sshpass -p [password] ssh host"),
        ("my token is ABCD-EFGH-1234-5678.", "my token is [api key]."),
        ("passphrase: correct horse battery staple 7\nnext", "passphrase: [password]\nnext"),
        ("password：hunter3!", "password：[password]"),
    ];

    #[test]
    fn secrets_are_found_in_the_forms_in_which_people_paste_them() {
        for (text, redacted) in PASTED {
            assert_eq!(redact(text), *redacted);
            assert_eq!(redact(redacted), *redacted, "and what is left is left alone");
        }
    }

    #[test]
    fn ordinary_prose_about_keys_and_tokens_is_left_alone() {
        for text in [
            "we use scikit-learn and sk-learn-Pipelines for version2",
            "The token: people get one per visit, 30 tokens a day",
            "API key: ask the IT team in building 7",
            "key=value pairs, and Key: 2026-Q1-roadmap-v2",
            "max_tokens = 4096, secret: it is a surprise party on 2026-03-04",
            "The secret is to start early. The password is changed every 90 days.",
            "see https://example.org:8443/a@b and http://localhost:3000/token=none",
            "ratio 3:2 @ 4pm, @ann said so, a@b, user@host",
            "commit 018b30b2f6c1de7a0a4f5c9b8e7d6a5f4c3b2a10 broke it",
            "AIza is a prefix; so are AKIA, ghp_ and eyJ. Bearer of bad news.",
            "password: none yet; Passwort: folgt",
            "The basic authorization: basic users may read",
            "pass: 12 of 13 tests; docker run -u 1000:1000 x; ls -u 3:45",
            "flights DE89 3704 0044 and room GB82",
            "DB_PASSWORD=$DB_PASSWORD, API_PASSWORD=${SECRET}, password: <your password>, PASSWORD=[redacted]",
            "mysql -p -u root, ssh -p 2222 host, docker run -p 8080:80 x, the password 2026 policy, the key is RED-BLUE-7",
            "passphrase: none yet; a first pass: everything went well",
            "Keyboard=QWERTZ, monkey=3, tokenizer=bpe2, secretary=Ann1",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn a_long_text_of_nothing_but_beginnings_is_read_in_one_go() {
        for beginning in
            ["token=", "sk-", "eyJ.", "://a:", "@", "-----BEGIN PRIVATE", "bearer ", "password is ", "x@y."]
        {
            let text = beginning.repeat(200_000 / beginning.len());
            assert_eq!(find(&text).len(), 0, "{beginning}");
        }
    }

    #[test]
    fn passwords_and_keys_are_found_as_people_announce_them() {
        for (text, redacted) in [
            ("the password hunter2abc opens it", "the password [password] opens it"),
            ("Mot de passe : soleil42", "Mot de passe : [password]"),
            ("la contraseña: sol1234x", "la contraseña: [password]"),
            ("Api-Key abcdef0123456789abcdef", "Api-Key [api key]"),
            ("xai-Abc123Def456Ghi789", "[api key]"),
        ] {
            assert_eq!(redact(text), redacted);
        }
    }

    #[test]
    fn redaction_keeps_the_rest() {
        assert_eq!(redact("Mail a@b.co, Zoë: 4111111111111111!"), "Mail [email], Zoë: [card]!");
    }
}
