//! How an agent reaches this server: a folder of its own, which says where the server is and proves whose agent it is.
//!
//! It is all that an agent sees of Fleet's home. Its token speaks for the agent alone, in its team, as a worker, and
//! for as long as its session is live.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::PrivateFile;
use tokens::Member;

use super::Actor;

/// The folder, below what is the process's own.
const FOLDER: &str = "fleet";
const SERVER: &str = "server.json";
const TOKEN: &str = "agent-token";

/// Longer than any session: that it is live is asked at every call.
const LIFETIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// Returns the folder and the files in it, below what is the process's own.
pub(super) fn parts() -> (PathBuf, [PathBuf; 2]) {
    (PathBuf::from(FOLDER), [SERVER, TOKEN].map(|name| Path::new(FOLDER).join(name)))
}

impl Actor {
    /// Returns the variables by which the agent, and whatever it starts, finds the server.
    pub(super) fn server_access(&self) -> Vec<(String, String)> {
        if self.shared.parts.server.is_none() {
            return Vec::new();
        }
        let folder = self.door_folder();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        vec![("FLEET_HOME".to_owned(), text(&folder)), ("FLEET_TOKEN_FILE".to_owned(), text(&folder.join(TOKEN)))]
    }

    /// Returns the files of that folder.
    pub(super) fn server_access_files(&self) -> Result<Vec<PrivateFile>, String> {
        let Some(server) = self.server_file()? else { return Ok(Vec::new()) };
        let session = &self.session;
        let member = Member::agent(session.id.clone(), session.handle.clone(), session.team.clone());
        let token = self.shared.parts.keys.issue(&member, self.shared.parts.clock.now(), LIFETIME);
        let token = token.map_err(|error| format!("cannot sign the token of the agent: {error}"))?;
        Ok(vec![server, PrivateFile { path: self.door_folder().join(TOKEN), text: token }])
    }

    /// Gives the address of this server to an agent that an earlier server started.
    pub(super) fn point_here(&self) {
        let written = self.server_file().and_then(|file| {
            let Some(file) = file else { return Ok(()) };
            let replaced = self.shared.parts.files.replace(&file.path, &file.text);
            replaced.map_err(|error| format!("cannot replace `{}`: {error}", file.path.display()))
        });
        if let Err(error) = written {
            tracing::warn!(session = %self.session.id, error, "its agent does not find this server");
        }
    }

    fn server_file(&self) -> Result<Option<PrivateFile>, String> {
        let Some(server) = &self.shared.parts.server else { return Ok(None) };
        let text = serde_json::to_string(server).map_err(|error| error.to_string())?;
        Ok(Some(PrivateFile { path: self.door_folder().join(SERVER), text }))
    }

    fn door_folder(&self) -> PathBuf {
        self.shared.spools.private(&self.session, self.session.runs).join(FOLDER)
    }
}
