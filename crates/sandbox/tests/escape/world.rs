//! A machine of one user: a home with secrets, a repository and its worktree, a home of Fleet, and a victim.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fleet_sandbox::{Caches, GitDirs, Isolation, Limits, Listen, Rules, Support, System, Wish, plan};
use tempfile::TempDir;
use types::Network;

use crate::table::{self, CACHES, Excess, OBEYED, Places, SECRETS};
use crate::target::Target;

const PROBE: &str = env!("CARGO_BIN_EXE_sandbox-probe");

/// A user of no account.
pub(crate) const ORDINARY: u32 = 54321;

/// A kind of machine, by what it has for a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// Namespaces.
    Namespaces,
    /// Namespaces without Landlock: mounts alone keep files away.
    Mounts,
    /// Neither namespaces nor `bwrap`: the plan does without.
    Landlock,
    /// No namespaces, but `bwrap`.
    Bubblewrap,
    /// The kernel itself refuses to make namespaces, and there is no `bwrap`.
    Refused,
}

/// What the work of an agent needs.
const NEEDED: [&str; 8] = [
    "fleet/private/one/config",
    "fleet/private/one/objects/info/alternates",
    "fleet/private/one/refs/heads/main",
    "home/.cargo/.package-cache",
    "home/.cargo/registry/index",
    "private/tmp/file",
    "repo/file",
    "work/file",
];

pub(crate) struct World {
    folder: TempDir,
    user: Option<u32>,
    support: Support,
    victim: Option<Child>,
    pub(crate) target: Target,
    /// The ports that are listed, for [`Network::Ports`].
    pub(crate) ports: Vec<u16>,
    /// A file that others left in shared memory, and one among the shared temporary files.
    pub(crate) shm: String,
    pub(crate) tmp: String,
}

/// How an attack ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) said: String,
}

impl World {
    /// Makes it for this user, or for another one that root may be; none where the kernel has no Landlock.
    pub(crate) fn new(user: Option<u32>) -> Option<Self> {
        Self::of(user).ok()
    }

    /// Makes it, or says what is missing.
    pub(crate) fn of(user: Option<u32>) -> Result<Self, String> {
        // Not among temporary files, of which an agent has its own.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let support = Support::of_machine("/usr/bin:/bin").probed(Path::new(PROBE));
        let is_root = user.is_none() && rustix::process::geteuid().is_root();
        // Groups belong to the user who runs the tests.
        let cgroups = if user.is_some() { Err("not this user's".to_owned()) } else { support.cgroups.clone() };
        let support = Support { root: is_root, cgroups, ..support };
        if let Err(why) = &support.files {
            return Err(why.clone());
        }
        let name = folder.path().file_name().unwrap().to_string_lossy().into_owned();
        let (shm, tmp) = (format!("/dev/shm/fleet-{name}"), format!("/tmp/fleet-{name}"));
        let mut world =
            Self { folder, user, support, victim: None, target: Target::default(), ports: vec![443], shm, tmp };
        world.restore();
        std::fs::create_dir_all(world.at("victim")).unwrap();
        std::fs::create_dir_all(world.at("private/cache")).unwrap();
        std::fs::create_dir_all(world.at("private/layers")).unwrap();
        std::fs::create_dir_all(world.at("system")).unwrap();
        std::fs::copy(PROBE, world.at("probe")).unwrap();
        world.own_everything();
        // A program as the system has some: of root, and run as root.
        std::fs::copy("/usr/bin/id", world.at("system/id")).unwrap();
        std::fs::set_permissions(world.at("system/id"), PermissionsExt::from_mode(0o4755)).unwrap();
        world.meet_victim();
        Ok(world)
    }

    pub(crate) fn at(&self, path: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(path).to_string_lossy().into_owned()
    }

    pub(crate) const fn has_cgroups(&self) -> bool {
        self.support.cgroups.is_ok()
    }

    pub(crate) const fn is_root(&self) -> bool {
        self.support.root
    }

    /// The table of attacks in this world.
    pub(crate) fn rows(&self) -> Vec<table::Row> {
        let excess = Excess {
            threads: "4000",
            open_files: "600",
            file_mib: "64",
            memory_mib: Some("2048"),
            together_mib: "200",
        };
        let at = |path: &str| self.at(path);
        table::rows(&Places { at: &at, target: &self.target, shm: &self.shm, tmp: &self.tmp, excess })
    }

