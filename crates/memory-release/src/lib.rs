//! Gives memory back that a process can do without: what it holds of its own program and libraries.
//!
//! A program is read in as it runs, and what it needed to start is counted as its own for ever after. A process that
//! waits most of its life gives it back and reads again, from memory that all processes share, what it needs next.
//! Nothing that was ever written to is given back. This crate holds the only unsafe code there is.

mod mapping;

use std::fs::File;
use std::io::{self, BufReader};

use rustix::mm::{Advice, madvise};

use mapping::Mapping;

/// Gives back what this process has read of files and never changed, and returns how many kilobytes that were.
///
/// # Errors
/// When the kernel does not say what is mapped, or does not take it back.
pub fn give_back() -> io::Result<u64> {
    #[expect(clippy::disallowed_methods, reason = "this crate asks the kernel what this process has mapped")]
    let told = BufReader::new(File::open("/proc/self/smaps")?);
    let mut given_kb = 0;
    // All of them are listed first: what is given back is read again by the very code that continues.
    for mapping in mapping::unchanged(told)? {
        release(&mapping)?;
        given_kb += mapping.resident_kb;
    }
    Ok(given_kb)
}

/// Releases the pages of a mapping; the next access reads them from the file again.
#[expect(unsafe_code, reason = "the kernel's call takes an address, for which there is no safe form")]
fn release(mapping: &Mapping) -> io::Result<()> {
    let start = std::ptr::without_provenance_mut(mapping.start);
    // SAFETY: the mapping maps a file, cannot be written to, and has no page that differs from the file, so what is
    // read there afterwards is what was read there before. It stays mapped; no reference into it becomes invalid.
    unsafe { madvise(start, mapping.length, Advice::LinuxDontNeed) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_goes_on_with_less_and_what_it_reads_is_the_same() {
        let before = "what stands in the program".repeat(3);
        let given = give_back().unwrap();
        assert!(given > 0, "a program that runs has been read");
        assert_eq!(before, "what stands in the program".repeat(3));
        // Relocated once, and not to be read from the file again.
        let table: [fn() -> io::Result<u64>; 2] = [give_back, give_back];
        assert!(table.iter().all(|again| again().is_ok()));
    }
}
