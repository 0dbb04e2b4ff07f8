//! MCP servers of projects: what they may be, and who gets them.
//!
//! A `stdio` server is a program that runs on this machine, so adding one requires a leading role. Its
//! environment and its headers are given to agents and never shown.

use api::devfleet::{
    AddMcpServer, Deleted, DisableMcpServer, EnableMcpServer, ListMcpServers, McpServerRow, RemoveMcpServer,
    UpdateMcpServer,
};
use api::{Code, Error, Listing};
use store::{Held, Query, Transaction, by};
use tokens::Member;
use types::{Event, Project, ProjectId, ProjectServer, ServerId};

use super::LIST_MAX;
use super::not_found;
use super::projects::held_project;
use super::server_config::{name_refused, reach, type_of};
use crate::{Caller, Handle, Result, Service};

/// Most servers of one project: an agent starts them all before it does anything.
const SERVERS_MAX: usize = 32;

impl Handle<ListMcpServers> for Service {
    async fn handle(&self, caller: &Caller, op: ListMcpServers) -> Result<Listing<McpServerRow>> {
        let member = caller.member()?;
        let who = self.viewer(member);
        let servers = self.servers_of(&op.project).await?.into_iter().filter(|server| who.sees(server));
        Ok(Listing::whole(servers.map(Into::into).collect()))
    }
}

impl Handle<AddMcpServer> for Service {
    async fn handle(&self, caller: &Caller, op: AddMcpServer) -> Result<McpServerRow> {
        let member = caller.member()?;
        name_refused(&op.server_name)?;
        let reach = reach(op.server_type, op.config.clone(), None)?;
        let by = self.stamp(member, &self.project(member, &op.project).await?.team);
        let (op, name, reach) = (&op, &op.server_name, &reach);
        let added = self.store.transact(&by, |tx| async move {
            let project = held_project(&tx, member, &op.project).await?.record;
            if project.deleting {
                return Err(super::project_removal::being_deleted(&project.id).into());
            }
            self.name_is_free(&project.id, name, None).await?;
            let now = self.clock.now();
            let server = ProjectServer {
                id: self.draw_id(ServerId::from_code)?,
                project: project.id.clone(),
                team: project.team,
                name: name.clone(),
                reach: reach.clone(),
                enabled: op.enabled,
                created_by: member.handle.clone(),
                created_at: now,
                updated_at: now,
            };
            tx.insert(&server)?;
            tx.append(Event::ProjectUpdated { project: project.id });
            Ok::<_, crate::Error>(server)
        });
        Ok(added.await?.into())
    }
}

impl Handle<UpdateMcpServer> for Service {
    async fn handle(&self, caller: &Caller, op: UpdateMcpServer) -> Result<McpServerRow> {
        if let Some(name) = &op.server_name {
            name_refused(name)?;
        }
        self.change_server(caller.member()?, op).await
    }
}

impl Handle<EnableMcpServer> for Service {
    async fn handle(&self, caller: &Caller, op: EnableMcpServer) -> Result<McpServerRow> {
        self.change_server(caller.member()?, switched(op.server, true)).await
    }
}

impl Handle<DisableMcpServer> for Service {
    async fn handle(&self, caller: &Caller, op: DisableMcpServer) -> Result<McpServerRow> {
        self.change_server(caller.member()?, switched(op.server, false)).await
    }
}

impl Handle<RemoveMcpServer> for Service {
    async fn handle(&self, caller: &Caller, op: RemoveMcpServer) -> Result<Deleted> {
        let member = caller.member()?;
        let by = self.stamp(member, &self.server(member, &op.server).await?.team);
        let op = &op;
        self.store
            .transact(&by, |tx| async move {
                let held = held_server(&tx, member, &op.server).await?;
                tx.append(Event::ProjectUpdated { project: held.record.project.clone() });
                tx.delete(&held);
                Ok::<_, crate::Error>(())
            })
            .await?;
        Ok(Deleted::OK)
    }
}

