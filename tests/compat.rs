//! The headers that are not of the library itself: those for programs on OpenSSL and
//! libmd, the one for C++, and the source for LLVM. Each program is built with the
//! original and with ours, and must print the same.

mod common;

use common::sandbox::Sandbox;
use common::{compilers, have, not_run, root, stage};

const WARNINGS: &str = "-O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror";

/// With what the commands name.
fn sandbox(name: &str) -> Sandbox {
    let mut sandbox = Sandbox::new(&format!("compat-{name}"));
    sandbox.set("tests", root().join("c-tests"));
    sandbox.set("include", root().join("include"));
    sandbox.set("compat", root().join("include/shaone/compat"));
    sandbox.set("lib", stage().join("lib"));
    sandbox.set("archive", stage().join("lib/libshaone.a"));
    sandbox.write("file", "z".repeat(300_000) + "end");
    sandbox
}

fn quiet(sandbox: &Sandbox, script: &str) {
    sandbox.expect(0, "", "", script);
}

/// Both succeed and print the same, which is something.
fn same(sandbox: &Sandbox, theirs: &str, ours: &str) {
    let [theirs, ours] = [theirs, ours].map(|script| sandbox.run(script).text());
    assert!(!theirs.is_empty());
    assert_eq!(ours, theirs);
}

/// The global names like that, which a file defines or wants.
fn names(sandbox: &Sandbox, file: &str, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let printed = sandbox.run(&format!("${{NM:-nm}} -g -P {file}")).text();
    let names = printed.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| is_meant(name)).map(String::from).collect()
}

/// A program on another library's header, which ours stands in for; run with an argument.
fn legacy(header: &str, library: &str, argument: &str) {
    let sandbox = sandbox(header);
    let source = format!("\"$tests/legacy_{header}.c\"");
    let ours = format!("-I \"$compat/{header}\" {source}");
    for (compiler, _) in compilers(false) {
        for std in ["c99", "gnu17"] {
            quiet(&sandbox, &format!("{compiler} -std={std} {WARNINGS} -c -o object.o {ours}"));
            assert!(names(&sandbox, "object.o", |name| name.starts_with("SHA1")).is_empty());
        }
    }
    // Also by the way of the shared library, whose names are not weak.
    quiet(&sandbox, &format!("${{CC:-cc}} -O2 -o shared {ours} -L \"$lib\" \"-Wl,-rpath,$lib\" -lshaone"));
    quiet(&sandbox, &format!("${{CC:-cc}} -O2 -o ours {ours} \"$archive\""));
    same(&sandbox, &format!("./shared {argument}"), &format!("./ours {argument}"));
    if sandbox.run(&format!("${{CC:-cc}} -O2 -DREAL -o theirs {source} -l{library}")).status == Some(0) {
        same(&sandbox, &format!("./theirs {argument}"), &format!("./ours {argument}"));
    } else {
        not_run(&format!("legacy_{header}.c with {library} (install lib{library}'s headers)"));
    }
}

#[test]
fn programs_on_openssl() {
    legacy("openssl", "crypto", "");
}

#[test]
fn programs_on_libmd() {
    legacy("libmd", "md", "file");
}

#[test]
fn header_for_cpp() {
    let sandbox = sandbox("cpp");
    for (compiler, _) in compilers(true) {
        let knows = |std: &str| {
            let script = format!("{compiler} -std={std} -x c++ -fsyntax-only /dev/null");
            sandbox.run(&script).status == Some(0)
        };
        for std in ["c++11", "c++14", "c++17", "c++20", "c++23"] {
            // The name that compilers had for it before it was one.
            let std = if std == "c++23" && !knows(std) { "c++2b" } else { std };
            if !knows(std) {
                not_run(&format!("shaone.hpp as {std} with {compiler}"));
                continue;
            }
            let cpp = format!("{compiler} -std={std} {WARNINGS}");
            quiet(
                &sandbox,
                &format!("{cpp} -fno-exceptions -I \"$include\" -o hpp \"$tests/hpp.cpp\" \"$archive\""),
            );
            quiet(&sandbox, "./hpp");
            for header in ["openssl/openssl/sha.h", "libmd/sha1.h"] {
                sandbox.write("header.cpp", format!("#include \"shaone/compat/{header}\"\n"));
                quiet(&sandbox, &format!("{cpp} -I \"$include\" -fsyntax-only header.cpp"));
            }
        }
    }
}

