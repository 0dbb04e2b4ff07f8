//! Starting an agent: hand what to start to a shim, one that waits or a new one, and hear that it runs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use runtime::Clock;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Child;

use crate::adopt::{self, Adopted};
use crate::error::Error;
use crate::execute::execute;
use crate::launch::Launch;
use crate::record::Record;
use crate::running::Running;
use crate::shim_pool::{Put, ShimPool};
use crate::spool::Spool;
use crate::wire::{self, LINE_MAX, Started};

/// How long a shim may take until it says that the agent runs.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts agents and finds them again. It keeps no state: everything known is in their spools.
#[derive(Debug, Clone)]
pub struct Supervisor {
    clock: Clock,
    program: PathBuf,
    stock: Option<ShimPool>,
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

    /// Returns the program that shims are.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Lets starts take their spools from a stock as long as that has any, and the shims that wait in them.
    #[must_use]
    pub fn with_stock(self, stock: ShimPool) -> Self {
        stock.employ(&self.program);
        Self { stock: Some(stock), ..self }
    }

    /// Starts an agent in a spool in which none was started before, and returns when it runs.
    ///
    /// If this process dies meanwhile, the agent was started or was not; [`Self::adopt`] finds out which, and a second
    /// start in the same spool is refused if it was.
    ///
    /// # Errors
    /// When the spool cannot be made or was used, or the program cannot be executed: then nothing runs. When the shim
    /// does not answer in time: then it may.
    pub async fn start(&self, spool: &Spool, launch: &Launch) -> Result<Running, Error> {
        let order = serde_json::to_vec(launch).map_err(|error| Error::Shim(error.into()))?;
        let (folder, waiting) =
            self.folder(spool).await.map_err(|source| Error::Spool { path: spool.path().to_owned(), source })?;
        let said = self.hand_over(waiting, &folder, &order).await;
        if let Some(stock) = &self.stock {
            stock.refill();
        }
        match said? {
            Started::Ready(record) => Ok(self.running(spool, record)),
            Started::Failed { why } => Err(Error::NotStarted(why)),
        }
    }

    /// Hands an order to the shim that waits in a spool, or to a new one.
    async fn hand_over(&self, waiting: Option<Child>, folder: &Path, order: &[u8]) -> Result<Started, Error> {
        if let Some(shim) = waiting {
            match self.tell(shim, order).await {
                // It was gone before it heard of anything; if it was not, the next one is told so by its spool.
                Err(Error::Shim(_)) => {}
                said => return said,
            }
        }
        self.tell(execute(&self.program, folder).map_err(Error::Shim)?, order).await
    }

    /// Sends the launch to a shim. The runtime reaps it when it ends; nothing here waits for that.
    async fn tell(&self, mut shim: Child, order: &[u8]) -> Result<Started, Error> {
        match self.clock.timeout(START_TIMEOUT, exchange(&mut shim, order)).await {
            Ok(said) => said.map_err(Error::Shim),
            Err(_) => Err(Error::Silent),
        }
    }

    /// Finds the agent of a spool again, or how it ended, from the spool alone.
    ///
    /// Nothing is signalled, and nothing is taken for an agent whose identity does not agree.
    pub async fn adopt(&self, spool: &Spool) -> Adopted {
        adopt::adopt(&self.clock, spool).await
    }

    /// Sees to it that the folder of a spool is there, and returns where it is, whatever the current directory, and who
    /// waits in it.
    async fn folder(&self, spool: &Spool) -> io::Result<(PathBuf, Option<Child>)> {
        // To rename takes no longer than to hand the work to another thread.
        let put = match self.stock.as_ref().and_then(|stock| stock.put(spool)) {
            Some(put) => Some(put),
            None => {
                let (spool, stock) = (spool.clone(), self.stock.clone());
                // A file system that is flushing its journal delays every process that creates a file.
                runtime::blocking(move || make(&spool, stock.as_ref())).await?
            }
        };
        Ok((spool.path().canonicalize()?, put.and_then(|put| put.shim)))
    }

    fn running(&self, spool: &Spool, record: Record) -> Running {
        Running::new(spool.clone(), record, self.clock.clone())
    }
}

/// Makes the folder of a spool, or only what it lies in if that was all that hindered the stock; blocks.
fn make(spool: &Spool, stock: Option<&ShimPool>) -> io::Result<Option<Put>> {
    if let (Some(stock), Some(parent)) = (stock, spool.path().parent()) {
        Spool::at(parent).create()?;
        if let Some(put) = stock.put(spool) {
            return Ok(Some(put));
        }
    }
    spool.create().map(|()| None)
}

/// Writes what to start and reads what came of it. The order may hold secrets, so it is never in a file.
async fn exchange(child: &mut Child, order: &[u8]) -> io::Result<Started> {
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
