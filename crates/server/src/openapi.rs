//! The OpenAPI 3.1 document, made from the registry.

use api::{Access, Dialect, Spec, UnknownFields, Verb};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use service::{Entry, Registry};

use crate::rest::KEY_BYTES_MAX;
use crate::streams::STREAMS;

/// Describes every operation and every stream.
#[must_use]
pub fn document(registry: &Registry) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for entry in registry.entries() {
        let Some(rest) = entry.spec.rest else { continue };
        let path = paths.entry(rest.path).or_insert_with(|| json!({}));
        path[rest.verb.as_str().to_ascii_lowercase()] = operation(entry, rest.verb, &mut generator);
    }
    for stream in &STREAMS {
        paths.insert(stream.path.to_owned(), json!({ "get": stream.operation(&mut generator) }));
    }
    let mut schemas = generator.take_definitions(true);
    for dialect in [Dialect::DevFleet, Dialect::ClaudeFleet] {
        schemas.insert(format!("{}Error", prefix(dialect)), error_schema(dialect));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Fleet",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs fleets of coding agents. Errors carry a `code` that `fleet explain CODE` explains.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": error_responses(),
            "parameters": { "IdempotencyKey": idempotency_key() },
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } },
        },
    })
}

fn operation(entry: &Entry, verb: Verb, generator: &mut SchemaGenerator) -> Value {
    let spec = &entry.spec;
    let mut input = Value::from(entry.own.input(generator));
    let description = input.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (summary, rest) = description.split_once("\n\n").unwrap_or((&description, ""));
    let example: Value = serde_json::from_str(spec.example).unwrap_or_default();
    let mut described = json!({
        "operationId": spec.name,
        "summary": summary,
        "description": details(spec, rest),
        "tags": [tag(spec)],
        "parameters": parameters(spec, verb, &input, &example),
        "responses": responses(entry, generator),
    });
    if spec.access != Access::Public {
        described["security"] = json!([{ "bearer": [] }]);
    }
    if spec.takes_keys()
        && let Some(parameters) = described["parameters"].as_array_mut()
    {
        parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
    }
    if !verb.takes_query() {
        described["requestBody"] = request_body(spec, &mut input, &example);
    }
    described
}

fn details(spec: &Spec, rest: &str) -> String {
    let roles: Vec<&str> = spec.access.roles().iter().map(|role| role.as_str()).collect();
    let who = match spec.access {
        Access::Public => "Needs no token.".to_owned(),
        Access::Read => "For every role.".to_owned(),
        Access::Work | Access::Lead | Access::Merge | Access::Owner => format!("For the roles {}.", roles.join(", ")),
    };
    let unknown = match spec.unknown_fields {
        UnknownFields::Refuse => "Fields it does not know are refused.",
        UnknownFields::ReadBack => {
            "Fields it does not know are refused. A row that was read can be sent back: `warnings` names the fields of it \
             that cannot be set."
        }
        UnknownFields::Drop => {
            "Fields of a body that it does not know are dropped and named in `warnings`, the last member of the answer, \
             and in the `Fleet-Warning` header. Query parameters that it does not know are refused."
        }
    };
    [rest, &who, unknown].iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join("\n\n")
}

fn tag(spec: &Spec) -> &'static str {
    match spec.dialect() {
        Dialect::DevFleet => "projects and missions",
        Dialect::ClaudeFleet => "teams and tasks",
    }
}

fn parameters(spec: &Spec, verb: Verb, input: &Value, example: &Value) -> Vec<Value> {
    let in_path: Vec<&str> = spec.path_fields().collect();
    let fields = input.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let shown = fields.into_iter().filter(|(name, _)| in_path.contains(&name.as_str()) || verb.takes_query());
    shown
        .map(|(name, mut schema)| {
            let path = in_path.contains(&name.as_str());
            if path {
                api::without_null(&mut schema);
            }
            // What a list is narrowed by may be any text: one that names nothing matches nothing.
            let forms = schema.get_mut("anyOf").and_then(Value::as_array_mut);
            if let Some(forms) = forms.filter(|_| !path && narrows(spec)) {
                forms.push(json!({ "type": "string" }));
            }
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            let mut parameter = json!({
                "name": name,
                "in": if path { "path" } else { "query" },
                "required": path,
                "description": description,
                "schema": schema,
            });
            if let Some(value) = example.get(&name) {
                parameter["example"] = value.clone();
            }
            parameter
        })
        .collect()
}

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": format!(
            "Names the call, so that it is carried out once however often it is sent: the same call with the same key is \
             answered as it was the first time. At most {KEY_BYTES_MAX} ASCII characters, without blanks."
        ),
        "schema": { "type": "string" },
    })
}

