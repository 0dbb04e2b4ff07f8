//! What agents and Fleet tell each other through files of a worktree, beside the work itself.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use beneath::Folder;
use types::Workspace;

use crate::Workspaces;
use crate::error::Error;
use crate::files::failed;

/// The folder at the top of a worktree in which agents leave what is for Fleet and not for the repository.
pub const TALK: &str = ".codefleet";

/// What an agent leaves there when it is done.
const RESULT: &str = "result.json";

impl Workspaces {
    /// Reads what an agent left in `result.json`, up to some bytes; none if there is no such file, or the way to it leads
    /// through a link.
    pub async fn result(&self, workspace: &Workspace, bytes_max: u64) -> Option<String> {
        let folder = PathBuf::from(&workspace.path);
        runtime::blocking(move || read(&folder, bytes_max)).await
    }

    /// Puts what an earlier process left in `result.json` aside, so that it is not taken for the word of the next.
    ///
    /// # Errors
    /// When it is there and cannot be moved; a link on the way to it is not followed, and as good as nothing.
    pub fn put_result_aside(&self, workspace: &Workspace, run: u32) -> Result<(), Error> {
        let moved = talk(Path::new(&workspace.path))
            .and_then(|talk| talk.rename(Path::new(RESULT), &format!("result-{run}.json")));
        match moved {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound || beneath::is_barred(&error) => Ok(()),
            Err(error) => Err(failed("move", &Path::new(&workspace.path).join(TALK).join(RESULT))(error)),
        }
    }
}

/// Opens the folder in which an agent leaves its report; whatever the agent made of it, it is in the workspace itself.
fn talk(workspace: &Path) -> io::Result<Folder> {
    Folder::open(workspace)?.folder(Path::new(TALK))
}

fn read(workspace: &Path, bytes_max: u64) -> Option<String> {
    let mut bytes = Vec::new();
    talk(workspace).ok()?.file(Path::new(RESULT)).ok()??.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
