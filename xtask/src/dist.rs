//! `cargo xtask dist`: packages of one binary: a Debian package, an npm package and a Python wheel.
//!
//! Each is tried before it counts: installed, put into a file system with nothing else in it ([`clean_root`]), and started
//! there. A static binary is built where the machine can; where not, that is said.

mod clean_root;
mod elf;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::cargo;
use clean_root::CleanRoot;
use elf::{Binary, Machine};

const DESCRIPTION: &str = "Run fleets of coding agents in git worktrees and land their work, checked";

/// Makes a wheel of a folder: every file, and `RECORD` with their hashes; then reads it again and compares.
const WHEEL: &str = r#"
import base64, csv, hashlib, io, os, sys, zipfile
tree, built, record = sys.argv[1:]
def hashed(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
rows = []
with zipfile.ZipFile(built, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
    for folder, _, names in sorted(os.walk(tree)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, tree)
            wheel.write(path, inside)
            data = open(path, "rb").read()
            rows.append((inside, hashed(data), len(data)))
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([*rows, (record, "", "")])
    wheel.writestr(record, table.getvalue())
with zipfile.ZipFile(built) as wheel:
    said = list(csv.reader(io.StringIO(wheel.read(record).decode())))
    assert sorted(row[0] for row in said) == sorted(wheel.namelist()), "RECORD does not list what is in the wheel"
    for inside, digest, size in said:
        data = wheel.read(inside)
        assert inside == record or (digest, size) == (hashed(data), str(len(data))), inside
"#;

#[derive(Args)]
pub(crate) struct Options {
    /// The binary to package [default: a static one if it can be built here, else target/release/fleet]
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Where the packages go [default: target/dist]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Also try `cargo install --path crates/fleet`, unoptimised, into a fresh folder
    #[arg(long)]
    cargo_install: bool,
}

/// Builds the packages of a binary and tries each.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let absolute = |path: &PathBuf| if path.is_absolute() { path.clone() } else { root.join(path) };
    let path_of_binary = match &options.binary {
        Some(named) => absolute(named),
        None => built(root)?,
    };
    ensure!(
        path_of_binary.is_file(),
        "{} is missing: run `cargo build --release --bin fleet`, or name a binary with `--binary`",
        path_of_binary.display()
    );
    let binary = elf::read(&path_of_binary)?;
    let out = options.out.as_ref().map_or_else(|| root.join("target/dist"), absolute);
    fs::create_dir_all(&out)?;
    let work = tempfile::tempdir_in(&out)?;
    let said = cargo::output(root, path(&path_of_binary)?, &["--version"])?;
    let version = said.trim().rsplit([' ', 'v']).next().context("the binary says no version")?.to_owned();
    let is_clean = clean_root::can_be_made(root);
    let package =
        Package { root, work: work.path(), out: &out, path: &path_of_binary, binary, version: &version, is_clean };
    for built in [package.debian()?, package.npm()?, package.wheel()?] {
        println!("{}", built.display());
    }
    if options.cargo_install {
        package.cargo_install()?;
        println!("`cargo install --path crates/fleet` installs a binary that starts");
    }
    println!("{}", summary(binary, is_clean));
    Ok(true)
}

/// Says what the packages are good for, and what was not tried.
fn summary(binary: Binary, is_clean: bool) -> String {
    let linked = if binary.is_static {
        "The binary is static: it runs on every Linux of its processor."
    } else {
        "The binary is not static: it needs the C library of this machine, or a newer one."
    };
    let tried = if is_clean {
        "Each package was started in a file system with nothing else in it."
    } else {
        "NOT tried in a clean file system: `unshare --user` is refused here. Each package was started as installed."
    };
    format!("{linked}\n{tried}")
}

/// Builds a static binary where the machine can; says why if it cannot, and returns the binary of a usual build.
fn built(root: &Path) -> Result<PathBuf> {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let missing = match missing_for(root, &target) {
        None => {
            let build = ["build", "--release", "--locked", "--bin", "fleet", "--target", &target];
            ensure!(cargo::passes(root, "cargo", &build)?, "the static build failed");
            return Ok(root.join("target").join(target).join("release/fleet"));
        }
        Some(missing) => missing,
    };
    println!("No static binary: {missing}.");
    Ok(root.join("target/release/fleet"))
}

/// Names what a static build needs and this machine does not have.
fn missing_for(root: &Path, target: &str) -> Option<String> {
    let installed = cargo::output(root, "rustup", &["target", "list", "--installed"]).unwrap_or_default();
    if !installed.lines().any(|line| line == target) {
        return Some(format!("the Rust target is not installed (`rustup target add {target}`)"));
    }
    let compiles = cargo::output(root, "musl-gcc", &["--version"]).is_ok();
    (!compiles).then(|| "there is no C compiler for musl (`apt-get install musl-tools`)".to_owned())
}

struct Package<'a> {
    root: &'a Path,
    work: &'a Path,
    out: &'a Path,
    path: &'a Path,
    binary: Binary,
    version: &'a str,
    is_clean: bool,
}

