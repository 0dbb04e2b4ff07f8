//! A file as a value, and where in the file each part of it is.

use std::collections::BTreeMap;

use saphyr::{LoadableYamlNode as _, MarkedYamlOwned, ScalarOwned, YamlDataOwned};
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::file::{Fault, Format};

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 40;

/// Where each part is: a line and a column from 1, by JSON pointer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places(BTreeMap<String, (usize, usize)>);

impl Places {
    /// Returns where a part is, or the nearest part around it that is known.
    pub(crate) fn of(&self, pointer: &str) -> (usize, usize) {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.0.get(pointer) {
                return *place;
            }
            match pointer.rfind('/') {
                Some(end) => pointer = &pointer[..end],
                None => return (1, 1),
            }
        }
    }
}

/// Reads a file.
pub(crate) fn locate(text: &str, format: Format) -> Result<(Value, Places), Fault> {
    let mut places = Places::default();
    let value = match format {
        Format::Toml => {
            let table = DeTable::parse(text).map_err(|error| {
                let (line, column) = position(text, error.span().map_or(0, |span| span.start));
                Fault::new(line, column, error.message())
            })?;
            table_value(text, table.get_ref(), "", &mut places)
        }
        Format::Yaml => yaml(text, &mut places)?,
        Format::Json => {
            let value = serde_json::from_str(text)
                .map_err(|error| Fault::new(error.line(), error.column(), plain(&error.to_string())))?;
            // YAML has JSON in it; where it has not, only the places are unknown.
            let _ = yaml(text, &mut places);
            value
        }
    };
    Ok((value, places))
}

/// Cuts the place off that the message of a JSON error ends with.
fn plain(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

fn yaml(text: &str, places: &mut Places) -> Result<Value, Fault> {
    let documents = MarkedYamlOwned::load_from_str(text).map_err(|error| {
        let marker = error.marker();
        Fault::new(marker.line(), marker.col() + 1, error.info())
    })?;
    match documents.as_slice() {
        [] => Err(Fault::new(1, 1, "the file is empty")),
        [one] => node_value(one, "", places, 0),
        [_, second, ..] => {
            Err(Fault::new(second.span.start.line(), 1, "a file has one workflow; a second document begins here"))
        }
    }
}

fn node_value(node: &MarkedYamlOwned, at: &str, places: &mut Places, depth: usize) -> Result<Value, Fault> {
    let (line, column) = (node.span.start.line(), node.span.start.col() + 1);
    let fault = |message: &str| Fault::new(line, column, message);
    if depth > DEPTH_MAX {
        return Err(fault("nested too deep"));
    }
    places.0.entry(at.to_owned()).or_insert((line, column));
    Ok(match &node.data {
        YamlDataOwned::Value(scalar) => match scalar {
            ScalarOwned::Null => Value::Null,
            ScalarOwned::Boolean(is) => (*is).into(),
            ScalarOwned::Integer(number) => (*number).into(),
            ScalarOwned::FloatingPoint(number) => number.into_inner().into(),
            ScalarOwned::String(text) => text.clone().into(),
        },
        YamlDataOwned::Representation(text, ..) => text.clone().into(),
        YamlDataOwned::Sequence(items) => {
            let items = items.iter().enumerate();
            let items = items.map(|(place, item)| node_value(item, &format!("{at}/{place}"), places, depth + 1));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        YamlDataOwned::Mapping(fields) => {
            let mut all = Map::new();
            for (name, value) in fields {
                let YamlDataOwned::Value(ScalarOwned::String(key)) = &name.data else {
                    return Err(Fault::new(name.span.start.line(), name.span.start.col() + 1, "a name is a text"));
                };
                let pointer = format!("{at}/{}", escaped(key));
                // Where a field begins, people look for its name.
                places.0.insert(pointer.clone(), (name.span.start.line(), name.span.start.col() + 1));
                let value = node_value(value, &pointer, places, depth + 1)?;
                all.insert(key.clone(), value);
            }
            Value::Object(all)
        }
        YamlDataOwned::Tagged(..) => return Err(fault("tags are not used here")),
        YamlDataOwned::Alias(_) => return Err(fault("this alias is not known")),
        YamlDataOwned::BadValue => return Err(fault("this value cannot be read")),
    })
}

fn table_value(text: &str, table: &DeTable<'_>, at: &str, places: &mut Places) -> Value {
    let mut all = Map::new();
    for (name, value) in table {
        let pointer = format!("{at}/{}", escaped(name.get_ref()));
        places.0.insert(pointer.clone(), position(text, name.span().start));
        all.insert(name.get_ref().to_string(), toml_value(text, value.get_ref(), &pointer, places));
    }
    Value::Object(all)
}

fn toml_value(text: &str, value: &DeValue<'_>, at: &str, places: &mut Places) -> Value {
    match value {
        DeValue::String(own) => own.to_string().into(),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(is) => (*is).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => {
            let mut all = Vec::new();
            for (place, item) in items.iter().enumerate() {
                let pointer = format!("{at}/{place}");
                places.0.insert(pointer.clone(), position(text, item.span().start));
                all.push(toml_value(text, item.get_ref(), &pointer, places));
            }
            Value::Array(all)
        }
        DeValue::Table(table) => table_value(text, table, at, places),
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the line and the column of a byte, from 1.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    (line, column)
}