    /// Makes every file as it was, whatever an attack has done.
    #[expect(clippy::disallowed_methods, reason = "the test prepares files as their user would")]
    pub(crate) fn restore(&self) {
        let files = SECRETS.iter().chain(&OBEYED).chain(&NEEDED).map(|path| PathBuf::from(self.at(path)));
        let cached = CACHES.iter().map(|(_, cache, file)| PathBuf::from(self.at(&format!("{cache}/{file}"))));
        for path in files.chain(cached).chain([PathBuf::from(&self.shm), PathBuf::from(&self.tmp)]) {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "text").unwrap();
            self.own(&path);
        }
        for left in ["work/hard", "work/soft", "work/moved", "work/link", "work/long", "work/new", "work/device"] {
            let _ = std::fs::remove_file(self.at(left));
        }
        let _ = std::fs::remove_file(self.at("fleet/private/one/objects/link"));
    }

    /// Whether an attack got what it wanted.
    #[expect(clippy::disallowed_methods, reason = "the test looks at its own files")]
    pub(crate) fn succeeded(&self, row: &table::Row, done: &Done) -> bool {
        match &row.changes {
            None => done.code == Some(0),
            Some(file) => std::fs::read_to_string(file).unwrap() != "text",
        }
    }

    fn own(&self, path: &Path) {
        if let Some(user) = self.user {
            chown(path, Some(user), Some(user)).unwrap();
        }
    }

    fn own_everything(&self) {
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            self.own(&folder);
            for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                self.own(&entry.path());
                folders.extend(entry.file_type().unwrap().is_dir().then(|| entry.path()));
            }
        }
    }

    /// Says what is missing for a kind of machine, where something is.
    pub(crate) fn lacks(&self, level: Level) -> Option<String> {
        match level {
            Level::Namespaces | Level::Mounts => self.support.namespaces.clone().err(),
            Level::Landlock => None,
            Level::Bubblewrap => self.support.bubblewrap.is_none().then(|| "`bwrap` is not installed".to_owned()),
            Level::Refused => {
                let probe = |word: &str| ["alone", &self.at("probe"), word].map(str::to_owned);
                let made = self.run(None, &probe("none"));
                (made.code != Some(0)).then(|| format!("namespaces cannot be forbidden: {}", made.said))
            }
        }
    }

    /// Whether namespaces can be made where the kernel refuses them; as the product asks.
    pub(crate) fn finds_namespaces(&self) -> bool {
        let asks = ["alone", &self.at("probe"), fleet_sandbox::WORD, "probe", "own"].map(str::to_owned);
        self.run(None, &asks).code == Some(0)
    }

    fn wish(&self, network: Network) -> Wish {
        let path = |name: &str| PathBuf::from(self.at(name));
        let git = GitDirs { own: path("fleet/private/one"), common: path("repo/.git") };
        let limits = Limits {
            processes: Some(400),
            open_files: Some(256),
            memory_mb: Some(512),
            file_mb: Some(16),
            together_mb: Some(128),
        };
        Wish {
            workspace: path("work"),
            git: Some(git),
            home: Some(path("home")),
            hidden: vec![path("fleet"), path("data/fleet.db")],
            read: vec![path("probe"), path("system"), path("repo")],
            write: vec![path("private/tmp")],
            caches: Caches {
                shared: CACHES
                    .iter()
                    .map(|(_, cache, _)| path(cache))
                    .chain([path("home/.cargo/.package-cache")])
                    .collect(),
                own: path("private/layers"),
            },
            private: vec![(path("private/tmp"), "/tmp".into()), (path("private/cache"), path("home/.cache"))],
            network,
            ports: self.ports.clone(),
            limits,
            ..Wish::default()
        }
    }

    pub(crate) fn rules(&self, level: Level, network: Network) -> Rules {
        self.planned(level, &self.wish(network))
    }

    fn planned(&self, level: Level, wish: &Wish) -> Rules {
        let without = Err("not in this test".to_owned());
        let support = match level {
            Level::Namespaces => self.support.clone(),
            Level::Mounts => Support {
                files: Err("not in this test".to_owned()),
                ports: false,
                scopes: false,
                ..self.support.clone()
            },
            Level::Landlock | Level::Refused => {
                Support { namespaces: without, bubblewrap: None, ..self.support.clone() }
            }
            Level::Bubblewrap => Support { namespaces: without, ..self.support.clone() },
        };
        let rules = plan(wish, &support, &System::default()).unwrap().rules.unwrap();
        let in_namespaces = matches!(level, Level::Namespaces | Level::Mounts);
        assert_eq!(in_namespaces, matches!(rules.isolation, Isolation::Namespaces(_)));
        rules
    }

    #[expect(clippy::disallowed_methods, reason = "the test starts the program that tries things")]
    fn command(&self) -> Command {
        let mut command = Command::new(self.at("probe"));
        command.current_dir(self.at("work")).env("SECRET", "of the environment");
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// Tries an attack on a kind of machine, in its sandbox.
    pub(crate) fn run_at(&self, level: Level, network: Network, args: &[String]) -> Done {
        let rules = self.rules(level, network);
        if level != Level::Refused {
            return self.run(Some(&rules), args);
        }
        let (file, probe) = (self.put_rules(&rules), self.at("probe"));
        let alone = ["alone", &probe, "launch", &file, &probe].map(str::to_owned);
        self.run(None, &alone.into_iter().chain(args.iter().cloned()).collect::<Vec<_>>())
    }

    #[expect(clippy::disallowed_methods, reason = "the test writes the rules that a supervisor would hand over")]
    fn put_rules(&self, rules: &Rules) -> String {
        let file = self.at("rules.json");
        std::fs::write(&file, serde_json::to_vec(rules).unwrap()).unwrap();
        self.own(Path::new(&file));
        file
    }

    /// Tries an attack, inside of rules or free.
    pub(crate) fn run(&self, rules: Option<&Rules>, args: &[String]) -> Done {
        let probe = self.at("probe");
        self.run_program(rules, &probe, args)
    }

    pub(crate) fn run_program(&self, rules: Option<&Rules>, program: &str, args: &[String]) -> Done {
        let mut command = self.command();
        if let Some(rules) = rules {
            let file = self.put_rules(rules);
            command.args(["launch", &file, program]);
        }
        let output = command.args(args).stdin(Stdio::null()).output().unwrap();
        let code = output.status.code().or_else(|| output.status.signal().map(|signal| 128 + signal));
        Done { code, said: String::from_utf8_lossy(&output.stderr).into_owned() }
    }

    fn meet_victim(&mut self) {
        let mut process = self
            .command()
            .args(["victim", &self.at("victim")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.target = Target::parse(&line).unwrap_or_else(|| panic!("{line}"));
        self.victim = Some(process);
    }

    /// Connects from a network of its own to a port on which this test listens; says whether it was heard.
    pub(crate) fn through_a_proxy(&self, level: Level, port: u16) -> (bool, Done) {
        let give_to = PathBuf::from(self.at(&format!("proxy-{level:?}")));
        let handed = UnixListener::bind(&give_to).unwrap();
        let wish = Wish { listen: Some(Listen { ports: vec![port], give_to }), ..self.wish(Network::Hosts) };
        let rules = self.planned(level, &wish);
        std::thread::scope(|scope| {
            let heard = scope.spawn(move || {
                let (mut stream, _) = handed.accept().unwrap();
                let listener = received(&mut stream);
                listener.accept().is_ok()
            });
            let done = self.run(Some(&rules), &["tcp".to_owned(), port.to_string()]);
            (heard.join().unwrap(), done)
        })
    }
}

/// Takes the one descriptor that was sent.
fn received(stream: &mut std::os::unix::net::UnixStream) -> std::net::TcpListener {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8];
    recvmsg(&*stream, &mut [std::io::IoSliceMut::new(&mut byte)], &mut control, RecvFlags::empty()).unwrap();
    let message = control.drain().next().unwrap();
    let RecvAncillaryMessage::ScmRights(mut descriptors) = message else { panic!("no descriptor") };
    descriptors.next().unwrap().into()
}

impl Drop for World {
    #[expect(clippy::disallowed_methods, reason = "the test removes what it left outside of its folder")]
    fn drop(&mut self) {
        if let Some(mut victim) = self.victim.take() {
            drop(victim.stdin.take());
            let _ = victim.stdout.take().map(|mut rest| rest.read_to_end(&mut Vec::new()));
            let _ = victim.wait();
        }
        let _ = std::fs::remove_file(&self.shm);
        let _ = std::fs::remove_file(&self.tmp);
    }
}
