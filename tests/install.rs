//! `make install` into directories of all kinds and out of them again, and programs
//! that are built there with nothing but what pkg-config says, in all the ways that
//! programs are linked.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::sandbox::{Outcome, Sandbox, outcome};
use common::{have, not_run, output, root, stage, stage_with};

/// All that is below a directory, but for directories; relative to it.
fn files(dir: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = Path::new(path.file_name().unwrap());
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path).into_iter().map(|file| name.join(file)));
        } else {
            found.insert(name.into());
        }
    }
    found
}

fn install(sandbox: &Sandbox, dest: &Path, options: &[&str]) -> Outcome {
    stage();
    outcome(sandbox.command(root().join("scripts/install.sh")).args(options).env("DESTDIR", dest))
}

/// The directories that are meant, and the options that say so.
struct Layout {
    prefix: &'static str,
    lib: &'static str,
    include: &'static str,
    options: &'static [&'static str],
}

const LAYOUTS: &[Layout] = &[
    Layout {
        prefix: "/usr/local",
        lib: "/usr/local/lib",
        include: "/usr/local/include",
        options: &["--prefix=/usr/local"],
    },
    Layout {
        prefix: "/usr",
        lib: "/usr/lib/x86_64-linux-gnu",
        include: "/usr/include",
        options: &["--prefix=/usr", "--libdir=/usr/lib/x86_64-linux-gnu"],
    },
    Layout {
        prefix: "/usr",
        lib: "/usr/lib64",
        include: "/usr/include/sub",
        options: &["--prefix=/usr/", "--libdir", "lib64", "--includedir=include/sub"],
    },
    Layout {
        prefix: "/opt/shaone",
        lib: "/elsewhere/lib",
        include: "/opt/shaone-1/include",
        options: &[
            "--prefix=/opt/shaone",
            "--libdir=/elsewhere/lib/",
            "--includedir",
            "/opt/shaone-1/include",
        ],
    },
    Layout {
        prefix: "/opt/a b's",
        lib: "/opt/a b's/lib",
        include: "/opt/a b's/include",
        options: &["--prefix=/opt/a b's"],
    },
];

/// What is in `share/doc/shaone`.
const DOCUMENTS: &[&str] = &[
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "abi.md",
    "integrating.md",
    "manifest",
    "shaone.supp",
];

/// What is installed, what the .pc says, and that uninstalling leaves what was there
/// before.
#[test]
fn files_and_where_they_go() {
    let sandbox = Sandbox::new("install-layout");
    let version = env!("CARGO_PKG_VERSION");
    let libraries = [
        "libshaone.a",
        "libshaone.so",
        &format!("libshaone.so.{}", env!("CARGO_PKG_VERSION_MAJOR")),
        &format!("libshaone.so.{version}"),
        "pkgconfig/shaone.pc",
        "cmake/shaone/shaoneConfig.cmake",
        "cmake/shaone/shaoneConfigVersion.cmake",
        "libsha1detectcoll.a",
        "libsha1detectcoll.so",
        "libsha1detectcoll.so.1",
    ];
    for (number, layout) in LAYOUTS.iter().enumerate() {
        let dest = sandbox.path(format!("dest dir {number}"));
        let below = |path: &str| dest.join(&path[1..]);
        for other in ["libshaone.so.old", "pkgconfig/other.pc"] {
            sandbox.write(below(layout.lib).join(other), "");
        }
        sandbox.write(below(layout.include).join("shaone/other.h"), "");
        let before = files(&dest);
        let quiet = |options: &[&str]| {
            let options = [layout.options, options].concat();
            assert_eq!(install(&sandbox, &dest, &options), Outcome::new(0, "", ""), "{options:?}");
        };
        quiet(&[]);

        let mut wanted = before.clone();
        wanted.extend(libraries.map(|file| Path::new(&layout.lib[1..]).join(file)));
        let share = Path::new(&layout.prefix[1..]).join("share");
        wanted.extend(DOCUMENTS.iter().map(|file| share.join("doc/shaone").join(file)));
        for page in files(&root().join("docs/man")) {
            wanted.insert(share.join("man/man3").join(page));
        }
        for header in files(&root().join("include")) {
            let [ours, installed] =
                [&root().join("include"), &below(layout.include)].map(|dir| fs::read(dir.join(&header)));
            assert_eq!(ours.unwrap(), installed.unwrap(), "{header:?}");
            wanted.insert(Path::new(&layout.include[1..]).join(header));
        }
        assert_eq!(files(&dest), wanted, "{:?}", layout.options);

        let pkgconfig = below(layout.lib).join("pkgconfig");
        if have("pkg-config") {
            let mut command = sandbox.command("pkg-config");
            command.args(["--cflags", "--libs", "--keep-system-cflags", "--keep-system-libs", "shaone"]);
            command.env("PKG_CONFIG_SYSROOT_DIR", "").env("PKG_CONFIG_PATH", &pkgconfig);
            let [include, lib] =
                [layout.include, layout.lib].map(|path| path.replace(' ', "\\ ").replace('\'', "\\'"));
            assert_eq!(outcome(&mut command).text().trim_end(), format!("-I{include} -L{lib} -lshaone"));
        } else {
            not_run("what pkg-config says (there is none)");
        }
        if let Some(inside) = layout.lib.strip_prefix(layout.prefix)
            && !layout.prefix.contains(' ')
        {
            let pc = fs::read_to_string(pkgconfig.join("shaone.pc")).unwrap();
            let line = format!("libdir=${{prefix}}{inside}");
            assert!(pc.lines().any(|it| it == line), "no {line}: {pc}");
        }
        // An upgrade replaces, and a second uninstall finds nothing.
        quiet(&[]);
        quiet(&["--uninstall"]);
        assert_eq!(files(&dest), before, "{:?}, uninstalled", layout.options);
        let nothing = format!(
            "install.sh: nothing to remove: there is no {}{}/share/doc/shaone/manifest\n",
            dest.display(),
            layout.prefix
        );
        let again = [layout.options, &["--uninstall"]].concat();
        assert_eq!(install(&sandbox, &dest, &again), Outcome::new(0, nothing, ""));
        assert_eq!(files(&dest), before, "{:?}, uninstalled twice", layout.options);
    }
}

