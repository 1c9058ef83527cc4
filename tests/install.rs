//! `make install` into directories of all kinds and out of them again, and programs
//! that are built there with nothing but what pkg-config says, in all the ways that
//! programs are linked.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::sandbox::{Outcome, Sandbox, outcome};
use common::{have, not_run, root, stage};

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
        prefix: "/opt/a b",
        lib: "/opt/a b/lib",
        include: "/opt/a b/include",
        options: &["--prefix=/opt/a b"],
    },
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
            let [include, lib] = [layout.include, layout.lib].map(|path| path.replace(' ', "\\ "));
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
        for _ in 0..2 {
            quiet(&["--uninstall"]);
            assert_eq!(files(&dest), before, "{:?}, uninstalled", layout.options);
        }
    }
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
