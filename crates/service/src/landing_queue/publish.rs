//! Tells remotes of what has landed, where a project asks for that.
//!
//! It has landed whatever comes of this: the mission is done, and the record says that the remote refused, in its own
//! words, until somebody lets it be tried again. Nothing is forced.

use std::collections::BTreeMap;
use std::path::PathBuf;

use landing::{Ground, Lander, Push};
use store::{Query, by};
use types::{Landing, Publication, Session};
use workspaces::PullRequest;

use super::worker::Turn;
use crate::{Result, Service};

/// Landings read at once.
const PAGE: usize = 100;

/// Where branches are pushed to unless it is said.
const ORIGIN: &str = "origin";

/// The most characters of what a remote says that are kept.
const WORDS_MAX: usize = 2_000;

/// What a remote was told: the address of a pull request, if that was how, or why it does not know.
type Told = std::result::Result<Option<String>, String>;

impl Service {
    /// Tells the remotes of a repository what they are to be told.
    pub(super) async fn publication_turn(&self, lander: &Lander, folder: &str) -> Result<Turn> {
        let pending = self.unpublished(folder).await?;
        if pending.is_empty() {
            return Ok(Turn::Empty);
        }
        let mut pushes: BTreeMap<(Option<String>, String), Vec<Landing>> = BTreeMap::new();
        for landing in pending {
            if landing.rules.pr {
                let told = self.ask_for_merge(&landing).await?;
                self.published(&landing, &told).await?;
            } else {
                let remote = landing.rules.push.clone().unwrap_or_else(|| ORIGIN.to_owned());
                pushes.entry((landing.rules.target.clone(), remote)).or_default().push(landing);
            }
        }
        // The target branch has all of them, so one push tells of all.
        for ((target, remote), landed) in pushes {
            let told = push(lander, folder, target, &remote).await;
            for landing in &landed {
                self.published(landing, &told).await?;
            }
        }
        Ok(Turn::Again)
    }

    async fn unpublished(&self, folder: &str) -> Result<Vec<Landing>> {
        let mut query = Query::earliest(by::landing::publishing(), PAGE);
        let mut found = Vec::new();
        loop {
            let page = self.store.list::<Landing>(query.clone()).await?;
            found.extend(page.records.into_iter().filter(|landing| landing.folder == folder));
            query.after = page.next;
            if query.after.is_none() {
                return Ok(found);
            }
        }
    }

    async fn published(&self, landing: &Landing, told: &Told) -> Result<()> {
        let stamp = self.landing_stamp(landing);
        let publication = match told.clone() {
            Ok(pr) => Publication::Done { at: stamp.at, pr },
            Err(why) => Publication::Refused { at: stamp.at, why: why.chars().take(WORDS_MAX).collect() },
        };
        let next = Landing { publication: Some(publication), ..landing.clone() };
        self.move_landing(landing, next, None, &stamp).await.map(drop)
    }

    /// Pushes the branch of a landing and opens a pull request of it.
    async fn ask_for_merge(&self, landing: &Landing) -> Result<Told> {
        let session = self.store.get::<Session>(&landing.session).await?;
        let Some(workspace) = session.and_then(|session| session.workspace) else {
            return Ok(Err(format!("the session `{}` that made it is gone", landing.session)));
        };
        let remote = landing.rules.push.as_deref().unwrap_or(ORIGIN);
        if let Err(error) = self.workspaces.push_to(&workspace, remote).await {
            return Ok(Err(error.to_string()));
        }
        let title = if landing.title.is_empty() { landing.branch.clone() } else { landing.title.clone() };
        let body = format!("Mission {}, landing {}: its checks were green.", landing.mission, landing.id);
        let asked = PullRequest { title, body, base: landing.rules.target.clone(), draft: false };
        Ok(self.workspaces.open_pr(&workspace, &asked).await.map(Some).map_err(|error| error.to_string()))
    }
}

async fn push(lander: &Lander, folder: &str, target: Option<String>, remote: &str) -> Told {
    let branch = target.clone().unwrap_or_else(|| "HEAD".to_owned());
    let ground =
        Ground { folder: PathBuf::from(folder), target, checks: Vec::new(), check_timeout: Default::default() };
    match lander.push(&ground, remote).await {
        Ok(Push::Done) => Ok(None),
        Ok(Push::Rejected { said }) => Err(format!("`{remote}` refused a push of `{branch}`: {}", said.trim())),
        Ok(Push::Denied { said }) => Err(format!("`{remote}` did not let a push of `{branch}` in: {}", said.trim())),
        Ok(Push::NoRemote) => Err(format!("there is no remote `{remote}` to push `{branch}` to")),
        Err(error) => Err(format!("a push of `{branch}` to `{remote}` failed: {error}")),
    }
}
