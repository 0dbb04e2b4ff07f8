//! Writes everything that is derived from code and checked in: the contract and the references.

use std::path::Path;

use api::Kind;
use cli::Failure;
use serde_json::{Value, json};
use service::Registry;

type Result<T> = std::result::Result<T, Failure>;

/// Writes the generated files below a folder.
pub(crate) fn write(root: &Path) -> Result<()> {
    let registry = Registry::new();
    let files = [
        ("contract/openapi.json", pretty(&server::openapi::document(&registry))?),
        ("contract/mcp-tools.json", pretty(&server::mcp::document(&registry))?),
        ("contract/errors.json", pretty(&errors())?),
        ("contract/cli.txt", cli::reference()),
        ("docs/reference/configuration.md", config::configuration_reference()),
        ("docs/reference/authorization.md", service::authorization_reference(&api::specs())),
    ];
    for (path, text) in files {
        put(&root.join(path), &text)?;
    }
    Ok(())
}

fn errors() -> Value {
    api::Code::ALL.iter().map(|code| json!({ "code": code.as_str(), "kind": format!("{:?}", code.kind()) })).collect()
}

fn pretty(value: &Value) -> Result<String> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| format!("{text}\n")).map_err(|error| Failure::new(Kind::Internal, error.to_string()))
}

#[expect(clippy::disallowed_methods, reason = "this command exists to write these files")]
fn put(path: &Path, text: &str) -> Result<()> {
    let failed = |error: std::io::Error| Failure::io(&format!("cannot write {}", path.display()), &error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}
