//! Objects of a session, verified on their way into the repository.
//!
//! One git packs what the repository lacks, another one takes the pack in: it computes the name of each object from its
//! bytes, checks its form and its links, and so stores nothing under a name that is not its own. Whatever the first one
//! was made to read, the second one believes none of it. What came in is apart (`quarantine.rs`) until the session's
//! folder was looked at once more and the new objects were walked without the session's.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::FileType;

use crate::beneath::Beneath;
use crate::command::{Command, tail};
use crate::disk;
use crate::error::{Error, Failure};
use crate::oid::Oid;
use crate::private::{Private, TEXT_MAX};
use crate::private_make::ALTERNATES;
use crate::quarantine::Quarantine;
use crate::repository::Repository;

/// The most bytes that are taken over at once.
const BYTES_MAX: u64 = 8 << 30;

/// How many files of a session's objects are looked at; git itself packs long before that.
const FILES_MAX: usize = 2_000_000;

/// From how many objects on they stay in a pack, as with `git fetch`.
const PACK_FROM: u32 = 100;

/// The first bytes of a pack: what it is, its version, and how many objects are in it.
const HEADER: usize = 12;

impl Repository {
    /// Takes objects with all they lead to from a session's own git directory into the repository.
    pub(crate) async fn import(&self, private: &Private, wanted: &BTreeSet<Oid>) -> Result<(), Error> {
        if wanted.is_empty() {
            return Ok(());
        }
        self.plain_objects(private).await?;
        let mut input: Vec<u8> = wanted.iter().flat_map(|oid| format!("{oid}\n").into_bytes()).collect();
        let known = self.apart(["for-each-ref", "--format=^%(objectname)", "refs/heads", "refs/tags", "refs/remotes"]);
        input.extend(known.run().await?);
        let common_dir = self.common_dir.clone();
        let quarantine = runtime::blocking(move || Quarantine::make(&common_dir)).await?;
        let [store, unpack] = [self.storing(), self.unpacking()].map(|command| quarantine.within(command));
        let (store, unpack) = (store.masked().await?, unpack.masked().await?);
        let pack = self.packing(private).input(input);
        let packed = pack.stream(move |pack| receive(pack, &store, &unpack)).await;
        // An agent that exchanged it meanwhile may have had git read what only the user may.
        self.plain_objects(private).await?;
        packed.map_err(|error| private.refused(format!("its objects are not whole: {error}")))?;
        let whole = self.connected(&quarantine, wanted).await;
        whole.map_err(|error| private.refused(format!("its objects are not whole: {error}")))?;
        runtime::blocking(move || quarantine.release()).await
    }

    /// Packs what a session has and the repository has not. The one command that reads what an agent wrote as objects.
    fn packing(&self, private: &Private) -> Command {
        let args = ["pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset", "--window=0"];
        let partial = self.is_partial_clone().then_some("--missing=allow-promisor");
        self.borrowing(private, args.into_iter().chain(partial))
    }

