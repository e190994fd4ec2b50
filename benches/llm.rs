//! Measures what the endpoint layer itself adds to a call.

fn main() {}
