//! The C library as C programs see it: the programs of c-tests, one per API, run
//! in every way that a library can be linked and on every backend; the headers;
//! and the names.

mod common;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use common::{
    compiler, compilers, force_stage, have, levels, missing_levels, not_run, output, peers, root, scratch,
    shattered_pdfs, stage,
};

/// A program of c-tests, and where in include/ it finds its header.
struct Program {
    name: &'static str,
    include: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program { name: "native", include: "" },
    Program { name: "git", include: "shaone/compat/git" },
    Program { name: "gnulib", include: "shaone/compat/gnulib" },
    Program { name: "libiberty", include: "shaone/compat/libiberty" },
    Program { name: "bytes", include: "" },
    Program { name: "sha1dc", include: "shaone/compat/sha1dc" },
    Program { name: "many", include: "" },
    Program { name: "guards", include: "" },
];

/// Programs of which each has a test of its own.
const OTHERS: &[Program] = &[
    Program { name: "large", include: "" },
    Program { name: "own_names", include: "shaone/compat/git" },
    Program { name: "be_asm", include: "" },
];

/// All that the library exports, as NAME@VERSION: the Debian symbols files. What is not there
/// must not be, and what is there can never go again.
fn exports() -> BTreeSet<String> {
    let files = ["libshaone0", "libshaone-dropin0"].map(|name| {
        fs::read_to_string(root().join("packaging").join(name).with_extension("symbols")).unwrap()
    });
    let lines = files.iter().flat_map(|file| file.lines()).filter_map(|line| line.strip_prefix(' '));
    lines
        .map(|line| line.split(' ').next().unwrap().into())
        .filter(|name| name != "SHAONE_0@SHAONE_0")
        .collect()
}

/// All that it may ask of libc: no memory, no threads.
const IMPORTS: &[&str] = &[
    "abort",
    "bcmp",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "strlen",
    "__errno_location",
    "feof",
    "ferror",
    "fread",
    "getauxval",
    "read",
    // Of the startup files, in every shared object.
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "__cxa_finalize",
    "__gmon_start__",
];

const WARNINGS: &[&str] =
    &["-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"];

/// The library to link to.
#[derive(Clone, Copy)]
enum Library {
    Shared,
    Archive,
    /// The one that obeys SHAONE_BACKEND.
    Force,
}

impl Program {
    fn source(&self) -> PathBuf {
        root().join("c-tests").join(self.name).with_extension("c")
    }

    fn include(&self) -> PathBuf {
        stage().join("include").join(self.include)
    }

    /// Compile and link.
    fn build(&self, how: &str, cc: &cc::Tool, flags: &[&str], library: Library) -> PathBuf {
        let out = scratch().join(format!("{}-{how}", self.name));
        let mut command = cc.to_command();
        command
            .args(WARNINGS)
            .arg("-I")
            .arg(self.include())
            .args(flags)
            .arg(self.source())
            .arg("-o")
            .arg(&out);
        let shared = |command: &mut Command, dir: &Path| {
            command.arg(format!("-Wl,-rpath,{}", dir.display())).arg("-L").arg(dir).arg("-lshaone");
        };
        match library {
            Library::Shared => shared(&mut command, &stage().join("lib")),
            Library::Force => shared(&mut command, force_stage()),
            Library::Archive => drop(command.arg(stage().join("lib/libshaone.a"))),
        }
        output(command.args(["-pthread", "-ldl"]));
        out
    }
}

/// Run a test program; its last line has to say that it tested something.
fn run(command: &mut Command) -> String {
    if let Some(peers) = peers() {
        command.env("SHAONE_PEERS", peers);
    }
    command.env("SHAONE_COLLISIONS", root().join("tests/data/collisions"));
    if let Some(pdfs) = shattered_pdfs() {
        command.env("SHAONE_PDFS", pdfs);
    }
    let printed = output(command);
    let last = printed.lines().last().unwrap_or("");
    assert!(
        last.ends_with(" passed, 0 failed") && !last.ends_with(": 0 passed, 0 failed"),
        "{command:?}: {printed}"
    );
    // Each only once, of all the runs.
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    for line in printed.lines().filter_map(|line| line.strip_prefix("not run: ")) {
        if TOLD.lock().unwrap().insert(line.into()) {
            not_run(line);
        }
    }
    printed
}

