//! What a binary says of itself: for which processor it is, and whether it needs a dynamic linker.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// Bytes at the start of a binary that are read: the headers of segments come right behind its own.
const HEADERS_MAX: u64 = 64 * 1024;

/// The type of the segment that names the dynamic linker.
const INTERPRETER: u32 = 3;

/// What matters of a binary for its packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) machine: Machine,
    /// Whether it runs without a C library of the machine.
    pub(super) is_static: bool,
}

/// A processor, in the words of each packager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    pub(super) fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Aarch64 => "arm64",
        }
    }

    pub(super) fn npm(self) -> &'static str {
        match self {
            Self::X86_64 => "x64",
            Self::Aarch64 => "arm64",
        }
    }

    /// As the kernel, Rust and Python call it.
    pub(super) fn kernel(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
        }
    }
}

/// Reads the headers of a binary.
pub(super) fn read(path: &Path) -> Result<Binary> {
    let mut head = Vec::new();
    File::open(path)?.take(HEADERS_MAX).read_to_end(&mut head)?;
    parse(&head).with_context(|| format!("{} cannot be packaged", path.display()))
}

fn parse(head: &[u8]) -> Result<Binary> {
    ensure!(head.starts_with(b"\x7fELF\x02\x01"), "it is not a 64-bit program for Linux");
    let machine = match u16::from_le_bytes(bytes(head, 0x12)?) {
        0x3e => Machine::X86_64,
        0xb7 => Machine::Aarch64,
        other => bail!("it is for a processor that has no packages here ({other:#x})"),
    };
    let (from, size, count) = (
        usize::try_from(u64::from_le_bytes(bytes(head, 0x20)?))?,
        usize::from(u16::from_le_bytes(bytes(head, 0x36)?)),
        usize::from(u16::from_le_bytes(bytes(head, 0x38)?)),
    );
    let mut is_static = true;
    for at in 0..count {
        is_static &= u32::from_le_bytes(bytes(head, from + at * size)?) != INTERPRETER;
    }
    Ok(Binary { machine, is_static })
}

fn bytes<const N: usize>(head: &[u8], at: usize) -> Result<[u8; N]> {
    head.get(at..at + N).and_then(|found| found.try_into().ok()).context("its headers are cut off")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_program_is_read_as_one_for_the_machine_it_runs_on() {
        let own = read(&std::env::current_exe().unwrap()).unwrap();
        assert_eq!(own.machine.kernel(), std::env::consts::ARCH);
        assert_eq!(own.is_static, cfg!(target_env = "musl"));
    }

    #[test]
    fn what_is_no_program_is_refused_with_why() {
        assert!(parse(b"#!/bin/sh\n").unwrap_err().to_string().contains("not a 64-bit program"));
        assert!(parse(b"\x7fELF\x02\x01").unwrap_err().to_string().contains("cut off"));
    }
}
