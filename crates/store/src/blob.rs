//! Blobs: bytes too large for a document, written once and named by their digest.

use bytes::{Bytes, BytesMut};
use kv::{Action, Commit, Expect, Operation, Outcome};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Error, Store, key};

/// Bytes in one document of a blob.
const PART_BYTES: usize = 256 * 1024;

/// Documents in one commit, well below the limit on its bytes.
const PARTS_PER_COMMIT: usize = 8;

/// Names a blob: the SHA-256 of its bytes, in hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlobId(String);

#[derive(Serialize, Deserialize)]
struct Head {
    bytes: usize,
    parts: usize,
}

impl Store {
    /// Stores bytes and returns their name; storing the same bytes again is free.
    ///
    /// The head is written last: a blob that was cut off half-way is not there, and storing it again completes it.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn put_blob(&self, bytes: Bytes) -> Result<BlobId, Error> {
        let id = BlobId::of(&bytes);
        if self.blob_head(&id).await?.is_some() {
            return Ok(id);
        }
        let parts: Vec<Bytes> =
            (0..bytes.len()).step_by(PART_BYTES).map(|at| bytes.slice(at..bytes.len().min(at + PART_BYTES))).collect();
        for (group, chunk) in parts.chunks(PARTS_PER_COMMIT).enumerate() {
            let put = |(place, part): (usize, &Bytes)| Operation {
                key: key::blob(&id.0, group * PARTS_PER_COMMIT + place),
                expect: Expect::Anything,
                action: Action::Put(part.clone()),
            };
            self.engine().commit(Commit { operations: chunk.iter().enumerate().map(put).collect() }).await?;
        }
        let head = serde_json::to_vec(&Head { bytes: bytes.len(), parts: parts.len() }).map_err(Error::Encode)?;
        let action = Action::Put(head.into());
        let head = Operation { key: key::blob_head(&id.0), expect: Expect::Anything, action };
        match self.engine().commit(Commit { operations: vec![head] }).await? {
            Outcome::Committed(_) | Outcome::Conflict { .. } => Ok(id),
        }
    }

    /// Reads a blob; nothing, when it was never stored whole.
    ///
    /// # Errors
    /// Fails when the engine does, or when the bytes are not those the name stands for.
    pub async fn get_blob(&self, id: &BlobId) -> Result<Option<Bytes>, Error> {
        let Some(head) = self.blob_head(id).await? else { return Ok(None) };
        let damaged = || Error::DamagedBlob { id: id.clone() };
        let mut bytes = BytesMut::new();
        for part in 0..head.parts {
            let row = self.engine().get(&key::blob(&id.0, part)).await?;
            bytes.extend_from_slice(&row.ok_or_else(damaged)?.value);
        }
        let bytes = bytes.freeze();
        if BlobId::of(&bytes) == *id { Ok(Some(bytes)) } else { Err(damaged()) }
    }

    async fn blob_head(&self, id: &BlobId) -> Result<Option<Head>, Error> {
        let row = self.engine().get(&key::blob_head(&id.0)).await?;
        let decode = |row: kv::Row| {
            serde_json::from_slice(&row.value).map_err(|source| Error::Decode {
                table: "blob",
                id: id.0.clone(),
                source,
            })
        };
        row.map(decode).transpose()
    }
}

impl BlobId {
    /// Names bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for BlobId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
