//! What is parsed to what.
