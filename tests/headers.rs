//! The committed headers are what cbindgen makes of the skins today.
//!
//! `make headers` (SHAONE_BLESS=1) writes them; otherwise a difference fails.

use std::env;
use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

struct Header {
    path: &'static str,
    skins: &'static [&'static str],
    style: Style,
    guard: &'static str,
    about: &'static str,
    /// After the includes.
    before: String,
    /// Inside the guard, after the declarations.
    after: &'static str,
    /// For a function of the skins: its name in C, and the linker's.
    names: fn(&str) -> (String, String),
}

/// Both are the same.
fn one_name(name: &str) -> (String, String) {
    (name.into(), name.into())
}

/// The names of a peer, behind which the linker finds `shaone_*`.
fn peers_names(name: &str) -> (String, String) {
    (name.strip_prefix("shaone_").expect("a function of ours").into(), name.into())
}

/// git's names for the functions of `shaone.h`.
fn gits_names(name: &str) -> (String, String) {
    let symbol = name.strip_prefix("blk_SHA1_").expect("a function of git's").to_lowercase();
    (name.into(), format!("shaone_{symbol}"))
}

/// The names that C programs know.
const SHORT_NAMES: &str = "
#if !defined(SHAONE_NO_SHORT_NAMES) && !defined(sha1_init) && !defined(TOMCRYPT_H_)
/*
 * The short names of shaone_init, shaone_update and shaone_final. They are names of
 * this header only: what the linker looks for is shaone_*, whatever else has
 * functions of these names. They are left out behind nettle's and libtomcrypt's
 * headers, which have them too. Before libtomcrypt's, define SHAONE_NO_SHORT_NAMES.
 */
#ifdef __cplusplus
extern \"C\" {
#endif /* __cplusplus */

void sha1_init(shaone_ctx *ctx) SHAONE_SYMBOL(shaone_init);
void sha1_update(shaone_ctx *ctx, const void *data, size_t len) SHAONE_SYMBOL(shaone_update);
void sha1_final(unsigned char digest[20], shaone_ctx *ctx) SHAONE_SYMBOL(shaone_final);
#define SHAONE_SHORT_NAMES

#ifdef __cplusplus
}  /* extern \"C\" */
#endif  /* __cplusplus */
#endif /* SHAONE_NO_SHORT_NAMES */
";

/// git's size is an unsigned long long, at which -pedantic complains before C99 and C++11.
const LONG_LONG: &str = "\
/* unsigned long long, as in git's context, for C89 and C++98 too. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Wlong-long\"
__extension__ typedef unsigned long long shaone_ulonglong;
#pragma GCC diagnostic pop
#else
typedef unsigned long long shaone_ulonglong;
#endif";

fn headers() -> Vec<Header> {
    let [major, minor, patch] =
        ["MAJOR", "MINOR", "PATCH"].map(|part| env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap());
    let version = format!(
        "/* The version of this header; shaone_version() tells the library's. */\n\
         #define SHAONE_VERSION_MAJOR {major}\n\
         #define SHAONE_VERSION_MINOR {minor}\n\
         #define SHAONE_VERSION_PATCH {patch}\n\
         #define SHAONE_VERSION \"{major}.{minor}.{patch}\""
    );
    vec![
        Header {
            path: "shaone.h",
            skins: &["native", "many"],
            style: Style::Type,
            guard: "SHAONE_H",
            about: "shaone: SHA-1 (FIPS 180-4) at the speed of the CPU.\n\
                \n\
                Unless a function says otherwise: it cannot fail; it allocates nothing; it\n\
                keeps no pointer that it is given; it may be called from any thread, after\n\
                fork() and in a signal handler, while no other call uses the same context;\n\
                lengths are in bytes; data and digests may have any alignment; digests are\n\
                20 bytes, and may overlap the data.",
            before: format!("#include \"shaone/symbols.h\"\n\n{version}"),
            after: SHORT_NAMES,
            names: one_name,
        },
        Header {
            path: "shaone/compat/git/block-sha1/sha1.h",
            skins: &["git"],
            style: Style::Type,
            guard: "SHAONE_COMPAT_GIT_BLOCK_SHA1_H",
            about: "git's block-sha1/sha1.h on shaone: same names, same layout.",
            before: format!("#include \"../../../symbols.h\"\n\n{LONG_LONG}"),
            after: "\n#ifndef platform_SHA_CTX\n\
                #define platform_SHA_CTX blk_SHA_CTX\n\
                #define platform_SHA1_Init blk_SHA1_Init\n\
                #define platform_SHA1_Update blk_SHA1_Update\n\
                #define platform_SHA1_Final blk_SHA1_Final\n\
                #endif\n",
            names: gits_names,
        },
        Header {
            path: "shaone/compat/gnulib/sha1.h",
            skins: &["gnulib"],
            style: Style::Tag,
            guard: "SHAONE_COMPAT_GNULIB_SHA1_H",
            about: "gnulib's sha1.h (and hmac.h's hmac_sha1) on shaone: same names, same layout.\n\
                All functions but sha1_stream are safe in any thread and in signal handlers.",
            before: "#include <stdio.h>\n\n#include \"../../symbols.h\"\n\n#define SHA1_DIGEST_SIZE 20"
                .into(),
            after: "",
            names: peers_names,
        },
        Header {
            path: "shaone/compat/libiberty/sha1.h",
            skins: &["gnulib", "libiberty"],
            style: Style::Tag,
            guard: "SHAONE_COMPAT_LIBIBERTY_SHA1_H",
            about: "libiberty's sha1.h on shaone: same names, same layout.\n\
                All functions but sha1_stream are safe in any thread and in signal handlers.",
            before: "#include <stdio.h>\n\n#include \"../../symbols.h\"\n\n#define SHA1_DIGEST_SIZE 20"
                .into(),
            after: "",
            names: peers_names,
        },
        Header {
            path: "shaone/compat/sha1dc/sha1dc/sha1.h",
            skins: &["sha1dc"],
            style: Style::Type,
            guard: "SHAONE_COMPAT_SHA1DC_SHA1_H",
            about: "sha1collisiondetection's sha1dc/sha1.h on shaone: same names, same layout.\n\
                All functions are safe in any thread and in signal handlers.",
            before: "#include \"../../../symbols.h\"".into(),
            after: "",
            names: one_name,
        },
    ]
}

