//! Commands in a directory of their own, and what they must print.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use super::scratch;

/// An empty directory in which commands run. It is removed at the end of a test
/// that has passed.
pub struct Sandbox {
    dir: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

/// How a command ended, and what it printed.
#[derive(PartialEq, Eq)]
pub struct Outcome {
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    pub fn new(status: i32, stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>) -> Self {
        Outcome { status: Some(status), stdout: stdout.as_ref().into(), stderr: stderr.as_ref().into() }
    }

    /// Standard output, of a command that must have succeeded and complained of nothing.
    pub fn text(self) -> String {
        assert!(self.status == Some(0) && self.stderr.is_empty(), "{self:?}");
        String::from_utf8(self.stdout).unwrap()
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { status, stdout, stderr } = self;
        let [stdout, stderr] = [stdout, stderr].map(|bytes| bytes.escape_ascii());
        write!(f, "status {status:?}\n stdout \"{stdout}\"\n stderr \"{stderr}\"\n")
    }
}

impl Sandbox {
    pub fn new(name: &str) -> Self {
        let dir = scratch().join(format!("sandbox-{name}"));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("data")).unwrap();
        // Neither the settings of who runs the test nor a repository above it matter.
        let variables = [("LC_ALL", "C".into()), ("GIT_CONFIG_NOSYSTEM", "1".into())];
        let variables = variables
            .into_iter()
            .chain(["HOME", "GIT_CEILING_DIRECTORIES"].map(|it| (it, dir.clone().into())));
        let variables = variables.map(|(name, value): (&str, OsString)| (name.into(), value)).collect();
        Sandbox { dir, variables }
    }

    /// The current directory of the commands.
    pub fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.dir.join("data").join(file)
    }

    pub fn write(&self, file: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    }

    pub fn copy(&self, from: impl AsRef<Path>, to: &str) {
        fs::copy(from, self.path(to)).unwrap();
    }

    /// A variable of the environment from now on.
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        self.variables.push((name.as_ref().into(), value.as_ref().into()));
    }

    /// Let commands find a program by another name, in a directory `bin` that is put
    /// before the others when [`Self::run_with`] names it.
    pub fn install(&self, bin: &str, name: &str, program: impl AsRef<Path>) {
        fs::create_dir_all(self.dir.join(bin)).unwrap();
        symlink(program, self.dir.join(bin).join(name)).unwrap();
    }

    /// A command to run here.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        // CDPATH would have `cd` print, the rest changes what programs do or print.
        for name in [
            "POSIXLY_CORRECT",
            "LANGUAGE",
            "CDPATH",
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_DEFAULT_HASH",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(name);
        }
        command.current_dir(self.path("")).envs(self.variables.iter().cloned()).stdin(Stdio::null());
        command
    }

    /// Lines of shell; standard input is empty unless they redirect it.
    pub fn run_with(&self, bin: &str, script: &str) -> Outcome {
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([self.dir.join(bin)].into_iter().chain(env::split_paths(&path))).unwrap();
        outcome(self.command("sh").args(["-c", script]).env("PATH", path))
    }

    pub fn run(&self, script: &str) -> Outcome {
        self.run_with("bin", script)
    }

    /// Exactly this comes of it.
    #[track_caller]
    pub fn expect(&self, status: i32, stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>, script: &str) {
        assert_eq!(self.run(script), Outcome::new(status, stdout, stderr), "{script}");
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if !thread::panicking() {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

pub fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Outcome { status: output.status.code(), stdout: output.stdout, stderr: output.stderr }
}