/// sha1collisiondetection's own library stays, whichever of its files there are.
#[test]
fn another_makers_library() {
    let sandbox = Sandbox::new("install-foreign");
    let options = ["--prefix=/usr"];
    for theirs in ["libsha1detectcoll.so.1", "libsha1detectcoll.so", "libsha1detectcoll.a"] {
        let dest = sandbox.path(theirs);
        let file = dest.join("usr/lib").join(theirs);
        sandbox.write(&file, "theirs");
        let before = files(&dest);
        let complaint = format!(
            "install.sh: {} is not ours: move it away first, or choose another directory\n",
            file.display()
        );
        assert_eq!(install(&sandbox, &dest, &options), Outcome::new(2, "", complaint));
        assert_eq!(files(&dest), before, "nothing is written");

        // It can also come after ours.
        fs::remove_file(&file).unwrap();
        assert_eq!(install(&sandbox, &dest, &options), Outcome::new(0, "", ""));
        fs::remove_file(&file).unwrap();
        sandbox.write(&file, "theirs");
        let left = format!("install.sh: left alone, not as we have installed it: {}\n", file.display());
        assert_eq!(install(&sandbox, &dest, &["--prefix=/usr", "--uninstall"]), Outcome::new(0, left, ""));
        assert_eq!(files(&dest), before);
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
    }
}

