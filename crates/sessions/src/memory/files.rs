//! The files of sessions, in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use egress_proxy::Refused;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Judged, SessionPermissions, Slice};

use crate::files::Files;

/// Lines of a journal that are read at once.
const SLICE_LINES: usize = 1_000;

/// Files in memory. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    files: BTreeMap<PathBuf, Vec<u8>>,
    permissions: BTreeMap<PathBuf, SessionPermissions>,
    journals: BTreeMap<PathBuf, Vec<Judged>>,
    broken: bool,
}

impl MemoryFiles {
    /// Returns the permissions that were last written to a path.
    #[must_use]
    pub fn permissions(&self, path: &Path) -> Option<SessionPermissions> {
        self.contents().permissions.get(path).cloned()
    }

    /// Appends a decision to the journal at a path, as a hook does.
    pub fn judge(&self, path: &Path, judged: Judged) {
        self.contents().journals.entry(path.to_owned()).or_default().push(judged);
    }

    /// Lets every write fail from now on, or succeed again.
    pub fn set_broken(&self, broken: bool) {
        self.contents().broken = broken;
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writable(&self) -> io::Result<MutexGuard<'_, Contents>> {
        let contents = self.contents();
        if contents.broken { Err(io::Error::other("the disk is full")) } else { Ok(contents) }
    }
}

impl Files for MemoryFiles {
    fn take_folder(&self, _session: &Path) {}

    fn refill_folders(&self) {}

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        self.writable()?.files.insert(path.to_owned(), text.as_bytes().to_vec());
        Ok(())
    }

    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut contents = self.writable()?;
        if let Some(file) = contents.files.get_mut(path) {
            *file = text.as_bytes().to_vec();
        }
        Ok(())
    }

    fn append(&self, path: &Path, text: &str) -> io::Result<()> {
        self.writable()?.files.entry(path.to_owned()).or_default().extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.contents().files.get(path).cloned().unwrap_or_default())
    }

    fn cut(&self, path: &Path, bytes: u64) -> io::Result<()> {
        if let Some(file) = self.writable()?.files.get_mut(path) {
            file.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(())
    }

    fn save_permissions(&self, path: &Path, permissions: &SessionPermissions) -> io::Result<()> {
        self.writable()?.permissions.insert(path.to_owned(), permissions.clone());
        Ok(())
    }

    fn read_journal(&self, path: &Path, from: u64) -> io::Result<Slice> {
        let contents = self.contents();
        let journal = contents.journals.get(path).map(Vec::as_slice).unwrap_or_default();
        let new = journal.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or_default();
        let judged: Vec<Judged> = new.iter().take(SLICE_LINES).cloned().collect();
        let (next, more) = (from + judged.len() as u64, new.len() > judged.len());
        Ok(Slice { judged, unread: 0, next, more })
    }

    fn read_refused(&self, _path: &Path) -> io::Result<Vec<Refused>> {
        Ok(Vec::new())
    }

    fn remove_temporary(&self, folders: Vec<PathBuf>) -> BoxFuture<'static, ()> {
        let mut contents = self.contents();
        contents.files.retain(|path, _| !folders.iter().any(|folder| path.starts_with(folder)));
        futures::future::ready(()).boxed()
    }
}
