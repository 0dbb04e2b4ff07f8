//! Pushes what has landed, or opens a pull request for it, where a project asks for that.
//!
//! A remote that refuses changes nothing about the landing: the mission is done, and the record says what the remote
//! answered until a person retries. Nothing is pushed by force.

use std::collections::BTreeMap;
use std::path::PathBuf;

use landing::{Ground, LandingEngine, Push};
use store::{Query, by};
use types::{Landing, Publication, Session};
use workspaces::PullRequest;

use crate::Result;
use crate::landings::Landings;
use crate::worker::Turn;

/// Landings read at once.
const PAGE: usize = 100;

/// The remote that branches are pushed to by default.
const ORIGIN: &str = "origin";

/// The most characters that are kept of a remote's refusal.
const REFUSAL_MAX: usize = 2_000;

/// The address of the pull request, if one was opened, or why the remote refused.
type Published = std::result::Result<Option<String>, String>;

impl Landings {
    /// Publishes everything of a repository that is to be published.
    pub(crate) async fn publication_turn(&self, folder: &str) -> Result<Turn> {
        let pending = self.unpublished(folder).await?;
        if pending.is_empty() {
            return Ok(Turn::Empty);
        }
        let mut pushes: BTreeMap<(Option<String>, String), Vec<Landing>> = BTreeMap::new();
        for landing in pending {
            if landing.rules.pr {
                let published = self.open_pull_request(&landing).await?;
                self.record_publication(&landing, &published).await?;
            } else {
                let remote = landing.rules.push.clone().unwrap_or_else(|| ORIGIN.to_owned());
                pushes.entry((landing.rules.target.clone(), remote)).or_default().push(landing);
            }
        }
        // The target branch has all of them, so one push publishes all.
        for ((target, remote), landed) in pushes {
            let published = push(self.lander.as_ref(), folder, target, &remote).await;
            for landing in &landed {
                self.record_publication(landing, &published).await?;
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

    async fn record_publication(&self, landing: &Landing, published: &Published) -> Result<()> {
        let stamp = self.stamp(landing);
        let publication = match published.clone() {
            Ok(pr) => Publication::Done { at: stamp.at, pr },
            Err(why) => Publication::Refused { at: stamp.at, why: why.chars().take(REFUSAL_MAX).collect() },
        };
        let next = Landing { publication: Some(publication), ..landing.clone() };
        self.move_landing(landing, next, None, &stamp).await.map(drop)
    }

    /// Pushes the branch of a landing and opens a pull request for it.
    async fn open_pull_request(&self, landing: &Landing) -> Result<Published> {
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

async fn push(lander: &dyn LandingEngine, folder: &str, target: Option<String>, remote: &str) -> Published {
    let branch = target.clone().unwrap_or_else(|| "HEAD".to_owned());
    let ground = Ground {
        folder: PathBuf::from(folder),
        target,
        checks: Vec::new(),
        check_timeout: Default::default(),
        sandbox: Default::default(),
    };
    match lander.push(&ground, remote).await {
        Ok(Push::Done) => Ok(None),
        Ok(Push::Rejected { said }) => Err(format!("`{remote}` refused a push of `{branch}`: {}", said.trim())),
        Ok(Push::Denied { said }) => Err(format!("`{remote}` did not let a push of `{branch}` in: {}", said.trim())),
        Ok(Push::NoRemote) => Err(format!("no remote `{remote}` to push `{branch}` to")),
        Err(error) => Err(format!("a push of `{branch}` to `{remote}` failed: {error}")),
    }
}
