//! Starting an agent: execute this program again as its shim, hand over what to start, hear that it runs.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use runtime::Clock;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::adopt::{self, Adopted};
use crate::error::Error;
use crate::launch::Launch;
use crate::record::Record;
use crate::running::Running;
use crate::shim;
use crate::spool::Spool;
use crate::stock::Stock;
use crate::wire::{self, LINE_MAX, Started};

/// How long a shim may take until it says that the agent runs.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts agents and finds them again. It holds nothing of them: whatever is known stands in their spools.
#[derive(Debug, Clone)]
pub struct Supervisor {
    clock: Clock,
    program: PathBuf,
    stock: Option<Stock>,
}

impl Supervisor {
    /// Makes a supervisor whose shims are this very program.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        // Not the path of the program: after an upgrade another one is there, which may hand over otherwise.
        Self::with_shim(clock, "/proc/self/exe")
    }

    /// Makes a supervisor whose shims are `program`, which calls [`shim::main`] after [`shim::WORD`].
    #[must_use]
    pub fn with_shim(clock: Clock, program: impl Into<PathBuf>) -> Self {
        Self { clock, program: program.into(), stock: None }
    }

    /// Lets starts take their spools from a stock as long as that has any.
    #[must_use]
    pub fn with_stock(self, stock: Stock) -> Self {
        Self { stock: Some(stock), ..self }
    }

    /// Starts an agent in a spool in which none was started before, and returns when it runs.
    ///
    /// If this process dies meanwhile, the agent was started or was not; [`Self::adopt`] tells which, and a second
    /// start in the same spool is refused if it was.
    ///
    /// # Errors
    /// When the spool cannot be made or was used, or the program cannot be executed: then nothing runs. When the shim
    /// does not answer in time: then it may.
    pub async fn start(&self, spool: &Spool, launch: &Launch) -> Result<Running, Error> {
        let folder =
            self.folder(spool).await.map_err(|source| Error::Spool { path: spool.path().to_owned(), source })?;
        let order = serde_json::to_vec(launch).map_err(|error| Error::Shim(error.into()))?;
        let mut child = self.execute(folder.into()).map_err(Error::Shim)?;
        let said = self.clock.timeout(START_TIMEOUT, hand_over(&mut child, &order)).await;
        if let Some(stock) = &self.stock {
            stock.refill();
        }
        // Dropped at the end, the child is collected by the runtime when it ends; nothing here waits for it.
        match said {
            Ok(Ok(Started::Ready(record))) => Ok(self.running(spool, record)),
            Ok(Ok(Started::Failed { why })) => Err(Error::NotStarted(why)),
            Ok(Err(error)) => Err(Error::Shim(error)),
            Err(_) => Err(Error::Silent),
        }
    }

    /// Finds the agent of a spool again, or how it ended, from what stands in the spool alone.
    ///
    /// Nothing is signalled, and nothing is taken for an agent whose identity does not agree.
    pub async fn adopt(&self, spool: &Spool) -> Adopted {
        adopt::adopt(&self.clock, spool).await
    }

    /// Sees to it that the folder of a spool is there, and returns where it is, whatever the current directory.
    async fn folder(&self, spool: &Spool) -> io::Result<PathBuf> {
        // To rename takes no longer than to hand the work to another thread.
        if !self.stock.as_ref().is_some_and(|stock| stock.put(spool)) {
            let (spool, stock) = (spool.clone(), self.stock.clone());
            // A file system that is writing out its journal lets everybody wait who makes something.
            runtime::blocking(move || make(&spool, stock.as_ref())).await?;
        }
        spool.path().canonicalize()
    }

    fn running(&self, spool: &Spool, record: Record) -> Running {
        Running::new(spool.clone(), record, self.clock.clone())
    }

    /// Executes the shim with an empty environment, so that it shows and keeps no secret of the server.
    #[expect(clippy::disallowed_methods, reason = "this is the supervisor, which starts processes")]
    fn execute(&self, folder: OsString) -> io::Result<Child> {
        Command::new(&self.program)
            .arg0("fleet")
            .arg(shim::WORD)
            .arg(folder)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }
}

/// Makes the folder of a spool, or only what it lies in if that was all that hindered the stock; blocks.
fn make(spool: &Spool, stock: Option<&Stock>) -> io::Result<()> {
    if let (Some(stock), Some(parent)) = (stock, spool.path().parent()) {
        Spool::at(parent).create()?;
        if stock.put(spool) {
            return Ok(());
        }
    }
    spool.create()
}

/// Writes what to start and reads what came of it. The order may hold secrets, so it is never in a file.
async fn hand_over(child: &mut Child, order: &[u8]) -> io::Result<Started> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("the shim has no pipes"));
    };
    // A shim that ends early reads no order, and may still have said why.
    let written = stdin.write_all(order).await;
    drop(stdin);
    let mut line = Vec::new();
    BufReader::new(stdout).take(LINE_MAX as u64).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        written?;
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the shim ended without a word"));
    }
    wire::decode(&line)
}
