//! The C parts of the targets; by clang, so that libFuzzer sees where they go, if it is here.

use std::env;
use std::process::Command;

fn main() {
    for shim in ["libmd", "openssl", "sha1sum"] {
        let file = format!("targets/shim_{shim}.c");
        println!("cargo::rerun-if-changed={file}");
        let mut build = cc::Build::new();
        build.file(file).include("../include").std("gnu11").warnings(false);
        if env::var_os("CC").is_none() && Command::new("clang").arg("--version").output().is_ok() {
            build.compiler("clang").flag("-fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp");
        }
        build.compile(&format!("shim_{shim}"));
    }
    println!("cargo::rerun-if-changed=../examples/programs/sha1sum.c");
    println!("cargo::rerun-if-changed=../include");
}
