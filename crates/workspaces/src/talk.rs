//! What agents and Fleet tell each other through files of a worktree, beside the work itself.

use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use types::Workspace;

use crate::Workspaces;
use crate::error::Error;
use crate::files::failed;

/// The folder at the top of a worktree in which agents leave what is for Fleet and not for the repository.
pub const TALK: &str = ".codefleet";

impl Workspaces {
    /// Reads what an agent left in `result.json`, up to some bytes; none if there is no such file.
    pub async fn result(&self, workspace: &Workspace, bytes_max: u64) -> Option<String> {
        let path = result_of(workspace);
        runtime::blocking(move || read(&path, bytes_max)).await
    }

    /// Puts what an earlier process left in `result.json` aside, so that it is not taken for the word of the next.
    ///
    /// # Errors
    /// When it is there and cannot be moved.
    #[expect(clippy::disallowed_methods, reason = "the file is Fleet's, and no part of the work")]
    pub fn put_result_aside(&self, workspace: &Workspace, run: u32) -> Result<(), Error> {
        let path = result_of(workspace);
        match fs::rename(&path, path.with_file_name(format!("result-{run}.json"))) {
            Err(error) if !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                Err(failed("move", &path)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn result_of(workspace: &Workspace) -> PathBuf {
    Path::new(&workspace.path).join(TALK).join("result.json")
}

/// Only a plain file is read: a link may lead anywhere, and a pipe would never end.
fn read(path: &Path, bytes_max: u64) -> Option<String> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    OpenOptions::new().read(true).open(path).ok()?.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