impl Service {
    /// Reads the servers of a project, by name.
    async fn servers_of(&self, project: &ProjectId) -> Result<Vec<ProjectServer>> {
        let query = Query::earliest(by::mcp_server::project(project), LIST_MAX);
        Ok(self.store.list::<ProjectServer>(query).await?.records)
    }

    /// Removes the servers of a project that goes.
    pub(super) async fn drop_servers(&self, tx: &Transaction, project: &Project) -> Result<()> {
        for server in self.servers_of(&project.id).await? {
            if let Some(held) = tx.get::<ProjectServer>(&server.id).await? {
                tx.delete(&held);
            }
        }
        Ok(())
    }

    async fn server(&self, member: &Member, id: &ServerId) -> Result<ProjectServer> {
        self.read_seen(member, id, not_found::server).await
    }

    async fn change_server(&self, member: &Member, op: UpdateMcpServer) -> Result<McpServerRow> {
        let by = self.stamp(member, &self.server(member, &op.server).await?.team);
        let op = &op;
        let changed = self.store.transact(&by, |tx| async move {
            let held = held_server(&tx, member, &op.server).await?;
            let server = edited(held.record.clone(), op.clone())?;
            if server.name != held.record.name {
                self.name_is_free(&server.project, &server.name, Some(&server.id)).await?;
            }
            if server == held.record {
                return Ok(server);
            }
            let server = ProjectServer { updated_at: self.clock.now(), ..server };
            tx.update(&held, &server)?;
            tx.append(Event::ProjectUpdated { project: server.project.clone() });
            Ok::<_, crate::Error>(server)
        });
        Ok(changed.await?.into())
    }

    /// Refuses a name that another server of the project has. The index holds it too: of two who come at once, one
    /// finds the other here when it tries again.
    async fn name_is_free(&self, project: &ProjectId, name: &str, own: Option<&ServerId>) -> Result<()> {
        let others: Vec<ProjectServer> = self.servers_of(project).await?;
        if own.is_none() && others.len() >= SERVERS_MAX {
            let message = format!("project `{project}` has {SERVERS_MAX} MCP servers already");
            return Err(Error::new(Code::FIELDS_INVALID, message).hint("Remove one that is not needed.").into());
        }
        match others.into_iter().find(|other| other.name == name && Some(&other.id) != own) {
            Some(other) => {
                Err(Error::new(Code::SERVER_EXISTS, format!("server_name: `{name}` is taken by `{}`", other.id))
                    .hint(format!("Choose another name, or remove it first: `fleet mcp-servers remove {}`.", other.id))
                    .into())
            }
            None => Ok(()),
        }
    }
}

fn switched(server: ServerId, enabled: bool) -> UpdateMcpServer {
    UpdateMcpServer { server, server_name: None, server_type: None, config: None, enabled: Some(enabled) }
}

fn edited(server: ProjectServer, op: UpdateMcpServer) -> Result<ProjectServer> {
    let given = op.config.is_some() || op.server_type.is_some();
    let kind = op.server_type.unwrap_or_else(|| type_of(&server.reach));
    let reach = match op.config {
        Some(config) => reach(kind, config, Some(&server.reach))?,
        None if given && kind != type_of(&server.reach) => {
            return Err(Error::new(Code::FIELDS_INVALID, "server_type: another type needs another `config`")
                .hint("Give both.")
                .into());
        }
        None => server.reach,
    };
    let name = op.server_name.unwrap_or(server.name);
    Ok(ProjectServer { name, reach, enabled: op.enabled.unwrap_or(server.enabled), ..server })
}

async fn held_server(tx: &Transaction, member: &Member, id: &ServerId) -> Result<Held<ProjectServer>> {
    let held = tx.get::<ProjectServer>(id).await?.filter(|held| member.sees(&held.record.team));
    held.ok_or_else(|| not_found::server().into())
}
