//! From a declaration to a struct with its derives, and to the struct of its update.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DataStruct, DeriveInput, Field, Fields, Type, parse_quote};

use crate::arguments::{Arguments, Update};

/// What is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Input,
    Fields,
    Output,
}

/// Attributes of fields that are ours.
const MARKS: [&str; 3] = ["create", "update", "group"];

pub(crate) fn expand(arguments: &Arguments, item: &DeriveInput, kind: Kind) -> syn::Result<TokenStream> {
    let mut create = item.clone();
    create.attrs.extend(container(arguments, kind));
    let Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) = &mut create.data else {
        return Ok(create.into_token_stream());
    };
    let all = fields.named.clone();
    if kind != Kind::Output {
        let own = all.iter().filter(|field| !marked(field, "update")).cloned();
        fields.named = own.map(|field| optional(unmarked(field))).collect();
    }
    let update = arguments.update.iter().map(|update| updating(arguments, update, item, all.iter()));
    Ok(quote! { #create #(#update)* })
}

/// The attributes that every declaration of a kind has.
fn container(arguments: &Arguments, kind: Kind) -> Vec<Attribute> {
    let derives = &arguments.derives;
    let mut attributes: Vec<Attribute> = vec![
        parse_quote!(#[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]),
    ];
    if !derives.is_empty() {
        attributes.push(parse_quote!(#[derive(#(#derives),*)]));
    }
    if let Some(case) = &arguments.case {
        attributes.push(parse_quote!(#[serde(rename_all = #case)]));
    }
    if kind == Kind::Input {
        // The schema refuses unknown fields. Serde cannot, where a group of fields is flattened.
        attributes.push(parse_quote!(#[schemars(extend("additionalProperties" = false))]));
    }
    attributes
}

/// The input of an update: what it is about, then every field of the creation, each of which can be left out.
fn updating<'a>(
    arguments: &Arguments,
    update: &Update,
    item: &DeriveInput,
    fields: impl Iterator<Item = &'a Field>,
) -> TokenStream {
    let Update { name, doc, key, key_type, key_doc } = update;
    let attributes =
        container(&Arguments { derives: Vec::new(), case: arguments.case.clone(), update: None }, Kind::Input);
    let visibility = &item.vis;
    let fields = fields.filter(|field| !marked(field, "create")).cloned().map(|field| {
        let mut field = unmarked(field);
        if !is_flat(&field) {
            field.attrs.retain(|attribute| !attribute.path().is_ident("serde") || says(attribute, "rename"));
            if !is(&field.ty, "Option") {
                let inner = &field.ty;
                field.ty = parse_quote!(Option<#inner>);
            }
        }
        optional(field)
    });
    quote! {
        #[doc = #doc]
        #(#attributes)*
        #visibility struct #name {
            #[doc = #key_doc]
            #visibility #key: #key_type,
            #(#fields,)*
        }
    }
}

/// Lets a field that may be empty be left out, unless its attributes say how.
fn optional(mut field: Field) -> Field {
    if field.attrs.iter().any(|attribute| attribute.path().is_ident("serde") && !says(attribute, "rename")) {
        return field;
    }
    if is(&field.ty, "Option") {
        field.attrs.push(parse_quote!(#[serde(default, skip_serializing_if = "Option::is_none")]));
    } else if is(&field.ty, "Vec") {
        field.attrs.push(parse_quote!(#[serde(default, skip_serializing_if = "Vec::is_empty")]));
    }
    field
}

fn marked(field: &Field, mark: &str) -> bool {
    field.attrs.iter().any(|attribute| attribute.path().is_ident(mark))
}

/// Takes the marks off a field; a group of fields is flattened.
fn unmarked(mut field: Field) -> Field {
    if marked(&field, "group") {
        field.attrs.push(parse_quote!(#[doc = "Fields that other inputs have, too."]));
        field.attrs.push(parse_quote!(#[serde(flatten)]));
    }
    field.attrs.retain(|attribute| MARKS.iter().all(|mark| !attribute.path().is_ident(mark)));
    field
}

fn is_flat(field: &Field) -> bool {
    field.attrs.iter().any(|attribute| says(attribute, "flatten"))
}

fn says(attribute: &Attribute, word: &str) -> bool {
    attribute.meta.to_token_stream().to_string().contains(word)
}

fn is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}
