//! Where the programs are that agents are started with: looked up as a shell would, never started here.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::manager::SessionManager;

impl SessionManager {
    /// Finds a program as an agent's start would: by its path, or in the server's `PATH`.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        runtime::find_program(name, self.0.parts.environment.get("PATH").map(OsStr::new))
    }
}
