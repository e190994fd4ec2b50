//! Whether a host is this machine: what is sent there can be overheard by nobody else.

/// By its name or address, as it stands in a URL: without a port, in brackets or not.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<core::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn only_what_is_surely_this_machine_is() {
        for host in ["localhost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["localhost.example", "128.0.0.1", "0.0.0.0", "10.0.0.1", "", "[::2]"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
