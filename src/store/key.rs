//! The log key: what it seals cannot be written anew by someone who can write the database but does not have it.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

use super::Digest;

/// Seals digests. Handed over at opening; never written anywhere.
#[derive(Clone)]
pub struct LogKey(SecretString);

impl LogKey {
    /// A key of any length. White space around it is not part of it: variables and files often end with a line break.
    pub fn new(secret: &str) -> Self {
        Self(SecretString::from(secret.trim()))
    }

    /// Seals a digest for one use, so that a seal of one kind cannot pass for one of another.
    pub(crate) fn seal(&self, used_for: &str, digest: Digest) -> Option<Digest> {
        // HMAC takes keys of every length, so there is always one.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret().as_bytes()).ok()?;
        mac.update(used_for.as_bytes());
        mac.update(&[0]);
        mac.update(&digest.0);
        Some(Digest(mac.finalize().into_bytes().into()))
    }
}

impl fmt::Debug for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_depends_on_the_key_the_use_and_the_digest_and_the_key_is_not_shown() {
        let (key, digest) = (LogKey::new("opensesame\n"), Digest::of(b"x"));
        let seal = key.seal("event", digest);
        assert_eq!(seal, LogKey::new("opensesame").seal("event", digest), "white space around it does not count");
        assert_ne!(seal, LogKey::new("other").seal("event", digest));
        assert_ne!(seal, key.seal("head", digest));
        assert_ne!(seal, key.seal("event", Digest::of(b"y")));
        assert!(!format!("{key:?}").contains("opensesame"));
    }
}
