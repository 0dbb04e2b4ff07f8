//! An agent is held by the sandbox it was started in; its shim is not, and what was reached is written down.

use std::path::Path;

use fleet_supervisor::{End, Error};
use sandbox::{Plan, Support, System, Wish, plan};
use types::{Access, Network, Sandboxed, Wanted};

use crate::*;

impl World {
    /// A plan in which only the folder `inside` is reached of what the test made.
    fn plan(&self, network: Network) -> Plan {
        let inside = self.folder.path().join("inside");
        std::fs::create_dir_all(&inside).unwrap();
        for file in ["inside/file", "outside"] {
            std::fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join(file)).unwrap();
        }
        let wish =
            Wish { wanted: Wanted::Auto, workspace: inside, read: vec![PROBE.into()], network, ..Wish::default() };
        plan(&wish, &Support::of_machine("/usr/bin:/bin"), &System::default()).unwrap()
    }

    fn trying(&self, plan: &Plan) -> Launch {
        let paths = ["inside/file", "outside"].map(|file| self.folder.path().join(file).display().to_string());
        let cwd = self.folder.path().join("inside");
        Launch { cwd, sandbox: Some(plan.clone()), ..self.launch(&["tries", &paths[0], &paths[1]]) }
    }

    async fn tried(&self, running: &Running) -> [bool; 2] {
        let mut tail = self.tail(running, Stream::Output, 0);
        let first = text(&self.next(&mut tail).await.unwrap()).ends_with(": read");
        let second = text(&self.next(&mut tail).await.unwrap()).ends_with(": read");
        [first, second]
    }
}

#[tokio::test]
async fn an_agent_is_held_and_its_shim_goes_on_to_write_in_its_spool() {
    let world = World::new();
    let plan = world.plan(Network::Open);
    let held = matches!(plan.reached, Sandboxed::Held { access: Access::Workspace, .. });
    let running = world.start_launch("a", &world.trying(&plan)).await;
    assert_eq!(world.tried(&running).await, [true, !held]);
    // Whoever comes later learns what was reached.
    assert_eq!(world.adopt_running("a").await.record().sandbox, Some(plan.reached));
    running.input(1, b"\n").await.unwrap();
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!(exit.end, End::Exited { code: 0 });
    assert!(world.spool("a").path().join("exit.json").exists());
}

#[tokio::test]
async fn a_network_of_its_own_changes_nothing_about_files_input_and_stopping() {
    let world = World::new();
    let plan = world.plan(Network::None);
    let held = matches!(plan.reached, Sandboxed::Held { .. });
    let running = world.start_launch("a", &world.trying(&plan)).await;
    assert_eq!(world.tried(&running).await, [true, !held]);
    running.stop(quickly()).await.unwrap();
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert!(exit.stopped && exit.survivors.is_empty(), "{exit:?}");
    assert_eq!(running_in(&world.folder.path().canonicalize().unwrap().join("inside")), Vec::<String>::new());
}

#[tokio::test]
async fn a_program_that_is_kept_from_it_is_not_started_and_that_is_said() {
    let world = World::new();
    let plan = world.plan(Network::Open);
    if plan.walls.is_none() {
        return;
    }
    let program = world.folder.path().join("program");
    std::fs::copy(PROBE, &program).unwrap();
    let launch = Launch { program: program.clone(), ..world.trying(&plan) };
    let refused = world.supervisor.start(&world.spool("a"), &launch).await;
    let Err(Error::NotStarted(why)) = refused else { panic!("it runs") };
    assert!(why.contains(&*program.to_string_lossy()), "{why}");
    assert!(Path::new(&program).exists());
}
