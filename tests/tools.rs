//! What a program's users find when they look for its errors with a tool: clang's
//! MemorySanitizer and ThreadSanitizer, valgrind's helgrind and drd.

mod common;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{have, not_run, output, root, scratch, stage};

/// A program of c-tests with an archive of ours; nothing where the compiler cannot make such
/// a one.
fn build(program: &str, compiler: &str, flags: &[&str], archive: &Path) -> Option<PathBuf> {
    let command = || {
        let mut command = Command::new(compiler);
        command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-pthread"]).args(flags);
        command
    };
    let empty = scratch().join("nothing.c");
    std::fs::write(&empty, "int main(void) { return 0; }\n").unwrap();
    let trial = command().arg(&empty).arg("-o").arg(scratch().join("nothing")).output().ok()?;
    if !trial.status.success() {
        return None;
    }
    let binary = scratch().join(format!("{program}-{compiler}"));
    let mut command = command();
    command.arg("-I").arg(stage().join("include")).arg("-o").arg(&binary);
    output(command.arg(root().join("c-tests").join(program).with_extension("c")).arg(archive));
    Some(binary)
}

fn run(command: &mut Command) {
    let printed = output(command);
    let last = printed.lines().last().unwrap_or("");
    assert!(last.ends_with(" passed, 0 failed"), "{command:?}: {printed}");
}

/// The headers tell it what the library has written.
#[test]
fn memory_sanitizer() {
    match build("msan", "clang", &["-fsanitize=memory"], &stage().join("lib/libshaone.a")) {
        Some(program) => run(&mut Command::new(program)),
        None => not_run("clang -fsanitize=memory (no runtime)"),
    }
}

/// The first calls of 64 threads at once, with the library compiled for ThreadSanitizer as well.
#[test]
fn thread_sanitizer() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return not_run("ThreadSanitizer (on x86-64 Linux only)");
    }
    let target = root().join("target/tsan");
    let triple = "x86_64-unknown-linux-gnu";
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["rustc", "--quiet", "--release", "--lib", "--features", "capi", "--crate-type", "staticlib"]);
    cargo.args(["--target", triple, "--target-dir"]).arg(&target).current_dir(root());
    // A sanitizer is not among what stable Rust offers; it is there all the same.
    cargo.env("RUSTC_BOOTSTRAP", "1");
    cargo.env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer");
    if !cargo.output().unwrap().status.success() {
        return not_run("ThreadSanitizer (this Rust cannot compile for it)");
    }
    let archive = target.join(triple).join("release/libshaone.a");
    // Older ones lack functions that Rust's LLVM calls.
    match build("threads", "clang-19", &["-fsanitize=thread"], &archive) {
        Some(program) => run(&mut Command::new(program)),
        None => not_run("ThreadSanitizer (no clang-19 with its runtime)"),
    }
}

/// The suppressions that we install are all that they need, with the archive and without.
#[test]
fn helgrind_and_drd() {
    if !have("valgrind") {
        return not_run("helgrind and drd (no valgrind)");
    }
    let lib = stage().join("lib");
    let suppressions = format!("--suppressions={}", root().join("packaging/shaone.supp").display());
    for library in ["libshaone.a", "libshaone.so"] {
        let program = build("threads", "cc", &[], &lib.join(library)).expect("a C compiler");
        for tool in ["--tool=helgrind", "--tool=drd"] {
            let mut valgrind = Command::new("valgrind");
            valgrind.args([tool, "--quiet", "--error-exitcode=99", &suppressions]).arg(&program);
            run(valgrind.env("LD_LIBRARY_PATH", &lib));
        }
    }
}