    /// Begins a command that sees the session's objects beside the repository's. It must believe none of them: git
    /// verifies no name of what it reads.
    pub(crate) fn borrowing<'a>(&self, private: &Private, args: impl IntoIterator<Item = &'a str>) -> Command {
        self.apart(args)
            .variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&private.path.join("objects")))
            .variable("GIT_NO_LAZY_FETCH", "1")
    }

    fn storing(&self) -> Command {
        let max = format!("--max-input-size={BYTES_MAX}");
        self.apart(["index-pack", "--stdin", "--strict", "--fix-thin", &max])
    }

    fn unpacking(&self) -> Command {
        let max = format!("--max-input-size={BYTES_MAX}");
        self.apart(["unpack-objects", "-q", "--strict", &max])
    }

    /// Walks what came in, by what the repository itself has beside it.
    async fn connected(&self, quarantine: &Quarantine, wanted: &BTreeSet<Oid>) -> Result<(), String> {
        let input: Vec<u8> = wanted.iter().flat_map(|oid| format!("{oid}\n").into_bytes()).collect();
        let found = quarantine.within(self.apart(["cat-file", "--batch-check"])).input(input.clone()).run().await;
        let found = found.map_err(|error| error.to_string())?;
        if let Some(absent) = found.split(|byte| *byte == b'\n').find(|line| line.ends_with(b" missing")) {
            return Err(String::from_utf8_lossy(absent).into_owned());
        }
        let partial = self.is_partial_clone().then_some("--exclude-promisor-objects");
        // A branch of the user's that leads nowhere is passed over; what was wanted is there, as was just seen.
        let args = ["rev-list", "--ignore-missing", "--objects", "--stdin"].into_iter().chain(partial);
        let args = args.chain(["--not", "--all", "--quiet"]);
        quarantine
            .within(self.apart(args))
            .variable("GIT_NO_LAZY_FETCH", "1")
            .input(input)
            .run()
            .await
            .map(drop)
            .map_err(|error| error.to_string())
    }

    /// Whether the repository lacks objects that a remote promised.
    fn is_partial_clone(&self) -> bool {
        let config = disk::read(&self.common_dir.join("config")).unwrap_or_default().to_ascii_lowercase();
        config.windows(8).any(|words| words == b"promisor")
    }

    /// Refuses objects that are not files of the session's own: a link would have git read what only the user may.
    pub(crate) async fn plain_objects(&self, private: &Private) -> Result<(), Error> {
        let (private, expected) = (private.clone(), self.alternates());
        runtime::blocking(move || {
            let own = private.open()?;
            if own.read(Path::new(ALTERNATES), TEXT_MAX)? != Some(expected) {
                return Err(private.refused(format!("its `{ALTERNATES}` was changed")));
            }
            only_plain(&own).map_err(|path| private.refused(format!("its `{path}` is neither a file nor a folder")))?
        })
        .await
    }
}

/// Returns what is neither file nor folder as the outer error.
fn only_plain(own: &Beneath) -> Result<Result<(), Error>, String> {
    let found = match own.walk(Path::new("objects"), FILES_MAX) {
        Ok(found) => found,
        Err(error) => return Ok(Err(error)),
    };
    let odd = found.iter().find(|below| !matches!(below.kind, FileType::RegularFile | FileType::Directory));
    odd.map_or(Ok(Ok(())), |below| Err(below.path.display().to_string()))
}

/// Hands a pack on to the git that takes it in: a small one as single objects, as `git fetch` does.
fn receive(pack: &mut dyn BufRead, store: &Command, unpack: &Command) -> Result<(), Error> {
    let unread = |source| Error::Start { program: "git pack-objects".to_owned(), source };
    let mut header = [0; HEADER];
    pack.read_exact(&mut header).map_err(unread)?;
    let count = header.last_chunk().map_or(0, |count| u32::from_be_bytes(*count));
    if count == 0 {
        return io::copy(pack, &mut io::sink()).map(drop).map_err(unread);
    }
    let command = if count < PACK_FROM { unpack } else { store };
    let failed = |source| Error::Start { program: command.text(), source };
    let mut child = command.prepared().and_then(|mut command| command.spawn()).map_err(failed)?;
    let copied = match child.stdin.take() {
        Some(mut input) => io::copy(&mut header.chain(pack), &mut input).map(drop),
        None => Err(io::ErrorKind::BrokenPipe.into()),
    };
    let ended = child.wait_with_output().map_err(failed)?;
    if !ended.status.success() {
        let failure = Failure { command: command.text(), code: ended.status.code(), stderr: tail(&ended.stderr) };
        return Err(Error::Failed(failure));
    }
    copied.map_err(failed)
}

/// Names a folder in a list that is parted by colons.
pub(crate) fn quoted(path: &Path) -> std::ffi::OsString {
    let bytes = path.as_os_str().as_bytes();
    if !bytes.contains(&b':') && !bytes.starts_with(b"\"") {
        return path.as_os_str().to_owned();
    }
    let mut line = Vec::new();
    crate::escape::quote(path, &mut line);
    crate::repository::path_from(line.trim_ascii_end()).into_os_string()
}
