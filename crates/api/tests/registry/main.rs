//! Laws of the operation table: each test walks every row and names those that break it.
//!
//! A new row needs no new test. Start reading at `table`, which says what a law can look at.

extern crate fleet_api as api;

mod commands;
mod error_pages;
mod examples;
mod fields;
mod guards;
mod routes;
mod table;
mod tools;
