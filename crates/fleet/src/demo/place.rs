//! Where the demo plays: a folder with a small repository and a home of Fleet, and nothing outside it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use api::Kind;
use cli::Failure;
use config::Environment;
use runtime::Rng;

/// What the demo passes on of the environment it was started in; the rest could lead it elsewhere.
const PASSED: [&str; 4] = ["PATH", "LANG", "TMPDIR", "LD_LIBRARY_PATH"];

/// What the demo's server is told, now and when it is started again by hand.
const SETTINGS: &str = "default_agent = \"sim\"\nmax_workers = 16\n";

/// The check that every branch passes before it lands.
pub(super) const CHECK: &str = "sh check.sh";

const FILES: [(&str, &str); 5] = [
    ("README.md", include_str!("repository/README.md")),
    ("check.sh", include_str!("repository/check.sh")),
    ("shop/__init__.py", ""),
    ("shop/cart.py", include_str!("repository/cart.py")),
    ("shop/prices.py", include_str!("repository/prices.py")),
];

/// The folder of a demo.
#[derive(Debug, Clone)]
pub(super) struct DemoFolder {
    root: PathBuf,
    variables: Vec<(String, String)>,
}

impl DemoFolder {
    /// Makes the folder, which must be empty if it is there, and the repository in it.
    pub(super) fn make(wanted: Option<&Path>, environment: &Environment, rng: &Rng) -> Result<Self, Failure> {
        let temporary = || {
            let base = environment.get("TMPDIR").filter(|path| !path.is_empty()).unwrap_or("/tmp");
            Path::new(base).join(format!("fleet-demo-{}", rng.short_code(6)))
        };
        let named = wanted.map_or_else(temporary, Path::to_owned);
        let failed = |error: std::io::Error| Failure::io(&format!("cannot make `{}`", named.display()), &error);
        std::fs::create_dir_all(&named).map_err(failed)?;
        let root = named.canonicalize().map_err(failed)?;
        if root.read_dir().map_err(failed)?.next().is_some() {
            let message = format!("cannot play in `{}`: it is not empty", root.display());
            return Err(Failure::new(Kind::Invalid, message).hint("Name a folder that is not there yet."));
        }
        let passed = PASSED.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.to_owned())));
        let place = Self { variables: passed.collect(), root };
        place.make_repository()?;
        put(&place.home().join("runtime.toml"), SETTINGS).map_err(failed)?;
        std::fs::set_permissions(place.home(), Permissions::from_mode(0o700)).map_err(failed)?;
        Ok(place)
    }

    /// Returns the folder itself.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the repository that the agents work on.
    pub(super) fn repository(&self) -> PathBuf {
        self.root.join("shop")
    }

    /// Returns the home directory of the server.
    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns the environment of everything that is started here; the person's own settings are not in it.
    pub(super) fn variables(&self) -> Vec<(String, String)> {
        let home = self.home().display().to_string();
        let own = [("HOME", home.as_str()), ("FLEET_HOME", home.as_str()), ("GIT_CONFIG_NOSYSTEM", "1")];
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.variables.iter().cloned().chain(own).collect()
    }

    /// Asks git something about the repository.
    pub(super) fn git(&self, args: &[&str]) -> Result<String, Failure> {
        #[expect(clippy::disallowed_methods, reason = "the demo acts as a person would, before and after agents")]
        let mut command = Command::new("git");
        command.current_dir(self.repository()).env_clear().envs(self.variables()).args(args).stdin(Stdio::null());
        let output = command.output().map_err(|error| {
            Failure::io("cannot start git", &error).hint("Install git, then try again; `fleet doctor` looks for it.")
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Failure::new(Kind::Internal, format!("git {} failed: {said}", args.join(" "))))
    }

    /// Returns the commit that everything began with.
    pub(super) fn first(&self) -> Result<String, Failure> {
        Ok(self.git(&["rev-list", "--max-parents=0", "main"])?.trim().to_owned())
    }

    fn make_repository(&self) -> Result<(), Failure> {
        let repository = self.repository();
        for (path, text) in FILES {
            put(&repository.join(path), text)
                .map_err(|error| Failure::io(&format!("cannot write `{path}`"), &error))?;
        }
        self.git(&["init", "--quiet"])?;
        self.git(&["symbolic-ref", "HEAD", "refs/heads/main"])?;
        self.git(&["config", "user.name", "Fleet demo"])?;
        self.git(&["config", "user.email", "demo@fleet.invalid"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message=Open the shop"])?;
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "a new file in a folder that the demo made itself")]
fn put(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}
