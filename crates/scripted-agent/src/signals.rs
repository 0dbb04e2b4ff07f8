//! What SIGTERM and SIGINT do: end the process at once, with the code that says so, from within the handler.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_shutdown;

/// What programs add to a signal's number when they return because of it.
const BY_SIGNAL: i32 = 128;

/// The signals of this process.
#[derive(Debug)]
pub(crate) struct Signals {
    /// Whether SIGTERM ends it.
    yields: Arc<AtomicBool>,
}

impl Signals {
    /// Takes the signals from now on.
    pub(crate) fn take() -> io::Result<Self> {
        let yields = Arc::new(AtomicBool::new(true));
        register_conditional_shutdown(SIGTERM, BY_SIGNAL + SIGTERM, Arc::clone(&yields))?;
        register_conditional_shutdown(SIGINT, BY_SIGNAL + SIGINT, Arc::new(AtomicBool::new(true)))?;
        Ok(Self { yields })
    }

    /// Takes no notice of SIGTERM any more.
    pub(crate) fn ignore_term(&self) {
        self.yields.store(false, Ordering::SeqCst);
    }
}

/// Is gone by a signal that nothing can hold up.
pub(crate) fn die() -> ! {
    let _ = kill_process(getpid(), Signal::KILL);
    // The signal is there before the call returns; this is for a system that refuses it.
    std::process::abort()
}

/// Waits for a signal that ends it, for ever.
pub(crate) fn wait_for_ever() -> ! {
    loop {
        rustix::event::pause();
    }
}
