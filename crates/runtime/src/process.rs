//! Facts about this process, read from `/proc/self` for metrics. Where there is no `/proc`, reading is an error.

use std::io;
use std::time::Duration;

use jiff::Timestamp;

/// What the kernel says about this process.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Memory that is in RAM.
    pub resident_bytes: u64,
    /// Open file descriptors.
    pub open_files: u64,
    /// Threads.
    pub threads: u64,
    /// Processor time used by all threads.
    pub cpu: Duration,
    /// When the process began, to the tick of the kernel (10 ms).
    pub started_at: Timestamp,
}

impl Process {
    /// Reads the facts as they are now; a few system calls, no locks.
    ///
    /// # Errors
    /// When `/proc` is not there or does not read as Linux writes it.
    pub fn read() -> io::Result<Self> {
        let status = Fields(read("/proc/self/status")?);
        let stat = read("/proc/self/stat")?;
        let boot = Fields(read("/proc/stat")?).number("btime")?;
        let ticks = ticks(&stat).ok_or_else(|| malformed("/proc/self/stat"))?;
        Ok(Self {
            resident_bytes: status.number("VmRSS:")? * 1024,
            open_files: std::fs::read_dir("/proc/self/fd")?.count() as u64,
            threads: status.number("Threads:")?,
            cpu: seconds(ticks.cpu),
            started_at: started_at(boot, ticks.started).ok_or_else(|| malformed("/proc/stat"))?,
        })
    }
}

/// Returns the memory of this process that is in RAM, or nothing where the kernel does not say.
#[must_use]
pub fn resident_memory_bytes() -> Option<u64> {
    let status = Fields(read("/proc/self/status").ok()?);
    status.number("VmRSS:").ok().map(|kilobytes| kilobytes * 1024)
}

struct Ticks {
    cpu: u64,
    started: u64,
}

/// Picks user + system time (fields 14, 15) and start time (22) of `/proc/self/stat`.
fn ticks(stat: &str) -> Option<Ticks> {
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Ticks { cpu: number(14)? + number(15)?, started: number(22)? })
}

fn started_at(boot_second: u64, ticks: u64) -> Option<Timestamp> {
    let boot = Timestamp::from_second(i64::try_from(boot_second).ok()?).ok()?;
    boot.checked_add(seconds(ticks)).ok()
}

fn seconds(ticks: u64) -> Duration {
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks.saturating_mul(1000) / per_second)
}

/// Lines of a name, blanks, a number, and perhaps a unit.
struct Fields(String);

impl Fields {
    fn number(&self, name: &str) -> io::Result<u64> {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| malformed(name))
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("cannot read `{what}` of this process"))
}

#[expect(clippy::disallowed_methods, reason = "facts about this process are not files of a user")]
fn read(path: &str) -> io::Result<String> {
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clock;

    #[test]
    fn a_running_process_has_memory_files_threads_and_a_past() {
        let process = Process::read().unwrap();
        assert!(process.resident_bytes > 100_000, "{process:?}");
        assert!(process.open_files >= 3 && process.threads >= 1, "{process:?}");
        assert!(process.started_at <= Clock::system().now() + Duration::from_secs(2), "{process:?}");
        assert!(resident_memory_bytes().unwrap() > 100_000);
    }

    #[test]
    fn a_program_name_with_brackets_and_blanks_is_skipped() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 0 0 0 0 0 250 50 0 0 20 0 4 0 12345 0 0";
        let ticks = ticks(stat).unwrap();
        assert_eq!((ticks.cpu, ticks.started), (300, 12345));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Fields("Threads:\t4\n".to_owned()).number("VmRSS:").unwrap_err();
        assert_eq!(error.to_string(), "cannot read `VmRSS:` of this process");
    }
}
