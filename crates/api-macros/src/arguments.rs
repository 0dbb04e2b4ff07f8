//! The arguments of the attributes.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Path, Token, Type};

/// Everything in the parentheses of an attribute.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) derives: Vec<Path>,
    /// The case of names on the wire, where it is not that of the fields.
    pub(crate) case: Option<LitStr>,
    pub(crate) update: Option<Update>,
}

/// The update that goes with a creation.
pub(crate) struct Update {
    pub(crate) name: Ident,
    pub(crate) doc: LitStr,
    /// The field that names what is updated.
    pub(crate) key: Ident,
    pub(crate) key_type: Type,
    pub(crate) key_doc: LitStr,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut arguments = Self::default();
        for one in Punctuated::<One, Token![,]>::parse_terminated(input)? {
            match one {
                One::Derive(path) => arguments.derives.push(path),
                One::Case(case) => arguments.case = Some(case),
                One::Update(update) => arguments.update = Some(*update),
            }
        }
        Ok(arguments)
    }
}

enum One {
    Derive(Path),
    Case(LitStr),
    Update(Box<Update>),
}

impl Parse for One {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path: Path = input.parse()?;
        let word = path.get_ident().map(Ident::to_string).unwrap_or_default();
        match word.as_str() {
            "update" => {
                let content;
                syn::parenthesized!(content in input);
                Ok(Self::Update(Box::new(content.parse()?)))
            }
            case @ ("camelCase" | "snake_case") => Ok(Self::Case(LitStr::new(case, Span::call_site()))),
            _ => Ok(Self::Derive(path)),
        }
    }
}

impl Parse for Update {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![,]>()?;
        let doc = input.parse()?;
        input.parse::<Token![,]>()?;
        let key = input.parse()?;
        input.parse::<Token![:]>()?;
        let key_type = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Self { name, doc, key, key_type, key_doc: input.parse()? })
    }
}
