//! The agents that Fleet knows by itself, made from what the settings say of each.

use std::path::PathBuf;
use std::sync::Arc;

use crate::agy::Agy;
use crate::bridge::Bridged;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::gemini::Gemini;
use crate::opencode::Opencode;
use crate::{Adapter, Brief, Protocol, Setup};

/// The names of the agents of others that Fleet knows by itself.
pub const VENDORS: [&str; 5] = ["agy", "claude", "codex", "gemini", "opencode"];

/// Makes the adapter of an agent in [`VENDORS`]; none for another name.
#[must_use]
pub fn vendor(name: &str, setup: Setup) -> Option<Arc<dyn Adapter>> {
    let alone = setup.protocol == Some(Protocol::Exec);
    Some(match name {
        "agy" => Arc::new(Agy::new(setup)),
        "claude" => Arc::new(Claude::new(setup)),
        "codex" if alone => Arc::new(Codex::new(setup)),
        "codex" => Arc::new(Bridged::codex(setup)),
        "gemini" if alone => Arc::new(Gemini::new(setup)),
        "gemini" => Arc::new(Bridged::gemini(setup)),
        "opencode" if alone => Arc::new(Opencode::new(setup)),
        "opencode" => Arc::new(Bridged::opencode(setup)),
        _ => return None,
    })
}

impl Brief {
    /// What an agent would be run with, as far as that matters for who it is: its program, variables and login.
    #[must_use]
    pub fn trial(program: PathBuf) -> Self {
        let nowhere = PathBuf::from("/");
        Self {
            prompt: "say ok".to_owned(),
            cwd: nowhere.clone(),
            private_dir: Some(nowhere),
            program,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vendor_has_an_adapter_that_says_how_to_find_it() {
        for name in VENDORS {
            let adapter = vendor(name, Setup::default()).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(adapter.discovery().map(|found| found.binary).as_deref(), Some(name));
        }
        assert!(vendor("other", Setup::default()).is_none());
    }
}
