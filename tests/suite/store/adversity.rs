//! adversity