/// Whether an operation lists what its caller sees, under a path whose contract takes any filter.
fn narrows(spec: &Spec) -> bool {
    spec.dialect() == Dialect::DevFleet && spec.targets.contains(&api::Target::Seen)
}

/// The body is the input without what travels in the path.
fn request_body(spec: &Spec, input: &mut Value, example: &Value) -> Value {
    let mut example = example.clone();
    for name in spec.path_fields() {
        if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
            properties.shift_remove(name);
        }
        if let Some(required) = input.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|field| field != name);
        }
        if let Some(example) = example.as_object_mut() {
            example.shift_remove(name);
        }
    }
    if let Some(schema) = input.as_object_mut() {
        schema.shift_remove("description");
        schema.shift_remove("title");
        schema.shift_remove("$schema");
    }
    if spec.unknown_fields.takes_rows() {
        lenient(input);
    }
    let required = input.get("required").and_then(Value::as_array).is_some_and(|required| !required.is_empty());
    json!({ "required": required, "content": { "application/json": { "schema": input, "example": example } } })
}

/// Says what a path that keeps a contract takes besides: more fields, which are dropped; null for "leave it"; and what
/// its rows show, flags as 0 and 1 and lists as JSON text.
fn lenient(input: &mut Value) {
    let required: Vec<Value> = input.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(schema) = input.as_object_mut() {
        schema.shift_remove("additionalProperties");
    }
    let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, field) in properties.iter_mut().filter(|(name, _)| !required.contains(&json!(name))) {
        let description = field.as_object_mut().and_then(|field| field.shift_remove("description"));
        let default = field.as_object_mut().and_then(|field| field.shift_remove("default"));
        let mut forms = vec![field.take(), json!({ "type": "null" })];
        let is = |name: &str| forms[0]["type"] == name || forms[0]["type"] == json!([name, "null"]);
        if is("boolean") {
            forms.push(json!({ "enum": [0, 1] }));
        } else if is("array") {
            forms.push(json!({ "type": "string", "contentMediaType": "application/json" }));
        }
        let mut either = json!({ "anyOf": forms });
        for (member, value) in [("description", description), ("default", default)] {
            if let Some(value) = value {
                either[member] = value;
            }
        }
        *field = either;
    }
}

fn responses(entry: &Entry, generator: &mut SchemaGenerator) -> Value {
    let schema = (entry.own.output)(generator);
    let error =
        |kind: &str| json!({ "$ref": format!("#/components/responses/{}{kind}", prefix(entry.spec.dialect())) });
    json!({
        entry.spec.status.to_string(): {
            "description": "Done",
            "content": { "application/json": { "schema": schema } },
        },
        "4XX": error("Refused"),
        "5XX": error("Failed"),
    })
}

/// The responses that every operation of a dialect shares.
fn error_responses() -> Value {
    let mut responses = Map::new();
    for dialect in [Dialect::DevFleet, Dialect::ClaudeFleet] {
        let schema = json!({ "$ref": format!("#/components/schemas/{}Error", prefix(dialect)) });
        for (kind, description) in [("Refused", "Refused; nothing was changed"), ("Failed", "Failed")] {
            let content = json!({ "application/json": { "schema": schema } });
            let response = json!({ "description": description, "content": content });
            responses.insert(format!("{}{kind}", prefix(dialect)), response);
        }
    }
    Value::Object(responses)
}

/// What the names of a dialect's shared parts begin with.
fn prefix(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::DevFleet => "Api",
        Dialect::ClaudeFleet => "",
    }
}

fn error_schema(dialect: Dialect) -> Value {
    let text = match dialect {
        Dialect::DevFleet => json!({ "type": ["string", "array"] }),
        Dialect::ClaudeFleet => json!({ "type": "string" }),
    };
    json!({
        "type": "object",
        "required": [dialect.error_member(), "code"],
        "properties": {
            dialect.error_member(): text,
            "code": { "type": "string" },
            "hint": { "type": "string" },
        },
    })
}
