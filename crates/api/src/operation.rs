//! An operation is its input struct; this is what every surface knows of it.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Spec, Tool};

/// A call that Fleet answers, on every surface alike.
pub trait Operation: DeserializeOwned + Serialize + JsonSchema + Clone + Send + 'static {
    /// Its row in the table.
    const SPEC: Spec;
    /// Whether it is a listing that continues.
    const PAGED: bool;
    /// What it answers with.
    type Output: DeserializeOwned + Serialize + JsonSchema + Send + 'static;

    /// Returns where the next page begins, for an answer that is one page of a longer one.
    ///
    /// The contracts have plain arrays, so it travels beside the body: in the `Fleet-Next` header over HTTP.
    fn next(_: &Self::Output) -> Option<&str> {
        None
    }

    /// Returns the MCP tools that are bound to it.
    fn tools() -> Vec<Tool<Self>> {
        Vec::new()
    }
}

/// A page of a list: a plain array on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// The page.
    pub items: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

impl<T> Listing<T> {
    /// Makes a listing that is whole.
    pub fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }
}

/// Returns where the next page of a listing begins; rows of the table that say `paged` use it.
pub fn paged<T>(listing: &Listing<T>) -> Option<&str> {
    listing.next.as_deref()
}

impl<T: Serialize> Serialize for Listing<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Listing<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::whole)
    }
}

impl<T: JsonSchema> JsonSchema for Listing<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}List", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<T>::json_schema(generator)
    }
}
