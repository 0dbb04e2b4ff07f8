//! Contents that Git LFS keeps beside the objects of git, taken over with them.
//!
//! Their names are the SHA-256 of their bytes, which is computed here again: what the session stored under another name
//! is left where it is.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use sha2::{Digest as _, Sha256};

use crate::beneath::Beneath;
use crate::disk::{self, failed};
use crate::error::Error;
use crate::private::Private;
use crate::repository::Repository;

/// Where Git LFS keeps contents in a git directory.
const OBJECTS: &str = "lfs/objects";

/// How many of a session's are looked at.
const FILES_MAX: usize = 100_000;

impl Repository {
    /// Takes over the contents that the repository does not have.
    pub(crate) async fn import_lfs(&self, private: &Private) -> Result<(), Error> {
        let (own, common_dir) = (private.clone(), self.common_dir.clone());
        runtime::blocking(move || {
            let own = own.open()?;
            let found = own.walk(Path::new(OBJECTS), FILES_MAX)?;
            let files = found.into_iter().filter(|below| below.kind == FileType::RegularFile);
            files
                .map(|below| below.path)
                .filter(|path| is_content(path))
                .try_for_each(|path| take(&own, &path, &common_dir))
        })
        .await
    }
}

/// Whether a path is `lfs/objects/ab/cd/abcd…`, in 64 digits.
fn is_content(path: &Path) -> bool {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(OBJECTS).ok().and_then(|rest| rest.iter().map(|part| part.to_str()).collect());
    let Some([first, second, name]) = parts.as_deref() else { return false };
    let digits = name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    digits && name.starts_with(first) && first.len() == 2 && name[2..].starts_with(second) && second.len() == 2
}

fn take(own: &Beneath, path: &Path, common_dir: &Path) -> Result<(), Error> {
    let to = common_dir.join(path);
    if to.symlink_metadata().is_ok() {
        return Ok(());
    }
    let Some(from) = own.file(path)? else { return Ok(()) };
    let above = to.parent().unwrap_or(common_dir);
    disk::create_dirs(above)?;
    let mut beside = tempfile::NamedTempFile::new_in(above).map_err(failed("write", above))?;
    if copied(from, beside.as_file_mut()).map_err(failed("write", &to))? != name_of(path) {
        tracing::warn!(path = %path.display(), "a content of Git LFS has other bytes than its name says; it is not taken over");
        return Ok(());
    }
    match beside.persist_noclobber(&to) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(failed("write", &to)(error.error)),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn name_of(path: &Path) -> PathBuf {
    PathBuf::from(path.file_name().unwrap_or_default())
}

/// Copies a content and returns the name that its bytes give it.
fn copied(mut from: File, to: &mut File) -> io::Result<PathBuf> {
    let mut sum = Summing { sum: Sha256::new(), to };
    io::copy(&mut from, &mut sum)?;
    Ok(PathBuf::from(sum.sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
}

struct Summing<'a> {
    sum: Sha256,
    to: &'a mut File,
}

impl io::Write for Summing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_content_in_the_place_that_its_name_gives_it_is_one() {
        let name = format!("abcd{}", "0".repeat(60));
        assert!(is_content(&Path::new(OBJECTS).join("ab/cd").join(&name)));
        for path in [format!("ab/ce/{name}"), format!("ab/cd/{name}0"), format!("abcd/{name}"), "ab/cd/x".to_owned()] {
            assert!(!is_content(&Path::new(OBJECTS).join(&path)), "{path}");
        }
    }
}
