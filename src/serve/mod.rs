//! Front ends for other programs: clients of the host's protocol, as the app is one.

pub mod mcp;
