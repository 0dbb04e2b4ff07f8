//! An agent is held by the sandbox it was started in; its shim is not, and what was reached is written down.

use std::path::Path;

use fleet_supervisor::{End, Error};
use sandbox::{Plan, Support, System, Wish, plan};
use types::{Access, Network, Sandboxed, Wanted};

use crate::*;

/// How many processes are in a family of the probe, each of which says a line.
const FAMILY: usize = 4;

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
        plan(&wish, &Support::of_machine("/usr/bin:/bin").probed(Path::new(PROBE)), &System::default()).unwrap()
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
    // A later server learns what was enforced.
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
    if plan.rules.is_none() {
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

/// Lists the processes that were started with a launch of this name, wherever they are.
fn marked(name: &str) -> Vec<u32> {
    let mark = format!("FLEET_LAUNCH=launch of {name}@");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has_mark = |pid: &u32| {
        #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair.starts_with(mark.as_bytes()))
    };
    pids.filter(has_mark).collect()
}

impl World {
    /// Starts something in its sandbox, and returns when it has said so many lines.
    async fn inside(&self, name: &str, args: &[&str], lines: usize) -> Running {
        let cwd = self.folder.path().join("inside");
        let plan = self.plan(Network::Open);
        let id = format!("launch of {name}");
        let running = self.start_launch(name, &Launch { id, cwd, sandbox: Some(plan), ..self.launch(args) }).await;
        let mut tail = self.tail(&running, Stream::Output, 0);
        for _ in 0..lines {
            self.next(&mut tail).await.unwrap();
        }
        running
    }
}

#[tokio::test]
async fn a_stop_ends_everything_in_a_sandbox_the_stubborn_the_detached_and_the_orphaned() {
    let world = World::new();
    let running = world.inside("sandboxed-family", &["family"], FAMILY).await;
    assert!(marked("sandboxed-family").len() >= FAMILY);
    let exit = running.stop(quickly()).await.unwrap();
    assert_eq!((exit.end, exit.stopped, exit.survivors), (End::Signalled { signal: 9 }, true, vec![]));
    assert_eq!(marked("sandboxed-family"), Vec::<u32>::new());
}

#[tokio::test]
async fn what_an_agent_leaves_behind_in_a_sandbox_is_asked_to_end_and_the_agents_own_end_is_told() {
    let world = World::new();
    let running = world.inside("sandboxed-orphan", &["detach-and-end"], 1).await;
    running.input(1, b"end\n").await.unwrap();
    let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
    assert_eq!((exit.end, exit.stopped), (End::Exited { code: 0 }, false));
    assert_eq!(marked("sandboxed-orphan"), Vec::<u32>::new());
}

#[tokio::test]
async fn how_an_agent_ended_is_told_from_inside_of_a_sandbox() {
    let world = World::new();
    for (name, args, end) in [
        ("sandboxed-exit", &["exit", "7"] as &[_], End::Exited { code: 7 }),
        ("sandboxed-abort", &["abort"], End::Signalled { signal: 6 }),
    ] {
        let running = world.inside(name, args, 0).await;
        let exit = world.clock.timeout(PATIENCE, running.ended()).await.unwrap().unwrap();
        assert_eq!(exit.end, end, "{name}");
    }
    for (name, signal, number) in [("sandboxed-term", Signal::Terminate, 15), ("sandboxed-int", Signal::Interrupt, 2)] {
        let running = world.inside(name, &["idle"], 1).await;
        let exit = running.stop(Stop::new(signal, Duration::from_secs(8))).await.unwrap();
        assert_eq!((exit.end, exit.stopped), (End::Signalled { signal: number }, true));
    }
}

#[tokio::test]
async fn a_sandbox_whose_shim_was_killed_is_found_and_ended_with_all_in_it() {
    let world = World::new();
    let running = world.inside("sandboxed-lost", &["family"], FAMILY).await;
    rustix::process::kill_process(raw(running.record().shim), rustix::process::Signal::KILL).unwrap();
    let lost = world.clock.timeout(PATIENCE, running.ended()).await.unwrap();
    assert!(lost.is_err(), "{lost:?}");
    let Adopted::Lost { leftover: Some(leftover), .. } = world.adopt("sandboxed-lost").await else {
        panic!("the agent is not found")
    };
    // The first process of the namespace takes all others with it, so few may be left to count.
    assert!(leftover.end().await >= 1);
    assert_eq!(marked("sandboxed-lost"), Vec::<u32>::new());
}
