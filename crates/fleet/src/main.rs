//! The one binary: parse, build, run.

mod generate;
mod log;
mod up;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("__gen") => generate::write(args[2].as_ref()),
        _ => tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?
            .block_on(up::serve(config::Environment::of_process(), config::Overrides::new())),
    }
}
