//! What fits in one commit, checked for every engine before anything is sent.

use crate::engine::{Action, Commit, Error};
use crate::key::Key;

/// Bytes a partition name or a sort key may have, for all engines.
pub const KEY_BYTES_MAX: usize = 480;

/// Ceilings of an engine; the smallest of all engines are those of `MemEngine`, so that a test fails first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Operations in one commit.
    pub operations_max: usize,
    /// Keys and values of one commit together.
    pub commit_bytes_max: usize,
    /// One value.
    pub value_bytes_max: usize,
}

impl Limits {
    /// What the narrowest of the supported cloud stores takes, less a margin.
    pub const NARROWEST: Self = Self { operations_max: 100, commit_bytes_max: 3_500_000, value_bytes_max: 350_000 };
}

/// Which limit a commit went over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// More operations than one commit takes.
    #[error("{count} operations in one commit, at most {max}")]
    Operations {
        /// Asked for.
        count: usize,
        /// Allowed.
        max: usize,
    },
    /// Keys and values together too big.
    #[error("{bytes} bytes in one commit, at most {max}")]
    CommitBytes {
        /// Asked for.
        bytes: usize,
        /// Allowed.
        max: usize,
    },
    /// One value too big.
    #[error("{bytes} bytes under key {key}, at most {max}")]
    ValueBytes {
        /// Where.
        key: Key,
        /// Asked for.
        bytes: usize,
        /// Allowed.
        max: usize,
    },
    /// A partition name or sort key that is empty or too long.
    #[error("key {key} has an empty part or one over {KEY_BYTES_MAX} bytes")]
    Key {
        /// Which.
        key: Key,
    },
    /// A key named twice; the layer above coalesces.
    #[error("key {key} occurs twice in one commit")]
    Twice {
        /// Which.
        key: Key,
    },
}

impl Commit {
    /// Refuses a commit that can never fit; every engine calls it first.
    ///
    /// # Errors
    /// [`Error::TooLarge`] names the limit and the key.
    pub fn check(&self, limits: Limits) -> Result<(), Error> {
        self.excess(limits).map_or(Ok(()), |excess| Err(Error::TooLarge(excess)))
    }

    fn excess(&self, limits: Limits) -> Option<Excess> {
        let count = self.operations.len();
        if count > limits.operations_max {
            return Some(Excess::Operations { count, max: limits.operations_max });
        }
        let mut seen = std::collections::HashSet::with_capacity(count);
        let mut total = 0;
        for operation in &self.operations {
            let key = &operation.key;
            if !key.fits() {
                return Some(Excess::Key { key: key.clone() });
            }
            if !seen.insert(key) {
                return Some(Excess::Twice { key: key.clone() });
            }
            let bytes = operation.action.bytes();
            if bytes > limits.value_bytes_max {
                return Some(Excess::ValueBytes { key: key.clone(), bytes, max: limits.value_bytes_max });
            }
            total += bytes + key.partition.as_str().len() + key.sort.len();
        }
        (total > limits.commit_bytes_max).then_some(Excess::CommitBytes { bytes: total, max: limits.commit_bytes_max })
    }
}

impl Key {
    fn fits(&self) -> bool {
        [self.partition.as_str(), &self.sort].iter().all(|part| (1..=KEY_BYTES_MAX).contains(&part.len()))
    }
}

impl Action {
    /// Returns how many bytes of value it carries.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Put(value) => value.len(),
            Self::Delete | Self::Check => 0,
        }
    }
}