fn cc() -> cc::Tool {
    compiler(None, false).expect("a C compiler")
}

#[test]
fn programs_with_the_shared_library() {
    for program in PROGRAMS {
        let binary = program.build("shared", &cc(), &[], Library::Shared);
        let needed = output(Command::new("readelf").args(["-W", "-d"]).arg(&binary));
        assert!(
            needed.contains("[libshaone.so."),
            "{} is not linked to the shared library: {needed}",
            program.name
        );
        run(&mut Command::new(binary));
    }
}

#[test]
fn programs_with_the_archive() {
    for program in PROGRAMS {
        run(&mut Command::new(program.build("archive", &cc(), &[], Library::Archive)));
    }
}

#[test]
fn programs_on_every_level() {
    let levels = levels();
    assert_eq!(levels.last().map(String::as_str), Some("portable"));
    for missing in missing_levels() {
        not_run(&format!("{missing} (this CPU lacks its instructions)"));
    }
    for program in PROGRAMS {
        let binary = program.build("force", &cc(), &[], Library::Force);
        let backend = |level: Option<&str>| {
            let mut command = Command::new(&binary);
            command.env_remove("SHAONE_BACKEND").envs(level.map(|level| ("SHAONE_BACKEND", level)));
            let printed = run(&mut command);
            printed.lines().find_map(|line| line.strip_prefix("backend: ")).unwrap_or("").to_string()
        };
        let backends: Vec<String> = levels.iter().map(|level| backend(Some(level))).collect();
        if program.name == "native" {
            // Not always the first: which level is best depends on the kind of CPU.
            assert!(backends.contains(&backend(None)), "one of the levels is that of this machine");
            assert_eq!(backends.last().map(String::as_str), Some("portable"));
        }
    }
}

/// A misspelt level must not pass for a tested one.
#[test]
fn unknown_level_ends_the_program() {
    let binary = PROGRAMS[0].build("misspelt", &cc(), &[], Library::Force);
    let output = Command::new(&binary).env("SHAONE_BACKEND", "no-such-cpu").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("no-such-cpu"), "{}: {stderr}", output.status);
    // The installed library has never heard of it.
    let binary = PROGRAMS[4].build("misspelt", &cc(), &[], Library::Shared);
    run(Command::new(&binary).env("SHAONE_BACKEND", "no-such-cpu"));
}

#[test]
fn programs_under_sanitizers() {
    const FLAGS: [&str; 4] =
        ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-O1"];
    let empty = scratch().join("empty.c");
    fs::write(&empty, "int main(void) { return 0; }\n").unwrap();
    for (name, cc) in compilers(false) {
        let trial = scratch().join(format!("empty-{name}"));
        let built = cc.to_command().args(FLAGS).arg(&empty).arg("-o").arg(&trial).output().unwrap();
        if !built.status.success() || !Command::new(&trial).status().is_ok_and(|status| status.success()) {
            not_run(&format!("{name} -fsanitize=address,undefined (no runtime)"));
            continue;
        }
        for program in PROGRAMS {
            run(&mut Command::new(program.build(
                &format!("sanitized-{name}"),
                &cc,
                &FLAGS,
                Library::Archive,
            )));
        }
    }
}

#[test]
fn programs_under_valgrind() {
    if !have("valgrind") {
        return not_run("valgrind (it is not installed)");
    }
    for program in PROGRAMS {
        let binary = program.build("valgrind", &cc(), &[], Library::Shared);
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=no"]).arg(binary);
        run(valgrind.env("SHAONE_QUICK", "1"));
    }
}