/// The declarations, where each of a function tells the name that the linker looks for.
fn with_symbols(declarations: &str, names: fn(&str) -> (String, String)) -> String {
    let mut told = String::new();
    for statement in declarations.split_inclusive(";\n") {
        // Behind the comment, and what opens `extern "C"`.
        let start = statement.rfind("*/\n").map_or(0, |end| end + 3);
        let (before, declaration) = statement.split_at(start);
        told += before;
        match declaration.split_once('(') {
            Some((head, arguments)) if !declaration.starts_with("typedef") && arguments.ends_with(");\n") => {
                let name = head.rsplit([' ', '*']).next().unwrap();
                let (c_name, symbol) = names(name);
                let arguments = arguments.strip_suffix(";\n").unwrap();
                told += &format!(
                    "{}{c_name}({arguments} SHAONE_SYMBOL({symbol});\n",
                    &head[..head.len() - name.len()]
                );
            }
            _ => told += declaration,
        }
    }
    told
}

fn generate(header: &Header) -> String {
    let mut config = Config {
        language: Language::C,
        cpp_compat: true,
        style: header.style,
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Doxy,
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        include_guard: None,
        ..Config::default()
    };
    config.structure.derive_eq = false;
    config.export.exclude = ["FILE", "shaone_level", "PIECE_LEN"].map(String::from).to_vec();
    let mut builder = Builder::new().with_config(config);
    for skin in header.skins {
        builder = builder.with_src(format!("src/capi/{skin}.rs"));
    }
    let mut body = Vec::new();
    builder.generate().expect("cbindgen reads the skins").write(&mut body);
    let body = String::from_utf8(body).unwrap();

    // The frame is ours: cbindgen puts its trailer outside of the guard.
    let body =
        body.replace("// extern \"C\"", "/* extern \"C\" */").replace("// __cplusplus", "/* __cplusplus */");
    let (includes, declarations) = body.split_once("\n\n").unwrap();
    let about: String =
        header.about.lines().map(|line| format!(" * {line}").trim_end().to_string() + "\n").collect();
    let before = if header.before.is_empty() { String::new() } else { format!("{}\n\n", header.before) };
    let guard = header.guard;
    // It lies beside symbols.h.
    let symbols = header.before.lines().find(|line| line.contains("symbols.h")).unwrap();
    let msan = symbols.split('"').nth(1).unwrap().replace("symbols.h", "msan.h");
    format!(
        "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n/*\n{about} */\n\
         /* Generated by tests/headers.rs from src/capi: change it there. */\n\
         #ifndef {guard}\n#define {guard}\n\n{}\n\n{before}{}\n{}\n\
         #ifdef SHAONE_MSAN\n#include \"{msan}\"\n#endif\n\n#endif /* {guard} */\n",
        includes.trim(),
        with_symbols(declarations.trim(), header.names)
            .replace("  unsigned long long ", "  shaone_ulonglong "),
        header.after,
    )
}

#[test]
fn committed_headers_are_current() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let bless = env::var_os("SHAONE_BLESS").is_some();
    for header in headers() {
        let path = include.join(header.path);
        let text = generate(&header);
        if bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{} is out of date: run `make headers`", path.display());
    }
}
