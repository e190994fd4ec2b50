//! Addresses that keep what the user said private.

use crate::decode::{Problems, Spanned};
use crate::engine::this_machine::is_this_machine;

/// Reports an address that others could listen in on.
pub fn check(url: &Spanned<String>, problems: &mut Problems) {
    let fault = match host(url) {
        _ if url.is_empty() => return,
        None => "this is not an address: it has no host, or a name and a password in it",
        Some((true, _) | (false, true)) => return,
        Some((false, false)) => "a handler's address starts with https://, or is a loopback http:// one",
    };
    problems
        .error("bad-url", url.span.clone(), fault)
        .help("write https://host/path; what the user said would otherwise travel in the open");
}

/// Whether an address is an https one, and whether its host is this machine. What the host is must be beyond doubt, so
/// anything out of the ordinary (a user name, odd characters) makes it none.
fn host(url: &str) -> Option<(bool, bool)> {
    let (secure, rest) = match url.split_once("://")? {
        ("https", rest) => (true, rest),
        ("http", rest) => (false, rest),
        _ => return Some((false, false)),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((host, port)) => (host, port),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let number = port.strip_prefix(':').unwrap_or(port);
    let port = port.is_empty() || (port.starts_with(':') && number.parse::<u16>().is_ok());
    let address = host.parse::<core::net::IpAddr>();
    let labels = !host.is_empty() && host.split('.').all(label);
    let named =
        authority.starts_with('[') == matches!(address, Ok(core::net::IpAddr::V6(_))) && (address.is_ok() || labels);
    let local = is_this_machine(host);
    let plain = url.chars().all(|c| c.is_ascii_graphic() && c != '\\');
    (port && named && plain).then_some((secure, local))
}

/// Whether a text is one part of a host's name.
fn label(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn only_what_is_surely_local_is_local() {
        for url in ["http://localhost/a", "http://localhost:8080", "http://127.0.0.1:1/x?y", "http://[::1]:80/"] {
            assert_eq!(host(url), Some((false, true)), "{url}");
        }
        for url in ["http://weather.example/", "http://localhost.example", "http://128.0.0.1", "ftp://localhost"] {
            assert_eq!(host(url), Some((false, false)), "{url}");
        }
        for url in ["https://weather.example/a?b#c", "https://10.0.0.1:8443"] {
            assert_eq!(host(url), Some((true, false)), "{url}");
        }
    }

    #[test]
    fn what_is_out_of_the_ordinary_is_no_address() {
        for url in [
            "https://",
            "https:///path",
            "https://a b",
            "https://a..b/",
            "https://user@host/",
            "http://localhost:80@evil.example/",
            "http://localhost\\@evil.example/",
            "http://[::1",
            "http://::1/",
            "http://localhost:port",
            "http://localhost:99999",
            "localhost",
        ] {
            assert_eq!(host(url), None, "{url}");
        }
    }
}