/// Models of x86-64 CPUs by QEMU's names, and the backend that is the best for each. (It
/// emulates neither the SHA instructions nor AVX-512.)
const MODELS: &[(&str, &str)] = &[
    ("qemu64", "portable"),
    ("Conroe", "x86-ssse3"),
    ("Nehalem", "x86-ssse3"),
    ("SandyBridge", "x86-ssse3"),
    ("Haswell", "x86-avx2"),
    ("Haswell,-bmi1", "x86-ssse3"),
    ("Haswell,-bmi2", "x86-ssse3"),
    ("Haswell,-avx2", "x86-ssse3"),
    ("EPYC", "x86-avx2"),
    ("max", "x86-avx2"),
    ("max,-avx", "x86-ssse3"),
    ("max,-ssse3,-avx2", "portable"),
];

/// Never an illegal instruction, always the right digest, and the backend of the table.
#[test]
fn programs_on_other_models() {
    if !cfg!(target_arch = "x86_64") {
        return not_run("models of x86-64 (on x86-64 only)");
    }
    let qemu = "qemu-x86_64-static";
    if !have(qemu) {
        return not_run("models of x86-64 (no qemu-x86_64-static)");
    }
    let source = scratch().join("backend.c");
    let text =
        "#include <shaone.h>\n#include <stdio.h>\nint main(void) { puts(shaone_backend()); return 0; }\n";
    fs::write(&source, text).unwrap();
    let backend = scratch().join("backend");
    let mut build = cc().to_command();
    build.arg("-I").arg(stage().join("include")).arg(&source).arg("-o").arg(&backend);
    output(build.arg(stage().join("lib/libshaone.a")));
    // The others load peers that have instructions for which they ask in vain, or survive
    // QEMU's handling of signals no better than QEMU does.
    let many = PROGRAMS.iter().find(|program| program.name == "many").unwrap();
    let many = many.build("model", &cc(), &[], Library::Archive);
    for (model, best) in MODELS {
        let emulated = || {
            let mut command = Command::new(qemu);
            command.args(["-cpu", model]).env("SHAONE_QUICK", "1");
            // glibc's functions for AVX2 use BMI, and those for SSE4.2 SSSE3, without asking for it.
            command.env("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-SSE4_2");
            command
        };
        assert_eq!(output(emulated().arg(&backend)).trim(), *best, "{model}");
        run(emulated().arg(&many));
    }
}

#[test]
fn large_lengths() {
    run(&mut Command::new(OTHERS[0].build("archive", &cc(), &[], Library::Archive)));
}

/// Names of ours are weak: the program's own win, and do not get into our code.
#[test]
fn programs_keep_functions_of_their_own() {
    for (how, library) in [("archive", Library::Archive), ("shared", Library::Shared)] {
        run(&mut Command::new(OTHERS[1].build(how, &cc(), &[], library)));
    }
}

#[test]
fn programs_compile_without_warnings() {
    for (name, cc) in compilers(false) {
        for program in PROGRAMS.iter().chain(OTHERS) {
            let out = scratch().join(format!("{}-{name}.o", program.name));
            let mut command = cc.to_command();
            command.args(WARNINGS).arg("-I").arg(program.include());
            output(command.arg("-c").arg(program.source()).arg("-o").arg(out));
        }
    }
}

/// The instructions of each function in a compiler's output.
fn instructions(assembly: &str) -> Vec<(String, Vec<String>)> {
    let mut functions = Vec::new();
    for line in assembly.lines() {
        // clang writes comments; gcc indents directives and instructions alike.
        let line = line.split(['#', '@']).next().unwrap_or("").split("//").next().unwrap_or("").trim_end();
        let text = line.trim();
        if let Some(label) = line.strip_suffix(':') {
            if label.starts_with("asm_") {
                functions.push((label.to_string(), Vec::new()));
            }
        } else if !text.is_empty()
            && !text.starts_with('.')
            && !line.starts_with(|c: char| !c.is_whitespace())
        {
            let mnemonic = text.split_whitespace().next().unwrap_or("");
            if let Some((_, list)) = functions.last_mut() {
                list.push(mnemonic.to_string());
            }
        }
    }
    functions
}

