//! Times as each dialect writes them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use types::Timestamp;

/// ISO 8601 with milliseconds and `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsoTime(pub Timestamp);

/// `YYYY-MM-DD HH:MM:SS`, in UTC and without a zone: its clients append the zone themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlTime(pub Timestamp);

impl Serialize for IsoTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:.3}", self.0))
    }
}

impl<'de> Deserialize<'de> for IsoTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Timestamp::deserialize(deserializer).map(Self)
    }
}

impl Serialize for SqlTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.strftime("%Y-%m-%d %H:%M:%S"))
    }
}

impl<'de> Deserialize<'de> for SqlTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        format!("{text}Z").parse().map(Self).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for IsoTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IsoTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl JsonSchema for SqlTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SqlTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_writes_the_same_instant_in_its_own_form_and_reads_it_back() {
        let at: Timestamp = "2026-11-15T20:14:05.123456Z".parse().unwrap();
        let iso = serde_json::to_string(&IsoTime(at)).unwrap();
        let sql = serde_json::to_string(&SqlTime(at)).unwrap();
        assert_eq!((iso.as_str(), sql.as_str()), (r#""2026-11-15T20:14:05.123Z""#, r#""2026-11-15 20:14:05""#));
        assert_eq!(serde_json::from_str::<IsoTime>(&iso).unwrap().0.as_millisecond(), at.as_millisecond());
        assert_eq!(serde_json::from_str::<SqlTime>(&sql).unwrap().0.as_second(), at.as_second());
    }
}
