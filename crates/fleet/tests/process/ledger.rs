//! Reads everything back and compares it with what was acknowledged and with what the server counts.

use std::collections::{BTreeMap, BTreeSet};

use api::Page;
use api::claude_fleet::{GetMetrics, ListTeamTasks};
use api::devfleet::{ListMissions, ListProjects, MissionRow, MissionStatus};
use client::Client;
use testkit::Server;
use types::{ProjectId, TeamName};

use crate::load::Acknowledged;

/// Everything that the server has.
pub(crate) struct Ledger {
    client: Client,
    rows: Vec<MissionRow>,
}

impl Ledger {
    pub(crate) async fn read(server: &Server) -> Self {
        let client = server.owner();
        let mut rows = Vec::new();
        let mut after = None;
        loop {
            let page = client
                .call(ListMissions { page: Page { after, limit: Some(1000) }, ..ListMissions::default() })
                .await
                .unwrap();
            rows.extend(page.output.items);
            after = page.next;
            if after.is_none() {
                return Self { client, rows };
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Counts the missions of a project.
    pub(crate) fn of(&self, project: &ProjectId) -> usize {
        self.rows.iter().filter(|row| row.project_id.as_ref() == Some(project)).count()
    }

    /// Every acknowledged write is there as it was acknowledged, and nothing is there twice.
    pub(crate) fn assert_holds(&self, acknowledged: &[Acknowledged]) {
        let mut by_title = BTreeMap::new();
        for row in &self.rows {
            assert!(by_title.insert(row.title.as_str(), row).is_none(), "`{}` was written twice", row.title);
        }
        for write in acknowledged {
            let row = by_title.get(write.title.as_str()).unwrap_or_else(|| panic!("{write:?} was lost"));
            assert_eq!((row.id.as_str(), row.mission_number), (write.id.as_str(), write.number), "{write:?}");
        }
        let numbers: Vec<u64> = self.rows.iter().filter_map(|row| row.mission_number).collect();
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len(), "a number was given twice");
    }

    /// What the server counts is what is there.
    pub(crate) async fn assert_counted(&self) {
        let metrics = self.client.call(GetMetrics {}).await.unwrap().output.tasks;
        assert_eq!(metrics.total, self.rows.len() as u64, "metrics count otherwise");
        assert_eq!(metrics.by_status.open, self.rows.len() as u64, "metrics count otherwise");
        for card in self.client.call(ListProjects::default()).await.unwrap().output.items {
            let of_it = |row: &&MissionRow| row.project_id.as_ref() == Some(&card.project.id);
            let missions = self.rows.iter().filter(of_it);
            let running = missions.clone().filter(|row| row.status == MissionStatus::Running).count() as u64;
            let counted = (card.counts.mission_count, card.counts.running_count, card.counts.completed_count);
            assert_eq!(counted, (missions.count() as u64, running, 0), "the project's card counts otherwise");
        }
    }

    /// The other dialect shows the same missions.
    pub(crate) async fn assert_same_through_tasks(&self) {
        let mut ids = BTreeSet::new();
        let mut after = None;
        loop {
            let team_name = TeamName::default_team();
            let page = self
                .client
                .call(ListTeamTasks {
                    team_name: Some(team_name),
                    page: Page { limit: Some(1000), after },
                    ..ListTeamTasks::default()
                })
                .await
                .unwrap();
            ids.extend(page.output.items.into_iter().map(|task| task.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(ids, self.rows.iter().map(|row| row.id.clone()).collect());
    }
}