/// `be.h` in assembly: one load or store, one byte swap, nothing else.
#[test]
fn be_is_one_instruction() {
    let mut compilers: Vec<(&str, &str)> =
        compilers(false).iter().map(|&(name, _)| (name, env::consts::ARCH)).collect();
    let cross = "aarch64-linux-gnu-gcc";
    match have(cross) {
        true => compilers.push((cross, "aarch64")),
        false => not_run("be.h on aarch64 (no aarch64-linux-gnu-gcc)"),
    }
    for (name, arch) in compilers {
        let (x86, aarch64) = (arch == "x86_64", arch == "aarch64");
        if !x86 && !aarch64 {
            not_run(&format!("be.h in the assembly of {arch}"));
            continue;
        }
        // Only these flags: cc's own are for speed elsewhere, and say nothing here.
        let mut command = Command::new(name);
        command.args(["-O2", "-S", "-o", "-"]).args(x86.then_some("-fcf-protection=none"));
        let assembly = output(command.arg("-I").arg(OTHERS[2].include()).arg(OTHERS[2].source()));
        let functions = instructions(&assembly);
        assert_eq!(functions.len(), 12, "{name}: {functions:?}");
        for (function, list) in &functions {
            let (mut moves, mut swaps) = (0, 0);
            for mnemonic in list {
                match mnemonic.as_str() {
                    "ret" | "retq" => {}
                    m if x86 && m.starts_with("movbe") => (moves, swaps) = (moves + 1, swaps + 1),
                    m if x86 && m.starts_with("mov") => moves += 1,
                    m if x86 && (m.starts_with("bswap") || m.starts_with("rol") || m.starts_with("ror")) => {
                        swaps += 1
                    }
                    m if aarch64 && (m.starts_with("ldr") || m.starts_with("str")) => moves += 1,
                    "rev" | "rev16" | "rev32" if aarch64 => swaps += 1,
                    // From one register to another, which gcc 12 does before the store.
                    "fmov" if aarch64 => {}
                    other => panic!("{name}: {function} has {other}: {list:?}"),
                }
            }
            let big = function.contains("_be");
            assert_eq!((moves, swaps), (1, usize::from(big)), "{name}: {function}: {list:?}");
        }
    }
}

fn headers(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(headers(&path));
        } else if path.extension().is_some_and(|extension| extension == "h")
            // Not for direct use, and not for gcc.
            && path.file_name().is_none_or(|name| name != "msan.h")
        {
            found.push(path);
        }
    }
    found
}

/// What a careful project warns of, in both languages.
const HEADER_WARNINGS: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wundef",
    "-pedantic",
    "-Werror",
    "-fsyntax-only",
];

