use types::{NetworkWish, SandboxRules};

use super::*;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn shown(services: &BTreeSet<Service>) -> Vec<String> {
    services.iter().map(|(host, port)| format!("{host}:{port}")).collect()
}

#[test]
fn a_service_is_named_by_a_variable_or_a_setting_and_not_by_a_prompt() {
    let env = variables(&[
        ("ANTHROPIC_BASE_URL", "http://localhost:4000/v1"),
        ("OPENAI_BASE_URL", "https://user:pass@models.example"),
        ("NOTES", "https://elsewhere.example"),
    ]);
    let argv =
        ["codex", "-c", "m={base_url=\"http://127.0.0.1:5000\"}", "-c", "see https://a.example", "https://b.example"];
    let services = services(&argv.map(str::to_owned), &env);
    assert_eq!(shown(&services), ["localhost:4000", "models.example:443", "127.0.0.1:5000"]);
    assert_eq!(forwarded(&services, Some(3847)), [3847, 4000, 5000]);
    assert_eq!(forwarded(&BTreeSet::new(), None), Vec::<u16>::new());
}

#[test]
fn an_agent_reaches_the_list_what_it_needs_and_the_server_and_ports_limit_the_list_alone() {
    let rules = SandboxRules {
        network: Some(NetworkWish::Hosts),
        hosts: ["example.com", "db.example:5432", "ssh.example:22"].map(|host| host.parse().unwrap()).to_vec(),
        ports: vec![443, 5432],
        ..SandboxRules::default()
    };
    let wished = SandboxWish::of_settings(&rules);
    let services =
        services(&[], &variables(&[("X_URL", "http://models.example:8000"), ("Y_URL", "http://localhost:1")]));
    let hosts = hosts(&wished, &["api.example".to_owned()], &services, Some(3847));
    let hosts: BTreeSet<String> = hosts.iter().map(ToString::to_string).collect();
    let expected =
        ["example.com:443", "db.example:5432", "api.example", "models.example:8000", "127.0.0.1:1", "127.0.0.1:3847"];
    assert_eq!(hosts, expected.map(str::to_owned).into());
}

#[test]
fn programs_find_the_proxy_by_every_name_and_go_to_loopback_without_it() {
    let mut env = variables(&[("https_proxy", "http://office.example:3128"), ("NO_PROXY", "*")]);
    env.extend(egress_proxy::variables());
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        assert_eq!(env[name], "http://127.0.0.1:61080", "{name}");
    }
    assert_eq!(env["NO_PROXY"], env["no_proxy"]);
    assert!(env["NO_PROXY"].starts_with("localhost,"));
}
