//! Where a row lives: a partition and a sort key, both non-empty text.

/// A group of rows that can be scanned together; the unit of placement in engines that shard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(String);

/// A row's full address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The partition the row is in.
    pub partition: Partition,
    /// Its place within the partition, ordered by UTF-8 bytes.
    pub sort: String,
}

impl Partition {
    /// Names a partition.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Key {
    /// Addresses one row.
    pub fn new(partition: impl Into<String>, sort: impl Into<String>) -> Self {
        Self { partition: Partition::new(partition), sort: sort.into() }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.partition.0, self.sort)
    }
}
