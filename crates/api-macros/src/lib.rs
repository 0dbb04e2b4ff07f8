//! What all inputs and outputs of operations have in common, said once: derives, serde and schema attributes, and the
//! input of an update from the input of a creation.
//!
//! - `#[input]` refuses unknown fields; a field that is an `Option` or a `Vec` can be left out.
//! - `#[fields]` is a group of fields that several inputs have in common. An input has it by `#[group] pub page: Page`.
//! - `#[output]` only derives.
//!
//! Arguments: further derives (`Default`), a case for names on the wire (`camelCase`), and for an input the update that
//! goes with it: `update(UpdateMission, "Update a mission", mission: MissionId, "The mission")`. It has every field of
//! the creation as one that can be left out. A field marked `#[create]` is not in the update, one marked `#[update]` is
//! only there.

mod arguments;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use arguments::Arguments;
use expand::Kind;

/// Declares the input of an operation.
#[proc_macro_attribute]
pub fn input(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded(arguments, item, Kind::Input)
}

/// Declares a group of fields for inputs.
#[proc_macro_attribute]
pub fn fields(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded(arguments, item, Kind::Fields)
}

/// Declares what an operation answers with, or a part of it.
#[proc_macro_attribute]
pub fn output(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded(arguments, item, Kind::Output)
}

fn expanded(arguments: TokenStream, item: TokenStream, kind: Kind) -> TokenStream {
    let (arguments, item) = (parse_macro_input!(arguments as Arguments), parse_macro_input!(item as DeriveInput));
    expand::expand(&arguments, &item, kind).unwrap_or_else(|error| error.to_compile_error()).into()
}
