//! `cargo xtask dist`: packages of one binary: a Debian package, an npm package and a Python wheel.
//!
//! Each is tried before it counts: unpacked or installed into a fresh folder, where the binary says its version.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::cargo;

const DESCRIPTION: &str = "Run fleets of coding agents in git worktrees and land their work, checked";

#[derive(Args)]
pub(crate) struct Options {
    /// The binary to package [default: target/release/fleet]
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Where the packages go [default: target/dist]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Builds the packages of a binary and tries each.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let absolute = |path: &PathBuf| if path.is_absolute() { path.clone() } else { root.join(path) };
    let binary = options.binary.as_ref().map_or_else(|| root.join("target/release/fleet"), absolute);
    ensure!(
        binary.is_file(),
        "{} is missing: run `cargo build --release --bin fleet`, or name a binary with `--binary`",
        binary.display()
    );
    let out = options.out.as_ref().map_or_else(|| root.join("target/dist"), absolute);
    fs::create_dir_all(&out)?;
    let work = tempfile::tempdir_in(&out)?;
    let said = cargo::output(root, path(&binary)?, &["--version"])?;
    let version = said.trim().rsplit([' ', 'v']).next().context("the binary says no version")?.to_owned();
    let package = Package { root, work: work.path(), out: &out, binary: &binary, version: &version };
    for built in [package.debian()?, package.npm()?, package.wheel()?] {
        println!("{}", built.display());
    }
    Ok(true)
}

struct Package<'a> {
    root: &'a Path,
    work: &'a Path,
    out: &'a Path,
    binary: &'a Path,
    version: &'a str,
}

impl Package<'_> {
    fn debian(&self) -> Result<PathBuf> {
        let tree = self.work.join("deb");
        self.place(&tree.join("usr/bin/fleet"))?;
        let version = self.version;
        let control = format!(
            "Package: fleet\nVersion: {version}\nArchitecture: {}\nMaintainer: Fleet <fleet@fleet.invalid>\n\
             Depends: git, libc6\nRecommends: bubblewrap\nSection: devel\nPriority: optional\nDescription: {DESCRIPTION}\n",
            architecture()
        );
        write(&tree.join("DEBIAN/control"), &control)?;
        let built = self.out.join(format!("fleet_{version}_{}.deb", architecture()));
        self.call("dpkg-deb", &["--root-owner-group", "-Zxz", "-z1", "--build", path(&tree)?, path(&built)?])?;
        let tried = self.work.join("deb-tried");
        self.call("dpkg-deb", &["-x", path(&built)?, path(&tried)?])?;
        self.answers(&tried.join("usr/bin/fleet"), built)
    }

    fn npm(&self) -> Result<PathBuf> {
        let tree = self.work.join("npm");
        self.place(&tree.join("bin/fleet"))?;
        let manifest = serde_json::json!({
            "name": "fleet", "version": self.version, "description": DESCRIPTION, "license": "MIT OR Apache-2.0",
            "bin": { "fleet": "bin/fleet" }, "files": ["bin"], "os": ["linux"], "cpu": ["x64"],
        });
        write(&tree.join("package.json"), &serde_json::to_string_pretty(&manifest)?)?;
        self.call("npm", &["pack", "--silent", "--pack-destination", path(self.out)?, path(&tree)?])?;
        let built = self.out.join(format!("fleet-{}.tgz", self.version));
        let tried = self.work.join("npm-tried");
        self.call("npm", &["install", "--silent", "--offline", "--prefix", path(&tried)?, path(&built)?])?;
        self.answers(&tried.join("node_modules/.bin/fleet"), built)
    }

    /// A wheel is a zip file with scripts below `NAME.data/scripts`; python's own `zipfile` and `pip` make and try it.
    fn wheel(&self) -> Result<PathBuf> {
        let (tree, version) = (self.work.join("wheel"), self.version);
        let (tag, name) = ("py3-none-linux_x86_64", format!("fleet_agents-{version}"));
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
        let files = [
            format!("{name}.data/scripts/fleet"),
            format!("{name}.dist-info/METADATA"),
            format!("{name}.dist-info/WHEEL"),
        ];
        let record: String = files.iter().map(|file| format!("{file},,\n")).collect();
        write(&info.join("RECORD"), &format!("{record}{name}.dist-info/RECORD,,\n"))?;
        let built = self.out.join(format!("{name}-{tag}.whl"));
        let zip = "import sys,os,zipfile\n\
                   with zipfile.ZipFile(sys.argv[2],'w',zipfile.ZIP_DEFLATED,compresslevel=1) as z:\n \
                   for d,_,fs in os.walk(sys.argv[1]):\n  \
                   for f in fs: p=os.path.join(d,f); z.write(p,os.path.relpath(p,sys.argv[1]))\n";
        self.call("python3", &["-c", zip, path(&tree)?, path(&built)?])?;
        let tried = self.work.join("wheel-tried");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--target"];
        self.call("python3", &[&pip[..], &[path(&tried)?, path(&built)?]].concat())?;
        self.answers(&tried.join("bin/fleet"), built)
    }

    fn place(&self, to: &Path) -> Result<()> {
        fs::create_dir_all(to.parent().context("a path below the tree")?)?;
        fs::copy(self.binary, to)?;
        Ok(fs::set_permissions(to, fs::Permissions::from_mode(0o755))?)
    }

    /// Asks the installed binary for its version.
    fn answers(&self, installed: &Path, built: PathBuf) -> Result<PathBuf> {
        let said = cargo::output(self.root, path(installed)?, &["--version"])?;
        ensure!(said.contains(self.version), "{} installs a binary that says `{said}`", built.display());
        Ok(built)
    }

    fn call(&self, program: &str, args: &[&str]) -> Result<String> {
        cargo::output(self.root, program, args).with_context(|| format!("{program} failed; is it installed?"))
    }
}

fn architecture() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" }
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a path below the tree")?)?;
    Ok(fs::write(path, text)?)
}
