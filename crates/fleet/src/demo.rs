//! `fleet demo`: agents at work on a small repository, while their server is killed, on any machine and without a key.
//!
//! Everything happens in a folder of its own, with a server of its own that this program starts and ends. What it
//! shows on the screen it has checked; if anything is not as promised it says so and exits with status 1.

mod board;
mod cast;
mod outcome;
mod place;
mod server;
mod story;
mod traces;

use std::time::Duration;

use api::Kind;
use cli::{DemoArgs, Failure, Terminal};
use config::Environment;
use runtime::{Clock, Rng};

use outcome::{Outcome, heading};
use place::DemoFolder;
use server::Server;
use story::Story;

/// How long after the end processes may take to be gone.
const GONE_MAX: Duration = Duration::from_secs(5);

/// Plays the demo to its end, and cleans up after it however it ends.
pub(crate) async fn run(args: &DemoArgs, environment: &Environment, terminal: &mut Terminal) -> Result<u8, Failure> {
    let clock = Clock::system();
    let mut signals = runtime::signals().map_err(|error| Failure::io("cannot listen for signals", &error))?;
    let place = DemoFolder::make(args.dir.as_deref(), environment, &Rng::from_os())?;
    let roles = cast::roles(args.fast)?;
    terminal.print(&format!(
        "{} agents share one small repository. They follow scripts, so no key is needed and nothing leaves this machine.\n\
         Everything is in {}\n\n",
        roles.len(),
        place.root().display()
    ))?;
    let server = Server::start(&place, &clock).await?;
    let mut story = Story::new(&place, &roles, server, args.fast, clock.clone(), terminal.width());
    let played = tokio::select! {
        played = story.play(terminal) => played,
        _ = signals.next() => Err(Failure::new(Kind::Unavailable, "the demo was interrupted")),
    };
    let ended = match played {
        Ok(()) => close(&mut story, &place, terminal).await,
        Err(failure) => Err(failure),
    };
    let cleaned = story.clean_up().await;
    let exit = ended?;
    cleaned?;
    let left = still_there(&place, &clock).await;
    if !left.is_empty() {
        return Err(Failure::new(Kind::Internal, format!("processes were left behind: {left:?}")));
    }
    farewell(&place, terminal)?;
    Ok(exit)
}

/// Shows the branches and the summary; says which promises were not kept, if any.
async fn close(story: &mut Story<'_>, place: &DemoFolder, terminal: &mut Terminal) -> Result<u8, Failure> {
    let outcomes = story.outcomes().await?;
    terminal.print("\nTheir branches:\n")?;
    for outcome in &outcomes {
        let branch = outcome.session.branch.as_deref().unwrap_or("none");
        terminal.print(&format!("  {}: {branch}\n", outcome.role.name))?;
        for line in &outcome.log {
            terminal.print(&format!("    {line}\n"))?;
        }
    }
    terminal.print(&format!("\n`main`, checked with `{}` at every step:\n", place::CHECK))?;
    for line in place.git(&["log", "--oneline", "--first-parent", "main"])?.lines() {
        terminal.print(&format!("  {line}\n"))?;
    }
    let rows: Vec<_> = std::iter::once(heading()).chain(outcomes.iter().map(Outcome::row)).collect();
    terminal.print(&format!("\n{}\n", cli::grid(&rows, terminal.columns())))?;
    let mut broken: Vec<String> = outcomes.iter().flat_map(Outcome::broken).collect();
    if !place.git(&["status", "--porcelain"])?.is_empty() {
        broken.push("the checkout of the repository does not follow `main`".to_owned());
    }
    if broken.is_empty() {
        terminal.print(
            "Kept: every agent did its work on a branch of its own, every branch landed on `main` once the check had passed\n\
             on the merged tree, no line of output was lost or doubled, and no agent was restarted but the one that crashed.\n",
        )?;
        return Ok(0);
    }
    for promise in broken {
        terminal.warn(&format!("not as promised: {promise}"));
    }
    Ok(1)
}

/// Returns the processes that are still there after a while, which should be none.
async fn still_there(place: &DemoFolder, clock: &Clock) -> Vec<u32> {
    let begun = clock.monotonic();
    loop {
        let left = traces::all(place.root());
        if left.is_empty() || clock.monotonic().saturating_sub(begun) > GONE_MAX {
            return left.into_iter().collect();
        }
        clock.sleep(Duration::from_millis(50)).await;
    }
}

fn farewell(place: &DemoFolder, terminal: &mut Terminal) -> Result<(), Failure> {
    let (repository, home) = (place.repository(), place.home());
    let program = std::env::current_exe().unwrap_or_else(|_| "fleet".into());
    let folder = program.parent().unwrap_or(&program);
    let (root, repository, home, folder) =
        (place.root().display(), repository.display(), home.display(), folder.display());
    terminal.print(&format!(
        "\nThe server is stopped and no process is left. Try next, in a shell:\n\
         \x20 export FLEET_HOME={home} PATH={folder}:$PATH\n\
         \x20 cd {repository}\n\
         \x20 git log --oneline --graph\n\
         \x20 fleet up --port 0 --background    # the demo's server again, with all it knows\n\
         \x20 fleet mission list                # `fleet logs MISSION`, `fleet report MISSION`: what an agent said and did\n\
         \x20 fleet run \"Add gift cards\"       # a mission of your own; a scripted agent takes it, and it lands\n\
         \x20 fleet spawn scout                 # an agent that waits for messages; `fleet attach scout` types to it\n\
         \x20 fleet send scout Hello\n\
         \x20 fleet dismiss scout --yes\n\
         \x20 fleet up --stop\n\
         Remove everything: rm -rf {root}\n"
    ))
}
