//! ownership