impl Package<'_> {
    fn debian(&self) -> Result<PathBuf> {
        let tree = self.work.join("deb");
        self.place(&tree.join("usr/bin/fleet"))?;
        let (version, architecture) = (self.version, self.machine().debian());
        let library = if self.binary.is_static { "" } else { ", libc6" };
        let control = format!(
            "Package: fleet\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: Fleet <fleet@fleet.invalid>\n\
             Depends: git{library}\nRecommends: bubblewrap\nSection: devel\nPriority: optional\nDescription: {DESCRIPTION}\n",
        );
        write(&tree.join("DEBIAN/control"), &control)?;
        let built = self.out.join(format!("fleet_{version}_{architecture}.deb"));
        self.call("dpkg-deb", &["--root-owner-group", "-Zxz", "-z1", "--build", path(&tree)?, path(&built)?])?;
        let tried = self.work.join("deb-tried");
        self.call("dpkg-deb", &["-x", path(&built)?, path(&tried)?])?;
        self.starts(&tried, "/usr/bin/fleet", built)
    }

    fn npm(&self) -> Result<PathBuf> {
        let tree = self.work.join("npm");
        self.place(&tree.join("bin/fleet"))?;
        let manifest = serde_json::json!({
            "name": "fleet", "version": self.version, "description": DESCRIPTION, "license": "MIT OR Apache-2.0",
            "bin": { "fleet": "bin/fleet" }, "files": ["bin"], "os": ["linux"], "cpu": [self.machine().npm()],
        });
        write(&tree.join("package.json"), &serde_json::to_string_pretty(&manifest)?)?;
        self.call("npm", &["pack", "--silent", "--pack-destination", path(self.out)?, path(&tree)?])?;
        let built = self.out.join(format!("fleet-{}.tgz", self.version));
        let tried = self.work.join("npm-tried");
        self.call("npm", &["install", "--silent", "--offline", "--prefix", path(&tried)?, path(&built)?])?;
        self.starts(&tried, "/node_modules/.bin/fleet", built)
    }

    /// A wheel is a zip file with scripts below `NAME.data/scripts`; python's own `zipfile` and `pip` make and try it.
    fn wheel(&self) -> Result<PathBuf> {
        let (tree, version) = (self.work.join("wheel"), self.version);
        let tag = format!("py3-none-linux_{}", self.machine().kernel());
        let name = format!("fleet_agents-{version}");
        self.place(&tree.join(format!("{name}.data/scripts/fleet")))?;
        let info = tree.join(format!("{name}.dist-info"));
        write(
            &info.join("METADATA"),
            &format!("Metadata-Version: 2.1\nName: fleet-agents\nVersion: {version}\nSummary: {DESCRIPTION}\n"),
        )?;
        write(
            &info.join("WHEEL"),
            &format!("Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"),
        )?;
        let built = self.out.join(format!("{name}-{tag}.whl"));
        let record = format!("{name}.dist-info/RECORD");
        self.call("python3", &["-c", WHEEL, path(&tree)?, path(&built)?, &record])?;
        let tried = self.work.join("wheel-tried");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--target"];
        self.call("python3", &[&pip[..], &[path(&tried)?, path(&built)?]].concat())?;
        self.starts(&tried, "/bin/fleet", built)
    }

    /// From a checkout, without optimisation: what is tried is that the crate can be installed, not how fast it is.
    fn cargo_install(&self) -> Result<()> {
        let tried = self.work.join("cargo-tried");
        let words = ["install", "--quiet", "--locked", "--debug", "--path", "crates/fleet", "--root", path(&tried)?];
        ensure!(cargo::passes(self.root, "cargo", &words)?, "`cargo install --path crates/fleet` failed");
        self.starts(&tried, "/bin/fleet", tried.clone()).map(drop)
    }

    fn machine(&self) -> Machine {
        self.binary.machine
    }

    fn place(&self, to: &Path) -> Result<()> {
        fs::create_dir_all(to.parent().context("a path below the tree")?)?;
        fs::copy(self.path, to)?;
        Ok(fs::set_permissions(to, fs::Permissions::from_mode(0o755))?)
    }

    /// Starts the installed binary: it says its version, and makes a home.
    fn starts(&self, installed: &Path, binary: &str, built: PathBuf) -> Result<PathBuf> {
        let said = if self.is_clean {
            let clean = installed.with_extension("root");
            let clean = CleanRoot::with(self.root, clean, installed, binary)?;
            clean.run(binary, &["init"])?;
            clean.run(binary, &["--version"])?
        } else {
            cargo::output(self.root, path(&installed.join(binary.trim_start_matches('/')))?, &["--version"])?
        };
        ensure!(said.contains(self.version), "{} installs a binary that says `{said}`", built.display());
        Ok(built)
    }

    fn call(&self, program: &str, args: &[&str]) -> Result<String> {
        cargo::output(self.root, program, args).with_context(|| format!("{program} failed; is it installed?"))
    }
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a path below the tree")?)?;
    Ok(fs::write(path, text)?)
}