/// From one version to another, in either direction, one is left, and the loader's links
/// lead to it.
#[test]
fn upgrade_and_downgrade() {
    let sandbox = Sandbox::new("install-versions");
    let dest = sandbox.path("dest");
    let options = ["--prefix=/usr"];
    let ours = format!("libshaone.so.{}", env!("CARGO_PKG_VERSION"));
    let soname = format!("libshaone.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
    for other in ["0.0.1", "0.9999.0"] {
        // The same library under another version's name.
        let theirs = format!("libshaone.so.{other}");
        let stage = sandbox.path(format!("stage-{other}"));
        output(Command::new("cp").arg("-a").arg(common::stage()).arg(&stage));
        fs::rename(stage.join("lib").join(&ours), stage.join("lib").join(&theirs)).unwrap();
        for link in ["libshaone.so", &soname] {
            fs::remove_file(stage.join("lib").join(link)).unwrap();
            symlink(&theirs, stage.join("lib").join(link)).unwrap();
        }
        let from = format!("--stage={}", stage.display());
        for (options, now) in [([options[0], &from].as_slice(), &theirs), (&options, &ours)] {
            assert_eq!(install(&sandbox, &dest, options), Outcome::new(0, "", ""));
            let lib = dest.join("usr/lib");
            let versions: Vec<PathBuf> = files(&lib)
                .into_iter()
                .filter(|file| {
                    file.to_str().unwrap().starts_with("libshaone.so.") && file != Path::new(&soname)
                })
                .collect();
            assert_eq!(versions, [PathBuf::from(now)]);
            assert_eq!(fs::read_link(lib.join(&soname)).unwrap(), PathBuf::from(now));
            // ldconfig is not on everybody's path.
            if Path::new("/sbin/ldconfig").exists() {
                output(Command::new("/sbin/ldconfig").args(["-n"]).arg(&lib));
                assert_eq!(fs::read_link(lib.join(&soname)).unwrap(), PathBuf::from(now));
            }
        }
    }
    assert_eq!(install(&sandbox, &dest, &["--prefix=/usr", "--uninstall"]), Outcome::new(0, "", ""));
    assert!(files(&dest).is_empty());
}

/// `make` understands GNU's spelling of the directories, and leaves archives out.
#[test]
fn through_make() {
    let sandbox = Sandbox::new("install-make");
    stage();
    let make = |target: &str, variables: &[&str]| {
        let mut command = Command::new("make");
        command.args(["-s", target]).args(variables).current_dir(root()).env_remove("MAKEFLAGS");
        assert_eq!(outcome(&mut command), Outcome::new(0, "", ""), "{variables:?}");
    };
    let path = |name: &str| sandbox.path(name).display().to_string();
    let prefix = path("it's here");
    for variables in [
        [format!("prefix={prefix}"), format!("libdir={prefix}/lib64"), "STATIC=no".into()],
        [format!("PREFIX={prefix}"), format!("LIBDIR={prefix}/lib64"), "STATIC=no".into()],
    ] {
        let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
        make("install", &variables);
        let installed = files(Path::new(&prefix));
        assert!(installed.contains(Path::new("lib64/libshaone.so")));
        assert!(installed.contains(Path::new("include/shaone.h")));
        assert!(installed.contains(Path::new("share/man/man3/shaone.3")));
        assert!(!installed.iter().any(|file| file.extension().is_some_and(|it| it == "a")), "{installed:?}");
        make("uninstall", &variables);
        assert!(files(Path::new(&prefix)).is_empty());
    }
}

/// Libraries without the peers' names, and with names of their own.
#[test]
fn other_names() {
    let mut sandbox = Sandbox::new("install-names");
    sandbox.write("abc.c", ABC_C);
    sandbox.write("git.c", GIT_C);
    for (name, variable, value) in [("no-dropins", "DROP_IN", "no"), ("prefixed", "SYMBOL_PREFIX", "my_")] {
        let prefix = sandbox.path(name);
        let options = [
            format!("--stage={}", stage_with(name, variable, value).display()),
            format!("--prefix={}", prefix.display()),
        ];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        assert_eq!(install(&sandbox, Path::new(""), &options), Outcome::new(0, "", ""));
        sandbox.set("P", prefix.display().to_string());
        sandbox.set("LD_LIBRARY_PATH", prefix.join("lib"));
        let both = "-I$P/include -I$P/include/shaone/compat/git -L$P/lib -Wl,--no-as-needed";
        program(&sandbox, &format!("abc.c {both} -lshaone"), ABC);
        program(&sandbox, "abc.c -I$P/include $P/lib/libshaone.a", ABC);
        // A program from before, which asks for sha1_init itself.
        sandbox.write("theirs.c", THEIRS_C);
        program(&sandbox, &format!("git.c {both} -lshaone"), ABC);
        let start = if name == "no-dropins" { "(shaone_|SHA1DC)" } else { "my_" };
        let others =
            format!("nm -D --defined-only $P/lib/libshaone.so | grep ' T ' | grep -vE ' T {start}' || true");
        assert_eq!(sandbox.run(&others).text(), "", "{name}");
        if name == "no-dropins" {
            program(&sandbox, &format!("theirs.c {both} -lshaone-dropin"), "1\n");
        }
    }
}

/// A project with a build system of its own.
#[test]
fn cmake_project() {
    if !have("cmake") {
        return not_run("a project that is built by CMake (there is none)");
    }
    let sandbox = installed("cmake");
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(outside C)\nfind_package(shaone 0.1 REQUIRED)\n\
         foreach(kind shaone static)\n  add_executable(with_${kind} abc.c)\n  \
         target_link_libraries(with_${kind} shaone::${kind})\nendforeach()\n",
    );
    sandbox.run("cmake -S . -B build -DCMAKE_PREFIX_PATH=\"$here\" && cmake --build build").text();
    for kind in ["shaone", "static"] {
        sandbox.expect(0, ABC, "", &format!("build/with_{kind}"));
    }
    // There is no such version yet.
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(o C)\nfind_package(shaone 1.0 REQUIRED)\n",
    );
    let refused = sandbox.run("cmake -S . -B refused -DCMAKE_PREFIX_PATH=\"$here\"");
    assert!(refused.status == Some(1), "{refused:?}");
}

