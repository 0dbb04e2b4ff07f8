//! The first hour: every command of `docs/first-hour.md` and of the README's block runs again and ends as the page says.
//!
//! The page is the script. A block marked `console` has commands behind `$ `, each with what it printed; the test runs them
//! in one shell, with the real binary and the real agents against a model that is scripted here (`model.rs`).
//! `cargo xtask first-hour` runs the same and writes what was printed into the page.
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(clippy::print_stdout, reason = "what a failed run printed is how it is understood")]
#![expect(clippy::disallowed_methods, reason = "the test stands where a person and their shell would")]

mod model;
mod names;
mod page;
mod shell;

use std::path::{Path, PathBuf};

use agents::claude::Claude;
use agents::codex::Codex;
use agents::gemini::Gemini;
use agents::{Adapter, Setup};
use config::Environment;
use serde_json::{Map, json};
use testkit::Cli;
use testkit::model::ModelServer;

use names::Names;
use page::Page;
use shell::Shell;

/// The binary under test.
const FLEET: &str = env!("CARGO_BIN_EXE_fleet");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/first-hour.md");
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
/// Set by `cargo xtask first-hour`: the page is written anew.
const UPDATE: &str = "FLEET_FIRST_HOUR_UPDATE";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_of_the_first_hour_ends_as_its_page_says() {
    let model = ModelServer::start(model::script()).await;
    let mut desk = Desk::new();
    furnish(&desk.home, model.url());
    let updates = Environment::of_process().get(UPDATE).is_some();
    let mut page = Page::parse(&std::fs::read_to_string(PAGE).unwrap());
    let wrong = desk.play(&mut page, updates).await;
    if updates {
        std::fs::write(PAGE, page.to_string()).unwrap();
    }
    assert!(updates || wrong.is_empty(), "{wrong:#?}\nIf this is as it should be: cargo xtask first-hour");
    let log = desk.shell().run("git -C ~/shop log --format=%s main").output;
    for subject in model::SUBJECTS {
        assert!(log.lines().any(|line| line == subject), "`{subject}` has not landed:\n{log}");
    }
    assert_eq!(desk.shell().run("cat ~/shop/menu.txt").output, "green tea, coffee\n");
    model.assert_done();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_of_the_readme_can_be_pasted_as_it_is() {
    let mut desk = Desk::new();
    // A person who has used git before has a name.
    write(&desk.home.join(".gitconfig"), "[user]\nname = Ann\nemail = ann@example.com\n");
    let mut block = Page::script(&std::fs::read_to_string(README).unwrap(), "## Use it");
    assert!(block.steps().count() > 20, "the block was not found");
    assert_eq!(desk.play(&mut block, false).await, [""; 0]);
    let log = desk.shell().run("git -C ~/shop log --format=%s main").output;
    let subjects: Vec<_> = log.lines().filter_map(|line| line.split(" (m-").next()).collect();
    assert_eq!(subjects, ["Test the cart", "Price the cart", "Add a cart", "Open the shop"]);
}

/// A person's home and shell.
struct Desk {
    home: PathBuf,
    names: Names,
    shell: Option<Shell>,
    /// Goes after the shell has stopped what runs in it.
    _place: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let place = testkit::folder_in(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let home = place.path().canonicalize().unwrap().join("ann");
        std::fs::create_dir(&home).unwrap();
        let folder = Path::new(FLEET).parent().unwrap();
        let agents = Cli::Claude.binary().parent().unwrap().to_owned();
        let folders =
            [(home.as_path(), "/srv/ann"), (folder, "/srv/ann/.cargo/bin"), (agents.as_path(), "/srv/ann/.npm/bin")];
        let (names, shell) = (Names::new(folders), Shell::start(&home, &[folder, &agents]));
        Self { home, names, shell: Some(shell), _place: place }
    }

    fn shell(&mut self) -> &mut Shell {
        self.shell.as_mut().unwrap()
    }

    /// Runs the commands of a page and writes what they printed into it; returns what ended otherwise than the page says.
    async fn play(&mut self, page: &mut Page, updates: bool) -> Vec<String> {
        let mut wrong = Vec::new();
        for step in page.steps() {
            let command = self.names.real(&step.command);
            let mut shell = self.shell.take().unwrap();
            let (ran, shell) = tokio::task::spawn_blocking(move || (shell.run(&command), shell)).await.unwrap();
            self.shell = Some(shell);
            println!("$ {}\n{}[status {}]", step.command, ran.output, ran.status);
            if ran.status != step.status {
                wrong.push(format!("`{}` exits with status {} in place of {}", step.command, ran.status, step.status));
            }
            step.output = self.names.shown(&ran.output);
            if updates {
                step.status = ran.status;
            }
        }
        wrong
    }
}

/// Writes the settings that tie the real agents to the scripted model.
fn furnish(home: &Path, url: &str) {
    let price = json!({ "*": { "input": 2.0, "output": 10.0, "cache_read": 0.5 } });
    let mut agents = Map::new();
    for cli in Cli::ALL {
        let (adapter, model): (Box<dyn Adapter>, _) = match cli {
            Cli::Claude => (Box::new(Claude::new(Setup::default())), None),
            Cli::Codex => (Box::new(Codex::new(Setup::default())), Some("gpt-5.5")),
            Cli::Gemini => (Box::new(Gemini::new(Setup::default())), Some("gemini-3.8-flash")),
        };
        let scripted = adapter.scripted(url).unwrap();
        let mut setup = json!({ "env": scripted.env, "args": scripted.args });
        if let Some(model) = model {
            (setup["model"], setup["prices"]) = (json!(model), price.clone());
        }
        agents.insert(cli.name().to_owned(), setup);
        for file in scripted.files {
            write(&home.join(file.path), &file.text);
        }
    }
    write(&home.join(".fleet/runtime.toml"), &toml::to_string(&json!({ "agents": agents })).unwrap());
}

fn write(path: &PathBuf, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
