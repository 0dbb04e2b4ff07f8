//! The table of operations: one row per operation, in a file for each contract whose paths it keeps.
//!
//! A row reads
//! `Input => "name" Verb "/path" -> Output, Access on [Target("field")] { what differs from the defaults } tool "name"
//! Audience { … };`. What an operation acts on has no default: a row without it does not compile.
//! The verb and the path are left out for an operation that has none; `paged` behind the access marks a listing that
//! continues. A tool shows all fields of the input, or those that `fields` names; `from Type` takes another input and
//! `=> View` answers with another output, each by a `From`; `=>> View` is made of input and output together. The `example` is the input as JSON: documentation shows it,
//! and tests read it, write it back and call every operation with it. Surfaces visit the rows through
//! [`operations!`] or [`visit`].

mod claude_fleet;
mod codefleet;
mod devfleet;
mod fleet;

use crate::{Access, Operation, Spec, Target, Tool, ToolSpec, UnknownFields, Verb};

/// Hands the rows of each file to a macro, behind its arguments and what the file's contract does with unknown fields.
#[doc(hidden)]
#[macro_export]
macro_rules! operation_rows {
    ([$($visit:tt)*] [$($arguments:tt)*]) => {
        $crate::devfleet_rows! { [$($visit)*] [$($arguments)*] }
        $crate::claude_fleet_rows! { [$($visit)*] [$($arguments)*] }
        $crate::codefleet_rows! { [$($visit)*] [$($arguments)*] }
        $crate::fleet_rows! { [$($visit)*] [$($arguments)*] }
    };
}

/// Hands the type of every operation to the macro named, behind the arguments given.
#[macro_export]
macro_rules! operations {
    ($visit:ident [$($arguments:tt)*]) => {
        $crate::operation_rows! { [$crate::operation_types] [$visit [$($arguments)*]] }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! operation_types {
    ([$visit:ident $arguments:tt] $unknown:ident $($op:ty => $name:literal $($verb:ident $path:literal)? -> $output:ty, $access:ident on [$($target:ident $(($of:literal))?),+] $($paged:ident)? { $($field:ident: $value:expr,)* } $(tool $tool:literal $audience:ident $(from $input:ty)? $(=> $view:ty)? $(=>> $whole:ty)? { $($tool_field:ident: $tool_value:expr,)* })*;)*) => {
        $visit! { $arguments $($op,)* }
    };
}

macro_rules! declare {
    ([] $unknown:ident $($op:ty => $name:literal $($verb:ident $path:literal)? -> $output:ty, $access:ident on [$($target:ident $(($of:literal))?),+] $($paged:ident)? { $($field:ident: $value:expr,)* } $(tool $tool:literal $audience:ident $(from $input:ty)? $(=> $view:ty)? $(=>> $whole:ty)? { $($tool_field:ident: $tool_value:expr,)* })*;)*) => {
        $(
            impl api::Operation for $op {
                const SPEC: Spec = Spec {
                    $($field: $value,)*
                    ..Spec::new(
                        $name,
                        Access::$access,
                        &[$(Target::$target $(($of))?),+],
                        UnknownFields::$unknown,
                    )$(.at(Verb::$verb, $path))?
                };
                const PAGED: bool = !stringify!($($paged)?).is_empty();
                type Output = $output;
                $(fn next(output: &Self::Output) -> Option<&str> {
                    api::$paged(output)
                })?
                fn tools() -> Vec<Tool<Self>> {
                    vec![$({
                        let audience = crate::Audience::$audience;
                        let spec = ToolSpec { $($tool_field: $tool_value,)* ..ToolSpec::new($tool, audience) };
                        bind!(spec, $($view)?)$(.answers::<$whole>())?$(.takes::<$input>())?
                    },)*]
                }
            }
        )*
    };
}

macro_rules! bind {
    ($spec:expr,) => {
        Tool::<Self>::new::<Self::Output>($spec)
    };
    ($spec:expr, $view:ty) => {
        Tool::<Self>::new::<$view>($spec)
    };
}

operation_rows!([declare] []);

/// Something that looks at every operation with its types.
pub trait Visitor {
    /// Looks at one.
    fn operation<O: Operation>(&mut self);
}

macro_rules! tour {
    ([$visitor:ident] $($op:ty,)*) => {
        $($visitor.operation::<$op>();)*
    };
}

/// Shows a visitor every operation, in the order of the table.
pub fn visit(visitor: &mut impl Visitor) {
    operations!(tour[visitor]);
}

/// Returns every row of the table, without its types.
#[must_use]
pub fn specs() -> Vec<Spec> {
    struct Specs(Vec<Spec>);
    impl Visitor for Specs {
        fn operation<O: Operation>(&mut self) {
            self.0.push(O::SPEC);
        }
    }
    let mut specs = Specs(Vec::new());
    visit(&mut specs);
    specs.0
}