/// examples/sha1.cpp.
#[test]
fn example_in_cpp() {
    let mut sandbox = sandbox("example");
    let mut programs = vec![];
    for (compiler, _) in compilers(true) {
        let source = root().join("examples/sha1.cpp");
        sandbox.set("source", source);
        quiet(
            &sandbox,
            &format!("{compiler} {WARNINGS} -I \"$include\" -o by-{compiler} \"$source\" \"$archive\""),
        );
        programs.push(format!("./by-{compiler}"));
    }
    if have("sha1sum") {
        for program in programs {
            same(&sandbox, "sha1sum file \"$tests/hpp.cpp\"", &format!("{program} file \"$tests/hpp.cpp\""));
        }
    } else {
        not_run("examples/sha1.cpp beside sha1sum (there is none)");
    }
}

/// Our source in the place of LLVM's own, and both in one program.
fn llvm(version: u32) {
    /// What only LLVM's own has.
    const PRIVATE: &str = "_ZN4llvm4SHA19hashBlockEv";
    let missing = || not_run(&format!("llvm::SHA1 of LLVM {version} (install llvm-{version}-dev)"));
    let mut sandbox = sandbox(&format!("llvm-{version}"));
    let config = |option: &str| sandbox.run(&format!("llvm-config-{version} {option}"));
    let (libraries, headers) = (config("--libdir"), config("--includedir"));
    if libraries.status != Some(0) {
        return missing();
    }
    let theirs = format!("{}/libLLVMSupport.a", libraries.text().trim());
    if !std::path::Path::new(&theirs).exists() {
        return missing();
    }
    sandbox.set("theirs", theirs);
    sandbox.set("headers", headers.text().trim());
    for (compiler, _) in compilers(true) {
        let cpp = format!(
            "{compiler} -std=c++17 -O2 -fno-exceptions -fno-rtti -isystem \"$headers\" \
             -Wall -Wextra -Wpedantic -Wshadow -Werror"
        );
        quiet(&sandbox, &format!("{cpp} -fPIC -c -o SHA1.o \"$compat/llvm/SHA1.cpp\""));
        quiet(&sandbox, &format!("{cpp} -c -o llvm.o \"$tests/llvm_sha1.cpp\""));
        // As it comes, and with ours before the archive.
        for (out, ours) in [("theirs", ""), ("ours", "SHA1.o \"$archive\"")] {
            quiet(&sandbox, &format!("{compiler} -o {out} llvm.o {ours} \"$theirs\" -lpthread -ldl"));
        }
        assert_eq!(names(&sandbox, "theirs", |name| name == PRIVATE), [PRIVATE]);
        assert!(names(&sandbox, "ours", |name| name == PRIVATE).is_empty());
        same(&sandbox, "./theirs", "./ours");
        if compiler == "g++" {
            quiet(&sandbox, "./ours large");
        }
        // Both in one program and on one object.
        quiet(&sandbox, "${OBJCOPY:-objcopy} --prefix-symbols=ours_ SHA1.o prefixed.o");
        let undefined = sandbox.run("${NM:-nm} -P prefixed.o").text();
        let undefined = undefined.lines().filter_map(|line| line.split_once(" U")?.0.strip_prefix("ours_"));
        sandbox.write("foreign", undefined.map(|name| format!("ours_{name} {name}\n")).collect::<String>());
        quiet(&sandbox, "${OBJCOPY:-objcopy} --redefine-syms=foreign prefixed.o");
        quiet(
            &sandbox,
            &format!(
                "{cpp} -DMIXED -o mixed \"$tests/llvm_sha1.cpp\" prefixed.o \"$archive\" \"$theirs\" -lpthread -ldl"
            ),
        );
        quiet(&sandbox, "./mixed");
    }
}

#[test]
fn llvm_14() {
    llvm(14);
}

#[test]
fn llvm_19() {
    llvm(19);
}
