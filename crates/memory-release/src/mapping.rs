//! The mappings of a process, from `/proc/<pid>/smaps`.

use std::io::{self, BufRead};

/// A part of the memory that is a file's, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// How much of it is in memory.
    pub(crate) resident_kb: u64,
}

/// A mapping of which not everything was read yet.
#[derive(Debug, Default)]
struct Half {
    start: usize,
    length: usize,
    is_file: bool,
    resident_kb: u64,
}

/// Lists read-only mappings of files without changed pages, of which some pages are in memory.
///
/// A page that the loader has changed before it made the mapping read-only is counted as anonymous.
pub(crate) fn unchanged(smaps: impl BufRead) -> io::Result<Vec<Mapping>> {
    let mut found = Vec::new();
    let mut half = Half::default();
    for line in smaps.lines() {
        let line = line?;
        if let Some(next) = Half::of(&line) {
            half = next;
        } else if let Some(kb) = field(&line, "Rss:") {
            half.resident_kb = kb;
        } else if field(&line, "Anonymous:") == Some(0) && half.is_file && half.resident_kb > 0 {
            let Half { start, length, resident_kb, .. } = half;
            found.push(Mapping { start, length, resident_kb });
        }
    }
    Ok(found)
}

impl Half {
    /// Reads the first line of a mapping: `start-end permissions offset device inode path`.
    fn of(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        let (permissions, inode, path) = (words.next()?, words.nth(2)?, words.next());
        let is_file = inode != "0"
            && path.is_some_and(|path| path.starts_with('/'))
            && matches!(permissions, "r--p" | "r-xp" | "--xp");
        Some(Self { start, length: end.checked_sub(start)?, is_file, resident_kb: 0 })
    }
}

/// Reads a line such as `Rss:  152 kB`.
fn field(line: &str, name: &str) -> Option<u64> {
    line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
55d0-55d8 r-xp 007bb000 fe:00 100 /usr/bin/fleet
Rss:                2632 kB
Anonymous:             0 kB
55d8-55e0 r--p 0212f000 fe:00 100 /usr/bin/fleet
Rss:                 820 kB
Anonymous:           820 kB
55e0-55e8 rw-p 021fb000 fe:00 100 /usr/bin/fleet
Rss:                   8 kB
Anonymous:             0 kB
55f0-55f8 r--p 00000000 00:00 0
Rss:                   8 kB
Anonymous:             0 kB
6000-6008 r--s 00000000 fe:00 101 /tmp/shared
Rss:                   8 kB
Anonymous:             0 kB
6010-6018 r--p 00000000 fe:00 102 /usr/lib/not read.so (deleted)
Rss:                   0 kB
Anonymous:             0 kB
6020-6028 r--p 00000000 fe:00 102 /usr/lib/libc.so.6
Rss:                   8 kB
Anonymous:             0 kB
7ff0-7ff8 r-xp 00000000 00:00 0 [vdso]
Rss:                   4 kB
Anonymous:             0 kB
";

    #[test]
    fn only_what_is_in_a_file_unchanged_and_in_memory_is_listed() {
        let found = unchanged(SMAPS.as_bytes()).unwrap();
        let text = Mapping { start: 0x55d0, length: 8, resident_kb: 2632 };
        let library = Mapping { start: 0x6020, length: 8, resident_kb: 8 };
        assert_eq!(found, [text, library]);
    }

    #[test]
    fn a_text_of_another_form_lists_nothing() {
        assert_eq!(unchanged("Anonymous: 0 kB\nRss: 4 kB\nAnonymous: 0 kB\n".as_bytes()).unwrap(), []);
        assert_eq!(unchanged(&b"zz-11 r--p 0 0 1 /a\nRss: 4 kB\nAnonymous: 0 kB\n"[..]).unwrap(), []);
    }
}