#[test]
fn wrong_options() {
    let sandbox = Sandbox::new("install-options");
    let none = sandbox.path("none");
    for (option, why) in [
        ("--nonsense", "no such option: --nonsense"),
        ("--prefix=here", "the prefix must be an absolute path, not 'here'"),
    ] {
        let want = Outcome::new(2, "", format!("install.sh: {why}\n"));
        assert_eq!(install(&sandbox, &none, &[option]), want);
        assert!(!none.exists());
    }
}

const ABC: &str = "a9993e364706816aba3e25717850c26c9cd0d89d\n";
const ABC_C: &str = r#"
#include <shaone.h>
#include <stdio.h>

int main(void)
{
    shaone_ctx ctx;
    unsigned char digest[20];
    int i;

    sha1_init(&ctx);
    sha1_update(&ctx, "abc", 3);
    sha1_final(digest, &ctx);
    for (i = 0; i < 20; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return 0;
}
"#;

/// Has its own of two of our names, and uses a third of ours.
const OWN_C: &str = r#"
#include <stdint.h>
#include <stdio.h>

void sha1_init(int *p) { *p = 42; }
void *sha1_buffer(const char *text, size_t len, void *out) { return len ? out : (void *)text; }
void shaone_digest(const void *data, size_t len, unsigned char digest[20]);

int main(void)
{
    int answer;
    unsigned char digest[20];

    sha1_init(&answer);
    shaone_digest("abc", 3, digest);
    printf("%d %d %02x\n", answer, sha1_buffer("", 0, NULL) != NULL, digest[0]);
    return 0;
}
"#;
const OWN: &str = "42 1 a9\n";

/// With git's header and its names.
const GIT_C: &str = r#"
#include <block-sha1/sha1.h>
#include <stdio.h>

int main(void)
{
    blk_SHA_CTX ctx;
    unsigned char digest[20];
    int i;

    blk_SHA1_Init(&ctx);
    blk_SHA1_Update(&ctx, "abc", 3);
    blk_SHA1_Final(digest, &ctx);
    for (i = 0; i < 20; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return 0;
}
"#;

/// With no header of ours.
const THEIRS_C: &str = r#"
#include <stddef.h>
#include <stdio.h>

void *sha1_buffer(const char *data, size_t len, void *digest);

int main(void)
{
    unsigned char digest[20];
    printf("%d\n", sha1_buffer("abc", 3, digest) == digest && digest[0] == 0xa9);
    return 0;
}
"#;

const STREAM_C: &str = r#"
#include <stdio.h>
#include <shaone/compat/gnulib/sha1.h>

int main(void)
{
    unsigned char digest[20];
    FILE *file = fopen("abc", "rb");

    if (file == NULL || sha1_stream(file, digest) != 0)
        return 1;
    printf("%02x%02x\n", digest[0], digest[19]);
    return fclose(file);
}
"#;
const STREAM: &str = "a99d\n";

/// Other Rust code, which brings the whole of std.
const OTHER_RS: &str = r#"
#[unsafe(no_mangle)]
pub extern "C" fn other() -> usize {
    std::env::args().map(|arg| arg.len()).sum::<usize>().min(1)
}
"#;
const BOTH_C: &str = r#"
#include <shaone.h>
#include <stddef.h>
#include <stdio.h>
size_t other(void);
int main(void)
{
    unsigned char digest[20];
    shaone_digest("abc", 3, digest);
    printf("%d %02x\n", (int)other(), digest[0]);
    return 0;
}
"#;

/// With ours installed in `$here`, and what to give to the compiler for it in
/// `$shared`, `$static` and `$archive`.
fn installed(name: &str) -> Sandbox {
    let mut sandbox = Sandbox::new(&format!("install-{name}"));
    let here = sandbox.path("here");
    let prefix = format!("--prefix={}", here.display());
    assert_eq!(install(&sandbox, Path::new(""), &[&prefix]), Outcome::new(0, "", ""));
    sandbox.set("PKG_CONFIG_PATH", here.join("lib/pkgconfig"));
    sandbox.set("LD_LIBRARY_PATH", here.join("lib"));
    let here = here.display();
    let mut shared = format!("-I{here}/include -L{here}/lib -lshaone");
    let mut fixed = shared.clone();
    if have("pkg-config") {
        shared = sandbox.run("pkg-config --cflags --libs shaone").text();
        fixed = sandbox.run("pkg-config --static --cflags --libs shaone").text();
    } else {
        not_run("programs built with what pkg-config says (there is none)");
    }
    sandbox.set("shared", shared.trim_end());
    sandbox.set("static", fixed.trim_end());
    sandbox.set("archive", format!("-I{here}/include {here}/lib/libshaone.a"));
    sandbox.set("here", here.to_string());
    for (file, text) in [
        ("abc.c", ABC_C),
        ("own.c", OWN_C),
        ("stream.c", STREAM_C),
        ("nothing.c", "int main(void) { return 0; }\n"),
    ] {
        sandbox.write(file, text);
    }
    sandbox.write("abc", "abc");
    sandbox
}

/// It compiles without a word.
fn build(sandbox: &Sandbox, arguments: &str) {
    sandbox.expect(0, "", "", &format!("${{CC:-cc}} -O2 -Wall -Wextra -Werror {arguments}"));
}

/// It does, and the program prints this.
fn program(sandbox: &Sandbox, arguments: &str, prints: &str) {
    build(sandbox, &format!("-o program {arguments}"));
    sandbox.expect(0, prints, "", "./program");
}

#[test]
fn shared_programs() {
    let sandbox = installed("shared");
    program(&sandbox, "own.c $shared", OWN);
    program(&sandbox, "stream.c $shared", STREAM);
    program(&sandbox, "abc.c $shared", ABC);
    let needed = sandbox.run("readelf -d program | sed -n 's/.*\\[\\(libshaone.*\\)\\]/\\1/p'").text();
    assert_eq!(needed, concat!("libshaone.so.", env!("CARGO_PKG_VERSION_MAJOR"), "\n"));
}

#[test]
fn programs_with_the_archive() {
    let sandbox = installed("archive");
    let whole = "-Wl,--whole-archive $archive -Wl,--no-whole-archive";
    program(&sandbox, "abc.c $archive", ABC);
    sandbox.expect(0, "", "", "readelf -d program | grep libshaone || true");
    program(&sandbox, "own.c $archive", OWN);
    program(&sandbox, &format!("own.c {whole}"), OWN);
    program(&sandbox, &format!("abc.c {whole}"), ABC);
    program(&sandbox, "-flto abc.c $archive", ABC);
    program(&sandbox, "-flto own.c $archive", OWN);
    program(&sandbox, "-Wl,--gc-sections -pie abc.c $archive", ABC);
    // It can be part of somebody else's shared library, and lacks nothing that libc has not.
    build(&sandbox, &format!("-o libother.so -shared -Wl,-z,defs {whole}"));
    if can_link(&sandbox, "-static") {
        program(&sandbox, "-static abc.c $static", ABC);
        program(&sandbox, "-static own.c $static", OWN);
        program(&sandbox, "-static stream.c $static", STREAM);
    } else {
        not_run("static programs (no static libc)");
    }
    for linker in ["lld", "gold"] {
        let option = format!("-fuse-ld={linker}");
        if can_link(&sandbox, &option) {
            program(&sandbox, &format!("{option} abc.c $archive"), ABC);
            program(&sandbox, &format!("{option} own.c $archive"), OWN);
        } else {
            not_run(&format!("programs linked by {linker} (there is none)"));
        }
    }
}

fn can_link(sandbox: &Sandbox, option: &str) -> bool {
    sandbox.run(&format!("${{CC:-cc}} {option} -o nothing nothing.c")).status == Some(0)
}

#[test]
fn beside_archives_of_other_rust_code() {
    if !have("rustc") {
        return not_run("programs with another Rust library (no rustc)");
    }
    let sandbox = installed("rust");
    sandbox.write("other.rs", OTHER_RS);
    sandbox.write("both.c", BOTH_C);
    for options in ["", "-C lto=fat -C panic=abort"] {
        let rustc =
            format!("rustc --edition 2024 -O --crate-type staticlib {options} -o libother.a other.rs");
        sandbox.expect(0, "", "", &rustc);
        for order in ["libother.a $archive", "$archive libother.a"] {
            program(&sandbox, &format!("both.c {order} -lpthread -ldl -lm"), "1 a9\n");
        }
    }
}

/// All of its names are weak, and GNU nm reads it without a plugin.
#[test]
fn archive_itself() {
    let archive = stage().join("lib/libshaone.a");
    let symbols = outcome(Command::new("readelf").arg("-sW").arg(&archive)).text();
    for line in symbols.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, _, _, "GLOBAL", _, section, name, ..] = fields[..] {
            assert!(section.parse::<u32>().is_err(), "{name} is not weak");
        }
    }
    let nm = outcome(Command::new("nm").arg(&archive));
    assert!(nm.status == Some(0) && nm.stderr.is_empty(), "{nm:?}");
}
