//! Writes everything that is derived from code and checked in: the contract and the references.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use service::Registry;

/// Writes the generated files below a folder.
pub(crate) fn write(root: &Path) -> Result<()> {
    let registry = Registry::new();
    let files = [
        ("contract/openapi.json", pretty(&server::openapi::document(&registry))?),
        ("contract/mcp-tools.json", pretty(&tools(&registry)?)?),
        ("contract/errors.json", pretty(&errors())?),
        ("docs/reference/configuration.md", config::configuration_reference()),
    ];
    for (path, text) in files {
        put(&root.join(path), &text)?;
    }
    Ok(())
}

fn tools(registry: &Registry) -> Result<Value> {
    let tools = registry.entries().iter().filter(|entry| entry.spec.tool.is_some());
    let described = tools.map(|entry| {
        let schema = entry.contract()?.schema.clone();
        Ok(json!({ "name": entry.spec.name, "description": schema.get("description"), "inputSchema": schema }))
    });
    described.collect::<Result<Vec<_>, api::Error>>().map(Value::Array).context("cannot describe the tools")
}

fn errors() -> Value {
    api::Code::ALL.iter().map(|code| json!({ "code": code.as_str(), "kind": format!("{:?}", code.kind()) })).collect()
}

fn pretty(value: &Value) -> Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
}

#[expect(clippy::disallowed_methods, reason = "this command exists to write these files")]
fn put(path: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    std::fs::write(path, text).with_context(failed)
}