/// Each header alone, twice, by every compiler in each of the languages' versions. Only the
/// class in shaone.hpp needs C++11.
#[test]
fn headers_stand_alone() {
    let include = stage().join("include");
    let compile = |mut command: Command, cpp: bool, header: &Path| {
        let compiler = command.get_program().to_str().unwrap().replace('/', "_");
        let source = scratch().join(format!("header-{compiler}.{}", if cpp { "cpp" } else { "c" }));
        let line = format!("#include \"{}\"\n", header.display());
        fs::write(&source, format!("{line}{line}extern int here;\n")).unwrap();
        output(command.arg(&source));
    };
    let headers = headers(&include);
    assert!(headers.len() >= 6, "{headers:?}");
    let c = ["c89", "c99", "c11", "c17", "c2x"];
    let cpp = ["c++98", "c++11", "c++14", "c++17", "c++20", "c++23"];
    for (is_cpp, stds, more) in [
        (false, &c[..], &["-Wstrict-prototypes", "-Wmissing-prototypes"][..]),
        (true, &cpp[..], &["-Weffc++", "-Wnon-virtual-dtor"]),
    ] {
        let nothing = scratch().join(if is_cpp { "nothing.cpp" } else { "nothing.c" });
        fs::write(&nothing, "extern int here;\n").unwrap();
        for (name, cc) in compilers(is_cpp) {
            for std in stds {
                // Only these flags: cc's own say nothing here.
                let command = || {
                    let mut command = Command::new(cc.path());
                    command.args(HEADER_WARNINGS).args(more).arg(format!("-std={std}"));
                    command
                };
                if !command().arg(&nothing).output().unwrap().status.success() {
                    not_run(&format!("headers in {std} by {name} (which does not know it)"));
                    continue;
                }
                for header in &headers {
                    compile(command(), is_cpp, header);
                }
                if is_cpp && *std != "c++98" {
                    compile(command(), is_cpp, &include.join("shaone/shaone.hpp"));
                }
            }
        }
    }
    match Command::new("tcc").arg("-v").output() {
        Err(_) => not_run("headers by tcc (it is not installed)"),
        Ok(_) => {
            for header in &headers {
                let mut tcc = Command::new("tcc");
                tcc.args(["-Wall", "-Werror", "-c", "-o"]).arg(scratch().join("header-tcc.o"));
                compile(tcc, false, header);
            }
        }
    }
}

/// A peer's user compiles with nothing but one more -I, and links; C++ too.
#[test]
fn headers_drop_in() {
    const EMPTY: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    let programs = [
        (
            "",
            "#include <shaone.h>",
            "shaone_ctx c; sha1_init(&c); sha1_update(&c, \"\", 0); sha1_final(d, &c);",
        ),
        (
            "shaone/compat/git",
            "#include \"block-sha1/sha1.h\"",
            "platform_SHA_CTX c; platform_SHA1_Init(&c); platform_SHA1_Update(&c, \"\", 0); platform_SHA1_Final(d, &c);",
        ),
        (
            "shaone/compat/gnulib",
            "#include \"sha1.h\"\n#include \"hmac.h\"",
            "struct sha1_ctx c; sha1_init_ctx(&c); sha1_process_bytes(\"\", 0, &c); sha1_finish_ctx(&c, d); \
             if (hmac_sha1(\"\", 0, \"\", 0, e) != 0) return 1;",
        ),
        (
            "shaone/compat/libiberty",
            "#include \"sha1.h\"",
            "struct sha1_ctx c; sha1_process_bytes_fn f = sha1_choose_process_bytes(); \
             sha1_init_ctx(&c); f(\"\", 0, &c); sha1_finish_ctx(&c, d);",
        ),
        (
            "shaone/compat/sha1dc",
            "#include <sha1dc/sha1.h>",
            "SHA1_CTX c; collision_block_callback f = 0; SHA1DCInit(&c); SHA1DCSetCallback(&c, f); \
             SHA1DCUpdate(&c, \"\", 0); if (SHA1DCFinal(d, &c) != 0) return 1;",
        ),
    ];
    for cpp in [false, true] {
        let Some(cc) = compiler(None, cpp) else {
            not_run("headers in C++ (no compiler)");
            continue;
        };
        for (i, (dir, include, body)) in programs.iter().enumerate() {
            let source = scratch().join(format!("drop_in{i}")).with_extension(if cpp { "cpp" } else { "c" });
            let binary = scratch().join(format!("drop_in{i}{}", if cpp { "-cpp" } else { "" }));
            let text = format!(
                "{include}\n#include <stdio.h>\nint main(void) {{\n  unsigned char d[20], e[20];\n  int i;\n  (void)e;\n  \
                 {body}\n  for (i = 0; i < 20; i++) printf(\"%02x\", d[i]);\n  return 0;\n}}\n"
            );
            fs::write(&source, text).unwrap();
            let mut command = cc.to_command();
            command.args(["-Wall", "-Wextra", "-Werror", "-I"]).arg(stage().join("include").join(dir));
            command.arg(&source).arg("-o").arg(&binary).arg(stage().join("lib/libshaone.a"));
            output(&mut command);
            assert_eq!(output(&mut Command::new(&binary)), EMPTY, "{include}, C++: {cpp}");
        }
    }
}

