use config::{Environment, Home, Overrides};

use super::*;

fn settings(pairs: &[(&str, &str)]) -> SandboxWish {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::from_iter(pairs.iter().copied());
    let loaded = config::load(&Home::at(folder.path()), &environment, &Overrides::new()).unwrap();
    SandboxWish::of_settings(&loaded.settings.sandbox_rules())
}

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn who_only_reads_reaches_its_services_and_who_writes_everything() {
    let env = variables(&[("ANTHROPIC_BASE_URL", "http://127.0.0.1:4000"), ("PORT", "9")]);
    let auto = settings(&[]);
    assert_eq!(network(&auto, Access::ReadOnly, Some(3847), &env), (Network::Ports, vec![53, 443, 3847, 4000]));
    assert_eq!(network(&auto, Access::Workspace, None, &env).0, Network::Open);
    let open = settings(&[("FLEET_SANDBOX_NETWORK", "open")]);
    assert_eq!(network(&open, Access::ReadOnly, None, &env).0, Network::Open);
    let listed = settings(&[("FLEET_SANDBOX_TCP_PORTS", "5432")]);
    assert_eq!(
        network(&listed, Access::Workspace, Some(3847), &env),
        (Network::Ports, vec![53, 443, 3847, 4000, 5432])
    );
    let none = settings(&[("FLEET_SANDBOX_NETWORK", "none")]);
    assert_eq!(network(&none, Access::Workspace, None, &env).0, Network::None);
}

#[test]
fn a_program_among_packages_needs_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let package = folder.join("node_modules/@maker/agent");
    std::fs::create_dir_all(package.join("bin")).unwrap();
    std::fs::create_dir_all(folder.join("node_modules/.bin")).unwrap();
    let file = std::fs::OpenOptions::new().create(true).append(true).open(package.join("bin/cli.js"));
    drop(file.unwrap());
    std::os::unix::fs::symlink("../@maker/agent/bin/cli.js", folder.join("node_modules/.bin/agent")).unwrap();
    let packages = folder.join("node_modules");
    assert_eq!(around(&folder.join("node_modules/.bin/agent"), &[]), [packages.clone(), packages.clone()]);
    assert_eq!(around(Path::new("agent"), &[folder.join("node_modules/.bin")]), [packages.clone(), packages]);
    assert_eq!(around(Path::new("/opt/agent/run"), &[]), [PathBuf::from("/opt/agent"), PathBuf::from("/opt/agent")]);
    assert_eq!(around(Path::new("nowhere"), &[]), Vec::<PathBuf>::new());
}

#[test]
fn a_program_that_starts_the_agent_and_the_agents_own_are_both_let_through() {
    let argv = ["fleet", "__bridge", "acp", "--", "agent", "--", "x"].map(str::to_owned);
    assert_eq!(programs(&argv), [PathBuf::from("fleet"), PathBuf::from("agent")]);
    assert_eq!(programs(&argv[..1]), [PathBuf::from("fleet")]);
}
