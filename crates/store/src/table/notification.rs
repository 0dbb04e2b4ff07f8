//! Notifications that are to be sent: by channel, and by when.

use types::{Notification, NotificationId};

use super::time_key;
use crate::{Index, Record, Table};

/// Where notifications are found.
pub mod by {
    use types::Channel;

    /// Those of a channel, by when they are to be sent.
    #[must_use]
    pub fn due(channel: Channel) -> String {
        format!("notification/due/{}", channel.as_str())
    }
}

impl Record for Notification {
    const TABLE: Table = Table::Notification;
    type Id = NotificationId;

    fn id(&self) -> NotificationId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index { group: by::due(self.channel), order: time_key(self.at), unique: false }]
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