/// A global name of an object, archive or shared library.
struct GlobalName {
    name: String,
    weak: bool,
    hidden: bool,
    defined: bool,
}

fn global_names(file: &Path, table: &str) -> Vec<GlobalName> {
    let printed = output(Command::new("readelf").args(["-W", table]).arg(file));
    let parsed = printed.lines().filter_map(|line| {
        // Num: Value Size Type Bind Vis Ndx Name[@version]
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, _, bind @ ("GLOBAL" | "WEAK"), visibility, section, name, ..] = fields[..] else {
            return None;
        };
        Some(GlobalName {
            // ABS is for a version's own name. (The default version of a name has a second @.)
            name: Some(name.replace("@@", "@")).filter(|_| section != "ABS")?,
            weak: bind == "WEAK",
            hidden: visibility == "HIDDEN",
            defined: section != "UND",
        })
    });
    parsed.collect()
}

/// The shared library gives all names to everybody. Those of the archive are weak, so that a
/// program can have its own, and hidden, so that it does not give ours to others.
#[test]
fn only_the_intended_names() {
    for (file, table, archive) in [("libshaone.so", "--dyn-syms", false), ("libshaone.a", "-s", true)] {
        let names = global_names(&stage().join("lib").join(file), table);
        let (defined, wanted): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.defined);
        for name in &defined {
            assert_eq!((name.weak, name.hidden), (archive, archive), "{file}: {}", name.name);
        }
        let defined: BTreeSet<String> = defined.into_iter().map(|name| name.name).collect();
        let without_version = |name: String| name.split('@').next().unwrap().to_string();
        let exports: BTreeSet<String> =
            if archive { exports().into_iter().map(without_version).collect() } else { exports() };
        let missing: Vec<_> = exports.difference(&defined).collect();
        let extra: Vec<_> = defined.difference(&exports).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{file}: missing {missing:?}, not intended {extra:?}"
        );
        let strange: Vec<_> = wanted
            .into_iter()
            .map(|name| without_version(name.name))
            .filter(|name| !IMPORTS.contains(&name.as_str()))
            .collect();
        assert!(strange.is_empty(), "{file} wants {strange:?}");
    }
}

#[test]
fn shared_library_is_small_and_alone() {
    let lib = stage().join("lib");
    let dynamic = output(Command::new("readelf").args(["-W", "-d"]).arg(lib.join("libshaone.so")));
    let values = |tag: &str| -> Vec<&str> {
        let lines = dynamic.lines().filter(|line| line.contains(tag));
        lines.map(|line| line.rsplit_once('[').unwrap().1.trim_end_matches(']')).collect()
    };
    let soname = values("(SONAME)");
    assert!(soname.len() == 1 && soname[0].starts_with("libshaone.so."), "SONAME {soname:?}");
    assert!(lib.join(soname[0]).exists(), "{} is not there", soname[0]);
    let needed = values("(NEEDED)");
    assert!(needed.len() == 1 && needed[0].starts_with("libc."), "NEEDED {needed:?}");
    assert!(!dynamic.contains("(TEXTREL)"), "it has text relocations");
    let stack = output(Command::new("readelf").args(["-W", "-l"]).arg(lib.join("libshaone.so")));
    let stack = stack.lines().find(|line| line.contains("GNU_STACK")).expect("GNU_STACK");
    assert!(!stack.contains("RWE"), "an executable stack: {stack}");

    let stripped = scratch().join("stripped.so");
    output(Command::new("strip").arg(lib.join("libshaone.so")).arg("-o").arg(&stripped));
    let size = fs::metadata(&stripped).unwrap().len();
    assert!(size <= 256 * 1024, "{size} bytes");
}
