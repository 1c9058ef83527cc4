//! What the tests of the C library share: where it is, and the tools around it.
#![allow(dead_code)]

pub mod sandbox;
pub mod signatures;

use std::collections::BTreeSet;
use std::env;
use std::ffi::{CStr, OsStr};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

/// The checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A directory for what a test makes.
pub fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The library as it is installed (`include`, `lib`): what SHAONE_STAGE names, or
/// else what `make all` makes.
pub fn stage() -> &'static Path {
    static STAGE: OnceLock<PathBuf> = OnceLock::new();
    STAGE.get_or_init(|| match env::var_os("SHAONE_STAGE") {
        Some(stage) => stage.into(),
        None => {
            output(Command::new("make").args(["-s", "all"]).current_dir(root()));
            root().join("target/shaone/usr")
        }
    })
}

/// The same, built anew with a variable of scripts/stage.sh, as distributions may ship it.
pub fn stage_with(name: &str, variable: &str, value: &str) -> PathBuf {
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    stage();
    let dir = root().join("target/shaone").join(name);
    // Whoever is first builds; a failure of it is everybody's.
    let mut built = BUILT.lock().unwrap();
    if !built.contains(&dir) {
        output(Command::new(root().join("scripts/stage.sh")).arg(&dir).env(variable, value));
        built.insert(dir.clone());
    }
    dir
}

/// A program that `make examples` builds.
pub fn example(name: &str) -> PathBuf {
    static MADE: OnceLock<()> = OnceLock::new();
    // After the library, of which two at once would be in each other's way.
    let _ = stage();
    MADE.get_or_init(|| drop(output(Command::new("make").args(["-s", "examples"]).current_dir(root()))));
    root().join("target/shaone").join(name)
}

/// Where the library is that obeys SHAONE_BACKEND, as the linker left it.
pub fn force_stage() -> &'static Path {
    static STAGE: OnceLock<PathBuf> = OnceLock::new();
    STAGE.get_or_init(|| {
        let target = root().join("target/force");
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["rustc", "--quiet", "--release", "--lib", "--features", "force-backend"]);
        cargo.args(["--crate-type", "cdylib,staticlib", "--target-dir"]).arg(&target);
        output(cargo.current_dir(root()));
        target.join("release")
    })
}

/// What SHAONE_BACKEND may be on this machine, best first.
pub fn levels() -> Vec<String> {
    levels_that_are(true)
}

/// What it may be on other machines of this architecture only.
pub fn missing_levels() -> Vec<String> {
    levels_that_are(false)
}

fn levels_that_are(playable: bool) -> Vec<String> {
    // SAFETY: our own library, which has no initialisers.
    let library = unsafe { libloading::Library::new(force_stage().join("libshaone.so")) }.unwrap();
    // SAFETY: it is declared like that in src/capi/native.rs.
    let level: libloading::Symbol<signatures::Level> = unsafe { library.get(b"shaone_level\0") }.unwrap();
    let mut levels = Vec::new();
    loop {
        // SAFETY: any index is allowed.
        let name = unsafe { level(levels.len(), playable) };
        if name.is_null() {
            return levels;
        }
        // SAFETY: a C string of the library's, which is still open.
        levels.push(unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_string());
    }
}

/// Where scripts/peers.sh has put the other implementations, if it has run.
pub fn peers() -> Option<PathBuf> {
    let peers = env::var_os("SHAONE_PEERS").map_or_else(|| root().join("target/peers"), PathBuf::from);
    peers.is_dir().then_some(peers)
}

/// Where cargo has unpacked the dev-dependency sha1-checked, whose tests come
/// with the whole PDFs of SHAttered.
pub fn shattered_pdfs() -> Option<&'static Path> {
    static PDFS: OnceLock<Option<PathBuf>> = OnceLock::new();
    PDFS.get_or_init(|| {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["metadata", "--offline", "--format-version", "1"]).current_dir(root());
        // Of this machine alone: packages for others need not be here.
        cargo.args(["--filter-platform", &target()]);
        let metadata = cargo.output().ok().filter(|output| output.status.success())?.stdout;
        let metadata = String::from_utf8(metadata).ok()?;
        let manifests = metadata.split("\"manifest_path\":\"").filter_map(|rest| rest.split_once('"'));
        let mut packages = manifests.filter_map(|(manifest, _)| Path::new(manifest).parent());
        let package = packages.find(|package| package.file_name().is_some_and(is_sha1_checked))?;
        Some(package.join("tests/data")).filter(|data| data.join("shattered-2.pdf").exists())
    })
    .as_deref()
}

/// With its version where cargo has unpacked it, without where it is vendored.
fn is_sha1_checked(directory: &OsStr) -> bool {
    directory.to_str().is_some_and(|name| name.starts_with("sha1-checked"))
}

/// Say what is left out. Not by `println!`, which is not seen when a test passes.
pub fn not_run(what: &str) {
    let _ = writeln!(std::io::stdout(), "not run: {what}");
}

/// Whether a program is installed.
pub fn have(tool: impl AsRef<OsStr>) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The kind of machine that the tests run on, as Rust calls it.
fn target() -> String {
    let env = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    format!("{}-unknown-linux-{env}", env::consts::ARCH)
}

/// A C or C++ compiler: the one that cc would take, or the one named.
pub fn compiler(name: Option<&str>, cpp: bool) -> Option<cc::Tool> {
    let target = target();
    let mut build = cc::Build::new();
    build
        .target(&target)
        .host(&target)
        .opt_level(2)
        .debug(true)
        .cpp(cpp)
        .cargo_metadata(false)
        .out_dir(scratch());
    if let Some(name) = name {
        build.compiler(name);
    }
    build.try_get_compiler().ok().filter(|tool| have(tool.path()))
}

/// All C or C++ compilers that are here, by name.
pub fn compilers(cpp: bool) -> Vec<(&'static str, cc::Tool)> {
    let names = if cpp { ["g++", "clang++"] } else { ["gcc", "clang"] };
    let found = names.map(|name| {
        let tool = compiler(Some(name), cpp);
        if tool.is_none() {
            not_run(&format!("{name} (it is not installed)"));
        }
        tool.map(|tool| (name, tool))
    });
    found.into_iter().flatten().collect()
}

/// The output of a command that has to succeed.
pub fn output(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{command:?}: {status}\n{stdout}{stderr}");
    stdout
}
