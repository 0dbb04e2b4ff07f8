//! The whole interface: one row per operation, in a file for each system whose words it speaks.
//!
//! A row reads `Input => "name" Verb "/path" -> Output, Access { what differs from the defaults };`; `paged` behind
//! the access marks a listing that continues. The `example` is
//! the input as JSON: documentation shows it, and a test reads it and writes it back. Surfaces visit the rows through
//! [`operations!`]: this crate to declare them, `service` to bind each to its handler.

mod claude_fleet;
mod devfleet;
mod fleet;
mod tools;

use crate::{Access, Spec, Verb};

/// Hands every row of the table to the macro named.
#[macro_export]
macro_rules! operations {
    ($visit:ident) => {
        $crate::devfleet_rows! { $visit [] }
    };
}

macro_rules! declare {
    ($($op:ty => $name:literal $verb:ident $path:literal -> $output:ty, $access:ident $($paged:ident)? { $($field:ident: $value:expr,)* };)*) => {
        $(
            impl api::Operation for $op {
                const SPEC: Spec = Spec { $($field: $value,)* ..Spec::new($name, Verb::$verb, $path, Access::$access) };
                type Output = $output;
                $(fn next(output: &Self::Output) -> Option<&str> {
                    api::$paged(output)
                })?
            }
        )*

        /// Returns every row of the table, without its types.
        #[must_use]
        pub fn specs() -> Vec<Spec> {
            vec![$(<$op as api::Operation>::SPEC,)*]
        }
    };
}

operations!(declare);
