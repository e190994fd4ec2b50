//! The integration tests, one binary so that they link once.

// Engines as files: what designers are told, what the commands print.
mod engines;
